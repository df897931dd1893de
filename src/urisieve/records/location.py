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
        field: the name of a field of structured data: a path of keys (`a.b[2]`), a column, or of a database the table
            and its column (`urls.title`); in HTML the element and attribute (`a@href`; `iframe@srcdoc/a@href` in a page
            that an attribute holds), None for the running text; of calendars and cards the component, the property and
            a parameter (`VEVENT.URL`, `VEVENT.SUMMARY@ALTREP`). Of a text in a text both, as in `body / a@href`.
        row: the number from 1 of the line of structured data on which it begins, of the entry of a journal, or of the
            record of MARC; the rowid of a row of a database.
    """

    message: int | None = None
    message_id: str | None = None
    part: str | None = None
    field: str | None = None
    row: int | None = None


# The location of a text without a container.
NOWHERE: Final = Location()
