"""The table of URN namespaces: what each adds to the rules of all URNs (RFC 2141 5, RFC 8141 3.1), a row for each.

`namespace_rule` is the only way to a row. The rows are loaded when the first URN is judged: those
of the modules in `namespaces`, and one for each namespace that is only in the registry.
"""

from __future__ import annotations

from functools import cache, lru_cache

from urisieve.lean import TYPE_CHECKING, Final, lazy_compile, replace

if TYPE_CHECKING:
    from urisieve.rules.namespace import Namespace
    from urisieve.rules.plugins import EntryPoint


# A bound on the cache of namespace identifiers: some 100 are registered.
_MEMORY: Final = 1_024
_INFORMAL: Final = lazy_compile("urn-[1-9][0-9]*")


@lru_cache(_MEMORY)
def namespace_rule(nid: str) -> Namespace:
    """Return the row of a namespace; if nothing is known of it, a row with the base rule alone.

    Args:
        nid: the namespace identifier in lower case.
    """
    row = built_in().get(nid)
    if row is not None and is_built_in(nid):
        return row
    added = plugged().get(nid)
    return added[0] if added is not None else row or by_form(nid)


def namespaces() -> tuple[Namespace, ...]:
    """Return the rows of all namespaces known by name, including those of plug-ins, sorted by identifier."""
    return tuple(namespace_rule(nid) for nid in sorted({*built_in(), *plugged()}))


def is_built_in(nid: str) -> bool:
    """Report whether an identifier in lower case has a built-in row, not only an entry in the registry."""
    return nid in own_rows()


@cache
def own_rows() -> dict[str, Namespace]:
    """Return the rows written by hand, not made from the registry, by identifier."""
    from urisieve.rules.rows import devices, organizations, publications

    return {row.nid: row for field in (publications, organizations, devices) for row in field.ROWS}


@cache
def built_in() -> dict[str, Namespace]:
    """Return every row by its identifier, sorted; `kind` and `registered` are set by the registry."""
    from urisieve.rules.forms import exact
    from urisieve.rules.namespace import Namespace, NamespaceKind
    from urisieve.rules.registry import registered_namespaces

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
    from urisieve.rules.namespace import Namespace, NamespaceKind

    if _INFORMAL.fullmatch(nid):
        return Namespace(nid=nid, title="an informal namespace", reference="RFC 8141 5.2", kind=NamespaceKind.INFORMAL)
    if nid.startswith("x-"):
        return Namespace(
            nid=nid, title="an experimental namespace", reference="RFC 3406 3.1", kind=NamespaceKind.EXPERIMENTAL
        )
    return Namespace(nid=nid, title="a namespace that is not registered", reference="RFC 8141 5")


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

    known = built_in().get(row.nid) or by_form(row.nid)
    return replace(row, kind=known.kind, registered=known.registered)


def namespace_fault(row: Namespace) -> str | None:
    """Return why a row that is not built in cannot be used; None if it can."""
    from urisieve.rules.row_checks import row_fault
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
