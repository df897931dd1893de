"""`deduplicate`: keys of several fields, sets, strings that are no keys yet, and the fields of mappings (M2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.folders import ROOT
from tests.helpers.strategies import examples
from urisieve import KeySet, Options, Scheme, Store, UsageError, deduplicate, deduplicate_rows, key, parse

A, B, C = "http://a.example/", "http://b.example/", "urn:isbn:0395363411"
# Spellings, and nothing at all.
CELLS = st.sampled_from([A, "HTTP://A.example:80", B, "http://b.example", C, "URN:ISBN:0-395-36341-1", None])
PAGE = Options(merge="page")


@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ([(A, B), (B, A), (A, B)], [0, 1]),
        ([("HTTP://A.example", B), (A, "http://B.example:80")], [0]),
        ([(A, None), (None, A), (A, None), A], [0, 1, 3]),
        ([(A,), A, {A}, frozenset([A, "HTTP://A.example"]), parse("HTTP://A.example")], [0]),
        ([(None, None), (None, None), None, set(), ()], [0, 1, 2, 3, 4]),
        ([{A, B}, {B, "HTTP://A.example"}, (A, B)], [0, 2]),
        ([({A, B}, C), ({B, A}, C), (A, C), (B, C)], [0, 2, 3]),
        ([(parse(A), C), (A, parse(C))], [0]),
        ([{A: 1}.keys(), {A}], [0]),
        (["//a.example", "//a.example", "//A.example", "title", "Title", "title"], [0, 2, 3, 4]),
        (["a\n0b", {"a", "b"}, "a\n2b", ("a", "b")], [0, 1, 2, 3]),
    ],
)
def test_a_tuple_keeps_its_places_and_a_set_has_none(keys: list[Any], kept: list[int]) -> None:
    rows = list(enumerate(keys))
    assert [number for number, _ in deduplicate(rows, key=lambda row: row[1])] == kept
    # The last rows are the first ones of the other direction.
    backwards = [number for number, _ in deduplicate(rows[::-1], key=lambda row: row[1], keep="last")]
    assert backwards == kept[::-1]


@pytest.mark.parametrize("found", [[A], [], [A, B], iter([A]), 5, b"x", (A, [B]), ((A, B), C), (A, 5), {5}, {"a": A}])
def test_what_is_no_key_is_refused(found: Any) -> None:
    with pytest.raises(UsageError, match=r"a key must be .*a string"):
        list(deduplicate([1], key=lambda _: found))


@examples(200)
@given(st.lists(st.tuples(CELLS, CELLS), max_size=8))
def test_two_fields_are_two_keys(rows: list[tuple[str | None, str | None]]) -> None:
    first: dict[object, tuple[str | None, str | None]] = {}
    for number, row in enumerate(rows):
        pair = tuple(key(cell, default=None) for cell in row)
        first.setdefault(pair if any(pair) else number, row)
    expected = list(first.values())
    assert list(deduplicate(rows, key=lambda row: row)) == expected
    assert list(deduplicate(rows, key=lambda row: (key(row[0], default=None), key(row[1], default=None)))) == expected
    named = [{"a": one, "b": other} for one, other in rows]
    assert [(row["a"], row["b"]) for row in deduplicate(named, field=("a", "b"))] == expected


def test_strings_count_by_their_keys_under_the_options() -> None:
    texts = [
        "http://a.example/?utm_source=x",
        "https://a.example",
        "http://a.example/",
        "no identifier",
        "no identifier",
    ]
    assert list(deduplicate(texts, key=str)) == texts[:4]
    assert list(deduplicate(texts, key=str, options=PAGE)) == [texts[0], texts[3]]
    assert list(deduplicate(texts, options=PAGE)) == [texts[0], *texts[3:]]
    levels = ["http://a.example:80/", "http://a.example/", "HTTP://A.example/"]
    syntax = Options(level="syntax")
    assert list(deduplicate(levels, key=lambda text: key(text, options=syntax), options=syntax)) == levels[:2]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", [Options(), PAGE, Options(level="syntax"), Options(level="none")], ids=repr)
def test_a_key_is_its_own_key(options: Options) -> None:
    lines = (ROOT / "tests" / "golden" / "keys.tsv").read_text("utf-8").splitlines()[1:]
    keys = {key(line.partition("\t")[0], options=options, default="") for line in lines} - {""}
    assert len(keys) > 100
    assert [one for one in keys if key(one, options=options, default=one) != one] == []


def test_fields_are_those_of_the_command(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"n": 1, "url": A, "more": {"links": [B, C]}},
        {"n": 2, "url": "HTTP://A.example", "more": {"links": [C, B]}},
        {"n": 3, "url": A, "more": {"links": [B]}},
        {"n": 4, "url": "n/a", "more": {"links": []}},
        {"n": 5, "url": "n/a"},
        {"n": 6, "url": None, "more": {"links": []}},
        {"n": 7, "url": 5},
        {"n": 8, "url": ["", B, A]},
        {"n": 9, "url": [A, B]},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    fields: tuple[Any, ...] = ("url", ["url"], ("url", "more.links[]"), "more.links[]", ("more.links[]", "url"))
    for field in fields:
        for keep in ("first", "last"):
            deduplicate_rows(path, field, output=tmp_path / "kept.jsonl", keep=keep, input="jsonl")
            expected = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text("utf-8").splitlines()]
            assert list(deduplicate(rows, field=field, keep=keep)) == expected, (field, keep)


def test_a_missing_value_of_a_field_is_empty() -> None:
    rows: list[dict[str, Any]] = [{"a": A, "b": float("nan")}, {"a": A, "b": None}, {"a": "HTTP://A.example", "b": ""}]
    assert list(deduplicate(rows, field=("a", "b"))) == rows[:1]


def test_any_mapping_has_fields() -> None:
    rows: list[Mapping[str, str]] = [MappingProxyType({"url": A}), {"url": "http://A.example"}]
    assert list(deduplicate(rows, field="url")) == rows[:1]


MISUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: deduplicate([{"url": A}], field="ur1"), "field: no row has 'ur1'; the first row has 'url'"),
    (lambda: deduplicate([{"url": A}], field=("url", "b", "c")), "field: no row has 'b', 'c'; the first row has 'url'"),
    (lambda: deduplicate([A], field="url"), "a row must be a mapping, since field= is given"),
    (lambda: deduplicate([{"url": A}]), "a dict has no key of its own: give field=, the name of a field, or key="),
    (lambda: deduplicate([{"url": A}], field="url", key=str), "field= and key= are two ways"),
    (lambda: deduplicate([{"url": A}], field=[]), r"field=\[\] must be a name, or several"),
    (lambda: deduplicate({"url": A}, key=str), "must be a list of rows: give its values"),
    (lambda: deduplicate([A], options="page"), "options='page' must be Options"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "message"), MISUSED)
def test_misuse(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(call())


def test_no_rows_miss_no_field() -> None:
    assert list(deduplicate([], field="url")) == []
    assert list(deduplicate([{"url": None}, {"url": A}], field="url")) == [{"url": None}, {"url": A}]


def test_what_is_seen_is_the_same_by_each_way() -> None:
    seen = KeySet([A])
    assert list(deduplicate([{"url": "HTTP://A.example"}], field="url", seen=seen)) == []
    assert list(deduplicate(["HTTP://A.example"], seen=seen)) == []
    assert list(deduplicate([1], key=lambda _: "HTTP://A.example", seen=seen)) == []


ANCHORS = ["http://a.example/#x", "http://a.example/#y"]
OF_PAGES = [parse(text, options=PAGE) for text in ANCHORS]


def test_keys_for_a_store_are_made_by_its_options(tmp_path: Path) -> None:  # M9
    rows = [{"url": text} for text in ANCHORS]
    calls: list[tuple[Callable[..., Any], list[Any]]] = [
        (lambda **more: deduplicate(rows, field="url", **more), rows),
        (lambda **more: deduplicate(ANCHORS, **more), ANCHORS),
        (lambda **more: deduplicate(ANCHORS, key=str, **more), ANCHORS),
        (lambda **more: deduplicate(OF_PAGES, **more), OF_PAGES),
        (lambda **more: deduplicate([0, 1], key=OF_PAGES.__getitem__, **more), [0, 1]),
    ]
    for number, (call, every) in enumerate(calls):
        with Store(tmp_path / str(number), options=PAGE) as store:
            assert list(call(seen=store)) == every[:1]
            assert list(call(seen=store, options=PAGE)) == []
            with pytest.raises(UsageError, match="made by merge=rfc, those of the store by merge=page"):
                call(seen=store, options=Options())
            assert len(store) == 1


@pytest.mark.parametrize("key", [None, lambda record: record, lambda record: {record}, lambda record: (None, record)])
def test_records_of_other_options_do_not_enter_a_store(key: Any, tmp_path: Path) -> None:  # M9
    with Store(tmp_path / "store", options=PAGE) as store:
        with pytest.raises(UsageError, match="made by merge=rfc, those of the store by merge=page"):
            list(deduplicate(map(parse, ANCHORS), key=key, seen=store))
        assert len(store) == 0


def test_a_store_of_hosts_takes_no_whole_identifiers(tmp_path: Path) -> None:
    with Store(tmp_path / "store", by="host") as store:
        for options in (None, Options()):
            with pytest.raises(UsageError, match="made by by=key, those of the store by by=host"):
                deduplicate(ANCHORS, seen=store, options=options)
        hosts = [f"//{parse(text).host}" for text in ANCHORS]
        assert list(deduplicate([0, 1], key=hosts.__getitem__, seen=store)) == [0]


def test_a_store_keeps_the_rules_of_its_options(tmp_path: Path) -> None:
    ruled = Options(rules=Scheme(name="x-shelf", title="a shelf", reference="here", keeps_dots=True))
    links = ["x-shelf:a/../b", "X-SHELF:a/../b", "x-shelf:b"]
    with Store(tmp_path / "store", options=ruled) as store:
        assert list(deduplicate(links, seen=store)) == [links[0], links[2]]
        assert list(deduplicate([parse(link, options=ruled) for link in links], seen=store)) == []


# Keys of other options, by each way to a key.

HOSTS = "http://a.example/?utm_source=x"
WAYS: dict[str, Callable[[Any, dict[str, Any]], list[Any]]] = {
    "rows": lambda value, given: list(deduplicate([value, value], **given)),
    "field": lambda value, given: list(deduplicate([{"u": value}, {"u": value}], field="u", **given)),
    "list": lambda value, given: list(deduplicate([{"u": [value]}, {"u": {value}}], field="u", **given)),
    "key": lambda value, given: list(deduplicate([1, 2], key=lambda _: value, **given)),
    "tuple": lambda value, given: list(deduplicate([1, 2], key=lambda _: (value, None), **given)),
    "set": lambda value, given: list(deduplicate([1, 2], key=lambda _: {value}, **given)),
}
KINDS: dict[str, Options | None] = {"none": None, "default": Options(), "page": PAGE}


@pytest.mark.parametrize("way", WAYS)
def test_keys_of_other_options_are_refused(way: str, tmp_path: Path) -> None:
    for store in (None, "default", "page"):
        for name, options in KINDS.items():
            for made in ("text", "default", "page"):
                value: Any = HOSTS if made == "text" else parse(HOSTS, options=KINDS[made])
                given: dict[str, Any] = {} if options is None else {"options": options}
                kinds = {store, made, name} - {None, "text", "none"}
                cell = (store, name, made)
                with ExitStack() as held:
                    if store is not None:
                        given["seen"] = held.enter_context(
                            Store(tmp_path / "-".join(map(str, cell)), options=KINDS[store])
                        )
                    if len(kinds) > 1:
                        with pytest.raises(UsageError, match=r"made by merge=.*, those of .* by merge="):
                            WAYS[way](value, given)
                        continue
                    assert len(WAYS[way](value, given)) == 1, cell
                    if store is not None:
                        # The key is the one that the store gives to such a record.
                        record = parse(HOSTS, options=KINDS[store])
                        assert given["seen"].unseen([record]) == ([record] if way == "tuple" else []), cell


def test_a_field_may_be_a_record_a_set_or_bytes() -> None:
    values: list[Any] = [A, parse("HTTP://A.example"), b"http://a.example", [A], {A}, frozenset([parse(A)]), (A, A)]
    for value in values:
        rows = [{"u": A}, {"u": value}]
        assert list(deduplicate(rows, field="u")) == rows[:1], value
    pairs: list[dict[str, Any]] = [{"u": {A, parse(B)}}, {"u": [B, A]}, {"u": set()}, {"u": {5}}, {"u": {5}}]
    assert list(deduplicate(pairs, field="u")) == [pairs[0], *pairs[2:]]


def test_a_field_without_identifiers_keeps_all_rows() -> None:
    rows = [{"host": "a.example"}, {"host": "a.example"}]
    assert list(deduplicate(rows, field="host")) == rows
