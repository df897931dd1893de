"""Hosts of DNS-based schemes: labels, internationalized names, look-alikes, and the text form of IPv6 addresses.

The input is a host as it is in a URI (non-ASCII characters as triplets), the output is in A-labels. The mapping is
that of UTS 46 (non-transitional) and the validity that of IDNA 2008, both by the `idna` package, which is imported only
when a host needs it. The checks of that package are called one by one, because a label that UTS 46 allows and IDNA 2008
does not (an emoji domain) is valid with a warning, while a label that both forbid is not valid.

It also defines the hosts that other programs read there: rare forms of IPv4 addresses, and other mappings. All programs
at hand read the same host from any other canonical URI of the web. Where two do not, a filter that is one of them is
passed by; so the warning `hosts-disagree` names what is read here.
"""

from __future__ import annotations

import re
from functools import lru_cache

from urisieve.codes import Reason, Warn
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, lazy_compile
from urisieve.syntax import grammar

if TYPE_CHECKING:
    from ipaddress import IPv4Address

# RFC 1035 2.3.4; 253 octets of text are 255 on the wire.
_LABEL_LIMIT: Final = 63
_NAME_LIMIT: Final = 253
# The most characters that are mapped: UTS 46 hardly shortens a longer name to one that DNS can contain. Some versions
# of `idna` have a limit of their own.
_MAPPED_LIMIT: Final = 4 * _NAME_LIMIT
# A bound on the cache of hosts: a mailing-list archive names a few thousand.
_MEMORY: Final = 16_384

# Names that are valid without warnings: labels of letters, digits and inner hyphens; the last begins with a letter.
_PLAIN_NAME: Final = lazy_compile(r"(?>[a-z0-9]++(?>-++[a-z0-9]++)*+\.)*+[a-z][a-z0-9]*+(?>-++[a-z0-9]++)*+")
_LABEL: Final = lazy_compile(r"[a-z0-9_-]+")
_IPV4: Final = lazy_compile(lambda: grammar.pattern("IPv4address"))
_JOINERS: Final = frozenset("\u200c\u200d")
_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | frozenset(
    map(chr, range(0xFE00, 0xFE10))
)
# A last label that programs which follow the WHATWG rules read as a number, and the host as an IPv4 address.
_NUMBER: Final = lazy_compile(r"(?:[0-9]+|0x[0-9a-f]*)")


class HostVerdict(NamedTuple):
    """The verdict on the host of a DNS-based scheme.

    Attributes:
        host: the host in A-labels and lower case; unchanged if there is a reason.
        warnings: the warnings of a valid host.
        reason: why the host is not valid, or None if it is.
        offset: where it is not valid, in characters from the start of the host with its triplets decoded.
        others: the hosts that other programs read, likewise; there are some with the warning `hosts-disagree` alone.
    """

    host: str
    warnings: tuple[Warn, ...] = ()
    reason: Reason | None = None
    offset: int = 0
    others: tuple[str, ...] = ()


def octets_are_utf8(host: str) -> bool:
    """Report whether the triplets of a host are UTF-8 (RFC 3986 3.2.2)."""
    from urllib.parse import unquote_to_bytes

    try:
        unquote_to_bytes(host).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def is_plain_name(name: str) -> bool:
    """Report whether a name is valid as it is, without warnings: lower case, no A-labels, not long."""
    return len(name) <= _LABEL_LIMIT and _PLAIN_NAME.fullmatch(name) is not None and "xn--" not in name


def ends_in_number(name: str) -> bool:
    """Report whether programs that follow the WHATWG rules read a name as an IPv4 address, or refuse it."""
    return _NUMBER.fullmatch(name.removesuffix(".").rpartition(".")[2].lower()) is not None


def host_as_written(text: str) -> HostVerdict:
    """Judge a host as users write it, in Unicode or in A-labels, by `dns_host`."""
    from urllib.parse import quote

    # Halves of surrogate pairs, which represent bytes that did not decode, are in no domain.
    return dns_host(quote(text.encode("utf-8", "surrogatepass"), safe="!$&'()*+,;=-._~%"))


