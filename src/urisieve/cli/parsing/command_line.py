"""The words of a command, and what stands behind them: the defaults of the environment and of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from urisieve.cli.parsing.arguments import CommandArguments

__all__ = ["CommandLine", "Described"]


class Described(Exception):  # noqa: N818 - it is not an error
    """Raised by a parser instead of parsing, for somebody who asks what a command accepts.

    Attributes:
        arguments: what it accepts.
    """

    def __init__(self, arguments: CommandArguments) -> None:
        super().__init__()
        self.arguments = arguments


class CommandLine(list[str]):
    """The words that follow the name of a command; a plain list of words has no defaults.

    Args:
        words: the words.
        command: the name of the command.
        accepted: returns what all commands accept, by name: each its own arguments and those of its actions.
        is_described: whether what it accepts is to be raised as `Described`.

    Attributes:
        left_out: the names of options whose defaults are not to be used.
        used: the defaults that have been used, by option: where each stands.
        is_quiet: whether `--quiet` holds.
    """

    def __init__(
        self,
        words: Sequence[str],
        command: str = "",
        accepted: Callable[[], Mapping[str, Iterable[CommandArguments]]] = dict,
        *,
        is_described: bool = False,
    ) -> None:
        super().__init__(words)
        self.command = command
        self.accepted = accepted
        self.is_described = is_described
        self.left_out: frozenset[str] = frozenset()
        self.used: dict[str, str] = {}
        self.is_quiet = False

    def following(self) -> CommandLine:
        """Return the command line without its first word, which has been understood; both note what is used."""
        line = CommandLine(self[1:], self.command, self.accepted, is_described=self.is_described)
        line.left_out = self.left_out
        line.used = self.used
        return line
