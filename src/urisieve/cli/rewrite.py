"""`urisieve rewrite`: files, with what stands for their identifiers, to an output or in their own place."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from stat import S_ISREG
from types import SimpleNamespace

from urisieve.cli.closing_line import Closing
from urisieve.cli.reports import DONE, FAILED, say, say_if_waiting
from urisieve.cli.settings import flags
from urisieve.cli.settings.extract_arguments import USUAL_KINDS, input_flag, input_group, path_arguments
from urisieve.cli.settings.flags import Parser
from urisieve.cli.settings.judging_arguments import chosen_options, finding_flags, judging_flags
from urisieve.errors import InputError, UsageError
from urisieve.finding_options import Options, Refang
from urisieve.lean import Final, NamedTuple, replace
from urisieve.records.masking import masked_name
from urisieve.rewriting import replacements
from urisieve.rewriting.carriers import Carriers, NotWrittenBackError, RewriteCounts
from urisieve.runs.file_parts import seekable
from urisieve.runs.process import unwound_on_termination
from urisieve.sinks.byte_output import Output
from urisieve.sinks.outputs import STANDARD_OUTPUT, check_uses, gathering, open_output
from urisieve.sources.bytes.reading import STANDARD_INPUT, path_hint, read_blocks, source_name
from urisieve.sources.reading_options import InputKind, ReadingOptions
from urisieve.sources.tally import counted

# What is written by the flags that take no value, or that of rules; and those with a value of their own.
_WAYS: Final = {
    "mask": replacements.masked,
    "defang": replacements.defanged,
    "refang": replacements.refanged,
    "canonical": replacements.canonical,
    "merge": replacements.merged,
}
_OF_VALUES: Final = ("only_known", "template")
# Those that say what is written for candidates that are not valid, too.
_OF_REJECTIONS: Final = ("mask", "defang", "only_known")
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
    add("--mask", action="store_true", common=True, help="the same with `***` for passwords and secrets")
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
        help="with --mask, --defang and --only-known: candidates that are not valid, too")  # fmt: skip
    group = input_group(parser)
    input_flag(group, InputKind, USUAL_KINDS, common=False)
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
    flag_of = {name: f"--{name.replace('_', '-')}" for name in (*_WAYS, *_OF_VALUES)}
    ways = [name for name in flag_of if getattr(asked, name, None)]
    if len(ways) != 1:
        known = ", ".join(flag_of.values())
        given = f", not {' and '.join(flag_of[name] for name in ways)}" if ways else ""
        parser.error(f"say what is written in the place of links: one of {known}{given}")
    way = ways[0]
    for flag, is_wrong, needs in (
        ("--inert", asked.inert is not None and way != "only_known", "--only-known"),
        ("--subdomains", asked.subdomains and way != "only_known", "--only-known"),
        ("--with-rejected", asked.with_rejected and way not in _OF_REJECTIONS, "--mask, --defang or --only-known"),
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
    try:
        if asked.template is not None:
            from urisieve.sinks.notations import replacing_template

            replacing_template(asked.template)
        reading = ReadingOptions(
            input=asked.input,
            field=tuple(asked.field),
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


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status.

    Raises:
        OutputError: the output cannot be written.
        InputError: a file cannot be written back, or a list cannot be read; nothing was written.
    """
    settings = parse_rewrite(argv)
    rewriting = _Rewriting(settings)
    try:
        with unwound_on_termination():
            rewriting.run()
    except BrokenPipeError:
        return DONE
    if not settings.quiet:
        rewriting.closing().say(verbose=settings.verbose)
    return FAILED if rewriting.has_failed else DONE


def _replacement(settings: RewriteSettings) -> replacements.Replacement:
    """Return what is written.

    Raises:
        InputError: the list of what is known cannot be read.
    """
    if settings.template is not None:
        return replacements.replacement_of(settings.template)
    if settings.only_known:
        from urisieve.dedupe.known import Known

        known = Known.read(settings.only_known, subdomains=settings.subdomains, options=settings.options)
        if known.rejected and not settings.quiet:
            say(f"--only-known: {known.first_rejected}; {counted(known.rejected, 'line')} left out")
        return replacements.inert(known, settings.inert)
    return _WAYS[settings.way]()


