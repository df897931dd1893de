"""Statistics as a report: `report_html` returns the page, `write_report` writes it to a file."""

from __future__ import annotations

import os
from datetime import datetime

from urisieve.errors import UsageError
from urisieve.sinks.files.outputs import open_output
from urisieve.sinks.report.page import DEFAULT_TITLE, ReportSettings, report_page
from urisieve.sinks.statistics.statistics import Statistics

__all__ = ["report_html", "write_report"]


def report_html(
    statistics: Statistics, *, title: str = DEFAULT_TITLE, links: bool = False, generated: datetime | None = None
) -> str:
    """Return statistics as one HTML page that needs no other file and no network, of less than 300,000 bytes.

    >>> from urisieve import Statistics, report_html
    >>> page = report_html(Statistics(files=1, bytes=20))
    >>> page.startswith("<!DOCTYPE html>"), "default-src 'none'" in page
    (True, True)

    All text in it is escaped; control characters are replaced; passwords are masked. Only as many rows of each table
    are there as there is room for, and each table says how many were left out.

    Args:
        statistics: the statistics.
        title: the title of the page.
        links: whether identifiers are written as they are, and those of `http` and `https` are links; else all are
            defanged, and none is a link.
        generated: the time that the page gives as its own; none by default, so that the same statistics give the same
            page.

    Raises:
        UsageError: an argument has another type.
    """
    return report_page(_checked(statistics), _settings(title, links, generated))


def write_report(
    statistics: Statistics,
    path: str | os.PathLike[str],
    *,
    title: str = DEFAULT_TITLE,
    links: bool = False,
    generated: datetime | None = None,
) -> int:
    """Write statistics as one HTML page, see `report_html`.

    The file is there whole or not at all: an old one stays until the new one is complete.

    >>> import os, tempfile
    >>> from urisieve import Statistics, write_report
    >>> path = os.path.join(tempfile.mkdtemp(), "report.html")
    >>> write_report(Statistics(), path) == os.path.getsize(path) < 300_000
    True

    Args:
        statistics: the statistics.
        path: the file; `-` for standard output.
        title: the title of the page.
        links: whether identifiers are written as they are, and those of `http` and `https` are links.
        generated: the time that the page gives as its own; none by default.

    Returns:
        how many bytes were written.

    Raises:
        OutputError: the file cannot be written; it is as it was.
        UsageError: an argument has another type.
    """
    data = report_page(_checked(statistics), _settings(title, links, generated)).encode("utf-8")
    with open_output(os.fsdecode(path)) as output:
        output.write(data)
    return len(data)


def _checked(statistics: Statistics) -> Statistics:
    if not isinstance(statistics, Statistics):
        raise UsageError(
            f"statistics is a {type(statistics).__name__}: give what StatisticsSink.statistics or collect_statistics "
            "returns"
        )
    return statistics


def _settings(title: str, links: bool, generated: datetime | None) -> ReportSettings:
    if not isinstance(title, str):
        raise UsageError(f"title is a {type(title).__name__}: give a string")
    if not isinstance(links, bool):
        raise UsageError(f"links is a {type(links).__name__}: give True or False")
    if generated is not None and not isinstance(generated, datetime):
        raise UsageError(f"generated is a {type(generated).__name__}: give a datetime, or None")
    return ReportSettings(title, links, generated)
