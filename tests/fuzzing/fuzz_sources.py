"""Targets of the fuzzer that read bytes as some kind of file: see `fuzz_targets`."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest import mock

from tests.fuzzing import test_mutations
from tests.helpers.containers import CONTAINERS
from tests.sources.test_exports import FILES
from urisieve import Options, ReadingOptions, Record
from urisieve.errors import InputError
from urisieve.find import searches
from urisieve.kernel import compiled
from urisieve.records.layouts import COLUMNS
from urisieve.runs.document_sieve import DocumentSieve
from urisieve.sources.bytes.encodings import known_marks, wide_encoding
from urisieve.sources.kinds.kind_table import COMPRESSED, HEAD_SIZE
from urisieve.sources.kinds.sniffing import signed_kind
from urisieve.sources.tally import Tally

__all__ = ["SOURCES", "rows_of", "source_seeds"]

Target = Callable[[bytes], None]

_OPTIONS: Final = (
    Options(),
    Options(
        schemeless="names", email="addresses", refang="known-forms", nested="report", repair="encode", schemes="any"
    ),
)
KINDS: Final = ("auto", "mail", "html", "xml", "json", "jsonl", "csv", "tsv", "journal", "warc")
_CONTROLS: Final = bytes([*range(9), *range(14, 27), *range(28, 32), 127])
# A link that stands behind what is hostile, and has to be found.
_LAST: Final = "http://last.example/"


@contextmanager
def _without_kernel() -> Iterator[None]:
    with mock.patch.object(searches, "_search", searches._in_python):
        yield


def rows_of(found: list[Any]) -> list[tuple[type, Any]]:
    """Return what can be compared of records and rejections: all columns."""
    return [(type(one), one._row) for one in found]


def _read(data: bytes, options: Options, reading: ReadingOptions, size: int, *, first: int = 0) -> list[Any]:
    """Read bytes in blocks; nothing that they hold is an exception, or counted as one.

    Args:
        data: the bytes.
        options: what is found.
        reading: as what they are read.
        size: that of the blocks.
        first: that of the first one at least.
    """
    tally = Tally()
    failures: list[InputError] = []
    sieve = DocumentSieve(
        options, reading, tally=tally, failed=lambda _, error: failures.append(error), columns=frozenset(COLUMNS)
    )
    first = max(first, size)
    blocks = [data[:first], *(data[start : start + size] for start in range(first, len(data), size))]
    found = [one for batch in sieve.batches("x", blocks) for one in batch.found()]
    for error in failures:
        if getattr(error, "reason", "") == "unexpected":
            raise error
    assert "unexpected" not in {reason for _, reason in tally.broken}
    assert all(one.as_dict() for one in found)
    return found


def _chosen(data: bytes) -> tuple[Options, int, bytes]:
    """Return the options and a size that the first two bytes stand for, and the others."""
    first, second = (*data[:2], 0, 0)[:2]
    return _OPTIONS[first % len(_OPTIONS)], second + 1, data[2:]


def _of_kind(kind: str, **settings: Any) -> Target:
    """Return the target that reads bytes as a kind: blocks do not matter, and neither does the kernel."""
    reading = ReadingOptions(input=kind, **settings)

    def fuzz_source(data: bytes) -> None:
        options, size, body = _chosen(data)
        whole = rows_of(_read(body, options, reading, 1 << 18))
        # What begins as a text is one, though it may hold later what text does not: a pipe does not wait for that.
        first = HEAD_SIZE if kind == "auto" and body.translate(None, _CONTROLS) != body else 0
        assert rows_of(_read(body, options, reading, size, first=first)) == whole
        if compiled:
            with _without_kernel():
                assert rows_of(_read(body, options, reading, 1 << 18)) == whole

    fuzz_source.__name__ = f"fuzz_{kind}"
    return fuzz_source


def _holds_last(data: bytes, reading: ReadingOptions) -> bool:
    found = _read(data, _OPTIONS[0], reading, 1 << 18)
    return any(isinstance(one, Record) and one.uri == _LAST for one in found)


def fuzz_jsonl_rows(data: bytes) -> None:
    """A row that cannot be read does not hide the rows behind it."""
    row = data.replace(b"\n", b" ").replace(b"\r", b" ")
    assert _holds_last(b"{}\n" + row + b'\n{"a": "%s"}\n' % _LAST.encode(), ReadingOptions(input="jsonl"))


def fuzz_messages(data: bytes) -> None:
    """A message, whatever it holds, does not hide the message behind it."""
    body = data.replace(b"From ", b"from ")
    envelope = b"\n\nFrom a@b.example Thu Jan  1 00:00:00 2026\n"
    mailbox = envelope[2:] + body + envelope + b"From: a@b.example\nSubject: x\n\n%s\n" % _LAST.encode()
    assert _holds_last(mailbox, ReadingOptions(input="mail"))


def fuzz_members(data: bytes) -> None:
    """A member of an archive, whatever it holds, does not hide the member behind it."""
    out = io.BytesIO()
    members = {f"a{data[1] % 9 if data[1:] else ''}": data[2:], "b.txt": _LAST.encode()}
    if data[:1] < b"\x80":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if data[:1] < b"\x40" else zipfile.ZIP_STORED) as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name), content)
    else:
        with tarfile.open(fileobj=out, mode="w") as archive:
            for name, content in members.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    assert _holds_last(out.getvalue(), ReadingOptions())


def fuzz_compressed(data: bytes) -> None:
    """What a compressor is given is found, behind it, and before the place where the compressed bytes are cut."""
    packers: tuple[Callable[[bytes], bytes], ...] = (
        lambda content: gzip.compress(content, 1, mtime=0),
        lambda content: bz2.compress(content, 1),
        lambda content: lzma.compress(content, preset=0),
    )
    pack = packers[data[0] % 3 if data else 0]
    cut = data[1] if data[1:] else 0
    plain = ReadingOptions(input="text")
    body = data[2:] + f"\n\n{_LAST}\n".encode()
    if signed_kind(body) in COMPRESSED:
        return  # packed twice: what is damaged inside is not read as text
    marked = (mark for mark, encoding in known_marks(None) if encoding.name != "utf-8")
    if wide_encoding(body) or body.startswith(tuple(marked)):
        return  # the last line is not written in the encoding of the text
    packed = pack(body)
    assert _holds_last(packed, plain)
    shown = rows_of(_read(body, _OPTIONS[0], plain, 1 << 18))
    assert rows_of(_read(packed, _OPTIONS[0], plain, cut + 1)) == shown
    some = rows_of(_read(packed[: len(packed) * cut // 256], _OPTIONS[0], plain, 1 << 18))
    assert len(some) <= len(shown) + 1  # the last one may be cut


SOURCES: Final[dict[str, Target]] = {
    **{kind: _of_kind(kind) for kind in KINDS},
    **dict.fromkeys(("zip", "tar", "gzip", "bzip2", "xz", "zstd", "msg"), _of_kind("auto")),
    "jsonl-rows": fuzz_jsonl_rows,
    "messages": fuzz_messages,
    "members": fuzz_members,
    "compressed": fuzz_compressed,
}
_MHTML: Final = (
    b"From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x; type=text/html\n\n"
    b"--x\nContent-Type: text/html\nContent-Location: http://page.example/d/\nContent-Transfer-Encoding: "
    b'quoted-printable\n\n<a href=3D"e">f</a><img src=3D"cid:1">\n--x\nContent-Type: text/css\n'
    b"Content-Location: http://page.example/s.css\n\nbody{background:url(http://c.example/)}\n--x--\n"
)
_MARC: Final = (
    b"00084nam a2200049   4500001000200000856003400002\x1ex\x1e40\x1fuhttp://a.example/\x1fzhttp://b.example/\x1e\x1d"
)
_WARC: Final = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://t.example/\r\nContent-Length: 86\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><a href='/x'>x</a> http://b.example/</html>\r\n\r\n"
)
_SMALL: Final = {"a.log": b"http://a.example/1 ", "b.html": b"<html><a href='http://b.example/&amp;x'>x</a>"}
_SIGNS: Final = {
    "zip": ".zip",
    "tar": ".tar",
    "gzip": "gz",
    "bzip2": "bz2",
    "xz": "xz",
    "zstd": "zst",
    "msg": ".msg",
}


def source_seeds() -> Iterator[tuple[str, bytes]]:
    """Yield inputs to begin with, by target."""
    for name, data in test_mutations.ALL.items():
        if len(data) > 20_000:
            continue
        yield "auto", b"\0\x40" + data
        kind = {"eml": "mail", "mbox": "mail", "xml": "xml", "html": "html"}.get(name.rpartition(".")[2])
        if kind is not None:
            yield kind, b"\0\x40" + data
        if kind == "mail":
            yield "messages", data
    for name, pack in CONTAINERS.items():
        for target, sign in _SIGNS.items():
            if name.endswith(sign) and (target != "tar" or name == "a.tar"):
                yield target, b"\0\x40" + pack(_SMALL)
    yield "msg", b"\0\x40" + test_mutations.ALL["a.msg"]
    yield "mail", b"\0\x10" + _MHTML
    yield "messages", _MHTML
    yield "html", b"\0\x40" + test_mutations.FILES["b.html"] + b"<base href=http://b.example/><img srcset='a 1x, b 2x'>"
    yield "journal", b"\0\x40" + test_mutations.JOURNAL
    yield "json", b'\0\x40{"a": ["http://a.example/\\u0026x", {"b": "http:\\/\\/b.example"}]}'
    for target in ("jsonl", "jsonl-rows"):
        yield target, b'\0\x40{"a": "http://a.example/"}\n{"b": ["http://b.example/"]}\n'
    yield "csv", b'\0\x40a,b\n"http://a.example/""x",http://b.example/\n'
    yield "tsv", b"\0\x40a\tb\nhttp://a.example/\thttp://b.example/\n"
    yield "warc", b"\0\x40" + _WARC
    yield "auto", b"\0\x40" + _MARC
    for name in ("page.webarchive", "xml.webarchive", "Bookmarks.plist", "page.html"):
        yield "auto", b"\0\x40" + FILES[name]
    for first in (b"\0", b"\x41", b"\x81"):
        for data in (_WARC, _MHTML, test_mutations.JOURNAL, CONTAINERS["log.gz"](_SMALL), CONTAINERS["a.zip"](_SMALL)):
            yield "members", first + b"\0" + data
    for number in range(3):
        yield "compressed", bytes([number, 200]) + b"http://a.example/ " * 9
