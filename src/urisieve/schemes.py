r"""What urisieve knows of single schemes, a row each: validation beyond the generic grammar, and how one is found.

`SCHEMES` in `urisieve.registry.schemes` says which schemes are registered; the table here says what follows from a
scheme's own RFC. A row's `syntax` must match all that follows `scheme:` (up to the fragment); its `shape` is what
must follow `scheme:` in running text for it to be a candidate when there is no `//`, so that `INFO:root:x`,
`data:12` or `tag:blue` are nothing. A shape looks at a bounded stretch and never beyond another colon unless it
matches, which keeps the scan linear.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from urisieve.registry.ports import DEFAULT_PORTS
from urisieve.registry.schemes import SCHEMES

__all__ = [
    "Scheme",
    "curated",
    "default_port",
    "is_dns_based",
    "is_registered",
    "scheme_rule",
    "shape",
    "syntax",
]


class Scheme(NamedTuple):
    """The rules of one scheme.

    Attributes:
        reference: the section that the row follows.
        host: a host that is not empty is required.
        dns: the host is a name of the DNS, or an IP address.
        root: an empty path is the same as "/" (RFC 3986 6.2.3).
        syntax: a pattern for all that follows `scheme:` up to the fragment; None where the generic one is all.
        shape: a pattern for what follows `scheme:` in running text; None where it is found only before `//`.
        registered: the IANA registry holds the scheme.
        port: the port that may be left out by the scheme's own RFC (RFC 3986 6.2.3).
    """

    reference: str
    host: bool = False
    dns: bool = False
    root: bool = False
    syntax: str | None = None
    shape: str | None = None
    registered: bool = False
    port: str | None = None


# Parts of the patterns below. Local parts and names in text: bounded by RFC 5321 4.5.3.1 (64 octets, 255 octets)
# with room for triplets.
_LOCAL: Final = r"[^\s@:/?#\[\]<>\"(),;\\^`{|}]{1,256}"
_NAME_START: Final = r"[A-Za-z0-9\[%\u00a0-\U000efffd]"
_ADDRESS: Final = _LOCAL + "@" + _NAME_START
_ADDRESS_FULL: Final = r"[^@,?#\[\]/]+@[^@,?#/]+"
_DIGITS: Final = r"[0-9A-Fa-f*#().\-]"
_PHONE: Final = rf"(?:\+?[(]?[0-9*]{_DIGITS}{{2,32}})"
_UUID: Final = r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
_INFO: Final = (
    "ark|arxiv|bibcode|bnf|ddc|doi|dlf|eu-repo|fedora|hdl|inchi|lanl-repo|lc|lccn|ncbi|netref|nla|nyu|oclcnum|ofi|oma"
    "|pmid|pronom|refseq|rfa|rlgid|sici|sid|srw|ugent-repo"
)

_WEB: Final = {
    "http": Scheme("RFC 9110 4.2.1", host=True, dns=True, root=True),
    "https": Scheme("RFC 9110 4.2.2", host=True, dns=True, root=True),
    "ws": Scheme("RFC 6455 3", host=True, dns=True, root=True),
    "wss": Scheme("RFC 6455 3", host=True, dns=True, root=True),
    "ftp": Scheme("RFC 1738 3.2", host=True, dns=True, root=True),
}
# Their host is a name of the DNS or an address by their RFC or by how they are used; nothing else is asked of them.
_DNS: Final = {
    name: Scheme("RFC 3986 3.2.2", dns=True)
    for name in (
        "aaa",
        "aaas",
        "acap",
        "coap",
        "coap+tcp",
        "coap+ws",
        "coaps",
        "coaps+tcp",
        "coaps+ws",
        "dict",
        "ftps",
        "git",
        "gopher",
        "icap",
        "imap",
        "ipp",
        "ipps",
        "irc",
        "irc6",
        "ircs",
        "ldap",
        "ldaps",
        "mms",
        "msrp",
        "msrps",
        "nfs",
        "nntp",
        "pop",
        "rsync",
        "rtmp",
        "rtsp",
        "rtsps",
        "rtspu",
        "sftp",
        "sieve",
        "smtp",
        "snews",
        "snmp",
        "ssh",
        "svn",
        "telnet",
        "tn3270",
        "vnc",
        "wais",
    )
}
_OPAQUE: Final = {
    "urn": Scheme("RFC 2141 2", shape=r"[A-Za-z0-9\-]{1,64}:[A-Za-z0-9()+,\-.:=@;$_!*'%/?#~&]"),
    "mailto": Scheme(
        "RFC 6068 2",
        syntax=rf"(?:{_ADDRESS_FULL}(?:,{_ADDRESS_FULL})*)?(?:\?.*)?",
        shape=rf"(?:{_LOCAL}(?:@{_NAME_START})|\?[A-Za-z\-]{{1,32}}=)",
    ),
    "tel": Scheme("RFC 3966 3", syntax=rf"(?:\+|%2B)?{_DIGITS}+(?:;[^;]+)*", shape=_PHONE),
    "sms": Scheme(
        "RFC 5724 2.2", syntax=rf"\+?{_DIGITS}+(?:;[^;?,]+)*(?:,\+?{_DIGITS}+(?:;[^;?,]+)*)*(?:\?.*)?", shape=_PHONE
    ),
    "sip": Scheme(
        "RFC 3261 19.1.1",
        syntax=r"(?:[^@]+@)?(?:\[[^\]]+\]|[^@:;?\[\]/]+)(?::[0-9]+)?(?:;[^?]*)?(?:\?.*)?",
        shape=rf"(?:{_LOCAL}(?::[^\s@:<>\"]{{0,64}})?@{_NAME_START}|[A-Za-z0-9\-]{{1,63}}\.[A-Za-z0-9.\-]{{1,190}}[A-Za-z0-9])",
    ),
    "news": Scheme(
        "RFC 5538 2.2",
        syntax=r"(?://[^/]*/?)?(?:\*|[A-Za-z0-9+_.*?!\-]+|[^@]+@[^@]+)?",
        shape=rf"(?:[A-Za-z][A-Za-z0-9+_\-]{{1,63}}\.[A-Za-z0-9+_\-]|{_ADDRESS})",
    ),
    "data": Scheme(
        "RFC 2397 2",
        syntax=r"[^,]*,.*",
        shape=r"(?:[A-Za-z]{1,32}/[A-Za-z0-9.+\-]{1,127}(?:;[A-Za-z0-9\-]{1,32}=[^\s,;:<>\"]{1,127}){0,8}(?:;base64)?,|;base64,)",
    ),
    "cid": Scheme("RFC 2392 2", syntax=r"[^@]+@[^@]+", shape=_ADDRESS),
    "mid": Scheme("RFC 2392 2", syntax=r"[^@/]+@[^@/]+(?:/.+)?", shape=_ADDRESS),
    "xmpp": Scheme("RFC 5122 2.2", shape=_ADDRESS),
    "acct": Scheme("RFC 7565 7", syntax=r"[^@]+@[^@]+", shape=_ADDRESS),
    "im": Scheme("RFC 3860", syntax=r"[^@]+@[^@]+", shape=_ADDRESS),
    "pres": Scheme("RFC 3859", syntax=r"[^@]+@[^@]+", shape=_ADDRESS),
    "geo": Scheme(
        "RFC 5870 3.3",
        syntax=r"-?[0-9]+(?:\.[0-9]+)?,-?[0-9]+(?:\.[0-9]+)?(?:,-?[0-9]+(?:\.[0-9]+)?)?(?:;[^;]+)*(?:\?.*)?",
        shape=r"-?[0-9]{1,3}(?:\.[0-9]{1,32})?,-?[0-9]",
    ),
    "magnet": Scheme("the magnet project", syntax=r"\?.+", shape=r"\?[a-z.0-9]{1,16}=[A-Za-z0-9]"),
    "doi": Scheme("ISO 26324", syntax=r"10\.[0-9.]+/.+", shape=r"10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,4}/[^\s<>\"]"),
    "tag": Scheme(
        "RFC 4151 2.1",
        syntax=r"[^,:]+,[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?:.*",
        shape=r"[A-Za-z0-9._@\-]{1,255},[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?:",
    ),
    "did": Scheme("DID Core 3.1", syntax=r"[a-z0-9]+:.+", shape=r"[a-z0-9]{2,32}:[A-Za-z0-9._%\-]"),
    "info": Scheme("RFC 4452 3", syntax=r"[A-Za-z][A-Za-z0-9+.\-]*/.+", shape=rf"(?:{_INFO})/[^\s<>\"]"),
    "bitcoin": Scheme(
        "BIP 21",
        syntax=r"[A-Za-z0-9]*(?:\?.*)?",
        shape=r"(?:[13][1-9A-HJ-NP-Za-km-z]{25,34}|[Bb][Cc]1[A-Za-z0-9]{11,71}|[A-Za-z0-9]{1,90}\?(?:amount|label|message|lightning)=)",
    ),
    "ethereum": Scheme("ERC-681", shape=r"(?:pay-)?0x[0-9A-Fa-f]{40}"),
    "matrix": Scheme("the Matrix specification", shape=r"(?:r|u|e|roomid)/[^\s<>\"]"),
    "file": Scheme("RFC 8089 2", shape=r"/[A-Za-z0-9_.~%\-]"),
    "ark": Scheme("the ARK registration", shape=r"/?[0-9bcdfghjkmnpqrstvwxz]{5,9}/[^\s<>\"]"),
    "oid": Scheme("the OID registration", syntax=r"[0-2](?:\.(?:0|[1-9][0-9]*))+", shape=r"[0-2](?:\.[0-9]{1,32}){2}"),
    "swh": Scheme("ISO 18670", shape=r"1:(?:cnt|dir|rev|rel|snp):[0-9a-f]{40}"),
    "nih": Scheme("RFC 6920 7", shape=r"(?:sha-?[0-9\-]{1,16}|[0-9]);[0-9a-f]"),
    "opaquelocktoken": Scheme("RFC 4918 App. C", syntax=rf"{_UUID}.*", shape=_UUID),
    "spotify": Scheme(
        "the Spotify registration", shape=r"(?:track|album|artist|playlist|show|episode|user):[A-Za-z0-9]{4}"
    ),
    "skype": Scheme("the Skype registration", shape=r"[A-Za-z][A-Za-z0-9._,\-]{5,31}\?(?:call|chat|add|userinfo)"),
    "view-source": Scheme("the view-source registration", shape=r"[A-Za-z][A-Za-z0-9+.\-]{1,31}://[^\s<>\"]"),
    "about": Scheme("RFC 6694", shape=r"(?:blank|srcdoc|config|newtab|version)(?![A-Za-z0-9])"),
}
_OPAQUE["sips"] = _OPAQUE["sip"]
_GENERIC: Final = Scheme("RFC 3986 3")


def _complete(name: str, rule: Scheme) -> Scheme:
    """The row of a scheme with what the registries know of it."""
    port, elide, _ = DEFAULT_PORTS.get(name, ("", "", ""))
    if name not in SCHEMES and elide != "yes":
        return rule
    return rule._replace(registered=name in SCHEMES, port=port if elide == "yes" else None)


# A row for every scheme of which anything is known, so that one look tells all of it.
_REGISTERED: Final = _GENERIC._replace(registered=True)
_RULES: Final[dict[str, Scheme]] = {
    **dict.fromkeys(SCHEMES, _REGISTERED),
    **{name: _complete(name, _GENERIC) for name in DEFAULT_PORTS},
    **{name: _complete(name, rule) for name, rule in (*_WEB.items(), *_DNS.items(), *_OPAQUE.items())},
}


def scheme_rule(scheme: str) -> Scheme:
    """The rules of a scheme given in lower case; the generic rules where nothing more is known."""
    return _RULES.get(scheme, _GENERIC)


def is_dns_based(scheme: str) -> bool:
    """Whether the host of this scheme is a name of the DNS."""
    return scheme_rule(scheme).dns


def is_registered(scheme: str) -> bool:
    """Whether the IANA registry holds the scheme, given in lower case."""
    return scheme_rule(scheme).registered


def default_port(scheme: str) -> str | None:
    """The port that may be left out by the scheme's own RFC (RFC 3986 6.2.3), or None."""
    return scheme_rule(scheme).port


@cache
def syntax(scheme: str) -> re.Pattern[str] | None:
    """The compiled `syntax` of a scheme."""
    text = scheme_rule(scheme).syntax
    return None if text is None else re.compile(text, re.DOTALL)


@cache
def shape(scheme: str) -> re.Pattern[str] | None:
    """The compiled `shape` of a scheme; None where it is not found without `//`."""
    text = scheme_rule(scheme).shape
    return None if text is None else re.compile(text)


def curated() -> tuple[str, ...]:
    """The schemes found without `//`."""
    return tuple(name for name, rule in _RULES.items() if rule.shape is not None)
