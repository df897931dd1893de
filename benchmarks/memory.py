"""Peak memory on a small and on a large file of each kind: of the command, and of a program without the collector."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.markdown import number, table
from benchmarks.measure import run
from benchmarks.memory_files import KINDS, make
from benchmarks.settings import MEGABYTE, Settings, note

__all__ = ["report"]

# The sizes of the two files, in MB.
_SIZES = (50, 500)
# A peak of more MB is told.
_MOST = 60
_COMMAND = [sys.executable, "-m", "urisieve", "extract", "--quiet", "--jobs", "1"]
_LIBRARY = [sys.executable, "-m", "benchmarks.memory_use"]


def report(settings: Settings) -> Iterator[str]:
    """One table: a row for each kind, a column for each size and each way to read it."""
    rows = []
    for name in KINDS:
        peaks = []
        for size in _SIZES:
            note(f"{name}, {size} MB")
            path = make(name, size * MEGABYTE, settings.folder)
            peaks.append([run([*command, str(path)]).peak for command in (_COMMAND, _LIBRARY)])
            path.unlink()
        note(f"{name}: {peaks}")
        rows.append([name, *(_cell(peak) for pair in zip(*peaks, strict=True) for peak in pair)])
    head = ["kind", *(f"{way}, {size} MB" for way in ("command", "library") for size in _SIZES)]
    yield (
        "Peak memory, in MB, of `extract --jobs 1`, and of a program that has called `gc.disable()` and "
        "reads the records of `sieve_files`, on files of two sizes; of what is compressed, that is the size of what is "
        f"in it. More than {_MOST} MB is in bold:\n\n{table(head, rows)}"
    )


def _cell(peak: float) -> str:
    return f"**{number(peak)}**" if peak > _MOST else number(peak)
