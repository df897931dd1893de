"""Scripts and directions of characters: mixed scripts and look-alikes (UTS 39), bidi components (RFC 3987 4.2).

Words of Chinese, Japanese, Korean and Thai are directly before a name or an address in ASCII, and those of other
scripts where a blank was forgotten (`就是这个meishi.com`, `почтаinfo@example.ru`): `script_change` finds the place.

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
