"""The reading of paths and standard input, in blocks as they come."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BufferedIOBase
from stat import S_ISREG

from urisieve.errors import InputError
from urisieve.lean.hints import Final, cast

__all__ = ["BLOCK_SIZE", "STANDARD_INPUT", "WalkedPath", "read_blocks", "source_name", "source_size"]

# The path that stands for standard input.
STANDARD_INPUT: Final = "-"
# So large that the cost of a block does not show, so small that it stays in the processor's cache.
BLOCK_SIZE: Final = 524_288
# The seconds after which a signal is handled at the latest while standard input is awaited.
_TURN: Final = 0.5


class WalkedPath(str):
    """A path that was not named, but found by a walk over a folder."""

    __slots__ = ()


def read_blocks(path: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of a file, or of standard input for `-`, as soon as they can be read.

    A block holds at most `BLOCK_SIZE` bytes; reading a pipe does not wait for a full one.

    Args:
        path: the path.
        start: the offset of the first byte to read, for a file that can be sought.
        end: the offset after the last byte to read; None for all.

    Raises:
        InputError: the file cannot be opened or read; the message gives the reason, without the path.
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

    if os.name != "posix" or source_size(STANDARD_INPUT) is not None:
        return lambda: os.read(descriptor, BLOCK_SIZE)
    from select import select

    def read() -> bytes:
        # A signal that comes just before a read that waits is handled only when the read ends: so wait in turns.
        while True:
            while not select([descriptor], [], [], _TURN)[0]:
                pass
            with suppress(BlockingIOError):  # somebody else has read it, and the pipe does not block
                return os.read(descriptor, BLOCK_SIZE)

    return read


def source_size(path: str) -> int | None:
    """Return the size in bytes of the blocks of `read_blocks`, or None if it is not known beforehand."""
    try:
        status = os.fstat(sys.stdin.fileno()) if path == STANDARD_INPUT else os.stat(path)
    except (OSError, ValueError, AttributeError):
        return None
    return status.st_size if S_ISREG(status.st_mode) else None


def source_name(path: str) -> str:
    """Return the name that the records of a file have: `os.fsencode` turns it back into the bytes of its path.

    Bytes that are not UTF-8 are halves of surrogate pairs (PEP 383), as in any path that Python returns.
    """
    return os.fsencode(path).decode("utf-8", "surrogateescape")
