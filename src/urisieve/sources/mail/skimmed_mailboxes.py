"""Mailboxes to documents by the compiled kernel as far as messages are plain, else message by message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from urisieve.lean.hints import TYPE_CHECKING
from urisieve.sources.documents import Document, Tally
from urisieve.sources.mail.mailboxes import skim_mbox
from urisieve.sources.mail.plain_messages import PlainMessages, PlainReader

if TYPE_CHECKING:
    from urisieve.sources.mail.mail_options import MailOptions

__all__ = ["skim_mailbox"]


def skim_mailbox(
    blocks: Iterable[bytes],
    source: str,
    tally: Tally,
    options: Callable[[], MailOptions],
    after: tuple[int, int] = (0, 0),
) -> Iterator[Document]:
    """Yield the documents of all messages of an mbox as `read_mailbox` does; many plain messages are one document.

    Args:
        blocks: the bytes of the mailbox.
        source: the name of the file.
        tally: counts what is read, skipped and broken.
        options: returns the options by which a message that is not plain is read.
        after: see `split_mbox`.
    """
    chosen: MailOptions | None = None
    for message in skim_mbox(blocks, PlainReader(), after=after):
        if isinstance(message, PlainMessages):
            tally.read["message"] += message.messages
            tally.read["part"] += message.messages
            message.source = source
            yield Document(source=source, text=(), links=message)
            continue
        from urisieve.sources.mail.messages import read_one

        if chosen is None:
            chosen = options()
        yield from read_one(message, source, tally, chosen)
