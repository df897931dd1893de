"""The tables of a store that is open: the entries of its keys, and what lies beside them, in transactions.

Additions are kept by `commit`; a process that ends before, however it ends, leaves the store in the state of the last
commit.
"""

from __future__ import annotations

import os
import sqlite3
import time
from _thread import get_ident
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import compress, islice
from types import NoneType

from urisieve.dedupe.digest_runs import digests_of
from urisieve.dedupe.signature import is_signature
from urisieve.dedupe.store import store_file
from urisieve.dedupe.store.entry_pieces import MOST, EntryError
from urisieve.dedupe.store.store_entries import CHUNK, StoreEntries
from urisieve.errors import StoreError, UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, Self, late
from urisieve.records.mask import Mask
from urisieve.records.masking import check_secret
from urisieve.syntax.times import LATEST, seconds_given

if TYPE_CHECKING:
    from datetime import date
else:
    date = late("datetime", "date")

_NO_SOURCE: Final = 0
PRINTING: Final = "printing"
"""The name of the note that rows are being written for the keys of the last commit; see `sinks/printed_rows.py`."""
# The real paths of the stores that this process has opened and not closed.
_OPEN: Final[set[str]] = set()
# Entries that are merged at once.
_BATCH: Final = 10 * CHUNK
_OTHERS: Final = bytes.maketrans(b"\0\1", b"\1\0")


class StoreEntry(NamedTuple):
    """The entry of a key.

    >>> import os, tempfile
    >>> from urisieve import Store
    >>> from urisieve.types import StoreEntry
    >>> with Store(os.path.join(tempfile.mkdtemp(), "seen.db")) as store:
    ...     _ = store.add(["http://a.example/"], sources=["page"], now=1_000)
    ...     entry: StoreEntry = next(iter(store.entries()))
    >>> len(entry.digest), entry.first, entry.count, entry.source
    (16, 1000, 1, 'page')

    Attributes:
        digest: its digest, 16 bytes.
        first: when it was first seen, in seconds from 1970-01-01 UTC.
        last: when it was last seen, in the same unit.
        count: how often it was seen.
        source: the source in which it was first seen, None if that is not known.
    """

    digest: bytes
    first: int
    last: int
    count: int  # type: ignore[assignment] # it hides the method of tuples
    source: str | None


def stored_key(key: str, mask: Mask) -> str:
    """Return a key as a store has it: with its password replaced by a keyed digest."""
    if "@" not in key:
        return key
    first, *others = key.split("\n")  # the key of a row may be a set of keys, see `joined_key`
    return "\n".join([mask.key(first), *(one[:1] + mask.key(one[1:]) for one in others)])


