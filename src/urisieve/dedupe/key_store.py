"""The store: keys seen, over any number of runs, in one SQLite file.

A table without row numbers holds, for the 16-byte digest of each key, when it was first and last seen, how often, and
in which source first. Digests come sorted, so that a batch goes through the tree from left to right. What was added
counts after `commit`; a process that ends before, however it ends, leaves the store as it was at the last one.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple, NoReturn, Self

from urisieve.dedupe.checked import LATEST, check_columns, checked_digests, checked_path
from urisieve.dedupe.digests import DIGEST_SIZE, digests
from urisieve.dedupe.signature import read_signature, renewal, signature
from urisieve.dedupe.statements import CHUNK, MOST, upsert, upsert_alike
from urisieve.dedupe.store_file import APPLICATION, LAYOUT, SECRET_SIZE, create_store, has_log, reason, verify_length
from urisieve.errors import StoreError, UsageError
from urisieve.options import Options
from urisieve.records.masking import masked_key, password_token

__all__ = ["Store", "StoreEntry"]

# Bytes of pages that SQLite keeps in memory, unless it is told, and at least.
_CACHE: Final = 134_217_728
_LEAST_CACHE: Final = 1_048_576
_NO_SOURCE: Final = 0


class StoreEntry(NamedTuple):
    """What is known of a key.

    Attributes:
        digest: its 16 bytes.
        first: when it was first seen, in seconds from 1970-01-01 UTC.
        last: when it was last seen, alike.
        count: how often.
        source: where it was first seen, if that was told.
    """

    digest: bytes
    first: int
    last: int
    count: int  # type: ignore[assignment] # it hides the method of tuples
    source: str | None


class Store:
    """Keys seen, in a file; one process at a time uses it.

    Args:
        path: the file; it is made if there is none.
        options: how the identifiers were normalized whose keys are given.
        by: which part of them is the key.
        create: whether a new store is made where there is none.
        check: whether a store whose keys were made in another way is refused.
        read_only: whether a store that cannot be written is good enough.
        kind: how the keys were made, as `signature` of another store says it, instead of `options` and `by`.
        secret: by which passwords in keys are replaced, where a store is made.
        cache: how many bytes of it are kept in memory; 128 MiB for None.

    Raises:
        StoreError: it cannot be opened or made, another process uses it, it is damaged or no store, or its keys were
            made in another way (another version of the canonical forms, another level).
        UsageError: `path` is no path, or `by` no choice.

    As a context manager it commits at the end, unless an exception passes, and closes itself.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        options: Options | None = None,
        by: str = "key",
        create: bool = True,
        check: bool = True,
        read_only: bool = False,
        kind: str | None = None,
        secret: bytes | None = None,
        cache: int | None = None,
    ) -> None:
        self.path = checked_path(path)
        wanted = signature(options, by) if kind is None else kind
        if not os.path.exists(self.path):
            if not create:
                raise StoreError(f"{self.path}: there is no such store")
            create_store(self.path, wanted, os.urandom(SECRET_SIZE) if secret is None else secret)
        self._sources: dict[str, int] = {}
        self._connection = self._opened(read_only, _CACHE if cache is None else max(_LEAST_CACHE, cache))
        try:
            with self._guarded():
                self._verify_kind()
                self.signature = str(self._meta("signature"))
                self.secret = bytes(self._meta("secret"))
                """By which passwords in keys are replaced, so that they are the same in every run."""
        except StoreError:
            self._connection.close()
            raise
        if check and self.signature != wanted:
            self._connection.close()
            raise StoreError(
                f"{self.path}: its keys were made by {self.signature}, those of this run by {wanted}"
                f"{renewal(self.signature)}"
            )

    def _opened(self, read_only: bool, cache: int) -> sqlite3.Connection:
        path, is_uri = self.path, False
        if not (os.access(path, os.W_OK) and os.access(os.path.dirname(path) or os.curdir, os.W_OK)):
            if not read_only:
                raise StoreError(f"{path}: the store or its folder is read-only")
            if has_log(path):
                raise StoreError(
                    f"{path}: is read-only, and keys that were kept are still in {path}-wal: use the store once where "
                    "both files and their folder can be written, or copy both to such a place"
                )
            from urllib.parse import quote

            # Nobody writes it, so that no lock is needed, and none could be had.
            path, is_uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode=ro&immutable=1", True
        with self._guarded():
            connection = sqlite3.connect(path, timeout=0, isolation_level=None, uri=is_uri)
        try:
            with self._guarded():
                verify_length(self.path)
                if not is_uri:
                    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                    connection.execute("BEGIN EXCLUSIVE")
                    connection.execute("COMMIT")
                connection.execute(f"PRAGMA cache_size = -{cache // 1024}")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA temp_store = MEMORY")
        except StoreError:
            connection.close()
            raise
        return connection

    def _verify_kind(self) -> None:
        application, layout = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application != APPLICATION:
            raise StoreError(f"{self.path}: is no store of urisieve")
        if layout != LAYOUT:
            raise StoreError(f"{self.path}: has layout {layout}; this version reads layout {LAYOUT}")

    def _meta(self, name: str) -> Any:
        row = self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise StoreError(f"{self.path}: is damaged ({name} is missing)")
        return row[0]

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Errors of SQLite as ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {reason(error)}") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}") from error
        except OverflowError as error:
            raise StoreError(f"{self.path}: holds no such numbers: {error}") from error

    def __len__(self) -> int:
        with self._guarded():
            count: int = self._connection.execute("SELECT count(*) FROM keys").fetchone()[0]
        return count

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        with self._guarded():
            found = digests((self._kept(key),))
            row = self._connection.execute("SELECT 1 FROM keys WHERE digest = ?", found).fetchone()
        return row is not None

    def unseen_places(self, keys: Sequence[str]) -> list[int]:
        """The places of the keys that come for the first time; they count as seen from the next `commit` on.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
        """
        return self.add(list(map(self._kept, keys)))

    def _kept(self, key: str) -> str:
        """A key as it is kept: by the keyed digest of its password."""
        if not isinstance(key, str) or "@" not in key:
            return key
        token = password_token(self.secret)
        first, *others = key.split("\n")  # that of a row may be a set of keys, see `joined_key`
        return "\n".join([masked_key(first, token), *(one[:1] + masked_key(one[1:], token) for one in others)])

    def unseen(self, keys: Sequence[str]) -> list[str]:
        """The keys that come for the first time, each once, in their order; see `unseen_places`."""
        return [keys[place] for place in self.unseen_places(keys)]

    def add(
        self,
        keys: Sequence[str],
        *,
        counts: Sequence[int] | None = None,
        sources: Sequence[str | None] | None = None,
        now: int | None = None,
    ) -> list[int]:
        """Add keys; gives the places of those that come for the first time.

        The more at once the better: a batch of a million takes a fifth of the time of small ones in a large store.

        Args:
            keys: the keys, with a keyed digest for each password as `Record.masked` has it: they are taken as they are.
            counts: how often each was seen; once by default.
            sources: where each was seen.
            now: the time, in seconds from 1970-01-01 UTC; that of the clock by default.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
            UsageError: a key is no string, a count is no integer from 1 to 2^63-1, a source is no string, there are
                more or fewer of them than keys, or the time is none; nothing is added.
        """
        return self._add(checked_digests(keys), counts, sources, now)

    def add_digests(self, found: Sequence[bytes], *, sources: Sequence[str | None] | None = None) -> list[int]:
        """`add` for keys of which only the digests are at hand (`urisieve.dedupe.digest`)."""
        return self._add(found, None, sources, None)

    def _add(
        self,
        found: Sequence[bytes],
        counts: Sequence[int] | None,
        sources: Sequence[str | None] | None,
        now: int | None,
    ) -> list[int]:
        check_columns(len(found), counts, sources, now)
        first: dict[bytes, int] = dict(zip(reversed(found), range(len(found) - 1, -1, -1), strict=True))
        moment = int(time.time()) if now is None else now
        with self._writing():
            names = [_NO_SOURCE] if sources is None else self._numbers(sources)
            once = len(first) == len(found) and (counts is None or counts.count(1) == len(counts))
            if once and names.count(names[0] if names else 0) == len(names):
                new = upsert_alike(self._connection, sorted(found), moment, moment, 1, names[0] if names else 0)
            else:
                number: dict[bytes, int] = dict.fromkeys(first, 0)
                for digest, count in zip(found, [1] * len(found) if counts is None else counts, strict=True):
                    number[digest] = min(MOST, number[digest] + count)
                if sources is None:
                    names *= len(found)
                rows = [(digest, moment, moment, number[digest], names[first[digest]]) for digest in sorted(first)]
                new = upsert(self._connection, rows)
        if len(new) == len(found):
            return list(range(len(found)))
        return sorted([first[digest] for digest in new])

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction, which stays open until `commit`."""
        try:
            with self._guarded():
                if not self._connection.in_transaction:
                    self._connection.execute("BEGIN IMMEDIATE")
                yield
        except StoreError:
            self.rollback()
            raise

    def _numbers(self, names: Sequence[str | None]) -> list[int]:
        """The numbers of sources; those that are new get one."""
        known = self._sources
        for name in dict.fromkeys(names):
            if name is not None and name not in known:
                text = name.encode("utf-8", "backslashreplace").decode()
                self._connection.execute("INSERT OR IGNORE INTO sources (name) VALUES (?)", (text,))
                row = self._connection.execute("SELECT id FROM sources WHERE name = ?", (text,)).fetchone()
                known[name] = row[0]
        return [_NO_SOURCE if name is None else known[name] for name in names]

    def commit(self) -> None:
        """Keep what was added, whatever happens to the process from now on.

        Raises:
            StoreError: it cannot be written; nothing since the last `commit` is kept.
        """
        with self._writing():
            self._connection.execute("COMMIT")

    def rollback(self) -> None:
        """Forget what was added since the last `commit`."""
        self._sources.clear()
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def note(self, name: str, value: str | None) -> None:
        """Keep a text beside the keys, in the same transaction; None removes it."""
        with self._writing():
            self._connection.execute("DELETE FROM meta WHERE name = ?", (f"note {name}",))
            if value is not None:
                self._connection.execute("INSERT INTO meta VALUES (?, ?)", (f"note {name}", value))

    def noted(self, name: str) -> str | None:
        """The text kept by `note`."""
        with self._guarded():
            row = self._connection.execute("SELECT value FROM meta WHERE name = ?", (f"note {name}",)).fetchone()
        return None if row is None else str(row[0])

    def options(self) -> Options:
        """Options by which identifiers get the keys of this store.

        Raises:
            StoreError: they were made by another version.
        """
        return self._read_signature()[0]

    @property
    def by(self) -> str:
        """Which part of identifiers is the key.

        Raises:
            StoreError: the keys were made by another version.
        """
        return self._read_signature()[1]

    def _read_signature(self) -> tuple[Options, str]:
        try:
            return read_signature(self.signature)
        except UsageError as error:
            raise StoreError(f"{self.path}: {error}") from error

    def take_secret(self, secret: bytes) -> bool:
        """Take over the secret of another store, if this one is empty; gives whether both have the same from now on.

        Raises:
            StoreError: the store cannot be written.
        """
        if secret != self.secret and not len(self):
            with self._writing():
                self._connection.execute("UPDATE meta SET value = ? WHERE name = 'secret'", (secret,))
            self.secret = secret
        return secret == self.secret

    def info(self) -> dict[str, Any]:
        """What is in the store, by name."""
        with self._guarded():
            # A sum of large counts is more than an integer of SQLite can hold.
            keys, high, low, first, last = self._connection.execute(
                "SELECT count(*), coalesce(sum(count >> 32), 0), coalesce(sum(count & 4294967295), 0), min(first), "
                "max(last) FROM keys"
            ).fetchone()
            sources = self._connection.execute("SELECT count(*) FROM sources").fetchone()[0]
            size = os.path.getsize(self.path)
        return {
            "keys": keys,
            "seen": (high << 32) + low,
            "first": first,
            "last": last,
            "sources": sources,
            "bytes": size,
            "layout": LAYOUT,
            "signature": self.signature,
        }

    def faults(self) -> list[str]:
        """What is wrong with the store, read whole; empty if nothing is."""
        with self._guarded():
            found = [row[0] for row in self._connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            for condition, meaning in (
                (f"typeof(digest) <> 'blob' OR length(digest) <> {DIGEST_SIZE}", "digests are not 16 bytes"),
                (
                    " OR ".join(f"typeof({name}) <> 'integer'" for name in ("first", "last", "count", "source")),
                    "keys have a time, a count or a source that is no integer",
                ),
                (f"first < 0 OR last > {LATEST}", "keys have a time that is none"),
                ("count < 1", "keys were never seen"),
                ("first > last", "keys were last seen before they were first seen"),
                ("source <> 0 AND source NOT IN (SELECT id FROM sources)", "keys have an unknown source"),
            ):
                number = self._connection.execute(f"SELECT count(*) FROM keys WHERE {condition}").fetchone()[0]
                if number:
                    found.append(f"{number} {meaning}")
        return found

    def entries(self) -> Iterator[StoreEntry]:
        """Everything, in the order of the digests."""
        with self._guarded():
            for row in self._connection.execute(
                "SELECT digest, first, last, count, name FROM keys LEFT JOIN sources ON source = id ORDER BY digest"
            ):
                yield StoreEntry(*row)

    def merge(self, entries: Iterable[StoreEntry]) -> int:
        """Add entries of another store with keys of the same kind; gives how many keys are new.

        The earlier first time and its source win, the later last time, and counts add up.

        Raises:
            StoreError: the store cannot be written, or an entry is none; nothing since the last `commit` is kept.
        """
        new = 0
        batch: list[StoreEntry] = []
        for entry in entries:
            batch.append(entry)
            if len(batch) == _BATCH:
                new += self._merge(batch)
                batch.clear()
        return new + self._merge(batch)

    def _merge(self, batch: list[StoreEntry]) -> int:
        with self._writing():
            names = self._numbers([entry.source for entry in batch])
            rows: dict[bytes, tuple[bytes, int, int, int, int]] = {}
            for entry, source in zip(batch, names, strict=True):
                old = rows.get(entry.digest)
                row = (entry.digest, entry.first, entry.last, min(MOST, entry.count), source)
                if old is not None:
                    earlier = min(old, row, key=lambda one: one[1])
                    row = (row[0], earlier[1], max(old[2], row[2]), min(MOST, old[3] + row[3]), earlier[4])
                rows[entry.digest] = row
            return len(upsert(self._connection, sorted(rows.values())))

    def forget(self, keys: Iterable[str] = (), *, before: int | None = None) -> int:
        """Remove keys, and those last seen before a time; gives how many there were.

        Raises:
            StoreError: the store cannot be written.
            UsageError: a key is no string.
        """
        chosen = [(digest,) for digest in sorted(checked_digests(keys))]
        with self._writing():
            changes = self._connection.total_changes
            self._connection.executemany("DELETE FROM keys WHERE digest = ?", chosen)
            if before is not None:
                self._connection.execute("DELETE FROM keys WHERE last < ?", (before,))
            return self._connection.total_changes - changes

    def close(self) -> None:
        """Forget what was added since the last `commit`, and let other processes have the store."""
        self.rollback()
        with suppress(sqlite3.Error):
            self._connection.close()

    def __reduce__(self) -> NoReturn:
        raise UsageError(
            f"{self.path}: a Store cannot be pickled or copied; open it by its path, one process at a time"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and self._connection.in_transaction:
                self.commit()
        finally:
            self.close()


# Entries that are merged at once.
_BATCH: Final = 1_000 * CHUNK
