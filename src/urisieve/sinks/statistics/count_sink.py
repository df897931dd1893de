"""`CountSink` and `count_keys`: how often each key comes, where first and last, in how many sources, how written.

Also defines:

- what is written of counted keys, as text, JSON lines and tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import groupby, islice

from urisieve import shapes
from urisieve.dedupe.counts import Appearance, Counts, KernelCounts, KeyCount
from urisieve.finding_options import Options, choice
from urisieve.kernel import either
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, late
from urisieve.records.base import NOWHERE, PLACE_NAMES, SCHEMA_VERSION, Location
from urisieve.records.batch import Batch
from urisieve.records.layouts import encoded_text
from urisieve.records.mask import Mask
from urisieve.runs.run_steps import Share, SharedSink, WholeBatches
from urisieve.sinks.formats import DECIDING, Form, Sort, json_line, present_filters, shown_row
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import Tally
from urisieve.wording import printable

if TYPE_CHECKING:
    from urisieve.dedupe.counts_on_disk import CountsOnDisk, PackedCounts
    from urisieve.files import TextSource
    from urisieve.records.batch import OnError
else:
    OnError, TextSource = late("urisieve.records.batch", "OnError"), late("urisieve.files", "TextSource")


# The number of keys of a chunk that is counted on its own: 25 MB.
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
        times: whether the earliest and the latest time of each key count, which takes longer.
        memory_limit: the bytes of memory that counts may take; None for no limit.
        folder: the folder for files beyond the limit; None for the system's folder of temporary files.
        by: `key`, or what is counted instead: `host`, `domain` or `template`. Its values are the keys then, and the
            keys of their identifiers are the spellings; identifiers without one are left out.

    Raises:
        UsageError: `by` is none of these, or domains need the extra `domains`.
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
        memory_limit: int | None = None,
        folder: str | None = None,
        redact: Iterable[str] = (),
        times: bool = False,
        by: Form | str = Form.KEY,
    ) -> None:
        shapes.check(again=again, memory_limit=memory_limit, folder=folder, times=times)
        self.times = times
        self.by = choice(DECIDING, by, "by")
        self.filters = present_filters(self.by)
        self._new_counts = Counts if times else new_counts
        self._mask = Mask(secret, again=again, redact=redact)
        self._limit = memory_limit
        self.suits_threads = memory_limit is None  # what waits for its turn takes memory
        self._folder = folder
        self._counts = self._new_counts()
        self._on_disk: CountsOnDisk | PackedCounts | None = None

    def share(self, *, alone: bool) -> Callable[[], Share]:
        """See `SharedSink.share`."""
        return WholeBatches if alone else partial(_CountShare, self._mask, self.by, self._new_counts)

    def absorb(self, product: Batch | list[Any], /) -> None:
        """See `SharedSink.absorb`."""
        if isinstance(product, Batch):
            self._counts.add_batch(_named_by(self.by, self._mask.batch(product)))
        else:
            self._counts.add_stretches(product)
        self._watch()

    def _watch(self) -> None:
        """Move the counts to disk if they take too much memory."""
        if self._limit is not None and self._counts.size > self._limit // 2:
            from urisieve.dedupe.counts_on_disk import CountsOnDisk, PackedCounts

            if self._on_disk is None:
                by_kernel = isinstance(self._counts, KernelCounts)
                self._on_disk = (PackedCounts if by_kernel else CountsOnDisk)(self._limit, self._folder)
            self._take()

    def _take(self) -> None:
        """Move the counts to disk."""
        on_disk: Any = self._on_disk
        on_disk.take(self._counts)
        self._counts = self._counts.emptied()

    def _all(self) -> Counts | KernelCounts | CountsOnDisk | PackedCounts:
        """Return where all counts are."""
        if self._on_disk is not None and len(self._counts):
            self._take()
        return self._counts if self._on_disk is None else self._on_disk

    def __len__(self) -> int:
        """Return the number of keys counted."""
        return len(self._all())

    def rows(self, *, min_count: int = 1, sort: Sort = Sort.FIRST) -> Iterator[KeyCount]:
        """Return the keys counted at least `min_count` times, with their counts, in the order asked for."""
        return self._all().rows(min_count, str(sort))

    def lines(self, least: int, sort: Sort, name: Callable[[str | None], bytes] | None) -> Iterator[bytes] | None:
        """Return `rows` as lines of text if the kernel has them; see `KernelCounts.lines`."""
        counts = self._all()
        write = getattr(counts, "lines", None)  # only the kernel writes them
        return None if write is None else write(least, str(sort), name)

    def fields(self, spellings: int) -> CountFields:
        """Return what is written of each key."""
        return CountFields(self.by, spellings, self.times)

    def discard(self) -> None:
        """Forget all counts, and remove their files."""
        self._counts = self._new_counts()
        if self._on_disk is not None:
            self._on_disk.close()


# Makes empty counts in memory.
new_counts: Final[Callable[[], Counts | KernelCounts]] = either(KernelCounts, Counts)


def _named_by(by: Form, batch: Batch) -> Batch:
    """Return the rows with their hosts, domains or templates as keys, and their keys as what is written."""
    if by is Form.KEY:
        return batch
    names = batch.column(by)
    return batch.replaced({"raw": batch.column("key"), "uri": names, "key": names})


class _CountShare:
    """Adds up what a worker finds in a chunk of one source."""

    def __init__(self, mask: Mask, by: Form, new_counts: Callable[[], Counts | KernelCounts]) -> None:
        self._mask = mask
        self._by = by
        self._source: str | None = None
        self._new_counts = new_counts
        self._counts = new_counts()

    def take(self, batch: Batch, /) -> list[Any] | None:
        """Add a batch; return the counts of a chunk that is long enough, or has ended."""
        if not len(batch):
            return None
        batch = _named_by(self._by, self._mask.batch(batch))
        if batch.is_constant("source"):
            parts = [(batch.constant("source"), batch)]
        else:
            sources = batch.column("source")
            stretches = groupby(range(len(batch)), key=sources.__getitem__)
            parts = [(source, batch.select(list(some))) for source, some in stretches]
        done: list[Any] = []
        for source, part in parts:
            if len(self._counts) and (source != self._source or len(self._counts) >= _LONG):
                done += self._taken()
            self._source = source
            self._counts.add_batch(part)
        return done or None

    def _taken(self) -> list[Any]:
        counts, self._counts = self._counts, self._new_counts()
        return counts.stretch(self._source)

    def flush(self) -> list[Any] | None:
        """Return the counts of the chunk."""
        return self._taken() if len(self._counts) else None

    def size(self, product: list[Any], /) -> int:
        """Return about how many bytes a product takes."""
        return sum(len(made) * (1 if isinstance(made, bytes) else _KEY) for _, made in product)


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
    by: Form | str = Form.KEY,
    on_error: OnError | None = None,
    tally: Tally | None = None,
) -> Iterator[KeyCount]:
    """Count how often each identifier comes, in how many sources, where first and last, and in which spellings.

    >>> from pathlib import Path
    >>> from urisieve.sinks.statistics import count_keys
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
        reading: how files are read; with `context` a key has its earliest and latest time.
        encoding: the name of the encoding of files; by default it is detected by a byte order mark, else UTF-8.
        jobs: how many processes share the work on each file; see `sieve_files`. `Blocks` are read by this process.
        memory_limit: the bytes that counts may take; beyond that they go to disk.
        folder: where such files are made; the system's folder for None.
        secret: the secret by which passwords in keys become digests, see `new_secret`; None to show them.
        redact: the parts of identifiers that are `***`, and in keys digests by the secret, which they need; see
            `redact`.
        by: `key`, or what is counted instead; see `CountSink`.
        on_error: called with the path and the error where a file cannot be read; without it the error is raised.
        tally: takes the counts of what was read, skipped, rejected and found broken in files, and messages.

    Yields:
        a `KeyCount` for each key, when all sources have been read; offsets are in characters of each source.

    Raises:
        InputError: a file cannot be read, and there is no `on_error`.
        UsageError: an argument cannot be taken.
    """
    shapes.check(min_count=min_count, memory_limit=memory_limit)
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
    times = reading is not None and reading.context
    sink = CountSink(secret=secret, memory_limit=memory_limit, folder=folder, redact=redact, times=times, by=by)

    def rows() -> Iterator[KeyCount]:
        try:
            for batch in batches:
                sink.take(batch)
            sink.close()
            yield from sink.rows(min_count=min_count, sort=order)
        finally:
            sink.discard()

    return rows()


_TOGETHER: Final = 4_096
_NEVER: Final = Appearance(None, None, 0)
# The fields of a location that users are shown; a Message-ID is long.
_SHOWN: Final = ("message", "part", "field", "row")


class CountFields(NamedTuple):
    """Chooses the fields that are written of each counted key.

    Attributes:
        by: what is counted.
        spellings: the most raw forms of each key, or keys of each host, domain or template.
        times: whether its first and its last time are written.
    """

    by: Form
    spellings: int
    times: bool

    def row(self, counted: KeyCount) -> dict[str, Any]:
        """Return the fields of one key, in the order of the schema."""
        return _row(counted, self)

    @property
    def names(self) -> list[str]:
        """The names of the fields."""
        return list(self.row(KeyCount("", "", 0, 0, _NEVER, _NEVER, ())))


def _row(counted: KeyCount, fields: CountFields) -> dict[str, Any]:
    is_key = fields.by is Form.KEY
    row: dict[str, Any] = {
        "schema": SCHEMA_VERSION,
        **({"key": counted.key, "uri": counted.uri} if is_key else {str(fields.by): counted.key}),
        "count": counted.count,
        "sources": counted.sources,
        "spellings" if is_key else "distinct": len(counted.spellings),
    }
    for name, (source, location, start) in (("first", counted.first), ("last", counted.last)):
        row[f"{name}_source"] = source
        for part, value in zip(PLACE_NAMES, location or NOWHERE, strict=False):
            row[f"{name}_{part}"] = value
        row[f"{name}_start"] = start
    if fields.times:
        row |= {"first_time": counted.first_time, "last_time": counted.last_time}
    if fields.spellings:
        row["raws" if is_key else "keys"] = list(counted.spellings[: fields.spellings])
    return row


def kernel_lines(sink: CountSink, least: int, sort: Sort, *, counts: bool) -> Iterator[bytes] | None:
    """Return the counts of a sink as `counted_text` if the kernel has them."""
    lines = sink.lines(least, sort, _encoded_name if counts else None)
    return None if lines is None else map(_encoded, lines)


def shown_counts(rows: Iterable[KeyCount], mask: Mask, by: Form) -> Iterator[KeyCount]:
    """Return counted keys, without what is hidden, as they are written."""
    return (_shown_count(one, mask, by) for one in rows) if mask.makes_values else iter(rows)


def _shown_count(counted: KeyCount, mask: Mask, by: Form) -> KeyCount:
    uri = counted.uri
    first, last = (
        end if end.source is None else end._replace(source=mask.value("source", end.source))
        for end in (counted.first, counted.last)
    )
    forms = tuple(mask.value("raw" if by is Form.KEY else "key", raw, uri) for raw in counted.spellings)
    key, uri = mask.value(by, counted.key), mask.value("uri" if by is Form.KEY else by, uri)
    return counted._replace(key=key, uri=uri, first=first, last=last, spellings=forms)


def _encoded_name(source: str | None) -> bytes:
    return _shown(source, None).encode("utf-8", "surrogatepass")


def _encoded(lines: bytes) -> bytes:
    """Return lines of the kernel as `encoded_text` has them: there may be lone surrogates in them, from ED on."""
    return encoded_text(lines.decode("utf-8", "surrogatepass")) if b"\xed" in lines else lines


def counted_text(rows: Iterable[KeyCount], fields: CountFields, *, counts: bool) -> Iterator[bytes]:
    """Yield counted keys as lines for users, some at a time; with `counts` in front if these are wanted."""
    for some in _some(rows):
        yield encoded_text("".join([_text(counted, counts, fields.spellings, fields.times) for counted in some]))


def counted_objects(rows: Iterable[KeyCount], fields: CountFields) -> Iterator[bytes]:
    """Yield counted keys as JSON lines, some at a time; half a surrogate pair is an escape, as JSON allows."""
    for some in _some(rows):
        lines = [f"{json_line(fields.row(counted))}\n" for counted in some]
        yield "".join(lines).encode("utf-8", "backslashreplace")


def _some(rows: Iterable[KeyCount]) -> Iterator[list[KeyCount]]:
    waiting = iter(rows)
    while some := list(islice(waiting, _TOGETHER)):
        yield some


def _text(counted: KeyCount, counts: bool, spellings: int, times: bool) -> str:
    _, uri, count, sources, (source, location, start), (last_source, last_location, last_start), forms, *moments = (
        counted
    )
    line = f"{uri}\n"
    if counts:
        first, last = _shown(source, location), _shown(last_source, last_location)
        line = "".join([f"{one or ''}\t" for one in moments]) + line if times else line
        line = f"{count}\t{sources}\t{len(forms)}\t{first}{start}\t{last}{last_start}\t{line}"
    if spellings:
        line += "".join([f"\t{_one_line(raw)}\n" for raw in forms[:spellings]])
    return line


@lru_cache(_TOGETHER)
def _shown(source: str | None, location: Location | None) -> str:
    """Return the text shown before an offset: the source, and the message, part, field and row in it."""
    words = [] if source is None else [printable(source)]
    for name, value in (location or NOWHERE)._asdict().items():
        if name in _SHOWN and value is not None:
            words.append(printable(f"{name} {value}"))
    return f"{_one_line(', '.join(words))}:" if words else ""


def _one_line(text: str) -> str:
    return " ".join(text.split()) if any(mark in text for mark in "\n\r\t") else text


def counted_table(rows: Iterable[KeyCount], fields: CountFields, *, tabs: bool) -> Iterator[bytes]:
    """Yield counted keys as CSV, or by tabs, with their header, some at a time."""
    import csv
    import json
    from io import StringIO

    buffer = StringIO(newline="")
    writer = csv.writer(buffer, dialect="excel-tab", lineterminator="\n") if tabs else csv.writer(buffer)
    writer.writerow(fields.names)
    for number, counted in enumerate(rows, 1):
        row = shown_row(fields.row(counted))
        values = [json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value for value in row.values()]
        if tabs:
            values = [_one_line(value) if isinstance(value, str) else value for value in values]
        writer.writerow(values)
        if number % _TOGETHER == 0:
            yield buffer.getvalue().encode("utf-8", "backslashreplace")
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode("utf-8", "backslashreplace")
