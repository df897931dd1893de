"""How much text a search takes at once."""

from __future__ import annotations

from urisieve.lean.hints import Final

__all__ = ["PIECE"]

# The number of characters searched at once: so many that the cost of a piece does not show.
PIECE: Final = 262_144
