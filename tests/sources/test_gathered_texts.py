"""Small texts of archives, searched many at once: each has what it has when it is read alone."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve import Options, Tally, extract_files, sieve_blocks
from urisieve.errors import BrokenInputError
from urisieve.find.delimited import SEPARATOR
from urisieve.sources.blocks import gathered
from urisieve.sources.documents import Document, Segment

# Texts that end where something may follow, hold what does not decode, the separator, or nothing.
TEXTS = [
    b"see http://a.example/1\nand http://b.example/ \n",
    b"<http://a.example/2",
    b"http://a.example/why-",
    b"> behind http://a.example/3",
    b'"http://a.example/4 5',
    b"",
    b"http://u:secret@a.example/ x http://a.example:80ab/",
    b"\xef\xbb\xbfhttp://a.example/mark",
    b"\xff\xfeh\0t\0t\0p\0:\0/\0/\0w\0.\0e\0x\0a\0m\0p\0l\0e\0/\0",
    "é http://a.example/é ü\nhttp://b.example/ü".encode(),
    b"caf\xe9 http://a.example/\xe9 http://c.example/",
    f"http://a.example/x{SEPARATOR}http://b.example/y".encode(),
    b"\r\n\r\n  urn:isbn:0395363411-",
    b"http",
    b"://a.example/",
    b"x" * 70_000 + b" http://long.example/",
    b"a,b\n1,http://a.example/row\n2,http://a.example/other\n3,\n",
    b"From: a@a.example\nTo: b@a.example\nSubject: x\n\nhttp://a.example/mail\n",
    b'{"a": "http://a.example/json"}\n',
    b"<!doctype html><a href='http://a.example/html'>x</a>",
    b"\0\1\2\3http://a.example/binary\0\0\0",
    gzip.compress(b"http://a.example/packed"),
    gzip.compress(b"http://a.example/cut" * 500)[:-20],
]


def tar_of(members: list[bytes], first: int = 0) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for number, data in enumerate(members, first):
            header = tarfile.TarInfo(f"{number}.txt")
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
    return out.getvalue()


def zip_of(members: list[bytes], first: int = 0) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, data in enumerate(members, first):
            archive.writestr(f"{number}.txt", data)
    return out.getvalue()


def web_archive_of(members: list[bytes], first: int = 0) -> bytes:
    records = (
        b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: %d.txt\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
        % (number, len(data), data)
        for number, data in enumerate(members, first)
    )
    return b"".join(records)


PACKERS: dict[str, Callable[..., bytes]] = {
    "tar": tar_of,
    "tar.gz": lambda members, first=0: gzip.compress(tar_of(members, first)),
    "zip": zip_of,
    "warc": web_archive_of,
}


def found_in(name: str, data: bytes, size: int = 65_536, options: Options | None = None) -> tuple[list[Any], Tally]:
    """Return all that is known of records and rejections, and the counts."""
    tally = Tally()
    blocks = (data[start : start + size] for start in range(0, len(data), size))
    found = sieve_blocks(name, blocks, options=options, tally=tally, on_error=lambda *_: None)
    return [tuple(one._row) for one in found], tally


def check(packer: str, members: list[bytes], size: int, options: Options | None = None) -> None:
    rows, tally = found_in("a", PACKERS[packer](members), size, options)
    expected: list[Any] = []
    whole = Tally()
    for number, data in enumerate(members):
        alone = PACKERS[packer]([data], number)
        more, counts = found_in("a", alone, size, options)
        expected += more
        whole.rejected.update(counts.rejected)
        whole.warnings.update(counts.warnings)
    assert rows == expected
    assert (tally.rejected, tally.warnings) == (whole.rejected, whole.warnings)


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("size", [700, 1 << 20])
@pytest.mark.parametrize("options", [None, Options(schemeless="names", email=True), Options(level="none")])
def test_each_text_has_what_it_has_alone(packer: str, size: int, options: Options | None) -> None:
    check(packer, TEXTS, size, options)


@given(
    packer=st.sampled_from(sorted(PACKERS)),
    members=st.lists(st.one_of(st.sampled_from(TEXTS), st.binary(max_size=30)), max_size=8),
    size=st.integers(50, 5_000),
)
def test_any_texts(packer: str, members: list[bytes], size: int) -> None:
    check(packer, members, size)


def test_the_counts_by_kind_and_the_names(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar_of(TEXTS))
    tally = Tally()
    records = list(extract_files([path], tally=tally, on_error=lambda *_: None))
    assert tally.read["tar member"] == len(TEXTS)
    assert tally.kinds == {"text": 18, "csv": 1, "mail": 1, "jsonl": 1, "html": 1}
    assert (tally.broken["text", "undecodable-bytes"], tally.broken["byte", "undecodable"]) == (1, 2)
    assert tally.broken["gzip", "truncated"] == 1
    assert {record.source for record in records if record.host == "b.example"} == {
        f"{path}!{number}.txt" for number, text in enumerate(TEXTS) if b"b.example" in text
    }


def document(text: str, *, in_memory: bool = True, legacy: bool = False) -> Document:
    return Segment(source=text[:3], text=(text,), in_memory=in_memory, legacy=legacy).document()


def shapes(documents: Iterator[Document]) -> list[str | list[str]]:
    return [
        "".join(next(one.segments()).text) if one.size == 1 or one.last else list(map(one.text, range(one.size)))
        for one in documents
    ]


LONG = "x" * 65_537
ROWS: list[tuple[list[Document], list[str | list[str]]]] = [
    ([], []),
    ([document("a")], ["a"]),
    ([document("a"), document("b")], [["a", "b"]]),
    ([document("a"), document(""), document("b")], [["a", "", "b"]]),
    ([document("a"), document("b", in_memory=False), document("c")], ["a", "b", "c"]),
    ([document("a"), document("b"), document(LONG), document("c"), document("d")], [["a", "b"], LONG, ["c", "d"]]),
    ([document("a"), document("b", legacy=True), document("c", legacy=True)], ["a", ["b", "c"]]),
    ([document("y" * 60_000)] * 5, [["y" * 60_000] * 4, "y" * 60_000]),
    ([document("z")] * 4_097, [["z"] * 4_096, "z"]),
]


@pytest.mark.parametrize(("documents", "expected"), ROWS)
def test_blocks(documents: list[Document], expected: list[str | list[str]]) -> None:
    assert shapes(gathered(documents)) == expected


def test_what_came_before_an_error_is_not_lost() -> None:
    def documents() -> Iterator[Document]:
        yield document("a")
        yield document("b")
        raise BrokenInputError("tar", "corrupt", "x")

    given: list[Document] = []
    with pytest.raises(BrokenInputError):
        given.extend(gathered(documents()))
    assert shapes(iter(given)) == [["a", "b"]]


def test_an_error_is_raised_behind_the_texts_before_it(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar_of([b"http://a.example/1", b"http://a.example/2", TEXTS[-1], b"http://a.example/3"]))
    given: list[str] = []
    with pytest.raises(Exception, match=r"2\.txt.*ends early"):
        given.extend(record.uri for record in extract_files([path]))
    assert given[:2] == ["http://a.example/1", "http://a.example/2"]
