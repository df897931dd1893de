"""The table of schemes: which module holds the row of a scheme, and what the registries add to it."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from urisieve.registry.ports import DEFAULT_PORTS
from urisieve.registry.schemes import SCHEMES
from urisieve.schemes.rule import Scheme

__all__ = [
    "curated",
    "default_port",
    "described",
    "is_dns_based",
    "is_registered",
    "scheme_rule",
    "shape",
    "syntax",
]

# The schemes that have a row, by the module that holds it; a test compares both.
_FIELDS: Final = {
    "web": "http https ws wss coap coaps coap+tcp coaps+tcp coap+ws coaps+ws ipp ipps gopher",
    "files": "file ftp ftps sftp nfs rsync",
    "mail": "mailto cid mid imap pop smtp sieve",
    "news": "news nntp snews",
    "telephony": "tel sms sip sips",
    "messaging": "xmpp acct im pres irc irc6 ircs matrix skype msrp msrps",
    "directory": "ldap ldaps dns",
    "content": "data geo magnet bitcoin ethereum spotify",
    "names": "urn doi info tag did ni nih ark oid swh opaquelocktoken",
    "nested": "javascript vbscript view-source feed jar blob filesystem jdbc about",
    "services": "aaa aaas acap dict git svn ssh icap mms rtmp rtsp rtsps rtspu snmp telnet tn3270 vnc wais git+ssh"
    " svn+ssh",
}
# Those of them that are found without "//": the rows with a shape. Named here, so that a search loads no row.
_CURATED: Final = (
    "urn mailto tel sms sip sips news data cid mid xmpp acct im pres geo magnet doi tag did info bitcoin ethereum"
    " matrix file ark oid swh nih opaquelocktoken spotify skype view-source about dns javascript vbscript feed jar blob"
    " filesystem jdbc"
)
_FIELD_OF: Final = {name: field for field, names in _FIELDS.items() for name in names.split()}
_GENERIC: Final = Scheme("", "", "RFC 3986 3")
# The rows seen so far; beside those of the modules, one for each scheme that only the registries know.
_RULES: Final[dict[str, Scheme]] = {}


def _complete(rule: Scheme) -> Scheme:
    """A row with what the registries know of its scheme."""
    rule = rule._replace(registered=rule.name in SCHEMES)
    if rule.name not in DEFAULT_PORTS:
        return rule
    port, elide, _ = DEFAULT_PORTS[rule.name]
    return rule._replace(default_port=port or None, drops_port=elide == "yes")


def _find(scheme: str) -> Scheme:
    field = _FIELD_OF.get(scheme)
    if field is not None:
        from importlib import import_module

        for rule in import_module(f"urisieve.schemes.{field}").ROWS:
            _RULES[rule.name] = _complete(rule)
    elif scheme in SCHEMES or scheme in DEFAULT_PORTS:
        _RULES[scheme] = _complete(_GENERIC._replace(name=scheme))
    return _RULES.get(scheme, _GENERIC)


def scheme_rule(scheme: str) -> Scheme:
    """The rules of a scheme given in lower case; the generic rules, without a name, where nothing more is known."""
    rule = _RULES.get(scheme)
    return _find(scheme) if rule is None else rule


def described() -> tuple[str, ...]:
    """The schemes that have a row of their own, by field."""
    return tuple(_FIELD_OF)


def is_dns_based(scheme: str) -> bool:
    """Whether the host of this scheme is a name of the DNS."""
    return scheme_rule(scheme).dns


def is_registered(scheme: str) -> bool:
    """Whether the IANA registry holds the scheme, given in lower case."""
    return scheme in SCHEMES


def default_port(scheme: str) -> str | None:
    """The port that may be left out by the scheme's own RFC (RFC 3986 6.2.3), or None."""
    rule = scheme_rule(scheme)
    return rule.default_port if rule.drops_port else None


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
    return tuple(_CURATED.split())
