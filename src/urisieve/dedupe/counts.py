"""Counts of keys: how often each was seen, where first and last, in how many sources, and in which spellings.

`Counts` keeps them in memory, and so does `KernelCounts`, by the compiled kernel.

Also defines values as bytes and back: the one encoding of what a table of the kernel, or a file that a run makes,
keeps. Objects go from process to process by `urisieve.runs.workers`; what is bytes in them was made here.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Iterator, Sequence

from urisieve.dedupe.keeping import moment
from urisieve.dedupe.keyset import new_seed
from urisieve.kernel import kernel
from urisieve.lean import Any, Final, NamedTuple, TypeAlias
from urisieve.records.base import Context, Location
from urisieve.records.batch import Batch

# Bytes of a key without its text, its spellings and further sources; of each of these without its text.
_KEY: Final = 480
_SPELLING: Final = 150
_SOURCE: Final = 100


# The earliest and the latest time of a key, as its records have them; None for each if none of them has one.
Times: TypeAlias = tuple[str | None, str | None]
NO_TIMES: Final = (None, None)

# A key in a chunk of one source: the key, how often it was seen, the source, the offsets of its first and its last
# appearance in it, in characters, the locations of the texts of these, its raw forms in order of appearance, or None if
# it was only seen as the key itself, the canonical URI, or None if that is the key, and its earliest and latest time.
CountedRow: TypeAlias = tuple[
    str, int, str | None, int, int, Location | None, Location | None, tuple[str, ...] | None, str | None, Times
]


class Appearance(NamedTuple):
    """An appearance of a key: its source, the location of the text in it, and the offset in the text, in characters.

    >>> from urisieve.sinks.statistics import count_keys
    >>> from urisieve.types import Appearance
    >>> (row,) = count_keys([("page", "see http://a.example/")])
    >>> row.first == Appearance("page", None, 4)
    True
    """

    source: str | None
    location: Location | None
    start: int


class KeyCount(NamedTuple):
    """The counts of one key.

    >>> from urisieve.sinks.statistics import count_keys
    >>> from urisieve.types import KeyCount
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
        first_time: the earliest time of its records, if times were asked for; one without a zone counts as of UTC.
        last_time: the latest.
    """

    key: str
    uri: str
    count: int  # type: ignore[assignment] # it hides the method of tuples
    sources: int
    first: Appearance
    last: Appearance
    spellings: tuple[str, ...]
    first_time: str | None = None
    last_time: str | None = None


def joined_times(one: Times, other: Times) -> Times:
    """Return the earliest and the latest time of two pairs.

    >>> joined_times(("2024-05-31T13:05:07Z",) * 2, ("2024-05-31T13:05:06",) * 2)
    ('2024-05-31T13:05:06', '2024-05-31T13:05:07Z')
    """
    if one[0] is None or other[0] is None:
        return other if one[0] is None else one
    return min(one[0], other[0], key=moment), max(one[1] or "", other[1] or "", key=moment)


def _time_of(location: Location | None) -> Times:
    time = None if location is None or location.context is None else location.context.time
    return time, time


def _counted_once(batch: Batch) -> Iterator[CountedRow]:
    """Return the rows of a batch, each counted once."""
    raws, uris, keys = batch.column("raw"), batch.column("uri"), batch.column("key")
    starts = batch.column("start")
    # Keys that are in lines have no locations.
    is_constant = batch.is_constant("location")
    locations = [batch.constant("location")] * len(batch) if is_constant else batch.column("location")
    spellings = [None if raw == key else (raw,) for raw, key in zip(raws, keys, strict=True)]
    others = [None if uri == key else uri for uri, key in zip(uris, keys, strict=True)]
    once = [1] * len(batch)
    times = map(_time_of, locations)
    sources = batch.column("source")
    return zip(keys, once, sources, starts, starts, locations, locations, spellings, others, times, strict=True)


class _RunningCount:
    """The counts of one key so far; it has other sources and spellings only where it came from or in several."""

    __slots__ = ("count", "first", "last", "others", "spellings", "times", "uri")

    def __init__(self, uri: str, first: Appearance, spellings: Sequence[str] | None) -> None:
        self.uri = uri
        self.count = 0
        self.first = self.last = first
        self.times: Times = NO_TIMES
        self.others: set[str | None] | None = None
        self.spellings = None if spellings is None else dict.fromkeys(spellings)


class Counts:
    """Counts in memory, in the order of first appearance."""

    def __init__(self) -> None:
        self._rows: dict[str, _RunningCount] = {}
        self.size = 0
        """The approximate memory that it takes, in bytes."""

    def __len__(self) -> int:
        return len(self._rows)

    def emptied(self) -> Counts:
        """Return other counts, without keys."""
        return Counts()

    def add(self, counted: Iterable[CountedRow]) -> None:
        """Add the next rows; a key may occur several times."""
        rows = self._rows
        for key, count, source, first, last, first_at, last_at, spellings, uri, times in counted:
            row = rows.get(key)
            if row is None:
                row = rows[key] = _RunningCount(uri or key, Appearance(source, first_at, first), spellings)
                self.size += len(key) + _KEY + (_SPELLING + len(key)) * len(spellings or ())
            else:
                self._add_source(row, source)
                if spellings is not None or row.spellings is not None:
                    self._add_spellings(row, key, spellings or (key,))
            row.count += count
            row.last = Appearance(source, last_at, last)
            if times[0] is not None:
                row.times = joined_times(row.times, times)

    def add_batch(self, batch: Batch) -> None:
        """Add the rows of a batch."""
        self.add(_counted_once(batch))

    def stretch(self, source: str | None) -> list[tuple[str | None, list[CountedRow]]]:
        """Return the counts, which come from one source, for `add_stretches` of others."""
        rows: list[CountedRow] = []
        for key, uri, count, _, (_, first_at, first), (_, last_at, last), forms, *times in self:
            others, shown = None if forms == (key,) else forms, None if uri == key else uri
            rows.append((key, count, source, first, last, first_at, last_at, others, shown, (times[0], times[1])))
        return [(source, rows)]

    def add_stretches(self, some: Iterable[tuple[str | None, list[CountedRow]]]) -> None:
        """Add the counts of chunks, in their order."""
        for _, rows in some:
            self.add(rows)

    def _add_source(self, row: _RunningCount, source: str | None) -> None:
        if source == row.first.source or (row.others is not None and source in row.others):
            return
        if row.others is None:
            row.others = set()
        row.others.add(source)
        self.size += _SOURCE

    def _add_spellings(self, row: _RunningCount, key: str, spellings: Sequence[str]) -> None:
        if row.spellings is None:
            row.spellings = {key: None}
        for raw in spellings:
            if raw not in row.spellings:
                row.spellings[raw] = None
                self.size += _SPELLING + len(raw)

    def rows(self, least: int, sort: str) -> Iterator[KeyCount]:
        """Yield the keys that were seen at least `least` times, in the order `sort` (`first`, `count` or `uri`)."""
        rows = (row for row in self if row.count >= least)
        if sort == "count":
            return iter(sorted(rows, key=lambda row: -row.count))  # those with one number stay in their order
        if sort == "uri":
            return iter(sorted(rows, key=lambda row: row.uri))
        return rows

    def __iter__(self) -> Iterator[KeyCount]:
        return (row for row, _ in self.with_sources())

    def with_sources(self) -> Iterator[tuple[KeyCount, tuple[str | None, ...]]]:
        """Yield the counts of each key with its sources other than the first."""
        for key, row in self._rows.items():
            others = tuple(row.others or ())
            forms = (key,) if row.spellings is None else tuple(row.spellings)
            yield KeyCount(key, row.uri, row.count, 1 + len(others), row.first, row.last, forms, *row.times), others


# The number of keys that become Python objects, or lines, at once.
_TOGETHER: Final = 4_096


class KernelCounts:
    """`Counts` whose table is in the compiled kernel: the same counts, in the same order."""

    def __init__(self) -> None:
        self._table = kernel.KeyTable(new_seed())
        self._names: list[str | None] = []
        self._numbers: dict[str | None, int] = {}

    def emptied(self) -> KernelCounts:
        """Return other counts, without keys, with the same numbers of sources."""
        made = KernelCounts()
        made._names, made._numbers = self._names, self._numbers
        return made

    @property
    def has_locations(self) -> bool:
        """Whether an appearance has a location in its source."""
        return self._table.has_locations

    def packed(self, parts: int, run: int, shift: int) -> list[bytes]:
        """Return the keys as bytes; see `KeyTable.packed`."""
        return self._table.packed(parts, run, shift, packed)

    def add_packed(self, data: bytes) -> None:
        """Add keys that were packed, with the same numbers of sources."""
        self._table.add_packed(data, unpacked, -1)

    def stretch(self, source: str | None) -> list[tuple[str | None, bytes]]:
        """Return the keys, which come from one source, for `add_stretches` of others."""
        (data,) = self.packed(1, 0, 0)
        return [(source, data)]

    def add_stretches(self, some: Iterable[tuple[str | None, bytes]]) -> None:
        """Add the keys of chunks, in their order."""
        for source, data in some:
            self._table.add_packed(data, unpacked, self._number(source))

    def first_numbers(self) -> list[int]:
        """Return the number of the first appearance of each key that was packed."""
        return self._table.first_numbers()

    def __len__(self) -> int:
        return len(self._table)

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes."""
        return self._table.size

    def _number(self, source: str | None) -> int:
        number = self._numbers.get(source)
        if number is None:
            number = self._numbers[source] = len(self._names)
            self._names.append(source)
        return number

    def add_batch(self, batch: Batch) -> None:
        """Add the rows of a batch."""
        harvest = batch.layout.harvest
        shares = batch.is_constant("location") and batch.is_constant("source")
        if harvest is None or not shares:  # each line has its own time, or each text its own source
            self.add(_counted_once(batch))
        else:
            self._table.add_harvest(harvest, self._number(batch.constant("source")), batch.constant("location"))

    def add(self, counted: Iterable[CountedRow]) -> None:
        """Add the next rows; a key may occur several times."""
        add, number = self._table.add, self._number
        for key, count, source, first, last, first_at, last_at, spellings, uri, _ in counted:
            add(key, uri, count, number(source), first, last, first_at, last_at, spellings)

    def __iter__(self) -> Iterator[KeyCount]:
        return self.rows(1, "first")

    def rows(self, least: int, sort: str) -> Iterator[KeyCount]:
        """Yield the keys that were seen at least `least` times, in the order `sort` (`first`, `count` or `uri`)."""
        return self.ordered_rows(least, self._order(sort))

    def ordered_rows(self, least: int, order: list[int] | None) -> Iterator[KeyCount]:
        """Yield the keys that were seen at least `least` times, in the order of some indices; None for their own."""
        names, new = self._names, tuple.__new__
        for position in range(0, len(self._table), _TOGETHER):
            for row in self._table.rows(order, position, _TOGETHER):
                key, uri, count, sources, source, where, first, last_source, last_where, last, forms = row
                if count >= least:
                    begin = new(Appearance, (names[source], where, first))
                    end = new(Appearance, (names[last_source], last_where, last))
                    yield new(KeyCount, (key, uri, count, sources, begin, end, forms, *NO_TIMES))

    def lines(self, least: int, sort: str, name: Callable[[str | None], bytes] | None) -> Iterator[bytes] | None:
        """Yield the rows as lines of text in UTF-8, in which there may be lone surrogates.

        Args:
            least: the least count of a key.
            sort: as for `rows`.
            name: returns what precedes an offset in a source; None for lines without counts.

        Returns:
            4,096 lines at once; None if appearances have locations, which the kernel does not write.
        """
        if self._table.has_locations:
            return None
        return self.ordered_lines(least, self._order(sort), None if name is None else list(map(name, self._names)))

    def ordered_lines(self, least: int, order: list[int] | None, names: list[bytes] | None) -> Iterator[bytes]:
        """Yield the same lines in the order of some indices; None for their own."""
        position = 0
        while position < len(self._table):
            text, position = self._table.lines(order, position, _TOGETHER, least, names)
            yield text

    def _order(self, sort: str) -> list[int] | None:
        """Return the indices of the keys in an order; None for that of their first appearance."""
        if sort == "count":
            return sorted(range(len(self._table)), key=self._table.numbers().__getitem__, reverse=True)
        if sort == "uri":
            uris = self._table.uris()
            return sorted(range(len(uris)), key=uris.__getitem__)
        return None


