"""The parts of a run that all its readers of rows share."""

from __future__ import annotations

from collections.abc import Iterable

from urisieve.data_sets.made_keys import MadeKeys
from urisieve.data_sets.row_counts import RowTotals
from urisieve.data_sets.row_settings import RowSettings
from urisieve.data_sets.seen_rows import RowState, SeenRows
from urisieve.errors import InputError, UnexpectedInputError
from urisieve.lean.values import NamedTuple
from urisieve.runs.events import FileFailed, OnEvent
from urisieve.sources.bytes.reading import source_name

__all__ = ["RowWork"]


class RowWork(NamedTuple):
    """The shared parts of a run over rows.

    Attributes:
        settings: the settings of the run.
        opened: the bytes of files that cannot be read again, by their path.
        keys: makes the keys of rows.
        seen: decides which keys occur for the first time.
        state: keeps the keys, after their rows are written.
        totals: the counts.
        on_event: called with each event.
    """

    settings: RowSettings
    opened: dict[str, Iterable[bytes]]
    keys: MadeKeys
    seen: SeenRows
    state: RowState
    totals: RowTotals
    on_event: OnEvent

    def report(self, path: str, error: InputError) -> None:
        """Report that a file cannot be read; count it if a reader failed unexpectedly."""
        self.totals.failed = True
        if isinstance(error, UnexpectedInputError):
            self.totals.tally.stopped(source_name(path), error, traces=self.settings.traces)
        else:
            self.on_event(FileFailed(path, str(error)))

    def blocks(self, path: str) -> Iterable[bytes] | None:
        """Return the bytes of a file that cannot be read again; None for any other, and after the first time."""
        return self.opened.pop(path, None)
