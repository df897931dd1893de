"""Arguments of the commands that work on single texts: `normalize` and `check`, and the texts of `explain`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from types import SimpleNamespace

from urisieve.cli.settings.fail_on import NEVER, fail_on_flag
from urisieve.cli.settings.flags import choice_flag, command_parser, common_flags, settings_of
from urisieve.cli.settings.judging_arguments import chosen_options, judging_flags
from urisieve.cli.settings.output_arguments import Color, color_flag, defang_flag
from urisieve.cli.settings.parser import Parser
from urisieve.cli.terminal.reports import say_if_waiting
from urisieve.codes import FailOn
from urisieve.lean.values import NamedTuple
from urisieve.options import Options
from urisieve.sinks.formats import Form, Format
from urisieve.sources.bytes.reading import STANDARD_INPUT

__all__ = [
    "CheckSettings",
    "Invalid",
    "NormalizeSettings",
    "named_texts",
    "parse_check",
    "parse_normalize",
    "text_arguments",
]


class Invalid(StrEnum):
    """The line that `normalize` prints for a text that is not an identifier."""

    DROP = "drop"
    KEEP = "keep"
    BLANK = "blank"


class NormalizeSettings(NamedTuple):
    """The settings of `urisieve normalize`."""

    texts: tuple[str, ...]
    options: Options
    form: Form
    invalid: Invalid
    encoding: str | None
    show_passwords: bool
    quiet: bool
    defang: bool
    color: Color


class CheckSettings(NamedTuple):
    """The settings of `urisieve check`."""

    texts: tuple[str, ...]
    options: Options
    format: Format
    encoding: str | None
    show_passwords: bool
    defang: bool
    color: Color
    fail_on: FailOn = NEVER


def parse_normalize(argv: Sequence[str]) -> NormalizeSettings:
    """Return the settings of `urisieve normalize`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("normalize", "Print the canonical form of each identifier.")
    text_arguments(parser)
    output = parser.add_argument_group("output")
    forms = (Form.URI, Form.IRI, Form.KEY)
    choice_flag(output, "--form", forms, Form.URI, "which form to print (default: %(default)s)", common=True)
    choice_flag(output, "--invalid", Invalid, Invalid.DROP, "what stands for a text that is no identifier: nothing, "
            "the text itself, or an empty line (default: %(default)s)", common=True)  # fmt: skip
    defang_flag(output)
    color_flag(output)
    common_flags(output, "say nothing about texts that are no identifiers")
    judging_flags(parser)
    asked = parser.parse_args(argv)
    return settings_of(
        NormalizeSettings, asked, options=chosen_options(parser, asked), texts=named_texts(parser, asked)
    )


def parse_check(argv: Sequence[str]) -> CheckSettings:
    """Return the settings of `urisieve check`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("check", "Say of each text whether it is a valid identifier, or why not and where.")
    text_arguments(parser)
    output = parser.add_argument_group("output")
    formats = (Format.TEXT, Format.JSONL)
    choice_flag(
        output,
        "--format",
        formats,
        Format.TEXT,
        "for people, or a record or rejection a line (default: %(default)s)",
        short="-f",
        common=True,
    )
    defang_flag(output)
    color_flag(output)
    common_flags(output, None)
    fail_on_flag(output)
    judging_flags(parser)
    asked = parser.parse_args(argv)
    if asked.format == Format.JSONL and asked.color == Color.ALWAYS:
        parser.error("--color is for --format text")
    return settings_of(
        CheckSettings,
        asked,
        options=chosen_options(parser, asked),
        fail_on=FailOn.of(asked.fail_on),
        texts=named_texts(parser, asked),
    )


def text_arguments(parser: Parser) -> None:
    """Add the identifiers to work on."""
    parser.add_argument(
        "texts",
        nargs="*",
        metavar="TEXT",
        common=True,
        help="identifiers; nothing or `-` for one a line on standard input",
    )


def named_texts(parser: Parser, asked: SimpleNamespace) -> tuple[str, ...]:
    """Return the identifiers that were named; leaves by SystemExit if they do not go with the other arguments.

    If none was named and standard input is a terminal, that is said; so all else is to be checked before.
    """
    texts = tuple(asked.texts)
    if STANDARD_INPUT in texts and len(texts) > 1:
        parser.error("`-` stands for the lines of standard input: it does not go with other arguments")
    if asked.encoding is not None and texts and texts != (STANDARD_INPUT,):
        parser.error("--encoding is that of standard input: it does not go with arguments")
    if not texts:
        say_if_waiting(is_quiet=getattr(asked, "quiet", False))
    return texts
