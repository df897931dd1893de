"""The arguments of a command: plain command lines are parsed here, all others by `argparse`.

Importing `argparse` and building its parser takes longer than the rest of a start. Whatever is wrong, unusual or asks
for help is left to it, so that its answers are the only ones; the tests compare both ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace

from urisieve.cli.reports import misuse
from urisieve.cli.settings.arguments import Argument, CommandArguments, CommandLine, Described
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from urisieve.cli.settings.full_parser import FullParser


class Parser(CommandArguments):
    """Parses the arguments of one command; options and arguments may be in any order."""

    def add_action(self, name: str, description: str, examples: Sequence[tuple[str, str]] = ()) -> Parser:
        """Add an action, the first word of the command, and return its parser."""
        action = self.actions[name] = Parser(f"{self.prog} {name}", description, examples)
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
        options: dict[str, Argument] = {}
        arguments: list[str] | None = None
        for argument in self.all_arguments:
            if argument.is_option:
                options.update(dict.fromkeys(argument.names, argument))
            elif arguments is None and argument.settings.get("nargs") == "*" and "type" not in argument.settings:
                arguments = given[argument.names[0]] = []
            else:
                return None
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
