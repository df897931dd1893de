"""Handling of unexpected exceptions of readers: one costs only the file or message over which it was raised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import UnexpectedInputError, UrisieveError
from urisieve.lean.hints import Final, TypeVar
from urisieve.printable import printable, shortened

__all__ = ["PASSED", "guarded", "unexpected"]

T = TypeVar("T")

# Errors of the package report misuse or broken input; a broken pipe means that the reader of the output has stopped.
PASSED: Final = (UrisieveError, BrokenPipeError)
# Characters of the text of an exception: some quote the input that they failed on.
_LONGEST: Final = 200


def guarded(items: Iterable[T], kind: str) -> Iterator[T]:
    """Yield items; an exception of their iterator becomes an `UnexpectedInputError`.

    So does `MemoryError`: the memory has been released by then, and the files after this one can be read.

    Args:
        items: the items of a reader.
        kind: the name in tallies of the input that it reads.

    Raises:
        UnexpectedInputError: the iterator raised an exception that is not of this package.
    """
    try:
        yield from items
    except PASSED:
        raise
    except Exception as error:
        raise unexpected(error, kind) from error


def unexpected(error: Exception, kind: str) -> UnexpectedInputError:
    """Return the error of a source whose cause is an exception that is not one of `PASSED`."""
    text = shortened(printable(str(error)), _LONGEST)
    message = f"unexpected {type(error).__name__} in reading it as {kind}{f': {text}' if text else ''}"
    found = UnexpectedInputError(kind, message)
    found.__cause__ = error
    return found
