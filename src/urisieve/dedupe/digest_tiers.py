"""Digests of keys in memory, in Python: fast, then packed.

1. sets of integers, about 90 bytes a key. There are eight, of unequal shares, so that they do not all grow at once:
   a set that has just grown takes twice the space, and a single large set would exceed 100 bytes a key then;
2. packed: the digests of a bucket in one string of bytes, about 35 bytes a key, at one and a half times the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct

from urisieve.dedupe.digests import DIGEST_SIZE, local_digests, local_secret
from urisieve.errors import UsageError
from urisieve.lean.hints import Final, NoReturn

__all__ = ["DigestTiers"]

# Bytes a key in each tier, measured with 5 and 20 million keys and rounded up: the number of keys that fit is computed
# from them.
_SET_KEY: Final = 125  # includes the memory for moving to the next tier
_PACKED_KEY: Final = 38
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


class DigestTiers:
    """A set of keys in memory, held as digests that are valid in this process only."""

    def __init__(self) -> None:
        self._secret = local_secret()
        self._slots: list[set[int]] | None = _slots()
        self._buckets: list[bytes] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: str) -> bool:
        ((part, one),) = local_digests((key,), self._secret)
        if self._slots is not None:
            return one in self._slots[part & (_SLOTS - 1)]
        return _holds(self._buckets[part & (len(self._buckets) - 1)], _packed(one))

    def digest(self, key: str) -> bytes:
        """Return the digest of a key."""
        ((_, one),) = local_digests((key,), self._secret)
        return _packed(one)

    def __reduce__(self) -> NoReturn:
        raise UsageError("a set of digests cannot be pickled or copied: they mean nothing outside of its process")

    def has_room(self, more: int, limit: int) -> bool:
        """Report whether some more keys fit into a number of bytes; the first tier is left if they do not fit there."""
        count = self._count + more
        if self._slots is not None:
            if count <= limit // _SET_KEY:
                return True
            self._move(self._slots)
        return count <= limit // _PACKED_KEY

    def unseen_indices(self, keys: Sequence[str]) -> list[int]:
        """Add keys; return the indices of those that are new."""
        if self._slots is not None:
            return self._into_sets(self._slots, keys)
        return self._into_buckets(keys)

    def absent(self, keys: Sequence[str]) -> tuple[list[int], list[bytes]]:
        """Return the indices of the keys that the set does not hold, and their digests."""
        if self._slots is not None:
            self._move(self._slots)
        buckets, mask = self._buckets, len(self._buckets) - 1
        indices: list[int] = []
        digests: list[bytes] = []
        for index, (part, one) in enumerate(local_digests(keys, self._secret)):
            packed = _packed(one)
            if not _holds(buckets[part & mask], packed):
                indices.append(index)
                digests.append(packed)
        return indices, digests

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
        self._count += len(indices)
        return indices

    def _move(self, slots: list[set[int]]) -> None:
        """Move the keys from the first tier to the second, one set after the other."""
        self._slots = None
        count = _LEAST_BUCKETS
        while count * _FULL_BUCKET < 2 * self._count:
            count *= 4
        self._buckets = buckets = [b""] * count
        shards = list({id(shard): shard for shard in slots}.values())
        slots.clear()
        while shards:
            for one in shards.pop():
                buckets[one & (count - 1)] += _packed(one)

    def _into_buckets(self, keys: Sequence[str]) -> list[int]:
        """Add keys to the buckets and return the indices of the new ones."""
        buckets = self._buckets
        if self._count + len(keys) > len(buckets) * _FULL_BUCKET:
            buckets = self._more_buckets()
        mask = len(buckets) - 1
        indices: list[int] = []
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
                buckets[part & mask] = bucket + packed
        self._count += len(indices)
        return indices

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
