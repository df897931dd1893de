"""What people see of statistics, whole: a page, and the lines of a terminal."""

from __future__ import annotations

from difflib import unified_diff

import print_pages
from tests.helpers.folders import ROOT

GOLDEN = ROOT / "tests" / "golden" / "pages.txt"


def test_pages_are_laid_out_as_they_were() -> None:
    expected, found = GOLDEN.read_text("utf-8").split("\n"), print_pages.text().split("\n")
    changes = list(unified_diff(expected, found, lineterm="", n=0))
    assert not changes, "\n".join(["if that is meant: tools/print_pages.py > tests/golden/pages.txt", *changes])
