"""What is said to people: on standard error, one line at a time."""

from __future__ import annotations

import sys
from typing import Final

from urisieve.printable import printable

__all__ = ["PROGRAM", "say"]

PROGRAM: Final = "urisieve"


def say(message: str) -> None:
    """Write `urisieve: message` to standard error; if nobody listens there, that is no error.

    What a message quotes, as the name of a file, neither drives the terminal nor ends the line.
    """
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.write(f"{PROGRAM}: {printable(message)}\n")
        stream.flush()
    except (OSError, ValueError):
        return
