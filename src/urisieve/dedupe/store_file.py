"""The file of a store: making, removing and verifying it, and the meaning of errors of SQLite.

It holds besides:

- validation of the arguments of a store, before anything is written.
- SQL statements for many digests at once.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from urisieve.dedupe.keyset import DIGEST_SIZE, digests, keys_of
from urisieve.errors import StoreError, UsageError
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.records.record import Record
from urisieve.wording import address_hint

if TYPE_CHECKING:
    from sqlite3 import Connection


# The application id of stores ("urik"), and the version of their tables.
APPLICATION: Final = 0x7572696B
LAYOUT: Final = 1
# Endings of the files that SQLite writes beside a database.
_BESIDE: Final = ("-wal", "-shm", "-journal")
# What to do about a store that is damaged.
_ANEW: Final = "put a copy of it in its place, or remove it to begin a new one"
# The first bytes of a file of SQLite, and the length of the header that holds its size.
_MAGIC: Final = b"SQLite format 3\0"
_HEAD: Final = 100


def store_files(path: str) -> list[str]:
    """Return the existing files of a store: the store, and those of SQLite beside it; links are followed."""
    return [name for name in (path, *files_beside(path)) if os.path.exists(name)]


def files_beside(path: str) -> list[str]:
    """Return the names of the files that SQLite may write beside a store."""
    resolved = os.path.realpath(path) if os.path.islink(path) else path
    return [f"{resolved}{end}" for end in _BESIDE]


def remove_store(path: str) -> None:
    """Remove the files of a store that no process uses, as far as possible."""
    for name in store_files(path):
        with suppress(OSError):
            os.unlink(os.path.realpath(name))


def has_log(path: str) -> bool:
    """Report whether the last commits may still be in the log beside the database."""
    log = files_beside(path)[0]
    return os.path.exists(log) and os.path.getsize(log) > 0


def verify_length(path: str) -> None:
    """Refuse a file that was cut off; SQLite would only notice when it reads a missing page.

    Raises:
        StoreError: it is not a file, is empty or was cut off.
        OSError: the file cannot be read.
    """
    if not os.path.isfile(path):
        what = "a folder" if os.path.isdir(path) else "a device, a pipe or a socket"
        raise StoreError(f"{path}: is {what}, and a store is a file: name another one")
    if os.path.getsize(path) == 0:
        files = " ".join(store_files(path))
        raise StoreError(f"{path}: is empty, and not a store; to begin a new one, remove {files}")
    if has_log(path):  # the missing pages may be in it
        return
    with open(path, "rb") as file:
        head = file.read(_HEAD)
    page = int.from_bytes(head[16:18], "big")
    pages = int.from_bytes(head[28:32], "big")
    size = os.path.getsize(path)  # after the header: another process may be writing
    if head.startswith(_MAGIC) and size < pages * (65_536 if page == 1 else page) and not has_log(path):
        raise StoreError(f"{path}: is damaged: it was cut off; {_ANEW}")


def create_store(path: str, settings: Mapping[str, str | bytes]) -> None:
    """Make a store under a temporary name and move it to its path, so that an incomplete store never exists there.

    A store that another process makes at the same time is left unchanged.

    Args:
        path: the path of the store; links are followed.
        settings: what it keeps beside its keys, by name.

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
            connection.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID")
            connection.execute("CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
            connection.execute(
                "CREATE TABLE keys (digest BLOB PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, "
                "count INTEGER NOT NULL, source INTEGER NOT NULL) WITHOUT ROWID"
            )
            connection.executemany("INSERT INTO meta VALUES (?, ?)", settings.items())
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
    """Return the error for a store that holds what no store holds; `what` says it in some words."""
    return StoreError(f"{path}: is damaged ({what}); {_ANEW}")


def reason(error: sqlite3.Error) -> str:
    """Return the meaning of an error of SQLite for a store."""
    name = getattr(error, "sqlite_errorname", "") or ""
    for prefix, meaning in _REASONS.items():
        if name.startswith(prefix):
            return f"{meaning} ({error})"
    return str(error)


# Digests of a statement, which come as one piece of memory: 0.3 us a digest, against 0.9 us as values of rows.
CHUNK: Final = 10_000
# The fewest digests for which a statement of their own pays.
_FEW: Final = 8
# The largest count, which is SQLite's largest integer. Counts beyond it stay at it.
MOST: Final = 2**63 - 1

# First and last time, count, source.
Shared = tuple[int, int, int, int]

_EACH: Final = (
    f"WITH RECURSIVE each (at) AS (SELECT 1 UNION ALL SELECT at + {DIGEST_SIZE} FROM each WHERE at <= ?2 - "
    f"{DIGEST_SIZE}) "
)
_HELD: Final = f"{_EACH}SELECT digest FROM each CROSS JOIN keys ON digest = substr(?1, at, {DIGEST_SIZE})"
_UPSERT: Final = (
    "INSERT INTO keys (digest, first, last, count, source) {} ON CONFLICT (digest) DO UPDATE SET "
    "source = CASE WHEN excluded.first < first THEN excluded.source ELSE source END, "
    "first = min(first, excluded.first), last = max(last, excluded.last), "
    f"count = CASE WHEN count > {MOST} - excluded.count THEN {MOST} ELSE count + excluded.count END"
)
_PUT_ONE: Final = _UPSERT.format("VALUES (?, ?, ?, ?, ?)")
_PUT: Final = _EACH + _UPSERT.format(f"SELECT substr(?1, at, {DIGEST_SIZE}), ?3, ?4, ?5, ?6 FROM each WHERE true")


def put(connection: Connection, groups: Mapping[Shared, Sequence[bytes]]) -> set[bytes]:
    """Add rows to the keys of a store; return the digests that were in it.

    Args:
        connection: the connection to the store.
        groups: the digests of the rows, all of them different, by their other values; counts are from 1 to `MOST`.
    """
    old: set[bytes] = set()
    for joined in _joined(sorted(chain.from_iterable(groups.values()))):
        old.update([digest for (digest,) in connection.execute(_HELD, joined)])
    others: list[tuple[bytes, int, int, int, int]] = []
    for shared, some in groups.items():
        if len(some) < _FEW:
            others += [(digest, *shared) for digest in some]
            continue
        for joined in _joined(sorted(some)):
            connection.execute(_PUT, (*joined, *shared))
    connection.executemany(_PUT_ONE, sorted(others))
    return old


def _joined(sorted_digests: Sequence[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield digests, many behind each other, and their size."""
    for start in range(0, len(sorted_digests), CHUNK):
        data = b"".join(sorted_digests[start : start + CHUNK])
        yield data, len(data)


# The latest time of a store: the last second of the year 9999, in seconds from 1970-01-01 UTC. The earliest is 0.
LATEST: Final = 253_402_300_799


def checked_path(path: object) -> str:
    """Return the path of a store as text.

    Raises:
        UsageError: it is not a path.
    """
    try:
        name = os.fsdecode(path)  # type: ignore[arg-type] # it raises unless it is a path
        os.stat(name)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path!r} cannot be the path of a store: {error}") from error
    except OSError:
        pass
    return name


def checked_digests(keys: Iterable[str | Record], kept: Callable[[str], str]) -> list[bytes]:
    """Return the digests of keys; a record stands for its key, as `kept` returns it.

    Raises:
        UsageError: they are not several keys.
    """
    if isinstance(keys, (str, bytes)):
        raise UsageError(f"keys={keys!r} is one text: give a list of keys")
    try:
        return digests(keys_of(keys, kept))
    except (TypeError, AttributeError) as error:
        raise UsageError(f"keys must be strings, several of them: {error}") from error


def check_columns(
    number: int, counts: Sequence[int] | None, sources: Sequence[str | None] | None, now: int | None
) -> None:
    """Check the types of counts, sources and time, and that there is a count and a source for each of the keys.

    Raises:
        UsageError: a type, a number or a length is wrong.
    """
    for name, values in (("counts", counts), ("sources", sources)):
        if values is not None and len(values) != number:
            raise UsageError(f"there are {len(values)} {name} for {number} keys: give one for each key")
    if counts and (set(map(type, counts)) != {int} or min(counts) < 1 or max(counts) > MOST):
        wrong = next(count for count in counts if count.__class__ is not int or not 1 <= count <= MOST)
        raise UsageError(f"a count is {wrong!r}: it must be an integer from 1 to {MOST}")
    for kind in set(map(type, sources or ())):
        if kind is not type(None) and not issubclass(kind, str):
            raise UsageError(f"a source is a {kind.__name__}: it must be a string or None")
    if now is not None and (now.__class__ is not int or not 0 <= now <= LATEST):
        raise UsageError(f"now={now!r} must be an integer of seconds from 0 to {LATEST}")
