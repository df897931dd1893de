"""Rows as they stand, written to one output, and rows without a key to another."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable

from urisieve.sinks.files.outputs import Output
from urisieve.sources.structured.row_reader import Row

__all__ = ["RowLines", "column_line"]


def column_line(row: Row) -> bytes:
    """Return the line of a header, without the parts that may differ from file to file."""
    return row.data.strip().removeprefix(BOM_UTF8)


class RowLines:
    """Writes rows of lines.

    A line without an end gets one if another follows; a byte order mark stays only at the start of the output.

    Args:
        output: the output of the rows that stay.
        others: the output of the rows without a key, if they have one of their own.
        is_begun: whether `output` already holds complete lines.
    """

    def __init__(self, output: Output, others: Output | None, *, is_begun: bool = False) -> None:
        self._output = output
        self._others = others
        self._is_begun = is_begun
        self._is_open = False  # the last line written has no end

    def put_header(self, row: Row) -> None:
        """Write the header, to both outputs."""
        self.put((row,))
        if self._others is not None:
            self._others.write(row.data)

    def put(self, rows: Iterable[Row]) -> None:
        """Write rows that stay."""
        pieces: list[bytes] = []
        for row in rows:
            line = row.data
            if self._is_begun:
                line = line.removeprefix(BOM_UTF8)
            if not line:
                continue
            if self._is_open:
                pieces.append(b"\n")
            pieces.append(line)
            self._is_begun = True
            self._is_open = not line.endswith(b"\n")
        if pieces:
            self._output.write(b"".join(pieces))

    def put_unmatched(self, row: Row) -> None:
        """Write a row without a key to the output for such rows, if there is one."""
        if self._others is not None:
            self._others.write(row.data if row.data.endswith(b"\n") else row.data + b"\n")
