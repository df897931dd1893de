"""The texts of attributes in a stretch of HTML that the compiled kernel has read, all of them as one document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from urisieve.find.joined import in_texts
from urisieve.kernel import kernel
from urisieve.lean.values import replace
from urisieve.records.batch import Batch
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.selections import SourceLines
from urisieve.sources.documents import Document, Location
from urisieve.sources.html.html_gather import Gatherer, link_location
from urisieve.sources.html.html_stretch import Stretch
from urisieve.sources.html.html_tokens import other_values, tag_name

__all__ = ["VALUES", "PageValues"]

# The number of their text among those of a page.
VALUES = 2
_NOTHING: frozenset[str] = frozenset()


class PageValues:
    """The texts of attributes; see `urisieve.sources.documents.ValuesOfPage`.

    Args:
        page: the page.
        source: the stretch of HTML that it was read from.
        start: its offset in the HTML.
        document: the HTML.
        lines: the lines of the stretch.
    """

    def __init__(self, page: kernel.HtmlPage, source: str, start: int, document: Document, lines: SourceLines) -> None:
        self._page = page
        self._source = source
        self._start = start
        self._document = document
        self._lines = lines
        self._locations: dict[tuple[str, str], Location] = {}
        self._begins = memoryview(page.value_begins()).cast("q")

    @property
    def begins(self) -> memoryview:
        """The offset of each text in the text of the page that holds them all, behind a separator each."""
        return self._begins

    def documents(self, number: int, location: Location) -> Iterator[Document]:
        """Yield the document of a text, in a page at some location."""
        gatherer = Gatherer(replace(self._document, place=location))
        first, last, begin = self._page.value(number)
        token = self._source[first + 1 : last]
        name, end = tag_name(token)
        stretch = Stretch(["", token, ""], self._start + first)
        inside = begin - first - 1
        one = [value for value in other_values(token, end, _NOTHING) if value[2][0] == inside]
        gatherer.add_texts(name, one, 0, stretch, 0)
        yield from gatherer.value_documents(None, self._lines)

    def located(self, batch: Batch, document: Document, columns: frozenset[str]) -> Batch:
        """Return a batch found in all texts with the positions and locations of each text."""
        offsets = None if columns.isdisjoint(("byte_start", "byte_end")) else document.offsets()
        if len(batch) and not columns.isdisjoint(("start", "location")):
            batch = batch.replaced(self._columns(batch, document, columns, offsets))
        if not batch.rejections:
            return batch
        return batch.rejecting([self._rejection(one, document, offsets) for one in batch.rejections])

    def _columns(
        self, batch: Batch, document: Document, columns: frozenset[str], offsets: OffsetMap | None
    ) -> dict[str, Sequence[Any]]:
        numbers, starts, ends = in_texts(batch, self._begins, 0)
        changed: dict[str, Sequence[Any]] = {"start": list(starts), "end": list(ends)}
        if "location" in columns:
            changed["location"] = [self._location(number, document.place) for number in numbers]
        has_lines = not columns.isdisjoint(("line", "column"))
        if has_lines or offsets is not None:
            sources = list(map(self._at, batch.column("start")))
            if has_lines:
                pairs = list(map(self._position, sources))
                changed["line"] = [line for line, _ in pairs]
                changed["column"] = [column for _, column in pairs]
            if offsets is not None:
                changed["byte_start"] = list(map(offsets.locate, sources))
                changed["byte_end"] = [offsets.locate(self._end(end)) for end in batch.column("end")]
        return changed

    def _rejection(self, rejection: Rejection, document: Document, offsets: OffsetMap | None) -> Rejection:
        start, end = rejection.start, rejection.end
        number = bisect_right(self._begins, start) - 1
        begin = self._begins[number]
        line, column = self._position(self._at(start))
        row = rejection._row._replace(
            start=start - begin,
            end=end - begin,
            line=line,
            column=column,
            location=self._location(number, document.place),
        )
        made = make_rejection(row)
        if offsets is None:
            return made
        return made.with_bytes(offsets.locate(self._at(start)), offsets.locate(self._end(end)))

    def _location(self, number: int, page: Location) -> Location:
        names = self._page.value_names(number)
        location = self._locations.get(names)
        if location is None:
            element, attribute = names
            location = self._locations[names] = link_location(page, element.lower(), attribute.lower())
        return location

    def _at(self, offset: int) -> int:
        return self._start + self._page.source(offset, VALUES, False)

    def _end(self, offset: int) -> int:
        return self._start + self._page.source(offset, VALUES, True)

    def _position(self, offset: int) -> tuple[int, int]:
        outer = self._document.position
        return self._lines.place(offset) if outer is None else outer(offset)
