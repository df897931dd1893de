"""Rows of data sets as they stand: JSON lines, CSV, TSV and Parquet, each with the bytes it was read from."""

from __future__ import annotations

import csv
import json
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final, NamedTuple

from urisieve.data_sets.plain_contents import plain_contents
from urisieve.errors import InputError
from urisieve.sources.bytes.encodings import BYTE_ORDER_MARKS, Family
from urisieve.sources.tally import Tally

__all__ = ["ROW_LIMIT", "Row", "read_rows", "rows_of_blocks"]

# The longest row, in bytes: all of it has to be in memory, and again as text. Documents of data sets are far shorter.
ROW_LIMIT: Final = 256 * 1_048_576
# The csv module refuses longer cells unless it is told; 2**31 - 1 is the most that every system takes.
_LONGEST_CELL: Final = 2**31 - 1
# How much is read again, because a quotation mark was never meant to open a cell: so much in any file, and beyond that
# so many times its size, for the time to stay in proportion to it.
_AGAIN: Final = 64 * 1_048_576
_AGAIN_RATIO: Final = 4


class Row(NamedTuple):
    """A row.

    Attributes:
        data: its bytes, with the end of its line; empty for Parquet.
        values: what it holds, by name; None for a header and for a line that holds nothing.
        number: the line it begins on, from 1.
        is_header: whether it names the columns.
        fault: what is wrong with a row that cannot be read.
        names: of a header, the columns.
    """

    data: bytes
    values: Any
    number: int
    is_header: bool = False
    fault: str | None = None
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many bytes it took."""
        return len(self.data)


def read_rows(
    path: str,
    kind: str,
    encoding: str | None = None,
    *,
    tally: Tally,
    blocks: Iterable[bytes] | None = None,
) -> Iterator[Row]:
    """The rows of a file, or of the files in it where it is compressed or an archive; headers and empty lines, too.

    Args:
        path: the file; `-` for standard input.
        kind: `jsonl`, `csv`, `tsv` or `parquet`.
        encoding: that of the text; UTF-8 by default. See `rows_of_blocks`.
        tally: where what is skipped or broken on the way to the rows is counted.
        blocks: the bytes of the file, where they do not come from `path`.

    Raises:
        InputError: it cannot be read; the message is without the path.
    """
    if kind == "parquet":
        yield from _parquet_rows(path)
        return
    for content in plain_contents(path, tally=tally, blocks=blocks):
        yield from rows_of_blocks(content.blocks, kind, encoding)


def rows_of_blocks(blocks: Iterable[bytes], kind: str, encoding: str | None = None) -> Iterator[Row]:
    """The rows of a stream of bytes, header and empty lines included.

    Args:
        blocks: the bytes.
        kind: `jsonl`, `csv` or `tsv`.
        encoding: that of the text, in which the byte 0A has to be a line feed wherever it stands; UTF-8 by default.

    Raises:
        InputError: reading fails; a row is longer than `ROW_LIMIT`; the text begins with the mark of UTF-16 or UTF-32.
    """
    lines = _lines(blocks)
    if kind == "jsonl":
        return _json_rows(lines, encoding)
    return _table_rows(lines, "," if kind == "csv" else "\t", encoding)


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream of bytes, with their ends."""
    begun: list[bytes] = []
    length = 0
    is_first = True
    for block in blocks:
        if is_first and block:
            is_first = False
            _check_mark(block)
        end = block.rfind(b"\n") + 1
        if not end:
            begun.append(block)
            length += len(block)
            if length > ROW_LIMIT:
                raise InputError(f"a row is longer than {ROW_LIMIT:,} bytes; the rest is left")
            continue
        begun.append(block[:end])
        yield from _split(b"".join(begun))
        begun = [block[end:]]
        length = len(block) - end
    rest = b"".join(begun)
    if rest:
        yield rest


def _split(data: bytes) -> list[bytes]:
    """Lines with their ends, which are line feeds and nothing else."""
    if b"\r" not in data:
        return data.splitlines(keepends=True)
    return [line + b"\n" for line in data.split(b"\n")[:-1]]


def _check_mark(block: bytes) -> None:
    for mark, encoding in BYTE_ORDER_MARKS:
        if block.startswith(mark) and encoding.family is not Family.UTF8:
            raise InputError(
                f"is {encoding.name.upper()}, of which rows cannot be kept as they are; convert it to UTF-8"
            )


def _text(data: bytes, encoding: str | None, number: int) -> str:
    return data.decode(encoding or ("utf-8-sig" if number == 1 else "utf-8"))


