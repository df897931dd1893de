"""Counts: how often each key was seen, where first and last, in how many sources, and in which spellings."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from urisieve.records.location import Location

__all__ = ["Appearance", "Counted", "Counts", "Tally"]

# Bytes a key, its text and spellings aside: the columns, the index, and what an object costs.
_KEY: Final = 231
# Bytes that a place costs which is that of one key only, as the row of a table is.
_PLACE: Final = 120


class Tally(NamedTuple):
    """What a stretch of one or more sources gives, as columns: one place for each distinct key, in order of appearance.

    Attributes:
        keys: the keys.
        counts: how often each was seen.
        sources: where.
        firsts: offset of its first appearance there, in characters.
        lasts: offset of its last appearance, in characters.
        first_places: where in the source the text of its first appearance stands; None for the source itself.
        last_places: the same of its last appearance.
        spellings: its raw forms in order of appearance; None if it was only seen as the key itself.
        uris: the canonical URI where it is not the key, else None.
    """

    keys: Sequence[str]
    counts: Sequence[int]
    sources: Sequence[str | None]
    firsts: Sequence[int]
    lasts: Sequence[int]
    first_places: Sequence[Location | None]
    last_places: Sequence[Location | None]
    spellings: Sequence[tuple[str, ...] | None]
    uris: Sequence[str | None]


class Appearance(NamedTuple):
    """Where a key was seen: the source, the text in it, and the offset in that text, in characters from 0."""

    source: str | None
    place: Location | None
    start: int


class Counted(NamedTuple):
    """What was counted for one key."""

    key: str
    uri: str
    count: int  # type: ignore[assignment] # it hides the method of tuples
    sources: int
    first: Appearance
    last: Appearance
    spellings: tuple[str, ...]


class Counts:
    """Counts in memory, in the order of first appearance."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._names: list[str | None] = []
        self._numbers: dict[str | None, int] = {}
        self._counts, self._firsts, self._lasts = (array("q") for _ in range(3))
        self._sources, self._first_sources, self._last_sources = (array("l") for _ in range(3))
        self._first_places: list[Location | None] = []
        self._last_places: list[Location | None] = []
        # Pairs of key and source beyond the first source of a key.
        self._pairs: set[int] = set()
        # Only for keys that were seen otherwise than as themselves.
        self._spellings: dict[int, dict[str, None]] = {}
        self._uris: dict[int, str] = {}
        self._length = 0

    def __len__(self) -> int:
        return len(self._index)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._length + _KEY * len(self._index) + 80 * len(self._pairs)

    def add(self, tally: Tally) -> None:
        """Add what follows in the input; a key may come several times. Keys that are new go in column by column."""
        index, keys = self._index, tally.keys
        new = [row for row, key in enumerate(keys) if key not in index]
        if new:
            # Of a key that comes several times the first row: the last that is put in.
            firsts = dict(zip([keys[row] for row in reversed(new)], reversed(new), strict=True))
            rows = new if len(firsts) == len(new) else sorted(firsts.values())
            fresh = _some(tally, rows)
            index.update(zip(fresh.keys, range(len(index), len(index) + len(rows)), strict=True))
            self._append(fresh)
            taken = set(rows)
            tally = _some(tally, [row for row in range(len(keys)) if row not in taken])
        self._again(tally)

    def _append(self, tally: Tally) -> None:
        """Take keys that are new, already in the index, at the end of each column."""
        start = len(self._counts)
        numbers = list(map(self._number, tally.sources))
        self._counts.extend(tally.counts)
        self._sources.extend([1] * len(numbers))
        self._first_sources.extend(numbers)
        self._last_sources.extend(numbers)
        self._firsts.extend(tally.firsts)
        self._lasts.extend(tally.lasts)
        self._first_places += tally.first_places
        self._last_places += tally.last_places
        self._length += sum(map(len, tally.keys))
        self._length += _PLACE * sum(place is not None and place.row is not None for place in tally.first_places)
        for place, spellings in enumerate(tally.spellings, start):
            if spellings is not None:
                self._spell(place, spellings)
        self._uris.update((place, uri) for place, uri in enumerate(tally.uris, start) if uri is not None)

    def _again(self, tally: Tally) -> None:
        """Add to keys that were seen before; this loop decides the speed where most links come often."""
        index, counts, lasts, last_places = self._index, self._counts, self._lasts, self._last_places
        last_sources, spelled = self._last_sources, self._spellings
        numbers = map(self._number, tally.sources)
        columns = (tally.keys, tally.counts, numbers, tally.lasts, tally.last_places, tally.spellings)
        for key, count, number, last, where, spellings in zip(*columns, strict=True):
            place = index[key]
            counts[place] += count
            lasts[place] = last
            last_places[place] = where
            if last_sources[place] != number:
                last_sources[place] = number
                self._pair(place, number)
            if spellings is not None or place in spelled:
                if place not in spelled:
                    self._spell(place, (key,))
                self._spell(place, (key,) if spellings is None else spellings)

    def _pair(self, place: int, number: int) -> None:
        pair = place << 32 | number
        if number != self._first_sources[place] and pair not in self._pairs:
            self._pairs.add(pair)
            self._sources[place] += 1

    def _number(self, source: str | None) -> int:
        number = self._numbers.get(source)
        if number is None:
            number = self._numbers[source] = len(self._names)
            self._names.append(source)
        return number

    def _spell(self, place: int, spellings: Sequence[str]) -> None:
        known = self._spellings.setdefault(place, {})
        for raw in spellings:
            if raw not in known:
                known[raw] = None
                self._length += len(raw) + 150

    def __iter__(self) -> Iterator[Counted]:
        name = self._names.__getitem__
        new = tuple.__new__  # half the time of the call of the class
        columns = zip(
            *(self._index, self._counts, self._sources),
            *(map(name, self._first_sources), self._first_places, self._firsts),
            *(map(name, self._last_sources), self._last_places, self._lasts),
            strict=True,
        )
        spelled, uris = self._spellings, self._uris
        for place, (key, count, sources, source, where, start, *last) in enumerate(columns):
            forms = tuple(spelled[place]) if place in spelled else (key,)
            uri = uris.get(place, key)
            first = new(Appearance, (source, where, start))
            yield new(Counted, (key, uri, count, sources, first, new(Appearance, last), forms))

    def with_sources(self) -> Iterator[tuple[Counted, tuple[str | None, ...]]]:
        """What was counted, each key with its sources beyond the first."""
        others: dict[int, list[str | None]] = {}
        for pair in sorted(self._pairs):
            others.setdefault(pair >> 32, []).append(self._names[pair & 0xFFFF_FFFF])
        for place, counted in enumerate(self):
            yield counted, tuple(others.get(place, ()))


def _some(tally: Tally, rows: Sequence[int]) -> Tally:
    if len(rows) == len(tally.keys):
        return tally
    return Tally(*([column[row] for row in rows] for column in tally))  # type: ignore[arg-type] # by the field
