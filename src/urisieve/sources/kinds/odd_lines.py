"""Texts with something above or around: no one odd line decides what a file is.

A warning of a program precedes a page, a banner precedes lines of JSON, and a script encloses a document of JSON. What
is above is read as text by the reader of what is below, so that nothing is lost and offsets are those of the file.

The rules, for a file whose first line is of no kind:

- JSON lines are what most of its lines are: objects with a member, two at least; one is enough if the name says so.
- A page, a feed or another document of XML, a calendar, cards, or a JSON document follow up to `_ABOVE` lines of text;
  any number in what is examined of the file, if its name or type promises that kind.
- Rows of a table and the fields of a message follow lines that are of a kind, if none of the lines behind these is: a
  warning in HTML, one object of JSON.
- A stream that may keep its reader waiting has one line above, in which nothing can be an identifier: any other line is
  decided when it ends, whatever follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from urisieve.lean import Final, lazy_compile
from urisieve.sources.kinds.kind_table import Kind, ReaderRow
from urisieve.sources.kinds.text_signs import (
    MAIL,
    TABLES,
    Beginning,
    component_sign,
    has_tag,
    json_start,
    markup_of,
    may_be_tag,
    starts_page,
)

# Lines above in a file whose name promises nothing: a document that shows how a page begins says more before it does.
_ABOVE: Final = 3
# Lines of a file that promises more, and those of them that are tried: each may be examined to its end.
_MOST: Final = 1_000
_TRIES: Final = 16
_CONTROLS: Final = lazy_compile(rb"[\x00-\x20]*+")
_LEADING: Final = lazy_compile(rb"(?>[\x00-\x20]|\xef\xbb\xbf)*+")
_BLANKS: Final = b" \t\r\n\x1e"
# How a line begins from which on a text may be a document of JSON, markup, a calendar or cards.
_JSON_BEGINS: Final = rb'\{\s*(?:["}]|\Z)|\[\s*(?:[]"{\[0-9tfn-]|\Z)'
_TAG_BEGINS: Final = rb"<(?:[!?A-Za-z_\x80-\xff]|\Z)"
_OPENS_JSON: Final = lazy_compile(_JSON_BEGINS)
_OPENS_TAG: Final = lazy_compile(_TAG_BEGINS)
_OPENS_LINES: Final = lazy_compile(rb"BEGIN:|B(?:E(?:G(?:IN?)?)?)?\Z", re.I)
_OPENS: Final = lazy_compile(rb"%b|%b|BEGIN:|B(?:E(?:G(?:IN?)?)?)?\Z" % (_JSON_BEGINS, _TAG_BEGINS), re.I)
_JSON: Final = (Kind.JSON, Kind.JSONL)
# The kinds that may be below more lines if a name says so.
_PROMISED: Final = {
    **dict.fromkeys(_JSON, _OPENS_JSON),
    **dict.fromkeys((Kind.HTML, Kind.XML), _OPENS_TAG),
    **dict.fromkeys((Kind.CALENDAR, Kind.VCARD), _OPENS_LINES),
}
# A line that may be of a kind whose first line is, and the most lines that are above a table or a message.
_PROPERTY: Final = lazy_compile(rb"[A-Za-z][A-Za-z0-9.-]*[;:]|[ \t]")
_OF_KIND: Final[dict[ReaderRow, Callable[[bytes], object]]] = {
    **dict.fromkeys((Kind.HTML, Kind.XML), has_tag),
    Kind.JSONL: lambda line: line[:1] in (b"{", b"["),
    **dict.fromkeys((Kind.CALENDAR, Kind.VCARD, Kind.LDIF), lambda line: _PROPERTY.match(line)),
}
_MOST_OF_KIND: Final = 16
# Lines of JSON that show that a stream goes on with them.
_SURE: Final = 2
_SHORTEST: Final = len(b'{"":1}')
# What may be an identifier, with or without a scheme.
_SPEAKS: Final = lazy_compile(rb"[A-Za-z][A-Za-z0-9+.-]{1,60}:\S|[A-Za-z0-9-]\.[A-Za-z]|@|//")
# What precedes a document of JSON that a script, or a page by a script, may read: a line that is no script, a name that
# it is assigned to, a function that is called with it.
_NAME: Final = rb"[A-Za-z_$][\w$]{0,99}(?:\.[A-Za-z_$][\w$]{0,99}|\[[^\]\n]{1,99}\]){0,9}"
_AROUND: Final = lazy_compile(
    rb"(?:\)\]\}',?\s*|(?:for\s?\(;;\)|while\s?\(1\));\s*|(?:(?:var|let|const)\s{1,9})?%b\s{0,9}=\s{0,9}"
    rb"|(?:/\*\*/\s{0,9})?%b\s{0,9}\(\s{0,9})(?=[\[{])" % (_NAME, _NAME)
)
_MAY_BE_AROUND: Final = lazy_compile(
    rb"(?:\)(?:\](?:\}(?:',?\s*)?)?)?|(?:for|while)\s?(?:\([;1]*(?:\);?\s*)?)?"
    rb"|/\*?\*?|[\w$.\[\]\"'/* \t]*=?[ \t]*\(?[ \t]*)\Z"
)
_AFTER: Final = lazy_compile(r"\s*\)?\s*;?\s*")


def beneath(at: Beginning) -> Kind | bool:
    """Decide about a text whose first line is of no kind; see `text_signs` for what is returned."""
    around = _AROUND.match(at.start)
    if around is not None and (found := _document(at, at.start[around.end() :])) is not False:
        return found
    if at.is_open and _MAY_BE_AROUND.match(at.start):
        return True
    if at.hint is Kind.HTML:  # nobody waits for the first line of a page: a stream is looked at as far as a file
        if has_tag(at.head):
            return Kind.HTML
        if at.is_open:
            return True
    if not at.is_live and _are_json_lines(at):
        return Kind.JSONL
    return _below(at)


def behind_its_kind(at: Beginning, found: ReaderRow, sign: Callable[[Beginning], ReaderRow | bool]) -> ReaderRow | None:
    """Return what a text is by the lines behind the first ones, if these alone are of a kind that was found; else None.

    Args:
        at: the text.
        found: the kind of its first line.
        sign: decides about a text by its first line.
    """
    hint, begins = at.hint, at.start
    if starts_page(begins) or (found is Kind.TEXT and hint not in (*TABLES, *MAIL)):  # see `beneath`
        return None
    below = beneath(at) if hint in _PROMISED else False
    if isinstance(below, Kind) and _is_promised(hint, below):
        return below
    belongs = _OF_KIND.get(found)
    if belongs is None and found is not Kind.TEXT:
        return None
    lines = begins.split(b"\n")
    last = max((number for number, line in enumerate(lines) if belongs is not None and belongs(line)), default=0)
    if last >= _MOST_OF_KIND or last + 1 >= len(lines):
        return None
    # A message has more than a field that is enough where its name says so.
    rest = Beginning(b"\n".join(lines[last + 1 :]), None if hint in MAIL else hint, is_open=False, is_whole=at.is_whole)
    kind = sign(rest)
    if kind is Kind.TEXT or not isinstance(kind, Kind):
        return None
    return kind if _is_promised(hint, kind) else None


def _is_promised(hint: ReaderRow | None, kind: ReaderRow) -> bool:
    return hint is None or kind is hint or any(kind in some and hint in some for some in (TABLES, MAIL, _JSON))


def _below(at: Beginning) -> Kind | bool:
    """Decide by the lines after the first ones."""
    start = at.start
    promised = _PROMISED.get(at.hint) if isinstance(at.hint, Kind) else None
    is_named = promised is not None
    most = (_ABOVE if is_named else 1) if at.is_live else (_MOST if is_named else _ABOVE)
    offset = tries = 0
    for number in range(most + 1):
        opens = _OPENS if promised is None or number <= _ABOVE else promised
        if number and opens.match(start, offset) is not None and tries < _TRIES:
            tries += 1
            found = _begins(at, start[offset:])
            if found is not False or (promised is None and start[offset] in b"{["):
                return found
        if number == most:
            return False
        end = start.find(b"\n", offset)
        if at.is_live and not is_named and _SPEAKS.search(start, offset, end if end >= 0 else len(start)):
            return False
        offset = _next_line(start, offset)
        if offset == len(start):
            return at.is_open
    return False


def _next_line(text: bytes, offset: int) -> int:
    """Return the offset of the next line that is not blank; that of the end if there is none."""
    end = text.find(b"\n", offset)
    blanks = None if end < 0 else _CONTROLS.match(text, end)
    return len(text) if blanks is None else blanks.end()


def _begins(at: Beginning, rest: bytes) -> Kind | bool:
    """Decide about a text whose rest begins with an opener of a tag, a component, or JSON."""
    if rest[:1] == b"<":
        if at.is_open:
            return may_be_tag(rest)
        return markup_of(rest, at.hint, is_below=True) or False
    if rest[:1] not in b"{[":
        return component_sign(rest, is_open=at.is_open)
    if at.is_live:
        lines = _lines_of_stream(at, rest)
        if lines is not False:
            return lines
    return _document(at, rest)


# ---------------------------------------------------------------- JSON


def _document(at: Beginning, rest: bytes) -> Kind | bool:
    """Decide about a text of which all but the first bytes may be a document of JSON."""
    text = rest.decode("utf-8", "replace")
    end = _end_of_value(text)
    if end is not None:
        is_all = '"' in text[:end] and _AFTER.fullmatch(text, end) is not None
        return (at.is_open or Kind.JSON) if is_all or at.hint in _JSON else False
    found = json_start(rest)
    if not found.possible:
        return False
    if at.hint in _JSON:
        return at.is_open or Kind.JSON
    goes_on = not found.is_faulty and (at.is_open or (found.telling and not at.is_whole))
    return goes_on and (at.is_open or Kind.JSON)


def _end_of_value(text: str) -> int | None:
    """Return the offset of the end of the value that a text begins with; None if there is no end in it."""
    import json

    try:
        return json.JSONDecoder(strict=False).raw_decode(text)[1]
    except (ValueError, RecursionError):
        return None


def _is_object(line: bytes) -> bool:
    """Report whether a line is an object with a member."""
    if line[:1] != b"{" or line[-1:] != b"}" or len(line) < _SHORTEST:
        return False
    return _end_of_value(line.decode("utf-8", "replace")) is not None


def _is_begun(line: bytes) -> bool:
    """Report whether a line that is cut may be an object with a member."""
    found = json_start(line)
    return line[:1] == b"{" and found.possible and not found.is_faulty


def _are_json_lines(at: Beginning) -> bool:
    """Report whether most lines are objects; of a file that is cut, the last line counts if it may be one."""
    if b"\n{" not in at.start:
        return False
    *lines, last = [line.strip(_BLANKS) for line in at.start.split(b"\n")]
    number = sum(map(_is_object, lines))
    total = sum(map(bool, lines))
    if last and (at.is_whole or _is_begun(last)):
        number += _is_object(last) if at.is_whole else 1
        total += 1
    if at.hint is Kind.JSONL:
        return number > 0
    return number >= _SURE and (2 * number > total or (at.hint is Kind.JSON and 2 * number == total))


def _lines_of_stream(at: Beginning, rest: bytes) -> Kind | bool:
    """Decide about a stream by the lines after the first one."""
    *lines, last = rest.split(b"\n")
    if not at.is_open:
        lines.append(last)
    for number, line in enumerate(filter(None, (line.strip(_BLANKS) for line in lines)), 1):
        if not _is_object(line):
            return False
        if number == (1 if at.hint is Kind.JSONL else _SURE):
            return Kind.JSONL
    return at.is_open and (not last.strip() or _is_begun(last.strip(_BLANKS)))


# ---------------------------------------------------------------- where it begins


def json_begins(head: bytes) -> int:
    """Return how many bytes precede the document in a text that is read as JSON; 0 if none is found.

    Args:
        head: the first bytes of the text, in UTF-8.
    """
    start = _leading(head)
    around = _AROUND.match(head, start)
    if around is not None:
        return around.end()
    if head[start : start + 1] == b'"':
        return 0
    return _first_line(head, start, _OPENS_JSON, lambda rest: json_start(rest).possible)


def xml_begins(head: bytes) -> int:
    """Return how many bytes precede the document in a text that is read as XML; 0 if none is found."""
    start = _leading(head)
    if head[start : start + 1] == b"<":
        return 0
    return _first_line(head, start, _OPENS_TAG, lambda rest: markup_of(rest, Kind.XML, is_below=True) is not None)


def _leading(head: bytes) -> int:
    """Return the number of bytes at the beginning of a text that do not count."""
    found = _LEADING.match(head)
    return 0 if found is None else found.end()


def _first_line(head: bytes, start: int, opens: re.Pattern[bytes], begins: Callable[[bytes], bool]) -> int:
    """Return the offset of the first line that begins as a pattern and a function say; 0 if nothing is above it.

    Args:
        head: the first bytes of a text.
        start: the offset of its first line.
        opens: the pattern of the first bytes of a line.
        begins: returns whether a document begins so.
    """
    offset = start
    tries = 0
    while tries < _TRIES and offset < len(head):
        if opens.match(head, offset) is not None:
            tries += 1
            if begins(head[offset:]):
                return offset if offset > start else 0
        offset = _next_line(head, offset)
    return 0
