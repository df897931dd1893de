"""Counts of more keys than memory holds: runs of counts on disk, each sorted by key, that are merged at the end."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby, pairwise
from operator import itemgetter

from urisieve.dedupe.counts import Appearance, Counts, KeyCount
from urisieve.dedupe.kernel_counts import KernelCounts
from urisieve.dedupe.spill import Spill
from urisieve.lean import Any, Final, TypeAlias
from urisieve.records.base import Location

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
    return end.source, None if end.location is None else tuple(end.location[:-1]), end.start


def _appearance(end: _End) -> Appearance:
    source, location, start = end
    return Appearance(source, None if location is None else Location(*location), start)
