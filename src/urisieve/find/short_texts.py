"""Short texts: one call of the kernel from a text to its records, where nothing but the kernel is needed.

A search that takes pieces, a batch of what they hold, and records made of that are for texts that are worth them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from urisieve.find.searches import is_compiled
from urisieve.finding_options import Options, Positions, by_identity
from urisieve.judge.proofs import findable
from urisieve.kernel import either
from urisieve.lean import Final, NamedTuple
from urisieve.records.layouts import COLUMNS, KERNEL_WARNINGS
from urisieve.records.record import Record, rules_of_records
from urisieve.rules.table import KNOWN_RULES


class ShortSearch(NamedTuple):
    """The calls for short texts; each returns None if it leaves the text to a search, as it leaves what is no text.

    Attributes:
        records: returns the records of a text, in its order, if nothing in it is rejected.
        finds: reports whether a text has an identifier.
    """

    records: Callable[[object], list[Record] | None]
    finds: Callable[[object], bool | None]


def _left(_text: object) -> None:
    """Leave every text."""


_LEFT: Final = ShortSearch(_left, _left)


def _by_kernel(options: Options) -> ShortSearch:
    if not is_compiled(options):
        return _LEFT
    from urisieve.find.kernel_search import kernel_search

    search = kernel_search(findable(options), frozenset(COLUMNS))
    rules = rules_of_records(options)
    shared = (None, None, KERNEL_WARNINGS)
    counts_lines = options.positions == Positions.LINES
    ruled = None if rules is KNOWN_RULES else rules
    return ShortSearch(partial(Record._searched, search, shared, ruled, counts_lines), search.finds)


# Returns the calls for some options. Threads share them: while one searches, no other one has the interpreter.
short_search: Final[Callable[[Options], ShortSearch]] = by_identity(either(_by_kernel, lambda _options: _LEFT))
