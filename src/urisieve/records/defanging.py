"""Defanged text: an identifier, or a field, written so that no program makes a link of it.

There is no standard. The form is the one that reports and feeds use most, and `Options(refang=True)` reads that of
anything with an authority back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from urisieve.codes import Warn
from urisieve.errors import not_a_string
from urisieve.lean import Any, Final, lazy_compile

_CHANGED: Final = {
    "http": "hxxp",
    "https": "hxxps",
    "ftp": "fxp",
    "ftps": "fxps",
    "sftp": "sfxp",
    "ws": "wxs",
    "wss": "wxss",
}
# Scheme, slashes, which may be escaped, authority, the rest (RFC 3986 3).
_PARTS: Final = lazy_compile(r"(?s)([A-Za-z][A-Za-z0-9+\-.]*+):(?:(\\*+/\\*+/)([^/?#]*+))?(.*+)")
_ESCAPED: Final = lazy_compile(r":(\\+/)")
# Each dot, also those that IDNA takes for one (RFC 3490 3.1).
_ANY_DOT: Final = lazy_compile(r"(?<!\[)[.\u3002\uff0e\uff61](?!\])")
# No program opens one.
_NAMES: Final = frozenset(["urn"])


def defang(text: str) -> str:
    """Return an identifier in a form that is not a link.

    >>> from urisieve import defang
    >>> defang("https://evil.example/a.html?u=http://e.example/")
    'hxxps://evil[.]example/a.html?u=http:[/]/e.example/'
    >>> defang("ssh://evil.example"), defang("mailto:bob@evil.example"), defang("urn:isbn:0395363411")
    ('ssh[://]evil[.]example', 'mailto[:]bob[@]evil[.]example', 'urn:isbn:0395363411')

    With an authority, the scheme has a letter changed (`hxxp`), or its colon in brackets, and so has each dot of the
    authority; further links inside lose theirs. Without one, the colon, the at-sign and the dots behind it are in
    brackets; a URN stays as it is. Anything else, and what is defanged already, is returned unchanged.

    Args:
        text: an identifier, in any form.

    Raises:
        UsageError: it is not a string.
    """
    if not isinstance(text, str):
        raise not_a_string("an identifier", text)
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return text
    scheme, slashes, authority, rest = parts.groups()
    rest = _without_inner(rest)
    if authority is not None:
        known = _CHANGED.get(scheme.lower(), scheme)
        head = f"{known}:{slashes}" if known.lower() in _CHANGED.values() else f"{known}[:{slashes}]"
        # Joined once more: in `http://http://e.example/` the inner link begins in the authority.
        return head + _without_inner(f"{_ANY_DOT.sub('[.]', authority)}{rest}")
    if scheme.lower() in _NAMES:
        return text
    local, at, domain = rest.partition("@")
    return f"{scheme}[:]{local}[@]{_ANY_DOT.sub('[.]', domain)}" if at else f"{scheme}[:]{rest}"


def _without_links(text: str) -> str:
    return text.replace("://", ":[/]/")


def _without_inner(text: str) -> str:
    text = _without_links(text)
    return _ESCAPED.sub(r":[\1]", text) if ":\\" in text else text


# An address in the name of a source; no scheme that is in use is longer, and the bound keeps the search linear.
INNER_ADDRESS: Final = lazy_compile(r"(?s)[A-Za-z][A-Za-z0-9+.\-]{0,39}+://.*+")

_DOT: Final = lazy_compile(r"(?<!\[)\.(?!\])")
_MARKS: Final = lazy_compile(r"://|(?<![.\[])\.(?![.\]])")
# A scheme and its colon, as it may stand in a text that is defanged already.
_SCHEME: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+\-.]*+(?:://|\[)")


def _raw(raw: str, uri: str) -> str:
    """Return the raw text of an identifier in a form that is not a link; also one without a scheme, or a reference.

    >>> defanged_values("raw", ["www.evil.example:80/a"], ["http://www.evil.example/a"])
    ['www[.]evil[.]example:80/a']
    """
    scheme = uri.partition(":")[0]
    if raw[: len(scheme) + 1].lower() == f"{scheme.lower()}:" or _SCHEME.match(raw):
        return defang(raw)
    if scheme == "mailto":
        return defang(f"mailto:{raw}").removeprefix("mailto[:]")
    return defang(f"http://{raw}").removeprefix("hxxp://")


def defanged_part(text: str) -> str:
    """Return a stretch of a text that is not valid in a form that is not a link, character by character.

    >>> defanged_part("...a.evil.example:80ab/x"), defanged_part("http://")
    ('...a[.]evil[.]example:80ab/x', 'http[://]')
    """
    return _MARKS.sub(r"[\g<0>]", text)


def defanged_invalid(raw: str) -> str:
    """Return a candidate that is not an identifier in a form that holds no link, wherever one begins in it.

    >>> defanged_invalid("http://a.example:80ab/"), defanged_invalid("'http://a.example/' and more")
    ('hxxp://a[.]example:80ab/', "'http[://]a[.]example/' and more")
    """
    if "://" in raw and not _SCHEME.match(raw):
        return defanged_part(raw)
    return _raw(raw, "mailto:" if raw[:7].lower() == "mailto:" else "")


def defanged_text(text: str) -> str:
    """Return an identifier, a host or a mail address, or a candidate that is none of them, as it is not a link.

    >>> defanged_text("evil.example:80"), defanged_text("http://evil.example/")
    ('evil[.]example:80', 'hxxp://evil[.]example/')
    """
    if "." in text.partition(":")[0]:  # a host, perhaps with a port, or an address
        return defanged_invalid(text)
    shown = defang(text)
    return defanged_invalid(text) if shown == text and "://" in text else shown


def harmless(text: str) -> str:
    """Return an identifier in a form that is no link, also one without a scheme, or torn by white space."""
    shown = defang(text)
    return torn(text) if shown == text and text[:4].lower() != "urn:" else shown


def torn(text: str) -> str:
    """Return a part of an identifier in a form that is no link."""
    return _DOT.sub("[.]", text.replace("://", "[://]"))


def _path(path: str, uri: str) -> str:
    """Return a path without links, and that of a `mailto` without addresses."""
    scheme, _, rest = uri.partition(":")
    if rest.startswith("//") or scheme.lower() == "urn":
        return _without_links(path)
    return defang(f"mailto:{path}").removeprefix("mailto[:]")


def _host(host: str) -> str:
    """Return a host with its dots in brackets."""
    return _DOT.sub("[.]", host)


def _each(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(defang, values))


def _parts(parts: Mapping[str, str]) -> dict[str, str]:
    return {
        name: _host(_without_links(text)) if name in _HOSTS else _without_links(text) for name, text in parts.items()
    }


def _source(name: str) -> str:
    """Return the name of a source: a path, and perhaps an address behind it, as in archives of the web.

    >>> defanged_values("source", ["a.warc!http://a.example/b.html"], [""])
    ['a.warc!hxxp://a[.]example/b.html']
    """
    return INNER_ADDRESS.sub(lambda found: defang(found[0]), name) if "://" in name else name


def _notices(notices: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return notices with the hosts and addresses of warnings about spoofing defanged."""
    return [{**one, "value": _host(one["value"])} if one["warn"] in _NAMING_HOSTS else dict(one) for one in notices]


