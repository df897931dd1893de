"""Counts of the heads of URIs, before they are split: most URIs share theirs with others."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

from urisieve.dedupe.keyset import KeySet
from urisieve.kernel import either, kernel
from urisieve.lean import Final
from urisieve.records.batch import Batch

# About how many bytes a head takes, beside its characters.
_HEAD: Final = 300
# The number of heads that become Python objects at once.
_TOGETHER: Final = 4_096


class HeadCounts:
    """How often each head came, and how many keys came with it first."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._new: Counter[str] = Counter()
        self._characters = 0  # at most

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._characters + _HEAD * len(self._counts)

    def add(self, rows: Batch, keys: KeySet, odd: Sequence[KeySet]) -> tuple[Sequence[int], Sequence[int]]:
        """Add the heads of rows, and their keys to a set.

        Args:
            rows: the rows, with `raw`, `uri` and `key`.
            keys: the keys that came so far.
            odd: sets of keys.

        Returns:
            the indices of the rows whose key is new; and of at least those that are not their key alone, in ASCII:
            whose raw text or canonical form differs, whose key came first so, or is in one of the sets `odd`.
        """
        del odd
        new = keys.unseen_indices(list(rows.column("key")))
        heads = rows.layout.heads()
        self._counts.update(heads)
        self._new.update([heads[index] for index in new])
        self._characters += sum(map(len, heads))
        return new, range(len(rows))

    def taken(self) -> Iterator[tuple[str, int, int]]:
        """Yield each head with its numbers, and forget them."""
        counts, new = self._counts, self._new
        self._counts, self._new, self._characters = Counter(), Counter(), 0
        for head, count in counts.items():
            yield head, count, new[head]


class KernelHeads(HeadCounts):
    """The same, counted by the kernel where it has found the rows, and their keys are in memory."""

    def __init__(self) -> None:
        super().__init__()
        self._table = kernel.KeyTable(os.urandom(16))

    @property
    def size(self) -> int:
        """See `HeadCounts.size`."""
        return super().size + self._table.size

    def add(self, rows: Batch, keys: KeySet, odd: Sequence[KeySet]) -> tuple[Sequence[int], Sequence[int]]:
        """See `HeadCounts.add`."""
        harvest = rows.layout.harvest
        added = None if harvest is None else keys.unseen_heads(harvest, self._table, odd)
        return super().add(rows, keys, odd) if added is None else added

    def taken(self) -> Iterator[tuple[str, int, int]]:
        """See `HeadCounts.taken`."""
        yield from super().taken()
        table, self._table = self._table, kernel.KeyTable(os.urandom(16))
        for position in range(0, len(table), _TOGETHER):
            for head, _, count, _, _, _, new, *_ in table.rows(None, position, _TOGETHER):
                yield head, count, new


new_heads: Final = either(KernelHeads, HeadCounts)
