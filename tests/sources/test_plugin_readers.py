"""Readers of plug-ins: the sample as installed, what is not theirs, and what they do wrong."""

from __future__ import annotations

import json
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.helpers.installed import install_sample, run_with, write_distribution

NOTE = """#delivery 1
item\tx at http://a.example/
scan\ta.html\tPGEgaHJlZj0vL2IuZXhhbXBsZS8+
seal\tx
what http://d.example/
see\thttp://e.example/ x
see\thttp://é.example/f
scan\tb\t*
"""
FOUND = ["http://a.example/", "http://b.example/", "http://d.example/", "http://xn--9ca.example/f"]
COUNTS = "as 1 delivery; read: 1 html, 1 item; skipped: 1 seal (signed data); broken: 1 delivery (unknown word), 1 scan"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_sample(tmp_path_factory.mktemp("sample"))


def extract(where: Path | str, *words: str, text: str = "") -> tuple[list[str], str]:
    done = run_with(where, "-m", "urisieve", "extract", "-v", *words, text=text)
    assert "Traceback" not in done.stderr
    return done.stdout.split("\n")[:-1], done.stderr


def test_a_file_a_pipe_and_an_attachment(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(NOTE, "utf-8", newline="")
    found, err = extract(sample, "--base", "http://c.example/", str(tmp_path / "note.txt"))
    assert (found, COUNTS in err) == (FOUND, True)
    assert extract(sample, "--base", "http://c.example/", "-", text=NOTE)[0] == FOUND
    mail = EmailMessage()
    mail["Subject"] = "delivery"
    mail.set_content("see")
    mail.add_attachment(NOTE.encode(), maintype="application", subtype="octet-stream", filename="note")
    (tmp_path / "a.eml").write_bytes(bytes(mail))
    rows = [json.loads(line) for line in extract(sample, "--format", "jsonl", str(tmp_path / "a.eml"))[0]]
    assert [(row["uri"], row["part"], row["row"]) for row in rows] == [
        ("http://a.example/", "2", 2),
        ("http://d.example/", "2", 5),
        ("http://xn--9ca.example/f", "2", 7),
    ]
    assert [row["byte_start"] for row in rows] == [NOTE.encode().find(row["raw"].encode()) for row in rows]


def test_it_may_be_named(sample: Path, tmp_path: Path) -> None:
    text = NOTE.partition("\n")[2]
    (tmp_path / "a.dlv").write_text(text, "utf-8")
    found, err = extract(sample, str(tmp_path / "a.dlv"))
    assert ("as 1 text (not delivery)" in err, len(found)) == (True, 4)
    found, err = extract(sample, "--input", "delivery", str(tmp_path / "a.dlv"))
    assert ("as 1 delivery" in err, "broken" in err) == (True, True)
    assert "is not a choice" in extract("", "--input", "delivery", str(tmp_path / "a.dlv"))[1]


def test_what_begins_like_a_kind_of_urisieve_is_that(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "a.dlv").write_text('{"a":"http://a.example/"}\n')
    assert "as 1 json" in extract(sample, str(tmp_path / "a.dlv"))[1]


MODULE = """
from urisieve import UsageError
from urisieve.types import ReaderRow


WRONG = {
    "negative": {"at": -1},
    "field": {"field": 5},
    "row": {"row": "5"},
    "context": {"context": "2024"},
    "delimited": {"delimited": "link"},
    "warnings": {"warnings": ("odd",)},
    "position": {"position": 5},
}


def read(source, out):
    yield out.add("http://before.example/", row=1)
    how = source.peek(4_096).split()[-1].decode()
    if how == "raise":
        raise KeyError("x")
    if how == "misuse":
        raise UsageError("x")
    if how == "pieces":
        yield out.add(("http://in.example/", 5))
    if how == "exit":
        raise SystemExit(3)
    if how == "pipe":
        raise BrokenPipeError
    if how == "map":
        yield out.add("http://map.example/", at=lambda: 5)
    if how == "surrogate":
        yield out.add("http://s.example/ \\ud800", at=0)
    if how == "count":
        out.skip(5)
    if how == "bytes":
        yield out.add(b"http://b.example/")
    if how == "text":
        yield "http://c.example/"
    if how == "at":
        yield out.add("http://d.example/", at="x")
    if how in WRONG:
        yield out.add("http://d.example/", **WRONG[how])


def now(source, out):
    raise KeyError("x")


ROWS = [
    ReaderRow("bad", read, starts=[b"BAD\\n", b"BAD\\0"]),
    ReaderRow("now", now, endings=["now"], media_types=["text/x-now"]),
    ReaderRow("signed", read, starts=[b"S1"], sign=rb"S[0-9]+:"),
    ReaderRow("lost", "nowhere:read", endings=["lost"]),
    ReaderRow("html", read),
    ReaderRow("No name", read),
    ReaderRow("no-function", 5),
    ReaderRow("no-pattern", read, sign=rb"("),
    ReaderRow("no-starts", read, starts=["text"]),
    ReaderRow("no-form", read, form="zip"),
    5,
]
"""
LEFT_OUT = (
    "'html' is a kind",
    "'No name' is not a name",
    "`read`",
    "`sign`",
    "`starts`",
    "`form`",
    "5 is not a ReaderRow",
)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faulty")
    return write_distribution(path, "faulty", MODULE, {"urisieve.readers": {"a": "faulty:ROWS"}})


@pytest.mark.sampled(4)
@pytest.mark.parametrize("how", ["raise", "misuse", "pieces", "exit", "pipe", "bytes", "text", "at", "count"])
def test_a_reader_that_fails_is_a_fault_of_that_file(faulty: Path, tmp_path: Path, how: str) -> None:
    (tmp_path / "a").write_text(f"BAD\n{how}\n")
    (tmp_path / "b").write_text("http://next.example/")
    for more in ([], ["--format", "jsonl"], ["--jobs", "2"]):
        found, err = extract(faulty, *more, str(tmp_path / "a"), str(tmp_path / "b"))
        assert "before.example" in found[0]
        assert "next.example" in found[-1]
        assert "unexpected" in err


@pytest.mark.parametrize("how", ["negative", "field", "row", "context", "delimited", "warnings", "position"])
def test_what_it_adds_is_checked(faulty: Path, tmp_path: Path, how: str) -> None:
    (tmp_path / "a").write_text(f"BAD\n{how}\n")
    found, err = extract(faulty, "--format", "jsonl", str(tmp_path / "a"))
    assert len(found) == 1
    name = "at" if how == "negative" else how
    error = "ValueError" if how == "negative" else "TypeError"
    assert f"unexpected {error} in reading it as bad: `{name}` is " in err


def test_rows_that_cannot_be_used_are_left_out(faulty: Path, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<html><a href=http://a.example/>")
    (tmp_path / "b.now").write_text("http://b.example/")
    (tmp_path / "c.lost").write_text("http://c.example/")
    (tmp_path / "d").write_bytes(b"BAD\0\1\2\3good")
    (tmp_path / "e").write_bytes(b"S12:good")
    (tmp_path / "f").write_bytes(b"S1 http://f.example/")
    found, err = extract(faulty, *map(str, sorted(tmp_path.iterdir())))
    assert [message for message in LEFT_OUT if message not in err] == []
    assert found == ["http://a.example/", *["http://before.example/"] * 2, "http://f.example/"]
    assert "as 1 bad, 1 html, 1 lost, 1 now, 1 signed, 1 text" in err
    assert "unexpected KeyError in reading it as now" in err
    assert "unexpected ModuleNotFoundError in reading it as lost" in err
