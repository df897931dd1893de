"""Byte input: encodings, byte order marks, stray bytes, and the way back from characters to bytes."""

from __future__ import annotations

import codecs
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve.errors import InputError, UsageError
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import STRAY, Family, find_encoding
from urisieve.sources.bytes.lines import text_lines
from urisieve.sources.bytes.reading import BLOCK_SIZE, read_blocks, source_size
from urisieve.sources.bytes.source_map import SourceMap

pytestmark = pytest.mark.once

UTF = ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
SINGLE = ["ascii", "latin-1", "cp1252", "koi8-r", "mac-roman", "cp037"]
MULTI = ["big5", "cp932", "cp949", "cp950", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk", "johab", "shift_jis"]
PAIRS = ["big5hkscs", "euc_jis_2004", "euc_jisx0213", "shift_jis_2004", "shift_jisx0213"]
STATEFUL = ["iso2022_jp", "iso2022_kr", "hz", "utf-7"]


def decoded(data: bytes, cuts: list[int], encoding: str | None = None) -> tuple[str, ByteDecoder]:
    decoder = ByteDecoder(encoding)
    places = [0, *cuts, len(data)]
    pieces = [decoder.feed(data[here:there]) for here, there in pairwise(places)]
    return "".join(pieces) + decoder.close(), decoder


def source_map(decoder: ByteDecoder, characters: int) -> list[int]:
    assert decoder.offsets is not None
    return [decoder.offsets.source(offset) for offset in range(characters + 1)]


# ---------------------------------------------------------------- bytes that come in blocks

# What is asked of a reader of the blocks "ab" and "c\n", what it gives, and how many blocks it has taken then.
TAKEN: list[tuple[Callable[[BlockReader], bytes], bytes, int]] = [
    (lambda reader: reader.read(1), b"a", 1),
    (lambda reader: reader.read(2), b"ab", 1),
    (lambda reader: reader.read(3), b"abc", 2),
    (lambda reader: reader.peek(2), b"ab", 1),
    (lambda reader: reader.peek_some(1, 9), b"ab", 1),
    (lambda reader: reader.peek_some(3, 3), b"abc", 2),
    (lambda reader: reader.some(), b"ab", 1),
    (lambda reader: reader.some(1), b"a", 1),
    (lambda reader: reader.line(1), b"a", 1),
    (lambda reader: reader.line(2), b"ab", 1),
    (lambda reader: reader.line(3), b"abc", 2),
    (lambda reader: reader.line(4), b"abc\n", 2),
    (lambda reader: b"x" * reader.skip(2), b"xx", 1),
    (lambda reader: b"x" * reader.skip(9), b"xxxx", 2),
]


@pytest.mark.parametrize("number", range(len(TAKEN)))
def test_no_more_blocks_are_taken_than_needed(number: int) -> None:
    """A pipe may give no more for a long time."""
    asked, given, count = TAKEN[number]
    taken: list[bytes] = []

    def blocks() -> Iterator[bytes]:
        for block in (b"ab", b"c\n"):
            taken.append(block)
            yield block

    assert asked(BlockReader(blocks())) == given
    assert len(taken) == count


# ---------------------------------------------------------------- encodings


@pytest.mark.parametrize("name", ["nope", "", "rot13", "base64", "idna", "punycode", "unicode_escape", "a\0b"])
def test_what_is_no_encoding_of_documents_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is not known"):
        find_encoding(name)


@pytest.mark.parametrize(
    ("names", "family"),
    [
        (["utf8", "UTF-8", "utf-8-sig", "u8"], Family.UTF8),
        (["utf-16", "UTF_16LE", "utf-16-be"], Family.UTF16),
        (["utf-32", "utf-32-le"], Family.UTF32),
        (SINGLE, Family.SINGLE),
        (MULTI + PAIRS, Family.MULTI),
        (STATEFUL, Family.STATEFUL),
    ],
)
def test_families(names: list[str], family: Family) -> None:
    assert [find_encoding(name).family for name in names] == [family] * len(names)


UNITS = [b"a\0", b"\0a", b"\xe9\0", b"\0\xd8", b"\xd8\0", b"\0\xdc", b"\xdc\0", b"\x3d\xd8\x00\xde", b"x"]


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
@given(st.lists(st.sampled_from(UNITS), max_size=8).map(b"".join), st.lists(st.integers(0, 16), max_size=3))
def test_lone_surrogates_are_those_of_the_error_handler(name: str, data: bytes, cuts: list[int]) -> None:
    """I6: they are read all at once; what comes out is what the codec of Python gives, piece by piece."""
    encoding = find_encoding(name)
    ours, slow = encoding.decoder(), codecs.getincrementaldecoder(name)(encoding.errors)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for here, there in pairwise(places):
        final = there == len(data)
        assert ours.decode(data[here:there], final) == slow.decode(data[here:there], final)
        assert ours.getstate()[0] == slow.getstate()[0]


def test_lone_surrogates_need_no_call_of_the_error_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.sources.bytes.encodings._kept", None)  # what the handler calls
    assert find_encoding("utf-16-le").decoder().decode(b"a\0\0\xd8" * 1_000, True) == "a\udc00\udcd8" * 1_000


# ---------------------------------------------------------------- byte order marks

BOMS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
]


