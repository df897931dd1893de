"""Arguments of `urisieve count`, and how they become frozen settings."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.cli.settings.arguments import Group
from urisieve.cli.settings.extract_arguments import ExtractSettings
from urisieve.cli.settings.flags import choice_flag, command_parser, output_flag, positive_number, settings_of
from urisieve.cli.settings.hiding import chosen_hiding, hiding_flags
from urisieve.cli.settings.output_arguments import FORMATS, check_color, color_flag
from urisieve.cli.settings.stats_arguments import (
    KEYS,
    RECORDS,
    counted_settings,
    counted_sources,
    counting_ways,
    held_of,
)
from urisieve.lean import NamedTuple
from urisieve.sinks.formats import DEFAULT_FORMAT, Format, Sort
from urisieve.sinks.record_formats import of_kind


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
        common=FORMATS,
    )
    count_flags(output)
    output.add_argument("--only-identifiers", action="store_true", help="with text: without the counts")
    hiding_flags(output)
    color_flag(output)
    output_flag(output)
    output.add_argument(
        "--show-passwords", action="store_true", guarded=True, help="write passwords in clear instead of `***`"
    )
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
