"""Tables with odd lines: each is read as a table, its links end where their cells do, and no link above it is lost."""

from __future__ import annotations

import random
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from unittest import mock

import pytest

import urisieve.runs.run
from tests.helpers.cli_support import call
from tests.helpers.odd_tables import Link, OddTable, odd_table
from urisieve import Known, ReadingOptions, Record, Tally, check_rows, extract_blocks, extract_files
from urisieve.sources.structured.table_cells import CellRows


def pieces(data: bytes, drawn: random.Random) -> Iterator[bytes]:
    stream = BytesIO(data)
    while piece := stream.read(drawn.choice((1, 2, 7, 100, 5_000))):
        yield piece


def placed(one: Record) -> Link:
    return Link(one.uri, one.row or 0, one.field, one.byte_start or 0)


def found(table: OddTable, blocks: object, **more: object) -> tuple[list[Link], Tally]:
    tally = Tally()
    reading = ReadingOptions(**more)  # type: ignore[arg-type]
    records = extract_blocks("a.csv", blocks, reading=reading, tally=tally)  # type: ignore[arg-type]
    return [placed(one) for one in records], tally


def check(seed: int) -> None:
    table = odd_table(seed)
    links, tally = found(table, table.data)
    assert dict(tally.kinds) == {"tsv" if table.delimiter == "\t" else "csv": 1}, table.said
    assert links == table.links, table.said
    assert found(table, pieces(table.data, random.Random(seed)))[0] == links, table.said
    of_column = [link for link in table.links if link.field in (None, "url")]
    assert found(table, table.data, field=["url"])[0] == of_column, table.said


@pytest.mark.parametrize("seed", range(60))
def test_an_odd_table(seed: int) -> None:
    check(seed)


@pytest.mark.long
def test_many_odd_tables() -> None:
    for seed in range(1_000):
        check(seed)


HEAD = "id,url,n\n"
ROWS = "".join(f"{number},https://e.example/{number},{number}0\n" for number in range(1, 9))
TWO = "1,https://e.example/1,10\n2,https://e.example/2,20\n"

# A table named `.csv`, the names of the columns of its links, and its lines above the header.
LAYOUTS = [
    (f"sep=,\n{HEAD}{TWO}", "url", 1),
    (f"# a comment\n{HEAD}{TWO}", "url", 1),
    (f"# one, two\n# three\n{HEAD}{TWO}", "url", 2),
    (f"Report\n\n{HEAD}{TWO}", "url", 2),
    (f'"Report, 2024"\n{HEAD}{TWO}', "url", 1),
    (f'"The report\n{HEAD}{ROWS}', "url", 1),
    (f"Report,,\n,,\n{HEAD}{TWO}", "url", 2),
    (f"Report,,\n,,\nurl,n\n{ROWS}", "url", 2),
    (f"Report,,\nid,url,n,more\n{ROWS}", "url", 1),
    (f"\n\n{HEAD}{TWO}", "url", 0),
    # A header with one name less, of an index or of delimiters at the ends of rows; with one more; with two more.
    (f"url,n\n{TWO}", "url", 0),
    ("id,url,n\n" + TWO.replace("\n", ",\n"), "url", 0),
    ("id,url,n,more\n" + TWO, "url", 0),
    ("id,url,n,more,and\n" + ROWS, "url", 0),
    ("id,url,n,\n" + TWO, "url", 0),
    (f"A title\nurl,n\n{ROWS}", "url", 1),
    # Rows of another width.
    (f"{HEAD}1\n{TWO}", "url", 0),
    (f"{HEAD}{TWO}1,https://e.example/3,2,3,4\n{ROWS}Total\n\n(10 rows)\n", "url", 0),
    # Other delimiters.
    (f"sep=;\n{HEAD}{TWO}".replace(",", ";"), "url", 1),
    (f"sep=^\n{HEAD}{TWO}".replace(",", "^"), "url", 1),
    (f"A title, by me\n{HEAD}{TWO}".replace(",", "|"), "url", 1),
    ("A title, by me\n" + f"{HEAD}{TWO}".replace(",", ";"), "url", 1),
    ("A title, by me\n" + f"{HEAD}{TWO}".replace(",", "\t"), "url", 1),
    # No header, and one column.
    (TWO, "2", 0),
    ("A title\n" + ROWS, "2", 1),
    ("url\nhttps://e.example/1\nhttps://e.example/2\n", "url", 0),
]


