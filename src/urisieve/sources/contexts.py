"""The contexts of texts: of a time, of the fields of a row, of the objects around the strings of JSON.

It holds besides:

- the names of fields of JSON and of columns that hold a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from urisieve.lean import Any, Final, TypeAlias, lazy_compile
from urisieve.records.base import Context, Location
from urisieve.syntax.times import NO_YEAR, PLANNED, hour_of, time_of_value
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


class JsonTimes:
    """The times of the strings of a text, by their offsets.

    >>> from urisieve.sources.structured.row_reader import DECODER
    >>> text = '[{"time": "2024-05-31T13:05:07Z", "url": ["http://a.example/"]}, "http://b.example/"]'
    >>> starts = [text.index(string) for string in ('"time"', '"2024', '"url"', '"http://a', '"http://b')]
    >>> times = JsonTimes(starts, [DECODER.decode(text)], named_time)
    >>> times.at(text.index("http://a")).time, times.at(text.index("http://b"))
    ('2024-05-31T13:05:07Z', None)

    Args:
        starts: the offset of the quotation mark of each string.
        values: the values in the text, as `DECODER` returns them; none if it is not JSON.
        dating: returns the time that an object states.
    """

    def __init__(self, starts: Iterable[int], values: Iterable[Any], dating: Dating) -> None:
        self._starts = list(starts)
        try:
            self._contexts = list(chain.from_iterable(_contexts(value, dating) for value in values))
        except (ValueError, RecursionError):
            self._contexts = []

    def at(self, offset: int) -> Context | None:
        """Return the time of the string that begins before an offset, and ends behind it."""
        index = bisect_right(self._starts, offset) - 1
        return self._contexts[index] if 0 <= index < len(self._contexts) else None


def _contexts(top: Any, dating: Dating) -> Iterator[Context | None]:
    """Yield the time of each string in a value, names of members included, in the order of the text."""
    stack: list[tuple[Any, Context | None]] = [(top, None)]
    while stack:
        value, context = stack.pop()
        if value.__class__ is str:
            yield context
        elif value.__class__ is list:
            stack += [(inner, context) for inner in reversed(value)]
        elif value.__class__ is tuple:
            context = context or dating(value)
            for name, inner in reversed(value):
                stack += ((inner, context), (name, context))
