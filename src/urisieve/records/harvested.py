"""The columns and rows of what the compiled kernel has found, made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from urisieve.codes import Warn
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple
from urisieve.records.record import Record, make_record
from urisieve.rules.table import KNOWN_RULES, RuleTable

if TYPE_CHECKING:
    from urisieve.kernel import kernel
    from urisieve.records.base import Location
    from urisieve.syntax.components import Components

__all__ = ["KERNEL_WARNINGS", "Harvested", "Special"]

# The warnings that the kernel finds, by their bits, in the order of a record.
_CODES: Final = (
    *(Warn.SCHEME_CUT, Warn.STOPS_AT_EXCLUDED, Warn.MAY_BE_SHORTENED, Warn.UNESCAPED),
    *(Warn.USERINFO_PRESENT, Warn.SCHEME_SYNTAX),
)
# The warnings of a row by the bits that the kernel has for it.
KERNEL_WARNINGS: Final = tuple(tuple(code for bit, code in enumerate(_CODES) if bits >> bit & 1) for bits in range(64))


class Special(NamedTuple):
    """The values of a row that the kernel does not know.

    Attributes:
        warnings: all its warnings.
        by_finder: whether the finder has found it; only then the next two count.
        wrapper: see `Record.wrapper`.
        alternatives: see `Record.alternatives`.
    """

    warnings: tuple[Warn, ...]
    by_finder: bool = False
    wrapper: str | None = None
    alternatives: tuple[str, ...] = ()


class Harvested(NamedTuple):
    """The findings of the kernel in some text, with the values of some rows that it does not know.

    Attributes:
        harvest: the columns of the kernel.
        names: the names of the columns that `column` returns.
        specials: by the index of a row, the values that the kernel does not know.
        source: the source of all rows.
        location: the location of all rows.
    """

    harvest: kernel.Harvest
    names: frozenset[str]
    specials: Mapping[int, Special]
    source: str | None
    location: Location | None

    def column(self, name: str) -> list[Any]:
        """Return the values of one of `names`."""
        if name == "alternatives":
            values: list[Any] = [()] * len(self.harvest)
        else:
            values = self.harvest.column(name, KERNEL_WARNINGS)
        if name in ("warnings", "wrapper", "alternatives"):
            for index, special in self.specials.items():
                if special.by_finder or name == "warnings":
                    values[index] = getattr(special, name)
        return values

    def texts(self, name: str) -> list[str | None] | None:
        """Return a component of each canonical form; None if there is too much text for one column."""
        try:
            ((present, offsets, data),) = self.harvest.buffers((name,))
        except OverflowError:
            return None
        assert offsets is not None
        assert data is not None
        bounds = memoryview(offsets).cast("i").tolist()
        texts: list[str | None]
        if data.isascii():
            text = data.decode("ascii")
            texts = [text[start:end] for start, end in pairwise(bounds)]
        else:
            texts = [data[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(bounds)]
        if present is not None:
            bits = bin(int.from_bytes(present + b"\1", "little"))[:2:-1]
            texts = [value if bit == "1" else None for value, bit in zip(texts, bits, strict=False)]
        return texts

    def rows(self, indices: Sequence[int] | None = None) -> list[tuple[Any, ...]]:
        """Return the rows at some indices, or all rows for None, in the order of `RecordFields`."""
        chosen = None if indices is None else list(indices)
        rows = self.harvest.rows(self.source, self.location, KERNEL_WARNINGS, chosen)
        if not self.specials:
            return rows
        completed: Sequence[tuple[int, int]]
        if chosen is None:
            completed = [(index, index) for index in self.specials]
        else:
            completed = [(at, index) for at, index in enumerate(chosen) if index in self.specials]
        for at, index in completed:
            row, special = rows[at], self.specials[index]
            wrapper, alternatives = (special.wrapper, special.alternatives) if special.by_finder else (row[8], row[10])
            rows[at] = (*row[:8], wrapper, special.warnings, alternatives, *row[11:])
        return rows

    def records(self, rules: RuleTable, parts: Mapping[int, Components]) -> list[Record]:
        """Return a record for each row, by a rule table; `parts` are the components that do not follow from a URI."""
        shared = (self.source, self.location, KERNEL_WARNINGS)
        records = Record._found(self.harvest, shared, None if rules is KNOWN_RULES else rules)
        if self.specials:
            indices = list(self.specials)
            for index, row in zip(indices, self.rows(indices), strict=True):
                records[index] = make_record(row, rules, parts.get(index))
        return records

    def warned(self) -> list[int]:
        """Return the indices of the rows with warnings."""
        indices = self.harvest.warned()
        more = [index for index, special in self.specials.items() if special.warnings]
        return sorted({*indices, *more}) if more else indices
