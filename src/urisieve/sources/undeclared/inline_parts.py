"""Proofs, in the body of a part, against its header: a transfer encoding, and HTML or files inside plain text.

Proofs are strict, since plain text may hold anything; what only seems to be encoded is counted, not decoded.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Sequence

from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.lean.values import NamedTuple

__all__ = ["InlinePart", "fitting_encoding", "inline_parts", "may_be_html", "proved_text", "seems_encoded"]

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
