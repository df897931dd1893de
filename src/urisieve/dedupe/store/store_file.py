"""The file of a store: making, removing and verifying it, and the meaning of errors of SQLite.

It also checks the values that a store takes, before anything is written.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from urisieve import shapes
from urisieve.dedupe.keyset import DIGEST_SIZE
from urisieve.dedupe.store.entry_pieces import MOST
from urisieve.errors import StoreError, UsageError
from urisieve.lean import Any, Final
from urisieve.syntax.times import LATEST
from urisieve.wording import address_hint, printable

_VALUES: Final = 5  # of an entry


def checked_path(value: object) -> str:
    """Return the path of a store as text.

    Raises:
        UsageError: it is not a path.
    """
    name = shapes.path("path", value)
    try:
        os.stat(name)
    except ValueError as error:
        raise UsageError(f"{name!r} cannot be the path of a store: {error}") from error
    except OSError:
        pass
    if not name:
        raise UsageError("the path of a store is empty: give the name of a file")
    if name == ":memory:":
        raise UsageError("a store is a file, :memory: is not its path: use a KeySet for keys in memory alone")
    return name


def checked_cache(cache: object) -> int:
    """Return the bytes of a store that are to be kept in memory.

    Raises:
        UsageError: they are not a number of bytes.
    """
    if not isinstance(cache, int) or isinstance(cache, bool) or not 0 <= cache < MOST:
        raise UsageError(f"cache={cache!r:.40} must be a number of bytes")
    return cache


def check_columns(number: int, counts: Sequence[int] | None, sources: Sequence[str | None] | None) -> None:
    """Check the types of counts and sources, and that there is one of each for each of the keys.

    Raises:
        UsageError: a type, a number or a length is wrong.
    """
    for name, values in (("counts", counts), ("sources", sources)):
        if values is None:
            continue
        if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
            raise UsageError(f"{name} is a {type(values).__name__}: give a list, with one for each key")
        if len(values) != number:
            raise UsageError(f"there are {len(values)} {name} for {number} keys: give one for each key")
    if counts and (set(map(type, counts)) != {int} or min(counts) < 1 or max(counts) > MOST):
        wrong = next(count for count in counts if count.__class__ is not int or not 1 <= count <= MOST)
        raise UsageError(f"a count is {wrong!r}: it must be an integer from 1 to {MOST}")
    for kind in set(map(type, sources or ())):
        if kind is not type(None) and not issubclass(kind, str):
            raise UsageError(f"a source is a {kind.__name__}: it must be a string or None")


def are_digests(found: object) -> bool:
    """Report whether something is a sequence of digests of keys."""
    if isinstance(found, (str, bytes)) or not isinstance(found, Sequence):
        return False
    every = list(found)
    return set(map(type, every)) <= {bytes} and set(map(len, every)) <= {DIGEST_SIZE}


def is_entry(entry: Any) -> bool:
    """Report whether something is an entry of a store: digest, first and last time, count and source."""
    if not isinstance(entry, tuple) or len(entry) != _VALUES:
        return False
    digest, first, last, count, source = entry
    return (
        type(digest) is bytes
        and len(digest) == DIGEST_SIZE
        and type(first) is type(last) is type(count) is int
        and 0 <= first <= last <= LATEST
        and count >= 1
        and (source is None or isinstance(source, str))
    )


def is_row(row: Any) -> bool:
    """Report whether something is a row of the keys of a store: as an entry, with the number of the source."""
    return isinstance(row, tuple) and type(row[-1]) is int and is_entry((*row[:-1], None))


# The application id of stores ("urik"), and the version of their tables.
APPLICATION: Final = 0x7572696B
LAYOUT: Final = 2
# The layout without runs: such a store is given their tables when it is opened to be written.
_BEFORE: Final = 1
_FIRST_TABLES: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    "CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    (
        "CREATE TABLE keys (digest BLOB PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, "
        "count INTEGER NOT NULL, source INTEGER NOT NULL) WITHOUT ROWID"
    ),
)
_RUN_TABLES: Final = (
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, bits INTEGER NOT NULL, keys INTEGER NOT NULL)",
    "CREATE TABLE pieces (id INTEGER PRIMARY KEY, digests BLOB NOT NULL, entries BLOB NOT NULL)",
)
_TABLES: Final = (*_FIRST_TABLES, *_RUN_TABLES)
NUMBER: Final = "keys"
"""The name of the number of different keys, among what is kept beside them."""
# Endings of the files that SQLite writes next to a database.
_BESIDE: Final = ("-wal", "-shm", "-journal")
# What to do about a store that is damaged.
_ANEW: Final = "put a copy of it in its place, or remove it to begin a new one"
# The first bytes of a file of SQLite, and the length of the header that contains its size.
_MAGIC: Final = b"SQLite format 3\0"
_HEAD: Final = 100


def store_files(path: str) -> list[str]:
    """Return the existing files of a store: the store, and those of SQLite next to it; links are followed."""
    return [name for name in (path, *files_beside(path)) if os.path.exists(name)]


def files_beside(path: str) -> list[str]:
    """Return the names of the files that SQLite may write next to a store."""
    resolved = os.path.realpath(path) if os.path.islink(path) else path
    return [f"{resolved}{end}" for end in _BESIDE]


def remove_store(path: str) -> None:
    """Remove the files of a store that no process uses, as far as possible."""
    for name in store_files(path):
        with suppress(OSError):
            os.unlink(os.path.realpath(name))


def has_log(path: str) -> bool:
    """Report whether the last commits may still be in the log next to the database."""
    log = files_beside(path)[0]
    return os.path.exists(log) and os.path.getsize(log) > 0


def verify_length(path: str) -> None:
    """Refuse a file that was truncated; SQLite would only notice when it reads a missing page.

    Raises:
        StoreError: it is not a file of SQLite, is empty or was truncated.
        OSError: the file cannot be read.
    """
    if not os.path.isfile(path):
        what = "a folder" if os.path.isdir(path) else "a device, a pipe or a socket"
        raise StoreError(f"{path}: is {what}, and a store is a file: name another one")
    if os.path.getsize(path) == 0:
        files = " ".join(store_files(path))
        raise StoreError(f"{path}: is empty, and not a store; to begin a new one, remove {files}")
    with open(path, "rb") as file:
        head = file.read(_HEAD)
    if not head.startswith(_MAGIC):  # SQLite would write to one of few bytes
        raise StoreError(f"{path}: is not a store of urisieve")
    if has_log(path):  # the missing pages may be in it
        return
    page = int.from_bytes(head[16:18], "big")
    pages = int.from_bytes(head[28:32], "big")
    size = os.path.getsize(path)  # after the header: another process may be writing
    if size < pages * (65_536 if page == 1 else page) and not has_log(path):
        raise StoreError(f"{path}: is damaged: it was cut off; {_ANEW}")


def create_store(path: str, settings: Mapping[str, str | bytes]) -> None:
    """Make a store under a temporary name and move it to its path, so that an incomplete store never exists there.

    A store that another process makes at the same time is left unchanged.

    Args:
        path: the path of the store; links are followed.
        settings: what it keeps in addition to its keys, by name.

    Raises:
        StoreError: it cannot be made, or files of an earlier store are left, which would become part of it.
    """
    given, path = path, os.path.realpath(path)
    left = store_files(path)
    if left and path not in left and not os.path.exists(path):  # else another process has just made it
        raise StoreError(
            f"{path}: cannot be made: {' '.join(left)} is left of an earlier store here, and would become part of "
            "the new one; put that store back, or remove what is left"
        )
    temporary = os.path.join(os.path.dirname(path), f".urisieve-{os.urandom(8).hex()}.tmp")
    try:
        connection = sqlite3.connect(temporary, isolation_level=None)
        try:
            connection.execute("PRAGMA page_size = 8192")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {LAYOUT}")
            for statement in _TABLES:
                connection.execute(statement)
            connection.executemany("INSERT INTO meta VALUES (?, ?)", [*settings.items(), (NUMBER, 0)])
            connection.execute("COMMIT")
            # By hand: that it cannot be written is not noticed when the connection is closed.
            if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                raise sqlite3.OperationalError("its log cannot be written to it")
        finally:
            connection.close()
        try:
            os.link(temporary, path)  # unlike a move it does not replace a store that another process has made since
            os.unlink(temporary)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            os.replace(temporary, path)
    except FileExistsError:
        remove_store(temporary)
    except (sqlite3.Error, OSError) as error:
        remove_store(temporary)
        folder = os.path.dirname(path)
        if not os.path.isdir(folder):
            hint = address_hint(given, "keep the store in a file here, and copy it when the work is done")
            meaning: str | None = f"there is no folder {folder}{hint}"
        else:
            meaning = reason(error) if isinstance(error, sqlite3.Error) else error.strerror
        raise StoreError(f"{path}: cannot be made: {meaning}") from error
    except BaseException:  # a signal
        remove_store(temporary)
        raise


# Names of errors of SQLite, and their meaning for a store.
_REASONS: Final = {
    "SQLITE_BUSY": "another process uses this store; run this again when that one has ended",
    "SQLITE_LOCKED": "another process uses this store; run this again when that one has ended",
    "SQLITE_NOTADB": "is not a store of urisieve",
    "SQLITE_CORRUPT": f"is damaged, or was cut off; {_ANEW}",
    "SQLITE_ERROR": f"is damaged; {_ANEW}",  # its tables are not those of a store
    "SQLITE_FULL": "the disk is full; the store is as it was at the last commit",
    "SQLITE_READONLY": "cannot be written: it is read-only",
    "SQLITE_CANTOPEN": "cannot be opened",
    "SQLITE_IOERR": "cannot be read or written; if the disk is full, the store is as it was at the last commit",
}


def damage(path: str, what: str) -> StoreError:
    """Return the error for a store that contains what no store contains; `what` says it in some words."""
    return StoreError(f"{path}: is damaged ({what}); {_ANEW}")


def setting(path: str, connection: sqlite3.Connection, name: str) -> Any:
    """Return what a store keeps by a name beside its keys.

    Raises:
        StoreError: it keeps nothing by that name.
    """
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise damage(path, f"{name} is missing")
    return row[0]


def reason(error: sqlite3.Error) -> str:
    """Return the meaning of an error of SQLite for a store."""
    name = getattr(error, "sqlite_errorname", "") or ""
    for prefix, meaning in _REASONS.items():
        if name.startswith(prefix):
            return f"{meaning} ({error})"
    return str(error)


def is_in_use(error: StoreError) -> bool:
    """Report whether an error of opening a store is that it is open already, here or in another process."""
    name = getattr(error.__cause__, "sqlite_errorname", "") or ""
    return name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


# The tables and the index of a store, as SQLite lists them; it makes the index by itself.
_SCHEMAS: Final = {
    layout: frozenset([(text, text.split()[2]) for text in tables] + [(None, "sqlite_autoindex_sources_1")])
    for layout, tables in ((_BEFORE, _FIRST_TABLES), (LAYOUT, _TABLES))
}
# A statement asks after so many steps of SQLite, some milliseconds, whether a signal ends it.
_STEPS: Final = 500_000
_LEAST_CACHE: Final = 1_048_576


class Interruptible:
    """Lets the handlers of signals end the statements of a connection; else they run when a statement has ended.

    SQLite drops what a handler raises while a statement runs, so that it is kept here, to be raised after it.

    Attributes:
        raised: what a handler has raised.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.raised: BaseException | None = None
        steps = self._steps()
        next(steps)
        connection.set_progress_handler(partial(next, steps), _STEPS)

    def _steps(self) -> Iterator[int]:
        # A handler runs where a generator goes on, which is inside of the `try`; where a function begins it would not.
        ends = 0
        while True:
            try:
                yield ends
                ends = 0
            except GeneratorExit:
                return
            except BaseException as error:
                self.raised = error
                ends = 1


