"""A longer text takes proportionally longer, whatever the text (a table of hostile generators).

How it is measured: `doubling.py`.
"""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from tests.helpers.doubling import assert_linear
from tests.helpers.hostile import HOSTILE, Hostile, big_line, repeated
from urisieve import Options, Rejection, Scanner, check

# No generator may be slower than this, in characters a second: the slowest that is linear does fifty times as much.
FLOOR = 20_000
PIECE = 65_536


def _scan(text: str, options: Options | None) -> None:
    scanner = Scanner(options)
    for place in range(0, len(text), PIECE):
        scanner.feed(text[place : place + PIECE])
    scanner.close()


def _seconds(text: str, options: Options | None) -> float:
    start = time.process_time()
    _scan(text, options)
    return time.process_time() - start


def _assert_linear(row: Hostile, options: Options | None, size: int) -> None:
    assert assert_linear(lambda text: _scan(text, options), row.make, size) < 1 / FLOOR


@pytest.mark.parametrize("row", HOSTILE, ids=[row.name for row in HOSTILE])
def test_the_time_is_linear(row: Hostile) -> None:
    _assert_linear(row, row.options, row.size)


@pytest.mark.parametrize("row", HOSTILE, ids=[row.name for row in HOSTILE])
def test_the_time_is_linear_inside_one_candidate(row: Hostile) -> None:
    """With a limit above the input nothing is cut to `too-long`: every stage sees all of it.

    Up to a few thousand characters the kernel decides alone what it hands over later; both sizes are above that.
    """
    _assert_linear(row, replace(row.options or Options(), max_length=16_000_000), 80_000)


@pytest.mark.parametrize(
    "unit", ["a", "é", "漢", "\udc80", "<", ">", "[", "a[a", "(", ";", "a ", "§", "%41", ":", "@", "a:"]
)
@pytest.mark.parametrize(
    "head", ["", "http://a/", "http://a", "<http:", "<http://a ", '"http://a', "“http://a", "urn:a:b"]
)
def test_the_time_in_small_pieces_is_linear(head: str, unit: str) -> None:
    """Up to the limit an undecided candidate is kept: it is not examined again for each piece."""

    def scan(text: str) -> None:
        scanner = Scanner()
        for place in range(0, len(text), 4):
            scanner.feed(text[place : place + 4])
        scanner.close()

    assert_linear(scan, repeated(unit, head), 8_000, doublings=2)  # below the limit, in bytes too


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
    assert_linear(check, repeated(unit, head), 50_000)


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
    assert_linear(check, repeated(unit, head), 50_000)
    text = repeated(unit, head)(100_000)
    found = check(text)
    assert isinstance(found, Rejection) or isinstance(found.parts, dict)


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

    def look_back(text: str) -> None:
        seen = ""
        for place in range(0, len(text), PIECE):
            seen += text[place : place + PIECE]
            for _ in range(16):
                seen.count("no such text")

    def look_around(text: str) -> None:
        for place in range(0, len(text), PIECE):
            text[place : place + PIECE].count("no such text")

    with pytest.raises(pytest.fail.Exception, match="times as long"):
        assert_linear(look_back, repeated("a"), 1_000_000)
    assert_linear(look_around, repeated("a"), 8_000_000)
