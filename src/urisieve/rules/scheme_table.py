"""The table of schemes: the module that contains the row of each scheme, and what the registries add to the row.

The module also defines:

- `Scheme`: the rules of one scheme, as a row of data;
- `Namespace`: the rules of one URN namespace, as a row of data (RFC 2141 5, RFC 8141 3.1 and 6.4.1). A row never
  separates two URNs that are equivalent by the base rule (RFC 2141 5): that is applied first, so the `form` of a row
  receives an NSS whose triplets have upper-case digits, and can only add equivalences;
- checks of the fields of rows, common to schemes and namespaces, and the cache of their compiled patterns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache

from urisieve.codes import Notice, Warn
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, dataclass, imported, lazy_compile
from urisieve.quick_enums import StrEnum
from urisieve.syntax.components import Components
from urisieve.syntax.grammar import compiled
from urisieve.wording import did_you_mean

if TYPE_CHECKING:
    from urisieve.rules.plugins import EntryPoint


# A bound on the cache of patterns: the built-in rows have some 150, and rows of plug-ins and options add to them.
_PATTERNS: Final = 1_024


@lru_cache(_PATTERNS)
def compiled_row_pattern(text: str, flags: int = re.DOTALL) -> re.Pattern[str]:
    """Return the compiled pattern of a row; each pattern is compiled once."""
    return re.compile(text, flags)


def _is_pairs(value: object) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in value
    )


def _pattern_fault(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        return "must be a pattern as str, or None"
    try:
        compiled_row_pattern(value)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is not a valid pattern: {error}"
    return None


_FAULTS: Final[dict[str, Callable[[object], str | None]]] = {
    "text": lambda value: None if isinstance(value, str) else "must be str",
    "flag": lambda value: None if isinstance(value, bool) else "must be True or False",
    "pattern": _pattern_fault,
    "function": lambda value: None if value is None or callable(value) else "must be a function, or None",
    "pairs": lambda value: None if _is_pairs(value) else "must be a tuple of pairs of str",
}


def row_fault(row: object, **fields: Iterable[str]) -> str | None:
    """Return what is wrong with the fields of a row; None if nothing is.

    Args:
        row: the row.
        fields: the names of its fields, by the kind of value that they must contain: `text`, `flag`, `pattern`,
            `function`, `pairs`.
    """
    for kind, names in fields.items():
        for name in names:
            value = getattr(row, name)
            wrong = _FAULTS[kind](value)
            if wrong is not None:
                return f"{name}={value!r} {wrong}"
    try:
        hash(row)
    except TypeError:
        return "it must be hashable, and so must each of its fields and functions"
    return None


class Authority(StrEnum):
    """Whether `//` and an authority follow the scheme (RFC 3986 3.2).

    >>> from urisieve import Options, Scheme, is_valid
    >>> from urisieve.types import Authority
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
        strict: a host that the DNS cannot contain is a fault; otherwise a warning, because other services have names
            too.
        root: an empty path after an authority is the same as "/" (RFC 3986 6.2.3).
        default_port: the port that an identifier without a port has; that of the registry of ports wins.
        drops_port: leaving out the default port is an equivalence by the scheme's own RFC (RFC 3986 6.2.3).
        case: what is case-insensitive in addition to scheme and host, in words.
        equivalence: what else its RFC calls equivalent, in words.
        keeps_dots: dot segments have no meaning in its paths and stay, unlike in RFC 3986 6.2.2.3.
        keeps_triplets: it compares character by character: triplets stay unchanged, unlike in RFC 3986 6.2.2.2.
        bracketed: an IPv6 address in brackets may be where RFC 3986 has a path (RFC 3261 25.1), with a warning.
        syntax: a pattern that must match all that follows `scheme:` up to the fragment; None if only the generic
            grammar applies. In the text that it is matched with, unreserved characters are decoded and other triplets
            are in upper case, unless `keeps_triplets`.
        expected: a pattern of the same text by the grammar of the scheme's RFC; an identifier that does not match it
            is valid, with the warning `scheme-syntax`.
        fragment: a fragment may follow; if False, a fragment is a fault.
        shape: a pattern of the text after `scheme:` by which it is found in running text without `//`; None if it is
            found only before `//`. To keep the scan linear, the pattern reads a bounded number of characters, and
            reads beyond another colon only if it matches. What a wrapper or a carrier delimits is found without it, if
            it matches `syntax` and `expected` and one of them is given.
        form: returns the components of the canonical form, which are valid; idempotent.
        compared: returns the components of which the key is made, where its RFC does not compare all of them.
        check: returns warnings.
        parts: returns the named parts of the identifier; nothing in them is decoded.
        inner: returns the identifier inside this one, or None.
        same: pairs of identifiers that have one key.
        different: pairs of identifiers that have two keys.
        registered: whether the IANA registry contains the scheme; set by the table.
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