@contextmanager
def guarded(path: str, statements: Interruptible | None = None) -> Iterator[None]:
    """Raise errors of SQLite as `StoreError`, and what the handler of a signal has raised.

    Args:
        path: the path of the store.
        statements: those of the connection.
    """
    try:
        yield
    except sqlite3.Error as error:
        raised = None if statements is None else statements.raised
        if statements is not None and raised is not None:
            statements.raised = None
            raise raised from None
        raise StoreError(f"{path}: {reason(error)}") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    except OverflowError as error:
        raise StoreError(f"{path}: a number is too large for a store: {error}") from error
    except UnicodeDecodeError as error:  # a message of SQLite that quotes it
        raise damage(path, "it contains text that is not UTF-8") from error


class StoreConnection(sqlite3.Connection):
    """A connection to a store.

    Attributes:
        met: the digests that the statements of `StoreEntries` find in the table of keys.
        layout: the layout of the store.
    """

    met: list[bytes]
    layout: int


def open_store(path: str, *, read_only: bool, cache: int) -> tuple[StoreConnection, Interruptible]:
    """Open a store that is there, for this process alone, and check that its tables are those of a store.

    Args:
        path: its path.
        read_only: whether one is accepted that cannot be written.
        cache: the bytes of it that are kept in memory.

    Raises:
        StoreError: it cannot be opened, another process uses it, or it is not a store of this version.
    """
    name, is_uri = path, False
    if not (os.access(path, os.W_OK) and os.access(os.path.dirname(path) or os.curdir, os.W_OK)):
        if not read_only:
            raise StoreError(f"{path}: the store or its folder is read-only")
        if has_log(path):
            raise StoreError(
                f"{path}: is read-only, and keys that were kept are still in {path}-wal: use the store once where "
                "both files and their folder can be written, or copy both to such a folder"
            )
        from urllib.parse import quote

        # No process can write it, so that no lock is needed; none could be taken.
        name, is_uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode=ro&immutable=1", True
    with guarded(path):
        verify_length(path)
        connection = sqlite3.connect(name, timeout=0, isolation_level=None, uri=is_uri, factory=StoreConnection)
    try:
        statements = Interruptible(connection)
        with guarded(path, statements):
            connection.execute("PRAGMA trusted_schema = OFF")
            if not is_uri:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("COMMIT")
            connection.layout = _verified_layout(path, connection)
            if connection.layout == _BEFORE and not read_only:
                _renew(connection)
            connection.execute(f"PRAGMA cache_size = -{max(_LEAST_CACHE, cache) // 1024}")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.met = []
            # Not a function of Python: the handler of a signal must not run in it.
            connection.create_function("met", 1, connection.met.append)
    except BaseException:
        connection.close()
        raise
    return connection, statements


