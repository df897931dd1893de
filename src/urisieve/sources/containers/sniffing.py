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
from urisieve.lean.hints import TYPE_CHECKING, Final
from urisieve.lean.patterns import lazy_compile
from urisieve.sources.bytes.encodings import BYTE_ORDER_MARKS
from urisieve.sources.containers.kinds import BINARY_STARTS, HEAD_SIZE, SKIPPABLE, STARTS, Kind, named_kind, signed_kind
from urisieve.sources.containers.text_signs import is_table_open, is_xml, json_start, table_delimiter

if TYPE_CHECKING:
    from urisieve.sources.bytes.block_reader import BlockReader

__all__ = ["csv_delimiter", "is_settled", "json_kind", "kind_of", "opened", "peeked_kind"]

_WIDE_MARKS: Final = tuple(mark for mark, encoding in BYTE_ORDER_MARKS if not encoding.name.startswith("utf-8"))
# The characters that the name of a header field cannot hold (RFC 5322 2.2).
_NO_NAME: Final = b" \t\r\n"
_LONGEST_NAME: Final = 100
# A text without a line feed in so many bytes is examined as it stands; the header of a tar member is as long.
_ENOUGH: Final = 512
# So many bytes after the first line of JSON show whether more follows.
_LOOK: Final = 64
_JSON_BLANKS: Final = b" \t\r\n"
_BLANKS: Final = b" \t\r\n\f\v\0\x1e"
# Control characters that text does not hold; a NUL together with others of these, more than a fiftieth, is not chance.
_CONTROLS: Final = bytes([*range(9), *range(14, 27), *range(28, 32), 127])
_SHARE: Final = 50
_HINTED: Final = {"csv": Kind.CSV, "tsv": Kind.TSV}


@cache
def _html() -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    comments = rb"(?><!--(?:(?!-->).){0,3000}-->\s*+)*+"
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
    wide = head.startswith(_WIDE_MARKS)
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
            return text if encoding.name == "utf-8" else text.decode(encoding.name, "ignore").encode("utf-8", "replace")
    return head


def _is_prose(head: bytes) -> bool:
    """Report whether there are few enough control characters to be there by accident."""
    return (len(head) - len(head.translate(None, _CONTROLS))) * _SHARE <= len(head)


def _kind_of_text(head: bytes, hint: str | None, *, whole: bool) -> Kind:
    start = _unmarked(head).lstrip(_BLANKS)
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
    if hint not in _HINTED and _begins_like_mail(start):
        kind = _mail(head)
        if kind is not None:
            return kind
    delimiter = table_delimiter(start, hint, whole=whole)
    if delimiter is None:
        return Kind.TEXT
    return Kind.TSV if delimiter == "\t" else Kind.CSV


_WARC: Final = lazy_compile(rb"WARC/[01]\.[0-9]{1,2}\r?\n")


def _begins_like_mail(start: bytes) -> bool:
    """Report whether the first line may be that of a message: an envelope, a field, or a line without a colon."""
    if start.startswith(b"From "):
        return True
    line = start.partition(b"\n")[0]
    name, colon, value = line[:_LONGEST_NAME].partition(b":")
    if not colon:
        return b":" not in line
    if value.startswith(b"//"):
        return False  # a URI
    return bool(name) and not any(byte in _NO_NAME for byte in name.rstrip(b" \t"))


def _mail(head: bytes) -> Kind | None:
    # Its patterns are made when the first text comes that may be mail.
    from urisieve.sources.mail.mail_kind import MailKind, mail_kind

    found = mail_kind(head)
    if found is None:
        return None
    return Kind.MBOX if found is MailKind.MBOX else Kind.MAIL


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
        stream = _raised(error)
    return kind_of(head[:HEAD_SIZE], name), chain(taken, stream)


def _raised(error: InputError) -> Iterator[bytes]:
    """Raise an error when the first block is asked for."""
    yield from ()
    raise error


def is_settled(head: bytes, name: str = "") -> bool:
    """Report whether the kind of a file with this beginning is decided, whatever follows.

    Args:
        head: the first bytes.
        name: the name of the file.
    """
    if head.startswith(b"__") and b"\n" in head:  # the first line of a journal decides
        return True
    if any(sign.startswith(head[: len(sign)]) for sign in STARTS) or SKIPPABLE.startswith(head[1:4]):
        return False
    start = head.removeprefix(BOM_UTF8).lstrip(_JSON_BLANKS)
    if head.startswith(_WIDE_MARKS) or start[:1] in b"\f\v" or start.startswith((b"From ", b"__", b"WARC/")):
        return False
    if _tag().match(start) or start.translate(None, _CONTROLS) != start:
        return False
    hint = named_kind(name)
    if start[:1] in (b"{", b"[") or (start[:1] == b'"' and hint in ("json", "jsonl")):
        found = json_start(start)
        return not found.possible or found.settled
    message = hint not in _HINTED and _begins_like_mail(start) and _is_message(start)
    return message is True or (message is False and not is_table_open(start, hint))


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
        is_enough = (b"\n" in head or len(head) >= _ENOUGH) and is_settled(head, name)
        if is_enough or len(head) < size or len(head) >= HEAD_SIZE:
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
