"""Counts of more keys than fit in memory: runs of counts on disk, each sorted by key, that are merged at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from heapq import merge
from itertools import groupby, pairwise
from operator import itemgetter

from urisieve.dedupe.counts import (
    NO_TIMES,
    Appearance,
    Counts,
    KernelCounts,
    KeyCount,
    joined_times,
    packed,
    unpacked,
)
from urisieve.dedupe.keyset import Spill
from urisieve.lean import Any, Final

# Bytes of a run, which is sorted in memory: a part of the limit, but not less than the least.
_SHARE: Final = 16
_LEAST_RUN: Final = 1_048_576
_TABLE: Final = "CREATE TABLE rows (number INTEGER PRIMARY KEY, data BLOB)"


class SortedTuples:
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
            data = packed(row)
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
            yield unpacked(data)

    def close(self) -> None:
        """Remove the file."""
        self._spill.close()


def _run_of(memory: int) -> int:
    """Return the bytes of a run for a limit of memory."""
    return max(_LEAST_RUN, memory // _SHARE)


def sorted_tuples(memory: int, folder: str | None) -> SortedTuples:
    """Return no tuples yet, which are sorted with a share of some memory, in bytes.

    >>> tuples = sorted_tuples(1_000_000, None)
    >>> tuples.add([(2, "b"), (1, "a")])
    >>> list(tuples), tuples.close()
    ([(1, 'a'), (2, 'b')], None)
    """
    return SortedTuples(_run_of(memory), folder)


class CountsOnDisk:
    """Exact counts on disk.

    Args:
        memory: the bytes of memory that counting may take.
        folder: the folder of its files, which are gone at the end; that of `tempfile` for None.

    Raises:
        OutputError: the files cannot be made or written.
    """

    def __init__(self, memory: int, folder: str | None = None) -> None:
        self._run = _run_of(memory)
        self._folder = folder
        self._runs = SortedTuples(self._run, folder)
        self._seq = 0
        self._keys: SortedTuples | None = None

    def take(self, counts: Counts) -> None:
        """Add the counts of the next chunk."""
        self._runs.add(self._numbered(counts))

    def _numbered(self, counts: Counts) -> Iterator[tuple[Any, ...]]:
        for row, others in counts.with_sources():
            self._seq += 1
            forms = None if row.spellings == (row.key,) else row.spellings
            uri = None if row.uri == row.key else row.uri
            sources = (row.first.source, *others)
            times = row.first_time, row.last_time
            yield row.key, self._seq, row.count, sources, tuple(row.first), tuple(row.last), forms, uri, times

    def _merged(self) -> SortedTuples:
        """Return a row for each key, in the order of their first appearance; all has been added."""
        if self._keys is None:
            self._keys = SortedTuples(self._run, self._folder)
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
        yield from _ordered(found, sort, self._run, self._folder)

    def close(self) -> None:
        """Remove the files."""
        self._runs.close()
        if self._keys is not None:
            self._keys.close()


def _ordered(rows: Iterable[Sequence[Any]], sort: str, run: int, folder: str | None) -> Iterator[KeyCount]:
    """Yield keys by their count, or by their URI."""
    ordered = SortedTuples(run, folder)
    try:
        ordered.add((-row[3] if sort == "count" else row[2], *row) for row in rows)
        yield from (_counted(row) for _, *row in ordered)
    finally:
        ordered.close()


def _joined(rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return one row for the rows of a key, which come in the order of their numbers."""
    key, seq, count, sources, first, last, forms, uri, times = rows[0]
    if len(rows) > 1:
        last = rows[-1][5]
        count = sum(row[2] for row in rows)
        sources = {source for row in rows for source in row[3]}
        forms = tuple(dict.fromkeys(form for row in rows for form in (row[6] or (key,))))
        times = reduce(joined_times, (row[8] for row in rows))
    return seq, key, uri or key, count, len(sources), first, last, forms or (key,), times


def _counted(row: Sequence[Any]) -> KeyCount:
    _, key, uri, count, sources, first, last, forms, times = row
    return KeyCount(key, uri, count, sources, Appearance._make(first), Appearance._make(last), forms, *times)


# The parts of a run, each of whose keys are together in memory at the end; beyond the limit a part has parts again.
_PARTS: Final = 256
_BITS: Final = 8
_MOST_BITS: Final = 48
_PIECES: Final = "CREATE TABLE pieces (number INTEGER PRIMARY KEY, data BLOB)"
# The bits of the number of a piece in a group.
_PIECE: Final = 24


