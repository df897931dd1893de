"""When and from whom records come: each kind of source, filters by time, and how such values leave."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

import urisieve.runs.run
from tests.helpers.cli_support import call
from urisieve import (
    Filter,
    ReadingOptions,
    Record,
    Rejection,
    UsageError,
    extract_files,
    new_secret,
    read_records,
    sieve_files,
    write_records,
)
from urisieve.records.base import CONTEXT_NAMES
from urisieve.records.mask import Mask
from urisieve.sources.contexts import TIME_ELEMENTS, TIME_NAMES, TimeElement, named_time
from urisieve.sources.mail.header_fields import addresses
from urisieve.types import Context

DAY = "2024-05-31T13:05:07Z"
WRITTEN = "Fri, 31 May 2024 15:05:07 +0200"


def tarred(name: str, data: bytes) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return whole.getvalue()


def record_of_warc(kind: str, body: bytes) -> bytes:
    response = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + body
    return (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x.example/\r\n"
        f"WARC-Date: {DAY}\r\nContent-Type: application/http\r\nContent-Length: {len(response)}\r\n\r\n"
    ).encode() + response + b"\r\n\r\n"  # fmt: skip


MESSAGE = f"""\
Received: from x by y; Fri, 31 May 2024 16:00:00 +0200
From: "Lovelace, Ada" <ada@a.example>
To: Bob <bob@b.example>, list: c@c.example, d@d.example;
Cc: bob@b.example (Bob)
Subject: =?utf-8?q?caf=C3=A9?=
 and=?utf-8?q?=1B=5B2J?=
Date: {WRITTEN}
""".encode()
SENT = (DAY, WRITTEN, "ada@a.example", ("bob@b.example", "c@c.example", "d@d.example"), "café and\ufffd[2J")
ENVELOPE = b"From ada@a.example Fri May 31 13:05:07 2024\n"
BY_ENVELOPE = ("2024-05-31T13:05:07", "Fri May 31 13:05:07 2024", None, None, None)
PART = b"Content-Type: text/plain\n\nhttp://a.example/\n"
MULTIPART = (
    b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n" + PART + b"--x\n"
    b"Content-Type: message/rfc822\n\nFrom: inner@i.example\nSubject: inner\n\nhttp://b.example/\n--x--\n"
)
PAGE = b"<!doctype html><a href=http://a.example/>a</a> <a href='http://b.example/&nbsp;c'>b</a> http://c.example/"
EVENT = b"""\
BEGIN:VCALENDAR
URL:http://a.example/
BEGIN:VTIMEZONE
TZURL:http://b.example/
DTSTART:19700101T000000
END:VTIMEZONE
BEGIN:VEVENT
URL:http://c.example/
DTSTAMP:20240501T090000Z
DTSTART;TZID=Europe/Berlin:20240531T150507
ORGANIZER;CN="Ada":MAILTO:ada@a.example
ATTENDEE:mailto:bob@b.example
SUMMARY:Tea\\, of
  course
