"""Deflate (RFC 1951) by zlib-ng where that is installed, else by the standard library; both give the same.

zlib-ng is chosen over ISA-L, which is some 20 % quicker still, but can neither copy the state of a stream nor say how
much came before a fault: a damaged stream would lose up to half a megabyte of text.
"""

from __future__ import annotations

import zlib
from functools import cache

from urisieve.lean.hints import Any, Final
from urisieve.sources.bytes.reading import BLOCK_SIZE

__all__ = ["Inflate", "decompressobj"]


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
        self._fault: zlib.error | None = None
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
            raise self._fault
        data = self._inflate.unconsumed_tail + data
        # A new one is made more quickly than one that is new is copied, and only if it is needed.
        before = None if self._is_new else self._inflate.copy()
        self._is_new = False
        try:
            return bytes(self._inflate.decompress(data, max_length))
        except self._error as error:
            self._fault = zlib.error(str(error))
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
