"""The contexts of texts, which say when and from whom they are.

It defines:

- contexts of a time, and of the fields of a row.
- the names of fields of JSON and of columns, and of elements of XML, that contain a time.
- contexts of the components of calendars and cards: of the properties beside the links in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from urisieve.lean import Any, Final, NamedTuple, TypeAlias, lazy_compile
from urisieve.records.base import Context, Location
from urisieve.syntax.time_forms import NO_YEAR, hour_of
from urisieve.syntax.times import PLANNED, time_of_value
from urisieve.wording import printable, shortened


class TimeName(NamedTuple):
    """The name of a field with the time of an entry.

    Attributes:
        name: the name, or the path in an object, in lower case.
        product: what writes so.
        example: the field, as JSON; its time is that of `DAY` in the tests.
    """

    name: str
    product: str
    example: str


# The surest first.
TIME_NAMES: Final = (
    TimeName("@timestamp", "Elastic Common Schema, Logstash", '"@timestamp": "2024-05-31T13:05:07Z"'),
    TimeName("timestamp", "Google Cloud, Suricata, GELF", '"timestamp": "2024-05-31T13:05:07+0000"'),
    TimeName("eventtime", "AWS CloudTrail", '"eventTime": "2024-05-31T13:05:07Z"'),
    TimeName("time", "Docker, Azure Monitor, pino", '"time": 1717160707000'),
    TimeName("ts", "Zeek, Caddy, zap, Slack", '"ts": 1717160707.000000'),
    TimeName("datetime", "many", '"datetime": "2024-05-31 13:05:07Z"'),
    TimeName("date_unixtime", "Telegram", '"date_unixtime": "1717160707"'),
    TimeName("date", "many", '"date": "Fri, 31 May 2024 13:05:07 GMT"'),
    TimeName("_time", "Splunk", '"_time": "1717160707"'),
    TimeName("__realtime_timestamp", "the systemd journal", '"__REALTIME_TIMESTAMP": "1717160707000000"'),
    TimeName("t.$date", "MongoDB", '"t": {"$date": "2024-05-31T13:05:07.000+00:00"}'),
    TimeName("timemillis", "Log4j 2", '"timeMillis": 1717160707000'),
    TimeName("time_iso8601", "nginx", '"time_iso8601": "2024-05-31T13:05:07+00:00"'),
    TimeName("time_local", "nginx", '"time_local": "31/May/2024:13:05:07 +0000"'),
    TimeName("timegenerated", "Azure, Microsoft Sentinel", '"TimeGenerated": "2024-05-31T13:05:07Z"'),
    TimeName("requestreceivedtimestamp", "Kubernetes (audit)", '"requestReceivedTimestamp": "2024-05-31T13:05:07Z"'),
    TimeName("timeunixnano", "OpenTelemetry", '"timeUnixNano": "1717160707000000000"'),
    TimeName("creationtime", "Microsoft 365", '"CreationTime": "2024-05-31T13:05:07Z"'),
    TimeName("timecreated", "Windows (PowerShell)", r'"TimeCreated": "\/Date(1717160707000)\/"'),
    TimeName(
        "system.timecreated.#attributes.systemtime",
        "Windows (evtx)",
        '"System": {"TimeCreated": {"#attributes": {"SystemTime": "2024-05-31T13:05:07Z"}}}',
    ),
    TimeName("edgestarttimestamp", "Cloudflare", '"EdgeStartTimestamp": 1717160707000000000'),
    TimeName("starteddatetime", "HTTP archives (HAR)", '"startedDateTime": "2024-05-31T15:05:07+02:00"'),
    TimeName("created_at", "GitHub, Mastodon, Twitter", '"created_at": "Fri May 31 13:05:07 +0000 2024"'),
    TimeName("createdat", "many", '"createdAt": "2024-05-31T13:05:07Z"'),
    TimeName("created_utc", "Reddit", '"created_utc": 1717160707'),
    TimeName("published", "ActivityPub, Atom as JSON", '"published": "2024-05-31T13:05:07Z"'),
    TimeName("event.created", "Elastic Common Schema", '"event": {"created": "2024-05-31T13:05:07Z"}'),
    TimeName("receivetimestamp", "Google Cloud", '"receiveTimestamp": "2024-05-31T13:05:07Z"'),
    TimeName("last_visit_date", "Firefox", '"last_visit_date": 1717160707000000'),
    TimeName("last_visit_time", "Chromium", '"last_visit_time": 13361634307000000'),
    TimeName("start_time", "many", '"start_time": 1717160707'),
    TimeName("date_added", "Chromium (bookmarks)", '"date_added": "13361634307000000"'),
    TimeName("dateadded", "Firefox (bookmarks)", '"dateAdded": 1717160707000000'),
    TimeName("origin_server_ts", "Matrix", '"origin_server_ts": 1717160707000'),
)
_RANKS: Final = {row.name: rank for rank, row in enumerate(TIME_NAMES)}
# The paths of members of inner objects, by the last name of each.
_PATHS: Final = {row.name.rpartition(".")[2]: row.name for row in TIME_NAMES if "." in row.name}
# Any other name that ends so may be that of a time, unless it is that of an entry's age, or of what happens later.
_MAY_NAME: Final = lazy_compile(r"(?i:time|timestamp|date|utc)\Z|(?:(?<=[a-z])At|[-_.](?:at|AT)|\A(?i:at))\Z")
_OTHER: Final = lazy_compile(
    r"(?i)expir|birth|death|elapsed|duration"
    r"|(?:up|down|run|life|response|request|processing|wait|cpu|total|read|write|connect|execution)[-_]?time\Z"
)
# Its value is a text, or a number of seconds, milli-, micro- or nanoseconds from 2001 on.
_PLAIN_NUMBER: Final = lazy_compile(r"[0-9.]*\Z")
_SURE_NUMBER: Final = lazy_compile(r"1[0-9]{9}(?:[0-9]{3}){0,3}(?:\.[0-9]*)?\Z")
LEAST_SURE: Final = len(TIME_NAMES)
# The fields of the components of a calendar whose times may lie in the future, and of what lies in them.
_PLANS: Final = lazy_compile(r"V(?:EVENT|TODO|JOURNAL|FREEBUSY|ALARM)\.")
# Returns the time that the members of an object, or the cells of a row, state; see `named_time`.
Dating: TypeAlias = Callable[[Iterable[tuple[str, Any]]], Context | None]


class TimeElement(NamedTuple):
    """The name of an element of XML that states the time of an entry in an attribute, which is named as a field.

    Attributes:
        name: its name, without a prefix.
        outer: how many elements around it the entry is: 0 if it is the entry itself.
        product: what writes so.
        example: an entry; see `TimeName`.
    """

    name: str
    outer: int
    product: str
    example: str


TIME_ELEMENTS: Final = (
    TimeElement(
        "TimeCreated",
        2,
        "Windows (events)",
        '<Event><System><TimeCreated SystemTime="2024-05-31T13:05:07.0000000Z"/></System><Data>{}</Data></Event>',
    ),
    TimeElement("event", 0, "Log4j 1", '<log4j:event timestamp="1717160707000"><m>{}</m></log4j:event>'),
    TimeElement("Event", 0, "Log4j 2", '<Event timeMillis="1717160707000"><Message>{}</Message></Event>'),
    TimeElement("sms", 0, "SMS Backup & Restore", '<sms date="1717160707000" body="{}"/>'),
    TimeElement("mms", 0, "SMS Backup & Restore", '<mms date="1717160707000"><part text="{}"/></mms>'),
)


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


@lru_cache(maxsize=4_096)
def time_rank(name: str) -> int | None:
    """Return how sure it is that a field has the time of an entry: `LEAST_SURE` by the end of its name, None if not.

    >>> time_rank("@timestamp"), time_rank("finishedAt") == LEAST_SURE, time_rank("expires_at"), time_rank("url")
    (0, True, None, None)
    """
    rank = _RANKS.get(name.lower())
    if rank is None and _MAY_NAME.search(name) is not None and _OTHER.search(name) is None:
        return LEAST_SURE
    return rank


def path_ending(name: str) -> str | None:
    """Return the path, in lower case, of a member with the time of an entry whose last name is this."""
    return _PATHS.get(name.lower())


def ranked_time(pairs: Iterable[tuple[str, Any]], name: str | None = None) -> tuple[int, Context] | None:
    """Return the time of the fields of a row, and how sure it is (see `time_rank`); see `named_time`."""
    found: tuple[int, Context] | None = None
    for key, value in pairs:
        if name is None:
            rank = time_rank(key)
            if rank == LEAST_SURE and _PLAIN_NUMBER.match(f"{value}") and _SURE_NUMBER.match(f"{value}") is None:
                continue
        elif key == name:
            rank = 0
        elif value.__class__ is tuple and name.startswith(f"{key}."):
            return ranked_time(value, name[len(key) + 1 :])
        else:
            continue
        if rank is not None and (found is None or rank < found[0]):
            time = time_of_value(value)
            if time is not None:
                found = rank, context_of(time, f"{value}")
    return found


def named_time(values: Mapping[str, Any] | Iterable[tuple[str, Any]], name: str | None = None) -> Context | None:
    """Return the time of the fields of a row; None if none of them states one.

    >>> named_time({"Time": "2024-05-31T13:05:07Z", "url": "http://a.example/"})[:2]
    ('2024-05-31T13:05:07Z', '2024-05-31T13:05:07Z')

    Args:
        values: the fields, by name.
        name: the name of the field with the time, with dots for one in an object (a tuple of such pairs); for None that
            of `TIME_NAMES`, or the first that ends as the name of a time does.
    """
    found = ranked_time(values.items() if isinstance(values, Mapping) else values, name)
    return None if found is None else found[1]


# The components that are entries (RFC 5545 3.6, RFC 6350 3.1); others, such as alarms, lie in them.
ENTRIES: Final = frozenset(["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VCARD"])
# The properties with a time, the surest first: its start, else when it was written, or a card was changed.
_TIMES: Final = ("DTSTART", "DTSTAMP", "CREATED", "REV")
_TELLING: Final = frozenset([*_TIMES, "ORGANIZER", "ATTENDEE", "SUMMARY"])
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
    Context(time='2024-05-31T13:00:00', time_written='20240531T130000', sender='ada@a.example', to=None, subject='Tea')
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
