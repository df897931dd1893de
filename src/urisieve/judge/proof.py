r"""Patterns that prove an http(s) link to be valid, without warnings, and canonical as it stands.

They prove less than `urisieve.judge.judge` knows, never more: what they do not match is judged the long way. A link
that they match has its text for canonical form (and "/" after it where it has no path), so that its record needs no
other work; nine links of ten in mail, logs and link lists are such. The tests hold both ways to the same answers.
"""

from __future__ import annotations

import re
from typing import Final

from urisieve.options import Level, Options, Repair
from urisieve.syntax import grammar

__all__ = ["LINK", "canonical_form", "proves_canonical"]

# A triplet that normalization leaves alone: upper-case digits, no unreserved character, not %00 (which has a warning).
_TRIPLET: Final = "%(?:0[1-9A-F]|1[0-9A-F]|2[0-9ABCF]|3[A-F]|40|5[B-E]|60|7[BCDF]|[89A-F][0-9A-F])"
# A name of at most 63 characters in lower case, so that no label is too long; no label begins or ends with a hyphen or
# has two in a row, so that none begins with "xn--"; the last one ends in a letter, so that it is no number.
_NAME: Final = r"(?=[a-z0-9.\-]{1,63}+(?![a-z0-9.\-]))(?:[a-z0-9]++[.\-])*+[a-z]++(?![a-z0-9.\-])"
_HOST: Final = rf"(?:{_NAME}|{grammar.pattern('IPv4address')}(?![a-z0-9.\-]))"
# A port that is neither empty nor a default one, has no leading zero and is at most 9999.
_PORT: Final = r"(?::(?!(?:80|443)(?![0-9]))[1-9][0-9]{0,3}+(?![0-9]))?+"


def _link(characters: str) -> str:
    """The pattern of what follows "//"; `characters` stand in all of path, query and fragment."""
    query = f"[{characters}.?]*+(?:{_TRIPLET}[{characters}.?]*+)*+"
    # No segment of the path begins with a dot, so that none is a dot segment; brackets come in pairs.
    pair = rf"\([{characters.replace('/', '')}.]*+\)"
    path = rf"/[{characters}]*+(?:(?:(?<!/)\.|{_TRIPLET}|{pair})[{characters}]*+)*+"
    return rf"{_HOST}{_PORT}(?:{path}(?:\?{query})?+(?:#{query})?+)?+"


# What follows "//", in text: without single quotes and brackets but in pairs, which the finder has to look at.
LINK: Final = _link(r"A-Za-z0-9\-_~!$&*+,;=:@/")
_WHOLE: Final = re.compile("https?://" + _link(r"A-Za-z0-9\-_~!$&'()*+,;=:@/"))


def proves_canonical(options: Options) -> bool:
    """Whether a proof by these patterns holds under these options."""
    return options.level == Level.SCHEME and not options.lossy and options.repair == Repair.OFF


def canonical_form(text: str) -> str | None:
    """The canonical form of a link that is canonical as it stands; None where that is not proved."""
    if _WHOLE.fullmatch(text) is None:
        return None
    return text if text.find("/", 8) > 0 else f"{text}/"
