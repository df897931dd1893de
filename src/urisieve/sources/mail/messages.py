"""Messages to documents: header fields that may hold links, then the parts (RFC 5322, RFC 2045 to 2049).

The standard library's `email` does not report the offset of a part in the file; the tests compare this reader with it.
A broken message is read as far as possible, and counted as a fault in the tally.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from itertools import count

from urisieve.errors import UnexpectedInputError
from urisieve.lean import Final, NamedTuple, lazy_compile, replace
from urisieve.sources.documents import Alternative, Document
from urisieve.sources.mail.header_fields import FIELD_SIGN, MailHeader
from urisieve.sources.mail.mailboxes import MESSAGE_LIMIT, MailboxMessage, split_mbox
from urisieve.sources.mail.message_texts import DEFAULT_MAIL_OPTIONS, Body, MailOptions, MessageTexts
from urisieve.sources.mail.mime import (
    ENCODING,
    IDENTITY,
    LONGEST_HEADER,
    OTHER_ENCODING,
    SEALED,
    MediaType,
    PartType,
    boundary_of,
    content_values,
    file_name,
    guess_boundary,
    media_type,
    part_type,
    split_parts,
    transfer_encoding,
)
from urisieve.sources.mail.undeclared import fitting_encoding
from urisieve.sources.reading_options import Alternatives
from urisieve.sources.tally import Tally, guarded

# Parts of a message. Digests have hundreds; after this many, the rest is read as one text.
_PARTS: Final = 10_000

_MESSAGES: Final = frozenset(["message/global", "message/news", "message/rfc822", "text/rfc822-headers"])
_BLANK: Final = lazy_compile(rb"\n\r?\n")
_ABSOLUTE: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def read_mailbox(
    blocks: Iterable[bytes],
    source: str,
    tally: Tally,
    options: MailOptions = DEFAULT_MAIL_OPTIONS,
    after: tuple[int, int] = (0, 0),
) -> Iterator[Document]:
    """Yield the documents of all messages of an mbox; memory is that of one message. For `after` see `split_mbox`."""
    for message in split_mbox(blocks, after=after):
        yield from read_one(message, source, tally, options)


def read_one(message: MailboxMessage, source: str, tally: Tally, options: MailOptions) -> Iterator[Document]:
    """Yield the documents of a message of an mbox; an unexpected exception costs only the message."""
    try:
        yield from guarded(read_message(message, source, tally, options), "message")
    except UnexpectedInputError as error:
        if options.failed is None:
            raise
        options.failed(f"{source}: message {message.number}", error)


def join_message(blocks: Iterable[bytes], limit: int = MESSAGE_LIMIT, *, skip_blanks: bool = False) -> MailboxMessage:
    """Return the message that a file holds, for `read_message`; at most its first `limit` bytes.

    A byte order mark before it is left out.

    Args:
        blocks: the bytes of the file.
        limit: the number of bytes that are kept.
        skip_blanks: whether empty lines before the header are left out; otherwise they end an empty header.
    """
    kept: list[bytes] = []
    size = 0
    for block in blocks:
        if size < limit:
            kept.append(block[: limit - size])
        size += len(block)
    whole = b"".join(kept)
    data = whole.removeprefix(BOM_UTF8)
    if skip_blanks:
        data = data.lstrip(b" \t\r\n\0")
    return MailboxMessage(number=0, offset=len(whole) - len(data), data=data, dropped=max(0, size - limit))


def read_message(
    message: MailboxMessage | bytes, source: str, tally: Tally, options: MailOptions = DEFAULT_MAIL_OPTIONS
) -> Iterator[Document]:
    """Yield the documents of a message: its header fields, then its parts, in their order.

    Time is linear in the size of the message, memory a small multiple of it.

    Args:
        message: the message with its number and offset in the mailbox; number 0, or bytes, if it is not in one.
        source: the name of the file.
        tally: counts `message`, `part` and `html` read; parts, attachments, armour and references skipped; faults.
        options: how to read it.

    Yields:
        documents whose `place` has the number of the message, its Message-ID and the part. Those of fields without
        encoded words, and of parts with an identity transfer encoding, have `offsets` into the mailbox.
    """
    if isinstance(message, bytes):
        message = MailboxMessage(number=0, offset=0, data=message)
    data = message.data
    if b"\n" not in data:  # lines that end with CR, as on old systems
        data = data.replace(b"\r", b"\n")
    texts = MessageTexts(data, source, message.number or None, tally, options, (message.offset, message.unquoted))
    if message.dropped:
        texts.fault("message", "too-long", "", f"{message.dropped:,} bytes at its end are not read")
    walk = _MessageWalk(texts, _Count())
    context = _Context("", options.depth, base=options.base)
    texts.envelope = message.envelope
    return walk.message(0, len(data), context, has_fields=message.has_fields)


class _Count:
    """The number of parts of a message so far."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        self.parts = 0


