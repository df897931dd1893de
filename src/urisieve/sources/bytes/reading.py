"""The reading of paths and standard input, in blocks as they come.

It holds besides:

- the path that was probably meant by one that does not exist.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from io import BufferedIOBase
from itertools import islice
from stat import S_ISREG

from urisieve.errors import InputError, UsageError
from urisieve.lean import Final, cast
from urisieve.wording import address_hint, did_you_mean, printable, shortened

# The path that stands for standard input.
STANDARD_INPUT: Final = "-"
# So large that the cost of a block does not show, so small that it stays in the processor's cache.
BLOCK_SIZE: Final = 524_288
# Characters of the text of an exception that are shown.
_LONGEST: Final = 200
# Stands for the end of an iterable.
_END: Final = object()
# The seconds after which a signal is handled at the latest while standard input is awaited.
_TURN: Final = 0.5


class WalkedPath(str):
    """A path that was not named, but found by a walk over a folder."""

    __slots__ = ()


class BlocksPath(str):
    """The name of a file whose bytes come from an iterable, and not from the file system.

    Attributes:
        error: the error that stopped the iterable; None if there is none.
        cause: the exception that the iterable raised then.
    """

    __slots__ = ("_ended", "_stream", "cause", "error")
    _stream: Iterator[object]
    _ended: bool
    error: InputError | None
    cause: Exception | None

    def __new__(cls, name: object, blocks: object) -> BlocksPath:
        """Make a path of a name and the blocks, or all bytes as one block.

        Raises:
            UsageError: the name is not a string, or the blocks are not blocks of bytes.
        """
        if not isinstance(name, str):
            raise UsageError(f"name={name!r:.80} must be a string")
        if isinstance(blocks, str) or not isinstance(blocks, (Iterable, bytearray, memoryview)):
            raise UsageError(f"the blocks are {type(blocks).__name__}: give bytes, or an iterable of bytes")
        made = super().__new__(cls, name)
        made._ended = True  # until there is something to close
        made._stream = iter((blocks,) if isinstance(blocks, (bytes, bytearray, memoryview)) else blocks)
        made._ended = False
        made.error = made.cause = None
        return made

    def read(self) -> Iterator[bytes]:
        """Yield the bytes, at most `BLOCK_SIZE` at once, as the iterable yields them.

        Raises:
            InputError: the iterable raised an exception, or yielded what is not bytes.
        """
        while not self._ended and self.error is None:
            try:
                block = next(self._stream, _END)
                view = None if block is _END else memoryview(block).cast("B")  # type: ignore[arg-type] # or it raises
            except Exception as error:
                self.cause = error
                self.error = _stopped(error)
                raise self.error from (None if self.error is error else error)
            if view is None:
                self._ended = True
            elif isinstance(block, bytes) and len(block) <= BLOCK_SIZE:
                if block:
                    yield block
            else:
                for start in range(0, len(view), BLOCK_SIZE):
                    yield bytes(view[start : start + BLOCK_SIZE])

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the iterator, if it has not ended by itself and can be closed."""
        if not self._ended:
            self._ended = True
            with suppress(Exception):  # all that was wanted has been read
                getattr(self._stream, "close", bool)()


def _stopped(error: Exception) -> InputError:
    """Return the error for an exception of an iterable of blocks."""
    if isinstance(error, InputError):
        return error
    if isinstance(error, OSError) and error.strerror:
        return InputError(error.strerror)
    text = shortened(printable(str(error)), _LONGEST)
    return InputError(f"{type(error).__name__}{f': {text}' if text else ''}")


def read_blocks(
    path: str, start: int = 0, end: int | None = None, was: tuple[int, int, int] | None = None
) -> Iterator[bytes]:
    """Yield the bytes of a file, or of standard input for `-`, as soon as they can be read.

    A block holds at most `BLOCK_SIZE` bytes; reading a pipe does not wait for a full one.

    Args:
        path: the path.
        start: the offset of the first byte to read, for a file that can be sought.
        end: the offset after the last byte to read; None for all.
        was: the device, the number and the size of the file that the path named, and still has to; None for any.

    Raises:
        InputError: the file cannot be opened or read, has become shorter while it was read, or is another one; the
            message gives the reason, without the path.
    """
    try:
        if isinstance(path, BlocksPath):
            yield from path.read()
        elif path == STANDARD_INPUT:
            yield from iter(_standard_input(), b"")
        else:
            with open(path, "rb", buffering=0) as file:
                status = os.fstat(file.fileno())
                if was is not None and was[:2] != (status.st_dev, status.st_ino):
                    raise InputError("was replaced by another file while it was read; read it again")
                size = status.st_size if was is None else max(was[2], status.st_size)
                if start:
                    file.seek(start)
                if end is None:
                    yield from iter(lambda: file.read(BLOCK_SIZE), b"")
                    left = size - file.tell() if S_ISREG(status.st_mode) else 0
                else:
                    left = end - start
                    while left > 0 and (block := file.read(min(left, BLOCK_SIZE))):
                        yield block
                        left -= len(block)
                # Some files of /sys always say that they are longer than they are.
                if left > 0 and (end is not None or os.fstat(file.fileno()).st_size < size):
                    raise InputError("has become shorter while it was read; read it again")
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
    if isinstance(path, BlocksPath):
        return str(path)
    return os.fsencode(path).decode("utf-8", "surrogateescape")


_INSTEAD: Final = (
    "copy the file here, or pipe it in, or give extract_blocks() what fsspec opens; `urisieve check` takes the "
    "identifiers themselves"
)
# The most names of a folder that are compared.
_MOST: Final = 10_000


def path_hint(path: str) -> str:
    """Return the end of a message about a path that does not exist: the most similar name in its folder, or ""."""
    if path == STANDARD_INPUT or "\0" in path or os.path.lexists(path):
        return ""
    if "://" in path:
        return address_hint(path, _INSTEAD)
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or os.curdir) as entries:
            names = [entry.name for entry in islice(entries, _MOST)]
    except OSError:
        return ""
    return did_you_mean(path, [os.path.join(folder, other) for other in names]) if name else ""
