"""The kinds of files: the signs at the beginning of files that are not text, and the endings of names.

`sniffing` decides by them.

It holds besides:

- the files that are read as plain text, by their kind and by the options.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from urisieve.lean import Final, lazy_compile
from urisieve.sources.reading_options import BinaryFiles, InputKind, ReadingOptions, places_of

# Enough for the longest of the signs below (a tar header is 512 bytes; browsers examine 1,445 for HTML), and for a NUL
# to show in a file that is not text.
HEAD_SIZE: Final = 4_096


class Kind(StrEnum):
    """The kind of a file by its first bytes."""

    GZIP = "gzip"
    BZIP2 = "bzip2"
    XZ = "xz"
    ZSTD = "zstd"
    ZIP = "zip"
    TAR = "tar"
    MBOX = "mbox"
    MAIL = "mail"
    """One message (RFC 5322)."""
    HTML = "html"
    JSON = "json"
    """A JSON document, or several one after the other."""
    JSONL = "jsonl"
    """A JSON value on each line."""
    CSV = "csv"
    """A table with commas or semicolons."""
    TSV = "tsv"
    """A table with tabulators."""
    XML = "xml"
    WARC = "warc"
    """An archive of the web (ISO 28500); WET and WAT, too."""
    JOURNAL = "journal"
    """The export format of the systemd journal."""
    SQLITE = "sqlite"
    """A database of SQLite."""
    PLIST = "plist"
    """A property list of Apple's programs, binary, or XML that is a web archive."""
    MARC = "marc"
    """Records of libraries (ISO 2709): MARC 21, UNIMARC."""
    CALENDAR = "calendar"
    """iCalendar (RFC 5545), vCalendar."""
    VCARD = "vcard"
    """Cards (RFC 6350)."""
    LDIF = "ldif"
    """Entries or changes of a directory (RFC 2849)."""
    PDF = "pdf"
    OFFICE = "office"
    """A zip archive that seems to be one document; then Office Open XML that is none of those below."""
    DOCX = "docx"
    """Office Open XML (ECMA-376), with the next two; with macros, templates and shows, too."""
    XLSX = "xlsx"
    PPTX = "pptx"
    ODT = "odt"
    """OpenDocument, with the next two; with templates, too."""
    ODS = "ods"
    ODP = "odp"
    ODF = "odf"
    """Drawings, formulas, databases of OpenDocument."""
    EPUB = "epub"
    RTF = "rtf"
    """Rich Text Format."""
    OLE = "ole"
    """A compound file: an Outlook message or something else."""
    DOC = "doc"
    """A document of Word in a compound file."""
    XLS = "xls"
    PPT = "ppt"
    UNSUPPORTED = "unsupported"
    """Compressed or archived in a way that is not read: 7z, rar, lz4, compress, lzip, cab."""
    BINARY = "binary"
    """An image, a program: a file with NULs, as text does not have, or with the sign of such a file."""
    TEXT = "text"


COMPRESSED: Final = frozenset([Kind.GZIP, Kind.BZIP2, Kind.XZ, Kind.ZSTD])
ARCHIVES: Final = frozenset([Kind.ZIP, Kind.TAR])
CONTENT_LINES: Final = frozenset([Kind.CALENDAR, Kind.VCARD, Kind.LDIF])
PACKAGES: Final = frozenset(
    [Kind.OFFICE, Kind.DOCX, Kind.XLSX, Kind.PPTX, Kind.ODT, Kind.ODS, Kind.ODP, Kind.ODF, Kind.EPUB]
)
OLD_DOCUMENTS: Final = frozenset([Kind.DOC, Kind.XLS, Kind.PPT])
OFFICE: Final = PACKAGES | OLD_DOCUMENTS | {Kind.PDF, Kind.RTF}

