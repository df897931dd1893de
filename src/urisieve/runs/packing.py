"""Values as bytes and back: the one encoding of what a table of the kernel, or a file that a run makes, keeps.

Objects go from process to process by `urisieve.runs.workers`; what is bytes in them was made here.
"""

from __future__ import annotations

import marshal

from urisieve.lean import Any, Final
from urisieve.records.base import Context, Location

# What `marshal` knows, whose fields are of these types, too; tuples may contain tuples.
PLAIN: Final = frozenset((type(None), bool, int, float, str, bytes))
# The named tuples that may be anywhere in a value; their numbers are those of one run.
NAMED: Final = (Location, Context)
_NUMBERS: Final = {kind: number for number, kind in enumerate(NAMED)}


def packed(value: object) -> bytes:
    """Return a value as bytes: of a type of `PLAIN`, a tuple, or a named tuple of `NAMED`.

    >>> unpacked(packed((Location(row=1, context=Context("2024-05-31T13:05:00Z")), "a")))[0].context.time
    '2024-05-31T13:05:00Z'

    Raises:
        TypeError: it is, or contains, an object of another type.
    """
    return marshal.dumps(_plain(value))


def unpacked(data: bytes) -> Any:
    """Return the value of bytes that this run has made by `packed`."""
    value = marshal.loads(data)
    return _named(value) if value.__class__ is tuple else value


def _plain(value: Any) -> Any:
    kind = value.__class__
    if kind in PLAIN:
        return value
    values = [one if one.__class__ in PLAIN else _plain(one) for one in value] if isinstance(value, tuple) else ()
    if kind is tuple:
        return tuple(values)
    number = _NUMBERS.get(kind)
    if number is None:
        raise TypeError(f"{kind.__name__} is not among the types that can be packed")
    return (..., number, *values)  # no value has an ellipsis


def _named(values: tuple[Any, ...]) -> Any:
    values = tuple([_named(one) if one.__class__ is tuple else one for one in values])
    return tuple.__new__(NAMED[values[1]], values[2:]) if values[:1] == (...,) else values
