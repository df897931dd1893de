"""The answers without a command: the version, the help, and what to type; and the completions of a shell."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os.path import dirname

from urisieve.cli.reports import PROGRAM, columns_of, misuse
from urisieve.cli.settings.arguments import Argument, Command, CommandArguments
from urisieve.lean import Any, Final
from urisieve.wording import did_you_mean, near_name

SUMMARY: Final = "Find every URI, IRI and URN in text; validate it and give a canonical record."
STATUSES: Final = (
    ("0", "done: something found, or all valid (normalize, check, explain, store verify); rewrite also without"),
    ("1", "nothing found, or something invalid"),
    ("2", "an error: it is reported, and the rest is still done"),
    ("3", "with --fail-on: one of the reasons or warnings named came; if none did, 0, whatever was found"),
)
_STATUS: Final = "exit status: 0 found or valid, 1 nothing or invalid, 2 an error, 3 by --fail-on"
# What other programs call what this one has: a word, and what is to be typed for it.
_MEANT: Final = {
    "help": "--help",
    "version": "--version",
    **dict.fromkeys(("find", "search", "scan", "grep"), "extract"),
    **dict.fromkeys(("validate", "verify"), "check"),
    "canonicalize": "normalize",
    **dict.fromkeys(("uniq", "unique"), "dedupe"),
}
# As many words as a line that says what to type repeats.
_WORDS: Final = 4


def answer(
    words: Sequence[str],
    commands: Mapping[str, Command],
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
        from urisieve.cli.reports import show_version

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
    commands: Mapping[str, Command],
    accepted: Callable[[], Mapping[str, Iterable[CommandArguments]]],
) -> str:
    """Return a message that says what is wrong with words that name no command, and what was most likely meant."""
    if not words:
        return f"no command is named; `{PROGRAM} extract FILE` finds what is in a file"
    first = words[0]
    if first == "-" or os.path.exists(first):
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


def command_groups(commands: Mapping[str, Command]) -> dict[str, list[str]]:
    """Return the names of the commands, by the group in which the help lists them."""
    groups: dict[str, list[str]] = {}
    for name, command in commands.items():
        groups.setdefault(command.group, []).append(name)
    return groups


def _line(command: str, words: Sequence[str]) -> str:
    """Return a line that can be typed, with as many of the words as are useful."""
    from shlex import quote

    shown = " ".join([PROGRAM, command, *map(quote, words[:_WORDS])])
    return f"{shown}{' ...' if len(words) > _WORDS else ''}"


def _help(commands: Mapping[str, Command], *, is_whole: bool) -> str:
    from urisieve.cli.help_page import rows_of, shown_width, wrapped

    width = shown_width(columns_of(sys.stdout))
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


# For each of them there is a file in the folder `completions`.
_SHELLS: Final = ("bash", "zsh", "fish")
# A summary is next to a word in a list, so it is short.
_LONGEST: Final = 70
_FILES: Final = frozenset(["FILE", "PATH"])

# A word, and what it means.
_Word = tuple[str, str]


def offered(
    words: Sequence[str], commands: Mapping[str, Command], described: Callable[[str], CommandArguments]
) -> Iterator[str]:
    """Yield the lines that say what may replace the last word of a command line.

    The first is `words`, `files`, `folders`, or `list` for words with commas between them; the others are words that
    begin like the last one.

    Args:
        words: the words after the name of the program; a shell may pass `--option=value` as three.
        commands: the commands, by name.
        described: returns what a command accepts, by its name.
    """
    kind, found = _offered(words, {name: one.summary for name, one in commands.items()}, described)
    yield kind
    for word, text in found:
        yield f"{word}\t{text}" if text else word


def _offered(
    words: Sequence[str], commands: Mapping[str, str], described: Callable[[str], CommandArguments]
) -> tuple[str, list[_Word]]:
    *before, current = words or ("",)
    begin = ""
    if "=" in (current, *before[-1:]) and before:
        current = "" if current == "=" else current
        before = before[:-1] if before[-1] == "=" else before
        option = before.pop() if before else ""
    elif current.startswith("--") and "=" in current:
        option, _, current = current.partition("=")
        begin = f"{option}="
    else:
        option = before[-1] if before else ""
    arguments = CommandArguments(PROGRAM, "")
    named: Iterable[_Word] = commands.items()
    if before:
        if before[0] not in commands:
            return "files", []
        arguments, named = described(before[0]), ()
        if arguments.actions and len(before) == 1:
            named = [(name, _shortened(action.description)) for name, action in arguments.actions.items()]
        elif arguments.actions:
            arguments = arguments.actions.get(before[1], arguments)
    every = list(arguments.all_arguments)
    if "--" not in before:
        for argument in every:
            if option in argument.names and argument.is_plain and not argument.is_flag:
                return _values(argument, begin, current)
    positional = [argument for argument in every if not argument.is_option]
    if named or (current.startswith("-") and "--" not in before):
        options = [argument for argument in every if before or argument.long != "no-config"]
        return "words", _beginning([*named, *_options(options)], current)
    return _values(positional[-1], "", current) if positional else ("words", [])


def _options(arguments: Iterable[Argument]) -> Iterator[_Word]:
    from urisieve.cli.help_page import argument_text

    for argument in arguments:
        if argument.is_option:
            text = argument.common if isinstance(argument.common, str) else argument_text(argument, with_choices=False)
            yield from ((name, _shortened(text)) for name in argument.names)


def _values(argument: Argument, begin: str, current: str) -> tuple[str, list[_Word]]:
    """Return what the value of an argument can be; `begin` is before it in the same word."""
    from urisieve.cli.help_page import metavar

    name = metavar(argument)
    parts = name.split("|")
    words = [str(choice) for choice in argument.settings.get("choices", ())]
    words += argument.words() if argument.words is not None else ()
    words += (part for part in parts if len(parts) > 1 and part.islower())
    kind = "words"
    if name.endswith(",..."):
        kind = "list"
        begin += current[: current.rfind(",") + 1]
        current = current.rpartition(",")[2]
    elif not _FILES.isdisjoint(parts):
        kind = "files"
    elif "FOLDER" in parts:
        kind = "folders"
    return kind, [(begin + word, text) for word, text in _beginning(((word, "") for word in words), current)]


def _beginning(words: Iterable[_Word], start: str) -> list[_Word]:
    return [(word, text) for word, text in words if word.startswith(start)]


def _shortened(text: str) -> str:
    """Return the first clause of a text, without what is in brackets."""
    text = text.partition("; ")[0].partition(" (")[0].removesuffix(".")
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 3].rpartition(' ')[0]}..."


def run_completion(argv: Sequence[str]) -> int:
    """Run the command and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    from urisieve.cli.settings.flags import command_parser
    from urisieve.sinks.outputs import STANDARD_OUTPUT, open_output

    parser = command_parser("completion", "Print the completions of a shell, to be loaded by it.")
    parser.add_argument("shell", choices=_SHELLS, common="the shell: bash, zsh or fish",
                        help="the shell that loads them")  # fmt: skip
    asked = parser.parse_args(argv)
    with open_output(STANDARD_OUTPUT) as output:
        loader: Any = __loader__  # type: ignore[name-defined] # also that of a zip file
        output.write(loader.get_data(f"{dirname(__file__)}/completions/urisieve.{asked.shell}"))
    return 0
