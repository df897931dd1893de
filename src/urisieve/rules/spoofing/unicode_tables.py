"""Ranges of code points, as the generated tables of Unicode write them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from urisieve.lean.hints import Generic, TypeVar

__all__ = ["RangeTable", "spans_of"]

_Value = TypeVar("_Value")


def spans_of(rows: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last code point of each range in rows of a table."""
    for span in " ".join(rows).split():
        first, _, last = span.partition("-")
        yield int(first, 16), int(last or first, 16)


class RangeTable(Generic[_Value]):
    """Values by code point; a range has one value.

    Args:
        entries: first and last code point of each range, and its value; no two ranges overlap.
        default: the value of all other code points.
    """

    def __init__(self, entries: list[tuple[int, int, _Value]], default: _Value) -> None:
        entries.sort(key=lambda entry: entry[0])
        self._firsts = [first for first, _, _ in entries]
        self._lasts = [last for _, last, _ in entries]
        self._values = [value for _, _, value in entries]
        self._default = default

    def __getitem__(self, character: str) -> _Value:
        """Return the value of a character."""
        index = bisect_right(self._firsts, ord(character)) - 1
        return self._values[index] if index >= 0 and ord(character) <= self._lasts[index] else self._default
