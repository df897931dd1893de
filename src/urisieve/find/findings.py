"""The findings of a search in one part of text, in the order of the text, and the batch made of them.

The module also defines:

- line numbers and columns of offsets in a text that comes in pieces (a line ends after U+000A).
"""

from __future__ import annotations

from collections.abc import Mapping

from urisieve.find.ends.candidates import Found
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault
from urisieve.lean import Any, NamedTuple
from urisieve.records.base import Location, RecordFields, RejectionFields
from urisieve.records.batch import Batch
from urisieve.records.layouts import COLUMNS, Columns
from urisieve.records.record import NO_PARTS
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.rules.table import RuleTable
from urisieve.syntax.components import Components


class LineIndex:
    """The lines of one piece of text; offsets that rise are counted in linear time.

    Args:
        text: the piece.
        line: the number of the line that contains its first character.
        newline: the offset of the line break before that line, from the start of the piece: -1 or less.
    """

    __slots__ = ("_first", "_last", "_text")

    def __init__(self, text: str, line: int, newline: int) -> None:
        self._text = text
        self._first = self._last = (0, line, newline)

    def at(self, offset: int) -> tuple[int, int]:
        """Return the number of the line that contains an offset, and the offset of the last line break before it."""
        start, line, newline = self._last if self._last[0] <= offset else self._first
        breaks = self._text.count("\n", start, offset)
        if breaks:
            line, newline = line + breaks, self._text.rfind("\n", start, offset)
        self._last = (offset, line, newline)
        return line, newline


class Wanted(NamedTuple):
    """The columns to make, and the values that all rows of a text share."""

    columns: frozenset[str]
    source: str | None
    location: Location | None
    rules: RuleTable


class Findings:
    """The decisions of a search about one text.

    Args:
        text: the text.
        base: the offset of its first character in the stream.
    """

    __slots__ = ("_base", "_faults", "_found", "_text")

    def __init__(self, text: str, base: int) -> None:
        self._text = text
        self._base = base
        self._found: list[tuple[Found, Judged]] = []
        self._faults: list[tuple[int, Found, Fault]] = []  # with the number of identifiers before it

    def take(self, outcome: Found) -> None:
        """Add a decision of the finder."""
        judged = outcome.judged
        if isinstance(judged, Fault):
            self._faults.append((len(self._found), outcome, judged))
        else:
            self._found.append((outcome, judged))

    def batch(self, wanted: Wanted, lines: LineIndex | None) -> Batch | None:
        """Return the wanted columns as a batch, or None if nothing was found.

        Args:
            wanted: the columns, and what the rows share.
            lines: the lines of the text; None if they are not counted.
        """
        if not self._found and not self._faults:
            return None
        shared: dict[str, Any] = {"source": wanted.source, "location": wanted.location}
        shared |= {"byte_start": None, "byte_end": None}  # unless a caller knows a source map to bytes
        if lines is None:
            shared |= {"line": 0, "column": 0}
        if not any(found.warnings or judged.warnings for found, judged in self._found):
            shared["warnings"] = ()
        rows = [self._row(found, judged, lines) for found, judged in self._found]
        values = zip(*rows, strict=True) if rows else [()] * len(COLUMNS)
        held = wanted.columns.difference(shared)
        columns = {name: list(column) for name, column in zip(COLUMNS, values, strict=True) if name in held}
        rejections = [self._rejection(found, fault, wanted, lines) for _, found, fault in self._faults]
        constants = {name: value for name, value in shared.items() if name in wanted.columns}
        return Batch(
            Columns(len(rows), columns, constants),
            rejections=rejections,
            before=[before for before, _, _ in self._faults],
            rules=wanted.rules,
            parts=self._parts(),
        )

    def _row(self, found: Found, judged: Judged, lines: LineIndex | None) -> RecordFields:
        line, newline = (0, found.start) if lines is None else lines.at(found.start)
        return RecordFields(
            raw=self._text[found.start : found.end],
            uri=judged.uri,
            key=judged.key,
            start=self._base + found.start,
            end=self._base + found.end,
            line=line,
            column=found.start - newline,
            wrapper=found.wrapper,
            warnings=found.warnings + judged.warnings,
            alternatives=found.alternatives,
        )

    def _parts(self) -> Mapping[int, Components]:
        """Return the components that do not follow from the URI: by RFC 2141 `?` and `#` belong to the NSS."""
        known = ((index, judged.parts_apart) for index, (_, judged) in enumerate(self._found))
        return {index: parts for index, parts in known if parts is not None} or NO_PARTS

    def _rejection(self, found: Found, fault: Fault, wanted: Wanted, lines: LineIndex | None) -> Rejection:
        line, newline = (0, found.start) if lines is None else lines.at(found.start)
        place = (self._base + found.start, self._base + found.end, line, found.start - newline)
        raw = self._text[found.start : found.end]
        return make_rejection(RejectionFields(raw, *fault, *place, wanted.source, location=wanted.location))
