"""What a small file costs beside its bytes, by counted work: the calls of Python for each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from urisieve import extract_files
from urisieve.kernel import compiled

pytestmark = pytest.mark.skipif(not compiled, reason="without the kernel, finding takes the calls")

_FEW, _MANY = 10, 60


def _page(number: int) -> str:
    return (
        f"<!DOCTYPE html><html><head><title>Page {number}</title></head>"
        f'<body><p>See <a href="http://site{number}.example/">a link</a>.</p></body></html>\n'
    )


def _message(number: int) -> str:
    return (
        f"Date: Mon, 2 Jan 2006 15:04:{number % 60:02} +0000\nFrom: Ann <ann@a.example>\nSubject: Letter {number}\n"
        f"Message-ID: <{number}@a.example>\n\nSee http://site{number}.example/ for more.\n"
    )


def _calls(folder: Path, count: int, ending: str, text: Callable[[int], str]) -> int:
    """Extract from so many files; return the number of calls of functions of Python."""
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.{ending}").write_text(text(number), "utf-8")
    calls = 0

    def count_call(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count_call)
    try:
        found = sum(1 for _ in extract_files([folder]))
    finally:
        sys.setprofile(None)
    assert found == count
    return calls


@pytest.mark.parametrize(
    ("ending", "text", "most"), [("html", _page, 600), ("eml", _message, 520)], ids=["pages", "messages"]
)
def test_a_small_file_takes_few_calls(tmp_path: Path, ending: str, text: Callable[[int], str], most: int) -> None:
    _calls(tmp_path / "first", 2, ending, text)  # what is imported and remembered once
    few = _calls(tmp_path / "few", _FEW, ending, text)
    many = _calls(tmp_path / "many", _MANY, ending, text)
    assert (many - few) / (_MANY - _FEW) <= most
