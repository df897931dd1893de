"""Options: plain strings, checks on construction, and what each one changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from urisieve import (
    Options,
    Profile,
    ReadingOptions,
    Rejection,
    UrisieveError,
    UsageError,
    extract,
    parse,
    sieve,
)
from urisieve.codes import Reason, Warn
from urisieve.options import (
    BinaryFiles,
    EmailFinding,
    Level,
    MailParts,
    MergeStep,
    NestedFinding,
    Refang,
    Repair,
    SchemelessFinding,
    SchemePolicy,
    UrnSyntax,
)
from urisieve.sources.containers.folders import HiddenFiles, PathFilter

# C7: what True and False mean where a choice is on or off.
SWITCHES: list[tuple[type[Options | ReadingOptions | PathFilter], str, object, object]] = [
    (Options, "repair", Repair.OFF, Repair.ENCODE),
    (Options, "schemeless", SchemelessFinding.OFF, SchemelessFinding.NAMES),
    (Options, "email", EmailFinding.OFF, EmailFinding.ADDRESSES),
    (Options, "refang", Refang.OFF, Refang.KNOWN_FORMS),
    (Options, "nested", NestedFinding.OFF, NestedFinding.REPORT),
    (ReadingOptions, "mail_parts", MailParts.ONCE, MailParts.ALL),
    (ReadingOptions, "binary", BinaryFiles.SKIP, BinaryFiles.TEXT),
    (PathFilter, "hidden", HiddenFiles.SKIP, HiddenFiles.READ),
]


@pytest.mark.parametrize(("kind", "field", "off", "on"), SWITCHES)
def test_booleans_are_taken_where_a_choice_is_on_or_off(kind: Any, field: str, off: object, on: object) -> None:
    assert getattr(kind(**{field: True}), field) is on
    assert getattr(kind(**{field: False}), field) is off
    assert getattr(kind(**{field: str(on)}), field) is on
    with pytest.raises(UsageError, match=rf"{field}='no such' is not a choice; use one of .*, True, False"):
        kind(**{field: "no such"})


@pytest.mark.parametrize("field", ["schemes", "urn_syntax", "level", "charset", "positions", "max_length"])
def test_booleans_are_refused_where_there_is_more_to_choose(field: str) -> None:
    with pytest.raises(UsageError, match=field):
        Options(**_arguments(field, True))


def _arguments(name: str, value: Any) -> dict[str, Any]:
    return {name: value}


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("schemes", SchemePolicy),
        ("urn_syntax", UrnSyntax),
        ("level", Level),
        ("repair", Repair),
        ("schemeless", SchemelessFinding),
        ("email", EmailFinding),
        ("refang", Refang),
        ("nested", NestedFinding),
    ],
)
def test_plain_strings_become_members(field: str, kind: Any) -> None:
    for member in kind:
        for value in (member, str(member)):
            options = Options(**_arguments(field, value))
            assert getattr(options, field) is member
    with pytest.raises(UsageError, match=rf"{field}='no such' is not a choice; use one of '"):
        Options(**_arguments(field, "no such"))


def test_steps_of_merging_are_kept_in_one_order() -> None:
    options = Options(merge=["sort-query", "drop-fragment", "sort-query"])
    assert options.merge == Profile(["drop-fragment", "sort-query"])
    assert Options(merge="drop-fragment") == Options(merge=MergeStep.DROP_FRAGMENT) == Options(merge=["drop-fragment"])
    assert Options(merge="strip-www,drop-fragment") == Options(merge=["drop-fragment", "strip-www"])  # H3
    assert Options(bare=" isbn, doi") == Options(bare=["doi", "isbn"])
    for text in ("", "drop-fragment,", "drop-fragment strip-www"):
        with pytest.raises(UsageError, match="is neither a profile nor a step"):
            Options(merge=text)
    with pytest.raises(UsageError, match="merge='drop' is neither a profile nor a step"):
        Options(merge=["drop"])


def test_scheme_names_are_folded() -> None:
    assert Options(schemes=["HTTP", "foo:"]).schemes == {"http", "foo"}
    assert Options(exclude_schemes={"X+y.z-1"}).exclude_schemes == {"x+y.z-1"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"exclude_schemes": "http"}, "must be a collection of scheme names"),
        ({"known_schemes": "http"}, "must be a collection of scheme names"),
        ({"schemes": ["1a"]}, "is not a scheme name"),
        ({"schemes": [""]}, "is not a scheme name"),
        ({"schemes": ["a b"]}, "is not a scheme name"),
        ({"schemes": ["é"]}, "is not a scheme name"),
        ({"schemes": ["http\n"]}, "is not a scheme name"),
        ({"max_length": 63}, "at least 64"),
        ({"max_length": "64"}, "at least 64"),
        ({"max_length": None}, "at least 64"),
        ({"max_length": True}, "at least 64"),
        ({"max_length": 64.0}, "at least 64"),
        ({"max_length": 67_108_865}, "at most 67108864"),  # H6: the kernel holds sizes in 32 bits
        ({"max_length": 1 << 32}, "at most 67108864"),
        ({"max_length": 1 << 64}, "at most 67108864"),
        ({"schemes": "http"}, "schemes='http' is not a choice"),
        ({"schemes": 5}, "schemes"),
        ({"schemes": None}, "schemes"),
        ({"schemes": []}, "schemes names none, so that nothing can be found: leave it out, or name some"),
        (
            {"schemes": ["web", "mailto"]},
            "schemes: 'web' is a policy, not a scheme: give schemes='web' alone, or name the schemes: ftp, http, ",
        ),
        (
            {"schemes": {"Default"}},
            "schemes: 'default' is a policy, not a scheme: give schemes='default' alone, or name",
        ),
        (
            {"exclude_schemes": ["web"]},
            "exclude_schemes: 'web' is a policy, not a scheme: name the schemes: ftp, http, https, ws, wss",
        ),
        ({"known_schemes": 5}, "known_schemes"),
        ({"merge": 5}, "merge"),
        ({"level": None}, "level"),
    ],
)
def test_misuse_is_said_on_construction(arguments: Mapping[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        Options(**arguments)
    assert isinstance(caught.value, UrisieveError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "arguments",
    [
        {"protect": []},
        {"protect": ()},
        {"protect": set()},
        {"known_schemes": []},
        {"exclude_schemes": []},
        {"merge": []},
        {"bare": []},
        {"max_length": 65_536},
    ],
)
def test_empty_collections_are_the_default(arguments: Mapping[str, Any]) -> None:
    assert Options(**arguments) == Options()
    assert hash(Options(**arguments)) == hash(Options())


def test_options_are_frozen_keyword_only_and_hashable() -> None:
    options = Options()
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.level = Level.NONE  # type: ignore[misc]
    with pytest.raises(TypeError):
        Options("any")  # type: ignore[call-arg]
    assert options == Options(level="scheme")
    assert hash(Options(schemes=["a", "b"])) == hash(Options(schemes={"b", "a"}))
    assert dataclasses.replace(options, level="none").level is Level.NONE


def _uris(text: str, **arguments: Any) -> list[str]:
    return [found.uri for found in extract(text, options=Options(**arguments))]


def test_the_longest_candidate() -> None:
    """By default 65,536 characters, and no less than 64."""
    for options, most in ((Options(), 65_536), (Options(max_length=64), 64)):
        link = "http://a.example/".ljust(most, "x")
        assert [value.raw for value in sieve(f"see {link} http://b.example/", options=options)] == [
            link,
            "http://b.example/",
        ]
        first, *_ = sieve(f"see {link}x http://b.example/", options=options)
        assert isinstance(first, Rejection)
        assert first.reason == Reason.TOO_LONG
    with pytest.raises(UsageError, match="max_length=63 must be"):
        Options(max_length=63)
    assert _uris("see http://a.example/", max_length=67_108_864) == ["http://a.example/"]


def test_which_schemes_count() -> None:
    text = "zzz://h/ std::string a:b aa:b INFO:root:x http://h/ urn:a:b"
    assert _uris(text) == ["zzz://h/", "http://h/", "urn:a:b"]
    assert _uris(text, schemes="registered") == ["http://h/", "urn:a:b"]
    assert _uris(text, schemes=["a", "zzz"])[:2] == ["zzz://h/", "a:b"]
    assert _uris(text, schemes="registered", known_schemes=["zzz"]) == ["zzz://h/", "http://h/", "urn:a:b"]
    assert _uris(text, exclude_schemes=["HTTP"]) == ["zzz://h/", "urn:a:b"]
    assert "aa:b" in _uris(text, schemes="any")
    assert "a:b" not in _uris(text, schemes="any")  # `C:/`, `%s://`


def test_known_schemes_do_not_warn() -> None:
    assert Warn.UNREGISTERED_SCHEME in parse("zzz://h").warnings
    assert Warn.UNREGISTERED_SCHEME not in parse("zzz://h", options=Options(known_schemes=["zzz"])).warnings


def test_white_space_in_angle_brackets_is_removed() -> None:
    text = "<http://a.example/b c> <http://a.example/d\n e>"
    assert _uris(text) == ["http://a.example/bc", "http://a.example/de"]


def test_schemeless_and_email_are_off() -> None:
    text = "www.a.example/b, me@b.example; mailto:you@c.example"
    assert _uris(text) == ["mailto:you@c.example"]
    assert _uris(text, schemeless="www", email="addresses") == [
        "http://www.a.example/b",
        "mailto:me@b.example",
        "mailto:you@c.example",
    ]
    first = next(extract(text, options=Options(schemeless="www")))
    assert Warn.SCHEME_ASSUMED in first.warnings


def test_repair() -> None:
    text = "http://a.example/{b}|[c]%zz "
    assert _uris(text, repair="encode") == ["http://a.example/%7Bb%7D%7C%5Bc%5D%25zz"]
    (found,) = extract(text, options=Options(repair="encode"))
    assert Warn.REPAIRED in found.warnings
    assert found.raw == text.rstrip()


def test_nested() -> None:
    text = "http://a.example/http://b.example/c"
    assert _uris(text) == [text]
    outer, inner = extract(text, options=Options(nested="report"))
    assert (outer.raw, inner.raw) == (text, "http://b.example/c")
    assert text[inner.start : inner.end] == inner.raw
    assert inner.column == inner.start + 1
    assert Warn.NESTED in inner.warnings


def test_zones() -> None:
    text = "http://[fe80::1%25eth0]/"
    (found,) = sieve(text)
    assert isinstance(found, Rejection)
    assert found.reason is Reason.ZONE_IDENTIFIER


def test_urn_syntax() -> None:
    text = "urn:example:a?+r?=q#f"
    found = parse(text, options=Options(urn_syntax="rfc8141"))
    assert (found.uri, found.key) == (text, "urn:example:a")
    assert (found.nss, found.query, found.fragment) == ("a", "+r?=q", "f")
    assert Warn.RESERVED_CHARACTER in parse(text).warnings


@pytest.mark.parametrize(
    ("step", "given", "expected"),
    [
        (MergeStep.DROP_FRAGMENT, "http://a.example/?b#c", "http://a.example/?b"),
        (MergeStep.SORT_QUERY, "http://a.example/?b=2&a=1", "http://a.example/?a=1&b=2"),
        (MergeStep.DROP_TRACKING, "http://a.example/?utm_source=x&b=2&GCLID=1", "http://a.example/?b=2"),
        (MergeStep.DROP_TRACKING, "http://a.example/?utm_source=x", "http://a.example/"),
        (MergeStep.DROP_TRACKING, "magnet:?xt=a&utm_source=x", "magnet:?xt=a&utm_source=x"),
        (MergeStep.DROP_TRACKING, "http://a.example/?", "http://a.example/?"),
        (MergeStep.SORT_QUERY, "magnet:?xt=b&xt=a", "magnet:?xt=b&xt=a"),
        (MergeStep.SORT_QUERY, "http://a.example/?", "http://a.example/?"),
        (MergeStep.STRIP_WWW, "http://www.a.example/", "http://a.example/"),
        (MergeStep.STRIP_WWW, "http://www.example/", "http://www.example/"),
        (MergeStep.NUMERIC_PORT, "http://a.example:0080/", "http://a.example/"),
        (MergeStep.NUMERIC_PORT, "http://a.example:00/", "http://a.example:0/"),
        (MergeStep.NUMERIC_PORT, "http://a.example:08/", "http://a.example:8/"),
        (MergeStep.ROOT_PATH, "foo://a.example?b", "foo://a.example/?b"),
        (MergeStep.ROOT_PATH, "foo:?b", "foo:?b"),
        (MergeStep.ISBN_13, "urn:isbn:0-395-36341-1", "urn:isbn:9780395363416"),
        (MergeStep.ISBN_13, "urn:isbn:0395363412", "urn:isbn:0395363412"),
        (MergeStep.ISBN_13, "urn:isbn:9780395363416", "urn:isbn:9780395363416"),
        (MergeStep.ISBN_13, "urn:x:0395363411", "urn:x:0395363411"),
    ],
)
def test_steps_of_merging_act_only_by_name(step: MergeStep, given: str, expected: str) -> None:
    assert parse(given, options=Options(merge=[step])).key == expected
    assert (parse(given).key == expected) == (given == expected)
