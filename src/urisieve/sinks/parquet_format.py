"""Records and counts as Apache Parquet, with the extra `parquet`."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.lean import TYPE_CHECKING, Any
from urisieve.records.batch import Batch
from urisieve.records.layouts import COLUMNS
from urisieve.sinks.arrow_tables import RecordColumns, RecordTable
from urisieve.sinks.field_table import columns_of
from urisieve.sinks.files.outputs import Output
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.row_format import RecordFormat, Rows

if TYPE_CHECKING:
    from urisieve.sinks.formats import Sort
    from urisieve.sinks.statistics.count_sink import CountSink


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
        return _ArrayMaker(self)

    def output(self, output: Output, *, marks: bool = False, is_fresh: bool = True) -> _TableOutput:
        """See `RecordFormat.output`."""
        del is_fresh
        return _TableOutput(self, RecordTable(output, self.settings.named, mask=self.mask, marks=marks))

    def write_counts(
        self, sink: CountSink, output: Output, least: int, sort: Sort, *, counts: bool, spellings: int
    ) -> None:
        """See `RecordFormat.write_counts`."""
        from urisieve.sinks.statistics.count_lines import shown_counts, write_count_table

        del counts
        write_count_table(shown_counts(sink.rows(least, sort), self.mask), output, spellings)


class _ArrayMaker:
    def __init__(self, made: ParquetFormat) -> None:
        self._mask = made.mask
        self._columns = RecordColumns(made.settings.named, mask=made.mask)

    def take(self, batch: Batch) -> list[list[Any]]:
        """See `RowMaker.take`."""
        return self._columns.take(self._mask.batch(batch))

    def rest(self) -> list[list[Any]]:
        """See `RowMaker.rest`."""
        return self._columns.rest()

    def size(self, made: list[list[Any]]) -> int:
        """See `RowMaker.size`."""
        return sum(int(array.nbytes) for arrays in made for array in arrays)


class _TableOutput:
    def __init__(self, made: ParquetFormat, table: RecordTable) -> None:
        self._format = made
        self._table = table

    def begin(self) -> None:
        """See `RowOutput.begin`."""

    def put(self, made: list[list[Any]]) -> None:
        """See `RowOutput.put`."""
        self._table.write_arrays(made)

    def take(self, batch: Batch, indices: Sequence[int]) -> None:
        """See `RowOutput.take`."""
        self.write((), self._format.mask.batch(batch), indices)

    def write(self, keys: Sequence[str], rows: Rows, indices: Sequence[int], new: set[int] | None = None) -> None:
        """See `RowOutput.write`."""
        del keys
        assert isinstance(rows, Batch)
        if indices:
            marks = None if new is None else [index in new for index in indices]
            self._table.write(rows if len(indices) == len(rows) else rows.select(indices), marks)

    def close(self) -> None:
        """See `RowOutput.close`."""
        self._table.close()

    def discard(self) -> None:
        """See `RowOutput.discard`."""
        self._table.give_up()
