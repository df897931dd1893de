"""The layout of a table: what `sniffing` decides of its first rows, and its readers go by."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.lean import NamedTuple


class Layout(NamedTuple):
    """The layout of a table.

    Attributes:
        delimiter: the character between cells.
        above: the number of lines above the header, which are no rows; 0 if these are blank.
        before: the number of columns without a name before those that the header names.
        after: the number of such columns after them.
    """

    delimiter: str
    above: int = 0
    before: int = 0
    after: int = 0

    def names(self, header: Sequence[str]) -> tuple[str, ...]:
        """Return the name of each column; "" for one that the header does not name."""
        return ("",) * self.before + tuple(header) + ("",) * self.after
