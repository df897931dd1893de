"""Files of rows: those of a data set, one after the other, with their bytes.

Also defines:

- rows that are passed on, many at once where the kernel can read them (`src/kernel/rows.h`).
- the contents of files of rows: decompressed, and the members of archives one after the other.
- Parquet, with the extra `parquet` (pyarrow).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import accumulate, pairwise

from urisieve.errors import InputError, UsageError
from urisieve.kernel import either, kernel
from urisieve.lean import Any, Final, NamedTuple
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.encodings import Family, find_encoding
from urisieve.sources.bytes.lines import LINE_LIMIT, LineCursor, Lines, kept_lines
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks, source_name, source_size
from urisieve.sources.containers.contents import Content
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind, Layout
from urisieve.sources.kinds.sniffing import SKIPPED_SIZE, csv_is_settled, layout_of, peeked, rows_are_settled, rows_kind
from urisieve.sources.structured.row_reader import ROW_LIMIT, Row, array_rows, json_rows, table_rows
from urisieve.sources.tally import Tally


def plain_contents(
    path: str, *, tally: Tally, blocks: Iterable[bytes] | None = None, is_asked: bool = False
) -> Iterator[Content]:
    """Yield the contents of a file; each must be read before the next one is asked for.

    Args:
        path: the file; `-` for standard input.
        tally: counts skipped things, and faults between contents.
        blocks: the bytes of the file, if they do not come from `path`.
        is_asked: whether it is known what kind of rows they are.

    Iterating `blocks` of a content raises `InputError` if it cannot be read any further.
    """
    from urisieve.sources.containers.unpacking import unpack

    name = source_name(path) or "standard input"
    if blocks is not None or path == STANDARD_INPUT:
        return unpack(name, read_blocks(path) if blocks is None else blocks, tally=tally, is_asked=is_asked)
    return unpack(name, read_blocks(path), tally=tally, path=path, is_asked=is_asked)


# The most fields that the kernel takes.
_MOST_FIELDS: Final = 16

# More cells than any row has.
_ANY_CELLS: Final = 2**31 - 1

# The bytes of an offset.
_SIZE: Final = 4

# The texts of a field, one for each row: their offsets, as numbers of 32 bits, and UTF-8.
FieldTexts = tuple[bytes, bytes]


class RowBlock(NamedTuple):
    """Rows that are well formed, one behind the other.

    Attributes:
        data: the bytes that hold them.
        bounds: the offset of each row, and the end of the last.
        fields: the texts of each field; a value that is missing is empty.
        number: the number of the line on which the first row begins, from 1; 0 where nobody asks for it.
        lines: the number of their lines.
    """

    data: bytes
    bounds: Sequence[int]
    fields: Sequence[FieldTexts]
    number: int = 0
    lines: int = 0

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.bounds) - 1

    def numbers(self) -> Sequence[int]:
        """Return the number of the line on which each row begins."""
        if self.lines == self.rows:
            return range(self.number, self.number + self.rows)
        feeds = (self.data.count(b"\n", start, end) for start, end in pairwise(self.bounds))
        return list(accumulate(feeds, initial=self.number))[:-1]

    def part(self, start: int, end: int) -> RowBlock:
        """Return some of the rows."""
        fields = [(offsets[start * _SIZE : (end + 1) * _SIZE], texts) for offsets, texts in self.fields]
        return RowBlock(self.data, self.bounds[start : end + 1], fields)


def can_take(kind: str, fields: Sequence[str], delimiter: str) -> bool:
    """Report whether the kernel can take rows with these fields; those of JSON lines are names and no paths."""
    if len(fields) > _MOST_FIELDS:
        return False
    if delimiter:
        return delimiter.isascii()
    return kind == "jsonl" and not any(set(field) & set(".[*") for field in fields)


_takes: Final = either(can_take, lambda *_: False)


def table_row_blocks(
    blocks: Iterable[bytes], layout: Layout, columns: Callable[[], Sequence[int]], *, has_header: bool = True
) -> Iterator[Row | RowBlock]:
    """Yield the rows of a table in UTF-8 unchanged, as `kept_rows` does; those that the kernel takes, many at once.

    Args:
        blocks: the bytes.
        layout: the layout of the table.
        columns: returns the indices of the columns of the fields, asked for behind the header.
        has_header: whether the first row names the columns; else rows may have any number of cells.

    Raises:
        InputError: as `kept_rows`.
    """
    lines = LineCursor(blocks, ROW_LIMIT)
    mark = ord(layout.delimiter)

    def taken(names: tuple[str, ...]) -> Iterator[RowBlock]:
        indices = tuple(columns())
        most = len(names) if has_header else _ANY_CELLS
        return _taken(lines, lambda data, start: kernel.table_fields(data, start, mark, most, indices))

    return table_rows(_one_by_one(lines), layout, has_header=has_header, taken=taken)


def json_row_blocks(blocks: Iterable[bytes], fields: Sequence[str]) -> Iterator[Row | RowBlock]:
    """Yield the rows of JSON lines, as `table_row_blocks` does those of a table."""
    lines = LineCursor(blocks, ROW_LIMIT)
    names = tuple(field.encode("utf-8", "surrogatepass") for field in fields)
    while True:
        yield from _taken(lines, lambda data, start: kernel.json_fields(data, start, names))
        if not lines.fill():
            return
        yield from json_rows((lines.line(),))


def _one_by_one(lines: LineCursor) -> Iterator[Lines]:
    while lines.fill():
        yield lines.line()


# Takes rows from an offset of some bytes on: their bounds, the number of their lines, and the texts of each field.
_Take = Callable[[bytes, int], tuple[bytes, int, Sequence[FieldTexts]]]


def _taken(lines: LineCursor, take: _Take) -> Iterator[RowBlock]:
    """Yield the rows that the kernel takes, up to one that it does not."""
    while lines.fill() and lines.is_text and len(lines.data) <= ROW_LIMIT:
        found, count, fields = take(lines.data, lines.start)
        bounds = array("i", found)
        if len(bounds) > 1:
            yield RowBlock(lines.data, bounds, fields, lines.number, count)
        lines.take(bounds[-1], count)
        if lines.start < len(lines.data):
            return


# The kind of rows that is detected by content.
AUTO: Final = "auto"
# The characters between the cells of tables, by kind.
DELIMITERS: Final = {"csv": ",", "tsv": "\t"}
_PARQUET: Final = b"PAR1"


class RowFormat(NamedTuple):
    """How the rows of a file are written, and how they are read.

    Attributes:
        kind: `jsonl`, `json`, `csv`, `tsv` or `parquet`; `AUTO` if the content is not of rows.
        delimiter: the character between the cells of a table; "" for that of the kind, and for kinds without one.
        blocks: the bytes of the file, if they do not come from its path.
        encoding: the encoding of the text, in which the byte 0A has to be a line feed everywhere; UTF-8 by default.
        skip: the number of lines above the header of a table; None for what its first rows show.
        has_header: whether the first row of a table names the columns.
    """

    kind: str
    delimiter: str = ""
    blocks: Iterable[bytes] | None = None
    encoding: str | None = None
    skip: int | None = None
    has_header: bool = True

    @property
    def mark(self) -> str:
        """The character between the cells of a table; "" for other kinds."""
        return self.delimiter or DELIMITERS.get(self.kind, "")

    def check(self) -> None:
        """Check that the content is of rows.

        Raises:
            InputError: it is not.
        """
        if self.kind == AUTO:
            raise InputError("is not of rows by its content: say what it is: csv, tsv, jsonl or json")

    def contents(self, path: str, tally: Tally) -> Iterator[Iterable[bytes]]:
        """Return the bytes of each content of a file; see `plain_contents`."""
        return (content.blocks for content in plain_contents(path, tally=tally, blocks=self.blocks, is_asked=True))

    def laid_out(self, blocks: Iterable[bytes]) -> tuple[Layout, Iterable[bytes]]:
        """Return the layout of a table, and its bytes; without a header only lines to be skipped are above it.

        Raises:
            InputError: its lines end with carriage returns alone, so that its rows cannot be passed on as they are.
        """
        if not self.has_header:
            return Layout(self.mark, self.skip or 0), blocks
        beginning = BlockReader(blocks)
        layout = layout_of(beginning, self.kind, self.mark, self.skip)
        if layout.is_of_returns:
            raise InputError(r"has lines that end with carriage returns alone; `tr '\r' '\n'` makes rows of them")
        return layout, beginning.rest()


def row_format(path: str, kind: str, delimiter: str = "", *, skip: int | None = None) -> RowFormat:
    """Return how the rows of a file are written; its content decides what the arguments leave open.

    Args:
        path: the file; `-` for standard input.
        kind: the kind; `AUTO` to detect it.
        delimiter: the character between the cells of a table; "" to detect it.
        skip: see `RowFormat`.

    Raises:
        InputError: the file cannot be read.
    """
    if kind not in (AUTO, "csv") or (kind == "csv" and delimiter):
        return RowFormat(kind, delimiter or DELIMITERS.get(kind, ""), skip=skip)
    if path != STANDARD_INPUT and source_size(path) is not None:  # it can be read again
        return RowFormat(*_detected(path, kind, delimiter, None, next(read_blocks(path), b""), skip), skip=skip)
    reader = BlockReader(read_blocks(path))
    settled = partial(csv_is_settled if kind == "csv" else rows_are_settled, skip=skip or 0)
    head = peeked(reader, settled, SKIPPED_SIZE if skip else HEAD_SIZE)
    if reader.error is not None and not head:
        raise reader.error
    found, mark = _detected(path, kind, delimiter, [head], head, skip)
    if found == "json" and len(head) == HEAD_SIZE:
        head = reader.peek(_FIRST_LINE)
        found, mark = _detected(path, kind, delimiter, [head], head, skip)
    return RowFormat(found, mark, reader.rest(), skip=skip)


# Bytes of a JSON document that say whether its first line is a whole value.
_FIRST_LINE: Final = LINE_LIMIT + HEAD_SIZE


def _detected(
    path: str, kind: str, delimiter: str, blocks: Iterable[bytes] | None, head: bytes, skip: int | None
) -> tuple[str, str]:
    if kind == AUTO and head.startswith(_PARQUET):
        return "parquet", ""
    content = next(plain_contents(path, tally=Tally(), blocks=blocks), None)
    if content is None:
        return kind, delimiter or DELIMITERS.get(kind, "")
    reader = BlockReader(content.blocks)
    found = Kind.CSV if kind == "csv" else rows_kind(reader, content.kind)
    if found is None:
        return "csv" if delimiter and content.kind is Kind.TEXT else AUTO, delimiter
    if found is not Kind.CSV:
        return str(found), delimiter or DELIMITERS.get(str(found), "")
    return "csv", delimiter or layout_of(reader, Kind.CSV, skip=skip).delimiter


def read_rows(path: str, form: RowFormat, *, tally: Tally, by_name: bool = True) -> Iterator[Row]:
    """Yield the rows of a file, headers and empty lines included; compressed files and archives are unpacked.

    Args:
        path: the file; `-` for standard input.
        form: how its rows are written.
        tally: counts skipped and broken things on the way to the rows.
        by_name: whether cells of tables come by the names of their columns; a list of cells otherwise.

    Raises:
        InputError: the file cannot be read; the message does not hold the path.
    """
    if form.kind == "parquet":
        yield from _parquet_rows(path)
        return
    for blocks in form.contents(path, tally):
        yield from kept_rows(blocks, form, by_name=by_name)


def read_row_blocks(
    path: str, form: RowFormat, *, fields: Sequence[str], columns: Callable[[], Sequence[int]], tally: Tally
) -> Iterator[Row | RowBlock]:
    """Yield the rows of a file as `read_rows` does, many at once where the kernel can take them; cells come in a list.

    Args:
        path: see `read_rows`.
        form: see `read_rows`.
        fields: the fields whose texts such rows come with.
        columns: returns the index of the column of each, asked for behind the header of a table.
        tally: see `read_rows`.
    """
    if find_encoding(form.encoding).family is not Family.UTF8 or not _takes(form.kind, fields, form.mark):
        yield from read_rows(path, form, tally=tally, by_name=False)
        return
    for blocks in form.contents(path, tally):
        if form.mark:
            layout, whole = form.laid_out(blocks)
            yield from table_row_blocks(whole, layout, columns, has_header=form.has_header)
        else:
            yield from json_row_blocks(blocks, fields)


def kept_rows(blocks: Iterable[bytes], form: RowFormat, *, by_name: bool = True) -> Iterator[Row]:
    """Yield the rows of a stream of bytes unchanged, header and empty lines included; see `row_reader`.

    Args:
        blocks: the bytes.
        form: how the rows are written: as `jsonl`, `json`, `csv` or `tsv`.
        by_name: see `read_rows`.

    Raises:
        InputError: reading fails; a row is longer than `ROW_LIMIT`; the text begins with the mark of UTF-16 or UTF-32.
    """
    if form.kind == "json":
        return array_rows(blocks, form.encoding)
    if form.kind == "jsonl":
        return json_rows(kept_lines(blocks, form.encoding, limit=ROW_LIMIT))
    layout, blocks = form.laid_out(blocks)
    lines = kept_lines(blocks, form.encoding, limit=ROW_LIMIT)
    return table_rows(lines, layout, by_name=by_name, has_header=form.has_header)


def _parquet_rows(path: str) -> Iterator[Row]:
    with open_parquet(path) as opened:
        rows = (values for batch in opened.batches() for values in batch.to_pylist())
        for number, values in enumerate(rows, 1):
            yield Row(b"", values, number)


# The most rows of a batch, and the bytes that its rows take at most, unless a single one takes more.
_MOST_ROWS: Final = 65_536
_MOST_BYTES: Final = 33_554_432
# The rows that are read at once to come to the first value, and with it to all values of the dictionary.
_LOOKED_AT: Final = 1_024


def arrow() -> tuple[Any, Any]:
    """Return the modules `pyarrow` and `pyarrow.parquet`.

    Raises:
        UsageError: they are not installed; the message has the command that installs them.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'urisieve[parquet]'") from None
    return pyarrow, pyarrow.parquet


