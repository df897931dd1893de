"""The kinds of files: a row of the table is a kind.

`sniffing` decides by these rows, `readers` reads by them, and `cutters` cuts by them. Plug-ins add rows by the
entry point `urisieve.readers`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache

from urisieve.errors import UsageError
from urisieve.lean import Any, Final, NamedTuple, Self, imported, lazy_compile
from urisieve.quick_enums import ReprEnum

# Enough for the longest of the signs below (a tar header is 512 bytes; browsers examine 1,445 for HTML), and for a NUL
# to show in a file that is not text.
HEAD_SIZE: Final = 4_096
# What is examined of a file that this leaves without what its name promises: programs add 20 KiB of warnings at most.
# Fields of mail are examined further, up to `mail_signs.LONGEST_HEADER`.
LONGEST_HEAD: Final = 65_536
TAR_BLOCK: Final = 512
# The leader of a record (ISO 2709 4.3; MARC 21 with two indicators and codes of two bytes, in any status).
_LEADER: Final = rb"[0-9]{5}[ -~]{4}[ a]22[0-9 ]{5}[ -~]{3}45[0 ]{2}"
MARC_LEADER: Final = lazy_compile(_LEADER)
_ASCII: Final = bytes(range(128))


class ReaderRow(str):
    r"""A kind of files: how it is known, and the function that reads it. It is equal to its name.

    A plug-in names its rows in the entry point `urisieve.readers`. A row with `starts` has the files that begin so, any
    other row those whose name or media type says so; both only if they are of no kind that urisieve itself reads.

    >>> from urisieve.types import ReaderRow
    >>> def read(source, out):
    ...     for number, start, line in source.lines():
    ...         yield out.add(line, at=start, row=number)
    >>> row = ReaderRow("gemtext", read, endings=["gmi"], media_types=["text/gemini"])
    >>> row == "gemtext", row.endings
    (True, ('gmi',))

    Args:
        name: its name, in counts and for `ReadingOptions.input`: lower-case letters and digits, and hyphens between.
        read: the function that reads it: a generator of what `Segments` returns; or its `module:name`.
        starts: the bytes that its files begin with, in each of the ways.
        sign: a regular expression that the first 4,096 bytes match, too; of urisieve's own also a function of them.
        endings: the endings of names, in lower case, without a dot.
        media_types: its media types, in lower case (RFC 9110 8.3).
        plurals: the plurals of what its reader counts: `entries` for each `entry`.
        opens: whether texts that are HTML or JSON themselves are read as that.
        form: `text` or `binary`; of urisieve's own also `package`, `archive`, `compressed`.
        takes: which options go with it: `base`, or none; of urisieve's own also `field`, `delimiter`, `follow` and
            `unescape`.
    """

    read: str | Callable[..., Any]
    starts: tuple[bytes, ...]
    sign: bytes | Callable[[bytes], bool] | None
    endings: tuple[str, ...]
    media_types: tuple[str, ...]
    plurals: tuple[str, ...]
    opens: bool
    form: str
    takes: tuple[str, ...]
    # What `KindRow` may say otherwise.
    said: str
    is_attached: bool = True
    is_doubtful: bool = False
    text_sign: str = ""
    cut: str = ""
    goes_on: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    of_bytes: bool = False

    def __new__(
        cls,
        name: str,
        read: str | Callable[..., Any] = "",
        *,
        starts: Iterable[bytes] = (),
        sign: bytes | Callable[[bytes], bool] | None = None,
        endings: Iterable[str] = (),
        media_types: Iterable[str] = (),
        plurals: Iterable[str] = (),
        opens: bool = False,
        form: str = "text",
        takes: Iterable[str] = (),
    ) -> Self:
        """Make a row; see the class.

        Raises:
            UsageError: what may be several is one string.
        """
        several = {"starts": starts, "endings": endings, "media_types": media_types, "plurals": plurals, "takes": takes}
        row = super().__new__(cls, name)
        for which, value in several.items():
            if isinstance(value, (str, bytes)):
                raise UsageError(f"`{which}` of a reader is a list, not {value!r}")
            setattr(row, which, tuple(value))
        row.read, row.sign, row.form, row.opens, row.said = read, sign, form, opens, name
        return row

    def begins(self, head: bytes) -> bool:
        """Report whether the first bytes of a file show that it is of the kind; no, if no first bytes can."""
        if self.starts and not head.startswith(self.starts):
            return False
        if self.sign is None:
            return bool(self.starts)
        return bool(re.match(self.sign, head, re.DOTALL) if isinstance(self.sign, bytes) else self.sign(head))


class KindRow(ReaderRow):
    """A row of urisieve itself, with what no plug-in says.

    Args:
        name: its name, as of any row.
        read: its function, as of any row.
        is_attached: whether it is read where it is attached to mail.
        is_doubtful: whether its lines alone show it, so that a media type may say otherwise.
        said: its name in counts, if another one.
        text_sign: of texts, the function that knows them, as `module:name`.
        cut: where it may be cut for several workers: at `lines`, `rows`, `messages` or `records`.
        goes_on: what its reader counts as broken though it reads all of it that can be had.
        attached: the endings of texts that are attached to mail and read as that.
        of_bytes: of texts, whether it is read as bytes, and never in UTF-16.
        settings: those of any row.
    """

    def __new__(
        cls,
        name: str,
        read: str = "",
        *,
        is_attached: bool = True,
        is_doubtful: bool = False,
        said: str = "",
        text_sign: str = "",
        cut: str = "",
        goes_on: Iterable[str] = (),
        attached: Iterable[str] = (),
        of_bytes: bool = False,
        **settings: Any,
    ) -> Self:
        """Make a row; see the class."""
        row = super().__new__(cls, name, read, **settings)
        row.is_attached, row.is_doubtful, row.of_bytes = is_attached, is_doubtful, of_bytes
        row.said, row.text_sign, row.cut = said or name, text_sign, cut
        row.goes_on, row.attached = tuple(goes_on), tuple(attached)
        return row


def function_of(named: str | Callable[..., Any]) -> Callable[..., Any]:
    """Return a function by its `module:name`, or as it is."""
    if not isinstance(named, str):
        return named
    module, _, name = named.partition(":")
    found: Callable[..., Any] = getattr(imported(module), name)
    return found


# ---------------------------------------------------------------- the table


def is_tar_header(block: bytes) -> bool:
    """Report whether a block of 512 bytes is the header of a tar member: its checksum is right (POSIX.1 pax, ustar)."""
    block = block[:TAR_BLOCK]
    if len(block) < TAR_BLOCK or block[0] == 0:
        return False
    field = block[148:156].strip(b" \0")
    if not field.isdigit() or b"8" in field or b"9" in field:
        return False
    from zlib import adler32

    rest = block[:148] + b" " * 8 + block[156:]
    # The sum of 256 bytes is too small to overflow in their Adler-32, which begins at 1 (RFC 1950 8.2).
    unsigned = (adler32(rest[:256]) & 0xFFFF) + (adler32(rest[256:]) & 0xFFFF) - 2
    stated = int(field, 8)
    # Some old programs added the bytes as signed ones.
    return stated == unsigned or stated == unsigned - 256 * len(rest.translate(None, _ASCII))


# A sequence with one of the two types of content (RFC 5652 5.1, RFC 3274 1.1), and as many bytes as show it.
_SMIME: Final = lazy_compile(
    rb"0(?:[\x0e-\x80]|\x81.|\x82..|\x83...|\x84....)"
    rb"\x06(?:\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02|\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x09)",
    re.DOTALL,
)
SMIME_SIZE: Final = 32


def is_smime(head: bytes) -> bool:
    """Report whether a file begins as signed or compressed data, its base64, or its armor (RFC 7468 8 and 9)."""
    if head.startswith(b"M"):  # as base64 of any sequence does
        from binascii import a2b_base64

        with suppress(ValueError):
            head = a2b_base64(head[:SMIME_SIZE])
    return head.startswith((b"-----BEGIN PKCS7-----", b"-----BEGIN CMS-----")) or _SMIME.match(head) is not None


# The modules of readers.
_HERE: Final = "urisieve.sources.readers"
_HTML: Final = "urisieve.sources.html.html_documents"
_MAIL: Final = "urisieve.sources.mail"
_XML: Final = "urisieve.sources.xml.xml_documents"
_OFFICE: Final = "urisieve.sources.office"
_ROWS: Final = "urisieve.sources.structured"
# The modules of the signs of texts.
_TEXT: Final = "urisieve.sources.kinds.text_signs"
_CELLS: Final = "urisieve.sources.kinds.table_signs"


def _package(name: str, read: str) -> KindRow:
    """Return the row of a document in a zip archive, whose members show its kind (`zip`)."""
    return KindRow(name, f"{_OFFICE}.{read}", form="package", takes=["base"])


class Kind(ReaderRow, ReprEnum):
    """The kind of a file. Signs are tried in the order of the rows, those of texts last."""

    # fmt: off
    # ---- Compressed files and archives, whose contents are read.
    GZIP = KindRow("gzip", form="compressed", starts=[b"\x1f\x8b\x08"], endings=["gz", "z"])  # RFC 1952 2.3.1
    BZIP2 = KindRow("bzip2", form="compressed", starts=[b"BZh"], sign=rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)",
        endings=["bz2"])
    XZ = KindRow("xz", form="compressed", starts=[b"\xfd7zXZ\x00"], endings=["xz"])
    ZSTD = KindRow("zstd", form="compressed", endings=["zst", "zstd"],  # RFC 8878 3.1.1, 3.1.2
        starts=[b"\x28\xb5\x2f\xfd", *(b"%c\x2a\x4d\x18" % first for first in range(0x50, 0x60))])
    OFFICE = KindRow("office", f"{_OFFICE}.ooxml:read", form="package", starts=[b"PK\x03\x04"],
        sign=rb".{30}(?:\[Content_Types\]\.xml|_rels/|docProps/|word/|xl/|ppt/|mimetype|META-INF/container\.xml)",
        plurals=["chapters", "pages", "shared strings", "sheets", "slides"])
    """A zip archive that seems to be one document: its first member is one of these by rule or habit; then Office Open
    XML that is none of those below. A compound file is of this kind if it is an encrypted document."""
    ZIP = KindRow("zip", form="archive", starts=[b"PK"], plurals=["zip members"],
        sign=rb"PK(?:\x03\x04|\x05\x06|\x07\x08PK\x03\x04|00PK\x03\x04)")
    TAR = KindRow("tar", form="archive", sign=is_tar_header, plurals=["tar members"])

    # ---- What is neither read nor text.
    UNSUPPORTED = KindRow("unsupported", form="binary", is_attached=False, starts=[
        b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x04\x22\x4d\x18", b"mozLz40\x00", b"LZIP\x01",
        b"MSCF\x00\x00\x00\x00", b"\x1f\x9d", b"\x1f\xa0"])
    """7z, rar, lz4, lzip, cab, compress, and compound files that are no messages."""
    BINARY = KindRow("binary", f"{_HERE}:read_text", form="binary", takes=["unescape"], is_attached=False, starts=[
        b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"OggS", b"fLaC", b"wOFF", b"wOF2", b"RIFF",
        b"PAR1", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa", b"\xcf\xfa\xed\xfe", b"Obj\x01", b"ARROW1\0", b"ORC",
        b"\0asm", b"\x93NUMPY", b"\x89HDF\r\n\x1a\n", b"glTF", b"!<arch>\n", b"# Sphinx inventory version 2\n",
        b"GOBJ\nMETADATA\r\n"])
    """Images, sound, fonts, Parquet, programs and libraries, lists for them, and what has NULs, as text does not
    have."""

    # ---- Documents, books, databases, and what else has a sign.
    DOCX = _package("docx", "ooxml:read")
    XLSX = _package("xlsx", "ooxml:read")
    PPTX = _package("pptx", "ooxml:read")
    ODT = _package("odt", "opendocument_and_epub:read")
    ODS = _package("ods", "opendocument_and_epub:read")
    ODP = _package("odp", "opendocument_and_epub:read")
    ODF = _package("odf", "opendocument_and_epub:read")  # drawings, formulas, databases
    EPUB = _package("epub", "opendocument_and_epub:read_book")
    PDF = KindRow("pdf", f"{_OFFICE}.pdf:read", form="binary", starts=[b"%PDF-"], takes=["base"],
        sign=rb"%PDF-[0-9]")
    RTF = KindRow("rtf", f"{_OFFICE}.rtf:read", form="binary", starts=[b"{\\rtf"], sign=rb"\{\\rtf[0-9\\ {]",
        takes=["base"])
    OLE = KindRow("ole", f"{_MAIL}.outlook:read", form="binary",
        starts=[b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"], said="outlook", takes=["unescape"],
        plurals=["outlook attachments", "outlook messages", "outlook parts"])
    """A compound file, which may be a message of Outlook."""
    SQLITE = KindRow("sqlite", "urisieve.sources.sqlite_databases:read", form="binary",
        starts=[b"SQLite format 3\x00"], opens=True, takes=["base"], plurals=["blobs"])
    PLIST = KindRow("plist", "urisieve.sources.property_lists:read", opens=True, form="binary", starts=[b"bplist0"],
        sign=rb"bplist0[0-9]", takes=["base"], plurals=["property lists"])
    """A property list of Apple's programs, binary, or XML that is a web archive."""
    SMIME = KindRow("smime", f"{_MAIL}.signed_data:read", form="binary", sign=is_smime)
    """Signed and compressed data of S/MIME, as it is, in base64 or in armor."""
    JOURNAL = KindRow("journal", f"{_ROWS}.journal:read", opens=True, starts=[b"__"], takes=["base", "field"],
        sign=rb"__CURSOR=s=|__REALTIME_TIMESTAMP=[0-9]+\n", plurals=["journal entries", "journal fields"],
        is_attached=False, goes_on=["journal field"])
    MARC = KindRow("marc", f"{_ROWS}.marc_records:read", form="binary", sign=_LEADER, opens=True, takes=["base"],
        plurals=["marc records"], goes_on=["marc record"])  # ISO 2709

    # ---- Texts.
    HTML = KindRow("html", f"{_HTML}:read", text_sign=f"{_TEXT}:markup_sign", takes=["base"],
        endings=["html", "htm", "xhtml"], is_attached=False, goes_on=["html"],
        media_types=["text/html", "application/xhtml+xml", "text/xhtml", "text/watch-html", "text/x-amp-html"])
    XML = KindRow("xml", f"{_XML}:read", opens=True, text_sign=f"{_TEXT}:markup_sign", takes=["base"],
        endings=["xml", "rss", "atom", "svg", "rdf", "owl", "opml", "kml", "gpx", "xsd", "xsl", "xslt", "wsdl", "xlf"],
        media_types=["application/xml", "text/xml"], goes_on=["xml"], attached=["atom", "rss", "xml"])
    JSON = KindRow("json", f"{_ROWS}.json_documents:read", text_sign=f"{_TEXT}:json_sign",
        opens=True, endings=["json", "geojson", "jsonld", "ipynb", "har", "webmanifest"], takes=["base", "field"],
        media_types=["application/json", "text/json"], plurals=["values"], goes_on=["json"], attached=["json"])
    JSONL = KindRow("jsonl", f"{_ROWS}.json_documents:read_lines", text_sign=f"{_TEXT}:json_sign",
        opens=True, endings=["jsonl", "ndjson", "ldjson"], takes=["base", "field", "follow"], cut="lines",
        media_types=["application/x-ndjson", "application/jsonl", "application/json-seq"],
        attached=["jsonl", "ndjson"])
    WARC = KindRow("warc", f"{_HERE}:read_warc", text_sign=f"{_TEXT}:warc_sign", takes=["base"],
        endings=["warc"], media_types=["application/warc"], cut="records",
        plurals=["warc records", "records"], attached=["warc"], of_bytes=True)  # ISO 28500
    CALENDAR = KindRow("calendar", f"{_ROWS}.content_lines:read", opens=True, takes=["base"],  # RFC 5545, vCalendar
        text_sign=f"{_TEXT}:content_line_sign", endings=["ics", "ical", "ifb", "vcs"], plurals=["properties"],
        media_types=["text/calendar", "text/x-vcalendar"])
    VCARD = KindRow("vcard", f"{_ROWS}.content_lines:read", opens=True, takes=["base"],  # RFC 6350
        text_sign=f"{_TEXT}:content_line_sign", endings=["vcf", "vcard"],
        media_types=["text/vcard", "text/x-vcard", "text/directory"])
    LDIF = KindRow("ldif", f"{_ROWS}.content_lines:read", opens=True, takes=["base"],  # RFC 2849
        text_sign=f"{_TEXT}:content_line_sign", endings=["ldif", "ldi"])
    BIBTEX = KindRow("bibtex", f"{_HERE}:read_latex", text_sign=f"{_TEXT}:bibtex_sign", takes=["unescape"],
        endings=["bib", "bibtex"], media_types=["application/x-bibtex", "text/x-bibtex"], attached=["bib"])
    MBOX = KindRow("mbox", f"{_MAIL}.mail_contents:read", text_sign=f"{_TEXT}:mail_sign", is_doubtful=True,
        takes=["unescape"], said="mail", endings=["mbox", "mbx"], media_types=["application/mbox"], cut="messages",
        plurals=["attachments", "headers", "messages", "parts"], goes_on=["header", "message", "part"],
        attached=["mbox"], of_bytes=True)
    MAIL = KindRow("mail", f"{_MAIL}.mail_contents:read", text_sign=f"{_TEXT}:mail_sign", is_doubtful=True,
        endings=["eml", "mht", "mhtml"], media_types=["message/rfc822"], takes=["base", "unescape"],
        attached=["eml", "mht", "mhtml"], of_bytes=True)
    """One message (RFC 5322)."""
    CSV = KindRow("csv", f"{_ROWS}.tables:read", text_sign=f"{_CELLS}:table_sign",
        is_doubtful=True, endings=["csv"], media_types=["text/csv"], opens=True,
        takes=["base", "field", "delimiter", "follow"], cut="rows", plurals=["cells", "rows"],
        goes_on=["row"], attached=["csv"])
    TSV = KindRow("tsv", f"{_ROWS}.tables:read", text_sign=f"{_CELLS}:table_sign",
        is_doubtful=True, endings=["tsv", "tab"], media_types=["text/tab-separated-values"], opens=True,
        takes=["base", "field", "delimiter", "follow"], cut="rows", attached=["tsv"])
    TEXT = KindRow("text", f"{_HERE}:read_text", is_doubtful=True, is_attached=False, takes=["unescape"], plurals=[
        "bytes", "documents", "files", "folders", "followed files", "lines", "references", "texts"],
        goes_on=["byte", "line", "text"])
    # fmt: on

    def __new__(cls, row: ReaderRow) -> Kind:
        """Make a member that has what the row has."""
        member = str.__new__(cls, row)
        vars(member).update(vars(row))
        return member

    def __reduce_ex__(self, _protocol: object) -> tuple[object, ...]:
        return Kind, (str(self),)


