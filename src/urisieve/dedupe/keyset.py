"""Sets of keys, kept as digests: in memory, then on disk, and always exact.

It also defines:

- private databases for what does not fit in memory, each gone with the run that made it.
- limits on the memory of a run: sizes from text, and the part of a limit that is for keys.

A digest is BLAKE2b (RFC 7693) of 16 bytes, the same in every process; 0.47 us a key. Among n distinct keys two share a
digest with a probability of at most n(n-1)/2 / 2**128 (the birthday bound): 1.5e-21 for a thousand million keys, one
half for about 2**64. The kernel has a quicker digest for the keys of a single process.
"""

from __future__ import annotations

import os
import re
from _thread import RLock
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from urisieve import shapes
from urisieve.errors import OutputError, UsageError
from urisieve.kernel import either, kernel
from urisieve.lean import TYPE_CHECKING, Any, Final, NoReturn, Self, TypeVar, cast
from urisieve.records.harvested import Harvested
from urisieve.records.layouts import Columns
from urisieve.records.record import Record

if TYPE_CHECKING:
    import sqlite3

    from urisieve.dedupe.digest_runs import DigestRuns

# The fewest bytes of pages that SQLite keeps in memory.
LEAST_CACHE: Final = 1_048_576


class Spill:
    """A table in a private temporary file.

    Args:
        folder: the folder of the file; that of `tempfile` for None.
        table: the statement that makes the table.
        cache: the bytes of the file that are kept in memory.

    Raises:
        OutputError: the file cannot be made; its use raises it where the file cannot be read or written.
    """

    def __init__(self, folder: str | None, table: str, cache: int = LEAST_CACHE) -> None:
        import sqlite3
        import tempfile

        self._folder = folder
        self._path = ""
        try:
            descriptor, self._path = tempfile.mkstemp(".db", "urisieve-", folder)
            os.close(descriptor)
            # Threads may share its owner, which lets one in at a time.
            self.connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            for statement in (
                "PRAGMA page_size = 8192",
                "PRAGMA journal_mode = OFF",  # the file is of no use after the process
                "PRAGMA synchronous = OFF",
                "PRAGMA locking_mode = EXCLUSIVE",
                f"PRAGMA cache_size = -{cache // 1024}",
                table,
            ):
                self.connection.execute(statement)
            self._remove()  # while it is open, if the system allows it, so that nothing is left
        except BaseException as error:  # a signal, too
            self._remove()
            if isinstance(error, (OSError, sqlite3.Error)):
                raise self.failure(error) from error
            raise

    def failure(self, error: Exception) -> OutputError:
        """Return the error to raise if the file cannot be made, read or written."""
        from urisieve.dedupe.digest_runs import spill_failure

        return spill_failure(self._folder, error)

    def read(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Return the rows that a statement selects."""
        import sqlite3

        try:
            return self.connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self.failure(error) from error

    def write(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row, all in one transaction."""
        import sqlite3

        try:
            self.connection.execute("BEGIN")
            self.connection.executemany(statement, rows)
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise self.failure(error) from error

    def close(self) -> None:
        """Close and remove the file."""
        self.connection.close()
        self._remove()

    def _remove(self) -> None:
        with suppress(OSError):
            os.unlink(self._path)


DIGEST_SIZE: Final = 16
"""The bytes of a digest."""
# Bytes a key in a set of integers, at the moment at which it grows: measured with up to 5 million keys, and rounded up.
_KEY: Final = 125


def digest(key: str) -> bytes:
    """Return the digest of a key, the same in every process; a lone surrogate is encoded by `surrogatepass`."""
    return digests((key,))[0]


def digests(keys: Iterable[str]) -> list[bytes]:
    """Return the `digest` of each key."""
    from hashlib import blake2b  # a large library

    keys = list(keys)
    try:
        return [blake2b(key.encode(), digest_size=DIGEST_SIZE).digest() for key in keys]
    except UnicodeEncodeError:
        return [blake2b(key.encode("utf-8", "surrogatepass"), digest_size=DIGEST_SIZE).digest() for key in keys]


class DigestSet:
    """A set of keys in memory, kept as digests; the kernel has its own, whose digests need a seed."""

    def __init__(self, _seed: bytes = b"") -> None:
        self._held: set[int] = set()

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, key: str) -> bool:
        return _number(digest(key)) in self._held

    def digest(self, key: str) -> bytes:
        """Return the digest of a key."""
        return digest(key)

    def __reduce__(self) -> NoReturn:
        raise UsageError("a set of digests cannot be pickled or copied: they mean nothing outside of its process")

    def has_room(self, more: int, limit: int) -> bool:
        """Report whether some more keys fit into a number of bytes."""
        return len(self._held) + more <= limit // _KEY

    def unseen_indices(self, keys: Sequence[str]) -> list[int]:
        """Add keys; return the indices of those that are new."""
        held = self._held
        indices = []
        for index, one in enumerate(map(_number, digests(keys))):
            if one not in held:
                held.add(one)
                indices.append(index)
        return indices

    def held(self, keys: Sequence[str]) -> bytes:
        """Return a byte for each key, 1 if it contains the key, else 0."""
        return bytes(map(self._held.__contains__, map(_number, digests(keys))))

    def digests(self) -> bytes:
        """Return all digests, in any order."""
        return b"".join(one.to_bytes(DIGEST_SIZE, "little") for one in self._held)

    def add_digests(self, made: bytes) -> None:
        """Add digests of another set."""
        self._held.update(_number(made[at : at + DIGEST_SIZE]) for at in range(0, len(made), DIGEST_SIZE))

    def absent(self, keys: Sequence[str]) -> tuple[list[int], list[bytes]]:
        """Return the indices of the keys that the set does not contain, and their digests."""
        made = digests(keys)
        indices = [index for index, one in enumerate(made) if _number(one) not in self._held]
        return indices, [made[index] for index in indices]


