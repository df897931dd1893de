"""Carriers beside plain programs, or beside their bytes as text: JSON, feeds, pages, WET, mail, archives, data sets.

The carriers of `benchmarks.carried` are measured by `benchmarks.sizes` beside plain programs.

Each row is a ratio of processor times of whole commands, start-up included, in one run; texts are made from a seed.
"""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import sys
import tarfile
from collections.abc import Callable, Iterator
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.markdown import number, table
from benchmarks.measure import median, turns
from benchmarks.settings import Settings
from benchmarks.words import Words

__all__ = ["carrier", "copies", "report"]

_DEDUPE = [sys.executable, "-m", "urisieve", "dedupe", "--quiet", "--jobs", "1", "--field", "url"]
_EXTRACT = [sys.executable, "-m", "urisieve", "extract", "--quiet", "--jobs", "1"]
_BASE = "http://base.example/a/b"
# The size of each text, in bytes; those of `Settings` are for texts that go at the speed of a disk.
_SIZE = 10_000_000
_MEMBERS = 10_000
_MEMBER = 4_096
# Rows of a data set, and the share of those whose link is new.
_ROWS = 300_000
_NEW = 0.4


class _Row(NamedTuple):
    """A row of the table: what is measured, beside what, the two commands, and the ratio that is allowed."""

    name: str
    peer: str
    ours: list[str]
    theirs: list[str]
    bar: float | None = None


def report(settings: Settings) -> Iterator[str]:
    """One table: our processor time where that of the peer is 1."""
    rows = []
    for row in _rows(settings.folder):
        runs = turns({"ours": row.ours, "theirs": row.theirs}, settings.runs)
        ours, theirs = median(runs["ours"]), median(runs["theirs"])
        names = {"table": "Carriers", "row": row.name, "column": f"beside {row.peer}"}
        ratio = settings.cell(ours.cpu / theirs.cpu, row.bar, **names)
        cells = [number(ours.cpu), number(theirs.cpu), ratio, number(ours.peak)]
        rows.append([row.name, row.peer, *cells])
    head = ["carrier", "beside", "s", "s of the other", "ratio", "peak MB"]
    yield (
        "Carriers, processor time of whole commands on one core (a plain program reads the carrier with a library and "
        f"searches by a pattern):\n\n{table(head, rows, left=2)}"
    )


def _rows(folder: Path) -> Iterator[_Row]:
    made = {name: carrier(folder, name) for name in _FILES}

    def beside_plain(name: str, title: str, peer: str, *flags: str) -> _Row:
        plain = [sys.executable, "-m", "benchmarks.plain_programs", name, str(made[name])]
        return _Row(title, peer, [*_EXTRACT, *flags, str(made[name])], plain, 1.0)

    yield beside_plain("json", "a JSON document", "`json` and a pattern")
    yield beside_plain("xml", "a feed", "expat and a pattern")
    if find_spec("selectolax"):
        yield beside_plain("html", "HTML with a base", "selectolax and `urljoin`", "--base", _BASE)
    page = str(made["html"])
    yield _Row("HTML with a base", "the same without", [*_EXTRACT, "--base", _BASE, page], [*_EXTRACT, page])
    for name, title in (("wet", "WET"), ("wet.gz", "WET in gzip")):
        text = [*_EXTRACT, "--input", "text", str(made["wet"])]
        yield _Row(title, "its bytes as text", [*_EXTRACT, str(made[name])], text)
    mail = str(made["mbox"])
    yield _Row("mail of MIME parts", "its bytes as text", [*_EXTRACT, mail], [*_EXTRACT, "--input", "text", mail], 3.0)
    few = str(made["few.tar.gz"])
    name = f"{_MEMBERS:,} files of 4 KB in a tar.gz"
    yield _Row(name, "the same bytes in one file of it", [*_EXTRACT, str(made["tar.gz"])], [*_EXTRACT, few])
    for kind in ("csv", "jsonl"):
        rows = str(made[f"rows.{kind}"])
        for module, peer in (("duckdb", "DuckDB"), ("polars", "Polars")):
            if find_spec(module):
                plain = [sys.executable, "-m", "benchmarks.plain_programs", module, rows]
                title = f"`dedupe --input {kind} --field`"
                yield _Row(title, f"{peer}, distinct", [*_DEDUPE, "--input", kind, rows], plain, 1.0)


def carrier(folder: Path, name: str) -> Path:
    """A file of a kind, made unless it is there."""
    path = folder / f"carrier.{name}"
    if not path.exists():
        _FILES[name](path)
    return path


def copies(folder: Path, name: str, count: int) -> Path:
    """A folder with copies of a file of a kind."""
    made = folder / f"many-{name}"
    if not made.exists():
        made.mkdir()
        data = carrier(folder, name).read_bytes()
        for index in range(count):
            (made / f"{index:02}.{name}").write_bytes(data)
    return made


def _until(size: int, made: Callable[[], str]) -> Iterator[str]:
    total = 0
    while total < size:
        text = made()
        total += len(text)
        yield text


