"""A format is one class: what it does not say itself, the base says for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import call
from urisieve import Batch, UsageError, extract, write_records
from urisieve.options import Format
from urisieve.sinks import FormatSettings, RecordSink, notations, open_output, record_formats
from urisieve.sinks.notations import RowNotation
from urisieve.sinks.record_formats import of_kind, record_format
from urisieve.sinks.row_format import RecordFormat


class StarFormat(RecordFormat):
    """Fields with stars between them; the delimiter and the notation are all that is said of it."""

    delimiter = "*"

    def _notation(self, names: tuple[str, ...] | None) -> RowNotation:
        fields = notations.text_notation(names or ("uri", "host"))
        around = [*fields.around[:1], *["*"] * (len(fields.around) - 2), "\n"]
        return fields._replace(around=around, header="*".join(fields.names) + "\n")


class DeafFormat(RecordFormat):
    """A format that forgets which fields are named."""

    def _notation(self, names: tuple[str, ...] | None) -> RowNotation:
        del names
        return notations.text_notation(("uri", "host"))


def test_a_format_cannot_forget_the_fields() -> None:
    assert DeafFormat(FormatSettings(Format.TSV)).columns >= {"uri"}
    for given in ({"fields": ("iri",)}, {"fields": ("host", "uri")}, {"parts": True}):
        with pytest.raises(TypeError, match="DeafFormat has a notation of uri, host, not of"):
            DeafFormat(FormatSettings(Format.TSV, **given))


@pytest.mark.parametrize("kind", Format)
@pytest.mark.parametrize("names", [("host",), ("uri", "host", "start"), ("source", "key", "warnings")])
def test_each_format_writes_the_fields_that_are_named(kind: Format, names: tuple[str, ...], tmp_path: Path) -> None:
    if kind is Format.PARQUET:
        pytest.importorskip("pyarrow")
    record = next(extract("see http://a.example/"))
    with open_output(str(tmp_path / "links")) as output:
        sink = RecordSink(FormatSettings(kind, fields=names), output)
        sink.take(Batch.of([record]))
        sink.close()
    data = (tmp_path / "links").read_bytes()
    if kind is Format.PARQUET:
        from pyarrow import parquet

        found = parquet.read_table(tmp_path / "links").column_names
    elif kind is Format.JSONL:
        found = list(json.loads(data))
    elif kind is Format.TEXT:
        row = dict(record)
        assert data.decode().rstrip("\n").split("\t") == [_text(row[name]) for name in names]
        return
    else:
        found = data.decode().splitlines()[0].split("," if kind is Format.CSV else "\t")
    assert tuple(found) == names


def _text(value: object) -> str:
    return "" if value is None or value == [] else str(value)


@pytest.fixture
def stars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    formats: dict[Format, Any] = record_formats._OF_LINES
    monkeypatch.setitem(formats, Format.TSV, StarFormat)
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("http://b.example/ http://a.example/?q http://b.example/")
    Path("more").write_text("http://c.example/ http://b.example/")


@pytest.mark.usefixtures("stars")
def test_a_new_format_is_one_class() -> None:
    records = ["http://b.example/*b.example", "http://a.example/?q*a.example"]
    assert call("extract", "-f", "tsv", "text").lines == ["uri*host", *records, records[0]]
    assert call("extract", "-u", "-f", "tsv", "text").lines == ["uri*host", *records]
    assert call("dedupe", "-f", "tsv", "--safe", "no-query", "text").lines[2] == "http://a.example/?****a.example"
    assert call("extract", "-f", "tsv", "--safe", "defang", "--fields", "host", "text").lines[1] == "b[.]example"


@pytest.mark.usefixtures("stars")
def test_a_new_format_has_marks_and_counts() -> None:
    command = ("dedupe", "--store", "s.db", "--mark-new", "-f", "tsv")
    assert call(*command, "text").lines[:2] == ["uri*host*new", "http://b.example/*b.example*true"]
    assert call(*command, "more").lines[1:] == [
        "http://c.example/*c.example*true",
        "http://b.example/*b.example*false",
    ]
    counts = call("count", "-f", "tsv", "text").lines
    assert counts[0].startswith("schema,key,uri,count,")
    assert counts[1].split(",")[1:4] == ["http://b.example/", "http://b.example/", "2"]


def test_what_commands_ask_of_formats() -> None:
    pytest.importorskip("pyarrow")
    formats = {kind: of_kind(kind) for kind in Format}
    assert [kind for kind, made in formats.items() if made.is_text] == [Format.TEXT]
    assert [kind for kind, made in formats.items() if made.is_file] == [Format.PARQUET]
    assert [kind for kind, made in formats.items() if not made.is_read] == [Format.TEXT]
    assert {kind: made.delimiter for kind, made in formats.items() if made.delimiter} == {"csv": ",", "tsv": "\t"}
    for kind in Format:
        assert record_format(FormatSettings(kind)).key == "key"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (FormatSettings(Format.TEXT, parts=True), "parts are fields of whole records"),
        (FormatSettings(Format.CSV, template="{uri}"), "a template is for text"),
        (FormatSettings(Format.TEXT, template="{uri}", fields=("uri",)), "a template is for text"),
        (FormatSettings(Format.TEXT, template="{nothing}"), "there is no field 'nothing'"),
    ],
)
def test_what_formats_refuse(settings: FormatSettings, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        record_format(settings)


def test_cells_are_asked_of_the_format(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="jsonl has no cells"):
        write_records([], tmp_path / "links", format="jsonl", safe_cells=True)


def test_a_report_hides_parts_in_its_messages_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = call("report", "-o", "page.html", "--safe", "no-query", "http://a.example/?CANARY", ".").err
    assert "http://a.example/?***" in said
    assert "CANARY" not in said
