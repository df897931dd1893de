"""Tables of public registries: each is a file beside this module, read when it is first asked for.

The lines at the head of a file, which begin with `#`, say what its rows hold, from which source and of which date they
are, and which tool wrote them; `head_of` returns them. Unicode's tables depend on no version of Python or of a library,
so that a label has the same warnings everywhere.
"""

from __future__ import annotations

from functools import cache

from urisieve.lean import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import ResourceLoader

__all__ = ["default_ports", "head_of", "registered_namespaces", "registered_schemes", "rows_of", "top_level_domains"]


def _lines(name: str) -> list[str]:
    assert __spec__ is not None
    # What `importlib.resources` does in the end, for a file, a zip file and others, without its modules at each start.
    loader = cast("ResourceLoader", __spec__.loader)
    return loader.get_data(f"{__path__[0]}/{name}.txt").decode().splitlines()


def rows_of(name: str) -> list[str]:
    """Return the rows of a table: the lines of its file after the head."""
    lines = _lines(name)
    return lines[next(index for index, line in enumerate(lines) if line[0] != "#") :]


def head_of(name: str) -> str:
    """Return what a table says of itself: what it holds, its source and its date.

    >>> print(head_of("top_level_domains").splitlines()[0])
    Top-level domains of the DNS root in lower case, international ones as A-labels, and `onion` (RFC 7686).
    """
    return "\n".join(line[2:] for line in _lines(name) if line.startswith("#"))


@cache
def registered_schemes() -> dict[str, tuple[str, str]]:
    """Return the status and the RFCs of each registered scheme; empty where they are not known."""
    return {name: (status, rfcs) for name, status, rfcs in (row.split("\t") for row in rows_of("schemes"))}


@cache
def registered_namespaces() -> dict[str, tuple[str, str, str]]:
    """Return the kind, the reference and the registrant of each registered URN namespace, in lower case."""
    rows = (row.split("\t") for row in rows_of("namespaces"))
    return {nid: (kind, reference, registrant) for nid, kind, reference, registrant in rows}


@cache
def default_ports() -> dict[str, tuple[str, str, str]]:
    """Return the default port of schemes, `yes` if leaving it out is an equivalence, and the reference."""
    rows = (row.split("\t") for row in rows_of("default_ports"))
    return {scheme: (port, elide, reference) for scheme, port, elide, reference in rows}


@cache
def top_level_domains() -> frozenset[str]:
    """Return the top-level domains of the DNS root and `onion`, as A-labels in lower case."""
    return frozenset(rows_of("top_level_domains"))
