"""`Keep`: which of the records, or rows, with one key is kept; and the order of their times."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.lean import TYPE_CHECKING
from urisieve.quick_enums import StrEnum

if TYPE_CHECKING:
    from urisieve.records.base import Location


class Keep(StrEnum):
    """Which of the records or rows with the same key is kept.

    >>> from urisieve import deduplicate
    >>> from urisieve.options import Keep
    >>> list(deduplicate(["a:1", "b:2", "a:1"], keep=Keep.LAST))
    ['b:2', 'a:1']
    """

    FIRST = "first"
    """The one that is read first."""
    LAST = "last"
    """The one that is read last."""
    EARLIEST = "earliest"
    """The one with the earliest time, of equal times the first; those without a time come after all others."""
    LATEST = "latest"
    """The one with the latest time, of equal times the first; those without a time count only if none has one."""

    @property
    def is_by_time(self) -> bool:
        """Whether times are compared."""
        return self in (Keep.EARLIEST, Keep.LATEST)

    @property
    def replaces(self) -> Callable[[str, str], bool]:
        """A function of two moments: whether the record of the first, read later, is kept instead of the other."""
        return _REPLACES[self]


def _never(later: str, kept: str) -> bool:
    del later, kept
    return False


def _always(later: str, kept: str) -> bool:
    del later, kept
    return True


def _is_earlier(later: str, kept: str) -> bool:
    return later != "" and (kept == "" or later < kept)


def _is_later(later: str, kept: str) -> bool:
    return later > kept


_REPLACES = {Keep.FIRST: _never, Keep.LAST: _always, Keep.EARLIEST: _is_earlier, Keep.LATEST: _is_later}


def moment(time: str) -> str:
    """Return the time of a record as it is compared: one without a zone counts as of UTC.

    >>> moment("2024-05-31T13:05:07Z")
    '2024-05-31T13:05:07'
    """
    return time.removesuffix("Z")


def moment_at(location: Location | None) -> str:
    """Return the moment of a location; "" if it has no time, or none was asked for.

    >>> from urisieve.records.base import Context, Location
    >>> moment_at(Location(context=Context("2024-05-31T13:05:07Z"))), moment_at(Location())
    ('2024-05-31T13:05:07', '')
    """
    time = None if location is None or location.context is None else location.context.time
    return "" if time is None else moment(time)
