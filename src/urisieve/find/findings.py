"""The findings of a search in one stretch of text, and the columns made of them.

The links that the pattern proves come as columns from `re` itself, everything else one by one from the finder. One
list of indices orders both, column by column, in loops of compiled code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, repeat
from operator import add, sub

from urisieve.find.finder.candidates import Found
from urisieve.find.finder.wanted_schemes import BEFORE_LETTERS
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged
from urisieve.lean.hints import TYPE_CHECKING, Any, Final
from urisieve.lean.values import NamedTuple
from urisieve.records.batch import COLUMNS, Batch
from urisieve.records.fields import RejectionFields
from urisieve.records.location import Location
from urisieve.records.record import NO_PARTS
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.rules.table import RuleTable
from urisieve.syntax.components import Components

if TYPE_CHECKING:
    import re

    from urisieve.find.line_index import LineIndex

__all__ = ["WRAPPER_OF", "Findings", "Links", "Wanted"]

# The opener before a link whose extent is certain, and its wrapper.
WRAPPER_OF: Final = {'"': '""', "<": "<>", "(": "()", "'": "''"}
_UNPROVED: Final = (None, None)
# What may stand in an escape sequence before a letter: a plus is left out of a scheme that follows one of the others.
_BEFORE_ESCAPED: Final = BEFORE_LETTERS | {"+"}


# The columns of those who need no more than canonical forms and keys, and their constants without and with warnings.
_FORMS: Final = frozenset(("uri", "key", "warnings"))
_NO_WARNINGS: Final[dict[str, Any]] = {"warnings": ()}
_NOTHING: Final[dict[str, Any]] = {}


class Wanted(NamedTuple):
    """The columns to make, and the values that all rows of a text share."""

    columns: frozenset[str]
    source: str | None
    location: Location | None
    rules: RuleTable


class Links:
    """The pivots of one text as columns: those of the split, and those derived from it for the links that it proves.

    Attributes:
        text: the text.
        matches: the text of each match, one for each pivot.
        ends: the offset after each match.
        unproved: the indices of the pivots that the finder has to examine.
        has_escapes: whether the text holds escape sequences of a terminal.
        raws: the text of each link with its scheme (arbitrary if it is not proved); empty if no link is proved.
        starts: the offset of each link.
    """

    __slots__ = ("_wrapped", "ends", "has_escapes", "matches", "raws", "starts", "text", "unproved")

    def __init__(self, text: str, pattern: re.Pattern[str] | None) -> None:
        parts: list[str] = [text] if pattern is None else pattern.split(text)
        between = parts[::4]
        bare: list[str | None] = parts[2::4]  # type: ignore[assignment] # a group that took no part is None
        self._wrapped: list[str | None] = parts[3::4]  # type: ignore[assignment]
        self.text = text
        self.matches = matches = parts[1::4]
        self.ends = list(accumulate(map(add, map(len, between), map(len, matches))))
        self.unproved: list[int] = []
        if None in bare:
            marks = enumerate(zip(bare, self._wrapped, strict=True))
            self.unproved = [number for number, mark in marks if mark == _UNPROVED]
        self.raws: list[str] = []
        self.starts: list[int] = []
        if len(self.unproved) < len(matches):
            pairs = zip(between, matches, strict=False)
            self.raws = [("https" if before[-1:] == "s" else "http") + match for before, match in pairs]
            self.starts = list(map(sub, self.ends, map(len, self.raws)))
        self.has_escapes = "\x1b" in text or "\x9b" in text
        if self.has_escapes and self.starts:
            unproved = frozenset(self.unproved)
            numbers = range(len(matches))
            self.unproved = [
                number for number in numbers if number in unproved or self.is_doubtful(self.starts[number])
            ]

    def is_doubtful(self, start: int) -> bool:
        """Report whether the first letters of a scheme may belong to an escape sequence of a terminal before it."""
        return self.has_escapes and self.text[start - 1 : start] in _BEFORE_ESCAPED

    def uris(self) -> list[str]:
        """Return the canonical form of each link."""
        return [raw if raw.find("/", 8) > 0 else f"{raw}/" for raw in self.raws]

    def wrappers(self) -> list[str | None] | None:
        """Return the wrapper of each link; None if no link has one."""
        if self._wrapped.count(None) == len(self._wrapped):
            return None
        text = self.text
        return [
            None if mark is None else WRAPPER_OF[text[start - 1]]
            for mark, start in zip(self._wrapped, self.starts, strict=True)
        ]


class Findings:
    """The decisions of a search about one text, in the order of the text.

    Args:
        links: its pivots.
        base: the offset of its first character in the stream.
    """

    __slots__ = ("_base", "_faults", "_found", "_order", "links")

    def __init__(self, links: Links, base: int) -> None:
        self.links = links
        self._base = base
        # The index of each identifier: among the links, or after them among those found one by one.
        self._order: list[int] = []
        self._found: list[tuple[Found, Judged]] = []
        self._faults: list[tuple[int, Found, Fault]] = []  # with the number of identifiers before it

    def take_links(self, first: int, last: int) -> None:
        """Add the links from index `first` up to `last`, which the search has proved."""
        self._order.extend(range(first, last))

    def take_found(self, outcome: Found) -> None:
        """Add a decision of the finder."""
        judged = outcome.judged
        if judged.__class__ is Fault:
            self._faults.append((len(self._order), outcome, judged))
        else:
            self._order.append(len(self.links.starts) + len(self._found))
            self._found.append((outcome, judged))  # type: ignore[arg-type] # by its class

    def batch(self, wanted: Wanted, lines: LineIndex | None) -> Batch | None:
        """Return the wanted columns as a batch, or None if nothing was found."""
        order, found = self._order, self._found
        if not order and not self._faults:
            return None
        names = wanted.columns
        if len(names) == len(COLUMNS):
            return self._whole(wanted, lines)
        if names <= _FORMS and not self._faults:
            return self._forms(wanted)
        links = self.links
        base = self._base
        count = len(links.starts)
        # A pivot at which the finder found something is among the links, too, and not in the order.
        straight = len(order) == count + len(found)
        columns: dict[str, Sequence[Any]] = {}
        constants: dict[str, Any] = {}

        def put(name: str, of_links: Sequence[Any], of_found: list[Any]) -> None:
            both = [*of_links, *of_found] if of_found and count else of_found or of_links
            columns[name] = both if straight else list(map(both.__getitem__, order))

        def put_some(name: str, of_links: Sequence[Any] | None, of_found: list[Any], absent: Any) -> None:
            """Add a column of which most values are absent."""
            if of_links is None and not any(of_found):
                constants[name] = absent
            else:
                put(name, [absent] * count if of_links is None else of_links, of_found)

        uris = links.uris() if count else []
        found_uris = [judged.uri for _, judged in found]
        put("uri", uris, found_uris)
        if "key" in names:
            keys = [judged.key for _, judged in found]
            if keys == found_uris:
                columns["key"] = columns["uri"]
            else:
                put("key", uris, keys)
        text = links.text
        if "raw" in names:
            put("raw", links.raws, [text[one.start : one.end] for one, _ in found])
        if "start" in names:
            put("start", _moved(links.starts, base), [base + one.start for one, _ in found])
        if "end" in names:
            put("end", _moved(links.ends, base) if count else [], [base + one.end for one, _ in found])
        if lines is None:
            constants.update((name, 0) for name in ("line", "column") if name in names)
        else:
            at = [lines.at(one.start) for one, _ in found]
            put("line", lines.numbers if count else [], [line for line, _ in at])
            columns_of_links = list(map(sub, links.starts, lines.newlines)) if count else []
            pairs = zip(found, at, strict=True)
            put("column", columns_of_links, [one.start - newline for (one, _), (_, newline) in pairs])
        if "byte_start" in names or "byte_end" in names:  # not known, unless somebody knows a way back to bytes
            constants["byte_start"] = constants["byte_end"] = None
        if "source" in names:
            constants["source"] = wanted.source
        if "location" in names:
            constants["location"] = wanted.location
        if "wrapper" in names:
            put_some("wrapper", links.wrappers() if count else None, [one.wrapper for one, _ in found], None)
        if "warnings" in names:
            codes = [one.warnings + judged.warnings if one.warnings else judged.warnings for one, judged in found]
            put_some("warnings", None, codes, ())
        if "alternatives" in names:
            put_some("alternatives", None, [one.alternatives for one, _ in found], ())
        parts = self._parts() if found else NO_PARTS
        rejections, before = self._rejected(wanted, lines)
        return Batch(
            len(order), columns, constants, rejections=rejections, before=before, rules=wanted.rules, parts=parts
        )

    def _forms(self, wanted: Wanted) -> Batch:
        """Return canonical forms, keys and warnings alone: 2 % less time on mail, whose many texts hold few of them."""
        order, found, links = self._order, self._found, self.links
        count = len(links.starts)
        uris = links.uris() if count else []
        keys = uris
        constants: dict[str, Any] = _NO_WARNINGS
        columns: dict[str, Sequence[Any]] = {}
        if found:
            apart = warned = False
            for one, (uri, key, _, codes) in found:
                apart = apart or key != uri
                warned = warned or codes != () or one.warnings != ()
            keys = [*uris, *[judged.key for _, judged in found]] if apart else uris
            uris = [*uris, *[judged.uri for _, judged in found]]
            if not apart:
                keys = uris
            if warned:
                constants = _NOTHING
                codes_of_found = [one.warnings + judged.warnings for one, judged in found]
                columns["warnings"] = [*[()] * count, *codes_of_found]
        columns["uri"] = uris
        columns["key"] = keys
        if len(order) < count + len(found):
            for name, values in columns.items():
                if name != "key" or keys is not uris:
                    columns[name] = list(map(values.__getitem__, order))
            if keys is uris:
                columns["key"] = columns["uri"]
        if len(wanted.columns) < len(_FORMS):
            columns = {name: values for name, values in columns.items() if name in wanted.columns}
            constants = constants if "warnings" in wanted.columns else _NOTHING
        parts = self._parts() if found else NO_PARTS
        return Batch(len(order), columns, constants, rules=wanted.rules, parts=parts)

    def _whole(self, wanted: Wanted, lines: LineIndex | None) -> Batch:
        """Return all columns, as rows: each is made once, and only the rows are put in order."""
        order, found, links, base = self._order, self._found, self.links, self._base
        source, location = wanted.source, wanted.location
        count = len(links.starts)
        rows: list[tuple[Any, ...]] = []
        constants: dict[str, Any] = {"source": source, "location": location}
        wrappers = None
        if count:
            numbers: Iterable[int] = repeat(0) if lines is None else lines.numbers
            columns: Iterable[int] = repeat(0) if lines is None else map(sub, links.starts, lines.newlines)
            uris = links.uris()
            wrappers = links.wrappers()
            rows = list(
                zip(
                    *(links.raws, uris, uris, _moved(links.starts, base), _moved(links.ends, base)),
                    *(numbers, columns, repeat(source), repeat(None) if wrappers is None else wrappers),
                    *(repeat(()), repeat(()), repeat(None), repeat(None), repeat(location)),
                    strict=False,
                )
            )
        text = links.text
        warned = False
        line, newline = 0, 0
        for (start, end, wrapper, warnings, alternatives, _, _), (uri, key, _, codes) in found:
            if lines is not None:
                line, newline = lines.at(start)
            if warnings:
                codes = warnings + codes
            warned = warned or codes != ()
            rows.append(
                (
                    *(text[start:end], uri, key, base + start, base + end, line, start - newline if line else 0),
                    *(source, wrapper, codes, alternatives, None, None, location),
                )
            )
        if len(order) < len(rows):
            rows = list(map(rows.__getitem__, order))
        if not warned:
            constants["warnings"] = ()
        parts = self._parts() if found else NO_PARTS
        rejections, before = self._rejected(wanted, lines)
        return Batch(
            len(order), {}, constants, rejections=rejections, before=before, rules=wanted.rules, parts=parts, rows=rows
        )

    def _parts(self) -> Mapping[int, Components]:
        """Return the components that do not follow from the URI: by RFC 2141 `?` and `#` belong to the NSS."""
        apart = {
            number: judged.parts
            for number, (_, judged) in enumerate(self._found, len(self.links.starts))
            if judged.parts is not None
            and judged.uri[:4].lower() == "urn:"
            and ("?" in judged.uri or "#" in judged.uri)
        }
        if not apart:
            return NO_PARTS
        return {index: apart[number] for index, number in enumerate(self._order) if number in apart}

    def _rejected(self, wanted: Wanted, lines: LineIndex | None) -> tuple[list[Rejection], list[int]]:
        """Return the rejections, and for each the number of identifiers before it."""
        rejections = [self._rejection(outcome, fault, wanted, lines) for _, outcome, fault in self._faults]
        return rejections, [number for number, _, _ in self._faults]

    def _rejection(self, outcome: Found, fault: Fault, wanted: Wanted, lines: LineIndex | None) -> Rejection:
        start, end = outcome.start, outcome.end
        line, newline = (0, start) if lines is None else lines.at(start)
        base = self._base
        raw = self.links.text[start:end]
        row = RejectionFields(
            raw, *fault, base + start, base + end, line, start - newline, wanted.source, location=wanted.location
        )
        return make_rejection(row)


def _moved(offsets: list[int], base: int) -> list[int]:
    return [offset + base for offset in offsets] if base else offsets
