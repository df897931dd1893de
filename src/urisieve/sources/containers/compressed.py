"""Decompression of gzip, bzip2, xz and zstd, block by block with bounded output.

A file may hold several streams one after the other, as `cat a.gz b.gz` makes them (RFC 1952 2.2, RFC 8878 3.1).
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Final, Protocol

from urisieve.errors import BrokenInputError, InputError
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.containers.contents import BlockReader
from urisieve.sources.containers.detection import Kind
from urisieve.sources.containers.limits import Budget
from urisieve.sources.documents import Tally

__all__ = ["Engine", "Inflate", "OuterEngine", "decompressed", "engine_of", "run_engine", "zstd_engine"]

# The memory that a file may ask a decompressor for: `xz -9` needs 65 MiB and `zstd -19` 8; only `zstd --long=28` and
# above need more.
_XZ_MEMORY: Final = 128 * 1_048_576
_ZSTD_WINDOW_LOG: Final = 27
# What a decompressor is given at once: when it fails, it keeps what it had made of this.
_STEP: Final = 4_096
# What decompressors raise over their data.
_FAULTS: Final = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)


class Engine(Protocol):
    """A decompressor of one stream, as the standard library's are but for zlib's."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def needs_input(self) -> bool:
        """Whether it can give nothing before it is fed more."""

    @property
    def unused_data(self) -> bytes:
        """What it was fed beyond the end of the stream."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Feed it; gives at most `max_length` bytes."""


class Inflate:
    """Deflate in the shape of an `Engine`; it gives what stands before a fault, up to the byte.

    Args:
        window_bits: as zlib has it: 31 for gzip, -15 for raw deflate.
    """

    step: Final = BLOCK_SIZE

    def __init__(self, window_bits: int) -> None:
        self._inflate = zlib.decompressobj(window_bits)
        self._fault: zlib.error | None = None
        self.unread = 0
        """How many of the bytes fed stand after the fault."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._inflate.eof

    @property
    def needs_input(self) -> bool:
        """Whether it can give nothing before it is fed more."""
        return not self._inflate.unconsumed_tail and self._fault is None

    @property
    def unused_data(self) -> bytes:
        """What it was fed beyond the end of the stream."""
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Feed it; gives at most `max_length` bytes.

        Raises:
            zlib.error: the data is corrupt, and what stands before that has been given.
        """
        if self._fault is not None:
            raise self._fault
        data = self._inflate.unconsumed_tail + data
        before = self._inflate.copy()
        try:
            return self._inflate.decompress(data, max_length)
        except zlib.error as error:
            self._fault = error
            return self._salvage(before, data)

    def _salvage(self, inflate: zlib._Decompress, data: bytes) -> bytes:
        """What zlib had when it failed and did not give, and the place of the fault: the same again byte by byte."""
        saved = bytearray()
        for place in range(len(data)):
            try:
                saved += inflate.decompress(data[place : place + 1])
            except zlib.error:
                self.unread = len(data) - place
                break
        return bytes(saved)


class OuterEngine:
    """An engine around another one, for those that see to what `decompress` gives."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def eof(self) -> bool:
        """See `Engine`."""
        return self._engine.eof

    @property
    def needs_input(self) -> bool:
        """See `Engine`."""
        return self._engine.needs_input

    @property
    def unused_data(self) -> bytes:
        """See `Engine`."""
        return self._engine.unused_data


class _Zstd(OuterEngine):
    """A frame of zstd; what its module raises over its data becomes a ValueError, for the module may be missing."""

    def __init__(self, engine: Engine, fault: type[Exception]) -> None:
        super().__init__(engine)
        self._fault = fault

    def decompress(self, data: bytes, max_length: int) -> bytes:
        try:
            return self._engine.decompress(data, max_length)
        except self._fault as error:
            raise ValueError(str(error)) from error


def zstd_engine() -> Engine:
    """A decompressor of a zstd frame.

    Raises:
        InputError: neither Python nor the extra has one.
    """
    for name in ("compression.zstd", "backports.zstd"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        options = {module.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
        return _Zstd(module.ZstdDecompressor(options=options), module.ZstdError)
    raise InputError("is compressed by zstd: that needs Python 3.14, or the extra: pip install 'urisieve[zstd]'")


def _xz() -> Engine:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


_ENGINES: Final[dict[Kind, Callable[[], Engine]]] = {
    Kind.GZIP: lambda: Inflate(31),
    Kind.BZIP2: bz2.BZ2Decompressor,
    Kind.XZ: _xz,
    Kind.ZSTD: zstd_engine,
}


def engine_of(kind: Kind) -> Engine:
    """A decompressor of one stream of a kind.

    Raises:
        InputError: there is none for it here.
    """
    return _ENGINES[kind]()


def run_engine(engine: Engine, reader: BlockReader, kind: str, budget: Budget, *, name: str = "") -> Iterator[bytes]:
    """Decompress one stream; what stands behind it stays in the reader.

    Args:
        engine: the decompressor.
        reader: what it reads; bytes are counted from its start.
        kind: what tallies call it.
        budget: what the file may still become.
        name: what messages call it, if not by its kind.

    Raises:
        BrokenInputError: the stream is corrupt, cut, or larger than the budget allows; what stands before is given.
        InputError: reading failed.
    """
    name = name or f"{kind} data"
    step = engine.step if isinstance(engine, Inflate) else _STEP
    start = reader.position
    made = 0
    while not engine.eof:
        data = b""
        if engine.needs_input:
            data = reader.some(step)
            if not data:
                raise BrokenInputError(kind, "truncated", f"{name} ends early, at byte {reader.position:,}")
        try:
            piece = engine.decompress(data, BLOCK_SIZE)
        except _FAULTS as error:
            if "emory" in str(error):  # the words of both xz and zstd
                message = f"{name} at byte {start:,} asks for more memory than is given to it: {error}"
                raise BrokenInputError(kind, "memory-limit", message) from error
            if isinstance(engine, Inflate):
                place = f"at byte {reader.position - engine.unread:,}"
            else:
                place = f"near byte {reader.position - len(data):,}"
            raise BrokenInputError(kind, "corrupt", f"{name} is corrupt {place}: {error}") from error
        if piece:
            made += len(piece)
            budget.make(len(piece), kind, reader.position - start, made)
            yield piece
    reader.unread(engine.unused_data)


def decompressed(reader: BlockReader, kind: Kind, *, source: str, tally: Tally, budget: Budget) -> Iterator[bytes]:
    """The decompressed bytes of a file: of all its streams, and the padding of zeros between them.

    What follows the last stream and is none goes to the tally.

    Args:
        reader: the compressed file.
        kind: how it is compressed, one of `detection.COMPRESSED`.
        source: its name, for the tally.
        tally: where what is broken but does not cut the text is counted.
        budget: what the file may still become.

    Raises:
        BrokenInputError: a stream is corrupt, cut, or larger than the budget allows; what stands before has been given.
        InputError: reading failed, or there is no decompressor for this kind.
    """
    while True:
        budget.begin(kind)
        yield from run_engine(engine_of(kind), reader, kind, budget)
        if budget.spent:
            return
        while (padding := reader.peek(BLOCK_SIZE)) and not padding.strip(b"\0"):
            reader.skip(len(padding))
        reader.skip(len(padding) - len(padding.lstrip(b"\0")))
        if not padding:
            if reader.error is not None:
                raise reader.error
            return
        if reader.kind() is not kind:
            place = reader.position
            message = f"{source}: what follows the {kind} data at byte {place:,} is none"
            tally.fault(kind, "trailing-garbage", message)
            return
