"""Batches of whole texts of which the kernel proves that they are valid identifiers, many at once."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.judge.proofs import proofs_of
from urisieve.lean import TypeVar
from urisieve.options import DEFAULT_OPTIONS, Options
from urisieve.records.base import Location
from urisieve.records.batch import EMPTY, Batch
from urisieve.records.layouts import COLUMNS

Line = TypeVar("Line")


class ProvedTexts:
    """Proves texts; of one that is not proved, `check` says what it is.

    Args:
        options: how they are judged; the default for None.
    """

    def __init__(self, options: Options | None) -> None:
        self._options = DEFAULT_OPTIONS if options is None else options
        self._rows = proofs_of(self._options).rows

    def batch(
        self, texts: list[str], source: str | None = None, locations: Sequence[Location] = ()
    ) -> tuple[Batch, Sequence[int]]:
        """Return the identifiers among texts that are proved, with the records of `check`, and which texts are not.

        Args:
            texts: the texts.
            source: the name of their source.
            locations: the location of each text there; none for no locations.

        Returns:
            the batch, and the indices of the texts that are not in it.
        """
        if self._rows is None:
            return EMPTY, range(len(texts))
        from urisieve.find.kernel_batches import KernelBatches

        harvest, others = self._rows(texts)
        batch = KernelBatches(self._options, frozenset(COLUMNS), source, None).batch(harvest)
        if batch is None:
            return EMPTY, others
        if locations:
            batch = batch.without(frozenset(("location",)))
            missing = frozenset(others)
            batch.layout.add("location", [one for index, one in enumerate(locations) if index not in missing])
        return batch, others


def spread(lines: Sequence[Line], others: Sequence[int]) -> list[Line | None]:
    """Return the lines of a batch of `ProvedTexts`, in the places of their texts; None for each of the others."""
    if not others:
        return list(lines)
    missing, made = frozenset(others), iter(lines)
    return [None if index in missing else next(made) for index in range(len(lines) + len(others))]
