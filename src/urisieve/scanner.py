"""The scanner: text in pieces goes in, records and rejections come out, the same however the text is cut.

It does no input or output. Text is searched once for pivots (`urisieve.pivot`); a link that the search itself proves
canonical becomes a record at once, any other candidate goes to the `Finder`. A candidate that touches the end of what
was fed is undecided: it is kept, with a little context before it, until the text that decides it has come, or until
it is longer than the limit.
"""

from __future__ import annotations

import re
from dataclasses import replace
from types import NoneType
from typing import Any, Final

from urisieve import grammar
from urisieve.assumed import LOCAL_CHARACTERS, LOCAL_LIMIT, name_start
from urisieve.codes import Warn
from urisieve.defanged import defanged_tail
from urisieve.delimiters import SPACES, WRAPPERS
from urisieve.errors import UsageError
from urisieve.extent import Syntax
from urisieve.faults import Fault
from urisieve.finder import EMPHASIS, Finder, Found, Undecided, url_prefix
from urisieve.options import DEFAULT_OPTIONS, EmailFinding, NestedFinding, Options, Refang, SchemelessFinding
from urisieve.pivot import SCHEME_CHARACTERS, pivots
from urisieve.record import Record, Rejection, make_record, make_rejection, set_fields

__all__ = ["Scanner"]

# What is kept before an undecided place: a wrapper, "URL:" and the white space after it, an emphasis mark.
_CONTEXT: Final = 128
# A run of scheme characters longer than this at the end of a piece is looked at again only when it has ended.
_LONG_RUN: Final = 1_024
# Identifiers in identifiers in identifiers: how deep they are followed.
_NESTING: Final = 4

_NOT_SCHEME: Final = re.compile(f"[^{grammar.pattern('schemechar')}]")
# By the group of the pivot pattern that proved a link.
_BARE: Final = 1
_QUICK_WRAPPERS: Final = (None, None, '""', "<>", "()", "''")
_new: Final = object.__new__
_BEFORE_BLANK: Final = ":" + SPACES


def _in_wrapper(text: str, start: int) -> bool:
    """Whether `URL:` stands before a scheme, and before that a wrapper or an emphasis opens."""
    outside = url_prefix(text, start)
    return outside != start and (outside == 0 or text[outside - 1] in WRAPPERS or text[outside - 1] in EMPHASIS)


