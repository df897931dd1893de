"""The parts of a message that are in base64 or quoted-printable, as bytes that can be changed (RFC 2045 6)."""

from __future__ import annotations

import binascii
import re
from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Iterator, Sequence

from urisieve.errors import InputError
from urisieve.lean import Final, NamedTuple
from urisieve.rewriting.written_texts import CHAINS, ByteChange, StoredPart, spliced
from urisieve.sources.bytes.charsets import decode_text, html_label
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.kinds.kind_table import Kind, ReaderRow
from urisieve.sources.mail.header_fields import MailHeader
from urisieve.sources.mail.mailboxes import MailboxMessage, split_mbox
from urisieve.sources.mail.message_texts import ASCII_OR_UTF8, MailPart, MessageTexts
from urisieve.sources.mail.messages import MessageWalk, join_message
from urisieve.sources.mail.mime import HTML, MediaType
from urisieve.sources.mail.transfer import IDENTITY, decode_transfer
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.reading_run import ReadingRun
from urisieve.sources.segments import Segments
from urisieve.sources.tally import Tally

# The longest line of quoted-printable, without its end (RFC 2045 6.7 rule 5).
_LONGEST: Final = 76
_OCTETS: Final = re.compile(rb"(?:=(?:[0-9A-Fa-f]{2}|[ \t]*\r?(?:\n|\Z)))+")
_BASE64: Final = re.compile(rb"(?:[A-Za-z0-9+/=]+[ \t]*(\r?\n|\Z))+\s*")


class EncodedPart(NamedTuple):
    """A part that is encoded, or a file.

    Attributes:
        start: the offset of its first byte in the file.
        end: the offset after its last one.
        encoding: its transfer encoding.
        media: its type.
        name: the name of its file; None without one.
        data: its bytes, as they are written.
        content: its bytes, decoded.
        kind: the kind of the file; None for a text or a page of the message.
    """

    start: int
    end: int
    encoding: str
    media: MediaType
    name: str | None
    data: bytes
    content: bytes
    kind: ReaderRow | None = None

    @property
    def is_page(self) -> bool:
        """Whether it is HTML."""
        return self.media.name in HTML

    @property
    def codec(self) -> str:
        """The codec of its text."""
        return _codec(self.media, self.content)

    def header(self) -> bytes:
        """Return a header for the content, by which it is read as the part is."""
        values = {**self.media.parameters, **({} if self.name is None else {"name": self.name})}
        quoted = (f'; {name}="{re.sub(_SPECIAL, _escaped, value)}"' for name, value in values.items())
        kind = f"Content-Type: {self.media.name}{''.join(quoted)}\n"
        return f"{kind}Content-Transfer-Encoding: binary\n\n".encode("utf-8", "surrogateescape")

    @property
    def stated_codec(self) -> str | None:
        """The codec of a file that is text in the character set of a label; None for one that its reader finds out."""
        label = self.media.parameters.get("charset", "utf-8") if self.media.kind == "text" else "utf-8"
        return None if label.lower() in ASCII_OR_UTF8 else self.codec

    def replaced(self, content: bytes) -> ByteChange | None:
        """Return the part with another content, which differs in some lines; None as for `change`."""
        pairs = [(self.content, content)]
        lines = self.content.splitlines(keepends=True), content.splitlines(keepends=True)
        if len(lines[0]) == len(lines[1]):
            pairs = list(zip(*lines, strict=True))
        changes = []
        start = 0
        for old, new in pairs:
            if old != new:
                same = _alike(old, new)
                behind = _alike(old[same:][::-1], new[same:][::-1])
                changes.append(ByteChange(start + same, start + len(old) - behind, new[same : len(new) - behind]))
            start += len(old)
        return self.change(changes)

    def change(self, changes: Sequence[ByteChange]) -> ByteChange | None:
        """Return the part with changes of its content; None if that is not sure to be the content of what is written.

        Base64 is encoded anew, in lines as long as they were; of quoted-printable only what changes.
        """
        content = b"".join(spliced(self.content, changes))
        if self.encoding in IDENTITY:
            return ByteChange(self.start, self.end, content)
        if self.encoding == "base64":
            made = _to_base64(self.data, content) if _has_digits_of(self.data, self.content) else None
        else:
            made = self._quoted(changes)
        if made is None or decode_transfer(made, self.encoding) != (content, None, b""):
            return None
        return ByteChange(self.start, self.end, made)

    def _quoted(self, changes: Sequence[ByteChange]) -> bytes | None:
        found = SourceMap()
        start = 0
        for octets in _OCTETS.finditer(self.data):
            found.add(start, octets.start())
            for one in re.finditer(rb"=[0-9A-Fa-f]{2}|=[ \t]*\r?(?:\n|\Z)", octets[0]):
                begin = octets.start() + one.start()
                found.replace(begin, begin + len(one[0]), int(one[0][1:2].isalnum()))
            start = octets.end()
        found.add(start, len(self.data))
        if found.length != len(self.content):
            return None
        written = []
        for change in changes:
            begin = found.source(change.start) if change.start < found.length else len(self.data)
            stop = found.source_end(change.end) if change.end > change.start else begin
            written.append(ByteChange(begin, stop, _quoted_octets(change.data)))
        end = b"\r\n" if b"\r\n" in self.data else b"\n"
        lines = b"".join(spliced(self.data, written)).splitlines(keepends=True)
        known = frozenset(self.data.splitlines(keepends=True))  # which stay, though they may be too long
        return b"".join(line if line in known else _broken(line, end) for line in lines)


