"""The registrable domain of a host, by the public suffix list (publicsuffix.org), with the extra `domains`.

The list is the one that the package `publicsuffixlist` brings: nothing is fetched.
"""

from __future__ import annotations

from functools import cache, lru_cache

from urisieve.errors import UsageError, not_a_string
from urisieve.lean import TYPE_CHECKING, Final, lazy_compile

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

__all__ = ["check_domains", "registrable_domain"]

# The last label of what browsers read as an IPv4 address, whatever it is in full (WHATWG URL 3.5).
_NUMBER: Final = lazy_compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
# A crawl names far more hosts; most come in runs.
_MEMORY: Final = 16_384


def check_domains() -> None:
    """Check that the public suffix list is installed.

    Raises:
        UsageError: it is not.
    """
    _suffixes()


@lru_cache(maxsize=_MEMORY)
def registrable_domain(host: str) -> str | None:
    """Return the domain that its owner has registered: the public suffix of a host and one label more.

    >>> from urisieve import registrable_domain
    >>> registrable_domain("www.library.example.co.uk"), registrable_domain("me.dyndns.org")
    ('example.co.uk', 'me.dyndns.org')
    >>> registrable_domain("co.uk"), registrable_domain("192.0.2.1"), registrable_domain("localhost")
    (None, None, None)

    Suffixes under which a company lets others have names, as `dyndns.org`, are public, too. A top-level domain that the
    list does not know is taken for a public suffix.

    Args:
        host: a host as in `Record.host`: A-labels in lower case; a dot at the end does not count.

    Returns:
        the domain, in A-labels; None for a public suffix itself, an IP address, and a single label.

    Raises:
        UsageError: the extra `domains` is not installed, or the host is not a string.
    """
    if not isinstance(host, str):
        raise not_a_string("a host", host)
    name = host.rstrip(".")
    if not name or name[-1] == "]" or _NUMBER.fullmatch(name.rpartition(".")[2]) is not None:
        _suffixes()
        return None
    return _suffixes().privatesuffix(name)


@cache
def _suffixes() -> PublicSuffixList:
    try:
        from publicsuffixlist import PublicSuffixList
    except ImportError:
        raise UsageError("registrable domains need the public suffix list: pip install 'urisieve[domains]'") from None
    return PublicSuffixList()
