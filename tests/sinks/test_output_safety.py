"""Canaries: what must not leave is planted in every source, and looked for in every byte that a command writes."""

from __future__ import annotations

import base64
import csv
import html
import io
import json
import os
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import urisieve
from tests.helpers.cli_support import Outcome, call
from urisieve.records.mask import Mask, drawn_mask
from urisieve.records.masking import new_secret
from urisieve.sinks.statistics.spelling_counts import FirstSpellings

PASSWORD = "CANARY9"
# Each holds the password; of some the host, the name of the user or the scheme fails.
PLANTED = [
    f"http://user:{PASSWORD}@a.example/",
    f"http://user:{PASSWORD}@a.example:8080/x?y#z",
    f"HTTP://B%c3%bcro:{PASSWORD}@a.example/",
    f"http://bücher:{PASSWORD}@bücher.example/ü",
    f"sip:user:{PASSWORD}@a.example",
    f"view-source:http://user:{PASSWORD}@a.example/",
    f"<http://user:{PASSWORD}@a.exam\n  ple/x>",
    f"http://user:{PASSWORD}@a.example:99x/",
    f"http://user:{PASSWORD}@a%zz.example/",
    f"http://us er:{PASSWORD}@a.example/",
    f"http://user:{PASSWORD}/@a.example:99x/",
    f"http://user:x@{PASSWORD}@a.example/",
    f"hxxp://user:{PASSWORD}@evil[.]example/",
    f"hxxps[:]//user:{PASSWORD}@evil[.]example[/]x",
    f"www.a.example/?u=http://user:{PASSWORD}@b.example/",
    f"http://user:{PASSWORD}@a.example/{'x' * 70_000}",
    f"https://web.archive.org/web/2020/http://user:{PASSWORD}@a.example/",
    f"https://r.example/?u=http%3A%2F%2Fuser%3A{PASSWORD}%40a.example%2F",
    f"https://www.google.com/url?q=http%3A%2F%2Fuser%3A{PASSWORD}%40a.example%2F&sa=D",
    f"https://r.example/?u=http%253A%252F%252Fuser%253A{PASSWORD}%2540a.example%252F&v=1",
    f"https://r.example/http:%2f%2fuser:{PASSWORD}%40a.example#x",
    f"https://r.example:99x/?u=http%3A%2F%2Fuser%3A{PASSWORD}%40a.example%2F",
    f"https://urldefense.proofpoint.com/v2/url?u=http-3A__user-3A{PASSWORD}-40a.example_x&d=Dw",
    f"https://r.example/?u={'http%3A%2F%2Fuser%3A'.replace('%', '%252525')}{PASSWORD}%25252540a.example",
    f"https://r.example/?u=http%3A%2F%2Fuser%40b.example%3A{PASSWORD}%40a.example%2F",
    f"http://user:%2F{PASSWORD}@a.example/",
    f"http://http://user:{PASSWORD}@a.example/",
    f"http://b@http://user:{PASSWORD}@a.example/",
    f"http:\\\\user:{PASSWORD}@a.example/",
    f"http:\\/\\/user:{PASSWORD}@a.example\\/",
    f"http:/user:{PASSWORD}@a.example/",
    f"http:user:{PASSWORD}@a.example/",
    f"http:///user:{PASSWORD}@a.example/",
    f"//user:{PASSWORD}@a.example/",
    f"http://user:{PASSWORD}[at]a.example/",
    f"http://user:{PASSWORD}\uff20a.example/",
    f"urn:a:http://user:{PASSWORD}@a.example/?x=1",
]
# G1, I2, I3: every printable character in a password: in an authority, in links inside others, with a scheme and
# without one, and the known places in connections to databases. Delimiters of an authority end it inside another link.
PRINTABLE = [mark for mark in map(chr, range(0x20, 0x7F)) if not mark.isalnum()]
SECRETS = [f"{PASSWORD}{mark}{PASSWORD}" for mark in (*PRINTABLE, "\ufeff", "\u200b", "\u3002", "\uff0c", "\u00e9")]
INNER = [secret for secret in SECRETS if not set(secret) & set("/?#&; ")]
ODD = [
    *(f"http://user:{secret}@a.example/" for secret in SECRETS),
    *(f"postgres://user:{secret}@a.example/x" for secret in SECRETS),
    *(f"jdbc:mysql://user:{secret}@a.example/x" for secret in SECRETS),
    *(f"https://r.example/?u=http://user:{secret}@a.example/" for secret in INNER),
    *(f"https://r.example/?u=//user:{secret}@a.example/" for secret in INNER),
    f"https://r.example/?u=%2F%2Fuser%3A{PASSWORD}%40a.example",
    f"https://r.example/?u=%252F%252Fuser%253A{PASSWORD}%2540a.example&v=1",
    *(f"jdbc:sqlserver://a.example:1433;user=u;password={secret};x=y" for secret in SECRETS if "@" not in secret),
    *(f"jdbc:oracle:thin:user/{secret}@a.example:1521:x" for secret in SECRETS if " " not in secret),
    *(f"mysql://a.example/x?user=u&password={secret}" for secret in SECRETS if "@" not in secret),
    f"jdbc:mysql://address=(host=a.example)(password={PASSWORD})/x",
    f"postgresql+psycopg2://a.example/x?sslpassword={PASSWORD}&y=z",
    f"redis://a.example?password={PASSWORD}",
    f"sb://a.example/;SharedAccessKeyName=n;SharedAccessKey={PASSWORD}",
]
TEXT = "\n\n".join(PLANTED)
ENCODED = base64.encodebytes(TEXT.encode()).decode()
MAIL = (
    f"From a@b.example Thu Jan  1 00:00:00 2026\nFrom: a@b.example\nSubject: see {PLANTED[0]} now\n"
    f"List-Unsubscribe: <{PLANTED[1]}>\nMessage-ID: <http://user:{PASSWORD}@a.example/>\n"
    f'Content-Type: text/plain; name="http://user:{PASSWORD}@a.example/"; charset=utf-8\nMIME-Version: 1.0\n'
    f"Content-Transfer-Encoding: base64\n\n{ENCODED}\n"
)
HTML = "<!doctype html><html><body>" + "".join(
    f'<a href="{text}" title="{text}">{text.replace("://", "&#58;//")}</a>'.replace("<http", "http").replace("x>", "x")
    for text in PLANTED
)
JSON = f'{{"{PLANTED[0]}": "http://user:{PASSWORD}@b.example/", "b": {{"{PLANTED[17]}": "{PLANTED[0]}"}}}}\n'
WARC_BODY = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href='{PLANTED[0]}'>x</a><a href='/x'>y</a>".encode()
WARC = (
    f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://user:{PASSWORD}@a.example/page\r\n"
    f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(WARC_BODY)}\r\n\r\n"
).encode() + WARC_BODY + b"\r\n\r\n"  # fmt: skip
# Everything is asked for, so that everything is found.
ALL = ("--accept", "names,addresses,defanged,nested,unencoded,wrapped-any")


