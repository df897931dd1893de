"""The end of a bare candidate in the middle of a run, and the marks that a reader would not count as part of it.

A candidate that ends at a character that it may not hold (RFC 3986 2, RFC 2141 2.4) may be the beginning of what was
meant; the record says so. All functions here look at a bounded number of characters around the end.
"""

from __future__ import annotations

import re

from urisieve.find.finder.extent import closes_tag
from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.syntax.characters import BRACKETS, NOT_EXCLUDED, WRAPPERS

__all__ = [
    "BEHIND",
    "CONTINUES",
    "LINE_BREAKS",
    "LOOK_BACK",
    "before_second_link",
    "goes_on",
    "is_shortened",
    "may_go_on",
    "open_emphasis",
]

# How far before a candidate to look for the mark that opened an emphasis: less than the context that a search keeps.
LOOK_BACK: Final = 96
# What follows an excluded character goes on if it is not a blank, a closer or the end of a sentence; so many marks
# before it are skipped.
BEHIND: Final = 16
_BEHIND: Final = lazy_compile(f"[^{NOT_EXCLUDED}]{{1,{BEHIND}}}[.,;:!?']{{0,{BEHIND}}}")
_BEHIND_URN: Final = lazy_compile(f"(?:[&~]|[^{NOT_EXCLUDED}]){{1,{BEHIND}}}[.,;:!?']{{0,{BEHIND}}}")
_OPENERS: Final = frozenset(opener for opener in (*BRACKETS, *WRAPPERS) if opener > "\x7f")
# What follows then and goes on, besides letters and digits.
CONTINUES: Final = frozenset("-_~$&*+=@%/?#([")
_ELLIPSES: Final = ("…", "...", "[…", "[...")
LINE_BREAKS: Final = "\n\r\x85\u2028\u2029"
_SECOND_LINK: Final = lazy_compile("'(?=(?:https?|ftp)://)", re.IGNORECASE)
_SECTION: Final = lazy_compile("[/?#]")
_MARKS: Final = ("**", "__", "~~")
_BEFORE_MARK: Final = ("", " ", "\t", "(", "[", "{", '"', "'", ">", "“", "‘", "«")
_BEHIND_MARK: Final = ("(", "[", '"', "'", "“", "‘", "«")


def is_shortened(text: str, end: int) -> bool:
    """Report whether a candidate may have been shortened: an ellipsis follows it, or its line ends with its hyphen.

    >>> is_shortened("http://www.exam… more", 15), is_shortened("http://e.example/a-b", 20)
    (True, False)
    """
    return text.startswith(_ELLIPSES, end) or (text[end - 1] == "-" and text[end : end + 1] in LINE_BREAKS)


def goes_on(text: str, stop: int, *, urn: bool) -> bool:
    """Report whether a run goes on after the excluded character at which a candidate ended.

    Args:
        text: the text around it.
        stop: the offset of that character, or the end of the text.
        urn: whether the candidate is a URN, which ends at more characters (RFC 2141 2.4).
    """
    if closes_tag(text, stop):
        return False
    if urn and text[stop : stop + 1].isalnum():  # beyond ASCII: other letters and digits end none
        return True
    if urn and text[stop : stop + 1] in _OPENERS:
        return text[stop + 1 : stop + 2].isalnum()  # RFC 2141 2.4: openers end a URN as other characters do
    behind = (_BEHIND_URN if urn else _BEHIND).match(text, stop)
    following = "" if behind is None else text[behind.end() : behind.end() + 1]
    return following.isalnum() or following in CONTINUES if following else False


def may_go_on(text: str, stop: int, *, urn: bool) -> bool:
    """Report whether more text is needed to answer `goes_on`."""
    if urn and text[stop : stop + 1] in _OPENERS:
        return stop + 1 == len(text)
    behind = (_BEHIND_URN if urn else _BEHIND).match(text, stop)
    return behind is not None and behind.end() == len(text)


def before_second_link(text: str, start: int, end: int) -> int:
    """Return the end of a candidate whose host runs into another link: `https://a.example'https://b.example`.

    Anywhere else an apostrophe is data, as in `?next='https://b.example'` (RFC 3986 2.2).

    Args:
        text: the text around it.
        start: where the authority begins.
        end: where the candidate ends otherwise.
    """
    second = _SECOND_LINK.search(text, start, end)
    if second is None or _SECTION.search(text, start, second.start()) is not None:
        return end
    return second.start()


def open_emphasis(text: str, start: int, end: int) -> str:
    """Return the character of the doubled mark that opened an emphasis before a candidate, on its line, or "".

    The mark that closes it is not part of a link: `**see http://e.example**`. One that opens stands before a word, not
    in it, and is not closed before the candidate or in it.

    Args:
        text: the text around it.
        start: where the candidate begins.
        end: where it ends, with the mark.
    """
    mark = text[end - 1] * 2
    if mark not in _MARKS or not text.endswith(mark, start, end):
        return ""
    before = text[max(0, start - LOOK_BACK) : start]
    before = before[before.rfind("\n") + 1 :]
    opened = before.rfind(mark)
    if opened < 0 or text.find(mark, start, end - 2) >= 0:
        return ""
    following = before[opened + 2 : opened + 3]
    is_open = before[:opened][-1:] in _BEFORE_MARK and (following.isalnum() or following in _BEHIND_MARK)
    return mark[0] if is_open else ""
