"""Compound files (MS-CFB): storages and streams, read as far as damage allows.

No sector is read for two streams, so that chains which lead in circles, or into one another, cost no more than the
length of the file. A stream whose chain breaks off has the bytes before the break.
"""

from __future__ import annotations

import struct
from array import array

from urisieve.errors import BrokenInputError
from urisieve.lean import Final, dataclass, field, replace
from urisieve.sources.bytes.block_reader import limited
from urisieve.sources.containers.contents import Content
from urisieve.sources.kinds.kind_table import Kind

_HEADER_SIZE: Final = 512
_HEADER: Final = struct.Struct("<24xHHHHH6xLLLLLLLLL")
_IN_HEADER: Final = 109  # sectors of the allocation table that the header names (2.2)
_ENTRY: Final = struct.Struct("<64sHBBLLL16x4x16xLQ")
_STORAGE: Final = 1
_STREAM: Final = 2
_END_OF_CHAIN: Final = 0xFFFFFFFE
_NO_SECTOR: Final = 0xFFFFFFFF
_LARGEST_SHIFT: Final = 12
_MINI_SECTOR: Final = 64
_CUTOFF: Final = 4_096  # streams of fewer bytes are in the mini stream (2.2)


@dataclass(slots=True)
class Storage:
    """A storage: a folder of streams and of other storages.

    Attributes:
        name: its name.
        streams: its streams by name.
        storages: its storages, in the order of their names.
        damaged: the names of streams that could not be read completely; that of the root, if its directory was not.
    """

    name: str
    streams: dict[str, bytes] = field(default_factory=dict)
    storages: list[Storage] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)


