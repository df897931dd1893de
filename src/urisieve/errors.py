"""What urisieve raises; every exception of its own descends from `UrisieveError`.

An invalid candidate found in text is not an error but a `Rejection` (a value). Exceptions are for misuse
(`UsageError`), for text that a caller asserted to be an identifier (`InvalidIdentifier`, which stands beside
`Rejection`), for input and output (`InputError`, `OutputError`), for stores of keys (`StoreError`), for processes that
share the work (`ProcessError`) and for rows of plug-ins that fail (`PluginError`). Anything else that comes out of the
package is a bug.
"""

from __future__ import annotations

__all__ = [
    "BrokenInputError",
    "InputError",
    "OutputError",
    "PluginError",
    "ProcessError",
    "StoreError",
    "UnexpectedInputError",
    "UrisieveError",
    "UsageError",
]


class UrisieveError(Exception):
    """The base of all exceptions of this package."""


class UsageError(UrisieveError, ValueError):
    """An option or argument that cannot be taken; the message says what can."""


class InputError(UrisieveError):
    """A source that cannot be read, or that cannot be decoded as asked."""


class BrokenInputError(InputError):
    """A source that breaks off midway: what it gave before is good, and its text goes on unread.

    Attributes:
        kind: what is broken, as tallies count it (`gzip`, `tar`).
        reason: how, as tallies count it (`truncated`, `corrupt`, `ratio-limit`).
    """

    def __init__(self, kind: str, reason: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.reason = reason


class UnexpectedInputError(BrokenInputError):
    """A source over which a reader raised an exception that nobody expected: a bug, or memory that ran out.

    What came before is good; `__cause__` is the exception.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, "unexpected", message)

    def __reduce__(self) -> tuple[type[UnexpectedInputError], tuple[str, str]]:
        return UnexpectedInputError, (self.kind, str(self))

    @property
    def trace(self) -> list[str]:
        """The lines of the traceback of the exception; none where it was raised in another process."""
        if self.__cause__ is None:
            return []
        from traceback import format_exception

        return "".join(format_exception(self.__cause__)).splitlines()


class OutputError(UrisieveError):
    """An output that cannot be written."""


class PluginError(UrisieveError):
    """A function of a row that an installed package adds has raised; the message names the package."""


class ProcessError(UrisieveError):
    """A process that shares the work cannot be started, or has ended before its work was done."""


class StoreError(UrisieveError):
    """A store of keys that cannot be opened or written, or holds keys of another kind."""
