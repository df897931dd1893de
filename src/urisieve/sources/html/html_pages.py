"""Stretches of HTML read by the compiled kernel: their texts, and the links of a stretch as one document.

What the kernel reads is what `urisieve.sources.html.html_reading` reads. A tag with more than plain links, and a style
sheet, are left to the `Gatherer`; a stretch that the kernel does not decide is left to the `TokenReader`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from urisieve.codes import Warn
from urisieve.kernel import kernel
from urisieve.lean.values import replace
from urisieve.records.batch import Batch
from urisieve.records.rejection import make_rejection
from urisieve.sources.bytes.selections import Shift, SourceLines, SourceMap
from urisieve.sources.documents import Document, Location, Tally
from urisieve.sources.html.html_gather import Gatherer, link_location
from urisieve.sources.html.html_links import BREAKING, LISTS, SETS, TELLING, URL_ATTRIBUTES, differs
from urisieve.sources.html.html_stretch import Stretch
from urisieve.sources.html.html_tokens import (
    RAW_ELEMENTS,
    RESOLVED_ELEMENTS,
    attribute_values,
    content_start,
    resolved_reference,
    tag_name,
)
from urisieve.sources.html.link_maps import Link, LinkMap, link_text

__all__ = ["page_documents", "read_page"]

# Flags of elements and kinds of attributes, as in html.h.
_BREAKS, _RAW, _RESOLVED, _ANCHOR, _BASE, _STYLE, _META, _FIRST_OWN = 1, 2, 4, 8, 16, 32, 64, 256
_URL, _HREF, _LISTED, _STYLES, _CONTENT, _EQUIVALENT = range(6)
_LINK, _TAG, _SHEET = range(3)
_ATTRIBUTES: Final = sorted(TELLING)
_KINDS: Final = {
    **dict.fromkeys(URL_ATTRIBUTES, _URL),
    **dict.fromkeys(SETS | LISTS, _LISTED),
    "href": _HREF,
    "style": _STYLES,
    "content": _CONTENT,
    "http-equiv": _EQUIVALENT,
}
_SAME_DOCUMENT: Final = ("reference", "same-document")
_NO_BASE: Final = ("reference", "no-base")
# Readers that no thread uses now.
_readers: list[kernel.HtmlReader] = []


def _new_reader() -> kernel.HtmlReader:
    flags = dict.fromkeys(BREAKING, _BREAKS)
    one = {"a": _ANCHOR, "base": _BASE, "style": _STYLE, "meta": _META}
    for names, flag in ((RAW_ELEMENTS, _RAW), (RESOLVED_ELEMENTS, _RESOLVED), *(([name], one[name]) for name in one)):
        for name in names:
            flags[name] = flags.get(name, 0) | flag
    own = _FIRST_OWN
    attributes = []
    for attribute in _ATTRIBUTES:
        needed = 0
        elements = URL_ATTRIBUTES.get(attribute)
        if elements is not None:
            needed = own
            own *= 2
            for name in elements:
                flags[name] = flags.get(name, 0) | needed
        attributes.append((attribute, _KINDS[attribute] | needed))
    return kernel.HtmlReader(list(flags.items()), attributes, _resolved)


def _resolved(written: str, in_attribute: int) -> str:
    return resolved_reference(written, bool(in_attribute))


def read_page(source: str, final: bool, limit: int, has_base: bool) -> kernel.HtmlPage | None:
    """Read a stretch of HTML by the kernel; see `TokenReader.read`. None if it is left to the `TokenReader`."""
    reader = _readers.pop() if _readers else _new_reader()
    page = reader.read(source, final, limit, has_base)
    _readers.append(reader)
    return page


def page_documents(
    page: kernel.HtmlPage,
    source: str,
    start: int,
    document: Document,
    tally: Tally,
    lines: SourceLines,
    base: str | None,
) -> Iterator[Document]:
    """Yield the documents of a stretch: its running text, that of its comments, and one for all of its links.

    Args:
        page: the stretch as the kernel has read it.
        source: the stretch.
        start: its offset in the HTML.
        document: the HTML.
        tally: counts the references skipped.
        lines: the lines of the stretch.
        base: the base that an element before the stretch declared.
    """
    gatherer = Gatherer(document)
    for comments in (False, True):
        if page.has_text(comments):
            text_map = _TextMap(page, start, comments=comments)
            one = gatherer.text_document("", text_map, lines)
            one.text = ()
            one.page = (page, comments)
            yield one
    same, relative = page.skipped()
    if same:
        tally.skipped[_SAME_DOCUMENT] += same
    if relative:
        tally.skipped[_NO_BASE] += relative
    count = page.count
    links = PageLinks(page, source, start, document, tally, lines, base)
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

    __slots__ = ("_comments", "_page", "_start")

    def __init__(self, page: kernel.HtmlPage, start: int, *, comments: bool) -> None:
        self._page = page
        self._start = start
        self._comments = comments

    def source(self, offset: int) -> int:
        """Return the start, in the source, of the character at an offset of the text."""
        return self._start + self._page.source(offset, self._comments, False)

    def source_end(self, offset: int) -> int:
        """Return the end, in the source, of the character before an offset of the text."""
        return self._start + self._page.source(offset, self._comments, True)


class PageLinks:
    """The links of a page; see `urisieve.sources.documents.LinksOfPage`.

    Args:
        page: the page.
        source: the stretch of HTML that it was read from.
        start: its offset in the HTML.
        document: the HTML.
        tally: counts the references skipped.
        lines: the lines of the stretch.
        base: the base that an element before the stretch declared.
    """

    def __init__(
        self,
        page: kernel.HtmlPage,
        source: str,
        start: int,
        document: Document,
        tally: Tally,
        lines: SourceLines,
        base: str | None,
    ) -> None:
        self.page = page
        self.count = page.count
        self._source = source
        self._start = start
        self._document = document
        self._tally = tally
        self._lines = lines
        self._base = base
        self._special = frozenset(page.special())
        self._shown = dict(page.shown())
        self._locations: dict[tuple[str, str], Location] = {}

    def is_special(self, number: int) -> bool:
        """Report whether the kernel has left the reading of a tag or a style sheet."""
        return number in self._special

    def documents(self, number: int, location: Location) -> Iterator[Document]:
        """Yield the documents of one link, or of a tag or style sheet."""
        gatherer = Gatherer(replace(self._document, place=location), self._base)
        kind, _, first, last, _ = self.page.item(number)
        token = self._source[first + 1 : last]
        stretch = Stretch(["", token, ""], self._start + first)
        anchor: int | None = None
        if kind == _SHEET:
            gatherer.style(token[content_start(token) :], 0, stretch)
        elif kind == _TAG:
            name, end = tag_name(token)
            anchor = gatherer.add_links(name, attribute_values(token, end, TELLING), 0, stretch, 0)
        else:
            anchor = gatherer.add(self._link(number))
        if anchor is not None and number in self._shown:
            gatherer.compare(anchor, self._shown[number])
        return gatherer.link_documents(self._tally, None, self._lines)

    def _link(self, number: int) -> Link:
        _, attribute, first, last, _ = self.page.item(number)
        token = self._source[first + 1 : last]
        name, end = tag_name(token)
        value = attribute_values(token, end, TELLING)[_ATTRIBUTES[attribute]]
        stretch = Stretch(["", token, ""], self._start + first)
        return Link(name, _ATTRIBUTES[attribute], link_text(value), value, 0, -1, 0, stretch, 0)

    def located(self, batch: Batch, first: int, document: Document, columns: frozenset[str]) -> Batch:
        """Return the batch of the links from a number on with their locations."""
        rejected = [first + before + index for index, before in enumerate(batch.before)]
        rows: Sequence[int] = range(first, first + len(batch) + len(rejected))
        if rejected:
            left_out = frozenset(rejected)
            rows = [number for number in rows if number not in left_out]
        changed: dict[str, Sequence[Any]] = {}
        if self._shown and "warnings" in columns:
            differing = {index for index, number in enumerate(rows) if self._differs(number)}
            if differing:
                changed["warnings"] = [
                    (*codes, Warn.TEXT_DIFFERS_FROM_TARGET) if index in differing else codes
                    for index, codes in enumerate(batch.column("warnings"))
                ]
        if "location" in columns:
            changed["location"] = [self._location(number, document.place) for number in rows]
        has_lines = not columns.isdisjoint(("line", "column"))
        offsets = None if columns.isdisjoint(("byte_start", "byte_end")) else document.offsets()
        if has_lines or offsets is not None:
            starts, ends = batch.column("start"), batch.column("end")
            maps = [self._map(number) for number in rows]
            if has_lines:
                pairs = [self._position(one.source(start)) for one, start in zip(maps, starts, strict=True)]
                changed["line"] = [line for line, _ in pairs]
                changed["column"] = [column for _, column in pairs]
            if offsets is not None:
                locate = offsets.locate
                changed["byte_start"] = [locate(one.source(start)) for one, start in zip(maps, starts, strict=True)]
                changed["byte_end"] = [locate(one.source_end(end)) for one, end in zip(maps, ends, strict=True)]
        if changed:
            batch = batch.replaced(changed)
        if not rejected:
            return batch
        rejections = []
        for number, rejection in zip(rejected, batch.rejections, strict=True):
            way_back = self._map(number)
            line, column = self._position(way_back.source(rejection.start))
            location = self._location(number, document.place)
            row = rejection._row._replace(line=line, column=column, location=location)
            made = make_rejection(row)
            if offsets is not None:
                span = (
                    offsets.locate(way_back.source(rejection.start)),
                    offsets.locate(way_back.source_end(rejection.end)),
                )
                made = made.with_bytes(*span)
            rejections.append(made)
        return batch.rejecting(rejections)

    def _differs(self, number: int) -> bool:
        shown = self._shown.get(number)
        return shown is not None and differs(shown.strip(), self.page.link(number))

    def _location(self, number: int, page: Location) -> Location:
        _, attribute, first, last, _ = self.page.item(number)
        names = (tag_name(self._source[first + 1 : last])[0], _ATTRIBUTES[attribute])
        location = self._locations.get(names)
        if location is None:
            location = self._locations[names] = link_location(page, *names)
        return location

    def _map(self, number: int) -> SourceMap:
        value = self.page.item(number)[4]
        return Shift(self._start + value) if value >= 0 else LinkMap(self._link(number), None)

    def _position(self, offset: int) -> tuple[int, int]:
        outer = self._document.position
        return self._lines.place(offset) if outer is None else outer(offset)
