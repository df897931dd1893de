"""What is found exactly at a limit, and what one beyond it (P9)."""

from __future__ import annotations

import json
from typing import Final
from urllib.parse import quote

import pytest

from tests.helpers.bounds import Bound, count, uris
from urisieve import extract, sieve_blocks


def readings(text: str) -> tuple[str, ...]:
    return next(extract(text)).alternatives


def wrapped(times: int, *, encoded: bool) -> str:
    link = "https://b.example/"
    for _ in range(times):
        link = f"https://www.google.com/url?q={quote(link, safe='') if encoded else link}"
    return link


def in_list(characters: int) -> bool:
    """Whether a number is found that begins so many characters after the word before its list."""
    items, more = divmod(characters - len("ISBN "), len("0395363411, "))
    blanks = ["," + " " * (1 + (number < more)) for number in range(items)]
    text = "ISBN " + "".join(f"0395363411{mark}" for mark in blanks)
    return len(text) == characters and count(f"{text}0395363411", bare=["isbn"]) > items


def in_value(words: int) -> list[str]:
    """What is found in a string of JSON: a link and some words."""
    text = json.dumps({"x": "http://a.example/x" + " word" * words})
    return [one.uri if one else "✗" for one in sieve_blocks("a.jsonl", text.encode())]


def warned_in(text: str) -> set[str]:
    return {str(code) for one in extract(text) for code in one.warnings}


FINDING: Final = (
    Bound("octets of a local part", 64, lambda n: count(f"see {'a' * n}@b.example", email=True), 1, 0),
    Bound(
        "octets of one in UTF-8",
        64,
        lambda n: count(f"see {'é' * (n // 2)}{'a' * (n % 2)}@b.example", email=True),
        1,
        0,
    ),
    Bound(
        "characters of a candidate",
        64,
        lambda n: uris("http://a.example/".ljust(n, "x"), max_length=64)[0][:1],
        "h",
        "✗",
    ),
    Bound("characters of a label", 63, lambda n: uris(f"http://{'a' * n}.example/")[0][:1], "h", "h"),
    Bound("a short label", 2, lambda n: count(f"see {'1' * n}.com", schemeless=True), 0, 1),
    Bound("one letter", 1, lambda n: count(f"see {'x' * n}.com", schemeless=True), 0, 1),
    Bound("the first segment after an address", 32, lambda n: count(f"1.2.3.4/{'a' * n}.x", schemeless=True), 1, 0),
    Bound(
        "white space after URL:",
        80,
        lambda n: uris(f"<URL:{' ' * n}http://a.example/b c>"),
        ["http://a.example/bc"],
        ["http://a.example/b"],
    ),
    Bound("backslashes before a slash", 15, lambda n: count('"http:S/S/a.exampleS/x"'.replace("S", "\\" * n)), 1, 0),
    Bound(
        "excluded characters", 16, lambda n: warned_in(f"http://a.example/x{'|' * n}y"), {"stops-at-excluded"}, set()
    ),
    Bound(
        "characters of a style",
        64,
        lambda n: uris(f"http://a.ex\x1b[{'1' * n}mample/"),
        ["http://a.example/"],
        ["http://a.ex/"],
    ),
    Bound(
        "characters of an escape",
        64,
        lambda n: uris(f"http://a.example/\x1b[{'1' * n}Kx"),
        ["http://a.example/x"],
        ["http://a.example/"],
    ),
    Bound("an escape before a name", 48, lambda n: count(f"\x1b[{'1' * (n - 3)}mwww.b.example", schemeless=True), 1, 0),
    Bound(
        "digits of a reference", 7, lambda n: uris(f"http://a.example/x&#{'34'.zfill(n)};")[0][17:], "x", "x&#00000034"
    ),
    Bound(
        "hexadecimal digits of one",
        6,
        lambda n: uris(f"http://a.example/x&#x{'22'.zfill(n)};")[0][17:],
        "x",
        "x&#x0000022",
    ),
    Bound("links in links", 4, lambda n: count("http://a.example/" + "http://b.example/" * n, nested=True), 5, 5),
    Bound(
        "links in links, one less", 3, lambda n: count("http://a.example/" + "http://b.example/" * n, nested=True), 4, 5
    ),
    Bound("redirectors", 8, lambda n: count(wrapped(n, encoded=True), unwrap=True), 9, 9),
    Bound("redirectors, one less", 7, lambda n: count(wrapped(n, encoded=True), unwrap=True), 8, 9),
    Bound("redirectors, not encoded", 7, lambda n: count(wrapped(n, encoded=False), unwrap=True), 8, 9),
    Bound(
        "decodings",
        2,
        lambda n: uris(f"https://www.google.com/url?q=https%{'25' * n}3A%2F%2Fb.example%2F", unwrap=True)[1:],
        ["https://b.example/"],
        ["✗no-scheme"],
    ),
    Bound(
        "hyphens at line breaks",
        7,
        lambda n: len(readings("<http://a.example/" + "".join(f"x{i}-\n" for i in range(n)) + "y>")),
        8,
        9,
    ),
    Bound(
        "more of them",
        8,
        lambda n: len(readings("<http://a.example/" + "".join(f"x{i}-\n" for i in range(n)) + "y>")),
        9,
        9,
    ),
    Bound("parts", 7, lambda n: len(readings(",".join(f"http://a{i}.example/" for i in range(n)))), 7, 8),
    Bound("more parts", 8, lambda n: len(readings(",".join(f"http://a{i}.example/" for i in range(n)))), 8, 8),
    Bound("literals", 8, lambda n: len(readings('"<https://a.example"\n' + '"/x"\n' * n + '"/y>"')), 1, 0),
    Bound(
        "a folded line",
        59,
        lambda n: readings(f"{'y' * (n - 19)} https://a.example/\nc/d.html"),
        (),
        ("https://a.example/c/d.html",),
    ),
    Bound(
        "a prefix",
        32,
        lambda n: uris(f"{'>' * n} <http://a.example/x\n{'>' * n} y>"),
        ["http://a.example/xy"],
        ["http://a.example/x"],
    ),
    Bound(
        "a prefix without a blank",
        32,
        lambda n: uris(f"{'>' * n}<http://a.example/x\n{'>' * n}y>"),
        ["http://a.example/xy"],
        ["http://a.example/x"],
    ),
    Bound("characters of a list of numbers", 512, in_list, True, False),
    Bound("words after a link in a value", 1, in_value, ["✗"], ["http://a.example/x"]),
    Bound("words that are prose", 0, in_value, ["http://a.example/x"], ["✗"]),
    Bound(
        "the item of a SICI",
        128,
        lambda n: uris(f"doi:10.1002/(SICI){'a' * n}<1::AID-X1>3.0.CO;2-#")[0][-8:],
        "co;2-%23",
        "a" * 8,
    ),
)


@pytest.mark.parametrize("bound", FINDING, ids=lambda bound: bound.name)
def test_a_limit_is_where_it_is_said(bound: Bound) -> None:
    assert (bound.found(bound.limit), bound.found(bound.limit + 1)) == (bound.within, bound.beyond)
