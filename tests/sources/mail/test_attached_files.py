"""Files in mail, by what they are, their declared type, their name and their character set: read as what they are."""

from __future__ import annotations

import base64
import gzip
import io
import json
import zipfile

import pytest

from tests.helpers.readers import read_by_kernel
from urisieve import Tally, extract_blocks

LINKS = ["http://a.example/?x=1&y=2", "http://b.example/ä"]
FOUND = ["http://a.example/?x=1&y=2", "http://b.example/%C3%A4"]
ENGINES = pytest.mark.parametrize("by_kernel", [True, False], ids=["kernel", "python"])
CHARSETS = ["", "utf-8", "iso-8859-1", "windows-1252", "iso-8859-15", "utf-16", "utf-16le", "utf-7", "hz-gb-2312"]


def zipped(data: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.txt", data)
    return target.getvalue()


# Texts that only their own reader reads: the next cell, an escape or a reference follows each link.
TEXTS = {
    "csv": f"url,n,t\r\n{LINKS[0]},1,x\r\n{LINKS[1]},2,y\r\n",
    "tsv": f"url\tn\r\n{LINKS[0]}\t1\r\n{LINKS[1]}\t2\r\n",
    "json": json.dumps([{"u": LINKS[0]}, {"u": LINKS[1]}], ensure_ascii=False).replace("&", "\\u0026"),
    "xml": f"<r><u>{LINKS[0]}</u>\n<u>{LINKS[1]}</u></r>".replace("&", "&amp;"),
    "html": f"<html><p><a href='{LINKS[0]}'>x</a><p><a href='{LINKS[1]}'>y</a></html>".replace("&", "&amp;"),
}
TYPES = {
    "csv": ["text/csv"],
    "tsv": ["text/tab-separated-values"],
    "json": ["text/json", "application/json", "application/ld+json"],
    "xml": ["text/xml", "application/xml", "application/atom+xml"],
    "html": ["text/html", "text/plain", "text/csv", "text/x-other", "application/octet-stream", "application/x-other"],
}
# Files that begin as no text does.
SIGNED = {
    "gz": gzip.compress("\n".join(LINKS).encode()),
    "zip": zipped("\n".join(LINKS).encode()),
    "rtf": b"{\\rtf1\\ansi http://a.{\\b example}/?x=1&y=2\\par http://b.example/\\'e4}",
    "eml": f"From: a@a.example\nTo: b@a.example\nContent-Type: text/html\n\n{TEXTS['html']}".encode(),
    "mbox": f"From a Thu Jan  1 00:00:00 2026\nFrom: a@a.example\nTo: b@a.example\n\n{TEXTS['html']}".encode(),
}


def mail(kind: str, name: str, data: bytes, disposition: str = "attachment") -> bytes:
    fields = f"Content-Type: {kind}\nContent-Transfer-Encoding: base64\n"
    if name or disposition:
        fields += f"Content-Disposition: {disposition or 'inline'}" + (f"; filename={name}\n" if name else "\n")
    part = f"--B\n{fields}\n".encode() + base64.encodebytes(data) + b"\n--B--\n"
    return b"From: a@a.example\nTo: b@a.example\nContent-Type: multipart/mixed; boundary=B\n\n" + part


def found(data: bytes) -> tuple[list[str], Tally]:
    tally = Tally()
    return [record.uri for record in extract_blocks("a.eml", data, tally=tally)], tally


@ENGINES
@pytest.mark.parametrize("disposition", ["", "inline", "attachment"])
@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize(("content", "kind"), [(name, kind) for name, some in TYPES.items() for kind in some])
def test_texts_of_a_type(content: str, kind: str, charset: str, disposition: str, by_kernel: bool) -> None:
    text, beyond = TEXTS[content], FOUND
    if charset == "hz-gb-2312":  # which has no umlauts
        text, beyond = text.replace("ä", "b"), [FOUND[0], "http://b.example/b"]
    if charset.startswith("utf-16") and content == "html" and kind != "text/html":
        return  # proved by its bytes, of which each second one is a zero
    data = text.encode(charset or "utf-8")
    declared = f"{kind}; charset={charset}" if charset else kind
    with read_by_kernel(by_kernel):
        for name in ("", f"a.{content}"):
            uris, tally = found(mail(declared, name, data, disposition))
            assert uris == beyond
            assert not tally.broken
            assert not tally.skipped


@ENGINES
@pytest.mark.parametrize("content", SIGNED)
@pytest.mark.parametrize("kind", ["text/plain", "text/x-other", "text/csv", "application/octet-stream"])
def test_files_that_are_said_to_be_text(kind: str, content: str, by_kernel: bool) -> None:
    with read_by_kernel(by_kernel):
        for declared in (kind, f"{kind}; charset=utf-8"):
            uris, tally = found(mail(declared, f"a.{content}", SIGNED[content]))
            assert uris == FOUND
            assert not tally.broken
    assert found(mail(kind, "a.7z", b"7z\xbc\xaf\x27\x1c" + bytes(50)))[1].skipped.total() == 1


@ENGINES
def test_a_text_to_be_shown_stays_one(by_kernel: bool) -> None:
    with read_by_kernel(by_kernel):
        for kind, name in [("text/plain", ""), ("text/plain", "a.txt"), ("text/markdown", "a.md")]:
            assert found(mail(kind, name, f"see {LINKS[0]}, <b>x</b>\n".encode()))[0] == FOUND[:1]
