"""Records and counts as Apache Parquet, with the extra `parquet`."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.records.batch import Batch
from urisieve.records.layouts import COLUMNS
from urisieve.records.mask import Mask
from urisieve.sinks.arrow_columns import ColumnTable, arrow_array, column_type, record_arrays
from urisieve.sinks.field_table import RECORD_NAMES, checked_fields, columns_of
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.outputs import Output
from urisieve.sinks.row_format import RecordFormat, Rows

if TYPE_CHECKING:
    from urisieve.sinks.formats import Sort
    from urisieve.sinks.statistics.count_sink import CountSink

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
        from urisieve.sinks.statistics.count_lines import shown_counts, write_count_table

        del counts
        write_count_table(shown_counts(sink.rows(least, sort), self.mask), output, spellings)


class _RecordColumns:
    """Makes columns with the fields of `Record.as_dict` of batches; small ones are joined.

    Args:
        fields: the names of the fields; all of the schema if none are named.
        marks: whether each row has a mark that says whether it is new.
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
        """Take the rows of a batch, each with a mark that says whether it is new.

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
    """Writes batches to an output as a Parquet file with the fields of `Record.as_dict`."""

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
