"""The batches that are given to be searched, from whatever holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import UsageError
from urisieve.lean.hints import Any
from urisieve.sinks.arrow_columns import import_arrow

__all__ = ["each_batch", "with_schema"]


def with_schema(batches: Any) -> Any:
    """Return a stream of another library as a reader, and anything else as it is."""
    pa = import_arrow()
    if isinstance(batches, (pa.Table, pa.RecordBatchReader)) or not hasattr(batches, "__arrow_c_stream__"):
        return batches
    return pa.RecordBatchReader.from_stream(batches)


def each_batch(batches: Any) -> Iterator[Any]:
    """Yield the batches of a batch, a table, a stream, or an iterable of these.

    Raises:
        UsageError: there is something else.
    """
    pa = import_arrow()
    given = [batches] if isinstance(batches, (pa.RecordBatch, pa.Table)) else with_schema(batches)
    if isinstance(given, (str, bytes, dict)) or not isinstance(given, Iterable):
        raise UsageError(
            f"the batches are {type(batches).__name__}: give a RecordBatch, a Table, or an iterable of them"
        )
    for one in map(with_schema, given):
        if isinstance(one, pa.Table):
            yield from one.to_batches()
        elif isinstance(one, pa.RecordBatchReader):
            yield from one
        elif isinstance(one, pa.RecordBatch):
            yield one
        else:
            raise UsageError(f"the batches hold a {type(one).__name__}: give RecordBatch or Table objects")
