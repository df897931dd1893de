"""Counts of everything read, skipped, found broken and rejected."""

from __future__ import annotations

from collections import Counter

from urisieve.errors import InputError, UnexpectedInputError
from urisieve.lean.hints import Final
from urisieve.lean.values import dataclass, field
from urisieve.printable import printable

__all__ = ["MESSAGES", "FaultMessage", "Tally"]

# Messages that are kept of a kind and reason: enough to see the fault, few enough to read. All faults are counted.
MESSAGES: Final = 20
# Of these all that can be had was read, though something in them is broken.
_READ_ALL_THE_SAME: Final = frozenset(
    ["byte", "header", "html", "journal field", "json", "line", "marc record", "message", "part", "row", "text", "xml"]
)
# But of this the end was not, nor was what a reader failed over, or what is encoded below too many levels or parts.
_CUT: Final = ("message", "too-long")
_UNREAD: Final = frozenset(["nested-too-deep", "too-many-parts", "unexpected"])


class FaultMessage(str):
    """A text about a fault, which knows what is counted.

    Attributes:
        kind: the kind of thing that is broken.
        reason: the reason.
    """

    __slots__ = ("kind", "reason")
    kind: str
    reason: str

    def __new__(cls, text: str, kind: str = "", reason: str = "") -> FaultMessage:
        """Make a message."""
        made = super().__new__(cls, text)
        made.kind, made.reason = kind, reason
        return made


@dataclass(slots=True)
class Tally:
    """Counts of everything read, skipped, found broken and rejected; nothing is left out without a count.

    Functions such as `extract_files` add to the tally that they are passed.

    >>> from urisieve import Tally, extract_files
    >>> tally = Tally()
    >>> records = list(extract_files(["samples/mail.mbox"], tally=tally))
    >>> tally.kinds["mail"], tally.read["message"], tally.rejected["bad-percent-encoding"]
    (1, 3, 1)

    Attributes:
        kinds: the number of files by the kind they were read as (`text`, `csv`, `html`; `text (not csv)` if the name
            says otherwise), members of archives included.
        read: the number of things read, by kind (`message`, `part`, `html`).
        skipped: the number of things that were not read, by kind and reason.
        broken: the number of faults, by kind and reason.
        messages: texts about faults for people, each beginning with the name of the source; at most 20 for each kind
            and reason.
        rejected: the number of candidates that are not valid, by the code of the reason (see `urisieve.codes`).
        warnings: the number of warnings of identifiers, by their code (see `urisieve.codes`).
        left_out: the number of identifiers that filters have left out, by `filter`, or by the component that is absent
            (`host`, `domain`).
    """

    kinds: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: Counter[tuple[str, str]] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted."""
        counts = (self.kinds, self.read, self.skipped, self.broken, self.rejected, self.warnings, self.left_out)
        return not (any(counts) or self.messages)

    @property
    def is_unread(self) -> bool:
        """Whether something could not be read to its end, rather than with something broken in it."""
        return any(
            kind not in _READ_ALL_THE_SAME or reason in _UNREAD or (kind, reason) == _CUT
            for kind, reason in self.broken
        )

    def take(self, other: Tally) -> None:
        """Add the counts of another tally, and empty that one."""
        self.kinds.update(other.kinds)
        self.read.update(other.read)
        self.skipped.update(other.skipped)
        self.broken.update(other.broken)
        self.messages += other.messages
        self.rejected.update(other.rejected)
        self.warnings.update(other.warnings)
        self.left_out.update(other.left_out)
        other.clear()

    def taken(self) -> Tally:
        """Return the counts so far, and start again from zero."""
        counts = Tally()
        counts.take(self)
        return counts

    def clear(self) -> None:
        """Empty all counts."""
        self.kinds.clear()
        self.read.clear()
        self.skipped.clear()
        self.broken.clear()
        self.messages.clear()
        self.rejected.clear()
        self.warnings.clear()
        self.left_out.clear()

    def skip(self, kind: str, reason: str) -> None:
        """Count something that was not read, with the reason."""
        self.skipped[kind, reason] += 1

    def fault(self, kind: str, reason: str, message: str, *details: str) -> None:
        """Count a fault in something that is read as far as possible; `message` and `details` are for people.

        Messages are kept of the first `MESSAGES` faults of a kind and reason: a file may have a million broken lines.
        """
        self.broken[kind, reason] += 1
        if self.broken[kind, reason] <= MESSAGES:
            self.messages += (FaultMessage(printable(message), kind, reason), *details)

    def stopped(self, source: str, error: InputError, *, traces: bool = False) -> None:
        """Count an error that stopped a content; `traces` asks for the traceback of an unexpected exception."""
        details = error.trace if traces and isinstance(error, UnexpectedInputError) else ()
        self.fault(error.kind, error.reason, f"{source}: {error}", *details)
