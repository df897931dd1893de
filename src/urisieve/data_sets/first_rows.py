"""The mode that keeps the first row with each key: rows are written soon after they are read."""

from __future__ import annotations

import time

from urisieve.data_sets.row_lines import STAYS, RowGroup, RowLines
from urisieve.data_sets.row_settings import KEPT
from urisieve.data_sets.row_source import RowSource
from urisieve.data_sets.row_work import RowWork
from urisieve.errors import InputError
from urisieve.lean.hints import Final
from urisieve.runs.events import BytesRead
from urisieve.sources.bytes.reading import source_name

__all__ = ["FirstRows"]

# The number of rows looked up at once: in memory few, so that they are written soon; in a store many.
_TOGETHER: Final = 1_024
_BATCH: Final = 250_000
_BATCH_BYTES: Final = 67_108_864
_BATCH_SECONDS: Final = 5.0


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
        self._pending: list[tuple[RowGroup, str]] = []  # with their source
        self._bytes = self._rows = 0  # that wait
        limit = work.settings.memory_limit
        self._most_bytes = _BATCH_BYTES if limit is None else min(_BATCH_BYTES, limit // 4)
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
            self._done_rows = skip
            source = source_name(path)
            try:
                for some in self._source.rows(path, totals.tally, self._work.blocks(path), skip=skip):
                    self._take(some, source)
            except InputError as error:
                self._work.report(path, error)
            else:
                totals.files += 1
            self._done_files += 1
            self._done_rows = 0
        if totals.files or self._pending:  # otherwise an output that stays is not touched
            self._settle()

    def _take(self, some: RowGroup, source: str) -> None:
        if not self._pending:
            self._since = time.monotonic()
        self._pending.append((some, source))
        self._bytes += some.size
        self._rows += len(some.keys)
        self._done_rows += len(some.keys)
        most_rows = _TOGETHER if self._seen.is_in_memory else _BATCH
        is_full = self._rows >= most_rows or self._bytes >= self._most_bytes
        if is_full or time.monotonic() - self._since >= _BATCH_SECONDS:
            self._settle()

    def _settle(self) -> None:
        """Look up the waiting rows, write those that stay, and keep the keys."""
        keys: list[str] = []
        sources: list[str] = []
        for some, source in self._pending:
            keys += [key for key in some.keys if key is not None]
            sources += [source] * (len(keys) - len(sources))
        is_new = bytearray(len(keys))
        new = self._seen.unseen_indices(keys, sources)
        for index in new:
            is_new[index] = STAYS
        keeps_unmatched = self._work.settings.unmatched == KEPT
        marks = bytes(is_new)
        start = 0
        for some, _ in self._pending:
            end = start + len(some.keys) - some.keys.count(None)
            self._lines.put_marked(some, some.marks(marks[start:end]), keeps_unmatched=keeps_unmatched)
            start = end
        totals = self._work.totals
        totals.rows += self._rows
        totals.matched += len(keys)
        totals.unmatched += self._rows - len(keys)
        totals.kept += len(new)
        size = self._bytes
        self._pending.clear()
        self._bytes = self._rows = 0
        self._work.state.keep(self._done_files, self._done_rows, found=totals.matched > 0, failed=totals.failed)
        if size:
            self._work.on_event(BytesRead(size))
