"""`StatisticsSink`: how many identifiers there are of each kind, scheme, host and source."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from urisieve.dedupe.keyset import KeySet
from urisieve.records.batch import Batch

__all__ = ["StatisticsSink"]


class StatisticsSink:
    """Counts what batches hold, by what is known of each identifier.

    >>> from urisieve import StatisticsSink, extract_batches
    >>> sink = StatisticsSink()
    >>> for batch in extract_batches(["http://a.example/ http://A.example/ urn:isbn:0395363411 http://b:x/"]):
    ...     sink.take(batch)
    >>> sink.found, sink.distinct, dict(sink.schemes), sink.reasons["bad-port"]
    (3, 2, {'http': 2, 'urn': 1}, 1)

    Attributes:
        found: how many identifiers came.
        schemes: how many of each scheme.
        hosts: how many of each host; those without a host are not among them.
        kinds: how many of each kind (`uri`, `iri`, `urn`).
        sources: how many of each source; None for texts without a name.
        warnings: how many warnings came, by code.
        reasons: how many candidates were rejected, by reason.
    """

    def __init__(self) -> None:
        self.found = 0
        self.schemes: Counter[str] = Counter()
        self.hosts: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.sources: Counter[str | None] = Counter()
        self.warnings: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self._keys = KeySet()

    @property
    def distinct(self) -> int:
        """How many different keys came, exact up to the collision bound of 16-byte digests."""
        return len(self._keys)

    def take(self, batch: Batch, /) -> None:
        """Count the rows and rejections of a batch.

        Raises:
            UsageError: a column that is counted was not asked for.
        """
        self.found += len(batch)
        self._keys.unseen_indices(batch.column("key"))
        self.schemes.update(batch.column("scheme"))
        self.hosts.update(host for host in batch.column("host") if host is not None)
        self.kinds.update(batch.column("kind"))
        self.sources.update(batch.column("source"))
        self.warnings.update(chain.from_iterable(batch.column("warnings")))
        self.reasons.update(one.reason for one in batch.rejections)

    def close(self) -> None:
        """Do nothing: the counts stay."""
