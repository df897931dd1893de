"""Archives of the web that are damaged or cut: what is before and behind is kept, and every fault is reported."""

from __future__ import annotations

import gzip
import random
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from tests.helpers.doubling import assert_linear
from tests.helpers.readers import segments_of
from tests.helpers.strategies import examples
from tests.sources.containers.test_warc import GZIP, RESPONSE, answer, chunked, record, response
from urisieve import ReadingOptions, Tally, extract_files
from urisieve.errors import InputError
from urisieve.options import Limits
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.unpacking import unpack
from urisieve.sources.containers.warc import warc_payloads
from urisieve.sources.readers import Reader

pytestmark = pytest.mark.once


def one(name: str, length: int | None = None) -> bytes:
    """A record with twenty links; `length` is the one that it declares, if not its own."""
    data = record(
        "conversion", f"http://{name}.example/ ".encode() * 20, f"http://target-{name}.example/", "text/plain"
    )
    return data if length is None else data.replace(b"Content-Length: 360", b"Content-Length: %d" % length)


A, B, C = one("a"), one("b"), one("c")
ZIPPED = [gzip.compress(data, mtime=0) for data in (A, B, C)]


def flipped(data: bytes, index: int) -> bytes:
    return data[:index] + bytes([data[index] ^ 0xFF]) + data[index:][1:]


def read(data: bytes, size: int = 65_536) -> tuple[dict[str, int], list[str], Tally]:
    """How many links of each record are found in an archive that comes in blocks, the errors, and the counts."""
    tally = Tally()
    errors: list[str] = []
    blocks = (data[at : at + size] for at in range(0, len(data), size))
    reader = Reader(ReadingOptions(), tally=tally, failed=lambda _, error: errors.append(error.reason))
    counts: dict[str, int] = {}
    for document in segments_of(reader.documents("a", blocks)):
        text = ""
        try:
            for piece in document.text:
                text += piece
        except InputError as error:
            errors.append(error.reason)
        for name in text.split(".example/")[:-1]:
            name = name.rpartition("//")[2]
            counts[name] = counts.get(name, 0) + 1
    return counts, errors, tally


ALL = {"a": 20, "b": 20, "c": 20}
WITHOUT_B = {"a": 20, "c": 20}
DAMAGED: list[tuple[str, list[bytes], dict[str, int], set[str]]] = [
    ("whole", [A, B, C], ALL, set()),
    ("a member each", ZIPPED, ALL, set()),
    ("one member", [gzip.compress(A + B + C)], ALL, set()),
    ("lines end in LF", [data.replace(b"\r\n", b"\n") for data in (A, B, C)], ALL, set()),
    ("nothing between records", [data[:-4] for data in (A, B, C)], ALL, set()),
    ("zeros between members", [ZIPPED[0], bytes(700), ZIPPED[1], ZIPPED[2]], ALL, set()),
    ("the checksum of a member", [ZIPPED[0], flipped(ZIPPED[1], -6), ZIPPED[2]], ALL, {"corrupt"}),
    ("the sign of a member", [ZIPPED[0], flipped(ZIPPED[1], 0), ZIPPED[2]], WITHOUT_B, {"trailing-garbage"}),
    ("the method of a member", [ZIPPED[0], flipped(ZIPPED[1], 2), ZIPPED[2]], WITHOUT_B, {"trailing-garbage"}),
    ("bytes between members", [ZIPPED[0], b"garbage\r\n" * 99, ZIPPED[2]], WITHOUT_B, {"trailing-garbage"}),
    ("a member is cut short", [ZIPPED[0], ZIPPED[1][:-30], ZIPPED[2]], WITHOUT_B, {"corrupt", "no-length"}),
    # nothing of the first member can be decompressed: a block of type 3 (RFC 1951 3.2.3)
    ("the first member", [ZIPPED[0][:10] + b"\7" + ZIPPED[0][11:], *ZIPPED[1:]], {"b": 20, "c": 20}, {"corrupt"}),
    ("a member without a record", [ZIPPED[0], gzip.compress(b"garbage\r\n"), ZIPPED[2]], WITHOUT_B, {"no-record"}),
    ("too short", [A, one("b", 100), C], {"a": 20, "b": 5, "c": 20}, {"no-record"}),
    ("too long by less than a line", [A, one("b", 361), C], ALL, set()),  # as of some versions of wget
    *((f"too long by {n}", [A, one("b", 360 + n), C], ALL, {"wrong-length"}) for n in (5, 10, 14, 15, 99, 400)),
    ("too long at the end", [A, B, one("c", 400)], ALL, {"truncated"}),
    ("much too long, in a member", [*map(gzip.compress, (A, one("b", 10**15), C))], ALL, {"wrong-length"}),
    ("no length", [A, B.replace(b"Content-Length", b"Content-Size"), C], WITHOUT_B, {"no-length", "no-record"}),
    ("a header without an end", [A, b"WARC/1.0\r\nWARC-Type: response\r\n", C], WITHOUT_B, {"no-length"}),
    ("a request is cut", [A, record("request", b"GET / HTTP/1.0\r\n\r\n")[:-8]], {"a": 20}, {"truncated"}),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "counts", "reasons"), [row[1:] for row in DAMAGED], ids=[row[0] for row in DAMAGED])
