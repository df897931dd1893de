"""The words for formats and forms, the settings of a format, and lines of one form.

Also defines:

- rows as lines of JSON (RFC 8259), and rows that are safe to show to users.
- the orders in which counted keys are returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from urisieve.codes import Warn
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, lazy_compile
from urisieve.quick_enums import StrEnum
from urisieve.records.batch import Batch
from urisieve.records.layouts import ended_lines
from urisieve.records.mask import Mask
from urisieve.syntax.components import SPACES, WHITE_SPACE
from urisieve.wording import in_order, printable

if TYPE_CHECKING:
    from urisieve.records.filtering import Filter


class Format(StrEnum):
    """How records are written.

    >>> from urisieve.options import Format
    >>> [str(kind) for kind in Format]
    ['text', 'jsonl', 'csv', 'tsv', 'parquet']
    """

    TEXT = "text"
    """One identifier a line."""
    JSONL = "jsonl"
    """One record a line, as JSON (RFC 8259)."""
    CSV = "csv"
    """A table with a header (RFC 4180)."""
    TSV = "tsv"
    """The same with tabs; each record stays on one line."""
    PARQUET = "parquet"
    """An Apache Parquet file, with the extra `parquet`."""


# The format of a command that was asked for none.
DEFAULT_FORMAT: Final = Format.TEXT


class Form(StrEnum):
    """Which form of an identifier is written as text.

    >>> from urisieve.options import Form
    >>> [str(form) for form in Form]
    ['uri', 'iri', 'surt', 'raw', 'key', 'host', 'domain', 'template']
    """

    URI = "uri"
    IRI = "iri"
    SURT = "surt"
    """The canonical URI with the labels of its host reversed; see `Record.surt`."""
    RAW = "raw"
    KEY = "key"
    HOST = "host"
    """The host; identifiers without one are left out. Each host counts once where each key would."""
    DOMAIN = "domain"
    """The registrable domain, with the extra `domains`; likewise."""
    TEMPLATE = "template"
    """The template of the link (`template_of`); each counts once where each key would."""

    @property
    def replaces_keys(self) -> bool:
        """Whether each of its values counts once where each key would."""
        return self in (Form.HOST, Form.DOMAIN, Form.TEMPLATE)

    @property
    def may_be_absent(self) -> bool:
        """Whether there are identifiers without it, which are left out."""
        return self in (Form.HOST, Form.DOMAIN)


# What `--by` takes: the forms whose values can count once each.
DECIDING: Final = (Form.KEY, *(form for form in Form if form.replaces_keys))


def present_filters(*forms: Form) -> tuple[Filter, ...]:
    """Return the filters that leave out the identifiers without one of some forms.

    Raises:
        UsageError: domains are asked for, and the extra `domains` is not installed.
    """
    absent = tuple(dict.fromkeys(str(form) for form in forms if form.may_be_absent))
    if not absent:
        return ()
    from urisieve.records.filtering import Filter

    if Form.DOMAIN in absent:
        from urisieve.rules.registry import check_domains

        check_domains()
    return (Filter(present=absent),)


class FormatSettings(NamedTuple):
    """The settings of a format; they can be pickled.

    >>> from urisieve.options import Format
    >>> from urisieve.sinks import FormatSettings
    >>> FormatSettings(Format.CSV).form
    <Form.URI: 'uri'>

    Attributes:
        format: the format; any but Parquet.
        form: the form of an identifier that is written as text.
        secret: the secret by which passwords are masked; None to show them.
        rejects: how rejections are written, as JSON lines, CSV or TSV; None to write none.
        again: whether the records were read from a file, where passwords may have been masked before.
        fields: the fields that are written, in their order; all of the schema if none are named. As text they are
            written with tabs between them.
        template: the template of a line of text, see `docs/output.md`; not with `fields`.
        defang: whether identifiers are written in a form that is not a link; see `defang`.
        parts: whether `parts` and `notices` are written after the fields, see `Record.as_dict`; not as text without
            `fields`.
        redact: the parts of identifiers that are written as `***`, and in keys as digests by the secret, which they
            need; see `redact`.
        by: what is written once where not all is: each key (the default; with one of these as `form` each of its
            values), or the first record of each `host`, `domain` or `template`.
    """

    format: Format
    form: Form = Form.URI
    secret: bytes | None = None
    rejects: Format | None = None
    again: bool = False
    fields: tuple[str, ...] = ()
    template: str | None = None
    defang: bool = False
    parts: bool = False
    redact: tuple[str, ...] = ()
    by: Form = Form.KEY

    @property
    def key(self) -> Form:
        """The column whose values count once."""
        return self.form if self.form.replaces_keys and self.by is Form.KEY else self.by

    @property
    def mask(self) -> Mask:
        """How values leave."""
        return Mask(self.secret, again=self.again, redact=self.redact, defang=self.defang)

    @property
    def named(self) -> tuple[str, ...]:
        """The fields that are written, in their order, with those of `parts`; none for all of the schema and no more.

        >>> FormatSettings(Format.CSV, fields=("uri",), parts=True).named
        ('uri', 'parts', 'notices')
        """
        if not self.parts:
            return tuple(in_order(self.fields))
        from urisieve.records.field_table import PART_NAMES, RECORD_NAMES

        fields = in_order(self.fields) or RECORD_NAMES
        return (*fields, *(name for name in PART_NAMES if name not in fields))


class FormLines:
    """Writes each identifier a line, as its canonical form or its raw text; see `RecordFormat`.

    Args:
        form: the form; `URI` only if the mask changes but the few with passwords.
        mask: how values leave.
    """

    offsets = False
    header = b""

    def __init__(self, form: Form, mask: Mask) -> None:
        self._form = form
        self._mask = mask
        self.columns = frozenset(("uri", str(form), "warnings"))

    def lines(self, batch: Batch, indices: Sequence[int] | None = None) -> Sequence[str]:
        """Return the line of each row, without its end."""
        batch = self._mask.batch(batch)
        lines: Sequence[str] = batch.column(self._form)
        if self._form is Form.RAW:
            lines = _one_line(batch, lines)
        if indices is not None:
            lines = [lines[index] for index in indices]
        if not self._mask.makes_values:
            return lines
        uris = batch.column("uri")
        return self._mask.values(self._form, lines, uris if indices is None else [uris[index] for index in indices])

    def encoded(self, batch: Batch, indices: Sequence[int] | None = None) -> bytes:
        """See `RecordFormat.encoded`."""
        if self._form is Form.URI and indices is None:
            return self._mask.batch(batch).layout.lines()
        return self._encoded(self.lines(batch, indices))

    def each(self, batch: Batch, indices: Sequence[int] | None = None) -> list[bytes]:
        """See `RecordFormat.each`."""
        return [self._encoded((line,)) for line in self.lines(batch, indices)]

    def _encoded(self, lines: Sequence[str]) -> bytes:
        """Return lines with their ends, as bytes."""
        if self._form is Form.URI or not lines:
            return ended_lines(lines)
        return "\n".join((*lines, "")).encode("utf-8", "backslashreplace")


def _one_line(batch: Batch, raws: Sequence[str]) -> Sequence[str]:
    """Return the raw texts without the white space that was removed to read the identifiers."""
    warned = batch.warned()
    if not warned:
        return raws
    codes = batch.column("warnings")
    lines = list(raws)
    for index in warned:
        if Warn.WHITESPACE_REMOVED not in codes[index]:
            continue
        from urisieve.find.line_prefixes import without_prefixes

        lines[index] = without_prefixes(lines[index])
        if Warn.REPAIRED in codes[index]:  # blanks within a line were kept, and encoded
            lines[index] = _LINE_BREAK.sub("", lines[index])
        else:
            lines[index] = lines[index].translate(_NOTHING)
    return lines


_NOTHING: Final = dict.fromkeys(map(ord, SPACES))
_LINE_BREAK: Final = lazy_compile(f"[{WHITE_SPACE}]*[\n\r\x85\u2028\u2029][{WHITE_SPACE}]*")


# The characters that JSON need not escape (RFC 8259 7), and that `printable` replaces all the same.
_DRIVING: Final = lazy_compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# Fields that contain names of files and of things in them.
_NAMES: Final = ("source", "message_id", "part", "field")


@cache
def _encoder() -> Callable[[object], str]:
    from json.encoder import JSONEncoder  # most runs write no such line

    return JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def json_line(row: object) -> str:
    """Return a row as JSON, without the end of the line."""
    line = _encoder()(row)
    if (line.isascii() and "\x7f" not in line) or _DRIVING.search(line) is None:
        return line
    return _DRIVING.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def shown_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row that is safe to show to users: no name in it can control a terminal or end a line."""
    return {
        name: printable(value) if isinstance(value, str) and name.endswith(_NAMES) else value
        for name, value in row.items()
    }


class Sort(StrEnum):
    """The order in which `CountSink.rows` returns counted keys.

    >>> from urisieve import Batch, extract_batches
    >>> from urisieve.options import Sort
    >>> from urisieve.sinks import CountSink
    >>> sink = CountSink()
    >>> sink.take(Batch.joined(extract_batches(["http://b.example/ http://a.example/ http://a.example/"])))
    >>> sink.close()
    >>> [row.uri for row in sink.rows(sort=Sort.COUNT)]
    ['http://a.example/', 'http://b.example/']
    """

    FIRST = "first"
    """In the order of their first occurrence."""
    COUNT = "count"
    """The most frequent first; equally frequent ones in the order of their first occurrence."""
    URI = "uri"
    """In the order of the code points of their URIs."""
