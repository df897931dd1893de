"""Chosen fields written by the compiled kernel, where it has found the rows and every value stands for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from urisieve.lean.hints import Any, Final
from urisieve.lean.values import NamedTuple
from urisieve.records.batch import Batch
from urisieve.records.location import NOWHERE, Location
from urisieve.sinks.output_fields.field_table import field_values

__all__ = ["CellNotation", "kernel_cells"]

_COLUMNS: Final = frozenset(("raw", "uri", "key", "start", "end", "line", "column", "byte_start", "byte_end"))
_COMPONENTS: Final = frozenset(("scheme", "userinfo", "host", "port", "path", "query", "fragment"))
# The number of rows for which it pays.
_FEW: Final = 8


class CellNotation(NamedTuple):
    """How rows of fields are written, for the kernel.

    Attributes:
        names: the names of the fields.
        around: the text before each field, and behind the last.
        constant: returns the text of a value that all rows share, by the name of its field.
        quote: the text before and behind a value that is a text.
        null: the text of an absent one.
        plain: for each ASCII character 1 if it stands for itself, 2 if it does in quotation marks, else 0.
    """

    names: Sequence[str]
    around: Sequence[str]
    constant: Callable[[str, Any], str]
    quote: str
    null: str
    plain: bytes


def kernel_cells(batch: Batch, indices: Sequence[int] | None, notation: CellNotation) -> bytes | None:
    """Return the lines of rows without passwords; None if Python has to write them."""
    harvest = batch.harvest
    count = len(batch) if indices is None else len(indices)
    if harvest is None or count < _FEW or batch.spans is not None or harvest.has_passwords:
        return None
    names: list[str] = []
    before = [notation.around[0]]
    for name, text in zip(notation.names, notation.around[1:], strict=True):
        if _is_constant(batch, name):
            before[-1] += notation.constant(name, _constant(batch, name)) + text
        elif name in _COLUMNS or (name in _COMPONENTS and not batch.has_own_components):
            names.append(name)
            before.append(text)
        else:
            return None
    pieces = tuple(text.encode("utf-8", "backslashreplace") for text in before)
    chosen = None if indices is None else list(indices)
    return harvest.cells(tuple(names), pieces, notation.quote.encode(), notation.null.encode(), notation.plain, chosen)


def _is_constant(batch: Batch, name: str) -> bool:
    if name in Location._fields:
        return batch.is_constant("location")
    return name in ("schema", "source") and (name == "schema" or batch.is_constant(name))


def _constant(batch: Batch, name: str) -> Any:
    if name in Location._fields:
        return getattr(batch.constant("location") or NOWHERE, name)
    return batch.constant(name) if name == "source" else field_values(batch[:1], name)[0]