def _plant(folder: Path) -> list[str]:
    """Write a file of each kind, one of them under a name that is a link itself; return the names."""
    files: dict[str, bytes] = {
        "text.txt": TEXT.encode(),
        "mail.mbox": MAIL.encode(),
        "page.html": HTML.encode(),
        "rows.jsonl": JSON.encode(),
        "rows.csv": f"url,http://user:{PASSWORD}@a.example/\n{PLANTED[0]},{PLANTED[17]}\n".encode(),
        "feed.xml": f"<?xml version='1.0'?><a href='{PLANTED[0]}'>{PLANTED[17]}</a>".encode(),
        "crawl.warc": WARC,
        f"http:/user:{PASSWORD}@a.example/named.txt": TEXT.encode(),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"http://user:{PASSWORD}@a.example/x.txt", TEXT)
    files["packed.zip"] = packed.getvalue()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive_of_tapes:
        member = tarfile.TarInfo(f"http%3A%2F%2Fuser%3A{PASSWORD}%40a.example/x.txt")
        member.size = len(TEXT.encode())
        archive_of_tapes.addfile(member, io.BytesIO(TEXT.encode()))
    files["packed.tar"] = packed.getvalue()
    files["odd.txt"] = "\n".join(ODD).encode()
    files["odd.jsonl"] = "".join(json.dumps({"a": text, text: 1}) + "\n" for text in ODD).encode()
    rows = io.StringIO()
    csv.writer(rows).writerows([["url"], *([text] for text in ODD)])
    files["odd.csv"] = rows.getvalue().encode()
    links = "".join(f'<p><a href="{html.escape(text)}">{html.escape(text)}</a>' for text in ODD)
    files["odd.html"] = f"<!doctype html><html><body>{links}".encode()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return list(files)


class _Written:
    """The bytes that a command has written: its streams, files that are there, and files that it has removed."""

    def __init__(self, folder: Path, inputs: list[str]) -> None:
        self._folder = folder
        self._inputs = {folder / name for name in inputs}
        self._removed: list[bytes] = []

    def by(self, *argv: str, stdin: bytes = b"") -> tuple[Outcome, bytes]:
        unlink, replaced = os.unlink, os.replace

        def kept(path: Any, *more: Any, **others: Any) -> None:
            if os.path.isfile(path):
                self._removed.append(Path(path).read_bytes())
            unlink(path, *more, **others)

        self._removed.clear()
        with mock.patch("os.unlink", kept), mock.patch("os.remove", kept):
            outcome = call(*argv, stdin=stdin)
        assert os.replace is replaced
        files = [path for path in self._folder.rglob("*") if path.is_file() and path not in self._inputs]
        data = [outcome.out, outcome.err.encode("utf-8", "surrogateescape"), *self._removed]
        data += [path.read_bytes() for path in files]
        for path in files:
            path.unlink()
        return outcome, b"\n".join(data)


