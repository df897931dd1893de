"""CSV and TSV: each cell is a document, with the name of its column (RFC 4180)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from urisieve.errors import InputError, UsageError
from urisieve.find.delimited import Delimited
from urisieve.lean.hints import Final
from urisieve.nearest import did_you_mean
from urisieve.printable import shortened
from urisieve.sources.bytes.decoding import count_stray
from urisieve.sources.bytes.lines import LineReader
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.splices import Splices
from urisieve.sources.containers.contents import Content, masked_name
from urisieve.sources.documents import Document, Location, Tally
from urisieve.sources.structured.broken_rows import SEARCHED
from urisieve.sources.structured.row_reader import Row
from urisieve.sources.structured.table_header import TableHeader
from urisieve.sources.structured.table_rows import table_rows

__all__ = ["column_indices", "listed_columns", "table_cells"]


def table_cells(
    content: Content,
    *,
    tally: Tally,
    columns: Sequence[str] = (),
    delimiter: str = ",",
    header: TableHeader | str = TableHeader.FIRST_ROW,
    maybe: Callable[[str], object] | None = None,
    encoding: str | None = None,
) -> Iterator[Document]:
    """Yield the cells of a table, row by row, with their quotes resolved.

    A row that cannot be parsed (a quotation mark that nothing closes, a cell beyond the limit of Python's `csv`) is
    counted and read as text.

    Args:
        content: the table.
        tally: counts rows and broken rows.
        columns: the names, or the numbers from 1, of the only columns to read.
        delimiter: the character between cells: a comma, a tabulator, a semicolon.
        header: whether the first row names the columns.
        maybe: returns a false value for text without identifiers; cells for which it does are left out.
        encoding: the name of a codec.

    Iterating raises `InputError` if reading fails or the text is cut, or if there is no such column.

    Raises:
        UsageError: the delimiter is not one character, or the encoding is not known.
    """
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise UsageError(
            f"delimiter={delimiter!r} must be one character other than a quotation mark or the end of a line"
        )
    reader = LineReader(content.blocks, encoding)
    return _cells(content, reader, tally, tuple(columns), delimiter, TableHeader(header), maybe)


def _cells(
    content: Content,
    reader: LineReader,
    tally: Tally,
    columns: tuple[str, ...],
    delimiter: str,
    header: TableHeader,
    maybe: Callable[[str], object] | None,
) -> Iterator[Document]:
    mark = re.escape(delimiter)
    pattern = re.compile(rf'(?:"((?>[^"]|"")*+)"|([^{mark}\r\n"][^{mark}\r\n]*+)?)(?:{mark}|\r?\n|\Z)')
    has_header = header is TableHeader.FIRST_ROW
    wanted = None if has_header else column_indices(columns, ())
    labels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def blank() -> None:
        tally.read["row"] += 1

    for row in table_rows(reader.batches(), SEARCHED, delimiter, has_header=has_header, blank=blank):
        if row.fault is not None:
            SEARCHED.report(tally, content.source, row.number, row.fault)
            yield _as_text(content, reader, row)
            continue
        tally.read["row"] += 1
        if row.values is None:
            continue
        if row.is_header:
            wanted = column_indices(columns, row.names)
            names = () if any("://" in name for name in row.names) else row.names  # a row of addresses names nothing
        else:
            labels = names
        spans = _Spans(row, pattern)
        for index, cell in enumerate(row.values):
            if (wanted is None or index in wanted) and (maybe is None or maybe(cell)):
                label = (
                    masked_name(labels[index][:_LONGEST_LABEL])
                    if index < len(labels) and labels[index]
                    else str(index + 1)
                )
                yield Document(
                    source=content.source,
                    text=(cell,),
                    place=Location(field=label, row=row.number),
                    offsets=partial(_way_back, reader, spans, index, cell),
                    legacy=reader.legacy,
                    delimited=Delimited.VALUE,
                )
    count_stray(tally, content.source, reader.decoder)


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


class _Spans:
    """The offsets of the cells of a row, computed when an identifier was found in one of them."""

    def __init__(self, row: Row, pattern: re.Pattern[str]) -> None:
        self.start = row.start
        self._lines = row.text
        self._pattern = pattern
        self._cells: list[re.Match[str]] | None = None

    def cell(self, index: int) -> re.Match[str] | None:
        """Return the match of a cell, quoted in its first group, else in its second; None after odd quotation marks."""
        if self._cells is None:
            text = "".join(self._lines)
            scan = self._pattern.scanner(text)  # type: ignore[attr-defined]
            self._cells = list(iter(scan.match, None))
        return self._cells[index] if index < len(self._cells) else None


def _way_back(reader: LineReader, spans: _Spans, index: int, cell: str) -> OffsetMap | None:
    """Return the way back from a cell to its bytes."""
    match = spans.cell(index)
    if match is None:
        return None
    splices = Splices()
    group = 1 if match[1] is not None else 2
    found = match[group] or ""
    if group == 1:
        for count, quote in enumerate(re.finditer('""', found)):
            splices.replace(quote.start() - count, 2, 1)
        found = found.replace('""', '"')
    start = match.start(group) if match[group] is not None else match.start()
    return reader.way_back(spans.start + start, splices) if found == cell else None
