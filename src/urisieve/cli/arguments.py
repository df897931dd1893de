"""The flags of every command, and how they become frozen settings; each choice is that of an enum of the library."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Final, NamedTuple

from urisieve.cli.examples import EXAMPLES
from urisieve.cli.fail_on import NEVER, FailOn, fail_on_flag
from urisieve.cli.outputs import STANDARD_OUTPUT
from urisieve.cli.parser import Parser
from urisieve.cli.talk import PROGRAM, say
from urisieve.errors import UsageError
from urisieve.options import (
    DEFAULT_MAX_LENGTH,
    Charset,
    EmailFinding,
    EmbeddedSpace,
    Level,
    Lossy,
    NestedFinding,
    Options,
    Refang,
    Repair,
    SchemelessFinding,
    SchemePolicy,
    UrnSyntax,
    ZoneIdentifiers,
)
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import Alternatives, BinaryFiles, Carrier, HtmlReader, InputKind, ReadingOptions

__all__ = [
    "CheckSettings",
    "ExtractSettings",
    "Form",
    "Format",
    "Invalid",
    "NormalizeSettings",
    "check_form",
    "choice_flag",
    "chosen_options",
    "command_parser",
    "common_flags",
    "finding_flags",
    "input_group",
    "judging_flags",
    "named_paths",
    "named_texts",
    "parse_check",
    "parse_extract",
    "parse_normalize",
    "path_arguments",
    "process_count",
    "reading_flags",
    "reading_options",
    "separator_of",
    "text_arguments",
]


class Format(StrEnum):
    """How records are written."""

    TEXT = "text"
    JSONL = "jsonl"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    """As JSON lines, for what is no record."""


class Form(StrEnum):
    """Which form of an identifier is written as text."""

    URI = "uri"
    IRI = "iri"
    RAW = "raw"
    KEY = "key"


class Invalid(StrEnum):
    """What `normalize` prints for a text that is no identifier."""

    DROP = "drop"
    KEEP = "keep"
    BLANK = "blank"


class ExtractSettings(NamedTuple):
    """What `urisieve extract` was asked to do."""

    paths: tuple[str, ...]
    files_from: str | None
    separator: bytes
    reading: ReadingOptions
    follow: bool
    options: Options
    format: Format
    form: Form
    unique: bool
    output: str
    rejected: str | None
    encoding: str | None
    jobs: int | None
    show_passwords: bool
    quiet: bool
    fail_on: FailOn = NEVER
    traceback: bool = False


class NormalizeSettings(NamedTuple):
    """What `urisieve normalize` was asked to do."""

    texts: tuple[str, ...]
    options: Options
    form: Form
    invalid: Invalid
    encoding: str | None
    show_passwords: bool
    quiet: bool


class CheckSettings(NamedTuple):
    """What `urisieve check` was asked to do."""

    texts: tuple[str, ...]
    options: Options
    format: Format
    encoding: str | None
    show_passwords: bool
    fail_on: FailOn = NEVER


def parse_extract(argv: Sequence[str]) -> ExtractSettings:
    """The settings of `urisieve extract`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("extract", "Find the identifiers in files and print them in order of appearance.")
    path_arguments(parser)
    group = input_group(parser)
    choice_flag(group, "--input", InputKind, InputKind.AUTO, "what the files are, after decompression (default: auto)")
    group.add_argument("--field", metavar="PATH", help="with json, jsonl or journal only this field: `a.b[*].c`")
    group.add_argument(
        "--column", action="append", default=[], metavar="NAME|N", help="with csv or tsv only this column; repeatable"
    )
    reading_flags(group)
    group.add_argument(
        "--follow", action="store_true", help="go on as files grow or are replaced, until interrupted: plain text only"
    )
    output = parser.add_argument_group("output")
    formats = (Format.TEXT, Format.JSONL, Format.CSV, Format.TSV)
    choice_flag(
        output, "--format", formats, Format.TEXT, "one identifier a line, or whole records (default: %(default)s)"
    )
    forms = (Form.URI, Form.IRI, Form.RAW)
    choice_flag(
        output,
        "--form",
        forms,
        Form.URI,
        "which form text output has; raw is without removed white space (default: %(default)s)",
    )
    output.add_argument("--unique", action="store_true", help="each identifier once, judged by its key")
    output.add_argument(
        "-o",
        "--output",
        default=STANDARD_OUTPUT,
        metavar="FILE",
        help="write there instead of standard output; an old FILE stays until the new one is complete",
    )
    output.add_argument(
        "--rejected", metavar="FILE", help="write what looks like an identifier and is none, as JSON lines"
    )
    common_flags(output, "no progress, no counts")
    fail_on_flag(output)
    output.add_argument(
        "--jobs",
        type=process_count,
        metavar="N",
        help="how many processes share the work; the output is the same (default: one for each core where the files "
        "are large, else 1)",
    )
    finding_flags(parser)
    judging_flags(parser)
    asked = parser.parse_args(argv)
    reading = reading_options(parser, asked, kind=asked.input, field=asked.field, columns=asked.column)
    check_form(parser, asked)
    if asked.follow:
        _check_follow(parser, asked)
    return ExtractSettings(
        paths=named_paths(asked),
        files_from=asked.files_from,
        separator=separator_of(asked),
        reading=reading,
        follow=asked.follow,
        options=chosen_options(parser, asked),
        format=Format(asked.format),
        form=Form(asked.form),
        unique=asked.unique,
        output=asked.output,
        rejected=asked.rejected,
        encoding=asked.encoding,
        jobs=asked.jobs,
        show_passwords=asked.show_passwords,
        quiet=asked.quiet,
        fail_on=FailOn.of(asked.fail_on),
        traceback=asked.traceback,
    )


