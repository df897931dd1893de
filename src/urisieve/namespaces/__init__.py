"""URN namespaces: what each adds to the rules of all URNs (RFC 2141 5, RFC 8141 3.1), as a table of rows.

`namespace_rule` is the only way to a row. The rows are loaded when the first URN asks for one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from urisieve.namespaces.rule import Namespace

__all__ = ["namespace_rule", "namespaces"]

# A bound on the memory of identifiers already looked at: some 100 are registered.
_MEMORY: Final = 1_024


@lru_cache(_MEMORY)
def namespace_rule(nid: str) -> Namespace:
    """The row of a namespace; where nothing is known of it, a row with the base rule alone.

    Args:
        nid: the namespace identifier in lower case.
    """
    from urisieve.namespaces.table import built_in, by_form

    return built_in().get(nid) or by_form(nid)


def namespaces() -> tuple[Namespace, ...]:
    """The rows of all namespaces known by name, in the order of their identifiers."""
    from urisieve.namespaces.table import built_in

    return tuple(built_in().values())
