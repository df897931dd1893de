"""What is judged exactly at a limit, and one beyond it (P9)."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.helpers.bounds import Bound, count
from urisieve import Options, check, key, template_of


def warned(text: str, **given: Any) -> set[str]:
    found = check(text, options=Options(**given))
    return set(map(str, found.warnings)) if found else {f"✗{found.reason}"}


def notices(text: str) -> list[str]:
    found = check(text, options=Options(spoofing=True))
    return [notice.detail for notice in found.notices if notice.warn == "rare-ipv4"]


def template(path: str) -> str:
    return template_of(f"http://a.example/{path}").removeprefix("http://a.example/")


def name_of(size: int) -> str:
    """A host of some characters."""
    return ".".join(["a" * 49] * 4) + "." + "b" * (size - 204) + ".com"


def octal(digits: int) -> str:
    return "http://0" + "37777777777".rjust(digits, "1") + "/"


JUDGING: Final = (
    Bound(
        "characters of a short DOI",
        8,
        lambda n: warned(f"10/{'a1b2c3d4e5'[:n]}", bare=["doi"]),
        {"scheme-assumed"},
        {"✗no-scheme"},
    ),
    Bound(
        "digits of a short DOI", 7, lambda n: warned(f"10/{'1' * n}a", bare=["doi"]), {"scheme-assumed"}, {"✗no-scheme"}
    ),
    Bound(
        "one character of a short DOI",
        1,
        lambda n: warned(f"10/{'a1'[:n]}", bare=["doi"]),
        {"✗no-scheme"},
        {"scheme-assumed"},
    ),
    Bound("a label of a host", 63, lambda n: warned(f"http://{'a' * n}.example/"), set(), {"host-too-long"}),
    Bound("a name of a host", 253, lambda n: warned(f"http://{name_of(n)}/"), set(), {"host-too-long"}),
    Bound("a port", 65_535, lambda n: warned(f"http://a.example:{n}/"), set(), {"port-above-65535"}),
    Bound(
        "the port of an archive key",
        65_535,
        lambda n: key(f"http://a.example:{n}/X", options=Options(merge="archive-key"))[:7],
        "example",
        "http://",
    ),
    Bound(
        "the name behind a label",
        254,
        lambda n: key(f"http://m.{name_of(n)}/", options=Options(merge=["mobile-host"]))[7:9],
        "aa",
        "m.",
    ),
    Bound(
        "an octet of a rare address",
        255,
        lambda n: warned(f"http://{n}.0x1/", spoofing=True),
        {"rare-ipv4", "hosts-disagree", "not-global-address"},
        {"rare-ipv4"},
    ),
    Bound("the first octets", 255, lambda n: notices(f"http://0x8.{n}.8.8/"), ["8.255.8.8"], [""]),
    Bound("the last two octets", 65_535, lambda n: notices(f"http://0x8.8.{n}/"), ["8.8.255.255"], [""]),
    Bound("the last three octets", 2**24 - 1, lambda n: notices(f"http://0x8.{n}/"), ["8.255.255.255"], [""]),
    Bound("all octets", 2**32 - 1, lambda n: notices(f"http://{n}/"), ["255.255.255.255"], [""]),
    Bound("parts of an address", 4, lambda n: notices("http://" + ".".join(["0x8"] * n) + "/"), ["8.8.8.8"], [""]),
    Bound("digits of an address", 11, lambda n: notices(octal(n)), ["255.255.255.255"], [""]),
    Bound(
        "a label that is compared",
        2,
        lambda n: warned(f"http://{'c0mmon'[:n]}.net/", protect=[f"{'common'[:n]}.org"]),
        set(),
        {"resembles-protected"},
    ),
    Bound("random characters", 15, lambda n: template(("xB3k9" * 9)[:n]), "xB3k9xB3k9xB3k9", "{}"),
    Bound(
        "random characters with signs", 15, lambda n: template("y." + ("xB3k9_" * 9)[:n]), "y.xB3k9_xB3k9_xB3", "y.{}"
    ),
    Bound("characters of base64", 15, lambda n: template(("xB3k9QwE7r+T5yU8i" * 3)[:n]), "xB3k9QwE7r+T5yU", "{}"),
    Bound(
        "a word among random ones", 3, lambda n: template("xB3k9Qw2eR4t_" + "abcdefg"[:n]), "{}", "xB3k9Qw2eR4t_abcd"
    ),
    Bound("letters between changes", 20, lambda n: template("xB3k9Qw" + "a" * (n - 7)), "{}", "xB3k9Qwaaaaaaaaaaaaaa"),
    Bound("hexadecimal digits", 7, lambda n: template(f"a-{'a1bcdefab'[:n]}-x"), "a-a1bcdef-x", "a-{}-x"),
    Bound("digits in a word", 3, lambda n: template(f"x{'1' * n}y"), "x111y", "x{}y"),
    Bound("digits of a fraction", 9, lambda n: template(f"x/12:30:00.{'1' * n}"), "x/{}", "x/{}.{}"),
    Bound(
        "pages of a range",
        999,
        lambda n: count(f"{1105 if n == 999 else 1103}-{1105 + 999 if n == 999 else 2103}", bare=["issn"]),
        0,
        1,
    ),
)


@pytest.mark.parametrize("bound", JUDGING, ids=lambda bound: bound.name)
def test_a_limit_of_the_judge_is_where_it_is_said(bound: Bound) -> None:
    assert (bound.found(bound.limit), bound.found(bound.limit + 1)) == (bound.within, bound.beyond)
