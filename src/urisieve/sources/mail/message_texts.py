"""The texts of a message: header fields and parts of text, HTML and attachments, decoded, with their locations.

Also defines:

- the options of the reader of messages, and the attachment that it passes to the reader of attachments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial

from urisieve.errors import InputError
from urisieve.find.delimited import Delimited
from urisieve.lean import Final, dataclass, field, lazy_compile, replace
from urisieve.records.base import Context, Location
from urisieve.sources.bytes.charsets import Label, decode_text, html_label
from urisieve.sources.bytes.encodings import wide_encoding
from urisieve.sources.bytes.lines import Lines
from urisieve.sources.bytes.source_map import SourceLines, SourceMap
from urisieve.sources.containers.limits import DEPTH
from urisieve.sources.documents import Alternative, Document, HtmlDocuments, WayBack, no_way_back, single_documents
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind
from urisieve.sources.kinds.sniffing import content_lines_kind, kind_of
from urisieve.sources.mail.flowed import deletes_space, holds_flowed, join_flowed, lines_of, stored_offsets
from urisieve.sources.mail.header_fields import (
    FIELD_SIGN,
    LOCATION_FIELDS,
    OPAQUE_FIELDS,
    PARAMETER_FIELDS,
    Field,
    MailHeader,
    may_hold_identifier,
    message_context,
    message_id_of,
    read_header,
    read_known,
    unfold,
)
from urisieve.sources.mail.mime import HTML, IDENTITY, MediaType, decode_transfer
from urisieve.sources.mail.undeclared import (
    TNEF_SIGN,
    inline_parts,
    may_be_html,
    proved_text,
    seems_encoded,
    tnef_parts,
)
from urisieve.sources.reading_options import Alternatives
from urisieve.sources.tally import Tally
from urisieve.wording import shortened


def _html_documents(document: Document, tally: Tally) -> Iterator[Document]:
    from urisieve.sources.html.html_documents import html_documents

    return html_documents(document, tally)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A part that is not text.

    Attributes:
        source: the name of the file that holds the message.
        place: the message and the part.
        name: its file name, None if it has none.
        media_type: its declared media type.
        depth: the number of containers around it; see `Content`.
        head: returns its first bytes, decoded: enough to detect its kind.
        read: returns all its bytes, decoded.
    """

    source: str
    place: Location
    name: str | None
    media_type: str
    depth: int
    head: Callable[[], bytes]
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailOptions:
    """Options for reading mail.

    Attributes:
        alternatives: how the forms of multipart/alternative are read.
        field_sign: a pattern that a header field must contain to be read.
        attachment: reads an attachment (an archive, compressed text). If it is None or returns None, the part is read
            only if it is text.
        html: reads HTML.
        failed: called with the name of a message over which the reader raised an unexpected exception, and the error;
            the messages after it are read. None lets the exception through.
        depth: the number of containers around the message.
        deepest: the number of containers that may be around a part; deeper parts are read as text.
        base: the URI against which relative references of HTML are resolved where the mail states none.
        context: whether locations have the context of their message.
    """

    alternatives: Alternatives = Alternatives.ONCE
    field_sign: re.Pattern[bytes] = FIELD_SIGN
    attachment: Callable[[Attachment], Iterable[Document] | None] | None = None
    html: HtmlDocuments = _html_documents
    failed: Callable[[str, InputError], None] | None = None
    depth: int = 0
    deepest: int = DEPTH
    base: str | None = None
    context: bool = False


DEFAULT_MAIL_OPTIONS: Final = MailOptions()


