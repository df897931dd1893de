"""Compressed input: by content, in many streams, cut, corrupt, and too good to be true."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import shutil
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import strategies
from tests.helpers.containers import ZSTD_MODULE
from urisieve import ReadingOptions, extract, extract_files
from urisieve.errors import BrokenInputError, InputError
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.reading import BLOCK_SIZE, read_blocks
from urisieve.sources.containers import compressed
from urisieve.sources.containers.limits import Limits
from urisieve.sources.containers.unpacking import unpack
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind
from urisieve.sources.kinds.sniffing import kind_of
from urisieve.sources.tally import Tally

zstd: Any = None
with suppress(ImportError):
    zstd = import_module(ZSTD_MODULE)

Compress = Callable[[bytes], bytes]
COMPRESSORS: dict[str, Compress] = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
if zstd is not None:
    COMPRESSORS["zstd"] = zstd.compress
KINDS = sorted(COMPRESSORS)
LINES = b"".join(b"%06d http://e.com/%d?q=%d\n" % (i, i * 7919 % 10_007, i) for i in range(20_000))


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def unpacked(data: bytes, *, size: int = 65_536, tally: Tally | None = None, limits: Limits | None = None) -> bytes:
    tally = Tally() if tally is None else tally
    (content,) = unpack("a", cut(data, size), tally=tally, limits=limits or Limits())
    assert content.source == "a"
    return b"".join(content.blocks)


def broken(data: bytes, limits: Limits | None = None) -> tuple[bytes, BrokenInputError]:
    """What comes before the fault, and the fault."""
    (content,) = unpack("a", cut(data, 10_000), tally=Tally(), limits=limits or Limits())
    given: list[bytes] = []
    with pytest.raises(BrokenInputError) as caught:
        given.extend(content.blocks)
    return b"".join(given), caught.value


@pytest.mark.sampled(7)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("data", [b"", b"x", LINES], ids=["empty", "one byte", "lines"])
@pytest.mark.parametrize("size", [1, 4_097, 65_536])
def test_round_trip(kind: str, data: bytes, size: int) -> None:
    packed = COMPRESSORS[kind](data)
    tally = Tally()
    assert unpacked(packed, size=size, tally=tally) == data
    assert tally.read == {kind: 1}
    assert not tally.broken


@pytest.mark.parametrize("kind", KINDS)
def test_an_input_that_is_named_is_what_is_inside(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(COMPRESSORS[kind](b"http://a.example/"))
    records = extract_files([path], reading=ReadingOptions(input="text"))
    assert [record.uri for record in records] == ["http://a.example/"]


@pytest.mark.parametrize("kind", KINDS)
def test_many_streams_and_padding(kind: str) -> None:
    pack = COMPRESSORS[kind]
    packed = pack(b"one ") + pack(b"") + pack(b"two ") + bytes(512) + pack(b"three") + bytes(100_000)
    assert unpacked(packed) == b"one two three"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
def test_trailing_garbage_is_counted_and_loses_nothing(kind: str) -> None:
    packed = COMPRESSORS[kind](LINES)
    tally = Tally()
    assert unpacked(packed + b"garbage", tally=tally) == LINES
    assert tally.broken == {(kind, "trailing-garbage"): 1}
    assert tally.messages == [f"a: the bytes after the {kind} data, from byte {len(packed):,} on, are not {kind} data"]


def test_behind_garbage_only_an_archive_of_the_web_is_read_on() -> None:
    record = gzip.compress(b"WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
    for size in (1, 65_536):
        assert unpacked(gzip.compress(b"text\n") + b"garbage" + record, size=size) == b"text\n"


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.999])
def test_a_truncated_stream_gives_what_came_before(kind: str, share: float) -> None:
    packed = COMPRESSORS[kind](LINES)
    size = int(len(packed) * share)
    before, error = broken(packed[:size])
    assert LINES.startswith(before)
    assert (error.kind, error.reason) == (kind, "truncated")
    assert f"at byte {size:,}" in str(error)
    if kind == "gzip":
        assert len(before) > 0.9 * share * len(LINES)


def test_a_corrupt_gzip_gives_all_before_the_byte() -> None:
    packed = bytearray(gzip.compress(LINES, 9))
    place = len(packed) // 2
    packed[place : place + 40] = b"\xff" * 40
    before, error = broken(bytes(packed))
    assert error.reason == "corrupt"
    named = int(str(error).partition("at byte ")[2].partition(":")[0].replace(",", ""))
    assert place <= named <= len(packed)
    same = next(i for i, (a, b) in enumerate(zip(before, LINES, strict=False)) if a != b)
    assert same > len(LINES) * 0.45


def test_a_wrong_checksum_costs_nothing_but_the_message() -> None:
    packed = bytearray(gzip.compress(LINES))
    packed[-6] ^= 1
    before, error = broken(bytes(packed))
    assert before == LINES
    assert "incorrect" in str(error)
    assert f"at byte {len(packed) - 5:,}" in str(error) or f"at byte {len(packed) - 1:,}" in str(error)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"gzip"}))
def test_corruption_is_an_error_of_ours(kind: str) -> None:
    packed = COMPRESSORS[kind](LINES)
    chance = random.Random(1)
    for _ in range(20):
        harmed = bytearray(packed)
        for _ in range(8):
            harmed[chance.randrange(12, len(harmed))] ^= 1 << chance.randrange(8)
        (content,) = unpack("a", [bytes(harmed)], tally=Tally())
        try:
            for _ in content.blocks:
                pass
        except InputError:
            pass


def test_reading_that_fails_midway() -> None:
    packed = gzip.compress(LINES)

    def blocks() -> Iterator[bytes]:
        yield packed[: len(packed) // 2]
        raise InputError("the disk is gone")

    (content,) = unpack("a", blocks(), tally=Tally())
    given: list[bytes] = []
    with pytest.raises(InputError, match="the disk is gone"):
        given.extend(content.blocks)
    assert len(b"".join(given)) > 0.4 * len(LINES)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", KINDS)
def test_a_bomb_costs_no_memory_and_is_reported(kind: str) -> None:
    size = 96 * 1_048_576 if kind != "gzip" else 160 * 1_048_576
    pack = zlib.compressobj(9, wbits=31)
    zeros = bytes(1_048_576)
    if kind == "gzip":
        packed = b"".join([pack.compress(zeros) for _ in range(size // len(zeros))]) + pack.flush()
        # Deflate itself stays just under the limit; a byte of allowance less and it does not.
        limits = Limits(ratio=500)
    else:
        packed = COMPRESSORS[kind](bytes(size))
        limits = Limits()
    tracemalloc.start()
    try:
        (content,) = unpack("a", cut(packed, 65_536), tally=Tally(), limits=limits)
        sizes = map(len, content.blocks)
        counts: list[int] = []
        with pytest.raises(BrokenInputError) as caught:
            counts.extend(accumulate(sizes))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.reason == "ratio-limit"
    assert 63 * 1_048_576 < counts[-1] < size
    assert max(there - here for here, there in pairwise(counts)) <= BLOCK_SIZE
    assert peak < 12 * 1_048_576  # the dictionary of xz is 8 MiB


def test_bombs_in_bombs_are_stopped_as_one() -> None:
    data = bytes(32 * 1_048_576)
    inner = gzip.compress(data) * 40
    limits = Limits(total_allowance=16 * 1_048_576, ratio=10)
    before, error = broken(bz2.compress(inner), limits)
    assert (error.kind, error.reason) == ("gzip", "ratio-limit")
    assert len(before) < 20 * 1_048_576


def test_a_large_file_may_become_larger() -> None:
    data = random.Random(7).randbytes(50_000)
    limits = Limits(total_allowance=10_000, stream_allowance=10_000, ratio=2)
    assert unpacked(gzip.compress(data), limits=limits) == data


@pytest.mark.parametrize("kind", KINDS)
def test_nesting_has_a_limit(kind: str) -> None:
    data = b"http://e.com/"
    for _ in range(9):
        outer, data = data, COMPRESSORS[kind](data)
    tally = Tally()
    assert list(unpack("a", [data], tally=tally)) == []
    assert tally.broken == {(kind, "nesting-limit"): 1}
    assert tally.messages == ["a: more than 8 layers of compression and archives; not opened"]
    tally = Tally()
    assert unpacked(outer, tally=tally) == b"http://e.com/"
    assert tally.read == {kind: 8}


@given(st.lists(strategies.noisy_texts(), max_size=3), st.sampled_from(KINDS), st.integers(1, 300))
def test_records_are_those_of_the_plain_text(texts: list[str], kind: str, size: int) -> None:
    packed = b"".join(COMPRESSORS[kind](text.encode("utf-8", "surrogatepass")) for text in texts)
    if not packed:
        return
    decoder = ByteDecoder()
    (content,) = unpack("a", cut(packed, size), tally=Tally())

    def pieces() -> Iterator[str]:
        for block in content.blocks:
            yield decoder.feed(block)
        yield decoder.close()

    plain = ByteDecoder()
    whole = plain.feed("".join(texts).encode("utf-8", "surrogatepass")) + plain.close()
    assert list(extract(pieces())) == list(extract(whole))


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (["gzip", "-c"], Kind.GZIP),
        (["bzip2", "-c"], Kind.BZIP2),
        (["xz", "-c", "-T1", "--check=sha256"], Kind.XZ),
        (["zstd", "-q", "-c"], Kind.ZSTD),
        (["zstd", "-q", "-c", "--ultra", "-22", "--check"], Kind.ZSTD),
        (["pigz", "-c"], Kind.GZIP),
    ],
    ids=" ".join,
)
def test_files_of_real_programs(tmp_path: Path, command: list[str], kind: Kind) -> None:
    if shutil.which(command[0]) is None or (kind is Kind.ZSTD and zstd is None):
        pytest.skip(f"{command[0]} is not installed")
    (tmp_path / "a.log").write_bytes(LINES)
    packed = subprocess.run([*command, "a.log"], cwd=tmp_path, check=True, capture_output=True).stdout
    (tmp_path / "rotated.1").write_bytes(packed + packed)
    assert kind_of(packed[:HEAD_SIZE]) is kind
    (content,) = unpack("a", read_blocks(str(tmp_path / "rotated.1")), tally=Tally())
    assert b"".join(content.blocks) == LINES + LINES


def test_a_frame_that_asks_for_too_much_memory() -> None:
    pytest.importorskip(ZSTD_MODULE)
    window = 31
    frame = b"\x28\xb5\x2f\xfd\x00" + bytes([(window - 10) << 3]) + b"\x01\x00\x00"
    before, error = broken(frame)
    assert before == b""
    assert (error.kind, error.reason) == ("zstd", "memory-limit")


def test_zstd_without_its_module_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    compressed._zstd.cache_clear()
    (content,) = unpack("a", [b"\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello"], tally=Tally())
    with pytest.raises(InputError, match=r"urisieve\[zstd\]"):
        list(content.blocks)