@pytest.mark.parametrize("size", [65_536, 7])
def test_damage(parts: list[bytes], counts: dict[str, int], reasons: set[str], size: int) -> None:
    found, errors, tally = read(b"".join(parts), size)
    found = {name: number for name, number in found.items() if name in ALL}
    if reasons != {"corrupt", "no-length"}:  # some of the damaged record may be found
        assert found == counts
    assert {**found, **counts} == {**counts, **found}
    assert {*errors, *(reason for _, reason in tally.broken)} == reasons


@pytest.mark.parametrize("packed", [False, True])
def test_cut_anywhere(packed: bool) -> None:
    """All whole records before the cut are found, and it is reported unless it is between two."""
    parts = ZIPPED if packed else [A, B, C]
    whole = b"".join(parts)
    ends = [0, len(parts[0]), len(parts[0]) + len(parts[1]), len(whole)]
    margin = 0 if packed else 4  # the empty lines behind a record
    for cut in range(1, len(whole)):
        found, errors, tally = read(whole[:cut])
        for name, end in zip("abc", ends[1:], strict=True):
            if cut >= end - margin:
                assert found[name] == 20, cut
        is_between = any(end - margin <= cut <= end for end in ends)
        if cut > 12:  # enough to be an archive of the web
            assert bool(errors or tally.broken) is not is_between, cut


LINK = "http://{}.example/{} "


@examples(150)
@given(st.integers(2, 7), st.data())
def test_a_damaged_member_costs_only_its_record(number: int, data: st.DataObject) -> None:
    chance = random.Random(number)
    members = []
    for index in range(number):
        text = "".join(LINK.format(f"n{index}", chance.randbytes(9).hex()) for _ in range(chance.randrange(1, 200)))
        members.append(gzip.compress(record("conversion", text.encode(), "http://t/", "text/plain"), mtime=0))
    expected = read(b"".join(members))[0]
    hurt = data.draw(st.integers(1, number - 1))  # the first one decides what the file is
    start = data.draw(st.integers(0, len(members[hurt]) - 1))
    end = data.draw(st.integers(start + 1, len(members[hurt])))
    put = data.draw(st.one_of(st.just(b""), st.binary(min_size=1, max_size=end - start)))
    old = members[hurt]
    members[hurt] = old[:start] + put + old[end:]
    found, errors, tally = read(b"".join(members), data.draw(st.sampled_from([11, 1_000, 65_536])))
    for name, count in expected.items():
        if name != f"n{hurt}":
            assert found[name] == count
    if members[hurt].strip(b"\0") and found.get(f"n{hurt}") != expected[f"n{hurt}"]:
        assert errors or tally.broken


