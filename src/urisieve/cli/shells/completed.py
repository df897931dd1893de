"""The options of each command, and the words, files and folders that their values can be, for completions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from urisieve.cli.parsing.arguments import Argument, CommandArguments
from urisieve.cli.terminal.help_page import argument_text, metavar
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple

__all__ = ["CompletedCommand", "CompletedOption", "CompletedValue", "completed_commands"]

# A summary stands beside an option in a list, so it is short.
_LONGEST: Final = 70
_FILES: Final = frozenset(["FILE", "PATH"])


class CompletedValue(NamedTuple):
    """The words, files and folders that the value of an argument can be.

    Attributes:
        name: the word that stands for it.
        words: the words.
        are_several: whether it is a list of words with commas.
        is_file: whether it can be the path of a file.
        is_folder: whether it can be the path of a folder.
    """

    name: str
    words: tuple[str, ...] = ()
    are_several: bool = False
    is_file: bool = False
    is_folder: bool = False


class CompletedOption(NamedTuple):
    """An option; `value` is None for a flag."""

    names: tuple[str, ...]
    summary: str
    value: CompletedValue | None
    is_list: bool


class CompletedCommand(NamedTuple):
    """A command, or an action of one.

    Attributes:
        words: the words that choose it.
        summary: what it does.
        options: its options.
        arguments: what its arguments can be.
        actions: the words that may follow, with what they do.
    """

    words: tuple[str, ...]
    summary: str
    options: tuple[CompletedOption, ...]
    arguments: tuple[CompletedValue, ...]
    actions: tuple[tuple[str, str], ...]


def completed_commands(accepted: Mapping[str, Iterable[CommandArguments]]) -> Iterator[CompletedCommand]:
    """Yield the commands and their actions.

    Args:
        accepted: what each command accepts, and its actions, by name.
    """
    for some in accepted.values():
        for command in some:
            yield CompletedCommand(
                tuple(command.prog.split()[1:]),
                _shortened(command.description),
                tuple(_option(argument) for argument in command.all_arguments if argument.is_option),
                tuple(_value(argument) for argument in command.all_arguments if not argument.is_option),
                tuple((name, _shortened(action.description)) for name, action in command.actions.items()),
            )


def _option(argument: Argument) -> CompletedOption:
    text = argument.common if isinstance(argument.common, str) else argument_text(argument, with_choices=False)
    has_value = argument.is_plain and not argument.is_flag
    return CompletedOption(argument.names, _shortened(text), _value(argument) if has_value else None, argument.is_list)


def _value(argument: Argument) -> CompletedValue:
    name = metavar(argument)
    parts = name.split("|")
    words = [str(choice) for choice in argument.settings.get("choices", ())]
    if argument.words is not None:
        words += argument.words()
    if len(parts) > 1:
        words += [part for part in parts if part.islower()]
    return CompletedValue(name, tuple(words), name.endswith(",..."), not _FILES.isdisjoint(parts), "FOLDER" in parts)


def _shortened(text: str) -> str:
    """Return the first clause of a text, without what stands in brackets."""
    text = text.partition("; ")[0].partition(" (")[0].removesuffix(".")
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 3].rpartition(' ')[0]}..."