class StoreTables:
    """The tables of a store, which one process at a time can open, for one thread; see `store_file.open_store`."""

    def __init__(self, path: str, *, read_only: bool, cache: int) -> None:
        self.path = path
        self._thread = get_ident()
        self._read_only = read_only
        self._sources: dict[str, int] = {}
        self._real_path = os.path.realpath(path)
        try:
            self._connection, self._statements = store_file.open_store(path, read_only=read_only, cache=cache)
        except StoreError as error:
            if store_file.is_in_use(error) and self._real_path in _OPEN:
                raise StoreError(f"{path}: this process has it open: use that Store, or close it first") from error
            raise
        try:
            with self._guarded():
                self.signature = str(store_file.setting(path, self._connection, "signature"))
                self.secret: bytes = store_file.setting(path, self._connection, "secret")
                """The secret of the keyed digests of passwords, the same in every run."""
                if not is_signature(self.signature) or not isinstance(self.secret, bytes):
                    raise store_file.damage(path, "its signature or its secret is not valid")
        except BaseException:
            self._connection.close()
            raise
        self._committed_secret = self.secret
        self._entries = StoreEntries(path, self._connection, cache)
        self._added = b"", bytearray()
        _OPEN.add(self._real_path)

    def _check_thread(self) -> None:
        if get_ident() != self._thread:
            raise UsageError(f"{self.path}: a Store is for the thread that opened it: add the keys there")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        self._check_thread()
        with store_file.guarded(self.path, self._statements):
            try:
                yield
            except EntryError as error:
                raise store_file.damage(self.path, str(error)) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Begin a transaction, which stays open until `commit`.

        Raises:
            StoreError: the store is only to be read, or cannot be written.
        """
        if self._read_only:
            raise StoreError(f"{self.path}: was opened to be read only: open it without read_only=True to change it")
        try:
            with self._guarded():
                if not self._connection.in_transaction:
                    self._connection.execute("BEGIN IMMEDIATE")
                yield
        except BaseException:  # a signal, or no memory: what was started is not to be kept by a later commit
            self.rollback()
            raise

    def commit(self) -> None:
        """Keep all additions, even if the process ends afterwards without closing the store.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
        """
        with self._writing():
            self._entries.write_number()
            self._connection.execute("COMMIT")
        self._committed_secret = self.secret

    def rollback(self) -> None:
        """Discard the additions since the last `commit`."""
        self._check_thread()
        self._sources.clear()
        self._added = b"", bytearray()
        self._entries.forget_state()
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        self._set_secret(self._committed_secret)

    def close(self) -> None:
        """Discard the additions since the last `commit`, and release the store for other processes."""
        self.rollback()
        with suppress(sqlite3.Error):
            self._connection.close()
        _OPEN.discard(self._real_path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and self._connection.in_transaction:
                self.commit()
        finally:
            self.close()

    @cached_property
    def _mask(self) -> Mask:
        """How the keys of records are stored: with digests in place of passwords."""
        return Mask(self.secret)

    def _set_secret(self, secret: bytes) -> None:
        if secret != self.secret:
            self.secret = secret
            self.__dict__.pop("_mask", None)  # else passwords would go on to be digests by the other one

    def take_secret(self, secret: bytes) -> bool:
        """Take over the secret of another store if this one is empty; return whether both now have the same.

        From then on keys have their passwords replaced by the new one.

        Raises:
            StoreError: the store cannot be written.
            UsageError: it is not of 1 to 64 bytes.
        """
        check_secret(secret)
        if secret != self.secret and not len(self):
            with self._writing():
                self._connection.execute("UPDATE meta SET value = ? WHERE name = 'secret'", (secret,))
            self._set_secret(secret)
        return secret == self.secret

    def note(self, name: str, value: str | None) -> None:
        """Store a text by name next to the keys, in the same transaction; None removes it.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
            UsageError: the name or the value is not a string.
        """
        if not isinstance(name, str) or not isinstance(value, (str, NoneType)):
            raise UsageError(f"a note is a string with a name that is one, not {value!r:.40} with {name!r:.40}")
        name, value = _encodable(name), None if value is None else _encodable(value)
        with self._writing():
            self._connection.execute("DELETE FROM meta WHERE name = ?", (f"note {name}",))
            if value is not None:
                self._connection.execute("INSERT INTO meta VALUES (?, ?)", (f"note {name}", value))

    def noted(self, name: str) -> str | None:
        """Return the text stored by `note`, None if there is none."""
        if not isinstance(name, str):
            raise UsageError(f"the name of a note is a string, not {name!r:.40}")
        name = _encodable(name)
        with self._guarded():
            row = self._connection.execute("SELECT value FROM meta WHERE name = ?", (f"note {name}",)).fetchone()
        return None if row is None else str(row[0])

    def __len__(self) -> int:
        with self._guarded():
            return self._entries.number()

    def info(self) -> dict[str, Any]:
        """Return the properties of the store by name: numbers of keys and sources, times, size in bytes, signature."""
        with self._guarded():
            seen, first, last = self._entries.totals()
            sources = self._connection.execute("SELECT count(*) FROM sources").fetchone()[0]
            size = os.path.getsize(self.path)
            keys = self._entries.number()
        return {
            "keys": keys,
            "seen": seen,
            "first": first,
            "last": last,
            "sources": sources,
            "bytes": size,
            "layout": self._connection.layout,
            "signature": self.signature,
        }

    def faults(self) -> list[str]:
        """Read the whole store and return its faults as texts; empty if there are none."""
        with self._guarded():
            found = [row[0] for row in self._connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            found = [": ".join(text.split("\n")) for text in found]
            found += self._entries.faults()
            if not found:
                counted, number = self._entries.counted(), self._entries.number()
                if counted != number:
                    found.append(f"there are {counted} keys, not {number}")
        return found

    def entries(self) -> Iterator[StoreEntry]:
        """Yield all entries in the order of the digests.

        Raises:
            StoreError: the store is damaged, or a run that was killed has left open which of its rows were written.
        """
        if self.noted(PRINTING) is not None:
            raise StoreError(
                f"{self.path}: a run that was killed has left open which of its rows were written; the next run of "
                f"`urisieve dedupe --store {self.path}` settles that"
            )
        names: dict[int, str | None] = {}
        with self._guarded():
            for *values, source in self._entries.rows():
                if source not in names:  # one that is added later, too
                    names.update(self._connection.execute("SELECT id, name FROM sources"))
                    names.setdefault(source, None)
                entry: tuple[Any, ...] = (*values, names[source])
                if not store_file.is_entry(entry):
                    raise store_file.damage(self.path, f"the entry of {values[0]!r:.40} is not valid")
                yield StoreEntry(*entry)

    def _add(
        self,
        gather: Callable[[list[int], list[int]], tuple[bytes, list[int], list[tuple[int, int, bytes]]]],
        number: int,
        counts: Sequence[int] | None,
        sources: Sequence[str | None] | None,
        now: str | date | float | None,
    ) -> list[int]:
        store_file.check_columns(number, counts, sources)
        moment = self._clock() if now is None else seconds_given("now", now)
        with self._writing():
            names = [_NO_SOURCE] * number if sources is None else self._numbers(sources)
            digests, firsts, groups = gather([1] * number if counts is None else list(counts), names)
            old = self._entries.put(digests, {(moment, moment, count, name): some for count, name, some in groups})
            self._added = digests, old
        if len(firsts) == number and 1 not in old:  # all of them are different
            return list(range(number))
        return sorted(compress(firsts, old.translate(_OTHERS)))

    def _new_digests(self) -> bytes:
        """Return the digests that the last addition has found to be new, sorted and concatenated."""
        digests, old = self._added
        return b"".join(compress(digests_of(digests), old.translate(_OTHERS))) if 1 in old else digests

    def _clock(self) -> int:
        moment = int(time.time())
        if not 0 <= moment <= LATEST:
            raise StoreError(f"{self.path}: the clock of this computer is not in the years 1970 to 9999: set it")
        return moment

    def _numbers(self, names: Sequence[str | None]) -> list[int]:
        """Return the numbers of sources; new ones are added."""
        known = self._sources
        for name in dict.fromkeys(names):
            if name is not None and name not in known:
                text = _encodable(name)
                self._connection.execute("INSERT OR IGNORE INTO sources (name) VALUES (?)", (text,))
                row = self._connection.execute("SELECT id FROM sources WHERE name = ?", (text,)).fetchone()
                known[name] = row[0]
        return [_NO_SOURCE if name is None else known[name] for name in names]

    def _merge_entries(self, rest: Iterator[StoreEntry]) -> int:
        """Add entries of a store with keys of the same kind; return how many keys are new.

        Raises:
            StoreError: the store cannot be written, or an entry is not valid; nothing since the last `commit` is kept.
        """
        new = 0
        try:
            while batch := list(islice(rest, _BATCH)):
                for entry in batch:
                    if not store_file.is_entry(entry):
                        raise StoreError(
                            f"{self.path}: {entry!r:.200} is not an entry of a store; nothing was merged, and what was "
                            "added since the last commit is not kept either"
                        )
                new += self._merge(batch)
        except BaseException:
            self.rollback()  # what was merged of them, too
            raise
        return new

    def _merge(self, batch: list[StoreEntry]) -> int:
        with self._writing():
            names = self._numbers([source for *_, source in batch])
            rows: dict[bytes, tuple[bytes, int, int, int, int]] = {}
            for entry, source in zip(batch, names, strict=True):
                digest, first, last, count, _ = entry
                old = rows.get(digest)
                row = (digest, first, last, min(MOST, count), source)
                if old is not None:
                    earlier = min(old, row, key=lambda one: one[1])
                    row = (row[0], earlier[1], max(old[2], row[2]), min(MOST, old[3] + row[3]), earlier[4])
                rows[digest] = row
            groups: dict[tuple[int, int, int, int], list[bytes]] = {}
            for digest in sorted(rows):
                groups.setdefault(rows[digest][1:], []).append(digest)
            joined = {shared: b"".join(some) for shared, some in groups.items()}
            return self._entries.put(b"".join(sorted(rows)), joined).count(0)

    def _remove(self, joined: bytes) -> int:
        """Remove keys by their digests, different ones, sorted and concatenated; return how many there were."""
        with self._writing():
            return self._entries.remove(joined)


def _encodable(text: str) -> str:
    """Return a text as SQLite takes it: bytes of a path that do not decode become escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