def _number(one: bytes) -> int:
    return int.from_bytes(one, "little")


# A key, or a record, which stands for its key.
Keyed = TypeVar("Keyed", bound=str | Record)
_Given = TypeVar("_Given")
_T = TypeVar("_T")

# The least memory limit, in bytes: the batches alone take more than any lower one.
LEAST_LIMIT: Final = 1_000_000
# Stands for no limit: more bytes than any memory has.
_NO_LIMIT: Final = 1 << 62


def keys_of(given: Iterable[str | Record], kept: Callable[[str], str] = str) -> list[str]:
    """Return keys as they are, and of records their keys, as `kept` returns them.

    Raises:
        UsageError: one is neither.
    """
    held = shapes.keys("keys", given)
    if {str}.issuperset(map(type, held)):
        return held
    keys: list[str] = []
    for one in held:
        key = kept(one.key) if isinstance(one, Record) else one
        if not isinstance(key, str):  # a class derived from `str` will do
            raise shapes.wrong("one of keys", key, "a string, as Record.key, or a record")
        keys.append(key)
    return keys


class KeySet:
    """A set of keys in memory, or on disk beyond a limit, kept as digests.

    A record stands for its key, wherever a key is asked for. Strings are keys, not links, and are taken as they are: of
    a link give `key(link)`. Threads may share a set: their calls follow each other.

    It is exact up to the collision bound of 16-byte digests (see `urisieve.dedupe.keyset`). A `KeySet` used as a
    context manager is closed at the end; without a limit there is nothing to close. It cannot be pickled, since its
    digests are valid in one process only. After an exception in the middle of a call, as for lack of memory, it takes
    no more keys.

    >>> from urisieve import KeySet
    >>> with KeySet(memory_limit=100_000_000) as seen:
    ...     seen.unseen(["http://e.example/a", "http://e.example/b", "http://e.example/a"])
    ...     "http://e.example/b" in seen, seen.add("http://e.example/b"), len(seen)
    ['http://e.example/a', 'http://e.example/b']
    (True, False, 2)

    >>> from urisieve import parse
    >>> seen = KeySet([parse("HTTP://A.example")])
    >>> parse("http://a.example:80/") in seen, "http://a.example/" in seen
    (True, True)

    Args:
        keys: the first keys.
        memory_limit: the bytes of memory that the keys may take, at least 1,000,000; further keys are kept in a
            temporary store on disk, and the set stays exact. None for no limit.
        folder: the folder of the temporary store, which `close` removes; that of `tempfile` for None.

    Raises:
        UsageError: the limit is less than 1,000,000 bytes, or a key is not a string.
        OutputError: the temporary store cannot be written.
    """

    def __init__(
        self, keys: Iterable[str | Record] = (), *, memory_limit: int | None = None, folder: str | None = None
    ) -> None:
        shapes.whole_number_or_none("memory_limit", memory_limit, LEAST_LIMIT)
        self._memory = new_digests()
        self._limit = _NO_LIMIT if memory_limit is None else memory_limit
        self._folder = shapes.path_or_none("folder", folder)
        self._disk: DigestRuns | None = None
        self._turn = RLock()
        self._has_failed = False
        self.unseen_indices(keys_of(keys))

    def __len__(self) -> int:
        return len(self._memory) + (0 if self._disk is None else len(self._disk))

    def __repr__(self) -> str:
        return f"<KeySet of {len(self):,} keys>"

    @property
    def is_spilled(self) -> bool:
        """Whether keys are on disk; large batches are far faster than small ones then."""
        return self._disk is not None

    def __contains__(self, key: object) -> bool:
        if isinstance(key, Record):
            key = key.key
        if not isinstance(key, str):
            return False
        with self._turn:
            if key in self._memory:
                return True
            return self._disk is not None and bool(self._disk.held((self._memory.digest(key),)))

    def add(self, key: str | Record) -> bool:
        """Add one key; return whether it is new. `unseen` adds many keys far faster."""
        return bool(self.unseen_indices((key,)))

    def unseen(self, keys: Sequence[Keyed]) -> list[Keyed]:
        """Return the keys that are seen for the first time, each once, in their order, and add them.

        Raises:
            UsageError: a key is not a string.
            OutputError: the temporary store cannot be written.
        """
        every = shapes.keys("keys", keys)
        return [every[index] for index in self.unseen_indices(every)]

    def unseen_indices(self, keys: Sequence[str | Record]) -> list[int]:
        """Return the indices of the keys that are seen for the first time, in rising order, and add them.

        Raises:
            UsageError: a key is not a string.
            OutputError: the temporary store cannot be written.
        """
        return self._adding(self._add, keys_of(keys))

    def _add(self, keys: list[str]) -> list[int]:
        if self._has_room(len(keys)):
            return self._memory.unseen_indices(keys)
        indices, digests = self._memory.absent(keys)
        return [indices[number] for number in self._spilled(digests)]

    def _adding(self, add: Callable[[_Given], _T], given: _Given) -> _T:
        """Call a function that adds keys; an exception in it leaves keys that no caller knows of.

        Raises:
            UsageError: that has happened before.
        """
        with self._turn:
            if self._has_failed:
                raise UsageError("an exception has ended a call of the set while it added keys: begin another one")
            try:
                return add(given)
            except BaseException:
                self._has_failed = True
                raise

    def held_indices(self, keys: Sequence[str | Record]) -> list[int]:
        """Return the indices of the keys that it contains, in rising order; none is added."""
        held = keys_of(keys)
        if not len(self):
            return []
        with self._turn:
            absent, digests = self._memory.absent(held)
            if self._disk is not None:
                on_disk = self._disk.held(digests)
                absent = [index for index, digest in zip(absent, digests, strict=True) if digest not in on_disk]
        return sorted(frozenset(range(len(held))).difference(absent))

    def unseen_lines(self, rows: Columns) -> tuple[bytes, int]:
        """Add the keys of rows; return the canonical forms of the new ones, each with a line feed, and their number."""
        return self._adding(self._add_lines, rows)

    def _add_lines(self, rows: Columns) -> tuple[bytes, int]:
        if self._has_room(rows.length):
            return rows.new_lines(self._memory)
        return Columns.new_lines(rows, self)  # one by one: not all fit into memory

    def _digest_for(self, rows: Columns) -> None:
        """Make the digests that `unseen_lines` needs of rows: threads can do this at once, while one adds others."""
        rows.digest_for(self._memory)

    def _unseen_heads(
        self, rows: Harvested, heads: kernel.KeyTable, others: Sequence[KeySet]
    ) -> tuple[list[int], list[int]] | None:
        """Add the keys of rows as `KeyTable.add_heads` does; None, and none added, if not all are in memory."""
        with self._turn:
            if any(keys.is_spilled for keys in others) or not self._has_room(rows.length):
                return None
            own, *rest = (cast("kernel.KeySet", keys._memory) for keys in (self, *others))
            return heads.add_heads(rows.harvest, own, tuple(rest), rows.digests_for(own))

    def _has_room(self, more: int) -> bool:
        return self._disk is None and self._memory.has_room(more, self._limit)

    def _spilled(self, digests: list[bytes]) -> list[int]:
        """Add digests to the temporary store; return the indices of those that were not in it."""
        if not digests:
            return []
        if self._disk is None:
            from urisieve.dedupe.digest_runs import DigestRuns

            self._disk = DigestRuns(self._folder)
        return self._disk.add(digests)

    def close(self) -> None:
        """Remove the temporary store; the set must not be used afterwards."""
        if self._disk is not None:
            self._disk.close()

    def __reduce__(self) -> NoReturn:
        # A copy in another interpreter would not find the keys of this one.
        raise UsageError(
            "a KeySet cannot be pickled or copied: its digests mean nothing outside of its process; give the keys "
            "themselves to another one, or use a Store"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def new_seed() -> bytes:
    """Return a new seed for a set or a table of keys of the kernel, so that no attacker can make keys that collide."""
    return os.urandom(DIGEST_SIZE)


# Makes an empty set of digests in memory; its seed is a new one by default.
new_digests: Final[Callable[..., kernel.KeySet | DigestSet]] = either(
    lambda seed=b"": kernel.KeySet(seed or new_seed()), DigestSet
)


# The bytes that a process takes in addition to its keys: the interpreter, the text that is sieved, a batch.
_OWN: Final = 90_000_000
# The least limit, in bytes: the run itself takes more than any lower one.
LEAST_MEMORY: Final = 120_000_000
_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY: Final = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def budget(limit: int | None) -> int | None:
    """Return the bytes that keys may take if the process may take `limit`; None for no limit.

    >>> budget(500_000_000)
    410000000
    """
    return None if limit is None else max(LEAST_LIMIT, limit - _OWN)


def memory_size(text: str) -> int:
    """Return the bytes of a size such as `1GB`, `512MiB` or a plain number.

    >>> memory_size("512MiB")
    536870912

    Raises:
        UsageError: the text is not a size, or the size is less than `LEAST_MEMORY`.
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?", text.strip().lower())
    if match is None or (match[3] and not match[2]):
        raise UsageError(f"{text!r} is not a size: use 500MB, 1GB, 512MiB")
    size = int(min(float(match[1]), float(_UNITS["t"])) * (_BINARY if match[3] else _UNITS)[match[2]])
    if size < LEAST_MEMORY:
        raise UsageError(f"{text!r} is less than a run itself needs: use {LEAST_MEMORY // 10**6}MB or more")
    return size
