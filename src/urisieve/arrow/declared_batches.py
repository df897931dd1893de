"""Batches of a schema that was declared before they were made: readers of a stream believe it unseen."""

from __future__ import annotations

from urisieve.errors import UsageError
from urisieve.lean.hints import Any
from urisieve.sinks.arrow_columns import import_arrow

__all__ = ["as_declared"]


def as_declared(batch: Any, schema: Any) -> Any:
    """Return a batch with columns of the types of a schema.

    Args:
        batch: a batch with columns of the same names, in the same order.
        schema: the schema that was declared.

    Raises:
        UsageError: a column is of another type, and would lose something by the change of it.
    """
    if batch.schema.equals(schema, check_metadata=True):
        return batch
    columns = []
    for field, values in zip(schema, batch.columns, strict=True):
        if values.null_count and not field.nullable:
            raise UsageError(f"the column {field.name!r} has nulls, and the schema says that it has none")
        columns.append(values if values.type == field.type else _as_type(values, field))
    return import_arrow().RecordBatch.from_arrays(columns, schema=schema)


def _as_type(values: Any, field: Any) -> Any:
    """Return values as those of another type, if they are the same there and back."""
    pa = import_arrow()
    given = values.type
    try:
        if pa.types.is_dictionary(given):
            values = values.dictionary_decode()
        made = values.cast(field.type, safe=True)
        if made.cast(values.type, safe=True).equals(values):
            return made
    except pa.ArrowException:
        pass
    raise UsageError(
        f"the column {field.name!r} is of type {given} in a later batch, and of type {field.type} in the schema:"
        " give all batches one type"
    )
