"""Columns of rows that were found in many values of structured data: what `columns_of_values` returns, made at once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from urisieve.lean import Any
from urisieve.records.layouts import RowLocations, SharedValues
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.documents import BYTES, BlockRows

__all__ = ["value_columns"]


def value_columns(
    found: BlockRows,
    fields: Sequence[str | None],
    rows: array[int],
    offsets: SourceMap,
    bases: Sequence[int],
    other: Callable[[int], SourceMap | None] | None,
) -> dict[str, Sequence[Any]]:
    """Return the columns that are wanted of the location and the bytes of rows.

    Args:
        found: the rows.
        fields: the field of the value of each.
        rows: the number of its row in the source.
        offsets: the source map of the source.
        bases: the offset of the value there, in characters.
        other: returns the map to the bytes of the source for the number of a value that is not written there as it is,
            and None for any other; None if all are. It is called once for all rows of a value.
    """
    made: dict[str, Sequence[Any]] = {}
    if "location" in found.wanted:
        order = {field: index for index, field in enumerate(dict.fromkeys(fields))}
        made["location"] = RowLocations(SharedValues([*order], list(map(order.__getitem__, fields))), rows)
    if not found.wanted.isdisjoint(BYTES):
        starts = [base + start for base, start in zip(bases, found.starts, strict=True)]
        ends = [base + end for base, end in zip(bases, found.ends, strict=True)]
        starts, ends = offsets.spans(starts, ends)
        last, back = -1, None
        for index, number in enumerate(found.numbers if other is not None else ()):
            if other is not None and number != last:
                last, back = number, other(number)
            if back is not None:
                starts[index], ends[index] = back.span(found.starts[index], found.ends[index])
        made["byte_start"], made["byte_end"] = starts, ends
    return made
