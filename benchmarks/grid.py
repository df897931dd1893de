"""A table of ratios: each row is what is added to a plain command, each column what the command reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchmarks.markdown import number, table
from benchmarks.measure import median, turns
from benchmarks.settings import Settings, note

__all__ = ["Column", "Row", "grid", "slow_table"]


class Row(NamedTuple):
    """What is added to a plain command.

    Attributes:
        flags: the words; they are the name of the row, too.
        bar: the ratio that is allowed; None where none is too great.
    """

    flags: str
    bar: float | None = None


class Column(NamedTuple):
    """What a plain command reads.

    Attributes:
        name: what is above the column.
        before: the command, up to where flags are put.
        after: the rest of it.
        plain: what takes the place of the flags in the plain command.
    """

    name: str
    before: Sequence[str]
    after: Sequence[str]
    plain: Sequence[str] = ()


def grid(settings: Settings, title: str, head: str, rows: Sequence[Row], columns: Iterable[Column]) -> str:
    """Return a title and a table of processor times of whole commands, where that of the plain command is 1."""
    cells = [[f"`{row.flags}`"] for row in rows]
    names = []
    for column in columns:
        note(f"{title}: {column.name}")
        names.append(column.name)
        commands = {row.flags: [*column.before, *row.flags.split(), *column.after] for row in rows}
        commands[""] = [*column.before, *column.plain, *column.after]
        runs = turns(commands, settings.runs)
        plain = median(runs[""]).cpu
        for line, row in zip(cells, rows, strict=True):
            ratio = median(runs[row.flags]).cpu / plain
            line.append(settings.cell(ratio, row.bar, table=title, row=line[0], column=column.name))
    return (
        f"{title}, processor time of whole commands where that of the plain one is 1:\n\n{table([head, *names], cells)}"
    )


def slow_table(settings: Settings) -> str:
    """Return the cells over their bars under a heading, the worst first."""
    slow = sorted(settings.slow, key=lambda one: -one.ratio / one.bar)
    rows = [[one.table, one.row, one.column, number(one.ratio), number(one.bar)] for one in slow]
    said = table(["table", "row", "column", "ratio", "bar"], rows, left=3) if rows else "Nothing is over its bar."
    return f"### What is slow\n\nIn bold above; each ratio beside the most that is allowed, the worst first.\n\n{said}"
