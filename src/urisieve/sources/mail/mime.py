"""The structure of MIME (RFC 2045, RFC 2046): media types, and the offsets of the parts of a multipart.

Also defines:

- content transfer encodings (RFC 2045 6), decoded so that damage costs no more than the damaged bytes.
- what only the body of a part shows: a transfer encoding, and HTML or files inside plain text.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Sequence

from urisieve.lean import Final, NamedTuple, dataclass, field, lazy_compile
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.mail.header_fields import MailHeader, parameters, unfold

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

HTML: Final = frozenset(Kind.HTML.media_types)
FILE: Final = "application/octet-stream"
TNEF_SIGN: Final = b"\x78\x9f\x3e\x22"  # of `winmail.dat` (MS-OXTNEF)
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


def deletes_space(media: MediaType) -> bool:
    """Report whether the space at the end of a flowed line is no part of a text (RFC 3676 4, `format` and `delsp`)."""
    said = [media.parameters.get(name, "").strip().lower() for name in ("format", "delsp")]
    return media.name == "text/plain" and said == ["flowed", "yes"]


def media_type(value: str | None, default: str) -> MediaType:
    """Parse a Content-Type; return `default` if there is none, plain text if it is malformed (RFC 2045 5.2)."""
    if value is None:
        return MediaType(default)
    found = _TYPE.match(value)
    if found is None:
        # "text" alone, or "; charset=x": its parameters may be right all the same.
        return MediaType("text/plain", parameters(value))
    return MediaType(f"{found[1]}/{found[2]}".lower(), parameters(value[found.end() :]))


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
    """The declaration in the header of a part: media type, transfer encoding, file name."""

    media: MediaType
    encoding: str
    name: str | None


def declared_part(values: dict[str, str], default: str) -> PartType:
    """Return what `Content-` fields declare, by their names in lower case; `default` is the type without one."""
    media = media_type(values.get("content-type"), default)
    return PartType(media, transfer_encoding(values.get(ENCODING, "")), file_name(values, media))


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


# ---- What a body is although its header does not say so. Proofs are strict, since plain text may be anything; what
# only seems to be encoded is counted, not decoded.

# The first paragraph, if it is lines of the alphabet of base64, and its end.
_BASE64_LINES: Final = lazy_compile(rb"\s*+((?>[A-Za-z0-9+/]++={0,2}[ \t]*+(?:\r?\n|\Z))++)(?=\r?\n|\Z)")
_FEWEST_DIGITS: Final = 24  # eighteen bytes that are text by accident are rare
_CONTROLS: Final = lazy_compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Quoted-printable (RFC 2045 6.7): a soft line break, an escape, and a sign that is neither.
_SOFT_BREAK: Final = lazy_compile(rb"=(?<=[^=\s]=)\r?\n")
_OCTET: Final = lazy_compile(rb"=[0-9A-F]{2}")
_NO_OCTET: Final = lazy_compile(rb"=(?![0-9A-F]{2}|[ \t]*\r?\n|[ \t]*\Z)")
_INLINE: Final = lazy_compile(rb"^(?:begin [67][0-7]{2,3} ([^\r\n]*)\r?\n|[ \t]*<(?:html|HTML)[\s>])", re.M)
_NO_HTML: Final = lazy_compile(rb"<(?:[A-Za-z]{2,9}://|mailto:|[^<>\s@]{1,64}@)|=3D[\"']")
_HTML_END: Final = lazy_compile(rb"</html\s*>", re.I)
_INLINE_LINE: Final = lazy_compile(rb"([ -`]{1,80})\r?\n")
_INLINE_END: Final = lazy_compile(rb"end[ \t]*(?:\r?\n|\Z)")


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
    found = _BASE64_LINES.match(data)
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
    found = _BASE64_LINES.match(data)
    lines = [] if found is None else found[1].split()
    return len(lines) > 2 and len(lines[0]) >= _LONG_LINE and all(len(line) == len(lines[0]) for line in lines[:-1])


def fitting_encoding(names: Sequence[str], data: bytes) -> str:
    """Return the transfer encoding, of several that a header names, that a body may have; the first without one."""
    for name in names:
        if name == "base64":
            line = data.lstrip().partition(b"\n")[0].strip()
            if len(line) % 4 == 0 and _BASE64_LINES.fullmatch(line) is not None:
                return name
        elif name == "quoted-printable" and _OCTET.search(data) is not None and _NO_OCTET.search(data) is None:
            return name
    others = [name for name in names if name not in ("base64", "quoted-printable")]
    return (others or names)[0]


def may_be_html(data: bytes, start: int = 0, end: int | None = None) -> bool:
    """Report whether a text has nothing that HTML has not: addresses in brackets, quoted-printable."""
    return _NO_HTML.search(data, start, len(data) if end is None else end) is None


def inline_parts(data: bytes) -> Iterator[InlinePart]:
    """Yield the files in uuencode and the HTML in plain text, each from its first to its last line."""
    offset = 0
    if b"begin " not in data and b"<html" not in data and b"<HTML" not in data:  # the kernel looks for these, too
        return
    while (begin := _INLINE.search(data, offset)) is not None:
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
        while (line := _INLINE_LINE.match(data, offset)) is not None:
            size = (line[1][0] - 32) & 63
            try:
                decoded += binascii.a2b_uu(line[1][: (size * 4 + 5) // 3])
            except binascii.Error:
                break
            offset = line.end()
        last = _INLINE_END.match(data, offset)
        if last is not None and decoded:
            offset = last.end()
            yield InlinePart(begin.start(), offset, begin[1], bytes(decoded))
