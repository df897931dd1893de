"""Sets of digests on disk, for one process."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import suppress

from urisieve.dedupe.stores.statements import new_digests
from urisieve.errors import OutputError
from urisieve.lean.hints import Final

__all__ = ["TemporaryStore", "temporary_database", "temporary_failure"]

# Bytes of pages that SQLite keeps in memory: the most, and the least.
_CACHE: Final = 67_108_864
_LEAST_CACHE: Final = 1_048_576


def temporary_database(folder: str | None, cache: int, table: str) -> tuple[sqlite3.Connection, str]:
    """Make a database with a table in a private temporary file; return the connection and the path to remove.

    Args:
        folder: the folder of the file; that of `tempfile` for None.
        cache: the bytes of it that are kept in memory.
        table: the statement that makes the table.

    Raises:
        OutputError: the file cannot be made.
    """
    path = ""
    try:
        descriptor, path = tempfile.mkstemp(".db", "urisieve-", folder)
        os.close(descriptor)
        # Threads may share what holds it, which lets one in at a time.
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for statement in (
            "PRAGMA page_size = 8192",
            "PRAGMA journal_mode = OFF",  # the file is of no use after the process
            "PRAGMA synchronous = OFF",
            "PRAGMA locking_mode = EXCLUSIVE",
            f"PRAGMA cache_size = -{cache // 1024}",
            table,
        ):
            connection.execute(statement)
        with suppress(OSError):  # removed while open, if the system allows it, so that nothing is left
            os.unlink(path)
    except BaseException as error:  # a signal, too
        with suppress(OSError):
            os.unlink(path)
        if isinstance(error, (OSError, sqlite3.Error)):
            raise temporary_failure(folder, error) from error
        raise
    return connection, path


def temporary_failure(folder: str | None, error: Exception) -> OutputError:
    """Return the error to raise if a temporary file cannot be made or written."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    folder = folder or tempfile.gettempdir()
    return OutputError(f"the temporary store in {folder}: {reason}; --temp names another folder")


class TemporaryStore:
    """A set of digests in a private temporary file.

    Args:
        folder: the folder of the file; that of `tempfile` for None.
        cache: the bytes of it that are kept in memory; at least 1 MiB, and at most 64.

    Raises:
        OutputError: the file cannot be made or written.
    """

    def __init__(self, folder: str | None, cache: int) -> None:
        self._folder = folder
        size = max(_LEAST_CACHE, min(_CACHE, cache))
        table = "CREATE TABLE keys (digest BLOB PRIMARY KEY) WITHOUT ROWID"
        self._connection, self._path = temporary_database(folder, size, table)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, digest: bytes) -> bool:
        row = self._connection.execute("SELECT 1 FROM keys WHERE digest = ?", (digest,)).fetchone()
        return row is not None

    def unseen_indices(self, digests: Sequence[bytes]) -> list[int]:
        """Return the indices of the digests that are seen for the first time, and add them.

        Raises:
            OutputError: the store cannot be written.
        """
        try:
            self._connection.execute("BEGIN")
            new = new_digests(self._connection, sorted(set(digests)))
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise temporary_failure(self._folder, error) from error
        self._count += len(new)
        indices = []
        for index, digest in enumerate(digests):
            if digest in new:
                new.remove(digest)
                indices.append(index)
        return indices

    def close(self) -> None:
        """Close and remove the file."""
        self._connection.close()
        with suppress(OSError):
            os.unlink(self._path)