BEGIN:VALARM
ATTACH:http://d.example/
SUMMARY:alarm
END:VALARM
END:VEVENT
END:VCALENDAR
"""
INVITED = ("2024-05-31T15:05:07", "20240531T150507", "ada@a.example", ("bob@b.example",), "Tea, of course")
CARDS = b"""\
BEGIN:VCARD
VERSION:4.0
URL:http://a.example/
REV:20240531T130507Z
END:VCARD
BEGIN:VCARD
VERSION:4.0
URL:http://b.example/
END:VCARD
"""
NOTHING = (None,) * 5


def when(time: str | None, written: str) -> tuple[Any, ...]:
    return (time, written, None, None, None)


LINES = b"""\
{"a": "http://a.example/", "Time": "31/May/2024:15:05:07 +0200", "b": {"date": 0, "c": "http://b.example/"}}
["http://c.example/", {"d": ["http://d.example/"], "ts": "1717160707000"}]
{"time": "noon", "e": "http://e/"}
"""
JSON = b'[{"x": "http://a.example/", "ts": 1717160707}, {"y": [{"z": "http:\\/\\/b.example/"}]}]'
LOG = f"{DAY} http://a.example/\nMay 31 13:05:07 http://b.example/ http://b.example/\nhttp://c.example/\n".encode()
OF_LOG = [when(DAY, DAY), *[when(None, "May 31 13:05:07")] * 3]
KINDS: dict[str, tuple[bytes, list[tuple[Any, ...]]]] = {
    # a file: its bytes, and the context of each identifier of http
    "a.log": (LOG, OF_LOG),
    "a.log.gz": (gzip.compress(LOG), OF_LOG),
    "a.utf16": (LOG.decode().encode("utf-16"), OF_LOG),
    "a.tar": (tarred("a.log", LOG), OF_LOG),
    "m.eml": (MESSAGE + b"\nhttp://a.example/\n", [SENT]),
    "parts.eml": (MESSAGE + MULTIPART, [SENT, SENT]),
    "page.eml": (MESSAGE + b"Content-Type: text/html\n\n" + PAGE, [SENT] * 3),
    "attached.eml": (
        MESSAGE + b"MIME-Version: 1.0\nContent-Type: application/x-tar\n"
        b"Content-Disposition: attachment; filename=a.tar\nContent-Transfer-Encoding: 8bit\n\n" + tarred("a.log", LOG),
        [SENT, SENT, SENT, SENT],
    ),
    "a.mbox": (
        ENVELOPE + MESSAGE + b"\nhttp://a.example/\n\n" + ENVELOPE + b"To: x\n\nhttp://b.example/\n\n"
        + ENVELOPE + MESSAGE + MULTIPART, [SENT, BY_ENVELOPE, SENT, SENT],
    ),
    "a.jsonl": (
        LINES,
        [when(DAY, "31/May/2024:15:05:07 +0200")] * 2 + [NOTHING, when(DAY, "1717160707000"), NOTHING],
    ),
    "a.json": (JSON, [when(DAY, "1717160707"), NOTHING]),
    "a.csv": (
        f"date,url,note\n{DAY},http://a.example/,\"http://b.example/ \"\"x\"\"\"\n,http://c.example/,\n".encode(),
        [when(DAY, DAY), NOTHING],
    ),
    "a.tsv": (f"url\t@timestamp\nhttp://a.example/\t{DAY}\n".encode(), [when(DAY, DAY)]),
    "a.warc": (
        record_of_warc("text/html", PAGE) + record_of_warc("text/plain", b"http://a.example/"), [when(DAY, DAY)] * 4
    ),
    "j.export": (
        b"__REALTIME_TIMESTAMP=1717160707000000\nMESSAGE=http://a.example/\n\nMESSAGE=http://b.example/\n\n",
        [when(DAY, "1717160707000000"), NOTHING],
    ),
    "a.ics": (EVENT, [NOTHING, NOTHING, INVITED, INVITED]),
    "a.vcf": (CARDS, [when("2024-05-31T13:05:07Z", "20240531T130507Z"), NOTHING]),
    "a.html": (PAGE, [NOTHING] * 3),
}  # fmt: skip
CONTEXT = ReadingOptions(context=True)


def fields(record: Record | Rejection) -> tuple[Any, ...]:
    return record.time, record.time_written, record.sender, record.to, record.subject


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_source_says_when_and_from_whom(name: str, tmp_path: Path) -> None:
    data, expected = KINDS[name]
    path = tmp_path / name
    path.write_bytes(data)
    found = [one for one in extract_files([path], reading=CONTEXT, jobs=1) if one.scheme == "http"]
    assert [fields(one) for one in found] == expected
    for one in found:
        assert Record.from_dict(one.as_dict()).as_dict() == one.as_dict()
        assert set(CONTEXT_NAMES).issubset(one.as_dict()) or fields(one) == NOTHING
    plain = [one for one in extract_files([path], jobs=1) if one.scheme == "http"]
    assert {fields(one) for one in plain} == {NOTHING}
    assert not any(set(CONTEXT_NAMES) & one.as_dict().keys() for one in plain)
    assert [(one.uri, one.start, one.byte_start) for one in plain] == [(x.uri, x.start, x.byte_start) for x in found]


def test_the_streams_of_json_know_what_stands_before(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"ts": 1717160707, "x": {"y": "http://a.example/"}}, {"x": "http://b.example/", "ts": 1}]')
    found = extract_files([path], reading=ReadingOptions(context=True, field="[]"), jobs=1)
    assert [one.time for one in found] == [DAY, None]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_the_field_with_the_time_can_be_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    row = {"time": "2020-01-01", "seen": {"at": DAY}, "url": "http://a.example/"}
    table = f"time,seen.at,url\n2020-01-01,{DAY},http://a.example/\n"
    path.write_text(table if name == "a.csv" else json.dumps(row))
    (found,) = extract_files([path], reading=ReadingOptions(context=True, time_field="seen.at"), jobs=1)
    assert found.time == DAY


def test_rejections_have_a_context(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"http://b.example:x/\n{DAY} http://a.example:x/\n")
    other, one = sieve_files([path], reading=CONTEXT, jobs=1)
    assert isinstance(one, Rejection)
    assert isinstance(other, Rejection)
    assert (fields(one), fields(other)) == (when(DAY, DAY), NOTHING)
    assert Rejection.from_dict(one.as_dict()) == one


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
def test_each_format_of_records_keeps_the_context(kind: str, tmp_path: Path) -> None:
    source, path = tmp_path / "m.mbox", tmp_path / f"links.{kind}"
    source.write_bytes(KINDS["a.mbox"][0] + ENVELOPE + b"\nhttp://a.example:1/\n" * 20)
    records = list(extract_files([source], reading=CONTEXT, jobs=1))
    write_records(records, path, context=True)
    assert [fields(one) for one in read_records(path)] == [fields(one) for one in records]
    again = tmp_path / f"again.{kind}"
    source.write_bytes(source.read_bytes())
    assert call("extract", "-q", "-f", kind, "--read", "context", "-o", str(again), str(source)).status == 0
    assert [fields(one) for one in read_records(again)] == [fields(one) for one in records]


def test_dedupe_keeps_the_context_of_records(tmp_path: Path) -> None:
    source, path = tmp_path / "a.log", tmp_path / "a.jsonl"
    source.write_bytes(LOG)
    call("extract", "-q", "-f", "jsonl", "--read", "context", "-o", str(path), str(source))
    found = call("dedupe", "-q", "--input", "jsonl", "--fields", "time,uri", str(path))
    assert found.lines == [f"{DAY}\thttp://a.example/", "\thttp://b.example/", "\thttp://c.example/"]
    rows = call("dedupe", "-q", "--input", "jsonl", "-f", "jsonl", "--read", "context", str(path)).rows
    assert [row["time"] for row in rows] == [DAY, None, None]
    (row,) = call("stats", "-q", "--input", "records", "--format", "json", str(path)).rows
    assert row["timeline"]["rows"] == [{"time": "2024-05-31T13", "count": 1}]


TIMES = (
    f"http://e/\n2024-05-30 23:59:59 http://a/\n{DAY} http://b/\n"
    "2024-06-01T01:00:00+02:00 http://c/\n2024-06-01 00:00 http://d/\n"
)
BOUNDS = [
    # arguments, what is left, how many are left out by the bounds
    (["--since", "2024-05-31"], "bcd", 1),
    (["--until", "2024-05-31"], "abc", 1),
    (["--since", "2024-05-31", "--until", "2024-05-31"], "bc", 2),
    (["--since", "2024-05", "--until", "2024"], "abcd", 0),
    (["--until", "2024-05-31T13:05"], "ab", 2),
    (["--until", "2024-05-31 15:05:06+02:00"], "a", 3),
    (["--since", "1717160707"], "bcd", 1),
    (["--since", "2024-05-31", "--only", "host=!c"], "bd", 2),
]


@pytest.mark.parametrize(("arguments", "hosts", "left_out"), BOUNDS)
def test_bounds_of_times(arguments: list[str], hosts: str, left_out: int, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(TIMES)
    found = call("extract", "--form", "host", *arguments, str(path))
    assert (found.status, found.lines) == (0, list(hosts))
    assert "1 left out without a time" in found.err
    assert (f"{left_out} left out by filters" in found.err) == (left_out > 0)


@pytest.mark.parametrize("text", ["", "noon", "2024-13", "2024-05-32", "24", "2024-05-31T25"])
def test_what_is_not_a_time_is_no_bound(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time such as"):
        Filter(since=text)


SECRET = "http://joe:secret@h.example/?q=secret#secret"


def hidden(**how: Any) -> Context:
    path_of_mail = "m.eml"
    with open(path_of_mail, "w", encoding="utf-8") as file:
        file.write(f"From: <{SECRET}@x>\nTo: <joe:secret@b.example>, <{SECRET}@y>\nSubject: see {SECRET} there\n"
                   f"Date: {SECRET} 1 Jan 2024 00:00\n\nhttp://a.example/\n")  # fmt: skip
    record = next(one for one in extract_files([path_of_mail], reading=CONTEXT, jobs=1) if one.host == "a.example")
    context = Mask(new_secret(), **how).location(record._location).context
    assert context is not None
    return context


def test_secrets_of_links_in_a_context_do_not_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "joe:secret@h" not in f"{hidden()}"
    redacted = hidden(redact=("userinfo", "query", "fragment"))
    assert "secret@h" not in f"{redacted}"
    assert "=secret" not in f"{redacted}"
    assert "#secret" not in f"{redacted}"
    names = "from,to,subject,time_written,uri"
    found = call("extract", "-q", "--fields", names, "--safe", "no-query,no-fragment,defang", "m.eml")
    assert found.status == 0
    assert "joe:secret@h" not in found.out.decode()
    assert "=secret" not in found.out.decode()
    assert "see http:" not in found.out.decode()
    assert os.listdir() == ["m.eml"]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("ada@a.example", ["ada@a.example"]),
        ("Ada Lovelace <ada@a.example>", ["ada@a.example"]),
        ('"bob@b.example" <ada@a.example>', ["ada@a.example"]),
        ("bob@b.example <ada@a.example>", ["ada@a.example"]),
        ("ada@a.example (Ada, bob@b.example)", ["ada@a.example"]),
        ('"Ada \\"B, C\\"" <ada@a.example>, b@b.example', ["ada@a.example", "b@b.example"]),
        ('"ada b"@a.example', ['"ada b"@a.example']),
        ("friends: a@a.example, Bob <b@b.example>;, c@c.example", ["a@a.example", "b@b.example", "c@c.example"]),
        ("<@x.example,@y.example:ada@a.example>", ["ada@a.example"]),
        ("undisclosed-recipients:;", []),
        ("ada at a.example (Ada)", ["ada@a.example"]),
        ("A@a.example, A@a.example", ["A@a.example"]),
        ("<ada@a.exam\r\n ple>", ["ada@a.example"]),
        ("http://j:x@a.example, <http://j:x@a.example>, J <j@a.example/x>, mailto:a@a.example", ["a@a.example"]),
        ("<<>>\"((", []),
        ("", []),
    ],
)  # fmt: skip
def test_the_addresses_of_a_field(value: str, found: list[str]) -> None:
    assert list(addresses([value.encode()])) == found


def test_many_addresses_are_cut() -> None:
    assert len(addresses([b", ".join(b"a%d@a.example" % number for number in range(10_000))])) == 64


def test_following_a_file_knows_its_times() -> None:
    found = call("extract", "--follow", "--read", "all-parts", "x.log")
    assert found.status == 2
    assert "but for --read context" in found.err


def _files_with(name: str, example: str) -> dict[str, str]:
    """A row whose time has a name, in each carrier that has names; of a path only those with objects."""
    line = f'{{"a": {{"url": "http://a.example/"}}, {example}, "z": ["http://b.example/"]}}\n'
    files = {"a.jsonl": line * 2, "a.json": f"[{line}]"}
    if "." not in name:
        ((written, value),) = json.loads(f"{{{example}}}").items()
        files["a.tsv"] = f"a\t{written}\tz\nhttp://a.example/\t{value}\thttp://b.example/\n"
        files["a.csv"] = f'a,{written},z\nhttp://a.example/,"{value}",http://b.example/\n'
    return files


OTHER_NAMES = [
    # A name that only ends as that of a time does, and whether its value is one.
    ('"finishedAt": "2024-05-31T13:05:07Z"', True),
    ('"seen_at": 1717160707', True),
    ('"StartTimestamp": "2024-05-31T13:05:07Z"', True),
    ('"UtcTime": "2024-05-31 13:05:07"', True),
    ('"modified-date": "2024-05-31T13:05:07"', True),
    ('"expiresAt": "2024-05-31T13:05:07Z"', False),
    ('"format": "2024-05-31T13:05:07Z"', False),
    ('"responseTime": 1717160707', False),
    ('"playtime": 4717160707', False),
    ('"birthdate": "2024-05-31"', False),
    ('"finished": "2024-05-31T13:05:07Z"', False),
]


@pytest.mark.parametrize(
    ("name", "example", "is_time"),
    [*((row.name, row.example, True) for row in TIME_NAMES), *(("", *row) for row in OTHER_NAMES)],
)
def test_each_name_of_a_time_in_each_carrier(name: str, example: str, is_time: bool, tmp_path: Path) -> None:
    for file, content in _files_with(name, example).items():
        (tmp_path / file).write_text(content)
        found = [one.time for one in extract_files([tmp_path / file], reading=CONTEXT, jobs=1)]
        assert len(found) == content.count("http:")
        times = {(time or "")[:19] for time in found}
        assert times == {"2024-05-31T13:05:07" if is_time else ""}, file


@pytest.mark.parametrize(
    ("line", "times"),
    [
        # The outermost object that states a time has it; one that only may state it has to stand back.
        ('{"ts": 1717160707, "x": {"ts": 1617160707, "u": "http://a/"}}', ["2024-05-31T13:05:07Z"]),
        ('{"exportedAt": "2020-01-01", "x": [{"ts": 1717160707, "u": "http://a/"}]}', ["2024-05-31T13:05:07Z"]),
        ('{"sentAt": "2020-01-01", "x": [{"seenAt": 1717160707, "u": "http://a/"}]}', ["2020-01-01T00:00:00"]),
        ('{"x": {"seenAt": 1717160707, "u": "http://a/"}, "v": "http://b/"}', ["2024-05-31T13:05:07Z", None]),
        ('{"event": {"x": {"created": "2020-01-01", "u": "http://a/"}}}', [None]),
        ('{"seenAt": "2020-01-01", "ts": 1717160707, "u": "http://a/"}', ["2024-05-31T13:05:07Z"]),
    ],
)
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_which_member_states_the_time(name: str, line: str, times: list[str | None], tmp_path: Path) -> None:
    (tmp_path / name).write_text(line)
    found = extract_files([tmp_path / name], reading=CONTEXT, jobs=1)
    assert [one.time for one in found] == times


@pytest.mark.sampled(3)
@pytest.mark.parametrize("row", TIME_ELEMENTS, ids=lambda row: row.product)
def test_each_element_that_states_a_time(row: TimeElement, tmp_path: Path) -> None:
    """Its entry has the time, wherever a part of the file ends, and no other one."""
    entry = row.example.format("see http://a.example/")
    (tmp_path / "a.xml").write_text(
        f'<r xmlns:log4j="x" u="http://b.example/">{entry * 2_000}<s u="http://b.example/"/></r>'
    )
    found = list(extract_files([tmp_path / "a.xml"], reading=CONTEXT, jobs=1))
    times = [(one.time or "")[:19] for one in found if one.host == "a.example"]
    assert times == [DAY[:19]] * 2_000
    assert {one.time for one in found if one.host == "b.example"} == {None}


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ('<sms date="1717160707000" u="http://a/"/><x u="http://b/"/>', [DAY, None]),
        ('<sms date="noon" u="http://a/"/>', [None]),
        ('<!-- <sms date="1717160707000"> --><x u="http://a/"/>', [None]),
        ('<x date="1717160707000" u="http://a/"/>', [None]),
        ('<TimeCreated SystemTime="2024-05-31T13:05:07Z" u="http://a/"/>', [None]),
        ('<sms date="1617160707000"><event timestamp="1717160707000" u="http://a/"/></sms>', [DAY]),
        ('<sms date="1717160707000"><Event u="http://a/"/></sms>', [DAY]),
    ],
)
def test_which_element_states_the_time(text: str, times: list[str | None], tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f"<r>{text}</r>")
    found = extract_files([tmp_path / "a.xml"], reading=CONTEXT, jobs=1)
    assert [one.time for one in found] == times


TRACE = f"{DAY} failed\n  at http://a.example/\nCaused by: http://b.example/\n\n  at http://c.example/\n"
TRACES: dict[str, tuple[bytes, int]] = {
    # Lines without a time after one that has one, in each carrier of lines: its bytes, and those that have one.
    "a.log": (TRACE.encode(), 3),
    "a.utf16": (TRACE.encode("utf-16"), 3),
    "a.log.gz": (gzip.compress(TRACE.encode()), 3),
    "a.tar": (tarred("a.log", TRACE.encode()), 3),
    "a.json": (json.dumps([TRACE, "  at http://d.example/ b"]).encode(), 3),
    "a.jsonl": (f"{json.dumps([TRACE])}\n{json.dumps(['  at http://d.example/ b'])}\n".encode(), 3),
    "far.log": (TRACE.encode() + b"." * 65_536 + b"\nhttp://d.example/\n", 3),
    "impossible.log": (TRACE.encode() + b"2024-02-30 10:00 http://d.example/\n http://e.example/\n", 3),
}


@pytest.mark.parametrize("name", TRACES)
def test_lines_without_a_time_have_that_of_the_line_before_them(name: str, tmp_path: Path) -> None:
    data, dated = TRACES[name]
    (tmp_path / name).write_bytes(data)
    times = [one.time for one in sieve_files([tmp_path / name], reading=CONTEXT, jobs=1)]
    assert times[:dated] == [DAY] * dated
    assert set(times[dated:]) <= {None}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", [200, 997])
def test_the_parts_of_several_workers_know_the_time_before_them(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", size)
    trace = "  at http://ä.example/ \n" * 40
    lines = [f"2024-05-31T13:05:{second:02}Z x\n{trace}" for second in range(60)]
    (tmp_path / "a.log").write_text("".join(lines))
    found = extract_files([tmp_path / "a.log"], reading=CONTEXT, jobs=2)
    assert [one.time for one in found] == [f"2024-05-31T13:05:{second:02}Z" for second in range(60) for _ in range(40)]


def test_a_row_has_the_time_of_its_surest_field() -> None:
    assert named_time([("date", "2020-01-01"), ("@timestamp", DAY)]) == Context(DAY, DAY)


def test_a_row_in_a_message_has_a_time_of_its_own_and_the_sender_of_the_message(tmp_path: Path) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "a@b.example", "rows"
    message["Date"] = "Fri, 31 May 2024 15:05:07 +0200"
    message.set_content("http://e.example/body")
    rows = b'{"time": "2001-01-01T00:00:00Z", "url": "http://e.example/row"}\n{"url": "http://e.example/none"}\n'
    message.add_attachment(rows, maintype="application", subtype="x-ndjson", filename="rows.jsonl")
    (tmp_path / "a.eml").write_bytes(message.as_bytes())
    found = {one.raw.rpartition("/")[2]: fields(one) for one in extract_files([tmp_path / "a.eml"], reading=CONTEXT)}
    sent = "2024-05-31T13:05:07Z"
    assert {name: one[0] for name, one in found.items()} == {"body": sent, "row": "2001-01-01T00:00:00Z", "none": sent}
    assert {(one[2], one[4]) for one in found.values()} == {("a@b.example", "rows")}


@pytest.mark.parametrize("kind", ["text/plain", "multipart/mixed; boundary=b"])
def test_a_line_of_a_message_without_a_date_does_not_date_it(kind: str, tmp_path: Path) -> None:
    line = "2024-05-31T10:00:00Z GET http://e.example/\n"
    body = line if kind == "text/plain" else f"--b\n\n{line}--b\n\n{line}--b--\n"
    (tmp_path / "a.eml").write_text(f"From: a@b.example\nSubject: x\nContent-Type: {kind}\n\n{body}")
    found = list(extract_files([tmp_path / "a.eml"], reading=CONTEXT))
    assert {(one.time, one.sender) for one in found} == {(None, "a@b.example")}


@pytest.mark.parametrize("name", ["a.json", "a.txt"])
def test_what_is_rejected_in_texts_that_are_joined_has_the_time_of_its_line(name: str, tmp_path: Path) -> None:
    texts = ["2024-01-02T03:04:05Z see http://a.example:bad/ x", "2024-01-03T03:04:05Z see http://b.example:bad/ x"]
    (tmp_path / name).write_text(json.dumps(texts) if name == "a.json" else "\n".join(texts))
    done = call(
        *("extract", "-q", "--read", "context", "--rejected", str(tmp_path / "out"), "-f", "jsonl"),
        str(tmp_path / name),
    )
    assert done.status == 1  # nothing was found
    times = [json.loads(line)["time"] for line in (tmp_path / "out").read_text().splitlines()]
    assert times == ["2024-01-02T03:04:05Z", "2024-01-03T03:04:05Z"]


@pytest.mark.parametrize(("name", "line"), [
    ("a.jsonl", '{{"url": "http://a.example/{0}", "time": "2024-05-31T13:05:{0:02}Z", "m": "http://b.example/{0}"}}\n'),
    ("a.csv", "http://a.example/{0},2024-05-31T13:05:{0:02}Z,http://b.example/{0}\n"),
])  # fmt: skip
def test_the_time_of_a_row_costs_no_segment(
    name: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a segment was made")

    monkeypatch.setattr("urisieve.sources.segments.value_of", refused)
    head = "url,time,m\n" + line.format(0) if name == "a.csv" else ""
    (tmp_path / name).write_text(head + "".join(map(line.format, range(1, 50))))
    found = list(extract_files([tmp_path / name], reading=ReadingOptions(context=True)))
    rows = found[-98:]  # those behind the header are read by the kernel
    assert [(one.time, one.field) for one in rows] == [
        (f"2024-05-31T13:05:{number:02}Z", field) for number in range(1, 50) for field in ("url", "m")
    ]
