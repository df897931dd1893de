"""Count links a second way, and print each that one way has and the other lacks.

    python tools/count_links.py FILE|FOLDER...              differences, and a table by kind
    python tools/count_links.py --summary FOLDER            the table alone

The second way shares nothing with the readers of urisieve: `html.parser`, `xml.etree`, `json`, `csv`, `email`,
`mailbox`, `sqlite3` and unfolded lines give texts and attributes, and one plain pattern finds links with `://`,
`mailto:` and `urn:` in them; a file of any other kind is text. Compared are the spellings of each file, as often as
they come. A difference is `extent` if both have a link there that ends or begins elsewhere, `rejected` if urisieve
names it with a reason, else `missing`; `ours` is what the second way lacks. Returns 1 if a link is missing.
"""

from __future__ import annotations

import argparse
import csv
import email.policy
import json
import mailbox
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

# A place in a file, and a text that stands there.
Text = tuple[str, str]
# The spellings of links with the first place of each.
Links = Counter[str]

# All but blanks, controls and what RFC 3986 2 leaves out, up to `](` of Markdown.
_CHARACTER = r"(?:(?!\]\()[^\s<>\"\\^`{|}\x00-\x1f\x7f])"
_LINK = re.compile(
    rf"(?<![A-Za-z0-9])(?:[a-z][a-z0-9+.-]++://|mailto:(?=[^\s<>@]+@)|urn:[a-z0-9][a-z0-9-]+:){_CHARACTER}+",
    re.IGNORECASE,
)
_ENDS = ".,;:!?'*_`|\\^’”“‘»«…"
_PAIRS = {")": "(", "]": "[", "}": "{"}
# Elements that do not end a word; the types and namespaces of documents are no links in them, for both ways.
_INLINE = frozenset(
    [
        *("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del"),
        *("dfn", "em", "font", "i", "ins", "kbd", "mark", "q", "s"),
        *("samp", "small", "span", "strong", "sub", "sup", "tt", "u", "var"),
    ]
)
_KINDS = {
    "html": "html htm xhtml", "xml": "xml rss atom svg opml rdf kml gpx xsd", "json": "json ipynb geojson har",
    "jsonl": "jsonl ndjson", "csv": "csv", "tsv": "tsv", "lines": "ics vcf vcard ldif ifb", "mail": "eml",
    "mbox": "mbox", "marc": "mrc", "sqlite": "sqlite sqlite3 db",
}  # fmt: skip
# The first fields of a message, among them one that other files do not have.
_FIELDS = re.compile(
    rb"(?:[A-Za-z-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){0,60}?(?:Received|Return-Path|Message-ID|From):", re.IGNORECASE
)
_BY_ENDING = {ending: kind for kind, endings in _KINDS.items() for ending in endings.split()}


def links_in(text: str) -> Iterator[str]:
    """Yield the links that a plain pattern finds in a text."""
    for found in _LINK.finditer(text):
        link = found[0]
        while link and (
            link[-1] in _ENDS or (link[-1] in _PAIRS and link.count(link[-1]) > link.count(_PAIRS[link[-1]]))
        ):
            link = link[:-1]
        if not link.endswith("://") and ":" in link:
            yield link


