"""Counts for a report: the identifiers that come most, with their sources, spellings and times; those of hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

from urisieve.dedupe.keyset import KeySet
from urisieve.lean import Final, replace
from urisieve.records.batch import TIME, Batch
from urisieve.records.mask import Mask
from urisieve.sinks.formats import Sort
from urisieve.sinks.statistics.count_sink import CountSink
from urisieve.sinks.statistics.name_counts import FirstLastTimes, NameCounts
from urisieve.sinks.statistics.statistics import HostCount, LinkCount, Ranking
from urisieve.syntax.components import split

# The bytes of memory that counts take; those beyond are on disk.
_MEMORY: Final = 536_870_912


class LinkCounts:
    """How often each key came, in how many sources and spellings, when first and last; the counts are exact.

    Args:
        limit: the bytes of memory that counts may take; None for 512 MiB.
        folder: the folder of files beyond the limit; that of `tempfile` for None.
        mask: how values leave.
    """

    columns = CountSink.columns - {"location"}  # mail without the locations of its texts is read faster

    def __init__(self, limit: int | None, folder: str | None, mask: Mask) -> None:
        self._mask = mask
        most = _MEMORY if limit is None else limit
        self._counts = CountSink(limit=most, folder=folder)
        self._pairs = KeySet(memory_limit=most, folder=folder)  # of a host and a source
        self._sources = NameCounts(folder)
        self._times = FirstLastTimes()
        self._times_of_heads = FirstLastTimes()

    def add(self, batch: Batch) -> None:
        """Add the rows of a batch.

        Raises:
            OutputError: a file beyond the limit cannot be written.
        """
        shown = self._mask.batch(batch)  # what is hidden is not written to a file
        self._counts.absorb(shown)
        times = batch.column(TIME) if TIME in batch.columns else ()
        if any(times):
            self._times.add(shown.column("key"), times)
            self._times_of_heads.add(batch.layout.heads(), times)

    def add_sources(self, hosts: Sequence[str], sources: Sequence[str | None]) -> None:
        """Add hosts, each with a source in which it came."""
        pairs = [f"{host}\n{source}" for host, source in zip(hosts, sources, strict=True)]
        self._sources.add(Counter([hosts[index] for index in self._pairs.unseen_indices(pairs)]), {})

    def rows(self, top: int) -> tuple[LinkCount, ...]:
        """Return the identifiers that come most; those that come equally often in the order of their appearance."""
        return tuple(
            LinkCount(row.uri, row.count, row.sources, len(row.spellings), *self._times.of(row.key))
            for row in islice(self._counts.rows(sort=Sort.COUNT), top)
        )

    def detailed(self, hosts: Ranking, spellings: Mapping[str | None, int]) -> Ranking:
        """Return a ranking of hosts with their sources and spellings, and with their times if all are known.

        Args:
            hosts: the ranking.
            spellings: for each host how many more spellings than keys it has.
        """
        sources = self._sources.of(row.name for row in hosts.rows)
        times = self._times_of_heads.by(lambda head: split(head).host)
        details = (
            HostCount(sources[row.name], row.distinct + spellings[row.name], *times.of(row.name)) for row in hosts.rows
        )
        return replace(hosts, details=tuple(details))

    def close(self) -> None:
        """Remove the files; the counts must not be used afterwards."""
        self._counts.discard()
        self._pairs.close()
        self._sources.close()
