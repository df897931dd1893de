"""Canonical forms that several namespaces share, and the pairs of examples that belong to them.

The module also defines:

- functions and patterns that the rows share to split identifiers and to compose them: parameters, names, domains.
- check digits and check characters, computed from those before them: all of these functions take digits without
  separators, and letters in upper case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from urisieve.codes import Notice, Warn
from urisieve.lean import Final, NamedTuple, TypedDict, lazy_compile
from urisieve.rules.scheme_table import Scheme
from urisieve.syntax.components import Components, lower_case
from urisieve.syntax.host import dns_host

# The `equivalence` of a row whose form is `lower_case`.
CASE: Final = "case does not count"


@cache
def _compiled(prefix: str) -> re.Pattern[str]:
    return re.compile(prefix)


class LowerBefore(NamedTuple):
    """Lowers the case of an NSS before the first delimiter, and changes nothing after it.

    Attributes:
        delimiter: one character.
        prefix: a pattern that the text before the delimiter must match; the form changes no other NSS. None matches
            any text.
    """

    delimiter: str
    prefix: str | None = None

    def form(self, nss: str) -> str:
        """Return the form of an NSS."""
        head, found, rest = nss.partition(self.delimiter)
        if not found or (self.prefix is not None and not _compiled(self.prefix).fullmatch(head)):
            return nss
        return f"{lower_case(head)}{found}{rest}"


# Visual separators in a telephone number (RFC 3966 3).
_SEPARATORS: Final = str.maketrans("", "", "-.()")


def without_separators(number: str) -> str:
    """Return a telephone number without visual separators (RFC 3966 5.1.1)."""
    return number.translate(_SEPARATORS)


class Items(NamedTuple):
    """How the items of a list are compared, each a name, and a value after `=`: parameters, or fields of a header.

    Case does not count in names. The kernel has the same rules, as a table.

    Attributes:
        delimiter: what is between two items.
        is_sorted: their order does not count: those of one name stay in their order.
        lowers: case does not count in values.
        cased: the names of items whose values have a case nevertheless.
        first: the names of items that are before all others.
        numbers: the names of items whose values may be telephone numbers.
    """

    delimiter: str
    is_sorted: bool = True
    lowers: bool = True
    cased: frozenset[str] = frozenset()
    first: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    def form(self, text: str) -> str:
        """Return the form that is the same for all lists that are equivalent."""
        items = list(map(self._item, text.split(self.delimiter)))
        if self.is_sorted:
            items.sort(key=self._rank)
        return self.delimiter.join(map("".join, items))

    def _item(self, item: str) -> tuple[str, str, str]:
        name, equals, value = item.partition("=")
        name = lower_case(name)
        if self.lowers and name not in self.cased:
            value = lower_case(value)
        if name in self.numbers and (name != "phone-context" or value[:1] == "+"):
            value = without_separators(value) or value  # an extension of separators alone stays one
        return name, equals, value

    def _rank(self, item: tuple[str, str, str]) -> tuple[bool, str]:
        return item[0] not in self.first, item[0]


class Pairs(TypedDict):
    """The examples of a row."""

    same: tuple[tuple[str, str], ...]
    different: tuple[tuple[str, str], ...]


def exact(nid: str, nss: str) -> Pairs:
    """Return the pairs of a namespace that only has the base rule: case counts in its NSS."""
    urn = f"urn:{nid}:{nss}"
    return Pairs(same=((urn, f"URN:{nid.upper()}:{nss}"),), different=((urn, f"urn:{nid}:{nss.swapcase()}"),))


def folded(nid: str, nss: str) -> Pairs:
    """Return the pairs of a namespace in whose NSS case does not count, and everything else does."""
    urn = f"urn:{nid}:{nss}"
    return Pairs(
        same=((urn, f"URN:{nid.upper()}:{nss}"), (urn, f"urn:{nid}:{nss.swapcase()}")), different=((urn, f"{urn}0"),)
    )


def folded_before(nid: str, prefix: str, delimiter: str, rest: str) -> Pairs:
    """Return the pairs of a namespace in which case does not count before the first delimiter."""
    urn = f"urn:{nid}:{prefix}{delimiter}{rest}"
    return Pairs(
        same=((urn, f"URN:{nid.upper()}:{prefix.swapcase()}{delimiter}{rest}"),),
        different=((urn, f"urn:{nid}:{prefix}{delimiter}{rest.swapcase()}"),),
    )


# Parts of shapes: local parts and names in running text. Their lengths are bounded by RFC 5321 4.5.3.1 (64 octets, 255
# octets) with room for triplets.
LOCAL: Final = r"[^\s@:/?#\[\]<>\"(),;\\^`{|}]{1,256}"
# `_` begins names of the DNS that are not those of hosts (RFC 8552).
NAME_START: Final = r"[A-Za-z0-9_\[%\u00a0-\U000efffd]"
ADDRESS: Final = LOCAL + "@" + NAME_START
# The same with parentheses, "," and ";", which the user of some schemes may contain.
WIDE_LOCAL: Final = LOCAL.replace("(),;", "")
# A host name with a dot, as the whole of what it is in: neither a call nor part of a variable.
DOTTED_NAME: Final = r"(?:[A-Za-z0-9\-]{1,63}\.){1,8}[A-Za-z]{2,63}(?![A-Za-z0-9_(=])"
# The `case` of a row to which only RFC 3986 applies.
HOSTED: Final = "scheme and host (RFC 3986 6.2.2.1)"
# `domainname` of RFC 3966 3, which is `hostname` of RFC 3261 25.1.
_LABEL: Final = "[A-Za-z0-9]++(?>-++[A-Za-z0-9]++)*+"
HOST_NAME: Final = rf"(?:{_LABEL}\.)*?[A-Za-z][A-Za-z0-9]*+(?>-++[A-Za-z0-9]++)*+\.?"
_MARK: Final = lazy_compile("%2[1789A]")
_MARKS: Final = {"%21": "!", "%27": "'", "%28": "(", "%29": ")", "%2A": "*"}
_NOT_NAME: Final = lazy_compile("[^a-z0-9]+")


def pairs(text: str, delimiter: str) -> list[tuple[str, str]]:
    """Split a text into parameters, each a name and a value; the value of one without `=` is empty."""
    return [(name, value) for name, _, value in (item.partition("=") for item in text.split(delimiter) if item)]


def named(items: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Return named parts as a dictionary, without those that are None.

    Names become lower_snake_case; a repeated name is numbered: `tr`, `tr_2`.
    """
    found: dict[str, str] = {}
    seen: dict[str, int] = {}
    for name, value in items:
        if value is None:
            continue
        plain = key = _NOT_NAME.sub("_", name.lower()).strip("_") or "unnamed"
        while key in found:
            seen[plain] = seen.get(plain, 1) + 1
            key = f"{plain}_{seen[plain]}"
        found[key] = value
    return found


