"""The choice of a search: that of the compiled kernel where it is there and knows the options, else that in Python."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.kernel import either
from urisieve.lean import TYPE_CHECKING, Final, TypeAlias
from urisieve.options import Options, Unwrap
from urisieve.records.layouts import COLUMNS

if TYPE_CHECKING:
    from urisieve.find.finder.finder import Finder
    from urisieve.find.kernel_search import KernelSearch
    from urisieve.find.search import Search
    from urisieve.records.base import Location
    from urisieve.records.sink import Sink


AnySearch: TypeAlias = "Search | KernelSearch"
_ALL: frozenset[str] = frozenset(COLUMNS)


def _of_kernel() -> type[KernelSearch]:
    from urisieve.find.kernel_search import KernelSearch

    return KernelSearch


def _in_python() -> type[Search]:
    from urisieve.find.search import Search

    return Search


# Returns the class of the searches, imported when it is needed.
_search: Final[Callable[[], type[AnySearch]]] = either(_of_kernel, _in_python)


def is_compiled(options: Options) -> bool:
    """Report whether the search for these options is that of the kernel alone."""
    return options.unwrap == Unwrap.OFF and _search().decides_alone(options)


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
    return _search()(options, sink, columns=columns, source=source, location=location, finder=finder)
