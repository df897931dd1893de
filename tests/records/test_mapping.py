"""A record and a rejection are mappings of their fields; a batch is a table of its records.  # M6"""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.folders import SAMPLES
from urisieve import (
    Batch,
    ReadingOptions,
    Record,
    Rejection,
    UsageError,
    check,
    extract,
    extract_batches,
    extract_files,
    parse,
    read_records,
    sieve,
    write_records,
)
from urisieve.records.base import CONTEXT_NAMES

TEXT = (
    "see <HTTP://u:pw@EXAMPLE.com:80/%7Ea?b#c>, urn:isbn:0-395-36341-2\nhttp://\u00fc.example/ (http://a-\nb.example/)"
    " http://[::1]/ mailto:a@b.example http://a.example:80ab/ http://b.example/100%zz"
)


def _found() -> Iterator[Record | Rejection]:
    yield from sieve(TEXT)
    yield parse("http://example.com/a")
    yield parse("urn:a:b?=c#d").masked()
    yield check("http://[a/")
    context = ReadingOptions(context=True)
    yield from list(extract_files([SAMPLES / "mail.mbox"], reading=context))[:3]
    yield from list(
        extract_files([SAMPLES / "data" / "links.csv"], reading=ReadingOptions(input="csv", field=["url"]))
    )[:2]


FOUND = list(_found())
# The attributes that have other names than their fields.
NAMES = {"time_written": "time_written", "from": "sender"}


def test_there_is_one_of_each_kind() -> None:
    assert {type(found) for found in FOUND} == {Record, Rejection}
    assert any("time" in found for found in FOUND)
    assert any(found["row"] for found in FOUND)


@pytest.mark.parametrize("found", FOUND, ids=range(len(FOUND)))
def test_it_is_a_mapping_of_its_attributes(found: Record | Rejection) -> None:
    assert isinstance(found, Mapping)
    values = dict(found)
    assert list(values) == list(found) == list(found.keys())
    assert len(found) == len(values)
    assert list(found.items()) == list(values.items()) == list(zip(found, found.values(), strict=True))
    assert {**found} == values == found.as_dict()
    for name, value in values.items():
        assert name in found
        assert found[name] == found.get(name) == value
        if name != "schema":
            attribute = getattr(found, NAMES.get(name, name))
            assert value == (list(attribute) if isinstance(attribute, tuple) else attribute)
    assert json.loads(json.dumps(found, default=dict)) == values
    assert type(found).from_dict(found) == found
    match found:
        case {"raw": raw, "start": start}:
            assert (raw, start) == (found.raw, found.start)
        case _:
            pytest.fail("it matches no mapping")


@pytest.mark.parametrize("found", FOUND, ids=range(len(FOUND)))
def test_what_it_was_it_is(found: Record | Rejection) -> None:
    assert bool(found) is isinstance(found, Record)
    assert found == copy.copy(found) == pickle.loads(pickle.dumps(found))
    assert {found: 1}[copy.deepcopy(found)] == 1
    assert found != dict(found)
    assert dict(found) != found
    for name in ("new", "parts", "domain", 0, *(() if "time" in found else CONTEXT_NAMES)):
        assert name not in found
        assert found.get(name, "none") == "none"
        with pytest.raises(KeyError):
            found[name]
    with pytest.raises(TypeError, match="item assignment"):
        found["raw"] = "x"  # type: ignore[index]


def test_the_parts_come_on_request() -> None:
    record, rejection = parse("urn:isbn:0-395-36341-2"), check("http://[a/")
    asked = record.as_dict(parts=True)
    assert asked == {**record, "parts": record.parts, "notices": [{"warn": "wrong-check-digit", "detail": "1"}]}
    assert rejection.as_dict(parts=True) == {**rejection, "notices": []}


def test_a_table_is_written_by_the_standard_library() -> None:
    records = list(extract(TEXT))
    file = io.StringIO()
    writer = csv.DictWriter(file, list(records[0]))
    writer.writeheader()
    writer.writerows(records)  # type: ignore[arg-type] # docs/python.md says why
    rows = list(csv.DictReader(io.StringIO(file.getvalue())))
    assert [row["uri"] for row in rows] == [record.uri for record in records]