class ParquetInput(NamedTuple):
    """An open Parquet file.

    Attributes:
        file: the file, as pyarrow has it.
        source: its path, or its bytes in memory.
    """

    file: Any
    source: Any

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the rows, some at a time, in bounded memory.

        A value that many rows share may stand in a file once, so that a small file has rows of any size. A batch has so
        many rows as can be held if each of them holds the longest value.

        Args:
            columns: the names of the columns that are wanted; None for all.
        """
        groups = range(self.file.num_row_groups)
        rows = min((self._rows_at_once(group, columns) for group in groups), default=_MOST_ROWS)
        yield from self.file.iter_batches(batch_size=rows, columns=columns)

    def _rows_at_once(self, group: int, columns: Sequence[str] | None) -> int:
        """Return how many rows of a group are held at once."""
        about = self.file.metadata.row_group(group)
        rows = min(about.num_rows, _MOST_ROWS)
        size = 1  # of a row, in bytes
        for index in range(about.num_columns if rows else 0):
            chunk = about.column(index)
            if columns is not None and chunk.path_in_schema.partition(".")[0] not in columns:
                continue
            values, longest = -(-chunk.num_values // about.num_rows), 0
            if chunk.has_dictionary_page:
                longest = chunk.total_uncompressed_size
                if longest * values * rows > _MOST_BYTES:
                    longest = self._longest(group, chunk)
            size += max(chunk.total_uncompressed_size // about.num_rows, longest * values)
        return max(1, min(_MOST_ROWS, _MOST_BYTES // size))

    def _longest(self, group: int, chunk: Any) -> int:
        """Return the bytes of the longest value of the dictionary of a column; 0 if its values have a fixed width."""
        if chunk.physical_type != "BYTE_ARRAY":
            return 0
        import pyarrow.compute as pc

        pyarrow, parquet = arrow()
        path = chunk.path_in_schema
        with parquet.ParquetFile(self.source, read_dictionary=[path], metadata=self.file.metadata) as file:
            for batch in file.iter_batches(batch_size=_LOOKED_AT, row_groups=[group], columns=[path]):
                values = batch.column(0)
                while not pyarrow.types.is_dictionary(values.type):
                    values = values.field(0) if pyarrow.types.is_struct(values.type) else values.values
                if len(values.dictionary):
                    return int(pc.max(pc.binary_length(values.dictionary)).as_py())
        return 0


@contextmanager
def open_parquet(path: str) -> Iterator[ParquetInput]:
    """Open a Parquet file; standard input is read whole first.

    Raises:
        InputError: the file cannot be read.
        UsageError: pyarrow is not installed.
    """
    pyarrow, parquet = arrow()
    try:
        source = pyarrow.BufferReader(b"".join(read_blocks(path))) if path == STANDARD_INPUT else path
        with parquet.ParquetFile(source) as file:
            yield ParquetInput(file, source)
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error
    except (pyarrow.ArrowException, ValueError) as error:
        raise InputError(f"is not a readable Parquet file: {error}") from error
