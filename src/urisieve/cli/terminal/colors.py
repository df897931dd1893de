"""Whether standard output is coloured."""

from __future__ import annotations

import os
import sys

from urisieve.lean.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from urisieve.cli.settings.rule_arguments import Color

__all__ = ["is_colored"]


def is_colored(color: Color) -> bool:
    """Report whether output for people has colours: as asked for, else at a terminal unless NO_COLOR is set."""
    if color != "auto":
        return color == "always"
    return not os.environ.get("NO_COLOR") and sys.stdout is not None and sys.stdout.isatty()
