"""Names that are to be protected: which of them a host passes for (UTS 39 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import UsageError
from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.rules.spoofing.skeletons import folded_skeleton
from urisieve.syntax.host import dns_host, u_host

__all__ = ["ProtectedNames", "checked_names"]

# Shorter labels than this look like many others, as `co` and `c0`.
_LEAST_LABEL: Final = 3
# Where a name begins or ends for a reader, in a skeleton.
_BOUNDARY: Final = lazy_compile(r"[./:?#@\\_\-]")
_DIGITS_ONLY: Final = lazy_compile(r"[0-9.]+")


def checked_names(given: object, name: str = "protect") -> tuple[str, ...]:
    """Check the names passed as an option; return them in A-labels and lower case, each once, sorted.

    Args:
        given: a name, or names; in Unicode or in A-labels.
        name: the name of the option, for messages.

    Raises:
        UsageError: a value is not the name of a host with a dot in it.
    """
    listed: Iterable[object]
    if isinstance(given, str):
        listed = (given,)
    elif isinstance(given, Iterable) and not isinstance(given, (bytes, bytearray)):
        listed = given
    else:
        raise UsageError(f"{name}={given!r} must be names of hosts, such as {{'example.com'}}")
    found = set()
    for one in listed:
        if not isinstance(one, str):
            raise UsageError(f"{name}: {one!r} is not the name of a host, such as 'example.com'")
        found.add(_checked_name(one, name))
    return tuple(sorted(found))


def _checked_name(text: str, name: str) -> str:
    from urllib.parse import quote

    plain = text.strip().removesuffix(".")
    verdict = dns_host(quote(plain, safe="-._~"))
    if not plain or verdict.reason is not None or _DIGITS_ONLY.fullmatch(verdict.host):
        raise UsageError(f"{name}: {text!r:.100} is not the name of a host: give one such as 'example.com'")
    if "." not in verdict.host:
        raise UsageError(f"{name}: {text!r:.100} has no dot: give the whole name, such as '{verdict.host}.com'")
    return verdict.host


class ProtectedNames:
    """Compares hosts with the names to be protected, by tables: a host is not compared with each of them.

    Args:
        names: as `checked_names` returns them.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = frozenset(names)
        self._wholes: dict[str, str] = {}
        self._by_first: dict[str, list[str]] = {}  # skeletons of names by that of their first label
        self._labels: dict[str, list[tuple[str, str]]] = {}
        for name in names:
            shown = u_host(name)
            whole = folded_skeleton(shown)
            if whole not in self._wholes:
                self._wholes[whole] = name
                self._by_first.setdefault(whole.partition(".")[0], []).append(whole)
            for label in shown.split(".")[:-1]:
                if len(label) >= _LEAST_LABEL:
                    self._labels.setdefault(folded_skeleton(label), []).append((label, name))

    def owns(self, host: str) -> bool:
        """Report whether a host, in A-labels, is one of the names or a name below one of them."""
        return any(part in self._names for part in _endings(host.removesuffix(".")))

    def resembled(self, shown: str) -> list[str]:
        """Return the names that a host resembles: that of the host, that of its last labels, or a label of one.

        The last label of a name and labels of one or two characters are compared only as part of the whole.

        Args:
            shown: a host that is not one of theirs, in Unicode.
        """
        if not self._wholes:
            return []
        whole = folded_skeleton(shown)
        found = {self._wholes[ending]: None for ending in _endings(whole) if ending in self._wholes}
        labels = shown.split(".")[:-1]
        # No other character of ASCII looks like a dot.
        skeletons = whole.split(".") if shown.isascii() else map(folded_skeleton, labels)
        for label, one in zip(labels, skeletons, strict=False):
            known = self._labels.get(one)
            if known is not None and not any(label == own for own, _ in known):
                found.update(dict.fromkeys(name for _, name in known))
        return list(found)

    def contained(self, shown: str) -> list[str]:
        """Return the names that stand in a host before its end, as in `example.com.evil.test`, or look as if they did.

        A name begins at the start, and after a dot, a hyphen or what looks like a delimiter, and ends before one.

        Args:
            shown: a host that is not one of theirs, in Unicode.
        """
        if not self._wholes:
            return []
        whole = folded_skeleton(shown)
        found: dict[str, None] = {}
        start = 0
        while start >= 0:
            dot = whole.find(".", start)
            for name in self._by_first.get(whole[start:dot], ()) if dot >= 0 else ():
                if whole.startswith(name, start) and _BOUNDARY.match(whole, start + len(name)):
                    found[self._wholes[name]] = None
            mark = _BOUNDARY.search(whole, start)
            start = -1 if mark is None else mark.end()
        return list(found)


def _endings(name: str) -> Iterator[str]:
    """Yield a name, and what stands behind each of its dots."""
    yield name
    start = name.find(".") + 1
    while start:
        yield name[start:]
        start = name.find(".", start) + 1
