"""Zip archives, read member by member (APPNOTE 6.3.10): the directory is streamed, and nothing is unpacked to disk.

`zipfile` reads the whole directory at once and does not limit the output of bzip2 and LZMA; here memory is constant,
except for the offset of each member. No byte is read for two members.

Also defines:

- archives that are one document: Office Open XML, OpenDocument, EPUB.
"""

from __future__ import annotations

import bz2
import lzma
import posixpath
import re
import struct
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import BinaryIO, Final, NamedTuple
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.reading import BLOCK_SIZE, raised
from urisieve.sources.containers.compressed import Engine, Inflate, run_engine, zstd_engine
from urisieve.sources.containers.contents import Member, shown_name
from urisieve.sources.containers.limits import Budget
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.tally import Tally

_LOCAL: Final = struct.Struct("<4sHHHHHLLLHH")
_CENTRAL: Final = struct.Struct("<4sHHHHHHLLLHHHHHLL")
_END: Final = struct.Struct("<4sHHHHLLH")
_END64_LOCATOR: Final = struct.Struct("<4sLQL")
_END64: Final = struct.Struct("<4sQHHLLQQQQ")
_LONGEST_COMMENT: Final = 65_535
_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
_STREAMED: Final = 0x8  # the sizes follow the data
_UTF8: Final = 0x800
_SYMLINK: Final = 0o120000
_STORED, _DEFLATED, _BZIP2, _LZMA, _ZSTD_OLD, _ZSTD, _XZ = 0, 8, 12, 14, 20, 93, 95
_KNOWN: Final = frozenset([_STORED, _DEFLATED, _BZIP2, _LZMA, _ZSTD_OLD, _ZSTD, _XZ])
_LARGEST_FILE: Final = 1 << 62
_MEMORY: Final = 128 * 1_048_576
# Members whose offsets are remembered, in 8 MB; further ones may together have no more bytes than the archive.
_MEMBERS: Final = 1_000_000
_SIGN: Final = b"PK\x03\x04"
# Bytes of a member that is decompressed as one.
_SMALL: Final = 65_536


class _Entry(NamedTuple):
    """The entry of one member.

    `offset` is that of its local header; sizes are None if they are not yet known. `limit` is the offset of the next
    member or of the directory, None if that is not known.
    """

    name: bytes
    flags: int
    method: int
    checksum: int | None
    compressed: int | None
    size: int | None
    offset: int
    is_link: bool
    limit: int | None = None

    @property
    def shown(self) -> str:
        # APPNOTE D.1: without the flag, names are in code page 437; many programs write UTF-8 all the same.
        if not self.flags & _UTF8:
            try:
                self.name.decode("utf-8")
            except UnicodeDecodeError:
                return shown_name(self.name, "cp437")
        return shown_name(self.name)


def zip_members(file: BinaryIO, *, source: str, tally: Tally, budget: Budget) -> Iterator[Member]:
    """Yield the files of an archive, in the order of its directory, or of its data if the directory is missing.

    Encrypted members, links and unknown methods of compression are counted as skipped. The bytes of a member that a
    caller does not read cost nothing.

    Args:
        file: the archive; it must be seekable.
        source: its name, for messages.
        tally: counts everything skipped or broken.
        budget: the limits of the file.

    Iterating `blocks` of a member raises `BrokenInputError` if it is broken or exceeds the budget.

    Raises:
        InputError: the archive cannot be read.
    """
    for entry, blocks in _readable(file, source, tally, budget):
        is_small = entry.size is not None and entry.size <= _SMALL
        yield Member(entry.shown, _in_memory(blocks) if is_small else blocks)


def zip_parts(file: BinaryIO, *, source: str, tally: Tally, budget: Budget) -> Iterator[Member]:
    """Yield the files of an archive, each of which may be read at any time, or not at all; see `zip_members`."""
    return (Member(entry.shown, blocks) for entry, blocks in _readable(file, source, tally, budget))


def _readable(file: BinaryIO, source: str, tally: Tally, budget: Budget) -> Iterator[tuple[_Entry, Iterator[bytes]]]:
    for entry in _directory(file, source, tally):
        if budget.spent:
            return
        if entry.name.endswith((b"/", b"\\")) and not entry.size:
            continue
        if entry.flags & _ENCRYPTED:
            tally.skip("zip member", "encrypted")
        elif entry.is_link:
            tally.skip("zip member", "link")
        elif entry.method not in _KNOWN:
            tally.skip("zip member", "unknown-method")
        elif entry.limit == entry.offset:
            tally.skip("zip member", "same-data")
        else:
            yield entry, _member_blocks(file, entry, budget)


