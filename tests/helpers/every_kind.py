"""A small file of each kind, with a link of its own, a repeated one, a time, and a rejection."""

from __future__ import annotations

import plistlib
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.helpers.containers import CONTAINERS, attached

__all__ = ["FILES", "PLAIN", "link", "written"]

# What each file has more than once, in another spelling; a name; a candidate that is none; a mark beyond ASCII.
_MORE: Final = "HTTP://B.example:80/%7ex and http://b.example/~x http://b.example/100%zz é http://ü.example/"
_TIME: Final = "2024-05-31T13:05:07Z"
_DATE: Final = "Fri, 31 May 2024 15:05:00 +0200"


def link(name: str) -> str:
    """The link that only the file of a name has."""
    return f"http://{name.replace('.', '-').replace(' ', '-')}.example/1?q=2"


def _text(name: str) -> str:
    return f"{_TIME} see {link(name)} and {_MORE}\n"


def _mail(name: str, number: int = 1) -> str:
    return (
        f"From: Ada <ada@a.example>\nTo: b@b.example, c@c.example\nDate: {_DATE}\nMessage-ID: <{number}@a.example>\n"
        f"Subject: =?utf-8?q?caf=C3=A9_{number}?= http://subject.example/{number}\nMIME-Version: 1.0\n"
        f'Content-Type: multipart/alternative; boundary="x"\n\n--x\nContent-Type: text/plain; charset=utf-8\n\n'
        f"see {link(name)} and {_MORE}\n--x\nContent-Type: text/html; charset=utf-8\n\n"
        f'<a href="{link(name)}">it</a> <img src="http://image.example/{number}"><p>{_MORE}</p>\n--x--\n'
    )


def _html(name: str) -> str:
    return (
        f'<!doctype html><html><head><base href="http://base.example/a/"><title>{_TIME}</title></head><body>'
        f'<a href="{link(name)}">{_MORE}</a><a href="../c?d&amp;e">relative</a><p data-x="http://data.example/">x</p>'
    )


def _jsonl(name: str) -> str:
    return (
        f'{{"time": "{_TIME}", "url": "{link(name)}", "a": ["http:\\/\\/b.example\\/~x", "{_MORE}"]}}\n'
        f'{{"ts": 1717160707, "b": {{"c": "<a href=\'http://inner.example/\'>é</a>"}}}}\nno json http://broken.example/\n'
    )


def _table(name: str, delimiter: str) -> str:
    rows = (("date", "url", "text"), (_TIME, link(name), "a"), ("2021-01-01", "http://b.example/~x", f'"{_MORE}\n2"'))
    return "".join(f"{delimiter.join(row)}\n" for row in rows)


def _record(name: str) -> bytes:
    body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{_html(name)}".encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://page.example/\r\nWARC-Date: {_TIME}\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body + b"\r\n\r\n"


def _database(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, title TEXT, last_visit_time TEXT)")
        rows = [(link(name), _MORE, _TIME), ("http://b.example/~x", "x", "2021-01-01")]
        connection.executemany("INSERT INTO urls (url, title, last_visit_time) VALUES (?, ?, ?)", rows)
        connection.commit()
        connection.close()
        return path.read_bytes()


def _journal(name: str) -> bytes:
    return (
        f"__CURSOR=s=1\n__REALTIME_TIMESTAMP=1717160707000000\nMESSAGE=see {link(name)}\n_EXE=/x\n\n"
        f"__CURSOR=s=2\n__REALTIME_TIMESTAMP=1717160708000000\nMESSAGE={_MORE}\n\n"
    ).encode()


def _docx(name: str) -> bytes:
    space = "http://schemas.openxmlformats.org"
    word = f"{space}/wordprocessingml/2006/main"
    return CONTAINERS["a.zip"](
        {
            "[Content_Types].xml": f'<Types xmlns="{space}/package/2006/content-types">'
            '<Override PartName="/word/document.xml" '
            'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
            "</Types>".encode(),
            "_rels/.rels": f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" '
            f'Type="{space}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
            "</Relationships>".encode(),
            "word/document.xml": f'<w:document xmlns:w="{word}"><w:body><w:p><w:r><w:t>see {link(name)} {_MORE}</w:t>'
            "</w:r></w:p></w:body></w:document>".encode(),
        }
    )


def _calendar(name: str) -> str:
    return (
        f"BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nDTSTART:20240531T130507Z\nSUMMARY:Tea\\, é\n"
        f"ORGANIZER:mailto:ada@a.example\nATTENDEE:mailto:b@b.example\nURL:{link(name)}\nDESCRIPTION:{_MORE}\n"
        "END:VEVENT\nEND:VCALENDAR\n"
    ).replace("\n", "\r\n")


