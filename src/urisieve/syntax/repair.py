"""Repair: percent-encode what no identifier may hold, by option, and find the way back to the text as it stood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from urisieve.syntax import grammar

__all__ = ["place_before_repair", "repaired"]

# What stands before the IP literal whose brackets are the only ones that stay: that of an authority, and that of SIP,
# which has none (RFC 3261 25.1).
_HEAD: Final = re.compile(
    r"[Ss][Ii][Pp][Ss]?:(?!//)(?:[^@\[\]#]*+@)?+(?P<sip>\[[0-9A-Fa-f:.]*\])"
    rf"|(?:{grammar.pattern('scheme')}):(?://(?:[^/?#@]*@)?(?P<host>\[[^\]/?#]*\])?)?"
)
_WRONG: Final = re.compile(r'[\x00-\x20"<>\\^`{|}\[\]\x7f]|%(?![0-9A-Fa-f]{2})')


def _wrong_places(text: str) -> Iterator[re.Match[str]]:
    head = _HEAD.match(text)
    literal = None if head is None else head.lastgroup
    first, last = (len(text), len(text)) if head is None or literal is None else head.span(literal)
    yield from _WRONG.finditer(text, 0, first)
    yield from _WRONG.finditer(text, last)


def repaired(text: str) -> str:
    """The text with brackets outside an IP literal, a bad `%`, blanks, braces and the like percent-encoded."""
    pieces = []
    done = 0
    for wrong in _wrong_places(text):
        pieces += [text[done : wrong.start()], f"%{ord(wrong[0]):02X}"]
        done = wrong.end()
    return "".join([*pieces, text[done:]])


def place_before_repair(text: str, offset: int) -> int:
    """The offset in `text` of what stands at `offset` in `repaired(text)`."""
    for count, wrong in enumerate(_wrong_places(text)):
        place = wrong.start() + 2 * count  # where its triplet begins
        if offset < place:
            return offset - 2 * count
        if offset < place + 3:
            return wrong.start()
    return offset - (len(repaired(text)) - len(text))
