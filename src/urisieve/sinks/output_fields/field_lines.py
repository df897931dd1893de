"""Chosen fields of records as lines: JSON lines, CSV, TSV, text by tabs or by a template."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from json.encoder import encode_basestring

from urisieve.lean.hints import TYPE_CHECKING, Any, Final
from urisieve.lean.patterns import lazy_compile
from urisieve.lean.values import NamedTuple
from urisieve.printable import printable
from urisieve.records.batch import Batch
from urisieve.sinks.line_writer import json_line
from urisieve.sinks.masked import PasswordMask
from urisieve.sinks.output_fields.field_table import PART_NAMES, RECORD_NAMES, checked_fields, columns_of, field_values
from urisieve.sinks.output_fields.kernel_cells import CellNotation, kernel_cells

if TYPE_CHECKING:
    from urisieve.sinks.output_fields.templates import Template

__all__ = ["FieldColumns", "FieldLines", "Fields", "json_fields", "table_fields", "template_lines", "text_fields"]

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
        fields: which fields, and how they are written.
        mask: masks passwords.
        defang: see `FieldColumns`.
    """

    def __init__(self, fields: Fields, mask: PasswordMask, *, defang: bool) -> None:
        names, self._written, notation, self.header = fields
        self._notation = None if defang else notation
        self._values = FieldColumns(names, mask, defang=defang)
        self.columns = columns_of(names)
        self.offsets = not _OFFSETS.isdisjoint(names)

    def encoded(self, batch: Batch, indices: Sequence[int] | None = None) -> bytes:
        """See `RecordFormat.encoded`."""
        if not (len(batch) if indices is None else indices):
            return b""
        if self._notation is not None and batch.harvest is not None:
            lines = kernel_cells(batch, indices, self._notation)
            if lines is not None:
                return lines
        return self._written(self._values.columns(batch, indices)).encode(*_UTF_8)

    def each(self, batch: Batch, indices: Sequence[int] | None = None) -> list[bytes]:
        """See `RecordFormat.each`."""
        columns = self._values.columns(batch, indices)
        count = len(batch) if indices is None else len(indices)
        return [self._written([values[row : row + 1] for values in columns]).encode(*_UTF_8) for row in range(count)]


# A lone surrogate, which UTF-8 lacks, becomes an escape.
_UTF_8: Final = ("utf-8", "backslashreplace")


class Fields(NamedTuple):
    """A notation of rows: the names of its fields, and how rows are written."""

    names: Sequence[str]
    written: Written
    notation: CellNotation | None
    header: bytes = b""


def json_fields(names: Sequence[str] | None) -> Fields:
    """Return how fields, all of the schema for None, are written as JSON lines."""
    names = RECORD_NAMES if names is None else checked_fields(names)
    heads = [f"{'{' if index == 0 else ','}{encode_basestring(name)}:" for index, name in enumerate(names)]
    line = f"{''.join(f'{head}%s' for head in heads)}}}\n"

    def written(columns: Sequence[Sequence[Any]]) -> str:
        cells = [[_json(value) for value in values] for values in columns]
        return "".join([line % row for row in zip(*cells, strict=True)])

    notation = CellNotation(names, [*heads, "}\n"], lambda _, value: _json(value), '"', "null", _plain('"\\'))
    return Fields(names, written, notation)


def _plain(special: str, enclosed: str = "") -> bytes:
    """Return for each ASCII character how it is written; see `CellNotation.plain`."""
    return bytes(
        2 if character in enclosed else int(" " <= character <= "~" and character not in special)
        for character in map(chr, range(128))
    )


def _json(value: Any) -> str:
    if value.__class__ is str and value.isascii() and "\x7f" not in value:
        return encode_basestring(value)
    return f"{value}" if value.__class__ is int else json_line(value)


def table_fields(names: Sequence[str] | None, *, tabs: bool) -> Fields:
    """Return how fields, all of the schema for None, are written as CSV or by tabs, with their header."""
    names = RECORD_NAMES if names is None else checked_fields(names)
    written = _table(names, tabs=tabs)
    header = written([(name,) for name in names]).encode("ascii")
    # A row of one value that is empty has quotation marks.
    notation = None if len(names) == 1 and names[0] not in _NEVER_EMPTY else _cell_notation(names, tabs=tabs)
    return Fields(names, written, notation, header)


def text_fields(names: Sequence[str]) -> Fields:
    """Return how fields are written by tabs, as in TSV without a header; one empty value is an empty line."""
    names = checked_fields(names)
    written = _table(names, tabs=True)

    def lines(columns: Sequence[Sequence[Any]]) -> str:
        return re.sub('(?m)^""$', "", written(columns))

    return Fields(names, written if len(names) > 1 else lines, _cell_notation(names, tabs=True))


def _cell_notation(names: Sequence[str], *, tabs: bool) -> CellNotation:
    comma, end = ("\t", "\n") if tabs else (",", "\r\n")

    def constant(name: str, value: Any) -> str:
        return _table((name, "uri"), tabs=tabs)([(value,), ("x",)]).removesuffix(f"{comma}x{end}")

    around = ["", *[comma] * (len(names) - 1), end]
    return CellNotation(names, around, constant, "", "", _plain('"') if tabs else _plain('"', ","))


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


# Fields that hold something in every record.
_NEVER_EMPTY: Final = frozenset(("raw", "uri", "key", "scheme", *_OFFSETS))
_BLANKS: Final = dict.fromkeys(map(ord, "\t\r\n"), " ")
# Fields that hold no white space (RFC 3986 2) at any level.
_PLAIN: Final = frozenset(("uri", "iri", "kind", "scheme", "host", "host_kind", "port", "path", "query", "domain"))


def template_lines(template: Template) -> Fields:
    """Return how the fields of a template are written by it: no value ends a line or a cell."""
    names, text, around = template.names, template.text, template.around

    def written(columns: Sequence[Sequence[Any]]) -> str:
        cells = [_words(name, values) for name, values in zip(names, columns, strict=True)]
        return "".join([text % row for row in zip(*cells, strict=True)])

    notation = CellNotation(names, around, lambda name, value: str(_word(name, value)), "", "", _plain(""))
    return Fields(names, written, notation)


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
