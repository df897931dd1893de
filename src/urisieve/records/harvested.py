"""`Harvested`: the rows of a batch that the compiled kernel has found.

It answers as `Columns` does, mostly without a Python object for each value. Only what the kernel does not know of a row
is kept here.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from functools import reduce

from urisieve.codes import Warn
from urisieve.kernel import of_kernel
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple
from urisieve.records.layouts import COLUMNS, Columns, Harvest, as_numbers, selected, texts_of
from urisieve.records.record import Record, make_record
from urisieve.rules.table import KNOWN_RULES, RuleTable

if TYPE_CHECKING:
    from urisieve.kernel import kernel
    from urisieve.syntax.components import Components

# The warnings that the kernel finds, in the order of a record; tools/generate_kernel_tables.py gives it their names.
FOUND_WARNINGS: Final = (
    *(Warn.SCHEME_CUT, Warn.SCHEME_ASSUMED, Warn.STOPS_AT_EXCLUDED, Warn.TEXT_FOLLOWS, Warn.MAY_BE_SHORTENED),
    *(Warn.UNESCAPED, Warn.UNREGISTERED_SCHEME, Warn.USERINFO_PRESENT, Warn.SCHEME_SYNTAX, Warn.SECRET_PRESENT),
)
_BY_BIT: Final = tuple(map(Warn, of_kernel("WARNINGS", FOUND_WARNINGS)))
_NO_WARNINGS: Final[tuple[tuple[Warn, ...], ...]] = ((),)
# The warnings of a row by the bits that the kernel has for it.
KERNEL_WARNINGS: Final = reduce(lambda sets, code: (*sets, *((*one, code) for one in sets)), _BY_BIT, _NO_WARNINGS)
# The columns that are numbers; those of a pair follow each other.
_NUMBERS: Final = ("start", "end", "line", "column", "byte_start", "byte_end")
# The columns that are texts.
_TEXTS: Final = ("raw", "uri", "key")


def _encoded(texts: Sequence[str]) -> list[bytes]:
    """Return texts as the kernel has them."""
    return [text.encode("utf-8", "surrogatepass") for text in texts]


class Special(NamedTuple):
    """The values of a row that the kernel does not know.

    Attributes:
        warnings: all its warnings.
        by_finder: whether the finder has found it; only then the wrapper counts.
        wrapper: see `Record.wrapper`.
        alternatives: see `Record.alternatives`.
    """

    warnings: tuple[Warn, ...]
    by_finder: bool = False
    wrapper: str | None = None
    alternatives: tuple[str, ...] = ()


class Harvested(Columns):
    """The findings of the kernel in some text, with the values of some rows that it does not know.

    A column is made of them when it is asked for.

    Args:
        harvest: the findings.
        names: the names of the columns that they contain.
        constants: the values that all rows share, by column; among them the source and the location, if wanted.
        specials: by the index of a row, the values that the kernel does not know.
    """

    __slots__ = ("_digests", "_specials", "by_kernel", "harvest", "has_readings", "may_hold_passwords")

    harvest: Harvest

    def __init__(
        self, harvest: Harvest, names: frozenset[str], constants: Mapping[str, Any], specials: Mapping[int, Special]
    ) -> None:
        super().__init__(len(harvest), {}, constants)
        self.harvest = harvest
        self.by_kernel = names
        self.may_hold_passwords = harvest.has_passwords
        self._specials = specials
        self._digests: tuple[kernel.KeySet | None, bytes | None] = None, None
        self.has_readings = any(one.alternatives and not one.by_finder for one in specials.values())

    @property
    def names(self) -> Collection[str]:
        """See `Columns.names`."""
        return self.by_kernel | self._columns.keys()

    def column(self, name: str) -> Sequence[Any] | None:
        """See `Columns.column`."""
        values = super().column(name)
        if values is None and name in self.by_kernel:
            values = self._columns[name] = self._made(name)
        return values

    def _made(self, name: str) -> Sequence[Any]:
        if name == "key" and not self.harvest.has_keys:
            return self.held("uri")
        if name == "alternatives":
            values: list[Any] = [()] * self.length
        else:
            values = self.harvest.column(name, KERNEL_WARNINGS)
        if name in ("warnings", "wrapper", "alternatives"):
            for index, special in self._specials.items():
                if special.by_finder or name != "wrapper":
                    values[index] = getattr(special, name)
        return values

    def all(self) -> Mapping[str, Sequence[Any]]:
        """See `Columns.all`."""
        for name in self.by_kernel:
            self.column(name)
        return self._columns

    def select(self, indices: Sequence[int]) -> Columns:
        """See `Columns.select`."""
        old = self._specials
        specials = {new: old[index] for new, index in enumerate(indices) if index in old} if old else old
        made = Harvested(self.harvest.selected(list(indices)), self.by_kernel, self.constants, specials)
        made._columns = {name: selected(values, indices) for name, values in self._columns.items()}
        return made

    def replaced(self, columns: Mapping[str, Sequence[Any]]) -> Columns:
        """See `Columns.replaced`: the findings stay if no more than the location of the rows changes."""
        others = {name: values for name, values in columns.items() if name not in _NUMBERS}
        known = {name: columns[name] for name in _NUMBERS if name in columns}
        absent = [name for name, values in known.items() if values and all(value is None for value in values)]
        if not self.by_kernel.isdisjoint(others):
            return super().replaced(columns)
        try:
            numbers = [(name, as_numbers(values)) for name, values in known.items() if name not in absent]
        except TypeError:  # some are absent
            return super().replaced(columns)
        names = self.by_kernel.union(known).difference(absent)
        constants = {**self._others(columns), **dict.fromkeys(absent)}
        made = Harvested(self.harvest.placed(tuple(numbers)), names, constants, self._specials)
        kept = {name: values for name, values in self._columns.items() if name not in columns}
        made._columns = {**kept, **others}
        return made

    def worded(
        self, uris: list[bytes], keys: list[bytes], raws: list[bytes], readings: Mapping[int, tuple[str, ...]]
    ) -> Harvested:
        """Return the same rows with other texts, in UTF-8; `readings` are their other readings."""
        specials = {
            index: one._replace(alternatives=readings[index]) if index in readings else one
            for index, one in self._specials.items()
        }
        made = Harvested(self.harvest.worded(uris, keys, raws), self.by_kernel, self.constants, specials)
        made._columns = {name: values for name, values in self._columns.items() if name not in self.by_kernel}
        return made

    def joined(self, other: Columns, order: Sequence[int]) -> Columns | None:
        """See `Columns.joined`."""
        names = self.by_kernel | {"warnings"} if "warnings" in self.constants else self.by_kernel
        constants = self._others(names)
        if not self._columns.keys() <= names or not constants.keys().isdisjoint(other.names):
            return None
        if any(other.constant(name) != value for name, value in constants.items()):
            return None
        size = other.length
        defaults: dict[str, Any] = {"warnings": (), "wrapper": None, "alternatives": ()}
        warnings, wrappers, others = (
            other.held(name) if name in names else [default] * size for name, default in defaults.items()
        )
        own = {
            self.length + index: Special(warnings[index], True, wrappers[index], others[index])
            for index in range(size)
            if warnings[index] or wrappers[index] is not None or others[index]
        }
        raws, uris, keys = (_encoded(other.held(name) if name in names else [""] * size) for name in _TEXTS)
        numbers = array("q")
        for row in zip(*(other.held(name) if name in names else [0] * size for name in _NUMBERS), strict=True):
            numbers.extend(row)
        flags = bytes(
            (self.length + index in own) | 2 * (Warn.PASSWORD_PRESENT in warnings[index]) for index in range(size)
        )
        harvest = self.harvest.joined(list(order), uris, keys, raws, numbers.tobytes(), flags)
        known = {**self._specials, **own}
        specials = {new: known[index] for new, index in enumerate(order) if index in known} if known else known
        return Harvested(harvest, names, constants, specials)

    def unfilled(self, whole: str, begins: memoryview, skipped: list[int]) -> Sequence[int] | None:
        """See `Columns.unfilled`."""
        return self.harvest.unfilled(whole, begins, skipped)

    def without(self, names: frozenset[str]) -> Columns:
        """See `Columns.without`."""
        made = Harvested(self.harvest, self.by_kernel - names, self._others(names), self._specials)
        made._columns = {name: values for name, values in self._columns.items() if name not in names}
        return made

    def records(self, rules: RuleTable, parts: Mapping[int, Components]) -> list[Record]:
        """See `Columns.records`."""
        if len(self.by_kernel) + len(self.constants) != len(COLUMNS):
            return super().records(rules, parts)
        source, location = self.constants["source"], self.constants["location"]
        shared = (source, location, KERNEL_WARNINGS)
        records = Record._found(self.harvest, shared, None if rules is KNOWN_RULES else rules)
        indices = list(self._specials)
        rows = self.harvest.rows(source, location, KERNEL_WARNINGS, indices) if indices else ()
        for index, row in zip(indices, rows, strict=True):
            special = self._specials[index]
            wrapper = special.wrapper if special.by_finder else row[8]
            whole = (*row[:8], wrapper, special.warnings, special.alternatives, *row[11:])
            records[index] = make_record(whole, rules, parts.get(index))
        return records

    def component(self, name: str) -> list[str | None] | None:
        """See `Columns.component`; None too if there is too much text for one column."""
        try:
            ((present, offsets, data),) = self.harvest.buffers((name,))
        except OverflowError:
            return None
        assert offsets is not None
        assert data is not None
        texts: list[str | None] = [*texts_of(offsets, data)]
        if present is not None:
            bits = bin(int.from_bytes(present + b"\1", "little"))[:2:-1]
            texts = [value if bit == "1" else None for value, bit in zip(texts, bits, strict=False)]
        return texts

    def hosts(self) -> tuple[Sequence[str | None], Sequence[int]]:
        """See `Columns.hosts`."""
        hosts, numbers = self.harvest.hosts()
        return hosts, memoryview(numbers).cast("I")

    def warned(self) -> list[int]:
        """See `Columns.warned`."""
        if "warnings" not in self.by_kernel:  # other values have taken their place, or they were not asked for
            return super().warned()
        indices = self.harvest.warned()
        more = [index for index, special in self._specials.items() if special.warnings]
        return sorted({*indices, *more}) if more else indices

    def alternatives(self) -> Mapping[int, tuple[str, ...]]:
        """See `Columns.alternatives`."""
        if "alternatives" not in self.by_kernel:
            return {}
        return {index: special.alternatives for index, special in self._specials.items() if special.alternatives}

    def lines(self) -> bytes:
        """See `Columns.lines`."""
        return self.harvest.lines()

    def digest_for(self, seen: kernel.KeySet) -> None:
        """See `Columns.digest_for`."""
        self._digests = seen, seen.digests_of(self.harvest)

    def new_lines(self, seen: kernel.KeySet) -> tuple[bytes, int]:
        """See `Columns.new_lines`."""
        return seen.unseen_lines(self.harvest, self.digests_for(seen))

    def digests_for(self, seen: kernel.KeySet) -> bytes | None:
        """Return the digests that were made for a set; None if they were not."""
        of, digests = self._digests
        return digests if of is seen else None

    def buffers(self, names: tuple[str, ...]) -> Sequence[tuple[bytes | None, ...]]:
        """See `Columns.buffers`."""
        return self.harvest.buffers(names)

    def in_texts(
        self, begins: Sequence[int] | memoryview, first: int
    ) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
        """See `Columns.in_texts`."""
        if not isinstance(begins, memoryview):
            return super().in_texts(begins, first)
        numbers, starts, ends = self.harvest.in_texts(begins, first)
        return memoryview(numbers).cast("q"), memoryview(starts).cast("q"), memoryview(ends).cast("q")
