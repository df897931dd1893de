"""Cuts at messages of mailboxes, and at records and compressed records of archives of the web.

Mailboxes and archives that are not compressed are read as far as is needed to know where messages and records end, by
the code that reads them: of an archive the headers, and what is behind each record, as its length says. The members of
a compressed archive are looked for by their first bytes, so these cuts are guesses: the reader of the part that ends
there finds out (`PartEnd.is_sure`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from io import FileIO

from urisieve.lean.hints import Final
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.cuts.part_start import PartStart

__all__ = ["member_cuts", "message_cuts", "record_cuts"]

# Bytes read at once behind what was skipped.
_READ: Final = 16_384


def message_cuts(blocks: Iterable[bytes], length: int) -> Iterator[PartStart]:
    """Yield the cuts of a mailbox, at least `length` bytes apart."""
    from urisieve.sources.mail.mailboxes import message_ends

    return _apart(Kind.MBOX, message_ends(blocks), length)


def record_cuts(path: str, length: int) -> Iterator[PartStart]:
    """Yield the cuts of an archive of the web, a file, at least `length` bytes apart."""
    from urisieve.sources.web.warc import record_starts

    with FileIO(path) as file:
        yield from _apart(Kind.WARC, record_starts(_Sought(file)), length)


def _apart(kind: Kind, found: Iterable[tuple[int, int]], length: int) -> Iterator[PartStart]:
    last = 0
    for number, offset in found:
        if offset - last >= length:
            last = offset
            yield PartStart(kind=kind, start=offset, number=number, position=offset)


def member_cuts(blocks: Iterable[bytes], length: int) -> Iterator[PartStart]:
    """Yield the cuts of a file of gzip whose members begin records, at least `length` bytes apart."""
    from urisieve.sources.containers.gzip_members import finds_record

    reader = BlockReader(blocks)
    while reader.skip(length) == length and finds_record(reader):
        yield PartStart(kind=Kind.WARC, start=reader.position, is_gzip=True)


class _Sought(BlockReader):
    """Reads a file, and seeks past what is skipped.

    Args:
        file: the file.
    """

    def __init__(self, file: FileIO) -> None:
        super().__init__(iter(lambda: file.read(_READ), b""))
        self._file = file
        self._size = os.fstat(file.fileno()).st_size

    def skip(self, size: int) -> int:
        """See `BlockReader.skip`."""
        ahead = len(self._buffer) - self._index
        if size > ahead:
            size = max(ahead, min(size, self._size - self.position))
            self._file.seek(self.position + size)
            self._buffer, self._index = b"", -size  # nothing is ahead when that is done
        self._advance(size)
        return size

    def peek_behind(self, size: int, more: int) -> bytes:
        """See `BlockReader.peek_behind`."""
        if len(self._buffer) - self._index >= size + more:
            return super().peek_behind(size, more)
        end = self._file.tell()
        self._file.seek(self.position + size)
        behind = self._file.read(more)
        self._file.seek(end)
        return behind
