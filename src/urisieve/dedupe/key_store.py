"""The store: the keys seen in any number of runs, in one SQLite file.

A table without row numbers holds, for the 16-byte digest of each key, when it was first and last seen, how often, and
in which source first. Digests are added in sorted batches, so that a batch walks the tree from left to right. Additions
are kept by `commit`; a process that ends before, however it ends, leaves the store in the state of the last commit.
"""

from __future__ import annotations

import os
import sqlite3
import time
from _thread import get_ident
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial

from urisieve.dedupe.keyset import DIGEST_SIZE, Keyed, digests, keys_of
from urisieve.dedupe.signature import differences, is_signature, read_signature, renewal, signature
from urisieve.dedupe.store_file import (
    APPLICATION,
    CHUNK,
    LATEST,
    LAYOUT,
    MOST,
    Gathered,
    check_columns,
    checked_keys,
    checked_path,
    create_store,
    damage,
    gathered,
    has_log,
    put,
    reason,
    verify_length,
)
from urisieve.errors import StoreError, UsageError
from urisieve.kernel import of_kernel
from urisieve.lean import Any, Final, NamedTuple, NoReturn, Self
from urisieve.options import Options
from urisieve.records.mask import Mask
from urisieve.records.masking import drawn
from urisieve.records.record import Record

# Bytes of pages that SQLite keeps in memory: the default, and the least.
_CACHE: Final = 134_217_728
_LEAST_CACHE: Final = 1_048_576
_NO_SOURCE: Final = 0


def _gathered_in_python(keys: Sequence[str], counts: Sequence[int], sources: Sequence[int]) -> Gathered:
    return gathered(digests(keys), counts, sources)


# Gathers the digests of keys.
gathered_keys: Final = of_kernel("gathered", _gathered_in_python)
# The types of the values of an entry, before its source.
_TYPES: Final = (bytes, int, int, int)


