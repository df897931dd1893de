"""`HostMemo`: what follows from a host alone, looked up once for each: many identifiers have the same host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from urisieve.lean import Final, TypeVar

T = TypeVar("T")

# A bound on the memory: a crawl names more hosts, most come in runs.
_MOST: Final = 65_536


class HostMemo(dict["str | None", T]):
    """Remembers a value for each host; None stands for no host.

    >>> memo = HostMemo(lambda hosts: [host and host.upper() for host in hosts])
    >>> memo.of(["a.example", None])
    ['A.EXAMPLE', None]

    Args:
        values: returns the values of some hosts.
    """

    def __init__(self, values: Callable[[Sequence[str | None]], Iterable[T]]) -> None:
        self._values = values

    def of(self, hosts: Sequence[str | None]) -> list[T]:
        """Return the values of some hosts."""
        if len(self) > _MOST:
            self.clear()
        new = [host for host in hosts if host not in self]
        if new:
            self.update(zip(new, self._values(new), strict=True))
        return list(map(self.__getitem__, hosts))
