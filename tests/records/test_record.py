"""Records and rejections: what they are to those who hold them."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from urisieve import (
    InvalidIdentifierError,
    Options,
    Record,
    Rejection,
    UrisieveError,
    check,
    extract,
    new_secret,
    parse,
    sieve,
)
from urisieve.codes import REASONS, WARNINGS, Component, Reason, Warn
from urisieve.streams import find_key
from urisieve.types import SCHEMA_VERSION, HostKind

RECORD_SCHEMA = [
    "schema",
    "raw",
    "uri",
    "iri",
    "key",
    "kind",
    "scheme",
    "userinfo",
    "host",
    "host_kind",
    "port",
    "path",
    "query",
    "fragment",
    "nid",
    "nss",
    "source",
    "message",
    "message_id",
    "part",
    "field",
    "row",
    "start",
    "end",
    "line",
    "column",
    "byte_start",
    "byte_end",
    "wrapper",
    "warnings",
    "alternatives",
]
REJECTION_SCHEMA = [
    "schema",
    "raw",
    "reason",
    "component",
    "offset",
    "section",
    "source",
    "message",
    "message_id",
    "part",
    "field",
    "row",
    "start",
    "end",
    "line",
    "column",
    "byte_start",
    "byte_end",
]


def _rejection(text: str) -> Rejection:
    found = check(text)
    assert isinstance(found, Rejection)
    return found


def test_a_record_knows_everything() -> None:
    text = 'x\n see "HTTP://u@B\u00fccher.example:8080/%7ea?b#c" '
    (found,) = extract(text)
    assert found.raw == "HTTP://u@B\u00fccher.example:8080/%7ea?b#c"
    assert found.uri == found.key == "http://u@xn--bcher-kva.example:8080/~a?b#c"
    assert found.iri == "http://u@b\u00fccher.example:8080/~a?b#c"
    assert (found.kind, found.scheme, found.userinfo, found.host, found.port) == (
        "iri",
        "http",
        "u",
        "xn--bcher-kva.example",
        "8080",
    )
    assert (found.host_kind, found.path, found.query, found.fragment) == (HostKind.REG_NAME, "/~a", "b", "c")
    assert (found.nid, found.nss, found.source, found.wrapper) == (None, None, None, '""')
    assert (found.start, found.end, found.line, found.column) == (8, 45, 2, 7)
    assert text[found.start : found.end] == found.raw
    assert (found.byte_start, found.byte_end, found.alternatives) == (None, None, ())
    assert found.warnings == (Warn.USERINFO_PRESENT,)


def test_absent_is_none_and_empty_is_empty() -> None:
    empty, absent = parse("foo://@h?#"), parse("foo:x")
    assert (empty.userinfo, empty.query, empty.fragment, empty.path) == ("", "", "", "")
    assert (absent.userinfo, absent.host, absent.host_kind, absent.port, absent.query, absent.fragment) == (None,) * 6


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("http://1.2.3.4/", HostKind.IPV4),
        ("http://[::1]/", HostKind.IPV6),
        ("foo://[v1.a]/", HostKind.IPVFUTURE),
        ("http://1.2.3/", HostKind.REG_NAME),
        ("foo://", HostKind.REG_NAME),
        ("urn:a:b", None),
    ],
)
def test_host_kinds(text: str, kind: HostKind | None) -> None:
    assert parse(text).host_kind is kind


def test_a_urn_has_a_nid_and_an_nss() -> None:
    found = parse("URN:ISBN:0-395-36341-1")
    assert (found.kind, found.nid, found.nss) == ("urn", "isbn", "0395363411")
    assert (found.host, found.port) == (None, None)


def test_as_dict_is_the_schema() -> None:
    found = parse("http://a.example/").as_dict()
    assert list(found) == RECORD_SCHEMA
    assert list(_rejection("http://[a/").as_dict()) == REJECTION_SCHEMA
    assert found["schema"] == SCHEMA_VERSION == 5


@pytest.mark.parametrize("text", ["http://u:p@[::1]:80/?#", "urn:a:b", "http://[a/"])
def test_as_dict_is_json_and_the_properties(text: str) -> None:
    found = check(text)
    values = found.as_dict()
    assert json.loads(json.dumps(values)) == values
    for name, value in values.items():
        if name != "schema":
            expected = getattr(found, name)
            assert value == (list(expected) if isinstance(expected, tuple) else expected)


@pytest.mark.parametrize("text", ["http://a.example/", "http://[a/"])
def test_values_cannot_be_changed(text: str) -> None:
    found = check(text)
    name = type(found).__name__
    for attribute in ("raw", "start", "_fields", "new"):
        with pytest.raises(AttributeError, match=f"a {name} cannot be changed"):
            setattr(found, attribute, "x")
    with pytest.raises(AttributeError, match="cannot be changed"):
        del found.raw
    assert not hasattr(found, "__dict__")
    assert found.raw == text


@pytest.mark.parametrize("kind", [Record, Rejection])
def test_values_are_not_made_by_hand(kind: type) -> None:
    with pytest.raises(TypeError, match=r"come from .*check\(\)"):
        kind("http://a.example/")


def test_records_are_equal_by_key() -> None:
    first, second, other = parse("HTTP://A.example:80"), parse("http://a.example/"), parse("http://a.example/b")
    assert first == second
    assert hash(first) == hash(second)
    assert first.raw != second.raw
    assert first != other
    assert len({first, second, other}) == 2
    assert first != first.key
    assert first != _rejection("http://[a/")


def test_rejections_are_equal_by_all_fields() -> None:
    assert _rejection("http://[a/") == _rejection("http://[a/")
    assert hash(_rejection("http://[a/")) == hash(_rejection("http://[a/"))
    assert _rejection("http://[a/") != _rejection("http://[b/")
    first, second = sieve("http://[a/\nhttp://[a/\n")
    assert first != second


def test_components_are_split_when_asked_for() -> None:
    found = next(extract("http://a.example/b?c "))
    assert getattr(found, "_parts", None) is None
    assert found.path == "/b"
    assert getattr(found, "_parts", None) is not None
    assert found.components is found.components


@pytest.mark.parametrize("text", ["http://u:p@a.example/", "http://[a/", "urn:a:b"])
def test_copies_and_pickles(text: str) -> None:
    found = check(text)
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert type(again) is type(found)
        assert again == found
        assert again.as_dict() == found.as_dict()


def test_repr_and_str() -> None:
    found = parse("HTTP://u:secret@a.example")
    assert repr(found) == "<Record 'http://u:***@a.example/' at 0:25>"
    assert str(found) == "http://u:***@a.example/"
    assert repr(_rejection("http://[a/")) == "<Rejection bad-ip-literal 'http://[a/' at 0:10>"
    assert repr(_rejection("http://u:secret@[a/")) == "<Rejection bad-ip-literal 'http://u:***@[a/' at 0:19>"


def test_masked() -> None:
    found = parse("http://u:secret@a.example/")
    masked = found.masked(lambda password: f"<{password[:1]}>")
    assert (masked.raw, masked.uri, masked.iri) == ("http://u:***@a.example/",) * 3
    assert (masked.userinfo, masked.key) == ("u:***", "http://u:<s>@a.example/")
    assert found.userinfo == "u:secret"
    plain = parse("http://u@a.example/")
    assert plain.masked(str.upper) is plain


def test_masked_by_a_secret_of_the_process() -> None:  # H3
    first, again, other = (parse(f"http://u:{word}@a.example/").masked() for word in ("one", "one", "two"))
    assert (first.raw, first.uri) == ("http://u:***@a.example/",) * 2
    assert first.key == again.key != other.key
    assert "one" not in first.key


def test_masked_by_a_given_secret() -> None:  # H3
    secret, text = new_secret(), "http://u:one@a.example/"
    masked = parse(text).masked(secret=secret)
    assert masked.key == find_key(text, secret=secret) != parse(text).masked().key
    assert masked.uri == "http://u:***@a.example/"


def test_masked_alternatives() -> None:
    (found,) = extract("<http://u:secret@a-\nb.example/>")
    assert found.alternatives == ("http://u:secret@ab.example/",)
    assert found.masked(str.upper).alternatives == ("http://u:***@ab.example/",)


@pytest.mark.parametrize(("text", "at"), [("http://u:secret@[a/", "["), ("http://u:secret@a:8x/", "x")])
def test_a_masked_rejection_points_at_the_same_character(text: str, at: str) -> None:
    found = _rejection(text)
    masked = found.masked()
    assert found.raw[found.offset] == masked.raw[masked.offset] == at
    assert "secret" not in masked.raw
    plain = _rejection("http://[a/")
    assert plain.masked() is plain


@pytest.mark.parametrize(
    ("text", "uri", "key"),
    [
        ("http://u:p@h/", "http://u:***@h/", "http://u:<p>@h/"),
        (
            "http://r.example/?u=http://u:p@h/",
            "http://r.example/?u=http://u:***@h/",
            "http://r.example/?u=http://u:<p>@h/",
        ),
        ("http://u:p@r.example/?u=http://v:q@h/", "http://u:***@r.example/?u=http://v:***@h/", None),
        ("http://u@h/?a:b@c", "http://u@h/?a:b@c", "http://u@h/?a:b@c"),
    ],
)
def test_masked_inside_too(text: str, uri: str, key: str | None) -> None:
    record = parse(text)
    masked = record.masked(lambda password: f"<{password}>")
    assert (masked.uri, masked.raw) == (uri, uri)
    assert masked.key == (key or "http://u:<p>@r.example/?u=http://v:<q>@h/")
    assert (masked is record) == (uri == text)


def test_with_bytes() -> None:
    assert (parse("foo:x").with_bytes(3, 8).byte_start, parse("foo:x").with_bytes(3, 8).byte_end) == (3, 8)
    rejection = _rejection("http://[a/").with_bytes(1, 11)
    assert (rejection.byte_start, rejection.byte_end, rejection.raw) == (1, 11, "http://[a/")


def test_explain_draws_a_caret() -> None:
    assert _rejection("http://a.example/%zz").explain() == (
        "http://a.example/%zz\n"
        "                 ^\n"
        "bad-percent-encoding in path at 17: `%` is not followed by two hexadecimal digits (RFC 3986 2.1)"
    )


def test_explain_shows_a_part_of_a_long_candidate() -> None:
    shown, caret, _ = _rejection("http://a.example/" + "b" * 500 + "\0" + "c" * 500).explain().split("\n")
    assert shown.startswith("...b")
    assert shown.endswith("c...")
    assert len(shown) < 140
    assert shown[caret.index("^")] == "\N{REPLACEMENT CHARACTER}"


def test_the_exception_carries_the_rejection() -> None:
    with pytest.raises(InvalidIdentifierError) as caught:
        parse("http://a.example/%zz")
    error = caught.value
    assert isinstance(error, UrisieveError)
    assert isinstance(error, ValueError)
    assert (error.rejection.reason, error.rejection.component) == (Reason.BAD_PERCENT_ENCODING, Component.PATH)
    assert str(error) == error.rejection.explain()
    again = pickle.loads(pickle.dumps(error))
    assert again.rejection == error.rejection


def test_every_code_is_documented() -> None:
    assert set(REASONS) == set(Reason)
    assert set(WARNINGS) == set(Warn)
    assert all(entry.section and entry.meaning for entry in (*REASONS.values(), *WARNINGS.values()))


def test_the_kind_does_not_depend_on_the_level() -> None:
    assert parse("URN:a:b", options=Options(level="none")).kind == "urn"
    assert parse("http://a.example/\u00e9", options=Options(level="none")).kind == "iri"


def test_a_record_with_parts_is_read_back() -> None:
    record = parse("urn:isbn:0-395-36341-2")
    assert Record.from_dict(record.as_dict(parts=True)).as_dict(parts=True) == record.as_dict(parts=True)


@pytest.mark.parametrize(
    ("text", "shown", "caret"),
    [  # sixty characters on either side
        ("%zz" + "a" * 57, "=", 0),
        ("%zz" + "a" * 58, "%zz" + "a" * 57 + "...", 0),
        ("x:" + "a" * 58 + "%zz", "=", 60),
        ("x:" + "a" * 59 + "%zz", "...:" + "a" * 59 + "%zz", 63),
        ("x:" + "a" * 500 + "%zz" + "b" * 500, "..." + "a" * 60 + "%zz" + "b" * 57 + "...", 63),
    ],
)
def test_explain_shows_sixty_characters_on_either_side(text: str, shown: str, caret: int) -> None:
    lines = _rejection(text).explain().split("\n")
    assert lines[:2] == [text if shown == "=" else shown, " " * caret + "^"]
