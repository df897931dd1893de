"""Statistics of what the kernel has found, and the times of lines, are those that Python would have taken."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.strategies import noisy_texts
from urisieve import Batch, Options, extract_batches
from urisieve.kernel import compiled
from urisieve.sinks.statistics import Statistics, StatisticsSink
from urisieve.sources import hours
from urisieve.sources.hours import KernelLineHours, LineHours

pytestmark = pytest.mark.skipif(not compiled, reason="compares the kernel with Python")

TEXTS = st.lists(
    st.one_of(
        noisy_texts(),
        st.lists(
            st.sampled_from(
                (
                    *("HTTP://A.example", "http://a.example/", "http://a.example:80/", "http://b.example/~x"),
                    *("http://b.example/%7ex", "urn:isbn:1", "urn:ISBN:1", "http://é.example/é", "http://b:x/"),
                    *("http://u:p@a.example/", "http://b.example/index.html", "http://b.example/"),
                )
            ),
            max_size=9,
        ).map(" ".join),
    ),
    max_size=4,
)


def counted(batches: Sequence[Batch], options: Options) -> Statistics:
    sink = StatisticsSink(options=options, templates=True)
    for batch in batches:
        sink.take(batch)
    return sink.statistics()


@given(TEXTS, st.sampled_from([Options(), Options(level="none"), Options(merge="page")]))
def test_statistics(texts: list[str], options: Options) -> None:
    batches = list(extract_batches(texts, options=options))
    plain = [Batch.joined([batch, Batch.of([])]).replaced({"raw": batch.column("raw")}) for batch in batches]
    assert all(batch.layout.harvest is None for batch in plain)
    assert counted(batches, options) == counted(plain, options)


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
    *("2024-05-31T10:00:00+01:005 x", "2024-05-31T10:00:00 +01 x", "2024-05-31T10:00+0130", "2024-05-31T10:00+013x"),
)


@st.composite
def changed_lines(draw: st.DrawFn) -> str:
    """A line with a time, or with nearly one."""
    line = draw(st.sampled_from(LINES))
    at = draw(st.integers(0, len(line)))
    more = draw(st.sampled_from(["", "", "", "0", " ", "[", "\n", ":", "\x1c", "\x85"]))
    return line[:at] + more + line[at + draw(st.integers(0, 1)) :]


@given(
    st.lists(changed_lines(), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(1, 900), st.lists(st.integers(0, 900), max_size=4)), min_size=1, max_size=9),
    st.sampled_from([0, 77]),
    st.sampled_from([0, 100, 262_144]),
)
def test_hours_of_lines(lines: list[str], pieces: list[tuple[int, list[int]]], offset: int, kept: int) -> None:
    text = "\n".join(lines).encode("latin-1")
    with patch.object(hours, "_KEPT", kept):
        ways = [LineHours(16), KernelLineHours(16)]
    for way in ways:
        way.restart(offset)
    at = 0
    while at < len(text):
        for size, places in pieces:
            piece = text[at : at + size]
            asked = sorted(offset + at + min(place, len(piece)) for place in places)
            answers = []
            for way in ways:
                way.feed_bytes(piece)
                answers.append(way.hours(asked))
            assert answers[0] == answers[1]
            at += len(piece)


def test_an_offset_that_was_forgotten() -> None:
    lines = KernelLineHours(16)
    lines.restart(5)
    lines.feed_bytes(b"x")
    for offset in (4, 7):
        with pytest.raises(ValueError, match="offset outside"):
            lines.hours([offset])
    assert lines.hours([5, 6]) == [None, None]
