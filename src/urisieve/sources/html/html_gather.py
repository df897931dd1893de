"""From elements and text to documents: the running text of HTML, and each link of an attribute as a text of its own.

The reader of the HTML calls a `Gatherer` in document order.

Also defines:

- the texts of HTML while they are put together: the running text, and that of comments.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache, partial

from urisieve.codes import Warn
from urisieve.find.delimited import NETWORK_PATH, Delimited
from urisieve.lean import Any, Final
from urisieve.records.base import Location
from urisieve.sources.bytes.source_map import SourceLines, SourceMap, composed
from urisieve.sources.documents import Document, Position, block_of
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
    STYLE,
    AttributeText,
    Link,
    TextReading,
    attributes,
    holds_sign,
    is_namespace,
    link_text,
    resolved_pieces,
)
from urisieve.sources.tally import Tally
from urisieve.wording import shortened


class Stream:
    """A text that is being put together.

    Attributes:
        pieces: the pieces added so far.
        broken: whether a line has just ended.
        last_break: the offset in the source at which the last line outside of links ended; -1 if none has.
        anchor: the index of the link whose text is being added, None if there is none.
        anchor_text: the index of the piece with which this text begins.
    """

    __slots__ = ("_ends", "_starts", "anchor", "anchor_text", "broken", "last_break", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        # Where the stretch of the source that each piece stands for begins and ends.
        self._starts = array("q")
        self._ends = array("q")
        self.broken = True
        self.last_break = -1
        self.anchor: int | None = None
        self.anchor_text = 0

    def put(self, written: str, start: int, *, resolves: bool = True) -> None:
        """Add a text as it is written at an offset of the source, its references resolved."""
        if not written:
            return
        self.broken = False
        if resolves and "&" in written:
            for piece, first, last in resolved_pieces(written, attribute=False):
                self._add(piece, start + first, start + last)
        else:
            self._add(written, start, start + len(written))

    def pause(self, start: int) -> None:
        """End the line at an offset of the source: the text after it does not join with the text before."""
        if not self.broken:
            self._add("\n", start, start)
            self.broken = True

    def _add(self, piece: str, start: int, end: int) -> None:
        self.pieces.append(piece)
        self._starts.append(start)
        self._ends.append(end)

    def text(self, end: int | None) -> str:
        """Return the text of the source before an offset, where a piece that goes on behind it is cut; None for all."""
        if end is None:
            return "".join(self.pieces)
        count = bisect_right(self._starts, end)
        excess = self._ends[count - 1] - end if count else 0
        text = "".join(self.pieces[:count])
        return text[:-excess] if excess > 0 else text

    def way_back(self) -> SourceMap:
        """Return the map from the text to the source."""
        found = SourceMap()
        for start, end, piece in zip(self._starts, self._ends, self.pieces, strict=True):
            found.replace(start, end, len(piece))
        return found


_BASE: Final = ("base", "href")
_REFERENCE: Final = "reference"
# The property of a page may be a sentence that begins with a link.
_PROPERTY: Final = ("meta", "content")
_PAGE: Final = ("iframe", "srcdoc")
# Characters that no reference contains (RFC 3986 4.1).
_UNFIT: Final = re.compile(r"[\s\"<>\\^`{|}]")


class Gatherer:
    """Collects the content of one stretch of HTML: its running text and links, and separately the text of comments.

    Args:
        document: the HTML; the documents made from it have its name, location and base.
        base: the base that an element before this stretch declared.
        reading: how the values of attributes are read that do not hold links.
    """

    def __init__(self, document: Document, base: str | None = None, reading: TextReading | None = None) -> None:
        self._document = document
        self.reading = TextReading() if reading is None else reading
        self.base = base
        """The URI of the first `<base href>`, None before it."""
        self.running = Stream()
        self.comments = Stream()
        self._links: list[Link | AttributeText] = []  # texts, too, of attributes that may hold links
        self._texts: list[AttributeText] = []
        self._shown: dict[int, str] = {}
        """The visible text of links that may be a link itself, by the index of the link."""
        self._locations: dict[tuple[str, str], Location] = {}

    def compare(self, anchor: int, text: str) -> None:
        """Compare the target of a link, by its index, with its visible text, once the base is known."""
        text = text.strip()
        if may_be_visible(text):
            self._shown[anchor] = text

    def style(self, content: str, at: int) -> None:
        """Add the relative links of the content of a `style` element; its text is added as running text.

        Args:
            content: the content.
            at: its offset in the source.
        """
        for start, end in style_links(content):
            if not has_scheme(content[start:end].strip(EDGES)):
                self._links.append(Link(*STYLE, link_text(content[start:end]), content, start, end, "", at))

    def add(self, link: Link) -> int:
        """Add a link; return its index."""
        self._links.append(link)
        return len(self._links) - 1

    def add_attributes(self, name: str, tag: str, at: int, start: int) -> int | None:
        """Add what the attributes of a start tag hold; return the index of the link of the `href` of an `a`.

        Args:
            name: the name of the element, in lower case.
            tag: the tag.
            at: its offset in the source.
            start: where its name ends in it.
        """
        may_hold = self.reading.may_hold
        wanted = TELLING if may_hold is holds_sign and ":" not in tag and "&" not in tag else None
        known: dict[str, str] = {}
        for attribute, value, span in attributes(tag, start, wanted):
            if attribute in TELLING:
                known.setdefault(attribute, value)
            elif may_hold(value) and not is_namespace(attribute):
                self._texts.append(AttributeText(name, attribute, value, tag, at, span))
        return self.add_links(name, known, tag, at) if known else None

    def add_links(self, name: str, known: dict[str, str], tag: str, at: int) -> int | None:
        """Add the links of a start tag; return the index of that of the `href` of an `a`.

        Args:
            name: the name of the element, in lower case.
            known: its attributes as `known_attributes` returns them.
            tag: the tag.
            at: its offset in the source.
        """
        anchor = None
        for attribute, value in known.items():
            if (name, attribute) == _PAGE:
                self._links.append(AttributeText(name, attribute, value, tag, at, is_page=True))
                continue
            spans = tuple(links(name, attribute, value, known))
            beside = beside_links(attribute, value, spans)
            if beside and self.reading.may_hold(beside):
                to: list[Any] = self._links if may_hold_links(name, attribute, value, known) else self._texts
                to.append(AttributeText(name, attribute, beside, tag, at))
            for start, end in spans:
                text = link_text(value[start:end])
                self._links.append(Link(name, attribute, text, value, start, end, tag, at))
                if attribute != "href":
                    continue
                if name == "a":
                    anchor = len(self._links) - 1
                elif name == "base" and self.base is None:
                    self.base = resolved(text, self._document.base)
        return anchor

    def documents(self, tally: Tally, lines: SourceLines, end: int | None) -> Iterator[Document]:
        """Yield the documents collected: the running text first, then each link.

        Args:
            tally: counts the references skipped.
            lines: the lines and columns of the source.
            end: the offset of the source before which they begin, those of links in the order of these; None for all.
        """
        for stream in (self.running, self.comments):
            text = stream.text(end)
            if text and not text.isspace():
                yield self.text_document(text, cache(stream.way_back), lines)
        values = [value for value in self._texts if end is None or value.at < end]
        items = [(value.text, partial(self.value_document, value, lines)) for value in values]
        yield from block_of(self._document, items)
        yield from self.link_documents(tally, lines, end)

    def value_document(self, value: AttributeText, lines: SourceLines) -> Document:
        """Return the document of the value of an attribute."""
        way_back = cache(value.way_back)
        return self._document_of(value.text, way_back, lines, self._location(value.element, value.attribute))

    def text_document(self, text: str, selection: Callable[[], SourceMap], lines: SourceLines) -> Document:
        """Return the document of a text that is no link; `selection` returns the map to the source."""
        return self._document_of(text, selection, lines, self._document.place)

    def link_documents(self, tally: Tally, lines: SourceLines, end: int | None = None) -> Iterator[Document]:
        """Yield the documents of the links, many at once; see `documents`."""
        base = self.base or self._document.base
        items: list[tuple[str, Callable[[], Document]]] = []
        for number, link in enumerate(self._links):
            if end is not None and link.at >= end:
                break
            if isinstance(link, Link):
                item = self._link(number, link, base, lines)
                if item is not None:
                    items.append(item)
                elif is_same_document(link.text):
                    tally.skip(_REFERENCE, "same-document")
                else:
                    tally.skip(_REFERENCE, unresolved_reason(base))
            elif link.is_page and self.reading.page is not None:
                yield from block_of(self._document, items)
                items = []
                one = self.value_document(link, lines)
                one.base = base
                yield from self.reading.page(one, tally)
            else:
                if link.is_page:
                    tally.fault(
                        "html", "nested-too-deep", f"{self._document.source}: pages in `srcdoc`, one in the other"
                    )
                items.append((link.text, partial(self.value_document, link, lines)))
        yield from block_of(self._document, items)

    def _link(
        self, number: int, link: Link, base: str | None, lines: SourceLines
    ) -> tuple[str, Callable[[], Document]] | None:
        """Return the text of a link, and what makes its document; None for a reference that is not resolved."""
        target = link.text
        reference: str | None = None
        delimited = Delimited.VALUE if link[:2] == _PROPERTY else Delimited.LINK
        if is_same_document(target):
            return None
        if not has_scheme(target):
            against = self._base_of(link, base)
            absolute = None if against is None else resolved(target, against)
            if absolute is not None:
                target, reference = absolute, target
            elif "://" in target and _UNFIT.search(target) is not None:
                # Not a reference, such as `=3D"http:` of an undeclared transfer encoding: it is read as text.
                delimited = Delimited.TEXT
            elif against is not None or NETWORK_PATH.match(target) is None:
                return None
            else:
                delimited = Delimited.LINK
        return target, partial(self._link_document, number, target, reference, base, lines, delimited)

    def _base_of(self, link: Link, base: str | None) -> str | None:
        """Return the base of a link: that of `<base href>` is the one of its document (HTML 4.2.3)."""
        return (self._document.base if link[:2] == _BASE else None) or base

    def _location(self, element: str, attribute: str) -> Location:
        location = self._locations.get((element, attribute))
        if location is None:
            location = link_location(self._document.place, element, attribute)
            self._locations[element, attribute] = location
        return location

    def _link_document(
        self,
        number: int,
        target: str,
        reference: str | None,
        base: str | None,
        lines: SourceLines,
        delimited: Delimited,
    ) -> Document:
        link = self._links[number]
        assert isinstance(link, Link)
        shown = self._shown.get(number)
        is_other = shown is not None and delimited is not Delimited.TEXT and differs(shown, target)
        return self._document_of(
            target,
            cache(partial(link.way_back, None if reference is None else len(target))),
            lines,
            self._location(link.element, link.attribute),
            base,
            reference,
            (Warn.TEXT_DIFFERS_FROM_TARGET,) if is_other else (),
            delimited,
            shown,
        )

    def _document_of(
        self,
        text: str,
        selection: Callable[[], SourceMap],
        lines: SourceLines,
        location: Location,
        base: str | None = None,
        reference: str | None = None,
        warnings: tuple[Warn, ...] = (),
        delimited: Delimited = Delimited.TEXT,
        shown: str | None = None,
    ) -> Document:
        document = self._document
        return Document(
            source=document.source,
            text=(text,),
            place=location,
            offsets=lambda: composed(document.offsets(), selection()),
            legacy=document.legacy,
            base=base,
            position=_position(selection, lines, document.position),
            alternative=document.alternative,
            reference=reference,
            warnings=warnings,
            delimited=delimited,
            shown=shown,
            in_memory=document.in_memory,
        )


def link_location(page: Location, element: str, attribute: str) -> Location:
    """Return the location of an attribute in a page at some location; that of a `srcdoc` stays before it."""
    outer = f"{page.field}/" if page.field is not None and page.field.endswith(f"@{_PAGE[1]}") else ""
    return page._replace(field=f"{outer}{shortened(element)}@{shortened(attribute)}", row=None)


def _position(selection: Callable[[], SourceMap], lines: SourceLines, outer: Position | None) -> Position:
    if outer is not None:  # the HTML itself was taken from another text
        return lambda offset: outer(selection().source(offset))
    return lambda offset: lines.place(selection().source(offset))
