"""MailHeader fields of a message or of a part: where they stand, what they say in plain text, and their parameters.

RFC 5322 2.2 (fields and folding), RFC 2047 (encoded words), RFC 2045 5.1 and RFC 2231 (parameters). Bytes come in as
they are; whatever is malformed is kept as text.
"""

from __future__ import annotations

import binascii
import re
from io import StringIO
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

from urisieve.sources.bytes.charsets import decode_text

__all__ = ["Field", "MailHeader", "Unfolded", "parameters", "read_header", "unfold"]

_FIELD: Final = re.compile(rb"([!-9;-~]+)[ \t]*:((?:[^\n]*)(?:\n[ \t][^\n]*)*+)(?:\n|\Z)")
_BLANK: Final = re.compile(rb"\r?(?:\n|\Z)")
_LINE: Final = re.compile(rb"[^\n]*(?:\n|\Z)")
# What stands in a header for the end of an old one: the envelope line of mbox, also quoted.
_ENVELOPE: Final = re.compile(rb">?From [^\n]*(?:\n|\Z)")
# After a line that is none, the header goes on where one of these comes before the next empty line: without them the
# parts of the message could not be told apart.
_MIME_FIELD: Final = re.compile(rb"^(?:Content-(?:Type|Transfer-Encoding)|MIME-Version)[ \t]*:", re.M | re.I)
_EMPTY_LINE: Final = re.compile(rb"^\r?$", re.M)

_ENCODED_WORD: Final = re.compile(r"=\?([^?\s]{1,80})\?([bBqQ])\?([^?]*)\?=")
_FOLD: Final = re.compile(r"\r?\n(?=[ \t])")
_WHITE: Final = re.compile(r"\s+")
_PARAMETER: Final = re.compile(r';\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*+)"|([^;]*))', re.S)
_QUOTED_PAIR: Final = re.compile(r"\\(.)", re.S)
# RFC 2231 3 and 4: the number of a continuation, and the mark of an encoded value.
_EXTENDED: Final = re.compile(r"([^*]+)(?:\*([0-9]{1,4}))?(\*)?")
# No parameter that has a use is longer; what is longer is not looked into.
_LONGEST_STRUCTURED: Final = 65_536
# Mail that went through many lists has some hundreds of fields; what stands after so many is read as the body.
_MOST_FIELDS: Final = 10_000


class Field(NamedTuple):
    """A header field: its name in lower case, and where its name and its value stand in the message."""

    name: str
    written: str
    start: int
    end: int


class MailHeader(NamedTuple):
    """The header of a message or of a part.

    Attributes:
        fields: in their order.
        strange: stretches of lines inside it that are no fields.
        end: where the body begins.
        fault: what was wrong, None if nothing.
    """

    fields: list[Field]
    strange: list[tuple[int, int]]
    end: int
    fault: str | None


def read_header(data: bytes, start: int, end: int) -> MailHeader:
    """Find the fields from `start` on; the body begins after an empty line, or with the first line that is no field."""
    fields: list[Field] = []
    strange: list[tuple[int, int]] = []
    fault = None
    place = start
    envelope = _ENVELOPE.match(data, place, end)
    if envelope is not None:
        place = envelope.end()
    limit: int | None = None  # of the lines in which the header may go on
    while True:
        scan = _FIELD.scanner(data, place, end)  # type: ignore[attr-defined]
        for found in islice(iter(scan.match, None), max(0, _MOST_FIELDS - len(fields) - len(strange))):
            written = found[1].decode("ascii")
            fields.append(Field(written.lower(), written, found.start(2), found.end(2)))
            place = found.end()
        if len(fields) + len(strange) >= _MOST_FIELDS:
            return MailHeader(fields, strange, place, "too-many-fields")
        blank = _BLANK.match(data, place, end)
        if blank is not None:
            return MailHeader(fields, strange, blank.end(), fault)
        envelope = _ENVELOPE.match(data, place, end)
        if envelope is not None:
            place = envelope.end()
            continue
        if limit is None:
            fault = "no-blank-line"
            limit = _last_mime_field(data, place, end)
        if place >= limit:
            return MailHeader(fields, strange, place, fault)
        fault = "bad-header-line"
        line = _LINE.match(data, place, end)
        assert line is not None
        strange.append(line.span())
        place = line.end()


def _last_mime_field(data: bytes, place: int, end: int) -> int:
    """The start of the last field of MIME before the next empty line; `place` if there is none."""
    empty = _EMPTY_LINE.search(data, place, end)
    last = place
    for found in _MIME_FIELD.finditer(data, place, end if empty is None else empty.start()):
        last = found.start()
    return last


