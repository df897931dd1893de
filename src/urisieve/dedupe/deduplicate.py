"""Rows and records without their duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any, TypeVar

from urisieve.dedupe.keyset import KeySet, Seen
from urisieve.errors import UsageError
from urisieve.records.record import Record

__all__ = ["Keep", "deduplicate", "joined_key"]

Row = TypeVar("Row")


class Keep(StrEnum):
    """Which of the rows with one key stays."""

    FIRST = "first"
    LAST = "last"


def joined_key(keys: Iterable[str]) -> str:
    """The key of a row with one or several keys: their set, whatever their order and number.

    One key stands for itself; where it holds a line feed, which no identifier does, that is escaped, so that no two
    sets have one key.
    """
    return "\n0".join(sorted({key.replace("\n", "\n1") for key in keys}))


def deduplicate(
    rows: Iterable[Row],
    *,
    key: Callable[[Row], str | Iterable[str] | None] | None = None,
    keep: Keep | str = Keep.FIRST,
    seen: Seen | None = None,
) -> Iterator[Row]:
    """The rows whose key comes for the first time (or the last), in their order.

    Args:
        rows: any rows: records, dictionaries, strings.
        key: gives the key of a row; several keys count as their set; a row without one (None or an empty collection) is
            left out. By default that of a `Record`, and a string is its own.
        keep: `first` gives a row as soon as it is read; `last` reads and holds all rows before it gives one.
        seen: what remembers the keys, a `KeySet` or a `Store`, where rows of several calls count as one; a new `KeySet`
            by default. Whatever it knows already is left out, with `last` too.

    Raises:
        UsageError: a row has no key of its own and none is given, a key is no string, or `keep` is no choice.
    """
    try:
        chosen = Keep(keep)
    except ValueError:
        raise UsageError(f"keep={keep!r} is not a choice; use one of 'first', 'last'") from None
    remembered = KeySet() if seen is None else seen
    key_of = _own_key if key is None else key
    if chosen is Keep.FIRST:
        return _first(rows, key_of, remembered)
    return _last(rows, key_of, remembered)


def _own_key(row: object) -> str:
    if isinstance(row, Record):
        return row.key
    if isinstance(row, str):
        return row
    raise UsageError(f"a {type(row).__name__} has no key of its own: give key=, a function from a row to its key")


def _text(key: Any) -> str | None:
    if key is None:
        return None
    if isinstance(key, str):
        return joined_key((key,)) if "\n" in key else key
    try:
        keys = list(key)
        return joined_key(keys) if keys else None
    except (TypeError, AttributeError):
        raise UsageError(f"a key is {key!r}: it must be a string, several strings, or None") from None


def _first(rows: Iterable[Row], key_of: Callable[[Row], str | Iterable[str] | None], seen: Seen) -> Iterator[Row]:
    # One by one: who stops in the middle, or whose `key` fails, has all rows whose keys are counted as seen.
    for row in rows:
        key = _text(key_of(row))
        if key is not None and seen.unseen_places((key,)):
            yield row


def _last(rows: Iterable[Row], key_of: Callable[[Row], str | Iterable[str] | None], seen: Seen) -> Iterator[Row]:
    keys: list[str] = []
    owners: list[Row] = []
    for row in rows:
        key = _text(key_of(row))
        if key is not None:
            keys.append(key)
            owners.append(row)
    last = {key: place for place, key in enumerate(keys)}
    for place in sorted(last.values()):
        if seen.unseen_places((keys[place],)):
            yield owners[place]
