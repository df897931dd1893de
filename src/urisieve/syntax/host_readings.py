"""The hosts that other programs read where a host of the DNS stands: rare forms of IPv4 addresses, and other mappings.

All programs at hand read the same host from any other canonical URI of the web. Where two do not, a filter that is one
of them is passed by; so the warning `hosts-disagree` names what is read here.
"""

from __future__ import annotations

from ipaddress import IPv4Address

from urisieve.lean import Final, lazy_compile

_DIGITS: Final = {8: lazy_compile("[0-7]*"), 10: lazy_compile("[0-9]+"), 16: lazy_compile("[0-9a-f]*")}
_MOST_PARTS: Final = 4
# The most digits of 32 bits are 11 octal ones; more are leading zeros. Python refuses to convert very long numbers.
_MOST_DIGITS: Final = 11
# UTS 46 5: the characters that IDNA 2003 maps, or removes, and IDNA 2008 keeps.
_DEVIATIONS: Final = {"\u00df": "ss", "\u03c2": "\u03c3", "\u200c": "", "\u200d": ""}
_TRANSITIONAL: Final = str.maketrans(_DEVIATIONS)
# In text in lower case, a sigma at the end of a word is another one (Unicode 3.13); the mapping of UTS 46 has no ends.
_SIGMA: Final = "\u03a3"


def rare_ipv4(host: str) -> tuple[IPv4Address, ...]:
    """Return the addresses that programs read from a host that ends in a number, and is not an IPv4 address.

    First that of browsers and of `inet_aton` (WHATWG URL 3.5; RFC 6943 3.1.1): one to four parts, of which the last
    fills what remains, with `0x` hexadecimal, with `0` octal. Then, if it differs, that of programs which take a
    leading zero for part of a decimal number. One that they refuse is left out.

    Args:
        host: the host in lower case.
    """
    parts = host.removesuffix(".").split(".")
    found = dict.fromkeys(_address(parts, octal=octal) for octal in (True, False))
    return tuple(address for address in found if address is not None)


def _address(parts: list[str], *, octal: bool) -> IPv4Address | None:
    if len(parts) > _MOST_PARTS:
        return None
    numbers = []
    for part in parts:
        number = _number(part, octal=octal)
        if number is None:
            return None
        numbers.append(number)
    last = numbers.pop()
    if any(number > 255 for number in numbers) or last >= 256 ** (_MOST_PARTS - len(numbers)):
        return None
    return IPv4Address(last + sum(number << 24 - 8 * index for index, number in enumerate(numbers)))


def _number(part: str, *, octal: bool) -> int | None:
    base, digits = 10, part
    if part[:2] == "0x":
        base, digits = 16, part[2:]
    elif octal and part[:1] == "0":
        base, digits = 8, part[1:]
    if _DIGITS[base].fullmatch(digits) is None:
        return None
    digits = digits.lstrip("0") or "0"
    return None if len(digits) > _MOST_DIGITS else int(digits, base)


def other_mappings(name: str, mapped: str) -> tuple[str, ...]:
    """Return what other programs make of a name beyond ASCII: those of IDNA 2003, and those that make it lower case.

    >>> other_mappings("Stra\u00dfe.example", "stra\u00dfe.example")
    ('strasse.example',)

    Args:
        name: as it is written.
        mapped: the name by UTS 46, non-transitional.
    """
    found = [mapped.translate(_TRANSITIONAL)]
    if _SIGMA in name:
        found.append(name.lower())
    return tuple(one for one in found if one != mapped)
