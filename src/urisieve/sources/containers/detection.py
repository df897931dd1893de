"""What a file is, by its first bytes: compressed, an archive, mail, HTML, JSON, a table, XML, or text.

Content decides, for rotated logs and attachments lose or change their names. Where it leaves a doubt, the ending of the
name settles it.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from typing import Final

from urisieve.sources.bytes.encodings import BYTE_ORDER_MARKS
from urisieve.sources.containers.sniffing import hinted, is_xml, json_start, table_delimiter

__all__ = [
    "ARCHIVES",
    "COMPRESSED",
    "CONTROLS",
    "HEAD_SIZE",
    "OUT_OF_SCOPE",
    "SKIPPABLE",
    "STARTS",
    "Kind",
    "begins_like_mail",
    "is_tar_header",
    "kind_of",
    "unmarked",
]

# Enough for the longest of the signs below (a tar header is 512 bytes; browsers look at 1,445 for HTML), and for a NUL
# to show in what is not text.
HEAD_SIZE: Final = 4_096


class Kind(StrEnum):
    """What the first bytes of a file say."""

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
    PDF = "pdf"
    OFFICE = "office"
    """Office Open XML or OpenDocument."""
    OLE = "ole"
    """A compound file: an Outlook message or an old Office document."""
    UNSUPPORTED = "unsupported"
    """Compressed or archived in a way that is not read: 7z, rar, lz4, compress, lzip, cab."""
    BINARY = "binary"
    """An image, a program, a database: it holds NULs where text has none, or begins as such a file does."""
    TEXT = "text"


COMPRESSED: Final = frozenset([Kind.GZIP, Kind.BZIP2, Kind.XZ, Kind.ZSTD])
ARCHIVES: Final = frozenset([Kind.ZIP, Kind.TAR])
OUT_OF_SCOPE: Final = frozenset([Kind.PDF, Kind.OFFICE, Kind.UNSUPPORTED])

_WIDE_MARKS: Final = tuple(mark for mark, encoding in BYTE_ORDER_MARKS if not encoding.name.startswith("utf-8"))
_TAR_BLOCK: Final = 512
# What a name of a header field does not hold (RFC 5322 2.2).
_NO_NAME: Final = b" \t\r\n"
_LONGEST_NAME: Final = 100
# How what has one of these signs begins.
STARTS: Final = (
    *(b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK", b"%PDF-", b"\xd0\xcf\x11\xe0"),
    *(b"7z\xbc\xaf", b"Rar!", b"\x04\x22\x4d\x18", b"\x1f\x9d", b"\x1f\xa0", b"LZIP", b"MSCF", b"__"),
)
SKIPPABLE: Final = b"\x2a\x4d\x18"  # the second to fourth byte of a frame of zstd without data


@cache
def _signs() -> tuple[tuple[re.Pattern[bytes], Kind], ...]:
    return (
        (re.compile(rb"\x1f\x8b\x08"), Kind.GZIP),  # RFC 1952 2.3.1: deflate is the only method
        (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), Kind.BZIP2),
        (re.compile(rb"\xfd7zXZ\x00"), Kind.XZ),
        (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", re.DOTALL), Kind.ZSTD),  # RFC 8878 3.1.1, 3.1.2
        # The first member of an Office file is one of these by rule or habit.
        (
            re.compile(
                rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels/|docProps/|word/|xl/|ppt/"
                rb"|mimetypeapplication/vnd\.(?:oasis|sun))",
                re.DOTALL,
            ),
            Kind.OFFICE,
        ),
        (re.compile(rb"PK(?:\x03\x04|\x05\x06|\x07\x08PK\x03\x04|00PK\x03\x04)"), Kind.ZIP),
        (re.compile(rb"%PDF-"), Kind.PDF),
        (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), Kind.OLE),
        (
            re.compile(
                rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|\x04\x22\x4d\x18|\x1f[\x9d\xa0]|LZIP\x01|MSCF\x00\x00\x00\x00"
            ),
            Kind.UNSUPPORTED,
        ),
        (re.compile(rb"__CURSOR=s=|__REALTIME_TIMESTAMP=[0-9]+\n"), Kind.JOURNAL),
    )


# Files that are not text, whether or not a NUL comes early: images, sound, fonts, databases, Parquet, programs.
_BINARY_STARTS: Final = (
    *(b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"OggS", b"fLaC", b"wOFF", b"wOF2", b"RIFF"),
    *(b"SQLite format 3\0", b"PAR1", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa", b"\xcf\xfa\xed\xfe"),
    *(b"Obj\x01", b"ARROW1\0", b"ORC", b"\0asm", b"\x93NUMPY", b"\x89HDF\r\n\x1a\n", b"glTF"),
)
_BLANKS: Final = b" \t\r\n\f\v\0\x1e"
# A NUL and other controls of more than a fiftieth are no accident.
# What text does not hold.
CONTROLS: Final = bytes([*range(9), *range(14, 27), *range(28, 32), 127])
_SHARE: Final = 50
_HINTED: Final = {"csv": Kind.CSV, "tsv": Kind.TSV}


@cache
def _html() -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    comments = rb"(?:<!--(?:(?!-->).){0,3000}-->\s*+)*+"
    return (
        re.compile(
            rb"%b<(?:!doctype html|html|head|body|title|script|style|meta|table|div|iframe|font|h1|br|p|a|b)[\s/>]"
            % comments,
            re.IGNORECASE | re.DOTALL,
        ),
        # XHTML.
        re.compile(
            rb"<\?xml[^>]{0,200}>\s*+%b<(?:!doctype html|html|[a-z0-9]{1,10}\s[^<>]{0,500}"
            rb"xmlns=[\"']http://www\.w3\.org/1999/xhtml)[\s/>\"']" % comments,
            re.IGNORECASE | re.DOTALL,
        ),
        re.compile(rb"<(?:!--|[a-z][a-z0-9]{0,20}[\s/>])", re.IGNORECASE),
    )


def kind_of(head: bytes, name: str = "") -> Kind:
    """What a file is that begins with these bytes.

    Args:
        head: `HEAD_SIZE` of them, or all where it has fewer, or as many as settle it.
        name: the name of the file, whose ending decides where the content leaves a doubt.
    """
    if head.startswith(STARTS) or head[1:4] == SKIPPABLE:
        for sign, kind in _signs():
            if sign.match(head):
                return kind
    if is_tar_header(head[:_TAR_BLOCK]):
        return Kind.TAR
    if head.startswith(_BINARY_STARTS) and not _is_prose(head):
        return Kind.BINARY
    whole = len(head) < HEAD_SIZE
    wide = head.startswith(_WIDE_MARKS)
    if wide:
        head = unmarked(head)
    kind = _kind_of_text(head.replace(b"\0", b""), hinted(name), whole=whole)
    if wide:
        return Kind.TEXT if kind in (Kind.MAIL, Kind.MBOX, Kind.WARC) else kind  # these are read as bytes
    if b"\0" in head and (kind in _HINTED.values() or (kind is Kind.TEXT and not _is_prose(head))):
        return Kind.BINARY
    return kind


def unmarked(head: bytes) -> bytes:
    """The beginning of a text as UTF-8 without a byte order mark."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            text = head[len(mark) :]
            return text if encoding.name == "utf-8" else text.decode(encoding.name, "ignore").encode("utf-8", "replace")
    return head


