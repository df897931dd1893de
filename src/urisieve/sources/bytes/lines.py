"""Lines: blocks of bytes or of text cut into whole lines, in bounded memory; lines of text with their source maps.

Also defines:

- the search for a few bytes in many: by the compiled kernel many at a time.
- lines with their bytes unchanged, and their text.
- the cells of a line of a table, for those who read rows and those who pass them on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, count, repeat

from urisieve.errors import InputError
from urisieve.lean import AnyStr, Final, Generic, NamedTuple, cast, overload
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import Family, find_encoding, marked_encoding, wide_encoding
from urisieve.sources.bytes.reading import BLOCK_SIZE

# Log lines stay far below a megabyte (journald cuts at 48 KiB, Docker at 16); a longer one is hardly one record, and
# all of it, with its source map, would have to be in memory.
LINE_LIMIT: Final = 1_048_576


# Some of the characters that end every identifier (RFC 3986 Appendix C).
_ENDS: Final = ' \t"<>'


# ---------------------------------------------------------------- whole lines


class LongRest(Generic[AnyStr]):
    """A line beyond a limit: the part that was read, and the rest up to its line feed. Each piece is yielded once."""

    def __init__(self, begun: list[AnyStr], blocks: Iterator[AnyStr], feed: AnyStr) -> None:
        self._blocks: Iterator[AnyStr] = chain(begun, blocks)
        self._feed: AnyStr = feed
        self._ended = False
        self.length = 0
        """The length of the pieces yielded so far."""
        self.behind: AnyStr = feed[:0]
        """The piece read beyond the line feed."""

    def __iter__(self) -> Iterator[AnyStr]:
        while not self._ended:
            block = next(self._blocks, None)
            if block is None:
                self._ended = True
                return
            piece, feed, self.behind = block.partition(self._feed)
            self._ended = bool(feed)
            self.length += len(piece)
            yield piece


@overload
def whole_lines(blocks: Iterable[AnyStr], feed: AnyStr) -> Iterator[AnyStr]: ...


@overload
def whole_lines(blocks: Iterable[AnyStr], feed: AnyStr, limit: int) -> Iterator[AnyStr | LongRest[AnyStr]]: ...


def whole_lines(
    blocks: Iterable[AnyStr], feed: AnyStr, limit: int | None = None
) -> Iterator[AnyStr] | Iterator[AnyStr | LongRest[AnyStr]]:
    r"""Cut a stream at the ends of lines, and nowhere else.

    >>> list(whole_lines(["a\nb", "c\nd\n", "e"], "\n"))
    ['a\n', 'bc\nd\n', 'e']

    Memory is that of a block and of the longest line, at most `limit` and a block.

    Args:
        blocks: the stream, as bytes or as text.
        feed: the line feed.
        limit: the length beyond which a line is not held; None for no limit.

    Yields:
        for each block the lines that it completes, as one string that ends with a line feed; last the text without one.
        A line longer than `limit` when a block ends in it is a `LongRest`, to be read before the next is asked for.

    Raises:
        InputError: the blocks raise it; the line begun then is not yielded.
    """
    stream = iter(blocks)
    begun: list[AnyStr] = []
    length = 0
    for block in stream:
        end = block.rfind(feed) + 1
        if end:
            begun.append(block[:end])
            whole = feed[:0].join(begun)
            begun = [block[end:]]
            length = len(block) - end
            del block  # a line may be as long as all of it
            yield whole
        else:
            begun.append(block)
            length += len(block)
        if limit is not None and length > limit:
            rest = LongRest(begun, stream, feed)
            yield rest
            for _ in rest:  # the rest of it
                pass
            end = rest.behind.rfind(feed) + 1
            if end:
                yield rest.behind[:end]
            begun = [rest.behind[end:]]
            length = len(begun[0])
    last = feed[:0].join(begun)
    if last:
        yield last


# ---------------------------------------------------------------- lines of text


class Line(NamedTuple):
    """A line without its line feed: its number from 1, and its offset in the text, in characters."""

    number: int
    start: int
    text: str


class LongLine(NamedTuple):
    """A line beyond the limit, in pieces, to be read before the next line is asked for."""

    number: int
    start: int
    pieces: Iterator[str]


class Lines(NamedTuple):
    """Some lines, one after the other.

    Attributes:
        number: the number of the first line, from 1.
        start: the offset of the first line in the text, in characters; 0 if bytes are kept.
        texts: each line without its line feed; the error for a line that does not decode.
        data: the bytes of each line, with its line feed; empty if bytes are not kept.
    """

    number: int
    start: int
    texts: Sequence[str | UnicodeDecodeError]
    data: Iterable[bytes]

    def numbered(self) -> list[Line]:
        """Return the lines with their numbers and offsets, if all of them decode: stray bytes are kept."""
        texts = cast("Sequence[str]", self.texts)
        starts = accumulate(map((1).__add__, map(len, texts)), initial=self.start)
        return list(map(Line, count(self.number), starts, texts))


class LineReader:
    """Reads the lines of a stream of bytes; a line ends after U+000A.

    Memory is that of a block and of the longest line, at most `LINE_LIMIT` characters.

    Args:
        blocks: the bytes.
        encoding: the name of a codec, as for `ByteDecoder`.
        after: the numbers of lines and bytes before the first block, if the stream is entered behind a line.

    Attributes:
        decoder: the decoder of the text.

    Iterating raises `InputError` if the blocks do, after the part of the line before it has been yielded as a line, up
    to a character that ends every identifier.

    Raises:
        UsageError: the encoding is not known.
    """

    def __init__(self, blocks: Iterable[bytes], encoding: str | None = None, after: tuple[int, int] = (0, 0)) -> None:
        self._first, size = after[0] + 1, after[1]
        self.decoder = ByteDecoder(encoding, keep=LINE_LIMIT + 2 * BLOCK_SIZE, after=(0, size) if size else None)
        self._texts = self.decoder.pieces(blocks)

    @property
    def legacy(self) -> bool:
        """Whether the encoding is not one of Unicode."""
        return not self.decoder.encoding.is_unicode

    def __iter__(self) -> Iterator[Line | LongLine]:
        for lines in self.batches():
            if isinstance(lines, LongLine):
                yield lines
            else:
                yield from lines.numbered()

    def batches(self) -> Iterator[Lines | LongLine]:
        """Yield the lines, as many at once as a block completes."""
        number, start = self._first, 0
        for whole in whole_lines(self._texts, "\n", LINE_LIMIT):
            if isinstance(whole, LongRest):
                yield LongLine(number, start, iter(whole))
                for _ in whole:  # the rest of it
                    pass
                number += 1
                start += whole.length + 1
                continue
            texts = whole.split("\n")
            last = texts.pop()
            if last and self.decoder.cut is not None:  # the last text may be cut in its middle
                last = last[: max(map(last.rfind, _ENDS)) + 1]
            if last:
                texts.append(last)
            if texts:
                yield Lines(number, start, texts, repeat(b""))
            number += len(texts)
            start += len(whole)
        if self.decoder.cut is not None:
            raise self.decoder.cut


def text_lines(blocks: Iterable[bytes], encoding: str | None = None) -> Iterator[list[str]]:
    """Yield the lines of a stream of bytes, without their ends: for each block those that it completes.

    A line ends after U+000A, and U+000D before it is part of the end.
    Memory is that of a block and of the longest line.

    Raises:
        UsageError: the encoding is not known.
    """
    decoder = ByteDecoder(encoding, keep=None)

    def texts() -> Iterator[str]:
        yield from map(decoder.feed, blocks)
        yield decoder.close()

    for whole in whole_lines(texts(), "\n"):
        yield [line.removesuffix("\r") for line in whole.removesuffix("\n").split("\n")]


def kept_lines(blocks: Iterable[bytes], encoding: str | None = None, *, limit: int) -> Iterator[Lines]:
    """Yield the lines of a stream of bytes, unchanged and as text.

    Args:
        blocks: the bytes.
        encoding: the name of a codec, in which the byte 0A has to be a line feed everywhere; UTF-8 by default.
        limit: the length in bytes that no line may exceed.

    Iterating raises `InputError` if the blocks do; if a line is longer than `limit`; if the text begins with
    the mark of UTF-16 or UTF-32.
    """
    chosen = find_encoding(encoding)
    codec = None if chosen.family is Family.UTF8 else encoding
    is_like_ascii = chosen.breaks_lines_like_ascii
    number = 1
    for whole in _whole(blocks, limit, is_chosen=encoding is not None):
        data = _split(whole)
        texts: Sequence[str | UnicodeDecodeError]
        try:
            texts = _text(whole, codec, number).removesuffix("\n").split("\n") if is_like_ascii else ()
        except UnicodeDecodeError:
            texts = ()
        del whole
        texts = texts or [_text_or_error(line, codec, number + index) for index, line in enumerate(data)]
        yield Lines(number, 0, texts, data)
        number += len(data)


class LineCursor:
    """Lines in UTF-8, of which a reader takes many at once, or the next one; see `kept_lines`.

    Args:
        blocks: the bytes.
        limit: the length in bytes that no line may exceed.
    """

    def __init__(self, blocks: Iterable[bytes], limit: int) -> None:
        self._blocks = _whole(blocks, limit)
        self.number = 1
        """The number of the first line that has not been taken, from 1."""
        self.data = b""
        """Whole lines, some of which have been taken."""
        self.start = 0
        """The offset of the first line in them that has not been taken."""
        self.is_text = False
        """Whether they are valid UTF-8."""

    def fill(self) -> bool:
        """Go on to the next lines where all have been taken; return whether there are any.

        Raises:
            InputError: as `kept_lines`.
        """
        while self.start == len(self.data):
            block = next(self._blocks, None)
            if block is None:
                return False
            self.data, self.start = block, 0
            try:
                self.is_text = block.isascii() or bool(block.decode())
            except UnicodeDecodeError:
                self.is_text = False
        return True

    def take(self, end: int, lines: int) -> None:
        """Take lines up to an offset, of which their number is known."""
        self.start = end
        self.number += lines

    def line(self) -> Lines:
        """Take the next line; `fill` has found that there is one."""
        number, start = self.number, self.start
        end = self.data.find(b"\n", start) + 1 or len(self.data)
        self.take(end, 1)
        line = self.data[start:end]
        return Lines(number, 0, (_text_or_error(line, None, number),), (line,))


def _whole(blocks: Iterable[bytes], limit: int, *, is_chosen: bool = False) -> Iterator[bytes]:
    """Yield whole lines, as many as a block completes; `is_chosen` is whether somebody has named an encoding."""
    for whole in whole_lines(_unmarked(blocks, is_chosen=is_chosen), b"\n", limit):
        if isinstance(whole, LongRest):
            raise InputError(f"a row is longer than {limit:,} bytes; the rest is not read")
        yield whole


def _unmarked(blocks: Iterable[bytes], *, is_chosen: bool) -> Iterator[bytes]:
    """Yield blocks that are not UTF-16 or UTF-32.

    Raises:
        InputError: they begin with the mark of one of these; or none `is_chosen`, and the first is UTF-16 without one.
    """
    is_first = True
    for block in blocks:
        if is_first and block:
            is_first = False
            marked = marked_encoding(block)
            wide = marked[1] if marked else None if is_chosen else wide_encoding(block)
            if wide is not None and wide.family is not Family.UTF8:
                name = wide.name.upper()
                raise InputError(f"is {name}, whose rows cannot be kept as they are; convert it to UTF-8")
        yield block


def _split(data: bytes) -> list[bytes]:
    """Return lines with their ends, which are line feeds and nothing else; the last one may have none."""
    if b"\r" not in data:
        return data.splitlines(keepends=True)
    *lines, last = data.split(b"\n")
    lines = [line + b"\n" for line in lines]
    return [*lines, last] if last else lines


def _text(data: bytes, codec: str | None, number: int) -> str:
    """Return the text of lines from a number on; a byte order mark of UTF-8 before the first one is not part of it.

    Raises:
        UnicodeDecodeError: the lines do not decode.
    """
    return data.decode(codec or ("utf-8-sig" if number == 1 else "utf-8"))


def _text_or_error(line: bytes, codec: str | None, number: int) -> str | UnicodeDecodeError:
    try:
        return _text(line, codec, number).removesuffix("\n")
    except UnicodeDecodeError as error:
        return error.with_traceback(None)


def cells_of_line(line: str, delimiter: str) -> tuple[list[str], bool]:
    """Return the cells of a row that ends with its line, and whether a quotation mark is never closed in the last one.

    >>> cells_of_line('a,"b,c', ",")
    (['a', 'b,c'], True)

    Raises:
        csv.Error: a cell is too long.
    """
    import csv

    is_open = False

    def lines() -> Iterator[str]:
        nonlocal is_open
        yield line
        is_open = True  # the parser asks for more

    return next(csv.reader(lines(), delimiter=delimiter)), is_open
