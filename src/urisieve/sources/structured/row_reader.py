"""Rows: the values of each, and its bytes or text; here those of JSON lines (RFC 8259).

One reader serves both uses of rows, the search for identifiers in their fields and their passing on unchanged; the
caller passes lines as text (`LineReader.batches`) or with their bytes (`kept_lines`), and the policy for broken rows.
`table_rows` does the same for tables.

Broken rows of JSON lines and tables: the faults, their reports and counts, and the part that is still read.

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

import json
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from json import JSONDecoder

from urisieve.errors import InputError
from urisieve.lean import Any, Final, NamedTuple, dataclass, lazy_compile
from urisieve.sources.bytes.lines import LINE_LIMIT, Lines, LongLine
from urisieve.sources.tally import Tally

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


# Objects are tuples of pairs, so that none is lost if a key occurs twice; control characters in strings are an error
# of the writer, and no reason to lose the line.
DECODER: Final = JSONDecoder(object_pairs_hook=tuple, strict=False)
_STRICT: Final = JSONDecoder()
# White space of JSON (RFC 8259 2), and the record separator of JSON text sequences (RFC 7464 2.2).
AROUND: Final = " \t\r\x1e"
# A line of these alone holds nothing: form feeds and vertical tabs are not JSON, but nothing is lost with them either.
BLANK: Final = f"{AROUND}\v\f"
_BLANKS_OF_JSON: Final = " \t\r\n"
_STRAY_BYTE: Final = lazy_compile("[\udc80-\udcff]")
# The characters of an array that are looked at first; most elements are shorter.
_LEAST: Final = 65_536


class Row(NamedTuple):
    """A row.

    Attributes:
        data: its bytes, with the end of its line; empty if they are not kept, and for Parquet.
        values: its content: a value of JSON, or the cells by name or in a list; None without content.
        number: the number of the line on which it begins, from 1.
        fault: the fault of a row that cannot be read.
        is_header: whether it names the columns.
        names: for a header, the columns.
        start: the offset at which it begins in the text, in characters, if bytes are not kept.
        text: its lines as they stand, if bytes are not kept; a line too long to be held comes in pieces, to be read
            before the next row is asked for.
    """

    data: bytes
    values: Any
    number: int
    fault: RowFault | None = None
    is_header: bool = False
    names: tuple[str, ...] = ()
    start: int = 0
    text: Iterable[str] = ()

    @property
    def size(self) -> int:
        """The number of bytes that it took."""
        return len(self.data)


def json_rows(batches: Iterable[Lines | LongLine], policy: RowPolicy) -> Iterator[Row]:
    """Yield the rows of JSON lines; blank lines are rows only if bytes are kept.

    Args:
        batches: the lines.
        policy: the policy for broken rows; objects are dictionaries if it is strict, else tuples of pairs.
    """
    decode = (_STRICT if policy.is_strict else DECODER).decode
    for batch in batches:
        if isinstance(batch, LongLine):
            yield Row(b"", None, batch.number, TOO_LONG, start=batch.start, text=batch.pieces)
            continue
        following = batch.start
        for number, (line, data) in enumerate(zip(batch.texts, batch.data, strict=False), batch.number):
            if not line and not data:
                following += 1
                continue
            if isinstance(line, UnicodeDecodeError):
                yield Row(data, None, number, policy.not_json(line))
                continue
            start = following
            following += len(line) + 1
            text = line.strip(AROUND)
            if not text:
                if data:
                    yield Row(data, None, number)
                continue
            values = fault = None
            try:
                values = decode(text)
            except (ValueError, RecursionError) as error:
                if text.strip(BLANK):
                    fault = policy.not_json(_error_of(line, data) if data else error)
            yield Row(data, values, number, fault, False, (), start, () if data else (line,))


def _error_of(line: str, data: bytes) -> Exception:
    """Return the fault of a line that is passed on, with the offset in the line as it stands."""
    try:
        json.loads(f"{line}\n" if data.endswith(b"\n") else line)
    except (ValueError, RecursionError) as error:
        return error
    return ValueError("not a value of JSON")


def array_rows(blocks: Iterable[bytes], encoding: str | None, policy: RowPolicy) -> Iterator[Row]:
    """Yield the elements of an array in JSON, each with `,` and a line feed behind its bytes; several may follow.

    Args:
        blocks: the document.
        encoding: the name of a codec; UTF-8 by default.
        policy: the policy for rows, whose limit holds for each element; one that does not decode is broken.

    Raises:
        InputError: the blocks raise it, it is not an array, or an element is not JSON; the rows before that have been
            yielded.
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
            values, element = text.element(policy.limit)
            fault = None
            if not element.isascii() and _STRAY_BYTE.search(element):
                values, fault = None, policy.not_json(ValueError("it does not decode"))
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

    def element(self, limit: int) -> tuple[Any, str]:
        """Return the next value, and its text.

        Raises:
            InputError: it is not JSON, or longer than the limit.
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
            if self._has_ended or size > limit:
                raise InputError(f"line {self.number:,}: an element is not JSON ({reason}); the rest is not read")
            size = 2 * max(size, len(self._text) - self._at)