COMPRESSED: Final = frozenset([kind for kind in Kind if kind.form == "compressed"])
# Opened first: what is in them has its own kind.
LAYERS: Final = COMPRESSED | {Kind.ZIP, Kind.TAR, Kind.OFFICE, Kind.UNSUPPORTED}


class Layout(NamedTuple):
    """The layout of a table.

    Attributes:
        delimiter: the character between cells.
        above: the number of lines above the header, which are no rows; 0 if these are blank.
        before: the number of columns without a name before those that the header names.
        after: the number of such columns after them.
        is_of_returns: whether its lines end with carriage returns alone, as spreadsheets of old Macs write them.
    """

    delimiter: str
    above: int = 0
    before: int = 0
    after: int = 0
    is_of_returns: bool = False

    def with_feeds(self, blocks: Iterable[bytes]) -> Iterable[bytes]:
        """Return the bytes of the table with line feeds for returns, one for the other, if its lines end with these."""
        return (block.replace(b"\r", b"\n") for block in blocks) if self.is_of_returns else blocks

    def names(self, header: Sequence[str]) -> tuple[str, ...]:
        """Return the name of each column; "" for one that the header does not name."""
        return ("",) * self.before + tuple(header) + ("",) * self.after


# ---------------------------------------------------------------- plug-ins

