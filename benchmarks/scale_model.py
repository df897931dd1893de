"""What a run over very much text costs, by formulas: no figure here is measured but those that are passed in."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = [
    "MIB",
    "Corpus",
    "Rates",
    "collisions",
    "cost_per_byte_and_identifier",
    "largest_bucket",
    "shuffle",
    "stages",
]

MIB = 1 << 20
_HOUR = 3_600


class Corpus(NamedTuple):
    """How much there is."""

    size: float
    """Bytes of text."""
    identifiers: float
    distinct: float
    """The share of the identifiers that are the first of their key."""


class Rates(NamedTuple):
    """What one core takes, in seconds, and sizes, in bytes."""

    inflate: float
    """To decompress a byte of text."""
    byte: float
    """To pass a byte of text through the engine and search it."""
    identifier: float
    """To make the columns of an identifier, beside that."""
    write: float
    """To write an identifier to Parquet."""
    first: float
    """To read an identifier, and to keep it if it is the first of its key: digest, shuffle, join."""
    stored: float
    """Bytes of an identifier in Parquet."""
    shuffled: float
    """Bytes of an identifier in the shuffles of this."""


class Stage(NamedTuple):
    """A part of the work."""

    name: str
    core_hours: float
    moved: float
    """Bytes that go to a disk or over a network."""


class Shuffle(NamedTuple):
    """What moves between the tasks of two stages."""

    maps: int
    reducers: int
    blocks: int
    """One for each pair of a map and a reducer."""
    block: float
    """The mean size of one, in bytes."""
    statuses: float
    """The bytes by which the driver knows the sizes of blocks, with one byte a block."""
    seek_hours: float
    """Hours of one disk that looks for each block, at the time of a seek."""


def cost_per_byte_and_identifier(
    sparse: tuple[float, float, float], dense: tuple[float, float, float]
) -> tuple[float, float]:
    """The seconds of a byte and of an identifier, from two texts: bytes, identifiers and seconds of each.

    A text with B bytes and N identifiers takes B*b + N*n seconds; two texts of unlike density give b and n.
    """
    (bytes_1, count_1, seconds_1), (bytes_2, count_2, seconds_2) = sparse, dense
    determinant = bytes_1 * count_2 - bytes_2 * count_1
    byte = (seconds_1 * count_2 - seconds_2 * count_1) / determinant
    return byte, (bytes_1 * seconds_2 - bytes_2 * seconds_1) / determinant


def stages(corpus: Corpus, rates: Rates) -> list[Stage]:
    """The stages of a run that extracts, and keeps the first of each key."""
    count = corpus.identifiers
    first = count * corpus.distinct
    extract = corpus.size * rates.byte + count * rates.identifier
    return [
        Stage("decompress", corpus.size * rates.inflate / _HOUR, 0),
        Stage("`extract`", extract / _HOUR, corpus.size),
        Stage("write identifiers", count * rates.write / _HOUR, count * rates.stored),
        Stage("`deduplicate`", count * rates.first / _HOUR, count * (2 * rates.stored + rates.shuffled)),
        Stage("write the first of each", first * rates.write / _HOUR, first * rates.stored),
    ]


def shuffle(corpus: Corpus, map_size: float, reducers: int, row: float, seek: float) -> Shuffle:
    """What is shuffled if a map reads `map_size` bytes of text and each identifier is a row of `row` bytes."""
    maps = math.ceil(corpus.size / map_size)
    blocks = maps * reducers
    return Shuffle(maps, reducers, blocks, corpus.identifiers * row / blocks, blocks, blocks * seek / _HOUR)


def collisions(keys: float, bits: int) -> float:
    """How many pairs of different keys are expected to share a digest of so many bits (the birthday bound)."""
    return keys * keys / 2.0 / 2.0**bits


def largest_bucket(keys: float, buckets: int) -> float:
    """The largest of some buckets against the mean, if each key falls into one by chance: 1 + sqrt(2 ln B / mean)."""
    return 1.0 + math.sqrt(2.0 * math.log(buckets) * buckets / keys) if buckets > 1 else 1.0
