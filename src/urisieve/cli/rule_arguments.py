"""Arguments of the commands that tell of rules: `explain`, `schemes` and `namespaces`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from urisieve.cli.arguments import (
    Format,
    choice_flag,
    chosen_options,
    command_parser,
    common_flags,
    judging_flags,
    named_texts,
    text_arguments,
)
from urisieve.options import Options

__all__ = ["Color", "ExplainSettings", "TableSettings", "parse_explain", "parse_table"]


class Color(StrEnum):
    """Whether output for people is coloured."""

    AUTO = "auto"
    """Where standard output is a terminal and NO_COLOR is not set."""
    ALWAYS = "always"
    NEVER = "never"


class ExplainSettings(NamedTuple):
    """What `urisieve explain` was asked to do."""

    texts: tuple[str, ...]
    options: Options
    format: Format
    color: Color
    encoding: str | None
    show_passwords: bool


class TableSettings(NamedTuple):
    """What `urisieve schemes` or `namespaces` was asked to do."""

    patterns: tuple[str, ...]
    format: Format
    examples: bool


def parse_explain(argv: Sequence[str]) -> ExplainSettings:
    """The settings of `urisieve explain`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser(
        "explain", "Say what each text is, what its parts are, and each rule on the way to its form."
    )
    text_arguments(parser)
    output = parser.add_argument_group("output")
    choice_flag(
        output,
        "--format",
        (Format.TEXT, Format.JSON),
        Format.TEXT,
        "for people, or an object a line (default: %(default)s)",
    )
    choice_flag(output, "--color", Color, Color.AUTO, "colours for people; auto is where standard output is a terminal "
            "and NO_COLOR is not set (default: %(default)s)")  # fmt: skip
    common_flags(output, None)
    judging_flags(parser)
    asked = parser.parse_args(argv)
    if asked.format == Format.JSON and asked.color == Color.ALWAYS:
        parser.error("--color is for --format text")
    return ExplainSettings(
        texts=named_texts(parser, asked),
        options=chosen_options(parser, asked),
        format=Format(asked.format),
        color=Color(asked.color),
        encoding=asked.encoding,
        show_passwords=asked.show_passwords,
    )


def parse_table(command: str, argv: Sequence[str]) -> TableSettings:
    """The settings of `urisieve schemes` and `namespaces`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser(command, f"List the {command} that are known, with their rules.")
    parser.add_argument(
        "patterns", nargs="*", metavar="PATTERN", help="a name, with * and ? and [...], or a word of the title"
    )
    output = parser.add_argument_group("output")
    formats = (Format.TEXT, Format.JSON, Format.CSV)
    choice_flag(
        output, "--format", formats, Format.TEXT, "for people, an object a line, a table (default: %(default)s)"
    )
    output.add_argument("--examples", action="store_true", help="pairs with one key, and pairs with two")
    asked = parser.parse_args(argv)
    return TableSettings(patterns=tuple(asked.patterns), format=Format(asked.format), examples=asked.examples)