def _in_memory(blocks: Iterator[bytes]) -> Iterable[bytes]:
    """Return small blocks as a tuple of one; an error or too many bytes come behind those before."""
    taken: list[bytes] = []
    try:
        while (block := next(blocks, None)) is not None:
            taken.append(block)
            if sum(map(len, taken)) > _SMALL:
                return chain(taken, blocks)
    except InputError as error:
        return raised(error, taken)
    return (b"".join(taken),)


def _read(file: BinaryIO, offset: int, size: int) -> bytes:
    """Return the bytes at an offset that the archive names; none if it is outside of any file."""
    if not 0 <= offset < _LARGEST_FILE:
        return b""
    try:
        file.seek(offset)
        return file.read(size)
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error


def _size(file: BinaryIO) -> int:
    try:
        return file.seek(0, 2)
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error


def _directory(file: BinaryIO, source: str, tally: Tally) -> Iterator[_Entry]:
    size = _size(file)
    start = max(0, size - _END.size - _LONGEST_COMMENT)
    tail = _read(file, start, size - start)
    index = tail.rfind(b"PK\x05\x06")
    if index < 0 or len(tail) - index < _END.size:
        tally.fault("zip", "truncated", f"{source}: the archive has no directory at its end, byte {size:,}")
        yield from _locals(file, size, source, tally)
        return
    *_, length, offset, _ = _END.unpack_from(tail, index)
    end = start + index
    located = index - _END64_LOCATOR.size
    if located >= 0 and tail[located : located + 4] == b"PK\x06\x07":
        _, _, end64, _ = _END64_LOCATOR.unpack_from(tail, located)
        # Data before the archive (a program that unpacks itself) shifts all offsets.
        for guess in (end64, start + located - _END64.size):
            record = _read(file, guess, _END64.size)
            if record[:4] == b"PK\x06\x06" and len(record) == _END64.size:
                *_, length, offset = _END64.unpack(record)
                end = guess
                break
    shift = end - length - offset
    if shift < 0:
        tally.fault("zip", "corrupt", f"{source}: the directory at byte {offset:,} is not where the archive says")
        yield from _locals(file, size, source, tally)
        return
    yield from _central(file, offset + shift, end, shift, source, tally)


def _central(file: BinaryIO, position: int, end: int, shift: int, source: str, tally: Tally) -> Iterator[_Entry]:
    starts = _Starts(file, (entry.offset for _, entry in _entries(file, position, end, shift)), position)
    for following, entry in _entries(file, position, end, shift):
        position = following
        yield entry._replace(limit=starts.limit(entry))
    if position != end:
        tally.fault("zip", "corrupt", f"{source}: the directory is corrupt at byte {position:,}")


class _Starts:
    """The offsets of the members of an archive, so that none is read beyond the start of another one.

    Args:
        file: the archive.
        offsets: the offsets in its directory; those at which no member begins are ignored.
        end: the offset of the directory.
    """

    def __init__(self, file: BinaryIO, offsets: Iterable[int], end: int) -> None:
        named = sorted(set(islice(offsets, _MEMBERS)))
        self._starts = array("q", [offset for offset in named if offset < end and _read(file, offset, 4) == _SIGN])
        self._is_taken = bytearray(len(self._starts))
        self._end = end
        self._left = end  # bytes left for members that are not remembered

    def limit(self, entry: _Entry) -> int:
        """Return the offset at which the data of a member ends at the latest; its start if an earlier member had it."""
        starts, offset = self._starts, entry.offset
        index = bisect_right(starts, offset)
        limit = starts[index] if index < len(starts) else max(self._end, offset + 1)
        if index and starts[index - 1] == offset:
            is_new = not self._is_taken[index - 1]
            self._is_taken[index - 1] = True
        else:
            self._left -= min(limit - offset, _LOCAL.size + len(entry.name) + (entry.compressed or 0))
            is_new = self._left >= 0
        return limit if is_new else offset


def _entries(file: BinaryIO, position: int, end: int, shift: int) -> Iterator[tuple[int, _Entry]]:
    """Yield the entries of a directory, each with the offset of the next one."""
    while position + _CENTRAL.size <= end:
        header = _read(file, position, _CENTRAL.size)
        if header[:4] != b"PK\x01\x02" or len(header) < _CENTRAL.size:
            break
        (_, made_by, _, flags, method, _, _, checksum, compressed, size, name_length, extra_length, note_length) = (
            _CENTRAL.unpack(header)[:13]
        )
        attributes, offset = struct.unpack_from("<LL", header, 38)
        name = file.read(name_length)
        extra = file.read(extra_length)
        position += _CENTRAL.size + name_length + extra_length + note_length
        size, compressed, offset = _wide(extra, size, compressed, offset)
        is_link = made_by >> 8 == 3 and attributes >> 16 & 0o170000 == _SYMLINK
        yield position, _Entry(name, flags, method, checksum, compressed, size, offset + shift, is_link)


