"""`urisieve dedupe --field`: the rows of data sets whose identifiers were not seen before, as they stand."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Final, NamedTuple

from urisieve.cli.checkpoint import Checkpoint
from urisieve.cli.dedupe_arguments import DedupeSettings, Input, budget
from urisieve.cli.hints import path_hint
from urisieve.cli.outputs import STANDARD_OUTPUT, Output, open_output
from urisieve.cli.place import PlacedOutput, open_in_place, output_for
from urisieve.cli.portions import Portions
from urisieve.cli.summary import by_code, counted
from urisieve.cli.talk import say
from urisieve.data_sets.row_reader import Row, read_rows, rows_of_blocks
from urisieve.dedupe.deduplicate import Keep
from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import KeySet
from urisieve.dedupe.row_keys import RowKeys, fields_of
from urisieve.errors import InputError, UnexpectedInputError
from urisieve.nearest import did_you_mean
from urisieve.records.masking import password_token
from urisieve.records.record import Record
from urisieve.runs.file_parts import source_name
from urisieve.sources.bytes.reading import read_blocks
from urisieve.sources.tally import Tally
from urisieve.sources.unexpected import guarded

__all__ = ["RowRun", "run_rows"]

# Rows that are looked up at once: in memory few, so that they come out soon; in a store many.
_TOGETHER: Final = 1_024
_BATCH: Final = 250_000
_BATCH_BYTES: Final = 67_108_864
_BATCH_SECONDS: Final = 5.0
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# Names of fields that are remembered, to find the nearest of them.
_NAMES: Final = 1_000


def run_rows(settings: DedupeSettings, portions: Portions, stack: ExitStack) -> int:
    """Run over data sets and give the exit status.

    Raises:
        OutputError: the output cannot be written.
        InputError: no source could be read, and files are as they were.
        StoreError: the store cannot be used.
    """
    run: RowRun
    if settings.input is Input.PARQUET:
        from urisieve.cli.dedupe_parquet import ParquetRun

        run = ParquetRun(settings, stack)
    elif settings.keep is Keep.LAST:
        from urisieve.cli.dedupe_last import LastRun

        run = LastRun(settings, stack)
    else:
        run = RowRun(settings, stack)
    run.run()
    stack.close()  # the output is complete before it is counted
    portions.note(run.tally)
    if not settings.extract.quiet:
        rejected = [portions.rejections()] if portions.reasons else []
        say(portions.summed("; ".join([run.counts(), *rejected])))
    if run.failed or portions.failed:
        return 2
    return 0 if run.matched else 1


class _Waiting(NamedTuple):
    """A row that is to be looked up, its key, and the source that it came from."""

    row: Row
    key: str | None
    source: str


class RowRun:
    """One run over files of rows, of which the first ones with a key stay."""

    def __init__(self, settings: DedupeSettings, stack: ExitStack) -> None:
        self.settings = settings
        self.stack = stack
        self._started = time.perf_counter()
        self._checkpoint: Checkpoint | None = None
        self.store: Store | None = None
        if settings.checkpoint is not None:
            self._checkpoint = stack.enter_context(Checkpoint(settings))
            self.store = self._checkpoint.store
        elif settings.store is not None:
            self.store = stack.enter_context(
                Store(settings.store, options=settings.extract.options, by=settings.by, cache=settings.cache)
            )
        self.keys = KeySet()  # those of this run, where there is no store
        if self.store is None:
            self.keys = stack.enter_context(KeySet(memory_limit=budget(settings.memory_limit), folder=settings.temp))
        self.key = RowKeys(settings.extract.options, settings.by, self._masking())
        self.tally = Tally()
        self.failed = False
        self.files = self.rows = self.kept = self.matched = self.unmatched = 0
        self.output: Output
        self.others: Output | None = None
        self._header: bytes | None = None
        self._is_written = False  # something stands in the output
        self._open_line = False  # the last line that was written has no end
        self._has_field = False
        self._names: dict[str, None] = {}  # of fields, until one of those asked for is seen
        self._waiting: list[_Waiting] = []
        self._bytes = 0
        limit = budget(settings.memory_limit)
        self._most_bytes = _BATCH_BYTES if limit is None else min(_BATCH_BYTES, limit // 4)
        self._since = 0.0
        self._done_files = 0
        self._done_rows = 0

    def _masking(self) -> Callable[[Record], Record] | None:
        """What hides passwords in the keys that a store keeps."""
        if self.store is None:
            return None
        token = password_token(self.store.secret)

        def masked(record: Record) -> Record:
            return record.masked(token)

        return masked

    def run(self) -> None:
        """Read, and write what stays.

        Raises:
            InputError: nothing could be read.
        """
        self.open_outputs()
        self.read_all(self.settings.extract.paths)
        if self._checkpoint is not None:
            self.failed |= self._checkpoint.failed
            self.matched += self._checkpoint.found
        if not self.files and self.settings.extract.output != STANDARD_OUTPUT:
            raise InputError("nothing could be read; the output is left as it was")
        if self.settings.input is Input.JSONL and self.rows and not self._has_field:
            fields = " or ".join(map(repr, self.settings.fields))
            near = did_you_mean(self.settings.fields[0], self._names)
            raise InputError(f"no row has the field {fields}; an output that is a file is left as it was{near}")
        if self._checkpoint is not None:
            self._checkpoint.is_done = True

    def open_outputs(self) -> None:
        """Open where rows go; what stands in a file that a store or a checkpoint adds to stays."""
        settings = self.settings
        checkpoint = self._checkpoint
        state = json.loads(checkpoint.state) if checkpoint is not None and checkpoint.state else {}
        if settings.unmatched not in ("keep", "drop"):
            if checkpoint is None:
                self.others = self.stack.enter_context(open_output(settings.unmatched))
            else:
                self.others = self.stack.enter_context(open_in_place(settings.unmatched, state.get("others", 0)))
        self.output = self.stack.enter_context(output_for(settings, checkpoint))
        if isinstance(self.output, PlacedOutput) and self.output.old:
            self._is_written = True
            if settings.input is not Input.JSONL:
                blocks = read_blocks(settings.extract.output)
                rows = rows_of_blocks(blocks, str(settings.input), settings.extract.encoding)
                self._header = next((_names(row) for row in rows if row.is_header), None)

    def read_all(self, paths: tuple[str, ...]) -> None:
        """Read all files, and write the rows that stay."""
        checkpoint = self._checkpoint
        skipped_files, skipped_rows = (0, 0) if checkpoint is None else (checkpoint.parts, checkpoint.rows)
        for number, path in enumerate(paths):
            if number < skipped_files:
                self.files += 1
                continue
            skip = skipped_rows if number == skipped_files else 0
            self._done_rows = 0
            try:
                for row in self.rows_of(path):
                    self._done_rows += 1
                    if self._done_rows > skip:
                        self._take(row, self.key_of(row), source_name(path))
            except InputError as error:
                self.report(path, error)
            else:
                self.files += 1
            self._done_files += 1
            self._done_rows = 0
        if self.files or self._waiting:  # else an output that stays is left alone
            self._settle()

    def rows_of(self, path: str, blocks: Iterable[bytes] | None = None) -> Iterator[Row]:
        """The rows of a file but its header, which is written if it is the first one.

        Args:
            path: the file.
            blocks: its bytes, where they do not come from there.

        Raises:
            InputError: it cannot be read, or has another header than the files before it, or the field is no column.
        """
        settings = self.settings
        kind = str(settings.input)
        rows = read_rows(path, kind, settings.extract.encoding, tally=self.tally, blocks=blocks)
        for row in guarded(rows, kind):
            if row.is_header:
                self._take_header(row, path)
                continue
            if row.fault is not None:
                self.tally.fault("row", "broken", f"{source_name(path)}: row {row.number:,} {row.fault}")
            yield row

    def _take_header(self, row: Row, path: str) -> None:
        fields = self.settings.fields
        missing = [field for field in fields if not {field, field.partition(".")[0]}.intersection(row.names)]
        if len(missing) == len(fields):
            raise self.no_column(row.names)
        if self._header is None:
            for field in missing:
                near = did_you_mean(field, row.names)
                say(f"{source_name(path)}: has no column {field!r}; the others are read{near}")
        names = _names(row)
        if self._header is None:
            self._header = names
            self.put_header(row)
        elif names != self._header:
            raise InputError("has other columns than the file before it, or than the output that it is added to")

    def no_column(self, names: Iterable[str]) -> InputError:
        """That none of the columns is one of the fields."""
        columns = list(names)
        fields = " or ".join(map(repr, self.settings.fields))
        near = did_you_mean(self.settings.fields[0], columns)
        return InputError(f"has no column {fields}; its columns are {', '.join(map(repr, columns))}{near}")

    def put_header(self, row: Row) -> None:
        """Write the header."""
        self._put(self.output, row.data)
        if self.others is not None:
            self.others.write(row.data)

    def report(self, path: str, error: InputError) -> None:
        """Say that a file cannot be read; count one over which something failed that nobody expected."""
        self.failed = True
        if isinstance(error, UnexpectedInputError):
            from urisieve.runs.document_sieve import count_failure

            count_failure(self.tally, source_name(path), error, traces=self.settings.extract.traceback)
        else:
            say(f"{source_name(path)}: {error}{path_hint(path)}")

    def key_of(self, row: Row) -> str | None:
        """The key of a row; None where it has none."""
        if row.values is None:
            return None
        if not self._has_field:
            self._has_field = any(_has(row.values, field) for field in self.settings.fields)
            if isinstance(row.values, dict) and len(self._names) < _NAMES:
                self._names.update(dict.fromkeys(row.values))
        return self.key(fields_of(row.values, self.settings.fields))

    def _take(self, row: Row, key: str | None, source: str) -> None:
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append(_Waiting(row, key, source))
        self._bytes += len(row.data)
        in_memory = self.store is None and not self.keys.is_spilled
        number = len(self._waiting)
        is_full = number >= (_TOGETHER if in_memory else _BATCH) or self._bytes >= self._most_bytes
        if is_full or (number % _TOGETHER == 0 and time.monotonic() - self._since >= _BATCH_SECONDS):
            self._settle()

    def _settle(self) -> None:
        """Look up what waits, write what stays, and keep the keys."""
        matched = [place for place, waiting in enumerate(self._waiting) if waiting.key is not None]
        keys = [waiting.key for waiting in self._waiting if waiting.key is not None]
        sources = [self._waiting[place].source for place in matched]
        new = {matched[place] for place in self.unseen_places(keys, sources)}
        stays: list[Row] = []
        for place, waiting in enumerate(self._waiting):
            if waiting.key is None:
                self.unmatched += 1
                if self.settings.unmatched == "keep":
                    stays.append(waiting.row)
                elif self.others is not None:
                    self.put_unmatched(waiting.row)
            elif place in new:
                self.kept += 1
                stays.append(waiting.row)
        self.rows += len(self._waiting)
        self.matched += len(matched)
        self._waiting.clear()
        self._bytes = 0
        self.put_rows(stays)
        self.keep()

    def unseen_places(self, keys: list[str], sources: list[str]) -> list[int]:
        """The places of the keys that come for the first time."""
        return self.keys.unseen_places(keys) if self.store is None else self.store.add(keys, sources=sources)

    def keep(self) -> None:
        """Keep the keys, now that their rows are written."""
        if self.store is None:
            return
        if isinstance(self.output, PlacedOutput):
            self.output.sync()
            if self._checkpoint is not None:
                state = {}
                if isinstance(self.others, PlacedOutput):
                    self.others.sync()
                    state["others"] = self.others.size
                rows = self._done_rows if self._done_files else max(self._done_rows, self._checkpoint.rows)
                done = (self.output.size, self._done_files, rows, json.dumps(state))
                self._checkpoint.note(*done, found=self.matched > 0, failed=self.failed)
        self.store.commit()

    def put_rows(self, rows: Iterable[Row]) -> None:
        """Write rows."""
        self._put(self.output, *(row.data for row in rows))

    def put_unmatched(self, row: Row) -> None:
        """Write a row without a key where such go."""
        if self.others is not None:
            self.others.write(row.data if row.data.endswith(b"\n") else row.data + b"\n")

    def _put(self, output: Output, *lines: bytes) -> None:
        """Write lines; one without an end gets it when another follows, and a byte order mark stays at the start."""
        pieces: list[bytes] = []
        for line in lines:
            if self._is_written and line.startswith(_BYTE_ORDER_MARK):
                line = line.removeprefix(_BYTE_ORDER_MARK)
            if not line:
                continue
            if self._open_line:
                pieces.append(b"\n")
            pieces.append(line)
            self._is_written = True
            self._open_line = not line.endswith(b"\n")
        if pieces:
            output.write(b"".join(pieces))

    def _unmatched(self) -> str:
        reasons = self.key.unmatched
        return f"{self.unmatched:,} unmatched{f' ({by_code(reasons)})' if reasons else ''}"

    def counts(self) -> str:
        """What was done, in one line."""
        return ", ".join(
            [
                counted(self.files, "file"),
                counted(self.rows, "row"),
                f"{self.kept:,} kept",
                f"{self.rows - self.kept - self.unmatched:,} duplicates",
                self._unmatched(),
                f"{time.perf_counter() - self._started:.1f} s",
            ]
        )


def _names(row: Row) -> bytes:
    """The line that names the columns, without what may differ from file to file."""
    return row.data.strip().removeprefix(_BYTE_ORDER_MARK)


def _has(values: object, field: str) -> bool:
    return isinstance(values, dict) and (field in values or field.partition(".")[0] in values)