@pytest.mark.parametrize(("mark", "name"), BOMS)
@pytest.mark.parametrize("text", ["", "a", "aé😀", "\ufeffa"])
@pytest.mark.parametrize("step", [1, 2, 3, 100])
def test_a_byte_order_mark_chooses_the_encoding_and_is_no_character(
    mark: bytes, name: str, text: str, step: int
) -> None:
    data = mark + text.encode(name)
    found, decoder = decoded(data, list(range(step, len(data), step)))
    assert (found, decoder.encoding.name) == (text, name)
    sizes = [len(character.encode(name)) for character in text]
    assert source_map(decoder, len(text)) == [len(mark) + sum(sizes[:count]) for count in range(len(text) + 1)]


@pytest.mark.parametrize(
    ("encoding", "data", "text"),
    [
        ("utf-16", codecs.BOM_UTF16_LE + b"a\0", "a"),
        ("utf-16", codecs.BOM_UTF16_BE + b"\0a", "a"),
        ("utf-16", b"\0a", "a"),  # RFC 2781 4.3: big-endian
        ("utf-32", codecs.BOM_UTF32_LE + b"a\0\0\0", "a"),
        ("utf-16-le", codecs.BOM_UTF16_LE + b"a\0", "a"),
        ("utf-16-le", codecs.BOM_UTF16_LE + b"\0\0", "\0"),  # not the mark of UTF-32
        ("utf-8-sig", codecs.BOM_UTF8 + b"a", "a"),
        ("latin-1", codecs.BOM_UTF8 + b"a", "ï»¿a"),
        ("utf-8", codecs.BOM_UTF16_LE + b"a", "\udcff\udcfea"),
    ],
)
def test_an_encoding_asked_for_wins(encoding: str, data: bytes, text: str) -> None:
    assert decoded(data, [], encoding)[0] == text


@pytest.mark.parametrize("data", [b"\xff", b"\xef\xbb", b"\xff\xfe\0", b"\0\0\xfe", b"\0", b"\xef\xbba"])
def test_half_a_byte_order_mark_is_text(data: bytes) -> None:
    whole, _ = decoded(data, [])
    apart, _ = decoded(data, list(range(1, len(data))))
    assert whole == apart != ""


# ---------------------------------------------------------------- stray bytes and offsets


