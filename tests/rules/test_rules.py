"""Rows in options: they hold for one search, add to what is known, and replace nothing."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stockroom import SHELF, STOCK
from tests.helpers.strategies import link_texts
from urisieve import (
    Namespace,
    Options,
    Record,
    Rejection,
    Scanner,
    Scheme,
    UsageError,
    check,
    equivalent,
    extract,
    extract_files,
    key,
    normalize,
    parse,
    sieve,
)
from urisieve.codes import Notice, Warn
from urisieve.rules.scheme_table import scheme_rule
from urisieve.rules.table import KNOWN_RULES, namespace_rule, rules_of
from urisieve.streams import extract_keys
from urisieve.types import Authority, Components

BOTH = Options(rules=(SHELF, STOCK))


def _host_form(parts: Components) -> Components:
    return parts._replace(path=parts.path.lower())


def _compared(parts: Components) -> Components:
    return parts._replace(query=None)


def _noticed(_parts: Components) -> tuple[Notice, ...]:
    return (Notice(Warn.SCRIPT, "store"),)


def _inner(parts: Components) -> str | None:
    return parts.query


STORE = Scheme(
    "store",
    "a store",
    "here",
    dns=True,
    root=True,
    default_port="7",
    drops_port=True,
    form=_host_form,
    compared=_compared,
    check=_noticed,
    inner=_inner,
)
TEXT = "at SHELF:North/07 and store://ü.example:7?u:x, urn:x-stock:2024-000137-9 tel:+1-2 http://E.example a:b"


def _uris(text: str, **arguments: Any) -> list[str]:
    return [found.uri for found in extract(text, options=Options(**arguments))]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "store://%C3%BC.example:7?u:x urn:x-stock:2024-000137-9 tel:+12 http://e.example/"),
        (
            {"rules": SHELF},
            "shelf:north/7 store://%C3%BC.example:7?u:x urn:x-stock:2024-000137-9 tel:+12 http://e.example/",
        ),
        (
            {"rules": [SHELF, STORE, STOCK]},
            "shelf:north/7 store://xn--tda.example/?u:x urn:x-stock:20240001379 tel:+12 http://e.example/",
        ),
        ({"schemes": SHELF}, "shelf:north/7"),
        ({"schemes": [SHELF, "tel"]}, "shelf:north/7 tel:+12"),
        ({"schemes": [STORE], "rules": [STOCK]}, "store://xn--tda.example/?u:x"),
        ({"schemes": ["urn"], "rules": [STOCK]}, "urn:x-stock:20240001379"),
        ({"schemes": "registered", "rules": [SHELF]}, "urn:x-stock:2024-000137-9 tel:+12 http://e.example/"),
        (
            {"schemes": "registered", "rules": [SHELF], "known_schemes": ["shelf"]},
            "shelf:north/7 urn:x-stock:2024-000137-9 tel:+12 http://e.example/",
        ),
        (
            {"rules": [SHELF], "exclude_schemes": ["shelf", "store"]},
            "urn:x-stock:2024-000137-9 tel:+12 http://e.example/",
        ),
    ],
)
def test_rows_add_to_what_is_found(arguments: Mapping[str, Any], expected: str) -> None:
    assert _uris(TEXT, **arguments) == expected.split()
    options = Options(**arguments)
    whole = [(one.start, one.end) for one in sieve(TEXT, options=options)]
    scanner = Scanner(options)
    cut = [one for character in TEXT for one in scanner.feed(character)] + scanner.close()
    assert [(one.start, one.end) for one in cut] == whole
    assert list(extract_keys(TEXT, options=options)) == [one.key for one in extract(TEXT, options=options)]


@pytest.mark.parametrize("name", ["x+y.9-", "q", "a-", "zz9", "x.y"])
def test_any_name_of_a_scheme_is_found_by_its_shape(name: str) -> None:
    options = Options(rules=Scheme(name, "a", "b", shape="[0-9]{2}"))
    text = f"({name}:12), {name}:x {name.upper()}:34/a <tel:+12345> http://e.example/ :56"
    assert [one.raw for one in extract(text, options=options)] == [
        f"{name}:12",
        f"{name.upper()}:34/a",
        "tel:+12345",
        "http://e.example/",
    ]


def test_rows_hold_for_their_search_alone() -> None:
    assert equivalent("shelf:a1/2", "SHELF:A1/02") is False
    for _ in range(2):
        assert isinstance(check("shelf:-"), Record)
        assert isinstance(check("shelf:-", options=BOTH), Rejection)
        assert normalize("Store://A.b:7/C") == "store://a.b:7/C"
        assert normalize("Store://A.b:7/C", options=Options(rules=STORE)) == "store://a.b/c"
        assert key("urn:x-stock:2024-000137-8") != key("urn:x-stock:20240001378")
        assert equivalent("urn:x-stock:2024-000137-8", "urn:x-stock:20240001378", options=BOTH)


def test_all_rungs_and_steps_of_merging_ask_the_row() -> None:
    options = Options(rules=STORE, merge=["strip-www", "numeric-port"])
    assert normalize("store://www.a.example:007/", options=options) == "store://a.example/"
    assert normalize("STORE://A.b:7/C", "syntax", options=options) == "store://a.b:7/C"
    assert normalize("STORE://A.b:7/C", "none", options=Options(rules=STORE)) == "STORE://A.b:7/C"
    assert key("store://a.b/c?x", options=options) == key("store://a.b/c?y", options=options)


def _same(value: Any) -> Any:
    return value


def _pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


_WAYS: tuple[Callable[[Any], Any], ...] = (_same, copy.copy, copy.deepcopy, _pickled)


def test_records_know_their_rows() -> None:
    found = parse("STORE://xn--tda.example?u:x", options=Options(rules=STORE))
    item = parse("urn:x-stock:2024-000137-9", options=BOTH)
    place = parse("shelf:north/7", options=BOTH)
    for again in _WAYS:
        record, stock, shelf = again(found), again(item), again(place)
        assert (record.inner, record.iri) == ("u:x", "store://ü.example/?u:x")
        assert record.notices[-1] == Notice(Warn.SCRIPT, "store")
        assert stock.urn.number == "000137"
        assert again(stock.urn).check_digit == "9"
        assert stock.notices[-1] == Notice(Warn.WRONG_CHECK_DIGIT, "8")
        assert shelf.parts == shelf.with_bytes(1, 2).parts == {"store": "north", "rack": "7"}
        assert isinstance(shelf, Record)
        assert repr(shelf) == "<Record 'shelf:north/7' at 0:13>"
    plain = parse("shelf:north/7")
    assert (plain.parts, plain) == ({}, place)
    masked = parse("shelf:north/7", options=BOTH).masked(lambda _: "x")
    assert masked.parts == place.parts


def test_identifiers_in_others_know_their_rows() -> None:
    options = Options(rules=SHELF, nested="report")
    outer, inner = extract("http://e.example/?shelf:north/7", options=options)
    assert (outer.scheme, inner.parts) == ("http", {"store": "north", "rack": "7"})


def test_other_processes_are_given_the_rows(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(TEXT, "utf-8")
    alone, shared = ([*extract_files([file], options=BOTH, jobs=jobs)] for jobs in (1, 2))
    assert [(one.uri, one.parts, one.notices) for one in alone] == [(one.uri, one.parts, one.notices) for one in shared]
    assert alone[0].parts == {"store": "north", "rack": "7"}
    local = Scheme("local", "a", "b", form=lambda parts: parts)
    assert len(list(extract_files([file], options=Options(rules=local)))) == 4
    with pytest.raises(UsageError, match=r"not lambdas .* or use jobs=1"):
        list(extract_files([file], options=Options(rules=local), jobs=2))


def _given(**fields: Any) -> dict[str, Any]:
    """Fields that the type checker would not let pass."""
    return fields


class _Unhashable:
    """A function that no cache can hold."""

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, parts: Components) -> Components:
        return parts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": SHELF._replace(form=_Unhashable())}, "rules: it must be hashable, and so must each of its fields"),
        ({"rules": 5}, "rules=5 must be rows: Scheme(...) or Namespace(...)"),
        ({"rules": "shelf"}, "rules: 's' is not a row; use Scheme(...) or Namespace(...)"),
        ({"rules": ["shelf"]}, "rules: 'shelf' is not a row"),
        ({"rules": [SHELF, None]}, "rules: None is not a row"),
        ({"rules": Scheme("tel", "", "")}, "rules: urisieve has rules of its own for the scheme 'tel'; a row adds one"),
        ({"rules": Namespace(name="isbn")}, "rules: urisieve has rules of its own for the namespace 'isbn'"),
        ({"rules": [SHELF, SHELF._replace(dns=True)]}, "rules: there are two rows of the scheme 'shelf'; give one"),
        ({"rules": SHELF._replace(name="a b")}, "rules: name='a b' is not a scheme name in lower case (RFC 3986 3.1)"),
        ({"rules": SHELF._replace(syntax="(")}, "rules: syntax='(' is not a valid pattern: missing )"),
        ({"rules": SHELF._replace(**_given(form="x"))}, "rules: form='x' must be a function, or None"),
        ({"rules": SHELF._replace(**_given(same=[("a", "b")]))}, "must be a tuple of pairs of str"),
        ({"rules": SHELF._replace(**_given(same=("ab",)))}, "same=('ab',) must be a tuple of pairs of str"),
        ({"rules": SHELF._replace(**_given(same=(("a", "b", "c"),)))}, "must be a tuple of pairs of str"),
        ({"rules": SHELF._replace(**_given(same=(("a", 5),)))}, "must be a tuple of pairs of str"),
        ({"rules": SHELF._replace(default_port="x")}, "rules: default_port='x' must be digits, or None"),
        ({"rules": SHELF._replace(default_port="")}, "rules: default_port='' must be digits, or None"),
        ({"rules": SHELF._replace(default_port="٨")}, "rules: default_port='٨' must be digits, or None"),
        ({"rules": SHELF._replace(**_given(default_port=80))}, "rules: default_port=80 must be digits, or None"),
        (
            {"rules": SHELF._replace(**_given(authority="required"))},
            "authority='required' must be a member of Authority",
        ),
        ({"rules": SHELF._replace(name="Shelf")}, "rules: name='Shelf' is not a scheme name in lower case"),
        ({"rules": Namespace(name="X-a")}, "rules: name='X-a' is not a namespace identifier in lower case"),
        ({"rules": Namespace(name="urn")}, "rules: name='urn' is not a namespace identifier in lower case"),
        ({"rules": Namespace(**_given(name=5))}, "rules: name=5 is not a namespace identifier in lower case"),
        ({"rules": SHELF._replace(**_given(name=["a"]))}, "rules: name=['a'] is not a scheme name in lower case"),
        ({"rules": Namespace(name="a", title=5)}, "rules: title=5 must be str"),  # type: ignore[arg-type]
        ({"schemes": SHELF._replace(**_given(dns=1))}, "schemes: dns=1 must be True or False"),
        ({"schemes": [SHELF, 5]}, "schemes: '5' is not a scheme name"),
        ({"schemes": [STOCK]}, "is not a scheme name"),
        ({"schemes": [SHELF], "rules": [SHELF._replace(dns=True)]}, "two rows of the scheme 'shelf'"),
    ],
)
def test_a_wrong_row_is_said_on_construction(arguments: Mapping[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        Options(**arguments)


def test_options_with_rows_are_values() -> None:
    first = Options(rules=[STOCK, SHELF])
    assert first == BOTH == pickle.loads(pickle.dumps(BOTH))
    assert hash(first) == hash(BOTH)
    assert first != Options()
    assert Options(schemes=[SHELF]) == Options(schemes=["shelf"], rules=SHELF)
    assert dataclasses.replace(Options(schemes=SHELF), level="none").rules == (SHELF,)
    assert Options(rules=[SHELF, SHELF]).rules == (SHELF,)
    # What is built in may be given back, and says nothing new.
    assert Options(rules=[scheme_rule("tel"), namespace_rule("isbn"), scheme_rule("http")]) == Options()
    assert Options(schemes=[scheme_rule("tel")]) == Options(schemes=["tel"])
    assert rules_of(()) is KNOWN_RULES
    assert pickle.loads(pickle.dumps(rules_of(BOTH.rules))) is rules_of(first.rules)


NOTHING_NEW = (
    Scheme("foo", "nothing", "here"),
    Scheme("steam", "nothing", "here"),
    Scheme("x-y", "nothing", "here"),
    Namespace(name="example-2"),
    Namespace(name="c2pa"),
    Namespace(name="x-local"),
    Namespace(name="urn-99"),
)
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"schemes": "any"},
    {"schemes": "registered", "nested": "report"},
    {"level": "syntax", "email": "addresses", "schemeless": "www"},
    {"urn_syntax": "rfc8141", "merge": ["strip-www", "numeric-port", "sort-query"], "repair": "encode"},
    {"known_schemes": ["foo"], "exclude_schemes": ["tel"], "refang": "known-forms"},
    {"schemes": ["foo", "http", "urn"]},
)
_WORDS = st.sampled_from(
    (
        "foo://H:80/%7ea",
        "foo:b",
        "steam:1",
        "urn:c2pa:A%2f",
        "urn:x-local:a",
        "URN:urn-99:b?=c",
        "x-y://a@b/../c",
        "Ltd.foo://h",
    )
)


@given(st.one_of(link_texts(), st.lists(_WORDS).map(" ".join)), st.sampled_from(SETTINGS))
def test_rows_that_say_nothing_new_change_nothing(text: str, settings: dict[str, Any]) -> None:
    found = list(sieve(text, options=Options(**settings)))
    ruled = list(sieve(text, options=Options(rules=NOTHING_NEW, **settings)))
    assert [one.as_dict() for one in ruled] == [one.as_dict() for one in found]
    for one, other in zip(found, ruled, strict=True):
        if isinstance(one, Record) and isinstance(other, Record):
            assert (one.parts, one.inner, one.notices) == (other.parts, other.inner, other.notices)
        single, second = (
            check(one.raw, options=Options(**settings)),
            check(one.raw, options=Options(rules=NOTHING_NEW, **settings)),
        )
        assert single.as_dict() == second.as_dict()


# What each field of a row asks for, and what holds without it.
FIELDS = [
    ({}, "plain://a..b/", "plain://a..b/ unregistered-scheme"),
    ({"dns": True}, "plain://a..b/", "plain://a..b/ unregistered-scheme host-not-ldh"),
    ({"dns": True, "strict": True}, "plain://a..b/", "host-label"),
    ({}, "plain://h", "plain://h unregistered-scheme"),
    ({"root": True}, "plain://h", "plain://h/ unregistered-scheme"),
    ({"default_port": "1"}, "plain://h:1/", "plain://h:1/ unregistered-scheme"),
    ({"default_port": "1", "drops_port": True}, "plain://h:1/", "plain://h/ unregistered-scheme"),
    ({}, "plain:/a/../b", "plain:/b unregistered-scheme"),
    ({"keeps_dots": True}, "plain:/a/../b", "plain:/a/../b unregistered-scheme"),
    ({}, "plain:%7e", "plain:~ unregistered-scheme"),
    ({"keeps_triplets": True}, "plain:%7e", "plain:%7e unregistered-scheme"),
    ({}, "plain:[::1]", "bracket-outside-host"),
    ({"bracketed": True}, "plain:[::1]", "plain:[::1] bracket-outside-host unregistered-scheme"),
    ({}, "plain:a#f", "plain:a#f unregistered-scheme"),
    ({"fragment": False}, "plain:a#f", "scheme-syntax"),
    ({"authority": Authority.REQUIRED}, "plain:a", "no-authority"),
    ({"authority": Authority.FORBIDDEN}, "plain://a", "scheme-syntax"),
]


@pytest.mark.parametrize(("fields", "text", "expected"), FIELDS)
def test_what_a_field_of_a_row_asks_for(fields: dict[str, Any], text: str, expected: str) -> None:
    found = check(text, options=Options(rules=Scheme("plain", "a", "b", **fields)))
    shown = found.reason if isinstance(found, Rejection) else " ".join([found.uri, *found.warnings])
    assert shown == expected
