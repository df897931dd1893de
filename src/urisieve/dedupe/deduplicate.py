"""Removal of duplicate rows and records by their keys, which are made of the identifiers in the fields of a row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache

from urisieve import shapes
from urisieve.dedupe.keeping import Keep, moment_at
from urisieve.dedupe.keyset import KeySet
from urisieve.dedupe.signature import AlikeKeys, By, signature
from urisieve.errors import UsageError
from urisieve.find.finder.finder import Finder
from urisieve.find.searches import make_search
from urisieve.finding_options import DEFAULT_OPTIONS, Options, checked, choice, finds_unwritten, merging_of
from urisieve.identifiers import check
from urisieve.identifiers import key as key_of_text
from urisieve.judge.proofs import proofs_of
from urisieve.judge.templates import template_of
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar, late
from urisieve.merging import MergeStep
from urisieve.records.batch import Batch, BatchBuffer
from urisieve.records.filtering import Filter
from urisieve.records.layouts import Columns, texts_of
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.rules.table import RuleTable
from urisieve.shapes import is_null
from urisieve.syntax.components import without_space_around

if TYPE_CHECKING:
    from urisieve.records.sink import Seen
else:
    Seen = late("urisieve.records.sink", "Seen")


def joined_key(keys: Iterable[str]) -> str:
    """Return the key of a set of keys, whatever their order and number.

    That of a single key is the key itself. A line feed in a key, which no identifier has, is escaped, so that different
    sets have different keys.
    """
    return "\n0".join(sorted({key.replace("\n", "\n1") if "\n" in key else key for key in keys}))


def key_of_fields(keys: Sequence[str]) -> str | None:
    """Return the key of a row, of `joined_key` of each of its fields; None if all of them are empty."""
    if not any(keys):
        return None
    return keys[0] if len(keys) == 1 else _BETWEEN_FIELDS.join(keys)


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
    return value if isinstance(value, (list, tuple)) else tuple(value) if isinstance(value, Set) else (value,)


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
    "domain": lambda record: f"//{record.domain}" if record.domain is not None else record.key,
    "template": lambda record: template_of(record.uri),
    "scheme+host+path": lambda record: (
        record.key if record.host is None else f"{record.scheme}://{record.host}{record.path}"
    ),
}


# The key of a row that lists leave out: no identifier has it.
LEFT_OUT: Final = "\n3"
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
            a field may contain one of these.
        by: `key`, `host`, `domain`, `template` or `scheme+host+path`. The key of an identifier without a host, or a
            registrable domain, is its `key`.
        masked: returns a record with its password replaced, for keys that are stored.
        lists: which identifiers are wanted, by its `known` and `unknown`: a row has the key `LEFT_OUT` if one of its
            identifiers is in the latter, or none in the former.
        alike: refuses records in fields whose keys were made by other options.

    Raises:
        UsageError: `by` is not a choice.
    """

    def __init__(
        self,
        options: Options | None = None,
        by: str = "key",
        masked: Callable[[Record], Record] | None = None,
        lists: Filter | None = None,
        alike: AlikeKeys | None = None,
    ) -> None:
        self._part = _PARTS[choice(By, by, "by")]
        self._options = DEFAULT_OPTIONS if options is None else options
        # The default options are quicker as None.
        self._judged_by = None if self._options == DEFAULT_OPTIONS else self._options
        self._masked = masked
        self._lists = lists
        self._alike = alike
        self._records: list[Record] = []  # those of a row, for the lists
        self._finder = Finder(self._options)  # its caches serve all rows
        self._finds_others = finds_unwritten(self._options)
        # Makes the keys of the texts that the kernel has read, if it can.
        self._proof = proofs_of(self._options).texts if by == "key" else None
        if lists is not None and MergeStep.ARCHIVE_KEY in merging_of(self._options).steps:
            self._proof = None  # such a key does not tell its host
        self.unmatched: Counter[str] = Counter()
        """The number of rows without a key, by reason: that of a rejection, `empty`, or `no-text`."""

    def __call__(self, fields: Iterable[Field]) -> str | None:
        """Return the key of a row with these fields; None, counted in `unmatched`, if it has none."""
        keys: list[str] = []
        self._records.clear()
        for values in fields:
            of_field: set[str] = set()
            for value in values:
                found = self._key(value)
                if isinstance(found, _Miss):
                    self.unmatched[found.reason] += 1
                    return None
                if found is not None:
                    of_field.add(found)
            keys.append(joined_key(of_field))
        made = key_of_fields(keys)
        if made is None:
            self.unmatched[_EMPTY] += 1
        elif self._lists is not None and not _are_wanted([Batch.of([one]) for one in self._records], self._lists)[0]:
            return LEFT_OUT
        return made

    def of(self, fields: RowFields) -> list[str | None]:
        """Return the keys of many rows, as `self` does of each; one without content has none."""
        if not fields.texts:
            return [None if row is None else self(row) for row in fields.rows]
        keys: list[str | None] = [None] * (len(memoryview(fields.texts[0][0]).cast("i")) - 1)
        if self._proof is not None:
            proved = [texts_of(*self._proof(data, offsets, False)[1:]) for offsets, data in fields.texts]
            keys = [_BETWEEN_FIELDS.join(row) if all(row) else "" for row in zip(*proved, strict=True)]
            if self._lists is not None:
                wanted = _are_wanted(list(map(_batch_of, proved)), self._lists)
                keys = [key and (key if wanted[index] else LEFT_OUT) for index, key in enumerate(keys)]
        undecided = [index for index, key in enumerate(keys) if not key]
        texts = [texts_of(*field) for field in fields.texts] if undecided else []
        for index in undecided:
            keys[index] = self([(one[index],) for one in texts])
        return keys

    def _key(self, value: object) -> str | _Miss | None:
        if isinstance(value, Record):
            if self._alike is not None:
                self._alike.check({value._rules})
            return self._part(value)
        if isinstance(value, bytes):  # a column of Parquet
            value = value.decode("utf-8", "replace")
        elif not isinstance(value, str):
            return None if is_null(value) else _Miss(_NO_TEXT)
        text = without_space_around(value)
        if not text:
            return None
        found = check(value, options=self._judged_by)
        if isinstance(found, Rejection) and self._finds_others:
            buffer = BatchBuffer()
            make_search(self._options, buffer, finder=self._finder).finish(text)
            values = buffer.taken().found()
            if len(values) == 1 and (values[0].start, values[0].end) == (0, len(text)):
                found = values[0]
        if isinstance(found, Rejection):
            return _Miss(str(found.reason))
        if self._lists is not None:
            self._records.append(found)
        return self._part(found if self._masked is None or not found.warnings else self._masked(found))


