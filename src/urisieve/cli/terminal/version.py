"""The version, for `--version` with and without the name of a command."""

from __future__ import annotations

import sys

from urisieve._version import __version__
from urisieve.cli.terminal.reports import PROGRAM, say

__all__ = ["show_version"]


def show_version() -> None:
    """Print the version and which search is used, and say how to get the kernel if it is missing."""
    from urisieve.kernel import advice, way

    if sys.stdout is not None:
        sys.stdout.write(f"{PROGRAM} {__version__} ({way})\n")
    if (hint := advice()) is not None:
        say(hint)