def hosted(parts: Components) -> list[tuple[str, str | None]]:
    """Return user, host and port of an authority, for `named`."""
    return [("user", parts.userinfo), ("host", parts.host or None), ("port", parts.port or None)]


def marks_decoded(text: str) -> str:
    """Decode in a normalized text the triplets of characters that are unreserved by RFC 2396 2.3, not by RFC 3986.

    For schemes whose RFCs compare by RFC 2396, where any character that is not reserved is the same as its triplet.
    """
    return _MARK.sub(lambda mark: _MARKS[mark[0]], text) if "%" in text else text


def after_scheme(parts: Components) -> str:
    """Return path and query as one text, for schemes in which `?` is not a delimiter."""
    return parts.path if parts.query is None else f"{parts.path}?{parts.query}"


def repeated(names: Iterable[str]) -> tuple[Notice, ...]:
    """Return a notice for each name that occurs more than once; case does not count."""
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for name in names:
        lower = name.lower()
        if lower in seen:
            twice[lower] = None
        seen.add(lower)
    return tuple(Notice(Warn.REPEATED_PARAMETER, name) for name in twice)


def domain(name: str) -> str:
    """Normalize a domain in a path: lower case, and A-labels for percent-encoded UTF-8 if IDNA allows it."""
    if "%" in name:
        verdict = dns_host(name)
        if verdict.reason is None:
            return verdict.host
    return lower_case(name)


def service(name: str, title: str, reference: str, *, root: bool = False) -> Scheme:
    """Return the row of a scheme whose host is a name of the DNS, by its RFC or in practice.

    Args:
        name: the scheme.
        title: what it is for.
        reference: the section that the row follows.
        root: an empty path is the same as "/": RFC 3986 6.2.3 states so "in general", and the scheme's RFC agrees.
    """
    empty = (f"{name}://e.example", f"{name}://e.example/")
    return Scheme(
        name=name,
        title=title,
        reference=reference,
        dns=True,
        root=root,
        case=HOSTED,
        same=((f"{name.upper()}://E.EXAMPLE:/%7ea", f"{name}://e.example/~a"), *((empty,) if root else ())),
        different=(
            (f"{name}://e.example/a", f"{name}://e.example/A"),
            (f"{name}://e.example", f"{name}://e.example//") if root else empty,
            (f"{name}://u@e.example/a", f"{name}://e.example/a"),
            (f"{name}://e.example:1/a", f"{name}://e.example/a"),
        ),
    )


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
