"""Files with odd lines are read as what they are; what is not what its name promises says so in each of its records."""

from __future__ import annotations

import json
import os
import re
import select
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.helpers.cli_support import call, start, until, waiting
from tests.helpers.engines import Engine
from tests.helpers.every_kind import FILES
from tests.helpers.odd_files import odd_file
from urisieve import ReadingOptions, Record, Tally, extract_batches, extract_blocks, extract_files
from urisieve.codes import Warn
from urisieve.sources.kinds.kind_table import HEAD_SIZE, LONGEST_HEAD

SIZES = (1, 7, HEAD_SIZE - 1, HEAD_SIZE, HEAD_SIZE + 1)


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def assert_read_right(folder: Path, seed: int) -> None:
    file = odd_file(seed)
    path = folder / file.name
    path.write_text(file.content, encoding="utf-8", newline="")
    data = path.read_bytes()
    tally = Tally()
    records = [record for record in extract_files([path], tally=tally) if record.host != "www.w3.org"]
    assert ([record.uri for record in records], set(tally.kinds) <= set(file.kinds)) == (file.links, True), seed
    for record in records:
        assert record.byte_start is None or data.startswith(b"http", record.byte_start), seed
        assert not record.uri.endswith(")") or (record.field or "").endswith("url"), seed  # a string of JSON
    assert not tally.warnings[Warn.NOT_AS_NAMED], seed


@pytest.mark.sampled(2)
@pytest.mark.parametrize("first", range(0, 60, 6))
def test_odd_files_are_read_as_what_they_are(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 6):
        assert_read_right(tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(60, 1_000, 20))
def test_a_thousand_odd_files(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 20):
        assert_read_right(tmp_path, seed)


# ---------------------------------------------------------------- pieces

# A text that holds, after its first line, what text does not.
LATE = b"a http://a.example/\n\0\0\1\2 x http://b.example/\n"
PIECES = {
    **FILES,
    "late": LATE,
    "late.log": LATE,
    "late.csv": b"a,b\nhttp://a.example/,1\n" + LATE,
    **{f"{seed}-{odd_file(seed).name}": odd_file(seed).content.encode() for seed in range(6)},
}


def read(name: str, blocks: Iterator[bytes]) -> object:
    tally = Tally()
    reading = ReadingOptions(binary=False)
    records = extract_blocks(name, blocks, reading=reading, tally=tally, on_error=lambda *_: None)
    found = [(one.uri, one.byte_start, one.field, one.row, tuple(one.warnings)) for one in records]
    return found, tally.kinds, tally.skipped, tally.rejected


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_pieces_do_not_matter(size: int) -> None:
    for name, data in PIECES.items():
        assert read(name, cut(data, size)) == read(name, iter([data])), name


