"""Columns of text in any Arrow type: split into chunks of bounded size, each an array of strings or bytes.

It also defines:

- columns from which rows are taken: in any layout, with the size of each value, and never larger as a whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from urisieve.errors import UsageError
from urisieve.lean import Any
from urisieve.records.field_table import pa, pc


class RowValues:
    """The values of a column, from which rows are taken; views become `large_string` or `large_binary` then.

    Args:
        values: an array of which Arrow can take rows, or of views.
        indices: for each row the index of its value, as an array; None if the values are the rows.
    """

    def __init__(self, values: Any, indices: Any = None) -> None:
        self.values = values
        """The values, each once."""
        self.indices = indices
        """For each row the index of its value; None if the values are the rows."""

    def __len__(self) -> int:
        return len(self.values if self.indices is None else self.indices)

    @cached_property
    def sizes(self) -> Any:
        """The number of bytes of each row, as an array of 64-bit numbers."""
        return _sizes(self.values) if self.indices is None else _sizes_at(self.values, self.indices)

    @cached_property
    def largest(self) -> int:
        """The number of bytes of the largest row."""
        return pc.max(self.sizes).as_py() or 0

    def take(self, rows: Any) -> Any:
        """Return an array of some rows."""
        return self._taken(rows if self.indices is None else self.indices.take(rows))

    def slice(self, start: int, count: int) -> Any:
        """Return an array of rows that follow each other; views stay views if they are the rows."""
        if self.indices is None:
            return self.values.slice(start, count)
        return self._taken(self.indices.slice(start, count))

    def _taken(self, indices: Any) -> Any:
        values = self.values
        if not is_view(values.type):
            return values.take(indices)
        kind = pa.large_string() if str(values.type) == "string_view" else pa.large_binary()
        if self._are_shared:
            nothing = pa.nulls(1, kind)
            each = [nothing if one is None else values.slice(one, 1).cast(kind) for one in indices.to_pylist()]
            return pa.concat_arrays(each)
        self.values = values.cast(kind)
        return self.values.take(indices)

    @cached_property
    def _are_shared(self) -> bool:
        """Whether views share so much of their memory that they would need more without it."""
        size: int = pc.sum(_sizes(self.values)).as_py() or 0
        return size > int(self.values.get_total_buffer_size())


def is_view(kind: Any) -> bool:
    """Report whether a column of a type contains views: strings or bytes that may share memory."""
    return str(kind) in ("string_view", "binary_view")


def is_run_end_encoded(kind: Any) -> bool:
    """Report whether a column of a type contains runs of equal values."""
    return str(kind).startswith("run_end_encoded<")


def run_indices(values: Any) -> Any:
    """Return for each row of a column of runs the index of its value."""
    first, count = values.find_physical_offset(), values.find_physical_length()
    numbers = pa.array(range(first, first + count), pa.int64())
    runs = pa.RunEndEncodedArray.from_arrays(values.run_ends.slice(first, count), numbers)
    return pc.run_end_decode(runs.slice(values.offset, len(values)))


def _sizes_at(values: Any, indices: Any) -> Any:
    """Return the sizes of some values, in time by their number: a large dictionary may come with each small batch."""
    kind, kinds = values.type, pa.types
    is_wide = kinds.is_large_string(kind) or kinds.is_large_binary(kind)
    if not len(values) or not (is_wide or kinds.is_string(kind) or kinds.is_binary(kind)):
        return _sizes(values).take(indices).fill_null(0)
    number = pa.int64() if is_wide else pa.int32()
    offsets = pa.Array.from_buffers(number, len(values) + 1, [None, values.buffers()[1]], offset=values.offset)
    begins = indices.cast(pa.int64())
    ends = pc.add(begins, pa.scalar(1, pa.int64()))
    return pc.subtract(offsets.take(ends), offsets.take(begins)).cast(pa.int64()).fill_null(0)


def _sizes(values: Any) -> Any:
    """Return the number of bytes of each value of an array; where it cannot be known, not less."""
    kind, kinds = values.type, pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _sizes(values.storage)
    if is_view(kind):
        return _view_sizes(values)
    if kinds.is_fixed_size_list(kind):
        width, first = kind.list_size, values.offset
        ends = _ends(values.values.slice(first * width, len(values) * width))
        offsets = pc.multiply(pa.array(range(len(values) + 1), pa.int64()), pa.scalar(width, pa.int64()))
        return _between(ends, offsets)
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_map(kind):
        offsets = values.offsets.cast(pa.int64())
        if not len(values):
            return pa.array([], pa.int64())
        first, end = offsets[0].as_py(), offsets[-1].as_py()
        return _between(_ends(values.values.slice(first, end - first)), pc.subtract(offsets, first))
    if kinds.is_list_view(kind) or kinds.is_large_list_view(kind):
        starts = values.offsets.cast(pa.int64())
        ends = _ends(values.values)
        sizes = pc.subtract(ends.take(pc.add(starts, values.sizes.cast(pa.int64()))), ends.take(starts))
        return pc.add(sizes, pa.scalar(16, pa.int64()))
    if kinds.is_struct(kind):
        sizes = _repeated(1, len(values))
        for index in range(kind.num_fields):
            sizes = pc.add(sizes, _sizes(values.field(index)))
        return sizes
    if kinds.is_dictionary(kind):
        return _repeated(kind.index_type.bit_width // 8, len(values))
    try:
        return pc.binary_length(values).cast(pa.int64()).fill_null(0)
    except pa.ArrowNotImplementedError:
        pass
    try:
        return _repeated(kind.bit_width // 8 + 1, len(values))
    except ValueError:  # of no fixed width
        return _repeated(byte_count(values), len(values))


def byte_count(data: Any) -> int:
    """Return the number of bytes of an array or a batch; of what it is a part, where pyarrow knows no less."""
    try:
        return int(data.nbytes)
    except (pa.ArrowTypeError, pa.ArrowNotImplementedError):  # list views, in earlier versions
        return int(data.get_total_buffer_size())


def _repeated(size: int, count: int) -> Any:
    return pa.repeat(pa.scalar(size, pa.int64()), count)


def _view_sizes(values: Any) -> Any:
    """Return the sizes of views: each takes 16 bytes, which begin with its size as a number of 32 bits."""
    if not len(values):
        return pa.array([], pa.int64())
    first, end = values.offset, values.offset + len(values)
    heads = memoryview(values.buffers()[1]).cast("b").cast("i")[4 * first : 4 * end : 4].tobytes()
    sizes = pa.Array.from_buffers(pa.int32(), len(values), [None, pa.py_buffer(heads)]).cast(pa.int64())
    return pc.if_else(values.is_valid(), sizes, pa.scalar(0, pa.int64()))


def _ends(values: Any) -> Any:
    """Return the size of all values before each one, and of all."""
    return pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(_sizes(values))])


def _between(ends: Any, offsets: Any) -> Any:
    """Return the size of the values between each two offsets, and of the offset itself."""
    sums = ends.take(offsets)
    return pc.add(pc.subtract(sums.slice(1), sums.slice(0, len(sums) - 1)), pa.scalar(8, pa.int64()))


def check_text_type(kind: Any, name: str) -> None:
    """Check that a column of a type contains strings, bytes or nulls, in any of their layouts.

    Args:
        kind: the type.
        name: the name of the column, for messages.

    Raises:
        UsageError: the values are not text.
    """
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
    kinds = pa.types
    return bool(kinds.is_string(kind) or kinds.is_binary(kind) or is_wide(kind))


def _plain(values: Any) -> Any:
    """Return strings or bytes with offsets."""
    if _is_plain(values.type):
        return values
    return values.cast(pa.large_string() if str(values.type) == "string_view" else pa.large_binary())


def offsets_of(values: Any) -> memoryview:
    """Return the offsets of all texts in the data of an array of at least one, which may be a slice of it."""
    return memoryview(values.buffers()[1]).cast("q" if is_wide(values.type) else "i")


def is_wide(kind: Any) -> bool:
    """Report whether the offsets of an array of strings or bytes have 64 bits."""
    kinds = pa.types
    return bool(kinds.is_large_string(kind) or kinds.is_large_binary(kind))


def decoded(values: Any) -> Any:
    """Return an array of strings or bytes as strings, nulls as empty ones; None if some are not UTF-8.

    What says that it is a string may have come from anywhere: it is decoded in any case.
    """
    try:
        texts = _strings(values)
    except pa.ArrowInvalid:
        return None
    return texts.fill_null(pa.scalar("", texts.type)) if texts.null_count else texts


def valid_strings(values: Any) -> Any:
    """Return some rows of a text column as an array of the type `string`; a byte that does not decode is escaped."""
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
    if is_wide(values.type):
        return values.view(pa.large_binary()).cast(pa.large_string())
    return values.view(pa.binary()).cast(pa.string())


def octets_of(values: Any) -> list[bytes | None]:
    """Return the values of an array of strings or bytes as bytes."""
    listed: list[bytes | None] = values.view(pa.large_binary() if is_wide(values.type) else pa.binary()).to_pylist()
    return listed
