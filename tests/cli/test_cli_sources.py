"""The command on what people have: folders of everything, compressed, in archives, in mail; and what is broken."""

from __future__ import annotations

import base64
import bz2
import codecs
import gzip
import io
import json
import lzma
import os
import quopri
import random
import signal
import socket
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given

from tests.helpers.cli_support import PATIENCE, call, interruptible, start
from tests.helpers.containers import zstd_packed
from tests.helpers.strategies import examples, noisy_texts
from urisieve import InputError, ReadingOptions, Record, UsageError, extract, extract_files
from urisieve.runs.following import check_followed
from urisieve.sources.tally import Tally
from urisieve.types import SCHEMA_VERSION

CUT = gzip.compress(b"http://before.example/ http://cut.example/a" + random.Random(1).randbytes(999).hex().encode())[
    :-40
]


def broken_mailbox(path: Path, messages: int) -> None:
    """Write a mailbox in which all messages lack an end, and each hundredth has an unknown charset besides."""
    with path.open("w") as file:
        for number in range(messages):
            label = "; charset=x" if number % 100 == 0 else ""
            file.write("From a@b.example Mon Jan  1 00:00:00 2024\nContent-Type: multipart/mixed; boundary=x\n\n--x\n")
            file.write(f"Content-Type: text/plain{label}\n\nhttp://h{number}.example/\n\n")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_messages_are_in_proportion(jobs: str, tmp_path: Path) -> None:
    """Ten faults of a file are named, then counted by reason; a file of rejected candidates has all of them."""
    for name in ("one", "two"):
        broken_mailbox(tmp_path / name, 1_000)
    (tmp_path / "few").write_text("From a@b.example x\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nhttp://f/\n")
    paths = [str(tmp_path / name) for name in ("one", "few", "two")]
    rejected = tmp_path / "rejected"
    done = call("extract", "--jobs", jobs, *paths, "--rejected", str(rejected))
    assert len(done.lines) == 2_001
    lines = done.err.splitlines()
    assert len(lines) == 11 + 1 + 11 + 1
    assert [line for line in lines if ": and " in line] == [
        f"urisieve: {path}: and 1,000 parts (991 no closing boundary, 9 unknown charset)"
        for path in (paths[0], paths[2])
    ]
    rows = [json.loads(line) for line in rejected.read_text().splitlines()]
    assert len(rows) == 2_021
    assert {row["reason"] for row in rows} == {"no-closing-boundary", "unknown-charset"}
    assert rows[1] == {
        "schema": SCHEMA_VERSION,
        "broken": "part",
        "reason": "unknown-charset",
        "said": f"{paths[0]}: message 1: part 1: unknown charset",
    }


def test_what_was_not_read_is_always_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        broken_mailbox(tmp_path / "mbox", 30)
        archive.write(tmp_path / "mbox")
        archive.writestr("cut.gz", CUT)
    done = call("extract", "--quiet", str(tmp_path / "a.zip"))
    assert (done.status, [line for line in done.err.splitlines() if "cut.gz" in line] != []) == (2, True)


class Run(NamedTuple):
    status: int
    rows: list[dict[str, Any]]
    err: str

    @property
    def found(self) -> list[tuple[str, str]]:
        return [(row["source"], row["uri"]) for row in self.rows]

    @property
    def uris(self) -> list[str]:
        return [row["uri"] for row in self.rows]


def run(*argv: str, stdin: bytes = b"") -> Run:
    done = call("extract", "--show-passwords", "--format", "jsonl", *argv, stdin=stdin)
    return Run(done.status, done.rows, done.err)


def mail(body: str, subject: str = "x") -> bytes:
    return f"From: a@b.example\nSubject: {subject}\nMessage-ID: <1@b.example>\n\n{body}".encode()


