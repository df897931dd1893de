"""Arguments of `urisieve rewrite`, and the settings that they become."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from urisieve.cli.reports import say_if_waiting
from urisieve.cli.settings import flags
from urisieve.cli.settings.extract_arguments import input_group, path_arguments
from urisieve.cli.settings.flags import Parser
from urisieve.cli.settings.judging_arguments import chosen_options, finding_flags, judging_flags
from urisieve.errors import UsageError
from urisieve.finding_options import Options, Refang
from urisieve.lean import Final, NamedTuple, replace
from urisieve.sinks.outputs import STANDARD_OUTPUT
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import InputKind, ReadingOptions

# The flags that say what is written, by the name of each value.
_WAYS: Final = {
    "secrets": "--secrets",
    "defang": "--defang",
    "refang": "--refang",
    "canonical": "--canonical",
    "merge": "--merge",
    "only_known": "--only-known",
    "template": "--template",
}
# Those that say what is written for candidates that are not valid, too.
_OF_REJECTIONS: Final = ("secrets", "defang", "only_known")
_TABLES: Final = (InputKind.AUTO, InputKind.CSV, InputKind.TSV)
_WITH_FIELDS: Final = (*_TABLES, InputKind.JSON, InputKind.JSONL)


class RewriteSettings(NamedTuple):
    """The settings of `urisieve rewrite`; `way` is one of the names of its flags."""

    paths: tuple[str, ...]
    reading: ReadingOptions
    options: Options
    encoding: str | None
    way: str
    output: str = STANDARD_OUTPUT
    in_place: bool = False
    rejected: bool = False
    copy_others: bool = False
    only_known: tuple[str, ...] = ()
    subdomains: bool = False
    inert: str | None = None
    template: str | None = None
    quiet: bool = False
    verbose: bool = False


def parse_rewrite(argv: Sequence[str]) -> RewriteSettings:
    """Return the settings of `urisieve rewrite`; leaves by SystemExit on a usage error and for `--help`."""
    parser = flags.command_parser("rewrite", "Write files with their identifiers replaced; all else stays as it is.")
    path_arguments(parser)
    ways = parser.add_argument_group("replacement", "One of these says what is written in the place of an identifier.")
    add = ways.add_argument
    add("--secrets", action="store_true", common=True, help="the same with `***` for passwords and secrets")
    add("--defang", action="store_true", common=True, help="a form that is no link, as hxxp://a[.]example/")
    add("--refang", action="store_true", help="for what is defanged, the link")
    add("--canonical", action="store_true", common=True, help="its canonical form")
    add("--only-known", action="append", default=[], metavar="FILE", common="what is not in a list defanged",
        help="as it is what FILE, a list as for `extract --known`, has, and others defanged; repeatable")  # fmt: skip
    add("--template", metavar="TEXT", common="a text with fields in braces, as '[{host}]({uri})'",
        help="TEXT, with fields in braces: `[{host}]({uri})`; {{ and }} for braces")  # fmt: skip
    more = parser.add_argument_group("rules of it", "`--merge NAME` below writes what counts as the same.")
    add = more.add_argument
    add("--inert", metavar="TEXT", help="with --only-known: TEXT in place of others")
    add("--subdomains", action="store_true", help="with --only-known: hosts of the list cover those below them")
    add("--with-rejected", action="store_true", common="candidates that are not valid, too",
        help="with --secrets, --defang and --only-known: candidates that are not valid, too")  # fmt: skip
    group = input_group(parser)
    flags.choice_flag(group, "--input", flags.InputWords(InputKind), InputKind.AUTO,
                      "what the files are, after decompression (default: auto)")  # fmt: skip
    flags.place_flags(group,
                      "with json or jsonl only this field: `a.b[].c`; with csv or tsv only this column, by name or "
                      "number, repeatable")  # fmt: skip
    output = parser.add_argument_group("output")
    flags.output_flag(output)
    output.add_argument("--in-place", action="store_true", guarded=True, common="replace each file if anything changes",
                        help="replace each file, when its new content is complete, if anything changes")  # fmt: skip
    output.add_argument("--copy-others", action="store_true", guarded=True,
                        help="copy files that cannot be written back, as archives, as they are")  # fmt: skip
    flags.common_flags(output, "no counts")
    output.add_argument("-v", "--verbose", action="store_true", help="all that was counted")
    finding_flags(parser)
    judging_flags(parser, is_found=True)
    asked = parser.parse_args(argv)
    settings = _settings(parser, asked)
    if not asked.paths:
        say_if_waiting(is_quiet=asked.quiet)
    return settings


def _settings(parser: Parser, asked: SimpleNamespace) -> RewriteSettings:
    ways = [name for name in _WAYS if getattr(asked, name, None)]
    if len(ways) != 1:
        known = ", ".join(_WAYS.values())
        given = f", not {' and '.join(_WAYS[name] for name in ways)}" if ways else ""
        parser.error(f"say what is written in the place of links: one of {known}{given}")
    way = ways[0]
    for flag, is_wrong, needs in (
        ("--inert", asked.inert is not None and way != "only_known", "--only-known"),
        ("--subdomains", asked.subdomains and way != "only_known", "--only-known"),
        ("--with-rejected", asked.with_rejected and way not in _OF_REJECTIONS, "--secrets, --defang or --only-known"),
    ):
        if is_wrong:
            parser.error(f"{flag} needs {needs}")
    paths = tuple(asked.paths) or (STANDARD_INPUT,)
    if asked.in_place and (asked.output != STANDARD_OUTPUT or STANDARD_INPUT in paths):
        parser.error("--in-place replaces the files that are named: --output and standard input do not go with it")
    if STANDARD_INPUT in asked.only_known and STANDARD_INPUT in paths:
        parser.error("standard input is one file: --only-known - needs the paths of the files to be rewritten")
    if asked.field and asked.input not in _WITH_FIELDS:
        parser.error("--field names what is read: it goes with --input csv, tsv, json, jsonl or auto")
    if (asked.delimiter or asked.skip_lines is not None) and asked.input not in _TABLES:
        parser.error(f"--delimiter and --skip-lines are of tables, and not of --input {asked.input}")
    options = chosen_options(parser, asked)
    if way == "refang":
        options = replace(options, refang=Refang.KNOWN_FORMS)
    fields = tuple(asked.field)
    try:
        if asked.template is not None:
            from urisieve.sinks.notations import replacing_template

            replacing_template(asked.template)
        reading = ReadingOptions(
            input=asked.input,
            field=fields[0] if fields and asked.input not in _TABLES else None,
            columns=fields if asked.input in _TABLES else (),
            delimiter=asked.delimiter,
            skip_lines=asked.skip_lines,
        )
    except UsageError as error:
        parser.error(str(error))
    return flags.settings_of(
        RewriteSettings,
        asked,
        paths=paths,
        options=options,
        reading=reading,
        way=way,
        rejected=asked.with_rejected,
        only_known=tuple(asked.only_known),
    )
