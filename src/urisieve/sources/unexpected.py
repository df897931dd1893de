"""The net under the readers: an exception that nobody expected costs what it was raised over, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from urisieve.errors import UnexpectedInputError, UrisieveError
from urisieve.printable import printable, shortened

__all__ = ["PASSED", "guarded", "unexpected"]

T = TypeVar("T")

# Errors of the package itself mean misuse or say what is broken; who reads the output may have had enough.
PASSED: Final = (UrisieveError, BrokenPipeError)
# Characters of a text of an exception: some quote what they choke on.
_LONGEST: Final = 200


def guarded(items: Iterable[T], kind: str) -> Iterator[T]:
    """Yield items; what their iterator raises becomes an `UnexpectedInputError`.

    `MemoryError` is among it: what was asked for is given back by then, and the files after this one can be read.

    Args:
        items: what a reader yields.
        kind: what tallies call what it reads.

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
    """The error of a source for an exception that is none of `PASSED`, which is its cause."""
    text = shortened(printable(str(error)), _LONGEST)
    message = f"unexpected {type(error).__name__} in reading it as {kind}{f': {text}' if text else ''}"
    found = UnexpectedInputError(kind, message)
    found.__cause__ = error
    return found
