"""The search of the compiled kernel, with the finder and the judge for what the kernel leaves to them.

The kernel goes from colon to colon in UTF-8. It delimits nearly every candidate, and makes the canonical form of what
is common. A candidate that it does not judge itself is judged once, here, and remembered; a colon at which it is in
doubt is a place for the `Finder`. The findings are those of `urisieve.find.search.Search`, which is the definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from urisieve.codes import Warn
from urisieve.errors import UsageError
from urisieve.options import (
    Charset,
    EmailFinding,
    EmbeddedSpace,
    Level,
    NestedFinding,
    Options,
    Positions,
    Refang,
    Repair,
    SchemelessFinding,
    SchemePolicy,
    UrnSyntax,
    listed_schemes,
)
from urisieve.records.batch import COLUMNS, Batch, Sink
from urisieve.records.record import NO_PARTS
from urisieve.rules.table import rules_of

if TYPE_CHECKING:
    from types import ModuleType

    from urisieve.find.candidates import Found
    from urisieve.find.finder import Finder
    from urisieve.judge.faults import Fault
    from urisieve.judge.judge import Judged
    from urisieve.records.location import Location
    from urisieve.records.rejection import Rejection

__all__ = ["KernelSearch", "is_known"]

# The number of bytes or characters searched at once: what a piece needs stays in the processor's cache.
_PIECE: Final = 262_144
# The text that is shown to the finder at first, and by how much it grows while the finder needs more.
_WINDOW: Final = 4_096
_GROWTH: Final = 16
# The numbers of what is wanted, as in harvest.h.
_RAW: Final = 1
_OFFSETS: Final = 2
_LINES: Final = 4
_BYTES: Final = 8
# The warnings that the kernel finds, by their bits, in the order of a record.
_CODES: Final = (Warn.SCHEME_CUT, Warn.STOPS_AT_EXCLUDED, Warn.USERINFO_PRESENT, Warn.SCHEME_SYNTAX)
_WARNINGS: Final = tuple(tuple(code for bit, code in enumerate(_CODES) if bits >> bit & 1) for bits in range(16))


def is_known(options: Options) -> bool:
    """Report whether the kernel knows what these options find; others are left to the search in Python."""
    return (
        options.schemes != SchemePolicy.ANY
        and options.urn_syntax == UrnSyntax.RFC2141
        and options.repair == Repair.OFF
        and options.schemeless == SchemelessFinding.OFF
        and options.email == EmailFinding.OFF
        and options.refang == Refang.OFF
        and options.nested == NestedFinding.SKIP
    )


def _kernel_search(kernel: ModuleType, options: Options) -> Any:
    """Return a search of the kernel for some options."""
    from urisieve.rules.namespace_table import plugged as _  # noqa: F401
    from urisieve.rules.scheme_table import plugged

    listed = listed_schemes(options)
    ruled = [row.name for row in rules_of(options.rules).rules if hasattr(row, "authority")]
    return kernel.Search(
        options.max_length,
        proves=options.level == Level.SCHEME and not options.lossy,
        maps_wide=options.charset == Charset.UNICODE,
        joins_in_angles=options.embedded_space != EmbeddedSpace.KEEP,
        takes_unknown=options.schemes == SchemePolicy.DEFAULT,
        wanted=None if listed is None else sorted(listed),
        unwanted=sorted(options.exclude_schemes),
        known=sorted(options.known_schemes),
        ruled=sorted([*ruled, *plugged()]),
    )


class KernelSearch:
    """Searches text or bytes by the kernel; see `urisieve.find.search.Search`, whose methods it has.

    Args:
        kernel: the compiled module.
        options: what to find and how far to normalize; the kernel must know them.
        sink: takes the batches; it is not closed.
        columns: the columns to make.
        source: the name of the text.
        location: where the text stands in its source.
    """

    def __init__(
        self,
        kernel: ModuleType,
        options: Options,
        sink: Sink,
        *,
        columns: frozenset[str] = frozenset(COLUMNS),
        source: str | None = None,
        location: Location | None = None,
    ) -> None:
        self._options = options
        self._sink = sink
        self._columns = columns
        self._source = source
        self._location = location
        self._rules = rules_of(options.rules)
        self._search = _kernel_search(kernel, options)
        self._judged: list[Judged | Fault] = []  # in the order of the memo
        self._found: list[Found] = []  # by the finder, since the last batch
        self._finder: Finder | None = None
        self._closed = False
        counts_lines = options.positions == Positions.LINES and not columns.isdisjoint(("line", "column"))
        self._wanted = (
            (_RAW if "raw" in columns else 0)
            | (_OFFSETS if not columns.isdisjoint(("start", "end")) else 0)
            | (_LINES if counts_lines else 0)
        )

    @property
    def stray(self) -> int:
        """The number of bytes that did not decode."""
        return self._search.stray  # type: ignore[no-any-return]

    def restart(self, source: str | None = None, location: Location | None = None) -> None:
        """Forget the text, and begin another one."""
        self._source = source
        self._location = location
        self._search.restart()
        self._found.clear()
        self._closed = False

    def enter(self, context: str, offset: int, lines: int) -> None:
        """Begin in the middle of a text; see `Search.enter`."""
        self._search.enter(context, offset, lines, 0)

    def feed(self, text: str) -> None:
        """Take the next piece of text; candidates that it decides go to the sink."""
        if not isinstance(text, str):
            raise UsageError(f"feed() takes str, not {type(text).__name__}: decode it first")
        if self._closed:
            raise UsageError("feed() after close(): make a new Scanner for another text")
        if len(text) <= _PIECE:
            if self._search.feed(text):
                self._run(final=False)
            return
        for start in range(0, len(text), _PIECE):
            if self._search.feed(text[start : start + _PIECE]):
                self._run(final=False)

    def feed_bytes(self, data: bytes) -> None:
        """Take the next bytes of a text in UTF-8; a byte that does not decode is one lone surrogate."""
        view = memoryview(data)
        for start in range(0, len(data), _PIECE):
            if self._search.feed_bytes(view[start : start + _PIECE], False):
                self._run(final=False)

    def finish(self, text: str) -> None:
        """Take the last piece of the text and end it."""
        self.feed(text)
        self.close()

    def close(self) -> None:
        """End the text; undecided candidates are decided and go to the sink. A second call does nothing."""
        if not self._closed:
            self._closed = True
            self._search.feed_bytes(b"", True)
            self._run(final=True)

    def _run(self, *, final: bool) -> None:
        search = self._search
        while search.run(final) and self._look(final):
            pass
        if search.judged > len(self._judged):
            self._judge()
        harvest = search.take(self._wanted)
        if harvest is not None:
            batch = self._batch(harvest)
            if batch is not None:
                self._sink.take(batch)
            self._found.clear()
        if search.make_room():
            self._judged.clear()

    def _judge(self) -> None:
        """Judge the candidates that the memo awaits."""
        from urisieve.judge.judge import Judged, judge
        from urisieve.judge.proof import proves_canonical

        options, search = self._options, self._search
        shortcut = proves_canonical(options)
        for raw in search.unjudged():
            judged = judge(raw, options, shortcut=shortcut)
            self._judged.append(judged)
            if isinstance(judged, Judged):
                warnings = judged.warnings
                search.judge(judged.uri, judged.key, bool(warnings), Warn.PASSWORD_PRESENT in warnings)
            else:
                search.judge(None, None, False, False)

    def _look(self, final: bool) -> bool:
        """Let the finder decide about the place at which the kernel has stopped; return False if it needs more text."""
        from urisieve.find.candidates import Undecided
        from urisieve.find.finder import Finder
        from urisieve.judge.faults import Fault

        if self._finder is None:
            self._finder = Finder(self._options)
        search = self._search
        size = _WINDOW
        while True:
            text, pivot, floor, is_all = search.window(size)
            looked = self._finder.find(text, pivot, floor, bool(is_all) and final)
            if not isinstance(looked, Undecided) or is_all:
                break
            size *= _GROWTH
        if looked is None:
            search.dismiss()
        elif isinstance(looked, Undecided):
            search.hold(looked.start)
            return False
        else:
            judged = looked.judged
            if isinstance(judged, Fault):
                search.settle(looked.start, looked.end, None, None, False, False)
            else:
                warnings = looked.warnings + judged.warnings
                password = Warn.PASSWORD_PRESENT in warnings
                search.settle(looked.start, looked.end, judged.uri, judged.key, bool(warnings), password)
            self._found.append(looked)
            if looked.passing is not None:
                search.skip(not looked.passing.sections)
        return True

    def _special(self, number: int) -> tuple[Found | None, Judged | Fault]:
        """Return what the finder and the judge know of a row."""
        memo = len(self._judged)
        if number < memo:
            return None, self._judged[number]
        found = self._found[number - memo]
        return found, found.judged

    def _batch(self, harvest: Any) -> Batch | None:
        names = self._columns
        rejections: list[Rejection] = []
        before: list[int] = []
        if harvest.has_rejected:
            for row in harvest.rejected():
                before.append(row[0])
                rejections.append(self._rejection(row))
        count = len(harvest)
        if not count and not rejections:
            return None
        specials = harvest.specials()
        parts = NO_PARTS
        if len(names) == len(COLUMNS):
            rows = harvest.rows(self._source, self._location, _WARNINGS)
            constants: dict[str, Any] = {"source": self._source, "location": self._location}
            if not harvest.has_warnings:
                constants["warnings"] = ()
            if specials:
                parts = self._completed(rows, specials)
            return Batch(
                count, {}, constants, rejections=rejections, before=before, rules=self._rules, parts=parts, rows=rows
            )
        raise NotImplementedError

    def _completed(self, rows: list[tuple[Any, ...]], specials: list[tuple[int, int, int]]) -> Any:
        """Put into rows what only the finder and the judge know; return components by row."""
        parts = {}
        for index, number, bits in specials:
            found, judged = self._special(number)
            wrapper, codes, alternatives = rows[index][8], _WARNINGS[bits] + judged.warnings, ()
            if found is not None:
                wrapper, codes, alternatives = found.wrapper, found.warnings + judged.warnings, found.alternatives
            rows[index] = (*rows[index][:8], wrapper, codes, alternatives, *rows[index][11:])
            known = judged.parts
            if known is not None and judged.uri[:4].lower() == "urn:" and ("?" in judged.uri or "#" in judged.uri):
                parts[index] = known
        return parts or NO_PARTS

    def _rejection(self, row: tuple[Any, ...]) -> Rejection:
        from urisieve.records.fields import RejectionFields
        from urisieve.records.rejection import make_rejection

        _, number, raw, start, end, line, column, *_ = row
        _, fault = self._special(number)
        counted = self._wanted & _LINES
        return make_rejection(
            RejectionFields(
                raw,
                *fault,
                start,
                end,
                line if counted else 0,
                column if counted else 0,
                self._source,
                location=self._location,
            )
        )
