"""What the rows of schemes and namespaces have in common, and how one that cannot be used is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

__all__ = ["compiled_row_pattern", "row_fault"]

# A bound on the patterns held: the rows that are built in have some 150, those of others come on top.
_PATTERNS: Final = 1_024


@lru_cache(_PATTERNS)
def compiled_row_pattern(text: str, flags: int = re.DOTALL) -> re.Pattern[str]:
    """The pattern of a row, compiled once."""
    return re.compile(text, flags)


def _is_pairs(value: object) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in value
    )


def _pattern_fault(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        return "must be a pattern as str, or None"
    try:
        compiled_row_pattern(value)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is no pattern: {error}"
    return None


_FAULTS: Final[dict[str, Callable[[object], str | None]]] = {
    "text": lambda value: None if isinstance(value, str) else "must be str",
    "flag": lambda value: None if isinstance(value, bool) else "must be True or False",
    "pattern": _pattern_fault,
    "function": lambda value: None if value is None or callable(value) else "must be a function, or None",
    "pairs": lambda value: None if _is_pairs(value) else "must be a tuple of pairs of str",
}


def row_fault(row: object, **fields: Iterable[str]) -> str | None:
    """Say what is wrong with the fields of a row; None where nothing is.

    Args:
        row: the row.
        fields: the names of its fields by what they must hold: `text`, `flag`, `pattern`, `function`, `pairs`.
    """
    for kind, names in fields.items():
        for name in names:
            value = getattr(row, name)
            wrong = _FAULTS[kind](value)
            if wrong is not None:
                return f"{name}={value!r} {wrong}"
    try:
        hash(row)
    except TypeError:
        return "it must be hashable: each of its fields and functions, too"
    return None
