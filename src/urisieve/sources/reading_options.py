"""Options for reading files: one frozen value for everything that is not plain text.

Also defines:

- the format of the rows of data sets.
- the header of a table: whether it has one, and the columns that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from urisieve import shapes
from urisieve.errors import InputError, UsageError
from urisieve.finding_options import choice, shown
from urisieve.lean import TYPE_CHECKING, Final, dataclass, late
from urisieve.quick_enums import StrEnum
from urisieve.sources.kinds.kind_table import LAYERS, Kind, ReaderRow, function_of, kind_named, named_kind, plugin_rows

if TYPE_CHECKING:
    from urisieve.sources.containers.folders import PathFilter
    from urisieve.sources.containers.limits import Limits
else:
    PathFilter = late("urisieve.sources.containers.folders", "PathFilter")
    Limits = late("urisieve.sources.containers.limits", "Limits")


_CHECKED_BASE: Final = "urisieve.sources.html.html_links:checked_base"  # loaded for the first base


class InputKind(StrEnum):
    """The kind as which files are read, after decompression and in archives.

    >>> from urisieve import ReadingOptions
    >>> from urisieve.options import InputKind
    >>> ReadingOptions(input="json").input is InputKind.JSON
    True
    """

    AUTO = "auto"
    """The kind of each file is detected by its content: mail, HTML, JSON, JSON lines, a table, XML, a web archive, an
    export of the journal, an Outlook message, a calendar, cards, LDIF, records of MARC 21, a database of SQLite, a
    document of an office, a book, PDF, a property list of Apple's programs, else text. If the content is ambiguous, the
    end of its name decides."""
    TEXT = "text"
    MAIL = "mail"
    HTML = "html"
    JSON = "json"
    """JSON documents, read value by value."""
    JSONL = "jsonl"
    """A JSON value on each line."""
    CSV = "csv"
    """Tables with commas, or with semicolons if the first rows have them."""
    TSV = "tsv"
    XML = "xml"
    """XML documents: sitemaps, feeds, SVG and any other."""
    WARC = "warc"
    """Web archives (ISO 28500), also WET; the records of WAT are about other records, and are skipped."""
    JOURNAL = "journal"
    """The export format of the systemd journal."""
    DOCX = "docx"
    """Office Open XML, as the next two: also with macros, templates and shows."""
    XLSX = "xlsx"
    PPTX = "pptx"
    ODT = "odt"
    """OpenDocument, as the next two."""
    ODS = "ods"
    ODP = "odp"
    EPUB = "epub"
    RTF = "rtf"
    PDF = "pdf"
    """Needs `pip install 'urisieve[pdf]'`."""
    PLIST = "plist"
    """Property lists of Apple's programs, binary and XML, and web archives in them."""
    SQLITE = "sqlite"
    CALENDAR = "calendar"
    """iCalendar (RFC 5545), vCalendar."""
    VCARD = "vcard"
    """Cards (RFC 6350)."""
    LDIF = "ldif"
    """Entries or changes of a directory (RFC 2849)."""
    BIBTEX = "bibtex"
    """Bibliographies of BibTeX and BibLaTeX: text with the escapes of LaTeX."""
    MARC = "marc"
    """Records of libraries (ISO 2709): MARC 21, UNIMARC."""


class BinaryFiles(StrEnum):
    """How files are read that are not text: images, programs, and others that hold NUL bytes.

    >>> from urisieve import ReadingOptions
    >>> from urisieve.options import BinaryFiles
    >>> ReadingOptions(binary="skip").binary is ReadingOptions(binary=False).binary is BinaryFiles.SKIP
    True
    """

    AUTO = "auto"
    """A file that is named itself is read like text; those in folders, archives and mail are skipped and counted."""
    TEXT = "text"
    """All are read like text: identifiers in programs are found."""
    SKIP = "skip"


class MailParts(StrEnum):
    """How the forms of multipart/alternative are read (RFC 2046 5.1.4).

    >>> from urisieve import ReadingOptions
    >>> from urisieve.options import MailParts
    >>> ReadingOptions().mail_parts is MailParts.ONCE, ReadingOptions(mail_parts=True).mail_parts
    (True, <MailParts.ALL: 'all'>)
    """

    ONCE = "once"
    """All are read, but a link of one form is not found again in another; see `Repeats`."""
    ALL = "all"
    """All are read, independently of each other."""


class Carrier(StrEnum):
    """The notation in which plain text is escaped.

    >>> from urisieve import ReadingOptions
    >>> from urisieve.options import Carrier
    >>> ReadingOptions(unescape="percent-u").unescape == (Carrier.PERCENT_U,)
    True
    """

    HTML = "html"
    """Character references with a semicolon: `&amp;`, `&#38;`, `&#x26;`. Without one, `&copy=1` is part of a query."""
    PERCENT_U = "percent-u"
    """`%u0041`, as the old `escape` of ECMAScript wrote it (Annex B 2.1); surrogate pairs are joined."""
    BACKSLASH = "backslash"
    r"""Escapes of JSON (RFC 8259 7), C and similar: `\/`, `\"`, `\\`, `\n`, `\x2f`, `\057`, `\u002f`, `\u{2f}`."""
    LATEX = "latex"
    r"""LaTeX and BibTeX: `\_`, `\%`, `\&`, `\#`, `\$`, `\{`, `\}`, `\~{}`, names as `\textasciitilde{}`, and groups
    of one such escape, as `{\_}`. A blank after a name is not part of the text."""
    CEF = "cef"
    r"""Common Event Format: `\=`, `\|`, `\\`, `\n`, `\r`."""
    SYSLOG = "syslog"
    """Controls as rsyslog writes them, in octal: `#012` is a line feed, `#011` a tabulator."""


