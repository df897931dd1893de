"""The parser of a command, and parts of those of several: flags that they share, types of arguments, frozen settings.

Plain command lines are parsed here, all others by `argparse`: importing it and building its parser takes longer than
the rest of a start. Whatever is wrong, unusual or asks for help is left to it, so that its answers are the only ones;
the tests compare both ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import SimpleNamespace

from urisieve.cli.reports import FATAL, PROGRAM, misuse
from urisieve.cli.settings.arguments import (
    NO_DEFAULT,
    Argument,
    CommandArguments,
    CommandLine,
    Described,
    Group,
    names_of,
)
from urisieve.codes import FailOn, Reason, Warn
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeVar
from urisieve.quick_enums import StrEnum
from urisieve.sinks.outputs import STANDARD_OUTPUT
from urisieve.wording import did_you_mean

if TYPE_CHECKING:
    from urisieve.cli.settings.full_parser import FullParser


class Parser(CommandArguments):
    """Parses the arguments of one command; options and arguments may be in any order."""

    def add_action(self, name: str, description: str) -> Parser:
        """Add an action, the first word of the command, and return its parser."""
        action = self.actions[name] = Parser(f"{self.prog} {name}", description)
        return action

    def parse_args(self, words: Sequence[str]) -> SimpleNamespace:
        """Parse arguments; leaves by SystemExit if they are not accepted, and for `--help`.

        Values that the words of a `CommandLine` do not give are those of its defaults.

        Raises:
            Described: it was asked for.
        """
        line = words if isinstance(words, CommandLine) else CommandLine(words)
        if line.is_described:
            raise Described(self)
        action = self.actions.get(line[0]) if line else None
        if isinstance(action, Parser):
            return SimpleNamespace(**vars(action.parse_args(line.following())), action=line[0])
        given = None if self.actions else self.quickly_parsed(line)
        if given is None:
            given = vars(self.full().parse_args(line))
        asked = self.built_in()
        if not given.get("no_config") and line.command:
            asked |= self._defaults(line, given)
        asked |= given
        line.is_quiet = bool(asked.get("quiet"))
        return SimpleNamespace(**asked, defaults=frozenset(line.used))

    def error(self, message: str) -> NoReturn:
        """Report an error in one line; leaves by SystemExit."""
        misuse(self.prog, message)

    def _defaults(self, line: CommandLine, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that the environment and a table give to options, by name."""
        from urisieve.cli.settings.arguments import found_sources

        line.used.clear()
        line.taken.clear()
        try:
            sources = found_sources()
        except OSError as error:
            raise UsageError(f"{error.filename}: {error.strerror}; --no-config leaves it out") from error
        if sources is None:
            return {}
        line.taken.foreign = sources.foreign
        from urisieve.cli.settings.defaults import defaults_of

        return defaults_of(sources, self, line, frozenset(given))

    def full(self) -> FullParser:
        """Return the parser of `argparse` for the same arguments; it gives no values to options that are not named."""
        from urisieve.cli.settings.full_parser import full_parser

        return full_parser(self)

    def quickly_parsed(self, words: Sequence[str]) -> dict[str, Any] | None:
        """Parse a plain command line: arguments, flags, and options with one value.

        Returns:
            the values that it gives, by name; None if anything is not plain, or not accepted.
        """
        given: dict[str, Any] = {}
        options, others = self.by_name()
        arguments: list[str] | None = None
        for argument in others:
            if arguments is not None or argument.settings.get("nargs") != "*" or "type" in argument.settings:
                return None
            arguments = given[argument.names[0]] = []
        left = iter(words)
        for word in left:
            if word == "--":
                given_arguments = list(left)
            elif word == "-" or not word.startswith("-"):
                given_arguments = [word]
            elif _take(word, left, options, given):
                continue
            else:
                return None
            if arguments is None:
                return None
            arguments += given_arguments
        return given


