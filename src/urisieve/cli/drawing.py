"""Components under their names, for people: a text, what is underlined in it, and names with lines that lead there."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from urisieve.explanation import Span

__all__ = ["Palette", "drawn", "printable", "shortened"]

# A component longer than this is shown by its beginning and its end; all of it stands in the JSON.
_LONGEST: Final = 64
_ELLIPSIS: Final = "..."
# SGR parameters (ECMA-48 8.3.117); neighbours differ, and all can be read on light and on dark ground.
_COLORS: Final = {
    "scheme": "35",
    "userinfo": "31",
    "host": "36",
    "port": "33",
    "path": "32",
    "query": "34",
    "fragment": "35",
    "nid": "36",
    "nss": "32",
    "r-component": "33",
    "q-component": "34",
    "f-component": "35",
    "heading": "1",
    "bad": "1;31",
    "rule": "36",
}


class Palette:
    """Colours by what is shown, or none at all."""

    def __init__(self, colored: bool) -> None:
        self._colored = colored

    def paint(self, name: str, text: str) -> str:
        """The text in the colour of a component or of a kind of text."""
        color = _COLORS.get(name)
        return text if color is None or not text or not self._colored else f"\x1b[{color}m{text}\x1b[0m"


def printable(text: str) -> str:
    """The text with what a terminal would obey or not show replaced by U+FFFD."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def shortened(text: str, longest: int = 4 * _LONGEST) -> str:
    """The text in one line that can be read: without its middle if it is too long."""
    if len(text) > longest:
        half = (longest - len(_ELLIPSIS)) // 2
        text = f"{text[:half]}{_ELLIPSIS}{text[-half:]}"
    return printable(text)


def _width(text: str) -> int:
    """How many columns of a terminal a text takes (UAX 11)."""
    columns = 0
    for character in text:
        if not unicodedata.combining(character):
            columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def drawn(text: str, spans: Sequence[Span], palette: Palette) -> list[str]:
    """The lines of a text with its components underlined and named."""
    pieces: list[str] = []
    marks: list[tuple[str, int, int]] = []  # name, first column, width
    place = column = 0
    for span in spans:
        between = shortened(text[place : span.start])
        shown = shortened(span.text, _LONGEST)
        pieces += [between, palette.paint(span.name, shown)]
        column += _width(between)
        width = _width(shown)
        if width:
            marks.append((span.name, column, width))
        column += width
        place = span.end
    rows: list[list[tuple[int, str, str]]] = [[(start, name, "~" * width) for name, start, width in marks]]
    free: list[int] = []  # for each row of names, the column from which on it is taken
    for name, start, _ in reversed(marks):
        row = next((row for row, first in enumerate(free) if start + len(name) < first), len(free))
        if row == len(free):
            free.append(0)
            rows.append([])
        rows[row + 1].append((start, name, name))
        for above in range(row):
            rows[above + 1].append((start, name, "|"))
        free[: row + 1] = [start] * (row + 1)
    lines = [f"{''.join(pieces)}{shortened(text[place:])}"]
    for cells in rows:
        line = ""
        column = 0
        for start, name, shown in sorted(cells):
            line += f"{' ' * (start - column)}{palette.paint(name, shown)}"
            column = start + len(shown)
        lines.append(line)
    return lines if marks else lines[:1]
