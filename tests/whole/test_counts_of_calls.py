"""What comes again costs next to nothing in the interpreter, under each option: counts of calls in Python, not times.

Five small inputs are read once and five times over. What is decided, judged or written by rows in C, or is remembered,
calls no function of the package for each identifier the second time.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Final

import pytest

import urisieve
from benchmarks.carried import CARRIERS
from benchmarks.corpora import make
from tests.helpers.cli_support import call
from urisieve.kernel import kernel

pytestmark = pytest.mark.skipif(kernel is None, reason="counts what the kernel leaves to Python")

_PACKAGE: Final = f"{Path(urisieve.__file__).parent}{os.sep}"
# The bytes of each input, how often it is read, and the calls that 64 KiB more of the same may cost: a list of links
# has 1,300 in them.
_SIZE: Final = 20_000
_TIMES: Final = 5
_BLOCK: Final = 65_536
_MOST: Final = 1_300

_TEXT: Final = "--input text"
# The kind of the text or the carrier, and the flags.
_CASES: Final = [
    *(("mail", f"{_TEXT} --accept {what}") for what in ("addresses", "names", "names,addresses,defanged")),
    ("html", f"{_TEXT} --accept addresses"),
    ("HTML", "--accept addresses"),
    ("chat", f"{_TEXT} --schemes any"),
    ("HTML of links", "--accept names,addresses,defanged,nested,wrapped"),
    *(
        (carrier, f"-f {form}")
        for carrier in ("HTML", "HTML of links", "CSV of links", "JSON lines of links")
        for form in ("csv", "jsonl")
    ),
    ("CSV of links", "--field url"),
    ("JSON lines", "--field url"),
    ("JSON lines of links", "--field url"),
    *(
        ("urls", f"{_TEXT} {flags}")
        for flags in (
            *("-f csv", "-f jsonl", "-f jsonl --parts", "--safe cells -f csv", "--safe defang", "--safe no-query"),
            *("--protect any", "--protect example.com", "--level syntax", "--fields uri,host,domain,line"),
            *("--form template", "--form surt", "--form domain", "--accept wrapped-any", "--accept nested"),
        )
    ),
]


def _written(name: str, times: int, folder: Path) -> Path:
    """Return a file of a text or a carrier, with its lines so many times."""
    carrier = CARRIERS.get(name)
    text = make(carrier.kind if carrier else name, _SIZE, folder / f"{name}.made").read_text("utf-8")
    path = folder / f"{name}-{times}.{carrier.ending if carrier else 'txt'}"
    if carrier:
        carrier.write(iter(text.splitlines(keepends=True) * times), path)
    else:
        path.write_text(text * times, "utf-8")
    return path


def _calls(path: Path, flags: str) -> tuple[Counter[str], int]:
    """Return the calls of functions of the package in a run, by the room of the function, and the bytes written."""
    counts: Counter[str] = Counter()

    def profiled(frame: FrameType, event: str, _argument: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(_PACKAGE):
            counts[name.removeprefix(_PACKAGE).partition(os.sep)[0]] += 1

    before = sys.getprofile()
    sys.setprofile(profiled)
    try:
        done = call("extract", "-q", "-j", "1", *flags.split(), str(path))
    finally:
        sys.setprofile(before)
    assert done.status == 0, done.err
    return counts, len(done.out)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "flags"), _CASES)
def test_what_comes_again_is_not_decided_again(name: str, flags: str, tmp_path: Path) -> None:
    once, many = _written(name, 1, tmp_path), _written(name, _TIMES, tmp_path)
    _calls(once, flags)  # what is made when it is first asked for
    (first, few), (calls, written) = _calls(once, flags), _calls(many, flags)
    assert written > 0.9 * _TIMES * few  # all of it was found
    blocks = (many.stat().st_size - once.stat().st_size) / _BLOCK
    more = calls - first
    assert more.total() <= _MOST * blocks, {room: round(count / blocks) for room, count in more.most_common()}
