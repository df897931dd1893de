"""Batches with more rows and rejections than the search has found, each behind the row that it belongs to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from urisieve.lean.hints import Any
from urisieve.lean.values import NamedTuple
from urisieve.records.batch import Batch
from urisieve.records.rejection import Rejection
from urisieve.syntax.components import Components

__all__ = ["NewRow", "with_inserted"]


class NewRow(NamedTuple):
    """A row to insert.

    Attributes:
        values: its fields by name: at least those of the columns of the batch.
        parts: the components of its URI, if the generic grammar would split it in another way.
    """

    values: Mapping[str, Any]
    parts: Components | None = None


def with_inserted(
    batch: Batch, after: Mapping[int, Sequence[NewRow | Rejection]], without: Collection[int] = ()
) -> Batch:
    """Return a batch with more rows and rejections, and with the same columns.

    Args:
        batch: the batch; its byte offsets must be known, or not asked for yet.
        after: for some rows, by their index, what comes right behind them, in order.
        without: the indices of rows to leave out.
    """
    order: list[int] = []  # indices among the old rows, and then the new ones
    new: list[NewRow] = []
    rejections: list[Rejection] = []
    before: list[int] = []
    old = list(zip(batch.before, batch.rejections, strict=True))
    done = 0

    def take_old(index: int) -> None:
        """Take the old rejections that come before a row."""
        nonlocal done
        while done < len(old) and old[done][0] <= index:
            before.append(len(order))
            rejections.append(old[done][1])
            done += 1

    for index in range(len(batch)):
        take_old(index)
        if index not in without:
            order.append(index)
        for one in after.get(index, ()):
            if isinstance(one, Rejection):
                before.append(len(order))
                rejections.append(one)
            else:
                order.append(len(batch) + len(new))
                new.append(one)
    take_old(len(batch))
    columns = {}
    for name in batch.columns:
        values = [*batch.column(name), *[one.values[name] for one in new]]
        columns[name] = list(map(values.__getitem__, order))
    parts = {}
    for position, index in enumerate(order):
        known = batch.parts_of(index) if index < len(batch) else new[index - len(batch)].parts
        if known is not None:
            parts[position] = known
    return batch.like(len(order), columns, rejections, before, parts)
