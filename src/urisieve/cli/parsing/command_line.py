"""The words of a command, and what stands behind them: the defaults of the environment and of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from urisieve.cli.parsing.arguments import CommandArguments

__all__ = ["CommandLine", "Described", "Taken"]


class Described(Exception):  # noqa: N818 - it is not an error
    """Raised by a parser instead of parsing, for somebody who asks what a command accepts.

    Attributes:
        arguments: what it accepts.
    """

    def __init__(self, arguments: CommandArguments) -> None:
        super().__init__()
        self.arguments = arguments


class Taken:
    """The options that a command takes from a file, to be told when it has ended.

    Attributes:
        file: the name of the file.
        shown: the options that change only how findings are shown, as `name=value`.
        others: the other options, which may leave findings out.
        foreign: files that are not taken, since they belong to other users.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget what was taken, before the words are understood anew."""
        self.file = ""
        self.shown: list[str] = []
        self.others: list[str] = []
        self.foreign: tuple[str, ...] = ()

    def lines(self, *, is_quiet: bool) -> list[str]:
        """Return lines about it; those about options that may leave findings out are never silenced."""
        lines = []
        if self.others or (self.shown and not is_quiet):
            said = [", ".join(self.shown)] if self.shown and not is_quiet else []
            if self.others:
                said.append(f"{', '.join(self.others)}, which may leave out or change findings")
            lines.append(f"{self.file} sets {'; '.join(said)} (--no-config: without it)")
        if not is_quiet:
            lines += [f"{path}: not taken, since it belongs to another user" for path in self.foreign]
        return lines


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
        taken: what of them comes from a file.
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
        self.taken = Taken()
        self.is_quiet = False

    def following(self) -> CommandLine:
        """Return the command line without its first word, which has been understood; both note what is used."""
        line = CommandLine(self[1:], self.command, self.accepted, is_described=self.is_described)
        line.left_out = self.left_out
        line.used = self.used
        line.taken = self.taken
        return line
