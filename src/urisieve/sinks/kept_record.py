"""`KeptSink`: one record of each key, the first, last, earliest or latest, known when all has been read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, islice
from operator import itemgetter

from urisieve import shapes
from urisieve.dedupe.keeping import Keep, moment_at
from urisieve.dedupe.keyset import digests
from urisieve.errors import UsageError
from urisieve.finding_options import choice
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple
from urisieve.records.batch import Batch
from urisieve.records.layouts import ended_lines
from urisieve.runs.run_steps import Share, SharedSink
from urisieve.sinks.byte_output import Output
from urisieve.sinks.first_seen import KeyedShare
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.record_formats import record_format

if TYPE_CHECKING:
    from urisieve.dedupe.counts_on_disk import SortedTuples

# Bytes of a key in memory without its text and its row; between processes; and the rows that are written at once.
_KEY: Final = 400
_SENT: Final = 128
_TOGETHER: Final = 4_096


class KeptRows(NamedTuple):
    """Keys, each with its moment and its row.

    Attributes:
        keys: the keys.
        moments: when the record of each came; "" where that is not known.
        rows: the record of each as it is to be written; None if the keys are the whole rows.
        rejections: the rejections among them, as they are to be written.
    """

    keys: Sequence[str]
    moments: Sequence[str]
    rows: Sequence[bytes] | None
    rejections: bytes


class _KeptShare(KeyedShare):
    """Hands over each key of a batch once, with the record of the batch that is kept."""

    def __init__(self, settings: FormatSettings, keep: Keep) -> None:
        super().__init__(settings)
        self._keep = keep

    def take(self, batch: Batch, /) -> KeptRows:
        """Return the keys of a batch, with their rows."""
        every = batch.column(self._format.key)
        moments = _moments(batch) if self._keep.is_by_time else [""] * len(batch)
        replaces = self._keep.replaces
        kept: dict[str, int] = {}
        for index, key in enumerate(every):
            known = kept.get(key)
            if known is None or replaces(moments[index], moments[known]):
                kept[key] = index
        indices = sorted(kept.values())
        keys = [every[index] for index in indices]
        rows: Any = self._rows(batch, keys, indices)  # no batch: such a format is refused
        return KeptRows(keys, [moments[index] for index in indices], rows, self._format.rejections(batch))

    def size(self, product: Any, /) -> int:
        """Return about how many bytes a product takes."""
        return _SENT * len(product.keys) + sum(map(len, product.rows or ())) + len(product.rejections)


def _moments(batch: Batch) -> list[str]:
    if batch.is_constant("location"):
        return [moment_at(batch.constant("location"))] * len(batch)
    return list(map(moment_at, batch.column("location")))


class KeptSink(SharedSink):
    r"""Writes one record of each key, in the order in which these were read, once all has been read.

    >>> import os, tempfile
    >>> from urisieve import ReadingOptions, sieve_into
    >>> from urisieve.options import Format
    >>> from urisieve.sinks import FormatSettings, KeptSink, open_output
    >>> folder = tempfile.mkdtemp()
    >>> log, path = os.path.join(folder, "log"), os.path.join(folder, "links")
    >>> with open(log, "w") as file:
    ...     file.write("2024-05-31T13:05:07Z http://A.example/\n2024-05-30T09:00:00Z http://a.example/\n")
    78
    >>> with open_output(path) as output:
    ...     sink = KeptSink(FormatSettings(Format.TEXT, fields=("time", "raw")), output, "earliest")
    ...     tally = sieve_into([log], sink, reading=ReadingOptions(context=True))
    >>> with open(path) as file:
    ...     file.read()
    '2024-05-30T09:00:00Z\thttp://a.example/\n'

    Args:
        settings: how records are written.
        output: the output of the records.
        keep: which record of each key is written; times are compared as far as they are read, which
            `ReadingOptions.context` asks for.
        rejects: the output of rejections, if the settings name a format for them.
        memory_limit: the bytes of memory that rows may take, beyond which rows go to disk; None for no limit.
        folder: the folder for files beyond the limit; None for the system's folder of temporary files.

    Attributes:
        new: the number of records written, once it is closed.

    Raises:
        UsageError: `keep` is not a choice, or the format is Parquet.
        OutputError: the files beyond the limit cannot be written.
    """

    def __init__(
        self,
        settings: FormatSettings,
        output: Output,
        keep: Keep | str,
        rejects: Output | None = None,
        *,
        memory_limit: int | None = None,
        folder: str | None = None,
    ) -> None:
        shapes.check(memory_limit=memory_limit, folder=folder)
        made = record_format(settings)
        self._keep = choice(Keep, keep, "keep")
        if made.is_file:
            raise UsageError(f"keep={str(self._keep)!r} does not go with Parquet: write JSON lines, and convert them")
        self._settings = settings
        self._rejects = rejects
        self._reject_lines = made.rejects
        self._output = made.output(output)
        self._limit = memory_limit
        self._folder = folder
        self.columns = made.needed | {"key"} | ({"location"} if self._keep.is_by_time else set())
        self.offsets = settings.rejects is not None or made.offsets
        self.writes_little = made.is_text
        self.filters = made.filters
        self.new = 0
        self._kept: dict[str, tuple[str, int, bytes | None]] = {}  # the moment, the number and the row of each key
        self._number = self._size = 0
        self._disk: SortedTuples | None = None

    def begin(self) -> None:
        """Write the headers of tables, before anything else."""
        self._output.begin()
        if self._rejects is not None and self._reject_lines is not None:
            self._rejects.write(self._reject_lines.header)

    def share(self, *, alone: bool) -> Callable[[], Share]:
        """See `SharedSink.share`."""
        del alone
        return partial(_KeptShare, self._settings, self._keep)

    def absorb(self, product: KeptRows, /) -> None:
        """See `SharedSink.absorb`."""
        if product.rejections and self._rejects is not None:
            self._rejects.write(product.rejections)
        kept, replaces = self._kept, self._keep.replaces
        rows: Sequence[bytes | None] = [None] * len(product.keys) if product.rows is None else product.rows
        for key, moment, row in zip(product.keys, product.moments, rows, strict=True):
            self._number += 1
            known = kept.get(key)
            if known is None:
                self._size += _KEY + len(key)
            elif replaces(moment, known[0]):
                self._size -= len(known[2] or b"")
            else:
                continue
            self._size += len(row or b"")
            kept[key] = moment, self._number, row
        if self._limit is not None and self._size > self._limit // 2:
            self._spill(self._limit)

    def _spill(self, limit: int) -> None:
        """Move all rows to disk, under the digests of their keys, so that no password is there."""
        from urisieve.dedupe.counts_on_disk import sorted_tuples

        if self._disk is None:
            self._disk = sorted_tuples(limit, self._folder)
        self._disk.add(self._digested())
        self._kept.clear()
        self._size = 0

    def _digested(self) -> Iterator[tuple[bytes, int, str, bytes]]:
        every = iter(self._kept.items())
        while some := list(islice(every, _TOGETHER)):
            for digest, (key, (moment, number, row)) in zip(digests([key for key, _ in some]), some, strict=True):
                yield digest, number, moment, ended_lines((key,)) if row is None else row

    def _lines(self) -> Iterator[bytes]:
        """Yield the rows in the order in which they were read."""
        if self._disk is None or self._limit is None:
            for key, (_, _, row) in sorted(self._kept.items(), key=lambda item: item[1][1]):
                yield ended_lines((key,)) if row is None else row
            return
        from urisieve.dedupe.counts_on_disk import sorted_tuples

        self._spill(self._limit)
        ordered = sorted_tuples(self._limit, self._folder)
        try:
            ordered.add(self._chosen(rows) for _, rows in groupby(self._disk, key=itemgetter(0)))
            for _, row in ordered:
                yield row
        finally:
            ordered.close()

    def _chosen(self, rows: Iterable[tuple[Any, ...]]) -> tuple[int, bytes]:
        """Return the number and the row of one key, of those that were read in this order."""
        replaces = self._keep.replaces
        _, number, moment, row = next(every := iter(rows))
        for _, later_number, later, later_row in every:
            if replaces(later, moment):
                number, moment, row = later_number, later, later_row
        return number, row

    def discard(self) -> None:
        """Close an output that will not be used, and remove the files."""
        self._forget()
        self._output.discard()

    def _forget(self) -> None:
        self._kept.clear()
        if self._disk is not None:
            self._disk.close()
            self._disk = None

    def close(self) -> None:
        """Write the records that are kept, and complete the output."""
        super().close()
        lines = self._lines()
        while some := list(islice(lines, _TOGETHER)):
            self.new += len(some)
            self._output.put(b"".join(some))
        self._forget()
        self._output.close()
