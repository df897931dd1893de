"""The table of URN namespaces: what each adds to the rules of all URNs (RFC 2141 5, RFC 8141 3.1), a row for each.

`namespace_rule` is the only way to a row. The rows are loaded when the first URN is judged.
"""

from __future__ import annotations

from functools import cache, lru_cache

from urisieve.lean import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from urisieve.rules.namespace import Namespace
    from urisieve.rules.plugins import EntryPoint

__all__ = ["completed", "is_built_in", "namespace_fault", "namespace_rule", "namespaces", "plugged"]

# A bound on the cache of namespace identifiers: some 100 are registered.
_MEMORY: Final = 1_024


@lru_cache(_MEMORY)
def namespace_rule(nid: str) -> Namespace:
    """Return the row of a namespace; if nothing is known of it, a row with the base rule alone.

    Args:
        nid: the namespace identifier in lower case.
    """
    from urisieve.rules.namespaces.all_rows import built_in, by_form

    row = built_in().get(nid)
    if row is not None and is_built_in(nid):
        return row
    added = plugged().get(nid)
    return added[0] if added is not None else row or by_form(nid)


def namespaces() -> tuple[Namespace, ...]:
    """Return the rows of all namespaces known by name, including those of plug-ins, sorted by identifier."""
    from urisieve.rules.namespaces.all_rows import built_in

    return tuple(namespace_rule(nid) for nid in sorted({*built_in(), *plugged()}))


def is_built_in(nid: str) -> bool:
    """Report whether an identifier in lower case has a built-in row, not only an entry in the registry."""
    from urisieve.rules.namespaces.all_rows import own_rows

    return nid in own_rows()


@cache
def plugged() -> dict[str, tuple[Namespace, EntryPoint]]:
    """Return the rows of plug-ins by identifier, each with its entry point."""
    from urisieve.rules.namespace import Namespace
    from urisieve.rules.plugins import added

    rows = added("urisieve.namespaces", Namespace, lambda row: row.nid, namespace_fault)
    return {row.nid: (_guarded(completed(row), origin), origin) for row, origin in rows}


def _guarded(row: Namespace, origin: EntryPoint) -> Namespace:
    from urisieve.lean import replace
    from urisieve.rules.plugins import guarded

    names = ("form", "derive", "check")
    return replace(row, **{name: guarded(getattr(row, name), f"{row.nid}.{name}", origin) for name in names})


def completed(row: Namespace) -> Namespace:
    """Complete a row that is not built in: set `kind` and `registered` by the registry, or by the form of its NID."""
    from urisieve.lean import replace
    from urisieve.rules.namespaces.all_rows import built_in, by_form

    known = built_in().get(row.nid) or by_form(row.nid)
    return replace(row, kind=known.kind, registered=known.registered)


def namespace_fault(row: Namespace) -> str | None:
    """Return why a row that is not built in cannot be used; None if it can."""
    from urisieve.rules.namespace import row_fault
    from urisieve.syntax.grammar import compiled

    if not isinstance(row.nid, str) or row.nid != row.nid.lower() or not compiled("NID").fullmatch(row.nid):
        return f"nid={row.nid!r} is not a namespace identifier in lower case (RFC 2141 2.1)"
    if is_built_in(row.nid):
        return f"urisieve has rules of its own for the namespace {row.nid!r}; a row adds one and cannot replace one"
    return row_fault(
        row,
        text=("title", "reference", "equivalence"),
        pattern=("syntax",),
        function=("form", "derive", "check"),
        pairs=("same", "different"),
    )
