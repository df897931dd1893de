"""Messages on standard error, one line each."""

from __future__ import annotations

import sys

from urisieve.lean.hints import Final, NoReturn
from urisieve.printable import printable

__all__ = ["PROGRAM", "misuse", "say"]

PROGRAM: Final = "urisieve"
# The exit status of misuse.
_MISUSE: Final = 2


def say(message: str) -> None:
    """Write `urisieve: message` to standard error; that it cannot be written is not an error.

    Control characters that a message quotes, as in the name of a file, neither drive the terminal nor end the line.
    """
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.write(f"{PROGRAM}: {printable(message)}\n")
        stream.flush()
    except (OSError, ValueError):
        return


def misuse(program: str, message: str) -> NoReturn:
    """Report an error in one line, and how to get help in another; leaves by SystemExit."""
    command = program.removeprefix(PROGRAM).strip()
    message = message.removeprefix("argument ")
    say(f"{command}: {message}" if command else message)
    say(f"`{program} --help` explains the options" if command else f"`{program} --help` lists the commands")
    raise SystemExit(_MISUSE)