@pytest.mark.parametrize(("text", "field", "above"), LAYOUTS)
def test_the_header_of_an_odd_table(text: str, field: str, above: int) -> None:
    data = text.encode()
    records = list(extract_blocks("a.csv", data))
    assert {record.field for record in records} == {field}
    uris = [record.uri for record in records]
    assert uris[:2] == ["https://e.example/1", "https://e.example/2"]
    assert [text.split("\n")[(record.row or 0) - 1].count(record.uri) for record in records] == [1] * len(uris)
    for size in (1, 3, 10):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert [one._row for one in extract_blocks("a.csv", pieces)] == [one._row for one in records]
    reading = ReadingOptions(input="csv", field=[field], skip_lines=above, delimiter="^" if "^" in text else "")
    skipped = Tally()
    assert [one.uri for one in extract_blocks("x", data, reading=reading, tally=skipped)] == uris
    assert skipped.skipped.get(("line", "as-asked"), 0) == above


# Named as nothing, these are tables; and these are text.
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"sep=,\n{HEAD}{TWO}", "csv"),
        ("sep=;\n" + f"{HEAD}{TWO}".replace(",", ";"), "csv"),
        (f"# a comment\n#\n{HEAD}{TWO}", "csv"),
        (f"# a comment\n\n{HEAD}{TWO}".replace(",", "\t"), "tsv"),
        (f"# see https://a.example/\n{HEAD}{TWO}", "text"),
        (f"A title\n{HEAD}{TWO}", "text"),
        ("# a comment, and\nmore, much more\nand more, 3\n", "text"),
        ("sep=many\nwords, and\nmore words\n", "text"),
        ("#!/bin/sh\ncurl https://a.example/,b\n", "text"),
    ],
)
def test_an_odd_table_without_a_name(text: str, kind: str) -> None:
    data = text.encode()
    for blocks in ([data], [data[at : at + 1] for at in range(len(data))]):
        tally = Tally()
        list(extract_blocks("x", blocks, tally=tally))
        assert dict(tally.kinds) == {kind: 1}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(6, 60))])
def test_an_odd_table_in_parts(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = next(one for one in map(odd_table, range(100 * seed, 100 * seed + 100)) if len(one.links) > 200)
    path = tmp_path / "a.csv"
    path.write_bytes(table.data)
    for columns in ((), ("url",)):
        reading = ReadingOptions(input="csv", field=columns)
        whole = [one._row for one in extract_files([path], reading=reading)]
        assert len(whole) >= len(table.links) - 5, table.said
        monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 4_000)
        assert [one._row for one in extract_files([path], reading=reading, jobs=2)] == whole, table.said


def test_rows_are_passed_on_with_what_is_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(f"A title\n# more\n{HEAD}{TWO}{TWO}")
    Path("b.csv").write_text(f"Another title\n{HEAD}{TWO}3,https://e.example/3,1\n")
    kept = f"A title\n# more\n{HEAD}{TWO}3,https://e.example/3,1\n"
    for more in ([], ["--keep", "last"], ["--jobs", "2"]):
        done = call("dedupe", "-v", "--field", "url", "a.csv", "b.csv", *more)
        assert done.out.decode().startswith("A title\n# more\nid,url,n\n1,")
        assert done.out.decode() == kept or "last" in more
        assert "skipped: 1 line (above a header)" in done.err
    Path("b.csv").write_text(f"{HEAD}{TWO}3,https://e.example/3,1\n".replace("\n", ",\n"))
    found = list(check_rows("a.csv", "url"))
    assert [(one.row, one.cell) for one in found[:2]] == [(4, "https://e.example/1"), (5, "https://e.example/2")]
    done = call("normalize", "--quiet", "--field", "url", "a.csv", "--format", "csv")
    assert done.status in (0, 2)
    checked = call("check", "--quiet", "--field", "url", "--format", "csv", "a.csv").out.decode().splitlines()
    assert checked[:3] == [
        "A title",
        "# more",
        "id,url,n,valid,uri,key,warnings,reason,component,offset,expected",
    ]