def _alike(one: bytes, other: bytes) -> int:
    """Return with how many bytes both begin."""
    return next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )


def _codec(media: MediaType, data: bytes) -> str:
    """Return the codec of a text."""
    return decode_text(
        data, media.parameters.get("charset") or (html_label(data) if media.name in HTML else None)
    ).codec


_SPECIAL: Final = r'["\\]'


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _quoted_octets(data: bytes) -> bytes:
    return re.sub(rb"[^ -<>-~]", lambda found: b"=%02X" % found[0][0], data)


def _broken(line: bytes, end: bytes) -> bytes:
    """Return a line of quoted-printable in lines that are not too long."""
    made: list[bytes] = []
    while len(line.rstrip(b"\r\n")) > _LONGEST:
        cut = _LONGEST - 1
        escape = line.rfind(b"=", cut - 2, cut)
        cut = cut if escape < 0 else escape
        made += (line[:cut], b"=", end)
        line = line[cut:]
    return b"".join((*made, line))


def _has_digits_of(data: bytes, content: bytes) -> bool:
    """Report whether base64 is that of its content without regard to lines: none is damaged, though padding may be."""
    pieces = data.translate(None, b" \t\r\n").split(b"=")
    try:
        return b"".join(binascii.a2b_base64(piece + b"=" * (-len(piece) % 4)) for piece in pieces) == content
    except binascii.Error:
        return False


def _to_base64(data: bytes, content: bytes) -> bytes | None:
    """Return bytes in base64, in lines as they are in what was written; None if there was more than that."""
    found = _BASE64.fullmatch(data.lstrip(b"\r\n"))
    if found is None:
        return None
    lines = data.split()
    end = b"\r\n" if b"\r\n" in data else b"\n"
    length = len(lines[0]) if len(lines) > 1 else _LONGEST
    digits = binascii.b2a_base64(content, newline=False)
    before = data[: len(data) - len(data.lstrip(b"\r\n"))]
    after = data[len(data.rstrip(b" \t\r\n")) :]
    return before + end.join(digits[at : at + length] for at in range(0, len(digits), length)) + after


class MessageParts(NamedTuple):
    """The parts of messages that are not plain text as it stands.

    Attributes:
        encoded: those that are encoded, in their order.
        stored: those that stand there as they are.
        files: those that are files of a kind that is written back.
    """

    encoded: list[EncodedPart]
    stored: list[StoredPart]
    files: list[EncodedPart]


def parts_of_messages(name: str, data: bytes, kind: ReaderRow, reading: ReadingOptions) -> MessageParts:
    """Return the parts of a message, or of the messages of a mailbox.

    Args:
        name: the name of the file.
        data: its bytes.
        kind: which of both it is.
        reading: how it is read.
    """
    out = Segments(ReadingRun(reading, Tally(), _ignore), Content(source=name, kind=kind, blocks=()))
    found = MessageParts([], [], [])
    for message in split_mbox((data,)) if kind is Kind.MBOX else (join_message((data,), skip_blanks=True),):
        _add_parts(found, message, out)
    return found


def _ignore(_source: str, _error: InputError) -> None:
    """Do nothing: what is broken is counted where the texts are found."""


def _add_parts(found: MessageParts, message: MailboxMessage, out: Segments) -> None:
    texts = _PartTexts(message.data, out, message)
    whole = MailPart(0, len(message.data), depth=out.source.depth)
    deque(MessageWalk(texts, Counter()).message(whole, has_fields=False), maxlen=0)
    unquoted = message.unquoted
    for part, content, kind in texts.found:
        before, after = bisect_right(unquoted, part.start), bisect_left(unquoted, part.end)
        start, end = message.offset + before + part.start, message.offset + after + part.end
        data = message.data[part.start : part.end]
        if content is None and kind not in CHAINS:
            found.stored.append(StoredPart(start, end, part.media.name in HTML, _codec(part.media, data)))
        elif before == after:  # no quotation mark of the mailbox is in it
            content = data if content is None else content
            made = EncodedPart(start, end, part.encoding, part.media, part.name, data, content, kind)
            (found.files if kind in CHAINS else found.encoded).append(made)


class _PartTexts(MessageTexts):
    """Takes note of the parts, and makes no texts."""

    def __init__(self, data: bytes, out: Segments, message: MailboxMessage) -> None:
        super().__init__(data, out, message)
        self.found: list[tuple[MailPart, bytes | None, ReaderRow | None]] = []

    def within(self, data: bytes) -> MessageTexts:
        """See `MessageTexts.within`: what is in an encoded part is read with that."""
        return _PartTexts(data, self.out, self._message)

    def fields(self, header: MailHeader, label: str, path: str) -> Iterator[Document | None]:
        """Yield nothing."""
        return iter(())

    def text(self, body: MailPart) -> Iterator[Document | None]:
        """Yield nothing."""
        return iter(())

    def leaf(self, body: MailPart) -> Iterator[Document | None]:
        """Yield nothing."""
        self.decoded(body)
        return iter(())

    def decoded(self, body: MailPart) -> bytes:
        """See `MessageTexts.decoded`."""
        data = self.data[body.start : body.end]
        if body.encoding in IDENTITY:
            self.found.append((body, None, self.file_kind(body)))
            return data
        content = decode_transfer(data, body.encoding).whole
        if body.encoding in ("base64", "quoted-printable"):
            self.found.append((body, content, self.file_kind(body)))
        return content
