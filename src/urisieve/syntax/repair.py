"""Repair: percent-encode characters that no identifier may hold, and map offsets back to the text before repair."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.syntax import grammar

__all__ = ["mended", "offset_before_repair", "repaired"]

# Matches up to the IP literal, whose brackets are the only ones that are not encoded: the literal of an authority, or
# that of SIP, which has no authority (RFC 3261 25.1).
_HEAD: Final = lazy_compile(
    r"[Ss][Ii][Pp][Ss]?:(?!//)(?>[^@\[\]#]*+@)?+(?P<sip>\[[0-9A-Fa-f:.]*\])"
    rf"|(?:{grammar.pattern('scheme')}):(?://(?:[^/?#@]*@)?(?P<host>\[[^\]/?#]*\])?)?"
)
_WRONG: Final = lazy_compile(r'[\x00-\x20"<>\\^`{|}\[\]\x7f]|%(?![0-9A-Fa-f]{2})')


def _wrong_characters(text: str) -> Iterator[re.Match[str]]:
    head = _HEAD.match(text)
    first = last = len(text)
    if head is not None and head.lastgroup is not None:
        first, last = head.span(head.lastgroup)
    yield from _WRONG.finditer(text, 0, first)
    yield from _WRONG.finditer(text, last)


def repaired(text: str) -> str:
    """Percent-encode brackets outside an IP literal, a "%" that begins no triplet, blanks, braces and the like."""
    pieces = []
    done = 0
    for wrong in _wrong_characters(text):
        pieces += [text[done : wrong.start()], f"%{ord(wrong[0]):02X}"]
        done = wrong.end()
    return "".join([*pieces, text[done:]])


def mended(text: str) -> str:
    """Percent-encode what no URI may hold in a text that stands behind its authority."""
    return _WRONG.sub(lambda wrong: f"%{ord(wrong[0]):02X}", text)


def offset_before_repair(text: str, offset: int) -> int:
    """Return the offset in `text` of the character that stands at `offset` in `repaired(text)`, in characters."""
    for count, wrong in enumerate(_wrong_characters(text)):
        start = wrong.start() + 2 * count  # where its triplet begins
        if offset < start:
            return offset - 2 * count
        if offset < start + 3:
            return wrong.start()
    return offset - (len(repaired(text)) - len(text))
