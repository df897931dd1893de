"""The reading of paths and standard input, in blocks as they come.

Also defines:

- pauses: what a run does before a read that waits, such as to write what it has decided.
- the path that was probably meant by one that does not exist.
"""

from __future__ import annotations

import os
import sys
from _thread import _local
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedIOBase
from itertools import islice
from stat import S_ISREG

from urisieve import shapes
from urisieve.errors import InputError
from urisieve.lean import Final, TypeVar, cast
from urisieve.wording import address_hint, did_you_mean, printable, shortened

T = TypeVar("T")
# The path that stands for standard input.
STANDARD_INPUT: Final = "-"
# So large that the cost of a block does not show, so small that it stays in the processor's cache.
BLOCK_SIZE: Final = 524_288
# Characters of the text of an exception that are shown.
_LONGEST: Final = 200
# Stands for the end of an iterable.
_END: Final = object()
# Seconds between two pauses of an input that waits; a signal is handled within them at the latest.
_TURN: Final = 0.5
# Seconds between the first two, for what is not done at each pause.
_SOON: Final = 0.06
# `FD_SETSIZE`: the descriptors that `select` takes.
_SELECTABLE: Final = 1_024


class _Pauses(_local):
    """The functions that a thread calls at a pause."""

    calls: tuple[Callable[[], object], ...] = ()


_PAUSES: Final = _Pauses()


class _Stopped(BaseException):
    """Takes an error of what is called at a pause past the readers, which must not take it for one of their own."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


@contextmanager
def at_pauses(call: Callable[[], object]) -> Iterator[None]:
    """Inside the context, call a function at each pause of what this thread reads.

    A pause is the moment before a read that waits: nothing more can be read at once, and the source has not ended. It
    is repeated while the source waits. A regular file has none. Of several functions the last one is called first. What
    the function raises ends the context.
    """
    _PAUSES.calls = (*_PAUSES.calls, call)
    try:
        yield
    except _Stopped as stopped:
        raise stopped.error from None
    finally:
        calls = list(_PAUSES.calls)
        with suppress(ValueError):  # ended by another thread
            calls.remove(call)
        _PAUSES.calls = tuple(calls)


def pause() -> None:
    """Report a pause; for what reads a source."""
    try:
        for call in reversed(_PAUSES.calls):
            call()
    except Exception as error:
        raise _Stopped(error) from None


def forget_pauses() -> None:
    """Call nothing at pauses, in a copy of a process."""
    _PAUSES.calls = ()


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

    def __new__(cls, name: str, blocks: Iterable[object]) -> BlocksPath:
        """Make a path of a name and the blocks, or all bytes as one block.

        Raises:
            UsageError: the name is not a string, or the blocks are not blocks of bytes.
        """
        shapes.check(name=name, blocks=blocks)
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
            except MemoryError:
                raise
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
            if not isinstance(path, WalkedPath) and source_size(path) is None:  # a named pipe waits for a writer
                pause()
            with open(path, "rb", buffering=0) as file:
                status = os.fstat(file.fileno())
                if was is not None and was[:2] != (status.st_dev, status.st_ino):
                    raise InputError("was replaced by another file while it was read; read it again")
                size = status.st_size if was is None else max(was[2], status.st_size)
                if start:
                    file.seek(start)
                is_regular = S_ISREG(status.st_mode)
                if end is None and is_regular and not start and 0 < size < BLOCK_SIZE:
                    # One byte more than it has shows that it ends: most files are small, and a block is large.
                    block = file.read(size + 1)
                    if block:
                        yield block
                    left = 0
                    if len(block) != size:
                        yield from iter(partial(file.read, BLOCK_SIZE), b"")
                        left = size - file.tell()
                elif end is None:
                    read = partial(file.read, BLOCK_SIZE) if is_regular else _paused(file.fileno())
                    yield from iter(read, b"")
                    left = size - file.tell() if is_regular else 0
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

        def read() -> bytes:
            pause()  # nothing shows whether it waits
            return buffer.read1(BLOCK_SIZE)

        return read
    if source_size(STANDARD_INPUT) is not None:
        return lambda: os.read(descriptor, BLOCK_SIZE)
    return _paused(descriptor)


def _paused(descriptor: int) -> Callable[[], bytes]:
    """Return what reads a pipe or a device, with a pause before each read that waits."""
    from select import select

    def read() -> bytes:
        if os.name != "posix" or descriptor >= _SELECTABLE:
            pause()
            return os.read(descriptor, BLOCK_SIZE)
        # A signal that comes just before a read that waits is handled only when the read ends: so wait in turns.
        turn = 0.0
        while True:
            while not select([descriptor], [], [], turn)[0]:
                pause()
                turn = _TURN if turn else _SOON
            with suppress(BlockingIOError):  # another process has read it, and the pipe does not block
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


def call_hint(path: str) -> str:
    """Return the end of a message about a path in a call that does not exist: what to give in its place, or ""."""
    if path == STANDARD_INPUT or "\0" in path or os.path.lexists(path):
        return ""
    if path.startswith("~"):
        return f"; give os.path.expanduser({path!r})"
    if "://" not in path and not {"*", "?", "["}.isdisjoint(path):
        return f"; a pattern stands for no path: give glob.glob({path!r})"
    return address_hint(path, _INSTEAD)


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


def raised(error: InputError, before: Iterable[T] = ()) -> Iterator[T]:
    """Yield what came before an error, then raise it."""
    yield from before
    raise error
