"""The hours of the lines of a text that comes in pieces, for the identifiers that stand in them."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.lean.hints import TYPE_CHECKING, Final
from urisieve.sources.times.hours import CLOCK, LINE_HEAD, hour_of_line

if TYPE_CHECKING:
    from urisieve.sources.bytes.decoding import TextTaker

__all__ = ["LineHours", "WatchedText"]

# The characters of text that are kept behind the longest candidate, which may still be undecided.
_KEPT: Final = 262_144
# The characters of what every time holds, but for the last one.
_CLOCK_SIZE: Final = 4


class LineHours:
    """Finds the hours of the lines of a text.

    A line has the time with which it begins; it counts for the identifiers behind it. So it does not matter where
    pieces of the text end: what stands before an identifier has come when the identifier is found.

    Args:
        longest: the longest candidate, in characters.
    """

    def __init__(self, longest: int) -> None:
        self._keep = 4 * longest + _KEPT
        self.restart()

    def restart(self, offset: int = 0) -> None:
        """Begin another text, or its part from an offset on, which is the start of a line."""
        self._text = ""
        self._waiting: list[str] = []
        self._size = 0  # of what waits
        self._base = offset  # the offset of the text that is kept
        # The line that was looked at last, by offsets in that text: its start and end, the end of its time, and its
        # hour; and whether all of its head had come.
        self._start = self._behind = 0
        self._end = -1
        self._hour: str | None = None
        self._is_known = False
        self._clock = -1  # the offset behind the last piece that holds what every time holds

    def feed(self, piece: str) -> None:
        """Take the next piece."""
        self._waiting.append(piece)
        self._size += len(piece)
        if self._size > self._keep:
            self._join()

    def _join(self) -> None:
        """Join the pieces, and forget what is far behind."""
        surplus = len(self._text) - self._keep
        if surplus > 0:
            if self._clock >= self._base:
                self._look(surplus)  # the line that the cut divides
            self._text = self._text[surplus:]
            self._base += surplus
            self._start -= surplus
            self._behind -= surplus
            self._end -= surplus
        is_open = self._end >= len(self._text)  # the line goes on
        piece = "".join(self._waiting)
        overlap = self._text[-_CLOCK_SIZE:]
        self._text += piece
        if CLOCK.search(overlap + piece) is not None:
            self._clock = self._base + len(self._text)
        self._waiting.clear()
        self._size = 0
        if is_open:
            self._end = self._line_end(self._end)

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _look(self, at: int) -> None:
        """Find the line around an offset of the text that is kept, and its hour."""
        if not self._start <= at <= self._end:
            lowest = max(0, self._end + 1) if at > self._end else 0
            self._start = self._text.rfind("\n", lowest, at) + 1 or lowest
            self._end = self._line_end(at)
        elif self._is_known:
            return
        if self._start >= 0:  # else its head was forgotten
            self._hour, self._behind = hour_of_line(self._text, self._start)
            end = min(self._end, self._start + LINE_HEAD)
            self._is_known = self._hour is not None or end < len(self._text)

    def hours(self, offsets: Sequence[int]) -> list[str | None]:
        """Return the hour of the line of each offset in the text."""
        if self._waiting:
            self._join()
        base = self._base
        if self._clock < base and self._hour is None:
            return [None] * len(offsets)  # most text holds no times
        found: list[str | None] = []
        for offset in offsets:
            at = offset - base
            if not (self._is_known and self._start <= at <= self._end):
                self._look(at)
            found.append(self._hour if at >= self._behind else None)
        return found


class WatchedText:
    """A search that passes its text to `LineHours`, too, for the decoder that feeds it.

    Args:
        search: the search.
        lines: looks at the lines of the text.
    """

    def __init__(self, search: TextTaker, lines: LineHours) -> None:
        self._search = search
        self._lines = lines

    @property
    def takes_bytes(self) -> bool:
        """Whether it takes UTF-8 as bytes; offsets of lines are then those of bytes."""
        return self._search.takes_bytes

    @property
    def stray(self) -> int:
        """The number of bytes that did not decode."""
        return self._search.stray

    def enter(self, context: str, offset: int, lines: int, size: int = 0, /) -> None:
        """Begin in the middle of a text, at the start of a line."""
        self._lines.restart(size if self._search.takes_bytes else offset)
        self._search.enter(context, offset, lines, size)

    def feed(self, text: str, /) -> None:
        """Take text."""
        self._lines.feed(text)
        self._search.feed(text)

    def feed_bytes(self, data: bytes, /) -> None:
        """Take UTF-8; a byte of it counts as a character of the lines."""
        self._lines.feed(str(data, "latin-1"))
        self._search.feed_bytes(data)

    def close(self) -> None:
        """End the text."""
        self._search.close()
