"""The rows of a table as cells: many at once by the kernel, where they are well formed beyond doubt, else by `csv`.

`csv` is lenient: it accepts a quotation mark inside a cell, and more cells than columns. A mark that is never closed,
or behind whose end something else than the end of a cell stands in a later line, costs only its line: there it is a
character like others.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from urisieve.find.delimited import SEPARATOR
from urisieve.kernel import either, kernel
from urisieve.lean import Final, NamedTuple
from urisieve.sources.bytes.lines import LINE_LIMIT, Lines, LongLine, cells_of_line


class CellRow(NamedTuple):
    """A row: its cells, the number of its first line, the offset of that, its lines, and why it is none.

    One that is none may have cells all the same.
    """

    cells: list[str]
    number: int
    start: int
    lines: Iterable[str]
    fault: str | None


class FoundCells(NamedTuple):
    """The cells of some rows of a table, as the kernel has found them; offsets are in characters.

    Attributes:
        whole: the cells, each after a separator; see `Document`.
        begins: the offset of each in it, and after them that of one more.
        starts: the offset of each in the text.
        firsts: for each row the index of its first cell, and after them the number of cells.
        lines: for each row the number of its first line, from 1, less `number`.
        literals: the indices of cells that have quotation marks inside but not around them.
        number: the number of the first line.
        start: what is to be added to `starts`.
        chosen: the cells of the columns that are wanted, the offset of each, and the index of each among all; None for
            all columns.
    """

    whole: str
    begins: memoryview[int]
    starts: memoryview[int]
    firsts: memoryview[int]
    lines: memoryview[int]
    literals: memoryview[int]
    number: int
    start: int
    chosen: tuple[str, memoryview[int], memoryview[int]] | None = None

    def text(self, index: int) -> str:
        """Return a cell."""
        return self.whole[self.begins[index] : self.begins[index + 1] - len(SEPARATOR)]

    def is_literal(self, index: int) -> bool:
        """Report whether the quotation marks in a cell are part of it as it is written."""
        at = bisect_right(self.literals, index)
        return at > 0 and self.literals[at - 1] == index


def _can_find(delimiter: str) -> bool:
    """Report whether the kernel finds cells with such a delimiter."""
    return delimiter.isascii() and (delimiter.isprintable() or delimiter == "\t")


_finds: Final = either(_can_find, lambda _: False)
# So few rows up to one that the kernel leaves are read in Python, too: a block of cells costs as much as many of them.
_FEW: Final = 16
# The most bytes of cells that are searched at once, but for the last row: fewer than those of a block that is divided.
_BLOCK: Final = 196_608
# The most rows that are read in Python before the kernel is asked again: where it leaves most of them.
_MOST_PASSED: Final = 64


def numbers_of(data: bytes) -> memoryview[int]:
    """Return the numbers of 64 bits that the kernel has written one after another."""
    return memoryview(data).cast("q")


class CellRows:
    """The rows of a table; line feeds may be in quotation marks (RFC 4180 2.6).

    Args:
        batches: the lines.
        delimiter: the character between cells.

    Attributes:
        is_cut: whether the last row went on where the lines ended.
    """

    def __init__(self, batches: Iterator[Lines | LongLine], delimiter: str) -> None:
        self.is_cut = False
        self._batches = batches
        self._delimiter = delimiter
        self._goes_on = re.compile(rf'(?>[^"]|"")*+(?:" *(?:{re.escape(delimiter)}|\r?\n)|\Z)')
        self._by_kernel = _finds(delimiter)
        self._texts: Sequence[str | LongLine] = ()
        self._at = self._size = 0
        self._data = b""  # the lines as the kernel reads them, if it has been asked for some
        self._offset = 0  # of the next line there
        self._passed = self._passes = 0  # rows that are read in Python before the kernel is asked: still, and at first
        self._number, self._start = 1, 0  # of the line there
        self._row: list[str | LongLine] = []  # the lines of the row that is read
        self._open_until = 0  # the number of a line: a row that begins before it, and does not end in its line, is none

    @property
    def is_drained(self) -> bool:
        """Whether all lines have been read that there are without waiting for more."""
        return self._at == len(self._texts)

    @property
    def may_wait(self) -> bool:
        """Whether the next row seems to go on after these lines."""
        text = self._texts[self._at]
        if isinstance(text, LongLine) or text.count('"') % 2 == 0:
            return False
        return not any('"' in one for one in islice(self._texts, self._at + 1, None) if isinstance(one, str))

    def is_torn(self, number: int) -> bool:
        """Report whether a line may have the end of a cell that began in a line before, and was none."""
        return number <= self._open_until

    def fill(self) -> bool:
        """Go on to more lines where all have been read; return whether there are any."""
        while self.is_drained:
            batch = next(self._batches, None)
            if batch is None:
                return False
            self._number, self._start, self._at, self._data = batch.number, batch.start, 0, b""
            self._texts = (batch,) if isinstance(batch, LongLine) else batch.texts  # type: ignore[assignment]
        return True

    def by_kernel(self, columns: list[int] | None) -> FoundCells | None:
        """Take the next rows as far as they are well formed beyond doubt; None for none.

        Args:
            columns: the indices of the columns that are wanted; None for all.
        """
        if not self._by_kernel or isinstance(self._texts[self._at], LongLine) or self.is_torn(self._number):
            return None
        if self._passed:
            self._passed -= 1
            return None
        if not self._data:
            text = "\n".join([*self._texts[self._at :], ""])  # type: ignore[list-item]
            self._data, self._offset = text.encode("utf-8", "surrogatepass"), 0
        limit = csv.field_size_limit()
        made = kernel.table_cells(self._data, self._offset, ord(self._delimiter), limit, _BLOCK, columns)
        whole, *numbers, chosen, chosen_begins, kept, size, taken, is_full = made
        begins, starts, firsts, lines, literals = map(numbers_of, numbers)
        rows = max(0, len(firsts) - 1)
        if rows < _FEW and not is_full and self._offset + taken < len(self._data):
            self._passes = min(2 * self._passes + 1, _MOST_PASSED)
            self._passed = max(rows, self._passes)
            return None
        self._passes = 0
        searched = None if columns is None else (chosen, numbers_of(chosen_begins), numbers_of(kept))
        found = FoundCells(whole, begins, starts, firsts, lines, literals, self._number, self._start, searched)
        self._number += lines[-1]
        self._start += size
        self._at += lines[-1]
        self._offset += taken
        return found

    def lines(self, count: int) -> Iterator[CellRow]:
        """Yield so many lines, each as a row without cells."""
        for _ in range(count):
            if not self.fill():
                return
            yield self.next(is_line=True)

    def next(self, *, is_line: bool = False) -> CellRow:
        """Return the next row, or line as one without cells; `fill` has found that there is one."""
        number, start = self._number, self._start
        self._row = []
        self._size = 0
        cells: list[str] = []
        fault = None
        try:
            if is_line:
                next(self)
            else:
                cells, fault = self._cells(number, start)
        except csv.Error as error:
            fault = str(error)
        *lines, last = self._row
        texts = [f"{line}\n" for line in lines]
        return CellRow(
            cells, number, start, (*texts, f"{last}\n") if isinstance(last, str) else chain(texts, last.pieces), fault
        )

    def _cells(self, number: int, start: int) -> tuple[list[str], str | None]:
        """Return the cells of the next row, and what is wrong with it, by the number and the offset of its first line.

        Raises:
            csv.Error: it has no cells, since it is too long, or one of them is.
        """
        if number >= self._open_until:
            try:
                return next(csv.reader(self._lines_of_row(), delimiter=self._delimiter)), None
            except csv.Error:
                if isinstance(self._row[0], LongLine):
                    raise
            # Whatever line before this one leaves a cell open, it ends here, too.
            self._open_until = self._number - 1
            self._give_back(number, start)
        else:
            next(self)
        return _one_line(self._row[0], self._delimiter)  # type: ignore[arg-type]

    def _lines_of_row(self) -> Iterator[str]:
        """Yield the next line, and those after it in which a cell that began before them may go on.

        Raises:
            csv.Error: something else than the end of the cell stands behind its last quotation mark, or there is none.
        """
        yield next(self)
        for line in self:
            if self._goes_on.match(line) is None:
                raise csv.Error("more of a cell is behind its end")
            yield line
        raise csv.Error("a quotation mark is never closed")

    def _give_back(self, number: int, start: int) -> None:
        """Read all lines of the row but the first once more; of that these are the number and the offset."""
        first, *others = self._row
        if not others:
            return
        del self._row[1:]
        if isinstance(others[-1], LongLine):
            self._batches = chain([others.pop()], self._batches)  # type: ignore[list-item]
            self._texts, self._at = others, 0
        elif len(others) <= self._at:
            self._at -= len(others)
        else:
            self._texts, self._at = [*others, *self._texts[self._at :]], 0
        self._data = b""
        self._number, self._start = number + 1, start + len(first) + 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        """Return the next line to the parser.

        Raises:
            csv.Error: the row is too long.
        """
        if not self.fill():
            self.is_cut = True
            raise StopIteration
        text = self._texts[self._at]
        self._at += 1
        self._row.append(text)
        if isinstance(text, str):
            self._number += 1
            self._start += len(text) + 1
            self._size += len(text) + 1
            if self._data:
                self._offset += len(text if text.isascii() else text.encode("utf-8", "surrogatepass")) + 1
            if self._size <= LINE_LIMIT:
                return f"{text}\n"
        raise csv.Error("too long")


def _one_line(line: str, delimiter: str) -> tuple[list[str], str | None]:
    """Return the cells of a row that ends with its line, and its fault if a quotation mark is never closed in it.

    Such a mark is a character, and the cells behind it are what is between delimiters.

    Raises:
        csv.Error: a cell is too long.
    """
    cells, is_open = cells_of_line(line, delimiter)
    if not is_open:
        return cells, None
    written = cells.pop().removesuffix("\r").replace('"', '""')
    return [*cells, *f'"{written}'.split(delimiter)], "a quotation mark is never closed"
