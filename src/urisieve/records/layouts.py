"""How a batch stores its rows: `Columns`, the plain layout, and columns of which many rows share a value.

`Columns` defines what a layout answers. `urisieve.records.harvested` has the one of what the compiled kernel has found.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, repeat

from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, TypeAlias, lazy_compile
from urisieve.records.base import CONTEXT_NAMES, PLACE_NAMES, Location, RecordFields
from urisieve.records.record import Record, make_records
from urisieve.rules.table import RuleTable
from urisieve.wording import did_you_mean

if TYPE_CHECKING:
    from urisieve.codes import Warn
    from urisieve.kernel import kernel
    from urisieve.syntax.components import Components

    Harvest: TypeAlias = kernel.Harvest
else:
    Harvest = object  # of the kernel, which need not be there


# The columns that a batch may contain, in the order of the values in a row.
COLUMNS: Final = RecordFields._fields
# Those without which no record can be made, and what stands for each of the others where it was not asked for.
_NEEDED: Final = ("raw", "uri", "key")
_DEFAULTS: Final = RecordFields("", "", "")._asdict()
# The columns that are derived from `uri`, with the other columns that each one needs.
DERIVED: Final = {
    **dict.fromkeys(("scheme", "userinfo", "host", "host_kind", "port", "path", "query", "fragment", "nid", "nss"), ()),
    "iri": (),
    "surt": (),
    "kind": ("raw",),
    "domain": (),
    "template": (),
}
_FEW_OF: Final = 16  # rows for each one that is looked at, so that it pays to select them
_NOTHING: Final[Mapping[str, Any]] = {}
_HEAD: Final = lazy_compile(r"[Uu][Rr][Nn]:[^:\n]*+|[^:\n]*+:(?://[^/?#\n]*+)?")


def no_column(name: object) -> UsageError:
    """Return the error for a column that does not exist, or was not asked for."""
    known = [*COLUMNS, *DERIVED]
    if name in known:
        return UsageError(f"this batch has no column {name!r}: ask for it by columns=, where the batch is made")
    if name in PLACE_NAMES or name in CONTEXT_NAMES:
        read = "" if name in PLACE_NAMES else ", which has it if files are read with ReadingOptions(context=True)"
        return UsageError(f"there is no column {name!r}: it is part of the column 'location'{read}")
    return UsageError(f"there is no column {name!r}{did_you_mean(str(name), known)}; there are {', '.join(known)}")


def encoded_text(text: str) -> bytes:
    """Encode a text for output: bytes that were not UTF-8 in the input are written unchanged."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def ended_lines(lines: Sequence[str]) -> bytes:
    """Return lines with their ends, as bytes."""
    return encoded_text("\n".join((*lines, ""))) if lines else b""


def texts_of(offsets: bytes, data: bytes) -> list[str]:
    """Return texts that are in the layout of Arrow: their offsets as numbers of 32 bits, and their UTF-8."""
    bounds = memoryview(offsets).cast("i").tolist()
    if data.isascii():
        text = data.decode("ascii")
        return [text[start:end] for start, end in pairwise(bounds)]
    return [data[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(bounds)]


def as_numbers(values: Sequence[int]) -> array[int] | memoryview:
    """Return numbers as those of 64 bits.

    Raises:
        TypeError: one of them is None.
    """
    return values if isinstance(values, memoryview) and values.format == "q" else array("q", values)


class SharedValues(Sequence[Any]):
    """Values of rows of which many share one: the different ones, and for each row the index of its own.

    >>> values = SharedValues.of(["a", "a", "b"]).changed(str.upper)
    >>> list(values), values[1], values.values, list(values.numbers)
    (['A', 'A', 'B'], 'A', ['A', 'B'], [0, 0, 1])

    Args:
        values: the values; some may be equal, and some may be that of no row.
        numbers: their indices.
    """

    __slots__ = ("_values", "numbers")

    def __init__(self, values: Sequence[Any], numbers: Sequence[int]) -> None:
        self._values = values
        self.numbers = numbers

    @property
    def values(self) -> Sequence[Any]:
        """The different values."""
        return self._values

    @classmethod
    def of(cls, values: Sequence[Any]) -> SharedValues:
        """Return values of which the same object counts as one."""
        if isinstance(values, cls):
            return values
        each = {id(value): value for value in values}
        indices = dict(zip(each, range(len(each)), strict=True))
        return cls([*each.values()], [*map(indices.__getitem__, map(id, values))])

    def changed(self, change: Callable[[Any], Any]) -> SharedValues:
        """Return what a function makes of the values: it is called once for each different one."""
        return SharedValues(list(map(change, self.values)), self.numbers)

    def packed(self) -> bytes:
        """Return the indices as numbers of 32 bits."""
        numbers = self.numbers
        if isinstance(numbers, memoryview):
            return bytes(numbers)
        return array("I", list(numbers)).tobytes()

    def select(self, indices: Sequence[int]) -> SharedValues:
        """Return the values at some indices, in the given order."""
        return SharedValues(self.values, list(map(self.numbers.__getitem__, indices)))

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Any]:
        return map(self.values.__getitem__, self.numbers)

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index] if isinstance(index, slice) else self.values[self.numbers[index]]


