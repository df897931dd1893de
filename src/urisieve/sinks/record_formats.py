"""The formats of records, a class each: lines, marks, counts, and what a command may ask of them.

A new format is a class here, or beside `ParquetFormat`, and a line in `_OF_LINES`, or a branch of `of_kind` if
it is to be loaded late.

Also defines `RecordSink` and `TableSink`: all records, in one of the formats, to an output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple
from urisieve.records.batch import Batch
from urisieve.runs.run_steps import SharedSink
from urisieve.sinks.byte_output import Output
from urisieve.sinks.formats import Form, Format, FormatSettings, FormLines
from urisieve.sinks.row_format import RecordFormat

if TYPE_CHECKING:
    from urisieve.dedupe.counts import KeyCount
    from urisieve.sinks.formats import Sort
    from urisieve.sinks.notations import FieldLines, RowNotation
    from urisieve.sinks.statistics.count_sink import CountFields, CountSink


class JsonLinesFormat(RecordFormat):
    """One record a line, as JSON."""

    is_mixed = True

    def _notation(self, names: tuple[str, ...] | None) -> RowNotation:
        from urisieve.sinks.notations import json_notation

        return json_notation(names)

    def marked(self, line: bytes, is_new: bool) -> bytes:
        """See `RecordFormat.marked`."""
        return line[: line.rindex(b"}")] + b',"new":' + (b"true" if is_new else b"false") + b"}\n"

    def counted(self, rows: Iterable[KeyCount], fields: CountFields, *, counts: bool) -> Iterator[bytes]:
        """See `RecordFormat.counted`."""
        from urisieve.sinks.statistics.count_sink import counted_objects

        del counts
        return counted_objects(rows, fields)


class CsvFormat(RecordFormat):
    """A table with a header."""

    delimiter = ","

    def _notation(self, names: tuple[str, ...] | None) -> RowNotation:
        from urisieve.sinks.notations import table_notation

        return table_notation(names, tabs=self.delimiter == "\t")


class TsvFormat(CsvFormat):
    """The same with tabs."""

    delimiter = "\t"


class TextFormat(RecordFormat):
    """A line of text for each record: one form of it, fields with tabs between them, or by a template."""

    is_text = True
    is_read = False

    def __init__(self, settings: FormatSettings) -> None:
        if settings.parts and not settings.fields:
            raise UsageError("parts are fields of whole records: choose another format, or name fields too")
        super().__init__(settings)

    def _made_lines(self) -> FieldLines | FormLines:
        settings = self.settings
        form = settings.form if settings.template is None and not settings.named else None
        self.is_plain = form is Form.URI and settings.by is Form.KEY and not self.mask.changes_all
        if self.is_plain or form is Form.RAW:
            return FormLines(settings.form, self.mask)
        return super()._made_lines()

    def _notation(self, names: tuple[str, ...] | None) -> RowNotation:
        from urisieve.sinks import notations

        if self.settings.template is not None:
            return notations.template_notation(self.settings.template)
        return notations.text_notation(names) if names else notations.form_notation(self.settings.form)

    def marked(self, line: bytes, is_new: bool) -> bytes:
        """See `RecordFormat.marked`."""
        return (b"new\t" if is_new else b"old\t") + line

    def write_counts(
        self, sink: CountSink, output: Output, least: int, sort: Sort, *, counts: bool, spellings: int
    ) -> None:
        """See `RecordFormat.write_counts`."""
        from urisieve.sinks.statistics.count_sink import kernel_lines

        lines = None if spellings or self.mask.makes_values else kernel_lines(sink, least, sort, counts=counts)
        if lines is None:
            super().write_counts(sink, output, least, sort, counts=counts, spellings=spellings)
            return
        for data in lines:
            output.write(data)

    def counted(self, rows: Iterable[KeyCount], fields: CountFields, *, counts: bool) -> Iterator[bytes]:
        """See `RecordFormat.counted`."""
        from urisieve.sinks.statistics.count_sink import counted_text

        return counted_text(rows, fields, counts=counts)


def of_kind(kind: Format) -> type[RecordFormat]:
    """Return the class of a format."""
    if kind is Format.PARQUET:
        from urisieve.sinks.parquet_format import ParquetFormat

        return ParquetFormat
    return _OF_LINES[kind]


_OF_LINES: Final[dict[Format, type[RecordFormat]]] = {
    Format.TEXT: TextFormat,
    Format.JSONL: JsonLinesFormat,
    Format.CSV: CsvFormat,
    Format.TSV: TsvFormat,
}


def record_format(settings: FormatSettings) -> RecordFormat:
    """Return the format for some settings.

    Raises:
        UsageError: there is no field of a name, or a template is not one or is given with fields.
    """
    return of_kind(settings.format)(settings)


class RecordSink(SharedSink):
    """Writes every record, and every rejection if that is wanted.

    >>> import os, tempfile
    >>> from urisieve import sieve_into
    >>> from urisieve.options import Format
    >>> from urisieve.sinks import FormatSettings, RecordSink, open_output
    >>> path = os.path.join(tempfile.mkdtemp(), "links")
    >>> with open_output(path) as output:
    ...     sink = RecordSink(FormatSettings(Format.JSONL), output)
    ...     tally = sieve_into(["samples/access.log"], sink)
    >>> with open(path) as file:
    ...     len(file.readlines())
    8

    Args:
        settings: how records are written.
        output: the output of the records; the header of a table is written at once.
        rejects: the output of rejections, if the settings name a format for them.
    """

    def __init__(self, settings: FormatSettings, output: Output, rejects: Output | None = None) -> None:
        self._settings = settings
        self._rejects = rejects
        made = record_format(settings)
        self._rows = made.output(output)
        self.columns = made.needed
        self.offsets = made.offsets or made.rejects is not None
        self.writes_little = made.is_text
        self.suits_threads = made.suits_threads
        self.filters = made.filters
        self._rows.begin()
        if rejects is not None and made.rejects is not None:
            rejects.write(made.rejects.header)

    def share(self, *, alone: bool) -> Callable[[], _RecordShare]:
        """See `SharedSink.share`."""
        del alone
        return partial(_RecordShare, self._settings)

    def absorb(self, product: _Written, /) -> None:
        """See `SharedSink.absorb`."""
        if product.records:
            self._rows.put(product.records)
        if product.rejections and self._rejects is not None:
            self._rejects.write(product.rejections)

    def close(self) -> None:
        """Complete the output: a file of Parquet cannot be read without its end."""
        super().close()
        self._rows.close()

    def discard(self) -> None:
        """Leave a file that will not be used."""
        self._rows.discard()


class TableSink(RecordSink):
    """Writes every record to a Parquet file with the fields of records.

    >>> import os, tempfile
    >>> from urisieve import read_records, sieve_into
    >>> from urisieve.options import Format
    >>> from urisieve.sinks import FormatSettings, TableSink, open_output
    >>> path = os.path.join(tempfile.mkdtemp(), "links")
    >>> with open_output(path) as output:
    ...     sink = TableSink(FormatSettings(Format.PARQUET), output)
    ...     tally = sieve_into(["samples/access.log"], sink)
    >>> sum(1 for _ in read_records(path, format="parquet"))
    8

    Args:
        settings: by which secret passwords are masked, and whether rejections are written.
        output: where.
        rejects: the output of rejections, if the settings name a format for them.

    Raises:
        UsageError: pyarrow is not installed.
    """

    def __init__(self, settings: FormatSettings, output: Output, rejects: Output | None = None) -> None:
        super().__init__(settings._replace(format=Format.PARQUET), output, rejects)


class _Written(NamedTuple):
    """Rows as a format has made them, and the lines of rejections."""

    records: Any
    rejections: bytes


class _RecordShare:
    def __init__(self, settings: FormatSettings) -> None:
        self._format = record_format(settings)
        self._maker = self._format.maker()

    def take(self, batch: Batch, /) -> _Written | None:
        """Format a batch, or let it wait for others."""
        made, rejections = self._maker.take(batch), self._format.rejections(batch)
        return _Written(made, rejections) if made or rejections else None

    def flush(self) -> _Written | None:
        """Format what waits."""
        made = self._maker.flush()
        return _Written(made, b"") if made else None

    def size(self, product: _Written, /) -> int:
        """Return the number of bytes of a product."""
        return self._maker.size(product.records) + len(product.rejections)
