"""The times of lines, messages and journal entries, and which identifiers have them."""

from __future__ import annotations

import gzip
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.line_times import last_time
from urisieve.sinks.statistics import collect_statistics
from urisieve.sinks.statistics.time_counts import TimeCounts
from urisieve.sources.hours import LineHours

_LINE = st.sampled_from(
    ["2024-05-31T10:00:00Z x", "no time x", "x 2024-05-31T10:00:00Z", "x" * 3_000, "", "Oct 11 22:14:15 x"]
)


@given(st.lists(_LINE, max_size=12), st.lists(st.integers(0, 9_000), max_size=12), st.integers(0, 50))
def test_the_hours_of_lines_do_not_depend_on_the_pieces(lines: list[str], cuts: list[int], offset: int) -> None:
    text = "\n".join(lines)
    places = [index for index, character in enumerate(text) if character == "x"]
    whole = LineHours(64)
    whole.feed(text)
    pieces = LineHours(64)
    pieces.restart(offset)
    found: list[str | None] = []
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    for start, end in pairwise(ends):
        pieces.feed(text[start:end])
        found += pieces.hours([place + offset for place in places if start <= place < end])
    assert found == whole.hours(places)
    hours = [last_time(text, place).hour for place in places]
    assert found == hours
    contexts = zip(whole.contexts(places), hours, strict=True)
    assert all((one is None) == (hour is None) for one, hour in contexts)


def test_a_line_has_its_time_from_its_end_on() -> None:
    lines = LineHours(64)
    lines.feed("1.2.3.4 - - [10/Oct/2000:13:55:36 -0700]x")
    assert lines.hours([38, 39]) == [None, "2000-10-10T20"]


@pytest.mark.parametrize("cut", range(1, 20))
def test_a_line_whose_time_comes_later(cut: int) -> None:
    first, text = "2024-05-31T09:00:00Z x\n", "2024-05-31T10:00:00Z x\nx"
    lines = LineHours(64)
    lines.feed(first + text[:cut])
    assert lines.hours([21, 23]) == ["2024-05-31T09"] * 2
    lines.feed(text[cut:])
    assert lines.hours([42, 44, 46]) == ["2024-05-31T09", "2024-05-31T10", "2024-05-31T10"]


@pytest.mark.long
def test_text_far_behind_is_forgotten_and_its_line_still_known() -> None:
    lines = LineHours(64)
    lines.feed("2024-05-31T10:00:00Z ")
    for _ in range(20):
        lines.feed("y" * 100_000)
    assert len(lines._text) < 1_000_000
    assert lines.hours([2_000_000]) == ["2024-05-31T10"]
    lines.feed("\nx")
    assert lines.hours([2_000_022]) == [None]  # too far for a line without a time
    lines.restart()
    for _ in range(20):
        lines.feed("y\n" * 50_000)
        assert lines.hours([]) == []
    lines.feed("2024-05-31T1")
    lines.feed("0:00:00Z x")
    assert lines.hours([1_999_998, 2_000_021]) == [None, "2024-05-31T10"]


