"""Pieces of entries: digests with what a store knows of each, as bytes.

A piece is a pair. Its digests are sorted, all of them different, and concatenated. Its entries are how many different
values they have (32 bits), these values in the order in which they come (for each the first time, the last time, the
count and the number of the source, 64 bits each), and for each digest the number of its values: nothing if all have the
same, else in 1, 2 or 4 bytes, as many as the number of values needs. All numbers have the lowest byte first.

A batch has few different values, so that a key takes 17 bytes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from struct import Struct
from sys import byteorder

from urisieve.dedupe.digest_runs import digests_of
from urisieve.dedupe.keyset import DIGEST_SIZE
from urisieve.kernel import of_kernel
from urisieve.lean import Final, TypeAlias

# First and last time, count, source.
Shared: TypeAlias = tuple[int, int, int, int]
# Digests and entries.
Piece: TypeAlias = tuple[bytes, bytes]

# The largest count, which is SQLite's largest integer. Counts beyond it stay at it.
MOST: Final = 2**63 - 1
ENDS: Final = 1 << 32
"""The end of the numbers that are the first 32 bits of digests."""
_NUMBER: Final = Struct("<I")
_SHARED: Final = Struct("<4q")
# How many pieces are merged at once.
_TOGETHER: Final = 64


class EntryError(ValueError):
    """The error if something that should be a piece of entries is none."""


def words_of(joined: bytes) -> Sequence[int]:
    """Return the first 64 bits of each of some digests as numbers.

    >>> list(words_of(bytes(15) + b"x" + bytes(7) + b"a" + bytes(8)))
    [0, 97]
    """
    words = array("Q", joined)[::2]
    if byteorder == "little":
        words.byteswap()
    return words


def _code(number: int) -> str:
    return "" if number < 2 else "B" if number <= 1 << 8 else "H" if number <= 1 << 16 else "I"


def packed(values: Sequence[Shared]) -> bytes:
    """Return the entries of digests that have some values.

    >>> packed([(1, 2, 3, 0)] * 1_000) == packed([(1, 2, 3, 0)]), len(packed([(1, 2, 3, 0)] * 1_000))
    (True, 36)
    """
    numbers: dict[Shared, int] = {}
    every = [numbers.setdefault(one, len(numbers)) for one in values]
    code = _code(len(numbers))
    listed = array(code, every) if code else array("B")
    if byteorder == "big":
        listed.byteswap()
    return b"".join((_NUMBER.pack(len(numbers)), *(_SHARED.pack(*one) for one in numbers), listed.tobytes()))


def _numbered(entries: bytes, count: int) -> tuple[int, Sequence[int]]:
    """Return how many different values entries have, and for each digest the index of its values, not verified."""
    if not isinstance(entries, bytes) or len(entries) < _NUMBER.size:
        raise EntryError("this is not a piece of entries")
    (number,) = _NUMBER.unpack_from(entries)
    start = _NUMBER.size + number * _SHARED.size
    code = _code(number)
    numbers: array[int] = array(code or "B")
    size = count * numbers.itemsize if code else 0
    if number > count or (count and not number) or len(entries) != start + size:
        raise EntryError("this is not a piece of entries")
    if not code:
        return number, bytes(count)
    numbers.frombytes(entries[start:])
    if byteorder == "big":
        numbers.byteswap()
    return number, numbers


def _values(entries: bytes, number: int) -> Shared:
    return _SHARED.unpack_from(entries, _NUMBER.size + number * _SHARED.size)


def unpacked(entries: bytes, count: int) -> tuple[list[Shared], Sequence[int]]:
    """Return the different values among the entries of some digests, and for each digest the index of its values.

    >>> unpacked(packed([(1, 2, 3, 0), (1, 2, 4, 0), (1, 2, 3, 0)]), 3)
    ([(1, 2, 3, 0), (1, 2, 4, 0)], array('B', [0, 1, 0]))

    Raises:
        EntryError: they are not so many entries.
    """
    number, numbers = _numbered(entries, count)
    if max(numbers, default=-1) >= number:
        raise EntryError("an entry has no values")
    return [_values(entries, index) for index in range(number)], numbers


def _combined(earlier: Shared, later: Shared) -> Shared:
    first, source = (later[0], later[3]) if later[0] < earlier[0] else (earlier[0], earlier[3])
    return first, max(earlier[1], later[1]), min(MOST, earlier[2] + later[2]), source


def _bounds(digests: bytes, low: int, high: int) -> tuple[int, int]:
    """Return the indices between which are those of sorted digests whose first 32 bits are in bounds."""
    every = range(len(digests) // DIGEST_SIZE)

    def first_of(end: int) -> int:
        return bisect_left(
            every, end, key=lambda at: int.from_bytes(digests[at * DIGEST_SIZE : at * DIGEST_SIZE + 4], "big")
        )

    return first_of(low), first_of(high)


def _merged(pieces: list[Piece], low: int, high: int, without: bytes = b"") -> Piece:
    rows: dict[bytes, Shared] = {}
    for digests, entries in pieces:
        if len(digests) % DIGEST_SIZE:
            raise EntryError("this is not a piece of entries")
        count, numbers = _numbered(entries, len(digests) // DIGEST_SIZE)
        start, end = _bounds(digests, low, high)  # a piece may be cut into many
        numbers = numbers[start:end]
        if max(numbers, default=-1) >= count:
            raise EntryError("an entry has no values")
        values = {number: _values(entries, number) for number in frozenset(numbers)}
        for digest, number in zip(digests_of(digests[start * DIGEST_SIZE : end * DIGEST_SIZE]), numbers, strict=True):
            row = values[number]
            rows[digest] = _combined(rows[digest], row) if digest in rows else row
    start, end = _bounds(without, low, high)
    ordered = sorted(rows.keys() - frozenset(digests_of(without[start * DIGEST_SIZE : end * DIGEST_SIZE])))
    return b"".join(ordered), packed([rows[digest] for digest in ordered])


_merged_few: Final[Callable[[list[Piece], int, int, bytes], Piece]] = of_kernel("merged_entries", _merged)


def merged(pieces: list[Piece], low: int = 0, high: int = ENDS, without: bytes = b"") -> Piece:
    """Merge pieces; of the entries of one digest counts are added, up to `MOST`, and the earliest first time stays.

    >>> old, new = (b"a" * 16, packed([(5, 6, 1, 7)])), (b"a" * 16 + b"b" * 16, packed([(8, 8, 1, 9)] * 2))
    >>> digests, entries = merged([old, new])
    >>> digests == b"a" * 16 + b"b" * 16, unpacked(entries, 2)[0]
    (True, [(5, 8, 2, 7), (8, 8, 1, 9)])

    Args:
        pieces: the pieces; of those with one first time the source of the first one counts.
        low: the least first 32 bits of digests.
        high: what they are less than.
        without: digests that are left out, sorted and concatenated.

    Raises:
        EntryError: one of them is not a piece.
    """
    try:
        while len(pieces) > _TOGETHER:
            pieces = [
                _merged_few(pieces[at : at + _TOGETHER], low, high, b"") for at in range(0, len(pieces), _TOGETHER)
            ]
        return _merged_few(pieces, low, high, without)
    except (ValueError, TypeError) as error:  # of the kernel, or a value of another type
        raise EntryError(str(error)) from error


def pieces_of(groups: Mapping[Shared, bytes]) -> list[Piece]:
    """Return digests, sorted and concatenated, with the values that they share, as pieces."""
    return [(digests, packed([shared])) for shared, digests in groups.items()]


def entries_of(piece: Piece) -> Iterator[tuple[bytes, Shared]]:
    """Yield the digests of a piece with their values.

    Raises:
        EntryError: it is not a piece.
    """
    digests = digests_of(piece[0])
    values, numbers = unpacked(piece[1], len(digests))
    return ((digest, values[number]) for digest, number in zip(digests, numbers, strict=True))


def piece_of(rows: Iterable[tuple[bytes, Shared]]) -> Piece:
    """Return rows, sorted by their digests, as a piece."""
    every = list(rows)
    return b"".join([digest for digest, _ in every]), packed([shared for _, shared in every])


def fault_of(piece: Piece, low: int, high: int) -> str:
    """Return what is wrong with the digests of a piece, whose first 32 bits are in bounds; "" if nothing."""
    digests = digests_of(piece[0])
    if sorted(frozenset(digests)) != digests:
        return "are not in their order"
    if not digests or not low <= int.from_bytes(digests[0][:4], "big") <= int.from_bytes(digests[-1][:4], "big") < high:
        return "are in the wrong place"
    return ""
