"""Times as sources write them, read as RFC 3339: of lines of logs, of messages, of rows and records, of epochs.

A time is `2024-05-31T13:05:07Z`, in UTC, where the source states the zone, and `2024-05-31T13:05:07` where it does not.
Where the year is not stated, as in RFC 3164, it is `--05-31T13:05:07`: records leave it out, statistics count it.

Two functions take the times that a caller gives: datetimes, texts and seconds.
"""

from __future__ import annotations

import re
from operator import index

from urisieve import shapes
from urisieve.errors import UsageError
from urisieve.lean import Any, Final, lazy_compile
from urisieve.syntax.time_forms import MINUTES, moment, time_of_form, two_digit_year, utc_minute, whole_time

_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_SECOND: Final = "(?:[0-5][0-9]|60)"
_FRACTION: Final = "([0-9]{2}(?:[.,][0-9]{1,9})?)"
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
# ISO 8601 as a whole value, extended or basic.
_VALUE: Final = lazy_compile(
    r"([0-9]{4})([-/]?)([0-9]{2})\2([0-9]{2})"
    rf"(?:[Tt _]?([0-9]{{2}}):?([0-9]{{2}})(?::?{_FRACTION})?(?: ?([Zz]|UTC|GMT|[+-][0-9]{{2}}:?(?:[0-9]{{2}})?))?)?"
)
# The beginnings of a time, and the first one.
_BOUND: Final = lazy_compile(
    rf"[0-9]{{4}}(?:-[0-9]{{2}}(?:-[0-9]{{2}}(?:T[0-9]{{2}}(?::[0-9]{{2}}(?::{_SECOND})?)?)?)?)?"
)
_FIRST: Final = "0000-01-01T00:00:00"
# Seconds and smaller units, also as .NET writes them in JSON.
_EPOCH: Final = lazy_compile(r"(?:/Date\()?([0-9]{9,20})(?:\.([0-9]{1,9})[0-9]*)?(?:\)/)?")
# RFC 5322 4.3; other names state nothing.
_ZONES: Final = {"EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8}
_UTC: Final = frozenset(["Z", "UT", "UTC", "GMT"])
# No date is longer, in characters.
_LONGEST_DATE: Final = 1_000
# An epoch is in seconds up to the year 5138; with three digits more each in milli-, micro- and nanoseconds.
_SECONDS: Final = 11
# Chromium counts microseconds from 1601, Windows tenths of them: so many seconds before 1970, and those up to 2100.
_FROM_1601: Final = 11_644_473_600
_UP_TO_2100: Final = 4_102_444_800
# After an hour that may well lie in the future.
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
    """Report whether a time is not before one bound and not after the whole of another; without a zone it is UTC.

    >>> is_within("2024-05-31T23:59:59Z", "2024-05-31", "2024-05-31"), is_within("2024-06-01T00:00:00", None, "2024-05")
    (True, False)
    """
    time = time.removesuffix("Z")
    return (since is None or time >= since) and (until is None or time[: len(until)] <= until)


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
        year = two_digit_year(year) if len(year) == 2 else str(int(year) + 1900)
    if zone.upper() in _UTC:
        zone = "Z"
    elif zone[:1] not in ("", "+", "-"):
        hours = _ZONES.get(zone.upper())
        zone = "" if hours is None else f"{hours:+03}00"
    return whole_time(moment(year, month, day, hour, minute, zone), second, zone)


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
        found = whole_time(moment(year, month, day, hour or "0", minute or "0", zone), second, zone)
        if found is not None:
            return found
    match = _EPOCH.fullmatch(text)
    if match is not None:
        return _time_of_epoch(match[1], match[2] or "")
    return time_of_form(text.removeprefix("[").removesuffix("]")) or time_of_date(text)


def _time_of_epoch(digits: str, fraction: str) -> str | None:
    """Return a time by its digits, in the unit that their number states."""
    digits = digits.lstrip("0") or "0"
    below = 0 if len(digits) <= _SECONDS else (len(digits) - _SECONDS + 2) // 3 * 3
    seconds = int(digits[: len(digits) - below])
    if len(digits) in (17, 18) and 0 <= int(digits[:_SECONDS]) - _FROM_1601 < _UP_TO_2100:
        below, seconds = len(digits) - _SECONDS, int(digits[:_SECONDS]) - _FROM_1601
    fraction = f"{digits[len(digits) - below :]}{fraction}".rstrip("0")
    minute = utc_minute(seconds // MINUTES)
    return whole_time(minute, f"{seconds % MINUTES:02}{'.' if fraction else ''}{fraction}", "Z")


# The latest time that can be given: the last second of the year 9999, in seconds from 1970-01-01 UTC.
LATEST: Final = 253_402_300_799
# A smaller number of seconds (before 1973-03-03) is no bound: it may be a year, or a day.
LEAST_BOUND: Final = 100_000_000
_FIRST_DAY: Final = "0001-01-01T00:00:00"
_TO_MINUTE: Final = len("0001-01-01T00:00")


def bound_given(name: str, value: object) -> str:
    """Return a time as `is_within` compares it with others: `2024-05` for a month, or up to its second, in UTC.

    >>> from datetime import date, datetime
    >>> bound_given("since", datetime(2024, 5, 31, 13, 5)), bound_given("since", date(2024, 5, 31))
    ('2024-05-31T13:05:00', '2024-05-31')
    >>> bound_given("since", "2024-05"), bound_given("since", 1717160700)
    ('2024-05', '2024-05-31T13:05:00')

    Args:
        name: the name of the argument, for the message.
        value: a `datetime`, in UTC if it has no zone; a `date`; a text, as ISO 8601 or RFC 3339 write it or the
            beginning of that; or a number of seconds from 1970-01-01 UTC, from 1973 on.

    Raises:
        UsageError: it is none of these.
    """
    number = _number(value)
    if number is not None:
        bound = _text_of(number) if LEAST_BOUND <= number <= LATEST else None
    else:
        bound = _bound(value)
    if bound is None:
        raise UsageError(
            f"{name}={shapes.shown(value)} is not a time such as 2024-05-31 or 2024-05-31T13:05:00Z: give such a text, "
            "a datetime, or seconds from 1970-01-01 UTC"
        )
    return bound


def seconds_given(name: str, value: object, *, least: int = 0) -> int:
    """Return a time as whole seconds from 1970-01-01 UTC, from 0 to `LATEST`; of a day, month or year its beginning.

    >>> from datetime import datetime, timedelta, timezone
    >>> seconds_given("before", "2024"), seconds_given("before", 1717160700.5)
    (1704067200, 1717160700)
    >>> seconds_given("before", datetime(2024, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))))
    1704067200

    Args:
        name: the name of the argument, for the message.
        value: as for `bound_given`; a number may be any from `least`.
        least: the least number of seconds that is taken as one.

    Raises:
        UsageError: it is none of these, or out of range.
    """
    number = _number(value)
    if number is None or 0 <= number < least:
        from datetime import UTC, datetime

        bound = bound_given(name, value)
        whole = bound + _FIRST_DAY[len(bound) :]
        minute = datetime.fromisoformat(whole[:_TO_MINUTE]).replace(tzinfo=UTC)
        number = int(minute.timestamp()) + int(
            whole[_TO_MINUTE + 1 : _TO_MINUTE + 3]
        )  # 60 is the first of the next minute
    if not 0 <= number <= LATEST:
        raise UsageError(f"{name}={shapes.shown(value)} must be a time from 1970 to 9999: 0 to {LATEST} seconds")
    return int(number)


def _number(value: Any) -> float | None:
    """Return a number as it is, also one of a library; None for what is none."""
    if isinstance(value, float):
        return value
    if isinstance(value, bool):
        return None
    try:
        return index(value)
    except TypeError:
        return None


def _bound(value: object) -> str | None:
    from datetime import UTC, date, datetime

    if isinstance(value, datetime):
        try:
            value = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        except OverflowError:
            return None
        value = value.isoformat()
    elif isinstance(value, date):
        value = value.isoformat()
    return bound_of(value) if isinstance(value, str) else None


def _text_of(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(seconds), UTC).replace(tzinfo=None).isoformat()
