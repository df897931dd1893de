"""Live input: the time from a line to its result, by each mode, beside `grep --line-buffered` and `jq --unbuffered`.

A line is written to a pipe that stays open, and the next one when its result has come; the first lines do not count.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

from benchmarks.markdown import number, table
from benchmarks.settings import Settings

__all__ = ["report"]

_TEXT = "see http://a.example/{} now\n"
_JSONL = '{{"n": {0}, "url": "http://a.example/{0}"}}\n'
_CSV = "http://a.example/{},x\n"
_HEADER = "url,t\n"
# Lines before those that count, in which a program starts, and those that count.
_FIRST = 5
_COUNTED = 40

_MODES = (
    ("extract", _TEXT, ""),
    ("extract --format jsonl", _TEXT, ""),
    ("extract --unique", _TEXT, ""),
    ("extract --accept names,defanged,isbn", _TEXT, ""),
    ("extract --input jsonl", _JSONL, ""),
    ("extract --input csv", _CSV, _HEADER),
    ("dedupe", _TEXT, ""),
    ("dedupe --store seen.db", _TEXT, ""),
    ("dedupe --input jsonl --field url", _JSONL, ""),
    ("dedupe --input csv --field url", _CSV, _HEADER),
    ("dedupe --input jsonl --field url --store seen.db", _JSONL, ""),
    ("check --format jsonl", "http://a.example/{}\n", ""),
    ("normalize", "http://a.example/{}\n", ""),
    ("explain", "http://a.example/{}\n", ""),
)
_OTHERS = (
    (("grep", "--line-buffered", "-o", "http://[^ ]*"), _TEXT, ""),
    (("jq", "--unbuffered", "-r", ".url"), _JSONL, ""),
)


def _seconds(command: Sequence[str], line: str, header: str) -> list[float]:
    """The time of each line that counts."""
    found: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        for index in range(_FIRST + _COUNTED):
            started = time.perf_counter()
            os.write(process.stdin.fileno(), f"{'' if index else header}{line.format(index)}".encode())
            out = b""
            while b"a.example/%d" % index not in out:
                block = os.read(process.stdout.fileno(), 65_536)
                if not block:
                    raise RuntimeError(f"{' '.join(command)} ends before its result")
                out += block
            found.append(time.perf_counter() - started)
        process.stdin.close()
        process.stdout.read()
    return found[_FIRST:]


def report(settings: Settings) -> Iterator[str]:
    """One table, a row a mode."""
    del settings
    rows: list[Sequence[str]] = []
    programs: list[tuple[str, Sequence[str], str, str]] = []
    for words, line, header in _OTHERS:
        if shutil.which(words[0]):
            programs.append((" ".join(words), words, line, header))
    for mode, line, header in _MODES:
        programs.append((f"urisieve {mode}", (sys.executable, "-m", "urisieve", *mode.split()), line, header))
    for name, command, line, header in programs:
        quiet = ("--quiet",) if "urisieve" in command and "explain" not in command else ()
        taken = _seconds((*command, *quiet), line, header)
        rows.append((f"`{name}`", number(statistics.median(taken) * 1000), number(max(taken) * 1000)))
    lead = "From a line in a pipe to what is printed of it, while the pipe stays open."
    yield f"{lead}\n\n{table(('a line at a time', 'median, ms', 'most, ms'), rows)}"
