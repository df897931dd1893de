"""The texts of a stretch of HTML while they are put together: the running text, and that of comments."""

from __future__ import annotations

from typing import NamedTuple

from urisieve.sources.html.html_stretch import PlainComment, Stretch

__all__ = ["Cut", "Stream"]


class Cut(NamedTuple):
    """Where a `Gatherer` is cut: between two lines of the running text, outside of any link.

    Attributes:
        offset: its offset in the source, in characters.
        number: the number of the token after it, from 0.
        pieces: the number of pieces of running text before it.
        rest: the text between those pieces and the cut.
    """

    offset: int
    number: int
    pieces: int
    rest: str = ""


class Stream:
    """A text that is being put together.

    Attributes:
        pieces: the pieces added so far.
        broken: whether a line has just ended.
        anchor: the index of the link whose text is being added, None if there is none.
        anchor_text: the index of the piece with which this text begins.
        stretches: the stretches of the source that the text is made of, if it is made of tokens alone.
        counts: for each stretch, the number of its token in the running text, and how many pieces there are with it.
    """

    __slots__ = ("anchor", "anchor_text", "broken", "counts", "pieces", "stretches")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.broken = True
        self.anchor: int | None = None
        self.anchor_text = 0
        self.stretches: list[Stretch | PlainComment] = []
        self.counts: list[tuple[int, int]] = []

    def put(self, text: str) -> None:
        """Add text."""
        self.pieces.append(text)
        self.broken = False

    def pause(self) -> bool:
        """End the line: the text after it does not join with the text before. Return whether one was open."""
        if self.broken:
            return False
        self.pieces.append("\n")
        self.broken = True
        return True

    def text(self, cut: Cut | None) -> str:
        """Return the text up to a cut."""
        if cut is None:
            return "".join(self.pieces)
        count = max((pieces for number, pieces in self.counts if number < cut.number), default=0)
        return "".join(self.pieces[:count])