_NAME: Final = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
_LONGEST_NAME: Final = 64
# The words of `input` and of counts that are no kinds.
_TAKEN: Final = ("auto", "keys", "parquet", "records", "outlook", "file")


@cache
def plugin_rows() -> tuple[ReaderRow, ...]:
    """Return the rows of plug-ins; one that cannot be used is reported and left out."""
    from urisieve.rules.plugins import added

    return tuple([row for row, _ in added("urisieve.readers", ReaderRow, str, _fault)])


def _fault(row: ReaderRow) -> str | None:
    """Return what is wrong with the row of a plug-in."""
    if not re.fullmatch(_NAME, row) or len(row) > _LONGEST_NAME:
        return f"{str(row)!r} is not a name of lower-case letters and digits, with hyphens between"
    if row in tuple(Kind) or row in _TAKEN:
        return f"{str(row)!r} is a kind of urisieve itself"
    if not callable(row.read) and ":" not in str(row.read):
        return "its `read` is not a function"
    if not all(isinstance(start, bytes) and start for start in row.starts):
        return "its `starts` are not bytes"
    if not all(isinstance(one, str) for one in (*row.endings, *row.media_types, *row.plurals, *row.takes)):
        return "its `endings`, `media_types`, `plurals` and `takes` are not strings"
    if not all(re.fullmatch("[a-z0-9]+", ending) for ending in row.endings):
        return "its `endings` are not of lower-case letters and digits, without a dot"
    if not set(row.takes) <= {"base"}:
        return "its `takes` has more than `base`"
    if row.form not in ("text", "binary"):
        return "its `form` is neither text nor binary"
    try:
        is_pattern = row.sign is None or (isinstance(row.sign, bytes) and re.compile(row.sign) is not None)
    except re.error:
        is_pattern = False
    return None if is_pattern else "its `sign` is not a regular expression of bytes"


