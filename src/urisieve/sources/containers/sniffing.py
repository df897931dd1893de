"""Kinds of text by how they begin: JSON, tables, XML.

Each function is asked about the beginning of a text and says no where there is any doubt: prose that holds commas, a
log line in brackets or a source file must stay text. A name that says what a file is settles the doubt where the
content allows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

__all__ = ["DELIMITERS", "Json", "hinted", "is_table_open", "is_xml", "json_start", "table_delimiter"]

# The endings of names that say what text holds (by habit, and by RFC 4180 3, RFC 8259 11, RFC 7303 9).
_HINTS: Final = {
    "csv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "json": "json",
    "geojson": "json",
    "jsonld": "json",
    "ipynb": "json",
    "har": "json",
    "webmanifest": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "ldjson": "jsonl",
    "xml": "xml",
    "rss": "xml",
    "atom": "xml",
    "svg": "xml",
    "rdf": "xml",
    "owl": "xml",
    "opml": "xml",
    "kml": "xml",
    "gpx": "xml",
    "xsd": "xml",
    "xsl": "xml",
    "xslt": "xml",
    "wsdl": "xml",
    "xlf": "xml",
    "html": "html",
    "htm": "html",
    "xhtml": "html",
}
# Endings that come behind one of these.
_LAYERS: Final = frozenset(["gz", "bz2", "xz", "zst", "z", "zstd"])
_LONGEST_ENDING: Final = 12


def hinted(name: str) -> str | None:
    """What the ending of a name says that the text of the file is; None if it says nothing."""
    stem, dot, ending = name.rpartition(".")
    ending = ending[:_LONGEST_ENDING].lower()
    if dot and ending in _LAYERS:
        _, dot, ending = stem.rpartition(".")
        ending = ending[:_LONGEST_ENDING].lower()
    return _HINTS.get(ending) if dot else None


# ---------------------------------------------------------------- JSON


class Json(NamedTuple):
    """How a text begins that may be JSON.

    Attributes:
        possible: whether all that there is of it is the beginning of JSON.
        telling: whether it holds what nothing but JSON does: a member, or a string in a list (`[1]` may be a footnote).
        lines: whether its first line is a whole value (JSON lines); None as long as that line has not ended.
    """

    possible: bool
    telling: bool = False
    lines: bool | None = None


_NO_JSON: Final = Json(False)


@cache
def _json_token() -> re.Pattern[bytes]:
    return re.compile(
        rb"""[ \t\r\n\x1e]*+(?:
        (?P<string>"(?:[^"\\]|\\.)*+")|(?P<open>[\[{])|(?P<close>[\]}])|(?P<mark>[,:])
        |(?P<scalar>(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null|NaN|-?Infinity)
        (?=[ \t\r\n,\]}]))
        |(?P<cut>"(?:[^"\\]|\\.)*+\\?\Z|[-+.0-9A-Za-z]++\Z|\Z))""",
        re.VERBOSE | re.DOTALL,
    )


def json_start(start: bytes) -> Json:
    """Whether a text that begins so is JSON, at least its beginning (RFC 8259).

    A fault makes nothing else of it, if a member of an object or an escaped slash stands before that: it is for the
    reader to say what is broken.

    Args:
        start: the first bytes, without white space before them.
    """
    token = _json_token().match
    opened = bytearray()  # the openers of what is open
    expects = "value"
    telling = False
    is_member = False
    place = 0
    while True:
        found = token(start, place)
        if found is None:
            return _faulty(start, place, is_member)
        place = found.end()
        kind, text = found.lastgroup, found[found.lastgroup or 0]
        if kind == "cut":
            return Json(True, telling)
        if kind == "string" and expects in ("key", "key or end"):
            expects = "colon"
            continue
        if kind in ("string", "scalar", "open") and expects in ("value", "value or end"):
            telling = telling or kind == "string"
            if kind == "open":
                opened += text
                expects = "key or end" if text == b"{" else "value or end"
                continue
        elif kind == "close" and expects.endswith("end") and opened[-1:] == _OPENERS[text]:
            del opened[-1]
        elif text == b":" and expects == "colon":
            telling = is_member = True
            expects = "value"
            continue
        elif text == b"," and expects == "comma or end":
            expects = "key" if opened[-1:] == b"{" else "value"
            continue
        else:
            return _faulty(start, found.start(), is_member)
        expects = "comma or end"
        if not opened:
            return _after_value(start, place, telling, is_member)


_OPENERS: Final = {b"}": b"{", b"]": b"["}


def _faulty(start: bytes, place: int, is_member: bool) -> Json:
    """A text that is not JSON from a place on."""
    if not is_member and start.find(b"\\/", 0, place) < 0:
        return _NO_JSON
    first, _, rest = start.partition(b"\n")
    return Json(True, True, len(first.strip()) > 1 and rest[:1] in (b"{", b"["))


def _after_value(start: bytes, place: int, telling: bool, is_member: bool) -> Json:
    """What follows the first value: the end of its line, or the beginning of another value."""
    rest = start[place:].lstrip(b" \t\r")
    one_line = b"\n" not in start[:place]
    if not rest:
        return Json(True, telling, None if one_line else False)
    if rest[:1] == b"\n":
        return Json(True, telling, one_line)
    return Json(is_member or rest[:1] in (b"{", b"[", b"\x1e"), telling, False)


# ---------------------------------------------------------------- tables

DELIMITERS: Final = ("\t", ",", ";")
# So many rows of a table tell it.
_ROWS: Final = 5
# A header and one row more would be any two lines.
_FEWEST: Final = 3
_NAME: Final = re.compile(r"[^\W\d](?:(?!://)[\w .:/#()%&°+@-]){0,58}(?<=[\w)%#])")
# What may become the name of a column.
_BEGUN_NAME: Final = re.compile(r'"?(?:[^\W\d](?:(?!:/)[\w .:/#()%&°+@-]){0,58}"?)?')
_ANY_DELIMITER: Final = re.compile("[\t,;]")
# What stands in columns of data and not in sentences: numbers, dates, addresses, marks.
_DATUM: Final = re.compile(
    r"[-+]?[0-9][0-9.,:/ TZ+%-]*|[A-Za-z][A-Za-z0-9+.-]*://\S*|\S+@\S+\.\S+|true|false|yes|no|null|none|nan|n/a|-|",
    re.I,
)


def table_delimiter(start: bytes, hint: str | None = None, *, whole: bool = True) -> str | None:
    """What separates the cells of a table that begins so; None where it is none, or where that is in doubt.

    Without a hint it needs a header, and two rows more of as many cells with a column of data under it.

    Args:
        start: the first bytes.
        hint: `csv` or `tsv` where the name says so: then rows of as many cells are enough.
        whole: whether the last line ends where the bytes do.
    """
    text = start.decode("utf-8", "replace")
    lines = text.splitlines(keepends=True)
    if not lines:
        return None
    if hint == "tsv":
        return "\t" if "\t" in lines[0] else None
    counts = {mark: lines[0].count(mark) for mark in DELIMITERS if mark in lines[0]}
    for mark in sorted(counts, key=counts.__getitem__, reverse=True):
        rows = _rows(lines, mark, whole=whole or (hint == "csv" and len(lines) == 1))
        if _is_table(rows, mark, named=hint == "csv"):
            return mark
    if hint == "csv" and not any(mark in line for mark in DELIMITERS for line in lines):
        return ","  # one column
    return None


def is_table_open(start: bytes, hint: str | None = None) -> bool:
    """Whether what follows a text that begins so may make a table of it, or decide that it is none."""
    line, end, _ = start.partition(b"\n")
    if hint not in ("csv", "tsv"):
        text = line.decode("utf-8", "replace").rstrip("\r")
        if not end:
            *cells, last = _ANY_DELIMITER.split(text)
            return all(map(_NAME.fullmatch, _unquoted(cells))) and _BEGUN_NAME.fullmatch(last) is not None
        if not any(mark in text and _is_header(text.split(mark)) for mark in DELIMITERS):
            return False
    return sum(not line.isspace() for line in start.split(b"\n")[:-1] if line) < _ROWS


def _rows(lines: Sequence[str], mark: str, *, whole: bool) -> list[list[str]]:
    import csv

    try:
        rows = [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []
    return (rows if whole else rows[:-1])[:_ROWS]


def _is_table(rows: Sequence[Sequence[str]], mark: str, *, named: bool) -> bool:
    if not rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return False
    if named:
        return True
    if len(rows) < _FEWEST or not _is_header(rows[0]):
        return False
    if mark != "\t" and any(cell.startswith(" ") for row in rows for cell in row):
        return False  # a sentence has a blank behind its comma
    return any(
        any(column[1:]) and all(map(_DATUM.fullmatch, column[1:])) and not _DATUM.fullmatch(column[0])
        for column in zip(*rows, strict=True)
    )


def _unquoted(cells: Sequence[str]) -> list[str]:
    return [cell.strip('"') for cell in cells]


def _is_header(row: Sequence[str]) -> bool:
    cells = _unquoted(row)
    return len(set(cells)) == len(cells) and all(map(_NAME.fullmatch, cells))


# ---------------------------------------------------------------- XML

# The roots of what is met without a declaration.
_ROOTS: Final = (
    rb"rss|feed|urlset|sitemapindex|svg|rdf:RDF|OAI-PMH|opml|kml|gpx|TEI|mods|modsCollection|marc:collection|atom:feed"
    rb"|soap:Envelope|SOAP-ENV:Envelope|plist|manifest|resources"
)


@cache
def _xml() -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    name = rb"[A-Za-z_\x80-\xff][-A-Za-z0-9_.:\x80-\xff]*+"
    return (
        re.compile(rb"<\?xml\s++version\s*+="),
        re.compile(
            rb"(?:<!--(?:(?!-->).){0,3000}-->\s*+|<\?%b[^>]{0,500}>\s*+)*+"
            rb"(?:<!DOCTYPE\s++(?!html[\s>])%b|<(?:%b)[\s/>]|<%b\s[^<>]{0,2000}?\bxmlns(?::%b)?\s*=)"
            % (name, name, _ROOTS, name, name),
            re.DOTALL,
        ),
        re.compile(rb"<(?:[?!]|%b(?:\s++%b\s*+=\s*+[\"']|\s*+/?>))" % (name, name)),
    )


def is_xml(start: bytes, hint: str | None = None) -> bool:
    """Whether a text that begins so is XML: a declaration, a document type, or a root that has a namespace.

    Args:
        start: the first bytes, without white space before them.
        hint: `xml` where the name says so: then any tag is enough.
    """
    declared, root, tag = _xml()
    if declared.match(start) or root.match(start):
        return True
    return hint == "xml" and tag.match(start) is not None
