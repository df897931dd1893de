"""The identifiers in a field of a row, and the part of them that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from urisieve.dedupe.rows import joined_key
from urisieve.errors import UsageError
from urisieve.finder import Finder
from urisieve.identifiers import check
from urisieve.options import DEFAULT_OPTIONS, Options
from urisieve.record import Record
from urisieve.rejection import Rejection
from urisieve.scanner import Scanner

__all__ = ["row_key", "texts_of"]

_PARTS: dict[str, Callable[[Record], str]] = {
    "key": lambda record: record.key,
    "host": lambda record: record.key if record.host is None else f"//{record.host}",
    "scheme+host+path": lambda record: (
        record.key if record.host is None else f"{record.scheme}://{record.host}{record.path}"
    ),
}


def texts_of(values: Any, fields: Sequence[str]) -> Iterator[str]:
    """The texts in fields of a row: strings, bytes as UTF-8, lists of both; a name with dots leads into nested rows."""
    for field in fields:
        value = values.get(field) if isinstance(values, dict) else None
        if value is None and "." in field:
            value = values
            for name in field.split("."):
                value = value.get(name) if isinstance(value, dict) else None
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, str):
                yield one
            elif isinstance(one, bytes):  # a column of Parquet
                yield one.decode("utf-8", "replace")


def row_key(
    options: Options | None = None, by: str = "key", masked: Callable[[Record], Record] | None = None
) -> Callable[[Iterable[str]], str | None]:
    """A function from the texts of a row to its key: that of the set of identifiers in them; None if there is none.

    A text that is one identifier as a whole counts as it stands; in any other those are found that stand in it.

    Args:
        options: how identifiers are found and normalized.
        by: `key`; `host`; or `scheme+host+path`. An identifier without a host counts by its key.
        masked: gives a record without its password, where keys are kept.

    Raises:
        UsageError: `by` is no choice.
    """
    part = _PARTS.get(by)
    if part is None:
        raise UsageError(f"by={by!r} is not a choice; use one of {', '.join(map(repr, _PARTS))}")

    finder = Finder(DEFAULT_OPTIONS if options is None else options)  # what it remembers serves all rows

    def key(texts: Iterable[str]) -> str | None:
        keys: list[str] = []
        for text in texts:
            text = text.strip()
            if not text:
                continue
            found = check(text, options=options)
            records: Iterable[Record | Rejection] = (found,)
            if not isinstance(found, Record):
                records = Scanner(options, finder=finder).finish(text)
            for record in records:
                if isinstance(record, Record):
                    keys.append(part(record if masked is None or not record.warnings else masked(record)))
        return None if not keys else keys[0] if len(keys) == 1 else joined_key(keys)

    return key
