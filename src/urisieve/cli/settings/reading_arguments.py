"""Flags about the files to read and how to read them, and the options of the library that they choose."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import SimpleNamespace

from urisieve.cli.settings.arguments import Group
from urisieve.cli.settings.default_sources import TRACEBACK
from urisieve.cli.settings.flags import choice_flag, words_flag
from urisieve.cli.settings.judging_arguments import several_flag
from urisieve.cli.settings.parser import Parser
from urisieve.cli.terminal.reports import say_if_waiting
from urisieve.errors import UsageError
from urisieve.lean import Final
from urisieve.records.base import CONTEXT_NAMES
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import (
    Alternatives,
    BinaryFiles,
    Carrier,
    ReadingOptions,
    checked_delimiter,
)


def path_arguments(parser: Parser) -> None:
    """Add the files to read."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", common=True, help="files and folders; `-` or nothing for standard input"
    )


def named_paths(asked: SimpleNamespace) -> tuple[str, ...]:
    """Return the files that were named; standard input if none was."""
    return tuple(asked.paths) or (() if asked.files_from is not None else (STANDARD_INPUT,))


def say_if_nothing_is_named(asked: SimpleNamespace) -> None:
    """Say that standard input is read if that is a terminal; so all else is to be checked before."""
    if not asked.paths and asked.files_from is None:
        say_if_waiting(is_quiet=asked.quiet)


def separator_of(asked: SimpleNamespace) -> bytes:
    """Return the end of each path of a list; nothing if the list says it."""
    return b"\0" if asked.null else b""


def input_group(parser: Parser) -> Group:
    """Add the group of flags about the input."""
    return parser.add_argument_group(
        "input", "Compression, archives, mail, HTML and exports of the journal are detected by their content."
    )


def reading_flags(group: Group) -> None:
    """Add the flags about the choice and the reading of files."""
    group.add_argument(
        "--files-from",
        metavar="FILE",
        help="read the paths that FILE lists, too, by lines or ended by NULs; `-` for standard input",
    )
    group.add_argument("-0", "--null", action="store_true", now="seen in the list of --files-from")
    group.add_argument("--include", action="append", default=[], metavar="GLOB", help="of folders only files that "
                       "match, with `!` before GLOB nothing that matches; repeatable")  # fmt: skip
    group.add_argument("--exclude", action="append", default=[], metavar="GLOB", now="--include with `!` before GLOB")
    words_flag(group, "--read", _READ)
    for word in ("hidden", "all-parts"):
        group.add_argument(f"--{word}", action="store_true", now=f"--read {word}")
    choice_flag(group, "--binary", BinaryFiles, BinaryFiles.AUTO, "", now="--read binary, or no-binary,")
    several_flag(
        group,
        "--unescape",
        "NAME,...",
        f"undo the escapes of plain text that was written for these, the outermost first: {', '.join(Carrier)}",
        lambda: list(Carrier),
    )
    group.add_argument(
        "--base", metavar="URL", help="resolve relative references of HTML and XML against it where no base is stated"
    )
    group.add_argument(
        "--time-field",
        metavar="NAME",
        help="the field of JSON, or the column, with the time of a row (default: the usual names, as @timestamp, date)",
    )
    is_traced = os.environ.get(TRACEBACK, "0") not in ("", "0")
    group.add_argument("--traceback", action="store_true", default=is_traced, now=f"the variable {TRACEBACK}=1")


# What `--read` takes, with its meaning.
_READ: Final = {
    "hidden": "hidden files of folders",
    "all-parts": "a link of mail for each form of a text (plain, HTML) that has it",
    "binary": "all files that are not text",
    "context": "when and from whom: the fields time, time_written, from, to and subject of records",
    "no-binary": "none of these (default: those named, and none in folders and archives)",
}


def read_words(asked: SimpleNamespace) -> frozenset[str]:
    """Return the words of `--read` that were given, also by the old options."""
    old = {
        "hidden": asked.hidden,
        "all-parts": asked.all_parts,
        "binary": asked.binary is BinaryFiles.TEXT,
        "no-binary": asked.binary is BinaryFiles.SKIP,
    }
    return frozenset(asked.read).union(word for word, is_given in old.items() if is_given)