@pytest.mark.parametrize(
    ("encoding", "data", "text", "places"),
    [
        ("utf-8", b"a\xffb", "a\udcffb", [0, 1, 2, 3]),
        ("utf-8", "é\u4e00😀z".encode(), "é\u4e00😀z", [0, 2, 5, 9, 10]),
        ("utf-8", b"\xe4\xb8a", "\udce4\udcb8a", [0, 1, 2, 3]),
        ("utf-8", b"a\xe4\xb8", "a\udce4\udcb8", [0, 1, 2, 3]),
        ("utf-8", b"\xed\xb2\x80", "\udced\udcb2\udc80", [0, 1, 2, 3]),  # a surrogate is not UTF-8
        ("utf-16-le", b"\x00\xd8a\0", "\udc00\udcd8a", [0, 1, 2, 4]),  # half a surrogate pair
        ("utf-16-le", b"a\0b", "a\udc62", [0, 2, 3]),
        ("utf-16-be", "😀a".encode("utf-16-be"), "😀a", [0, 4, 6]),
        ("utf-32-le", b"a\0\0\0\xff\xff\xff\xff", "a\udcff\udcff\udcff\udcff", [0, 4, 5, 6, 7, 8]),
        ("cp1252", b"a\x81\x80", "a\udc81€", [0, 1, 2, 3]),
        ("gb18030", "a\u4e00😀".encode("gb18030") + b"\xa19", "a\u4e00😀\udca19", [0, 1, 3, 7, 8, 9]),
        ("gb18030", b"\x81\x35\xf4\x37\xa8\xbc", "\u1e3f\u1e3f", [0, 4, 6]),  # two codes of one character
        ("cp932", b"\x87\x90a", "\u2252a", [0, 2, 3]),  # encodes to other bytes
        ("shift_jis", b"\x83A\xb1\xff", "ア\uff71\udcff", [0, 2, 3, 4]),
        ("euc_jp", b"\x8f\xb0\xa1\x8e\xb1\xa4\xa2\x8f", "\u4e02\uff71あ\udc8f", [0, 3, 5, 7, 8]),
        ("shift_jis_2004", b"\x82\xf5a", "か\u309aa", [0, 2, 2, 3]),  # two characters of one code
    ],
)
def test_every_byte_is_accounted_for(encoding: str, data: bytes, text: str, places: list[int]) -> None:
    if find_encoding(encoding).name == "gb18030" and "\u1e3f" in text:
        text = data.decode("gb18030")  # the mapping has changed between editions of the standard
    found, decoder = decoded(data, [], encoding)
    assert (found, source_map(decoder, len(found))) == (text, places)


junk = st.one_of(
    st.binary(max_size=6), st.sampled_from([b"http://a.b/c", b"\x81\x30", b"\x8f\xa1", b"\x1b$B", b"\n", b"\x82\x81"])
)
streams = st.lists(st.one_of(junk, st.text(max_size=4)), max_size=12)


@given(data=st.data(), name=st.sampled_from(UTF + SINGLE + MULTI + PAIRS), parts=streams)
def test_cuts_change_nothing_and_the_way_back_is_exact(
    data: st.DataObject, name: str, parts: list[bytes | str]
) -> None:
    stream = b"".join(part if isinstance(part, bytes) else part.encode(name, "ignore") for part in parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=4)))
    whole, decoder = decoded(stream, [], name)
    bytewise, bytewise_decoder = decoded(stream, list(range(1, len(stream))), name)
    cut, cut_decoder = decoded(stream, cuts, name)
    assert whole == bytewise == cut
    places = source_map(decoder, len(whole))
    assert places == source_map(bytewise_decoder, len(whole))
    backwards = (
        [cut_decoder.offsets.source(offset) for offset in range(len(whole), -1, -1)] if cut_decoder.offsets else []
    )
    assert places == backwards[::-1]
    assert places[-1] == len(stream)
    encoding = decoder.encoding
    if not encoding.pairs:
        for offset, (here, there) in enumerate(pairwise(places)):
            assert stream[here:there].decode(encoding.name, encoding.errors) == whole[offset]


@given(name=st.sampled_from(STATEFUL), data=st.binary(max_size=40))
def test_stateful_encodings_never_fail_and_have_no_way_back(name: str, data: bytes) -> None:
    for cuts in ([], list(range(1, len(data)))):
        _, decoder = decoded(data, cuts, name)
        assert decoder.offsets is None


def test_a_broken_escape_sequence_in_pieces_does_not_fail() -> None:
    data = b"a\x1b(\x80c\xd4}{\x80+n\xeb\x80\x0fC+ http://a/"
    text, _ = decoded(data, list(range(1, len(data))), "iso2022_jp")
    assert text.startswith("a\udc1b")
    assert text.endswith(" http://a/")


def test_stateful_encodings_are_decoded() -> None:
    for name in ("iso2022_jp", "hz", "utf-7"):
        data = "a\u4e00 http://a/".encode(name)
        assert decoded(data, list(range(1, len(data))), name)[0] == "a\u4e00 http://a/"


