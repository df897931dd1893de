"""The times of the strings of JSON: those that the objects around them state."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from urisieve.lean import Any, Final, lazy_compile
from urisieve.records.base import Context
from urisieve.sources.contexts import named_time, names_time
from urisieve.sources.structured.json_strings import JsonStrings
from urisieve.sources.structured.row_reader import DECODER

_SCALAR: Final = lazy_compile(r"[\x00-\x20]*+:[\x00-\x20]*+(?![\[{])")
# The times of an object that are remembered: there is one, or a few.
_MOST: Final = 16


class JsonTimes:
    """The times of the strings of some lines, or of a window of a document.

    A string has the time of the outermost object around it that states one, before or behind it. Of an object that is
    open at the end of a window, the strings up to there have what it has stated up to there, and no more.

    >>> from urisieve.sources.structured.json_paths import JsonField
    >>> from urisieve.sources.structured.json_strings import strings_of_window
    >>> text = '[{"url": ["http://a.example/"], "time": "2024-05-31T13:05:07Z"}, "http://b.example/"]'
    >>> strings = strings_of_window(text, JsonField.of(None))
    >>> times = JsonTimes(strings, None)
    >>> {strings.string(index): getattr(times.of(index), "time", None) for index in (1, 4)}
    {'http://a.example/': '2024-05-31T13:05:07Z', 'http://b.example/': None}

    Args:
        strings: the strings.
        field: the name of the member with the time, with dots for one in an object; one of `TIME_NAMES` for None.
    """

    def __init__(self, strings: JsonStrings, field: str | None) -> None:
        self._strings = strings
        self._field = field
        self._stated: dict[int, list[tuple[str, Any]]] = {}
        for container, one in enumerate(strings.outer):
            self._stated[container] = list(one.times)
        for number, owner in enumerate(strings.owners):
            name, end = strings.name(number)
            dated = self._dated(owner, name)
            value = None if dated < 0 else _SCALAR.match(strings.text, end)
            times = self._stated.setdefault(dated, [])
            if value is not None and len(times) < _MOST:
                with suppress(ValueError):  # it is broken, or a number that is too long
                    times.append((name if field is None else field, DECODER.raw_decode(strings.text, value.end())[0]))
        self._known: dict[int, Context | None] = {-1: None}

    def of(self, index: int) -> Context | None:
        """Return the time of a string; None for a list of numbers."""
        if self._strings.is_list(index):
            return None
        container = self._strings.links[2 * index]
        unknown: list[int] = []
        while container not in self._known:
            unknown.append(container)
            container = self._strings.containers[2 * container]
        when = self._known[container]
        for inner in reversed(unknown):
            if when is None and inner in self._stated:
                when = named_time(self._stated[inner], self._field)
            self._known[inner] = when
        return when

    def stated(self, container: int) -> Sequence[tuple[str, Any]]:
        """Return the times that an object has stated."""
        return self._stated.get(container, ())

    def _dated(self, owner: int, name: str) -> int:
        """Return the object whose time a member of an object may be; -1 if it is none."""
        rest = self._field
        if rest is None:
            return owner if names_time(name) else -1
        while rest != name:
            outer = self._strings.name_of(owner)
            if outer is None or not rest.endswith(f".{name}"):
                return -1
            rest = rest[: -len(name) - 1]
            owner, name = self._strings.containers[2 * owner], outer
        return owner
