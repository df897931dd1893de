"""`urisieve completion`: prints the completions of a shell, which ask `urisieve --complete` for each word.

The words behind `--complete` are those of the command line up to the one that is completed. The answer is one word for
what may stand there, then a line for each possible word, with what it means behind a tab.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os.path import dirname

from urisieve.cli.settings.arguments import Argument, CommandArguments
from urisieve.cli.settings.flags import command_parser
from urisieve.cli.terminal.help_page import argument_text, metavar
from urisieve.cli.terminal.reports import PROGRAM
from urisieve.cli.without_command import ListedCommand
from urisieve.lean import Any, Final
from urisieve.sinks.outputs import STANDARD_OUTPUT, open_output

# For each of them there is a file in the folder `completions`.
_SHELLS: Final = ("bash", "zsh", "fish")
# A summary stands beside a word in a list, so it is short.
_LONGEST: Final = 70
_FILES: Final = frozenset(["FILE", "PATH"])

# A word, and what it means.
_Word = tuple[str, str]


def offered(
    words: Sequence[str], commands: Mapping[str, ListedCommand], described: Callable[[str], CommandArguments]
) -> Iterator[str]:
    """Yield the lines that say what may stand in the place of the last word of a command line.

    The first is `words`, `files`, `folders`, or `list` for words with commas between them; the others are words that
    begin like the last one.

    Args:
        words: the words behind the name of the program; a shell may pass `--option=value` as three.
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
    places = [argument for argument in every if not argument.is_option]
    if named or (current.startswith("-") and "--" not in before):
        options = [argument for argument in every if before or argument.long != "no-config"]
        return "words", _beginning([*named, *_options(options)], current)
    return _values(places[-1], "", current) if places else ("words", [])


def _options(arguments: Iterable[Argument]) -> Iterator[_Word]:
    for argument in arguments:
        if argument.is_option:
            text = argument.common if isinstance(argument.common, str) else argument_text(argument, with_choices=False)
            yield from ((name, _shortened(text)) for name in argument.names)


def _values(argument: Argument, begin: str, current: str) -> tuple[str, list[_Word]]:
    """Return what the value of an argument can be; `begin` stands before it in the same word."""
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
    """Return the first clause of a text, without what stands in brackets."""
    text = text.partition("; ")[0].partition(" (")[0].removesuffix(".")
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 3].rpartition(' ')[0]}..."


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    parser = command_parser("completion", "Print the completions of a shell, to be loaded by it.")
    parser.add_argument(
        "shell", choices=_SHELLS, common="the shell: bash, zsh or fish", help="the shell that loads them"
    )
    asked = parser.parse_args(argv)
    with open_output(STANDARD_OUTPUT) as output:
        loader: Any = __loader__  # type: ignore[name-defined] # also that of a zip file
        output.write(loader.get_data(f"{dirname(__file__)}/completions/urisieve.{asked.shell}"))
    return 0
