"""Content transfer encodings (RFC 2045 6), decoded so that damage costs no more than the damaged bytes."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.lean.values import NamedTuple

__all__ = ["IDENTITY", "Transfer", "decode_transfer", "transfer_encoding"]

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
