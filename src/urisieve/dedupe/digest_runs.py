"""Digests on disk: sorted runs in private temporary files, in which a digest is looked up by few reads.

What is added at once is a run of its own. A run is merged with the one before while that is not twice as long, so that
there are few, and a digest is written about as often as the logarithm of their number. Many digests are looked up by
reading the runs from their beginning to their end; few by the blocks in which they would be.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from sys import byteorder

from urisieve.errors import OutputError
from urisieve.kernel import of_kernel
from urisieve.lean import Final

_SIZE: Final = 16  # of a digest, in bytes
# Digests that are read to look up one, and at most at once.
_BLOCK: Final = 512
_SPAN: Final = 65_536
# Digests that are in memory before they become a run.
_YOUNG: Final = 4_096


def spill_failure(folder: str | None, error: Exception) -> OutputError:
    """Return the error to raise if a temporary file in a folder cannot be made, read or written."""
    import tempfile

    reason = error.strerror if isinstance(error, OSError) else str(error)
    return OutputError(
        f"the temporary store in {folder or tempfile.gettempdir()}: {reason}; TMPDIR names another folder"
    )


def digests_of(joined: bytes) -> list[bytes]:
    """Return digests that are concatenated.

    >>> digests_of(b"a" * 16 + b"b" * 16)
    [b'aaaaaaaaaaaaaaaa', b'bbbbbbbbbbbbbbbb']
    """
    return [joined[at : at + _SIZE] for at in range(0, len(joined), _SIZE)]


def _ordered_digests(digests: Sequence[bytes]) -> tuple[bytes, list[int]]:
    first = dict(zip(reversed(digests), range(len(digests) - 1, -1, -1), strict=True))
    ordered = sorted(first)
    return b"".join(ordered), [first[digest] for digest in ordered]


def _merged_digests(one: bytes, other: bytes) -> bytes:
    return b"".join(sorted(digests_of(one) + digests_of(other)))


def _met_digests(asked: bytes, run: bytes) -> list[int]:
    held = frozenset(digests_of(run))
    return [index for index, digest in enumerate(digests_of(asked)) if digest in held]


def _mark_digests(marks: bytearray, asked: bytes, first: int, run: bytes) -> int:
    if not run:
        return first
    every = range(len(asked) // _SIZE)

    def digest_at(index: int) -> bytes:
        return asked[index * _SIZE : (index + 1) * _SIZE]

    first = bisect_left(every, run[:_SIZE], first, key=digest_at)  # a run may be a small part of what is asked
    end = bisect_right(every, run[-_SIZE:], first, key=digest_at)
    for index in _met_digests(asked[first * _SIZE : end * _SIZE], run):
        marks[first + index] = 1
    return end


# Sorts digests, each once, and returns for each of them the index at which it came first.
ordered_digests: Final[Callable[[list[bytes]], tuple[bytes, list[int]]]] = of_kernel(
    "ordered_digests", _ordered_digests
)
# Merges sorted digests, all of them different; and returns the indices of those that are among others.
merged_digests: Final[Callable[[bytes, bytes], bytes]] = of_kernel("merged_digests", _merged_digests)
met_digests: Final[Callable[[bytes, bytes], list[int]]] = of_kernel("met_digests", _met_digests)
# Sets the mark of each of some sorted digests, from an index on, that is in a run; returns the index of the first one
# that is beyond the run.
mark_digests: Final[Callable[[bytearray, bytes, int, bytes], int]] = of_kernel("mark_digests", _mark_digests)


class DigestRuns:
    """Different digests on disk.

    >>> runs = DigestRuns(None)
    >>> runs.add([bytes(16), b"a" * 16, bytes(16)]), runs.add([b"b" * 16, bytes(16)]), len(runs)
    ([0, 1], [0], 3)
    >>> runs.held([b"b" * 16, b"c" * 16]), runs.close()
    ({b'bbbbbbbbbbbbbbbb'}, None)

    Args:
        folder: the folder of the files, which are gone with the process; that of `tempfile` for None.

    Raises:
        OutputError: from every method, a file cannot be made, read or written.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._young: set[bytes] = set()
        self._runs: list[_SortedRun] = []

    def __len__(self) -> int:
        return len(self._young) + sum(map(len, self._runs))

    def held(self, digests: Iterable[bytes]) -> set[bytes]:
        """Return those of some digests that are on disk."""
        joined, _ = ordered_digests(list(digests))
        return {joined[at * _SIZE : (at + 1) * _SIZE] for at in self._found(joined)}

    def _found(self, joined: bytes) -> set[int]:
        """Return the indices of those of different digests, in their order, that are there."""
        try:
            found = {index for run in self._runs for index in run.met(joined)}
        except OSError as error:
            raise spill_failure(self._folder, error) from error
        if self._young:
            found.update([index for index, digest in enumerate(digests_of(joined)) if digest in self._young])
        return found

    def add(self, digests: Sequence[bytes]) -> list[int]:
        """Add digests; return the indices of those that are new, each once, in rising order."""
        joined, firsts = ordered_digests(list(digests))
        if found := self._found(joined):
            new = [index for index in range(len(firsts)) if index not in found]
            joined = b"".join([joined[index * _SIZE : (index + 1) * _SIZE] for index in new])
            firsts = [firsts[index] for index in new]
        if len(firsts) >= _YOUNG:
            self._settle(joined)
        else:
            self._young.update(digests_of(joined))
            if len(self._young) >= _YOUNG:
                self._settle(b"".join(sorted(self._young)))
                self._young = set()
        return sorted(firsts) if len(firsts) < len(digests) else list(range(len(digests)))

    def _settle(self, joined: bytes) -> None:
        """Write digests that are in their order."""
        runs = self._runs
        try:
            runs.append(_SortedRun(self._folder, [joined]))
            while len(runs) > 1 and len(runs[-2]) <= 2 * len(runs[-1]):
                made = _SortedRun(self._folder, _merged(runs[-2].spans(), runs[-1].spans()))
                for _ in range(2):
                    runs.pop().close()
                runs.append(made)
        except OSError as error:
            raise spill_failure(self._folder, error) from error

    def close(self) -> None:
        """Remove the files."""
        while self._runs:
            self._runs.pop().close()


