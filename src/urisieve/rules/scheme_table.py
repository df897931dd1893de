"""The table of schemes: the module that holds the row of each scheme, and what the registries add to the row.

It holds besides:

- `Scheme`: the rules of one scheme, as a row of data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache

from urisieve.codes import Notice
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, imported
from urisieve.syntax.components import Components
from urisieve.syntax.grammar import compiled
from urisieve.wording import did_you_mean

if TYPE_CHECKING:
    from urisieve.rules.plugins import EntryPoint


class Authority(StrEnum):
    """Whether `//` and an authority follow the scheme (RFC 3986 3.2).

    >>> from urisieve import Authority, Options, Scheme, is_valid
    >>> row = Scheme(name="crate", title="a crate", reference="the handbook", authority=Authority.FORBIDDEN)
    >>> is_valid("crate:ab1", options=Options(rules=row)), is_valid("crate://ab1", options=Options(rules=row))
    (True, False)
    """

    REQUIRED = "required"
    """The host must not be empty."""
    OPTIONAL = "optional"
    FORBIDDEN = "forbidden"


class Scheme(NamedTuple):
    r"""The rules of one scheme; pass rows of your own as `Options.rules`, with their fields by name.

    The functions take the components of a URI (non-ASCII characters as triplets). `check`, `parts` and `inner` must
    accept any components that the generic grammar allows, with the scheme and the triplets in any case; `form` and
    `compared` take components normalized by RFC 3986 6.2.2. None of them may raise. `urisieve.testing.check_row`
    tests a row.

    >>> from urisieve import Options, Scheme, extract
    >>> row = Scheme(name="crate", title="a crate", reference="the handbook of the store", shape="[a-z]{2}[0-9]")
    >>> [record.uri for record in extract("See crate:ab1.", options=Options(rules=row))]
    ['crate:ab1']

    Attributes:
        name: the scheme, in lower case.
        title: what it is for, in a few words.
        reference: the section that the row follows.
        authority: whether an authority is required, optional or forbidden.
        dns: the host is a name of the DNS, or an IP address.
        strict: a host that the DNS cannot hold is a fault; otherwise a warning, because other services have names too.
        root: an empty path after an authority is the same as "/" (RFC 3986 6.2.3).
        default_port: the port that an identifier without a port has.
        drops_port: leaving out the default port is an equivalence by the scheme's own RFC (RFC 3986 6.2.3).
        case: what is case-insensitive besides scheme and host, in words.
        equivalence: what else its RFC calls equivalent, in words.
        keeps_dots: dot segments have no meaning in its paths and stay, unlike in RFC 3986 6.2.2.3.
        keeps_triplets: it compares character by character: triplets stay unchanged, unlike in RFC 3986 6.2.2.2.
        bracketed: an IPv6 address in brackets may stand where RFC 3986 has a path (RFC 3261 25.1), with a warning.
        syntax: a pattern that must match all that follows `scheme:` up to the fragment; None if only the generic
            grammar applies. In the text that it is matched with, unreserved characters are decoded and other triplets
            are in upper case, unless `keeps_triplets`.
        expected: a pattern of the same text by the grammar of the scheme's RFC; an identifier that does not match it
            is valid, with the warning `scheme-syntax`.
        fragment: a fragment may follow; if False, a fragment is a fault.
        shape: a pattern of the text after `scheme:` by which it is found in running text without `//`; None if it is
            found only before `//`. To keep the scan linear, the pattern reads a bounded number of characters, and
            reads beyond another colon only if it matches. What fills angle brackets is found without it, if it matches
            `syntax` and `expected` and one of them is given.
        form: returns the components of the canonical form, which are valid; idempotent.
        compared: returns the components of which the key is made, where its RFC does not compare all of them.
        check: returns warnings.
        parts: returns the named parts of the identifier; nothing in them is decoded.
        inner: returns the identifier inside this one, or None.
        same: pairs of identifiers that have one key.
        different: pairs of identifiers that have two keys.
        registered: whether the IANA registry holds the scheme; set by the table.
    """

    name: str
    title: str
    reference: str
    authority: Authority = Authority.OPTIONAL
    dns: bool = False
    strict: bool = False
    root: bool = False
    default_port: str | None = None
    drops_port: bool = False
    case: str = ""
    equivalence: str = ""
    keeps_dots: bool = False
    keeps_triplets: bool = False
    bracketed: bool = False
    syntax: str | None = None
    expected: str | None = None
    fragment: bool = True
    shape: str | None = None
    form: Callable[[Components], Components] | None = None
    compared: Callable[[Components], Components] | None = None
    check: Callable[[Components], tuple[Notice, ...]] | None = None
    parts: Callable[[Components], dict[str, str]] | None = None
    inner: Callable[[Components], str | None] | None = None
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[tuple[str, str], ...] = ()
    registered: bool = False


# The schemes that have a row, by the module that holds it, with a colon after those that are found without "//": the
# rows with a shape. This is said here so that a search loads no row; a test compares it with the modules.
_FIELDS: Final = {
    "access": "http https ws wss coap coaps coap+tcp coaps+tcp coap+ws coaps+ws ipp ipps gopher file: ftp ftps sftp nfs"
    " rsync ldap ldaps dns: aaa aaas acap dict git svn ssh icap mms rtmp rtsp rtsps rtspu snmp telnet tn3270 vnc wais"
    " git+ssh svn+ssh",
    "mail_and_news": "mailto: cid: mid: imap pop smtp sieve mtqp news: nntp snews",
    "telephony": "tel: sms: sip: sips: stun: stuns: turn: turns:",
    "messaging": "xmpp: acct: im: pres: irc irc6 ircs matrix: skype: msrp msrps",
    "content": "data: geo: magnet: bitcoin: ethereum: spotify: javascript: vbscript: view-source: feed: jar: blob:"
    " filesystem: jdbc: about:",
    "names": "urn: doi: hdl: info: tag: did: ni nih: ark: pkg: oid: swh: opaquelocktoken:",
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
        for rule in imported(f"urisieve.rules.rows.{field}").ROWS:
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
