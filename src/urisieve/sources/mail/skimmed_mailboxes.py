"""Mailboxes to documents by the compiled kernel as far as messages are plain, else message by message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from urisieve.lean.hints import TYPE_CHECKING, Final
from urisieve.sources.documents import Document, Tally
from urisieve.sources.mail.mailboxes import MailboxMessage, skim_mbox
from urisieve.sources.mail.plain_messages import PlainMessages, PlainReader

if TYPE_CHECKING:
    from urisieve.sources.mail.mail_options import MailOptions

__all__ = ["MOST_NESTED", "skim_mailbox"]

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
    """
    chosen: MailOptions | None = None

    def read_again(data: bytes, number: int, offset: int) -> Iterator[Document]:
        from urisieve.sources.mail.messages import read_message

        body = data.index(b"\n") + 1
        one = MailboxMessage(
            number=number, offset=offset + body, data=data[body:], has_fields=False, envelope=data[:body]
        )
        return read_message(one, source, Tally(), options())

    for message in skim_mbox(blocks, PlainReader(parts=parts), after=after):
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
