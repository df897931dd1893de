"""Keys of rows, made of the identifiers in their fields.

It holds besides:

- the values in a field of a row, which may name several places in it.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from urisieve.dedupe.deduplicate import joined_key
from urisieve.errors import UsageError
from urisieve.find.finder.finder import Finder
from urisieve.find.scanner import Scanner
from urisieve.identifiers import check
from urisieve.judge.proofs import proofs_of
from urisieve.lean import Any, Final, NamedTuple
from urisieve.options import DEFAULT_OPTIONS, EmailFinding, Options, Refang, SchemelessFinding
from urisieve.records.layouts import texts_of
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.syntax.components import without_space_around

# The values of a field: texts, and other values unchanged.
Field = Sequence[object]
# A step of a path: a name, an index, or all of a list; after a name a dot may follow.
_STEP: Final = re.compile(r"(?:\A|\.)(?P<name>[^.\[\]]+)|\[(?P<index>[0-9]*|\*)\]")
_ALL: Final = "*"


def fields_of(values: Any, fields: Sequence[str]) -> list[Field]:
    """Return the values in fields of a row of JSON or Parquet, those of a list separately.

    A field is the name of a member, else a path: names with dots between them, `[2]` for an index in a list, `[]` or
    `[*]` for all of a list, and `*` for any name, as in `authors[].url`.

    >>> fields_of({"a": [{"url": "x:1"}, {"url": "x:2"}, {}]}, ["a[].url", "b.url"])
    [['x:1', 'x:2', None], (None,)]
    """
    return [_field_of(values, field) for field in fields]


def first_name(field: str) -> str:
    """Return the name with which a path begins, "" if it does not begin with one.

    >>> first_name("authors[].url"), first_name("a.b"), first_name("[0]")
    ('authors', 'a', '')
    """
    return re.split(r"[.\[]", field, maxsplit=1)[0]


def _field_of(values: Any, field: str) -> Field:
    value = values.get(field) if isinstance(values, dict) else None
    if value is None:
        steps = _steps(field)
        if steps is not None:
            found = _at(values, steps)
            if len(found) != 1:
                return found or (None,)
            (value,) = found
    return value if isinstance(value, (list, tuple)) else (value,)


@lru_cache(maxsize=256)
def _steps(field: str) -> tuple[str | int, ...] | None:
    """Return the names and indices of a path; None for a single name, and for what is not a path."""
    steps: list[str | int] = []
    end = 0
    for match in _STEP.finditer(field):
        if match.start() != end:
            return None
        end = match.end()
        name, index = match.group("name", "index")
        steps.append(name or (int(index) if index.isdigit() else "[]"))
    is_path = end == len(field) and (len(steps) > 1 or steps in ([_ALL], ["[]"]) or steps[:1] != [field])
    return tuple(steps) if is_path and steps else None


def _at(top: Any, steps: Sequence[str | int]) -> list[Any]:
    """Return the values at a path."""
    found = [top]
    for step in steps:
        inner: list[Any] = []
        for value in found:
            if isinstance(value, dict):
                inner += value.values() if step == _ALL else [value.get(step)]
            elif isinstance(value, (list, tuple)) and step == "[]":
                inner += value
            elif isinstance(value, (list, tuple)) and isinstance(step, int):
                inner += value[step : step + 1]
        found = inner
    return found


# Separates the keys of several fields; in the output of `joined_key` no line feed is followed by a 2.
_BETWEEN_FIELDS: Final = "\n2"

_PARTS: dict[str, Callable[[Record], str]] = {
    "key": lambda record: record.key,
    "host": lambda record: record.key if record.host is None else f"//{record.host}",
    "scheme+host+path": lambda record: (
        record.key if record.host is None else f"{record.scheme}://{record.host}{record.path}"
    ),
}


_EMPTY: Final = "empty"
_NO_TEXT: Final = "no-text"


class RowFields(NamedTuple):
    """The fields of some rows.

    Attributes:
        rows: those of each row; None for a row without content.
        texts: for each field the texts of all rows: their offsets, as numbers of 32 bits, and their UTF-8; if there are
            any, `rows` is empty.
    """

    rows: Sequence[Sequence[Field] | None] = ()
    texts: Sequence[tuple[bytes, bytes]] = ()


class RowKeys:
    """Makes the keys of rows: that of the identifier in a field, or that of the set of identifiers in a list.

    A field is delimited: all of it must be one identifier (RFC 3986 Appendix C). A row in which a field, or a value of
    a list, is anything else has no key, so that no two rows that differ in it are merged; empty values are ignored. A
    field that names several places in a row (`authors[].url`) has the values of all of them, as a list has. Two rows
    with several fields have the same key if the keys of all their fields are the same.

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
        # Makes the keys of the texts that the kernel has read, if it can.
        self._proof = proofs_of(self._options).texts if by == "key" else None
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

    def of(self, fields: RowFields) -> list[str | None]:
        """Return the keys of many rows, as `self` does of each; one without content has none."""
        if not fields.texts:
            return [None if row is None else self(row) for row in fields.rows]
        texts = [_Texts(*field) for field in fields.texts]
        count = len(texts[0])
        keys: list[str | None] = [None] * count
        if self._proof is not None:
            proved = [texts_of(*self._proof(one.data, one.offsets, False)[1:]) for one in texts]
            keys = list(proved[0] if len(proved) == 1 else map(_joined_fields, zip(*proved, strict=True)))
        for index in [index for index, key in enumerate(keys) if not key]:
            keys[index] = self([(one[index],) for one in texts])
        return keys

    def _key(self, value: object) -> str | _Miss | None:
        if isinstance(value, bytes):  # a column of Parquet
            value = value.decode("utf-8", "replace")
        elif value is None:
            return None
        elif not isinstance(value, str):
            return _Miss(_NO_TEXT)
        text = without_space_around(value)
        if not text:
            return None
        found = check(value, options=self._judged_by)
        if isinstance(found, Rejection) and self._finds_others:
            values = Scanner(self._options, finder=self._finder).finish(text)
            if len(values) == 1 and (values[0].start, values[0].end) == (0, len(text)):
                found = values[0]
        if isinstance(found, Rejection):
            return _Miss(str(found.reason))
        return self._part(found if self._masked is None or not found.warnings else self._masked(found))


class _Texts:
    """Texts in the layout of Arrow."""

    def __init__(self, offsets: bytes, data: bytes) -> None:
        self.offsets = offsets
        self.data = data
        self._bounds = array("i", offsets)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, index: int) -> str:
        return self.data[self._bounds[index] : self._bounds[index + 1]].decode()


def _joined_fields(keys: Sequence[str]) -> str:
    """Return the key of a row with several fields; "" if one of them has none."""
    return _BETWEEN_FIELDS.join(keys) if all(keys) else ""


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
