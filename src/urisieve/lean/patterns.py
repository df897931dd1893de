"""Regular expressions that are compiled when they are first used: compiling all of them would double every start."""

from __future__ import annotations

import re
from collections.abc import Callable

from urisieve.lean.hints import Any, AnyStr, cast

__all__ = ["lazy_compile"]


class _Pattern:
    """A pattern that is compiled when one of its attributes is first asked for."""

    def __init__(self, source: Any, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        source = self._source() if callable(self._source) else self._source
        value = getattr(re.compile(source, self._flags), name)  # `re` remembers what it has compiled
        self.__dict__[name] = value  # found there from now on, without this method
        return value


def lazy_compile(source: AnyStr | Callable[[], AnyStr], flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern like `re.compile`, for the top of a module; it is compiled when it is first used.

    >>> word = lazy_compile("[a-z]+", re.IGNORECASE)
    >>> word.findall("Two words")
    ['Two', 'words']

    Args:
        source: the regular expression, or a function that returns it, where making it takes time.
        flags: as for `re.compile`.
    """
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))
