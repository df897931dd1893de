"""From elements and text to documents: the running text of HTML, and each link of an attribute as a text of its own.

Whatever reads the HTML calls a `Gatherer` in document order. A value that is not known to contain a link is a text of
its own; `srcdoc` is a page. Scripts open windows in `onclick`, pages load from `data-src`, mail gateways keep
`originalsrc`: what a link is called is up to the page. Namespace names (`xmlns`) are not read: they name formats.

Also defines:

- the texts of HTML while they are put together: the running text, and that of comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from urisieve.find.delimited import NETWORK_PATH, Delimited
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from urisieve.records.base import Location
from urisieve.sources.bytes.source_map import SourceLines, SourceMap
from urisieve.sources.documents import Document, Segment
from urisieve.sources.html.html_links import (
    TELLING,
    beside_links,
    has_scheme,
    is_same_document,
    links,
    may_be_visible,
    may_hold_links,
    resolved,
    style_links,
    unresolved_reason,
)
from urisieve.sources.html.html_tokens import (
    EDGES,
    Replaced,
    attributes,
    is_namespace,
    link_in,
    resolved_pieces,
)
from urisieve.wording import shortened

if TYPE_CHECKING:
    from urisieve.sources.segments import Segments

# Reads the page that an attribute has.
InnerPage: TypeAlias = Callable[[Segment], Iterator[Document]]


class Stream:
    """A text that is being put together.

    Attributes:
        pieces: the pieces added so far.
        back: their source map.
        broken: whether a line has just ended.
        anchor: the index of the link whose text is being added, None if there is none.
        anchor_text: the index of the piece with which this text begins.
    """

    __slots__ = ("anchor", "anchor_text", "back", "broken", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.back = SourceMap()
        self.broken = True
        self.anchor: int | None = None
        self.anchor_text = 0

    def put(self, written: str, start: int, *, resolves: bool = True) -> None:
        """Add a text as it is written at an offset of the source, its references resolved."""
        if not written:
            return
        self.broken = False
        pieces = resolved_pieces(written, attribute=False) if resolves else [(written, 0, len(written))]
        for piece, first, last in pieces:
            self.pieces.append(piece)
            self.back.replace(start + first, start + last, len(piece))

    def pause(self, start: int) -> None:
        """End the line at an offset of the source: the text after it does not join with the text before."""
        if not self.broken:
            self.pieces.append("\n")
            self.back.replace(start, start, 1)
            self.broken = True


class HtmlWindow(NamedTuple):
    """A part of a page that is read at once.

    Attributes:
        out: takes the texts of the page.
        page: the page; the segments made from it have its name, location and base.
        source: the HTML of the part, from the beginning of a token on.
        start: its offset in the page, in characters.
        lines: its lines and columns.
        base: the base that an element before the part declared.
        final: whether nothing follows. If something does, a token that may continue in it is left.
        may_hold: returns a false value for the values of attributes that contain no identifier.
        inner: reads the page in a `srcdoc`; None where too many are nested.
    """

    out: Segments
    page: Segment
    source: str
    start: int
    lines: SourceLines
    base: str | None
    final: bool
    may_hold: Callable[[str], object]
    inner: InnerPage | None


class HtmlText(NamedTuple):
    """The value of an attribute, or a link in it or in a style.

    Attributes:
        element: the name of the element.
        attribute: that of the attribute; `url` of a style.
        text: the value, its links left blank; or the link.
        back: its source map.
        at: the offset of its tag, after the `<`, or of its style in the source.
        is_link: whether it is a link.
    """

    element: str
    attribute: str
    text: str
    back: SourceMap
    at: int
    is_link: bool = True


_BASE: Final = ("base", "href")
_REFERENCE: Final = "reference"
# The property of a page may be a sentence that begins with a link.
_PROPERTY: Final = ("meta", "content")
_PAGE: Final = ("iframe", "srcdoc")
_SCRIPT: Final = "script"
# Characters that no reference contains (RFC 3986 4.1).
_UNFIT: Final = re.compile(r"[\s\"<>\\^`{|}]")


class Gatherer:
    """Collects the content of one part of a page: its running text and links, and separately the text of comments."""

    def __init__(self, window: HtmlWindow) -> None:
        self._window = window
        self._page = window.page
        self.base = window.base
        """The URI of the first `<base href>`, None before it."""
        self.running = Stream()
        self.comments = Stream()
        self._links: list[HtmlText] = []  # texts, too, of attributes that may contain links
        self._texts: list[HtmlText] = []
        self._visible: dict[int, str] = {}
        """The visible text of links that may be a link itself, by the index of the link."""
        outer = self._page.place.field
        # That of a `srcdoc` remains before it.
        self._outer = f"{outer}{'/' if outer.endswith(f'@{_PAGE[1]}') else ' / '}" if outer else ""
        self._locations: dict[tuple[str, str], Location] = {}

    def compare(self, anchor: int, text: str) -> None:
        """Compare the target of a link, by its index, with its visible text, once the base is known."""
        text = text.strip()
        if may_be_visible(text):
            self._visible[anchor] = text

    def add_content(self, element: str, content: str, at: int) -> None:
        """Add a script that is a document of JSON, or the relative links of a style, whose text is in the running text.

        Args:
            element: the name of the element.
            content: its content.
            at: the offset of that in the source.
        """
        if element == _SCRIPT:
            self._links.append(HtmlText(element, "", content, SourceMap(at), at, is_link=False))
            return
        for start, end in style_links(content):
            if not has_scheme(content[start:end].lstrip(EDGES)):
                self._links.append(HtmlText("style", "url", *link_in(content, SourceMap(at), start, end), at))

    def add_attributes(self, name: str, tag: str, at: int) -> int | None:
        """Add what the attributes of a start tag contain; return the index of the link of the `href` of an `a`.

        Args:
            name: the name of the element, as it is written.
            tag: the tag, from its name on.
            at: its offset in the source.
        """
        may_hold = self._window.may_hold
        element = name.lower()
        known: dict[str, str] = {}  # the first of each name counts; the others are text
        maps: dict[str, SourceMap] = {}
        for attribute, value, back in attributes(tag, len(name), at):
            if attribute not in TELLING or attribute in known:
                if may_hold(value) and not is_namespace(attribute):
                    self._texts.append(HtmlText(element, attribute, value, back, at, is_link=False))
            else:
                known[attribute], maps[attribute] = value, back
        anchor = None
        for attribute, value in known.items():
            back = maps[attribute]
            if (element, attribute) == _PAGE:
                self._links.append(HtmlText(element, attribute, value, back, at, is_link=False))
                continue
            spans = tuple(links(element, attribute, value, known))
            beside = beside_links(attribute, value, spans)
            if beside and may_hold(beside):
                to = self._links if may_hold_links(element, attribute, value, known) else self._texts
                to.append(HtmlText(element, attribute, beside, back, at, is_link=False))
            for start, end in spans:
                link = HtmlText(element, attribute, *link_in(value, back, start, end), at)
                self._links.append(link)
                if link[:2] == ("a", "href"):
                    anchor = len(self._links) - 1
                elif link[:2] == _BASE and self.base is None:
                    self.base = resolved(link.text, self._page.base)
        return anchor

    def documents(self, end: int | None, running: int | None, comments: int | None) -> Iterator[Document | None]:
        """Yield the documents collected: the running text first, then each link.

        Args:
            end: the offset of the source before which they begin, those of links in the order of these; None for all.
            running: the number of pieces of the running text up to there; None for all.
            comments: that of the text of comments.
        """
        for stream, count in ((self.running, running), (self.comments, comments)):
            text = "".join(stream.pieces[:count])
            if text and not text.isspace():
                yield self._page.inner(text, stream.back, self._page.place).document()
        for value in self._texts:
            if end is None or value.at < end:
                self._add(value)
        yield from self.links(end)

    def links(self, end: int | None = None) -> Iterator[Document | None]:
        """Yield the documents of the links; see `documents`."""
        out, inner = self._window.out, self._window.inner
        for number, link in enumerate(self._links):
            if end is not None and link.at >= end:
                break
            is_page = link[:2] == _PAGE
            if link.is_link:
                self._add_link(link, self._visible.get(number))
            elif is_page and inner is not None:
                place = self.location(link.element, link.attribute)
                yield None
                yield from inner(self._page.inner(link.text, link.back, place, base=self._base))
            else:
                if is_page:
                    out.fault("nested-too-deep", "pages in `srcdoc`, one in the other")
                self._add(link)
        yield None

    @property
    def _base(self) -> str | None:
        return self.base or self._page.base

    def _add_link(self, link: HtmlText, visible: str | None) -> None:
        """Add a link; a reference that is not resolved is counted."""
        target, back, reference = link.text, link.back, None
        delimited = Delimited.VALUE if link[:2] == _PROPERTY else Delimited.LINK
        out = self._window.out
        if is_same_document(target):
            out.skip("same-document", kind=_REFERENCE)
            return
        if not has_scheme(target):
            # That of `<base href>` is the one of its document (HTML 4.2.3).
            against = (self._page.base if link[:2] == _BASE else None) or self._base
            absolute = None if against is None else resolved(target, against)
            if absolute is not None:
                back = Replaced(back.source(0), back.source_end(len(target)))
                target, reference = absolute, target
            elif "://" in target and _UNFIT.search(target) is not None:
                # Not a reference, such as `=3D"http:` of an undeclared transfer encoding: it is read as any string.
                self._add(link)
                return
            elif against is not None or NETWORK_PATH.match(target) is None:
                out.skip(unresolved_reason(self._base), kind=_REFERENCE)
                return
            else:
                delimited = Delimited.LINK
        self._add(HtmlText(link.element, link.attribute, target, back, link.at), delimited, reference, visible)

    def _add(
        self,
        text: HtmlText,
        delimited: Delimited = Delimited.TEXT,
        reference: str | None = None,
        visible: str | None = None,
    ) -> None:
        """Add the value of an attribute, a string in which others may be, or a link."""
        self._window.out.add(
            text.text,
            text.back,
            place=self.location(text.element, text.attribute),
            delimited=delimited,
            reference=reference,
            visible=visible,
            base=self._base,
            legacy=self._page.legacy,
            always=True,
        )

    def location(self, element: str, attribute: str) -> Location:
        """Return the location of an attribute, by the names of its element and its own in lower case."""
        location = self._locations.get((element, attribute))
        if location is None:
            name = f"@{shortened(attribute)}" if attribute else ""
            location = self._page.place._replace(field=f"{self._outer}{shortened(element)}{name}")
            self._locations[element, attribute] = location
        return location
