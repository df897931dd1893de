"""Rows as they stand, some at a time, with their keys."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from itertools import accumulate, compress, pairwise

from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple

__all__ = ["STAYS", "UNMATCHED", "RowGroup", "group_of"]

# The decisions about a row; one that is dropped has 0.
STAYS: Final = 1
UNMATCHED: Final = 2


class RowGroup(NamedTuple):
    """Rows one behind the other.

    Attributes:
        data: the bytes that hold them, with the ends of their lines.
        bounds: the offset of each row, and the end of the last.
        keys: the key of each; None for a row without one.
    """

    data: bytes
    bounds: Sequence[int]
    keys: Sequence[str | None]

    @property
    def size(self) -> int:
        """The number of bytes of the rows."""
        return self.bounds[-1] - self.bounds[0]

    def first(self, count: int) -> RowGroup:
        """Return the first rows."""
        return RowGroup(self.data, self.bounds[: count + 1], self.keys[:count])

    def marks(self, is_new: bytes) -> bytes:
        """Return the decision about each row; `is_new` has a byte for each row with a key, 1 if it stays."""
        if len(is_new) == len(self.keys):
            return is_new
        decided = iter(is_new)
        return bytes(UNMATCHED if key is None else next(decided) for key in self.keys)

    def chosen(self, marks: bytes) -> list[bytes]:
        """Return the rows whose mark is not 0: each of them, or all in one."""
        if all(marks) and BOM_UTF8 not in self.data:
            return [self.data[self.bounds[0] : self.bounds[-1]]]
        return [self.data[start:end] for start, end in compress(pairwise(self.bounds), marks)]


def group_of(rows: Sequence[bytes], keys: Sequence[str | None]) -> RowGroup:
    """Return rows that were read one by one."""
    return RowGroup(b"".join(rows), list(accumulate(map(len, rows), initial=0)), keys)
