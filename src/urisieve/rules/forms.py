"""Forms that namespaces share, and their usual pairs of examples."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final, TypedDict

from urisieve.syntax.components import lower_case

__all__ = ["CASE", "Pairs", "exact", "folded", "folded_before", "lower_before"]

# What a row says of `lower_case`.
CASE: Final = "case does not count"


@cache
def _compiled(prefix: str) -> re.Pattern[str]:
    return re.compile(prefix)


def lower_before(delimiter: str, prefix: str | None = None) -> Callable[[str], str]:
    """Case-insensitive up to the first delimiter, exact after it; exact throughout without such a prefix.

    Args:
        delimiter: one character.
        prefix: a pattern that what stands before it must match, or it is no prefix; any text if None.
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
    """The pairs of a namespace with the base rule alone: case counts in its NSS."""
    urn = f"urn:{nid}:{nss}"
    return Pairs(same=((urn, f"URN:{nid.upper()}:{nss}"),), different=((urn, f"urn:{nid}:{nss.swapcase()}"),))


def folded(nid: str, nss: str) -> Pairs:
    """The pairs of a namespace in whose NSS case does not count, and nothing else is lost."""
    urn = f"urn:{nid}:{nss}"
    return Pairs(
        same=((urn, f"URN:{nid.upper()}:{nss}"), (urn, f"urn:{nid}:{nss.swapcase()}")),
        different=((urn, f"{urn}0"),),
    )


def folded_before(nid: str, prefix: str, delimiter: str, rest: str) -> Pairs:
    """The pairs of a namespace in which case does not count before the first delimiter."""
    urn = f"urn:{nid}:{prefix}{delimiter}{rest}"
    return Pairs(
        same=((urn, f"URN:{nid.upper()}:{prefix.swapcase()}{delimiter}{rest}"),),
        different=((urn, f"urn:{nid}:{prefix}{delimiter}{rest.swapcase()}"),),
    )
