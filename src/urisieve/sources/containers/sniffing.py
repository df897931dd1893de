"""Decide what a stream of bytes is, by its first bytes; no other module does.

Content decides, since rotated logs and attachments lose or change their names. If it leaves a doubt, the ending of the
name settles it. Text is recognized from as few bytes as possible, so that text from a pipe does not wait.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from urisieve.errors import InputError
from urisieve.lean import TYPE_CHECKING, Final, lazy_compile
from urisieve.sources.bytes.encodings import BYTE_ORDER_MARKS, CONTROLS, SHARE, Encoding, may_be_wide, wide_encoding
from urisieve.sources.containers.kinds import (
    BINARY_STARTS,
    COMPRESSED,
    HEAD_SIZE,
    SKIPPABLE,
    STARTS,
    Kind,
    named_kind,
    signed_kind,
)
from urisieve.sources.containers.text_signs import (
    begins_component,
    is_ldif,
    is_table_open,
    is_xml,
    json_start,
    table_delimiter,
)
from urisieve.sources.tally import raised

if TYPE_CHECKING:
    from urisieve.sources.bytes.block_reader import BlockReader


_WIDE_MARKS: Final = tuple(mark for mark, encoding in BYTE_ORDER_MARKS if not encoding.name.startswith("utf-8"))
# The characters that the name of a header field cannot hold (RFC 5322 2.2).
_NO_NAME: Final = b" \t\r\n"
_LONGEST_NAME: Final = 100
# A text without a line feed in so many bytes is examined as it stands; the header of a tar member is as long.
_ENOUGH: Final = 512
_LEADER_SIZE: Final = 24  # of a record of MARC
# So many bytes after the first line of JSON show whether more follows.
_LOOK: Final = 64
_JSON_BLANKS: Final = b" \t\r\n"
_BLANKS: Final = b" \t\r\n\f\v\0\x1e"
# Kinds whose sign decides.
_PACKED: Final = COMPRESSED | {Kind.TAR}
_HINTED: Final = {"csv": Kind.CSV, "tsv": Kind.TSV}


@cache
def _html() -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    comments = rb"(?><!--(?:(?!-->).){0,3000}-->\s*+)*+"
    return (
        re.compile(
            rb"%b<(?:!doctype (?:html|netscape-bookmark-file-1)|html|head|body|title|script|style|meta|table|div|iframe"
            rb"|font|h1|br|p|a|b)[\s/>]" % comments,
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
    """Return the kind of a file that begins with these bytes.

    Args:
        head: `HEAD_SIZE` of them, or all if it has fewer, or as many as decide the kind.
        name: the name of the file, whose ending decides if the content leaves a doubt.
    """
    signed = signed_kind(head)
    if signed is not None:
        return signed
    if head.startswith(BINARY_STARTS) and not _is_prose(head):
        return Kind.BINARY
    whole = len(head) < HEAD_SIZE
    wide = head.startswith(_WIDE_MARKS) or wide_encoding(head) is not None
    if wide:
        head = _unmarked(head)
    kind = _kind_of_text(head.replace(b"\0", b""), named_kind(name), whole=whole)
    if wide:
        return Kind.TEXT if kind in (Kind.MAIL, Kind.MBOX, Kind.WARC) else kind  # these are read as bytes
    if b"\0" in head and (kind in _HINTED.values() or (kind is Kind.TEXT and not _is_prose(head))):
        return Kind.BINARY
    return kind


def _unmarked(head: bytes) -> bytes:
    """Return the beginning of a text as UTF-8 without a byte order mark."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            text = head[len(mark) :]
            return text if encoding.name == "utf-8" else _in_utf8(text, encoding)
    wide = wide_encoding(head)
    return head if wide is None else _in_utf8(head, wide)


def _in_utf8(text: bytes, encoding: Encoding) -> bytes:
    return text.decode(encoding.name, "ignore").encode("utf-8", "replace")


