"""Arguments of the commands that work on single texts: `normalize` and `check`, and the texts of `explain`.

It also defines:

- arguments of the commands about rules: `explain`, `schemes` and `namespaces`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace

from urisieve.cli.reports import say_if_waiting
from urisieve.cli.settings import flags
from urisieve.cli.settings.flags import Parser
from urisieve.cli.settings.judging_arguments import chosen_options, judging_flags, scheme_names, spoofing_flags
from urisieve.cli.settings.output_arguments import Color, Hiding, chosen_hiding, color_flag, hiding_flags, parts_flag
from urisieve.codes import FailOn, Reason, Warn
from urisieve.finding_options import Options
from urisieve.lean import Final, NamedTuple
from urisieve.quick_enums import StrEnum
from urisieve.sinks.formats import DEFAULT_FORMAT, Form, Format
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import DataSetKind, InputKind, TableHeader


class Invalid(StrEnum):
    """The line that `normalize` prints for a text that is not an identifier."""

    DROP = "drop"
    KEEP = "keep"
    BLANK = "blank"


# Where identifiers are: one an argument or a line (`text`, and `auto` without a field), or in a column or field.
_INPUTS: Final = (
    *(DataSetKind.AUTO, InputKind.TEXT, DataSetKind.CSV, DataSetKind.TSV),
    *(DataSetKind.JSONL, DataSetKind.JSON, DataSetKind.PARQUET),
)


class ColumnSettings(NamedTuple):
    """The column, or the field, that contains identifiers in files with rows."""

    kind: DataSetKind
    name: str
    header: TableHeader
    delimiter: str
    skip_lines: int | None


class NormalizeSettings(NamedTuple):
    """The settings of `urisieve normalize`."""

    texts: tuple[str, ...]
    options: Options
    form: Form
    invalid: Invalid
    encoding: str | None
    quiet: bool
    color: Color
    column: ColumnSettings | None
    hiding: Hiding


class CheckSettings(NamedTuple):
    """The settings of `urisieve check`."""

    texts: tuple[str, ...]
    options: Options
    format: Format
    encoding: str | None
    quiet: bool
    color: Color
    fail_on: FailOn
    parts: bool
    column: ColumnSettings | None
    hiding: Hiding


def parse_normalize(argv: Sequence[str]) -> NormalizeSettings:
    """Return the settings of `urisieve normalize`; leaves by SystemExit on a usage error and for `--help`."""
    parser = flags.command_parser("normalize", "Print the canonical form of each identifier.")
    text_arguments(parser)
    column_flags(parser)
    output = parser.add_argument_group("output")
    forms = (Form.URI, Form.IRI, Form.SURT, Form.KEY)
    flags.choice_flag(output, "--form", forms, Form.URI, "which form to print (default: %(default)s)", common=True)
    flags.choice_flag(output, "--invalid", Invalid, Invalid.DROP, "what stands for a text that is not an identifier: "
                      "nothing, the text itself, or an empty line (default: %(default)s)", common=True)  # fmt: skip
    hiding_flags(output, "defang", "parts")
    color_flag(output)
    flags.passwords_flag(output)
    flags.common_flags(output, "say nothing about texts that are not identifiers")
    judging_flags(parser)
    asked = parser.parse_args(argv)
    hiding = chosen_hiding(parser, asked)
    column = chosen_column(parser, asked)
    return flags.settings_of(
        NormalizeSettings,
        asked,
        hiding=hiding,
        options=chosen_options(parser, asked),
        column=column,
        texts=named_texts(parser, asked, are_files=column is not None),
    )


def parse_check(argv: Sequence[str]) -> CheckSettings:
    """Return the settings of `urisieve check`; leaves by SystemExit on a usage error and for `--help`."""
    parser = flags.command_parser("check", "Say of each text whether it is a valid identifier, or why not and where.")
    text_arguments(parser)
    column_flags(parser)
    output = parser.add_argument_group("output")
    formats = [kind for kind in Format if of_kind(kind).is_text or of_kind(kind).delimiter or of_kind(kind).is_mixed]
    flags.format_flag(output, formats, DEFAULT_FORMAT,
        "for people, a record or rejection a line, or the table of --input with columns added")  # fmt: skip
    parts_flag(output)
    hiding_flags(output)
    color_flag(output)
    flags.passwords_flag(output)
    flags.common_flags(output, "with --input no counts, and nothing about broken rows")
    flags.fail_on_flag(output)
    judging_flags(parser)
    spoofing_flags(parser)
    asked = parser.parse_args(argv)
    kind = of_kind(asked.format)
    if kind.is_mixed and asked.color == Color.ALWAYS:
        parser.error("--color is for --format text")
    hiding = chosen_hiding(parser, asked, cells=kind.delimiter != "")
    column = _check_format(parser, asked, hiding)
    return flags.settings_of(
        CheckSettings,
        asked,
        hiding=hiding,
        options=chosen_options(parser, asked),
        fail_on=FailOn.of(asked.fail_on),
        column=column,
        texts=named_texts(parser, asked, are_files=column is not None),
    )


def text_arguments(parser: Parser) -> None:
    """Add the identifiers to work on."""
    parser.add_argument("texts", nargs="*", metavar="TEXT", common=True,
                        help="identifiers; nothing or `-` for one a line on standard input")  # fmt: skip


def column_flags(parser: Parser) -> None:
    """Add the flags about identifiers in files with rows."""
    group = parser.add_argument_group("columns")
    flags.choice_flag(group, "--input", _INPUTS, DataSetKind.AUTO,
                      "text: identifiers; the others: files whose rows hold one "
                      "each, or standard input; auto: with --field rows, by content, else text (default: %(default)s)",
                      common="csv, tsv, jsonl, json or parquet: TEXT is files of rows")  # fmt: skip
    flags.place_flags(group,
                      "the field of rows that holds them: a column by name or number from 1, or a path as `a.b[].c`",
                      common="the field, or column, that holds the identifiers: TEXT is files of rows")  # fmt: skip
    group.add_argument("--no-header", action="store_true", help="the first row of the table does not name the columns")


def chosen_column(parser: Parser, asked: SimpleNamespace) -> ColumnSettings | None:
    """Return the column that was asked for, None without one; leaves by SystemExit on a usage error."""
    tables = (DataSetKind.AUTO, DataSetKind.CSV, DataSetKind.TSV)
    fields = tuple(asked.field)
    if asked.input is InputKind.TEXT or (asked.input is DataSetKind.AUTO and not fields):
        for flag, is_given in (
            ("--field", fields), ("--no-header", asked.no_header), ("--delimiter", asked.delimiter),
            ("--skip-lines", asked.skip_lines is not None),
        ):  # fmt: skip
            if is_given:
                more = "--field, and " if flag != "--field" else ""
                parser.error(f"{flag} needs {more}--input csv, tsv, jsonl, json or parquet if any")
        return None
    if len(fields) != 1:
        parser.error(f"--input {asked.input} needs one --field: the name or the number of a column, or a path")
    if asked.input not in tables and (asked.no_header or asked.delimiter or asked.skip_lines is not None):
        parser.error(f"--input {asked.input} has no --no-header, --delimiter and --skip-lines, which are of tables")
    if asked.color is Color.ALWAYS:
        parser.error("--color is for texts: --input csv and others write lines without colours")
    if asked.input is DataSetKind.PARQUET and asked.encoding is not None:
        parser.error("--encoding does not go with --input parquet")
    header = TableHeader.NONE if asked.no_header else TableHeader.FIRST_ROW
    return ColumnSettings(asked.input, fields[0], header, asked.delimiter, asked.skip_lines)


def _check_format(parser: Parser, asked: SimpleNamespace, hiding: Hiding) -> ColumnSettings | None:
    column = chosen_column(parser, asked)
    kind = of_kind(asked.format)
    if asked.parts and not kind.is_mixed:
        parser.error("--parts adds fields to records: it goes with --format jsonl")
    if kind.delimiter and hiding.mask.hides_parts:
        parser.error(
            f"--format {asked.format} writes the cells of the table as they stand: --safe no-... does not go with it"
        )
    if kind.delimiter and (column is None or str(column.kind) not in (DataSetKind.AUTO, str(asked.format))):
        parser.error(f"--format {asked.format} writes the table of --input {asked.format}")
    return column


def named_texts(parser: Parser, asked: SimpleNamespace, *, are_files: bool = False) -> tuple[str, ...]:
    """Return the identifiers that were named; leaves by SystemExit if they do not go with the other arguments.

    If none was named and standard input is a terminal, that is said; so all else is to be checked before. With
    `are_files` they are names of files.
    """
    texts = tuple(asked.texts)
    if are_files:
        return texts
    if STANDARD_INPUT in texts and len(texts) > 1:
        parser.error("`-` stands for the lines of standard input: it does not go with other arguments")
    if asked.encoding is not None and texts and texts != (STANDARD_INPUT,):
        parser.error("--encoding is that of standard input: it does not go with arguments")
    if not texts:
        say_if_waiting(is_quiet=getattr(asked, "quiet", False))
    return texts


class TableFormat(StrEnum):
    """The format of rules, explanations and statistics."""

    TEXT = "text"
    JSON = "json"
    """One document."""
    JSONL = "jsonl"
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
    """The settings of `urisieve schemes`, `namespaces` and `codes`."""

    patterns: tuple[str, ...]
    format: TableFormat
    examples: bool = False


def parse_explain(argv: Sequence[str]) -> ExplainSettings:
    """Return the settings of `urisieve explain`; leaves by SystemExit on a usage error and for `--help`."""
    parser = flags.command_parser(
        "explain", "Say what each text is, what its parts are, and each rule on the way to its form."
    )
    text_arguments(parser)
    output = parser.add_argument_group("output")
    kinds = (TableFormat.TEXT, TableFormat.JSONL)
    flags.format_flag(output, kinds, TableFormat.TEXT, "for people, or an object a line")
    hiding_flags(output, "parts")
    color_flag(output, common=True)
    flags.passwords_flag(output)
    flags.common_flags(output, None)
    judging_flags(parser)
    spoofing_flags(parser)
    asked = parser.parse_args(argv)
    if asked.format == TableFormat.JSONL and asked.color == Color.ALWAYS:
        parser.error("--color is for --format text")
    hiding = chosen_hiding(parser, asked)
    return flags.settings_of(
        ExplainSettings, asked, options=chosen_options(parser, asked), hiding=hiding, texts=named_texts(parser, asked)
    )


def _namespace_names() -> list[str]:
    from urisieve.rules.table import namespaces

    return sorted(row.name for row in namespaces())


def _codes() -> list[str]:
    return sorted({*Reason, *Warn})


# By command: what it lists, and the names.
_TABLES: Final[dict[str, tuple[str, Callable[[], list[str]]]]] = {
    "schemes": ("schemes that are known, with their rules", scheme_names),
    "namespaces": ("namespaces that are known, with their rules", _namespace_names),
    "codes": ("reasons of rejections and the warnings of records, with their sources", _codes),
}


def parse_table(command: str, argv: Sequence[str]) -> TableSettings:
    """Return the settings of a command that lists a table; leaves by SystemExit on a usage error and for `--help`."""
    listed, names = _TABLES[command]
    parser = flags.command_parser(command, f"List the {listed}.")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", common=True, words=names,
                        help="a name, with * and ? and [...], or a word of the title")  # fmt: skip
    output = parser.add_argument_group("output")
    kinds = (TableFormat.TEXT, TableFormat.JSONL, TableFormat.CSV)
    flags.format_flag(output, kinds, TableFormat.TEXT, "for people, an object a line, a table")
    if command != "codes":
        output.add_argument("--examples", action="store_true", common=True,
                            help="pairs with one key, and pairs with two")  # fmt: skip
    asked = parser.parse_args(argv)
    return flags.settings_of(TableSettings, asked, patterns=tuple(asked.patterns))