def _batch_of(keys: Sequence[str]) -> Batch:
    """Return a batch of the identifiers that are their own keys; "" for none."""
    every = [key or "urn:" for key in keys]
    return Batch(Columns(len(every), {"uri": every, "key": every}))


def _are_wanted(columns: Sequence[Batch], lists: Filter) -> list[bool]:
    """Report for each row whether lists want it, by the columns of its identifiers."""

    def among(listed: Any) -> list[bool]:
        return list(map(any, zip(*map(listed.held, columns), strict=True)))

    wanted = [True] * len(columns[0])
    if lists.known is not None:
        wanted = among(lists.known)
    if lists.unknown is not None:
        wanted = [one and not other for one, other in zip(wanted, among(lists.unknown), strict=True)]
    return wanted


class _Miss(NamedTuple):
    """The reason why a value is not an identifier."""

    reason: str


Row = TypeVar("Row")
# What `key` returns: a key, a set of them, or one for each of several fields.
_Part: TypeAlias = str | Record | Set[str | Record] | None
_Key: TypeAlias = _Part | tuple[_Part, ...]


def deduplicate(
    rows: Iterable[Row],
    *,
    field: str | Sequence[str] | None = None,
    key: Callable[[Row], _Key] | None = None,
    options: Options | None = None,
    keep: Keep | str = Keep.FIRST,
    seen: Seen | None = None,
) -> Iterator[Row]:
    """Yield the first (or last, earliest, latest) row of each key, and each row without one, in the order of the rows.

    >>> from urisieve import deduplicate, key
    >>> list(deduplicate(["http://e.example", "HTTP://E.example:80/", "n/a", "n/a"]))
    ['http://e.example', 'n/a', 'n/a']
    >>> rows = [{"id": 1, "url": "http://e.example"}, {"id": 2, "url": ""}, {"id": 3, "url": "HTTP://E.example:80/"}]
    >>> [row["id"] for row in deduplicate(rows, field="url")]
    [1, 2]
    >>> links = [("a:1", "b:2"), ("b:2", "a:1"), ("A:1", "b:2")]
    >>> list(deduplicate(links, key=lambda link: (link[0], link[1])))
    [('a:1', 'b:2'), ('b:2', 'a:1')]

    Args:
        rows: any rows: records, strings, mappings, objects.
        field: the field of rows that are mappings, or several, as `dedupe --field` of the command takes them: a name,
            else a path such as `authors[].url`. A row in which one of them is neither empty nor an identifier has no
            key. A list or a set in a field counts as a set, a `Record` by its `key`, bytes as
            their text in UTF-8. A field that contains no identifier in any row keeps all rows.
        key: returns the key of a row: a string, which counts by its `key` if it is an identifier, else as it is; a
            `Record`, by its `key`; a tuple of these, whose places count, and of which some may be None; or a set, whose
            order does not count. By default the key of a string is that of the identifier that it is. A row without a
            key (None, an empty set, a tuple of None, by default a string that is no identifier) is a duplicate of none,
            and stays, as with `deduplicate_rows`.
        options: how identifiers are judged and normalized; give those by which the keys were made that `key` returns.
            By default those of a store that is `seen`, else the default options. Records have the keys by which they
            were found: where `options` or a store is given, records that were found with others are refused.
        keep: with `first` each row is yielded as soon as it is read; else all rows are read and kept before. With
            `earliest` and `latest` rows are records, whose times count, if they were asked for
            (`ReadingOptions.context`); see `Keep`.
        seen: remembers the keys, a `KeySet` or a `Store`, for example over several calls; a new `KeySet` by default.
            Rows whose keys it knows already are left out, whatever `keep` is.

    Yields:
        the rows, unchanged.

    Raises:
        UsageError: `seen` is a store whose keys were made by other options than `options`, or are another part of
            identifiers; a record was found with other options; a row is neither a record nor a string, and there is
            neither `key` nor `field`; a row is no mapping, or no row has the field; `key` returns something else, such
            as a list; or `keep` is not a choice, or compares times and a row is no record.
    """
    shapes.rows("rows", rows)
    shapes.function("key", key, "lambda row: key(row['url'])")
    keep = choice(Keep, keep, "keep")
    remembered = KeySet() if seen is None else seen
    if isinstance(remembered, type) or not hasattr(remembered, "unseen_indices"):
        raise shapes.wrong("seen", seen, "a KeySet or a Store")
    store: Any = remembered if hasattr(remembered, "_options_of_keys") else None
    if store is None:
        chosen = checked(options)
        alike = None if options is None else AlikeKeys(signature(chosen), _other_records)
    else:
        chosen, alike = store._options_of_keys(options, is_key=key is None), store._alike
    keys: Iterator[tuple[Row, str | None]]
    if field is None:
        key_of = _GivenKey(key, chosen, alike)
        keys = ((row, key_of(row)) for row in rows)
    elif key is None:
        keys = _keys_in(rows, shapes.one_or_several_names("field", field), RowKeys(chosen, alike=alike))
    else:
        raise UsageError("field= and key= are two ways to the key of a row: give one")
    return _first(keys, remembered) if keep is Keep.FIRST else _kept(keys, remembered, keep)


