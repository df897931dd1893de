"""From paths to records: folders, compression, archives and texts put together, as the command does."""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.readers import journal_fields, json_lines, segments_of, table_cells
from urisieve import Scanner
from urisieve.errors import InputError
from urisieve.sources.bytes.reading import read_blocks
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.folders import find_files
from urisieve.sources.containers.unpacking import unpack
from urisieve.sources.documents import Document, Segment
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.plain_text import text_document
from urisieve.sources.tally import Tally

_BITS = [
    *[
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b":",
        b",",
        b"\\",
        b"\\u",
        b"\n",
        b"\r",
        b"1",
        b"a",
        b"=",
        b"\0",
        b"\xff",
        b"\xc3\xa9",
    ],
    *[
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03",
        b"PK\3\4",
        b"PK\5\6",
        bytes(20),
        b"BZh91AY&SY",
        b"\xfd7zXZ\0",
        b"\x28\xb5\x2f\xfd",
    ],
    *[b"MESSAGE", b"\5\0\0\0\0\0\0\0", b'{"a":"http:\\/\\/e.com"}', b'"a""b"'],
]


def documents(paths: list[str], tally: Tally) -> Iterator[Document]:
    for path in find_files(paths, tally=tally):
        for content in unpack(path, read_blocks(path), tally=tally, path=path):
            if content.source.endswith(".jsonl"):
                yield from json_lines(content, tally=tally)
            else:
                yield text_document(content)


def records(paths: list[str], tally: Tally) -> list[tuple[str, str, tuple[int, int] | None]]:
    """Source, URI and bytes of all records; what is undecided where a text is cut is no record."""
    found: list[tuple[str, str, tuple[int, int] | None]] = []
    for document in segments_of(documents(paths, tally)):
        scanner = Scanner(source=document.source)
        values = []
        try:
            for piece in document.text:
                values += scanner.feed(piece)
            values += scanner.close()
        except InputError as error:
            kind, reason = getattr(error, "kind", "file"), getattr(error, "reason", "unreadable")
            tally.fault(kind, reason, f"{document.source}: {error}")
        way = document.offsets()
        for value in values:
            span = None if way is None else way.span(value.start, value.end)
            found.append((document.source, value.raw, span))
    return found


@pytest.fixture
def mix(tmp_path: Path) -> Path:
    (tmp_path / "a.log").write_text("é http://a.com/\n")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"1 http://b.com/ 2 http://b.com/cut")[:-12])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("in/d.log", "http://d.com/")
        archive.writestr("e.jsonl", json.dumps({"u": ["x", "http://e.com/"]}) + "\n")
    with tarfile.open(tmp_path / "c.tgz", "w:gz") as outer:
        member = tarfile.TarInfo("c.zip")
        member.size = len(out.getvalue())
        outer.addfile(member, io.BytesIO(out.getvalue()))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "f.bin").write_bytes(b"\0\1\2http://f.com/\0")
    (tmp_path / "g.7z").write_bytes(b"7z\xbc\xaf\x27\x1c http://g.com/")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def test_a_mix_of_everything(mix: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    where = os.getcwd()
    os.chdir(mix)
    try:
        listener.bind("sock")
    finally:
        os.chdir(where)
        listener.close()
    tally = Tally()
    top = str(mix)
    assert records([top, f"{top}/gone"], tally) == [
        (f"{top}/a.log", "http://a.com/", (3, 16)),
        (f"{top}/b.gz", "http://b.com/", (2, 15)),
        (f"{top}/c.tgz!c.zip!in/d.log", "http://d.com/", (0, 13)),
        (f"{top}/c.tgz!c.zip!e.jsonl", "http://e.com/", (13, 26)),
        (f"{top}/f.bin", "http://f.com/", (3, 16)),
    ]
    assert tally.skipped == {
        ("folder", "loop"): 1,
        ("file", "fifo"): 1,
        ("file", "socket"): 1,
        ("unsupported", "out-of-scope"): 1,
    }
    assert tally.broken == {("gzip", "truncated"): 1, ("file", "unreadable"): 1}
    assert tally.messages[0].startswith(f"{top}/b.gz: gzip data ends early, at byte ")
    assert tally.messages[1] == f"{top}/gone: No such file or directory"


@given(st.lists(st.sampled_from(_BITS), max_size=20).map(b"".join), st.integers(1, 40))
def test_any_bytes_give_text_or_an_error_of_ours(data: bytes, size: int) -> None:
    def content() -> Content:
        return Content(source="a", kind=Kind.TEXT, blocks=(data[i : i + size] for i in range(0, len(data), size)))

    readers: list[Callable[[], Iterable[Document | Segment]]] = [
        lambda: json_lines(content(), tally=Tally()),
        lambda: table_cells(content(), tally=Tally()),
        lambda: journal_fields(content(), tally=Tally()),
        lambda: map(text_document, unpack("a", content().blocks, tally=Tally())),
    ]
    for read in readers:
        with suppress(InputError):
            for document in segments_of(read()):
                for _ in document.text:
                    pass
                document.offsets()


@pytest.mark.parametrize(
    ("carrier", "data", "expected"),
    [
        (None, b"http:\\/\\/a.com", [b"http:\\/\\/a.com"]),
        ("backslash", b"http:\\/\\/a.com x http:\\/\\/b.com", [b"http:\\/\\/a.com", b"http:\\/\\/b.com"]),
        ("html", "é http://a.com/?x&amp;y&gt; &lt;urn:a:b&gt;".encode(), [b"http://a.com/?x&amp;y", b"urn:a:b"]),
        ("percent-u", b"http%u003A//a.com", [b"http%u003A//a.com"]),
    ],
)
def test_escapes_and_their_bytes(tmp_path: Path, carrier: str | None, data: bytes, expected: list[bytes]) -> None:
    (tmp_path / "a").write_bytes(data)
    (content,) = unpack("a", read_blocks(str(tmp_path / "a")), tally=Tally())
    (document,) = text_document(content, carriers=[] if carrier is None else [carrier]).segments()
    scanner = Scanner()
    values = [value for piece in document.text for value in scanner.feed(piece)] + scanner.close()
    way = document.offsets()
    assert way is not None
    spans = [way.span(value.start, value.end) for value in values]
    assert [data[start:end] for start, end in spans] == expected
