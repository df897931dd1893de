"""Outlook messages: their texts and files, what is no message, and what is broken."""

from __future__ import annotations

import random
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from tests.helpers.compound_files import Tree, compound_file, outlook_message, outlook_tree
from tests.helpers.doubling import assert_linear
from tests.helpers.readers import refuse, segments_of
from urisieve import extract
from urisieve.errors import BrokenInputError, InputError
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document, Segment
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.kinds.sniffing import kind_of
from urisieve.sources.mail import outlook
from urisieve.sources.office.compound import read_compound
from urisieve.sources.readers import Reader
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.segments import Segments
from urisieve.sources.tally import Tally
from urisieve.types import Context

HELD: tuple[dict[int, str], bytes, dict[str, bytes]] = (
    {
        0x001A: "IPM.Note",
        0x0037: "see http://s.com",
        0x1000: "body http://b.com/é " + "x" * 9_000,
        0x007D: "X: http://h.com\n",
    },
    b'<a href="http://c.com/\xc3\xa9">c</a>',
    {"a.txt": b"http://a.com", "b\x1b.gz": b"\x1f\x8b\x08" + bytes(5_000)},
)
MESSAGE = outlook_message(*HELD)


def content(data: bytes) -> Content:
    return Content(source="m", kind=kind_of(data), blocks=[data[:1_000], data[1_000:]])


def parts_of(content: Content, tally: Tally, *, context: bool = False) -> Iterator[Segment]:
    """The texts of a message, and the files in it as texts."""

    def take(source: str, blocks: Iterable[bytes], **_: object) -> Iterator[Document]:
        yield Segment(source=source, text=(b"".join(blocks).decode("latin-1"),)).document()

    run = Reader(ReadingOptions(context=context), tally, refuse)
    run.documents = take  # type: ignore[method-assign]
    out = Segments(run, content)
    return segments_of(out.documents(outlook.read(content, out)))


def is_text(part: Segment) -> bool:
    return part.source == "m"


def test_parts() -> None:
    pytest.importorskip("oxmsg")
    tally = Tally()
    assert kind_of(MESSAGE) is Kind.OLE
    parts = list(parts_of(content(MESSAGE), tally))
    found = [(part.place.part, [record.uri for record in extract(iter(part.text))]) for part in parts if is_text(part)]
    assert [one for one in found if one[1]] == [
        ("header", ["http://h.com/"]),
        ("header:Subject", ["http://s.com/"]),
        ("body", ["http://b.com/%C3%A9"]),
        ("html-body", ["http://c.com/%C3%A9"]),
    ]
    assert [(part.source, "".join(part.text)) for part in parts if not is_text(part)] == [
        ("m!a.txt", "http://a.com"),
        ("m!b\ufffd.gz", "\x1f\x8b\x08" + "\0" * 5_000),
    ]
    counts = {"outlook message": 1, "outlook part": 4, "outlook attachment": 2, "html": 1}
    assert tally.read == counts


HEADER = (
    "Microsoft Mail Internet Headers Version 2.0\r\nFrom: Ada <ada@a.example>\r\nTo: bob@b.example\r\n"
    "Subject: =?utf-8?q?caf=C3=A9?=\r\nDate: Fri, 31 May 2024 15:05:07 +0200\r\n\r\n"
)


@pytest.mark.parametrize(
    ("texts", "context"),
    [
        (
            {0x007D: HEADER, 0x0037: "other"},
            Context(
                "2024-05-31T13:05:07Z",
                "Fri, 31 May 2024 15:05:07 +0200",
                "ada@a.example",
                ("bob@b.example",),
                "caf\u00e9",
            ),
        ),
        ({0x0037: "see\x1b", 0x0C1F: "ada@a.example"}, Context(sender="ada@a.example", subject="see\ufffd")),
        ({}, Context()),
    ],
)
def test_the_context_of_a_message(texts: dict[int, str], context: Context) -> None:
    pytest.importorskip("oxmsg")
    message = outlook_message(
        {0x001A: "IPM.Note", 0x1000: "http://b.com/", **texts}, attached={"a.txt": b"http://a.com"}
    )
    parts = list(parts_of(content(message), Tally(), context=True))
    held = [part.place.context for part in parts]
    assert held == [context] * len(parts)
    assert len(parts) > 1


