"""A table as it stands, with columns added that say what was found in one of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from urisieve.data_sets.checked_rows import CheckedRow
from urisieve.data_sets.row_lines import RowLines, column_line
from urisieve.errors import InputError
from urisieve.lean.hints import Final
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.sinks.files.outputs import Output
from urisieve.sources.structured.row_reader import Row

__all__ = ["ADDED_COLUMNS", "CheckedTable"]

ADDED_COLUMNS: Final = ("valid", "uri", "key", "warnings", "reason", "component", "offset", "expected")
# Before the names of all added columns, where the table has one of these already.
_OTHERWISE: Final = "urisieve_"


class CheckedTable:
    """Writes rows unchanged with cells behind theirs; a broken row, and an empty line, stays as it is.

    Args:
        output: where.
        forms: returns the canonical form and the key of a record as they may be written, without its password.
    """

    def __init__(self, output: Output, forms: Callable[[Record], tuple[str, str]]) -> None:
        self._lines = RowLines(output, None)
        self.delimiter = ""
        """The character between the cells of the rows that come; "" if these have none."""
        self._forms = forms
        self._columns = 0
        self._header: bytes | None = None

    def put(self, row: Row, checked: Sequence[CheckedRow]) -> None:
        """Write a row.

        Raises:
            InputError: it is a header with other columns than that of the file before, or the row of no table.
        """
        if not self.delimiter:
            raise InputError("is not a table: only a table is written with columns added")
        if row.is_header:
            self._put_header(row)
        elif not checked or row.fault is not None:
            self._lines.put((row.data,))
        else:
            self._put(row, self._columns - len(row.values), _cells(checked[0], self._forms))

    def _put_header(self, row: Row) -> None:
        names = column_line(row)
        if self._header is not None:
            if names != self._header:
                raise InputError("has other columns than the file before it")
            return
        self._header = names
        self._columns = len(row.names)
        start = _OTHERWISE if set(ADDED_COLUMNS).intersection(row.names) else ""
        self._put(row, 0, [f"{start}{name}" for name in ADDED_COLUMNS])

    def _put(self, row: Row, missing: int, cells: Sequence[str]) -> None:
        line = row.data.rstrip(b"\r\n")
        end = row.data[len(line) :]
        texts = [""] * max(0, missing) + [self._quoted(cell) for cell in cells]
        added = "".join(f"{self.delimiter}{text}" for text in texts).encode("ascii", "backslashreplace")
        self._lines.put((line + added + end,))

    def _quoted(self, cell: str) -> str:
        """Return a cell as RFC 4180 2 has it."""
        if '"' not in cell and self.delimiter not in cell:
            return cell
        return '"' + cell.replace('"', '""') + '"'


def _cells(checked: CheckedRow, forms: Callable[[Record], tuple[str, str]]) -> list[str]:
    found = checked.found
    if isinstance(found, Record):
        return ["true", *forms(found), " ".join(found.warnings), "", "", "", _expected(found)]
    if isinstance(found, Rejection):
        return ["false", "", "", "", found.reason, found.component, str(found.offset), _expected(found)]
    return [""] * len(ADDED_COLUMNS)


def _expected(found: Record | Rejection) -> str:
    """Return the check digit that was expected instead of one that is wrong."""
    return " ".join(detail for warn, detail in found.notices if warn == "wrong-check-digit")
