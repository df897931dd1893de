"""What was read, skipped, found broken and rejected, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from urisieve.printable import printable

__all__ = ["MESSAGES", "Tally"]

# Enough to see what is wrong, few enough to read; the counts say how many there are.
MESSAGES: Final = 20


@dataclass(slots=True)
class Tally:
    """What was read, skipped and found broken: counts by kind, and by kind and reason.

    `kinds` is what files were read as (`text`, `csv`, `html`; `text (not csv)` where the name says otherwise), those of
    archives among them. `rejected` counts the candidates that are not valid by their reason, `warnings` the warnings of
    identifiers by their code (`urisieve.codes` explains both). `messages` are for people, each with the name of the
    source first.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: Counter[tuple[str, str]] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted."""
        counts = (self.kinds, self.read, self.skipped, self.broken, self.rejected, self.warnings)
        return not (any(counts) or self.messages)

    def take(self, other: Tally) -> None:
        """Add what another one counted, and leave that one empty."""
        self.kinds.update(other.kinds)
        self.read.update(other.read)
        self.skipped.update(other.skipped)
        self.broken.update(other.broken)
        self.messages += other.messages
        self.rejected.update(other.rejected)
        self.warnings.update(other.warnings)
        other.clear()

    def taken(self) -> Tally:
        """What was counted so far; from now on it counts anew."""
        counts = Tally()
        counts.take(self)
        return counts

    def clear(self) -> None:
        """Forget everything."""
        self.kinds.clear()
        self.read.clear()
        self.skipped.clear()
        self.broken.clear()
        self.messages.clear()
        self.rejected.clear()
        self.warnings.clear()

    def skip(self, kind: str, reason: str) -> None:
        """Count something that was not read, and why."""
        self.skipped[kind, reason] += 1

    def fault(self, kind: str, reason: str, message: str, *details: str) -> None:
        """Count something broken of which as much as can be had is read; `message` and `details` are for people.

        Only the first `MESSAGES` of a kind and reason are kept: a file may have a million broken lines.
        """
        self.broken[kind, reason] += 1
        if self.broken[kind, reason] <= MESSAGES:
            self.messages += (printable(message), *details)
