"""Archives of the web: the payload of each record by its kind, no headers; a bad record costs only itself (C13)."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubling import assert_linear
from test_cli_support import call
from urisieve import extract_files
from urisieve.errors import InputError
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.tally import Tally
from urisieve.sources.web.warc import warc_payloads

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


def response(body: bytes, media: str = "text/html", more: str = "", uri: str = "http://t.example/a/") -> bytes:
    return record("response", answer(body, media, more), uri, RESPONSE)


GZIP = "Content-Encoding: gzip\r\n"
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
    (record("resource", b"http://b.example/", "file:///x", "text/plain"), ["http://b.example/"]),
    (record("conversion", b"a, text\nb, http://b.example/\nc, d\n", "http://t.example/", "text/plain"),
     ["http://b.example/"]),
    (record("response", b"not HTTP http://b.example/", "http://t.example/", RESPONSE), ["http://b.example/"]),
    (record("response", answer(b"http://b.example/"), "<http://t.example/>", RESPONSE, "X: folded\r\n lines"),
     ["http://b.example/"]),
    (record("odd", b"http://b.example/"), ["http://b.example/"]),
]  # fmt: skip


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
    assert tally.read["warc record"] == 19
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
        (b"WARC/1.0\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n", {"no-length": 1}),
        (record("conversion", b"x")[:-4] + b"too much\r\n\r\n", {"no-record": 1}),
        (b"\r\n\r\n\r\n", {}),
        (response(b"5\r\nabcde\r\nxyz http://lost.example/", more="Transfer-Encoding: chunked\r\n"), {"bad-chunk": 1}),
    ],
)
def test_a_bad_record_costs_only_itself(tmp_path: Path, bad: bytes, reasons: dict[str, int]) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(BEFORE + bad + AFTER)
    out = call("extract", str(path))
    assert out.lines == ["http://before.example/", "http://after.example/"]
    assert out.status == (2 if reasons else 0)
    for reason, number in reasons.items():
        assert f"{number} {reason.replace('-', ' ')}" in out.err or f"({reason.replace('-', ' ')})" in out.err


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


@settings(max_examples=80)
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
