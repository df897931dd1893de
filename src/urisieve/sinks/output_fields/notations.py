"""The notations of rows: JSON lines, CSV, TSV, text by tabs or by a template."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from json.encoder import encode_basestring

from urisieve.errors import UsageError
from urisieve.lean.hints import Any, Final
from urisieve.lean.patterns import lazy_compile
from urisieve.lean.values import NamedTuple
from urisieve.printable import printable
from urisieve.sinks.json_lines import json_line
from urisieve.sinks.output_fields.field_table import FIELDS, PART_NAMES, RECORD_NAMES, checked_fields, unknown_field

__all__ = ["RowNotation", "json_notation", "table_notation", "template_notation", "text_notation"]

# Fields with names of files and of things in them, which may hold anything.
_NAMES: Final = frozenset(("source", "message_id", "part", "field"))
# Fields that hold no white space (RFC 3986 2) at any level.
_PLAIN: Final = frozenset(("uri", "iri", "kind", "scheme", "host", "host_kind", "port", "path", "query", "domain"))
# Characters that end a line somewhere, or a cell.
_BREAKS: Final = lazy_compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_BLANKS: Final = dict.fromkeys(map(ord, "\t\r\n"), " ")
_TEMPLATE_PARTS: Final = lazy_compile(r"(?s)\{\{|\}\}|\{[^{}]*\}|[{}]|\\.?|[^{}\\]+")
_ESCAPES: Final = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}
_FIELD_NAME: Final = lazy_compile("[A-Za-z_]+")


class RowNotation(NamedTuple):
    """How the values of some fields are written as a line.

    Attributes:
        names: the names of the fields, in their order; one may come several times.
        around: the text before each field, and behind the last, with the end of the line.
        cell: returns the text of a value, by the name of its field; this defines the notation.
        quote: the text before and behind a value that is a text.
        null: the text of an absent value.
        plain: for each ASCII character 1 if it stands for itself in a text, 2 if it does in quotation marks, else 0.
            All characters beyond ASCII that are shown to people stand for themselves. Empty if what stands for a value
            does not follow from its characters alone, so that only `cell` can write it.
        header: the first line of a file.
    """

    names: Sequence[str]
    around: Sequence[str]
    cell: Callable[[str, Any], str]
    quote: str
    null: str
    plain: bytes
    header: str = ""

    def lines(self, columns: Sequence[Sequence[Any]]) -> list[str]:
        """Return the lines of rows, of the values of each field."""
        line = "%s".join(text.replace("%", "%%") for text in self.around)
        cell = self.cell
        cells = [[cell(name, value) for value in values] for name, values in zip(self.names, columns, strict=True)]
        return [line % row for row in zip(*cells, strict=True)]


def json_notation(names: Sequence[str] | None) -> RowNotation:
    """Return how fields, all of the schema for None, are written as JSON lines."""
    names = RECORD_NAMES if names is None else checked_fields(names)
    around = [f"{',' if index else '{'}{encode_basestring(name)}:" for index, name in enumerate(names)]
    return RowNotation(names, [*around, "}\n"], _json, '"', "null", _plain('"\\'))


def _json(_name: str, value: Any) -> str:
    if value.__class__ is str and value.isascii() and "\x7f" not in value:
        return encode_basestring(value)
    return f"{value}" if value.__class__ is int else json_line(value)


def table_notation(names: Sequence[str] | None, *, tabs: bool) -> RowNotation:
    """Return how fields, all of the schema for None, are written as CSV (RFC 4180) or by tabs, with their header."""
    names = RECORD_NAMES if names is None else checked_fields(names)
    made = text_notation(names) if tabs else _separated(names, ",", "\r\n", _comma_cell)
    header = f"{made.around[1] if len(names) > 1 else ''}".join(names) + made.around[-1]
    if len(names) > 1:
        return made._replace(header=header)

    def alone(name: str, value: Any) -> str:
        return made.cell(name, value) or '""'  # a line that is not empty

    return made._replace(header=header, cell=alone, plain=b"")


def text_notation(names: Sequence[str]) -> RowNotation:
    """Return how fields are written by tabs, as in TSV without a header; one empty value is an empty line."""
    return _separated(checked_fields(names), "\t", "\n", _tab_cell)


def _separated(names: Sequence[str], separator: str, end: str, cell: Callable[[str, Any], str]) -> RowNotation:
    around = ["", *[separator] * (len(names) - 1), end]
    return RowNotation(names, around, cell, "", "", _plain('"', "," if separator == "," else ""))


_TO_QUOTE: Final = lazy_compile('[",\r\n]')


def _comma_cell(name: str, value: Any) -> str:
    text = _cell(name, value)
    return text if _TO_QUOTE.search(text) is None else f'"{text.replace(_QUOTE, _QUOTE * 2)}"'


def _tab_cell(name: str, value: Any) -> str:
    text = _cell(name, value)
    if name not in _PLAIN:
        text = text.translate(_BLANKS)
    return text if _QUOTE not in text else f'"{text.replace(_QUOTE, _QUOTE * 2)}"'


_QUOTE: Final = '"'


def _cell(name: str, value: Any) -> str:
    """Return a value as the text of a cell."""
    if isinstance(value, str):
        return printable(value) if name in _NAMES else value
    if name in PART_NAMES or isinstance(value, dict):
        return json_line(value)
    if isinstance(value, (list, tuple)):
        return " ".join(value)
    return "" if value is None else f"{value}"


def template_notation(template: str) -> RowNotation:
    r"""Return how fields are written by a template: no value ends a line or a cell.

    A field is its name alone: nothing of Python's format strings works here, so that a template can neither reach
    attributes nor ask for a gigabyte of blanks.

    >>> template_notation(r"{{{host}}}\t{path}%").around
    ['{', '}\t', '%\n']

    Args:
        template: text in which `{name}` stands for a field, `{{` and `}}` for braces, and `\t`, `\n` and `\\` for a
            tab, the end of a line and a backslash.

    Raises:
        UsageError: there is no such field, or none is named; a brace is alone; a backslash stands before another
            character.
    """
    if not isinstance(template, str):
        raise UsageError(f"template={template!r} must be a text")
    around: list[str] = [""]
    names: list[str] = []
    for part in _TEMPLATE_PARTS.findall(template):
        if part in ("{{", "}}"):
            around[-1] += part[0]
        elif part[0] == "\\":
            if part not in _ESCAPES:
                raise UsageError(f"{part} is not an escape of a template; there are \\t, \\n and \\\\")
            around[-1] += _ESCAPES[part]
        elif part in ("{", "}"):
            raise UsageError(f"a {part} stands alone in the template; {part * 2} stands for it")
        elif part[0] == "{":
            names.append(_template_field(part[1:-1]))
            around.append("")
        else:
            around[-1] += part
    if not names:
        raise UsageError("the template names no field: a field is its name in braces, as in {uri}")
    checked_fields(dict.fromkeys(names))
    around[-1] += "\n"

    def word(name: str, value: Any) -> str:
        return _cell(name, value) if name in _PLAIN else _BREAKS.sub(" ", _cell(name, value))

    return RowNotation(names, around, word, "", "", _plain(""))


def _template_field(name: str) -> str:
    if name in FIELDS:
        return name
    if not _FIELD_NAME.fullmatch(name):
        raise UsageError(f"{{{name}}} is not the name of a field: a field takes no `.`, `!`, `:` or `[`")
    raise UsageError(unknown_field(name))


def _plain(special: str, enclosed: str = "") -> bytes:
    """Return for each ASCII character how it is written; see `RowNotation.plain`."""
    return bytes(
        2 if character in enclosed else int(" " <= character <= "~" and character not in special)
        for character in map(chr, range(128))
    )
