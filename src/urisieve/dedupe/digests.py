"""Digests of keys, which are held instead of the keys.

A digest is BLAKE2b (RFC 7693) of 16 bytes, the same in every process; 0.47 us a key. Among n distinct keys two share a
digest with a probability of at most n(n-1)/2 / 2**128 (the birthday bound): 1.5e-21 for a thousand million keys, one
half for about 2**64. The kernel has a quicker digest for the keys of a single process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from urisieve.errors import UsageError
from urisieve.lean.hints import Final, NoReturn

__all__ = ["DIGEST_SIZE", "DigestSet", "digest", "digests"]

DIGEST_SIZE: Final = 16
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
    """A set of keys in memory, held as digests; the kernel has its own."""

    def __init__(self) -> None:
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

    def absent(self, keys: Sequence[str]) -> tuple[list[int], list[bytes]]:
        """Return the indices of the keys that the set does not hold, and their digests."""
        made = digests(keys)
        indices = [index for index, one in enumerate(made) if _number(one) not in self._held]
        return indices, [made[index] for index in indices]


def _number(one: bytes) -> int:
    return int.from_bytes(one, "little")
