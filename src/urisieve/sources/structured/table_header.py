"""Whether a table has a header."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["TableHeader"]


class TableHeader(StrEnum):
    """Whether the first row of a table names the columns.

    >>> from urisieve import TableHeader
    >>> TableHeader("none") is TableHeader.NONE
    True
    """

    FIRST_ROW = "first-row"
    """The first row names the columns; it is read as well, since some tables have no header."""
    NONE = "none"
    """The columns have numbers only, from 1."""
