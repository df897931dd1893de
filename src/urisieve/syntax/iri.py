"""The mappings between IRIs and URIs (RFC 3987 3.1 and 3.2).

It holds besides:

- repair: percent-encode characters that no identifier may hold, and map offsets back to the text before repair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from urisieve.lean import Final, lazy_compile
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


def is_ordinary(text: str) -> bool:
    """Report whether every non-ASCII character of a text is a `ucschar` to which no rule of RFC 3987 4 applies.

    True is a proof; False only means that the text must be examined further.
    """
    return _ordinary().fullmatch(text) is not None


@cache
def _ordinary() -> re.Pattern[str]:
    """Compile most of `ucschar` (RFC 3987 2.2), without bidi controls and right-to-left letters.

    The class says what it does not hold, which compiles in a fourth of the time.
    """
    return re.compile(
        "[^\x80-\x9f\u0590-\u08ff\u200e\u200f\u2028-\u202f\u2060-\u206f\ud800-\ufeff\ufff0-\U0001efff"
        "\U0001fb00-\U0010ffff]*+"
    )


def decoded(text: str, rule: str) -> str:
    """Map triplets to characters if they are the UTF-8 of characters that a component may hold (RFC 3987 3.2).

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
