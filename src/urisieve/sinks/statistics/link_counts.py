"""Counts for a report: the identifiers that come most, with their sources, spellings and times; those of hosts.

Also defines:

- the counts of the templates of links, with examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from io import SEEK_END, BytesIO
from itertools import islice

from urisieve.dedupe.keyset import KeySet
from urisieve.judge.templates import templates as templates_of
from urisieve.lean import IO, Final, replace
from urisieve.records.batch import TIME, Batch
from urisieve.records.layouts import Columns
from urisieve.records.mask import Mask
from urisieve.sinks.formats import Sort
from urisieve.sinks.statistics.count_sink import CountSink
from urisieve.sinks.statistics.name_counts import NameCounts, failing_in, read_text, stored_text
from urisieve.sinks.statistics.spelling_counts import example
from urisieve.sinks.statistics.statistics import HostCount, LinkCount, Ranking
from urisieve.sinks.statistics.time_counts import FirstLastTimes
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
# The most templates whose examples Python knows, and the characters of both: about 60 MB.
_MOST: Final = 65_536
_CHARACTERS: Final = 33_554_432
# The bytes of examples in memory.
_LOG: Final = 16_777_216


class TemplateCounts:
    """How often each template came, how many keys came with it first, and the first links with it.

    Args:
        mask: how links leave: templates are those of links without what is hidden.
        folder: the folder of files beyond the limits; that of `tempfile` for None.
        most: how many templates are held in memory; None for as many as `NameCounts` holds.
    """

    def __init__(self, mask: Mask, folder: str | None = None, most: int | None = None) -> None:
        self._mask = mask
        self._most = _MOST if most is None else most
        self._names = NameCounts(folder, most)
        self._examples = _Examples(folder)
        self._known: dict[str, set[str]] = {}
        self._characters = 0
        self._number = 0  # of links

    def add(self, rows: Columns, new: Sequence[int]) -> None:
        """Add links, of which those at some indices, which rise, have a new key.

        Raises:
            OutputError: a file beyond the limits cannot be written.
        """
        left: Sequence[int] = range(rows.length)
        if not self._mask.hides_parts:
            left, examples = self._names.add_templates(rows, new, self._number)
            self._examples.add(examples)
        if left:
            uris = rows.held("uri") if len(left) == rows.length else rows.select(left).held("uri")
            self._add(uris, left, frozenset(new))
        self._number += rows.length

    def _add(self, uris: Sequence[str], indices: Sequence[int], new: frozenset[int]) -> None:
        """Add canonical URIs that have some indices among all."""
        mask = self._mask
        if mask.hides_parts:
            uris = list(map(mask.uri, uris))
        templates = templates_of(uris)
        made: list[str] = []
        for template, uri, index in zip(templates, uris, indices, strict=True):
            known = self._known.get(template)
            if known is None:
                known = self._known[template] = set()
                self._characters += len(template)
            elif len(known) == _EXAMPLES or uri in known:
                continue
            shown = example(uri if mask.hides_parts else mask.uri(uri))
            if shown not in known:
                known.add(shown)
                self._characters += len(shown)
                made.append(f"{template}\n{shown}\n{self._number + index}\n")
        self._examples.add(stored_text("".join(made)))
        if len(self._known) > self._most or self._characters > _CHARACTERS:  # they are written once more
            self._known.clear()
            self._characters = 0
        fresh = [template for template, index in zip(templates, indices, strict=True) if index in new]
        self._names.add(Counter(templates), Counter(fresh))

    def ranking(self, top: int) -> Ranking:
        """Return the most frequent templates with their examples; see `NameCounts.ranking`."""
        ranking = self._names.ranking(top)
        examples = self._examples.of(frozenset(row.name or "" for row in ranking.rows))
        return replace(ranking, examples=tuple(examples[row.name or ""] for row in ranking.rows))

    def close(self) -> None:
        """Remove the files; the counts must not be used afterwards."""
        self._examples.close()
        self._names.close()


class _Examples:
    """Links with their templates and their numbers: in memory, and in a file beyond a limit.

    Raises:
        OutputError: from every method, the file cannot be made, read or written.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._made: list[bytes] = []
        self._size = 0
        self._file: IO[bytes] | None = None

    def add(self, examples: bytes) -> None:
        """Add examples: of each the template, the link and its number, with a line feed after each."""
        if not examples:
            return
        self._made.append(examples)
        self._size += len(examples)
        if self._size > _LOG:
            with failing_in(self._folder):
                self._write()

    def _write(self) -> None:
        import tempfile

        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=self._folder, prefix="urisieve-")  # noqa: SIM115 - it stays open
        self._file.writelines(self._made)
        self._made.clear()
        self._size = 0

    def of(self, templates: frozenset[str]) -> dict[str, tuple[str, ...]]:
        """Return the links of some templates with the lowest numbers, each link once."""
        wanted = {stored_text(template): template for template in templates}
        found: dict[str, list[tuple[int, bytes]]] = {template: [] for template in templates}
        with failing_in(self._folder):
            if self._file is not None:
                self._file.seek(0)
            for lines in (self._file or (), BytesIO(b"".join(self._made))):
                each = iter(lines)
                for template, link, number in zip(each, each, each, strict=True):
                    if template[:-1] in wanted:
                        found[wanted[template[:-1]]].append((int(number), link[:-1]))
            if self._file is not None:
                self._file.seek(0, SEEK_END)
        return {template: _first_links(some) for template, some in found.items()}

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            self._file.close()


def _first_links(numbered: list[tuple[int, bytes]]) -> tuple[str, ...]:
    links = dict.fromkeys(link for _, link in sorted(numbered))
    return tuple(map(read_text, islice(links, _EXAMPLES)))
