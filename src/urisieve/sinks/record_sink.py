"""`RecordSink`: all records, in one of the formats, to an output."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from urisieve.lean.values import NamedTuple
from urisieve.records.batch import Batch
from urisieve.runs.run_steps import SharedSink
from urisieve.sinks.files.outputs import Output
from urisieve.sinks.formats import (
    Format,
    FormatSettings,
    form_filters,
    is_plain_text,
    record_format,
    rejection_lines,
)

__all__ = ["REJECTION_COLUMNS", "RecordSink"]

# The columns without which rejections would have no location.
REJECTION_COLUMNS = frozenset(("start", "end", "line", "column", "byte_start", "byte_end"))


class RecordSink(SharedSink):
    """Writes every record, and every rejection if that is wanted.

    >>> import os, tempfile
    >>> from urisieve import Format, FormatSettings, RecordSink, open_output, sieve_into
    >>> path = os.path.join(tempfile.mkdtemp(), "links")
    >>> with open_output(path) as output:
    ...     sink = RecordSink(FormatSettings(Format.JSONL), output)
    ...     tally = sieve_into(["samples/access.log"], sink)
    >>> with open(path) as file:
    ...     len(file.readlines())
    8

    Args:
        settings: how records are written.
        output: the output of the records; the header of a table is written at once.
        rejects: the output of rejections, as JSON lines.
    """

    def __init__(self, settings: FormatSettings, output: Output, rejects: Output | None = None) -> None:
        self._settings = settings
        self._output = output
        self._rejects = rejects
        written = record_format(settings)
        self.columns = written.columns | REJECTION_COLUMNS if settings.rejects else written.columns
        self.offsets = written.offsets or settings.rejects
        self.writes_little = settings.kind is Format.TEXT
        is_made_by_kernel = settings.kind is not Format.TEXT and not settings.named and not settings.mask.changes_all
        self.suits_threads = is_made_by_kernel or is_plain_text(settings)
        self.filters = form_filters(settings)
        output.write(written.header)

    def share(self, *, alone: bool) -> Callable[[], _RecordShare]:
        """See `SharedSink.share`."""
        del alone
        return partial(_RecordShare, self._settings)

    def absorb(self, product: _Written, /) -> None:
        """See `SharedSink.absorb`."""
        if product.records:
            self._output.write(product.records)
        if product.rejections and self._rejects is not None:
            self._rejects.write(product.rejections)


class _Written(NamedTuple):
    """The bytes of some records and rejections."""

    records: bytes
    rejections: bytes


class _RecordShare:
    def __init__(self, settings: FormatSettings) -> None:
        self._format = record_format(settings)
        self._mask = settings.mask if settings.rejects else None
        self._settings = settings

    def take(self, batch: Batch, /) -> _Written:
        """Format a batch."""
        rejections = b""
        if self._mask is not None and batch.rejections:
            rejections = rejection_lines(batch, self._mask, parts=self._settings.parts)
        return _Written(self._format.encoded(batch) if len(batch) else b"", rejections)

    def flush(self) -> None:
        """Return nothing: all was handed over."""

    def size(self, product: _Written, /) -> int:
        """Return the number of bytes of a product."""
        return len(product.records) + len(product.rejections)
