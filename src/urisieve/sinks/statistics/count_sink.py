"""`CountSink` and `count_keys`: how often each key comes, where first and last, in how many sources, how written."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from urisieve.dedupe.counts import Counts, KeyCount, KeyCountColumns
from urisieve.dedupe.kernel_counts import KernelCounts
from urisieve.kernel import compiled
from urisieve.lean import TYPE_CHECKING, Final, late
from urisieve.options import Options, choice
from urisieve.records.base import Location
from urisieve.records.batch import Batch
from urisieve.records.mask import Mask
from urisieve.runs.run_steps import RunStep, Share, SharedSink, WholeBatches
from urisieve.sinks.formats import Sort
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import Tally

if TYPE_CHECKING:
    from urisieve.dedupe.counts_on_disk import CountsOnDisk
    from urisieve.files import OnError, TextSource
else:
    OnError, TextSource = late("urisieve.files", "OnError"), late("urisieve.files", "TextSource")

__all__ = ["CountSink", "Sums", "count_keys"]

# The number of keys of a stretch that is counted on its own: 25 MB.
_LONG: Final = 65_536
_COLUMNS: Final = frozenset(("raw", "uri", "key", "start", "source", "location", "warnings"))
# About how many bytes a key takes on its way.
_KEY: Final = 64


class CountSink(SharedSink):
    """A sink that counts keys, in memory and beyond a limit on disk; the counts are exact.

    >>> from urisieve import sieve_into
    >>> from urisieve.sinks import CountSink
    >>> sink = CountSink()
    >>> tally = sieve_into(["samples/access.log"], sink)
    >>> most = max(sink.rows(), key=lambda row: row.count)
    >>> most.uri, most.count
    ('https://www.example.org/m/filter/b113', 3)

    Args:
        secret: the secret by which passwords in keys become digests; None to show them.
        again: whether the records of the batches may have been masked before, when they were written.
        redact: the parts of identifiers that are `***`, and in keys digests by the secret; see `redact`.
        limit: the limit of memory in bytes; None for no limit.
        folder: the folder for files beyond the limit; None for the system's folder of temporary files.

    Raises:
        OutputError: the files cannot be written.
    """

    columns = _COLUMNS
    offsets = True
    writes_little = True

    def __init__(
        self,
        *,
        secret: bytes | None = None,
        again: bool = False,
        limit: int | None = None,
        folder: str | None = None,
        redact: Iterable[str] = (),
    ) -> None:
        self._mask = Mask(secret, again=again, redact=redact)
        self._limit = limit
        self.suits_threads = compiled and limit is None  # what waits for its turn takes memory
        self._folder = folder
        self._counts = _counts_in_memory()
        self._on_disk: CountsOnDisk | None = None
        self._rest = _CountShare(self._mask)  # adds up the batches that the kernel cannot take

    def share(self, *, alone: bool) -> Callable[[], Share]:
        """See `SharedSink.share`."""
        if alone and compiled:
            return WholeBatches
        return partial(_CountShare, self._mask)

    def absorb(self, product: Batch | KeyCountColumns, /) -> None:
        """See `SharedSink.absorb`."""
        if isinstance(product, Batch):
            if self._harvested(product):
                return
            columns = self._rest.take(product)
            if columns is None:
                return
            product = columns
        if not product.keys:
            return
        self._counts.add(product)
        self._watch()

    def _harvested(self, batch: Batch) -> bool:
        """Add the columns of a batch as the kernel has made them; return False if it has to be added up here."""
        harvest = batch.harvest
        if harvest is None or self._mask.may_change(batch):
            return False
        self._flush()
        if not isinstance(self._counts, KernelCounts):
            return False
        self._counts.add_harvest(harvest, batch.constant("source"), batch.constant("location"))
        self._watch()
        return True

    def _watch(self) -> None:
        """Move the counts to disk if they take too much memory."""
        if self._limit is not None and self._counts.size > self._limit // 2:
            from urisieve.dedupe.counts_on_disk import CountsOnDisk

            if self._on_disk is None:
                self._on_disk = CountsOnDisk(self._limit, self._folder)
            self._on_disk.take(self._counts)
            self._counts = _counts_in_memory()

    def _flush(self) -> None:
        """Add what was added up here."""
        columns = self._rest.flush()
        if columns is not None:
            self.absorb(columns)

    def end_step(self, step: RunStep, /) -> None:
        """See `SharedSink.end_step`."""
        if step.part is not None:
            self._flush()

    def close(self) -> None:
        """See `SharedSink.close`."""
        super().close()
        self._flush()

    def _all(self) -> Counts | KernelCounts | CountsOnDisk:
        """Return where all counts are."""
        if self._on_disk is not None and len(self._counts):
            self._on_disk.take(self._counts)
            self._counts = _counts_in_memory()
        return self._counts if self._on_disk is None else self._on_disk

    def __len__(self) -> int:
        """Return the number of keys counted."""
        return len(self._all())

    def rows(self, least: int = 1, sort: Sort = Sort.FIRST) -> Iterator[KeyCount]:
        """Return the keys counted at least `least` times, with their counts, in the order asked for."""
        return self._all().rows(least, str(sort))

    def lines(self, least: int, sort: Sort, name: Callable[[str | None], bytes] | None) -> Iterator[bytes] | None:
        """Return `rows` as lines of text if the kernel holds them; see `KernelCounts.lines`."""
        if self._on_disk is not None or not isinstance(self._counts, KernelCounts):
            return None
        return self._counts.lines(least, str(sort), name)

    def discard(self) -> None:
        """Forget all counts, and remove their files."""
        self._counts = _counts_in_memory()
        if self._on_disk is not None:
            self._on_disk.close()


def _counts_in_memory() -> Counts | KernelCounts:
    return KernelCounts() if compiled else Counts()


class _CountShare:
    """Adds up what a worker finds in a stretch of one source."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._source: str | None = None
        self._sums: Sums | None = None

    def take(self, batch: Batch, /) -> KeyCountColumns | None:
        """Add a batch; return the sums of a stretch that is long enough, or has ended."""
        if not len(batch):
            return None
        batch = self._mask.batch(batch)
        done: list[KeyCountColumns] = []
        sources: Sequence[str | None] = batch.column("source")
        for source, indices in groupby(range(len(batch)), key=sources.__getitem__):
            if self._sums is not None and source != self._source:
                done.append(self._sums.columns())
                self._sums = None
            if self._sums is None:
                self._sums = Sums(source)
                self._source = source
            self._sums.add_batch(batch if batch.is_constant("source") else batch.select(list(indices)))
            if batch.is_constant("source"):
                break
        if self._sums is not None and len(self._sums) >= _LONG:
            done.append(self._sums.columns())
            self._sums = None
        return _joined(done) if done else None

    def flush(self) -> KeyCountColumns | None:
        """Return the sums of the stretch."""
        sums, self._sums = self._sums, None
        return None if sums is None else sums.columns()

    def size(self, product: KeyCountColumns, /) -> int:
        """Return about how many bytes a product takes."""
        return _KEY * len(product.keys)


