"""Positions of the texts of a message: byte offsets in the file, lines and columns in the part."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.sources.bytes.charsets import local_offsets
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.selections import SelectedOffsets, Selection, SourceLines
from urisieve.sources.documents import Position

__all__ = ["StoredText", "lines_of"]


def lines_of(text: str, selection: Selection) -> Position:
    """Return the line and column, in a text, of the characters of a selection from it."""
    lines = SourceLines(text)
    return lambda offset: lines.place(selection.source(offset))


class StoredText:
    """The way back of a text that is stored in a file without a transfer encoding; its map is made on demand.

    Args:
        data: the bytes of the text.
        start: their offset in the message, in bytes.
        codec: their codec.
        selection: the stretches of the text that are needed, None for all of it.
        offset: the offset of the message in the file, in bytes.
        unquoted: offsets in the message, in bytes, before each of which one byte was left out.
    """

    __slots__ = ("_codec", "_data", "_map", "_offset", "_selection", "_start", "_unquoted")

    def __init__(
        self,
        data: bytes,
        start: int,
        codec: str,
        selection: Selection | None,
        offset: int,
        unquoted: Sequence[int],
    ) -> None:
        self._data = data
        self._start = start
        self._codec = codec
        self._selection = selection
        self._offset = offset
        self._unquoted = unquoted
        self._map: OffsetMap | None = None

    def __call__(self) -> OffsetMap | None:
        """Return the map; None if the character set has none."""
        if self._map is None:
            inner = None
            if not (self._data.isascii() and self._codec == "utf-8"):
                inner = local_offsets(self._data, self._codec)
                if inner is None:
                    return None
            self._map = SelectedOffsets(
                inner, self._selection, byte_start=self._start, removed=self._unquoted, start=self._offset
            )
        return self._map