class _Sectors:
    """Sectors in chains; each is returned only once."""

    def __init__(self, data: bytes, size: int, start: int) -> None:
        self._data = data
        self._size = size
        self._start = start
        self.table = array("I")
        """For each sector the number of the next one in its chain."""
        self._is_taken = bytearray(-(-max(0, len(data) - start) // size))

    def take(self, sector: int) -> bytes | None:
        """Return the bytes of a sector; None if it does not exist, or was taken before."""
        if sector >= len(self._is_taken) or self._is_taken[sector]:
            return None
        self._is_taken[sector] = True
        offset = self._start + sector * self._size
        return self._data[offset : offset + self._size]

    def chain(self, sector: int, length: int | None) -> tuple[bytes, bool]:
        """Return the bytes of a chain, `length` of them if that is not None, and whether it is complete."""
        pieces: list[bytes] = []
        left = len(self._data) if length is None else length
        while left > 0 and sector != _END_OF_CHAIN:
            piece = self.take(sector)
            if piece is None:
                break
            pieces.append(piece[:left])
            left -= self._size
            sector = self.table[sector] if sector < len(self.table) else _NO_SECTOR
        data = b"".join(pieces)
        return data, sector == _END_OF_CHAIN if length is None else len(data) == length


def read_compound(data: bytes) -> Storage:
    """Return the root storage of a compound file with its content; time and memory are linear.

    Raises:
        BrokenInputError: its header is cut or corrupt, or it has no directory.
    """
    if len(data) < _HEADER_SIZE:
        raise BrokenInputError("compound file", "truncated", "its header is cut")
    _, version, _, shift, _, _, _, first_entry, _, cutoff, mini_table, _, more, _ = _HEADER.unpack_from(data)
    if not 7 <= shift <= _LARGEST_SHIFT or cutoff != _CUTOFF:
        raise BrokenInputError("compound file", "corrupt", "its header is corrupt")
    size = 1 << shift
    sectors = _Sectors(data, size, size)
    sectors.table = _allocation_table(data, sectors, size, more)
    entries, is_whole = sectors.chain(first_entry, None)
    if len(entries) < _ENTRY.size:
        raise BrokenInputError("compound file", "corrupt", "it has no directory")
    *_, start, length = _ENTRY.unpack_from(entries)
    stream, _ = sectors.chain(start, length & 0xFFFFFFFF if version == 3 else length)
    mini = _Sectors(stream, _MINI_SECTOR, 0)
    mini.table = _numbers(sectors.chain(mini_table, None)[0])
    root = _tree(entries, sectors, mini, version)
    if not is_whole:
        root.damaged.append(root.name)
    return root


def _numbers(data: bytes) -> array[int]:
    return array("I", struct.unpack(f"<{len(data) // 4}L", data[: len(data) // 4 * 4]))


def _allocation_table(data: bytes, sectors: _Sectors, size: int, more: int) -> array[int]:
    """Return the table of the next sector of each sector; its own sectors are listed in the header (2.5)."""
    table = array("I")
    names = _numbers(data[_HEADER_SIZE - 4 * _IN_HEADER : _HEADER_SIZE])
    while True:
        for name in names:
            piece = sectors.take(name)
            if piece is not None:
                table.extend(_numbers(piece))
        following = sectors.take(more)
        if following is None or len(following) < size:
            return table
        names = _numbers(following)
        more = names.pop()


def _tree(entries: bytes, sectors: _Sectors, mini: _Sectors, version: int) -> Storage:
    """Return the directory as a tree; an entry that is referred to twice is used only once (2.6)."""
    count = len(entries) // _ENTRY.size
    is_taken = bytearray(count)
    is_taken[0] = True
    root = Storage("Root Entry")
    *_, child, _, _ = _ENTRY.unpack_from(entries)
    waiting = [(child, root)]
    while waiting:
        number, parent = waiting.pop()
        if number >= count or is_taken[number]:
            continue
        is_taken[number] = True
        raw, name_size, kind, _, left, right, child, start, length = _ENTRY.unpack_from(entries, number * _ENTRY.size)
        waiting += ((left, parent), (right, parent))
        name = raw[: max(0, min(name_size, 64) - 2)].decode("utf-16-le", "replace")
        if kind == _STORAGE:
            inner = Storage(name)
            parent.storages.append(inner)
            waiting.append((child, inner))
        elif kind == _STREAM:
            length = length & 0xFFFFFFFF if version == 3 else length  # 2.6.3
            content, is_whole = (mini if length < _CUTOFF else sectors).chain(start, length)
            if not is_whole:
                parent.damaged.append(name)
            if is_whole or name not in parent.streams:
                parent.streams[name] = content
    stack = [root]
    while stack:
        storage = stack.pop()
        storage.storages.sort(key=lambda inner: inner.name)
        stack += storage.storages
    return root


# In bytes: all of it is in memory. Servers accept messages up to 150 MB.
_SIZE_LIMIT: Final = 160 * 1_048_576
# The names of the streams and storages of a message begin with one of these (MS-OXMSG 2.2).
OF_MESSAGES: Final = (
    "__properties_version",
    "__substg1.0_",
    "__attach_version",
    "__recip_version",
    "__nameid_version",
)
# The stream in the root storage of an encrypted document of an office (MS-OFFCRYPTO 2.3.4.4).
_ENCRYPTED: Final = "EncryptedPackage"


def compound_content(content: Content) -> Content:
    """Return a compound file with its kind, all of it in memory.

    It is of kind `OFFICE` if it is an encrypted document, `UNSUPPORTED` if it is no message of Outlook, such as a
    document of Word 97.

    Raises:
        InputError: reading fails, or it is too large.
    """
    data = b"".join(limited(content.blocks, _SIZE_LIMIT, "a compound file"))
    kind = content.kind
    try:
        root = read_compound(data)
    except BrokenInputError:  # its reader says so
        pass
    else:
        names = (*root.streams, *(one.name for one in root.storages))
        if _ENCRYPTED in root.streams:
            kind = Kind.OFFICE
        elif root.name not in root.damaged and not any(name.startswith(OF_MESSAGES) for name in names):
            kind = Kind.UNSUPPORTED
    return replace(content, kind=kind, blocks=(data,))
