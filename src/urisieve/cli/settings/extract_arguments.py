"""Arguments of `urisieve extract`, and how they become frozen settings."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from urisieve.cli.settings.flags import (
    NEVER,
    choice_flag,
    command_parser,
    common_flags,
    fail_on_flag,
    jobs_flag,
    output_flag,
    settings_of,
)
from urisieve.cli.settings.hiding import Hiding, chosen_hiding, hiding_flags
from urisieve.cli.settings.judging_arguments import chosen_options, sieve_flags
from urisieve.cli.settings.output_arguments import (
    Color,
    ListSettings,
    check_output,
    chosen_filter,
    chosen_lists,
    color_flag,
    parts_flag,
    record_fields,
    record_flags,
)
from urisieve.cli.settings.parser import Parser
from urisieve.cli.settings.reading_arguments import (
    input_group,
    named_paths,
    path_arguments,
    place_flags,
    read_words,
    reading_flags,
    reading_options,
    say_if_nothing_is_named,
    separator_of,
)
from urisieve.codes import FailOn
from urisieve.lean import TYPE_CHECKING, NamedTuple
from urisieve.options import Options
from urisieve.sinks.formats import Form, Format
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import OF_LINES, InputKind, ReadingOptions

if TYPE_CHECKING:
    from urisieve.records.filtering import Filter


class ExtractSettings(NamedTuple):
    """The settings of `urisieve extract`."""

    paths: tuple[str, ...]
    files_from: str | None
    separator: bytes
    reading: ReadingOptions
    options: Options
    format: Format
    output: str
    encoding: str | None
    jobs: int | None
    quiet: bool
    form: Form = Form.URI
    unique: bool = False
    follow: bool = False
    rejected: str | None = None
    fail_on: FailOn = NEVER
    traceback: bool = False
    fields: tuple[str, ...] = ()
    template: str | None = None
    color: Color = Color.AUTO
    wanted: Filter | None = None
    lists: ListSettings | None = None
    parts: bool = False
    hiding: Hiding = Hiding()

    @property
    def filters(self) -> tuple[Filter, ...]:
        """The filters that were asked for: what has no time is left out, and counted, before times are compared."""
        if self.wanted is None:
            return ()
        if not self.wanted.has_bounds:
            return (self.wanted,)
        from urisieve.records.filtering import Filter

        return Filter(present="time"), self.wanted


def parse_extract(argv: Sequence[str]) -> ExtractSettings:
    """Return the settings of `urisieve extract`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("extract", "Find the identifiers in files and print them in order of appearance.")
    path_arguments(parser)
    group = input_group(parser)
    choice_flag(group, "--input", InputKind, InputKind.AUTO, "what the files are, after decompression (default: auto)",
                common="what the files are (default: detected by their content)")  # fmt: skip
    place_flags(group, "with json, jsonl or journal only this field: `a.b[].c`; with csv or tsv only this column, "
                "by name or number, repeatable")  # fmt: skip
    reading_flags(group)
    group.add_argument(
        "--follow",
        action="store_true",
        guarded=True,
        help="go on as files grow or are replaced, until interrupted: plain text, and with --input jsonl, "
        "csv or tsv rows",
    )
    output = parser.add_argument_group("output")
    record_flags(
        output,
        "what text output holds: a form of each identifier (raw is without removed white space), its host or "
        "registrable domain, or its template, with {} for numbers and the like",
        common="only these columns, in this order, as uri,host,line",
    )
    parts_flag(output)
    output.add_argument(
        "-u",
        "--unique",
        action="store_true",
        common=True,
        help="each identifier once, judged by its key; with --form host or template each of these",
    )
    hiding_flags(output)
    color_flag(output)
    output_flag(output)
    output.add_argument(
        "--rejected",
        metavar="FILE",
        common="write what is not valid there, with reasons",
        help="write what looks like an identifier and is not valid, with the reason, and the faults of the input, as "
        "JSON lines",
    )
    common_flags(output, "no progress, no counts")
    fail_on_flag(output)
    jobs_flag(output)
    sieve_flags(parser)
    asked = parser.parse_args(argv)
    hiding = chosen_hiding(parser, asked, cells=of_kind(asked.format).delimiter != "")
    reading = reading_options(parser, asked, kind=asked.input, fields=tuple(asked.field))
    check_output(parser, asked)
    if asked.follow:
        _check_follow(parser, asked)
    settings = extract_settings(
        parser, asked, reading, hiding, fail_on=FailOn.of(asked.fail_on), fields=record_fields(asked)
    )
    say_if_nothing_is_named(asked)
    return settings


def extract_settings(
    parser: Parser, asked: SimpleNamespace, reading: ReadingOptions, hiding: Hiding, **others: object
) -> ExtractSettings:
    """Return the settings that were asked for; `others` come before them. Leaves by SystemExit on a usage error."""
    return settings_of(
        ExtractSettings,
        asked,
        paths=named_paths(asked),
        separator=separator_of(asked),
        reading=reading,
        options=chosen_options(parser, asked),
        hiding=hiding,
        wanted=chosen_filter(asked),
        lists=chosen_lists(parser, asked, named_paths(asked)),
        **others,
    )


def _check_follow(parser: Parser, asked: SimpleNamespace) -> None:
    """Check that nothing else is asked for than text, or rows, from files by name; leaves by SystemExit."""
    read = read_words(asked)
    checks = (
        (not asked.paths or STANDARD_INPUT in asked.paths or asked.files_from is not None,
         "--follow needs the names of files"),
        (asked.input not in (InputKind.AUTO, InputKind.TEXT, *OF_LINES) or hasattr(asked, "unescape"),
         "--follow reads plain text, jsonl, csv and tsv: --input of others and --unescape do not go with it"),
        (asked.include or asked.exclude or "hidden" in read,
         "--follow reads the files that are named: --include and --read hidden do not go with it"),
        (asked.field and asked.input is InputKind.AUTO,
         "--follow with --field needs --input jsonl, csv or tsv: what a file will hold is not known yet"),
        (bool(read - {"context"}),
         "--follow reads plain text: --read does not go with it, but for --read context"),
        (asked.base is not None, "--follow reads plain text: --base does not go with it"),
        (of_kind(asked.format).is_file,
         "--follow does not go with --format parquet: the file could not be read before the end"),
        (asked.jobs not in (None, 1), "--follow is the work of one process: --jobs does not go with it"),
    )  # fmt: skip
    for is_wrong, text in checks:
        if is_wrong:
            parser.error(text)
