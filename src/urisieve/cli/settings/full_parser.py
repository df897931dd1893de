"""The parser of `argparse`: an error is reported in one line, followed by one about help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from urisieve.cli.terminal.reports import misuse
from urisieve.lean.hints import Any, NoReturn
from urisieve.nearest import did_you_mean

__all__ = ["FullParser"]


class FullParser(argparse.ArgumentParser):
    """Parses the arguments of one command; options and arguments may stand in any order.

    Options cannot be abbreviated: an abbreviation would become ambiguous with the next option that begins like it. The
    arguments of a command without subcommands are one list.
    """

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **settings)

    # The signature of the base class is overloaded; only this form is used.
    def parse_args(self, args: Sequence[str] | None = None, namespace: None = None) -> argparse.Namespace:  # type: ignore[override]
        """Parse arguments; leaves by SystemExit if they are not accepted, and for `--help`."""
        words = list(args or ())
        if self._subparsers is None:
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

    def _unknown(self, rest: Sequence[str]) -> str:
        """Return a message about words that are neither options nor arguments."""
        for word in rest:
            if word.startswith("-") and word not in ("-", "--"):
                option = word.partition("=")[0]
                return f"there is no option {option}{did_you_mean(option, self._option_string_actions)}"
        return f"{rest[0]!r} is one argument too many"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            words = list(map(str, action.choices))
            near = did_you_mean(str(value), words)
            raise argparse.ArgumentError(action, f"{value!r} is not a choice; use one of {', '.join(words)}{near}")

    def error(self, message: str) -> NoReturn:
        """Report an error in one line, and how to get help in another; leaves by SystemExit."""
        misuse(self.prog, message)
