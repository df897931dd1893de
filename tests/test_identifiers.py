"""Single identifiers: check, parse, normalize, convert, compare, resolve."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

import urisieve
from urisieve import (
    InvalidIdentifierError,
    Options,
    Record,
    Rejection,
    UsageError,
    check,
    equivalent,
    is_valid,
    key,
    normalize,
    normalize_reference,
    parse,
    resolve,
    to_iri,
    to_uri,
)
from urisieve.syntax.characters import bidi_mixed
from urisieve.syntax.iri import ORDINARY


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("http://a.example/", True),
        ("HTTP://A.example/%7e", True),
        ("urn:isbn:0395363411", True),
        ("http://me:pw@a.example:99999/", True),  # warnings do not make it invalid
        ("foo", False),
        ("", False),
        ("http://a.example/%zz", False),
        (" http://a.example/", True),  # F6
        ("http://a.example/ b", False),
    ],
)
def test_a_rejection_is_falsy(text: str, valid: bool) -> None:  # C5
    assert bool(check(text)) is is_valid(text) is valid
    assert is_valid(text, options=Options(level="none")) is valid


def test_is_valid_judges_by_the_options() -> None:  # C5
    assert not is_valid("http://[fe80::1%25eth0]/")
    with pytest.raises(UsageError):
        is_valid(b"http://a.example/")  # type: ignore[call-overload]


def test_check_judges_by_the_options() -> None:
    found = check("http://www.a.example/", options=Options(merge=["strip-www"]))
    assert isinstance(found, Record)
    assert found.uri == "http://a.example/"


def test_check_gives_a_value_and_parse_raises() -> None:
    assert isinstance(check("http://a.example/"), Record)
    rejection = check("http://a b/")
    assert isinstance(rejection, Rejection)
    assert (rejection.start, rejection.end, rejection.line, rejection.column) == (0, 11, 1, 1)
    for text in ("HTTP://a.example/", "http://a.example/"):
        record = check(text)
        assert isinstance(record, Record)
        assert (record.start, record.end, record.line, record.column) == (0, len(text), 1, 1)
    assert parse("http://a.example/").uri == "http://a.example/"
    with pytest.raises(InvalidIdentifierError) as caught:
        parse("http://a b/")
    assert str(caught.value).splitlines()[:2] == ["http://a b/", " " * 8 + "^"]


@pytest.mark.parametrize(
    "text",
    ["", " ", "\x1chttp://a/", "http://a/\x00", "<http://a/>", "http://a/\x1f", "//a/b", "a", ":", "1a:b", "é:a"],
)
def test_the_whole_text_is_the_candidate(text: str) -> None:
    assert isinstance(check(text), Rejection)


@pytest.mark.parametrize(
    ("text", "syntax", "scheme"),
    [
        ("HTTP://A.example:80", "http://a.example:80", "http://a.example/"),
        ("http://a", "http://a", "http://a/"),
        ("http://a/", "http://a/", "http://a/"),
        ("https://a", "https://a", "https://a/"),
        ("http://a.example/%7eb/../c%2f", "http://a.example/c%2F", "http://a.example/c%2F"),
        ("http://a.example/?#", "http://a.example/?#", "http://a.example/?#"),
        ("http://a.example//b//", "http://a.example//b//", "http://a.example//b//"),
        ("foo:/.//x", "foo:/.//x", "foo:/.//x"),
        ("foo:a/../b", "foo:a/../b", "foo:a/../b"),
        ("foo://A.example:/", "foo://a.example:/", "foo://a.example/"),
        ("foo://[2001:DB8:0:0::1]", "foo://[2001:db8:0:0::1]", "foo://[2001:db8::1]"),
        (
            "http://b\u00fccher.example/\u00e9",
            "http://b%C3%BCcher.example/%C3%A9",
            "http://xn--bcher-kva.example/%C3%A9",
        ),
        ("file:/a", "file:/a", "file:///a"),
        ("file://localhost/a", "file://localhost/a", "file:///a"),
        ("mailto:A@B.example", "mailto:A@B.example", "mailto:A@b.example"),
        ("sip:a@b.example:5060", "sip:a@b.example:5060", "sip:a@b.example:5060"),
        ("URN:ISBN:0-395-36341-1", "urn:isbn:0-395-36341-1", "urn:isbn:0395363411"),
        ("urn:Ex-a:%41%2f", "urn:ex-a:%41%2F", "urn:ex-a:%41%2F"),
    ],
)
def test_the_ladder(text: str, syntax: str, scheme: str) -> None:
    assert normalize(text, "none") == text
    assert normalize(text, "syntax") == syntax
    assert normalize(text) == normalize(text, "scheme") == key(text) == scheme
    assert normalize(text, options=Options(level="syntax")) == syntax
    assert normalize(text, "scheme", options=Options(level="syntax")) == scheme
    assert normalize(text, "syntax", options=Options(level="syntax")) == syntax


@pytest.mark.parametrize(
    ("first", "second", "level"),
    [
        ("http://a.example/", "http://a.example/", "none"),
        ("HTTP://a.example/%7E", "http://a.example/~", "syntax"),
        ("http://a.example:80", "http://a.example/", "scheme"),
        ("http://\u00e9.example/", "http://xn--9ca.example/", "scheme"),
        ("urn:isbn:0-395-36341-1", "URN:ISBN:0395363411", "scheme"),
        ("http://a.example/", "http://a.example", None),
    ],
)
def test_equivalent_at_a_level(first: str, second: str, level: str | None) -> None:
    assert equivalent(first, second, level)
    lower = {"syntax": "none", "scheme": "syntax"}.get(level or "scheme")
    if lower is not None:
        assert not equivalent(first, second, lower)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://a.example/a", "http://a.example/A"),
        ("http://a.example/%2F", "http://a.example//"),
        ("http://a.example/?", "http://a.example/"),
        ("http://a.example/#", "http://a.example/"),
        ("http://a.example/", "https://a.example/"),
        ("http://www.a.example/", "http://a.example/"),
        ("http://a.example./", "http://a.example/"),
        ("http://a.example/?a&b", "http://a.example/?b&a"),
        ("http://u@a.example/", "http://a.example/"),
        ("http://a.example/\u00e9", "http://a.example/e\u0301"),
        ("urn:ex-a:%41", "urn:ex-a:A"),
        ("urn:ex-a:b", "urn:ex-a:B"),
        ("foo:a/../b", "foo:b"),
        ("foo://h", "foo://h/"),
        ("sip:h.example:5060", "sip:h.example"),
    ],
)
def test_never_merged(first: str, second: str) -> None:
    assert key(first) != key(second)
    assert not equivalent(first, second)


def test_unknown_levels_are_misuse() -> None:
    with pytest.raises(UsageError, match="level='best' is not a choice; use one of 'none', 'syntax', 'scheme'"):
        normalize("http://a.example/", "best")
    with pytest.raises(UsageError, match="level='best'"):
        equivalent("http://a.example/", "http://a.example/", "best")


@pytest.mark.parametrize(
    ("iri", "uri"),
    [
        ("http://\u00e9.example/\u00e9?\u00e9#\u00e9", "http://%C3%A9.example/%C3%A9?%C3%A9#%C3%A9"),
        ("\u00e9", "%C3%A9"),
        ("//\u00e9/", "//%C3%A9/"),
        ("http://a.example/?\ue000", "http://a.example/?%EE%80%80"),
        ("HTTP://A/%7e", "HTTP://A/%7e"),
    ],
)
def test_to_uri_maps_and_does_no_more(iri: str, uri: str) -> None:
    assert to_uri(iri) == uri
    assert to_iri(uri) == iri


@pytest.mark.parametrize(
    ("uri", "iri"),
    [
        ("http://a.example/%E2%80%AE", "http://a.example/%E2%80%AE"),
        ("http://a.example/%c3%a9%ff", "http://a.example/\u00e9%FF"),
        ("http://a.example/%EE%80%80", "http://a.example/%EE%80%80"),
        ("http://a.example/%2F%41", "http://a.example/%2F%41"),
        ("http://xn--9ca.example/", "http://xn--9ca.example/"),
        ("?%c3%a9", "?\u00e9"),
        ("URN:ex-a:%c3%a9", "URN:ex-a:%c3%a9"),
        ("//%c3%a9@%c3%a9/%c3%a9?%c3%a9#%c3%a9", "//\u00e9@\u00e9/\u00e9?\u00e9#\u00e9"),
        ("//@?#", "//@?#"),
        (
            "http://%ee%80%80@%ee%80%80/%ee%80%80?%ee%80%80#%ee%80%80",
            "http://%EE%80%80@%EE%80%80/%EE%80%80?\ue000#%EE%80%80",
        ),
    ],
)
def test_to_iri_decodes_what_can_be_shown(uri: str, iri: str) -> None:
    assert to_iri(uri) == iri


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("HTTP://A/%7eb/../c", "http://a/c"),
        ("../%7eb/./c", "../~b/./c"),
        ("./%61:b", "./a:b"),
        ("//A/%2e/b", "//a/./b"),  # dot segments of a relative reference stay
        ("?%7e", "?~"),
        ("%3aa", "%3Aa"),
        ("", ""),
        ("URN:Ex-a:%2f%41", "urn:ex-a:%2F%41"),
        ("//U@H:80", "//U@h:80"),
        ("//H?%7e#%7e", "//h?~#~"),
        ("/%7e/../b", "/~/../b"),
        ("?%2f", "?%2F"),
    ],
)
def test_normalize_reference(given: str, expected: str) -> None:
    assert normalize_reference(given) == expected
    assert normalize_reference(expected) == expected


BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("reference", "target"),
    [  # RFC 3986 5.4.1 and 5.4.2
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("http:g", "http:g"),
    ],
)
def test_resolve_is_that_of_5_4(reference: str, target: str) -> None:
    assert resolve(BASE, reference) == target


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        ("foo:a/b", "../c", "foo:/c"),
        ("foo:a", "b", "foo:b"),
        ("foo:/a", "..//b", "foo:/.//b"),
        ("foo://h", "a", "foo://h/a"),
        ("foo:", "a", "foo:a"),
        ("foo://h", "/.//b", "foo://h//b"),
        ("foo:/a", "/..//b", "foo:/.//b"),
        ("foo:a", "bar:b/../c", "bar:/c"),
        ("foo:a", "urn:x-a:b/../c", "urn:x-a:b/../c"),
        ("foo:a", "URN:x-a:b/../c", "URN:x-a:b/../c"),
        ("foo://h/a?q", "#f", "foo://h/a?q#f"),
        ("foo://h/a?q", "?", "foo://h/a?"),
        ("foo://u@h:1/a", "//g/b/../c", "foo://g/c"),
    ],
)
def test_resolve_for_any_scheme(base: str, reference: str, target: str) -> None:
    assert resolve(base, reference) == target


@pytest.mark.parametrize(
    ("base", "reference", "reason", "offset"),
    [
        ("//a/b", "c", "no-scheme", 0),
        ("a", "b", "no-scheme", 0),
        ("", "b", "no-scheme", 0),
        ("http://a b/", "c", "illegal-character", 8),
        ("http://a/", "b c", "illegal-character", 1),
        ("http://a/", "//a b", "illegal-character", 3),
        ("http://a/", "?a#b#", "second-fragment", 4),
        ("http://a/", "//[1]", "bad-ip-literal", 2),
        ("http://a/", "//a:b", "bad-port", 4),
        ("http://a/", "%", "bad-percent-encoding", 0),
        ("http://a/", "a%zz", "bad-percent-encoding", 1),
        ("http://a/", "1:b", "bad-scheme", 0),
        ("http://a/", ":b", "bad-scheme", 0),
        ("http://a/", "a_b:c", "bad-scheme", 1),
    ],
)
def test_resolve_takes_only_references(base: str, reference: str, reason: str, offset: int) -> None:
    with pytest.raises(InvalidIdentifierError) as caught:
        resolve(base, reference)
    rejection = caught.value.rejection
    assert (rejection.reason, rejection.offset) == (reason, offset)
    assert (rejection.start, rejection.line, rejection.column) == (0, 1, 1)
    assert rejection.end == len(rejection.raw)
    assert "^" in str(caught.value)


@pytest.mark.parametrize("call", [key, normalize, to_uri, to_iri, normalize_reference], ids=lambda call: call.__name__)
@pytest.mark.parametrize("text", ["http://a b/", "http://[/", "%", "http://a/\ud800"])
def test_what_is_no_identifier_is_said(call: Callable[[str], str], text: str) -> None:
    with pytest.raises(InvalidIdentifierError) as caught:
        call(text)
    assert caught.value.rejection.raw == text


def test_the_interface_is_a_list_of_names() -> None:
    assert set(dir(urisieve)) == {*urisieve.__all__, *urisieve._MODULES}
    assert all(getattr(urisieve, name).__name__ == f"urisieve.{name}" for name in urisieve._MODULES)
    for module in (urisieve, urisieve.sinks, urisieve.sinks.statistics):
        for name in module.__all__:
            assert getattr(module, name) is not None
        stub = ast.parse(Path(module.__file__ or "").with_suffix(".pyi").read_text("utf-8"))
        listed = [node.value for node in stub.body if isinstance(node, ast.Assign)]
        assert sorted(ast.literal_eval(listed[0])) == sorted(module.__all__)
    with pytest.raises(AttributeError, match="no attribute 'finds'"):
        urisieve.finds  # type: ignore[attr-defined] # noqa: B018


def test_an_ordinary_character_may_be_in_every_component_and_has_no_direction() -> None:
    text = "".join(chr(code) for code in range(0x80, 0x110000) if ORDINARY.fullmatch(chr(code)))
    assert len(text) > 50_000
    options = Options(max_length=6 * len(text))
    assert isinstance(check(f"x://{text}@{text}/{text}?{text}#{text}", options=options), Record)
    assert not any(bidi_mixed(f"{character}a") for character in text)
    assert not any(ORDINARY.fullmatch(one) for one in "\u0080א\u061c\u200e\u2067\ud800\ue000\ufffe\U000e0001")