@lru_cache(_MEMORY)
def dns_host(host: str) -> HostVerdict:
    """Judge the reg-name or IPv4 address of a DNS-based scheme and return its canonical form (RFC 3986 3.2.2)."""
    name = host.lower()
    if "%" not in name:
        if is_plain_name(name) or _IPV4.fullmatch(name):
            return tuple.__new__(HostVerdict, (name, (), None, 0, ()))
        return _ascii_name(name, name)
    from urllib.parse import unquote_to_bytes

    try:
        name = unquote_to_bytes(host).decode("utf-8")
    except UnicodeDecodeError:
        return HostVerdict(re.sub("%..", lambda m: m[0].upper(), name), (Warn.HOST_NOT_UTF8,))
    return _ascii_name(name.lower(), name) if name.isascii() else _international_name(name)


def _ascii_name(name: str, shown: str, warnings: tuple[Warn, ...] = ()) -> HostVerdict:
    found = dict.fromkeys(warnings)
    labels = name.split(".")
    if len(labels) > 1 and labels[-1] == "":
        labels.pop()  # a final dot is the root of the DNS (RFC 1034 3.1)
    if len(name.rstrip(".")) > _NAME_LIMIT:
        found[Warn.HOST_TOO_LONG] = None
    others: tuple[str, ...] = ()
    offset = 0
    for index, label in enumerate(labels):
        last = index == len(labels) - 1
        match = _LABEL.match(label)
        if match is None or match.end() != len(label):
            bad = offset + (match.end() if match else 0)
            return HostVerdict(shown, (), Reason.HOST_LABEL, min(bad, len(shown)))
        if len(label) > _LABEL_LIMIT:
            found[Warn.HOST_TOO_LONG] = None
        edges = label[0] + label[-1]
        # The last two labels are registered names, to which RFC 1123 2.1 applies, and so is a name of one label; below
        # them DNS allows anything.
        registry = index >= len(labels) - 2
        if "-" in edges or "_" in label:
            if (registry and "-" in edges) or (last and "_" in edges):
                at = 0 if label[0] in "-_" else len(label) - 1
                return HostVerdict(shown, (), Reason.HOST_LABEL, min(offset + at, len(shown)))
            found[Warn.HOST_NOT_LDH] = None
        if label.startswith("xn--"):
            codes = _judge_a_label(label)
            if codes is None:
                return HostVerdict(shown, (), Reason.HOST_IDNA, min(offset, len(shown)))
            found |= dict.fromkeys(codes)
        if last and _NUMBER.fullmatch(label) and not _IPV4.fullmatch(name):
            found[Warn.RARE_IPV4] = None
            others = tuple(map(str, rare_ipv4(name)))
            found |= dict.fromkeys((Warn.HOSTS_DISAGREE,) if others else ())
        offset += len(label) + 1
    return HostVerdict(name, tuple(found), others=others)


def _international_name(name: str) -> HostVerdict:
    from unicodedata import category, normalize

    import idna

    if len(name) > _MAPPED_LIMIT:
        return HostVerdict(name, (), Reason.HOST_IDNA, 0)
    try:
        mapped = idna.uts46_remap(name, std3_rules=False)
    except idna.IDNAError:
        return HostVerdict(name, (), Reason.HOST_IDNA, _first_disallowed(name))
    warnings: list[Warn] = []
    folded = normalize("NFC", name).lower()
    if any(category(character) == "Cf" or character in _UNSEEN for character in set(name) - _JOINERS):
        warnings += (Warn.INVISIBLE_REMOVED, Warn.LOOK_ALIKE_HOST)  # UTS 46 drops invisible characters
    elif normalize("NFKC", folded) != folded:
        warnings.append(Warn.LOOK_ALIKE_HOST)  # a compatibility form, such as full-width letters
    labels = []
    offsets = []  # of the labels as they are displayed
    offset = 0
    for label in mapped.split("."):
        offsets.append(offset)
        if label.isascii():
            labels.append(label)
        else:
            codes = _judge_u_label(label)
            if codes is None:
                return HostVerdict(name, (), Reason.HOST_IDNA, min(offset, len(name) - 1))
            warnings += codes
            labels.append("xn--" + label.encode("punycode").decode("ascii"))
        offset += len(label) + 1
    whole = ".".join(labels)
    verdict = _ascii_name(whole, whole, tuple(dict.fromkeys(warnings)))
    if verdict.reason is None:
        return _with_other_mappings(verdict, name, mapped)
    before = whole[: verdict.offset].split(".")
    return HostVerdict(name, (), verdict.reason, min(offsets[len(before) - 1] + len(before[-1]), len(name)))


