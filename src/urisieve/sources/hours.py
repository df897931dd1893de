"""Times in texts, as hours of UTC: those of lines of logs, of messages (RFC 5322 3.3), and of entries of journals.

An hour is `2024-05-31T13`; where the year is not stated, as in RFC 3164, `--05-31T13`. A time without a zone is taken
as it stands.

It holds besides:

- the hours of the lines of a text that comes in pieces, for the identifiers that stand in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from urisieve.kernel import either, kernel
from urisieve.lean import TYPE_CHECKING, Final, lazy_compile

if TYPE_CHECKING:
    from urisieve.sources.bytes.decoding import TextTaker


# No time stands further from the start of its line, in characters.
LINE_HEAD: Final = 1_024

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# Times at the start of a line, to the minute, and their zones.
# ISO 8601 and RFC 3339, also behind the priority and version of RFC 5424 6.2, or in a bracket.
_ISO: Final = lazy_compile(
    r"(?:<[0-9]{1,3}>[0-9]{0,2} ?|\[)?([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2})"
    r"(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?: ?(Z|[+-][0-9]{2}:?[0-9]{2})(?![0-9]))?"
)
# RFC 3164 4.1.2, with a priority or without.
_BSD: Final = lazy_compile(rf"(?:<[0-9]{{1,3}}>)?({_MONTH} [ 0-9][0-9] [0-9]{{2}}:[0-9]{{2}}):[0-9]{{2}}()")
# The Common Log Format: host, ident, user, and the time in brackets.
_CLF: Final = lazy_compile(
    rf"[^\s\[]{{1,255}} [^\n\[]{{1,255}} \[([0-9]{{2}}/{_MONTH}/[0-9]{{4}}:[0-9]{{2}}:[0-9]{{2}}):[0-9]{{2}}"
    r" ([+-][0-9]{4})\]"
)
# RFC 5322 3.3 and 4.3, and the date of `asctime` (RFC 4155); comments are left out before.
_DATE: Final = lazy_compile(
    rf"(?P<day>[0-9]{{1,2}})[ -]+(?P<month>{_MONTH})[a-z]*[ -]+(?P<year>[0-9]{{2,4}})[ ,]+(?P<hour>[0-9]{{1,2}})"
    r"[:.](?P<minute>[0-9]{1,2})(?:[:.][0-9]{1,2})?(?:[ ]*(?P<zone>[+-][0-9]{4}|[A-Z]{1,5}))?",
    re.IGNORECASE,
)
_ASCTIME: Final = lazy_compile(
    rf"(?P<month>{_MONTH}) +(?P<day>[0-9]{{1,2}}),? +(?P<hour>[0-9]{{1,2}}):(?P<minute>[0-9]{{2}})(?::[0-9]{{2}})?"
    r" +(?:(?P<zone>[+-][0-9]{4}|[A-Z]{1,5}) +)?(?P<year>[0-9]{4})(?: +(?P<late>[+-][0-9]{4}))?"
)
_COMMENT: Final = lazy_compile(r"\([^()]{0,200}\)|\s+")
# RFC 5322 4.3; other names say nothing.
_ZONES: Final = {"EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8}
# Two digits of a year (RFC 5322 4.3): from 50 on of the 20th century; three digits are added to 1900.
_CENTURY: Final = 50
_LONGEST_DATE: Final = 1_000
_MICROSECONDS: Final = 1_000_000
# Those of the last microsecond of the year 9999.
_DIGITS: Final = len("253402300799999999")
_HOUR: Final = 3_600  # in seconds
_MINUTES: Final = 60
_DAY: Final = 24
# Assumed where the year is not stated: it has a 29 February.
_LEAP_YEAR: Final = "2000"


def hour_of_line(text: str, start: int) -> tuple[str | None, int]:
    """Return the hour of the line that begins at an offset of a text, and the offset behind its time.

    The hour is None if the line does not begin with a time.

    >>> hour_of_line('10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0"', 0)
    ('2000-10-10T20', 41)
    >>> hour_of_line("<34>1 2003-10-11T22:14:15.003Z host su", 0), hour_of_line("Oct 11 22:14:15 host su", 0)
    (('2003-10-11T22', 30), ('--10-11T22', 15))
    """
    for pattern, read in _FORMS:
        match = pattern.match(text, start)
        if match is not None:
            return read(match[1], match[2] or ""), match.end()
    return None, start


@lru_cache(maxsize=4_096)
def _iso_hour(time: str, zone: str) -> str | None:
    return _hour(time[:4], time[5:7], time[8:10], time[11:13], time[14:], zone)


@lru_cache(maxsize=4_096)
def _clf_hour(time: str, zone: str) -> str | None:
    return _hour(time[7:11], time[3:6], time[:2], time[12:14], time[15:], zone)


@lru_cache(maxsize=4_096)
def _bsd_hour(time: str, zone: str) -> str | None:
    return _hour("", time[:3], time[4:6], time[7:9], time[10:], zone)


_FORMS: Final = ((_ISO, _iso_hour), (_BSD, _bsd_hour), (_CLF, _clf_hour))


def hour_of_date(value: bytes) -> str | None:
    """Return the hour of the value of a field `Date`, or of an envelope line (RFC 4155); None if it is not a date.

    >>> hour_of_date(b"Fri, 21 Nov 1997 09:55:06 -0600"), hour_of_date(b"21 Nov 97 23:55:06 EST (winter)")
    ('1997-11-21T15', '1997-11-22T04')
    >>> hour_of_date(b"From ada@lists.example Sat Nov 21 09:12:44 2026")
    '2026-11-21T09'
    """
    text = _COMMENT.sub(" ", value[:_LONGEST_DATE].decode("ascii", "replace"))
    match = _DATE.search(text) or _ASCTIME.search(text)
    if match is None:
        return None
    day, month, year, hour, minute, zone = match.group("day", "month", "year", "hour", "minute", "zone")
    zone = zone or match.groupdict().get("late")
    if len(year) < len("1997"):
        year = str(int(year) + (2000 if len(year) == 2 and int(year) < _CENTURY else 1900))
    if zone is not None and zone[:1] not in "+-":
        hours = _ZONES.get(zone.upper(), 0)
        zone = f"{hours:+03}00"
    return _hour(year, month, day, hour, minute, zone or "")


def hour_of_document(date: bytes | None) -> str | None:
    """Return the hour of a document by its `date`; None if it has none.

    >>> hour_of_document(b"@1732190400000000")
    '2024-11-21T12'
    """
    if date is None:
        return None
    if not date.startswith(b"@"):
        return hour_of_date(date)
    digits = date[1:]
    return _utc(int(digits) // _MICROSECONDS // _HOUR) if digits.isdigit() and len(digits) <= _DIGITS else None


def _hour(year: str, month: str, day: str, hour: str, minute: str, zone: str) -> str | None:
    """Return an hour in UTC; None if there is no such time."""
    from datetime import date

    number = int(month) if month.isdigit() else _MONTHS.index(month.lower()) + 1
    try:
        first = date(int(year or _LEAP_YEAR), number, int(day))
    except ValueError:
        return None
    if int(hour) >= _DAY or int(minute) >= _MINUTES:
        return None
    if not year:
        return f"--{number:02}-{int(day):02}T{int(hour):02}"
    minutes = ((first.toordinal() - date(1970, 1, 1).toordinal()) * _DAY + int(hour)) * _MINUTES + int(minute)
    if zone not in ("", "Z"):
        digits = zone[1:].replace(":", "")
        behind = int(digits[:2]) * _MINUTES + int(digits[2:])
        minutes += behind if zone[0] == "-" else -behind
    return _utc(minutes // _MINUTES)


def _utc(hours: int) -> str | None:
    """Return the hour that is so many hours after 1970; None if it has no four-digit year."""
    from datetime import date

    days, hour = divmod(hours, _DAY)
    try:
        day = date.fromordinal(date(1970, 1, 1).toordinal() + days)
    except (ValueError, OverflowError):
        return None
    return f"{day.year:04}-{day.month:02}-{day.day:02}T{hour:02}"


# The characters of text that are kept behind the longest candidate, which may still be undecided.
_KEPT: Final = 262_144


class LineHours:
    """Finds the hours of the lines of a text.

    A line has the time with which it begins; it counts for the identifiers behind it. So it does not matter where
    pieces of the text end: what stands before an identifier has come when the identifier is found.

    Args:
        longest: the longest candidate, in characters.
    """

    def __init__(self, longest: int) -> None:
        self._keep = 4 * longest + _KEPT
        self.restart()

    def restart(self, offset: int = 0) -> None:
        """Begin another text, or its part from an offset on, which is the start of a line."""
        self._text = ""
        self._waiting: list[str] = []
        self._size = 0  # of what waits
        self._base = offset  # the offset of the text that is kept
        # The line that was looked at last, by offsets in that text: its start and end, the end of its time, and its
        # hour; and whether all of its head had come.
        self._start = self._behind = 0
        self._end = -1
        self._hour: str | None = None
        self._is_known = False

    def feed_bytes(self, piece: bytes) -> None:
        """Take the next piece, of a text of which no other one comes as characters; offsets are in bytes."""
        self.feed(str(piece, "latin-1"))

    def feed(self, piece: str) -> None:
        """Take the next piece."""
        self._waiting.append(piece)
        self._size += len(piece)
        if self._size > self._keep:
            self._join()

    def _join(self) -> None:
        """Join the pieces, and forget what is far behind."""
        surplus = len(self._text) - self._keep
        if surplus > 0:
            self._look(surplus)  # the line that the cut divides
            self._text = self._text[surplus:]
            self._base += surplus
            self._start -= surplus
            self._behind -= surplus
            self._end -= surplus
        is_open = self._end >= len(self._text)  # the line goes on
        self._text += "".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        if is_open:
            self._end = self._line_end(self._end)

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _look(self, at: int) -> None:
        """Find the line around an offset of the text that is kept, and its hour."""
        if not self._start <= at <= self._end:
            lowest = max(0, self._end + 1) if at > self._end else 0
            self._start = self._text.rfind("\n", lowest, at) + 1 or lowest
            self._end = self._line_end(at)
        elif self._is_known:
            return
        if self._start >= 0:  # else its head was forgotten
            self._hour, self._behind = hour_of_line(self._text, self._start)
            end = min(self._end, self._start + LINE_HEAD)
            self._is_known = self._hour is not None or end < len(self._text)

    def hours(self, offsets: Sequence[int]) -> list[str | None]:
        """Return the hour of the line of each offset in the text."""
        if self._waiting:
            self._join()
        base = self._base
        found: list[str | None] = []
        for offset in offsets:
            at = offset - base
            if not (self._is_known and self._start <= at <= self._end):
                self._look(at)
            found.append(self._hour if at >= self._behind else None)
        return found


def _hour_of_time(form: int, time: str, zone: str) -> str | None:
    hour: str | None = _FORMS[form][1](time, zone)
    return hour


class KernelLineHours(LineHours):
    """The same, found by the kernel in text that comes as bytes."""

    def __init__(self, longest: int) -> None:
        self._lines = kernel.LineHours(_hour_of_time, 4 * longest + _KEPT)
        super().__init__(longest)

    def restart(self, offset: int = 0) -> None:
        """See `LineHours.restart`."""
        super().restart(offset)
        self._lines.restart(offset)
        self._is_bytes = False

    def feed_bytes(self, piece: bytes) -> None:
        """See `LineHours.feed_bytes`."""
        self._is_bytes = True
        self._lines.feed(piece)

    def hours(self, offsets: Sequence[int]) -> list[str | None]:
        """See `LineHours.hours`."""
        return self._lines.hours(list(offsets)) if self._is_bytes else super().hours(offsets)


line_hours: Final = either(KernelLineHours, LineHours)


class WatchedText:
    """A search that passes its text to `LineHours`, too, for the decoder that feeds it.

    Args:
        search: the search.
        lines: looks at the lines of the text.
    """

    def __init__(self, search: TextTaker, lines: LineHours) -> None:
        self._search = search
        self._lines = lines

    @property
    def takes_bytes(self) -> bool:
        """Whether it takes UTF-8 as bytes; offsets of lines are then those of bytes."""
        return self._search.takes_bytes

    @property
    def stray(self) -> int:
        """The number of bytes that did not decode."""
        return self._search.stray

    def enter(self, context: str, offset: int, lines: int, size: int = 0, /) -> None:
        """Begin in the middle of a text, at the start of a line."""
        self._lines.restart(size if self._search.takes_bytes else offset)
        self._search.enter(context, offset, lines, size)

    def feed(self, text: str, /) -> None:
        """Take text."""
        self._lines.feed(text)
        self._search.feed(text)

    def feed_bytes(self, data: bytes, /) -> None:
        """Take UTF-8; offsets of lines are those of bytes."""
        self._lines.feed_bytes(data)
        self._search.feed_bytes(data)

    def close(self) -> None:
        """End the text."""
        self._search.close()
