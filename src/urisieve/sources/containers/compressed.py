"""Decompression of gzip, bzip2, xz and zstd, block by block with bounded output.

A file may hold several streams one after the other, such as the output of `cat a.gz b.gz` (RFC 1952 2.2, RFC 8878 3.1).

Deflate (RFC 1951) by zlib-ng where that is installed, else by the standard library; both give the same.

zlib-ng is chosen over ISA-L, which is some 20 % quicker still, but can neither copy the state of a stream nor say how
much came before a fault: a damaged stream would lose up to half a megabyte of text.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
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
# Exceptions that decompressors raise over their data.
_FAULTS: Final = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)


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


class OuterEngine:
    """An engine around another one; subclasses process the output of `decompress`."""

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
    """A frame of zstd; errors of its module become ValueErrors, since the module may be missing."""

    def __init__(self, engine: Engine, fault: type[Exception]) -> None:
        super().__init__(engine)
        self._fault = fault

    def decompress(self, data: bytes, max_length: int) -> bytes:
        try:
            return self._engine.decompress(data, max_length)
        except self._fault as error:
            raise ValueError(str(error)) from error


def zstd_engine() -> Engine:
    """Return a decompressor of a zstd frame.

    Raises:
        InputError: neither Python nor an installed extra has one.
    """
    make, fault = _zstd()
    return _Zstd(make(), fault)


@cache  # looking for a module that is missing takes longer than a short frame
def _zstd() -> tuple[Callable[[], Engine], type[Exception]]:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        options = {module.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
        return partial(module.ZstdDecompressor, options=options), module.ZstdError
    raise InputError("is compressed by zstd: that needs Python 3.14, or the extra: pip install 'urisieve[zstd]'")


def _xz() -> Engine:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


_ENGINES: Final[dict[ReaderRow, Callable[[], Engine]]] = {
    Kind.GZIP: lambda: Inflate(31),
    Kind.BZIP2: bz2.BZ2Decompressor,
    Kind.XZ: _xz,
    Kind.ZSTD: zstd_engine,
}


def engine_of(kind: ReaderRow) -> Engine:
    """Return a decompressor of one stream of a kind.

    Raises:
        InputError: none is installed for this kind.
    """
    return _ENGINES[kind]()


def run_engine(engine: Engine, reader: BlockReader, kind: str, budget: Budget, *, name: str = "") -> Iterator[bytes]:
    """Decompress one stream; the bytes after it stay in the reader.

    Args:
        engine: the decompressor.
        reader: the compressed bytes; offsets in messages count from its start.
        kind: its name in tallies.
        budget: the limits of the file.
        name: its name in messages; that of its kind by default.

    Raises:
        BrokenInputError: the stream is corrupt, cut, or exceeds the budget; the bytes before that have been yielded.
        InputError: reading failed.
    """
    name = name or f"{kind} data"
    step, most = (_FIRST_STEP, engine.step) if isinstance(engine, Inflate) else (_STEP, _STEP)
    start = reader.position
    made = 0
    while not engine.eof:
        data = b""
        if engine.needs_input:
            data = reader.some(step)
            step = min(2 * step, most)
            if not data:
                raise BrokenInputError(kind, "truncated", f"{name} ends early, at byte {reader.position:,}")
        try:
            piece = engine.decompress(data, BLOCK_SIZE)
        except _FAULTS as error:
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
        engine = engine_of(kind)
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
