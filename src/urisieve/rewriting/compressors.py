"""Compressors, with one interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from urisieve.errors import InputError
from urisieve.lean import Final, Protocol
from urisieve.sources.kinds.kind_table import Kind, ReaderRow


class Compressor(Protocol):
    """Compresses a stream."""

    def compress(self, data: bytes, /) -> bytes:
        """Take the next bytes; return those that are compressed."""

    def flush(self) -> bytes:
        """Return the rest."""


def _gzip() -> Compressor:
    import zlib

    return zlib.compressobj(wbits=31)


def _bzip2() -> Compressor:
    import bz2

    return bz2.BZ2Compressor()


def _xz() -> Compressor:
    import lzma

    return lzma.LZMACompressor()


def _zstd() -> Compressor:
    from urisieve.sources.containers.compressed import zstd_module

    made: Compressor = zstd_module().ZstdCompressor()
    return made


_COMPRESSORS: Final[dict[ReaderRow, Callable[[], Compressor]]] = {
    Kind.GZIP: _gzip,
    Kind.BZIP2: _bzip2,
    Kind.XZ: _xz,
    Kind.ZSTD: _zstd,
}


def compressor(kind: ReaderRow) -> Compressor:
    """Return a compressor.

    Raises:
        InputError: there is none of this kind, or it is not installed.
    """
    make = _COMPRESSORS.get(kind)
    if make is None:
        raise InputError(f"is {kind.said}, which is not written back")
    return make()


def packed(packer: Compressor, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield bytes compressed; if they cannot be read to their end, all that were read.

    Raises:
        InputError: from the iterator: reading fails.
    """
    try:
        for piece in pieces:
            if data := packer.compress(piece):
                yield data
    except InputError:
        yield packer.flush()
        raise
    yield packer.flush()
