"""Deflate by zlib-ng and by the standard library: the same bytes, faults and remainders."""

from __future__ import annotations

import gzip
import random
import sys
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve import Tally, extract_files
from urisieve.sources.containers import compressed as inflate
from urisieve.sources.containers.compressed import Inflate
from urisieve.sources.containers.unpacking import unpack

LINES = b"".join(b"%06d http://e.com/%d?q=%d\n" % (i, i * 7919 % 10_007, i) for i in range(3_000))
NOISE = random.Random(1).randbytes(3_000)


@pytest.fixture(scope="module")
def ng() -> Any:
    return pytest.importorskip("zlib_ng.zlib_ng")


def packed(data: bytes, window_bits: int = 31, level: int = 6, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> bytes:
    engine = zlib.compressobj(level, zlib.DEFLATED, window_bits, 8, strategy)
    return engine.compress(data) + engine.flush()


def run(library: Any, data: bytes, *, window_bits: int, step: int, most: int) -> tuple[object, ...]:
    """Return the output, how it ended, and what was left, by one of the libraries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inflate, "_library", lambda: (library, library.error))
        engine, out, index = Inflate(window_bits), b"", 0
        try:
            while not engine.eof:
                piece = b""
                if engine.needs_input:
                    piece = data[index : index + step]
                    index += len(piece)
                    if not piece:
                        return out, "truncated", b"", index
                out += engine.decompress(piece, most)
        except zlib.error as error:
            return out, str(error), engine.unread, index
        return out, "", engine.unused_data, index


def mended(data: bytes, index: int, value: int) -> bytes:
    index %= len(data)
    return data[:index] + bytes([value]) + data[index + 1 :]


STREAMS = {
    "empty": packed(b""),
    "stored": packed(LINES, level=0),
    "quick": packed(LINES, level=1),
    "best": packed(LINES, level=9),
    "fixed": packed(LINES, strategy=zlib.Z_FIXED),
    "huffman": packed(LINES, strategy=zlib.Z_HUFFMAN_ONLY),
    "noise": packed(NOISE),
    "two members": packed(b"one ") + packed(b"two"),
    "padding": packed(b"one ") + bytes(512) + packed(b"two"),
    "garbage": packed(LINES) + b"garbage",
    "cut in the header": packed(LINES)[:7],
    "cut": packed(LINES)[:9_000],
    "cut in the trailer": packed(LINES)[:-3],
    "wrong checksum": mended(packed(LINES), -6, 0),
    "wrong length": mended(packed(LINES), -1, 77),
    "wrong sign": mended(packed(LINES), 1, 0),
    "wrong method": mended(packed(LINES), 2, 7),
    "reserved flags": mended(packed(LINES), 3, 0xE0),
    "reserved block": packed(b"")[:10] + b"\x07" + bytes(20),
    "early distance": packed(b"")[:10] + bytes.fromhex("4b040000") + bytes(20),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("step", [1, 1_000, 524_288])
@pytest.mark.parametrize("most", [64, 524_288])
def test_streams(ng: Any, name: str, step: int, most: int) -> None:
    data = STREAMS[name]
    assert run(ng, data, window_bits=31, step=step, most=most) == run(zlib, data, window_bits=31, step=step, most=most)


@given(
    data=st.binary(max_size=300).map(lambda data: data * 20),
    window_bits=st.sampled_from([31, 15, -15]),
    level=st.sampled_from([0, 1, 6, 9]),
    index=st.integers(0, 10_000),
    value=st.integers(0, 255),
    size=st.integers(0, 10_000),
    tail=st.binary(max_size=40),
    step=st.sampled_from([1, 50, 8_192]),
)
def test_any_stream(
    ng: Any, data: bytes, window_bits: int, level: int, index: int, value: int, size: int, tail: bytes, step: int
) -> None:
    whole = packed(data, window_bits, level)
    for stream in (whole + tail, mended(whole, index, value) + tail, whole[:size]):
        expected = run(zlib, stream, window_bits=window_bits, step=step, most=5_000)
        assert run(ng, stream, window_bits=window_bits, step=step, most=5_000) == expected


@pytest.mark.parametrize("is_there", [True, False])
def test_the_extra_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_there: bool) -> None:
    library = import_module("zlib_ng.zlib_ng") if is_there and pytest.importorskip("zlib_ng.zlib_ng") else zlib
    monkeypatch.setattr(inflate, "_library", lambda: (library, library.error))
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"http://a.example/ ") + mended(gzip.compress(LINES), -6, 0))
    tally = Tally()
    found = [record.uri for record in extract_files([path], tally=tally, on_error=lambda *_: None)]
    assert found[:2] == ["http://a.example/", "http://e.com/0?q=0"]
    assert len(found) == 3_001


def test_without_the_extra_the_standard_library_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zlib_ng", None)
    inflate._library.cache_clear()
    try:
        assert inflate._library() == (zlib, zlib.error)
        (content,) = unpack("a", [gzip.compress(LINES)], tally=Tally())
        assert b"".join(content.blocks) == LINES
    finally:
        inflate._library.cache_clear()
