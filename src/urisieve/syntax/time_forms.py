"""The times at the beginning of the lines of logs: what is before them, and how they are written.

Both are rows with the product that writes so, and an example: any of `HEADS` goes before any of `FORMS`. A shape is
made of characters, which stand for themselves, and of the codes of `_CODES`, which are those of `strftime` where it has
them. The kernel reads the same shapes (`src/kernel/hours.c`), by the same rule: a code takes what it can, and gives
nothing back.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from urisieve.lean import Final, NamedTuple, TypeAlias, lazy_compile

NO_YEAR: Final = "--"
MINUTES: Final = 60
_DAY: Final = 24
# Assumed where the year is not stated: it has a 29 February.
_LEAP_YEAR: Final = "2000"
# Two digits of a year (RFC 5322 4.3): from 50 on of the 20th century; three digits are added to 1900.
CENTURY: Final = 50
# An hour that no day has.
_NO_HOUR: Final = 99
_NOON: Final = 12
_MONTHS: Final = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_LEVEL: Final = "(?>TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|SEVERE|CRITICAL|FATAL)"
_ZONE: Final = r"Z(?![0-9])|(?:UTC|GMT)(?![0-9A-Za-z+\-])|[+-][0-9]{2}:?[0-9]{2}(?![0-9])|[+-][0-9]{2}(?![0-9:])"
_FRACTION: Final = r"(?>(?:[.,](?P<fraction>[0-9]{1,9}))?)"
_CODES: Final = {
    "Y": "(?P<year>[0-9]{4})",
    "y": "(?P<year>[0-9]{2})",
    "b": f"(?P<month>{_MONTHS})",
    "m": "(?P<month>[0-9]{2})",
    "d": "(?P<day>[0-9]{2})",
    "e": "(?P<day>(?>[ 0-9][0-9]|[0-9]))",  # with a blank, or without
    "H": "(?P<hour>[0-9]{2})",
    "k": "(?P<hour>(?>[ 0-9][0-9]|[0-9]))",
    "M": "(?P<minute>[0-9]{2})",
    "S": f"(?P<second>[0-9]{{2}}){_FRACTION}",
    ":": f"(?>(?::(?P<second>[0-9]{{2}}){_FRACTION})?)",  # seconds, or none
    "p": "(?P<half>[AP])M",
    "z": f"(?>(?: ?(?P<zone>{_ZONE}))?)",  # a zone, or none
    "Z": r"(?>(?:(?:(?P<zone>UTC|GMT|[+-][0-9]{4})|[A-Z]{3,5}) )?)",  # the same before a year; others state nothing
    "a": "(?>(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?)",  # a day of the week, or none
    # Seconds since 1970 from 2001 on; at the start of a line only with a fraction, else it is any number.
    "s": r"(?P<epoch>1[0-9]{9})(?>\.(?P<fraction>[0-9]{1,9})|(?<=[^\n][0-9]{10})(?P<below>(?:[0-9]{3}){0,3}))"
    "(?![0-9A-Za-z.])",
    "|": r"(?![0-9A-Za-z.:\-])",
    "L": rf"(?= {_LEVEL})",
    "-": "[-/]",
    "/": "[-/ ]",
    "t": r"(?>[T_\-]|[ \t]{1,2})",
    ";": "[: ]",
    # Of what is before a time.
    "n": "[0-9]{1,5}+",
    "g": "[A-Z]",
    "l": _LEVEL,
    "_": "[ ]{0,64}+",
    "w": r"[^ \t-\r\[|]{1,255}+",
    "h": r"[^\n]{0,255}?",  # up to what comes next in the shape
    "F": r"(?:[A-Za-z_.]{1,32}+=(?>\"[^\"\n]{0,255}+\"|[^ \"\n]{0,255}+) ){0,8}?",  # pairs of logfmt, as above
    '"': '"?+',
    "B": f"(?:{_MONTHS}) [ 0-9][0-9] [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}",
}


class TimeRow(NamedTuple):
    """A shape of what is before a time, or of the time as it is written.

    Attributes:
        product: what writes so.
        shape: see the module.
        example: a line.
        time: its time.
    """

    product: str
    shape: str
    example: str
    time: str


_SECOND: Final = "2023-10-11T14:32:52"
_YEARLESS: Final = "--10-11T14:32:52"

FORMS: Final = (
    TimeRow(
        "ISO 8601, RFC 3339; nginx, IIS, CloudFront", "%Y%-%m%-%d%t%H:%M%:%z", "2023-10-11\t14:32:52\tLAX", _SECOND
    ),
    TimeRow("DB2", "%Y-%m-%d-%H.%M.%S", "2023-10-11-14.32.52.125000-240 I1", f"{_SECOND}.125000"),
    TimeRow("asctime; OpenVPN, vsftpd", "%a%b %e %H:%M:%S %Z%Y%|", "Wed Oct 11 14:32:52 2023 us=1", _SECOND),
    TimeRow("Cisco ASA", "%b %e %Y %H:%M:%S%z", "Oct 11 2023 14:32:52: %ASA-6", _SECOND),
    TimeRow("java.util.logging", "%b %e, %Y %k:%M:%S %p", "Oct 11, 2023 2:32:52 PM a.B c", _SECOND),
    TimeRow("RFC 3164", "%b %e %H:%M:%S", "Oct 11 14:32:52 host su: x", _YEARLESS),
    TimeRow(
        "Tomcat, BIND, Redis, RFC 5322", "%a%e%/%b%/%Y%;%H:%M:%S%z", "11-Oct-2023 14:32:52.125 INFO x", f"{_SECOND}.125"
    ),
    TimeRow("glog from 2021 on", "%g%Y%m%d %H:%M:%S", "I20231011 14:32:52.125 1 a.cc:1] x", f"{_SECOND}.125"),
    TimeRow("glog, klog", "%g%m%d %H:%M:%S", "I1011 14:32:52.125 1 a.cc:1] x", f"{_YEARLESS}.125"),
    TimeRow("FIX", "%Y%m%d%t%H:%M:%S%z", "20231011-14:32:52 : 8=FIX.4.4", _SECOND),
    TimeRow("Hadoop, Spark", "%y/%m/%d %H:%M:%S%L", "23/10/11 14:32:52 INFO x", _SECOND),
    TimeRow("MySQL up to 5.6", "%y%m%d %k:%M:%S", "231011 14:32:52 [Note] x", _SECOND),
    TimeRow("Suricata", "%m/%d/%Y-%H:%M:%S", "10/11/2023-14:32:52.125 [**] x", f"{_SECOND}.125"),
    TimeRow("Snort", "%m/%d-%H:%M:%S", "10/11-14:32:52.125 [**] x", f"{_YEARLESS}.125"),
    TimeRow("Android", "%m-%d %H:%M:%S", "10-11 14:32:52.125 1 2 I x", f"{_YEARLESS}.125"),
    TimeRow("Squid, Zeek", "%s", "1697034772.125    180 192.0.2.1", f"{_SECOND}.125Z"),
)
# The name of a service, which Docker Compose writes before all others.
SERVICE: Final = TimeRow("Docker Compose", "%w%_| ", "web_1  | 2023-10-11T14:32:52Z x", f"{_SECOND}Z")
HEADS: Final = (
    # A time without a year, with another one after it.
    TimeRow(
        "HAProxy, web servers by syslog",
        "%B%h [",
        "Oct 11 14:32:52 h haproxy[1]: 192.0.2.1:3 [11/Oct/2023:14:32:52.125] x",
        f"{_SECOND}.125",
    ),
    TimeRow("", "", "2023-10-11T14:32:52Z x", f"{_SECOND}Z"),
    TimeRow("Apache (errors), Log4j, PHP", "[", "[Wed Oct 11 14:32:52.125 2023] [error] x", f"{_SECOND}.125"),
    TimeRow("RFC 3164", "<%n>", "<34>Oct 11 14:32:52 host su: x", _YEARLESS),
    TimeRow("RFC 3164 with a blank", "<%n> ", "<34> 2023-10-11T14:32:52 host su: x", _SECOND),
    TimeRow("RFC 5424", "<%n>%n ", "<34>1 2023-10-11T14:32:52Z host su - - -", f"{_SECOND}Z"),
    TimeRow("RFC 6587", "%n <%n>%n ", "83 <40>1 2023-10-11T14:32:52Z host su - - -", f"{_SECOND}Z"),
    TimeRow("Cisco IOS", "*", "*Oct 11 14:32:52.125: %SYS-5", f"{_YEARLESS}.125"),
    TimeRow("Cisco IOS by syslog", "<%n>%n: *", "<189>123: *Oct 11 14:32:52: %SYS-5", _YEARLESS),
    TimeRow("AWS load balancers", "http ", "http 2023-10-11T14:32:52Z app/x", f"{_SECOND}Z"),
    TimeRow("AWS load balancers", "https ", "https 2023-10-11T14:32:52Z app/x", f"{_SECOND}Z"),
    TimeRow("AWS load balancers", "h2 ", "h2 2023-10-11T14:32:52Z app/x", f"{_SECOND}Z"),
    TimeRow("AWS load balancers", "grpcs ", "grpcs 2023-10-11T14:32:52Z app/x", f"{_SECOND}Z"),
    TimeRow("AWS load balancers", "ws ", "ws 2023-10-11T14:32:52Z app/x", f"{_SECOND}Z"),
    TimeRow("AWS load balancers", "wss ", "wss 2023-10-11T14:32:52Z app/x", f"{_SECOND}Z"),
    TimeRow("AWS network load balancers", "tls 2.0 ", "tls 2.0 2023-10-11T14:32:52 net/x", _SECOND),
    TimeRow("logfmt", '%Ftime=%"', 'level=info time="2023-10-11T14:32:52Z" x=1', f"{_SECOND}Z"),
    TimeRow("logfmt", '%Fts=%"', 'level=info msg="a b" ts=1697034772.125 x=1', f"{_SECOND}.125Z"),
    TimeRow("logfmt", '%Ft=%"', "logger=x t=2023-10-11T14:32:52Z x=1", f"{_SECOND}Z"),
    TimeRow("logfmt", '%Ftimestamp=%"', "timestamp=1697034772125 x=1", f"{_SECOND}.125Z"),
    TimeRow("Linux audit", "%Fmsg=audit(", "type=SYSCALL msg=audit(1697034772.125:24287): x", f"{_SECOND}.125Z"),
    TimeRow("MySQL (slow queries)", "# Time: ", "# Time: 2023-10-11T14:32:52Z", f"{_SECOND}Z"),
    TimeRow("Windows events as text", "%_Date: ", "  Date: 2023-10-11T14:32:52.1250000Z", f"{_SECOND}.1250000Z"),
    TimeRow("APT", "Start-Date: ", "Start-Date: 2023-10-11  14:32:52", _SECOND),
    TimeRow("Rails", "Started%h at ", 'Started GET "/" for ::1 at 2023-10-11 14:32:52 +0000', f"{_SECOND}Z"),
    TimeRow("Django, Log4j", "%l%_", "INFO  2023-10-11 14:32:52,125 x", f"{_SECOND}.125"),
    TimeRow("Cassandra", "%l%_[%h] ", "INFO  [main] 2023-10-11 14:32:52,125 x", f"{_SECOND}.125"),
    TimeRow("Maven", "[%l]%_", "[INFO] 2023-10-11 14:32:52 x", _SECOND),
    TimeRow("Redis", "%n:%g ", "1:M 11 Oct 2023 14:32:52.125 * x", f"{_SECOND}.125"),
    TimeRow("bash (history)", "#", "#1697034772", f"{_SECOND}Z"),
    TimeRow("zsh (history)", ": ", ": 1697034772:0;curl x", f"{_SECOND}Z"),
    TimeRow(
        "Common Log Format, CUPS, Ruby", "%w%h [", '192.0.2.1 - - [11/Oct/2023:14:32:52 +0000] "GET', f"{_SECOND}Z"
    ),
)
_NAMED: Final = lazy_compile(r"\?P<[a-z]+>")


def _pattern(shape: str) -> str:
    parts = re.split("%(.)", shape)
    return "".join(_CODES[part] if number % 2 else re.escape(part) for number, part in enumerate(parts))


@cache
def _form(number: int) -> re.Pattern[str]:
    return re.compile(_pattern(FORMS[number].shape))


@cache
def _line() -> re.Pattern[str]:
    """Return the pattern of the beginning of a line, in which the group of a number is of that form."""
    service = _pattern(SERVICE.shape)
    heads = "|".join(f"(?>{_pattern(row.shape)})" for row in HEADS)
    forms = "|".join(f"({_NAMED.sub('?:', _pattern(row.shape))})" for row in FORMS)
    return re.compile(f"(?>{service})?(?:{heads})(?:{forms})")


# A time up to its minute, and its hour.
_Minute: TypeAlias = tuple[str | None, str | None]


class LineTime(NamedTuple):
    """The time with which a line begins; most callers ask for its hour only.

    >>> time_of_line("<34>1 2003-10-11T22:14:15.003Z host su", 0).time, time_of_line("Oct 11 22:14:15 su", 0).hour
    ('2003-10-11T22:14:15.003Z', '--10-11T22')

    Attributes:
        minute: the time up to its minute; None if the line does not begin with a time.
        hour: the hour; see `hour_of`.
        end: the offset after it.
        match: what is there.
    """

    minute: str | None
    hour: str | None
    end: int
    match: re.Match[str] | None = None

    @property
    def time(self) -> str | None:
        """The time."""
        if self.match is None:
            return None
        second, zone = _rest(self.match)
        return whole_time(self.minute, second, zone)

    @property
    def written(self) -> str:
        """The time as it is there."""
        return "" if self.match is None else self.match[0]


def time_of_line(text: str, start: int) -> LineTime:
    """Return the time of the line that begins at an offset of a text.

    >>> found = time_of_line('10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0"', 0)
    >>> found.time, found.hour, found.end
    ('2000-10-10T20:55:36Z', '2000-10-10T20', 40)
    """
    line = _line().match(text, start)
    if line is None or line.lastindex is None:
        return LineTime(None, None, start)
    match = _form(line.lastindex - 1).match(text, line.start(line.lastindex))
    if match is None:  # which the pattern of the line has just found
        return LineTime(None, None, start)
    return LineTime(*minute_of(_minute_in(match), _rest(match)[1]), match.end(), match)


def time_of_form(text: str) -> str | None:
    """Return the time that is all of a text, in one of `FORMS` that states the year; None if it is none.

    >>> time_of_form("10/Oct/2000:13:55:36 -0700"), time_of_form("Oct 11 22:14:15")
    ('2000-10-10T20:55:36Z', None)
    """
    for number, row in enumerate(FORMS):
        match = _form(number).fullmatch(text) if "y" in row.shape.lower() else None
        if match is not None:
            second, zone = _rest(match)
            return whole_time(minute_of(_minute_in(match), zone)[0], second, zone)
    return None


def _minute_in(match: re.Match[str]) -> str:
    """Return the minute as a line has it: as `minute_of` takes it."""
    found = match.groupdict("")
    if "epoch" in found:
        return f"{int(found['epoch']) // 60}"
    hour = int(found["hour"])
    if "half" in found:
        hour = hour % _NOON + _NOON * (found["half"] == "P") if 0 < hour <= _NOON else _NO_HOUR
    year = found.get("year", "-")
    year = two_digit_year(year) if len(year) == 2 else year
    return f"{year}-{_month(found['month']):02}-{int(found['day']):02}T{hour:02}:{found['minute']}"


def _rest(match: re.Match[str]) -> tuple[str, str]:
    """Return the seconds, with their fraction, and the zone."""
    found = match.groupdict("")
    second, fraction = found.get("second", ""), found.get("fraction", "")
    zone = found.get("zone", "")
    if "epoch" in found:
        second, fraction, zone = f"{int(found['epoch']) % 60:02}", (fraction or found["below"]).rstrip("0"), "Z"
    return f"{second}.{fraction}" if fraction else second, zone


@lru_cache(maxsize=4_096)
def minute_of(minute: str, zone: str) -> _Minute:
    """Return a minute in UTC if its zone is stated, and its hour; None for each if there is no such minute.

    >>> minute_of("2000-10-10T13:55", "-0700"), minute_of("--10-10T13:55", ""), minute_of("28283912", "Z")
    (('2000-10-10T20:55', '2000-10-10T20'), ('--10-10T13:55', '--10-10T13'), ('2023-10-11T14:32', '2023-10-11T14'))

    Args:
        minute: the minute as it is stated, or the number of those since 1970.
        zone: the zone, as `+01`, `+0100` or `+01:00`; any other states that it is UTC; "" if none is stated.
    """
    if minute.isdigit():
        found = utc_minute(int(minute))
    else:
        year, _, day = minute.removeprefix("-").partition("-")
        found = moment(year, day[:2], day[3:5], day[6:8], day[9:], zone)
    return found, hour_of(found)


def hour_of(time: str | None) -> str | None:
    """Return the hour of a time.

    >>> hour_of("2024-05-31T13:05:00Z"), hour_of("--05-31T13:05:00")
    ('2024-05-31T13', '--05-31T13')
    """
    return None if time is None else time.partition(":")[0]


def two_digit_year(year: str) -> str:
    """Return a year by its last two digits.

    >>> two_digit_year("23"), two_digit_year("97")
    ('2023', '1997')
    """
    return f"{20 if int(year) < CENTURY else 19}{year}"


def whole_time(minute: str | None, second: str | None, zone: str | None) -> str | None:
    """Return a time of its minute, in UTC if the zone is known, and its seconds."""
    if minute is None or int((second or "0")[:2]) > MINUTES:
        return None
    return f"{minute}:{(second or '00').replace(',', '.')}{'Z' if zone else ''}"


def moment(year: str, month: str, day: str, hour: str, minute: str, zone: str) -> str | None:
    """Return a time to the minute, in UTC if the zone is stated; None if there is no such time."""
    days = _days_to(year, month, day)
    if days is None or int(hour) >= _DAY or int(minute) >= MINUTES:
        return None
    if not year:
        return f"{NO_YEAR}{_month(month):02}-{int(day):02}T{int(hour):02}:{int(minute):02}"
    minutes = (days * _DAY + int(hour)) * MINUTES + int(minute)
    if zone[:1] in ("+", "-"):
        digits = zone[1:].replace(":", "")
        behind = int(digits[:2]) * MINUTES + int(digits[2:] or "0")
        minutes += behind if zone[0] == "-" else -behind
    return utc_minute(minutes)


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.index(text.capitalize()) // len("Jan|") + 1


# A log has many minutes of few days: both directions are remembered.
@lru_cache(maxsize=1_024)
def _days_to(year: str, month: str, day: str) -> int | None:
    """Return the days from the first one of 1970 to another one; None if there is no such day."""
    from datetime import date

    try:
        return date(int(year or _LEAP_YEAR), _month(month), int(day)).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None


@lru_cache(maxsize=1_024)
def _day_after(days: int) -> str | None:
    """Return the day that is so many days after the first one of 1970; None if it has no four-digit year."""
    from datetime import date

    try:
        return date.fromordinal(date(1970, 1, 1).toordinal() + days).isoformat()
    except (ValueError, OverflowError):
        return None


def utc_minute(minutes: int) -> str | None:
    """Return the time that is so many minutes after 1970; None if it has no four-digit year."""
    hours, minute = divmod(minutes, MINUTES)
    days, hour = divmod(hours, _DAY)
    day = _day_after(days)
    return None if day is None else f"{day}T{hour:02}:{minute:02}"
