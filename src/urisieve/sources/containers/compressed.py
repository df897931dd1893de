"""Decompression of gzip, bzip2, xz and zstd, block by block with bounded output.

A file may hold several streams one after the other, such as the output of `cat a.gz b.gz` (RFC 1952 2.2, RFC 8878 3.1).

Deflate (RFC 1951) by zlib-ng where that is installed, else by the standard library; both give the same.

zlib-ng is chosen over ISA-L, which is some 20 % quicker still, but can neither copy the state of a stream nor say how
much came before a fault: a damaged stream would lose up to half a megabyte of text.

Also defines the members of a gzip file, of which an archive of the web makes one for each record (ISO 28500, Annex D).
Where such a member begins a record begins, whatever the length of the one before; and a damaged member costs only its
own record, since the next one can be found.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import Any, Final, Protocol
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.containers.limits import Budget
from urisieve.sources.kinds.kind_table import Kind, ReaderRow
from urisieve.sources.kinds.sniffing import signed_kind
from urisieve.sources.tally import Tally


@cache
def _library() -> tuple[Any, type[Exception]]:
    """Return the library and the exception that it raises over its data."""
    try:
        from zlib_ng import zlib_ng
    except ImportError:  # not installed, or not for this processor
        return zlib, zlib.error
    error: Any = zlib_ng.error
    return zlib_ng, error


def decompressobj(window_bits: int) -> Any:
    """Return a decompressor with the interface of `zlib.decompressobj`; only its exception may be another one."""
    return _library()[0].decompressobj(window_bits)


class Inflate:
    """Deflate with the interface of an `Engine`; it returns all bytes before a fault.

    Args:
        window_bits: the `wbits` of zlib: 31 for gzip, -15 for raw deflate.
    """

    step: Final = BLOCK_SIZE

    def __init__(self, window_bits: int) -> None:
        self._error = _library()[1]
        self._window_bits = window_bits
        self._is_new = True
        self._inflate = decompressobj(window_bits)
        self._fault: str | None = None
        self.unread = b""
        """The bytes fed that follow the fault."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return bool(self._inflate.eof)

    @property
    def needs_input(self) -> bool:
        """Whether it has no output before it is fed more."""
        return not self._inflate.unconsumed_tail and self._fault is None

    @property
    def unused_data(self) -> bytes:
        """The bytes fed beyond the end of the stream."""
        return bytes(self._inflate.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Feed data; return at most `max_length` decompressed bytes.

        Raises:
            zlib.error: the data is corrupt, and the bytes before that have been returned.
        """
        if self._fault is not None:
            raise zlib.error(self._fault)
        data = self._inflate.unconsumed_tail + data
        # A new one is made more quickly than one that is new is copied, and only if it is needed.
        before = None if self._is_new else self._inflate.copy()
        self._is_new = False
        try:
            return bytes(self._inflate.decompress(data, max_length))
        except self._error as error:
            self._fault = str(error)
            return self._salvage(before or decompressobj(self._window_bits), data)

    def _salvage(self, inflate: Any, data: bytes) -> bytes:
        """Decompress the same data byte by byte, for the output before the fault and the offset of the fault."""
        saved = bytearray()
        for index in range(len(data)):
            try:
                saved += inflate.decompress(data[index : index + 1])
            except self._error:
                self.unread = data[index:]
                break
        return bytes(saved)


# The memory that a file may require of a decompressor: `xz -9` needs 65 MiB and `zstd -19` 8 MiB; only `zstd --long=28`
# and above need more.
_XZ_MEMORY: Final = 128 * 1_048_576
_ZSTD_WINDOW_LOG: Final = 27
# Bytes that a decompressor is fed at once: when it fails, their output is lost.
_STEP: Final = 4_096
# The same for gzip at the beginning of a stream; each time twice as many, up to its `step`. What follows a short stream
# is put back.
_FIRST_STEP: Final = 8_192
# The longest sign of a compressed stream, in bytes.
_SIGN: Final = 16
# Exceptions that decompressors raise over their data; a module that may be missing adds its own when it is loaded.
FAULTS: Final[list[type[Exception]]] = [zlib.error, lzma.LZMAError, OSError, EOFError, ValueError]


class Engine(Protocol):
    """A decompressor of one stream, with the interface of `bz2.BZ2Decompressor`."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def needs_input(self) -> bool:
        """Whether it has no output before it is fed more."""

    @property
    def unused_data(self) -> bytes:
        """The bytes fed beyond the end of the stream."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Feed data; return at most `max_length` decompressed bytes."""


def zstd_engine() -> Engine:
    """Return a decompressor of a zstd frame.

    Raises:
        InputError: neither Python nor an installed extra has one.
    """
    return _zstd()()


@cache  # looking for a module that is missing takes longer than a short frame
def _zstd() -> Callable[[], Engine]:
    module = zstd_module()
    FAULTS.append(module.ZstdError)
    options = {module.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
    return partial(module.ZstdDecompressor, options=options)


def zstd_module() -> Any:
    """Return the module of Python 3.14, or of the extra, for zstd.

    Raises:
        InputError: there is neither.
    """
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            continue
    raise InputError("is compressed by zstd: that needs Python 3.14, or the extra: pip install 'urisieve[zstd]'")


def _xz() -> Engine:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


_ENGINES: Final[dict[ReaderRow, Callable[[], Engine]]] = {
    Kind.GZIP: lambda: Inflate(31),
    Kind.BZIP2: bz2.BZ2Decompressor,
    Kind.XZ: _xz,
    Kind.ZSTD: zstd_engine,
}


def run_engine(
    engine: Engine, reader: BlockReader, kind: str, budget: Budget, *, name: str = "", size: int | None = None
) -> Iterator[bytes]:
    """Decompress one stream; the bytes after it stay in the reader.

    Args:
        engine: the decompressor.
        reader: the compressed bytes; offsets in messages count from its start.
        kind: its name in tallies.
        budget: the limits of the file.
        name: its name in messages; that of its kind by default.
        size: the number of decompressed bytes at which the stream ends, though it may have no mark of its end.

    Raises:
        BrokenInputError: the stream is corrupt, cut, or exceeds the budget; the bytes before that have been yielded.
        InputError: reading failed.
    """
    name = name or f"{kind} data"
    step, most = (_FIRST_STEP, engine.step) if isinstance(engine, Inflate) else (_STEP, _STEP)
    start = reader.position
    made = 0
    while not engine.eof and made != size:
        data = b""
        if engine.needs_input:
            data = reader.some(step)
            step = min(2 * step, most)
            if not data:
                raise BrokenInputError(kind, "truncated", f"{name} ends early, at byte {reader.position:,}")
        try:
            piece = engine.decompress(data, BLOCK_SIZE if size is None else min(BLOCK_SIZE, size - made))
        except tuple(FAULTS) as error:
            if "emory" in str(error):  # in the messages of both xz and zstd
                message = f"{name} at byte {start:,} needs more memory than it may use: {error}"
                raise BrokenInputError(kind, "memory-limit", message) from error
            if isinstance(engine, Inflate):
                where = f"at byte {reader.position - len(engine.unread):,}"
            else:
                where = f"near byte {reader.position - len(data):,}"
            raise BrokenInputError(kind, "corrupt", f"{name} is corrupt {where}: {error}") from error
        if piece:
            made += len(piece)
            budget.make(len(piece), kind, reader.position - start, made)
            yield piece
    reader.unread(engine.unused_data)


def decompressed(
    reader: BlockReader,
    kind: ReaderRow,
    *,
    source: str,
    tally: Tally,
    budget: Budget,
    begun: Callable[[], object] | None = None,
) -> Iterator[bytes]:
    """Yield the decompressed bytes of all streams of a file; padding of zeros between them is skipped.

    Bytes after the last stream that are not a stream are counted as a fault.

    Args:
        reader: the compressed file.
        kind: how it is compressed, one of `kinds.COMPRESSED`.
        source: its name, for the tally.
        tally: counts faults that do not cut the text.
        budget: the limits of the file.
        begun: called before each stream.

    Raises:
        BrokenInputError: a stream is corrupt, cut, or exceeds the budget; the bytes before that have been yielded.
        InputError: reading failed, or there is no decompressor for this kind.
    """
    while True:
        budget.begin(kind)
        if begun is not None:
            begun()
        engine = _ENGINES[kind]()
        try:
            yield from run_engine(engine, reader, kind, budget)
        except BrokenInputError:
            if isinstance(engine, Inflate):
                reader.unread(engine.unread)
            raise
        if budget.spent:
            return
        if reader.peek(1) == b"\0":
            while (padding := reader.peek(BLOCK_SIZE)) and not padding.strip(b"\0"):
                reader.skip(len(padding))
            reader.skip(len(padding) - len(padding.lstrip(b"\0")))
        sign = reader.peek(_SIGN)
        if not sign:
            if reader.error is not None:
                raise reader.error
            return
        if signed_kind(sign) is not kind:
            offset = reader.position
            message = f"{source}: the bytes after the {kind} data, from byte {offset:,} on, are not {kind} data"
            tally.fault(kind, "trailing-garbage", message)
            return


_GZIP: Final = b"\x1f\x8b\x08"
_RECORD: Final = b"WARC/"
# Compressed bytes before a fault in which the next member may begin: a decompressor that has run from one into the next
# notices within some kilobytes.
_RECENT: Final = 262_144
# After so many faults the next member is looked for behind the fault only, so that time is linear.
_MOST_FAULTS: Final = 1_000
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
    while packed.skip_to(_GZIP):
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
            for block in decompressed(
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
                if self._faults <= _MOST_FAULTS:
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
