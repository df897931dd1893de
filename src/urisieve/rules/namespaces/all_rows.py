"""The table of all built-in namespaces: the rows of the other modules, and rows of namespaces only in the registry.

It is loaded when the first URN is judged, so that a run without URNs does not load it.
"""

from __future__ import annotations

from functools import cache

from urisieve.lean import Final, lazy_compile
from urisieve.rules.forms import exact
from urisieve.rules.namespace import Namespace, NamespaceKind
from urisieve.rules.namespaces import devices, organizations, publications
from urisieve.rules.registry import registered_namespaces

__all__ = ["built_in", "by_form", "own_rows"]

_INFORMAL: Final = lazy_compile("urn-[1-9][0-9]*")


@cache
def own_rows() -> dict[str, Namespace]:
    """Return the rows written by hand, not made from the registry, by identifier."""
    return {row.nid: row for field in (publications, organizations, devices) for row in field.ROWS}


@cache
def built_in() -> dict[str, Namespace]:
    """Return every row by its identifier, sorted; `kind` and `registered` are set by the registry."""
    from urisieve.lean import replace

    rows, registered = own_rows(), registered_namespaces()
    table = {}
    for nid in sorted({*rows, *registered}):
        kind, reference, title = registered.get(nid, (NamespaceKind.UNKNOWN, "", ""))
        row = rows.get(nid)
        if row is None:
            row = Namespace(nid=nid, title=title or "a registered namespace", reference=reference, **exact(nid, "a:B"))
        table[nid] = replace(row, kind=NamespaceKind(kind), registered=nid in registered)
    return table


def by_form(nid: str) -> Namespace:
    """Return the row of a namespace of which only the form of its identifier is known.

    Args:
        nid: an identifier in lower case that has no row.
    """
    if _INFORMAL.fullmatch(nid):
        return Namespace(nid=nid, title="an informal namespace", reference="RFC 8141 5.2", kind=NamespaceKind.INFORMAL)
    if nid.startswith("x-"):
        return Namespace(
            nid=nid, title="an experimental namespace", reference="RFC 3406 3.1", kind=NamespaceKind.EXPERIMENTAL
        )
    return Namespace(nid=nid, title="a namespace that is not registered", reference="RFC 8141 5")
