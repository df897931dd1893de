"""Records as lines of their fields, in one of the notations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from urisieve.lean.hints import TYPE_CHECKING, Any, Final, TypeAlias
from urisieve.records.base import SCHEMA_VERSION
from urisieve.records.batch import COLUMNS, Batch
from urisieve.records.location import NOWHERE, Location
from urisieve.sinks.masked import Mask
from urisieve.sinks.output_fields.field_table import columns_of, field_values
from urisieve.syntax.components import HostKind

if TYPE_CHECKING:
    from urisieve.sinks.output_fields.notations import RowNotation

__all__ = ["FieldLines"]

# Fields whose numbers are not known unless the text before a part of a file is.
_OFFSETS: Final = frozenset(("start", "end", "line", "column", "byte_start", "byte_end"))
# The fields that the kernel writes of what it has found, if the batch has the column; and those that it derives.
_FOUND: Final = frozenset(("raw", "uri", "key", *_OFFSETS, "wrapper", "warnings", "alternatives"))
_DERIVED: Final = frozenset(
    ("iri", "kind", "scheme", "userinfo", "host", "host_kind", "port", "path", "query", "fragment", "nid", "nss")
)
# The number of rows for which it pays to ask the kernel.
_FEW: Final = 8
_UTF_8: Final = ("utf-8", "backslashreplace")  # a lone surrogate, which UTF-8 lacks, becomes an escape


def _chosen(values: Sequence[Any], indices: Sequence[int] | None) -> Sequence[Any]:
    return values if indices is None else [values[index] for index in indices]


class FieldLines:
    """A format of records, a line each; see `RecordFormat`.

    Args:
        notation: which fields, and how they are written.
        mask: how values leave.
    """

    def __init__(self, notation: RowNotation, mask: Mask) -> None:
        names = notation.names
        self._notation = notation
        self._mask = mask
        self._kernel = KernelCells(notation) if notation.plain and not mask.makes_values else None
        self.header = notation.header.encode("ascii")
        self.columns = columns_of(names)
        self.offsets = not _OFFSETS.isdisjoint(names)

    def encoded(self, batch: Batch, indices: Sequence[int] | None = None) -> bytes:
        """See `RecordFormat.encoded`."""
        batch = self._mask.batch(batch)
        given = None if self._kernel is None else self._kernel.given(batch, indices)
        if given is not None and batch.harvest is not None:
            return batch.harvest.written(*given, self._others(batch))
        return "".join(self._lines(batch, indices)).encode(*_UTF_8)

    def each(self, batch: Batch, indices: Sequence[int] | None = None) -> list[bytes]:
        """See `RecordFormat.each`."""
        batch = self._mask.batch(batch)
        given = None if self._kernel is None else self._kernel.given(batch, indices)
        if given is not None and batch.harvest is not None:
            return batch.harvest.each(*given, self._others(batch))
        return [line.encode(*_UTF_8) for line in self._lines(batch, indices)]

    def _lines(self, batch: Batch, indices: Sequence[int] | None) -> list[str]:
        batch.resolved()
        notation = self._notation if self._mask.makes_values else _varying(self._notation, batch)
        values = {name: _chosen(field_values(batch, name), indices) for name in dict.fromkeys(notation.names)}
        if self._mask.makes_values:
            uris = _chosen(batch.column("uri"), indices)
            values = {name: self._mask.values(name, some, uris) for name, some in values.items()}
        if not values:
            return list(notation.around) * (len(batch) if indices is None else len(indices))
        return notation.lines([values[name] for name in notation.names])

    def _others(self, batch: Batch) -> Callable[[list[int]], list[bytes]]:
        """Return a function that writes the rows at some indices without the kernel."""
        return lambda indices: [line.encode(*_UTF_8) for line in self._lines(batch.select(indices), None)]


# The arguments of `Harvest.written` but for the last.
_Texts: TypeAlias = tuple[bytes, ...]
_Given: TypeAlias = tuple[
    tuple[str | _Texts, ...], _Texts, tuple[bytes, bytes], bytes, _Texts, _Texts, _Texts, bool, list[int] | None
]


class KernelCells:
    """Says how the kernel writes the rows that it has found.

    Args:
        notation: which fields, and how they are written.
    """

    def __init__(self, notation: RowNotation) -> None:
        self._notation = notation
        kinds = [self._cell("kind", kind) for kind in ("uri", "iri", "urn")]
        kinds += [self._cell("host_kind", kind) for kind in _HOST_KINDS]
        self._words = (*kinds, self._cell("alternatives", ()))
        self._warnings: tuple[bytes, ...] | None = None
        self._marks = (notation.quote.encode(), notation.null.encode())

    def given(self, batch: Batch, indices: Sequence[int] | None) -> _Given | None:
        """Return the arguments of `Harvest.written` but for the last; None if Python has to write these rows."""
        harvest = batch.harvest
        if harvest is None or (len(batch) if indices is None else len(indices)) < _FEW:
            return None
        from urisieve.records.harvested import KERNEL_WARNINGS

        if self._warnings is None:
            self._warnings = tuple(self._cell("warnings", codes) for codes in KERNEL_WARNINGS)
        varying = _varying(self._notation, batch.resolved())
        return (
            tuple(name if _is_found(batch, name) else self._cells(batch, name, indices) for name in varying.names),
            tuple(text.encode(*_UTF_8) for text in varying.around),
            self._marks,
            self._notation.plain,
            self._words,
            tuple(self._cell("wrapper", wrapper) for wrapper in harvest.wrappers()),
            self._warnings,
            batch.has_own_components,
            None if indices is None else list(indices),
        )

    def _cell(self, name: str, value: Any) -> bytes:
        return self._notation.cell(name, value).encode(*_UTF_8)

    def _cells(self, batch: Batch, name: str, indices: Sequence[int] | None) -> tuple[bytes, ...]:
        """Return the cells of values that the kernel does not know."""
        known: dict[Any, bytes] = {}
        cells: list[bytes] = []
        for value in _chosen(field_values(batch, name), indices):
            if value.__class__ in (dict, list):
                cells.append(self._cell(name, value))
                continue
            cell = known.get(value)
            if cell is None:
                cell = known[value] = self._cell(name, value)
            cells.append(cell)
        return tuple(cells)


_HOST_KINDS: Final = (HostKind.REG_NAME, HostKind.IPV4, HostKind.IPV6, HostKind.IPVFUTURE)


def _is_found(batch: Batch, name: str) -> bool:
    """Report whether the kernel knows the values of a field."""
    if name in _DERIVED:
        return batch.is_harvested("uri") and (name != "kind" or batch.is_harvested("raw"))
    return name in _FOUND and batch.is_harvested(name)


def _varying(notation: RowNotation, batch: Batch) -> RowNotation:
    """Return the notation of the fields in which rows of a batch may differ: the others become part of its texts."""
    names: list[str] = []
    around = [notation.around[0]]
    for name, text in zip(notation.names, notation.around[1:], strict=True):
        if _is_constant(batch, name):
            around[-1] += notation.cell(name, _constant(batch, name)) + text
        else:
            names.append(name)
            around.append(text)
    return notation._replace(names=names, around=around)


def _is_constant(batch: Batch, name: str) -> bool:
    if name in Location._fields:
        return batch.is_constant("location")
    return name == "schema" or (name in COLUMNS and batch.is_constant(name))


def _constant(batch: Batch, name: str) -> Any:
    if name in Location._fields:
        return getattr(batch.constant("location") or NOWHERE, name)
    return SCHEMA_VERSION if name == "schema" else batch.constant(name)
