"""Rows of tables (RFC 4180), to search their cells or to pass them on; see `row_reader`."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from urisieve.lean import Final, TypeVar
from urisieve.sources.bytes.lines import Lines, LongLine
from urisieve.sources.structured.row_reader import Row, RowFault, RowPolicy

Taken = TypeVar("Taken")

# The csv module refuses longer cells by default; 2**31 - 1 is the limit that every system accepts.
_LONGEST_CELL: Final = 2**31 - 1
# The number of characters read again because a quotation mark did not open a cell: this many in any file, and beyond
# that this many times its size, so that the time stays proportional to it.
_AGAIN: Final = 64 * 1_048_576
_AGAIN_RATIO: Final = 4


def table_rows(
    batches: Iterable[Lines | LongLine],
    policy: RowPolicy,
    delimiter: str,
    *,
    has_header: bool = True,
    by_name: bool = False,
    blank: Callable[[], object] | None = None,
    taken: Callable[[tuple[str, ...]], Iterable[Taken]] = lambda _: (),
    cut: Callable[[], object] = bool,
) -> Iterator[Row | Taken]:
    """Yield the rows of a table; line feeds may stand in quotation marks (RFC 4180 2.6).

    By a strict policy, text that begins with a quotation mark and does not end by the RFC, or does not have as many
    cells as columns, is not a row over several lines: then its first line is one, and is broken if the mark is
    not closed in it. Otherwise all lines of a row that cannot be parsed belong to it.

    Args:
        batches: the lines.
        policy: the policy for broken rows.
        delimiter: the character between cells.
        has_header: whether the first row that is not empty names the columns.
        by_name: whether cells come by the names of their columns; a list of cells otherwise.
        blank: called for each empty line that is a row, instead of yielding a row without values.
        taken: called with the columns before each row behind the header; takes rows from the lines itself, as far as it
            can, and returns them to be yielded. The lines come one by one then.
        cut: called if the last row goes on where the lines end.
    """
    lines = _RowLines(batches, policy, cut)
    parser = csv.reader(lines, delimiter=delimiter, strict=policy.is_strict)
    is_strict, limit = policy.is_strict, policy.limit
    longest = limit if is_strict else min(limit - 1, csv.field_size_limit())
    names: tuple[str, ...] | None = None if has_header else ()
    while True:
        if names is not None and lines.is_between:
            yield from taken(names)
        line = next(lines.stream)
        if line is None:
            return
        number, start, text, data = line
        if blank is not None and (not text or text == "\r"):
            blank()
            continue
        texts: Iterable[str]
        fault: RowFault | None = None
        # Most rows are one line without a quotation mark.
        plain: str | None = None
        if isinstance(text, str) and '"' not in text and len(text) <= longest and len(data) <= limit:
            plain = text.rstrip("\r\n")
        if plain is not None and (is_strict or "\r" not in plain):
            cells = plain.split(delimiter) if plain else []
            texts = () if data else (f"{text}\n",)
        else:
            if is_strict:
                cells, fault = _strict_cells(line, lines, parser, delimiter, len(names or ()) if has_header else None)
            else:
                cells, fault = _cells(line, lines, parser)
            data, texts = lines.data, lines.texts
        if is_strict and has_header and fault is None and names is not None and len(cells) > len(names):
            fault = policy.other_cells(len(cells), len(names))
        values: dict[str, str] | list[str] | None = None
        if fault is None and cells:
            if names is None:
                names = tuple(cells)
                yield Row(data, cells, number, None, True, names, start, texts)
                continue
            values = dict(zip(names, cells, strict=False)) if by_name else cells
        yield Row(data, values, number, fault, False, (), start, texts)


# A line of a row: its number, its offset, its text, its bytes; see `Lines`. Making a named tuple takes as long as
# splitting a row.
_RowLine = tuple[int, int, str | UnicodeDecodeError | LongLine, bytes]


class _RowLines:
    """Passes lines as text to the parser of a table, and keeps those of the current row."""

    def __init__(self, batches: Iterable[Lines | LongLine], policy: RowPolicy, cut: Callable[[], object]) -> None:
        self.policy = policy
        self._cut = cut
        self._again: deque[_RowLine] = deque()
        self._taken = self._wasted = self._size = 0
        self._first: str | None = None  # the first line of the row, not yet passed on
        self._row: list[_RowLine] = []
        self.stream = self._lines(batches)
        """The lines that do not belong to a row yet; None after the last one, however often it is asked for."""

    def _lines(self, batches: Iterable[Lines | LongLine]) -> Iterator[_RowLine | None]:
        for batch in batches:
            if isinstance(batch, LongLine):
                yield batch.number, batch.start, batch, b""
                continue
            number, start = batch.number, batch.start
            again = self._again
            for text, data in zip(batch.texts, batch.data, strict=False):
                if data:
                    self._taken += len(data)
                yield number, start, text, data
                while again:
                    yield again.popleft()
                number += 1
                if not data and isinstance(text, str):
                    start += len(text) + 1
        while True:
            while self._again:
                yield self._again.popleft()
            yield None

    @property
    def is_between(self) -> bool:
        """Whether no line waits that was given back."""
        return not self._again

    def begin(self, line: _RowLine) -> str:
        """Begin a row with a line that has been taken from the stream, and return its text.

        Raises:
            csv.Error: it is longer than the policy allows.
            UnicodeDecodeError: it does not decode.
        """
        self._row = []
        self._size = 0
        self._first = None
        self._first = text = self._take(line)
        return text

    def _take(self, line: _RowLine) -> str:
        _, _, text, data = line
        self._row.append(line)
        if isinstance(text, str):
            self._size += len(data) or len(text) + 1
            if self._size <= self.policy.limit:
                return f"{text}\n"
        elif isinstance(text, UnicodeDecodeError):
            raise text
        raise csv.Error(self.policy.too_long)

    def __len__(self) -> int:
        return len(self._row)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        text = self._first
        if text is not None:
            self._first = None
            return text
        line = next(self.stream)
        if line is None:
            self._cut()
            raise StopIteration
        return self._take(line)

    def give_back(self) -> bool:
        """Return all lines of the row but the first to the stream; return False if that was done too often."""
        rest = self._row[1:]
        self._wasted += sum(len(data) for _, _, _, data in rest)
        if self._wasted > _AGAIN + _AGAIN_RATIO * self._taken:
            return False
        self._again.extendleft(reversed(rest))
        del self._row[1:]
        return True

    @property
    def data(self) -> bytes:
        """The bytes of the row."""
        return b"".join([data for _, _, _, data in self._row])

    @property
    def texts(self) -> Iterable[str]:
        """The lines of the row, if bytes are not kept; a line too long to be held comes in pieces."""
        *lines, (_, _, last, data) = self._row
        if data:
            return ()
        texts = [f"{text}\n" for _, _, text, _ in lines]
        return chain(texts, last.pieces) if isinstance(last, LongLine) else (*texts, f"{last}\n")


_Cells = tuple[list[str], RowFault | None]


def _cells(line: _RowLine, lines: _RowLines, parser: Iterator[list[str]]) -> _Cells:
    """Return the cells of the row that begins with a line, and its fault."""
    try:
        lines.begin(line)
        return next(parser), None
    except csv.Error as error:
        return [], lines.policy.not_cells(error)


def _strict_cells(
    line: _RowLine, lines: _RowLines, parser: Iterator[list[str]], delimiter: str, columns: int | None
) -> _Cells:
    """Return the cells of the row that begins with a line, by RFC 4180, and its fault; None for columns not known."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        text = lines.begin(line)
        try:
            cells = next(parser)
            if len(lines) == 1 or columns is None or len(cells) == columns:
                return cells, None
            fault = lines.policy.other_cells(len(cells), columns)
        except csv.Error as error:
            fault = lines.policy.not_cells(error)
        if len(lines) > 1 and not lines.give_back():
            return [], fault
        cells = _one_line(text, delimiter)
        return cells, None
    except (csv.Error, UnicodeDecodeError) as error:
        return [], lines.policy.not_cells(error)
    finally:
        csv.field_size_limit(before)


def _one_line(text: str, delimiter: str) -> list[str]:
    """Return the cells of a row that ends with its line, whatever follows a closing quotation mark.

    Raises:
        csv.Error: the line is not one row.
    """
    is_open = False

    def lines() -> Iterator[str]:
        nonlocal is_open
        yield text
        is_open = True  # the parser asks for more

    cells = next(csv.reader(lines(), delimiter=delimiter))
    if is_open:
        raise csv.Error("a quotation mark is never closed")
    return cells
