"""Delimited candidates: texts whose limits a carrier or an exact wrapper gives (RFC 3986 Appendix C).

Where something outside the text says where an identifier begins and ends, the candidate is all of it: it is canonical,
rejected with its reason, or repaired, never cut to a part that would be another identifier.
"""

from __future__ import annotations

from enum import Enum

__all__ = ["Delimited"]


class Delimited(Enum):
    """Whether the carrier of a text gives the limits of the identifier in it."""

    TEXT = "text"
    """Running text: where an identifier ends is found out."""
    VALUE = "value"
    """A string of JSON or a cell of a table: one candidate if it begins with a scheme that counts in running text."""
    LINK = "link"
    """An attribute or a field that holds a link: one candidate if it begins with any scheme."""
