"""Files that are not plain text, in parts: whether what a worker found in a part counts, and the counts of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from urisieve.lean import replace
from urisieve.runs.file_parts import Part
from urisieve.runs.run_steps import RunStep
from urisieve.sources.containers.contents import PartEnd, PartStart
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.containers.limits import DEFAULT_LIMITS
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import FaultMessage, Tally

_LINES = frozenset([Kind.JSONL, Kind.CSV, Kind.TSV])
_STRAY = ("text", "undecodable-bytes")


class CutFiles:
    """Checks the parts of files that are not plain text, in the order of the files; passes on all other steps.

    A part counts if all parts before it do and the last of them has ended where it begins; the first one that does not
    is `left`, with all that follows in its file, for one worker that is told all that stood before it. The counts of a
    file come with its last part, as if it had not been cut.

    Args:
        reading: how the files are read.
        kept: how many messages about faults are kept of a file for each kind and reason.
    """

    def __init__(self, reading: ReadingOptions, kept: int) -> None:
        self._most = kept
        self._limits = reading.limits or DEFAULT_LIMITS
        self._begin()
        self.left: Part | None = None
        """The part that is to be read again, to the end of its file."""

    def _begin(self) -> None:
        self._number = self._size = self._made = 0
        self._tally = Tally()
        self._messages: Counter[tuple[str, str]] = Counter()
        self._stray: list[str] = []

    def checked(self, steps: Iterator[RunStep]) -> Iterator[RunStep]:
        """Yield steps, up to one that does not count."""
        self.left = None
        for step in steps:
            part = step.part
            if part is None or part.cut is None:
                yield step
                continue
            if not part.cut.is_exact and not self._counts(part.cut, step.ended):
                known = self._known(part.cut)
                self.left = part._replace(segment=part.segment._replace(end=None), last=True, cut=known)
                return
            step = step._replace(tally=self._merged(step.tally, part))
            if part.last:
                self._begin()
            yield step

    def _known(self, cut: PartStart) -> PartStart:
        """Return all that stood before a part."""
        known = replace(cut, made=self._made, is_exact=True, end=PartEnd())
        return replace(known, number=self._number, position=self._size) if cut.is_gzip else known

    def _counts(self, cut: PartStart, end: PartEnd | None) -> bool:
        if end is None or not end.is_sure:
            return False
        if self._made + end.made > self._limits.total_allowance + self._limits.ratio * cut.start:
            return False  # it may be more than was left of the limit
        self._made += end.made
        self._number += end.number
        self._size += end.size
        return True

    def _merged(self, tally: Tally | None, part: Part) -> Tally | None:
        """Add the counts of a part; return those of the file with its last part."""
        whole = self._tally
        if tally is not None:
            assert part.cut is not None
            for message in self._kept(tally.messages, is_line=part.cut.kind in _LINES):
                whole.messages.append(message)
            tally.messages.clear()
            whole.take(tally)
            if self._stray:
                whole.broken[_STRAY] = 1
        if not part.last:
            return None
        whole.messages += self._stray
        return whole

    def _kept(self, messages: Sequence[str], *, is_line: bool) -> Iterator[str]:
        """Yield the messages that one reader of the whole file would have kept."""
        is_kept = True
        for message in messages:
            if isinstance(message, FaultMessage):
                fault = message.kind, message.reason
                if is_line and fault == _STRAY:
                    self._stray = [message]
                    is_kept = False
                    continue
                self._messages[fault] += 1
                is_kept = self._messages[fault] <= self._most
            if is_kept:  # what follows a message belongs to it
                yield message
