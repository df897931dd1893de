"""Keys with their rows: the product of a worker if each key counts once.

It holds besides:

- keys and rows that wait to be looked up on disk, where large batches cost far less a key than small ones.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple
from urisieve.records.batch import Batch
from urisieve.records.layouts import ended_lines
from urisieve.runs.run_steps import WholeBatches, batch_size
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.record_formats import record_format
from urisieve.sinks.row_format import Rows

if TYPE_CHECKING:
    from urisieve.dedupe.keyset import KeySet

# The number of keys that a process which shares the work remembers, so that it hands over few of them twice.
_REMEMBERED: Final = 262_144
# The approximate number of bytes of a key between processes.
_KEY_LENGTH: Final = 64


class KeyedRows(NamedTuple):
    """Keys, each with its row, its count and its source.

    Attributes:
        keys: the keys.
        rows: the record of each key as it is to be written.
        counts: the number of occurrences of each key; None if each occurred once.
        sources: the source in which each key was seen first; None if not known.
        rejections: the rejections among them, as they are to be written.
    """

    keys: Sequence[str]
    rows: Rows
    counts: Sequence[int] | None = None
    sources: Sequence[str | None] | None = None
    rejections: bytes = b""


class _KeyedShare:
    """The share of a worker; derived classes define its product."""

    def __init__(self, settings: FormatSettings) -> None:
        self._format = record_format(settings)

    def _rows(self, batch: Batch, keys: Sequence[str], indices: Sequence[int]) -> Rows:
        """Return the rows at some indices; `keys` are those of these rows."""
        made = self._format
        is_plain = made.is_plain and batch.column("key") is batch.column("uri")
        if is_plain and not made.mask.may_change(batch):
            return None
        rows = made.rows(batch, indices)
        return None if made.is_plain and rows == [ended_lines((key,)) for key in keys] else rows

    def flush(self) -> None:
        """Return nothing: all was handed over."""

    def size(self, product: KeyedRows, /) -> int:
        """Return about how many bytes a product takes."""
        rows = product.rows
        length = _KEY_LENGTH * len(product.keys) + len(product.rejections)
        if isinstance(rows, Batch):
            return length + batch_size(rows)
        return length + sum(map(len, rows or ()))


class FirstShare(_KeyedShare):
    """Hands over each key once, as far as it is remembered."""

    def __init__(self, settings: FormatSettings) -> None:
        super().__init__(settings)
        self._seen: set[str] = set()

    def take(self, batch: Batch, /) -> KeyedRows:
        """Return the keys of a batch that this worker has not handed over, with their rows."""
        if len(self._seen) > _REMEMBERED:
            self._seen.clear()
        every = batch.column(self._format.key)
        indices = []
        for index, key in enumerate(every):
            if key not in self._seen:
                self._seen.add(key)
                indices.append(index)
        keys = [every[index] for index in indices]
        return KeyedRows(keys, self._rows(batch, keys, indices), rejections=self._format.rejections(batch))


class DigestedBatches(WholeBatches):
    """The share of a thread that passes batches on with the digests of their keys, so that the sink need not make them.

    Args:
        seen: the set that will be asked which keys are new.
    """

    def __init__(self, seen: KeySet) -> None:
        self._seen = seen

    def take(self, batch: Batch, /) -> Batch:
        """Return the batch."""
        self._seen._digest_for(batch.layout)
        return batch


class TallyShare(_KeyedShare):
    """Hands over each key of a batch once, with its first record, its count and its source; passwords are masked.

    A batch has one source, so that only the source of the first occurrence is known.
    """

    def __init__(self, settings: FormatSettings) -> None:
        super().__init__(settings)
        self._key_mask = self._format.mask.of_keys()

    def take(self, batch: Batch, /) -> KeyedRows:
        """Return the keys of a batch, with their rows."""
        every = self._key_mask.batch(batch).column("key")
        numbers = Counter(every)
        keys = list(numbers)
        firsts: Sequence[int] = range(len(keys))
        if len(keys) < len(every):
            at = dict(zip(reversed(every), range(len(every) - 1, -1, -1), strict=True))
            firsts = list(map(at.__getitem__, keys))
        name = self._format.mask.name
        if batch.is_constant("source"):
            source = batch.constant("source")
            sources = [source and name(source)] * len(keys)
        else:
            named = batch.column("source")
            sources = [named[index] and name(named[index]) for index in firsts]
        return KeyedRows(keys, self._rows(batch, keys, firsts), list(numbers.values()), sources)


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
