"""`urisieve completion`: prints the completions of a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from urisieve.cli.parsing.arguments import CommandArguments
from urisieve.cli.parsing.command_line import CommandLine
from urisieve.cli.settings.flags import command_parser
from urisieve.cli.shells.bash import bash_script
from urisieve.cli.shells.completed import CompletedCommand, CompletedOption, completed_commands
from urisieve.cli.shells.fish import fish_script
from urisieve.cli.shells.zsh import zsh_script
from urisieve.lean.hints import Final
from urisieve.sinks.files.outputs import STANDARD_OUTPUT, open_output

__all__ = ["run"]

_DONE: Final = 0
_SCRIPTS: Final[Mapping[str, Callable[[Iterable[CompletedCommand], CompletedCommand], str]]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    parser = command_parser("completion", "Print the completions of a shell, to be loaded by it.")
    parser.add_argument(
        "shell", choices=list(_SCRIPTS), common="the shell: bash, zsh or fish", help="the shell that loads them"
    )
    asked = parser.parse_args(argv)
    accepted = argv.accepted() if isinstance(argv, CommandLine) else {}
    commands = list(completed_commands(accepted))
    with open_output(STANDARD_OUTPUT) as output:
        output.write(_SCRIPTS[asked.shell](commands, _program(commands, parser)).encode("ascii"))
    return _DONE


def _program(commands: Iterable[CompletedCommand], some: CommandArguments) -> CompletedCommand:
    """Return the program itself: its actions are the commands, its options those that each command has."""
    general = {name for argument in list(some.groups)[-1].arguments for name in argument.names} - {"--no-config"}
    actions = []
    options: dict[tuple[str, ...], CompletedOption] = {}
    for command in commands:
        if len(command.words) == 1:
            actions.append((command.words[0], command.summary))
        options |= {option.names: option for option in command.options if general.issuperset(option.names)}
    return CompletedCommand((), "", tuple(options.values()), (), tuple(actions))
