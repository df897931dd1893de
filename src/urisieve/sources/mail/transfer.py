"""Content transfer encodings (RFC 2045 6), decoded so that damage costs no more than the damaged bytes.

Also defines:

- what only the body of a part shows: a transfer encoding, and HTML or files inside plain text.
"""

from __future__ import annotations

import binascii
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.sources.mail.structured_fields import structured

# Encodings that change nothing (RFC 2045 6.2), and "" for no field at all.
IDENTITY: Final = frozenset(["", "7bit", "8bit", "binary"])
# Those of which the first lines can be decoded without the rest.
BY_LINES: Final = IDENTITY | {"base64", "quoted-printable"}
# How programs write the encodings, without `x-`, hyphens, blanks and the like.
_SPELLINGS: Final = {
    spelling: encoding
    for encoding, spellings in {
        "7bit": "7bit 7bits 7bitascii ascii",
        "8bit": "8bit 8bits 8bitmime",
        "binary": "binary none identity plain",
        "base64": "base64 b64",
        "quoted-printable": "quotedprintable quotedprint qp",
        "x-uuencode": "uuencode uuencoded uue uu",
    }.items()
    for spelling in spellings.split()
}
_UNSPELLED: Final = lazy_compile(r"[\s_.,:'\-]+")

_SOFT_BREAK_BLANKS: Final = lazy_compile(rb"=[ \t]+(?=\r?\n|\Z)")
_NOT_BASE64: Final = lazy_compile(rb"[^A-Za-z0-9+/=]+")
# A group of four digits, which may have padding at the end of a line, and elsewhere if the bits before it are zero: the
# next digits were encoded apart. Else what is in its place.
_GROUP: Final = lazy_compile(
    rb"(?s)([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}(?:[AEIMQUYcgkosw048]=|(?<=[AQgw])==|(?:[A-Za-z0-9+/]=|==)\Z))|.{4}"
)
_NO_CHARACTER: Final = b"77+9"  # U+FFFD in UTF-8
_FIRST_LINES: Final = 9  # that say how long lines are
_PADDED: Final = lazy_compile(rb"([A-Za-z0-9+/]*)=*")
# Mail programs write base64 in lines of 60 characters or more, except for the last line; a footer that a mailing list
# puts after base64 has words with blanks between them, or short lines.
_LONG_LINE: Final = 60
_LINE: Final = lazy_compile(rb"(?!\Z)([^\r\n]*)(?:\r\n|\r|\n|\Z)")
# The first line of a file in uuencode, or in base64 as `uuencode -m` of POSIX writes it, and its last line.
_UU_BEGIN: Final = lazy_compile(rb"^begin(-base64)? [0-7]{3,4} [^\r\n]*\r?\n", re.M)
_UU_END: Final = lazy_compile(rb"^end[ \t]*\r?(?:\n|\Z)", re.M)
_UU_DIGITS_END: Final = lazy_compile(rb"^====[ \t]*\r?(?:\n|\Z)", re.M)
_UU_LINE: Final = lazy_compile(rb"[ -`]{1,80}")


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
    """Return the encoding that the value of a Content-Transfer-Encoding names, in lower case (RFC 2045 6.1).

    >>> transfer_encoding('"Base-64" (MIME)'), transfer_encoding("x-rot13")
    ('base64', 'x-rot13')
    """
    name = structured(value).value.lower()
    return _SPELLINGS.get(_UNSPELLED.sub("", name.removeprefix("x-")), name)


def decode_transfer(body: bytes, encoding: str) -> Transfer:
    """Decode a body by its Content-Transfer-Encoding, in lower case.

    A body in an unknown encoding is decoded if it proves to be encoded, else returned unchanged; both with a fault.
    """
    if encoding in IDENTITY:
        return Transfer(body)
    if encoding == "base64":
        return _base64(body)
    if encoding == "quoted-printable":
        if b"= " in body or b"=\t" in body:  # white space at a line end was added in transport (6.7 rule 3)
            body = _SOFT_BREAK_BLANKS.sub(b"=", body)
        return Transfer(binascii.a2b_qp(body))
    if encoding == "x-uuencode":
        return _uuencoded(body)
    proved = proved_text(body)
    return Transfer(whole_base64(body) or body if proved is None else proved, "unknown-transfer-encoding")


def whole_base64(body: bytes) -> bytes | None:
    """Return what a body is that is base64 throughout, such as a file; None for any other body."""
    found = _BASE64_LINES.match(body)
    if found is None or body[found.end() :].strip() or not _has_even_lines(found[1]):
        return None
    try:
        return binascii.a2b_base64(found[1].translate(None, b" \t\r\n"), strict_mode=True)
    except binascii.Error:
        return None


