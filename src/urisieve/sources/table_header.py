"""The header of a table: whether it has one, and the columns that it names."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from urisieve.errors import InputError

__all__ = ["TableHeader", "column_index", "column_number"]


class TableHeader(StrEnum):
    """Whether the first row of a table names the columns.

    >>> from urisieve.sources.table_header import TableHeader
    >>> TableHeader("none") is TableHeader.NONE
    True
    """

    FIRST_ROW = "first-row"
    """The first row names the columns; it is read as well, since some tables have no header."""
    NONE = "none"
    """The columns have numbers only, from 1."""


def column_index(column: str, names: Sequence[str]) -> int | None:
    """Return the index of a column given by its name, or by its number from 1 if no column has that name.

    >>> column_index("url", ["id", "url"]), column_index("1", ["id", "url"]), column_index("3", ["id", "url"])
    (1, 0, None)

    Returns:
        the index; None if there is no such column.

    Raises:
        InputError: several columns have the name.
    """
    found = [index for index, name in enumerate(names) if name == column]
    if len(found) > 1:
        numbers = " and ".join(str(index + 1) for index in found)
        raise InputError(f"has several columns {column!r}: name one by its number, {numbers}")
    index = found[0] if found else column_number(column)
    return index if index is not None and index < len(names) else None


def column_number(text: str) -> int | None:
    """Return the index of a column given by its number from 1; None for any other text."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
    return number - 1 if number else None
