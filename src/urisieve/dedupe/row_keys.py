"""Keys of rows, made of the identifiers in their fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from urisieve.dedupe.deduplicate import joined_key
from urisieve.errors import UsageError
from urisieve.find.finder.finder import Finder
from urisieve.find.scanner import Scanner
from urisieve.identifiers import check
from urisieve.lean.hints import Any, Final
from urisieve.lean.values import NamedTuple
from urisieve.options import DEFAULT_OPTIONS, EmailFinding, Options, Refang, SchemelessFinding
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.syntax.components import SPACES

__all__ = ["RowKeys", "fields_of"]

# Separates the keys of several fields; in the output of `joined_key` no line feed is followed by a 2.
_BETWEEN_FIELDS: Final = "\n2"

_PARTS: dict[str, Callable[[Record], str]] = {
    "key": lambda record: record.key,
    "host": lambda record: record.key if record.host is None else f"//{record.host}",
    "scheme+host+path": lambda record: (
        record.key if record.host is None else f"{record.scheme}://{record.host}{record.path}"
    ),
}


# The values of a field: texts, and other values unchanged.
Field = Sequence[object]
_EMPTY: Final = "empty"
_NO_TEXT: Final = "no-text"


def fields_of(values: Any, fields: Sequence[str]) -> list[Field]:
    """Return the values in fields of a row, those of a list separately; a name with dots is a path in nested rows."""
    found: list[Field] = []
    for field in fields:
        value = values.get(field) if isinstance(values, dict) else None
        if value is None and "." in field:
            value = values
            for name in field.split("."):
                value = value.get(name) if isinstance(value, dict) else None
        found.append(value if isinstance(value, (list, tuple)) else (value,))
    return found


class RowKeys:
    """Makes the keys of rows: that of the identifier in a field, or that of the set of identifiers in a list.

    A field is delimited: all of it must be one identifier (RFC 3986 Appendix C). A row in which a field, or a value of
    a list, is anything else has no key, so that no two rows that differ in it are merged; empty values are ignored. Two
    rows with several fields have the same key if the keys of all their fields are the same.

    Args:
        options: how identifiers are judged and normalized. If they find identifiers without a scheme, or defanged ones,
            a field may hold one of these.
        by: `key`, `host` or `scheme+host+path`. The key of an identifier without a host is its `key`.
        masked: returns a record with its password replaced, for keys that are stored.

    Raises:
        UsageError: `by` is not a choice.
    """

    def __init__(
        self, options: Options | None = None, by: str = "key", masked: Callable[[Record], Record] | None = None
    ) -> None:
        part = _PARTS.get(by)
        if part is None:
            raise UsageError(f"by={by!r} is not a choice; use one of {', '.join(map(repr, _PARTS))}")
        self._part = part
        self._options = DEFAULT_OPTIONS if options is None else options
        # The default options are quicker as None.
        self._judged_by = None if self._options == DEFAULT_OPTIONS else self._options
        self._masked = masked
        self._finder = Finder(self._options)  # its caches serve all rows
        self._finds_others = (
            self._options.schemeless != SchemelessFinding.OFF
            or self._options.email != EmailFinding.OFF
            or self._options.refang != Refang.OFF
        )
        self.unmatched: Counter[str] = Counter()
        """The number of rows without a key, by reason: that of a rejection, `empty`, or `no-text`."""

    def __call__(self, fields: Iterable[Field]) -> str | None:
        """Return the key of a row with these fields; None, counted in `unmatched`, if it has none."""
        keys: list[str] = []
        for values in fields:
            of_field: set[str] = set()
            for value in values:
                found = self._key(value)
                if isinstance(found, _Miss):
                    self.unmatched[found.reason] += 1
                    return None
                if found is not None:
                    of_field.add(found)
            keys.append(_joined(of_field))
        if not any(keys):
            self.unmatched[_EMPTY] += 1
            return None
        return keys[0] if len(keys) == 1 else _BETWEEN_FIELDS.join(keys)

    def _key(self, value: object) -> str | _Miss | None:
        if isinstance(value, bytes):  # a column of Parquet
            value = value.decode("utf-8", "replace")
        elif value is None:
            return None
        elif not isinstance(value, str):
            return _Miss(_NO_TEXT)
        text = value.strip(SPACES)
        if not text:
            return None
        found = check(text, options=self._judged_by)
        if isinstance(found, Rejection) and self._finds_others:
            values = Scanner(self._options, finder=self._finder).finish(text)
            if len(values) == 1 and (values[0].start, values[0].end) == (0, len(text)):
                found = values[0]
        if isinstance(found, Rejection):
            return _Miss(str(found.reason))
        return self._part(found if self._masked is None or not found.warnings else self._masked(found))


def _joined(keys: set[str]) -> str:
    """Return `joined_key` of some keys; that of one is nearly always the key itself."""
    if len(keys) == 1:
        (one,) = keys
        if "\n" not in one:
            return one
    return joined_key(keys) if keys else ""


class _Miss(NamedTuple):
    """The reason why a value is not an identifier."""

    reason: str
