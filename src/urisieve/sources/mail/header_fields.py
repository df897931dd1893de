"""Header fields of a message or of a part: their offsets and their decoded text.

RFC 5322 2.2 (fields and folding), RFC 2047 (encoded words). The input is raw bytes; whatever is malformed is kept as
text.

Also defines:

- header fields that are read in a way of their own.
- when and from whom a message came: its Date, From, To, Cc and Subject (RFC 5322 3.6), as a `Context`.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable
from io import StringIO
from itertools import islice

from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, lazy_compile
from urisieve.records.base import Context
from urisieve.records.masking import masked_name
from urisieve.sources.bytes.charsets import Decoded, Label, decode_text
from urisieve.sources.contexts import context_of
from urisieve.sources.mail.structured_fields import FOLD, structured
from urisieve.syntax.times import time_of_date
from urisieve.wording import printable, shortened

if TYPE_CHECKING:
    from urisieve.sources.bytes.source_map import SourceMap

# A line that begins with a link (`https://...`) is none.
_FIELD: Final = lazy_compile(rb"([!-9;-~]+)[ \t]*:(?!//)((?:[^\n]*)(?>\n[ \t][^\n]*)*+)(?:\n|\Z)")
# Every value that may hold an identifier has a match: a colon after a character that may end a scheme, with no blank
# after it. Dates and addresses have none, so that they cost no document and no scanner. Searching for one character is
# fast. For use with `re.S`.
SIGN: Final = rb":[!-~\x80-\xff](?:(?<=[A-Za-z+.\-]:.)|(?<=[A-Za-z][0-9]:.)|(?<=[0-9]{3}:.))"
FIELD_SIGN: Final = lazy_compile(SIGN, re.S)
_BLANK: Final = lazy_compile(rb"\r?(?:\n|\Z)")
_LINE: Final = lazy_compile(rb"[^\n]*(?:\n|\Z)")
# An envelope line of mbox within a header, also quoted: it is skipped.
_ENVELOPE: Final = lazy_compile(rb">?From [^\n]*(?:\n|\Z)")
# After a line that is not a field, the header continues if one of these comes before the next empty line: without them
# the parts of the message could not be separated.
_MIME_FIELD: Final = lazy_compile(rb"^(?:Content-(?:Type|Transfer-Encoding)|MIME-Version)[ \t]*:", re.M | re.I)
_EMPTY_LINE: Final = lazy_compile(rb"^\r?$", re.M)

_ENCODED_WORD: Final = lazy_compile(r"=\?([^?\s]{1,80})\?([bBqQ])\?([^?]*)\?=")
_WHITE: Final = lazy_compile(r"\s+")
# Mail that passed through many lists has some hundreds of fields; after this many, the rest is read as the body.
_MOST_FIELDS: Final = 10_000


class Field(NamedTuple):
    """A header field: its name in lower case and as written, and the offsets of its value in the message, in bytes."""

    name: str
    written: str
    start: int
    end: int


class MailHeader(NamedTuple):
    """The header of a message or of a part.

    Attributes:
        fields: the fields, in their order.
        strange: start and end of each line inside the header that is not a field.
        end: the offset at which the body begins, in bytes.
        fault: the reason why it is malformed, None if it is not.
    """

    fields: list[Field]
    strange: list[tuple[int, int]]
    end: int
    fault: str | None


def read_header(data: bytes, start: int, end: int) -> MailHeader:
    """Read the fields from `start` on; the body begins after an empty line, or with a line that is not a field.

    Args:
        data: the message.
        start: the offset of the header, in bytes.
        end: the end of the message or of the part.
    """
    fields: list[Field] = []
    strange: list[tuple[int, int]] = []
    fault = None
    offset = start
    envelope = _ENVELOPE.match(data, offset, end)
    if envelope is not None:
        offset = envelope.end()
    limit: int | None = None  # the offset up to which the header may continue
    while True:
        scan = _FIELD.scanner(data, offset, end)  # type: ignore[attr-defined]
        for found in islice(iter(scan.match, None), max(0, _MOST_FIELDS - len(fields) - len(strange))):
            written = found[1].decode("ascii")
            fields.append(Field(written.lower(), written, found.start(2), found.end(2)))
            offset = found.end()
        if len(fields) + len(strange) >= _MOST_FIELDS:
            return MailHeader(fields, strange, offset, "too-many-fields")
        blank = _BLANK.match(data, offset, end)
        if blank is not None:
            return MailHeader(fields, strange, blank.end(), fault)
        envelope = _ENVELOPE.match(data, offset, end)
        if envelope is not None:
            offset = envelope.end()
            continue
        if limit is None:
            fault = "no-blank-line"
            limit = _last_mime_field(data, offset, end)
        if offset >= limit:
            return MailHeader(fields, strange, offset, fault)
        fault = "bad-header-line"
        line = _LINE.match(data, offset, end)
        assert line is not None
        strange.append(line.span())
        offset = line.end()


def _last_mime_field(data: bytes, offset: int, end: int) -> int:
    """Return the start of the last MIME field before the next empty line; `offset` if there is none."""
    empty = _EMPTY_LINE.search(data, offset, end)
    last = offset
    for found in _MIME_FIELD.finditer(data, offset, end if empty is None else empty.start()):
        last = found.start()
    return last


def may_hold_identifier(text: str) -> bool:
    """Report whether there is the sign of an identifier in a text."""
    return FIELD_SIGN.search(text.encode("utf-8", "surrogatepass")) is not None


class Unfolded(NamedTuple):
    """The text of a field.

    Attributes:
        text: the text, without folds if it was decoded, else as in the message.
        decoded: whether encoded words were decoded, so that its characters are not those of the message.
        codec: the codec of its bytes, if it was not decoded.
        legacy: whether some of it was in a character set that is not of Unicode.
        fault: the reason why an encoded word is malformed or not in its character set, None if none is.
    """

    text: str
    decoded: bool = False
    codec: str = "utf-8"
    legacy: bool = False
    fault: str | None = None


def unfold(value: bytes) -> Unfolded:
    """Return the text of a field's value (RFC 2047; RFC 6532 for UTF-8 that is not encoded).

    A value without encoded words stays unchanged, folds included.
    """
    if value.isascii() and b"=?" not in value:
        return Unfolded(value.decode("ascii"))
    text, codec, legacy, _ = decode_text(value, None)
    if "=?" in text and _ENCODED_WORD.search(text) is not None:
        return _words(text, legacy)
    return Unfolded(text, False, codec, legacy, None)


def _words(text: str, legacy: bool) -> Unfolded:
    pieces = StringIO(newline="")
    pending = bytearray()
    decoded: list[Decoded] = []
    charset = ""
    fault = None
    end = 0
    for word in _ENCODED_WORD.finditer(text):
        before = text[end : word.start()]
        name = word[1].partition("*")[0].lower()
        data = _word(word[2], word[3])
        joins = bool(end) and (not before or before.isspace())
        if data is None:
            fault = "bad-encoded-word"
        if not joins or data is None or name != charset:
            if pending:
                decoded.append(decode_text(bytes(pending), charset))
                pieces.write(decoded[-1].text)
                pending.clear()
            if not joins:
                pieces.write(FOLD.sub("", before))
        if data is None:
            pieces.write(word[0])
        else:
            # A character may be cut between two words of one character set, though RFC 2047 5 forbids that.
            pending += data
            charset = name
        end = word.end()
    if pending:
        decoded.append(decode_text(bytes(pending), charset))
        pieces.write(decoded[-1].text)
    pieces.write(FOLD.sub("", text[end:]))
    if any(one.label is Label.WRONG for one in decoded):
        fault = fault or "wrong-charset"
    return Unfolded(pieces.getvalue(), True, "utf-8", legacy or any(one.legacy for one in decoded), fault)


def _word(encoding: str, text: str) -> bytes | None:
    """Return the bytes of an encoded word, None if it is malformed."""
    if not text.isascii():
        return None
    if encoding in "qQ":
        return binascii.a2b_qp(_WHITE.sub("_", text).encode("ascii"), header=True)
    digits = _WHITE.sub("", text).rstrip("=")
    if len(digits) % 4 == 1:
        return None
    try:
        return binascii.a2b_base64(digits.encode("ascii") + b"=" * (-len(digits) % 4), strict_mode=True)
    except binascii.Error:
        return None


# Fields of signatures: they hold keys, and names of fields separated by colons.
OPAQUE_FIELDS: Final = frozenset(
    ["arc-message-signature", "arc-seal", "dkim-signature", "domainkey-signature", "x-google-dkim-signature"]
)
# Fields of message identifiers (RFC 5322 3.6.4, RFC 2045 7), which are not links. A link between them is found.
ID_FIELDS: Final = frozenset(["content-id", "in-reply-to", "message-id", "references", "resent-message-id"])
PARAMETER_FIELDS: Final = frozenset(["content-disposition", "content-type"])
# Fields of URIs, whose white space is that of folds (RFC 2557 4.4.1); so it is in the URL of an external body.
LOCATION_FIELDS: Final = frozenset(["content-base", "content-location"])
_EXTERNAL: Final = lazy_compile(r"\s*message/external-body", re.I)
_URL: Final = lazy_compile(r';\s*url\s*=\s*"([^"]*)"', re.I)
_WORD: Final = lazy_compile(r"\S+")
# A Message-ID and, in the first group, what stands before it without white space: `<http://user:half<rest@h.example/>`
# is a link. Each is looked for from one place of a word, so that a long one takes linear time.
_MESSAGE_ID: Final = lazy_compile(r"(?:(?<![^\s<>])([^\s<>]++))?(<[^<>\s:@]++@[^<>\s]++>)")
_LINK: Final = lazy_compile(r"(?<![A-Za-z0-9+.-])[0-9+.-]*+[A-Za-z][A-Za-z0-9+.-]*+:[^\s<>]")
# The bytes of a Message-ID that are read.
_LONGEST_ID: Final = 1_000


def message_id_of(value: bytes) -> str | None:
    """Return the Message-ID in the value of its field, without angle brackets; None if there is none.

    Of a long one all after the first `_LONGEST_ID` bytes is an ellipsis.
    """
    text = _text(value[:_LONGEST_ID]).strip("<>")
    return printable(f"{text}\u2026" if len(value) >= _LONGEST_ID else text) or None


def read_known(name: str, text: str) -> tuple[str, SourceMap | None, bool]:
    """Read the text of a field in the way of its name.

    Args:
        name: the name of the field, in lower case.
        text: its value, encoded words decoded.

    Returns:
        the text that is searched; the characters of the value that it is made of, None for all; and whether others
        stand in it, so that there is no map to the source.
    """
    if name in ID_FIELDS:
        return _MESSAGE_ID.sub(_without_id, text), None, False
    if name in LOCATION_FIELDS:
        return *_without_blanks(text, 0, len(text)), False
    if name in PARAMETER_FIELDS and "*" in text:
        _, parameters, comments = structured(text)
        return "; ".join([*(f'{key}="{content}"' for key, content in parameters.items()), *comments]), None, True
    url = _URL.search(text) if name == "content-type" and _EXTERNAL.match(text) is not None else None
    return (text, None, False) if url is None else (*_without_blanks(text, *url.span(1)), False)


def _without_id(found: re.Match[str]) -> str:
    """Return what is read of a Message-ID and of what stands before it."""
    before = found[1] or ""
    return found[0] if _LINK.search(before) is not None else before + " " * len(found[2])


def _without_blanks(text: str, start: int, end: int) -> tuple[str, SourceMap]:
    """Return a text without the white space in a part of it (RFC 2017 3.1), and the map of what was kept."""
    from urisieve.sources.bytes.source_map import SourceMap

    selection = SourceMap()
    selection.add(0, start)
    for word in _WORD.finditer(text, start, end):
        selection.add(*word.span())
    selection.add(end, len(text))
    return text[:start] + "".join(text[start:end].split()) + text[end:], selection


# The bytes of a field that are read, and the addresses that each record of a message has: lists may have thousands.
_LONGEST: Final = 65_536
_MOST: Final = 64
# What an address list is made of (RFC 5322 3.4, 4.4): a link, which is not an address; a quoted text, also as a local
# part; a comment; an address in angle brackets; what separates mailboxes; any other word.
_PIECE: Final = lazy_compile(
    r'[A-Za-z][A-Za-z0-9+.\-]*+://[^\s,;<>"]*+|"(?>[^"\\]++|\\.)*+"?(?:@[^\s,;<>]++)?|\((?>[^()\\]++|\\.)*+\)?|<(?P<inner>[^<>]*+)>?|(?P<end>[,;:])'
    r'|[^",;:<>()\s]++',
    re.DOTALL,
)
_ADDRESS: Final = lazy_compile(r'(?:"[^"]+"|[^\s@:"]+)@[^\s@:/?#%="]+')
# How archives of lists write the address of a sender, so that programs do not collect it.
_HIDDEN: Final = lazy_compile(r"\s*([^\s@<>()\",]+) at ([^\s@<>()\",]+\.[^\s@<>()\",]+)")
_FIELDS: Final = frozenset(["date", "from", "to", "cc", "subject"])


def message_context(data: bytes, header: MailHeader, envelope: bytes | None = None) -> Context:
    r"""Return the context of a message by its header.

    >>> from urisieve.sources.mail.header_fields import read_header
    >>> data = b"From: Ada <ada@a.example>\nTo: bob@b.example, c@c.example\nSubject: =?utf-8?q?caf=C3=A9?=\n\n"
    >>> message_context(data, read_header(data, 0, len(data)))[2:]
    ('ada@a.example', ('bob@b.example', 'c@c.example'), 'café')

    Args:
        data: the message.
        header: its header, with every field.
        envelope: the line `From ` before it (RFC 4155), whose date counts if no other is there.
    """
    values: dict[str, list[bytes]] = {name: [] for name in _FIELDS}
    for field in header.fields:
        if field.name in values:
            values[field.name].append(data[field.start : min(field.end, field.start + _LONGEST)])
    written = _text(values["date"][0]) if values["date"] else _date_of(envelope)
    senders = addresses(values["from"][:1])
    subject = None
    if values["subject"]:
        subject = " ".join(unfold(values["subject"][0]).text.split())
    when = Context() if written is None else context_of(time_of_date(written), written)
    return when._replace(
        sender=senders[0] if senders else None,
        to=addresses([*values["to"], *values["cc"]]) or None,
        subject=None if subject is None else shortened(printable(subject)),
    )


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace").strip()


def _date_of(envelope: bytes | None) -> str | None:
    """Return the date of an envelope line, which stands behind the address."""
    words = _text(envelope or b"").split(None, 2)
    return words[2] if len(words) > 2 else None


def addresses(values: Iterable[bytes]) -> tuple[str, ...]:
    """Return the addresses in lists of mailboxes and groups (RFC 5322 3.4, 3.6.3), each once, and no more than 64.

    >>> addresses([b'"x@x.example" <ada@a.example>, all: bob@b.example (Bob, c@c.example);', b"<@d,@e:f@f.example>"])
    ('ada@a.example', 'bob@b.example', 'f@f.example')
    >>> addresses([b"ada at lists.example (Ada)"])
    ('ada@lists.example',)
    """
    found: dict[str, None] = {}
    for value in values:
        text = masked_name(_text(value))
        hidden = None if "@" in text else _HIDDEN.match(text)
        if hidden is not None:
            found[f"{hidden[1]}@{hidden[2]}"] = None
        for address in _mailboxes(text) if "@" in text else ():
            found[shortened(printable(address))] = None
            if len(found) == _MOST:
                return tuple(found)
    return tuple(found)


def _mailboxes(text: str) -> Iterable[str]:
    bare = inner = ""
    for piece in _PIECE.finditer(text):
        if piece["end"] is not None:
            if inner or bare:
                yield inner or bare
            bare = inner = ""
        elif piece["inner"] is not None:
            text = "".join(piece["inner"].split())
            text = text.rpartition(":")[2] if text.startswith("@") else text  # behind a route
            inner = text if _ADDRESS.fullmatch(text) is not None else inner
        elif _ADDRESS.fullmatch(piece[0]) is not None:
            bare = piece[0]
    if inner or bare:
        yield inner or bare
