"""Parquet outputs: their schema, compression and size of row groups are those of the first file read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from urisieve.errors import InputError
from urisieve.lean.hints import Any, Final
from urisieve.sinks.files.arrow_file import ArrowFile
from urisieve.sinks.files.outputs import Output
from urisieve.sources.structured.parquet_files import arrow

__all__ = ["ParquetTables"]

# The number of bytes of rows that wait to become a row group, and of rows of one if the first file does not state it.
_WAITING: Final = 134_217_728
_GROUP: Final = 1_048_576


class _Table:
    """A Parquet file that is written with the properties of another one."""

    def __init__(self, output: Output, file: Any) -> None:
        pyarrow, parquet = arrow()
        self._arrow = pyarrow
        metadata = file.metadata
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        columns = [groups[0].column(number) for number in range(metadata.num_columns)] if groups else []
        self._group = max((group.num_rows for group in groups), default=0) or _GROUP
        self.schema = file.schema_arrow
        self._writer = parquet.ParquetWriter(
            ArrowFile(output),
            self.schema,
            compression={column.path_in_schema: _compression(column) for column in columns} or "snappy",
            use_deprecated_int96_timestamps=any(column.physical_type == "INT96" for column in columns),
        )
        self._batches: list[Any] = []
        self._rows = self._bytes = 0

    def write(self, batch: Any, stays: Sequence[bool]) -> None:
        """Take the rows that stay."""
        if not any(stays):
            return
        if not all(stays):
            batch = batch.filter(self._arrow.array(stays, self._arrow.bool_()))
        self._batches.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= self._group or self._bytes >= _WAITING:
            self.flush()

    def flush(self) -> None:
        """Write the waiting rows, as a row group."""
        if self._batches:
            table = self._arrow.Table.from_batches(self._batches, self.schema)
            self._writer.write_table(table, row_group_size=self._group)
            self._batches.clear()
            self._rows = self._bytes = 0

    def close(self) -> None:
        """Write the end, without which the file cannot be read."""
        self.flush()
        self._writer.close()

    def give_up(self) -> None:
        """Close a file that will not be used."""
        with suppress(Exception):
            self._writer.close()


def _compression(column: Any) -> str:
    """Return the compression of a column by the name that a writer knows."""
    name: str = column.compression.lower()
    return "none" if name == "uncompressed" else name


class ParquetTables:
    """Writes rows of Parquet to one output, and those without a key to another.

    Args:
        output: the output of the rows that stay.
        others: the output of the rows without a key, if they have one of their own.
    """

    def __init__(self, output: Output, others: Output | None) -> None:
        self._outputs = [output] if others is None else [output, others]
        self._tables: list[_Table] = []

    def begin(self, file: Any) -> None:
        """Begin with the rows of a file; the first file determines the schema.

        Raises:
            InputError: the schema of the file is another one.
        """
        if not self._tables:
            for output in self._outputs:
                self._tables.append(_Table(output, file))
        elif not self._tables[0].schema.equals(file.schema_arrow):
            raise InputError("has another schema than the file before it")

    def write(self, batch: Any, stays: Sequence[bool], unmatched: Sequence[bool]) -> None:
        """Write a batch of rows.

        Args:
            batch: the rows.
            stays: for each row whether it stays.
            unmatched: for each row whether it has no key.
        """
        for table, chosen in zip(self._tables, (stays, unmatched), strict=False):
            table.write(batch, chosen)

    def close(self) -> None:
        """Write the ends of the files, without which they cannot be read."""
        for table in self._tables:
            table.close()

    def give_up(self) -> None:
        """Close files that will not be used."""
        for table in self._tables:
            table.give_up()