def plugin_kind(head: bytes, name: str, *, is_open: bool) -> ReaderRow | bool:
    """Return the row of a plug-in for a file that begins so, or else has such a name; False for none.

    Args:
        head: its first bytes.
        name: its name.
        is_open: whether more bytes may follow that count; then True is returned if they may decide.
    """
    ending = name.rpartition(".")[2].lower()
    for row in plugin_rows():
        if row.begins(head) if row.starts or row.sign else ending in row.endings:
            return row
        if is_open and any(start.startswith(head[: len(start)]) for start in row.starts):
            return True
    return False


# ---------------------------------------------------------------- names


def kind_named(name: str) -> ReaderRow:
    """Return the kind of a name, which is one of urisieve or of a plug-in."""
    rows: tuple[ReaderRow, ...] = (*Kind, *plugin_rows())
    return next(row for row in rows if row == name)


@cache
def _endings() -> dict[str, ReaderRow]:
    return {ending: kind for kind in (*plugin_rows(), *Kind) for ending in kind.endings}


@cache
def _media_types() -> dict[str, ReaderRow]:
    return {media_type: kind for kind in (*plugin_rows(), *Kind) for media_type in kind.media_types}


_LONGEST_ENDING: Final = 12


def named_kind(name: str) -> ReaderRow | None:
    """Return the kind that the ending of a name promises, None if it promises none.

    Endings are a habit; see also RFC 4180 3, RFC 8259 11, RFC 7303 9.
    """
    for _ in range(2):  # that of what is compressed is before that of the compression
        name, dot, ending = name.rpartition(".")
        found = _endings().get(ending[:_LONGEST_ENDING].lower()) if dot else None
        if found not in COMPRESSED:
            return found
    return None


def typed_kind(media_type: str) -> ReaderRow | None:
    """Return the kind that a media type in lower case promises, by its suffix if need be (RFC 6839), else None."""
    found = _media_types().get(media_type)
    suffix = media_type.rpartition("+")[2] if "+" in media_type else ""
    return found or _media_types().get(f"application/{suffix}")


def promised_kind(name: str, media_type: str = "") -> ReaderRow | None:
    """Return the kind that a name promises, or else a media type; None for neither."""
    return named_kind(name) or (typed_kind(media_type) if media_type else None)


def is_given_up(promised: ReaderRow | None, kind: ReaderRow) -> bool:
    """Report whether a file is of another kind than its name or type promises: none that the same sign knows."""
    return (
        promised is not None and promised is not kind and not (kind.text_sign and kind.text_sign == promised.text_sign)
    )


def said_kind(promised: ReaderRow | None, kind: ReaderRow) -> str:
    """Return the name under which a file is counted; it says which promise is given up.

    >>> said_kind(named_kind("a.csv"), Kind.TEXT), said_kind(named_kind("a.csv"), Kind.TSV)
    ('text (not csv)', 'tsv')
    """
    return f"{kind.said} (not {promised!s})" if is_given_up(promised, kind) else kind.said
