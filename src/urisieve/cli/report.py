"""`urisieve report`: sources, through the sieve, to statistics on a page."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from urisieve.cli.settings.report_arguments import parse_report
from urisieve.cli.stats import collected
from urisieve.cli.terminal.reports import say
from urisieve.cli.watched_run import WatchedRun, listed_settings
from urisieve.lean.hints import Final
from urisieve.runs.termination import unwound_on_termination
from urisieve.sinks.files.outputs import STANDARD_OUTPUT, open_output
from urisieve.sinks.files.uses import check_uses
from urisieve.sinks.report.page import ReportSettings, report_page

__all__ = ["run"]

_FOUND: Final = 0
_NOTHING_FOUND: Final = 1
_FAILED: Final = 2


def run(argv: Sequence[str]) -> int:
    """Run `urisieve report` and return its exit status.

    Raises:
        OutputError: the page, or a temporary file, cannot be written; an old page is as it was.
        InputError: no source could be read; an old page is as it was.
    """
    settings = parse_report(argv)
    listed = settings.extract.files_from
    extract, walked = listed_settings(settings.extract)
    check_uses([("--output", [extract.output])], extract.paths, listed=listed)
    watched = WatchedRun(extract)
    watched.run.note(walked)
    generated = None
    if settings.dated:
        from datetime import UTC, datetime

        generated = datetime.now(UTC)
    try:
        with unwound_on_termination(), ExitStack() as stack:
            output = stack.enter_context(open_output(extract.output))
            statistics = collected(
                watched,
                stack,
                extract,
                records=settings.records,
                top=settings.top,
                times=settings.times,
                memory_limit=settings.memory_limit,
                temp=settings.temp,
            )
            watched.check(keeps=extract.output != STANDARD_OUTPUT)
            page = report_page(statistics, ReportSettings(settings.title, settings.links, generated))
            output.write(page.encode("utf-8"))
    except BrokenPipeError:
        return _FAILED if watched.run.failed else _FOUND
    if not extract.quiet:
        say(watched.counts(f"{statistics.funnel.distinct:,} unique"))
    if watched.run.failed:
        return _FAILED
    return _FOUND if watched.run.found else _NOTHING_FOUND
