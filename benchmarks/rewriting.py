"""Rewriting: `urisieve rewrite` beside `re.sub`, `sed` and `rg --passthru` with one pattern, on texts and JSON lines.

The pattern hides the password of a link, or writes `hxxp` for the scheme of each; it knows nothing of where links end,
and nothing of the notation of a carrier. `python -m benchmarks.rewriting NAME` does that to standard input.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.markdown import number, table
from benchmarks.measure import median, run
from benchmarks.settings import MEGABYTE, Settings

__all__ = ["report"]

_PASSWORD = r'(https?://[^[:space:]:/@"]+):[^[:space:]@/"]+@'
_SCHEME = r'http(s?://[^[:space:]"<>]+)'


class _Way(NamedTuple):
    """One thing to do: the option, a pattern, and what is in its place, in the notation of `sed`."""

    option: str
    pattern: str
    new: str


_WAYS = {"mask": _Way("--mask", _PASSWORD, r"\1:***@"), "defang": _Way("--defang", _SCHEME, r"hxxp\1")}
_KINDS = ("access", "prose", "mail", "urls")


def _lines(path: Path) -> Path:
    """Write the lines of a text as JSON lines, unless that is done already."""
    made = path.with_suffix(".messages.jsonl")
    if not made.exists():
        with path.open(errors="replace") as text, made.open("w") as rows:
            for index, line in enumerate(text):
                rows.write(json.dumps({"n": index, "level": "info", "message": line.rstrip("\n")}) + "\n")
    return made


def _commands(way: _Way, name: str, path: Path) -> Iterator[tuple[str, Sequence[str]]]:
    yield "urisieve", (sys.executable, "-m", "urisieve", "rewrite", "-q", way.option, str(path))
    yield "re.sub", (sys.executable, "-m", "benchmarks.rewriting", name)
    yield "sed", ("sed", "-E", f"s#{way.pattern}#{way.new}#g")
    if shutil.which("rg"):
        yield "rg --passthru", ("rg", "--passthru", "-N", "-r", way.new.replace("\\1", "${1}"), way.pattern)


def report(settings: Settings) -> Iterator[str]:
    """One table: MB/s by text and program."""
    rows: list[Sequence[str]] = []
    heads: list[str] = []
    chosen = settings if settings.inputs or settings.kinds else replace(settings, kinds=_KINDS)
    for text in chosen.texts():
        for path in (text.path, *([_lines(text.path)] if "access" in text.name else [])):
            for name, way in _WAYS.items():
                found = {}
                for program, command in _commands(way, name, path):
                    stdin = None if program == "urisieve" else path
                    taken = median([run(command, stdin=stdin) for _ in range(settings.runs)])
                    found[program] = path.stat().st_size / MEGABYTE / taken.cpu
                heads = ["text", "what", *(f"{program}, MB/s" for program in found), "beside re.sub"]
                label = f"{text.name}{', JSON lines' if path != text.path else ''}"
                ratio = found["urisieve"] / found["re.sub"]
                rows.append((label, f"`{way.option}`", *(number(speed) for speed in found.values()), f"{ratio:.2f}"))
    yield f"MB/s of what is read, by the time of the processor.\n\n{table(heads, rows, left=2)}"


def _substitute(name: str) -> None:
    way = _WAYS[name]
    pattern = re.compile(way.pattern.replace("[:space:]", r"\s").encode())
    new = way.new.encode()
    substitute: Callable[[bytes, bytes], bytes] = pattern.sub
    write = sys.stdout.buffer.write
    for line in sys.stdin.buffer:
        write(substitute(new, line))


if __name__ == "__main__":
    _substitute(sys.argv[1])
