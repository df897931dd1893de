"""Signed and compressed data of S/MIME, which contain a message in clear.

RFC 5652 5.1 and 5.2 (signed data), RFC 3274 1.1 (compressed data), RFC 8551 3.5 (S/MIME); X.690 8.1 and 8.7 for BER,
whose strings may be in pieces and of indefinite length, as streaming programs write them. Signatures are not verified.
Encrypted data is not read, and neither is a signature whose content is elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from urisieve.errors import BrokenInputError
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, lazy_compile
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.limits import Budget
from urisieve.sources.documents import Document
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind
from urisieve.sources.kinds.sniffing import kind_of
from urisieve.sources.mail.mailboxes import MESSAGE_LIMIT
from urisieve.sources.mail.transfer import decode_transfer, whole_base64

if TYPE_CHECKING:
    from urisieve.sources.segments import Segments

# Tags (X.690 8.1.2): INTEGER is 2, SET 31, SEQUENCE 30, the first of a choice A0; a string has a bit more in pieces.
_OBJECT: Final = 0x06
_SEQUENCE: Final = 0x30
_EXPLICIT: Final = 0xA0
_OCTETS: Final = 0x04
_CONSTRUCTED: Final = 0x20
_LONG_TAG: Final = 0x1F
_INDEFINITE: Final = 0x80
_END: Final = b"\0\0"
# Types of content (RFC 5652 4 and 5.1, RFC 3274 1.1).
_DATA: Final = bytes.fromhex("2a864886f70d010701")
_SIGNED: Final = bytes.fromhex("2a864886f70d010702")
_COMPRESSED: Final = bytes.fromhex("2a864886f70d0109100109")
# Pieces of strings in pieces of strings; programs write one level.
_NESTING: Final = 16
# Bytes of a length; four are enough for 4 GB.
_LENGTH: Final = 8
_CHUNK: Final = 1_048_576
_ARMOR: Final = lazy_compile(rb"-----BEGIN (PKCS7|CMS)-----\r?\n([A-Za-z0-9+/=\s]*+)-----END \1-----")
_ENDINGS: Final = (".p7m", ".p7s", ".p7z")
_MESSAGE: Final = "message.eml"


class Enclosed(NamedTuple):
    """The content of signed or compressed data.

    Attributes:
        content: the bytes.
        start: the offset at which they begin in what they were found in.
        end: the offset at which they end.
        fault: the reason why it is not all of them; None if it is.
    """

    content: bytes
    start: int
    end: int
    fault: str | None = None


def content_of(data: bytes, budget: Budget) -> Enclosed | None:
    """Return what signed or compressed data contains; None if it is neither, or contains nothing.

    Time is linear, and memory a small multiple of the size and of what it is decompressed to.

    Args:
        data: the data in DER or BER, its base64, or the armor of RFC 7468 around that.
        budget: limits what is decompressed.
    """
    armor = _ARMOR.search(data) if b"-----BEGIN " in data else None
    if armor is not None:
        data = decode_transfer(armor[2], "base64").data
    elif data[:1] != b"0":
        data = whole_base64(data) or b""
    ber = _Ber(data)
    try:
        kind, offset, end = ber.typed(0, len(data))
        if kind not in (_SIGNED, _COMPRESSED):
            return None
        offset, end = ber.into(offset, end, _SEQUENCE)
        for _ in range(2):  # the version; the algorithms of digests, or that of the compression
            offset = ber.after(offset, end)
        inner, offset, end = ber.typed(offset, end)
        if inner != _DATA:
            return None
        chunks, stop = ber.octets(offset, end)
    except ValueError:
        return None
    found = Enclosed(b"".join(chunks), offset, stop, "damaged" if ber.is_cut else None)
    return found if kind == _SIGNED else _inflated(found, budget)


def has_header(content: bytes) -> bool:
    """Report whether a content is an entity of MIME: anything may be signed, such as a document."""
    return kind_of(content[:HEAD_SIZE], _MESSAGE) is Kind.MAIL


def inner_name(name: str) -> str:
    """Return the name of what is in signed data by the name of that: `invoice.xml` for `invoice.xml.p7m`."""
    return name[: -len(_ENDINGS[0])] if name.lower().endswith(_ENDINGS) else name


def read(source: Content, out: Segments) -> Iterator[Document]:
    """Yield the documents of a file of signed or compressed data, and what else is in it."""
    data = out.whole(MESSAGE_LIMIT, "S/MIME")
    is_text = not data.startswith(b"0")
    found = content_of(data, out.budget)
    if found is not None:
        if found.fault is not None:
            out.fault(found.fault, "not all of the content is read")
        hint = _MESSAGE if has_header(found.content) else inner_name(source.source)
        yield from out.open("", (found.content,), hint=hint)
        if not is_text:  # the rest has certificates
            data = data[: found.start] + bytes(found.end - found.start) + data[found.end :]
    if is_text or out.reads_binary:
        yield out.text(out.again(data), is_binary=not is_text)
    elif found is None:
        out.skip("binary", kind="file")


def _inflated(found: Enclosed, budget: Budget) -> Enclosed:
    """Decompress a content by zlib (RFC 3274 2), as far as the limits allow."""
    import zlib

    decoder = zlib.decompressobj()
    content = bytearray()
    left, fault = found.content, found.fault
    try:
        while not decoder.eof:
            some = decoder.decompress(left, _CHUNK)
            if not some:
                fault = "damaged"
                break
            left = decoder.unconsumed_tail
            budget.make(len(some), "smime", len(found.content) - len(left), len(content) + len(some))
            content += some
    except zlib.error:
        fault = "damaged"
    except BrokenInputError as error:
        fault = error.reason
    return found._replace(content=bytes(content), fault=fault)


class _Ber:
    """Walks through elements of BER; an element that goes on beyond the data ends there.

    Its methods raise `ValueError` where there is no such element.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.is_cut = False
        """Whether an element was not complete."""

    def _element(self, offset: int, end: int) -> tuple[int, int, int | None]:
        """Return the tag of an element, where its content begins, and where it ends; None if a mark ends it."""
        if offset + 2 > end:
            raise ValueError
        tag, length = self._data[offset : offset + 2]
        offset += 2
        if tag & _LONG_TAG == _LONG_TAG or (length == _INDEFINITE and not tag & _CONSTRUCTED):
            raise ValueError
        if length == _INDEFINITE:
            return tag, offset, None
        if length > _INDEFINITE:
            size = length - _INDEFINITE
            if size > _LENGTH or offset + size > end:
                raise ValueError
            length = int.from_bytes(self._data[offset : offset + size], "big")
            offset += size
        self.is_cut = self.is_cut or offset + length > end
        return tag, offset, min(end, offset + length)

    def into(self, offset: int, end: int, tag: int) -> tuple[int, int]:
        """Return where the content of an element with this tag begins, and where it ends at the latest."""
        found, start, stop = self._element(offset, end)
        if found != tag:
            raise ValueError
        return start, end if stop is None else stop

    def typed(self, offset: int, end: int) -> tuple[bytes, int, int]:
        """Enter a sequence of a type and a content; return the type, and where the content begins and ends."""
        offset, end = self.into(offset, end, _SEQUENCE)
        start, offset = self.into(offset, end, _OBJECT)
        return self._data[start:offset], *self.into(offset, end, _EXPLICIT)

    def after(self, offset: int, end: int) -> int:
        """Return the offset after an element, which may have elements of indefinite length in it."""
        depth = 0
        while True:
            if depth and self._data.startswith(_END, offset):
                depth -= 1
                offset += len(_END)
            else:
                _, offset, stop = self._element(offset, end)
                depth += stop is None
                offset = offset if stop is None else stop
            if not depth:
                return offset

    def octets(self, offset: int, end: int) -> tuple[list[bytes], int]:
        """Return the pieces of an octet string, and the offset after it; those before a fault if there is one."""
        chunks: list[bytes] = []
        around: list[tuple[int, bool]] = [(end, True)]  # where each ends at the latest, and whether a mark ends it
        while around:
            end, is_marked = around[-1]
            if is_marked and self._data.startswith(_END, offset):
                offset += len(_END)
                around.pop()
            elif offset >= end:
                self.is_cut = self.is_cut or is_marked
                around.pop()
            else:
                try:
                    tag, start, stop = self._element(offset, end)
                except ValueError:
                    tag = 0
                if tag & ~_CONSTRUCTED != _OCTETS or len(around) > _NESTING:
                    if not chunks:
                        raise ValueError
                    self.is_cut = True
                    break
                if tag == _OCTETS and stop is not None:
                    chunks.append(self._data[start:stop])
                    offset = stop
                else:
                    around.append((end if stop is None else stop, stop is None))
                    offset = start
            if len(around) == 1:
                break
        return chunks, offset