# The schemes that have a row, by the module that contains it, with a colon after those that are found without "//": the
# rows with a shape. This is stated here so that a search loads no row; a test compares it with the modules.
_FIELDS: Final = {
    "access": "http https ws wss coap coaps coap+tcp coaps+tcp coap+ws coaps+ws ipp ipps gopher file: ftp ftps sftp nfs"
    " rsync ldap ldaps dns: aaa aaas acap dict git svn ssh icap mms rtmp rtsp rtsps rtspu snmp telnet tn3270 vnc wais"
    " git+ssh svn+ssh",
    "mail_and_news": "mailto: cid: mid: imap pop smtp sieve mtqp news: nntp snews",
    "telephony": "tel: sms: sip: sips: stun: stuns: turn: turns:",
    "messaging": "xmpp: acct: im: pres: irc irc6 ircs matrix: skype: msrp msrps",
    "content": "data: geo: magnet: bitcoin: ethereum: spotify: javascript: vbscript: view-source: feed: jar: blob:"
    " filesystem: jdbc: about:",
    "names": "urn: doi: hdl: info: tag: did: ni nih: ark: oid: swh: opaquelocktoken:",
    "packages": "pkg:",
}
_FIELD_OF: Final = {name.rstrip(":"): field for field, names in _FIELDS.items() for name in names.split()}
# The fields of a row that are functions.
_FUNCTIONS: Final = ("form", "compared", "check", "parts", "inner")
_GENERIC: Final = Scheme("", "", "RFC 3986 3")
# The rows used so far, completed; also one for each scheme that only the registries contain.
_RULES: Final[dict[str, Scheme]] = {}


@cache
def _registries() -> tuple[Mapping[str, object], Mapping[str, tuple[str, str, str]]]:
    """Return the registered schemes, and the default ports with what the RFCs state about them."""
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
    from urisieve.rules.plugins import added, guarded

    rows = added("urisieve.schemes", Scheme, lambda row: row.name, scheme_fault)
    return {row.name: (completed(row)._replace(**guarded(row, _FUNCTIONS, origin)), origin) for row, origin in rows}


