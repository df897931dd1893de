"""CSV and TSV: each cell a document of its own, with the name of its column (RFC 4180)."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import Final

from urisieve.errors import InputError, UsageError
from urisieve.find.delimited import Delimited
from urisieve.nearest import did_you_mean
from urisieve.sources.bytes.decoding import count_stray
from urisieve.sources.bytes.lines import LINE_LIMIT, Line, LineReader, LongLine
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.splices import Splices
from urisieve.sources.containers.contents import Content, masked_name
from urisieve.sources.documents import Document, Location, Tally

__all__ = ["TableHeader", "table_cells"]


class TableHeader(StrEnum):
    """Whether the first row names the columns."""

    FIRST_ROW = "first-row"
    """It does; it is read as well, for some tables have none."""
    NONE = "none"
    """Columns have numbers only, from 1."""


class _RowTooLongError(Exception):
    """A row beyond what is kept of it."""


class _RowLines:
    """Gives lines to the parser, and keeps those of the row that it is in."""

    def __init__(self, lines: Iterator[Line | LongLine]) -> None:
        self._lines = lines
        self.row: list[Line] = []
        self.long: LongLine | None = None
        self._size = 0

    def begin(self) -> None:
        self.row = []
        self.long = None
        self._size = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        if isinstance(line, LongLine):
            self.long = line
            raise _RowTooLongError
        self.row.append(line)
        self._size += len(line.text) + 1
        if self._size > LINE_LIMIT:
            raise _RowTooLongError
        return line.text + "\n"


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
    """The cells of a table, row by row, with their quotes resolved.

    A row that cannot be parsed (a quotation mark that nothing closes, a cell beyond the limit of Python's `csv`) is
    counted and read as text.

    Args:
        content: the table.
        tally: where rows and broken rows are counted.
        columns: the names or the numbers from 1 of the only columns to read.
        delimiter: what stands between cells: a comma, a tabulator, a semicolon.
        header: whether the first row names the columns.
        maybe: whether a text can hold what is looked for: cells for which it gives nothing true are left out.
        encoding: the name of a codec.

    Iterating raises `InputError` where reading fails or the text is cut, or where there is no such column.

    Raises:
        UsageError: the delimiter is not one character, or the encoding is not known.
    """
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise UsageError(f"delimiter={delimiter!r} must be one character, and no quotation mark")
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
    lines = _RowLines(iter(reader))
    rows = csv.reader(lines, delimiter=delimiter)
    mark = re.escape(delimiter)
    pattern = re.compile(rf'(?:"((?:[^"]|"")*+)"|([^{mark}\r\n"][^{mark}\r\n]*+)?)(?:{mark}|\r?\n|\Z)')
    is_header = True  # a row of addresses is not one
    names: list[str] | None = None if header is TableHeader.FIRST_ROW else []
    wanted = None if names is None else _places(columns, names)
    while True:
        lines.begin()
        try:
            row = next(rows, None)
        except (csv.Error, _RowTooLongError) as error:
            reason = "too long" if isinstance(error, _RowTooLongError) else str(error)
            first = lines.row[0] if lines.row else lines.long
            assert first is not None
            tally.fault(
                "row", "no-row", f"{content.source}: line {first.number:,} is not a row: {reason}; read as text"
            )
            yield _as_text(content, reader, lines, first)
            rows = csv.reader(lines, delimiter=delimiter)
            continue
        if row is None:
            count_stray(tally, content.source, reader.decoder)
            return
        tally.read["row"] += 1
        if names is None:
            names = row
            wanted = _places(columns, names)
            labels: list[str] = []
            is_header = not any("://" in name for name in names)
        elif is_header:
            labels = names
        spans = _Spans(tuple(lines.row), pattern)
        for place, cell in enumerate(row):
            if (wanted is None or place in wanted) and (maybe is None or maybe(cell)):
                label = (
                    masked_name(labels[place][:_LONGEST_LABEL])
                    if place < len(labels) and labels[place]
                    else str(place + 1)
                )
                yield Document(
                    source=content.source,
                    text=(cell,),
                    place=Location(field=label, row=lines.row[0].number),
                    offsets=partial(_way_back, reader, spans, place, cell),
                    legacy=reader.legacy,
                    delimited=Delimited.VALUE,
                )


def _places(columns: tuple[str, ...], names: list[str]) -> frozenset[int] | None:
    """The places of columns given by name, or by number where no column has that name."""
    places: set[int] = set()
    for column in columns:
        if column in names:
            places.update(place for place, name in enumerate(names) if name == column)
        elif re.fullmatch("[1-9][0-9]{0,5}", column):
            places.add(int(column) - 1)
        else:
            known = ", ".join(repr(name) for name in names[:_SHOWN]) or "none has a name"
            raise InputError(f"there is no column {column!r}: {known}{did_you_mean(column, names)}")
    return frozenset(places) if columns else None


_SHOWN: Final = 20
# A name of a column stands in every record of it.
_LONGEST_LABEL: Final = 256


def _as_text(content: Content, reader: LineReader, lines: _RowLines, first: Line | LongLine) -> Document:
    pieces: Iterator[str] = (line.text + "\n" for line in lines.row)
    if lines.long is not None:
        pieces = chain(pieces, lines.long.pieces)
    return Document(
        source=content.source,
        text=pieces,
        place=Location(row=first.number),
        offsets=lambda: reader.way_back(first.start),
        legacy=reader.legacy,
    )


class _Spans:
    """Where the cells of a row stand, found once something was found in one of them."""

    def __init__(self, row: tuple[Line, ...], pattern: re.Pattern[str]) -> None:
        self.start = row[0].start if row else 0
        self._row = row
        self._pattern = pattern
        self._cells: list[re.Match[str]] | None = None

    def cell(self, place: int) -> re.Match[str] | None:
        """The match of a cell: quoted in its first group, else in its second; None behind strange quotation marks."""
        if self._cells is None:
            text = "".join(line.text + "\n" for line in self._row)
            scan = self._pattern.scanner(text)  # type: ignore[attr-defined]
            self._cells = list(iter(scan.match, None))
        return self._cells[place] if place < len(self._cells) else None


def _way_back(reader: LineReader, spans: _Spans, place: int, cell: str) -> OffsetMap | None:
    """The way back from a cell to its bytes."""
    match = spans.cell(place)
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
