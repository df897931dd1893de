"""Rows of the resolvers of persistent identifiers: which links are only a way to a DOI, a Handle, an ARK or a URN."""

from __future__ import annotations

import re
from functools import cache

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.syntax import grammar
from urisieve.syntax.components import Components

_PORTS: Final = {"http": "80", "https": "443"}
_TRIPLET: Final = lazy_compile("%[0-9A-Fa-f]{2}")


class ResolverLink(NamedTuple):
    """The links of one resolver.

    The schemes are http and https; a link with user information or with a port is no such link. A query is an
    instruction to the resolver, such as what to return: unless the row says otherwise, a link that has one stays as
    it is. A fragment points into what was retrieved, and stays behind the identifier; a URN of RFC 2141 has none, so
    that a link to one stays as it is.

    Attributes:
        title: the resolver, in a few words.
        reference: where its links are documented.
        hosts: its host names in lower case; empty for any host.
        before: a pattern of the path up to the identifier, or of all of the path if there is a `parameter`.
        parameter: the name of the parameter of the query that holds the identifier; "" if the path does.
        name: a pattern of the identifier without `prefix`.
        prefix: what stands before it as a URI, such as `doi:`.
        decodes: triplets of characters that a path may hold are decoded, as the resolver does. Otherwise they belong
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
    parameter: str = ""
    decodes: bool = False
    drops_query: bool = False
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[tuple[str, str], ...] = ()


# DOI Handbook, "DOI Syntax": "10.", the registrant code, a slash, the suffix.
_DOI: Final = r"10\.[0-9.]+/.+"
_URN: Final = "[Uu][Rr][Nn]:.+"
_NBN: Final = "[Uu][Rr][Nn]:[Nn][Bb][Nn]:.+"

RESOLVER_LINKS: Final = (
    ResolverLink(
        title="the proxy of the DOI Foundation",
        reference="DOI Handbook, DOI Name Encoding Rules for URL Presentation; DOI Resolution Documentation 1, 2",
        hosts=("doi.org", "dx.doi.org", "www.doi.org"),
        before="/(?:[Dd][Oo][Ii]:)?",
        name=_DOI,
        prefix="doi:",
        decodes=True,
        same=(
            ("https://doi.org/10.1000/182", "doi:10.1000/182"),
            ("http://dx.doi.org/10.1000/ABC", "doi:10.1000/abc"),
            ("https://www.doi.org/10.1000/182", "doi:10.1000/182"),
            ("https://doi.org/doi:10.1000/182", "doi:10.1000/182"),
            ("https://doi.org:443/10.1000%2F182", "doi:10.1000/182"),
            ("http://dx.doi.org/10.1002%2F(sici)1(1999)257%3A2%3C50%3E3", "doi:10.1002/(sici)1(1999)257:2%3C50%3E3"),
            ("https://doi.org/10.1000/456%23789", "doi:10.1000/456%23789"),
            ("https://doi.org/10.1000/182#a", "doi:10.1000/182#a"),
        ),
        different=(
            ("https://doi.org/10.1000/182?type=URL", "doi:10.1000/182"),
            ("https://doi.org/10.1000/182?", "doi:10.1000/182"),
            ("https://doi.org/10.1000/456%3F789", "doi:10.1000/456?789"),
            ("https://doi.org/2027/mdp.1", "hdl:2027/mdp.1"),
            ("https://doi.org/the-identifier/10.1000/182", "doi:10.1000/182"),
            ("https://doi.org:8443/10.1000/182", "doi:10.1000/182"),
            ("https://joe@doi.org/10.1000/182", "doi:10.1000/182"),
            ("https://doi.org.example/10.1000/182", "doi:10.1000/182"),
        ),
    ),
    ResolverLink(
        title="identifiers.org",
        reference="identifiers.org documentation, Compact Identifiers; its namespace doi",
        hosts=("identifiers.org",),
        before="/[Dd][Oo][Ii][:/]",
        name=_DOI,
        prefix="doi:",
        decodes=True,
        same=(("https://identifiers.org/doi:10.1000/182", "doi:10.1000/182"),),
        different=(("https://identifiers.org/pubmed:22140103", "pubmed:22140103"),),
    ),
    ResolverLink(
        title="the proxy of the Handle System",
        reference="HDL.NET Proxy Server System 1; RFC 3651 2",
        hosts=("hdl.handle.net",),
        before="/(?:[Hh][Dd][Ll]:)?",
        # RFC 3651 2: a naming authority of segments with dots between them, a slash, and a local name. What begins with
        # "api/handles/" asks the proxy for the values of a handle.
        name=r"(?!api/handles/)[0-9A-Za-z_\-]+(?:\.[0-9A-Za-z_\-]+)*/.+",
        prefix="hdl:",
        decodes=True,
        same=(
            ("https://hdl.handle.net/20.1000/5555", "hdl:20.1000/5555"),
            ("http://hdl.handle.net/2027%2Fmdp.1", "hdl:2027/mdp.1"),
            ("https://hdl.handle.net/10.1000/182", "hdl:10.1000/182"),
        ),
        different=(
            ("https://hdl.handle.net/20.1000/5555?index=3", "hdl:20.1000/5555"),
            ("https://hdl.handle.net/20.1000/5555/", "hdl:20.1000/5555"),
            ("https://hdl.handle.net/api/handles/20.1000/5555", "hdl:api/handles/20.1000/5555"),
            ("https://hdl.handle.net/2027/a", "hdl:2027/A"),
            ("https://www.handle.net/20.1000/5555", "hdl:20.1000/5555"),
        ),
    ),
    ResolverLink(
        title="any server of ARKs",
        # Two ARKs are compared after all up to the first "/ark:" and the query are removed, whatever the host. A link
        # that holds another one, as that of a web archive, leads to something else.
        reference="draft-kunze-ark-39, Normalization and Lexical Equivalence, steps 1 and 2",
        hosts=(),
        before="(?:(?!/[Aa][Rr][Kk]:|:/|%3[Aa]%2[Ff]).)*/",
        name=r"[Aa][Rr][Kk]:/?[0-9bcdfghjkmnpqrstvwxz]{5,9}/.+",
        drops_query=True,
        same=(
            ("https://n2t.net/ark:/12148/btv1b8449691v", "ark:/12148/btv1b8449691v"),
            ("https://ark.bnf.fr/ark:/12148/btv1b8449691v?info", "ark:/12148/btv1b8449691v"),
            ("http://e.example/find/ark:12148/btv1b#p", "ark:12148/btv1b#p"),
        ),
        different=(
            ("https://n2t.net/ark:/12148/btv1b", "ark:/12148/btv1B"),
            ("https://n2t.net/ark:/12148/a%2Fb", "ark:/12148/a/b"),
            ("https://e.example/park:/12148/btv1b", "ark:/12148/btv1b"),
            ("https://e.example/?ark:/12148/btv1b", "ark:/12148/btv1b"),
            ("https://web.archive.org/web/2020/https://n2t.net/ark:/12148/btv1b", "ark:/12148/btv1b"),
            ("https://web.archive.org/web/2020/https:/n2t.net/ark:/12148/btv1b", "ark:/12148/btv1b"),
        ),
    ),
    ResolverLink(
        title="the URN:NBN resolver of the German National Library",
        reference="Deutsche Nationalbibliothek, URN service, URN resolver",
        hosts=("nbn-resolving.org", "www.nbn-resolving.org", "nbn-resolving.de", "www.nbn-resolving.de"),
        before="/",
        name=_NBN,
        same=(
            ("https://nbn-resolving.org/urn:nbn:de:bvb:19-146642", "urn:nbn:de:bvb:19-146642"),
            ("http://nbn-resolving.de/urn%3Anbn%3Ade%3Abvb%3A19-146642", "urn:nbn:de:bvb:19-146642"),
        ),
        different=(
            ("https://nbn-resolving.org/urn:nbn:de:bvb:19-1#a", "urn:nbn:de:bvb:19-1"),
            ("https://nbn-resolving.org/urn:nbn:de:bvb:19-1?a", "urn:nbn:de:bvb:19-1"),
            ("https://nbn-resolving.org/urn:nbn:de:bvb:19-1%2Fa", "urn:nbn:de:bvb:19-1/a"),
        ),
    ),
    ResolverLink(
        title="the URN resolver of the National Library of Finland",
        reference="National Library of Finland, URN registration and persistent URL",
        hosts=("urn.fi", "www.urn.fi"),
        before="/",
        name=_URN,
        same=(
            ("http://urn.fi/URN:NBN:fi-fe201003181510", "urn:nbn:fi-fe201003181510"),
            ("https://urn.fi/URN:ISBN:952-10-0093-7", "urn:isbn:9521000937"),
        ),
        different=(("https://urn.fi/URN:NBN:fi-fe1", "urn:nbn:fi-fe2"),),
    ),
    ResolverLink(
        title="the URN resolver of the National Library of Norway",
        reference="Nasjonalbiblioteket, Standardnummerering, URN",
        hosts=("urn.nb.no", "www.urn.nb.no"),
        before="/",
        name=_URN,
        same=(("http://urn.nb.no/URN:NBN:no-nb_digibok_2007", "urn:nbn:no-nb_digibok_2007"),),
        different=(("http://urn.nb.no/", "urn:nbn:no-nb"),),
    ),
    ResolverLink(
        title="the URN:NBN resolver of the National Library of Sweden",
        reference="Swedish National Data Service, PID recommendations, URN:NBN, resolver 1",
        hosts=("urn.kb.se",),
        before="/resolve",
        parameter="urn",
        name=_NBN,
        same=(
            ("http://urn.kb.se/resolve?urn=urn:nbn:se:uu:diva-3475", "urn:nbn:se:uu:diva-3475"),
            ("https://urn.kb.se/resolve?urn=urn%3Anbn%3Ase%3Alnu%3Adiva-80554", "urn:nbn:se:lnu:diva-80554"),
        ),
        different=(("https://urn.kb.se/resolve?urn=urn:nbn:se:uu:diva-1&a=b", "urn:nbn:se:uu:diva-1"),),
    ),
    ResolverLink(
        title="the national resolver of the Netherlands",
        reference="Koninklijke Bibliotheek, Registration Agency NBN",
        hosts=("persistent-identifier.nl", "www.persistent-identifier.nl"),
        before="/",
        name=_NBN,
        same=(("https://www.persistent-identifier.nl/urn:nbn:nl:ui:13-2j1-9kg", "urn:nbn:nl:ui:13-2j1-9kg"),),
        different=(("https://www.persistent-identifier.nl/?identifier=urn:nbn:nl:ui:13-a", "urn:nbn:nl:ui:13-a"),),
    ),
    ResolverLink(
        title="the URN resolver of the Austrian library network",
        reference="OBVSG, URN-Policy 4.1",
        hosts=("resolver.obvsg.at",),
        before="/",
        name=_NBN,
        same=(("https://resolver.obvsg.at/urn:nbn:at:at-ubw:1-10743", "urn:nbn:at:at-ubw:1-10743"),),
        different=(("https://resolver.obvsg.at/x/urn:nbn:at:at-ubw:1-1", "urn:nbn:at:at-ubw:1-1"),),
    ),
    ResolverLink(
        title="the NBN:IT resolver of the national libraries of Italy",
        reference="Biblioteca nazionale centrale di Firenze, National Bibliography Number",
        hosts=("nbn.depositolegale.it",),
        before="/",
        name=_NBN,
        same=(("http://nbn.depositolegale.it/urn:nbn:it:unimi-2", "urn:nbn:it:unimi-2"),),
        different=(("http://www.depositolegale.it/urn:nbn:it:unimi-2", "urn:nbn:it:unimi-2"),),
    ),
)


@cache
def _by_host() -> dict[str, list[ResolverLink]]:
    found: dict[str, list[ResolverLink]] = {}
    for row in RESOLVER_LINKS:
        for host in row.hosts:
            found.setdefault(host, []).append(row)
    return found


@cache
def _anywhere() -> list[ResolverLink]:
    return [row for row in RESOLVER_LINKS if not row.hosts]


@cache
def _pattern(row: ResolverLink) -> re.Pattern[str]:
    """Return the pattern of the path of the links, with the identifier as its group."""
    return re.compile(f"{row.before}()" if row.parameter else f"{row.before}({row.name})", re.DOTALL)


@cache
def _plain() -> re.Pattern[str]:
    """Return the pattern of a character that a path may hold as it stands (RFC 3986 3.3)."""
    return grammar.compiled("slashchar")


def _decoded(text: str) -> str:
    """Decode the triplets of characters that a path may hold; others stay, as a URI needs them."""

    def one(triplet: re.Match[str]) -> str:
        character = chr(int(triplet[0][1:], 16))
        return character if character.isascii() and _plain().fullmatch(character) else triplet[0].upper()

    return _TRIPLET.sub(one, text) if "%" in text else text


_ENCODED_SCHEME: Final = lazy_compile("[A-Za-z]+%3[Aa]")


def identifier_of(parts: Components) -> str | None:
    """Return the identifier to which a link of a resolver leads; None if the link is not one.

    It is not judged: if it is not valid, the link is not one either.

    Args:
        parts: the components of a valid URI.
    """
    scheme, userinfo, host, port, path, _, _ = parts
    if not host or userinfo is not None or port not in (None, "", _PORTS.get(scheme.lower())):
        return None
    if scheme.lower() not in _PORTS:
        return None
    for row in (*_by_host().get(host.lower(), ()), *_anywhere()):
        found = _identifier(row, path, parts)
        if found is not None:
            return found
    return None


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
        text = match[1]
    if parts.fragment is None:
        return f"{row.prefix}{text}"
    return None if text[:4].lower() == "urn:" else f"{row.prefix}{text}#{parts.fragment}"