# What `marshal` knows, whose fields are of these types, too; tuples may contain tuples.
PLAIN: Final = frozenset((type(None), bool, int, float, str, bytes))
# The named tuples that may be anywhere in a value; their numbers are those of one run.
NAMED: Final = (Location, Context)
_NUMBERS: Final = {kind: number for number, kind in enumerate(NAMED)}


def packed(value: object) -> bytes:
    """Return a value as bytes: of a type of `PLAIN`, a tuple, or a named tuple of `NAMED`.

    >>> unpacked(packed((Location(row=1, context=Context("2024-05-31T13:05:00Z")), "a")))[0].context.time
    '2024-05-31T13:05:00Z'

    Raises:
        TypeError: it is, or contains, an object of another type.
    """
    return marshal.dumps(_plain(value))


def unpacked(data: bytes) -> Any:
    """Return the value of bytes that this run has made by `packed`."""
    value = marshal.loads(data)
    return _named(value) if value.__class__ is tuple else value


def _plain(value: Any) -> Any:
    kind = value.__class__
    if kind in PLAIN:
        return value
    values = [one if one.__class__ in PLAIN else _plain(one) for one in value] if isinstance(value, tuple) else ()
    if kind is tuple:
        return tuple(values)
    number = _NUMBERS.get(kind)
    if number is None:
        raise TypeError(f"{kind.__name__} is not among the types that can be packed")
    return (..., number, *values)  # no value has an ellipsis


def _named(values: tuple[Any, ...]) -> Any:
    values = tuple([_named(one) if one.__class__ is tuple else one for one in values])
    return tuple.__new__(NAMED[values[1]], values[2:]) if values[:1] == (...,) else values