def _find(scheme: str) -> Scheme:
    field = _FIELD_OF.get(scheme)
    if field is not None:
        rows: Iterable[Scheme] = imported(f"urisieve.rules.rows.{field}").ROWS
        _RULES[scheme] = completed(next(row for row in rows if row.name == scheme))
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
    return row_fault(
        row,
        text=("title", "reference", "case", "equivalence"),
        flag=("dns", "strict", "root", "drops_port", "keeps_dots", "keeps_triplets", "bracketed", "fragment"),
        pattern=("syntax", "expected", "shape"),
        function=_FUNCTIONS,
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


_RESERVED: Final = lazy_compile("[?#]")


class NamespaceKind(StrEnum):
    """How the identifier of a namespace was assigned (RFC 8141 5).

    >>> from urisieve import Namespace
    >>> from urisieve.types import NamespaceKind
    >>> Namespace(name="shelf", title="shelves").kind is NamespaceKind.UNKNOWN
    True
    """

    FORMAL = "formal"
    INFORMAL = "informal"
    """`urn-` and a number, assigned by the registry (RFC 8141 5.2)."""
    EXPERIMENTAL = "experimental"
    """`x-` and a name that is not registered (RFC 3406 3.1; RFC 8141 has none)."""
    UNKNOWN = "unknown"
    """Not registered, and neither informal nor experimental by the form of its identifier."""


def divided_nss(nss: str) -> tuple[str, str]:
    """Divide an NSS of RFC 2141 before its first `?` or `#` into the name and the rest (RFC 3986 3, 6.2.3)."""
    found = _RESERVED.search(nss)
    return (nss, "") if found is None else (nss[: found.start()], nss[found.start() :])


def _groups(match: re.Match[str]) -> dict[str, str]:
    """Return the named groups that matched and are not empty."""
    return {name: text for name, text in match.groupdict().items() if text}


@dataclass(frozen=True, kw_only=True, slots=True)
class Namespace:
    """The rules of one URN namespace (RFC 2141 5, RFC 8141 3.1); pass rows of your own as `Options.rules`.

    The functions must not raise. `urisieve.testing.check_row` tests a row.

    >>> from urisieve import Namespace, Options, equivalent
    >>> row = Namespace(name="x-crate", title="crates", reference="the handbook of the store", form=str.upper)
    >>> equivalent("urn:x-crate:ab1", "urn:x-crate:AB1", options=Options(rules=row))
    True

    Attributes:
        name: the namespace identifier (NID) in lower case.
        title: what the namespace names, in a few words.
        reference: the document that states its rules.
        kind: how its identifier was assigned; set by the table.
        registered: whether the IANA registry contains it; set by the table.
        equivalence: in words, what is equivalent beyond the base rule; "" if nothing is.
        syntax: a regular expression, matched in linear time, for a whole NSS before normalization; its named groups
            are the parts. None if any NSS is one of the namespace.
        form: maps an NSS, its triplets in upper case, to the canonical form of all NSS that the namespace calls
            equivalent; None if only the base rule applies. It is idempotent, and returns an NSS.
        derive: maps the named groups of the syntax to the parts, where these are not the groups themselves.
        check: returns warnings, from the named groups of the syntax.
        same: pairs of URNs that have one key.
        different: pairs of URNs that have two keys.
    """

    name: str
    title: str = ""
    reference: str = ""
    kind: NamespaceKind = NamespaceKind.UNKNOWN
    registered: bool = False
    equivalence: str = ""
    syntax: str | None = None
    form: Callable[[str], str] | None = None
    derive: Callable[[dict[str, str]], dict[str, str]] | None = None
    check: Callable[[dict[str, str]], Iterable[Notice]] | None = None
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[tuple[str, str], ...] = ()

    def canonical(self, nss: str) -> str:
        """Return the canonical form of an NSS whose triplets have upper-case digits.

        The rule of the namespace applies to the name only: what follows the first `?` or `#`, which RFC 2141 2.3.2
        reserves, stays unchanged.
        """
        if self.form is None:
            return nss
        name, rest = divided_nss(nss)
        return f"{self.form(name)}{rest}"

    def parts(self, nss: str) -> dict[str, str]:
        """Return the named parts of an NSS that are present; none if the NSS is not in the syntax.

        The name ends before the first `?` or `#`.
        """
        match = None if self.syntax is None else compiled_row_pattern(self.syntax).fullmatch(divided_nss(nss)[0])
        found = {} if match is None else _groups(match)
        return self.derive(found) if found and self.derive is not None else found

    def notices(self, nss: str) -> tuple[Notice, ...]:
        """Return the warnings of an NSS: that it is not in the syntax, or those of `check`."""
        if self.syntax is None:
            return () if self.check is None else tuple(self.check({}))
        match = compiled_row_pattern(self.syntax).fullmatch(divided_nss(nss)[0])
        if match is None:
            return (Notice(Warn.NSS_SYNTAX, self.reference),)
        return () if self.check is None else tuple(self.check(_groups(match)))
