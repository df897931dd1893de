"""The sign of JSON; see `text_signs`."""

from __future__ import annotations

import re
from functools import cache

from urisieve.lean import Final, NamedTuple
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
