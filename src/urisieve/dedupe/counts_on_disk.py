"""Counts of more keys than memory holds, by the extra `duckdb`.

Tallies are written to a file as they arrive, one line for each key of a stretch; at the end DuckDB groups the lines
twice, by key and source, then by key, within limits of memory and disk.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence

from urisieve.dedupe.counts import Appearance, Counts, KeyCount, KeyCountColumns, restored, stored
from urisieve.dedupe.kernel_counts import KernelCounts
from urisieve.errors import OutputError, UsageError
from urisieve.lean.hints import Any, Final, Self
from urisieve.records.location import Location

__all__ = ["LEAST_MEMORY", "CountsOnDisk"]

# Bytes of memory that DuckDB needs at least.
LEAST_MEMORY: Final = 250_000_000
# The share of the free disk that DuckDB may fill.
_SHARE: Final = 0.9
# Bytes of memory for each thread of DuckDB.
_THREAD: Final = 500_000_000
_FETCH: Final = 4_096
# Not NULL, since DuckDB ignores NULL when it searches for the first and the last.
_NO_LOCATION: Final = "-"
# The longest line in bytes: a key and its URI of 65,536 characters each, a long spelling, and locations. DuckDB keeps
# buffers of some such lines, whatever its memory limit.
_LINE: Final = 4 * 1_048_576
_COLUMNS: Final = {
    "seq": "BIGINT",
    "key": "VARCHAR",
    "count": "BIGINT",
    "source": "INTEGER",
    "sources": "INTEGER",
    "first": "BIGINT",
    "first_at": "VARCHAR",
    "last_source": "INTEGER",
    "last": "BIGINT",
    "last_at": "VARCHAR",
    "spellings": "VARCHAR",
    "uri": "VARCHAR",
}


class CountsOnDisk:
    """Exact counts on disk.

    Args:
        memory: the bytes of memory that DuckDB may take.
        folder: the folder of its files, which are removed at the end; that of `tempfile` for None.

    Raises:
        UsageError: DuckDB is not installed; the message has the command that installs it.
        OutputError: the files cannot be made or written.
    """

    def __init__(self, memory: int, folder: str | None = None) -> None:
        try:
            import duckdb
        except ImportError:
            raise UsageError(
                "the counts need more memory than --memory-limit allows, and counting on disk needs DuckDB: "
                "pip install 'urisieve[duckdb]'; without it, raise the limit, or use --store, which counts on disk"
            ) from None
        self._duckdb = duckdb
        self._memory = max(memory, LEAST_MEMORY)
        try:
            self._folder = tempfile.mkdtemp(prefix="urisieve-", dir=folder)
            self._path = os.path.join(self._folder, "counts.csv")
            self._file = open(self._path, "w", encoding="utf-8", newline="")  # noqa: SIM115
        except OSError as error:
            raise self._failure(error) from error
        self._write = csv.writer(self._file).writerows  # CRLF, so that a lone CR is quoted, too
        self._names: list[str | None] = []
        self._numbers: dict[str | None, int] = {}
        self._seq = 0
        self._connection: Any = None

    def _failure(self, error: Exception) -> OutputError:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return OutputError(f"counting on disk: {reason}; --temp names another folder")

    def _number(self, source: str | None) -> int:
        number = self._numbers.get(source)
        if number is None:
            number = self._numbers[source] = len(self._names)
            self._names.append(source)
        return number

    def take(self, counts: Counts | KernelCounts) -> None:
        """Add the counts made in memory; to be called before `add`."""
        self._put((row, extra) for row, extra in counts.with_sources())

    def _put(self, rows: Iterator[tuple[KeyCount, tuple[str | None, ...]]]) -> None:
        def lines() -> Iterator[tuple[Any, ...]]:
            for row, extra in rows:
                self._seq += 1
                key = stored(row.key)
                uri = None if row.uri == row.key else stored(row.uri)
                first, last = self._number(row.first.source), self._number(row.last.source)
                spellings = [] if row.spellings == (row.key,) else list(_pieces(row.spellings))
                yield (
                    *(self._seq, key, row.count, first),
                    *(first, row.first.start, _location_text(row.first.location)),
                    *(last, row.last.start, _location_text(row.last.location)),
                    *(spellings[0] if spellings else None, uri),
                )
                # Spellings that do not fit in that line, and further sources; the count is in that line.
                for number, piece in [
                    *((first, piece) for piece in spellings[1:]),
                    *((self._number(source), spellings[0] if spellings else None) for source in extra),
                ]:
                    self._seq += bool(spellings[1:])
                    yield (self._seq, key, 0, number, number, 0, _NO_LOCATION, number, 0, _NO_LOCATION, piece, uri)

        try:
            self._write(lines())
        except OSError as error:
            raise self._failure(error) from error

    def add(self, tally: KeyCountColumns) -> None:
        """Add the tally of the next stretch."""

        def rows() -> Iterator[tuple[KeyCount, tuple[str | None, ...]]]:
            for key, count, source, first, last, first_at, last_at, spellings, uri in zip(*tally, strict=True):
                forms = (key,) if spellings is None else spellings
                appearances = (Appearance(source, first_at, first), Appearance(source, last_at, last))
                yield KeyCount(key, uri or key, count, 1, *appearances, forms), ()

        self._put(rows())

    def _grouped(self) -> Any:
        """Return the connection; group the lines at the first call, when everything has been added."""
        if self._connection is not None:
            return self._connection
        self._file.close()
        free = shutil.disk_usage(self._folder).free
        settings: dict[str, Any] = {
            "memory_limit": f"{self._memory // 10**6}MB",
            "temp_directory": os.path.join(self._folder, "duckdb"),
            "max_temp_directory_size": f"{int(free * _SHARE) // 10**6}MB",
            "preserve_insertion_order": False,
            "threads": max(1, min(os.cpu_count() or 1, self._memory // _THREAD)),
        }
        columns = ", ".join(f"'{name}': '{kind}'" for name, kind in _COLUMNS.items())
        path = self._path.replace("'", "''")
        first = "arg_min({0}, seq) FILTER (WHERE count > 0)"
        last = "arg_max({0}, seq) FILTER (WHERE count > 0)"
        appearances = ", ".join(
            [
                *(f"{first.format(name)} AS {name}" for name in ("first_source", "first", "first_at")),
                *(f"{last.format(name)} AS {name}" for name in ("last_source", "last", "last_at")),
            ]
        )
        forms = "any_value(uri) AS uri, "
        self._connection = self._duckdb.connect(os.path.join(self._folder, "counts.duckdb"), config=settings)
        self._connection.execute("SET enable_progress_bar = false")  # it would stand in standard output
        self._connection.execute(
            f"CREATE VIEW lines AS SELECT *, sources AS first_source FROM read_csv('{path}', header = false, "
            f"delim = ',', quote = '\"', escape = '\"', nullstr = '', columns = {{{columns}}}, "
            f"max_line_size = {_LINE}, buffer_size = {4 * _LINE}, auto_detect = false)"
        )
        self._connection.execute(
            "CREATE TABLE counted AS WITH by_source AS ("
            "SELECT key, source, sum(count) AS total, min(seq) AS seq_first, max(seq) AS seq_last, "
            f"{forms} {appearances}, "
            "min(seq) FILTER (WHERE spellings IS NULL) AS plain_seq "
            "FROM lines GROUP BY key, source) "
            "SELECT key, any_value(uri) AS uri, sum(total)::BIGINT AS total, count(*) AS sources, "
            "arg_min(first_source, seq_first) FILTER (WHERE first_source IS NOT NULL) AS first_source, "
            "arg_min(first, seq_first) FILTER (WHERE first_source IS NOT NULL) AS first, "
            "arg_min(first_at, seq_first) FILTER (WHERE first_source IS NOT NULL) AS first_at, "
            "arg_max(last_source, seq_last) FILTER (WHERE last_source IS NOT NULL) AS last_source, "
            "arg_max(last, seq_last) FILTER (WHERE last_source IS NOT NULL) AS last, "
            "arg_max(last_at, seq_last) FILTER (WHERE last_source IS NOT NULL) AS last_at, "
            "min(plain_seq) AS plain_seq, "
            "min(seq_first) AS seq FROM by_source GROUP BY key"
        )
        # In a table of its own, since most keys have one spelling, and DuckDB cannot move lists to disk.
        self._connection.execute(
            "CREATE TABLE forms AS SELECT key, list({seq: seq, form: spellings}) AS forms FROM lines "
            "WHERE spellings IS NOT NULL GROUP BY key"
        )
        return self._connection

    def count(self) -> int:
        """Return the number of keys.

        Raises:
            OutputError: DuckDB fails, for example because the disk is full.
        """
        try:
            row = self._grouped().execute("SELECT count(*) FROM counted").fetchone()
        except self._duckdb.Error as error:
            raise self._failure(error) from error
        return int(row[0])

    def rows(self, least: int, sort: str) -> Iterator[KeyCount]:
        """Yield the keys that were seen at least `least` times, in the order `sort` (`first`, `count` or `uri`).

        Raises:
            OutputError: DuckDB fails.
        """
        order = {"first": "seq", "count": "total DESC, seq", "uri": "coalesce(uri, key), seq"}[sort]
        try:
            found = self._grouped().execute(
                "SELECT key, uri, total, sources, first_source, first_at, first, last_source, last_at, last, "
                "plain_seq, forms FROM counted LEFT JOIN forms USING (key) "
                f"WHERE total >= {int(least)} ORDER BY {order}"
            )
            while batch := found.fetchmany(_FETCH):
                for key, uri, total, sources, *appearances, plain, forms in batch:
                    first, last = (
                        Appearance(self._names[number], _location(text), start)
                        for number, text, start in (appearances[:3], appearances[3:])
                    )
                    key = restored(key)
                    uri = key if uri is None else restored(uri)
                    yield KeyCount(key, uri, total, sources, first, last, _spellings(key, plain, forms))
        except self._duckdb.Error as error:
            raise self._failure(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()
        self._file.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _pieces(spellings: Sequence[str]) -> Iterator[str]:
    """Yield spellings as JSON lists, each short enough for a line."""
    piece: list[str] = []
    size = 0
    for spelling in spellings:
        text = json.dumps(spelling)
        if piece and size + len(text) > _LINE // 2:
            yield f"[{','.join(piece)}]"
            piece, size = [], 0
        piece.append(text)
        size += len(text) + 1
    yield f"[{','.join(piece)}]"


def _location_text(location: Location | None) -> str:
    return _NO_LOCATION if location is None else json.dumps(location)


def _location(text: str) -> Location | None:
    return None if text == _NO_LOCATION else Location(*json.loads(text))


def _spellings(key: str, plain: int | None, forms: list[dict[str, Any]] | None) -> tuple[str, ...]:
    """Return the raw forms in the order of their appearance."""
    parts = [(form["seq"], json.loads(form["form"])) for form in forms or ()]
    if plain is not None:
        parts.append((plain, [key]))
    parts.sort(key=lambda part: part[0])
    return tuple(dict.fromkeys(form for _, some in parts for form in some))
