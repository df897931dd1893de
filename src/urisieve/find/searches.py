"""The choice of a search: that of the compiled kernel where it is there and knows the options, else that in Python."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.finding_options import DEFAULT_OPTIONS, Options, Unwrap
from urisieve.judge.proofs import knows
from urisieve.kernel import either
from urisieve.lean import TYPE_CHECKING, Final, TypeAlias
from urisieve.records.batch import BatchBuffer
from urisieve.records.layouts import COLUMNS

if TYPE_CHECKING:
    from urisieve.find.finder.finder import Finder
    from urisieve.find.kernel_search import KernelSearch
    from urisieve.find.search import Search
    from urisieve.records.base import Location
    from urisieve.records.sink import Sink


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
        location: where the text stands in its source.
        finder: the finder of a search in Python with the same options, to share what it remembers.
    """
    if options.unwrap != Unwrap.OFF:
        from urisieve.find.unwrapping import NEEDED_COLUMNS, Unwrapper

        sink = Unwrapper(options, sink)
        columns |= NEEDED_COLUMNS
    return _search(options)(options, sink, columns=columns, source=source, location=location, finder=finder)


class IdleSearches:
    """Searches that nobody uses just now: to make one takes longer than to search a short text.

    Threads may share them: a search is taken out while it is used, and who finds none makes one.

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
