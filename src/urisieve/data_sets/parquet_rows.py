"""Rows of Parquet files of one schema, of which the first or the last one with each key is kept.

It also defines:

- Parquet outputs: their schema, compression and size of row groups are those of the first file read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress

from urisieve.data_sets.kept_rows import NotedKeys, missing_rows
from urisieve.data_sets.row_source import STAYS, UNMATCHED, missing_columns
from urisieve.data_sets.row_work import KEPT, RowWork
from urisieve.dedupe.deduplicate import RowFields, fields_of, first_name
from urisieve.dedupe.keeping import Keep
from urisieve.errors import InputError, OutputError
from urisieve.lean import Any, Final, TypeAlias
from urisieve.runs.events import BytesRead
from urisieve.sinks.byte_output import Output
from urisieve.sinks.parquet_format import ArrowFile
from urisieve.sources.bytes.reading import source_name
from urisieve.sources.structured.row_files import arrow, open_parquet
from urisieve.sources.tally import guarded

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


# For a batch of rows: whether each stays, and whether each has no key.
_Decision: TypeAlias = tuple[list[bool], list[bool]]


class ParquetRows:
    """Reads rows of Parquet, and writes the first or the last one with each key.

    Args:
        work: the shared parts of the run.
        output: the output of the rows that stay.
        others: the output of the rows without a key, if they have one of their own.
    """

    def __init__(self, work: RowWork, output: Output, others: Output | None) -> None:
        self._arrow, _ = arrow()
        self._work = work
        self._fields = work.settings.fields
        self._outputs = [output] if others is None else [output, others]
        self._tables: list[_Table] = []  # for each output, once the first file has said the schema

    def read(self) -> None:
        """Read all files, and write the rows that stay; a store keeps the keys when the output is complete.

        Raises:
            OutputError: Parquet cannot be written.
        """
        try:
            if self._work.settings.keep is Keep.LAST:
                self._read_last()
            else:
                for path in self._work.settings.paths:
                    if self._read(path, self._batches(path, columns=False), self._first):
                        self._work.totals.files += 1
            for table in self._tables:  # the files are valid only now
                table.close()
        except self._arrow.ArrowException as error:
            raise OutputError(f"Parquet: {error}") from error
        finally:
            for table in self._tables:
                table.give_up()

    def _read_last(self) -> None:
        work = self._work
        with closing(NotedKeys(work.seen, work.settings.folder)) as notes:
            broken: set[int] = set()
            for number, path in enumerate(work.settings.paths):
                notes.begin(path)
                try:
                    for batch in guarded(self._batches(path, columns=True), "parquet"):
                        notes.note(self._keys_of(batch))
                except InputError as error:  # the rows before it are read again, and no others
                    work.report(path, error)
                    broken.add(number)
            notes.look_up()
            for number, path in enumerate(work.settings.paths):
                count = notes.begin_again(number)
                is_whole = number not in broken
                if (is_whole or count) and self._read(
                    path, self._again(path, count), lambda batch, _: _noted(notes, batch), reports=is_whole
                ):
                    work.totals.files += is_whole

    def _read(
        self, path: str, batches: Iterator[Any], decide: Callable[[Any, str], _Decision], *, reports: bool = True
    ) -> bool:
        """Write the rows of a file that stay; return whether it could be read, and report it otherwise."""
        work, totals = self._work, self._work.totals
        try:
            for batch in guarded(batches, "parquet"):
                stays, unmatched = decide(batch, source_name(path))
                totals.rows += len(stays)
                totals.kept += sum(stays)
                totals.unmatched += sum(unmatched)
                totals.matched += len(unmatched) - sum(unmatched)
                if work.settings.unmatched == KEPT:
                    stays = [one or other for one, other in zip(stays, unmatched, strict=True)]
                for table, chosen in zip(self._tables, (stays, unmatched), strict=False):
                    table.write(batch, chosen)
                work.on_event(BytesRead(batch.nbytes))
        except InputError as error:
            failed = error
        except self._arrow.ArrowNotImplementedError as error:  # a column of a type whose rows cannot be selected
            failed = InputError(f"has a column that pyarrow {self._arrow.__version__} cannot filter: {error}")
        else:
            return True
        if reports:
            work.report(path, failed)
        return False

    def _again(self, path: str, count: int) -> Iterator[Any]:
        """Yield the first `count` rows of a file again, some at a time.

        Raises:
            InputError: the file cannot be read any more, or has fewer rows.
        """
        for batch in self._batches(path, columns=False):
            yield batch.slice(0, count)
            count -= min(count, batch.num_rows)
            if not count:
                return
        if count:
            raise missing_rows()

    def _batches(self, path: str, *, columns: bool) -> Iterator[Any]:
        """Yield the rows of a file, some at a time; `columns` states whether only those of the fields are wanted.

        Raises:
            InputError: the file cannot be read, has another schema than the files before it, or has none of the fields.
        """
        with open_parquet(path) as opened:
            all_names = opened.file.schema_arrow.names
            names = self._among(all_names)  # the other columns may be large
            if not names:
                raise missing_columns(self._fields, all_names)
            if not self._tables:
                self._tables = [_Table(output, opened.file) for output in self._outputs]
            elif not self._tables[0].schema.equals(opened.file.schema_arrow):
                raise InputError("has another schema than the file before it")
            yield from opened.batches(names if columns else None)

    def _among(self, names: Iterable[str]) -> list[str]:
        """Return the columns that contain the fields."""
        wanted = {name for field in self._fields for name in (field, first_name(field))}
        return [name for name in names if name in wanted]

    def _keys_of(self, batch: Any) -> list[str | None]:
        texts = self._texts_of(batch)
        if texts is not None:
            return self._work.keys.keys.of(RowFields(texts=texts))
        rows = self._rows_of(batch.select(self._among(batch.schema.names)))
        return [self._work.keys.keys(fields_of(values, self._fields)) for values in rows]

    def _texts_of(self, batch: Any) -> list[tuple[bytes, bytes]] | None:
        """Return the offsets and the UTF-8 of the texts of each field; None if one is not a column of strings."""
        pa = self._arrow
        names = batch.schema.names
        found = []
        for field in self._fields:
            if names.count(field) != 1 or first_name(field) != field:
                return None
            column = batch.column(names.index(field))
            if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
                return None
            try:
                column.validate(full=True)
                column = column.fill_null("").cast(pa.string())
            except pa.ArrowInvalid:  # not UTF-8, or more than 2 GB
                return None
            column = pa.concat_arrays([column, column.slice(0, 0)])  # whose offsets begin at 0
            _, offsets, data = column.buffers()
            found.append((offsets.to_pybytes()[: 4 * len(column) + 4], data.to_pybytes() if data else b""))
        return found

    def _rows_of(self, columns: Any) -> list[dict[str, Any]]:
        """Return the rows of a batch; one whose text is not UTF-8 has no values, and is counted."""
        try:
            rows: list[dict[str, Any]] = columns.to_pylist()
        except UnicodeDecodeError:
            rows = []
            for index in range(columns.num_rows):
                try:
                    rows += columns.slice(index, 1).to_pylist()
                except UnicodeDecodeError as error:
                    self._work.totals.tally.fault("row", "broken", f"a row of Parquet: {error}")
                    rows.append({})
        return rows

    def _first(self, batch: Any, source: str) -> _Decision:
        keys = self._keys_of(batch)
        matched = [index for index, key in enumerate(keys) if key is not None]
        stays = [False] * len(keys)
        found = [key for key in keys if key is not None]
        for index in self._work.seen.unseen_indices(found, [source] * len(matched)):
            stays[matched[index]] = True
        return stays, [key is None for key in keys]


def _noted(notes: NotedKeys, batch: Any) -> _Decision:
    marks = notes.next(batch.num_rows)
    return [mark == STAYS for mark in marks], [mark == UNMATCHED for mark in marks]