def _take(word: str, left: Iterator[str], options: Mapping[str, Argument], given: dict[str, Any]) -> bool:
    """Take an option and its value, or short ones in one word; return False if it is not plain, or not accepted."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        option = options.get(name)
        if option is None or not option.is_plain:
            return False
        if option.is_flag:
            given[option.destination] = option.settings.get("const", True)
            return not equals
        return _put(option, value if equals else _value_of(left), given)
    for index in range(1, len(word)):
        option = options.get(f"-{word[index]}")
        if option is None or not option.is_plain:
            return False
        if option.is_flag:
            given[option.destination] = option.settings.get("const", True)
            continue
        value = word[index + 1 :]
        return not value.startswith("=") and _put(option, value or _value_of(left), given)
    return True


def _value_of(left: Iterator[str]) -> str:
    """Return the next word as a value; "" if there is none, or if it may be an option."""
    value = next(left, "")
    return value if value == "-" or not value.startswith("-") else ""


def _put(option: Argument, value: str, given: dict[str, Any]) -> bool:
    """Put the value of an option among those given; return False if it is not accepted."""
    if not value:
        return False
    try:
        converted = option.settings.get("type", str)(value)
    except Exception:  # it is reported by `argparse`, which converts it again
        return False
    if "choices" in option.settings and converted not in option.settings["choices"]:
        return False
    if option.is_list:
        more = converted if option.action == "extend" else (converted,)
        given[option.destination] = [*given.get(option.destination, ()), *more]
    else:
        given[option.destination] = converted
    return True


NEVER: Final = FailOn()
_Settings = TypeVar("_Settings", bound=NamedTuple)


def command_parser(command: str, description: str) -> Parser:
    """Return the parser of a command, with its examples."""
    return Parser(f"{PROGRAM} {command}", description)


def settings_of(kind: type[_Settings], asked: SimpleNamespace, /, **others: object) -> _Settings:
    """Return frozen settings: each field is one of `others`, else the argument of the same name, else its default."""
    values = {**kind._field_defaults, **vars(asked), **others}
    return kind._make([values[name] for name in kind._fields])


class InputWords(list[str]):
    """The words of `--input`, to which plug-ins add the names of their kinds."""

    def __contains__(self, word: object) -> bool:
        if super().__contains__(word):
            return True
        from urisieve.sources.kinds.kind_table import plugin_rows

        return word in plugin_rows()


def choice_flag(
    group: Group,
    flag: str,
    choices: Iterable[str],
    default: str | None,
    text: str,
    dest: str | None = None,
    *,
    short: str | None = None,
    common: bool | str = False,
) -> None:
    """Add a flag whose value is one of some words, as members of an enum; without a default `Options` has it.

    `short` is another name, of one letter; for `common` see `Argument`.
    """
    members = choices if isinstance(choices, list) else list(choices)

    def member(text: str) -> str:
        # Any other text is reported by the parser: it is not among the choices.
        return next((choice for choice in members if choice == text), text)

    group.add_argument(*((flag,) if short is None else (short, flag)), common=common, dest=dest, type=member,
                       choices=members, default=NO_DEFAULT if default is None else default, help=text)  # fmt: skip


def words_flag(group: Group, flag: str, meanings: Mapping[str, str], *, common: bool | str = False) -> None:
    """Add a flag that takes some of these words, each with its meaning; for `common` see `Argument`."""

    def words(text: str) -> list[str]:
        names = names_of(text)
        for name in names or [text]:
            if name not in meanings:
                known = f"use one of {', '.join(meanings)}{did_you_mean(name, meanings)}"
                raise UsageError(f"{name!r} is not a choice; {known}")
        return names

    alike: dict[str, list[str]] = {}
    for word, meaning in meanings.items():
        alike.setdefault(meaning, []).append(word)
    meaning_of_all = "; ".join(f"{', '.join(some)}: {meaning}" for meaning, some in alike.items())
    group.add_argument(flag, action="extend", type=words, default=[], metavar="NAME,...", words=lambda: meanings,
                       common=common, help=f"{meaning_of_all}; repeatable")  # fmt: skip


def format_flag(group: Group, kinds: Iterable[StrEnum], default: StrEnum, text: str) -> None:
    """Add `--format`, whose value is one of `kinds`."""
    choice_flag(group, "--format", kinds, default, f"{text} (default: %(default)s)", short="-f", common=True)


def common_flags(group: Group, quiet: str | None) -> None:
    """Add the flags of every command; `quiet` says what `--quiet` silences, None for a command without it."""
    group.add_argument("--encoding", metavar="NAME", help="of the input (default: by byte order mark, else UTF-8)")
    if quiet is not None:
        group.add_argument("-q", "--quiet", action="store_true", guarded=True, common=True, help=quiet)


def run_flags(group: Group, quiet: str = "no progress, no counts") -> None:
    """Add the flags of every command that reads files and says a closing line; see `common_flags`."""
    common_flags(group, quiet)
    group.add_argument("-v", "--verbose", action="store_true", common="all that was counted",
                       help="all that was counted, though the closing line takes several")  # fmt: skip
    group.add_argument("-j", "--jobs", type=partial(positive_number, kind="number of workers: use 1 or more"),
                       metavar="N", help="how many workers, threads or processes, share the work; the output is the "
                       "same (default: one for each core where the files are large, else 1)")  # fmt: skip


def some_names(text: str, nothing: str) -> list[str]:
    """Return the names in a list with commas.

    Raises:
        UsageError: there are none; `nothing` is the message.
    """
    names = names_of(text)
    if not names:
        raise UsageError(nothing)
    return names


def passwords_flag(group: Group) -> None:
    """Add `--show-passwords`."""
    group.add_argument("--show-passwords", action="store_true", guarded=True,
                       help="write passwords in clear instead of `***`")  # fmt: skip


def output_flag(group: Group, more: str = "") -> None:
    """Add `--output`; `more` ends its help."""
    text = f"write there instead of standard output; an old FILE stays until the new one is complete{more}"
    short = "write there instead of standard output"
    group.add_argument("-o", "--output", default=STANDARD_OUTPUT, metavar="FILE", common=short, help=text)


def memory_flags(parser: Parser, *, common: bool | str = False) -> Group:
    """Add the group of flags about memory and disk, and return it; for `common` see `Argument`."""
    from urisieve.dedupe.keyset import memory_size

    group = parser.add_argument_group("memory and disk")
    group.add_argument("--memory-limit", type=memory_size, metavar="SIZE", common=common,
                       help="as in 500MB, 1GB, from 120MB on; what does not fit goes to disk (to TMPDIR), and the "
                       "result stays exact")  # fmt: skip
    return group


def positive_number(text: str, kind: str = "number from 1 on") -> int:
    """Return the number from 1 on of an argument; `kind` is named in the message about any other text."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise UsageError(f"{text!r} is not a {kind}")
    return int(text)


