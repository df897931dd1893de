"""The key by which archives of the web list captures: the `urlkey` of CDX and CDXJ files.

There is no standard: the key is what the canonicalizer of the Internet Archive writes, of which the Python package
`surt` is the edition that `cdxj-indexer` and pywb call. Its rules, in their order:

1. Scheme and user information are left out, where there is a host; the fragment always.
2. Host, path and query are percent-decoded until nothing changes; then blanks, controls, `#`, `%` and octets beyond
   ASCII are encoded, and all is in lower case.
3. In the host two dots become one, and dots at its ends go. A host of numbers is read as `inet_aton` does. The start
   `www.`, `www1.` and so on goes, whatever follows: its fault is that `www1355544.com` becomes `com`.
4. The labels are reversed, also the numbers of an IPv4 address. The port stays unless it is that of `http` or `https`.
5. Dot segments are removed, but `..` above the root stays; of several slashes one stays, and none at the end.
6. Session identifiers of ASP.NET leave the path, those of Java, PHP, ASP and ColdFusion the query.
7. The pairs of the query are sorted; a query that is empty then goes.

The key follows from the canonical URI, which does not say all of the URI as it was written. An archive writes another
key where there was a default port of a scheme beside `http` and `https`, `..` above the root, a scheme twice
(`http://https://...`), a host that IDNA 2003 maps in another way (`ß`), or, without a host, what the scheme or the
namespace compares as one: a hyphen in `tel:+1-2`, `URN:`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import quote_from_bytes, unquote_to_bytes

from urisieve.lean import Final, lazy_compile
from urisieve.syntax.components import Components, recompose

# What is not encoded, beside letters, digits, `_`, `.`, `-` and `~`.
_SAFE: Final = "!\"$&'()*+,/:;<=>?@[\\]^`{|}"
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_PERCENT: Final = 0x25
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_WWW: Final = lazy_compile(r"www[0-9]*\.")
# Directories that stand before a page of ASP.NET, and the ends of pairs of a query.
_PATH_SESSIONS: Final = (
    lazy_compile(r"(?<=/)\((?:[a-z]\([0-9a-z]{24}\))+\)/"),
    lazy_compile(r"(?<=/)\([0-9a-z]{24}\)/"),
)
_QUERY_SESSIONS: Final = (
    lazy_compile(r"jsessionid=[0-9a-z]{32}\Z"),
    lazy_compile(r"phpsessid=[0-9a-z]{32}\Z"),
    lazy_compile(r"sid=[0-9a-z]{32}\Z"),
    lazy_compile(r"aspsessionid[a-z]{8}=[a-z]{24}\Z"),
)
_PAGE: Final = ".aspx"
_ID, _TOKEN = "cfid=", "cftoken="


def archive_key(parts: Components) -> str:
    """Return the key by which archives of the web list captures of a URI.

    It joins with the `urlkey` of CDX and CDXJ files; the module says what becomes of a URI. Different URIs have the
    same key, as the archives mean it. A URI with a port above 65535 is its own key.

    >>> from urisieve.syntax.components import split
    >>> archive_key(split("https://joe@www2.example.com:8042/A//b/?y=2&X=%31#top"))
    'com,example:8042)/a/b?x=1&y=2'
    >>> archive_key(split("urn:isbn:0395363411")), archive_key(split("http://www1355544.com/"))
    ('urn:isbn:0395363411', 'com)/')

    Args:
        parts: the components of a canonical URI.
    """
    scheme = parts.scheme
    digits = (parts.port or "").lstrip("0")
    if len(digits) > 5 or int(digits or "0") > 65_535:
        return recompose(parts)
    host = _host(parts.host) if parts.host else ""
    octets = _decoded(parts.path)
    path = _without_path_sessions(_encoded(_without_dots(octets) if host else octets))
    if len(path) > 1:
        path = path.removesuffix("/")
    query = _sorted(_without_query_sessions(_encoded(_decoded(parts.query)))) if parts.query else ""
    if query:
        query = f"?{query}"
        path = path or "/"
    if not host:
        return f"{scheme}:{path}{query}"
    numbered = None if scheme == "dns" else _WWW.match(host)
    if numbered:
        host = host[numbered.end() :]
    port = "" if digits in ("", _DEFAULT_PORTS.get(scheme)) else f":{digits}"
    return f"{','.join(host.split('.')[::-1])}{port}){path}{query}"


def has_lost_name(host: str) -> bool:
    """Report whether the rule about `www` leaves less of a canonical host than a name of two labels.

    >>> has_lost_name("www1355544.com"), has_lost_name("www2.a.example")
    (True, False)
    """
    numbered = _WWW.match(host)
    return numbered is not None and "." not in host[numbered.end() :]


def _decoded(text: str) -> bytes:
    """Decode triplets until there are none, in linear time; what decoding makes may be digits of another triplet."""
    octets = unquote_to_bytes(text)
    if _PERCENT not in octets:
        return octets
    made = bytearray()
    for octet in octets:
        made.append(octet)
        while len(made) > 2 and made[-3] == _PERCENT and made[-2] in _HEX and made[-1] in _HEX:
            made[-3:] = bytes.fromhex(made[-2:].decode("ascii"))
    return bytes(made)


def _encoded(octets: bytes) -> str:
    return quote_from_bytes(octets, _SAFE).lower()


def _host(host: str) -> str:
    octets = _decoded(host[1:-1] if host[0] == "[" else host)
    if not octets.isascii():
        with suppress(ValueError):
            octets = octets.decode("utf-8", "ignore").encode("idna")
    octets = octets.replace(b"..", b".").strip(b".")
    return _ipv4(octets) or _encoded(octets)


def _ipv4(host: bytes) -> str | None:
    """Return the IPv4 address that a host of numbers means, with the parts as in C; None for a name."""
    parts = host.split(b".")
    if len(parts) > 4 or not all(map(bytes.isdigit, parts)):
        return None
    if len(parts) == 1:  # of any size, and always decimal; 10**32 is a multiple of 2**32
        value = int(host[-32:]) & 0xFFFF_FFFF
    elif host[:1] == b"0" and not {*b"89"}.isdisjoint(host):
        return None
    else:
        try:
            *firsts, last = [int(part, 8 if part[:1] == b"0" else 10) for part in parts]
        except ValueError:
            return None
        if max(firsts) > 255 or last >= 256 ** (5 - len(parts)):
            return None
        value = last
        for index, number in enumerate(firsts):
            value += number << 24 - 8 * index
    return ".".join(map(str, value.to_bytes(4, "big")))


def _without_dots(path: bytes) -> bytes:
    """Return a path of an authority without dot segments and empty segments; it begins with a slash."""
    kept: list[bytes] = []
    for segment in path.split(b"/")[1:]:
        if segment == b".." and kept:
            kept.pop()
        elif segment != b".":
            kept.append(segment)
    return b"/" + b"/".join(filter(None, kept))


def _without_path_sessions(path: str) -> str:
    """Remove the last session of each kind that a page follows; `?` may stand in a path that was decoded."""
    if _PAGE not in path:
        return path
    for session in _PATH_SESSIONS:
        stretches = path.split("?")
        for index in reversed(range(len(stretches))):
            stretch = stretches[index]
            page = stretch.rfind(_PAGE)
            spans = [found.span() for found in session.finditer(stretch) if found.end() < page]
            if spans:
                start, end = spans[-1]
                stretches[index] = stretch[:start] + stretch[end:]
                path = "?".join(stretches)
                break
    return path


def _without_query_sessions(query: str) -> str:
    """Remove the last session of each kind, with the `&` behind it."""
    for session in _QUERY_SESSIONS:
        pairs = query.split("&")
        for index in reversed(range(len(pairs))):
            found = session.search(pairs[index])
            if found:
                query = _cut(pairs, index, found.start(), 1)
                break
    pairs = query.split("&")
    for index in reversed(range(len(pairs) - 1)):
        start = pairs[index].rfind(_ID, 0, len(pairs[index]) - 1)
        if start >= 0 and pairs[index + 1].startswith(_TOKEN) and pairs[index + 1] != _TOKEN:
            return _cut(pairs, index, start, 2)
    return query


def _cut(pairs: Sequence[str], index: int, start: int, count: int) -> str:
    """Return a query without some pairs from one on, of which the first characters stay."""
    return "&".join([*pairs[:index], pairs[index][:start]]) + "&".join(pairs[index + count :])


def _sorted(query: str) -> str:
    return "&".join("=".join(pair) for pair in sorted(pair.split("=", 1) for pair in query.split("&")))
