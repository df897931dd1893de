"""The net under the readers: an exception that nobody expected costs what it was raised over, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from urisieve.errors import UnexpectedInputError, UrisieveError
from urisieve.printable import printable, shortened

__all__ = ["guarded"]

T = TypeVar("T")

# Errors of the package itself mean misuse or say what is broken; who reads the output may have had enough.
_PASSED: Final = (UrisieveError, BrokenPipeError)
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
    except _PASSED:
        raise
    except Exception as error:
        text = shortened(printable(str(error)), _LONGEST)
        message = f"unexpected {type(error).__name__} in reading it as {kind}{f': {text}' if text else ''}"
        raise UnexpectedInputError(kind, message) from error
