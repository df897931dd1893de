"""Archives: members as streams, in one another, cut, corrupt, encrypted and hostile."""

from __future__ import annotations

import gzip
import io
import itertools
import lzma
import os
import shutil
import struct
import subprocess
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve.errors import InputError
from urisieve.sources.bytes.reading import read_blocks
from urisieve.sources.containers.limits import Limits
from urisieve.sources.containers.unpacking import unpack
from urisieve.sources.tally import Tally

pytestmark = pytest.mark.once

FILES = {"a.log": b"http://e.com/a\n", "2026/b.log": b"x" * 100_000, "empty": b"", "2026/ä \n.txt": b"http://e.com/b"}


def tar_of(files: dict[str, bytes], fmt: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=fmt) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zip_of(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def contents(
    data: bytes, *, tally: Tally | None = None, limits: Limits | None = None, size: int = 7_001
) -> list[tuple[str, bytes]]:
    """Names and bytes; where a member breaks off, its error stands for what is missing."""
    tally = Tally() if tally is None else tally
    found = []
    blocks = (data[start : start + size] for start in range(0, len(data), size))
    for content in unpack("a", blocks, tally=tally, limits=limits or Limits()):
        given: list[bytes] = []
        try:
            given.extend(content.blocks)
        except InputError as error:
            given.append(f"[{error}]".encode())
        found.append((content.source, b"".join(given)))
    return found


def named(files: dict[str, bytes], prefix: str = "a!") -> list[tuple[str, bytes]]:
    return [(prefix + name.replace("\n", "\ufffd"), data) for name, data in files.items()]


@pytest.mark.parametrize("fmt", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("size", [1, 511, 65_536])
def test_tar(fmt: int, size: int) -> None:
    tally = Tally()
    assert contents(tar_of(FILES, fmt), tally=tally, size=size) == named(FILES)
    assert tally.read == {"tar": 1, "tar member": 4}
    assert not tally.broken


@pytest.mark.parametrize("fmt", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names(fmt: int) -> None:
    files = {"d" * 90 + "/" + "é" * 200: b"1", "x" * 100: b"2", "y/" * 511 + "zz": b"3"}
    assert contents(tar_of(files, fmt)) == named(files)


@pytest.mark.parametrize("fmt", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_names_are_cut_and_stay_two(fmt: int) -> None:
    """D9: each link repeats the name."""
    files = {"n" * 900_000 + "1": b"1", "n" * 900_000 + "2": b"2", "n" * 1_024: b"3"}
    (one, two, whole) = [name.removeprefix("a!") for name, _ in contents(tar_of(files, fmt))]
    assert len(one) == len(two) == len(whole) == 1_024
    assert one != two
    assert {one[:1_007], two[:1_007]} == {"n" * 1_007}
    assert one[1_007] == two[1_007] == "\u2026"
    assert whole == "n" * 1_024


def test_the_names_of_all_on_the_way_are_cut_too() -> None:
    data = b"1"
    for number in range(8):
        data = tar_of({f"{number}" + "é" * 2_000: data}, tarfile.GNU_FORMAT)
    ((name, inner),) = contents(data)
    assert inner == b"1"
    assert len(name) <= 8_192
    assert name.startswith("a!7é")


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=str
)
def test_zip(method: int, tmp_path: Path) -> None:
    data = zip_of(FILES, method)
    tally = Tally()
    assert contents(data, tally=tally) == named(FILES)
    assert tally.read == {"zip": 1, "zip member": 4}
    file = tmp_path / "f"
    file.write_bytes(b"#!/bin/sh\n" + data)  # a program that unpacks itself; as a stream it is no zip file
    file.write_bytes(data)
    found = unpack("f", read_blocks(str(file)), tally=tally, path=str(file))
    assert [(content.source, b"".join(content.blocks)) for content in found] == named(FILES, "f!")
    assert not tally.broken


def test_what_is_not_read_of_a_member_is_passed_over() -> None:
    for data in (tar_of(FILES), zip_of(FILES)):
        found = unpack("a", [data], tally=Tally())
        assert [content.source for content in found] == [name for name, _ in named(FILES)]
        found = unpack("a", [data], tally=Tally())
        assert [len(next(iter(content.blocks), b"")) > 0 for content in found] == [True, True, False, True]


def test_one_in_the_other() -> None:
    inner = zip_of({"c.log.gz": gzip.compress(b"1"), "d.tar.xz": lzma.compress(tar_of({"e": b"2"}))})
    data = gzip.compress(tar_of({"b.zip": inner, "f": b"3"}))
    tally = Tally()
    assert contents(data, tally=tally) == [("a!b.zip!c.log.gz", b"1"), ("a!b.zip!d.tar.xz!e", b"2"), ("a!f", b"3")]
    assert tally.read == {"gzip": 2, "xz": 1, "tar": 2, "tar member": 3, "zip": 1, "zip member": 2}


def test_names_are_only_names() -> None:
    files = {"/etc/passwd": b"1", "../../x": b"2", "C:\\y": b"3", "a\x1b[2Jb": b"4"}
    expected = [name.replace("\x1b", "\ufffd") for name in ("a!/etc/passwd", "a!../../x", "a!C:\\y", "a!a\x1b[2Jb")]
    assert [name for name, _ in contents(tar_of(files))] == expected
    assert [name for name, _ in contents(zip_of(files))] == expected


@pytest.mark.parametrize(
    ("written", "flags", "name"),
    [
        (b"\x82t\x82", 0, "été"),  # code page 437, as APPNOTE D.1 has it
        ("été".encode(), 0, "été"),  # as many programs write it
        ("été".encode(), 0x800, "été"),
        (b"\x82t\x82", 0x800, "\ufffdt\ufffd"),
    ],
)
def test_the_charset_of_the_names_of_a_zip(written: bytes, flags: int, name: str) -> None:
    data = zip_of({"n" * len(written): b"x"})
    data = data.replace(b"n" * len(written), written)
    for sign, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.index(sign) + offset
        data = data[:at] + struct.pack("<H", flags) + data[at + 2 :]
    assert contents(data) == [(f"a!{name}", b"x")]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice_is_read_twice() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x", "1")
        archive.writestr("x", "2")
    for data, kind in ((out.getvalue(), "zip"), (tar_of({"x": b"1"})[:1_024] + tar_of({"x": b"2"}), "tar")):
        tally = Tally()
        assert contents(data, tally=tally) == [("a!x", b"1"), ("a!x", b"2")]
        assert tally.read[f"{kind} member of the same name"] == 1


def test_links_devices_and_folders() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in [
            ("s", tarfile.SYMTYPE),
            ("h", tarfile.LNKTYPE),
            ("c", tarfile.CHRTYPE),
            ("b", tarfile.BLKTYPE),
            ("p", tarfile.FIFOTYPE),
            ("d", tarfile.DIRTYPE),
        ]:
            member = tarfile.TarInfo(name)
            member.type = kind
            member.linkname = "/etc/passwd"
            archive.addfile(member)
        member = tarfile.TarInfo("f")
        member.size = 1
        archive.addfile(member, io.BytesIO(b"1"))
    tally = Tally()
    assert contents(out.getvalue(), tally=tally) == [("a!f", b"1")]
    assert tally.skipped == {("tar member", "link"): 2, ("tar member", "device"): 3}
    link = zipfile.ZipInfo("s")
    link.create_system = 3
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(out := io.BytesIO(), "w") as packed:
        packed.writestr(link, "/etc/passwd")
        packed.mkdir("d")
        packed.writestr("f", "1")
    tally = Tally()
    assert contents(out.getvalue(), tally=tally) == [("a!f", b"1")]
    assert tally.skipped == {("zip member", "link"): 1}


def patched(data: bytes, flags: int | None = None, method: int | None = None) -> bytes:
    """A zip file of one member with other flags or another method."""
    harmed = bytearray(data)
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = harmed.index(sign) + at
        if flags is not None:
            struct.pack_into("<H", harmed, place, flags)
        if method is not None:
            struct.pack_into("<H", harmed, place + 2, method)
    return bytes(harmed)


@pytest.mark.parametrize(
    ("flags", "method", "reason"), [(1, None, "encrypted"), (0x41, None, "encrypted"), (None, 9, "unknown-method")]
)
def test_members_that_cannot_be_read(flags: int | None, method: int | None, reason: str) -> None:
    tally = Tally()
    assert contents(patched(zip_of({"x": b"1"}), flags, method), tally=tally) == []
    assert tally.skipped == {("zip member", reason): 1}


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_tar_gives_what_came_before(share: float) -> None:
    files = {f"f{i}": bytes([65 + i]) * 3_000 for i in range(10)}
    data = tar_of(files, tarfile.USTAR_FORMAT)[: int(share * 10) * 3_584 + 700]
    tally = Tally()
    found = contents(data, tally=tally)
    whole = int(share * 10)
    assert found[:whole] == named(files)[:whole]
    said = found[whole][1] if len(found) > whole else tally.messages[0].encode()
    assert f"ends early, at byte {len(data):,}".encode() in said
    assert len(found[whole:]) + len(tally.messages) == 1
    tally = Tally()
    for content in unpack("a", [data], tally=tally):  # nothing of the members is read: it is counted all the same
        assert content.source
    assert tally.broken == {("tar", "truncated"): 1}


@pytest.mark.long
def test_a_tar_that_is_cut_anywhere() -> None:
    """It is reported wherever something is missing, also of what is skipped and of headers before a member."""
    sparse = bytearray(tar_header(b"%011o\0" % 700, b"S"))
    sparse[482] = 1  # two more blocks of its map
    sparse[148:156] = b"%06o\0 " % sum([*sparse[:148], *b" " * 8, *sparse[156:]])
    members = [  # each with the number of bytes behind its content
        (tar_of({"x": b"1" * 700}, tarfile.GNU_FORMAT)[: 3 * 512], 324),
        (tar_of({"y" * 200: b"2"}, tarfile.GNU_FORMAT)[: 4 * 512], 511),
        (tar_of({"z" * 200: b"3"}, tarfile.PAX_FORMAT)[: 4 * 512], 511),
        (bytes(sparse) + bytes(504) + b"\1" + bytes(7 + 512) + b"4" * 700 + bytes(324), 324),
        (tar_header(b"%011o\0" % 600, b"Z") + b"5" * 600 + bytes(424), 424),
        (tar_header(b"%011o\0" % 600, b"2"), 0),
        (tar_header(b"%011o\0" % 5) + b"66666" + bytes(507), 507),
    ]
    data = b"".join(member for member, _ in members)
    assert [content[:1] for _, content in contents(data)] == [b"1", b"2", b"3", b"6"]
    end, whole = 0, {0}
    for member, behind in members:
        end += len(member)
        whole.update(range(end - behind, end + 1))
    for cut in range(512, len(data), 3):
        tally = Tally()
        found = contents(data[:cut], tally=tally, size=len(data))
        reported = sum(tally.broken.values()) + sum(content.endswith(b"in this member]") for _, content in found)
        assert reported == (cut not in whole), cut


def test_a_truncated_compressed_tar_says_so_once() -> None:
    noise = os.urandom(50_000)
    data = gzip.compress(tar_of({"x": b"1", "y": noise, "z": b"3"}))[:30_000]
    tally = Tally()
    found = contents(data, tally=tally)
    assert [name for name, _ in found] == ["a!x", "a!y"]
    assert found[1][1].endswith(b"[gzip data ends early, at byte 30,000]")
    assert not tally.broken
    tally = Tally()
    assert len([content.source for content in unpack("a", [data], tally=tally)]) == 2
    assert tally.broken == {("tar", "truncated"): 1}
    assert tally.messages == ["a: gzip data ends early, at byte 30,000"]


def test_a_corrupt_header_costs_one_member() -> None:
    data = bytearray(tar_of({"x": b"1", "y": b"2", "z": b"3"}, tarfile.USTAR_FORMAT))
    data[1_030] ^= 0xFF
    tally = Tally()
    assert contents(bytes(data), tally=tally) == [("a!x", b"1"), ("a!z", b"3")]
    assert tally.messages == ["a: the header at byte 1,024 of the archive is corrupt"]


@pytest.mark.parametrize(("size", "is_read"), [(1_048_576, True), (1_048_577, False), (3_000_000, False)])
def test_a_huge_header_is_not_read(size: int, is_read: bool) -> None:
    for kind, name in (
        (tarfile.GNUTYPE_LONGNAME, b"z" + bytes(size - 1)),
        (tarfile.XHDTYPE, b"9 path=z\n" + bytes(size - 9)),
    ):
        header = tarfile.TarInfo("x")
        header.type = kind
        header.size = size
        data = header.tobuf(tarfile.USTAR_FORMAT) + name + bytes(-size % 512) + tar_of({"y": b"1"})
        tally = Tally()
        assert contents(data, tally=tally) == [("a!z" if is_read else "a!y", b"1")]
        assert tally.broken == ({} if is_read else {("tar", "header-limit"): 1})


# How the header of a member writes its size, and the size; None if it is not valid.
SIZES = [
    (b"00000000005\0", 5),
    (b"          5 ", 5),
    (b"5\0 no number", 5),
    (bytes(12), 0),
    (b"\x80" + bytes(10) + b"\5", 5),
    (b"\x80" + bytes(9) + b"\2\1", 513),
    (b"\xff" * 12, None),
    (b"\xc0" + bytes(10) + b"\5", None),
    (b"00000000008\0", None),
    (b"0000005 005\0", None),
]


def tar_header(size: bytes, kind: bytes = b"0") -> bytes:
    """The header of a member with its size as it is written."""
    block = bytearray(tarfile.TarInfo("x").tobuf(tarfile.USTAR_FORMAT))
    block[124:136] = size[:12]
    block[156:157] = kind
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


@pytest.mark.parametrize("written", [b"\x81" + bytes(10) + b"\5", b"\xa0" + bytes(11), b"\x80\1" + bytes(9) + b"\5"])
def test_a_size_that_no_archive_has(written: bytes) -> None:
    ((name, given),) = contents(tar_header(written) + b"12345" + bytes(507) + tar_of({"b": b"2"}))
    assert name == "a!x"
    assert given.startswith(b"12345\0")
    assert b"the archive ends early, at byte 11,264" in given


@pytest.mark.parametrize(("written", "size"), SIZES)
def test_how_sizes_are_written(written: bytes, size: int | None) -> None:
    block = tar_header(written)
    content = b"x" * (size or 0)
    data = tar_of({"a": b"1"}, tarfile.USTAR_FORMAT)[:1_024] + block + content + bytes(-len(content) % 512)
    tally = Tally()
    found = contents(data + tar_of({"b": b"2"}), tally=tally)
    assert found == [("a!a", b"1"), *([("a!x", content)] if size is not None else []), ("a!b", b"2")]
    assert tally.messages == (["a: the header at byte 1,024 of the archive is corrupt"] if size is None else [])


def test_what_follows_the_end_of_an_archive() -> None:
    """Another archive, as `tar -A` and `cat` leave it, or bytes that are none."""
    first, second = tar_of({"x": b"1"}), tar_of({"y": b"2"})
    tally = Tally()
    assert contents(first + second, tally=tally) == [("a!x", b"1"), ("a!y", b"2")]
    assert not tally.broken
    assert contents(first + b"?" * 512 + second, tally=tally) == [("a!x", b"1")]
    assert tally.messages == ["a: the bytes after the archive, from byte 10,240 on, are not an archive"]
    assert tally.broken == {("tar", "trailing-garbage"): 1}


def test_a_zip_without_its_directory_is_read_by_its_members() -> None:
    files = {"x": os.urandom(1_000), "y": b"http://e.com/" * 100, "z": os.urandom(1_000)}
    data = zip_of(files)
    tally = Tally()
    found = contents(data[: data.rindex(b"PK\x01\x02") - 200], tally=tally)
    assert found[:2] == named(files)[:2]
    assert b"ends early" in found[2][1]
    assert tally.broken == {("zip", "truncated"): 1}


def test_a_zip_with_a_wrong_checksum_or_size() -> None:
    data = bytearray(zip_of({"x": b"http://e.com/" * 9}, zipfile.ZIP_STORED))
    data[data.index(b"http") + 1] ^= 1
    ((_, given),) = contents(bytes(data))
    assert given.startswith(b"hutp://e.com/")
    assert b"checksum" in given


def test_a_damaged_zip_raises_nothing_else() -> None:
    data = zip_of({"x": b"1" * 300, "y": b"2" * 300})
    for place in range(len(data)):
        for value in (0, 0xFF):
            harmed = bytearray(data)
            harmed[place] = value
            contents(bytes(harmed))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("first", [0, 3, 6, 9])
def test_a_damaged_tar_raises_nothing_else(first: int) -> None:
    data = tar_of({"x" * 120: b"1" * 300, "y": b"2" * 300})
    for place in range(first, len(data) - 10_240 if len(data) > 12_000 else len(data), 12):
        for value in (0, 0x30, 0xFF):
            harmed = bytearray(data)
            harmed[place] = value
            contents(bytes(harmed))


@pytest.mark.long
def test_zip64(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open("x", "w", force_zip64=True) as member:
        member.write(b"http://e.com/")
    assert contents(out.getvalue()) == [("a!x", b"http://e.com/")]
    many = {f"f{i}": b"" for i in range(65_600)}
    packed = zip_of(many)
    assert b"PK\x06\x06" in packed
    assert len(contents(packed)) == 65_600


# Which of the sizes and the offset of a member stand in its Zip64 field, in the order in which they would.
WIDE = ("size", "compressed", "offset")


@pytest.mark.parametrize("wide", [subset for count in range(4) for subset in itertools.combinations(WIDE, count)])
@pytest.mark.parametrize(
    "before", [b"", b"\x55\x54\5\0\1abcd", b"\xfe\xca\0\0"], ids=["alone", "behind", "behind none"]
)
def test_what_the_zip64_field_holds(wide: tuple[str, ...], before: bytes) -> None:
    content = b"http://a.example/ " * 9
    packed = zlib.compress(content)[2:-4]
    first = local(b"x", b"1", 0, 1) + b"1"
    values = {"size": len(content), "compressed": len(packed), "offset": len(first)}
    shown = {name: 0xFFFFFFFF if name in wide else value for name, value in values.items()}
    field = b"".join(struct.pack("<Q", values[name]) for name in wide)
    extra = before + struct.pack("<HH", 1, len(field)) + field
    central = struct.pack(
        *("<4sHHHHHHLLLHHHHHLL", b"PK\1\2", 45, 45, 0, 8, 0, 0, zlib.crc32(content), shown["compressed"]),
        *(shown["size"], 1, len(extra), 0, 0, 0, 0, shown["offset"]),
    )
    data = first + local(b"y", content, 8, len(packed)) + packed
    end = struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1, 1, len(central) + 1 + len(extra), len(data), 0)
    tally = Tally()
    assert contents(data + central + b"y" + extra + end, tally=tally) == [("a!y", content)]
    assert not tally.broken


@pytest.mark.parametrize("wide", [(), ("size", "compressed")])
def test_a_zip64_field_without_a_directory(wide: tuple[str, ...]) -> None:
    content = b"http://a.example/ " * 9
    packed = zlib.compress(content)[2:-4]
    sizes = [0xFFFFFFFF] * 2 if wide else [len(packed), len(content)]
    extra = struct.pack("<HHQQ", 1, 16, len(content), len(packed)) if wide else b""
    header = struct.pack("<4sHHHHHLLLHH", b"PK\3\4", 45, 0, 8, 0, 0, zlib.crc32(content), *sizes, 1, len(extra))
    tally = Tally()
    found = contents(header + b"x" + extra + packed + local(b"y", b"1", 0, 1) + b"1", tally=tally)
    assert found[0] == ("a!x", content)
    assert found[1][0] == "a!y"
    assert tally.broken == {("zip", "truncated"): 1}


def test_a_member_without_a_name() -> None:
    data = local(b"", b"1", 0, 1) + b"1"
    assert contents(zip_with_directory([(b"", b"1", 0, 1, 0)], data)) == [("a!", b"1")]


def test_a_streamed_zip_has_its_sizes_behind_the_data() -> None:
    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x", b"1" * 999)
        archive.writestr("y", b"2" * 999)
    files = [("a!x", b"1" * 999), ("a!y", b"2" * 999)]
    assert contents(pipe.data) == files
    tally = Tally()
    assert contents(pipe.data[: pipe.data.index(b"PK\x01\x02")], tally=tally) == files[:1], "without its directory"
    assert tally.skipped == {("zip member", "behind-one-of-unknown-size"): 1}


def test_a_zip_bomb_stops_its_member_only() -> None:
    zeros = bytes(3_000_000)
    limits = Limits(ratio=100, stream_allowance=1_000_000)
    tally = Tally()
    found = contents(zip_of({"bomb": zeros, "good": b"http://e.com/"}), limits=limits, tally=tally)
    assert b"more than 100 times" in found[0][1]
    assert found[1] == ("a!good", b"http://e.com/")


def test_members_that_share_their_data_are_stopped_as_one() -> None:
    """A directory may name one member many times: ten megabytes would become petabytes."""
    data = zip_of({"x": bytes(1_000_000)})
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entry = data[start:end]
    count = 5_000
    record = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, count, count, len(entry) * count, start, 0)
    tally = Tally()
    assert len(contents(data[:start] + entry * count + record, tally=tally)) == 1
    assert tally.skipped == {("zip member", "same-data"): count - 1}


def zip_with_directory(members: list[tuple[bytes, bytes, int, int, int]], data: bytes) -> bytes:
    """An archive of `data` with a directory of name, checksummed content, method, compressed size and offset."""
    directory = b"".join(
        struct.pack(
            *("<4sHHHHHHLLLHHHHHLL", b"PK\x01\x02", 20, 20, 0, method, 0, 0, zlib.crc32(content), size, len(content)),
            *(len(name), 0, 0, 0, 0, 0, offset),
        )
        + name
        for name, content, method, size, offset in members
    )
    count = len(members)
    return data + directory + struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(data), 0)


def local(name: bytes, content: bytes, method: int, size: int) -> bytes:
    fields = (b"PK\x03\x04", 20, 0, method, 0, 0, 0, size, len(content), len(name), 0)
    return struct.pack("<4sHHHHHLLLHH", *fields) + name


def test_members_that_overlap() -> None:
    """D8: no byte is read for two members; what is damaged does not take those behind it along."""
    first, second = b"http://a.example/ " * 10, b"http://b.example/ " * 10
    inner = local(b"b", second, 0, len(second)) + second
    data = local(b"a", first, 0, len(first)) + first + inner
    start = len(data) - len(inner)
    size = len(first) + len(inner)  # of a member that says that the next one is in it
    archive = zip_with_directory([(b"a", first + inner, 0, size, 0), (b"b", second, 0, len(second), start)], data)
    tally = Tally()
    found = contents(archive, tally=tally)
    assert [name for name, _ in found] == ["a!a", "a!b"]
    assert found[0][1].startswith(first + b"[the data of the member at byte 0 overlaps")
    assert found[1][1] == second


@pytest.mark.parametrize("offset", [7, 60, 1 << 30])
def test_an_entry_that_points_nowhere_costs_itself_only(offset: int) -> None:
    first = b"http://a.example/ " * 10
    data = local(b"a", first, 0, len(first)) + first
    entries = [(b"x", b"", 0, 50, offset), (b"a", first, 0, len(first), 0), (b"y", b"", 8, 9, offset)]
    found = dict(contents(zip_with_directory(entries, data)))
    assert found["a!a"] == first
    assert b"the archive has no member at byte" in found["a!x"]


def test_overlapping_streams_are_read_once() -> None:
    """Each member's deflate stream holds the headers of those behind it, as in the bombs of Fifield (2019)."""
    kernel = zlib.compressobj(9, zlib.DEFLATED, -15)
    kernel_data = kernel.compress(bytes(1_000_000)) + kernel.flush()
    content, body = bytes(1_000_000), local(b"k", bytes(1_000_000), 8, len(kernel_data)) + kernel_data
    entries: list[tuple[bytes, bytes, int, int, int]] = []
    ends = [(b"k", content, len(kernel_data), len(body))]
    for number in range(50):
        quoted = body[: 30 + 1 + (len(str(number - 1)) if number else 0)]
        content = quoted + content
        stream = struct.pack("<BHH", 0, len(quoted), len(quoted) ^ 0xFFFF)
        name = b"m%d" % number
        size = len(stream) + len(body)
        body = local(name, content, 8, size) + stream + body
        ends.append((name, content, size, len(body)))
    entries = [(name, content, 8, size, len(body) - place) for name, content, size, place in reversed(ends)]
    tally = Tally()
    found = contents(zip_with_directory(entries, body), tally=tally)
    assert sum(len(data) for _, data in found) < 1_100_000
    assert found[-1][1] == bytes(1_000_000)


@pytest.mark.parametrize("properties", [44, 8, 224, 225, 255])
@pytest.mark.parametrize("length", [0, 4, 5, 6])
def test_wrong_properties_of_lzma(properties: int, length: int) -> None:
    """D4: a broken member; those behind it are read."""
    packed = bytes([9, 4, length, 0, properties]) + struct.pack("<L", 4_096) + bytes(20)
    data = local(b"a", bytes(99), 14, len(packed)) + packed
    good = local(b"b", b"http://b.example/", 0, 17) + b"http://b.example/"
    entries = [(b"a", bytes(99), 14, len(packed), 0), (b"b", b"http://b.example/", 0, 17, len(data))]
    found = contents(zip_with_directory(entries, data + good))
    assert [name for name, _ in found] == ["a!a", "a!b"]
    assert found[0][1].startswith(b"[")
    assert found[1][1] == b"http://b.example/"


@pytest.mark.parametrize("size", range(12))
def test_lzma_that_ends_in_its_header(size: int) -> None:
    packed = (b"\x09\x04\5\0\x5d" + struct.pack("<L", 4_096) + bytes(9))[:size]
    data = local(b"a", bytes(99), 14, size) + packed
    good = local(b"b", b"1", 0, 1) + b"1"
    found = contents(zip_with_directory([(b"a", bytes(99), 14, size, 0), (b"b", b"1", 0, 1, len(data))], data + good))
    assert [name for name, _ in found] == ["a!a", "a!b"]
    assert (b"LZMA header is corrupt" in found[0][1]) == (size < 9)
    assert found[0][1].startswith(b"[")
    assert found[1][1] == b"1"


def test_what_is_found_in_a_content_shares_its_limits() -> None:
    data = gzip.compress(bytes(1_000_000))
    tally = Tally()
    limits = Limits(nesting=2, ratio=10, total_allowance=1_500_000)
    (outer,) = unpack("a", [tar_of({"mail": b"Subject: x\nTo: y\n\n"})], tally=tally, limits=limits)
    assert (outer.kind, outer.depth) == ("mail", 1)
    (inner,) = unpack("a!mail!b", [data], tally=tally, within=outer)
    assert (inner.depth, len(b"".join(inner.blocks))) == (3, 1_000_000)
    assert list(unpack("a!mail!b!c", [data], tally=tally, within=inner)) == []
    assert tally.broken == {("gzip", "nesting-limit"): 1}
    (again,) = unpack("a!mail!c", [data], tally=tally, within=outer)
    with pytest.raises(InputError, match="the rest of the file is not read"):
        list(again.blocks)


def test_a_zip_in_a_stream_has_a_limit() -> None:
    tally = Tally()
    assert contents(zip_of({"x": os.urandom(9_000)}), tally=tally, limits=Limits(spool=5_000)) == []
    assert tally.broken == {("zip", "unreadable"): 1}
    assert "give it as a file" in tally.messages[0]


def test_memory_is_constant() -> None:
    block = bytes(range(256)) * 256
    header = tarfile.TarInfo("x")
    header.size = 200 * len(block)

    def blocks() -> Iterator[bytes]:
        for _ in range(3):
            yield header.tobuf()
            for _ in range(200):
                yield block
        yield bytes(1_024)

    tracemalloc.start()
    try:
        total = sum(len(piece) for content in unpack("a", blocks(), tally=Tally()) for piece in content.blocks)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 3 * header.size
    assert peak < 1_048_576


@given(
    st.dictionaries(
        st.text("abc/é.", min_size=1, max_size=9).filter(lambda n: n.strip("/.") != ""),
        st.binary(max_size=2_000),
        max_size=4,
    ),
    st.integers(1, 3_000),
)
def test_any_files_come_back(files: dict[str, bytes], size: int) -> None:
    files = {name.rstrip("/"): b"text " + data for name, data in files.items()}
    expected = named(files)
    assert contents(tar_of(files), size=size) == expected if files else True
    if files:
        assert contents(zip_of(files), size=size) == expected
        assert contents(zlib_wrapped(tar_of(files)), size=size) == expected


def zlib_wrapped(data: bytes) -> bytes:
    pack = zlib.compressobj(wbits=31)
    return pack.compress(data) + pack.flush()


@pytest.mark.parametrize(
    ("command", "out"),
    [
        (["tar", "-cf", "-", "d"], None),
        (["tar", "-czf", "-", "d"], None),
        (["tar", "--format=v7", "-cf", "-", "d"], None),
        (["tar", "--format=ustar", "-cf", "-", "d"], None),
        (["tar", "--format=gnu", "-cf", "-", "d"], None),
        (["tar", "--format=posix", "-cJf", "-", "d"], None),
        (["zip", "-q", "-r", "out.zip", "d"], "out.zip"),
        (["zip", "-q", "-r", "-0", "-", "d"], None),
        (["zip", "-q", "-r", "-Z", "bzip2", "out.zip", "d"], "out.zip"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_archives_of_real_programs(tmp_path: Path, command: list[str], out: str | None) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    files = {"d/a.log": b"http://e.com/\n" * 5_000, "d/sub/b": b"x", "d/empty": b"", "d/e\u0301": b"\0binary"}
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "d" / "link").symlink_to("a.log")
    done = subprocess.run(
        command, cwd=tmp_path, check=True, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    data = (tmp_path / out).read_bytes() if out else done.stdout
    tally = Tally()
    found = dict(contents(data, tally=tally))
    assert {name: found[f"a!{name}"] for name in files} == files
    assert not tally.broken


def test_sparse_members_are_skipped(tmp_path: Path) -> None:
    if shutil.which("tar") is None:
        pytest.skip("tar is not installed")
    with open(tmp_path / "s", "wb") as file:
        for place in range(30):
            file.seek(place * 1_000_000)
            file.write(b"x")
    (tmp_path / "t").write_text("1")
    for fmt in ("gnu", "posix"):
        command = ["tar", "-S", f"--format={fmt}", "-cf", "-", "s", "t"]
        data = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout
        tally = Tally()
        assert contents(data, tally=tally) == [("a!t", b"1")]
        assert tally.skipped == {("tar member", "sparse"): 1}
        assert not tally.broken


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"7z\xbc\xaf\x27\x1c\0\4", "unsupported"),
        (b"Rar!\x1a\x07\x01\0", "unsupported"),
    ],
)
def test_what_is_out_of_scope_is_counted(data: bytes, kind: str) -> None:
    tally = Tally()
    assert contents(tar_of({"x": data, "y": b"1"}), tally=tally) == [("a!y", b"1")]
    assert tally.skipped == {(kind, "out-of-scope"): 1}


@pytest.mark.parametrize(("allowance", "is_read"), [(2 * 4_096, True), (2 * 4_096 - 1, False)])
def test_how_much_the_beginning_of_a_member_counts(allowance: int, is_read: bool) -> None:
    tally = Tally()
    found = contents(tar_of({"x": b"", "y": b""}), tally=tally, limits=Limits(ratio=0, total_allowance=allowance))
    assert [name for name, _ in found] == ["a!x", "a!y"][: 1 + is_read]
    assert tally.broken == ({} if is_read else {("tar", "ratio-limit"): 1})


def test_empty_streams_and_members_have_a_limit() -> None:
    """A kilobyte may become a million of them, each of which takes its time."""
    limits = Limits(total_allowance=2_000_000)
    for data, kind in (
        (gzip.compress(gzip.compress(b"") * 100_000), "gzip"),
        (gzip.compress(tar_of({"x": b""})[:512] * 20_000), "tar"),
    ):
        tally = Tally()
        found = contents(data, tally=tally, limits=limits)
        said = [data.decode() for _, data in found if data.startswith(b"[")] + tally.messages
        assert any("the rest of the file is not read" in message for message in said)
        assert len(found) < 3_000, kind
