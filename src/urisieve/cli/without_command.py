"""`urisieve` without the name of a command: help, the version, or an error that says what to type."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

from urisieve.cli.settings.arguments import CommandArguments
from urisieve.cli.terminal.reports import PROGRAM, misuse
from urisieve.lean import Final, Protocol
from urisieve.wording import did_you_mean, near_name

SUMMARY: Final = "Find every URI, IRI and URN in text, validate and normalize it, and give a canonical record."
STATUSES: Final = (
    ("0", "done, and something found (extract, dedupe, schemes, namespaces), or all valid (normalize, check, explain)"),
    ("1", "nothing found, or something invalid (also a store that is damaged)"),
    ("2", "an error: it is reported, and the rest is still done"),
    ("3", "with --fail-on: one of the reasons or warnings named came; if none did, 0, whatever was found"),
)
_STATUS: Final = "exit status: 0 found or valid, 1 nothing or invalid, 2 an error, 3 by --fail-on"
# What other programs call what this one has: a word, and what is to be typed for it.
_MEANT: Final = {
    "help": "--help",
    "version": "--version",
    "find": "extract",
    "search": "extract",
    "scan": "extract",
    "grep": "extract",
    "validate": "check",
    "verify": "check",
    "canonicalize": "normalize",
    "uniq": "dedupe",
    "unique": "dedupe",
}
# As many words as a line that says what to type repeats.
_WORDS: Final = 4


class ListedCommand(Protocol):
    """A command as the help lists it."""

    @property
    def summary(self) -> str:
        """Its purpose, in a few words."""

    @property
    def group(self) -> str:
        """The group in which it is listed."""


def answer(
    words: Sequence[str],
    commands: Mapping[str, ListedCommand],
    accepted: Callable[[], Mapping[str, Iterable[CommandArguments]]],
) -> int:
    """Print help or the version and return the exit status; leaves by SystemExit for anything else.

    Args:
        words: the arguments of the program.
        commands: the commands, by name.
        accepted: returns what they accept.
    """
    first = words[0] if words else ""
    asked = words[: words.index("--")] if "--" in words else words
    if first.startswith("-") and not set(asked).isdisjoint(("-V", "--version")):
        from urisieve.cli.terminal.reports import show_version

        show_version()
        return 0
    for option in ("--help-all", "--help", "-h"):
        if first.startswith("-") and option in asked:
            if sys.stdout is not None:
                sys.stdout.write(_help(commands, is_whole=option == "--help-all"))
            return 0
    return misuse(PROGRAM, _what_to_type(words, commands, accepted))


def _what_to_type(
    words: Sequence[str],
    commands: Mapping[str, ListedCommand],
    accepted: Callable[[], Mapping[str, Iterable[CommandArguments]]],
) -> str:
    """Return a message that says what is wrong with words that name no command, and what was most likely meant."""
    if not words:
        return f"no command is named; `{PROGRAM} extract FILE` finds what is in a file"
    first = words[0]
    if first == "-" or _exists(first):
        number = sum(not word.startswith("-") or word == "-" for word in words)
        what = "those files" if number > 1 else "standard input" if first == "-" else "that file"
        return f"{first!r} is not a command; type `{_line('extract', words)}` to find what is in {what}"
    if first.startswith("-"):
        named = [word for word in words if word in commands]
        if named:
            rest = list(words)
            rest.remove(named[0])
            return f"{named[0]} must come first; type `{_line(named[0], rest)}`"
        option = first.partition("=")[0]
        every = [one for some in accepted().values() for command in some for one in command.options]
        options = {name for one in every for name in one.names}
        if option not in options and option[:2] not in options:
            return f"there is no option {option}{near_name(option, sorted(options))}"
        return f"no command is named; type `{_line('extract', words)}`"
    if first in _MEANT:
        meant = _MEANT[first]
        if meant in commands:
            return f"{first!r} is not a command; type `{_line(meant, words[1:])}`"
        about = f"{words[1]} " if first == "help" and len(words) > 1 and words[1] in commands else ""
        return f"{first!r} is not a command; type `{PROGRAM} {about}{meant}`"
    near = did_you_mean(first, commands)
    if not near and ":" in first:
        return f"{first!r} is not a command; type `{_line('explain', words)}` to see what it is"
    if not near and ("." in first or os.sep in first):
        return f"{first!r} is neither a command nor a file"
    return f"{first!r} is not a command{near}"


def command_groups(commands: Mapping[str, ListedCommand]) -> dict[str, list[str]]:
    """Return the names of the commands, by the group in which the help lists them."""
    groups: dict[str, list[str]] = {}
    for name, command in commands.items():
        groups.setdefault(command.group, []).append(name)
    return groups


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:  # a null character
        return False


def _line(command: str, words: Sequence[str]) -> str:
    """Return a line that can be typed, with as many of the words as are useful."""
    from shlex import quote

    shown = " ".join([PROGRAM, command, *map(quote, words[:_WORDS])])
    return f"{shown}{' ...' if len(words) > _WORDS else ''}"


def _help(commands: Mapping[str, ListedCommand], *, is_whole: bool) -> str:
    from shutil import get_terminal_size

    from urisieve.cli.terminal.help_page import rows_of, shown_width, wrapped

    width = shown_width(get_terminal_size().columns)
    usage = f"usage: {PROGRAM} COMMAND [OPTION ...] [ARGUMENT ...]"
    lines = [*wrapped(usage, width, 7), "", *wrapped(SUMMARY, width)]
    column = max(map(len, commands)) + 4
    for group, names in command_groups(commands).items():
        lines += ["", f"{group}:"] if is_whole or group == next(iter(commands.values())).group else [f"{group}:"]
        lines += rows_of(((name, commands[name].summary) for name in names), width, column)
    lines += ["", *wrapped(f"`{PROGRAM} COMMAND --help` explains a command; {PROGRAM} -V is the version.", width)]
    if not is_whole:
        return "\n".join([*lines, *wrapped(_STATUS, width, 2), ""])
    lines += ["", "options:", *rows_of((("-h, --help", "the commands"), ("--help-all", "this"),
              ("-V, --version", "the version, and whether the compiled kernel is in use")), width)]  # fmt: skip
    return "\n".join([*lines, "", "exit status:", *rows_of(STATUSES, width), ""])
