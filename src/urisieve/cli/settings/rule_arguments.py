"""Arguments of the commands about rules: `explain`, `schemes` and `namespaces`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from urisieve.cli.settings.flags import choice_flag, command_parser, common_flags, settings_of
from urisieve.cli.settings.hiding import Hiding, chosen_hiding, hiding_flags
from urisieve.cli.settings.judging_arguments import chosen_options, judging_flags, spoofing_flags
from urisieve.cli.settings.output_arguments import Color, color_flag
from urisieve.cli.settings.text_arguments import named_texts, text_arguments
from urisieve.lean.values import NamedTuple
from urisieve.options import Options
from urisieve.rule_listing import namespace_rows, scheme_rows

__all__ = ["ExplainSettings", "TableFormat", "TableSettings", "parse_explain", "parse_table"]


class TableFormat(StrEnum):
    """The format of rules and explanations."""

    TEXT = "text"
    JSON = "json"
    """As JSON lines."""
    CSV = "csv"


class ExplainSettings(NamedTuple):
    """The settings of `urisieve explain`."""

    texts: tuple[str, ...]
    options: Options
    format: TableFormat
    color: Color
    encoding: str | None
    hiding: Hiding


class TableSettings(NamedTuple):
    """The settings of `urisieve schemes` and `urisieve namespaces`."""

    patterns: tuple[str, ...]
    format: TableFormat
    examples: bool


def parse_explain(argv: Sequence[str]) -> ExplainSettings:
    """Return the settings of `urisieve explain`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser(
        "explain", "Say what each text is, what its parts are, and each rule on the way to its form."
    )
    text_arguments(parser)
    output = parser.add_argument_group("output")
    choice_flag(
        output,
        "--format",
        (TableFormat.TEXT, TableFormat.JSON),
        TableFormat.TEXT,
        "for people, or an object a line (default: %(default)s)",
        short="-f",
        common=True,
    )
    hiding_flags(output, "--redact")
    color_flag(output, common=True)
    common_flags(output, None)
    judging_flags(parser)
    spoofing_flags(parser)
    asked = parser.parse_args(argv)
    if asked.format == TableFormat.JSON and asked.color == Color.ALWAYS:
        parser.error("--color is for --format text")
    hiding = chosen_hiding(parser, asked)
    return settings_of(
        ExplainSettings,
        asked,
        options=chosen_options(parser, asked),
        hiding=hiding,
        texts=named_texts(parser, asked),
    )


def parse_table(command: str, argv: Sequence[str]) -> TableSettings:
    """Return the settings of `schemes` and `namespaces`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser(command, f"List the {command} that are known, with their rules.")
    parser.add_argument(
        "patterns",
        nargs="*",
        metavar="PATTERN",
        common=True,
        words=lambda: [row["name"] for row in (scheme_rows if command == "schemes" else namespace_rows)()],
        help="a name, with * and ? and [...], or a word of the title",
    )
    output = parser.add_argument_group("output")
    formats = (TableFormat.TEXT, TableFormat.JSON, TableFormat.CSV)
    choice_flag(
        output,
        "--format",
        formats,
        TableFormat.TEXT,
        "for people, an object a line, a table (default: %(default)s)",
        short="-f",
        common=True,
    )
    output.add_argument("--examples", action="store_true", common=True, help="pairs with one key, and pairs with two")
    asked = parser.parse_args(argv)
    return settings_of(TableSettings, asked, patterns=tuple(asked.patterns))
