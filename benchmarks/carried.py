"""The lines of a text in a carrier: pages, archives of them, tables, JSON lines; mail is one as it is."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.settings import Settings

__all__ = ["CARRIERS", "Carrier", "carried"]

_LINK: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"]+")
# Lines of a page in an archive.
_PAGE: Final = 150
_START: Final = "<!doctype html><html><body>\n"


class Carrier(NamedTuple):
    """How a text is carried.

    Attributes:
        kind: the kind of the text.
        ending: that of the file.
        write: writes the file from the lines of the text.
        program: that of `benchmarks.plain_programs` that reads it, "" for none.
    """

    kind: str
    ending: str
    write: Callable[[Iterator[str], Path], object]
    program: str


def _as_page(lines: Iterator[str], path: Path) -> None:
    _write(path, (_START, *lines))


def _links_as_page(lines: Iterator[str], path: Path) -> None:
    _write(path, (_START, *(f'<p>see <a href="{escape(line.strip())}">this</a> or that\n' for line in lines)))


def _as_archive(lines: Iterator[str], path: Path) -> None:
    def records() -> Iterator[str]:
        number = 0
        while page := "".join(line for _, line in zip(range(_PAGE), lines, strict=False)):
            number += 1
            body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{_START}{page}"
            yield (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://site{number}.example/a\r\n"
                f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{number:032d}>\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(body.encode('utf-8', 'surrogateescape'))}\r\n\r\n{body}\r\n\r\n"
            )

    _write(path, records())


def _rows(lines: Iterator[str]) -> Iterator[dict[str, object]]:
    for number, line in enumerate(lines):
        text = line.rstrip("\r\n").replace("\0", "")
        link = _LINK.search(text)
        yield {"id": number, "url": link[0] if link else "", "message": text, "n": number * 7}


def _as_csv(lines: Iterator[str], path: Path) -> None:
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        table = csv.DictWriter(file, ["id", "url", "message", "n"])
        table.writeheader()
        table.writerows(_rows(lines))


def _as_json_lines(lines: Iterator[str], path: Path) -> None:
    _write(path, (f"{json.dumps(row, ensure_ascii=False)}\n" for row in _rows(lines)))


def _write(path: Path, parts: Iterator[str] | tuple[str, ...]) -> None:
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.writelines(parts)


CARRIERS: Final[dict[str, Carrier]] = {
    "HTML": Carrier("html", "html", _as_page, "html"),
    "HTML of links": Carrier("urls", "html", _links_as_page, "html"),
    "WARC": Carrier("html", "warc", _as_archive, "warc"),
    "mail": Carrier("mail", "mbox", lambda lines, path: _write(path, lines), "mbox"),
    "CSV": Carrier("access", "csv", _as_csv, "csv"),
    "CSV of links": Carrier("urls", "csv", _as_csv, "csv"),
    "JSON lines": Carrier("access", "jsonl", _as_json_lines, "jsonl"),
    "JSON lines of links": Carrier("urls", "jsonl", _as_json_lines, "jsonl"),
}
"""The carriers, by what they are called."""


def carried(settings: Settings, name: str, origin: str, size: int) -> Path:
    """Return a file of a carrier with the lines of a text of so many bytes, made unless it is there."""
    carrier = CARRIERS[name]
    text = settings.made(f"{origin}{carrier.kind}", size)
    path = text.path.with_name(f"{text.path.stem}-{name.replace(' ', '-')}.{carrier.ending}")
    if not path.exists():
        with text.path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            carrier.write(iter(file), path)
    return path
