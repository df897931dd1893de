"""The commands that count: `urisieve count`, `urisieve stats` and `urisieve report`.

What they find goes through the sieve to counts of identifiers, or to statistics for people or programs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from urisieve.cli.settings.extract_arguments import ExtractSettings
from urisieve.cli.settings.stats_arguments import (
    CountingSettings,
    CountSettings,
    StatsSettings,
    parse_count,
    parse_report,
    parse_stats,
)
from urisieve.cli.settings.text_arguments import TableFormat
from urisieve.cli.terminal.reports import DONE, FAILED
from urisieve.cli.watched_run import WatchedRun, listed_settings
from urisieve.dedupe.keyset import budget
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.runs.process import unwound_on_termination
from urisieve.sinks.outputs import STANDARD_OUTPUT, check_uses, open_output

if TYPE_CHECKING:
    from urisieve.sinks.statistics.statistics import Statistics


# The columns of a terminal that are used at least and at most; those of an output that is not one.
_NARROWEST: Final = 40
_WIDEST: Final = 200
_USUAL: Final = 80

# Takes what to find, the run, and what cleans up behind it; writes the output, and returns how many keys there were.
_Work = Callable[[ExtractSettings, WatchedRun, ExitStack], int]


def _counted(settings: ExtractSettings, work: _Work) -> int:
    """Count what sources hold, write that, and return the exit status of the command.

    It is 0 if the sources hold an identifier; 1 if they hold none; 2 if something could not be read.

    Raises:
        UsageError: files or values do not go together.
        OutputError: the output, or a temporary file, cannot be written; a file is as it was.
        InputError: no source could be read, and the output is a file, which is as it was.
    """
    listed = settings.files_from
    settings, walked = listed_settings(settings)
    check_uses([("--output", [settings.output])], settings.paths, listed=listed)
    watched = WatchedRun(settings)
    watched.run.note(walked)
    try:
        with unwound_on_termination(), watched.counted_if_interrupted(), ExitStack() as stack:
            unique = work(settings, watched, stack)
    except BrokenPipeError:
        return FAILED if watched.run.failed else DONE
    watched.sum_up(f"{unique:,} unique")
    return watched.status()


def run_count(argv: Sequence[str]) -> int:
    """Run `urisieve count` and return its exit status; see `count`."""
    return count(parse_count(argv))


def count(settings: CountSettings) -> int:
    """Count identifiers, write the counts, and return the exit status; see `_counted` for it and what is raised."""
    from urisieve.sinks.formats import FormatSettings
    from urisieve.sinks.record_formats import record_format
    from urisieve.sinks.statistics.count_sink import CountSink

    def work(extract: ExtractSettings, watched: WatchedRun, stack: ExitStack) -> int:
        output = watched.shown(stack.enter_context(open_output(extract.output)))
        again = bool(settings.held)
        limit = budget(settings.memory_limit)
        sink = CountSink(again=again, limit=limit, folder=settings.temp, **extract.hiding.of_keys())
        stack.callback(sink.discard)
        watched.held_into(stack, sink, settings.held, named=True)
        watched.check(keeps=extract.output != STANDARD_OUTPUT)
        unique = len(sink)
        made = record_format(FormatSettings(extract.format, again=again, **extract.hiding.of_format()))
        made.write_counts(
            sink,
            output,
            settings.min_count,
            settings.sort,
            counts=settings.counts,
            spellings=settings.spellings,
        )
        return unique

    return _counted(settings.extract, work)


def run_stats(argv: Sequence[str]) -> int:
    """Run `urisieve stats` and return its exit status; see `_counted` for what is raised."""
    settings = parse_stats(argv)
    return _summed_up(settings.counting, lambda statistics: _formatted(statistics, settings))


def _summed_up(settings: CountingSettings, written: Callable[[Statistics], bytes], *, links: bool = False) -> int:
    """Make statistics, write what `written` makes of them, return the exit status; `links`: count each identifier."""

    def work(extract: ExtractSettings, watched: WatchedRun, stack: ExitStack) -> int:
        output = watched.safe(stack.enter_context(open_output(extract.output)), ",")
        statistics = _collected(watched, stack, settings._replace(extract=extract), links=links)
        watched.check(keeps=extract.output != STANDARD_OUTPUT)
        output.write(written(statistics))
        return statistics.funnel.distinct

    return _counted(settings.extract, work)


def _collected(watched: WatchedRun, stack: ExitStack, settings: CountingSettings, *, links: bool) -> Statistics:
    """Return the statistics of the sources of a run; `stack` removes temporary files at its end."""
    from urisieve.sinks.statistics.statistics_sink import StatisticsSink

    extract = settings.extract
    sink = StatisticsSink(
        options=extract.options,
        times=settings.times,
        templates=settings.templates,
        links=links,
        memory_limit=budget(settings.memory_limit),
        folder=settings.temp,
        **extract.hiding.of_examples(),
    )
    stack.callback(sink.discard)
    watched.held_into(stack, sink, settings.held)
    sink.close()
    run = watched.run
    return sink.statistics(top=settings.top, tally=run.tally, files=run.files, size=run.size)


def _formatted(statistics: Statistics, settings: StatsSettings) -> bytes:
    extract = settings.counting.extract
    statistics = extract.hiding.statistics(statistics)
    if settings.format is TableFormat.JSON:
        from urisieve.sinks.formats import json_line

        return f"{json_line(statistics.as_dict())}\n".encode()
    if settings.format is TableFormat.CSV:
        from urisieve.sinks.statistics.statistics_text import statistics_csv

        return statistics_csv(statistics).encode("utf-8", "surrogateescape")
    from urisieve.cli.terminal.screen import is_colored
    from urisieve.drawing import Palette
    from urisieve.sinks.statistics.statistics_text import statistics_lines

    to_file = extract.output != STANDARD_OUTPUT
    encoding = "utf-8" if to_file or sys.stdout is None else sys.stdout.encoding or "utf-8"
    palette = Palette(is_colored(settings.color))
    lines = statistics_lines(statistics, width=_USUAL if to_file else _width(), palette=palette, encoding=encoding)
    return "".join(f"{line}\n" for line in lines).encode(encoding, "replace")


def _width() -> int:
    """Return the columns to use: those of the terminal, or what COLUMNS says."""
    from shutil import get_terminal_size

    return max(_NARROWEST, min(_WIDEST, get_terminal_size((_USUAL, 24)).columns))


def run_report(argv: Sequence[str]) -> int:
    """Run `urisieve report` and return its exit status; see `_counted` for what is raised."""
    from urisieve.sinks.report.page import ReportSettings, report_page

    settings = parse_report(argv)
    generated = None
    if settings.dated:
        from datetime import UTC, datetime

        generated = datetime.now(UTC)
    page = ReportSettings(settings.title, settings.links, generated)
    return _summed_up(settings.counting, lambda statistics: report_page(statistics, page).encode("utf-8"), links=True)
