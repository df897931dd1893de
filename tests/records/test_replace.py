"""`Record.replace`: a link is changed and put together, and judged again.  # M11"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.strategies import examples, identifiers
from urisieve import InvalidIdentifierError, Options, Record, UsageError, check, extract, parse
from urisieve.codes import Reason
from urisieve.syntax.components import Components, recompose

LINK = "http://u@example.com:81/a?b#c"


@pytest.mark.parametrize(
    ("text", "changes", "uri"),
    [
        (LINK, {}, LINK),
        (LINK, {"scheme": "https"}, "https://u@example.com:81/a?b#c"),
        (LINK, {"userinfo": None}, "http://example.com:81/a?b#c"),
        (LINK, {"host": "B\u00fccher.example"}, "http://u@xn--bcher-kva.example:81/a?b#c"),
        (LINK, {"host": "[::1]"}, "http://u@[::1]:81/a?b#c"),
        (LINK, {"port": "80"}, "http://u@example.com/a?b#c"),
        (LINK, {"port": ""}, "http://u@example.com/a?b#c"),
        (LINK, {"path": "/d/../%7ee", "query": None, "fragment": None}, "http://u@example.com:81/~e"),
        (LINK, {"path": ""}, "http://u@example.com:81/?b#c"),
        (LINK, {"query": "", "fragment": ""}, "http://u@example.com:81/a?#"),
        (LINK, {"scheme": "mailto", "userinfo": None, "host": None, "port": None, "path": "a@b.c"}, "mailto:a@b.c?b#c"),
        ("mailto:a@b.example", {"query": "subject=x"}, "mailto:a@b.example?subject=x"),
        ("urn:isbn:0395363411", {"path": "isbn:0-306-40615-2"}, "urn:isbn:0306406152"),
        ("urn:a:b", {"path": "a:b?c"}, "urn:a:b?c"),
    ],
)
def test_a_component_is_changed(text: str, changes: dict[str, Any], uri: str) -> None:
    record = parse(text)
    made = record.replace(**changes)
    assert isinstance(made, Record)
    assert made.uri == parse(made.raw).uri == uri
    assert dict(made) == dict(parse(made.raw))
    assert record.uri == parse(text).uri


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"path": "a"}, "with this path the identifier has other components"),
        ({"path": "/a?b"}, "with this path"),
        ({"path": "/a#b"}, "with this path"),
        ({"query": "a#b"}, "with this query"),
        ({"host": "a/b"}, "with this host"),
        ({"host": "a.example:80"}, "with this host"),
        ({"host": "u@a.example"}, None),
        ({"host": None}, "with this host"),
        (
            {"host": None, "userinfo": None, "port": None, "path": "//a/b"},
            "with this host and userinfo and port and path",
        ),
        ({"userinfo": "a@b"}, "with this userinfo"),
        ({"userinfo": "a/b"}, "with this userinfo"),
        ({"port": "8/"}, "with this port"),
        ({"scheme": "a:b"}, "with this scheme"),
        ({"scheme": ""}, "with this scheme"),
        ({"scheme": None}, "scheme is NoneType: give text"),
        ({"path": None}, "path is NoneType: give text"),
        ({"port": 80}, "port is int: give text"),
        ({"query": b"a"}, "query is bytes: give text"),
        ({"hots": "a.example"}, "no component 'hots'; did you mean 'host'"),
        ({"uri": "http://a.example/"}, "no component 'uri'"),
    ],
)
def test_what_makes_another_identifier_is_refused(changes: dict[str, Any], message: str | None) -> None:
    with pytest.raises(UsageError if message else InvalidIdentifierError, match=message):
        parse(LINK).replace(**changes)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"path": "/%zz"}, Reason.BAD_PERCENT_ENCODING),
        ({"path": "/a b"}, Reason.ILLEGAL_CHARACTER),
        ({"fragment": "a "}, Reason.ILLEGAL_CHARACTER),
        ({"port": "8a"}, Reason.BAD_PORT),
        ({"scheme": "1"}, Reason.BAD_SCHEME),
        ({"host": "[::g]"}, Reason.BAD_IP_LITERAL),
    ],
)
def test_what_is_not_valid_is_refused(changes: dict[str, Any], reason: Reason) -> None:
    with pytest.raises(InvalidIdentifierError) as caught:
        parse(LINK).replace(**changes)
    assert caught.value.rejection.reason is reason
    assert isinstance(caught.value.rejection.raw, str)


def test_a_urn_has_the_components_of_its_syntax() -> None:
    with pytest.raises(UsageError, match="with this query"):
        parse("urn:a1:b").replace(query="=c")
    newer = Options(urn_syntax="rfc8141")
    assert parse("urn:a1:b", options=newer).replace(query="=c", fragment="d", options=newer).uri == "urn:a1:b?=c#d"
    with pytest.raises(InvalidIdentifierError):
        parse("urn:a1:b").replace(path="a")


def test_it_is_judged_by_the_options() -> None:
    text = "HTTP://EXAMPLE.com:80/%7Ea"
    options = Options(level="none")
    assert parse(text, options=options).replace(path="/%7Eb", options=options).uri == "HTTP://EXAMPLE.com:80/%7Eb"
    assert parse(text).replace(path="/%7Eb").uri == "http://example.com/~b"


def test_no_password_is_in_the_message() -> None:
    with pytest.raises(UsageError) as caught:
        parse("http://u:secret@a.example/").replace(userinfo="u:other@", path="x")
    assert "secret" not in str(caught.value)
    assert "other@" not in str(caught.value)


def test_where_a_link_was_found_does_not_count() -> None:
    (found,) = extract("see <http://a.example/b> now")
    made = found.replace(path="/c")
    assert (made.raw, made.start, made.end, made.wrapper, made.line) == ("http://a.example/c", 0, 18, None, 1)


@examples(300)
@given(first=identifiers(), second=identifiers(), names=st.sets(st.sampled_from(Components._fields)))
def test_it_is_what_the_components_make(first: str, second: str, names: set[str]) -> None:
    one, other = check(first), check(second)
    if not one or not other:
        return
    changes = {name: getattr(other, name) for name in names}
    text = recompose(one.components._replace(**changes))
    try:
        made = one.replace(**changes)
    except InvalidIdentifierError:
        assert not check(text)
    except UsageError:
        found = check(text)
        assert not found or found.components != one.components._replace(**changes)
    else:
        assert dict(made) == dict(parse(text))