def place_flags(group: Group, text: str, *, common: bool | str = False) -> None:
    """Add the flags that name places in rows; `text` is the help of `--field`."""
    group.add_argument("--field", action="append", default=[], metavar="NAME", common=common, help=text)
    group.add_argument("--column", dest="field", action="append", default=[], metavar="NAME", now="--field")
    delimiter_flag(group)


def delimiter_flag(group: Group) -> None:
    """Add the character between the cells of a table."""
    group.add_argument(
        "--delimiter",
        type=_delimiter,
        default="",
        metavar="CHAR",
        help="what stands between the cells of a table, `tab` for a tab (default: what the first rows have)",
    )


def _delimiter(text: str) -> str:
    return checked_delimiter("\t" if text in ("tab", "\\t") else text)


def reading_options(parser: Parser, asked: SimpleNamespace, *, kind: str, fields: Sequence[str] = ()) -> ReadingOptions:
    """Return how files are read; leaves by SystemExit on a usage error."""
    _check_reading(parser, asked, kind, fields)
    has_columns = kind in _WITH_CELLS
    read = read_words(asked)
    binary = BinaryFiles.TEXT if "binary" in read else BinaryFiles.AUTO
    folders = None
    try:
        if asked.include or asked.exclude or "hidden" in read:
            from urisieve.sources.containers.folders import HiddenFiles, PathFilter

            hidden = HiddenFiles.READ if "hidden" in read else HiddenFiles.SKIP
            include = tuple(glob for glob in asked.include if not glob.startswith("!"))
            exclude = (*(glob[1:] for glob in asked.include if glob.startswith("!")), *asked.exclude)
            folders = PathFilter(include=include, exclude=exclude, hidden=hidden)
        return ReadingOptions(
            input=kind,
            field=fields[0] if fields and not has_columns else None,
            columns=fields if has_columns else (),
            delimiter=asked.delimiter if kind in _WITH_CELLS else "",
            unescape=getattr(asked, "unescape", ()),
            base=asked.base,
            alternatives=Alternatives.ALL if "all-parts" in read else Alternatives.ONCE,
            binary=BinaryFiles.SKIP if "no-binary" in read else binary,
            folders=folders,
            context=_needs_context(asked),
            time_field=asked.time_field,
        )
    except UsageError as error:
        parser.error(str(error))


def _needs_context(asked: SimpleNamespace) -> bool:
    """Report whether what was asked for says when or from whom a text came."""
    if "context" in asked.read or getattr(asked, "since", None) or getattr(asked, "until", None):
        return True
    names = getattr(asked, "fields", ())
    template = getattr(asked, "template", None)
    if template is not None:
        from urisieve.sinks.notations import template_notation

        names = template_notation(template).names
    return any(name in CONTEXT_NAMES for name in names)


# For options about a kind of content, the kinds of input that may hold it.
_WITH_MAIL: Final = frozenset(["auto", "mail", "warc"])
_WITH_REFERENCES: Final = frozenset(["auto", "mail", "html", "xml", "warc"])
_WITH_BINARY: Final = frozenset(["auto"])
_WITH_CELLS: Final = frozenset(["auto", "csv", "tsv"])
_WITH_FIELDS: Final = frozenset(["auto", "csv", "tsv", "json", "jsonl", "journal"])


def _check_reading(parser: Parser, asked: SimpleNamespace, kind: str, fields: Sequence[str]) -> None:
    """Check that each option about reading has something to act on; leaves by SystemExit."""
    if asked.null and asked.files_from is None:
        parser.error("--null needs --files-from")
    read = read_words(asked)
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
        ("--base", asked.base is not None, _WITH_REFERENCES),
        ("--read binary", "binary" in read, _WITH_BINARY),
        ("--read no-binary", "no-binary" in read, _WITH_BINARY),
        ("--delimiter", bool(asked.delimiter), _WITH_CELLS),
    ):
        if is_asked and kind not in kinds:
            parser.error(f"{flag} does not go with --input {kind}")
