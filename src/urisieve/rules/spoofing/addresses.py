"""Addresses that no host of the Internet has, and the addresses that programs read from rare forms.

Python's own `is_private` and `is_global` follow the IANA registries as they were when it was released; so the blocks
are listed here, and mean the same everywhere.
"""

from __future__ import annotations

from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile

__all__ = ["Address", "address_kind", "embedded_ipv4", "rare_ipv4"]

Address = IPv4Address | IPv6Address

# IANA IPv4 Special-Purpose Address Registry: blocks that are not globally reachable, and multicast (RFC 5771). The
# first that holds an address names it.
_IPV4: Final = (
    ("0.0.0.0/32", "unspecified"),  # RFC 1122 3.2.1.3; most systems connect to themselves
    ("0.0.0.0/8", "this network"),  # RFC 791 3.2
    ("10.0.0.0/8", "private"),  # RFC 1918
    ("100.64.0.0/10", "shared"),  # RFC 6598
    ("127.0.0.0/8", "loopback"),  # RFC 1122 3.2.1.3
    ("169.254.0.0/16", "link-local"),  # RFC 3927; services of clouds listen at 169.254.169.254
    ("172.16.0.0/12", "private"),  # RFC 1918
    ("192.0.0.0/24", "protocol assignments"),  # RFC 6890 2.1
    ("192.0.2.0/24", "documentation"),  # RFC 5737
    ("192.168.0.0/16", "private"),  # RFC 1918
    ("198.18.0.0/15", "benchmarking"),  # RFC 2544
    ("198.51.100.0/24", "documentation"),  # RFC 5737
    ("203.0.113.0/24", "documentation"),  # RFC 5737
    ("224.0.0.0/4", "multicast"),  # RFC 5771
    ("255.255.255.255/32", "broadcast"),  # RFC 8190
    ("240.0.0.0/4", "reserved"),  # RFC 1112 4
)
# IANA IPv6 Special-Purpose Address Registry, likewise.
_IPV6: Final = (
    ("::/128", "unspecified"),  # RFC 4291 2.5.2
    ("::1/128", "loopback"),  # RFC 4291 2.5.3
    ("64:ff9b:1::/48", "local translation"),  # RFC 8215
    ("100::/64", "discard-only"),  # RFC 6666
    ("2001:2::/48", "benchmarking"),  # RFC 5180
    ("2001:db8::/32", "documentation"),  # RFC 3849
    ("3fff::/20", "documentation"),  # RFC 9637
    ("5f00::/16", "segment routing"),  # RFC 9602
    ("fc00::/7", "unique-local"),  # RFC 4193
    ("fe80::/10", "link-local"),  # RFC 4291 2.5.6
    ("fec0::/10", "site-local"),  # RFC 3879: deprecated, and still not global
    ("ff00::/8", "multicast"),  # RFC 4291 2.7
)
# Networks of IPv6 whose addresses hold one of IPv4, and the number of bits after it: IPv4-mapped and IPv4-compatible
# addresses (RFC 4291 2.5.5), NAT64 (RFC 6052 2.1) and 6to4 (RFC 3056 2).
_EMBEDDING: Final = (
    ("::ffff:0:0/96", 0),
    ("::/96", 0),
    ("64:ff9b::/96", 0),
    ("2002::/16", 80),
)
_DIGITS: Final = {8: lazy_compile("[0-7]*"), 10: lazy_compile("[0-9]+"), 16: lazy_compile("[0-9a-f]*")}
_MOST_PARTS: Final = 4
# The most digits of 32 bits are 11 octal ones; more are leading zeros. Python refuses to convert very long numbers.
_MOST_DIGITS: Final = 11


@cache
def _networks() -> tuple[tuple[IPv4Network | IPv6Network, str], ...]:
    return (
        *((IPv4Network(text), kind) for text, kind in _IPV4),
        *((IPv6Network(text), kind) for text, kind in _IPV6),
    )


@cache
def _embedding() -> tuple[tuple[IPv6Network, int], ...]:
    return tuple((IPv6Network(text), shift) for text, shift in _EMBEDDING)


def address_kind(address: Address) -> str | None:
    """Return the kind of an address that is not globally reachable, as `loopback`; None for one that is.

    An address of IPv6 that holds one of IPv4 is of the kind of that one.
    """
    for network, kind in _networks():
        if address.version == network.version and address in network:
            return kind
    inner = embedded_ipv4(address)
    return None if inner is None else address_kind(inner)


def embedded_ipv4(address: Address) -> IPv4Address | None:
    """Return the address of IPv4 in an address of IPv6 that stands for it; None if there is none."""
    if isinstance(address, IPv6Address):
        for network, shift in _embedding():
            if address in network:
                return IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return None


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
