"""Web archives (WARC, ISO 28500; WET and WAT are WARC, too): the payload of each record, read as a stream.

A record is a line with the version, header fields, an empty line, and as many bytes as `Content-Length` says. The
packages `warcio` and `fastwarc` are not used: neither continues after a broken record, and `fastwarc` (2.0.1) takes an
archive that is cut for a whole one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from urisieve.errors import BrokenInputError
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.records.masking import masked_name
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.http_bodies import RECORD_KIND, body_blocks
from urisieve.sources.containers.limits import Budget
from urisieve.sources.tally import Tally
from urisieve.wording import printable, shortened

_VERSION: Final = re.compile(rb"WARC/[0-9]{1,2}\.[0-9]{1,2}\r?\n")
_VERSION_LENGTH: Final = 12
# What is between two records.
_GAP: Final = b"\r\n\r\n"
_SIGN: Final = b"\nWARC/"
# The beginning of a record within another one, whose length is wrong then.
_NEXT: Final = re.compile(rb"(?<=\n)WARC/[0-9]{1,2}\.[0-9]{1,2}\r?\n[A-Za-z-]{1,100}:")
# The end of a header: an empty line, or another record.
_END: Final = re.compile(rb"\n(?:\r*\n|(?=WARC/[0-9]{1,2}\.[0-9]{1,2}\r?\n))")
# A field of a record or a response that is looked at; it may be folded like one of mail (ISO 28500 4).
_FIELD: Final = re.compile(
    rb"^(content-(?:encoding|length|type)|transfer-encoding|warc-(?:date|target-uri|truncated|type))[ \t]*:"
    rb"([^\n]*+(?>\n[ \t][^\n]*+)*+)",
    re.IGNORECASE | re.MULTILINE,
)
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
# The reasons of `WARC-Truncated` (ISO 28500 5.13) but for "unspecified".
_TRUNCATED: Final = frozenset(["length", "time", "disconnect"])


class Payload(NamedTuple):
    """The payload of a record.

    Attributes:
        name: the URI that it was fetched from, or the number of the record; "" for what is no record.
        declared: the type, character set and base that the record declares.
        blocks: its bytes, as a tuple if they are in memory. Iterating raises `BrokenInputError` if it is cut.
        is_text: whether it is plain text whatever it looks like.
        date: when it was fetched, as the record states it (WARC-Date); "" if it does not.
    """

    name: str
    declared: Declared
    blocks: Iterable[bytes]
    is_text: bool
    date: str = ""


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
    cut = content.cut
    number = first = 0 if cut is None else cut.number
    while True:
        for offset, fields, block in _records(reader, content.source, tally):
            number += 1
            if block is None:
                message = f"{content.source}: the record at byte {offset:,} does not say how long it is"
                tally.fault(RECORD_KIND, "no-length", message)
                continue
            kind = fields.get("warc-type", "").lower()
            if kind in _ASIDE:
                tally.skip(RECORD_KIND, kind)
            else:
                tally.read[RECORD_KIND] += 1
                if "warc-truncated" in fields:
                    reason = fields["warc-truncated"].lower()
                    tally.skip("end of payload", reason if reason in _TRUNCATED else "unspecified")
                if (
                    cut is not None
                    and not cut.is_exact
                    and cut.is_gzip
                    and not fields.get("warc-target-uri", "").strip("<> \t")
                ):
                    cut.end.is_sure = False  # its name is its number
                yield _payload(block, fields, kind, number, budget)
            if not block.leave():
                message = f"{content.source}: the archive ends early, in the record at byte {offset:,}"
                tally.fault(RECORD_KIND, "truncated", message)
            if block.is_wrong:
                message = f"{content.source}: the record at byte {offset:,} has another length than it says"
                tally.fault(RECORD_KIND, "wrong-length", message)
        error = reader.unreported
        if error is not None:
            yield Payload("", Declared(), reader.rest(), is_text=True)
        if reader.error is None or not reader.can_resume:
            if cut is not None:
                cut.end.number, cut.end.size = number - first, reader.position - cut.position
            return
        reader.resume()


def record_starts(reader: BlockReader) -> Iterator[tuple[int, int]]:
    """Yield the numbers of records and of bytes before each record of an archive that follows one as long as it says.

    Args:
        reader: the archive, not compressed; all of each record but its header is skipped.

    Iterating raises no `InputError` of the reader: it ends where reading fails.
    """
    is_right = False
    for number, (offset, _, block) in enumerate(_records(reader, "", Tally())):
        if is_right:
            yield number, offset
        is_right = block is not None and block.leave() and not block.is_wrong


def _records(reader: BlockReader, source: str, tally: Tally) -> Iterator[tuple[int, dict[str, str], _Block | None]]:
    """Yield where each record begins, the fields of its header, and its block; None if no length is declared.

    Each block must be read, or left, before the next record is requested.
    """
    while _next_record(reader, source, tally):
        offset = reader.position
        fields = _fields(_header(reader))
        length = fields.get("content-length", "")
        is_length = length.isascii() and length.isdigit() and len(length) <= _LONGEST_LENGTH
        yield offset, fields, _Block(reader, int(length)) if is_length else None


def _next_record(reader: BlockReader, source: str, tally: Tally) -> bool:
    """Skip to the next record; return False at the end."""
    is_reported = False
    while True:
        head = reader.peek(_VERSION_LENGTH)
        if head.startswith(_GAP):
            reader.skip(len(_GAP))
            continue
        if _VERSION.match(head):
            return True
        if not head:
            return False
        offset = reader.position
        line = reader.line(BLOCK_SIZE)
        if line.strip(b"\r\n\0") and not is_reported:
            is_reported = True
            tally.fault(
                RECORD_KIND,
                "no-record",
                f"{source}: there is no record at byte {offset:,}; the bytes before the next record are not read",
            )


def _header(reader: BlockReader) -> bytes:
    """Return the lines up to an empty one, which is read too, or to the beginning of a record; at most `_HEADER`."""
    size = _FIRST_LOOK
    least = 1
    while True:
        head = reader.peek_some(least, size)  # no more is waited for than the end of the header
        found = _END.search(head)
        if found is not None:
            return reader.read(found.end())
        if len(head) < least or size >= _HEADER:
            return reader.read(len(head))
        if len(head) == size:
            size *= 2
        least = len(head) + 1 if size <= _LINE else size


def _fields(header: bytes) -> dict[str, str]:
    """Return the fields of a header that decide how a record is read; of fields with the same name the first."""
    fields: dict[str, str] = {}
    for name, value in _FIELD.findall(header):
        text = value.decode("utf-8", "replace")
        if "\n" in text:
            text = " ".join(map(str.strip, text.split("\n")))
        fields.setdefault(name.decode().lower(), text.strip()[:_LINE])
    return fields


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
                raise BrokenInputError(RECORD_KIND, "truncated", f"the archive ends early, at byte {reader.position:,}")
        return data

    def _until_start(self, size: int) -> int:
        """Return the number of the next bytes, at most `size`, before a member of gzip that begins a record."""
        start = self._reader.next_start()
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
        reader.peek_behind(self._left, 0)
        behind = reader.held_behind(self._left, _AFTER)
        if len(behind) < _AFTER:
            if behind.startswith(_GAP) and _SIGN not in reader.peek(self._left):
                self._until_start(self._left)  # it ends here, whatever follows, which may be long in coming
                return
            behind = reader.peek_behind(self._left, _AFTER)
        after = behind.lstrip(b"\r\n\0")
        is_whole = bool(behind) or len(reader.peek(self._left)) == self._left
        self._until_start(self._left)
        if self.is_wrong or (is_whole and (not after or _VERSION.match(after[:_VERSION_LENGTH]))):
            return
        found = _NEXT.search(reader.peek(self._left + _AFTER))
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

    def blocks(self) -> Iterable[bytes]:
        """Return the bytes: as a tuple of one if all of them are in memory, else as `some` does."""
        if self._left <= BLOCK_SIZE:
            if not self._is_last:
                self._look_for_end()
            data = self._reader.ready(self._left)
            if data is not None:
                self._left = 0
                return data
        return iter(self.some, b"")


def _payload(block: _Block, fields: dict[str, str], kind: str, number: int, budget: Budget) -> Payload:
    uri = fields.get("warc-target-uri", "").strip("<> \t")
    other_name = f"record {number:,}"
    media_type, charset = _media(fields.get("content-type", ""))
    is_text = kind == "conversion" and media_type == "text/plain"
    blocks = block.blocks()
    if media_type == "application/http" or (kind == "response" and uri.startswith("http")):
        reader = BlockReader(blocks)
        if reader.peek(5) == b"HTTP/":
            header = _fields(_header(reader))
            media_type, charset = _media(header.get("content-type", ""))
            blocks = body_blocks(reader, header, budget, is_cut="warc-truncated" in fields)
        else:
            blocks = reader.whole()
    date = fields.get("warc-date", "")
    return payload_of(uri, other_name, media_type, charset, blocks, is_text=is_text, date=date)


def payload_of(
    uri: str,
    other_name: str,
    media_type: str,
    charset: str | None,
    blocks: Iterable[bytes],
    *,
    is_text: bool = False,
    date: str = "",
) -> Payload:
    """Return a resource by the URI that it was fetched from, or with another name where that is not known."""
    name = shortened(printable(masked_name(uri)[:_LONGEST_NAME])) or other_name
    declared = Declared(media_type, charset, uri or None)
    return Payload(name, declared, blocks, is_text, date)


_CHARSET: Final = lazy_compile(r""";\s*charset\s*=\s*["']?([^\s"';]{1,80})""", re.I)


def _media(field: str) -> tuple[str, str | None]:
    """Return the media type of a field in lower case, and its character set."""
    media_type, parameters, _ = field.partition(";")
    charset = _CHARSET.search(field) if parameters else None
    return media_type.strip().lower()[:_LONGEST_NAME], None if charset is None else charset[1]
