"""Lines with their bytes unchanged, and their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from urisieve.errors import InputError
from urisieve.sources.bytes.encodings import BYTE_ORDER_MARKS, Family, find_encoding
from urisieve.sources.bytes.lines import Lines, LongRest, whole_lines
from urisieve.sources.bytes.wide_text import wide_encoding

__all__ = ["LineCursor", "kept_lines"]


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
    number = 1
    for whole in _whole(blocks, limit, is_chosen=encoding is not None):
        data = _split(whole)
        texts = _together(whole, codec, number) if chosen.breaks_lines_like_ascii else None
        del whole
        if texts is None:
            texts = [_text_or_error(line, codec, number + index) for index, line in enumerate(data)]
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
        self._number = 1
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
        self._number += lines

    def line(self) -> Lines:
        """Take the next line; `fill` has found that there is one."""
        number, start = self._number, self.start
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
            marked = [encoding for mark, encoding in BYTE_ORDER_MARKS if block.startswith(mark)]
            wide = marked[0] if marked else None if is_chosen else wide_encoding(block)
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


def _together(whole: bytes, codec: str | None, number: int) -> Sequence[str | UnicodeDecodeError] | None:
    """Return the texts of lines, decoded at once; None if one of them does not decode."""
    try:
        return _text(whole, codec, number).removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        return None


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