class _Rewriting:
    """One run of the command.

    Attributes:
        has_failed: whether a file could not be read to its end.
    """

    def __init__(self, settings: RewriteSettings) -> None:
        self._settings = settings
        self._started = time.perf_counter()
        self._counts = RewriteCounts()
        self._files = self._size = self._copied = 0
        self.has_failed = False
        replacement = _replacement(settings)
        self._carriers = Carriers(
            replacement if settings.rejected else replacement._replace(rejection=None),
            settings.options,
            settings.reading,
            encoding=settings.encoding,
            counts=self._counts,
        )

    def run(self) -> None:
        """Rewrite all files; what cannot be written back is refused before anything is written.

        Raises:
            InputError: a file cannot be read, or written back.
        """
        settings = self._settings
        replaced = "" if settings.output == STANDARD_OUTPUT else "--output"
        written = [("--output", [settings.output])]
        check_uses(written, settings.paths, replaced=replaced)
        check_uses(written, settings.only_known)
        if len(settings.paths) > 1 or settings.in_place:
            for path in settings.paths:
                if seekable(path) is not None:
                    self._begun(path)
                elif settings.in_place:
                    _check_replaceable(path)
            self._size = self._copied = 0
        if settings.in_place:
            for path in settings.paths:
                self._in_place(path)
            return
        first = self._begun(settings.paths[0])  # a file that is refused leaves the output as it was
        with ExitStack() as stack:
            output = stack.enter_context(gathering(open_output(settings.output)))
            self._write(output, settings.paths[0], first)
            for path in settings.paths[1:]:
                self._write(output, path, self._begun(path))
            output._flush()

    def _begun(self, path: str) -> Iterator[bytes]:
        """Return the bytes of a file, rewritten.

        Raises:
            InputError: it cannot be read, or written back.
        """
        try:
            return self._carriers.rewritten(source_name(path), self._blocks(path), is_live=seekable(path) is None)
        except InputError as error:
            if self._settings.copy_others and isinstance(error, NotWrittenBackError):
                self._copied += 1
                return read_blocks(path)
            raise InputError(f"{_shown(path)}: {error}{path_hint(path)}") from error

    def _blocks(self, path: str) -> Iterator[bytes]:
        for block in read_blocks(path):
            self._size += len(block)
            yield block

    def _write(self, output: Output, path: str, pieces: Iterator[bytes]) -> None:
        """Write the bytes of a file; if it cannot be read to its end, all that was read, and this is reported."""
        try:
            for piece in pieces:
                output.write(piece)
        except InputError as error:
            self._fail(path, error)
        self._files += 1
        self._report()

    def _in_place(self, path: str) -> None:
        """Replace a file, if anything in it changes; one that cannot be read to its end stays."""
        before = self._counts.replaced
        pieces = self._begun(path)
        output = open_output(path)
        try:
            with output:
                for piece in pieces:
                    output.write(piece)
                if self._counts.replaced == before:
                    raise _UnchangedError
        except _UnchangedError:
            pass
        except InputError as error:
            self._fail(path, error)
        self._files += 1
        self._report()

    def _fail(self, path: str, error: InputError) -> None:
        self.has_failed = True
        say(f"{_shown(path)}: {error}")

    def _report(self) -> None:
        """Say what was broken in a file."""
        tally = self._counts.tally
        if not self._settings.quiet:
            for message in tally.messages:
                say(message)
        tally.messages.clear()

    def closing(self) -> Closing:
        """Return what the closing line is made of."""
        counts = self._counts
        done = [counted(self._files, "file"), counted(self._size, "byte"), f"{counts.replaced:,} replaced"]
        if counts.unwritten:
            were = "it was, which cannot" if counts.unwritten == 1 else "they were, which cannot"
            done.append(f"{counts.unwritten:,} left as {were} be written there")
        if self._copied:
            done.append(f"{counted(self._copied, 'file')} copied as {'it is' if self._copied == 1 else 'they are'}")
        return Closing(done, counts.tally, time.perf_counter() - self._started)


class _UnchangedError(Exception):
    """Nothing in a file changes: its output is given up."""


def _check_replaceable(path: str) -> None:
    """Check that a path is that of a file, and not of a folder, a pipe or a device.

    Raises:
        InputError: it is one of these, or there is nothing.
    """
    try:
        is_file = S_ISREG(os.stat(path).st_mode)
    except OSError as error:
        raise InputError(f"{_shown(path)}: {error.strerror}{path_hint(path)}") from error
    if not is_file:
        raise InputError(f"{_shown(path)}: is not a file; --in-place replaces only files")


def _shown(path: str) -> str:
    return masked_name(os.fspath(path)) if path != "-" else "standard input"
