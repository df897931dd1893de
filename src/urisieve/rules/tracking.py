"""Parameters of queries that campaigns, mailers and share buttons add to links: `registry/tracking.txt` as a table.

The content of a page does not depend on them. The table is dated; `tools/generate_tracking.py` writes it.
"""

from __future__ import annotations

from functools import cache, lru_cache

from urisieve.lean import Final, NamedTuple
from urisieve.rules.registry import head_of, rows_of
from urisieve.syntax.components import is_on

_ANY: Final = "-"
# The names of parameters whose rows are remembered.
_NAMES: Final = 4_096


class Tracking(NamedTuple):
    """Parameters of one name, or whose names begin alike.

    Attributes:
        name: the name in lower case, but for the digits of triplets; a `*` at its end represents anything.
        host: the host on whose links they track, with the hosts below it; "" for every host.
        unless: texts in lower case; in a link that contains one of them they do not track. A `@` begins a host.
        source: the lists or the documentation that name them.
        purpose: why they are there, in a few words.
    """

    name: str
    host: str
    unless: tuple[str, ...]
    source: str
    purpose: str

    def stays(self, host: str, rest: str) -> bool:
        """Report whether a parameter stays on a link, by its host and by some of its text in lower case."""
        return any(is_on(host, text[1:]) if text[0] == "@" else text in rest for text in self.unless)


@cache
def tracking_rows() -> tuple[Tracking, ...]:
    """Return the rows of the table."""
    rows = [row.split("\t") for row in rows_of("tracking")]
    return tuple(
        Tracking(
            name, "" if host == _ANY else host, () if unless == _ANY else tuple(unless.split(",")), source, purpose
        )
        for name, host, unless, source, purpose in rows
    )


def tracking_date() -> str:
    """Return the date of the table, as `2026-11-28`: it decides keys, so that signatures contain it."""
    return head_of("tracking").partition("compiled ")[2][:10]


@lru_cache(maxsize=_NAMES)
def _covering(name: str) -> tuple[Tracking, ...]:
    """Return the rows that cover a parameter, whatever the host: those of its whole name first."""
    rows = tracking_rows()
    begin = (row for row in rows if row.name[-1] == "*" and name.startswith(row.name[:-1].lower()))
    return tuple(dict.fromkeys((*(row for row in rows if row.name.lower() == name), *begin)))


def tracking_of(name: str, host: str) -> list[Tracking]:
    """Return the rows that cover a parameter on links of a host.

    >>> [row.name for row in tracking_of("UTM_Source", "a.example")], tracking_of("si", "a.example")
    (['utm_*'], [])

    Args:
        name: the name of the parameter, whose upper and lower case do not differ.
        host: the host.
    """
    return [row for row in _covering(name.lower()) if is_on(host, row.host)]
