"""Arguments of `urisieve extract`, those of all commands that read files, and the settings that they become."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from types import SimpleNamespace

from urisieve.cli.reports import say_if_waiting
from urisieve.cli.settings import flags, output_arguments
from urisieve.cli.settings.arguments import TRACEBACK, Group
from urisieve.cli.settings.flags import Parser
from urisieve.cli.settings.judging_arguments import chosen_options, several_flag, sieve_flags
from urisieve.codes import FailOn
from urisieve.dedupe.keeping import Keep
from urisieve.errors import UsageError
from urisieve.finding_options import Options
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple
from urisieve.records.base import CONTEXT_NAMES
from urisieve.sinks.formats import Form, Format, FormatSettings
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import OF_LINES, BinaryFiles, Carrier, InputKind, MailParts, ReadingOptions

if TYPE_CHECKING:
    from urisieve.dedupe.key_store import Store
    from urisieve.records.filtering import Filter

# What the short help says of `--input`, and what the long one does of one that takes the usual kinds.
OF_KINDS: Final = "what the files are (default: detected by their content)"
USUAL_KINDS: Final = "what the files are, after decompression (default: auto)"
# The kinds of input that are not searched.
RECORDS: Final = "records"
KEYS: Final = "keys"


def path_arguments(parser: Parser) -> None:
    """Add the files to read."""
    parser.add_argument("paths", nargs="*", metavar="PATH", common=True,
                        help="files and folders; `-` or nothing for standard input")  # fmt: skip


def named_paths(asked: SimpleNamespace) -> tuple[str, ...]:
    """Return the files that were named; standard input if none was."""
    return tuple(asked.paths) or (() if asked.files_from is not None else (STANDARD_INPUT,))


def say_if_nothing_is_named(asked: SimpleNamespace) -> None:
    """Say that standard input is read if that is a terminal; so all else is to be checked before."""
    if not asked.paths and asked.files_from is None:
        say_if_waiting(is_quiet=asked.quiet)


def input_group(parser: Parser) -> Group:
    """Add the group of flags about the input."""
    return parser.add_argument_group(
        "input", "Compression, archives, mail, HTML and exports of the journal are detected by their content."
    )


def input_flag(group: Group, kinds: Iterable[str], text: str, *, common: str | bool = OF_KINDS) -> None:
    """Add `--input`: the kinds of sources, and those of plug-ins."""
    flags.choice_flag(group, "--input", flags.InputWords(kinds), InputKind.AUTO, text, common=common)


def reading_flags(group: Group) -> None:
    """Add the flags about the choice and the reading of files."""
    group.add_argument("--files-from", metavar="FILE", help="read the paths that FILE lists, too, by lines or ended by "
                       "NULs; `-` for standard input")  # fmt: skip
    group.add_argument("--include", action="append", default=[], metavar="GLOB", help="of folders only files that "
                       "match, with `!` before GLOB nothing that matches; repeatable")  # fmt: skip
    flags.words_flag(group, "--read", _READ)
    several_flag(group, "--unescape", "NAME,...", "undo the escapes of plain text that was written for these, the "
                 f"outermost first: {', '.join(Carrier)}", lambda: list(Carrier))  # fmt: skip
    group.add_argument("--base", metavar="URL", help="resolve relative references of HTML and XML against it, in "
                       "strings too, where no base is stated")  # fmt: skip
    group.add_argument("--time-field", metavar="NAME", help="the field of JSON, or the column, with the time of a row "
                       "(default: the usual names, as @timestamp, date)")  # fmt: skip


# What `--read` takes, with its meaning.
_READ: Final = {
    "hidden": "hidden files of folders",
    "all-parts": "a link of mail for each form of a text (plain, HTML) that has it",
    "binary": "all files that are not text",
    "context": "when and from whom: the fields time, time_written, from, to and subject of records",
    "no-binary": "none of these (default: those named, and none in folders and archives)",
}


def is_traced() -> bool:
    """Report whether the environment asks for the tracebacks of errors of this program."""
    return os.environ.get(TRACEBACK, "0") not in ("", "0")


def reading_options(parser: Parser, asked: SimpleNamespace, *, kind: str, fields: Sequence[str] = ()) -> ReadingOptions:
    """Return how files are read; leaves by SystemExit on a usage error."""
    _check_reading(parser, asked, kind, fields)
    read = frozenset(asked.read)
    binary = BinaryFiles.TEXT if "binary" in read else BinaryFiles.AUTO
    folders = None
    try:
        if asked.include or "hidden" in read:
            from urisieve.sources.containers.folders import HiddenFiles, PathFilter

            hidden = HiddenFiles.READ if "hidden" in read else HiddenFiles.SKIP
            include = tuple(glob for glob in asked.include if not glob.startswith("!"))
            exclude = tuple(glob[1:] for glob in asked.include if glob.startswith("!"))
            folders = PathFilter(include=include, exclude=exclude, hidden=hidden)
        return ReadingOptions(
            input=kind,
            field=fields,
            delimiter=asked.delimiter if kind in _WITH_CELLS else "",
            skip_lines=asked.skip_lines if kind in _WITH_CELLS else None,
            unescape=getattr(asked, "unescape", ()),
            base=asked.base,
            mail_parts=MailParts.ALL if "all-parts" in read else MailParts.ONCE,
            binary=BinaryFiles.SKIP if "no-binary" in read else binary,
            folders=folders,
            context=_needs_context(asked),
            time_field=asked.time_field,
        )
    except UsageError as error:
        parser.error(str(error))


def _needs_context(asked: SimpleNamespace) -> bool:
    """Report whether what was asked for says when or from whom a text came."""
    if getattr(asked, "keep", Keep.FIRST).is_by_time:
        return True
    if "context" in asked.read or getattr(asked, "since", None) or getattr(asked, "until", None):
        return True
    if any(field in output_arguments.OF_CONTEXT for field, _ in getattr(asked, "only", ())):
        return True
    names = getattr(asked, "fields", ())
    template = getattr(asked, "template", None)
    if template is not None:
        from urisieve.sinks.notations import template_notation

        names = template_notation(template).names
    return any(name in CONTEXT_NAMES for name in names)


# For options about a kind of content, the kinds of input that may contain it.
_WITH_MAIL: Final = frozenset(["auto", "mail", "warc"])
_WITHOUT_REFERENCES: Final = frozenset(["text", "bibtex", "keys", "records", "parquet"])
_WITH_BINARY: Final = frozenset(["auto"])
_WITH_CELLS: Final = frozenset(["auto", "csv", "tsv"])
_WITH_FIELDS: Final = frozenset(["auto", "csv", "tsv", "json", "jsonl", "journal"])


def _check_reading(parser: Parser, asked: SimpleNamespace, kind: str, fields: Sequence[str]) -> None:
    """Check that each option about reading has something to act on; leaves by SystemExit."""
    read = frozenset(asked.read)
    if {"binary", "no-binary"} <= read:
        parser.error("--read binary and no-binary contradict each other: give one of them")
    if fields and kind not in _WITH_FIELDS:
        parser.error(
            "--field names what is read: it goes with --input csv, tsv, json, jsonl, journal or auto; "
            "--fields names what is written"
        )
    if len(fields) > 1 and kind not in _WITH_CELLS:
        parser.error(f"--field can be given only once with --input {kind}")
    for flag, is_asked, kinds in (
        ("--read all-parts", "all-parts" in read, _WITH_MAIL),
        ("--base", asked.base is not None and kind in _WITHOUT_REFERENCES, ()),
        ("--read binary", "binary" in read, _WITH_BINARY),
        ("--read no-binary", "no-binary" in read, _WITH_BINARY),
        ("--delimiter", bool(asked.delimiter), _WITH_CELLS),
        ("--skip-lines", asked.skip_lines is not None, _WITH_CELLS),
    ):
        if is_asked and kind not in kinds:
            parser.error(f"{flag} does not go with --input {kind}")


class ExtractSettings(NamedTuple):
    """The settings of `urisieve extract`."""

    paths: tuple[str, ...]
    files_from: str | None
    reading: ReadingOptions
    options: Options
    format: Format
    output: str
    encoding: str | None
    jobs: int | None
    quiet: bool
    verbose: bool = False
    form: Form = Form.URI
    unique: bool = False
    follow: bool = False
    rejected: str | None = None
    fail_on: FailOn = flags.NEVER
    traceback: bool = False
    fields: tuple[str, ...] = ()
    template: str | None = None
    color: output_arguments.Color = output_arguments.Color.AUTO
    wanted: Filter | None = None
    lists: output_arguments.ListSettings | None = None
    parts: bool = False
    hiding: output_arguments.Hiding = output_arguments.Hiding()
    keep: Keep = Keep.FIRST
    by: Form = Form.KEY

    @property
    def list_files(self) -> tuple[str, ...]:
        """The files of the lists with which identifiers are compared."""
        return () if self.lists is None else (*self.lists.known, *self.lists.unknown)

    @property
    def rejected_format(self) -> Format | None:
        """The format of the rejections: the ending of the name states it, else it is JSON lines; None for none."""
        if self.rejected is None:
            return None
        from urisieve.sinks.record_files import named_format

        kind = named_format(self.rejected)
        return kind if kind in (Format.CSV, Format.TSV) else Format.JSONL

    def formats(self, store: Store | None = None, *, again: bool = False) -> FormatSettings:
        """Return how records are written, with the secret of a store; `again` if they were written before."""
        return FormatSettings(
            self.format, self.form, rejects=self.rejected_format, again=again, fields=self.fields,
            template=self.template, parts=self.parts, by=self.by, **self.hiding.of_format(store),
        )  # fmt: skip

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
    parser = flags.command_parser("extract", "Find the identifiers in files and print them in order of appearance.")
    path_arguments(parser)
    group = input_group(parser)
    input_flag(group, InputKind, USUAL_KINDS)
    flags.place_flags(group,
                      "with json, jsonl or journal only this field: `a.b[].c`; with csv or tsv only this column, "
                      "by name or number, repeatable")  # fmt: skip
    reading_flags(group)
    follow_flag(group, ", and with --input jsonl, csv or tsv rows")
    output = parser.add_argument_group("output")
    output_arguments.record_flags(output,
        "what text output holds: a form of each identifier (raw is without removed white space), its host or "
        "registrable domain, or its template, with {} for numbers and the like",
        common="only these columns, in this order, as uri,host,line")  # fmt: skip
    output_arguments.parts_flag(output)
    output.add_argument("-u", "--unique", action="store_true",
                        common="each identifier once; with --by host one of each host",
                        help="each identifier once, judged by its key; with --form host or template each of "
                        "these")  # fmt: skip
    output_arguments.by_flag(output, "with --unique: what comes once; with host, domain or template the first of each")
    flags.choice_flag(output, "--keep", Keep, Keep.FIRST, f"with --unique: {KEPT} (default: %(default)s)",
                      common="with -u: first, last, earliest or latest of each")  # fmt: skip
    output_arguments.hiding_flags(output)
    output_arguments.color_flag(output)
    flags.output_flag(output)
    output.add_argument("--rejected", metavar="FILE", common="write what is not valid there, with reasons",
                        help="write what looks like an identifier and is not valid, with the reason, and the faults of "
                        "the input: as a table where FILE ends with .csv or .tsv, else as JSON lines")  # fmt: skip
    flags.passwords_flag(output)
    flags.run_flags(output)
    flags.fail_on_flag(output)
    sieve_flags(parser)
    asked = parser.parse_args(argv)
    has_cells = of_kind(asked.format).delimiter != "" or (asked.rejected or "").endswith((".csv", ".tsv"))
    hiding = output_arguments.chosen_hiding(parser, asked, cells=has_cells)
    reading = reading_options(parser, asked, kind=asked.input, fields=tuple(asked.field))
    output_arguments.check_output(parser, asked)
    if asked.by is not Form.KEY and not asked.unique:
        parser.error(f"--by {asked.by} needs --unique: it is about what comes once")
    if asked.keep is not Keep.FIRST:
        _check_keep(parser, asked)
    if asked.follow:
        check_follow(parser, asked)
    settings = extract_settings(
        parser, asked, reading, hiding, fail_on=FailOn.of(asked.fail_on), fields=output_arguments.record_fields(asked)
    )
    say_if_nothing_is_named(asked)
    return settings


def extract_settings(
    parser: Parser, asked: SimpleNamespace, reading: ReadingOptions, hiding: output_arguments.Hiding, **others: object
) -> ExtractSettings:
    """Return the settings that were asked for; `others` come before them. Leaves by SystemExit on a usage error."""
    return flags.settings_of(
        ExtractSettings,
        asked,
        paths=named_paths(asked),
        reading=reading,
        options=chosen_options(parser, asked),
        hiding=hiding,
        traceback=is_traced(),
        wanted=output_arguments.chosen_filter(asked),
        lists=output_arguments.chosen_lists(parser, asked, named_paths(asked)),
        **others,
    )


# What `--keep` chooses, for its help.
KEPT: Final = "which record of an identifier, by the order of reading or by its time; those without a time come last"
# Why some records cannot be chosen where they are written to Parquet.
NO_KEPT_PARQUET: Final = "does not go with --format parquet: write jsonl, and convert it"


def _check_keep(parser: Parser, asked: SimpleNamespace) -> None:
    """Check that the records to choose from are known at the end; leaves by SystemExit."""
    if not asked.unique:
        parser.error(f"--keep {asked.keep} needs --unique: it is about the records of one identifier")
    if asked.follow:
        parser.error(f"--follow does not go with --keep {asked.keep}, which is known at the end")
    if of_kind(asked.format).is_file:
        parser.error(f"--keep {asked.keep} {NO_KEPT_PARQUET}")


def follow_flag(group: Group, rows: str) -> None:
    """Add the flag that follows files; `rows` says what is followed besides text."""
    group.add_argument("--follow", action="store_true", guarded=True, help="go on as files grow or are replaced, "
                       f"until interrupted: plain text{rows}")  # fmt: skip


def check_follow(parser: Parser, asked: SimpleNamespace) -> None:
    """Check that nothing else is asked for than text, or rows, from files by name; leaves by SystemExit."""
    read = frozenset(asked.read)
    checks = (
        (not asked.paths or STANDARD_INPUT in asked.paths or asked.files_from is not None,
         "--follow needs the names of files"),
        (asked.input not in (InputKind.AUTO, InputKind.TEXT, *OF_LINES) or hasattr(asked, "unescape"),
         "--follow reads plain text, jsonl, csv and tsv: --input of others and --unescape do not go with it"),
        (asked.include or "hidden" in read,
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
