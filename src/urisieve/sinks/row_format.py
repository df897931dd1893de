"""The base of all formats of records: rows, marks, counts, and what a command may ask of a format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, ClassVar, Final, Protocol
from urisieve.records.batch import Batch
from urisieve.records.layouts import ended_lines
from urisieve.sinks.formats import Form, FormatSettings, FormLines, present_filters

if TYPE_CHECKING:
    from urisieve.dedupe.counts import KeyCount
    from urisieve.records.filtering import Filter
    from urisieve.runs.run_steps import Share
    from urisieve.sinks.byte_output import Output
    from urisieve.sinks.formats import Sort
    from urisieve.sinks.notations import FieldLines, RowNotation
    from urisieve.sinks.rejections import RejectionLines
    from urisieve.sinks.statistics.count_sink import CountFields, CountSink


# The columns without which rejections would have no location.
REJECTION_COLUMNS: Final = frozenset(("start", "end", "line", "column", "byte_start", "byte_end"))
# Rows as they are to be written: lines, or a batch; None if the keys are the whole rows.
Rows = list[bytes] | Batch | None


class RowOutput(Protocol):
    """The output of rows in a format."""

    def begin(self) -> None:
        """Write the header, once."""

    def put(self, made: Any) -> None:
        """Write what `RecordFormat.maker` has made."""

    def take(self, batch: Batch, indices: Sequence[int]) -> None:
        """Write the rows of a batch at some indices, as they leave."""

    def write(self, keys: Sequence[str], rows: Rows, indices: Sequence[int], new: set[int] | None = None) -> None:
        """Write the rows at some indices; `new` contains those to be marked as new, None for no marks."""

    def close(self) -> None:
        """Complete the output."""

    def discard(self) -> None:
        """Close an output that will not be used; after `close` it does nothing."""


class RecordFormat:
    """A format of records whose rows are lines; the base of all.

    Args:
        settings: how records are written.

    Attributes:
        is_text: whether it is for users: in colours, by templates, or one form of each identifier.
        is_file: whether it can be read only when it is complete, and not at a terminal.
        is_read: whether records can be read back from it.
        is_mixed: whether records and rejections may follow each other in it, as `urisieve check` writes them.
        delimiter: what is written between cells that a spreadsheet reads; "" if it has no cells.
        columns: the columns that it needs.
        offsets: whether it writes offsets.
        header: the bytes before the first record.
        is_plain: whether the lines are canonical forms, which are the keys of most identifiers.
        suits_threads: whether a worker makes it in so little time in Python that threads can do it.

    Raises:
        UsageError: there is no field of a name, or the settings do not go together.
    """

    is_text: ClassVar[bool] = False
    is_file: ClassVar[bool] = False
    is_read: ClassVar[bool] = True
    is_mixed: ClassVar[bool] = False
    delimiter: ClassVar[str] = ""
    is_plain = False
    suits_threads = False

    def __init__(self, settings: FormatSettings) -> None:
        self.settings = settings
        self.mask = settings.mask
        if settings.template is not None and (settings.named or not self.is_text):
            raise UsageError("a template is for text, and takes the place of fields")
        if settings.form is not Form.URI and (settings.named or settings.template is not None):
            raise UsageError("a form is for text of one form: fields and templates name theirs, as uri or iri")
        self._lines = self._made_lines()
        self.columns, self.offsets, self.header = self._lines.columns, self._lines.offsets, self._lines.header
        self.suits_threads = self.is_plain or not (self.is_text or self.settings.named or self.mask.changes_all)

    def _made_lines(self) -> FieldLines | FormLines:
        from urisieve.sinks.notations import FieldLines

        names = self.settings.named
        notation = self._notation(names or None)
        if names and tuple(notation.names) != names:
            raise TypeError(f"{type(self).__name__} has a notation of {', '.join(notation.names)}, not of {names}")
        return FieldLines(notation, self.mask)

    def _notation(self, names: tuple[str, ...] | None) -> RowNotation:
        """Return how rows are written.

        Args:
            names: the fields to write, and no others; None for those that the format chooses itself.
        """
        raise NotImplementedError

    @property
    def key(self) -> str:
        """The column whose values count once: the key, or the host, domain or template."""
        return str(self.settings.key)

    @property
    def filters(self) -> tuple[Filter, ...]:
        """The filters that leave out the identifiers without a line or a value of `key`, so that they are counted."""
        return present_filters(self.settings.form, self.settings.key)

    def encoded(self, batch: Batch, indices: Sequence[int] | None = None) -> bytes:
        """Return the bytes of the rows at some indices, or of all rows for None."""
        return self._lines.encoded(batch, indices)

    def each(self, batch: Batch, indices: Sequence[int] | None = None) -> list[bytes]:
        """Return the bytes of each of these rows on its own."""
        return self._lines.each(batch, indices)

    def rows(self, batch: Batch, indices: Sequence[int]) -> Rows:
        """Return the rows at some indices, to be written later."""
        return self.each(batch, indices)

    @cached_property
    def rejects(self) -> RejectionLines | None:
        """The writer of rejections; None if they are not wanted."""
        if self.settings.rejects is None:
            return None
        from urisieve.sinks.rejections import RejectionLines

        return RejectionLines(self.settings.rejects, self.mask, parts=self.settings.parts)

    def rejections(self, batch: Batch) -> bytes:
        """Return the lines of the rejections of a batch, if they are wanted."""
        return b"" if self.rejects is None or not batch.rejections else self.rejects.of(batch)

    @property
    def needed(self) -> frozenset[str]:
        """The columns that it needs with all that was asked for."""
        decides = frozenset() if self.settings.key is Form.KEY else {"uri"}
        return self.columns | decides | (REJECTION_COLUMNS if self.settings.rejects else frozenset())

    def maker(self) -> Share:
        """Return what makes rows of batches in a worker, for `RowOutput.put`."""
        return _LineMaker(self)

    def output(self, output: Output, *, marks: bool = False, is_fresh: bool = True) -> RowOutput:
        """Return a writer of rows.

        Args:
            output: the output of the rows.
            marks: whether each row has a mark that states whether it is new.
            is_fresh: whether the output is still empty, so that the header of a table is written.
        """
        header = self.header if is_fresh else b""
        return _LineOutput(self, output, self.with_cell(header, b"new") if header and marks else header)

    def with_cell(self, line: bytes, cell: bytes) -> bytes:
        """Return a line with one more cell."""
        text = line.rstrip(b"\r\n")
        return text + self.delimiter.encode() + cell + line[len(text) :]

    def marked(self, line: bytes, is_new: bool) -> bytes:
        """Return a line with a mark that states whether it is new."""
        return self.with_cell(line, b"true" if is_new else b"false")

    def write_counts(
        self, sink: CountSink, output: Output, least: int, sort: Sort, *, counts: bool, spellings: int
    ) -> None:
        """Write the keys that a sink has counted.

        Args:
            sink: has counted.
            output: where.
            least: the least count of a key.
            sort: the order.
            counts: whether text contains the counts, and not only the identifiers.
            spellings: the number of raw forms that are written with each identifier.

        Raises:
            OutputError: the output cannot be written.
        """
        from urisieve.sinks.statistics.count_sink import shown_counts

        rows = shown_counts(sink.rows(min_count=least, sort=sort), self.mask, sink.by)
        for data in self.counted(rows, sink.fields(spellings), counts=counts):
            output.write(data)

    def counted(self, rows: Iterable[KeyCount], fields: CountFields, *, counts: bool) -> Iterator[bytes]:
        """Yield counted keys as bytes, some at a time; the header of a table comes first."""
        from urisieve.sinks.statistics.count_sink import counted_table

        del counts
        return counted_table(rows, fields, tabs=self.delimiter == "\t")


class _LineMaker:
    def __init__(self, made: RecordFormat) -> None:
        self._format = made

    def take(self, batch: Batch) -> bytes:
        """See `Share.take`."""
        return self._format.encoded(batch) if len(batch) else b""

    def flush(self) -> None:
        """Return nothing: all was handed over."""

    def size(self, made: bytes) -> int:
        """See `Share.size`."""
        return len(made)


class _LineOutput:
    def __init__(self, made: RecordFormat, output: Output, header: bytes) -> None:
        self._format = made
        self._output = output
        self._header = header

    def begin(self) -> None:
        """See `RowOutput.begin`."""
        if self._header:
            self._output.write(self._header)
            self._header = b""

    def put(self, made: bytes) -> None:
        """See `RowOutput.put`."""
        self.begin()
        self._output.write(made)

    def take(self, batch: Batch, indices: Sequence[int]) -> None:
        """See `RowOutput.take`."""
        self.put(self._format.encoded(batch, None if len(indices) == len(batch) else indices))

    def write(self, keys: Sequence[str], rows: Rows, indices: Sequence[int], new: set[int] | None = None) -> None:
        """See `RowOutput.write`."""
        if not indices:
            return
        if rows is None and new is None:
            self.put(ended_lines(keys if len(indices) == len(keys) else [keys[index] for index in indices]))
            return
        lines: Any = [ended_lines((key,)) for key in keys] if rows is None else rows
        if new is None:
            self.put(b"".join([lines[index] for index in indices]))
        else:
            self.put(b"".join([self._format.marked(lines[index], index in new) for index in indices]))

    def close(self) -> None:
        """See `RowOutput.close`."""
        self.begin()

    def discard(self) -> None:
        """See `RowOutput.discard`."""
