"""Cells of CSV and TSV that a spreadsheet would run as formulas, made harmless on their way to an output."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from functools import cache

from urisieve.errors import UsageError
from urisieve.kernel import either, kernel
from urisieve.lean import Final, NamedTuple
from urisieve.sinks.byte_output import Output, OutputOnto


class _CellPatterns(NamedTuple):
    """The patterns of cells, and of those that are changed.

    Attributes:
        cell: matches a cell and what ends it.
        run: matches the beginning of a cell that a spreadsheet runs.
        number: matches a number, which is not a formula, and a sign alone.
    """

    cell: re.Pattern[bytes]
    run: re.Pattern[bytes]
    number: re.Pattern[bytes]


@cache
def _patterns(mark: bytes) -> _CellPatterns:
    # A fullwidth sign begins a formula in some spreadsheets. Quotation marks, apostrophes, blanks, byte
    # order marks of joined files and control characters before a sign do not stop them all; a tab or a line end may
    # move the rest into a cell of its own.
    mark = re.escape(mark)
    sign = rb"(?:[=+\-@]|\xef\xbc[\x8b\x8d\x9d\xa0])"
    return _CellPatterns(
        re.compile(rb'("(?>[^"]|"")*+"?[^' + mark + rb"\r\n]*+|[^" + mark + rb"\r\n]*+)(" + mark + rb"|\r\n|\n|\r|\Z)"),
        re.compile(rb"['\"]*+[\t\r\n]|(?>[\x00-\x20'\"]|\xc2\xa0|\xe3\x80\x80|\xef\xbb\xbf)*+" + sign),
        re.compile(rb"[ ]*+[+\-]?(?:[0-9][0-9.,]*+(?:[eE][+\-]?[0-9]++)?)?[ ]*+"),
    )


def _in_python(data: bytes, delimiter: str) -> tuple[bytes, int]:
    """Return rows of CSV or TSV with their cells as `SafeCells` writes them, and how many of these were changed."""
    cell, run, number = _patterns(delimiter.encode())
    changed = 0

    def safe(match: re.Match[bytes]) -> bytes:
        nonlocal changed
        text, end = match.groups()
        mark = BOM_UTF8 if match.start() == 0 and text.startswith(BOM_UTF8) else b""
        text = text[len(mark) :]
        is_quoted = text[:1] == b'"'
        inner = text[1:] if is_quoted else text
        if not run.match(inner) or number.fullmatch(inner.removesuffix(b'"') if is_quoted else inner):
            return match[0]
        changed += 1
        return mark + (b"\"'" + inner if is_quoted else b"'" + text) + end

    return cell.sub(safe, data), changed


def _by_kernel(data: bytes, delimiter: str) -> tuple[bytes, int]:
    return kernel.safe_cells(data, ord(delimiter))


_safe_rows: Final = either(_by_kernel, _in_python)


class SafeCells(OutputOnto):
    r"""Passes rows of CSV or TSV on to an output; a cell that a spreadsheet would run gets a `'` before it.

    These are cells that begin with `=`, `+`, `-` or `@` (or their fullwidth forms), also after quotation marks,
    apostrophes, blanks, byte order marks and control characters, and cells that begin with a tab or the end of a
    line; but no numbers.
    So a `'` before such a beginning is always one that was added, and is to be removed to have the cell as it was.
    All other bytes stay as they are.

    >>> import os, tempfile
    >>> from urisieve.sinks import SafeCells, open_output
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.csv")
    >>> with open_output(path) as output:
    ...     safe = SafeCells(output)
    ...     safe.write(b'name,n\n=1+1,-5\n"=HYPERLINK(""http://a.example/"")",3\n')
    >>> with open(path) as file:
    ...     print(file.read().strip(), safe.changed)
    name,n
    '=1+1,-5
    "'=HYPERLINK(""http://a.example/"")",3 2

    Args:
        output: the output.
        delimiter: what is between cells, one character.

    Attributes:
        output: the output.
        delimiter: what is between the cells of the rows that come.
        changed: how many cells were changed.

    Raises:
        UsageError: it is not a delimiter.
    """

    def __init__(self, output: Output, delimiter: str = ",") -> None:
        if len(delimiter) != 1 or delimiter in "\"'\r\n" or not delimiter.isascii():
            raise UsageError(f"delimiter={delimiter!r} must be one character of ASCII, not a quotation mark")
        super().__init__(output)
        self.delimiter = delimiter
        self.changed = 0

    def write(self, data: bytes) -> None:
        """Write whole rows; see `Output.write`."""
        data, changed = _safe_rows(data, self.delimiter)
        self.changed += changed
        self.output.write(data)


class Cells(NamedTuple):
    """How the cells of rows leave.

    Attributes:
        changes: whether those change that a spreadsheet would run.
    """

    changes: bool = False

    def made(self, output: Output, delimiter: str = ",") -> SafeCells | None:
        """Return what passes rows on to an output; None if they leave as they are."""
        return SafeCells(output, delimiter) if self.changes else None

    def rows(self, data: bytes, delimiter: str) -> bytes:
        """Return rows as they leave."""
        return _safe_rows(data, delimiter)[0] if self.changes else data
