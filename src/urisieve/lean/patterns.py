"""Regular expressions that are compiled when they are first used: compiling all of them would cost every start."""

from __future__ import annotations

import re

from urisieve.lean.hints import TYPE_CHECKING, Any

__all__ = ["pattern"]


class _Pattern:
    """A pattern that is compiled when one of its attributes is first asked for."""

    def __init__(self, source: str | bytes, flags: int = 0) -> None:
        self._source: Any = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._source, self._flags), name)  # `re` keeps what it has compiled
        self.__dict__[name] = value  # found without this method from now on
        return value


if TYPE_CHECKING:
    pattern = re.compile
else:
    pattern = _Pattern
