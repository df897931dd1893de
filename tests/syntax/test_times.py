"""The times that sources write, as RFC 3339 has them, and the context of records from each kind of source."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve.sources.contexts import named_time
from urisieve.syntax.time_forms import FORMS, HEADS, SERVICE, TimeRow, hour_of, time_of_line
from urisieve.syntax.times import time_of_date, time_of_value

LINES = [
    # a line                                                         its time
    ('1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0"', "2000-10-10T20:55:36Z"),
    ('1.2.3.4 - joe doe [10/Oct/2000:03:10:14 +0330] "GET /"', "2000-10-09T23:40:14Z"),
    ("<34>1 2003-10-11T22:14:15.003Z host su - ID47 -", "2003-10-11T22:14:15.003Z"),
    ("2003-08-24T05:14:15.000003-07:00 host", "2003-08-24T12:14:15.000003Z"),
    ("[2024-05-31 23:30:00,123] INFO x", "2024-05-31T23:30:00.123"),
    ("2024/05/31 23:30:00 [error] 1#1: x", "2024-05-31T23:30:00"),
    ("2024-05-31 23:30 x", "2024-05-31T23:30:00"),
    ("2016-12-31T23:59:60Z x", "2016-12-31T23:59:60Z"),
    ("Oct 11 22:14:15 host su: x", "--10-11T22:14:15"),
    ("<13>Feb 29 00:00:00 host x", "--02-29T00:00:00"),
    # The styles of products beside those of the rows.
    ("[Wed Oct 11 14:32:52.123456 2000] [core:error] [pid 35708] AH00126: x", "2000-10-11T14:32:52.123456"),
    ('time="2024-05-31T10:00:00+02:00" level=info msg=x', "2024-05-31T08:00:00Z"),
    ('level=info ts=2024-05-31T10:00:00.5Z caller=main.go:1 msg="a b" url=', "2024-05-31T10:00:00.5Z"),
    ("2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.1\tGET\td1.cloudfront.net\t/", "2019-12-04T21:02:31"),
    ("1286536308.779    180 192.168.0.224 TCP_MISS/200 411 GET", "2010-10-08T11:11:48.779Z"),
    ("node=h type=SYSCALL msg=audit(1364481363.243:24287): arch=c000003e", "2013-03-28T14:36:03.243Z"),
    ("11-Oct-2023 14:32:52.123 INFO [main] org.apache.x", "2023-10-11T14:32:52.123"),
    ("11-Oct-2023 14:32:52.123 queries: info: client", "2023-10-11T14:32:52.123"),
    ("[11-Oct-2023 14:32:52 UTC] PHP Notice:  x", "2023-10-11T14:32:52Z"),
    ("I1011 14:32:52.123456   12345 server.go:1] x", "--10-11T14:32:52.123456"),
    (
        "h2 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 10.0.1.252:48160",
        "2018-07-02T22:23:00.186641Z",
    ),
    ('web_1  | 172.18.0.1 - - [10/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 200', "2000-10-10T13:55:36Z"),
    ("db-1 | 2024-01-02 03:04:05.678 UTC [1] LOG:  x", "2024-01-02T03:04:05.678Z"),
    ("2024-01-02 03:04:05.678 CET [1] LOG:  x", "2024-01-02T03:04:05.678"),
    ("2024-01-02 03:04:05.678 -03 [1] LOG:  x", "2024-01-02T06:04:05.678Z"),
    ("2024-01-02 03:04:05 10.0.0.1 GET / - 80 - 192.0.2.1", "2024-01-02T03:04:05"),
    ("2023-10-11T14:32:52.123456Z 0 [Note] [MY-010733] x", "2023-10-11T14:32:52.123456Z"),
    ("231011  9:05:03 [Warning] x", "2023-10-11T09:05:03"),
    ("Oct 11, 2023 12:00:01 AM org.apache.x y", "2023-10-11T00:00:01"),
    ("Oct 11, 2023 13:00:01 PM org.apache.x y", None),
    ("I, [2023-10-11T14:32:52.123456 #1234]  INFO -- : x", "2023-10-11T14:32:52.123456"),
    ('Started GET "/x" for 127.0.0.1 at 2023-10-11 14:32:52 +0200', "2023-10-11T12:32:52Z"),
    ("2010-09-16T15:13:46.677020+00:00 app[web.1]: x", "2010-09-16T15:13:46.677020Z"),
    ("83 <40>1 2012-11-30T06:45:29+00:00 host app web.3 - x", "2012-11-30T06:45:29Z"),
    ("Feb  6 12:14:14 h haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] x", "2009-02-06T12:14:14.655"),
    ("Feb  6 12:14:14 h kernel: [12345.678901] usb 1-1: x", "--02-06T12:14:14"),
    ("2023-10-11T14:32:52.123456789Z stdout F x", "2023-10-11T14:32:52.123456789Z"),
    ("E [11/Oct/2023:14:32:52 +0200] [Job 1] x", "2023-10-11T12:32:52Z"),
    ('[11/Oct/2023 14:32:52] "GET / HTTP/1.1" 200 1', "2023-10-11T14:32:52"),
    ("79a59df9 bucket [06/Feb/2019:00:00:38 +0000] 192.0.2.3 x", "2019-02-06T00:00:38Z"),
    ("Wed Oct 11 14:32:52 UTC 2023 x", "2023-10-11T14:32:52Z"),
    ("[1286536308] SERVICE ALERT: x", "2010-10-08T11:11:48Z"),
    # What only looks like one.
    ("1286536308 http://a.example/", None),
    ("1286536308.779.1 x", None),
    ("ts=12865363081 x", None),
    ("Oct 11 14:32:52 2001:db8::1 su: x", "--10-11T14:32:52"),
    ("23/10/11 14:32:52 x", None),
    ("10/11/2023 2:32:52 PM x", None),
    ("see time=2024-05-31T10:00:00", None),
    ("2024-02-30T10:00:00 x", None),
    ("2024-05-31T24:00:00 x", None),
    ("0001-01-01T00:00:00+01:00 x", None),
    ("see 2024-05-31T10:00:00", None),
    ("2024-05-31", None),
    ("Okt 11 22:14:15 host", None),
    ("", None),
]
DATES = [
    ("Fri, 21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06Z"),
    ("21 Nov 97 23:55:06 EST (winter)", "1997-11-22T04:55:06Z"),
    ("Thu,\r\n 13 Feb 1969 23:32 -0330 (Newfoundland (sic) Time)", "1969-02-14T03:02:00Z"),
    ("1 jan 2024 00:00:00 GMT", "2024-01-01T00:00:00Z"),
    ("Fri, 21-Nov-97 09:55:06 Z", "1997-11-21T09:55:06Z"),
    ("21 Nov 49 09:55:06 CEST", "2049-11-21T09:55:06"),
    ("7 May 102 10:00:00 +0200", "2002-05-07T08:00:00Z"),
    ("From a@b Sat Nov 21 09:12:44 2026", "2026-11-21T09:12:44"),
    ("From a@b Sat Nov 21 09:12:44 +0200 2026", "2026-11-21T07:12:44Z"),
    ("From a@b Sat Nov 21 09:12:44 2026 -0100", "2026-11-21T10:12:44Z"),
    ("32 Nov 1997 09:55:06 +0000", None),
    ("yesterday", None),
    ("", None),
]
VALUES: list[tuple[object, str | None]] = [
    # a value of JSON, or a cell                        its time
    ("2024-05-31T15:05:07+02:00", "2024-05-31T13:05:07Z"),
    ("2024-05-31 15:05:07.250 +0200", "2024-05-31T13:05:07.250Z"),
    ("2024-05-31T15:05:07+02", "2024-05-31T13:05:07Z"),
    ("2024-05-31 13:05:07 UTC", "2024-05-31T13:05:07Z"),
    ("2024-05-31T13:05:07", "2024-05-31T13:05:07"),
    ("20240531T130507Z", "2024-05-31T13:05:07Z"),
    ("20240531", "2024-05-31T00:00:00"),
    ("10/Oct/2000:13:55:36 -0700", "2000-10-10T20:55:36Z"),
    ("Fri, 21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06Z"),
    (1732190400, "2024-11-21T12:00:00Z"),
    (1732190400.5, "2024-11-21T12:00:00.5Z"),
    ("1732190400.000100", "2024-11-21T12:00:00.0001Z"),
    (1732190400123, "2024-11-21T12:00:00.123Z"),
    (1732190400123456, "2024-11-21T12:00:00.123456Z"),
    (1732190400123456789, "2024-11-21T12:00:00.123456789Z"),
    ("2024-13-01", None),
    (12, None),
    (0.034, None),
    (-1732190400, None),
    (True, None),
    (None, None),
    ([1732190400], None),
    ("99999999999999999999999", None),
    ("soon", None),
]


@pytest.mark.parametrize("row", [*FORMS, *HEADS, SERVICE], ids=lambda row: row.shape)
def test_the_example_of_a_row_has_its_time(row: TimeRow) -> None:
    assert time_of_line(row.example, 0).time == row.time


@pytest.mark.parametrize(("line", "time"), LINES)
def test_the_time_of_a_line(line: str, time: str | None) -> None:
    found = time_of_line(f"x\n{line}\n", 2)
    assert (found.time, found.hour) == (time, hour_of(time))
    if time is not None and not time.startswith("--") and not line.startswith("23/"):
        assert time_of_value(found.written) == time


# RFC 5322 4.3.
ZONES = {"EDT": 13, "EST": 14, "CDT": 14, "CST": 15, "MDT": 15, "MST": 16, "PDT": 16, "PST": 17, "UT": 9, "GMT": 9}


@pytest.mark.parametrize("zone", ZONES)
def test_the_time_of_a_zone(zone: str) -> None:
    assert time_of_date(f"Fri, 21 Nov 1997 09:55:06 {zone}") == f"1997-11-21T{ZONES[zone]:02}:55:06Z"


@pytest.mark.parametrize(("date", "time"), DATES)
def test_the_time_of_a_date(date: str, time: str | None) -> None:
    assert time_of_date(date) == time


@pytest.mark.parametrize(("value", "time"), VALUES)
def test_the_time_of_a_value(value: object, time: str | None) -> None:
    assert time_of_value(value) == time


@given(st.text(), st.one_of(st.integers(), st.floats(), st.none(), st.booleans()))
def test_any_text_and_any_value_has_a_time_or_none(text: str, value: object) -> None:
    for time in (time_of_line(text, 0).time, time_of_date(text), time_of_value(text), time_of_value(value)):
        assert time is None or datetime.fromisoformat(time.replace("--", "2000-").replace(":60", ":59")[:19])
        assert (hour_of(time) is None) == (time is None)


_MOMENTS = st.datetimes(datetime(1973, 4, 1), datetime(9998, 1, 1), timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=0)
)
_ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(_MOMENTS, _ZONES)
def test_every_notation_of_a_moment_is_one_time(moment: datetime, zone: timezone) -> None:
    local = moment.astimezone(zone)
    expected = f"{moment:%Y-%m-%dT%H:%M:%SZ}".zfill(20)
    epoch = int(moment.timestamp())
    assert time_of_date(format_datetime(local)) == expected
    for value in (local.isoformat(), local.isoformat(" "), f"{local:%Y%m%dT%H%M%S%z}", f"{local:%d/%b/%Y:%H:%M:%S %z}"):
        assert time_of_value(value) == expected, value
    assert time_of_line(f"{local.isoformat()} x", 0).time == expected
    assert time_of_line(f"h i u [{local:%d/%b/%Y:%H:%M:%S %z}] x", 0).time == expected
    if epoch < 10**10:  # milliseconds of more are read as 20240531130507 is
        assert {time_of_value(value) for value in (epoch, f"{epoch}.0", epoch * 1_000, epoch * 10**9)} == {expected}


@pytest.mark.parametrize(
    ("values", "name", "written"),
    [
        ({"ts": 1732190400, "@timestamp": "2024-05-31T13:05:07Z"}, None, "2024-05-31T13:05:07Z"),
        ({"Date": "2024-05-31", "time": 3}, None, "2024-05-31"),
        ({"eventTime": "2024-05-31T13:05:07Z"}, None, "2024-05-31T13:05:07Z"),
        ({"seen": "2024-05-31", "time": "2023-01-01"}, "seen", "2024-05-31"),
        ({"time": "2023-01-01"}, "seen", None),
        ({"when": "2023-01-01"}, None, None),
    ],
)
def test_the_field_with_the_time_of_a_row(values: dict[str, object], name: str | None, written: str | None) -> None:
    found = named_time(values, name)
    assert (None if found is None else found.time_written) == written
