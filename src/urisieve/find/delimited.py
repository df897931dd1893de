"""Delimited candidates: texts whose extent a carrier or an exact wrapper states (RFC 3986 Appendix C).

Where a carrier states where an identifier begins and ends, the candidate is all of it: it is canonical,
rejected with its reason, or repaired, never cut to a part that would be another identifier.

Also defines:

- how much text a search takes at once, and the memory for it.

Many short texts searched as one: the separator between them, and the map from the whole to each text.

A search has a fixed cost for each text, many times that of a short text itself. Joined by `SEPARATOR`, texts are
searched as if each were alone: no candidate crosses it, and the end of a text is decided as the end of the whole. A
text may contain the separator itself.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache

from urisieve.lean import Final, lazy_compile
from urisieve.quick_enums import Enum
from urisieve.syntax.components import WHITE_SPACE

# A scheme and its colon (RFC 3986 3.1).
SCHEME: Final = lazy_compile(r"([A-Za-z][A-Za-z0-9+.\-]*+):")
# A reference that names its host and not its scheme (RFC 3986 4.2).
NETWORK_PATH: Final = lazy_compile(r"//(?=[^/?#])")
# The schemes of programs, whose text may contain links.
SCRIPT: Final = lazy_compile(r"(?:java|vb|live)script:", re.IGNORECASE)

# An escape sequence of a terminal (ECMA-48 5.4, 8.3.16; ECMA-35 13.2): a control sequence, or an escape with or without
# intermediate bytes.
ESCAPE_SEQUENCE: Final = r"(?:(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]|\x1b(?:[#%()*+\-./$]{1,2}[0-~]|[0-Z\\-~]))"

# The beginning of one that the end of the text may have cut.
_CUT_ESCAPE: Final = lazy_compile(r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+\Z|\x1b[#%()*+\-./$]{0,2}+\Z")


class Delimited(Enum):
    """Whether the carrier of a text states the extent of the identifier in it.

    >>> from urisieve.types import Delimited
    >>> Delimited("link") is Delimited.LINK
    True
    """

    TEXT = "text"
    """Running text: the end of an identifier has to be determined."""
    VALUE = "value"
    """A string of JSON or a cell of a table: one candidate if it begins with a scheme found in running text."""
    LINK = "link"
    """An attribute or a field that holds a link: one candidate if it begins with any scheme, or is a reference that
    names its host and has no base."""


# The characters that an exact wrapper cannot hold, without the escape character.
_NEVER_TIGHT: Final = {"<": f"<>{WHITE_SPACE}", '"': f'"{WHITE_SPACE}'}
# A word of a sentence: letters, with the marks around words.
_WORD: Final = r"[(\"'“‘«]*[^\W\d_]{2,}(?:[-'’][^\W\d_]+)*[.,;:!?…)\"'”’»]*"
_WORDS: Final = 2
# Behind a line break the scheme and the slashes of a link that is not part of another one, as a value of its query is.
_OTHER_LINE: Final = lazy_compile(r"[\r\n][^\r\n]*(?<![A-Za-z0-9+.\-=/?&%#:@])[+.\-]*+[A-Za-z][A-Za-z0-9+.\-]*+://")
# More characters than any escape sequence takes in practice (colours of text and ground take some thirty).
_LONGEST_ESCAPE: Final = 48


@cache
def _tight(opener: str) -> re.Pattern[str]:
    """Return the pattern of the content of an exact wrapper, up to white space or an escape sequence."""
    return re.compile(rf"(?>[^\x1b\x9b{_NEVER_TIGHT[opener]}]++|(?!{ESCAPE_SEQUENCE})[\x1b\x9b])*+")


@cache
def _escapes() -> re.Pattern[str]:
    return re.compile(ESCAPE_SEQUENCE)


@cache
def _word() -> re.Pattern[str]:
    return re.compile(_WORD)


def tight_end(text: str, opener: str, start: int, limit: int) -> int:
    """Return where the content of an exact wrapper ends, or where white space or an escape sequence is in it.

    Args:
        text: the text around it.
        opener: `<` or `"`.
        start: the offset after the opener.
        limit: the last possible end.
    """
    pattern = _tight(opener)
    end = start
    while True:
        match = pattern.match(text, end, limit)
        end = end if match is None else match.end()
        if opener != "<" or end >= limit or text[end] != "<":
            return end
        from urisieve.syntax.iri import sici_end

        behind = sici_end(text, end, start)
        if behind == end:
            return end
        end = min(behind, limit)


@cache
def beyond_tight(opener: str) -> re.Pattern[str]:
    """Return the pattern of a character that may end `tight_end` of this opener."""
    return re.compile(rf"[\x1b\x9b{_NEVER_TIGHT[opener]}]")


def may_be_escaped(text: str, start: int, end: int) -> bool:
    """Report whether more text may show that an escape sequence begins in a chunk and includes what follows it."""
    escape = max(text.rfind("\x1b", start, end), text.rfind("\x9b", start, end))
    return escape >= 0 and _CUT_ESCAPE.match(text, escape) is not None


@cache
def beyond_escape() -> re.Pattern[str]:
    """Return the pattern of a character that ends an escape sequence."""
    return re.compile("[^ -?]")


def after_escapes(text: str) -> int:
    r"""Return the end of the last escape sequence of a terminal in a text, or 0.

    An identifier cannot contain one: `\x1b[32mhttp://e.example` does not hold `mhttp`.
    """
    end = 0
    if "\x1b" in text or "\x9b" in text:
        for found in _escapes().finditer(text):
            end = found.end()
    return end


def ends_escape(text: str, offset: int) -> bool:
    """Report whether an escape sequence of a terminal ends at an offset."""
    before = text[max(0, offset - _LONGEST_ESCAPE) : offset]
    return after_escapes(before) == len(before) > 0


def has_other_line(text: str) -> bool:
    """Report whether a text that begins with an identifier has a link in another line, whatever mark is before it."""
    return _OTHER_LINE.search(text) is not None


def is_prose(text: str) -> bool:
    """Report whether a text that begins with an identifier is a sentence or a post.

    Two words or more follow white space, or a hashtag, a mention or a symbol beyond ASCII, such as an emoji.
    """
    words = text.split()[1:]
    if sum(_word().fullmatch(word) is not None for word in words) >= _WORDS:
        return True
    from urisieve.syntax.characters import is_symbol

    return any((word[0] in "#@" and word[1:2].isalpha()) or is_symbol(word[0]) for word in words)


# Two line feeds around U+001E, the record separator: white space ends a bare candidate, a control character one
# between angle brackets or quotation marks (RFC 3986 Appendix C), and neither may precede a scheme.
SEPARATOR: Final = "\n\x1e\n"


# The number of characters searched at once: so many that the cost of a piece does not show.
PIECE: Final = 131_072

# The size of a block that makes the C library of Linux keep freed blocks of text, see `keep_freed_blocks`.
_LARGE: Final = 16_777_216


@cache
def keep_freed_blocks() -> None:
    """Let the C library of Linux reuse freed blocks of text.

    It returns each of them to the system, and gets it anew page by page, until it has seen one of this size freed:
    1.8 ms a MB of prose instead of 1.1. So one is allocated and freed here; no page of it is touched.
    """
    with suppress(MemoryError):
        bytes(_LARGE)
