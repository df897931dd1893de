"""Normal forms and verdicts that are easy to get wrong, a row a line."""

from __future__ import annotations

import pytest

from urisieve import Record, Rejection, check, normalize, resolve
from urisieve.judge.normalize import remove_dot_segments
from urisieve.syntax import grammar

FORMS = [
    ("http://e.example/%252541", "http://e.example/%252541"),
    ("foo://:@h/", "foo://:@h/"),
    ("foo://A%4aB/", "foo://ajb/"),
    ("http://e.example/a//../b", "http://e.example/a/b"),
    ("http://e.example/?a=1&a=1&&", "http://e.example/?a=1&a=1&&"),
    ("file://localhost:8080/x", "file://localhost:8080/x"),
    ("http://[2001:db8:0:1:0:0:0:01]/", "http://[2001:db8:0:1::1]/"),
    ("http://[::FFFF:192.0.2.1]/", "http://[::ffff:192.0.2.1]/"),
    ("foo:/a/..//b", "foo:/.//b"),
    ("foo:a/../b", "foo:a/../b"),
]
INVALID = [
    "http://[1:2:3:4:5:6:7]/",
    "http://[:::]/",
    "http://[::1.2.3.4:ffff]/",
    "http://a[::1]/",
    "http://[::1]a/",
    "http://[1.2.3.4]/",
    "x:[::1]",
    "http://h:%38/",
    "urn:ab:a#b#c",
]


@pytest.mark.parametrize(("text", "form"), FORMS)
def test_normal_form(text: str, form: str) -> None:
    assert normalize(text) == form
    assert normalize(form) == form


@pytest.mark.parametrize("text", INVALID)
def test_invalid(text: str) -> None:
    assert isinstance(check(text), Rejection)


def test_only_unreserved_triplets_are_decoded() -> None:
    """RFC 3986 6.2.2.2, over all of ASCII."""
    unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~"
    for octet in range(128):
        form = normalize(f"http://e.example/x%{octet:02x}y")
        shown = chr(octet) if chr(octet) in unreserved + "." else f"%{octet:02X}"
        assert form == f"http://e.example/x{shown}y"


@pytest.mark.parametrize(
    "octet", ["4A", "4a", "10", "aA", "Aa", "AA", "aa", "7F", "7f", "f7", "F7", "Bc", "bC", "c0", "0c"]
)
def test_digits_of_triplets_in_any_case(octet: str) -> None:
    shown = "J" if octet.upper() == "4A" else f"%{octet.upper()}"
    form = f"foo://u{shown}@h{shown.replace('J', 'j')}/{shown}?{shown}#{shown}"
    assert normalize("foo://u!@h!/!?!#!".replace("!", f"%{octet}")) == form
    assert normalize(f"http://e.example/%{octet}?%{octet}") == f"http://e.example/{shown}?{shown}"


def test_a_password_may_hold_colons() -> None:
    found = check("http://u:se:cr:et@h.example/")
    assert isinstance(found, Record)
    assert str(found) == "http://u:***@h.example/"


def test_an_empty_reference_keeps_the_path_as_it_is() -> None:
    """RFC 3986 5.2.2: no dot segments are removed where the reference has no path."""
    assert resolve("http://a/b/../c?q", "#s") == "http://a/b/../c?q#s"


@pytest.mark.parametrize(
    ("path", "rest"), [("/a/b/c/./../../g", "/a/g"), ("mid/content=5/../6", "mid/6"), ("../../a", "a"), ("/..", "/")]
)
def test_dot_segments(path: str, rest: str) -> None:
    assert remove_dot_segments(path) == rest


@pytest.mark.parametrize(
    ("rule", "text", "verdict"),
    [
        ("DIGIT", "1", True),
        ("DIGIT", "0-9", False),
        ("sub-delims", "'", True),
        ("unreserved", "/", False),
        ("pchar", "%41", True),
        ("segment", "", True),
        ("segment-nz-nc", "a:b", False),
        ("path-empty", "", True),
        ("path-absolute", "//", False),
        ("port", "80\n", False),
    ],
)
def test_single_rules_of_the_grammar(rule: str, text: str, verdict: bool) -> None:
    assert grammar.matches(rule, text) is verdict
