"""The choice of a search: that of the compiled kernel where it is there and knows the options, else that in Python.

It also defines:

- the scanner: text in pieces goes in, records and rejections come out, the same however the text is cut.
- the calls for short texts: one call of the kernel from a text to its records, where nothing but the kernel is needed.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections import Counter
from collections.abc import Callable
from functools import partial

from urisieve import shapes
from urisieve.errors import UsageError, in_use
from urisieve.finding_options import DEFAULT_OPTIONS, Options, Positions, Unwrap, by_identity, checked
from urisieve.judge.proofs import findable, knows
from urisieve.kernel import either
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, NoReturn, Protocol, TypeAlias, late
from urisieve.records.base import Location
from urisieve.records.batch import Batch, BatchBuffer, counted_codes
from urisieve.records.harvested import KERNEL_WARNINGS
from urisieve.records.layouts import COLUMNS

if TYPE_CHECKING:
    from urisieve.find.finder.finder import Finder
    from urisieve.find.kernel_search import KernelSearch
    from urisieve.find.search import Search
    from urisieve.records.record import Record
    from urisieve.records.rejection import Rejection
    from urisieve.records.sink import Sink
else:
    Finder = late("urisieve.find.finder.finder", "Finder")
    Record = late("urisieve.records.record", "Record")
    Rejection = late("urisieve.records.rejection", "Rejection")

AnySearch: TypeAlias = "Search | KernelSearch"
_ALL: frozenset[str] = frozenset(COLUMNS)


def _by_kernel(options: Options) -> type[AnySearch]:
    if not knows(options):
        return _in_python(options)
    from urisieve.find.kernel_search import KernelSearch

    return KernelSearch


def _in_python(_options: Options) -> type[AnySearch]:
    from urisieve.find.search import Search

    return Search


# Returns the class of the searches for some options, imported when it is needed.
_search: Final[Callable[[Options], type[AnySearch]]] = either(_by_kernel, _in_python)


def is_compiled(options: Options) -> bool:
    """Report whether the search for these options is that of the kernel alone."""
    return options.unwrap == Unwrap.OFF and _search(options).decides_alone(options)


def make_search(
    options: Options,
    sink: Sink,
    *,
    columns: frozenset[str] = _ALL,
    source: str | None = None,
    location: Location | None = None,
    finder: Finder | None = None,
) -> AnySearch:
    """Return a search; both kinds find the same.

    Args:
        options: what to find and how far to normalize.
        sink: takes the batches; it is not closed.
        columns: the columns to make; see `Batch`.
        source: the name of the text.
        location: the location of the text in its source.
        finder: the finder of a search in Python with the same options, to share what it remembers.
    """
    if options.unwrap != Unwrap.OFF:
        from urisieve.find.unwrapping import NEEDED_COLUMNS, Unwrapper

        sink = Unwrapper(options, sink)
        columns |= NEEDED_COLUMNS
    return _search(options)(options, sink, columns=columns, source=source, location=location, finder=finder)


class ShortSearch(NamedTuple):
    """The calls for short texts; each returns None if it leaves the text to a search, as it leaves what is no text.

    A search that takes pieces, a batch of what they contain, and records made of that are for longer texts.

    Attributes:
        records: returns the records of a text, in its order, if nothing in it is rejected.
        finds: reports whether a text has an identifier.
    """

    records: Callable[[object], list[Record] | None]
    finds: Callable[[object], bool | None]


def _left(_text: object) -> None:
    """Leave every text."""


_LEFT: Final = ShortSearch(_left, _left)


def _short_by_kernel(options: Options) -> ShortSearch:
    if not is_compiled(options):
        return _LEFT
    from urisieve.find.kernel_search import kernel_search
    from urisieve.records.record import Record, rules_of_records
    from urisieve.rules.table import KNOWN_RULES

    search = kernel_search(findable(options), frozenset(COLUMNS))
    rules = rules_of_records(options)
    shared = (None, None, KERNEL_WARNINGS)
    counts_lines = options.positions == Positions.LINES
    ruled = None if rules is KNOWN_RULES else rules
    return ShortSearch(partial(Record._searched, search, shared, ruled, counts_lines), search.finds)


# Returns the calls for some options. Threads share them: while one searches, no other one has the interpreter.
short_search: Final[Callable[[Options], ShortSearch]] = by_identity(either(_short_by_kernel, lambda _options: _LEFT))


class IdleSearches:
    """Searches that are not in use: making one takes longer than searching a short text.

    Threads may share them: a search is taken out while it is used; if there is none, a new one is made.

    Args:
        columns: the columns that they make.
    """

    # So many sets of options have some, each at most so many: few texts are searched at once. A search that keeps more
    # bytes of text than this is dropped.
    _MOST_OPTIONS: Final = 16
    _MOST: Final = 4
    _MOST_BYTES: Final = 1 << 20

    def __init__(self, columns: frozenset[str]) -> None:
        self._columns = columns
        self._by_options: dict[Options, list[tuple[AnySearch, BatchBuffer]]] = {}
        # Those of the options asked for last: to look options up takes as long as to search a line.
        self._latest: tuple[Options, list[tuple[AnySearch, BatchBuffer]]] = (DEFAULT_OPTIONS, [])

    def taken(self, options: Options) -> tuple[AnySearch, BatchBuffer]:
        """Return a search for some options, at the start of a text, and what takes its batches."""
        try:
            search, buffer = self._of(options).pop()
        except IndexError:
            buffer = BatchBuffer()
            return make_search(options, buffer, columns=self._columns), buffer
        search.restart()
        return search, buffer

    def put_back(self, options: Options, search: AnySearch, buffer: BatchBuffer) -> None:
        """Keep a search that `taken` has returned for the same options."""
        idle = self._of(options)
        if len(idle) < self._MOST and search.held <= self._MOST_BYTES:
            idle.append((search, buffer))

    def _of(self, options: Options) -> list[tuple[AnySearch, BatchBuffer]]:
        latest, idle = self._latest
        if latest is not options:
            if options not in self._by_options and len(self._by_options) >= self._MOST_OPTIONS:
                self._by_options.clear()
            idle = self._by_options.setdefault(options, [])
            self._latest = (options, idle)
        return idle


class Scanner:
    """The push interface to the sieve: pieces of one text in, records and rejections out.

    The results do not depend on where the text is cut. Offsets count characters from 0, from the start of the first
    piece; lines and columns count from 1. Memory is bounded by `Options.max_length`, whatever the input, and the time
    is linear. A scanner takes one call at a time: a second thread inside is refused. After an exception in the middle
    of a call, as for lack of memory, it takes no more.

    >>> from urisieve import Scanner
    >>> scanner = Scanner()
    >>> scanner.feed("see http://exa")
    []
    >>> scanner.feed("mple.com/a and urn:isbn:0395363411")
    [<Record 'http://example.com/a' at 4:24>]
    >>> scanner.close()
    [<Record 'urn:isbn:0395363411' at 29:48>]

    Args:
        options: what to find and how far to normalize; the defaults of `Options` if None.
        source: the name of the text, `source` of every record.
        location: the location of the text in its source; None for a text without a container.

    Raises:
        UsageError: an argument is not of its kind.
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        source: str | None = None,
        location: Location | None = None,
    ) -> None:
        shapes.check(source=source)
        if location is not None:
            shapes.instance("location", location, Location, "Location(message=1)")
        self._turn = allocate_lock()
        self._buffer = BatchBuffer()
        self._has_failed = False
        self._decided = 0
        self._search = make_search(checked(options), self._buffer, source=source, location=location)

    def __reduce__(self) -> NoReturn:
        raise UsageError("a Scanner cannot be pickled or copied: it is in the middle of a text; make another one")

    def _results(self, step: Callable[..., object], *text: str) -> list[Record | Rejection]:
        """Take a step of the search, and return what it decides; after an exception there is no other one."""
        if not self._turn.acquire(False):
            raise in_use("the scanner")
        if self._has_failed:
            self._turn.release()
            raise UsageError("an exception has ended a call of the scanner: begin the text anew with another one")
        try:
            step(*text)
            return self._buffer.taken().found()
        except UsageError:
            raise
        except BaseException:
            self._has_failed = True
            raise
        finally:
            self._turn.release()

    def feed(self, text: str) -> list[Record | Rejection]:
        """Take the next piece of the text; return the records and rejections that it decides, in order.

        Raises:
            UsageError: the scanner is closed or in use by another call, `text` is not a string, or an earlier call has
                ended by an exception.
        """
        shapes.text("text", text)
        return self._results(self._search.feed, text)

    @property
    def decided(self) -> int:
        """How far the text is decided: the number of characters, from its start, in which nothing more will be found.

        Each record and rejection that has been returned ends there at the latest, and each that is to come begins there
        or later: what comes before may be rewritten and passed on. After `close` it is the length of the text;
        until then it may be less with the kernel than without. With `Options.nested` or `Options.unwrap` records
        overlap: one may lie inside the one that was returned before it.

        >>> from urisieve import Scanner
        >>> scanner = Scanner()
        >>> scanner.feed("see http://a.example/ or htt"), scanner.decided
        ([<Record 'http://a.example/' at 4:21>], 25)
        >>> scanner.close(), scanner.decided
        ([], 28)

        Raises:
            UsageError: the scanner is in use by another call.
        """
        if not self._turn.acquire(False):
            raise in_use("the scanner")
        try:
            # To decide about a later candidate the search may look at text again that is in none.
            self._decided = max(self._decided, self._search.decided)
            return self._decided
        finally:
            self._turn.release()

    def finish(self, text: str) -> list[Record | Rejection]:
        """Take the last piece of the text and end it: `feed` and `close` in one, at half the cost for a short text.

        Returns:
            the records and rejections that it decides, in the order of the text.

        Raises:
            UsageError: the scanner is closed or in use by another call, `text` is not a string, or an earlier call has
                ended by an exception.
        """
        shapes.text("text", text)
        return self._results(self._search.finish, text)

    def close(self) -> list[Record | Rejection]:
        """End the text; return the records and rejections that were still undecided. A second call returns none.

        Raises:
            UsageError: the scanner is in use by another call, or an earlier one has ended by an exception.
        """
        return self._results(self._search.close)


class TextCounts(Protocol):
    """The counts that searches of text add to, as `urisieve.Tally` has them."""

    broken: Counter[tuple[str, str]]
    rejected: Counter[str]
    warnings: Counter[str]


def add_codes(batch: Batch, counts: TextCounts | None) -> None:
    """Add the reasons and warnings of a batch to some counts; None if they are not wanted."""
    if counts is not None and batch:
        reasons, warnings = counted_codes(batch)
        counts.rejected.update(reasons)
        counts.warnings.update(warnings)
