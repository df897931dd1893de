"""Many short texts searched as one: the separator between them, and the way back from the whole to each text.

A search has a fixed cost for each text, many times that of a short text itself. Joined by `SEPARATOR`, texts are found
in as if each stood alone: no candidate crosses it, and what stands at the end of a text is decided as at the end of
the whole. A text may contain the separator itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.lean.hints import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from urisieve.records.batch import Batch

__all__ = ["SEPARATOR", "in_texts", "placed_in_texts"]

# Two line feeds around U+001E, the record separator: white space ends a bare candidate, a control character one
# between angle brackets or quotation marks (RFC 3986 Appendix C), and neither may stand before a scheme.
SEPARATOR: Final = "\n\x1e\n"


def in_texts(
    batch: Batch, begins: Sequence[int] | memoryview, first: int
) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """Return for each row of a batch the number of its text, and its start and end in that text.

    Args:
        batch: rows found in texts joined by `SEPARATOR`, with their offsets.
        begins: the offset of each text in the whole, in characters from 0; rising.
        first: the number of a text from which on the rows come.

    Returns:
        three sequences of numbers: lists, or memory of 64-bit numbers.
    """
    harvest = batch.harvest
    if harvest is not None and isinstance(begins, memoryview):
        numbers, starts, ends = harvest.in_texts(begins, first)
        return memoryview(numbers).cast("q"), memoryview(starts).cast("q"), memoryview(ends).cast("q")
    return placed_in_texts(begins, first, batch.column("start"), batch.column("end"))


def placed_in_texts(
    begins: Sequence[int] | memoryview, first: int, starts: Sequence[int], ends: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return `in_texts` for rows with these offsets in the whole, in rising order."""
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