MAIL = b"""\
Received: from x
Date: Fri, 21 Nov 1997 09:55:06 -0600
Subject: x
From: a@b.example
To: c@d.example
Message-ID: <1@b>

2024-05-31T10:00:00Z http://a.example/
"""
MAILBOX = b"""\
From a Sat Nov 21 09:12:44 2026
From: a@b
Subject: http://s.example/

http://a.example/

From a Sat Nov 21 09:12:44 2026
From: a@b
Date: 1 Jan 2024 00:00:00 GMT

http://b.example/

From a Sat Nov 21 09:12:44 2026
From: a@b
Date: nonsense

http://c.example/
"""
JOURNAL = b"""\
__CURSOR=s=1;i=1;b=2
__REALTIME_TIMESTAMP=1732190400000000
_TRANSPORT=syslog
MESSAGE=see http://a.example/

__CURSOR=s=1;i=2;b=2
_TRANSPORT=syslog
MESSAGE=see http://b.example/

"""
# The reference with a blank is none that the kernel follows with the others of the page.
PAGE = b"""\
From: a@b
MIME-Version: 1.0
Date: Fri, 21 Nov 1997 09:55:06 -0600
Content-Type: text/html

<a href="http://a.example/">1</a> <a href="http://b.example/x&nbsp;y">2</a> <a href="http://c.example/">3</a>
"""
LOG = "2024-05-31T10:00:00Z http://a.example/\n"
PAGES = (
    b"From a Sat Nov 21 09:12:44 2026\nFrom: a@b\nDate: 1 Jan 2024 00:00:00 GMT\nMIME-Version: 1.0\n"
    b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html; charset=utf-8\n\n"
    b'<html><a href="http://a.example/">a</a> <a href="http://a.example/b&nbsp;c">b</a></html>\n--x--\n'
)
TEXTS = {
    # name: bytes, hours of identifiers, identifiers without one
    "a.log": (f"http://b.example/\n{LOG}".encode(), ["2024-05-31T10"], 1),
    "trace.log": (f"{LOG}Traceback:\n  http://b.example/\n".encode(), ["2024-05-31T10"], 0),
    "utf16.log": (LOG.encode("utf-16"), ["2024-05-31T10"], 0),
    "a.log.gz": (gzip.compress(f"http://b.example/\n{LOG}".encode()), ["2024-05-31T10"], 1),
    "long.log.gz": (gzip.compress(("y" * 99 + "\n").encode() * 20_000 + LOG.encode()), ["2024-05-31T10"], 0),
    "mark.log": (LOG.encode("utf-8-sig"), ["2024-05-31T10"], 0),
    "m.eml": (MAIL, ["1997-11-21T15"], 0),
    "h.eml": (PAGE, ["1997-11-21T15"], 0),
    "m.mbox": (MAILBOX, ["2024-01-01T00", "2026-11-21T09"], 1),
    "pages.mbox": (PAGES, ["2024-01-01T00"], 0),
    "j.export": (JOURNAL, ["2024-11-21T12"], 1),
}


@pytest.mark.parametrize("name", TEXTS)
def test_each_kind_of_file_has_its_times(name: str, tmp_path: Path) -> None:
    data, hours, undated = TEXTS[name]
    path = tmp_path / name
    path.write_bytes(data)
    timeline = collect_statistics([path]).timeline
    assert timeline is not None
    assert ([row.time for row in timeline.rows], timeline.undated) == (hours, undated)
    assert collect_statistics([path], times=False).timeline is None


def test_the_unit_of_a_timeline_is_the_finest_with_few_rows() -> None:
    def rows(times: list[str]) -> tuple[str, int, str]:
        counts = TimeCounts()
        counts.add(times, len(times))
        timeline = counts.timeline()
        assert timeline is not None
        assert sum(row.count for row in timeline.rows) == len(times)
        return str(timeline.unit), len(timeline.rows), timeline.rows[0].time

    hours = [
        f"2024-{month:02}-{day:02}T{hour:02}" for month in range(1, 13) for day in range(1, 29) for hour in range(24)
    ]
    assert rows(hours[:62]) == ("hour", 62, "2024-01-01T00")
    assert rows(hours[:63]) == ("day", 3, "2024-01-01")
    assert rows(hours) == ("month", 12, "2024-01")
    assert rows([hour[2:].replace("24", "-", 1) for hour in hours]) == ("month", 12, "--01")


@pytest.mark.parametrize(
    ("times", "rows", "impossible"),
    [
        (["2002-05-07T10", "0102-05-07T10", "2079-01-01T00"], ["2002-05-07T10"], 2),
        (["1970-01-01T00", "1969-12-31T23", "2024-06-02T23", "2024-06-03T00"], ["1970-01-01T00", "2024-06-02T23"], 2),
        (["--05-07T10", "0001-01-01T00"], ["--05-07T10"], 1),
        (["0001-01-01T00"], [], 1),
        (["2079-01-01T00+", "2079-01-01T00", "1969-01-01T00+"], ["2079-01-01T00"], 2),  # of calendars, with the sign
    ],
)
def test_times_that_cannot_be_true_are_counted_apart(times: list[str], rows: list[str], impossible: int) -> None:
    counts = TimeCounts(date(2024, 6, 1))
    counts.add(times, len(times))
    timeline = counts.timeline()
    assert timeline is not None
    assert ([row.time for row in timeline.rows], timeline.impossible) == (rows, impossible)


def test_hours_beyond_those_that_are_held_are_counted_by_day() -> None:
    counts = TimeCounts()
    hours = [f"{year:04}-{month:02}-{day:02}T{hour:02}" for year in range(2000, 2010) for month in range(1, 13)
             for day in range(1, 29) for hour in range(24)]  # fmt: skip
    for start in range(0, len(hours), 1_000):
        counts.add(hours[start : start + 1_000], len(hours[start : start + 1_000]))
    timeline = counts.timeline()
    assert timeline is not None
    assert (str(timeline.unit), {row.count for row in timeline.rows}) == ("year", {12 * 28 * 24})
