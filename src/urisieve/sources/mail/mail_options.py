"""How mail is read: what the reader of messages is told, and what it tells the reader of an attachment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from urisieve.errors import InputError
from urisieve.sources.containers.limits import DEPTH
from urisieve.sources.documents import Document, HtmlDocuments, Location
from urisieve.sources.html.html_documents import html_documents
from urisieve.sources.reading_options import Alternatives

__all__ = ["DEFAULT_MAIL_OPTIONS", "EVERY_FIELD", "FIELD_SIGN", "Alternatives", "Attachment", "MailOptions"]

# What stands in every value that may hold an identifier: a colon after what may end a scheme, and no blank after it.
# It spares a document, and a scanner, for each date and address. The search for one character is quick.
FIELD_SIGN: Final = re.compile(rb":[!-~\x80-\xff](?:(?<=[A-Za-z+.\-]:.)|(?<=[A-Za-z][0-9]:.)|(?<=[0-9]{3}:.))", re.S)
# For finding addresses and host names without a scheme.
EVERY_FIELD: Final = re.compile(rb"")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A part that is no text.

    Attributes:
        source: the name of the file that the message is in.
        place: the message and the part.
        name: its file name, None if it has none.
        media_type: what it is said to be.
        depth: how many things it stands in; see `Content`.
        head: gives its first bytes, decoded: enough to tell what it is.
        read: gives its bytes, decoded.
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
    """How mail is read.

    Attributes:
        alternatives: what becomes of the forms of multipart/alternative.
        field_sign: what a header field must have in it to be given.
        attachment: reads an attachment (an archive, compressed text); None, from it or for it, leaves the part to be
            read if it is text.
        html: reads HTML.
        failed: told of a message over which the reader raised an unexpected exception; the next ones are read. None
            lets it pass.
        depth: how many things the message stands in.
        deepest: how many things any part may stand in; what is below is read as text.
    """

    alternatives: Alternatives = Alternatives.ONCE
    field_sign: re.Pattern[bytes] = FIELD_SIGN
    attachment: Callable[[Attachment], Iterable[Document] | None] | None = None
    html: HtmlDocuments = html_documents
    failed: Callable[[str, InputError], None] | None = None
    depth: int = 0
    deepest: int = DEPTH


DEFAULT_MAIL_OPTIONS: Final = MailOptions()
