"""The mode that keeps the first row with each key: rows are written soon after they are read."""

from __future__ import annotations

import time

from urisieve.data_sets.row_lines import RowLines
from urisieve.data_sets.row_settings import KEPT
from urisieve.data_sets.row_source import RowSource
from urisieve.data_sets.row_work import RowWork
from urisieve.errors import InputError
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple
from urisieve.runs.events import BytesRead
from urisieve.sources.bytes.reading import source_name
from urisieve.sources.structured.row_reader import Row

__all__ = ["FirstRows"]

# The number of rows looked up at once: in memory few, so that they are written soon; in a store many.
_TOGETHER: Final = 1_024
_BATCH: Final = 250_000
_BATCH_BYTES: Final = 67_108_864
_BATCH_SECONDS: Final = 5.0


class _Pending(NamedTuple):
    """A row to be looked up, with its key and its source."""

    row: Row
    key: str | None
    source: str


class FirstRows:
    """Reads rows of lines, and writes the first one with each key.

    Args:
        work: the shared parts of the run.
        source: reads the rows.
        lines: writes the rows.
    """

    def __init__(self, work: RowWork, source: RowSource, lines: RowLines) -> None:
        self._work = work
        self._source = source
        self._lines = lines
        self._seen = work.seen
        self._pending: list[_Pending] = []
        self._bytes = 0
        limit = work.settings.memory_limit
        self._most_bytes = _BATCH_BYTES if limit is None else min(_BATCH_BYTES, limit // 4)
        self._most_rows = _TOGETHER
        self._since = 0.0
        self._done_files = 0
        self._done_rows = 0

    def read(self, files: int = 0, rows: int = 0) -> None:
        """Read all files, except for the files, and the rows of the next one, that have been done before."""
        totals = self._work.totals
        for index, path in enumerate(self._work.settings.paths):
            if index < files:
                totals.files += 1
                continue
            skip = rows if index == files else 0
            self._done_rows = 0
            source = source_name(path)
            try:
                for row in self._source.rows(path, totals.tally):
                    self._done_rows += 1
                    if self._done_rows > skip:
                        self._take(row, self._source.key(row), source)
            except InputError as error:
                self._work.report(path, error)
            else:
                totals.files += 1
            self._done_files += 1
            self._done_rows = 0
        if totals.files or self._pending:  # otherwise an output that stays is not touched
            self._settle()

    def _take(self, row: Row, key: str | None, source: str) -> None:
        if not self._pending:
            self._since = time.monotonic()
            self._most_rows = _TOGETHER if self._seen.is_in_memory else _BATCH
        self._pending.append(_Pending(row, key, source))
        self._bytes += len(row.data)
        number = len(self._pending)
        is_full = number >= self._most_rows or self._bytes >= self._most_bytes
        if is_full or (number % _TOGETHER == 0 and time.monotonic() - self._since >= _BATCH_SECONDS):
            self._settle()

    def _settle(self) -> None:
        """Look up the waiting rows, write those that stay, and keep the keys."""
        matched = [index for index, pending in enumerate(self._pending) if pending.key is not None]
        keys = [pending.key for pending in self._pending if pending.key is not None]
        sources = [self._pending[index].source for index in matched]
        new = {matched[index] for index in self._seen.unseen_indices(keys, sources)}
        keeps_unmatched = self._work.settings.unmatched == KEPT
        totals = self._work.totals
        stays: list[Row] = []
        for index, pending in enumerate(self._pending):
            if pending.key is None:
                totals.unmatched += 1
                if keeps_unmatched:
                    stays.append(pending.row)
                else:
                    self._lines.put_unmatched(pending.row)
            elif index in new:
                totals.kept += 1
                stays.append(pending.row)
        totals.rows += len(self._pending)
        totals.matched += len(matched)
        size = self._bytes
        self._pending.clear()
        self._bytes = 0
        self._lines.put(stays)
        self._work.state.keep(self._done_files, self._done_rows, found=totals.matched > 0, failed=totals.failed)
        if size:
            self._work.on_event(BytesRead(size))
