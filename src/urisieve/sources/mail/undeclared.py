"""Contents of a part that its header does not name: encodings, HTML and files, proved by the body.

It holds:

- the texts and files in `winmail.dat` (MS-OXTNEF), and the compressed RTF in it (MS-OXRTFCP).

Proofs, in the body of a part, against its header: a transfer encoding, and HTML or files inside plain text.

Proofs are strict, since plain text may hold anything; what only seems to be encoded is counted, not decoded.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Sequence

from urisieve.lean import Final, NamedTuple, lazy_compile

# The first paragraph, if it is lines of the alphabet of base64, and its end.
_BASE64: Final = lazy_compile(rb"\s*+((?>[A-Za-z0-9+/]++={0,2}[ \t]*+(?:\r?\n|\Z))++)(?=\r?\n|\Z)")
_FEWEST_DIGITS: Final = 24  # eighteen bytes that are text by accident are rare
_LONG_LINE: Final = 60
_CONTROLS: Final = lazy_compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Quoted-printable (RFC 2045 6.7): a soft line break, an escape, and a sign that is neither.
_SOFT_BREAK: Final = lazy_compile(rb"=(?<=[^=\s]=)\r?\n")
_OCTET: Final = lazy_compile(rb"=[0-9A-F]{2}")
_NO_OCTET: Final = lazy_compile(rb"=(?![0-9A-F]{2}|[ \t]*\r?\n|[ \t]*\Z)")
_BEGIN: Final = lazy_compile(rb"^(?:begin [67][0-7]{2,3} ([^\r\n]*)\r?\n|[ \t]*<(?:html|HTML)[\s>])", re.M)
_NO_HTML: Final = lazy_compile(rb"<(?:[A-Za-z]{2,9}://|mailto:|[^<>\s@]{1,64}@)|=3D[\"']")
_HTML_END: Final = lazy_compile(rb"</html\s*>", re.I)
_UU_LINE: Final = lazy_compile(rb"([ -`]{1,80})\r?\n")
_UU_END: Final = lazy_compile(rb"end[ \t]*(?:\r?\n|\Z)")


class InlinePart(NamedTuple):
    """Something in plain text that is a part of its own.

    Attributes:
        start: the offset at which it begins, in bytes.
        end: the offset at which it ends.
        name: the name of the file; None for HTML.
        data: the decoded file; empty for HTML.
    """

    start: int
    end: int
    name: bytes | None = None
    data: bytes = b""


def proved_text(data: bytes) -> bytes | None:
    """Return the text of a body that is encoded as base64 or quoted-printable, though its header does not say so.

    Base64 is proved by a first paragraph of lines of one length that decodes to text in UTF-8; what follows, such as
    the footer of a mailing list, stays. Quoted-printable is proved by a soft line break, an octet, and no other use of
    the sign. None for any other body.
    """
    if _has_soft_break(data) and data.isascii() and _OCTET.search(data) and not _NO_OCTET.search(data):
        return binascii.a2b_qp(data)
    found = _BASE64.match(data)
    if found is None or len(found[1]) < _FEWEST_DIGITS:
        return None
    lines = found[1].split()
    digits = b"".join(lines)
    if len(lines[0]) < _FEWEST_DIGITS or any(len(line) != len(lines[0]) for line in lines[:-1]):
        return None
    try:
        text = binascii.a2b_base64(digits, strict_mode=True)
        text.decode("utf-8")
    except ValueError:  # also what is raised for digits that are not base64
        return None
    if _CONTROLS.search(text) is not None:
        return None
    rest = data[found.end() :]
    return text + b"\n" + rest if rest.strip() else text


def _has_soft_break(data: bytes) -> bool:
    return (b"=\n" in data or b"=\r\n" in data) and _SOFT_BREAK.search(data) is not None


def seems_encoded(data: bytes) -> bool:
    """Report whether a body that `proved_text` does not decode has signs of a transfer encoding all the same."""
    if b"=3D" in data and _has_soft_break(data):
        return True
    found = _BASE64.match(data)
    lines = [] if found is None else found[1].split()
    return len(lines) > 2 and len(lines[0]) >= _LONG_LINE and all(len(line) == len(lines[0]) for line in lines[:-1])


def fitting_encoding(names: Sequence[str], data: bytes) -> str:
    """Return the transfer encoding, of several that a header names, that a body may have; the first without one."""
    for name in names:
        if name == "base64":
            line = data.lstrip().partition(b"\n")[0].strip()
            if len(line) % 4 == 0 and _BASE64.fullmatch(line) is not None:
                return name
        elif name == "quoted-printable" and _OCTET.search(data) is not None and _NO_OCTET.search(data) is None:
            return name
    others = [name for name in names if name not in ("base64", "quoted-printable")]
    return (others or names)[0]


def may_be_html(data: bytes, start: int = 0, end: int | None = None) -> bool:
    """Report whether a stretch of text has nothing that HTML has not: addresses in brackets, quoted-printable."""
    return _NO_HTML.search(data, start, len(data) if end is None else end) is None


def inline_parts(data: bytes) -> Iterator[InlinePart]:
    """Yield the files in uuencode and the HTML in plain text, each from its first to its last line."""
    offset = 0
    if b"begin " not in data and b"<html" not in data and b"<HTML" not in data:  # the kernel looks for these, too
        return
    while (begin := _BEGIN.search(data, offset)) is not None:
        offset = begin.end()
        if begin[1] is None:
            end = _HTML_END.search(data, offset)
            if end is None:
                return  # nor does any later one end
            offset = end.end()
            if may_be_html(data, begin.start(), offset):
                yield InlinePart(begin.start(), offset)
            continue
        decoded = bytearray()
        while (line := _UU_LINE.match(data, offset)) is not None:
            size = (line[1][0] - 32) & 63
            try:
                decoded += binascii.a2b_uu(line[1][: (size * 4 + 5) // 3])
            except binascii.Error:
                break
            offset = line.end()
        last = _UU_END.match(data, offset)
        if last is not None and decoded:
            offset = last.end()
            yield InlinePart(begin.start(), offset, begin[1], bytes(decoded))


TNEF_SIGN: Final = b"\x78\x9f\x3e\x22"
# Attributes (MS-OXTNEF 2.1.3).
_BODY, _PROPERTIES, _CODE_PAGE = 0x2800C, 0x69003, 0x69007
_RENDERING, _TITLE, _DATA, _ATTACHED = 0x69002, 0x18010, 0x6800F, 0x69005
# Properties (MS-OXPROPS).
_TEXT_BODY, _RTF_BODY, _HTML_BODY, _OBJECT, _LONG_NAME = 0x1000, 0x1009, 0x1013, 0x3701, 0x3707
# The sizes of the values of types (MS-OXCDATA 2.11.1), each in whole words; others state their size.
_SIZES: Final = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_STRING, _UNICODE, _OBJECT_TYPE, _BINARY = 0x1E, 0x1F, 0x0D, 0x102
_MANY: Final = 0x1000
_INTERFACE: Final = 16  # bytes of the identifier before an embedded object
_RTF_START: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_FILE: Final = "application/octet-stream"
_WINDOW: Final = 4_096


class TnefPart(NamedTuple):
    """A text or a file: its media type, the character set of a text, the name of a file, and its bytes."""

    media: str
    charset: str | None
    name: str | None
    data: bytes


class _Stream:
    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self.offset = 0

    def take(self, size: int) -> bytes:
        taken = bytes(self._data[self.offset : self.offset + size])
        if len(taken) < size:
            raise ValueError("it ends early")
        self.offset += size
        return taken

    def number(self, size: int = 4) -> int:
        return int.from_bytes(self.take(size), "little")

    @property
    def left(self) -> int:
        return len(self._data) - self.offset

    def has_more(self) -> bool:
        return self.offset < len(self._data)


def tnef_parts(data: bytes) -> Iterator[TnefPart]:
    """Yield the bodies of a message in TNEF, then its attachments.

    Raises:
        ValueError: it is damaged; what came before is yielded.
    """
    stream = _Stream(data)
    stream.take(len(TNEF_SIGN) + 2)
    charset: str | None = None
    name: str | None = None
    held: bytes | None = None  # the data of a file, whose name comes behind it
    try:
        while stream.has_more():
            stream.take(1)
            attribute = stream.number()
            value = stream.take(stream.number())
            stream.take(2)  # a checksum
            if attribute == _CODE_PAGE:
                charset = f"cp{int.from_bytes(value[:4], 'little')}"
            elif attribute == _BODY:
                yield TnefPart("text/plain", charset, None, value.rstrip(b"\0"))
            elif attribute == _RENDERING:
                if held is not None:
                    yield TnefPart(_FILE, None, name, held)
                name = held = None
            elif attribute == _TITLE:
                name = name or value.rstrip(b"\0").decode("cp1252", "replace")
            elif attribute == _DATA:
                held = value
            elif attribute in (_PROPERTIES, _ATTACHED):
                for part in _properties(value, charset):
                    if part.media != _FILE:
                        yield part
                    elif part.name is None:
                        held = part.data
                    else:
                        name = part.name
    except ValueError:
        if held is not None:
            yield TnefPart(_FILE, None, name, held)
        raise
    if held is not None:
        yield TnefPart(_FILE, None, name, held)


def _properties(data: bytes, charset: str | None) -> Iterator[TnefPart]:
    """Yield the texts, embedded objects and the name of a file among properties (MS-OXTNEF 2.1.3.4)."""
    stream = _Stream(data)
    for _ in range(stream.number()):
        kind, number = stream.number(2), stream.number(2)
        if number >= 0x8000:  # a named property: a GUID, and a number or a name
            stream.take(16)
            size = 4 if stream.number() == 0 else stream.number()
            stream.take(size + -size % 4)
        base = kind & ~_MANY
        is_sized = base in (_STRING, _UNICODE, _OBJECT_TYPE, _BINARY)
        if not is_sized and base not in _SIZES:
            raise ValueError(f"its property {number:04x} is of an unknown type")
        for _ in range(stream.number() if is_sized or kind & _MANY else 1):
            size = stream.number() if is_sized else _SIZES[base]
            value = stream.take(size)
            stream.take(-size % 4)
            if base == _UNICODE:
                value = value.decode("utf-16-le", "replace").encode("utf-8")
            encoding = "utf-8" if base == _UNICODE else charset
            if number == _TEXT_BODY:
                yield TnefPart("text/plain", encoding, None, value.rstrip(b"\0"))
            elif number == _HTML_BODY:
                yield TnefPart("text/html", "utf-8" if base == _UNICODE else None, None, value.rstrip(b"\0"))
            elif number == _RTF_BODY:
                yield TnefPart("text/rtf", charset, None, _expanded(value))
            elif number == _OBJECT:
                yield TnefPart(_FILE, None, None, value[_INTERFACE:] if base == _OBJECT_TYPE else value)
            elif number == _LONG_NAME:
                name = value.rstrip(b"\0").decode("utf-8" if base == _UNICODE else "cp1252", "replace")
                yield TnefPart(_FILE, None, name, b"")


def _expanded(data: bytes) -> bytes:
    """Return RTF that was compressed (MS-OXRTFCP 2.2); what is damaged ends it."""
    stream = _Stream(data)
    stream.take(4)
    size = stream.number()
    if stream.take(4) == b"MELA":
        return data[16:]
    stream.take(4)
    text = bytearray(_RTF_START)  # the dictionary is the last 4,096 bytes of it, blanks before its start
    size += len(text)
    while len(text) < size and stream.has_more():
        flags = stream.number(1)
        if not flags:
            text += stream.take(min(8, stream.left))
            continue
        for bit in range(8):
            if not stream.has_more():
                break
            if not flags >> bit & 1:
                text += stream.take(1)
                continue
            reference = int.from_bytes(stream.take(2), "big")
            distance = (len(text) - (reference >> 4)) % _WINDOW
            if not distance:
                return bytes(text[len(_RTF_START) :])
            begin, length = len(text) - distance, (reference & 15) + 2
            known = (
                bytes(text[begin : begin + length]) if begin >= 0 else b" " * min(length, -begin) + bytes(text[:length])
            )
            while len(known) < length:  # it overlaps with what it makes
                known += known[: length - len(known)]
            text += known[:length]
    return bytes(text[len(_RTF_START) :])
