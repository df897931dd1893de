"""Large files of every kind that can be made.

Where a kind is compressed or an archive, its size is that of what is in it.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import tarfile
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from benchmarks import document_files
from benchmarks.words import Words

__all__ = ["KINDS", "MemoryFile", "make"]

# What is repeated, in bytes; the same of what is compressed at once, so that it gets small; a member of an archive.
_PART = 1_000_000
_COMPRESSED_PART = 20_000
_MEMBER = 4_096
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_BODY = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=z\n\n--z\nContent-Type: text/plain\n\n"


class MemoryFile(NamedTuple):
    """A kind of file.

    Attributes:
        ending: that of its name.
        write: writes a file with so many bytes in it.
    """

    ending: str
    write: Callable[[Path, int], object]


def make(kind: MemoryFile, size: int, folder: Path) -> Path:
    """Return the path of a new file of a kind with so many bytes in it."""
    path = folder / f"memory.{kind.ending}"
    path.unlink(missing_ok=True)
    kind.write(path, size)
    return path


def _repeated(made: Callable[[Words], str], size: int, part_size: int = _PART) -> Iterator[bytes]:
    """Yield so many bytes of what a function makes, the same part again and again."""
    words = Words("memory")
    texts: list[str] = []
    length = 0
    while length < min(size, part_size):
        texts.append(made(words))
        length += len(texts[-1])
    part = "".join(texts).encode()
    for _ in range(max(1, size // len(part))):
        yield part


def _plain(made: Callable[[Words], str], before: str = "", after: str = "") -> Callable[[Path, int], object]:
    """Return what writes a file of repeated parts with something before and after them."""

    def write(path: Path, size: int) -> None:
        with path.open("wb") as file:
            file.write(before.encode())
            file.writelines(_repeated(made, size))
            file.write(after.encode())

    return write


def _row(words: Words) -> list[str]:
    """Return the cells of a row of a table."""
    return [str(words.random.randrange(10**6)), words.text(2), words.link(), f"{words.text(250)} {words.link()}."]


def _page(words: Words) -> str:
    """Return a paragraph of a page."""
    return (
        f'<p class="x">{words.text(150)} <a href="{words.path()}">{words.text(3)}</a> <img src="{words.link()}.png">'
        f" see {words.link()}</p>\n"
    )


def _csv(words: Words) -> str:
    return ",".join(_row(words)) + "\n"


def _quoted_csv(words: Words) -> str:
    return ",".join(f'"a ""b"" {cell}"' for cell in _row(words)) + "\n"


def _log(words: Words) -> str:
    return f'10.0.0.1 - - [21/Nov/2026:03:10:14 +0000] "GET {words.path()} HTTP/1.1" 200 9 "{words.link()}" "Mozilla"\n'


def _record(words: Words) -> dict[str, object]:
    number, name, link, text = _row(words)
    return {"id": int(number), "user": {"name": name, "tags": [name]}, "url": link, "text": f'{text} "x"'}


def _nodes(words: Words) -> str:
    return (
        f'<g id="a"><a xlink:href="{words.link()}"><text x="1" y="2">{words.text(5)}</text></a>'
        f'<path d="M {" ".join(str(words.random.randrange(900)) for _ in range(20))}"/></g>\n'
    )


def _item(words: Words) -> str:
    inner = escape(f'<p class="x">{words.text(100)} <a href="{words.link()}">{words.text(2)}</a></p>')
    return (
        f"<item><title>{words.text(6)}</title><link>{words.link()}</link><description>{inner}</description>"
        f'<enclosure url="{words.path()}" length="1"/></item>\n'
    )


def _element(words: Words) -> str:
    link = f'<b href="{words.link()}?a&amp;b">{words.text(3)}</b>'
    return f'<row n="1"><a>{words.text(250)} {words.link()}</a>{link}</row>\n'


def _html_page(words: Words) -> str:
    return f"<!doctype html><html><body>{''.join(_page(words) for _ in range(50))}</body></html>"


def _message(words: Words) -> str:
    packed = base64.encodebytes(f"{words.text(80)} {words.link()}\n".encode()).decode()
    return (
        f"From a@b.example Mon Jan  5 10:00:00 2026\nFrom: a@b.example\nSubject: {words.text(3)}\n{_BODY}"
        f"{words.text(250)}\n{words.link()}\n--z\nContent-Type: text/html\n\n{_page(words)}\n"
        f"--z\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{packed}\n--z--\n\n"
    )


def _message_with_table(words: Words) -> str:
    rows = base64.encodebytes("".join(_csv(words) for _ in range(100)).encode()).decode()
    name = 'Content-Disposition: attachment; filename="a.csv"'
    return (
        f"From a@b.example Mon Jan  5 10:00:00 2026\nFrom: a@b.example\nSubject: {words.text(3)}\n{_BODY}"
        f"{words.text(250)}\n--z\nContent-Type: text/csv\nContent-Transfer-Encoding: base64\n{name}\n\n{rows}\n"
        "--z--\n\n"
    )


def _compressed(
    made: Callable[[Words], str], before: str, after: str = "", opened: Any = gzip.open
) -> Callable[[Path, int], object]:
    """Return what writes compressed repeated parts, with something before and after them."""

    def write(path: Path, size: int) -> None:
        with opened(path, "wb") as file:
            file.write(before.encode())
            for part in _repeated(made, size, _COMPRESSED_PART):
                file.write(part)
            file.write(after.encode())

    return write


def _attached(ending: str, write_inner: Callable[[Path, int], object]) -> Callable[[Path, int], object]:
    """Return what writes a message with a file attached."""

    def write(path: Path, size: int) -> None:
        write_inner(path, size)
        data = base64.encodebytes(path.read_bytes()).decode()
        path.write_text(
            f"From: a@b.example\nSubject: x\n{_BODY}x\n--z\nContent-Type: application/gzip\nContent-Transfer-Encoding: "
            f'base64\nContent-Disposition: attachment; filename="a.{ending}"\n\n{data}\n--z--\n'
        )

    return write


def _warc(kind: str, made: Callable[[Words], str]) -> Callable[[Words], str]:
    def record(words: Words) -> str:
        text = made(words)
        media_type = "text/plain"
        if kind == "response":
            text = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{text}"
            media_type = "application/http; msgtype=response"
        return (
            f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {words.link()}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:{words.random.randrange(10**9):032d}>\r\nContent-Type: {media_type}\r\n"
            f"Content-Length: {len(text)}\r\n\r\n{text}\r\n\r\n"
        )

    return record


def _prose(words: Words) -> str:
    return f"{words.text(250)}\n{words.text(9)} <{words.link()}>.\n"


def _zip(path: Path, size: int) -> None:
    part = b"".join(_repeated(_csv, min(size, _PART), _COMPRESSED_PART))
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(max(1, size // len(part))):
            archive.writestr(f"d/{number}.csv", part)


def _tar(path: Path, size: int) -> None:
    with tarfile.open(path, "w") as archive:
        for number, part in enumerate(_repeated(_prose, size)):
            for start in range(0, len(part), _MEMBER):
                data = part[start : start + _MEMBER]
                entry = tarfile.TarInfo(f"{number}/{start}.txt")
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))


def _document(kind: str) -> Callable[[Path, int], object]:
    """Return what writes a document of a kind, with the same paragraphs again and again."""

    def write(path: Path, size: int) -> None:
        made = document_files.paragraphs(_COMPRESSED_PART)
        document_files.KINDS[kind](path, made * max(1, size // _COMPRESSED_PART))

    return write


def _event(words: Words) -> str:
    return (
        f"BEGIN:VEVENT\r\nUID:{words.random.randrange(10**9)}@b.example\r\nDTSTART:20260101T100000Z\r\n"
        f"SUMMARY:{words.text(5)}\r\nURL:{words.link()}\r\nDESCRIPTION:{words.text(250)}\r\n  {words.link()}\r\n"
        "END:VEVENT\r\n"
    )


def _card(words: Words) -> str:
    return (
        f"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:{words.text(2)}\r\nURL:{words.link()}\r\nNOTE:{words.text(250)} "
        f"{words.link()}\r\nEND:VCARD\r\n"
    )


def _entry(words: Words) -> str:
    packed = base64.b64encode(f"{words.text(250)} {words.link()}".encode()).decode()
    return (
        f"dn: cn={words.random.randrange(10**9)},dc=b\ncn: {words.text(2)}\nlabeledURI: {words.link()}\n"
        f"description:: {packed}\n\n"
    )


def _journal(words: Words) -> str:
    return (
        f"__CURSOR=s={words.random.randrange(10**9)}\n__REALTIME_TIMESTAMP=1767607200000000\nPRIORITY=6\n"
        f"MESSAGE={words.text(250)} {words.link()}\n_PID=1\n\n"
    )


def _marc(words: Words) -> str:
    data = f"  \x1fa{words.text(250)}\x1fu{words.link()}\x1e"
    fields = ("856", "500")
    directory = "".join(f"{tag}{len(data):04}{number * len(data):05}" for number, tag in enumerate(fields)) + "\x1e"
    base = 24 + len(directory)
    return f"{base + 2 * len(data) + 1:05}nam a22{base:05}   4500{directory}{data}{data}\x1d"


def _reference(words: Words) -> str:
    name = f"{words.text(1)}{words.random.randrange(10**6)}"
    title = f"  title = {{{words.text(9)}}},\n"
    return f"@article{{{name},\n{title}  url = {{{words.link()}}},\n  note = {{{words.text(250)}}}\n}}\n"


_HEADER = "id,name,url,note\n"
_AROUND = (f"{_XML}<rows>", "</rows>")

KINDS: dict[str, MemoryFile] = {
    "text": MemoryFile("txt", _plain(_prose)),
    "log": MemoryFile("log", _plain(_log)),
    "URLs": MemoryFile("urls.txt", _plain(lambda words: f"{words.link()}\n")),
    "CSV": MemoryFile("csv", _plain(_csv, _HEADER)),
    "CSV with quotation marks": MemoryFile("csv", _plain(_quoted_csv, _HEADER)),
    "TSV": MemoryFile("tsv", _plain(lambda words: "\t".join(_row(words)) + "\n", "id\tname\turl\tnote\n")),
    "JSON lines": MemoryFile("jsonl", _plain(lambda words: json.dumps(_record(words)) + "\n")),
    "a JSON document": MemoryFile("json", _plain(lambda words: f",\n{json.dumps(_record(words))}", "[1", "]")),
    "a JSON object": MemoryFile(
        "json", _plain(lambda words: f",\n{json.dumps(_record(words))}", '{"name": "x", "rows": [1', "]}")
    ),
    "XML": MemoryFile("xml", _plain(_element, *_AROUND)),
    "SVG": MemoryFile(
        "svg",
        _plain(
            _nodes,
            f'{_XML}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">',
            "</svg>",
        ),
    ),
    "a feed": MemoryFile("rss", _plain(_item, f"{_XML}<rss><channel>", "</channel></rss>")),
    "HTML": MemoryFile("html", _plain(_page, "<!doctype html><html><body>", "</body></html>")),
    "a mailbox": MemoryFile("mbox", _plain(_message)),
    "a mailbox with tables": MemoryFile("mbox", _plain(_message_with_table)),
    "a message with CSV in gzip": MemoryFile("eml", _attached("csv.gz", _compressed(_csv, _HEADER))),
    "a message with XML in gzip": MemoryFile("eml", _attached("xml.gz", _compressed(_element, *_AROUND))),
    "WARC": MemoryFile("warc", _plain(_warc("response", _html_page))),
    "WET": MemoryFile("wet", _plain(_warc("conversion", _prose))),
    "CSV in gzip": MemoryFile("csv.gz", _compressed(_csv, _HEADER)),
    "CSV in bzip2": MemoryFile("csv.bz2", _compressed(_csv, _HEADER, opened=bz2.open)),
    "CSV in xz": MemoryFile("csv.xz", _compressed(_csv, _HEADER, opened=lzma.open)),
    "XML in gzip": MemoryFile("xml.gz", _compressed(_element, *_AROUND)),
    "zip of CSV": MemoryFile("zip", _zip),
    "tar": MemoryFile("tar", _tar),
    "a calendar": MemoryFile("ics", _plain(_event, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", "END:VCALENDAR\r\n")),
    "cards": MemoryFile("vcf", _plain(_card)),
    "LDIF": MemoryFile("ldif", _plain(_entry, "version: 1\n\n")),
    "a journal": MemoryFile("journal", _plain(_journal)),
    "MARC": MemoryFile("mrc", _plain(_marc)),
    "BibTeX": MemoryFile("bib", _plain(_reference)),
    **{ending: MemoryFile(ending, _document(ending)) for ending in document_files.KINDS},
}
