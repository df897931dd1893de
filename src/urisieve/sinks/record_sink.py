"""`RecordSink` and `TableSink`: all records, in one of the formats, to an output."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from urisieve.lean import Any, NamedTuple
from urisieve.records.batch import Batch
from urisieve.runs.run_steps import SharedSink
from urisieve.sinks.formats import Format, FormatSettings
from urisieve.sinks.outputs import Output
from urisieve.sinks.record_formats import record_format


class RecordSink(SharedSink):
    """Writes every record, and every rejection if that is wanted.

    >>> import os, tempfile
    >>> from urisieve import Format, sieve_into
    >>> from urisieve.sinks import FormatSettings, RecordSink, open_output
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
        self._rejects = rejects
        made = record_format(settings)
        self._rows = made.output(output)
        self.columns = made.needed
        self.offsets = made.offsets or settings.rejects
        self.writes_little = made.is_text
        self.suits_threads = made.suits_threads
        self.filters = made.filters
        self._rows.begin()

    def share(self, *, alone: bool) -> Callable[[], _RecordShare]:
        """See `SharedSink.share`."""
        del alone
        return partial(_RecordShare, self._settings)

    def absorb(self, product: _Written, /) -> None:
        """See `SharedSink.absorb`."""
        if product.records:
            self._rows.put(product.records)
        if product.rejections and self._rejects is not None:
            self._rejects.write(product.rejections)

    def close(self) -> None:
        """Complete the output: a file of Parquet cannot be read without its end."""
        super().close()
        self._rows.close()

    def discard(self) -> None:
        """Leave a file that will not be used."""
        self._rows.discard()


class TableSink(RecordSink):
    """Writes every record to a Parquet file with the fields of `Record.as_dict`.

    >>> import os, tempfile
    >>> from urisieve import Format, read_records, sieve_into
    >>> from urisieve.sinks import FormatSettings, TableSink, open_output
    >>> path = os.path.join(tempfile.mkdtemp(), "links")
    >>> with open_output(path) as output:
    ...     sink = TableSink(FormatSettings(Format.PARQUET), output)
    ...     tally = sieve_into(["samples/access.log"], sink)
    >>> sum(1 for _ in read_records(path, format="parquet"))
    8

    Args:
        settings: by which secret passwords are masked, and whether rejections are written.
        output: where.
        rejects: the output of rejections, as JSON lines.

    Raises:
        UsageError: pyarrow is not installed.
    """

    def __init__(self, settings: FormatSettings, output: Output, rejects: Output | None = None) -> None:
        super().__init__(settings._replace(kind=Format.PARQUET), output, rejects)


class _Written(NamedTuple):
    """Rows as a format has made them, and the lines of rejections."""

    records: Any
    rejections: bytes


class _RecordShare:
    def __init__(self, settings: FormatSettings) -> None:
        self._format = record_format(settings)
        self._maker = self._format.maker()

    def take(self, batch: Batch, /) -> _Written | None:
        """Format a batch, or let it wait for others."""
        made, rejections = self._maker.take(batch), self._format.rejections(batch)
        return _Written(made, rejections) if made or rejections else None

    def flush(self) -> _Written | None:
        """Format what waits."""
        made = self._maker.flush()
        return _Written(made, b"") if made else None

    def size(self, product: _Written, /) -> int:
        """Return the number of bytes of a product."""
        return self._maker.size(product.records) + len(product.rejections)
