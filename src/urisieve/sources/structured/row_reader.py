"""Rows that are passed on unchanged: the values of each, and its bytes; of JSON lines (RFC 8259), an array, or a table.

Rows are passed on to programs that must be able to read them, and a broken row must not affect others. Therefore a row
is broken by anything that RFC 8259 and RFC 4180 do not allow, by a byte that does not decode, and by more cells than
columns. The rows after a broken one are read. What becomes of it:

- `PASSED_ON` (`dedupe --field`): it has no key, and is treated like any unmatched row.
- `LEFT_OUT` (records as input of `dedupe`): it cannot be passed on, so it is counted and left out.
"""

from __future__ import annotations

import csv
import json
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from json import JSONDecoder

from urisieve.errors import InputError
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, lazy_compile
from urisieve.sources.bytes.lines import Lines, cells_of_line
from urisieve.sources.structured.json_paths import AROUND, BLANK
from urisieve.sources.tally import Tally

if TYPE_CHECKING:
    from urisieve.sources.kinds.kind_table import Layout

Taken = TypeVar("Taken")

# The longest row that is passed on, in bytes: all of it has to be in memory, and again as text. Documents of data sets
# are far shorter.
ROW_LIMIT: Final = 256 * 1_048_576
# The csv module refuses longer cells by default; 2**31 - 1 is the limit that every system accepts.
_LONGEST_CELL: Final = 2**31 - 1
# The number of bytes read again because a quotation mark did not open a cell: this many in any file, and beyond that
# this many times its size, so that the time stays proportional to it.
_AGAIN: Final = 64 * 1_048_576
_AGAIN_RATIO: Final = 4


class RowFault(NamedTuple):
    """The fault of a row: `said` is the description for people, after the name and the number of the row."""

    said: str


class RowPolicy(NamedTuple):
    """How broken rows are counted: the kind of thing, and the reason."""

    kind: str
    reason: str

    def report(self, tally: Tally, source: str, number: int, fault: RowFault) -> None:
        """Count and report a broken row.

        Args:
            tally: counts the row.
            source: the name of the text that contains the row.
            number: the number of the line on which it begins, from 1.
            fault: the fault of the row.
        """
        tally.fault(self.kind, self.reason, f"{source}: row {number:,} {fault.said}")


PASSED_ON: Final = RowPolicy("row", "broken")
LEFT_OUT: Final = RowPolicy("record", "unreadable")

_STRICT: Final = JSONDecoder()
_BLANKS_OF_JSON: Final = " \t\r\n"
_STRAY_BYTE: Final = lazy_compile("[\udc80-\udcff]")
# The characters of an array that are looked at first; most elements are shorter.
_LEAST: Final = 65_536


