"""Cuts at lines of JSON lines, and at rows of tables.

A row may go over a line feed that stands in quotation marks. Whether a quotation mark opens a cell depends on all that
is before it, so a cut of a table is a guess, by the number of quotation marks since the last one; the reader of the
part that ends there finds out (`PartEnd.is_sure`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.lean.hints import Final
from urisieve.lean.values import replace
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.cuts.part_start import PartEnd, PartStart

__all__ = ["line_cuts", "row_cuts"]

# Bytes counted at once.
_STEP: Final = 1_048_576


def line_cuts(blocks: Iterable[bytes], length: int, cut: PartStart) -> Iterator[PartStart]:
    """Yield the cuts of JSON lines.

    Args:
        blocks: the bytes of the file.
        length: the least number of bytes of a part.
        cut: the beginning of the file.
    """
    return _cuts(BlockReader(blocks), length, cut, 0, has_quotes=False)


def row_cuts(blocks: Iterable[bytes], length: int, cut: PartStart, header: int) -> Iterator[PartStart]:
    """Yield the cuts of a table, none of them before its header ends.

    Args:
        blocks: the bytes of the file.
        length: the least number of bytes of a part.
        cut: the beginning of the file, with the columns.
        header: the number of lines up to the end of the header.
    """
    return _cuts(BlockReader(blocks), length, cut, header, has_quotes=True)


def _cuts(reader: BlockReader, length: int, cut: PartStart, header: int, *, has_quotes: bool) -> Iterator[PartStart]:
    lines = 0
    while True:
        taken = quotes = 0
        data = b""
        while taken < length or lines < header or quotes % 2 or not data.endswith(b"\n"):
            data = reader.some(min(length - taken, _STEP)) if taken < length else reader.line(_STEP)
            if not data:
                return
            taken += len(data)
            lines += data.count(b"\n")
            quotes += data.count(b'"') if has_quotes else 0
        if reader.peek(1):
            at = reader.position
            yield replace(cut, start=at, position=at, number=lines, end=PartEnd())
