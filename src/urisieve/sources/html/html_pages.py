"""Stretches of HTML read by the compiled kernel: their texts, and the links of a stretch as one document.

What the kernel reads is what `html_documents` reads. A tag with more than plain links, and a style
sheet, are left to the `Gatherer`; a stretch that the kernel does not decide is left to the `TokenReader`.

It holds besides:

- the texts of attributes in a stretch of HTML that the compiled kernel has read, all of them as one document.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat

from urisieve.codes import Warn
from urisieve.kernel import kernel
from urisieve.lean import Any, Final, NamedTuple, replace
from urisieve.records.base import Location
from urisieve.records.batch import Batch
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.selections import Shift, SourceLines, SourceMap
from urisieve.sources.documents import Document, Repeats, told_apart
from urisieve.sources.html.html_gather import Gatherer, link_location
from urisieve.sources.html.html_kernel import ATTRIBUTES
from urisieve.sources.html.html_links import LISTS, SETS, differs
from urisieve.sources.html.html_tokens import (
    AttributeText,
    Link,
    TextReading,
    attributes,
    content_start,
    known_attributes,
    link_text,
    start_name,
    value_span,
)
from urisieve.sources.tally import Tally

# The number of their text among those of a page.
VALUES = 2


class _OfPage:
    """Texts of a page, and where they stand.

    Args:
        page: the page.
        source: the stretch of HTML that it was read from.
        start: its offset in the HTML.
        document: the HTML.
        lines: the lines of the stretch.
    """

    def __init__(self, page: kernel.HtmlPage, source: str, start: int, document: Document, lines: SourceLines) -> None:
        self.page = page
        self._source = source
        self._start = start
        self._document = document
        self._lines = lines
        self._locations: dict[tuple[str, str], Location] = {}

    def _token(self, first: int, last: int) -> tuple[str, int, str]:
        """Return a start tag of the stretch, its offset in the HTML, and its name as it is written."""
        token = self._source[first + 1 : last]
        return token, self._start + first + 1, start_name(token)

    def _location(self, names: tuple[str, str], page: Location) -> Location:
        """Return the location of an attribute of an element."""
        location = self._locations.get(names)
        if location is None:
            location = self._locations[names] = link_location(page, *names)
        return location

    def _position(self, offset: int) -> tuple[int, int]:
        outer = self._document.position
        return self._lines.place(offset) if outer is None else outer(offset)

    def _placed(
        self, batch: Batch, columns: frozenset[str], maps: Callable[[], Iterable[SourceMap]], offsets: OffsetMap | None
    ) -> dict[str, Sequence[Any]]:
        """Return the columns that say where the identifiers of a batch stand in the HTML.

        Args:
            batch: the identifiers, with their offsets in their texts.
            columns: the columns wanted.
            maps: returns the way back of each of them.
            offsets: the map of the HTML; None if no byte offsets are wanted.
        """
        has_lines = not columns.isdisjoint(("line", "column"))
        if not has_lines and offsets is None:
            return {}
        spans = [
            (one.source(start), one.source_end(end))
            for one, start, end in zip(maps(), batch.column("start"), batch.column("end"), strict=True)
        ]
        changed: dict[str, Sequence[Any]] = {}
        if has_lines:
            pairs = [self._position(start) for start, _ in spans]
            changed["line"] = [line for line, _ in pairs]
            changed["column"] = [column for _, column in pairs]
        if offsets is not None:
            changed["byte_start"] = [offsets.locate(start) for start, _ in spans]
            changed["byte_end"] = [offsets.locate(end) for _, end in spans]
        return changed

    def _relocated(
        self, rejection: Rejection, way_back: SourceMap, location: Location, offsets: OffsetMap | None, before: int = 0
    ) -> Rejection:
        """Return a rejection with where it stands in the HTML; `before` is the offset at which its text begins."""
        start, end = way_back.source(rejection.start), way_back.source_end(rejection.end)
        line, column = self._position(start)
        row = rejection._row._replace(
            start=rejection.start - before, end=rejection.end - before, line=line, column=column, location=location
        )
        made = make_rejection(row)
        return made if offsets is None else made.with_bytes(offsets.locate(start), offsets.locate(end))

    def _offsets(self, columns: frozenset[str], document: Document) -> OffsetMap | None:
        """Return the map of a document, if byte offsets are wanted."""
        return None if columns.isdisjoint(("byte_start", "byte_end")) else document.offsets()


class PageValues(_OfPage):
    """The texts of attributes; see `urisieve.sources.documents.ValuesOfPage`. The arguments are those of `_OfPage`."""

    def __init__(self, page: kernel.HtmlPage, source: str, start: int, document: Document, lines: SourceLines) -> None:
        super().__init__(page, source, start, document, lines)
        self._begins = memoryview(page.value_begins()).cast("q")

    @property
    def begins(self) -> memoryview:
        """The offset of each text in the text of the page that holds them all, behind a separator each."""
        return self._begins

    def documents(self, number: int, location: Location) -> Iterator[Document]:
        """Yield the document of a text, in a page at some location."""
        gatherer = Gatherer(replace(self._document, place=location))
        first, last, begin = self.page.value(number)
        tag, at, name = self._token(first, last)
        for attribute, value, span in attributes(tag, len(name)):
            if span[0] == begin - first - 1:
                text = AttributeText(name.lower(), attribute, value, tag, at, span)
                yield gatherer.value_document(text, self._lines)

    def located(self, batch: Batch, document: Document, columns: frozenset[str]) -> Batch:
        """Return a batch found in all texts with the positions and locations of each text."""
        offsets = self._offsets(columns, document)
        way_back = _TextMap(self.page, self._start, VALUES)
        if len(batch) and not columns.isdisjoint(("start", "location")):
            numbers, starts, ends = batch.layout.in_texts(self._begins, 0)
            changed = self._placed(batch, columns, lambda: repeat(way_back, len(batch)), offsets)
            changed |= {"start": list(starts), "end": list(ends)}
            if "location" in columns:
                changed["location"] = [self._named(number, document.place) for number in numbers]
            batch = batch.replaced(changed)
        if not batch.rejections:
            return batch
        rejections = []
        for one in batch.rejections:
            number = bisect_right(self._begins, one.start) - 1
            location = self._named(number, document.place)
            rejections.append(self._relocated(one, way_back, location, offsets, self._begins[number]))
        return batch.rejecting(rejections)

    def _named(self, number: int, page: Location) -> Location:
        element, attribute = self.page.value_names(number)
        return self._location((element.lower(), attribute.lower()), page)


# Kinds of items, as in html.h.
_LINK, _TAG, _SHEET = range(3)
_SAME_DOCUMENT: Final = ("reference", "same-document")
_NO_BASE: Final = ("reference", "no-base")


def page_documents(
    page: kernel.HtmlPage,
    source: str,
    start: int,
    document: Document,
    tally: Tally,
    lines: SourceLines,
    base: str | None,
    reading: TextReading,
) -> Iterator[Document]:
    """Yield the documents of a stretch: its running text, that of its comments, of attributes, one for all its links.

    Args:
        page: the stretch as the kernel has read it.
        source: the stretch.
        start: its offset in the HTML.
        document: the HTML.
        tally: counts the references skipped.
        lines: the lines of the stretch.
        base: the base that an element before the stretch declared.
        reading: how the values of attributes are read that do not hold links.
    """
    gatherer = Gatherer(document)
    for number in (0, 1):
        if page.has_text(number):
            one = gatherer.text_document("", _TextMap(page, start, number), lines)
            one.text = ()
            one.page = (page, number)
            yield one
    if page.has_text(VALUES):
        values = PageValues(page, source, start, document, lines)
        yield replace(document, text=(), page=(page, VALUES), values=values)
    same, relative = page.skipped()
    if same:
        tally.skipped[_SAME_DOCUMENT] += same
    if relative:
        tally.skipped[_NO_BASE] += relative
    count = page.count
    links = PageLinks(page, source, start, document, lines, tally, base, reading)
    if len(page.special()) < count:
        # The last document may be cut: this one ends with a link.
        last = count
        while links.is_special(last - 1):
            last -= 1
        links.count = last
        yield replace(document, text=(), links=links)
    else:
        last = 0
    for number in range(last, count):
        yield from links.documents(number, document.place)


class _TextMap:
    """The way back from a text of a page to the HTML."""

    __slots__ = ("_number", "_page", "_start")

    def __init__(self, page: kernel.HtmlPage, start: int, number: int) -> None:
        self._page = page
        self._start = start
        self._number = number

    def source(self, offset: int) -> int:
        """Return the start, in the source, of the character at an offset of the text."""
        return self._start + self._page.source(offset, self._number, False)

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text."""
        return self._start + self._page.source(offset, self._number, True)


