"""Peak memory on a small and on a large file of each kind: the command; the library, with the collector or without."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.markdown import table
from benchmarks.measure import run
from benchmarks.memory_files import KINDS, make
from benchmarks.settings import MEGABYTE, Settings, note

__all__ = ["report"]

# A peak of more MB is over its bar.
_MOST = 60
_READ = """\
import sys
from urisieve import sieve_files
print(sum(found.end - found.start for found in sieve_files([sys.argv[1]])))
"""
_WAYS = {
    "command": [sys.executable, "-m", "urisieve", "extract", "--quiet", "--jobs", "1"],
    "library": [sys.executable, "-c", _READ],
    "library, `gc.disable()`": [sys.executable, "-c", f"import gc; gc.disable()\n{_READ}"],
}
_TITLE = "Peak memory"


def report(settings: Settings) -> Iterator[str]:
    """Yield one table: a row for each kind, a column for each way to read it and each size."""
    rows = []
    columns = [(way, size) for way in _WAYS for size in settings.memory]
    for name, kind in KINDS.items():
        peaks = {}
        for size in settings.memory:
            note(f"memory: {name}, {size} MB")
            path = make(kind, size * MEGABYTE, settings.folder)
            for way, command in _WAYS.items():
                peaks[way, size] = run([*command, str(path)]).peak
            path.unlink()
        rows.append([name, *(_cell(settings, peaks[way, size], name, f"{way}, {size} MB") for way, size in columns)])
    head = ["kind", *(f"{way}, {size} MB" for way, size in columns)]
    yield (
        f"{_TITLE}, in MB, of `extract --jobs 1` and of a program that reads the records of `sieve_files`, on files of "
        "two sizes; of what is compressed, that is the size of what is in it. More than "
        f"{_MOST} MB is in bold:\n\n{table(head, rows)}"
    )


def _cell(settings: Settings, peak: float, row: str, column: str) -> str:
    return settings.cell(peak, _MOST, table=f"{_TITLE}, in MB", row=row, column=column)
