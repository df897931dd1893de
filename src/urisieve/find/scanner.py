"""The scanner: text in pieces goes in, records and rejections come out, the same however the text is cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from itertools import repeat
from operator import sub
from types import NoneType
from typing import Any, Final

from urisieve.codes import Warn
from urisieve.errors import UsageError
from urisieve.find.finder import Finder, Found
from urisieve.find.line_index import LineIndex
from urisieve.find.search import WRAPPER_OF, Links, Search
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged
from urisieve.options import DEFAULT_OPTIONS, NestedFinding, Options, Positions
from urisieve.records.base import set_fields
from urisieve.records.location import Location
from urisieve.records.record import Record, make_record
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.rules.table import rules_of

__all__ = ["OffsetScanner", "Scanner", "UriScanner", "checked", "key_of"]

# Identifiers in identifiers in identifiers: how deep they are followed.
_NESTING: Final = 4
_new: Final = object.__new__


def checked(options: Options | None) -> Options:
    """The options given, those of `Options()` for None.

    Raises:
        UsageError: it is something else.
    """
    if not isinstance(options, (Options, NoneType)):
        raise UsageError(f"options={options!r} must be Options, as in Scanner(Options(level='syntax'))")
    return DEFAULT_OPTIONS if options is None else options


class Scanner(Search["Record | Rejection"]):
    """The push interface to the sieve.

    Args:
        options: what to find and how far to normalize; the defaults of `Options` if None.
        source: the name that every record carries.
        place: where the text stands in what it was taken from.
        finder: that of a scanner with the same options; what it remembers is shared.

    Raises:
        UsageError: what is given for options is no `Options`.

    `feed` takes the next piece of the text and gives what it decides, in the order of the text; `close` gives the
    rest. Memory is bounded by `Options.max_length`, whatever is fed, and the time is linear.
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        source: str | None = None,
        place: Location | None = None,
        finder: Finder | None = None,
    ) -> None:
        super().__init__(checked(options), finder)
        self._rules = rules_of(self._options.rules)
        self._source = source
        self._place = place
        self._line = 1  # of the first character of the text that is kept
        self._newline = -1  # the line break before that line, from the first character
        self._lines: LineIndex | None = None
        self._counts_lines = self._options.positions == Positions.LINES
        self._searched = ""
        self._records: list[Record] = []

    def enter(self, context: str, offset: int, lines: int) -> None:
        """See `Search.enter`."""
        super().enter(context, offset, lines)
        self._line = lines + 1 - context.count("\n")

    def _begin(self, links: Links) -> None:
        """Make a record of every link, by loops in compiled code; what is not proved is left out later."""
        text, base, starts, ends = links.text, self._base, links.starts, links.ends
        self._searched = text
        self._lines = lines = LineIndex(text, ends, self._line, self._newline) if self._counts_lines else None
        if not starts:
            return
        numbers: Iterable[int] = repeat(0)
        columns: Iterable[int] = repeat(0)
        if lines is not None:
            numbers = lines.numbers
            columns = map(sub, starts, lines.newlines)
        if base:
            starts = [start + base for start in starts]
            ends = [end + base for end in ends]
        uris = links.uris()
        wrappers = links.wrappers() or repeat(None)
        rows = zip(
            *(links.raws, uris, uris, starts, ends, numbers, columns, repeat(self._source), wrappers),
            *(repeat(()), repeat(()), repeat(None), repeat(None), repeat(self._place)),
            strict=False,
        )
        self._records = list(map(_new, repeat(Record, len(ends))))
        deque(map(set_fields, self._records, rows), maxlen=0)

    def _take_links(self, first: int, last: int, found: list[Record | Rejection]) -> None:
        found += self._records[first:last]

    def _take_certain(self, number: int, judged: Judged | Fault, found: list[Record | Rejection]) -> None:
        record = self._records[number]
        raw, _, _, start, end, line, column, source, *_ = record._fields
        if isinstance(judged, Fault):
            found.append(make_rejection((raw, *judged, start, end, line, column, source, None, None, self._place)))
            return
        uri, key, parts, warnings = judged
        wrapper = WRAPPER_OF.get(self._searched[start - self._base - 1])
        fields = (raw, uri, key, start, end, line, column, source, wrapper, warnings, (), None, None, self._place)
        found.append(make_record(fields, parts))

    def _take_found(self, outcome: Found, found: list[Record | Rejection]) -> None:
        start, end, wrapper, warnings, alternatives, judged, _ = outcome
        line, newline = (0, start) if self._lines is None else self._lines.at(start)
        base = self._base
        raw = self._searched[start:end]
        place = (base + start, base + end, line, start - newline, self._source)
        if isinstance(judged, Fault):
            found.append(make_rejection((raw, *judged, *place, None, None, self._place)))
            return
        uri, key, parts, more = judged
        if warnings:
            more = warnings + more
        fields = (raw, uri, key, *place, wrapper, more, alternatives, None, None, self._place)
        record = make_record(fields, parts, self._rules)
        found.append(record)
        if self._options.nested == NestedFinding.REPORT:
            found += _nested(record, self._options, _NESTING)

    def _leave(self, drop: int) -> None:
        if self._lines is not None:
            self._line, newline = self._lines.at(drop)
            self._newline = newline - drop
        self._records = []


