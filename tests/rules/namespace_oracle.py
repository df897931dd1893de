"""Which URNs their namespaces call the same, written a second time: by comparison of two, without canonical forms.

Each rule takes the two NSS apart a character at a time, from the words of the RFC.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["are_equivalent", "are_equivalent_by_base_rule"]

_DIGITS = "0123456789"
_HEXADECIMAL = _DIGITS + "ABCDEFabcdef"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _exact(first: str, second: str) -> bool:
    """RFC 2141 5: octet by octet, but for the digits of triplets."""
    if len(first) != len(second):
        return False
    place = 0
    while place < len(first):
        width = 3 if first[place] == "%" and second[place] == "%" else 1
        one, other = first[place : place + width], second[place : place + width]
        if one != other and not (width == 3 and _caseless(one, other)):
            return False
        place += width
    return True


def _caseless(first: str, second: str) -> bool:
    return len(first) == len(second) and all(
        one == other or (one in _LETTERS and other in _LETTERS and ord(one) ^ ord(other) == 32)
        for one, other in zip(first, second, strict=True)
    )


def _prefixed(delimiter: str, is_prefix: Callable[[str], bool]) -> Callable[[str, str], bool]:
    """Caseless before the first delimiter, exact after it."""

    def rule(first: str, second: str) -> bool:
        if delimiter not in first or delimiter not in second:
            return _exact(first, second)
        one, other = first.index(delimiter), second.index(delimiter)
        heads = first[:one], second[:other]
        if not all(is_prefix(head) for head in heads):
            return _exact(first, second)
        return _caseless(*heads) and _exact(first[one:], second[other:])

    return rule


def _is_sub_namespace(text: str) -> bool:
    return (
        0 < len(text) <= 32
        and text[0] in _LETTERS + _DIGITS
        and all(character in _LETTERS + _DIGITS + "-" for character in text)
    )


def _is_nbn_prefix(text: str) -> bool:
    """RFC 8458 4.2: two letters, then sub-namespaces of letters and digits, each after a colon."""
    country, *rest = text.split(":")
    return (
        len(country) == 2
        and all(letter in _LETTERS for letter in country)
        and all(part != "" and all(character in _LETTERS + _DIGITS for character in part) for part in rest)
    )


def _is_uci_prefix(text: str) -> bool:
    """RFC 4179: letters and digits, once more after a colon, once more after a plus sign."""
    rest, plus, last = text.partition("+")
    first, colon, second = rest.partition(":")
    parts = [first, *([second] if colon else []), *([last] if plus else [])]
    return all(part != "" and all(character in _LETTERS + _DIGITS for character in part) for part in parts)


def _isbn_digits(text: str) -> str | None:
    digits = [character for character in text if character != "-"]
    if len(digits) not in (10, 13) or any(digit not in _DIGITS for digit in digits[:-1]):
        return None
    if digits[-1] not in _DIGITS and not (len(digits) == 10 and digits[-1] in "Xx"):
        return None
    return "".join(digits[:-1]) + ("X" if digits[-1] == "x" else digits[-1])


def _issn_digits(text: str) -> str | None:
    digits = text[:4] + text[5:] if text[4:5] == "-" else text
    if len(digits) != 8 or any(digit not in _DIGITS for digit in digits[:7]) or digits[7] not in _DIGITS + "Xx":
        return None
    return digits[:7] + ("X" if digits[7] == "x" else digits[7])


def _by_number(number: Callable[[str], str | None]) -> Callable[[str, str], bool]:
    def rule(first: str, second: str) -> bool:
        one, other = number(first), number(second)
        return _exact(first, second) if one is None or other is None else one == other

    return rule


def _uuid(first: str, second: str) -> bool:
    for text in (first, second):
        groups = text.split("-")
        if [len(group) for group in groups] != [8, 4, 4, 4, 12] or any(
            digit not in _HEXADECIMAL for group in groups for digit in group
        ):
            return _exact(first, second)
    return _caseless(first, second)


def _ietf(first: str, second: str) -> bool:
    """RFC 3553 for `params`, RFC 2648 for all else."""
    if any(_caseless(text.split(":")[0], "params") for text in (first, second)):
        return _exact(first, second)
    return _caseless(first, second)


def _gsma(first: str, second: str) -> bool:
    """RFC 7254 3: the same value and the same parameters in the same order, without `vers=0`."""
    if not (_caseless(first[:5], "imei:") and _caseless(second[:5], "imei:")):
        return _exact(first, second)
    kept = []
    for text in (first, second):
        value, *parameters = text.split(";")
        kept.append([value, *(parameter for parameter in parameters if not _caseless(parameter, "vers=0"))])
    one, other = kept
    return len(one) == len(other) and all(map(_caseless, one, other))


def _smpte(first: str, second: str) -> bool:
    return (_caseless if first[:3].upper() == second[:3].upper() == "UL:" else _exact)(first, second)


_CASELESS = "adid alert clei dvb eidr etsi hbbtv ieee isan iso ivis lex mef newsml nzl oipf pin s1000d service urn-7"
_RULES: dict[str, Callable[[str, str], bool]] = {
    **dict.fromkeys(_CASELESS.split(), _caseless),
    **dict.fromkeys(("ebu", "fdc", "mpeg", "tva"), _prefixed(":", lambda head: head != "")),
    **dict.fromkeys(("ccsds", "ogf"), _prefixed(":", _is_sub_namespace)),
    "nbn": _prefixed("-", _is_nbn_prefix),
    "uci": _prefixed("-", _is_uci_prefix),
    "isbn": _by_number(_isbn_digits),
    "issn": _by_number(_issn_digits),
    "uuid": _uuid,
    "ietf": _ietf,
    "gsma": _gsma,
    "smpte": _smpte,
}


def are_equivalent(nid: str, first: str, second: str) -> bool:
    """Whether two NSS of a namespace, given in lower case, name the same."""
    return _RULES.get(nid, _exact)(first, second)


def are_equivalent_by_base_rule(first: str, second: str) -> bool:
    """Whether two NSS name the same in whatever namespace."""
    return _exact(first, second)
