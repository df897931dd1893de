"""Contents of mail: messages and mailboxes, and what is attached to them.

Also defines:

- mailboxes to documents by the compiled kernel as far as messages are plain, else message by message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial

from urisieve.kernel import either
from urisieve.lean import TYPE_CHECKING, Final, replace
from urisieve.records.base import Location, with_context
from urisieve.sources.containers.contents import Content, shown_name
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.content_tools import ContentTools, CutBlocks
from urisieve.sources.documents import Document, in_context, placed
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.kinds.sniffing import kind_of
from urisieve.sources.mail.mailboxes import MailboxMessage, skim_mbox
from urisieve.sources.reading_options import Alternatives
from urisieve.sources.tally import PASSED, Tally
from urisieve.wording import member_name

if TYPE_CHECKING:
    from urisieve.sources.mail.message_texts import Attachment, MailOptions
    from urisieve.sources.mail.mime import MediaType


# The containers in a message that the kernel reads, one in the other, and those in which a part may lie (mail_parts.c).
MOST_NESTED: Final = 6


def skim_mailbox(
    blocks: Iterable[bytes],
    source: str,
    tally: Tally,
    options: Callable[[], MailOptions],
    after: tuple[int, int] = (0, 0),
    *,
    parts: bool = False,
    is_once: bool = True,
    context: bool = False,
    every_field: bool = False,
) -> Iterator[Document]:
    """Yield the documents of all messages of an mbox as `read_mailbox` does; many plain messages are one document.

    Args:
        blocks: the bytes of the mailbox.
        source: the name of the file.
        tally: counts what is read, skipped and broken.
        options: returns the options by which a message that is not plain is read.
        after: see `split_mbox`.
        parts: whether pages, and messages of several parts, may be plain too: then no column wanted says where
            something stands in them, and the reader of HTML in `options` yields stretches as the kernel reads them.
        is_once: whether what an earlier form of a content holds is left out, as `options` say.
        context: whether locations have the context of their message, likewise.
        every_field: whether a field may hold an identifier although it has no sign of one, likewise.
    """
    from urisieve.sources.mail.plain_messages import PlainMessages, PlainReader

    chosen: MailOptions | None = None

    def read_again(data: bytes, number: int, offset: int) -> Iterator[Document]:
        from urisieve.sources.mail.messages import read_message

        body = data.index(b"\n") + 1
        one = MailboxMessage(
            number=number, offset=offset + body, data=data[body:], has_fields=False, envelope=data[:body]
        )
        return read_message(one, source, Tally(), options())

    skip = AttachmentSkips(options).reason if parts else None
    reader = PlainReader(skip, context=context, every_field=every_field)
    for message in skim_mbox(blocks, reader, after=after):
        if isinstance(message, PlainMessages):
            message.count_in(tally)
            message.source = source
            message.again = read_again
            message.is_once = is_once
            yield message.document()
            continue
        from urisieve.sources.mail.messages import read_one

        if chosen is None:
            chosen = options()
        yield from read_one(message, source, tally, chosen)


class AttachmentSkips:
    """Tells which attachments are skipped by the options of the reader of messages, and why.

    Args:
        options: returns these options.
    """

    def __init__(self, options: Callable[[], MailOptions]) -> None:
        self._options = options
        self._unopened: MailOptions | None = None

    def reason(
        self, content_type: bytes | None, encoding: bytes | None, disposition: bytes | None, body: bytes
    ) -> int | None:
        """Return the number of the reason in `REASONS`; None if there is something in it, or if it has a fault.

        Args:
            content_type: the value of its Content-Type, None without it.
            encoding: that of its Content-Transfer-Encoding.
            disposition: that of its Content-Disposition.
            body: its bytes.
        """
        from urisieve.sources.mail.message_texts import Body, MessageTexts
        from urisieve.sources.mail.plain_messages import REASONS

        tally = Tally()
        try:
            if self._unopened is None:
                options = self._options()
                self._unopened = replace(options, attachment=partial(_unopened, options))
            one = Body(0, len(body), *_declared(content_type, encoding, disposition))
            texts = MessageTexts(body, "", None, tally, self._unopened, None)
            is_read = any(True for _ in texts.leaf(one))
        except PASSED:
            raise
        except Exception:  # the reader of the message meets it again, and reports it
            return None
        for reason in tally.skipped:
            expected = Tally()
            expected.skip(*reason)
            if not is_read and tally == expected:
                return REASONS.index(reason)
        return None


def _unopened(options: MailOptions, attachment: Attachment) -> tuple[Document, ...] | None:
    """Return no documents of an attachment that these options open; None if they do not."""
    return None if options.attachment is None or options.attachment(attachment) is None else ()


@lru_cache(maxsize=256)
def _declared(
    content_type: bytes | None, encoding: bytes | None, disposition: bytes | None
) -> tuple[MediaType, str, str | None]:
    """Return the media type, the transfer encoding and the file name of an attachment."""
    from urisieve.sources.mail.header_fields import unfold
    from urisieve.sources.mail.mime import file_name, media_type, transfer_encoding

    fields = (("content-type", content_type), ("content-disposition", disposition))
    values = {name: unfold(value).text.strip() for name, value in fields if value is not None}
    media = media_type(values.get("content-type"), "text/plain")
    transfer = transfer_encoding("" if encoding is None else unfold(encoding).text)
    return media, transfer, file_name(values, media)


def mail_content(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    """Yield the documents of a message or a mailbox."""
    if tools.is_too_deep(content):
        yield tools.text(content)
        return
    whole = CutBlocks(content.blocks)
    if kind is Kind.MBOX:
        found = _mailbox(tools, content, whole)
    else:
        from urisieve.sources.mail.messages import join_message, read_message

        message = join_message(whole, skip_blanks=content.kind is Kind.MAIL)
        found = read_message(message, content.source, tools.tally, _mail_options(tools, content))
    yield from whole.documents(found, content.source)


def _mailbox_by_kernel(tools: ContentTools, content: Content, blocks: Iterable[bytes]) -> Iterator[Document]:
    has_room = content.depth + MOST_NESTED <= tools.limits.depth
    return skim_mailbox(
        blocks,
        content.source,
        tools.tally,
        partial(_mail_options, tools, content),
        content.after,
        parts=tools.in_mail and has_room and not tools.reading.base,
        is_once=tools.reading.alternatives is Alternatives.ONCE,
        context=tools.reading.context,
        every_field=tools.every_field,
    )


def _mailbox_in_python(tools: ContentTools, content: Content, blocks: Iterable[bytes]) -> Iterator[Document]:
    from urisieve.sources.mail.messages import read_mailbox

    return read_mailbox(blocks, content.source, tools.tally, _mail_options(tools, content), content.after)


_mailbox: Final = either(_mailbox_by_kernel, _mailbox_in_python)


def _mail_options(tools: ContentTools, content: Content) -> MailOptions:
    from urisieve.sources.mail.header_fields import EVERY_FIELD, FIELD_SIGN
    from urisieve.sources.mail.message_texts import MailOptions

    return MailOptions(
        alternatives=tools.reading.alternatives,  # type: ignore[arg-type] # an enum once it is constructed
        field_sign=EVERY_FIELD if tools.every_field else FIELD_SIGN,
        attachment=partial(_attachment, tools, content),
        html=tools.html,
        failed=tools.failed,
        depth=content.depth,
        deepest=tools.limits.depth,
        base=tools.reading.base,
        context=tools.reading.context,
    )


def _attachment(tools: ContentTools, content: Content, attachment: Attachment) -> Iterator[Document] | None:
    if not kind_of(attachment.head(), attachment.name or "").is_attached:
        return None
    name = None if attachment.name is None else shown_name(attachment.name.encode("utf-8", "replace"))
    source = member_name(attachment.source, name or attachment.place.part or "", MEMBER)
    content = replace(content, depth=attachment.depth)
    documents = tools.documents(source, [attachment.read()], within=content)
    return placed(documents, partial(_inside, attachment.place))


def _inside(outer: Location, inner: Location) -> Location:
    """Return the location of a text in an attachment: the message it came with, unless it is mail itself."""
    if inner.message is not None or inner.part is not None:
        return inner if inner.message is not None else inner._replace(message=outer.message)
    return with_context(outer._replace(field=inner.field, row=inner.row, context=inner.context), outer.context)


def outlook_content(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    """Yield the documents of a message of Outlook, or of any other compound file."""
    from urisieve.sources.mail.outlook import OutlookPart, outlook_parts

    if tools.is_too_deep(content):
        return
    whole = CutBlocks(content.blocks)
    parts = outlook_parts(replace(content, blocks=whole), tally=tools.tally, context=tools.reading.context)
    for part in whole.ended(parts):
        if not isinstance(part, OutlookPart):
            found = tools.documents(part.source, [part.data], within=content)
            yield from found if part.context is None else in_context(found, part.context)
        elif part.kind is Kind.HTML:
            yield from tools.html(replace(part.document, base=tools.base_of(content)), tools.tally)
        else:
            yield part.document
