"""Links of attributes and styles of HTML, and the way back from them to the source."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from urisieve.sources.bytes.selections import Selection
from urisieve.sources.html.html_stretch import Stretch

__all__ = ["EDGES", "STYLE", "Link", "LinkMap", "link_text"]

# Characters that the URL standard removes from a URL before parsing (4.4): at its ends, and inside.
EDGES: Final = "".join(map(chr, range(33)))
_INSIDE: Final = re.compile(r"[\t\n\r]+")
# What stands for the element and attribute of a link in a style sheet.
STYLE: Final = ("style", "url")


class Link(NamedTuple):
    """A link of an attribute or of a style.

    Attributes:
        element: the name of the element.
        attribute: that of the attribute; `url` of a style.
        text: the link, without the characters that are removed from it.
        value: the value that holds it.
        start: its start in the value.
        end: its end in the value, -1 for all of it.
        number: the number of its token in the running text, from 0.
        stretch: the stretch that holds its token.
        token: the index of its token in that stretch.
    """

    element: str
    attribute: str
    text: str
    value: str
    start: int
    end: int
    number: int
    stretch: Stretch
    token: int


def link_text(written: str) -> str:
    """Return a link without the characters that the URL standard removes."""
    text = written.strip(EDGES)
    return text if text.isprintable() else _INSIDE.sub("", text)


class LinkMap:
    """The way back from a link to the source, made on demand.

    Args:
        link: the link.
        length: the length of the text that replaces it, all characters of which are where the link is; None if none
            does.
    """

    __slots__ = ("_length", "_link", "_map")

    def __init__(self, link: Link, length: int | None) -> None:
        self._link = link
        self._length = length
        self._map: Selection | None = None

    def source(self, offset: int) -> int:
        """Return the start, in the source, of the character at an offset of the text."""
        return (self._map or self._made()).source(offset)

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text."""
        return (self._map or self._made()).source_end(offset)

    def _made(self) -> Selection:
        element, attribute, text, value, start, end, _, stretch, token = self._link
        written = value[start:end] if end >= 0 else value
        start += len(written) - len(written.lstrip(EDGES))
        end = start + len(written.strip(EDGES))
        back = stretch.value_map(token, None if (element, attribute) == STYLE else attribute)
        selection = self._map = Selection()
        if self._length is None and end - start == len(text):
            selection.extend(back, start, end)
        else:
            length = len(text) if self._length is None else self._length
            selection.replace(back.source(start), back.source_end(end), length)
        return selection
