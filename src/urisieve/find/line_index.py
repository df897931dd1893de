"""Line numbers and columns of offsets in a text that comes in pieces (a line ends after U+000A)."""

from __future__ import annotations

__all__ = ["LineIndex"]


class LineIndex:
    """The lines of one piece of text; offsets that rise are counted in linear time.

    Args:
        text: the piece.
        line: the number of the line that holds its first character.
        newline: the offset of the line break before that line, from the start of the piece: -1 or less.
    """

    __slots__ = ("_first", "_last", "_text")

    def __init__(self, text: str, line: int, newline: int) -> None:
        self._text = text
        self._first = self._last = (0, line, newline)

    def at(self, offset: int) -> tuple[int, int]:
        """Return the number of the line that holds an offset, and the offset of the last line break before it."""
        start, line, newline = self._last if self._last[0] <= offset else self._first
        breaks = self._text.count("\n", start, offset)
        if breaks:
            line, newline = line + breaks, self._text.rfind("\n", start, offset)
        self._last = (offset, line, newline)
        return line, newline