class StoreEntry(NamedTuple):
    """The entry of a key.

    >>> import os, tempfile
    >>> from urisieve import Store, StoreEntry
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


class Store:
    """A set of keys in a file that outlives the process; one process at a time can use it, in one thread.

    It holds digests of the keys, with the times, the count and the first source of each. A password in a key is first
    replaced by a keyed digest, except by `add`. Additions are kept by `commit`. A `Store` used as a context manager
    commits at the end, unless an exception is raised, and is closed.

    >>> from tempfile import TemporaryDirectory
    >>> from urisieve import Store
    >>> with TemporaryDirectory() as folder, Store(f"{folder}/keys.db") as store:
    ...     store.unseen(["http://e.example/a", "http://e.example/b"])
    ...     store.unseen(["http://e.example/b", "http://e.example/c"])
    ['http://e.example/a', 'http://e.example/b']
    ['http://e.example/c']

    Args:
        path: the path of the file.
        options: the options by which the identifiers of the keys are normalized.
        by: the part of them that is the key: `key`, `host` or `scheme+host+path`.
        create: whether a new store is made if there is none.
        check: whether a store is refused whose keys were made by other options or another part.
        read_only: whether a store that cannot be written is accepted.
        kind: the `signature` of another store, instead of `options` and `by`.
        secret: the secret of the keyed digests of passwords, for a new store; random for None.
        cache: the bytes of the store that are kept in memory, at least 1 MiB; 128 MiB for None.

    Raises:
        StoreError: the store cannot be opened or made, another process uses it, it is damaged or not a store, or its
            keys were made by other options or another version of the canonical forms.
        UsageError: `path` is not a path, `by` not a choice, or `secret` not of 1 to 64 bytes; from every method,
            another thread calls it.
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
        self._thread = get_ident()
        wanted = signature(options, by) if kind is None else kind
        if not os.path.exists(self.path):
            if not create:
                raise StoreError(f"{self.path}: there is no such store")
            create_store(self.path, {"signature": wanted, "secret": drawn(secret)})
        self._sources: dict[str, int] = {}
        self._connection = self._opened(read_only, _CACHE if cache is None else max(_LEAST_CACHE, cache))
        try:
            with self._guarded():
                self._verify_kind()
                self.signature = str(self._meta("signature"))
                self.secret: bytes = self._meta("secret")
                """The secret of the keyed digests of passwords, the same in every run."""
                if not is_signature(self.signature) or not isinstance(self.secret, bytes):
                    raise damage(self.path, "its signature or its secret is not valid")
        except StoreError:
            self._connection.close()
            raise
        if check and self.signature != wanted:
            self._connection.close()
            made, asked = differences(self.signature, wanted)
            raise StoreError(
                f"{self.path}: its keys were made by {made}, those of this run by {asked}{renewal(self.signature)}"
            )

    def _opened(self, read_only: bool, cache: int) -> sqlite3.Connection:
        path, is_uri = self.path, False
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
            path, is_uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode=ro&immutable=1", True
        with self._guarded():
            verify_length(self.path)
            connection = sqlite3.connect(path, timeout=0, isolation_level=None, uri=is_uri)
        try:
            with self._guarded():
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
            raise StoreError(f"{self.path}: is not a store of urisieve")
        if layout != LAYOUT:
            raise StoreError(f"{self.path}: has layout {layout}; this version reads layout {LAYOUT}")

    def _meta(self, name: str) -> Any:
        row = self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise damage(self.path, f"{name} is missing")
        return row[0]

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Raise errors of SQLite as `StoreError`."""
        self._check_thread()
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {reason(error)}") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}") from error
        except OverflowError as error:
            raise StoreError(f"{self.path}: a number is too large for a store: {error}") from error
        except UnicodeDecodeError as error:  # a message of SQLite that quotes it
            raise damage(self.path, "it holds text that is not UTF-8") from error

    def __repr__(self) -> str:
        return f"<Store {self.path!r}>"

    def __len__(self) -> int:
        with self._guarded():
            count: int = self._connection.execute("SELECT count(*) FROM keys").fetchone()[0]
        return count

    def __contains__(self, key: object) -> bool:
        if isinstance(key, Record):
            key = key.key
        if not isinstance(key, str):
            return False
        with self._guarded():
            found = digests((self._kept(key),))
            row = self._connection.execute("SELECT 1 FROM keys WHERE digest = ?", found).fetchone()
        return row is not None

    def unseen_indices(self, keys: Sequence[str | Record]) -> list[int]:
        """Return the indices of the keys that are seen for the first time, and add all; they are kept by `commit`.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
            UsageError: a key is not a string.
        """
        return self.add(list(map(self._kept, keys_of(keys))))

    @cached_property
    def _mask(self) -> Mask:
        """How the keys of records are stored: with digests in place of passwords."""
        return Mask(self.secret)

    def _kept(self, key: str) -> str:
        """Return a key with its password replaced by a keyed digest."""
        if "@" not in key:
            return key
        mask = self._mask
        first, *others = key.split("\n")  # the key of a row may be a set of keys, see `joined_key`
        return "\n".join([mask.key(first), *(one[:1] + mask.key(one[1:]) for one in others)])

    def unseen(self, keys: Sequence[Keyed]) -> list[Keyed]:
        """Return the keys that are seen for the first time, each once, in their order; see `unseen_indices`."""
        return [keys[index] for index in self.unseen_indices(keys)]

    def add(
        self,
        keys: Sequence[str | Record],
        *,
        counts: Sequence[int] | None = None,
        sources: Sequence[str | None] | None = None,
        now: int | None = None,
    ) -> list[int]:
        """Add keys; return the indices of those that are seen for the first time.

        Large batches are faster: in a large store a batch of a million takes a fifth of the time of small ones.

        Args:
            keys: the keys, added unchanged: a password must have been replaced by its keyed digest (`Record.masked`),
                which is done here for the key of a record.
            counts: how often each was seen; once by default.
            sources: the source in which each was seen.
            now: the time, in seconds from 1970-01-01 UTC; that of the clock by default.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
            UsageError: a key or a source is not a string, a count is not an integer from 1 to 2^63-1, there are more or
                fewer counts or sources than keys, or the time is not valid; nothing is added.
        """
        texts = checked_keys(keys, self._kept)
        return self._add(partial(gathered_keys, texts), len(texts), counts, sources, now)

    def add_digests(self, found: Sequence[bytes], *, sources: Sequence[str | None] | None = None) -> list[int]:
        """Add keys by their digests (`urisieve.dedupe.keyset`); return the indices of the new ones, like `add`."""
        return self._add(partial(gathered, found), len(found), None, sources, None)

    def _add(
        self,
        gather: Callable[[list[int], list[int]], tuple[bytes, list[int], list[tuple[int, int, bytes]]]],
        number: int,
        counts: Sequence[int] | None,
        sources: Sequence[str | None] | None,
        now: int | None,
    ) -> list[int]:
        check_columns(number, counts, sources, now)
        moment = int(time.time()) if now is None else now
        with self._writing():
            names = [_NO_SOURCE] * number if sources is None else self._numbers(sources)
            digests, firsts, groups = gather([1] * number if counts is None else list(counts), names)
            old = put(self._connection, digests, {(moment, moment, count, name): some for count, name, some in groups})
        if not old:
            return sorted(firsts)
        return sorted([first for index, first in enumerate(firsts) if index not in old])

    def _check_thread(self) -> None:
        if get_ident() != self._thread:
            raise UsageError(f"{self.path}: a Store is for the thread that opened it: add the keys there")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Begin a transaction, which stays open until `commit`."""
        try:
            with self._guarded():
                if not self._connection.in_transaction:
                    self._connection.execute("BEGIN IMMEDIATE")
                yield
        except StoreError:
            self.rollback()
            raise

    def _numbers(self, names: Sequence[str | None]) -> list[int]:
        """Return the numbers of sources; new ones are added."""
        known = self._sources
        for name in dict.fromkeys(names):
            if name is not None and name not in known:
                text = name.encode("utf-8", "backslashreplace").decode()
                self._connection.execute("INSERT OR IGNORE INTO sources (name) VALUES (?)", (text,))
                row = self._connection.execute("SELECT id FROM sources WHERE name = ?", (text,)).fetchone()
                known[name] = row[0]
        return [_NO_SOURCE if name is None else known[name] for name in names]

    def commit(self) -> None:
        """Keep all additions, even if the process ends afterwards without closing the store.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
        """
        with self._writing():
            self._connection.execute("COMMIT")

    def rollback(self) -> None:
        """Discard the additions since the last `commit`."""
        self._check_thread()
        self._sources.clear()
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def note(self, name: str, value: str | None) -> None:
        """Store a text by name beside the keys, in the same transaction; None removes it."""
        with self._writing():
            self._connection.execute("DELETE FROM meta WHERE name = ?", (f"note {name}",))
            if value is not None:
                self._connection.execute("INSERT INTO meta VALUES (?, ?)", (f"note {name}", value))

    def noted(self, name: str) -> str | None:
        """Return the text stored by `note`, None if there is none."""
        with self._guarded():
            row = self._connection.execute("SELECT value FROM meta WHERE name = ?", (f"note {name}",)).fetchone()
        return None if row is None else str(row[0])

    def options(self) -> Options:
        """Return the options by which the identifiers of this store were normalized.

        Raises:
            StoreError: the keys were made by another version.
        """
        return self._read_signature()[0]

    @property
    def by(self) -> str:
        """The part of identifiers that is the key.

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
        """Take over the secret of another store if this one is empty; return whether both now have the same.

        Raises:
            StoreError: the store cannot be written.
        """
        if secret != self.secret and not len(self):
            with self._writing():
                self._connection.execute("UPDATE meta SET value = ? WHERE name = 'secret'", (secret,))
            self.secret = secret
        return secret == self.secret

    def info(self) -> dict[str, Any]:
        """Return the properties of the store by name: numbers of keys and sources, times, size in bytes, signature."""
        with self._guarded():
            # The sum of large counts may exceed an integer of SQLite.
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
        """Read the whole store and return its faults as texts; empty if there are none."""
        with self._guarded():
            found = [row[0] for row in self._connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            found = [": ".join(text.split("\n")) for text in found]
            for condition, meaning in (
                (f"typeof(digest) <> 'blob' OR length(digest) <> {DIGEST_SIZE}", "digests are not 16 bytes"),
                (
                    " OR ".join(f"typeof({name}) <> 'integer'" for name in ("first", "last", "count", "source")),
                    "keys have a time, a count or a source that is not an integer",
                ),
                (f"first < 0 OR last > {LATEST}", "keys have a time out of range"),
                ("count < 1", "keys were never seen"),
                ("first > last", "keys were last seen before they were first seen"),
                ("source <> 0 AND source NOT IN (SELECT id FROM sources)", "keys have an unknown source"),
            ):
                number = self._connection.execute(f"SELECT count(*) FROM keys WHERE {condition}").fetchone()[0]
                if number:
                    found.append(f"{number} {meaning}")
        return found

    def entries(self) -> Iterator[StoreEntry]:
        """Yield all entries in the order of the digests."""
        with self._guarded():
            for row in self._connection.execute(
                "SELECT digest, first, last, count, name FROM keys LEFT JOIN sources ON source = id ORDER BY digest"
            ):
                if tuple(map(type, row[:4])) != _TYPES or len(row[0]) != DIGEST_SIZE:
                    raise damage(self.path, f"the entry of {row[0]!r:.40} is not valid")
                yield StoreEntry(*row)

    def merge(self, entries: Iterable[StoreEntry]) -> int:
        """Add entries of another store with keys of the same kind; return how many keys are new.

        Of a key in both, the earlier first time with its source and the later last time are kept, and counts are added.

        Raises:
            StoreError: the store cannot be written, or an entry is not valid; nothing since the last `commit` is kept.
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
            groups: dict[tuple[int, int, int, int], list[bytes]] = {}
            every = sorted(rows)
            for digest in every:
                groups.setdefault(rows[digest][1:], []).append(digest)
            joined = {shared: b"".join(some) for shared, some in groups.items()}
            return len(rows) - len(put(self._connection, b"".join(every), joined))

    def forget(self, keys: Iterable[str | Record] = (), *, before: int | None = None) -> int:
        """Remove keys, and those last seen before a time, in seconds from 1970-01-01 UTC; return how many were removed.

        Raises:
            StoreError: the store cannot be written.
            UsageError: a key is not a string.
        """
        chosen = [(digest,) for digest in sorted(digests(checked_keys(keys, self._kept)))]
        with self._writing():
            changes = self._connection.total_changes
            self._connection.executemany("DELETE FROM keys WHERE digest = ?", chosen)
            if before is not None:
                self._connection.execute("DELETE FROM keys WHERE last < ?", (before,))
            return self._connection.total_changes - changes

    def close(self) -> None:
        """Discard the additions since the last `commit`, and release the store for other processes."""
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
_BATCH: Final = 10 * CHUNK
