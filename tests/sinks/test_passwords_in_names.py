"""Passwords where no link is looked for: names of files, members, fields, people, subjects; and what cuts them."""

from __future__ import annotations

import base64
import csv
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from urisieve.records.masking import masked_name
from urisieve.syntax.passwords import passwords, suspected_passwords

SECRET = "CANARY9"
# Each contains a password, as links are written, encoded, cut, broken by what ends lines, words and quotations.
HOSTILE = [
    f"sip:u:{SECRET}@h.example",
    f"SIPS:u:{SECRET}@h.example",
    f"sip:u%3A{SECRET}@h.example",
    f"sip%3Au%3A{SECRET}%40h.example",
    f"sip%253Au%253A{SECRET}%2540h.example",
    f"http://u:{SECRET}@h.example/",
    f"http://u%3A{SECRET}@h.example/",
    f"http://u%253a{SECRET}@h.example/",
    f"http%3A%2F%2Fu%3A{SECRET}%40h.example%2F",
    f"view-source:http://u:{SECRET}@h.example/",
    f"https://r.example/?u=sip:u:{SECRET}@h.example",
    f"https://r.example/?u=sip%3Au%3A{SECRET}%40h.example&a=b",
    *(f"http://u:{SECRET}{mark}{SECRET}@h.example/" for mark in "\r\x0b\x85\u2028\u2029 \xa0\"'<"),
    *(f"sip:u:{SECRET}{mark}{SECRET}@h.example" for mark in "\r\x0b\x85\u2028\u2029 \xa0\"'<"),
    f"jdbc:oracle:thin:u/{SECRET}@h:1521:x",
    f"jdbc:mysql://h/db?user=u&password={SECRET}",
    # Longer than a name may be, so that the "@" is cut off.
    f"sip:u:{SECRET}{'x' * 2_000}@h.example",
    f"http://u:{SECRET}{'x' * 2_000}@h.example/",
    f"http%3A%2F%2Fu%3A{SECRET}{'x' * 2_000}%40h.example%2F",
    f"http://u:{SECRET * 12_000}@h.example/",
]


def _word(text: str) -> str:
    return f"=?utf-8?B?{base64.b64encode(text.encode()).decode()}?="


def _mail(text: str) -> bytes:
    word, one = _word(text), text.replace("\r", " ")
    return (
        f"From: {word} <a@b.example>\nTo: {one}\nCc: <{one}>\nSubject: see {word} now\nDate: {one}\n"
        f"Message-ID: <{one}>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n"
        f'Content-Type: text/plain; name="{word}"\n\nhttp://ok.example/\n--B--\n'
    ).encode()


def _archive(text: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(text[:60_000], "http://ok.example/ ")
    return packed.getvalue()


def _database(text: str) -> bytes:
    name = '"{}"'.format(text.replace('"', '""'))
    database = sqlite3.connect(":memory:")
    database.execute(f"create table {name} ({name} text)")
    database.execute(f"insert into {name} values ('http://ok.example/')")
    database.commit()
    return database.serialize()


def _table(text: str) -> bytes:
    rows = io.StringIO()
    csv.writer(rows).writerows([["id", text], ["1", "http://ok.example/"], ["2", text]])
    return rows.getvalue().encode()


def _record(text: str) -> bytes:
    head = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/plain\r\nContent-Length: 18\r\n"
    return f"{head}WARC-Target-URI: {text}\r\n\r\nhttp://ok.example/\r\n\r\n".encode()


def _calendar(text: str) -> bytes:
    one = text.replace("\r", " ")
    return (
        f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:{one}\nORGANIZER:{one}\nURL:http://ok.example/\nEND:VEVENT\n".encode()
    )


CARRIERS: dict[str, Callable[[str], bytes]] = {
    "jsonl": lambda text: (
        f"{json.dumps({text: 'http://ok.example/', 'b': {text: {'c': 'ftp://ok.example/'}}})}\n".encode()
    ),
    "csv": _table,
    "eml": _mail,
    "zip": _archive,
    "db": _database,
    "warc": _record,
    "ics": _calendar,
    "txt": lambda text: f'{text}\n\n<{text}>\n\n"{text}"\n\n({text}) x={text}\n'.encode(),
}
NAMES = "raw,uri,key,userinfo,source,field,message_id,part,alternatives,time_written,from,to,subject"
# Without `addresses`: where white space ends a candidate, what follows up to the host is an address in running text.
RUNS: list[tuple[str, ...]] = [
    ("extract",),
    ("extract", "--fields", NAMES, "--accept", "names,defanged,nested,unencoded,wrapped-any"),
    ("extract", "--template", "{raw} {source} {field} {part} {subject} {from} {to}"),
    ("extract", "-f", "jsonl", "--read", "context", "--rejected", "rejected.jsonl"),
    ("extract", "-f", "csv", "--read", "context", "--safe", "defang", "--rejected", "rejected.csv"),
    ("dedupe", "-f", "jsonl"),
    ("count", "--spellings", "9", "--read", "context"),
    ("stats", "-f", "json", "--read", "context"),
    ("report", "-o", "report.html"),
]


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "planted"
    for index, text in enumerate(HOSTILE):
        for ending, content in CARRIERS.items():
            path = folder / f"{index}.{ending}"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content(text))
        if len(text) < 200:
            path = folder / f"{index}" / f"{text}.txt"
            path.parent.mkdir(parents=True)
            path.parent.joinpath(text).parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"http://ok.example/ http://e.example:80x/\n")
    return folder