def _verified_layout(path: str, connection: sqlite3.Connection) -> int:
    """Return the layout of a store.

    A file with other tables is refused, and one with triggers or views, which would run with its statements.

    Raises:
        StoreError: it is not a store of this version, or it is one that was changed.
    """
    application, layout = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if application != APPLICATION:
        raise StoreError(f"{path}: is not a store of urisieve")
    if layout not in _SCHEMAS:
        raise StoreError(f"{path}: has layout {layout}; this version reads layout {LAYOUT}")
    schema = _SCHEMAS[layout]
    found = set()
    for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        if kind == "table" and str(name).startswith("sqlite_stat"):  # of ANALYZE: only plans depend on it
            continue
        if (text, name) not in schema:
            raise damage(path, printable(f"no store has the {kind} {name!r:.80} as it is in this one"))
        found.add((text, name))
    if found != schema:
        raise damage(path, f"{', '.join(sorted(name for _, name in schema - found))} is missing")
    return int(layout)


def _renew(connection: StoreConnection) -> None:
    """Give a store of the layout before its tables for runs."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in _RUN_TABLES:
        connection.execute(statement)
    connection.execute("INSERT OR REPLACE INTO meta SELECT ?, count(*) FROM keys", (NUMBER,))
    connection.execute(f"PRAGMA user_version = {LAYOUT}")
    connection.execute("COMMIT")
    connection.layout = LAYOUT
