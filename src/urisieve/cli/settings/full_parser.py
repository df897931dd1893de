"""The parser of `argparse`, for what is unusual, wrong, or asks for help: an error is reported in one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from urisieve.cli.reports import columns_of, misuse
from urisieve.cli.settings.arguments import CommandArguments
from urisieve.errors import UsageError
from urisieve.lean import Any, Final, NoReturn
from urisieve.wording import did_you_mean, nearest

# Options that other commands have, or that are often guessed, and those that a command may have for the same.
_MEANT: Final = {
    "--column": "--field",
    "--columns": "--fields",
    "--csv": "--format csv",
    "--json": "--format jsonl",
    "--jsonl": "--format jsonl",
    "--tsv": "--format tsv",
}


def full_parser(parser: CommandArguments) -> FullParser:
    """Return the parser of `argparse` for the arguments of a parser; options that are not named give no values."""
    full = FullParser(prog=parser.prog, add_help=False, argument_default=argparse.SUPPRESS)
    if parser.actions:
        full.add_argument("action", choices=list(parser.actions), metavar="|".join(parser.actions))
    for argument in parser.all_arguments:
        settings = dict(argument.settings)
        if argument.action == "help":
            settings["action"] = _ShowHelp
            settings["const"] = parser
        elif argument.action == "version":
            settings["action"] = _ShowVersion
        # Help is not printed by argparse, and Python 3.14 refuses a text that names a default where there is none.
        settings.pop("help", None)
        settings["default"] = argparse.SUPPRESS if argument.is_option else settings.get("default")
        full.add_argument(*argument.names, **settings)
    return full


class FullParser(argparse.ArgumentParser):
    """Parses the arguments of one command; options and arguments may be in any order.

    Options cannot be abbreviated: an abbreviation would become ambiguous with the next option that begins like it.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    # The signature of the base class is overloaded; only this form is used.
    def parse_args(self, args: Sequence[str] | None = None, namespace: None = None) -> argparse.Namespace:  # type: ignore[override]
        """Parse arguments; leaves by SystemExit if they are not accepted, and for `--help`."""
        words = list(args or ())
        if all(action.nargs == "*" for action in self._get_positional_actions()):
            # When options and arguments are mixed, Python 3.11 parses words after `--` as options again.
            mark = words.index("--") if "--" in words else len(words)
            asked, rest = self.parse_known_intermixed_args(words[:mark], namespace)
            arguments = words[mark + 1 :]
            if arguments:
                for action in self._get_positional_actions():
                    setattr(asked, action.dest, [*getattr(asked, action.dest), *arguments])
        else:
            asked, rest = self.parse_known_args(words, namespace)
        if rest:
            self.error(self._unknown(rest))
        return asked

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:  # as in `--output=--`
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Convert a value; the message of a `UsageError` is reported."""
        convert: Any = self._registry_get("type", action.type, action.type)
        try:
            return convert(arg_string)
        except UsageError as error:
            raise argparse.ArgumentError(action, str(error)) from error
        except (TypeError, ValueError):
            return super()._get_value(action, arg_string)  # raises, with the words of `argparse`

    def _unknown(self, rest: Sequence[str]) -> str:
        """Return a message about words that are neither options nor arguments."""
        for word in rest:
            if word.startswith("-") and word not in ("-", "--"):
                option = word.partition("=")[0]
                meant, _, value = _MEANT.get(option, "").partition(" ")
                action = self._option_string_actions.get(meant)
                if action is not None and (not value or value in map(str, action.choices or ())):
                    return f"there is no option {option}; did you mean {f'{meant} {value}'.rstrip()}?"
                near = nearest(option, self._option_string_actions)
                return f"there is no option {option}{'' if near is None else f'; did you mean {near}?'}"
        return f"{rest[0]!r} is one argument too many"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            words = list(map(str, action.choices))
            near = did_you_mean(str(value), words)
            raise argparse.ArgumentError(action, f"{value!r} is not a choice; use one of {', '.join(words)}{near}")

    def error(self, message: str) -> NoReturn:
        """Report an error in one line; leaves by SystemExit."""
        misuse(self.prog, message)


class _ShowHelp(argparse.Action):
    """Prints the help of the parser that is its constant, and ends the program."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: object, _values: object, option: str | None = None
    ) -> NoReturn:
        """Print the short help, or with `--help-all` the long one."""
        from urisieve.cli.help_page import help_page

        page = help_page(self.const, columns_of(sys.stdout), is_whole=option == "--help-all")
        if sys.stdout is not None:
            sys.stdout.write(page)
        parser.exit()


class _ShowVersion(argparse.Action):
    """Prints the version, and ends the program."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: object, _values: object, _option: str | None = None
    ) -> NoReturn:
        """Print it."""
        from urisieve.cli.reports import show_version

        show_version()
        parser.exit()
