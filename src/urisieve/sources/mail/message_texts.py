"""The texts of a message: header fields and parts of text, HTML and attachments, decoded, with their locations.

A line end that DelSp says to delete is left out of a flowed text, with the quote marks after it (RFC 3676 4.2 and 6).
All other quote marks stay: a candidate that goes on in the next line knows of prefixes (`urisieve.find.line_prefixes`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache, partial

from urisieve.find.delimited import Delimited
from urisieve.lean import Final, NamedTuple, lazy_compile, replace
from urisieve.records.base import Context, Location, with_context
from urisieve.sources.bytes.charsets import Label, decode_text, html_label, local_offsets
from urisieve.sources.bytes.encodings import wide_encoding
from urisieve.sources.bytes.lines import Lines
from urisieve.sources.bytes.source_map import SourceLines, SourceMap, composed
from urisieve.sources.containers.contents import Declared, shown_name
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.documents import Alternative, Document, MapOfText, Segment, no_map
from urisieve.sources.inner_texts import may_contain
from urisieve.sources.kinds.kind_table import HEAD_SIZE, TAR_BLOCK, Kind, ReaderRow
from urisieve.sources.kinds.sniffing import content_lines_kind, kind_of, kind_of_beginning, signed_kind
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
    read_known,
    unfold,
)
from urisieve.sources.mail.mailboxes import MailboxMessage
from urisieve.sources.mail.mime import FILE, HTML, TNEF_SIGN, MediaType, deletes_space, join_flowed
from urisieve.sources.mail.transfer import (
    BY_LINES,
    IDENTITY,
    decode_transfer,
    inline_parts,
    may_be_html,
    proved_text,
    seems_encoded,
)
from urisieve.sources.reading_options import MailParts
from urisieve.sources.reading_run import SourceCounts
from urisieve.sources.segments import Segments
from urisieve.wording import member_name, shortened

_TEXTUAL: Final = lazy_compile(
    r"text/.*|message/.*|multipart/.*|application/(?:(?:x-)?(?:javascript|json|rtf|xml)|.*\+(?:json|xml))"
)
# Calendars and cards; others are found by their content.
_CONTENT_LINES: Final = frozenset(["text/calendar", "text/directory", "text/vcard", "text/x-vcalendar", "text/x-vcard"])
# Text in a format that has a reader of its own.
_STRUCTURED: Final = lazy_compile(
    r"text/(?:csv|json|tab-separated-values|xml)|application/(?:(?:x-)?(?:json|ndjson|xml)|json-seq|.*\+(?:json|xml))"
)
_ENDINGS: Final = tuple([f".{ending}" for kind in Kind for ending in kind.attached])
ASCII_OR_UTF8: Final = frozenset(["us-ascii", "ascii", "utf-8", "utf8"])
_KINDS: Final = frozenset(["application", "audio", "font", "image", "model", "video"])
# Lines of base64 in armor have no colon, so that nothing is found in them (RFC 9580 6.2, RFC 7468 2).
_ARMOR: Final = lazy_compile(r"^-----BEGIN (PGP|PKCS7|CMS)\b", re.M)
_HTML_NAME: Final = lazy_compile(r".*\.x?html?", re.I | re.S)
# How many bytes of an attachment without a type are examined to detect text.
_SAMPLE: Final = 4_096
_CONTROLS: Final = lazy_compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_FORMATS: Final = (b"%PDF-", b"%!PS", b"{\\rtf")  # their bytes are text, but not text for reading
_EMPTY: Final = ("",)  # an empty text, which is counted among those of a message


class MailPart(NamedTuple):
    """A part of a message.

    Attributes:
        start: the offset in the message at which it begins, in bytes; that of its body where its header is read.
        end: the offset at which it ends.
        media: its type.
        encoding: its Content-Transfer-Encoding in lower case, "" without one.
        name: its file name.
        path: its numbers in the parts around it (`2.1`); "" for the whole message.
        base: the URI that relative references in it are resolved against.
        alternative: set in a form of multipart/alternative; its group yields the numbers of the next forms.
        depth: the number of containers around it.
    """

    start: int
    end: int
    media: MediaType = MediaType("text/plain")
    encoding: str = ""
    name: str | None = None
    path: str = ""
    base: str | None = None
    alternative: Alternative | None = None
    depth: int = 0

    @property
    def prefix(self) -> str:
        """The beginning of the paths of the parts in this one."""
        return f"{self.path}." if self.path else ""


class MessageTexts:
    """Makes the documents of one message, or of a part that was decoded to find parts in it.

    Args:
        data: the message.
        out: counts everything read, skipped and broken, and has the options.
        message: the message in its mailbox.
        is_stored: whether `data` is in the file as it is, and not decoded.
    """

    def __init__(self, data: bytes, out: Segments, message: MailboxMessage, *, is_stored: bool = True) -> None:
        self.data = data
        self.out = out
        self._message = message
        self._is_stored = is_stored
        self._message_id: str | None = None
        self._context: Context | None = None

    def within(self, data: bytes) -> MessageTexts:
        """Return the same for a decoded part of the message."""
        texts = MessageTexts(data, self.out, self._message, is_stored=False)
        texts._message_id, texts._context = self._message_id, self._context
        return texts

    def fault(self, kind: str, reason: str, part: str, detail: str = "") -> None:
        """Count a fault."""
        self.out.fault(reason, detail or reason.replace("-", " "), kind=kind, name=self._name(part))

    def _name(self, part: str) -> str:
        where = f": message {self._message.number}" if self._message.number else ""
        return f"{self.out.name}{where}: part {part}" if part else f"{self.out.name}{where}"

    def identify(self, header: MailHeader) -> None:
        """Remember the Message-ID and the context; those of the outermost message count."""
        if self.out.wants_context and self._context is None:
            self._context = message_context(self.data, header, self._message.envelope)
        for row in header.fields:
            if row.name == "message-id" and self._message_id is None:
                self._message_id = message_id_of(self.data[row.start : row.end])

    def may_hold(self, data: bytes, start: int, end: int) -> bool:
        """Report whether there may be an identifier between two offsets."""
        return self.out.run.every_field or FIELD_SIGN.search(data, start, end) is not None

    def fields(self, header: MailHeader, label: str, path: str) -> Iterator[Document | None]:
        """Add the fields that may hold an identifier."""
        if header.fault is not None:
            self.fault("header", header.fault, path)
        data = self.data
        for row in header.fields:
            is_distinctive = self.may_hold(data, row.start, row.end) or data.find(b"=?", row.start, row.end) >= 0
            if not is_distinctive and (row.name not in PARAMETER_FIELDS or data.find(b"*", row.start, row.end) < 0):
                continue
            if row.name not in OPAQUE_FIELDS:
                yield self._field(row, f"{label}:{shortened(row.written)}", path)
        for start, end in header.strange:
            yield from self.text(MailPart(start, end, path=label))

    def _field(self, row: Field, label: str, path: str) -> Document | None:
        value = self.data[row.start : row.end]
        text, decoded, codec, legacy, broken = unfold(value)
        if broken is not None:
            self.fault("header", broken, path)
        text, selection, changed = read_known(row.name, text)
        return self.out.add(
            text or _EMPTY,
            None if decoded or changed else self._source_map(value, row.start, codec, selection),
            place=self._location(label),
            legacy=legacy,
            delimited=Delimited.LINK if row.name in LOCATION_FIELDS else Delimited.TEXT,
            always=True,
        )

    def _location(self, part: str) -> Location:
        return Location(self._message.number or None, self._message_id, part, context=self._context)

    def _source_map(self, data: bytes, start: int, codec: str, selection: SourceMap | None = None) -> MapOfText | None:
        if not self._is_stored:
            return None
        return cache(partial(_stored_offsets, data, start, codec, selection, self._message))  # HTML asks for each link

    def decoded(self, body: MailPart) -> bytes:
        """Return the bytes of a part, decoded by its transfer encoding."""
        data = self.data[body.start : body.end]
        if body.encoding in IDENTITY:
            return data
        transfer = decode_transfer(data, body.encoding)
        if transfer.fault is not None:
            self.fault("part", transfer.fault, body.path)
        return transfer.whole

    def leaf(self, body: MailPart) -> Iterator[Document | None]:
        """Read a part by its type, and by the transfer encoding that its content proves."""
        if body.encoding in IDENTITY and body.media.kind == "text":
            data = self.data[body.start : body.end]
            proved = proved_text(data)
            if proved is not None:
                yield from self.within(proved).leaf(body._replace(start=0, end=len(proved), encoding="binary"))
                return
            if seems_encoded(data):
                self.fault("part", "undeclared-encoding", body.path)
        if body.media.name in HTML:
            yield from self._html(body, self.decoded(body))
        elif _TEXTUAL.fullmatch(body.media.name):
            if self._has_sign(body):
                yield from self._attachment(body)
            elif self._is_structured(body) and self.opens(body):
                yield from self._opened(body, body.media.parameters.get("charset"))
            else:
                yield from self.text(body)
        else:
            yield from self._attachment(body)

    def text(self, body: MailPart) -> Iterator[Document | None]:
        """Read a part of text."""
        data = self.decoded(body)
        kind = content_lines_kind(data[:HEAD_SIZE].lstrip())
        if kind is not None or body.media.name in _CONTENT_LINES:
            yield from self._properties(body, data, kind)
        elif self._is_html(data):
            yield from self._html(body, data)
        else:
            yield from self._plain(body, data)

    @staticmethod
    def _is_html(data: bytes) -> bool:
        return b"</" in data and kind_of(data[:HEAD_SIZE]) is Kind.HTML and may_be_html(data)

    def _plain(self, body: MailPart, data: bytes) -> Iterator[Document | None]:
        """Read plain text, and the files and HTML in it."""
        offset = 0
        line = 1

        def chunk(end: int) -> Document | None:
            return self._text(body._replace(start=body.start + offset), data[offset:end], line if offset else None)

        for part in inline_parts(data):
            if data[offset : part.start].strip():
                yield chunk(part.start)
            if part.name is None:
                yield from self._html(body._replace(start=body.start + part.start), data[part.start : part.end])
            else:
                if not part.is_whole:
                    self.fault("part", "bad-uuencode", body.path)
                name = part.name.decode("utf-8", "replace")
                inner = MailPart(0, len(part.data), MediaType(FILE), "", name, body.path, depth=body.depth)
                yield from self.within(part.data).leaf(inner)
            line += data.count(b"\n", offset, part.end)
            offset = part.end
        if not offset or data[offset:].strip():
            yield chunk(len(data))

    def _properties(self, body: MailPart, data: bytes, kind: Kind | None) -> Iterator[Document]:
        """Read a part that is a calendar, cards or LDIF."""
        from urisieve.sources.structured.content_lines import ContentLines

        text, codec, legacy = self._characters(body, data, body.media.parameters.get("charset"))
        whole = replace(self._segment(body, data, text, codec, legacy), in_memory=0)
        may_hold = bool if self.out.run.every_field else _may_hold_inside
        counts = SourceCounts(self.out.tally, self._name(body.path), "part")
        lines = ContentLines(counts, is_ldif=kind is Kind.LDIF, may_hold=may_hold)
        place, inner = SourceLines(text).place, self.out.run.inner_texts()
        for value in filter(None, lines.values(Lines(1, 0, text.split("\n"), ()).numbered())):
            yield from inner.opened([value.segment(whole, place).document()])

    def _text(self, body: MailPart, data: bytes, line: int | None = None) -> Document | None:
        """Add a text; `line` is the number of its first line in the part, None if it is all of that."""
        text, codec, legacy = self._characters(body, data, body.media.parameters.get("charset"))
        if (codec != "utf-8" or b"-----BEGIN " in data) and "-----BEGIN " in text:
            for armor in _ARMOR.finditer(text):
                self.out.skip("pgp" if armor[1] == "PGP" else "smime", kind="armour")
        position = None if line is None else SourceLines(text, line=line).place
        selection = None
        if deletes_space(body.media) and " \n" in text.replace("\r", ""):
            lines = SourceLines(text)
            text, selection = join_flowed(text)
            to_whole = selection.source
            position = lambda offset: lines.place(to_whole(offset))  # noqa: E731
        self.out.count("part")
        return self.out.add(
            text or _EMPTY,
            self._source_map(data, body.start, codec, selection) if body.encoding in IDENTITY else None,
            place=self._location(body.path),
            legacy=legacy,
            base=body.base,
            position=position,
            alternative=body.alternative,
            always=True,
        )

    def _html(self, body: MailPart, data: bytes) -> Iterator[Document]:
        label = body.media.parameters.get("charset") or html_label(data)
        text, codec, legacy = self._characters(body, data, label)
        return self.out.run.html(self._segment(body, data, text, codec, legacy), self.out.tally)

    def _segment(self, body: MailPart, data: bytes, text: str, codec: str, legacy: bool) -> Segment:
        """Return a text that is read by the reader of its format."""
        self.out.count("part")
        return Segment(
            source=self.out.name,
            text=(text,),
            place=self._location(body.path),
            offsets=(self._source_map(data, body.start, codec) if body.encoding in IDENTITY else None) or no_map,
            legacy=legacy,
            base=body.base,
            alternative=body.alternative,
            in_memory=max(1, len(text)),
        )

    def _characters(self, body: MailPart, data: bytes, label: str | None) -> tuple[str, str, bool]:
        decoded = decode_text(data, label)
        if decoded.label is Label.UNKNOWN:
            self.fault("part", "unknown-charset", body.path)
        elif decoded.label is Label.WRONG:
            self.fault("part", "wrong-charset", body.path)
        return decoded.text, decoded.codec, decoded.legacy

    def _has_sign(self, body: MailPart) -> bool:
        """Report whether what is said to be text is a file that begins as no text does: an archive, a document.

        A plain text without a name is shown as it is.
        """
        if body.name is None and body.media.name == "text/plain":
            return False
        return signed_kind(self._head(body, TAR_BLOCK)) is not None

    @staticmethod
    def _is_structured(body: MailPart) -> bool:
        """Report whether a part of text is a file in a format: its type or its name says that programs read it."""
        return bool(_STRUCTURED.fullmatch(body.media.name)) or (body.name or "").lower().endswith(_ENDINGS)

    def opens(self, body: MailPart) -> bool:
        """Report whether a part is a file of a kind that is read where it is attached."""
        return self._kind(body).is_attached

    def _kind(self, body: MailPart) -> ReaderRow:
        head = self._head(body)
        return kind_of_beginning(head, partial(self._head, body), body.name or "", media_type=body.media.name)

    def file_kind(self, body: MailPart) -> ReaderRow | None:
        """Return the kind of file that `leaf` reads a part as; None for a text or a page of the message."""
        if body.media.name in HTML:
            return None
        if _TEXTUAL.fullmatch(body.media.name) and not (self._has_sign(body) or self._is_structured(body)):
            return None
        kind = self._kind(body)
        return kind if kind.is_attached else None

    def _opened(self, body: MailPart, label: str | None = None) -> Iterator[Document]:
        """Read a file, a text in the character set of a label."""
        name = None if body.name is None else shown_name(body.name.encode("utf-8", "replace"))
        source = member_name(self.out.name, name or body.path, MEMBER)
        within = replace(self.out.source, depth=body.depth)
        place = partial(_inside, self._location(body.path))
        data = self.decoded(body)
        is_plain = label is None or label.lower() in ASCII_OR_UTF8
        declared = Declared(body.media.name, codec=None if is_plain else self._characters(body, data, label)[1])
        found = self.out.run.documents(source, [data], within=within, declared=declared)
        return (document.placed(place) for document in found)

    def _attachment(self, body: MailPart) -> Iterator[Document | None]:
        if self.opens(body):
            yield from self._opened(body)
            return
        kind = body.media.name.partition("/")[0]
        is_tnef = self._head(body).startswith(TNEF_SIGN)
        if is_tnef:
            yield from self._tnef(body)
        elif kind == "application" and (self._is_text(body) or kind_of(self._head(body)) is Kind.HTML):
            data = self.decoded(body)
            if (body.name is not None and _HTML_NAME.fullmatch(body.name)) or self._is_html(data):
                yield from self._html(body, data)
            else:
                yield self._text(body, data)
            return
        else:
            self.out.skip(kind if kind in _KINDS else "other", kind="attachment")
        # Base64 has no colon. If a message was cut and another one follows, the part holds that one, too.
        if body.encoding == "base64" and self.data.find(b":", body.start, body.end) >= 0:
            transfer = decode_transfer(self.data[body.start : body.end], body.encoding)
            if not is_tnef:  # else it is counted already
                self.fault("part", "bad-base64", body.path)
            yield self._text(body._replace(media=MediaType("text/plain")), transfer.stray)

    def _tnef(self, body: MailPart) -> Iterator[Document | None]:
        """Read `winmail.dat`: the forms of its text, which are one content, and its files."""
        from urisieve.sources.mail.outlook import tnef_parts

        if body.depth >= self.out.run.limits.depth:
            self.fault("part", "nested-too-deep", body.path)
            return
        group = object() if self.out.reading.mail_parts is MailParts.ONCE else None
        try:
            for number, part in enumerate(tnef_parts(self.decoded(body)), 1):
                charset = {} if part.charset is None else {"charset": part.charset}
                is_text = group is not None and part.media.startswith("text/")
                inner = MailPart(
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

    def _head(self, body: MailPart, size: int = _SAMPLE) -> bytes:
        """Return so many first bytes of a part, decoded."""
        # Four characters of base64 are three bytes; a line has 76 characters and its end.
        end = min(body.end, body.start + 2 * size) if body.encoding in BY_LINES else body.end
        head = self.data[body.start : end]
        if body.encoding not in IDENTITY:
            head = decode_transfer(head, body.encoding).data
        return head[:size]

    def _is_text(self, body: MailPart) -> bool:
        """Report whether an attachment is text, by its first bytes."""
        head = self._head(body)
        if wide_encoding(head) is not None:
            return True
        if not head.strip() or _CONTROLS.search(head) is not None or head.startswith(_FORMATS):
            return False
        # Only the last character may be cut.
        return decode_text(head[:-4] if len(head) > _SAMPLE // 2 else head, None).codec == "utf-8"


def _may_hold_inside(text: str) -> bool:
    return may_hold_identifier(text) or may_contain(text)


def _inside(outer: Location, inner: Location) -> Location:
    """Return the location of a text in an attachment: the message it came with, unless it is mail itself."""
    if inner.message is not None or inner.part is not None:
        return inner if inner.message is not None else inner._replace(message=outer.message)
    return with_context(outer._replace(field=inner.field, row=inner.row, context=inner.context), outer.context)


def _stored_offsets(
    data: bytes, start: int, codec: str, selection: SourceMap | None, message: MailboxMessage
) -> SourceMap | None:
    """Return the map of a text that is stored in a file without a transfer encoding; None if its set has none.

    Args:
        data: the bytes of the text.
        start: their offset in the message, in bytes.
        codec: their codec.
        selection: the chunks of the text that are needed, None for all of it.
        message: the message in its mailbox.
    """
    found: SourceMap | None = SourceMap()
    if not (data.isascii() and codec == "utf-8"):
        found = local_offsets(data, codec)
    if selection is not None:
        found = composed(found, selection)
    if found is None:
        return None
    # From bytes of the text to those of the file, which has one more before each of those numbered.
    first, stop = bisect_right(message.unquoted, start), bisect_left(message.unquoted, start + len(data))
    file = SourceMap()
    for number, end in enumerate((*message.unquoted[first:stop], start + len(data)), first):
        file.add(message.offset + start + number, message.offset + end + number)
        start = end
    return composed(file, found)
