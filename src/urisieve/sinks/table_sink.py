"""`TableSink`: all records as a Parquet file."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.records.batch import COLUMNS, Batch
from urisieve.runs.run_steps import ResolvedBatches, Share, SharedSink, WholeBatches
from urisieve.sinks.arrow_tables import RecordTable
from urisieve.sinks.files.outputs import Output
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.masked import PasswordMask

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
        settings: by which secret passwords are masked.
        output: where.

    Raises:
        UsageError: pyarrow is not installed.
    """

    columns = frozenset(COLUMNS)
    offsets = True
    writes_little = False

    def __init__(self, settings: FormatSettings, output: Output) -> None:
        self._table = RecordTable(output)
        self._mask = PasswordMask(settings.secret, again=settings.again)

    def share(self, *, alone: bool) -> Callable[[], Share]:
        """See `SharedSink.share`."""
        return WholeBatches if alone else ResolvedBatches

    def absorb(self, product: Batch, /) -> None:
        """See `SharedSink.absorb`."""
        self._table.write(self._mask.batch(product))

    def close(self) -> None:
        """Write the end of the file, without which it cannot be read."""
        super().close()
        self._table.close()

    def discard(self) -> None:
        """Leave a file that will not be used."""
        self._table.give_up()