_TEXTUAL: Final = lazy_compile(
    r"text/.*|message/.*|multipart/.*|application/(?:(?:x-)?(?:javascript|json|rtf|xml)|.*\+(?:json|xml))"
)
# Calendars and cards; others are found by their content.
_CONTENT_LINES: Final = frozenset(["text/calendar", "text/directory", "text/vcard", "text/x-vcalendar", "text/x-vcard"])
# Text in a format that has a reader of its own.
_STRUCTURED: Final = lazy_compile(
    r"text/(?:csv|json|tab-separated-values|xml)|application/(?:(?:x-)?(?:json|ndjson|xml)|json-seq|.*\+(?:json|xml))"
)
_STRUCTURED_NAME: Final = lazy_compile(r".*\.(?:atom|csv|jsonl?|ndjson|rss|tsv|warc|xml)", re.I | re.S)
_ASCII_OR_UTF8: Final = frozenset(["us-ascii", "ascii", "utf-8", "utf8"])
_KINDS: Final = frozenset(["application", "audio", "font", "image", "model", "video"])
# Lines of base64 in armour have no colon, so that nothing is found in them (RFC 9580 6.2, RFC 7468 2).
_ARMOUR: Final = lazy_compile(r"^-----BEGIN (PGP|PKCS7|CMS)\b", re.M)
_HTML_NAME: Final = lazy_compile(r".*\.x?html?", re.I | re.S)
# How many bytes of an attachment without a type are examined to detect text.
_SAMPLE: Final = 4_096
_CONTROLS: Final = lazy_compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_FORMATS: Final = (b"%PDF-", b"%!PS", b"{\\rtf")  # their bytes are text, but not text for reading


@dataclass(slots=True)
class Body:
    """A part without parts, still encoded. It is not changed once it is made.

    Attributes:
        start: the offset in the message at which it begins, in bytes.
        end: the offset at which it ends.
        media: its type.
        encoding: its Content-Transfer-Encoding in lower case, "" without one.
        name: its file name.
        path: its numbers in the parts around it (`2.1`).
        base: the URI that relative references in it are resolved against.
        alternative: set in a form of multipart/alternative.
        depth: the number of containers around it.
    """

    start: int
    end: int
    media: MediaType = field(default_factory=lambda: MediaType("text/plain"))
    encoding: str = ""
    name: str | None = None
    path: str = "1"
    base: str | None = None
    alternative: Alternative | None = None
    depth: int = 0


