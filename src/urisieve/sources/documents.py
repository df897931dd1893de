"""What a source is made of: named texts, each with its place and a way back to the bytes it came from.

A container (a mailbox, an archive, a table) is a reader: a function from a `Container` to the documents in it, one at a
time. What it skips or finds broken goes to the `Tally`, never silently past it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from urisieve.sources.offsets import OffsetMap

__all__ = ["MESSAGES", "Document", "Place", "Tally", "WayBack"]

# Enough to see what is wrong, few enough to read; the counts say how many there are.
MESSAGES: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a text stands inside its container; what does not apply is None.

    Attributes:
        message: the number of the message in its mailbox, from 1.
        message_id: its Message-ID, without angle brackets.
        part: the path of its part as IMAP numbers it (`1.2`; RFC 9051 6.4.5), or `header` and the field's name
            (`header:Subject`).
        field: the name of a field of structured data: a path of keys (`a.b[2]`) or a column.
        row: the number from 1 of the line of structured data on which it begins, or of the entry of a journal.
    """

    message: int | None = None
    message_id: str | None = None
    part: str | None = None
    field: str | None = None
    row: int | None = None


class WayBack(Protocol):
    """Gives the map from characters to bytes once the text has been read so far; None where there is none."""

    def __call__(self) -> OffsetMap | None:
        """The map, complete up to the last piece taken."""


def _no_way_back() -> OffsetMap | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text: nothing joins across two of them.

    Attributes:
        source: the name that its records carry: a path, then `!` and the member for each archive on the way.
        text: its pieces, read once and in order; taking the next one may read from the file.
        place: where it stands in its container.
        offsets: the way back to the bytes of the decompressed file.
        legacy: whether it was decoded from an encoding that is not of Unicode (RFC 3987 3.1 step 1b).
        base: the URI that relative references in it are resolved against, None where there is none.
    """

    source: str
    text: Iterable[str]
    place: Place = Place()
    offsets: WayBack = _no_way_back
    legacy: bool = False
    base: str | None = None


@dataclass(slots=True)
class Tally:
    """What was read, skipped and found broken: counts by kind, and by kind and reason.

    `say` takes messages for people, each with the name of the source first.
    """

    read: Counter[str] = field(default_factory=Counter)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: Counter[tuple[str, str]] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)

    def skip(self, kind: str, reason: str) -> None:
        """Count something that was not read, and why."""
        self.skipped[kind, reason] += 1

    def fault(self, kind: str, reason: str, message: str) -> None:
        """Count something broken of which as much as can be had is read; `message` is for people.

        Only the first `MESSAGES` of a kind and reason are kept: a file may have a million broken lines.
        """
        self.broken[kind, reason] += 1
        if self.broken[kind, reason] <= MESSAGES:
            self.messages.append(message)
