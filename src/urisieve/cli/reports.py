"""Messages on standard error, one line each.

It also defines:

- the version, for `--version` with and without the name of a command.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from urisieve._version import __version__
from urisieve.lean import TYPE_CHECKING, Final, NoReturn
from urisieve.wording import printable

if TYPE_CHECKING:
    from typing import TextIO

PROGRAM: Final = "urisieve"
# The exit statuses: `STATUSES` in `cli/without_command.py` says what each means.
DONE: Final = 0
NEGATIVE: Final = 1
FAILED: Final = 2
FATAL: Final = 3


class Misuse(SystemExit):
    """Raised for a command line that is not accepted, before anything is read or written.

    Attributes:
        message: says in one line what is wrong, and how to get help.
    """

    def __init__(self, message: str) -> None:
        super().__init__(FAILED)
        self.message = message


# The parts of identifiers that messages of the command that runs do not have.
_hidden: list[str] = []


def mask_messages(parts: Iterable[str]) -> None:
    """Hide these parts of identifiers, in addition to passwords, in all messages from now on."""
    _hidden[:] = parts


def masked(message: str) -> str:
    """Return a message as it may be shown."""
    if ":" not in message and "%" not in message and "//" not in message:
        return message
    from urisieve.records.mask import shown_message  # few messages quote an identifier

    return shown_message(message, _hidden)


def say(message: str, *clauses: str) -> None:
    """Write `urisieve: message` to standard error; that it cannot be written is not an error.

    Control characters that a message quotes, as in the name of a file, neither drive the terminal nor end the line;
    passwords in it are masked.

    Args:
        message: the message.
        clauses: follow on the same line; each begins a line of its own at a terminal that all of them do not fit.
    """
    stream = sys.stderr
    if stream is None:
        return
    parts = [printable(masked(part)) for part in (f"{PROGRAM}: {message}", *clauses)]
    text = "; ".join(parts)
    try:
        if clauses and stream.isatty():
            columns = columns_of(stream)
            if len(text) > columns:
                from urisieve.cli.help_page import wrapped

                text = "\n".join(
                    line for part in parts for line in wrapped(part, columns, 4, 0 if part is parts[0] else 2)
                )
        stream.write(f"{text}\n")
        stream.flush()
    except (OSError, ValueError):
        return


# The columns of a terminal that does not state them.
USUAL_COLUMNS: Final = 80


def columns_of(stream: TextIO | None) -> int:
    """Return the columns of the terminal that a stream leads to, or what COLUMNS says; 80 for what is no terminal."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isdecimal() and int(stated):
        return int(stated)
    try:
        return (0 if stream is None else os.get_terminal_size(stream.fileno()).columns) or USUAL_COLUMNS
    except (OSError, ValueError):  # no terminal, or a stream of this process
        return USUAL_COLUMNS


def say_if_waiting(*, is_quiet: bool) -> None:
    """Say that the terminal is read, if standard input is one: a command that only waits seems to hang.

    To be called when nothing was named and all arguments are accepted.
    """
    if is_quiet or sys.stdin is None or not sys.stdin.isatty():
        return
    end = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
    say(f"reading from the terminal: end with {end}, or name a file")


def misuse(program: str, message: str) -> NoReturn:
    """Leave by SystemExit for a command line that is not accepted; the help of `program` explains what is.

    Raises:
        Misuse: always.
    """
    command = program.removeprefix(PROGRAM).strip()
    message = message.removeprefix("argument ")
    raise Misuse(f"{f'{command}: ' if command else ''}{message} ({program} --help)")


def show_version() -> None:
    """Print the version and which search is used, and say how to get the kernel if it is missing."""
    from urisieve.kernel import advice, way

    if sys.stdout is not None:
        sys.stdout.write(f"{PROGRAM} {__version__} ({way})\n")
    if (hint := advice()) is not None:
        say(hint)
