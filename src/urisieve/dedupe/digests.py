"""Digests of keys, which are held instead of the keys.

There are two kinds, both of 16 bytes. Among n distinct keys two share a digest with a probability of at most
n(n-1)/2 / 2**128 (the birthday bound): 1.5e-21 for a thousand million keys, and one half for about 2**64.

- `digest`: BLAKE2b (RFC 7693), the same in every process, for keys that are stored. 0.47 us a key.
- `local_digests`: for keys of a single process, the keyed hash of the interpreter (SipHash) taken twice, once with a
  secret before the key. 0.25 us a key. If the interpreter has a weaker hash, BLAKE2b is used.

`_md5` would take 0.21 us, but anybody can make two texts with the same MD5; BLAKE2b has no such weakness.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from urisieve.lean.hints import Final

__all__ = ["DIGEST_SIZE", "digest", "digests", "local_digests", "local_secret"]

DIGEST_SIZE: Final = 16
_LOW: Final = 0xFFFF_FFFF_FFFF_FFFF


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


def local_secret() -> str | None:
    """Return a secret with which `hash(secret + key) * 2**64 + hash(key)` is a digest of a key in this process.

    Return None if the hash of the interpreter is weaker than SipHash or has fewer than 64 bits.
    """
    if sys.hash_info.width != 64 or not sys.hash_info.algorithm.startswith("siphash"):
        return None
    return os.urandom(12).hex()


def local_digests(keys: Iterable[str], secret: str | None) -> list[tuple[int, int]]:
    """Return for each key an evenly distributed number of 64 bits and its digest, both valid in this process only."""
    if secret is None:
        wide = [int.from_bytes(one, "little", signed=True) for one in digests(keys)]
        return [(one & _LOW, one) for one in wide]
    return [(part := hash(key), (hash(secret + key) << 64) + part) for key in keys]
