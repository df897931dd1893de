"""The rows of `samples/data/boundaries.jsonl`, and what a linker makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple

__all__ = ["PATH", "Outcome", "Row", "Span", "judged", "read_rows"]

Span = tuple[int, int]
PATH: Final = Path(__file__).resolve().parent.parent.parent / "samples" / "data" / "boundaries.jsonl"


class Row(NamedTuple):
    """A text, and what is in it.

    Attributes:
        text: the text.
        found: where the links are, in characters.
        rejected: where something is that is no link though it looks like one, and the reason that urisieve gives.
        kind: what the row is about.
        rule: what decides, a section of an RFC or `convention`.
        often: how many of a million links have its shape; None where no link is.
    """

    text: str
    found: tuple[Span, ...]
    rejected: dict[Span, str]
    kind: str
    rule: str
    often: int | None


class Outcome(Enum):
    """What a linker made of a link that is there; `EXTRA` is what it found where none is."""

    RIGHT = "right"
    MISSED = "missed"
    SHORT = "too short"
    LONG = "too long"
    EXTRA = "none there"


def read_rows(path: Path = PATH) -> list[Row]:
    """Return the rows of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        return [_row(json.loads(line)) for line in file]


def _row(one: dict[str, Any]) -> Row:
    rejected = {_span(part): part["reason"] for part in one["rejected"]}
    return Row(one["text"], tuple(map(_span, one["found"])), rejected, one["kind"], one["rule"], one["often"])


def _span(part: dict[str, Any]) -> Span:
    return part["start"], part["start"] + len(part["raw"])


def judged(wanted: Sequence[Span], spans: Iterable[Span]) -> list[Outcome]:
    """Return what a linker made of each link that is there, and an `EXTRA` for each find that meets none of them.

    A find that lacks some characters of a link and has none beyond it is too short, whichever end is lost; any other
    one that is not the link itself is too long.
    """
    given = list(spans)
    outcomes = [_outcome(link, [one for one in given if _meet(link, one)]) for link in wanted]
    return outcomes + [Outcome.EXTRA for one in given if not any(_meet(link, one) for link in wanted)]


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _outcome(link: Span, met: list[Span]) -> Outcome:
    if not met:
        return Outcome.MISSED
    if met == [link]:
        return Outcome.RIGHT
    return Outcome.SHORT if all(link[0] <= start and end <= link[1] for start, end in met) else Outcome.LONG
