"""The batches that are given to be searched, from whatever holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import UsageError
from urisieve.lean.hints import Any, Final
from urisieve.sinks.arrow_columns import import_arrow

__all__ = ["check_batches", "each_batch", "known_schema", "schema_of", "with_schema"]

_SERIES: Final = "give the table, and name the column by text="
# What holds batches without being an iterable of them has a method that returns them.
_METHODS: Final = {"iter_batches": "iter_batches", "to_batches": "to_batches", "collect_schema": "collect"}


def check_batches(batches: Any) -> None:
    """Check that something may be batches: a batch, a table, a stream, or an iterable.

    Raises:
        UsageError: it cannot; the message says what to give.
    """
    pa = import_arrow()
    name = type(batches).__name__
    if isinstance(batches, (pa.Array, pa.ChunkedArray)):
        raise UsageError(f"the batches are a {name}: {_SERIES}")
    if hasattr(batches, "__arrow_c_stream__"):
        return
    for method, call in _METHODS.items():
        if hasattr(type(batches), method):
            raise UsageError(f"the batches are a {name}: give what its .{call}() returns")
    if isinstance(batches, (str, bytes, dict)) or not isinstance(batches, Iterable):
        raise UsageError(f"the batches are {name}: give a RecordBatch, a Table, or an iterable of them")


def known_schema(batches: Any) -> Any:
    """Return the schema of some batches if it is known without reading anything, else None."""
    pa = import_arrow()
    return batches.schema if isinstance(batches, (pa.RecordBatch, pa.Table, pa.RecordBatchReader)) else None


def schema_of(given: Any) -> Any:
    """Return a schema, or that of something which has one.

    Raises:
        UsageError: it is not a schema of Arrow, and has none.
    """
    pa = import_arrow()
    schema = given if isinstance(given, pa.Schema) else getattr(given, "schema", None)
    if not isinstance(schema, pa.Schema):
        raise UsageError(f"the schema is {type(given).__name__}: give a pyarrow.Schema, or something that has one")
    return schema


def with_schema(batches: Any) -> Any:
    """Return a stream of another library as a reader, and anything else as it is.

    Raises:
        UsageError: the stream has no columns.
    """
    pa = import_arrow()
    known = (pa.RecordBatch, pa.Table, pa.RecordBatchReader)
    if isinstance(batches, known) or not hasattr(batches, "__arrow_c_stream__"):
        return batches
    try:
        return pa.RecordBatchReader.from_stream(batches)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise UsageError(f"the batches are a {type(batches).__name__}: {_SERIES} ({error})") from error


def each_batch(batches: Any) -> Iterator[Any]:
    """Yield the batches of a batch, a table, a stream, or an iterable of these, as `check_batches` accepts them.

    Raises:
        UsageError: there is something else in them.
    """
    pa = import_arrow()
    given = [batches] if isinstance(batches, (pa.RecordBatch, pa.Table)) else with_schema(batches)
    for one in map(with_schema, given):
        if isinstance(one, pa.Table):
            yield from one.to_batches()
        elif isinstance(one, pa.RecordBatchReader):
            yield from one
        elif isinstance(one, pa.RecordBatch):
            yield one
        else:
            raise UsageError(f"the batches hold a {type(one).__name__}: give RecordBatch or Table objects")
