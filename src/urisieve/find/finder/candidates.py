"""The outcome of looking at one pivot: a candidate, or the request for more text."""

from __future__ import annotations

import re

from urisieve.codes import Warn
from urisieve.find.finder.extent import Syntax
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged
from urisieve.lean.values import NamedTuple

__all__ = ["Found", "Undecided"]


class Undecided(NamedTuple):
    """A pivot whose candidate cannot be decided from the text so far.

    Attributes:
        pivot: its offset.
        start: the offset from which the text has to be kept.
        awaited: a class of characters of which one must come before the pivot can be decided; None for any.
    """

    pivot: int
    start: int
    awaited: re.Pattern[str] | None


class Found(NamedTuple):
    """A candidate with its extent in the text and its judgement."""

    start: int
    end: int
    wrapper: str | None
    warnings: tuple[Warn, ...]
    alternatives: tuple[str, ...]
    judged: Judged | Fault
    passing: Syntax | None = None
    """Set if the candidate is too long: the rest of its run is skipped."""
