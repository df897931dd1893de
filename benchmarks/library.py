"""The library on one core, in one process: records with key and offsets, and JSON lines of whole records."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from benchmarks.markdown import number, table
from benchmarks.measure import figures
from benchmarks.settings import MEGABYTE, Settings

__all__ = ["report"]

_HEAD = [
    *("text", "MB", "links/MB", "records MB/s", "k records/s", "own MB"),
    *("with lines MB/s", "k records/s", "JSON lines MB/s", "k lines/s"),
]


def report(settings: Settings) -> Iterator[str]:
    """One table, a row a text."""
    rows = []
    for text in settings.texts():
        taken = [figures("in_process", str(text.path)) for _ in range(settings.runs)]
        middle = {name: statistics.median(figure[name] for figure in taken) for name in taken[0]}
        size = middle["bytes"] / MEGABYTE
        records, seconds, json_seconds = middle["records"], middle["seconds"], middle["json_seconds"]
        lines_seconds = middle["lines_seconds"]
        rows.append(
            [
                text.name,
                number(size),
                number(records / size),
                number(size / seconds),
                number(records / seconds / 1e3),
                number(middle["own_memory"]),
                number(size / lines_seconds),
                number(records / lines_seconds / 1e3),
                number(size / json_seconds),
                number(records / json_seconds / 1e3),
            ]
        )
    caption = (
        "The library on one core, by processor time: records with key and offsets; with line and column, too; whole "
    )
    caption += "records as JSON lines:"
    yield f"{caption}\n\n{table(_HEAD, rows)}"
