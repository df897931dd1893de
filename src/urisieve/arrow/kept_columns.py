"""Columns that are kept, in layouts from which Arrow can take rows."""

from __future__ import annotations

from urisieve.lean.hints import Any
from urisieve.sinks.arrow_columns import import_arrow

__all__ = ["is_run_end_encoded", "kept_column", "kept_type"]


def kept_column(values: Any) -> Any:
    """Return a column as an array of the type that it is kept as; see `kept_type`."""
    kind = kept_type(values.type)
    if kind == values.type:
        return values
    pa = import_arrow()
    if pa.types.is_dictionary(kind):
        dictionary = values.dictionary.cast(kind.value_type)
        return pa.DictionaryArray.from_arrays(values.indices, dictionary, ordered=kind.ordered)
    if is_run_end_encoded(values.type):
        import pyarrow.compute as pc

        return kept_column(pc.run_end_decode(values))
    return values.cast(kind)


def kept_type(kind: Any) -> Any:
    """Return the type that a column of a type is kept as: itself, unless Arrow cannot take rows from its layout.

    Views, as Polars gives its strings, become strings with offsets, in lists and structs too; runs become rows.
    """
    pa = import_arrow()
    kinds = pa.types
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


def is_run_end_encoded(kind: Any) -> bool:
    """Report whether a column of a type holds runs of equal values."""
    return str(kind).startswith("run_end_encoded<")
