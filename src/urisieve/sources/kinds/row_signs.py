"""The signs of JSON and of tables; see `text_signs`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import islice

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.kinds.text_signs import Beginning

# ---------------------------------------------------------------- JSON


def json_sign(at: Beginning) -> Kind | bool:
    """Decide about JSON and JSON lines."""
    start, hint = at.start, at.hint
    is_named = hint is Kind.JSON or hint is Kind.JSONL
    if start[:1] not in _JSON_OPENERS and not (is_named and start[:1] == b'"'):
        return False
    found = json_start(start)
    if at.is_open and found.possible and not found.settled:
        return True
    if not (found.possible and (found.telling or is_named)):
        return Kind.TEXT
    lines = hint is Kind.JSONL if found.lines is None else found.lines and hint is not Kind.JSON
    return Kind.JSONL if lines else Kind.JSON


_JSON_OPENERS: Final = (b"{", b"[")


class Json(NamedTuple):
    """The result of examining the beginning of a text that may be JSON.

    Attributes:
        possible: whether all of the beginning can be JSON.
        telling: whether it holds a construct of JSON alone: a member, or a string in a list (`[1]` may be a footnote).
        lines: whether its first line is a whole value (JSON lines); None as long as that line has not ended.
        settled: whether this stays so, whatever follows.
        is_faulty: whether it is JSON up to a fault only.
    """

    possible: bool
    telling: bool = False
    lines: bool | None = None
    settled: bool = False
    is_faulty: bool = False


@cache
def _json_token() -> re.Pattern[bytes]:
    return re.compile(
        rb"""[ \t\r\n\x1e]*+(?:
        (?P<string>"(?>[^"\\]|\\.)*+")|(?P<open>[\[{])|(?P<close>[\]}])|(?P<mark>[,:])
        |(?P<scalar>(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null|NaN|-?Infinity)
        (?=[ \t\r\n,\]}]))
        |(?P<cut>"(?>[^"\\]|\\.)*+\\?\Z|[-+.0-9A-Za-z]++\Z|\Z))""",
        re.VERBOSE | re.DOTALL,
    )


def json_start(start: bytes) -> Json:
    """Examine whether a text with this beginning is JSON (RFC 8259).

    A fault does not make it another kind if a member of an object or an escaped slash comes before it: the
    reader reports the fault.

    Args:
        start: the first bytes, without white space before them.
    """
    token = _json_token().match
    opened = bytearray()  # the openers of the open objects and lists
    expects = "value"
    telling = False
    is_member = False
    offset = 0
    while True:
        found = token(start, offset)
        if found is None:
            return _faulty(start, offset, is_member)
        offset = found.end()
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
            return _after_value(start, offset, telling, is_member)


_OPENERS: Final = {b"}": b"{", b"]": b"["}


def _faulty(start: bytes, offset: int, is_member: bool) -> Json:
    """Return the result for a text that is not JSON from an offset on."""
    if not is_member and start.find(b"\\/", 0, offset) < 0:
        return Json(False)
    first, _, rest = start.partition(b"\n")
    return Json(True, True, len(first.strip()) > 1 and rest[:1] in (b"{", b"["), bool(rest), True)


def _after_value(start: bytes, offset: int, telling: bool, is_member: bool) -> Json:
    """Examine the text after the first value: the end of its line, or the beginning of another value."""
    rest = start[offset:].lstrip(b" \t\r")
    one_line = b"\n" not in start[:offset]
    if not rest:
        return Json(True, telling, None if one_line else False)
    if rest[:1] == b"\n":
        return Json(True, telling, one_line, True)
    return Json(is_member or rest[:1] in (b"{", b"[", b"\x1e"), telling, False, True)


# ---------------------------------------------------------------- tables


def table_sign(at: Beginning) -> Kind | bool:
    """Decide about CSV and TSV."""
    if at.is_open and is_table_open(at.start, at.hint):
        return True
    delimiter = table_delimiter(at.start, at.hint, whole=at.is_whole)
    if delimiter is None:
        return False
    return Kind.TSV if delimiter == "\t" else Kind.CSV


DELIMITERS: Final = ("\t", ",", ";")
# The number of rows that identify a table.
_ROWS: Final = 5
# A header and one row more could be any two lines.
_FEWEST: Final = 3
_NAME: Final = lazy_compile(r"[^\W\d](?:(?!://)[\w .:/#()%&°+@-]){0,58}(?<=[\w)%#])")
# The pattern of a possible name of a column.
_BEGUN_NAME: Final = lazy_compile(r'"*(?:[^\W\d](?:(?!://)[\w .:/#()%&°+@-]){0,58}"*)?')
_ANY_DELIMITER: Final = lazy_compile("[\t,;]")
# The contents of columns of data that are rare in sentences: numbers, dates, addresses, marks.
_DATUM: Final = lazy_compile(
    r"[-+]?[0-9][0-9.,:/ TZ+%-]*|[A-Za-z][A-Za-z0-9+.-]*://\S*|\S+@\S+\.\S+|true|false|yes|no|null|none|nan|n/a|-|",
    re.I,
)


def table_delimiter(start: bytes, hint: str | None = None, *, whole: bool = True) -> str | None:
    """Return the separator of cells in a table with this beginning; None if it is not a table, or in doubt.

    Without a hint it needs a header, and two rows more of as many cells with a column of data under it.

    Args:
        start: the first bytes.
        hint: `csv` or `tsv` if the name says so: then rows of as many cells are enough.
        whole: whether the last line ends where the bytes do.
    """
    line = start.partition(b"\n")[0]
    if hint != "csv" and b"," not in line and b"\t" not in line and b";" not in line:
        return None
    first = _first_line(start)
    if hint == "tsv":
        return "\t" if "\t" in first else None
    marks = sorted(filter(first.__contains__, DELIMITERS), key=first.count, reverse=True)
    if hint is None:
        marks = [mark for mark in marks if any(map(_is_header, _rows([first], mark, whole=True)))]
        if not marks:
            return None
    lines = start.decode("utf-8", "replace").splitlines(keepends=True)
    if not lines:
        return None
    for mark in marks:
        rows = _rows(lines, mark, whole=whole or (hint == "csv" and len(lines) == 1))
        if _is_table(rows, mark, named=hint == "csv"):
            return mark
    if hint == "csv" and not any(mark in line for mark in DELIMITERS for line in lines):
        return ","  # one column
    return None


def is_table_open(start: bytes, hint: str | None = None) -> bool:
    """Report whether the text after this beginning may make a table of it, or decide that it is not one."""
    if hint not in ("csv", "tsv") and b"\n" in start:
        first = _first_line(start)
        if not any(mark in first and _is_header(first.split(mark)) for mark in DELIMITERS):
            return False
    lines = start.decode("utf-8", "ignore").splitlines(keepends=True)  # the last character may be cut
    if not lines or (len(lines) == 1 and not lines[0].endswith("\n")):
        if hint in ("csv", "tsv") or not lines:
            return True
        *cells, last = _ANY_DELIMITER.split(lines[0].rstrip("\r"))
        return all(map(_NAME.fullmatch, _unquoted(cells))) and _BEGUN_NAME.fullmatch(last) is not None
    marks = [mark for mark in DELIMITERS if mark in lines[0]]
    if hint not in ("csv", "tsv"):
        marks = [mark for mark in marks if _is_header(lines[0].rstrip("\r\n").split(mark))]
    elif not marks and hint == "csv":
        return not any(mark in line for mark in DELIMITERS for line in lines)
    return any(len(_rows(lines, mark, whole=False)) < _ROWS for mark in marks)


def _first_line(start: bytes) -> str:
    """Return the first line, without what ends it."""
    lines = start.partition(b"\n")[0].decode("utf-8", "replace").splitlines()
    return lines[0] if lines else ""


def _rows(lines: Sequence[str], mark: str, *, whole: bool) -> list[list[str]]:
    """Return the first rows that are not empty, `_ROWS` at most, without a last one that may go on."""
    import csv

    try:
        rows = list(islice(filter(None, csv.reader(lines, delimiter=mark)), _ROWS + 1))
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
        return False  # a sentence has a blank after its comma
    return any(
        any(column[1:]) and all(map(_DATUM.fullmatch, column[1:])) and not _DATUM.fullmatch(column[0])
        for column in zip(*rows, strict=True)
    )


def _unquoted(cells: Sequence[str]) -> list[str]:
    return [cell.strip('"') for cell in cells]


def _is_header(row: Sequence[str]) -> bool:
    cells = _unquoted(row)
    return len(set(cells)) == len(cells) and all(map(_NAME.fullmatch, cells))
