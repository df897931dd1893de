"""Our finding beside that of other link finders in Python: time, and how many valid links each finds."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.finders import FINDERS, OURS
from benchmarks.machine import package_version, package_versions
from benchmarks.markdown import number, percent, table
from benchmarks.measure import figures
from benchmarks.settings import MEGABYTE, Settings, Text, note

__all__ = ["report"]

# As much as a slow finder can do; a part of a text is like the whole of it.
_SIZE = 4 * MEGABYTE


class _Result(NamedTuple):
    """A finder beside us, on as much of a text as it came to: its time where ours is 1, and the keys found."""

    time: float
    speed: float
    keys: set[str]
    ours: set[str]


def report(settings: Settings) -> Iterator[str]:
    """Two tables, a row a text and a column a finder: time, and valid links."""
    names = [name for name, finder in FINDERS.items() if name != OURS and package_version(finder.package)]
    if not names:
        yield "No other link finder is installed (`pip install 'urisieve[bench]'`)."
        return
    results = [(text, [_beside(text, name, settings) for name in names]) for text in settings.texts()]
    packages = package_versions(FINDERS[name].package for name in names)
    head = ["text", *names]
    times = [[text.name, *(f"{number(one.time)} ({number(one.speed)} MB/s)" for one in row)] for text, row in results]
    yield f"The processor time of link finders in Python, where ours is 1 ({packages}):\n\n{table(head, times)}"
    valid = [[text.name, *map(_valid, row)] for text, row in results]
    yield (
        "Valid links that they found / that we found, and in brackets how many of ours they have. Valid is what "
        "`urisieve.check` accepts as the finder cut it out; each counts once, by its key, on as much of the text as "
        f"the finder came to:\n\n{table(head, valid)}"
    )


def _valid(one: _Result) -> str:
    return f"{len(one.keys):,} / {len(one.ours):,} ({percent(len(one.keys & one.ours), len(one.ours))})"


def _beside(text: Text, name: str, settings: Settings) -> _Result:
    """A finder goes as far as it comes in its time; we go as far, in turns."""
    note(f"{text.name}: {name}")
    limit = _SIZE
    theirs: list[dict[str, Any]] = []
    ours: list[dict[str, Any]] = []
    for _ in range(settings.runs):
        theirs.append(_figures(name, text, limit, settings.seconds))
        limit = theirs[0]["bytes"]
        ours.append(_figures(OURS, text, limit, 1e9))
    ratios = [_per_byte(one) / _per_byte(other) for one, other in zip(theirs, ours, strict=True)]
    return _Result(
        statistics.median(ratios),
        1 / MEGABYTE / statistics.median(_per_byte(one) for one in theirs),
        set(theirs[0]["keys"]),
        set(ours[0]["keys"]),
    )


def _per_byte(figure: dict[str, Any]) -> float:
    return float(figure["seconds"]) / max(1, int(figure["bytes"]))


def _figures(name: str, text: Text, limit: int, seconds: float) -> dict[str, Any]:
    return figures("finders", name, str(text.path), str(limit), str(seconds))
