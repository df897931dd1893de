"""The common base of `Record` and `Rejection`: an immutable view of one row of fields, and a mapping of them.

It also defines:

- the fields of records and rejections, by name and in the order of their columns.
- the location of a text in its container: a message and its part, or a field of structured data.
- the context of a text: when and from whom it came.
- the base of what has components, as records have.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from operator import attrgetter

from urisieve import shapes
from urisieve.codes import Component, Reason, Warn
from urisieve.lean import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, NoReturn
from urisieve.syntax.components import Components, HostKind, host_kind, surt


class Context(NamedTuple):
    """When and from whom a text came, as its source states it; an attribute that is not known is None.

    >>> from urisieve.types import Context
    >>> Context("2024-05-31T13:05:00Z", "Fri, 31 May 2024 15:05:00 +0200", "ada@a.example", ("b@b.example",)).time
    '2024-05-31T13:05:00Z'

    Attributes:
        time: the time of the line, the message, the row, the record or the entry (RFC 3339): in UTC, with `Z`, if the
            zone is known, else without a zone, as it was written. None without a year.
        time_written: the time as the source has written it.
        sender: the address of the sender (RFC 5322 3.6.2), of a calendar that of the organizer.
        to: the addresses of the recipients, of `To` and `Cc` (RFC 5322 3.6.3), of a calendar those of the attendees.
        subject: the subject, its encoded words decoded (RFC 2047), controls replaced.
    """

    time: str | None = None
    time_written: str | None = None
    sender: str | None = None
    to: tuple[str, ...] | None = None
    subject: str | None = None


class Location(NamedTuple):
    """The location of a text inside its container; an attribute that does not apply is None.

    >>> from urisieve.types import Location
    >>> Location(message=2, part="1.2").message
    2

    Attributes:
        message: the number of the message in its mailbox, from 1.
        message_id: its Message-ID, without angle brackets.
        part: the path of its part as IMAP numbers it (`1.2`; RFC 9051 6.4.5), or `header` and the field's name
            (`header:Subject`); `2.header:Subject` of the message that is part 2, `2.mime:Content-Location` of the part.
        field: the name of a field of structured data: a path of keys (`a.b[2]`), a column, or of a database the table
            and its column (`urls.title`); in HTML the element and attribute (`a@href`; `iframe@srcdoc/a@href` in a page
            that an attribute has), None for the running text; of calendars and cards the component, the property and
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


def with_context(location: Location, context: Context | None) -> Location:
    """Return a location with a context; of one of its own what it says counts, as the time of a row in a message.

    >>> inner = with_context(NOWHERE, Context("2024-05-31T13:05:00Z"))
    >>> with_context(inner, Context("2024-06-01T00:00:00Z", sender="a@b.example")).context.sender
    'a@b.example'
    """
    own = location.context
    if context is None:
        return location
    if own is not None:
        when = own if own.time or own.time_written else context  # what is written belongs to the time
        context = Context(
            when.time,
            when.time_written,
            context.sender if own.sender is None else own.sender,
            context.to if own.to is None else own.to,
            context.subject if own.subject is None else own.subject,
        )
    return Location(*location[:-1], context)


# The location of a text without a container.
NOWHERE: Final = Location()
# The fields of records that a location contains, and those of its context, which are there only if it has one.
PLACE_NAMES: Final = Location._fields[:-1]
CONTEXT_NAMES: Final = ("time", "time_written", "from", "to", "subject")


_UNKNOWN: Final = Context()


# The version of the fields of records and rejections; a change of meaning or of a canonical form raises it.
SCHEMA_VERSION: Final = 5


def values_by_name(names: Iterable[str], *, context: bool) -> dict[str, Callable[[Any], Any]]:
    """Return for each field what returns its value, in the order of the schema.

    Args:
        names: the fields without `schema` and those of the context.
        context: whether those are added, after `row`.
    """
    made: dict[str, Callable[[Any], Any]] = {"schema": lambda _: SCHEMA_VERSION}
    for name in names:
        made[name] = _listed(name) if name in _LISTS else attrgetter(_WITHIN.get(name, name))
        if context and name == PLACE_NAMES[-1]:
            made |= {of_context: _in_context(index) for index, of_context in enumerate(CONTEXT_NAMES)}
    return made


_LISTS: Final = frozenset(("warnings", "alternatives"))
# Attributes of attributes take a third less time than the properties that return them.
_WITHIN: Final = {
    **{name: f"components.{name}" for name in Components._fields},
    **{name: f"_location.{name}" for name in PLACE_NAMES},
}


