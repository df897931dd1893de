"""Records to files and back: `write_records` and `read_records`.

Also defines:

- records as input: the JSON lines, CSV, TSV or Parquet in which records were written, and lists of keys.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from urisieve import shapes
from urisieve.errors import InputError, UnexpectedInputError, UsageError
from urisieve.finding_options import choice
from urisieve.kernel import of_kernel
from urisieve.lean import TYPE_CHECKING, Any, Final, TypeVar
from urisieve.records.batch import Batch
from urisieve.records.harvested import Harvested
from urisieve.records.layouts import Columns
from urisieve.records.masking import hidden_by
from urisieve.records.read_back import fields_of_record, is_record
from urisieve.records.record import Record, make_record
from urisieve.rules.table import KNOWN_RULES
from urisieve.runs.file_parts import Part
from urisieve.runs.part_sieve import failure_of
from urisieve.runs.run_steps import Failure, RunStep, Share, WholeBatches, filtered, step_of
from urisieve.sinks.formats import Form, Format, FormatSettings
from urisieve.sinks.outputs import open_output
from urisieve.sinks.record_formats import RecordSink, of_kind
from urisieve.sinks.safe_cells import Cells
from urisieve.sources.bytes.lines import whole_lines
from urisieve.sources.bytes.reading import read_blocks, source_name
from urisieve.sources.structured.row_files import plain_contents
from urisieve.sources.tally import Tally, guarded

if TYPE_CHECKING:
    from urisieve.records.filtering import Filter
    from urisieve.records.layouts import Harvest
    from urisieve.sources.structured.row_reader import Row


# A row does not state by which options its key was made.
_READ_BACK: Final = KNOWN_RULES.of_unknown_keys()
_READ_TOGETHER: Final = 1_024
_NO_RECORD: Final = "is not a record of urisieve (it lacks `uri` or `key`); for other rows, name the field with --field"
_KEY_COLUMNS: Final = frozenset(("raw", "uri", "key", "start"))


def record_steps(
    paths: Iterable[str],
    kind: str,
    encoding: str | None,
    share: Share,
    *,
    traces: bool = False,
    filters: Sequence[Filter] = (),
) -> Iterator[RunStep]:
    """Yield the steps of files of records; a file that cannot be read, or does not contain records, is reported.

    Args:
        paths: the files.
        kind: `jsonl`, `csv`, `tsv` or `parquet`; "" for what the name of each file states, else its content.
        encoding: the encoding of the text; UTF-8 by default.
        share: the share of a sink that takes the batches.
        traces: whether messages about unexpected exceptions include the traceback.
        filters: which records are wanted; the others are only counted.
    """

    def steps(path: str, tally: Tally) -> Iterator[RunStep]:
        rows = _rows(path, kind or str(named_format(path) or ""), encoding, tally)
        while some := list(islice(rows, _READ_TOGETHER)):
            batch = Batch.of(list(_records(some, path, tally)))
            step = step_of(batch, sum(row.size for row in some), share, filters)
            yield step if tally.is_empty else step._replace(tally=tally.taken())

    return _file_steps(paths, steps, kind or "records", share, traces=traces)


def _rows(path: str, kind: str, encoding: str | None, tally: Tally) -> Iterator[Row]:
    """Yield the rows of a file; for the kind "" its content shows how they are written, else they are JSON lines."""
    from urisieve.sources.structured.row_files import AUTO, RowFormat, read_rows, row_format

    form = RowFormat(kind) if kind else row_format(path, AUTO)
    if form.kind == AUTO:  # nothing, or too little to tell: one record with the header of a table, or none
        left = iter(read_blocks(path) if form.blocks is None else form.blocks)
        head = next(left, b"")
        names = head.partition(b"\n")[0]
        delimiter = "" if b"uri" not in names or names.startswith(b"{") else "\t" if b"\t" in names else ","
        form = RowFormat(str(Format.CSV if delimiter else Format.JSONL), delimiter, chain((head,), left))
    return read_rows(path, form._replace(encoding=encoding), tally=tally)


def _file_steps(
    paths: Iterable[str],
    steps: Callable[[str, Tally], Iterator[RunStep]],
    kind: str,
    share: Share,
    *,
    traces: bool,
) -> Iterator[RunStep]:
    """Yield the steps of files, each with its last one, whatever stops it."""
    for path in paths:
        tally = Tally()
        failure: Failure | None = None
        try:
            yield from guarded(steps(path, tally), kind)
        except UnexpectedInputError as error:
            tally.stopped(source_name(path), error, traces=traces)
        except InputError as error:
            failure = failure_of(path, error)
        product = share.flush()
        yield RunStep(() if product is None else (product,), part=Part(path), failure=failure, tally=tally)


def _records(rows: Iterable[Row], path: str, tally: Tally) -> Iterator[Record]:
    """Yield the records that rows were written from; a row that is not a record is counted, and the others are read."""
    from urisieve.sources.structured.row_reader import LEFT_OUT, RowFault

    for row in rows:
        if row.fault is not None:
            LEFT_OUT.report(tally, path, row.number, row.fault)
        elif row.is_header:
            if not {"uri", "key"}.issubset(row.names):
                LEFT_OUT.report(tally, path, row.number, RowFault("names no columns `uri` and `key`, as records do"))
        elif row.values is not None:
            try:
                if not is_record(row.values):
                    raise InputError(_NO_RECORD)
                made, parts = fields_of_record(row.values)
                yield make_record(made, _READ_BACK, parts)
            except InputError as error:
                LEFT_OUT.report(tally, path, row.number, RowFault(str(error)))


def key_steps(
    paths: Iterable[str],
    share: Share,
    *,
    named: bool = True,
    traces: bool = False,
    filters: Sequence[Filter] = (),
) -> Iterator[RunStep]:
    """Yield the steps of files that contain a key on each line, taken unchanged; empty lines are not keys.

    The offset of a key is the number of its line.

    Args:
        paths: the files.
        share: the share of a sink that takes the batches.
        named: whether the source of each key is its file.
        traces: whether messages about unexpected exceptions include the traceback.
        filters: which keys are wanted; the others are only counted.
    """

    def steps(path: str, tally: Tally) -> Iterator[RunStep]:
        constants = {"source": source_name(path) if named else None, "warnings": ()}
        number = 1
        for content in plain_contents(path, tally=tally, is_asked=True):
            for whole in whole_lines(content.blocks, b"\n"):
                batch, count = _key_batch(whole, number, constants)
                yield step_of(batch, len(whole), share, filters)
                number += count

    return _file_steps(paths, steps, "keys", share, traces=traces)


def _left_to_python(_whole: bytes, _number: int, _raws: bool) -> tuple[Harvest, int] | None:
    return None


_lines: Final = of_kernel("lines", _left_to_python)


def _key_batch(whole: bytes, number: int, constants: Mapping[str, Any]) -> tuple[Batch, int]:
    """Return the keys in some lines, the first of which has `number`, and the number of lines."""
    found = _lines(whole, number, True)
    if found is not None:
        harvest, count = found
        return Batch(Harvested(harvest, _KEY_COLUMNS, constants, {}), rules=_READ_BACK), count
    text = whole.decode("utf-8", "surrogateescape")
    lines = text.removesuffix("\n").split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
    keys = [line for line in lines if line] if "" in lines else lines
    numbers: Sequence[int] = range(number, number + len(keys))
    if keys is not lines:
        numbers = [index for index, line in enumerate(lines, number) if line]
    columns = {"raw": keys, "uri": keys, "key": keys, "start": numbers}
    return Batch(Columns(len(keys), columns, constants), rules=_READ_BACK), len(lines)


# The ends of the names of compressed files.
_PACKED: Final = (".gz", ".bz2", ".xz", ".zst", ".lzma", ".zip")
# Records that are written at once.
_TOGETHER: Final = 4_096
T = TypeVar("T")


def write_records(
    records: Iterable[Record | Batch],
    path: str | os.PathLike[str],
    *,
    format: Format | str | None = None,  # noqa: A002 - the word of the command
    form: Form | str = Form.URI,
    fields: Iterable[str] = (),
    template: str | None = None,
    defang: bool = False,
    parts: bool = False,
    context: bool = False,
    show_passwords: bool = False,
    secret: bytes | None = None,
    redact: Iterable[str] = (),
    safe_cells: bool = False,
) -> int:
    """Write records to a file, in one of the formats of the command.

    The file is there whole or not at all: an old one stays until the new one is complete.

    >>> import os, tempfile
    >>> from urisieve import extract, read_records, write_records
    >>> path = os.path.join(tempfile.mkdtemp(), "links.csv")
    >>> write_records(extract("see http://EXAMPLE.com and urn:isbn:0395363411"), path)
    2
    >>> [record.uri for record in read_records(path)]
    ['http://example.com/', 'urn:isbn:0395363411']

    Args:
        records: records, or batches of them.
        path: the file; `-` for standard output. Nothing is compressed: a name such as `links.csv.gz` is refused.
        format: `jsonl`, `csv`, `tsv`, `parquet` (needs the extra of that name), or `text`, one identifier a line; by
            default the ending of the name states it, as for `read_records`, and any other name is for `jsonl`.
        form: the form that is written as text: `uri`, `iri`, `surt`, `raw`, `key`, `template`, or `host` or `domain`,
            which leave out records without one.
        fields: the names of the fields that are written, in their order; all of the schema if none are named. They are
            those of records, `domain`, `surt` and `template`.
        template: the template of a line of text, as `{scheme}://{host}`.
        defang: whether identifiers are written in a form that is not a link; see `urisieve.defang`.
        parts: whether `parts` and `notices` are written after the fields; see `Record.as_dict`.
        context: whether all fields of the schema that are written without `fields` include `time`, `time_written`,
            `from`, `to` and `subject`; see `ReadingOptions.context`.
        show_passwords: whether passwords are written in clear; else each becomes `***`, and a digest in `key`.
        secret: the secret of these digests, so that files which several processes write have the same keys; a new one
            is drawn for None. See `new_secret`.
        redact: the parts of identifiers that are written as `***`, and in `key` as digests by the secret; see `redact`.
        safe_cells: whether cells of CSV and TSV that a spreadsheet would run get a `'` before them; see `SafeCells`.

    Returns:
        how many records were written.

    Raises:
        OutputError: the file cannot be written; it is as it was.
        UsageError: there is no such format, form or field, the template or the secret is not one, they do not go
            together, the name is that of a compressed file, or an extra is not installed.
    """
    name = shapes.path("path", path, "- is standard output")
    if name.lower().endswith(_PACKED):
        raise shapes.wrong(
            "path", name, "a name without that ending: nothing is compressed, so compress the whole file"
        )
    shapes.check(template=template, defang=defang, parts=parts, context=context, safe_cells=safe_cells)
    shapes.check(show_passwords=show_passwords)
    held = shapes.records("records", records)
    kind = (named_format(name) or Format.JSONL) if format is None else choice(Format, format, "format")
    hidden = hidden_by(secret, show_passwords=show_passwords)
    chosen = choice(Form, form, "form")
    delimiter = of_kind(kind).delimiter
    named = tuple(shapes.names("fields", fields, "names of fields"))
    if context and not named:
        from urisieve.records.field_table import WITH_CONTEXT

        named = WITH_CONTEXT
    cells = Cells(safe_cells)
    if cells.changes and not delimiter:
        raise UsageError(f"safe_cells is for csv and tsv: {kind} has no cells that a spreadsheet would run")
    settings = FormatSettings(
        kind,
        chosen,
        hidden,
        fields=named,
        template=template,
        defang=defang,
        parts=parts,
        redact=tuple(shapes.several("redact", redact, "names of parts")),
    )
    count = 0
    with open_output(name) as output:
        sink = RecordSink(settings, cells.made(output, delimiter) or output)
        try:
            for batch in _batches(held):
                batch, _ = filtered(batch, sink.filters)
                sink.take(batch)
                count += len(batch)
            sink.close()
        except BaseException:
            sink.discard()
            raise
    return count


def _batches(records: Iterable[Record | Batch]) -> Iterator[Batch]:
    """Yield records together, and batches as they are."""
    waiting: list[Record] = []
    for one in records:
        is_record = isinstance(one, Record)
        if not is_record and not isinstance(one, Batch):
            raise shapes.wrong("one of records", one, "a record or a batch")
        if waiting and (not is_record or len(waiting) == _TOGETHER or one._rules is not waiting[0]._rules):
            yield Batch.of(waiting)
            waiting = []
        if isinstance(one, Record):
            waiting.append(one)
        else:
            yield one
    if waiting:
        yield Batch.of(waiting)


def read_records(
    path: str | os.PathLike[str],
    *,
    format: Format | str | None = None,  # noqa: A002
    encoding: str | None = None,
    tally: Tally | None = None,
) -> Iterator[Record]:
    """Read the records that `write_records` or `urisieve extract` wrote, one after the other.

    Compressed files are read as what is in them.

    >>> from urisieve import read_records
    >>> [record.uri for record in read_records("samples/urns.xml.jsonl")][:2]
    ['urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'urn:isbn:0395363411']

    Args:
        path: the file; `-` for standard input.
        format: `jsonl`, `csv`, `tsv` or `parquet`; by default the ending of the name states it (`links.csv.gz`), else
            the content.
        encoding: that of the text; UTF-8 by default.
        tally: counts the rows that are not records, and takes a message for each of the first; the others are read.
            Without it the first such row raises.

    Yields:
        a `Record` with all fields that were written; byte offsets and locations among them.

    Raises:
        InputError: the file cannot be read, or without a tally a row is not a record.
        UsageError: there is no such format.
    """
    name = shapes.path("path", path, "- is standard input")
    shapes.check(encoding=encoding, tally=tally)
    kind = None if format is None else choice(Format, format, "format")
    if kind is not None and not of_kind(kind).is_read:
        names = [str(one) for one in Format if of_kind(one).is_read]
        raise UsageError(f"format={format!r} holds no records: use one of {', '.join(map(repr, names))}")
    counts = Tally() if tally is None else tally

    def records() -> Iterator[Record]:
        share: Share = WholeBatches()
        for step in record_steps([name], str(kind or ""), encoding, share):
            if step.tally is not None:
                if tally is None and step.tally.broken:
                    raise InputError("; ".join(islice(step.tally.messages, 1)) or f"{name}: cannot be read")
                counts.take(step.tally)
            for batch in step.products:
                yield from batch
            if step.failure is not None:
                raise InputError(f"{name}: {step.failure.message}")

    return records()


def named_format(name: str) -> Format | None:
    """Return the format of records that the ending of a name states, after that of a compression."""
    parts = os.path.basename(name).lower().split(".")
    for part in reversed(parts[1:]):
        for kind in Format:
            if part == kind and of_kind(kind).is_read:
                return kind
    return None
