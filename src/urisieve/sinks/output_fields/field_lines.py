"""Chosen fields of records as lines: JSON lines, CSV, TSV, text by tabs or by a template."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from json.encoder import encode_basestring

from urisieve.lean.hints import TYPE_CHECKING, Any, Final
from urisieve.lean.patterns import lazy_compile
from urisieve.printable import printable
from urisieve.records.batch import Batch
from urisieve.sinks.line_writer import json_line
from urisieve.sinks.masked import PasswordMask
from urisieve.sinks.output_fields.field_table import PART_NAMES, RECORD_NAMES, checked_fields, columns_of, field_values

if TYPE_CHECKING:
    from urisieve.sinks.output_fields.templates import Template

__all__ = ["FieldColumns", "FieldLines", "json_fields", "table_fields", "template_lines", "text_fields"]

# Fields whose numbers are not known unless the text before a part of a file is.
_OFFSETS: Final = frozenset(("start", "end", "line", "column", "byte_start", "byte_end"))
# Fields with names of files and of things in them, which may hold anything.
_NAMES: Final = frozenset(("source", "message_id", "part", "field"))
# Characters that end a line somewhere, or a cell.
_BREAKS: Final = lazy_compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")

# Returns the lines of rows, each with its end, as one text, of a list of values for each field.
Written = Callable[[Sequence[Sequence[Any]]], str]


class FieldColumns:
    """Makes the values of fields of batches, without passwords.

    Args:
        names: the names of the fields.
        mask: masks passwords.
        defang: whether they are written in a form that is not a link.
    """

    def __init__(self, names: Sequence[str], mask: PasswordMask, *, defang: bool) -> None:
        self._names = names
        self._mask = mask
        self._defang = defang

    def columns(self, batch: Batch, indices: Sequence[int] | None = None) -> list[Sequence[Any]]:
        """Return the values of each field at some indices, or of all rows for None."""
        batch = self._mask.batch(batch)
        made = {name: _chosen(field_values(batch, name), indices) for name in dict.fromkeys(self._names)}
        if self._defang:
            from urisieve.sinks.output_fields.defanged_values import defanged_values

            uris = _chosen(batch.column("uri"), indices)
            made = {name: defanged_values(name, values, uris) for name, values in made.items()}
        return [made[name] for name in self._names]


def _chosen(values: Sequence[Any], indices: Sequence[int] | None) -> Sequence[Any]:
    return values if indices is None else [values[index] for index in indices]


class FieldLines:
    """A format of records with chosen fields; see `RecordFormat`.

    Args:
        names: the names of the fields, in their order.
        written: writes rows.
        mask: masks passwords.
        defang: see `FieldColumns`.
        header: the bytes before the first record.
    """

    def __init__(
        self, names: Sequence[str], written: Written, mask: PasswordMask, *, defang: bool, header: bytes = b""
    ) -> None:
        self._values = FieldColumns(names, mask, defang=defang)
        self._written = written
        self.columns = columns_of(names)
        self.offsets = not _OFFSETS.isdisjoint(names)
        self.header = header

    def encoded(self, batch: Batch, indices: Sequence[int] | None = None) -> bytes:
        """See `RecordFormat.encoded`."""
        count = len(batch) if indices is None else len(indices)
        return self._written(self._values.columns(batch, indices)).encode(*_UTF_8) if count else b""

    def each(self, batch: Batch, indices: Sequence[int] | None = None) -> list[bytes]:
        """See `RecordFormat.each`."""
        columns = self._values.columns(batch, indices)
        count = len(batch) if indices is None else len(indices)
        return [self._written([values[row : row + 1] for values in columns]).encode(*_UTF_8) for row in range(count)]


# A lone surrogate, which UTF-8 lacks, becomes an escape.
_UTF_8: Final = ("utf-8", "backslashreplace")


def json_fields(names: Sequence[str] | None) -> tuple[Sequence[str], Written]:
    """Return the names of the fields, all of the schema for None, and what writes rows as JSON lines."""
    names = RECORD_NAMES if names is None else checked_fields(names)
    line = f"{{{','.join(f'{encode_basestring(name)}:%s' for name in names)}}}\n"

    def written(columns: Sequence[Sequence[Any]]) -> str:
        cells = [[_json(value) for value in values] for values in columns]
        return "".join([line % row for row in zip(*cells, strict=True)])

    return names, written


def _json(value: Any) -> str:
    if value.__class__ is str and value.isascii() and "\x7f" not in value:
        return encode_basestring(value)
    return f"{value}" if value.__class__ is int else json_line(value)


def table_fields(names: Sequence[str] | None, *, tabs: bool) -> tuple[Sequence[str], Written, bytes]:
    """Return the names of the fields, what writes rows as CSV or by tabs, and the header."""
    names = RECORD_NAMES if names is None else checked_fields(names)
    written = _table(names, tabs=tabs)
    return names, written, written([(name,) for name in names]).encode("ascii")


def text_fields(names: Sequence[str]) -> tuple[Sequence[str], Written]:
    """Return the names of the fields, and what writes rows by tabs, as TSV; one empty value is an empty line."""
    names = checked_fields(names)
    written = _table(names, tabs=True)
    if len(names) > 1:
        return names, written

    def lines(columns: Sequence[Sequence[Any]]) -> str:
        return re.sub('(?m)^""$', "", written(columns))

    return names, lines


def _table(names: Sequence[str], *, tabs: bool) -> Written:
    import csv
    from io import StringIO

    buffer = StringIO(newline="")
    rows = csv.writer(buffer, dialect="excel-tab", lineterminator="\n") if tabs else csv.writer(buffer)

    def written(columns: Sequence[Sequence[Any]]) -> str:
        cells = [_cells(name, values, tabs=tabs) for name, values in zip(names, columns, strict=True)]
        rows.writerows(zip(*cells, strict=True))
        text = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return text

    return written


def _cells(name: str, values: Sequence[Any], *, tabs: bool) -> Sequence[Any]:
    """Return the values of a field as cells of a table."""
    if name in PART_NAMES:
        return [value if isinstance(value, str) else json_line(value) for value in values]  # the header is a text
    kinds = set(map(type, values))
    if not kinds.isdisjoint((list, tuple)):
        values = [" ".join(value) if isinstance(value, (list, tuple)) else value for value in values]
    elif dict in kinds:
        values = [json_line(value) if isinstance(value, dict) else value for value in values]
    elif kinds.isdisjoint((str,)):
        return values
    if name in _NAMES:
        values = [value and printable(value) for value in values]
    if tabs and name not in _PLAIN:
        values = [value.translate(_BLANKS) if isinstance(value, str) else value for value in values]
    return values


_BLANKS: Final = dict.fromkeys(map(ord, "\t\r\n"), " ")
# Fields that hold no white space (RFC 3986 2) at any level.
_PLAIN: Final = frozenset(("uri", "iri", "kind", "scheme", "host", "host_kind", "port", "path", "query", "domain"))


def template_lines(template: Template) -> tuple[Sequence[str], Written]:
    """Return the names of the fields of a template, and what writes rows by it: no value ends a line or a cell."""
    names, text = template.names, template.text

    def written(columns: Sequence[Sequence[Any]]) -> str:
        cells = [_words(name, values) for name, values in zip(names, columns, strict=True)]
        return "".join([text % row for row in zip(*cells, strict=True)])

    return names, written


def _words(name: str, values: Sequence[Any]) -> Sequence[Any]:
    if name in _PLAIN:
        return [value or "" for value in values]
    return [_word(name, value) for value in values]


def _word(name: str, value: Any) -> Any:
    if name in PART_NAMES:
        return json_line(value)
    if isinstance(value, (list, tuple)):
        value = " ".join(map(str, value))
    elif isinstance(value, dict):
        value = json_line(value)
    if not isinstance(value, str):
        return "" if value is None else value
    return _BREAKS.sub(" ", printable(value) if name in _NAMES else value)
