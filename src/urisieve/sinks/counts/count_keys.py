"""`count_keys`: how often each identifier comes in texts and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.dedupe.counts import KeyCount
from urisieve.files import OnError, TextSource, extract_batches
from urisieve.options import Options, choice
from urisieve.sinks.counts.count_sink import CountSink
from urisieve.sinks.formats import Sort
from urisieve.sinks.masked import Mask
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import Tally

__all__ = ["count_keys"]


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
    parts = tuple(redact)
    Mask(secret, redact=parts)  # raises now for what cannot be taken
    order = choice(Sort, sort, "sort")
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
        sink = CountSink(secret=secret, limit=memory_limit, folder=folder, redact=parts)
        try:
            for batch in batches:
                sink.take(batch)
            sink.close()
            yield from sink.rows(min_count, order)
        finally:
            sink.discard()

    return rows()
