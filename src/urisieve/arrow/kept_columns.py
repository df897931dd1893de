"""Columns that are kept, in layouts from which Arrow can take rows."""

from __future__ import annotations

from urisieve.arrow.row_values import RowValues, is_run_end_encoded, is_view, run_indices
from urisieve.errors import UsageError
from urisieve.lean.hints import Any
from urisieve.sinks.arrow_columns import import_arrow

__all__ = ["check_kept_type", "kept_column", "kept_type"]


def check_kept_type(kind: Any, name: str) -> None:
    """Check that rows can be taken from a column of a type.

    Args:
        kind: the type.
        name: the name of the column, for messages.

    Raises:
        UsageError: Arrow cannot take rows from its layout, nor change it.
    """
    pa = import_arrow()
    try:
        kept_column(pa.nulls(1, kind)).take(pa.array([0], pa.int64()))
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError) as error:
        raise UsageError(f"keep: the column {name!r} is of type {kind}, which Arrow cannot take rows from") from error


def kept_column(values: Any) -> RowValues:
    """Return a column as rows of the type that it is kept as; see `kept_type`."""
    pa = import_arrow()
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType) and kept_type(kind) != kind:
        return kept_column(values.storage)
    if is_view(kind):
        return RowValues(values)
    if is_run_end_encoded(kind):
        inner = values.values
        return RowValues(inner if is_view(inner.type) else _kept_array(inner), run_indices(values))
    return RowValues(_kept_array(values))


def _kept_array(values: Any) -> Any:
    """Return an array as one of the type that it is kept as."""
    pa = import_arrow()
    kind = kept_type(values.type)
    if kind == values.type:
        return values
    if isinstance(values.type, pa.BaseExtensionType):
        return _kept_array(values.storage)
    if pa.types.is_dictionary(kind):
        dictionary = values.dictionary.cast(kind.value_type)
        return pa.DictionaryArray.from_arrays(values.indices, dictionary, ordered=kind.ordered)
    return values.cast(kind)


def kept_type(kind: Any) -> Any:
    """Return the type that a column of a type is kept as: itself, unless Arrow cannot take rows from its layout.

    Views, as Polars gives its strings, become strings with offsets, in lists, structs and extension types too; runs
    become rows.
    """
    pa = import_arrow()
    kinds = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        storage = kept_type(kind.storage_type)
        return kind if storage == kind.storage_type else storage
    if str(kind) == "string_view":
        return pa.large_string()
    if str(kind) == "binary_view":
        return pa.large_binary()
    if is_run_end_encoded(kind):
        return kept_type(kind.value_type)
    if kinds.is_dictionary(kind):
        return pa.dictionary(kind.index_type, kept_type(kind.value_type), kind.ordered)
    if kinds.is_struct(kind):
        return pa.struct([_kept_field(kind.field(index)) for index in range(kind.num_fields)])
    if kinds.is_map(kind):
        return pa.map_(_kept_field(kind.key_field), _kept_field(kind.item_field), kind.keys_sorted)
    if kinds.is_fixed_size_list(kind):
        return pa.list_(_kept_field(kind.value_field), kind.list_size)
    if kinds.is_large_list(kind):
        return pa.large_list(_kept_field(kind.value_field))
    if kinds.is_list(kind):
        return pa.list_(_kept_field(kind.value_field))
    return kind


def _kept_field(field: Any) -> Any:
    return field.with_type(kept_type(field.type))