class _Context(NamedTuple):
    """Properties that a part inherits from the parts around it."""

    path: str
    depth: int
    default: str = "text/plain"
    base: str | None = None
    group: Iterator[int] | None = None  # of the numbers of the next forms of one content
    branch: int = 0

    @property
    def prefix(self) -> str:
        return f"{self.path}." if self.path else ""

    @property
    def alternative(self) -> Alternative | None:
        return None if self.group is None else Alternative(self.group, self.branch)


class _MessageWalk:
    """Walks through the parts of a message."""

    def __init__(self, texts: MessageTexts, count: _Count) -> None:
        self._texts = texts
        self._data = texts.data
        self._count = count

    def message(self, start: int, end: int, context: _Context, *, has_fields: bool = True) -> Iterator[Document]:
        """Read a message: the whole one, or one that is a part of it."""
        header = self._texts.header(start, end)
        self._texts.tally.read["message"] += 1
        self._texts.identify(header)
        if has_fields:
            yield from self._texts.fields(header, f"{context.prefix}header", context.path)
        values = content_values(self._data, header)
        media = media_type(values.get("content-type"), "text/plain")
        if not media.name.startswith("multipart/"):  # the body of a message is its part 1 (RFC 9051 6.4.5.1)
            context = context._replace(path=f"{context.prefix}1")
        yield from self._entity(header, values, end, context)

    def _entity(self, header: MailHeader, values: dict[str, str], end: int, context: _Context) -> Iterator[Document]:
        """Read the body that follows a header with these `Content-` fields."""
        media = media_type(values.get("content-type"), context.default)
        encoding = transfer_encoding(values.get(ENCODING, ""))
        if OTHER_ENCODING in values:
            self._texts.fault("header", "two-transfer-encodings", context.path)
            names = (encoding, transfer_encoding(values[OTHER_ENCODING]))
            encoding = fitting_encoding(names, self._data[header.end : end])
        location = values.get("content-location") or values.get("content-base")
        if location is not None and _ABSOLUTE.match(location):  # RFC 2557 5
            context = context._replace(base="".join(location.split()))
        elif location is not None and self._texts.options.base is not None:
            from urisieve.sources.html.html_links import resolved

            context = context._replace(base=resolved("".join(location.split()), context.base) or context.base)
        yield from self._body(PartType(media, encoding, file_name(values, media)), header.end, end, context)

    def _body(self, declared: PartType, start: int, end: int, context: _Context) -> Iterator[Document]:
        """Read a body by its declared type."""
        media, encoding, name = declared
        if media is None:
            media = media_type(None, context.default)
        body = Body(start, end, media, encoding, name, context.path, context.base, context.alternative, context.depth)
        if media.name in SEALED:
            self._texts.tally.skip("part", SEALED[media.name])
        elif media.name.startswith("multipart/"):
            yield from self._multipart(body, context)
        elif media.name not in _MESSAGES:
            yield from self._texts.leaf(body)
        elif context.depth >= self._texts.options.deepest:
            self._texts.fault("part", "nested-too-deep", context.path)
            yield from self._texts.text(body)
        else:
            inner = context._replace(depth=context.depth + 1, default="text/plain")
            if encoding in IDENTITY:
                yield from self.message(start, end, inner)
            else:  # RFC 2046 5.2.1 forbids it
                walk = self._within(self._texts.decoded(body))
                yield from walk.message(0, len(walk._data), inner)

    def _within(self, data: bytes) -> _MessageWalk:
        return _MessageWalk(self._texts.within(data), self._count)

    def _multipart(self, body: Body, context: _Context) -> Iterator[Document]:
        texts, data, start, end = self._texts, self._data, body.start, body.end
        limit = _PARTS - self._count.parts
        if context.depth >= texts.options.deepest or limit <= 0:
            texts.fault("part", "nested-too-deep" if limit > 0 else "too-many-parts", context.path)
            yield from texts.text(replace(body, encoding=""))
            return
        boundary = boundary_of(body.media)
        if boundary is None or data.find(b"--" + boundary, start, end) < 0:
            if body.encoding not in IDENTITY:  # RFC 2045 6.4 forbids it
                walk = self._within(texts.decoded(body))
                inner = replace(body, start=0, end=len(walk._data), encoding="")
                yield from walk._multipart(inner, context._replace(depth=context.depth + 1))
                return
            texts.fault("part", "no-boundary" if boundary is None else "boundary-not-found", context.path)
            boundary = guess_boundary(data, start, end)
        parts = None if boundary is None else split_parts(data, start, end, boundary, limit)
        if parts is None or parts.preamble < 0:
            yield from texts.text(replace(body, media=MediaType("text/plain"), path=f"{context.prefix}1", encoding=""))
            return
        self._count.parts += len(parts.parts)
        if parts.rest >= 0:
            texts.fault("part", "too-many-parts", context.path)
        elif not parts.closed:
            texts.fault("part", "no-closing-boundary", context.path)
        if body.media.name == "multipart/alternative" and texts.options.alternatives is Alternatives.ONCE:
            context = context._replace(group=context.group or count(1))
        yield from self._around(start, parts.preamble, f"{context.prefix}preamble")
        for number, (begin, stop) in enumerate(parts.parts, 1):
            inner_context = self._child(context, body.media, number)
            blank = _BLANK.search(data, begin, min(stop, begin + LONGEST_HEADER))
            if blank is not None and texts.options.field_sign is FIELD_SIGN:
                declared = part_type(data[begin : blank.end()])
                if declared is not None:
                    yield from self._body(declared, blank.end(), stop, inner_context)
                    continue
            header = texts.header(begin, stop)
            yield from texts.fields(header, f"{inner_context.path}.mime", inner_context.path)
            yield from self._entity(header, content_values(data, header), stop, inner_context)
        if parts.rest >= 0:
            yield from self._around(parts.rest, end, f"{context.prefix}rest")
        yield from self._around(parts.epilogue, end, f"{context.prefix}epilogue")

    @staticmethod
    def _child(context: _Context, parent: MediaType, number: int) -> _Context:
        """Return the context of a part of a multipart, by its number."""
        group, branch = context.group, context.branch
        if parent.name == "multipart/alternative" and group is not None and number > 1:
            branch = next(group)
        default = "message/rfc822" if parent.name == "multipart/digest" else "text/plain"
        return _Context(f"{context.prefix}{number}", context.depth + 1, default, context.base, group, branch)

    def _around(self, start: int, end: int, path: str) -> Iterator[Document]:
        """Read the text before the first part or after the last, which is meant for readers without MIME."""
        if self._texts.options.field_sign.search(self._data, start, end) is None or not self._data[start:end].strip():
            return
        yield from self._texts.text(Body(start, end, path=path))