def _with_other_mappings(verdict: HostVerdict, name: str, mapped: str) -> HostVerdict:
    """Add the hosts that programs read which map a name otherwise."""
    found = [host_as_written(one) for one in other_mappings(name, mapped)]
    others = dict.fromkeys(one.host for one in found if one.reason is None and one.host != verdict.host)
    if not others:
        return verdict
    return verdict._replace(warnings=(*verdict.warnings, Warn.HOSTS_DISAGREE), others=tuple(others))


def _first_disallowed(name: str) -> int:
    import idna

    for offset, character in enumerate(name):
        try:
            idna.uts46_remap(character, std3_rules=False)
        except idna.IDNAError:
            return offset
    return 0


@lru_cache(_MEMORY)
def _judge_u_label(label: str) -> tuple[Warn, ...] | None:
    """Return the warnings of a label mapped by UTS 46; None if neither UTS 46 nor IDNA 2008 allows it."""
    import idna
    import idna.core

    from urisieve.syntax.characters import look_alike, mixed_script

    warnings: list[Warn] = []
    # This bounds the time: more than 59 characters become more than 63 octets, which is not an A-label (RFC 5891 4.4).
    if len(label) > _LABEL_LIMIT - 4:
        return None
    if label[0] == "-" or label[-1] == "-" or label.startswith("xn--"):
        return None
    try:
        idna.check_label(label)
    except UnicodeError:
        try:  # UTS 46 4.1: no mark at the start, joiners in context, the bidi rule; the mapping has made it NFC
            idna.core.check_initial_combiner(label)
            joiners = [offset for offset, character in enumerate(label) if character in "\u200c\u200d"]
            if not all(idna.core.valid_contextj(label, offset) for offset in joiners):
                return None
            idna.core.check_bidi(label)
        except (UnicodeError, ValueError):
            return None
        warnings.append(Warn.IDNA2008_DISALLOWED)
    if mixed_script(label):
        warnings.append(Warn.MIXED_SCRIPT)
    elif look_alike(label):
        warnings.append(Warn.LOOK_ALIKE_HOST)
    return tuple(warnings)


def _judge_a_label(label: str) -> tuple[Warn, ...] | None:
    """Return the warnings of a label that begins with `xn--`; None if it is not an A-label (RFC 5891 5.4)."""
    import idna

    shown = _u_label(label)
    if shown is None or shown.isascii():
        return None
    try:
        if idna.uts46_remap(shown, std3_rules=False) != shown:
            return None
    except UnicodeError:
        return None
    return _judge_u_label(shown)


def _u_label(label: str) -> str | None:
    """Decode a label that begins with `xn--`; return None if the result does not encode to the same label."""
    if len(label) > _LABEL_LIMIT:
        return None
    try:
        shown = label[4:].encode("ascii").decode("punycode")
        return shown if shown and shown.encode("punycode").decode("ascii") == label[4:] else None
    except UnicodeError:
        return None


@lru_cache(_MEMORY)
def u_host(host: str) -> str:
    """Return a host with its A-labels as U-labels, for users to read; a label that is not an A-label is unchanged."""
    labels = []
    for label in host.split("."):
        fit = label.startswith("xn--") and _judge_a_label(label) is not None
        labels.append((_u_label(label) if fit else None) or label)
    return ".".join(labels)


@lru_cache(_MEMORY)
def ipv6_text(literal: str) -> str:
    """Return the text form of an IPv6 literal in brackets (RFC 5952 4 and 5); IPvFuture only becomes lower case."""
    from ipaddress import IPv6Address

    inner = literal[1:-1].lower()
    if inner[:1] == "v":
        return f"[{inner}]"
    value = IPv6Address(inner)
    text = str(value)
    mapped = value.ipv4_mapped
    if mapped is not None:
        text = f"::ffff:{mapped}"  # section 5: mixed notation for the well-known prefix
    return f"[{text}]"


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
    from ipaddress import IPv4Address  # few hosts end in a number

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
