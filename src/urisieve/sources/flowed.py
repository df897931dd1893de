"""Plain text of mail: quoted replies, and lines that flow (RFC 3676).

What a quote mark or a flowed line end cuts in two is whole again. Quote marks become blanks, one for one, so that a
link in angle brackets goes on over them (RFC 3986 Appendix C) and everything keeps its place. Only a line end that
DelSp says to delete is left out of the text (RFC 3676 4.2 and 6).
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from urisieve.sources.selections import Selection

__all__ = ["Flow", "flow_of", "join_flowed", "read_flow"]


class Flow(Enum):
    """How the lines of a plain text end."""

    FIXED = auto()
    FLOWED = auto()
    """The space at the end of a flowed line stands between two words (DelSp=No)."""
    DELETE_SPACE = auto()
    """The space at the end of a flowed line is not part of the text (DelSp=Yes)."""


# Two lines or more that begin with marks are a quote; a single `>` may close a bracket of the line before.
_MARKS: Final = re.compile(r"^>[> ]*+", re.M)
_QUOTES: Final = re.compile(r"^>[^\n]*+(?:\n>[^\n]*+)++", re.M)
# RFC 3676 4.5: a line of marks counts their number; one space after them is stuffing (4.4).
_LINE: Final = re.compile(r"(>*+)( ?)([^\r\n]*+)(\r?\n|\r|\Z)")
_SIGNATURE: Final = "-- "  # 4.3: not flowed, though it ends with a space


def flow_of(parameters: dict[str, str]) -> Flow:
    """What the parameters `format` and `delsp` of text/plain say (RFC 3676 4)."""
    if parameters.get("format", "").strip().lower() != "flowed":
        return Flow.FIXED
    return Flow.DELETE_SPACE if parameters.get("delsp", "").strip().lower() == "yes" else Flow.FLOWED


def read_flow(text: str, flow: Flow) -> tuple[str, Selection | None]:
    """The text with its quote marks blanked and, for `DELETE_SPACE`, its flowed lines joined.

    Returns:
        the text; and, if characters were left out, which were kept.
    """
    if flow is Flow.DELETE_SPACE and " \n" in text.replace("\r", ""):
        return join_flowed(text)
    if ">" in text:
        text = (_QUOTES if flow is Flow.FIXED else _MARKS).sub(_blank_marks, text)
    return text, None


def _blank_marks(quote: re.Match[str]) -> str:
    return _MARKS.sub(_blanks, quote[0])


def _blanks(marks: re.Match[str]) -> str:
    return " " * len(marks[0])


def join_flowed(text: str) -> tuple[str, Selection]:
    """The text with its flowed lines joined as DelSp=Yes asks (RFC 3676 4.2); marks of lines that begin are blanked."""
    selection = Selection()
    pieces: list[str] = []
    flowing: int | None = None  # the quote depth of the flowed line before, None if that line was fixed
    place = 0
    while place < len(text):
        line = _LINE.match(text, place)
        assert line is not None
        depth = len(line[1])
        start, end, after = line.start(3), line.end(3), line.end()
        flows = line[3].endswith(" ") and line[3] != _SIGNATURE and bool(line[4])
        if flowing == depth and line[3] != _SIGNATURE:
            begin = start
        else:
            if flowing is not None:  # a flowed line that nothing continues ends here all the same (4.5)
                pieces.append("\n")
                selection.replace(place, place, 1)
            begin = place
            pieces.append(" " * (start - place))
        stop = end - 1 if flows else after
        pieces.append(text[start:stop])
        selection.add(begin, stop)
        flowing = depth if flows else None
        place = after
    return "".join(pieces), selection