@pytest.mark.sampled(9)
@pytest.mark.parametrize("argv", RUNS, ids=" ".join)
def test_no_password_leaves_by_a_name(argv: tuple[str, ...], planted: Path, tmp_path: Path) -> None:
    outcome = call(*argv, planted.name)
    assert b"ok.example" in outcome.out.replace(b"[.]", b".") or argv[0] == "report"
    written = [outcome.out, outcome.err.encode(), *(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())]
    for data in written:
        at = data.find(SECRET.encode())
        assert at < 0, data[max(0, at - 200) : at + 60]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("command", ["check", "normalize", "explain", "schemes"])
def test_no_password_leaves_by_an_argument(command: str) -> None:
    for text in HOSTILE:
        if any(mark in text for mark in " \xa0\r\x0b\x85\u2028\u2029") and command == "schemes":
            continue
        for argument in (text, f"{text} \x7f"):
            outcome = call(command, "--", argument)
            assert SECRET not in outcome.out.decode() + outcome.err, ascii(argument[:80])


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("sip:u:pw@h", "sip:u:***@h"),
        ("see sip:u:p\u2028w@h now", "see sip:u:***@h now"),
        ("a.zip!http://u:pw\u20260123456789abcdef", "a.zip!http://u:***\u20260123456789abcdef"),
        ("a.zip!http%3A%2F%2Fu%3Apw\u2026", "a.zip!http%3A%2F%2Fu%3A***\u2026"),
        ("http://u%3Apw@h/", "http://u%3A***@h/"),
        (f"http://u:{'x' * 300}", "http://u:***"),
        # Neither a user nor a password.
        ("http://h.example:80/aaa\u2026bcd", "http://h.example:80/aaa\u2026bcd"),
        ("sip:h.example:5060 a@b", "sip:h.example:5060 a@b"),
        (f"http://h.example/{'x' * 300}", f"http://h.example/{'x' * 300}"),
    ],
)
def test_what_is_hidden_in_a_name(name: str, shown: str) -> None:
    assert masked_name(name) == shown


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("http://u%3Apw@h/", ["pw"]),
        ("http://u%253Apw@h/", ["pw"]),
        ("http://u%3Ap:w@h/", ["p:w"]),
        ("sip:u%3apw@h", ["pw"]),
        ("https://r.example/?u=sip:u:pw@h&a=b", ["pw"]),
        ("https://r.example/?u=sips%3Au%3Apw%40h", ["pw"]),
        ("http://h/%3Aa@b", []),
        ("http://h/?u=sip:h:5060&m=a@b", []),
        ("http://h/?u=gossip:a:b@c", []),
        ("mailto:a%3Ab@c.example", []),
    ],
)
def test_passwords_after_encoded_colons_and_of_sip_inside(text: str, hidden: list[str]) -> None:
    assert [text[start:end] for start, end in passwords(text)] == hidden
    assert [text[start:end] for start, end in suspected_passwords(text)] == hidden
    for shown in (call("normalize", text), call("extract", stdin=f"{text}\n".encode())):
        assert not [word for word in hidden if f"{word}@" in shown.out.decode() or f"{word}%40" in shown.out.decode()]
