"""Counts of more keys than memory holds: runs of counts on disk, each sorted by key, that are merged at the end.

It holds besides:

- counts of keys in memory, held by the compiled kernel; see `urisieve.dedupe.counts.Counts`.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby, pairwise
from operator import itemgetter

from urisieve.dedupe.counts import Appearance, Counts, KeyCount, KeyCountColumns
from urisieve.dedupe.spill import Spill
from urisieve.kernel import kernel
from urisieve.lean import Any, Final, TypeAlias
from urisieve.records.base import Location

__all__ = ["CountsOnDisk", "KernelCounts"]

# The number of keys that become Python objects, or lines, at once.
_TOGETHER: Final = 4_096


class KernelCounts:
    """Counts in memory, in the order of first appearance."""

    def __init__(self) -> None:
        self._table = kernel.KeyTable(os.urandom(16))
        self._names: list[str | None] = []
        self._numbers: dict[str | None, int] = {}

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

    def add_harvest(self, harvest: kernel.Harvest, source: str | None, location: Location | None) -> None:
        """Add what the kernel has found in a text: its source, and its location there."""
        self._table.add_harvest(harvest, self._number(source), location)

    def add(self, tally: KeyCountColumns) -> None:
        """Add the tally of the next stretch; a key may occur several times."""
        add = self._table.add
        numbers = list(map(self._number, tally.sources))
        columns = (tally.firsts, tally.lasts, tally.first_locations, tally.last_locations, tally.spellings)
        for row in zip(tally.keys, tally.uris, tally.counts, numbers, *columns, strict=True):
            add(*row)

    def __iter__(self) -> Iterator[KeyCount]:
        return self.rows(1, "first")

    def rows(self, least: int, sort: str) -> Iterator[KeyCount]:
        """Yield the keys that were seen at least `least` times, in the order `sort` (`first`, `count` or `uri`)."""
        order, names, new = self._order(sort), self._names, tuple.__new__
        for position in range(0, len(self._table), _TOGETHER):
            for row in self._table.rows(order, position, _TOGETHER):
                key, uri, count, sources, source, where, first, last_source, last_where, last, forms = row
                if count >= least:
                    begin = new(Appearance, (names[source], where, first))
                    end = new(Appearance, (names[last_source], last_where, last))
                    yield new(KeyCount, (key, uri, count, sources, begin, end, forms))

    def lines(self, least: int, sort: str, name: Callable[[str | None], bytes] | None) -> Iterator[bytes] | None:
        """Yield the rows as lines of text in UTF-8, in which there may be lone surrogates.

        Args:
            least: the least count of a key.
            sort: as for `rows`.
            name: returns what stands before an offset in a source; None for lines without counts.

        Returns:
            4,096 lines at once; None if appearances have locations, which the kernel does not write.
        """
        if self._table.has_locations:
            return None
        return self._lines(least, sort, None if name is None else list(map(name, self._names)))

    def _lines(self, least: int, sort: str, names: list[bytes] | None) -> Iterator[bytes]:
        order, position = self._order(sort), 0
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

    def with_sources(self) -> Iterator[tuple[KeyCount, tuple[str | None, ...]]]:
        """Yield the counts of each key with its sources other than the first."""
        others: dict[int, list[str | None]] = {}
        for index, number in sorted(self._table.other_sources()):
            others.setdefault(index, []).append(self._names[number])
        for index, counted in enumerate(self):
            yield counted, tuple(others.get(index, ()))


# Bytes of a run, which is sorted in memory: a part of the limit, but not less than the least.
_SHARE: Final = 16
_LEAST_RUN: Final = 1_048_576
_TABLE: Final = "CREATE TABLE rows (number INTEGER PRIMARY KEY, data BLOB)"
# The source, the location and the offset of an appearance.
_End: TypeAlias = tuple[str | None, tuple[Any, ...] | None, int]


class _Sorted:
    """Tuples that come back in their order; their first two items, of which no pair is there twice, are compared.

    Args:
        run: the bytes that are sorted in memory.
        folder: the folder of the file; that of `tempfile` for None.
    """

    def __init__(self, run: int, folder: str | None) -> None:
        self._run = run
        self._spill = Spill(folder, _TABLE)
        self._ends = [0]

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add tuples."""
        some: list[tuple[Any, Any, bytes]] = []
        size = 0
        for row in rows:
            data = marshal.dumps(row)
            some.append((row[0], row[1], data))
            size += len(data)
            if size > self._run:
                self._write(some)
                some, size = [], 0
        if some:
            self._write(some)

    def _write(self, some: list[tuple[Any, Any, bytes]]) -> None:
        some.sort()
        self._spill.write("INSERT INTO rows (data) VALUES (?)", ((data,) for _, _, data in some))
        self._ends.append(self._ends[-1] + len(some))

    def __len__(self) -> int:
        return self._ends[-1]

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return merge(*(self._read(start, end) for start, end in pairwise(self._ends)))

    def _read(self, start: int, end: int) -> Iterator[tuple[Any, ...]]:
        statement = "SELECT data FROM rows WHERE number > ? AND number <= ? ORDER BY number"
        for (data,) in self._spill.read(statement, (start, end)):
            yield marshal.loads(data)

    def close(self) -> None:
        """Remove the file."""
        self._spill.close()


