"""The store: the keys seen in any number of runs, in one SQLite file.

A table without row numbers contains, for the 16-byte digest of each key, when it was first and last seen, how often and
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
from itertools import islice
from types import NoneType

from urisieve import shapes
from urisieve.dedupe import store_file
from urisieve.dedupe.keyset import DIGEST_SIZE, Keyed, digests, keys_of
from urisieve.dedupe.signature import (
    AlikeKeys,
    checked_signature,
    differences,
    is_signature,
    read_signature,
    renewal,
    signature,
)
from urisieve.errors import StoreError, UsageError
from urisieve.finding_options import Options, checked
from urisieve.kernel import of_kernel
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, Self, late
from urisieve.records.mask import Mask
from urisieve.records.masking import check_secret, drawn
from urisieve.records.record import Record
from urisieve.syntax.times import LATEST, LEAST_BOUND, seconds_given

if TYPE_CHECKING:
    from datetime import date
else:
    date = late("datetime", "date")


# Bytes of pages that SQLite keeps in memory.
_CACHE: Final = 134_217_728
_NO_SOURCE: Final = 0
PRINTING: Final = "printing"
"""The name of the note that rows are being written for the keys of the last commit; see `sinks/printed_rows.py`."""
# The real paths of the stores that this process has opened and not closed.
_OPEN: Final[set[str]] = set()


# Gathers the digests of keys.
gathered_keys: Final[Callable[[Sequence[str], Sequence[int], Sequence[int]], store_file.Gathered]] = of_kernel(
    "gathered", lambda keys, counts, sources: store_file.gathered(digests(keys), counts, sources)
)


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


class StoreExport(NamedTuple):
    """The content of a store that is to be merged into another one.

    Attributes:
        name: its path, for messages.
        signature: the settings by which its keys were made.
        secret: the secret of its keyed digests of passwords.
        entries: its entries; they can be read once.
    """

    name: str
    signature: str
    secret: bytes
    entries: Iterator[StoreEntry]

    def target(self, path: str) -> Store:
        """Return the store of a path; if there is none, it is made for keys like these.

        Raises:
            StoreError: it cannot be opened or made.
        """
        return Store(path, kind=self.signature, secret=self.secret)


def stored_key(key: str, mask: Mask) -> str:
    """Return a key as a store has it: with its password replaced by a keyed digest."""
    if "@" not in key:
        return key
    first, *others = key.split("\n")  # the key of a row may be a set of keys, see `joined_key`
    return "\n".join([mask.key(first), *(one[:1] + mask.key(one[1:]) for one in others)])


class Store:
    """A set of keys in a file that outlives the process; one process at a time can use it, in one thread.

    It has digests of the keys, with the times, the count and the first source of each. A password in a key is first
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
        by: the part of them that is the key: a value of `By`, as `host`.
        create: whether a new store is made if there is none.
        check: whether a store is refused whose keys were made by other options or another part.
        read_only: whether the store is only read: none is made, one that cannot be written is accepted, and every call
            that would change the store raises.
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
        self.path = store_file.checked_path(path)
        for name, given_flag in (("create", create), ("check", check), ("read_only", read_only)):
            shapes.flag(name, given_flag)
        self._thread = get_ident()
        given = checked(options)
        wanted = signature(given, by) if kind is None else checked_signature(kind)
        memory = _CACHE if cache is None else store_file.checked_cache(cache)
        new_secret = drawn(secret)
        if not os.path.exists(self.path):
            if not create or read_only:
                raise StoreError(f"{self.path}: there is no such store")
            store_file.create_store(self.path, {"signature": wanted, "secret": new_secret})
        self._read_only = read_only
        self._sources: dict[str, int] = {}
        self._real_path = os.path.realpath(self.path)
        try:
            self._connection, self._statements = store_file.open_store(self.path, read_only=read_only, cache=memory)
        except StoreError as error:
            if store_file.is_in_use(error) and self._real_path in _OPEN:
                raise StoreError(f"{self.path}: this process has it open: use that Store, or close it first") from error
            raise
        try:
            with self._guarded():
                self.signature = str(self._meta("signature"))
                self.secret: bytes = self._meta("secret")
                """The secret of the keyed digests of passwords, the same in every run."""
                if not is_signature(self.signature) or not isinstance(self.secret, bytes):
                    raise store_file.damage(self.path, "its signature or its secret is not valid")
        except BaseException:
            self._connection.close()
            raise
        self._committed_secret = self.secret
        path = self.path
        self._alike = AlikeKeys(
            self.signature,
            lambda theirs, own: (
                f"{path}: the keys of these records were made by {theirs}, those of the store by {own}: find them with "
                "the options of the store, or open a store for theirs"
            ),
        )
        _OPEN.add(self._real_path)
        # With rules of the caller, which the signature only names.
        self._options = given if self.signature == wanted and kind is None else None
        if check and self.signature != wanted:
            self.close()
            made, asked = differences(self.signature, wanted)
            raise StoreError(
                f"{self.path}: its keys were made by {made}, those of this run by {asked}{renewal(self.signature)}"
            )

    def _meta(self, name: str) -> Any:
        row = self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise store_file.damage(self.path, f"{name} is missing")
        return row[0]

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        self._check_thread()
        with store_file.guarded(self.path, self._statements):
            yield

    def __repr__(self) -> str:
        return f"<Store {self.path!r}>"

    def __len__(self) -> int:
        with self._guarded():
            count: int = self._connection.execute("SELECT count(*) FROM keys").fetchone()[0]
        return count

    def __contains__(self, key: object) -> bool:
        """Report whether a key, or that of a record, is in the store.

        Raises:
            UsageError: the key of the record was made by other options than those of the store.
        """
        if not isinstance(key, (str, Record)):
            return False
        (text,) = self._keys((key,), masked=True)
        with self._guarded():
            row = self._connection.execute("SELECT 1 FROM keys WHERE digest = ?", digests((text,))).fetchone()
        return row is not None

    def _keys(self, keys: Iterable[str | Record], *, masked: bool = False) -> list[str]:
        """Return keys for this store, those of records without passwords.

        Args:
            keys: the keys and records.
            masked: whether passwords in the other keys are replaced, too.

        Raises:
            UsageError: they are not keys, or those of records were made by other options.
        """
        every = shapes.keys("keys", keys)
        if set(map(type, every)) - {str}:
            self._alike.check({one._rules for one in every if isinstance(one, Record)})
        return list(map(self._kept, keys_of(every))) if masked else keys_of(every, self._kept)

    def _options_of_keys(self, options: Options | None, *, is_key: bool) -> Options:
        """Return the options by which keys are made for this store: its own by default.

        Args:
            options: those that are given.
            is_key: whether whole identifiers are to be the keys, not what a function returns.

        Raises:
            UsageError: they make other keys than those of this store.
        """
        chosen = checked(options) if options is not None else self._options or self.options()
        wanted = signature(chosen, "key" if is_key else self.by)
        if wanted != self.signature:
            given, own = differences(wanted, self.signature)
            raise UsageError(f"{self.path}: these keys are made by {given}, those of the store by {own}")
        return chosen

    def unseen_indices(self, keys: Sequence[str | Record]) -> list[int]:
        """Return the indices of the keys that are seen for the first time, and add all; they are kept by `commit`.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
            UsageError: a key is not a string, or the key of a record was made by other options.
        """
        return self.add(self._keys(keys, masked=True))

    @cached_property
    def _mask(self) -> Mask:
        """How the keys of records are stored: with digests in place of passwords."""
        return Mask(self.secret)

    def _kept(self, key: str) -> str:
        """Return a key with its password replaced by a keyed digest."""
        return stored_key(key, self._mask)

    def unseen(self, keys: Sequence[Keyed]) -> list[Keyed]:
        """Return the keys that are seen for the first time, each once, in their order; see `unseen_indices`."""
        every = shapes.keys("keys", keys)
        return [every[index] for index in self.unseen_indices(every)]

    def add(
        self,
        keys: Sequence[str | Record],
        *,
        counts: Sequence[int] | None = None,
        sources: Sequence[str | None] | None = None,
        now: str | date | float | None = None,
    ) -> list[int]:
        """Add keys; return the indices of those that are seen for the first time.

        Large batches are faster: in a large store a batch of a million takes a fifth of the time of small ones.

        Args:
            keys: the keys, added unchanged: a password must have been replaced by its keyed digest (`Record.masked`),
                which is done here for the key of a record.
            counts: how often each was seen; once by default.
            sources: the source in which each was seen.
            now: the time: seconds from 1970-01-01 UTC, a `datetime`, which is in UTC if it has no zone, or a text such
                as 2024-05-31T13:05:00Z; that of the clock by default.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
            UsageError: a key or a source is not a string, a count is not an integer from 1 to 2^63-1, there are more or
                fewer counts or sources than keys, the time is not valid, or the key of a record was made by other
                options than those of the store; nothing is added.
        """
        texts = self._keys(keys)
        return self._add(partial(gathered_keys, texts), len(texts), counts, sources, now)

    def add_digests(self, found: Sequence[bytes], *, sources: Sequence[str | None] | None = None) -> list[int]:
        """Add keys by their digests (`urisieve.dedupe.keyset`); return the indices of the new ones, like `add`.

        Raises:
            StoreError: one is not a digest, and nothing is added; or as for `add`.
        """
        if not store_file.are_digests(found):
            raise StoreError(f"{self.path}: digests are a list of bytes, {DIGEST_SIZE} each; nothing was added")
        return self._add(partial(store_file.gathered, found), len(found), None, sources, None)

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
            old = store_file.put(
                self._connection, digests, {(moment, moment, count, name): some for count, name, some in groups}
            )
        if not old:
            return sorted(firsts)
        return sorted([first for index, first in enumerate(firsts) if index not in old])

    def _clock(self) -> int:
        moment = int(time.time())
        if not 0 <= moment <= LATEST:
            raise StoreError(f"{self.path}: the clock of this computer is not in the years 1970 to 9999: set it")
        return moment

    def _check_thread(self) -> None:
        if get_ident() != self._thread:
            raise UsageError(f"{self.path}: a Store is for the thread that opened it: add the keys there")

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

    def commit(self) -> None:
        """Keep all additions, even if the process ends afterwards without closing the store.

        Raises:
            StoreError: the store cannot be written; nothing since the last `commit` is kept.
        """
        with self._writing():
            self._connection.execute("COMMIT")
        self._committed_secret = self.secret

    def rollback(self) -> None:
        """Discard the additions since the last `commit`."""
        self._check_thread()
        self._sources.clear()
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        self._set_secret(self._committed_secret)

    def _set_secret(self, secret: bytes) -> None:
        if secret != self.secret:
            self.secret = secret
            self.__dict__.pop("_mask", None)  # else passwords would go on to be digests by the other one

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
            "layout": store_file.LAYOUT,
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
        """Yield all entries in the order of the digests.

        Raises:
            StoreError: the store is damaged, or a run that was killed has left open which of its rows were written.
        """
        if self.noted(PRINTING) is not None:
            raise StoreError(
                f"{self.path}: a run that was killed has left open which of its rows were written; the next run of "
                f"`urisieve dedupe --store {self.path}` settles that"
            )
        with self._guarded():
            for row in self._connection.execute(
                "SELECT digest, first, last, count, name FROM keys LEFT JOIN sources ON source = id ORDER BY digest"
            ):
                if not store_file.is_entry(row):
                    raise store_file.damage(self.path, f"the entry of {row[0]!r:.40} is not valid")
                yield StoreEntry(*row)

    def merge(self, other: Store) -> int:
        """Add the keys of another store, which is left unchanged; return how many are new.

        Of a key in both, the earlier first time with its source and the later last time are kept, and counts are added.
        An empty store takes over the secret of the other one. If both have keys and their secrets differ, a
        `RuntimeWarning` says that keys with passwords cannot be met again; all others are merged.

        >>> import os, tempfile
        >>> from urisieve import Store
        >>> folder = tempfile.mkdtemp()
        >>> with Store(os.path.join(folder, "all.db")) as store, Store(os.path.join(folder, "new.db")) as other:
        ...     _ = other.add(["a:1", "a:2"])
        ...     store.merge(other), store.merge(other), store.secret == other.secret
        (2, 0, True)

        Raises:
            StoreError: the keys of the other store were made by other options or are another part of identifiers, and
                nothing is added; or a store cannot be read or written, and nothing since the last `commit` is kept.
            UsageError: `other` is not a store, or is this one.
        """
        if not isinstance(other, Store) or other is self:
            raise shapes.wrong("other", other, "another Store, itself and not its entries, which do not say their kind")

        def warn(message: str) -> None:
            import warnings

            warnings.warn(message, RuntimeWarning, stacklevel=4)  # at the call of this method

        return merge_export(self, export_of(other), warn)

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
                row = (digest, first, last, min(store_file.MOST, count), source)
                if old is not None:
                    earlier = min(old, row, key=lambda one: one[1])
                    row = (row[0], earlier[1], max(old[2], row[2]), min(store_file.MOST, old[3] + row[3]), earlier[4])
                rows[digest] = row
            groups: dict[tuple[int, int, int, int], list[bytes]] = {}
            every = sorted(rows)
            for digest in every:
                groups.setdefault(rows[digest][1:], []).append(digest)
            joined = {shared: b"".join(some) for shared, some in groups.items()}
            return len(rows) - len(store_file.put(self._connection, b"".join(every), joined))

    def forget(self, keys: Iterable[str | Record] = (), *, before: str | date | float | None = None) -> int:
        """Remove keys, and those last seen before a time; return how many were removed.

        >>> import os, tempfile
        >>> from urisieve import Store
        >>> with Store(os.path.join(tempfile.mkdtemp(), "seen.db")) as store:
        ...     for day in ("2023-12-31", "2024-01-01"):
        ...         _ = store.add([f"urn:example:{day}"], now=day)
        ...     store.forget(before="2024"), len(store)
        (1, 1)

        Args:
            keys: the keys, as `add` takes them.
            before: the time: a `datetime`, which is in UTC if it has no zone, a text such as 2024-05-31 or
                2024-05-31T13:05:00Z, or seconds from 1970-01-01 UTC, from 1973 on: a smaller number, which may be a
                year, a day or a number of days, is refused.

        Raises:
            StoreError: the store cannot be written.
            UsageError: a key is not a string, the key of a record was made by other options than those of the store,
                or the time is not valid; nothing is removed.
        """
        chosen = digests(self._keys(keys))
        moment = None if before is None else seconds_given("before", before, least=LEAST_BOUND)
        with self._writing():
            changes = self._connection.total_changes
            self._remove(chosen)
            if moment is not None:
                self._connection.execute("DELETE FROM keys WHERE last < ?", (moment,))
            return self._connection.total_changes - changes

    def _remove(self, chosen: Iterable[bytes]) -> None:
        """Remove keys by their digests."""
        with self._writing():
            self._connection.executemany("DELETE FROM keys WHERE digest = ?", [(one,) for one in sorted(chosen)])

    def close(self) -> None:
        """Discard the additions since the last `commit`, and release the store for other processes."""
        self.rollback()
        with suppress(sqlite3.Error):
            self._connection.close()
        _OPEN.discard(self._real_path)

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


