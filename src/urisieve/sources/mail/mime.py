"""The structure of MIME (RFC 2045, RFC 2046): media types, and the offsets of the parts of a multipart.

Also defines:

- content transfer encodings (RFC 2045 6), decoded so that damage costs no more than the damaged bytes.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from functools import lru_cache

from urisieve.lean import Final, NamedTuple, dataclass, field, lazy_compile
from urisieve.sources.mail.header_fields import (
    FIELD_SIGN,
    PARAMETER_FIELDS,
    MailHeader,
    parameters,
    read_header,
    unfold,
)

# Encodings that change nothing (RFC 2045 6.2), and "" for no field at all.
IDENTITY: Final = frozenset(["", "7bit", "8bit", "binary"])

_SOFT_BREAK_BLANKS: Final = lazy_compile(rb"=[ \t]+(?=\r?\n|\Z)")
_NOT_BASE64: Final = lazy_compile(rb"[^A-Za-z0-9+/=]+")
# The complete lines at its beginning that hold nothing else.
_LINES: Final = lazy_compile(rb"(?>[A-Za-z0-9+/=]*+[ \t]*+\r?\n)*+")
_PADDED: Final = lazy_compile(rb"([A-Za-z0-9+/]*)=*")
# Mail programs write base64 in lines of 60 characters or more, except for the last line; a footer that a mailing list
# puts after base64 has words with blanks between them, or short lines.
_LONG_LINE: Final = 60
_LINE: Final = lazy_compile(rb"(?!\Z)([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_UU_BEGIN: Final = lazy_compile(rb"^begin(?:-base64)? [0-7]{3,4} [^\r\n]*\r?\n", re.M)
_UU_END: Final = lazy_compile(rb"^end[ \t]*\r?(?:\n|\Z)", re.M)


class Transfer(NamedTuple):
    """A decoded body.

    Attributes:
        data: the bytes.
        fault: the reason why the encoding is malformed, None if it is not.
        stray: lines of text in or after base64, such as the footer of a mailing list.
    """

    data: bytes
    fault: str | None = None
    stray: bytes = b""

    @property
    def whole(self) -> bytes:
        """The bytes, then the stray lines after a line break."""
        return self.data + b"\n" + self.stray if self.stray else self.data


def transfer_encoding(value: str) -> str:
    """Return the encoding that the value of a Content-Transfer-Encoding names, in lower case."""
    return value.partition(";")[0].strip().lower()


def decode_transfer(body: bytes, encoding: str) -> Transfer:
    """Decode a body by its Content-Transfer-Encoding, in lower case.

    A body in an unknown encoding is returned unchanged, with a fault.
    """
    if encoding in IDENTITY:
        return Transfer(body)
    if encoding == "base64":
        return _base64(body)
    if encoding == "quoted-printable":
        if b"= " in body or b"=\t" in body:  # white space at a line end was added in transport (6.7 rule 3)
            body = _SOFT_BREAK_BLANKS.sub(b"=", body)
        return Transfer(binascii.a2b_qp(body))
    if encoding in ("x-uuencode", "uuencode", "x-uue"):
        return _uuencoded(body)
    return Transfer(body, "unknown-transfer-encoding")


def _base64(body: bytes) -> Transfer:
    compact = body.translate(None, b" \t\r\n")
    try:
        return Transfer(binascii.a2b_base64(compact, strict_mode=True))
    except binascii.Error:
        pass
    lines = _LINES.match(body)
    assert lines is not None
    begun = bytearray(lines[0].translate(None, b" \t\r\n"))
    footer = bytearray()
    for line in _lines(body, lines.end()):
        line = line.strip()
        if len(line) >= _LONG_LINE and _NOT_BASE64.search(line) is None:
            begun += line
        elif footer or not _is_damaged(line):
            footer += line + b"\n"
        else:
            begun += _NOT_BASE64.sub(b"", line)
    data = bytearray()
    for match in _PADDED.finditer(begun):
        if match[1]:
            data += _quanta(match[1])
    return Transfer(bytes(data), "bad-base64", bytes(footer))


def _lines(body: bytes, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield the lines of `splitlines`, one at a time: a list of a million empty lines takes 60 MB."""
    for match in _LINE.finditer(body, start, len(body) if end is None else end):
        yield match[1]


