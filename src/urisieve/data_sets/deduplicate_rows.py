"""Rows of data sets without duplicates: files in, a file out."""

from __future__ import annotations

import os
from collections.abc import Sequence

from urisieve.data_sets.row_run import run_rows
from urisieve.data_sets.row_work import DROPPED, KEPT, RowCounts, RowSettings
from urisieve.dedupe.checkpoint import command_digest
from urisieve.dedupe.deduplicate import Keep
from urisieve.dedupe.keyset import LEAST_LIMIT
from urisieve.dedupe.store_file import files_beside
from urisieve.errors import UsageError
from urisieve.lean import replace
from urisieve.options import DEFAULT_OPTIONS, Charset, Options, choice
from urisieve.runs.events import OnEvent, ignore_events
from urisieve.runs.run import checked_paths, found_files
from urisieve.sinks.files.outputs import STANDARD_OUTPUT, check_uses
from urisieve.sinks.files.safe_cells import Cells
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import DEFAULT_READING, DataSetKind, checked_delimiter
from urisieve.sources.tally import Tally


def deduplicate_rows(
    paths: Sequence[str | os.PathLike[str]] | os.PathLike[str],
    fields: Sequence[str] | None = None,
    *,
    kind: DataSetKind | str | None = None,
    delimiter: str = "",
    output: str | os.PathLike[str] | None = None,
    keep: Keep | str = Keep.FIRST,
    by: str = "key",
    unmatched: str | os.PathLike[str] = KEPT,
    store: str | os.PathLike[str] | None = None,
    options: Options | None = None,
    encoding: str | None = None,
    memory_limit: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    csv_safe: bool = False,
    on_event: OnEvent = ignore_events,
) -> RowCounts:
    r"""Write the rows of data sets whose identifier occurs for the first time (or the last), unchanged to the byte.

    A field counts only if all of it, except blanks around it, is one identifier, or a list of which each value is one;
    two rows are duplicates only if all their fields are equivalent. A field that names several places in a row
    (`authors[].url`) counts as the list of what stands there: rows are duplicates only if they have the same set of
    identifiers there, in any order, and a row of which one of them is not valid is unmatched. CSV and TSV begin with a
    header, the same in all files, which is written once; of arrays of JSON one is made. A file that cannot be read, or
    has other columns, is reported, and the others are read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from urisieve import deduplicate_rows
    >>> with TemporaryDirectory() as folder:
    ...     rows, unique = Path(folder, "rows.csv"), Path(folder, "unique.csv")
    ...     _ = rows.write_text("id,url\n1,http://A.example\n2,http://a.example/\n3,http://b.example/\n")
    ...     counts = deduplicate_rows([rows], ["url"], kind="csv", output=unique)
    ...     print(unique.read_text().split(), counts.rows, counts.kept, counts.duplicates)
    ['id,url', '1,http://A.example', '3,http://b.example/'] 3 2 1

    Args:
        paths: files and folders, or one of them, read in this order; compressed files and archives of rows are unpacked
            (but not with Parquet), and `-` is standard input.
        fields: the fields that hold identifiers, or the one: the name of a column, or its number from 1; of JSON and
            Parquet a name, or a path into nested rows (`page.url`, `authors[].url`, `links[0]`). A row has the key of
            them all; a field that is missing counts as empty. They must be given, as must `output`.
        kind: the format of the rows, and of the output; None for that of the first file, by its content.
        delimiter: the character between the cells of a table; "" for that which the first rows of CSV have.
        output: the file of the rows that stay, which is replaced when all is done, and may be one of `paths`; `-` for
            standard output. With `store` the new rows are added to it.
        keep: which of the rows with one key stays, in the order of all files. `last` reads the files twice.
        by: which part of an identifier decides: `key`, `host`, or `scheme+host+path`. An identifier without a host
            counts by its key.
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
        csv_safe: whether a cell of CSV and TSV that a spreadsheet would run gets a `'` before it: see `SafeCells`. All
            else stays as it is.
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
        UsageError: an argument is missing or not valid, or one file has two uses; the files or the arguments are not
            those that the checkpoint was begun with; pyarrow is not installed.
    """
    if fields is None or output is None:
        raise UsageError("deduplicate_rows needs the fields, as in ['url'], and output=, a path")
    chosen = DEFAULT_OPTIONS if options is None else options
    if not find_encoding(encoding).is_unicode:
        chosen = replace(chosen, charset=Charset.LEGACY)
    settings = RowSettings(
        paths=tuple(checked_paths(paths)),
        fields=(fields,) if isinstance(fields, str) else tuple(fields),
        kind=DataSetKind.AUTO if kind is None else choice(DataSetKind, kind, "kind"),
        delimiter=checked_delimiter(delimiter),
        output=_path("output", output),
        keep=choice(Keep, keep, "keep"),
        by=by,
        unmatched=_path("unmatched", unmatched),
        options=chosen,
        encoding=encoding,
        store=None if store is None else _path("store", store),
        memory_limit=memory_limit,
        folder=None if folder is None else _path("folder", folder),
        checkpoint=None if checkpoint is None else _path("checkpoint", checkpoint),
        cells=Cells(csv_safe),
    )
    _check(settings)
    tally = Tally()
    settings = settings._replace(paths=tuple(found_files(settings.paths, DEFAULT_READING, tally)))
    _check_uses(settings)
    return run_rows(settings._replace(command=_command(settings, chosen)), on_event, tally)


def _path(name: str, value: str | os.PathLike[str]) -> str:
    try:
        return os.fsdecode(value)
    except TypeError:
        raise UsageError(f"{name}={value!r} is not a path") from None


def _check(settings: RowSettings) -> None:
    """Check that the settings agree with each other.

    Raises:
        UsageError: two settings exclude each other.
    """
    fields, is_parquet = settings.fields, settings.kind is DataSetKind.PARQUET
    if not fields or not all(isinstance(field, str) for field in fields):
        raise UsageError(f"fields={list(fields)!r} must be the names of one field or several")
    if settings.memory_limit is not None and settings.memory_limit < LEAST_LIMIT:
        raise UsageError(f"memory_limit={settings.memory_limit} must be at least {LEAST_LIMIT} bytes")
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
    check_uses(written, settings.paths, replaced="output" if replaces else "")


def _command(settings: RowSettings, options: Options) -> str:
    """Return a digest of the arguments and files that must stay the same for the output to be that of one run."""
    words = [str(settings.kind), settings.encoding or "", settings.by, settings.unmatched]
    if settings.delimiter:
        words.append(settings.delimiter)
    if settings.cells.changes:  # without it a checkpoint stays as it was
        words.append("csv_safe")
    return command_digest(options, os.path.realpath(settings.output), settings.fields, words)
