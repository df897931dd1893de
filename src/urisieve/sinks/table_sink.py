"""`TableSink`: all records as a Parquet file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from urisieve.lean.hints import Any
from urisieve.lean.values import NamedTuple
from urisieve.records.batch import COLUMNS, Batch
from urisieve.runs.run_steps import SharedSink
from urisieve.sinks.arrow_tables import RecordColumns, RecordTable
from urisieve.sinks.files.outputs import Output
from urisieve.sinks.formats import FormatSettings, rejection_lines
from urisieve.sinks.keyed import needed_columns
from urisieve.sinks.record_sink import REJECTION_COLUMNS

__all__ = ["TableSink"]


class TableSink(SharedSink):
    """Writes every record to a Parquet file with the fields of `Record.as_dict`.

    >>> import os, tempfile
    >>> from urisieve import Format, FormatSettings, TableSink, open_output, read_records, sieve_into
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

    columns = frozenset(COLUMNS)
    offsets = True
    writes_little = False
    suits_threads = True

    def __init__(self, settings: FormatSettings, output: Output, rejects: Output | None = None) -> None:
        self._settings = settings
        self._table = RecordTable(output, settings.named, mask=settings.mask)
        if settings.named:
            self.columns = needed_columns(settings) | (REJECTION_COLUMNS if settings.rejects else frozenset())
        self._rejects = rejects

    def share(self, *, alone: bool) -> Callable[[], _TableShare]:
        """See `SharedSink.share`."""
        del alone
        return partial(_TableShare, self._settings)

    def absorb(self, product: _Columns, /) -> None:
        """See `SharedSink.absorb`."""
        self._table.write_arrays(product.arrays)
        if product.rejections and self._rejects is not None:
            self._rejects.write(product.rejections)

    def close(self) -> None:
        """Write the end of the file, without which it cannot be read."""
        super().close()
        self._table.close()

    def discard(self) -> None:
        """Leave a file that will not be used."""
        self._table.give_up()


class _Columns(NamedTuple):
    """The columns of some records, and the lines of rejections."""

    arrays: list[list[Any]]
    rejections: bytes


class _TableShare:
    def __init__(self, settings: FormatSettings) -> None:
        self._columns = RecordColumns(settings.named, mask=settings.mask)
        self._rejects = settings.rejects
        self._settings = settings
        self._mask = settings.mask

    def take(self, batch: Batch, /) -> _Columns | None:
        """Make columns of a batch, or let it wait for others."""
        rejections = b""
        if self._rejects and batch.rejections:
            rejections = rejection_lines(batch, self._mask, parts=self._settings.parts)
        arrays = self._columns.take(self._mask.batch(batch))
        return _Columns(arrays, rejections) if arrays or rejections else None

    def flush(self) -> _Columns | None:
        """Make columns of what waits."""
        arrays = self._columns.rest()
        return _Columns(arrays, b"") if arrays else None

    def size(self, product: _Columns, /) -> int:
        """Return the number of bytes of a product."""
        return sum((int(array.nbytes) for arrays in product.arrays for array in arrays), len(product.rejections))