def takes(kind: str, option: str) -> bool:
    """Report whether an option of reading goes with a kind of input."""
    return kind == InputKind.AUTO or option in kind_named(kind).takes


# The kinds of input that are read line by line, so that they can be followed as they grow.
OF_LINES: Final = frozenset([kind for kind in Kind if "follow" in kind.takes])
# Those as which a text is read without a look at what it seems to be.
ASKED: Final = OF_LINES | {Kind.TEXT}


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadingOptions:
    """Options for reading files.

    Each field of an enum also takes the string of a member, and some take a boolean; all values are checked on
    construction. Compressed files and archives are opened whatever `input` is.

    >>> from urisieve import ReadingOptions, extract_files
    >>> reading = ReadingOptions(input="csv", field="url")
    >>> [record.uri for record in extract_files(["samples/data/links.csv"], reading=reading)][:2]
    ['http://example.com/a', 'http://example.com/a']

    Args:
        input: the kind as which files are read; also the name of one that a plug-in adds.
        field: read only this: of JSON and JSON lines the values at this path (`a.b[].c`) and below it, of the journal
            this field, of tables this column, or several, by name or by number from 1. Where the kind is detected, a
            file that is none of these is an error then.
        delimiter: the character between the cells of CSV and TSV; "" for a tab in TSV, and in CSV for what its first
            rows have.
        skip_lines: the number of lines above the header of tables, which are not read, but counted; None for what the
            first rows show: what is above it is read as text.
        unescape: the notations in which plain text is escaped, the outermost first; their escapes are resolved.
        mail_parts: how the forms of the same content in mail are read; True for `all`, False for `once`.
        binary: how files that are not text are read; True for `text`, False for `skip`.
        base: the URI from which the files were retrieved (RFC 3986 5.1.3): relative references of HTML and XML, also in
            mail, archives, strings and cells, are resolved against it where their document states no base of its own,
            and so is a base that is itself relative. It has a scheme; a fragment does not count.
        folders: selects the files of folders; None for all that are not hidden.
        limits: the limits on decompression; None for the defaults of `Limits`.
        context: whether records say when and from whom each text came: `Record.time`, `sender`, `to`, `subject`; it
            costs some time for each line and message in which something is found.
        time_field: the name of the field of JSON, or of the column, that holds the time of an entry or a row; None for
            the usual names, such as `@timestamp`, `time` and `date`.

    Raises:
        UsageError: a value is not one of the choices, or the kind of input does not use it.
    """

    input: InputKind | str = InputKind.AUTO
    field: Iterable[str] | str = ()
    delimiter: str = ""
    skip_lines: int | None = None
    unescape: Iterable[Carrier | str] | None = ()
    mail_parts: MailParts | str | bool = MailParts.ONCE
    binary: BinaryFiles | str | bool = BinaryFiles.AUTO
    base: str | None = None
    folders: PathFilter | None = None
    limits: Limits | None = None
    context: bool = False
    time_field: str | None = None

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("input", self.input if _is_of_plugin(self.input) else choice(InputKind, self.input, "input"))
        field = self.field
        fields = (field,) if isinstance(field, str) else tuple(shapes.names("field", field))
        put("field", fields)
        shapes.check(time_field=self.time_field, context=self.context)
        if self.folders is not None:
            shapes.methods(
                "folders", self.folders, ("takes", "leaves"), "a PathFilter, as PathFilter(include=['*.log'])"
            )
        if self.limits is not None and not hasattr(self.limits, "ratio"):
            raise shapes.wrong("limits", self.limits, "Limits, as in limits=Limits(ratio=100)")
        if checked_delimiter(self.delimiter) and not takes(self.input, "delimiter"):
            raise UsageError(f"a delimiter is of tables: it does not go with input={str(self.input)!r}")
        if shapes.whole_number_or_none("skip_lines", self.skip_lines, 0) is not None and not takes(
            self.input, "delimiter"
        ):
            raise UsageError(f"lines are skipped above tables: skip_lines does not go with input={str(self.input)!r}")
        listed = self.unescape
        listed = listed.split(",") if isinstance(listed, str) else shapes.several("unescape", listed or (), "notations")
        put("unescape", tuple(dict.fromkeys(choice(Carrier, one, "unescape") for one in listed)))
        forms = (MailParts.ONCE, MailParts.ALL)
        put("mail_parts", choice(MailParts, self.mail_parts, "mail_parts", forms))
        put("binary", choice(BinaryFiles, self.binary, "binary", (BinaryFiles.SKIP, BinaryFiles.TEXT)))
        if self.base is not None:
            put("base", function_of(_CHECKED_BASE)(self.base))
            if not takes(self.input, "base"):
                raise UsageError(f"base does not go with input={str(self.input)!r}, which has no relative references")
        if fields and not takes(self.input, "field"):
            raise UsageError(
                "a field is of tables, of JSON or of the journal: use it with input='csv', 'tsv', 'json', 'jsonl' or "
                "'journal'"
            )
        if len(fields) > 1 and not takes(self.input, "delimiter"):
            raise UsageError(f"field={list(fields)!r}: of input={str(self.input)!r} one field alone can be read")
        if self.unescape and self.input not in (InputKind.AUTO, InputKind.TEXT):
            raise UsageError(f"escapes are undone in plain text only, not with input={str(self.input)!r}")

    def __repr__(self) -> str:
        return shown(self, DEFAULT_READING)


