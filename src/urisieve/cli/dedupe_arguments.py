"""The flags of `urisieve dedupe`, and how they become frozen settings."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Final, NamedTuple

from urisieve.cli.arguments import (
    ExtractSettings,
    Form,
    Format,
    check_form,
    choice_flag,
    chosen_options,
    command_parser,
    common_flags,
    finding_flags,
    input_group,
    judging_flags,
    named_paths,
    path_arguments,
    process_count,
    reading_flags,
    reading_options,
    separator_of,
)
from urisieve.cli.outputs import STANDARD_OUTPUT
from urisieve.cli.parser import Parser
from urisieve.dedupe.deduplicate import Keep
from urisieve.dedupe.keyset import LEAST_LIMIT
from urisieve.options import Options
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import InputKind, ReadingOptions

__all__ = ["LEAST_MEMORY", "By", "DedupeSettings", "Input", "Sort", "budget", "memory_size", "parse_dedupe"]

# The name of the format that is no `Format` of `extract`.
PARQUET: Final = "parquet"
# What the process takes beside its keys, in bytes: the interpreter, what is being sieved, a batch.
_OWN: Final = 90_000_000
# The least `--memory-limit`, in bytes: below it the run itself takes more.
LEAST_MEMORY: Final = 120_000_000


def budget(limit: int | None) -> int | None:
    """The bytes that keys may take where the process may take `limit`."""
    return None if limit is None else max(LEAST_LIMIT, limit - _OWN)


class Input(StrEnum):
    """What the sources are."""

    AUTO = "auto"
    """Each what its first bytes say, as for `extract`: identifiers are found in it."""
    TEXT = "text"
    MAIL = "mail"
    HTML = "html"
    JSON = "json"
    XML = "xml"
    WARC = "warc"
    JOURNAL = "journal"
    KEYS = "keys"
    """One canonical identifier a line, taken as it is, as `urisieve normalize --form key` prints them."""
    JSONL = "jsonl"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"

    @property
    def is_searched(self) -> bool:
        """Whether identifiers are found in it, rather than read from its records."""
        return self not in (Input.KEYS, Input.JSONL, Input.CSV, Input.TSV, Input.PARQUET)


class Sort(StrEnum):
    """The order of what is printed."""

    FIRST = "first"
    COUNT = "count"
    URI = "uri"


class By(StrEnum):
    """Which part of an identifier decides."""

    KEY = "key"
    HOST = "host"
    PATH = "scheme+host+path"


class DedupeSettings(NamedTuple):
    """What `urisieve dedupe` was asked to do; `extract` holds what it shares with that command."""

    extract: ExtractSettings
    parquet: bool
    counts: bool
    spellings: int
    min_count: int
    sort: Sort
    duplicates_only: bool
    input: Input
    fields: tuple[str, ...]
    keep: Keep
    by: By
    unmatched: str
    store: str | None
    mark_new: bool
    memory_limit: int | None
    temp: str | None
    checkpoint: str | None

    @property
    def counting(self) -> bool:
        """Whether every appearance of a key has to be known before anything is printed."""
        return (
            self.counts
            or self.spellings > 0
            or self.min_count > 1
            or self.sort is not Sort.FIRST
            or self.duplicates_only
        )

    @property
    def writes_parquet(self) -> bool:
        """Whether the output is Parquet, which counts only when it is whole."""
        return self.parquet or (bool(self.fields) and self.input is Input.PARQUET)

    @property
    def cache(self) -> int | None:
        """How many bytes of a store are kept in memory; None for as many as it likes."""
        limit = budget(self.memory_limit)
        return None if limit is None else limit // 4


def parse_dedupe(argv: Sequence[str]) -> DedupeSettings:
    """The settings of `urisieve dedupe`; leaves by SystemExit on a usage error and for `--help`."""
    parser = command_parser("dedupe", "Print each identifier once, in order of first appearance, or the rows of a "
                            "data set that hold one for the first time.")  # fmt: skip
    path_arguments(parser)
    _input(parser)
    _output(parser)
    _state(parser)
    finding_flags(parser)
    judging_flags(parser)
    asked = parser.parse_args(argv)
    check_form(parser, asked)
    parquet = asked.format == PARQUET
    source = Input(asked.input)
    chosen_fields = tuple(asked.field)
    field = None
    if source is Input.JOURNAL and chosen_fields:
        field, *more = chosen_fields
        chosen_fields = ()
        if more:
            parser.error("--field is given once with --input journal")
    kind = str(source) if source.is_searched else InputKind.AUTO
    extract = ExtractSettings(
        paths=named_paths(asked),
        files_from=asked.files_from,
        separator=separator_of(asked),
        reading=reading_options(parser, asked, kind=kind, field=field),
        follow=False,
        options=chosen_options(parser, asked),
        format=Format.JSONL if parquet else Format(asked.format),
        form=Form(asked.form),
        unique=True,
        output=asked.output,
        rejected=None,
        encoding=asked.encoding,
        jobs=asked.jobs,
        show_passwords=asked.show_passwords,
        quiet=asked.quiet,
        traceback=asked.traceback,
    )
    settings = DedupeSettings(
        extract=extract,
        parquet=parquet,
        counts=asked.counts,
        spellings=asked.spellings,
        min_count=asked.min_count,
        sort=Sort(asked.sort),
        duplicates_only=asked.duplicates_only,
        input=source,
        fields=chosen_fields,
        keep=Keep(asked.keep),
        by=By(asked.by),
        unmatched=asked.unmatched,
        store=asked.store,
        mark_new=asked.mark_new,
        memory_limit=asked.memory_limit,
        temp=asked.temp,
        checkpoint=asked.checkpoint,
    )
    fault = _fault(settings, asked.format)
    if fault:
        parser.error(fault)
    return settings


def _input(parser: Parser) -> None:
    group = input_group(parser)
    choice_flag(
        group,
        "--input",
        Input,
        Input.AUTO,
        "auto, text, mail, html, json, xml, warc, journal: what to find identifiers in; keys: one a line; the others: "
        "records of `extract`, and with --field the rows of any data set (default: %(default)s)",
    )
    group.add_argument(
        "--field", action="append", default=[], metavar="NAME", help="the field that holds identifiers; repeatable"
    )
    reading_flags(group)
    choice_flag(group, "--keep", Keep, Keep.FIRST, "which row with an identifier stays (default: %(default)s)")
    choice_flag(group, "--by", By, By.KEY, "which part of an identifier decides (default: %(default)s)")
    group.add_argument(
        "--unmatched",
        default="keep",
        metavar="keep|drop|FILE",
        help="rows whose field holds no valid identifier: with the others, nowhere, or to FILE (default: %(default)s)",
    )


def _output(parser: Parser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=[Format.TEXT, Format.JSONL, Format.CSV, Format.TSV, PARQUET],
        default=str(Format.TEXT),
        help="one identifier a line, or whole records, which have the fields of --counts with what needs counts "
        "(default: %(default)s; parquet needs `urisieve[parquet]`)",
    )
    forms = (Form.URI, Form.IRI, Form.RAW)
    choice_flag(group, "--form", forms, Form.URI, "which form text output has (default: %(default)s)")
    group.add_argument("--counts", action="store_true", help="how often, in how many sources, where first and last, "
                       "and in how many spellings")  # fmt: skip
    group.add_argument(
        "--spellings", type=_number, default=0, metavar="N", help="up to N of the raw forms behind each identifier"
    )
    group.add_argument(
        "--min-count", type=_number, default=1, metavar="N", help="only identifiers that come N times or more"
    )
    choice_flag(group, "--sort", Sort, Sort.FIRST, "by first appearance, number (falling), or identifier "
                   "(default: %(default)s)")  # fmt: skip
    group.add_argument("--duplicates-only", action="store_true", help="only identifiers that come more than once")
    group.add_argument("-o", "--output", default=STANDARD_OUTPUT, metavar="FILE", help="write there instead of "
                       "standard output; an old FILE stays until the new one is complete; with --store what is "
                       "new is added to it")  # fmt: skip
    common_flags(group, "no progress, no counts")
    group.add_argument("--jobs", type=process_count, metavar="N", help="how many processes share the work; the output "
                       "is the same (default: one for each core where the files are large, else 1)")  # fmt: skip


def _state(parser: Parser) -> None:
    group = parser.add_argument_group("memory and disk")
    group.add_argument("--store", metavar="FILE", help="keep the keys there: only identifiers that no earlier run has "
                       "printed come out")  # fmt: skip
    group.add_argument("--mark-new", action="store_true", help="with --store: print all, and whether each is new")
    group.add_argument("--memory-limit", type=memory_size, metavar="SIZE", help="as in 500MB, 1GB, from 120MB on; what "
                       "does not fit goes to disk, and the result stays exact")  # fmt: skip
    group.add_argument("--temp", metavar="FOLDER", help="where that is (default: the system's folder)")
    group.add_argument("--checkpoint", metavar="FILE", help="note there how far the work is; after a crash the same "
                       "command goes on from there (needs --output)")  # fmt: skip


def _fault(settings: DedupeSettings, name: str) -> str | None:
    """What is wrong with the flags taken together."""
    rows = bool(settings.fields)
    tables = (Input.JSONL, Input.CSV, Input.TSV, Input.PARQUET)
    to_output = settings.extract.output != STANDARD_OUTPUT
    idle = _idle_options(settings)
    checks = (
        (rows and settings.input not in tables, "--field needs --input jsonl, csv, tsv, parquet or journal"),
        (not settings.input.is_searched and settings.extract.reading != _of_folders(settings.extract.reading),
         f"--unescape, --html, --all-parts and --binary do not go with --input {settings.input}"),
        (bool(idle), f"--input {settings.input} takes identifiers as they stand: {idle} does not go with it"),
        (settings.input in (Input.KEYS, Input.PARQUET) and settings.extract.encoding is not None,
         f"--encoding does not go with --input {settings.input}"),
        (settings.store is not None and settings.extract.show_passwords,
         "--show-passwords does not go with --store, which keeps no passwords"),
        (rows and settings.counting, "--field writes rows: --counts and what needs counts do not go with it"),
        (rows and name != Format.TEXT, "--field writes rows as they are: --format does not go with it"),
        (rows and settings.mark_new, "--field writes rows as they are: --mark-new does not go with it"),
        (not rows and settings.keep is not Keep.FIRST, "--keep needs --field"),
        (not rows and settings.by is not By.KEY, "--by needs --field"),
        (not rows and settings.unmatched != "keep", "--unmatched needs --field"),
        (settings.mark_new and settings.store is None, "--mark-new needs --store"),
        (settings.counting and settings.store is not None, "what needs counts does not go with --store"),
        (settings.counting and settings.checkpoint is not None, "--checkpoint does not go with what needs counts"),
        (rows and settings.checkpoint is not None and settings.input is Input.PARQUET,
         "--checkpoint does not go with --input parquet"),
        (settings.keep is Keep.LAST and settings.checkpoint is not None, "--checkpoint does not go with --keep last"),
        (settings.parquet and settings.checkpoint is not None, "--checkpoint does not go with --format parquet"),
        (settings.checkpoint is not None and settings.unmatched not in ("keep", "drop"),
         "--checkpoint does not go with --unmatched FILE"),
        (settings.checkpoint is not None and not to_output, "--checkpoint needs --output FILE"),
        (settings.checkpoint is not None and os.path.exists(settings.extract.output)
         and not os.path.isfile(settings.extract.output), "--checkpoint needs an --output that is a regular file"),
        (settings.checkpoint is not None and settings.mark_new, "--checkpoint does not go with --mark-new"),
        (settings.checkpoint is not None and STANDARD_INPUT in settings.extract.paths,
         "--checkpoint needs files: standard input cannot be read again"),
        (settings.input is Input.KEYS and name != Format.TEXT and not settings.counting,
         "--input keys holds no records: --format needs --counts there"),
        (settings.unmatched == settings.extract.output == STANDARD_OUTPUT,
         "--output and --unmatched are both standard output"),
        (rows and settings.extract.form is not Form.URI, "--field writes rows as they are: --form does not go with it"),
        (settings.input is Input.KEYS and settings.extract.form is not Form.URI,
         "--input keys takes keys as they stand: --form does not go with it"),
        (not settings.input.is_searched and settings.extract.jobs not in (None, 1),
         f"--input {settings.input} is read by one process: --jobs does not go with it"),
        (settings.temp is not None and not _is_writable(settings.temp),
         f"--temp {settings.temp}: is no folder that can be written to"),
        (settings.temp is not None and settings.memory_limit is None and settings.keep is not Keep.LAST,
         "--temp needs --memory-limit: without it nothing goes to disk"),
    )  # fmt: skip
    return next((text for is_wrong, text in checks if is_wrong), None)


# The options by which a store tells how its keys were made.
_SIGNED: Final = frozenset(["level", "lossy", "urn_syntax"])


def _idle_options(settings: DedupeSettings) -> str:
    """The options about finding and judging that are given where nothing is found or judged, as on the command line."""
    if settings.input.is_searched or settings.fields:
        return ""
    chosen, default = settings.extract.options, Options()
    names = [field.name for field in fields(Options) if getattr(chosen, field.name) != getattr(default, field.name)]
    if settings.store is not None:
        names = [name for name in names if name not in _SIGNED]
    flags = {"urn_syntax": "--urn"}
    return ", ".join(flags.get(name, f"--{name.replace('_', '-')}") for name in names if name != "charset")


def _of_folders(reading: ReadingOptions) -> ReadingOptions:
    """The default, but for what is read of folders."""
    return ReadingOptions(folders=reading.folders)


def _is_writable(folder: str) -> bool:
    try:
        return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
    except ValueError:  # a null character
        return False


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY: Final = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def memory_size(text: str) -> int:
    """The bytes of a size such as `1GB`, `512MiB` or a plain number."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?", text.strip().lower())
    if match is None or (match[3] and not match[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: use 500MB, 1GB, 512MiB")
    size = int(min(float(match[1]), float(_UNITS["t"])) * (_BINARY if match[3] else _UNITS)[match[2]])
    if size < LEAST_MEMORY:
        raise argparse.ArgumentTypeError(
            f"{text!r} is less than a run takes itself: use {LEAST_MEMORY // 10**6}MB or more"
        )
    return size
