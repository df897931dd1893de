"""Records to files and back: `write_records` and `read_records`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from urisieve.errors import InputError, UsageError
from urisieve.lean.hints import Final, TypeVar
from urisieve.options import choice
from urisieve.records.batch import Batch
from urisieve.records.record import Record
from urisieve.runs.run_steps import Share, WholeBatches, sifted
from urisieve.sinks.files.outputs import open_output
from urisieve.sinks.files.safe_cells import SafeCells
from urisieve.sinks.formats import Form, Format, FormatSettings
from urisieve.sinks.masked import new_secret
from urisieve.sinks.record_formats import of_kind
from urisieve.sinks.record_reader import record_steps
from urisieve.sinks.record_sink import RecordSink
from urisieve.sources.tally import Tally

__all__ = ["read_records", "record_format_of", "write_records"]

# Records that are written at once.
_TOGETHER: Final = 4_096
T = TypeVar("T")


def write_records(
    records: Iterable[Record | Batch],
    path: str | os.PathLike[str],
    *,
    format: Format | str = Format.JSONL,  # noqa: A002 - the word of the command
    form: Form | str = Form.URI,
    fields: Iterable[str] = (),
    template: str | None = None,
    defang: bool = False,
    parts: bool = False,
    show_passwords: bool = False,
    secret: bytes | None = None,
    redact: Iterable[str] = (),
    csv_safe: bool = False,
) -> int:
    """Write records to a file, in one of the formats of the command.

    The file is there whole or not at all: an old one stays until the new one is complete.

    >>> import os, tempfile
    >>> from urisieve import extract, read_records, write_records
    >>> path = os.path.join(tempfile.mkdtemp(), "links.csv")
    >>> write_records(extract("see http://EXAMPLE.com and urn:isbn:0395363411"), path, format="csv")
    2
    >>> [record.uri for record in read_records(path)]
    ['http://example.com/', 'urn:isbn:0395363411']

    Args:
        records: records, or batches of them.
        path: the file; `-` for standard output.
        format: `jsonl`, `csv`, `tsv`, `parquet` (needs the extra of that name), or `text`, one identifier a line.
        form: the form that is written as text: `uri`, `iri`, `raw`, `key`, or `host` or `domain`, which leave out
            records without one.
        fields: the names of the fields that are written, in their order; all of the schema if none are named. They are
            those of `Record.as_dict`, and `domain`.
        template: the template of a line of text, as `{scheme}://{host}`.
        defang: whether identifiers are written in a form that is not a link; see `urisieve.defang`.
        parts: whether `parts` and `notices` are written behind the fields; see `Record.as_dict`.
        show_passwords: whether passwords are written in clear; else each becomes `***`, and a digest in `key`.
        secret: the secret of these digests, so that files which several processes write have the same keys; a new one
            is drawn for None. See `new_secret`.
        redact: the parts of identifiers that are written as `***`, and in `key` as digests by the secret; see `redact`.
        csv_safe: whether cells of CSV and TSV that a spreadsheet would run get a `'` before them; see `SafeCells`.

    Returns:
        how many records were written.

    Raises:
        OutputError: the file cannot be written; it is as it was.
        UsageError: there is no such format, form or field, the template or the secret is not one, they do not go
            together, or an extra is not installed.
    """
    kind = choice(Format, format, "format")
    if show_passwords and secret is not None:
        raise UsageError("show_passwords=True leaves no use for secret=: give one of the two")
    if secret is None and not show_passwords:
        secret = new_secret()
    if isinstance(fields, str):
        raise UsageError(f"fields={fields!r} is one text: give several names")
    chosen = choice(Form, form, "form")
    delimiter = of_kind(kind).delimiter
    if csv_safe and not delimiter:
        raise UsageError(f"csv_safe is for csv and tsv: {kind} has no cells that a spreadsheet would run")
    settings = FormatSettings(
        kind,
        chosen,
        secret,
        fields=tuple(fields),
        template=template,
        defang=defang,
        parts=parts,
        redact=tuple(redact),
    )
    count = 0
    with open_output(os.fsdecode(path)) as output:
        sink = RecordSink(settings, SafeCells(output, delimiter) if csv_safe else output)
        try:
            for batch in _batches(records):
                batch, _ = sifted(batch, sink.filters)
                sink.take(batch)
                count += len(batch)
            sink.close()
        except BaseException:
            sink.discard()
            raise
    return count


def _batches(records: Iterable[Record | Batch]) -> Iterator[Batch]:
    """Records put together, and batches as they are."""
    waiting: list[Record] = []
    for one in records:
        if isinstance(one, Record):
            if waiting and one._rules is not waiting[0]._rules:
                yield Batch.of(waiting)
                waiting = []
            waiting.append(one)
            if len(waiting) == _TOGETHER:
                yield Batch.of(waiting)
                waiting = []
            continue
        if not isinstance(one, Batch):
            raise UsageError(f"records holds a {type(one).__name__}: give records or batches")
        if waiting:
            yield Batch.of(waiting)
            waiting = []
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
        format: `jsonl`, `csv`, `tsv` or `parquet`; by default the ending of the name says it (`links.csv.gz`).
        encoding: that of the text; UTF-8 by default.
        tally: counts the rows that are not records, and takes a message for each of the first; the others are read.
            Without it the first such row raises.

    Yields:
        a `Record` with all fields that were written; byte offsets and locations among them.

    Raises:
        InputError: the file cannot be read, or without a tally a row is not a record.
        UsageError: there is no such format, or the name does not say it.
    """
    name = os.fsdecode(path)
    kind = record_format_of(name) if format is None else choice(Format, format, "format")
    if not of_kind(kind).is_read:
        names = [str(one) for one in Format if of_kind(one).is_read]
        raise UsageError(f"format={format!r} holds no records: use one of {', '.join(map(repr, names))}")
    counts = Tally() if tally is None else tally

    def records() -> Iterator[Record]:
        share: Share = WholeBatches()
        for step in record_steps([name], str(kind), encoding, share):
            if step.tally is not None:
                if tally is None and step.tally.broken:
                    raise InputError("; ".join(islice(step.tally.messages, 1)) or f"{name}: cannot be read")
                counts.take(step.tally)
            for batch in step.products:
                yield from batch
            if step.failure is not None:
                raise InputError(f"{name}: {step.failure.message}")

    return records()


def record_format_of(name: str) -> Format:
    """Return the format of records that the ending of a name says, behind that of a compression.

    Raises:
        UsageError: it says none.
    """
    parts = os.path.basename(name).lower().split(".")
    for part in reversed(parts[1:]):
        for kind in Format:
            if part == kind and of_kind(kind).is_read:
                return kind
    raise UsageError(f"{name}: its name does not say its format: give format=")