def _is_of_plugin(kind: object) -> bool:
    """Report whether a kind of input is one that a plug-in adds."""
    return isinstance(kind, str) and not isinstance(kind, InputKind) and kind in plugin_rows()


def checked_delimiter(delimiter: str) -> str:
    """Return the character between cells, "" for none.

    Raises:
        UsageError: it is not one character, or one that cannot stand between cells.
    """
    if len(shapes.text("delimiter", delimiter)) > 1 or delimiter in ('"', "\r", "\n"):
        raise UsageError(
            f"delimiter={delimiter!r} must be one character other than a quotation mark or the end of a line"
        )
    return delimiter


def checked_reading(reading: ReadingOptions | None) -> ReadingOptions:
    """Return the options given, or those of `ReadingOptions()` for None.

    Raises:
        UsageError: the argument is not a `ReadingOptions`.
    """
    if reading is None:
        return DEFAULT_READING
    return shapes.instance("reading", reading, ReadingOptions, "ReadingOptions(input='csv')")


DEFAULT_READING: Final = ReadingOptions()


class DataSetKind(StrEnum):
    """The format of the rows of a data set.

    >>> from urisieve.options import DataSetKind
    >>> DataSetKind("csv") is DataSetKind.CSV
    True
    """

    AUTO = "auto"
    """One of the others, by the content of the first file that can be read."""
    JSONL = "jsonl"
    """One JSON value a line (RFC 8259)."""
    JSON = "json"
    """An array of JSON, whose elements are the rows."""
    CSV = "csv"
    """Cells between commas, or between semicolons or tabs if the first rows have them (RFC 4180); the first row names
    the columns."""
    TSV = "tsv"
    """The same with tabs."""
    PARQUET = "parquet"
    """Apache Parquet; needs `pip install 'urisieve[parquet]'`."""


class TableHeader(StrEnum):
    """Whether the first row of a table names the columns.

    >>> from urisieve.options import TableHeader
    >>> TableHeader("none") is TableHeader.NONE
    True
    """

    FIRST_ROW = "first-row"
    """The first row names the columns; it is read as well, since some tables have no header."""
    NONE = "none"
    """The columns have numbers only, from 1."""


def column_index(column: str, names: Sequence[str]) -> int | None:
    """Return the index of a column given by its name, or by its number from 1 if no column has that name.

    >>> column_index("url", ["id", "url"]), column_index("1", ["id", "url"]), column_index("3", ["id", "url"])
    (1, 0, None)

    Returns:
        the index; None if there is no such column.

    Raises:
        InputError: several columns have the name.
    """
    found = [index for index, name in enumerate(names) if name == column]
    if len(found) > 1:
        numbers = " and ".join(str(index + 1) for index in found)
        raise InputError(f"has several columns {column!r}: name one by its number, {numbers}")
    index = found[0] if found else column_number(column)
    return index if index is not None and index < len(names) else None


def column_number(text: str) -> int | None:
    """Return the index of a column given by its number from 1; None for any other text."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
    return number - 1 if number else None


def is_plain(kind: ReaderRow, reading: ReadingOptions, name: str) -> bool:
    """Report whether a file of a kind is plain text, to be read as it stands; one that is named as a table is not."""
    if kind in LAYERS or kind is Kind.PDF or reading.unescape:
        return False
    if reading.input is InputKind.AUTO:
        return kind is Kind.TEXT and not reading.field and named_kind(name) is not Kind.CSV
    return reading.input is InputKind.TEXT


def promised_text(name: str, reading: ReadingOptions) -> ReaderRow | None:
    """Return the kind that the name of a file of plain text promises, and that is given up; None for none."""
    return named_kind(name) if reading.input is InputKind.AUTO else None


def reads_binary(reading: ReadingOptions, *, named: bool) -> bool:
    """Report whether a file that is not text is read like text.

    Args:
        reading: the options of reading.
        named: whether the file was named itself, and not found in a folder or an archive.
    """
    return named if reading.binary is BinaryFiles.AUTO else reading.binary is BinaryFiles.TEXT
