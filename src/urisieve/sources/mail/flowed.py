"""Plain text of mail: quoted replies, and lines that flow (RFC 3676).

What a quote mark or a flowed line end cuts in two is whole again. Quote marks become blanks, one for one, so that a
link in angle brackets goes on over them (RFC 3986 Appendix C) and everything keeps its place. Only a line end that
DelSp says to delete is left out of the text (RFC 3676 4.2 and 6).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from io import StringIO
from typing import Final

from urisieve.sources.bytes.selections import Selection

__all__ = ["Flow", "flow_of", "join_flowed", "join_folded", "read_flow"]


class Flow(Enum):
    """How the lines of a plain text end."""

    FIXED = auto()
    FLOWED = auto()
    """The space at the end of a flowed line stands between two words (DelSp=No)."""
    DELETE_SPACE = auto()
    """The space at the end of a flowed line is not part of the text (DelSp=Yes)."""
    FOLDED = auto()
    """A line that begins with white space goes on the one before (RFC 5545 3.1, RFC 6350 3.2)."""


# Two lines or more that begin with marks are a quote; a single `>` may close a bracket of the line before.
_MARKS: Final = re.compile(r"^>[> ]*+", re.M)
_QUOTES: Final = re.compile(r"^>[^\n]*+(?:\n>[^\n]*+)++", re.M)
# RFC 3676 4.5: a line of marks counts their number; one space after them is stuffing (4.4).
_LINE: Final = re.compile(r"(>*+)( ?)([^\r\n]*+)(\r?\n|\r|\Z)")
_TOGETHER: Final = 65_536  # characters whose marks are blanked at once
_SIGNATURE: Final = "-- "  # 4.3: not flowed, though it ends with a space


_FOLD: Final = re.compile(r"\r?\n[ \t]")
_FOLDED: Final = frozenset(["text/calendar", "text/directory", "text/vcard", "text/x-vcard", "text/x-vcalendar"])


def flow_of(media_type: str, parameters: dict[str, str]) -> Flow:
    """How the lines of a media type end; for text/plain its `format` and `delsp` say it (RFC 3676 4)."""
    if media_type in _FOLDED:
        return Flow.FOLDED
    if media_type != "text/plain" or parameters.get("format", "").strip().lower() != "flowed":
        return Flow.FIXED
    return Flow.DELETE_SPACE if parameters.get("delsp", "").strip().lower() == "yes" else Flow.FLOWED


def read_flow(text: str, flow: Flow) -> tuple[str, Selection | None]:
    """The text with its quote marks blanked and, for `DELETE_SPACE`, its flowed lines joined.

    Folded lines are joined too.

    Returns:
        the text; and, if characters were left out, which were kept.
    """
    if flow is Flow.DELETE_SPACE and " \n" in text.replace("\r", ""):
        return join_flowed(text)
    if flow is Flow.FOLDED:
        return join_folded(text) if _FOLD.search(text) is not None else (text, None)
    if ">" in text:
        text = _blanked_quotes(text) if flow is Flow.FIXED else "".join(_blanked(text))
    return text, None


def _blanked_quotes(text: str) -> str:
    """The text with the marks of its quotes blanked; what is put together so takes no memory for each piece."""
    out = StringIO(newline="")
    place = 0
    for quote in _QUOTES.finditer(text):
        out.write(text[place : quote.start()])
        out.writelines(_blanked(quote[0]))
        place = quote.end()
    if not place:
        return text
    out.write(text[place:])
    return out.getvalue()


def _blanked(text: str) -> Iterator[str]:
    """The text with the marks of all its lines blanked, some lines at a time."""
    place = 0
    while place < len(text):
        end = text.find("\n", place + _TOGETHER) + 1 or len(text)
        yield _MARKS.sub(_blanks, text[place:end])
        place = end


def join_folded(text: str) -> tuple[str, Selection]:
    """The text with its folded lines joined: a line end and the one blank after it are left out (RFC 5545 3.1)."""
    selection = Selection()
    pieces: list[str] = []
    place = 0
    for fold in _FOLD.finditer(text):
        pieces.append(text[place : fold.start()])
        selection.add(place, fold.start())
        place = fold.end()
    pieces.append(text[place:])
    selection.add(place, len(text))
    return "".join(pieces), selection


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
