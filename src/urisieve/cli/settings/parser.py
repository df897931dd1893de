"""The arguments of a command: plain command lines are parsed here, all others by `argparse`.

Importing `argparse` and building its parser takes longer than the rest of a start. Whatever is wrong, unusual or asks
for help is left to it, so that its answers are the only ones; the tests compare both ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import SimpleNamespace

from urisieve.cli.terminal.reports import misuse
from urisieve.lean.hints import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from urisieve.cli.settings.full_parser import FullParser

__all__ = ["NO_DEFAULT", "Group", "Parser"]

# The default of an option that has no value unless it is given.
NO_DEFAULT: Final = object()


class Group:
    """A group of the arguments of a command, as its help lists them."""

    def __init__(self, *about: str) -> None:
        self.about = about
        self.arguments: list[tuple[tuple[str, ...], dict[str, Any]]] = []

    def add_argument(self, *names: str, **settings: Any) -> None:
        """Add an argument; names and settings are those of `argparse`."""
        self.arguments.append((names, settings))


class Parser(Group):
    """Parses the arguments of one command; options and arguments may stand in any order.

    Args:
        settings: the settings of `argparse.ArgumentParser`.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        self._settings = settings
        self._groups: list[Group] = [self]

    def add_argument_group(self, *about: str) -> Group:
        """Add a group, by its title and an explanation."""
        group = Group(*about)
        self._groups.append(group)
        return group

    def parse_args(self, words: Sequence[str]) -> SimpleNamespace:
        """Parse arguments; leaves by SystemExit if they are not accepted, and for `--help`."""
        asked = self.quickly_parsed(words)
        return SimpleNamespace(**(vars(self.full().parse_args(words)) if asked is None else asked))

    def error(self, message: str) -> NoReturn:
        """Report an error in one line, and how to get help in another; leaves by SystemExit."""
        misuse(self._settings["prog"], message)

    def full(self) -> FullParser:
        """Return the parser of `argparse` for the same arguments."""
        from argparse import SUPPRESS

        from urisieve.cli.settings.full_parser import FullParser

        parser = FullParser(**self._settings)
        for group in self._groups:
            to = parser.add_argument_group(*group.about) if group.about else parser
            for names, settings in group.arguments:
                absent = {"default": SUPPRESS} if settings.get("default") is NO_DEFAULT else {}
                to.add_argument(*names, **{**settings, **absent})
        return parser

    def quickly_parsed(self, words: Sequence[str]) -> dict[str, Any] | None:
        """Parse a plain command line: arguments, flags, and options with one value, by their whole names.

        Returns:
            the values by name; None if anything is not plain, or not accepted.
        """
        asked: dict[str, Any] = {}
        options: dict[str, tuple[str, dict[str, Any]]] = {}
        arguments: list[str] = []
        for group in self._groups:
            for names, settings in group.arguments:
                if names[0].startswith("-"):
                    options.update(dict.fromkeys(names, (_destination(names, settings), settings)))
                else:
                    asked[names[0]] = arguments
        for name, settings in options.values():
            default = settings.get("default", False if settings.get("action") == "store_true" else None)
            if default is not NO_DEFAULT:
                asked[name] = default
        left = iter(words)
        for word in left:
            if word == "--":
                arguments += left
            elif word == "-" or not word.startswith("-"):
                arguments.append(word)
            elif not _take(word, left, options, asked):
                return None
        return asked


def _destination(names: Iterable[str], settings: dict[str, Any]) -> str:
    long = next(name for name in names if name.startswith("--"))
    return settings.get("dest") or long.removeprefix("--").replace("-", "_")


def _take(
    word: str, left: Iterable[str], options: dict[str, tuple[str, dict[str, Any]]], asked: dict[str, Any]
) -> bool:
    """Take an option and its value; return False if it is not plain, or not accepted."""
    name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
    if name not in options:
        return False
    destination, settings = options[name]
    action = settings.get("action", "store")
    if action in ("store_true", "store_const"):
        asked[destination] = settings.get("const", True)
        return not equals
    if not equals:
        value = next(iter(left), "")
        if value.startswith("-") and value != "-":
            return False
    if not value or "nargs" in settings:
        return False
    try:
        converted = settings.get("type", str)(value)
    except Exception:  # it is reported by `argparse`, which converts it again
        return False
    if "choices" in settings and converted not in settings["choices"]:
        return False
    if action == "store":
        asked[destination] = converted
    else:
        asked[destination] = [*(asked.get(destination) or ()), *(converted if action == "extend" else (converted,))]
    return True
