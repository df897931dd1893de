"""The runs of a store: the entries of large batches, in pieces that are rows of its file.

A run is the entries of one batch, or of several that were merged. It is cut by the first bits of the digests into
pieces of 512 to 1,024, as digests are spread evenly: so a piece is found by its number, and each is a row. A digest may
be in several runs, of which the later one has what was added then; the number of a run says its age.

A batch is merged with the runs before it that are not three times as long as all after them. So there are few, and an
entry is written about as often as the logarithm of the number of batches, to the base of four. Digests that are in no
run are told by a filter in memory, once it pays to read all of them for it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, groupby, repeat

from urisieve.dedupe.digest_runs import mark_digests
from urisieve.dedupe.keyset import DIGEST_SIZE
from urisieve.dedupe.store.entry_pieces import (
    ENDS,
    EntryError,
    Piece,
    fault_of,
    merged,
    unpacked,
    words_of,
)
from urisieve.kernel import of_kernel
from urisieve.lean import Final, NamedTuple

# The most entries of a piece, on average; and the most bits by which a run is cut.
_PIECE: Final = 1_024
_MOST_BITS: Final = 30
# A run is merged with those after it unless it is so many times as long as they are together.
_TIMES: Final = 3
# A filter pays when one of so many digests of the store was asked for; it takes so many bytes a digest, in blocks.
_ASKED: Final = 512
_FILTER: Final = 2
_BLOCK: Final = 64
_COMBINED: Final = 8  # pieces of one batch that are merged before they are cut

# Enters digests into a filter, and returns the indices of those that may be in it; without the kernel there is none.
_filter_digests: Final[Callable[[bytearray, bytes], None] | None] = of_kernel("filter_digests", None)
_filtered_digests: Final[Callable[[bytearray, bytes], list[int]] | None] = of_kernel("filtered_digests", None)


class StoreRun(NamedTuple):
    """A run.

    Attributes:
        id: its number; a later one has a higher one.
        bits: how many bits of a digest are the number of its piece.
        keys: how many entries it has.
    """

    id: int
    bits: int
    keys: int

    def piece(self, start: int) -> int:
        """Return the number of the row of the piece in which digests are whose first 32 bits are a number."""
        return self.id << 32 | start >> (32 - self.bits)

    def end(self, row: int) -> int:
        """Return what the first 32 bits of the digests in a row are less than."""
        return ((row & (ENDS - 1)) + 1) << (32 - self.bits)

    def start(self, row: int) -> int:
        """Return the least of the first 32 bits of the digests in a row."""
        return (row & (ENDS - 1)) << (32 - self.bits)

    def check(self, row: int, digests: bytes) -> None:
        """Check that the first and the last one of some digests can be in a row.

        A changed bit in one of them would else hide all digests up to there, in this row and in others.

        Raises:
            EntryError: they cannot, or these are no digests.
        """
        if (
            not isinstance(digests, bytes)
            or not digests
            or len(digests) % DIGEST_SIZE
            or any(self.piece(int.from_bytes(one[:4], "big")) != row for one in (digests, digests[-DIGEST_SIZE:]))
        ):
            raise EntryError(f"piece {row} is not valid")

    @property
    def rows(self) -> tuple[int, int]:
        """The numbers of its first and its last row."""
        return self.piece(0), self.piece(ENDS - 1)


def bits_for(keys: int) -> int:
    """Return by how many bits so many entries are cut.

    >>> bits_for(0), bits_for(1_024), bits_for(1_025), bits_for(500_000)
    (0, 0, 1, 9)
    """
    return min(_MOST_BITS, (max(keys - 1, 0) // _PIECE).bit_length())


class StoreRuns:
    """The runs in the file of a store.

    Args:
        connection: the connection to it.
        memory: the most bytes of the filter.
        has_tables: whether the file has tables for runs.

    Raises:
        EntryError: from every method, a piece is damaged.
    """

    def __init__(self, connection: sqlite3.Connection, memory: int, *, has_tables: bool) -> None:
        self._connection = connection
        self._memory = memory // _BLOCK * _BLOCK
        self._has_tables = has_tables
        self._known: list[StoreRun] | None = None
        self._filter: bytearray | None = None
        self._room = self._asked = 0

    def forget_state(self) -> None:
        """Read anew which runs there are, as after a transaction that was given up."""
        self._known = None
        self._filter = None  # it may have been made when digests were gone that are back now

    @property
    def all(self) -> list[StoreRun]:
        """The runs, the oldest first."""
        if self._known is None:
            found = self._connection.execute("SELECT id, bits, keys FROM runs ORDER BY id") if self._has_tables else ()
            self._known = [StoreRun(*row) for row in found]
            if not all(
                type(one) is int and 0 <= one <= most
                for run in self._known
                for one, most in zip(run, (1 << 31, _MOST_BITS, 1 << 62), strict=True)
            ):
                self._known = None
                raise EntryError("a run has numbers that no run has")
        return self._known

    def __len__(self) -> int:
        return sum([run.keys for run in self.all])

    # ---------------------------------------------------------------- reading

    def met(self, joined: bytes) -> bytearray:
        """Return a byte for each of some sorted digests, 1 if it is in a run, else 0."""
        found = bytearray(len(joined) // DIGEST_SIZE)
        runs = self.all
        if not runs or not joined:
            return found
        likely = self._likely(joined)
        if likely is None or len(likely) > len(found) // 2:
            self._mark(found, joined)
        elif likely:
            marks = bytearray(len(likely))
            self._mark(marks, b"".join([joined[at * DIGEST_SIZE : (at + 1) * DIGEST_SIZE] for at in likely]))
            for at in compress(likely, marks):
                found[at] = 1
        return found

    def _mark(self, marks: bytearray, asked: bytes) -> None:
        """Set the marks of those of some sorted digests that are in a run."""
        words = words_of(asked)
        for run in self.all:
            first = 0
            for row, digests in self._asked_pieces(run, words):
                run.check(row, digests)
                first = mark_digests(marks, asked, first, digests)

    def _asked_pieces(self, run: StoreRun, words: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the pieces of a run in which digests would be, of which these are the first 64 bits; or all between."""
        bounds = run.piece(words[0] >> 32), run.piece(words[-1] >> 32)
        if len(words) > bounds[1] - bounds[0]:
            yield from self._connection.execute(
                "SELECT id, digests FROM pieces WHERE id BETWEEN ? AND ? ORDER BY id", bounds
            )
            return
        shift = 64 - run.bits
        for number, _ in groupby(words, shift.__rrshift__):
            row = run.id << 32 | number
            yield from self._connection.execute("SELECT id, digests FROM pieces WHERE id = ?", (row,))

    def _likely(self, joined: bytes) -> list[int] | None:
        """Return the indices of the digests that may be in a run; None if there is no filter."""
        if _filter_digests is None or _filtered_digests is None:
            return None
        if self._filter is None:
            self._asked += len(joined) // DIGEST_SIZE
            number = len(self)
            self._room = 2 * number
            size = min(self._memory, _FILTER * self._room) // _BLOCK * _BLOCK
            if self._asked * _ASKED < number or size < _BLOCK:
                return None
            made = bytearray(size)
            for (digests,) in self._connection.execute("SELECT digests FROM pieces"):
                if not isinstance(digests, bytes) or len(digests) % DIGEST_SIZE:
                    raise EntryError("a piece is not valid")
                _filter_digests(made, digests)
            self._filter = made
        return _filtered_digests(self._filter, joined)

    def between(self, low: int, high: int) -> list[Piece]:
        """Return the pieces in which digests are whose first 32 bits are in bounds, the oldest first."""
        return [
            piece
            for run in self.all
            for piece in self._connection.execute(
                "SELECT digests, entries FROM pieces WHERE id BETWEEN ? AND ? ORDER BY id",
                (run.piece(low), run.piece(high - 1)),
            )
        ]

    def _stretches(self, run: StoreRun, bits: int) -> Iterator[list[Piece]]:
        """Yield, for each value of the first bits of digests, the pieces of a run in which they are."""
        rows = self._connection.execute(
            "SELECT id, digests, entries FROM pieces WHERE id BETWEEN ? AND ? ORDER BY id", run.rows
        )
        row = next(rows, None)
        for number in range(1 << bits):
            end = (number + 1) << (32 - bits)
            found = []
            while row is not None and run.start(row[0]) < end:
                run.check(*row[:2])
                found.append((row[1], row[2]))
                if run.end(row[0]) > end:
                    break  # the next ones are in it, too
                row = next(rows, None)
            yield found

    def _side_by_side(self, runs: list[StoreRun], bits: int) -> Iterator[list[Piece]]:
        """Yield the same of several runs, the oldest first."""
        if not runs:
            return repeat([], 1 << bits)
        stretches = zip(*(self._stretches(run, bits) for run in runs), strict=True)
        return ([piece for some in found for piece in some] for found in stretches)

    def totals(self) -> tuple[int, list[int]]:
        """Return the sum of the counts of all entries, and their times, among them the first and the last one."""
        seen, times = 0, list[int]()
        for size, entries in (
            self._connection.execute("SELECT length(digests), entries FROM pieces") if self.all else ()
        ):
            values, numbers = unpacked(entries, size // DIGEST_SIZE)
            counts = [count for _, _, count, _ in values]
            seen += counts[0] * len(numbers) if len(counts) == 1 else sum(map(counts.__getitem__, numbers))
            for first, last, _, _ in values:
                times += (first, last)
            times = [min(times), max(times)] if times else []
        return seen, times

    def faults(self) -> Iterator[str]:
        """Read all runs, and yield what is wrong with them."""
        try:
            runs = {run.id: run for run in self.all}
        except EntryError as error:
            yield str(error)
            return
        if not self._has_tables:
            return
        found = dict.fromkeys(runs, 0)
        for row, digests, entries in self._connection.execute("SELECT id, digests, entries FROM pieces"):
            run = runs.get(row >> 32)
            if run is None:
                yield f"piece {row} is in no run"
            elif not isinstance(digests, bytes) or not isinstance(entries, bytes) or len(digests) % DIGEST_SIZE:
                yield f"the digests of piece {row} are not 16 bytes"
            else:
                found[run.id] += len(digests) // DIGEST_SIZE
                if fault := fault_of((digests, entries), run.start(row), run.end(row)):
                    yield f"the digests of piece {row} {fault}"
                yield from self._faults_of(row, (digests, entries))
        for run in runs.values():
            if found[run.id] != run.keys:
                yield f"run {run.id} has {found[run.id]} keys, not {run.keys}"

    def _faults_of(self, row: int, piece: Piece) -> Iterator[str]:
        from urisieve.syntax.times import LATEST

        try:
            values, _ = unpacked(piece[1], len(piece[0]) // DIGEST_SIZE)
        except EntryError:
            yield f"the entries of piece {row} are not valid"
            return
        for first, last, count, source in values:
            known = "SELECT 1 FROM sources WHERE id = ?"
            if not 0 <= first <= last <= LATEST:
                yield f"piece {row} has a time out of range"
            if count < 1:
                yield f"piece {row} has keys that were never seen"
            if source and self._connection.execute(known, (source,)).fetchone() is None:
                yield f"piece {row} has an unknown source"

    # ---------------------------------------------------------------- writing

    def add(self, pieces: list[Piece]) -> None:
        """Add entries as a run, merged with the runs before it that are not much longer; the oldest piece is first."""
        if len(pieces) > _COMBINED:
            pieces = [merged(pieces)]
        runs = self.all
        start = len(runs)
        together = number = sum([len(digests) for digests, _ in pieces]) // DIGEST_SIZE
        for index, run in reversed(list(enumerate(runs))):
            if run.keys <= together // _TIMES:
                start, number = index, together + run.keys
            together += run.keys
        joined = runs[start:]
        made = StoreRun(runs[-1].id + 1 if runs else 1, bits_for(number), 0)
        keys = 0

        def rows() -> Iterator[tuple[int, bytes, bytes]]:
            nonlocal keys
            width = ENDS >> made.bits
            for number, stretches in enumerate(self._side_by_side(joined, made.bits)):
                digests, entries = merged([*stretches, *pieces], number * width, (number + 1) * width)
                if digests:
                    keys += len(digests) // DIGEST_SIZE
                    yield made.id << 32 | number, digests, entries

        self._connection.executemany("INSERT INTO pieces VALUES (?, ?, ?)", rows())
        for run in joined:
            self._connection.execute("DELETE FROM pieces WHERE id BETWEEN ? AND ?", run.rows)
            self._connection.execute("DELETE FROM runs WHERE id = ?", (run.id,))
        made = made._replace(keys=keys)
        self._connection.execute("INSERT INTO runs VALUES (?, ?, ?)", made)
        self._known = [*runs[:start], made]
        if self._filter is not None and _filter_digests is not None:
            if len(self) > self._room and len(self._filter) < self._memory:
                self._filter = None  # a larger one is made
            else:
                for digests, _ in pieces:
                    _filter_digests(self._filter, digests)

    def remove(self, joined: bytes) -> None:
        """Remove sorted digests from all runs."""
        words = words_of(joined)
        for run in self.all if joined else ():
            keys = run.keys
            for row in [row for row, _ in self._asked_pieces(run, words)]:
                piece = self._connection.execute("SELECT digests, entries FROM pieces WHERE id = ?", (row,)).fetchone()
                before, left = piece[0], merged([piece], run.start(row), run.end(row), joined)
                keys -= (len(before) - len(left[0])) // DIGEST_SIZE
                if not left[0]:
                    self._connection.execute("DELETE FROM pieces WHERE id = ?", (row,))
                elif len(left[0]) < len(before):
                    self._connection.execute("UPDATE pieces SET digests = ?, entries = ? WHERE id = ?", (*left, row))
            if keys < run.keys:
                self._connection.execute("UPDATE runs SET keys = ? WHERE id = ?", (keys, run.id))
        self._known = None
