"""The way back from a text in which escapes were resolved to the text that had them."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from urisieve.sources.bytes.offsets import OffsetMap

__all__ = ["SplicedMap", "Splices"]

# Forgetting is done in batches: a list is moved at every call otherwise.
_BATCH: Final = 4_096


class Splices:
    """Where stretches of a text were replaced by shorter or longer ones; offsets are in characters.

    What was copied needs no entry. Any offset in the new text from the last `forget` on may be asked for.
    """

    __slots__ = ("_before", "_news", "_olds", "_shift")

    def __init__(self) -> None:
        self._shift = 0  # old minus new offset, after the last replacement
        self._before = 0  # the same, before the first one remembered
        self._news: list[int] = []  # the places in the new text from which the shift is another one
        self._olds: list[int] = []  # the same places in the old text

    def replace(self, start: int, old: int, new: int) -> None:
        """Note that the new text from `start` on has `new` characters for `old` ones.

        Where there are several new ones, each but the last is held to stand for one old character.
        """
        if old == new:
            return
        at = start + new
        self._olds.append(at + self._shift + old - new)
        self._news.append(at)
        self._shift += old - new

    def original(self, offset: int) -> int:
        """The offset in the old text of a character of the new one; the end of one is the start of the next."""
        place = bisect_right(self._news, offset) - 1
        if place < 0:
            return offset + self._before
        return offset - self._news[place] + self._olds[place]

    def changed(self, start: int, end: int) -> bool:
        """Whether a replacement that is remembered stands between two places of the new text."""
        return bisect_right(self._news, end) > bisect_right(self._news, start)

    def forget(self, before: int) -> None:
        """Drop what is only needed for characters of the new text before an offset."""
        if len(self._news) < _BATCH:
            return
        place = bisect_right(self._news, before) - 1
        if place > 0:
            self._before = self._olds[place - 1] - self._news[place - 1]
            del self._news[:place]
            del self._olds[:place]


class SplicedMap(OffsetMap):
    """The way back to bytes from a text in which escapes were resolved.

    Args:
        splices: the way back to the text before that.
        outer: the way from there to bytes.
        start: where the text began in that one, in characters.
        byte_start: where that one began, in bytes.
    """

    __slots__ = ("_byte_start", "_outer", "_splices", "_start")

    def __init__(self, splices: Splices, outer: OffsetMap, start: int = 0, byte_start: int = 0) -> None:
        super().__init__()
        self._splices = splices
        self._outer = outer
        self._start = start
        self._byte_start = byte_start

    def locate(self, offset: int) -> int:
        """The byte at which a character starts, or that of its escape.

        Raises:
            LookupError: it was forgotten, or has not been added.
        """
        return self._byte_start + self._outer.locate(self._start + self._splices.original(offset))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The bytes from which the characters from `start` to `end` came.

        Raises:
            LookupError: as for `locate`.
        """
        return self.locate(start), self.locate(end)

    def stretch(self, offset: int) -> tuple[int, int, int, int]:
        """No place lies in a stretch: each is looked up."""
        return (0, 0, 1, 0)