@pytest.mark.parametrize("skip", ["2", "0"])
@pytest.mark.parametrize("kind", [[], ["--input", "csv"]])
def test_lines_that_are_skipped(kind: list[str], skip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By each command that reads tables; with 0 the first line is the header."""
    monkeypatch.chdir(tmp_path)
    text = f"see https://above.example/,url,x\n1,url,2\n{HEAD}{TWO}"
    Path("a.csv").write_text(text)
    argv = [*kind, "--quiet", "--skip-lines", skip, "a.csv"]
    of_rows = ["https://e.example/1", "https://e.example/2"]
    above = [] if skip == "2" else ["https://above.example/"]
    assert call("extract", *argv).lines == above + of_rows
    counted = call("count", *argv).lines
    assert sorted(line.split()[-1] for line in counted) == sorted(above + of_rows)
    assert len(call("stats", *argv).out) > 0
    if not kind:
        assert call("dedupe", *argv).lines == above + of_rows
    assert call("extract", *argv, "--field", "n").status == (1 if skip == "2" else 2)
    rows = call("dedupe", *argv, "--field", "url").out.decode()
    assert rows == text if skip == "2" else "https://e.example/1" in rows
    checked = call("check", *argv, "--field", "url").lines
    assert len(checked) == (2 if skip == "2" else 4)


def test_lines_that_are_skipped_beyond_the_first_bytes(tmp_path: Path) -> None:
    above = "# a long comment, with words; and more\n" * 2_000
    text = above + f"{HEAD}{ROWS}".replace(",", ";")
    reading = ReadingOptions(input="csv", field=["url"], skip_lines=2_000)
    for blocks in ([text.encode()], [text.encode()[at : at + 999] for at in range(0, len(text), 999)]):
        found = list(extract_blocks("x", blocks, reading=reading))
        assert [record.row for record in found] == list(range(2_002, 2_010))
    (tmp_path / "a.csv").write_text(text)
    assert len(list(check_rows(tmp_path / "a.csv", "url", skip_lines=2_000))) == 8
    reading = ReadingOptions(input="csv", skip_lines=9_000)
    assert list(extract_blocks("x", text.encode(), reading=reading)) == []


def test_a_list_with_odd_lines(tmp_path: Path) -> None:
    path = tmp_path / "known.csv"
    path.write_text(f"sep=;\n{HEAD}{TWO}".replace(",", ";").replace("url", "uri"))
    known = Known.read([path])
    assert (known.links, known.rejected) == (2, 0)


@pytest.mark.parametrize(
    "first", [f"{HEAD}{TWO}{TWO}", f"# a title\n{HEAD}{TWO}{TWO}", f"url,n\n{TWO}{TWO}{TWO}", "https://e.example/1,2\n"]
)
def test_a_live_table_waits_for_five_rows_at_most(first: str) -> None:
    command = [sys.executable, "-m", "urisieve", "extract", "--quiet", "--input", "csv"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin
        assert running.stdout
        running.stdin.write(first.encode())
        running.stdin.flush()
        came = bool(select.select([running.stdout], [], [], 60)[0])
        running.stdin.close()
        assert came
        assert running.stdout.readline() == b"https://e.example/1\n"


# How the third line opens a quotation mark that no row needs, and the one that comes next, if any, in the last but one.
STRAY = {
    "never closed": ('3%"https://e.example/3%30', "7%https://e.example/7%70"),
    "behind a cell in marks": ('"3%a"%"https://e.example/3%30', "7%https://e.example/7%70"),
    "behind a doubled one": ('3%"https://e.example/3%30""%https://e.example/33', "7%https://e.example/7%70"),
    "before one that opens": ('3%"https://e.example/3%30', '7%"https://e.example/7"%70'),
    "before one for an inch": ('3%"https://e.example/3%30', '7%https://e.example/7%7.0" wide'),
    "in each line": ('3%"https://e.example/3%', '7%"https://e.example/7%'),
}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("said", STRAY)
def test_a_stray_quotation_mark_costs_its_line(said: str, end: str, delimiter: str, tmp_path: Path) -> None:
    rows = ["id%url%n", *(f"{number}%https://e.example/{number}%{number}0" for number in range(1, 9))]
    rows[3], rows[7] = STRAY[said]
    data = "".join(f"{row}{end}" for row in rows).replace("%", delimiter).encode()
    (tmp_path / "a.csv").write_bytes(data)
    wanted = [int(at) for at in re.findall(rb"(?<=example/)[0-9]+", data)]
    for blocks in (data, pieces(data, random.Random(1))):
        tally = Tally()
        records = list(extract_blocks("a.csv", blocks, tally=tally))
        assert [one.uri for one in records] == [f"https://e.example/{number}" for number in wanted]
        assert [one.row for one in records if one.uri[-1:] != "3"] == [
            number + 1 for number in wanted if number % 10 != 3
        ]
        assert {one.field for one in records if one.uri != "https://e.example/33"} == {"url"}
        assert all(data[one.byte_start : one.byte_end] == one.uri.encode() for one in records)
        assert tally.broken["row", "no-row"]
    done = call("rewrite", "--quiet", "--defang", str(tmp_path / "a.csv"))
    assert done.out == data.replace(b"https://e.example", b"hxxps://e[.]example")


@pytest.mark.parametrize("behind", ['" z,x', '"z,x', '"" z,x', '"'])
def test_a_link_before_a_mark_that_ends_no_row(behind: str) -> None:
    for size in (0, 1):
        data = f'id,t,u\n1,"m\nhttps://a.example/p{behind}\n2,https://b.example/,x\n'.encode()
        blocks = [data] if size == 0 else pieces(data, random.Random(1))
        assert [one.uri for one in extract_blocks("a.csv", blocks)] == ["https://a.example/p", "https://b.example/"]


@pytest.mark.long
def test_stray_quotation_marks_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, drawn = tmp_path / "a.csv", random.Random(7)
    cells = [
        "x",
        '"',
        '"a',
        'b"',
        '""',
        '"c, d"',
        "https://e.example/{}",
        '"https://e.example/{}',
        '"https://e.example/{}"',
    ]
    for _ in range(8):
        rows = (
            ",".join(drawn.choices(cells, (40, 1, 1, 1, 3, 3, 60, 1, 9), k=3)).format(*range(3)) for _ in range(900)
        )
        path.write_text("id,url,n\n" + "".join(f"{number},{row}\n" for number, row in enumerate(rows)))
        reading = ReadingOptions(input="csv")
        monkeypatch.undo()
        whole = [one._row for one in extract_files([path], reading=reading)]
        assert len(whole) > 0.9 * path.read_text().count("https:")
        monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 4_000)
        assert [one._row for one in extract_files([path], reading=reading, jobs=2)] == whole


@pytest.mark.parametrize(
    "first",
    [
        '"https://e.example/1" ,"a\nb https://e.example/2",',
        'x,"a\\nb https://e.example/1"  ,"https://e.example/2"',
        'say "hi","so "to" say","a\nb https://e.example/1","https://e.example/2"',
        'x,"a\nb https://e.example/1","https://e.example/2" ',
        'x,"a\r\nb https://e.example/1",y "c","d\n""e""","https://e.example/2"  ',
    ],
)
def test_marks_within_a_cell_of_one_line_do_not_end_the_cells_of_others(first: str) -> None:
    data = f"id,url,n\n{first}\nhttps://e.example/3,x,y\n".encode()
    tally = Tally()
    records = list(extract_blocks("a.csv", data, reading=ReadingOptions(input="csv"), tally=tally))
    assert [(one.uri[-1], one.row) for one in records] == [("1", 2), ("2", 2), ("3", 3 + first.count("\n"))]
    assert not tally.broken


