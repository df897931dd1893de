"""The values in a field of a row, which may name several places in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from urisieve.lean.hints import Any, Final

__all__ = ["Field", "fields_of", "first_name"]

# The values of a field: texts, and other values unchanged.
Field = Sequence[object]
# A step of a path: a name, an index, or all of a list; after a name a dot may follow.
_STEP: Final = re.compile(r"(?:\A|\.)(?P<name>[^.\[\]]+)|\[(?P<index>[0-9]*|\*)\]")
_ALL: Final = "*"


def fields_of(values: Any, fields: Sequence[str]) -> list[Field]:
    """Return the values in fields of a row of JSON or Parquet, those of a list separately.

    A field is the name of a member, else a path: names with dots between them, `[2]` for an index in a list, `[]` or
    `[*]` for all of a list, and `*` for any name, as in `authors[].url`.

    >>> fields_of({"a": [{"url": "x:1"}, {"url": "x:2"}, {}]}, ["a[].url", "b.url"])
    [['x:1', 'x:2', None], (None,)]
    """
    return [_field_of(values, field) for field in fields]


def first_name(field: str) -> str:
    """Return the name with which a path begins, "" if it does not begin with one.

    >>> first_name("authors[].url"), first_name("a.b"), first_name("[0]")
    ('authors', 'a', '')
    """
    return re.split(r"[.\[]", field, maxsplit=1)[0]


def _field_of(values: Any, field: str) -> Field:
    value = values.get(field) if isinstance(values, dict) else None
    if value is None:
        steps = _steps(field)
        if steps is not None:
            found = _at(values, steps)
            if len(found) != 1:
                return found or (None,)
            (value,) = found
    return value if isinstance(value, (list, tuple)) else (value,)


@lru_cache(maxsize=256)
def _steps(field: str) -> tuple[str | int, ...] | None:
    """Return the names and indices of a path; None for a single name, and for what is not a path."""
    steps: list[str | int] = []
    end = 0
    for match in _STEP.finditer(field):
        if match.start() != end:
            return None
        end = match.end()
        name, index = match.group("name", "index")
        steps.append(name or (int(index) if index.isdigit() else "[]"))
    is_path = end == len(field) and (len(steps) > 1 or steps in ([_ALL], ["[]"]) or steps[:1] != [field])
    return tuple(steps) if is_path and steps else None


def _at(top: Any, steps: Sequence[str | int]) -> list[Any]:
    """Return the values at a path."""
    found = [top]
    for step in steps:
        inner: list[Any] = []
        for value in found:
            if isinstance(value, dict):
                inner += value.values() if step == _ALL else [value.get(step)]
            elif isinstance(value, (list, tuple)) and step == "[]":
                inner += value
            elif isinstance(value, (list, tuple)) and isinstance(step, int):
                inner += value[step : step + 1]
        found = inner
    return found
