"""Lines of text from blocks of bytes, with a limit on their length and the way back to bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.bytes.splices import SplicedMap, Splices

__all__ = ["LINE_LIMIT", "Line", "LineReader", "LongLine"]

# Log lines stay far below a megabyte (journald cuts at 48 KiB, Docker at 16); a longer one is hardly one record, and
# all of it, with the way back, would have to be in memory.
LINE_LIMIT: Final = 1_048_576


# Some of what no identifier goes beyond (RFC 3986 Appendix C).
_ENDS: Final = ' \t"<>'


class Line(NamedTuple):
    """A line without its line feed: its number from 1, and where it begins in the text, in characters."""

    number: int
    start: int
    text: str


class LongLine(NamedTuple):
    """A line beyond the limit, in pieces, to be read before the next line is asked for."""

    number: int
    start: int
    pieces: Iterator[str]


class LineReader:
    """Gives the lines of a stream of bytes; a line ends after U+000A.

    Memory is that of a block and of the longest line, at most `LINE_LIMIT` characters.

    Args:
        blocks: the bytes.
        encoding: the name of a codec, as for `ByteDecoder`.

    Iterating raises `InputError` where the blocks do, after what there was of the line has been given as one, up to
    something that ends every identifier.

    Raises:
        UsageError: the encoding is not known.
    """

    def __init__(self, blocks: Iterable[bytes], encoding: str | None = None) -> None:
        self._decoder = ByteDecoder(encoding, keep=LINE_LIMIT + 2 * BLOCK_SIZE)
        self._texts = self._decoder.pieces(blocks)

    @property
    def decoder(self) -> ByteDecoder:
        """What decodes the text."""
        return self._decoder

    @property
    def legacy(self) -> bool:
        """Whether the encoding is not one of Unicode."""
        return not self._decoder.encoding.is_unicode

    def way_back(self, start: int, splices: Splices | None = None) -> OffsetMap | None:
        """The way from the characters of a text to bytes; None where the encoding has none.

        Args:
            start: where the text begins in the stream, in characters.
            splices: the way from the text to what stood there, if its escapes were resolved.
        """
        outer = self._decoder.offsets
        return None if outer is None else SplicedMap(splices or Splices(), outer, start)

    def __iter__(self) -> Iterator[Line | LongLine]:
        number, start = 1, 0
        begun: list[str] = []
        length = 0
        breaks = False  # whether a line feed may stand in what has begun
        for text in self._texts:
            begun.append(text)
            length += len(text)
            if breaks or "\n" in text:
                breaks = False
                *lines, rest = "".join(begun).split("\n")
                for line in lines:
                    yield Line(number, start, line)
                    number += 1
                    start += len(line) + 1
                begun = [rest]
                length = len(rest)
            if length > LINE_LIMIT:
                pieces = _LongPieces(begun, self._texts)
                yield LongLine(number, start, iter(pieces))
                for _ in pieces:  # what was left of it
                    pass
                number += 1
                start += pieces.length + 1
                begun = [pieces.behind]
                length = len(pieces.behind)
                breaks = True
        *lines, rest = "".join(begun).split("\n")
        if self._decoder.cut is not None:  # what stands last may be cut in its middle
            rest = rest[: max(map(rest.rfind, _ENDS)) + 1]
        for line in [*lines, rest] if rest else lines:
            yield Line(number, start, line)
            number += 1
            start += len(line) + 1
        if self._decoder.cut is not None:
            raise self._decoder.cut


class _LongPieces:
    """What was read of a line, and the rest of it up to its line feed; each piece is given once."""

    def __init__(self, begun: list[str], texts: Iterator[str]) -> None:
        self._texts = chain(begun, texts)
        self._ended = False
        self.length = 0
        self.behind = ""
        """What was read beyond the line feed."""

    def __iter__(self) -> Iterator[str]:
        while not self._ended:
            text = next(self._texts, None)
            if text is None:
                self._ended = True
                return
            piece, feed, self.behind = text.partition("\n")
            self._ended = feed != ""
            self.length += len(piece)
            yield piece