class Unfolded(NamedTuple):
    """The text of a field.

    Attributes:
        text: without folds where it was decoded, else as it stands.
        decoded: encoded words were decoded, so that its characters are not those of the message.
        codec: what its bytes are in, where it was not decoded.
        legacy: some of it was in a character set that is not of Unicode.
        fault: what was wrong, None if nothing.
    """

    text: str
    decoded: bool = False
    codec: str = "utf-8"
    legacy: bool = False
    fault: str | None = None


def unfold(value: bytes) -> Unfolded:
    """The text of a field's value (RFC 2047; RFC 6532 for UTF-8 that is not encoded).

    A value without encoded words stays as it is, folds included.
    """
    text, codec, legacy, _ = decode_text(value, None)
    if "=?" in text and _ENCODED_WORD.search(text) is not None:
        return _words(text, legacy)
    return Unfolded(text, False, codec, legacy, None)


def _words(text: str, legacy: bool) -> Unfolded:
    pieces = StringIO(newline="")
    pending = bytearray()
    charset = ""
    fault = None
    end = 0
    for word in _ENCODED_WORD.finditer(text):
        before = text[end : word.start()]
        name = word[1].partition("*")[0].lower()
        data = _word(word[2], word[3])
        joins = bool(end) and (not before or before.isspace())
        if data is None:
            fault = "bad-encoded-word"
        if not joins or data is None or name != charset:
            if pending:
                legacy = _put(pieces, bytes(pending), charset) or legacy
                pending.clear()
            if not joins:
                pieces.write(_FOLD.sub("", before))
        if data is None:
            pieces.write(word[0])
        else:
            # A character may be cut between two words of a set, though RFC 2047 5 says that it must not be.
            pending += data
            charset = name
        end = word.end()
    if pending:
        legacy = _put(pieces, bytes(pending), charset) or legacy
    pieces.write(_FOLD.sub("", text[end:]))
    return Unfolded(pieces.getvalue(), True, "utf-8", legacy, fault)


def _put(pieces: StringIO, data: bytes, charset: str) -> bool:
    decoded = decode_text(data, charset)
    pieces.write(decoded.text)
    return decoded.legacy


def _word(encoding: str, text: str) -> bytes | None:
    """The bytes of an encoded word, None if it is broken."""
    if not text.isascii():
        return None
    if encoding in "qQ":
        return binascii.a2b_qp(_WHITE.sub("_", text).encode("ascii"), header=True)
    digits = _WHITE.sub("", text).rstrip("=")
    if len(digits) % 4 == 1:
        return None
    try:
        return binascii.a2b_base64(digits.encode("ascii") + b"=" * (-len(digits) % 4), strict_mode=True)
    except binascii.Error:
        return None


def parameters(value: str) -> dict[str, str]:
    """The parameters of a structured field, by name in lower case, continuations joined (RFC 2045 5.1, RFC 2231).

    The first of two with one name wins.
    """
    if len(value) > _LONGEST_STRUCTURED:
        return {}
    plain: dict[str, str] = {}
    sections: dict[str, dict[int, tuple[str, bool]]] = {}
    for found in _PARAMETER.finditer(value):
        content = found[3].strip() if found[2] is None else _QUOTED_PAIR.sub(r"\1", _FOLD.sub("", found[2]))
        name = _EXTENDED.fullmatch(found[1].lower())
        if name is None or (name[2] is None and name[3] is None):
            plain.setdefault(found[1].lower(), content)
        else:
            numbered = sections.setdefault(name[1], {})
            numbered.setdefault(int(name[2] or 0), (content, name[3] is not None))
    for key, numbered in sections.items():
        # RFC 2231 5: where a program wrote both forms, the extended one says more.
        plain[key] = _joined(numbered)
    return plain


def _joined(numbered: dict[int, tuple[str, bool]]) -> str:
    charset: str | None = None
    data: list[bytes] = []
    for number, section in enumerate(sorted(numbered)):
        content, encoded = numbered[section]
        if encoded:
            if number == 0 and content.count("'") >= 2:
                charset, _, content = content.split("'", 2)
            data.append(unquote_to_bytes(_bytes(content)))
        else:
            data.append(_bytes(content))
    return decode_text(b"".join(data), charset or None).text


def _bytes(text: str) -> bytes:
    """UTF-8, with stray bytes as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, from a word in UTF-7
        return text.encode("utf-8", "surrogatepass")
