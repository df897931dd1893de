"""Cuts of a file at which its parts, each sieved separately, have the same results as the whole.

A cut is after a line feed that no candidate crosses. Only a candidate in angle brackets crosses one (RFC 3986 Appendix
C), so that a line feed is safe if no "<" precedes it, or if a character between them ends such a candidate. Some text
before the cut is read with the part, as context. The only I/O is positioned reads of an open file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from urisieve.lean import Final, NamedTuple, lazy_compile

__all__ = ["CONTEXT_SIZE", "Segment", "segments"]

# Bytes before a segment that may delimit its first identifier: an opener, "URL:" and the white space after it.
CONTEXT_SIZE: Final = 512
# Bytes that are read at once in the search for a safe line feed.
_WINDOW: Final = 65_536
# The opener, "URL:" and the white space before a candidate, in characters.
_PREFIX: Final = 96
# Line feeds that are examined for one cut. Text in which so many in a row are not safe is left to one process.
_TRIES: Final = 1_000
# Bytes of the longest character of UTF-8.
_WIDEST: Final = 4
# Characters that no candidate in angle brackets crosses, whatever the options.
_END: Final = lazy_compile(rb'[>"\x00-\x08\x0e-\x1f\x7f]')

# Returns the bytes from an offset on, as many as asked for; fewer at the end of the file.
Read = Callable[[int, int], bytes]


class Segment(NamedTuple):
    """A part of a file.

    Attributes:
        start: the offset of its first byte.
        end: the offset after its last byte; None for the end of the file.
    """

    start: int
    end: int | None

    @property
    def context(self) -> int:
        """The offset of the first byte of its context."""
        return max(0, self.start - CONTEXT_SIZE)


def segments(read: Read, size: int, length: int, longest: int) -> Iterator[Segment]:
    """Cut a file into segments; in its encoding the byte 0A must always be a line feed.

    Args:
        read: reads from the file.
        size: its size in bytes; the last segment includes bytes that are appended later.
        length: the approximate length of a segment, in bytes; a segment is longer if no cut is safe.
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


def _cut(read: Read, offset: int, size: int, reach: int) -> int | None:
    """Return the first safe cut from an offset on; None if there is none before the end."""
    base = max(0, offset - reach)
    data = read(base, offset - base + _WINDOW)
    at = offset - base
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
        # Continue with the bytes that follow, and as many before them as an opener may reach.
        following = base + at
        if following >= size:
            return None
        base = max(base, following - reach)
        data = read(base, following - base + max(_WINDOW, reach))
        at = following - base
        if len(data) <= at:
            return None
    return None
