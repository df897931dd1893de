"""When and from whom the components of calendars and cards are: of the properties beside the links in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from urisieve.lean import Final, Protocol, TypeVar, lazy_compile
from urisieve.records.base import Context
from urisieve.sources.contexts import context_of
from urisieve.syntax.times import time_of_value
from urisieve.wording import printable, shortened

# The components that are entries (RFC 5545 3.6, RFC 6350 3.1); others, such as alarms, lie in them.
ENTRIES: Final = frozenset(["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VCARD"])
# The properties with a time, the surest first: its start, else when it was written, or a card was changed.
_TIMES: Final = ("DTSTART", "DTSTAMP", "CREATED", "REV")
_TELLING: Final = frozenset([*_TIMES, "ORGANIZER", "ATTENDEE", "SUMMARY"])
# The values of one component that are held until its end, and the lines over which they may stand.
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
    def text(self) -> Iterable[str]: ...

    @property
    def row(self) -> int: ...


Value = TypeVar("Value", bound=_PropertyText)


def with_contexts(
    values: Iterator[Value], component: Callable[[], ComponentProperties | None]
) -> Iterator[tuple[Value, Context | None]]:
    """Yield values, each with the context of its component, which is known where that ends.

    Args:
        values: the values of all lines.
        component: returns the component in which the last value stands.
    """
    held: list[Value] = []
    last: ComponentProperties | None = None
    for value in values:
        current = component()
        is_full = len(held) >= _MOST or (held and value.row - held[0].row > _LINES)
        if current is not last or is_full or not isinstance(value.text, tuple):
            yield from _released(held, last)
            held, last = [], current
        if current is None or not isinstance(value.text, tuple):
            yield value, None if current is None else current.context
        else:
            held.append(value)
    yield from _released(held, last)


def _released(held: list[Value], component: ComponentProperties | None) -> Iterator[tuple[Value, Context | None]]:
    context = None if component is None else component.context
    return ((value, context) for value in held)
