"""A reader of exact numbers of bytes, from blocks of any size.

Also defines:

- a limit on the bytes of what is read only as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import InputError
from urisieve.sources.bytes.reading import BLOCK_SIZE


def limited(blocks: Iterable[bytes], most: int, what: str, instead: str = "") -> Iterator[bytes]:
    """Yield blocks of what is read only as a whole.

    Args:
        blocks: the blocks.
        most: the largest number of bytes.
        what: what they are, in words.
        instead: what to do about it, in words.

    Raises:
        InputError: there are more bytes, or reading fails.
    """
    left = most
    for block in blocks:
        left -= len(block)
        if left < 0:
            raise InputError(f"{what} of more than {most:,} bytes is not read{instead}")
        yield block


class BlockReader:
    """Reads exact numbers of bytes from blocks, and looks ahead.

    Memory is that of the bytes asked for, and a block. An `InputError` of the blocks waits until all bytes before it
    are read; then `some` raises it, once, and after that the reader is at its end.

    Args:
        blocks: the blocks; a tuple if all of them are in memory.
    """

    can_resume = False
    """Whether the blocks can go on after an error; see `resume`."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._ended = isinstance(blocks, tuple)
        self._buffer = b"".join(self._blocks) if self._ended else b""
        self._index = 0
        self.error: InputError | None = None
        """The error that stopped the blocks early."""
        self._raised = False
        self.position = 0
        """The number of bytes read so far."""

    @property
    def is_whole(self) -> bool:
        """Whether all blocks have been read, to their end or an error: what is left is in memory."""
        return self._ended

    @property
    def is_drained(self) -> bool:
        """Whether all that the blocks have yielded so far is read: what comes next may keep the reader waiting."""
        return self._index == len(self._buffer)

    @property
    def unreported(self) -> InputError | None:
        """The error that stopped the blocks early, if nobody has read that far; else None."""
        return None if self._raised else self.error

    def next_start(self) -> int | None:
        """Return the offset at which its blocks say that something begins, here or later; None if they say nothing."""
        return None

    def peek(self, size: int) -> bytes:
        """Return the next bytes, fewer only at the end; they stay to be read."""
        return self.peek_some(size, size)

    def peek_some(self, least: int, most: int) -> bytes:
        """Return the next bytes read from the blocks, `least` of them if there are so many, and at most `most`."""
        self._fill(least)
        return self._buffer[self._index : self._index + most]

    def ready(self, size: int) -> tuple[bytes] | None:
        """Read so many bytes if they are in memory; return None, and read nothing, if some are still in the blocks."""
        start = self._index
        if len(self._buffer) - start < size:
            return None
        self._advance(size)
        return (self._buffer[start : start + size],)

    def held(self, most: int) -> bytes:
        """Return the next bytes that are in memory, at most so many; they stay to be read, and nothing is read."""
        return self._buffer[self._index : self._index + most]

    def peek_behind(self, size: int, more: int) -> bytes:
        """Return `more` bytes behind the next `size` ones, fewer only at the end; all of them stay to be read."""
        self._fill(size + more)
        return self._buffer[self._index + size : self._index + size + more]

    def held_behind(self, size: int, more: int) -> bytes:
        """Return what `peek_behind` does, as far as it is in memory: nothing is read."""
        return self._buffer[self._index + size : self._index + size + more]

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer only at the end; `error` says whether the end came too early."""
        data = self.peek(size)
        self._advance(len(data))
        return data

    def some(self, limit: int = BLOCK_SIZE) -> bytes:
        """Return at most `limit` bytes, as soon as there are any; none at the end.

        Raises:
            InputError: the blocks broke off here.
        """
        self._fill(1)
        data = self._buffer[self._index : self._index + limit]
        if not data and self.error is not None and not self._raised:
            self._raised = True
            raise self.error
        self._advance(len(data))
        return data

    def rest(self) -> Iterator[bytes]:
        """Yield the rest, block by block.

        Raises:
            InputError: the blocks broke off.
        """
        return iter(self.some, b"")

    def whole(self) -> Iterable[bytes]:
        """Return the rest: as a tuple of one if all of it is in memory, else as `rest` does."""
        if not self._ended or self.error is not None:
            return self.rest()
        return (self.read(len(self._buffer) - self._index),)

    def line(self, limit: int) -> bytes:
        """Return the next bytes up to and with a line feed; without one, the first `limit` bytes or the rest."""
        have = 0
        while True:
            end = self._buffer.find(b"\n", self._index + have, self._index + limit) + 1
            if end:
                return self.read(end - self._index)
            have = len(self._buffer) - self._index
            if have >= limit:
                return self.read(limit)
            self._fill(have + 1)
            if len(self._buffer) - self._index == have:
                return self.read(have)

    def skip(self, size: int) -> int:
        """Skip bytes without keeping them; return their number, which is smaller only at the end."""
        left = size
        while left:
            self._fill(1)
            step = min(left, len(self._buffer) - self._index)
            if not step:
                break
            self._advance(step)
            left -= step
        return size - left

    def unread(self, data: bytes) -> None:
        """Put back the bytes that were read last."""
        start = self._index - len(data)
        if start >= 0 and self._buffer.startswith(data, start):  # they are still there
            self._index = start
        else:
            self._buffer = data + self._buffer[self._index :]
            self._index = 0
        self.position -= len(data)

    def skip_to(self, sign: bytes) -> bool:
        """Skip to the next occurrence of some bytes; skip all and return False if there is none."""
        while True:
            self._fill(len(sign))
            found = self._buffer.find(sign, self._index)
            have = len(self._buffer) - self._index
            if found >= 0:
                self._advance(found - self._index)
                return True
            if have < len(sign):
                self._advance(have)
                return False
            self._advance(have - len(sign) + 1)

    def resume(self) -> None:
        """Go on after `error`, with blocks whose iterator can do so."""
        self._ended = self._raised = False
        self.error = None

    def _advance(self, size: int) -> None:
        self._index += size
        self.position += size

    def _fill(self, size: int) -> None:
        if len(self._buffer) - self._index >= size or self._ended:
            return
        pieces = [self._buffer[self._index :]]
        have = len(pieces[0])
        try:
            while have < size:
                block = next(self._blocks, None)
                if block is None:
                    self._ended = True
                    break
                pieces.append(block)
                have += len(block)
        except InputError as error:
            self.error = error.with_traceback(None)  # whose frames refer to this reader
            self._ended = True
        self._buffer = b"".join(pieces)
        self._index = 0
