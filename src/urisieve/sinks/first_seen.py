"""`FirstSeenSink`: each key at its first occurrence."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from urisieve.dedupe.keyset import KeySet
from urisieve.lean import TYPE_CHECKING, late
from urisieve.records.batch import Batch
from urisieve.runs.run_steps import Share, SharedSink, WholeBatches
from urisieve.sinks.files.outputs import Output
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.keyed import DigestedBatches, FirstShare, KeyedRows, PendingRows
from urisieve.sinks.record_formats import record_format

if TYPE_CHECKING:
    from urisieve.records.sink import Seen
else:
    Seen = late("urisieve.records.sink", "Seen")


class FirstSeenSink(SharedSink):
    """Writes the record of each key at its first occurrence.

    >>> import os, tempfile
    >>> from urisieve import Format, KeySet, sieve_into
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
        rejects: the output of rejections, as JSON lines.
        limit: the bytes that waiting keys and rows may take, if keys may be on disk; None for no limit.

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
        limit: int | None = None,
    ) -> None:
        self._settings = settings
        self._seen = seen
        self._rejects = rejects
        self._pending = None if limit is None else PendingRows(limit // 4)
        self._rows: FirstShare | None = None  # makes rows that can wait
        self._format = record_format(settings)
        self._output = self._format.output(output)
        self._lines = output
        self.columns = self._format.needed | {"key"}
        self.offsets = settings.rejects or self._format.offsets
        self.writes_little = self._format.is_text
        self.filters = self._format.filters
        self.suits_threads = self._format.is_plain and limit is None and not settings.rejects
        self.new = 0

    def begin(self) -> None:
        """Write the header of a table, before anything else."""
        self._output.begin()

    def share(self, *, alone: bool) -> Callable[[], Share]:
        """See `SharedSink.share`."""
        return WholeBatches if alone else partial(FirstShare, self._settings)

    def thread_share(self) -> Callable[[], Share]:
        """See `SharedSink.thread_share`."""
        return partial(DigestedBatches, self._seen) if isinstance(self._seen, KeySet) else WholeBatches

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