def _is_damaged(line: bytes) -> bool:
    """Report whether a line with other characters than those of base64 is a damaged line of it."""
    strange = len(line) - len(_NOT_BASE64.sub(b"", line))
    # Of a damaged line at most one character in ten is outside the alphabet; of a footer at least the blanks are.
    return strange * 10 <= len(line) and not (b" " in line and b"://" in line)


def _quanta(digits: bytes) -> bytes:
    """Decode digits without padding; a single digit at the end has too few bits for a byte and is dropped."""
    if len(digits) % 4 == 1:
        digits = digits[:-1]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))


def _uuencoded(body: bytes) -> Transfer:
    begin = _UU_BEGIN.search(body)
    if begin is None:
        return Transfer(body, "bad-uuencode")
    end = _UU_END.search(body, begin.end())
    fault = None if end is not None else "bad-uuencode"
    decoded = bytearray(body[: begin.start()])
    for line in _lines(body, begin.end(), len(body) if end is None else end.start()):
        try:
            decoded += binascii.a2b_uu(line)
        except binascii.Error:
            fault = "bad-uuencode"
            # Some encoders leave out or add characters at the end; the first character is the number of bytes.
            size = (((line[0] - 32) & 63) * 4 + 5) // 3 if line else 0
            try:
                decoded += binascii.a2b_uu(line[:size])
            except binascii.Error:
                continue
    if end is not None:
        decoded += body[end.end() :]
    return Transfer(bytes(decoded), fault)


ENCODING: Final = "content-transfer-encoding"
OTHER_ENCODING: Final = "content-transfer-encoding "  # the last that differs from the first
# The longest header of a part that is remembered, in bytes.
LONGEST_HEADER: Final = 256

HTML: Final = frozenset(["application/xhtml+xml", "text/html", "text/x-amp-html"])
# Parts that hold signatures and what is encrypted, and how they are counted.
SEALED: Final = {
    "application/pgp-encrypted": "pgp",
    "application/pgp-keys": "pgp",
    "application/pgp-signature": "pgp",
    "application/pkcs7-mime": "smime",
    "application/pkcs7-signature": "smime",
    "application/x-pkcs7-mime": "smime",
    "application/x-pkcs7-signature": "smime",
    "multipart/encrypted": "pgp",
}

_TYPE: Final = lazy_compile(r"\s*([!#$&^_.+\-A-Za-z0-9]{1,127})\s*/\s*([!#$&^_.+\-A-Za-z0-9]{1,127})")
# The rest of a line after its boundary (RFC 2046 5.1.1): two hyphens after the last part, then only white space.
_AFTER: Final = lazy_compile(rb"(--)?[ \t]*(?:\r?\n|\r|\Z)")
# A line that looks like a boundary, and the header of a part after it.
_LIKE_BOUNDARY: Final = lazy_compile(
    rb"^--([^\s\-][^\r\n]{0,200}?)[ \t]*\r?\n(?:Content-[A-Za-z-]+[ \t]*:|\r?\n)", re.M | re.I
)
# Characters of a Content-Type that is remembered: those with a boundary are seldom repeated, and longer.
_LONGEST_REPEATED: Final = 60
# RFC 2046 5.1.1 allows 70 characters; some programs write more.
_LONGEST_BOUNDARY: Final = 1_000