def test_an_old_office_document_is_out_of_scope() -> None:
    tally = Tally()
    assert list(parts_of(content(compound_file({"WordDocument": b"x"})), tally)) == []
    assert tally.skipped == {("office", "out-of-scope"): 1}


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "oxmsg", None)
    with pytest.raises(InputError, match=r"urisieve\[msg\]"):
        list(parts_of(content(MESSAGE), Tally()))


def harmed(place: int, *links: int) -> bytes:
    """The message with some entries of its allocation table, from one on, replaced."""
    fat = struct.unpack_from("<L", MESSAGE, 76)[0]
    data = bytearray(MESSAGE)
    struct.pack_into(f"<{len(links)}L", data, 512 * (fat + 1) + 4 * place, *links)
    return bytes(data)


def entries_of(data: bytes) -> dict[str, int]:
    """Where the directory entry of each stream stands."""
    start = 512 * (struct.unpack_from("<L", data, 48)[0] + 1)
    found = {}
    for place in range(start, len(data) - 128, 128):
        size = struct.unpack_from("<H", data, place + 64)[0]
        if data[place + 66] not in (1, 2, 5) or not 2 < size <= 64:
            break
        found[data[place : place + size - 2].decode("utf-16-le")] = place
    return found


def uris_of(data: bytes, tally: Tally) -> set[str]:
    parts = parts_of(content(data), tally)
    return {record.uri for part in parts if is_text(part) for record in extract(iter(part.text))}


@pytest.mark.parametrize(
    "links", [(0,), (1, 0), (2, 1, 0), (0xFFFFFFFF,), (0xFFFFFFFD,), (5_000,), (0, 0, 0, 0, 0, 0, 0, 0)]
)
def test_chains_that_lead_in_circles(links: tuple[int, ...]) -> None:
    """D8: the body is the first stream in sectors of its own; what stands before the damage is read, and the rest."""
    pytest.importorskip("oxmsg")
    tally = Tally()
    assert {"http://b.com/%C3%A9", "http://s.com/", "http://c.com/%C3%A9"} <= uris_of(harmed(0, *links), tally)
    assert tally.broken[("outlook message", "damaged")] == 1


def test_streams_that_share_their_sectors_are_read_once() -> None:
    """D8: so many streams that each say that they are all of the file."""
    pytest.importorskip("oxmsg")
    streams: Tree = {f"__substg1.0_{number:04X}001F": b"h" * 5_000 for number in range(0x1000, 0x1006)}
    data = bytearray(compound_file({"__properties_version1.0": bytes(32), **streams}))
    entries = entries_of(bytes(data))
    first = struct.unpack_from("<L", data, entries["__substg1.0_1000001F"] + 116)[0]
    for name in streams:
        struct.pack_into("<LQ", data, entries[name] + 116, first, 20_000_000)
    root = read_compound(bytes(data))
    assert sum(map(len, root.streams.values())) <= len(data)
    assert set(root.damaged) == set(streams)


@pytest.mark.parametrize(("size", "reason"), [(511, "truncated"), (512, "corrupt")])
def test_a_file_that_ends_with_its_header(size: int, reason: str) -> None:
    with pytest.raises(BrokenInputError) as caught:
        read_compound(compound_file({"a": b"b"})[:size])
    assert caught.value.reason == reason


@pytest.mark.parametrize("size", [4_097, 5_000, 5_120, 5_632, 9_999])
def test_a_stream_ends_before_its_chain_does(size: int) -> None:
    data = bytearray(compound_file({"__properties_version1.0": bytes(32), "a": bytes(range(250)) * 40}))
    struct.pack_into("<Q", data, entries_of(bytes(data))["a"] + 120, size)
    root = read_compound(bytes(data))
    assert root.streams["a"] == (bytes(range(250)) * 40)[:size]
    assert not root.damaged


