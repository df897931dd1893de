"""Cells of CSV and TSV that a spreadsheet would run as formulas, made harmless on their way to an output."""

from __future__ import annotations

import re
from functools import cache

from urisieve.errors import UsageError
from urisieve.lean.values import NamedTuple
from urisieve.sinks.files.outputs import Output

__all__ = ["SafeCells"]


class _CellPatterns(NamedTuple):
    """The patterns of cells, and of those that are changed.

    Attributes:
        may_run: finds what begins a formula behind what can stand before a cell, so that most rows are looked at once.
        cell: matches a cell and what ends it.
        run: matches the beginning of a cell that a spreadsheet runs.
        number: matches a number, which is not a formula, and a sign alone.
    """

    may_run: re.Pattern[bytes]
    cell: re.Pattern[bytes]
    run: re.Pattern[bytes]
    number: re.Pattern[bytes]


@cache
def _patterns(mark: bytes) -> _CellPatterns:
    # A fullwidth sign begins a formula in some spreadsheets. Quotation marks, apostrophes, blanks and control
    # characters before a sign do not stop them all; a tab or a line end may move the rest into a cell of its own.
    sign = rb"(?:[=+\-@]|\xef\xbc[\x8b\x8d\x9d\xa0])"
    before = rb"(?:\A|[\x00-\x20" + mark + rb"'\"\xa0\x80])"
    return _CellPatterns(
        re.compile(before + sign + rb"|[,\"'\n](?:\t|\r(?!\n))|\A[\t\r]"),
        re.compile(rb'("(?>[^"]|"")*+"?[^' + mark + rb"\r\n]*+|[^" + mark + rb"\r\n]*+)(" + mark + rb"|\r\n|\n|\r|\Z)"),
        re.compile(rb"['\"]*+[\t\r\n]|(?>[\x00-\x20'\"]|\xc2\xa0|\xe3\x80\x80)*+" + sign),
        re.compile(rb"[ ]*+[+\-]?(?:[0-9][0-9.,]*+(?:[eE][+\-]?[0-9]++)?)?[ ]*+"),
    )


class SafeCells(Output):
    r"""Passes rows of CSV or TSV on to an output; a cell that a spreadsheet would run gets a `'` before it.

    That are cells which begin with `=`, `+`, `-` or `@` (or their fullwidth forms), also behind quotation marks,
    apostrophes, blanks and control characters, and cells which begin with a tab or the end of a line; but no numbers.
    So a `'` before such a beginning is always one that was added, and is to be removed to have the cell as it was.
    All other bytes stay as they are.

    >>> import os, tempfile
    >>> from urisieve import SafeCells, open_output
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.csv")
    >>> with open_output(path) as output:
    ...     safe = SafeCells(output)
    ...     safe.write(b'name,n\n=1+1,-5\n"=HYPERLINK(""http://a.example/"")",3\n')
    >>> from pathlib import Path
    >>> print(Path(path).read_text(), safe.changed)
    name,n
    '=1+1,-5
    "'=HYPERLINK(""http://a.example/"")",3
     2

    Args:
        output: the output.
        delimiter: what stands between cells: `,` or a tab.

    Attributes:
        output: the output.
        changed: how many cells were changed.

    Raises:
        UsageError: it is another delimiter.
    """

    def __init__(self, output: Output, delimiter: str = ",") -> None:
        if delimiter not in (",", "\t"):
            raise UsageError(f"delimiter={delimiter!r} must be ',' or '\\t'")
        self._patterns = _patterns(delimiter.encode())
        self.output = output
        self.changed = 0

    def write(self, data: bytes) -> None:
        """Write whole rows; see `Output.write`."""
        may_run, cell, _, _ = self._patterns
        self.output.write(cell.sub(self._safe, data) if may_run.search(data) else data)

    def _safe(self, match: re.Match[bytes]) -> bytes:
        _, _, run, number = self._patterns
        cell, end = match.groups()
        is_quoted = cell[:1] == b'"'
        inner = cell[1:] if is_quoted else cell
        if not run.match(inner) or number.fullmatch(inner.removesuffix(b'"') if is_quoted else inner):
            return match[0]
        self.changed += 1
        return b"\"'" + inner + end if is_quoted else b"'" + cell + end

    def complete(self) -> None:
        """See `Output.complete`."""
        self.output.complete()

    def give_up(self) -> None:
        """See `Output.give_up`."""
        self.output.give_up()
