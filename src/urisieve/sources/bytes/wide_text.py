"""UTF-16 without a byte order mark, detected by its zeros.

The high byte of a blank, a line feed and any other ASCII character is zero; a text of any script holds some of them.
The test is strict, since a binary file must not become text: no U+0000, surrogates in pairs, hardly a control, a
private character or one that is not assigned.
"""

from __future__ import annotations

import codecs

from urisieve.lean import Final
from urisieve.sources.bytes.encodings import Encoding, find_encoding

# The most bytes of a text that are examined.
EXAMINED: Final = 4_096
# Control characters that text does not hold; more than a fiftieth of them is not chance.
CONTROLS: Final = bytes([*range(9), *range(14, 27), *range(28, 32), 127])
SHARE: Final = 50
# So many bytes of ASCII, or of UTF-8, at the beginning are not UTF-16: three or eight characters in a row seldom are.
_ASCII_SIGN: Final = 6
_SIGN: Final = 16
# The fewest code units that identify it, and the fewest characters of ASCII among others: one NUL may be an accident.
_FEWEST: Final = 4
_FEWEST_PLAIN: Final = 2
_ASCII: Final = frozenset(map(chr, [9, 10, 12, 13, 27, *range(32, 127)]))
_FIRST, _LAST = 0x20, 0x7E
# Controls, private characters, and what is not assigned, as the noncharacters.
_ODD: Final = frozenset(["Cc", "Cn", "Co"])


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
        if character in _ASCII:
            plain += 1
        elif _FIRST <= point >> 8 <= _LAST and _FIRST <= point & 0xFF <= _LAST:
            pairs += 1
        elif category(character) in _ODD:
            odd += 1
    # A third of the common characters of China and Japan are two bytes of ASCII, but nearly all in strings of programs.
    is_text = odd * SHARE <= len(text) and pairs * 2 <= len(text) - plain
    return (plain if is_text else 0), name


def _is_text(data: bytes) -> bool:
    """Report whether bytes are UTF-8 with hardly a control in it; the last character may be cut."""
    try:
        codecs.utf_8_decode(data, "strict", False)
    except UnicodeDecodeError:
        return False
    return (len(data) - len(data.translate(None, CONTROLS))) * SHARE <= len(data)