class RowLocations(SharedValues):
    """Locations of rows that state no more than a field and a row, made when they are asked for as such.

    >>> places = RowLocations(SharedValues(["url"], [0, 0]), array("q", [2, 3]))
    >>> [place.row for place in places], places.fields.values, places.rows
    ([2, 3], ['url'], array('q', [2, 3]))

    Args:
        fields: the field of each.
        rows: the row of each, as numbers of 64 bits.
    """

    __slots__ = ("fields", "rows")

    def __init__(self, fields: SharedValues, rows: array[int]) -> None:
        super().__init__((), range(len(rows)))
        self.fields = fields
        self.rows = rows

    @property
    def values(self) -> Sequence[Location]:
        """The locations."""
        if not self._values:
            pairs = zip(self.fields, self.rows, strict=True)
            self._values = [Location(None, None, None, field, row) for field, row in pairs]
        return self._values

    def select(self, indices: Sequence[int]) -> SharedValues:
        """See `SharedValues.select`."""
        return RowLocations(self.fields.select(indices), array("q", map(self.rows.__getitem__, indices)))


def selected(values: Sequence[Any], indices: Sequence[int]) -> Sequence[Any]:
    """Return the values of a column at some indices, in the given order."""
    return values.select(indices) if isinstance(values, SharedValues) else list(map(values.__getitem__, indices))


