"""`urisieve dedupe`: sources, through the sieve, to the first appearance of each key."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from types import SimpleNamespace

from urisieve.cli.closing_line import Closing
from urisieve.cli.reports import DONE, FAILED, NEGATIVE, say
from urisieve.cli.settings.dedupe_arguments import DedupeSettings, parse_dedupe
from urisieve.cli.settings.extract_arguments import KEYS
from urisieve.cli.settings.flags import settings_of
from urisieve.cli.settings.output_arguments import Color
from urisieve.cli.watched_run import WatchedRun, listed_settings
from urisieve.dedupe.keeping import Keep
from urisieve.dedupe.keyset import LEAST_LIMIT, KeySet, budget
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, replace
from urisieve.runs.process import unwound_on_termination
from urisieve.runs.run_steps import SharedSink
from urisieve.sinks import outputs
from urisieve.sinks.formats import FormatSettings
from urisieve.sources.bytes.reading import STANDARD_INPUT, path_hint, source_name
from urisieve.sources.reading_options import DataSetKind
from urisieve.sources.tally import counted, rejections

if TYPE_CHECKING:
    from urisieve.dedupe.checkpoint import Checkpoint
    from urisieve.dedupe.key_store import Store
    from urisieve.runs.events import Event
    from urisieve.sinks.first_seen import FirstSeenSink
    from urisieve.sinks.kept_record import KeptSink


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status.

    It is 0 if the sources contain an identifier, new or not; 1 if they contain none; 2 if something could not be read.

    Raises:
        UsageError: flags, files or values do not go together.
        OutputError: the output cannot be written.
        InputError: no source could be read, and files are as they were.
        StoreError: the store cannot be used.
    """
    settings = parse_dedupe(argv)
    listed = settings.extract.files_from
    extract, walked = listed_settings(settings.extract)
    settings = settings._replace(extract=extract)
    watched = WatchedRun(extract)
    settings = settings._replace(extract=watched.settings)
    watched.run.note(walked)
    try:
        if settings.checkpoint is not None and STANDARD_INPUT in extract.paths:  # a list names it
            raise UsageError("--checkpoint needs files: standard input cannot be read again")
        _check_outputs(settings, listed, extract.list_files)
        # A reader that closes the output causes an exception, so that a store discards the keys that it has not read.
        counted = nullcontext() if settings.fields else watched.counted_if_interrupted()
        with unwound_on_termination(), counted, ExitStack() as stack:
            if settings.fields:
                return _run_data_sets(settings, watched, stack, _command_of(settings))
            checkpoint: Checkpoint | None = None
            if settings.store is None and settings.checkpoint is None:
                unique = _first_seen(settings, watched, stack)
            else:
                unique, checkpoint = _with_store(settings, watched, stack)
    except BrokenPipeError:
        return FAILED if watched.run.failed else DONE
    watched.sum_up(unique)
    if checkpoint is None:
        return watched.status()
    return watched.status(found=checkpoint.found, failed=checkpoint.failed)


def _formats(settings: DedupeSettings, store: Store | None = None) -> FormatSettings:
    return settings.extract.formats(store, again=not settings.is_searched)


def _sieve(
    settings: DedupeSettings, watched: WatchedRun, stack: ExitStack, sink: SharedSink, checkpoint: Checkpoint | None
) -> None:
    """Pass to a sink the identifiers found in the sources, or the records or keys that they contain."""
    if settings.extract.follow:
        watched.follow(stack, sink)
    elif checkpoint is not None and not settings.held:
        watched.into(stack, sink, skip=checkpoint.parts, in_parts=True)
    else:
        watched.held_into(stack, sink, settings.held)


