"""The arguments that a command accepts, in groups. Nothing is parsed here.

This is the only list of them: parsers, help, completions, man pages, variables of the environment and tables are made
of it.

It also defines:

- the words of a command, and what follows them: the defaults of the environment and of a table.
- the names in a list with commas.
- a command, as the program runs and its help lists it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from stat import S_ISREG

from urisieve.lean import Any, Final, NamedTuple, imported

# The default of an option that has no value unless it is given.
NO_DEFAULT: Final = object()
_FLAGS: Final = ("store_true", "store_const")
_LISTS: Final = ("append", "extend")
_ACTIONS: Final = ("store", *_FLAGS, *_LISTS)


class Argument(NamedTuple):
    """An argument of a command.

    Attributes:
        names: its names: those of an option begin with hyphens.
        settings: the settings of `argparse`.
        common: whether the short help shows it; a text is what it says there.
        words: returns the words that its value can be, where these are no choices of `argparse`.
        is_guarded: whether a table may not set it, as it may not set what names files.
    """

    names: tuple[str, ...]
    settings: dict[str, Any]
    common: bool | str = False
    words: Callable[[], Iterable[str]] | None = None
    is_guarded: bool = False

    @property
    def is_option(self) -> bool:
        """Whether it is an option."""
        return self.names[0].startswith("-")

    @property
    def long(self) -> str:
        """The long name of an option, without its hyphens."""
        for name in self.names:  # each start does this for each option, so there is no generator
            if name.startswith("--"):
                return name[2:]
        return self.names[0].lstrip("-")

    @property
    def destination(self) -> str:
        """The name of its value."""
        return self.settings.get("dest") or self.long.replace("-", "_")

    @property
    def action(self) -> str:
        """The name that `argparse` has for what is done with its value."""
        action: str = self.settings.get("action", "store")
        return action

    @property
    def is_flag(self) -> bool:
        """Whether it is an option without a value that changes something."""
        return self.action in _FLAGS

    @property
    def is_list(self) -> bool:
        """Whether it may be given more than once."""
        return self.action in _LISTS

    @property
    def is_plain(self) -> bool:
        """Whether it is an option that the quick way can parse."""
        return self.action in _ACTIONS and "nargs" not in self.settings

    @property
    def built_in(self) -> Any:
        """Its value where nothing else gives one; `NO_DEFAULT` for none."""
        return self.settings.get("default", False if self.action == "store_true" else None)


class Group:
    """A group of the arguments of a command, as its help lists them."""

    def __init__(self, *about: str) -> None:
        self.about = about
        self.arguments: list[Argument] = []

    def add_argument(
        self,
        *names: str,
        common: bool | str = False,
        words: Callable[[], Iterable[str]] | None = None,
        guarded: bool = False,
        **settings: Any,
    ) -> None:
        """Add an argument; names and settings are those of `argparse`, and for the others see `Argument`."""
        self.arguments.append(Argument(names, settings, common, words, guarded))


class CommandArguments(Group):
    """The arguments of one command.

    Args:
        prog: the program and the command.
        description: one sentence about it.

    Attributes:
        actions: the arguments of its actions, by the first word that chooses one; most commands have none.
    """

    def __init__(self, prog: str, description: str) -> None:
        super().__init__()
        self.prog = prog
        self.description = description
        self.actions: dict[str, CommandArguments] = {}
        self._groups: list[Group] = [self]
        self._general = Group("general")
        add = self._general.add_argument
        add("-h", "--help", action="help", help="the options most used", common=False)
        add("--help-all", action="help", help="all options, and more examples")
        add("-V", "--version", action="version", help="the version, and whether the compiled kernel is in use")
        add("--no-config", action="store_true",
            help="no defaults from URISIEVE_* variables, urisieve.toml and pyproject.toml")  # fmt: skip

    @property
    def examples(self) -> list[tuple[str, str]]:
        """Lines that can be typed, and what each does; of an action those that begin with it."""
        _, command, *actions = self.prog.split()
        return [row for row in examples_of(command) if not actions or row[0].split()[2] == actions[0]]

    @property
    def groups(self) -> Iterator[Group]:
        """The groups of arguments; the first has no title, and the last those that each command has."""
        yield from self._groups
        yield self._general

    @property
    def all_arguments(self) -> Iterator[Argument]:
        """All arguments, in the order of the groups."""
        for group in self.groups:
            yield from group.arguments

    @property
    def options(self) -> Iterator[Argument]:
        """The options of this command alone, which defaults can set."""
        for group in self._groups:
            yield from (argument for argument in group.arguments if argument.is_option)

    def by_name(self) -> tuple[dict[str, Argument], list[Argument]]:
        """Return all options by each of their names, and the arguments that are no options."""
        options: dict[str, Argument] = {}
        others = []
        for argument in self.all_arguments:
            if argument.is_option:
                options.update(dict.fromkeys(argument.names, argument))
            else:
                others.append(argument)
        return options, others

    def add_argument_group(self, *about: str) -> Group:
        """Add a group, by its title and an explanation."""
        group = Group(*about)
        self._groups.append(group)
        return group

    def built_in(self) -> dict[str, Any]:
        """Return the values of options where nothing else gives one, by name."""
        values: dict[str, Any] = {}
        for argument in self.options:
            if (value := argument.built_in) is not NO_DEFAULT:
                values.setdefault(argument.destination, value)
        return values


def examples_of(command: str) -> list[tuple[str, str]]:
    """Return the examples of a command, each with what it does, from `examples.txt`."""
    loader: Any = __loader__  # type: ignore[name-defined] # also that of a zip file
    text: str = loader.get_data(f"{os.path.dirname(__file__)}/examples.txt").decode()
    blocks = (block.splitlines() for block in text.split("\n\n"))
    return [
        (line, meaning)
        for name, *lines in blocks
        if name == command
        for line, _, meaning in (one.partition("\t") for one in lines)
    ]


class Described(Exception):  # noqa: N818 - it is not an error
    """Raised by a parser instead of parsing, to report what a command accepts.

    Attributes:
        arguments: what it accepts.
    """

    def __init__(self, arguments: CommandArguments) -> None:
        super().__init__()
        self.arguments = arguments


class Taken:
    """The options that a command takes from a file, to be reported when it has ended.

    Attributes:
        file: the name of the file.
        shown: the options that change only how findings are shown, as `name=value`.
        others: the other options, which may leave findings out.
        foreign: files that are not taken, since they belong to other users.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget what was taken, before the words are parsed again."""
        self.file = ""
        self.shown: list[str] = []
        self.others: list[str] = []
        self.foreign: tuple[str, ...] = ()

    def lines(self, *, is_quiet: bool) -> list[str]:
        """Return lines about it; those about options that may leave findings out are never silenced."""
        lines = []
        if self.others or (self.shown and not is_quiet):
            options = [", ".join(self.shown)] if self.shown and not is_quiet else []
            if self.others:
                options.append(f"{', '.join(self.others)}, which may leave out or change findings")
            lines.append(f"{self.file} sets {'; '.join(options)} (--no-config: without it)")
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
        used: the defaults that have been used, by option: where each is.
        taken: what of them comes from a file.
        is_quiet: whether `--quiet` is given.
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


def names_of(text: str) -> list[str]:
    """Return the names in a list with commas."""
    return [name for part in text.split(",") if (name := part.strip())]


PREFIX: Final = "URISIEVE_"
# Set to 1, it shows where in this program an error of it was by which a file could not be read.
TRACEBACK: Final = f"{PREFIX}TRACEBACK"
# Variables that are about no option: how the package runs and how it is built.
_OTHERS: Final = frozenset([f"{PREFIX}PURE", f"{PREFIX}BUILD", TRACEBACK])
_NO_TABLE: Final = f"{PREFIX}NO_CONFIG"
# The file of this program comes before that of all tools of a project.
_FILES: Final = ("urisieve.toml", "pyproject.toml")
# A repository ends here; a folder that contains this one belongs to another user, or to all.
_ROOT: Final = ".git"
# What a table of a tool begins with, in one of the ways of TOML to write it.
_TABLE_SIGNS: Final = (b"urisieve", b"tool")


class Sources(NamedTuple):
    """The variables and the file that were found.

    Attributes:
        variables: the variables, by name.
        path: the file that contains a table; "" if there is none.
        text: its content.
        foreign: the nearer files with a table that belong to other users, and so are not taken.
    """

    variables: dict[str, str]
    path: str = ""
    text: bytes = b""
    foreign: tuple[str, ...] = ()


def found_sources() -> Sources | None:
    """Return what may contain defaults; None if nothing does.

    Raises:
        OSError: a file cannot be read.
    """
    variables = {
        name: os.environ[name]
        for name in os.environ
        if name.startswith(PREFIX) and name not in _OTHERS and os.environ[name]
    }
    foreign: list[str] = []
    file = None if variables.get(_NO_TABLE, "0") != "0" else _nearest_file(foreign)
    if file is None:
        return Sources(variables, foreign=tuple(foreign)) if variables or foreign else None
    return Sources(variables, *file, tuple(foreign))


def _nearest_file(foreign: list[str]) -> tuple[str, bytes] | None:
    """Return the path and the content of the user's nearest file with a table, in the current folder or one above it.

    The search ends at the root of a repository, at the home folder, and at the root of the file system. Files of other
    users are passed over, and those with a table are added to `foreign`.
    """
    try:
        folder = os.getcwd()
    except OSError:  # it has been removed
        return None
    home = os.path.expanduser("~")
    while True:
        for name in _FILES:
            path = os.path.join(folder, name)
            if _is_file(path):
                text, is_own = _content(path)
                if name == _FILES[0] or _may_hold_table(text):
                    if is_own:
                        return path, text
                    foreign.append(path)
        above = os.path.dirname(folder)
        if above == folder or folder == home or os.path.lexists(os.path.join(folder, _ROOT)):
            return None
        folder = above


def _content(path: str) -> tuple[bytes, bool]:
    """Return the content of a file, and whether file and name belong to the user who runs the program.

    That of a file of another user which cannot be read is empty. Windows has no such numbers of users: there every
    file counts as the user's own.
    """
    user = getattr(os, "geteuid", lambda: 0)()
    is_own = os.lstat(path).st_uid == user
    try:
        with open(path, "rb") as file:
            return file.read(), is_own and os.fstat(file.fileno()).st_uid == user
    except OSError:
        if is_own and os.stat(path).st_uid == user:
            raise
        return b"", False


def _is_file(path: str) -> bool:
    try:
        return S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _may_hold_table(text: bytes) -> bool:
    """Report whether a `pyproject.toml` may contain `[tool.urisieve]`, in whichever way it is written.

    A line that begins a table or a key with `tool` names this program, or stands for a table of tools.
    """
    if _TABLE_SIGNS[0] not in text:
        return False
    for line in text.splitlines():
        line = line.lstrip(b" \t[\"'")
        if line.startswith(_TABLE_SIGNS[1]):
            rest = line[len(_TABLE_SIGNS[1]) :].lstrip(b" \t\"'")
            if rest[:1] in (b"]", b"=") or (
                rest[:1] == b"." and rest[1:].lstrip(b" \t\"'").startswith(_TABLE_SIGNS[0])
            ):
                return True
    return False


class Command(NamedTuple):
    """A command: the module and the function that run it, its summary, and the group in which the help lists it.

    The module is loaded when it is needed.
    """

    module: str
    function: str
    summary: str
    group: str = "files and streams"

    def run(self, argv: Sequence[str]) -> int:
        """Run the command and return its exit status."""
        function: Callable[[Sequence[str]], int] = getattr(imported(f"urisieve.cli.{self.module}"), self.function)
        return function(argv)
