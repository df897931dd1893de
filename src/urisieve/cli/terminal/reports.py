"""Messages on standard error, one line each."""

from __future__ import annotations

import sys

from urisieve.lean.hints import Final
from urisieve.printable import printable

__all__ = ["PROGRAM", "say"]

PROGRAM: Final = "urisieve"


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
