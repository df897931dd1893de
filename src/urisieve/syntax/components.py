"""The components of an identifier: split and recompose (RFC 3986 5.3 and Appendix B).

The module also defines:

- a memory of what follows from a host alone.
- the SURT form of a URI: the labels of its host from the last to the first, so that sorting keeps domains together. The
  form is that of the crawler Heritrix (Sort-friendly URI Reordering Transform), in the case of the URI.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from urisieve.kernel import either, kernel
from urisieve.lean import Any, Final, NamedTuple, TypeVar, lazy_compile
from urisieve.quick_enums import StrEnum
from urisieve.syntax import grammar

# The white space that is removed inside angle brackets and around a whole value: that of Unicode, ZWSP and BOM; as
# characters, and as the inside of a character class.
SPACES: Final = (
    "\t\n\v\f\r \x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
WHITE_SPACE: Final = "\t-\r \x85\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
_TRIPLET: Final = lazy_compile("%[0-9A-Fa-f]{2}")


class HostKind(StrEnum):
    """The four kinds of host of RFC 3986 3.2.2: `ipv4`, `ipv6`, `ipvfuture` and `reg-name`.

    >>> import urisieve
    >>> urisieve.parse("http://[2001:db8::1]/").host_kind is urisieve.types.HostKind.IPV6
    True
    """

    IPV4 = "ipv4"
    IPV6 = "ipv6"
    IPVFUTURE = "ipvfuture"
    REG_NAME = "reg-name"


class Components(NamedTuple):
    """The components of an identifier by the names of RFC 3986 3; an absent one is None, an empty one is "".

    Invariant: `recompose(split(text)) == text` for every text that has a scheme.

    >>> import urisieve
    >>> urisieve.parse("http://e.example:8042/a?").components
    Components(scheme='http', userinfo=None, host='e.example', port='8042', path='/a', query='', fragment=None)
    """

    scheme: str
    userinfo: str | None
    host: str | None
    port: str | None
    path: str
    query: str | None
    fragment: str | None


# Appendix B with the scheme required. DOTALL, because white space and controls are split like any other character and
# are judged later.
_SPLIT: Final = lazy_compile(r"([^:/?#]+):(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)


def _split_in_python(text: str) -> Components:
    match = _SPLIT.fullmatch(text)
    if match is None:
        raise ValueError(f"no scheme in {text[:80]!r}")
    scheme, authority, path, query, fragment = match.groups()
    userinfo, host, port = (None, None, None) if authority is None else split_authority(authority)
    return Components(scheme, userinfo, host, port, path, query, fragment)


def _split_by_kernel(text: str) -> Components:
    found = kernel.split(text)
    return _split_in_python(text) if found is None else _components(Components, found)


_components: Final[Callable[[type[Components], Iterable[str | None]], Components]] = tuple.__new__
# Splits an identifier into its components without judging them; raises ValueError without `scheme:` at the start.
split: Final = either(_split_by_kernel, _split_in_python)


def without_space_around(value: str) -> str:
    """Return a whole value without the white space around it, of which no identifier is made (RFC 3986 Appendix C)."""
    return value.strip(SPACES)


def split_authority(authority: str) -> tuple[str | None, str, str | None]:
    """Split an authority into userinfo, host and port (RFC 3986 3.2)."""
    before, at, rest = authority.partition("@")
    userinfo = before if at else None
    if not at:
        rest = authority
    if rest[:1] == "[":
        bracket = rest.rfind("]") + 1
        after = rest[bracket:]
        if after[:1] == ":":
            return userinfo, rest[:bracket], after[1:]
        return userinfo, rest, None  # if `after` is not empty, the host is judged with it and fails
    host, colon, port = rest.partition(":")
    return userinfo, host, port if colon else None


def recompose(parts: Components) -> str:
    """Put components together (RFC 3986 5.3)."""
    scheme, userinfo, host, port, path, query, fragment = parts
    if host is None:
        text = f"{scheme}:{path}"
    elif userinfo is None and port is None:
        text = f"{scheme}://{host}{path}"
    else:
        before = "" if userinfo is None else f"{userinfo}@"
        after = "" if port is None else f":{port}"
        text = f"{scheme}://{before}{host}{after}{path}"
    if query is not None:
        text = f"{text}?{query}"
    if fragment is not None:
        text = f"{text}#{fragment}"
    return text


def host_kind(host: str | None) -> HostKind | None:
    """Return the kind of a host by the "first-match-wins" rule of RFC 3986 3.2.2; None if there is no host."""
    if host is None:
        return None
    if host[:1] == "[":
        return HostKind.IPVFUTURE if host[1:2] in ("v", "V") else HostKind.IPV6
    is_ipv4 = host[-1:].isdecimal() and grammar.compiled("IPv4address").fullmatch(host)
    return HostKind.IPV4 if is_ipv4 else HostKind.REG_NAME


def is_on(host: str, domain: str) -> bool:
    """Report whether a host is a domain, or below it; "" is above every host."""
    return not domain or host == domain or host.endswith(f".{domain}")


def lower_case(text: str) -> str:
    """Lower the case of a part of a URI, except the digits of triplets, which become upper case (RFC 3986 6.2.2.1)."""
    lower = text.lower()
    return _TRIPLET.sub(lambda match: match[0].upper(), lower) if "%" in lower else lower


T = TypeVar("T")
# A bound on the memory: a crawl names more hosts, most come in runs.
_MOST: Final = 65_536


class Memo(dict[Any, T]):
    """Remembers what is made of each host, or of another value that many identifiers share.

    >>> from urisieve.syntax.components import Memo
    >>> memo = Memo(lambda host: host and host.upper())
    >>> memo.of(["a.example", None])
    ['A.EXAMPLE', None]

    Args:
        value: returns what is made of a value.
    """

    def __init__(self, value: Callable[[Any], T]) -> None:
        self._value = value

    def __missing__(self, key: object) -> T:
        if len(self) >= _MOST:
            self.clear()
        found = self[key] = self._value(key)
        return found

    def of(self, keys: Sequence[object]) -> list[T]:
        """Return what is made of some values."""
        return list(map(self.__getitem__, keys))


def parameters(query: str) -> dict[str, str]:
    """Return the first value of each parameter of a query, decoded as forms are (WHATWG URL 5.1).

    `+` is a blank, triplets are UTF-8, and U+FFFD replaces what is not; a name without `=` has the value "".

    >>> from urisieve.syntax.components import parameters
    >>> parameters("q=caf%C3%A9+au+lait&q=2&all")
    {'q': 'caf\u00e9 au lait', 'all': ''}
    """
    from urllib.parse import unquote_plus

    found: dict[str, str] = {}
    for name, _, value in (pair.partition("=") for pair in query.split("&") if pair):
        found.setdefault(unquote_plus(name), unquote_plus(value))
    return found


def surt(parts: Components) -> str:
    """Return the SURT form of a URI.

    Inside parentheses are the labels of the host from the last to the first, a comma after each, then `:` and the
    port, then `@` and the user information. An IPv4 address is as it is, an IP literal is one label. Without an
    authority, or with an empty one, it is the URI itself. URIs have equal forms only if they are equal.

    >>> from urisieve.syntax.components import split
    >>> surt(split("https://joe@www.example.com:8042/a?b"))
    'https://(com,example,www,:8042@joe)/a?b'
    >>> surt(split("http://192.0.2.1/")), surt(split("http://[2001:db8::1]/")), surt(split("urn:isbn:0395363411"))
    ('http://(192.0.2.1)/', 'http://([2001:db8::1],)/', 'urn:isbn:0395363411')

    Args:
        parts: the components of a URI.
    """
    _, userinfo, host, port, _, _, _ = parts
    if not host and port is None and userinfo is None:
        return recompose(parts)
    before = _reversed(host or "")
    if port is not None:
        before = f"{before}:{port}"
    if userinfo is not None:
        before = f"{before}@{userinfo}"
    return recompose(parts._replace(userinfo=None, host=f"({before})", port=None))


@lru_cache(_MOST)
def _reversed(host: str) -> str:
    if host[:1] == "[":
        return f"{host},"
    if not host or host_kind(host) is HostKind.IPV4:
        return host
    # No name of the DNS has a comma. A final dot, which no labels have, states that these are none.
    return f"{host}." if "," in host else f"{','.join(host.split('.')[::-1])},"
