"""What a file is, by its first bytes: compressed, an archive, mail, HTML, a document out of scope, or text.

Names are never looked at: rotated logs and attachments lose or change theirs.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from enum import StrEnum
from functools import cache
from typing import Final

from urisieve.sources.encodings import BYTE_ORDER_MARKS

__all__ = [
    "ARCHIVES",
    "COMPRESSED",
    "HEAD_SIZE",
    "OUT_OF_SCOPE",
    "SKIPPABLE",
    "STARTS",
    "TELLING_FIELDS",
    "Kind",
    "is_tar_header",
    "kind_of",
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
    """It holds a NUL and no mark of UTF-16 or UTF-32."""
    TEXT = "text"


COMPRESSED: Final = frozenset([Kind.GZIP, Kind.BZIP2, Kind.XZ, Kind.ZSTD])
ARCHIVES: Final = frozenset([Kind.ZIP, Kind.TAR])
OUT_OF_SCOPE: Final = frozenset([Kind.PDF, Kind.OFFICE, Kind.UNSUPPORTED])

_WIDE_MARKS: Final = tuple(mark for mark, encoding in BYTE_ORDER_MARKS if not encoding.name.startswith("utf-8"))
_TAR_BLOCK: Final = 512
# The names of fields of which a message has some and nothing else has two: the inside of a group.
TELLING_FIELDS: Final = (
    rb"Return-Path|Received|Delivered-To|From|To|Date|Subject|Message-ID|MIME-Version|Content-Type|In-Reply-To|References"
    rb"|DKIM-Signature|ARC-[A-Za-z-]{1,30}|Authentication-Results|Received-SPF|List-[A-Za-z-]{1,30}"
)
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


@cache
def _html() -> re.Pattern[bytes]:
    return re.compile(
        rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]{0,200}>\s*+)?(?:<!--(?:(?!-->).){0,3000}-->\s*+)*+"
        rb"<(?:!doctype html|html|head|body|title|script|style|meta|table|div|iframe|font|h1|br|p|a|b)[\s/>]",
        re.IGNORECASE | re.DOTALL,
    )


def kind_of(head: bytes) -> Kind:
    """What a file is that begins with these bytes: `HEAD_SIZE` of them, or all where it has fewer."""
    if head.startswith(STARTS) or head[1:4] == SKIPPABLE:
        for sign, kind in _signs():
            if sign.match(head):
                return kind
    if is_tar_header(head[:_TAR_BLOCK]):
        return Kind.TAR
    if b"\0" in head and not head.startswith(_WIDE_MARKS):
        return Kind.BINARY
    start = head.removeprefix(BOM_UTF8).lstrip()
    if start[:1] == b"<":
        return Kind.HTML if _html().match(head) else Kind.TEXT
    return _mail(head) if _begins_like_mail(start) else Kind.TEXT


def _begins_like_mail(start: bytes) -> bool:
    if start.startswith(b"From "):
        return True
    name, colon, _ = start[:_LONGEST_NAME].partition(b":")
    return bool(name and colon) and not any(byte in _NO_NAME for byte in name.rstrip(b" \t"))


def _mail(head: bytes) -> Kind:
    from urisieve.sources.mail_folders import MailKind, mail_kind

    found = mail_kind(head)
    if found is None:
        return Kind.TEXT
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
