"""Counts by time: in the finest unit of which there are not too many rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from urisieve.lean.hints import Final
from urisieve.sinks.statistics.statistics import TimeCount, Timeline, TimeUnit

__all__ = ["TimeCounts"]

# The most rows of a timeline: the days of two months. Only of years there may be more.
_MOST_ROWS: Final = 62
# The most hours, days or months that are counted apart: a timeline of them would be far too long.
_MOST_HELD: Final = 65_536
# The units from the finest on, with the characters that the label of the next one lacks: `T13`, `-31`, `-05`.
_UNITS: Final = (TimeUnit.HOUR, TimeUnit.DAY, TimeUnit.MONTH, TimeUnit.YEAR)
_LONGER: Final = 3


class TimeCounts:
    """How many identifiers came at which time; the counts are exact, whatever the number of times."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._unit = 0
        self._undated = 0
        self._dated = 0

    def add(self, times: Iterable[str | None], number: int) -> None:
        """Add the hours of a number of identifiers (`2024-05-31T13`); None for those without a time."""
        counts = Counter(times)
        undated = counts.pop(None, 0)
        self._undated += undated
        self._dated += number - undated
        hours = {time: count for time, count in counts.items() if time is not None}
        for _ in range(self._unit):
            hours = _coarser(hours)
        self._counts.update(hours)
        while len(self._counts) > _MOST_HELD and self._unit < len(_UNITS) - 1:
            self._counts = _coarser(self._counts)
            self._unit += 1

    def add_undated(self, number: int) -> None:
        """Add a number of identifiers without a time."""
        self._undated += number

    def timeline(self) -> Timeline | None:
        """Return the timeline; None if nothing has a time."""
        if not self._dated:
            return None
        counts, unit = self._counts, self._unit
        while len(counts) > _MOST_ROWS and unit < len(_UNITS) - 1:
            counts = _coarser(counts)
            unit += 1
        rows = tuple(TimeCount(time, counts[time]) for time in sorted(counts))
        return Timeline(unit=_UNITS[unit], rows=rows, undated=self._undated)


def _coarser(counts: Mapping[str, int]) -> Counter[str]:
    """Return the counts by the next longer unit."""
    sums: Counter[str] = Counter()
    for time, count in counts.items():
        shorter = time[:-_LONGER]
        sums["--" if shorter == "-" else shorter] += count
    return sums