def values_together(names: Iterable[str]) -> Callable[[Any], dict[str, Any]]:
    """Return what returns all values of these fields and `schema`, in a fourth less time: those of one part at once."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_WITHIN.get(name, name).rpartition(".")[0], []).append(name)
    own = groups.pop("")
    parts = [(some, attrgetter(part), attrgetter(*some)) for part, some in groups.items()]
    values, listed = attrgetter(*own), _LISTS.intersection(own)
    order: dict[str, Any] = dict.fromkeys(("schema", *names), SCHEMA_VERSION)

    def together(found: Any) -> dict[str, Any]:
        made = order.copy()
        made |= zip(own, values(found))  # noqa: B905 - they are as many, and `strict` would cost a tenth of the time
        for some, part, of_part in parts:
            made |= zip(some, of_part(part(found)))  # noqa: B905
        for name in listed:
            made[name] = list(made[name])
        return made

    return together


def _listed(name: str) -> Callable[[Any], Any]:
    value = attrgetter(name)
    return lambda found: list(value(found))


def _in_context(index: int) -> Callable[[Any], Any]:
    def value(found: Value) -> Any:
        context = found._location.context
        if context is None:
            raise KeyError(CONTEXT_NAMES[index])
        one = context[index]
        return list(one) if isinstance(one, tuple) else one

    return value


if TYPE_CHECKING:
    # Type checkers see a mapping without a length. Of a class with a length pyright assumes that it may be false,
    # whatever `__bool__` returns; then `found.uri if found else found.reason` would have no type.
    class _Mapping:
        def __contains__(self, name: object, /) -> bool: ...
        def get(self, name: str, default: Any = None, /) -> Any: ...
        def items(self) -> ItemsView[str, Any]: ...
        def values(self) -> ValuesView[Any]: ...

else:
    _Mapping = Mapping[str, Any]


class Value(_Mapping):
    """An immutable view of a row of fields, and a mapping of them by name."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    _row: tuple[Any, ...]  # a slot of each subclass
    # In each row are offsets, line and column, and then the source; bytes and the location are its last values.
    _START: ClassVar[int]
    # What returns the value of each field of the mapping, of all that there may be; and of those without a context.
    _VALUES: ClassVar[dict[str, Callable[[Any], Any]]]
    _PLAIN: ClassVar[dict[str, Callable[[Any], Any]]]
    _TOGETHER: ClassVar[Callable[[Any], dict[str, Any]]]

    def __getitem__(self, name: str) -> Any:
        return self._VALUES[name](self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    if not TYPE_CHECKING:

        def __len__(self) -> int:
            return len(self.keys())

    def keys(self) -> KeysView[str]:
        """Return the names of the fields, in the order of the schema."""
        return self._values_by_name().keys()

    def as_dict(self, *, parts: bool = False) -> dict[str, Any]:
        """Return the fields as a dictionary, as `dict` does, or with what is made on request only.

        >>> from urisieve import parse
        >>> parse("urn:isbn:0-395-36341-2").as_dict(parts=True)["notices"]
        [{'warn': 'wrong-check-digit', 'detail': '1'}]

        Args:
            parts: whether `parts`, the named parts of a record, and `notices` are added: the warnings with the value
                that was found or expected.
        """
        if self._location.context is None:
            made = type(self)._TOGETHER(self)
        else:
            made = {name: value(self) for name, value in self._VALUES.items()}
        return made | self._requested() if shapes.flag("parts", parts) else made

    def _values_by_name(self) -> dict[str, Callable[[Any], Any]]:
        return self._PLAIN if self._location.context is None else self._VALUES

    def _requested(self) -> dict[str, Any]:
        """Return the fields that are made on request only."""
        raise NotImplementedError

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
        return self._context.time_written

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


class HasComponents:
    """The components of an identifier (RFC 3986 3), each as an attribute."""

    __slots__ = ()

    @property
    def components(self) -> Components:
        """All of them."""
        raise NotImplementedError

    @property
    def scheme(self) -> str:
        """The scheme, in lower case from level `syntax` on (RFC 3986 3.1)."""
        return self.components.scheme

    @property
    def userinfo(self) -> str | None:
        """The user information before `@` (RFC 3986 3.2.1), or None."""
        return self.components.userinfo

    @property
    def host(self) -> str | None:
        """The host (RFC 3986 3.2.2), or None; an IP literal keeps its brackets."""
        return self.components.host

    @property
    def host_kind(self) -> HostKind | None:
        """The kind of host, such as a registered name or an IPv4 address; None without a host."""
        return host_kind(self.components.host)

    @property
    def port(self) -> str | None:
        """The port as it is in `uri`, a string of digits (RFC 3986 3.2.3), or None."""
        return self.components.port

    @property
    def path(self) -> str:
        """The path (RFC 3986 3.3); for a URN all that follows `urn:` up to its components (RFC 8141)."""
        return self.components.path

    @property
    def query(self) -> str | None:
        """The query without `?` (RFC 3986 3.4), or None."""
        return self.components.query

    @property
    def fragment(self) -> str | None:
        """The fragment without `#` (RFC 3986 3.5), or None."""
        return self.components.fragment

    @property
    def nid(self) -> str | None:
        """The namespace identifier of a URN (RFC 8141 2.1); None for any other identifier."""
        parts = self.components
        return parts.path.partition(":")[0] if parts.scheme.lower() == "urn" else None

    @property
    def nss(self) -> str | None:
        """The namespace specific string of a URN (RFC 8141 2.2); None for any other identifier."""
        parts = self.components
        return parts.path.partition(":")[2] if parts.scheme.lower() == "urn" else None

    @property
    def surt(self) -> str:
        """The SURT form of `uri`, with the labels of the host from the last to the first, as for sorting.

        >>> from urisieve import parse
        >>> parse("http://www.example.com/a").surt
        'http://(com,example,www,)/a'
        """
        return surt(self.components)


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