class MessageTexts:
    """Makes the documents of one message, or of a part that was decoded to find parts in it.

    Args:
        data: the message.
        source: the name of the file.
        number: its number in the mailbox.
        tally: counts everything read, skipped and broken.
        options: how it is read.
        origin: the offset in the file at which it begins, and the offsets in it before which one byte was left out, in
            bytes; None if it was decoded.
    """

    def __init__(
        self,
        data: bytes,
        source: str,
        number: int | None,
        tally: Tally,
        options: MailOptions,
        origin: tuple[int, Sequence[int]] | None,
    ) -> None:
        self.data = data
        self.options = options
        self.tally = tally
        self.message_id: str | None = None
        self.context: Context | None = None
        self.envelope: bytes | None = None
        self._source = source
        self._number = number
        self._origin = origin

    def within(self, data: bytes) -> MessageTexts:
        """Return the same for a decoded part of the message."""
        texts = MessageTexts(data, self._source, self._number, self.tally, self.options, None)
        texts.message_id, texts.context = self.message_id, self.context
        return texts

    def fault(self, kind: str, reason: str, part: str, detail: str = "") -> None:
        """Count a fault."""
        if self.tally.broken[kind, reason] >= self.tally.kept:  # a mailbox may have a million faults
            self.tally.broken[kind, reason] += 1
            return
        self.tally.fault(kind, reason, f"{self._said(part)}: {detail or reason.replace('-', ' ')}")

    def _said(self, part: str) -> str:
        where = "" if self._number is None else f": message {self._number}"
        return f"{self._source}{where}: part {part}" if part else f"{self._source}{where}"

    def header(self, start: int, end: int) -> MailHeader:
        """Read the header of the message or of a part."""
        return read_header(self.data, start, end)

    def identify(self, header: MailHeader) -> None:
        """Remember the Message-ID and the context; those of the outermost message count."""
        if self.options.context and self.context is None:
            self.context = message_context(self.data, header, self.envelope)
        for row in header.fields:
            if row.name == "message-id" and self.message_id is None:
                self.message_id = message_id_of(self.data[row.start : row.end])

    def fields(self, header: MailHeader, label: str, path: str) -> Iterator[Document]:
        """Yield the fields that may hold an identifier."""
        if header.fault is not None:
            self.fault("header", header.fault, path)
        search = self.options.field_sign.search
        data = self.data
        for row in header.fields:
            telling = search(data, row.start, row.end) is not None or data.find(b"=?", row.start, row.end) >= 0
            if not telling and (row.name not in PARAMETER_FIELDS or data.find(b"*", row.start, row.end) < 0):
                continue
            if row.name not in OPAQUE_FIELDS:
                yield self._field(row, f"{label}:{shortened(row.written)}", path)
        for start, end in header.strange:
            yield from self.text(Body(start, end, path=label))

    def _field(self, row: Field, label: str, path: str) -> Document:
        value = self.data[row.start : row.end]
        text, decoded, codec, legacy, broken = unfold(value)
        if broken is not None:
            self.fault("header", broken, path)
        text, selection, changed = read_known(row.name, text)
        return Document(
            source=self._source,
            text=(text,),
            place=self._location(label),
            offsets=no_way_back if decoded or changed else self._way_back(value, row.start, codec, selection),
            legacy=legacy,
            delimited=Delimited.LINK if row.name in LOCATION_FIELDS else Delimited.TEXT,
            in_memory=max(1, len(text)),
        )

    def _location(self, part: str) -> Location:
        return Location(message=self._number, message_id=self.message_id, part=part, context=self.context)

    def _way_back(self, data: bytes, start: int, codec: str, selection: SourceMap | None) -> WayBack:
        if self._origin is None:
            return no_way_back
        return cache(partial(stored_offsets, data, start, codec, selection, *self._origin))  # HTML asks for each link

    def decoded(self, body: Body) -> bytes:
        """Return the bytes of a part, decoded by its transfer encoding."""
        data = self.data[body.start : body.end]
        if body.encoding in IDENTITY:
            return data
        transfer = decode_transfer(data, body.encoding)
        if transfer.fault is not None:
            self.fault("part", transfer.fault, body.path)
        return transfer.whole

    def leaf(self, body: Body) -> Iterator[Document]:
        """Read a part by its type, and by the transfer encoding that its content proves."""
        if body.encoding in IDENTITY and body.media.kind == "text":
            data = self.data[body.start : body.end]
            proved = proved_text(data)
            if proved is not None:
                yield from self.within(proved).leaf(replace(body, start=0, end=len(proved), encoding="binary"))
                return
            if seems_encoded(data):
                self.fault("part", "undeclared-encoding", body.path)
        if body.media.name in HTML:
            yield from self._html(body, self.decoded(body))
        elif _TEXTUAL.fullmatch(body.media.name):
            found = self._opened(body) if self._is_structured(body) else None
            yield from self.text(body) if found is None else found
        else:
            yield from self._attachment(body)

    def text(self, body: Body) -> Iterator[Document]:
        """Read a part of text."""
        data = self.decoded(body)
        kind = content_lines_kind(data[:HEAD_SIZE].lstrip())
        if kind is not None or body.media.name in _CONTENT_LINES:
            yield from self._properties(body, data, kind)
        elif body.media.name == "text/plain" and b"</" in data and self._is_html(data):
            yield from self._html(body, data)
        else:
            yield from self._plain(body, data)

    @staticmethod
    def _is_html(data: bytes) -> bool:
        return kind_of(data[:HEAD_SIZE]) is Kind.HTML and may_be_html(data)

    def _plain(self, body: Body, data: bytes) -> Iterator[Document]:
        """Read plain text, and the files and HTML in it."""
        offset = 0
        line = 1

        def stretch(end: int) -> Document:
            nonlocal line
            if not offset and end == len(data):
                return self._text(body, data)
            document = self._text(replace(body, start=body.start + offset), data[offset:end])
            if offset and document.position is None:
                document.position = SourceLines("".join(document.text), line=line).place
            return document

        for part in inline_parts(data):
            if data[offset : part.start].strip():
                yield stretch(part.start)
            if part.name is None:
                yield from self._html(replace(body, start=body.start + part.start), data[part.start : part.end])
            else:
                name = part.name.decode("utf-8", "replace")
                inner = Body(0, len(part.data), MediaType("application/octet-stream"), "", name, body.path)
                yield from self.within(part.data).leaf(replace(inner, depth=body.depth))
            line += data.count(b"\n", offset, part.end)
            offset = part.end
        if not offset or data[offset:].strip():
            yield stretch(len(data))

    def _properties(self, body: Body, data: bytes, kind: Kind | None) -> Iterator[Document]:
        """Read a part that is a calendar, cards or LDIF."""
        from urisieve.sources.inner_texts import in_html
        from urisieve.sources.segments import SourceCounts
        from urisieve.sources.structured.content_lines import ContentLines

        text, codec, legacy = self._characters(body, data, body.media.parameters.get("charset"))
        whole = replace(self._document(body, data, text, codec, legacy, None), in_memory=0)
        may_hold = may_hold_identifier if self.options.field_sign is FIELD_SIGN else bool
        counts = SourceCounts(self.tally, self._said(body.path), "part")
        lines = ContentLines(counts, is_ldif=kind is Kind.LDIF, may_hold=may_hold)
        place = SourceLines(text).place
        for value in filter(None, lines.values(Lines(1, 0, text.split("\n"), ()).numbered())):
            document = value.document(whole, place)
            if value.is_html:
                yield from in_html(document, self._single_html, self.tally, partial(value.inside, document.place))
            else:
                yield document

    def _single_html(self, outer: Document, counts: Tally) -> Iterator[Document]:
        return single_documents(self.options.html(outer, counts))

    def _text(self, body: Body, data: bytes) -> Document:
        text, codec, legacy = self._characters(body, data, body.media.parameters.get("charset"))
        if (codec != "utf-8" or b"-----BEGIN " in data) and "-----BEGIN " in text:
            for armour in _ARMOUR.finditer(text):
                self.tally.skip("armour", "pgp" if armour[1] == "PGP" else "smime")
        whole = text
        selection = None
        if deletes_space(body.media.name, body.media.parameters) and holds_flowed(text):
            text, selection = join_flowed(text)
        document = self._document(body, data, text, codec, legacy, selection)
        return document if selection is None else replace(document, position=lines_of(whole, selection))

    def _html(self, body: Body, data: bytes) -> Iterator[Document]:
        label = body.media.parameters.get("charset") or html_label(data)
        text, codec, legacy = self._characters(body, data, label)
        return self.options.html(self._document(body, data, text, codec, legacy, None), self.tally)

    def _document(
        self, body: Body, data: bytes, text: str, codec: str, legacy: bool, selection: SourceMap | None
    ) -> Document:
        self.tally.read["part"] += 1
        return Document(
            source=self._source,
            text=(text,),
            place=self._location(body.path),
            offsets=self._way_back(data, body.start, codec, selection) if body.encoding in IDENTITY else no_way_back,
            legacy=legacy,
            base=body.base,
            alternative=body.alternative,
            in_memory=max(1, len(text)),
        )

    def _characters(self, body: Body, data: bytes, label: str | None) -> tuple[str, str, bool]:
        decoded = decode_text(data, label)
        if decoded.label is Label.UNKNOWN:
            self.fault("part", "unknown-charset", body.path)
        elif decoded.label is Label.WRONG:
            self.fault("part", "wrong-charset", body.path)
        return decoded.text, decoded.codec, decoded.legacy

    @staticmethod
    def _is_structured(body: Body) -> bool:
        """Report whether a part of text is an attached file in a format, in an encoding that its reader expects."""
        if body.name is None:
            return False
        if not (_STRUCTURED.fullmatch(body.media.name) or _STRUCTURED_NAME.fullmatch(body.name)):
            return False
        return body.media.parameters.get("charset", "utf-8").lower() in _ASCII_OR_UTF8

    def _opened(self, body: Body) -> Iterable[Document] | None:
        """Return the documents of a part that a reader of its format takes; None if there is no such reader."""
        reader = self.options.attachment
        if reader is None:
            return None
        return reader(
            Attachment(
                source=self._source,
                place=self._location(body.path),
                name=body.name,
                media_type=body.media.name,
                depth=body.depth,
                head=lambda: self._head(body),
                read=lambda: self.decoded(body),
            )
        )

    def _attachment(self, body: Body) -> Iterator[Document]:
        found = self._opened(body)
        if found is not None:
            yield from found
            return
        kind = body.media.name.partition("/")[0]
        is_tnef = self._head(body).startswith(TNEF_SIGN)
        if is_tnef:
            yield from self._tnef(body)
        elif kind == "application" and self._is_text(body):
            if body.name is not None and _HTML_NAME.fullmatch(body.name):
                yield from self._html(body, self.decoded(body))
            else:
                yield self._text(body, self.decoded(body))
            return
        else:
            self.tally.skip("attachment", kind if kind in _KINDS else "other")
        # Base64 has no colon. If a message was cut and another one follows, the part holds that one, too.
        if body.encoding == "base64" and self.data.find(b":", body.start, body.end) >= 0:
            transfer = decode_transfer(self.data[body.start : body.end], body.encoding)
            if not is_tnef:  # else it is counted already
                self.fault("part", "bad-base64", body.path)
            yield self._text(replace(body, media=MediaType("text/plain")), transfer.stray)

    def _tnef(self, body: Body) -> Iterator[Document]:
        """Read `winmail.dat`: the forms of its text, which are one content, and its files."""
        if body.depth >= self.options.deepest:
            self.fault("part", "nested-too-deep", body.path)
            return
        group = object() if self.options.alternatives is Alternatives.ONCE else None
        try:
            for number, part in enumerate(tnef_parts(self.decoded(body)), 1):
                charset = {} if part.charset is None else {"charset": part.charset}
                is_text = group is not None and part.media.startswith("text/")
                inner = Body(
                    0,
                    len(part.data),
                    MediaType(part.media, charset),
                    "binary",
                    part.name,
                    f"{body.path}.{number}",
                    body.base,
                    Alternative(group, number) if is_text else body.alternative,
                    body.depth + 1,
                )
                yield from self.within(part.data).leaf(inner)
        except ValueError as error:
            self.fault("part", "bad-tnef", body.path, f"damaged winmail.dat: {error}")

    def _head(self, body: Body) -> bytes:
        """Return the first bytes of a part, decoded."""
        # Four characters of base64 are three bytes; a line has 76 characters and its end.
        head = self.data[body.start : min(body.end, body.start + 2 * _SAMPLE)]
        if body.encoding not in IDENTITY:
            head = decode_transfer(head, body.encoding).data
        return head[:_SAMPLE]

    def _is_text(self, body: Body) -> bool:
        """Report whether an attachment is text, by its first bytes."""
        head = self._head(body)
        if wide_encoding(head) is not None:
            return True
        if not head.strip() or _CONTROLS.search(head) is not None or head.startswith(_FORMATS):
            return False
        # Only the last character may be cut.
        return decode_text(head[:-4] if len(head) > _SAMPLE // 2 else head, None).codec == "utf-8"