def parse_normalize(argv: Sequence[str]) -> NormalizeSettings:
    """The settings of `urisieve normalize`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("normalize", "Print the canonical form of each identifier.")
    text_arguments(parser)
    output = parser.add_argument_group("output")
    forms = (Form.URI, Form.IRI, Form.KEY)
    choice_flag(output, "--form", forms, Form.URI, "which form to print (default: %(default)s)")
    choice_flag(output, "--invalid", Invalid, Invalid.DROP, "what stands for a text that is no identifier: nothing, "
            "the text itself, or an empty line (default: %(default)s)")  # fmt: skip
    common_flags(output, "say nothing about texts that are no identifiers")
    judging_flags(parser)
    asked = parser.parse_args(argv)
    return NormalizeSettings(
        texts=named_texts(parser, asked),
        options=chosen_options(parser, asked),
        form=Form(asked.form),
        invalid=Invalid(asked.invalid),
        encoding=asked.encoding,
        show_passwords=asked.show_passwords,
        quiet=asked.quiet,
    )


def parse_check(argv: Sequence[str]) -> CheckSettings:
    """The settings of `urisieve check`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("check", "Say of each text whether it is a valid identifier, or why not and where.")
    text_arguments(parser)
    output = parser.add_argument_group("output")
    formats = (Format.TEXT, Format.JSONL)
    choice_flag(
        output, "--format", formats, Format.TEXT, "for people, or a record or rejection a line (default: %(default)s)"
    )
    common_flags(output, None)
    fail_on_flag(output)
    judging_flags(parser)
    asked = parser.parse_args(argv)
    return CheckSettings(
        texts=named_texts(parser, asked),
        options=chosen_options(parser, asked),
        format=Format(asked.format),
        encoding=asked.encoding,
        show_passwords=asked.show_passwords,
        fail_on=FailOn.of(asked.fail_on),
    )


def command_parser(command: str, description: str) -> Parser:
    """The parser of a command, with its examples."""
    examples = "\n".join(f"  {line}\n      {meaning}" for line, meaning in EXAMPLES[command])
    return Parser(prog=f"{PROGRAM} {command}", description=description, epilog=f"examples:\n{examples}")


def text_arguments(parser: Parser) -> None:
    """Identifiers to work on."""
    parser.add_argument(
        "texts", nargs="*", metavar="TEXT", help="identifiers; nothing or `-` for one a line on standard input"
    )


def named_texts(parser: Parser, asked: argparse.Namespace) -> tuple[str, ...]:
    """The identifiers that were named; leaves by SystemExit where they do not go with the other arguments."""
    texts = tuple(asked.texts)
    if STANDARD_INPUT in texts and len(texts) > 1:
        parser.error("`-` stands for the lines of standard input: it does not go with other arguments")
    if asked.encoding is not None and texts and texts != (STANDARD_INPUT,):
        parser.error("--encoding is that of standard input: it does not go with arguments")
    return texts


def common_flags(group: argparse._ArgumentGroup, quiet: str | None) -> None:
    """What every command has; `quiet` says what `--quiet` silences, None for a command without it."""
    group.add_argument("--encoding", metavar="NAME", help="of the input (default: by byte order mark, else UTF-8)")
    group.add_argument("--show-passwords", action="store_true", help="write passwords in clear instead of `***`")
    if quiet is not None:
        group.add_argument("--quiet", action="store_true", help=quiet)


