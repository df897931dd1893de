"""Web archives (WARC, ISO 28500; WET and WAT are WARC, too): the payload of each record, read as a stream.

A record is a line with the version, header fields, an empty line, and as many bytes as `Content-Length` says. The
package `warcio` is not used: it requires files, and cannot continue after a broken record.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from urisieve.errors import BrokenInputError
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.containers.contents import Content, Declared, masked_name, shown_name
from urisieve.sources.containers.limits import Budget
from urisieve.sources.documents import Tally

__all__ = ["Payload", "warc_payloads"]

_VERSION: Final = re.compile(rb"WARC/[0-9]{1,2}\.[0-9]{1,2}\r?\n")
# Bytes of a field of a record or of an HTTP response, and lines of a header.
_LINE: Final = 65_536
_LINES: Final = 1_000
# Characters of a URI that are used as the name of a record.
_LONGEST_NAME: Final = 1_024
# Types of records whose block is not the content of a resource.
_ASIDE: Final = frozenset(["metadata", "request", "revisit", "warcinfo"])
_KIND: Final = "warc record"
_CHUNK: Final = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")


class Payload(NamedTuple):
    """The payload of a record.

    Attributes:
        name: the URI that it was fetched from, or the number of the record.
        declared: the type, character set and base that the record declares.
        hint: a file name with the ending of its type.
        blocks: its bytes. Iterating raises `BrokenInputError` if it is cut.
    """

    name: str
    declared: Declared
    hint: str
    blocks: Iterator[bytes]


def warc_payloads(content: Content, *, tally: Tally) -> Iterator[Payload]:
    """Yield the payloads of the records of responses, resources and conversions, in their order.

    Headers are left out; records about other records (`warcinfo`, `request`, `metadata`, `revisit`) are skipped and
    counted. Bytes that are not a record are counted as a fault and skipped up to the next one. Memory is that of a
    block.

    Args:
        content: the archive. Each payload must be read, as far as it is needed, before the next one is requested.
        tally: counts records, and everything skipped or broken.

    Iterating raises `InputError` if reading fails or the archive is cut between records.
    """
    reader = BlockReader(content.blocks)
    number = 0
    while True:
        if not _next_record(reader, content.source, tally):
            break
        number += 1
        offset = reader.position
        reader.line(_LINE)
        fields = _fields(reader)
        length = fields.get("content-length", "")
        if not (length.isascii() and length.isdigit()) or len(length) > _LONGEST_LENGTH:
            tally.fault(
                _KIND, "no-length", f"{content.source}: the record at byte {offset:,} does not say how long it is"
            )
            continue
        block = _Block(reader, int(length))
        kind = fields.get("warc-type", "").lower()
        if kind in _ASIDE:
            tally.skip(_KIND, kind)
        else:
            tally.read[_KIND] += 1
            yield _payload(block, fields, kind, number, content.budget or Budget())
        block.leave()
    if reader.unreported is not None:
        raise reader.unreported


_LONGEST_LENGTH: Final = 18


def _next_record(reader: BlockReader, source: str, tally: Tally) -> bool:
    """Skip to the next record; return False at the end."""
    is_reported = False
    while True:
        head = reader.peek(_VERSION_LENGTH)
        if _VERSION.match(head):
            return True
        if not head:
            return False
        offset = reader.position
        line = reader.line(BLOCK_SIZE)
        if line.strip(b"\r\n\0") and not is_reported:
            is_reported = True
            tally.fault(
                _KIND,
                "no-record",
                f"{source}: there is no record at byte {offset:,}; the bytes before the next record are not read",
            )


_VERSION_LENGTH: Final = 12


def _fields(reader: BlockReader) -> dict[str, str]:
    """Return the fields of a header up to its empty line; of fields with the same name the first."""
    fields: dict[str, str] = {}
    last = ""
    for _ in range(_LINES):
        line = reader.line(_LINE)
        if not line.strip(b"\r\n"):
            break
        text = line.decode("utf-8", "replace")
        if text[0] in " \t" and last:  # ISO 28500 4: folded like a field of mail
            fields[last] = f"{fields[last]} {text.strip()}"[:_LINE]
            continue
        name, colon, value = text.partition(":")
        last = ""
        if colon and name.strip().lower() not in fields:
            last = name.strip().lower()
            fields[last] = value.strip()
    return fields


class _Block:
    """The bytes of one record.

    Args:
        reader: the archive, at the first of them.
        size: their number.
    """

    def __init__(self, reader: BlockReader, size: int) -> None:
        self._reader = reader
        self._left = size

    def some(self, limit: int = BLOCK_SIZE) -> bytes:
        """Return the next bytes; none at the end.

        Raises:
            BrokenInputError: the archive ends within the record.
            InputError: reading failed.
        """
        if not self._left:
            return b""
        data = self._reader.some(min(self._left, limit))
        self._left -= len(data)
        if not data:
            self._left = 0
            offset = self._reader.position
            raise BrokenInputError(_KIND, "truncated", f"the archive ends early, at byte {offset:,}")
        return data

    def leave(self) -> None:
        """Skip the bytes that were not read."""
        self._reader.skip(self._left)
        self._left = 0

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.some, b"")


def _payload(block: _Block, fields: dict[str, str], kind: str, number: int, budget: Budget) -> Payload:
    uri = fields.get("warc-target-uri", "").strip("<> \t")
    name = shown_name(masked_name(uri)[:_LONGEST_NAME].encode("utf-8", "replace")) or f"record {number:,}"
    media = fields.get("content-type", "")
    blocks = iter(block)
    if media.partition(";")[0].strip().lower() == "application/http" or (kind == "response" and uri.startswith("http")):
        reader = BlockReader(blocks)
        if reader.peek(5) == b"HTTP/":
            reader.line(_LINE)
            header = _fields(reader)
            media = header.get("content-type", "")
            blocks = _body(reader, header, budget)
        else:
            blocks = reader.rest()
    media_type, charset = _media(media)
    return Payload(name, Declared(media_type, charset, uri or None), _HINTS.get(_suffix(media_type), ""), blocks)


def _body(reader: BlockReader, header: dict[str, str], budget: Budget) -> Iterator[bytes]:
    """Yield the body of an HTTP response without its chunks and its compression (RFC 9112 7.1, RFC 9110 8.4.1).

    Some archives keep them as they were received, others remove them but not the fields.
    """
    blocks = reader.rest()
    if "chunked" in header.get("transfer-encoding", "").lower() and _CHUNK.match(reader.peek(_CHUNK_LENGTH)):
        blocks = _unchunked(reader)
    # gzip is detected by its content, like that of a file
    if header.get("content-encoding", "").strip().lower() == "deflate":
        blocks = _inflated(BlockReader(blocks), budget)
    return blocks


_CHUNK_LENGTH: Final = 64


def _unchunked(reader: BlockReader) -> Iterator[bytes]:
    while True:
        line = reader.line(_LINE)
        found = _CHUNK.fullmatch(line)
        if found is None:
            if line:
                raise BrokenInputError(_KIND, "bad-chunk", "a body is not in chunks, though its header says so")
            reader.some()  # raises the error that ended the blocks
            return
        left = int(found[1], 16)
        if not left:
            return
        while left:
            data = reader.some(min(left, BLOCK_SIZE))
            if not data:
                return
            left -= len(data)
            yield data
        reader.line(_CHUNK_LENGTH)


def _inflated(reader: BlockReader, budget: Budget) -> Iterator[bytes]:
    """Decompress `deflate`: in the format of zlib (RFC 9110 8.4.1.2), or raw, as many servers send it."""
    from urisieve.sources.containers.compressed import Inflate, run_engine

    head = reader.peek(2)
    is_zlib = len(head) == 2 and head[0] & 15 == 8 and int.from_bytes(head, "big") % 31 == 0
    return run_engine(Inflate(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS), reader, "deflate", budget)


_CHARSET: Final = re.compile(r""";\s*charset\s*=\s*["']?([^\s"';]{1,80})""", re.I)
# A file name for each type, so that the content is compared with its ending.
_HINTS: Final[dict[str, str]] = {
    "json": ".json",
    "jsonl": ".jsonl",
    "x-ndjson": ".jsonl",
    "csv": ".csv",
    "tab-separated-values": ".tsv",
    "xml": ".xml",
    "html": ".html",
    "xhtml+xml": ".html",
}


def _media(field: str) -> tuple[str, str | None]:
    """Return the media type of a field in lower case, and its character set."""
    charset = _CHARSET.search(field)
    return field.partition(";")[0].strip().lower()[:_LONGEST_NAME], None if charset is None else charset[1]


def _suffix(media_type: str) -> str:
    """Return the part of a media type that decides how it is read: its subtype, or the suffix of that (RFC 6839)."""
    subtype = media_type.rpartition("/")[2]
    return subtype if subtype in _HINTS else subtype.rpartition("+")[2]
