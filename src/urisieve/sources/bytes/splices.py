"""The map from a text in which escapes were resolved to the text that had them."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from urisieve.lean.hints import Final
from urisieve.sources.bytes.offsets import OffsetMap

__all__ = ["SplicedMap", "Splices"]

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

    def original(self, offset: int) -> int:
        """Return the offset in the old text of a character of the new text; its end is the start of the next one."""
        index = bisect_right(self._news, offset) - 1
        if index < 0:
            return offset + self._before
        return offset - self._news[index] + self._olds[index]

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


class SplicedMap(OffsetMap):
    """The map to bytes from a text in which escapes were resolved.

    Args:
        splices: the map to the text that had the escapes.
        outer: the map from that text to bytes.
        start: the offset of this text in that one, in characters.
        byte_start: the offset of that text, in bytes.
    """

    __slots__ = ("_byte_start", "_outer", "_splices", "_start")

    def __init__(self, splices: Splices, outer: OffsetMap, start: int = 0, byte_start: int = 0) -> None:
        super().__init__()
        self._splices = splices
        self._outer = outer
        self._start = start
        self._byte_start = byte_start

    def locate(self, offset: int) -> int:
        """Return the byte offset of a character, or of its escape.

        Raises:
            LookupError: the offset was forgotten, or has not been added.
        """
        return self._byte_start + self._outer.locate(self._start + self._splices.original(offset))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end, in bytes, of the characters from `start` to `end`.

        Raises:
            LookupError: as for `locate`.
        """
        return self.locate(start), self.locate(end)

    def stretch(self, offset: int) -> tuple[int, int, int, int]:
        """Return an empty stretch: each offset is looked up."""
        return (0, 0, 1, 0)
