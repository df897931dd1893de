"""Rows as they stand, written to one output, and rows without a key to another."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from itertools import compress, pairwise

from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple
from urisieve.sinks.files.outputs import Output
from urisieve.sources.structured.row_reader import Row

__all__ = ["STAYS", "UNMATCHED", "JsonArray", "RowGroup", "RowLines", "column_line"]

# The decisions about a row; one that is dropped has 0.
STAYS: Final = 1
UNMATCHED: Final = 2
# Marks of which only one decision is left.
_WITH_KEY: Final = bytes(mark == STAYS for mark in range(256))
_WITHOUT_KEY: Final = bytes(mark == UNMATCHED for mark in range(256))


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
        self.put((row.data,))
        if self._others is not None:
            self._others.write(row.data)

    def put(self, rows: Sequence[bytes]) -> None:
        """Write rows that stay; none but the last is without an end."""
        data = b"".join(rows)
        if self._is_begun and BOM_UTF8 in data:
            data = b"".join([row.removeprefix(BOM_UTF8) for row in rows])
        if data:
            self._output.write(b"\n" + data if self._is_open else data)
            self._is_begun = True
            self._is_open = not data.endswith(b"\n")

    def put_marked(self, rows: RowGroup, marks: bytes, *, keeps_unmatched: bool) -> None:
        """Write those rows that stay, and those without a key with them, or to the output for such rows.

        Args:
            rows: the rows.
            marks: the decision about each.
            keeps_unmatched: whether rows without a key stay.
        """
        if not keeps_unmatched and UNMATCHED in marks:
            if self._others is not None:
                for row in rows.chosen(marks.translate(_WITHOUT_KEY)):
                    self._others.write(row if row.endswith(b"\n") else row + b"\n")
            marks = marks.translate(_WITH_KEY)
        self.put(rows.chosen(marks))


class JsonArray(Output):
    """Writes elements of an array of JSON, as `array_rows` returns them, as one array.

    Args:
        output: the output.
    """

    def __init__(self, output: Output) -> None:
        self.output = output
        self._begin = b"[\n"

    def write(self, data: bytes) -> None:
        """Write whole elements; see `Output.write`."""
        self.output.write(self._begin + data.removesuffix(b",\n"))
        self._begin = b",\n"

    def finish(self) -> None:
        """Write the end of the array."""
        self.output.write(b"[]\n" if self._begin == b"[\n" else b"\n]\n")

    def complete(self) -> None:
        """See `Output.complete`."""
        self.output.complete()

    def give_up(self) -> None:
        """See `Output.give_up`."""
        self.output.give_up()