@pytest.mark.parametrize("line", ['a",",', '"', ',"a', '","aa,', '",""",,', '"a"b,"c'])
def test_lines_that_leave_cells_open_are_not_read_often(line: str) -> None:
    passed: list[str] = []
    lines = [line] * 2_000

    def counted(self: CellRows) -> str:
        passed.append("")
        return taken(self)

    taken = CellRows.__next__
    with mock.patch.object(CellRows, "__next__", counted):
        tally = Tally()
        data = "\n".join(["https://e.example/1", *lines, "https://e.example/2", ""]).encode()
        records = list(extract_blocks("a.csv", data, reading=ReadingOptions(input="csv"), tally=tally))
    assert [one.uri[-1] for one in records] == ["1", "2"]
    assert len(passed) < 3 * len(lines)


# ---- Lines that end with carriage returns alone, as spreadsheets of old Macs write them.


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("is_quoted", [False, True])
@pytest.mark.parametrize("above", ["", "# a comment\n", "sep={}\n"])
def test_returns_end_lines_as_feeds_do(
    above: str, is_quoted: bool, delimiter: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = above.format(delimiter) + (HEAD + ROWS).replace(",", delimiter)
    if is_quoted:
        text = re.sub(r"https:\S+?/\d", lambda link: f'"{link[0]}"', text)
    monkeypatch.chdir(tmp_path)
    ways = []
    for data in (text.encode(), text.replace("\n", "\r").encode()):
        Path(name).write_bytes(data)
        tally = Tally()
        whole = [placed(one) for one in extract_files([name], tally=tally)]
        assert [placed(one) for one in extract_blocks(name, pieces(data, random.Random(1)))] == whole
        written = call("rewrite", "-q", "--defang", name).out.decode()
        ways.append((whole, tally.kinds, tally.broken, written.replace("\r", "\n")))
        assert len(written) - len(data.decode()) == 2 * len(whole)
    assert ways[0] == ways[1]
    assert len(ways[0][0]) == 8


@pytest.mark.parametrize("seed", range(30))
def test_an_odd_table_with_returns(seed: int) -> None:
    table = next(one for one in map(odd_table, range(60 * seed, 60 * seed + 60)) if " utf-16 " not in one.said)
    data = table.data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    links, _ = found(table, data)
    assert found(table, data.replace(b"\n", b"\r"))[0] == links, table.said


@pytest.mark.parametrize("command", ["dedupe", "check", "normalize"])
@pytest.mark.parametrize("kind", [[], ["--input", "csv"]])
def test_rows_that_end_with_returns_are_not_passed_on(
    kind: list[str], command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of such a file was taken for the header."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_bytes((HEAD + ROWS).replace("\n", "\r").encode())
    done = call(command, *kind, "--field", "url", "a.csv")
    assert (done.status, done.out) == (2, b"")
    assert "carriage returns alone" in done.err


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["a.csv", "a"])
@pytest.mark.parametrize("is_cut", [False, True])
def test_returns_in_quotation_marks_end_no_line(
    is_cut: bool, name: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The header is longer than what decides about a table, and has a return in a cell."""
    monkeypatch.chdir(tmp_path)
    reading = ReadingOptions(input="csv")
    note = "a\rnote" + is_cut * (" that is long" * 400)
    header = f'url,"{note}",' + ",".join(f"column_{number}" for number in range(600))
    rows = [f'https://e.example/{row},"x\ry"' + ",1" * 600 for row in (1, 2, 2, 3)]
    data = end.join([header, *rows, ""]).encode()
    Path(name).write_bytes(data)
    plain = data.replace(b"a\rnote", b"a note")
    expected = [(one.uri, one.field, one.row) for one in extract_blocks(name, plain, reading=reading)]
    assert [row for _, _, row in expected] == [2, 3, 4, 5]
    for blocks in ([data], pieces(data, random.Random(1))):
        links = extract_blocks(name, blocks, reading=reading)
        assert [(one.uri, one.field, one.row) for one in links] == expected
    done = call("dedupe", "--input", "csv", "--field", "url", name)
    assert (done.status, done.out) == (0, data.replace(rows[2].encode() + end.encode(), b"", 1)), done.err


def test_progress_behind_returns_is_no_table() -> None:
    text = "get https://a.example/1,x\r 10%\r 20%\rget https://a.example/2\r"
    assert [record.uri for record in extract_blocks("a", text.encode())] == [
        "https://a.example/1,x",
        "https://a.example/2",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["a.tsv", "a.tab", "a.csv", "a.txt", "a"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_name_promises_no_delimiter(delimiter: str, name: str, end: str) -> None:
    """A table in a `.tsv` is one with commas, too, as one in a `.csv` is with tabs."""
    data = (HEAD + ROWS).replace(",", delimiter).replace("\n", end).encode()
    for blocks in ([data], pieces(data, random.Random(1))):
        links = [placed(one) for one in extract_blocks(name, blocks)]
        assert [(link.uri, link.field) for link in links] == [(f"https://e.example/{n}", "url") for n in range(1, 9)]
    prose = b"see https://e.example/1, or\nhttps://e.example/2, if so\n"
    assert [one.uri for one in extract_blocks(name, prose)] == ["https://e.example/1", "https://e.example/2"]
