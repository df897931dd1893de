"""Twice the text takes at most about twice the time, whatever the text (a table of hostile generators).

Two sizes are compared, so a slow machine changes nothing; the process time is taken, the least of some runs, and a
ratio that is too high is measured again, since other programs disturb caches and clocks.
"""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from hostile import HOSTILE, Hostile, big_line, repeated
from urisieve import Options, Rejection, Scanner, check

# 2 is linear, 4 quadratic; behind 2.6 stands what caches and allocators add.
RATIO = 2.6
ATTEMPTS = 5
# Under this a clock's grain shows more than the algorithm.
LEAST_SECONDS = 0.01
# No generator may be slower than this, in characters a second: the slowest that is linear does fifty times as much.
FLOOR = 20_000
PIECE = 65_536
# Seconds for an eighth of the text.
SLOW = 0.03


def _seconds(text: str, options: Options | None) -> float:
    scanner = Scanner(options)
    start = time.process_time()
    for place in range(0, len(text), PIECE):
        scanner.feed(text[place : place + PIECE])
    scanner.close()
    return time.process_time() - start


def _ratio(row: Hostile, options: Options | None, size: int) -> tuple[float, float]:
    """The ratio of two times, with the larger one; sizes grow until there is something to measure."""
    single, double = row.make(size), row.make(2 * size)
    first = _seconds(single, options)
    more = 0 if first > 0.1 else 2
    least = min(first, *(_seconds(single, options) for _ in range(more))) if more else first
    least_double = min(_seconds(double, options) for _ in range(more + 1))
    return least_double / max(least, LEAST_SECONDS), least_double


def _assert_linear(row: Hostile, options: Options | None, size: int) -> None:
    ratio = 0.0
    if _seconds(row.make(size // 8), options) > SLOW:  # what takes long shows as much with half the text
        size //= 2
    for _ in range(ATTEMPTS):
        ratio, seconds = _ratio(row, options, size)
        assert seconds < 2 * size / FLOOR
        if ratio <= RATIO:
            return
    pytest.fail(f"{row.name}: twice the text takes {ratio:.2f} times as long")


@pytest.mark.parametrize("row", HOSTILE, ids=[row.name for row in HOSTILE])
def test_the_time_is_linear(row: Hostile) -> None:
    _assert_linear(row, row.options, row.size)


@pytest.mark.parametrize("row", HOSTILE, ids=[row.name for row in HOSTILE])
def test_the_time_is_linear_inside_one_candidate(row: Hostile) -> None:
    """With a limit above the input nothing is cut to `too-long`: every stage sees all of it."""
    _assert_linear(row, replace(row.options or Options(), max_length=16_000_000), 20_000)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a.",
        "é",
        "漢字",
        "\u0660",
        "\u30fb",
        "ب\u200d",
        "xn--a.",
        "%41",
        "%c3%a9",
        "/..",
        "&a=b",
        "a@b,",
        "[",
        "#",
        "\u0301\u0316",
    ],
)
@pytest.mark.parametrize("head", ["http://", "http://a/", "http://a/?", "urn:ex:", "mailto:", "foo:", "sip:a@b;"])
def test_the_time_of_a_check_is_linear(head: str, unit: str) -> None:
    _check_is_linear(head, unit)


@pytest.mark.parametrize(
    ("head", "unit"),
    [
        ("mailto:?", "&a=b"),
        ("mailto:?to=a@b", ",a@b"),
        ("sip:a@b?", "&a=1"),
        ("tel:+1", "1-"),
        ("tel:+1", ";a=1"),
        ("sms:+1", ",+1-2"),
        ("geo:1,2", ";a=1"),
        ("data:a/b", ";a=1"),
        ("did:a:", "a:"),
        ("dns:", "a."),
        ("ldap:///?", "?"),
        ("nih:6;5", "1-"),
        ("jar:a:", "!/"),
        ("xmpp:a@", "%c3%a9."),
    ],
)
def test_the_time_of_the_rules_of_schemes_is_linear(head: str, unit: str) -> None:
    _check_is_linear(head, unit)
    text = repeated(unit, head)(100_000)
    found = check(text)
    assert isinstance(found, Rejection) or isinstance(found.parts, dict)


def _check_is_linear(head: str, unit: str) -> None:
    make = repeated(unit, head)

    def seconds(size: int) -> float:
        text = make(size)
        start = time.process_time()
        check(text)
        return time.process_time() - start

    for _ in range(ATTEMPTS):
        single, double = seconds(50_000), seconds(100_000)
        if double / max(single, LEAST_SECONDS) <= RATIO:
            return
    pytest.fail(f"{head}{unit}: {single:.3f} s, then {double:.3f} s")


def test_hosts_of_many_different_characters_are_no_dearer() -> None:
    """Nothing is remembered between these hosts, and each is made of characters never seen before."""
    hosts = ["".join(chr(0x4E00 + (start * 97 + place) % 20_000) for place in range(400)) for start in range(100)]
    text = "".join(f"http://{host}/ " for host in hosts)
    assert _seconds(text, None) < len(text) / FLOOR


def test_one_line_of_50_million_characters() -> None:
    text = big_line(50_000_000)
    assert "\n" not in text
    assert " " not in text
    assert _seconds(text, None) < 50_000_000 / 2_000_000


def test_the_measure_sees_quadratic_growth() -> None:
    """The method itself: a loop that looks back over all it has seen is told from one that does not."""

    class Quadratic(Scanner):
        def feed(self, text: str) -> list[object]:  # type: ignore[override]
            self.seen = getattr(self, "seen", "") + text
            for _ in range(4):
                self.seen.count("no such text")
            return []

    def seconds(size: int) -> float:
        scanner = Quadratic()
        start = time.process_time()
        for _ in range(size // PIECE):
            scanner.feed("a" * PIECE)
        return time.process_time() - start

    assert max(seconds(4_000_000) / seconds(2_000_000) for _ in range(ATTEMPTS)) > RATIO
