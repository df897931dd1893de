"""`FirstSeenSink`: each key at its first occurrence; `StoreSink`: the records whose keys no earlier run has seen.

Also defines:

- keys with their rows: the product of a worker if each key counts once.
- keys and rows that wait to be looked up, where that is done on disk.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from urisieve.dedupe.keyset import KeySet
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, late
from urisieve.records.batch import Batch
from urisieve.records.layouts import ended_lines
from urisieve.rules.table import KNOWN_RULES, RuleTable
from urisieve.runs.run_steps import DigestedBatches, RunStep, Share, SharedSink, WholeBatches, batch_size
from urisieve.sinks.byte_output import Output
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.outputs import OutputInPlace
from urisieve.sinks.record_formats import record_format
from urisieve.sinks.row_format import Rows

if TYPE_CHECKING:
    from urisieve.dedupe.checkpoint import Checkpoint
    from urisieve.dedupe.key_store import Store
    from urisieve.records.sink import Seen
    from urisieve.sinks.printed_rows import PrintedRows
else:
    Checkpoint = late("urisieve.dedupe.checkpoint", "Checkpoint")  # which imports SQLite
    Store, Seen = late("urisieve.dedupe.key_store", "Store"), late("urisieve.records.sink", "Seen")


# The number of keys that a process which shares the work remembers, so that it hands over few of them twice.
_REMEMBERED: Final = 262_144
# The approximate number of bytes of a key between processes.
_KEY_LENGTH: Final = 64


class KeyedRows(NamedTuple):
    """Keys, each with its row, its count and its source.

    Attributes:
        keys: the keys.
        rows: the record of each key as it is to be written.
        counts: the number of occurrences of each key; None if each occurred once.
        sources: the source in which each key was seen first; None if not known.
        rejections: the rejections among them, as they are to be written.
        rules: the rule table of their records.
    """

    keys: Sequence[str]
    rows: Rows
    counts: Sequence[int] | None = None
    sources: Sequence[str | None] | None = None
    rejections: bytes = b""
    rules: RuleTable = KNOWN_RULES


class KeyedShare:
    """The share of a worker; derived classes define its product."""

    def __init__(self, settings: FormatSettings) -> None:
        self._format = record_format(settings)

    def _rows(self, batch: Batch, keys: Sequence[str], indices: Sequence[int]) -> Rows:
        """Return the rows at some indices; `keys` are those of these rows."""
        made = self._format
        is_plain = made.is_plain and batch.column("key") is batch.column("uri")
        if is_plain and not made.mask.may_change(batch):
            return None
        rows = made.rows(batch, indices)
        return None if made.is_plain and rows == [ended_lines((key,)) for key in keys] else rows

    def flush(self) -> None:
        """Return nothing: all was handed over."""

    def size(self, product: KeyedRows, /) -> int:
        """Return about how many bytes a product takes."""
        rows = product.rows
        length = _KEY_LENGTH * len(product.keys) + len(product.rejections)
        if isinstance(rows, Batch):
            return length + batch_size(rows)
        return length + sum(map(len, rows or ()))


class FirstShare(KeyedShare):
    """Hands over each key once, as far as it is remembered."""

    def __init__(self, settings: FormatSettings) -> None:
        super().__init__(settings)
        self._seen: set[str] = set()

    def take(self, batch: Batch, /) -> KeyedRows:
        """Return the keys of a batch that this worker has not handed over, with their rows."""
        if len(self._seen) > _REMEMBERED:
            self._seen.clear()
        keys = every = batch.column(self._format.key)
        indices: Sequence[int] = range(len(every))
        if len(different := frozenset(every)) == len(every) and self._seen.isdisjoint(different):
            self._seen |= different
        else:
            first = []
            for index, key in enumerate(every):
                if key not in self._seen:
                    self._seen.add(key)
                    first.append(index)
            keys, indices = [every[index] for index in first], first
        return KeyedRows(keys, self._rows(batch, keys, indices), rejections=self._format.rejections(batch))


# A batch is full with so many keys, or bytes of rows, or after so many seconds: large
# batches cost far less a key than small ones.
_KEYS: Final = 500_000
_BYTES: Final = 67_108_864
_SECONDS: Final = 5.0
# The fewest seconds between two batches that are looked up at pauses of the input: what comes slowly does not wait.
_PAUSE: Final = 0.05
# What a key of a batch takes while it is looked up, and how many are looked up at once at least.
_KEY_MEMORY: Final = 400
_LEAST_KEYS: Final = 20_000
# About how many bytes a row of a batch takes.
_ROW: Final = 512


class PendingRows:
    """Keys and rows that wait to be looked up.

    Args:
        memory: how many bytes they may take; None for no limit.
    """

    def __init__(self, memory: int | None = None) -> None:
        self._most = _KEYS if memory is None else max(_LEAST_KEYS, min(_KEYS, memory // _KEY_MEMORY))
        self._some: list[KeyedRows] = []
        self._number = self._bytes = 0
        self._since = self._last = 0.0

    def __len__(self) -> int:
        return self._number

    def add(self, some: KeyedRows) -> None:
        """Add keys with their rows."""
        if not some.keys:
            return
        if not self._some:
            self._since = time.monotonic()
        self._some.append(some)
        self._number += len(some.keys)
        rows = some.rows
        if isinstance(rows, Batch):
            self._bytes += _ROW * len(rows)
        else:
            self._bytes += sum(map(len, some.keys if rows is None else rows))

    @property
    def is_full(self) -> bool:
        """Whether it is time to look up what waits."""
        return self._number >= self._most or self._bytes >= _BYTES or self._has_waited

    @property
    def _has_waited(self) -> bool:
        return bool(self._some) and time.monotonic() - self._since >= _SECONDS

    @property
    def is_due(self) -> bool:
        """Whether something waits, to be looked up at a pause."""
        return bool(self._some) and time.monotonic() - self._last >= _PAUSE

    def taken(self) -> KeyedRows:
        """Remove and return the waiting keys and rows."""
        some, self._some = self._some, []
        self._number = self._bytes = 0
        self._last = time.monotonic()
        keys = [key for one in some for key in one.keys]
        counts: list[int] | None = None
        if any(one.counts is not None for one in some):
            counts = [count for one in some for count in one.counts or [1] * len(one.keys)]
        sources = [source for one in some for source in one.sources or [None] * len(one.keys)]
        return KeyedRows(keys, _joined([(one.keys, one.rows) for one in some]), counts, sources)


def _joined(some: list[tuple[Any, Rows]]) -> Rows:
    """Rows put together; None where the keys are all of them."""
    if all(rows is None for _, rows in some):
        return None
    if any(isinstance(rows, Batch) for _, rows in some):
        return Batch.joined(rows for _, rows in some if isinstance(rows, Batch))
    lines: list[bytes] = []
    for keys, rows in some:
        lines += [ended_lines((key,)) for key in keys] if rows is None else rows  # type: ignore[arg-type] # no batch
    return lines


class FirstSeenSink(SharedSink):
    """Writes the record of each key at its first occurrence.

    >>> import os, tempfile
    >>> from urisieve import KeySet, sieve_into
    >>> from urisieve.options import Format
    >>> from urisieve.sinks import FirstSeenSink, FormatSettings, open_output
    >>> path = os.path.join(tempfile.mkdtemp(), "links")
    >>> with open_output(path) as output:
    ...     sink = FirstSeenSink(FormatSettings(Format.TEXT), output, KeySet())
    ...     tally = sieve_into(["samples/access.log"], sink)
    >>> sink.new
    6

    Args:
        settings: how records are written.
        output: the output of the records.
        seen: the memory of keys.
        rejects: the output of rejections, if the settings name a format for them.
        memory_limit: the bytes that waiting keys and rows may take, if keys may be on disk; None for no limit.

    Attributes:
        new: the number of keys that were new to `seen`.
    """

    def __init__(
        self,
        settings: FormatSettings,
        output: Output,
        seen: Seen,
        rejects: Output | None = None,
        *,
        memory_limit: int | None = None,
    ) -> None:
        self._settings = settings
        self._seen = seen
        self._rejects = rejects
        self._pending = None if memory_limit is None else PendingRows(memory_limit // 4)
        self._rows: FirstShare | None = None  # makes rows that can wait
        self._format = record_format(settings)
        self._output = self._format.output(output)
        self._lines = output
        self.columns = self._format.needed | {"key"}
        self.offsets = settings.rejects is not None or self._format.offsets
        self.writes_little = self._format.is_text
        self.filters = self._format.filters
        self.suits_threads = self._format.is_plain and memory_limit is None and settings.rejects is None
        self.new = 0

    def begin(self) -> None:
        """Write the headers of tables, before anything else."""
        self._output.begin()
        if self._rejects is not None and self._format.rejects is not None:
            self._rejects.write(self._format.rejects.header)

    def share(self, *, alone: bool) -> Callable[[], Share]:
        """See `SharedSink.share`."""
        return WholeBatches if alone else partial(FirstShare, self._settings)

    def thread_share(self) -> Callable[[], Share]:
        """See `SharedSink.thread_share`."""
        return partial(DigestedBatches, self._seen._digest_for) if isinstance(self._seen, KeySet) else WholeBatches

    def absorb(self, product: Batch | KeyedRows, /) -> None:
        """See `SharedSink.absorb`."""
        if isinstance(product, Batch):
            if not self._waits:
                self._take_batch(product)
                return
            if self._rows is None:
                self._rows = FirstShare(self._settings)
            product = self._rows.take(product)
        if product.rejections and self._rejects is not None:
            self._rejects.write(product.rejections)
        pending = self._pending
        if pending is not None and self._waits:
            pending.add(product)
            if pending.is_full:
                self._write(pending.taken())
        else:
            self._write(product)

    @property
    def _waits(self) -> bool:
        """Whether keys wait until there are many of them, since they are looked up on disk."""
        pending = self._pending
        return pending is not None and (len(pending) > 0 or getattr(self._seen, "is_spilled", False))

    def _take_batch(self, batch: Batch) -> None:
        if self._rejects is not None and batch.rejections:
            self._rejects.write(self._format.rejections(batch))
        if not len(batch):
            return
        if self._format.is_plain and isinstance(self._seen, KeySet) and not self._format.mask.may_change(batch):
            lines, count = self._seen.unseen_lines(batch.layout)
            self.new += count
            if lines:
                self._output.begin()
                self._lines.write(lines)
            return
        indices = self._seen.unseen_indices(batch.column(self._format.key))
        self.new += len(indices)
        if indices:
            self._output.take(batch, indices)

    def discard(self) -> None:
        """Close an output that will not be used."""
        self._output.discard()

    def _pause(self) -> None:
        if self._pending is not None and self._pending.is_due:
            self._write(self._pending.taken())

    def _write(self, some: KeyedRows) -> None:
        indices = self._seen.unseen_indices(some.keys)
        self.new += len(indices)
        self._output.write(some.keys, some.rows, indices)

    def close(self) -> None:
        """Write the waiting rows, and complete the output of a table."""
        super().close()
        if self._pending is not None and len(self._pending):
            self._write(self._pending.taken())
        self._output.close()


class _TallyShare(KeyedShare):
    """Hands over each key of a batch once, with its first record, its count and its source; passwords are masked.

    A batch has one source, so that only the source of the first occurrence is known.
    """

    def __init__(self, settings: FormatSettings) -> None:
        super().__init__(settings)
        self._key_mask = self._format.mask.of_keys()

    def take(self, batch: Batch, /) -> KeyedRows:
        """Return the keys of a batch, with their rows."""
        every = self._key_mask.batch(batch).column("key")
        numbers = Counter(every)
        keys = list(numbers)
        firsts: Sequence[int] = range(len(keys))
        if len(keys) < len(every):
            at = dict(zip(reversed(every), range(len(every) - 1, -1, -1), strict=True))
            firsts = list(map(at.__getitem__, keys))
        name = self._format.mask.name
        if batch.is_constant("source"):
            source = batch.constant("source")
            sources = [source and name(source)] * len(keys)
        else:
            named = batch.column("source")
            sources = [named[index] and name(named[index]) for index in firsts]
        rows = self._rows(batch, keys, firsts)
        counts = list(numbers.values()) if len(keys) < len(every) else None
        return KeyedRows(keys, rows, counts, sources, rules=batch._rules)


class StoreSink(SharedSink):
    """Writes the records whose keys no earlier run has put into a store, and puts them there.

    >>> import os, tempfile
    >>> from urisieve import Store, sieve_into
    >>> from urisieve.options import Format
    >>> from urisieve.sinks import FormatSettings, StoreSink, open_output
    >>> folder = tempfile.mkdtemp()
    >>> new = []
    >>> for name in ("monday", "tuesday"):
    ...     with Store(os.path.join(folder, "seen.db")) as store, open_output(os.path.join(folder, name)) as output:
    ...         sink = StoreSink(FormatSettings(Format.TEXT, secret=store.secret), output, store)
    ...         tally = sieve_into(["samples/access.log"], sink)
    ...         new.append(sink.new)
    >>> new
    [6, 0]

    What is in the store has been written, too, but for the last batch of a process that is killed: of an output that
    grows in place `urisieve.sinks.printed_rows.recover` finds how much of that is there.

    Args:
        settings: how records are written; their secret is that of the store.
        output: where; a regular file grows in place.
        store: the store.
        marked: what remembers the keys of this run, where all records are written, each with a mark whether it is new.
        checkpoint: notes how far the run is, together with the keys.
        memory_limit: the bytes that what waits to be looked up may take; None for no limit.

    Attributes:
        new: how many keys were new to the store.

    Raises:
        UsageError: lines would be hosts, domains or templates, or the settings of the format do not go together; from
            a run, its options make other keys than those of the store.
    """

    offsets = True

    def __init__(
        self,
        settings: FormatSettings,
        output: Output,
        store: Store,
        *,
        marked: KeySet | None = None,
        checkpoint: Checkpoint | None = None,
        memory_limit: int | None = None,
    ) -> None:
        made = record_format(settings)
        if made.key != "key":
            raise UsageError(f"a store keeps the keys of identifiers: the form {made.key} does not go with it")
        self._settings = settings
        self._file = output._innermost
        self._store = store
        self._keys = marked
        self._checkpoint = checkpoint
        is_fresh = not (isinstance(self._file, OutputInPlace) and self._file.old)
        self._output = made.output(output, marks=marked is not None, is_fresh=is_fresh)
        self._pending = PendingRows(None if memory_limit is None else memory_limit // 4)
        self.columns = made.columns | {"key", "source", "warnings"}
        self.offsets = made.offsets
        self.writes_little = made.is_text
        self._commits = not made.is_file  # such a file counts only when it is whole
        self._printed: PrintedRows | None = None
        if checkpoint is None and isinstance(self._file, OutputInPlace) and self._commits:
            from urisieve.sinks.printed_rows import PrintedRows

            self._printed = PrintedRows(store, self._file)
        self._parts = 0
        self._found = self._failed = False
        self.new = 0
        self.is_begun = False

    def begin(self) -> None:
        """Write the header of a table, before anything else."""
        self.is_begun = True
        self._output.begin()

    def share(self, *, alone: bool) -> Callable[[], Share]:
        """See `SharedSink.share`."""
        del alone
        return partial(_TallyShare, self._settings)

    def absorb(self, product: KeyedRows, /) -> None:
        """See `SharedSink.absorb`.

        Raises:
            UsageError: the keys were made by other options than those of the store.
        """
        self._store._alike.check({product.rules})
        self._pending.add(product)

    def end_step(self, step: RunStep, /) -> None:
        """See `SharedSink.end_step`."""
        self._parts += step.part is not None
        self._found = self._found or step.found > 0
        self._failed = self._failed or step.failure is not None or (step.tally is not None and step.tally.is_unread)
        if self._pending.is_full:
            self._settle()

    def discard(self) -> None:
        """Leave an output that will not be used."""
        self._output.discard()

    def _settle(self) -> None:
        """Look up what waits, write what is new, and keep both in the store."""
        if self._printed is not None:
            with self._printed.batch() as new:
                new += self._write_new()
            return
        self._write_new()
        self._file._flush()  # what is in the store has been written
        if isinstance(self._file, OutputInPlace):
            self._file.sync()
            if self._checkpoint is not None:
                self._checkpoint.note(self._file.size, self._parts, found=self._found, failed=self._failed)
        if self._commits:
            self._store.commit()

    def _write_new(self) -> list[str]:
        """Look up what waits, and write what is new; return its keys."""
        self.begin()
        keys, rows, counts, sources, *_ = self._pending.taken()
        indices = self._store.add(keys, counts=counts, sources=sources)
        self.new += len(indices)
        if self._keys is None:
            self._output.write(keys, rows, indices)
        else:
            self._output.write(keys, rows, self._keys.unseen_indices(keys), set(indices))
        return list(keys) if len(indices) == len(keys) else [keys[index] for index in indices]

    def _pause(self) -> None:
        if self._pending.is_due:
            self._settle()
        elif self._printed is not None and not len(self._pending):
            self._printed.settle()

    def close(self) -> None:
        """Look up what waits, and complete the output of a table."""
        super().close()
        self._settle()
        if self._printed is not None:
            self._printed.settle()
        self._output.close()
