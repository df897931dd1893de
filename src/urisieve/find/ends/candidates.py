"""The outcome of looking at one pivot: a candidate, or the request for more text.

The module also defines:

- a candidate of which the beginning is known: its scheme, and what is before it (RFC 3986 Appendix C);
- the memory of judgements: mailing lists and logs repeat nine links of ten;
- a text as it is meant, around a candidate, with its source map. What means something else (the escapes of a string) or
  nothing (the sequences of a terminal) is replaced; in the plain text that results, a candidate is examined as in any
  other. What is replaced is a rule: a function that makes the plain text of a part of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable

from urisieve.codes import Component, Reason, Warn
from urisieve.find.ends.extent import Syntax, syntax_of
from urisieve.find.pivots import SCHEME_CHARACTERS, URL_BLANK
from urisieve.finding_options import Options
from urisieve.judge.judge import Judged, judge
from urisieve.judge.validate import Fault, fault
from urisieve.lean import Final, NamedTuple, TypeAlias, lazy_compile
from urisieve.rules.table import RuleTable
from urisieve.syntax.characters import WRAPPERS
from urisieve.syntax.components import SPACES


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


# An undecided run longer than this is not examined again before a character that can decide it has come.
LONG_RUN: Final = 1_024
# The scheme that names of hosts without one have.
WEB: Final = "http://"
# The scheme that addresses without one have.
MAIL: Final = "mailto:"


# How far after the end of a candidate another reading of it may go.
LATER: Final = 1_024


def undecided(text: str, pivot: int, start: int, awaited: re.Pattern[str] | None) -> Undecided:
    """Return the request for more text; in a long run, for a character of a class that can decide."""
    return Undecided(pivot, start, awaited if len(text) - start > LONG_RUN else None)


def _url_prefix(text: str, start: int) -> int:
    """Return where a `URL:` before a scheme begins (Appendix C), or the start of the scheme if there is none."""
    before = text[max(0, start - URL_BLANK - 4) : start]
    bare = before.rstrip(SPACES)
    if bare[-4:].lower() != "url:" or (bare[-5:-4] in SCHEME_CHARACTERS and len(bare) > 4):
        return start
    return start - (len(before) - len(bare)) - 4


def wrapper_around(text: str, start: int, end: int) -> str | None:
    """Return the opener and closer right around a candidate, or None."""
    opener = text[start - 1] if start else ""
    return opener + text[end] if end < len(text) and text[end] in WRAPPERS.get(opener, "") else None


class Begun:
    """A candidate of which the beginning is known.

    Attributes:
        outside: where it begins, or the `URL:` before it.
        opener: the character before that, or "".
        after: the offset after the colon of its scheme, or `body` if the scheme is assumed.
        host: where its authority begins, or -1 if it has none.

    Args:
        text: the text around it.
        pivot: the offset at which it was found: the colon of its scheme, as a rule.
        start: where it begins.
        body: the offset after its scheme, and after "//", where something must follow.
        syntax: the classes of characters that it may contain.
        shape: what must follow its colon, if it has no "//".
        final: whether the text is complete.
        assumed: the scheme that is not in the text, or "".
    """

    def __init__(
        self,
        text: str,
        pivot: int,
        start: int,
        body: int,
        syntax: Syntax,
        shape: re.Pattern[str] | None,
        final: bool,
        assumed: str = "",
    ) -> None:
        self.text = text
        self.pivot = pivot
        self.start = self.outside = start
        self.body = body
        self.syntax = syntax
        self.shape = shape
        self.final = final
        self.assumed = assumed
        self.after = body if assumed else pivot + 1
        if assumed:
            self.host = start if assumed == WEB else -1
        else:
            self.host = body if body > pivot + 1 else -1
        self.opener = text[start - 1] if start else ""
        if self.opener == ":" or self.opener in SPACES:
            self.outside = _url_prefix(text, start)
            self.opener = text[self.outside - 1] if self.outside else ""

    def undecided(self, awaited: re.Pattern[str] | None) -> Undecided:
        """Return the request for more text; in a long run, for a character of a class that can decide."""
        return undecided(self.text, self.pivot, self.outside - 1, awaited)

    def has_dns_host(self, rules: RuleTable) -> bool:
        """Report whether the host of its scheme is a name of the DNS, which contains no sub-delimiters."""
        if self.assumed or self.host < 0:
            return self.assumed != ""
        return rules.scheme(self.text[self.start : self.pivot].lower()).dns

    def has_shape(self, end: int) -> bool:
        """Report whether the text up to an end is a candidate, by its length and its shape."""
        return end > self.body and (self.shape is None or self.shape.match(self.text, self.pivot + 1, end) is not None)


# Bounds on the candidates remembered, in number and in characters: on mailing lists and logs these save as much time
# as any larger number.
_MEMORY: Final = 16_384
_MEMORY_LENGTH: Final = 1_048_576
# The schemes that are assumed before names which may contain what a URI may not (`Options.bare`).
_NAMES: Final = frozenset(("doi:", "hdl:", "ark:/"))


class Judgements:
    """Judges candidates by one set of options, and remembers the judgements within bounds."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._memory: dict[str, Judged | Fault] = {}
        self._length = 0

    def judged(self, text: str, assumed: str = "") -> Judged | Fault:
        """Return the judgement of a candidate with an assumed scheme, or "", before it."""
        whole = assumed + text
        if assumed in _NAMES:
            from urisieve.judge.bare_names import encoded_name

            whole = assumed + encoded_name(text)
        judged = self._memory.get(whole)
        if judged is None:
            judged = judge(whole, self._options)
            self._length += len(whole)
            if len(self._memory) >= _MEMORY or self._length > _MEMORY_LENGTH:
                for old in list(self._memory)[: len(self._memory) // 2]:  # in the order in which they came
                    self._length -= len(old)
                    del self._memory[old]
            self._memory[whole] = judged
        if assumed and isinstance(judged, Fault):
            return judged._replace(offset=max(0, judged.offset - len(assumed)))
        return judged


# What is before a candidate and may belong to it: more than the context that a search keeps.
_BEFORE: Final = 256
# The text after the beginning of a candidate that is examined at first, and by how much it grows; most are shorter.
_WINDOW: Final = 256
_GROWTH: Final = 4
# A character that ends a candidate in most texts.
_END: Final = lazy_compile(r'[\x00-\x20"<>\x7f]')


class Meant(NamedTuple):
    """A piece of a text between two offsets, and what is meant by it; "" for nothing."""

    start: int
    end: int
    meant: str


class PlainText(NamedTuple):
    """A part of a text in which some of it is replaced by what is meant.

    Attributes:
        text: what results.
        first: where the part begins in the text as it is written.
        doubt: the offset in it of the first thing that the rule leaves, although a candidate may go on after it; -1 if
            there is none.
        starts: the offsets in it before each change.
        ends: the offsets in it after each change.
        originals: the same in the text as it is written.
    """

    text: str
    first: int
    doubt: int
    starts: list[int]
    ends: list[int]
    originals: list[int]

    def original(self, offset: int) -> int:
        """Return where the character at an offset is in the text as it is written."""
        number = bisect_right(self.ends, offset) - 1
        return self.originals[number] + offset - self.ends[number] if number >= 0 else self.first + offset

    def original_end(self, offset: int) -> int:
        """Return where what ends before an offset ends in the text as it is written: before what represents nothing."""
        number = bisect_left(self.starts, offset) - 1
        if number < 0:
            return self.first + offset
        return self.originals[number] + max(0, offset - self.ends[number])

    def is_changed(self, end: int) -> bool:
        """Report whether something was replaced before an offset."""
        return bool(self.starts) and self.starts[0] < end


def plain_text(text: str, first: int, stop: int, changes: Iterable[Meant], doubt: int = -1) -> PlainText:
    """Return a part of a text with some changes, in their order.

    Args:
        text: the text.
        first: where the part begins.
        stop: where it ends.
        changes: what is replaced in it.
        doubt: the offset in the text of what is left, although a candidate may go on after it; -1 for none.
    """
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    originals: list[int] = []
    size, at = 0, first
    for start, end, meant in changes:
        pieces += text[at:start], meant
        size += start - at
        starts.append(size)
        size += len(meant)
        at = end
        ends.append(size)
        originals.append(at)
    pieces.append(text[at:stop])
    number = bisect_right(originals, doubt) - 1  # the last change before it
    if doubt >= 0:
        doubt += ends[number] - originals[number] if number >= 0 else -first
    return PlainText("".join(pieces), first, doubt, starts, ends, originals)


# Makes the plain text of a part around a pivot, in which nothing changes before the pivot: from the text, where to
# begin, the pivot, where to end, and whether no more text follows there.
Rule = Callable[[str, int, int, int, bool], PlainText]
# Examines a pivot: of a text, with the end of the previous candidate, and whether the text is complete.
Find = Callable[[str, int, int, bool], Found | Undecided | None]


# The outcome of examining a pivot in a plain text, with offsets in that text, and the text.
Examined: TypeAlias = tuple[Found | Undecided | None, PlainText]


def grown(text: str, begin: int, limit: int, final: bool, examine: Callable[[int, bool], Examined]) -> Examined:
    """Examine a candidate in a plain text, of which more is made while the outcome is undecided.

    Args:
        text: the text as it is written.
        begin: the offset in it from which the plain text grows.
        limit: the offset after the longest candidate: one that goes on much later is too long.
        final: whether the text is complete.
        examine: makes the plain text up to an offset, and examines it, knowing whether no more text follows.
    """
    longest = limit + 2 * LATER
    window = _WINDOW
    while True:
        stop = min(len(text), begin + window, longest)
        found, plain = examine(stop, stop == longest or (final and stop == len(text)))
        if not isinstance(found, Undecided) or stop == len(text):
            return found, plain
        window *= _GROWTH


def as_written(found: Found, plain: PlainText, limit: int, passing: Syntax) -> Found:
    """Return a candidate of a plain text with its offsets in the text as it is written.

    Args:
        found: the candidate.
        plain: the plain text.
        limit: the length of the longest candidate.
        passing: the syntax by which the rest of a longer one is skipped.
    """
    start, end = plain.original(found.start), plain.original_end(found.end)
    if found.passing is not None or end - start > limit:
        too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, limit)
        return Found(start, start + limit, None, (), (), too_long, passing)
    judged = found.judged
    if isinstance(judged, Fault):
        judged = judged._replace(offset=plain.original(found.start + judged.offset) - start)
    return Found(start, end, found.wrapper, found.warnings, found.alternatives, judged)