def _is_prose(head: bytes) -> bool:
    """Report whether there are few enough control characters to be there by accident."""
    return (len(head) - len(head.translate(None, CONTROLS))) * SHARE <= len(head)


def _kind_of_text(head: bytes, hint: str | None, *, whole: bool) -> Kind:
    start = head.removeprefix(BOM_UTF8).lstrip(_BLANKS)
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
    properties = content_lines_kind(start, hint)
    if properties is not None:
        return properties
    if hint not in _HINTED and _begins_like_mail(start, whole=True):
        kind = _mail(head)
        if kind is not None:
            return kind
    delimiter = table_delimiter(start, hint, whole=whole)
    if delimiter is None:
        return Kind.TEXT
    return Kind.TSV if delimiter == "\t" else Kind.CSV


def content_lines_kind(start: bytes, hint: str | None = None) -> Kind | None:
    """Return the kind of a text if it is a calendar, a card or LDIF, else None.

    Args:
        start: the first bytes, without white space before them.
        hint: `ldif` if the name says so.
    """
    if begins_component(start):
        return Kind.VCARD if start[7:11].upper() == b"CARD" else Kind.CALENDAR
    return Kind.LDIF if is_ldif(start, hint) else None


_WARC: Final = lazy_compile(rb"WARC/[01]\.[0-9]{1,2}\r?\n")


def _begins_like_mail(start: bytes, *, whole: bool) -> bool:
    """Report whether a message may begin so: with an envelope, a field, or a line without a colon before a field."""
    if start.startswith((b"From ", b"BABYL OPTIONS:")):
        return True
    line, _, rest = start.partition(b"\n")
    if b":" in line:
        name, _, value = line[:_LONGEST_NAME].partition(b":")
        return len(name) < _LONGEST_NAME and not value.startswith(b"//") and _is_name(name)  # `//` is that of a URI
    second, ended, _ = rest.partition(b"\n")
    if second[:1] in (b" ", b"\t"):
        return True
    name, colon, _ = second.partition(b":")
    return name not in (b"http", b"https") and _is_name(name) if colon else not (ended or whole)


def _is_name(name: bytes) -> bool:
    name = name.rstrip(b" \t")
    return bool(name) and name.translate(None, _NO_NAME) == name


def _mail(head: bytes) -> Kind | None:
    # Its patterns are made when the first text comes that may be mail.
    from urisieve.sources.mail.mail_kind import mail_kind

    return mail_kind(head)


@cache
def _tag() -> re.Pattern[bytes]:
    """The beginning of HTML or XML, but not `<http:`."""
    start, more = rb"[A-Za-z_\x80-\xff]", rb"[-A-Za-z0-9._\x80-\xff]*+"
    return re.compile(rb"<(?:[!?]|%b%b(?:\Z|(?::%b%b|:(?=\Z))?(?:[\s/>]|\Z))|\Z)" % (start, more, start, more))


def opened(blocks: Iterable[bytes], name: str = "") -> tuple[Kind, Iterator[bytes]]:
    """Return the kind of a stream of bytes, and all of the stream.

    A pipe is read only as far as its beginning could still be that of something other than text.

    Args:
        blocks: the bytes.
        name: the name of the file.

    Raises:
        InputError: nothing of it can be read. An error after the first block is raised when the stream comes to it.
    """
    stream = iter(blocks)
    head = b""
    taken = []
    try:
        for block in stream:
            taken.append(block)
            head = block if len(taken) == 1 else head + block
            if len(head) >= HEAD_SIZE or is_settled(head, name):
                break
    except InputError as error:
        if not taken:
            raise
        stream = raised(error)
    return kind_of(head[:HEAD_SIZE], name), chain(taken, stream)