@dataclass(frozen=True, slots=True)
class MediaType:
    """The value of Content-Type.

    Attributes:
        name: `type/subtype`, in lower case.
        parameters: the parameters, by name in lower case.
    """

    name: str
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The type before the slash."""
        return self.name.partition("/")[0]


def media_type(value: str | None, default: str) -> MediaType:
    """Parse a Content-Type; return `default` if there is none, plain text if it is malformed (RFC 2045 5.2)."""
    if value is None:
        return MediaType(default)
    return _parsed(value) if len(value) > _LONGEST_REPEATED else _remembered(value)


def _parsed(value: str) -> MediaType:
    found = _TYPE.match(value)
    if found is None:
        # "text" alone, or "; charset=x": its parameters may be right all the same.
        return MediaType("text/plain", parameters(value))
    return MediaType(f"{found[1]}/{found[2]}".lower(), parameters(value[found.end() :]))


_remembered: Final = lru_cache(maxsize=256)(_parsed)


class Parts(NamedTuple):
    """The parts of a multipart, as offsets in bytes.

    Attributes:
        parts: start and end of each part.
        preamble: the end of the text before the first boundary; -1 if there is no boundary.
        epilogue: the start of the text after the last boundary.
        closed: whether the closing boundary was found.
        rest: the start of the bytes that were not split because there are too many parts; -1 if all were split.
    """

    parts: list[tuple[int, int]]
    preamble: int
    epilogue: int
    closed: bool
    rest: int = -1


def split_parts(data: bytes, start: int, end: int, boundary: bytes, limit: int) -> Parts:
    """Find the parts between `start` and `end`, at most `limit` of them."""
    delimiter = b"--" + boundary
    parts: list[tuple[int, int]] = []
    begun = -1
    preamble = -1
    offset = start
    while (found := data.find(delimiter, offset, end)) >= 0:
        offset = found + len(delimiter)
        if found > start and data[found - 1] not in b"\r\n":
            continue
        after = _AFTER.match(data, offset, end)
        if after is None:
            continue
        offset = after.end()
        stop = _without_line_end(data, start, found)
        if begun >= 0:
            parts.append((begun, max(begun, stop)))
        else:
            preamble = stop
        if after[1] is not None:
            return Parts(parts, preamble, offset, True)
        begun = offset
        if len(parts) >= limit:
            return Parts(parts, preamble, end, False, begun)
    if begun >= 0:
        parts.append((begun, end))
    return Parts(parts, preamble, end, False)


def _without_line_end(data: bytes, start: int, end: int) -> int:
    """Return `end`, the offset of a boundary, less the line end before it, which belongs to the boundary."""
    if end > start and data[end - 1] == 0x0A:
        end -= 1
    if end > start and data[end - 1] == 0x0D:
        end -= 1
    return end


def boundary_of(media: MediaType) -> bytes | None:
    """Return the boundary that a multipart names; None if it names none, or one that cannot be used."""
    written = media.parameters.get("boundary", "").rstrip()
    if not written or len(written) > _LONGEST_BOUNDARY:
        return None
    try:
        return written.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None


def guess_boundary(data: bytes, start: int, end: int) -> bytes | None:
    """Return the first line of a body that looks like a boundary and has a header after it; None if there is none."""
    found = _LIKE_BOUNDARY.search(data, start, end)
    return None if found is None else found[1]


def file_name(values: dict[str, str], media: MediaType) -> str | None:
    """Return the name of an attachment (RFC 2183 2.3); in practice often written in encoded words."""
    disposition = values.get("content-disposition")
    name = None if disposition is None else parameters(f";{disposition}").get("filename")
    name = name or media.parameters.get("name")
    return None if not name else unfold(name.encode("utf-8", "replace")).text


class PartType(NamedTuple):
    """The declaration in the header of a part: media type (None for the default), transfer encoding, file name."""

    media: MediaType | None
    encoding: str
    name: str | None


def content_values(data: bytes, header: MailHeader) -> dict[str, str]:
    """Return the `Content-` fields of a header by name; the first of each name counts."""
    values: dict[str, str] = {}
    for row in header.fields:
        if row.name.startswith("content-") and row.name not in values:
            values[row.name] = unfold(data[row.start : row.end]).text.strip()
        elif row.name == ENCODING:
            other = unfold(data[row.start : row.end]).text.strip()
            if transfer_encoding(other) != transfer_encoding(values[ENCODING]):
                values[OTHER_ENCODING] = other
    return values


@lru_cache(maxsize=256)
def part_type(header: bytes) -> PartType | None:
    """Return what the header of a part declares, with the empty line behind it; None if it says anything else.

    Most parts have the header of many others, without a fault, an identifier or a location.
    """
    read = read_header(header, 0, len(header))
    if read.fault is not None or read.strange or read.end != len(header):
        return None
    for row in read.fields:
        value = header[row.start : row.end]
        if FIELD_SIGN.search(value) is not None or b"=?" in value or (row.name in PARAMETER_FIELDS and b"*" in value):
            return None
    values = content_values(header, read)
    if not values.keys().isdisjoint((OTHER_ENCODING, "content-location", "content-base")):
        return None
    stated = values.get("content-type")
    media = None if stated is None else media_type(stated, "")
    name = file_name(values, MediaType("") if media is None else media)
    return PartType(media, transfer_encoding(values.get(ENCODING, "")), name)
