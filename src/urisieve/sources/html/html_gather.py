"""From elements and text to documents: the running text of HTML, and each link of an attribute as a text of its own.

Whatever reads the HTML calls a `Gatherer` in document order. A value that is not known to contain a link is a text of
its own; `srcdoc` is a page. Scripts open windows in `onclick`, pages load from `data-src`, mail gateways keep
`originalsrc`: what a link is called is up to the page. Namespace names (`xmlns`) are not read: they name formats.

Also defines:

- the texts of HTML while they are put together: the running text, and that of comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from urisieve.codes import Warn
from urisieve.find.delimited import NETWORK_PATH, Delimited
from urisieve.lean import Final, NamedTuple, TypeAlias, replace
from urisieve.records.base import Location
from urisieve.sources.bytes.source_map import SourceLines, SourceMap, composed
from urisieve.sources.documents import Document, HtmlDocuments, Position, Segment, joined_texts
from urisieve.sources.html.html_links import (
    TELLING,
    beside_links,
    differs,
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
from urisieve.sources.tally import Tally
from urisieve.wording import shortened


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
        page: the page; the segments made from it have its name, location and base.
        source: the HTML of the part, from the beginning of a token on.
        start: its offset in the page, in characters.
        lines: its lines and columns.
        base: the base that an element before the part declared.
        final: whether nothing follows. If something does, a token that may continue in it is left.
        may_hold: returns a false value for the values of attributes that contain no identifier.
        inner: reads the page in a `srcdoc`; None where too many are nested.
    """

    page: Segment
    source: str
    start: int
    lines: SourceLines
    base: str | None
    final: bool
    may_hold: Callable[[str], object]
    inner: HtmlDocuments | None


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


