"""A text made of stretches of another one, and the ways back from it: to bytes, and to line and column.

A carrier (the markup of HTML, flowed lines, quoted `From ` lines) is taken off by leaving characters out and by
putting others in their place. A `Selection` remembers the stretches, so that every character still has its place.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.documents import WayBack

__all__ = ["SelectedOffsets", "Selection", "Shift", "SourceLines", "selected"]


class Selection:
    """Which stretches of a source text another text is made of; offsets count characters.

    Stretches are added in the order of the text. A stretch of the source that is replaced by a text of another length
    (a character reference) is one place: all characters of the replacement stand where it begins.
    """

    __slots__ = ("_begins", "_ends", "_starts", "length")

    def __init__(self) -> None:
        # Where each stretch begins in the text, and where it stands in the source: there may be one for each line.
        self._begins = array("q")
        self._starts = array("q")
        self._ends = array("q")
        self.length = 0
        """The number of characters of the text."""

    def add(self, start: int, end: int) -> None:
        """Add the characters of the source from `start` to `end`."""
        self._begins.append(self.length)
        self._starts.append(start)
        self._ends.append(end)
        self.length += end - start

    def replace(self, start: int, end: int, length: int) -> None:
        """Add `length` characters that stand for those of the source from `start` to `end`."""
        if length:
            self._begins.append(self.length)
            self._starts.append(start)
            self._ends.append(end)
            self.length += length

    def extend(self, other: Selection | Shift, start: int, end: int) -> None:
        """Add what another selection from the same source says of its text from `start` to `end`."""
        if isinstance(other, Shift):
            self.add(other.source(start), other.source(end))
            return
        for run in range(max(0, bisect_right(other._begins, start) - 1), len(other._begins)):
            begin, source, source_end = other._begins[run], other._starts[run], other._ends[run]
            if begin >= end:
                break
            following = other._following(run)
            first, last = max(begin, start), min(following, end)
            if first >= last:
                continue
            if following - begin == source_end - source:
                self.add(first + source - begin, last + source - begin)
            else:
                self.replace(source, source_end, last - first)

    def source(self, offset: int) -> int:
        """Where the character at an offset of the text begins in the source."""
        if not self._begins:
            return 0
        run = max(0, bisect_right(self._begins, offset) - 1)
        begin, start, end = self._begins[run], self._starts[run], self._ends[run]
        if end - start != self._following(run) - begin:
            return start
        return min(end, start + offset - begin)

    def source_end(self, offset: int) -> int:
        """Where the character before an offset of the text ends in the source."""
        if not self._begins:
            return 0
        run = max(0, bisect_right(self._begins, offset - 1) - 1)
        begin, start, end = self._begins[run], self._starts[run], self._ends[run]
        following = self._following(run)
        if offset >= following or end - start != following - begin:
            return end
        return start + offset - begin

    def _following(self, run: int) -> int:
        return self._begins[run + 1] if run + 1 < len(self._begins) else self.length


class Shift:
    """A single stretch of a source text, as it is.

    Args:
        start: where it begins.
    """

    __slots__ = ("_start",)

    def __init__(self, start: int) -> None:
        self._start = start

    def source(self, offset: int) -> int:
        """Where the character at an offset of the stretch begins in the source."""
        return self._start + offset

    source_end = source


class SelectedOffsets(OffsetMap):
    """The way from the characters of a selection to bytes.

    Args:
        inner: the way from the characters of the source to the bytes of a stretch; None if each is one byte.
        selection: the stretches of the source; None if the text is the source.
        byte_start: where the stretch begins.
        removed: places, in the bytes that `inner` and `byte_start` count, before each of which one byte was left out.
        start: where the first byte that `removed` counts stands in the file.
    """

    __slots__ = ("_byte_start", "_inner", "_removed", "_selection", "_shift")

    def __init__(
        self,
        inner: OffsetMap | None,
        selection: Selection | Shift | None = None,
        *,
        byte_start: int = 0,
        removed: Sequence[int] = (),
        start: int = 0,
    ) -> None:
        super().__init__()
        self._inner = inner
        self._selection = selection
        self._byte_start = byte_start
        self._removed = removed
        self._shift = start

    def locate(self, offset: int) -> int:
        """The byte at which a character starts.

        Raises:
            LookupError: as for `OffsetMap.locate`.
        """
        return self._byte(offset if self._selection is None else self._selection.source(offset))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The bytes from which the characters from `start` to `end` came, with those left out between them.

        Raises:
            LookupError: as for `OffsetMap.locate`.
        """
        return self.locate(start), self._byte(end if self._selection is None else self._selection.source_end(end))

    def stretch(self, offset: int) -> tuple[int, int, int, int]:
        """No place lies in a stretch: each is looked up."""
        return (0, 0, 1, 0)

    def _byte(self, place: int) -> int:
        byte = self._byte_start + (place if self._inner is None else self._inner.locate(place))
        return self._shift + byte + (bisect_right(self._removed, byte) if self._removed else 0)


def selected(offsets: WayBack, selection: Selection | Shift) -> WayBack:
    """The way back of a selection from a text that has one."""

    def way_back() -> OffsetMap | None:
        inner = offsets()
        return None if inner is None else SelectedOffsets(inner, selection)

    return way_back


class SourceLines:
    """SourceLines and columns of a text, or of a stretch of one; asking in rising order is fast.

    Args:
        text: the stretch.
        start: the offset of its first character in the text.
        line: the line, from 1, of that character.
        column: its column, from 1.
    """

    __slots__ = ("_at", "_column", "_line", "_line_start", "_origin", "_start", "_text")

    def __init__(self, text: str, start: int = 0, line: int = 1, column: int = 1) -> None:
        self._text = text
        self._start = start
        self._origin = (line, 1 - column)
        self._at = 0
        self._line, self._line_start = self._origin

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of the character at an offset of the text."""
        here = offset - self._start
        if here < self._at:
            self._at = 0
            self._line, self._line_start = self._origin
        breaks = self._text.count("\n", self._at, here)
        if breaks:
            self._line += breaks
            self._line_start = self._text.rfind("\n", self._at, here) + 1
        self._at = here
        return self._line, here - self._line_start + 1
