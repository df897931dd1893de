"""What rules decide exactly at a number, and what one beyond it: secrets, templates, hosts, names, times, messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.helpers.bounds import Bound, count
from urisieve import Filter, Options, UsageError, check, new_secret, parse, template_of
from urisieve.records.masking import check_secret
from urisieve.rules.secret_check import looks_random
from urisieve.syntax.time_forms import two_digit_year, whole_time
from urisieve.syntax.times import time_of_date, time_of_value


def warned(link: str, **given: Any) -> set[str]:
    return {str(code) for code in parse(link, options=Options(**given)).warnings}


def has_secret(link: str) -> bool:
    return "secret-present" in warned(link)


def is_taken(call: Callable[[], object]) -> bool:
    try:
        call()
    except UsageError:
        return False
    return True


def template(segment: str) -> str:
    return str(template_of(f"http://a.example/{segment}")).removeprefix("http://a.example/")


def first_line(link: str) -> str:
    found = check(link)
    assert not found
    return found.explain().splitlines()[0]


TOKEN: Final = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def detail(link: str) -> str:
    return parse(link, options=Options(spoofing=True)).notices[0].detail


RULES: Final = (
    Bound(
        "a secret with a sure name", 3, lambda n: has_secret(f"http://a.example/?password={'k7q2'[:n]}"), False, True
    ),
    Bound("a link with a secret", 9, lambda n: has_secret(f"s:pwd={'k7q2'[: n - 6]}"), False, True),
    Bound("a random value", 15, lambda n: looks_random("q7Xr2Mz9Kd4Tb8Wf"[:n]), False, True),
    Bound("its digits", 1, lambda n: looks_random(f"aBcDaBcDaBcDaBcD{'1x2y'[: 2 * n]}"), False, True),
    Bound("its changes", 3, lambda n: looks_random("a1b1c"[: n + 1].ljust(16, "a1b1c"[n])), False, True),
    Bound("characters between them", 24, lambda n: looks_random("a1b1c".ljust(n, "d")), True, False),
    Bound(
        "characters that are looked at",
        1_023,
        lambda n: has_secret(f"http://a.example/?key={('a1B2' * 256)[:n]}!"),
        False,
        True,
    ),
    Bound("letters of a variable", 3, lambda n: has_secret(f"http://a.example/?password=${'ABCD'[:n]}"), True, False),
    Bound("digits of an escape", 2, lambda n: has_secret(f"https://a.example/?x%{'3DA'[:n]}{TOKEN}"), True, False),
    Bound("digits of one in one", 2, lambda n: has_secret(f"https://a.example/?x%25{'3DA'[:n]}{TOKEN}"), True, False),
    Bound(
        "characters that a detail names", 4, lambda n: "more" in detail(f"http://{'ᴀʙᴄᴅᴇ'[:n]}xyz.com/"), False, True
    ),
    Bound("times encoded", 3, lambda n: has_secret(f"http://a.example/?password=%{'25' * n}41bc"), False, True),
    Bound("characters of random words", 15, lambda n: template("q7Xr2Mz9Kd4Tb8Wf"[:n]), "q7Xr2Mz9Kd4Tb8W", "{}"),
    Bound("characters of base64", 15, lambda n: template("q7Xr2Mz9Kd4+b8Wf"[:n]), "q7Xr2Mz9Kd4+b8W", "{}"),
    Bound("hexadecimal digits", 7, lambda n: template("beef12ad"[:n]), "beef12a", "{}"),
    Bound("digits in a word", 3, lambda n: template(f"x{'1234'[:n]}y"), "x123y", "x{}y"),
    Bound("letters between changes", 16, lambda n: template("abcd1efg2hijklmno"[:n]), "{}", "abcd1efg2hijklmno"),
    Bound(
        "letters of a word in random ones",
        3,
        lambda n: template(f"g1h2i3k4l5m6_{'xyzw'[:n]}"),
        "{}",
        "g1h2i3k4l5m6_xyzw",
    ),
    Bound(
        "octal digits of an address",
        11,
        lambda n: "hosts-disagree" in warned(f"http://03{'7' * (n - 1)}/"),
        True,
        False,
    ),
    Bound("parts of one", 4, lambda n: "hosts-disagree" in warned(f"http://{'.'.join(['0x7f'] * n)}/"), True, False),
    Bound("an octet", 255, lambda n: "hosts-disagree" in warned(f"http://0x8.{n}.8.8/"), True, False),
    Bound(
        "a label that is protected",
        2,
        lambda n: (
            "resembles-protected" in warned(f"http://{'cоd'[:n]}.org/", spoofing=True, protect=[f"{'cod'[:n]}.com"])
        ),
        False,
        True,
    ),
    Bound("characters of a NID", 32, lambda n: bool(check(f"urn:{'a' * n}:x")), True, False),
    Bound("digits before a group", 3, lambda n: count(f"PMID: {'1234'[:n]},456", bare=["pmid"]), 0, 1),
    Bound("pages of a range", 999, lambda n: count({999: "2119-3118", 1000: "2117-3117"}[n], bare=["issn"]), 0, 1),
    Bound("bytes of a secret", 64, lambda n: is_taken(lambda: check_secret(b"x" * n)), True, False),
    Bound("seconds that are a time", 99_999_999, lambda n: is_taken(lambda: Filter(since=n)), False, True),
    Bound("the last second", 253_402_300_799, lambda n: is_taken(lambda: Filter(until=n)), True, False),
    Bound("a year of two digits", 49, lambda n: two_digit_year(f"{n}"), "2049", "1950"),
    Bound("a second", 60, lambda n: whole_time("2024-05-31T12:00", f"{n}", "Z") is not None, True, False),
    Bound(
        "the last second that counts from 1601",
        4_102_444_799,
        lambda n: (time_of_value(f"{11_644_473_600 + n}0000000") or "")[:4],
        "2099",
        "1974",
    ),
    Bound("the first one", 11_644_473_599, lambda n: (time_of_value(f"{n}0000000") or "")[:4], "1973", "1970"),
    Bound(
        "characters of a date",
        1_000,
        lambda n: time_of_date("Fri, 31 May 2024 12:00:00 +0200".rjust(n)) == "2024-05-31T10:00:00Z",
        True,
        False,
    ),
    Bound("an hour", 23, lambda n: time_of_date(f"Fri, 31 May 2024 {n}:00:00 +0000") is not None, True, False),
    Bound("a minute", 59, lambda n: time_of_date(f"Fri, 31 May 2024 12:{n}:00 +0000") is not None, True, False),
    Bound(
        "digits of seconds", 11, lambda n: (time_of_value("17171568001"[:10].ljust(n, "0")) or "")[:4], "2514", "1975"
    ),
    Bound(
        "what is shown before a fault",
        60,
        lambda n: first_line(f"{'http://a.example/'.ljust(n, 'x')}|y")[:3],
        "htt",
        "...",
    ),
    Bound("what is shown after it", 58, lambda n: first_line(f"http://a.example:8x/{'y' * n}")[-3:], "yyy", "..."),
)


@pytest.mark.parametrize("bound", RULES, ids=lambda bound: bound.name)
def test_a_rule_ends_where_it_is_said(bound: Bound) -> None:
    assert (bound.found(bound.limit), bound.found(bound.limit + 1)) == (bound.within, bound.beyond)


def test_a_new_secret_has_32_bytes() -> None:
    assert len(new_secret()) == 32
