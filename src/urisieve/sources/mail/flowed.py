"""Plain text of mail: quoted replies, and flowed lines (RFC 3676).

An identifier that a quote mark or a flowed line end cuts in two is made whole again. Each character of a quote mark is
replaced by a blank, so that a link in angle brackets continues over it (RFC 3986 Appendix C) and every offset stays the
same. Only a line end that DelSp says to delete is left out of the text (RFC 3676 4.2 and 6).

It holds besides:

- positions of the texts of a message: byte offsets in the file, lines and columns in the part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from urisieve.kernel import of_kernel
from urisieve.lean import Final, lazy_compile
from urisieve.sources.bytes.charsets import local_offsets
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.selections import SelectedOffsets, Selection, SourceLines
from urisieve.sources.documents import Position


class Flow(Enum):
    """How the lines of a plain text end."""

    FIXED = auto()
    FLOWED = auto()
    """The space at the end of a flowed line separates two words (DelSp=No)."""
    DELETE_SPACE = auto()
    """The space at the end of a flowed line is not part of the text (DelSp=Yes)."""


# Two or more lines that begin with marks are a quote; a single `>` may close a bracket of the line before.
# These patterns begin with a line feed, which is fast to search for.
_MARKS: Final = lazy_compile(r"\n>[> ]*+")
_QUOTES: Final = lazy_compile(r"\n>[^\n]*+(?>\n>[^\n]*+)++")
_UNQUOTED: Final = lazy_compile(r"\n(?!>)")
# RFC 3676 4.5: the number of marks is the depth of the quote; one space after them is stuffing (4.4).
_LINE: Final = lazy_compile(r"(>*+)( ?)([^\r\n]*+)(\r?\n|\r|\Z)")
_TOGETHER: Final = 65_536  # characters whose marks are blanked at once
_SIGNATURE: Final = "-- "  # 4.3: not flowed, though it ends with a space


def flow_of(media_type: str, parameters: dict[str, str]) -> Flow:
    """Return how the lines of a media type end; for text/plain, by its `format` and `delsp` (RFC 3676 4)."""
    if media_type != "text/plain" or parameters.get("format", "").strip().lower() != "flowed":
        return Flow.FIXED
    return Flow.DELETE_SPACE if parameters.get("delsp", "").strip().lower() == "yes" else Flow.FLOWED


def read_flow(text: str, flow: Flow) -> tuple[str, Selection | None]:
    """Return the text with its quote marks blanked, and for `DELETE_SPACE` its flowed lines.

    Returns:
        the text; and the selection of the characters that were kept, None if all were.
    """
    if flow is Flow.DELETE_SPACE and " \n" in text.replace("\r", ""):
        return join_flowed(text)
    return (blanked_quotes(text, flow is not Flow.FIXED) if ">" in text else text), None


def blanked_in_python(text: str, every: bool) -> str:
    """Return the text with the marks of its quotes blanked, some lines at a time; `every` also those of one line."""
    lines = f"\n{text}"
    if every:
        return "".join(_blanked(lines))[1:]
    pieces: list[str] = []
    offset = 0
    while offset < len(lines):
        unquoted = _UNQUOTED.search(lines, offset + _TOGETHER)
        end = len(lines) if unquoted is None else unquoted.start()
        pieces.append(_QUOTES.sub(_blanked_quote, lines[offset:end]))
        offset = end
    return "".join(pieces)[1:]


def _blanked_quote(quote: re.Match[str]) -> str:
    return "".join(_blanked(quote[0]))


blanked_quotes: Final = of_kernel("blanked_quotes", blanked_in_python)


def _blanked(lines: str) -> Iterator[str]:
    """Yield lines, each after its line feed, with the marks of all of them blanked, some lines at a time."""
    offset = 0
    while offset < len(lines):
        end = lines.find("\n", offset + _TOGETHER)
        end = len(lines) if end < 0 else end
        yield _MARKS.sub(_blanks, lines[offset:end])
        offset = end


def _blanks(marks: re.Match[str]) -> str:
    return f"\n{' ' * (len(marks[0]) - 1)}"


def join_flowed(text: str) -> tuple[str, Selection]:
    """Join flowed lines as DelSp=Yes requires (RFC 3676 4.2); quote marks of lines that are not joined are blanked."""
    selection = Selection()
    stretches: list[str] = []  # of many lines each: a line of two characters takes fifty as a text of its own
    pieces: list[str] = []
    flowing: int | None = None  # the quote depth of the flowed line before; None if that line was fixed
    offset = 0
    while offset < len(text):
        line = _LINE.match(text, offset)
        assert line is not None
        depth = len(line[1])
        start, end, after = line.start(3), line.end(3), line.end()
        flows = line[3].endswith(" ") and line[3] != _SIGNATURE and bool(line[4])
        if flowing == depth and line[3] != _SIGNATURE:
            begin = start
        else:
            if flowing is not None:  # a flowed line that no line continues ends here (4.5)
                pieces.append("\n")
                selection.replace(offset, offset, 1)
            begin = offset
            if start > offset:
                pieces.append(" " * (start - offset))
        stop = end - 1 if flows else after
        pieces.append(text[start:stop])
        selection.add(begin, stop)
        flowing = depth if flows else None
        offset = after
        if len(pieces) >= _TOGETHER:
            stretches.append("".join(pieces))
            pieces.clear()
    return "".join((*stretches, *pieces)), selection


def lines_of(text: str, selection: Selection) -> Position:
    """Return the line and column, in a text, of the characters of a selection from it."""
    lines = SourceLines(text)
    return lambda offset: lines.place(selection.source(offset))


def stored_offsets(
    data: bytes, start: int, codec: str, selection: Selection | None, offset: int, unquoted: Sequence[int]
) -> OffsetMap | None:
    """Return the map of a text that is stored in a file without a transfer encoding; None if its set has none.

    Args:
        data: the bytes of the text.
        start: their offset in the message, in bytes.
        codec: their codec.
        selection: the stretches of the text that are needed, None for all of it.
        offset: the offset of the message in the file, in bytes.
        unquoted: offsets in the message, in bytes, before each of which one byte was left out.
    """
    inner = None
    if not (data.isascii() and codec == "utf-8"):
        inner = local_offsets(data, codec)
        if inner is None:
            return None
    return SelectedOffsets(inner, selection, byte_start=start, removed=unquoted, start=offset)
