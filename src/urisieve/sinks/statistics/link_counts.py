"""Counts for a report: the identifiers that come most, with their sources, spellings and times; those of hosts.

Also defines:

- the counts of the templates of links, with examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

from urisieve.dedupe.keyset import KeySet
from urisieve.judge.templates import templates as templates_of
from urisieve.lean import Final, replace
from urisieve.records.batch import TIME, Batch
from urisieve.records.mask import Mask
from urisieve.sinks.formats import Sort
from urisieve.sinks.statistics.count_sink import CountSink
from urisieve.sinks.statistics.name_counts import FirstLastTimes, NameCounts, Spilling, read_text, stored_text
from urisieve.sinks.statistics.spelling_counts import example
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
        self._counts = CountSink(memory_limit=most, folder=folder)
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


_EXAMPLES: Final = 3
# The most templates whose examples are in memory, and the characters of both: about 60 MB.
_MOST: Final = 65_536
_CHARACTERS: Final = 33_554_432
# Bytes of the pages of the file on disk that are kept in memory.
_CACHE: Final = 16_777_216
_TABLE: Final = (
    "CREATE TABLE examples (name BLOB, example BLOB, number INTEGER, PRIMARY KEY (name, example)) WITHOUT ROWID"
)


class TemplateCounts(Spilling):
    """How often each template came, how many keys came with it first, and the first links with it.

    Args:
        mask: how links leave: templates are those of links without what is hidden.
        folder: the folder of files beyond the limits; that of `tempfile` for None.
        most: how many templates are held in memory.
    """

    def __init__(self, mask: Mask, folder: str | None = None, most: int = _MOST) -> None:
        super().__init__(folder, _TABLE, _CACHE)
        self._mask = mask
        self._most = most
        self._names = NameCounts(folder, most)
        self._examples: dict[str, dict[str, None]] = {}
        self._number = 0  # of examples on disk

    def add(self, uris: Sequence[str], new: Sequence[int]) -> None:
        """Add canonical URIs, of which those at some indices have a new key.

        Raises:
            OutputError: a file beyond the limits cannot be written.
        """
        mask = self._mask
        if mask.hides_parts:
            uris = list(map(mask.uri, uris))
        templates = templates_of(uris)
        for template, uri in zip(templates, uris, strict=True):
            examples = self._examples.get(template)
            if examples is None:
                examples = self._examples[template] = {}
                self._characters += len(template)
            elif len(examples) == _EXAMPLES or uri in examples:
                continue
            shown = example(uri if mask.hides_parts else mask.uri(uri))
            if shown not in examples:
                examples[shown] = None
                self._characters += len(shown)
        if len(self._examples) > self._most or self._characters > _CHARACTERS:
            self._spill()
        self._names.add(Counter(templates), Counter([templates[index] for index in new]))

    def _spill(self) -> None:
        """Move all examples to disk; of those that a template has there the first ones count."""
        rows = []
        for template, examples in self._examples.items():
            for shown in examples:
                self._number += 1
                rows.append((stored_text(template), stored_text(shown), self._number))
        self._move("INSERT OR IGNORE INTO examples VALUES (?, ?, ?)", rows)
        self._examples.clear()

    def _examples_of(self, template: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        if self._disk is not None:
            asked = "SELECT example FROM examples WHERE name = ? ORDER BY number LIMIT ?"
            rows = self._disk.read(asked, (stored_text(template), _EXAMPLES))
            found = dict.fromkeys(read_text(row[0]) for row in rows)
        return tuple({**found, **self._examples.get(template, {})})[:_EXAMPLES]

    def ranking(self, top: int) -> Ranking:
        """Return the most frequent templates with their examples; see `NameCounts.ranking`."""
        ranking = self._names.ranking(top)
        return replace(ranking, examples=tuple(self._examples_of(row.name or "") for row in ranking.rows))

    def close(self) -> None:
        """Remove the files; the counts must not be used afterwards."""
        super().close()
        self._names.close()
