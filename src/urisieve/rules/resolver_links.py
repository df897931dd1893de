"""Rows of the resolvers of persistent identifiers: which links lead to a DOI, a Handle, an ARK, a URN or a paper.

The rows are those of `rules/registry/resolver_links.txt`.
"""

from __future__ import annotations

import re
from functools import cache

from urisieve.lean import Any, Final, NamedTuple, lazy_compile
from urisieve.rules.registry import blocks_of
from urisieve.syntax import grammar
from urisieve.syntax.components import Components

_PORTS: Final = {"http": "80", "https": "443"}
_TRIPLET: Final = lazy_compile("%[0-9A-Fa-f]{2}")


class ResolverLink(NamedTuple):
    """The links of one resolver.

    The schemes are http and https, unless the row has others, which have no host: their names contain an identifier.
    A link with user information or with a port is no such link. A query is an
    instruction to the resolver, such as what to return: unless the row states otherwise, a link that has one stays as
    it is. A fragment points into what was retrieved, and stays after the identifier; a URN of RFC 2141 has none, so
    that a link to one stays as it is.

    Attributes:
        title: the resolver, in a few words.
        reference: where its links are documented.
        hosts: its host names in lower case; empty for any host.
        before: a pattern of the path up to the identifier, or of all of the path if there is a `parameter`.
        parameter: the name of the parameter of the query that contains the identifier; "" if the path does.
        name: a pattern of the identifier without `prefix` and `suffix`; if it has groups, they are the identifier.
        prefix: what is before it as a URI, such as `doi:`.
        suffix: what is after it as a URI.
        after: a pattern of the path after the identifier.
        schemes: the schemes of the links, in lower case.
        decodes: triplets of characters that a path may contain are decoded, as the resolver does. Otherwise they belong
            to the identifier, unless the colon of its scheme is one.
        drops_query: the query does not belong to the identifier, by its own specification.
        same: pairs of a link and its identifier.
        different: pairs of a link and an identifier that it is not.
    """

    title: str
    reference: str
    hosts: tuple[str, ...]
    before: str
    name: str
    prefix: str = ""
    suffix: str = ""
    after: str = ""
    parameter: str = ""
    decodes: bool = False
    drops_query: bool = False
    schemes: tuple[str, ...] = ("http", "https")
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[tuple[str, str], ...] = ()


def _row(block: dict[str, list[str]]) -> ResolverLink:
    """Return the row of a block of the table."""
    fields: dict[str, Any] = {field: values[0] for field, values in block.items()}
    fields["hosts"] = tuple(block.get("hosts", ()))
    fields |= {field: tuple(block[field]) for field in ("schemes",) if field in block}
    fields |= {field: field in block for field in ("decodes", "drops_query")}
    fields |= {field: tuple(tuple(pair.split()) for pair in block[field]) for field in ("same", "different")}
    return ResolverLink(**fields)


RESOLVER_LINKS: Final = tuple(map(_row, blocks_of("resolver_links")))


@cache
def _pattern(row: ResolverLink) -> re.Pattern[str]:
    """Return the pattern of the path of the links, with the identifier as its group."""
    return re.compile(f"{row.before}()" if row.parameter else f"{row.before}({row.name}){row.after}", re.DOTALL)


def _decoded(text: str) -> str:
    """Decode the triplets of characters that a path may contain (RFC 3986 3.3); others stay, as a URI needs them."""
    plain = grammar.compiled("slashchar")

    def one(triplet: re.Match[str]) -> str:
        character = chr(int(triplet[0][1:], 16))
        return character if character.isascii() and plain.fullmatch(character) else triplet[0].upper()

    return _TRIPLET.sub(one, text) if "%" in text else text


_ENCODED_SCHEME: Final = lazy_compile("[A-Za-z]+%3[Aa]")


def identifier_of(parts: Components) -> str | None:
    """Return the identifier to which a link of a resolver leads; None if the link is not one.

    It is not judged: if it is not valid, the link is not one either.

    Args:
        parts: the components of a valid URI.
    """
    scheme, userinfo, host, port, path, _, _ = parts
    scheme, host = scheme.lower(), host and host.lower()
    if userinfo is not None or port not in (None, "", _PORTS.get(scheme)) or bool(host) is not (scheme in _PORTS):
        return None
    # Those of this host first, then those of any host.
    rows = [row for row in RESOLVER_LINKS if scheme in row.schemes and (host in row.hosts or not row.hosts)]
    rows.sort(key=lambda row: not row.hosts)
    found = (_identifier(row, path, parts) for row in rows)
    return next((identifier for identifier in found if identifier is not None), None)


def _identifier(row: ResolverLink, path: str, parts: Components) -> str | None:
    query = None if row.drops_query else parts.query
    if row.parameter:
        name, equals, text = (query or "").partition("=")
        if name != row.parameter or not equals or "&" in text or _pattern(row).fullmatch(path) is None:
            return None
        text = _decoded(text) if _ENCODED_SCHEME.match(text) else text
        if re.fullmatch(row.name, text) is None:
            return None
    else:
        if query is not None:
            return None
        if row.decodes or _ENCODED_SCHEME.match(path, 1):
            path = _decoded(path)
        match = _pattern(row).fullmatch(path)
        if match is None:
            return None
        text = "".join(filter(None, match.groups()[1:])) or match[1]
    text = f"{row.prefix}{text}{row.suffix}"
    if parts.fragment is None:
        return text
    return None if text[:4].lower() == "urn:" else f"{text}#{parts.fragment}"
