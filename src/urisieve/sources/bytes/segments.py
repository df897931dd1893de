"""Where a file can be cut so that its parts, each sieved for itself, give what the whole gives.

A cut stands after a line feed that no candidate crosses. Only a candidate in angle brackets crosses one (RFC 3986
Appendix C), so a line feed is safe where no "<" stands before it, or where something that ends such a candidate stands
between. A little text before the cut goes with the part, as context. No I/O but positioned reads of what is open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

__all__ = ["CONTEXT_SIZE", "Segment", "segments"]

# Bytes before a segment that may tell how its first identifier is wrapped: "URL:", the white space after it, an opener.
CONTEXT_SIZE: Final = 512
# How far is read at once when a safe line feed is looked for.
_WINDOW: Final = 65_536
# The opener, "URL:" and the white space before a candidate, in characters.
_PREFIX: Final = 96
# Line feeds that are looked at for one cut. Text in which so many in a row are not safe is left to one process.
_TRIES: Final = 1_000
# A character of UTF-8 takes up to so many bytes.
_WIDEST: Final = 4
# What no candidate in angle brackets crosses, whatever the options.
_END: Final = re.compile(rb'[>"\x00-\x08\x0e-\x1f\x7f]')

# Gives so many bytes from a place on; fewer at the end of the file.
Read = Callable[[int, int], bytes]


class Segment(NamedTuple):
    """A part of a file.

    Attributes:
        start: its first byte.
        end: the byte after its last one; None for all that follows.
    """

    start: int
    end: int | None

    @property
    def context(self) -> int:
        """The first byte of its context."""
        return max(0, self.start - CONTEXT_SIZE)


def segments(read: Read, size: int, length: int, longest: int) -> Iterator[Segment]:
    """Cut a file in an encoding in which the byte 0A is a line feed wherever it stands.

    Args:
        read: reads from the file.
        size: its size in bytes; the last segment takes what comes after it, too.
        length: about how long a segment is, in bytes; one may be longer where no cut is safe.
        longest: the longest candidate, in characters.
    """
    start = 0
    while size - start > length + length // 2:
        cut = _cut(read, start + length, size, (longest + _PREFIX) * _WIDEST)
        if cut is None:
            break
        yield Segment(start, cut)
        start = cut
    yield Segment(start, None)


def _cut(read: Read, place: int, size: int, reach: int) -> int | None:
    """The first safe cut from a place on; None where there is none before the end."""
    base = max(0, place - reach)
    data = read(base, place - base + _WINDOW)
    at = place - base
    for _ in range(_TRIES):
        line_feed = data.find(b"\n", at)
        if line_feed >= 0:
            opener = data.rfind(b"<", max(0, line_feed - reach), line_feed)
            if opener < 0 or _END.search(data, opener + 1, line_feed):
                return base + line_feed + 1 if base + line_feed + 1 < size else None
            end = _END.search(data, line_feed)
            at = min(end.end(), opener + reach + 1) if end else opener + reach + 1
            if at < len(data):
                continue
        else:
            at = max(at, len(data))
        # Go on with what follows, and with as much before it as an opener may reach.
        following = base + at
        if following >= size:
            return None
        base = max(base, following - reach)
        data = read(base, following - base + max(_WINDOW, reach))
        at = following - base
        if len(data) <= at:
            return None
    return None
