"""A column of a table, or a field of JSON lines, judged row by row."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from urisieve import InputError, Options, Tally, UsageError, check, check_rows
from urisieve.data_sets.checked_rows import ADDED_COLUMNS
from urisieve.types import CheckedRow

ISBN = Options(bare="isbn")
TABLE = (
    b"id,isbn,note\n"
    b"1,978-0-395-36341-6,a\n"
    b'2,0-395-36341-2,"b, c"\n'
    b"\n"
    b"3,,\n"
    b'4," 0395363411 ","two\nlines"\n'
    b"5\n"
    b"6,a,b,c\n"
    b"7,http://e.example\n"
)


def states(rows: list[CheckedRow]) -> list[tuple[int, str, str]]:
    def state(one: CheckedRow) -> str:
        if one.found is None:
            return "broken" if one.is_broken else "empty"
        return "valid" if one.found else "invalid"

    return [(one.row, one.cell, state(one)) for one in rows]


EXPECTED = [
    (2, "978-0-395-36341-6", "valid"),
    (3, "0-395-36341-2", "invalid"),
    (5, "", "empty"),
    (6, "0395363411", "valid"),
    (8, "", "empty"),
    (9, "", "broken"),
    (10, "http://e.example", "valid"),
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_bytes(TABLE)
    return path


@pytest.mark.parametrize("column", ["isbn", "2", 2])
def test_rows_of_a_table(table: Path, column: str | int) -> None:
    tally = Tally()
    rows = list(check_rows(table, column, input="csv", options=ISBN, tally=tally))
    assert states(rows) == EXPECTED
    assert tally.read["row"] == 7
    assert tally.rejected == {"wrong-check-digit": 1}
    assert tally.warnings == {"scheme-assumed": 2, "whitespace-removed": 1}
    assert tally.broken == {("row", "broken"): 1}
    assert "row 9 has 4 cells under 3 columns" in tally.messages[0]
    first, second = rows[0].found, rows[1].found
    assert first is not None
    assert second is not None
    assert (first.source, first.field, first.row, first.start, first.end) == (str(table), "isbn", 2, 0, 17)
    assert (second.field, second.row, second.notices[0].detail) == ("isbn", 3, "1")


def test_rows_of_other_kinds(tmp_path: Path) -> None:
    lines = ['{"a": {"b": "http://e.example"}}', '{"a": {"b": ["urn:isbn:0395363411", "x y", 9780395363416]}}']
    lines += ['{"a": 1}', "{", '{"a": {"b": {"c": 1}}}', '{"a": {"b": null}}', '{"a": {"b": []}}']
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    tally = Tally()
    assert states(list(check_rows(path, "a.b", input="jsonl", options=ISBN, tally=tally))) == [
        (1, "http://e.example", "valid"),
        (2, "urn:isbn:0395363411", "valid"),
        (2, "x y", "invalid"),
        (2, "9780395363416", "valid"),
        (3, "", "empty"),
        (4, "", "broken"),
        (5, "", "broken"),
        (6, "", "empty"),
        (7, "", "empty"),
    ]
    assert tally.broken == {("row", "broken"): 2}
    (tmp_path / "a.tsv").write_text("http://e.example\tx\n\thttp://e.example\n")
    rows = list(check_rows(tmp_path / "a.tsv", 1, input="tsv", header="none"))
    assert states(rows) == [(1, "http://e.example", "valid"), (2, "", "empty")]
    (tmp_path / "b.jsonl").write_text('{"1": "http://e.example"}\n')  # fields have names, also those of digits
    rows = list(check_rows(tmp_path / "b.jsonl", 1, input="jsonl", header="none"))
    assert states(rows) == [(1, "http://e.example", "valid")]


def test_an_identifier_in_the_header_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("http://e.example,x\nhttp://f.example,y\n")
    tally = Tally()
    assert states(list(check_rows(tmp_path / "a.csv", 1, input="csv", tally=tally))) == [
        (2, "http://f.example", "valid")
    ]
    assert "is taken for the header" in tally.messages[0]


@pytest.mark.parametrize(
    ("text", "column", "kind", "message"),
    [
        ("id,isbn\n1,2\n", "ibsn", "csv", "has no column 'ibsn'; its columns are.*did you mean 'isbn'"),
        ("id,isbn\n1,2\n", "3", "csv", "has no column 3: its rows have 2"),
        ("a,a\n1,2\n", "a", "csv", "has several columns 'a': name one by its number, 1 and 2"),
        ('{"isbn": 1}\n', "ibsn", "jsonl", "no row has the field 'ibsn'.*did you mean 'isbn'"),
    ],
)
def test_a_column_that_is_not_there(tmp_path: Path, text: str, column: str, kind: str, message: str) -> None:
    path = tmp_path / "a"
    path.write_text(text)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: .*{message}"):
        list(check_rows(path, column, input=kind))


@pytest.mark.parametrize(("length", "is_whole"), [(100, True), (101, False)])
def test_a_long_cell_is_shortened_for_people(length: int, is_whole: bool) -> None:
    cell = "x" * length
    (line,) = call("check", "--quiet", "--input", "csv", "--field", "a", stdin=f"a\n{cell}\n".encode()).lines
    assert (f"  {cell}  " in line) == is_whole
    assert len(line) < 300


@pytest.mark.parametrize(
    "others",
    [{"input": "xml"}, {"field": ""}, {"field": True}, {"header": "no"}, {"field": "a", "header": "none"}],
)
def test_misuse(others: dict[str, Any]) -> None:
    arguments = {"field": "a", "input": "csv"} | others
    with pytest.raises(UsageError):
        check_rows("a.csv", arguments.pop("field"), **arguments)


def test_the_command_for_people(table: Path) -> None:
    done = call("check", "--input", "csv", "--field", "isbn", "--accept", "isbn", str(table))
    assert done.status == 1
    assert done.lines[0] == "row 2: valid  978-0-395-36341-6  urn:isbn:9780395363416  [scheme-assumed]"
    assert done.lines[1].startswith("row 3: not valid  0-395-36341-2  wrong-check-digit in nss at 12: ")
    assert done.lines[1].endswith("; expected 1 (ISO 2108, RFC 3187 5)")
    assert [line for line in done.lines if line.endswith(("empty", "broken"))] == [
        "row 5: empty", "row 8: empty", "row 9: broken",
    ]  # fmt: skip
    assert "urisieve: 7 rows: 3 valid, 1 not valid, 2 empty, 1 broken\n" in done.err
    assert "row 9 has 4 cells" in done.err


def test_the_command_as_json_lines() -> None:
    done = call("check", "--input", "csv", "--field", "2", "--format", "jsonl", "--accept", "isbn", stdin=TABLE)
    assert [(row["row"], row["field"], row["source"], row["raw"]) for row in done.rows] == [
        (number, "isbn", "-", " 0395363411 " if number == 6 else cell) for number, cell, _ in EXPECTED if cell
    ]
    assert [row.get("reason") for row in done.rows] == [None, "wrong-check-digit", None, None]


def test_the_command_as_a_table() -> None:
    done = call("check", "--input", "csv", "--field", "isbn", "--format", "csv", "--accept", "isbn", stdin=TABLE)
    before = list(csv.reader(io.StringIO(TABLE.decode())))
    after = list(csv.reader(io.StringIO(done.out.decode())))
    assert len(after) == len(before)
    assert after[0] == [*before[0], *ADDED_COLUMNS]
    assert after[1][3:] == [
        "true",
        "urn:isbn:9780395363416",
        "urn:isbn:9780395363416",
        "scheme-assumed",
        "",
        "",
        "",
        "",
    ]
    assert after[2][3:] == ["false", "", "", "", "wrong-check-digit", "nss", "12", "1"]
    assert after[4][3:] == [""] * len(ADDED_COLUMNS)
    assert after[6] == ["5", *[""] * (2 + len(ADDED_COLUMNS))]
    assert after[7] == before[7]
    for old, new in zip(before, after, strict=True):
        assert new[: len(old)] == old


def test_the_key_tells_passwords_apart() -> None:  # H4
    links = ["http://u:one@A.example", "http://u:one@a.example/", "http://u:two@a.example/", "http://u:two@a.example/b"]
    stdin = "\n".join(["u", *links, ""]).encode()
    words = ("check", "--quiet", "--input", "csv", "--field", "u", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(call(*words, stdin=stdin).out.decode())))
    assert [row["uri"] for row in rows] == ["http://u:***@a.example/"] * 3 + ["http://u:***@a.example/b"]
    keys = [row["key"] for row in rows]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3
    assert not any("one" in key or "two" in key for key in keys)
    shown = csv.DictReader(io.StringIO(call(*words, "--show-passwords", stdin=stdin).out.decode()))
    assert [row["key"] for row in shown] == ["http://u:one@a.example/", *links[1:]]
    (defanged,) = csv.DictReader(
        io.StringIO(call(*words, "--safe", "defang", stdin=b"u\nhttp://a.example/\n").out.decode())
    )
    assert defanged["key"] == defanged["uri"] == "hxxp://a[.]example/"


@pytest.mark.parametrize(("kind", "delimiter"), [("csv", ","), ("tsv", "\t")])
@pytest.mark.parametrize("uri", ["http://e.example/a,b", "http://e.example/a;b", "urn:x-a:b,,c"])
def test_an_added_cell_with_a_delimiter_is_quoted(kind: str, delimiter: str, uri: str) -> None:
    stdin = f'u{delimiter}x\n"{uri}"{delimiter}y\n'.encode()
    done = call("check", "--input", kind, "--field", "u", "--format", kind, stdin=stdin)
    header, row = csv.reader(done.out.decode().splitlines(), delimiter=delimiter)
    assert len(header) == len(row)
    assert dict(zip(header, row, strict=True))["uri"] == uri


def test_added_columns_never_have_the_name_of_another() -> None:
    done = call("check", "--input", "tsv", "--field", "uri", "--format", "tsv", stdin=b"uri\tx\r\nhttp://e.example\ty")
    assert done.out == (
        b"uri\tx\turisieve_valid\turisieve_uri\turisieve_key\turisieve_warnings\turisieve_reason\turisieve_component"
        b"\turisieve_offset\turisieve_expected\r\nhttp://e.example\ty\ttrue\thttp://e.example/\thttp://e.example/\t\t\t\t\t"
    )


def test_several_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfu\nhttp://a.example/")
    (tmp_path / "b.csv").write_bytes(b"\xef\xbb\xbfu\nhttp://b.example/,")
    (tmp_path / "c.csv").write_bytes(b"v,u\nx,http://c.example/\n")
    paths = [str(tmp_path / f"{name}.csv") for name in "abc"]
    done = call("check", "--input", "csv", "--field", "u", "--format", "csv", *paths, str(tmp_path / "d.csv"))
    lines = done.out.decode("utf-8-sig").splitlines()
    assert [line.split(",")[0] for line in lines] == ["u", "http://a.example/", "http://b.example/"]
    assert done.status == 2
    assert "c.csv: has other columns than the file before it" in done.err
    assert "d.csv: " in done.err


@pytest.mark.parametrize(
    ("invalid", "expected"),
    [
        ("drop", ["urn:isbn:9780395363416", "urn:isbn:0395363411", "http://e.example/"]),
        ("blank", ["urn:isbn:9780395363416", "", "", "urn:isbn:0395363411", "", "", "http://e.example/"]),
        ("keep", ["urn:isbn:9780395363416", "0-395-36341-2", "", "urn:isbn:0395363411", "", "", "http://e.example/"]),
    ],
)
def test_normalize(invalid: str, expected: list[str]) -> None:
    argv = ["normalize", "--input", "csv", "--field", "isbn", "--accept", "isbn", "--invalid", invalid]
    done = call(*argv, stdin=TABLE)
    assert (done.lines, done.status) == (expected, 1)
    assert ("row 3: wrong-check-digit" in done.err) == (invalid == "drop")
    assert call(*argv, "--quiet", stdin=TABLE).err == ""


@pytest.mark.parametrize(
    "argv",
    [
        ["--no-header"],
        ["--delimiter", ";"],
        ["--input", "text", "--field", "a"],
        ["--input", "csv"],
        ["--input", "jsonl"],
        ["--field", "a", "--field", "b"],
        ["--field", "a", "--delimiter", ";;"],
        ["--input", "json", "--field", "a", "--delimiter", ";"],
        ["--input", "jsonl", "--field", "a", "--no-header"],
        ["--input", "parquet", "--field", "a", "--encoding", "latin-1"],
        ["--format", "csv"],
        ["--input", "csv", "--field", "a", "--format", "tsv"],
        ["--input", "csv", "--field", "a", "--no-header"],
    ],
)
def test_misuse_of_the_command(argv: list[str]) -> None:
    done = call("check", *argv, stdin=b"a\n")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("urisieve: ")


def test_passwords_and_control_characters_do_not_leave() -> None:
    stdin = b"u\nhttp://u:secret@e.example/\n\x1b[31mx\n"
    for kind in ("text", "jsonl"):
        done = call("check", "--input", "csv", "--field", "u", "--format", kind, stdin=stdin)
        assert b"secret" not in done.out
        assert b"\x1b" not in done.out
    added = call("check", "--input", "csv", "--field", "u", "--format", "csv", stdin=stdin).out.splitlines()[1]
    assert added.count(b"secret") == 1  # the cell itself, as it stands
    assert json.loads(call("check", "--input", "csv", "--field", "u", "--format", "jsonl", stdin=stdin).lines[1])


HOSTILE_TABLE = (
    b"u,note\nhttp://u:secret@e.example:99999/,\x1b]0;x\x07\nhttp://b.example:9x/\xe2\x80\xae,\xc2\x9b31m\n"
    b"\"'http://u:secret@e.example/'\",=1\n"
)


def test_a_password_behind_other_text_is_masked() -> None:
    for argv in (["check"], ["check", "--format", "jsonl"], ["normalize", "--invalid", "keep"]):
        for source in ([], ["--input", "csv", "--field", "u"]):
            done = call(*argv, *source, stdin=HOSTILE_TABLE)
            assert b"***@e" in done.out
            assert b"secret" not in done.out, argv


JUDGED = [
    (
        "row 2: valid  hxxp://u:***@e[.]example:99999/  hxxp://u:***@e[.]example:99999/  "
        "[userinfo-present, password-present, port-above-65535]"
    ),
    (
        "row 3: not valid  hxxp://b[.]example:9x/\ufffd  bad-port in port at 18: a port consists of digits only "
        "(RFC 3986 3.2.3)"
    ),
]
KEPT = ["hxxp://u:***@e[.]example:99999/", "hxxp://b[.]example:9x/\u202e", "'http[://]u:***@e[.]example/'"]


@pytest.mark.parametrize(("argv", "expected"), [(["check"], JUDGED), (["normalize", "--invalid", "keep"], KEPT)])
def test_defanged_rows_say_what_others_say(argv: list[str], expected: list[str]) -> None:
    done = call(*argv, "--safe", "defang", "--input", "csv", "--field", "u", stdin=HOSTILE_TABLE)
    assert done.lines[: len(expected)] == expected


@pytest.mark.parametrize("command", ["check", "normalize"])
def test_quiet(command: str) -> None:
    argv = [command, "--input", "csv", "--field", "isbn", "--accept", "isbn"]
    loud, quiet = call(*argv, stdin=TABLE), call(*argv, "-q", stdin=TABLE)
    assert "7 rows" in loud.err
    assert (quiet.err, quiet.out, quiet.status) == ("", loud.out, 1)


def test_fail_on() -> None:
    argv = ["check", "--input", "csv", "--field", "isbn", "--accept", "isbn", "--fail-on"]
    assert call(*argv, "wrong-check-digit", stdin=TABLE).status == 3
    assert call(*argv, "bad-port", stdin=TABLE).status == 0


CELLS = st.one_of(
    st.sampled_from(["http://e.example/a,b", "0395363411", "0395363412", "", ' "', "a\nb"]), st.text('a,"\n :/')
)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6))
def test_the_table_stays_and_each_cell_is_judged_as_alone(rows: list[tuple[str, str]]) -> None:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows([("a", "b"), *rows])
    done = call("check", "--input", "csv", "--field", "b", "--accept", "isbn", "--format", "csv",
                stdin=buffer.getvalue().encode())  # fmt: skip
    before = list(csv.reader(io.StringIO(buffer.getvalue(), newline="")))
    after = list(csv.reader(io.StringIO(done.out.decode(), newline="")))
    assert [row[: len(old)] for row, old in zip(after, before, strict=True)] == before
    for row in after[1:]:
        if row:
            cell = row[1].strip()
            assert row[2] == ("" if not cell else str(bool(check(cell, options=ISBN))).lower())
