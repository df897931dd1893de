"""The sign of a table, and its layout: what is between its cells, and on which line its header is.

Tables have odd lines: `sep=;`, comments, a title, blank lines, a header of another width, a row that is too short.
The rows are those of the longest run of lines with one number of cells, and the header is the first of them, or the
line before them. Only the first `HEAD_SIZE` bytes count, and of these no more than a run of `_ROWS` rows, so that a
pipe does not wait, and the decision is the same however the bytes come.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, takewhile

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind, Layout, ReaderRow
from urisieve.sources.kinds.text_signs import Beginning

# What may be between the cells of CSV; `|` only where the name or an option says that the text is a table.
DELIMITERS: Final = ("\t", ",", ";")
_ASKED: Final = (*DELIMITERS, "|")
# The number of rows that identify a table.
_ROWS: Final = 5
# The first lines that decide about most tables.
_MOST_OFTEN: Final = 8
# A header and one row more could be any two lines.
_FEWEST: Final = 3
_NAME: Final = lazy_compile(r"[^\W\d](?:(?!://)[\w .:/#()%&°+@-]){0,58}(?<=[\w)%#])")
# The pattern of a possible name of a column.
_BEGUN_NAME: Final = lazy_compile(r'"*(?:[^\W\d](?:(?!://)[\w .:/#()%&°+@-]){0,58}"*)?')
_ANY_DELIMITER: Final = lazy_compile("[\t,;]")
# The contents of columns of data that are rare in sentences: numbers, dates, addresses, marks.
_DATUM: Final = lazy_compile(
    r"[-+]?[0-9][0-9.,:/ TZ+%-]*|[A-Za-z][A-Za-z0-9+.-]*://\S*|\S+@\S+\.\S+|true|false|yes|no|null|none|nan|n/a|-|",
    re.I,
)
_ADDRESS: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")
_LONE_RETURN: Final = lazy_compile(rb"\r[^\n]")
_QUOTED: Final = lazy_compile(rb'"[^"]*+(?:"|\Z)')
# The line by which spreadsheets are told the delimiter.
_SEPARATOR: Final = lazy_compile(r'"?sep=([^"\r\n])"?\r?')


class _HeadRow(NamedTuple):
    """A row that is not blank: the index of its first line, that of the line after it, and its cells."""

    start: int
    end: int
    cells: Sequence[str]

    @property
    def width(self) -> int:
        """The number of its cells."""
        return len(self.cells)


# ---------------------------------------------------------------- the sign


def table_sign(at: Beginning) -> Kind | bool:
    """Decide about CSV and TSV."""
    if at.hint in (Kind.CSV, Kind.TSV):
        found = table_layout(at.head, at.hint, whole=at.is_whole, is_open=at.is_open)
        if found is False and at.hint is Kind.TSV:  # it may be one with another delimiter all the same
            found = _unnamed_layout(at)
    else:
        found = _unnamed_layout(at)
    if isinstance(found, Layout):
        return Kind.TSV if found.delimiter == "\t" else Kind.CSV
    return found


def _unnamed_layout(at: Beginning) -> Layout | bool:
    """Return the layout of a text that no name calls a table; False for none, True if that depends on what follows.

    It needs a header, and two rows more of as many cells with a column of data under it. Above these may be `sep=;`,
    which decides, and comments without links.
    """
    start = at.start if at.is_open else _with_feeds(at.start)
    while start.startswith((b"#", b"sep=", b'"sep=')):
        line, feed, rest = start.partition(b"\n")
        if not feed and at.is_open:
            return b"://" not in line.partition(b"\r")[0]
        if _SEPARATOR.fullmatch(line.decode("utf-8", "replace")):
            return table_layout(at.head, Kind.CSV, whole=at.is_whole, is_open=at.is_open)
        if not line.startswith(b"#") or b"://" in line:
            return False
        start = rest.lstrip(b"\r\n")
    if at.is_open and (not start or _may_be_table(start)):
        return True
    delimiter = _regular_delimiter(start, whole=at.is_whole)
    return False if delimiter is None else Layout(delimiter)


def _regular_delimiter(start: bytes, *, whole: bool) -> str | None:
    """Return the delimiter of a table that begins with its header; None if it is none, or in doubt."""
    line = start.partition(b"\n")[0]
    if b"," not in line and b"\t" not in line and b";" not in line:
        return None
    first = _first_line(start)
    marks = sorted(filter(first.__contains__, DELIMITERS), key=first.count, reverse=True)
    for mark in marks:
        if any(map(_is_header, (row.cells for row in _rows([first], mark)[0]))):
            rows = [row.cells for row in _rows(_lines(start, whole=whole), mark)[0][:_ROWS]]
            if _is_table(rows, mark):
                return mark
    return None


def _may_be_table(start: bytes) -> bool:
    """Report whether the text after this beginning may make a table of it, or decide that it is not one."""
    first = _first_line(start)
    if b"\n" not in start:
        *cells, last = _ANY_DELIMITER.split(first.rstrip("\r"))
        return all(map(_NAME.fullmatch, _unquoted(cells))) and _BEGUN_NAME.fullmatch(last) is not None
    marks = [mark for mark in DELIMITERS if mark in first and _is_header(first.split(mark))]
    lines = _lines(start, whole=False) if marks else ()
    return any(len(_rows(lines, mark)[0]) < _ROWS for mark in marks)


def _first_line(start: bytes) -> str:
    """Return the first line, without what ends it."""
    lines = start.partition(b"\n")[0].decode("utf-8", "replace").splitlines()
    return lines[0] if lines else ""


def _is_table(rows: Sequence[Sequence[str]], mark: str) -> bool:
    if len(rows) < _FEWEST or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return False
    if not _is_header(rows[0]):
        return False
    if mark != "\t" and any(cell.startswith(" ") for row in rows for cell in row):
        return False  # a sentence has a blank after its comma
    return any(
        any(column[1:]) and all(map(_DATUM.fullmatch, column[1:])) and not _DATUM.fullmatch(column[0])
        for column in zip(*rows, strict=True)
    )


def _unquoted(cells: Sequence[str]) -> list[str]:
    return [cell.strip('"') for cell in cells]


def _is_header(row: Sequence[str]) -> bool:
    cells = _unquoted(row)
    return len(set(cells)) == len(cells) and all(map(_NAME.fullmatch, cells))


# ---------------------------------------------------------------- the layout


def table_layout(
    start: bytes,
    kind: ReaderRow | str,
    delimiter: str = "",
    *,
    whole: bool,
    is_open: bool = False,
    skip: int = 0,
    has_title: bool = True,
) -> Layout | bool:
    """Return the layout of a table with this beginning; False if it is none, True if that depends on what follows.

    Args:
        start: the first bytes, in UTF-8 without a byte order mark.
        kind: `csv` or `tsv`, which the name or an option says.
        delimiter: the character between cells; "" for what the rows show.
        whole: whether the last line ends where the bytes do.
        is_open: whether more bytes may follow that count.
        skip: the number of the first lines that do not count.
        has_title: whether a line with an address in it, and without a delimiter, may be a title; else it is a row.
    """
    text = start if is_open else _with_feeds(start)
    lines = _lines(text, whole=whole and not is_open, takes_one=not is_open)
    is_of_returns = text is not start
    if skip:
        sizes = accumulate(map(len, lines[skip:]))
        after = sum(1 for _ in takewhile(HEAD_SIZE.__ge__, sizes))
        is_open = is_open and after == len(lines) - skip
        lines = lines[skip : skip + after]
    marks = (delimiter,) if delimiter else ("\t",) if kind == Kind.TSV else _ASKED
    above = 0
    first = next((line for line in lines if line.strip()), "")
    separator = _SEPARATOR.fullmatch(first)
    if separator is not None:
        above = lines.index(first) + 1
        marks = (delimiter or separator[1],)
    found = _scanned(lines[above:], marks, is_open=is_open, has_title=has_title)
    if isinstance(found, Layout):
        return found._replace(above=found.above + above, is_of_returns=is_of_returns)
    if not found and (separator is not None or (kind == Kind.TSV and "\t" in first)):
        return Layout(marks[0], above, is_of_returns=is_of_returns)
    return found


def _with_feeds(start: bytes) -> bytes:
    """Return the beginning of a text with a line feed for each return, if its lines end with these alone.

    Returns in quotation marks end no line: a first row that is longer than the beginning may have them.
    """
    if b"\n" in start or _LONE_RETURN.search(start) is None:
        return start
    return start.replace(b"\r", b"\n") if _LONE_RETURN.search(_QUOTED.sub(b'""', start)) else start


def _lines(start: bytes, *, whole: bool, takes_one: bool = False) -> list[str]:
    """Return the lines, without a last one that may go on, unless it is the only one."""
    *lines, last = start.decode("utf-8", "ignore").split("\n")
    if last and (whole or (takes_one and not lines)):
        lines.append(last)
    return lines


def _rows(lines: Sequence[str], mark: str, *, is_open: bool = True) -> tuple[list[_HeadRow], int]:
    """Return the rows that are not blank, and the index of the line up to which they are known.

    A quotation mark that is never closed is part of its line; with `is_open` the rows before it are all that is known.
    """
    found: list[_HeadRow] = []
    at = 0
    while at < len(lines):
        row = _row(lines, at, mark)
        if row is None:
            if is_open:
                break
            row = _HeadRow(at, at + 1, lines[at].split(mark))
        if len(row.cells) > 1 or "".join(row.cells).strip():
            found.append(row)
        at = row.end
    return found, at


def _row(lines: Sequence[str], at: int, mark: str) -> _HeadRow | None:
    """Return the row that begins at a line; None if a quotation mark is never closed in it, or it is none for `csv`."""
    if '"' not in lines[at]:
        return _HeadRow(at, at + 1, lines[at].rstrip("\r").split(mark))
    import csv

    end = at

    def following() -> Iterator[str]:
        nonlocal end
        for line in islice(lines, at, None):
            end += 1
            yield f"{line}\n"
        end += 1  # the parser asks for more than there is

    try:
        cells = next(csv.reader(following(), delimiter=mark))
    except csv.Error:
        return _HeadRow(at, at + 1, lines[at].split(mark))
    return None if end > len(lines) else _HeadRow(at, end, cells)


def _scanned(lines: Sequence[str], marks: Sequence[str], *, is_open: bool, has_title: bool) -> Layout | bool:
    """Return the layout of the table in some lines; see `table_layout`."""
    if len(lines) > _MOST_OFTEN:
        sooner = _scanned(lines[:_MOST_OFTEN], marks, is_open=True, has_title=has_title)
        if sooner is not True:
            return sooner
    tables = [_Cells(*_rows(lines, mark, is_open=is_open), mark) for mark in marks]
    known = min(table.known for table in tables)
    column = len(marks) > 1 and Layout(",")  # of one, in CSV
    if _is_lone_address(lines, marks, has_title=has_title):
        return column
    settled = [found for table in tables if (found := table.settled(lines, marks)) is not None]
    if settled:
        end, _, layout = min(settled, key=lambda one: one[:2])
        if end <= known or not is_open:
            return layout
    return is_open or _longest(tables) or (column if all(table.is_column() for table in tables) else False)


def _is_lone_address(lines: Sequence[str], marks: Sequence[str], *, has_title: bool) -> bool:
    """Report whether a line is an address, and no line before it has cells, as in a table of one column.

    Where no title may be above a table, a line that contains an address is enough.
    """
    found = _ADDRESS.fullmatch if has_title else _ADDRESS.search
    for line in lines:
        if any(mark in line for mark in marks):
            return False
        if found(line.strip().strip('"')):
            return True
    return False


def _longest(tables: Sequence[_Cells]) -> Layout | bool:
    """Return the layout by the longest run of all rows; False if these are too few, and the text is no table."""
    found = [(*longest, table) for table in tables if (longest := table.longest()) is not None]
    if not found:
        return False
    size, total, width, first, table = max(found, key=lambda one: one[:3])
    rows = [row for row in table.rows if not row.cells[0].startswith("#")]
    if size >= _FEWEST or (2 * total >= len(rows) and (total > 1 or len(rows) == 1)):
        return table.layout(first, width, len(table.rows))
    for _, total, width, first, table in found:
        named = (index for index, row in enumerate(table.rows) if row.width > 1 and _is_header(_trimmed(row.cells)))
        header = next(named, len(table.rows))
        after = [row.width > 1 for row in table.rows[header + 1 :]]
        if 0 < len(after) <= 2 * sum(after):
            above = table.rows[header].start if header else 0
            layout = table.layout(first, width, len(table.rows))
            return layout if layout.above == above and total > 1 else Layout(table.mark, above)
    return False


class _Cells(NamedTuple):
    """The rows of a text with one delimiter, and the index of the line up to which they are known."""

    rows: Sequence[_HeadRow]
    known: int
    mark: str

    def settled(self, lines: Sequence[str], marks: Sequence[str]) -> tuple[int, int, Layout] | None:
        """Return where the first rows decide, less their width, and the layout; None if they do not.

        A first row with this delimiter alone decides if it has an address; or with the rows of as many cells after it
        up to one that has an address, or data under names; else a run of `_ROWS` rows.
        """
        if not self.rows:
            return None
        head = self.rows[0]
        others = [mark for mark in marks if mark != self.mark]
        is_sure = head.width > 1 and not any(mark in lines[head.start] for mark in others)
        is_header = is_sure and _is_header(head.cells)
        first = 0
        for index, row in enumerate(self.rows):
            if row.width != self.rows[first].width:
                first, is_sure = index, False
            if row.width < 2:
                continue
            is_data = (
                is_sure
                and not row.cells[0].startswith("#")
                and (any(map(_ADDRESS.fullmatch, row.cells)) or (is_header and index > 0 and _has_datum(row.cells)))
            )
            if is_data or index - first == _ROWS - 1:
                return row.end, -row.width, self.layout(first, row.width, index + 1)
        return None

    def is_column(self) -> bool:
        """Report whether there are rows, of one cell each."""
        return bool(self.rows) and all(row.width == 1 for row in self.rows)

    def longest(self) -> tuple[int, int, int, int] | None:
        """Return the length of the longest run of rows of one width, the number of all rows of it, it, and the first.

        None if no row has two cells.
        """
        totals = Counter(row.width for row in self.rows)
        best = None
        first = 0
        for index, row in enumerate(self.rows):
            if row.width != self.rows[first].width:
                first = index
            if row.width > 1:
                one = (index - first + 1, totals[row.width], row.width, first)
                best = one if best is None or one[:3] > best[:3] else best
        return best

    def layout(self, first: int, width: int, end: int) -> Layout:
        """Return the layout of a table by a run of its rows.

        Args:
            first: the index of the first row of the run.
            width: the number of cells of its rows.
            end: the index of the row up to which rows count.
        """
        rows = self.rows[:end]
        begin = next(index for index, row in enumerate(rows) if row.width == width)
        header = begin
        if _is_odd(rows[begin].cells):
            usual = (index for index, row in enumerate(rows) if row.width == width and not _is_odd(row.cells))
            first = next(usual, begin)
            if _is_header(rows[first].cells):
                header = first
            elif _is_header_of(rows[first - 1], rows[first:]):
                begin = header = first
        before = after = 0
        if header == begin > 0 and _is_header_of(rows[begin - 1], rows[begin:]):
            header = begin - 1
            if rows[header].width == width - 1:
                after = int(not any(row.cells[-1].strip() for row in rows[begin:] if row.width == width))
                before = 1 - after
        return Layout(self.mark, rows[header].start if header else 0, before, after)


def _has_datum(cells: Sequence[str]) -> bool:
    return any(cell and _DATUM.fullmatch(cell) for cell in cells)


def _is_odd(cells: Sequence[str]) -> bool:
    """Report whether a row above a header may be a comment, or a title or a blank line with empty cells after it."""
    return cells[0].lstrip().startswith("#") or sum(1 for cell in cells if cell.strip()) < 2


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    """Return the cells of a row without an empty last one."""
    return cells if cells[-1].strip() else cells[:-1]


def _is_header_of(row: _HeadRow, rows: Sequence[_HeadRow]) -> bool:
    """Report whether a row is the header of rows of another width, which have none of their own."""
    names = _trimmed(row.cells)
    if not names or not _is_header(names) or row.end != rows[0].start or (len(names) == 1 and " " in names[0].strip()):
        return False
    return not _is_header(rows[0].cells) or not (len(rows) > 1 and _has_datum(rows[1].cells))