def is_settled(head: bytes, name: str = "") -> bool:
    """Report whether the kind of a file with this beginning is decided, whatever follows.

    Args:
        head: the first bytes.
        name: the name of the file.
    """
    if _is_packed(head) or (head.startswith(b"__") and b"\n" in head):  # the first line of a journal decides
        return True
    if any(sign.startswith(head[: len(sign)]) for sign in STARTS) or SKIPPABLE.startswith(head[1:4]):
        return False
    if head[:5].isdigit() and len(head) < _LEADER_SIZE and b"\n" not in head:
        return False
    if may_be_wide(head) and not head.startswith(BOM_UTF8):
        return False
    start = head.removeprefix(BOM_UTF8).lstrip(_JSON_BLANKS)
    if head.startswith(_WIDE_MARKS) or start[:1] in b"\f\v" or start.startswith((b"From ", b"__")):
        return False
    if start.startswith(b"WARC/"):
        return _WARC.match(start) is not None
    if _tag().match(start) or start.translate(None, CONTROLS) != start:
        return False
    hint = named_kind(name)
    if start[:1] in (b"{", b"[") or (start[:1] == b'"' and hint in ("json", "jsonl")):
        found = json_start(start)
        return not found.possible or found.settled
    if is_ldif(start, hint) is None:
        return False
    message = hint not in _HINTED and _begins_like_mail(start, whole=False) and _is_message(start)
    return message is True or (message is False and not is_table_open(start, hint))


def _is_packed(head: bytes) -> bool:
    """Report whether the first bytes say, whatever follows, that a file is compressed or a tar archive."""
    return signed_kind(head) in _PACKED


def _is_message(start: bytes) -> bool | None:
    from urisieve.sources.mail.mail_kind import is_message

    return is_message(start, whole=False)


def peeked_kind(reader: BlockReader, name: str = "") -> Kind:
    """Return the kind of the next bytes of a reader, waiting for no more of them than decide it.

    Args:
        reader: the reader of the bytes, which stay to be read.
        name: its name, whose ending decides if they leave a doubt.
    """
    size = 1
    while True:
        head = reader.peek_some(size, HEAD_SIZE)
        if reader.is_whole or len(head) < size or len(head) >= HEAD_SIZE:
            return kind_of(head, name)
        if _is_packed(head) or ((b"\n" in head or len(head) >= _ENOUGH) and is_settled(head, name)):
            return kind_of(head, name)
        size = len(head) + 1


def json_kind(reader: BlockReader) -> Kind:
    """Return the kind of a seeming JSON document: JSON lines if its first line, a whole value, exceeds `HEAD_SIZE`."""
    from urisieve.sources.bytes.lines import LINE_LIMIT

    first = reader.line(LINE_LIMIT)
    more = reader.peek(_LOOK).strip(_JSON_BLANKS)
    reader.unread(first)
    if len(first) <= HEAD_SIZE or not more or not first.endswith(b"\n"):
        return Kind.JSON
    import json

    try:
        json.loads(first.decode("utf-8", "replace").strip(), strict=False)
    except (ValueError, RecursionError):
        return Kind.JSONL if more[:1] in (b"{", b"[") else Kind.JSON
    return Kind.JSONL


def csv_delimiter(reader: BlockReader) -> str:
    """Return the separator of cells in a text that is read as CSV: a comma, a semicolon or a tabulator."""
    head = reader.peek(HEAD_SIZE)
    return table_delimiter(_unmarked(head), "csv", whole=len(head) < HEAD_SIZE) or ","


def rows_kind(reader: BlockReader, kind: Kind) -> Kind | None:
    """Return the kind of a content of which rows are asked for: JSON, JSON lines, CSV or TSV; None for any other.

    Args:
        reader: the reader of the content.
        kind: its kind by its first bytes. Text is a table if its first rows have as many cells.
    """
    if kind is Kind.JSON:
        return json_kind(reader)
    if kind is not Kind.TEXT:
        return kind if kind in (Kind.JSONL, Kind.CSV, Kind.TSV) else None
    head = reader.peek(HEAD_SIZE)
    delimiter = table_delimiter(_unmarked(head), "csv", whole=len(head) < HEAD_SIZE)
    if delimiter is None:
        return None
    return Kind.TSV if delimiter == "\t" else Kind.CSV
