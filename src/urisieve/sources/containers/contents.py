"""Bytes with names: what files, decompressors and archives give, and a reader of exact amounts of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from urisieve.errors import InputError
from urisieve.printable import printable, shortened
from urisieve.records.masking import MASK
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.containers.detection import HEAD_SIZE, Kind, kind_of
from urisieve.sources.containers.limits import Budget
from urisieve.sources.containers.opening import is_settled

__all__ = ["BlockReader", "Content", "Declared", "masked_name", "shown_name"]

# What has no line feed in so many bytes is looked at as it stands; the header of a tar member is as long.
_ENOUGH: Final = 512


class Declared(NamedTuple):
    """What stands beside a content about it.

    Attributes:
        media_type: its type in lower case, "" without one (RFC 9110 8.3).
        charset: the label of its character set.
        base: the URI that it was had from, against which relative references in it are resolved (RFC 3986 5.1.3).
    """

    media_type: str = ""
    charset: str | None = None
    base: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The bytes of one file or archive member, read once and in order.

    Attributes:
        source: the name that its records carry: a path, then `!` and the member for each archive on the way.
        kind: what its first bytes say that it is.
        blocks: its bytes; taking the next block may read from the file.
            Raises `InputError` where reading fails, `BrokenInputError` where the text is cut.
        depth: how many things it stands in: layers of compression, archives, messages and their parts.
        layers: how many of these are layers of compression and archives.
        budget: what the file that it stands in may still become, for what is unpacked from it in turn.
        named: whether it is a file that was named itself, and not found in a folder, an archive or mail.
        declared: what the archive of the web that it stands in says about it.
    """

    source: str
    kind: Kind
    blocks: Iterable[bytes]
    depth: int = 0
    layers: int = 0
    budget: Budget | None = None
    named: bool = True
    declared: Declared | None = None


def shown_name(name: bytes, encoding: str = "utf-8") -> str:
    """The name of an archive member as text: see `printable` and `shortened`; undecodable bytes become U+FFFD."""
    return shortened(printable(name.decode(encoding, "replace")))


def masked_name(name: str) -> str:
    """A name that was had from the text itself, as a URI may be: without a password (RFC 3986 3.2.1)."""
    return _PASSWORDS.sub(rf"\1{MASK}@", name) if "@" in name else name


_PASSWORDS: Final = re.compile(r"(//[^/?#@:\s]*+:)[^/?#\s]*@")


class BlockReader:
    """Reads exact amounts from blocks of bytes, and looks ahead.

    Memory is what is asked for at once, and a block. An `InputError` of the blocks waits until all bytes before it are
    read; then `some` raises it, once, and after that the reader is at its end.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._buffer = b""
        self._place = 0
        self._ended = False
        self.error: InputError | None = None
        """What stopped the blocks early."""
        self._raised = False
        self.position = 0
        """How many bytes have been read."""

    @property
    def unreported(self) -> InputError | None:
        """What stopped the blocks early, where nobody has read that far."""
        return None if self._raised else self.error

    def peek(self, size: int) -> bytes:
        """The next bytes, fewer only at the end; they stay to be read."""
        self._fill(size)
        return self._buffer[self._place : self._place + size]

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end; `error` says whether that came too early."""
        data = self.peek(size)
        self._advance(len(data))
        return data

    def some(self, limit: int = BLOCK_SIZE) -> bytes:
        """At most `limit` bytes, as soon as there are any; none at the end.

        Raises:
            InputError: the blocks broke off here.
        """
        self._fill(1)
        data = self._buffer[self._place : self._place + limit]
        if not data and self.error is not None and not self._raised:
            self._raised = True
            raise self.error
        self._advance(len(data))
        return data

    def rest(self) -> Iterator[bytes]:
        """What is left, block by block.

        Raises:
            InputError: the blocks broke off.
        """
        return iter(self.some, b"")

    def line(self, limit: int) -> bytes:
        """The next bytes up to and with a line feed; what has none within `limit` is the first `limit`, or the end."""
        have = 0
        while True:
            end = self._buffer.find(b"\n", self._place + have, self._place + limit) + 1
            if end:
                return self.read(end - self._place)
            have = len(self._buffer) - self._place
            if have >= limit:
                return self.read(limit)
            self._fill(have + 1)
            if len(self._buffer) - self._place == have:
                return self.read(have)

    def skip(self, size: int) -> int:
        """Pass over bytes without keeping them; gives how many there were, fewer only at the end."""
        left = size
        while left:
            self._fill(1)
            step = min(left, len(self._buffer) - self._place)
            if not step:
                break
            self._advance(step)
            left -= step
        return size - left

    def unread(self, data: bytes) -> None:
        """Put back bytes that were read last."""
        self._buffer = data + self._buffer[self._place :]
        self._place = 0
        self.position -= len(data)

    def kind(self, name: str = "") -> Kind:
        """What the next bytes say that this is; no more of them are waited for than tell it.

        Args:
            name: its name, whose ending decides where they leave a doubt.
        """
        size = 1
        while True:
            self._fill(size)
            head = self._buffer[self._place : self._place + HEAD_SIZE]
            told = (b"\n" in head or len(head) >= _ENOUGH) and is_settled(head, name)
            if told or len(head) < size or len(head) >= HEAD_SIZE:
                return kind_of(head, name)
            size = len(head) + 1

    def _advance(self, size: int) -> None:
        self._place += size
        self.position += size

    def _fill(self, size: int) -> None:
        if len(self._buffer) - self._place >= size or self._ended:
            return
        pieces = [self._buffer[self._place :]]
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
            self.error = error
            self._ended = True
        self._buffer = b"".join(pieces)
        self._place = 0