TAR_BLOCK: Final = 512
# The beginning of files with one of these signs.
STARTS: Final = (
    *(b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK", b"%PDF-", b"{\\rtf", b"\xd0\xcf\x11\xe0"),
    *(
        b"7z\xbc\xaf",
        b"Rar!",
        b"\x04\x22\x4d\x18",
        b"\x1f\x9d",
        b"\x1f\xa0",
        b"LZIP",
        b"MSCF",
        b"__",
        b"SQLite format 3\0",
        b"bplist0",
        b"mozLz40\0",
    ),
)
_ASCII: Final = bytes(range(128))
# The leader of a record (ISO 2709 4.3; MARC 21 with two indicators and codes of two bytes, in any status).
MARC_LEADER: Final = lazy_compile(rb"[0-9]{5}[ -~]{4}[ a]22[0-9 ]{5}[ -~]{3}45[0 ]{2}")
SKIPPABLE: Final = b"\x2a\x4d\x18"  # the second to fourth byte of a frame of zstd without data


@cache
def _signs() -> tuple[tuple[re.Pattern[bytes], Kind], ...]:
    return (
        (re.compile(rb"\x1f\x8b\x08"), Kind.GZIP),  # RFC 1952 2.3.1: deflate is the only method
        (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), Kind.BZIP2),
        (re.compile(rb"\xfd7zXZ\x00"), Kind.XZ),
        (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", re.DOTALL), Kind.ZSTD),  # RFC 8878 3.1.1, 3.1.2
        # The first member of a document is one of these by rule or habit.
        (
            re.compile(
                rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels/|docProps/|word/|xl/|ppt/|mimetype"
                rb"|META-INF/container\.xml)",
                re.DOTALL,
            ),
            Kind.OFFICE,
        ),
        (re.compile(rb"PK(?:\x03\x04|\x05\x06|\x07\x08PK\x03\x04|00PK\x03\x04)"), Kind.ZIP),
        (re.compile(rb"%PDF-"), Kind.PDF),
        (re.compile(rb"\{\\rtf[0-9\\ {]"), Kind.RTF),
        (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), Kind.OLE),
        (
            re.compile(
                rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|\x04\x22\x4d\x18|mozLz40\x00|\x1f[\x9d\xa0]|LZIP\x01"
                rb"|MSCF\x00\x00\x00\x00"
            ),
            Kind.UNSUPPORTED,
        ),
        (re.compile(rb"SQLite format 3\x00"), Kind.SQLITE),
        (re.compile(rb"bplist0[0-9]"), Kind.PLIST),
        (re.compile(rb"__CURSOR=s=|__REALTIME_TIMESTAMP=[0-9]+\n"), Kind.JOURNAL),
    )


def signed_kind(head: bytes) -> Kind | None:
    """Return the kind of a file that is not text and begins with a sign; None without a sign, or if it is cut."""
    if head.startswith(STARTS) or head[1:4] == SKIPPABLE:
        for sign, kind in _signs():
            if sign.match(head):
                return kind
    if head[:5].isdigit() and MARC_LEADER.match(head):
        return Kind.MARC
    return Kind.TAR if is_tar_header(head[:TAR_BLOCK]) else None


# Files that are not text, whether or not a NUL comes early: images, sound, fonts, Parquet, programs.
BINARY_STARTS: Final = (
    *(b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"OggS", b"fLaC", b"wOFF", b"wOF2", b"RIFF"),
    *(b"PAR1", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa", b"\xcf\xfa\xed\xfe"),
    *(b"Obj\x01", b"ARROW1\0", b"ORC", b"\0asm", b"\x93NUMPY", b"\x89HDF\r\n\x1a\n", b"glTF"),
)


def is_tar_header(block: bytes) -> bool:
    """Report whether a block of 512 bytes is the header of a tar member: its checksum is right (POSIX.1 pax, ustar)."""
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


# The endings of names that state the kind of text (by habit, and by RFC 4180 3, RFC 8259 11, RFC 7303 9).
_HINTS: Final = {
    "csv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "json": "json",
    "geojson": "json",
    "jsonld": "json",
    "ipynb": "json",
    "har": "json",
    "webmanifest": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "ldjson": "jsonl",
    "xml": "xml",
    "rss": "xml",
    "atom": "xml",
    "svg": "xml",
    "rdf": "xml",
    "owl": "xml",
    "opml": "xml",
    "kml": "xml",
    "gpx": "xml",
    "xsd": "xml",
    "xsl": "xml",
    "xslt": "xml",
    "wsdl": "xml",
    "xlf": "xml",
    "ics": "calendar",
    "ical": "calendar",
    "ifb": "calendar",
    "vcs": "calendar",
    "vcf": "vcard",
    "vcard": "vcard",
    "ldif": "ldif",
    "ldi": "ldif",
    "html": "html",
    "htm": "html",
    "xhtml": "html",
}
# Endings that follow one of these.
_LAYERS: Final = frozenset(["gz", "bz2", "xz", "zst", "z", "zstd"])
_LONGEST_ENDING: Final = 12


def named_kind(name: str) -> str | None:
    """Return the kind of text that the ending of a name promises, None if it promises none."""
    stem, dot, ending = name.rpartition(".")
    ending = ending[:_LONGEST_ENDING].lower()
    if dot and ending in _LAYERS:
        _, dot, ending = stem.rpartition(".")
        ending = ending[:_LONGEST_ENDING].lower()
    return _HINTS.get(ending) if dot else None


LAYERS: Final = COMPRESSED | ARCHIVES | {Kind.OFFICE, Kind.UNSUPPORTED}


def is_plain(kind: Kind, reading: ReadingOptions) -> bool:
    """Report whether a file of a kind is plain text, to be read as it stands."""
    if kind in LAYERS or kind is Kind.PDF or reading.unescape:
        return False
    if reading.input is InputKind.AUTO:
        return kind is Kind.TEXT and not places_of(reading)
    return reading.input is InputKind.TEXT


def text_kind(name: str, reading: ReadingOptions) -> str:
    """Return the kind under which a file of plain text is counted; it says if the name promised another one."""
    hint = named_kind(name) if reading.input is InputKind.AUTO else None
    return str(Kind.TEXT) if hint is None else f"{Kind.TEXT} (not {hint})"


def reads_binary(reading: ReadingOptions, *, named: bool) -> bool:
    """Report whether a file that is not text is read like text.

    Args:
        reading: the options of reading.
        named: whether the file was named itself, and not found in a folder or an archive.
    """
    return named if reading.binary is BinaryFiles.AUTO else reading.binary is BinaryFiles.TEXT