class _SortedRun:
    """A sorted run in a file."""

    def __init__(self, folder: str | None, spans: Iterable[bytes]) -> None:
        import tempfile

        self._file = tempfile.TemporaryFile(dir=folder, prefix="urisieve-", suffix=".keys")  # noqa: SIM115 - it stays open
        self._count = 0
        self._firsts = array("Q")  # the first eight bytes of the first digest of each block, as a number
        try:
            for span in spans:
                self._file.write(span)
                starts = range(-self._count % _BLOCK * _SIZE, len(span), _BLOCK * _SIZE)
                self._firsts.extend([int.from_bytes(span[at : at + 8], "big") for at in starts])
                self._count += len(span) // _SIZE
            self._file.flush()
        except BaseException:  # a signal, too
            with suppress(OSError):  # what was not written is written then
                self._file.close()
            raise

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Close the file, which removes it."""
        self._file.close()

    def spans(self) -> Iterator[bytes]:
        """Yield the digests, many at once."""
        return (self._read(block, _SPAN // _BLOCK) for block in range(0, len(self._firsts), _SPAN // _BLOCK))

    def _read(self, block: int, number: int) -> bytes:
        self._file.seek(block * _BLOCK * _SIZE)
        return self._file.read(number * _BLOCK * _SIZE)

    def met(self, asked: bytes) -> Iterator[int]:
        """Yield the indices of those of some sorted digests that are in the run."""
        words = array("Q", asked)[::2]
        if byteorder == "little":
            words.byteswap()
        few = len(words) < len(self._firsts)
        for first, last, block, number in self._places(words) if few else self._stretches(words):
            for index in met_digests(asked[first * _SIZE : last * _SIZE], self._read(block, number)):
                yield first + index

    def _places(self, words: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
        """Yield for each digest its indices, and the block, or the blocks, in which it would be."""
        for index, word in enumerate(words):
            end = bisect_right(self._firsts, word)
            if end:
                block = max(0, bisect_left(self._firsts, word) - 1)
                yield index, index + 1, block, end - block

    def _stretches(self, words: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
        """Yield the same for many digests at once."""
        together = _SPAN // _BLOCK
        first = 0
        for block in range(0, len(self._firsts), together):
            following = self._firsts[block + together : block + together + 1]
            last = bisect_right(words, following[0]) if following else len(words)
            if first < last:
                yield first, last, block, together
            if following:
                first = bisect_left(words, following[0])  # with these eight bytes it may be in either


def _merged(one: Iterator[bytes], other: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the digests of two runs in their order."""
    left, right = next(one, b""), next(other, b"")
    while left and right:
        cut = min(left[-_SIZE:], right[-_SIZE:])
        ends = _end_of(left, cut), _end_of(right, cut)
        yield merged_digests(left[: ends[0]], right[: ends[1]])
        left, right = left[ends[0] :] or next(one, b""), right[ends[1] :] or next(other, b"")
    yield left or right
    yield from one
    yield from other


def _end_of(span: bytes, cut: bytes) -> int:
    """Return the end of the digests that are not beyond one, in bytes."""
    return _SIZE * bisect_right(range(len(span) // _SIZE), cut, key=lambda at: span[at * _SIZE : (at + 1) * _SIZE])