@pytest.mark.parametrize("size", [1, 2, 13, 65_536])
def test_members_of_few_bytes(size: int) -> None:
    parts = [b"WARC/1.0\r\nWARC-Type: conv", b"W", b"ersion\r\n", A[12:].partition(b"\r\n")[2], b"WARC", b"", B[4:], C]
    found, errors, tally = read(b"".join(gzip.compress(part) for part in parts), size)
    assert found["b"] == found["c"] == 20
    assert (errors, tally.broken) == ([], {})


def test_the_command_goes_on_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(ZIPPED[0] + flipped(ZIPPED[1], -6) + ZIPPED[2])
    expected = [f"http://{name}.example/" for name in "abc"]
    for jobs in "12":
        out = call("extract", "--unique", "--jobs", jobs, str(path), str(path))
        assert (out.lines, out.status) == (expected, 2)
        assert f"{path}: gzip data is corrupt at byte" in out.err
    with pytest.raises(InputError, match="corrupt"):
        list(extract_files([path]))


BODIES: list[tuple[bytes, list[str], set[str]]] = [
    (response(chunked(b"http://b.example/ and so on")[:-5], more="Transfer-Encoding: chunked\r\n"),
     ["http://b.example/"], {"cut-chunks"}),
    (response(chunked(b"http://b.example/ and so on")[:-20], more="Transfer-Encoding: chunked\r\n"),
     ["http://b.example/"], {"cut-chunks"}),
    (record("response", answer(chunked(b"http://b.example/ cut")[:-5], more="Transfer-Encoding: chunked\r\n"),
            "http://t/", RESPONSE, "WARC-Truncated: length"), ["http://b.example/"], set()),
    (response(gzip.compress(b"http://b.example/ and so on")[:-9], more=GZIP), ["http://b.example/"], {"truncated"}),
    (response(flipped(zlib.compress(b"http://b.example/ and so on"), -1), more="Content-Encoding: deflate\r\n"),
     ["http://b.example/"], {"corrupt"}),
    (response(gzip.compress(b"http://b.example/"), more=f"Content-Encoding: {'gzip, ' * 9}\r\n"), [], {"many-codings"}),
    (response(b"http://b.example/", more=f"Content-Encoding: {'br,' * 5_000}\r\n"), [], {"many-codings"}),
    (response(b"http://b.example/", more=f"Content-Encoding: {'none, ' * 5_000}\r\n"), ["http://b.example/"], set()),
    # the body is not encoded, though its header says so
    *((response(b"<p>http://b.example/ and", more=f"Content-Encoding: {coding}\r\n"), ["http://b.example/"], set())
      for coding in ("br", "deflate", "gzip", "gzip, br", "zstd", "identity", "?")),
    (response(b"<p>\xe4\xf6\xfc http://b.example/ " * 9, more="Content-Encoding: br\r\n"),
     ["http://b.example/"] * 9, {"undecodable-bytes", "undecodable"}),
]  # fmt: skip


@pytest.mark.parametrize(("data", "expected", "reasons"), BODIES)
def test_damaged_bodies(tmp_path: Path, data: bytes, expected: list[str], reasons: set[str]) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(data + C)
    tally, errors = Tally(), []
    found = [value.uri for value in extract_files([path], tally=tally, on_error=lambda _, error: errors.append(error))]
    assert found == [*expected, *["http://c.example/"] * 20]
    assert {reason for _, reason in tally.broken} == reasons


def test_what_a_crawler_has_cut_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(
        record("response", answer(b"http://b.example/ and"), "http://t/", RESPONSE, "WARC-Truncated: length")
        + record("response", answer(b"http://c.example/ and"), "http://t/", RESPONSE, "WARC-Truncated: \x1b[m")
    )
    out = call("extract", "-v", str(path))
    assert (out.lines, out.status) == (["http://b.example/", "http://c.example/"], 0)
    assert "skipped: 2 ends of payloads (1 length, 1 unspecified)" in out.err