class _Pieces:
    """Groups of pieces of packed counts, in a file."""

    def __init__(self, folder: str | None) -> None:
        self._spill = Spill(folder, _PIECES)
        self._count = 0

    def add(self, groups: Iterable[bytes]) -> None:
        """Add a piece to each group; empty ones are left out."""
        self._count += 1
        rows = [(group << _PIECE | self._count, data) for group, data in enumerate(groups) if data]
        self._spill.write("INSERT INTO pieces VALUES (?, ?)", rows)

    def size(self, group: int) -> int:
        """Return the bytes of a group."""
        statement = "SELECT coalesce(sum(length(data)), 0) FROM pieces WHERE number >= ? AND number < ?"
        size: int = self._spill.read(statement, self._bounds(group)).fetchone()[0]
        return size

    def of(self, group: int) -> Iterator[bytes]:
        """Yield the pieces of a group in their order."""
        statement = "SELECT data FROM pieces WHERE number >= ? AND number < ? ORDER BY number"
        return (data for (data,) in self._spill.read(statement, self._bounds(group)))

    def _bounds(self, group: int) -> tuple[int, int]:
        return group << _PIECE, (group + 1) << _PIECE

    def close(self) -> None:
        """Remove the file."""
        self._spill.close()


class PackedCounts:
    """Exact counts of the kernel on disk; see `CountsOnDisk`.

    Each run is cut into parts by the hash of its keys, so that those of one part are together in memory at the end;
    there they go back to the runs in which they came first, whose order is that of first appearance.
    """

    def __init__(self, memory: int, folder: str | None = None) -> None:
        self._memory = memory
        self._folder = folder
        self._parts = _Pieces(folder)
        self._runs = 0
        self._empty = KernelCounts()
        self._has_locations = False
        self._length = 0
        self._merged: _Pieces | None = None

    def take(self, counts: KernelCounts) -> None:
        """Add the counts of the next chunk."""
        self._empty = counts.emptied()
        self._has_locations |= counts.has_locations
        self._parts.add(counts.packed(_PARTS, self._runs, 0))
        self._runs += 1

    def _all(self) -> _Pieces:
        """Return the keys by the run in which they came first; all has been added."""
        if self._merged is None:
            self._merged = _Pieces(self._folder)
            self._merge(self._parts, self._merged, 0)
            self._parts.close()
        return self._merged

    def _merge(self, parts: _Pieces, into: _Pieces, shift: int) -> None:
        for part in range(_PARTS):
            if shift < _MOST_BITS and parts.size(part) > self._memory // 2:
                finer = _Pieces(self._folder)
                for data in parts.of(part):
                    finer.add(self._loaded((data,)).packed(_PARTS, 0, shift + _BITS))
                self._merge(finer, into, shift + _BITS)
                finer.close()
                continue
            counts = self._loaded(parts.of(part))
            self._length += len(counts)
            into.add(counts.packed(max(1, self._runs), 0, -1))

    def _loaded(self, pieces: Iterable[bytes]) -> KernelCounts:
        counts = self._empty.emptied()
        for data in pieces:
            counts.add_packed(data)
        return counts

    def __len__(self) -> int:
        """Return the number of keys."""
        self._all()
        return self._length

    def _ordered(self) -> Iterator[tuple[KernelCounts, list[int]]]:
        """Yield the keys of each run, and their order."""
        for run in range(self._runs):
            counts = self._loaded(self._all().of(run))
            numbers = counts.first_numbers()
            yield counts, sorted(range(len(numbers)), key=numbers.__getitem__)

    def rows(self, least: int, sort: str) -> Iterator[KeyCount]:
        """See `CountsOnDisk.rows`."""
        rows = (row for counts, order in self._ordered() for row in counts.ordered_rows(least, order))
        if sort == "first":
            return rows
        plain = (
            (
                number,
                row.key,
                row.uri,
                row.count,
                row.sources,
                tuple(row.first),
                tuple(row.last),
                row.spellings,
                NO_TIMES,
            )
            for number, row in enumerate(rows)
        )
        return _ordered(plain, sort, _run_of(self._memory), self._folder)

    def lines(self, least: int, sort: str, name: Callable[[str | None], bytes] | None) -> Iterator[bytes] | None:
        """See `KernelCounts.lines`; None also for another order than that of first appearance."""
        if self._has_locations or sort != "first":
            return None
        names = None if name is None else list(map(name, self._empty._names))
        return (text for counts, order in self._ordered() for text in counts.ordered_lines(least, order, names))

    def close(self) -> None:
        """Remove the files."""
        self._parts.close()
        if self._merged is not None:
            self._merged.close()
