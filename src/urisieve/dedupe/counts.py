"""Counts of keys: how often each was seen, where first and last, in how many sources, and in which spellings."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple
from urisieve.records.location import Location

__all__ = ["Appearance", "Counts", "KeyCount", "KeyCountColumns"]

# Bytes of a key without its text and spellings: the columns, the index and the objects.
_KEY: Final = 231
# Bytes of a location that belongs to one key only, such as the row of a table.
_LOCATION: Final = 120


class KeyCountColumns(NamedTuple):
    """The counts of a stretch of one or more sources, as columns with a row for each key, in order of appearance.

    Attributes:
        keys: the keys.
        counts: how often each was seen.
        sources: the source of each.
        firsts: the offset of its first appearance in the source, in characters.
        lasts: the offset of its last appearance, in characters.
        first_locations: the location, in the source, of the text of its first appearance; None for the source itself.
        last_locations: the location of the text of its last appearance.
        spellings: its raw forms in order of appearance; None if it was only seen as the key itself.
        uris: the canonical URI if it is not the key, else None.
    """

    keys: Sequence[str]
    counts: Sequence[int]
    sources: Sequence[str | None]
    firsts: Sequence[int]
    lasts: Sequence[int]
    first_locations: Sequence[Location | None]
    last_locations: Sequence[Location | None]
    spellings: Sequence[tuple[str, ...] | None]
    uris: Sequence[str | None]


class Appearance(NamedTuple):
    """An appearance of a key: its source, the location of the text in it, and the offset in the text, in characters.

    >>> from urisieve import Appearance, count_keys
    >>> (row,) = count_keys([("page", "see http://a.example/")])
    >>> row.first == Appearance("page", None, 4)
    True
    """

    source: str | None
    location: Location | None
    start: int


class KeyCount(NamedTuple):
    """The counts of one key.

    >>> from urisieve import KeyCount, count_keys
    >>> row: KeyCount = next(count_keys(["http://a.example http://A.example/"]))
    >>> row.key, row.count, row.spellings
    ('http://a.example/', 2, ('http://a.example', 'http://A.example/'))

    Attributes:
        key: the key.
        uri: the canonical URI of its first appearance.
        count: how often it came.
        sources: in how many sources.
        first: its first appearance.
        last: its last appearance.
        spellings: its raw forms, in the order of their appearance.
    """

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
        self._first_locations: list[Location | None] = []
        self._last_locations: list[Location | None] = []
        # Pairs of the index of a key and the number of a source, except the first source of each key.
        self._pairs: set[int] = set()
        # Only for keys that were seen in another form than the key itself.
        self._spellings: dict[int, dict[str, None]] = {}
        self._uris: dict[int, str] = {}
        self._length = 0

    def __len__(self) -> int:
        return len(self._index)

    @property
    def size(self) -> int:
        """The approximate memory that it takes, in bytes."""
        return self._length + _KEY * len(self._index) + 80 * len(self._pairs)

    def add(self, tally: KeyCountColumns) -> None:
        """Add the tally of the next stretch; a key may occur several times. New keys are added column by column."""
        index, keys = self._index, tally.keys
        new = [row for row, key in enumerate(keys) if key not in index]
        if new:
            # The first row of each new key: `dict` keeps the last one that is inserted.
            firsts = dict(zip([keys[row] for row in reversed(new)], reversed(new), strict=True))
            rows = new if len(firsts) == len(new) else sorted(firsts.values())
            fresh = _some(tally, rows)
            index.update(zip(fresh.keys, range(len(index), len(index) + len(rows)), strict=True))
            self._append(fresh)
            taken = set(rows)
            tally = _some(tally, [row for row in range(len(keys)) if row not in taken])
        self._again(tally)

    def _append(self, tally: KeyCountColumns) -> None:
        """Append new keys, which are already in the index, to each column."""
        start = len(self._counts)
        numbers = list(map(self._number, tally.sources))
        self._counts.extend(tally.counts)
        self._sources.extend([1] * len(numbers))
        self._first_sources.extend(numbers)
        self._last_sources.extend(numbers)
        self._firsts.extend(tally.firsts)
        self._lasts.extend(tally.lasts)
        self._first_locations += tally.first_locations
        self._last_locations += tally.last_locations
        self._length += sum(map(len, tally.keys))
        self._length += _LOCATION * sum(
            location is not None and location.row is not None for location in tally.first_locations
        )
        for index, spellings in enumerate(tally.spellings, start):
            if spellings is not None:
                self._spell(index, spellings)
        self._uris.update((index, uri) for index, uri in enumerate(tally.uris, start) if uri is not None)

    def _again(self, tally: KeyCountColumns) -> None:
        """Add to keys that were seen before; this loop decides the speed if most links occur often."""
        indexes, counts, lasts, last_locations = self._index, self._counts, self._lasts, self._last_locations
        last_sources, spelled = self._last_sources, self._spellings
        numbers = map(self._number, tally.sources)
        columns = (tally.keys, tally.counts, numbers, tally.lasts, tally.last_locations, tally.spellings)
        for key, count, number, last, where, spellings in zip(*columns, strict=True):
            index = indexes[key]
            counts[index] += count
            lasts[index] = last
            last_locations[index] = where
            if last_sources[index] != number:
                last_sources[index] = number
                self._pair(index, number)
            if spellings is not None or index in spelled:
                if index not in spelled:
                    self._spell(index, (key,))
                self._spell(index, (key,) if spellings is None else spellings)

    def _pair(self, index: int, number: int) -> None:
        pair = index << 32 | number
        if number != self._first_sources[index] and pair not in self._pairs:
            self._pairs.add(pair)
            self._sources[index] += 1

    def _number(self, source: str | None) -> int:
        number = self._numbers.get(source)
        if number is None:
            number = self._numbers[source] = len(self._names)
            self._names.append(source)
        return number

    def _spell(self, index: int, spellings: Sequence[str]) -> None:
        known = self._spellings.setdefault(index, {})
        for raw in spellings:
            if raw not in known:
                known[raw] = None
                self._length += len(raw) + 150

    def rows(self, least: int, sort: str) -> Iterator[KeyCount]:
        """Yield the keys that were seen at least `least` times, in the order `sort` (`first`, `count` or `uri`)."""
        rows = (row for row in self if row.count >= least)
        if sort == "count":
            return iter(sorted(rows, key=lambda row: -row.count))  # those with one number stay in their order
        if sort == "uri":
            return iter(sorted(rows, key=lambda row: row.uri))
        return rows

    def __iter__(self) -> Iterator[KeyCount]:
        name = self._names.__getitem__
        new = tuple.__new__  # half the time of calling the class
        columns = zip(
            *(self._index, self._counts, self._sources),
            *(map(name, self._first_sources), self._first_locations, self._firsts),
            *(map(name, self._last_sources), self._last_locations, self._lasts),
            strict=True,
        )
        spelled, uris = self._spellings, self._uris
        for index, (key, count, sources, source, where, start, *last) in enumerate(columns):
            forms = tuple(spelled[index]) if index in spelled else (key,)
            uri = uris.get(index, key)
            first = new(Appearance, (source, where, start))
            yield new(KeyCount, (key, uri, count, sources, first, new(Appearance, last), forms))

    def with_sources(self) -> Iterator[tuple[KeyCount, tuple[str | None, ...]]]:
        """Yield the counts of each key with its sources other than the first."""
        others: dict[int, list[str | None]] = {}
        for pair in sorted(self._pairs):
            others.setdefault(pair >> 32, []).append(self._names[pair & 0xFFFF_FFFF])
        for index, counted in enumerate(self):
            yield counted, tuple(others.get(index, ()))


def _some(tally: KeyCountColumns, rows: Sequence[int]) -> KeyCountColumns:
    if len(rows) == len(tally.keys):
        return tally
    return KeyCountColumns(*([column[row] for row in rows] for column in tally))  # type: ignore[arg-type] # by the field
