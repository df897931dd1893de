"""The members of a gzip file, of which an archive of the web makes one for each record (ISO 28500, Annex D).

Where such a member begins a record begins, whatever the length of the one before; and a damaged member costs only its
own record, since the next one can be found.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterator

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import Final
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.containers import compressed
from urisieve.sources.containers.limits import Budget
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.tally import Tally

_SIGN: Final = b"\x1f\x8b\x08"
_RECORD: Final = b"WARC/"
# Compressed bytes before a fault in which the next member may begin: a decompressor that has run from one into the next
# notices within some kilobytes.
_RECENT: Final = 262_144
# After so many faults the next member is looked for behind the fault only, so that time is linear.
_FAULTS: Final = 1_000
# Compressed bytes that show what a member begins with: its header may hold a name, and the first block a table.
_TRIAL: Final = 1_024


def member_head(packed: BlockReader, size: int) -> bytes:
    """Return the first decompressed bytes of the member at which a reader is, at most `size`; none if it is not one."""
    try:
        return zlib.decompressobj(31).decompress(packed.peek(max(_TRIAL, size)), size)
    except zlib.error:
        return b""


def finds_record(packed: BlockReader) -> bool:
    """Skip to the next member that begins a record; return False at the end."""
    while packed.skip_to(_SIGN):
        if member_head(packed, len(_RECORD)) == _RECORD:
            return True
        packed.skip(1)
    return False


class MemberReader(BlockReader):
    """Reads the decompressed bytes of a gzip file.

    Args:
        packed: the file.
        source: its name, for the tally.
        tally: counts bytes that are not gzip behind a member.
        budget: the limits of the file.
        position: the number of decompressed bytes before it, for a part of a file.
    """

    can_resume = True

    def __init__(self, packed: BlockReader, *, source: str, tally: Tally, budget: Budget, position: int = 0) -> None:
        self._members = _Members(packed, source, tally, budget, position)
        super().__init__(self._members)
        self.position = position

    def next_start(self) -> int | None:
        """Return the offset at which a member begins a record, here or later, as far as members have been read."""
        starts = self._members.starts
        while starts and starts[0] < self.position:
            starts.popleft()
        return starts[0] if starts else None


class _Members(Iterator[bytes]):
    """The decompressed blocks; after a fault, iterating goes on with the next member that begins a record."""

    def __init__(self, packed: BlockReader, source: str, tally: Tally, budget: Budget, made: int) -> None:
        self._packed = _Recent(packed)
        self._source = source
        self._tally = tally
        self._budget = budget
        self._made = made
        self._begins = False
        self._is_warc: bool | None = None
        self._broke = False
        self._faults = 0
        self.starts: deque[int] = deque()
        self._blocks = self._decompressed()

    def _decompressed(self) -> Iterator[tuple[bool, bytes]]:
        """Yield blocks, each with whether a member begins with it; such a one shows whether a record begins, too."""
        short = b""
        try:
            for block in compressed.decompressed(
                self._packed, Kind.GZIP, source=self._source, tally=self._tally, budget=self._budget, begun=self._begin
            ):
                if self._begins and short:  # all of a member
                    yield True, short
                    short = b""
                begins = self._begins or bool(short)
                self._begins = False
                whole = short + block if short else block
                short = whole if begins and len(whole) < len(_RECORD) and _RECORD.startswith(whole) else b""
                if not short:
                    yield begins, whole
        except InputError:
            if short:
                yield True, short
            raise
        if short:
            yield True, short

    def _begin(self) -> None:
        self._begins = True
        self._packed.recent.clear()

    def __next__(self) -> bytes:
        while True:
            if self._broke:
                self._broke = False
                if self._budget.spent or not finds_record(self._packed):
                    raise StopIteration
                self._blocks = self._decompressed()
            try:
                found = next(self._blocks, None)
            except BrokenInputError as error:
                self._broke = True
                self._faults += 1
                if self._faults <= _FAULTS:
                    self._packed.put_back()
                if self._made or self._budget.spent:
                    raise
                # Nothing shows yet that this is an archive of the web, unless a member that follows does.
                if not finds_record(self._packed):
                    raise
                self._tally.stopped(self._source, error)
                self._broke = False
                self._blocks = self._decompressed()
                continue
            if found is None:
                if not self._is_warc or not self._packed.peek(1):
                    raise StopIteration
                self._broke = True  # bytes that are not gzip, which is counted
                continue
            begins, block = found
            if begins:
                is_record = block.startswith(_RECORD)
                if self._is_warc is None:
                    self._is_warc = self._packed.keeps = is_record
                if self._is_warc and is_record:
                    self.starts.append(self._made)
            self._made += len(block)
            return block


class _Recent(BlockReader):
    """Remembers the bytes of the present member, the last `_RECENT` of them."""

    def __init__(self, packed: BlockReader) -> None:
        super().__init__(packed.rest())
        self.position = packed.position
        self.recent = bytearray()
        self.keeps = True

    def some(self, limit: int = _RECENT) -> bytes:
        """See `BlockReader.some`."""
        data = super().some(limit)
        if self.keeps:
            self.recent += data
            if len(self.recent) > 2 * _RECENT:
                del self.recent[:-_RECENT]
        return data

    def unread(self, data: bytes) -> None:
        """See `BlockReader.unread`."""
        del self.recent[max(0, len(self.recent) - len(data)) :]
        super().unread(data)

    def put_back(self) -> None:
        """Put back the remembered bytes, but for the first, so that the same member is not found again."""
        self.unread(bytes(self.recent[1:]))
