"""The exceptions of urisieve; all are subclasses of `UrisieveError`.

An invalid candidate found in text is not an exception but a `Rejection` (a value). Exceptions are for misuse
(`UsageError`), for text that a caller asserted to be an identifier (`urisieve.InvalidIdentifierError`, which this
module does not have: it has a `Rejection`, and the modules of records import this one), for input and output
(`InputError`, `OutputError`), for stores of keys (`StoreError`), for worker processes (`ProcessError`) and for rows of
plug-ins that fail (`PluginError`). Any other exception from the package is a bug.
"""

from __future__ import annotations

__all__ = ["BrokenInputError", "InputError", "OutputError", "PluginError", "ProcessError"]
__all__ += ["StoreError", "UnexpectedInputError", "UrisieveError", "UsageError"]


class UrisieveError(Exception):
    """The base class of all exceptions of this package.

    >>> import urisieve
    >>> try:
    ...     urisieve.parse("not an identifier")
    ... except urisieve.UrisieveError as error:
    ...     print(type(error).__name__)
    InvalidIdentifierError
    """


class UsageError(UrisieveError, ValueError):
    """An option or argument is not accepted; the message names the accepted ones.

    >>> import urisieve
    >>> try:
    ...     urisieve.Options(level="highest")
    ... except urisieve.UsageError:
    ...     print("there is no such level")
    there is no such level
    """


def in_use(subject: str) -> UsageError:
    """Return the error of a call of an object that has not ended another call yet.

    Args:
        subject: the object in words, such as `a scanner`.
    """
    return UsageError(f"{subject} is in use by another call: it takes one at a time, so give each thread its own")


class InputError(UrisieveError):
    """A source cannot be read, or cannot be decoded in the requested encoding.

    >>> import urisieve
    >>> try:
    ...     list(urisieve.extract_files(["missing.txt"]))
    ... except urisieve.InputError:
    ...     print("cannot be read")
    cannot be read

    Attributes:
        kind: what cannot be read, as tallies count it.
        reason: how, as tallies count it.
    """

    kind: str = "file"
    reason: str = "unreadable"


class BrokenInputError(InputError):
    """A source breaks off before its end: the text read before is valid, the rest cannot be read.

    >>> from urisieve.errors import BrokenInputError
    >>> error = BrokenInputError("gzip", "truncated", "a.gz: gzip data ends early")
    >>> error.kind, error.reason
    ('gzip', 'truncated')

    Attributes:
        kind: the format that is broken, as tallies count it (`gzip`, `tar`).
        reason: how it is broken, as tallies count it (`truncated`, `corrupt`, `ratio-limit`).
    """

    def __init__(self, kind: str, reason: str, message: str) -> None:
        # `args` are what it was called with, so that it can be pickled and copied: the base class must not set them.
        del message
        self.kind = kind
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[-1])


class UnexpectedInputError(BrokenInputError):
    """A reader raised an unexpected exception: there is a bug in it.

    The text read before is valid; `__cause__` is the exception, and `reason` is `unexpected`.

    >>> from urisieve.errors import UnexpectedInputError
    >>> UnexpectedInputError("zip", "a.zip: KeyError").reason
    'unexpected'
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, "unexpected", message)

    @property
    def trace(self) -> list[str]:
        """The lines of the traceback of the exception; empty if it was raised in another process."""
        if self.__cause__ is None:
            return []
        from traceback import format_exception

        return "".join(format_exception(self.__cause__)).splitlines()


class OutputError(UrisieveError):
    """An output cannot be written.

    >>> import urisieve
    >>> issubclass(urisieve.OutputError, urisieve.UrisieveError), issubclass(urisieve.OutputError, OSError)
    (True, False)
    """


class PluginError(UrisieveError):
    """A function of a row that an installed package adds raised an exception; the message names the package.

    >>> import urisieve
    >>> issubclass(urisieve.errors.PluginError, urisieve.UrisieveError)
    True
    """


class ProcessError(UrisieveError):
    """A worker process cannot be started, ended before its work was done, or would make other keys.

    >>> import urisieve
    >>> issubclass(urisieve.errors.ProcessError, urisieve.UrisieveError)
    True
    """


class StoreError(UrisieveError):
    """A store of keys cannot be opened or written, or contains keys of another kind.

    >>> import urisieve
    >>> try:
    ...     urisieve.Store("missing/keys.duckdb")
    ... except urisieve.StoreError:
    ...     print("cannot be opened")
    cannot be opened
    """
