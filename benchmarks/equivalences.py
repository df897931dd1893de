"""Pairs of URIs that are the same by RFC 3986, and pairs that are not: what a normalizer must and must not merge.

Only what RFC 3986 itself says of any `http` URI is asked, so that no package is judged by a rule of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["PAIRS", "Pair", "right"]


class Pair(NamedTuple):
    """Two URIs, whether they are one, and the section that says so."""

    first: str
    second: str
    same: bool
    section: str


PAIRS = (
    Pair("HTTP://example.com/a", "http://example.com/a", True, "6.2.2.1"),
    Pair("http://EXAMPLE.com/a", "http://example.com/a", True, "6.2.2.1"),
    Pair("http://example.com/%c3%a9", "http://example.com/%C3%A9", True, "6.2.2.1"),
    Pair("http://example.com/?q=%c3%a9", "http://example.com/?q=%C3%A9", True, "6.2.2.1"),
    Pair("http://example.com/%7Ea", "http://example.com/~a", True, "6.2.2.2"),
    Pair("http://example.com/%61%2D%5f", "http://example.com/a-_", True, "6.2.2.2"),
    Pair("http://example.com/?q=%61", "http://example.com/?q=a", True, "6.2.2.2"),
    Pair("http://%65xample.com/a", "http://example.com/a", True, "6.2.2.2"),
    Pair("http://example.com/a/./b/../c", "http://example.com/a/c", True, "6.2.2.3"),
    Pair("http://example.com/../a", "http://example.com/a", True, "6.2.2.3"),
    Pair("http://example.com/%2e%2e/a", "http://example.com/a", True, "6.2.2.3"),
    Pair("http://example.com", "http://example.com/", True, "6.2.3"),
    Pair("http://example.com?q", "http://example.com/?q", True, "6.2.3"),
    Pair("http://example.com:80/a", "http://example.com/a", True, "6.2.3"),
    Pair("https://example.com:443/a", "https://example.com/a", True, "6.2.3"),
    Pair("http://example.com:/a", "http://example.com/a", True, "6.2.3"),
    Pair("http://example.com/a%2Fb", "http://example.com/a/b", False, "2.2"),
    Pair("http://example.com/a%2Cb", "http://example.com/a,b", False, "2.2"),
    Pair("http://example.com/?q=a%2Bb", "http://example.com/?q=a+b", False, "2.2"),
    Pair("http://example.com/?q=a%26b", "http://example.com/?q=a&b", False, "2.2"),
    Pair("http://example.com/%2541", "http://example.com/%41", False, "2.4"),
    Pair("http://user@example.com/", "http://example.com/", False, "3.2.1"),
    Pair("http://example.com:8080/", "http://example.com/", False, "3.2.3"),
    Pair("http://example.com/a//b", "http://example.com/a/b", False, "3.3"),
    Pair("http://example.com/a/", "http://example.com/a", False, "6.2.4"),
    Pair("http://example.com/A", "http://example.com/a", False, "6.2.2.1"),
    Pair("http://example.com/?", "http://example.com/", False, "6.2.3"),
    Pair("http://example.com/?b=1&a=2", "http://example.com/?a=2&b=1", False, "3.4"),
    Pair("http://example.com/?a=", "http://example.com/?a", False, "3.4"),
    Pair("http://example.com/?utm_source=a", "http://example.com/", False, "3.4"),
    Pair("http://example.com/a#b", "http://example.com/a#c", False, "3.5"),
    Pair("http://example.com/a", "https://example.com/a", False, "3.1"),
)


def right(normalize: Callable[[str], str]) -> tuple[int, int]:
    """How many pairs a function merges that must be, and how many it keeps apart that must be; one refused is wrong."""
    merged = kept = 0
    for first, second, same, _ in PAIRS:
        try:
            equal = normalize(first) == normalize(second)
        except Exception:  # whatever a package raises
            continue
        if equal is same:
            merged += same
            kept += not same
    return merged, kept