RUNS: list[tuple[str, ...]] = [
    *(
        ("extract", "-f", kind, "--read", "all-parts", "--rejected", "bad.jsonl")
        for kind in ("text", "jsonl", "csv", "tsv")
    ),
    ("extract", "-f", "jsonl", "--parts"),
    ("extract", "--form", "iri", "--unique"),
    ("extract", "--form", "raw", "--jobs", "2"),
    ("extract", "--fields", "raw,uri,key,userinfo,query,source,field,message_id,part,alternatives", "-f", "csv"),
    ("extract", "--template", "{raw} {uri} {key} {source} {field}", "-o", "lines.txt"),
    ("extract", "--safe", "defang", "-f", "jsonl", "-o", "links.jsonl"),
    ("extract", "-f", "jsonl", "--base", f"http://user:{PASSWORD}@a.example/"),
    ("dedupe",),
    ("dedupe", "-f", "jsonl", "--memory-limit", "130MB"),
    ("dedupe", "--store", "seen.db", "-o", "new.txt"),
    ("dedupe", "--store", "seen.db", "-f", "csv", "--mark-new"),
    *(("count", "--spellings", "9", "-f", kind) for kind in ("text", "jsonl", "csv", "tsv")),
    *(("stats", "-f", kind) for kind in ("text", "json", "csv")),
    ("report", "-o", "report.html"),
    ("report", "-o", "report.html", "--links"),
]


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    return _plant(tmp_path)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("argv", RUNS, ids=" ".join)
def test_no_password_leaves_a_run_over_files(argv: tuple[str, ...], planted: list[str], tmp_path: Path) -> None:
    outcome, written = _Written(tmp_path, planted).by(*argv, *ALL, *planted)
    assert outcome.status == 0, outcome.err
    assert b"***" in written or "--form" in argv or argv[0] == "stats"
    assert _around(written, PASSWORD) == []


@pytest.mark.long
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_no_password_leaves_by_records_and_back(kind: str, planted: list[str], tmp_path: Path) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    written = _Written(tmp_path, planted)
    assert call("extract", "-f", kind, "-o", f"links.{kind}", *ALL, *planted).status == 0
    assert PASSWORD not in str([record.as_dict() for record in urisieve.read_records(f"links.{kind}")])
    outcome, data = written.by("count", "--input", "records", f"links.{kind}")
    assert outcome.status == 0
    assert _around(data, PASSWORD) == []


@pytest.mark.long
def test_no_password_stays_in_a_checkpoint_that_is_left(planted: list[str], tmp_path: Path) -> None:
    with mock.patch("urisieve.sinks.first_seen.StoreSink.close", side_effect=urisieve.OutputError("full")):
        argv = ("dedupe", "--checkpoint", "state", "-o", "new.txt", *ALL, *planted)
        outcome, written = _Written(tmp_path, planted).by(*argv)
    assert outcome.status == 2
    assert _around(written, PASSWORD) == []


