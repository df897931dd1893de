"""Plain programs that read one carrier each, as a user writes them: `python -m benchmarks.plain_programs csv FILE`.

Each prints what a pattern finds in the texts of a carrier, or the URLs that its links lead to; nothing is validated.
`duckdb` and `polars` print the rows of CSV or JSON lines whose column `url` is new, by the text as it stands.
"""

from __future__ import annotations

import csv
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from xml.parsers.expat import ParserCreate

__all__ = ["PROGRAMS"]

_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"]+")
_LINKS = {"a": "href", "img": "src", "script": "src", "link": "href"}


def _put(text: str) -> None:
    for link in _PATTERN.findall(text):
        sys.stdout.write(f"{link}\n")


def _csv(path: Path) -> None:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                _put(cell)


def _walk(value: Any) -> None:
    if isinstance(value, str):
        _put(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            _put(key)
            _walk(inner)
    elif isinstance(value, list):
        for inner in value:
            _walk(inner)


def _jsonl(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        for line in file:
            _walk(json.loads(line))


def _json(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        _walk(json.load(file))


def _xml(path: Path) -> None:
    pieces: list[str] = []

    def end(*_: object) -> None:
        _put("".join(pieces))
        pieces.clear()

    def begin(_: str, attributes: dict[str, str]) -> None:
        end()
        for value in attributes.values():
            _put(value)

    parser = ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = pieces.append
    with path.open("rb") as file:
        parser.ParseFile(file)


def _page(source: bytes, base: str) -> None:
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(source)
    for node in tree.css("a,img,script,link"):
        link = node.attributes.get(_LINKS[node.tag or ""])
        if link:
            sys.stdout.write(f"{urljoin(base, link)}\n")
    _put(tree.text(separator=" "))


def _html(path: Path) -> None:
    _page(path.read_bytes(), "http://base.example/a/b")


def _warc(path: Path) -> None:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with path.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            _page(record.reader.read(), record.headers["WARC-Target-URI"])


PROGRAMS: dict[str, Callable[[Path], None]] = {
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