def _nested(outer: Record, options: Options, depth: int) -> list[Record | Rejection]:
    """The identifiers inside an identifier, in the order of the text."""
    inside = outer.raw.find(":") + 1
    if depth == 0 or ":" not in outer.raw[inside:]:
        return []
    scanner = Scanner(replace(options, nested=NestedFinding.SKIP), source=outer.source, place=outer._fields[-1])
    found: list[Record | Rejection] = []
    for inner in scanner.feed(outer.raw[inside:]) + scanner.close():
        if isinstance(inner, Record):
            record = _moved(inner, outer, inside)
            found.append(record)
            found += _nested(record, options, depth - 1)
    return found


def _moved(inner: Record, outer: Record, inside: int) -> Record:
    fields: list[Any] = list(inner._fields)
    fields[3] += outer.start + inside
    fields[4] += outer.start + inside
    if outer.line:
        fields[5] += outer.line - 1
        if inner.line == 1:
            fields[6] += outer.column + inside - 1
    fields[9] = (Warn.NESTED, *inner.warnings)
    return inner.with_fields(tuple(fields), inner.components)


class UriScanner(Search["str | Judged | Fault"]):
    """A scanner for those who need no places: it gives what is found, not where.

    An identifier whose canonical form is its key and that has no warning comes as that form, any other one as its
    judgement, a rejected candidate as its fault. Identifiers inside others are not reported.
    """

    def __init__(self, options: Options | None = None, *, finder: Finder | None = None) -> None:
        super().__init__(checked(options), finder)
        self._uris: list[str] = []

    def _begin(self, links: Links) -> None:
        self._uris = links.uris()

    def _take_links(self, first: int, last: int, found: list[str | Judged | Fault]) -> None:
        found += self._uris[first:last]

    def _take_found(self, outcome: Found, found: list[str | Judged | Fault]) -> None:
        judged = outcome.judged
        if outcome.warnings and isinstance(judged, Judged):
            judged = judged._replace(warnings=outcome.warnings + judged.warnings)
        self._take(judged, found)

    def _take_certain(self, number: int, judged: Judged | Fault, found: list[str | Judged | Fault]) -> None:
        self._take(judged, found)

    @staticmethod
    def _take(judged: Judged | Fault, found: list[str | Judged | Fault]) -> None:
        if isinstance(judged, Judged) and judged.key == judged.uri and not judged.warnings:
            found.append(judged.uri)
        else:
            found.append(judged)

    def _leave(self, drop: int) -> None:
        pass


class OffsetScanner(UriScanner):
    """A `UriScanner` that also tells where: raw texts and offsets of all that it has given, until they are taken."""

    def __init__(self, options: Options | None = None, *, finder: Finder | None = None) -> None:
        super().__init__(options, finder=finder)
        self._searched = ""
        self._link_raws: list[str] = []
        self._link_starts: list[int] = []
        self._raws: list[str] = []
        self._starts: list[int] = []

    def taken(self) -> tuple[list[str], list[int]]:
        """The raw texts and offsets, one for each value that `feed` and `close` have given since the last time."""
        taken = self._raws, self._starts
        self._raws, self._starts = [], []
        return taken

    def _begin(self, links: Links) -> None:
        super()._begin(links)
        base = self._base
        self._searched = links.text
        self._link_raws = links.raws
        self._link_starts = [base + start for start in links.starts] if base else links.starts

    def _take_links(self, first: int, last: int, found: list[str | Judged | Fault]) -> None:
        super()._take_links(first, last, found)
        self._raws += self._link_raws[first:last]
        self._starts += self._link_starts[first:last]

    def _take_found(self, outcome: Found, found: list[str | Judged | Fault]) -> None:
        super()._take_found(outcome, found)
        self._raws.append(self._searched[outcome.start : outcome.end])
        self._starts.append(self._base + outcome.start)

    def _take_certain(self, number: int, judged: Judged | Fault, found: list[str | Judged | Fault]) -> None:
        super()._take_certain(number, judged, found)
        self._raws.append(self._link_raws[number])
        self._starts.append(self._link_starts[number])


def key_of(form: str | Judged) -> str:
    """The key of what `UriScanner` gives for an identifier."""
    return form if isinstance(form, str) else form.key
