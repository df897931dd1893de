"""Counts by time: in the finest unit of which there are not too many rows; and the first and last times of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from urisieve.lean import TYPE_CHECKING, Final
from urisieve.sinks.statistics.statistics import FirstLast, TimeCount, Timeline, TimeUnit
from urisieve.syntax.time_forms import NO_YEAR
from urisieve.syntax.times import PLANNED

if TYPE_CHECKING:
    from datetime import date

# The names whose times are known, and their characters: about 50 MB for short names.
_MOST: Final = 262_144
_CHARACTERS: Final = 33_554_432
# The most rows of a timeline: the days of two months. Only of years there may be more.
_MOST_ROWS: Final = 62
# The most hours, days or months that are counted apart: a timeline of them would be far too long.
_MOST_HELD: Final = 65_536
# The units from the finest on, with the characters that the label of the next one lacks: `T13`, `-31`, `-05`.
_UNITS: Final = (TimeUnit.HOUR, TimeUnit.DAY, TimeUnit.MONTH, TimeUnit.YEAR)
_LONGER: Final = 3
# No program wrote links before; an epoch of 0 is of this year.
_FIRST: Final = "1970"


class TimeCounts:
    """How many identifiers came at which time; the counts are exact, whatever the number of times.

    What comes before 1970, or after tomorrow and is not planned, is counted apart.

    Args:
        today: the day of UTC; None for that of the clock.
    """

    def __init__(self, today: date | None = None) -> None:
        self._counts: Counter[str] = Counter()
        self._unit = 0
        self._undated = 0
        self._dated = 0
        self._impossible = 0
        self._ends: FirstLast = (None, None)
        self._today = today

    def add(self, times: Iterable[str | None], number: int) -> None:
        """Add the hours of a number of identifiers (`2024-05-31T13`; see `PLANNED`); None for those without a time."""
        counts = Counter(times)
        undated = counts.pop(None, 0)
        self._undated += undated
        self._dated += number - undated
        latest = self._latest() if counts else ""
        hours: Counter[str] = Counter()
        for time, count in counts.items():
            if time is None:
                continue
            is_late = time > latest and not time.endswith(PLANNED)
            if time[:2] != NO_YEAR and (is_late or time < _FIRST):
                self._impossible += count
            else:
                hours[time.removesuffix(PLANNED)] += count
        self._extend([time for time in hours if time[:2] != NO_YEAR])
        for _ in range(self._unit):
            hours = _coarser(hours)
        self._counts.update(hours)
        while len(self._counts) > _MOST_HELD and self._unit < len(_UNITS) - 1:
            self._counts = _coarser(self._counts)
            self._unit += 1

    def _extend(self, hours: list[str]) -> None:
        """Take hours into account for the first and the last one."""
        if hours:
            first, last = self._ends
            self._ends = min(first or hours[0], *hours), max(last or hours[0], *hours)

    def add_undated(self, number: int) -> None:
        """Add a number of identifiers without a time."""
        self._undated += number

    def _latest(self) -> str:
        """Return the last hour of tomorrow."""
        from datetime import UTC, datetime, timedelta

        return f"{(self._today or datetime.now(UTC).date()) + timedelta(days=1)}T23"

    def timeline(self) -> Timeline | None:
        """Return the timeline; None if nothing has a time."""
        if not self._dated:
            return None
        counts, unit = self._counts, self._unit
        while len(counts) > _MOST_ROWS and unit < len(_UNITS) - 1:
            counts = _coarser(counts)
            unit += 1
        rows = tuple(TimeCount(time, counts[time]) for time in sorted(counts))
        first, last = self._ends
        return Timeline(_UNITS[unit], rows, self._undated, self._impossible, first, last)


class FirstLastTimes:
    """The first and the last time of names: of the first 262,144, so that memory is bounded.

    Attributes:
        is_whole: whether no name was left out.
    """

    def __init__(self) -> None:
        self.is_whole = True
        self._times: dict[str, tuple[str, str]] = {}
        self._characters = 0

    def add(self, names: Iterable[str], times: Iterable[str | None]) -> None:
        """Add names with the hours at which they came; None for those without a time."""
        known = self._times
        for name, time in dict.fromkeys(zip(names, times, strict=True)):
            if time is None:
                continue
            time = time.removesuffix(PLANNED)
            found = known.get(name)
            if found is None:
                self._characters += len(name)
                self.is_whole = self.is_whole and len(known) < _MOST and self._characters < _CHARACTERS
                if self.is_whole:
                    known[name] = time, time
            elif not found[0] <= time <= found[1]:
                known[name] = min(found[0], time), max(found[1], time)

    def of(self, name: str | None) -> FirstLast:
        """Return the times of a name."""
        return self._times.get(name or "", (None, None))

    def by(self, named: Callable[[str], str | None]) -> FirstLastTimes:
        """Return the times of what each name means, such as a host for the beginning of a URI; none if not all."""
        other = FirstLastTimes()
        if not self.is_whole:
            return other
        for name, times in self._times.items():
            outer = named(name)
            if outer is not None:
                other.add((outer, outer), times)
        return other


def _coarser(counts: Mapping[str, int]) -> Counter[str]:
    """Return the counts by the next longer unit."""
    sums: Counter[str] = Counter()
    for time, count in counts.items():
        shorter = time[:-_LONGER]
        sums[NO_YEAR if shorter == "-" else shorter] += count
    return sums
