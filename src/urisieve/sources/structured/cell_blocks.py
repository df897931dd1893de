"""Rows of a table many at once, for their cells to be searched: the quick ways, and `table_rows` for what is odd.

Most rows are read by the kernel, up to one that is not well formed beyond doubt, and the others of a block by one call
of `csv`. A block with a row that `csv` refuses, with a line too long to be held, or with a quotation mark that nothing
closes within the limit is read row by row.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from itertools import accumulate, chain

from urisieve.kernel import either, kernel
from urisieve.lean import Final, NamedTuple
from urisieve.sources.bytes.lines import Lines, LongLine
from urisieve.sources.structured.row_reader import SEARCHED, Row
from urisieve.sources.structured.table_rows import table_rows

# The row that shows that all rows before it are complete.
_END: Final = "\x1e"


class CellRows(NamedTuple):
    """Some rows of a table, one after the other.

    Attributes:
        lines: their lines as they stand, without their line feeds.
        number: the number of the first line, from 1.
        start: the offset of the first line in the text, in characters.
        cells: the cells of each row.
        ends: for each row the index of the line behind it; None if each line is a row.
    """

    lines: Sequence[str]
    number: int
    start: int
    cells: list[list[str]]
    ends: list[int] | None

    def first_line(self, row: int) -> int:
        """Return the index of the first line of a row."""
        if self.ends is None or not row:
            return row
        return self.ends[row - 1]

    def text(self, row: int) -> list[str]:
        """Return the lines of a row, with their line feeds."""
        end = row + 1 if self.ends is None else self.ends[row]
        return [f"{line}\n" for line in self.lines[self.first_line(row) : end]]

    def starts(self) -> list[int]:
        """Return the offset of each line in the text, in characters."""
        return list(accumulate([len(line) + 1 for line in self.lines], initial=self.start))

    def split(self, row: int) -> tuple[CellRows, CellRows]:
        """Return the rows before one, and the rows from there on."""
        first = self.first_line(row)
        ends = None if self.ends is None else [end - first for end in self.ends[row:]]
        start = self.start + sum(len(line) + 1 for line in self.lines[:first])
        before = self._replace(lines=self.lines[:first], cells=self.cells[:row])
        return before, CellRows(self.lines[first:], self.number + first, start, self.cells[row:], ends)


class FoundCells(NamedTuple):
    """The cells of some rows of a table, as the kernel has found them; offsets are in characters.

    Attributes:
        whole: the cells, each behind a separator; see `TextBlock`.
        begins: the offset of each in it, and behind them that of one more.
        starts: the offset of each in the text.
        firsts: for each row the index of its first cell, and behind them the number of cells.
        lines: for each row the number of its first line, from 1, less `number`.
        number: the number of the first line.
        start: what is to be added to `starts`.
    """

    whole: str
    begins: Sequence[int]
    starts: Sequence[int]
    firsts: Sequence[int]
    lines: Sequence[int]
    number: int
    start: int


def alone(row: Row) -> CellRows:
    """Return a row that was read alone."""
    lines = [line.removesuffix("\n") for line in row.text]
    return CellRows(lines, row.number, row.start, [row.values or []], [len(lines)])


def cell_rows(
    batches: Iterator[Lines | LongLine], delimiter: str, cut: Callable[[], object] = bool, *, by_kernel: bool
) -> Iterator[FoundCells | CellRows | Row]:
    """Yield the rows of a table; line feeds may stand in quotation marks (RFC 4180 2.6).

    Args:
        batches: the lines.
        delimiter: the character between cells.
        cut: called if the last row goes on where the lines end.
        by_kernel: whether the kernel finds cells; the delimiter is of ASCII then.

    Yields:
        rows many at once, or one that was read alone: with its cells as a list, with its fault, or empty.
    """
    begun = Lines(1, 0, (), ())  # of a row that goes on
    for batch in batches:
        if isinstance(batch, LongLine):
            yield from _one_by_one([begun, batch], batches, delimiter, cut)
            begun = Lines(1, 0, (), ())
            continue
        if begun.texts:
            batch = Lines(begun.number, begun.start, [*begun.texts, *batch.texts], batch.data)
        if by_kernel:
            found, batch = _found(batch, delimiter)
            if found is not None:
                yield found
            if not batch.texts:
                begun = batch
                continue
        rows = _parsed(batch, delimiter)
        if rows is None:
            yield from _one_by_one([batch], batches, delimiter, cut)
            begun = Lines(1, 0, (), ())
            continue
        used = rows.first_line(len(rows.cells))
        rest = batch.texts[used:]
        start = batch.start + _length(batch.texts[:used]) if rest else 0
        begun = Lines(batch.number + used, start, rest, batch.data)
        if rows.cells:
            yield rows
    if begun.texts:
        yield from _one_by_one([begun], batches, delimiter, cut)


def _found_by_kernel(batch: Lines, delimiter: str) -> tuple[FoundCells | None, Lines]:
    """Return the cells of the first lines that the kernel takes, and the other lines."""
    texts: list[str] = list(batch.texts)  # type: ignore[arg-type] # stray bytes are kept
    data = "\n".join([*texts, ""]).encode("utf-8", "surrogatepass")
    whole, *numbers, size = kernel.table_cells(data, ord(delimiter), csv.field_size_limit())
    begins, starts, firsts, lines = (memoryview(one).cast("q") for one in numbers)
    if not firsts:
        return None, batch
    rest = Lines(batch.number + lines[-1], batch.start + size, batch.texts[lines[-1] :], batch.data)
    return FoundCells(whole, begins, starts, firsts, lines, batch.number, batch.start), rest


def _none_found(batch: Lines, _delimiter: str) -> tuple[FoundCells | None, Lines]:
    return None, batch


_found: Final = either(_found_by_kernel, _none_found)


def _length(texts: Sequence[str | UnicodeDecodeError]) -> int:
    """Return the number of characters of some lines with their line feeds."""
    return sum(map(len, texts)) + len(texts)  # type: ignore[arg-type] # stray bytes are kept


def _parsed(batch: Lines, delimiter: str) -> CellRows | None:
    """Return the rows that end in a batch; None if one of them is broken, or the one that goes on is too long."""
    lines: list[str] = list(batch.texts)  # type: ignore[arg-type] # stray bytes are kept
    whole = "\n".join(lines)
    is_plain = '"' not in whole
    parser = csv.reader(lines if is_plain else StringIO(f"{whole}\n{_END}\n", newline="\n"), delimiter=delimiter)
    ends: list[int] | None = None
    try:
        if is_plain:
            cells = list(parser)
        else:
            cells, ends = [], []
            for row in parser:
                cells.append(row)
                ends.append(parser.line_num)
    except csv.Error:
        return None
    if ends is not None:
        del cells[-1], ends[-1]  # the end, or the row that goes on
        if len(whole) > SEARCHED.limit and (ends[-1] if ends else 0) < len(lines):
            return None
    return CellRows(lines, batch.number, batch.start, cells, ends)


def _one_by_one(
    given: list[Lines | LongLine], more: Iterator[Lines | LongLine], delimiter: str, cut: Callable[[], object]
) -> Iterator[Row]:
    """Yield the rows of some lines; of more lines, as long as a row goes on where they end."""
    last = 0  # the number of the last line given

    def lines() -> Iterator[Lines | LongLine]:
        nonlocal last
        for one in chain(given, more):
            last = one.number if isinstance(one, LongLine) else one.number + len(one.texts) - 1
            yield one

    for row in table_rows(lines(), SEARCHED, delimiter, has_header=False, cut=cut):
        yield row
        if isinstance(row.text, tuple) and row.number + len(row.text) > last:
            return
