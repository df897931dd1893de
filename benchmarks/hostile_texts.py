"""Hostile texts of any size, and prose with as many links: written in tiles, no two of which are alike.

In a unit `¤` stands for a letter that is another one each time, so that no memory of hosts or links has seen it.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

__all__ = ["FIRST", "LAST", "Make", "filled", "joined", "prose", "repeated"]

Make = Callable[[int], Iterator[bytes]]
"""Gives the blocks of a file of about so many bytes."""

FIRST = b"http://first.example/1"
LAST = b"http://last.example/2"
_SEED = 20261122
_TILE = 1_000_000
# Letters that stand in no scheme and no percent-encoding, and the bytes that stand for them in a tile. Their number is
# prime, and the exchanges are affine maps of it, any two of which agree in one letter at most.
_LETTERS = b"gijklmnoruvyz"
_PLACES = bytes(range(0x0E, 0x0E + len(_LETTERS)))
_MODULO = bytes(_PLACES[value % len(_PLACES)] for value in range(256))
_MARK = "¤".encode()


def filled(unit: str | bytes, size: int, seed: int = _SEED) -> Iterator[bytes]:
    """About `size` bytes of a unit again and again, with other letters in the place of its marks."""
    data = unit if isinstance(unit, bytes) else unit.encode("utf-8", "surrogatepass")
    count = max(1, min(size, _TILE) // len(data.replace(_MARK, b"-")))
    pieces = (data * count).split(_MARK)
    letters = random.Random(seed).randbytes(len(pieces) - 1).translate(_MODULO)
    tile = b"".join(itertools.chain.from_iterable(zip(pieces, map(_byte, letters), strict=False))) + pieces[-1]
    for number in range(max(1, round(size / len(tile)))):
        yield tile.translate(_exchange(number)) if letters else tile


def _byte(value: int) -> bytes:
    return bytes((value,))


def _exchange(number: int) -> bytes:
    count = len(_LETTERS)
    factor, shift = 1 + number // count % (count - 1), number % count
    return bytes.maketrans(_PLACES, bytes(_LETTERS[(factor * place + shift) % count] for place in range(count)))


def joined(*pieces: bytes | Iterator[bytes]) -> Iterator[bytes]:
    """Blocks of all the pieces."""
    for piece in pieces:
        if isinstance(piece, bytes):
            yield piece
        else:
            yield from piece


def repeated(unit: str | bytes, head: str = "", tail: str = "", *, around: bytes = b"\n\n") -> Make:
    """A text of one unit, between two links that must be found."""
    before = FIRST + around + head.encode("utf-8", "surrogatepass")
    after = tail.encode("utf-8", "surrogatepass") + around + LAST + b"\n"
    return lambda size: joined(before, filled(unit, size), after)


# A link and the blank behind it, at the least.
_CLOSEST = 16
_LONGEST = 48
_LINE = 76


def prose(density: float, line: Callable[[str], str] = str) -> tuple[str, float]:
    """A unit of prose with so many links a megabyte, and how many it has, which is less where they would touch.

    Args:
        density: links for each million bytes.
        line: makes what a format wants of a line of prose.
    """
    chance = random.Random(_SEED)
    spacing = max(_CLOSEST, 1_000_000 / density) if density else 1e9
    lines: list[str] = []
    written, links, due = 0, 0, spacing / 2
    while written < _TILE // 4 or (density and not links and written < 8 * _TILE):
        words: list[str] = []
        length = 0
        while length < _LINE:
            if written + length >= due:
                room = min(_LONGEST, int(spacing) - 1)
                path = max(0, room - 25)
                words.append(f"http://{'¤' * (min(room - path, 25) - 11)}.com/{'¤' * path}".rstrip("/"))
                links += 1
                due += spacing
            else:
                words.append("¤" * chance.randint(2, 9))
            length += len(words[-1]) + 1
        written += length
        lines.append(line(" ".join(words)))
    return "".join(lines), links / sum(map(len, lines)) * 1e6
