"""Bodies of HTTP responses, without their chunks and content codings (RFC 9112 7.1, RFC 9110 8.4.1).

Some web archives contain them as they were received; others have removed both, but not the fields that name them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import Any, Final
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.reading import BLOCK_SIZE, raised
from urisieve.sources.containers.compressed import FAULTS, Engine, Inflate, run_engine
from urisieve.sources.containers.limits import Budget

# The kind under which faults of a body are counted: that of the record that it is in.
RECORD_KIND: Final = "warc record"
_CHUNK: Final = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_SHORT_CHUNK: Final = re.compile(rb"([1-9A-Fa-f][0-9A-Fa-f]{0,2})\r\n")
_SHORT_LINE: Final = 5
# Bytes in which the line before a chunk must end; extensions follow the size.
_CHUNK_LENGTH: Final = 4_096
# Bytes that show whether a body is still encoded.
_LOOK: Final = 512
# Of so many compressed bytes some are control characters (all but one in a million times); fewer have to be UTF-8.
_ENOUGH: Final = 128
# The most codings of a body: servers send one, or two; each is an iterator around the others.
_MOST_CODINGS: Final = 8
# Control characters that no text holds, but that every format of compression has in its first bytes or soon after.
_CONTROLS: Final = bytes([*range(9), 11, *range(14, 32), 127])


def body_blocks(reader: BlockReader, header: Mapping[str, str], budget: Budget, *, is_cut: bool) -> Iterable[bytes]:
    """Return the blocks of a body, as a tuple if nothing is to be undone and they are in memory.

    gzip and zstd are left: they are detected by their content, like those of a file.

    Args:
        reader: the body.
        header: the fields of the response by their name in lower case: its codings are looked at.
        budget: the limits of the file.
        is_cut: whether the archive states that the body is cut.

    Iterating raises `BrokenInputError` if the body is damaged or has too many codings, `InputError` if it cannot be
    decompressed here.
    """
    if "transfer-encoding" not in header and "content-encoding" not in header:
        return reader.whole()
    blocks = reader.rest()
    if "chunked" in header.get("transfer-encoding", "").lower() and _CHUNK.match(reader.peek(_CHUNK_LENGTH)):
        blocks = _unchunked(reader, is_cut=is_cut)
    codings = [coding.strip() for coding in header.get("content-encoding", "").lower().split(",")]
    count = sum(coding in _DECODERS for coding in codings)
    if count > _MOST_CODINGS:
        message = f"a body has {count:,} codings, more than {_MOST_CODINGS}"
        return raised(BrokenInputError(RECORD_KIND, "many-codings", message))
    for index, coding in enumerate(reversed(codings)):
        decoder = _DECODERS.get(coding)
        is_last = index == len(codings) - 1
        if decoder is not None and not (is_last and coding in _BY_CONTENT):
            blocks = _decoded(blocks, decoder, coding, budget)
    return blocks


def _unchunked(reader: BlockReader, *, is_cut: bool) -> Iterator[bytes]:
    """Yield the content of chunks, that of short ones together; see `body_blocks` for the errors."""
    while True:
        if _SHORT_CHUNK.match(reader.held(_SHORT_LINE)) is not None:
            chunks, size = _short_chunks(reader.held(BLOCK_SIZE))
            if size:
                reader.skip(size)
                yield b"".join(chunks)
        line = reader.line(_CHUNK_LENGTH)
        found = _CHUNK.fullmatch(line)
        if found is None:
            if line:
                raise BrokenInputError(RECORD_KIND, "bad-chunk", "a body is not in chunks, though its header says so")
            reader.some()  # raises the error that ended the blocks
            if is_cut:
                return
            raise BrokenInputError(RECORD_KIND, "cut-chunks", "a body in chunks ends before its last chunk")
        left = int(found[1], 16)
        if not left:
            return
        while left:
            data = reader.some(min(left, BLOCK_SIZE))
            if not data:
                break
            left -= len(data)
            yield data
        if not left:
            reader.line(_CHUNK_LENGTH)


def _short_chunks(data: bytes) -> tuple[list[bytes], int]:
    """Return the content of the short chunks that bytes begin with, and the number of bytes that these take.

    They are chunks as most are, without blanks and extensions; whatever else there is stops it.
    """
    found: list[bytes] = []
    at = 0
    while (begin := _SHORT_CHUNK.match(data, at)) is not None:
        start = begin.end()
        end = start + int(begin[1], 16)
        if data[end : end + 2] != b"\r\n":  # the end of the data, or of what is to be looked at more closely
            break
        found.append(data[start:end])
        at = end + 2
    return found, at


def _decoded(
    blocks: Iterator[bytes], decoder: Callable[[bytes], Engine], coding: str, budget: Budget
) -> Iterator[bytes]:
    reader = BlockReader(blocks)
    head = reader.peek(_LOOK)
    if not head or _is_text(head):
        yield from reader.rest()
    else:
        yield from run_engine(decoder(head), reader, _NAMES.get(coding, coding), budget)


def _is_text(head: bytes) -> bool:
    """Report whether a body is text already, though its header says that it is encoded."""
    if head.translate(None, _CONTROLS) != head:
        return False
    if len(head) >= _ENOUGH:
        return True
    try:
        head.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _deflate(head: bytes) -> Engine:
    """Return the decompressor of `deflate`: the format of zlib (RFC 9110 8.4.1.2), or raw, as many servers send it."""
    is_zlib = len(head) >= 2 and head[0] & 15 == 8 and int.from_bytes(head[:2], "big") % 31 == 0
    return Inflate(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)


def _gzip(head: bytes) -> Engine:
    return Inflate(zlib.MAX_WBITS + 16)


def _brotli(head: bytes) -> Engine:
    try:
        import brotli
    except ImportError:
        brotli = None
    if not hasattr(getattr(brotli, "Decompressor", None), "can_accept_more_data"):
        raise InputError("is compressed by brotli: that needs the extra: pip install 'urisieve[warc]'")
    if brotli.error not in FAULTS:
        FAULTS.append(brotli.error)
    return _Brotli(brotli)


class _Brotli:
    """Brotli (RFC 7932) with the interface of an `Engine`."""

    unused_data = b""  # nothing follows a body

    def __init__(self, brotli: Any) -> None:
        self._engine = brotli.Decompressor()
        self._is_full = False

    @property
    def eof(self) -> bool:
        return bool(self._engine.is_finished())

    @property
    def needs_input(self) -> bool:
        return not self._is_full and bool(self._engine.can_accept_more_data())

    def decompress(self, data: bytes, max_length: int) -> bytes:
        piece = bytes(self._engine.process(data, output_buffer_limit=max_length))
        self._is_full = len(piece) >= max_length  # more of what it has taken may follow
        return piece


_NAMES: Final = {"br": "brotli", "x-gzip": "gzip"}
_BY_CONTENT: Final = frozenset(["gzip", "x-gzip"])
_DECODERS: Final[dict[str, Callable[[bytes], Engine]]] = {
    "deflate": _deflate,
    "br": _brotli,
    "gzip": _gzip,
    "x-gzip": _gzip,
}
