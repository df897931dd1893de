"""Arrow batches of bounded size: small ones are joined, and columns that are kept do not multiply without bound."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from urisieve.lean.hints import Any, Final
from urisieve.sinks.arrow_columns import import_arrow

__all__ = ["WaitingBatches", "rows_at_once"]

# The most bytes of a batch, unless one row has more: a row of text may come with millions of identifiers.
_MOST_BYTES: Final = 67_108_864
# Columns of fewer bytes are not measured row by row.
_FEW_BYTES: Final = 4_096


def rows_at_once(kept: Sequence[Any], rows: Any) -> Iterator[tuple[int, int]]:
    """Yield the start and the number of the rows that are taken at once from some columns.

    Args:
        kept: the columns.
        rows: for each row that is made, the index of the one that is taken.
    """
    count = len(rows)
    if sum(column.nbytes for column in kept) * count <= _MOST_BYTES:
        yield 0, count
        return
    import pyarrow.compute as pc

    pa = import_arrow()
    sizes = pa.repeat(pa.scalar(0, pa.int64()), count)
    for column in kept:
        sizes = pc.add(sizes, _sizes(column).take(rows))
    ends = memoryview(pc.cumulative_sum(sizes).buffers()[1]).cast("q")
    start = before = 0
    while start < count:
        stop = max(bisect_right(ends, before + _MOST_BYTES, start, count), start + 1)
        yield start, stop - start
        start, before = stop, ends[stop - 1]


def _sizes(column: Any) -> Any:
    """Return the number of bytes of each value of a column; an equal share where a value has no size of its own."""
    import pyarrow.compute as pc

    pa = import_arrow()
    if column.nbytes > _FEW_BYTES:
        try:
            return pc.binary_length(column).cast(pa.int64()).fill_null(0)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            pass
    return pa.repeat(pa.scalar(column.nbytes // max(len(column), 1) + 1, pa.int64()), len(column))


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
            if not batch.num_rows:
                continue
            size = batch.nbytes
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
            yield from import_arrow().Table.from_batches(batches).combine_chunks().to_batches(self._limit)
