"""Mailboxes to documents by the compiled kernel as far as messages are plain, else message by message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial

from urisieve.lean import TYPE_CHECKING, Final, replace
from urisieve.sources.documents import Document
from urisieve.sources.mail.mailboxes import MailboxMessage, skim_mbox
from urisieve.sources.mail.plain_messages import REASONS, PlainMessages, PlainReader
from urisieve.sources.tally import PASSED, Tally

if TYPE_CHECKING:
    from urisieve.sources.mail.mail_options import Attachment, MailOptions
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
    """
    chosen: MailOptions | None = None

    def read_again(data: bytes, number: int, offset: int) -> Iterator[Document]:
        from urisieve.sources.mail.messages import read_message

        body = data.index(b"\n") + 1
        one = MailboxMessage(
            number=number, offset=offset + body, data=data[body:], has_fields=False, envelope=data[:body]
        )
        return read_message(one, source, Tally(), options())

    skip = AttachmentSkips(options).reason
    for message in skim_mbox(blocks, PlainReader(skip if parts else None, context=context), after=after):
        if isinstance(message, PlainMessages):
            message.count_in(tally)
            message.source = source
            message.again = read_again
            message.is_once = is_once
            yield Document(source=source, text=(), links=message)
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
