"""Arguments of the commands that count: `count`, `stats` and `report`, and how they become frozen settings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace

from urisieve.cli.settings.arguments import Group
from urisieve.cli.settings.extract_arguments import ExtractSettings, extract_settings
from urisieve.cli.settings.flags import (
    check_folder,
    choice_flag,
    command_parser,
    format_flag,
    jobs_flag,
    memory_flags,
    output_flag,
    passwords_flag,
    positive_number,
    settings_of,
)
from urisieve.cli.settings.hiding import Hiding, chosen_hiding, hiding_flags
from urisieve.cli.settings.judging_arguments import idle_options, sieve_flags
from urisieve.cli.settings.output_arguments import (
    Color,
    check_color,
    color_flag,
    record_format_flag,
    shows_output,
    unmet_by_keys,
)
from urisieve.cli.settings.parser import Parser
from urisieve.cli.settings.reading_arguments import (
    input_group,
    path_arguments,
    place_flags,
    reading_flags,
    reading_options,
    say_if_nothing_is_named,
)
from urisieve.cli.settings.text_arguments import TableFormat
from urisieve.lean import Final, NamedTuple
from urisieve.sinks.formats import DEFAULT_FORMAT, Format, Sort
from urisieve.sinks.outputs import STANDARD_OUTPUT
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.reading_options import InputKind, ReadingOptions

# The kinds of input that are not searched.
RECORDS: Final = "records"
KEYS: Final = "keys"
_HELD: Final = (RECORDS, KEYS)
_TOP: Final = 10


class CountingSettings(NamedTuple):
    """The settings of a command that counts; `extract` holds those that it shares with `urisieve extract`.

    Attributes:
        extract: what to find, in which files, and where the output goes.
        held: what the files hold instead of text that is searched; see `WatchedRun.held_into`.
        top: the most rows of a ranking.
        times: whether there is a timeline.
        templates: whether templates of links are counted.
        memory_limit: the bytes that the process may take; None for no limit.
        temp: the folder of temporary files.
    """

    extract: ExtractSettings
    held: str
    top: int
    times: bool
    templates: bool
    memory_limit: int | None
    temp: str | None


class StatsSettings(NamedTuple):
    """The settings of `urisieve stats`."""

    counting: CountingSettings
    format: TableFormat
    color: Color


def counted_sources(parser: Parser, *held: str) -> None:
    """Add the sources of a command that counts, and how they are read; `held` are the kinds that are not searched."""
    path_arguments(parser)
    group = input_group(parser)
    keys = "; keys: one a line, as `urisieve normalize --form key` prints them" if KEYS in held else ""
    choice_flag(
        group,
        "--input",
        [*InputKind, *held],
        InputKind.AUTO,
        "what the files are, after decompression; records: what `extract` has written, as the ending of the name says, "
        f"else the content{keys} (default: auto)",
        common="what the files are (default: detected by their content; records: what extract has written)",
    )
    place_flags(group, "with json, jsonl or journal only this field: `a.b[].c`; with csv or tsv only this column, "
                "by name or number, repeatable")  # fmt: skip
    reading_flags(group)


def counting_flags(group: Group, top: int) -> None:
    """Add what is counted; `top` is the usual number of rows of a ranking."""
    group.add_argument(
        "--top",
        type=partial(positive_number, kind="number of rows: use 1 or more"),
        default=top,
        metavar="N",
        common=True,
        help=f"the most rows of a ranking (default: {top})",
    )
    group.add_argument(
        "--no-times", action="store_true", common=True, help="no timeline: do not look for times, which is quicker"
    )
    group.add_argument(
        "--templates",
        action="store_true",
        common="count templates of links, as `https://a.example/{}`",
        help="count templates of links too, as `https://a.example/users/{}`, with three examples each",
    )


def counting_ways(parser: Parser, group: Group) -> None:
    """Add how the counting is done, and what is found and judged."""
    group.add_argument("--encoding", metavar="NAME", help="of the input (default: by byte order mark, else UTF-8)")
    group.add_argument(
        "-q", "--quiet", action="store_true", guarded=True, common=True, help="no progress, no closing line"
    )
    jobs_flag(group)
    memory_flags(parser)
    sieve_flags(parser)


def held_of(asked: SimpleNamespace) -> str:
    """Return what files hold instead of text that is searched; "" if they are searched."""
    return asked.input if asked.input in _HELD else ""


def counted_settings(
    parser: Parser, asked: SimpleNamespace, hiding: Hiding, kind: Format = DEFAULT_FORMAT
) -> ExtractSettings:
    """Return what to find in which files; leaves by SystemExit if arguments do not go together.

    If no file was named and standard input is a terminal, that is said; so all else is to be checked before.
    """
    held = held_of(asked)
    reading = reading_options(parser, asked, kind=InputKind.AUTO if held else asked.input, fields=tuple(asked.field))
    if held and reading != ReadingOptions(folders=reading.folders):
        parser.error(f"--input {held} takes {held} as they stand: options about reading do not go with it")
    check_folder(parser, asked.temp)
    extract = extract_settings(parser, asked, reading, hiding, format=kind)
    idle = [idle_options(extract.options), unmet_by_keys(extract.wanted) if held == KEYS else ""] if held else []
    if any(idle):
        parser.error(f"--input {held} takes {held} as they stand: {', '.join(filter(None, idle))} does not go with it")
    say_if_nothing_is_named(asked)
    return extract


def counting_settings(parser: Parser, asked: SimpleNamespace, hiding: Hiding) -> CountingSettings:
    """Return what to count and how; see `counted_settings`."""
    extract = counted_settings(parser, asked, hiding)
    return settings_of(CountingSettings, asked, extract=extract, held=held_of(asked), times=not asked.no_times)


def parse_stats(argv: Sequence[str]) -> StatsSettings:
    """Return the settings of `urisieve stats`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("stats", "Count what files hold: candidates, identifiers, hosts, merged spellings, times.")
    counted_sources(parser, RECORDS)
    output = parser.add_argument_group("output")
    format_flag(output, TableFormat, TableFormat.TEXT, "for people, one JSON object, or a table")
    counting_flags(output, _TOP)
    hiding_flags(output)
    color_flag(output)
    output_flag(output)
    counting_ways(parser, output)
    asked = parser.parse_args(argv)
    hiding = chosen_hiding(parser, asked, cells=asked.format == TableFormat.CSV)
    if asked.format != TableFormat.TEXT and asked.color == Color.ALWAYS:
        parser.error("--color is for --format text")
    color = Color.NEVER if asked.output != STANDARD_OUTPUT and asked.color == Color.AUTO else asked.color
    return settings_of(StatsSettings, asked, counting=counting_settings(parser, asked, hiding), color=color)


