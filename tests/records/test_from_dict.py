"""`Record.from_dict` and `Rejection.from_dict`: the inverse of `as_dict`, and of the lines that the command writes."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.folders import ROOT
from tests.helpers.strategies import identifiers
from urisieve import (
    InputError,
    Options,
    Record,
    Rejection,
    Scheme,
    Tally,
    UsageError,
    check,
    extract,
    extract_documents,
    parse,
    read_records,
    sieve,
    sieve_files,
    write_records,
)
from urisieve.records.base import RecordFields

EVERYTHING = Options(refang=True, email=True, repair=True, schemeless=True, nested=True)
SETTINGS = [None, EVERYTHING, Options(level="none"), Options(urn_syntax="rfc8141", merge=["strip-www"])]
RECORD = parse("http://joe@EXAMPLE.com:80/%7ea?b#c").as_dict()
REJECTION = check("http://example.com:80ab/").as_dict()


def _samples() -> list[str]:
    return [str(path) for path in sorted((ROOT / "samples").rglob("*")) if path.is_file() and path.suffix != ".pyc"]


def _is_inverse(found: Record | Rejection) -> bool:
    values = found.as_dict()
    copies = (values, json.loads(json.dumps(values)), pickle.loads(pickle.dumps(values)))
    return all(type(found).from_dict(copy).as_dict() == values for copy in copies)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("options", SETTINGS, ids=repr)
def test_it_is_the_inverse_for_all_samples(options: Options | None) -> None:
    seen = {Record: 0, Rejection: 0}
    for found in sieve_files(_samples(), options=options):
        assert _is_inverse(found), found
        seen[type(found)] += 1
    assert seen[Record] > 500
    assert seen[Rejection] > 5


@given(st.text(alphabet='htp:/.@urnmailo%20[]é \n<>"?#', max_size=60), st.sampled_from(SETTINGS))
def test_it_is_the_inverse_for_any_text(text: str, options: Options | None) -> None:
    found = [*sieve(f"{text} http://a.example/{text} urn:isbn:{text}", options=options), check(text, options=options)]
    assert all(map(_is_inverse, found))


@given(identifiers(), st.sampled_from(SETTINGS))
def test_it_is_the_inverse_for_any_identifier(text: str, options: Options | None) -> None:
    assert _is_inverse(check(text, options=options))


def _lines() -> Iterator[dict[str, Any]]:
    for path in (ROOT / "samples").rglob("*.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            values = json.loads(line)
            if "schema" in values:
                yield values


def test_it_reads_the_lines_that_the_command_writes() -> None:
    lines = list(_lines())
    assert len(lines) > 100
    for values in lines:
        kind = Rejection if "reason" in values else Record
        assert kind.from_dict(values).as_dict() == values


def test_the_ending_of_a_name_says_the_format(tmp_path: Path) -> None:
    records = list(extract("http://a.example/ urn:isbn:0395363411"))
    for name, begins in (("a.csv", b"schema,"), ("a.tsv", b"schema\t"), ("a.jsonl", b"{"), ("a.links", b"{")):
        assert write_records(records, tmp_path / name) == 2
        assert (tmp_path / name).read_bytes().startswith(begins)
        if name != "a.links":
            assert list(read_records(tmp_path / name)) == records
    (tmp_path / "b.csv").write_bytes((tmp_path / "a.jsonl").read_bytes().partition(b"\n")[0])
    with pytest.raises(InputError, match="names no columns `uri` and `key`"):
        list(read_records(tmp_path / "b.csv"))


def test_it_reads_what_read_records_reads(tmp_path: Path) -> None:
    path = tmp_path / "links.jsonl"
    records = list(extract("http://joe:pw@a.example/ urn:isbn:0395363411 http://xn--4ca.example/%C3%BC"))
    write_records(records, path)
    lines = [json.loads(line) for line in io.StringIO(path.read_text("utf-8"))]
    assert [record.as_dict() for record in read_records(path)] == lines
    assert [Record.from_dict(line).as_dict() for line in lines] == lines
    assert Record.from_dict({**lines[0], "new": True}).as_dict() == lines[0]  # as `dedupe` marks rows


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"uri": "http://a.example/", "key": "k"}'),
        ("a.jsonl", '{"uri": "http://a.example/", "key": "k", "raw": "", "start": null, "line": "", "source": ""}'),
        ("a.csv", "uri,key\nhttp://a.example/,k"),
        ("a.csv", "uri,key,raw,start,end,line,column,source,warnings,message,part\nhttp://a.example/,k,,,,,,,,,"),
    ],
)
def test_what_a_row_does_not_say(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(f"{text}\n")
    (record,) = read_records(tmp_path / name)
    assert record.fields == RecordFields("http://a.example/", "http://a.example/", "k")


def test_names_that_are_empty_stay() -> None:
    (record,) = extract_documents([("", "see http://a.example/")])
    assert record.source == ""
    assert Record.from_dict(record.as_dict()).source == ""


def test_equality_and_hash_are_those_of_the_record() -> None:
    record = parse("HTTP://example.com")
    again = Record.from_dict(record.as_dict())
    assert (again, hash(again), again.fields) == (record, hash(record), record.fields)
    assert again.components == record.components
    rejection = check("http://[/")
    assert isinstance(rejection, Rejection)
    assert Rejection.from_dict(rejection.as_dict()) == rejection


def test_schemes_of_ones_own() -> None:
    options = Options(rules=[Scheme("lake", "Lakes", "none", dns=True, same=(), different=())])
    record = parse("lake://xn--4ca.example/", options=options)
    assert record.iri == "lake://ä.example/"
    with pytest.raises(UsageError, match=r"iri='lake://ä.example/' does not fit .* unless rules of options= decide it"):
        Record.from_dict(record.as_dict())
    assert Record.from_dict(record.as_dict(), options=options).as_dict() == record.as_dict()


@pytest.mark.parametrize("name", RECORD)
def test_a_field_that_is_missing_is_named(name: str) -> None:
    with pytest.raises(UsageError, match=f"lacks '{name}'"):
        Record.from_dict({key: value for key, value in RECORD.items() if key != name})


@pytest.mark.parametrize("name", REJECTION)
def test_a_field_of_a_rejection_that_is_missing_is_named(name: str) -> None:
    with pytest.raises(UsageError, match=f"lacks '{name}'"):
        Rejection.from_dict({key: value for key, value in REJECTION.items() if key != name})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hots": "x"}, "a Record has no field 'hots'; did you mean 'host'"),
        ({5: "x"}, "a Record has no field 5"),
        ({"schema": 4}, "is of schema 4; this version reads 5: extract it anew"),
        ({"schema": None}, "is of schema None"),
        ({"host": "other.example"}, "host='other.example' does not fit .* by which it is 'example.com'"),
        ({"iri": "x:y"}, "iri='x:y' does not fit"),
        ({"kind": "urn"}, "kind='urn' does not fit"),
        ({"uri": 5}, "uri and key of a Record are strings"),
        ({"key": None}, "uri and key of a Record are strings"),
        ({"start": "4"}, "start='4' does not fit"),
        ({"start": "four"}, "the mapping is not a record of urisieve: invalid literal"),
        ({"start": [1]}, "the mapping is not a record of urisieve"),
        ({"warnings": ["no such"]}, "'no such' is not a valid Warn"),
        ({"warnings": "refanged"}, "warnings='refanged' does not fit"),
        ({"warnings": 5}, "the mapping is not a record of urisieve"),
        ({"raw": None}, "raw=None does not fit"),
        *(({name: None}, f"{name}=None does not fit") for name in ("start", "end", "line", "column", "warnings")),
        ({"uri": "http://b.example/"}, "does not fit"),
    ],
)
def test_values_that_are_not_those_of_a_record(changes: dict[Any, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Record.from_dict({**RECORD, **changes})


def test_a_urn_whose_parts_are_not_its_own() -> None:
    values = parse("urn:isbn:0395363411").as_dict()
    with pytest.raises(UsageError, match="path='isbn:5', query and fragment do not make the uri 'urn:isbn:0395363411'"):
        Record.from_dict({**values, "path": "isbn:5"})
    with pytest.raises(UsageError, match="path=None does not fit"):
        Record.from_dict({**values, "path": None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"why": "x"}, "a Rejection has no field 'why'"),
        ({"reason": "bad-prot"}, "'bad-prot' is not a valid Reason"),
        ({"component": None}, "None is not a valid Component"),
        ({"offset": "21"}, "offset='21' does not fit"),
        *(({name: None}, f"{name}=None does not fit") for name in ("offset", "start", "end", "line", "column")),
        ({"raw": None}, "raw must be a string"),
        ({"section": 5}, "section must be a string or null, not int"),
        ({"schema": 1}, "is of schema 1"),
    ],
)
def test_values_that_are_not_those_of_a_rejection(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Rejection.from_dict({**REJECTION, **changes})


@pytest.mark.parametrize("values", [None, "{}", b"{}", [], 5])
def test_what_is_no_mapping(values: Any) -> None:
    for kind in (Record, Rejection):
        with pytest.raises(UsageError, match=f"values=.* must be a mapping of the fields of a {kind.__name__}"):
            kind.from_dict(values)


@pytest.mark.parametrize("name", ["raw", "source", "wrapper", "message_id", "part", "field", "alternatives", "start"])
@pytest.mark.parametrize(
    "value", [b"x", 1.5, float("inf"), ["x", None], {"a": 1}, {1}, object()], ids=lambda value: type(value).__name__
)
def test_values_of_other_types_are_refused(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"{name}|float infinity|is not a string|not iterable|int\\(\\)"):
        Record.from_dict(RECORD | {name: value})
    if name in REJECTION:
        with pytest.raises(UsageError, match=f"{name}|float infinity|int\\(\\)"):
            Rejection.from_dict(REJECTION | {name: value})


@pytest.mark.parametrize("uri", ["", "x", "//a.example/", "\ud800", "1:x"])
def test_a_uri_without_a_scheme_is_refused(uri: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no scheme"):
        Record.from_dict(RECORD | {"uri": uri})
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"uri": uri, "key": uri}) + "\n" + json.dumps(RECORD) + "\n")
    tally = Tally()
    assert [record.uri for record in read_records(str(path), tally=tally)] == [RECORD["uri"]]
    assert sum(tally.broken.values()) == 1
