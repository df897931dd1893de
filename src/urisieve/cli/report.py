"""`urisieve report`: sources, through the sieve, to statistics on a page."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.cli.settings.stats_arguments import parse_report
from urisieve.cli.stats import count
from urisieve.sinks.report.page import ReportSettings, report_page

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run `urisieve report` and return its exit status; see `urisieve.cli.stats.count` for what is raised."""
    settings = parse_report(argv)
    generated = None
    if settings.dated:
        from datetime import UTC, datetime

        generated = datetime.now(UTC)
    page = ReportSettings(settings.title, settings.links, generated)
    return count(settings.counting, lambda statistics: report_page(statistics, page).encode("utf-8"))
