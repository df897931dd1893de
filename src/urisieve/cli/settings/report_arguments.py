"""Arguments of `urisieve report`, and how they become frozen settings."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.cli.settings.flags import command_parser, settings_of
from urisieve.cli.settings.hiding import chosen_hiding
from urisieve.cli.settings.output_arguments import shows_output
from urisieve.cli.settings.stats_arguments import (
    RECORDS,
    CountingSettings,
    counted_sources,
    counting_flags,
    counting_settings,
    counting_ways,
)
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple
from urisieve.sinks.report.page import DEFAULT_TITLE

__all__ = ["ReportArguments", "parse_report"]

# A page has room for more than a terminal.
_TOP: Final = 50


class ReportArguments(NamedTuple):
    """The settings of `urisieve report`."""

    counting: CountingSettings
    title: str
    links: bool
    dated: bool


def parse_report(argv: Sequence[str]) -> ReportArguments:
    """Return the settings of `urisieve report`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("report", "Write what `stats` counts as one page of HTML that needs no other file.")
    counted_sources(parser, RECORDS)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        common="the page to write, needed",
        help="the page to write, needed; an old FILE stays until the new one is complete",
    )
    output.add_argument(
        "--title", default=DEFAULT_TITLE, metavar="TEXT", common=True, help="of the page (default: %(default)s)"
    )
    output.add_argument(
        "--links",
        action="store_true",
        common=True,
        help="write identifiers as they are, and make links of those of http and https; else all are defanged",
    )
    output.add_argument("--dated", action="store_true", help="say on the page when it was made")
    counting_flags(output, _TOP)
    counting_ways(parser, output)
    asked = parser.parse_args(argv)
    hiding = chosen_hiding(parser, asked)
    if asked.output is None:
        parser.error("-o is needed: a report is a file, as in `-o report.html`")
    if shows_output(asked.output):
        parser.error("a terminal cannot show a report: name a file, as in `-o report.html`")
    return settings_of(ReportArguments, asked, counting=counting_settings(parser, asked, hiding))
