"""Tables of public registries: each is a file beside this module, read when it is first asked for.

The lines at the head of a file, which begin with `#`, state what its rows contain, from which source and of which date
they are, and which tool wrote them; `head_of` returns them. Unicode's tables depend on no version of Python or of a
library, so that a label has the same warnings everywhere.

The public suffix list (publicsuffix.org) is the one that the package `publicsuffixlist` brings, with the extra
`domains`: nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from types import EllipsisType

from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, cast, lazy_compile, overload
from urisieve.shapes import Default, missing, wrong
from urisieve.syntax.components import is_on

if TYPE_CHECKING:
    from importlib.abc import ResourceLoader

# The last label of what browsers read as an IPv4 address, whatever it is in full (WHATWG URL 3.5).
_NUMBER: Final = lazy_compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
# A crawl names far more hosts; most come in runs.
_MEMORY: Final = 65_536
# What no host has (RFC 3986 3.2.2): the delimiters of components, white space, and a colon outside of an IP literal.
_NO_HOST: Final = lazy_compile(r"\A\Z|[/?#@\\\s]|\A(?!\[)[^:]*:")


def _lines(name: str) -> list[str]:
    assert __spec__ is not None
    # What `importlib.resources` does in the end, for a file, a zip file and others, without its modules at each start.
    loader = cast("ResourceLoader", __spec__.loader)
    return loader.get_data(f"{__path__[0]}/{name}.txt").decode().splitlines()


def rows_of(name: str) -> list[str]:
    """Return the rows of a table: the lines of its file after the head."""
    lines = _lines(name)
    return lines[next(index for index, line in enumerate(lines) if line[0] != "#") :]


def blocks_of(name: str) -> Iterator[dict[str, list[str]]]:
    """Yield the rows of a table that are blocks of lines `field: value`, as the values of each field."""
    block: dict[str, list[str]] = {}
    for line in [*rows_of(name), ""]:
        field, _, value = line.partition(": ")
        if line[:1] not in ("", "#"):
            block.setdefault(field, []).append(value)
        elif line == "":
            yield block
            block = {}


def head_of(name: str) -> str:
    """Return what a table states about itself: what it contains, its source and its date.

    >>> print(head_of("top_level_domains").splitlines()[0])
    Top-level domains of the DNS root in lower case, international ones as A-labels, and `onion` (RFC 7686).
    """
    return "\n".join(line[2:] for line in _lines(name) if line.startswith("#"))


def fields_of(name: str) -> list[list[str]]:
    """Return the rows of a table whose fields have tabs between them."""
    return [row.split("\t") for row in rows_of(name)]


@cache
def registered_schemes() -> dict[str, tuple[str, str]]:
    """Return the status and the RFCs of each registered scheme; empty where they are not known."""
    return {name: (status, rfcs) for name, status, rfcs in fields_of("schemes")}


@cache
def registered_namespaces() -> dict[str, tuple[str, str, str]]:
    """Return the kind, the reference and the registrant of each registered URN namespace, in lower case."""
    return {nid: (kind, reference, registrant) for nid, kind, reference, registrant in fields_of("namespaces")}


@cache
def default_ports() -> dict[str, tuple[str, str, str]]:
    """Return the default port of schemes, `yes` if leaving it out is an equivalence, and the reference."""
    return {scheme: (port, elide, reference) for scheme, port, elide, reference in fields_of("default_ports")}


@cache
def top_level_domains() -> frozenset[str]:
    """Return the top-level domains of the DNS root and `onion`, as A-labels in lower case."""
    return frozenset(rows_of("top_level_domains"))


def check_domains() -> None:
    """Check that the public suffix list is installed.

    Raises:
        UsageError: it is not.
    """
    suffixes()


@overload
def registrable_domain(host: str) -> str | None: ...


@overload
def registrable_domain(host: str | None, *, default: Default) -> str | Default | None: ...


def registrable_domain(host: str | None, *, default: Default | EllipsisType = ...) -> str | Default | None:
    """Return the domain that its owner has registered: the public suffix of a host and one label more.

    >>> from urisieve import registrable_domain
    >>> registrable_domain("www.library.example.co.uk"), registrable_domain("me.dyndns.org")
    ('example.co.uk', 'me.dyndns.org')
    >>> registrable_domain("co.uk"), registrable_domain("192.0.2.1"), registrable_domain("localhost")
    (None, None, None)

    Suffixes under which a company lets others have names, as `dyndns.org`, are public, too. A top-level domain that the
    list does not know is taken for a public suffix.

    Args:
        host: a host as in `Record.host`, or in Unicode; case and a dot at the end do not count. Of a link take
            `Record.domain`.
        default: returned for a missing host (None, NaN, NA of pandas) and for a text that is no host; without it both
            are errors.

    Returns:
        the domain, in A-labels; None for a public suffix itself, an IP address, and a single label.

    Raises:
        UsageError: the extra `domains` is not installed, or the host is no host, such as a link.
    """
    if isinstance(host, str) and not _is_no_host(host):
        return domain_of(_as_written(host))
    if not isinstance(host, str):
        return missing("host", host, default)
    if default is not ...:
        return default
    raise wrong("host", host, "a host, such as 'www.example.com': of a link take parse(link).domain")


@lru_cache(maxsize=_MEMORY)
def _is_no_host(text: str) -> bool:
    return _NO_HOST.search(text) is not None


def _as_written(host: str) -> str:
    """Return a host as it is in the key of a link, in A-labels; as it is given if it has no such form."""
    if host.isascii():
        return host.lower()
    from urisieve.syntax.host import host_as_written

    verdict = host_as_written(host.lower())
    return host.lower() if verdict.reason is not None else verdict.host


@lru_cache(maxsize=_MEMORY)
def domain_of(host: str) -> str | None:
    """Return `registrable_domain` of a host of a record."""
    return domains_of((host,))[0]


def domains_of(hosts: Iterable[str | None]) -> list[str | None]:
    """Return the domain of each host of records; None for no host.

    Raises:
        UsageError: the extra `domains` is not installed.
    """
    rules = suffixes()
    found: list[str | None] = []
    for host in hosts:
        name: str | None = host and host.lower()
        if name and (not name[name.rfind(".") + 1 :].isalpha() or name[0] == "." or ".." in name):
            name = _listed_name(name)
        suffix = _suffix_start(name, rules) if name else 0
        found.append(name[name.rfind(".", 0, suffix - 1) + 1 :] if name and suffix else None)
    return found


def public_suffix(host: str) -> str | None:
    """Return the public suffix of a host, under which names are registered; None for an IP address.

    A top-level domain that the list does not know is one, and so is a single label.

    >>> public_suffix("www.example.co.uk"), public_suffix("me.dyndns.org"), public_suffix("192.0.2.1")
    ('co.uk', 'dyndns.org', None)

    Args:
        host: as for `registrable_domain`.

    Raises:
        UsageError: the extra `domains` is not installed.
    """
    name = _listed_name(host)
    return None if name is None else name[_suffix_start(name, suffixes()) :]


def _listed_name(host: str) -> str | None:
    """Return what the list is asked for, in lower case; None for an IP address, and for a name with an empty label.

    Raises:
        UsageError: the extra `domains` is not installed.
    """
    name = host.rstrip(".").lower()
    suffixes()
    last = name[name.rfind(".") + 1 :]
    is_number = last[:1].isdecimal() and _NUMBER.fullmatch(last) is not None
    return None if not last or is_number or last[-1] == "]" or name[0] == "." or ".." in name else name


# What is listed of a name: the name, those right below it, or that it is no suffix although it is right below one.
_LISTED: Final = 1
_BELOW: Final = 2
_EXCEPTED: Final = 3


def _suffix_start(name: str, rules: dict[str, int]) -> int:
    """Return the offset of the public suffix of a name: of its longest end that is listed, or of its last label."""
    before = start = 0
    while True:
        rule = rules.get(name[start:])
        dot = name.find(".", start)
        if rule == _EXCEPTED:
            return dot + 1
        if rule == _BELOW:
            return before
        if rule == _LISTED or dot < 0:
            return start
        before, start = start, dot + 1


@cache
def suffixes() -> dict[str, int]:
    """Return the rules of the public suffix list by name; a name under which all are public is public itself.

    Raises:
        UsageError: the extra `domains` is not installed.
    """
    try:
        import publicsuffixlist as package
    except ImportError:
        raise UsageError("registrable domains need the public suffix list: pip install 'urisieve[domains]'") from None
    loader = cast("ResourceLoader", package.__loader__)
    text = loader.get_data(package.PSLFILE).decode()
    rules = [line.split()[0].lower() for line in text.splitlines() if line.strip() and not line.startswith("//")]
    # Only rules beyond ASCII need A-labels beside them.
    rules += [".".join(map(_a_label, rule.split("."))) for rule in rules if not rule.isascii()]
    found: dict[str, int] = {}
    for rule in rules:
        kind = _EXCEPTED if rule[0] == "!" else _BELOW if rule[:2] == "*." else _LISTED
        name = rule.lstrip("!*.")
        found[name] = max(kind, found.get(name, kind))
    return found


def _a_label(label: str) -> str:
    """Return a label that is mapped already (UTS 46) as it is in the DNS (RFC 5890 2.3.2.1)."""
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"


_ANY: Final = "-"
# The names of parameters whose rows are remembered.
_NAMES: Final = 4_096


class Tracking(NamedTuple):
    """Parameters of one name, or whose names begin alike.

    Attributes:
        name: the name in lower case, but for the digits of triplets; a `*` at its end represents anything.
        host: the host on whose links they track, with the hosts below it; "" for every host.
        unless: texts in lower case; in a link that contains one of them they do not track. A `@` begins a host.
        source: the lists or the documentation that name them.
        purpose: why they are there, in a few words.
    """

    name: str
    host: str
    unless: tuple[str, ...]
    source: str
    purpose: str

    def stays(self, host: str, rest: str) -> bool:
        """Report whether a parameter stays on a link, by its host and by some of its text in lower case."""
        return any(is_on(host, text[1:]) if text[0] == "@" else text in rest for text in self.unless)


@cache
def tracking_rows() -> tuple[Tracking, ...]:
    """Return the rows of the table."""
    rows = fields_of("tracking")
    return tuple(
        Tracking(
            name, "" if host == _ANY else host, () if unless == _ANY else tuple(unless.split(",")), source, purpose
        )
        for name, host, unless, source, purpose in rows
    )


def tracking_date() -> str:
    """Return the date of the table, as `2026-11-28`: it decides keys, so that signatures contain it."""
    return head_of("tracking").partition("compiled ")[2][:10]


@lru_cache(maxsize=_NAMES)
def _covering(name: str) -> tuple[Tracking, ...]:
    """Return the rows that cover a parameter, whatever the host: those of its whole name first."""
    rows = tracking_rows()
    begin = (row for row in rows if row.name[-1] == "*" and name.startswith(row.name[:-1].lower()))
    return tuple(dict.fromkeys((*(row for row in rows if row.name.lower() == name), *begin)))


def tracking_of(name: str, host: str) -> list[Tracking]:
    """Return the rows that cover a parameter on links of a host.

    >>> [row.name for row in tracking_of("UTM_Source", "a.example")], tracking_of("si", "a.example")
    (['utm_*'], [])

    Args:
        name: the name of the parameter, whose upper and lower case do not differ.
        host: the host.
    """
    return [row for row in _covering(name.lower()) if is_on(host, row.host)]
