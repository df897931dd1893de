"""Values of properties, and the documents that they become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.find.delimited import Delimited
from urisieve.lean.values import NamedTuple, replace
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.selections import SelectedOffsets, Selection
from urisieve.sources.documents import Document, HtmlDocuments, Position, Tally, WayBack, no_way_back, single_documents

__all__ = ["PropertyValue"]


class PropertyValue(NamedTuple):
    """A value, or a line that is none.

    Attributes:
        text: its text, decoded.
        field: the component and the property (`VEVENT.URL`), with a parameter behind `@`, or the attribute.
        row: the number of the line on which its property begins, from 1.
        source: returns the way to the characters of the lines; None for what was decoded.
        delimited: whether it is a URI by its type.
        legacy: whether it was decoded from a character set that is not of Unicode.
        is_html: whether it holds a tag with an attribute.
    """

    text: Iterable[str]
    field: str | None
    row: int
    source: Callable[[], Selection] | None = None
    delimited: Delimited = Delimited.TEXT
    legacy: bool = False
    is_html: bool = False

    def documents(
        self, whole: Document, html: HtmlDocuments, tally: Tally, position: Position | None = None
    ) -> Iterator[Document]:
        """Yield the document of the value, or those of its HTML.

        Args:
            whole: all of the lines, as a document.
            html: reads HTML.
            tally: counts faults of the HTML.
            position: returns the line and column of a character of the lines.
        """
        source = self.source
        document = replace(
            whole,
            text=self.text,
            place=whole.place._replace(field=self.field, row=self.row),
            offsets=no_way_back if source is None else partial(_way_back, whole.offsets, source),
            position=None if source is None or position is None else partial(_position, position, source),
            legacy=whole.legacy or self.legacy,
            delimited=self.delimited,
        )
        if not self.is_html:
            yield document
            return
        counts = Tally()
        for inner in single_documents(html(document, counts)):
            field = "/".join([name for name in (self.field, inner.place.field) if name is not None])
            yield replace(inner, place=document.place._replace(field=field or None))
        counts.read.clear()
        tally.take(counts)


def _way_back(outer: WayBack, source: Callable[[], Selection]) -> OffsetMap | None:
    inner = outer()
    return None if inner is None else SelectedOffsets(inner, source())


def _position(outer: Position, source: Callable[[], Selection], offset: int) -> tuple[int, int]:
    return outer(source().source(offset))
