"""Options of the reader of messages, and the attachment that it passes to the reader of attachments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from urisieve.errors import InputError
from urisieve.lean import Final, dataclass, lazy_compile
from urisieve.records.base import Location
from urisieve.sources.containers.limits import DEPTH
from urisieve.sources.documents import Document, HtmlDocuments
from urisieve.sources.mail.header_fields import SIGN
from urisieve.sources.reading_options import Alternatives
from urisieve.sources.tally import Tally

FIELD_SIGN: Final = lazy_compile(SIGN, re.S)
# Matches every field: used when addresses and host names without a scheme are found.
EVERY_FIELD: Final = lazy_compile(rb"")


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