def tar_of(members: dict[str, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zip_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.fixture
def mix(tmp_path: Path) -> Path:
    top = tmp_path / "mix"
    (top / "sub").mkdir(parents=True)
    (top / "a.txt").write_text("é http://text.example/\n")
    (top / "b.eml").write_bytes(mail("http://mail.example/\n", "see http://subject.example/"))
    box = b"".join(b"From a@b.example Thu Jan  1 00:00:00 1970\n" + mail(f"http://box.example/{n}\n\n") for n in "12")
    (top / "c.mbox").write_bytes(box)
    (top / "d.html").write_text('<!doctype html><base href="http://base.example/x/"><a href="../y?a&amp;b">z</a>')
    (top / "e.gz").write_bytes(gzip.compress(b"http://gz.example/"))
    (top / "f.tgz").write_bytes(
        tar_of({"in/a.log": b"http://tar.example/", "in/b.eml": mail("http://tarmail.example/")})
    )
    (top / "g.zip").write_bytes(
        zip_of({"a.txt": b"http://zip.example/", "b.gz": gzip.compress(b"http://deep.example/")})
    )
    (top / "h.zst").write_bytes(zstd_packed(b"http://zst.example/"))
    (top / "i.jsonl").write_text('{"a":"http://json.example/"}\n')
    (top / "j.csv").write_text("a,b\n1,http://csv.example/\n")
    (top / "k.bin").write_bytes(b"\0\1 http://binary.example/ \0")
    (top / "l.7z").write_bytes(b"7z\xbc\xaf\x27\x1c http://7z.example/")
    (top / "m.empty").write_bytes(b"")
    (top / "n.cut.gz").write_bytes(
        gzip.compress(b"http://before.example/ http://cut.example/a" + random.Random(1).randbytes(999).hex().encode())[
            :-40
        ]
    )
    (top / "sub" / "o.xz").write_bytes(lzma.compress(b"http://xz.example/"))
    (top / "sub" / "p.bz2").write_bytes(bz2.compress(b"http://bz2.example/"))
    (top / ".hidden").write_text("http://hidden.example/")
    (top / "loop").symlink_to(".")
    (top / "dangling").symlink_to("nowhere")
    os.mkfifo(top / "pipe")
    where = os.getcwd()
    os.chdir(top)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("sock")
    finally:
        os.chdir(where)
    return top


EXPECTED = [
    ("a.txt", "http://text.example/"),
    ("b.eml", "http://subject.example/"),
    ("b.eml", "http://mail.example/"),
    ("c.mbox", "http://box.example/1"),
    ("c.mbox", "http://box.example/2"),
    ("d.html", "http://base.example/x/"),
    ("d.html", "http://base.example/y?a&b"),
    ("e.gz", "http://gz.example/"),
    ("f.tgz!in/a.log", "http://tar.example/"),
    ("f.tgz!in/b.eml", "http://tarmail.example/"),
    ("g.zip!a.txt", "http://zip.example/"),
    ("g.zip!b.gz", "http://deep.example/"),
    ("h.zst", "http://zst.example/"),
    ("i.jsonl", "http://json.example/"),
    ("j.csv", "http://csv.example/"),
    ("n.cut.gz", "http://before.example/"),
    ("sub/o.xz", "http://xz.example/"),
    ("sub/p.bz2", "http://bz2.example/"),
]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_folder_with_everything(mix: Path, jobs: str) -> None:
    done = run("--jobs", jobs, "-v", str(mix))
    found = [(source.removeprefix(f"{mix}/"), uri) for source, uri in done.found]
    assert [row for row in found if "cut.example" not in row[1]] == EXPECTED
    assert done.status == 2  # a file is broken
    *messages, counts = done.err.splitlines()
    assert [line for line in messages if "n.cut.gz: gzip data ends early, at byte" in line] == messages != []
    assert "1 dangling link, 1 fifo" in counts
    for word in (
        "as 1 csv, 1 html, 1 jsonl, 3 mail, 10 text;",  # members of archives among them
        "1 unsupported (out of scope)",
        "1 binary",
        "1 folder (loop)",
        "2 tar members",
        "2 zip members",
        "broken: 1 gzip (truncated)",
    ):
        assert word in counts


def test_text_is_what_records_say(mix: Path) -> None:
    command = [sys.executable, "-m", "urisieve", "extract", str(mix)]
    for jobs in ("1", "2"):
        done = subprocess.run([*command, "--jobs", jobs], capture_output=True, text=True, timeout=PATIENCE, check=False)
        lines = [line for line in done.stdout.splitlines() if "cut.example" not in line]
        assert lines == [uri for _, uri in EXPECTED]


def test_places(mix: Path) -> None:
    rows = {row["uri"]: row for row in run(str(mix), "--quiet").rows}
    subject = rows["http://subject.example/"]
    assert (subject["part"], subject["message_id"], subject["message"]) == ("header:Subject", "1@b.example", None)
    for name, uri in (
        ("b.eml", "http://mail.example/"),
        ("c.mbox", "http://box.example/2"),
        ("a.txt", "http://text.example/"),
    ):
        data = (mix / name).read_bytes()
        assert data[rows[uri]["byte_start"] : rows[uri]["byte_end"]] == uri.encode()
    assert (rows["http://box.example/2"]["message"], rows["http://box.example/2"]["part"]) == (2, "1")
    resolved = rows["http://base.example/y?a&b"]
    assert (resolved["raw"], resolved["field"], resolved["line"]) == ("../y?a&b", "a@href", 1)
    data = (mix / "d.html").read_bytes()
    assert data[resolved["byte_start"] : resolved["byte_end"]] == b"../y?a&amp;b"
    assert rows["http://deep.example/"]["byte_start"] == 0


def test_choice_of_files(mix: Path) -> None:
    assert run("--include", "*.gz", str(mix)).uris[:1] == ["http://gz.example/"]
    assert run("--include", "sub/*", "--include", "!*.xz", str(mix)).uris == ["http://bz2.example/"]
    hidden = run("--read", "hidden", "--include", ".hidden", str(mix))
    assert hidden.uris == ["http://hidden.example/"]
    assert run("--read", "no-binary", "--include", "k.bin", str(mix)).rows == []


def test_folders_of_mail(tmp_path: Path) -> None:
    for folder in ("cur", "new", "tmp"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "1.a:2,S").write_bytes(mail(f"http://{folder}.example/"))
    assert run(str(tmp_path)).uris == ["http://new.example/", "http://cur.example/"]


def test_what_was_read_all_the_same_is_said_unless_quiet() -> None:
    broken = b"From: a@b.example\nSubject: x\nContent-Type: text/plain; charset=none-such\n\nhttp://a.example/"
    loud, quiet = run("-v", stdin=broken), run("--quiet", stdin=broken)
    assert (loud.status, loud.uris, quiet.status, quiet.err) == (0, ["http://a.example/"], 0, "")
    assert loud.err.startswith("urisieve: -: part 1: unknown charset\n")
    assert "broken: 1 part (unknown charset)" in loud.err
    (cut,) = [run("--quiet", stdin=CUT)]
    assert (cut.status, "gzip data ends early" in cut.err) == (2, True)


def test_lists_of_files(mix: Path) -> None:
    names = [str(mix / "a.txt"), str(mix / "e.gz")]
    for end in ("\n", "\0"):
        done = run("--files-from", "-", stdin="".join(name + end for name in names).encode())
        assert done.uris == ["http://text.example/", "http://gz.example/"]
    assert run("--files-from", str(mix / "gone")).status == 2
    assert run("--files-from", "-", stdin=b"").status == 1


def test_an_unreadable_file_in_a_folder(mix: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (mix / "a.txt").chmod(0)
    done = run("--include", "a.txt", "--include", "e.gz", str(mix))
    assert (done.status, done.uris) == (2, ["http://gz.example/"])


def test_a_file_that_goes_while_others_are_read(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}").write_text(f"http://{number}.example/\n" * 20_000)
    command = [sys.executable, "-m", "urisieve", "extract", "--jobs", "1", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.readline()
        (tmp_path / "2").unlink()
        rest, err = running.communicate(timeout=PATIENCE)
    assert rest.count("http://1.example/") == 20_000
    assert "Traceback" not in err
    if "No such file" in err:  # else it had been opened before
        assert running.returncode == 2


# ---------------------------------------------------------------- input of one kind


def test_structured_data() -> None:
    lines = b'{"a":"http:\\/\\/a.example\\/","b":[{"c":"x http://b.example/"}]}\nno json http://c.example/\n'
    done = run("--input", "jsonl", stdin=lines)
    assert [(row["uri"], row["field"], row["row"]) for row in done.rows] == [
        ("http://a.example/", "a", 1),
        ("http://b.example/", "b[0].c", 1),
        ("http://c.example/", None, 2),
    ]
    assert done.status == 0
    first = done.rows[0]
    assert lines[first["byte_start"] : first["byte_end"]] == b"http:\\/\\/a.example\\/"
    assert run("--input", "jsonl", "--field", "b[*].c", stdin=lines).uris[0] == "http://b.example/"
    table = b'name,link\nx,"see ""http://a.example/"""\ny,http://b.example/\n'
    cells = run("--input", "csv", "--field", "link", stdin=table)
    assert [(row["field"], row["row"]) for row in cells.rows] == [("link", 2), ("link", 3)]
    assert run("--input", "csv", "--field", "gone", stdin=table).status == 2
    assert run("--input", "tsv", "--field", "2", stdin=table.replace(b",", b"\t")).uris == cells.uris
    journal = b"__REALTIME_TIMESTAMP=1\nMESSAGE=see http://a.example/\n\n"
    assert [(row["field"], row["row"]) for row in run(stdin=journal).rows] == [("MESSAGE", 1)]


def test_escapes_defanged_text_and_names() -> None:
    assert run("--unescape", "html", stdin=b"http://a.example/?x&amp;y").uris == ["http://a.example/?x&y"]
    assert run("--unescape", "percent-u", stdin=b"http%u003A//a.example").uris == ["http://a.example/"]
    lines = b"URL: \\url{http://a.example/x\\_y\\%20z}#012http://a.example/?x\\=1#012"
    assert run("--unescape", "syslog,latex", "--unescape", "cef", stdin=lines).uris == [
        "http://a.example/x_y%20z",
        "http://a.example/?x=1",
    ]
    done = run("-v", "--unescape", "html", stdin=b'{"u":"http://a.example/?x&amp;y"}\n')
    assert "-: read as jsonl; escapes are undone in plain text only" in done.err
    assert "skipped: 1 unescaping (not text)" in done.err
    done = run("--unescape", "backslash", stdin=b"x http:\\/\\/a.example\\/y")
    assert [(row["uri"], row["byte_start"], row["byte_end"]) for row in done.rows] == [("http://a.example/y", 2, 23)]
    (row,) = run("--accept", "defanged", stdin=b"hxxps[:]//evil[.]example/x").rows
    assert (row["uri"], row["raw"], row["warnings"]) == (
        "https://evil.example/x",
        "hxxps[:]//evil[.]example/x",
        ["refanged"],
    )
    assert run("--accept", "names,addresses", stdin=b"see docs.rs/x and a@b.com").uris == [
        "http://docs.rs/x",
        "mailto:a@b.com",
    ]


def test_a_link_of_two_forms_is_one() -> None:
    message = EmailMessage()
    message["From"] = "a@b.example"
    message["Subject"] = "x"
    message.set_content("http://a.example/ http://b.example/")
    message.add_alternative('<a href="http://a.example/">a</a>', subtype="html")
    assert run(stdin=message.as_bytes()).uris == ["http://a.example/", "http://b.example/"]
    assert len(run("--read", "all-parts", stdin=message.as_bytes()).rows) == 3
    text = [sys.executable, "-m", "urisieve", "extract", "--quiet"]
    assert subprocess.run(text, input=message.as_bytes(), capture_output=True, check=True).stdout.count(b"\n") == 2


def test_attachments_are_opened() -> None:
    message = EmailMessage()
    message["From"] = "a@b.example"
    message["Subject"] = "x"
    message.set_content("no link")
    message.add_attachment(
        tar_of({"a.log": b"http://a.example/"}), maintype="application", subtype="gzip", filename="l.tgz"
    )
    (row,) = run(stdin=message.as_bytes()).rows
    assert (row["source"], row["part"], row["uri"]) == ("-!l.tgz!a.log", "2", "http://a.example/")


def test_what_is_plain_stays_plain() -> None:
    text = b"Date: today\nhttp://a.example/\n"
    assert run(stdin=text).rows[0]["part"] is None
    assert run("--input", "text", stdin=mail("http://a.example/")).rows[0]["part"] is None
    assert run("--input", "mail", stdin=b"\nhttp://a.example/").rows[0]["part"] is not None


def test_text_from_a_pipe_does_not_wait() -> None:
    command = [sys.executable, "-m", "urisieve", "extract", "--quiet"]
    for text in (
        b"http://a.example/\n",
        b"INFO http://a.example/ x",
        b"<http://a.example/> ",
        b"x: http://a.example/\ny\n",
    ):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            assert running.stdin
            assert running.stdout
            running.stdin.write(text)
            running.stdin.flush()
            assert running.stdout.readline() == b"http://a.example/\n"
            running.stdin.close()


@pytest.mark.parametrize(
    "argv",
    [
        ["--input", "text", "--field", "a"],
        ["--input", "jsonl", "--field", "a", "--field", "b"],
        ["--input", "jsonl", "--delimiter", ";"],
        ["--input", "jsonl", "--unescape", "html"],
        ["--follow"],
        ["--follow", "--input", "json", "x"],
        ["--follow", "--jobs", "2", "x"],
        ["--include", "/", "x"],
    ],
)
def test_what_does_not_go_together(argv: list[str]) -> None:
    assert run(*argv).status == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_follow(tmp_path: Path, number: signal.Signals) -> None:
    log = tmp_path / "log"
    log.write_text("http://a.example/1\n")
    command = [sys.executable, "-W", "error", "-m", "urisieve", "extract", "-v", "--follow", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=interruptible) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline() == b"http://a.example/1\n"
        with log.open("a") as file:
            file.write("http://a.example/2 x")
        assert running.stdout.readline() == b"http://a.example/2\n"
        log.rename(tmp_path / "log.1")
        log.write_text("http://a.example/3\n")
        assert running.stdout.readline() == b"http://a.example/3\n"
        running.send_signal(number)
        err = running.stderr.read().decode()
        assert running.wait(PATIENCE) == 0
    assert "3 found" in err
    assert "1 replacement of a followed file" in err


@pytest.mark.parametrize("store", [(), ("--store", "seen.db")])
def test_each_identifier_once_as_a_file_grows(store: tuple[str, ...], tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("http://a.example/1 http://a.example/1\n")
    command = [sys.executable, "-W", "error", "-m", "urisieve", "dedupe", "--quiet", "--follow", *store, "log"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path, preexec_fn=interruptible) as running:
        assert running.stdout
        assert running.stdout.readline() == b"http://a.example/1\n"
        for text, found in (("HTTP://A.example/1 http://a.example/2\n", 2), ("http://a.example/3\n", 3)):
            with log.open("a") as file:
                file.write(text)
            assert running.stdout.readline() == b"http://a.example/%d\n" % found
        running.send_signal(signal.SIGTERM)
        assert running.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    "flags",
    [("--input", "csv", "--field", "u"), ("--input", "keys"), ("--keep", "last"), ("--checkpoint", "c", "-o", "o")],
)
def test_what_does_not_go_with_dedupe_as_a_file_grows(flags: tuple[str, ...], tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("http://a.example/1\n")
    assert call("dedupe", "--follow", *flags, str(log)).status == 2


_MESSAGE = "From a@b.example Mon Jan  1 00:00:00 2024\nFrom: a@b.example\nTo: b\nSubject: s\n\nhttp://a.example/\n"


@pytest.mark.parametrize(
    ("name", "data", "more", "said"),
    [
        ("a.mbox", _MESSAGE.encode(), (), "mail"),
        ("a.log.gz", gzip.compress(b"http://a.example/\n"), (), "gzip"),
        ("a.log.gz", gzip.compress(b"http://a.example/\n"), ("--input", "text"), "gzip"),
        ("a.jsonl.gz", gzip.compress(b"{}\n"), ("--input", "jsonl"), "gzip"),
        ("a.zip", b"PK\x03\x04" + bytes(60), (), "zip"),
        ("a", b"%PDF-1.7\n", (), "pdf"),
        ("a", b"\x7fELF\0\0", (), "binary"),
        ("a.xml", b'<?xml version="1.0"?><a>http://a.example/</a>', (), "xml"),
        ("a.html", b"<!doctype html>", (), "html"),
        ("a.ics", b"BEGIN:VCALENDAR\n", (), "calendar"),
    ],
)
def test_what_cannot_be_followed_is_refused_before_anything_is_read(
    name: str, data: bytes, more: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "a.log").write_text("http://a.example/\n")
    (tmp_path / name).write_bytes(data)
    out = tmp_path / "out"
    done = call("extract", "--follow", *more, "-o", str(out), str(tmp_path / "a.log"), str(tmp_path / name))
    assert (done.status, done.out, out.exists()) == (2, b"", False)
    assert f"{name} is {said} by its content, which cannot be followed" in done.err
    assert ("--input text follows it as text" in done.err) == (said in ("mail", "xml", "html", "calendar"))


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.log", b"", "auto"),
        ("a.log", b"see http://a.example/", "auto"),
        ("a.jsonl", b'{"a":1}\n{"a":2}\n', "auto"),
        ("a.json", b'{"a":1}\n', "jsonl"),
        ("a.csv", b"a,b\n1,2\n3,4\n", "csv"),
        ("a.mbox", _MESSAGE.encode(), "text"),
    ],
)
def test_what_can_be_followed(name: str, data: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    check_followed([str(path), str(tmp_path / "missing"), str(tmp_path)], kind)


def test_follow_rows(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text('{"a":"x","u":"http:\\/\\/a.example\\/1"}\n{"u":"http://a.example/2')
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "urisieve",
        "extract",
        "--follow",
        "--input",
        "jsonl",
        "--field",
        "u",
    ]
    with subprocess.Popen(
        [*command, str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=interruptible
    ) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline() == b"http://a.example/1\n"
        with log.open("a") as file:
            file.write('3"}\n')
        assert running.stdout.readline() == b"http://a.example/23\n"
        running.send_signal(signal.SIGINT)
        err = running.stderr.read().decode()
        assert running.wait(PATIENCE) == 0
    assert "2 found" in err


# ---------------------------------------------------------------- the same records however they are carried


def _message(body: bytes, encoding: str) -> bytes:
    head = b"From: a@b.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
    coders: dict[str, Callable[[bytes], bytes]] = {
        "8bit": bytes,
        "base64": base64.encodebytes,
        "quoted-printable": quopri.encodestring,
    }
    return head + f"Content-Transfer-Encoding: {encoding}\n\n".encode() + coders[encoding](body)


CARRIERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "two gzip": lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd_packed,
    "tar": lambda data: tar_of({"a": data}, "w"),
    "tgz": lambda data: tar_of({"a": data}),
    "zip": lambda data: zip_of({"a": data}),
    "zip in gzip": lambda data: gzip.compress(zip_of({"a": data})),
    "8bit": lambda data: _message(data, "8bit"),
    "base64": lambda data: _message(data, "base64"),
    "quoted-printable": lambda data: _message(data, "quoted-printable"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("carrier", CARRIERS)
@given(text=noisy_texts())
@examples(25)
def test_records_are_those_of_the_text(tmp_path_factory: pytest.TempPathFactory, carrier: str, text: str) -> None:
    text = "".join(c for c in text if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\x7f\x85\u2028\u2029")
    text = f"begin {text}\n"
    path = tmp_path_factory.getbasetemp() / "carried"
    path.write_bytes(CARRIERS[carrier](text.encode()))
    found = [(record.raw, record.uri, record.start, record.line) for record in extract_files([path])]
    assert found == [(record.raw, record.uri, record.start, record.line) for record in extract(text)]


def test_the_library_tells_what_is_broken(mix: Path) -> None:
    failures: list[tuple[str, str]] = []
    tally = Tally()
    found = list(extract_files([mix], on_error=lambda path, error: failures.append((path, str(error))), tally=tally))
    assert [path for path, _ in failures] == [str(mix / "n.cut.gz")]
    assert tally.read["message"] == 4
    assert tally.skipped["file", "fifo"] == 1
    twice = list(extract_files([mix], jobs=2, on_error=lambda *_: None))
    assert [record.as_dict() for record in twice] == [record.as_dict() for record in found]
    with pytest.raises(InputError, match="gzip data ends early"):
        list(extract_files([mix]))
    assert isinstance(next(iter(extract_files([mix / "i.jsonl"], reading=ReadingOptions(input="jsonl")))), Record)
    with pytest.raises(UsageError, match="input="):
        ReadingOptions(input="word")


# ---------------------------------------------------------------- what a review found


QUOTED = (
    b"Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\nhttp://long.example/aaaa=\nbbbb?x=3D1\n"
)


def test_mail_with_a_long_header(tmp_path: Path) -> None:
    path = tmp_path / "message"
    header = b"".join(b"Received: from a%d.example by b.example\n" % number for number in range(200))
    for more in (b"ARC-Seal: i=1; a=b\nAuthentication-Results: x\n", b"DKIM-Signature: v=1\n"):
        path.write_bytes(more + header + b"From: a@b.example\n" + QUOTED)
        assert call("extract", str(path)).lines == ["http://long.example/aaaabbbb?x=1"]


def test_mail_after_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "message"
    path.write_bytes(codecs.BOM_UTF8 + b"Subject: http://s.example/\nFrom: a@b.example\n" + QUOTED)
    rows = call("extract", "--format", "jsonl", str(path)).rows
    assert [row["uri"] for row in rows] == ["http://s.example/", "http://long.example/aaaabbbb?x=1"]
    assert path.read_bytes()[rows[0]["byte_start"] : rows[0]["byte_end"]] == b"http://s.example/"


@pytest.mark.parametrize(("flags", "line"), [(["--input", "jsonl"], '["%s"]'), (["--input", "csv"], "%s")])
def test_the_last_line_of_a_cut_stream(tmp_path: Path, flags: list[str], line: str) -> None:
    links = [f"http://a{number}.example/{number * 7919 % 100_003}" for number in range(3_000)]
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress((line % " ".join(links)).encode())[:-40])
    outcome = call("extract", *flags, str(path))
    assert outcome.status == 2
    assert len(outcome.lines) > 2_000
    assert outcome.lines == links[: len(outcome.lines)]


def test_two_messages_of_one_name(tmp_path: Path) -> None:
    def alternative(plain: str, html: str) -> bytes:
        parts = f"--x\n\n{plain}\n--x\nContent-Type: text/html\n\n<p>{html}</p>\n--x--\n"
        return (
            f"From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n{parts}".encode()
        )

    path = tmp_path / "two.tar"
    with tarfile.open(path, "w") as archive:
        for data in (
            alternative("http://a.example/", "http://b.example/"),
            alternative("http://c.example/", "http://a.example/"),
        ):
            member = tarfile.TarInfo("x.eml")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    assert call("extract", str(path)).lines == [f"http://{name}.example/" for name in "abca"]


def test_what_stands_around_the_parts_is_read_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "message"
    head = b"From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nbody\n--x--\n"
    path.write_bytes(head + b"www.footer.example ann@example.org\n")
    assert call("extract", "--accept", "names,addresses", str(path)).lines[-2:] == [
        "http://www.footer.example/",
        "mailto:ann@example.org",
    ]


def test_too_many_layers_are_an_error(tmp_path: Path) -> None:
    data = b"http://a.example/"
    for _ in range(12):
        data = gzip.compress(data)
    path = tmp_path / "deep"
    path.write_bytes(data)
    outcome = call("extract", "--quiet", str(path))
    assert outcome.status == 2
    assert "layers" in outcome.err


def test_what_is_passed_over_in_folders_is_counted(tmp_path: Path) -> None:
    for name in (".hidden", "a.txt", "b.txt", "c.log"):
        (tmp_path / name).write_text("http://a.example/")
    outcome = call("extract", "-v", "--include", "*.txt", "--include", "!b*", str(tmp_path))
    assert outcome.lines == ["http://a.example/"]
    assert "skipped: 3 files (1 excluded, 1 hidden, 1 not included)" in outcome.err


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (["--input", "jsonl"], b'{"a":"http://a.example/%d"}\n'),
        ([], b"__REALTIME_TIMESTAMP=%d\nMESSAGE=http://a.example/1\n\n"),
        (["--input", "journal"], b"MESSAGE=http://a.example/%d\n\n"),
    ],
)
def test_structured_data_from_a_slow_pipe(flags: list[str], line: bytes) -> None:
    with start("extract", "--quiet", *flags) as running:
        assert running.stdin
        assert running.stdout
        for number in range(40):
            running.stdin.write(line % (number + 10**15))
        assert b"http://a.example/" in running.stdout.readline()  # waits for ever if it waits for more input
        running.stdin.close()
        assert running.wait(PATIENCE) == 0
