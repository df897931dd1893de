"""The settings of a run over rows, and the parts of it that all its readers share.

It also defines:

- the counts of a run over rows.
- the keys of the rows seen so far: by this run, or by all runs that share a store.
- the keys of rows, made in this process or by several others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack

from urisieve.dedupe.checkpoint import Checkpoint
from urisieve.dedupe.deduplicate import LEFT_OUT, RowFields, RowKeys
from urisieve.dedupe.keeping import Keep
from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import KeySet, digest
from urisieve.errors import InputError, UnexpectedInputError
from urisieve.finding_options import DEFAULT_OPTIONS, Options
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, dataclass, field
from urisieve.records.filtering import Filter
from urisieve.records.mask import Mask
from urisieve.runs.events import FileFailed, OnEvent
from urisieve.runs.file_parts import seekable
from urisieve.sinks.byte_output import Output
from urisieve.sinks.outputs import OutputInPlace
from urisieve.sinks.printed_rows import PrintedRows
from urisieve.sinks.safe_cells import Cells
from urisieve.sources.bytes.reading import source_name
from urisieve.sources.reading_options import DataSetKind
from urisieve.sources.structured.row_files import RowFormat
from urisieve.sources.tally import Tally, by_code, counted

if TYPE_CHECKING:
    from urisieve.runs.workers import Work, Workers


# The note of a checkpoint in addition to the numbers: nothing else is needed to continue.
_STATE: Final = "{}"


# The choices for rows without a key, other than a file of their own.
KEPT: Final = "keep"
DROPPED: Final = "drop"


class RowSettings(NamedTuple):
    """Settings of a run over rows.

    Attributes:
        paths: the input files, in this order; `-` for standard input.
        fields: the fields that contain identifiers; a name with dots leads into nested rows.
        kind: how rows are written.
        delimiter: the character between the cells of a table; "" to detect it.
        skip_lines: the number of lines above the header of a table, passed on with it; None to detect it.
        output: the file of the rows that stay; `-` for standard output.
        keep: which row with a key stays.
        by: the part of an identifier that decides; see `RowKeys`.
        unmatched: `keep` or `drop` for rows without a key, or the path of a file for them.
        options: how identifiers are judged and normalized.
        encoding: the encoding of the text; UTF-8 for None.
        store: the file of the keys of earlier runs, to which those of this run are added.
        memory_limit: the number of bytes that keys may take in memory; None for no limit.
        folder: the folder of temporary files; that of `tempfile` for None.
        checkpoint: the file that notes the progress of the run.
        command: a digest of the command that a checkpoint belongs to; see `command_digest`.
        traces: whether messages about unexpected exceptions include the traceback.
        cells: how the cells of tables leave.
        jobs: the number of processes that make keys; those of Parquet are made by the one that reads it.
        wanted: the lists by which rows are left out, as its `known` and `unknown`; None for none.
    """

    paths: tuple[str, ...]
    fields: tuple[str, ...]
    kind: DataSetKind
    output: str
    delimiter: str = ""
    skip_lines: int | None = None
    keep: Keep = Keep.FIRST
    by: str = "key"
    unmatched: str = KEPT
    options: Options | None = None
    encoding: str | None = None
    store: str | None = None
    memory_limit: int | None = None
    folder: str | None = None
    checkpoint: str | None = None
    command: str = ""
    traces: bool = False
    cells: Cells = Cells()
    jobs: int = 1
    wanted: Filter | None = None

    @property
    def form(self) -> RowFormat:
        """How rows are written."""
        return RowFormat(str(self.kind), self.delimiter, encoding=self.encoding, skip=self.skip_lines)

    @property
    def is_table(self) -> bool:
        """Whether rows have cells."""
        return self.kind in (DataSetKind.CSV, DataSetKind.TSV)

    @property
    def is_whole(self) -> bool:
        """Whether the output is valid only as a whole, so that it cannot be added to."""
        return self.kind in (DataSetKind.PARQUET, DataSetKind.JSON)

    @property
    def cache(self) -> int | None:
        """The number of bytes of a store that are kept in memory; None for the default of `Store`."""
        return None if self.memory_limit is None else self.memory_limit // 4


# The key of a row that lists leave out, and its digest.
_LEFT_OUT: Final = (LEFT_OUT, digest(LEFT_OUT))


class SeenRows:
    """Decides which keys occur for the first time.

    Args:
        seen: the memory of keys.
    """

    def __init__(self, seen: KeySet | Store) -> None:
        self._keys = seen
        self.store = seen if isinstance(seen, Store) else None
        """The store of the keys, if they are in one."""
        self.left_out = 0
        """The number of keys of rows that lists leave out."""

    @property
    def is_in_memory(self) -> bool:
        """Whether all keys are in memory; otherwise large batches are far cheaper than small ones."""
        return isinstance(self._keys, KeySet) and not self._keys.is_spilled

    @property
    def mask(self) -> Mask:
        """How the keys are kept: a store contains digests in place of passwords."""
        return Mask(None) if self.store is None else self.store._mask

    def unseen_indices(self, keys: Sequence[str] | Sequence[bytes], sources: Sequence[str]) -> list[int]:
        """Return the indices of the keys that occur for the first time; they count as seen from then on.

        Args:
            keys: the keys, or the digests of all of them: a run uses one of the two.
            sources: the name of the file of each key.
        """
        rest = [index for index, key in enumerate(keys) if key not in _LEFT_OUT]
        self.left_out += len(keys) - len(rest)
        found: list[Any] = [keys[index] for index in rest]
        are_digests = bool(found) and isinstance(found[0], bytes)
        if self.store is not None:
            add: Callable[..., list[int]] = self.store.add_digests if are_digests else self.store.add
            new = add(found, sources=[sources[index] for index in rest])
        else:
            new = self._keys.unseen_indices([key.hex() for key in found] if are_digests else found)
        return [rest[index] for index in new]

    def commit(self) -> None:
        """Keep the keys in the store, if there is one."""
        if self.store is not None:
            self.store.commit()


class RowCounts(NamedTuple):
    """The counts that `deduplicate_rows` returns: how many rows were read and kept.

    A run that continues from a checkpoint counts from there, except where an attribute says otherwise.

    >>> from urisieve import Tally
    >>> from urisieve.types import RowCounts
    >>> counts = RowCounts(1, 3, kept=1, unmatched=0, reasons={}, found=True, failed=False, tally=Tally())
    >>> counts.files, counts.rows, counts.duplicates
    (1, 3, 2)

    Attributes:
        files: the number of files read to their end, those done before the checkpoint included.
        rows: the number of rows read; headers are not rows, empty lines are.
        kept: the number of rows that stay because their key occurs for the first time (or the last).
        unmatched: the number of rows without a key.
        reasons: the number of rows without a key by reason, for those whose fields could be read: the reason of a
            `Rejection`, `empty` or `no-text`.
        found: whether a row has a key, new or not, before the checkpoint too.
        failed: whether something could not be read to its end, before the checkpoint too.
        tally: the counts of what was skipped and broken; its messages have been reported as events, too.
        made_safe: how many cells got a `'` before them, with `safe_cells`.
        left_out: the number of rows that lists leave out (`known`, `unknown`).
    """

    files: int
    rows: int
    kept: int
    unmatched: int
    reasons: Mapping[str, int]
    found: bool
    failed: bool
    tally: Tally
    made_safe: int = 0
    left_out: int = 0

    @property
    def duplicates(self) -> int:
        """The number of rows with a key that another row with the same key, or the store, had first (or has last)."""
        return self.rows - self.kept - self.unmatched - self.left_out

    def summary(self) -> str:
        """Return the counts in words.

        >>> from urisieve import Tally
        >>> RowCounts(1, 3, kept=1, unmatched=0, reasons={}, found=True, failed=False, tally=Tally()).summary()
        '1 file, 3 rows, 1 kept, 2 duplicates, 0 unmatched'
        """
        reasons = f" ({by_code(self.reasons)})" if self.reasons else ""
        return ", ".join(
            [
                counted(self.files, "file"),
                counted(self.rows, "row"),
                f"{self.kept:,} kept",
                f"{self.duplicates:,} duplicate{'' if self.duplicates == 1 else 's'}",
                f"{self.unmatched:,} unmatched{reasons}",
                *([f"{self.left_out:,} left out by lists"] if self.left_out else []),
            ]
        )


@dataclass(slots=True)
class RowTotals:
    """The counts of a run in progress, as in `RowCounts`; `matched` rows have a key, `failure` is the first one."""

    files: int = 0
    rows: int = 0
    kept: int = 0
    matched: int = 0
    unmatched: int = 0
    failed: bool = False
    failure: str = ""
    made_safe: int = 0
    left_out: int = 0
    tally: Tally = field(default_factory=Tally)


# How keys are made: the options, the part of an identifier that decides, how they are kept, and the lists.
_Making = tuple[Options, str, Mask, Filter | None]
# The keys of some rows, and how many have none, by reason.
_Made = tuple[list[str | None], Counter[str]]


class MadeKeys:
    """Makes the keys of rows that are read one after the other.

    Args:
        settings: the settings of the run.
        mask: how keys are kept.
        stack: ends the processes.

    Raises:
        UsageError: a setting is not a choice, or cannot be given to other processes.
    """

    def __init__(self, settings: RowSettings, mask: Mask, stack: ExitStack) -> None:
        self._making = (settings.options or DEFAULT_OPTIONS, settings.by, mask, settings.wanted)
        self._jobs = settings.jobs
        self._stack = stack
        self._workers: Workers[RowFields, _Made] | None = None
        self.keys = _row_keys(self._making)
        """Makes keys in this process; it counts the rows without one for all."""
        if self._jobs > 1:
            from urisieve.runs.workers import check_can_travel

            check_can_travel(self._making[0])

    def of(self, path: str, fields: Iterable[RowFields]) -> Iterator[list[str | None]]:
        """Yield the keys of the rows of a file, some at a time; those of a pipe are not read ahead.

        Raises:
            ProcessError: a process cannot be started, or has ended without being asked to.
        """
        if self._jobs == 1 or seekable(path) is None:
            yield from map(self.keys.of, fields)
            return
        if self._workers is None:
            from urisieve.runs.workers import Workers, start_method

            self._workers = self._stack.enter_context(
                Workers(self._jobs, _key_work, self._making, method=start_method())
            )
        for keys, unmatched in self._workers.map(fields):
            self.keys.unmatched.update(unmatched)
            yield keys


def _row_keys(making: _Making) -> RowKeys:
    options, by, mask, lists = making
    return RowKeys(options, by, mask.record if mask.hides_passwords else None, lists)


def _key_work(making: _Making) -> Work[RowFields, _Made]:
    keys = _row_keys(making)

    def work(fields: RowFields) -> Iterator[_Made]:
        made = keys.of(fields)
        unmatched, keys.unmatched = keys.unmatched, Counter()
        yield made, unmatched

    return work


class RowWork(NamedTuple):
    """The shared parts of a run over rows.

    Attributes:
        settings: the settings of the run.
        opened: the bytes of files that cannot be read again, by their path.
        keys: makes the keys of rows.
        seen: decides which keys occur for the first time.
        output: the output of the rows that stay, as the file has them.
        checkpoint: notes the progress of the run, if it is to be noted.
        totals: the counts.
        on_event: called with each event.
        printed: adds rows to the output together with their keys in a store; None for any other output.
    """

    settings: RowSettings
    opened: dict[str, Iterable[bytes]]
    keys: MadeKeys
    seen: SeenRows
    output: Output
    checkpoint: Checkpoint | None
    totals: RowTotals
    on_event: OnEvent
    printed: PrintedRows | None = None

    def report(self, path: str, error: InputError) -> None:
        """Report that a file cannot be read; count it if a reader failed unexpectedly."""
        self.totals.failed = True
        self.totals.failure = self.totals.failure or f"{source_name(path) or 'standard input'}: {error}"
        if isinstance(error, UnexpectedInputError):
            self.totals.tally.stopped(source_name(path), error, traces=self.settings.traces)
        else:
            self.on_event(FileFailed(path, str(error)))

    def blocks(self, path: str) -> Iterable[bytes] | None:
        """Return the bytes of a file that cannot be read again; None for any other, and after the first time."""
        return self.opened.pop(path, None)

    def keep(self, files: int = 0, rows: int = 0) -> None:
        """Keep what outlives the run, never before the rows are on disk: the keys in their store, and the progress.

        Args:
            files: the number of files that this run has done.
            rows: the number of rows of the next file that have been done.
        """
        if not self.seen.is_in_memory:
            self.output._flush()
        if isinstance(self.output, OutputInPlace):
            self.output.sync()
            if self.checkpoint is not None:
                rows = rows if files else max(rows, self.checkpoint.rows)
                found = self.totals.matched > 0
                self.checkpoint.note(self.output.size, files, rows, _STATE, found=found, failed=self.totals.failed)
        self.seen.commit()
