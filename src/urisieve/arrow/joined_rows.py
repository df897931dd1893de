"""Columns of text made ready to be searched: rows joined to one text, with the way back to each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urisieve.arrow.row_values import RowValues
from urisieve.arrow.text_columns import decoded, octets_of, offsets_of, text_parts
from urisieve.find.joined import SEPARATOR
from urisieve.lean.hints import Any, Final
from urisieve.lean.values import NamedTuple
from urisieve.sinks.arrow_columns import import_arrow

__all__ = ["JoinedRows", "joined_rows"]

# The most bytes that are joined, and the most rows; a row with more bytes is searched alone, without a copy.
_MOST_BYTES: Final = 1_048_576
_MOST_ROWS: Final = 65_536
# Where some of more rows are not UTF-8, halves are tried, so that few rows are decoded one by one.
_FEW_ROWS: Final = 64


class JoinedRows(NamedTuple):
    """Some rows of a column as one text.

    Attributes:
        first: the index of the first row in the column.
        text: the rows joined by `SEPARATOR`: UTF-8, or a string with a lone surrogate for each byte that does not
            decode.
        begins: the offset of each row in the text, in characters.
    """

    first: int
    text: memoryview | str
    begins: Sequence[int] | memoryview


def joined_rows(column: RowValues) -> Iterator[JoinedRows]:
    """Yield the rows of a text column, as many at once as are searched together. A null has an empty text."""
    for first, rows in text_parts(column, _MOST_BYTES, _MOST_ROWS):
        yield from _joined(rows, first)


def _joined(rows: Any, first: int) -> Iterator[JoinedRows]:
    texts = decoded(rows)
    if texts is not None:
        yield _joined_texts(texts, first)
    elif len(rows) <= _FEW_ROWS:
        yield _decoded_by_row(rows, first)
    else:
        half = len(rows) // 2
        yield from _joined(rows.slice(0, half), first)
        yield from _joined(rows.slice(half), first + half)


def _joined_texts(texts: Any, first: int) -> JoinedRows:
    pa = import_arrow()
    import pyarrow.compute as pc

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
    return JoinedRows(first, text, begins.cast("q"))


def _decoded_by_row(rows: Any, first: int) -> JoinedRows:
    """Return rows of which some are not UTF-8."""
    texts = ["" if value is None else value.decode("utf-8", "surrogateescape") for value in octets_of(rows)]
    begins, begin = [], 0
    for text in texts:
        begins.append(begin)
        begin += len(text) + len(SEPARATOR)
    return JoinedRows(first, SEPARATOR.join(texts), begins)
