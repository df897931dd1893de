"""CSV and TSV: each cell is a text, with the name of its column (RFC 4180)."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from urisieve.errors import InputError
from urisieve.find.delimited import Delimited
from urisieve.kernel import kernel
from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.records.base import Context
from urisieve.records.layouts import SharedValues, as_numbers
from urisieve.records.masking import masked_name
from urisieve.sources.blocks import About, columns_of_values, value_columns
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.carrier_notations import quoted_map
from urisieve.sources.bytes.lines import LineReader
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import BlockRows, Document
from urisieve.sources.kinds.sniffing import layout_of
from urisieve.sources.segments import Segments
from urisieve.sources.structured.table_cells import CellRow, CellRows, FoundCells, numbers_of
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
    blocks = layout.with_feeds(source.blocks)
    return _TableReader(source, out, LineReader(blocks, encoding, source.after), layout).documents()


class _TableReader:
    """One pass over the rows of a table."""

    def __init__(self, source: Content, out: Segments, reader: LineReader, layout: Layout) -> None:
        self._out = out
        self._cut = source.cut
        self._reader = reader
        self._layout = layout
        self._rows = CellRows(reader.batches(), layout.delimiter)
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

    def _text(self, row: CellRow) -> Document | None:
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

    def _add(self, row: CellRow) -> None:
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

    def _cell_map(self, row: CellRow, matches: list[re.Match[str]], column: int) -> SourceMap | None:
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

    def _block(self, rows: FoundCells) -> Document | None:
        """Return the wanted cells of rows that the kernel has found."""
        self._out.count("row", len(rows.firsts) - 1)
        whole, begins, kept = rows.chosen or (rows.whole, rows.begins, None)
        times: dict[int, Context | None] = {}  # of the last row that was asked for

        def time_of(row: int) -> Context | None:
            if row not in times:
                times.clear()
                times[row] = self._time(map(rows.text, range(rows.firsts[row], rows.firsts[row + 1])))
            return times[row]

        def context(index: int) -> Context | None:
            return time_of(bisect_right(rows.firsts, index if kept is None else kept[index]) - 1)

        def about(index: int) -> About:
            index = index if kept is None else kept[index]
            row = bisect_right(rows.firsts, index) - 1
            first, end = rows.firsts[row], rows.firsts[row + 1]
            field = self._label(index - first)

            def beside() -> Iterator[tuple[str, str]]:
                return self._named_cells(map(rows.text, range(first, end)))

            return partial(self._found_map, rows, index), field, rows.number + rows.lines[row], time_of(row), beside

        asked = context if self._out.wants_context else None
        columns = partial(self._columns, rows, kept, whole, begins, about, asked)
        return self._out.block_of(whole, begins, about, legacy=self._reader.legacy, columns=columns)

    def _columns(
        self,
        rows: FoundCells,
        kept: memoryview[int] | None,
        whole: str,
        begins: Sequence[int],
        about: Callable[[int], About],
        context: Callable[[int], Context | None] | None,
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

        places = array("q", made[0]), numbers_of(made[2]), numbers_of(made[3])
        return value_columns(found, fields, *places, offsets, quoted if '"' in whole else None, context)

    def _found_map(self, rows: FoundCells, index: int) -> SourceMap | None:
        text = rows.text(index)
        if '"' not in text or rows.is_literal(index):
            return self._reader.decoder.source_map(rows.start + rows.starts[index])
        return self._reader.decoder.source_map(rows.start + rows.starts[index], quoted_map(text.replace('"', '""')))


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
    rows = CellRows(LineReader(layout.with_feeds(blocks), encoding).batches(), layout.delimiter)
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
