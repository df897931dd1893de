"""A run over the rows of data sets: opens its parts, connects them, and closes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import partial

from urisieve.data_sets.kept_rows import FirstRows, LastRows
from urisieve.data_sets.row_source import JsonArray, RowLines, RowSource, column_line
from urisieve.data_sets.row_work import DROPPED, KEPT, MadeKeys, RowCounts, RowSettings, RowTotals, RowWork, SeenRows
from urisieve.dedupe.checkpoint import Checkpoint
from urisieve.dedupe.deduplicate import Keep
from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import KeySet
from urisieve.errors import InputError, UsageError
from urisieve.runs.events import Message, OnEvent, ignore_events
from urisieve.sinks.files.outputs import STANDARD_OUTPUT, Output, open_output
from urisieve.sinks.files.outputs_in_place import OutputInPlace, open_added_to, size_of
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks, source_name
from urisieve.sources.reading_options import DataSetKind
from urisieve.sources.structured.row_files import kept_rows, row_format
from urisieve.sources.tally import Tally, so_far

# Returns standard output as it is to be used.
Shown = Callable[[Output], Output]


def run_rows(
    settings: RowSettings, on_event: OnEvent, tally: Tally | None = None, shown: Shown | None = None
) -> RowCounts:
    """Read all rows and write those that stay; return the counts when the outputs are complete.

    Args:
        settings: the settings of the run.
        on_event: called with each event. Messages about skipped and broken things come last.
        tally: the counts of the search for files; the counts of the run are added to them.
        shown: returns standard output as it is to be used, such as without control characters for a terminal.

    Raises:
        InputError: nothing could be read, or no row has one of the fields; an output that is a file is unchanged,
            unless rows were added to it in place.
        OutputError: an output, or a temporary file, cannot be written.
        StoreError: the store cannot be used.
        UsageError: settings exclude each other, or the checkpoint is that of another command.
    """
    totals = RowTotals(tally=Tally() if tally is None else tally)
    try:
        with ExitStack() as stack:
            settings, opened = _resolved(settings)
            counts = _run(settings, opened, on_event, totals, stack, shown)
    except KeyboardInterrupt as interruption:
        interruption.add_note(so_far(_counts(totals, {}, found=False, failed=False).summary()))
        raise
    _report(counts.tally, on_event)
    return counts


def _resolved(settings: RowSettings) -> tuple[RowSettings, dict[str, Iterable[bytes]]]:
    """Return settings that say how rows are written, by the content of the first file that can be read.

    Returns:
        the settings, and the bytes of a file that cannot be read again, by its path.

    Raises:
        InputError: no file can be read, or the content is not of rows.
        UsageError: settings exclude each other.
    """
    opened: dict[str, Iterable[bytes]] = {}
    for path in settings.paths:
        try:
            found = row_format(path, str(settings.kind), settings.delimiter)
        except InputError:
            continue  # it is reported when it is read
        if found.blocks is not None:
            opened[path] = found.blocks
        try:
            found.check()
        except InputError as error:
            raise InputError(f"{source_name(path) or 'standard input'}: {error}") from error
        if found.kind == "parquet" != settings.kind and opened:
            raise InputError(f"{source_name(path)}: is Parquet, which is read only once it is named: --input parquet")
        settings = settings._replace(kind=DataSetKind(found.kind), delimiter=found.delimiter)
        break
    else:
        if settings.kind is DataSetKind.AUTO:  # any kind will do to report the files
            settings = settings._replace(kind=DataSetKind.JSONL)
    if settings.delimiter and not settings.is_table:
        raise UsageError(f"delimiter={settings.delimiter!r} does not go with rows of {settings.kind}")
    if settings.cells.changes and not settings.is_table:
        raise UsageError(f"csv_safe=True is for cells of csv and tsv: {settings.kind} has none that a spreadsheet runs")
    name = "Parquet" if settings.kind is DataSetKind.PARQUET else "an array of JSON"
    if settings.checkpoint is not None and settings.is_whole:
        raise UsageError(f"checkpoint= does not go with {name}, which is readable only when it is complete")
    if settings.kind is DataSetKind.PARQUET and settings.encoding is not None:
        raise UsageError("encoding= does not go with Parquet, which is UTF-8")
    return settings, opened


def _run(
    settings: RowSettings,
    opened: dict[str, Iterable[bytes]],
    on_event: OnEvent,
    totals: RowTotals,
    stack: ExitStack,
    shown: Shown | None,
) -> RowCounts:
    checkpoint = None if settings.checkpoint is None else stack.enter_context(_checkpoint(settings))
    seen = SeenRows(_seen(settings, checkpoint, stack))
    keys = MadeKeys(settings, seen.mask, stack)
    if settings.kind is DataSetKind.PARQUET:
        from urisieve.sources.structured.parquet_files import arrow

        arrow()
        if settings.keep is Keep.LAST and STANDARD_INPUT in settings.paths:
            raise UsageError("--keep last over Parquet needs files: standard input cannot be read twice")
    others: Output | None = None
    if settings.unmatched not in (KEPT, DROPPED):
        others = stack.enter_context(open_output(settings.unmatched))
        if shown is not None and settings.unmatched == STANDARD_OUTPUT:
            others = shown(others)
    output = stack.enter_context(_output(settings, checkpoint))
    if shown is not None and settings.output == STANDARD_OUTPUT:
        output = shown(output)
    work = RowWork(settings, opened, keys, seen, output, checkpoint, totals, on_event)
    if settings.kind is DataSetKind.PARQUET:
        from urisieve.data_sets.parquet_rows import ParquetRows

        ParquetRows(work, output, others).read()
        source = None
    else:
        source = _read_lines(work, output, others, checkpoint)
    found = totals.matched > 0
    failed = totals.failed or totals.tally.is_unread
    if checkpoint is not None:
        found |= checkpoint.found
        failed |= checkpoint.failed
    has_grown = isinstance(output, OutputInPlace) and output.has_grown
    if not totals.files and settings.output != STANDARD_OUTPUT and not has_grown:
        told = f" ({totals.failure})" if totals.failure and on_event is ignore_events else ""
        raise InputError(f"nothing could be read{told}; the output is left as it was")
    if totals.failed and any(map(partial(_is_same, settings.output), settings.paths)):
        raise InputError("the output is one of the files, and not all could be read; it is left as it was")
    if source is not None and not settings.is_table and totals.rows:
        source.check_fields(has_grown=has_grown)
    if checkpoint is not None:
        checkpoint.is_done = True
    return _counts(totals, keys.keys.unmatched, found=found, failed=failed)


def _is_same(output: str, path: str) -> bool:
    try:
        return STANDARD_OUTPUT not in (output, path) and os.path.samefile(output, path)
    except (OSError, ValueError):  # one of them is not there
        return False


def _counts(totals: RowTotals, reasons: Mapping[str, int], *, found: bool, failed: bool) -> RowCounts:
    return RowCounts(
        totals.files,
        totals.rows,
        totals.kept,
        totals.unmatched,
        reasons,
        found,
        failed,
        totals.tally,
        totals.made_safe,
    )


def _read_lines(work: RowWork, output: Output, others: Output | None, checkpoint: Checkpoint | None) -> RowSource:
    """Read and write rows of lines; return their source."""
    is_begun = isinstance(output, OutputInPlace) and output.old > 0
    made = partial(work.settings.cells.made, delimiter=work.settings.delimiter)
    cells = made(output), None if others is None else made(others)
    output, others = cells[0] or output, cells[1] or others
    arrays: list[JsonArray] = []
    if work.settings.kind is DataSetKind.JSON:
        output = JsonArray(output)
        arrays.append(output)
        if others is not None:
            others = JsonArray(others)
            arrays.append(others)
    lines = RowLines(output, others, is_begun=is_begun)
    header = _header_of(work.settings) if is_begun and work.settings.is_table else None
    source = RowSource(work, on_header=lines.put_header, header=header)
    if work.settings.keep is Keep.LAST:
        LastRows(work, source, lines).read()
    elif checkpoint is None:
        FirstRows(work, source, lines).read()
    else:
        FirstRows(work, source, lines).read(checkpoint.parts, checkpoint.rows)
    for array in arrays:
        array.finish()
    work.totals.made_safe = sum(one.changed for one in cells if one is not None)
    return source


def _checkpoint(settings: RowSettings) -> Checkpoint:
    assert settings.checkpoint is not None
    return Checkpoint(
        settings.checkpoint,
        store=settings.store,
        options=settings.options,
        by=settings.by,
        cache=settings.cache,
        command=settings.command,
        files=settings.paths,
        size=0 if settings.store is None else size_of(settings.output),
    )


def _seen(settings: RowSettings, checkpoint: Checkpoint | None, stack: ExitStack) -> KeySet | Store:
    if checkpoint is not None:
        return checkpoint.store
    if settings.store is not None:
        store = Store(settings.store, options=settings.options, by=settings.by, cache=settings.cache)
        return stack.enter_context(store)
    return stack.enter_context(KeySet(memory_limit=settings.memory_limit, folder=settings.folder))


def _output(settings: RowSettings, checkpoint: Checkpoint | None) -> Output:
    """Open the output; it replaces its file, or is added to it if a store or a checkpoint keeps the rows before it."""
    if settings.store is None and checkpoint is None:
        return open_output(settings.output)
    size = None if checkpoint is None else checkpoint.size
    return open_added_to(settings.output, size, is_whole=settings.is_whole)


def _header_of(settings: RowSettings) -> bytes | None:
    """Return the header that the output holds already, or None."""
    rows = kept_rows(read_blocks(settings.output), str(settings.kind), settings.encoding, delimiter=settings.delimiter)
    return next((column_line(row) for row in rows if row.is_header), None)


def _report(tally: Tally, on_event: OnEvent) -> None:
    """Report skipped and broken things; of equal messages in a row, one."""
    last = None
    for text in tally.shown("rows"):
        if text != last:
            on_event(Message(text, is_error=tally.is_unread))
        last = text
