"""Identifiers that are defanged: in a form that is not a link.

There is no standard for it. The form is the one that reports and feeds use most, and `Options(refang=True)` reads that
of anything with an authority back.
"""

from __future__ import annotations

from types import EllipsisType

from urisieve import shapes
from urisieve.lean import Final, lazy_compile, overload
from urisieve.shapes import Default

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


@overload
def defang(text: str) -> str: ...


@overload
def defang(text: str | None, *, default: Default) -> str | Default: ...


def defang(text: str | None, *, default: Default | EllipsisType = ...) -> str | Default:
    """Return an identifier in a form that is not a link.

    >>> from urisieve import defang
    >>> defang("https://evil.example/a.html?u=http://e.example/")
    'hxxps://evil[.]example/a.html?u=http:[/]/e.example/'
    >>> defang("ssh://evil.example"), defang("mailto:bob@evil.example"), defang("urn:isbn:0395363411")
    ('ssh[://]evil[.]example', 'mailto[:]bob[@]evil[.]example', 'urn:isbn:0395363411')

    With an authority, the scheme has a letter changed (`hxxp`), or its colon in brackets, and so has each dot of the
    authority; further links inside lose theirs. Without one, the colon, the at-sign and the dots after it are in
    brackets; a URN stays as it is. Anything else, and what is defanged already, is returned unchanged.

    Args:
        text: an identifier, in any form.
        default: returned for a missing value (None, NaN, NA of pandas), which is an error without it.

    Raises:
        UsageError: it is not a string.
    """
    if not isinstance(text, str):
        return shapes.missing("text", text, default)
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return text
    scheme, slashes, authority, rest = parts.groups()
    rest = _defanged_inner(rest)
    if authority is not None:
        known = _CHANGED.get(scheme.lower(), scheme)
        head = f"{known}:{slashes}" if known.lower() in _CHANGED.values() else f"{known}[:{slashes}]"
        # Joined once more: in `http://http://e.example/` the inner link begins in the authority.
        return head + _defanged_inner(f"{_ANY_DOT.sub('[.]', authority)}{rest}")
    if scheme.lower() in _NAMES:
        return text
    local, at, domain = rest.partition("@")
    return f"{scheme}[:]{local}[@]{_ANY_DOT.sub('[.]', domain)}" if at else f"{scheme}[:]{rest}"


def without_links(text: str) -> str:
    """Return a text in which no link with an authority begins."""
    return text.replace("://", ":[/]/")


def _defanged_inner(text: str) -> str:
    text = without_links(text)
    return _ESCAPED.sub(r":[\1]", text) if ":\\" in text else text


# An address in the name of a source; no scheme that is in use is longer, and the bound keeps the search linear.
INNER_ADDRESS: Final = lazy_compile(r"(?s)[A-Za-z][A-Za-z0-9+.\-]{0,39}+://.*+")

_DOT: Final = lazy_compile(r"(?<!\[)\.(?!\])")
_MARKS: Final = lazy_compile(r"://|(?<![.\[])\.(?![.\]])")
# A scheme and its colon, as a text that is defanged already may contain it.
_SCHEME_BEGIN: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+\-.]*+(?:://|\[)")


def defanged_raw(raw: str, uri: str) -> str:
    """Return the raw text of an identifier in a form that is not a link; also one without a scheme, or a reference.

    >>> defanged_raw("www.evil.example:80/a", "http://www.evil.example/a")
    'www[.]evil[.]example:80/a'
    """
    scheme = uri.partition(":")[0]
    if raw[: len(scheme) + 1].lower() == f"{scheme.lower()}:" or _SCHEME_BEGIN.match(raw):
        return defang(raw)
    if scheme == "mailto":
        return defang(f"mailto:{raw}").removeprefix("mailto[:]")
    return defang(f"http://{raw}").removeprefix("hxxp://")


def defanged_part(text: str) -> str:
    """Return a chunk of a text that is not valid in a form that is not a link, character by character.

    >>> defanged_part("...a.evil.example:80ab/x"), defanged_part("http://")
    ('...a[.]evil[.]example:80ab/x', 'http[://]')
    """
    return _MARKS.sub(r"[\g<0>]", text)


def defanged_invalid(raw: str) -> str:
    """Return a candidate that is not an identifier in a form that contains no link, wherever one begins in it.

    >>> defanged_invalid("http://a.example:80ab/"), defanged_invalid("'http://a.example/' and more")
    ('hxxp://a[.]example:80ab/', "'http[://]a[.]example/' and more")
    """
    if "://" in raw and not _SCHEME_BEGIN.match(raw):
        return defanged_part(raw)
    return defanged_raw(raw, "mailto:" if raw[:7].lower() == "mailto:" else "")


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


def defanged_path(path: str, uri: str) -> str:
    """Return a path without links, and that of a `mailto` without addresses."""
    scheme, _, rest = uri.partition(":")
    if rest.startswith("//") or scheme.lower() == "urn":
        return without_links(path)
    return defang(f"mailto:{path}").removeprefix("mailto[:]")


def defanged_host(host: str) -> str:
    """Return a host with its dots in brackets."""
    return _DOT.sub("[.]", host)
