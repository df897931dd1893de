"""Canonical forms that several namespaces share, and the pairs of examples that belong to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from urisieve.lean.hints import Final, TypedDict
from urisieve.syntax.components import lower_case

__all__ = ["CASE", "Pairs", "exact", "folded", "folded_before", "lower_before"]

# The `equivalence` of a row whose form is `lower_case`.
CASE: Final = "case does not count"


@cache
def _compiled(prefix: str) -> re.Pattern[str]:
    return re.compile(prefix)


def lower_before(delimiter: str, prefix: str | None = None) -> Callable[[str], str]:
    """Return a form that lowers the case of an NSS before the first delimiter, and changes nothing after it.

    Args:
        delimiter: one character.
        prefix: a pattern that the text before the delimiter must match; the form changes no other NSS. None matches
            any text.
    """

    def form(nss: str) -> str:
        head, found, rest = nss.partition(delimiter)
        if not found or (prefix is not None and not _compiled(prefix).fullmatch(head)):
            return nss
        return f"{lower_case(head)}{found}{rest}"

    return form


class Pairs(TypedDict):
    """The examples of a row."""

    same: tuple[tuple[str, str], ...]
    different: tuple[tuple[str, str], ...]


def exact(nid: str, nss: str) -> Pairs:
    """Return the pairs of a namespace that only has the base rule: case counts in its NSS."""
    urn = f"urn:{nid}:{nss}"
    return Pairs(same=((urn, f"URN:{nid.upper()}:{nss}"),), different=((urn, f"urn:{nid}:{nss.swapcase()}"),))


def folded(nid: str, nss: str) -> Pairs:
    """Return the pairs of a namespace in whose NSS case does not count, and everything else does."""
    urn = f"urn:{nid}:{nss}"
    return Pairs(
        same=((urn, f"URN:{nid.upper()}:{nss}"), (urn, f"urn:{nid}:{nss.swapcase()}")),
        different=((urn, f"{urn}0"),),
    )


def folded_before(nid: str, prefix: str, delimiter: str, rest: str) -> Pairs:
    """Return the pairs of a namespace in which case does not count before the first delimiter."""
    urn = f"urn:{nid}:{prefix}{delimiter}{rest}"
    return Pairs(
        same=((urn, f"URN:{nid.upper()}:{prefix.swapcase()}{delimiter}{rest}"),),
        different=((urn, f"urn:{nid}:{prefix}{delimiter}{rest.swapcase()}"),),
    )
