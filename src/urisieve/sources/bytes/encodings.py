"""Character encodings: their names, how a byte that does not decode is kept, and the size of a text in bytes.

A byte that an encoding cannot decode becomes one lone surrogate, U+DC00 plus its value (for UTF-8 that is exactly
the error handler `surrogateescape` of PEP 383). So reading never stops, every byte is accounted for, and no identifier
extends across such a byte.

Also defines:

- UTF-16 without a byte order mark, detected by its zeros. The high byte of a blank, a line feed and any other ASCII
  character is zero; a text of any script holds some of them. The test is strict, since a binary file must not become
  text: no U+0000, surrogates in pairs, hardly a control, a private character or one that is not assigned.
"""

from __future__ import annotations

import codecs
from functools import lru_cache

from urisieve import shapes
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, lazy_compile
from urisieve.quick_enums import Enum

if TYPE_CHECKING:
    from typing import Literal

    from _typeshed import ReadableBuffer as Buffer


_STRAY_BASE: Final = 0xDC00
_STRAYS: Final = lazy_compile("[\udc00-\udcff]")


def _kept(error: UnicodeError, size: int | None) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeDecodeError):
        end = error.end if size is None else error.start + size
        return "".join(map(chr, (_STRAY_BASE + byte for byte in error.object[error.start : end]))), end
    if isinstance(error, UnicodeEncodeError):
        values = [ord(character) - _STRAY_BASE for character in error.object[error.start : error.end]]
        if all(value in range(256) for value in values):
            return bytes(values), error.end
    raise error


# One byte at a time, so that an ASCII byte after a broken sequence is decoded as itself. Encoding restores the bytes.
STRAY: Final = "urisieve.stray"
codecs.register_error(STRAY, lambda error: _kept(error, 1))
# All bytes of a broken code unit or escape, so that the next one is read from its start.
_STRAY_UNIT: Final = "urisieve.stray-unit"
codecs.register_error(_STRAY_UNIT, lambda error: _kept(error, None))


_ASCII_BYTES: Final = bytes(range(128))
_ASCII: Final = _ASCII_BYTES.decode("ascii")


class Family(Enum):
    """The relation of characters and bytes in an encoding."""

    UTF8 = "utf8"
    UTF16 = "utf16"
    UTF32 = "utf32"
    SINGLE = "single"
    """Each character has one byte."""
    MULTI = "multi"
    """Each character has one to four bytes, independent of those before it."""
    STATEFUL = "stateful"
    """The bytes of a character depend on those before it (ISO 2022, HZ, UTF-7): there are no byte offsets."""


class Encoding(NamedTuple):
    """An encoding that sources may be in.

    Attributes:
        name: the codec's name.
        family: the relation of characters and bytes.
        pairs: whether one byte sequence may decode to two characters (JIS X 0213, Big5-HKSCS).
    """

    name: str
    family: Family
    pairs: bool = False

    @property
    def errors(self) -> str:
        """The name of the error handler that keeps stray bytes; for UTF-8 that of Python, which is written in C."""
        if self.family is Family.UTF8:
            return "surrogateescape"
        return STRAY if self.family in (Family.SINGLE, Family.MULTI) else _STRAY_UNIT

    @property
    def breaks_lines_like_ascii(self) -> bool:
        """Whether each ASCII character is encoded by its ASCII byte, and this byte always means that character."""
        if self.family is Family.UTF8:
            return True
        return self.family is Family.SINGLE and _ASCII_BYTES.decode(self.name, "replace") == _ASCII

    @property
    def is_unicode(self) -> bool:
        """Whether it is an encoding of Unicode, not a legacy one (RFC 3987 3.1 step 1)."""
        return self.name.startswith(("utf", "gb18030"))

    def decoder(self) -> codecs.IncrementalDecoder:
        """Return a new decoder that keeps stray bytes."""
        if self.family is Family.UTF16:
            return _Utf16Decoder(self)
        return codecs.getincrementaldecoder(self.name)(self.errors)

    def size(self, text: str) -> int:
        """Return the number of bytes of a piece of decoded text; only for encodings that are not stateful."""
        family = self.family
        if family is not Family.UTF16 and family is not Family.UTF32:
            return len(text) if text.isascii() else len(text.encode(self.name, self.errors))
        if family is Family.UTF32:
            return 4 * len(text) - 3 * len(_STRAYS.findall(text))
        try:
            return len(text.encode("utf-16-le"))
        except UnicodeEncodeError:  # an undecodable byte is one byte, not the two of a code unit
            return len(text.encode("utf-16-le", "surrogatepass")) - len(_STRAYS.findall(text))


