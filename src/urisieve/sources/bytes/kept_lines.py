"""Lines with their bytes unchanged, and their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from urisieve.errors import InputError
from urisieve.sources.bytes.encodings import BYTE_ORDER_MARKS, Family, find_encoding
from urisieve.sources.bytes.lines import Lines, LongRest, whole_lines

__all__ = ["kept_lines"]


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
    for whole in whole_lines(_unmarked(blocks), b"\n", limit):
        if isinstance(whole, LongRest):
            raise InputError(f"a row is longer than {limit:,} bytes; the rest is not read")
        data = _split(whole)
        texts = _together(whole, codec, number) if chosen.breaks_lines_like_ascii else None
        del whole
        if texts is None:
            texts = [_text_or_error(line, codec, number + index) for index, line in enumerate(data)]
        yield Lines(number, 0, texts, data)
        number += len(data)


def _unmarked(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield blocks that do not begin with the mark of UTF-16 or UTF-32.

    Raises:
        InputError: they begin with such a mark.
    """
    is_first = True
    for block in blocks:
        if is_first and block:
            is_first = False
            for mark, encoding in BYTE_ORDER_MARKS:
                if block.startswith(mark) and encoding.family is not Family.UTF8:
                    name = encoding.name.upper()
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
