"""A run over the rows of data sets: opens its parts, connects them, and closes them.

It also defines:

- `deduplicate_rows`: rows of data sets without duplicates, files in, a file out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

from urisieve import shapes
from urisieve.data_sets.kept_rows import FirstRows, LastRows
from urisieve.data_sets.row_source import JsonArray, RowLines, RowSource, column_line
from urisieve.data_sets.row_work import DROPPED, KEPT, MadeKeys, RowCounts, RowSettings, RowTotals, RowWork, SeenRows
from urisieve.dedupe.checkpoint import Checkpoint, command_digest
from urisieve.dedupe.keeping import Keep
from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import LEAST_LIMIT, KeySet
from urisieve.dedupe.known import Known
from urisieve.dedupe.store.store_file import files_beside
from urisieve.errors import InputError, UsageError
from urisieve.finding_options import Charset, Options, checked, choice
from urisieve.lean import replace
from urisieve.records.filtering import Filter
from urisieve.runs.events import Message, OnEvent, ignore_events
from urisieve.runs.run import found_files
from urisieve.sinks import outputs
from urisieve.sinks.byte_output import Output
from urisieve.sinks.outputs import STANDARD_OUTPUT
from urisieve.sinks.printed_rows import PrintedRows, recover, recover_at
from urisieve.sinks.safe_cells import Cells
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks, source_name
from urisieve.sources.reading_options import DEFAULT_READING, DataSetKind, checked_delimiter
from urisieve.sources.structured.row_files import arrow, kept_rows, row_format
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
            found = row_format(path, str(settings.kind), settings.delimiter, skip=settings.skip_lines)
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
    if settings.skip_lines is not None and not settings.is_table:
        raise UsageError(f"skip_lines={settings.skip_lines} does not go with rows of {settings.kind}")
    if settings.cells.changes and not settings.is_table:
        raise UsageError(
            f"safe_cells=True is for cells of csv and tsv: {settings.kind} has none that a spreadsheet runs"
        )
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
        arrow()
        if settings.keep is Keep.LAST and STANDARD_INPUT in settings.paths:
            raise UsageError("--keep last over Parquet needs files: standard input cannot be read twice")
    others: Output | None = None
    if settings.unmatched not in (KEPT, DROPPED):
        others = stack.enter_context(outputs.gathering(outputs.open_output(settings.unmatched)))
        if shown is not None and settings.unmatched == STANDARD_OUTPUT:
            others = shown(others)
    output = stack.enter_context(outputs.gathering(_output(settings, checkpoint)))
    if shown is not None and settings.output == STANDARD_OUTPUT:
        output = shown(output)
    printed = None
    if checkpoint is None and seen.store is not None and isinstance(output, outputs.OutputInPlace):
        printed = PrintedRows(seen.store, output)
    work = RowWork(settings, opened, keys, seen, output, checkpoint, totals, on_event, printed)
    if settings.kind is DataSetKind.PARQUET:
        from urisieve.data_sets.parquet_rows import ParquetRows

        ParquetRows(work, output, others).read()
        source = None
    else:
        source = _read_lines(work, output, others, checkpoint)
    totals.left_out = seen.left_out
    found = totals.matched > 0
    failed = totals.failed or totals.tally.is_unread
    if checkpoint is not None:
        found |= checkpoint.found
        failed |= checkpoint.failed
    has_grown = isinstance(output, outputs.OutputInPlace) and output.has_grown
    if not totals.files and settings.output != STANDARD_OUTPUT and not has_grown:
        reason = f" ({totals.failure})" if totals.failure and on_event is ignore_events else ""
        raise InputError(f"nothing could be read{reason}; the output is left as it was")
    if totals.failed and any(map(partial(_is_same, settings.output), settings.paths)):
        raise InputError("the output is one of the files, and not all could be read; it is left as it was")
    if source is not None and not settings.is_table and totals.rows:
        source.check_fields(has_grown=has_grown)
    output._flush()  # before the other file is complete
    if checkpoint is not None:
        checkpoint.is_done = True
    return _counts(totals, keys.keys.unmatched, found=found, failed=failed)


def _is_same(output: str, path: str) -> bool:
    try:
        return STANDARD_OUTPUT not in (output, path) and os.path.samefile(output, path)
    except (OSError, ValueError):  # one of them is not there
        return False


def _counts(run: RowTotals, reasons: Mapping[str, int], *, found: bool, failed: bool) -> RowCounts:
    return RowCounts(
        run.files, run.rows, run.kept, run.unmatched, reasons, found, failed, run.tally, run.made_safe, run.left_out
    )


def _read_lines(work: RowWork, output: Output, others: Output | None, checkpoint: Checkpoint | None) -> RowSource:
    """Read and write rows of lines; return their source."""
    is_begun = isinstance(output, outputs.OutputInPlace) and output.old > 0
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
    if settings.store is not None:
        recover_at(settings.store, options=settings.options, by=settings.by)
    return Checkpoint(
        settings.checkpoint,
        store=settings.store,
        options=settings.options,
        by=settings.by,
        cache=settings.cache,
        command=settings.command,
        files=settings.paths,
        size=0 if settings.store is None else outputs.size_of(settings.output),
    )


def _seen(settings: RowSettings, checkpoint: Checkpoint | None, stack: ExitStack) -> KeySet | Store:
    if checkpoint is not None:
        return checkpoint.store
    if settings.store is not None:
        store = Store(settings.store, options=settings.options, by=settings.by, cache=settings.cache)
        stack.enter_context(store)
        recover(store)
        return store
    return stack.enter_context(KeySet(memory_limit=settings.memory_limit, folder=settings.folder))


def _output(settings: RowSettings, checkpoint: Checkpoint | None) -> Output:
    """Open the output; it replaces its file, or is added to it if a store or a checkpoint keeps the rows before it."""
    if settings.store is None and checkpoint is None:
        return outputs.open_output(settings.output)
    size = None if checkpoint is None else checkpoint.size
    return outputs.open_added_to(settings.output, size, is_whole=settings.is_whole)


def _header_of(settings: RowSettings) -> bytes | None:
    """Return the header that the output contains already, or None."""
    rows = kept_rows(read_blocks(settings.output), settings.form)
    return next((column_line(row) for row in rows if row.is_header), None)


def _report(tally: Tally, on_event: OnEvent) -> None:
    """Report skipped and broken things; of equal messages in a row, one."""
    last = None
    for text in tally.shown("rows"):
        if text != last:
            on_event(Message(text, is_error=tally.is_unread))
        last = text


def deduplicate_rows(
    paths: Sequence[str | os.PathLike[str]] | os.PathLike[str],
    field: str | Sequence[str],
    *,
    output: str | os.PathLike[str],
    input: DataSetKind | str | None = None,  # noqa: A002 - the word of the command
    delimiter: str = "",
    skip_lines: int | None = None,
    keep: Keep | str = Keep.FIRST,
    by: str = "key",
    unmatched: str | os.PathLike[str] = KEPT,
    store: str | os.PathLike[str] | None = None,
    options: Options | None = None,
    encoding: str | None = None,
    memory_limit: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    safe_cells: bool = False,
    known: Known | None = None,
    unknown: Known | None = None,
    on_event: OnEvent = ignore_events,
) -> RowCounts:
    r"""Write the rows of data sets whose identifier occurs for the first time (or the last), unchanged to the byte.

    A field counts only if all of it, except blanks around it, is one identifier, or a list of which each value is one;
    two rows are duplicates only if all their fields are equivalent. A field that names several places in a row
    (`authors[].url`) counts as the list of what is there: rows are duplicates only if they have the same set of
    identifiers there, in any order, and a row of which one of them is not valid is unmatched. CSV and TSV begin with a
    header, the same in all files, which is written once; of arrays of JSON one is made. A file that cannot be read, or
    has other columns, is reported, and the others are read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from urisieve import deduplicate_rows
    >>> with TemporaryDirectory() as folder:
    ...     rows, unique = Path(folder, "rows.csv"), Path(folder, "unique.csv")
    ...     _ = rows.write_text("id,url\n1,http://A.example\n2,http://a.example/\n3,http://b.example/\n")
    ...     counts = deduplicate_rows([rows], ["url"], input="csv", output=unique)
    ...     print(unique.read_text().split(), counts.rows, counts.kept, counts.duplicates)
    ['id,url', '1,http://A.example', '3,http://b.example/'] 3 2 1

    Args:
        paths: files and folders, or one of them, read in this order; compressed files and archives of rows are unpacked
            (but not with Parquet), and `-` is standard input.
        field: the field that contains identifiers, or several: the name of a column, or its number from 1; of JSON and
            Parquet a name, or a path into nested rows (`page.url`, `authors[].url`, `links[0]`). A row has the key of
            them all; a field that is missing counts as empty.
        output: the file of the rows that stay, which is replaced when all is done, and may be one of `paths`; `-` for
            standard output. With `store` the new rows are added to it.
        input: the format of the rows, and of the output; None for that of the first file, by its content.
        delimiter: the character between the cells of a table; "" for that which the first rows of CSV have.
        skip_lines: the number of lines above the header of a table, passed on with it; None for what its first rows
            show.
        keep: which of the rows with one key stays, in the order of all files. `last` reads the files twice.
        by: which part of an identifier decides: `key`, `host`, `domain`, `template` or `scheme+host+path`. What has no
            host, or no registrable domain, counts by its key.
        unmatched: `keep` leaves the rows without a key, broken and empty ones included, with the others, `drop` leaves
            them out, and anything else is the path of a file for them.
        store: the file of a `Store` of the same `options` and `by`: rows whose key an earlier run has added stay out,
            and the keys of this run are added; it is created if it does not exist.
        options: how identifiers are judged and normalized; options that find defanged identifiers, or those without a
            scheme, apply to fields too.
        encoding: the encoding of the text, a superset of ASCII; UTF-8 by default.
        memory_limit: the number of bytes that keys may take in memory, at least 1,000,000; beyond that they go to disk,
            and the result stays exact. None for no limit.
        folder: the folder of temporary files; that of `tempfile` by default.
        checkpoint: a file that notes the progress of the run, together with the keys. A call with the same arguments
            after one that was ended by an exception, or a crash, continues from there; the file is removed at the end.
            It needs outputs that grow: not Parquet or JSON, `keep="last"`, a file for `unmatched`, or standard streams.
        safe_cells: whether a cell of CSV and TSV that a spreadsheet would run gets a `'` before it: see `SafeCells`.
            All else stays as it is.
        known: a list that has one of the identifiers of each row that stays, made with the same `options`; other rows
            with a key are left out.
        unknown: a list that has none of them, likewise: so the rows of one data set without those of another one.
        on_event: called with a `FileFailed` if a file cannot be read to its end, a `Message` if a column is missing, a
            `BytesRead` for rows that have been processed (decompressed; of Parquet, in memory), and in the end, when
            the output is complete, with a `Message` for each thing skipped or broken. An exception that it raises ends
            the run.

    Returns:
        the counts of files and rows read, of rows kept and of rows without a key, and of what was skipped and broken.

    Raises:
        InputError: nothing could be read, or no row has one of the fields; an output that is a file stays as it was,
            unless rows were added to it, with `store` or `checkpoint`.
        OutputError: an output, or a temporary file, cannot be written.
        StoreError: the store or the checkpoint cannot be used.
        UsageError: an argument is not valid, or one file has two uses; the files or the arguments are not
            those that the checkpoint was started with; pyarrow is not installed.
    """
    chosen = checked(options)
    shapes.check(by=by, on_event=on_event, safe_cells=safe_cells)
    shapes.whole_number_or_none("memory_limit", memory_limit, LEAST_LIMIT)
    if not find_encoding(encoding).is_unicode:
        chosen = replace(chosen, charset=Charset.LEGACY)
    settings = RowSettings(
        paths=tuple(shapes.paths("paths", paths)),
        fields=tuple(shapes.one_or_several_names("field", field)),
        kind=DataSetKind.AUTO if input is None else choice(DataSetKind, input, "input"),
        delimiter=checked_delimiter(delimiter),
        skip_lines=shapes.whole_number_or_none("skip_lines", skip_lines, 0),
        output=shapes.path("output", output),
        keep=choice(Keep, keep, "keep"),
        by=by,
        unmatched=shapes.path("unmatched", unmatched),
        options=chosen,
        encoding=encoding,
        store=shapes.path_or_none("store", store),
        memory_limit=memory_limit,
        folder=shapes.path_or_none("folder", folder),
        checkpoint=shapes.path_or_none("checkpoint", checkpoint),
        cells=Cells(safe_cells),
        wanted=None if known is None and unknown is None else Filter(known=known, unknown=unknown),
    )
    _check(settings)
    tally = Tally()
    settings = settings._replace(paths=tuple(found_files(settings.paths, DEFAULT_READING, tally)))
    _check_uses(settings)
    return run_rows(settings._replace(command=_command(settings, chosen)), on_event, tally)


def _check(settings: RowSettings) -> None:
    """Check that the settings agree with each other.

    Raises:
        UsageError: two settings exclude each other.
    """
    is_parquet = settings.kind is DataSetKind.PARQUET
    if settings.keep.is_by_time:
        raise UsageError(f"keep={str(settings.keep)!r} compares the times of records: rows are kept as first or last")
    if is_parquet and settings.keep is Keep.LAST and STANDARD_INPUT in settings.paths:
        raise UsageError("keep='last' over Parquet needs files: standard input cannot be read twice")
    if settings.output == settings.unmatched == STANDARD_OUTPUT:
        raise UsageError("output= and unmatched= are both standard output")
    if settings.checkpoint is None:
        return
    faults = (
        (settings.keep is Keep.LAST, "keep='last'"),
        (settings.unmatched not in (KEPT, DROPPED), "a file for unmatched="),
        (STANDARD_INPUT in settings.paths, "standard input, which cannot be read again"),
        (
            settings.output == STANDARD_OUTPUT
            or (os.path.exists(settings.output) and not os.path.isfile(settings.output)),
            "an output that is not a regular file",
        ),
    )
    for is_wrong, text in faults:
        if is_wrong:
            raise UsageError(f"checkpoint= does not go with {text}")


def _check_uses(settings: RowSettings) -> None:
    """Check that no file has two uses, except for an output that replaces an input.

    Raises:
        UsageError: a file has two uses.
    """
    written: list[tuple[str, list[str]]] = []
    for use, path in (("store", settings.store), ("checkpoint", settings.checkpoint)):
        if path is not None:
            written.append((use, [path, *files_beside(path)]))
    written.append(("output", [settings.output]))
    if settings.unmatched not in (KEPT, DROPPED):
        written.append(("unmatched", [settings.unmatched]))
    replaces = settings.store is None and settings.checkpoint is None and settings.output != STANDARD_OUTPUT
    outputs.check_uses(written, settings.paths, replaced="output" if replaces else "")


def _command(settings: RowSettings, options: Options) -> str:
    """Return a digest of the arguments and files that must stay the same for the output to be that of one run."""
    words = [str(settings.kind), settings.encoding or "", settings.by, settings.unmatched]
    if settings.delimiter:
        words.append(settings.delimiter)
    if settings.skip_lines is not None:
        words.append(str(settings.skip_lines))
    if settings.wanted is not None:
        words.append(repr(settings.wanted))
    if settings.cells.changes:  # without it a checkpoint stays as it was
        words.append("safe_cells")
    return command_digest(options, os.path.realpath(settings.output), settings.fields, words)
