"""A text made of stretches of another one, and its maps to byte offsets and to lines and columns.

A carrier (the markup of HTML, flowed lines, quoted `From ` lines) is removed by leaving characters out and by replacing
others. A `Selection` remembers the stretches, so that every character still has its offset in the source.

Also defines:

- the map from a text in which escapes were resolved to the text that had them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from urisieve.lean import Final, Protocol
from urisieve.sources.bytes.offsets import OffsetMap


class SourceMap(Protocol):
    """The way from the characters of a text to those of the source that it was taken from."""

    def source(self, offset: int, /) -> int:
        """Return the start, in the source, of the character at an offset of the text."""

    def source_end(self, offset: int, /) -> int:
        """Return the end, in the source, of the character before an offset of the text."""


class Selection:
    """The stretches of a source text that another text is made of; offsets are in characters.

    Stretches are added in the order of the text. If a stretch of the source is replaced by a text of another length (a
    character reference), all characters of the replacement have the offset at which it begins.

    Args:
        starts: where each of the first stretches begins in the source.
        ends: where it ends.
        lengths: the number of characters that it has in the text.
    """

    __slots__ = ("_begins", "_ends", "_starts", "length")

    def __init__(self, starts: Sequence[int] = (), ends: Sequence[int] = (), lengths: Iterable[int] = ()) -> None:
        # Each stretch: its offset in the text, its start and its end in the source. There may be one for each line.
        *begins, length = accumulate(lengths, initial=0)
        self._begins = array("q", begins)
        self._starts = array("q", starts)
        self._ends = array("q", ends)
        self.length = length
        """The number of characters of the text."""

    def add(self, start: int, end: int) -> None:
        """Add the characters of the source from `start` to `end`."""
        self._begins.append(self.length)
        self._starts.append(start)
        self._ends.append(end)
        self.length += end - start

    def replace(self, start: int, end: int, length: int) -> None:
        """Add `length` characters that replace those of the source from `start` to `end`."""
        if length:
            self._begins.append(self.length)
            self._starts.append(start)
            self._ends.append(end)
            self.length += length

    def extend(self, other: Selection | Shift, start: int, end: int) -> None:
        """Add the stretches of another selection from the same source, for its text from `start` to `end`."""
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
        """Return the start, in the source, of the character at an offset of the text."""
        if not self._begins:
            return 0
        run = max(0, bisect_right(self._begins, offset) - 1)
        begin, start, end = self._begins[run], self._starts[run], self._ends[run]
        if end - start != self._following(run) - begin:
            return start
        return min(end, start + offset - begin)

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text."""
        if not self._begins:
            return 0
        run = max(0, bisect_right(self._begins, offset - 1) - 1)
        begin, start, end = self._begins[run], self._starts[run], self._ends[run]
        if end - start != self._following(run) - begin:
            return end
        return start + offset - begin

    def _following(self, run: int) -> int:
        return self._begins[run + 1] if run + 1 < len(self._begins) else self.length


class Shift:
    """A single unchanged stretch of a source text.

    Args:
        start: its offset in the source, in characters.
    """

    __slots__ = ("_start",)

    def __init__(self, start: int) -> None:
        self._start = start

    def source(self, offset: int) -> int:
        """Return the offset in the source of the character at an offset of the stretch."""
        return self._start + offset

    source_end = source


class LateMap:
    """A way to the source that is made when it is first asked for.

    Args:
        make: makes it.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], SourceMap]) -> None:
        self._make: Callable[[], SourceMap] | None = make
        self._made: SourceMap | None = None

    def _map(self) -> SourceMap:
        if self._made is None:
            assert self._make is not None
            self._made = self._make()
            self._make = None  # what it holds is not needed any more
        return self._made

    def source(self, offset: int) -> int:
        """Return the start, in the source, of the character at an offset of the text."""
        return self._map().source(offset)

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text."""
        return self._map().source_end(offset)


