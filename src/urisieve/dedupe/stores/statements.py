"""SQL statements for many digests at once: 0.9 us a row, against 2.5 us with one row a statement."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.lean.hints import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["CHUNK", "MOST", "Row", "upsert", "upsert_alike"]

# Rows of a statement: with more each row is slower (with 500, three times), with fewer there are more calls.
CHUNK: Final = 100
# The largest count, which is SQLite's largest integer. Counts beyond it stay at it.
MOST: Final = 2**63 - 1

# A digest, first and last time, count, source.
Row = tuple[bytes, int, int, int, int]


def upsert(connection: Connection, rows: Sequence[Row]) -> list[bytes]:
    """Add rows with sorted, different digests to the keys of a store; return the digests that were not in it.

    A digest that was in it is detected by its new count, which is larger than that of the row; a count of `MOST` cannot
    grow, so that digests of such rows are looked up before.

    Args:
        connection: the connection to the store.
        rows: the rows; counts are from 1 to `MOST`.
    """
    full = [row[0] for row in rows if row[3] == MOST]
    known = {digest for digest in full if _holds(connection, digest)}
    new: list[bytes] = []
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        others = {row[1:] for row in chunk}
        if len(others) == 1:
            new += upsert_alike(connection, [row[0] for row in chunk], *others.pop())
            continue
        values = ",".join(["(?,?,?,?,?)"] * len(chunk))
        counts = {row[0]: row[3] for row in chunk}
        given = [value for row in chunk for value in row]
        returned = connection.execute(_UPSERT.format(values), given)
        new += [digest for digest, count in returned if counts[digest] == count]
    return [digest for digest in new if digest not in known] if known else new


def _holds(connection: Connection, digest: bytes) -> bool:
    return connection.execute("SELECT 1 FROM keys WHERE digest = ?", (digest,)).fetchone() is not None


def upsert_alike(
    connection: Connection, digests: Sequence[bytes], first: int, last: int, number: int, source: int
) -> list[bytes]:
    """`upsert` of digests whose other columns are equal, with a count below `MOST`, in half the time."""
    new: list[bytes] = []
    row = f"(?,{first:d},{last:d},{number:d},{source:d})"
    for start in range(0, len(digests), CHUNK):
        chunk = digests[start : start + CHUNK]
        returned = connection.execute(_UPSERT.format(",".join([row] * len(chunk))), chunk)
        new += [digest for digest, count in returned if count == number]
    return new


_UPSERT: Final = (
    "INSERT INTO keys (digest, first, last, count, source) VALUES {} ON CONFLICT (digest) DO UPDATE SET "
    "source = CASE WHEN excluded.first < first THEN excluded.source ELSE source END, "
    "first = min(first, excluded.first), last = max(last, excluded.last), "
    f"count = CASE WHEN count > {MOST} - excluded.count THEN {MOST} ELSE count + excluded.count END "
    "RETURNING digest, count"
)