SINGLE: list[tuple[str, ...]] = [
    *(("check", "-f", kind) for kind in ("text", "jsonl")),
    ("check", "--safe", "defang"),
    *(("normalize", "--form", form, "--invalid", "keep") for form in ("uri", "iri", "key")),
    ("normalize",),
    *(("explain", "-f", kind) for kind in ("text", "jsonl")),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("argv", SINGLE, ids=" ".join)
def test_no_password_leaves_the_commands_about_single_texts(argv: tuple[str, ...]) -> None:
    texts = [" ".join(text.strip("<>").split()) for text in (*PLANTED, *ODD)]
    by_lines = call(*argv, stdin="\n".join(texts).encode())
    by_arguments = call(*argv, "--", *texts)
    for outcome in (by_lines, by_arguments):
        assert _around(outcome.out + outcome.err.encode(), PASSWORD) == []


MISSING = f"http://user:{PASSWORD}@b.example/x"
WRAPPED = PLANTED[17]
BROKEN = PLANTED[7]

# Command lines that fail, most with the password in what the message quotes.
MISUSES: list[tuple[str, ...]] = [
    *((command, MISSING) for command in ("extract", "dedupe", "stats")),
    ("extract", WRAPPED),
    ("extract", "--base", BROKEN, "text.txt"),
    ("extract", "--encoding", MISSING, "text.txt"),
    ("extract", "--fields", MISSING, "text.txt"),
    ("extract", "--template", f"{{{MISSING}}}", "text.txt"),
    ("extract", "-f", MISSING, "text.txt"),
    ("extract", "--only", f"host={MISSING}", "text.txt"),
    ("extract", "--files-from", MISSING),
    ("extract", f"--{MISSING}"),
    ("extract", "-o", f"{MISSING}no/file", "text.txt"),
    ("extract", "--safe", MISSING, "text.txt"),
    ("dedupe", "--store", f"{MISSING}no.db", "text.txt"),
    ("dedupe", "--checkpoint", f"{MISSING}no", "-o", "x", "text.txt"),
    ("dedupe", "--memory-limit", MISSING, "text.txt"),
    ("dedupe", "--input", "csv", "--field", MISSING, "rows.csv"),
    ("report", "-o", f"{MISSING}no/x.html", "text.txt"),
    ("store", "stats", MISSING),
    ("store", "forget", "text.txt", MISSING),
    ("schemes", MISSING),
    ("namespaces", MISSING),
    ("completion", MISSING),
    ("check", "--input", "csv", "--field", MISSING, "rows.csv"),
    ("normalize", "--encoding", MISSING),
    (MISSING,),
    (f"{MISSING}x", MISSING),
]


@pytest.mark.parametrize("argv", MISUSES, ids=lambda argv: " ".join(argv).replace(PASSWORD, "*"))
def test_no_password_is_in_a_message(argv: tuple[str, ...], planted: list[str]) -> None:
    outcome = call(*argv)
    assert outcome.status in (1, 2)
    assert outcome.err
    assert PASSWORD not in outcome.err
    assert PASSWORD not in outcome.out.decode()


@pytest.mark.parametrize(
    "text", [*PLANTED, *ODD[:: len(SECRETS) // 2]], ids=lambda text: text[:60].replace(PASSWORD, "*")
)
def test_no_password_is_in_what_a_program_prints(text: str) -> None:
    for found in urisieve.sieve(text, options=urisieve.Options(unwrap="any", repair="encode", refang="known-forms")):
        shown = [repr(found), found._repr_html_()]
        if isinstance(found, urisieve.Rejection):
            shown += [
                found.explain(),
                str(urisieve.InvalidIdentifierError(found)),
                repr(urisieve.InvalidIdentifierError(found)),
            ]
        else:
            shown.append(str(found))
        assert not [one for one in shown if PASSWORD in one]
    with pytest.raises(urisieve.InvalidIdentifierError) as error:
        urisieve.parse(f"{text.strip('<>')} \x00")
    assert PASSWORD not in str(error.value)
    assert PASSWORD not in repr(error.value)


def _around(data: bytes, canary: str) -> list[str]:
    """What stands around the places where a canary is found."""
    text = data.decode("utf-8", "backslashreplace")
    return [text[max(0, match.start() - 80) : match.end() + 30] for match in re.finditer(re.escape(canary), text)][:5]


def test_a_spelling_with_a_password_is_not_written_to_disk(tmp_path: Path) -> None:
    spellings = FirstSpellings(str(tmp_path), most=1, hides=Mask(new_secret()).hides)
    for number, text in enumerate((PLANTED[1], PLANTED[17], "HTTP://a.example")):
        spellings.add(str(number), text)
    spellings.add("3", "HTTP://b.example")
    assert [spellings.get(key) for key in "012x"] == [None, None, "HTTP://a.example", "x"]
    spellings.close()


# Parts, each with a text of its own in identifiers of all kinds.
PARTS = {"userinfo": "USERQ", "query": "QUERYQ", "fragment": "FRAGQ", "path": "PATHQ"}
LINKS = [
    "http://USERQ@a.example/PATHQ?QUERYQ#FRAGQ",
    "HTTP://USERQ:pw@A.example:80/%7EPATHQ?QUERYQ#FRAGQ",
    "http://bücher.example/üPATHQ?ü=QUERYQ#üFRAGQ",
    "http://USERQ@a.example:99x/PATHQ?QUERYQ#FRAGQ",
    "http://USERQ@a%zz.example/PATHQ?QUERYQ#FRAGQ",
    "http://USERQ@a.example:99x/a@PATHQ?QUERYQ#FRAGQ",
    "hxxp://USERQ@evil[.]example/PATHQ?QUERYQ#FRAGQ",
    "hxxp://evil[.]example[/]PATHQ[?]QUERYQ",
    "www.a.example/PATHQ?QUERYQ#FRAGQ",
    "mailto:PATHQ@a.example?subject=QUERYQ",
    "urn:example:PATHQ",
    "data:,PATHQ",
    "tag:a.example,2020:PATHQ?QUERYQ#FRAGQ",
    "sip:USERQ@a.example;x?subject=QUERYQ",
    "view-source:http://USERQ@a.example/PATHQ?QUERYQ#FRAGQ",
    "file:///PATHQ",
    "https://r.example/?u=http%3A%2F%2FUSERQ%40a.example%2FPATHQ%3FQUERYQ%23FRAGQ",
    "https://r.example/x#http://USERQ@a.example/PATHQ",
    "https://www.google.com/url?q=http%3A%2F%2FUSERQ%40a.example%2FPATHQ%3FQUERYQ%23FRAGQ",
    "https://r.example:99x/?u=http%253A%252F%252FUSERQ%2540a.example%252FPATHQ%253FQUERYQ%2523FRAGQ",
    "https://urldefense.proofpoint.com/v2/url?u=http-3A__USERQ-40a.example_PATHQ-3FQUERYQ-23FRAGQ&d=Dw",
    "https://a.example.safelinks.protection.outlook.com/?url=http%3A%2F%2FUSERQ%40a.example%2FPATHQ%3FQUERYQ%23FRAGQ",
]
REDACTING = [
    *(("extract", "-f", kind, "--rejected", "bad.jsonl", "--parts") for kind in ("jsonl", "csv", "tsv")),
    ("extract", "--unique", "--form", "raw"),
    ("extract", "--template", "{raw} {key} {iri} {path} {query} {fragment} {userinfo} {source}"),
    ("dedupe", "-f", "jsonl"),
    ("dedupe", "--store", "seen.db", "-f", "csv", "--mark-new"),
    ("count", "--spellings", "5", "-f", "jsonl"),
    ("stats", "-f", "json"),
    ("report", "-o", "page.html", "--links"),
]


def no_parts(parts: str) -> str:
    return ",".join(f"no-{part}" for part in parts.split(","))


@pytest.mark.sampled(11)
@pytest.mark.parametrize("part", [*PARTS, "userinfo,query,fragment,path"])
@pytest.mark.parametrize("argv", REDACTING, ids=" ".join)
def test_a_redacted_part_leaves_nowhere(argv: tuple[str, ...], part: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.txt").write_text("\n".join(LINKS), encoding="utf-8")
    (tmp_path / "page.html").unlink(missing_ok=True)
    page = "".join(f'<a href="{link}">{link}</a>' for link in LINKS)
    (tmp_path / "links.html").write_text(f"<!doctype html><html><body>{page}", encoding="utf-8")
    inputs = ["links.txt", "links.html"]
    outcome, written = _Written(tmp_path, inputs).by(*argv, *ALL, "--safe", no_parts(part), *inputs)
    assert outcome.status == 0, outcome.err
    for name in part.split(","):
        assert _around(written, PARTS[name]) == []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("part", [*PARTS, "userinfo,query,fragment,path"])
@pytest.mark.parametrize("argv", SINGLE, ids=" ".join)
def test_a_redacted_part_leaves_no_command_about_single_texts(argv: tuple[str, ...], part: str) -> None:
    outcome = call(*argv, "--safe", no_parts(part), *LINKS)
    for name in part.split(","):
        assert _around(outcome.out + outcome.err.encode(), PARTS[name]) == []


# An identifier, and what is left of it without the part of each column.
REDACTED = [
    ("http://j:p@a.example/b/c?d#e", "http://***@a.example/b/c?d#e", "http://j:***@a.example/b/c?***#e",
     "http://j:***@a.example/b/c?d#***", "http://j:***@a.example/***?d#e"),
    ("http://a.example/?#", *["http://a.example/?#"] * 4),
    ("mailto:a@b.example?subject=x", "mailto:a@b.example?subject=x", "mailto:a@b.example?***",
     "mailto:a@b.example?subject=x", "mailto:***?subject=x"),
    ("urn:example:a?=b#c", "urn:example:a?=b#c", "urn:example:a?=***#c", "urn:example:a?=b#***",
     "urn:example:***?=b#c"),
    ("sip:joe:p@h.example;x?y=z", "sip:***@h.example;x?y=z", "sip:joe:***@h.example;x?***",
     "sip:joe:***@h.example;x?y=z", "sip:***?y=z"),
    ("file:///etc/x", "file:///etc/x", "file:///etc/x", "file:///etc/x", "file:///***"),
    ("https://r.example/x?u=http%3A%2F%2Fj%40h%2Fp", "https://r.example/x?u=http%3A%2F%2F***%40h%2Fp",
     "https://r.example/x?***", "https://r.example/x?u=***", "https://r.example/***?u=***"),
    ("https://www.google.com/url?sa=D&q=https%3A%2F%2Fe.example%2F&usg=x",
     "https://www.google.com/url?sa=D&q=https%3A%2F%2Fe.example%2F&usg=x", "https://www.google.com/url?***",
     "https://www.google.com/url?sa=D&q=***&usg=x", "https://www.google.com/***?sa=D&q=***&usg=x"),
    ("https://www.bing.com/ck/a?p=1&u=a1aHR0cHM6Ly9lLmV4YW1wbGUvYT9iPTE", "https://www.bing.com/ck/a?p=1&u=a1aHR0cHM6Ly9lLmV4YW1wbGUvYT9iPTE",
     "https://www.bing.com/ck/a?***", "https://www.bing.com/ck/a?p=1&u=***",
     "https://www.bing.com/***?p=1&u=***"),
    ("https://web.archive.org/web/2020/https://e.example/a?b#c", "https://web.archive.org/web/2020/https://e.example/a?b#c",
     *["https://web.archive.org/web/2020/***?***#***"] * 2, "https://web.archive.org/***?***#***"),
    ("https://web.archive.org/web/2020/e.example/%3Fb", "https://web.archive.org/web/2020/e.example/%3Fb",
     *["https://web.archive.org/web/2020/***"] * 2, "https://web.archive.org/***"),
    ("https://r.search.yahoo.com/a/RU=http%3a%2f%2fe.example%2f/RK=2#x",
     "https://r.search.yahoo.com/a/RU=http%3a%2f%2fe.example%2f/RK=2#x", "https://r.search.yahoo.com/a/RU=***/RK=2#x",
     "https://r.search.yahoo.com/a/RU=***/RK=2#***", "https://r.search.yahoo.com/***#x"),
    ("https://j@www.youtube.com:81/redirect?q=e.example&v=1", "https://***@www.youtube.com:81/redirect?q=e.example&v=1",
     "https://j@www.youtube.com:81/redirect?***", "https://j@www.youtube.com:81/redirect?q=***&v=1",
     "https://j@www.youtube.com:81/***?q=***&v=1"),
]  # fmt: skip


# Pages of hosts that have a redirector, too, and what is left of them without a query.
PAGES_OF_REDIRECTORS = {
    "http://www.google.com/bot.html": "http://www.google.com/bot.html",
    "https://www.google.com/search?q=a#b": "https://www.google.com/search?***#b",
    "https://www.bing.com/webmasters/help": "https://www.bing.com/webmasters/help",
    "https://duckduckgo.com/about": "https://duckduckgo.com/about",
    "https://www.youtube.com/watch?v=1": "https://www.youtube.com/watch?***",
    "https://www.youtube.com/@a": "https://www.youtube.com/@a",
    "https://web.archive.org/about/": "https://web.archive.org/about/",
    "https://www.google.com/./url?q=http%3A%2F%2Fe.example%2F": "https://www.google.com/./url?***",
    "https://web.archive.org/web/2020/http://e.example/": "https://web.archive.org/web/2020/***",
}


@pytest.mark.sampled(23)
@pytest.mark.parametrize("form", ["uri", "iri", "key", "raw"])
@pytest.mark.parametrize("carrier", ["text", "html", "json"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_row_of_a_redirector_decides_not_its_host(form: str, carrier: str, jobs: str, tmp_path: Path) -> None:
    texts = {
        "text": "\n".join(PAGES_OF_REDIRECTORS),
        "html": "".join(f'<a href="{link}">x</a>' for link in PAGES_OF_REDIRECTORS),
        "json": json.dumps(list(PAGES_OF_REDIRECTORS)),
    }
    path = tmp_path / f"links.{carrier}"
    path.write_text(texts[carrier], encoding="utf-8")
    outcome = call("extract", "--fields", form, "--safe", "no-query", "--jobs", jobs, str(path), str(path))
    assert outcome.status == 0, outcome.err
    expected = [text if form == "raw" else text.replace("/./", "/") for text in PAGES_OF_REDIRECTORS.values()] * 2
    # In a key each part is a digest.
    assert re.sub("[0-9a-f]{16}", "***", outcome.out.decode()).split() == expected


def test_a_target_stays_hidden_in_a_raw_text_that_is_laid_out_in_another_way() -> None:
    (found,) = urisieve.extract("https://www.bing.com/./ck/a?u=a1aHR0cHM6Ly9lLmV4YW1wbGUv&x=1")
    mask = drawn_mask(None, redact=["path"])
    assert mask.record(found).raw == mask.record(found).uri == "https://www.bing.com/***?u=***&x=1"


@pytest.mark.parametrize("row", REDACTED, ids=lambda row: row[0])
def test_what_is_left_is_an_identifier(row: tuple[str, ...]) -> None:
    uri, *expected = row
    assert [urisieve.redact(uri, [part]) for part in PARTS] == expected
    for text in expected:
        assert urisieve.redact(text, []) == text
        if not text.startswith("mailto:***"):
            assert urisieve.is_valid(text, options=urisieve.Options(urn_syntax="rfc8141"))


def test_redaction_does_not_merge_what_differs_in_a_redacted_part(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("links.txt").write_text("http://a.example/?1 http://a.example/?2 http://a.example/?1", encoding="utf-8")
    found = call("dedupe", "-f", "jsonl", "--safe", "no-query", "links.txt").rows
    assert [row["uri"] for row in found] == ["http://a.example/?***"] * 2
    assert len({row["key"] for row in found}) == 2
    counts = call("count", "-f", "jsonl", "--safe", "no-query", "links.txt").rows
    assert [row["count"] for row in counts] == [2, 1]
    # A store compares whole keys, whether a run redacts or not.
    assert len(call("dedupe", "--store", "s.db", "--safe", "no-query", "links.txt").lines) == 2
    assert call("dedupe", "--store", "s.db", "links.txt").lines == []


REFUSED: list[tuple[tuple[str, ...], str]] = [
    (("extract", "--safe", "no-query", "--show-passwords"), "--safe no-... hides parts of identifiers"),
    (("extract", "--safe", "no-host"), "'no-host' is not a choice; use one of defang, cells, no-userinfo, no-query"),
    (("extract", "--protect", ","), "--protect: no name is named"),
    (("extract", "--safe", "no-query", "--base", "http://a:9x/?q"), "base='http://a:9x/?***' is not a valid URI"),
    (("dedupe", "--input", "csv", "--field", "a", "--safe", "no-path"), "--field writes rows as they are"),
    (("check", "--input", "csv", "--field", "a", "-f", "csv", "--safe", "no-path"), "the cells of the table as they"),
    (("extract", "--safe", "cells"), "--safe cells needs --format csv or tsv"),
    (("dedupe", "--safe", "cells"), "--safe cells needs --format csv or tsv"),
    (("dedupe", "--input", "jsonl", "--field", "a", "--safe", "cells"), "with --field it needs --input csv or tsv"),
    (("stats", "--safe", "cells"), "--safe cells needs --format csv or tsv"),
]


@pytest.mark.parametrize(("argv", "message"), REFUSED, ids=lambda value: " ".join(value) if len(value) < 12 else None)
def test_what_would_have_no_effect_is_refused(argv: tuple[str, ...], message: str) -> None:
    outcome = call(*argv, "links.txt")
    assert outcome.status == 2
    assert message in outcome.err


def test_a_table_with_passwords_in_its_own_cells_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"u\n{PLANTED[0]}\n{PLANTED[17]}\nhttp://b.example/\n", encoding="utf-8")
    outcome = call("check", "--input", "csv", "--field", "u", "-f", "csv", str(tmp_path / "a.csv"))
    assert "2 cells of the table, written as it stands, hold a password" in outcome.err
    key = r",http://user:[0-9a-f]{16}@a.example/"
    assert re.search(rf",http://user:\*{{3}}@a.example/{key},userinfo-present password-present,,,,\Z", outcome.lines[1])


# Cells as they stand in a row of CSV, and as they leave.
CELLS = [
    ("=1+1", "'=1+1"),
    ("+1+1", "'+1+1"),
    ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
    ("@SUM(1)", "'@SUM(1)"),
    ('"=A1,B1"', '"\'=A1,B1"'),
    ('"""=1"', '"\'""=1"'),
    ('"\t=1"', '"\'\t=1"'),
    ('"\r\n=1"', '"\'\r\n=1"'),
    ("\tx", "'\tx"),
    ("  =1", "'  =1"),
    ("'=1", "''=1"),
    ("\uff1d1", "'\uff1d1"),
    ("\u00a0=1", "'\u00a0=1"),
    *(
        (text, text)
        for text in ("", "a=1", "http://a.example/?=1", "-5", "+1.5e+3", "-", '"a,=1"', '"a\n=1"', "'", "é")
    ),
]


@pytest.mark.parametrize(("cell", "expected"), CELLS, ids=repr)
def test_cells_that_a_spreadsheet_would_run(cell: str, expected: str, tmp_path: Path) -> None:
    with urisieve.sinks.open_output(str(tmp_path / "rows.csv")) as output:
        safe = urisieve.sinks.SafeCells(output)
        safe.write(f"{cell},x\r\nx,{cell}\r\n".encode())
        safe.write(f"{cell},x".encode())
    found = (tmp_path / "rows.csv").read_bytes().decode()
    assert found == f"{expected},x\r\nx,{expected}\r\n{expected},x"
    assert safe.changed == 3 * (cell != expected)


@pytest.mark.parametrize(
    ("cell", "expected"), [("=1", "'=1"), ('"=1"', '"\'=1"'), ("\t1", "'\t1"), ("u", "u")], ids=repr
)
def test_a_byte_order_mark_hides_no_formula(cell: str, expected: str, tmp_path: Path) -> None:
    with urisieve.sinks.open_output(str(tmp_path / "rows.csv")) as output:
        urisieve.sinks.SafeCells(output).write(f"\ufeff{cell},x\n".encode())
    assert (tmp_path / "rows.csv").read_bytes().decode() == f"\ufeff{expected},x\n"


# After the mark of a file that another one was joined to, in a cell that begins no row.
@pytest.mark.parametrize("before", ["\ufeff", "\ufeff\ufeff", " \ufeff", "\ufeff\u00a0'", '\ufeff"'])
@pytest.mark.parametrize(
    ("rest", "runs"), [("=1", True), ("\uff1d1", True), ("-1+A1", True), ("-5", True), ("5", False)]
)
def test_a_byte_order_mark_in_a_row_hides_no_formula(before: str, rest: str, runs: bool, tmp_path: Path) -> None:
    with urisieve.sinks.open_output(str(tmp_path / "rows.csv")) as output:
        urisieve.sinks.SafeCells(output).write(f"x,{before}{rest}\n".encode())
    assert (tmp_path / "rows.csv").read_bytes().decode() == f"x,{chr(39) * runs}{before}{rest}\n"


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(("kind", "tab"), [("csv", ","), ("tsv", "\t")])
def test_a_safe_table_goes_on_in_the_next_run(mark: str, kind: str, tab: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name, rows in (("a", "1,http://a.example/\n"), ("b", "2,http://A.example\n=3,http://b.example/\n")):
        Path(name).write_text(f"{mark}=n,u\n{rows}".replace(",", tab), encoding="utf-8")
        run = call("dedupe", "--input", kind, "--field", "u", "--safe", "cells", "--store", "s.db", "-o", "out", name)
        assert run.status == 0
    expected = f"{mark}'=n,u\n1,http://a.example/\n'=3,http://b.example/\n".replace(",", tab)
    assert Path("out").read_text(encoding="utf-8") == expected


def _safe_runs(folder: Path) -> list[tuple[tuple[str, ...], Callable[[str], bool]]]:
    links, rows = str(folder / "=links.txt"), str(folder / "rows.csv")
    table = ("--input", "csv", rows)
    return [
        (("extract", "-f", "csv", "--fields", "uri,source", "=links.txt"), lambda text: ",'=links.txt" in text),
        (("extract", "-f", "tsv", "=links.txt"), lambda text: "\t'=links.txt\t" in text),
        (("extract", "-f", "csv", "=links.txt"), lambda text: ",'=links.txt," in text),
        (("dedupe", "-f", "csv", "=links.txt"), lambda text: ",'=links.txt," in text),
        (("dedupe", "-f", "csv", "--store", "s.db", "=links.txt"), lambda text: ",'=links.txt," in text),
        (("count", "-f", "tsv", "=links.txt"), lambda text: "\t'=links.txt\t" in text),
        (("stats", "-f", "csv", "=links.txt"), lambda text: ",'=links.txt," in text),
        (("dedupe", "--field", "u", *table), lambda text: text == "u,n\nhttp://a.example/,'=1+1\n'@x,-5\n"),
        (("check", "--field", "u", "-f", "csv", *table), lambda text: "http://a.example/,'=1+1,true" in text),
    ] if links else []  # fmt: skip


@pytest.mark.parametrize("number", range(9))
def test_cells_are_made_safe_wherever_tables_leave(number: int, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("=links.txt").write_text("see http://a.example/", encoding="utf-8")
    Path("rows.csv").write_text("u,n\nhttp://a.example/,=1+1\nhttp://A.example,2\n@x,-5\n", encoding="utf-8")
    argv, holds = _safe_runs(tmp_path)[number]
    plain, safe = call(*argv), call(*argv, "--safe", "cells")
    if "--store" not in argv:
        assert not holds(plain.out.decode())
        assert plain.out.replace(b"=", b"'=").replace(b"@x", b"'@x") == safe.out
    else:
        Path("s.db").unlink()
        safe = call(*argv, "--safe", "cells")
    assert holds(safe.out.decode())
    assert re.search(r"\b[12] cells? made safe", safe.err)


# Escape sequences, C1 controls, a link of OSC 8, line ends, and all controls and marks of the bidirectional algorithm.
# The marks turn nothing but what stands beside them, and names in Hebrew and Arabic hold them: they stay but at a
# terminal (tests/cli/terminal/test_screen.py).
DRIVING = "\x1b[31m\x1b]8;;http://e.example/\x07\x9b31m\x85\u2028\u2029\u061c\u200e\u200f\u202a\u202e\u2066\u2069"
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def test_no_name_drives_what_shows_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    name = DRIVING.replace("/", "")
    Path(f"{name}.txt").write_text("http://a.example/ http://b.example:9x/", encoding="utf-8")
    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.writestr(name, "http://a.example/")
        archive.writestr(f"{name}.gz", b"\x1f\x8b\x08broken")
    subject = base64.b64encode(f"{DRIVING} http://a.example/{DRIVING}".encode()).decode()
    mail = f"From a@b Thu Jan  1 00:00:00 2026\nSubject: =?utf-8?b?{subject}?=\nMessage-ID: <{DRIVING}@x>\n\nhttp://a.example/\n"
    Path("a.mbox").write_text(mail, encoding="utf-8")
    Path("a.jsonl").write_text(f'{{"{DRIVING[1:4]}\u202e\u200f": "http://a.example/"}}\n', encoding="utf-8")
    files = [f"{name}.txt", "a.zip", "a.mbox", "a.jsonl", f"{name}-is-not-there"]
    for argv in (
        ("extract", "-f", "tsv"),
        ("extract", "-f", "csv"),
        ("extract", "-f", "jsonl"),
        ("extract", "-f", "jsonl", "--fields", "source,part,message_id,uri"),
        ("count",),
        ("stats", "-f", "csv"),
    ):
        outcome = call(*argv, *files)
        assert HARMFUL.findall(outcome.err.replace("\n", "")) == []
        assert HARMFUL.findall(outcome.out.decode().replace("\r\n", "\n")) == []
    assert len(call("extract", "-f", "tsv", *files).out.decode().splitlines()) == 1 + len(call("extract", *files).lines)


@pytest.mark.parametrize("argv", [argv for argv in MISUSES if len(argv) > 1], ids=lambda argv: " ".join(argv)[:30])
def test_no_argument_drives_what_shows_a_message(argv: tuple[str, ...], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = call(*(DRIVING if word in (MISSING, WRAPPED, BROKEN) else word for word in argv))
    assert HARMFUL.findall(outcome.err.replace("\n", "")) == []


# Characters that control a terminal, end a line, or turn text around; JSON need not escape them (RFC 8259 7).
UNESCAPED = "\x7f\x80\x85\x9b\x9f\u2028\u2029\u202a\u202e\u2066\u2069"


@pytest.mark.parametrize("argv", [("check", "-f", "jsonl"), ("explain", "-f", "jsonl")], ids=" ".join)
@pytest.mark.parametrize("character", UNESCAPED, ids=ascii)
def test_json_of_a_text_holds_no_control_character(argv: tuple[str, ...], character: str) -> None:
    text = f"http://e.example/a{character}b"
    done = call(*argv, text)
    assert character not in done.out.decode()
    (row,) = done.rows
    assert (row["text"] if "text" in row else row["raw"]) == text


@pytest.mark.parametrize("character", sorted(set(UNESCAPED) - set("\x85\x9b\u2028\u2029")), ids=ascii)
def test_json_of_a_rejection_holds_no_control_character(character: str, tmp_path: Path) -> None:
    path = tmp_path / "rejected"
    texts = [f"http://e.example/a{character}b", f"http://e.example/é{character}b"]
    call("extract", "--rejected", str(path), stdin=" ".join(f'"{text}"' for text in texts).encode())
    lines = path.read_text(encoding="utf-8")
    assert character not in lines
    assert [json.loads(line)["raw"] for line in lines.splitlines()] == texts