def fail_on_flag(group: Group) -> None:
    """Add `--fail-on`, the reasons and warnings by which a command fails."""
    group.add_argument("--fail-on", action="extend", type=_code_names, default=[], metavar="CODE,...",
                       common="exit status 3 if one of these reasons or warnings comes",
                       words=lambda: ["rejected", "warnings", "any", *Reason, *Warn],
                       help=f"exit status {FATAL} if one of these reasons or warnings comes, else 0 (rejected, "
                       "warnings, any: all of them; `urisieve codes` lists them); repeatable")  # fmt: skip


def _code_names(text: str) -> list[str]:
    names = some_names(text, "no reason and no warning is named")
    FailOn.of(names)  # raises for an unknown one
    return names


def place_flags(group: Group, text: str, *, common: bool | str = False) -> None:
    """Add the flags that name locations in rows; `text` is the help of `--field`."""
    group.add_argument("--field", action="append", default=[], metavar="NAME", common=common, help=text)
    table_flags(group)


def table_flags(group: Group) -> None:
    """Add the character between the cells of a table, and the lines above it."""
    group.add_argument("--delimiter", type=_delimiter, default="", metavar="CHAR", help="what stands between the cells "
                       "of a table, `tab` for a tab (default: what the first rows have)")  # fmt: skip
    group.add_argument("--skip-lines", type=_line_count, metavar="N", help="the lines above the header of a table, "
                       "which are not read (default: the first rows show them)")  # fmt: skip


def _line_count(text: str) -> int:
    return 0 if text == "0" else positive_number(text, "number of lines from 0 on")


def _delimiter(text: str) -> str:
    from urisieve.sources.reading_options import checked_delimiter

    return checked_delimiter("\t" if text in ("tab", "\\t") else text)