class Row(NamedTuple):
    """A row.

    Attributes:
        data: its bytes, with the end of its line; empty for Parquet.
        values: its content: a value of JSON, or the cells by name or in a list; None without content.
        number: the number of the line on which it begins, from 1.
        fault: the fault of a row that cannot be read.
        is_header: whether it names the columns.
        is_above: whether it is a line above these, and no row.
        names: for a header, the columns.
    """

    data: bytes
    values: Any
    number: int
    fault: RowFault | None = None
    is_header: bool = False
    is_above: bool = False
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of bytes that it took."""
        return len(self.data)


# ---------------------------------------------------------------- JSON


def json_rows(batches: Iterable[Lines]) -> Iterator[Row]:
    """Yield the rows of JSON lines, blank lines among them."""
    for batch in batches:
        for number, (line, data) in enumerate(zip(batch.texts, batch.data, strict=False), batch.number):
            values: Any = None
            error: Exception | None = None
            if isinstance(line, UnicodeDecodeError):
                error = line
            elif text := line.strip(AROUND):
                try:
                    values = _STRICT.decode(text)
                except (ValueError, RecursionError):
                    error = _error_of(line, data) if text.strip(BLANK) else None
            yield Row(data, values, number, None if error is None else RowFault(f"is not JSON ({error})"))


def _error_of(line: str, data: bytes) -> Exception:
    """Return the fault of a line that is passed on, with the offset in the line as it stands."""
    try:
        json.loads(f"{line}\n" if data.endswith(b"\n") else line)
    except (ValueError, RecursionError) as error:
        return error
    return ValueError("not a value of JSON")


def array_rows(blocks: Iterable[bytes], encoding: str | None) -> Iterator[Row]:
    """Yield the elements of an array in JSON, each with `,` and a line feed behind its bytes; several may follow.

    Args:
        blocks: the document.
        encoding: the name of a codec; UTF-8 by default.

    Raises:
        InputError: the blocks raise it, it is not an array, or an element is not JSON or longer than `ROW_LIMIT`; the
            rows before that have been yielded.
    """
    text = _Text(blocks, encoding or "utf-8-sig")
    while text.next_sign():
        if text.next_sign() != "[":
            raise InputError(f"line {text.number:,} begins something else than an array of rows")
        text.skip(1)
        if text.next_sign() == "]":
            text.skip(1)
            continue
        while True:
            text.next_sign()
            number = text.number
            values, element = text.element()
            fault = None
            if not element.isascii() and _STRAY_BYTE.search(element):
                values, fault = None, RowFault("is not JSON (it does not decode)")
            yield Row(element.encode(encoding or "utf-8", "surrogateescape") + b",\n", values, number, fault)
            sign = text.next_sign()
            text.skip(1)
            if sign == "]":
                break
            if sign != ",":
                raise InputError(f"line {text.number:,} of the array is broken; the rest is not read")


class _Text:
    """The text of a document, of which values are taken one after the other."""

    def __init__(self, blocks: Iterable[bytes], codec: str) -> None:
        self._blocks = iter(blocks)
        self._decoder = getincrementaldecoder(codec)("surrogateescape")
        self._text = ""
        self._at = 0
        self._has_ended = False
        self.number = 1
        """The number of the line, from 1."""

    def _fill(self, size: int) -> bool:
        """Have so many characters from here on, if there are; return whether any came."""
        before = length = len(self._text) - self._at
        if length >= size or self._has_ended:
            return False
        pieces = [self._text[self._at :]]
        while length < size and not self._has_ended:
            block = next(self._blocks, None)
            pieces.append(self._decoder.decode(b"" if block is None else block, block is None))
            length += len(pieces[-1])
            self._has_ended = block is None
        self._text, self._at = "".join(pieces), 0
        return length > before

    def skip(self, size: int) -> None:
        """Go past some characters."""
        self.number += self._text.count("\n", self._at, self._at + size)
        self._at += size

    def next_sign(self) -> str:
        """Go past blanks, and return the next character; "" at the end."""
        while True:
            while self._at < len(self._text):
                sign = self._text[self._at]
                if sign not in _BLANKS_OF_JSON:
                    return sign
                self.skip(1)
            if not self._fill(1):
                return ""

    def element(self) -> tuple[Any, str]:
        """Return the next value, and its text.

        Raises:
            InputError: it is not JSON, or longer than `ROW_LIMIT`.
        """
        size = _LEAST
        while True:
            self._fill(size)
            try:
                value, end = _STRICT.raw_decode(self._text, self._at)
                if end < len(self._text) or self._has_ended:  # a number may go on
                    start = self._at
                    self.skip(end - start)
                    return value, self._text[start:end]
                reason = "it has no end"
            except (ValueError, RecursionError) as error:
                reason = str(getattr(error, "msg", error))
            if self._has_ended or size > ROW_LIMIT:
                raise InputError(f"line {self.number:,}: an element is not JSON ({reason}); the rest is not read")
            size = 2 * max(size, len(self._text) - self._at)


# ---------------------------------------------------------------- tables


def table_rows(
    batches: Iterable[Lines],
    layout: Layout,
    *,
    has_header: bool = True,
    by_name: bool = False,
    taken: Callable[[tuple[str, ...]], Iterable[Taken]] = lambda _: (),
) -> Iterator[Row | Taken]:
    """Yield the rows of a table; line feeds may be in quotation marks (RFC 4180 2.6).

    Text that begins with a quotation mark and does not end by the RFC, or does not have as many cells as columns, is
    not a row over several lines: then its first line is one, and is broken if the mark is not closed in it.

    Args:
        batches: the lines.
        layout: the layout of the table; the lines above its header are yielded as rows without content.
        has_header: whether the first row after them that is not empty names the columns.
        by_name: whether cells come by the names of their columns; a list of cells otherwise.
        taken: called with the columns before each row after the header; takes rows from the lines itself, as far as it
            can, and returns them to be yielded. The lines come one by one then.
    """
    lines = _RowLines(batches)
    delimiter = layout.delimiter
    parser = csv.reader(lines, delimiter=delimiter, strict=True)
    names: tuple[str, ...] | None = None if has_header else ()
    for line in islice(lines.stream, layout.above):
        if line is None:
            return
        yield Row(line[2], None, line[0], is_above=True)
    while True:
        if names is not None and not lines.again:
            yield from taken(names)
        line = next(lines.stream)
        if line is None:
            return
        number, text, data = line
        cells: list[str] = []
        fault: RowFault | None = None
        if isinstance(text, str) and '"' not in text and len(data) <= ROW_LIMIT:  # as most rows are
            plain = text.rstrip("\r\n")
            cells = plain.split(delimiter) if plain else []
        else:
            cells, fault = _cells(line, lines, parser, delimiter, len(names or ()) if has_header else None)
            data = b"".join([line for _, _, line in lines.row])
        if has_header and names is not None and len(cells) > len(names):
            fault = _other_cells(len(cells), len(names))
        if fault is not None or not cells:
            yield Row(data, None, number, fault)
        elif names is None:
            names = layout.names(cells)
            yield Row(data, cells, number, is_header=True, names=names)
        else:
            yield Row(data, dict(zip(names, cells, strict=False)) if by_name else cells, number)


def _other_cells(cells: int, columns: int) -> RowFault:
    return RowFault(f"has {cells} cells under {columns} columns")


# A line of a row: its number, its text, its bytes; see `Lines`.
_RowLine = tuple[int, str | UnicodeDecodeError, bytes]


class _RowLines:
    """Passes lines as text to the parser of a table.

    Attributes:
        stream: the lines that do not belong to a row yet; None after the last one, however often it is asked for.
        row: the lines of the current row.
        again: the lines that were given back to the stream.
    """

    def __init__(self, batches: Iterable[Lines]) -> None:
        self.again: deque[_RowLine] = deque()
        self.row: list[_RowLine] = []
        self._taken = self._wasted = self._size = 0
        self._first: str | None = None  # the first line of the row, not yet passed on
        self.stream = self._lines(batches)

    def _lines(self, batches: Iterable[Lines]) -> Iterator[_RowLine | None]:
        again = self.again
        for batch in batches:
            for number, (text, data) in enumerate(zip(batch.texts, batch.data, strict=False), batch.number):
                self._taken += len(data)
                yield number, text, data
                while again:
                    yield again.popleft()
        while True:
            yield again.popleft() if again else None

    def begin(self, line: _RowLine) -> str:
        """Begin a row with a line that has been taken from the stream, and return its text.

        Raises:
            csv.Error: it is too long.
            UnicodeDecodeError: it does not decode.
        """
        self.row, self._size, self._first = [], 0, None
        self._first = text = self._take(line)
        return text

    def _take(self, line: _RowLine) -> str:
        _, text, data = line
        self.row.append(line)
        if isinstance(text, UnicodeDecodeError):
            raise text
        self._size += len(data)
        if self._size > ROW_LIMIT:
            raise csv.Error(f"longer than {ROW_LIMIT:,} bytes")
        return f"{text}\n"

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        text, self._first = self._first, None
        if text is not None:
            return text
        line = next(self.stream)
        if line is None:
            raise StopIteration
        return self._take(line)

    def give_back(self) -> bool:
        """Return all lines of the row but the first to the stream; return False if that was done too often."""
        rest = self.row[1:]
        self._wasted += sum(len(data) for _, _, data in rest)
        if self._wasted > _AGAIN + _AGAIN_RATIO * self._taken:
            return False
        self.again.extendleft(reversed(rest))
        del self.row[1:]
        return True


def _cells(
    line: _RowLine, lines: _RowLines, parser: Iterator[list[str]], delimiter: str, columns: int | None
) -> tuple[list[str], RowFault | None]:
    """Return the cells of the row that begins with a line, by RFC 4180, and its fault; None for columns not known."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        text = lines.begin(line)
        try:
            cells = next(parser)
            if len(lines.row) == 1 or columns is None or len(cells) == columns:
                return cells, None
            fault = _other_cells(len(cells), columns)
        except csv.Error as error:
            fault = RowFault(f"is broken ({error})")
        if len(lines.row) > 1 and not lines.give_back():
            return [], fault
        return _one_line(text, delimiter), None
    except (csv.Error, UnicodeDecodeError) as error:
        return [], RowFault(f"is broken ({error})")
    finally:
        csv.field_size_limit(before)


def _one_line(text: str, delimiter: str) -> list[str]:
    """Return the cells of a row that ends with its line, whatever follows a closing quotation mark.

    Raises:
        csv.Error: the line is not one row.
    """
    cells, is_open = cells_of_line(text, delimiter)
    if is_open:
        raise csv.Error("a quotation mark is never closed")
    return cells
