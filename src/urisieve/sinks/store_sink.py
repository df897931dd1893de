"""`StoreSink`: the records whose keys no earlier run has seen.

Also defines:

- the share of a worker that hands over each key once, with its count and its source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from urisieve.dedupe.checkpoint import Checkpoint
from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import KeySet
from urisieve.errors import UsageError
from urisieve.records.batch import Batch
from urisieve.runs.run_steps import RunStep, Share, SharedSink
from urisieve.sinks.first_seen import KeyedRows, KeyedShare, PendingRows
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.outputs import Output
from urisieve.sinks.outputs_in_place import OutputInPlace
from urisieve.sinks.record_formats import record_format


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
        return KeyedRows(keys, rows, list(numbers.values()), sources, rules=batch._rules)


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

    What is in the store has been written, too: an output that grows in place is on disk before the store commits.

    Args:
        settings: how records are written; their secret is that of the store.
        output: where; a regular file grows in place.
        store: the store.
        marked: what remembers the keys of this run, where all records are written, each with a mark whether it is new.
        checkpoint: notes how far the run is, together with the keys.
        limit: the bytes that what waits to be looked up may take; None for no limit.

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
        limit: int | None = None,
    ) -> None:
        made = record_format(settings)
        if made.key != "key":
            raise UsageError(f"a store keeps the keys of identifiers: the form {settings.form} does not go with it")
        self._settings = settings
        self._file = output._innermost
        self._store = store
        self._keys = marked
        self._checkpoint = checkpoint
        is_fresh = not (isinstance(self._file, OutputInPlace) and self._file.old)
        self._output = made.output(output, marks=marked is not None, is_fresh=is_fresh)
        self._pending = PendingRows(None if limit is None else limit // 4)
        self.columns = made.columns | {"key", "source", "warnings"}
        self.offsets = made.offsets
        self.writes_little = made.is_text
        self._commits = not made.is_file  # such a file counts only when it is whole
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
        self.begin()
        keys, rows, counts, sources, *_ = self._pending.taken()
        indices = self._store.add(keys, counts=counts, sources=sources)
        self.new += len(indices)
        if self._keys is None:
            self._output.write(keys, rows, indices)
        else:
            self._output.write(keys, rows, self._keys.unseen_indices(keys), set(indices))
        self._file._flush()  # what is in the store has been written
        if isinstance(self._file, OutputInPlace):
            self._file.sync()
            if self._checkpoint is not None:
                self._checkpoint.note(self._file.size, self._parts, found=self._found, failed=self._failed)
        if self._commits:
            self._store.commit()

    def _pause(self) -> None:
        if self._pending.has_waited():
            self._settle()

    def close(self) -> None:
        """Look up what waits, and complete the output of a table."""
        super().close()
        self._settle()
        self._output.close()