def _joined(some: Sequence[KeyCountColumns]) -> KeyCountColumns:
    """Join columns, one after the other."""
    if len(some) == 1:
        return some[0]
    columns = ([value for column in same for value in column] for same in zip(*some, strict=True))
    return KeyCountColumns(*columns)


class Sums:
    """The sums of one source, added up by loops in compiled code, since they decide the speed of counting."""

    def __init__(self, source: str | None) -> None:
        self._source = source
        self._counts: Counter[str] = Counter()
        self._firsts: dict[str, int] = {}
        self._lasts: dict[str, int] = {}
        self._first_locations: dict[str, Location | None] = {}
        self._last_locations: dict[str, Location | None] = {}
        self._spellings: dict[str, dict[str, None]] = {}
        self._uris: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def add_batch(self, batch: Batch) -> None:
        """Add the rows of a batch."""
        uris, keys = batch.column("uri"), batch.column("key")
        apart = {} if uris is keys else {key: uri for uri, key in zip(uris, keys, strict=True) if uri != key}
        locations: Sequence[Location | None] | None = None
        if not batch.is_constant("location") or batch.constant("location") is not None or self._first_locations:
            locations = batch.column("location")
            if not self._first_locations:
                self._first_locations, self._last_locations = dict.fromkeys(self._counts), dict.fromkeys(self._counts)
        self.add(batch.column("raw"), keys, batch.column("start"), apart, locations)

    def add(
        self,
        raws: Sequence[str],
        keys: Sequence[str],
        starts: Sequence[int],
        uris: Mapping[str, str],
        locations: Sequence[Location | None] | None = None,
    ) -> None:
        """Add columns in the order of the text; `uris` are canonical forms that are not their keys."""
        spelled = self._spellings
        for key in [key for raw, key in zip(raws, keys, strict=True) if raw != key]:
            if key not in spelled:
                spelled[key] = {key: None} if key in self._counts else {}
        if spelled:
            for raw, key in zip(raws, keys, strict=True):
                if key in spelled:
                    spelled[key][raw] = None
        self._counts.update(keys)
        deque(map(self._firsts.setdefault, keys, starts), maxlen=0)
        self._lasts.update(zip(keys, starts, strict=True))
        if locations is not None:
            deque(map(self._first_locations.setdefault, keys, locations), maxlen=0)
            self._last_locations.update(zip(keys, locations, strict=True))
        self._uris.update(uris)

    def columns(self) -> KeyCountColumns:
        """Return the sums, a row for each key."""
        counts, spelled, uris, none = self._counts, self._spellings, self._uris, [None] * len(self._counts)
        return KeyCountColumns(
            keys=list(counts),
            counts=list(counts.values()),
            sources=[self._source] * len(counts),
            firsts=list(self._firsts.values()),
            lasts=list(self._lasts.values()),
            first_locations=list(self._first_locations.values()) or none,
            last_locations=list(self._last_locations.values()) or none,
            spellings=[tuple(spelled[key]) if key in spelled else None for key in counts] if spelled else none,
            uris=[uris.get(key) for key in counts] if uris else none,
        )


