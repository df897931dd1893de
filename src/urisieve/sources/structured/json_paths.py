"""The paths of strings of JSON: of those that the kernel has found, and how a path is written.

It holds besides:

- the check that a requested field exists at all: a name that no row has is more often an error than a choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from urisieve.lean import Final
from urisieve.records.masking import masked_name
from urisieve.sources.tally import MESSAGES, Tally
from urisieve.wording import did_you_mean

# The longest path: identifiers found many times deep inside would each be written with it.
LONGEST_PATH: Final = 1_024
_SIMPLE_KEY: Final = re.compile(r"[^.\[\]]+")
# The number of paths of objects and lists that are remembered.
_REMEMBERED: Final = 1_024


def inner_path(path: str, key: str | int) -> str:
    """Return the path of a member, or of an index in a list, from the path of the container."""
    if len(path) >= LONGEST_PATH:
        return path
    if isinstance(key, int):
        path = f"{path}[{key}]"
    elif _SIMPLE_KEY.fullmatch(key) and "@" not in key:
        path = f"{path}.{key}" if path else key
    else:
        key = masked_name(key)
        path = f'{path}["{key}"]'  # as in JSONPath (RFC 9535 2.3.1)
    return path if len(path) <= LONGEST_PATH else path[: LONGEST_PATH - 1] + "\u2026"


class StringPaths:
    """The paths of strings that `kernel.json_strings` has found, made when somebody asks.

    Args:
        links: for each string the index of the object or list around it, -1 for a value of the text itself, and its key
            there: the index of the string that is its name (a name has its own), or -1 less its index in a list.
        containers: the same for each object and list; one comes behind that around it.
        text: returns a string by its index.
    """

    def __init__(self, links: bytes, containers: bytes, text: Callable[[int], str]) -> None:
        self._links: Sequence[int] = memoryview(links).cast("i")
        self._containers: Sequence[int] = memoryview(containers).cast("i")
        self._text = text
        self._known: dict[int, str] = {}

    def path(self, index: int) -> str:
        """Return the path of a string; of the name of a member that of its object."""
        owner, key = self._links[2 * index], self._links[2 * index + 1]
        if owner < 0:
            return ""
        outer = self._path_of(owner)
        return outer if key == index else self._inner(outer, key)

    def _inner(self, path: str, key: int) -> str:
        return inner_path(path, -1 - key if key < 0 else self._text(key))

    def _path_of(self, container: int) -> str:
        """Return the path of an object or a list."""
        known, links = self._known, self._containers
        unknown: list[int] = []
        while container >= 0 and container not in known:
            unknown.append(container)
            container = links[2 * container]
        path = known[container] if container >= 0 else ""
        for inner in reversed(unknown):
            if links[2 * inner] >= 0:
                path = self._inner(path, links[2 * inner + 1])
            if len(known) == _REMEMBERED:
                known.clear()
            known[inner] = path
        return path


# The number of names that are remembered, to find the nearest of them.
_NAMES: Final = 1_000


class FieldWatch:
    """Remembers the names of fields until the requested one is seen.

    Args:
        field: the field; None if all are read, so that there is nothing to check.
        rows: the name of the things that have fields, in the plural, for the message.
    """

    def __init__(self, field: str | None, rows: str = "rows") -> None:
        self._field = field
        self._rows = rows
        self._names: dict[str, None] = {}
        self.waits = field is not None
        """Whether the field has not been seen yet."""

    def see(self, name: str, is_wanted: bool) -> None:
        """Note a field that a row has."""
        if is_wanted:
            self.waits = False
            self._names.clear()
        elif len(self._names) < _NAMES:
            self._names[name] = None

    def report(self, source: str, tally: Tally) -> None:
        """Count and report a source that has fields, but not the requested one."""
        if not self.waits or not self._names or self._field is None:
            return
        tally.skip("file", "no-such-field")
        if tally.skipped["file", "no-such-field"] <= MESSAGES:
            near = did_you_mean(self._field, self._names)
            tally.messages.append(f"{source}: none of the {self._rows} has a field {self._field!r}{near}")