# A text, and what makes its segment.
_Item: TypeAlias = tuple[str, Callable[[], Segment]]


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
        known: dict[str, str] = {}  # the first of each name counts
        maps: dict[str, SourceMap] = {}
        for attribute, value, back in attributes(tag, len(name), at):
            if attribute not in TELLING:
                if may_hold(value) and not is_namespace(attribute):
                    self._texts.append(HtmlText(element, attribute, value, back, at, is_link=False))
            elif attribute not in known:
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

    def documents(self, tally: Tally, end: int | None, running: int | None, comments: int | None) -> Iterator[Document]:
        """Yield the documents collected: the running text first, then each link.

        Args:
            tally: counts the references skipped.
            end: the offset of the source before which they begin, those of links in the order of these; None for all.
            running: the number of pieces of the running text up to there; None for all.
            comments: that of the text of comments.
        """
        for stream, count in ((self.running, running), (self.comments, comments)):
            text = "".join(stream.pieces[:count])
            if text and not text.isspace():
                yield self.segment(text, stream.back).document()
        values = [value for value in self._texts if end is None or value.at < end]
        if values:  # one, too, is a string in which others may be
            yield self._document([(value.text, partial(self._of_attribute, value)) for value in values])
        yield from self.link_documents(tally, end)

    def link_documents(self, tally: Tally, end: int | None = None) -> Iterator[Document]:
        """Yield the documents of the links, many at once; see `documents`."""
        base = self.base or self._page.base
        items: list[_Item] = []
        for number, link in enumerate(self._links):
            if end is not None and link.at >= end:
                break
            is_page = link[:2] == _PAGE
            if link.is_link:
                item = self._link(link, base, self._visible.get(number))
                if item is not None:
                    items.append(item)
                else:
                    is_same = is_same_document(link.text)
                    tally.skip(_REFERENCE, "same-document" if is_same else unresolved_reason(base))
            elif link.element == _SCRIPT or (is_page and self._window.inner is not None):
                yield from self._block(items)
                items = []
                if is_page and self._window.inner is not None:
                    yield from self._window.inner(self._of_attribute(link), tally)
                else:
                    yield self._of_attribute(link).document(is_string=True)
            else:
                if is_page:
                    tally.fault("html", "nested-too-deep", f"{self._page.source}: pages in `srcdoc`, one in the other")
                items.append((link.text, partial(self._of_attribute, link)))
        yield from self._block(items)

    def _link(self, link: HtmlText, base: str | None, visible: str | None) -> _Item | None:
        """Return the text of a link, and what makes its segment; None for a reference that is not resolved."""
        target, back, reference = link.text, link.back, None
        delimited = Delimited.VALUE if link[:2] == _PROPERTY else Delimited.LINK
        if is_same_document(target):
            return None
        if not has_scheme(target):
            # That of `<base href>` is the one of its document (HTML 4.2.3).
            against = (self._page.base if link[:2] == _BASE else None) or base
            absolute = None if against is None else resolved(target, against)
            if absolute is not None:
                back = Replaced(back.source(0), back.source_end(len(target)))
                target, reference = absolute, target
            elif "://" in target and _UNFIT.search(target) is not None:
                # Not a reference, such as `=3D"http:` of an undeclared transfer encoding: it is read as any string.
                return target, partial(self._of_attribute, link)
            elif against is not None or NETWORK_PATH.match(target) is None:
                return None
            else:
                delimited = Delimited.LINK
        names = (link.element, link.attribute)
        return target, partial(self.segment, target, back, names, delimited, reference, visible)

    def _block(self, items: Sequence[_Item]) -> Iterator[Document]:
        """Yield links of the page as one document."""
        if len(items) == 1:
            one = items[0][1]()
            yield one.document(is_string=one.delimited is Delimited.TEXT)
        elif items:
            yield self._document(items)

    def _document(self, items: Sequence[_Item]) -> Document:
        whole, begins = joined_texts([text for text, _ in items])
        own = frozenset(range(len(items)))
        return self._page.block(whole, begins, lambda index: items[index][1](), delimited=Delimited.LINK, own=own)

    def _of_attribute(self, value: HtmlText) -> Segment:
        return self.value(value.text, value.back, (value.element, value.attribute), self.base or self._page.base)

    def value(self, text: str, back: SourceMap, names: tuple[str, str], base: str | None) -> Segment:
        """Return the segment of the value of an attribute: a string in which others may be, with the base in it."""
        return replace(self.segment(text, back, names), base=base)

    def location(self, element: str, attribute: str) -> Location:
        """Return the location of an attribute, by the names of its element and its own in lower case."""
        location = self._locations.get((element, attribute))
        if location is None:
            place = self._page.place
            # That of a `srcdoc` remains before it.
            outer = f"{place.field}/" if place.field is not None and place.field.endswith(f"@{_PAGE[1]}") else ""
            name = f"@{shortened(attribute)}" if attribute else ""
            location = place._replace(field=f"{outer}{shortened(element)}{name}", row=None)
            self._locations[element, attribute] = location
        return location

    def segment(
        self,
        text: str,
        back: SourceMap,
        names: tuple[str, str] | None = None,
        delimited: Delimited = Delimited.TEXT,
        reference: str | None = None,
        visible: str | None = None,
    ) -> Segment:
        """Return the segment of a text.

        Args:
            text: the text.
            back: its source map.
            names: the names of the element and the attribute that contain it; None for text outside of tags.
            delimited: whether it is a link.
            reference: the reference that it is the target of.
            visible: the visible text of the link that it is.
        """
        page = self._page
        is_other = visible is not None and delimited is not Delimited.TEXT and differs(visible, text)
        return Segment(
            source=page.source,
            text=(text,),
            place=page.place if names is None else self.location(*names),
            offsets=lambda: composed(page.offsets(), back),
            legacy=page.legacy,
            position=_position(back, self._window.lines.place if page.position is None else page.position),
            alternative=page.alternative,
            reference=reference,
            warnings=(Warn.TEXT_DIFFERS_FROM_TARGET,) if is_other else (),
            delimited=delimited,
            shown=visible,
            in_memory=page.in_memory,
        )


def _position(back: SourceMap, place: Position) -> Position:
    return lambda offset: place(back.source(offset))
