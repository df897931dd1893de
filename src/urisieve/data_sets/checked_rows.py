"""The identifiers in a column of a table, or in a field of JSON lines, judged row by row.

It also defines:

- a table as it is, with columns added that say what was found in one of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from urisieve import shapes
from urisieve.data_sets.row_source import RowLines, column_line, missing_columns
from urisieve.dedupe.deduplicate import fields_of, first_name
from urisieve.errors import InputError, UsageError
from urisieve.finding_options import DEFAULT_OPTIONS, Charset, Options, checked, choice
from urisieve.identifiers import check
from urisieve.lean import Any, Final, NamedTuple, replace
from urisieve.records.base import Location
from urisieve.records.batch import Batch
from urisieve.records.layouts import texts_of
from urisieve.records.mask import Mask
from urisieve.records.record import Record, make_record
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.sinks.byte_output import Output
from urisieve.sinks.notations import FieldLines, cells_notation, quoted_cell
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.reading import source_name
from urisieve.sources.reading_options import DataSetKind, TableHeader, checked_delimiter, column_index, column_number
from urisieve.sources.structured import row_files
from urisieve.sources.structured.row_reader import PASSED_ON, Row, RowFault
from urisieve.sources.tally import Tally, guarded
from urisieve.syntax.components import without_space_around
from urisieve.wording import did_you_mean

_NO_TEXT = RowFault("holds a value that is not text in that field")


class CheckedRow(NamedTuple):
    """A row, and the judgement of its cell.

    >>> from urisieve import Options, check_rows
    >>> from urisieve.types import CheckedRow
    >>> options = Options(bare="isbn")
    >>> row: CheckedRow = next(check_rows("samples/catalogue.csv", "isbn", input="csv", options=options))
    >>> row.row, row.cell, str(row.found)
    (2, '978-0-13-110362-7', 'urn:isbn:9780131103627')

    Attributes:
        row: the number of the line on which the row begins, from 1.
        cell: the text in the column, without blanks around it; "" for an empty cell and for a row that is broken.
        found: the record or the rejection of the cell; None if it is empty or the row is broken.
        is_broken: whether the row cannot be read, or contains something else than text in the field.
    """

    row: int
    cell: str
    found: Record | Rejection | None
    is_broken: bool = False


class ColumnCheck:
    """Judges a column of files with rows.

    Args:
        column: the name of the column, or its number from 1; else the field: a name, or a path into nested rows.
        kind: the format of the rows.
        delimiter: the character between the cells of a table; "" to detect it.
        options: how identifiers are judged.
        encoding: the encoding of the text; UTF-8 for None.
        header: whether the first row of a table names the columns.
        skip_lines: the number of lines above the header; None for what the first rows show.

    Raises:
        UsageError: an argument is not valid.
    """

    def __init__(
        self,
        column: str | int,
        kind: DataSetKind | str,
        options: Options | None = None,
        encoding: str | None = None,
        header: TableHeader | str = TableHeader.FIRST_ROW,
        delimiter: str = "",
        skip_lines: int | None = None,
    ) -> None:
        if not isinstance(column, (str, int)) or isinstance(column, bool) or column == "":
            raise shapes.wrong("field", column, "the name of a column or its number from 1")
        self._column = str(column)
        self._kind = choice(DataSetKind, kind, "input")
        self._delimiter = checked_delimiter(delimiter)
        self._skip = shapes.whole_number_or_none("skip_lines", skip_lines, 0)
        self.delimiter = ""
        """The character between the cells of the file that is read; "" if it is not a table."""
        self._has_header = choice(TableHeader, header, "header") is TableHeader.FIRST_ROW
        self._encoding = encoding
        chosen = checked(options)
        if str(self._kind) in row_files.DELIMITERS and not self._has_header and column_number(self._column) is None:
            raise UsageError(f"field={column!r}: without a header a column has a number only, from 1")
        if not find_encoding(encoding).is_unicode:
            chosen = replace(chosen, charset=Charset.LEGACY)
        # The default options are quicker as None.
        self._options = None if chosen == DEFAULT_OPTIONS else chosen

    def rows(self, path: str, tally: Tally) -> Iterator[tuple[Row, list[CheckedRow]] | TextRows]:
        """Yield the rows of a file, each with the judgements of its values; a header, or an empty line, has none.

        Rows that are well formed beyond doubt come many at once.

        Args:
            path: the file; `-` for standard input.
            tally: counts rows, broken rows, reasons and warnings; of many rows at once none of these but the rows.

        Raises:
            InputError: the file cannot be read, or has no such column.
        """
        form = row_files.row_format(path, str(self._kind), self._delimiter, skip=self._skip)
        form.check()
        kind, self.delimiter = form.kind, form.delimiter
        form = form._replace(encoding=self._encoding, has_header=self._has_header)
        last = 0
        rows = row_files.read_row_blocks(
            path, form, fields=(self._column,), columns=lambda: (index or 0, last), tally=tally
        )
        name = source_name(path)
        index = None
        label = self._column
        if kind in row_files.DELIMITERS and not self._has_header:
            index = column_number(self._column)
            if index is None:
                raise InputError("is a table without a header: its columns have numbers only, from 1")
        seen: dict[str, None] = {}
        has_field = read_any = False
        for row in guarded(rows, kind):
            if isinstance(row, row_files.RowBlock):
                tally.read["row"] += row.rows
                has_field = True
                yield TextRows(row, self, name, label)
                continue
            if row.is_header:
                index = self._index(row)
                last = len(row.names) - 1
                label = row.names[index] or self._column
                self._warn_of_header(row, index, name, tally)
                yield row, []
                continue
            if row.fault is not None:
                tally.read["row"] += 1
                PASSED_ON.report(tally, name, row.number, row.fault)
                yield row, [CheckedRow(row.number, "", None, is_broken=True)]
                continue
            if row.values is None:
                yield row, []
                continue
            tally.read["row"] += 1
            if index is not None:
                values: Iterable[Any] = (row.values[index] if index < len(row.values) else None,)
            else:
                (values,) = fields_of(row.values, (self._column,))
                read_any = True
                if not has_field and isinstance(row.values, dict):
                    has_field = first_name(self._column) in row.values or self._column in row.values
                    seen.update(dict.fromkeys(row.values))
            where = Location(field=label, row=row.number)
            yield row, [self._checked(value, name, where, tally) for value in values or (None,)]
        if read_any and not has_field:
            raise InputError(f"no row has the field {self._column!r}{did_you_mean(self._column, seen)}")

    def _index(self, header: Row) -> int:
        index = column_index(self._column, header.names)
        if index is not None:
            return index
        if column_number(self._column) is not None:
            raise InputError(f"has no column {self._column}: its rows have {len(header.names):,}")
        raise missing_columns((self._column,), header.names)

    def _warn_of_header(self, header: Row, index: int, name: str, tally: Tally) -> None:
        """Report a header whose cell is an identifier: then the table probably has none."""
        cell = without_space_around(header.names[index])
        if cell and check(cell, options=self._options):
            message = f"{name}: row {header.number:,} is taken for the header, but holds an identifier (--no-header)"
            tally.fault("header", "identifier", message)

    def _parsed(self, data: bytes, number: int) -> Row:
        """Return a row of the file that is read, which is well formed, with its cells."""
        form = row_files.RowFormat("csv" if self.delimiter else "jsonl", self.delimiter, has_header=False)
        (row,) = row_files.kept_rows((data,), form, by_name=False)
        return row._replace(number=number)

    def _checked(self, value: Any, source: str, where: Location, tally: Tally) -> CheckedRow:
        number = where.row or 0
        if isinstance(value, bytes):  # a column of Parquet
            value = value.decode("utf-8", "replace")
        elif isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        elif value is not None and not isinstance(value, str):
            PASSED_ON.report(tally, source, number, _NO_TEXT)
            return CheckedRow(number, "", None, is_broken=True)
        cell = without_space_around(value or "")
        if not cell:
            return CheckedRow(number, "", None)
        found = check(value, options=self._options)
        if isinstance(found, Record):
            tally.warnings.update(map(str, found.warnings))
            row = found.fields._replace(source=source, location=where)
            return CheckedRow(number, cell, make_record(row, found._rules, found.components))
        tally.rejected[str(found.reason)] += 1
        return CheckedRow(number, cell, make_rejection(found._row._replace(source=source, location=where)))


class TextRows:
    """Rows that are well formed, each with one text in the column; its judgements are made when they are asked for.

    Args:
        block: the rows, with the texts of the column, and of the last column of a table.
        judging: judges the column.
        source: the name of the file.
        label: the name of the column.

    Attributes:
        texts: the text of each row.
        numbers: the number of the line on which each row begins.
        source: the name of the file.
    """

    def __init__(self, block: row_files.RowBlock, judging: ColumnCheck, source: str, label: str) -> None:
        self._block = block
        self._judging = judging
        self._label = label
        self.numbers = block.numbers()
        self.source = source
        self.texts = texts_of(*block.fields[0])

    def locations(self) -> list[Location]:
        """Return the location of the text of each row."""
        label = self._label
        return [Location(field=label, row=number) for number in self.numbers]

    def data(self) -> list[bytes]:
        """Return the bytes of each row."""
        data = self._block.data
        return [data[start:end] for start, end in pairwise(self._block.bounds)]

    def last_texts(self) -> list[str]:
        """Return the text of the last column of each row of a table; a row has all of its cells unless it is empty."""
        return texts_of(*self._block.fields[-1])

    def row(self, index: int) -> Row:
        """Return a row with its cells."""
        start, end = self._block.bounds[index : index + 2]
        return self._judging._parsed(self._block.data[start:end], self.numbers[index])

    def checked(self, index: int, tally: Tally) -> CheckedRow:
        """Return the judgement of the text of a row, and count it."""
        where = Location(field=self._label, row=self.numbers[index])
        return self._judging._checked(self.texts[index], self.source, where, tally)


def check_rows(
    path: str | os.PathLike[str],
    field: str | int,
    *,
    input: DataSetKind | str | None = None,  # noqa: A002 - the word of the command
    delimiter: str = "",
    skip_lines: int | None = None,
    options: Options | None = None,
    encoding: str | None = None,
    header: TableHeader | str = TableHeader.FIRST_ROW,
    tally: Tally | None = None,
) -> Iterator[CheckedRow]:
    """Judge a column of a table, row by row: each cell is one identifier, or says why it is none.

    >>> from urisieve import Options, check_rows
    >>> rows = check_rows("samples/catalogue.csv", "isbn", input="csv", options=Options(bare=["isbn"]))
    >>> wrong = [(one, one.found) for one in rows if one.found is not None and not one.found]
    >>> [(one.row, one.cell, rejection.notices[0].detail) for one, rejection in wrong]
    [(7, '0-262-14041-8', '1')]

    Args:
        path: the file, which may be compressed; `-` for standard input.
        field: the name of the column, or its number from 1; of JSON and Parquet the field: a name, or a path into
            nested rows (`page.url`, `authors[].url`), where each value of a list is judged.
        input: the format of the rows; None for that of the content.
        delimiter: the character between the cells of a table; "" for that which the first rows of CSV have.
        skip_lines: the number of lines above the header, which are no rows; None for what the first rows show.
        options: how identifiers are judged; `bare` lets cells contain numbers without a scheme.
        encoding: the encoding of the text, a superset of ASCII; UTF-8 by default.
        header: `none` for a table whose first row does not name the columns.
        tally: counts rows, broken rows, reasons and warnings, and takes messages about broken rows.

    Yields:
        the rows in their order, without the header and empty lines; broken rows are marked.

    Raises:
        InputError: the file cannot be read, or has no such column; raised when the rows are read.
        UsageError: an argument is not valid.
    """
    judging = ColumnCheck(field, input or DataSetKind.AUTO, options, encoding, header, delimiter, skip_lines)
    counts = Tally() if tally is None else tally
    shapes.check(tally=tally)
    name = shapes.path("path", path, "texts are judged by check()")

    def checked_rows() -> Iterator[CheckedRow]:
        try:
            for rows in judging.rows(name, counts):
                if isinstance(rows, TextRows):
                    for index in range(len(rows.texts)):
                        yield rows.checked(index, counts)
                else:
                    yield from rows[1]
        except InputError as error:
            error.args = (f"{source_name(name) or 'standard input'}: {error}",)
            raise

    return checked_rows()


ADDED_COLUMNS: Final = ("valid", "uri", "key", "warnings", "reason", "component", "offset", "expected")
# Before the names of all added columns, where the table has one of these already.
_OTHERWISE: Final = "urisieve_"


class CheckedTable:
    """Writes rows unchanged with cells after theirs; a broken row, and an empty line, stays as it is.

    Args:
        output: where.
        mask: how values leave.
    """

    def __init__(self, output: Output, mask: Mask) -> None:
        self._lines = RowLines(output, None)
        self._mask = mask
        self.delimiter = ""
        """The character between the cells of the rows that come; "" if these have none."""
        self._columns = 0
        self._header: bytes | None = None

    def put(self, row: Row, checked: Sequence[CheckedRow]) -> None:
        """Write a row.

        Raises:
            InputError: it is a header with other columns than that of the file before, or the row of no table.
        """
        self._check()
        if row.is_header:
            self._put_header(row)
        elif not checked or row.fault is not None:
            self._lines.put((row.data,))
        else:
            self._put(row, self._columns - len(row.values), _cells(checked[0], self._mask))

    def lines(self, rows: TextRows, batch: Batch, others: Sequence[int]) -> list[bytes]:
        """Return the rows that are proved, with their cells, to be written by `write`.

        Args:
            rows: the rows.
            batch: those that are proved.
            others: the indices of the others.

        Raises:
            InputError: they are not of a table.
        """
        self._check()
        missing = frozenset(others)
        proved = (index for index in range(len(rows.texts)) if index not in missing)
        around = [f"{self.delimiter}{word}" for word in (f"true{self.delimiter}", "", "", self.delimiter * 3)]
        notation = cells_notation(("uri", "key", "warnings"), self.delimiter, around)
        data, last = rows.data(), rows.last_texts()
        lines = []
        for index, cells in zip(proved, FieldLines(notation, self._mask).each(batch), strict=True):
            line = data[index]
            if not last[index]:
                absent = self._columns - len(rows.row(index).values)
                cells = self.delimiter.encode() * max(0, absent) + cells
            text = line.rstrip(b"\r\n")
            lines.append(text + cells + line[len(text) :])
        return lines

    def write(self, lines: Sequence[bytes]) -> None:
        """Write rows that `lines` has returned."""
        self._lines.put(lines)

    def _check(self) -> None:
        if not self.delimiter:
            raise InputError("is not a table: only a table is written with columns added")

    def _put_header(self, row: Row) -> None:
        names = column_line(row)
        if self._header is not None:
            if names != self._header:
                raise InputError("has other columns than the file before it")
            return
        self._header = names
        self._columns = len(row.names)
        start = _OTHERWISE if set(ADDED_COLUMNS).intersection(row.names) else ""
        self._put(row, 0, [f"{start}{name}" for name in ADDED_COLUMNS])

    def _put(self, row: Row, missing: int, cells: Sequence[str]) -> None:
        line = row.data.rstrip(b"\r\n")
        texts = [*[""] * (max(0, missing) + 1), *(quoted_cell(cell, self.delimiter) for cell in cells)]
        more = self.delimiter.join(texts).encode("ascii", "backslashreplace")
        self._lines.put((line + more + row.data[len(line) :],))


def _cells(checked: CheckedRow, mask: Mask) -> list[str]:
    found = checked.found
    if isinstance(found, Record):
        masked = mask.record(found)
        forms = mask.value("uri", masked.uri), mask.value("key", masked.key)
        return ["true", *forms, " ".join(found.warnings), "", "", "", _expected(found)]
    if isinstance(found, Rejection):
        return ["false", "", "", "", found.reason, found.component, str(found.offset), _expected(found)]
    return [""] * len(ADDED_COLUMNS)


def _expected(found: Record | Rejection) -> str:
    """Return the check digit that was expected instead of one that is wrong."""
    return " ".join(detail for warn, detail in found.notices if warn == "wrong-check-digit")
