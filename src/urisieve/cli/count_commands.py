"""The commands that count: `urisieve count`, `urisieve stats` and `urisieve report`, with their arguments.

What they find goes through the sieve to counts of identifiers, or to statistics for users or programs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from types import SimpleNamespace

from urisieve.cli.reports import DONE, FAILED, USUAL_COLUMNS, columns_of
from urisieve.cli.settings import extract_arguments, flags
from urisieve.cli.settings import output_arguments as output_arguments
from urisieve.cli.settings.arguments import Group
from urisieve.cli.settings.flags import Parser
from urisieve.cli.settings.judging_arguments import idle_options, sieve_flags
from urisieve.cli.settings.text_arguments import TableFormat
from urisieve.cli.watched_run import WatchedRun, listed_settings
from urisieve.dedupe.keyset import budget
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple
from urisieve.runs.process import unwound_on_termination
from urisieve.sinks.formats import DEFAULT_FORMAT, Form, Format, Sort
from urisieve.sinks.outputs import STANDARD_OUTPUT, check_uses, gathering, open_output
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.reading_options import InputKind, ReadingOptions

if TYPE_CHECKING:
    from urisieve.sinks.statistics.statistics import Statistics


_HELD: Final = (extract_arguments.RECORDS, extract_arguments.KEYS)
_TOP: Final = 10


class CountingSettings(NamedTuple):
    """The settings of a command that counts; `extract` has those that it shares with `urisieve extract`.

    Attributes:
        extract: what to find, in which files, and where the output goes.
        held: what the files contain instead of text that is searched; see `WatchedRun.held_into`.
        top: the most rows of a ranking.
        times: whether there is a timeline.
        templates: whether templates of links are counted.
        memory_limit: the bytes that the process may take; None for no limit.
    """

    extract: extract_arguments.ExtractSettings
    held: str
    top: int
    times: bool
    templates: bool
    memory_limit: int | None


class StatsSettings(NamedTuple):
    """The settings of `urisieve stats`."""

    counting: CountingSettings
    format: TableFormat
    color: output_arguments.Color


def counted_sources(parser: Parser, *held: str) -> None:
    """Add the sources of a command that counts, and how they are read; `held` are the kinds that are not searched."""
    extract_arguments.path_arguments(parser)
    group = extract_arguments.input_group(parser)
    keys = "; keys: one a line, as `urisieve normalize --form key` prints them"
    text = (
        "what the files are, after decompression; records: what `extract` has written, as the ending of the name says, "
        f"else the content{keys if extract_arguments.KEYS in held else ''} (default: auto)"
    )
    short = "what the files are; records: what extract has written"
    extract_arguments.input_flag(group, [*InputKind, *held], text, common=short)
    flags.place_flags(group,
                      "with json, jsonl or journal only this field: `a.b[].c`; with csv or tsv only this column, "
                      "by name or number, repeatable")  # fmt: skip
    extract_arguments.reading_flags(group)


def counting_flags(group: Group, top: int) -> None:
    """Add what is counted; `top` is the usual number of rows of a ranking."""
    group.add_argument("--top", type=partial(flags.positive_number, kind="number of rows: use 1 or more"), default=top,
                       metavar="N", common=True, help=f"the most rows of a ranking (default: {top})")  # fmt: skip
    group.add_argument("--no-times", action="store_true", common=True,
                       help="no timeline: do not look for times, which is quicker")  # fmt: skip
    group.add_argument("--templates", action="store_true", common="count templates of links, as `https://a.example/{}`",
                       help="count templates of links too, as `https://a.example/users/{}`, with three examples "
                       "each")  # fmt: skip


def counting_ways(parser: Parser, group: Group) -> None:
    """Add how the counting is done, and what is found and judged."""
    flags.run_flags(group, "no progress, no closing line")
    flags.memory_flags(parser)
    sieve_flags(parser)


def held_of(asked: SimpleNamespace) -> str:
    """Return what files contain instead of text that is searched; "" if they are searched."""
    return asked.input if asked.input in _HELD else ""


def counted_settings(
    parser: Parser, asked: SimpleNamespace, hiding: output_arguments.Hiding, kind: Format = DEFAULT_FORMAT
) -> extract_arguments.ExtractSettings:
    """Return what to find in which files; leaves by SystemExit if arguments do not go together.

    If no file was named and standard input is a terminal, that is said; so all else is to be checked before.
    """
    held = held_of(asked)
    reading = extract_arguments.reading_options(
        parser, asked, kind=InputKind.AUTO if held else asked.input, fields=tuple(asked.field)
    )
    if held and reading != ReadingOptions(folders=reading.folders):
        parser.error(f"--input {held} takes {held} as they stand: options about reading do not go with it")
    extract = extract_arguments.extract_settings(parser, asked, reading, hiding, format=kind)
    unmet = output_arguments.unmet_by_keys(extract.wanted) if held == extract_arguments.KEYS else ""
    idle = [idle_options(extract.options), unmet]
    if held and any(idle):
        parser.error(f"--input {held} takes {held} as they stand: {', '.join(filter(None, idle))} does not go with it")
    extract_arguments.say_if_nothing_is_named(asked)
    return extract


def counting_settings(parser: Parser, asked: SimpleNamespace, hiding: output_arguments.Hiding) -> CountingSettings:
    """Return what to count and how; see `counted_settings`."""
    extract = counted_settings(parser, asked, hiding)
    return flags.settings_of(CountingSettings, asked, extract=extract, held=held_of(asked), times=not asked.no_times)


def parse_stats(argv: Sequence[str]) -> StatsSettings:
    """Return the settings of `urisieve stats`; leaves by SystemExit on a usage error and for `--help`."""
    parser = flags.command_parser(
        "stats", "Count what files hold: candidates, identifiers, hosts, merged spellings, times."
    )
    counted_sources(parser, extract_arguments.RECORDS)
    output = parser.add_argument_group("output")
    kinds = (TableFormat.TEXT, TableFormat.JSON, TableFormat.CSV)
    flags.format_flag(output, kinds, TableFormat.TEXT, "for people, one JSON object, or a table")
    counting_flags(output, _TOP)
    output_arguments.hiding_flags(output)
    output_arguments.color_flag(output)
    flags.output_flag(output)
    counting_ways(parser, output)
    asked = parser.parse_args(argv)
    hiding = output_arguments.chosen_hiding(parser, asked, cells=asked.format == TableFormat.CSV)
    if asked.format != TableFormat.TEXT and asked.color == output_arguments.Color.ALWAYS:
        parser.error("--color is for --format text")
    color = asked.color
    if asked.output != STANDARD_OUTPUT and color == output_arguments.Color.AUTO:
        color = output_arguments.Color.NEVER
    return flags.settings_of(StatsSettings, asked, counting=counting_settings(parser, asked, hiding), color=color)


class CountSettings(NamedTuple):
    """The settings of `urisieve count`; `extract` has those that it shares with `urisieve extract`.

    Attributes:
        extract: what to find, in which files, and where the output goes.
        held: what the files contain instead of text that is searched; see `WatchedRun.held_into`.
        counts: whether text contains the counts, and not only the identifiers.
        spellings: the most raw forms that are written with each identifier.
        min_count: the least count of an identifier that is written.
        sort: the order.
        memory_limit: the bytes that the process may take; None for no limit.
        times: whether the first and the last time are written.
        by: what is counted.
    """

    extract: extract_arguments.ExtractSettings
    held: str
    counts: bool
    spellings: int
    min_count: int
    sort: Sort
    memory_limit: int | None
    times: bool
    by: Form


def parse_count(argv: Sequence[str]) -> CountSettings:
    """Return the settings of `urisieve count`; leaves by SystemExit on a usage error and for `--help`."""
    parser = flags.command_parser(
        "count", "Print each identifier with how often it comes, where, and in which spellings."
    )
    counted_sources(parser, extract_arguments.RECORDS, extract_arguments.KEYS)
    output = parser.add_argument_group("output")
    output_arguments.record_format_flag(
        output, "text has tabs between count, number of sources, number of spellings, first and last place, first and "
        "last time with --read context, and identifier ")  # fmt: skip
    _count_flags(output)
    output.add_argument("--only-identifiers", action="store_true", help="with text: without the counts")
    output_arguments.hiding_flags(output)
    output_arguments.color_flag(output)
    flags.output_flag(output)
    flags.passwords_flag(output)
    counting_ways(parser, output)
    asked = parser.parse_args(argv)
    hiding = output_arguments.chosen_hiding(parser, asked, cells=of_kind(asked.format).delimiter != "")
    output_arguments.check_color(parser, asked)
    output_arguments.check_domains(parser, asked.by)
    if asked.only_identifiers and not of_kind(asked.format).is_text:
        parser.error(f"--only-identifiers is for --format text, not {asked.format}")
    return flags.settings_of(
        CountSettings,
        asked,
        extract=counted_settings(parser, asked, hiding, asked.format),
        held=held_of(asked),
        counts=not asked.only_identifiers,
        times="context" in asked.read,
    )


def _count_flags(group: Group) -> None:
    """Add the flags about counts."""
    output_arguments.by_flag(group, "what is counted: identifiers by their keys, or hosts, domains or templates",
                             common="host, domain or template: count these")  # fmt: skip
    flags.choice_flag(group, "--sort", Sort, Sort.FIRST, "by first appearance, number (falling), or identifier "
                      "(default: %(default)s)", common="first, count or uri: the order")  # fmt: skip
    group.add_argument("--min-count", type=flags.positive_number, default=1, metavar="N", common=True,
                       help="only identifiers that come N times or more")  # fmt: skip
    group.add_argument("--spellings", type=flags.positive_number, default=0, metavar="N",
                       common="up to N raw forms of each, with --by up to N keys",
                       help="up to N of the raw forms of each identifier, with --by of the keys of each")  # fmt: skip


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

    parser = flags.command_parser("report", "Write what `stats` counts as one page of HTML that needs no other file.")
    counted_sources(parser, extract_arguments.RECORDS)
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", metavar="FILE", common="the page to write, needed",
                        help="the page to write, needed; an old FILE stays until the new one is complete")  # fmt: skip
    output.add_argument("--title", default=DEFAULT_TITLE, metavar="TEXT", common=True,
                        help="of the page (default: %(default)s)")  # fmt: skip
    output.add_argument("--links", action="store_true", common="links of http and https as such; else all are defanged",
                        help="write identifiers as they are, and make links of those of http and https; else all are "
                        "defanged")  # fmt: skip
    output.add_argument("--dated", action="store_true", help="say on the page when it was made")
    counting_flags(output, _REPORT_TOP)
    output_arguments.hiding_flags(output, "parts")
    counting_ways(parser, output)
    asked = parser.parse_args(argv)
    hiding = output_arguments.chosen_hiding(parser, asked)
    if asked.output is None:
        parser.error("-o is needed: a report is a file, as in `-o report.html`")
    if output_arguments.shows_output(asked.output):
        parser.error("a terminal cannot show a report: name a file, as in `-o report.html`")
    return flags.settings_of(ReportArguments, asked, counting=counting_settings(parser, asked, hiding))


# The columns of a terminal that are used at least and at most.
_NARROWEST: Final = 40
_WIDEST: Final = 200

# Takes what to find, the run, and what cleans up after it; writes the output, and returns how many keys there were.
_Work = Callable[[extract_arguments.ExtractSettings, WatchedRun, ExitStack], int]


def _counted(settings: extract_arguments.ExtractSettings, work: _Work) -> int:
    """Count what sources contain, write that, and return the exit status of the command.

    It is 0 if the sources contain an identifier; 1 if they contain none; 2 if something could not be read.

    Raises:
        UsageError: files or values do not go together.
        OutputError: the output, or a temporary file, cannot be written; a file is as it was.
        InputError: no source could be read, and the output is a file, which is as it was.
    """
    listed = settings.files_from
    settings, walked = listed_settings(settings)
    check_uses([("--output", [settings.output])], (*settings.paths, *settings.list_files), listed=listed)
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

    def work(extract: extract_arguments.ExtractSettings, watched: WatchedRun, stack: ExitStack) -> int:
        output = watched.shown(stack.enter_context(gathering(open_output(extract.output))))
        again = bool(settings.held)
        limit = budget(settings.memory_limit)
        hiding = extract.hiding.of_keys()
        sink = CountSink(again=again, memory_limit=limit, times=settings.times, by=settings.by, **hiding)
        stack.callback(sink.discard)
        watched.held_into(stack, sink, settings.held, named=True)
        watched.check(keeps=extract.output != STANDARD_OUTPUT)
        unique = len(sink)
        made = record_format(FormatSettings(extract.format, again=again, **extract.hiding.of_format()))
        made.write_counts(
            sink, output, settings.min_count, settings.sort, counts=settings.counts, spellings=settings.spellings
        )
        return unique

    return _counted(settings.extract, work)


def run_stats(argv: Sequence[str]) -> int:
    """Run `urisieve stats` and return its exit status; see `_counted` for what is raised."""
    settings = parse_stats(argv)
    return _summed_up(settings.counting, lambda statistics: _formatted(statistics, settings))


def _summed_up(settings: CountingSettings, written: Callable[[Statistics], bytes], *, links: bool = False) -> int:
    """Make statistics, write what `written` makes of them, return the exit status; `links`: count each identifier."""

    def work(extract: extract_arguments.ExtractSettings, watched: WatchedRun, stack: ExitStack) -> int:
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

        return f"{json_line(statistics.as_dict())}\n".encode("utf-8", "backslashreplace")
    if settings.format is TableFormat.CSV:
        from urisieve.sinks.statistics.statistics_text import statistics_csv

        return statistics_csv(statistics).encode("utf-8", "surrogateescape")
    from urisieve.sinks.drawing import Palette
    from urisieve.sinks.statistics.statistics_text import statistics_lines

    to_file = extract.output != STANDARD_OUTPUT
    encoding = "utf-8" if to_file or sys.stdout is None else sys.stdout.encoding or "utf-8"
    palette = Palette(output_arguments.is_colored(settings.color, is_report=True))
    width = USUAL_COLUMNS if to_file else max(_NARROWEST, min(_WIDEST, columns_of(sys.stdout)))
    lines = statistics_lines(statistics, width=width, palette=palette, encoding=encoding)
    return "".join(f"{line}\n" for line in lines).encode(encoding, "replace")


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
