"""Databases of SQLite: each cell that contains text is a text of its own, with its table, column and row.

The file is opened by the library of SQLite, for reading only, without a lock or a change; what comes in a stream is
copied first. Views and virtual tables are not run: the text that they show is in other tables. The rows before
and after a fault are read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from urisieve.errors import InputError
from urisieve.lean import Any, Final, NamedTuple
from urisieve.records.masking import masked_name
from urisieve.sources.bytes.reading import read_blocks
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.segments import Segments
from urisieve.wording import shortened

# The longest cell that is read, in bytes: all of it is in memory.
_LONGEST_CELL: Final = 64 * 1_048_576
# Cells contain less than the file; more than so many times its bytes, or this many, come of pages that are used again.
_RATIO: Final = 3
_ALLOWANCE: Final = 1_048_576
# Bytes of the smallest row: where it is, its size, its number, the size of its header.
_SMALLEST_ROW: Final = 5
_LONGEST_NAME: Final = 256
_ROWID_NAMES: Final = ("rowid", "_rowid_", "oid")
_COMPUTED: Final = 2  # a generated column that is not stored
# The numbers of rows, and the one that means a row that cannot be read.
_LEAST, _GREATEST = -(2**63), 2**63 - 1
_UNREADABLE: Final = _LEAST - 1
# Text that a program of the database would run is not; the pages in a file that changes are never mapped.
_SETTINGS: Final = ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "writable_schema=ON")


class _StoredTable(NamedTuple):
    """A table: its name, its columns as they are stored, and the name of its row number, None if it has none."""

    name: str
    columns: Sequence[str]
    rowid: str | None


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the cells of a database that contain text, table by table in the order of the schema, row by row.

    Blobs in UTF-8 or UTF-16 are text. The definitions of the schema are cells of `sqlite_master.sql`. A row has the
    number that SQLite gives it, else (`WITHOUT ROWID`) its number from 1. There are no byte offsets. A file of which
    no row can be read is counted and read as text. A file that can be sought is opened by its path.

    Raises:
        InputError: reading fails, or the database is in a stream and too large.
    """
    dating = out.dating
    with ExitStack() as stack:
        path, has_log = _seekable(source, out, stack)
        tables: list[_StoredTable] = []
        try:
            connection = stack.enter_context(closing(_connected(path, has_log=has_log)))
            walk = _Walk(connection, out, path.stat().st_size)
            tables = walk.tables()
        except sqlite3.Error as error:
            out.fault("corrupt", f"not a readable database of SQLite: {error}", kind="sqlite")
        for table in tables:
            fields = [".".join(map(masked_name, (table.name, column)))[:_LONGEST_NAME] for column in table.columns]
            for row, found in walk.rows(table):
                context = None if dating is None else dating(zip(table.columns, found, strict=True))
                for field, cell in zip(fields, found, strict=True):
                    if isinstance(cell, (str, bytes)):
                        yield out.cell(cell, field=field, row=row, context=context, is_binary=out.reads_binary)
        if len(tables) < 2 or (walk.is_faulty and not walk.has_rows):
            yield out.text(read_blocks(str(path)))


