"""Rejections, and faults of the input, as lines: as JSON, or as rows of a table for people."""

from __future__ import annotations

from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.records.base import PLACE_NAMES, SCHEMA_VERSION
from urisieve.sinks.formats import Format, json_line

if TYPE_CHECKING:
    from urisieve.records.batch import Batch
    from urisieve.records.mask import Mask
    from urisieve.sources.tally import FaultMessage

# The columns of a table: `meaning` is the sentence, also of a fault, of which `broken` is the kind.
COLUMNS: Final = (
    *("raw", "reason", "meaning", "component", "offset", "section", "broken", "source", *PLACE_NAMES),
    *("start", "end", "line", "column", "byte_start", "byte_end"),
)


class RejectionLines:
    """Writes rejections as lines.

    Args:
        kind: JSON lines, CSV or TSV.
        mask: decides how values leave.
        parts: whether JSON lines have `notices`; the sentence of a table contains what they say.

    Attributes:
        header: the line before all others.

    Raises:
        UsageError: rejections have no such format.
    """

    def __init__(self, kind: Format, mask: Mask, *, parts: bool = False) -> None:
        self._mask, self._parts = mask, parts
        self._notation = None
        self.header = b""
        if kind in (Format.CSV, Format.TSV):
            from urisieve.sinks.notations import named_table

            self._notation = named_table(COLUMNS, tabs=kind is Format.TSV)
            self.header = self._notation.header.encode()
        elif kind is not Format.JSONL:
            raise UsageError(f"rejections are written as jsonl, csv or tsv, not as {kind}")

    def of(self, batch: Batch) -> bytes:
        """Return the lines of the rejections of a batch."""
        rows = []
        for one in batch.rejections:
            row = self._mask.row(one, batch.spans, parts=self._parts)
            rows.append(row if self._notation is None else {**row, "meaning": one.meaning})
        return self._lines(rows)

    def fault(self, fault: FaultMessage, message: str) -> bytes:
        """Return the line of a fault of the input; `message` is its text as it leaves."""
        if self._notation is not None:
            return self._lines([{"broken": fault.kind, "reason": fault.reason, "meaning": message}])
        return self._lines([{"schema": SCHEMA_VERSION, "broken": fault.kind, "reason": fault.reason, "said": message}])

    def _lines(self, rows: list[dict[str, Any]]) -> bytes:
        if self._notation is None:
            lines = [f"{json_line(row)}\n" for row in rows]
        else:
            lines = self._notation.lines([[row.get(name) for row in rows] for name in COLUMNS])
        return "".join(lines).encode("utf-8", "backslashreplace")
