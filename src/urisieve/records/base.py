"""The common base of `Record` and `Rejection`: an immutable view of one row of fields.

It holds besides:

- the fields of records and rejections, by name and in the order of their columns.
- the location of a text in its container: a message and its part, or a field of structured data.
- the context of a text: when and from whom it came.
"""

from __future__ import annotations

from urisieve.codes import Component, Reason, Warn
from urisieve.lean import Any, ClassVar, Final, NamedTuple, NoReturn


class Context(NamedTuple):
    """When and from whom a text came, as its source states it; an attribute that is not known is None.

    >>> from urisieve import Context
    >>> Context("2024-05-31T13:05:00Z", "Fri, 31 May 2024 15:05:00 +0200", "ada@a.example", ("b@b.example",)).time
    '2024-05-31T13:05:00Z'

    Attributes:
        time: the time of the line, the message, the row, the record or the entry (RFC 3339): in UTC, with `Z`, if the
            zone is known, else without a zone, as it was written. None without a year.
        written: what the source has written.
        sender: the address of the sender (RFC 5322 3.6.2), of a calendar that of the organizer.
        to: the addresses of the recipients, of `To` and `Cc` (RFC 5322 3.6.3), of a calendar those of the attendees.
        subject: the subject, its encoded words decoded (RFC 2047), controls replaced.
    """

    time: str | None = None
    written: str | None = None
    sender: str | None = None
    to: tuple[str, ...] | None = None
    subject: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields of records that it holds, by name."""
        time, written, sender, to, subject = self
        values = (time, written, sender, None if to is None else list(to), subject)
        return dict(zip(CONTEXT_NAMES, values, strict=True))


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
            a parameter (`VEVENT.URL`, `VEVENT.SUMMARY@ALTREP`); of documents the part, cell, slide, chapter or page
            (`word/document.xml`, `sheet 2!B7`, `page 3`). Of a text in a text both, as in `body / a@href`.
        row: the number from 1 of the line of structured data on which it begins, of the entry of a journal, or of the
            record of MARC; the rowid of a row of a database.
        context: when and from whom it came; only if that was asked for (`ReadingOptions.context`).
    """

    message: int | None = None
    message_id: str | None = None
    part: str | None = None
    field: str | None = None
    row: int | None = None
    context: Context | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields of records that it holds, by name; those of the context only if there is one.

        >>> from urisieve import Location
        >>> Location(row=3).as_dict()
        {'message': None, 'message_id': None, 'part': None, 'field': None, 'row': 3}
        """
        found: dict[str, Any] = dict(zip(PLACE_NAMES, self, strict=False))
        return found if self.context is None else found | self.context.as_dict()


def with_context(place: Location, context: Context | None) -> Location:
    """Return a location with a context; of one of its own what it says counts, as the time of a row in a message.

    >>> inner = with_context(NOWHERE, Context("2024-05-31T13:05:00Z"))
    >>> with_context(inner, Context("2024-06-01T00:00:00Z", sender="a@b.example")).context.as_dict()["from"]
    'a@b.example'
    """
    own = place.context
    if context is None:
        return place
    if own is not None:
        when = own if own.time or own.written else context  # what is written belongs to the time
        context = Context(
            when.time,
            when.written,
            context.sender if own.sender is None else own.sender,
            context.to if own.to is None else own.to,
            context.subject if own.subject is None else own.subject,
        )
    return Location(*place[:-1], context)


# The location of a text without a container.
NOWHERE: Final = Location()
# The fields of records that a location holds, and those of its context, which are there only if it has one.
PLACE_NAMES: Final = Location._fields[:-1]
CONTEXT_NAMES: Final = ("time", "time_written", "from", "to", "subject")


_UNKNOWN: Final = Context()


# The version of the fields of `Record.as_dict` and `Rejection.as_dict`; a change of meaning or of a canonical form
# raises it.
SCHEMA_VERSION: Final = 4


class Value:
    """An immutable view of a row of fields."""

    __slots__ = ()
    _row: tuple[Any, ...]  # a slot of each subclass
    # In each row stand offsets, line and column, and then the source; bytes and the location are its last values.
    _START: ClassVar[int]

    @property
    def start(self) -> int:
        """Offset of the first character, in characters from 0, from the start of the text."""
        return self._row[self._START]  # type: ignore[no-any-return]

    @property
    def end(self) -> int:
        """Offset after the last character, in characters from 0, from the start of the text."""
        return self._row[self._START + 1]  # type: ignore[no-any-return]

    @property
    def line(self) -> int:
        """Line of the first character, counted from 1; 0 where lines are not counted."""
        return self._row[self._START + 2]  # type: ignore[no-any-return]

    @property
    def column(self) -> int:
        """Column of the first character in its line, in characters from 1; 0 where lines are not counted."""
        return self._row[self._START + 3]  # type: ignore[no-any-return]

    @property
    def byte_start(self) -> int | None:
        """Offset of the first byte, in bytes from 0, for sources of bytes; else None."""
        return self._row[-3]  # type: ignore[no-any-return]

    @property
    def byte_end(self) -> int | None:
        """Offset after the last byte, in bytes from 0, for sources of bytes; else None."""
        return self._row[-2]  # type: ignore[no-any-return]

    @property
    def source(self) -> str | None:
        """The name of the document, or None: a path, then `!` and a member for each archive on the way."""
        return self._row[self._START + 4]  # type: ignore[no-any-return]

    @property
    def message(self) -> int | None:
        """The number of the message in its mailbox, counted from 1; None outside of mail."""
        return self._location.message

    @property
    def message_id(self) -> str | None:
        """The Message-ID of the message without its angle brackets (RFC 5322 3.6.4), or None."""
        return self._location.message_id

    @property
    def part(self) -> str | None:
        """The part of the message (RFC 9051 6.4.5), or its header field as `header:Subject`; None outside of mail."""
        return self._location.part

    @property
    def field(self) -> str | None:
        """The field of structured data, or the element and attribute of HTML (`a@href`); None for running text."""
        return self._location.field

    @property
    def row(self) -> int | None:
        """The line of structured data on which the row begins, or the entry of a journal, from 1; None elsewhere."""
        return self._location.row

    @property
    def time(self) -> str | None:
        """The time of the line, the message, the row or the record (RFC 3339); None if it is not known or not read.

        It is in UTC, with `Z`, if the zone is known, else without one; see `Context` and `ReadingOptions.context`.
        """
        return self._context.time

    @property
    def time_written(self) -> str | None:
        """The time as the source has written it; see `time`."""
        return self._context.written

    @property
    def sender(self) -> str | None:
        """The address of the sender of the message, or of the organizer of an event: the field `from`; see `time`."""
        return self._context.sender

    @property
    def to(self) -> tuple[str, ...] | None:
        """The addresses of the recipients (To and Cc), or of the attendees of an event; see `time`."""
        return self._context.to

    @property
    def subject(self) -> str | None:
        """The subject, decoded (RFC 2047), controls replaced; see `time`."""
        return self._context.subject

    @property
    def _context(self) -> Context:
        return self._location.context or _UNKNOWN

    @property
    def _location(self) -> Location:
        return self._row[-1] or NOWHERE

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")


class RecordFields(NamedTuple):
    """One row of a batch; `Record` documents each field."""

    raw: str
    uri: str
    key: str
    start: int = 0
    end: int = 0
    line: int = 0
    column: int = 0
    source: str | None = None
    wrapper: str | None = None
    warnings: tuple[Warn, ...] = ()
    alternatives: tuple[str, ...] = ()
    byte_start: int | None = None
    byte_end: int | None = None
    location: Location | None = None


class RejectionFields(NamedTuple):
    """The fields of one rejection; `Rejection` documents each."""

    raw: str
    reason: Reason
    component: Component
    offset: int
    section: str
    start: int
    end: int
    line: int
    column: int
    source: str | None = None
    byte_start: int | None = None
    byte_end: int | None = None
    location: Location | None = None
