"""The page of the architecture: its picture is drawn from the code, it is short, and the files that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import draw_architecture
from tests.helpers.folders import ROOT

pytestmark = pytest.mark.once  # reads the sources

PAGE = ROOT / "docs" / "architecture.md"
TEXT = PAGE.read_text("utf-8")
MOST_WORDS = 900
# A path in the text, such as `sinks/formats.py` or `rules/rows/`.
_FILE = re.compile(r"`([\w./-]+(?:\.[a-z]+|/))`")


def _exists(path: str) -> bool:
    return any((folder / path).exists() for folder in (ROOT, ROOT / "src" / "urisieve"))


@pytest.mark.long  # counts the words of all modules
def test_the_picture_is_drawn_from_the_code() -> None:
    assert draw_architecture.PICTURE.read_text("utf-8") == draw_architecture.drawn(), "run tools/draw_architecture.py"


def test_the_page_shows_the_picture() -> None:
    (path,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
    assert (PAGE.parent / path).resolve() == draw_architecture.PICTURE


def test_the_page_is_short() -> None:
    assert len(TEXT.split()) <= MOST_WORDS


def test_each_file_that_the_page_names_exists() -> None:
    files = _FILE.findall(TEXT)
    assert len(files) > 30
    assert [path for path in files if not _exists(path)] == []
    assert not _exists("sinks/no_format.py")


def test_a_floor_that_is_not_one_of_the_layers_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order = draw_architecture.wings()
    layers = tmp_path / "layers.py"
    monkeypatch.setattr(draw_architecture, "_LAYERS", layers)
    for wrong in ((*order, "attic"), ("cellar", *order), (*order[:-2], "attic", *order[-2:])):
        layers.write_text(f"WINGS = {wrong!r}\n", "utf-8")
        with pytest.raises(AssertionError, match=r"attic|cellar"):
            draw_architecture.House()
