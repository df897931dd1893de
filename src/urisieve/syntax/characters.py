"""The characters that delimit an identifier in running text (RFC 3986 Appendix C, RFC 2141 2.4).

The classes here are narrower than the grammar: a sentence stop or a bidi control is `ucschar` to RFC 3987, but in
text it ends a candidate.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from urisieve.lean import TYPE_CHECKING, Final, lazy_compile
from urisieve.syntax import grammar
from urisieve.syntax.components import WHITE_SPACE
from urisieve.syntax.iri import BIDI_CONTROLS

if TYPE_CHECKING:
    import regex

# Characters that end a candidate although RFC 3987 2.2 allows them in an IRI: white space (Unicode White_Space, ZWSP,
# BOM), bidi controls, the em dash, and the sentence stops with their half-width forms.
ENDS: Final = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    "\u2014"
    "。．｡！？，、､；："
)
# Box drawing and block elements, which are around a link in the tables of terminals; the inside of a character class.
BOXES: Final = "\u2500-\u259f"
# An opener directly before the scheme and the first of its closers after it delimit an identifier. The quotation marks
# are those of English and French, and the low-high and inward ones of German and neighbouring languages.
_WRAPPERS: Final = "<> \"\" '' `` () [] {} “” ‘’ «» ‹› „“” ‚‘’ »« ›‹ 「」 『』 （） 【】 《》 〈〉 ＜＞"
WRAPPERS: Final = {pair[0]: pair[1:] for pair in _WRAPPERS.split()}
# Pairs that are counted inside a candidate: the first closer without an opener ends it. Quotation marks are not
# among them, because some are also apostrophes.
_BRACKETS: Final = "() [] （） ［］ ｛｝ 「」 『』 ｢｣ 【】 〔〕 〖〗 〘〙 〚〛 《》 〈〉 ＜＞ ⟨⟩ ⟪⟫ ⟦⟧ ⦅⦆ ｟｠"
BRACKETS: Final = {pair[0]: pair[1] for pair in _BRACKETS.split()}
CLOSERS: Final = {closer: opener for opener, closer in BRACKETS.items()}

# Trimmed from the end of a candidate that has no wrapper, however many of them are there; what is kept there although
# it is neither a letter nor a digit; and the categories of Unicode that are trimmed beyond ASCII.
STOPS: Final = ".,;:!?'"
KEPT: Final = "-/=&#@%$+"
PUNCTUATION: Final = ("Po", "Pf", "Pe", "Pd")
_SYMBOLS: Final = ("So", "Sm", "Sc")
# A character or a range in the inside of a class.
_RANGE: Final = lazy_compile(r"(?s)(?:\\(.)|(.))(?:-(?:\\(.)|(.)))?")
_LAST: Final = 0x10FFFF
_REFERENCE: Final = lazy_compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});\Z")
_REFERENCE_LIMIT: Final = 35


def _without(ranges: str, removed: Iterable[str]) -> str:
    """Return the `a-b` ranges of a character class without some characters and without box drawing."""
    pairs = [(ord(ranges[index]), ord(ranges[index + 2])) for index in range(0, len(ranges), 3)]
    gone = [(ord(character), ord(character)) for character in removed]
    for begin, end in sorted([*gone, (ord(BOXES[0]), ord(BOXES[2]))]):
        rest: list[tuple[int, int]] = []
        for first, last in pairs:
            if first <= begin and end <= last:
                rest += [pair for pair in ((first, begin - 1), (end + 1, last)) if pair[0] <= pair[1]]
            else:
                rest.append((first, last))
        pairs = rest
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in pairs)


def outside(inside: str) -> str:
    r"""Return the inside of a character class that contains all characters which another one does not.

    >>> outside("b-y") == "\x00-az-\U0010ffff"
    True
    """
    ranges = []
    behind = 0
    found = ((match[1] or match[2], match[3] or match[4]) for match in _RANGE.finditer(inside))
    for first, last in sorted((ord(begin), ord(end or begin)) for begin, end in found):
        if first > behind:
            ranges.append((behind, first - 1))
        behind = max(behind, last + 1)
    if behind <= _LAST:
        ranges.append((behind, _LAST))
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)


def class_of(inside: str) -> str:
    """Return a character class with this inside; beyond ASCII as its complement, which compiles far faster."""
    return f"[{inside}]" if inside.isascii() else f"[^{outside(inside)}]"


def class_beyond(inside: str) -> str:
    """Return the class of all characters that `class_of` does not contain."""
    return f"[^{inside}]" if inside.isascii() else f"[{outside(inside)}]"


_UCSCHAR: Final = grammar.pattern("iunreserved", iri=True).removeprefix(grammar.pattern("unreserved"))
# The non-ASCII characters that a candidate may contain, with and without brackets: the inside of a character class.
NON_ASCII: Final = _without(_UCSCHAR, ENDS)
NON_ASCII_PLAIN: Final = _without(_UCSCHAR, ENDS + "".join(BRACKETS)[2:] + "".join(CLOSERS)[2:])
# Characters that are not visible: those that UTS 46 removes from a host, bidi controls, and the noncharacters of
# Unicode. They end a candidate, except inside a host.
HIDDEN: Final = f"\u200b\ufeff{BIDI_CONTROLS}\ufdd0-\ufdef" + "".join(
    chr((plane << 16) + 0xFFFE) + chr((plane << 16) + 0xFFFF) for plane in range(17)
)
# Characters at which a candidate does not end inside a host, though no identifier contains them: in addition to those
# above private use, U+FFFD and bytes that did not decode, which are where a letter was lost, and the tags of plane 14.
NOT_IN_NAMES: Final = f"{HIDDEN}\ud800-\uf8ff\ufff0-\ufffd\U000e0000-\U000e0fff\U000f0000-\U0010fffd"
# The white space and the sentence stops that end a candidate; the inside of a character class.
VISIBLE_ENDS: Final = WHITE_SPACE.replace("\u200b", "\u200a").replace("\ufeff", "") + ENDS[ENDS.index("\N{EM DASH}") :]
# What a candidate may contain, and what a reader does not take for part of the candidate that ends there: blanks,
# controls, angle brackets, double quotes, the closing bracket and sentence stops; the inside of a character class. The
# text may go on after any other character, which RFC 3986 2 or RFC 3987 2.2 excludes.
NOT_EXCLUDED: Final = f"\x00-Z\\]_a-z~\x7f-\x9f{NON_ASCII}{VISIBLE_ENDS}"


def trimmed_end(text: str, floor: int, end: int, emphasis: str) -> int:
    """Trim punctuation from the end of a candidate that has no wrapper, until nothing changes.

    Args:
        text: the text in which the candidate is.
        floor: the offset in `text` below which nothing is trimmed.
        end: the offset in `text` of the end of the candidate, in which every closing bracket has its opener.
        emphasis: `*`, `_` or `~` if that is before the scheme, else "".

    Returns:
        the offset of the new end. The time is linear in the number of characters trimmed.
    """
    while end > floor:
        character = text[end - 1]
        if character.isalnum() or character in KEPT:
            break
        if character in STOPS:
            if character == ";":
                reference = _REFERENCE.search(text, max(floor, end - _REFERENCE_LIMIT), end)
                if reference is not None and is_reference(reference[0]):
                    end = reference.start()
                    continue
            end -= 1
        elif (
            character in BRACKETS
            or character in WRAPPERS
            or character == emphasis
            or (is_punctuation(character) and character not in CLOSERS)  # a closer has its opener inside
        ):
            end -= 1
        else:
            break
    return end


def is_reference(text: str) -> bool:
    """Report whether a text that looks like a character reference of HTML is one: a number, or a name that is known.

    >>> is_reference("&nbsp;"), is_reference("&#160;"), is_reference("&b;")
    (True, True, False)
    """
    if text[1] == "#":
        return True
    from html.entities import html5

    return text[1:] in html5


def is_punctuation(character: str) -> bool:
    """Report whether a character is punctuation of a sentence, which is trimmed from the end of a candidate.

    The full-width tilde is: it is written for the wave dash.

    >>> is_punctuation("!"), is_punctuation("»"), is_punctuation("～"), is_punctuation("-")
    (True, True, True, False)
    """
    if character <= "\x7f":
        return character != "" and character in STOPS
    return unicodedata.category(character) in PUNCTUATION or character == "～"


def is_symbol(character: str) -> bool:
    """Report whether a character is a symbol beyond ASCII, which has no script.

    >>> is_symbol("✓"), is_symbol("\N{DEGREE SIGN}"), is_symbol("+"), is_symbol("é")
    (True, True, False, False)
    """
    return character > "\x7f" and unicodedata.category(character) in _SYMBOLS


# UTS 39 5.2, "highly restrictive": one script, or Latin with one of the East Asian sets.
_TOGETHER: Final = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Latin}",
    r"\p{Han}\p{Bopomofo}\p{Latin}",
    r"\p{Han}\p{Hangul}\p{Latin}",
)
_NEUTRAL: Final = r"\p{Common}\p{Inherited}"
# The first words of the names of characters that may all are beside each other and beside Latin; none else has them.
_NAMED_BY_SCRIPT: Final = frozenset(("LATIN", "CJK", "HIRAGANA", "KATAKANA"))

# Lower-case letters of other scripts that most fonts draw like Latin ones (a choice from UTS 39's confusables).
LATIN_LOOKS: Final = {
    "Cyrillic": frozenset("аеһіјӏорсԛѕухѵԝԁг"),
    "Greek": frozenset("ονιρυκχ"),
    "Armenian": frozenset("օսոհցգզ"),
}
_RTL: Final = lazy_compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
# These divide a text into the components of RFC 3987 4.2: the parts between the delimiters of the syntax, and the
# labels of a name.
_DELIMITERS: Final = lazy_compile(r"[:/?#\[\]@!$&'()*+,;=.]+")


@cache
def _one_script() -> regex.Pattern[str]:
    import regex

    sets = "|".join(f"[{names}{_NEUTRAL}]+" for names in _TOGETHER)
    return regex.compile(rf"(?:{sets})", regex.VERSION1)


@cache
def _script_of(character: str) -> str | None:
    """Return the script of a character, the first word of its Unicode name; None if it is common or inherited."""
    import regex

    if regex.fullmatch(rf"[{_NEUTRAL}]", character):
        return None
    return _first_word(character)


def mixed_script(label: str) -> bool:
    """Report whether a label mixes scripts that are not used together (UTS 39 5.2)."""
    if _NAMED_BY_SCRIPT.issuperset(_first_word(character) for character in label if not character.isascii()):
        return False
    if _one_script().fullmatch(label):
        return False
    return len({_script_of(character) for character in label} - {None}) > 1


def _first_word(character: str) -> str:
    return unicodedata.name(character, "UNKNOWN").partition(" ")[0]


def look_alike(label: str) -> bool:
    """Report whether a label of one script is written only in letters that look Latin."""
    letters = {character for character in label if character.isalpha()}
    return any(letters and letters <= looks for looks in LATIN_LOOKS.values())


def bidi_mixed(text: str) -> bool:
    """Report whether a component of an IRI breaks one of the two rules of RFC 3987 4.2.

    A component should not contain letters of both directions, and one with right-to-left letters should begin and end
    with such a letter.
    """
    if not _RTL.search(text):
        return False
    for component in _DELIMITERS.split(text):
        kinds = [unicodedata.bidirectional(character) for character in component]
        if "R" in kinds or "AL" in kinds:
            ends = [kind for kind in kinds if kind != "NSM"]  # a mark belongs to the letter before it
            if "L" in kinds or ends[0] not in ("R", "AL") or ends[-1] not in ("R", "AL"):
                return True
    return False


# Scripts whose text has no blanks around a link, by the first words of the names of their letters.
WITHOUT_BLANKS: Final = frozenset(
    ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")
)
# Up to it all letters are Latin, but some have other names.
LAST_LATIN: Final = "\u024f"
_LATIN: Final = "LATIN"
# The letters of scripts with blanks that pass for Latin ones: those of `look_alike`, some more, and capital letters.
_PASSING: Final = frozenset("αγАВЕЅІЈКМНОРСТУХҮԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧ").union(*LATIN_LOOKS.values())


def script_of(letter: str) -> str | None:
    """Return the script of a letter, by the first word of its Unicode name; None for any other character."""
    if not letter.isalpha():
        return None
    return _LATIN if letter <= LAST_LATIN else unicodedata.name(letter, "").partition(" ")[0]


def is_of_word(character: str) -> bool:
    """Report whether a character is a letter, a digit or a mark on one."""
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def is_text_before(text: str, start: int, floor: int) -> bool:
    """Report whether a letter, or what is where one was lost, is directly before an offset, but after `floor`."""
    if start <= floor or text[start - 1] <= "\x7f":
        return False
    before = text[start - 1]
    return is_of_word(before) or before == "\ufffd" or unicodedata.category(before) == "Cs"


def script_change(text: str, start: int, end: int, marks: str = "") -> int:
    """Return where Latin letters, or digits, begin after words of another script; the last such place, or `start`.

    In scripts that have blanks a single letter, or some inside a Latin word, are no word, nor are letters that all pass
    for Latin ones: `раypal.com`, `pаypal.com`, `аррle.com`.

    Args:
        text: the text around it.
        start: where to begin.
        end: where to stop.
        marks: the characters of ASCII that may be between them.
    """
    if text[start:end].isascii():
        return start
    place, letters, script = start, 0, ""
    follows_latin = is_inside = False
    passes = True  # whether all those letters pass for Latin ones
    for index in range(start, end):
        character = text[index]
        if character.isascii():
            found = _LATIN if character.isalnum() else None
            if found is None:
                follows_latin = False
                letters = letters if character in marks else 0
        else:
            found = script_of(character)
        if found == _LATIN:
            if letters and (script in WITHOUT_BLANKS or (letters > 1 and not is_inside and not passes)):
                place = index
            letters, follows_latin = 0, True
        elif found is not None:
            if letters == 0:
                is_inside, passes = follows_latin, True
            passes = passes and character in _PASSING
            letters, script, follows_latin = letters + 1, found, False
    return place
