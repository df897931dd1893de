"""Reading: paths and standard input, in blocks as they come."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from io import BufferedIOBase
from stat import S_ISREG
from typing import Final, cast

from urisieve.errors import InputError
from urisieve.sources.bytes.decoding import ByteDecoder

__all__ = ["BLOCK_SIZE", "STANDARD_INPUT", "WalkedPath", "read_blocks", "source_size", "text_lines"]

# The path that stands for standard input.
STANDARD_INPUT: Final = "-"
# So much that the cost of a block does not show; text is searched in pieces of that length.
BLOCK_SIZE: Final = 262_144


class WalkedPath(str):
    """A path that nobody named: a walk over a folder found it."""

    __slots__ = ()


def read_blocks(path: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """The bytes of a file, or of standard input for `-`, as soon as they can be read.

    A block holds at most `BLOCK_SIZE` bytes; reading a pipe does not wait for a full one.

    Args:
        path: the path.
        start: the first byte to read, of a file that can be entered anywhere.
        end: the byte after the last one to read; None for all.

    Raises:
        InputError: it cannot be opened or read; the message says why, without the path.
    """
    try:
        if path == STANDARD_INPUT:
            yield from iter(_standard_input(), b"")
        else:
            with open(path, "rb", buffering=0) as file:
                if start:
                    file.seek(start)
                if end is None:
                    yield from iter(lambda: file.read(BLOCK_SIZE), b"")
                    return
                left = end - start
                while left > 0 and (block := file.read(min(left, BLOCK_SIZE))):
                    yield block
                    left -= len(block)
    except IsADirectoryError:
        raise InputError("is a directory; only files are read") from None
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error
    except ValueError as error:  # a path with a null character
        raise InputError(str(error)) from error


def _standard_input() -> Callable[[], bytes]:
    stream = sys.stdin
    if stream is None:
        raise InputError("standard input is closed")
    try:
        descriptor = stream.fileno()
    except OSError:  # replaced by an object without one
        buffer = cast(BufferedIOBase, stream.buffer)
        return lambda: buffer.read1(BLOCK_SIZE)

    def read() -> bytes:
        while True:
            try:
                return os.read(descriptor, BLOCK_SIZE)
            except BlockingIOError:  # another program made the shared pipe non-blocking
                from select import select

                select([descriptor], [], [])

    return read


def source_size(path: str) -> int | None:
    """The size in bytes of what `read_blocks` would give, None where it is not known beforehand."""
    try:
        status = os.fstat(sys.stdin.fileno()) if path == STANDARD_INPUT else os.stat(path)
    except (OSError, ValueError, AttributeError):
        return None
    return status.st_size if S_ISREG(status.st_mode) else None


def text_lines(blocks: Iterable[bytes], encoding: str | None = None) -> Iterator[list[str]]:
    """The lines of a stream of bytes, without their ends: for each block those that it completes.

    A line ends after U+000A; white space at both ends of a line, a carriage return included, is not part of it.
    Memory is that of a block and of the longest line.

    Raises:
        UsageError: the encoding is not known.
    """
    decoder = ByteDecoder(encoding, keep=None)
    begun: list[str] = []
    for block in blocks:
        first, *others = decoder.feed(block).split("\n")
        begun.append(first)
        if others:
            complete = ["".join(begun), *others[:-1]]
            begun = [others[-1]]
            yield [line.strip() for line in complete]
    begun.append(decoder.close())
    last = "".join(begun)
    if last:
        yield [last.strip()]
