"""Digests on disk for the time of a process."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from urisieve.dedupe.statements import new_digests
from urisieve.errors import OutputError

__all__ = ["TemporaryStore"]

# Bytes of pages that SQLite keeps in memory, unless it is told.
_CACHE: Final = 67_108_864
_LEAST_CACHE: Final = 1_048_576


class TemporaryStore:
    """A set of digests in a file of its own that nobody else sees.

    Args:
        folder: where the file is made; that of `tempfile` for None.
        cache: how many bytes of it are kept in memory; 64 MiB at most.

    Raises:
        OutputError: it cannot be made or written.
    """

    def __init__(self, folder: str | None = None, cache: int | None = None) -> None:
        self._folder = folder
        size = _CACHE if cache is None else max(_LEAST_CACHE, min(_CACHE, cache))
        self._path = ""
        try:
            descriptor, self._path = tempfile.mkstemp(".db", "urisieve-", folder)
            os.close(descriptor)
            self._connection = sqlite3.connect(self._path, isolation_level=None)
            for statement in (
                "PRAGMA page_size = 8192",
                "PRAGMA journal_mode = OFF",  # what is lost with the process may be
                "PRAGMA synchronous = OFF",
                "PRAGMA locking_mode = EXCLUSIVE",
                f"PRAGMA cache_size = -{size // 1024}",
                "CREATE TABLE keys (digest BLOB PRIMARY KEY) WITHOUT ROWID",
            ):
                self._connection.execute(statement)
            with suppress(OSError):  # where a file that is open can go, nothing is left whatever ends the process
                os.unlink(self._path)
        except (OSError, sqlite3.Error) as error:
            raise self._failure(error) from error
        self._count = 0

    def _failure(self, error: Exception) -> OutputError:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        folder = self._folder or tempfile.gettempdir()
        return OutputError(f"the temporary store in {folder}: {reason}; --temp names another folder")

    def __len__(self) -> int:
        return self._count

    def __contains__(self, digest: bytes) -> bool:
        row = self._connection.execute("SELECT 1 FROM keys WHERE digest = ?", (digest,)).fetchone()
        return row is not None

    def unseen_places(self, digests: Sequence[bytes]) -> list[int]:
        """The places of the digests that come for the first time.

        Raises:
            OutputError: the store cannot be written.
        """
        try:
            self._connection.execute("BEGIN")
            new = new_digests(self._connection, sorted(set(digests)))
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._failure(error) from error
        self._count += len(new)
        places = []
        for place, digest in enumerate(digests):
            if digest in new:
                new.remove(digest)
                places.append(place)
        return places

    def close(self) -> None:
        """Remove the file."""
        self._connection.close()
        with suppress(OSError):
            os.unlink(self._path)