@given(data=st.binary(max_size=30))
def test_what_does_not_decode_can_be_written_as_it_came(data: bytes) -> None:
    for name in ("utf-8", "utf-16-le"):
        text = data.decode(name, find_encoding(name).errors)
        if text.isascii() or all(character < "\ud800" or "\udc00" <= character < "\udd00" for character in text):
            strays = "".join(character for character in text if "\udc00" <= character < "\udd00")
            assert strays.encode("utf-8", STRAY) == bytes(ord(character) - 0xDC00 for character in strays)


def test_a_surrogate_that_is_no_stray_byte_cannot_be_written() -> None:
    with pytest.raises(UnicodeEncodeError):
        "\ud800".encode("utf-8", STRAY)


def test_memory_is_bounded_and_what_is_out_of_reach_says_so() -> None:
    decoder = ByteDecoder(keep=1000)
    block = "é" * 500
    for _ in range(50):
        decoder.feed(block.encode())
    offsets = decoder.offsets
    assert offsets is not None
    assert (offsets.length, offsets.size) == (25_000, 50_000)
    assert offsets.span(24_000, 25_000) == (48_000, 50_000)
    with pytest.raises(LookupError, match="character 100 is before 23500, where the map begins"):
        offsets.source(100)
    assert ByteDecoder(keep=None).offsets is None


def test_ascii_blocks_share_one_segment() -> None:
    offsets = SourceMap(3)
    for _ in range(10):
        offsets.add(offsets.size, offsets.size + 100)
    offsets.forget(900)
    assert offsets.span(0, 1000) == (3, 1003)


# ---------------------------------------------------------------- reading


def test_blocks_of_a_file(tmp_path: Path) -> None:
    data = os.urandom(2 * BLOCK_SIZE + 5)
    path = tmp_path / "file"
    path.write_bytes(data)
    blocks = list(read_blocks(str(path)))
    assert b"".join(blocks) == data
    assert max(map(len, blocks)) == BLOCK_SIZE
    assert source_size(str(path)) == len(data)


@pytest.mark.parametrize(
    ("path", "message"),
    [("missing", "No such file or directory"), (".", "is a directory"), ("a\0b", "null")],
)
def test_what_cannot_be_read_is_an_input_error(path: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(read_blocks(path))
    if path != ".":
        assert source_size(path) is None


def test_a_pipe_gives_what_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        blocks = read_blocks("-")
        assert source_size("-") is None
        os.write(writer, b"one")
        assert next(blocks) == b"one"
        os.write(writer, b"two")
        assert next(blocks) == b"two"
        os.close(writer)
        assert list(blocks) == []


def test_a_pipe_that_does_not_block_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)

        def write() -> None:
            os.write(writer, b"late")
            os.close(writer)

        timer = threading.Timer(0.05, write)
        timer.start()
        assert list(read_blocks("-")) == [b"late"]
        timer.join()


def test_standard_input_may_be_closed_or_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert source_size("-") is None
    with pytest.raises(InputError, match="standard input is closed"):
        list(read_blocks("-"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"data")))
    assert b"".join(read_blocks("-")) == b"data"


@given(data=st.data(), parts=st.lists(st.sampled_from(["a", "b ", "\n", "\r\n", "\u2028", "é", " "]), max_size=12))
def test_lines(data: st.DataObject, parts: list[str]) -> None:
    text = "".join(parts)
    stream = text.encode()
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=4))), len(stream)]
    batches = list(text_lines(stream[here:there] for here, there in pairwise(cuts)))
    expected = text.split("\n")
    if not expected[-1]:
        expected.pop()
    assert [line for batch in batches for line in batch] == [line.removesuffix("\r") for line in expected]


def test_lines_of_other_encodings() -> None:
    assert list(text_lines([codecs.BOM_UTF16_LE, "a\né".encode("utf-16-le")])) == [["a"], ["é"]]
    assert list(text_lines(["é\n".encode("latin-1")], "latin-1")) == [["é"]]
    assert list(text_lines([b"\xff\n"])) == [["\udcff"]]
