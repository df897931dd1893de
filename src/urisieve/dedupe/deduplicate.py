"""Removal of duplicate rows and records by their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from urisieve.dedupe.keyset import KeySet, keys_of
from urisieve.errors import UsageError, is_null
from urisieve.identifiers import key as key_of_text
from urisieve.lean import TYPE_CHECKING, Any, TypeVar, late
from urisieve.records.record import Record

if TYPE_CHECKING:
    from urisieve.records.sink import Seen
else:
    Seen = late("urisieve.records.sink", "Seen")


Row = TypeVar("Row")


class Keep(StrEnum):
    """Which of the rows with the same key is kept: the first or the last.

    >>> from urisieve import Keep, deduplicate
    >>> list(deduplicate(["a:1", "b:2", "a:1"], keep=Keep.LAST))
    ['b:2', 'a:1']
    """

    FIRST = "first"
    LAST = "last"


def joined_key(keys: Iterable[str]) -> str:
    """Return the key of a set of keys, whatever their order and number.

    That of a single key is the key itself. A line feed in a key, which no identifier has, is escaped, so that different
    sets have different keys.
    """
    return "\n0".join(sorted({key.replace("\n", "\n1") for key in keys}))


def deduplicate(
    rows: Iterable[Row],
    *,
    key: Callable[[Row], str | Record | Iterable[str] | None] | None = None,
    keep: Keep | str = Keep.FIRST,
    seen: Seen | None = None,
) -> Iterator[Row]:
    """Yield the first (or last) row of each key, and each row without a key, in the order of the rows.

    >>> from urisieve import deduplicate, key
    >>> list(deduplicate(["http://e.example", "HTTP://E.example:80/", "n/a", "n/a"]))
    ['http://e.example', 'n/a', 'n/a']
    >>> rows = [(1, "http://e.example"), (2, None), (3, "HTTP://E.example:80/"), (4, "urn:isbn:0395363411")]
    >>> [number for number, _ in deduplicate(rows, key=lambda row: key(row[1], default=None))]
    [1, 2, 4]

    Args:
        rows: any rows: records, dictionaries, strings.
        key: returns the key of a row, or several keys, which count as a set; a `Record` stands for its `key`. By
            default the key of a string is the `key` of the identifier that it is. A row without a key (a null, an empty
            collection, a string that is no identifier) is a duplicate of none, and stays, as with `deduplicate_rows`.
        keep: with `first` each row is yielded as soon as it is read; with `last` all rows are read and held before.
        seen: remembers the keys, a `KeySet` or a `Store`, for example over several calls; a new `KeySet` by default.
            Rows whose keys it knows already are left out, with `last`, too.

    Yields:
        the rows, unchanged.

    Raises:
        UsageError: a row is neither a record nor a string and `key` is None, a key is not a string, or `keep` is not a
            choice.
    """
    try:
        chosen = Keep(keep)
    except ValueError:
        raise UsageError(f"keep={keep!r} is not a choice; use one of 'first', 'last'") from None
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        raise UsageError(f"the rows are one {type(rows).__name__}: give a list of rows, such as records or strings")
    remembered = KeySet() if seen is None else seen
    if isinstance(remembered, type) or not hasattr(remembered, "unseen_indices"):
        raise UsageError(f"seen= is a {type(seen).__name__}: give a KeySet or a Store")
    if key is not None and not callable(key):
        raise UsageError(f"key={key!r} is no function from a row to its key, such as lambda row: key(row['url'])")
    key_of = _own_key if key is None else key
    if chosen is Keep.FIRST:
        return _first(rows, key_of, remembered)
    return _last(rows, key_of, remembered)


def _own_key(row: object) -> str | None:
    """Return the key that a row has without `key`."""
    if isinstance(row, Record):
        return row.key
    if isinstance(row, str):
        return key_of_text(row, default=None)
    if is_null(row):
        return None
    raise UsageError(f"a {type(row).__name__} has no key of its own: give key=, a function from a row to its key")


def _text(key: Any) -> str | None:
    if isinstance(key, Record):
        key = key.key
    if is_null(key):
        return None
    if isinstance(key, str):
        return joined_key((key,)) if "\n" in key else key
    try:
        keys = keys_of(key)
        return joined_key(keys) if keys else None
    except TypeError:
        raise UsageError(f"a key is {key!r}: it must be a string, several strings, or None") from None


def _first(
    rows: Iterable[Row], key_of: Callable[[Row], str | Record | Iterable[str] | None], seen: Seen
) -> Iterator[Row]:
    # One by one: if the caller stops, or `key` fails, every row whose key counts as seen has been yielded.
    for row in rows:
        key = _text(key_of(row))
        if key is None or seen.unseen_indices((key,)):
            yield row


def _last(
    rows: Iterable[Row], key_of: Callable[[Row], str | Record | Iterable[str] | None], seen: Seen
) -> Iterator[Row]:
    held = list(rows)
    keys = [_text(key_of(row)) for row in held]
    last = {key: index for index, key in enumerate(keys)}
    for index, key in enumerate(keys):
        if key is None or (last[key] == index and seen.unseen_indices((key,))):
            yield held[index]
