"""The file of a store: making, removing and verifying it, and the meaning of errors of SQLite."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress

from urisieve.errors import StoreError
from urisieve.lean.hints import Final

__all__ = [
    "APPLICATION",
    "LAYOUT",
    "SECRET_SIZE",
    "create_store",
    "damage",
    "files_beside",
    "has_log",
    "reason",
    "remove_store",
    "store_files",
    "verify_length",
]

# The application id of stores ("urik"), and the version of their tables.
APPLICATION: Final = 0x7572696B
LAYOUT: Final = 1
# Bytes of the secret of the keyed digests of passwords.
SECRET_SIZE: Final = 32
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


def create_store(path: str, kind: str, secret: bytes) -> None:
    """Make a store under a temporary name and move it to its path, so that an incomplete store never exists there.

    A store that another process makes at the same time is left unchanged.

    Args:
        path: the path of the store; links are followed.
        kind: the `signature` of its keys.
        secret: the secret of the keyed digests of passwords.

    Raises:
        StoreError: it cannot be made, or files of an earlier store are left, which would become part of it.
    """
    path = os.path.realpath(path)
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
            values = [("signature", kind), ("secret", secret)]
            connection.executemany("INSERT INTO meta VALUES (?, ?)", values)
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
            meaning: str | None = f"there is no folder {folder}"
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
