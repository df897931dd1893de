"""Broken rows of JSON lines and tables: the faults, their reports and counts, and the part that is still read.

One reader reads the rows (`row_reader`); a policy states how it treats a broken row. No policy loses a row silently,
and the rows after a broken one are read.

- `SEARCHED` (`extract`): identifiers are looked for, so that no text that may hold one is lost. The reader is lenient:
  it accepts control characters in strings, stray bytes, a quotation mark inside a cell or never closed, more cells than
  columns. A row that it cannot parse, or that is too long to be held, is searched as text, and counted by its fault.
- `PASSED_ON` (`dedupe --field`): rows are passed on unchanged to programs that must be able to read them, and a broken
  row must not affect others. Therefore a row is broken by anything that RFC 8259 and RFC 4180 do not allow, by a byte
  that does not decode, and by more cells than columns. It has no key: it is treated like any unmatched row.
- `LEFT_OUT` (records as input of `dedupe`): the same, but a row that is not a record cannot be passed on: it is counted
  and left out.
"""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple, dataclass
from urisieve.sources.bytes.lines import LINE_LIMIT
from urisieve.sources.tally import Tally

__all__ = ["LEFT_OUT", "PASSED_ON", "ROW_LIMIT", "SEARCHED", "TOO_LONG", "RowFault", "RowPolicy"]

# The longest row that is passed on, in bytes: all of it has to be in memory, and again as text. Documents of data sets
# are far shorter.
ROW_LIMIT: Final = 256 * 1_048_576


class RowFault(NamedTuple):
    """The fault of a row.

    Attributes:
        said: the description for people, after the name and the number of the row.
        kind: the kind of thing that is broken: `line`, `row`, `record`.
        reason: the reason, in one word.
    """

    said: str
    kind: str = "row"
    reason: str = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPolicy:
    """The way to treat broken rows; the docstring of the module describes the three policies.

    Attributes:
        is_strict: whether anything that the RFCs do not allow breaks a row; else only a fault that prevents parsing.
        limit: the length of the longest row: in bytes if rows are passed on, else in characters.
        noun: the name of a row in messages.
        outcome: the end of messages: the treatment of the row.
        counted: the kind and reason under which broken rows are counted; None for those of the fault.
    """

    is_strict: bool
    limit: int
    noun: str = "row"
    outcome: str = ""
    counted: tuple[str, str] | None = None

    @property
    def too_long(self) -> str:
        """The description of a row that is longer than the limit."""
        return f"longer than {self.limit:,} bytes" if self.is_strict else "too long"

    def not_json(self, error: Exception) -> RowFault:
        """Return the fault of a line that is not JSON, or does not decode."""
        if self.is_strict:
            return RowFault(f"is not JSON ({error})", "line", "no-json")
        reason = getattr(error, "msg", None) or "numbers too long, or nested too deeply"
        return RowFault(f"is not JSON: {reason}", "line", "no-json")

    def not_cells(self, reason: object) -> RowFault:
        """Return the fault of a row that is not a row of a table."""
        return RowFault(f"is broken ({reason})" if self.is_strict else f"is not a row: {reason}", "row", "no-row")

    def other_cells(self, cells: int, columns: int) -> RowFault:
        """Return the fault of a row whose number of cells does not fit the columns."""
        return RowFault(f"has {cells} cells under {columns} columns", "row", "no-row")

    def report(self, tally: Tally, source: str, number: int, fault: RowFault) -> None:
        """Count and report a broken row.

        Args:
            tally: counts the row.
            source: the name of the text that holds the row.
            number: the number of the line on which it begins, from 1.
            fault: the fault of the row.
        """
        kind, reason = self.counted or fault[1:]
        tally.fault(kind, reason, f"{source}: {self.noun} {number:,} {fault.said}{self.outcome}")


TOO_LONG: Final = RowFault("is too long to be parsed", "line", "too-long")
"""The fault of a line that is too long to be held whole."""

SEARCHED: Final = RowPolicy(is_strict=False, limit=LINE_LIMIT, noun="line", outcome="; read as text")
PASSED_ON: Final = RowPolicy(is_strict=True, limit=ROW_LIMIT, counted=("row", "broken"))
LEFT_OUT: Final = RowPolicy(is_strict=True, limit=ROW_LIMIT, counted=("record", "unreadable"))
