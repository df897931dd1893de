"""The table of schemes: the module that holds the row of each scheme, and what the registries add to the row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from urisieve.lean.hints import TYPE_CHECKING, Final
from urisieve.lean.modules import imported
from urisieve.nearest import did_you_mean
from urisieve.rules.scheme import Authority, Scheme
from urisieve.syntax.grammar import compiled

if TYPE_CHECKING:
    from urisieve.rules.plugins import EntryPoint

__all__ = [
    "built_in_names",
    "built_in_shaped",
    "completed",
    "curated",
    "described",
    "is_built_in",
    "plugged",
    "port_to_drop",
    "scheme_fault",
    "scheme_rule",
    "shape_of",
    "unknown_schemes",
]

# The schemes that have a row, by the module that holds it, with a colon after those that are found without "//": the
# rows with a shape. This is said here so that a search loads no row; a test compares it with the modules.
_FIELDS: Final = {
    "web": "http https ws wss coap coaps coap+tcp coaps+tcp coap+ws coaps+ws ipp ipps gopher",
    "file_access": "file: ftp ftps sftp nfs rsync",
    "mail_schemes": "mailto: cid: mid: imap pop smtp sieve mtqp",
    "news": "news: nntp snews",
    "telephony": "tel: sms: sip: sips: stun: stuns: turn: turns:",
    "messaging": "xmpp: acct: im: pres: irc irc6 ircs matrix: skype: msrp msrps",
    "directory": "ldap ldaps dns:",
    "content": "data: geo: magnet: bitcoin: ethereum: spotify:",
    "names": "urn: doi: hdl: info: tag: did: ni nih: ark: pkg: oid: swh: opaquelocktoken:",
    "nested": "javascript: vbscript: view-source: feed: jar: blob: filesystem: jdbc: about:",
    "services": "aaa aaas acap dict git svn ssh icap mms rtmp rtsp rtsps rtspu snmp telnet tn3270 vnc wais git+ssh"
    " svn+ssh",
}
_FIELD_OF: Final = {name.rstrip(":"): field for field, names in _FIELDS.items() for name in names.split()}
_GENERIC: Final = Scheme("", "", "RFC 3986 3")
# The rows used so far: those of the modules, and one for each scheme that only the registries hold.
_RULES: Final[dict[str, Scheme]] = {}


@cache
def _registries() -> tuple[Mapping[str, object], Mapping[str, tuple[str, str, str]]]:
    """Return the registered schemes, and the default ports with what the RFCs say of them."""
    from urisieve.rules.registry import default_ports, registered_schemes

    return registered_schemes(), default_ports()


def completed(rule: Scheme) -> Scheme:
    """Complete a row: set `registered`, `default_port` and `drops_port` by the registries."""
    schemes, ports = _registries()
    rule = rule._replace(registered=rule.name in schemes)
    if rule.name not in ports:
        return rule
    port, elide, _ = ports[rule.name]
    return rule._replace(default_port=port or None, drops_port=elide == "yes")


@cache
def plugged() -> dict[str, tuple[Scheme, EntryPoint]]:
    """Return the rows of plug-ins by name, each with its entry point."""
    from urisieve.rules.plugins import added

    rows = added("urisieve.schemes", Scheme, lambda row: row.name, scheme_fault)
    return {row.name: (_guarded(completed(row), origin), origin) for row, origin in rows}


def _guarded(row: Scheme, origin: EntryPoint) -> Scheme:
    from urisieve.rules.plugins import guarded

    names = ("form", "compared", "check", "parts", "inner")
    return row._replace(**{name: guarded(getattr(row, name), f"{row.name}.{name}", origin) for name in names})


def _find(scheme: str) -> Scheme:
    field = _FIELD_OF.get(scheme)
    if field is not None:
        for rule in imported(f"urisieve.rules.schemes.{field}").ROWS:
            _RULES[rule.name] = completed(rule)
    elif scheme in plugged():
        _RULES[scheme] = plugged()[scheme][0]
    elif any(scheme in registry for registry in _registries()):
        _RULES[scheme] = completed(_GENERIC._replace(name=scheme))
    return _RULES.get(scheme, _GENERIC)


def scheme_rule(scheme: str) -> Scheme:
    """Return the row of a scheme in lower case; a row without a name, with the generic rules, if nothing is known."""
    rule = _RULES.get(scheme)
    return _find(scheme) if rule is None else rule


def described() -> tuple[str, ...]:
    """Return the schemes that have a row of their own, module by module, then those of plug-ins."""
    return (*_FIELD_OF, *plugged())


def built_in_names() -> tuple[str, ...]:
    """Return the schemes that have a built-in row."""
    return tuple(_FIELD_OF)


def is_built_in(scheme: str) -> bool:
    """Report whether a scheme in lower case has a built-in row, not only an entry in a registry."""
    return scheme in _FIELD_OF


def port_to_drop(rule: Scheme) -> str | None:
    """Return the port that may be left out by the scheme's own RFC (RFC 3986 6.2.3), or None."""
    return rule.default_port if rule.drops_port else None


def shape_of(rule: Scheme) -> re.Pattern[str] | None:
    """Return the compiled `shape` of a row; None if its scheme is not found without `//`."""
    from urisieve.rules.row_checks import compiled_row_pattern

    return None if rule.shape is None else compiled_row_pattern(rule.shape, 0)


def curated() -> tuple[str, ...]:
    """Return the schemes found without `//`, those of plug-ins last."""
    return (*built_in_shaped(), *(name for name, (row, _) in plugged().items() if row.shape is not None))


def built_in_shaped() -> tuple[str, ...]:
    """Return the built-in schemes found without `//`."""
    return tuple(name[:-1] for names in _FIELDS.values() for name in names.split() if name[-1] == ":")


def scheme_fault(row: Scheme) -> str | None:
    """Return why a row that is not built in cannot be used; None if it can."""
    if not isinstance(row.name, str) or row.name != row.name.lower() or not compiled("scheme").fullmatch(row.name):
        return f"name={row.name!r} is not a scheme name in lower case (RFC 3986 3.1)"
    if is_built_in(row.name):
        return f"urisieve has rules of its own for the scheme {row.name!r}; a row adds one and cannot replace one"
    authority: object = row.authority
    if not isinstance(authority, Authority):
        return f"authority={authority!r} must be a member of Authority"
    port: object = row.default_port
    if port is not None and not (isinstance(port, str) and port.isascii() and port.isdecimal()):
        return f"default_port={row.default_port!r} must be digits, or None"
    from urisieve.rules.row_checks import row_fault

    return row_fault(
        row,
        text=("title", "reference", "case", "equivalence"),
        flag=("dns", "strict", "root", "drops_port", "keeps_dots", "keeps_triplets", "bracketed", "fragment"),
        pattern=("syntax", "expected", "shape"),
        function=("form", "compared", "check", "parts", "inner"),
        pairs=("same", "different"),
    )


def unknown_schemes(names: Iterable[str], known: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield each scheme that is neither registered, nor has rules, nor is in `known`, with a hint (`did_you_mean`).

    >>> list(unknown_schemes(["http", "htps"]))
    [('htps', "; did you mean 'https'?")]
    """
    all_known = {*_registries()[0], *described(), *known}
    for name in sorted(set(names) - all_known):
        yield name, did_you_mean(name, all_known)
