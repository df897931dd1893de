"""`urisieve dedupe --field`: the rows of data sets whose identifiers were not seen before, unchanged."""

from __future__ import annotations

import time
from contextlib import ExitStack
from types import SimpleNamespace

from urisieve.cli.settings.dedupe_arguments import DedupeSettings
from urisieve.cli.settings.flags import settings_of
from urisieve.cli.settings.output_arguments import Color
from urisieve.cli.terminal.reports import DONE, FAILED, NEGATIVE, say
from urisieve.cli.terminal.screen import text_screen
from urisieve.cli.watched_run import WatchedRun
from urisieve.data_sets.row_run import run_rows
from urisieve.data_sets.row_work import RowSettings
from urisieve.dedupe.keyset import budget
from urisieve.runs.events import BytesRead, Event, FileFailed, Message
from urisieve.sources.bytes.reading import path_hint, source_name
from urisieve.sources.reading_options import DataSetKind
from urisieve.sources.tally import counted, rejections, summary


def run_data_sets(settings: DedupeSettings, watched: WatchedRun, stack: ExitStack, command: str) -> int:
    """Run over data sets and return the exit status; progress is shown until `stack` ends.

    Args:
        settings: the settings of the command.
        watched: the run.
        stack: what ends with it.
        command: a digest of the command that a checkpoint belongs to.

    Raises:
        OutputError: the output cannot be written.
        InputError: no source could be read, and files are as they were.
        StoreError: the store cannot be used.
        UsageError: the checkpoint is that of another command.
    """
    extract = settings.extract
    started = time.perf_counter()

    watched.watch(stack, is_total_known=not _are_packed(settings))

    def show(event: Event) -> None:
        if isinstance(event, BytesRead):
            watched.advance(event.size)
            return
        watched.hide()
        if isinstance(event, FileFailed):
            say(f"{source_name(event.path)}: {event.reason}{path_hint(event.path)}")
        elif isinstance(event, Message) and (event.is_error or not extract.quiet):
            say(event.text)

    rows = settings_of(
        RowSettings,
        SimpleNamespace(**extract._asdict() | settings._asdict()),
        kind=DataSetKind(settings.input),
        memory_limit=budget(settings.memory_limit),
        folder=settings.temp,
        command=command,
        traces=extract.traceback,
        cells=extract.hiding.cells,
        jobs=extract.jobs or 1,
    )
    counts = run_rows(rows, show, shown=lambda output: text_screen(output, Color.NEVER, None))
    watched.hide()
    counts.tally.messages.clear()  # they have been reported
    run = watched.run
    run.note(counts.tally)
    if not extract.quiet:
        rejected = [rejections(run.tally)] if run.tally.rejected else []
        safe = f", {counted(counts.made_safe, 'cell')} made safe" if rows.cells.changes else ""
        done = f"{counts.summary()}{safe}, {time.perf_counter() - started:.1f} s"
        say(done, *rejected, *summary(run.tally))
    if counts.failed or run.failed:
        return FAILED
    return DONE if counts.found else NEGATIVE


def _are_packed(settings: DedupeSettings) -> bool:
    """Report whether rows take other numbers of bytes than their files, as far as names tell."""
    ends = (".gz", ".bz2", ".xz", ".zst", ".lzma")
    return settings.input in (DataSetKind.PARQUET, DataSetKind.AUTO) or any(
        path.endswith(ends) for path in settings.extract.paths
    )
