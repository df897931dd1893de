"""Flags about the files to read and how to read them, and the options of the library that they choose."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from urisieve.cli.settings.flags import checked, choice_flag
from urisieve.cli.settings.judging_arguments import several_flag
from urisieve.cli.settings.parser import Group, Parser
from urisieve.errors import UsageError
from urisieve.lean import Final
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import (
    Alternatives,
    BinaryFiles,
    Carrier,
    ReadingOptions,
    checked_delimiter,
)

__all__ = [
    "delimiter_flag",
    "input_group",
    "named_paths",
    "path_arguments",
    "place_flags",
    "reading_flags",
    "reading_options",
    "separator_of",
]


def path_arguments(parser: Parser) -> None:
    """Add the files to read."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", common=True, help="files and folders; `-` or nothing for standard input"
    )


def named_paths(asked: SimpleNamespace) -> tuple[str, ...]:
    """Return the files that were named; standard input if none was."""
    return tuple(asked.paths) or (() if asked.files_from is not None else (STANDARD_INPUT,))


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
    group.add_argument("-0", "--null", action="store_true", now="seen in that list")
    group.add_argument("--include", action="append", default=[], metavar="GLOB", help="of folders only files that "
                       "match, with `!` before GLOB nothing that matches; repeatable")  # fmt: skip
    group.add_argument("--exclude", action="append", default=[], metavar="GLOB", now="--include with `!` before GLOB")
    group.add_argument("--hidden", action="store_true", help="read hidden files of folders too")
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


def place_flags(group: Group, text: str, *, common: bool | str = False) -> None:
    """Add the flags that name places in rows; `text` is the help of `--field`."""
    group.add_argument("--field", action="append", default=[], metavar="NAME", common=common, help=text)
    group.add_argument("--column", dest="field", action="append", default=[], metavar="NAME", now="--field")
    delimiter_flag(group)


def delimiter_flag(group: Group) -> None:
    """Add the character between the cells of a table."""
    group.add_argument(
        "--delimiter",
        type=checked(_delimiter),
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
    folders = None
    try:
        if asked.include or asked.exclude or asked.hidden:
            from urisieve.sources.containers.folders import HiddenFiles, PathFilter

            hidden = HiddenFiles.READ if asked.hidden else HiddenFiles.SKIP
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
            alternatives=Alternatives.ALL if asked.all_parts else Alternatives.ONCE,
            binary=asked.binary,
            folders=folders,
        )
    except UsageError as error:
        parser.error(str(error))


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
    default = ReadingOptions()
    if fields and kind not in _WITH_FIELDS:
        parser.error(
            "--field names what is read: it goes with --input csv, tsv, json, jsonl, journal or auto; "
            "--fields names what is written"
        )
    if len(fields) > 1 and kind not in _WITH_CELLS:
        parser.error(f"--field can be given only once with --input {kind}")
    for flag, is_asked, kinds in (
        ("--all-parts", asked.all_parts, _WITH_MAIL),
        ("--base", asked.base is not None, _WITH_REFERENCES),
        ("--binary", asked.binary != default.binary, _WITH_BINARY),
        ("--delimiter", bool(asked.delimiter), _WITH_CELLS),
    ):
        if is_asked and kind not in kinds:
            parser.error(f"{flag} does not go with --input {kind}")
