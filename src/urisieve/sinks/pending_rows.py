"""Keys and rows that wait to be looked up on disk, where large batches cost far less a key than small ones."""

from __future__ import annotations

import time

from urisieve.lean.hints import Any, Final
from urisieve.records.batch import Batch
from urisieve.sinks.formats import ended_lines
from urisieve.sinks.keyed import KeyedRows
from urisieve.sinks.row_format import Rows

__all__ = ["PendingRows"]

# A batch is full with so many keys, or bytes of rows, or after so many seconds: large
# batches cost far less a key than small ones.
_KEYS: Final = 500_000
_BYTES: Final = 67_108_864
_SECONDS: Final = 5.0
# What a key of a batch takes while it is looked up, and how many are looked up at once at least.
_KEY_MEMORY: Final = 800
_LEAST_KEYS: Final = 10_000
# About how many bytes a row of a batch takes.
_ROW: Final = 512


class PendingRows:
    """Keys and rows that wait to be looked up.

    Args:
        memory: how many bytes they may take; None for no limit.
    """

    def __init__(self, memory: int | None = None) -> None:
        self._most = _KEYS if memory is None else max(_LEAST_KEYS, min(_KEYS, memory // _KEY_MEMORY))
        self._some: list[KeyedRows] = []
        self._number = self._bytes = 0
        self._since = 0.0

    def __len__(self) -> int:
        return self._number

    def add(self, some: KeyedRows) -> None:
        """Add keys with their rows."""
        if not some.keys:
            return
        if not self._some:
            self._since = time.monotonic()
        self._some.append(some)
        self._number += len(some.keys)
        rows = some.rows
        if isinstance(rows, Batch):
            self._bytes += _ROW * len(rows)
        else:
            self._bytes += sum(map(len, some.keys if rows is None else rows))

    @property
    def is_full(self) -> bool:
        """Whether it is time to look up what waits."""
        if not self._some:
            return False
        full = self._number >= self._most or self._bytes >= _BYTES
        return full or time.monotonic() - self._since >= _SECONDS

    def taken(self) -> KeyedRows:
        """Remove and return the waiting keys and rows."""
        some, self._some = self._some, []
        self._number = self._bytes = 0
        keys = [key for one in some for key in one.keys]
        counts = [count for one in some for count in one.counts or [1] * len(one.keys)]
        sources = [source for one in some for source in one.sources or [None] * len(one.keys)]
        return KeyedRows(keys, _joined([(one.keys, one.rows) for one in some]), counts, sources)


def _joined(some: list[tuple[Any, Rows]]) -> Rows:
    """Rows put together; None where the keys are all of them."""
    if all(rows is None for _, rows in some):
        return None
    if any(isinstance(rows, Batch) for _, rows in some):
        return Batch.joined(rows for _, rows in some if isinstance(rows, Batch))
    lines: list[bytes] = []
    for keys, rows in some:
        lines += [ended_lines((key,)) for key in keys] if rows is None else rows  # type: ignore[arg-type] # no batch
    return lines
