"""The store: the keys seen in any number of runs, in one SQLite file, whose tables `StoreTables` has.

A store is of the keys that some options make of identifiers, and refuses those of others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from urisieve import shapes
from urisieve.dedupe.keyset import DIGEST_SIZE, Keyed, digests, keys_of
from urisieve.dedupe.signature import (
    AlikeKeys,
    checked_signature,
    differences,
    read_signature,
    refusal,
    renewal,
)
from urisieve.dedupe.signature import signature as signature_of
from urisieve.dedupe.store import store_file
from urisieve.dedupe.store.store_entries import Gathered, gathered
from urisieve.dedupe.store.store_tables import StoreEntry, StoreTables, stored_key
from urisieve.errors import StoreError, UsageError
from urisieve.finding_options import Options, checked
from urisieve.kernel import of_kernel
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, NoReturn, late
from urisieve.records.masking import drawn
from urisieve.records.record import Record
from urisieve.syntax.times import LEAST_BOUND, seconds_given

if TYPE_CHECKING:
    from datetime import date
else:
    date = late("datetime", "date")


# Bytes of pages that SQLite keeps in memory.
_CACHE: Final = 134_217_728

# Gathers the digests of keys.
gathered_keys: Final[Callable[[Sequence[str], Sequence[int], Sequence[int]], Gathered]] = of_kernel(
    "gathered", lambda keys, counts, sources: gathered(digests(keys), counts, sources)
)


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


class Store(StoreTables):
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
        signature: that of another store, instead of `options` and `by`; see `info`.
        secret: the secret of the keyed digests of passwords, for a new store; random for None.
        cache: the bytes of the store that are kept in memory, at least 1 MiB; 128 MiB for None. What tells new keys
            takes up to half as much beside it.

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
        signature: str | None = None,
        secret: bytes | None = None,
        cache: int | None = None,
    ) -> None:
        name = store_file.checked_path(path)
        for which, given_flag in (("create", create), ("check", check), ("read_only", read_only)):
            shapes.flag(which, given_flag)
        given = checked(options)
        wanted = signature_of(given, by) if signature is None else checked_signature(signature)
        memory = _CACHE if cache is None else store_file.checked_cache(cache)
        new_secret = drawn(secret)
        if not os.path.exists(name):
            if not create or read_only:
                raise StoreError(f"{name}: there is no such store")
            store_file.create_store(name, {"signature": wanted, "secret": new_secret})
        super().__init__(name, read_only=read_only, cache=memory)
        self._alike = AlikeKeys(
            self.signature,
            lambda theirs, own: (
                f"{name}: the keys of these records were made by {theirs}, those of the store by {own}: find them with "
                "the options of the store, or open a store for theirs"
            ),
        )
        # With rules of the caller, which the signature only names.
        self._options = given if self.signature == wanted and signature is None else None
        if check and self.signature != wanted:
            self.close()
            raise StoreError(f"{self.path}: {refusal(self.signature, wanted)}")

    def __repr__(self) -> str:
        return f"<Store {self.path!r}>"

    def __contains__(self, key: object) -> bool:
        """Report whether a key, or that of a record, is in the store.

        Raises:
            UsageError: the key of the record was made by other options than those of the store.
        """
        if not isinstance(key, (str, Record)):
            return False
        (text,) = self._keys((key,), masked=True)
        with self._guarded():
            (one,) = digests((text,))
            return self._entries.has(one)

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
        kept = partial(stored_key, mask=self._mask)
        return list(map(kept, keys_of(every))) if masked else keys_of(every, kept)

    def _options_of_keys(self, options: Options | None, *, is_key: bool) -> Options:
        """Return the options by which keys are made for this store: its own by default.

        Args:
            options: those that are given.
            is_key: whether whole identifiers are to be the keys, not what a function returns.

        Raises:
            UsageError: they make other keys than those of this store.
        """
        chosen = checked(options) if options is not None else self._options or self.options()
        wanted = signature_of(chosen, "key" if is_key else self.by)
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

    def add_digests(self, digests: Sequence[bytes], *, sources: Sequence[str | None] | None = None) -> list[int]:
        """Add keys by their digests (`urisieve.dedupe.keyset`); return the indices of the new ones, like `add`.

        Raises:
            StoreError: one is not a digest, and nothing is added; or as for `add`.
        """
        if not store_file.are_digests(digests):
            raise StoreError(f"{self.path}: digests are a list of bytes, {DIGEST_SIZE} each; nothing was added")
        return self._add(partial(gathered, digests), len(digests), None, sources, None)

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
            gone = self._remove(b"".join(sorted(frozenset(chosen))))
            if moment is not None:
                gone += sum(map(self._remove, self._entries.seen_before(moment)))
        return gone

    def __reduce__(self) -> NoReturn:
        raise UsageError(
            f"{self.path}: a Store cannot be pickled or copied; open it by its path, one process at a time"
        )


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