class SelectedOffsets(OffsetMap):
    """The map to bytes from a text that was made of another one.

    Args:
        inner: the map from the characters of the source to the bytes of a stretch; None if each has one byte.
        selection: the way to the source; None if the text is the source.
        first: the offset of the source in the text of `inner`, in characters.
        byte_start: the byte offset at which the stretch begins.
        removed: offsets in the same bytes as `byte_start`, before each of which one byte was left out.
        start: the offset in the file of the byte 0 of `removed`.
    """

    __slots__ = ("_byte_start", "_first", "_inner", "_removed", "_selection", "_shift")

    def __init__(
        self,
        inner: OffsetMap | None,
        selection: SourceMap | None = None,
        first: int = 0,
        *,
        byte_start: int = 0,
        removed: Sequence[int] = (),
        start: int = 0,
    ) -> None:
        super().__init__()
        self._inner = inner
        self._selection = selection
        self._first = first
        self._byte_start = byte_start
        self._removed = removed
        self._shift = start

    def locate(self, offset: int) -> int:
        """Return the byte offset of a character.

        Raises:
            LookupError: as for `OffsetMap.locate`.
        """
        return self._byte(offset if self._selection is None else self._selection.source(offset))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end, in bytes, of the characters from `start` to `end`, with bytes left out between.

        Raises:
            LookupError: as for `OffsetMap.locate`.
        """
        return self.locate(start), self._byte(end if self._selection is None else self._selection.source_end(end))

    def stretch(self, offset: int) -> tuple[int, int, int, int]:
        """Return an empty stretch: each offset is looked up."""
        return (0, 0, 1, 0)

    def _byte(self, offset: int) -> int:
        byte = self._byte_start + (offset if self._inner is None else self._inner.locate(self._first + offset))
        return self._shift + byte + (bisect_right(self._removed, byte) if self._removed else 0)


def selected(
    outer: OffsetMap | None, selection: SourceMap | None = None, first: int = 0, *, byte_start: int = 0
) -> OffsetMap | None:
    """Return the map of a text that was made of another one, by the map of that; None if that has none.

    The arguments are those of `SelectedOffsets`.
    """
    return None if outer is None else SelectedOffsets(outer, selection, first, byte_start=byte_start)


class SourceLines:
    """Lines and columns of a text, or of a stretch of one; looking them up is fast in rising order.

    Args:
        text: the stretch.
        start: the offset of its first character in the text.
        line: the line of that character, from 1.
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
        """Return the line and column of the character at an offset of the text."""
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


# Entries are forgotten in batches: otherwise the list would be moved at every call.
_BATCH: Final = 4_096


class Splices:
    """The stretches of a text that were replaced by shorter or longer ones; offsets are in characters.

    Copied characters need no entry. Any offset in the new text from the last `forget` on may be looked up.
    """

    __slots__ = ("_before", "_news", "_olds", "_shift")

    def __init__(self) -> None:
        self._shift = 0  # old minus new offset, after the last replacement
        self._before = 0  # the same before the first replacement remembered
        # Offsets in the new text at which the shift changes, and the same in the old text. There may be one for every
        # second character of a long string.
        self._news = array("q")
        self._olds = array("q")

    def replace(self, start: int, old: int, new: int) -> None:
        """Note that the new text from `start` on has `new` characters for `old` ones.

        If there are several new ones, each but the last is taken to replace one old character.
        """
        if old == new:
            return
        at = start + new
        self._olds.append(at + self._shift + old - new)
        self._news.append(at)
        self._shift += old - new

    def source(self, offset: int) -> int:
        """Return the offset in the old text of a character of the new text; its end is the start of the next one."""
        index = bisect_right(self._news, offset) - 1
        if index < 0:
            return offset + self._before
        return offset - self._news[index] + self._olds[index]

    source_end = source

    def changed(self, start: int, end: int) -> bool:
        """Report whether a replacement that is remembered is between two offsets of the new text."""
        return bisect_right(self._news, end) > bisect_right(self._news, start)

    def forget(self, before: int) -> None:
        """Drop the entries that are needed only for characters of the new text before an offset."""
        if len(self._news) < _BATCH:
            return
        index = bisect_right(self._news, before) - 1
        if index > 0:
            self._before = self._olds[index - 1] - self._news[index - 1]
            del self._news[:index]
            del self._olds[:index]
