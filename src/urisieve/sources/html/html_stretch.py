"""A stretch of HTML as tokens, and the text that is made of it, with the way back from its characters.

Offsets are computed when they are asked for: most of the text of a page holds no link.

It holds besides:

- links of attributes and styles of HTML, and the way back from them to the source.

The values of attributes that are not known to hold a link: each is running text of its own; `srcdoc` is a page.

Scripts open windows in `onclick`, pages load from `data-src`, mail gateways keep `originalsrc`: what a link is called
is up to the page. Namespace names (`xmlns`) are not read: they name formats.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from operator import add
from typing import Final, NamedTuple

from urisieve.sources.bytes.selections import Selection, Shift, SourceMap
from urisieve.sources.documents import HtmlDocuments
from urisieve.sources.html.html_links import TELLING
from urisieve.sources.html.html_tokens import attribute_spans, content_start, resolve, resolve_references, tag_name

# The number of `<` before each part of a stretch: one for each token before it.
_OPENINGS: Final = [number // 2 for number in range(4_096)]


class Written(NamedTuple):
    """A text that is not simply the part of the source between two tokens.

    Attributes:
        text: the text as it is written in the source.
        back: the number of characters that it begins before the end of the token before it.
        resolves: whether its references are resolved.
    """

    text: str
    back: int = 0
    resolves: bool = True


class Stretch:
    """A stretch of HTML split into text and tokens in turn, and the text made of it.

    Attributes:
        parts: the text and tokens as written, beginning and ending with a text.
        texts: the texts as read, one more than there are tokens.
        breaks: for each token the line break that it makes, or an empty string.
        written: the texts that are not parts of the source as they are, by their index.
        start: the offset of the first part in the source, in characters; or in a part of `home`.
        home: the stretch that this one is a part of, and which part; None if it is none.
        lead: whether a line break comes before the stretch, at the start of that part.
    """

    __slots__ = ("_begins", "_offsets", "_value", "breaks", "home", "lead", "parts", "start", "texts", "written")

    def __init__(
        self, parts: list[str], start: int = 0, home: tuple[Stretch, int] | None = None, *, lead: bool = False
    ) -> None:
        self.parts = parts
        self.texts = parts[::2]
        self.breaks: list[str] = []
        self.written: dict[int, Written] = {}
        self.start = start
        self.home = home
        self.lead = lead
        self._offsets: list[int] | None = None
        self._begins: list[int] | None = None
        self._value: tuple[int, str | None, tuple[int, int] | None, Selection | Shift] | None = None

    def pieces(self, first: int = 0) -> list[str]:
        """Return the pieces of the text, from that of a token on: texts and line breaks in turn."""
        texts = self.texts[first:]
        pieces = [""] * (2 * len(texts) - 1)
        pieces[::2] = texts
        pieces[1::2] = self.breaks[first:]
        return pieces

    def offset(self, part: int) -> int:
        """Return the offset in the source of a part: of a text, or of the `<` of a token."""
        if self._offsets is None:
            start = self.start
            if self.home is not None:
                outer, outer_part = self.home
                start += outer.offset(outer_part)
            sizes = accumulate(map(len, self.parts), initial=start)
            count = len(self.parts)
            openings = _OPENINGS if count <= len(_OPENINGS) else (number // 2 for number in range(count))
            self._offsets = list(map(add, sizes, openings))
        return self._offsets[part]

    def value_map(self, token: int, attribute: str | None, span: tuple[int, int] | None = None) -> Selection | Shift:
        """Return the way back from a value of a token.

        Args:
            token: the index of the token.
            attribute: the name of the attribute; None for the content of a raw element.
            span: the start and end of the value in the token; None for the first value of an attribute of `TELLING`.
        """
        if self._value is None or self._value[:3] != (token, attribute, span):  # one value may hold many links
            self._value = (token, attribute, span, self._value_map(token, attribute, span))
        return self._value[3]

    def _value_map(self, token: int, attribute: str | None, span: tuple[int, int] | None) -> Selection | Shift:
        tag = self.parts[2 * token + 1]
        inside = self.offset(2 * token + 1) + 1
        if attribute is None:
            return Shift(inside + content_start(tag))
        first, last = span or attribute_spans(tag[: content_start(tag)], tag_name(tag)[1], TELLING)[attribute]
        if tag.find("&", first, last) < 0:
            return Shift(inside + first)
        selection = Selection()
        resolve_references(tag, first, last, selection, shift=inside, attribute=True)
        return selection

    def source(self, offset: int) -> int:
        """Return the start, in the source, of the character at an offset of the text."""
        piece, begin = self._piece(offset)
        source = self._piece_map(piece)
        return self.offset(piece) if source is None else source.source(offset - begin)

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text."""
        piece, begin = self._piece(offset - 1)
        source = self._piece_map(piece)
        return self.offset(piece) if source is None else source.source_end(offset - begin)

    def _piece(self, offset: int) -> tuple[int, int]:
        """Return the index of the piece that holds a character, and its offset in the text."""
        if self._begins is None:
            self._begins = list(accumulate(map(len, self.pieces()), initial=0))[:-1]
        index = max(0, bisect_right(self._begins, offset) - 1)
        return index, self._begins[index]

    def _piece_map(self, piece: int) -> SourceMap | None:
        """Return the map of a text; None for a line break, all of which is at the start of its token."""
        if piece % 2:
            return None
        written = self.written.get(piece // 2)
        if written is None:
            return Shift(self.offset(piece))
        start = self.offset(piece) - written.back
        if not written.resolves:
            return Shift(start)
        selection = Selection()
        resolve_references(written.text, 0, len(written.text), selection, shift=start, attribute=False)
        return selection


class PlainComment(NamedTuple):
    """The content of a comment without tokens, for which a stretch is made on demand.

    Attributes:
        content: the text as written.
        start: its offset in the token of the comment.
        home: the stretch that holds the comment.
        part: the comment's part of it.
        lead: whether a line break comes before it.
    """

    content: str
    start: int
    home: Stretch
    part: int
    lead: bool

    def stretch(self) -> Stretch:
        """Return the stretch."""
        stretch = Stretch([self.content], self.start, (self.home, self.part), lead=self.lead)
        if "&" in self.content:
            stretch.texts[0] = resolve(self.content)
            stretch.written[0] = Written(self.content)
        return stretch


class StretchesMap:
    """The map of a text that is made of stretches.

    Args:
        stretches: the stretches.
    """

    __slots__ = ("_begins", "_made", "_stretches")

    def __init__(self, stretches: Sequence[Stretch | PlainComment]) -> None:
        self._made = stretches
        self._stretches: list[Stretch] = []
        self._begins: list[int] | None = None

    def source(self, offset: int) -> int:
        """Return the start, in the source, of the character at an offset of the text."""
        stretch, inside = self._stretch(offset)
        return inside if stretch is None else stretch.source(inside)

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text."""
        stretch, inside = self._stretch(offset - 1)
        return inside if stretch is None else stretch.source_end(inside + 1)

    def _stretch(self, offset: int) -> tuple[Stretch | None, int]:
        """Return the stretch that holds a character, and the offset in it; None and the source's for a line break."""
        if self._begins is None:
            self._stretches = [one.stretch() if isinstance(one, PlainComment) else one for one in self._made]
            lengths = (one.lead + sum(map(len, chain(one.texts, one.breaks))) for one in self._stretches[:-1])
            self._begins = list(accumulate(lengths, initial=0))
        index = min(len(self._stretches), bisect_right(self._begins, offset)) - 1
        stretch = self._stretches[index]
        inside = offset - self._begins[index] - stretch.lead
        if inside >= 0 or stretch.home is None:
            return stretch, inside
        home, part = stretch.home
        return None, home.offset(part)


# A colon after a character of a scheme and before one that may follow it. `html_links.c` has the same.
_SIGN: Final = re.compile(r"[A-Za-z0-9+.\-]:[^\x00-\x20:\x7f]")


def may_hold(value: str) -> bool:
    """Report whether a value may hold an identifier, by the default options: most hold none, and are passed over."""
    return ":" in value and _SIGN.search(value) is not None


class TextReading(NamedTuple):
    """How the values of attributes are read that do not hold links.

    Attributes:
        maybe: returns a false value for those that hold no identifier.
        page: reads the page in a `srcdoc`; None where too many stand in each other.
    """

    maybe: Callable[[str], object] = may_hold
    page: HtmlDocuments | None = None


class AttributeText(NamedTuple):
    """The value of an attribute, to be read as text or as a page.

    Attributes:
        element: the name of the element.
        attribute: that of the attribute.
        text: the value, its links left blank.
        number: the number of its token in the running text, from 0.
        stretch: the stretch that holds its token.
        token: the index of its token in that stretch.
        span: the start and end of the value in the token; None for the first value of this name.
        is_page: whether it is a page.
    """

    element: str
    attribute: str
    text: str
    number: int
    stretch: Stretch
    token: int
    span: tuple[int, int] | None = None
    is_page: bool = False


class ValueMap:
    """The way back from the text of an attribute to the source, made on demand.

    Args:
        value: the text.
    """

    __slots__ = ("_value",)

    def __init__(self, value: AttributeText) -> None:
        self._value = value

    def source(self, offset: int) -> int:
        """Return the start, in the source, of the character at an offset of the text."""
        value = self._value
        return value.stretch.value_map(value.token, value.attribute, value.span).source(offset)

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text."""
        value = self._value
        return value.stretch.value_map(value.token, value.attribute, value.span).source_end(offset)


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
