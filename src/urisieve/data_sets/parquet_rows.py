"""Rows of Parquet files of one schema, of which the first or the last one with each key is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from urisieve.data_sets.last_rows import STAYS, UNMATCHED, NotedKeys, noted_keys
from urisieve.data_sets.parquet_tables import ParquetTables
from urisieve.data_sets.row_settings import KEPT
from urisieve.data_sets.row_source import missing_columns
from urisieve.data_sets.row_work import RowWork
from urisieve.dedupe.deduplicate import Keep
from urisieve.dedupe.row_keys import fields_of
from urisieve.errors import InputError, OutputError
from urisieve.lean.hints import Any, TypeAlias
from urisieve.runs.events import BytesRead
from urisieve.sources.bytes.reading import source_name
from urisieve.sources.structured.parquet_files import arrow, open_parquet
from urisieve.sources.unexpected import guarded

__all__ = ["ParquetRows"]

# For a batch of rows: whether each stays, and whether each has no key.
_Decision: TypeAlias = tuple[list[bool], list[bool]]


class ParquetRows:
    """Reads rows of Parquet, and writes the first or the last one with each key.

    Args:
        work: the shared parts of the run.
        tables: writes the rows.
    """

    def __init__(self, work: RowWork, tables: ParquetTables) -> None:
        self._arrow, _ = arrow()
        self._work = work
        self._fields = work.settings.fields
        self._tables = tables

    def read(self) -> None:
        """Read all files, write the rows that stay, and keep the keys.

        Raises:
            OutputError: Parquet cannot be written.
        """
        try:
            if self._work.settings.keep is Keep.LAST:
                self._read_last()
            else:
                for path in self._work.settings.paths:
                    self._read(path, self._first)
            self._tables.close()  # the files are valid only now; the store commits after it
        except self._arrow.ArrowException as error:
            raise OutputError(f"Parquet: {error}") from error
        finally:
            self._tables.give_up()
        self._work.state.keep()

    def _read_last(self) -> None:
        work = self._work
        with noted_keys(work.seen, work.settings.folder) as notes:
            read: list[str] = []
            for path in work.settings.paths:
                notes.begin(path)
                try:
                    for batch in guarded(self._batches(path, columns=True), "parquet"):
                        for key in self._keys_of(batch):
                            notes.note(key)
                    read.append(path)
                except InputError as error:
                    work.report(path, error)
            notes.look_up()
            for path in read:
                self._read(path, lambda batch, _: _noted(notes, batch))

    def _read(self, path: str, decide: Callable[[Any, str], _Decision]) -> None:
        work, totals = self._work, self._work.totals
        try:
            for batch in guarded(self._batches(path, columns=False), "parquet"):
                stays, unmatched = decide(batch, source_name(path))
                totals.rows += len(stays)
                totals.kept += sum(stays)
                totals.unmatched += sum(unmatched)
                totals.matched += len(unmatched) - sum(unmatched)
                if work.settings.unmatched == KEPT:
                    stays = [one or other for one, other in zip(stays, unmatched, strict=True)]
                self._tables.write(batch, stays, unmatched)
                work.on_event(BytesRead(batch.nbytes))
        except InputError as error:
            work.report(path, error)
        except self._arrow.ArrowNotImplementedError as error:  # a column of a type whose rows cannot be selected
            text = f"has a column that pyarrow {self._arrow.__version__} cannot filter: {error}"
            work.report(path, InputError(text))
        else:
            totals.files += 1

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
            self._tables.begin(opened.file)
            yield from opened.batches(names if columns else None)

    def _among(self, names: Iterable[str]) -> list[str]:
        """Return the columns that hold the fields."""
        wanted = {name for field in self._fields for name in (field, field.partition(".")[0])}
        return [name for name in names if name in wanted]

    def _keys_of(self, batch: Any) -> list[str | None]:
        rows = self._rows_of(batch.select(self._among(batch.schema.names)))
        return [self._work.keys(fields_of(values, self._fields)) for values in rows]

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
