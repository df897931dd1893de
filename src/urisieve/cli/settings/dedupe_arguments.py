"""Arguments of `urisieve dedupe`, and how they become frozen settings.

It holds besides:

- arguments of `urisieve count`, and how they become frozen settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from urisieve.cli.settings.dedupe_settings import DedupeSettings, Input, conflict_of
from urisieve.cli.settings.extract_arguments import ExtractSettings
from urisieve.cli.settings.flags import (
    NEVER,
    check_folder,
    choice_flag,
    command_parser,
    common_flags,
    jobs_flag,
    memory_flags,
    output_flag,
    positive_number,
    settings_of,
)
from urisieve.cli.settings.hiding import chosen_hiding, hiding_flags
from urisieve.cli.settings.judging_arguments import chosen_options, finding_flags, judging_flags, spoofing_flags
from urisieve.cli.settings.output_arguments import (
    FORMS,
    Color,
    check_color,
    check_output,
    chosen_filter,
    color_flag,
    field_flags,
    filter_flags,
)
from urisieve.cli.settings.parser import Group, Parser
from urisieve.cli.settings.reading_arguments import (
    delimiter_flag,
    input_group,
    named_paths,
    path_arguments,
    reading_flags,
    reading_options,
    separator_of,
)
from urisieve.cli.settings.stats_arguments import (
    KEYS,
    RECORDS,
    counted_settings,
    counted_sources,
    counting_ways,
    held_of,
)
from urisieve.cli.terminal.reports import say_if_waiting
from urisieve.dedupe.deduplicate import Keep
from urisieve.dedupe.signature import By
from urisieve.lean import Final, NamedTuple
from urisieve.sinks.files.outputs import STANDARD_OUTPUT
from urisieve.sinks.formats import DEFAULT_FORMAT, Form, Format, Sort
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.reading_options import InputKind

__all__ = ["CountSettings", "count_flags", "parse_count", "parse_dedupe"]


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
    choice_flag(
        output,
        "--format",
        Format,
        DEFAULT_FORMAT,
        "text has tabs between count, number of sources, number of spellings, first and last place, and identifier "
        "(default: %(default)s; parquet needs `urisieve[parquet]`)",
        short="-f",
        common="text, jsonl, csv, tsv or parquet (default: text)",
    )
    count_flags(output)
    output.add_argument("--only-identifiers", action="store_true", help="with text: without the counts")
    hiding_flags(output, "--defang", "--csv-safe")
    color_flag(output)
    output_flag(output)
    output.add_argument(
        "--show-passwords", action="store_true", guarded=True, help="write passwords in clear instead of `***`"
    )
    counting_ways(parser, output)
    asked = parser.parse_args(argv)
    hiding = chosen_hiding(parser, asked)
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


# Does what the old options do.
_COUNT: Final = "done by `urisieve count`"


def parse_dedupe(argv: Sequence[str]) -> DedupeSettings | CountSettings:
    """Return the settings of `urisieve dedupe`; leaves by SystemExit on a usage error and for `--help`.

    With the old options of counts they are those of `urisieve count`.
    """
    parser = command_parser("dedupe", "Print each identifier once, or the rows of a data set that hold a new one.")
    path_arguments(parser)
    _input(parser)
    _output(parser)
    _modes(parser)
    _state(parser)
    filter_flags(parser)
    finding_flags(parser)
    judging_flags(parser, is_found=True)
    spoofing_flags(parser)
    asked = parser.parse_args(argv)
    check_output(parser, asked)
    hiding = chosen_hiding(parser, asked, rows=bool(asked.field))
    chosen_fields = tuple(asked.field)
    searched: tuple[str, ...] = ()
    if asked.input is Input.JOURNAL:
        searched, chosen_fields = chosen_fields, ()
    kind = str(asked.input) if asked.input.is_searched and not chosen_fields else InputKind.AUTO
    extract = settings_of(
        ExtractSettings,
        asked,
        paths=named_paths(asked),
        separator=separator_of(asked),
        reading=reading_options(parser, asked, kind=kind, fields=searched),
        follow=False,
        options=chosen_options(parser, asked),
        unique=True,
        rejected=None,
        parts=False,
        fail_on=NEVER,
        fields=tuple(asked.fields),
        hiding=hiding,
        wanted=chosen_filter(asked),
    )
    settings = settings_of(DedupeSettings, asked, extract=extract, fields=chosen_fields)
    if settings.keeps_keys and extract.output != STANDARD_OUTPUT:  # later runs add to that file
        settings = settings._replace(extract=extract._replace(color=Color.NEVER))
    check_folder(parser, asked.temp)
    counting = _counting(asked)
    conflict = conflict_of(settings, counting)
    if conflict is not None:
        parser.error(conflict)
    if not asked.paths and asked.files_from is None:
        say_if_waiting(is_quiet=asked.quiet)
    if counting:
        least = max(asked.min_count, 2 if asked.duplicates_only else 1)
        counts = asked.counts or not of_kind(asked.format).is_text
        return settings_of(CountSettings, asked, extract=extract, held=settings.held, counts=counts, min_count=least)
    return settings


def _counting(asked: SimpleNamespace) -> str:
    """Return the old options of counts that are given."""
    given = (
        ("--counts", asked.counts),
        ("--spellings", asked.spellings > 0),
        ("--min-count", asked.min_count > 1),
        ("--sort", asked.sort is not Sort.FIRST),
        ("--duplicates-only", asked.duplicates_only),
    )
    return ", ".join(flag for flag, is_given in given if is_given)


def _input(parser: Parser) -> None:
    group = input_group(parser)
    choice_flag(
        group,
        "--input",
        Input,
        Input.AUTO,
        "up to journal what to find identifiers in; keys: one a line; the others: records of `extract`; with --field "
        "the rows of any data set, where auto and json count too (default: %(default)s)",
        common="what the files are (default: detected by their content)",
    )
    reading_flags(group)


def _output(parser: Parser) -> None:
    group = parser.add_argument_group("output")
    choice_flag(
        group,
        "--format",
        Format,
        DEFAULT_FORMAT,
        "one identifier a line, or whole records (default: %(default)s; parquet needs `urisieve[parquet]`)",
        short="-f",
        common="text, jsonl, csv, tsv or parquet (default: text)",
    )
    choice_flag(
        group,
        "--form",
        FORMS,
        Form.URI,
        "what text output holds; with host or domain each host or registrable domain comes once (default: %(default)s)",
    )
    field_flags(group)
    hiding_flags(group)
    color_flag(group)
    output_flag(group, "; with --store what is new is added to it")
    common_flags(group, "no progress, no counts")
    jobs_flag(group)


def _modes(parser: Parser) -> None:
    """Add the options of each way to deduplicate: those of a group go together, and not with those of another."""
    store = parser.add_argument_group("what is new", "Identifiers that no earlier run has printed.")
    store.add_argument("--counts", action="store_true", now=_COUNT)
    count_flags(store, now=_COUNT)
    store.add_argument("--duplicates-only", action="store_true", now=_COUNT)
    store.add_argument("--store", metavar="FILE", common="keep the keys there: only what no earlier run has printed",
                       help="keep the keys there: only identifiers that no earlier run has printed come out; goes "
                       "with --field too")  # fmt: skip
    store.add_argument("--mark-new", action="store_true", help="with --store: print all, and whether each is new")
    rows = parser.add_argument_group(
        "rows of data sets",
        "Whole rows of JSON lines, a JSON array, CSV, TSV or Parquet as they stand; not with --format, --form and "
        "--mark-new.",
    )
    rows.add_argument("--field", action="append", default=[], metavar="NAME",
                      common="rows of data sets, by the identifier in this field",
                      help="the field that holds identifiers: a name or path (`a.b[].c`), of a table the name or "
                      "number of a column; repeatable; with --input journal the field to search in")  # fmt: skip
    delimiter_flag(rows)
    choice_flag(rows, "--keep", Keep, Keep.FIRST, "which row with an identifier stays (default: %(default)s)")
    choice_flag(rows, "--by", By, By.KEY, "which part of an identifier decides (default: %(default)s)")
    rows.add_argument(
        "--unmatched",
        default="keep",
        metavar="keep|drop|FILE",
        help="rows whose field holds no valid identifier: with the others, nowhere, or to FILE (default: %(default)s)",
    )


def _state(parser: Parser) -> None:
    group = memory_flags(parser, common="as 500MB: what does not fit goes to disk")
    group.add_argument("--checkpoint", metavar="FILE", help="note there how far the work is; after a crash the same "
                       "command goes on from there (needs --output)")  # fmt: skip
