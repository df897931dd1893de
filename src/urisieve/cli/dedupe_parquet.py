"""`urisieve dedupe --input parquet --field`: the same over Parquet; schema and metadata stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from urisieve.cli.dedupe_data import RowRun
from urisieve.cli.dedupe_last import Noted, noted
from urisieve.cli.outputs import Output
from urisieve.cli.parquet import Sink
from urisieve.data_sets.parquet_files import arrow, open_parquet
from urisieve.dedupe.deduplicate import Keep
from urisieve.dedupe.row_keys import fields_of
from urisieve.errors import InputError, OutputError, UsageError
from urisieve.runs.file_parts import source_name
from urisieve.sources.unexpected import guarded

__all__ = ["ParquetRun"]

# Bytes of rows that wait to become a row group, and rows of one where the first file does not tell.
_WAITING: Final = 134_217_728
_GROUP: Final = 1_048_576

# For a batch of rows: whether each stays, and whether each has no key.
_Decision = tuple[list[bool], list[bool]]


class _Table:
    """A Parquet file that is written: schema, compression and size of the row groups are those of the first file."""

    def __init__(self, output: Output, file: Any) -> None:
        pyarrow, parquet = arrow()
        self._arrow = pyarrow
        metadata = file.metadata
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        columns = [groups[0].column(number) for number in range(metadata.num_columns)] if groups else []
        self._group = max((group.num_rows for group in groups), default=0) or _GROUP
        self.schema = file.schema_arrow
        self._writer = parquet.ParquetWriter(
            Sink(output),
            self.schema,
            compression={column.path_in_schema: column.compression.lower() for column in columns} or "snappy",
            use_deprecated_int96_timestamps=any(column.physical_type == "INT96" for column in columns),
        )
        self._batches: list[Any] = []
        self._rows = self._bytes = 0

    def write(self, batch: Any, stays: list[bool]) -> None:
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
        """Write what waits, as a row group."""
        if self._batches:
            table = self._arrow.Table.from_batches(self._batches, self.schema)
            self._writer.write_table(table, row_group_size=self._group)
            self._batches.clear()
            self._rows = self._bytes = 0

    def close(self) -> None:
        """Write the end, without which it is no file."""
        self.flush()
        self._writer.close()

    def give_up(self) -> None:
        """Close what will not be used."""
        with suppress(Exception):
            self._writer.close()


class ParquetRun(RowRun):
    """One run over Parquet files of one schema."""

    _kept: _Table | None = None
    _others: _Table | None = None

    def open_outputs(self) -> None:
        """See `RowRun.open_outputs`.

        Raises:
            UsageError: pyarrow is not installed, or `--keep last` is asked for standard input.
        """
        self._arrow, _ = arrow()
        if self.settings.keep is Keep.LAST and "-" in self.settings.extract.paths:
            raise UsageError("--keep last over Parquet needs files: standard input cannot be read twice")
        super().open_outputs()

    def read_all(self, paths: tuple[str, ...]) -> None:
        """See `RowRun.read_all`."""
        try:
            if self.settings.keep is Keep.LAST:
                self._read_last(paths)
            else:
                for path in paths:
                    self._read(path, self._first)
            for table in (self._kept, self._others):
                if table is not None:
                    table.close()  # only now the file counts; the store commits after it
        except self._arrow.ArrowException as error:
            raise OutputError(f"Parquet: {error}") from error
        finally:
            for table in (self._kept, self._others):
                if table is not None:
                    table.give_up()
        self.keep()

    def _read_last(self, paths: tuple[str, ...]) -> None:
        with noted(self) as notes:
            read: list[str] = []
            for path in paths:
                notes.begin(path)
                try:
                    for batch in guarded(self._batches(path, columns=True), "parquet"):
                        for key in self._keys_of(batch):
                            notes.note(key)
                    read.append(path)
                except InputError as error:
                    self.report(path, error)
            notes.look_up()
            for path in read:
                self._read(path, lambda batch, _: _noted(notes, batch))

    def _read(self, path: str, decide: Callable[[Any, str], _Decision]) -> None:
        try:
            for batch in guarded(self._batches(path, columns=False), "parquet"):
                stays, unmatched = decide(batch, source_name(path))
                self.rows += len(stays)
                self.kept += sum(stays)
                self.unmatched += sum(unmatched)
                self.matched += len(unmatched) - sum(unmatched)
                if self.settings.unmatched == "keep":
                    stays = [one or other for one, other in zip(stays, unmatched, strict=True)]
                if self._kept is not None:
                    self._kept.write(batch, stays)
                if self._others is not None:
                    self._others.write(batch, unmatched)
        except InputError as error:
            self.report(path, error)
        except self._arrow.ArrowNotImplementedError as error:  # a type of column of which rows cannot be chosen
            self.report(path, InputError(f"has a column that pyarrow {self._arrow.__version__} cannot filter: {error}"))
        else:
            self.files += 1

    def _batches(self, path: str, *, columns: bool) -> Iterator[Any]:
        """The rows of a file, some at a time; `columns` says whether only those of the fields are wanted.

        Raises:
            InputError: it cannot be read, or has another schema than the files before it, or the field is no column.
        """
        with open_parquet(path) as file:
            names = self._decisive(file)
            if self._kept is None:
                self._kept = _Table(self.output, file)
                if self.others is not None:
                    self._others = _Table(self.others, file)
            elif not self._kept.schema.equals(file.schema_arrow):
                raise InputError("has another schema than the file before it")
            yield from file.iter_batches(columns=names if columns else None)

    def _decisive(self, file: Any) -> list[str]:
        """The columns that hold the fields: the others may be large."""
        names = self._among(file.schema_arrow.names)
        if not names:
            raise self.no_column(file.schema_arrow.names)
        return names

    def _among(self, names: Iterable[str]) -> list[str]:
        wanted = {name for field in self.settings.fields for name in (field, field.partition(".")[0])}
        return [name for name in names if name in wanted]

    def _keys_of(self, batch: Any) -> list[str | None]:
        rows = self._rows_of(batch.select(self._among(batch.schema.names)))
        return [self.key(fields_of(values, self.settings.fields)) for values in rows]

    def _rows_of(self, columns: Any) -> list[dict[str, Any]]:
        """The rows of a batch; one whose text is not UTF-8 has no values, and is counted."""
        try:
            rows: list[dict[str, Any]] = columns.to_pylist()
        except UnicodeDecodeError:
            rows = []
            for place in range(columns.num_rows):
                try:
                    rows += columns.slice(place, 1).to_pylist()
                except UnicodeDecodeError as error:
                    self.tally.fault("row", "broken", f"a row of Parquet: {error}")
                    rows.append({})
        return rows

    def _first(self, batch: Any, source: str) -> _Decision:
        keys = self._keys_of(batch)
        matched = [place for place, key in enumerate(keys) if key is not None]
        stays = [False] * len(keys)
        for place in self.unseen_places([key for key in keys if key is not None], [source] * len(matched)):
            stays[matched[place]] = True
        return stays, [key is None for key in keys]


def _noted(notes: Noted, batch: Any) -> _Decision:
    marks = notes.next(batch.num_rows)
    return [mark == 1 for mark in marks], [mark == 2 for mark in marks]
