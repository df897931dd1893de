"""`StatisticsSink`, `collect_statistics`: what batches and files contain, by kind, host, source, rule and time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from urisieve import shapes
from urisieve.codes import REASONS, WARNINGS, Reason, Warn
from urisieve.dedupe.keyset import LEAST_LIMIT, KeySet
from urisieve.errors import UsageError
from urisieve.finding_options import Options, checked
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.records.batch import TIME, Batch
from urisieve.records.layouts import Columns, no_column
from urisieve.records.mask import drawn_mask
from urisieve.records.record import kind_of_raw
from urisieve.records.rejection import Rejection
from urisieve.runs.events import OnEvent, ignore_events
from urisieve.runs.part_sieve import PartSettings
from urisieve.runs.run import Run, found_files
from urisieve.runs.run_steps import DigestedBatches, ResolvedBatches, Share, SharedSink, WholeBatches
from urisieve.sinks.statistics.name_counts import NameCounts, NewCounts, new_heads
from urisieve.sinks.statistics.spelling_counts import SpellingCounts, example
from urisieve.sinks.statistics.statistics import (
    CodeCount,
    CodeCounts,
    Funnel,
    InputCounts,
    NameCount,
    Ranking,
    Statistics,
)
from urisieve.sinks.statistics.time_counts import TimeCounts
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.contexts import hour_at
from urisieve.sources.reading_options import ReadingOptions, checked_reading
from urisieve.sources.tally import Tally
from urisieve.syntax.components import split

if TYPE_CHECKING:
    from urisieve.sinks.statistics.link_counts import LinkCounts, TemplateCounts

_EXAMPLES: Final = 3
# The most bytes of the heads of URIs that are counted before they are split; a head can be as long as a candidate.
_HEADS: Final = 50_331_648


class StatisticsSink(SharedSink):
    """Counts what batches contain, by what is known of each identifier.

    >>> from urisieve import extract_batches
    >>> from urisieve.sinks.statistics import StatisticsSink
    >>> sink = StatisticsSink()
    >>> for batch in extract_batches(["http://a.example/ http://A.example/ urn:isbn:0395363411 http://b:x/"]):
    ...     sink.take(batch)
    >>> sink.found, sink.distinct, dict(sink.schemes), sink.reasons["bad-port"]
    (3, 2, {'http': 2, 'urn': 1}, 1)
    >>> [(merge.rule, merge.count) for merge in sink.statistics().merges.rules]
    [('host-case', 1)]

    Counts are exact. The memory that they take is bounded by `memory_limit`, but for names and spellings, of which so
    many are held that they take some 200 MB, and the others go to a temporary file.

    Args:
        options: the options by which the identifiers were judged: they explain why spellings are the same.
        times: whether a run is to state when identifiers came, for the timeline; it costs some time. False makes no
            timeline; None makes one of what the batches state by themselves, as records do.
        templates: whether the templates of links are counted, with examples; it costs more.
        links: whether the identifiers that come most are counted, with their sources, spellings and times.
        memory_limit: the bytes of memory that keys may take, at least 1,000,000; None for no limit. See `KeySet`.
        folder: the folder of temporary files; that of `tempfile` for None.
        redact: the parts of identifiers that examples have as `***`; see `redact`.

    Attributes:
        found: how many identifiers came.
        schemes: how many of each scheme.
        hosts: how many of each host; those without a host are not among them.
        kinds: how many of each kind (`uri`, `iri`, `urn`).
        sources: how many of each source; None for texts without a name.
        warnings: how many warnings came, by code.
        reasons: how many candidates were rejected, by reason.

    Raises:
        UsageError: the limit is less than 1,000,000 bytes.
        OutputError: a temporary file cannot be written.
    """

    columns = frozenset(("raw", "uri", "key", "source", "warnings"))
    offsets = False
    writes_little = True
    suits_threads = True

    def __init__(
        self,
        *,
        options: Options | None = None,
        times: bool | None = None,
        templates: bool = False,
        links: bool = False,
        memory_limit: int | None = None,
        folder: str | None = None,
        redact: Iterable[str] = (),
    ) -> None:
        shapes.check(
            times=bool(times) if times is None else times,
            templates=templates,
            links=links,
            memory_limit=memory_limit,
            folder=folder,
        )
        self._mask = drawn_mask(None, redact=redact)
        self.found = 0
        self.warnings: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        if times:
            self.columns = self.columns | {TIME}
        self._folder = folder
        most = None if memory_limit is None else max(LEAST_LIMIT, memory_limit // 2)  # the rest is for other sets
        self._keys = KeySet(memory_limit=most, folder=folder)
        chosen = checked(options)
        self._spellings = SpellingCounts(chosen, self._mask, most, folder)
        self._heads = new_heads()
        self._schemes, self._hosts, self._namespaces, self._sources = (NameCounts(folder) for _ in range(4))
        self._templates: TemplateCounts | None = None
        if templates:
            from urisieve.sinks.statistics.link_counts import TemplateCounts

            self._templates = TemplateCounts(self._mask, folder)
        self._links: LinkCounts | None = None
        if links:
            from urisieve.sinks.statistics.link_counts import LinkCounts

            self._links = LinkCounts(most, folder, self._mask)
            self._spellings.counts_hosts = True
            self.columns = self.columns | self._links.columns
        self._source: tuple[str | None] | None = None  # that of the heads, if it is one
        self._iris = self._new_iris = 0
        self._times = TimeCounts()
        self._has_times = times is not False
        self._rejected: dict[str, dict[str, None]] = {}
        self._warned: dict[str, dict[str, None]] = {}

    @property
    def distinct(self) -> int:
        """How many different keys came, exact up to the collision bound of 16-byte digests."""
        return len(self._keys)

    @property
    def schemes(self) -> Counter[str]:
        """How many of each scheme."""
        self._split_heads()
        return _named(self._schemes)

    @property
    def hosts(self) -> Counter[str]:
        """How many of each host; those without a host are not among them."""
        self._split_heads()
        return _named(self._hosts)

    @property
    def kinds(self) -> Counter[str]:
        """How many of each kind (`uri`, `iri`, `urn`)."""
        return _named(self._kinds())

    @property
    def sources(self) -> Counter[str | None]:
        """How many of each source; None for texts without a name."""
        return self._sources.counter()

    def share(self, *, alone: bool) -> Callable[[], Share]:
        """See `SharedSink.share`."""
        return WholeBatches if alone else ResolvedBatches

    def thread_share(self) -> Callable[[], Share]:
        """See `SharedSink.thread_share`."""
        return partial(DigestedBatches, self._keys._digest_for)

    def absorb(self, batch: Batch, /) -> None:
        """Count the rows and rejections of a batch.

        Raises:
            UsageError: a column that is counted was not asked for.
        """
        if batch.rejections:
            self._reject(batch.rejections)
        count = len(batch)
        if not count:
            return
        self.found += count
        for name in ("key", "uri", "raw"):
            if name not in batch.columns:
                raise no_column(name)
        if self._links is not None:
            self._enter_source(self._links, batch)
        new, odd = self._heads.add(batch, self._keys, self._spellings.odd_keys)
        if self._heads.size > _HEADS:
            self._split_heads()
        if odd:
            self._add_odd(batch.layout.select(odd), frozenset(new), odd)
        self._count_sources(batch, new)
        if self._templates is not None:
            self._templates.add(batch.layout, new)
        if self._links is not None:
            self._links.add(batch)
        warned = batch.warned()
        if warned:
            rows = batch.layout.select(warned)
            for codes, raw, uri in zip(rows.held("warnings"), rows.held("raw"), rows.held("uri"), strict=True):
                self._warn(codes, raw, uri)
        if not self._has_times:
            return
        if TIME in batch.columns:
            self._times.add(batch.column(TIME), count)
        elif "location" in batch.columns and not batch.is_constant("location"):  # of records
            self._times.add([location and hour_at(location) for location in batch.column("location")], count)
        else:
            self._times.add_undated(count)

    def _enter_source(self, links: LinkCounts, batch: Batch) -> None:
        """Count the hosts of the source before, if that is another one, and those of a batch with several sources."""
        source = (batch.constant("source"),) if batch.is_constant("source") else None
        if source != self._source:
            self._split_heads()
            self._source = source
        if source is None:
            pairs = dict.fromkeys(zip(batch.layout.heads(), batch.column("source"), strict=True))
            known = [(host, source) for head, source in pairs if (host := split(head).host)]
            links.add_sources([host for host, _ in known], [source for _, source in known])

    def _add_odd(self, rows: Columns, new: frozenset[int], indices: Sequence[int]) -> None:
        """Count the spellings of rows at some indices, of which those at the indices `new` have a new key."""
        raws, uris = rows.held("raw"), rows.held("uri")
        fresh = [number for number, index in enumerate(indices) if index in new]
        self._spellings.take(raws, uris, rows.held("key"), fresh, self._keys)
        iris = [
            index
            for index, raw in enumerate(raws)
            if not raw.isascii() and uris[index][:4].lower() != "urn:" and kind_of_raw(raw) == "iri"
        ]
        self._iris += len(iris)
        self._new_iris += len(frozenset(fresh).intersection(iris))

    def _reject(self, rejections: Iterable[Rejection]) -> None:
        for one in rejections:
            reason = str(one.reason)
            self.reasons[reason] += 1
            examples = self._rejected.setdefault(reason, {})
            if len(examples) < _EXAMPLES:
                examples[example(self._mask.rejection(one).raw)] = None

    def _warn(self, codes: Iterable[Warn], raw: str, uri: str) -> None:
        for code in codes:
            self.warnings[str(code)] += 1
            examples = self._warned.setdefault(str(code), {})
            if len(examples) < _EXAMPLES:
                examples[example(self._mask.raw(raw, uri))] = None

    def _count_sources(self, batch: Batch, new: Sequence[int]) -> None:
        if batch.is_constant("source"):
            source = batch.constant("source")
            source = source and self._mask.name(source)
            self._sources.add({source: len(batch)}, {source: len(new)})
            return
        sources = [source and self._mask.name(source) for source in batch.column("source")]
        self._sources.add(Counter(sources), Counter([sources[index] for index in new]))

    def _split_heads(self) -> None:
        """Count schemes, hosts and namespaces by the heads of the URIs."""
        of_source = self._links is not None and self._source is not None
        names = NameCounts(self._folder) if of_source else self._hosts
        of_schemes, left = names.add_hosts(self._heads)
        schemes, hosts, namespaces = NewCounts(), NewCounts(), NewCounts()
        for row in of_schemes:
            schemes.add(*row)
        for head, count, new in left:
            scheme, _, host, _, path, _, _ = split(head or "")
            schemes.add(scheme, count, new)
            if scheme.lower() == "urn":
                namespaces.add(path, count, new)
            elif host is not None:
                hosts.add(host, count, new)
        for into, more in ((self._schemes, schemes), (names, hosts), (self._namespaces, namespaces)):
            into.add(more.counts, more.distinct)
        if self._links is not None and self._source is not None:
            some = [row.name for row in names if row.name]
            self._links.add_sources(some, self._source * len(some))
            self._hosts.take(names)
            names.close()

    def _kinds(self) -> NameCounts:
        self._split_heads()
        urns = [row for row in self._schemes if row.name is not None and row.name.lower() == "urn"]
        urn, new_urn = sum(row.count for row in urns), sum(row.distinct for row in urns)
        kinds = NameCounts()
        for name, count, distinct in (
            ("uri", self.found - urn - self._iris, self.distinct - new_urn - self._new_iris),
            ("iri", self._iris, self._new_iris),
            ("urn", urn, new_urn),
        ):
            if count:
                kinds.add({name: count}, {name: distinct})
        return kinds

    def _domains(self) -> NameCounts:
        """Return the counts by registrable domain.

        Raises:
            UsageError: the extra is not installed.
        """
        from urisieve.rules.registry import check_domains

        check_domains()
        domains = NameCounts(self._folder)
        domains.add_domains(self._hosts)
        return domains

    def statistics(self, *, top: int = 10, tally: Tally | None = None, files: int = 0, size: int = 0) -> Statistics:
        """Return what was counted so far.

        Args:
            top: the most rows of each ranking.
            tally: what was read, skipped and broken, as `sieve_into` returns it.
            files: the number of files read.
            size: the number of bytes read.

        Raises:
            UsageError: `top` is less than 1.
        """
        shapes.check(top=top, tally=tally)
        self._split_heads()
        notes: list[str] = []
        domains: Ranking | None = None
        try:
            counted = self._domains()
        except UsageError as error:
            notes.append(str(error))
        else:
            domains = counted.ranking(top)
            counted.close()
        hosts = self._hosts.ranking(top)
        if self._links is not None:
            hosts = self._links.detailed(hosts, self._spellings.of_hosts.of(row.name for row in hosts.rows))
        rejected = sum(self.reasons.values())
        distinct = self.distinct
        merges = self._spellings.merges()
        if merges.unexplained:
            notes.append(
                f"{merges.unexplained:,} of {merges.merged:,} merged identifiers are counted, but not among the rules: "
                "there are too many spellings to explain each"
            )
        return Statistics(
            files=files,
            bytes=size,
            funnel=Funnel(
                candidates=self.found + rejected,
                valid=self.found,
                spellings=self._spellings.spellings(distinct),
                canonical=self._spellings.canonical(distinct),
                distinct=distinct,
            ),
            kinds=self._kinds().ranking(top),
            schemes=self._schemes.ranking(top),
            hosts=hosts,
            domains=domains,
            namespaces=self._namespaces.ranking(top),
            sources=self._sources.ranking(top),
            templates=None if self._templates is None else self._templates.ranking(top),
            links=() if self._links is None else self._links.rows(top),
            merges=merges,
            rejections=_codes(self.reasons, self._rejected, lambda code: REASONS[Reason(code)].meaning),
            warnings=_codes(self.warnings, self._warned, lambda code: WARNINGS[Warn(code)].meaning),
            timeline=self._times.timeline(),
            input=_input_counts(tally),
            notes=tuple(notes),
        )

    def discard(self) -> None:
        """Remove temporary files; the sink must not be used afterwards."""
        names = (self._schemes, self._hosts, self._namespaces, self._sources)
        for held in (self._keys, self._spellings, *names, self._templates, self._links):
            if held is not None:
                held.close()


def _named(names: Iterable[NameCount]) -> Counter[str]:
    return Counter({row.name: row.count for row in names if row.name is not None})


def _codes(
    counts: Mapping[str, int], examples: Mapping[str, Iterable[str]], meaning: Callable[[str], str]
) -> CodeCounts:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = tuple(CodeCount(code, count, meaning(code), tuple(examples[code])) for code, count in ordered)
    return CodeCounts(total=sum(counts.values()), rows=rows)


def _input_counts(tally: Tally | None) -> InputCounts:
    if tally is None:
        return InputCounts()
    return InputCounts(
        kinds=tuple(sorted(tally.kinds.items())),
        read=tuple(sorted(tally.read.items())),
        skipped=tuple((kind, reason, count) for (kind, reason), count in sorted(tally.skipped.items())),
        broken=tuple((kind, reason, count) for (kind, reason), count in sorted(tally.broken.items())),
    )


def collect_statistics(
    paths: Sequence[str | os.PathLike[str]] | os.PathLike[str],
    *,
    top: int = 10,
    times: bool = True,
    templates: bool = False,
    links: bool = False,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    memory_limit: int | None = None,
    folder: str | None = None,
    redact: Iterable[str] = (),
    on_event: OnEvent = ignore_events,
) -> Statistics:
    """Count what files contain: candidates and identifiers, hosts and schemes, merged spellings, rejections and times.

    >>> from urisieve.sinks.statistics import collect_statistics
    >>> statistics = collect_statistics(["samples/access.log"])
    >>> statistics.funnel.valid >= statistics.funnel.distinct > 0
    True
    >>> [row.name for row in statistics.schemes.rows]
    ['http', 'https']

    Args:
        paths: files and folders, or one of them.
        top: the most rows of each ranking.
        times: whether to look for the times of lines and messages.
        templates: whether to count the templates of links, see `template_of`.
        links: whether to count each identifier, for those that come most.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of an encoding; by default it is detected by a byte order mark, else UTF-8.
        jobs: the number of workers that share the work; see `sieve_into`. The result is the same.
        memory_limit: the bytes of memory that keys may take; see `StatisticsSink`.
        folder: the folder of temporary files.
        redact: the parts of identifiers that examples have as `***`; see `redact`.
        on_event: called with each event: `BytesRead`, `Message`, `FileFailed`. A file that cannot be read does not
            raise an exception.

    Returns:
        the counts; the same input gives the same counts.

    Raises:
        ProcessError: a worker cannot be started, or has ended.
        OutputError: a temporary file cannot be written.
        UsageError: an argument is not valid.
    """
    shapes.check(top=top)
    chosen = checked_reading(reading)
    find_encoding(encoding)
    walked = Tally()
    names = found_files(shapes.paths("paths", paths), chosen, walked)
    run = Run(names, PartSettings(checked(options), chosen, encoding, frozenset()), jobs=jobs, on_event=on_event)
    run.note(walked)
    sink = StatisticsSink(
        options=options,
        times=times,
        templates=templates,
        links=links,
        memory_limit=memory_limit,
        folder=folder,
        redact=redact,
    )
    try:
        for _ in run.into(sink):
            pass
        sink.close()
        return sink.statistics(top=top, tally=run.tally, files=run.files, size=run.size)
    finally:
        sink.discard()
