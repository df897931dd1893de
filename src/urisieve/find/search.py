"""The search: text in pieces in, decided candidates out, in the order of the text, however the text is cut.

The search goes from pivot to pivot (`urisieve.find.pivots`), and the `Finder` decides about each. A candidate that
touches the end of the text fed so far is undecided: it is kept, with a little context before it, until the text that
decides it has come, or until it is longer than the limit.

It also defines the findings of a search in one part of text, the batch made of them, and line numbers of offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from urisieve.codes import Warn
from urisieve.errors import UsageError
from urisieve.find.delimited import PIECE, SCRIPT, Delimited, keep_freed_blocks
from urisieve.find.ends.candidates import LONG_RUN, Found, Undecided
from urisieve.find.ends.exit import OF_THE_END
from urisieve.find.ends.extent import Syntax
from urisieve.find.escaped import cut_slashes
from urisieve.find.finder.finder import Finder
from urisieve.find.finder.schemeless import name_start
from urisieve.find.pivots import SCHEME_CHARACTERS, pivots
from urisieve.finding_options import EmailFinding, NestedFinding, Options, Positions, Refang, SchemelessFinding
from urisieve.judge.judge import Judged, judge
from urisieve.judge.proofs import findable
from urisieve.judge.validate import Fault
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, lazy_compile, replace
from urisieve.records.base import Location, RecordFields, RejectionFields
from urisieve.records.batch import Batch, BatchBuffer
from urisieve.records.layouts import COLUMNS, Columns
from urisieve.records.record import NO_PARTS, rules_of_records
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.rules.table import RuleTable
from urisieve.syntax import grammar
from urisieve.syntax.components import SPACES, Components
from urisieve.syntax.passwords import passwords, userinfo_password

if TYPE_CHECKING:
    from urisieve.records.sink import Sink

# The context kept before an undecided offset: a wrapper, "URL:" and the white space after it, an emphasis mark.
CONTEXT: Final = 128
# The same where numbers without a scheme are found: a list of them, and the word before it (`LIST_LIMIT`).
BARE_CONTEXT: Final = 640
_NOT_SCHEME: Final = lazy_compile(lambda: f"[^{grammar.pattern('schemechar')}]")
_BLANKS: Final = frozenset(SPACES)
# How deep identifiers in identifiers are followed.
_NESTING: Final = 4


def _follows_url(match: str) -> bool:
    """Report whether a match begins with the colon of `URL:`; then the pivot is its last character."""
    # A colon and the slash after it are two characters at most, and no other match has a blank as second character.
    return len(match) > 2 and match[1] in _BLANKS


class Search:
    """Searches a text in pieces, and passes batches of what it finds to a sink, in the order of the text.

    Memory is bounded by `Options.max_length`, whatever the input, and the time is linear.

    Attributes:
        takes_bytes: whether it takes UTF-8 as bytes, too.
        takes_segments: whether it searches texts that are joined each alone; see `KernelSearch.segments`.
        counts_bytes: whether the batches hold the offsets in bytes, since the text came as bytes.

    Args:
        options: what to find and how far to normalize.
        sink: takes the batches; it is not closed.
        columns: the columns to make; see `Batch`. Lines are not counted without `line` and `column`.
        source: the name of the text.
        location: the location of the text in its source.
        finder: the finder of a search with the same options, to share what it remembers.
    """

    takes_bytes = takes_segments = counts_bytes = False
    stray = 0

    def __init__(
        self,
        options: Options,
        sink: Sink,
        *,
        columns: frozenset[str] = frozenset(COLUMNS),
        source: str | None = None,
        location: Location | None = None,
        finder: Finder | None = None,
    ) -> None:
        self._options = options = findable(options)
        self._sink = sink
        self._wanted = Wanted(columns, source, location, rules_of_records(options))
        self._finder = Finder(options) if finder is None else finder
        self._pivots = pivots(options)
        self._limit = options.max_length
        self._counts_lines = options.positions == Positions.LINES and not columns.isdisjoint(("line", "column"))
        self._nests = options.nested == NestedFinding.REPORT
        self._text = ""  # context and undecided text
        self._base = 0  # offset of its first character in the stream
        self._position = 0  # where the search goes on, in `_text`
        self._floor = 0  # end of the last candidate, in `_text`: no scheme begins before it
        self._undecided = 0  # where the undecided text begins, in `_text`
        self._pieces: list[str] = []  # fed, but without a character that can decide
        self._pieces_length = 0
        self._awaited: re.Pattern[str] | None = None
        self._passing: Syntax | None = None  # the rest of a candidate that was too long is skipped
        self._closed = False
        self._line = 1  # of the first character of the text that is kept
        self._newline = -1  # the line break before that line, from the first character

    @staticmethod
    def decides_alone(_options: Options) -> bool:
        """Report whether the finder is seldom asked with these options: here it always is."""
        return False

    @property
    def held(self) -> int:
        """The number of characters of text that are kept until they are decided."""
        return len(self._text) + self._pieces_length

    @property
    def decided(self) -> int:
        """The number of characters from the start of the text in which nothing more will be found.

        A candidate that is decided later may begin before the text that is kept for it, but not before its run.
        """
        floor, begin = self._floor, self._undecided
        if floor < begin < len(self._text):
            begin = 1 + max(self._text.rfind(blank, floor, begin + 1) for blank in " \t\r\n")
        return self._base + max(floor, begin)

    def restart(self, source: str | None = None, location: Location | None = None) -> None:
        """Forget the text, and begin another one; for many short texts this costs less than a new search."""
        columns, _, _, rules = self._wanted
        self._wanted = Wanted(columns, source, location, rules)
        self._text = ""
        self._base = self._position = self._floor = self._undecided = self._pieces_length = 0
        self._pieces.clear()
        self._awaited = self._passing = None
        self._closed = False
        self._line = 1
        self._newline = -1

    def enter(self, context: str, offset: int, lines: int, size: int = 0) -> None:
        """Begin in the middle of a text, at the start of a line, before anything is fed.

        Args:
            context: a little text before that line, in which no candidate is looked for.
            offset: the number of characters before that line, those of the context included.
            lines: the number of lines before it.
            size: the number of bytes before it, which only a search counts that takes bytes.
        """
        del size
        self._text = context
        self._position = self._floor = self._undecided = len(context)
        self._base = offset - len(context)
        self._line = lines + 1 - context.count("\n")

    def feed(self, text: str) -> None:
        """Take the next piece of text; candidates that it decides go to the sink.

        Raises:
            UsageError: the search is closed.
        """
        if self._closed:
            raise UsageError("feed() after close(): make a new Scanner for another text")
        if self._awaited is not None and self._awaited.search(text) is None:
            self._pieces.append(text)
            self._pieces_length += len(text)
            if len(self._text) + self._pieces_length <= self._limit + max(2 * CONTEXT, self._limit // 4):
                return
            text = ""
        if len(text) <= PIECE:
            self._search(text, final=False)
            return
        keep_freed_blocks()
        start = 0
        while start < len(text):
            end = start + PIECE
            self._search(text[start:end], final=False)
            start = end

    def feed_bytes(self, data: bytes | memoryview) -> None:
        """Raise an error: this search takes text."""
        raise UsageError(f"this search takes text, not {len(data)} bytes: see takes_bytes")

    def segments(self, text: str, begins: Sequence[int] | memoryview, kinds: bytes) -> Sequence[int]:
        """Raise an error: this search takes one text."""
        raise UsageError(f"this search takes one text, not {len(kinds)} from {begins[0]} on of {len(text)} characters")

    def finish(self, text: str) -> None:
        """Take the last piece of the text and end it: `feed` and `close` in one, at half the cost for a short text."""
        if self._closed or self._awaited is not None or len(text) > PIECE:
            self.feed(text)
            self.close()
            return
        self._closed = True
        self._search(text, final=True)

    def delimited(self, text: str, kind: Delimited, offset: int = 0, lines: int = 0) -> bool:
        """Take a whole text whose extent its carrier states, before anything is fed, and end.

        Args:
            text: all of the text.
            kind: the statement of the carrier.
            offset: as for `enter`.
            lines: as for `enter`.

        Returns:
            False if the text is not one candidate; nothing is taken then, and the caller has to feed it.
        """
        self.enter("", offset, lines)
        outcome = self._finder.delimited(text, kind)
        if outcome is None:
            return False
        findings = Findings(text, self._base)
        self._take(outcome, text, findings)
        self._give(findings, self._index(text))
        if isinstance(outcome.judged, Fault) and SCRIPT.match(text, outcome.start):
            # A script with a blank in it is not valid as a whole; the links in it are found all the same.
            self._position = self._floor = text.index(":", outcome.start) + 1
            self.finish(text)
        self._closed = True
        return True

    def close(self) -> None:
        """End the text; undecided candidates are decided and go to the sink. A second call does nothing."""
        if not self._closed:
            self._closed = True
            self._search("", final=True)

    def _search(self, text: str, *, final: bool) -> None:
        text = "".join((self._text, *self._pieces, text)) if self._pieces else self._text + text
        self._pieces.clear()
        self._pieces_length = 0
        findings = Findings(text, self._base)
        undecided = None
        if self._passing is None or self._pass(text):
            undecided = self._sieve(text, findings, final)
        lines = self._index(text)
        self._give(findings, lines)
        self._keep(text, lines, undecided, final)

    def _index(self, text: str) -> LineIndex | None:
        return LineIndex(text, self._line, self._newline) if self._counts_lines else None

    def _give(self, findings: Findings, lines: LineIndex | None) -> None:
        batch = findings.batch(self._wanted, lines)
        if batch is not None:
            self._sink.take(batch)

    def _take(self, outcome: Found, text: str, findings: Findings) -> None:
        """Take a decision of the finder, and the identifiers inside it if those are reported too."""
        findings.take(outcome)
        if self._nests:
            for inner in self._nested.inside(text, outcome):
                findings.take(inner)

    @cached_property
    def _nested(self) -> Nested:
        return Nested(self._options)

    def _keep(self, text: str, lines: LineIndex | None, undecided: Undecided | None, final: bool) -> None:
        """Keep the undecided text and its context; forget the rest."""
        self._awaited = None
        if final or self._passing is not None:
            start = position = len(text)
        elif undecided is not None:
            position, start, self._awaited = undecided
        else:
            start = position = self._tail(text)
            if len(text) - start > LONG_RUN:
                self._awaited = _NOT_SCHEME
        drop = max(0, start - (BARE_CONTEXT if self._options.bare else CONTEXT))
        if lines is not None:
            self._line, newline = lines.at(drop)
            self._newline = newline - drop
        self._text = text[drop:]
        self._base += drop
        self._position = position - drop
        self._undecided = start - drop
        self._floor = max(0, self._floor - drop)

    def _tail(self, text: str) -> int:
        """Return where a candidate begins whose pivot the end of the text may cut, as in `htt`, `http:` or `http:/`."""
        colon = len(text) - 2 if text.endswith(":/") else cut_slashes(text)
        first = max(self._position, self._floor, colon - self._limit)
        start = first + len(text[first:colon].rstrip(SCHEME_CHARACTERS))
        if self._options.email != EmailFinding.OFF:
            from urisieve.find.finder.addresses import LOCAL_LIMIT, local_run

            at = len(text) - text.endswith("@")
            start = min(start, local_run(text, max(self._position, self._floor, at - LOCAL_LIMIT), at))
        if self._options.schemeless == SchemelessFinding.NAMES:
            start = min(start, name_start(text, len(text), max(self._position, self._floor)))
        if self._options.refang != Refang.OFF:
            from urisieve.find.finder.defanged import defanged_tail

            start = min(start, defanged_tail(text, max(self._position, self._floor), self._limit))
        return start

    def _sieve(self, text: str, findings: Findings, final: bool) -> Undecided | None:
        """Go from pivot to pivot, from `_position` on; take what is decided, return what is not."""
        while self._passing is None:
            match = self._pivots.search(text, self._position)
            if match is None:
                return None
            pivot = match.end() - 1 if _follows_url(match[0]) else match.start()
            looked = self._finder.find(text, pivot, self._floor, final)
            if looked is None:
                self._position = pivot + 1
            elif isinstance(looked, Undecided):
                return looked
            else:
                self._take(looked, text, findings)
                self._floor = looked.end
                self._position = max(looked.end, pivot + 1)  # a defanged name may end before the mark that is its pivot
                if looked.passing is not None:
                    self._passing = looked.passing
                    self._pass(text)
        return None

    def _pass(self, text: str) -> bool:
        """Skip the rest of a candidate that was too long; return False if it goes on beyond this text."""
        end = self._passing.beyond.search(text, self._position) if self._passing is not None else None
        if end is None:
            return False
        self._passing = None
        self._floor = self._position = end.start()
        return True


def _readings_inside(alternatives: Iterable[str], name: str, options: Options) -> tuple[str, ...]:
    """Return the readings of an identifier in another one, by those of the other one and its scheme with the colon."""
    texts = [one[one.find(name, 1) :] for one in alternatives if one.find(name, 1) > 0]
    found = [judge(text, options) for text in texts]
    return tuple(judged.uri for judged in found if isinstance(judged, Judged))


class Nested:
    """Finds the identifiers inside an identifier (`Options.nested`).

    Args:
        options: the options of the search that has found the outer one.
    """

    def __init__(self, options: Options) -> None:
        self._options = replace(options, nested=NestedFinding.OFF, positions=Positions.OFFSETS, bare=())
        self._finder = Finder(self._options)

    def inside(self, text: str, outer: Found, depth: int = _NESTING) -> Iterator[Found]:
        """Yield what is inside an identifier, in the order of the text; `depth` is how deep that is followed."""
        inside = text.find(":", outer.start, outer.end) + 1
        if not inside or isinstance(outer.judged, Fault) or depth == 0 or text.find(":", inside, outer.end) < 0:
            return
        buffer = BatchBuffer()
        Search(self._options, buffer, finder=self._finder).finish(text[inside : outer.end])
        whole = text[outer.start : outer.end]
        spans = passwords(whole)
        if (own := userinfo_password(whole)) is not None:
            spans.append(own)  # or a placeholder
        for one in buffer.taken():
            judged = Judged(one.uri, one.key, None, one.warnings)
            start, end = inside + one.start, inside + one.end
            if any(first <= start - outer.start <= last for first, last in spans):
                continue  # the end of a password and the host, which look like a mail address
            told: tuple[Warn, ...] = ()
            others = one.alternatives
            if end == outer.end:  # what follows the outer one follows this one, too
                told = tuple(code for code in outer.warnings if code in OF_THE_END and code not in one.warnings)
                name = "" if Warn.SCHEME_ASSUMED in one.warnings else one.uri[: one.uri.index(":") + 1]
                others += _readings_inside(outer.alternatives, name, self._options) if told and name else ()
            inner = Found(start, end, one.wrapper, (Warn.NESTED, *told), others, judged)
            yield inner
            yield from self.inside(text, inner, depth - 1)


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
            alternatives=found.alternatives + judged.others,
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
