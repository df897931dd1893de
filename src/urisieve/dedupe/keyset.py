"""Sets of keys, held as digests: fast, then packed, then on disk, and always exact.

`KeySet` holds keys in three tiers; it moves to the next when its memory is full:

1. sets of integers, about 90 bytes a key. There are eight, of unequal shares, so that they do not all grow at once:
   a set that has just grown takes twice the space, and a single large set would exceed 100 bytes a key then;
2. packed: the digests of a bucket in one string of bytes, about 35 bytes a key, at one and a half times the time;
3. a temporary store on disk (`TemporaryStore`) for all further keys.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from struct import Struct

from urisieve.dedupe.digests import DIGEST_SIZE, local_digests, local_secret
from urisieve.errors import UsageError
from urisieve.lean.hints import TYPE_CHECKING, Final, NoReturn, Self

if TYPE_CHECKING:
    from urisieve.dedupe.temporary import TemporaryStore

__all__ = ["LEAST_LIMIT", "KeySet"]

# Bytes a key in each tier, measured with 5 and 20 million keys and rounded up: the number of keys that fit is computed
# from them.
_SET_KEY: Final = 125  # includes the memory for moving to the next tier
_PACKED_KEY: Final = 38
# The cache of the temporary store is the limit divided by this.
_DISK_SHARE: Final = 8
# The least memory limit, in bytes: the batches alone take more than any lower one.
LEAST_LIMIT: Final = 1_000_000
# Slots are selected by the low bits of a digest, and distributed so that the shares of the sets are unequal.
_SLOTS: Final = 256
_SHARDS: Final = 8
# Digests of a bucket before the number of buckets is quadrupled: 1.29 us a key, against 1.38 with 16.
_FULL_BUCKET: Final = 8
_LEAST_BUCKETS: Final = 256
_LOW: Final = (1 << 64) - 1
_SIGN: Final = 1 << 63
_pack: Final = Struct("<qq").pack


def _slots() -> list[set[int]]:
    """Return the set for each value of the low bits of a digest; the largest share is about twice the smallest."""
    weights = [2 ** (number / _SHARDS) for number in range(_SHARDS)]
    whole = sum(weights)
    slots: list[set[int]] = []
    reached = 0.0
    for weight in weights:
        reached += weight
        shard: set[int] = set()
        slots += [shard] * (round(reached / whole * _SLOTS) - len(slots))
    return slots


class KeySet:
    """A set of keys in memory, or on disk beyond a limit, held as digests.

    It is exact up to the collision bound of 16-byte digests (see `urisieve.dedupe.digests`). A `KeySet` used as a
    context manager is closed at the end; without a limit there is nothing to close. It cannot be pickled, since its
    digests are valid in one process only.

    >>> from urisieve import KeySet
    >>> with KeySet(memory_limit=100_000_000) as seen:
    ...     seen.unseen(["http://e.example/a", "http://e.example/b", "http://e.example/a"])
    ...     "http://e.example/b" in seen, seen.add("http://e.example/b"), len(seen)
    ['http://e.example/a', 'http://e.example/b']
    (True, False, 2)

    Args:
        keys: the first keys.
        memory_limit: the bytes of memory that the keys may take, at least 1,000,000; further keys are kept in a
            temporary store on disk, and the set stays exact. None for no limit.
        folder: the folder of the temporary store, which `close` removes; that of `tempfile` for None.

    Raises:
        UsageError: the limit is less than 1,000,000 bytes, or a key is not a string.
        OutputError: the temporary store cannot be written.
    """

    def __init__(self, keys: Iterable[str] = (), *, memory_limit: int | None = None, folder: str | None = None) -> None:
        if memory_limit is not None and memory_limit < LEAST_LIMIT:
            raise UsageError(f"memory_limit={memory_limit} must be at least {LEAST_LIMIT} bytes")
        self._secret = local_secret()
        self._slots: list[set[int]] | None = _slots()
        self._buckets: list[bytes] = []
        self._in_memory = 0
        self._most = sys.maxsize if memory_limit is None else memory_limit // _SET_KEY
        self._most_packed = sys.maxsize if memory_limit is None else memory_limit // _PACKED_KEY
        self._limit = memory_limit
        self._folder = folder
        self._disk: TemporaryStore | None = None
        if keys:
            self.unseen_places(list(keys))

    def __len__(self) -> int:
        return self._in_memory + (0 if self._disk is None else len(self._disk))

    @property
    def is_spilled(self) -> bool:
        """Whether keys are on disk; large batches are far faster than small ones then."""
        return self._disk is not None

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        ((part, one),) = local_digests((key,), self._secret)
        if self._slots is not None:
            return one in self._slots[part & (_SLOTS - 1)]
        packed = _packed(one)
        if _holds(self._buckets[part & (len(self._buckets) - 1)], packed):
            return True
        return self._disk is not None and packed in self._disk

    def add(self, key: str) -> bool:
        """Add one key; return whether it is new. `unseen` adds many keys far faster."""
        return bool(self.unseen_places((key,)))

    def unseen(self, keys: Sequence[str]) -> list[str]:
        """Return the keys that are seen for the first time, each once, in their order, and add them.

        Raises:
            UsageError: a key is not a string.
            OutputError: the temporary store cannot be written.
        """
        return [keys[index] for index in self.unseen_places(keys)]

    def unseen_places(self, keys: Sequence[str]) -> list[int]:
        """Return the indices of the keys that are seen for the first time, in rising order, and add them.

        Raises:
            UsageError: a key is not a string.
            OutputError: the temporary store cannot be written.
        """
        try:
            if self._slots is not None:
                if self._in_memory + len(keys) <= self._most:
                    return self._into_sets(self._slots, keys)
                self._move(self._slots)
            return self._into_buckets(keys)
        except TypeError:
            wrong = next((key for key in keys if not isinstance(key, str)), keys)
            raise UsageError(f"{wrong!r} is not a key: a key is a string, as `Record.key`") from None

    def _into_sets(self, slots: list[set[int]], keys: Sequence[str]) -> list[int]:
        """Add keys to the sets and return the indices of the new ones; this loop takes 0.45 us for each new key."""
        indices: list[int] = []
        append = indices.append
        secret = self._secret
        if secret is None:
            for index, (part, one) in enumerate(local_digests(keys, None)):
                known = slots[part & 255]
                if one not in known:
                    known.add(one)
                    append(index)
        else:
            for index, key in enumerate(keys):
                part = hash(key)
                one = (hash(secret + key) << 64) + part
                known = slots[part & 255]
                if one not in known:
                    known.add(one)
                    append(index)
        self._in_memory += len(indices)
        return indices

    def _move(self, slots: list[set[int]]) -> None:
        """Move the keys from the first tier to the second, one set after the other."""
        self._slots = None
        count = _LEAST_BUCKETS
        while count * _FULL_BUCKET < 2 * self._in_memory:
            count *= 4
        self._buckets = buckets = [b""] * count
        shards = list({id(shard): shard for shard in slots}.values())
        slots.clear()
        while shards:
            for one in shards.pop():
                buckets[one & (count - 1)] += _packed(one)

    def _into_buckets(self, keys: Sequence[str]) -> list[int]:
        buckets = self._buckets
        full = self._is_full(len(keys))
        if self._in_memory + len(keys) > len(buckets) * _FULL_BUCKET and not full:
            buckets = self._more_buckets()
        mask = len(buckets) - 1
        indices: list[int] = []
        others: list[bytes] = []
        append = indices.append
        secret = self._secret
        for index, key in enumerate(keys):
            if secret is None:
                ((part, one),) = local_digests((key,), None)
                packed = _packed(one)
            else:
                part = hash(key)
                packed = _pack(part, hash(secret + key))
            bucket = buckets[part & mask]
            if packed not in bucket or not _holds(bucket, packed):
                append(index)
                if full:
                    others.append(packed)
                else:
                    buckets[part & mask] = bucket + packed
        if full:
            return [indices[number] for number in self._spilled(others)]
        self._in_memory += len(indices)
        return indices

    def _is_full(self, more: int) -> bool:
        return self._disk is not None or self._in_memory + more > self._most_packed

    def _more_buckets(self) -> list[bytes]:
        """Quadruple the number of buckets and return them."""
        old, self._buckets = self._buckets, [b""] * (4 * len(self._buckets))
        buckets, count = self._buckets, len(self._buckets)
        for number, bucket in enumerate(old):
            old[number] = b""
            for start in range(0, len(bucket), DIGEST_SIZE):
                packed = bucket[start : start + DIGEST_SIZE]
                buckets[int.from_bytes(packed[:8], "little") & (count - 1)] += packed
        return buckets

    def _spilled(self, others: list[bytes]) -> list[int]:
        """Add digests to the temporary store; return the indices of those that were not in it."""
        if not others:
            return []
        if self._disk is None:
            from urisieve.dedupe.temporary import TemporaryStore

            self._disk = TemporaryStore(self._folder, None if self._limit is None else self._limit // _DISK_SHARE)
        return self._disk.unseen_places(others)

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


def _packed(one: int) -> bytes:
    """Return a digest as bytes: the two hashes that it was made of."""
    part = ((one & _LOW) ^ _SIGN) - _SIGN
    return _pack(part, (one - part) >> 64)


def _holds(bucket: bytes, packed: bytes) -> bool:
    """Report whether a bucket holds a digest, at a multiple of the size of digests."""
    index = bucket.find(packed)
    while index % DIGEST_SIZE and index >= 0:
        index = bucket.find(packed, index + 1)
    return index >= 0