def test_the_lines_of_a_file_are_the_mappings(tmp_path: Path) -> None:
    records = [found for found in FOUND if isinstance(found, Record) and found.userinfo is None and "time" not in found]
    write_records(records, tmp_path / "records.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text("utf-8").splitlines()]
    assert lines == list(map(dict, records))
    assert list(map(dict, read_records(tmp_path / "records.jsonl"))) == lines


def test_frames_are_made_of_records() -> None:
    pa, pd, pl = map(pytest.importorskip, ("pyarrow", "pandas", "polars"))
    records = [found for found in FOUND if isinstance(found, Record) and "time" not in found]
    frame = pd.DataFrame(records)
    assert set(frame.columns) == set(records[0])  # pandas 2 sorts those of mappings that are no `dict`
    assert frame["uri"].tolist() == [record.uri for record in records]
    assert pa.Table.from_pylist(records).column_names == list(records[0])
    assert pl.DataFrame(list(map(dict, records)))["host"].to_list() == [record.host for record in records]
    # A column of records stays one.
    assert pd.Series(records).tolist() == records
    assert pd.Series(["http://a.example/"]).map(check)[0] == check("http://a.example/")


def _batches() -> Iterator[tuple[str, Batch]]:
    (whole,) = extract_batches([TEXT])
    yield "whole", whole
    yield "selected", whole.select([2, 0])
    yield "joined", whole + whole
    yield "of records", Batch.of(list(whole))
    yield "pickled", pickle.loads(pickle.dumps(whole))
    yield "empty", Batch.joined([])
    yield "with a lone surrogate", Batch.of([parse("http://a.example/")]).replaced({"source": ["\udcff"]})
    context = ReadingOptions(context=True)
    yield "with times", Batch.of(list(extract_files([SAMPLES / "mail.mbox"], reading=context)))
    yield "mixed", Batch.of([found for found in FOUND if isinstance(found, Record)])


BATCHES = dict(_batches())


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_is_the_table_of_its_records(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    batch = BATCHES[name]
    table = pa.table(batch)
    assert table.num_rows == len(batch)
    records = list(batch)
    has_times = any("time" in record for record in records)
    assert ("time" in table.column_names) == has_times
    expected = [{name: record.get(name) for name in table.column_names} for record in records]
    if name == "with a lone surrogate":
        expected[0]["source"] = "\\udcff"  # which has no UTF-8
    assert table.to_pylist() == expected
    fullest = max(map(dict, records), key=len, default=dict(parse("a:b")))
    assert table.column_names == list(fullest)


@pytest.mark.parametrize("columns", [["uri"], ["host"], ["start", "warnings"], ["raw", "kind"], ["location"]])
def test_a_batch_has_the_fields_that_its_columns_make(columns: list[str]) -> None:
    pa = pytest.importorskip("pyarrow")
    (whole,) = extract_batches([TEXT])
    (batch,) = extract_batches([TEXT], columns=columns)
    names = pa.table(batch).column_names
    asked = {"message", "row"} if columns == ["location"] else {*columns}
    assert {"schema", "uri", "key", "host", *asked} <= {*names}
    assert ("raw" in names) == ("raw" in columns)
    assert pa.table(batch).to_pylist() == pa.table(whole).select(names).to_pylist()


def test_other_libraries_take_a_batch() -> None:
    pytest.importorskip("pyarrow")
    duckdb, pd, pl = map(pytest.importorskip, ("duckdb", "pandas", "polars"))
    (batch,) = extract_batches([TEXT])
    uris = [record.uri for record in batch]
    assert pl.DataFrame(batch)["uri"].to_list() == uris
    assert pd.DataFrame(batch)["uri"].tolist() == uris
    assert [uri for (uri,) in duckdb.sql("SELECT uri FROM batch").fetchall()] == uris


def test_without_pyarrow_a_batch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    batch: Any = BATCHES["whole"]
    with pytest.raises(UsageError, match=r"urisieve\[arrow\]"):
        batch.__arrow_c_stream__()
