"""The times of the strings of a JSON text: of the outermost object around each that states one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from urisieve.lean import Any, TypeAlias
from urisieve.records.base import Context

# Returns the time that the members of an object, or the cells of a row, state; see `urisieve.records.times.named_time`.
Dating: TypeAlias = Callable[[Iterable[tuple[str, Any]]], Context | None]


class JsonTimes:
    """The times of the strings of a text, by their offsets.

    >>> from urisieve.sources.structured.row_reader import DECODER
    >>> from urisieve.records.times import named_time
    >>> text = '[{"time": "2024-05-31T13:05:07Z", "url": ["http://a.example/"]}, "http://b.example/"]'
    >>> times = JsonTimes(text, [DECODER.decode(text)], named_time)
    >>> times.at(text.index("http://a")).time, times.at(text.index("http://b"))
    ('2024-05-31T13:05:07Z', None)

    Args:
        text: the text.
        values: the values in it, as `DECODER` returns them; none if it is not JSON.
        dating: returns the time that an object states.
    """

    def __init__(self, text: str, values: Iterable[Any], dating: Dating) -> None:
        from urisieve.sources.structured.jsonlines import STRING

        self._starts = [match.start() for match in STRING.finditer(text)]
        try:
            self._contexts = list(chain.from_iterable(_contexts(value, dating) for value in values))
        except (ValueError, RecursionError):
            self._contexts = []

    def at(self, offset: int) -> Context | None:
        """Return the time of the string that begins before an offset, and ends behind it."""
        index = bisect_right(self._starts, offset) - 1
        return self._contexts[index] if 0 <= index < len(self._contexts) else None


def _contexts(top: Any, dating: Dating) -> Iterator[Context | None]:
    """Yield the time of each string in a value, names of members included, in the order of the text."""
    stack: list[tuple[Any, Context | None]] = [(top, None)]
    while stack:
        value, context = stack.pop()
        if value.__class__ is str:
            yield context
        elif value.__class__ is list:
            stack += [(inner, context) for inner in reversed(value)]
        elif value.__class__ is tuple:
            context = context or dating(value)
            for name, inner in reversed(value):
                stack += ((inner, context), (name, context))
