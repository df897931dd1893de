"""Checks of the fields of rows, common to schemes and namespaces, and the cache of their compiled patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from urisieve.lean import Final

# A bound on the cache of patterns: the built-in rows have some 150, and rows of plug-ins and options add to them.
_PATTERNS: Final = 1_024


@lru_cache(_PATTERNS)
def compiled_row_pattern(text: str, flags: int = re.DOTALL) -> re.Pattern[str]:
    """Return the compiled pattern of a row; each pattern is compiled once."""
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
        return f"is not a valid pattern: {error}"
    return None


_FAULTS: Final[dict[str, Callable[[object], str | None]]] = {
    "text": lambda value: None if isinstance(value, str) else "must be str",
    "flag": lambda value: None if isinstance(value, bool) else "must be True or False",
    "pattern": _pattern_fault,
    "function": lambda value: None if value is None or callable(value) else "must be a function, or None",
    "pairs": lambda value: None if _is_pairs(value) else "must be a tuple of pairs of str",
}


def row_fault(row: object, **fields: Iterable[str]) -> str | None:
    """Return what is wrong with the fields of a row; None if nothing is.

    Args:
        row: the row.
        fields: the names of its fields, by the kind of value that they must hold: `text`, `flag`, `pattern`,
            `function`, `pairs`.
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
        return "it must be hashable, and so must each of its fields and functions"
    return None
