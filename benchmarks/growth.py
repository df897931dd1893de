"""Cost as the size doubles: time a straight line, memory a flat one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.commands import extract
from benchmarks.markdown import number, table
from benchmarks.measure import Run, median, ratio, turns
from benchmarks.settings import MEGABYTE, Settings, Text, note

__all__ = ["report"]

# Of the kinds there are, those with few and with many links.
_KINDS = ("mail", "urls")


def _prefix(path: Path, size: int, to: Path) -> Path:
    """The first `size` bytes of a text, up to a line end."""
    with path.open("rb") as file, to.open("wb") as copy:
        while (rest := size - copy.tell()) > 0 and (block := file.read(min(rest, 1 << 24))):
            copy.write(block)
        copy.write(file.readline(1 << 16))
    return to


def _texts(settings: Settings) -> Iterator[Text]:
    for path in settings.inputs:
        yield Text(path.name, path)
    for kind in settings.kinds or (() if settings.inputs else _KINDS):
        yield settings.made(kind, settings.largest)


def report(settings: Settings) -> Iterator[str]:
    """A table for each text; a text given is cut to the sizes."""
    for whole in _texts(settings):
        rows: list[list[str]] = []
        size = MEGABYTE
        largest = min(settings.largest, whole.path.stat().st_size)
        while size <= largest or not rows:
            note(f"{whole.name}: {size // MEGABYTE:,} MB of {largest // MEGABYTE:,}")
            text = Text(whole.name, _prefix(whole.path, size, settings.folder / "prefix.txt"))
            commands = {"one": extract(text.path, jobs=1), "two": extract(text.path, jobs=2)}
            results = turns(commands, settings.runs)
            rows.append(_row(text, results["one"], results["two"]))
            text.path.unlink()
            size *= 2
        head = ["MB", "seconds", "ms/MB", "peak MB"]
        head += ["two jobs: seconds", "ms/MB", "peak MB of a process", "one job's time / two jobs'"]
        caption = f"`urisieve extract` on one core as the text doubles ({whole.name}):"
        yield f"{caption}\n\n{table(head, rows, left=0)}"


def _row(text: Text, one: list[Run], two: list[Run]) -> list[str]:
    return [number(text.megabytes), *_cells(text, one), *_cells(text, two), number(ratio(one, two))]


def _cells(text: Text, runs: list[Run]) -> list[str]:
    middle = median(runs)
    return [number(middle.wall), number(middle.wall / text.megabytes * 1e3), number(middle.peak)]
