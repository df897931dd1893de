r"""Patterns that prove that an http(s) link is valid, has no warnings, and is canonical.

A link that they match is its own canonical form (with "/" appended if it has no path), so its record needs no other
work; that is so for nine of ten links in mail, logs and link lists. Any other text is judged by `urisieve.judge.judge`.
The patterns may miss a canonical link, but never match another text; tests compare the answers of both ways.
"""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.options import Level, Options, Repair, Spoofing
from urisieve.syntax import grammar

__all__ = ["canonical_form", "proves_canonical"]

# A triplet that normalization does not change: upper-case digits, not an unreserved character, not %00 (which has a
# warning).
_TRIPLET: Final = "%(?:0[1-9A-F]|1[0-9A-F]|2[0-9ABCF]|3[A-F]|40|5[B-E]|60|7[BCDF]|[89A-F][0-9A-F])"
# A name of at most 63 characters in lower case, so that no label is too long. No label begins or ends with a hyphen or
# has two in a row, so that none begins with "xn--". The last label ends with a letter, so that it is not a number.
_NAME: Final = r"(?=[a-z0-9.\-]{1,63}+(?![a-z0-9.\-]))(?>[a-z0-9]++[.\-])*+[a-z]++(?![a-z0-9.\-])"
_HOST: Final = rf"(?:{_NAME}|{grammar.pattern('IPv4address')}(?![a-z0-9.\-]))"
# A port that is neither empty nor the default of http or https, has no leading zero and is at most 9999.
_PORT: Final = r"(?>:(?!(?:80|443)(?![0-9]))[1-9][0-9]{0,3}+(?![0-9]))?+"


# What path, query and fragment may hold alike.
_CHARACTERS: Final = r"A-Za-z0-9\-_~!$&'()*+,;=:@/"
_QUERY: Final = f"[{_CHARACTERS}.?]*+(?>(?:{_TRIPLET})[{_CHARACTERS}.?]*+)*+"
# No segment of the path begins with a dot, so that none is a dot segment.
_PATH: Final = rf"/[{_CHARACTERS}]*+(?>(?:(?<!/)\.|{_TRIPLET})[{_CHARACTERS}]*+)*+"
_LINK: Final = lazy_compile(rf"https?://{_HOST}{_PORT}(?>{_PATH}(?>\?{_QUERY})?+(?>#{_QUERY})?+)?+")


def proves_canonical(options: Options) -> bool:
    """Report whether a proof by these patterns is valid under these options."""
    return (
        options.level == Level.SCHEME
        and not options.lossy
        and options.repair == Repair.OFF
        and options.spoofing == Spoofing.OFF
    )


def canonical_form(text: str) -> str | None:
    """Return the canonical form of a link that the patterns match; None if they do not match the text."""
    if _LINK.fullmatch(text) is None:
        return None
    return text if text.find("/", 8) > 0 else f"{text}/"
