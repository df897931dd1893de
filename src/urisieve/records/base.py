"""The common base of `Record` and `Rejection`: an immutable view of one row of fields.

It holds besides:

- the fields of records and rejections, by name and in the order of their columns.
- the location of a text in its container: a message and its part, or a field of structured data.
"""

from __future__ import annotations

from urisieve.codes import Component, Reason, Warn
from urisieve.lean import Any, ClassVar, Final, NamedTuple, NoReturn


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
    """

    message: int | None = None
    message_id: str | None = None
    part: str | None = None
    field: str | None = None
    row: int | None = None


# The location of a text without a container.
NOWHERE: Final = Location()


# The version of the fields of `Record.as_dict` and `Rejection.as_dict`; a change of meaning or of a canonical form
# raises it.
SCHEMA_VERSION: Final = 4


class Value:
    """An immutable view of a row of fields."""

    __slots__ = ()
    _row: tuple[Any, ...]  # a slot of each subclass
    _SOURCE: ClassVar[int]
    _LOCATION: ClassVar[int]

    @property
    def source(self) -> str | None:
        """The name of the document, or None: a path, then `!` and a member for each archive on the way."""
        return self._row[self._SOURCE]  # type: ignore[no-any-return]

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
    def _location(self) -> Location:
        return self._row[self._LOCATION] or NOWHERE

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