class _Page(HTMLParser):
    """Collects the texts and the values of attributes of a page; what stands in a line is one text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[Text] = []
        self._run: list[str] = []

    def flush(self) -> None:
        """End a run of text."""
        self.texts.append((f"line {self.getpos()[0]}", "".join(self._run)))
        self._run = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE:
            self.flush()
        line = self.getpos()[0]
        self.texts += [(f"line {line} {tag}@{name}", value) for name, value in attrs if value and name[:5] != "xmlns"]

    def handle_endtag(self, tag: str) -> None:
        if tag not in _INLINE:
            self.flush()

    def handle_data(self, data: str) -> None:
        self._run.append(data)

    def handle_comment(self, data: str) -> None:
        self.texts.append((f"line {self.getpos()[0]} #comment", data))

    unknown_decl = handle_comment


def _of_html(text: str) -> Iterator[Text]:
    page = _Page()
    page.feed(text)
    page.close()
    page.flush()
    yield from page.texts


def _html(data: bytes) -> Iterator[Text]:
    return _of_html(_decoded(data))


def _xml(data: bytes) -> Iterator[Text]:
    builder = ElementTree.TreeBuilder(insert_comments=True, insert_pis=True)
    for element in ElementTree.fromstring(data, ElementTree.XMLParser(target=builder)).iter():
        name = element.tag if isinstance(element.tag, str) else "#comment"
        for key, value in element.attrib.items():
            yield f"{name}@{key}", value
        for text in (element.text, element.tail):
            if text:
                is_page = re.search(r"<[a-z]+[^<>]*\s[a-z]+=", text) is not None
                yield from (
                    ((f"{name} / {place}", inner) for place, inner in _of_html(text)) if is_page else [(name, text)]
                )


def _values(value: Any, path: str) -> Iterator[Text]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path} key", key
            yield from _values(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner, f"{path}[]")


def _json(data: bytes) -> Iterator[Text]:
    return _values(json.loads(data), "")


def _jsonl(data: bytes) -> Iterator[Text]:
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            yield from _values(json.loads(line), f"line {number} ")


def _table(delimiter: str) -> Callable[[bytes], Iterator[Text]]:
    def texts(data: bytes) -> Iterator[Text]:
        for number, row in enumerate(csv.reader(_decoded(data).splitlines(keepends=True), delimiter=delimiter), 1):
            yield from ((f"row {number}", cell) for cell in row)

    return texts


def _lines(data: bytes) -> Iterator[Text]:
    unfolded = re.sub(rb"\r?\n[ \t]", b"", data)
    for number, line in enumerate(_decoded(unfolded).splitlines(), 1):
        yield f"unfolded line {number}", re.sub(r"\\([,;:\\])", r"\1", line.replace("\\n", "\n").replace("\\N", "\n"))


def _of_message(message: Any, place: str) -> Iterator[Text]:
    for part in message.walk():
        for name, value in part.items():
            yield f"{place}{name}", re.sub(r"\r?\n[ \t]+", " ", str(value))
        kind = part.get_content_type()
        if part.get_content_maintype() != "text":
            continue
        body = part.get_payload(decode=True) or b""
        try:
            text = body.decode(part.get_content_charset() or "utf-8", "replace")
        except LookupError:
            text = _decoded(body)
        yield from _of_html(text) if kind == "text/html" else [(f"{place}{kind}", text)]


def _mail(data: bytes) -> Iterator[Text]:
    return _of_message(email.message_from_bytes(data, policy=email.policy.compat32), "")


def _mbox(data: bytes) -> Iterator[Text]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        for number, message in enumerate(mailbox.mbox(file.name, create=False), 1):
            yield from _of_message(message, f"message {number} ")


def _marc(data: bytes) -> Iterator[Text]:
    for number, record in enumerate(data.split(b"\x1d"), 1):
        yield from ((f"record {number}", _decoded(value)) for value in re.split(rb"\x1e|\x1f.", record))


def _sqlite(data: bytes) -> Iterator[Text]:
    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(data)
        for table, sql in base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
            yield "sqlite_master", sql
            for row in base.execute(f'SELECT * FROM "{table}"'):
                yield from ((table, cell) for cell in row if isinstance(cell, str))


def _text(data: bytes) -> Iterator[Text]:
    for number, line in enumerate(_decoded(data).split("\n"), 1):
        yield f"line {number}", line


def _decoded(data: bytes) -> str:
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")


_READ: dict[str, Callable[[bytes], Iterator[Text]]] = {
    "html": _html, "xml": _xml, "json": _json, "jsonl": _jsonl, "csv": _table(","), "tsv": _table("\t"),
    "lines": _lines, "mail": _mail, "mbox": _mbox, "marc": _marc, "sqlite": _sqlite, "text": _text,
}  # fmt: skip


def kind_of(path: Path, data: bytes) -> str:
    """Return the kind of a file as the second way sees it: by its ending, else by a sign that nothing else has."""
    start = data[:512].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "html"
    if start.startswith(b"<?xml"):
        return "html" if b"<html" in start else "xml"
    if data.startswith(b"SQLite format 3\0"):
        return "sqlite"
    if re.match(rb"\d{5}[ -~]{4}[ a]22", data):
        return "marc"
    if start.startswith((b"begin:v", b"dn:", b"version: 1\ndn:")):
        return "lines"
    if data.startswith(b"From "):
        return "mbox"
    if _FIELDS.match(data):
        return "mail"
    return _BY_ENDING.get(path.suffix[1:].lower(), "text")


def second_way(path: Path) -> tuple[str, Links, dict[str, str]]:
    """Return the kind of a file, its links, and where each stands first."""
    data = path.read_bytes()
    kind = kind_of(path, data)
    try:
        texts = list(_READ[kind](data))
    except (ValueError, SyntaxError, csv.Error, sqlite3.Error, LookupError):
        kind, texts = f"{kind}, broken", list(_text(data))
    links: Links = Counter()
    places: dict[str, str] = {}
    for place, text in texts:
        for link in links_in(text):
            links[link] += 1
            places.setdefault(link, place)
    return kind, links, places


def our_way(paths: list[Path]) -> tuple[dict[str, Links], dict[tuple[str, str], str]]:
    """Return the spellings that urisieve finds in each file, the valid and the invalid, with the reasons of these."""
    links: dict[str, Links] = defaultdict(Counter)
    reasons: dict[tuple[str, str], str] = {}
    with tempfile.TemporaryDirectory() as folder:
        listed, out, rejected = (Path(folder) / name for name in ("list", "out", "rejected"))
        listed.write_text("".join(f"{path}\n" for path in paths))
        command = ["-m", "urisieve", "extract", "--quiet", "--format", "jsonl", "--files-from", str(listed)]
        command += ["--read", "all-parts", "--show-passwords", "--output", str(out), "--rejected", str(rejected)]
        subprocess.run([sys.executable, *command], check=False)  # a damaged file is no failure of the comparison
        names = {str(path) for path in paths}
        for file in (out, rejected):
            for line in file.read_text("utf-8").splitlines():
                row = json.loads(line)
                if "raw" not in row:  # what was broken or skipped, not what was rejected
                    continue
                source = row["source"]
                while source not in names and "!" in source:
                    source = source.rpartition("!")[0]
                if file is out:
                    links[source][row["raw"]] += 1
                else:
                    reasons[source, row["raw"]] = row["reason"]
    return links, reasons


def _same(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one) or one in other or other in one


def compare(path: Path, ours: Links, reasons: dict[str, str]) -> tuple[str, Counter[str], list[str]]:
    """Return the kind of a file, the number of links by class, and a line for each difference."""
    kind, theirs, places = second_way(path)
    counts = Counter(files=1, second=theirs.total(), urisieve=ours.total())
    lines: list[str] = []
    more = ours - theirs
    for link, number in (theirs - ours).items():
        near = next((one for one in more if _same(one, link) and link not in reasons), None)
        refused = next((reason for raw, reason in reasons.items() if _same(raw, link)), None)
        if near is not None:
            difference, detail = "extent", f"urisieve: {near}"
            more[near] -= min(more[near], number)
            more += Counter()
        elif refused is not None:
            difference, detail = "rejected", refused
        elif ours[link] or any(_same(one, link) for one in ours):
            difference, detail = "fewer", f"{ours[link]} of {theirs[link]}"
        else:
            difference, detail = "missing", ""
        counts[difference] += number
        lines.append(f"{difference}\t{path}\t{places[link]}\t{number}\t{link}\t{detail}")
    for link, number in more.items():
        counts["ours"] += number
        lines.append(f"ours\t{path}\t\t{number}\t{link}\t")
    return kind, counts, lines


_CLASSES = ("files", "second", "urisieve", "extent", "rejected", "fewer", "missing", "ours")


def main(argv: list[str]) -> int:
    """Compare, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", type=Path, nargs="+", metavar="FILE|FOLDER")
    parser.add_argument("--summary", action="store_true", help="print the table alone")
    given = parser.parse_args(argv)
    paths = [path for top in given.paths for path in ([top] if top.is_file() else sorted(top.rglob("*")))]
    paths = [path for path in dict.fromkeys(paths) if path.is_file()]
    links, reasons = our_way(paths)
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for path in paths:
        refused = {raw: reason for (source, raw), reason in reasons.items() if source == str(path)}
        kind, counts, lines = compare(path, links[str(path)], refused)
        totals[kind] += counts
        if not given.summary:
            print(*lines, sep="\n", end="\n" if lines else "")
    print("| kind |", " | ".join(_CLASSES), "|")
    print("| --- |", " | ".join(["---:"] * len(_CLASSES)), "|")
    for kind, counts in sorted(totals.items()):
        print(f"| {kind} |", " | ".join(f"{counts[name]:,}" for name in _CLASSES), "|")
    return 1 if any(counts["missing"] for counts in totals.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