class _Utf16Decoder(codecs.BufferedIncrementalDecoder):
    """Decodes UTF-16 as the codec does with `_STRAY_UNIT`, without a call for each of many lone surrogates."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__(encoding.errors)
        little = encoding.name.endswith("le")
        self._codec = codecs.utf_16_le_decode if little else codecs.utf_16_be_decode
        self._order: Literal["little", "big"] = "little" if little else "big"

    def _buffer_decode(self, data: Buffer, errors: str, final: bool) -> tuple[str, int]:
        try:
            return self._codec(data, "strict", final)
        except UnicodeDecodeError:
            pass
        try:
            text, used = self._codec(data, "surrogatepass", final)
        except UnicodeDecodeError:  # the end cuts a code unit
            return self._codec(data, errors, final)
        return text.translate(_lone_surrogates(self._order)), used


@lru_cache(maxsize=2)
def _lone_surrogates(order: Literal["little", "big"]) -> dict[int, str]:
    """Return what each lone surrogate of UTF-16 becomes: the strays of its two bytes."""
    return {
        unit: "".join(chr(_STRAY_BASE + octet) for octet in unit.to_bytes(2, order)) for unit in range(0xD800, 0xE000)
    }


_UTF8: Final = Encoding("utf-8", Family.UTF8)
_UTF16_LE: Final = Encoding("utf-16-le", Family.UTF16)
_UTF16_BE: Final = Encoding("utf-16-be", Family.UTF16)
_UTF32_LE: Final = Encoding("utf-32-le", Family.UTF32)
_UTF32_BE: Final = Encoding("utf-32-be", Family.UTF32)

# Longest first: the mark of UTF-32 LE begins with that of UTF-16 LE.
BYTE_ORDER_MARKS: Final[tuple[tuple[bytes, Encoding], ...]] = (
    (codecs.BOM_UTF32_LE, _UTF32_LE),
    (codecs.BOM_UTF32_BE, _UTF32_BE),
    (codecs.BOM_UTF8, _UTF8),
    (codecs.BOM_UTF16_LE, _UTF16_LE),
    (codecs.BOM_UTF16_BE, _UTF16_BE),
)

# By the name that `_codec_name` returns. "utf-16" and "utf-32" without a mark are big-endian (RFC 2781 4.3).
_UNICODE: Final[dict[str, Encoding]] = {
    "utf_8": _UTF8,
    "utf_8_sig": _UTF8,
    "utf_16": _UTF16_BE,
    "utf_16_le": _UTF16_LE,
    "utf_16_be": _UTF16_BE,
    "utf_32": _UTF32_BE,
    "utf_32_le": _UTF32_LE,
    "utf_32_be": _UTF32_BE,
}
_MULTI: Final = frozenset(
    ["big5", "cp932", "cp949", "cp950", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk", "johab", "shift_jis"],
)
_MULTI_PAIRS: Final = frozenset(["big5hkscs", "euc_jis_2004", "euc_jisx0213", "shift_jis_2004", "shift_jisx0213"])
# Text codecs of Python that are notations, not encodings of documents.
_NOTATIONS: Final = frozenset(["idna", "punycode", "raw_unicode_escape", "unicode_escape", "undefined"])


def _codec_name(name: str) -> str:
    return codecs.lookup(name).name.lower().replace("-", "_")


def known_marks(name: str | None) -> tuple[tuple[bytes, Encoding], ...]:
    """Return the byte order marks that are recognized for an encoding given by name; all of them for None."""
    if name is None:
        return BYTE_ORDER_MARKS
    chosen = _codec_name(name)
    either = {"utf_16": Family.UTF16, "utf_32": Family.UTF32}.get(chosen)
    if either is not None:
        return tuple(row for row in BYTE_ORDER_MARKS if row[1].family is either)
    return tuple(row for row in BYTE_ORDER_MARKS if row[1] is _UNICODE.get(chosen))


def find_encoding(name: str | None) -> Encoding:
    """Return the encoding of a name, UTF-8 for None.

    Raises:
        UsageError: there is no such encoding of text.
    """
    return _UTF8 if name is None else _encoding(shapes.text("encoding", name))


@lru_cache(maxsize=256)  # decoding each byte to find the family is slow
def _encoding(name: str) -> Encoding:
    try:
        found = _codec_name(name)
        b"a".decode(name, "ignore")  # refuses codecs from bytes to bytes, such as base64
    except (LookupError, ValueError):
        found = "undefined"
    if found in _UNICODE:
        return _UNICODE[found]
    if found in _NOTATIONS:
        raise UsageError(f"encoding {name!r} is not known; use for example utf-8, utf-16, latin-1, gb18030, shift_jis")
    if found in _MULTI or found in _MULTI_PAIRS:
        return Encoding(found, Family.MULTI, found in _MULTI_PAIRS)
    single = Encoding(found, Family.SINGLE)
    # A lead byte or an escape decodes to nothing before the bytes after it.
    if all(len(single.decoder().decode(bytes((byte,)))) == 1 for byte in range(256)):
        return single
    return Encoding(found, Family.STATEFUL)


# The most bytes of a text that are examined.
EXAMINED: Final = 4_096
# Control characters that text does not hold; more than a fiftieth of them is not chance.
CONTROLS: Final = bytes([*range(9), *range(14, 27), *range(28, 32), 127])
_SHARE: Final = 50
# So many bytes of ASCII, or of UTF-8, at the beginning are not UTF-16: three or eight characters in a row seldom are.
_ASCII_SIGN: Final = 6
_SIGN: Final = 16
# The fewest code units that identify it, and the fewest characters of ASCII among others: one NUL may be an accident.
_FEWEST: Final = 4
_FEWEST_PLAIN: Final = 2
_PLAIN: Final = frozenset(map(chr, [9, 10, 12, 13, 27, *range(32, 127)]))
_FIRST, _LAST = 0x20, 0x7E
# Controls, private characters, and what is not assigned, as the noncharacters.
_ODD: Final = frozenset(["Cc", "Cn", "Co"])


def marked_encoding(head: bytes) -> tuple[int, Encoding] | None:
    """Return the size of the byte order mark that a text begins with, and its encoding; None without a mark."""
    return next(((len(mark), encoding) for mark, encoding in BYTE_ORDER_MARKS if head.startswith(mark)), None)


def may_be_wide(head: bytes) -> bool:
    """Report whether a text without a mark that begins with these bytes may be UTF-16: they are few, or not UTF-8."""
    if len(head) >= _ASCII_SIGN and head[:_ASCII_SIGN].isascii() and _is_text(head[:_ASCII_SIGN]):
        return False
    return len(head) < _SIGN or not _is_text(head[:_SIGN])


def wide_encoding(head: bytes) -> Encoding | None:
    """Return the encoding of a text without a mark: UTF-16 in one of its byte orders, or None if it is not that.

    Args:
        head: its first bytes, at least `EXAMINED` if there are so many.
    """
    head = head[: min(EXAMINED, len(head) // 2 * 2)]
    if b"\0" not in head or not may_be_wide(head):
        return None
    plain, name = max(_plain("utf-16-le", head), _plain("utf-16-be", head))
    # Few characters of ASCII are evidence where the bytes would make no sense otherwise.
    if plain * 4 >= len(head) or (plain >= _FEWEST_PLAIN and not _is_text(head.replace(b"\0", b""))):
        return find_encoding(name)
    return None


def _plain(name: str, data: bytes) -> tuple[int, str]:
    """Return the number of ASCII characters of a text in an encoding, 0 if it is not such a text, and the name."""
    decode = codecs.utf_16_le_decode if name.endswith("le") else codecs.utf_16_be_decode
    try:
        text, _ = decode(data, "strict", False)
    except UnicodeDecodeError:
        return 0, name
    if len(text) < _FEWEST or "\0" in text or "\ufffe" in text or "\uffff" in text:
        return 0, name
    from unicodedata import category

    plain = odd = pairs = 0
    for character in text:
        point = ord(character)
        if character in _PLAIN:
            plain += 1
        elif _FIRST <= point >> 8 <= _LAST and _FIRST <= point & 0xFF <= _LAST:
            pairs += 1
        elif category(character) in _ODD:
            odd += 1
    # A third of the common characters of China and Japan are two bytes of ASCII, but nearly all in strings of programs.
    is_text = odd * _SHARE <= len(text) and pairs * 2 <= len(text) - plain
    return (plain if is_text else 0), name


def _is_text(data: bytes) -> bool:
    """Report whether bytes are UTF-8 with hardly a control in it; the last character may be cut."""
    try:
        codecs.utf_8_decode(data, "strict", False)
    except UnicodeDecodeError:
        return False
    return is_prose(data)


def is_prose(data: bytes) -> bool:
    """Report whether there are few enough control characters to be there by accident."""
    return (len(data) - len(data.translate(None, CONTROLS))) * _SHARE <= len(data)