class Columns:
    """Rows as columns: a sequence of values for each column, or one value that all rows share.

    Attributes:
        length: the number of rows.
        constants: the values that all rows share, by column.
        harvest: the findings of the kernel that contain the rows; None for any other rows.
        by_kernel: the names of the columns whose values `harvest` has.
        has_readings: whether there are other readings that neither `harvest` nor the finder has found.
        may_hold_passwords: whether there may be a password in a row.
    """

    __slots__ = ("_columns", "constants", "length")

    harvest: Harvest | None = None
    by_kernel: frozenset[str] = frozenset()
    has_readings: bool = False
    may_hold_passwords = True

    def __init__(
        self, length: int, columns: Mapping[str, Sequence[Any]], constants: Mapping[str, Any] = _NOTHING
    ) -> None:
        self.length = length
        self.constants = constants
        self._columns: dict[str, Sequence[Any]] = dict(columns)

    @staticmethod
    def following(layouts: Sequence[Columns], names: Iterable[str]) -> Columns:
        """Return the rows of some layouts, which have the same columns, one after the other."""
        columns: dict[str, list[Any]] = {}
        constants: dict[str, Any] = {}
        for name in names:
            held = [one.constants[name] for one in layouts if name in one.constants]
            if len(held) == len(layouts) and all(value == held[0] for value in held):
                constants[name] = held[0]
            else:
                columns[name] = [value for one in layouts for value in one.held(name)]
        return Columns(sum([one.length for one in layouts]), columns, constants)

    @property
    def names(self) -> Collection[str]:
        """The names of the columns whose values differ."""
        return self._columns.keys()

    def column(self, name: str) -> Sequence[Any] | None:
        """Return the values of a column; None if it is not present."""
        values = self._columns.get(name)
        if values is None and name in self.constants:
            return [self.constants[name]] * self.length
        return values

    def constant(self, name: str) -> Any:
        """Return the value that all rows share in a column; its default if it was not asked for."""
        return self.constants[name] if name in self.constants else _DEFAULTS[name]

    def locations(self) -> SharedValues:
        """Return the column `location`."""
        values = None if "location" in self.constants else self.column("location")
        # A byte without a value is 0, for each row.
        if values is not None:
            self._columns["location"] = shared = SharedValues.of(values)  # asked for by each part of a location
            return shared
        return SharedValues((self.constant("location"),), bytes(self.length))

    def all(self) -> Mapping[str, Sequence[Any]]:
        """Return the columns whose values differ."""
        return self._columns

    def add(self, name: str, values: Sequence[Any]) -> None:
        """Add a column."""
        self._columns[name] = values

    def without(self, names: frozenset[str]) -> Columns:
        """Return the same rows without some columns."""
        columns = {name: values for name, values in self._columns.items() if name not in names}
        return Columns(self.length, columns, self._others(names))

    def _others(self, names: Collection[str]) -> Mapping[str, Any]:
        return {name: value for name, value in self.constants.items() if name not in names}

    def replaced(self, columns: Mapping[str, Sequence[Any]]) -> Columns:
        """Return the same rows with other values in some columns."""
        return Columns(self.length, {**self.all(), **columns}, self._others(columns))

    def select(self, indices: Sequence[int]) -> Columns:
        """Return the rows at some indices, in the given order."""
        columns = {name: selected(values, indices) for name, values in self.all().items()}
        return Columns(len(indices), columns, self.constants)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the rows as tuples in the order of `COLUMNS`; a column that was not asked for has its default value.

        Raises:
            UsageError: `raw`, `uri` or `key` is missing.
        """
        columns = self.all()
        for name in _NEEDED:
            if name not in columns:
                raise no_column(name)
        values = [columns[name] if name in columns else repeat(self.constant(name), self.length) for name in COLUMNS]
        return zip(*values, strict=True)

    def records(self, rules: RuleTable, parts: Mapping[int, Components]) -> list[Record]:
        """Return a record for each row, by a rule table; `parts` are the components that do not follow from a URI."""
        return make_records(self.rows(), self.length, rules, parts)

    def component(self, name: str) -> list[str | None] | None:
        """Return a component of each canonical form; None if the forms have to be split."""
        del name
        return None

    def hosts(self) -> tuple[Sequence[str | None], Sequence[int]] | None:
        """Return the different hosts, and for each row the number of its own; None if the forms have to be split."""
        return None

    def warned(self) -> list[int]:
        """Return the indices of the rows with warnings."""
        return [index for index, codes in enumerate(self._columns.get("warnings", ())) if codes]

    def codes_at(self, indices: Sequence[int]) -> Sequence[tuple[Warn, ...]]:
        """Return the warnings of the rows at some indices; of few rows without a list of those of all rows."""
        if len(indices) * _FEW_OF < self.length:
            return self.select(indices).held("warnings")
        codes = self.held("warnings")
        return [codes[index] for index in indices]

    def alternatives(self) -> Mapping[int, tuple[str, ...]]:
        """Return the other readings of the rows that have some, by the indices of the rows in their order."""
        return {index: texts for index, texts in enumerate(self.column("alternatives") or ()) if texts}

    def lines(self) -> bytes:
        """Return the canonical forms as lines of text."""
        return ended_lines(self.held("uri"))

    def digest_for(self, seen: Any) -> None:
        """Make the digests that `new_lines` of this set will need, if that saves time there; see `KeySet`."""

    def new_lines(self, seen: Any) -> tuple[bytes, int]:
        """Add the keys to a set of digests; return the canonical forms of the new ones as lines, and their number."""
        uris = self.held("uri")
        new = [uris[index] for index in seen.unseen_indices(list(self.held("key")))]
        return ended_lines(new), len(new)

    def heads(self) -> list[str]:
        """Return the head of each canonical form: its scheme and authority, or the namespace of a URN."""
        return [match[0] if (match := _HEAD.match(uri)) else "" for uri in self.held("uri")]

    def buffers(self, names: tuple[str, ...]) -> Sequence[tuple[bytes | None, ...]]:
        """Return some columns of `by_kernel`, or that follow from them, in the layout of Arrow."""
        del names
        return ()

    def in_texts(
        self, begins: Sequence[int] | memoryview, first: int
    ) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
        """Return for each row the number of its text, and its start and end in that text.

        Args:
            begins: the offset of each of many joined texts in the whole, in characters from 0; rising.
            first: the number of a text from which on the rows come.

        Returns:
            three sequences of numbers: lists, or memory of 64-bit numbers.
        """
        return placed_in_texts(begins, first, self.held("start"), self.held("end"))

    def joined(self, other: Columns, order: Sequence[int]) -> Columns | None:
        """Return rows of two layouts in an order in which those of the other one follow on these; None if it cannot."""
        del other, order
        return None

    def unfilled(self, whole: str, begins: memoryview, skipped: list[int]) -> Sequence[int] | None:
        """Return the indices of the texts that begin as links and that no row takes up to their end; None if it cannot.

        Args:
            whole: the texts, joined.
            begins: the offset of each in it, and of one more.
            skipped: the rising indices of rows that do not count.
        """
        del whole, begins, skipped
        return None

    def held(self, name: str) -> Sequence[Any]:
        """Return the values of a column.

        Raises:
            UsageError: it is not present.
        """
        values = self.column(name)
        if values is None:
            raise no_column(name)
        return values


def placed_in_texts(
    begins: Sequence[int] | memoryview, first: int, starts: Sequence[int], ends: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return `Columns.in_texts` for rows with these offsets in the whole, in rising order."""
    from bisect import bisect_right

    numbers: list[int] = []
    number = first
    for start in starts:
        number = bisect_right(begins, start, number) - 1
        numbers.append(number)
    bases = [begins[number] for number in numbers]
    return (
        numbers,
        [start - base for start, base in zip(starts, bases, strict=True)],
        [end - base for end, base in zip(ends, bases, strict=True)],
    )
