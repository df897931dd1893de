"""Small trials of what happens to keys on many machines: which blocks a shuffle has, and runs against older digests."""

from __future__ import annotations

import heapq
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import urlsplit

__all__ = ["DIGEST", "Merged", "Shuffled", "digest", "host", "merge_new", "shuffled", "trial_of_days"]

DIGEST = 16


class Shuffled(NamedTuple):
    """A shuffle that was tried.

    Attributes:
        rows: the rows that moved, of those that there were.
        blocks: the pairs of a map and a reducer between which something moved.
        largest: the rows of the largest block against the mean of all.
        reducer: the rows of the fullest reducer against the mean.
    """

    rows: int
    blocks: int
    largest: float
    reducer: float


class Merged(NamedTuple):
    """A day against the digests of the days before.

    Attributes:
        new: how many digests of the day are new.
        seconds: processor time.
        read: bytes of older digests that were read.
        largest: the largest bucket against the mean.
    """

    new: int
    seconds: float
    read: int
    largest: float


def digest(key: str) -> bytes:
    """The digest of a key, as stores have it."""
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=DIGEST).digest()


def host(key: str) -> bytes:
    """A digest of the host of a key: what a shuffle by host goes by."""
    return digest(urlsplit(key).netloc)


def shuffled(
    keys: Sequence[str], maps: int, reducers: int, by: Callable[[str], bytes] = digest, *, combine: bool
) -> Shuffled:
    """Move keys from maps to reducers.

    Args:
        keys: the keys in their order; each map has as many that stand together.
        maps: how many maps there are.
        reducers: how many reducers there are.
        by: a digest of a key that decides its reducer.
        combine: whether a map moves each of its keys once.
    """
    count = len(keys)
    blocks: Counter[tuple[int, int]] = Counter()
    for number in range(maps):
        part = keys[number * count // maps : (number + 1) * count // maps]
        for key in dict.fromkeys(part) if combine else part:
            blocks[number, int.from_bytes(by(key)[:8], "big") % reducers] += 1
    rows = blocks.total()
    of_reducer: Counter[int] = Counter()
    for (_, reducer), size in blocks.items():
        of_reducer[reducer] += size
    mean = rows / (maps * reducers)
    return Shuffled(rows, len(blocks), max(blocks.values()) / mean, max(of_reducer.values()) / (rows / reducers))


def merge_new(old: bytes, fresh: Sequence[bytes]) -> tuple[list[bytes], bytes]:
    """The digests that a sorted bucket does not hold, and the bucket with them; both are read once, in order.

    Args:
        old: the digests of a bucket, sorted and joined.
        fresh: sorted digests, each once.
    """
    known = _each(old)
    new: list[bytes] = []
    head = next(known, None)
    for one in fresh:
        while head is not None and head < one:
            head = next(known, None)
        if head != one:
            new.append(one)
    return new, b"".join(heapq.merge(_each(old), new))


def _each(joined: bytes) -> Iterator[bytes]:
    return (joined[start : start + DIGEST] for start in range(0, len(joined), DIGEST))


def trial_of_days(days: int, a_day: int, repeated: float, buckets: int, seed: int = 9562) -> list[Merged]:
    """Take days of digests, a share of each from the days before, to buckets by prefix.

    Raises:
        AssertionError: a set of all digests says something else.
    """
    chance = random.Random(seed)
    kept = [b""] * buckets
    seen: set[bytes] = set()
    everything: list[bytes] = []
    results = []
    for _ in range(days):
        again = chance.choices(everything, k=int(a_day * repeated)) if everything else []
        day = [*again, *(chance.randbytes(DIGEST) for _ in range(a_day - len(again)))]
        chance.shuffle(day)
        started = time.process_time()
        parts: list[list[bytes]] = [[] for _ in range(buckets)]
        for one in day:
            parts[int.from_bytes(one[:4], "big") * buckets >> 32].append(one)
        read = sum(map(len, kept))
        new = []
        for number, part in enumerate(parts):
            found, kept[number] = merge_new(kept[number], sorted(set(part)))
            new.extend(found)
        seconds = time.process_time() - started
        expected = set(day) - seen
        assert set(new) == expected
        assert len(new) == len(expected)
        seen |= expected
        everything.extend(new)
        sizes = [len(bucket) for bucket in kept]
        results.append(Merged(len(new), seconds, read, max(sizes) / (sum(sizes) / buckets)))
    return results
