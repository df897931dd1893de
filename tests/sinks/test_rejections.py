"""Rejections and faults of the input: as JSON lines, and as a table with the sentence, by the name of the file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import call
from urisieve import UsageError, check, sieve, sieve_into
from urisieve.options import Format
from urisieve.records.mask import Mask
from urisieve.sinks import FormatSettings, RecordSink, open_output
from urisieve.sinks.rejections import COLUMNS, RejectionLines

TEXT = (
    'see http://a.example:80ab/ and http://joe:pw@b.example/%zz,\n"http://ok.example/" <http://c.example/a"b>\n'
    "=x http://é.example:9x/=1+1\tISBN 0-395-36341-2\n"
)
REJECTED = [
    ("http://a.example:80ab/", "bad-port", "a port consists of digits only", "port", "19", "RFC 3986 3.2.3"),
    ("http://joe:***@b.example/%zz", "bad-percent-encoding", "`%` is not followed by two hexadecimal digits", "path"),
    ('http://c.example/a"b', "illegal-character", "a character that this component must not contain", "path", "18"),
    ("http://é.example:9x/=1+1", "bad-port", "a port consists of digits only", "port"),
    (
        "0-395-36341-2",
        "wrong-check-digit",
        "a number without a scheme whose check digit is not the one that the other digits require; expected 1",
    ),
]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, dialect="excel-tab" if path.suffix.lower() == ".tsv" else "excel"))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ["bad.csv", "bad.tsv", "BAD.TSV", "bad.csv.x.csv"])
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("more", [(), ("--unique",), ("--format", "jsonl"), ("--parts", "--format", "tsv")])
def test_rejections_are_a_table_with_the_sentence(name: str, jobs: str, more: tuple[str, ...], tmp_path: Path) -> None:
    for file in ("a.txt", "b.txt"):
        (tmp_path / file).write_text(TEXT, encoding="utf-8")
    path, lines = tmp_path / name, tmp_path / "bad.jsonl"
    argv = ("extract", "--accept", "isbn", "--jobs", jobs, *more, str(tmp_path / "a.txt"), str(tmp_path / "b.txt"))
    done, again = call(*argv, "--rejected", str(path)), call(*argv, "--rejected", str(lines))
    assert done.status == 0, done.err
    assert done.out == again.out
    found = rows(path)
    assert [tuple(row.values())[: len(one)] for row, one in zip(found, REJECTED * 2, strict=True)] == REJECTED * 2
    assert all(tuple(row) == COLUMNS for row in found)
    objects: list[dict[str, Any]] = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    for row, one in zip(found, objects, strict=True):
        assert row["broken"] == ""
        assert {key: value for key, value in row.items() if key in one} == {
            key: "" if one[key] is None else str(one[key]) for key in COLUMNS if key in one
        }


def test_faults_of_the_input_are_rows_too(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"u": "http://a.example/%zz"}\nno json http://b.example/\n', encoding="utf-8")
    path = tmp_path / "bad.csv"
    call("extract", "--input", "jsonl", "--rejected", str(path), str(tmp_path / "a.jsonl"))
    one, two = sorted(rows(path), key=lambda row: row["broken"])
    assert (one["reason"], one["row"], one["field"]) == ("bad-percent-encoding", "1", "u")
    assert (two["broken"], two["reason"], two["raw"]) == ("line", "no-json", "")
    assert "a.jsonl" in two["meaning"]


def test_cells_of_rejections_are_made_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("=a.txt").write_text("http://a.example/%zz http://b.example/ =1", encoding="utf-8")
    found = call("extract", "--safe", "cells", "--rejected", "bad.csv", "=a.txt")
    assert found.out == b"http://b.example/\n"
    assert "1 cell made safe" in found.err
    assert [row["source"] for row in rows(Path("bad.csv"))] == ["'=a.txt"]
    assert call("extract", "--safe", "cells", "--rejected", "bad.jsonl", "=a.txt").status == 2


@pytest.mark.parametrize("kind", [Format.TEXT, Format.PARQUET])
def test_other_formats_are_refused(kind: Format) -> None:
    with pytest.raises(UsageError, match="rejections are written as jsonl, csv or tsv"):
        RejectionLines(kind, Mask(None))


@pytest.mark.parametrize("kind", [Format.JSONL, Format.CSV, Format.TSV])
def test_the_library_writes_them_as_the_command_does(kind: Format, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    settings = FormatSettings(Format.CSV, secret=b"x" * 16, rejects=kind)
    with open_output(str(tmp_path / "out")) as output, open_output(str(tmp_path / "bad")) as rejects:
        sink = RecordSink(settings, output, rejects)
        sieve_into([str(tmp_path / "a.txt")], sink)
    call("extract", "--format", "csv", "--rejected", str(tmp_path / f"bad.{kind}"), str(tmp_path / "a.txt"))
    assert (tmp_path / "bad").read_bytes() == (tmp_path / f"bad.{kind}").read_bytes() != b""


def test_a_rejection_says_its_reason_in_words() -> None:
    found = check("http://a.example:80ab/")
    assert not found
    assert found.meaning == "a port consists of digits only"
    assert found.meaning in found.explain()
    assert {one.meaning for one in sieve("http://a.example/%zz") if not one} == {
        "`%` is not followed by two hexadecimal digits"
    }
