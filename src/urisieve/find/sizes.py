"""How much text a search takes at once, and the memory for it."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from urisieve.lean.hints import Final

__all__ = ["PIECE", "keep_freed_blocks"]

# The number of characters searched at once: so many that the cost of a piece does not show.
PIECE: Final = 131_072

# The size of a block that makes the C library of Linux keep freed blocks of text, see `keep_freed_blocks`.
_LARGE: Final = 16_777_216


@cache
def keep_freed_blocks() -> None:
    """Let the C library of Linux reuse freed blocks of text.

    It returns each of them to the system, and gets it anew page by page, until it has seen one of this size freed:
    1.8 ms a MB of prose instead of 1.1. So one is allocated and freed here; no page of it is touched.
    """
    with suppress(MemoryError):
        bytes(_LARGE)
