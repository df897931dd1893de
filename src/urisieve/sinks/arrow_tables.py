"""Parquet from columns, with the extra `parquet` (pyarrow): batches in, row groups out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from urisieve.errors import OutputError
from urisieve.lean.hints import Any, Final
from urisieve.records.base import SCHEMA_VERSION
from urisieve.records.batch import Batch
from urisieve.records.location import NOWHERE, Location
from urisieve.sinks.files.arrow_file import ArrowFile
from urisieve.sinks.files.outputs import Output
from urisieve.sinks.line_writer import model_row
from urisieve.sources.structured.parquet_files import arrow

__all__ = ["RECORD_NAMES", "ColumnTable", "RecordTable", "column_type"]

# The least number of rows of a row group.
_GROUP: Final = 65_536
# The rows of which columns are made at once: what comes from mail has a few rows a batch.
_TOGETHER: Final = 8_192
_INTEGERS: Final = frozenset(
    ("schema", "start", "end", "line", "column", "byte_start", "byte_end", "count", "sources", "spellings",
     "first_start", "first_message", "first_row", "last_start", "last_message", "last_row", "message", "row")
)  # fmt: skip
_LISTS: Final = frozenset(("warnings", "alternatives", "raws"))
_TRUTHS: Final = frozenset(("new",))


class ColumnTable:
    """Writes columns to an output as a Parquet file, in row groups.

    Args:
        output: the output.
        names: the names of the columns; the name of a column determines its type.

    Raises:
        UsageError: pyarrow is not installed.
    """

    def __init__(self, output: Output, names: Iterable[str]) -> None:
        self._arrow, self._parquet = arrow()
        self._output = output
        self._schema = self._arrow.schema([(name, column_type(name)) for name in names])
        self._tables: list[Any] = []
        self._rows = 0
        self._writer: Any = None

    def write_columns(self, columns: Mapping[str, Sequence[Any]], constants: Mapping[str, Any], count: int) -> None:
        """Take some rows.

        Args:
            columns: the values of each column, by its name.
            constants: the value that all these rows share, for the other columns.
            count: the number of rows.
        """
        pa = self._arrow
        arrays = []
        for field in self._schema:
            if field.name in columns:
                arrays.append(self._array(columns[field.name], field.type))
            else:
                value = constants.get(field.name)
                if value is None:
                    arrays.append(pa.nulls(count, field.type))
                elif isinstance(value, (list, tuple)):
                    arrays.append(self._array([value] * count, field.type))
                else:
                    arrays.append(pa.repeat(pa.scalar(_valid(value), field.type), count))
        self._tables.append(pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows += count
        if self._rows >= _GROUP:
            self._flush()

    def _array(self, values: Sequence[Any], kind: Any) -> Any:
        try:
            return self._arrow.array(values, kind)
        except UnicodeEncodeError:  # halves of surrogate pairs have no UTF-8
            return self._arrow.array(list(map(_valid, values)), kind)

    def _flush(self) -> None:
        pa = self._arrow
        tables, self._tables, self._rows = self._tables, [], 0
        table = pa.concat_tables(tables) if tables else self._schema.empty_table()
        try:
            if self._writer is None:
                file = ArrowFile(self._output)
                self._writer = self._parquet.ParquetWriter(file, self._schema, compression="zstd")
            self._writer.write_table(table)
        except pa.ArrowException as error:
            raise OutputError(f"Parquet: {error}") from error

    def close(self) -> None:
        """Write the remaining rows, and the end of the file, without which it cannot be read."""
        self._flush()
        self._writer.close()

    def give_up(self) -> None:
        """Close a file that will not be used."""
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()


def column_type(name: str) -> Any:
    """Return the Arrow type of a column, which its name determines."""
    pa, _ = arrow()
    if name in _INTEGERS:
        return pa.int64()
    if name in _LISTS:
        return pa.list_(pa.string())
    return pa.bool_() if name in _TRUTHS else pa.string()


def _valid(value: Any) -> Any:
    """Return a value that Arrow can hold."""
    if isinstance(value, (list, tuple)):
        return [_valid(item) for item in value]
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


# The columns of records in the order of their schema, and those that are taken unchanged from a batch.
RECORD_NAMES: Final = tuple(model_row())
_DIRECT: Final = ("raw", "uri", "key", "source", "start", "end", "line", "column", "byte_start", "byte_end", "wrapper")
_LISTED: Final = ("warnings", "alternatives")
_COMPONENTS: Final = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")


class RecordTable:
    """Writes batches to an output as a Parquet file with the fields of `Record.as_dict`.

    Args:
        output: the output.
        marks: whether each row has a mark that says whether it is new.

    Raises:
        UsageError: pyarrow is not installed.
    """

    def __init__(self, output: Output, *, marks: bool = False) -> None:
        self._table = ColumnTable(output, [*RECORD_NAMES, *(["new"] if marks else [])])
        self._batches: list[Batch] = []
        self._marks: list[bool] = []
        self._rows = 0

    def write(self, batch: Batch, marks: Sequence[bool] | None = None) -> None:
        """Take the rows of a batch, each with a mark that says whether it is new."""
        if not len(batch):
            return
        if self._batches and not self._batches[-1].is_like(batch):
            self._put()
        self._batches.append(batch.resolved().select(range(len(batch))) if batch.rejections else batch.resolved())
        self._marks += marks or ()
        self._rows += len(batch)
        if self._rows >= _TOGETHER:
            self._put()

    def _put(self) -> None:
        """Make columns of the rows that wait."""
        if not self._rows:
            return
        batch = Batch.joined(self._batches)
        marks = self._marks
        self._batches, self._marks, self._rows = [], [], 0
        columns: dict[str, Sequence[Any]] = {}
        constants: dict[str, Any] = {"schema": SCHEMA_VERSION}
        for name in (*_DIRECT, *_LISTED):
            if batch.is_constant(name):
                constants[name] = batch.constant(name)
            else:
                columns[name] = batch.column(name)
        if batch.is_constant("location"):
            constants.update((batch.constant("location") or NOWHERE)._asdict())
        else:
            locations = zip(*[location or NOWHERE for location in batch.column("location")], strict=True)
            columns.update(zip(Location._fields, map(list, locations), strict=True))
        components = list(map(list, zip(*batch.components(), strict=True)))
        columns.update(zip(_COMPONENTS, components, strict=True))
        are_urns = any(scheme.lower() == "urn" for scheme in set(columns["scheme"]))
        for name in ("iri", "host_kind", "kind", *(("nid", "nss") if are_urns else ())):
            columns[name] = batch.column(name)
        if marks:
            columns["new"] = marks
        self._table.write_columns(columns, constants, len(batch))

    def close(self) -> None:
        """See `ColumnTable.close`."""
        self._put()
        self._table.close()

    def give_up(self) -> None:
        """See `ColumnTable.give_up`."""
        self._table.give_up()
