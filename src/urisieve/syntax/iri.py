"""The mappings between IRIs and URIs (RFC 3987 3.1 and 3.2).

The module also defines:

- repair: percent-encode characters that no identifier may contain, and map offsets back to the text before repair;
- the end of a SICI in a DOI name, which no URI may contain as it is: `<0130:DNF>2.0.CO;2` (ANSI/NISO Z39.56-1996).

A SICI is an item (ISSN, chronology, enumeration), a contribution in angle brackets (location, title code) and a control
segment with a check character. Publishers made DOI names of them; some wrote square brackets instead. Without its
contribution the name of a paper is that of all papers of a volume: so it stays whole wherever a DOI is known, and is
percent-encoded in the canonical form (DOI Handbook, "DOI Name Encoding Rules for URL Presentation"). An HTML tag is no
contribution: its name begins with a letter (HTML 13.1.2), and no control segment follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.syntax import grammar

# LRM, RLM, LRE, RLE, PDF, LRO, RLO of RFC 3987 4.1, and the controls added to Unicode later (ALM and the isolates).
BIDI_CONTROLS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# The characters that RFC 3987 3.2 step 4 calls "not appropriate": bidi controls, spaces, characters that look like a
# space or are invisible, and U+FFFD.
_HIDDEN: Final = lazy_compile(
    f"[{BIDI_CONTROLS}\u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200b\u2028\u2029\u202f\u205f-\u2065"
    "\u206a-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]"
)
_RUNS: Final = lazy_compile(r"[\x00-\x7f]++|[^\x00-\x7f]++")
_TRIPLETS: Final = lazy_compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
_HEX: Final = [f"%{octet:02X}" for octet in range(256)]


def _triplets(run: str) -> str:
    return f"%{run.encode('utf-8', 'surrogatepass').hex('%').upper()}"


def encoded(text: str) -> str:
    """Map every non-ASCII character to the triplets of its UTF-8 octets (RFC 3987 3.1 step 2); NFC is not applied."""
    if text.isascii():
        return text
    return "".join([run if run.isascii() else _triplets(run) for run in _RUNS.findall(text)])


# Most characters of `ucschar` (RFC 3987 2.2), without bidi controls and right-to-left letters, for the kernel: no rule
# of RFC 3987 4 applies to text made of them. What the class does not contain is written, which compiles far faster.
ORDINARY: Final = lazy_compile(
    "[^\x80-\x9f\u0590-\u08ff\u200e\u200f\u2028-\u202f\u2060-\u206f\ud800-\ufeff\ufff0-\U0001efff\U0001fb00-\U0010ffff]*+"
)


def decoded(text: str, rule: str) -> str:
    """Map triplets to characters if they are the UTF-8 of characters that a component may contain (RFC 3987 3.2).

    Octets that are not UTF-8 and characters that should not be shown stay as triplets, in upper case. Triplets of ASCII
    characters do not change. The result maps back to the same URI, except for the case of triplets.

    Args:
        text: a component of a URI.
        rule: the rule of the characters of that component, such as `querychar`.
    """
    if "%" not in text:
        return text
    allowed = _allowed(rule)

    def replacement(match: re.Match[str]) -> str:
        octets = bytes.fromhex(match[0].replace("%", ""))
        shown = []
        for character in octets.decode("utf-8", "surrogateescape"):
            if "\udc80" <= character <= "\udcff":
                shown.append(_HEX[ord(character) - 0xDC00])
            elif allowed.match(character) and not _HIDDEN.match(character):
                shown.append(character)
            else:
                shown.append(encoded(character))
        return "".join(shown)

    return _TRIPLETS.sub(replacement, text)


@cache
def _allowed(rule: str) -> re.Pattern[str]:
    return re.compile(f"[{grammar.pattern(rule, iri=True)}]")


# Matches up to the IP literal, whose brackets are the only ones that are not encoded: the literal of an authority, or
# that of SIP, which has no authority (RFC 3261 25.1).
_HEAD: Final = lazy_compile(
    r"[Ss][Ii][Pp][Ss]?:(?!//)(?>[^@\[\]#]*+@)?+(?P<sip>\[[0-9A-Fa-f:.]*\])"
    rf"|(?:{grammar.pattern('scheme')}):(?://(?:[^/?#@]*@)?(?P<host>\[[^\]/?#]*\])?)?"
)
_WRONG: Final = lazy_compile(r'[\x00-\x20"<>\\^`{|}\[\]\x7f]|%(?![0-9A-Fa-f]{2})')
# In a fragment, which contains no second "#" (RFC 3986 3.5).
_WRONG_IN_FRAGMENT: Final = lazy_compile(r'[\x00-\x20"#<>\\^`{|}\[\]\x7f]|%(?![0-9A-Fa-f]{2})')


def _wrong_characters(text: str) -> Iterator[re.Match[str]]:
    head = _HEAD.match(text)
    fragment = text.find("#") + 1 or len(text)
    first = last = fragment
    if head is not None and head.lastgroup is not None:
        first, last = head.span(head.lastgroup)
    yield from _WRONG.finditer(text, 0, first)
    yield from _WRONG.finditer(text, last, max(last, fragment))
    yield from _WRONG_IN_FRAGMENT.finditer(text, max(last, fragment))


def repaired(text: str) -> str:
    """Percent-encode brackets outside an IP literal, a "%" that begins no triplet, a second "#", blanks, braces."""
    return _encoded_at(text, (wrong.start() for wrong in _wrong_characters(text)))


def _encoded_at(text: str, offsets: Iterable[int]) -> str:
    """Percent-encode the characters of ASCII at some offsets, in their order."""
    pieces = []
    done = 0
    for offset in offsets:
        pieces += [text[done:offset], f"%{ord(text[offset]):02X}"]
        done = offset + 1
    return "".join([*pieces, text[done:]])


def repaired_rest(text: str, *, has_fragment: bool = False) -> str:
    """Percent-encode what no URI may contain in a text that is after its authority.

    Args:
        text: the text.
        has_fragment: whether a "#" is before it.
    """
    fragment = 0 if has_fragment else text.find("#") + 1 or len(text)
    return "".join(
        pattern.sub(lambda wrong: f"%{ord(wrong[0]):02X}", piece)
        for pattern, piece in ((_WRONG, text[:fragment]), (_WRONG_IN_FRAGMENT, text[fragment:]))
    )


def offset_before_composition(text: str, offset: int) -> int:
    r"""Return the offset in `text` of the character that is at `offset` in its NFC, in characters.

    >>> offset_before_composition("e\u0301%", 1), offset_before_composition("e\u0301%", 2)
    (2, 3)
    """
    from bisect import bisect_right
    from unicodedata import normalize

    shortest = bisect_right(range(len(text) + 1), offset, key=lambda size: len(normalize("NFC", text[:size])))
    return min(shortest - 1, len(text))


def offset_before_repair(text: str, offset: int) -> int:
    """Return the offset in `text` of the character that is at `offset` in `repaired(text)`, in characters."""
    for count, wrong in enumerate(_wrong_characters(text)):
        start = wrong.start() + 2 * count  # where its triplet begins
        if offset < start:
            return offset - 2 * count
        if offset < start + 3:
            return wrong.start()
    return offset - (len(repaired(text)) - len(text))


# The longest item after the prefix of a name, and the longest prefix: "10." and five groups of nine digits.
_ITEM_LIMIT: Final = 128
_PREFIX_LIMIT: Final = 64
# The longest contribution; those of publishers have up to 30 characters.
_CONTRIBUTION: Final = r"[!#-;=?-Z^-~]{0,64}"
# An item with the word, or with an ISSN and a chronology; no bracket in it has been encoded.
_ITEM: Final = lazy_compile(
    r"10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,4}(?:/|%2[Ff])(?:"
    rf"\([Ss][Ii][Cc][Ii]\)(?:(?!%(?:3[CEce]|5[BDbd]))[!$-;=?-Z^-~]){{1,{_ITEM_LIMIT}}}"
    r"|[0-9]{4}-?[0-9]{3}[0-9Xx]\([0-9A-Za-z./+\-]{0,32}\)[0-9A-Za-z.:/+*,_\-]{0,48})\Z"
)
# Code structure, derivative part, medium: what a contribution without a number at its beginning has after it.
_MEDIUM: Final = r"[0-9]\.[0-9]\.[A-Za-z]{2}"
_CONTROL: Final = rf"(?:{_MEDIUM}(?:[;:][0-9](?:-[0-9A-Za-z#](?![0-9A-Za-z]))?)?)?"
_TAIL: Final = lazy_compile(
    rf"(?:<[0-9][!#-9;=?-Z^-~]{{0,32}}:{_CONTRIBUTION}>|<(?![/!?]){_CONTRIBUTION}>(?={_MEDIUM})"
    rf"|\[{_CONTRIBUTION}\](?={_MEDIUM})){_CONTROL}"
)
# The beginning of one that the end of the text may have cut.
_CUT_TAIL: Final = lazy_compile(rf"[<\[]{_CONTRIBUTION}(?:[>\]](?:[0-9](?:\.(?:[0-9](?:\.[A-Za-z]?)?)?)?)?)?\Z")
_BRACKET: Final = lazy_compile(r"[<\[]")
_ENCODED: Final = lazy_compile(r"[<>\[\]{}|\\^`#]|%(?![0-9A-Fa-f]{2})")


def _follows_item(text: str, at: int, floor: int, is_spaced: bool) -> bool:
    least = max(0, at - _ITEM_LIMIT - _PREFIX_LIMIT, floor - _PREFIX_LIMIT)
    if is_spaced:
        return _ITEM.search("".join(text[least:at].split())) is not None
    return _ITEM.search(text, least, at) is not None


def sici_end(text: str, at: int, floor: int = 0, *, is_spaced: bool = False) -> int:
    """Return where the end of a SICI ends that begins with a bracket at an offset; the offset itself if none does.

    Args:
        text: the text around it.
        at: the offset at which a URI ends otherwise.
        floor: where the candidate begins, or the rest of it after the prefix of a name.
        is_spaced: whether white space before it does not count, as in angle brackets.

    >>> text = "doi:10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2, and doi:10.1000/182<br>"
    >>> sici_end(text, text.index("<")) == text.index(","), sici_end(text, text.index("<br>")) == text.index("<br>")
    (True, True)
    """
    if text[at : at + 1] not in ("<", "["):
        return at
    tail = _TAIL.match(text, at)
    return at if tail is None or not _follows_item(text, at, floor, is_spaced) else tail.end()


def sici_is_cut(text: str, at: int, floor: int = 0, *, is_spaced: bool = False) -> bool:
    """Report whether more text may show that the end of a SICI begins at an offset; see `sici_end`."""
    if text[at : at + 1] not in ("<", "["):
        return False
    return _CUT_TAIL.match(text, at) is not None and _follows_item(text, at, floor, is_spaced)


class EncodedSici(NamedTuple):
    """A text in which SICIs are percent-encoded.

    Attributes:
        text: that text.
        marks: the offsets of the characters that were encoded, in the text as it is written.
    """

    text: str
    marks: tuple[int, ...]

    def original(self, offset: int) -> int:
        """Return the offset in the text as it is written."""
        for count, mark in enumerate(self.marks):
            start = mark + 2 * count  # where its triplet begins
            if offset < start + 3:
                return offset - 2 * count if offset < start else mark
        return offset - 2 * len(self.marks)


def encoded_sici(text: str) -> EncodedSici:
    """Percent-encode what no path may contain at the end of each SICI in a candidate.

    >>> encoded_sici("doi:10.1641/0006-3568(2001)051[0933:TEOTWA]2.0.CO;2").text
    'doi:10.1641/0006-3568(2001)051%5B0933:TEOTWA%5D2.0.CO;2'
    """
    marks: list[int] = []
    end = 0
    for bracket in _BRACKET.finditer(text):
        at = bracket.start()
        if at < end:
            continue
        end = sici_end(text, at)
        if end == at:
            break
        marks += [wrong.start() for wrong in _ENCODED.finditer(text, at, end)]
    return EncodedSici(_encoded_at(text, marks), tuple(marks))