def _base64(body: bytes) -> Transfer:
    compact = body.translate(None, b" \t\r\n")
    try:
        return Transfer(binascii.a2b_base64(compact, strict_mode=True))
    except binascii.Error:
        pass
    widths = Counter(map(len, body.split(None, _FIRST_LINES)[:_FIRST_LINES]))
    width = max(widths, key=widths.__getitem__, default=0)
    digits, footer, is_begun, at = _Digits(width), bytearray(), False, 0
    undamaged = _undamaged(width)
    while at < len(body):
        if (width >= _LONG_LINE or not footer) and (found := undamaged.match(body, at)) is not None:
            digits.add_all(found[0])
            at = found.end()
            continue
        found = _LINE.match(body, at)
        assert found is not None
        line, at = found[1].strip(), found.end()
        if _NOT_BASE64.search(line) is None and (not is_begun or len(line) >= _LONG_LINE):
            digits.add(line)
            continue
        is_begun = True
        if footer or not _is_damaged(line):
            footer += line + b"\n"
        else:
            digits.add(line)
    begun = digits.whole()
    data = bytearray()
    for match in _PADDED.finditer(begun):
        if match[1]:
            data += _quanta(match[1])
    return Transfer(bytes(data), "bad-base64", bytes(footer))


@lru_cache(64)
def _undamaged(width: int) -> re.Pattern[bytes]:
    """Return the pattern of complete lines of so many digits; of any number where a line does not end a group."""
    size = b"++" if width % 4 or not width else b"{%d}" % width
    return re.compile(rb"(?>[A-Za-z0-9+/]%b[ \t]*+\r?\n)++" % size)


