"""From elements and text to documents: the running text of HTML, and each link of an attribute as a text of its own.

The reader of the HTML (by tokens or by a tree) calls a `Gatherer` in document order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from urisieve.codes import Warn
from urisieve.find.delimited import Delimited
from urisieve.printable import shortened
from urisieve.sources.bytes.selections import Selection, Shift, SourceLines, selected
from urisieve.sources.documents import Document, Location, Position, Tally, no_way_back
from urisieve.sources.html.html_links import BREAKING, SAME_DOCUMENT, differs, has_scheme, links, style_links
from urisieve.sources.html.references import resolved, unresolved_reason

__all__ = ["Attribute", "Gatherer", "Mark"]

# Characters that the URL standard removes from a URL before parsing (4.4): at its ends, and inside.
_EDGES: Final = "".join(map(chr, range(33)))
_INSIDE: Final = re.compile(r"[\t\n\r]+")
_REFERENCE: Final = "reference"
_PROPERTY: Final = "meta@content"
# Characters that no reference contains (RFC 3986 4.1).
_UNFIT: Final = re.compile(r"[\s\"<>\\^`{|}]")

# The value of an attribute, references resolved, and the offsets of its characters (None if they are not known).
Attribute = tuple[str, Selection | Shift | None]


@dataclass(slots=True)
class _Link:
    """A link of an attribute."""

    field: str
    text: str
    selection: Selection | Shift | None
    delimited: Delimited
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A state to which a `Gatherer` can be cut back: between two lines of text, outside of any link.

    Attributes:
        offset: its offset in the source, in characters.
        pieces: the number of pieces of running text so far.
        comments: the number of pieces of comments so far.
        found: the number of links so far.
    """

    offset: int
    pieces: int
    comments: int
    found: int


class Stream:
    """A text that is being put together.

    Attributes:
        pieces: the pieces added so far.
        selection: their offsets in the source; the caller of `put` adds to it.
        broken: whether a line has just ended.
        anchor: the link whose text is being added.
        anchor_text: the index of the piece with which this text begins.
    """

    __slots__ = ("anchor", "anchor_text", "broken", "pieces", "selection")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.selection = Selection()
        self.broken = True
        self.anchor: _Link | None = None
        self.anchor_text = 0

    def put(self, text: str) -> None:
        """Add text; its offsets are added to `selection` by the caller."""
        self.pieces.append(text)
        self.broken = False

    def take(self, text: str, offset: int) -> None:
        """Add text that is unchanged from the source."""
        self.pieces.append(text)
        self.selection.add(offset, offset + len(text))
        self.broken = False

    def pause(self, offset: int) -> None:
        """End the line: the text after it does not join with the text before."""
        if not self.broken:
            self.pieces.append("\n")
            self.selection.replace(offset, offset, 1)
            self.broken = True


