"""Times as sources write them, read as RFC 3339: of lines of logs, of messages, of rows and records, of epochs.

A time is `2024-05-31T13:05:07Z`, in UTC, where the source states the zone, and `2024-05-31T13:05:07` where it does not.
Where the year is not stated, as in RFC 3164, it is `--05-31T13:05:07`: records leave it out, statistics count it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from urisieve.lean import Final, NamedTuple, TypeAlias, lazy_compile

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_SECOND: Final = "(?:[0-5][0-9]|60)"
_FRACTION: Final = "([0-9]{2}(?:[.,][0-9]{1,9})?)"
# Times at the start of a line: to the minute, their seconds, and their zones.
# ISO 8601 and RFC 3339, also behind the priority and version of RFC 5424 6.2, or in a bracket.
_ISO: Final = lazy_compile(
    r"(?:<[0-9]{1,3}>[0-9]{0,2} ?|\[)?([0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2})"
    rf"(?::{_FRACTION})?(?: ?(Z|[+-][0-9]{{2}}:?[0-9]{{2}})(?![0-9]))?"
)
# RFC 3164 4.1.2, with a priority or without.
_BSD: Final = lazy_compile(rf"(?:<[0-9]{{1,3}}>)?({_MONTH} [ 0-9][0-9] [0-9]{{2}}:[0-9]{{2}}):([0-9]{{2}})()")
# The Common Log Format: host, ident, user, and the time in brackets.
_CLF_TIME: Final = rf"([0-9]{{2}}/{_MONTH}/[0-9]{{4}}:[0-9]{{2}}:[0-9]{{2}}):([0-9]{{2}}) ([+-][0-9]{{4}})"
_CLF: Final = lazy_compile(rf"[^ \t-\r\[]{{1,255}} [^\n\[]{{1,255}} \[{_CLF_TIME}\]")
# RFC 5322 3.3 and 4.3, and the date of `asctime` (RFC 4155); comments are left out before.
_DATE: Final = lazy_compile(
    rf"(?P<day>[0-9]{{1,2}})[ -]+(?P<month>{_MONTH})[a-z]*[ -]+(?P<year>[0-9]{{2,4}})[ ,]+(?P<hour>[0-9]{{1,2}})"
    rf"[:.](?P<minute>[0-9]{{1,2}})(?:[:.](?P<second>{_SECOND}))?(?:[ ]*(?P<zone>[+-][0-9]{{4}}|[A-Z]{{1,5}}))?",
    re.IGNORECASE,
)
_ASCTIME: Final = lazy_compile(
    rf"(?P<month>{_MONTH}) +(?P<day>[0-9]{{1,2}}),? +(?P<hour>[0-9]{{1,2}}):(?P<minute>[0-9]{{2}})"
    rf"(?::(?P<second>{_SECOND}))?"
    r" +(?:(?P<zone>[+-][0-9]{4}|[A-Z]{1,5}) +)?(?P<year>[0-9]{4})(?: +(?P<late>[+-][0-9]{4}))?"
)
_COMMENT: Final = lazy_compile(r"\([^()]{0,200}\)|\s+")
# ISO 8601 as a whole value, extended or basic, and the time of the Common Log Format.
_VALUE: Final = lazy_compile(
    r"([0-9]{4})([-/]?)([0-9]{2})\2([0-9]{2})"
    rf"(?:[Tt _]?([0-9]{{2}}):?([0-9]{{2}})(?::?{_FRACTION})?(?: ?([Zz]|UTC|GMT|[+-][0-9]{{2}}:?(?:[0-9]{{2}})?))?)?"
)
_LOG_VALUE: Final = lazy_compile(rf"\[?{_CLF_TIME}\]?")
# The beginnings of a time, and the first one.
_BOUND: Final = lazy_compile(
    rf"[0-9]{{4}}(?:-[0-9]{{2}}(?:-[0-9]{{2}}(?:T[0-9]{{2}}(?::[0-9]{{2}}(?::{_SECOND})?)?)?)?)?"
)
_FIRST: Final = "0000-01-01T00:00:00"
_EPOCH: Final = lazy_compile(r"([0-9]{9,20})(?:\.([0-9]{1,9})[0-9]*)?")
# RFC 5322 4.3; other names say nothing.
_ZONES: Final = {"EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8}
_UTC: Final = frozenset(["Z", "UT", "UTC", "GMT"])
# Two digits of a year (RFC 5322 4.3): from 50 on of the 20th century; three digits are added to 1900.
_CENTURY: Final = 50
# No date is longer, in characters.
_LONGEST_DATE: Final = 1_000
_MINUTES: Final = 60
_DAY: Final = 24
# Assumed where the year is not stated: it has a 29 February.
_LEAP_YEAR: Final = "2000"
# An epoch is in seconds up to the year 5138; with three digits more each in milli-, micro- and nanoseconds.
_SECONDS: Final = 11
# Chromium counts microseconds from 1601, Windows tenths of them: so many seconds before 1970, and those up to 2100.
_FROM_1601: Final = 11_644_473_600
_UP_TO_2100: Final = 4_102_444_800
NO_YEAR: Final = "--"
# Behind an hour that may well lie in the future.
PLANNED: Final = "+"


def bound_of(text: str) -> str | None:
    """Return a time, a day, a month or a year as it is compared with times by `is_within`; None if it is none.

    >>> bound_of("2024-05"), bound_of("2024-05-31 13:05"), bound_of("2024-05-31T15:05:00+02:00"), bound_of("soon")
    ('2024-05', '2024-05-31T13:05', '2024-05-31T13:05:00', None)
    """
    plain = text.strip().replace(" ", "T", 1)
    is_part = _BOUND.fullmatch(plain) is not None
    time = time_of_value(plain + _FIRST[len(plain) :] if is_part else text)
    return None if time is None else plain if is_part else time.removesuffix("Z")


def is_within(time: str, since: str | None, until: str | None) -> bool:
    """Report whether a time is not before one bound and not behind the whole of another; without a zone it is UTC.

    >>> is_within("2024-05-31T23:59:59Z", "2024-05-31", "2024-05-31"), is_within("2024-06-01T00:00:00", None, "2024-05")
    (True, False)
    """
    time = time.removesuffix("Z")
    return (since is None or time >= since) and (until is None or time[: len(until)] <= until)


def hour_of(time: str | None) -> str | None:
    """Return the hour of a time.

    >>> hour_of("2024-05-31T13:05:00Z"), hour_of("--05-31T13:05:00")
    ('2024-05-31T13', '--05-31T13')
    """
    return None if time is None else time.partition(":")[0]


class LineTime(NamedTuple):
    """The time with which a line begins; most callers ask for its hour only.

    >>> time_of_line("<34>1 2003-10-11T22:14:15.003Z host su", 0).time, time_of_line("Oct 11 22:14:15 su", 0).hour
    ('2003-10-11T22:14:15.003Z', '--10-11T22')

    Attributes:
        minute: the time up to its minute; None if the line does not begin with a time.
        hour: the hour; see `hour_of`.
        end: the offset behind it.
        match: what stands there: the time to its minute, the seconds, the zone.
    """

    minute: str | None
    hour: str | None
    end: int
    match: re.Match[str] | None = None

    @property
    def time(self) -> str | None:
        """The time."""
        return None if self.match is None else _whole(self.minute, self.match[2], self.match[3])

    @property
    def written(self) -> str:
        """The time as it stands there."""
        return "" if self.match is None else self.match.string[self.match.start(1) : self.end].removesuffix("]")


def time_of_line(text: str, start: int) -> LineTime:
    """Return the time of the line that begins at an offset of a text.

    >>> found = time_of_line('10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0"', 0)
    >>> found.time, found.hour, found.end
    ('2000-10-10T20:55:36Z', '2000-10-10T20', 41)
    """
    for pattern, read in _FORMS:
        match = pattern.match(text, start)
        if match is not None:
            minute, hour = read(match[1], match[3])
            return _tuple(LineTime, (minute, hour, match.end(), match))
    return LineTime(None, None, start)


# A named tuple without the cost of its own constructor, which takes three times as long.
_tuple: Final = tuple.__new__
# A time up to its minute, and its hour.
_Minute: TypeAlias = tuple[str | None, str | None]


def _with_hour(year: str, month: str, day: str, hour: str, minute: str, zone: str) -> _Minute:
    found = _minute(year, month, day, hour, minute, zone)
    return found, hour_of(found)


@lru_cache(maxsize=4_096)
def _iso_minute(time: str, zone: str | None) -> _Minute:
    return _with_hour(time[:4], time[5:7], time[8:10], time[11:13], time[14:], zone or "")


@lru_cache(maxsize=4_096)
def _clf_minute(time: str, zone: str | None) -> _Minute:
    return _with_hour(time[7:11], time[3:6], time[:2], time[12:14], time[15:], zone or "")


@lru_cache(maxsize=4_096)
def _bsd_minute(time: str, zone: str | None) -> _Minute:
    return _with_hour("", time[:3], time[4:6], time[7:9], time[10:], zone or "")


_FORMS: Final = ((_ISO, _iso_minute), (_BSD, _bsd_minute), (_CLF, _clf_minute))


def minute_of_form(form: int, time: str, zone: str) -> _Minute:
    """Return the minute and the hour of a time to its minute; the forms are 0 for ISO 8601, 1 for RFC 3164, 2 for logs.

    >>> minute_of_form(2, "10/Oct/2000:13:55", "-0700")
    ('2000-10-10T20:55', '2000-10-10T20')
    """
    return _FORMS[form][1](time, zone)


def time_of_date(text: str) -> str | None:
    """Return the time of a field `Date` (RFC 5322 3.3), or of an envelope line (RFC 4155); None if it is not a date.

    >>> time_of_date("Fri, 21 Nov 1997 09:55:06 -0600"), time_of_date("21 Nov 97 23:55:06 EST (winter)")
    ('1997-11-21T15:55:06Z', '1997-11-22T04:55:06Z')
    >>> time_of_date("From ada@lists.example Sat Nov 21 09:12:44 2026"), time_of_date("Tue, 7 May 102 10:00")
    ('2026-11-21T09:12:44', '2002-05-07T10:00:00')
    """
    text = _COMMENT.sub(" ", text[:_LONGEST_DATE])
    match = _DATE.search(text) or _ASCTIME.search(text)
    if match is None:
        return None
    day, month, year, hour, minute, second, zone = match.group(
        "day", "month", "year", "hour", "minute", "second", "zone"
    )
    zone = zone or match.groupdict().get("late") or ""
    if len(year) < len("1997"):
        year = str(int(year) + (2000 if len(year) == 2 and int(year) < _CENTURY else 1900))
    if zone.upper() in _UTC:
        zone = "Z"
    elif zone[:1] not in ("", "+", "-"):
        hours = _ZONES.get(zone.upper())
        zone = "" if hours is None else f"{hours:+03}00"
    return _whole(_minute(year, month, day, hour, minute, zone), second, zone)


def time_of_value(value: object) -> str | None:
    """Return the time that a value of JSON or of a table states; None if it states none.

    Numbers of nine digits and more are seconds since 1970, or milli-, micro- or nanoseconds, by their size; those of 17
    and 18 digits from 1601, if that makes a time from 1970 to 2099.

    >>> time_of_value(1732190400), time_of_value("1732190400123"), time_of_value(1732190400.25)
    ('2024-11-21T12:00:00Z', '2024-11-21T12:00:00.123Z', '2024-11-21T12:00:00.25Z')
    >>> time_of_value("13348576800000000"), time_of_value(133485768000000000), time_of_value(1704103200000000000)
    ('2024-01-01T10:00:00Z', '2024-01-01T10:00:00Z', '2024-01-01T10:00:00Z')
    >>> time_of_value("2024-05-31 15:05:07,25 +02:00"), time_of_value("20240531T130507Z"), time_of_value("2024-05-31")
    ('2024-05-31T13:05:07.25Z', '2024-05-31T13:05:07Z', '2024-05-31T00:00:00')
    >>> time_of_value("10/Oct/2000:13:55:36 -0700"), time_of_value(0.25), time_of_value("noon")
    ('2000-10-10T20:55:36Z', None, None)
    """
    if value.__class__ not in (str, int, float):
        return None
    text = f"{value}"[:_LONGEST_DATE].strip()
    # Digits alone are a date (8) or a date and a time (14); with another number of digits they count from 1970.
    match = _VALUE.fullmatch(text)
    if match is not None and not (text.isdigit() and len(text) not in (len("20240531"), len("20240531130507"))):
        year, _, month, day, hour, minute, second, zone = match.groups("")
        found = _whole(_minute(year, month, day, hour or "0", minute or "0", zone), second, zone)
        if found is not None:
            return found
    match = _LOG_VALUE.fullmatch(text)
    if match is not None:
        return _whole(_clf_minute(match[1], match[3])[0], match[2], match[3])
    match = _EPOCH.fullmatch(text)
    return time_of_date(text) if match is None else _time_of_epoch(match[1], match[2] or "")


def _time_of_epoch(digits: str, fraction: str) -> str | None:
    """Return a time by its digits, in the unit that their number says."""
    digits = digits.lstrip("0") or "0"
    below = 0 if len(digits) <= _SECONDS else (len(digits) - _SECONDS + 2) // 3 * 3
    seconds = int(digits[: len(digits) - below])
    if len(digits) in (17, 18) and 0 <= int(digits[:_SECONDS]) - _FROM_1601 < _UP_TO_2100:
        below, seconds = len(digits) - _SECONDS, int(digits[:_SECONDS]) - _FROM_1601
    fraction = f"{digits[len(digits) - below :]}{fraction}".rstrip("0")
    minute = _utc(seconds // _MINUTES)
    return _whole(minute, f"{seconds % _MINUTES:02}{'.' if fraction else ''}{fraction}", "Z")


def _whole(minute: str | None, second: str | None, zone: str | None) -> str | None:
    """Return a time of its minute, in UTC if the zone is known, and its seconds."""
    if minute is None or int((second or "0")[:2]) > _MINUTES:
        return None
    return f"{minute}:{(second or '00').replace(',', '.')}{'Z' if zone else ''}"


def _minute(year: str, month: str, day: str, hour: str, minute: str, zone: str) -> str | None:
    """Return a time to the minute, in UTC if the zone is stated; None if there is no such time."""
    from datetime import date

    number = int(month) if month.isdigit() else _MONTHS.index(month.lower()) + 1
    try:
        first = date(int(year or _LEAP_YEAR), number, int(day))
    except ValueError:
        return None
    if int(hour) >= _DAY or int(minute) >= _MINUTES:
        return None
    if not year:
        return f"{NO_YEAR}{number:02}-{int(day):02}T{int(hour):02}:{int(minute):02}"
    minutes = ((first.toordinal() - date(1970, 1, 1).toordinal()) * _DAY + int(hour)) * _MINUTES + int(minute)
    if zone[:1] in ("+", "-"):
        digits = zone[1:].replace(":", "")
        behind = int(digits[:2]) * _MINUTES + int(digits[2:] or "0")
        minutes += behind if zone[0] == "-" else -behind
    return _utc(minutes)


def _utc(minutes: int) -> str | None:
    """Return the time that is so many minutes after 1970; None if it has no four-digit year."""
    from datetime import date

    hours, minute = divmod(minutes, _MINUTES)
    days, hour = divmod(hours, _DAY)
    try:
        day = date.fromordinal(date(1970, 1, 1).toordinal() + days)
    except (ValueError, OverflowError):
        return None
    return f"{day.year:04}-{day.month:02}-{day.day:02}T{hour:02}:{minute:02}"
