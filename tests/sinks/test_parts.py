"""Named parts and expected check digits as fields of what is written: `--parts`, `as_dict(parts=True)`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given

from tests.helpers.cli_support import call
from tests.helpers.strategies import link_texts
from urisieve import Options, Record, Rejection, UsageError, check, extract, read_records, sieve, write_records
from urisieve.options import Format
from urisieve.sinks import FormatSettings
from urisieve.sinks.record_formats import record_format

TEXT = (
    "ISBN 978-0-395-36341-6, tel:+1-201-555-0123;ext=5 urn:isbn:0-395-36341-2 doi:10.1000/182 "
    "urn:nbn:de:101:1-2 http://e.example/ ISBN 0-395-36341-2 http://e:x/"
)
PARTS = [
    {
        "isbn": "9780395363416",
        "check_digit": "6",
        "isbn_13": "9780395363416",
        "isbn_10": "0395363411",
        "prefix_element": "978",
        "registration_group": "0",
        "registrant": "395",
        "publication": "36341",
    },
    {"number": "+12015550123", "extension": "5"},
    {"isbn": "0395363412", "check_digit": "2", "registration_group": "0", "registrant": "395", "publication": "36341"},
    {"prefix": "10.1000", "suffix": "182"},
    {"country_code": "de", "sub_namespace": "101:1", "nbn_string": "2"},
    {},
]
NOTICES = [
    [{"warn": "scheme-assumed", "detail": ""}],
    [],
    [{"warn": "wrong-check-digit", "detail": "1"}],
    [],
    [],
    [],
]
OPTIONS = Options(bare="isbn")


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "a.txt").write_text(TEXT)
    return str(tmp_path / "a.txt")


def test_as_dict() -> None:
    for value in sieve(TEXT, options=OPTIONS):
        plain, whole = value.as_dict(), value.as_dict(parts=True)
        added = {name: whole.pop(name) for name in [*whole] if name not in plain}
        assert list(whole) == list(plain)
        assert whole == plain
        assert list(added) == (["parts", "notices"] if isinstance(value, Record) else ["notices"])
    records = [record.as_dict(parts=True) for record in extract(TEXT, options=OPTIONS)]
    assert [row["parts"] for row in records] == PARTS
    assert [row["notices"] for row in records] == NOTICES
    (wrong,) = [one for one in sieve(TEXT, options=OPTIONS) if isinstance(one, Rejection) and one.notices]
    assert wrong.as_dict(parts=True)["notices"] == [{"warn": "wrong-check-digit", "detail": "1"}]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("more", [[], ["--unique"], ["--jobs", "2"]])
def test_extract_as_json_lines(path: str, tmp_path: Path, more: list[str]) -> None:
    argv = ["extract", "--format", "jsonl", "--accept", "isbn", path]
    rejected = str(tmp_path / "rejected")
    rows = call(*argv, *more, "--parts", "--rejected", rejected).rows
    assert [row.pop("parts") for row in rows] == PARTS
    assert [row.pop("notices") for row in rows] == NOTICES
    assert rows == call(*argv, *more).rows
    lines = [json.loads(line) for line in Path(rejected).read_text().splitlines()]
    assert [row["notices"] for row in lines] == [[{"warn": "wrong-check-digit", "detail": "1"}], []]


@pytest.mark.parametrize(("kind", "dialect"), [("csv", "excel"), ("tsv", "excel-tab")])
def test_extract_as_a_table(path: str, kind: str, dialect: str) -> None:
    argv = ["extract", "--format", kind, "--accept", "isbn", path]
    header, *rows = csv.reader(io.StringIO(call(*argv, "--parts").out.decode()), dialect=dialect)
    before = list(csv.reader(io.StringIO(call(*argv).out.decode()), dialect=dialect))
    assert header == [*before[0], "parts", "notices"]
    assert [row[:-2] for row in rows] == before[1:]
    assert [json.loads(row[-2]) for row in rows] == PARTS
    assert [json.loads(row[-1]) for row in rows] == NOTICES


def test_parts_go_together_with_fields(path: str) -> None:
    argv = ["extract", "--format", "jsonl", "--accept", "isbn", path]
    expected = [{"notices": notices, "parts": parts} for notices, parts in zip(NOTICES, PARTS, strict=True)]
    for more in (["--fields", "notices,parts"], ["--fields", "notices", "--parts"]):
        rows = call(*argv, *more).rows
        assert rows == expected
        assert list(rows[0]) == ["notices", "parts"]
    assert list(call(*argv, "--fields", "uri", "--parts").rows[0]) == ["uri", "parts", "notices"]
    text = call("extract", "--accept", "isbn", "--template", "{nid} {parts}", path).lines[0]
    assert text == f"isbn {json.dumps(PARTS[0], separators=(',', ':'))}"


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    records = list(extract(TEXT, options=OPTIONS))
    assert write_records(records, path, format="parquet", parts=True) == len(PARTS)
    table = parquet.read_table(path)
    assert table.column_names[-2:] == ["parts", "notices"]
    assert [dict(parts) for parts in table.column("parts").to_pylist()] == PARTS
    assert table.column("notices").to_pylist() == NOTICES
    assert list(read_records(path)) == records


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv"])
def test_what_is_written_with_parts_is_read_back(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    records = list(extract(TEXT, options=OPTIONS))
    write_records(records, path, format=kind, parts=True)
    assert [record.fields for record in read_records(path)] == [record.fields for record in records]


def test_check() -> None:
    texts = ["0-395-36341-1", "0-395-36341-2", "doi:10.1000/182"]
    rows = call("check", "--parts", "--format", "jsonl", "--accept", "isbn", *texts).rows
    assert rows == [json.loads(json.dumps(check(text, options=OPTIONS).as_dict(parts=True))) for text in texts]
    assert rows[1]["notices"] == [{"warn": "wrong-check-digit", "detail": "1"}]
    table = b"a\n0-395-36341-2\ndoi:10.1000/182\n"
    done = call(
        "check", "--parts", "--format", "jsonl", "--accept", "isbn", "--input", "csv", "--field", "a", stdin=table
    )
    assert [row["notices"] for row in done.rows] == [rows[1]["notices"], []]
    assert done.rows[1]["parts"] == PARTS[3]


def test_passwords_and_links_do_not_leave_in_parts() -> None:
    text = b"see sip:joe:secret@evil.example and view-source:http://evil.example/ and sip:evil.example"
    argv = ["extract", "--format", "jsonl", "--parts"]
    assert b"secret" not in call(*argv, stdin=text).out
    assert "secret" in json.dumps(call(*argv, "--show-passwords", stdin=text).rows[0]["parts"])
    for row in call(*argv, "--safe", "defang", "--fields", "parts", stdin=text).rows:
        assert "://" not in json.dumps(row)
        assert "evil.example" not in row["parts"].get("host", "")


@pytest.mark.parametrize(
    "argv", [["extract", "--parts"], ["check", "--parts"], ["check", "--parts", "--format", "text"]]
)
def test_misuse(argv: list[str]) -> None:
    done = call(*argv, stdin=b"http://e.example")
    assert (done.status, done.out) == (2, b"")
    assert "--parts adds fields to records" in done.err


def test_misuse_of_the_library() -> None:
    with pytest.raises(UsageError, match="parts are fields of whole records"):
        record_format(FormatSettings(Format.TEXT, parts=True))


@given(link_texts())
def test_every_record_has_parts_that_are_texts(text: str) -> None:
    for value in sieve(text):
        row = json.loads(json.dumps(value.as_dict(parts=True)))
        assert all(isinstance(part, str) for part in row.get("parts", {}).values())
        assert {notice["warn"] for notice in row["notices"]} == set(row.get("warnings", ()))
