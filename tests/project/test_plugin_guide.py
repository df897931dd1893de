"""The examples of docs/plugins.md run as they stand, and docs/how-to/format.md shows what the sample has."""

from __future__ import annotations

import doctest
import re

from stockroom import SHELF, STOCK
from tests.helpers.folders import ROOT
from urisieve.testing import check_row

GUIDE = ROOT / "docs" / "plugins.md"


def test_the_session_runs() -> None:
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert (found.failed, found.attempted > 3) == (0, True)


def test_the_entry_points_are_those_of_the_sample() -> None:
    block = re.findall("```toml\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert len(block) == 1
    assert block[0] in (ROOT / "samples" / "plugin" / "pyproject.toml").read_text("utf-8") + "\n"


def test_the_reader_on_the_page_is_that_of_the_sample() -> None:
    page = (ROOT / "docs" / "how-to" / "format.md").read_text("utf-8")
    for language, name in (("toml", "pyproject.toml"), ("python", "stockroom.py")):
        (block,) = re.findall(f"```{language}\n(.*?)```", page, re.DOTALL)
        block = block[block.find("\n\n\n") + 3 :] if language == "python" else block  # without what it imports
        assert block in (ROOT / "samples" / "plugin" / name).read_text("utf-8")


def test_the_rows_of_the_sample_hold() -> None:
    check_row(SHELF)
    check_row(STOCK)