def finding_flags(parser: Parser) -> None:
    """How identifiers are found."""
    group = parser.add_argument_group("finding")
    group.add_argument(
        "--schemes",
        type=_schemes,
        default=argparse.SUPPRESS,
        metavar=f"{'|'.join(SchemePolicy)}|NAME,...",
        help="any scheme before `//` and the unmistakable ones without it; the registered ones of these; "
        "any `scheme:`; or only those named (default: default)",
    )
    _several(group, "--exclude-schemes", "NAME,...", "never these schemes")
    _several(group, "--known-schemes", "NAME,...", "treat these schemes as registered")
    choice_flag(
        group, "--embedded-space", EmbeddedSpace, None, "what happens to white space inside <> (default: remove)"
    )
    _flag(group, "--schemeless", SchemelessFinding.NAMES, "find host names without a scheme, as http")
    _flag(group, "--email", EmailFinding.ADDRESSES, "find mail addresses without `mailto:`")
    _flag(group, "--refang", Refang.KNOWN_FORMS, "read defanged identifiers (`hxxp://e[.]com`) as what they were")
    _flag(group, "--nested", NestedFinding.REPORT, "report identifiers inside others too")
    group.add_argument(
        "--max-length",
        type=int,
        default=argparse.SUPPRESS,
        metavar="N",
        help=f"the longest candidate, in characters (default: {DEFAULT_MAX_LENGTH})",
    )


