"""Tables of a report: as many rows as there is room for, each whole row or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from urisieve.lean.hints import Final, TypeVar
from urisieve.lean.values import NamedTuple
from urisieve.sinks.report.markup import Markup, element, lines_of

__all__ = ["MOST_ROWS", "Column", "cells", "fitted", "number", "table", "things"]

# The most rows of a table: more are not read, they are searched for, and there are better tools for that.
MOST_ROWS: Final = 100

_Row = TypeVar("_Row")


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        title: its heading.
        kind: `name`, `number` (to the right, sorted by value), `text`, or `list`, by which rows are not sorted.
    """

    title: str
    kind: str = "name"


def number(value: int) -> str:
    """Return a count as it is written: `12,345`."""
    return f"{value:,}"


def things(count: int, one: str, many: str) -> str:
    """Return a number of things in words: `1 host`, `12,345 hosts`."""
    return f"{number(count)} {one if count == 1 else many}"


def fitted(rows: Sequence[_Row], build: Callable[[_Row, bool], Markup], room: int) -> list[Markup]:
    """Return the first rows as HTML: as many as there is room for, at most `MOST_ROWS`.

    Args:
        rows: the rows.
        build: returns a row; the flag says whether with what may be left out.
        room: how many bytes there are for all of them.
    """
    lines: list[Markup] = []
    for row in rows[:MOST_ROWS]:
        line = build(row, False)
        room -= _size(line)
        if room < 0:
            room += _size(line)
            break
        lines.append(line)
    for index, row in enumerate(rows[: len(lines)]):
        line = build(row, True)
        more = _size(line) - _size(lines[index])
        if more <= room:
            room -= more
            lines[index] = line
    return lines


def _size(line: Markup) -> int:
    return len(line.encode("utf-8")) + 1  # the end of the line


def cells(columns: Sequence[Column], *contents: str) -> Markup:
    """Return a row; its first cell is its heading."""
    first, *others = contents
    return element(
        "tr",
        element("th", first, scope="row"),
        *(
            element("td", content, class_="number" if column.kind == "number" else None)
            for column, content in zip(columns[1:], others, strict=True)
        ),
    )


def table(
    name: str,
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Markup],
    order: str | None = None,
    *,
    fixed: bool = False,
) -> Markup:
    """Return a table in a frame of its own, which is scrolled where it is too wide or too long.

    Args:
        name: the beginning of its identifiers in the page.
        caption: its caption, which also names the frame.
        columns: the columns.
        rows: the rows, by `cells`.
        order: the title of the column by which they are sorted, falling if it is of numbers, else rising.
        fixed: whether it is for reading only, neither sorted nor filtered.
    """
    heads = (
        element(
            "th",
            column.title,
            scope="col",
            class_=column.kind,
            aria_sort=("descending" if column.kind == "number" else "ascending") if column.title == order else None,
        )
        for column in columns
    )
    frame = element(
        "div",
        element(
            "table",
            element("caption", caption, id=f"{name}-caption"),
            element("thead", element("tr", *heads)),
            element("tbody", lines_of(*rows)),
            class_="fixed" if fixed else "wide" if any(column.kind == "list" for column in columns) else None,
        ),
        class_="frame",
        role="group",
        tabindex=0,
        aria_labelledby=f"{name}-caption",
    )
    return element("div", frame, class_="listing")
