"""Contents of mail: messages and mailboxes, a mailbox by the compiled kernel as far as its messages are plain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import UnexpectedInputError
from urisieve.kernel import either
from urisieve.lean import Final
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import CutBlocks, Document
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.mail.mailboxes import MailboxMessage, split_mbox
from urisieve.sources.segments import Segments, held
from urisieve.sources.tally import guarded


def read(source: Content, out: Segments) -> Iterator[Document]:
    """Yield the documents of a mailbox, or of a single message."""
    if out.is_too_deep():
        yield out.text(source.blocks, is_binary=False)
        return
    whole = CutBlocks(source.blocks)
    texts = held(out)
    if out.kind == Kind.MBOX:
        found = _documents(whole, texts)
    else:
        from urisieve.sources.mail.messages import join_message

        found = _lone(join_message(whole, skip_blanks=source.kind is Kind.MAIL), texts)
    yield from whole.documents(texts.documents(found), source.source)


def _documents_by_kernel(blocks: Iterable[bytes], out: Segments) -> Iterator[Document | None]:
    """Read the messages of a mailbox; many plain messages are one document."""
    from urisieve.sources.mail.plain_messages import PlainMessages, split_with

    for message in split_with(out, blocks):
        if isinstance(message, PlainMessages):
            yield message.document()
        else:
            yield from _of_message(message, out)


def _documents_in_python(blocks: Iterable[bytes], out: Segments) -> Iterator[Document | None]:
    for message in split_mbox(blocks, after=out.source.after):
        yield from _of_message(message, out)


_documents: Final = either(_documents_by_kernel, _documents_in_python)


def _lone_by_kernel(message: MailboxMessage, out: Segments) -> Iterator[Document | None]:
    """Read a message that is in no mailbox."""
    from urisieve.sources.mail.plain_messages import lone_message

    plain, rest = lone_message(message, out)
    if plain is not None:
        yield plain.document()
    if rest is not None:
        yield from _lone_in_python(rest, out)


def _lone_in_python(message: MailboxMessage, out: Segments) -> Iterator[Document | None]:
    from urisieve.sources.mail.messages import read_message

    return read_message(message, out)


_lone: Final = either(_lone_by_kernel, _lone_in_python)


def _of_message(message: MailboxMessage, out: Segments) -> Iterator[Document | None]:
    """Read a message of a mailbox; an unexpected exception costs only the message."""
    from urisieve.sources.mail import messages

    try:
        yield from guarded(messages.read_message(message, out), "message")
    except UnexpectedInputError as error:
        out.run.failed(f"{out.name}: message {message.number}", error)
    out.pause()  # the next message may be long in coming
    yield None
