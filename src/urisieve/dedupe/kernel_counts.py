"""Counts of keys in memory, held by the compiled kernel; see `urisieve.dedupe.counts.Counts`."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Iterable, Iterator

from urisieve.dedupe.counts import Appearance, CountedRow, KeyCount, counted_once
from urisieve.kernel import kernel
from urisieve.lean import Final
from urisieve.records.base import Location
from urisieve.records.batch import Batch

# The number of keys that become Python objects, or lines, at once.
_TOGETHER: Final = 4_096


def _dumped(location: Location) -> bytes:
    return marshal.dumps(tuple(location))


def _loaded(data: bytes) -> Location:
    return Location(*marshal.loads(data))


class KernelCounts:
    """Counts in memory, in the order of first appearance."""

    def __init__(self) -> None:
        self._table = kernel.KeyTable(os.urandom(16))
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
        return self._table.packed(parts, run, shift, _dumped)

    def add_packed(self, data: bytes) -> None:
        """Add keys that were packed, with the same numbers of sources."""
        self._table.add_packed(data, _loaded, -1)

    def stretch(self, source: str | None) -> list[tuple[str | None, bytes]]:
        """Return the keys, which come from one source, for `add_stretches` of others."""
        (data,) = self.packed(1, 0, 0)
        return [(source, data)]

    def add_stretches(self, some: Iterable[tuple[str | None, bytes]]) -> None:
        """Add the keys of stretches, in their order."""
        for source, data in some:
            self._table.add_packed(data, _loaded, self._number(source))

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
        if harvest is None:
            self.add(counted_once(batch))
        else:
            self._table.add_harvest(harvest, self._number(batch.constant("source")), batch.constant("location"))

    def add(self, counted: Iterable[CountedRow]) -> None:
        """Add the next rows; a key may occur several times."""
        add, number = self._table.add, self._number
        for key, count, source, first, last, first_at, last_at, spellings, uri in counted:
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

    def with_sources(self) -> Iterator[tuple[KeyCount, tuple[str | None, ...]]]:
        """Yield the counts of each key with its sources other than the first."""
        others: dict[int, list[str | None]] = {}
        for index, number in sorted(self._table.other_sources()):
            others.setdefault(index, []).append(self._names[number])
        for index, counted in enumerate(self):
            yield counted, tuple(others.get(index, ()))
