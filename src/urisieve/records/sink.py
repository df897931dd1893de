"""The protocols that programs may extend: `Sink`, an output, and `Seen`, a memory of keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from urisieve.lean import TYPE_CHECKING, late

if TYPE_CHECKING:
    from urisieve.records.batch import Batch
else:
    Batch = late("urisieve.records.batch", "Batch")


class Sink(Protocol):
    """The protocol of an output: it takes batches, in the order of the sources and of their text, and then ends.

    `sieve_into` calls `take` for each batch, and `close` once when all files have been read. An exception that a sink
    raises ends the run and reaches the caller.

    >>> from urisieve import Batch, extract_batches
    >>> from urisieve.sinks import Sink
    >>> class Hosts:
    ...     def __init__(self) -> None:
    ...         self.hosts: set[str] = set()
    ...     def take(self, batch: Batch) -> None:
    ...         self.hosts.update(batch.column("host"))
    ...     def close(self) -> None:
    ...         print(sorted(self.hosts))
    >>> sink: Sink = Hosts()
    >>> for batch in extract_batches(["see http://b.example/ and http://a.example/x"]):
    ...     sink.take(batch)
    >>> sink.close()
    ['a.example', 'b.example']
    """

    def take(self, batch: Batch, /) -> None:
        """Take the next batch; it may be kept."""

    def close(self) -> None:
        """End the stream of batches: complete the output."""


class Seen(Protocol):
    """Anything that remembers keys: a `KeySet`, or a `Store` that outlives the process.

    >>> from urisieve import KeySet
    >>> from urisieve.sinks import Seen
    >>> def new_keys(keys: list[str], seen: Seen) -> int:
    ...     return len(seen.unseen(keys))
    >>> new_keys(["http://e.example/a", "http://e.example/a"], KeySet())
    1
    """

    def __len__(self) -> int:
        """Return the number of keys."""

    def unseen(self, keys: Sequence[str]) -> list[str]:
        """Return the keys that are seen for the first time, each once, in their order, and add them."""

    def unseen_indices(self, keys: Sequence[str]) -> list[int]:
        """Return the indices of the keys that are seen for the first time, in rising order, and add them."""