def _first_seen(settings: DedupeSettings, watched: WatchedRun, stack: ExitStack) -> str:
    """Write each key once, by default when it is first seen; return how many there are, in words."""
    limit = budget(settings.memory_limit)
    extract = settings.extract
    opened = outputs.open_output(extract.output, grows=extract.follow)
    output = watched.shown(stack.enter_context(outputs.gathering(opened)))
    sink: FirstSeenSink | KeptSink
    if settings.keep is Keep.FIRST:
        from urisieve.sinks.first_seen import FirstSeenSink

        most = None if limit is None else max(LEAST_LIMIT, limit * 3 // 4)  # the rest is for batches
        keys = stack.enter_context(KeySet(memory_limit=most))
        sink = FirstSeenSink(_formats(settings), output, keys, memory_limit=limit)
    else:
        from urisieve.sinks.kept_record import KeptSink

        sink = KeptSink(_formats(settings), output, settings.keep, memory_limit=limit)
    stack.callback(sink.discard)
    _sieve(settings, watched, stack, sink, None)
    watched.check(keeps=settings.extract.output != outputs.STANDARD_OUTPUT)
    sink.close()
    return f"{sink.new:,} unique"


def _with_store(settings: DedupeSettings, watched: WatchedRun, stack: ExitStack) -> tuple[str, Checkpoint | None]:
    """Write the keys that are new to a store; return their number in words, and the checkpoint."""
    from urisieve.dedupe.key_store import Store
    from urisieve.sinks.first_seen import StoreSink
    from urisieve.sinks.printed_rows import recover

    extract = settings.extract
    checkpoint: Checkpoint | None = None
    if settings.checkpoint is not None:
        checkpoint = stack.enter_context(checkpoint_of(settings))
        store = checkpoint.store
    else:
        assert settings.store is not None
        store = stack.enter_context(Store(settings.store, options=extract.options, cache=settings.cache))
        recover(store)
    limit = budget(settings.memory_limit)
    keys: KeySet | None = None
    if settings.mark_new:
        most = None if limit is None else max(LEAST_LIMIT, limit // 2)  # the rest is for batches, and for the store
        keys = stack.enter_context(KeySet(memory_limit=most))
    size = None if checkpoint is None else checkpoint.size
    opened = stack.enter_context(
        outputs.gathering(outputs.open_added_to(extract.output, size, is_whole=settings.writes_parquet))
    )
    output = watched.shown(opened)
    sink = StoreSink(_formats(settings, store), output, store, marked=keys, checkpoint=checkpoint, memory_limit=limit)
    stack.callback(sink.discard)
    _sieve(settings, watched, stack, sink, checkpoint)
    if not (
        sink.is_begun and isinstance(opened, outputs.OutputInPlace)
    ):  # else something was already written to a file that stays
        watched.check(keeps=extract.output != outputs.STANDARD_OUTPUT)
    sink.close()
    if checkpoint is not None:
        checkpoint.is_done = True
    return f"{sink.new:,} new", checkpoint


def checkpoint_of(settings: DedupeSettings) -> Checkpoint:
    """Open the checkpoint of a run.

    Raises:
        StoreError: the store cannot be used.
        OutputError: the file cannot be written.
        UsageError: the state is that of another command, or of other files; or the file is not a checkpoint.
    """
    from urisieve.dedupe.checkpoint import Checkpoint
    from urisieve.sinks.printed_rows import recover_at

    assert settings.checkpoint is not None
    extract = settings.extract
    if settings.store is not None:
        recover_at(settings.store, options=extract.options, by=settings.by)
    return Checkpoint(
        settings.checkpoint,
        store=settings.store,
        options=extract.options,
        by=settings.by,
        cache=settings.cache,
        command=_command_of(settings),
        files=extract.paths,
        size=0 if settings.store is None else outputs.size_of(extract.output),
    )


def _command_of(settings: DedupeSettings) -> str:
    """Return a digest of all settings that must be the same when a run continues from a checkpoint."""
    from urisieve.dedupe.checkpoint import command_digest

    extract = settings.extract
    shows, changed, more_changed = extract.hiding.of_command()
    kind = "jsonl" if extract.format == "parquet" else extract.format  # as checkpoints have had it from the first
    rest = (kind, extract.form, extract.encoding, shows, os.path.realpath(extract.output))
    reading = replace(extract.reading, folders=None)  # the files of folders are among the paths
    more = (extract.fields, extract.template, changed, extract.wanted, *more_changed)
    data: tuple[object, ...] = (settings.input, settings.fields, settings.by, settings.unmatched)
    if settings.delimiter:
        data = (*data, settings.delimiter)
    if settings.skip_lines is not None:
        data = (*data, settings.skip_lines)
    words = [*map(str, data), *(map(str, more) if any(more) else ())]  # without these a checkpoint stays as it was
    return command_digest(extract.options, repr(reading), list(map(str, rest)), words)


def _check_outputs(settings: DedupeSettings, listed: str | None, lists: Sequence[str]) -> None:
    """Check that no file has two uses; see `check_uses`.

    An output that replaces its file when it is complete may be an input too if it has the same kind of content: rows,
    or keys. A mailbox is not replaced by its links.

    Args:
        settings: the settings of the run.
        listed: the file that names the sources.
        lists: the lists of identifiers, which a store of the run may be, too: they are read before.

    Raises:
        UsageError: a file has two uses.
    """
    extract = settings.extract
    written = [("--output", [extract.output])]
    if settings.unmatched not in ("keep", "drop"):
        written.append(("--unmatched", [settings.unmatched]))
    outputs.check_uses(written, lists)
    for use, path in (("--store", settings.store), ("--checkpoint", settings.checkpoint)):
        if path is not None:  # SQLite has files next to its own
            from urisieve.dedupe.store.store_file import files_beside

            written.append((use, [path, *files_beside(path)]))
    is_alike = bool(settings.fields) or (settings.input == KEYS)
    is_whole = settings.store is None and settings.checkpoint is None and extract.output != outputs.STANDARD_OUTPUT
    outputs.check_uses(written, extract.paths, listed=listed, replaced="--output" if is_alike and is_whole else "")


def _run_data_sets(settings: DedupeSettings, watched: WatchedRun, stack: ExitStack, command: str) -> int:
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
    from urisieve.cli.screen import text_screen
    from urisieve.data_sets.row_run import run_rows
    from urisieve.data_sets.row_work import RowSettings
    from urisieve.runs.events import BytesRead, FileFailed, Message

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
        safe = [f"{counted(counts.made_safe, 'cell')} made safe"] if rows.cells.changes else []
        rejected = [rejections(run.tally)] if run.tally.rejected else []
        closing = Closing([counts.summary(), *safe, *rejected], run.tally, time.perf_counter() - started)
        closing.say(verbose=extract.verbose)
    if counts.failed or run.failed:
        return FAILED
    return DONE if counts.found else NEGATIVE


def _are_packed(settings: DedupeSettings) -> bool:
    """Report whether rows take other numbers of bytes than their files, as far as names tell."""
    ends = (".gz", ".bz2", ".xz", ".zst", ".lzma")
    return settings.input in (DataSetKind.PARQUET, DataSetKind.AUTO) or any(
        path.endswith(ends) for path in settings.extract.paths
    )
