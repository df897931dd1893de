"""The examples of docs/plugins.md run unchanged, and its code is that of the sample."""

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
    blocks = re.findall("```toml\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 2
    sample = (ROOT / "samples" / "plugin" / "pyproject.toml").read_text("utf-8") + "\n"
    assert all(block in sample for block in blocks)


def test_the_reader_on_the_page_is_that_of_the_sample() -> None:
    formats = GUIDE.read_text("utf-8").partition("\n## Formats\n")[2]
    (block,) = re.findall("```python\n(.*?)```", formats, re.DOTALL)
    without_imports = block[block.find("\n\n\n") + 3 :]
    assert without_imports in (ROOT / "samples" / "plugin" / "stockroom.py").read_text("utf-8")


def test_the_rows_of_the_sample_hold() -> None:
    check_row(SHELF)
    check_row(STOCK)
