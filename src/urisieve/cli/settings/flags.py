"""Parts of the parsers of several commands: flags that they share, types of arguments, and frozen settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from types import SimpleNamespace

from urisieve.cli.settings.examples import EXAMPLES
from urisieve.cli.settings.parser import NO_DEFAULT, Group, Parser
from urisieve.cli.terminal.reports import PROGRAM
from urisieve.codes import FailOn, Reason, Warn
from urisieve.errors import UsageError
from urisieve.lean.hints import Final, TypeVar
from urisieve.lean.values import NamedTuple
from urisieve.sinks.files.outputs import STANDARD_OUTPUT

__all__ = [
    "FATAL",
    "NEVER",
    "check_folder",
    "checked",
    "choice_flag",
    "command_parser",
    "common_flags",
    "fail_on_flag",
    "jobs_flag",
    "memory_flags",
    "names_of",
    "output_flag",
    "positive_number",
    "settings_of",
]

# The exit status if one of the codes occurs.
FATAL: Final = 3
NEVER: Final = FailOn()
_Settings = TypeVar("_Settings", bound=NamedTuple)
_Value = TypeVar("_Value")


def command_parser(command: str, description: str, notes: Sequence[tuple[str, str]] = ()) -> Parser:
    """Return the parser of a command, with its examples; `notes` are paragraphs of its help, each with a title."""
    return Parser(f"{PROGRAM} {command}", description, EXAMPLES[command], notes)


def settings_of(kind: type[_Settings], asked: SimpleNamespace, **others: object) -> _Settings:
    """Return frozen settings: each field is one of `others`, else the argument of the same name, else its default."""
    values = {**kind._field_defaults, **vars(asked), **others}
    return kind._make(values[name] for name in kind._fields)


def choice_flag(
    group: Group,
    flag: str,
    choices: Iterable[StrEnum],
    default: StrEnum | None,
    text: str,
    dest: str | None = None,
    *,
    short: str | None = None,
    common: bool | str = False,
    now: str = "",
) -> None:
    """Add a flag whose value is a member of an enum; None for a default leaves the default to `Options`.

    `short` is another name, of one letter; for `common` and `now` see `Argument`.
    """
    members = list(choices)

    def member(text: str) -> str:
        # Any other text is reported by the parser: it is not among the choices.
        return next((choice for choice in members if choice == text), text)

    group.add_argument(
        *((flag,) if short is None else (short, flag)),
        common=common,
        now=now,
        dest=dest,
        type=member,
        choices=members,
        default=NO_DEFAULT if default is None else default,
        help=text,
    )


def common_flags(group: Group, quiet: str | None) -> None:
    """Add the flags of every command; `quiet` says what `--quiet` silences, None for a command without it."""
    group.add_argument("--encoding", metavar="NAME", help="of the input (default: by byte order mark, else UTF-8)")
    group.add_argument(
        "--show-passwords", action="store_true", guarded=True, help="write passwords in clear instead of `***`"
    )
    if quiet is not None:
        group.add_argument("-q", "--quiet", action="store_true", guarded=True, common=True, help=quiet)


def output_flag(group: Group, more: str = "") -> None:
    """Add `--output`; `more` ends its help."""
    text = f"write there instead of standard output; an old FILE stays until the new one is complete{more}"
    short = "write there instead of standard output"
    group.add_argument("-o", "--output", default=STANDARD_OUTPUT, metavar="FILE", common=short, help=text)


def jobs_flag(group: Group) -> None:
    """Add `--jobs`."""
    group.add_argument(
        "-j",
        "--jobs",
        type=worker_count,
        metavar="N",
        help="how many workers, threads or processes, share the work; the output is the same (default: one for each "
        "core where the files are large, else 1)",
    )


def memory_flags(parser: Parser, *, common: bool | str = False) -> Group:
    """Add the group of flags about memory and disk, and return it; for `common` see `Argument`."""
    from urisieve.dedupe.memory_limit import memory_size

    group = parser.add_argument_group("memory and disk")
    group.add_argument(
        "--memory-limit",
        type=checked(memory_size),
        metavar="SIZE",
        common=common,
        help="as in 500MB, 1GB, from 120MB on; what does not fit goes to disk, and the result stays exact",
    )
    group.add_argument("--temp", metavar="FOLDER", help="where that is (default: the system's folder)")
    return group


def check_folder(parser: Parser, path: str | None) -> None:
    """Check the folder of `--temp`; leaves by SystemExit if nothing can be written there."""
    if path is not None and ("\0" in path or not os.path.isdir(path) or not os.access(path, os.W_OK | os.X_OK)):
        parser.error(f"--temp {path}: is not a folder that can be written to")


def worker_count(text: str) -> int:
    """Return the number of workers of an argument."""
    return positive_number(text, "number of workers: use 1 or more")


def positive_number(text: str, kind: str = "number from 1 on") -> int:
    """Return the number from 1 on of an argument; `kind` is named in the message about any other text."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"{text!r} is not a {kind}")
    return int(text)


def checked(convert: Callable[[str], _Value]) -> Callable[[str], _Value]:
    """Return a type of arguments of a function that raises `UsageError`, whose message is reported."""

    def value(text: str) -> _Value:
        try:
            return convert(text)
        except UsageError as error:
            from argparse import ArgumentTypeError

            raise ArgumentTypeError(str(error)) from error

    return value


def names_of(text: str) -> list[str]:
    """Return the names in a list with commas."""
    return [name for part in text.split(",") if (name := part.strip())]


def fail_on_flag(group: Group) -> None:
    """Add `--fail-on`, the reasons and warnings by which a command fails."""
    group.add_argument(
        "--fail-on",
        action="extend",
        type=checked(_code_names),
        default=[],
        metavar="CODE,...",
        common="exit status 3 if one of these reasons or warnings comes",
        words=_codes,
        help=f"exit status {FATAL} if one of these reasons or warnings comes, else 0 (rejected, warnings, any: all of "
        "them; docs/codes.md is the list); repeatable",
    )


def _codes() -> list[str]:
    return [*("rejected", "warnings", "any"), *Reason, *Warn]


def _code_names(text: str) -> list[str]:
    names = names_of(text)
    FailOn.of(names)  # raises for an unknown one
    if not names:
        raise UsageError("no reason and no warning is named")
    return names
