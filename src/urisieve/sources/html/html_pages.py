"""Stretches of HTML read by the compiled kernel: their texts, and the links of a stretch as one block.

What the kernel reads is what `html_documents` reads. A tag with more than plain links, and a style sheet, are left to
the `Gatherer`; a stretch that the kernel does not decide is left to the `TokenReader`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from urisieve.find.delimited import Delimited
from urisieve.kernel import kernel
from urisieve.lean import Any, Final
from urisieve.records.base import Location
from urisieve.records.batch import Batch
from urisieve.sources.bytes.source_map import SourceLines, SourceMap
from urisieve.sources.documents import Document, TextBlock, as_block
from urisieve.sources.html.html_gather import Gatherer, link_location
from urisieve.sources.html.html_kernel import ATTRIBUTES
from urisieve.sources.html.html_links import LISTS, SETS, with_differing
from urisieve.sources.html.html_tokens import (
    AttributeText,
    Link,
    TextReading,
    attributes,
    content_start,
    holds_sign,
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

    def _location(self, names: tuple[str, str]) -> Location:
        """Return the location of an attribute of an element."""
        location = self._locations.get(names)
        if location is None:
            location = self._locations[names] = link_location(self._document.place, *names)
        return location

    def _position(self, offset: int) -> tuple[int, int]:
        outer = self._document.position
        return self._lines.place(offset) if outer is None else outer(offset)

    def _span(self, number: int, start: int, end: int) -> tuple[int, int]:
        """Return the start and end in the HTML of characters of one of the texts."""
        raise NotImplementedError

    def _named(self, number: int) -> Location:
        """Return the location of one of the texts."""
        raise NotImplementedError

    def columns(
        self, batch: Batch, numbers: Sequence[int], starts: Sequence[int], ends: Sequence[int], wanted: frozenset[str]
    ) -> dict[str, Sequence[Any]]:
        """Return the columns of rows that say where they are in the HTML; see `BlockColumns`."""
        changed: dict[str, Sequence[Any]] = {}
        if "source" in wanted:
            changed["source"] = [self._document.source] * len(batch)
        if "location" in wanted:
            changed["location"] = [self._named(number) for number in numbers]
        has_lines = not wanted.isdisjoint(("line", "column"))
        offsets = None if wanted.isdisjoint(("byte_start", "byte_end")) else self._document.offsets()
        if not has_lines and offsets is None:
            return changed
        spans = list(map(self._span, numbers, starts, ends))
        if has_lines:
            places = [self._position(start) for start, _ in spans]
            changed["line"] = [line for line, _ in places]
            changed["column"] = [column for _, column in places]
        if offsets is not None:
            changed["byte_start"] = [offsets.source(start) for start, _ in spans]
            changed["byte_end"] = [offsets.source_end(end) for _, end in spans]
        return changed


class PageValues(_OfPage):
    """The texts of attributes; the arguments are those of `_OfPage`."""

    def __init__(self, page: kernel.HtmlPage, source: str, start: int, document: Document, lines: SourceLines) -> None:
        super().__init__(page, source, start, document, lines)
        self._begins = memoryview(page.value_begins()).cast("q")

    def block(self) -> TextBlock:
        """Return the texts as a block."""
        kinds = bytes(len(self._begins) - 1)
        return TextBlock(self.page.text(VALUES), self._begins, self.document, kinds=kinds, columns=self.columns)

    def document(self, number: int) -> Document:
        """Return the document of a text."""
        first, last, begin = self.page.value(number)
        tag, at, name = self._token(first, last)
        for attribute, value, span in attributes(tag, len(name)):
            if span[0] == begin - first - 1:
                text = AttributeText(name.lower(), attribute, value, tag, at, span)
                return Gatherer(self._document).value_document(text, self._lines)
        raise AssertionError(f"there is no attribute at {begin}")

    def _span(self, number: int, start: int, end: int) -> tuple[int, int]:
        begin = self._begins[number]
        return _TextMap(self.page, self._start, VALUES).span(begin + start, begin + end)

    def _named(self, number: int) -> Location:
        element, attribute = self.page.value_names(number)
        return self._location((element.lower(), attribute.lower()))


# Kinds of items, as in html.h.
_LINK, _TAG, _SHEET = range(3)
_LINKS: Final = b"\1"  # the kind of a segment that is a link; see `kernel.Search.segments`
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
            yield gatherer.text_document(page.text(number), partial(_TextMap, page, start, number), lines)
    if page.has_text(VALUES) and (reading.may_hold is holds_sign or reading.may_hold(page.text(VALUES))):
        yield as_block(document, PageValues(page, source, start, document, lines).block(), Delimited.TEXT)
    same, relative = page.skipped()
    if same:
        tally.skipped[_SAME_DOCUMENT] += same
    if relative:
        tally.skipped[_NO_BASE] += relative
    links = PageLinks(page, source, start, document, lines, tally, base, reading)
    first = 0
    for special in (*page.special(), page.count):
        if special > first:
            yield as_block(document, links.block(first, special))
        if special < page.count:
            yield from links.documents(special)
        first = special + 1


class _TextMap(SourceMap):
    """The map from a text of a page, by its number, to the HTML; the kernel has its runs.

    Args:
        page: the page.
        start: the offset of the page in the HTML.
        number: the number of the text.
    """

    __slots__ = ("_number", "_page", "_start")

    def __init__(self, page: kernel.HtmlPage, start: int, number: int) -> None:
        self._page = page
        self._start = start
        self._number = number

    def source(self, offset: int) -> int:
        """See `SourceMap.source`."""
        return self._start + self._page.source(offset, self._number, False)

    def source_end(self, offset: int) -> int:
        """See `SourceMap.source_end`."""
        return self._start + self._page.source(offset, self._number, True)


class PageLinks(_OfPage):
    """The links of a page.

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
        self._tally = tally
        self._base = base
        self._reading = reading
        self._shown = dict(page.shown())

    def block(self, first: int, stop: int) -> TextBlock:
        """Return the links from a number on and before another one, none of them special, as a block."""
        whole, begins = self.page.links(first, stop)
        has_references = self._base is not None or self._document.base is not None
        shown = [number - first for number in self._shown if first <= number < stop]
        columns = {name for name, some in (("raw", has_references), ("warnings", self._shown)) if some}
        return TextBlock(
            whole,
            memoryview(begins).cast("q"),
            partial(self._document_from, first),
            own=frozenset(range(stop - first) if has_references else shown),
            own_columns=frozenset(columns),
            kinds=_LINKS * (stop - first),
            columns=partial(self._columns_from, first),
        )

    def _document_from(self, first: int, index: int) -> Document:
        (one,) = self.documents(first + index)
        return one

    def documents(self, number: int) -> Iterator[Document]:
        """Yield the documents of one link, or of a tag or style sheet that the kernel has left."""
        gatherer = Gatherer(self._document, self._base, self._reading)
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

    def _columns_from(
        self,
        first: int,
        batch: Batch,
        numbers: Sequence[int],
        starts: Sequence[int],
        ends: Sequence[int],
        wanted: frozenset[str],
    ) -> dict[str, Sequence[Any]]:
        """Return the columns of rows in the block of the links from a number on; see `BlockColumns`."""
        if first:
            numbers = [first + number for number in numbers]
        changed = self.columns(batch, numbers, starts, ends, wanted)
        if self._shown and "warnings" in wanted:
            differing = [row for row, number in enumerate(numbers) if number in self._shown]
            if differing:
                changed["warnings"] = with_differing(batch, differing, lambda row: self._visible(numbers[row]))
        if "raw" in wanted and (self._base or self._document.base):
            reference = self.page.reference
            changed["raw"] = [
                reference(number) or raw for number, raw in zip(numbers, batch.column("raw"), strict=True)
            ]
        return changed

    def _visible(self, number: int) -> tuple[str, str]:
        """Return the visible text of a link, and its target."""
        return self._shown[number], self.page.link(number)

    def _named(self, number: int) -> Location:
        _, attribute, first, last, *_ = self.page.item(number)
        *_, name = self._token(first, last)
        return self._location((name.lower(), ATTRIBUTES[attribute]))

    def _span(self, number: int, start: int, end: int) -> tuple[int, int]:
        *_, value, size = self.page.item(number)
        if value < 0:
            return self._link(number).way_back(len(self.page.link(number)) if size else None).span(start, end)
        begin = self._start + value
        return (begin, begin + size) if size else (begin + start, begin + end)
