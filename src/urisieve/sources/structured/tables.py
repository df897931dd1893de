"""CSV and TSV: each cell is a text, with the name of its column (RFC 4180)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain

from urisieve.errors import InputError
from urisieve.find.delimited import Delimited
from urisieve.lean import TYPE_CHECKING, Final, replace
from urisieve.records.base import Context, Location
from urisieve.records.masking import masked_name
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.lines import LineReader
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.containers.contents import Content
from urisieve.sources.content_tools import ContentTools
from urisieve.sources.documents import Document, TextBlock, WayBack
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.kinds.sniffing import csv_delimiter
from urisieve.sources.structured.cell_blocks import CellRows, FoundCells, alone, cell_rows
from urisieve.sources.structured.row_reader import SEARCHED, Row
from urisieve.wording import did_you_mean, shortened

if TYPE_CHECKING:
    from urisieve.sources.contexts import Dating


def table_cells(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    """Yield the cells of a table as blocks, row by row, with their quotes resolved.

    A row that cannot be parsed (a quotation mark that nothing closes, a cell beyond the limit of Python's `csv`) is
    counted and read as text.

    Args:
        tools: the options and counts; `ContentTools.places` names the only columns to read, or their numbers from 1.
        content: the table.
        kind: whether it is CSV, of which the first rows say what stands between cells if the options do not.

    Iterating raises `InputError` if reading fails or the text is cut, or if there is no such column.

    Raises:
        UsageError: the encoding is not known.
    """
    delimiter = tools.reading.delimiter or "\t"
    if content.cut is not None:
        delimiter = content.cut.delimiter
    elif kind is Kind.CSV and not tools.reading.delimiter:
        beginning = BlockReader(content.blocks)
        delimiter = csv_delimiter(beginning)
        content = replace(content, blocks=beginning.rest())
    content, encoding = tools.labelled(content)
    return _blocks(tools, content, LineReader(content.blocks, encoding, content.after), delimiter)


def _blocks(tools: ContentTools, content: Content, reader: LineReader, delimiter: str) -> Iterator[Document]:
    tally, columns, dating = tools.tally, tools.places, tools.dating()
    mark = re.escape(delimiter)
    pattern = re.compile(rf'(?:"((?>[^"]|"")*+)"|([^{mark}\r\n"][^{mark}\r\n]*+)?)(?:{mark}|\r?\n|\Z)')
    cut = content.cut
    names = () if cut is None else cut.names
    awaits_header = not names
    wanted = None if awaits_header else column_indices(columns, names or ())
    labels = _labels(names or ())

    def block(rows: CellRows) -> Document:
        return _Cells(content.source, reader, pattern, rows, labels, wanted, dating).block()

    def goes_on() -> None:
        if cut is not None:
            cut.end.is_sure = False

    by_kernel = not columns and delimiter.isascii() and (delimiter.isprintable() or delimiter == "\t")
    for found in cell_rows(reader.batches(), delimiter, goes_on, by_kernel=by_kernel):
        if isinstance(found, FoundCells):
            tally.read["row"] += len(found.firsts) - 1
            begin = 0
            if awaits_header:
                awaits_header = False
                begin = found.firsts[1]
                header_cells = _Found(content.source, reader, found, (), None).document()
                assert header_cells.block is not None
                yield replace(header_cells, block=header_cells.block.part(0, begin))
                labels = _labels(tuple(map(header_cells.block.text, range(begin))))
            document = _Found(content.source, reader, found, labels, dating).document()
            if document.block is not None and begin < document.block.size:
                yield replace(document, block=document.block.part(begin, document.block.size))
            continue
        if isinstance(found, Row) and found.fault is not None:
            SEARCHED.report(tally, content.source, found.number, found.fault)
            yield _as_text(content, reader, found)
            continue
        rows = alone(found) if isinstance(found, Row) else found
        tally.read["row"] += len(rows.cells)
        if awaits_header:
            first = next((row for row, cells in enumerate(rows.cells) if cells), None)
            if first is None:
                continue
            awaits_header = False
            names = tuple(rows.cells[first])
            wanted = column_indices(columns, names)
            named, rows = rows.split(first + 1)
            yield block(named)
            labels = _labels(names)
        if rows.cells:
            yield block(rows)
    tally.undecodable(content.source, reader.decoder.stray)


def _labels(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return how columns are named in locations, by the first row: "" for no name; a row of addresses names nothing.

    Columns of one name have their numbers behind it: `url (2)` and `url (3)`.
    """
    if any("://" in name for name in names):
        return ()
    shown = [masked_name(name[:_LONGEST_LABEL]) for name in names]
    counted = Counter(shown)
    return tuple(
        f"{name} ({number})" if name and counted[name] > 1 else name for number, name in enumerate(shown, start=1)
    )


def _label(labels: tuple[str, ...], column: int) -> str:
    """Return how a column is named in locations: by its name, or by its number if it has none."""
    return (labels[column] if column < len(labels) else "") or str(column + 1)


class _Found:
    """The cells of some rows that the kernel has found, searched as one block; see `_Cells`."""

    def __init__(
        self, source: str, reader: LineReader, rows: FoundCells, names: tuple[str, ...], dating: Dating | None
    ) -> None:
        self._times = _RowTimes(dating, names)
        self._source = source
        self._reader = reader
        self._rows = rows
        self._names = names
        self._texts = TextBlock.unplaced(rows.whole, rows.begins)

    def document(self) -> Document:
        """Return all cells as one document."""
        return _as_block(self._source, self._reader, self._texts._replace(document=self._document))

    def _document(self, index: int) -> Document:
        """Return one cell."""
        rows = self._rows
        row = bisect_right(rows.firsts, index) - 1
        text = self._texts.text(index)
        cells = range(rows.firsts[row], rows.firsts[row + 1])
        place = Location(
            field=_label(self._names, index - rows.firsts[row]),
            row=rows.number + rows.lines[row],
            context=self._times.of(row, map(self._texts.text, cells)),
        )
        return _cell(self._source, self._reader, text, place, partial(self._way_back, index, text))

    def _way_back(self, index: int, text: str) -> SourceMap | None:
        splices = SourceMap()
        for count, quote in enumerate(re.finditer('"', text)):  # of two each, in quotation marks
            at = quote.start() + count
            splices.add(splices.size, at)
            splices.replace(at, at + 2, 1)
        splices.add(splices.size, len(text) + splices.size - splices.length)
        return self._reader.way_back(self._rows.start + self._rows.starts[index], splices)


class _RowTimes:
    """The times of the rows of a table, each looked at once for the cells of it that are asked for one after another.

    Args:
        dating: returns the time that the cells of a row state; see `contexts.named_time`.
        names: how the columns are named.
    """

    def __init__(self, dating: Dating | None, names: tuple[str, ...]) -> None:
        self._dating = dating
        self._names = names
        self._last: tuple[int, Context | None] = (-1, None)

    def of(self, row: int, cells: Iterable[str]) -> Context | None:
        """Return the time of a row by its index and its cells."""
        if self._dating is not None and self._last[0] != row:
            self._last = row, self._dating((_label(self._names, column), cell) for column, cell in enumerate(cells))
        return self._last[1]


def _as_block(source: str, reader: LineReader, block: TextBlock) -> Document:
    return Document(source=source, text=(), legacy=reader.legacy, delimited=Delimited.VALUE, block=block)


def _cell(source: str, reader: LineReader, text: str, place: Location, offsets: WayBack) -> Document:
    return Document(
        source=source,
        text=(text,),
        place=place,
        offsets=offsets,
        legacy=reader.legacy,
        delimited=Delimited.VALUE,
    )


def table_head(
    blocks: Iterable[bytes], delimiter: str, encoding: str | None, columns: tuple[str, ...]
) -> tuple[tuple[str, ...], int] | None:
    """Return the columns that a table names, and the number of lines up to the end of its header.

    Args:
        blocks: the table.
        delimiter: the character between cells.
        encoding: the name of a codec.
        columns: the columns to read.

    Returns:
        both; None if it has no header, or one without some of the columns.

    Raises:
        InputError: reading fails.
    """
    for found in cell_rows(LineReader(blocks, encoding).batches(), delimiter, by_kernel=False):
        if isinstance(found, Row) and found.fault is not None:
            continue
        assert not isinstance(found, FoundCells)
        rows = alone(found) if isinstance(found, Row) else found
        first = next((row for row, cells in enumerate(rows.cells) if cells), None)
        if first is not None:
            names = tuple(rows.cells[first])
            try:
                column_indices(columns, names)
            except InputError:
                return None
            return names, rows.number - 1 + rows.first_line(first + 1)
    return None


class _Cells:
    """The cells of some rows, searched as one block.

    Args:
        source: the name of the table.
        reader: has read its lines.
        pattern: matches a cell with what ends it, quoted in its first group, else in its second.
        rows: the rows.
        names: how the columns are named, see `_labels`; those without a name have their number.
        wanted: the indices of the columns to search; None for all.
        dating: returns the time that the cells of a row state; see `contexts.named_time`.
    """

    def __init__(
        self,
        source: str,
        reader: LineReader,
        pattern: re.Pattern[str],
        rows: CellRows,
        names: tuple[str, ...],
        wanted: frozenset[int] | None,
        dating: Dating | None,
    ) -> None:
        self._times = _RowTimes(dating, names)
        self._source = source
        self._reader = reader
        self._pattern = pattern
        self._rows = rows
        self._names = names
        self._chosen = None if wanted is None else sorted(wanted)
        self._cells = rows.cells
        if self._chosen is not None:
            self._cells = [[row[index] for index in self._chosen if index < len(row)] for row in rows.cells]
        self._firsts: list[int] = []  # the index of the first cell of each row
        self._starts: list[int] = []  # the offset of each line
        self._matched: tuple[int, list[re.Match[str]]] = (-1, [])  # the cells of the last row asked for

    def block(self) -> Document:
        """Return all cells as one document."""
        cells = TextBlock.of(list(chain.from_iterable(self._cells)), self._document)
        return _as_block(self._source, self._reader, cells)

    def _document(self, index: int) -> Document:
        """Return one cell."""
        if not self._firsts:
            self._firsts = list(accumulate(map(len, self._cells), initial=0))
        row = bisect_right(self._firsts, index) - 1
        inner = index - self._firsts[row]
        column = inner if self._chosen is None else self._chosen[inner]
        place = Location(
            field=_label(self._names, column),
            row=self._rows.number + self._rows.first_line(row),
            context=self._times.of(row, self._rows.cells[row]),
        )
        way_back = partial(self._way_back, row, column)
        return _cell(self._source, self._reader, self._cells[row][inner], place, way_back)

    def _way_back(self, row: int, column: int) -> SourceMap | None:
        """Return the way back from a cell to its bytes; None after odd quotation marks."""
        if self._matched[0] != row:
            scan = self._pattern.scanner("".join(self._rows.text(row)))  # type: ignore[attr-defined]
            self._matched = row, list(iter(scan.match, None))
        matches = self._matched[1]
        if column >= len(matches):
            return None
        match = matches[column]
        splices = SourceMap()
        group = 1 if match[1] is not None else 2
        found = match[group] or ""
        if group == 1:
            for quote in re.finditer('""', found):
                splices.add(splices.size, quote.start())
                splices.replace(*quote.span(), 1)
            splices.add(splices.size, len(found))
            found = found.replace('""', '"')
        if found != self._rows.cells[row][column]:
            return None
        if not self._starts:
            self._starts = self._rows.starts()
        start = match.start(group) if match[group] is not None else match.start()
        return self._reader.way_back(self._starts[self._rows.first_line(row)] + start, splices)


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


def _as_text(content: Content, reader: LineReader, row: Row) -> Document:
    return Document(
        source=content.source,
        text=row.text,
        place=Location(row=row.number),
        offsets=lambda: reader.way_back(row.start),
        legacy=reader.legacy,
    )
