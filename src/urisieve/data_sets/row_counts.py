"""The counts of a run over rows."""

from __future__ import annotations

from collections.abc import Mapping

from urisieve.lean.values import NamedTuple, dataclass, field
from urisieve.sources.tally import Tally
from urisieve.sources.tally_summary import by_code, counted

__all__ = ["RowCounts", "RowTotals"]


class RowCounts(NamedTuple):
    """The counts that `deduplicate_rows` returns: how many rows were read and kept.

    A run that continues from a checkpoint counts from there, except where an attribute says otherwise.

    >>> from urisieve import RowCounts, Tally
    >>> counts = RowCounts(1, 3, kept=1, unmatched=0, reasons={}, found=True, failed=False, tally=Tally())
    >>> counts.files, counts.rows, counts.duplicates
    (1, 3, 2)

    Attributes:
        files: the number of files read to their end, those done before the checkpoint included.
        rows: the number of rows read; headers are not rows, empty lines are.
        kept: the number of rows that stay because their key occurs for the first time (or the last).
        unmatched: the number of rows without a key.
        reasons: the number of rows without a key by reason, for those whose fields could be read: the reason of a
            `Rejection`, `empty` or `no-text`.
        found: whether a row has a key, new or not, before the checkpoint too.
        failed: whether something could not be read to its end, before the checkpoint too.
        tally: the counts of what was skipped and broken; its messages have been reported as events, too.
        made_safe: how many cells got a `'` before them, with `csv_safe`.
    """

    files: int
    rows: int
    kept: int
    unmatched: int
    reasons: Mapping[str, int]
    found: bool
    failed: bool
    tally: Tally
    made_safe: int = 0

    @property
    def duplicates(self) -> int:
        """The number of rows with a key that another row with the same key, or the store, had first (or has last)."""
        return self.rows - self.kept - self.unmatched

    def summary(self) -> str:
        """Return the counts in words.

        >>> RowCounts(1, 3, kept=1, unmatched=0, reasons={}, found=True, failed=False, tally=Tally()).summary()
        '1 file, 3 rows, 1 kept, 2 duplicates, 0 unmatched'
        """
        reasons = f" ({by_code(self.reasons)})" if self.reasons else ""
        return ", ".join(
            [
                counted(self.files, "file"),
                counted(self.rows, "row"),
                f"{self.kept:,} kept",
                f"{self.duplicates:,} duplicate{'' if self.duplicates == 1 else 's'}",
                f"{self.unmatched:,} unmatched{reasons}",
            ]
        )


@dataclass(slots=True)
class RowTotals:
    """The counts of a run in progress: attributes are those of `RowCounts`; `matched` rows have a key."""

    files: int = 0
    rows: int = 0
    kept: int = 0
    matched: int = 0
    unmatched: int = 0
    failed: bool = False
    made_safe: int = 0
    tally: Tally = field(default_factory=Tally)
