"""Keys of a store that are kept together with what is added to a file for them, whenever the process is killed.

A file and a store cannot change at one moment. So the store keeps the keys of a batch first, with a note of where in
the file its rows will be; then the rows are written, and the next commit replaces the note. If a note is found, the
file shows how many of the rows were written: the keys of the others leave the store, and a part of a row the file.

What goes to a pipe cannot be looked at afterwards: there the rows are written first, and a batch may come twice.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager

from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import DIGEST_SIZE, digests
from urisieve.dedupe.store.store_file import damage
from urisieve.dedupe.store.store_tables import PRINTING
from urisieve.errors import OutputError
from urisieve.lean import Any, Final
from urisieve.sinks.outputs import OutputInPlace

# The most keys whose order is noted; of more the store has the digests, sorted.
_IN_ORDER: Final = 10_000


class PrintedRows:
    """Adds rows to a file, and their keys to a store.

    Args:
        store: the store.
        file: the file.
    """

    def __init__(self, store: Store, file: OutputInPlace) -> None:
        self._store = store
        self._file = file
        self._is_noted = False

    @contextmanager
    def batch(self) -> Iterator[list[str]]:
        """Keep what is added to the store inside, then write what is written inside, and what waits, as a header.

        The context is a list that takes the keys that are new, in the order of their rows; all are added at once.

        Raises:
            StoreError: the store cannot be written; nothing of the batch is kept, and nothing is written.
            OutputError: the file cannot be written; the next run finds what was.
        """
        file = self._file
        if self._is_noted:
            file._sync_written()  # the note of the batch before goes with the next commit
        keys: list[str] = []
        with file.held() as waiting:
            yield keys
            self._note(waiting, keys)
            self._store.commit()
        file._flush()

    def _note(self, waiting: list[bytes], keys: list[str]) -> None:
        size = sum(map(len, waiting))
        number = len(keys)
        in_order = number <= _IN_ORDER
        made = b"".join(digests(keys)) if in_order else self._store._new_digests()
        noted = {
            "path": os.path.realpath(self._file._name),
            "file": self._file.identity,
            "start": self._file.size - size,
            "size": size,
            "by_line": in_order
            and b"".join(waiting[-1:]).endswith(b"\n")
            and sum(data.count(b"\n") for data in waiting) == number,
            "keys": b64encode(made).decode(),
        }
        self._is_noted = bool(keys)
        self._store.note(PRINTING, json.dumps(noted) if keys else None)

    def settle(self) -> None:
        """Keep that all rows of the last batch have been written."""
        if self._is_noted:
            self._file.sync()
            self._store.note(PRINTING, None)
            self._store.commit()
            self._is_noted = False


def recover(store: Store) -> None:
    """Remove the keys of rows that a run which was killed has not written, and what it has written of a row.

    Raises:
        StoreError: the store cannot be written, or is damaged.
        OutputError: the file cannot be written.
    """
    text = store.noted(PRINTING)
    if text is None:
        return
    try:
        noted = json.loads(text)
        path, start, size, by_line = (noted[name] for name in ("path", "start", "size", "by_line"))
        joined, file = b64decode(noted["keys"]), noted["file"]
    except (ValueError, KeyError, TypeError) as error:
        raise damage(store.path, "its note of what was being written is not valid") from error
    keys = [joined[at : at + DIGEST_SIZE] for at in range(0, len(joined), DIGEST_SIZE)]
    written = _written(path, file, start, size)
    whole = written if len(written) == size else written[: written.rfind(b"\n") + 1] if by_line else b""
    if len(whole) < size:
        store._remove(b"".join(sorted(keys[whole.count(b"\n") :])))
        if written:
            try:
                os.truncate(path, start + len(whole))
            except OSError as error:
                raise OutputError(f"{path}: {error.strerror}; its last row is not whole") from error
    store.note(PRINTING, None)
    store.commit()


def recover_at(path: str, **settings: Any) -> None:
    """Do this for a store that another object is to open, if there is one.

    Args:
        path: its path.
        settings: the other arguments of `Store`.

    Raises:
        StoreError: see `recover`; or the store cannot be opened.
        OutputError: see `recover`.
    """
    if os.path.exists(path):
        with Store(path, **settings) as store:
            recover(store)


def _written(path: str, file: list[int], start: int, size: int) -> bytes:
    """Return what has been written of a batch."""
    try:
        with open(path, "rb") as found:
            status = os.fstat(found.fileno())
            if [status.st_dev, status.st_ino] != file:
                return b""
            found.seek(start)
            return found.read(size)
    except OSError:
        return b""
