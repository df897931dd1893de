"""CSV and TSV: each cell is a text, with the name of its column (RFC 4180).

Rows that are well formed beyond doubt are read by the kernel, many at once, and the others by `csv`, which is lenient:
it accepts a quotation mark inside a cell, and more cells than columns. A mark that is never closed, or behind whose end
something else than the end of a cell stands in a later line, costs only its line: there it is a character like others.
"""

from __future__ import annotations

import csv
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice

from urisieve.errors import InputError
from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.kernel import either, kernel
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple
from urisieve.records.base import Context
from urisieve.records.layouts import SharedValues, as_numbers
from urisieve.records.masking import masked_name
from urisieve.sources.blocks import About, columns_of_values, value_columns
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.carrier_notations import quoted_map
from urisieve.sources.bytes.lines import LINE_LIMIT, LineReader, Lines, LongLine, cells_of_line
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import BlockRows, Document
from urisieve.sources.kinds.sniffing import layout_of
from urisieve.sources.segments import Segments
from urisieve.wording import did_you_mean, shortened

if TYPE_CHECKING:
    from urisieve.sources.kinds.kind_table import Layout


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the cells of a table, row by row, with their quotes resolved; of columns that are wanted only those.

    A row that cannot be parsed (it is too long, or has a cell beyond the limit of Python's `csv`) is counted and read
    as text, and so is what is above the header. The first rows show where that is, and what is between cells, if
    neither the options nor the part of a file state it.

    Raises:
        InputError: reading fails or the text is cut, or there is no such column.
        UsageError: the encoding is not known.
    """
    reading = out.reading
    layout = None if source.cut is None else source.cut.layout
    if layout is None:
        beginning = BlockReader(source.blocks)
        layout = layout_of(
            beginning, out.kind, reading.delimiter, reading.skip_lines, has_title=source.promised is not None
        )
        source.blocks = beginning.rest()
    encoding = out.encoding()
    return _TableReader(source, out, LineReader(source.blocks, encoding, source.after), layout).documents()


class _TableReader:
    """One pass over the rows of a table."""

    def __init__(self, source: Content, out: Segments, reader: LineReader, layout: Layout) -> None:
        self._out = out
        self._cut = source.cut
        self._reader = reader
        self._layout = layout
        self._rows = _Rows(reader.batches(), layout.delimiter)
        mark = re.escape(layout.delimiter)
        self._cell = re.compile(rf'(?:"((?>[^"]|"")*+)"|([^{mark}\r\n]*+))(?:{mark}|\r?\n|\Z)')
        self._labels: tuple[str, ...] = ()
        self._wanted: list[int] | None = None
        self._awaits_header = True
        if self._cut is not None and self._cut.names:
            self._named(self._cut.names)

    def documents(self) -> Iterator[Document | None]:
        out, rows = self._out, self._rows
        for row in rows.lines(self._layout.above if self._awaits_header else 0):
            if out.reading.skip_lines is None:
                yield self._text(row)
            else:
                out.skip("as-asked", kind="line")
        while rows.fill():
            found = None if self._awaits_header else rows.by_kernel(self._wanted)
            if found is not None:
                yield self._block(found)
                continue
            if rows.may_wait:
                out.pause()
                yield None
            row = rows.next()
            if row.fault is not None:
                read_as = "its cells are read" if row.cells else "read as text"
                out.fault("no-row", f"line {row.number:,} is not a row: {row.fault}; {read_as}", kind="row")
                if not row.cells:
                    yield self._text(row)
                    continue
            self._add(row)
            out.count("row")
            if rows.is_drained:
                out.pause()
            yield None
        if rows.is_cut and self._cut is not None:
            self._cut.end.is_sure = False
        out.decoded(self._reader.decoder)

    def _text(self, row: _CellRow) -> Document | None:
        """Return the lines of a row as text."""
        source_map = partial(self._reader.decoder.source_map, row.start)
        return self._out.add(row.lines, source_map, row=row.number, legacy=self._reader.legacy)

    def _named(self, names: tuple[str, ...]) -> None:
        """Take the names of the columns, of which the next row is not the header any more.

        Raises:
            InputError: there is no such column.
        """
        self._awaits_header = False
        wanted = column_indices(self._out.run.places, names)
        self._wanted = None if wanted is None else sorted(wanted)
        self._labels = _labels(names)

    def _label(self, column: int, *, is_header: bool = False) -> str:
        """Return how a column is named in locations: by its name, or by its number if it has none."""
        names = () if is_header else self._labels
        return (names[column] if column < len(names) else "") or str(column + 1)

    def _time(self, cells: Iterable[str], *, is_header: bool = False) -> Context | None:
        """Return the time that the cells of a row state."""
        dating = self._out.dating
        if dating is None:
            return None
        return dating(self._named_cells(cells, is_header=is_header))

    def _named_cells(self, cells: Iterable[str], *, is_header: bool = False) -> Iterator[tuple[str, str]]:
        """Yield the cells of a row, each after the name of its column."""
        return ((self._label(column, is_header=is_header), cell) for column, cell in enumerate(cells))

    def _add(self, row: _CellRow) -> None:
        """Add the wanted cells of a row."""
        is_header = self._awaits_header and bool(row.cells)
        if is_header:
            self._named(self._layout.names(row.cells))
        when = self._time(row.cells, is_header=is_header)
        matches: list[re.Match[str]] = []
        add, legacy = self._out.add, self._reader.legacy
        is_torn = self._rows.is_torn(row.number)
        for column in range(len(row.cells)) if self._wanted is None else self._wanted:
            if column < len(row.cells):
                add(
                    row.cells[column],
                    partial(self._cell_map, row, matches, column),
                    field=self._label(column, is_header=is_header),
                    row=row.number,
                    delimited=Delimited.TEXT if is_torn and '"' in row.cells[column] else Delimited.VALUE,
                    context=when,
                    legacy=legacy,
                    always=True,
                    beside=partial(self._named_cells, row.cells),
                )

    def _cell_map(self, row: _CellRow, matches: list[re.Match[str]], column: int) -> SourceMap | None:
        """Return the map from a cell to its bytes; None after odd quotation marks.

        Args:
            row: the row.
            matches: the cells of the row as they are written, which the first call for it finds.
            column: the index of the cell.
        """
        if not matches:
            scan = self._cell.scanner("".join(row.lines))  # type: ignore[attr-defined]
            matches.extend(iter(scan.match, None))
        if column >= len(matches):
            return None
        match = matches[column]
        quoted = match[1]
        found = match[2] if quoted is None else quoted.replace('""', '"')
        if found != row.cells[column]:
            return None
        start = match.start(2 if quoted is None else 1)
        return self._reader.decoder.source_map(row.start + start, None if quoted is None else quoted_map(quoted))

    def _block(self, rows: _FoundCells) -> Document | None:
        """Return the wanted cells of rows that the kernel has found."""
        self._out.count("row", len(rows.firsts) - 1)
        whole, begins, kept = rows.chosen or (rows.whole, rows.begins, None)
        times: dict[int, Context | None] = {}  # of the last row that was asked for

        def about(index: int) -> About:
            index = index if kept is None else kept[index]
            row = bisect_right(rows.firsts, index) - 1
            first, end = rows.firsts[row], rows.firsts[row + 1]
            if row not in times:
                times.clear()
                times[row] = self._time(map(rows.text, range(first, end)))
            field = self._label(index - first)

            def beside() -> Iterator[tuple[str, str]]:
                return self._named_cells(map(rows.text, range(first, end)))

            return partial(self._found_map, rows, index), field, rows.number + rows.lines[row], times[row], beside

        columns = None if self._out.wants_context else partial(self._columns, rows, kept, whole, begins, about)
        return self._out.block_of(whole, begins, about, legacy=self._reader.legacy, columns=columns)

    def _columns(
        self,
        rows: _FoundCells,
        kept: memoryview[int] | None,
        whole: str,
        begins: Sequence[int],
        about: Callable[[int], About],
        found: BlockRows,
    ) -> dict[str, Sequence[Any]]:
        """Return what `columns_of_values` returns."""
        offsets = self._reader.decoder.offsets
        if not len(found.numbers) or offsets is None:
            return columns_of_values(whole, begins, about, found)
        texts, starts, ends = map(as_numbers, (found.numbers, found.starts, found.ends))
        made = kernel.cell_places(
            texts, starts, ends, kept, rows.firsts, rows.lines, rows.starts, rows.number, rows.start
        )
        columns = memoryview(made[1]).cast("I")
        fields = SharedValues([self._label(column) for column in range(max(columns) + 1)], columns)

        def quoted(text: int) -> SourceMap | None:
            if whole.find('"', begins[text], begins[text + 1]) < 0:
                return None
            return self._found_map(rows, text if kept is None else kept[text])

        places = array("q", made[0]), _numbers(made[2]), _numbers(made[3])
        return value_columns(found, fields, *places, offsets, quoted if '"' in whole else None)

    def _found_map(self, rows: _FoundCells, index: int) -> SourceMap | None:
        text = rows.text(index)
        if '"' not in text or rows.is_literal(index):
            return self._reader.decoder.source_map(rows.start + rows.starts[index])
        return self._reader.decoder.source_map(rows.start + rows.starts[index], quoted_map(text.replace('"', '""')))


class _CellRow(NamedTuple):
    """A row: its cells, the number of its first line, the offset of that, its lines, and why it is none.

    One that is none may have cells all the same.
    """

    cells: list[str]
    number: int
    start: int
    lines: Iterable[str]
    fault: str | None


class _FoundCells(NamedTuple):
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


def _numbers(data: bytes) -> memoryview[int]:
    return memoryview(data).cast("q")


class _Rows:
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

    def by_kernel(self, columns: list[int] | None) -> _FoundCells | None:
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
        begins, starts, firsts, lines, literals = map(_numbers, numbers)
        rows = max(0, len(firsts) - 1)
        if rows < _FEW and not is_full and self._offset + taken < len(self._data):
            self._passes = min(2 * self._passes + 1, _MOST_PASSED)
            self._passed = max(rows, self._passes)
            return None
        self._passes = 0
        searched = None if columns is None else (chosen, _numbers(chosen_begins), _numbers(kept))
        found = _FoundCells(whole, begins, starts, firsts, lines, literals, self._number, self._start, searched)
        self._number += lines[-1]
        self._start += size
        self._at += lines[-1]
        self._offset += taken
        return found

    def lines(self, count: int) -> Iterator[_CellRow]:
        """Yield so many lines, each as a row without cells."""
        for _ in range(count):
            if not self.fill():
                return
            yield self.next(is_line=True)

    def next(self, *, is_line: bool = False) -> _CellRow:
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
        return _CellRow(
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


def _labels(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return how columns are named in locations, by the first row: "" for no name; a row of addresses names nothing.

    Columns of one name have their numbers after it: `url (2)` and `url (3)`.
    """
    if any("://" in name for name in names):
        return ()
    shown = [masked_name(name)[:_LONGEST_LABEL] for name in names]
    counted = Counter(shown)
    return tuple(
        f"{name} ({number})" if name and counted[name] > 1 else name for number, name in enumerate(shown, start=1)
    )


def table_head(
    blocks: Iterable[bytes], layout: Layout, encoding: str | None, columns: tuple[str, ...]
) -> tuple[tuple[str, ...], int] | None:
    """Return the columns that a table names, and the number of lines up to the end of its header.

    Args:
        blocks: the table.
        layout: its layout.
        encoding: the name of a codec.
        columns: the columns to read.

    Returns:
        both; None if it has no header, or one without some of the columns.

    Raises:
        InputError: reading fails.
    """
    rows = _Rows(LineReader(blocks, encoding).batches(), layout.delimiter)
    for row in rows.lines(layout.above):
        for _ in row.lines:  # one that is too long is read to its end
            pass
    while rows.fill():
        row = rows.next()
        if row.cells:
            names = layout.names(row.cells)
            try:
                column_indices(columns, names)
            except InputError:
                return None
            return names, row.number - 1 + len(tuple(row.lines))
    return None


def column_indices(columns: tuple[str, ...], names: tuple[str, ...]) -> frozenset[int] | None:
    """Return the indices of columns given by name, or by number if no column has that name; None for no columns.

    Raises:
        InputError: there is no such column.
    """
    indices: set[int] = set()
    for column in columns:
        if column in names:
            indices.update(index for index, name in enumerate(names) if name == column)
        elif re.fullmatch("[1-9][0-9]{0,5}", column):
            indices.add(int(column) - 1)
        else:
            raise InputError(f"has no column {column!r}; {listed_columns(names)}{did_you_mean(column, names)}")
    return frozenset(indices) if columns else None


def listed_columns(names: Sequence[str]) -> str:
    """Return which columns there are, for a message about one that is missing; of many and of long names, a part."""
    if not names:
        return "no column has a name"
    shown = ", ".join(repr(shortened(name, _NAME)) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"its columns are {shown}{more}"


# The most names of columns that a message lists, and the most characters of each.
_SHOWN: Final = 20
_NAME: Final = 40
# The name of a column is part of every record found in it.
_LONGEST_LABEL: Final = 256
