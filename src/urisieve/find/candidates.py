"""The outcome of looking at one place where an identifier may begin: a candidate, or that more text must come."""

from __future__ import annotations

import re
from typing import NamedTuple

from urisieve.codes import Warn
from urisieve.find.extent import Syntax
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged

__all__ = ["Found", "Undecided"]


class Undecided(NamedTuple):
    """A pivot whose candidate the text so far does not decide.

    Attributes:
        pivot: its place.
        start: what has to be kept begins here.
        awaited: a class of characters of which one must come before it can be decided; None if any may.
    """

    pivot: int
    start: int
    awaited: re.Pattern[str] | None


class Found(NamedTuple):
    """A candidate with its limits in the text and its judgement."""

    start: int
    end: int
    wrapper: str | None
    warnings: tuple[Warn, ...]
    alternatives: tuple[str, ...]
    judged: Judged | Fault
    passing: Syntax | None = None
    """Set where the candidate is too long: the rest of its run is passed over."""
