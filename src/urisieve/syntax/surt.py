"""The SURT form of a URI: the labels of its host from the last to the first, so that sorting keeps domains together.

The form is that of the crawler Heritrix (Sort-friendly URI Reordering Transform), in the case of the URI.
"""

from __future__ import annotations

from functools import lru_cache

from urisieve.lean import Final
from urisieve.syntax.components import Components, HostKind, host_kind, recompose

# A crawl names far more hosts; most come in runs.
_MEMORY: Final = 16_384


def surt(parts: Components) -> str:
    """Return the SURT form of a URI.

    Inside parentheses stand the labels of the host from the last to the first, a comma behind each, then `:` and the
    port, then `@` and the user information. An IPv4 address stands as it is, an IP literal is one label. Without an
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


@lru_cache(_MEMORY)
def _reversed(host: str) -> str:
    if host[:1] == "[":
        return f"{host},"
    if not host or host_kind(host) is HostKind.IPV4:
        return host
    # No name of the DNS has a comma. A final dot, which no labels have, says that these are none.
    return f"{host}." if "," in host else f"{','.join(host.split('.')[::-1])},"
