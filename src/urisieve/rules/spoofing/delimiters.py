"""Look-alikes of the delimiters of a URI: what ends a host for the reader, and not for the program."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category, normalize

from urisieve.lean.hints import Final
from urisieve.rules.spoofing.skeletons import prototypes

__all__ = ["HOST_ENDS", "delimiter_like", "look_alikes"]

# A dot, and the delimiters of RFC 3986 3.2 that end a host or what stands before it; browsers take a backslash for one.
HOST_ENDS: Final = frozenset("./:?#@\\")
# What the data have no or another prototype for: dots by UTS 46 4 (IDNA), and full stops of scripts that draw them like
# a dot or a dash.
_DOTS: Final = frozenset("\u3002\uff0e\uff61\u06d4\u0589")
# Letters, digits and marks that look like a delimiter are common in words of their script, as U+30CE in Japanese.
_IN_WORDS: Final = ("L", "M", "N")
# A bound on the cache of characters: the alphabets of a text.
_MEMORY: Final = 4_096


@lru_cache(_MEMORY)
def delimiter_like(character: str) -> str | None:
    """Return the delimiter that a character beyond ASCII looks like; None if it looks like none."""
    if character.isascii():
        return None
    if character in _DOTS:
        return "."
    prototype = prototypes().get(ord(character))
    if prototype in HOST_ENDS:
        return prototype
    # A compatibility form, such as U+FF0F, or U+2100, which holds a slash.
    return next((one for one in normalize("NFKC", character) if one in HOST_ENDS), None)


def look_alikes(text: str, wanted: frozenset[str] = HOST_ENDS) -> dict[str, str]:
    """Return the characters of a text that look like one of the wanted delimiters, and which.

    A letter, digit or mark counts only where ASCII stands on both sides of it: in a word of its own script it is read
    as what it is.
    """
    found = {}
    for index, character in enumerate(text):
        like = delimiter_like(character)
        if like is None or like not in wanted:
            continue
        if category(character)[0] in _IN_WORDS:
            around = text[max(0, index - 1) : index] + text[index + 1 : index + 2]
            if not around.isascii():
                continue
        found[character] = like
    return found
