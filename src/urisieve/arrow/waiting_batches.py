"""Arrow batches of bounded size: small ones are joined, and columns that are kept do not multiply without bound."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from urisieve.arrow.row_values import RowValues, byte_count
from urisieve.lean.hints import Any, Final
from urisieve.sinks.arrow_columns import import_arrow

__all__ = ["WaitingBatches", "rows_at_once"]

# The most bytes of a batch, unless one row has more: a row of text may come with millions of identifiers.
_MOST_BYTES: Final = 67_108_864


def rows_at_once(taken: Sequence[RowValues], rows: Any) -> Iterator[tuple[int, int]]:
    """Yield the start and the number of the rows that are taken at once from some columns.

    Args:
        taken: the columns.
        rows: for each row that is made, the index of the one that is taken.
    """
    count = len(rows)
    if sum(column.largest for column in taken) * count <= _MOST_BYTES:
        yield 0, count
        return
    import pyarrow.compute as pc

    pa = import_arrow()
    sizes = pa.repeat(pa.scalar(0, pa.int64()), count)
    for column in taken:
        sizes = pc.add(sizes, column.sizes.take(rows))
    ends = memoryview(pc.cumulative_sum(sizes).buffers()[1]).cast("b").cast("q")
    start = before = 0
    while start < count:
        stop = max(bisect_right(ends, before + _MOST_BYTES, start, count), start + 1)
        yield start, stop - start
        start, before = stop, ends[stop - 1]


class WaitingBatches:
    """Joins small batches until they have a number of rows.

    Args:
        rows: the most rows of a batch that it gives.
    """

    def __init__(self, rows: int) -> None:
        self._limit = rows
        self._batches: list[Any] = []
        self._rows = self._bytes = 0

    def take(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Take the next batches; yield what is complete."""
        for batch in batches:
            size = byte_count(batch)
            if self._batches and (self._bytes + size > _MOST_BYTES or self._batches[0].schema != batch.schema):
                yield from self.rest()
            self._batches.append(batch)
            self._rows += batch.num_rows
            self._bytes += size
            if self._rows >= self._limit:
                yield from self.rest()

    def rest(self) -> Iterator[Any]:
        """Yield what waits."""
        batches, self._batches, self._rows, self._bytes = self._batches, [], 0, 0
        if len(batches) == 1 and batches[0].num_rows <= self._limit:
            yield batches[0]
        elif batches:
            pa = import_arrow()
            try:
                batches = pa.Table.from_batches(batches).combine_chunks().to_batches(self._limit)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # such as dictionaries that differ
                batches = [one for batch in batches for one in _cut(batch, self._limit)]
            yield from batches


def _cut(batch: Any, rows: int) -> Iterator[Any]:
    """Yield a batch in pieces of a number of rows."""
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)
