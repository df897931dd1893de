"""How records and rejections are written: a format is a function from records to bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol

from urisieve.cli.arguments import Form, Format
from urisieve.cli.rows import JSON, LineWriter, Notation, model_row, placed_row, shown_row
from urisieve.codes import Warn
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.syntax.components import SPACES, WHITE_SPACE

__all__ = ["Mask", "RecordFormat", "record_format", "rejection_lines"]

# Gives a record as it may be written: with its password masked, or as it is.
Mask = Callable[[Record], Record]


class RecordFormat(Protocol):
    """A format of records.

    Attributes:
        places: whether it writes byte offsets.
        header: what comes before the first record.
    """

    places: bool
    header: bytes

    def __call__(self, records: Sequence[Record], offsets: OffsetMap | None) -> bytes:
        """The bytes of records that came from one source, whose way back to bytes is `offsets`."""


def record_format(kind: Format, form: Form, mask: Mask) -> RecordFormat:
    """The format asked for; `form` counts for text only."""
    if kind is Format.TEXT:
        return _Text(form, mask)
    if kind is Format.JSONL:
        return _JsonLines(mask)
    return _Table(kind, mask)


class _Text:
    """One identifier a line. Nothing of a record is built that is not printed."""

    places = False
    header = b""

    def __init__(self, form: Form, mask: Mask) -> None:
        self._form = form
        self._mask = mask

    def __call__(self, records: Sequence[Record], offsets: OffsetMap | None) -> bytes:
        mask = self._mask
        # A password has a warning; so has white space that was removed. Most records have none.
        if self._form is Form.URI:
            lines = [mask(record).uri if record.warnings else record.uri for record in records]
        elif self._form is Form.IRI:
            lines = [mask(record).iri for record in records]
        else:
            lines = [_one_line(mask(record)) if record.warnings else record.raw for record in records]
        lines.append("")
        return "\n".join(lines).encode("utf-8", "backslashreplace")


def _one_line(record: Record) -> str:
    """The raw text without the white space that was removed to get the identifier."""
    if Warn.WHITESPACE_REMOVED not in record.warnings:
        return record.raw
    if Warn.REPAIRED in record.warnings:  # blanks within a line were kept, and encoded
        return _LINE_BREAK.sub("", record.raw)
    return record.raw.translate(_NOTHING)


_NOTHING: Final = dict.fromkeys(map(ord, SPACES))
_LINE_BREAK: Final = re.compile(f"[{WHITE_SPACE}]*[\n\r\x85\u2028\u2029][{WHITE_SPACE}]*")


class _JsonLines:
    """One record a line, whole."""

    places = True
    header = b""

    def __init__(self, mask: Mask) -> None:
        self._lines = LineWriter(JSON, mask)

    def __call__(self, records: Sequence[Record], offsets: OffsetMap | None) -> bytes:
        return self._lines.encoded(records, offsets)


class _Table:
    """CSV (RFC 4180), or the same with tabs, where each record stays on one line."""

    places = True

    def __init__(self, kind: Format, mask: Mask) -> None:
        import csv
        from io import StringIO

        self._buffer = StringIO(newline="")
        self._one_line = kind is Format.TSV
        if self._one_line:
            self._writer = csv.writer(self._buffer, dialect="excel-tab", lineterminator="\n")
        else:
            self._writer = csv.writer(self._buffer)
        special = self._writer.dialect.delimiter
        quoted = re.compile(f'["\r\n{special}]')
        notation = Notation(
            line=self._line,
            cell=lambda text: text if quoted.search(text) is None else None,
            quote="",
            null="",
            special=special,
        )
        self._lines = LineWriter(notation, mask)
        self.header = self._written(list(model_row())).encode("ascii")

    def __call__(self, records: Sequence[Record], offsets: OffsetMap | None) -> bytes:
        return self._lines.encoded(records, offsets)

    def _line(self, row: dict[str, Any]) -> str:
        values = [" ".join(value) if value.__class__ is list else value for value in shown_row(row).values()]
        if self._one_line:
            values = [value.translate(_BLANKS) if isinstance(value, str) else value for value in values]
        return self._written(values)

    def _written(self, values: Sequence[object]) -> str:
        self._writer.writerow(values)
        text = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return text


_BLANKS: Final = dict.fromkeys(map(ord, "\t\r\n"), " ")


def rejection_lines(rejections: Iterable[Rejection], offsets: OffsetMap | None) -> bytes:
    """Rejections as JSON lines."""
    lines = [JSON.line(placed_row(rejection, offsets)) for rejection in rejections]
    return "".join(lines).encode("utf-8", "backslashreplace")
