"""The search of the compiled kernel, with the finder and the judge for what the kernel leaves to them.

The kernel goes from pivot to pivot in UTF-8: colons, and what else the options ask for. It delimits nearly every
candidate with a scheme, and makes the canonical form of what is common. A candidate that it does not judge itself is
judged once, here, and remembered; about a pivot at which it is in doubt the `Finder` decides. The findings are those of
`urisieve.find.search.Search`, which is the definition.
"""

from __future__ import annotations

import re
from array import array
from functools import cached_property

from urisieve import finding_options
from urisieve.codes import Warn
from urisieve.errors import UsageError
from urisieve.find.kernel_batches import KernelBatches
from urisieve.finding_options import Level, NestedFinding, Options, Refang
from urisieve.judge.proofs import findable, kernel_merging
from urisieve.kernel import bits, kernel
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.records.layouts import COLUMNS
from urisieve.rules.table import rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urisieve.find.delimited import Delimited
    from urisieve.find.ends.candidates import Found
    from urisieve.find.finder.finder import Finder
    from urisieve.find.search import Nested, Search
    from urisieve.kernel import kernel
    from urisieve.records.base import Location
    from urisieve.records.sink import Sink

# The number of bytes or characters searched at once: a block of a file. Mail takes 7 % less time than with half of it.
_PIECE: Final = 524_288
# The text that is shown to the finder at first, and by how much it grows while the finder needs more.
_WINDOW: Final = 4_096
_GROWTH: Final = 16
# Kinds of pivots other than colons, by what decides; tools/generate_kernel_tables.py gives the kernel these names.
PIVOTS: Final = {
    "www": "the first letter of `www.`",
    "names": "the first dot of a host name or of an IPv4 address",
    "at": "the at-sign of an address of mail",
    **{str(kind): "the first digit of such a number or name" for kind in finding_options.Bare},
    "marks": "a bracket of a defanged identifier, or what is written for a dot",
    "spoken": "a dot that is spelt, ` dot `",
}


def _pivots(options: Options) -> list[str]:
    """Return the kinds of pivots other than colons."""
    takes_names = options.schemeless == finding_options.SchemelessFinding.NAMES
    kinds = {
        "www": options.schemeless != finding_options.SchemelessFinding.OFF,
        "names": takes_names,
        "at": options.email != finding_options.EmailFinding.OFF,
        "marks": options.refang != Refang.OFF,
        "spoken": options.refang != Refang.OFF and takes_names,
    }
    return [*map(str, options.bare), *(kind for kind, is_sought in kinds.items() if is_sought)]


def kernel_search(options: Options, columns: frozenset[str]) -> kernel.Search:
    """Return a search of the kernel for some options and columns."""
    from urisieve.rules.scheme_table import Scheme, plugged

    listed = finding_options.listed_schemes(options)
    takes_any = options.schemes == finding_options.SchemePolicy.ANY
    pivots = _pivots(options)
    top_levels = doubtful = endings = frozenset[str]()
    if "at" in pivots:
        from urisieve.find.finder.addresses import endings_of_files

        endings = endings_of_files()
    if "names" in pivots:
        from urisieve.find.finder.schemeless import DOUBTFUL
        from urisieve.rules.registry import top_level_domains

        top_levels, doubtful = top_level_domains() - DOUBTFUL, DOUBTFUL
    protected = looks = frozenset[str]()
    names = finding_options.protected_names(options)
    if names:
        from urisieve.rules.skeletons import ProtectedNames, looks_of_ascii

        protected, looks = ProtectedNames(names).labels, looks_of_ascii()
    profile = finding_options.merging_of(options)
    ruled = [row.name for row in rules_of(options.rules).rules if isinstance(row, Scheme)]
    return kernel.Search(
        options.max_length,
        proves=(Level.NONE, Level.SYNTAX, Level.SCHEME).index(options.level),
        maps_wide=options.charset == finding_options.Charset.UNICODE,
        names_readings="alternatives" in columns,
        takes_unknown=takes_any or options.schemes == finding_options.SchemePolicy.DEFAULT,
        ignores_shapes=takes_any,
        leaves_urns=options.urn_syntax != finding_options.UrnSyntax.RFC2141,
        nests=options.nested == NestedFinding.REPORT,
        repairs=options.repair != finding_options.Repair.OFF,
        refangs=options.refang != Refang.OFF,
        spoofing=options.spoofing != finding_options.Spoofing.OFF,
        protected=protected,
        looks=looks,
        wanted=None if listed is None else sorted(listed),
        unwanted=sorted([*options.exclude_schemes, *(["url"] if takes_any else [])]),
        known=sorted(options.known_schemes),
        ruled=sorted([*ruled, *plugged()]),
        pivots=bits("PIVOTS", pivots),
        top_levels=sorted(top_levels),
        doubtful=sorted(doubtful),
        endings=sorted(endings),
        merge=kernel_merging(profile) if profile else None,
    )