def count_keys(
    sources: Iterable[TextSource],
    *,
    sort: Sort | str = Sort.FIRST,
    min_count: int = 1,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    memory_limit: int | None = None,
    folder: str | None = None,
    secret: bytes | None = None,
    redact: Iterable[str] = (),
    on_error: OnError | None = None,
    tally: Tally | None = None,
) -> Iterator[KeyCount]:
    """Count how often each identifier comes, in how many sources, where first and last, and in which spellings.

    >>> from pathlib import Path
    >>> from urisieve import count_keys
    >>> pages = [("a", "http://x.example http://X.example/"), ("b", "see http://x.example/ and urn:isbn:0395363411")]
    >>> for row in count_keys(pages, sort="count"):
    ...     print(row.count, row.sources, row.uri, row.first.source, row.first.start, len(row.spellings))
    3 2 http://x.example/ a 0 3
    1 1 urn:isbn:0395363411 b 26 1

    Args:
        sources: texts, pairs of a name and a text, paths of files and folders, and `Blocks`; see `extract_batches`.
        sort: `first`, `count` (falling) or `uri`.
        min_count: only identifiers that come so often or more.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of the encoding of files; by default it is detected by a byte order mark, else UTF-8.
        jobs: how many processes share the work on each file; see `sieve_files`. `Blocks` are read by this process.
        memory_limit: the bytes that counts may take; beyond that they go to disk.
        folder: where such files are made; the system's folder for None.
        secret: the secret by which passwords in keys become digests, see `new_secret`; None to show them.
        redact: the parts of identifiers that are `***`, and in keys digests by the secret, which they need; see
            `redact`.
        on_error: called with the path and the error where a file cannot be read; without it the error is raised.
        tally: takes the counts of what was read, skipped, rejected and found broken in files, and messages.

    Yields:
        a `KeyCount` for each key, when all sources have been read; offsets are in characters of each source.

    Raises:
        InputError: a file cannot be read, and there is no `on_error`.
        UsageError: an argument cannot be taken.
    """
    sink = CountSink(secret=secret, limit=memory_limit, folder=folder, redact=redact)
    order = choice(Sort, sort, "sort")
    from urisieve.files import extract_batches

    batches = extract_batches(
        sources,
        columns=CountSink.columns,
        options=options,
        reading=reading,
        encoding=encoding,
        jobs=jobs,
        on_error=on_error,
        tally=tally,
    )

    def rows() -> Iterator[KeyCount]:
        try:
            for batch in batches:
                sink.take(batch)
            sink.close()
            yield from sink.rows(min_count, order)
        finally:
            sink.discard()

    return rows()
