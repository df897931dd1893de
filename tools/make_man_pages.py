"""Writes the man pages of the commands into docs/man, made of what the commands accept.

    python tools/make_man_pages.py

The tests compare the files with what this tool makes of the source.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from urisieve import __version__
from urisieve.cli.help_page import argument_text, metavar
from urisieve.cli.program import COMMANDS, accepted
from urisieve.cli.settings.arguments import Argument, CommandArguments
from urisieve.cli.without_command import STATUSES, SUMMARY, command_groups

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "man"
# As they are written in roff; a hyphen of an option must stay one when it is copied.
ESCAPES = str.maketrans({"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"})
DEFAULTS = (
    "The value of a long option can come from a variable whose name is URISIEVE_ and that of the option in capital "
    "letters with underscores, as `URISIEVE_JOBS=2`, and 1 or 0 for an option without a value. What the command line "
    "says comes before variables, and these before the files below. URISIEVE_PURE=1 switches the compiled kernel off; "
    "URISIEVE_TRACEBACK=1 shows where in the program an error of it was."
)
FILES = (
    "The nearest of these files in the current folder or a folder above it, up to the root of a repository or the home "
    "folder, gives defaults of long options: the second in its table `[tool.urisieve]`, and for one command in "
    "`[tool.urisieve.COMMAND]`; the first without the prefix tool.urisieve. `[tool.urisieve.profiles.NAME]` describes "
    "a profile for --merge. Options that name files, and --show-passwords, may not stand there. "
    "--no-config reads neither files nor variables."
)


def escaped(text: str) -> str:
    """A text in the notation of roff."""
    return text.translate(ESCAPES)


def running(text: str) -> str:
    """Running text: what stands between backquotes is bold."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escaped(text)
    shown = "".join(f"\\fB{escaped(part)}\\fR" if index % 2 else escaped(part) for index, part in enumerate(parts))
    return f"\\&{shown}" if shown[:1] in (".", "'") else shown


def named(argument: Argument) -> str:
    """The names of an argument as a line of roff."""
    name = escaped(metavar(argument))
    if not argument.is_option:
        return f"\\fI{name}\\fR"
    names = ", ".join(f"\\fB{escaped(one)}\\fR" for one in sorted(argument.names, key=len))
    return names if argument.is_flag or not argument.is_plain else f"{names} \\fI{name}\\fR"


def synopsis(command: CommandArguments) -> str:
    """How a command is called."""
    words = [f"\\fB{escaped(command.prog)}\\fR", "[\\fIOPTION\\fR ...]"]
    shapes = {"*": "[\\fI{}\\fR ...]", "+": "\\fI{}\\fR ...", "?": "[\\fI{}\\fR]"}
    for argument in command.all_arguments:
        if not argument.is_option:
            words.append(
                shapes.get(argument.settings.get("nargs", ""), "\\fI{}\\fR").format(escaped(metavar(argument)))
            )
    return " ".join(words)


def arguments(some: Iterable[Argument]) -> Iterator[str]:
    """Arguments with their explanations."""
    for argument in some:
        yield from (".TP", named(argument), running(argument_text(argument)))


def options(command: CommandArguments) -> Iterator[str]:
    """The groups of arguments."""
    for group in command.groups:
        if group.about and group.arguments:
            title, *more = group.about
            yield f".SS {escaped(title)}"
            yield from map(running, more)
        yield from arguments(group.arguments)


def examples(command: CommandArguments) -> Iterator[str]:
    """The examples of a command."""
    if command.examples:
        yield ".SH EXAMPLES"
        for line, meaning in command.examples:
            yield from (".TP", f"\\fB{escaped(line)}\\fR", running(meaning))


def head(name: str, summary: str) -> list[str]:
    """What each page begins with."""
    title = escaped(name.replace(" ", "-"))
    return [
        '.\\" Made by tools/make_man_pages.py.',
        f'.TH {title.upper()} 1 "" "urisieve {__version__}" "User Commands"',
        ".ad l",
        ".SH NAME",
        f"{title} \\- {escaped(summary)}",
        ".SH SYNOPSIS",
    ]


def tail(others: Sequence[str]) -> Iterator[str]:
    """What each page ends with; `others` are the other pages."""
    yield ".SH EXIT STATUS"
    for status, text in STATUSES:
        yield from (".TP", status, running(text))
    yield from (".SH ENVIRONMENT", running(DEFAULTS), ".SH FILES", ".TP")
    yield "\\fBurisieve.toml\\fR, \\fBpyproject.toml\\fR"
    yield running(FILES)
    yield ".SH SEE ALSO"
    yield from (f".BR {escaped(other)} (1){'' if other == others[-1] else ','}" for other in others)


def command_page(command: CommandArguments, others: Sequence[str]) -> str:
    """The page of a command."""
    summary = COMMANDS[command.prog.split()[1]].summary
    lines = head(command.prog, summary.replace("`", ""))
    if command.actions:
        for action in command.actions.values():
            lines += [synopsis(action), ".br"]
        lines.pop()
    else:
        lines.append(synopsis(command))
    lines += [".SH DESCRIPTION", running(command.description)]
    lines.append(".SH OPTIONS")
    for name, action in command.actions.items():
        own = [argument for argument in action.arguments if argument.is_option or argument.names != ("store",)]
        lines += [f".SS {escaped(name)}", running(f"{action.description}."), *arguments(own)]
    lines += [*options(command), *examples(command), *tail(others)]
    return "\n".join([*lines, ""])


def program_page(others: Sequence[str]) -> str:
    """The page of the program itself."""
    lines = head("urisieve", SUMMARY[0].lower() + SUMMARY[1:].removesuffix("."))
    lines += ["\\fBurisieve\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR ...] [\\fIARGUMENT\\fR ...]"]
    lines += [".SH DESCRIPTION", running(SUMMARY), "Each command has a page of its own.", ".SH COMMANDS"]
    for group, names in command_groups(COMMANDS).items():
        lines.append(f".SS {escaped(group)}")
        for name in names:
            lines += [".TP", f"\\fB{escaped(name)}\\fR", running(COMMANDS[name].summary)]
    lines += [".SH OPTIONS", ".TP", "\\fB\\-h\\fR, \\fB\\-\\-help\\fR", "the commands"]
    lines += [".TP", "\\fB\\-\\-help\\-all\\fR", "the commands, and what each exit status means"]
    lines += [".TP", "\\fB\\-V\\fR, \\fB\\-\\-version\\fR", "the version, and whether the compiled kernel is in use"]
    return "\n".join([*lines, *tail(others), ""])


def pages() -> dict[str, str]:
    """All pages, by the name of the file."""
    commands = {some[0].prog: some[0] for some in accepted().values()}
    titles = ["urisieve", *(prog.replace(" ", "-") for prog in commands)]
    made = {"urisieve.1": program_page(titles[1:])}
    for prog, command in commands.items():
        title = prog.replace(" ", "-")
        made[f"{title}.1"] = command_page(command, [other for other in titles if other != title])
    return made


def main() -> None:
    """Write all pages, and remove those of commands that are gone."""
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for old in FOLDER.glob("*.1"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, "ascii")


if __name__ == "__main__":
    main()
