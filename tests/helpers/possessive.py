"""Possessive repeats of groups, which `re` of some versions of CPython gets wrong.

Up to 3.11.4 (gh-106052) an iteration that fails may leave the offset behind characters that it has tried: `(?:ab?c)*+`
goes over `aca` to the end of the last `a`. An atomic group restores the offset, so a repeat of one, `(?>ab?c)*+`, is
right in all versions; it matches the same, and holds no memory for each iteration, as `(?>(?:ab?c)*)` would. A group
that captures inside such a repeat may get a wrong span, for which `re` raises SystemError, in 3.11.7 too (gh-101955);
where there is one iteration at most, it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["wrong_repeats"]

_RIGHT = {"ANY", "ATOMIC_GROUP", "IN", "LITERAL", "NOT_LITERAL"}


def wrong_repeats(parsed: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """Yield the groups of a parsed pattern that are repeated possessively and not atomic, or that capture then."""
    for operation, value in parsed:
        name = str(operation)
        if name == "POSSESSIVE_REPEAT":
            _, most, item = value
            if len(item) != 1 or str(item[0][0]) not in _RIGHT or (most != 1 and _captures(item)):
                yield str(item)
        for inside in _insides(name, value):
            yield from wrong_repeats(inside)


def _captures(parsed: Iterable[tuple[Any, Any]]) -> bool:
    return any(
        (str(operation) == "SUBPATTERN" and value[0] is not None)
        or any(_captures(inside) for inside in _insides(str(operation), value))
        for operation, value in parsed
    )


def _insides(name: str, value: Any) -> list[Any]:
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return [value[2]]
    if name == "BRANCH":
        return list(value[1])
    if name in ("ASSERT", "ASSERT_NOT"):
        return [value[1]]
    if name == "SUBPATTERN":
        return [value[3]]
    return [value] if name == "ATOMIC_GROUP" else []