class PlainCandidates:
    """Examines candidates in plain texts.

    Args:
        options: what to find.
        find: examines a pivot of a plain text.
    """

    def __init__(self, options: Options, find: Find) -> None:
        self._limit = options.max_length
        self._passing = syntax_of("", options)
        self._find = find

    def find(self, text: str, pivot: int, floor: int, final: bool, rule: Rule) -> Examined:
        """Examine a pivot in a plain text."""
        first = self.first(text, pivot)

        def examined(stop: int, is_whole: bool) -> Examined:
            plain = rule(text, first, pivot, stop, is_whole)
            return self._find(plain.text, pivot - first, max(0, floor - first), is_whole), plain

        return grown(text, pivot, pivot + self._limit, final, examined)

    def as_written(self, found: Found, plain: PlainText, warning: Warn) -> Found:
        """Return a candidate with its offsets in the text as it is, and a warning if it contains what was replaced."""
        written = as_written(found, plain, self._limit, self._passing)
        return written._replace(warnings=(*found.warnings, warning)) if plain.is_changed(found.end) else written

    def outcome(self, text: str, pivot: int, examined: Examined, warning: Warn) -> Found | Undecided | None:
        """Return an outcome with its offsets in the text as it is written; see `as_written`."""
        found, plain = examined
        if isinstance(found, Undecided):
            return self.undecided(text, pivot, plain.first + found.start)
        return None if found is None else self.as_written(found, plain, warning)

    def undecided(self, text: str, pivot: int, start: int) -> Undecided:
        """Return the request for more text after a candidate whose text is needed from an offset on."""
        return undecided(text, pivot, start, _END)

    def first(self, text: str, pivot: int) -> int:
        """Return where the part of a pivot begins."""
        first = max(0, pivot - _BEFORE)
        if first and not text[first:pivot].rstrip(SCHEME_CHARACTERS):
            first = max(0, pivot - self._limit - _BEFORE)
        return first
