"""The contexts of texts, which say when and from whom they are.

It defines:

- contexts of a time, and of the fields of a row.
- the names of fields of JSON and of columns that hold a time.
- contexts of the components of calendars and cards: of the properties beside the links in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from urisieve.lean import Any, Final, Protocol, TypeAlias, TypeVar, lazy_compile
from urisieve.records.base import Context, Location
from urisieve.syntax.time_forms import NO_YEAR, hour_of
from urisieve.syntax.times import PLANNED, time_of_value
from urisieve.wording import printable, shortened

# The names of fields that hold the time of an entry of a log, the surest first; case does not count.
TIME_NAMES: Final = (
    *("@timestamp", "timestamp", "eventtime", "time", "ts", "datetime", "date_unixtime", "date", "_time", "created_at"),
    *("last_visit_date", "last_visit_time", "start_time", "date_added", "dateadded", "origin_server_ts"),  # of exports
)
_RANKS: Final = {name: rank for rank, name in enumerate(TIME_NAMES)}
# The fields of the components of a calendar whose times may lie in the future, and of what lies in them.
_PLANS: Final = lazy_compile(r"V(?:EVENT|TODO|JOURNAL|FREEBUSY|ALARM)\.")
# Returns the time that the members of an object, or the cells of a row, state; see `named_time`.
Dating: TypeAlias = Callable[[Iterable[tuple[str, Any]]], Context | None]


def context_of(time: str | None, written: str) -> Context:
    """Return the context of a time.

    >>> context_of("2024-05-31T13:05:00Z", "Fri, 31 May 2024 15:05 +0200")[:2]
    ('2024-05-31T13:05:00Z', 'Fri, 31 May 2024 15:05 +0200')
    """
    return Context(
        None if time is None or time.startswith(NO_YEAR) else time, shortened(printable(" ".join(written.split())))
    )


def hour_at(place: Location) -> str | None:
    """Return the hour of the context of a location, as `PLANNED` where that is in a calendar; None if it has none.

    >>> context = Context("2054-05-31T13:05:00Z")
    >>> hour_at(Location(field="VEVENT.URL", context=context)), hour_at(Location(field="url", context=context))
    ('2054-05-31T13+', '2054-05-31T13')
    """
    hour = None if place.context is None else hour_of(place.context.time)
    return hour if hour is None or place.field is None or _PLANS.match(place.field) is None else f"{hour}{PLANNED}"


def names_time(name: str) -> bool:
    """Report whether a name is one of `TIME_NAMES`."""
    return name.lower() in _RANKS


def named_time(values: Mapping[str, Any] | Iterable[tuple[str, Any]], name: str | None = None) -> Context | None:
    """Return the time of the fields of a row; None if none of them states one.

    >>> named_time({"Time": "2024-05-31T13:05:07Z", "url": "http://a.example/"})[:2]
    ('2024-05-31T13:05:07Z', '2024-05-31T13:05:07Z')

    Args:
        values: the fields, by name.
        name: the name of the field with the time, with dots for one in an object (a tuple of such pairs); one of
            `TIME_NAMES` for None.
    """
    pairs = values.items() if isinstance(values, Mapping) else values
    found: tuple[int, Context] | None = None
    for key, value in pairs:
        if name is None:
            rank = _RANKS.get(key.lower())
        elif key == name:
            rank = 0
        elif value.__class__ is tuple and name.startswith(f"{key}."):
            return named_time(value, name[len(key) + 1 :])
        else:
            continue
        if rank is not None and (found is None or rank < found[0]):
            time = time_of_value(value)
            if time is not None:
                found = rank, context_of(time, f"{value}")
    return None if found is None else found[1]


# The components that are entries (RFC 5545 3.6, RFC 6350 3.1); others, such as alarms, lie in them.
ENTRIES: Final = frozenset(["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VCARD"])
# The properties with a time, the surest first: its start, else when it was written, or a card was changed.
_TIMES: Final = ("DTSTART", "DTSTAMP", "CREATED", "REV")
_TELLING: Final = frozenset([*_TIMES, "ORGANIZER", "ATTENDEE", "SUMMARY"])
# The values of one component that are held until its end, and the lines over which they may be spread.
_MOST: Final = 256
_LINES: Final = 4_096
# The attendees that each record of an event has.
_ATTENDEES: Final = 64
_MAILTO: Final = lazy_compile(r"mailto:([^\s?]+)", re.IGNORECASE)


class ComponentProperties:
    """The properties of a component that say when and from whom it is; complete where the component ends.

    >>> event = ComponentProperties()
    >>> for name, value in (("DTSTAMP", "20240501T090000Z"), ("DTSTART", "20240531T130000"), ("SUMMARY", "Tea")):
    ...     event.take(name, value)
    >>> event.take("ORGANIZER", "mailto:ada@a.example")
    >>> event.context
    Context(time='2024-05-31T13:00:00', written='20240531T130000', sender='ada@a.example', to=None, subject='Tea')
    """

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {name: [] for name in _TELLING}

    def take(self, name: str, value: str) -> None:
        """Take a property, escapes resolved."""
        values = self._values.get(name)
        if values is not None and len(values) < _ATTENDEES:
            values.append(value)

    @property
    def context(self) -> Context:
        """The context, as far as it is known."""
        written = next((self._values[name][0] for name in _TIMES if self._values[name]), None)
        when = Context() if written is None else context_of(time_of_value(written), written)
        senders = _addresses(self._values["ORGANIZER"])
        subjects = self._values["SUMMARY"]
        return when._replace(
            sender=next(iter(senders), None),
            to=tuple(_addresses(self._values["ATTENDEE"])) or None,
            subject=shortened(printable(" ".join(subjects[0].split()))) if subjects else None,
        )


def _addresses(values: Iterable[str]) -> list[str]:
    return [shortened(printable(match[1])) for value in values if (match := _MAILTO.match(value.strip())) is not None]


class _PropertyText(Protocol):
    @property
    def text(self) -> str | Iterable[str]: ...

    @property
    def row(self) -> int: ...


Value = TypeVar("Value", bound=_PropertyText)


def with_contexts(
    values: Iterator[Value | None], component: Callable[[], ComponentProperties | None]
) -> Iterator[tuple[Value | None, Context | None]]:
    """Yield values, each with the context of its component, which is known where that ends; None as it comes.

    Args:
        values: the values of all lines.
        component: returns the component of the last value.
    """
    held: list[Value] = []
    last: ComponentProperties | None = None
    for value in values:
        if value is None:
            yield None, None
            continue
        current = component()
        is_full = len(held) >= _MOST or (held and value.row - held[0].row > _LINES)
        if current is not last or is_full or not isinstance(value.text, str):
            yield from _released(held, last)
            held, last = [], current
        if current is None or not isinstance(value.text, str):
            yield value, None if current is None else current.context
        else:
            held.append(value)
    yield from _released(held, last)


def _released(held: list[Value], component: ComponentProperties | None) -> Iterator[tuple[Value, Context | None]]:
    context = None if component is None else component.context
    return ((value, context) for value in held)
