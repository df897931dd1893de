"""The times of lines are those that Python would have read, in whatever pieces the text comes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.line_times import last_time
from urisieve import Batch, extract_batches
from urisieve.kernel import compiled, kernel
from urisieve.records.base import Context
from urisieve.sources.contexts import context_of
from urisieve.sources.hours import CONTINUED, KernelLineHours, LineHours
from urisieve.syntax.time_forms import FORMS, HEADS, SERVICE, minute_of

pytestmark = pytest.mark.skipif(not compiled, reason="compares the kernel with Python")

LINES = (
    *("2024-05-31T10:00:00Z x", "2024-05-31 23:30:00,123 x", "[2024-05-31 23:30:00.123456789012] x", "no"),
    *("<34>1 2003-10-11T22:14:15.003Z host", "<34>2003-08-24T05:14:15.000003-07:00 h", "<1>12 2003-08-24"),
    *("<1>12 2003-08-24 05:14 +0330 x", "<123>Oct 11 22:14:15 host su: x", "<1234>Oct 11 22:14:15", ""),
    *("Oct  1 22:14:15 x", "2024-02-30T10:00:00 x", "2024-05-31T24:00:00", "x" * 2_000),
    *('1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET', "1.2.3.4 - joe doe [10/Oct/2000:03:10:14 +0330] x"),
    *("h\xa0 a [10/Oct/2000:03:10:14 +0330] x", "a  [10/Oct/2000:03:10:14 +0330] x"),
    *(f"{'a' * size} b [10/Oct/2000:03:10:14 +0330] x" for size in (255, 256)),
    *(f"a {'b' * size} [10/Oct/2000:03:10:14 +0330] x" for size in (255, 256)),
    *("2024/05/31 10:00:00 [error] x", "[2024/05-31 10:00] x", "2024-05-31T10:00:99 x", "May 31 10:00:61 x"),
    *("2024-05-31T10:00:60Z x", "2024-05-31T10:00:61,5+00:00 x", "Oct  1 22:14:60 x", "2024-13-31T10:00:00Z x"),
    *("0001-01-01T00:00:00+01:00 x", "9999-12-31T23:59:59,999999999-0100 x", "0000-01-01T00:00 x", "Feb 29 00:00:00 x"),
    *("24-05-31T10:00:00 x", "1.2.3.4 - - [10/Oct/00:13:55:36 -0700] x", "1.2.3.4 - - [31/Jun/2000:13:55:36 -0700] x"),
    *(
        "h\u2003 a [10/Oct/2000:03:10:14 +0330] x",
        "\u0661.2 - - [10/Oct/2000:03:10:14 +0330] x",
        "2024-05-31T10:0\u0661 x",
    ),
    *(row.example for row in (*FORMS, *HEADS, SERVICE)),
    *(f"{service}{row.example}" for service in ("web | ", "web-1   | ") for row in (*FORMS, *HEADS)),
    *(
        "Oct 11, 2023 12:00:01 AM x",
        "Oct  1, 2023 12:00:01 PM x",
        "Oct 11, 2023 13:00:01 PM x",
        "Oct 11, 2023 0:00:01 AM",
    ),
    *("Wed Oct 11 14:32:52 CEST 2023 x", "Oct 11 14:32:52 2001:db8::1 x", "Oct 11 14:32:52 UTC 2023 x", "#1697034772"),
    *(
        "Oct 11 14:32:52 +0200 2023 x",
        "Oct 11 14:32:52 ABCDEF 2023 x",
        "Oct 11 14:32:52 UTCX 2023",
        "a=1 ts=1697034772",
    ),
    *(
        "1697034772 x",
        "1697034772.1 x",
        "t=16970347721 x",
        "t=1697034772123 x",
        "t=1697034772.1234567890",
        "[1697034772a]",
    ),
    *(
        'a=b c="d e" ts=x ts=2024-05-31T10:00:00Z x',
        f"{'a=b ' * 8}ts=2024-05-31T10:00:00Z x",
        f"{'a=b ' * 9}ts=2024-05-31T10:00",
    ),
    *(f"{'a' * size}=b ts=2024-05-31T10:00:00Z x" for size in (32, 33)),
    *(f"a={'b' * size} ts=2024-05-31T10:00:00Z x" for size in (255, 256)),
    *(f'a="{"b " * size}b" ts=2024-05-31T10:00:00Z x' for size in (127, 128)),
    *(
        f"{row.example.split()[0]} {'b' * size} [2024-05-31T10:00:00Z x"
        for size in (253, 254, 255)
        for row in FORMS[:1]
    ),
    *(f"web{' ' * size}| 2024-05-31T10:00:00Z x" for size in (64, 65)),
    *("2024-05-31T10:00:00+01:005 x", "2024-05-31T10:00:00 +01 x", "2024-05-31T10:00+0130", "2024-05-31T10:00+013x"),
)


@st.composite
def changed_lines(draw: st.DrawFn) -> str:
    """A line with a time, or with nearly one."""
    line = draw(st.sampled_from(LINES))
    at = draw(st.integers(0, len(line)))
    more = draw(st.sampled_from(["", "", "", "0", " ", "[", "\n", ":", "\x1c", "\x85", "\u2003", "\ud800"]))
    return line[:at] + more + line[at + draw(st.integers(0, 1)) :]


@st.composite
def dated_lines(draw: st.DrawFn) -> str:
    """A line with a time in one of the forms, which need not be one of the calendar."""
    numbers = st.integers
    year, month = draw(st.sampled_from([0, 1, 1969, 2000, 2024, 2100, 9999])), draw(numbers(0, 13))
    day, hour, minute, second = (draw(numbers(0, most)) for most in (32, 24, 60, 62))
    name = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "jan", "Mai")[month]
    zone = draw(st.sampled_from(["", "Z", "+00:00", "-00:00", "+0530", "-1400", " +01:00", " -0330", "+25:99", " UTC"]))
    fraction = draw(st.sampled_from(["", ".", ",5", ".123456", ".123456789", ".1234567890", ",000"]))
    dash, letter = (
        draw(st.sampled_from("-/")),
        draw(st.sampled_from("T ")),
    )
    head = draw(st.sampled_from(["", "[", "<34>", "<34>1 ", "<1>12 ", "<12345>"]))
    date, clock = f"{year:04}{dash}{month:02}{dash}{day:02}", f"{hour:02}:{minute:02}"
    return draw(
        st.sampled_from(
            [
                f"{head}{date}{letter}{clock}:{second:02}{fraction}{zone} x",
                f"{head}{date}{letter}{clock}{zone}]x",
                f"{head}{name} {day:2} {clock}:{second:02} x",
                f"10.0.0.1 - joe [{day:02}/{name}/{year:04}:{clock}:{second:02} {zone.strip() or '+0000'}] x",
            ]
        )
    )


@example(["2024-05-31T10:00:00Z x", "\x1e", "x"], 0)
@example(["2024-05-31T10:00:00Z x", "x"], CONTINUED - 24)
@example(["2024-05-31T10:00:00Z x", "x"], CONTINUED - 23)
@example(["2024-05-31T10:00:00Z x", "2024-02-31T10:00:00Z x", "x"], 0)
@example(["2024-05-31T10:00:00Z x", "x - - [10/Oct/2000:03:10:14 +0330] x"], 0)
@given(
    st.lists(
        st.sampled_from(["x", " x", "", "\x1e", "Oct 11 22:14:15 x", "2024-02-31T10:00 x"]) | dated_lines(), max_size=9
    ),
    st.sampled_from([0, CONTINUED // 2, CONTINUED]),
)
def test_a_line_without_a_time_has_that_of_a_line_before_it(lines: list[str], far: int) -> None:
    text = "\n".join([*lines[:-1], "y" * far, *lines[-1:]])
    places = [index for index, character in enumerate(text) if character == "x"]
    expected = [last_time(text, place).hour for place in places]
    for way in _ways():
        way.feed(text)
        assert way.hours(places) == expected
        assert way.hours(places[::-1]) == expected[::-1]


def _ways() -> tuple[LineHours, LineHours]:
    return LineHours(16), KernelLineHours(16)


@given(
    st.lists(changed_lines() | dated_lines(), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(1, 900), st.lists(st.integers(0, 900), max_size=4)), min_size=1, max_size=9),
    st.sampled_from([0, 77]),
    st.booleans(),
)
def test_times_of_lines(lines: list[str], pieces: list[tuple[int, list[int]]], offset: int, is_text: bool) -> None:
    text: Any = "\n".join(lines)
    if not is_text:
        text = text.encode("utf-8", "surrogatepass")
    ways = _ways()  # nothing is forgotten of so few lines: when that happens differs
    for way in ways:
        way.restart(offset)
    at = 0
    while at < len(text):
        for size, places in pieces:
            piece = text[at : at + size]
            asked = sorted(offset + at + min(place, len(piece)) for place in places)
            answers = []
            for way in ways:
                (way.feed if is_text else way.feed_bytes)(piece)
                answers.append((way.hours(asked), list(way.contexts(asked))))
            assert answers[0] == answers[1]
            at += len(piece)


@given(st.lists(dated_lines(), min_size=1, max_size=6))
def test_each_form_is_read_as_by_python(lines: list[str]) -> None:
    text = "\n".join(lines)
    places = [index for index, character in enumerate(text) if character == "x"]
    found = [last_time(text, place) for place in places]
    expected = [None if line.minute is None else context_of(line.time, line.written) for line in found]
    for way in _ways():
        way.feed(text)
        assert list(way.contexts(places)) == expected
        assert way.hours(places) == [line.hour for line in found]
        assert type(way.contexts(places)[0]) is type(expected[0])


@example(datetime(2024, 2, 29, 23, 59, 59), timezone(timedelta(hours=-14)))
@given(
    st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),
    st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)
def test_every_moment_is_that_of_the_calendar(moment: datetime, zone: timezone) -> None:
    aware = moment.replace(tzinfo=zone)
    expected = f"{aware.astimezone(UTC).isoformat().removesuffix('+00:00')}Z"
    lines = KernelLineHours(16)
    lines.feed(f"{aware.isoformat()} x")
    (found,) = lines.contexts([len(aware.isoformat()) + 1])
    assert found == Context(expected, aware.isoformat())


def _batches(text: str) -> Iterator[Batch]:
    return extract_batches([text], columns=["uri", "start", "end"])


def test_the_rows_that_the_kernel_holds_need_no_list_of_offsets() -> None:
    text = "".join(f"{line} http://a.example/{number} http://b.example/\n" for number, line in enumerate(LINES))
    for batch in _batches(text):
        assert batch.layout.harvest is not None
        answers = []
        for way in _ways():
            way.feed(text)
            answers.append([way.put_into(batch, frozenset(["location"])).column("location")])
        assert list(map(list, answers[0])) == list(map(list, answers[1]))


def test_more_times_than_are_remembered() -> None:
    text = "".join(
        f"2024-05-31T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z x\n" for number in range(9_000)
    )
    places = [index for index, character in enumerate(text) if character == "x"]
    answers = []
    for way in _ways():
        way.feed(text)
        answers.append(list(way.contexts(places)))
    assert answers[0] == answers[1]
    assert len({context.time for context in answers[0]}) == 9_000


def test_misuse_of_the_lines_of_the_kernel() -> None:
    lines = KernelLineHours(16)
    lines.restart(5)
    lines.feed_bytes(b"x")
    for ask in (lines.hours, lines.contexts):
        for offset in (4, 7):
            with pytest.raises(ValueError, match="offset outside"):
                ask([offset])
    assert lines.hours([5, 6]) == [None, None]
    assert list(lines.contexts([5, 6])) == [None, None]
    (batch,) = _batches("http://a.example/")
    made: Any = kernel.LineHours(minute_of, Context._make, 0, 0)
    for arguments in ((batch.layout.harvest,), (batch.layout.harvest, "uri"), (batch.layout.harvest, "line")):
        with pytest.raises(ValueError, match="column"):
            made.contexts(*arguments)
    for answer, error in ((None, SystemError), ((), IndexError), (("2024",), IndexError)):
        with pytest.raises(error):
            _asked(answer).hours([21])
    with pytest.raises(TypeError):
        _asked((1, "")).contexts([21])
    assert _asked(("2" * 99, "")).contexts([21])[0][1][0] is None


def _asked(answer: Any) -> Any:
    """Lines of the kernel whose minute is any answer."""
    lines: Any = kernel.LineHours(lambda *_: answer, Context._make, 0, 0)
    lines.feed(b"2024-05-31T10:00:00Z x")
    return lines
