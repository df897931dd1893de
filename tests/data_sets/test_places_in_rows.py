"""Places in rows: one way to name them, one word for it, and kinds by content in all commands."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from urisieve import InputError, ReadingOptions, UsageError, check_rows, deduplicate_rows, extract_files

SEMICOLONS = b"id;url;more\n1;http://a.example/;x\n2;http://A.example;y\n3;http://b.example/;z\n"
ARRAY = (
    b'[{"url":"http://a.example/","n":1},\n {"n":[1,\n2],"url":"HTTP://a.example"} ,{"url":"http://b.example/"},7]\n'
)


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("argv", [[], ["--input", "csv"], ["--delimiter", ";"], ["--input", "csv", "--delimiter", ";"]])
@pytest.mark.parametrize("field", ["url", "2"])
@pytest.mark.parametrize("keep", ["first", "last"])
def test_tables_with_other_delimiters(argv: list[str], field: str, keep: str) -> None:
    kept = [SEMICOLONS.splitlines()[index].decode() for index in ((0, 1, 3) if keep == "first" else (0, 2, 3))]
    Path("a.csv").write_bytes(SEMICOLONS)
    for source in (["a.csv"], []):
        done = call("dedupe", "--keep", keep, *argv, "--field", field, *source, stdin=b"" if source else SEMICOLONS)
        assert (done.status, done.lines) == (0, kept)


@pytest.mark.parametrize(
    ("delimiter", "row"),
    [("tab", "1\thttp://a.example/,b;c"), ("|", "1|http://a.example/,b;c"), (",", '1,"http://a.example/,b"')],
)
def test_a_delimiter_by_name(delimiter: str, row: str) -> None:
    header = f"id{row[1]}url"
    for command in (["dedupe"], ["check"], ["normalize"], ["extract", "--input", "csv"]):
        argv = [*command, "--delimiter", delimiter, "--field", "url"]
        done = call(*argv, stdin=f"{header}\n{row}\n".encode())
        assert done.status == 0
        assert any("http://a.example/,b" in line for line in done.lines)


def test_check_and_normalize_read_the_kinds_of_dedupe() -> None:
    Path("a.csv").write_bytes(SEMICOLONS)
    Path("a.json").write_bytes(ARRAY)
    forms = ["http://a.example/", "http://a.example/", "http://b.example/"]
    assert call("normalize", "--field", "url", "a.csv").lines == forms
    assert call("normalize", "--field", "url", "a.json").lines == forms
    done = call("check", "--field", "url", "-f", "csv", "a.csv")
    assert done.lines[1] == "1;http://a.example/;x;true;http://a.example/;http://a.example/;;;;;"
    assert [one.row for one in check_rows("a.json", "url")] == [1, 2, 3, 3]
    assert call("check", "--field", "url", "-f", "csv", "a.json").status == 2  # not a table


def test_rows_of_an_array_stay_as_they_are() -> None:
    Path("a.json").write_bytes(ARRAY)
    Path("b.json").write_bytes(b'[]\n[{"url":"http://c.example/"}]')
    Path("c.json.gz").write_bytes(gzip.compress(ARRAY))
    counts = deduplicate_rows(["a.json", "b.json", "c.json.gz"], "url", output="out", unmatched="others")
    assert (counts.files, counts.rows, counts.kept, counts.unmatched) == (3, 9, 3, 2)
    assert Path("out").read_bytes() == (
        b'[\n{"url":"http://a.example/","n":1},\n{"url":"http://b.example/"},\n{"url":"http://c.example/"}\n]\n'
    )
    assert Path("others").read_bytes() == b"[\n7,\n7\n]\n"
    deduplicate_rows(["a.json"], "url", output="a.json", keep="last")
    assert (
        Path("a.json").read_bytes()
        == b'[\n{"n":[1,\n2],"url":"HTTP://a.example"},\n{"url":"http://b.example/"},\n7\n]\n'
    )
    Path("none.json").write_bytes(b"[]")
    deduplicate_rows(["none.json"], "url", input="json", output="out")
    assert Path("out").read_bytes() == b"[]\n"


@pytest.mark.parametrize(
    ("data", "rows", "message"),
    [
        (b'[{"url":"http://a.example/"},{"url" 1},{"url":"http://b.example/"}]', 1, "line 1: an element is not JSON"),
        (b'[{"url":"http://a.example/"}\n{"url":"http://b.example/"}]', 1, "line 2 of the array is broken"),
        (b'[{"url":"http://a.example/"},\n{"url":"http://b.exam', 1, "line 2: an element is not JSON"),
        (b'{"url":"http://a.example/"}', 0, "begins something else than an array"),
    ],
)
def test_a_broken_array_keeps_the_rows_before(data: bytes, rows: int, message: str) -> None:
    done = call("dedupe", "--input", "json", "--field", "url", stdin=data)
    assert done.status == 2
    assert message in done.err
    assert len(json.loads(done.out or b"[]")) == rows
    Path("a.json").write_bytes(data)
    assert call("dedupe", "--input", "json", "--field", "url", "-o", "a.json", "a.json").status == 2
    assert Path("a.json").read_bytes() == data


def test_an_element_that_does_not_decode_stays() -> None:
    data = b'[\n{"url":"http://a.example/"},\n{"url":"http://a.example/\xff"},\n{"url":"http://b.example/"}\n]\n'
    done = call("dedupe", "--input", "json", "--field", "url", stdin=data)
    assert (done.status, done.out) == (0, data)
    assert "-: row 3 is not JSON (it does not decode)" in done.err


@pytest.mark.long
def test_large_elements_and_many() -> None:
    rows = [{"url": f"http://a.example/{number % 900}", "x": "y" * (number % 7) * 20_000} for number in range(1_000)]
    Path("a.json").write_text(json.dumps(rows, indent=1))
    deduplicate_rows(["a.json"], "url", output="out")
    assert json.loads(Path("out").read_text()) == rows[:900]


@pytest.mark.parametrize(
    ("field", "kept"),
    [
        ("authors[].url", [0, 2, 3, 4, 6]),
        ("authors[*].url", [0, 2, 3, 4, 6]),
        ("authors[0].url", [0, 1, 4, 6]),
        ("*[].url", [0, 2, 3, 4, 6]),
        ("authors[].*", [0, 2, 3, 4, 6]),
        ("page.url", [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_a_field_in_several_places(field: str, kept: list[int]) -> None:
    """Rows are duplicates only if they have the same identifiers there; none is lost that has another one."""
    authors: list[list[str | None]] = [
        ["http://a.example/", "http://b.example/"],
        ["http://B.example", "http://a.example"],  # the same, in another order
        ["http://a.example/"],  # one of them
        ["http://a.example/", "no link"],  # not all are identifiers: not matched
        [],
        ["http://a.example/", None, ""],  # nothing else
        ["no link"],
    ]
    rows = [{"authors": [{"url": url} for url in urls]} for urls in authors]
    Path("a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    if field == "page.url":
        with pytest.raises(InputError, match=r"no row has the field 'page\.url'"):
            deduplicate_rows(["a.jsonl"], field, output="out")
        return
    deduplicate_rows(["a.jsonl"], field, output="out")
    assert Path("out").read_text().splitlines() == [json.dumps(rows[index]) for index in kept]


def test_paths_are_the_same_where_links_are_searched() -> None:
    Path("a.jsonl").write_text('{"a":[{"b":"http://a.example/"},{"c":"http://b.example/"}]}\n' * 2)
    for field in ("a[].b", "a[*].b", "a[0].b", "*[].b"):
        reading = ReadingOptions(input="jsonl", field=field)
        assert [record.uri for record in extract_files(["a.jsonl"], reading=reading)] == ["http://a.example/"] * 2
        assert call("normalize", "--field", field, "a.jsonl").lines == ["http://a.example/"] * 2


def test_a_name_with_dots_is_a_name_first() -> None:
    Path("a.jsonl").write_text('{"a.b":"http://a.example/","a":{"b":"http://b.example/"}}\n')
    assert call("normalize", "--field", "a.b", "a.jsonl").lines == ["http://a.example/"]


def test_two_columns_of_one_name() -> None:
    Path("a.csv").write_text(
        "id,url,url\n1,http://a.example/,http://b.example/\n2,http://a.example/,http://c.example/\n"
    )
    for command in ("dedupe", "check", "normalize"):
        done = call(command, "--field", "url", "a.csv")
        assert (done.status, "several columns 'url': name one by its number, 2 and 3" in done.err) == (2, True)
    reading = ReadingOptions(input="csv", field=["url"])
    found = [(record.field, record.uri[7]) for record in extract_files(["a.csv"], reading=reading)]
    assert found == [("url (2)", "a"), ("url (3)", "b"), ("url (2)", "a"), ("url (3)", "c")]
    assert [record.field for record in extract_files(["a.csv"])] == [field for field, _ in found]
    assert len(call("dedupe", "--field", "2", "a.csv").lines) == 2
    assert len(call("dedupe", "--field", "3", "a.csv").lines) == 3


@pytest.mark.parametrize(
    ("argv", "data", "message"),
    [
        (["dedupe", "--field", "url"], b"some prose\nwith, commas\n", "is not of rows by its content"),
        (["check", "--field", "url"], b"<html><p>x", "is not of rows by its content"),
        (["dedupe", "--field", "url", "--delimiter", ";"], b'{"url":"x:y"}\n', "does not go with rows of jsonl"),
        (["dedupe", "--field", "url", "--safe", "cells"], b'{"url":"x:y"}\n', "is for cells of csv and tsv"),
        (["dedupe", "--field", "url", "--input", "mail"], b"", "--field does not go with --input mail"),
        (["dedupe", "--field", "url", "no.csv"], b"", "no.csv: No such file or directory"),
        (["extract", "--input", "mail", "--delimiter", ";"], b"", "--delimiter does not go with --input mail"),
        (["dedupe", "--field", "url", "--skip-lines", "1"], b'{"url":"x:y"}\n', "does not go with rows of jsonl"),
        (["dedupe", "--input", "keys", "--skip-lines", "1"], b"", "--skip-lines is for tables"),
        (["extract", "--input", "json", "--skip-lines", "0"], b"", "--skip-lines does not go with --input json"),
        (["check", "--skip-lines", "1"], b"", "--skip-lines needs --field"),
        (["check", "--input", "jsonl", "--field", "a", "--skip-lines", "1"], b"", "has no --no-header"),
        (["count", "--skip-lines", "-1"], b"", "'-1' is not a number of lines from 0 on"),
    ],
)
def test_what_is_said(argv: list[str], data: bytes, message: str) -> None:
    done = call(*argv, stdin=data)
    assert (done.status, message in done.err) == (2, True)


def test_misuse_of_the_library() -> None:
    with pytest.raises(UsageError, match="delimiter=';;' must be one character"):
        deduplicate_rows(["a.csv"], "url", output="out", delimiter=";;")
    with pytest.raises(UsageError, match="must be one character"):
        check_rows("a.csv", "url", delimiter='"')
    with pytest.raises(UsageError, match="a delimiter is of tables"):
        ReadingOptions(input="json", delimiter=";")
    with pytest.raises(UsageError, match="skip_lines does not go with input='json'"):
        ReadingOptions(input="json", skip_lines=1)
    for wrong in (-1, "1", True):
        with pytest.raises(UsageError, match=r"skip_lines=.* must be an integer of at least 0"):
            ReadingOptions(skip_lines=wrong)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"skip_lines=.* must be an integer of at least 0"):
            deduplicate_rows(["a.csv"], "url", output="out", skip_lines=wrong)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"skip_lines=.* must be an integer of at least 0"):
            check_rows("a.csv", "url", skip_lines=wrong)  # type: ignore[arg-type]
    Path("a.json").write_bytes(ARRAY)
    with pytest.raises(UsageError, match="checkpoint= does not go with an array of JSON"):
        deduplicate_rows(["a.json"], "url", output="out", checkpoint="state")


ROWS_OF_KINDS: dict[str, tuple[bytes, str]] = {
    "a.csv": (b"id,url,b\n1,http://a.example/,http://b.example/\n", "csv"),
    "semicolon": (b"id;url;b\n1;http://a.example/;http://b.example/\n2;x;y\n", "csv"),
    "tabs": (b"id\turl\tb\n1\thttp://a.example/\thttp://b.example/\n2\tx\ty\n", "tsv"),
    "lines": (b'{"url":"http://a.example/","b":"http://b.example/"}\n{"url":"x"}\n', "jsonl"),
    "document": (b'{"url":["http://a.example/"],\n"b":"http://b.example/"}', "json"),
    "journal": (b"__CURSOR=s=1\nurl=http://a.example/\nMESSAGE=http://b.example/\n\n", "journal"),
    "packed.gz": (gzip.compress(b"id,url\n1,http://a.example/\n"), "csv"),
}


@pytest.mark.sampled(13)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("name", ROWS_OF_KINDS)
def test_a_field_of_the_kind_that_is_detected(name: str, jobs: str, tmp_path: Path) -> None:
    data, kind = ROWS_OF_KINDS[name]
    path = tmp_path / name
    path.write_bytes(data)
    found = call("extract", "-f", "jsonl", "--field", "url", "--jobs", jobs, str(path))
    said = call("extract", "-f", "jsonl", "--field", "url", "--jobs", jobs, "--input", kind, str(path))
    assert [row["uri"] for row in found.rows] == ["http://a.example/"]
    assert (found.status, found.out) == (said.status, said.out)
    assert f"as 1 {kind}" in found.err
    assert call("extract", "--quiet", "--field", "url", stdin=data).lines == ["http://a.example/"]
    assert call("stats", "--quiet", "--field", "url", "--format", "json", str(path)).rows[0]["funnel"]["valid"] == 1


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"see http://a.example/, and\nthen, perhaps, http://b.example/\n", "text"),
        (b"<!doctype html><a href='http://a.example/'>x</a>", "html"),
        (b"From: a@b.example\nTo: c@d.example\nSubject: x\n\nhttp://a.example/\n", "mail"),
        (b"\x00\x01http://a.example/", "binary"),
    ],
)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_has_no_fields_is_refused_and_the_others_are_read(
    data: bytes, kind: str, jobs: str, tmp_path: Path
) -> None:
    path, other = tmp_path / "a", tmp_path / "b.csv"
    path.write_bytes(data)
    other.write_bytes(b"url\nhttp://c.example/\n")
    found = call("extract", "--field", "url", "--jobs", jobs, str(path), str(other))
    assert (found.status, found.lines) == (2, ["http://c.example/"])
    line, _ = found.err.splitlines()
    assert line.startswith(f"urisieve: {path}: is {kind} by its content, which has no fields: --field ")


def test_several_fields_are_of_tables(tmp_path: Path) -> None:
    path, other = tmp_path / "a.jsonl", tmp_path / "b.csv"
    path.write_bytes(b'{"a":"http://a.example/"}\n')
    other.write_bytes(b"a,b,c\nhttp://b.example/,http://c.example/,http://d.example/\n")
    found = call("extract", "--field", "a", "--field", "c", str(path), str(other))
    assert (found.status, found.lines) == (2, ["http://b.example/", "http://d.example/"])
    assert f"{path}: is jsonl by its content, of which one field alone can be read" in found.err
    following = call("extract", "--follow", "--field", "a", str(path))
    assert "--follow with --field needs --input jsonl, csv or tsv" in following.err
