"""Columns of text in any Arrow type: cut into stretches of bounded size, each an array of strings or bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from urisieve.arrow.row_values import RowValues, is_run_end_encoded, is_view, run_indices
from urisieve.errors import UsageError
from urisieve.lean.hints import Any
from urisieve.sinks.arrow_columns import import_arrow

__all__ = [
    *("check_text_type", "decoded", "is_wide", "octets_of", "offsets_of", "text_column", "text_parts", "valid_strings"),
]


def check_text_type(kind: Any, name: str) -> None:
    """Check that a column of a type holds strings, bytes or nulls, in any of their layouts.

    Args:
        kind: the type.
        name: the name of the column, for messages.

    Raises:
        UsageError: the values are not text.
    """
    pa = import_arrow()
    kinds, inner = pa.types, kind
    while True:
        if isinstance(inner, pa.BaseExtensionType):
            inner = inner.storage_type
        elif kinds.is_dictionary(inner) or is_run_end_encoded(inner):
            inner = inner.value_type
        else:
            break
    if not (_is_plain(inner) or is_view(inner) or kinds.is_null(inner) or kinds.is_fixed_size_binary(inner)):
        raise UsageError(f"the column {name!r} is of type {kind}: name a column of strings or bytes")


def text_column(values: Any, name: str) -> RowValues:
    """Return a column of text as values and indices: dictionaries and runs are not made larger.

    Args:
        values: an array of strings, bytes, or nulls, in any of their layouts.
        name: the name of the column, for messages.

    Raises:
        UsageError: the values are not text.
    """
    check_text_type(values.type, name)
    return RowValues(*_resolved(values))


def _resolved(values: Any) -> tuple[Any, Any]:
    """Return the values of which a column is made, and the index of each row in them, or None."""
    pa = import_arrow()
    if isinstance(values.type, pa.BaseExtensionType):
        return _resolved(values.storage)
    if pa.types.is_dictionary(values.type):
        inner, rows = _resolved(values.dictionary)
        indices = values.indices
    elif is_run_end_encoded(values.type):
        inner, rows = _resolved(values.values)
        indices = run_indices(values)
    else:
        return values.cast(pa.string()) if pa.types.is_null(values.type) else values, None
    return inner, indices if rows is None else rows.take(indices)


def text_parts(column: RowValues, most_bytes: int, most_rows: int) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a text column that are taken at once: one, or not too many.

    Yields:
        the index of the first row, and the rows as an array of the type `string`, `large_string`, or these of binary.
    """
    pa = import_arrow()
    import pyarrow.compute as pc

    if not len(column):  # such an array needs no offsets
        return
    values = column.values
    plain = column.indices is None and _is_plain(values.type)
    base = values.offset if plain else 0
    offsets: Sequence[int] | memoryview
    if plain:
        offsets = offsets_of(values)
    else:
        ends = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(column.sizes)])
        offsets = memoryview(ends.buffers()[1]).cast("b").cast("q")[: len(ends)]
    first, end = base, base + len(column)
    while first < end:
        stop = bisect_right(offsets, offsets[first] + most_bytes, first + 1, min(first + most_rows, end) + 1) - 1
        stop = max(stop, first + 1)
        start, count = first - base, stop - first
        yield start, _plain(column.slice(start, count))
        first = stop


def _is_plain(kind: Any) -> bool:
    kinds = import_arrow().types
    return bool(kinds.is_string(kind) or kinds.is_binary(kind) or is_wide(kind))


def _plain(values: Any) -> Any:
    """Return strings or bytes with offsets."""
    pa = import_arrow()
    if _is_plain(values.type):
        return values
    return values.cast(pa.large_string() if str(values.type) == "string_view" else pa.large_binary())


def offsets_of(values: Any) -> memoryview:
    """Return the offsets of all texts in the data of an array of at least one, which may be a slice of it."""
    return memoryview(values.buffers()[1]).cast("q" if is_wide(values.type) else "i")


def is_wide(kind: Any) -> bool:
    """Report whether the offsets of an array of strings or bytes have 64 bits."""
    kinds = import_arrow().types
    return bool(kinds.is_large_string(kind) or kinds.is_large_binary(kind))


def decoded(values: Any) -> Any:
    """Return an array of strings or bytes as strings, nulls as empty ones; None if some are not UTF-8.

    What says that it is a string may have come from anywhere: it is decoded in any case.
    """
    pa = import_arrow()
    try:
        texts = _strings(values)
    except pa.ArrowInvalid:
        return None
    return texts.fill_null(pa.scalar("", texts.type)) if texts.null_count else texts


def valid_strings(values: Any) -> Any:
    """Return some rows of a text column as an array of the type `string`; a byte that does not decode is escaped."""
    pa = import_arrow()
    values = _plain(values)
    try:
        texts = _strings(values)
    except pa.ArrowInvalid:
        each = [
            octets if octets is None else octets.decode("utf-8", "backslashreplace") for octets in octets_of(values)
        ]
        return pa.array(each, pa.string())
    return texts.cast(pa.string())


def _strings(values: Any) -> Any:
    pa = import_arrow()
    if is_wide(values.type):
        return values.view(pa.large_binary()).cast(pa.large_string())
    return values.view(pa.binary()).cast(pa.string())


def octets_of(values: Any) -> list[bytes | None]:
    """Return the values of an array of strings or bytes as bytes."""
    pa = import_arrow()
    listed: list[bytes | None] = values.view(pa.large_binary() if is_wide(values.type) else pa.binary()).to_pylist()
    return listed
