"""Validation of the arguments of a store, before anything is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from urisieve.dedupe.digests import digests
from urisieve.dedupe.keyset import keys_of
from urisieve.dedupe.stores.statements import MOST
from urisieve.errors import UsageError
from urisieve.lean.hints import Final
from urisieve.records.record import Record

__all__ = ["LATEST", "check_columns", "checked_digests", "checked_path"]

# The latest time of a store: the last second of the year 9999, in seconds from 1970-01-01 UTC. The earliest is 0.
LATEST: Final = 253_402_300_799


def checked_path(path: object) -> str:
    """Return the path of a store as text.

    Raises:
        UsageError: it is not a path.
    """
    try:
        name = os.fsdecode(path)  # type: ignore[arg-type] # it raises unless it is a path
        os.stat(name)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path!r} cannot be the path of a store: {error}") from error
    except OSError:
        pass
    return name


def checked_digests(keys: Iterable[str | Record], kept: Callable[[str], str]) -> list[bytes]:
    """Return the digests of keys; a record stands for its key, as `kept` returns it.

    Raises:
        UsageError: they are not several keys.
    """
    if isinstance(keys, (str, bytes)):
        raise UsageError(f"keys={keys!r} is one text: give a list of keys")
    try:
        return digests(keys_of(keys, kept))
    except (TypeError, AttributeError) as error:
        raise UsageError(f"keys must be strings, several of them: {error}") from error


def check_columns(
    number: int, counts: Sequence[int] | None, sources: Sequence[str | None] | None, now: int | None
) -> None:
    """Check the types of counts, sources and time, and that there is a count and a source for each of the keys.

    Raises:
        UsageError: a type, a number or a length is wrong.
    """
    for name, values in (("counts", counts), ("sources", sources)):
        if values is not None and len(values) != number:
            raise UsageError(f"there are {len(values)} {name} for {number} keys: give one for each key")
    if counts and (set(map(type, counts)) != {int} or min(counts) < 1 or max(counts) > MOST):
        wrong = next(count for count in counts if count.__class__ is not int or not 1 <= count <= MOST)
        raise UsageError(f"a count is {wrong!r}: it must be an integer from 1 to {MOST}")
    for kind in set(map(type, sources or ())):
        if kind is not type(None) and not issubclass(kind, str):
            raise UsageError(f"a source is a {kind.__name__}: it must be a string or None")
    if now is not None and (now.__class__ is not int or not 0 <= now <= LATEST):
        raise UsageError(f"now={now!r} must be an integer of seconds from 0 to {LATEST}")