def path_arguments(parser: Parser) -> None:
    """The files to read."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; `-` or nothing for standard input")


def named_paths(asked: argparse.Namespace) -> tuple[str, ...]:
    """The files that were named; standard input where none was."""
    return tuple(asked.paths) or (() if asked.files_from is not None else (STANDARD_INPUT,))


def separator_of(asked: argparse.Namespace) -> bytes:
    """What ends each path of a list."""
    return b"\0" if asked.null else b"\n"


def input_group(parser: Parser) -> argparse._ArgumentGroup:
    """The group of flags about the input."""
    return parser.add_argument_group(
        "input", "Compression, archives, mail, HTML and exports of the journal are told by their content."
    )


def reading_flags(group: argparse._ArgumentGroup) -> None:
    """Which files are read, and how."""
    group.add_argument(
        "--files-from", metavar="FILE", help="read the paths that FILE lists, too; `-` for standard input"
    )
    group.add_argument("-0", "--null", action="store_true", help="paths in that list end with NUL instead of lines")
    for flag, text in (
        ("--include", "of folders only files that match"),
        ("--exclude", "of folders nothing that matches"),
    ):
        group.add_argument(flag, action="append", default=[], metavar="GLOB", help=f"{text}; repeatable")
    group.add_argument("--hidden", action="store_true", help="read hidden files of folders too")
    choice_flag(group, "--unescape", Carrier, None, "undo the escapes of plain text that was written for this")
    choice_flag(
        group,
        "--html",
        HtmlReader,
        HtmlReader.TOKENS,
        "what reads HTML; lexbor needs the extra `html` and tells no places (default: %(default)s)",
    )
    group.add_argument(
        "--all-parts", action="store_true", help="a link of mail for each form of a text (plain, HTML) that has it"
    )
    group.add_argument(
        "--traceback",
        action="store_true",
        help="where reading a file fails by an error of this program, show where in the program that was",
    )
    choice_flag(
        group,
        "--binary",
        BinaryFiles,
        BinaryFiles.AUTO,
        "files that are not text: auto reads those named, and none in folders and archives (default: %(default)s)",
    )


def reading_options(
    parser: Parser,
    asked: argparse.Namespace,
    *,
    kind: str,
    field: str | None,
    columns: Sequence[str] = (),
) -> ReadingOptions:
    """How files are read; leaves by SystemExit on a usage error."""
    _check_reading(parser, asked, kind)
    folders = None
    try:
        if asked.include or asked.exclude or asked.hidden:
            from urisieve.sources.containers.folders import HiddenFiles, PathFilter

            hidden = HiddenFiles.READ if asked.hidden else HiddenFiles.SKIP
            folders = PathFilter(include=tuple(asked.include), exclude=tuple(asked.exclude), hidden=hidden)
        return ReadingOptions(
            input=kind,
            field=field,
            columns=columns,
            unescape=getattr(asked, "unescape", None),
            html=asked.html,
            alternatives=Alternatives.ALL if asked.all_parts else Alternatives.ONCE,
            binary=asked.binary,
            folders=folders,
        )
    except UsageError as error:
        parser.error(str(error))


# The kinds of input in which there is what an option is about.
_WITH_HTML: Final = frozenset(["auto", "mail", "html", "warc"])
_WITH_MAIL: Final = frozenset(["auto", "mail", "warc"])
_WITH_BINARY: Final = frozenset(["auto"])


def _check_reading(parser: Parser, asked: argparse.Namespace, kind: str) -> None:
    """See that no option about reading is asked for in vain."""
    if asked.null and asked.files_from is None:
        parser.error("--null needs --files-from")
    default = ReadingOptions()
    for flag, is_asked, kinds in (
        ("--html", asked.html != default.html, _WITH_HTML),
        ("--all-parts", asked.all_parts, _WITH_MAIL),
        ("--binary", asked.binary != default.binary, _WITH_BINARY),
    ):
        if is_asked and kind not in kinds:
            parser.error(f"{flag} does not go with --input {kind}")


def check_form(parser: Parser, asked: argparse.Namespace) -> None:
    """See that a form is asked for where there is a choice of forms; leaves by SystemExit."""
    if asked.format != Format.TEXT and asked.form != Form.URI:
        parser.error(f"--form is for --format text: {asked.format} has all forms")


def _check_follow(parser: Parser, asked: argparse.Namespace) -> None:
    if not asked.paths or STANDARD_INPUT in asked.paths or asked.files_from is not None:
        parser.error("--follow needs the names of files")
    if asked.input not in (InputKind.AUTO, InputKind.TEXT) or hasattr(asked, "unescape"):
        parser.error("--follow reads plain text: --input and --unescape do not go with it")
    if asked.include or asked.exclude or asked.hidden:
        parser.error("--follow reads the files that are named: --include, --exclude and --hidden do not go with it")
    default = ReadingOptions()
    if asked.all_parts or asked.html != default.html or asked.binary != default.binary:
        parser.error("--follow reads plain text: --all-parts, --html and --binary do not go with it")
    if asked.jobs not in (None, 1):
        parser.error("--follow is the work of one process: --jobs does not go with it")


def judging_flags(parser: Parser) -> None:
    """How identifiers are judged and normalized."""
    group = parser.add_argument_group("validating and normalizing")
    choice_flag(group, "--level", Level, None, "how far to normalize (default: scheme)")
    _several(group, "--lossy", "STEP,...", f"steps that merge more than the RFCs do: {', '.join(Lossy)}")
    choice_flag(group, "--urn", UrnSyntax, None, "which RFC says what a URN is (default: rfc2141)", dest="urn_syntax")
    _flag(group, "--repair", Repair.ENCODE, "percent-encode characters that no identifier may hold")
    _flag(group, "--zones", ZoneIdentifiers.RFC6874, "accept IPv6 zone identifiers (RFC 6874)")


def choice_flag(
    group: argparse._ArgumentGroup,
    flag: str,
    choices: Iterable[StrEnum],
    default: StrEnum | None,
    text: str,
    dest: str | None = None,
) -> None:
    """A flag with a value; without a default of its own it leaves that to `Options`."""
    group.add_argument(
        flag,
        dest=dest or flag.lstrip("-").replace("-", "_"),
        choices=[str(choice) for choice in choices],
        default=argparse.SUPPRESS if default is None else str(default),
        help=text,
    )


def _flag(group: argparse._ArgumentGroup, flag: str, value: StrEnum, text: str) -> None:
    group.add_argument(flag, action="store_const", const=value, default=argparse.SUPPRESS, help=text)


def _several(group: argparse._ArgumentGroup, flag: str, metavar: str, text: str) -> None:
    group.add_argument(
        flag, action="extend", type=_names, default=argparse.SUPPRESS, metavar=metavar, help=f"{text}; repeatable"
    )


def _names(text: str) -> list[str]:
    return [name for part in text.split(",") if (name := part.strip())]


def process_count(text: str) -> int:
    """A number of processes from an argument."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes: use 1 or more")
    return int(text)


def _schemes(text: str) -> str | list[str]:
    names = _names(text)
    if not names:
        raise argparse.ArgumentTypeError("no scheme is named")
    return text if text in list(SchemePolicy) else names


def chosen_options(parser: Parser, asked: argparse.Namespace) -> Options:
    """What was asked for, as options of the library; leaves by SystemExit on a usage error."""
    given = {field.name: getattr(asked, field.name) for field in fields(Options) if hasattr(asked, field.name)}
    try:
        if not find_encoding(asked.encoding).is_unicode:
            given["charset"] = Charset.LEGACY
        options = Options(**given)
    except UsageError as error:
        parser.error(str(error))
    if "schemes" in given or "exclude_schemes" in given:
        from urisieve.cli.hints import scheme_hints

        for hint in () if asked.quiet else scheme_hints(options):
            say(hint)
    return options
