"""Check digits and check characters, computed from the characters before them.

All functions take digits without separators, and letters in upper case.
"""

from __future__ import annotations

from collections.abc import Iterator

from urisieve.codes import Notice, Warn
from urisieve.lean import Final

_ALPHANUMERIC: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _modulus_11(digits: str) -> str:
    """Return the check digit by weights from 2 upwards from the right, X for 10 (ISBN-10: ISO 2108, ISSN: ISO 3297)."""
    total = sum(weight * int(digit) for weight, digit in enumerate(reversed(digits), 2))
    return "0123456789X"[-total % 11]


def isbn_10(digits: str) -> str:
    """Return the check digit for the first nine digits of an ISBN-10 (RFC 3187 5, "modulus 11 check digit")."""
    return _modulus_11(digits)


def issn(digits: str) -> str:
    """Return the check digit for the first seven digits of an ISSN (RFC 3044 2.2, modulus 11 with weights 8 to 2)."""
    return _modulus_11(digits)


def isbn_13(digits: str) -> str:
    """Return the check digit for the first twelve digits of an ISBN-13: that of the EAN, weights 1 and 3."""
    return str(-sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(digits)) % 10)


def isbn_13_of(digits: str) -> str | None:
    """Return the ISBN-13 for an ISBN of ten or thirteen digits; None if its check digit is wrong.

    A wrong check digit states that some digit is wrong: a new one computed over it would hide that.
    """
    if len(digits) == 13:
        return digits if isbn_13(digits[:12]) == digits[12] else None
    if isbn_10(digits[:9]) != digits[9].upper():
        return None
    whole = f"978{digits[:9]}"
    return f"{whole}{isbn_13(whole)}"


def luhn(digits: str) -> str:
    """Return the check digit for the first fourteen digits of an IMEI (3GPP TS 23.003 Annex B)."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 if index % 2 else 2)
        total += value // 10 + value % 10
    return str(-total % 10)


def mod_11_2(digits: str) -> str:
    """Return the check character of ISO 7064 MOD 11-2 for the first fifteen digits of an ORCID iD, X for 10."""
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2 % 11
    return "0123456789X"[(12 - total) % 11]


def mod_37_36(characters: str) -> str:
    """Return the check character of ISO 7064 MOD 37,36 for digits and letters (RFC 7972, RFC 4246)."""
    product = 36
    for character in characters:
        product = ((product + _ALPHANUMERIC.index(character)) % 36 or 36) * 2 % 37
    return _ALPHANUMERIC[(37 - product) % 36]


def crc_8(hexadecimal: str) -> str:
    """Return the last two hexadecimal digits of a 1-Wire identifier for the first fourteen (RFC 9039 4.2)."""
    remainder = 0
    for octet in bytes.fromhex(hexadecimal):
        remainder ^= octet
        for _ in range(8):
            remainder = remainder >> 1 ^ (0x8C if remainder & 1 else 0)
    return f"{remainder:02x}"


def wrong(found: str, expected: str) -> Iterator[Notice]:
    """Yield the warning for a wrong check digit, with the expected one as detail; yield nothing for a right one."""
    if found != expected:
        yield Notice(Warn.WRONG_CHECK_DIGIT, expected)
