"""Defanged text: an identifier written so that no program makes a link of it, and nobody follows it by accident.

There is no standard. The form is the one that reports and feeds use most, and `Options(refang=True)` reads that of
anything with an authority back.
"""

from __future__ import annotations

from urisieve.errors import not_a_string
from urisieve.lean import Final, lazy_compile

__all__ = ["defang"]

_SCHEMES: Final = {
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
_DOT: Final = lazy_compile(r"(?<!\[)[.\u3002\uff0e\uff61](?!\])")
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
    rest = _without_links(rest)
    if authority is not None:
        known = _SCHEMES.get(scheme.lower(), scheme)
        head = f"{known}:{slashes}" if known.lower() in _SCHEMES.values() else f"{known}[:{slashes}]"
        # Joined once more: in `http://http://e.example/` the inner link begins in the authority.
        return head + _without_links(f"{_DOT.sub('[.]', authority)}{rest}")
    if scheme.lower() in _NAMES:
        return text
    local, at, domain = rest.partition("@")
    return f"{scheme}[:]{local}[@]{_DOT.sub('[.]', domain)}" if at else f"{scheme}[:]{rest}"


def _without_links(text: str) -> str:
    text = text.replace("://", ":[/]/")
    return _ESCAPED.sub(r":[\1]", text) if ":\\" in text else text
