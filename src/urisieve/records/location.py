"""The location of a text in its container: a message and its part, or a field of structured data."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple

__all__ = ["NOWHERE", "Location"]


class Location(NamedTuple):
    """The location of a text inside its container; an attribute that does not apply is None.

    >>> from urisieve import Location
    >>> Location(message=2, part="1.2").message
    2

    Attributes:
        message: the number of the message in its mailbox, from 1.
        message_id: its Message-ID, without angle brackets.
        part: the path of its part as IMAP numbers it (`1.2`; RFC 9051 6.4.5), or `header` and the field's name
            (`header:Subject`); `2.header:Subject` of the message that is part 2, `2.mime:Content-Location` of the part.
        field: the name of a field of structured data: a path of keys (`a.b[2]`) or a column; in HTML the element and
            attribute (`a@href`), None for the running text.
        row: the number from 1 of the line of structured data on which it begins, or of the entry of a journal.
    """

    message: int | None = None
    message_id: str | None = None
    part: str | None = None
    field: str | None = None
    row: int | None = None


# The location of a text without a container.
NOWHERE: Final = Location()