def _rows_of_data() -> Iterator[dict[str, object]]:
    words = Words("rows")
    links: list[str] = []
    for index in range(_ROWS):
        if not links or words.random.random() < _NEW:
            links.append(words.link())
            link = links[-1]
        else:
            link = words.random.choice(links)
        yield {"id": index, "name": words.text(1), "url": link, "note": words.text(6), "n": index * 7}


def _rows_csv(path: Path) -> None:
    with path.open("w", newline="") as file:
        rows = csv.DictWriter(file, ["id", "name", "url", "note", "n"])
        rows.writeheader()
        rows.writerows(_rows_of_data())


def _rows_jsonl(path: Path) -> None:
    with path.open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in _rows_of_data())


def _record(words: Words, index: int) -> dict[str, object]:
    message = words.text(8) + (f" GET {words.link()}" if index % 2 else "")
    return {
        "id": index,
        "level": "info",
        "user": {"name": words.text(1), "tags": [words.text(1), words.text(1)]},
        "msg": message,
        "url": words.link(),
        "note": 'a "quoted" word' if index % 4 == 0 else "",
    }


def _json(path: Path) -> None:
    words = Words("json")
    path.write_text(json.dumps([_record(words, index) for index in range(_SIZE // 300)], indent=1))


def _xml(path: Path) -> None:
    words = Words("xml")

    def item() -> str:
        return (
            f"<item><title>{words.text(6)}</title><link>{words.link()}</link><description>{words.text(40)} see "
            f'{words.link()}?a=1&amp;b=2</description><enclosure url="{words.link()}" length="1"/></item>\n'
        )

    path.write_text(f'<?xml version="1.0"?>\n<rss><channel>{"".join(_until(_SIZE, item))}</channel></rss>')


def _page(words: Words, size: int) -> str:
    def part() -> str:
        link = words.path() if words.random.random() < 0.8 else escape(words.link())
        return (
            f'<p class="x">{words.text(30)} <a href="{link}">{words.text(3)}</a> <img src="{words.path()}.png"></p>\n'
        )

    return f"<!doctype html><html><body>{''.join(_until(size, part))}</body></html>"


def _html(path: Path) -> None:
    path.write_text(_page(Words("html"), _SIZE))


def _records(kind: str, bodies: Iterator[str]) -> Iterator[bytes]:
    for index, body in enumerate(bodies):
        data = body.encode()
        if kind == "response":
            data = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + data
        head = (
            f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://site{index}.example/a\r\n"
            f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{index:032d}>\r\n"
            f"Content-Type: {'application/http; msgtype=response' if kind == 'response' else 'text/plain'}\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        yield head.encode() + data + b"\r\n\r\n"


def _warc(path: Path) -> None:
    words = Words("warc")
    path.write_bytes(b"".join(_records("response", _until(_SIZE, lambda: _page(words, 20_000)))))


def _wet_records() -> Iterator[bytes]:
    words = Words("wet")

    def text() -> str:
        return "\n".join(
            f"{words.text(12)}{f' {words.link()}' if words.random.random() < 0.2 else ''}" for _ in range(50)
        )

    return _records("conversion", (text() for _ in range(4_000)))


def _wet(path: Path) -> None:
    path.write_bytes(b"".join(_wet_records()))


def _wet_gz(path: Path) -> None:
    path.write_bytes(b"".join(gzip.compress(record, 6) for record in _wet_records()))


def _mbox(path: Path) -> None:
    words = Words("mail")

    def message() -> str:
        plain = f"{words.text(60)}\n{words.link()}\n"
        page = _page(words, 1_500)
        packed = base64.encodebytes(f"{words.text(80)} {words.link()}\n".encode()).decode()
        parts = (
            f"Content-Type: text/plain; charset=utf-8\n\n{plain}",
            f"Content-Type: text/html; charset=utf-8\n\n{page}",
            f"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{packed}",
        )
        return (
            "From a@b.example Mon Jan  5 10:00:00 2026\nFrom: a@b.example\nSubject: x\nMIME-Version: 1.0\n"
            'Content-Type: multipart/mixed; boundary="z"\n\n'
            + "".join(f"--z\n{part}\n" for part in parts)
            + "--z--\n\n"
        )

    path.write_text("".join(_until(_SIZE, message)))


def _members() -> Iterator[bytes]:
    words = Words("tar")
    for _ in range(_MEMBERS):
        text = f"{words.text(700)}\n{words.link()}\n"
        yield text.encode()[-_MEMBER:]


def _tar_gz(path: Path) -> None:
    with tarfile.open(path, "w:gz", compresslevel=6) as archive:
        for index, data in enumerate(_members()):
            _add(archive, f"d/{index}.txt", data)


def _few_tar_gz(path: Path) -> None:
    with tarfile.open(path, "w:gz", compresslevel=6) as archive:
        _add(archive, "all.txt", b"\n".join(_members()))


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


_FILES: dict[str, Callable[[Path], None]] = {
    "json": _json,
    "xml": _xml,
    "html": _html,
    "warc": _warc,
    "wet": _wet,
    "wet.gz": _wet_gz,
    "mbox": _mbox,
    "tar.gz": _tar_gz,
    "few.tar.gz": _few_tar_gz,
    "rows.csv": _rows_csv,
    "rows.jsonl": _rows_jsonl,
}