def _json_rows(lines: Iterator[bytes], encoding: str | None) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            yield Row(line, None, number)
            continue
        try:
            yield Row(line, json.loads(_text(line, encoding, number)), number)
        except (ValueError, RecursionError) as error:
            yield Row(line, None, number, fault=f"is no JSON ({error})")


class _Lines:
    """Gives lines as text to the parser of a table, and keeps those of the row that it is in."""

    def __init__(self, lines: Iterator[bytes], encoding: str | None) -> None:
        self._lines = lines
        self._encoding = encoding
        self._again: deque[bytes] = deque()
        self._taken = self._wasted = self._size = 0
        self.row: list[bytes] = []
        self.number = 1
        """The line on which the row begins."""

    def begin(self) -> None:
        """Begin the next row."""
        self.number += len(self.row)
        self.row = []
        self._size = 0

    def give_back(self) -> bool:
        """Leave all lines of the row but the first to be read again; False where that was done too often."""
        rest = self.row[1:]
        self._wasted += sum(map(len, rest))
        if self._wasted > _AGAIN + _AGAIN_RATIO * self._taken:
            return False
        self._again.extendleft(reversed(rest))
        del self.row[1:]
        return True

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.take()
        return _text(line, self._encoding, self.number + len(self.row) - 1)

    def take(self) -> bytes:
        """The next line of the row, as it stands.

        Raises:
            StopIteration: there is none.
            csv.Error: the row is longer than `ROW_LIMIT`.
        """
        if self._again:
            line = self._again.popleft()
        else:
            line = next(self._lines)
            self._taken += len(line)
        self.row.append(line)
        self._size += len(line)
        if self._size > ROW_LIMIT:
            raise csv.Error(f"longer than {ROW_LIMIT:,} bytes")
        return line

    def text(self) -> str:
        """The first line of the row."""
        return _text(self.row[0], self._encoding, self.number)


def _table_rows(lines: Iterator[bytes], delimiter: str, encoding: str | None) -> Iterator[Row]:
    """The rows of a table; line feeds may stand in quotation marks (RFC 4180 2.6).

    What begins with a quotation mark and does not come to its end by the RFC, or has not as many cells as there are
    columns, is no row over several lines: then its first line is one, and is broken if the mark is not closed in it.
    """
    source = _Lines(lines, encoding)
    names: tuple[str, ...] | None = None
    while True:
        source.begin()
        cells, fault = _cells(source, delimiter, 0 if names is None else len(names))
        if not source.row:
            return
        if fault is None and names is not None and len(cells) > len(names):
            fault = f"has {len(cells)} cells under {len(names)} columns"
        data = b"".join(source.row)
        if fault is not None or not cells:
            yield Row(data, None, source.number, fault=fault)
        elif names is None:
            names = tuple(cells)
            yield Row(data, None, source.number, is_header=True, names=names)
        else:
            yield Row(data, dict(zip(names, cells, strict=False)), source.number)


def _cells(source: _Lines, delimiter: str, columns: int) -> tuple[list[str], str | None]:
    """The cells of the next row, or what is wrong with it; no line is taken where there is none."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        try:
            line = source.take()
        except StopIteration:
            return [], None
        text = source.text()
        if b'"' not in line:
            text = text.rstrip("\r\n")
            return text.split(delimiter) if text else [], None
        try:
            cells = next(csv.reader(chain((text,), source), delimiter=delimiter, strict=True))
            if len(source.row) == 1 or len(cells) == columns:
                return cells, None
            error = f"has {len(cells)} cells under {columns} columns"
        except csv.Error as found:
            error = f"is broken ({found})"
        if len(source.row) > 1 and not source.give_back():
            return [], error
        return _one_line(text, delimiter)
    except (csv.Error, UnicodeDecodeError) as found:
        return [], f"is broken ({found})"
    finally:
        csv.field_size_limit(before)


def _one_line(text: str, delimiter: str) -> tuple[list[str], str | None]:
    """The cells of a row that ends with its line, whatever stands behind a closing quotation mark."""
    is_open = False

    def lines() -> Iterator[str]:
        nonlocal is_open
        yield text
        is_open = True  # the parser asks for more

    cells = next(csv.reader(lines(), delimiter=delimiter))
    return ([], "is broken (a quotation mark is never closed)") if is_open else (cells, None)


def _parquet_rows(path: str) -> Iterator[Row]:
    from urisieve.data_sets.parquet_files import open_parquet

    with open_parquet(path) as file:
        rows = (values for batch in file.iter_batches() for values in batch.to_pylist())
        for number, values in enumerate(rows, 1):
            yield Row(b"", values, number)