# What a file with the name of a page begins with.
PAGES = {
    "a tag in the first line": b"hello <b>http://a.example/?a=1&amp;b=2</b>\n",
    "a tag in the second line": b"hello\nyou <i>x</i> http://a.example/?a=1&amp;b=2\n",
    "a tag at the start": b"<p>http://a.example/?a=1&amp;b=2</p>",
    "a template": b"{% extends 'x' %}\n<a href=\"http://a.example/?a=1&amp;b=2\">y</a>\n",
    "no tag": b"see http://a.example/?a=1&amp;b=2 now\n",
    "a sign of less": b"a < b http://a.example/?a=1&amp;b=2\n",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_one_as_a_file_and_as_a_stream(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGES[name])
    of_file = [(one.uri, tuple(one.warnings)) for one in extract_files([tmp_path / "a.html"])]
    for size in (1, 7, len(PAGES[name])):
        found = extract_blocks("a.html", cut(PAGES[name], size))
        assert [(one.uri, tuple(one.warnings)) for one in found] == of_file, size
    is_page = name not in ("no tag", "a sign of less")
    assert of_file == [("http://a.example/?a=1&b=2", ()) if is_page else
                       ("http://a.example/?a=1&amp;b=2", (Warn.NOT_AS_NAMED,))]  # fmt: skip


# ---------------------------------------------------------------- P7: binary or text, however the bytes come

TEXT, JUNK = b"a http://a.example/\n", b"\0\0\1\2 x http://b.example/\n"
# What begins so, the kind of it, and the links in it.
BINARY_OR_TEXT = {
    "text, then NULs": (TEXT + JUNK, "text", "ab"),
    "text, then NULs beyond what is examined": (TEXT * 300 + JUNK, "text", "a" * 300 + "b"),
    "many lines, then NULs": (TEXT * 3 + JUNK * 3, "text", "aaabbb"),
    "text, then controls without a NUL": (TEXT + JUNK.replace(b"\0", b"\3"), "text", "ab"),
    "text with one NUL": (b"a http://a.example/ \0 b c d e f g h i j k l m n o p q r s t u v w x y z\n", "text", "a"),
    "NULs in the first line": (JUNK + TEXT, "binary", "ba"),
    "NULs in the first line, behind a link": (b"http://a.example/ \0\0\0\n" + TEXT, "text", "aa"),
    "NULs behind a word": (b"OTTO\0\0\0\0 " + TEXT, "binary", "a"),
    "a line feed, then NULs": (b"\n" + JUNK + TEXT, "binary", "ba"),
    "an image": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR " + TEXT, "binary", "a"),
    "an image that begins with a word": (b"GIF89a\1\0\1\0\0\0 " + TEXT, "binary", "a"),
    "a text that begins as an image": (b"GIF89a is a word\n" + TEXT, "text", "a"),
    "a library": (b"!<arch>\nb.o/    0   0   0   644  4  `\n" + JUNK, "binary", "b"),
    "an inventory of a manual": (
        b"# Sphinx inventory version 2\n# Project: a\n" + bytes(range(128, 256)),
        "binary",
        "",
    ),
    "a library of types": (b"GOBJ\nMETADATA\r\n\x1a\4\0" + bytes(range(128, 256)) + TEXT, "binary", "a"),
    "a table, then NULs": (b"id,u\n1,http://a.example/\n2,http://b.example/\n3,b\n4,c\n\0\0\0\0", "csv", "ab"),
    "JSON lines, then NULs": (b'{"u":"http://a.example/"}\n{"u":"http://b.example/"}\n\0\0\0\0\n', "jsonl", "ab"),
    "UTF-16": ("a http://a.example/\n".encode("utf-16-le"), "text", "a"),
}


@pytest.fixture(scope="module", params=[False, True], ids=["kernel", "Python"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    found = Engine(is_pure=request.param)
    yield found
    found.close()


def has_no_reader(descriptor: int) -> bool:
    """Report whether nobody reads a pipe any more, by the end to which it is written."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def piped(path: Path, pieces: list[bytes]) -> threading.Thread:
    """Write pieces to a pipe, each after the one before it has been read."""

    def write() -> None:
        # What is binary is not read to its end.
        with path.open("wb", buffering=0) as pipe, suppress(BrokenPipeError):
            for piece in pieces:
                pipe.write(piece)
                until(lambda: not waiting(pipe.fileno()) or has_no_reader(pipe.fileno()))

    os.mkfifo(path)
    thread = threading.Thread(target=write)
    thread.start()
    return thread


@pytest.mark.sampled(3)
@pytest.mark.skipif(sys.platform != "linux", reason="looks at what is in a pipe")
@pytest.mark.parametrize("option", [(), ("--read", "no-binary"), ("--read", "binary")])
def test_bytes_are_the_same_kind_however_they_come(tmp_path: Path, engine: Engine, option: tuple[str, ...]) -> None:
    for number, (name, (data, kind, links)) in enumerate(BINARY_OR_TEXT.items()):
        first = data.index(b"\n") + 1
        ways = {
            "file": None,
            "whole": [data],
            "two pieces": [data[:first], data[first:]],
            "a cut": [data[:9], data[9:]],
        }
        seen = set()
        for way, pieces in ways.items():
            folder = tmp_path / f"{number}{way}"
            folder.mkdir()
            path = folder / "a"
            writer = None
            if pieces is None:
                path.write_bytes(data)
            else:
                writer = piped(path, pieces)
            out = engine.ran(["extract", "-v", "--format", "jsonl", "--fields", "uri,byte_start", *option, str(path)])
            if writer is not None:
                writer.join()
            is_read = kind != "binary" or "no-binary" not in option
            found = [json.loads(line)["uri"] for line in out.out.splitlines()]
            assert found == [f"http://{one}.example/" for one in links if is_read], (name, way)
            seen.add((out.out, re.sub(r", [0-9]+ bytes", "", out.said.replace(str(path), ""))))
        assert len(seen) == 1, name


def test_a_line_of_a_pipe_is_out_before_what_follows() -> None:
    with start("extract", "-") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(TEXT)
        assert process.stdout.readline() == b"http://a.example/\n"
        process.stdin.write(JUNK)
        assert process.stdout.readline() == b"http://b.example/\n"
        process.stdin.close()
        process.stdout.read()


# ---------------------------------------------------------------- what is examined

LINE = "a line of a program, which is not short, above what was asked for\n"
FIELD = f"X-Filter: {'a' * 70}\n"
FOLDED = "X-Seal: b\n" + f"\t{'c' * 70}\n" * 80
BODY = "\n\nPGEgaHJlZj0iaHR0cDovL2EuZXhhbXBsZS94Ij55PC9hPg==\n"
# Name, a beginning and how often it comes, the rest, and the kind.
DEEP = [
    ("a.eml", FIELD, 100, f"Subject: b{BODY}", "mail"),
    ("a", FOLDED, 1, f"Subject: b\nFrom: c{BODY}", "mail"),
    ("a.txt", FOLDED, 9, f"Subject: b\nFrom: c{BODY}", "mail"),
    ("a.eml", "Subject: b", 1, BODY, "mail"),
    ("a.txt", "Subject: b", 1, BODY, "text"),
    ("a.ics", LINE, 300, "BEGIN:VCALENDAR\nURL:http://a.example/x\nEND:VCALENDAR\n", "calendar"),
    ("a.ics", LINE, 1_001, "BEGIN:VCALENDAR\nURL:http://a.example/x\nEND:VCALENDAR\n", "text (not calendar)"),
    ("a.html", LINE, 900, "<p><a href='http://a.example/x'>b</a>", "html"),
    ("a.html", LINE, LONGEST_HEAD // len(LINE) + 1, "<p><a href='http://a.example/x'>b</a>", "text (not html)"),
    ("a.txt", LINE, 3, "<!doctype html><a href='http://a.example/x'>b</a>", "html"),
    ("a.txt", LINE, 4, "<!doctype html><a href='http://a.example/x'>b</a>", "text"),
    ("a.txt", LINE, 1, "<p><a href='http://a.example/x'>b</a>", "text"),
    ("a.log", LINE, 1, '{"u":"http://a.example/x"}\n{"u":1}\n', "jsonl"),
    ("a.log", LINE, 2, '{"u":"http://a.example/x"}\n{"u":1}\n', "text"),
    ("a.log", LINE, 1, '{"u":"http://a.example/x"}\n{}\n[1]\n', "text"),
    ("a.jsonl", LINE, 9, '{"u":"http://a.example/x"}\n', "jsonl"),
    ("a.json", LINE, 9, '{"u":"http://a.example/x"}\n', "json"),
    ("a.csv", LINE, 1, "<!doctype html><a href='http://a.example/x'>b</a>", "html (not csv)"),
]


@pytest.mark.parametrize(("name", "unit", "number", "rest", "kind"), DEEP)
def test_how_much_is_examined(tmp_path: Path, name: str, unit: str, number: int, rest: str, kind: str) -> None:
    path = tmp_path / name
    path.write_text(unit * number + rest)
    tally = Tally()
    list(extract_files([path], tally=tally))
    assert tally.kinds == {kind: 1}


MAIL = (
    "From: a@b.example\nSubject: c\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=d\n\n"
    "--d\nContent-Type: text/plain\n\ne\n--d\n"
    "Content-Type: text/watch-html\n\n<b>f</b> <a href='http://a.example/?g&amp;h'>i</a>\n--d--\n"
)


def test_a_page_for_watches() -> None:
    assert [record.uri for record in extract_blocks("a.eml", MAIL.encode())] == ["http://a.example/?g&h"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (')]}\'\n{"u":"http://a.example/","v":"http://b.example/"}', ["http://a.example/"]),
        ('see http://c.example/\n{"u":"http://a.example/"}\n', ["http://a.example/"]),
        ("f({'u':'http://c.example/'})", None),
    ],
)
def test_a_field_of_json_below_or_inside(tmp_path: Path, content: str, expected: list[str] | None) -> None:
    """What is above or around is no value of the field."""
    path = tmp_path / "a.json"
    path.write_text(content)
    out = call("extract", "--field", "u", str(path))
    assert (out.lines, out.status) == ((expected, 0) if expected else ([], 2))


@pytest.mark.parametrize(
    ("content", "broken"),
    [
        ('f({"u":"http://a.example/"});\n', 0),
        ('f({"u":"http://a.example/"}) more http://b.example/\n', 1),
        ('a = ["http://a.example/"]\n', 0),
        ('a title\n{"u":"http://a.example/",}\n', 1),
    ],
)
def test_what_ends_a_script_is_no_fault(tmp_path: Path, content: str, broken: int) -> None:
    path = tmp_path / "a.json"
    path.write_text(content)
    tally = Tally()
    found = [record.uri for record in extract_files([path], tally=tally)]
    assert (found, tally.kinds) == (["http://a.example/", "http://b.example/"][: content.count("http")], {"json": 1})
    assert sum(tally.broken.values()) == broken


# ---------------------------------------------------------------- what is given up

# Name, content, the kind that is counted, the links.
GIVEN_UP = [
    ("a.csv", "no table\nhttp://a.example/,10\n", "text (not csv)", ["http://a.example/"]),
    ("a.csv", 'one\n"http://a.example/,1",http://b.example/,2\n', "text (not csv)",
     ["http://a.example/,1", "http://b.example/"]),
    ("a.csv", "one\n<http://a.example/,1>,http://b.example/?c;d,2\n", "text (not csv)",
     ["http://a.example/,1", "http://b.example/?c;d"]),
    ("a.csv", "one\nhttp://a.example/,1;http://b.example/;2;3\n", "text (not csv)",
     ["http://a.example/,1", "http://b.example/"]),
    ("a.json", "see http://a.example/,10\n", "text (not json)", ["http://a.example/,10"]),
    ("a.html", "see http://a.example/\n", "text (not html)", ["http://a.example/"]),
    ("a.csv", "<!doctype html><a href=http://a.example/?b&amp;c>", "html (not csv)", ["http://a.example/?b&c"]),
    ("a.html", '{"u":"http:\\/\\/a.example"}\n{"u":"http:\\/\\/b.example"}\n', "jsonl (not html)",
     ["http://a.example/", "http://b.example/"]),
    ("a.ics", "id,u\n1,http://a.example/\n2,http://b.example/\n", "csv (not calendar)",
     ["http://a.example/", "http://b.example/"]),
    ("a.eml", "http://a.example/\n", "text (not mail)", ["http://a.example/"]),
    ("a.txt", "http://a.example/,10\n", "text", ["http://a.example/,10"]),
    ("a.xml", "<!doctype html><a href=http://a.example/>", "html", ["http://a.example/"]),
    ("a.csv", "id\tu\n1\thttp://a.example/,1\n", "tsv", ["http://a.example/,1"]),
    ("a.mbox", "Subject: a\nFrom: b\n\nhttp://a.example/\n", "mail", ["http://a.example/"]),
]  # fmt: skip


def warned(records: list[Record]) -> set[bool]:
    return {Warn.NOT_AS_NAMED in record.warnings for record in records}


@pytest.mark.sampled(13)
@pytest.mark.parametrize(("name", "content", "kind", "links"), GIVEN_UP)
def test_what_is_given_up(tmp_path: Path, name: str, content: str, kind: str, links: list[str]) -> None:
    path = tmp_path / name
    path.write_text(content)
    tally = Tally()
    records = list(extract_files([path], tally=tally))
    is_given_up = "not" in kind
    assert ([record.uri for record in records], tally.kinds, warned(records)) == (links, {kind: 1}, {is_given_up})
    assert tally.warnings[Warn.NOT_AS_NAMED] == is_given_up * len(links)
    data = content.encode()
    for record in records:
        assert record.byte_start is not None
        assert data.startswith(b"http", record.byte_start)
    for size in SIZES:
        again = list(extract_blocks(name, cut(data, size)))
        assert ([one.uri for one in again], warned(again)) == (links, {is_given_up})
    batches = list(extract_batches([path], columns=["uri", "warnings"]))
    codes = [some for batch in batches for some in batch.column("warnings")]
    assert [Warn.NOT_AS_NAMED in some for some in codes] == [is_given_up] * len(links)
    said = f"; as 1 {kind}" if kind != "text" else " found"
    for options in ((), ("--jobs", "2"), ("--format", "jsonl"), ("--format", "csv"), ("--unique",)):
        out = call("extract", "-v", *options, str(path))
        assert (said in out.err, "not-as-named" in out.err) == (True, is_given_up), options
    out = call("extract", "--quiet", "--format", "jsonl", str(path))
    assert ["not-as-named" in json.loads(line)["warnings"] for line in out.lines] == [is_given_up] * len(links)


def test_members_of_archives_are_given_up_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number, (name, content, _, _) in enumerate(GIVEN_UP):
            archive.writestr(f"{number}{name}", content)
    tally = Tally()
    records = list(extract_files([path], tally=tally))
    for number, (name, _, kind, links) in enumerate(GIVEN_UP):
        some = [record for record in records if (record.source or "").endswith(f"!{number}{name}")]
        assert ([one.uri for one in some], warned(some)) == (links, {"not" in kind}), name
    assert tally.kinds["text (not csv)"] == 4


def test_a_kind_by_option_gives_nothing_up(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("no table\nhttp://a.example/,10\n")
    tally = Tally()
    (record,) = extract_files([path], reading=ReadingOptions(input="text"), tally=tally)
    assert (record.uri, record.warnings, tally.kinds) == ("http://a.example/,10", (), {"text": 1})


def test_each_part_of_a_large_file_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    line = f"see http://a.example/ {'x' * 900}\n"
    path.write_text(line * 5_000)  # more than one part
    for jobs in "12":
        out = call("extract", "--jobs", jobs, "--format", "jsonl", "--fields", "warnings", str(path))
        assert len(out.lines) == 5_000
        assert set(out.lines) == {'{"warnings":["not-as-named"]}'}