class _Reference(NamedTuple):
    """The way back from a text to a relative reference that stands for all of it: its start in the source, its size."""

    start: int
    size: int

    def source(self, offset: int) -> int:
        """Return the start of the reference."""
        return self.start

    def source_end(self, offset: int) -> int:
        """Return its end."""
        return self.start + self.size


class PageLinks(_OfPage):
    """The links of a page; see `urisieve.sources.documents.LinksOfPage`.

    Args:
        page: see `_OfPage`, as the next ones.
        source: the stretch.
        start: its offset.
        document: the HTML.
        lines: the lines of the stretch.
        tally: counts the references skipped.
        base: the base that an element before the stretch declared.
        reading: how the values of attributes are read that do not hold links.
    """

    def __init__(
        self,
        page: kernel.HtmlPage,
        source: str,
        start: int,
        document: Document,
        lines: SourceLines,
        tally: Tally,
        base: str | None,
        reading: TextReading,
    ) -> None:
        super().__init__(page, source, start, document, lines)
        self.count = page.count
        self._tally = tally
        self._base = base
        self._reading = reading
        self._special = frozenset(page.special())
        self._shown = dict(page.shown())

    def is_special(self, number: int) -> bool:
        """Report whether the kernel has left the reading of a tag or a style sheet."""
        return number in self._special

    def has_own(self, number: int) -> bool:
        """Report whether a link may have a reference, or visible text."""
        return number in self._shown or self._base is not None or self._document.base is not None

    def documents(self, number: int, location: Location) -> Iterator[Document]:
        """Yield the documents of one link, or of a tag or style sheet."""
        gatherer = Gatherer(replace(self._document, place=location), self._base, self._reading)
        kind, _, first, last, *_ = self.page.item(number)
        token, at, name = self._token(first, last)
        anchor: int | None = None
        if kind == _SHEET:
            begin = content_start(token)
            gatherer.style(token[begin:], at + begin)
        elif kind == _TAG:
            anchor = gatherer.add_links(name.lower(), known_attributes(token, len(name)), token, at)
        else:
            anchor = gatherer.add(self._link(number))
        if anchor is not None and number in self._shown:
            gatherer.compare(anchor, self._shown[number])
        return gatherer.link_documents(self._tally, self._lines)

    def _link(self, number: int) -> Link:
        _, index, first, last, begin, size = self.page.item(number)
        tag, at, name = self._token(first, last)
        attribute = ATTRIBUTES[index]
        value = known_attributes(tag, len(name))[attribute]
        start, stop = 0, len(value)
        if attribute in SETS or attribute in LISTS:  # one of several links, as it stands in the value
            start = begin - first - 1 - value_span(tag, attribute)[0]
            stop = start + (size or len(self.page.link(number)))
        return Link(name.lower(), attribute, link_text(value[start:stop]), value, start, stop, tag, at)

    def located(self, batch: Batch, first: int, document: Document, columns: frozenset[str], repeats: Repeats) -> Batch:
        """Return the batch of the links from a number on with their locations."""
        rows, rejected = told_apart(batch, range(first, first + len(batch) + len(batch.rejections)))
        changed: dict[str, Sequence[Any]] = {}
        if self._shown and "warnings" in columns:
            shown = sorted(number for number in self._shown if number >= first and self._differs(number))
            places = [(bisect_left(rows, number), number) for number in shown]
            differing = {index for index, number in places if index < len(rows) and rows[index] == number}
            if differing:
                changed["warnings"] = [
                    (*codes, Warn.TEXT_DIFFERS_FROM_TARGET) if index in differing else codes
                    for index, codes in enumerate(batch.column("warnings"))
                ]
        if "raw" in columns and (self._base or self._document.base):
            reference = self.page.reference
            changed["raw"] = [reference(number) or raw for number, raw in zip(rows, batch.column("raw"), strict=True)]
        if "location" in columns:
            changed["location"] = [self._named(number, document.place) for number in rows]
        offsets = self._offsets(columns, document)
        changed |= self._placed(batch, columns, lambda: map(self._map, rows), offsets)
        if changed:
            batch = batch.replaced(changed)
        if not rejected:
            return batch
        rejections = [
            self._relocated(one, self._map(number), self._named(number, document.place), offsets)
            for number, one in zip(rejected, batch.rejections, strict=True)
        ]
        return batch.rejecting(rejections)

    def _differs(self, number: int) -> bool:
        return differs(self._shown[number].strip(), self.page.link(number))

    def _named(self, number: int, page: Location) -> Location:
        _, attribute, first, last, *_ = self.page.item(number)
        *_, name = self._token(first, last)
        return self._location((name.lower(), ATTRIBUTES[attribute]), page)

    def _map(self, number: int) -> SourceMap:
        *_, value, size = self.page.item(number)
        if value < 0:
            return self._link(number).way_back(len(self.page.link(number)) if size else None)
        return _Reference(self._start + value, size) if size else Shift(self._start + value)
