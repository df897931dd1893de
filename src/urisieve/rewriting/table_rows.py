"""Ends of the rows of a table, in bytes: line feeds in quotation marks are none (RFC 4180 2.6).

As for `csv`, a quotation mark opens a cell only at its beginning; inside of one it is text: `5" disk`.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator

from urisieve.lean import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mmap import mmap

_QUOTE: Final = b'"'[0]


class QuotedCells:
    """Takes note of the quotation marks around cells.

    Args:
        delimiter: what is between cells.
    """

    def __init__(self, delimiter: bytes) -> None:
        self._delimiter = delimiter
        self._opening = re.compile(rb'(?:%b|\n)"' % re.escape(delimiter))
        self._is_open = False
        self._is_closing = False  # after a mark in an open cell, which closes it unless the next byte is one, too
        self._begins = True  # a cell, with the next byte
        self._last = b""  # bytes, as many as the delimiter has
        self._mark = BOM_UTF8  # what of it may be next

    @property
    def is_inside(self) -> bool:
        """Whether a byte that is no quotation mark would be inside of them."""
        return self._is_open and not self._is_closing

    def end(self, data: bytes | mmap, start: int = 0, end: int | None = None) -> int:
        """Take the next bytes; return the offset after the last row that ends among them, 0 for none."""
        size, at, ended = len(data) if end is None else end, start, 0
        while self._mark and at < size:
            is_mark = data[at] == self._mark[0]
            self._mark = self._mark[1:] if is_mark else b""
            at += is_mark
        first = at
        while at < size:
            if self._is_closing:
                self._is_closing = False
                self._is_open = data[at] == _QUOTE
                at += self._is_open
            elif self._is_open:
                mark = data.find(b'"', at, size)
                at = size if mark < 0 else mark + 1
                self._is_closing = mark >= 0
            elif self._begins and data[at] == _QUOTE:
                self._is_open, self._begins = True, False
                at += 1
            else:
                opening = self._opening.search(data, at, size)
                stop = size if opening is None else opening.end() - 1
                ended = data.rfind(b"\n", at, stop) + 1 or ended
                self._begins = opening is not None
                at = stop
        width = len(self._delimiter)
        self._last = (self._last + data[max(start, size - width) : size])[-width:]
        if size > first:
            self._begins = not self._is_open and self._last.endswith((self._delimiter, b"\n"))
        return ended


def complete_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield blocks put together so that each piece ends where a line does."""
    return _pieces((block, block.rfind(b"\n") + 1) for block in blocks)


def complete_rows(blocks: Iterable[bytes], delimiter: bytes) -> Iterator[bytes]:
    """Yield blocks put together so that each piece ends where a row does; see `QuotedCells`."""
    cells = QuotedCells(delimiter)
    return _pieces((block, cells.end(block)) for block in blocks)


def _pieces(blocks: Iterable[tuple[bytes, int]]) -> Iterator[bytes]:
    """Yield the pieces of blocks, each of which is given with the offset where the last piece in it ends."""
    held: list[bytes] = []
    for block, end in blocks:
        if end:
            yield b"".join((*held, block[:end]))
            held = []
        if end < len(block):
            held.append(block[end:])
    if held:
        yield b"".join(held)