def export_of(store: Store) -> StoreExport:
    """Return the content of a store, which must stay open until its entries are read."""
    return StoreExport(store.path, store.signature, store.secret, store.entries())


def merge_export(store: Store, export: StoreExport, on_message: Callable[[str], object]) -> int:
    """Add the content of another store; return how many keys are new.

    An empty store takes over the secret of the other one.

    Args:
        store: the store that is added to.
        export: the other store.
        on_message: called with one line of text if the secrets differ, so that keys with passwords cannot be merged.

    Raises:
        StoreError: the keys of the other store were made by other settings, or a store cannot be read or written.
        InputError: an entry of an export is not valid.
    """
    if export.signature != store.signature:
        made, asked = differences(export.signature, store.signature)
        raise StoreError(
            f"{export.name}: its keys were made by {made}, not by {asked}"
            f"{renewal(export.signature) or renewal(store.signature)}"
        )
    if not store.take_secret(export.secret):
        on_message(
            f"{export.name}: was made with another secret: keys with passwords, if it has any, are not told to be "
            f"those of {store.path} and will not be met again; all others are merged"
        )
    return store._merge_entries(export.entries)


def _encodable(text: str) -> str:
    """Return a text as SQLite takes it: bytes of a path that do not decode become escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


# Entries that are merged at once.
_BATCH: Final = 10 * store_file.CHUNK