def test_the_upper_half_of_a_size_does_not_count() -> None:
    """MS-CFB 2.6.3: some programs leave anything there in files of version 3."""
    data = bytearray(compound_file({"__properties_version1.0": bytes(32), "a": b"b" * 5_000, "c": b"d" * 99}))
    entries = entries_of(bytes(data))
    for name in ("a", "c", "Root Entry"):
        struct.pack_into("<L", data, entries[name] + 124, 0xABCDEF)
    root = read_compound(bytes(data))
    assert (root.streams["a"], root.streams["c"], root.damaged) == (b"b" * 5_000, b"d" * 99, [])
    # Without small streams its own may begin anywhere.
    data = bytearray(compound_file({"a": b"b" * 5_000}))
    entries = entries_of(bytes(data))
    start = struct.unpack_from("<L", data, entries["a"] + 116)[0]
    struct.pack_into("<LLL", data, entries["Root Entry"] + 116, start, 0, 0xABCDEF)
    assert read_compound(bytes(data)).streams["a"] == b"b" * 5_000


def test_the_time_of_damaged_files_is_linear() -> None:
    pytest.importorskip("oxmsg")

    def make(size: int) -> bytes:
        """As many entries of streams as there is room for, each of which begins at the first sector."""
        count = size // 128
        entries = [_entry("Root Entry", 5, 1, 0, 0)]
        entries += [_entry(f"{number:x}", 2, 0xFFFFFFFF, 0, size, right=number + 1) for number in range(1, count)]
        return _file_of(b"".join(entries))

    assert_linear(read_compound, make, 2_000_000)


def _entry(name: str, kind: int, child: int, start: int, size: int, right: int = 0xFFFFFFFF) -> bytes:
    encoded = name.encode("utf-16-le")
    fields = (encoded, len(encoded) + 2, kind, 1, 0xFFFFFFFF, right, child, 0, start, size)
    return struct.pack("<64sHBBLLL16xL8x8xLQ", *fields)


