"""The formats of records, a class each: lines, marks, counts, and what a command may ask of them.

A new format is a class here, or beside `ParquetFormat`, and a line in `of_kind`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.sinks.formats import Form, Format, FormatSettings, FormLines

if TYPE_CHECKING:
    from urisieve.dedupe.counts import KeyCount
    from urisieve.records.filtering import Filter
    from urisieve.sinks.formats import Sort
    from urisieve.sinks.notations import FieldLines, RowNotation
    from urisieve.sinks.outputs import Output
    from urisieve.sinks.statistics.count_sink import CountSink

from urisieve.sinks.row_format import RecordFormat


class JsonLinesFormat(RecordFormat):
    """One record a line, as JSON."""

    is_mixed = True

    def _notation(self) -> RowNotation:
        from urisieve.sinks.notations import json_notation

        return json_notation(self.settings.named or None)

    def marked(self, line: bytes, is_new: bool) -> bytes:
        """See `RecordFormat.marked`."""
        return line[: line.rindex(b"}")] + b',"new":' + (b"true" if is_new else b"false") + b"}\n"

    def counted(self, rows: Iterable[KeyCount], *, counts: bool, spellings: int) -> Iterator[bytes]:
        """See `RecordFormat.counted`."""
        from urisieve.sinks.statistics.count_lines import counted_objects

        del counts
        return counted_objects(rows, spellings)


class CsvFormat(RecordFormat):
    """A table with a header."""

    delimiter = ","

    def _notation(self) -> RowNotation:
        from urisieve.sinks.notations import table_notation

        return table_notation(self.settings.named or None, tabs=self.delimiter == "\t")


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
        is_uri = settings.template is None and not settings.named and settings.form is Form.URI
        self.is_plain = is_uri and not settings.mask.changes_all
        self.key = str(settings.form) if settings.form.replaces_keys else "key"
        super().__init__(settings)

    def _made_lines(self) -> FieldLines | FormLines:
        settings = self.settings
        if self.is_plain or (settings.template is None and not settings.named and settings.form is Form.RAW):
            return FormLines(settings.form, self.mask)
        return super()._made_lines()

    def _notation(self) -> RowNotation:
        from urisieve.sinks import notations

        if self.settings.template is not None:
            return notations.template_notation(self.settings.template)
        named = self.settings.named
        return notations.text_notation(named) if named else notations.form_notation(self.settings.form)

    @property
    def filters(self) -> tuple[Filter, ...]:
        """See `RecordFormat.filters`."""
        if not self.settings.form.may_be_absent:
            return ()
        from urisieve.records.filtering import Filter

        if self.settings.form is Form.DOMAIN:
            from urisieve.rules.registry import check_domains

            check_domains()
        return (Filter(present=self.key),)

    def marked(self, line: bytes, is_new: bool) -> bytes:
        """See `RecordFormat.marked`."""
        return (b"new\t" if is_new else b"old\t") + line

    def write_counts(
        self, sink: CountSink, output: Output, least: int, sort: Sort, *, counts: bool, spellings: int
    ) -> None:
        """See `RecordFormat.write_counts`."""
        from urisieve.sinks.statistics.count_lines import kernel_lines

        lines = None if spellings or self.mask.makes_values else kernel_lines(sink, least, sort, counts=counts)
        if lines is None:
            super().write_counts(sink, output, least, sort, counts=counts, spellings=spellings)
            return
        for data in lines:
            output.write(data)

    def counted(self, rows: Iterable[KeyCount], *, counts: bool, spellings: int) -> Iterator[bytes]:
        """See `RecordFormat.counted`."""
        from urisieve.sinks.statistics.count_lines import counted_text

        return counted_text(rows, counts=counts, spellings=spellings)


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
        UsageError: there is no field of a name, or a template is not one or stands beside fields.
    """
    return of_kind(settings.kind)(settings)