class _Digits:
    """The digits of lines of base64, of which some are damaged.

    Where lines have whole groups of four digits, damage stays in its line: of a line of the same length only the groups
    are lost that have another character, which stand for U+FFFD; one of another length ends its last group, unless the
    next one has the rest of it.

    Args:
        width: the length of most lines.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._digits = bytearray()
        self._open = b""  # a line that does not end with a group

    def add(self, line: bytes) -> None:
        """Add a line, without the white space around it."""
        if self._width % 4:
            self._digits += _NOT_BASE64.sub(b"", line)
            return
        if len(line) == self._width:
            self._close()
            self._digits += _GROUP.sub(lambda group: group[1] or _NO_CHARACTER, line)
            return
        for piece in line.split():  # blanks are in the place of line breaks
            digits = _NOT_BASE64.sub(b"", piece)
            if len(self._open) + len(digits) != self._width:
                self._close()
            digits, self._open = self._open + digits, b""
            if len(digits) % 4:
                self._open = digits
            else:
                self._digits += digits + b"="

    def add_all(self, lines: bytes) -> None:
        """Add lines that are not damaged."""
        self._close()
        self._digits += lines.translate(None, b" \t\r\n")

    def _close(self) -> None:
        """End the last group of a line that was too long or too short."""
        if self._open:
            self._digits += self._open + b"="
            self._open = b""

    def whole(self) -> bytes:
        """Return the digits of all lines; padding ends a group wherever it is."""
        self._close()
        return bytes(self._digits)


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
        lines = (line for line in _lines(body) if line.strip() not in (b"", b"end"))
        is_encoded = all(map(_is_uu_line, lines))
        return Transfer(_uu_lines(body, 0, len(body))[0] if is_encoded else body, "bad-uuencode")
    end = (_UU_DIGITS_END if begin[1] else _UU_END).search(body, begin.end())
    stop = len(body) if end is None else end.start()
    if begin[1]:
        data, fault, stray = _base64(body[begin.end() : stop])
        data += stray
    else:
        data, fault = _uu_lines(body, begin.end(), stop)
    after = b"" if end is None else body[end.end() :]
    return Transfer(body[: begin.start()] + data + after, "bad-uuencode" if end is None else fault)


def _uu_lines(body: bytes, start: int, end: int) -> tuple[bytes, str | None]:
    """Decode lines of uuencode; return the bytes, and the reason why some line is malformed."""
    decoded = bytearray()
    fault = None
    for line in _lines(body, start, end):
        try:
            decoded += binascii.a2b_uu(line)
        except binascii.Error:
            fault = "bad-uuencode"
            decoded += _uu_bytes(line) or b""
    return bytes(decoded), fault


def _uu_size(line: bytes) -> int:
    """Return the number of bytes that a line of uuencode is for, which its first character says."""
    return (line[0] - 32) & 63 if line else 0


def _uu_bytes(line: bytes) -> bytes | None:
    """Decode a line to whose end some encoders add characters; None if it is not uuencode."""
    try:
        return binascii.a2b_uu(line[: (_uu_size(line) * 4 + 5) // 3])
    except binascii.Error:
        return None


def _is_uu_line(line: bytes) -> bool:
    """Report whether a line has the characters and the length of uuencode: text hardly has both."""
    line = line.rstrip(b"\r\n")
    size = _uu_size(line)
    longest = 2 + 4 * ((size + 2) // 3)  # with a checksum
    return _UU_LINE.fullmatch(line) is not None and (size * 4 + 5) // 3 <= len(line) <= longest


# ---- What a body is although its header does not say so. Proofs are strict, since plain text may be anything; what
# only seems to be encoded is counted, not decoded.

# The first paragraph, if it is lines of the alphabet of base64, and its end.
_BASE64_LINES: Final = lazy_compile(rb"\s*+((?>[A-Za-z0-9+/]++={0,2}[ \t]*+(?:\r?\n|\Z))++)(?=\r?\n|\Z)")
_FEWEST_DIGITS: Final = 24  # eighteen bytes that are text by accident are rare
_FEWEST_BYTES: Final = 18
_CONTROLS: Final = lazy_compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Quoted-printable (RFC 2045 6.7): a soft line break, an escape, and a sign that is neither.
_SOFT_BREAK: Final = lazy_compile(rb"=(?<=[^=\s]=)\r?\n")
_OCTET: Final = lazy_compile(rb"=[0-9A-F]{2}")
_NO_OCTET: Final = lazy_compile(rb"=(?![0-9A-F]{2}|[ \t]*\r?\n|[ \t]*\Z)")
_INLINE: Final = lazy_compile(rb"^(?:begin(-base64)? [67][0-7]{2,3} ([^\r\n]*)\r?\n|[ \t]*<(?:html|HTML)[\s>])", re.M)
_NO_HTML: Final = lazy_compile(rb"<(?:[A-Za-z]{2,9}://|mailto:|[^<>\s@]{1,64}@)|=3D[\"']")
_HTML_END: Final = lazy_compile(rb"</html\s*>", re.I)
_INLINE_LINE: Final = lazy_compile(rb"([ -`]{1,80})\r?\n")
_INLINE_DIGITS: Final = lazy_compile(rb"(?>[A-Za-z0-9+/]{1,1000}={0,2}[ \t]*\r?\n)*+")


class InlinePart(NamedTuple):
    """Something in plain text that is a part of its own.

    Attributes:
        start: the offset at which it begins, in bytes.
        end: the offset at which it ends.
        name: the name of the file; None for HTML.
        data: the decoded file; empty for HTML.
        is_whole: whether the line that ends a file is there.
    """

    start: int
    end: int
    name: bytes | None = None
    data: bytes = b""
    is_whole: bool = True


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
    if not _has_even_lines(found[1]):
        return None
    try:
        text = binascii.a2b_base64(b"".join(found[1].split()), strict_mode=True)
        text.decode("utf-8")
    except ValueError:  # also what is raised for digits that are not base64
        return None
    if _CONTROLS.search(text) is not None:
        return None
    rest = data[found.end() :]
    return text + b"\n" + rest if rest.strip() else text


def _has_even_lines(digits: bytes) -> bool:
    """Report whether lines of base64 are long and, but for the last one, of one length."""
    lines = digits.split()
    return len(lines[0]) >= _FEWEST_DIGITS and all(len(line) == len(lines[0]) for line in lines[:-1])


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
    """Yield the files in uuencode or base64 and the HTML in plain text, each from its first to its last line."""
    offset = 0
    if not any(sign in data for sign in _INLINE_SIGNS):
        return
    while (begin := _INLINE.search(data, offset)) is not None:
        offset = begin.end()
        if begin[2] is None:
            end = _HTML_END.search(data, offset)
            if end is None:
                return  # nor does any later one end
            offset = end.end()
            if may_be_html(data, begin.start(), offset):
                yield InlinePart(begin.start(), offset)
            continue
        file, is_sure, offset = (_inline_digits if begin[1] else _inline_lines)(data, offset)
        last = (_UU_DIGITS_END if begin[1] else _UU_END).match(data, offset)
        if file and (is_sure or last is not None):
            offset = offset if last is None else last.end()
            yield InlinePart(begin.start(), offset, begin[2], file, last is not None)


# One of these is in a text with such a part; the kernel looks for them, too.
_INLINE_SIGNS: Final = (b"begin ", b"begin-base64 ", b"<html", b"<HTML")


def _inline_lines(data: bytes, offset: int) -> tuple[bytes, bool, int]:
    """Decode lines of uuencode; return the file, whether they are that without a line that ends it, and their end."""
    decoded = bytearray()
    is_sure = True
    while (line := _INLINE_LINE.match(data, offset)) is not None:
        some = _uu_bytes(line[1])
        if some is None:
            break
        is_sure = is_sure and _is_uu_line(line[1])
        decoded += some
        offset = line.end()
    return bytes(decoded), is_sure and len(decoded) >= _FEWEST_BYTES, offset


def _inline_digits(data: bytes, offset: int) -> tuple[bytes, bool, int]:
    """Decode lines of base64, as `_inline_lines` does."""
    lines = _INLINE_DIGITS.match(data, offset)
    assert lines is not None
    transfer = _base64(lines[0])
    return transfer.data, transfer.fault is None and len(transfer.data) >= _FEWEST_BYTES, lines.end()