def _file_of(directory: bytes) -> bytes:
    """A compound file of version 4 whose sectors of 4 KiB are those of its directory, then those of its table."""
    sector = 4_096
    count = -(-len(directory) // sector)
    tables = -(-(count + 109) // (sector // 4))
    links = [number + 1 for number in range(count - 1)] + [0xFFFFFFFE] + [0xFFFFFFFD] * tables
    header = struct.pack(
        "<8s16xHHHHH6xLLLLLLLLLL",
        *(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 4, 0xFFFE, 12, 6),
        *(0, tables, 0, 0, 4_096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, count),
    )
    header += struct.pack(
        "<108L", *(count + 1 + number if number + 1 < tables else 0xFFFFFFFF for number in range(108))
    )
    table = struct.pack(f"<{len(links)}L", *links)
    padded = directory + bytes(-len(directory) % sector)
    return header.ljust(sector, b"\0") + padded + table.ljust(tables * sector, b"\xff")


def test_damage_in_one_place_costs_one_stream() -> None:
    pytest.importorskip("oxmsg")
    entries = entries_of(MESSAGE)
    for name, lost in (("__substg1.0_10130102", "http://c.com/%C3%A9"), ("__substg1.0_0037001F", "http://s.com/")):
        data = bytearray(MESSAGE)
        struct.pack_into("<L", data, entries[name] + 116, 0x7FFFFFFF)
        tally = Tally()
        found = uris_of(bytes(data), tally)
        assert lost not in found
        assert len(found) == 3
        assert tally.broken[("outlook message", "damaged")] == 1


PROPERTIES = "__properties_version1.0"
ATTACHED = "__attach_version1.0_#00000000"
TEXTS = {"http://h.com/", "http://s.com/", "http://b.com/%C3%A9", "http://c.com/%C3%A9"}
PARTS = ["header", "header:Subject", "body", "html-body"]
UNNAMED = "the properties of the message do not name it"
SUBJECT, HTML, DATA = "__substg1.0_0037001F", "__substg1.0_10130102", "__substg1.0_37010102"
FILES = {"m!a.txt", "m!b\ufffd.gz"}


def changed(name: str, change: Callable[[bytes], bytes] | None) -> bytes:
    """The message with a stream that is changed, or left out; `name` has that of its storage before it."""
    tree = outlook_tree(*HELD)
    inner = tree
    *storages, last = name.split("/")
    for storage in storages:
        found = inner[storage]
        assert isinstance(found, dict)
        inner = found
    stream = inner.pop(last)
    if change is not None and isinstance(stream, bytes):
        inner[last] = change(stream)
    return compound_file(tree)


def with_codepage(stream: bytes) -> bytes:
    return stream[:-8] + struct.pack("<Q", 12_345)


@pytest.mark.parametrize(
    ("name", "change", "lost", "messages"),
    [
        (PROPERTIES, None, TEXTS, [f"m: its stream {PROPERTIES} is missing: its texts are not read"]),  # I5
        (PROPERTIES, lambda _: b"", TEXTS, [f"m: its {part}: {UNNAMED}" for part in PARTS]),
        (PROPERTIES, lambda data: data[:63], TEXTS, [f"m: its {part}: {UNNAMED}" for part in PARTS]),
        (PROPERTIES, lambda data: data[:80], {"http://h.com/", "http://c.com/%C3%A9"},
         [f"m: its {part}: {UNNAMED}" for part in ("header", "html-body")]),
        (PROPERTIES, lambda data: data + b"x", set(), []),
        (PROPERTIES, with_codepage, TEXTS, [f"m: its {part}: its encoding is not known" for part in PARTS]),
        (SUBJECT, None, {"http://s.com/"}, [f"m: its header:Subject: its stream {SUBJECT} is missing"]),
        (SUBJECT, lambda data: data[:-1], {"http://s.com/"}, []),
        ("__substg1.0_1000001F", lambda data: data[:-1], set(), []),
        ("__substg1.0_1000001F", lambda data: data[:100] + b"\0\xd8" + data[102:], set(), []),
        (HTML, None, {"http://c.com/%C3%A9"}, [f"m: its html-body: its stream {HTML} is missing"]),
        ("__substg1.0_001A001F", None, set(), []),
        (f"{ATTACHED}/{PROPERTIES}", None, {"m!a.txt"}, [f"m: attachment 1: its stream {PROPERTIES} is missing"]),
        (f"{ATTACHED}/{DATA}", None, {"m!a.txt"}, [f"m: attachment 1: its stream {DATA} is missing"]),
        (f"{ATTACHED}/__substg1.0_3707001F", None, {"m!a.txt"}, []),  # it has a number instead
        (ATTACHED, None, {"m!a.txt"}, []),
    ],
)  # fmt: skip
def test_what_is_broken_is_said_in_words(
    name: str, change: Callable[[bytes], bytes] | None, lost: set[str], messages: list[str]
) -> None:
    pytest.importorskip("oxmsg")
    tally = Tally()
    parts = list(parts_of(content(changed(name, change)), tally))
    found = {record.uri for part in parts if is_text(part) for record in extract(iter(part.text))}
    assert found >= TEXTS - lost
    assert not found & lost
    assert {part.source for part in parts if not is_text(part)} >= FILES - lost
    assert tally.messages == messages
    assert tally.is_unread == bool(messages)  # the exit status is 2


def test_all_that_a_message_lost_is_said_by_the_command(tmp_path: Path) -> None:
    """I5: it was status 1, and the name of an exception."""
    pytest.importorskip("oxmsg")
    path = tmp_path / "m.msg"
    path.write_bytes(changed(PROPERTIES, None))
    status, out, err = call("extract", "-v", str(path))
    assert (status, out) == (2, b"http://a.com/\n")
    assert f"its stream {PROPERTIES} is missing" in err
    assert "KeyError" not in err
    assert "1 outlook message (corrupt)" in err


def test_an_office_document_with_a_message_in_it_is_out_of_scope() -> None:
    pytest.importorskip("oxmsg")
    tally = Tally()
    inside: Tree = {"WordDocument": b"x", "ObjectPool": {"_1": outlook_tree(*HELD)}}
    assert list(parts_of(content(compound_file(inside)), tally)) == []
    assert (tally.skipped, tally.messages) == ({("office", "out-of-scope"): 1}, [])


@pytest.mark.filterwarnings("ignore")
def test_a_damaged_message_raises_nothing() -> None:
    pytest.importorskip("oxmsg")
    chance = random.Random(1)
    for _ in range(150):
        harmed = bytearray(MESSAGE)
        for _ in range(chance.choice([1, 4, 30])):
            harmed[chance.randrange(8, len(harmed))] = chance.randrange(256)
        tally = Tally()
        list(parts_of(content(bytes(harmed)), tally))
        assert not any("Error" in message.partition("(")[0] for message in tally.messages)
    for size in (600, 5_000, len(MESSAGE) - 700):
        list(parts_of(content(MESSAGE[:size]), Tally()))