def test_bombs(tmp_path: Path) -> None:
    brotli = pytest.importorskip("brotli", reason="the extra warc is not installed")
    zeros = bytes(3_000_000)
    reading = ReadingOptions(limits=Limits(ratio=10, stream_allowance=100_000))
    path = tmp_path / "a.warc.gz"
    for body, coding in (
        (gzip.compress(zeros), "gzip"),
        (zlib.compress(zeros), "deflate"),
        (brotli.compress(zeros), "br"),
        (brotli.compress(gzip.compress(zeros)), "gzip, br"),
    ):
        bomb = record("response", answer(body, "text/plain", f"Content-Encoding: {coding}\r\n"), "http://t/", RESPONSE)
        path.write_bytes(ZIPPED[0] + gzip.compress(bomb) + ZIPPED[2])
        tally = Tally()
        found = [value.uri for value in extract_files([path], reading=reading, tally=tally, on_error=lambda *_: None)]
        assert set(found) == {"http://a.example/", "http://c.example/"}
        assert [reason for _, reason in tally.broken] == ["ratio-limit"], coding


HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
STORED = HEAD + b"\0" + struct.pack("<HH", 65_535, 0) + b"WARC/"


@pytest.mark.parametrize(
    "unit", [HEAD[:3], HEAD, STORED, gzip.compress(b"WARC/1.0\r\n\r\n", mtime=0)[:-1], ZIPPED[1][:-9]]
)
def test_time_is_linear(unit: bytes) -> None:
    def run(data: bytes) -> None:
        for content in unpack("a", [ZIPPED[0], b"x", data], tally=Tally()):
            for payload in warc_payloads(content, tally=Tally()):
                try:
                    for _ in payload.blocks:
                        pass
                except InputError:
                    pass

    # so many that the next member is not looked for again and again in the same bytes
    assert_linear(run, lambda size: unit * (size // len(unit)), 1_000_000)


def test_a_large_record_ends_where_the_next_begins() -> None:
    """The next member is noticed in a record that is larger than a block, too."""
    text = b"".join(b"http://b.example/%d " % number for number in range(200_000))

    def blocks() -> Iterator[bytes]:
        yield gzip.compress(record("conversion", text).replace(b"%d" % len(text), b"%d" % (2 * len(text))))
        yield ZIPPED[2]

    (content,) = unpack("a", blocks(), tally=Tally())
    tally = Tally()
    large, last = (b"".join(payload.blocks) for payload in warc_payloads(content, tally=tally))
    assert large.rstrip() == text.rstrip()
    assert last.count(b"http://c.example/") == 20
    assert tally.broken == {("warc record", "wrong-length"): 1}


def test_a_record_within_a_record_is_its_payload() -> None:
    """A record whose length is right is not ended by what looks like another one."""
    inner = record("conversion", b"http://inner.example/")
    data = record("resource", b"text\r\n\r\n" + inner + b"text", "http://t/", "text/plain") + C
    content = Content(source="a", kind=next(iter(unpack("a", [data], tally=Tally()))).kind, blocks=[data])
    payloads = [b"".join(payload.blocks) for payload in warc_payloads(content, tally=Tally())]
    assert [inner in payload for payload in payloads] == [True, False]


@given(st.binary(max_size=60), st.integers(1, 9), st.binary(min_size=1, max_size=3))
def test_skip_to(data: bytes, size: int, sign: bytes) -> None:
    reader = BlockReader(data[at : at + size] for at in range(0, len(data), size))
    assert reader.skip_to(sign) is (sign in data)
    assert reader.position == (data.index(sign) if sign in data else len(data))
    assert b"".join(reader.rest()) == data[reader.position :] if sign not in data else True
