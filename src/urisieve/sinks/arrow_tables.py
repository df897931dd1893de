"""Parquet from columns, with the extra `parquet` (pyarrow): batches in, row groups out.

It holds besides:

- an output with the interface of files that pyarrow expects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from urisieve.errors import OutputError
from urisieve.lean import Any, Final
from urisieve.records.base import NOWHERE, PLACE_NAMES, SCHEMA_VERSION
from urisieve.records.batch import Batch
from urisieve.sinks.arrow_columns import arrow_array, batch_arrays, import_arrow
from urisieve.sinks.field_table import FIELDS, field_values
from urisieve.sinks.files.outputs import Output
from urisieve.sources.structured.parquet_files import arrow


class ArrowFile:
    """An output with the interface of files that pyarrow expects."""

    closed = False

    def __init__(self, output: Output) -> None:
        self._output = output
        self._size = 0

    def write(self, data: Any) -> int:
        """Write bytes or a buffer, and return their number."""
        data = bytes(data)
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
_INTEGERS: Final = frozenset(
    ("schema", "start", "end", "line", "column", "byte_start", "byte_end", "count", "sources", "spellings",
     "first_start", "first_message", "first_row", "last_start", "last_message", "last_row", "message", "row")
)  # fmt: skip
_LISTS: Final = frozenset(("warnings", "alternatives", "raws", "to"))
_TRUTHS: Final = frozenset(("new",))


def _schema(names: Iterable[str]) -> Any:
    """Return the schema of some columns: the name of a column determines its type."""
    pa = import_arrow("parquet")
    return pa.schema([(name, column_type(name)) for name in names])


def column_type(name: str) -> Any:
    """Return the Arrow type of a column, which its name determines."""
    pa = import_arrow("parquet")
    if name in _INTEGERS:
        return pa.int64()
    if name in _LISTS:
        return pa.list_(pa.string())
    if name == "parts":
        return pa.map_(pa.string(), pa.string())
    if name == "notices":
        return pa.list_(pa.struct([("warn", pa.string()), ("value", pa.string())]))
    return pa.bool_() if name in _TRUTHS else pa.string()


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
        self._schema = _schema(names)
        self._tables: list[Any] = []
        self._rows = 0
        self._writer: Any = None

    def write_columns(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Take some rows: the values of each column, by its name."""
        self.write_arrays([arrow_array(columns[field.name], field.type) for field in self._schema])

    def write_arrays(self, arrays: Sequence[Any]) -> None:
        """Take some rows: an Arrow array for each column."""
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
                file = ArrowFile(self._output)
                self._writer = self._parquet.ParquetWriter(file, self._schema, compression="zstd")
            self._writer.write_table(whole.slice(0, count).combine_chunks(), row_group_size=_GROUP)
        except pa.ArrowException as error:
            raise OutputError(f"Parquet: {error}") from error

    def close(self) -> None:
        """Write the remaining rows, and the end of the file, without which it cannot be read."""
        if self._rows or self._writer is None:
            self._flush(self._rows)
        self._writer.close()

    def give_up(self) -> None:
        """Close a file that will not be used."""
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()


def record_arrays(batch: Batch, names: Iterable[str]) -> list[Any]:
    """Return some fields of the records of a batch, of `FIELDS`, as Arrow arrays."""
    pa = import_arrow("parquet")
    kinds = {name: column_type(name) for name in names}
    made: dict[str, Any] = {}
    if "schema" in kinds:
        made["schema"] = pa.repeat(pa.scalar(SCHEMA_VERSION, kinds["schema"]), len(batch))
    if not kinds.keys().isdisjoint(PLACE_NAMES):
        made.update(zip(PLACE_NAMES, _location_arrays(batch), strict=True))
    for name, kind in kinds.items():
        if name not in made and FIELDS[name].columns != (name,):  # no column of a batch
            values = field_values(batch, name)
            made[name] = arrow_array([tuple(parts.items()) for parts in values] if name == "parts" else values, kind)
    others = {name: kind for name, kind in kinds.items() if name not in made}
    made.update(zip(others, batch_arrays(batch.resolved(), others), strict=True))
    return [made[name] for name in kinds]


def _location_arrays(batch: Batch) -> list[Any]:
    """Return a column for each part of the locations of a batch."""
    pa = import_arrow("parquet")
    kinds = list(map(column_type, PLACE_NAMES))
    if batch.is_constant("location"):
        location = batch.constant("location") or NOWHERE
        return [
            pa.nulls(len(batch), kind) if value is None else pa.repeat(pa.scalar(value, kind), len(batch))
            for value, kind in zip(location, kinds, strict=False)
        ]
    parts = zip(*[location or NOWHERE for location in batch.column("location")], strict=True)
    return [arrow_array(list(values), kind) for values, kind in zip(parts, kinds, strict=False)]
