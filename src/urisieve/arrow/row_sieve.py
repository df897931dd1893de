"""Rows of a text column, many searched as one text, and Arrow arrays of what is found in them."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from urisieve.arrow import text_columns
from urisieve.find.delimited import PIECE, SEPARATOR
from urisieve.find.searches import make_search
from urisieve.finding_options import Options
from urisieve.lean import Any, Final, NamedTuple
from urisieve.records.base import CONTEXT_NAMES
from urisieve.records.batch import Batch, BatchBuffer
from urisieve.records.field_table import arrow_array, batch_arrays, columns_of, field_values, pa, pc
from urisieve.records.layouts import placed_in_texts
from urisieve.records.mask import Mask
from urisieve.records.rejection import Rejection
from urisieve.sources.hours import WatchedText, line_times

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


def joined_rows(column: text_columns.RowValues) -> Iterator[JoinedRows]:
    """Yield the rows of a text column, as many at once as are searched together. A null has an empty text."""
    for first, rows in text_columns.text_parts(column, _MOST_BYTES, _MOST_ROWS):
        yield from _joined(rows, first)


def _joined(rows: Any, first: int) -> Iterator[JoinedRows]:
    texts = text_columns.decoded(rows)
    if texts is not None:
        yield _joined_texts(texts, first)
    elif len(rows) <= _FEW_ROWS:
        yield _decoded_by_row(rows, first)
    else:
        half = len(rows) // 2
        yield from _joined(rows.slice(0, half), first)
        yield from _joined(rows.slice(half), first + half)


def _joined_texts(texts: Any, first: int) -> JoinedRows:
    begins = memoryview(bytes(8))
    if len(texts) == 1:
        begin, end = text_columns.offsets_of(texts)[texts.offset : texts.offset + 2]
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
    texts = [
        "" if value is None else value.decode("utf-8", "surrogateescape") for value in text_columns.octets_of(rows)
    ]
    begins = list(accumulate([len(text) + len(SEPARATOR) for text in texts[:-1]], initial=0))
    return JoinedRows(first, SEPARATOR.join(texts), begins)


# The bytes, or characters, of which columns are made at once.
_AT_ONCE: Final = 2 * PIECE
_REASONED: Final = frozenset(("reason", "component", "offset", "section"))
_OFFSETS: Final = ("start", "end")
_LOCATION: Final = frozenset(("location",))


class FoundRows(NamedTuple):
    """Identifiers, and rejected candidates if they are wanted, in the order of the text.

    Attributes:
        rows: for each one the index of its row in the column that was searched, as an Arrow array.
        columns: Arrow arrays by name.
    """

    rows: Any
    columns: dict[str, Any]


class RowSieve:
    """Searches joined rows.

    Args:
        options: what to find and how far to normalize.
        kinds: by the name of each column to make, its Arrow type; `source` is left to the caller.
        mask: masks passwords.
        rejected: whether rejected candidates are taken too.
    """

    def __init__(self, options: Options, kinds: Mapping[str, Any], mask: Mask, *, rejected: bool) -> None:
        self._kinds = {name: kind for name, kind in kinds.items() if name != "source"}
        self._rejected = rejected
        self._mask = mask
        self._buffer = BatchBuffer()
        columns = columns_of([name for name in self._kinds if name not in _REASONED]) | {"start", "end"}
        self._lines = line_times(columns & _LOCATION, options.max_length)
        # The times of lines need offsets, those of bytes where bytes are searched.
        columns |= frozenset() if self._lines is None else {"byte_start"}
        self._search = make_search(options, self._buffer, columns=columns)
        self._taker = self._search if self._lines is None else WatchedText(self._search, self._lines)

    def found(self, joined: JoinedRows) -> Iterator[FoundRows]:
        """Yield what is found in some rows, piece by piece."""
        self._search.restart()
        if self._lines is not None:
            self._lines.restart()
        first = 0
        for batch in self._batches(joined.text):
            if batch:
                found, first = self._columns(batch, joined, first)
                if len(found.rows):
                    yield found

    def _batches(self, text: memoryview | str) -> Iterator[Batch]:
        search, buffer = self._taker, self._buffer
        decode = None if search.takes_bytes else getincrementaldecoder("utf-8")().decode
        for start in range(0, len(text), _AT_ONCE):
            piece = text[start : start + _AT_ONCE]
            if isinstance(piece, str):
                search.feed(piece)
            elif decode is None:
                search.feed_bytes(piece)
            else:
                search.feed(decode(piece))
            yield from buffer.drained()
        search.close()
        yield from buffer.drained()

    def _columns(self, batch: Batch, joined: JoinedRows, first: int) -> tuple[FoundRows, int]:
        """Return what a batch contains, and the number of the last row that has one."""
        if self._lines is not None:
            batch = self._lines.put_into(batch, _LOCATION, by="byte_start" if self._search.counts_bytes else "start")
        rejections = list(map(self._mask.rejection, batch.rejections)) if self._rejected else []
        masked = self._mask.batch(batch)
        numbers, starts, ends = masked.layout.in_texts(joined.begins, first)
        last = numbers[-1] if len(numbers) else first
        columns = self._of_identifiers(masked, starts, ends)
        rows = _shifted(_numbers(numbers), joined.first)
        if not rejections:
            return FoundRows(rows, columns), last
        numbers, starts, ends = placed_in_texts(
            joined.begins, first, [one.start for one in rejections], [one.end for one in rejections]
        )
        others = self._of_rejections(rejections, starts, ends)
        order = _merged(len(masked), batch.before)
        whole = {name: _concatenated(values, others[name], order) for name, values in columns.items()}
        rows = _concatenated(rows, _shifted(_numbers(numbers), joined.first), order)
        return FoundRows(rows, whole), max(last, numbers[-1])

    def _of_identifiers(self, batch: Batch, starts: Sequence[int], ends: Sequence[int]) -> dict[str, Any]:
        others = _REASONED.union(_OFFSETS, CONTEXT_NAMES)
        kinds = {name: kind for name, kind in self._kinds.items() if name not in others}
        columns = dict(zip(kinds, batch_arrays(batch, kinds), strict=True))
        for name in CONTEXT_NAMES:
            if name in self._kinds:
                columns[name] = arrow_array(field_values(batch, name), self._kinds[name])
        columns.update(zip(_OFFSETS, map(_numbers, (starts, ends)), strict=True))
        columns.update((name, pa.nulls(len(batch), kind)) for name, kind in self._kinds.items() if name in _REASONED)
        return {name: columns[name] for name in self._kinds}

    def _of_rejections(
        self, rejections: Sequence[Rejection], starts: Sequence[int], ends: Sequence[int]
    ) -> dict[str, Any]:
        columns = {}
        for name, kind in self._kinds.items():
            if name in _OFFSETS:
                columns[name] = pa.array(starts if name == "start" else ends, kind)
            elif name in _REASONED or name in CONTEXT_NAMES or name == "raw":
                columns[name] = arrow_array([getattr(one, name) for one in rejections], kind)
            elif name == "warnings":
                columns[name] = pa.array([[]] * len(rejections), kind)
            else:
                columns[name] = pa.nulls(len(rejections), kind)
        return columns


def _numbers(values: Sequence[int]) -> Any:
    """Return numbers as an Arrow array: without a copy if they are memory of 64-bit numbers."""
    if isinstance(values, memoryview):
        return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])
    return pa.array(values, pa.int64())


def _shifted(numbers: Any, by: int) -> Any:
    return pc.add(numbers, pa.scalar(by, pa.int64())) if by else numbers


def _merged(count: int, before: Sequence[int]) -> Any:
    """Return the order in which some rows and the rejections after them are in the text.

    Args:
        count: the number of rows.
        before: for each rejection, the number of rows before it.
    """
    order: list[int] = []
    done = 0
    for number, row in enumerate(before):
        order.extend(range(done, row))
        order.append(count + number)
        done = row
    order.extend(range(done, count))
    return pa.array(order, pa.int64())


def _concatenated(first: Any, second: Any, order: Any) -> Any:
    return pa.concat_arrays([first, second]).take(order)
