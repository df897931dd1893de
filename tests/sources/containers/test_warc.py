"""Archives of the web: the payload of each record by its kind, no headers; a bad record costs only itself (C13)."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from tests.helpers.containers import ZSTD_MODULE
from tests.helpers.doubling import assert_linear
from tests.helpers.strategies import examples
from urisieve import ReadingOptions, Record, extract_files, sieve_files
from urisieve.errors import InputError
from urisieve.files import extract_blocks
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.limits import Budget
from urisieve.sources.containers.unpacking import unpack
from urisieve.sources.containers.warc import Payload, warc_payloads
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.tally import Tally

try:
    import brotli
except ImportError:
    brotli = None

RESPONSE = "application/http; msgtype=response"


def record(kind: str, block: bytes, uri: str = "", media: str = "", more: str = "") -> bytes:
    fields = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        "WARC-Record-ID: <urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6>",
        *([f"WARC-Target-URI: {uri}"] if uri else []),
        *([f"Content-Type: {media}"] if media else []),
        *([more] if more else []),
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join([*fields, "", ""]).encode() + block + b"\r\n\r\n"


def answer(body: bytes, media: str = "text/html", more: str = "") -> bytes:
    head = f"HTTP/1.1 200 OK\r\nLink: <http://header.example/>\r\nContent-Type: {media}\r\n{more}\r\n"
    return head.encode() + body


def chunked(body: bytes) -> bytes:
    pieces = [body[at : at + 5] for at in range(0, len(body), 5)]
    return b"".join(b"%x;x=y\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def short_chunks(body: bytes, size: int, line: bytes = b"%x\r\n") -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(line % len(piece) + piece + b"\r\n" for piece in pieces) + b"0\r\n\r\n"


def response(body: bytes, media: str = "text/html", more: str = "", uri: str = "http://t.example/a/") -> bytes:
    return record("response", answer(body, media, more), uri, RESPONSE)


GZIP = "Content-Encoding: gzip\r\n"
PADDED = b"<p>http://b.example/" + b" " * 9_000
ROWS: list[tuple[bytes, list[str]]] = [
    (record("warcinfo", b"software: http://a.example/\r\n", media="application/warc-fields"), []),
    (record("request", b"GET / HTTP/1.1\r\nReferer: http://a.example/\r\n\r\n", "http://t.example/", RESPONSE), []),
    (record("metadata", b"via: http://a.example/\r\n", "http://t.example/"), []),
    (record("revisit", answer(b""), "http://t.example/", RESPONSE), []),
    (response(b'<!doctype html><a href="x?y">z</a> http://b.example/'), ["http://b.example/", "http://t.example/a/x?y"]),
    (response(b"no tag first <a href=../c>z</a>"), ["http://t.example/c"]),
    (response(b"plain http://b.example/", "text/plain"), ["http://b.example/"]),
    (response(gzip.compress(b"<p>http://b.example/"), more=GZIP), ["http://b.example/"]),
    (response(chunked(b"<p>http://b.example/"), more="Transfer-Encoding: chunked\r\n"), ["http://b.example/"]),
    (response(b"<p>http://b.example/", more="Transfer-Encoding: chunked\r\n"), ["http://b.example/"]),
    *(
        (response(short_chunks(PADDED, size, line), more="Transfer-Encoding: chunked\r\n"), ["http://b.example/"])
        for size in (1, 2, 17, 4_095, 4_096)
        for line in (b"%x\r\n", b"%X\r\n", b"0%x\r\n", b"%x \r\n", b"%x\n")
    ),
    (response(b"1F\r\n<p>http://b.example/0123456789a\r\n0\r\n\r\n", more="Transfer-Encoding: chunked\r\n"),
     ["http://b.example/0123456789a"]),
    (response(chunked(gzip.compress(b"http://b.example/")), more=f"{GZIP}Transfer-Encoding: chunked\r\n"),
     ["http://b.example/"]),
    (response(zlib.compress(b"http://b.example/"), more="Content-Encoding: deflate\r\n"), ["http://b.example/"]),
    (response(zlib.compress(b"http://b.example/")[2:-4], more="Content-Encoding: deflate\r\n"), ["http://b.example/"]),
    (response(b'{"a":"http:\\/\\/b.example\\/"}', "application/json"), ["http://b.example/"]),
    (response(b"<urlset><loc>http://b.example/?c&amp;d</loc></urlset>", "text/xml"), ["http://b.example/?c&d"]),
    (response(b"a;b\nhttp://b.example/;c\n", "text/csv"), ["http://b.example/"]),
    (response("<html>http://ü.example/".encode("cp1252"), "text/html; charset=windows-1252"),
     ["http://xn--tda.example/"]),
    (response(b"\x89PNG\r\n\x1a\n\0\0\0 http://b.example/", "image/png"), []),
    (response("http://b.example/\xe4".encode("cp1252"), "text/plain; charset=iso-8859-1"), ["http://b.example/%C3%A4"]),
    (response("\ufeffhttp://b.example/\xe4".encode(), "text/plain; charset=iso-8859-1"), ["http://b.example/%C3%A4"]),
    (response("a;b\nhttp://b.example/\xe4;c\n".encode("cp1252"), "text/csv; charset=iso-8859-1"),
     ["http://b.example/%C3%A4"]),
    (response("<urlset><loc>http://b.example/\xe4</loc></urlset>".encode("cp1252"), "text/xml; charset=iso-8859-1"),
     ["http://b.example/%C3%A4"]),
    # a page is one, whatever it begins like
    (response(b"Subject: a\nFrom: b\n\n<a href=c>z</a>"), ["http://t.example/a/c"]),
    (response(b"a,b\nc,d\n<a href=c>z</a>,e\nf,g\n", "application/xhtml+xml"), ["http://t.example/a/c"]),
    # but a wrong type does not hide what it is
    (response(b'{"a":"http:\\/\\/b.example\\/"}'), ["http://b.example/"]),
    (response(b"Subject: a\nContent-Transfer-Encoding: quoted-printable\n\nhttp://b.example/=\nc", "message/rfc822"),
     ["http://b.example/c"]),
    (response(b""), []),
    (record("response", b"HTTP/1.1 200 OK\r\nLocation: http://b.example/", "http://t.example/", RESPONSE), []),
    (record("continuation", b"http://b.example/"), ["http://b.example/"]),
    (record("resource", b"http://b.example/", "file:///x", "text/plain"), ["http://b.example/"]),
    # WET is text, whatever it looks like
    (record("conversion", b"Subject: a\nMIME-Version: 1.0\nFrom: b\n\nhttp://b.example/=\nc", "", "text/plain"),
     ["http://b.example/="]),
    (record("conversion", b"a,b\n\"http://b.example/,c\",d\n", "", "text/plain"), ["http://b.example/,c"]),
    (record("conversion", b"<p>http://b.example/<b>c</b>", "", "text/plain"), ["http://b.example/"]),
    (record("conversion", b"a, text\nb, http://b.example/\nc, d\n", "http://t.example/", "text/plain"),
     ["http://b.example/"]),
    (record("response", b"not HTTP http://b.example/", "http://t.example/", RESPONSE), ["http://b.example/"]),
    (record("response", answer(b"http://b.example/"), "<http://t.example/>", RESPONSE, "X: folded\r\n lines"),
     ["http://b.example/"]),
    (record("odd", b"http://b.example/"), ["http://b.example/"]),
]  # fmt: skip

# By media type: a content with one link beyond ASCII, which has several forms as bytes.
OF_TYPE = {
    "text/plain": "see http://b.example/\u00e4 there",
    "text/html": "<!doctype html><p>http://b.example/\u00e4",
    "application/xhtml+xml": "<html><body><p>http://b.example/\u00e4</p></body></html>",
    "text/xml": "<r><a>http://b.example/\u00e4</a></r>",
    "application/rss+xml": "<rss><channel><link>http://b.example/\u00e4</link></channel></rss>",
    "text/csv": "id,url\n1,http://b.example/\u00e4\n",
    "text/tab-separated-values": "id\turl\n1\thttp://b.example/\u00e4\n",
    "text/calendar": "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nURL:http://b.example/\u00e4\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    "text/vcard": "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:x\r\nURL:http://b.example/\u00e4\r\nEND:VCARD\r\n",
    "application/x-bibtex": "@misc{a,\n title = {x},\n url = {http://b.example/\u00e4}\n}\n",
}


@pytest.mark.parametrize("where", ["response", "resource"])
@pytest.mark.parametrize("charset", ["", "utf-8", "iso-8859-1", "koi8-r", "shift_jis", "utf-16", "unknown"])
@pytest.mark.parametrize("media", OF_TYPE)
def test_a_declared_character_set_loses_nothing(media: str, charset: str, where: str) -> None:
    text = OF_TYPE[media] if charset in ("", "utf-8", "iso-8859-1", "utf-16") else OF_TYPE[media].replace("\u00e4", "a")
    data = text.encode("utf-8" if charset in ("", "unknown") else charset)
    label = f"{media}; charset={charset}" if charset else media
    one = response(data, label) if where == "response" else record("resource", data, "http://t.example/a/", label)
    expected = "http://b.example/a" if "\u00e4" not in text else "http://b.example/%C3%A4"
    assert expected in [found.uri for found in extract_blocks("a.warc", one)]


def found(path: Path) -> tuple[list[str], Tally]:
    tally = Tally()
    uris = [value.uri for value in extract_files([path], tally=tally, on_error=lambda name, error: None)]
    return uris, tally


@pytest.mark.parametrize(("data", "expected"), ROWS)
@pytest.mark.parametrize("packed", [False, True])
def test_records(tmp_path: Path, data: bytes, expected: list[str], packed: bool) -> None:
    path = tmp_path / "a.warc"
    last = record("conversion", b"http://last.example/")
    path.write_bytes(gzip.compress(data) + gzip.compress(last) if packed else data + last)
    uris, tally = found(path)
    assert uris == [*expected, "http://last.example/"]
    assert tally.kinds == {"warc": 1}
    assert not tally.broken


def test_all_of_them_in_one(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(data for data, _ in ROWS))
    uris, tally = found(path)
    assert uris == [uri for _, expected in ROWS for uri in expected]
    aside = (b"warcinfo", b"request", b"metadata", b"revisit")
    assert tally.read["warc record"] == sum(not data[21:].startswith(aside) for data, _ in ROWS)
    assert tally.skipped["warc record", "request"] == 1
    assert tally.skipped["file", "binary"] == 1


BEFORE = record("conversion", b"http://before.example/ ")
AFTER = record("conversion", b"http://after.example/")


@pytest.mark.parametrize(
    ("bad", "reasons"),
    [
        (b"garbage http://lost.example/\r\nmore\r\n", {"no-record": 1}),
        (b"WARC/1.0\r\nWARC-Type: response\r\n\r\nhttp://lost.example/\r\n\r\n", {"no-length": 1, "no-record": 1}),
        (b"WARC/1.0\r\nContent-Length: -5\r\n\r\n", {"no-length": 1}),
        ("WARC/1.0\r\nContent-Length: ²\r\n\r\n".encode(), {"no-length": 1}),
        ("WARC/1.0\r\nContent-Length: ²\r\n\r\n".encode("latin-1"), {"no-length": 1}),
        (b"WARC/1.0\r\n" + b"X: y\r\n" * 200_000 + b"Content-Length: 0\r\n\r\n", {"no-length": 1, "no-record": 1}),
        (b"WARC/1.0\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n", {"no-length": 1}),
        (record("conversion", b"x")[:-4] + b"too much\r\n\r\n", {"no-record": 1}),
        (b"\r\n\r\n\r\n", {}),
        (response(b"5\r\nabcde\r\nxyz http://lost.example/", more="Transfer-Encoding: chunked\r\n"), {"bad-chunk": 1}),
    ],
)
def test_a_bad_record_costs_only_itself(tmp_path: Path, bad: bytes, reasons: dict[str, int]) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(BEFORE + bad + AFTER)
    out = call("extract", "-v", str(path))
    assert out.lines == ["http://before.example/", "http://after.example/"]
    assert out.status == (2 if reasons else 0)
    for reason, number in reasons.items():
        assert f"{number} {reason.replace('-', ' ')}" in out.err or f"({reason.replace('-', ' ')})" in out.err


def test_folded_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    folded = b"WARC/1.0\r\nWARC-Type:\r\n conversion\r\nContent-Type:\r\n\ttext/plain\r\nContent-Length:\r\n 18\r\n\r\n"
    path.write_bytes(BEFORE + folded + b"http://f.example/\n\r\n\r\n" + AFTER)
    uris, tally = found(path)
    assert uris == ["http://before.example/", "http://f.example/", "http://after.example/"]
    assert not tally.broken


def test_a_cut_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(BEFORE + record("conversion", b"http://in.example/ http://cut.example/")[:-12])
    out = call("extract", str(path))
    assert out.lines == ["http://before.example/", "http://in.example/"]
    assert out.status == 2
    assert "the archive ends early, at byte" in out.err


def test_sources_and_places(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(
        response(b"\nsee http://b.example/", "text/plain", uri="http://t.example/\x1b" + "x" * 5_000) + AFTER
    )
    first, second = extract_files([path])
    assert first.source == f"{path}!http://t.example/\ufffd" + "x" * 1_006
    assert second.source == f"{path}!record 2"
    assert (first.line, first.column, first.byte_start, first.byte_end) == (2, 5, 5, 22)  # in the payload


@examples(80)
@given(
    st.lists(st.sampled_from([BEFORE, AFTER, b"WARC/1.0\r\n", b"Content-Length: 7\r\n", b"\r\n", b"HTTP/1.1", b"x"])),
    st.integers(1, 50),
)
def test_nothing_but_our_errors(pieces: list[bytes], size: int) -> None:
    data = b"WARC/1.0\r\n" + b"".join(pieces)
    blocks = (data[at : at + size] for at in range(0, len(data), size))
    with suppress(InputError):
        for payload in warc_payloads(Content(source="s", kind=Kind.WARC, blocks=blocks), tally=Tally()):
            with suppress(InputError):
                b"".join(payload.blocks)


def _read(data: bytes, size: int) -> tuple[list[tuple[Payload, bytes]], Tally]:
    """Return the payloads of an archive in blocks of a size, with their bytes, and what was counted."""
    tally = Tally()
    content = Content(
        source="s", kind=Kind.WARC, blocks=(data[at : at + size] for at in range(0, len(data), size)), budget=Budget()
    )
    found = []
    for payload in warc_payloads(content, tally=tally):
        read: list[bytes] = []
        with suppress(InputError):
            read.extend(payload.blocks)
        found.append((payload._replace(blocks=()), b"".join(read)))
    return found, tally


_LENGTHS = (
    b"Content-Length: 3",
    b"content-length :\t3 ",
    b"Content-Length:",
    b"Content-Length: -1",
    b"Content-Length: 4",
)
_TYPES = (b"WARC-Type: conversion", b"warc-TYPE:\trequest ", b"WARC-Type: \xc3\xa9", b"WARC-Typed: warcinfo")
_OTHERS = (
    *(b"Content-Type: text/plain", b"Content-Type:text/html; charset=latin1", b"WARC-Target-URI: <http://c.example/>"),
    *(b"WARC-Target-URI: http://d.example/\r\n more", b"WARC-Truncated: time", b" folded: x", b"WARC/1.0", b"", b"x"),
)
_FIELDS = st.lists(st.one_of(*map(st.sampled_from, (_LENGTHS, _TYPES, _OTHERS))), max_size=3)


def _odd_record(before: list[bytes], after: list[bytes], line: bytes, is_last: bool) -> bytes:
    fields = [*before, b"Content-Length: 3", *after]
    return line.join([b"WARC/1.1", *fields, b"", b"abc\r\n\r\n"]) + (b"" if is_last else record("metadata", b"x"))


@examples(1_500)
@given(
    st.lists(
        st.one_of(
            st.just(record("conversion", b"abc", "http://a.example/é", "text/plain")),
            st.just(record("response", answer(b"http://b.example/"), "http://a.example/", RESPONSE)),
            st.builds(_odd_record, _FIELDS, _FIELDS, st.sampled_from([b"\r\n", b"\n", b"\r\r\n"]), st.booleans()),
            st.sampled_from([b"\r\n", b"\r\n\r\n", b"\0", b"x", b"WARC/1.0\r\n", record("request", b"x" * 5_000)]),
        ),
        max_size=7,
    ),
    st.sampled_from([1 << 20, 400, 90, 7]),
)
def test_records_are_the_same_however_the_archive_is_cut(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    assert _read(data, size) == _read(data, 1 << 21)


def test_memory_is_bounded_and_time_linear() -> None:
    def blocks() -> Iterator[bytes]:
        yield b"WARC/1.0\r\nContent-Length: 100000000\r\n\r\n"
        for _ in range(1_000):
            yield b"x" * 100_000

    tracemalloc.start()
    try:
        content = Content(source="s", kind=Kind.WARC, blocks=blocks())
        assert sum(len(block) for payload in warc_payloads(content, tally=Tally()) for block in payload.blocks) == 10**8
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * 1_048_576


@pytest.mark.parametrize(
    "unit", [b"WARC/1.0\r\n", b"a: b\r\n", b" ", b"\r\n", b"WARC/1.0\r\nContent-Length: 0\r\n\r\n"]
)
def test_time_is_linear(unit: bytes) -> None:
    def run(data: bytes) -> None:
        content = Content(source="s", kind=Kind.WARC, blocks=[b"WARC/1.0\r\n", data])
        for payload in warc_payloads(content, tally=Tally()):
            b"".join(payload.blocks)

    assert_linear(run, lambda size: unit * (size // len(unit)), 400_000)


BROTLI: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("br", lambda body: brotli.compress(body)),
    ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
    ("br, gzip", lambda body: gzip.compress(brotli.compress(body))),
    ("br, deflate", lambda body: zlib.compress(brotli.compress(body))),
    ("BR", lambda body: brotli.compress(body * 50_000)),
]


@pytest.mark.sampled(3)
@pytest.mark.skipif(brotli is None, reason="the extra warc is not installed")
@pytest.mark.parametrize(("coding", "encode"), BROTLI)
def test_brotli(tmp_path: Path, coding: str, encode: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(response(encode(b"<p>http://b.example/<p>"), more=f"Content-Encoding: {coding}\r\n"))
    uris, tally = found(path)
    assert set(uris) == {"http://b.example/"}
    assert not tally.broken


def test_brotli_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "brotli", None)
    path = tmp_path / "a.warc"
    body = b"\x0b\x0b\x80<p>http://b.example/\x03"  # one block without compression (RFC 7932 9.2)
    path.write_bytes(response(body, more="Content-Encoding: br\r\n") + AFTER)
    out = call("extract", str(path))
    assert (out.lines, out.status) == (["http://after.example/"], 2)
    assert (
        "!http://t.example/a/: is compressed by brotli: that needs the extra: pip install 'urisieve[warc]'" in out.err
    )


@pytest.mark.long
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_kind_by_option(tmp_path: Path, jobs: str) -> None:
    """What is in the archive is read by its own kind, also where that is an archive."""
    mail = b"Subject: a\r\nMIME-Version: 1.0\r\nFrom: b\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n"
    part = b'Content-Type: text/csv; name="a.csv"\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\n'
    message = mail + part + b"a,b\r\nhttp://m.example/,c\r\n--x--\r\n"
    files = {
        "a.warc": b"".join(data for data, _ in ROWS),
        "b.warc.gz": b"".join(gzip.compress(data) for data, _ in ROWS),
        "c.warc": record("resource", response(b"<a href=c>z</a>"), "http://n.example/"),
        "d.warc": response(message, "message/rfc822") + record("resource", gzip.compress(BEFORE), "http://n.example/"),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    rows = [uri for _, expected in ROWS for uri in expected]
    expected = [*rows, *rows, "http://t.example/a/c", "http://m.example/", "http://before.example/"]
    for kind in ("auto", "warc"):
        out = call("extract", "-v", "--jobs", jobs, "--input", kind, str(tmp_path))
        assert out.lines == expected, kind
        assert "; as 4 warc; " in out.err
    assert call("dedupe", "--jobs", jobs, "--input", "warc", str(tmp_path)).lines == list(dict.fromkeys(expected))
    files_ = sorted(map(str, tmp_path.iterdir()))
    for reading in (ReadingOptions(), ReadingOptions(input="warc")):
        assert [value.uri for value in extract_files(files_, reading=reading, jobs=int(jobs))] == expected
        sieved = sieve_files(files_, reading=reading, jobs=int(jobs))
        assert [one.uri for one in sieved if isinstance(one, Record)] == expected


def zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("in.warc", data)
    return out.getvalue()


def tarred(data: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("in.warc")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize(
    ("pack", "inner"),
    [
        (gzip.compress, ""),
        (bz2.compress, ""),
        (lzma.compress, ""),
        (zipped, "!in.warc"),
        (tarred, "!in.warc"),
        (lambda data: zipped(gzip.compress(data)), "!in.warc"),
        (lambda data: gzip.compress(gzip.compress(data)), ""),
    ],
)
def test_packed(tmp_path: Path, pack: Callable[[bytes], bytes], inner: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(pack(response(b"<a href=c>z</a>") + AFTER))
    for reading in (ReadingOptions(), ReadingOptions(input="warc")):
        one, two = extract_files([path], reading=reading)
        assert (one.uri, one.source) == ("http://t.example/a/c", f"{path}{inner}!http://t.example/a/")
        assert (two.uri, two.source) == ("http://after.example/", f"{path}{inner}!record 2")


def test_zstd(tmp_path: Path) -> None:
    zstd = pytest.importorskip(ZSTD_MODULE, reason="the extra zstd is not installed")
    path = tmp_path / "a.warc.zst"
    path.write_bytes(b"".join(zstd.compress(data) for data, _ in ROWS))
    assert found(path)[0] == [uri for _, expected in ROWS for uri in expected]


PAYLOADS = st.sampled_from(
    [
        (b"<!doctype html><p>http://a.example/<b>b</b> <a href='http://c.example/?d&amp;e'>", "text/html"),
        (b"see http://a.example/, (http://b.example/) and urn:isbn:0395363411.\n" * 50, "text/plain"),
        (b'{"a": ["http:\\/\\/a.example\\/", "b"]}', "application/json"),
        (b'{"a": "http://a.example/"}\n{"a": "http://b.example/"}\n', "application/x-ndjson"),
        (b"<?xml version='1.0'?><rss><link>http://a.example/?b&amp;c</link></rss>", "application/rss+xml"),
        (b"a,b\nhttp://a.example/,c\nhttp://b.example/,d\n", "text/csv"),
        (b"\x89PNG\r\n\x1a\n\0\0\0 http://b.example/", "image/png"),
        (b"%PDF-1.4 http://a.example/", "application/pdf"),
        (zipped(b"http://a.example/"), "application/zip"),
        (b"", "text/html"),
    ]
)


@examples(60)
@given(st.lists(st.tuples(PAYLOADS, st.sampled_from(["response", "resource"])), min_size=1, max_size=6), st.booleans())
def test_as_the_payloads_by_themselves(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[tuple[bytes, str], str]], packed: bool
) -> None:
    """Written by another library, read by it and by us: the same payloads; found in them: what is found in files."""
    warc = pytest.importorskip("fastwarc.warc", reason="fastwarc is not installed")
    stream_io = pytest.importorskip("fastwarc.stream_io")
    top = tmp_path_factory.mktemp("a")
    out = io.BytesIO()
    folder = top / "alone"
    folder.mkdir()
    for number, ((body, media), kind) in enumerate(rows):
        one = warc.WarcRecord()
        one.init_headers(getattr(warc.WarcRecordType, kind))
        one.headers.append("WARC-Target-URI", "http://t.example/")
        one.headers.append("Content-Type", RESPONSE if kind == "response" else media)
        one.set_bytes_content(answer(body, media) if kind == "response" else body)
        if packed:
            member = stream_io.GzipWriter(out)
            one.write(member)
            member.finish()
        else:
            one.write(out)
        path = folder / f"{number}.{media.rpartition('/')[2].removeprefix('x-').removeprefix('rss+')}"
        path.write_bytes(body)
    path = top / "a.warc"
    path.write_bytes(out.getvalue())
    theirs = [one.reader.read() for one in warc.ArchiveIterator(io.BytesIO(out.getvalue()), parse_http=True)]
    assert theirs == [body for (body, _), _ in rows]
    (content,) = unpack("a", [out.getvalue()], tally=Tally())
    assert [b"".join(payload.blocks) for payload in warc_payloads(content, tally=Tally())] == theirs
    reading = ReadingOptions(binary="skip")
    expected = [value.raw for value in extract_files([folder], reading=reading)]
    assert [value.raw for value in extract_files([path], reading=reading)] == expected
