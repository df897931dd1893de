"""Columns of text in any Arrow type, made ready to be searched: rows joined to one text, with the way back to each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from urisieve.arrow.kept_columns import is_run_end_encoded, kept_column
from urisieve.errors import UsageError
from urisieve.find.joined import SEPARATOR
from urisieve.lean.hints import Any, Final
from urisieve.lean.values import NamedTuple
from urisieve.sinks.arrow_columns import import_arrow

__all__ = ["JoinedRows", "decoded", "is_wide", "joined_rows", "octets_of", "offsets_of", "stretches", "text_column"]

# The most bytes that are joined, and the most rows; a row with more bytes is searched alone, without a copy.
_MOST_BYTES: Final = 1_048_576
_MOST_ROWS: Final = 65_536


class JoinedRows(NamedTuple):
    """Some rows of a column as one text.

    Attributes:
        first: the index of the first row in the column.
        text: the rows joined by `SEPARATOR`: UTF-8, or a string with a lone surrogate for each byte that does not
            decode.
        begins: the offset of each row in the text, in characters.
        stray: the number of bytes that do not decode.
    """

    first: int
    text: memoryview | str
    begins: Sequence[int] | memoryview
    stray: int


def text_column(values: Any, name: str) -> Any:
    """Return a column as an array of strings or of bytes (of the types `string`, `large_string`, `large_binary`).

    Args:
        values: an array of strings, bytes, or nulls, in any of their layouts.
        name: the name of the column, for messages.

    Raises:
        UsageError: the values are not text.
    """
    pa = import_arrow()
    kinds = pa.types
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):
        return text_column(values.storage, name)
    if kinds.is_dictionary(kind):
        # Not every layout of a dictionary can be decoded.
        dictionary = text_column(values.dictionary, name)
        return pa.DictionaryArray.from_arrays(values.indices, dictionary).dictionary_decode()
    if is_run_end_encoded(kind):
        return text_column(kept_column(values), name)
    if kinds.is_string(kind) or kinds.is_large_string(kind):
        return values
    if kinds.is_null(kind):
        return values.cast(pa.string())
    if _is(kinds, "is_string_view", kind):
        return values.cast(pa.large_string())
    if kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_fixed_size_binary(kind):
        return values.cast(pa.large_binary())
    if _is(kinds, "is_binary_view", kind):
        return values.cast(pa.large_binary())
    raise UsageError(f"the column {name!r} is of type {kind}: name a column of strings or bytes")


def _is(kinds: Any, test: str, kind: Any) -> bool:
    """Report whether a type passes a test that old versions of pyarrow do not have."""
    return hasattr(kinds, test) and bool(getattr(kinds, test)(kind))


def stretches(values: Any, most_bytes: int, most_rows: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the number of the rows of a text column that are taken at once: one, or not too many."""
    offsets = offsets_of(values)
    first, end = values.offset, values.offset + len(values)
    while first < end:
        stop = bisect_right(offsets, offsets[first] + most_bytes, first + 1, min(first + most_rows, end) + 1) - 1
        stop = max(stop, first + 1)
        yield first - values.offset, stop - first
        first = stop


def offsets_of(values: Any) -> memoryview:
    """Return the offsets of all texts in the data of an array, which may be a slice of it."""
    buffer = values.buffers()[1]
    if buffer is None or not buffer.size:  # an array without rows needs no offsets
        return memoryview(bytes(8)).cast("q")
    return memoryview(buffer).cast("q" if is_wide(values.type) else "i")


def is_wide(kind: Any) -> bool:
    """Report whether the offsets of an array of strings or bytes have 64 bits."""
    kinds = import_arrow().types
    return bool(kinds.is_large_string(kind) or kinds.is_large_binary(kind))


def decoded(values: Any) -> Any:
    """Return an array of strings or bytes as strings, nulls as empty ones; None if some are not UTF-8.

    What says that it is a string may have come from anywhere: it is decoded in any case.
    """
    pa = import_arrow()
    wide = is_wide(values.type)
    try:
        texts = values.view(pa.large_binary() if wide else pa.binary()).cast(pa.large_string() if wide else pa.string())
    except pa.ArrowInvalid:
        return None
    return texts.fill_null(pa.scalar("", texts.type)) if texts.null_count else texts


def octets_of(values: Any) -> list[bytes | None]:
    """Return the values of an array of strings or bytes as bytes."""
    pa = import_arrow()
    listed: list[bytes | None] = values.view(pa.large_binary() if is_wide(values.type) else pa.binary()).to_pylist()
    return listed


def joined_rows(values: Any) -> Iterator[JoinedRows]:
    """Yield the rows of a text column, as many at once as are searched together. A null has an empty text."""
    for first, count in stretches(values, _MOST_BYTES, _MOST_ROWS):
        yield _joined(values.slice(first, count), first)


def _joined(rows: Any, first: int) -> JoinedRows:
    pa = import_arrow()
    import pyarrow.compute as pc

    texts = decoded(rows)
    if texts is None:
        return _decoded_by_row(rows, first)
    begins = memoryview(bytes(8))
    if len(texts) == 1:
        begin, end = offsets_of(texts)[texts.offset : texts.offset + 2]
        data = texts.buffers()[2]
        text = memoryview(b"" if data is None else data)[begin:end].toreadonly()
    else:
        whole = pc.binary_join(
            pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts), pa.scalar(SEPARATOR, texts.type)
        )
        text = memoryview(whole.buffers()[2]).toreadonly()
        sizes = pc.utf8_length(texts).cast(pa.int64()).slice(0, len(texts) - 1)
        steps = pc.add(sizes, pa.scalar(len(SEPARATOR), pa.int64()))
        begins = memoryview(bytes(begins) + bytes(pc.cumulative_sum(steps).buffers()[1])[: 8 * len(steps)])
    return JoinedRows(first, text, begins.cast("q"), 0)


def _decoded_by_row(rows: Any, first: int) -> JoinedRows:
    """Return rows of which some are not UTF-8."""
    texts = ["" if value is None else value.decode("utf-8", "surrogateescape") for value in octets_of(rows)]
    begins, begin = [], 0
    for text in texts:
        begins.append(begin)
        begin += len(text) + len(SEPARATOR)
    stray = sum(len(text) - len(text.encode("utf-8", "ignore").decode()) for text in texts)
    return JoinedRows(first, SEPARATOR.join(texts), begins, stray)
