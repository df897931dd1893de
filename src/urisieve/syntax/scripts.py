"""Scripts and directions of characters: mixed scripts and look-alikes (UTS 39), bidi components (RFC 3987 4.2).

`regex` is used here for its script properties, which the standard library does not have. It is imported when the first
label is judged whose characters are not all Latin, Han or Kana by their names.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from urisieve.lean import TYPE_CHECKING, Final, lazy_compile

if TYPE_CHECKING:
    import regex


# UTS 39 5.2, "highly restrictive": one script, or Latin with one of the East Asian sets.
_TOGETHER: Final = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Latin}",
    r"\p{Han}\p{Bopomofo}\p{Latin}",
    r"\p{Han}\p{Hangul}\p{Latin}",
)
_NEUTRAL: Final = r"\p{Common}\p{Inherited}"
# The first words of the names of characters that may all stand beside each other and beside Latin; none else has them.
_NAMED_BY_SCRIPT: Final = frozenset(("LATIN", "CJK", "HIRAGANA", "KATAKANA"))

# Lower-case letters of other scripts that most fonts draw like Latin ones (a choice from UTS 39's confusables).
_LATIN_LOOKS: Final = {
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
    return any(letters and letters <= looks for looks in _LATIN_LOOKS.values())


def bidi_mixed(text: str) -> bool:
    """Report whether a component of an IRI breaks one of the two rules of RFC 3987 4.2.

    A component should not hold letters of both directions, and one with right-to-left letters should begin and end
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
