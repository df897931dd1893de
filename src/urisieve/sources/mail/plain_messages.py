"""Plain messages of a mailbox, many at once, as the compiled kernel reads them.

A message is plain if its header is well formed and its body is one text, in UTF-8 or in a character set of single
bytes: most messages of mailing lists are. So are, where no column says where an identifier stands, pages of HTML and
messages whose parts are such. What the kernel makes of them is what `urisieve.sources.mail.messages` makes; any other
message, and any that the kernel is in doubt about, is left to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from weakref import ref

from urisieve.find.delimited import Delimited
from urisieve.kernel import kernel
from urisieve.lean import TYPE_CHECKING, Any, Final, replace
from urisieve.records.base import Context, Location
from urisieve.sources.documents import NO_SPAN, Alternative, BlockRows, Document, Segment, Span, no_map
from urisieve.sources.inner_texts import may_be_opened
from urisieve.sources.mail.header_fields import ID_FIELDS, OPAQUE_FIELDS, message_id_of
from urisieve.sources.mail.mailboxes import MailboxMessage, Splitter
from urisieve.sources.mail.plain_bodies import HTML_FLAG, REASONS, body_flags, decoded_words, skipped_reason
from urisieve.sources.reading_options import MailParts
from urisieve.sources.segments import Segments, uncounted
from urisieve.wording import shortened

if TYPE_CHECKING:
    from urisieve.sources.bytes.source_map import SourceMap

_FROM: Final = b"From "
# Results, as in mail.h.
_LEFT: Final = 1
_MORE: Final = 2
# About how many bytes of text the kernel takes at once.
_TOGETHER: Final = 524_288
# A message that is not complete after so many bytes is left.
_LONGEST: Final = 1_048_576


# The containers in a message that the kernel reads, one in the other, and those in which a part may lie (mail_parts.c).
MOST_NESTED: Final = 6


def split_with(out: Segments, blocks: Iterable[bytes]) -> Iterator[MailboxMessage | PlainMessages]:
    """Split a mailbox as `split_mbox` does; plain messages in a row come together."""
    splitter, plain = Splitter(blocks, after=out.source.after), PlainReader(out)
    while True:
        some = plain.read(splitter, out)
        message = splitter.next_message() if some is None else splitter.message_of(some.left) if some.left else None
        if some is not None and some.count:
            yield some
        if message is not None:
            yield message
        elif some is None:
            return


# The envelope line that a message is given which has none, as it is in no mailbox.
_ENVELOPE: Final = b"From \n"


def lone_message(message: MailboxMessage, out: Segments) -> tuple[PlainMessages | None, MailboxMessage | None]:
    """Read a message that is in no mailbox: return it as far as it is plain, and what is left to be read in Python."""
    data = message.data
    if message.dropped or b"\n" not in data or len(data) > _LONGEST:
        return None, message
    readers = out.shared(_Readers)
    reader = readers.get(out.source.depth)
    if reader is None:
        reader = readers[out.source.depth] = PlainReader(out)
    return reader.lone(message, out)


class _Readers(dict[int, "PlainReader"]):
    """The readers of messages that are in no mailbox, by the number of the containers around them."""


class PlainReader:
    """Reads the plain messages at the beginning of what is left of a mailbox.

    Pages, and messages of several parts, are plain where no wanted column says where an identifier is in them.
    """

    def __init__(self, out: Segments) -> None:
        run = out.run
        has_room = out.source.depth + MOST_NESTED <= run.limits.depth
        has_parts = run.in_mail and has_room and not out.reading.base
        self.out: Segments | None = None  # while messages are read: a reader that all of a run share must not keep it
        self._reader = kernel.MailReader(
            sorted(OPAQUE_FIELDS),
            sorted(ID_FIELDS),
            partial(_flags_with_pages, ref(self)) if has_parts else body_flags,
            partial(_reason_now, ref(self)) if has_parts else None,
            partial(decoded_words, every_field=run.every_field),
            has_parts,
            run.every_field,
        )
        self._has_html = False
        self._searched = 0  # no message begins before this offset, but for the first one
        self._is_left = False  # whether the first message is not plain

    def _texts(self, out: Segments, *arguments: Any) -> Any:
        """Return what the kernel reads for a source."""
        self.out = out
        try:
            return self._reader.read(*arguments)
        finally:
            self.out = None

    def read(self, splitter: Splitter, out: Segments) -> PlainMessages | None:
        """Read some plain messages; None if the next one is not plain, or there is none."""
        while not splitter.mark:
            splitter.has(len(_FROM))
            data, (number, base) = splitter.buffer, splitter.before
            if self._is_left or not data.startswith(_FROM):
                self._is_left = False
                return None
            texts, result, searched = self._texts(out, data, base, self._searched, splitter.has_ended, _TOGETHER)
            self._searched = max(0, searched - texts.taken) if result == _MORE else 0
            if texts.messages or texts.left:
                self._is_left = result == _LEFT and not texts.left
                is_needed = texts.has_parts or out.wants_context
                read = bytes(memoryview(data)[: texts.taken + texts.left]) if is_needed else b""
                splitter.forget(texts.taken, texts.messages)
                return PlainMessages(texts, out, number + 1, read, base)
            if result != _MORE or len(data) >= _LONGEST or not splitter.more():
                break
        self._searched = 0
        return None

    def lone(self, message: MailboxMessage, out: Segments) -> tuple[PlainMessages | None, MailboxMessage | None]:
        """Return what `lone_message` returns."""
        data, base = _ENVELOPE + message.data, message.offset - len(_ENVELOPE)
        texts, _, _ = self._texts(out, data, base, 0, True, len(data))
        if len(data) not in (texts.taken, texts.left) or texts.messages > 1:
            return None, message
        if texts.counts[1] and may_be_opened(texts.joined()[0]):  # an attribute of a page has a page or JSON
            return None, message
        plain = PlainMessages(texts, out, 0, data if texts.has_parts or out.wants_context else b"", base)
        return plain, replace(message, has_fields=False) if texts.left else None

    def expect_pages(self) -> None:
        """Let the kernel have a reader of HTML, before the first page."""
        if not self._has_html:
            from urisieve.sources.html.html_pages import new_reader

            self._reader.use_html(new_reader())
            self._has_html = True


def _reason_now(
    reader: ref[PlainReader],
    content_type: bytes | None,
    encoding: bytes | None,
    disposition: bytes | None,
    body: bytes,
) -> int | None:
    """Return `skipped_reason` for the source that is read."""
    plain = reader()
    if plain is None or plain.out is None:
        return None
    return skipped_reason(plain.out, content_type, encoding, disposition, body)


def _flags_with_pages(
    reader: ref[PlainReader],
    content_type: bytes | None,
    encoding: bytes | None,
    disposition: bytes | None,
    head: bytes | None,
) -> tuple[int, str | None]:
    """Return `body_flags`; before the first page the reader, which refers to this function, expects pages."""
    found = body_flags(content_type, encoding, disposition, head)
    if found[0] & HTML_FLAG and (plain := reader()) is not None:
        plain.expect_pages()
    return found


class PlainMessages:
    """Some plain messages, whose texts are searched as one block.

    Args:
        texts: their texts.
        out: the source and its options; counts what is read and skipped.
        number: the number of the first of them in the mailbox.
        data: the messages, if one of them has several parts or is a page, or contexts are wanted: it is read again
            where a location is asked for.
        base: the offset of `data` in the mailbox.

    Attributes:
        count: the number of texts.
        messages: the number of messages.
        size: the number of bytes of the messages.
        left: the number of bytes of the next message, if its fields are among the texts but its body is not plain; 0 if
            there is none.
    """

    def __init__(self, texts: kernel.MailTexts, out: Segments, number: int, data: bytes, base: int) -> None:
        self._texts = texts
        self._out = out
        self.count = texts.count
        self.messages = texts.messages
        self.size = texts.taken
        self.left = texts.left
        self._data = data
        self._base = base
        self._number = number
        self._is_once = out.reading.mail_parts is MailParts.ONCE
        self._read: tuple[int, list[Segment]] = (-1, [])
        self._groups: dict[int, object] = {}
        self._known: tuple[int, Context | None] = (-1, None)
        # The last text whose bytes were asked for, its offset, and the map to its bytes; None for one of single bytes.
        self._spanned: tuple[int, int | None, SourceMap | None] = (-1, None, None)

    def _count(self) -> None:
        tally = self._out.tally
        parts, pages, same, relative, skipped = self._texts.counts
        tally.read["message"] += self.messages
        for kind, count in (("part", parts), ("html", pages)):
            if count:
                tally.read[kind] += count
        references = (("reference", "same-document"), ("reference", "no-base"))
        for reason, count in zip((*references, *REASONS), (same, relative, *skipped), strict=False):
            if count:
                tally.skipped[reason] += count

    def document(self) -> Document:
        """Count what is read and skipped, and return the texts as one document."""
        self._count()
        whole, begins, kinds = self._texts.joined()
        numbers = range(self.count) if self._is_once and self._texts.has_forms else ()
        forms = ((number, self._alternative(self._texts.form(number))) for number in numbers)
        return Document(
            source=self._out.name,
            whole=whole,
            begins=memoryview(begins).cast("q"),
            segment=self._segment,
            delimited=Delimited.LINK,
            shown={number: text.strip() for number, text in self._texts.shown()},
            alternatives={number: form for number, form in forms if form is not None},
            kinds=kinds,
            columns=self._columns,
        )

    def _segment(self, number: int) -> Segment:
        """Return one text."""
        one = self._read_again(number)
        if one is not None:
            one.alternative = self._alternative(self._texts.form(number))
            return one
        text = self._texts.text(number)
        _, _, offset, is_legacy = self._texts.item(number)
        source_map = no_map if offset is None else partial(_offsets, text, offset, is_single=bool(is_legacy))
        return Segment(
            source=self._out.name,
            text=(text,),
            place=self._location(number),
            offsets=source_map,
            legacy=bool(is_legacy),
        )

    def _alternative(self, form: tuple[int, int] | None) -> Alternative | None:
        if form is None or not self._is_once:
            return None
        group, branch = form
        return Alternative(self._groups.setdefault(group, object()), branch)

    def _columns(self, rows: BlockRows) -> dict[str, Sequence[Any]]:
        """Return the columns of rows that say where they are in the mailbox; see `BlockColumns`."""
        return rows.located(cache(self._location), self._span)

    def _span(self, number: int, start: int, end: int) -> Span:
        """Return the offsets of the bytes of a row in the mailbox; None for what was decoded."""
        last, offset, source_map = self._spanned
        if number != last:
            _, _, offset, is_legacy = self._texts.item(number)
            # Each character of a legacy text is one byte.
            text = "" if is_legacy or offset is None else self._texts.text(number)
            source_map = None if text.isascii() else _offsets(text, offset or 0, is_single=False)
            self._spanned = number, offset, source_map
        if offset is None:
            return NO_SPAN
        return (offset + start, offset + end) if source_map is None else source_map.span(start, end)

    def _read_again(self, number: int) -> Segment | None:
        """Return a text in a message that is read again; None for any other text."""
        message, *_ = self._texts.item(number)
        start, _, first, has_parts, _ = self._texts.body(message)
        if not has_parts or number < first:
            return None
        if self._read[0] != message:
            from copy import copy

            from urisieve.sources.mail.messages import read_message

            envelope, data = self._message(message)
            again = MailboxMessage(
                number=self._number + message,
                offset=self._base + start + len(envelope),
                data=data,
                has_fields=False,
                envelope=envelope,
            )
            out = uncounted(self._out)
            if out.run.every_field:  # the kernel has kept all values of a page
                out.run = copy(out.run)
                out.run.new_may_hold = None
            found = out.documents(read_message(again, out))
            self._read = message, [segment for document in found for segment in document.segments()]
        return self._read[1][number - first]

    def _context(self, message: int) -> Context | None:
        """Return the context of a message, by its header, which is read again."""
        if self._out.wants_context and self._known[0] != message:
            from urisieve.sources.mail.header_fields import message_context, read_header

            envelope, data = self._message(message)
            self._known = message, message_context(data, read_header(data, 0, len(data)), envelope)
        return self._known[1]

    def _message(self, message: int) -> tuple[bytes, bytes]:
        """Return the envelope line of a message, and its other bytes."""
        start, size, *_ = self._texts.body(message)
        envelope, line_end, data = self._data[start : start + size].partition(b"\n")
        return envelope + line_end, data

    def _location(self, number: int) -> Location:
        one = self._read_again(number)
        if one is not None:
            return one.place
        message, name, *_ = self._texts.item(number)
        part = "1" if name is None else f"header:{shortened(name)}"
        message_id = message_id_of(self._texts.body(message)[-1])
        return Location(self._number + message or None, message_id, part, context=self._context(message))


def _offsets(text: str, offset: int, *, is_single: bool) -> SourceMap | None:
    """Return the map of a text from an offset on, in UTF-8 or in a character set of single bytes."""
    from urisieve.sources.bytes.charsets import local_offsets
    from urisieve.sources.bytes.source_map import SourceMap, composed

    file = SourceMap(offset)
    return file if is_single or text.isascii() else composed(file, local_offsets(text.encode(), "utf-8"))