def _is_prose(head: bytes) -> bool:
    """Whether there are no more controls than can be an accident."""
    return (len(head) - len(head.translate(None, CONTROLS))) * _SHARE <= len(head)


def _kind_of_text(head: bytes, hint: str | None, *, whole: bool) -> Kind:
    start = unmarked(head).lstrip(_BLANKS)
    if start[:1] == b"<":
        html, xhtml, tag = _html()
        if html.match(start) or xhtml.match(start):
            return Kind.HTML
        if is_xml(start, hint):
            return Kind.XML
        return Kind.HTML if hint == "html" and tag.match(start) else Kind.TEXT
    if start[:1] in (b"{", b"[") or (start[:1] == b'"' and hint in ("json", "jsonl")):
        found = json_start(start)
        if found.possible and (found.telling or hint in ("json", "jsonl")):
            lines = hint == "jsonl" if found.lines is None else found.lines and hint != "json"
            return Kind.JSONL if lines else Kind.JSON
        return Kind.TEXT
    if start.startswith(b"WARC/"):
        return Kind.WARC if _WARC.match(start) else Kind.TEXT
    if hint not in _HINTED and begins_like_mail(start):
        kind = _mail(head)
        if kind is not None:
            return kind
    delimiter = table_delimiter(start, hint, whole=whole)
    if delimiter is None:
        return Kind.TEXT
    return Kind.TSV if delimiter == "\t" else Kind.CSV


_WARC: Final = re.compile(rb"WARC/[01]\.[0-9]{1,2}\r?\n")


def begins_like_mail(start: bytes) -> bool:
    """Whether the first line may be that of a message: an envelope, a field, or a line without a colon before them."""
    if start.startswith(b"From "):
        return True
    line = start.partition(b"\n")[0]
    name, colon, _ = line[:_LONGEST_NAME].partition(b":")
    if not colon:
        return b":" not in line
    return bool(name) and not any(byte in _NO_NAME for byte in name.rstrip(b" \t"))


def _mail(head: bytes) -> Kind | None:
    from urisieve.sources.mail.mail_kind import MailKind, mail_kind

    found = mail_kind(head)
    if found is None:
        return None
    return Kind.MBOX if found is MailKind.MBOX else Kind.MAIL


def is_tar_header(block: bytes) -> bool:
    """Whether a block of 512 bytes is the header of a tar member: its checksum is right (POSIX.1 pax, ustar)."""
    if len(block) < _TAR_BLOCK or block[0] == 0:
        return False
    field = block[148:156].strip(b" \0")
    if not field.isdigit() or b"8" in field or b"9" in field:
        return False
    # Some old programs added the bytes as signed ones.
    rest = block[:148] + b" " * 8 + block[156:]
    unsigned = sum(rest)
    return int(field, 8) in (unsigned, unsigned - 256 * sum(byte > 127 for byte in rest))
