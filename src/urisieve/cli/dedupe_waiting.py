"""What waits to be looked up on disk: large batches cost far less a key than small ones."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from urisieve.cli.portion import Portion, ended

__all__ = ["Taken", "Waiting"]

# A batch is full with so many keys, or bytes of rows, or after so many seconds.
_KEYS: Final = 500_000
# What a key of a batch takes while it is looked up, and how many are looked up at once at least.
_KEY_MEMORY: Final = 800
_LEAST_KEYS: Final = 10_000
_BYTES: Final = 67_108_864
_SECONDS: Final = 5.0


class Taken(NamedTuple):
    """A batch.

    Attributes:
        keys: the keys.
        rows: their records as they are to be written.
        counts: how often each was seen.
        sources: where.
        parts: how many parts of files have been sieved to their end since the run began.
    """

    keys: list[str]
    rows: list[bytes]
    counts: list[int]
    sources: list[str | None]
    parts: int


class Waiting:
    """Portions put together.

    Args:
        memory: how many bytes they may take; None for no limit.
    """

    def __init__(self, memory: int | None = None) -> None:
        self._most = _KEYS if memory is None else max(_LEAST_KEYS, min(_KEYS, memory // _KEY_MEMORY))
        self.keys: list[str] = []
        self._rows: list[bytes] = []
        self._counts: list[int] = []
        self._sources: list[str | None] = []
        self._bytes = 0
        self._parts = 0
        self._since = 0.0

    def add(self, portion: Portion) -> None:
        """Add a portion of `Tallying`, or one without columns: then each key was seen once, nobody knows where."""
        if not self.keys:
            self._since = time.monotonic()
        self._parts += portion.part is not None
        if not portion.keys:
            return
        self.keys += portion.keys
        rows = [ended((key,)) for key in portion.keys] if portion.rows is None else portion.rows
        self._rows += rows
        self._bytes += sum(map(len, rows))
        counts, sources = portion.columns or ([1] * len(portion.keys), [None] * len(portion.keys))
        self._counts += counts
        self._sources += sources

    @property
    def is_full(self) -> bool:
        """Whether it is time to look up what waits."""
        if not self.keys:
            return False
        return len(self.keys) >= self._most or self._bytes >= _BYTES or time.monotonic() - self._since >= _SECONDS

    def taken(self) -> Taken:
        """What waits; nothing does afterwards."""
        taken = Taken(self.keys, self._rows, self._counts, self._sources, self._parts)
        self.keys, self._rows, self._counts, self._sources, self._bytes = [], [], [], [], 0
        return taken