def _wide(extra: bytes, size: int, compressed: int, offset: int) -> tuple[int, int, int]:
    """Return both sizes and the offset, from the Zip64 field if they do not fit in the entry (APPNOTE 4.5.3)."""
    index = 0
    while index + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, index)
        if kind == 1:
            field = extra[index + 4 : index + 4 + length]
            numbers = iter(struct.unpack(f"<{len(field) // 8}Q", field[: len(field) // 8 * 8]))
            if size == 0xFFFFFFFF:
                size = next(numbers, size)
            if compressed == 0xFFFFFFFF:
                compressed = next(numbers, compressed)
            if offset == 0xFFFFFFFF:
                offset = next(numbers, offset)
            break
        index += 4 + length
    return size, compressed, offset


def _locals(file: BinaryIO, size: int, source: str, tally: Tally) -> Iterator[_Entry]:
    """Yield the members of an archive without a directory, by their local headers, as long as one follows the other."""
    offset = 0
    while True:
        header = _read(file, offset, _LOCAL.size)
        if len(header) < _LOCAL.size or header[:4] != _SIGN:
            return
        _, _, flags, method, _, _, checksum, compressed, whole, name_length, extra_length = _LOCAL.unpack(header)
        name = file.read(name_length)
        extra = file.read(extra_length)
        if flags & _STREAMED and not compressed:
            yield _Entry(name, flags, method, None, None, None, offset, False)
            tally.skip("zip member", "behind-one-of-unknown-size")
            return
        whole, compressed, _ = _wide(extra, whole, compressed, 0)
        yield _Entry(name, flags, method, checksum, compressed, whole, offset, False)
        offset += _LOCAL.size + name_length + extra_length + compressed
        if offset >= size:
            return


def _raw_blocks(file: BinaryIO, start: int, size: int | None) -> Iterator[bytes]:
    """Yield the stored bytes of a member; other code may seek in the file between two blocks."""
    offset = start
    while size is None or offset < start + size:
        block = _read(file, offset, BLOCK_SIZE if size is None else min(BLOCK_SIZE, start + size - offset))
        if not block:
            return
        offset += len(block)
        yield block


def _member_blocks(file: BinaryIO, entry: _Entry, budget: Budget) -> Iterator[bytes]:
    header = _read(file, entry.offset, _LOCAL.size)
    if header[:4] != _SIGN or len(header) < _LOCAL.size:
        raise BrokenInputError("zip", "corrupt", f"the archive has no member at byte {entry.offset:,}")
    name_length, extra_length = struct.unpack_from("<HH", header, 26)
    start = entry.offset + _LOCAL.size + name_length + extra_length
    size = entry.compressed
    if entry.limit is not None and size is not None:
        size = max(0, min(size, entry.limit - start))
    reader = BlockReader(_raw_blocks(file, start, size))
    checksum = 0
    if entry.method == _STORED:
        blocks = _stored(reader, entry.compressed, start)
    else:
        name = f"the member's data, which begins at byte {start:,} of the archive,"
        end = entry.size if entry.method == _LZMA else None  # its data may have no mark of its end (APPNOTE 5.8.9)
        blocks = run_engine(_engine(entry.method, reader), reader, "zip", budget, name=name, size=end)
    try:
        for block in blocks:
            checksum = zlib.crc32(block, checksum)
            yield block
    except BrokenInputError as error:
        if size == entry.compressed or error.reason != "truncated":
            raise
        message = f"the data of the member at byte {entry.offset:,} overlaps that of another one at {entry.limit:,}"
        raise BrokenInputError("zip", "overlap", message) from error
    if entry.checksum is not None and checksum != entry.checksum:
        raise BrokenInputError(
            "zip", "checksum", f"the member's data, which begins at byte {start:,}, has another checksum"
        )


def _stored(reader: BlockReader, size: int | None, start: int) -> Iterator[bytes]:
    if size is None:
        raise BrokenInputError("zip", "truncated", f"the end of the member at byte {start:,} is not known")
    yield from reader.rest()
    if reader.position < size:
        raise BrokenInputError("zip", "truncated", f"the archive ends early, at byte {start + reader.position:,}")


def _engine(method: int, reader: BlockReader) -> Engine:
    if method == _DEFLATED:
        return Inflate(-15)
    if method == _BZIP2:
        return bz2.BZ2Decompressor()
    if method == _XZ:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    if method == _LZMA:
        return _raw_lzma(reader)
    return zstd_engine()


def _raw_lzma(reader: BlockReader) -> Engine:
    """Read the LZMA header of APPNOTE 5.8 (version, length of the properties, properties); return a decompressor."""
    head = reader.read(9)
    if len(head) < 9 or head[2:4] != b"\x05\x00":
        raise BrokenInputError("zip", "corrupt", "the member's LZMA header is corrupt")
    dictionary = int.from_bytes(head[5:], "little")
    if dictionary > _MEMORY:
        raise BrokenInputError(
            "zip", "memory-limit", f"the member needs {dictionary:,} bytes of memory, more than it may use"
        )
    rest, lc = divmod(head[4], 9)
    pb, lp = divmod(rest, 5)
    chain = [{"id": lzma.FILTER_LZMA1, "lc": lc, "lp": lp, "pb": pb, "dict_size": max(dictionary, 4_096)}]
    try:
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=chain)
    except (lzma.LZMAError, ValueError) as error:  # pb, and the sum of lc and lp, is at most 4
        raise BrokenInputError("zip", "corrupt", f"the member's LZMA header is corrupt: {error}") from error


# Parts that are read; each takes some hundred bytes of memory. A book of pictures has thousands.
_MOST_PARTS: Final = 65_536
_LONGEST_TYPE: Final = 200
_OPEN_DOCUMENT: Final = re.compile(
    rb"application/(?:vnd\.oasis\.opendocument|vnd\.sun\.xml|x-vnd\.oasis\.opendocument)\.([a-z]+)"
)
_BY_TYPE: Final = {
    b"text": Kind.ODT,
    b"writer": Kind.ODT,
    b"spreadsheet": Kind.ODS,
    b"calc": Kind.ODS,
    b"presentation": Kind.ODP,
    b"impress": Kind.ODP,
}
# The first folder of the parts, and the part that one without a list of them must have.
_BY_FOLDER: Final = {"word/": Kind.DOCX, "xl/": Kind.XLSX, "ppt/": Kind.PPTX}
_MAIN: Final = frozenset(["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"])
_LISTS: Final = frozenset(["[Content_Types].xml", "_rels/.rels"])


class Package(NamedTuple):
    """A document in a zip archive.

    Attributes:
        kind: its kind.
        parts: the bytes of each part by its name, in the order of the archive; they are read once.
    """

    kind: Kind
    parts: dict[str, Iterable[bytes]]


def read_package(file: BinaryIO, *, source: str, tally: Tally, budget: Budget) -> Package | None:
    """Return the document that a zip archive is, None if it is none.

    Args:
        file: the archive; it must be seekable.
        source: its name, for messages.
        tally: counts everything skipped or broken.
        budget: the limits of the file.

    Raises:
        InputError: the archive cannot be read.
    """
    counts = Tally()
    members = zip_parts(file, source=source, tally=counts, budget=budget)
    parts = _by_name(islice(members, _MOST_PARTS), counts)
    kind = _kind(parts)
    if kind is None:
        return None
    tally.take(counts)
    if next(members, None) is not None:
        tally.fault(kind, "too-many-parts", f"{source}: more than {_MOST_PARTS:,} parts: no more of them are read")
    return Package(kind, parts)


def _by_name(members: Iterable[Member], tally: Tally) -> dict[str, Iterable[bytes]]:
    """Return the parts by their names; one whose name another one behind it has is read under a name of its own."""
    parts: dict[str, Iterable[bytes]] = {}
    number = 1
    for member in members:
        name = member.name.replace("\\", "/").lstrip("/")
        if name in parts:
            tally.read["zip member of the same name"] += 1
            stem, ending = posixpath.splitext(name)
            other = name
            while other in parts:
                number += 1
                other = f"{stem} ({number}){ending}"
            parts[other] = parts[name]
        parts[name] = member.blocks
    return parts


def _kind(parts: dict[str, Iterable[bytes]]) -> Kind | None:
    if "mimetype" in parts:
        media_type = b""
        try:
            for block in parts.pop("mimetype"):
                media_type += block[:_LONGEST_TYPE]
                if len(media_type) >= _LONGEST_TYPE:
                    break
        except InputError:
            pass  # the names decide
        found = _OPEN_DOCUMENT.match(media_type)
        if found is not None:
            return _BY_TYPE.get(found[1], Kind.ODF)
    if "META-INF/container.xml" in parts:
        return Kind.EPUB
    if _LISTS.isdisjoint(parts) and _MAIN.isdisjoint(parts):
        return None
    kinds = (_BY_FOLDER[folder] for folder in _BY_FOLDER if any(name.startswith(folder) for name in parts))
    return next(kinds, Kind.OFFICE)
