"""The tree of a message: its header, then its parts in their order (RFC 5322, RFC 2045 to 2049).

The standard library's `email` does not report the offset of a part in the file; the tests compare this reader with it.
A broken message is read as far as possible, and counted as a fault in the tally.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count

from urisieve.lean import Final, cast, lazy_compile
from urisieve.sources.documents import Alternative, Document
from urisieve.sources.mail.header_fields import MailHeader, read_header
from urisieve.sources.mail.mailboxes import MESSAGE_LIMIT, MailboxMessage
from urisieve.sources.mail.message_texts import MailPart, MessageTexts
from urisieve.sources.mail.mime import (
    FILE,
    OTHER_ENCODING,
    SEALED,
    SIGNED,
    MediaType,
    PartType,
    boundary_of,
    content_values,
    declared_part,
    guess_boundary,
    shown_boundary,
    split_parts,
)
from urisieve.sources.mail.transfer import IDENTITY, fitting_encoding, transfer_encoding
from urisieve.sources.reading_options import MailParts
from urisieve.sources.segments import Segments

# Parts of a message. Digests have hundreds; after this many, the rest is read as one text.
_PARTS: Final = 10_000

_MESSAGES: Final = frozenset(["message/global", "message/news", "message/rfc822", "text/rfc822-headers"])
_ABSOLUTE: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


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
    return MailboxMessage(offset=len(whole) - len(data), data=data, dropped=max(0, size - limit))


def read_message(message: MailboxMessage, out: Segments) -> Iterator[Document | None]:
    """Yield the documents of a message: its header fields, then its parts, in their order.

    Time is linear in the size of the message, memory a small multiple of it.

    Args:
        message: the message with its number and offset in the mailbox; number 0 if it is not in one.
        out: counts `message`, `part` and `html` read; parts, attachments, armor and references skipped; faults.

    Yields:
        documents whose `place` has the number of the message, its Message-ID and the part. Those of fields without
        encoded words, and of parts with an identity transfer encoding, have `offsets` into the mailbox.
    """
    data = message.data
    if b"\n" not in data:  # lines that end with CR, as on old systems
        data = data.replace(b"\r", b"\n")
    texts = MessageTexts(data, out, message)
    if message.dropped:
        texts.fault("message", "too-long", "", f"{message.dropped:,} bytes at its end are not read")
    whole = MailPart(0, len(data), depth=out.source.depth, base=out.reading.base)
    return MessageWalk(texts, Counter()).message(whole, has_fields=message.has_fields)


class MessageWalk:
    """Walks through the parts of a message; `counts` has the number of `parts` of all its multiparts so far."""

    def __init__(self, texts: MessageTexts, counts: Counter[str]) -> None:
        self._texts = texts
        self._data = texts.data
        self._out = texts.out
        self._counts = counts

    def message(self, part: MailPart, *, has_fields: bool = True) -> Iterator[Document | None]:
        """Read a message: the whole one, or one that is a part of it."""
        header = read_header(self._data, part.start, part.end)
        self._out.count("message")
        self._texts.identify(header)
        if has_fields:
            yield from self._texts.fields(header, f"{part.prefix}header", part.path)
        values = content_values(self._data, header)
        stated = self._stated(values, header.end, part, "text/plain")
        if stated.media.kind != "multipart":
            part = part._replace(path=f"{part.prefix}1")  # the body of a message is its part 1 (RFC 9051 6.4.5.1)
        yield from self._entity(header, values, part, stated)

    def _stated(self, values: dict[str, str], start: int, part: MailPart, default: str) -> PartType:
        """Return what the `Content-` fields declare of a body, and that it has parts if the body shows them."""
        stated = declared_part(values, default)
        boundary = None if stated.name else shown_boundary(stated.media, self._data, start, part.end)
        if boundary is None:
            return stated
        self._texts.fault("part", "undeclared-multipart", part.path)
        named = {"boundary": boundary.decode("utf-8", "surrogateescape")}
        return stated._replace(media=MediaType("multipart/mixed", named))

    def _entity(
        self, header: MailHeader, values: dict[str, str], part: MailPart, stated: PartType
    ) -> Iterator[Document | None]:
        """Read the body that follows a header with these `Content-` fields."""
        media, encoding, name = stated
        if OTHER_ENCODING in values:
            self._texts.fault("header", "two-transfer-encodings", part.path)
            names = (encoding, transfer_encoding(values[OTHER_ENCODING]))
            encoding = fitting_encoding(names, self._data[header.end : part.end])
        location = values.get("content-location") or values.get("content-base")
        base = part.base
        if location is not None and _ABSOLUTE.match(location):  # RFC 2557 5
            base = "".join(location.split())
        elif location is not None and self._out.reading.base is not None:
            from urisieve.sources.html.html_links import resolved

            base = resolved("".join(location.split()), base) or base
        part = part._replace(start=header.end, media=media, encoding=encoding, name=name, base=base)
        if media.name in SEALED:
            found = self._signed(part) if media.name in SIGNED else None
            if found is None:
                self._out.skip(SEALED[media.name], kind="part")
            else:
                yield from found
        elif media.kind == "multipart":
            yield from self._multipart(part)
        elif media.name not in _MESSAGES:
            yield from self._texts.leaf(part)
        elif part.depth >= self._out.run.limits.depth:
            self._texts.fault("part", "nested-too-deep", part.path)
            yield from self._texts.text(part)
        else:
            walk, inner = (self, part) if encoding in IDENTITY else self._within(part)  # RFC 2046 5.2.1 allows no other
            yield from walk.message(inner._replace(depth=part.depth + 1))

    def _signed(self, part: MailPart) -> Iterator[Document | None] | None:
        """Return the documents of what a part of S/MIME contains in clear (RFC 8551); None if there is nothing."""
        if part.depth >= self._out.run.limits.depth:
            return None
        from urisieve.sources.mail.signed_data import content_of, has_header, inner_name

        if part.media.parameters.get("smime-type", "signed-data").lower() not in ("signed-data", "compressed-data"):
            return None
        found = content_of(self._texts.decoded(part), self._out.budget)
        if found is None:
            return None
        if found.fault is not None:
            self._texts.fault("smime", found.fault, part.path, "not all of the content is read")
        data = found.content
        texts = self._texts.within(data)
        inner = MailPart(0, len(data), path=f"{part.prefix}1", depth=part.depth + 1, base=part.base)
        if has_header(data):
            return MessageWalk(texts, self._counts).part(inner)
        name = None if part.name is None else inner_name(part.name)
        return texts.leaf(inner._replace(media=MediaType(FILE), encoding="binary", name=name))

    def part(self, part: MailPart, default: str = "text/plain") -> Iterator[Document | None]:
        """Read a part: its header, and the body, which has the type `default` if the header has none."""
        header = read_header(self._data, part.start, part.end)
        yield from self._texts.fields(header, f"{part.path}.mime", part.path)
        values = content_values(self._data, header)
        yield from self._entity(header, values, part, self._stated(values, header.end, part, default))

    def _within(self, part: MailPart) -> tuple[MessageWalk, MailPart]:
        """Return the walk through the decoded bytes of a part, and the part there."""
        data = self._texts.decoded(part)
        walk = MessageWalk(self._texts.within(data), self._counts)
        return walk, part._replace(start=0, end=len(data), encoding="")

    def _multipart(self, part: MailPart) -> Iterator[Document | None]:
        texts, data, start, end = self._texts, self._data, part.start, part.end
        limit = _PARTS - self._counts["parts"]
        if part.depth >= self._out.run.limits.depth or limit <= 0:
            texts.fault("part", "nested-too-deep" if limit > 0 else "too-many-parts", part.path)
            yield from texts.text(part._replace(encoding=""))
            return
        boundary = boundary_of(part.media)
        if boundary is None or data.find(b"--" + boundary, start, end) < 0:
            if part.encoding not in IDENTITY:  # RFC 2045 6.4 forbids it
                walk, inner = self._within(part)
                yield from walk._multipart(inner._replace(depth=part.depth + 1))
                return
            texts.fault("part", "no-boundary" if boundary is None else "boundary-not-found", part.path)
            boundary = guess_boundary(data, start, end)
        parts = None if boundary is None else split_parts(data, start, end, boundary, limit)
        if parts is None or parts.preamble < 0:
            plain = part._replace(media=MediaType("text/plain"), path=f"{part.prefix}1", encoding="")
            yield from texts.text(plain)
            return
        self._counts["parts"] += len(parts.parts)
        if parts.rest >= 0:
            texts.fault("part", "too-many-parts", part.path)
        elif not parts.closed:
            texts.fault("part", "no-closing-boundary", part.path)
        if part.media.name == "multipart/alternative" and self._out.reading.mail_parts is MailParts.ONCE:
            part = part._replace(alternative=part.alternative or Alternative(count(1), 0))
        yield from self._around(start, parts.preamble, f"{part.prefix}preamble")
        for number, (begin, stop) in enumerate(parts.parts, 1):
            alternative = part.alternative
            if part.media.name == "multipart/alternative" and alternative is not None and number > 1:
                alternative = Alternative(alternative.group, next(cast("Iterator[int]", alternative.group)))
            inner = MailPart(
                begin,
                stop,
                path=f"{part.prefix}{number}",
                depth=part.depth + 1,
                base=part.base,
                alternative=alternative,
            )
            yield from self.part(inner, "message/rfc822" if part.media.name == "multipart/digest" else "text/plain")
        if parts.rest >= 0:
            yield from self._around(parts.rest, end, f"{part.prefix}rest")
        yield from self._around(parts.epilogue, end, f"{part.prefix}epilogue")

    def _around(self, start: int, end: int, path: str) -> Iterator[Document | None]:
        """Read the text before the first part or after the last, which is meant for readers without MIME."""
        if self._texts.may_hold(self._data, start, end) and self._data[start:end].strip():
            yield from self._texts.text(MailPart(start, end, path=path))