class CountsOnDisk:
    """Exact counts on disk.

    Args:
        memory: the bytes of memory that counting may take.
        folder: the folder of its files, which are gone at the end; that of `tempfile` for None.

    Raises:
        OutputError: the files cannot be made or written.
    """

    def __init__(self, memory: int, folder: str | None = None) -> None:
        self._run = max(_LEAST_RUN, memory // _SHARE)
        self._folder = folder
        self._runs = _Sorted(self._run, folder)
        self._seq = 0
        self._keys: _Sorted | None = None

    def take(self, counts: Counts | KernelCounts) -> None:
        """Add the counts of the next stretch."""
        self._runs.add(self._numbered(counts))

    def _numbered(self, counts: Counts | KernelCounts) -> Iterator[tuple[Any, ...]]:
        for row, others in counts.with_sources():
            self._seq += 1
            forms = None if row.spellings == (row.key,) else row.spellings
            uri = None if row.uri == row.key else row.uri
            sources = (row.first.source, *others)
            yield row.key, self._seq, row.count, sources, _plain(row.first), _plain(row.last), forms, uri

    def _merged(self) -> _Sorted:
        """Return a row for each key, in the order of their first appearance; all has been added."""
        if self._keys is None:
            self._keys = _Sorted(self._run, self._folder)
            self._keys.add(_joined(list(rows)) for _, rows in groupby(self._runs, key=itemgetter(0)))
            self._runs.close()
        return self._keys

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._merged())

    def rows(self, least: int, sort: str) -> Iterator[KeyCount]:
        """Yield the keys that were seen at least `least` times, in the order `sort` (`first`, `count` or `uri`).

        Raises:
            OutputError: the files cannot be read or written.
        """
        found = (row for row in self._merged() if row[3] >= least)
        if sort == "first":
            yield from map(_counted, found)
            return
        ordered = _Sorted(self._run, self._folder)
        try:
            ordered.add((-row[3] if sort == "count" else row[2], *row) for row in found)
            yield from (_counted(row) for _, *row in ordered)
        finally:
            ordered.close()

    def close(self) -> None:
        """Remove the files."""
        self._runs.close()
        if self._keys is not None:
            self._keys.close()


def _joined(rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return one row for the rows of a key, which come in the order of their numbers."""
    key, seq, count, sources, first, last, forms, uri = rows[0]
    if len(rows) > 1:
        last = rows[-1][5]
        count = sum(row[2] for row in rows)
        sources = {source for row in rows for source in row[3]}
        forms = tuple(dict.fromkeys(form for row in rows for form in (row[6] or (key,))))
    return seq, key, uri or key, count, len(sources), first, last, forms or (key,)


def _counted(row: Sequence[Any]) -> KeyCount:
    _, key, uri, count, sources, first, last, forms = row
    return KeyCount(key, uri, count, sources, _appearance(first), _appearance(last), forms)


def _plain(end: Appearance) -> _End:
    return end.source, None if end.location is None else tuple(end.location), end.start


def _appearance(end: _End) -> Appearance:
    source, location, start = end
    return Appearance(source, None if location is None else Location(*location), start)
