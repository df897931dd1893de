"""The notations of rows: JSON lines, CSV, TSV, text by tabs or by a template.

Also defines:

- records as lines of their fields, in one of the notations.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import partial
from json.encoder import encode_basestring

from urisieve.errors import UsageError
from urisieve.kernel import of_kernel
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, lazy_compile
from urisieve.records.base import CONTEXT_NAMES, PLACE_NAMES, SCHEMA_VERSION
from urisieve.records.batch import Batch
from urisieve.records.derived_columns import of_each_host
from urisieve.records.field_table import (
    FIELDS,
    PART_NAMES,
    RECORD_NAMES,
    checked_fields,
    columns_of,
    field_values,
    unknown_field,
)
from urisieve.records.harvested import KERNEL_WARNINGS
from urisieve.records.layouts import COLUMNS, SharedValues
from urisieve.records.mask import Mask
from urisieve.sinks.formats import json_line
from urisieve.syntax.components import Components, HostKind
from urisieve.wording import printable

if TYPE_CHECKING:
    from urisieve.records.layouts import Harvest


# Fields with names of files and of things in them, which may contain anything.
_NAMES: Final = frozenset(("source", "message_id", "part", "field", *CONTEXT_NAMES))
_PLACES: Final = frozenset((*PLACE_NAMES, *CONTEXT_NAMES))
# Fields that contain no white space (RFC 3986 2) at any level.
_PLAIN: Final = frozenset(
    ("uri", "iri", "kind", "scheme", "host", "host_kind", "port", "path", "query", "domain", "surt", "template")
)
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
        around: the text before each field, and after the last, with the end of the line.
        cell: returns the text of a value, by the name of its field; this defines the notation.
        quote: the text before and after a value that is a text.
        null: the text of an absent value.
        plain: for each ASCII character 1 if it is written as itself in a text, 2 if it does in quotation marks, else 0.
            All characters beyond ASCII that users are shown are written as themselves. Empty if what is written for a
            value does not follow from its characters alone, so that only `cell` can write it.
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
    return named_table(RECORD_NAMES if names is None else checked_fields(names), tabs=tabs)


def named_table(names: Sequence[str], *, tabs: bool) -> RowNotation:
    """Return how columns of any names are written, as `table_notation` does."""
    made = _separated(names, "\t", "\n", _tab_cell) if tabs else _separated(names, ",", "\r\n", _comma_cell)
    header = f"{made.around[1] if len(names) > 1 else ''}".join(names) + made.around[-1]
    if len(names) > 1:
        return made._replace(header=header)

    def alone(name: str, value: Any) -> str:
        return made.cell(name, value) or '""'  # a line that is not empty

    return made._replace(header=header, cell=alone, plain=b"")


def text_notation(names: Sequence[str]) -> RowNotation:
    """Return how fields are written by tabs, as in TSV without a header; one empty value is an empty line."""
    return _separated(checked_fields(names), "\t", "\n", _tab_cell)


def form_notation(form: str) -> RowNotation:
    """Return how one form of each identifier is written, whose values are written as they are."""
    return RowNotation((form,), ("", "\n"), _cell, "", "", _plain(""))


def cells_notation(names: Sequence[str], delimiter: str, around: Sequence[str]) -> RowNotation:
    """Return how fields are written as cells of a table with any delimiter (RFC 4180 2); see `RowNotation.around`."""

    def cell(name: str, value: Any) -> str:
        return quoted_cell(_cell(name, value), delimiter)

    return RowNotation(names, around, cell, "", "", _plain('"', delimiter))


def quoted_cell(text: str, delimiter: str) -> str:
    """Return a text without line feeds as a cell (RFC 4180 2)."""
    return f'"{text.replace(_QUOTE, _QUOTE * 2)}"' if _QUOTE in text or delimiter in text else text


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
        template: text in which `{name}` means a field, `{{` and `}}` for braces, and `\t`, `\n` and `\\` for a
            tab, the end of a line and a backslash.

    Raises:
        UsageError: there is no such field, or none is named; a brace is alone; a backslash comes before another
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


def replacing_template(template: str) -> RowNotation:
    """Return the same where the values may contain what ends a line, as raw text may."""
    return template_notation(template)._replace(cell=_cell)


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


# Fields whose numbers are not known unless the text before a part of a file is.
_OFFSETS: Final = frozenset(("start", "end", "line", "column", "byte_start", "byte_end"))
# The fields that the kernel writes of what it has found, if the batch has the column; and those that it derives.
_FOUND: Final = frozenset(("raw", "uri", "key", *_OFFSETS, "wrapper", "warnings", "alternatives"))
DERIVED: Final = ("iri", "kind", *Components._fields, "host_kind", "nid", "nss", "surt")
# The whole cells that the kernel takes: kinds of identifiers and of hosts, and that of a row without alternatives;
# tools/generate_kernel_tables.py gives it these names, and those of the derived fields.
WORDS: Final = ("uri", "iri", "urn", *map(str, HostKind), "alternatives")
# The number of rows for which it pays to ask the kernel.
_FEW: Final = 8
# The number of hosts whose domains are remembered: a crawl names more, most come in runs.
_MOST_HOSTS: Final = 65_536
_UTF_8: Final = ("utf-8", "backslashreplace")  # a lone surrogate, which UTF-8 lacks, becomes an escape


class FieldLines:
    """A format of records, a line each; see `RecordFormat`.

    Args:
        notation: which fields, and how they are written.
        mask: how values leave.
    """

    def __init__(self, notation: RowNotation, mask: Mask) -> None:
        names = notation.names
        self._notation = notation
        self._mask = mask
        self._kernel = KernelCells(notation, mask) if notation.plain else None
        self.header = notation.header.encode("ascii")
        self.columns = columns_of(names)
        self.offsets = not _OFFSETS.isdisjoint(names)

    def encoded(self, batch: Batch, indices: Sequence[int] | None = None) -> bytes:
        """See `RecordFormat.encoded`."""
        by_kernel = None if self._kernel is None else self._kernel.given(batch, indices)
        if by_kernel is None:
            return b"".join(self._each(batch, indices))
        harvest, given = by_kernel
        return harvest.written(*given, partial(self._each, batch))

    def each(self, batch: Batch, indices: Sequence[int] | None = None) -> list[bytes]:
        """See `RecordFormat.each`."""
        by_kernel = None if self._kernel is None else self._kernel.given(batch, indices)
        if by_kernel is None:
            return self._each(batch, indices)
        harvest, given = by_kernel
        return harvest.each(*given, partial(self._each, batch))

    def _each(self, batch: Batch, indices: Sequence[int] | None) -> list[bytes]:
        """Return the rows without the kernel: they define it."""
        batch = self._mask.batch(batch if indices is None else batch.select(indices))
        notation = _varying(self._notation, batch.resolved(), self._mask)
        uris = batch.column("uri") if self._mask.makes_values else ()
        values = {
            name: self._mask.values(name, field_values(batch, name), uris) for name in dict.fromkeys(notation.names)
        }
        lines = notation.lines([values[name] for name in notation.names]) if values else [*notation.around] * len(batch)
        return [line.encode(*_UTF_8) for line in lines]


# The arguments of `Harvest.written` but for the last.
_Texts: TypeAlias = tuple[bytes, ...]
_Hiding: TypeAlias = tuple[int, int, bool, bytes | None, bytes | None]
_Given: TypeAlias = tuple[
    tuple[str | bytes | tuple[list[bytes], bytes], ...],
    _Texts,
    tuple[bytes, bytes],
    bytes,
    _Texts,
    _Texts,
    _Texts,
    bool,
    list[int] | None,
    _Hiding | None,
]


class KernelCells:
    """Says how the kernel writes the rows that it has found.

    Args:
        notation: which fields, and how they are written.
        mask: how values leave.
    """

    def __init__(self, notation: RowNotation, mask: Mask) -> None:
        self._notation = notation
        self._mask = mask
        cells = {str(kind): self._cell("host_kind", kind) for kind in HostKind}
        cells |= {kind: self._cell("kind", kind) for kind in ("uri", "iri", "urn")}
        cells["alternatives"] = self._cell("alternatives", ())
        self._words = tuple([cells[word] for word in of_kernel("WORDS", WORDS)])
        self._warnings: tuple[bytes, ...] | None = None
        self._marks = (notation.quote.encode(), notation.null.encode())
        self._domains: dict[str | None, bytes] = {}

    def given(self, batch: Batch, indices: Sequence[int] | None) -> tuple[Harvest, _Given] | None:
        """Return a harvest and what its `written` and `each` take to write some rows; None if Python has to."""
        harvest = batch.layout.harvest
        if harvest is None or (len(batch) if indices is None else len(indices)) < _FEW:
            return None
        if self._mask.changes_names(batch):
            return None
        varying = _varying(self._notation, batch.resolved(), self._mask)
        columns: list[str | bytes | tuple[list[bytes], bytes]] = []
        for name in varying.names:
            if _is_found(batch, name):
                columns.append(name)
            elif name == "domain" and "uri" in batch.layout.by_kernel:
                hosts, numbers = harvest.hosts()
                columns.append((self._domain_cells(hosts), numbers))
            elif self._mask.hides_parts:  # it may follow from a part that is hidden
                return None
            else:
                columns.append(self._cells(batch, name))
        if self._warnings is None:
            self._warnings = tuple(self._cell("warnings", codes) for codes in KERNEL_WARNINGS)
        given = (
            tuple(columns),
            tuple(text.encode(*_UTF_8) for text in varying.around),
            self._marks,
            self._notation.plain,
            self._words,
            tuple(self._cell("wrapper", wrapper) for wrapper in harvest.wrappers()),
            self._warnings,
            batch.has_own_components,
            None if indices is None else list(indices),
            self._mask.of_kernel(harvest),
        )
        return harvest, given

    def _cell(self, name: str, value: Any) -> bytes:
        return self._notation.cell(name, value).encode(*_UTF_8)

    def _domain_cells(self, hosts: Sequence[str | None]) -> list[bytes]:
        """Return the domains of some hosts; those that came before are remembered."""
        known = self._domains
        if len(known) > _MOST_HOSTS:
            known.clear()
        new = [host for host in hosts if host not in known]
        domains = self._mask.values("domain", of_each_host("domain", new), ())
        known.update(zip(new, [self._cell("domain", one) for one in domains], strict=True))
        return list(map(known.__getitem__, hosts))

    def _cells(self, batch: Batch, name: str) -> bytes | tuple[list[bytes], bytes]:
        """Return values that the kernel does not know: numbers, or cells, and the index of that of each row."""
        known = field_values(batch, name)
        if isinstance(known, array):
            return known.tobytes()
        shared = SharedValues.of(known)
        values = self._mask.values(name, shared.values, ())
        return [self._cell(name, value) for value in values], shared.packed()


def _is_found(batch: Batch, name: str) -> bool:
    """Report whether the kernel knows the values of a field."""
    if name in DERIVED:
        return "uri" in batch.layout.by_kernel and (name != "kind" or "raw" in batch.layout.by_kernel)
    if name == "alternatives" and batch.layout.has_readings:
        return False
    return name in _FOUND and name in batch.layout.by_kernel


def _varying(notation: RowNotation, batch: Batch, mask: Mask) -> RowNotation:
    """Return the notation of the fields in which rows of a batch may differ: the others become part of its texts."""
    names: list[str] = []
    around = [notation.around[0]]
    for name, text in zip(notation.names, notation.around[1:], strict=True):
        if _is_constant(batch, name):
            around[-1] += notation.cell(name, mask.values(name, (_constant(batch, name),), ())[0]) + text
        else:
            names.append(name)
            around.append(text)
    return notation._replace(names=names, around=around)


def _is_constant(batch: Batch, name: str) -> bool:
    if name in _PLACES:
        values = field_values(batch, name)
        if not isinstance(values, array):
            values = SharedValues.of(values).values
        return not len(batch) or values.count(values[0]) == len(values)
    return name == "schema" or (name in COLUMNS and batch.is_constant(name))


def _constant(batch: Batch, name: str) -> Any:
    if name in _PLACES:
        return next(iter(field_values(batch, name)), None)
    return SCHEMA_VERSION if name == "schema" else batch.constant(name)