class _Walk:
    """One pass over an open database."""

    def __init__(self, connection: sqlite3.Connection, out: Segments, size: int) -> None:
        self._connection = connection
        self._out = out
        self._left = _RATIO * size + _ALLOWANCE
        self.is_faulty = self.has_rows = False
        """Whether something of it cannot be read, and whether a row of a table was."""

    def tables(self) -> list[_StoredTable]:
        """Return the tables that have rows of their own.

        Raises:
            sqlite3.Error: it is not a database, or its schema cannot be read.
        """
        schema = _StoredTable("sqlite_master", ("sql",), "rowid")
        query = "SELECT name, rootpage FROM sqlite_master WHERE type = 'table' AND typeof(name) = 'text'"
        listed = self._connection.execute(query).fetchall()
        tables = [schema]
        for name, page in listed:
            if not page:
                if not any(other.startswith(f"{name}_") for other, _ in listed):
                    self._out.skip("not-stored-here", kind="virtual table")
                continue
            try:
                tables.append(self._table(name))
            except (sqlite3.Error, UnicodeError) as error:
                self._fault(name, error)
        return tables

    def _table(self, name: str) -> _StoredTable:
        listed = self._connection.execute(f"PRAGMA table_xinfo({_quoted(name)})").fetchall()
        columns = [column for _, column, _, _, _, _, hidden in listed if hidden != _COMPUTED]
        for rowid in _ROWID_NAMES:
            if rowid not in map(str.lower, columns):
                try:
                    self._connection.execute(f"SELECT {rowid} FROM {_quoted(name)} LIMIT 0")
                except sqlite3.OperationalError:
                    break
                return _StoredTable(name, columns, rowid)
        return _StoredTable(name, columns, None)

    def rows(self, table: _StoredTable) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield the number and the cells of each row that can be read; what cannot is counted."""
        listed = ", ".join(map(_quoted, table.columns))
        if table.rowid is None:
            query = f"{listed} FROM {_quoted(table.name)}"
            number = 0
            try:
                for number, cells in self._bounded(table, enumerate(self._rows(query), 1)):
                    yield number, cells
            except (sqlite3.Error, UnicodeError) as error:
                self._fault(table.name, error)
                with suppress(sqlite3.Error, UnicodeError):  # the module is one row ahead
                    rest = enumerate(self._rows(f"{query} LIMIT 1 OFFSET {number}"), number + 1)
                    yield from self._bounded(table, rest)
            return
        last: int | None = None  # the highest number, without that of a row before it
        before: int | None = None
        while True:
            is_further = False
            for limit in ("", " LIMIT 1"):  # the module is one row ahead
                after, bounds = _after(table.rowid, last)
                query = f"{table.rowid}, {listed} FROM {_quoted(table.name)} NOT INDEXED{after}{limit}"
                try:
                    found = self._rows(query, *bounds)
                    for number, cells in self._bounded(table, ((row[0], row[1:]) for row in found)):
                        if last is None or number > last:
                            before, last = last, number
                        elif before is None or number > before:  # the number of the row before is damaged
                            last = number
                        is_further = bool(limit)
                        yield number, cells
                    if not limit:
                        return
                except (sqlite3.Error, UnicodeError) as error:
                    fault: Exception = error.with_traceback(None)  # which refers to this frame
            if self._left < 0 or not is_further:
                self._fault(table.name, fault)
                last = None if self._left < 0 else self._past_fault(table, last)
                if last is None:
                    return

    def _past_fault(self, table: _StoredTable, last: int | None) -> int | None:
        """Return the number of the last row that a fault after a row hides, None if no row follows it.

        If the next row has a number, it alone is at fault: it is too long, or the pages with the rest of it are broken.
        Else the page that it is on cannot be read: the numbers after it are searched by doubling and halving.
        """
        start = _LEAST if last is None else last
        failing, step = 0, 0
        while (found := self._first(table, start + step)) == _UNREADABLE:
            if start + step == _GREATEST:
                return None
            failing, step = step, min(max(1, 2 * step), _GREATEST - start)
        if not step:
            return found if found is None or found > start else None
        while step - failing > 1:
            middle = (failing + step) // 2
            if self._first(table, start + middle) == _UNREADABLE:
                failing = middle
            else:
                step = middle
        return start + step

    def _first(self, table: _StoredTable, number: int) -> int | None:
        """Return the number of the first row after one, None if there is none, `_UNREADABLE` if that is broken."""
        after, bounds = _after(table.rowid, number)
        try:
            rows = self._rows(f"{table.rowid} FROM {_quoted(table.name)} NOT INDEXED{after} LIMIT 1", *bounds)
            row = rows.fetchone()
        except (sqlite3.Error, UnicodeError):
            return _UNREADABLE
        return None if row is None else int(row[0])

    def _rows(self, query: str, *bounds: int) -> sqlite3.Cursor:
        return self._connection.execute(f"SELECT {query}", bounds)

    def _bounded(
        self, table: _StoredTable, rows: Iterable[tuple[int, Sequence[Any]]]
    ) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield rows as long as all of them contain no more than the file can.

        Raises:
            sqlite3.DatabaseError: they contain more.
        """
        for number, cells in rows:
            self._left -= _RATIO * _SMALLEST_ROW + sum(len(cell) for cell in cells if isinstance(cell, (str, bytes)))
            if self._left < 0:
                raise sqlite3.DatabaseError("its rows hold more than the file: pages are used more than once")
            if table.name != "sqlite_master":
                self._out.count("row")
                self.has_rows = True
            yield number, cells

    def _fault(self, table: str, error: Exception) -> None:
        self.is_faulty = True
        message = f"table {shortened(table, _LONGEST_NAME)!r}: {error}; the rows that can be read are"
        self._out.fault("too-long" if isinstance(error, sqlite3.DataError) else "corrupt", message, kind="sqlite")


def _after(rowid: str | None, last: int | None) -> tuple[str, tuple[int, ...]]:
    """Return the clause that selects the rows after one, and its parameters."""
    return (f" ORDER BY {rowid}", ()) if last is None else (f" WHERE {rowid} > ? ORDER BY {rowid}", (last,))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _connected(path: Path, *, has_log: bool) -> sqlite3.Connection:
    """Return a connection that changes nothing; a copy with a log is our own, into which SQLite reads it."""
    mode = "mode=rw" if has_log else "mode=ro&immutable=1"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=0, isolation_level=None, check_same_thread=False
    )
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_CELL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    return connection


def _seekable(source: Content, out: Segments, stack: ExitStack) -> tuple[Path, bool]:
    """Return the path of the database, or of a copy of it, and whether the copy has a log beside it."""
    path = None if source.path is None else Path(source.path)
    log = None if path is None else path.with_name(f"{path.name}-wal")
    try:
        has_log = log is not None and log.is_file() and log.stat().st_size > 0
        if path is not None and not has_log:
            return path, False
        copy = Path(stack.enter_context(TemporaryDirectory(prefix="urisieve-"))) / "database"
        is_whole = _copied(source.blocks, copy, out)
        if has_log and is_whole:
            is_whole = _copied(read_blocks(str(log)), copy.with_name("database-wal"), out)
    except OSError as error:
        raise InputError(f"no room for a copy of the database: {error.strerror or error}") from error
    if is_whole:
        return copy, has_log
    if path is None:
        raise InputError(f"a database in a stream of more than {out.spool:,} bytes is not read: give it as a file")
    message = f"more than {out.spool:,} bytes, with its log: what only the log holds is not read"
    out.fault("log-not-read", message, kind="sqlite")
    return path, False


def _copied(blocks: Iterable[bytes], path: Path, out: Segments) -> bool:
    """Copy blocks into a file as far as they can be read; report whether they are no more than the limit."""
    with path.open("wb") as file:
        try:
            for block in blocks:
                file.write(block)
                if file.tell() > out.spool:
                    return False
        except InputError as error:
            out.stopped(error)
    return True
