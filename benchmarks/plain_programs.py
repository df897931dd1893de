"""Plain programs that read one carrier each, as a user writes them: `python -m benchmarks.plain_programs csv FILE`.

Each prints what a pattern finds in the texts of a carrier, or the URLs that its links lead to; nothing is validated.
`duckdb` and `polars` print the rows of CSV or JSON lines whose column `url` is new, by the text as it stands.
"""

from __future__ import annotations

import csv
import json
import mailbox
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from xml.parsers.expat import ParserCreate

__all__ = ["JSON_LOADER", "PROGRAMS", "find", "find_all", "read_page"]

JSON_LOADER = "orjson" if find_spec("orjson") else "json"
"""What reads a line of JSON: `orjson` where it is installed."""
_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"]+")
_LINKS = {"a": "href", "img": "src", "script": "src", "link": "href"}


def find(text: str) -> None:
    """Print what the pattern finds."""
    for link in _PATTERN.findall(text):
        sys.stdout.write(f"{link}\n")


def _csv(path: Path) -> None:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                find(cell)


def find_all(value: Any) -> None:
    """Print what the pattern finds in the strings of a value of JSON."""
    if isinstance(value, str):
        find(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            find(key)
            find_all(inner)
    elif isinstance(value, list):
        for inner in value:
            find_all(inner)


def _jsonl(path: Path) -> None:
    loads = import_module(JSON_LOADER).loads
    with path.open(encoding="utf-8") as file:
        for line in file:
            find_all(loads(line))


def _json(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        find_all(json.load(file))


def _xml(path: Path) -> None:
    pieces: list[str] = []

    def end(*_: object) -> None:
        find("".join(pieces))
        pieces.clear()

    def begin(_: str, attributes: dict[str, str]) -> None:
        end()
        for value in attributes.values():
            find(value)

    parser = ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = pieces.append
    with path.open("rb") as file:
        parser.ParseFile(file)


def read_page(source: bytes, base: str) -> None:
    """Print where the links of a page lead, and what the pattern finds in its text."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(source)
    for node in tree.css("a,img,script,link"):
        link = node.attributes.get(_LINKS[node.tag or ""])
        if link:
            sys.stdout.write(f"{urljoin(base, link)}\n")
    find(tree.text(separator=" "))


def _html(path: Path) -> None:
    read_page(path.read_bytes(), "http://base.example/a/b")


def _warc(path: Path) -> None:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with path.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            read_page(record.reader.read(), record.headers["WARC-Target-URI"])


def _text(path: Path) -> None:
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            find(line)


def _mbox(path: Path) -> None:
    for message in mailbox.mbox(path, create=False):
        for part in message.walk():
            content = part.get_payload(decode=True)
            find(content.decode("latin-1") if isinstance(content, bytes) else "")


PROGRAMS: dict[str, Callable[[Path], None]] = {
    "text": _text,
    "mbox": _mbox,
    "csv": _csv,
    "jsonl": _jsonl,
    "json": _json,
    "xml": _xml,
    "html": _html,
    "warc": _warc,
}


def _duckdb(path: Path) -> None:
    import duckdb

    read, form = ("read_csv", "csv") if path.suffix == ".csv" else ("read_json", "json")
    rows = f"SELECT DISTINCT ON (url) * FROM {read}('{path}')"
    duckdb.connect(config={"threads": 1}).execute(f"COPY ({rows}) TO '/dev/stdout' (FORMAT {form})")


def _polars(path: Path) -> None:
    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars

    is_table = path.suffix == ".csv"
    rows = (polars.read_csv(path) if is_table else polars.read_ndjson(path)).unique("url", keep="first")
    (rows.write_csv if is_table else rows.write_ndjson)(sys.stdout.buffer)


_DISTINCT: dict[str, Callable[[Path], None]] = {"duckdb": _duckdb, "polars": _polars}

if __name__ == "__main__":
    (PROGRAMS | _DISTINCT)[sys.argv[1]](Path(sys.argv[2]))
