"""Rows that are passed on, many at once where the kernel can read them (`src/kernel/rows.h`)."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from urisieve.kernel import kernel
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple
from urisieve.sources.bytes.kept_lines import LineCursor
from urisieve.sources.bytes.lines import Lines
from urisieve.sources.structured.broken_rows import PASSED_ON
from urisieve.sources.structured.row_reader import Row, json_rows
from urisieve.sources.tables.table_rows import table_rows

__all__ = ["FieldTexts", "RowBlock", "can_take", "json_row_blocks", "table_row_blocks"]

# The most fields that the kernel takes.
_MOST_FIELDS: Final = 16

# The bytes of an offset.
_SIZE: Final = 4

# The texts of a field, one for each row: their offsets, as numbers of 32 bits, and UTF-8.
FieldTexts = tuple[bytes, bytes]


class RowBlock(NamedTuple):
    """Rows that are well formed, one behind the other.

    Attributes:
        data: the bytes that hold them.
        bounds: the offset of each row, and the end of the last.
        fields: the texts of each field; a value that is missing is empty.
    """

    data: bytes
    bounds: Sequence[int]
    fields: Sequence[FieldTexts]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.bounds) - 1

    def part(self, start: int, end: int) -> RowBlock:
        """Return some of the rows."""
        fields = [(offsets[start * _SIZE : (end + 1) * _SIZE], texts) for offsets, texts in self.fields]
        return RowBlock(self.data, self.bounds[start : end + 1], fields)


def can_take(kind: str, fields: Sequence[str], delimiter: str) -> bool:
    """Report whether the kernel can take rows with these fields; those of JSON lines are names and no paths."""
    if len(fields) > _MOST_FIELDS:
        return False
    if delimiter:
        return delimiter.isascii()
    return kind == "jsonl" and not any(set(field) & set(".[*") for field in fields)


def table_row_blocks(
    blocks: Iterable[bytes], delimiter: str, columns: Callable[[], Sequence[int]]
) -> Iterator[Row | RowBlock]:
    """Yield the rows of a table in UTF-8 unchanged, as `kept_rows` does; those that the kernel takes, many at once.

    Args:
        blocks: the bytes.
        delimiter: the character between cells.
        columns: returns the indices of the columns of the fields, asked for behind the header.

    Raises:
        InputError: as `kept_rows`.
    """
    lines = LineCursor(blocks, PASSED_ON.limit)
    mark = ord(delimiter)

    def taken(names: tuple[str, ...]) -> Iterator[RowBlock]:
        indices = tuple(columns())
        return _taken(lines, lambda data, start: kernel.table_fields(data, start, mark, len(names), indices))

    return table_rows(_one_by_one(lines), PASSED_ON, delimiter, taken=taken)


def json_row_blocks(blocks: Iterable[bytes], fields: Sequence[str]) -> Iterator[Row | RowBlock]:
    """Yield the rows of JSON lines, as `table_row_blocks` does those of a table."""
    lines = LineCursor(blocks, PASSED_ON.limit)
    names = tuple(field.encode("utf-8", "surrogatepass") for field in fields)
    while True:
        yield from _taken(lines, lambda data, start: kernel.json_fields(data, start, names))
        if not lines.fill():
            return
        yield from json_rows((lines.line(),), PASSED_ON)


def _one_by_one(lines: LineCursor) -> Iterator[Lines]:
    while lines.fill():
        yield lines.line()


# Takes rows from an offset of some bytes on: their bounds, the number of their lines, and the texts of each field.
_Take = Callable[[bytes, int], tuple[bytes, int, Sequence[FieldTexts]]]


def _taken(lines: LineCursor, take: _Take) -> Iterator[RowBlock]:
    """Yield the rows that the kernel takes, up to one that it does not."""
    while lines.fill() and lines.is_text and len(lines.data) <= PASSED_ON.limit:
        found, count, fields = take(lines.data, lines.start)
        bounds = array("i", found)
        if len(bounds) > 1:
            yield RowBlock(lines.data, bounds, fields)
        lines.take(bounds[-1], count)
        if lines.start < len(lines.data):
            return
