"""Columns, records and counts as Apache Parquet, with the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice

from urisieve.errors import OutputError
from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.records.batch import Batch
from urisieve.records.field_table import (
    RECORD_NAMES,
    arrow_array,
    checked_fields,
    column_type,
    columns_of,
    record_arrays,
)
from urisieve.records.layouts import COLUMNS
from urisieve.records.mask import Mask
from urisieve.sinks.byte_output import Output
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.row_format import RecordFormat, Rows

if TYPE_CHECKING:
    from urisieve.sinks.formats import Sort
    from urisieve.sinks.statistics.count_sink import CountSink


class ArrowFile:
    """An output with the interface of files that pyarrow expects."""

    closed = False

    def __init__(self, output: Output) -> None:
        self._output = output
        self._size = 0
        self.is_left = False
        """Whether the file will not be used, and what is written is dropped."""

    def write(self, data: Any) -> int:
        """Write bytes or a buffer, and return their number; after the end of the output they are dropped.

        A writer that was left writes the end of its file when it is collected as garbage, whenever that is.
        """
        data = bytes(data)
        if not self.is_left and not self._output._innermost._has_ended:
            self._output.write(data)
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._size

    def writable(self) -> bool:
        """Return True."""
        return True

    def flush(self) -> None:
        """Do nothing: no bytes are buffered here."""

    def close(self) -> None:
        """End the file; the output stays open."""
        self.closed = True


# The number of rows of a row group.
_GROUP: Final = 65_536


class ColumnTable:
    """Writes columns to an output as a Parquet file, in row groups.

    Args:
        output: the output.
        names: the names of the columns; the name of a column determines its type.

    Raises:
        UsageError: pyarrow is not installed.
    """

    def __init__(self, output: Output, names: Iterable[str]) -> None:
        from urisieve.sources.structured.row_files import arrow

        self._arrow, self._parquet = arrow()
        self._output = output
        self._schema = self._arrow.schema([(name, column_type(name)) for name in names])
        self._tables: list[Any] = []
        self._rows = 0
        self._file = ArrowFile(output)
        self._writer: Any = None

    def write_arrays(self, arrays: Sequence[Any]) -> None:
        """Take some rows: an Arrow array for each column.

        Raises:
            OutputError: the output cannot be written, or was completed or given up.
        """
        self._output._innermost._check_open()
        table = self._arrow.Table.from_arrays(arrays, schema=self._schema)
        self._tables.append(table)
        self._rows += table.num_rows
        if self._rows >= _GROUP:
            self._flush(self._rows // _GROUP * _GROUP)

    def _flush(self, count: int) -> None:
        """Write some of the rows that wait: the row groups do not depend on how the rows came."""
        pa = self._arrow
        whole = pa.concat_tables(self._tables) if self._tables else self._schema.empty_table()
        rest = whole.slice(count)
        self._tables = [rest] if rest.num_rows else []
        self._rows = rest.num_rows
        try:
            if self._writer is None:
                self._writer = self._parquet.ParquetWriter(self._file, self._schema, compression="zstd")
            self._writer.write_table(whole.slice(0, count).combine_chunks(), row_group_size=_GROUP)
        except pa.ArrowException as error:
            raise OutputError(f"Parquet: {error}") from error

    def close(self) -> None:
        """Write the remaining rows, and the end of the file, without which it cannot be read.

        Raises:
            OutputError: as for `write_arrays`.
        """
        self._output._innermost._check_open()
        if self._rows or self._writer is None:
            self._flush(self._rows)
        self._writer.close()

    def give_up(self) -> None:
        """Close a file that will not be used, without an end, so that it is not taken for a whole one."""
        self._file.is_left = True
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()


# The rows of which columns are made at once: what comes from mail has a few rows a batch.
_TOGETHER: Final = 8_192
# The rows of a batch that is worth columns of its own.
_WORTH: Final = 512


class ParquetFormat(RecordFormat):
    """An Apache Parquet file, of columns."""

    is_file = True
    suits_threads = True
    offsets = True

    def __init__(self, settings: FormatSettings) -> None:
        self.settings = settings
        self.mask = settings.mask
        self.columns = columns_of(settings.named) if settings.named else frozenset(COLUMNS)

    def rows(self, batch: Batch, indices: Sequence[int]) -> Rows:
        """See `RecordFormat.rows`."""
        return self.mask.batch(batch).select(indices)

    def maker(self) -> _ArrayMaker:
        """See `RecordFormat.maker`."""
        return _ArrayMaker(self.settings.named, mask=self.mask)

    def output(self, output: Output, *, marks: bool = False, is_fresh: bool = True) -> _TableOutput:
        """See `RecordFormat.output`."""
        del is_fresh
        return _TableOutput(self, output, marks=marks)

    def write_counts(
        self, sink: CountSink, output: Output, least: int, sort: Sort, *, counts: bool, spellings: int
    ) -> None:
        """See `RecordFormat.write_counts`."""
        from urisieve.sinks.statistics.count_sink import shown_counts

        del counts
        fields = sink.fields(spellings)
        names = fields.names
        rows = shown_counts(sink.rows(min_count=least, sort=sort), self.mask, sink.by)
        table = ColumnTable(output, names)
        try:
            while some := list(map(fields.row, islice(rows, _GROUP))):
                table.write_arrays([arrow_array([row[name] for row in some], column_type(name)) for name in names])
            table.close()
        except BaseException:
            table.give_up()
            raise


class _RecordColumns:
    """Makes columns with the fields of the records of batches; small ones are joined.

    Args:
        fields: the names of the fields; all of the schema if none are named.
        marks: whether each row has a mark that states whether it is new.
        mask: how values leave.
    """

    def __init__(self, fields: Sequence[str] = (), *, mask: Mask, marks: bool = False) -> None:
        self._names = fields or RECORD_NAMES
        self._marked = marks
        self._mask = mask
        self._batches: list[Batch] = []
        self._marks: list[bool] = []
        self._rows = 0

    def take(self, batch: Batch, marks: Sequence[bool] | None = None) -> list[list[Any]]:
        """Take the rows of a batch, each with a mark that states whether it is new.

        Returns:
            for each batch that is complete, an Arrow array for each column.
        """
        if not len(batch):
            return []
        if len(batch) >= _WORTH:
            return [*self.flush(), self._arrays(batch, marks or ())]
        made = []
        if self._batches and not self._batches[-1].is_like(batch):
            made = self.flush()
        self._batches.append(batch.resolved().select(range(len(batch))) if batch.rejections else batch.resolved())
        self._marks += marks or ()
        self._rows += len(batch)
        return [*made, *self.flush()] if self._rows >= _TOGETHER else made

    def flush(self) -> list[list[Any]]:
        """Return the columns of the rows that wait; see `take`."""
        if not self._rows:
            return []
        batches, marks = self._batches, self._marks
        self._batches, self._marks, self._rows = [], [], 0
        return [self._arrays(Batch.joined(batches), marks)]

    def _arrays(self, batch: Batch, marks: Sequence[bool]) -> list[Any]:
        arrays = record_arrays(batch, self._names)
        if self._mask.makes_values:
            uris = batch.column("uri")
            pairs = list(zip(self._names, arrays, strict=True))
            arrays = [
                arrow_array(_made(self._mask, name, array.to_pylist(), uris), array.type)
                if column_type(name) not in (column_type("start"), column_type("new"))
                else array
                for name, array in pairs
            ]
        return [*arrays, arrow_array(marks, column_type("new"))] if self._marked else arrays

    def size(self, made: list[list[Any]]) -> int:
        """See `Share.size`."""
        return sum(int(array.nbytes) for arrays in made for array in arrays)


def _made(mask: Mask, name: str, values: Sequence[Any], uris: Sequence[str]) -> Sequence[Any]:
    if name != "parts":
        return mask.values(name, values, uris)
    return [tuple(parts.items()) for parts in mask.values(name, list(map(dict, values)), uris)]


class _ArrayMaker(_RecordColumns):
    """Makes columns of batches as they come; those that the base takes have no passwords any more."""

    def take(self, batch: Batch, marks: Sequence[bool] | None = None) -> list[list[Any]]:
        """See `Share.take`."""
        return super().take(self._mask.batch(batch), marks)


class _TableOutput:
    """Writes batches to an output as a Parquet file with the fields of records."""

    def __init__(self, made: ParquetFormat, output: Output, *, marks: bool) -> None:
        names = checked_fields(made.settings.named) or RECORD_NAMES
        self._mask = made.mask
        self._table = ColumnTable(output, [*names, *(["new"] if marks else [])])
        self._columns = _RecordColumns(names, mask=made.mask, marks=marks)

    def begin(self) -> None:
        """See `RowOutput.begin`."""

    def put(self, made: list[list[Any]]) -> None:
        """See `RowOutput.put`."""
        for arrays in made:
            self._table.write_arrays(arrays)

    def take(self, batch: Batch, indices: Sequence[int]) -> None:
        """See `RowOutput.take`."""
        self.write((), self._mask.batch(batch), indices)

    def write(self, keys: Sequence[str], rows: Rows, indices: Sequence[int], new: set[int] | None = None) -> None:
        """See `RowOutput.write`."""
        del keys
        assert isinstance(rows, Batch)
        if indices:
            marks = None if new is None else [index in new for index in indices]
            self.put(self._columns.take(rows if len(indices) == len(rows) else rows.select(indices), marks))

    def close(self) -> None:
        """See `RowOutput.close`."""
        self.put(self._columns.flush())
        self._table.close()

    def discard(self) -> None:
        """See `RowOutput.discard`."""
        self._table.give_up()
