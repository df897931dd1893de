"""The entries of a store: those of its table `keys`, which are young, and those of its runs.

The table has, for the 16-byte digest of each key, when it was first and last seen, how often and in which source first.
Digests are added to it in sorted batches, so that a batch walks the tree from left to right. A large batch, with what
has gathered in the table, becomes a run (`StoreRuns`), which costs far less. A key may be in both, and in several runs:
what is known of it is that of all these together, of which the table is the youngest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress

from urisieve.dedupe.digest_runs import digests_of, mark_digests
from urisieve.dedupe.keyset import DIGEST_SIZE
from urisieve.dedupe.store import store_file
from urisieve.dedupe.store.entry_pieces import (
    ENDS,
    MOST,
    Piece,
    Shared,
    entries_of,
    merged,
    piece_of,
    pieces_of,
    unpacked,
)
from urisieve.dedupe.store.store_runs import StoreRuns, bits_for
from urisieve.lean import Any, Final, NamedTuple
from urisieve.syntax.times import LATEST

# So many keys become a run, at once or when they have gathered: fewer cost less in the table.
_LARGE: Final = 65_536
# The rows of the table that are in memory at once, as objects; and for how many keys one bit fewer is read at once.
_AT_ONCE: Final = 4 * _LARGE
_STRETCH: Final = 4
# Digests of a statement, which come as one piece of memory: 0.3 us a digest, against 0.9 us as values of rows.
CHUNK: Final = 10_000
# The fewest digests for which a statement of their own pays.
_FEW: Final = 8

_EACH: Final = (
    f"WITH RECURSIVE each (at) AS (SELECT 1 UNION ALL SELECT at + {DIGEST_SIZE} FROM each WHERE at <= ?2 - "
    f"{DIGEST_SIZE}) "
)
# `met` tells of a digest that is in the store already, in the one walk that adds what is not: `open_store` defines it.
_UPSERT: Final = (
    "INSERT INTO keys (digest, first, last, count, source) {} ON CONFLICT (digest) DO UPDATE SET "
    "source = CASE WHEN excluded.first < first THEN excluded.source ELSE source END, "
    "first = min(first, excluded.first), "
    "last = max(last, excluded.last) + (met(excluded.digest) IS NOT NULL), "
    f"count = CASE WHEN count > {MOST} - excluded.count THEN {MOST} ELSE count + excluded.count END"
)
_PUT_ONE: Final = _UPSERT.format("VALUES (?, ?, ?, ?, ?)")
_PUT: Final = _EACH + _UPSERT.format(f"SELECT substr(?1, at, {DIGEST_SIZE}), ?3, ?4, ?5, ?6 FROM each WHERE true")


class Gathered(NamedTuple):
    """Digests on their way to a store.

    Attributes:
        digests: all of them, sorted, each once, concatenated.
        firsts: for each of them the index of the key that came first.
        groups: counts and sources, each with the digests that have it, sorted and concatenated.
    """

    digests: bytes
    firsts: list[int]
    groups: list[tuple[int, int, bytes]]


def gathered(found: Sequence[bytes], counts: Sequence[int], sources: Sequence[int]) -> Gathered:
    """Gather digests, of which the first one has the source, and the counts are added up to `MOST`."""
    first: dict[bytes, int] = dict(zip(reversed(found), range(len(found) - 1, -1, -1), strict=True))
    number: dict[bytes, int] = dict.fromkeys(first, 0)
    for digest, count in zip(found, counts, strict=True):
        number[digest] = min(MOST, number[digest] + count)
    groups: dict[tuple[int, int], list[bytes]] = {}
    every = sorted(first)
    for digest in every:
        groups.setdefault((number[digest], sources[first[digest]]), []).append(digest)
    joined = [(*values, b"".join(some)) for values, some in sorted(groups.items())]
    return Gathered(b"".join(every), [first[digest] for digest in every], joined)


def _put(connection: store_file.StoreConnection, groups: Mapping[Shared, bytes]) -> set[bytes]:
    """Add rows to the keys of a store; return the digests that were in it.

    Args:
        connection: the connection to the store.
        groups: different digests, sorted and concatenated, by the other values of their rows; counts are from 1 to
            `MOST`.
    """
    met = connection.met
    met.clear()
    others: list[tuple[bytes, int, int, int, int]] = []
    for shared, members in groups.items():
        if len(members) < _FEW * DIGEST_SIZE:
            others += [(members[at : at + DIGEST_SIZE], *shared) for at in range(0, len(members), DIGEST_SIZE)]
            continue
        for some in _pieces(members):
            connection.execute(_PUT, (some, len(some), *shared))
    connection.executemany(_PUT_ONE, sorted(others))
    old = set(met)
    met.clear()
    return old


def _pieces(joined: bytes) -> Iterator[bytes]:
    """Yield digests, many concatenated."""
    size = CHUNK * DIGEST_SIZE
    return (joined[start : start + size] for start in range(0, len(joined), size))


class StoreEntries:
    """The entries in the file of a store; what they change is part of the transaction that is open.

    Args:
        path: the path of the store, for messages.
        connection: the connection to it.
        cache: the bytes of it that are kept in memory.

    Raises:
        EntryError: from every method, a run is damaged.
        StoreError: from every method, an entry of the table or the number of keys is not valid.
    """

    def __init__(self, path: str, connection: store_file.StoreConnection, cache: int) -> None:
        self._path = path
        self._connection = connection
        self._runs = StoreRuns(connection, cache // 2, has_tables=connection.layout == store_file.LAYOUT)
        self.forget_state()

    def forget_state(self) -> None:
        """Read anew what is known of the tables, as after a transaction that was given up."""
        self._known_number: int | None = None
        self._known_young: int | None = None
        self._runs.forget_state()

    # ---------------------------------------------------------------- reading

    def number(self) -> int:
        """Return the number of different keys."""
        if self._known_number is None:
            if self._connection.layout == store_file.LAYOUT:
                number = store_file.setting(self._path, self._connection, store_file.NUMBER)
            else:
                number = self._connection.execute("SELECT count(*) FROM keys").fetchone()[0]
            if not isinstance(number, int) or number < 0:
                raise store_file.damage(self._path, "the number of its keys is not valid")
            self._known_number = number
        return self._known_number

    def has(self, digest: bytes) -> bool:
        """Report whether the key of a digest is among them."""
        row = self._connection.execute("SELECT 1 FROM keys WHERE digest = ?", (digest,)).fetchone()
        return row is not None or self._runs.met(digest) == b"\1"

    def totals(self) -> tuple[int, int | None, int | None]:
        """Return how often all keys were seen together, and the first and the last time; None for no valid one."""
        # The sum of large counts may exceed an integer of SQLite.
        high, low, first, last = self._connection.execute(
            "SELECT coalesce(sum(count >> 32), 0), coalesce(sum(count & 4294967295), 0), min(first), max(last) "
            "FROM keys"
        ).fetchone()
        seen, times = self._runs.totals()
        times += [moment for moment in (first, last) if isinstance(moment, int)]
        return seen + (high << 32) + low, min(times, default=None), max(times, default=None)

    def rows(self) -> Iterator[tuple[bytes, int, int, int, int]]:
        """Yield digest, first and last time, count and source of all keys in the order of the digests.

        What is changed meanwhile does not disturb it: a stretch of digests is read when it is their turn.
        """
        for low, high in self._stretches():
            if self._runs.between(low, high):
                yield from ((digest, *shared) for digest, shared in entries_of(self._piece(low, high)))
            else:
                yield from self._young_rows(low, high)

    def seen_before(self, moment: int) -> Iterator[bytes]:
        """Yield the digests of the keys that were last seen before a time, many of them sorted and concatenated."""
        found = bytearray()
        for bounds in self._stretches():
            digests, entries = self._piece(*bounds)
            every = digests_of(digests)
            values, numbers = unpacked(entries, len(every))
            chosen = [last < moment for _, last, *_ in values]
            if all(chosen):
                found += digests
            elif any(chosen):
                found += b"".join(compress(every, map(chosen.__getitem__, numbers)))
            if len(found) >= _AT_ONCE * DIGEST_SIZE:
                yield bytes(found)
                found.clear()
        yield bytes(found)

    def faults(self) -> list[str]:
        """Read all of them and return what is wrong as texts; empty for nothing."""
        found = []
        for condition, meaning in (
            (f"typeof(digest) <> 'blob' OR length(digest) <> {DIGEST_SIZE}", "digests are not 16 bytes"),
            (
                " OR ".join(f"typeof({name}) <> 'integer'" for name in ("first", "last", "count", "source")),
                "keys have a time, a count or a source that is not an integer",
            ),
            (f"first < 0 OR last > {LATEST}", "keys have a time out of range"),
            ("count < 1", "keys were never seen"),
            ("first > last", "keys were last seen before they were first seen"),
            ("source <> 0 AND source NOT IN (SELECT id FROM sources)", "keys have an unknown source"),
        ):
            number = self._connection.execute(f"SELECT count(*) FROM keys WHERE {condition}").fetchone()[0]
            if number:
                found.append(f"{number} {meaning}")
        return [*found, *self._runs.faults()]

    def counted(self) -> int:
        """Read all of them and return how many different keys there are."""
        return sum(len(self._piece(*bounds)[0]) for bounds in self._stretches()) // DIGEST_SIZE

    def _stretches(self) -> Iterator[tuple[int, int]]:
        """Yield bounds for the first 32 bits of digests, between which there are some thousands."""
        width = ENDS >> bits_for(self.number() // _STRETCH)
        return ((low, low + width) for low in range(0, ENDS, width))

    def _piece(self, low: int, high: int) -> Piece:
        """Return the entries in some bounds."""
        young = piece_of([(row[0], row[1:]) for row in self._checked(self._young_rows(low, high))])
        return merged([*self._runs.between(low, high), young], low, high)

    def _young_rows(self, low: int, high: int) -> list[Any]:
        """Return the rows of the table whose digests have their first 32 bits in bounds."""
        bounds = [
            f"digest {sign} x'{bound:08x}'" for sign, bound in ((">=", low), ("<", high)) if 0 < bound < ENDS
        ]  # what is no digest is before or after all of them
        where = f"WHERE {' AND '.join(bounds)} " if bounds else ""
        return self._connection.execute(f"SELECT * FROM keys {where}ORDER BY digest").fetchall()

    def _checked(self, rows: list[Any]) -> list[Any]:
        """Return rows of the table, which are valid."""
        if not all(map(store_file.is_row, rows)):
            raise store_file.damage(self._path, "an entry is not valid")
        return rows

    # ---------------------------------------------------------------- writing

    def put(self, joined: bytes, groups: Mapping[Shared, bytes]) -> bytearray:
        """Add entries; return a byte for each of the digests, 1 if it was among the keys, else 0.

        Args:
            joined: different digests, sorted and concatenated.
            groups: the same by the other values of their entries; counts are from 1 to `MOST`.
        """
        number = len(joined) // DIGEST_SIZE
        before = self.number()
        if number >= _LARGE:
            pieces = self._taken_young()
            old = self._runs.met(joined)
            for digests, _ in pieces:
                mark_digests(old, joined, 0, digests)
            self._runs.add([*pieces, *pieces_of(groups)])
        else:
            young = self._number_of_young()
            held = _put(self._connection, groups)
            old = self._runs.met(joined)
            if held:
                mark_digests(old, joined, 0, b"".join(sorted(held)))
            self._known_young = young + number - len(held)
            if self._known_young >= _LARGE:
                self._runs.add(self._taken_young())
        self._known_number = before + old.count(0)
        return old

    def remove(self, joined: bytes) -> int:
        """Remove keys by their digests, different ones, sorted and concatenated; return how many there were."""
        before = self.number()
        if len(joined) >= _LARGE * DIGEST_SIZE and (young := self._taken_young()):
            self._runs.add(young)
        gone = self._runs.met(joined)
        if self._number_of_young():
            for index, digest in enumerate(digests_of(joined)):
                if self._connection.execute("DELETE FROM keys WHERE digest = ?", (digest,)).rowcount:
                    gone[index] = 1
        self._runs.remove(joined)
        self._known_young = None
        number = gone.count(1)
        self._known_number = before - number
        return number

    def write_number(self) -> None:
        """Write the number of different keys, if it may have changed; it is part of the transaction as they are."""
        if self._known_number is not None:
            self._connection.execute(
                "UPDATE meta SET value = ? WHERE name = ?", (self._known_number, store_file.NUMBER)
            )

    def _number_of_young(self) -> int:
        if self._known_young is None:
            self._known_young = int(self._connection.execute("SELECT count(*) FROM keys").fetchone()[0])
        return self._known_young

    def _taken_young(self) -> list[Piece]:
        """Remove the rows of the table, and return them; of many, as of the layout before, most become runs."""
        if not self._number_of_young():
            return []
        rows = self._connection.execute("SELECT * FROM keys ORDER BY digest")
        taken: list[Piece] = []
        while some := rows.fetchmany(_AT_ONCE):
            if taken:
                self._runs.add(taken)
            taken = [piece_of([(row[0], row[1:]) for row in self._checked(some)])]
        self._connection.execute("DELETE FROM keys")
        self._known_young = 0
        return taken
