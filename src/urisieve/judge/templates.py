"""Templates of links: what differs between links of one form, such as numbers and digests, becomes `{}`.

The rule looks at the text alone, without a dictionary, and at each part for itself: a segment of the path, or the value
of a parameter. Letters and digits with nothing else between them are a word. These become `{}`, wherever no letter or
digit is right before or after them:

1. a whole part that is a number with a sign, a date with escapes (`%3A`), or random with `+`, `/` or `=`, as base64;
2. a UUID, a date or time of ISO 8601, and a word of 8 or more hexadecimal digits with a decimal one among them;
3. 16 or more characters of a word, or of words joined by `-` and `_` (RFC 4648 5), that are random: there is a digit,
   every four characters on average they change between small letters, capitals (one before small letters does not
   count) and digits, and each word of four or more changes;
4. a number, also with dots (`1.2.3`); and four or more digits within a word.

Braces are in no URI (RFC 3986 2), so that `{}` means nothing else, and a template is its own template.

The module also defines the key by which archives of the web list captures: `archive_key`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from types import EllipsisType
from urllib.parse import quote_from_bytes, unquote_to_bytes

from urisieve import shapes
from urisieve.kernel import either, kernel
from urisieve.lean import Final, lazy_compile, overload
from urisieve.shapes import Default
from urisieve.syntax.components import Components, recompose
from urisieve.syntax.passwords import passwords, replaced

_ANY: Final = "{}"
# Neither a word nor a placeholder goes on before and after what is replaced, so that no second look finds more.
_BEGIN: Final = r"(?<![0-9A-Za-z}])"
_END: Final = r"(?![0-9A-Za-z{])"
# The characters of what may be random, at least, and of a word of it that must change; between changes at most.
_LEAST: Final = 16
_CHANGING: Final = 4
_LEAST_HEXADECIMAL: Final = 8
_TIME: Final = (
    "[0-9]{2}COLON?[0-9]{2}(?:COLON?[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:[Zz]|(?:[+-]|%2B)[0-9]{2}COLON?(?:[0-9]{2})?)?"
)
_DATE: Final = rf"(?:[0-9]{{4}}-[01][0-9](?:-[0-3][0-9](?:[Tt_+]{_TIME})?)?|[0-9]{{8}}[Tt]{_TIME})"
_CLOCK: Final = "[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?[Zz]?"

# What stays: the scheme and an authority; without one the scheme, or the namespace of a URN.
_HEAD: Final = lazy_compile(r"(?>[^/:]*+:)?+//[^/]*+|[Uu][Rr][Nn]:[^:/]*+:|[A-Za-z][A-Za-z0-9+.\-]*+:|")
# Only a part with a digit changes: a segment, or the value of a parameter. Of links without any, most have no more.
_SEGMENT: Final = lazy_compile("(?<![^/])()([^/0-9]*+[0-9][^/]*+)")
_VALUE: Final = lazy_compile("(?<![^&])((?>[^&=]*+=)?+)([^&0-9]*+[0-9][^&]*+)")
_UNCHANGED: Final = lazy_compile("https?://[^/?#@]*+[^#@0-9]*+")
_DIGIT: Final = lazy_compile("[0-9]")
_SIGNED: Final = lazy_compile(
    rf"[+-][0-9]++(?:\.[0-9]++)?|{_DATE}".replace("COLON", "(?::|-|%3A)").replace("[Tt_+]", "(?:[Tt_+]|%20)")
)
_BASE64: Final = lazy_compile("(?=[0-9A-Za-z_-]*+[+/%=])((?>[0-9A-Za-z_+/-]|%2[BF])++)(?:=|%3D){0,2}")
_TRIPLETS: Final = lazy_compile("((?:%(?:25)*[0-9A-Fa-f]{2})+)")
_KNOWN: Final = lazy_compile(
    rf"{_BEGIN}(?:[0-9A-Fa-f]{{8}}(?:-[0-9A-Fa-f]{{4}}){{3}}-[0-9A-Fa-f]{{12}}|{_DATE}|{_CLOCK}"
    rf"|(?=[A-Fa-f]*+[0-9])[0-9A-Fa-f]{{{_LEAST_HEXADECIMAL},}}+){_END}".replace("COLON", "[:-]")
)
_LONG_WORD: Final = lazy_compile(rf"{_BEGIN}[0-9A-Za-z]{{{_LEAST},}}+{_END}")
_JOINED: Final = lazy_compile(rf"(?<![0-9A-Za-z_{{}}-])[0-9A-Za-z_-]{{{_LEAST},}}+(?![{{}}])")
_NUMBER: Final = lazy_compile(rf"{_BEGIN}[0-9]++{_END}(?:\.[0-9]++{_END})*|(?<![0-9])[0-9]{{4,}}+")
_SEPARATORS: Final = lazy_compile("[_+/-]|%2[BF]")
# Letters of one case, of which the first may be a capital, or digits.
_SAME: Final = lazy_compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# Parts of so many characters are remembered, so many of them. In logs most come again.
_SHORT: Final = 64
_REMEMBERED: Final = 16_384


@overload
def template_of(uri: str) -> str: ...


@overload
def template_of(uri: str | None, *, default: Default) -> str | Default: ...


def template_of(uri: str | None, *, default: Default | EllipsisType = ...) -> str | Default:
    """Return the template of a link: its numbers, UUIDs, hexadecimal digits, dates and long random words are `{}`.

    Scheme, user information, host, port, the namespace of a URN and the names of parameters stay; a password is `***`,
    and the fragment is left out. Without an authority what is after the scheme is a path, too. The template of a
    template is itself.

    >>> from urisieve import template_of
    >>> template_of("https://a.example/v1/users/4711/order-12345.html?id=3f2a9c1b77de&sort=up#top")
    'https://a.example/v1/users/{}/order-{}.html?id={}&sort=up'
    >>> template_of("urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), template_of("tel:+12025550100")
    ('urn:uuid:{}', 'tel:{}')

    Args:
        uri: a canonical identifier, such as `Record.uri`; the templates of two spellings may differ.
        default: returned for a missing value (None, NaN, NA of pandas), which is an error without it.

    Raises:
        UsageError: `uri` is not a string.
    """
    if not isinstance(uri, str):
        return shapes.missing("uri", uri, default)
    return _template(uri)


def templates(uris: Sequence[str]) -> list[str]:
    """Return the templates of some links; equal ones are one object, as sinks look at each object once."""
    made: dict[str, str] = {}
    of_link: dict[str, str] = {}
    distinct = list(dict.fromkeys(uris))
    for uri, known in zip(distinct, _plain(distinct), strict=True):
        text = _template(uri) if known is None else known
        of_link[uri] = made.setdefault(text, text)
    return list(map(of_link.__getitem__, uris))


def _plain_by_kernel(uris: list[str]) -> list[str | None]:
    return kernel.templates(uris)


_plain: Final = either(_plain_by_kernel, lambda uris: [None] * len(uris))


def _template(uri: str) -> str:
    if _UNCHANGED.fullmatch(uri) is not None and "40" not in uri:  # an encoded at-sign
        return uri
    text = uri.partition("#")[0] if "#" in uri else uri
    if "@" in text or "40" in text or text[:4] != "http":  # else there is no password, as few characters tell
        text = replaced(text, passwords(text))
    path, mark, query = text.partition("?")
    start = _HEAD.match(path).end()  # type: ignore[union-attr] # it matches what is empty
    made = path[:start] + _SEGMENT.sub(_part, path[start:])
    return f"{made}?{_VALUE.sub(_part, query)}" if mark else made


def _part(match: re.Match[str]) -> str:
    """Return a segment of a path, or a value with what is before it, with `{}`."""
    before, text = match.groups()
    if text.isdecimal() and text.isascii():
        return f"{before}{_ANY}"
    return before + (_remembered(text) if len(text) <= _SHORT else _made(text))


def _made(text: str) -> str:
    if len(text) < _LEAST_HEXADECIMAL and text.isalnum():
        return _NUMBER.sub(_ANY, text)
    if _SIGNED.fullmatch(text) is not None:
        return _ANY
    whole = _BASE64.fullmatch(text) if len(text) >= _LEAST else None
    if whole is not None and _is_random(whole[1]):
        return _ANY
    if "%" not in text:
        return _words(text)
    pieces = _TRIPLETS.split(text)
    pieces[::2] = map(_words, pieces[::2])
    return "".join(pieces)


_remembered: Final = lru_cache(_REMEMBERED)(_made)


def _words(text: str) -> str:
    """Return a text without triplets with `{}`."""
    text = _KNOWN.sub(_ANY, text)
    if _DIGIT.search(text) is None:
        return text
    if len(text) >= _LEAST:
        text = _JOINED.sub(_if_random, text)
        text = _LONG_WORD.sub(_if_random, text)
    return _NUMBER.sub(_ANY, text)


def _if_random(match: re.Match[str]) -> str:
    return _ANY if _is_random(match[0]) else match[0]


def _is_random(text: str) -> bool:
    """Report whether words, joined by the signs of base64, are random."""
    if _DIGIT.search(text) is None:
        return False
    letters = changes = 0
    for word in _SEPARATORS.split(text):
        same = len(_SAME.findall(word))
        if same == 1 and len(word) >= _CHANGING:
            return False
        letters += len(word)
        changes += max(0, same - 1)
    return changes * _CHANGING >= letters > 0


# What is not encoded, beside letters, digits, `_`, `.`, `-` and `~`.
_SAFE: Final = "!\"$&'()*+,/:;<=>?@[\\]^`{|}"
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_PERCENT: Final = 0x25
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_WWW: Final = lazy_compile(r"www[0-9]*\.")
# Directories that are before a page of ASP.NET, and the ends of pairs of a query.
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

    It joins with the `urlkey` of CDX and CDXJ files. There is no standard: the key is what the canonicalizer of the
    Internet Archive writes, of which the Python package `surt` is the edition that `cdxj-indexer` and pywb call. Its
    rules, in their order:

    1. Scheme and user information are left out, where there is a host; the fragment always.
    2. Host, path and query are percent-decoded until nothing changes; then blanks, controls, `#`, `%` and octets beyond
       ASCII are encoded, and all is in lower case.
    3. In the host two dots become one, and dots at its ends go. A host of numbers is read as `inet_aton` does. The
       start `www.`, `www1.` and so on goes, whatever follows: its fault is that `www1355544.com` becomes `com`.
    4. The labels are reversed, also the numbers of an IPv4 address. The port stays unless it is that of `http` or
       `https`.
    5. Dot segments are removed, but `..` above the root stays; of several slashes one stays, and none at the end.
    6. Session identifiers of ASP.NET leave the path, those of Java, PHP, ASP and ColdFusion the query.
    7. The pairs of the query are sorted; a query that is empty then goes.

    The key follows from the canonical URI, which does not contain all of the URI as it was written. An archive writes
    another key where there was a default port of a scheme beside `http` and `https`, `..` above the root, a scheme
    twice (`http://https://...`), a host that IDNA 2003 maps in another way (`ß`), or, without a host, what the scheme
    or the namespace compares as one: a hyphen in `tel:+1-2`, `URN:`. Different URIs have the same key, as the archives
    mean it. A URI with a port above 65535 is its own key.

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
    query = _without_query_sessions(_encoded(_decoded(parts.query))) if parts.query else ""
    query = "&".join("=".join(pair) for pair in sorted(pair.split("=", 1) for pair in query.split("&")))
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
    """Remove the last session of each kind that a page follows; `?` may be in a path that was decoded."""
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
    """Remove the last session of each kind, with the `&` after it."""
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