# The warnings whose detail is a host or an address, or begins with one.
_NAMING_HOSTS: Final = frozenset(
    (
        Warn.RARE_IPV4,
        Warn.NOT_GLOBAL_ADDRESS,
        Warn.RESEMBLES_PROTECTED,
        Warn.CONTAINS_PROTECTED,
        Warn.USERINFO_HOST,
        Warn.NAMES_TARGET_HOST,
    )
)
# The named parts that are hosts; others may hold an identifier, whose `://` is enough to make a link of it.
_HOSTS: Final = frozenset(("host", "domain", "server"))
# The fields that hold identifiers or parts of them which programs make links of.
_CHANGES: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("uri", "iri", "key", "surt", "template"), defang),
    **dict.fromkeys(("host", "domain"), _host),
    **dict.fromkeys(("query", "fragment", "nss"), _without_links),
    **dict.fromkeys(("source", "subject"), _source),
    "alternatives": _each,
    "parts": _parts,
    "notices": _notices,
}


def defanged_values(name: str, values: Sequence[Any], uris: Sequence[str]) -> Sequence[Any]:
    """Return the values of a field defanged; `uris` are the canonical forms of the same rows."""
    if name == "raw":
        return list(map(_raw, values, uris))
    if name == "path":
        return list(map(_path, values, uris))
    change = _CHANGES.get(name)
    return values if change is None else [None if value is None else change(value) for value in values]


def defanged_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a record or rejection with their values defanged."""
    uri = row.get("uri")
    shown = {name: defanged_values(name, (value,), (uri or "",))[0] for name, value in row.items()}
    if uri is None:
        shown["raw"] = defanged_invalid(row["raw"])
    return shown