class KernelSearch:
    """Searches text or bytes by the kernel; see `urisieve.find.search.Search`, whose methods it has.

    Attributes:
        takes_bytes: whether it takes UTF-8 as bytes, too.
        takes_segments: whether it searches texts that are joined each alone; see `segments`.
        counts_bytes: whether the batches hold the offsets in bytes, since the text came as bytes.

    Args:
        options: what to find and how far to normalize; the kernel must know them.
        sink: takes the batches; it is not closed.
        columns: the columns to make.
        source: the name of the text.
        location: the location of the text in its source.
        finder: the finder of a search with the same options, to share what it remembers.
    """

    takes_bytes = takes_segments = True

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
        self._columns = columns
        self._source = source
        self._location = location
        self._search = kernel_search(options, columns)
        self._batches = KernelBatches(options, columns, source, location)
        self._is_judging = False
        self._nests = options.nested == NestedFinding.REPORT
        self._refangs = options.refang != Refang.OFF
        self._finder = finder  # made when it is asked, like the next one
        self._closed = False
        self.counts_bytes = False
        self._python: Search | None = None  # for texts that a carrier delimits

    @staticmethod
    def decides_alone(options: Options) -> bool:
        """Report whether the finder is seldom asked with these options."""
        is_plain = options.repair == finding_options.Repair.OFF and options.nested == NestedFinding.OFF
        return is_plain and not _pivots(options)

    @property
    def stray(self) -> int:
        """The number of bytes that did not decode."""
        return self._search.stray

    @property
    def held(self) -> int:
        """The number of bytes of text that are kept until they are decided."""
        return self._search.held

    @property
    def decided(self) -> int:
        """The number of characters from the start of the text in which nothing more will be found."""
        return self._search.decided

    @property
    def decided_bytes(self) -> int:
        """The same in bytes, where the text comes as bytes."""
        return self._search.decided_bytes

    def restart(self, source: str | None = None, location: Location | None = None) -> None:
        """Forget the text, and begin another one."""
        self._source = source
        self._location = location
        self._search.restart()
        self._batches.restart(source, location)
        self._closed = False
        self.counts_bytes = False

    def enter(self, context: str, offset: int, lines: int, size: int = 0) -> None:
        """Begin in the middle of a text; see `Search.enter`."""
        self._search.enter(context, offset, lines, size)

    def feed(self, text: str) -> None:
        """Take the next piece of text; candidates that it decides go to the sink."""
        if self._closed:
            raise UsageError("feed() after close(): make a new Scanner for another text")
        for start in range(0, len(text), _PIECE):
            if self._search.feed(text[start : start + _PIECE]):
                self._run(final=False)

    def feed_bytes(self, data: bytes | memoryview) -> None:
        """Take the next bytes of a text in UTF-8; a byte that does not decode is one lone surrogate."""
        if not self.counts_bytes:
            self.counts_bytes = True
            self._batches.count_bytes()
        view = memoryview(data)
        for start in range(0, len(data), _PIECE):
            if self._search.feed_bytes(view[start : start + _PIECE], False):
                self._run(final=False)

    def delimited(self, text: str, kind: Delimited, offset: int = 0, lines: int = 0) -> bool:
        """Take a whole text whose extent its carrier states; see `Search.delimited`."""
        if self._python is None:
            from urisieve.find.search import Search

            self._python = Search(self._options, self._sink, columns=self._columns)
        self._python.restart(self._source, self._location)
        return self._python.delimited(text, kind, offset, lines)

    def finish(self, text: str) -> None:
        """Take the last piece of the text and end it."""
        if self._closed or len(text) > _PIECE:
            self.feed(text)
        else:
            self._search.feed(text)
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
        self._take()

    def segments(self, text: str, begins: Sequence[int] | memoryview, kinds: bytes) -> Sequence[int]:
        """Take a whole text of segments that are joined, each a text of its own, and end it.

        What is found has its offsets in the whole.

        Args:
            text: the segments, each after a `SEPARATOR`.
            begins: the offset of each, and one more; see `sources.documents`.
            kinds: what the carrier says of each, as the kernel wants it.

        Returns:
            the numbers of those that are left: each needs a search of its own.
        """
        numbers = begins if isinstance(begins, memoryview) else memoryview(array("q", begins))
        left = self._search.segments(text, numbers, kinds)
        self._closed = True
        self._take()
        return memoryview(left).cast("q")

    def _take(self) -> None:
        """Pass on what the kernel has found."""
        search, batches = self._search, self._batches
        if self._is_judging or search.judged != len(batches.judged):
            self._judge()
        harvest = search.take(batches.wanted)
        if harvest is not None:
            batch = batches.batch(harvest)
            if batch is not None:
                self._sink.take(batch)
            batches.found.clear()
        self._is_judging = True  # until both have forgotten the same
        del batches.judged[: search.make_room()]
        self._is_judging = False

    def _judge(self) -> None:
        """Judge the candidates that the memo awaits.

        Ctrl-C may end a call at any moment: the next one drops the judgement that the memo has not taken, or all those
        that it has forgotten.
        """
        from urisieve.judge.judge import Judged, quick_judge, trusted_host

        self._is_judging = True
        options, search, known = self._options, self._search, self._batches.judged
        trusted = trusted_host(options)
        awaited = search.unjudged()
        taken = search.judged - len(awaited)
        del known[: len(known) - taken if len(known) - taken > 1 else 0], known[taken:]
        for raw in awaited:
            judged = quick_judge(raw, options)
            known.append(judged)
            if isinstance(judged, Judged):
                warnings = judged.warnings
                if trusted is not None and (host := trusted(judged)) is not None:
                    search.trust(host)
                search.judge(judged.uri, judged.key, bool(warnings), Warn.PASSWORD_PRESENT in warnings)
            else:
                search.judge(None, None, False, False)
        self._is_judging = False

    def _look(self, final: bool) -> bool:
        """Let the finder decide about the pivot at which the kernel has stopped; return False if it needs more text."""
        from urisieve.find.ends.candidates import Undecided
        from urisieve.find.finder.finder import Finder

        if self._finder is None:
            self._finder = Finder(self._options)
        search = self._search
        size = _WINDOW
        while True:
            text, pivot, floor, is_all = search.window(size)
            if (text[pivot] != ":" or self._refangs) and self._pivot.match(text, pivot) is None:
                looked = None
                break
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
            self._settle(looked)
            if self._nests:
                for inner in self._nested.inside(text, looked):
                    self._settle(inner)
            if looked.passing is not None:
                search.skip(not looked.passing.sections)
        return True

    @cached_property
    def _nested(self) -> Nested:
        from urisieve.find.search import Nested

        return Nested(self._options)

    @cached_property
    def _pivot(self) -> re.Pattern[str]:
        from urisieve.find.pivots import pivots

        return pivots(self._options)

    def _settle(self, found: Found) -> None:
        """Hand over a decision of the finder, which has seen the window."""
        from urisieve.judge.validate import Fault

        judged = found.judged
        if isinstance(judged, Fault):
            self._search.settle(found.start, found.end, None, None, False, False)
        else:
            warnings = found.warnings + judged.warnings
            password = Warn.PASSWORD_PRESENT in warnings
            self._search.settle(found.start, found.end, judged.uri, judged.key, bool(warnings), password)
        self._batches.found.append(found)