class Scanner:
    """The push interface to the sieve.

    Args:
        options: what to find and how far to normalize; the defaults of `Options` if None.
        source: the name that every record carries.

    Raises:
        UsageError: what is given for options is no `Options`.

    `feed` takes the next piece of the text and gives what it decides, in the order of the text; `close` gives the
    rest. Memory is bounded by `Options.max_length`, whatever is fed, and the time is linear.
    """

    def __init__(self, options: Options | None = None, *, source: str | None = None) -> None:
        if not isinstance(options, (Options, NoneType)):
            raise UsageError(f"options={options!r} must be Options, as in Scanner(Options(level='syntax'))")
        self._options = DEFAULT_OPTIONS if options is None else options
        self._source = source
        self._finder = Finder(self._options)
        self._pivots = pivots(self._options)
        self._limit = self._options.max_length
        self._text = ""  # context and undecided text
        self._base = 0  # offset of its first character in the stream
        self._position = 0  # where the search goes on, in `_text`
        self._floor = 0  # end of the last candidate, in `_text`: no scheme begins before it
        self._line = 1
        self._line_start = 0  # offset in the stream of the first character of the line
        self._counted = 0  # offset in the stream up to which line breaks are counted
        self._pieces: list[str] = []  # fed, but without a character that can decide
        self._pieces_length = 0
        self._awaited: re.Pattern[str] | None = None
        self._passing: Syntax | None = None  # the rest of a candidate that was too long is passed over
        self._closed = False

    def feed(self, text: str) -> list[Record | Rejection]:
        """Take the next piece of text; give the records and rejections that are decided by now.

        Raises:
            UsageError: the scanner is closed, or what is fed is no string.
        """
        if not isinstance(text, str):
            raise UsageError(f"feed() takes str, not {type(text).__name__}: decode it first")
        if self._closed:
            raise UsageError("feed() after close(): make a new Scanner for another text")
        if self._awaited is not None and self._awaited.search(text) is None:
            self._pieces.append(text)
            self._pieces_length += len(text)
            if len(self._text) + self._pieces_length <= self._limit + 2 * _CONTEXT:
                return []
            text = ""
        return self._take(text, final=False)

    def close(self) -> list[Record | Rejection]:
        """End the text; give what was still undecided. A second call gives nothing."""
        if self._closed:
            return []
        self._closed = True
        return self._take("", final=True)

    def _take(self, text: str, *, final: bool) -> list[Record | Rejection]:
        text = "".join((self._text, *self._pieces, text)) if self._pieces else self._text + text
        self._pieces.clear()
        self._pieces_length = 0
        found: list[Record | Rejection] = []
        undecided = self._scan(text, found, final)
        self._keep(text, undecided, final)
        return found

    def _keep(self, text: str, undecided: Undecided | None, final: bool) -> None:
        """Keep what is undecided and its context; forget the rest."""
        self._awaited = None
        if final or self._passing is not None:
            start = position = len(text)
        elif undecided is not None:
            position, start, self._awaited = undecided
        else:
            start = position = self._tail(text)
            if len(text) - start > _LONG_RUN:
                self._awaited = _NOT_SCHEME
        drop = max(0, start - _CONTEXT)
        self._count(text, drop)
        self._text = text[drop:]
        self._base += drop
        self._position = position - drop
        self._floor = max(0, self._floor - drop)

    def _tail(self, text: str) -> int:
        """Where a candidate begins whose pivot the end of the text may cut, as in `htt`, `http:` or `http:/`."""
        colon = len(text)
        if text.endswith(":/"):
            colon -= 2
        elif text.endswith(":"):
            colon -= 1
        first = max(self._position, self._floor, colon - self._limit)
        start = first + len(text[first:colon].rstrip(SCHEME_CHARACTERS))
        if self._options.email != EmailFinding.OFF:
            first = max(self._position, self._floor, len(text) - LOCAL_LIMIT - 1)
            start = min(start, first + len(text[first:].rstrip(LOCAL_CHARACTERS + "@")))
        if self._options.schemeless == SchemelessFinding.NAMES:
            start = min(start, name_start(text, len(text), max(self._position, self._floor)))
        if self._options.refang != Refang.OFF:
            start = min(start, defanged_tail(text, max(self._position, self._floor)))
        return start

    def _count(self, text: str, place: int) -> None:
        """Count line breaks (U+000A) up to a place in the text."""
        counted = self._counted - self._base
        if place > counted:
            breaks = text.count("\n", counted, place)
            if breaks:
                self._line += breaks
                self._line_start = self._base + text.rfind("\n", counted, place) + 1
            self._counted = self._base + place

    def _scan(self, text: str, found: list[Record | Rejection], final: bool) -> Undecided | None:
        """Search the text from `_position` on; add what is decided to `found`, give what is not."""
        if self._passing is not None and not self._pass(text):
            return None
        match = self._quick_links(text, found)
        while match is not None:
            start, end = match.span()
            outcome = self._finder.find(text, start, self._floor, final)
            if outcome is None:
                # Only the colon is dealt with: what a link that was no quick one took in is searched again.
                self._position = start + 1 if match.lastindex is not None else end
            elif isinstance(outcome, Undecided):
                return outcome
            else:
                self._emit(text, outcome, found)
                self._floor = self._position = outcome.end
                if outcome.passing is not None:
                    self._passing = outcome.passing
                    if not self._pass(text):
                        return None
            match = self._quick_links(text, found)
        return None

    def _quick_links(self, text: str, found: list[Record | Rejection]) -> re.Match[str] | None:
        """Record the links that the search proves canonical, up to the first pivot that only the finder can tell.

        Nine links of ten are such in most texts, so this loop decides the speed of the whole: it works on local names
        and calls nothing of ours.
        """
        base, source, limit = self._base, self._source, self._limit
        position, line, line_start, counted = self._position, self._line, self._line_start - base, self._counted - base
        count, append = text.count, found.append
        for match in self._pivots.finditer(text, position):
            kind = match.lastindex
            if kind is None:
                break
            start, end = match.span()
            start -= 5 if text[start - 1] == "s" else 4
            raw = text[start:end]
            if (
                "/." in raw
                or end - start > limit
                or (kind == _BARE and text[start - 2] in _BEFORE_BLANK and _in_wrapper(text, start))
            ):
                break
            breaks = count("\n", counted, start)
            if breaks:
                line += breaks
                line_start = text.rfind("\n", counted, start) + 1
            counted = start
            uri = raw if "/" in raw[8:] else raw + "/"
            record = _new(Record)
            set_fields(
                record,
                (
                    raw,
                    uri,
                    uri,
                    base + start,
                    base + end,
                    line,
                    start - line_start + 1,
                    source,
                    _QUICK_WRAPPERS[kind],
                    (),
                    (),
                    None,
                    None,
                ),
            )
            append(record)
            position = end
        else:
            match = None
        if position != self._position:
            self._floor = self._position = position
            self._line, self._line_start, self._counted = line, line_start + base, counted + base
        return match

    def _pass(self, text: str) -> bool:
        """Pass over the rest of a candidate that was too long; False where it goes on beyond this text."""
        end = self._passing.beyond.search(text, self._position) if self._passing is not None else None
        if end is None:
            return False
        self._passing = None
        self._floor = self._position = end.start()
        return True

    def _emit(self, text: str, outcome: Found, found: list[Record | Rejection]) -> None:
        start, end, wrapper, warnings, alternatives, judged, _ = outcome
        self._count(text, start)
        at = self._base + start
        place = (at, self._base + end, self._line, at - self._line_start + 1, self._source)
        raw = text[start:end]
        if isinstance(judged, Fault):
            found.append(make_rejection((raw, *judged, *place, None, None)))
            return
        fields = (raw, judged.uri, judged.key, *place, wrapper, warnings + judged.warnings, alternatives, None, None)
        record = make_record(fields, judged.parts)
        found.append(record)
        if self._options.nested == NestedFinding.REPORT:
            found += _nested(record, self._options, _NESTING)


def _nested(outer: Record, options: Options, depth: int) -> list[Record | Rejection]:
    """The identifiers inside an identifier, in the order of the text."""
    inside = outer.raw.find(":") + 1
    if depth == 0 or ":" not in outer.raw[inside:]:
        return []
    scanner = Scanner(replace(options, nested=NestedFinding.SKIP), source=outer.source)
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
    fields[5] += outer.line - 1
    if inner.line == 1:
        fields[6] += outer.column + inside - 1
    fields[9] = (Warn.NESTED, *inner.warnings)
    return make_record(tuple(fields), inner.components)