class Gatherer:
    """Collects the content of one stretch of HTML: its running text and links, and separately the text of comments.

    Args:
        document: the HTML; the documents made from it have its name, place and base.
        base: the base that an element before this stretch declared.
    """

    def __init__(self, document: Document, base: str | None = None) -> None:
        self._document = document
        self.base = base
        """The URI of the first `<base href>`, None before it."""
        self.running = Stream()
        self.comments = Stream()
        self.current = self.running
        """The stream that text is added to."""
        self._links: list[_Link] = []

    def open_comment(self, offset: int = 0) -> None:
        """Begin a comment."""
        self.current = self.comments
        self.current.pause(offset)

    def close_comment(self) -> None:
        """End the comment."""
        self.current.anchor = None
        self.current = self.running

    def mark(self, offset: int) -> Mark | None:
        """End the line and return the state here; None inside a link or a comment."""
        if self.current is self.comments or self.running.anchor is not None:
            return None
        self.running.pause(offset)
        return self.state(offset)

    def state(self, offset: int) -> Mark:
        """Return the state here, also inside a line or a link."""
        return Mark(offset, len(self.running.pieces), len(self.comments.pieces), len(self._links))

    def open(self, name: str, attributes: dict[str, Attribute], offset: int = 0) -> None:
        """Begin an element."""
        stream = self.current
        if name in BREAKING:
            stream.pause(offset)
        if not attributes:
            return
        values = {attribute: value for attribute, (value, _) in attributes.items()}
        if name == "a" and "href" in values:
            self.close("a", offset)
            stream.pause(offset)
        for attribute, (value, selection) in attributes.items():
            for start, end in links(name, attribute, value, values):
                link = self._add(f"{shortened(name)}@{attribute}", value, start, end, selection)
                if attribute != "href":
                    continue
                if name == "a":
                    stream.anchor = link
                    stream.anchor_text = len(stream.pieces)
                elif name == "base" and self.base is None:
                    self.base = resolved(link.text, self._document.base)

    def close(self, name: str, offset: int = 0) -> None:
        """End an element."""
        stream = self.current
        if name in BREAKING:
            stream.pause(offset)
        elif name == "a" and stream.anchor is not None:
            anchor, stream.anchor = stream.anchor, None
            text = "".join(stream.pieces[stream.anchor_text :]).strip()
            target = resolved(anchor.text, self.base or self._document.base)
            anchor.differs = target is not None and differs(text, target)
            stream.pause(offset)

    def style(self, text: str, selection: Selection | Shift | None = None) -> None:
        """Add the relative links of a `style` element; its text is added as running text."""
        for start, end in style_links(text):
            if not has_scheme(text[start:end].strip(_EDGES)):
                self._add("style@url", text, start, end, selection)

    def _add(self, field: str, value: str, start: int, end: int, selection: Selection | Shift | None) -> _Link:
        written = value[start:end]
        text = written.strip(_EDGES)
        start += len(written) - len(written.lstrip(_EDGES))
        end = start + len(text)
        around = selection
        if isinstance(selection, Shift) and _INSIDE.search(text) is None:
            around = Shift(selection.source(start))
        elif selection is not None:
            around = Selection()
            first, last = selection.source(start), selection.source_end(end)
            if _INSIDE.search(text) is None:
                around.extend(selection, start, end)
            else:
                around.replace(first, last, len(_INSIDE.sub("", text)))
        text = _INSIDE.sub("", text)
        # The property of a page may be a sentence that begins with a link.
        link = _Link(field, text, around, Delimited.VALUE if field == _PROPERTY else Delimited.LINK)
        self._links.append(link)
        return link

    def documents(self, tally: Tally, mark: Mark | None, lines: SourceLines | None) -> Iterator[Document]:
        """Yield the documents collected: the running text first, then each link.

        Args:
            tally: counts the references skipped.
            mark: the state up to which they are yielded; None for everything.
            lines: the lines and columns of the source; None if positions are not known.
        """
        running, comments, found = self.running.pieces, self.comments.pieces, self._links
        if mark is not None:
            running, comments, found = running[: mark.pieces], comments[: mark.comments], found[: mark.found]
        for pieces, selection in ((running, self.running.selection), (comments, self.comments.selection)):
            text = "".join(pieces)
            if text and not text.isspace():
                yield self._document_of(text, selection, lines, self._document.place)
        base = self.base or self._document.base
        for link in found:
            reference = None
            target = link.text
            if not has_scheme(target):
                if SAME_DOCUMENT.fullmatch(target):
                    tally.skip(_REFERENCE, "same-document")
                    continue
                absolute = resolved(target, base)
                if absolute is None and "://" in target and _UNFIT.search(target) is not None:
                    # Not a reference, such as `=3D"http:` of an undeclared transfer encoding: it is read as text.
                    link.delimited = Delimited.TEXT
                    yield self._link_document(link, target, None, base, lines)
                    continue
                if absolute is None:
                    tally.skip(_REFERENCE, unresolved_reason(base))
                    continue
                reference, target = target, absolute
            yield self._link_document(link, target, reference, base, lines)

    def _link_document(
        self, link: _Link, target: str, reference: str | None, base: str | None, lines: SourceLines | None
    ) -> Document:
        selection = link.selection
        if selection is not None and reference is not None:
            whole = Selection()  # all characters of the target have the position of the reference
            whole.replace(selection.source(0), selection.source_end(len(link.text)), len(target))
            selection = whole
        location = self._document.place
        return self._document_of(
            target,
            selection,
            lines,
            Location(message=location.message, message_id=location.message_id, part=location.part, field=link.field),
            base,
            reference,
            (Warn.TEXT_DIFFERS_FROM_TARGET,) if link.differs else (),
            link.delimited,
        )

    def _document_of(
        self,
        text: str,
        selection: Selection | Shift | None,
        lines: SourceLines | None,
        location: Location,
        base: str | None = None,
        reference: str | None = None,
        warnings: tuple[Warn, ...] = (),
        delimited: Delimited = Delimited.TEXT,
    ) -> Document:
        document = self._document
        return Document(
            source=document.source,
            text=(text,),
            place=location,
            offsets=no_way_back if selection is None or lines is None else selected(document.offsets, selection),
            legacy=document.legacy,
            base=base,
            position=None if selection is None or lines is None else _position(selection, lines, document.position),
            alternative=document.alternative,
            reference=reference,
            warnings=warnings,
            delimited=delimited,
        )


def _position(selection: Selection | Shift, lines: SourceLines, outer: Position | None) -> Position:
    if outer is not None:  # the HTML itself was taken from another text
        return _composed(selection.source, outer)
    return lambda offset: lines.place(selection.source(offset))


def _composed(source: Callable[[int], int], outer: Position) -> Position:
    return lambda offset: outer(source(offset))
