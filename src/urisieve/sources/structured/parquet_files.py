"""Parquet, with the extra `parquet` (pyarrow)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from urisieve.errors import InputError, UsageError
from urisieve.lean import Any, Final, NamedTuple
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks

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
