"""`urisieve stats` and `urisieve report`: sources, through the sieve, to statistics for people or programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from urisieve.cli.settings.stats_arguments import CountingSettings, StatsSettings, parse_report, parse_stats
from urisieve.cli.settings.text_arguments import TableFormat
from urisieve.cli.terminal.screen import is_colored
from urisieve.cli.watched_run import WatchedRun, listed_settings
from urisieve.dedupe.keyset import budget
from urisieve.drawing import Palette
from urisieve.lean import Final
from urisieve.runs.termination import unwound_on_termination
from urisieve.sinks.files.outputs import STANDARD_OUTPUT, check_uses, open_output
from urisieve.sinks.formats import json_line
from urisieve.sinks.statistics.statistics import Statistics
from urisieve.sinks.statistics.statistics_sink import StatisticsSink
from urisieve.sinks.statistics.statistics_text import statistics_lines

__all__ = ["count", "run", "run_report"]

_FOUND: Final = 0
_NOTHING_FOUND: Final = 1
_FAILED: Final = 2
# The columns of a terminal that are used at least and at most; those of an output that is not one.
_NARROWEST: Final = 40
_WIDEST: Final = 200
_USUAL: Final = 80


def run(argv: Sequence[str]) -> int:
    """Run `urisieve stats` and return its exit status; see `count` for what is raised."""
    settings = parse_stats(argv)
    return count(settings.counting, lambda statistics: _formatted(statistics, settings))


def count(settings: CountingSettings, written: Callable[[Statistics], bytes]) -> int:
    """Count what sources hold, write that to the output, and return the exit status of the command.

    Args:
        settings: what to count and how.
        written: returns the output.

    Raises:
        OutputError: the output, or a temporary file, cannot be written; a file is as it was.
        InputError: no source could be read, and the output is a file, which is as it was.
    """
    listed = settings.extract.files_from
    extract, walked = listed_settings(settings.extract)
    check_uses([("--output", [extract.output])], extract.paths, listed=listed)
    watched = WatchedRun(extract)
    watched.run.note(walked)
    try:
        with unwound_on_termination(), watched.counted_if_interrupted(), ExitStack() as stack:
            output = stack.enter_context(open_output(extract.output))
            output = watched.safe(output, ",")
            statistics = _collected(watched, stack, settings._replace(extract=extract))
            watched.check(keeps=extract.output != STANDARD_OUTPUT)
            output.write(written(statistics))
    except BrokenPipeError:
        return _FAILED if watched.run.failed else _FOUND
    watched.sum_up(f"{statistics.funnel.distinct:,} unique")
    if watched.run.failed:
        return _FAILED
    return _FOUND if watched.run.found else _NOTHING_FOUND


def _collected(watched: WatchedRun, stack: ExitStack, settings: CountingSettings) -> Statistics:
    """Return the statistics of the sources of a run; `stack` removes temporary files at its end."""
    extract = settings.extract
    sink = StatisticsSink(
        options=extract.options,
        times=settings.times,
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
        return f"{json_line(statistics.as_dict())}\n".encode()
    if settings.format is TableFormat.CSV:
        from urisieve.sinks.statistics.statistics_table import statistics_csv

        return statistics_csv(statistics).encode("utf-8", "surrogateescape")
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
    """Run `urisieve report` and return its exit status; see `count` for what is raised."""
    from urisieve.sinks.report.page import ReportSettings, report_page

    settings = parse_report(argv)
    generated = None
    if settings.dated:
        from datetime import UTC, datetime

        generated = datetime.now(UTC)
    page = ReportSettings(settings.title, settings.links, generated)
    return count(settings.counting, lambda statistics: report_page(statistics, page).encode("utf-8"))