def _other_records(theirs: str, own: str) -> str:
    return (
        f"the keys of these records were made by {theirs}, those of this call by {own}: give options= by which the "
        "records were found"
    )


def _keys_in(rows: Iterable[Row], fields: Sequence[str], keys: RowKeys) -> Iterator[tuple[Row, str | None]]:
    """Yield rows with the keys of their fields.

    Raises:
        UsageError: a row is no mapping, or no row has a field.
    """
    missing = set(fields)
    first: Any = None
    for row in rows:
        if not isinstance(row, Mapping):
            raise shapes.wrong(
                "a row", row, "a mapping, since field= is given: give key=, a function from a row to its key"
            )
        values = row if isinstance(row, dict) else dict(row)
        found = fields_of(values, fields)
        if missing:
            first = values if first is None else first
            missing -= {name for name, held in zip(fields, found, strict=True) if name in values or set(held) != {None}}
        yield row, keys(found)
    if missing and first is not None:
        names, held = ", ".join(map(repr, sorted(missing))), ", ".join(map(repr, first))
        raise UsageError(f"field: no row has {names}; the first row has {held}")


class _GivenKey:
    """Returns the key of a row by what a function returns of it; by default the one that a row has of its own.

    Args:
        key: the function.
        options: how identifiers are judged and normalized.
        alike: refuses records whose keys were made by others.
    """

    def __init__(self, key: Callable[[Any], Any] | None, options: Options, alike: AlikeKeys | None) -> None:
        self._function = key
        self._alike = alike
        self._rules: RuleTable | None = None  # of the record before
        self._options = options
        self._proved = proofs_of(options).key
        # Without a colon a text is no identifier, unless some of these are.
        self._needs_colon = not options.bare

    def __call__(self, row: Any) -> str | None:
        """Return the key of a row; None if it has none."""
        if self._function is None:
            return self._own(row)
        found = self._function(row)
        if isinstance(found, tuple):
            return key_of_fields([self._part(part) for part in found])
        return self._part(found) or None

    def _own(self, row: object) -> str | None:
        """Return the key that a row has without `key`."""
        if isinstance(row, str):
            made = self._proved(row)
            return key_of_text(row, options=self._options, default=None) if made is None else made
        if isinstance(row, Record):
            return self._record(row)
        if shapes.is_null(row):
            return None
        how = "field=, the name of a field, or key=" if isinstance(row, Mapping) else "key="
        raise UsageError(f"a {type(row).__name__} has no key of its own: give {how}, a function from a row to its key")

    def _part(self, found: Any) -> str:
        """Return the key of one field; "" if it has none."""
        if isinstance(found, str):
            return joined_key((self._text(found),))
        if isinstance(found, Record):
            return self._record(found)
        if isinstance(found, Set):
            return joined_key([self._record(one) if isinstance(one, Record) else self._text(one) for one in found])
        if shapes.is_null(found):
            return ""
        raise shapes.wrong("a key", found, "a string, a Record, None, a tuple, whose places count, or a set")

    def _record(self, record: Record) -> str:
        if self._alike is not None and record._rules is not self._rules:
            self._rules = record._rules
            self._alike.check({record._rules})
        return record.key

    def _text(self, text: Any) -> str:
        """Return the key of the identifier that a text is; of another the text."""
        if not isinstance(text, str):
            raise shapes.wrong("a key", text, "a string or a Record")
        made = self._proved(text)
        if made is not None or (self._needs_colon and ":" not in text):
            return text if made is None else made
        return key_of_text(text, options=self._options, default=text)


def _first(keys: Iterable[tuple[Row, str | None]], seen: Seen) -> Iterator[Row]:
    # One by one: if the caller stops, or `key` fails, every row whose key counts as seen has been yielded.
    for row, key in keys:
        if key is None or seen.unseen_indices([key]):
            yield row


def _kept(keys: Iterable[tuple[Row, str | None]], seen: Seen, keep: Keep) -> Iterator[Row]:
    held = list(keys)
    moments = [_moment_of(row, keep) for row, _ in held] if keep.is_by_time else [""] * len(held)
    kept: dict[str | None, int] = {}
    for index, (_, key) in enumerate(held):
        known = kept.get(key)
        if known is None or keep.replaces(moments[index], moments[known]):
            kept[key] = index
    for index, (row, key) in enumerate(held):
        if key is None or (kept[key] == index and seen.unseen_indices([key])):
            yield row


def _moment_of(row: object, keep: Keep) -> str:
    if isinstance(row, Record):
        return moment_at(row._location)
    raise UsageError(
        f"keep={str(keep)!r} compares the times of records: a {type(row).__name__} has none; sort the rows by their "
        "time, and keep the first"
    )
