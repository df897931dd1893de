"""The library on one core, in one process: records, keys, and JSON lines of whole records; with the kernel, without."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from benchmarks.markdown import number, table
from benchmarks.measure import figures
from benchmarks.settings import MEGABYTE, Settings, Text

__all__ = ["report"]

_HEAD = [
    *("text", "MB", "links/MB", "records MB/s", "k records/s", "own MB", "with lines MB/s", "k records/s"),
    *("`extract` k records/s", "`extract_keys` k keys/s", "JSON lines MB/s", "k lines/s"),
]


def report(settings: Settings) -> Iterator[str]:
    """One table, a row a text."""
    rows = []
    for text in settings.texts():
        rows.append(_row(text, settings.runs, pure=False))
        rows.append(_row(settings.part(text), settings.runs, pure=True))
    caption = (
        "The library on one core, by processor time, with the kernel, and without it (pure) on a tenth of the text: "
        "records whose key and offsets are read; with line and column, too; records and keys iterated over; whole "
        "records as JSON lines:"
    )
    yield f"{caption}\n\n{table(_HEAD, rows)}"


def _row(text: Text, runs: int, *, pure: bool) -> list[str]:
    taken = [figures("in_process", str(text.path), pure=pure) for _ in range(runs)]
    middle = {name: statistics.median(figure[name] for figure in taken) for name in taken[0]}
    size = middle["bytes"] / MEGABYTE
    records, seconds, json_seconds = middle["records"], middle["seconds"], middle["json_seconds"]
    lines_seconds = middle["lines_seconds"]
    return [
        f"{text.name}, pure" if pure else text.name,
        number(size),
        number(records / size),
        number(size / seconds),
        number(records / seconds / 1e3),
        number(middle["own_memory"]),
        number(size / lines_seconds),
        number(records / lines_seconds / 1e3),
        number(middle["extracted"] / 1e3),
        number(middle["keys"] / 1e3),
        number(size / json_seconds),
        number(records / json_seconds / 1e3),
    ]
