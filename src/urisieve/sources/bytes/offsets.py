"""Maps from offsets in characters to offsets in bytes, for text that was decoded block by block.

A map is a sequence of segments, at most one for each block. If all characters have the same number of bytes, the byte
offset is computed, and neighbouring blocks share one segment; otherwise the text of the block is kept and measured in
small pieces, as far as offsets are requested.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable

from urisieve.sources.bytes.encodings import STRAY, Encoding, find_encoding

# An empty stretch: see `OffsetMap.stretch`.
_NOWHERE = (0, 0, 1, 0)


class _Uniform:
    """A segment in which every character has `width` bytes."""

    __slots__ = ("byte_end", "end", "shift", "start", "width")

    def __init__(self, start: int, end: int, byte_start: int, width: int) -> None:
        self.start = start
        self.end = end
        self.width = width
        self.shift = byte_start - start * width
        self.byte_end = self.shift + end * width

    def extend(self, characters: int) -> None:
        self.end += characters
        self.byte_end += characters * self.width

    def locate(self, offset: int) -> int:
        return offset * self.width + self.shift

    def stretch(self, _: int) -> tuple[int, int, int, int]:
        return self.start, self.end, self.width, self.shift


# Characters of a piece of a measured segment: an offset requested is at most this far from a known one, and in most
# texts most pieces hold only ASCII characters.
_PIECE = 512


class _Measured:
    """A segment of text that is measured piece by piece, as far as offsets are requested."""

    __slots__ = ("_bytes", "_measure", "_text", "_widths", "byte_end", "end", "start")

    def __init__(self, start: int, byte_start: int, size: int, text: str, measure: Callable[[str], int]) -> None:
        self.start = start
        self.end = start + len(text)
        self.byte_end = byte_start + size
        self._text = text
        self._measure = measure
        self._bytes = [byte_start]  # the byte offset of each piece
        self._widths: list[int] = []  # bytes of each character of a piece; 0 if they differ

    def locate(self, offset: int) -> int:
        number, inside = divmod(offset - self.start, _PIECE)
        width = self._width(number)
        if not width:
            first = number * _PIECE
            return self._bytes[number] + self._measure(self._text[first : first + inside])
        return self._bytes[number] + inside * width

    def stretch(self, offset: int) -> tuple[int, int, int, int]:
        number = (offset - self.start) // _PIECE
        width = self._width(number)
        if not width:
            return _NOWHERE
        start = self.start + number * _PIECE
        return start, min(start + _PIECE, self.end), width, self._bytes[number] - start * width

    def _width(self, number: int) -> int:
        widths = self._widths
        while len(widths) <= number:
            first = len(widths) * _PIECE
            piece = self._text[first : first + _PIECE]
            size = self._measure(piece)
            widths.append(size // len(piece) if piece.isascii() else 0)
            self._bytes.append(self._bytes[-1] + size)
        return widths[number]


class _EncodedSegment:
    """A segment in a multi-byte encoding, whose text may not encode to the bytes that it was decoded from."""

    __slots__ = ("_byte_start", "_data", "_encoding", "_inner", "_starts", "_text", "byte_end", "end", "start")

    def __init__(self, start: int, byte_start: int, text: str, data: bytes, encoding: Encoding) -> None:
        self.start = start
        self.end = start + len(text)
        self._byte_start = byte_start
        self.byte_end = byte_start + len(data)
        self._text = text
        self._data = data
        self._encoding = encoding
        self._inner: _Measured | None = None
        self._starts: array[int] | None = None

    def locate(self, offset: int) -> int:
        if self._inner is None and self._starts is None:
            if self._is_invertible():
                self._inner = _Measured(self.start, self._byte_start, len(self._data), self._text, self._size)
            else:
                self._starts = _sequence_starts(self._data, self._encoding.name)
        if self._inner is not None:
            return self._inner.locate(offset)
        assert self._starts is not None
        return self._byte_start + self._starts[offset - self.start]

    def stretch(self, offset: int) -> tuple[int, int, int, int]:
        return _NOWHERE if self._inner is None else self._inner.stretch(offset)

    def _size(self, text: str) -> int:
        return len(text) if text.isascii() else len(text.encode(self._encoding.name, STRAY))

    def _is_invertible(self) -> bool:
        return not self._encoding.pairs and self._text.encode(self._encoding.name, STRAY) == self._data


# Bytes of the longest sequence of the multi-byte encodings (GB 18030).
_LONGEST_SEQUENCE = 4


def _sequence_starts(data: bytes, name: str) -> array[int]:
    """Return the offset in `data` of each character and of the end; the second of a pair starts after both."""
    starts = array("L", [0])
    offset = 0
    while offset < len(data):
        size = characters = 1  # a stray byte
        for length in range(1, _LONGEST_SEQUENCE + 1):
            try:
                characters = len(data[offset : offset + length].decode(name))
            except UnicodeDecodeError:
                continue
            size = length
            break
        offset += size
        starts.extend([offset] * characters)
    return starts


class OffsetMap:
    """A map from characters to bytes in one stream.

    Blocks are added in order. Any offset from the last `forget` on may be looked up; it is fast in rising order.

    Args:
        byte_start: the byte offset of the first character, after a byte order mark.
    """

    __slots__ = ("_last", "_segments", "characters", "size")

    def __init__(self, byte_start: int = 0) -> None:
        self.characters = 0
        """The number of characters added."""
        self.size = byte_start
        """The number of their bytes, with the mark."""
        self._last: _Uniform | _Measured | _EncodedSegment = _Uniform(0, 0, byte_start, 1)
        self._segments: deque[_Uniform | _Measured | _EncodedSegment] = deque([self._last])

    def add_uniform(self, characters: int, width: int) -> None:
        """Add a block in which every character has `width` bytes."""
        last = self._segments[-1]
        if isinstance(last, _Uniform) and last.width == width:
            last.extend(characters)
        else:
            self._segments.append(_Uniform(self.characters, self.characters + characters, self.size, width))
        self.characters += characters
        self.size += characters * width

    def add_text(self, text: str, size: int, measure: Callable[[str], int]) -> None:
        """Add a block of `size` bytes; `measure` returns the size of any piece of it."""
        self._segments.append(_Measured(self.characters, self.size, size, text, measure))
        self.characters += len(text)
        self.size += size

    def add_sequences(self, text: str, data: bytes, encoding: Encoding) -> None:
        """Add a block of a multi-byte encoding."""
        self._segments.append(_EncodedSegment(self.characters, self.size, text, data, encoding))
        self.characters += len(text)
        self.size += len(data)

    def forget(self, before: int) -> None:
        """Drop the segments that are needed only for characters before an offset."""
        segments = self._segments
        while len(segments) > 1 and segments[0].end <= before:
            segments.popleft()
        if self._last.end <= before:
            self._last = segments[0]

    def locate(self, offset: int) -> int:
        """Return the byte offset of a character; at the end of the text, that after the last byte.

        Raises:
            LookupError: the offset was forgotten, or has not been added.
        """
        last = self._last
        if not last.start <= offset < last.end:
            last = self._last = self._find(offset)
            if offset == last.end:
                return last.byte_end
        return last.locate(offset)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end, in bytes, of the characters from `start` to `end`.

        Raises:
            LookupError: as for `locate`.
        """
        last = self._last
        if last.__class__ is _Uniform and last.start <= start and end < last.end:
            width, shift = last.width, last.shift
            return start * width + shift, end * width + shift
        return self.locate(start), self.locate(end)

    def stretch(self, offset: int) -> tuple[int, int, int, int]:
        """Return the stretch around a character in which all have the same number of bytes.

        Returns:
            first, stop, width and shift: the character at `offset` starts at byte `offset * width + shift` if
            `first <= offset < stop`. The stretch is empty if the segment must be measured.

        Raises:
            LookupError: as for `locate`.
        """
        last = self._last
        if not last.start <= offset < last.end:
            last = self._last = self._find(offset)
        return last.stretch(offset)

    def _find(self, offset: int) -> _Uniform | _Measured | _EncodedSegment:
        for segment in self._segments:
            if segment.start <= offset < segment.end:
                return segment
        final = self._segments[-1]
        if offset == final.end:
            return final
        raise LookupError(f"character {offset} is outside {self._segments[0].start} to {final.end}")


def utf8_offsets(text: str, size: int, start: int) -> OffsetMap:
    """Return the map of a text that was decoded from so many bytes of UTF-8, from an offset on."""
    offsets = OffsetMap(start)
    offsets.add_text(text, size, find_encoding("utf-8").measure())
    return offsets
