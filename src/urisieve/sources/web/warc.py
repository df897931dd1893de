"""Web archives (WARC, ISO 28500; WET and WAT are WARC, too): the payload of each record, read as a stream.

A record is a line with the version, header fields, an empty line, and as many bytes as `Content-Length` says. The
packages `warcio` and `fastwarc` are not used: neither continues after a broken record, and `fastwarc` (2.0.1) takes an
archive that is cut for a whole one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urisieve.errors import BrokenInputError
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.containers.contents import Content, Declared, masked_name, shown_name
from urisieve.sources.containers.gzip_members import MemberReader
from urisieve.sources.containers.limits import Budget
from urisieve.sources.documents import Tally
from urisieve.sources.web.http_bodies import body_blocks

__all__ = ["Payload", "warc_payloads"]

_VERSION: Final = re.compile(rb"WARC/[0-9]{1,2}\.[0-9]{1,2}\r?\n")
_VERSION_LENGTH: Final = 12
# The beginning of a record within another one, whose length is wrong then.
_NEXT: Final = re.compile(rb"(?<=\n)WARC/[0-9]{1,2}\.[0-9]{1,2}\r?\n[A-Za-z-]{1,100}:")
# The end of a header: an empty line, or another record.
_END: Final = re.compile(rb"(?<=\n)(?:\r*\n|(?=WARC/[0-9]{1,2}\.[0-9]{1,2}\r?\n))")
# Bytes of a header, of which so many are looked at first; characters of a field.
_HEADER: Final = 1_048_576
_FIRST_LOOK: Final = 4_096
_LINE: Final = 65_536
_LONGEST_LENGTH: Final = 18
# The last bytes of a record, in which another one is looked for if none follows it; bytes that show whether one does.
_BACK: Final = 65_536
_AFTER: Final = 128
# Characters of a URI that are used as the name of a record.
_LONGEST_NAME: Final = 1_024
# Types of records whose block is not the content of a resource.
_ASIDE: Final = frozenset(["metadata", "request", "revisit", "warcinfo"])
_KIND: Final = "warc record"


class Payload(NamedTuple):
    """The payload of a record.

    Attributes:
        name: the URI that it was fetched from, or the number of the record; "" for what is no record.
        declared: the type, character set and base that the record declares.
        hint: a file name with the ending of its type.
        blocks: its bytes. Iterating raises `BrokenInputError` if it is cut.
        is_text: whether it is plain text whatever it looks like.
    """

    name: str
    declared: Declared
    hint: str
    blocks: Iterator[bytes]
    is_text: bool


def warc_payloads(content: Content, *, tally: Tally) -> Iterator[Payload]:
    """Yield the payloads of the records of responses, resources and conversions, in their order.

    Headers are left out; records about other records (`warcinfo`, `request`, `metadata`, `revisit`) are skipped and
    counted. Bytes that are not a record are counted as a fault and skipped up to the next one. A record ends where the
    next one begins: at a member of gzip that begins one, or within its last `_BACK` bytes where its length leads
    to none. Memory is that of two blocks.

    Args:
        content: the archive. Each payload must be read, as far as it is needed, before the next one is requested.
        tally: counts records, and everything skipped or broken.

    Iterating a payload raises `InputError` if the archive is damaged or cut there. If that is between two records, it
    is an empty payload that does.
    """
    reader = content.reader or BlockReader(content.blocks)
    budget = content.budget or Budget()
    number = 0
    while True:
        while _next_record(reader, content.source, tally):
            number += 1
            offset = reader.position
            fields = _fields(_header(reader))
            length = fields.get("content-length", "")
            if not (length.isascii() and length.isdigit()) or len(length) > _LONGEST_LENGTH:
                message = f"{content.source}: the record at byte {offset:,} does not say how long it is"
                tally.fault(_KIND, "no-length", message)
                continue
            block = _Block(reader, int(length))
            kind = fields.get("warc-type", "").lower()
            if kind in _ASIDE:
                tally.skip(_KIND, kind)
            else:
                tally.read[_KIND] += 1
                if "warc-truncated" in fields:
                    tally.skip("end of payload", _truncated(fields["warc-truncated"]))
                yield _payload(block, fields, kind, number, budget)
            if not block.leave():
                message = f"{content.source}: the archive ends early, in the record at byte {offset:,}"
                tally.fault(_KIND, "truncated", message)
            if block.is_wrong:
                message = f"{content.source}: the record at byte {offset:,} has another length than it says"
                tally.fault(_KIND, "wrong-length", message)
        error = reader.unreported
        if error is not None:
            yield Payload("", Declared(), "", reader.rest(), is_text=True)
        if reader.error is None or not isinstance(reader, MemberReader):
            return
        reader.resume()


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


def _header(reader: BlockReader) -> bytes:
    """Return the lines up to an empty one, which is read too, or to the beginning of a record; at most `_HEADER`."""
    size = _FIRST_LOOK
    while True:
        head = reader.peek(size)
        found = _END.search(head)
        if found is not None:
            return reader.read(found.end())
        if len(head) < size or size >= _HEADER:
            return reader.read(len(head))
        size *= 2


def _fields(header: bytes) -> dict[str, str]:
    """Return the fields of a header behind its first line; of fields with the same name the first."""
    fields: dict[str, str] = {}
    last = ""
    for line in header.decode("utf-8", "replace").split("\n")[1:]:
        if line[:1] in (" ", "\t") and last:  # ISO 28500 4: folded like a field of mail
            fields[last] = f"{fields[last]} {line.strip()}"[:_LINE]
            continue
        name, colon, value = line.partition(":")
        last = ""
        if colon:
            name = name.strip().lower()
            if name not in fields:
                last = name
                fields[name] = value.strip()[:_LINE]
    return fields


def _truncated(value: str) -> str:
    """Return the reason of `WARC-Truncated`, one of those of ISO 28500 5.13."""
    reason = value.strip().lower()
    return reason if reason in ("length", "time", "disconnect") else "unspecified"


class _Block:
    """The bytes of one record.

    Args:
        reader: the archive, at the first of them.
        size: their number, by the header of the record.
    """

    def __init__(self, reader: BlockReader, size: int) -> None:
        self._reader = reader
        self._left = size
        self._is_last = False
        self.is_wrong = False
        """Whether the record ended before that number."""

    def some(self) -> bytes:
        """Return the next bytes; none at the end.

        Raises:
            BrokenInputError: the archive ends within the record.
            InputError: reading failed.
        """
        if not self._left:
            return b""
        reader = self._reader
        if self._left > BLOCK_SIZE:
            reader.peek(1)
            size = self._until_start(min(BLOCK_SIZE, self._left - _BACK))
        else:
            if not self._is_last:
                self._look_for_end()
            size = self._left
        if not size:
            return b""
        data = reader.some(size)
        self._left -= len(data)
        if not data:
            self._left = 0
            if reader.error is None:
                raise BrokenInputError(_KIND, "truncated", f"the archive ends early, at byte {reader.position:,}")
        return data

    def _until_start(self, size: int) -> int:
        """Return the number of the next bytes, at most `size`, before a member of gzip that begins a record."""
        start = self._reader.next_start() if isinstance(self._reader, MemberReader) else None
        if start is None or start - self._reader.position > size:
            return size
        size = start - self._reader.position
        if size < self._left:
            self._left = size
            self._is_last = self.is_wrong = True
        return size

    def _look_for_end(self) -> None:
        """Set what is left to what is before the next record, if there is one before the end that is declared."""
        self._is_last = True
        reader = self._reader
        data = reader.peek(self._left + _AFTER)
        self._until_start(self._left)
        after = data[self._left :].lstrip(b"\r\n\0")
        if self.is_wrong or (len(data) >= self._left and (not after or _VERSION.match(after[:_VERSION_LENGTH]))):
            return
        found = _NEXT.search(data)
        if found is not None and found.start() < self._left:
            self._left = found.start()
            self.is_wrong = True

    def leave(self) -> bool:
        """Skip the bytes that were not read; return False if they are missing for no reason that the reader knows."""
        reader = self._reader
        while self._left:
            size = self._left
            if size > BLOCK_SIZE:
                reader.peek(1)
                size = self._until_start(min(BLOCK_SIZE, size - _BACK))
            elif not self._is_last:
                self._look_for_end()
                size = self._left
            if reader.skip(size) < size:
                self._left = 0
                return reader.error is not None
            self._left -= size
        return True

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.some, b"")


def _payload(block: _Block, fields: dict[str, str], kind: str, number: int, budget: Budget) -> Payload:
    uri = fields.get("warc-target-uri", "").strip("<> \t")
    name = shown_name(masked_name(uri)[:_LONGEST_NAME].encode("utf-8", "replace")) or f"record {number:,}"
    media_type, charset = _media(fields.get("content-type", ""))
    if kind == "conversion" and media_type == "text/plain":
        return Payload(name, Declared(media_type, charset, uri or None), "", iter(block), is_text=True)
    blocks = iter(block)
    if media_type == "application/http" or (kind == "response" and uri.startswith("http")):
        reader = BlockReader(blocks)
        if reader.peek(5) == b"HTTP/":
            header = _fields(_header(reader))
            media_type, charset = _media(header.get("content-type", ""))
            blocks = body_blocks(reader, header, budget, is_cut="warc-truncated" in fields)
        else:
            blocks = reader.rest()
    declared = Declared(media_type, charset, uri or None)
    return Payload(name, declared, _HINTS.get(_suffix(media_type), ""), blocks, is_text=False)


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
