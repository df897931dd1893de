"""The check of one identifier for spoofing: names, addresses, user information and delimiters that pass for others.

Addresses that no host of the Internet has, and the addresses that programs read from rare forms.

Python's own `is_private` and `is_global` follow the IANA registries as they were when it was released; so the blocks
are those of `rules/registry/special_addresses.txt`, and mean the same everywhere.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network, ip_network

from urisieve.codes import Notice, Warn
from urisieve.lean import Final, lazy_compile
from urisieve.rules import skeletons
from urisieve.rules.registry import fields_of, top_level_domains
from urisieve.rules.scheme_table import scheme_rule
from urisieve.syntax import grammar
from urisieve.syntax.components import Components
from urisieve.syntax.host import dns_host, ipv6_text, rare_ipv4, u_host

Address = IPv4Address | IPv6Address

# Networks of IPv6 whose addresses contain one of IPv4, and the number of bits after it: IPv4-mapped and IPv4-compatible
# addresses (RFC 4291 2.5.5), NAT64 (RFC 6052 2.1) and 6to4 (RFC 3056 2).
_EMBEDDING: Final = (
    (IPv6Network("::ffff:0:0/96"), 0),
    (IPv6Network("::/96"), 0),
    (IPv6Network("64:ff9b::/96"), 0),
    (IPv6Network("2002::/16"), 80),
)
_NETWORKS: Final = tuple((ip_network(block), kind) for block, kind, _ in fields_of("special_addresses"))


def address_kind(address: Address) -> str | None:
    """Return the kind of an address that is not globally reachable, as `loopback`; None for one that is.

    An address of IPv6 that contains one of IPv4 is of the kind of that one.
    """
    for network, kind in _NETWORKS:
        if address.version == network.version and address in network:
            return kind
    inner = embedded_ipv4(address)
    return None if inner is None else address_kind(inner)


def embedded_ipv4(address: Address) -> IPv4Address | None:
    """Return the address of IPv4 in an address of IPv6 that represents it; None if there is none."""
    if isinstance(address, IPv6Address):
        for network, shift in _EMBEDDING:
            if address in network:
                return IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return None


# A bound on the cache of labels and hosts: a crawl names far more, most come in runs.
_MEMORY: Final = 16_384
_CHECKS: Final = 16
# The characters that a detail names at most: a label has no more than 63.
_FEW: Final = 4
_NAME_LIMIT: Final = 253  # RFC 1035 2.3.4, as text
_NUMBER: Final = lazy_compile(r"(?:[0-9]+|0x[0-9a-f]*)")
_SLASHES: Final = frozenset("/\\")
_LDH: Final = lazy_compile(r"[A-Za-z0-9_-]+")
_UP_TO_END: Final = lazy_compile(r"[^/:?#\\]*")
_IPV4: Final = lazy_compile(lambda: grammar.pattern("IPv4address"))
# Schemes without an authority whose identifiers contain addresses, as `a@b.example`; the named parts that are a host,
# and those that are lists of addresses (RFC 6068 2).
_ADDRESSED: Final = frozenset(("mailto", "sip", "sips", "xmpp", "acct", "im", "pres"))
_HOSTS: Final = ("host", "domain")
_LISTS: Final = lazy_compile(r"(?:to|cc|bcc)(?:_[0-9]+)?")
_COMMA: Final = lazy_compile(",|%2[Cc]")


class SpoofCheck:
    """Checks identifiers; see `Options.spoofing`.

    Args:
        protected: names of hosts, as `checked_names` returns them.
    """

    def __init__(self, protected: tuple[str, ...] = ()) -> None:
        self._names = skeletons.ProtectedNames(protected)
        self._of_host = lru_cache(_MEMORY)(self._host_notices)

    def notices(self, parts: Components, written: Components) -> tuple[Notice, ...]:
        """Return the warnings about an identifier, with what was found; each once.

        Args:
            parts: the components of its URI.
            written: the components of its text.
        """
        host = parts.host
        if not host:
            return self._address_notices(parts, written)
        found = self._of_host(host)
        if parts.userinfo:
            found += _userinfo_notices(parts.userinfo, host)
        segment = written.path[1:].partition("/")[0]
        before = f"{written.userinfo or ''}@{written.host}"
        if not (_is_plain(segment) and _is_plain(before)):
            found += _delimiter_notices(written, segment)
        return tuple(dict.fromkeys(found)) if len(found) > 1 else found

    def trusts(self, host: str) -> bool:
        """Report whether no warning follows from a host alone."""
        return not self._of_host(host)

    def _address_notices(self, parts: Components, written: Components) -> tuple[Notice, ...]:
        """Return the warnings about the hosts of mail addresses and the like."""
        found: list[Notice] = []
        for host in _hosts_of_addresses(parts):
            found += self._of_host(host)
        for host in _hosts_of_addresses(written):
            if not _is_plain(host):
                found += _delimiter_notices(Components("", None, host, None, "", None, None), "")
        return tuple(dict.fromkeys(found))

    def _host_notices(self, host: str) -> tuple[Notice, ...]:
        if host[0] == "[":
            return _literal_notices(host)
        verdict = dns_host(host)
        name = _decoded(host).lower() if verdict.reason is not None else verdict.host
        bare = name.removesuffix(".")
        last = bare.rpartition(".")[2]
        if _NUMBER.fullmatch(last):
            return _number_notices(name)
        if last == "localhost":  # RFC 6761 6.3: such a name is the computer itself
            return (Notice(Warn.NOT_GLOBAL_ADDRESS, f"{bare} loopback"),)
        # A longer name is not one of the DNS, and leads nowhere; it has the warning `host-too-long`.
        if len(bare) > _NAME_LIMIT or self._names.owns(bare):
            return ()
        shown = u_host(bare) if "xn--" in bare else bare
        found = [
            *(Notice(Warn.RESEMBLES_PROTECTED, u_host(one)) for one in self._names.resembled(shown)),
            *(Notice(Warn.CONTAINS_PROTECTED, u_host(one)) for one in self._names.contained(shown)),
        ]
        if "xn--" in bare:
            own = _top_level_scripts(bare)
            for label, seen in zip(bare.split("."), shown.split("."), strict=True):
                if label[:4] == "xn--":
                    found += _label_notices(label, seen, own)
        return tuple(found)


@lru_cache(_CHECKS)
def spoof_check(protected: tuple[str, ...]) -> SpoofCheck:
    """Return the check for some names to be protected; the same for equal names."""
    return SpoofCheck(protected)


def _hosts_of_addresses(parts: Components) -> tuple[str, ...]:
    """Return the hosts of the addresses that an identifier without an authority names, as they are written there."""
    scheme = parts.scheme.lower()
    if scheme not in _ADDRESSED:
        return ()
    named = scheme_rule(scheme).parts
    found: list[str] = []
    for name, value in ({} if named is None else named(parts)).items():
        if name in _HOSTS:
            found.append(value)
        elif scheme == "mailto" and _LISTS.fullmatch(name):
            found += [one.replace("%40", "@").rpartition("@")[2] for one in _COMMA.split(value)]
    return tuple(filter(None, found))


def _is_plain(text: str) -> bool:
    """Report whether a text contains nothing beyond ASCII, in any way of writing it."""
    return text.isascii() and "%" not in text and "xn--" not in text.lower()


def _number_notices(name: str) -> tuple[Notice, ...]:
    """Return the warnings about a host that ends in a number (WHATWG URL 3.5): an address, or what is read as one."""
    try:
        addresses: tuple[IPv4Address, ...] = (IPv4Address(name),)
        found: list[Notice] = []
    except AddressValueError:
        addresses = rare_ipv4(name)
        found = [Notice(Warn.RARE_IPV4, str(address)) for address in addresses]
    for address in addresses:
        found += _address_notices(address, str(address))
    return tuple(found)


def _literal_notices(host: str) -> tuple[Notice, ...]:
    try:
        address = IPv6Address(host[1:-1])
    except AddressValueError:  # IPvFuture
        return ()
    return _address_notices(address, ipv6_text(host)[1:-1])


def _address_notices(address: Address, text: str) -> tuple[Notice, ...]:
    kind = address_kind(address)
    return () if kind is None else (Notice(Warn.NOT_GLOBAL_ADDRESS, f"{text} {kind}"),)


def _top_level_scripts(name: str) -> frozenset[str]:
    """Return the scripts in which the top-level domain of a name is written, if it is one of the DNS beyond ASCII."""
    last = name.rpartition(".")[2]
    if last[:4] != "xn--" or last not in top_level_domains():
        return frozenset()
    return skeletons.resolved_scripts(u_host(last)) or frozenset()


@lru_cache(_MEMORY)
def _label_notices(label: str, shown: str, top_level: frozenset[str]) -> tuple[Notice, ...]:
    """Return the warnings about a label that begins with `xn--`.

    Args:
        label: the label.
        shown: the label in Unicode; the same if it is not an A-label.
        top_level: the scripts of the top-level domain.
    """
    if shown == label:
        return (Notice(Warn.BAD_A_LABEL, label),)
    found = []
    if skeletons.restriction_level(shown) > skeletons.RestrictionLevel.HIGHLY_RESTRICTIVE:
        found.append(Notice(Warn.MIXED_SCRIPT, ", ".join(skeletons.script_names(shown))))
    # A name that is all in one script, to its end, is not taken for one of ASCII.
    if not (skeletons.resolved_scripts(shown) or frozenset()) & top_level:
        plain = _in_ascii(shown)
        if plain is not None:
            found.append(Notice(Warn.ASCII_LOOK_ALIKE, plain))
    restricted = dict.fromkeys(one for one in shown if not skeletons.is_allowed(one) or skeletons.is_ignorable(one))
    if restricted:
        found.append(Notice(Warn.RESTRICTED_CHARACTER, _code_points(restricted)))
    return tuple(found)


def _in_ascii(label: str) -> str | None:
    """Return a label with each character beyond ASCII replaced by the one of ASCII that it looks like, or None.

    By UTS 39, a letter may also look like two, as those of the Norwegian names with U+00E6. These letters do not count
    here: readers know them, and 10 of the 459 public suffixes beyond ASCII have one.
    """
    table = skeletons.prototypes()
    found = "".join(one if one.isascii() else table.get(ord(one)) or one for one in label)
    return found if len(found) == len(label) and _LDH.fullmatch(found) else None


def _code_points(characters: dict[str, None] | dict[str, str]) -> str:
    named = [f"U+{ord(one):04X}" for one in characters]
    return " ".join(named[:_FEW]) + (f" and {len(named) - _FEW} more" if len(named) > _FEW else "")


def _delimiter_notices(written: Components, segment: str) -> tuple[Notice, ...]:
    """Return the warnings about look-alikes of delimiters in the host, the user and the first segment of the path."""
    host = _decoded(written.host or "").lower()
    user = _decoded((written.userinfo or "").partition(":")[0])
    found = skeletons.look_alikes(user) | skeletons.look_alikes(u_host(host))
    found |= skeletons.look_alikes(_decoded(segment), _SLASHES)
    return tuple(Notice(Warn.LOOK_ALIKE_DELIMITER, f"U+{ord(one):04X} as {like}") for one, like in found.items())


def _decoded(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)


def _userinfo_notices(userinfo: str, host: str) -> tuple[Notice, ...]:
    """Return the warning about a user that looks like a host (RFC 3986 7.6). The password is never looked at.

    A user `ann@example.com` of the host `ftp.example.com` is not one: both names have the same owner.
    """
    user = _decoded(userinfo.partition(":")[0])
    # What looks like a delimiter ends the name for a reader, and so do delimiters that were percent-encoded.
    user = "".join([skeletons.delimiter_like(one) or one for one in user])
    name = _UP_TO_END.match(user)[0].rpartition("@")[2]  # type: ignore[index] # it matches nothing at least
    if not name or len(name) > _NAME_LIMIT:
        return ()
    from urllib.parse import quote

    verdict = dns_host(quote(name, safe="-._~"))
    found = verdict.host.removesuffix(".")
    if verdict.reason is not None or host == found or host.endswith(f".{found}"):
        return ()
    if not _IPV4.fullmatch(found):
        top_level = found.rpartition(".")[2]
        if top_level == found or top_level not in top_level_domains():
            return ()
    return (Notice(Warn.USERINFO_HOST, u_host(found)),)