def _of(name: str) -> bytes:
    """The content of the file of a name."""
    texts: dict[str, Callable[[str], str]] = {
        "mail.eml": _mail,
        "page.html": _html,
        "lines.jsonl": _jsonl,
        "cells.csv": lambda name: _table(name, ","),
        "cells.tsv": lambda name: _table(name, "\t"),
        "event.ics": _calendar,
        "card.vcf": lambda name: (
            f"BEGIN:VCARD\nVERSION:4.0\nREV:{_TIME}\nFN:Ada\nURL:{link(name)}\nNOTE:{_MORE}\nEND:VCARD\n"
        ),
        "people.ldif": lambda name: f"version: 1\n\ndn: cn=a\nlabeledURI: {link(name)}\ndescription: {_MORE}\n",
        "refs.bib": lambda name: f"@misc{{k,\n  url = {{{link(name)}}},\n  note = {{{_MORE}\n  {{\\_}}}}\n}}\n",
        "one.json": lambda name: f'[{{"time": "{_TIME}", "url": "{link(name)}"}}, {{"a": "{_MORE}"}}]',
        "feed.xml": lambda name: (
            f'<?xml version="1.0"?><f xml:base="http://base.example/"><updated>{_TIME}</updated>'
            f'<l href="{link(name)}" x="c/d"/><t>{_MORE}</t></f>'
        ),
        "rich.rtf": lambda name: f"{{\\rtf1\\ansi see {link(name)} and http://b.example/~x}}",
        "wide.txt": lambda name: "\ufeff" + _text(name),
    }
    if name in texts:
        return texts[name](name).encode("utf-16-le" if name == "wide.txt" else "utf-8")
    several = {"a.mail": _mail(name).encode(), "b.txt": _text(name).encode(), "c.html": _html(name).encode()}
    made: dict[str, Callable[[], bytes]] = {
        "two.mbox": lambda: "".join(
            f"From a@b.example Fri May 31 13:05:07 2024\n{_mail(name, number)}\n" for number in (1, 2)
        ).encode(),
        "crawl.warc": lambda: _record(name) * 2,
        "crawl.warc.gz": lambda: CONTAINERS["log.gz"]({"a": _record(name)}) * 2,
        "history.db": lambda: _database(name),
        "links.plist": lambda: plistlib.dumps({"u": [link(name), _MORE]}, fmt=plistlib.FMT_BINARY),
        "unit.journal": lambda: _journal(name),
        "word.docx": lambda: _docx(name),
        "in.zip": lambda: CONTAINERS["a.zip"](several),
        "in.tar": lambda: CONTAINERS["a.tar"](several),
        "in.tgz": lambda: CONTAINERS["a.tgz"](several),
        "log.gz": lambda: CONTAINERS["log.gz"](several),
        "log.bz2": lambda: CONTAINERS["log.bz2"]({"a": _text(name).encode()}),
        "log.xz": lambda: CONTAINERS["log.xz"]({"a": _jsonl(name).encode()}),
        "zip.eml": lambda: attached("in.zip", CONTAINERS["a.zip"](several)),
        "cut.gz": lambda: CONTAINERS["log.gz"]({"a": _text(name).encode() * 3})[:-9],
        "stray.log": lambda: _text(name).encode("latin-1"),
    }
    return made[name]() if name in made else _text(name).encode()


_NAMES: Final = (
    *("cells.csv", "cells.tsv", "card.vcf", "crawl.warc", "crawl.warc.gz", "cut.gz", "event.ics", "feed.xml"),
    *("history.db", "in.tar", "in.tgz", "in.zip", "lines.jsonl", "links.plist", "log.bz2", "log.gz", "log.xz"),
    *("mail.eml", "one.json", "page.html", "people.ldif", "refs.bib", "rich.rtf", "stray.log", "two.mbox"),
    *("unit.journal", "wide.txt", "word.docx", "zip.eml", "plain.txt", "again.txt"),
)
FILES: Final = {name: _of(name) for name in _NAMES}
# The files that are read as plain text.
PLAIN: Final = ("again.txt", "plain.txt", "stray.log", "wide.txt")


def written(folder: Path, *, plain: bool = False) -> list[str]:
    """Write the files, or only those of plain text; return their paths in order."""
    folder.mkdir(exist_ok=True)
    names = sorted(PLAIN if plain else FILES)
    for name in names:
        (folder / name).write_bytes(FILES[name])
    return [str(folder / name) for name in names]
