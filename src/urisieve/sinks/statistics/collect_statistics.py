"""`collect_statistics`: what files hold, in one call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from urisieve.errors import UsageError
from urisieve.options import Options, checked
from urisieve.runs.events import OnEvent, ignore_events
from urisieve.runs.part_sieve import PartSettings
from urisieve.runs.run import Run, checked_paths, found_files
from urisieve.sinks.statistics.statistics import Statistics
from urisieve.sinks.statistics.statistics_sink import StatisticsSink
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.reading_options import DEFAULT_READING, ReadingOptions
from urisieve.sources.tally import Tally


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
    """Count what files hold: candidates and identifiers, hosts and schemes, merged spellings, rejections and times.

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
    if not isinstance(top, int) or top < 1:
        raise UsageError(f"top={top!r} must be an integer of at least 1")
    chosen = DEFAULT_READING if reading is None else reading
    find_encoding(encoding)
    walked = Tally()
    names = found_files(checked_paths(paths), chosen, walked)
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
