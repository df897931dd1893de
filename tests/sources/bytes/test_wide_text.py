"""UTF-16 without a byte order mark: found by its zeros, whatever holds it; binary files do not become text."""

from __future__ import annotations

import base64
import io
import re
import struct
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve.runs.run
from urisieve import ReadingOptions, Tally, extract_blocks, extract_files
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import EXAMINED, may_be_wide, wide_encoding
from urisieve.sources.plain_text import WideStrings

ORDERS = ["utf-16-le", "utf-16-be"]
LINK = "http://a.example/x"
TEXTS = {
    "short": f"{LINK}\r\n",
    "german": f"Grüße aus Köln: {LINK} und mehr\r\n" * 400,
    "chinese": f"全部内容都在这里，慢慢看。上一次的链接是\n{LINK} 下一行，一二三\n",
    "japanese": f"日本語のテキストです。詳細は次のリンクを見てください：\n{LINK}\n" * 90,
    "korean": f"한국어 텍스트 {LINK} 입니다\n",
    "russian": f"Ссылка: {LINK} и ещё\n",
    "arabic": f"رابط {LINK} هنا\n",
    "thai": f"ลิงก์ {LINK} ครับ\n",
    "emoji": f"😀😀 {LINK} 😀\n",
    "log": f"\x1b[32mok\x1b[0m {LINK}\n" * 3,
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", TEXTS)
def test_text_of_any_script(tmp_path: Path, name: str, order: str) -> None:
    text = TEXTS[name]
    path = tmp_path / "a"
    path.write_bytes(text.encode(order))
    tally = Tally()
    records = list(extract_files([path], tally=tally))
    assert {record.uri for record in records} == {LINK}
    assert [record.byte_start for record in records] == [
        len(text[:index].encode(order)) for index in range(len(text)) if text.startswith(LINK, index)
    ]
    assert (tally.kinds, sum(tally.broken.values())) == ({"text": 1}, 0)


CONTENTS = {
    "a.json": f'{{"u": [1, "{LINK}"]}}',
    "a.jsonl": f'{{"u":"{LINK}"}}\n{{"u":2}}\n',
    "a.csv": f"id,url\n1,{LINK}\n2,x\n",
    "a.tsv": f"id\turl\n1\t{LINK}\n2\tx\n",
    "a.xml": f'<?xml version="1.0" encoding="UTF-16"?><a><b>{LINK}</b></a>',
    "a.html": f'<!DOCTYPE html><meta charset="utf-16"><a href="{LINK}">x</a>',
    "a.txt": f"{LINK}\n",
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", CONTENTS)
def test_contents_in_files_archives_and_mail(tmp_path: Path, name: str, order: str) -> None:
    data = CONTENTS[name].encode(order)
    plain = tmp_path / name
    plain.write_bytes(data)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, data)
    archived = tmp_path / "a.zip"
    archived.write_bytes(packed.getvalue())
    mail = tmp_path / "a.eml"
    mail.write_bytes(
        b"From: a@b.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=z\n\n--z\n"
        b"Content-Type: application/octet-stream; name=%s\nContent-Transfer-Encoding: base64\n\n%s\n--z--\n"
        % (name.encode(), base64.b64encode(data))
    )
    for path in (plain, archived, mail):
        tally = Tally()
        (record,) = extract_files([path], tally=tally)
        assert record.uri == LINK
        assert path is mail or record.byte_start == data.find(LINK.encode(order))
        assert not tally.broken


@pytest.mark.parametrize("kind", ["plain", "html"])
@pytest.mark.parametrize("order", ORDERS)
def test_parts_of_mail_without_a_charset(tmp_path: Path, kind: str, order: str) -> None:
    path = tmp_path / "a.eml"
    text = f'<html><a href="{LINK}">y</a>' if kind == "html" else f"see {LINK} now"
    path.write_bytes(
        b"From: a@b.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/%s\nContent-Transfer-Encoding: base64\n"
        b"\n%s\n" % (kind.encode(), base64.b64encode(text.encode(order)))
    )
    assert [record.uri for record in extract_files([path])] == [LINK]


@pytest.mark.sampled(17)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("size", [1, 7, EXAMINED - 1])
def test_cuts_change_nothing(name: str, order: str, size: int) -> None:
    data = TEXTS[name].encode(order)
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    decoder = ByteDecoder()
    assert "".join(map(decoder.feed, blocks)) + decoder.close() == TEXTS[name]
    assert {record.uri for record in extract_blocks("x", blocks)} == {LINK}


NOT_WIDE = [
    b"",
    b"a\0",
    b"a\0b",
    b"see http://a.example/ \0 and more",
    b"\0" * 64,
    b"a\0\0\0b\0\0\0c\0\0\0d\0\0\0",  # UTF-32, which needs its mark
    b"one\0two\0three\0four\0five\0",
    b"\x01\x00\x04TZDB\x00\x01\x00\x052025a\x02[\x00\x0eAfrica/Abidjan\x00\x0cAfrica/Accra\x00\x12Africa/Addis_Ababa",
    b"\xa4\xce http://a.example/ \xa4\xce\0",
    "リンク http://a.example/ ".encode("shift_jis") * 3 + b"\0",
    "ссылка http://a.example/ ".encode("koi8-r") * 3 + b"\0",
    "ссылка http://a.example/ \0 ".encode() * 30,
    struct.pack("<100H", *range(100)),
    struct.pack("<100h", *[value * 37 % 601 - 300 for value in range(100)]),  # sound
    "x\0y z".encode("utf-16-le") * 9,
    "a\ud800 b c".encode("utf-16-le", "surrogatepass") * 9,
    "ab\ufffe c".encode("utf-16-le") * 9,
    "a\x01\x02 b c".encode("utf-16-be") * 9,
    "a \ue000\ue001\ue002".encode("utf-16-be") * 9,
]


@pytest.mark.parametrize("data", NOT_WIDE)
def test_what_is_not_wide(data: bytes) -> None:
    assert wide_encoding(data) is None


@pytest.mark.parametrize(
    ("head", "waits"),
    [
        (b"http:/", False),
        (b"http:", True),
        ("äöüß häu".encode(), True),
        ("äöüß häuser".encode(), False),
        (b"a\0b\0c\0", True),
        (b"\xe4\xf6\xfc and much more text", True),
        (b"\x1b[1mx\n", False),
    ],
)
def test_what_waits_for_more(head: bytes, waits: bool) -> None:
    assert may_be_wide(head) is waits


# ---------------------------------------------------------------- strings in binary files

BEFORE, BEHIND = b"\x7fELF\x02\x01\x01\0\x8b\x01\0\0", b"\0\0\x01\x90\xff\0\0"
STRINGS = [
    ("utf-16-le", "http://a.example/x"),
    ("utf-16-be", "http://a.example/x"),
    ("ascii", "http://a.example/x"),
]


@pytest.mark.parametrize(("order", "link"), STRINGS)
def test_strings_of_programs(tmp_path: Path, order: str, link: str) -> None:
    data = BEFORE + f"See {link}".encode(order) + BEHIND + b"http://b.example/" + BEHIND
    (tmp_path / "a").mkdir()
    path = tmp_path / "a" / "b.exe"
    path.write_bytes(data)
    reading = ReadingOptions(binary="text")
    found = [(record.uri, record.byte_start, record.byte_end) for record in extract_files([tmp_path], reading=reading)]
    start, second = data.find(link.encode(order)) + (order == "utf-16-be"), data.find(b"http://b")
    assert [one[:2] for one in found] == [(LINK, start), ("http://b.example/", second)]
    assert data[start : found[0][2]].replace(b"\0", b"") == link.encode()
    assert not list(extract_files([tmp_path]))


@given(st.lists(st.sampled_from(["a\0", "\0", "h\0t\0t\0p\0", "é", "\0é\0", " \0", "xy"]), max_size=12), st.data())
def test_cuts_change_no_string(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    cut, whole = WideStrings(keep=1_000), WideStrings(keep=1_000)
    made = "".join(cut.feed(text[a:b]) for a, b in pairwise([0, *cuts, len(text)])) + cut.close()
    assert made == re.sub(r"(?:[ -~]\0){4,}", lambda found: found[0][::2], text)
    assert made == whole.feed(text) + whole.close()
    assert cut.source_map is not None
    back = [cut.source_map.source(place) for place in range(len(made) + 1)]
    assert [text[place] for place in back[:-1]] == list(made)
    assert back[-1] == len(text)


# ---- UTF-16 that a shell has appended to a text in UTF-8 is not read, but counted, as bytes that do not decode are.

APPENDED = "https://a.example/1\r\nsee https://a.example/2\r\n"
UTF8 = {
    "a.txt": b"see https://b.example/\n" * 3,
    "a.html": b"<!doctype html><p>see https://b.example/\n",
    "a.jsonl": b'{"a": "https://b.example/"}\n{"a": "https://b.example/"}\n',
    "a.xml": b"<?xml version='1.0'?><r>https://b.example/</r>\n",
}


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("behind", [b"", b"https://c.example/\n"])
@pytest.mark.parametrize("name", UTF8)
def test_appended_text_in_utf_16_is_counted(
    name: str, behind: bytes, codec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = UTF8[name] + APPENDED.encode(codec) + behind
    path = tmp_path / name
    path.write_bytes(data)
    monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 30)
    counted = set()
    for size in (1, 2, 7, 8, 13, 64, len(data)):
        tally = Tally()
        blocks = (data[start : start + size] for start in range(0, len(data), size))
        assert {record.host for record in extract_blocks(name, blocks, tally=tally)} >= {"b.example"}
        counted.add((tally.broken["byte", "undecodable"], tally.broken["text", "undecodable-bytes"]))
    for jobs in (1, 2):
        tally = Tally()
        assert list(extract_files([path], tally=tally, jobs=jobs))
        counted.add((tally.broken["byte", "undecodable"], tally.broken["text", "undecodable-bytes"]))
        assert sum("not UTF-8" in message for message in tally.messages) == 1
    ((count, files),) = counted
    assert files == 1
    assert len(APPENDED) < count <= 2 * len(APPENDED)


@pytest.mark.parametrize(
    "nuls", [b"\0" * 5_000, b"./a\0./b\0./c\0", b"a\0b\0c\0de\0", b"https://c.example/\0https://d.example/\0"]
)
def test_other_nuls_are_not(nuls: bytes) -> None:
    tally = Tally()
    assert list(extract_blocks("a.txt", UTF8["a.txt"] + nuls + UTF8["a.txt"], tally=tally))
    assert not tally.broken
