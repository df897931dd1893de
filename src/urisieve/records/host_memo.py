"""`HostMemo`: what follows from a host alone, looked up once for each: many identifiers have the same host."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from urisieve.lean import Final, TypeVar

T = TypeVar("T")

# A bound on the memory: a crawl names more hosts, most come in runs.
_MOST: Final = 65_536


class HostMemo(dict["str | None", T]):
    """Remembers a value for each host; None stands for no host.

    >>> memo = HostMemo(lambda host: host and host.upper())
    >>> memo.of(["a.example", None])
    ['A.EXAMPLE', None]

    Args:
        value: returns the value of a host.
    """

    def __init__(self, value: Callable[[str | None], T]) -> None:
        self._value = value

    def __missing__(self, host: str | None) -> T:
        if len(self) >= _MOST:
            self.clear()
        found = self[host] = self._value(host)
        return found

    def of(self, hosts: Sequence[str | None]) -> list[T]:
        """Return the values of some hosts."""
        return list(map(self.__getitem__, hosts))
