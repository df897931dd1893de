"""Tar archives, read member by member as a stream (POSIX.1-2001 pax and ustar, GNU, V7).

`tarfile` is not used: it reads a pax header whole whatever its size, and keeps every member in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urisieve.errors import BrokenInputError
from urisieve.lean import Final, dataclass
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.containers.contents import Member, shown_name
from urisieve.sources.kinds.kind_table import is_tar_header
from urisieve.sources.tally import Tally

_BLOCK: Final = 512
# Bytes of a long name or extended header: POSIX has no limit; programs write names up to 4 KiB and a few attributes.
_HEADER_LIMIT: Final = 1_048_576
_REGULAR: Final = b"\x000 7"  # NUL in V7; "7" is contiguous, which POSIX allows to be read as regular
_SKIPPED: Final = {
    b"1": "link",
    b"2": "link",
    b"3": "device",
    b"4": "device",
    b"5": "",  # a folder is not counted
    b"6": "device",
    b"S": "sparse",
    b"V": "",
    b"M": "continued",
    b"D": "",
}
_PAX_RECORD: Final = re.compile(rb"([0-9]{1,19}) ([^=]+)=", re.DOTALL)


@dataclass(slots=True)
class _Header:
    """Properties of the next member from its extended headers."""

    name: bytes | None = None
    size: int | None = None
    sparse: bool = False


def tar_members(reader: BlockReader, *, source: str, tally: Tally) -> Iterator[Member]:
    """Yield the regular files of an archive, in its order.

    Links, devices and sparse files are counted as skipped. A broken header is counted, with its offset in the message,
    and reading continues with the next header found. The bytes of a member that a caller does not read are skipped.

    Args:
        reader: the archive, decompressed.
        source: its name, for messages.
        tally: counts everything skipped or broken.

    Iterating `blocks` of a member raises `InputError` or `BrokenInputError` if the archive is cut in it.
    """
    pending = _Header()
    ended = False
    is_cut = False  # whether the archive is cut if it ends here
    while True:
        offset = reader.position
        block = reader.read(_BLOCK)
        if len(block) < _BLOCK:
            _report_end(reader, is_cut or bool(block.strip(b"\0")), source, tally)
            return
        if not block.strip(b"\0"):
            ended = True  # two such blocks end an archive; another may follow (tar -A, cat)
            continue
        size = _number(block[124:136]) if is_tar_header(block) else None
        if size is None and ended:
            tally.fault(
                "tar",
                "trailing-garbage",
                f"{source}: the bytes after the archive, from byte {offset:,} on, are not an archive",
            )
            return
        if size is None:
            tally.fault("tar", "corrupt", f"{source}: the header at byte {offset:,} of the archive is corrupt")
            _resync(reader)
            pending = _Header()
            continue
        ended = False
        kind = block[156:157]
        if kind in b"LKxg":
            _read_extension(reader, kind, size, pending, source, tally)
            is_cut = True  # what it is about follows
            continue
        name = pending.name if pending.name is not None else _name(block)
        size = size if pending.size is None else pending.size
        sparse, pending, is_cut = pending.sparse, _Header(), False
        if kind == b"S":
            _skip_sparse_map(reader, block)
        if kind in _REGULAR and not sparse and not name.endswith(b"/"):
            data = reader.ready(size) if size <= BLOCK_SIZE else None
            if data is not None:
                yield Member(shown_name(name), data)
                reader.skip(-size % _BLOCK)
                continue
            blocks = _MemberBlocks(reader, size)
            yield Member(shown_name(name), iter(blocks))
            size = blocks.left
            if blocks.cut:
                return
            if reader.skip(size) < size:
                _report_end(reader, True, source, tally)
                return
            reader.skip(-(blocks.size) % _BLOCK)
            continue
        reason = "sparse" if sparse else _SKIPPED.get(kind, "" if kind in _REGULAR else "unknown-type")
        if reason:
            tally.skip("tar member", reason)
        if kind not in b"23456":  # these have no data, whatever their size says (POSIX.1 ustar)
            is_cut = reader.skip(size + -size % _BLOCK) < size


class _MemberBlocks:
    """The bytes of a member; a caller may leave some unread."""

    def __init__(self, reader: BlockReader, size: int) -> None:
        self._reader = reader
        self.size = size
        self.left = size
        self.cut = False

    def __iter__(self) -> Iterator[bytes]:
        while self.left:
            self.cut = True  # unless reading returns
            data = self._reader.some(min(self.left, BLOCK_SIZE))
            if not data:
                offset = self._reader.position
                raise BrokenInputError(
                    "tar", "truncated", f"the archive ends early, at byte {offset:,}, in this member"
                )
            self.cut = False
            self.left -= len(data)
            yield data


def _report_end(reader: BlockReader, is_cut: bool, source: str, tally: Tally) -> None:
    """Count an archive that ends early; a missing end mark, as of a program that was stopped, is not a fault."""
    if reader.error is not None:
        tally.fault("tar", reader.error.reason, f"{source}: {reader.error}")
    elif is_cut:
        tally.fault("tar", "truncated", f"{source}: the archive ends early, at byte {reader.position:,}")


def _resync(reader: BlockReader) -> None:
    """Skip to the next block that is a header, or to the end."""
    while len(block := reader.peek(_BLOCK)) == _BLOCK and not is_tar_header(block):
        reader.skip(_BLOCK)


def _number(field: bytes) -> int | None:
    """Parse a number field: octal digits, or binary if the first bit is set (GNU, star)."""
    if field[0] & 0x80:
        value = int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
        return None if field[0] & 0x40 else value
    digits = field.partition(b"\0")[0].strip(b" ")
    return int(digits or b"0", 8) if not digits.translate(None, b"01234567") else None


def _name(block: bytes) -> bytes:
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name


def _read_extension(reader: BlockReader, kind: bytes, size: int, pending: _Header, source: str, tally: Tally) -> None:
    """Read a header that extends that of the next member: a long name (GNU) or a pax header."""
    padded = size + -size % _BLOCK
    if size > _HEADER_LIMIT:
        tally.fault(
            "tar",
            "header-limit",
            f"{source}: a header of {size:,} bytes at byte {reader.position:,} of the archive is too long",
        )
        reader.skip(padded)
        return
    data = reader.read(padded)[:size]
    if kind == b"L":
        pending.name = data.partition(b"\0")[0]
    elif kind == b"x":
        for key, value in _pax_records(data):
            if key in (b"path", b"GNU.sparse.name"):
                pending.name = value
            elif key == b"size" and value.isdigit() and len(value) < 20:
                pending.size = int(value)
            elif key.startswith(b"GNU.sparse."):
                pending.sparse = True


def _pax_records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the records `length key=value` of a pax header, up to the first that is malformed."""
    offset = 0
    while (match := _PAX_RECORD.match(data, offset)) is not None:
        end = offset + int(match[1])
        if not match.end() < end <= len(data):
            return
        yield match[2], data[match.end() : end - 1]
        offset = end


def _skip_sparse_map(reader: BlockReader, block: bytes) -> None:
    """Skip the blocks of a GNU sparse map."""
    extended = block[482]
    while extended:
        more = reader.read(_BLOCK)
        extended = more[504] if len(more) == _BLOCK else 0