class CountSettings(NamedTuple):
    """The settings of `urisieve count`; `extract` holds those that it shares with `urisieve extract`.

    Attributes:
        extract: what to find, in which files, and where the output goes.
        held: what the files hold instead of text that is searched; see `WatchedRun.held_into`.
        counts: whether text holds the counts, and not only the identifiers.
        spellings: the most raw forms that are written with each identifier.
        min_count: the least count of an identifier that is written.
        sort: the order.
        memory_limit: the bytes that the process may take; None for no limit.
        temp: the folder of temporary files.
    """

    extract: ExtractSettings
    held: str
    counts: bool
    spellings: int
    min_count: int
    sort: Sort
    memory_limit: int | None
    temp: str | None


def parse_count(argv: Sequence[str]) -> CountSettings:
    """Return the settings of `urisieve count`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("count", "Print each identifier with how often it comes, where, and in which spellings.")
    counted_sources(parser, RECORDS, KEYS)
    output = parser.add_argument_group("output")
    record_format_flag(
        output,
        "text has tabs between count, number of sources, number of spellings, first and last place, and identifier ",
    )
    count_flags(output)
    output.add_argument("--only-identifiers", action="store_true", help="with text: without the counts")
    hiding_flags(output)
    color_flag(output)
    output_flag(output)
    passwords_flag(output)
    counting_ways(parser, output)
    asked = parser.parse_args(argv)
    hiding = chosen_hiding(parser, asked, cells=of_kind(asked.format).delimiter != "")
    check_color(parser, asked)
    if asked.only_identifiers and not of_kind(asked.format).is_text:
        parser.error(f"--only-identifiers is for --format text, not {asked.format}")
    return settings_of(
        CountSettings,
        asked,
        extract=counted_settings(parser, asked, hiding, asked.format),
        held=held_of(asked),
        counts=not asked.only_identifiers,
    )


def count_flags(group: Group, *, now: str = "") -> None:
    """Add the flags about counts; `now` is what is used instead of them, where they are old."""
    choice_flag(group, "--sort", Sort, Sort.FIRST, "by first appearance, number (falling), or identifier "
                "(default: %(default)s)", common="first, count or uri: the order", now=now)  # fmt: skip
    group.add_argument("--min-count", type=positive_number, default=1, metavar="N", common=True, now=now,
                       help="only identifiers that come N times or more")  # fmt: skip
    group.add_argument("--spellings", type=positive_number, default=0, metavar="N", common=True, now=now,
                       help="up to N of the raw forms behind each identifier")  # fmt: skip


# A page has room for more than a terminal.
_REPORT_TOP: Final = 50


class ReportArguments(NamedTuple):
    """The settings of `urisieve report`."""

    counting: CountingSettings
    title: str
    links: bool
    dated: bool


def parse_report(argv: Sequence[str]) -> ReportArguments:
    """Return the settings of `urisieve report`; leaves by SystemExit on a usage error and for `--help`."""
    from urisieve.sinks.report.page import DEFAULT_TITLE

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
        common="links of http and https as such; else all are defanged",
        help="write identifiers as they are, and make links of those of http and https; else all are defanged",
    )
    output.add_argument("--dated", action="store_true", help="say on the page when it was made")
    counting_flags(output, _REPORT_TOP)
    hiding_flags(output, "parts")
    counting_ways(parser, output)
    asked = parser.parse_args(argv)
    hiding = chosen_hiding(parser, asked)
    if asked.output is None:
        parser.error("-o is needed: a report is a file, as in `-o report.html`")
    if shows_output(asked.output):
        parser.error("a terminal cannot show a report: name a file, as in `-o report.html`")
    return settings_of(ReportArguments, asked, counting=counting_settings(parser, asked, hiding))
