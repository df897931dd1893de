"""Texts inside short texts: a cell or a string of JSON that is a page or a JSON document itself is read as that.

Mastodon, Matrix and WordPress send HTML in JSON, notebooks and archives of browsers JSON in JSON. Only what the text
itself proves is opened: a tag with an attribute, a whole JSON document, or a link in angle brackets with `&amp;` in it,
as chat services escape it. The location says the way in, as in `body / a@href`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.find.delimited import Delimited
from urisieve.lean import Final, replace
from urisieve.records.base import Location
from urisieve.sources.bytes.carrier_notations import Unescaper
from urisieve.sources.bytes.source_map import SourceMap, composed
from urisieve.sources.documents import Document, HtmlDocuments, Segment
from urisieve.sources.kinds.kind_table import function_of
from urisieve.sources.tally import Tally

_STRINGS: Final = "urisieve.sources.structured.json_strings:strings_of_window"
_FIELD: Final = "urisieve.sources.structured.json_paths:JsonField"
# What proves HTML, inside of one text of a block: a tag with an attribute; then, in its group, a link as chat services
# write it.
_MARKED: Final = re.compile(
    r"""<(?:(?=[^<>\x1e]*+>)/?[A-Za-z][A-Za-z0-9]*+(?:\s[^<>\x1e]*?)?\s[A-Za-z][A-Za-z0-9_:.-]*+\s*+=[^<>\x1e]*+>|([A-Za-z][A-Za-z0-9+.-]*+:[^<>\s&\x1e]*+&amp;))"""
)
# What may be a JSON document: a text that begins with a bracket and a quotation mark, a bracket or its twin.
_JSON: Final = re.compile(r"""\x1e\n[ \t\r\n]*+[\[{][ \t\r\n]*+["\[{]""")
_JSON_ENDS: Final = ("}", "]")


class InnerTexts:
    """Opens the texts in the texts of blocks.

    Args:
        html: reads HTML.
        tally: counts what is skipped, and texts that are nested too deeply.
        deepest: how many texts are opened, one in the other.
    """

    def __init__(self, html: HtmlDocuments, tally: Tally, deepest: int) -> None:
        self._html = html
        self._tally = tally
        self._deepest = deepest

    def opened(self, documents: Iterable[Document], depth: int = 0) -> Iterator[Document]:
        """Yield documents, in place of each text of a block that is HTML or JSON what is in it.

        Args:
            documents: those of one content.
            depth: how many texts are around them.
        """
        for document in documents:
            is_left = document.is_alone and document.delimited is not Delimited.VALUE
            found = [] if is_left else _inner_texts(document)
            if found:
                yield from self._taken_apart(document, found, depth)
            else:
                yield document

    def _taken_apart(self, document: Document, found: list[tuple[int, str]], depth: int) -> Iterator[Document]:
        first = 0
        for index, kind in found:
            inner = self._inner(document.segment(index), kind, depth)
            one = next(inner, None)
            if one is None:
                continue
            if index > first:
                yield document.part(first, index)
            yield one
            yield from inner
            first = index + 1
        if first < document.size or document.last is not None:
            yield document.part(first, document.size)

    def _inner(self, outer: Segment, kind: str, depth: int) -> Iterator[Document]:
        """Yield what is in a text; nothing if it is not what it seems, or nested too deeply."""
        if depth == self._deepest:
            message = f"{outer.source}: texts inside {outer.place.field or 'a text'} are more than {depth} deep"
            self._tally.fault("text", "nested-too-deep", message)
            return
        if kind == "json":
            yield from self.opened(_json_document(outer), depth + 1)
        elif kind == "html":
            page = replace(outer, delimited=Delimited.TEXT)
            yield from in_html(page, self._html, self._tally, partial(_inside_html, outer.place))
        else:
            yield _unescaped(outer).document()


def in_html(
    outer: Segment, html: HtmlDocuments, tally: Tally, place: Callable[[Location], Location]
) -> Iterator[Document]:
    """Yield what is in a text that is HTML, which is not counted as a page.

    Args:
        outer: the text.
        html: reads HTML.
        tally: counts faults of the HTML.
        place: returns the location of what is in the text; its argument is the location there, or that of the text.
    """
    counts = Tally()
    for document in html(outer, counts):
        for one in document.segments():
            yield replace(one, place=place(one.place)).document()
    counts.read.clear()
    tally.take(counts)


def _inner_texts(block: Document) -> list[tuple[int, str]]:
    """Return the indices of the texts of a block that are HTML or may be JSON, with what each is."""
    found: dict[int, str] = {}
    for match in _MARKED.finditer(block.whole):
        index = block.index_at(match.start())
        if match[1] is None:
            found[index] = "html"
        else:
            found.setdefault(index, "link")
    for match in _JSON.finditer(block.whole):
        index = block.index_at(match.start() + 2)
        if block.begins[index] == match.start() + 2 and block.text(index).rstrip().endswith(_JSON_ENDS):
            found[index] = "json"
    return sorted(found.items())


def _json_document(outer: Segment) -> Iterator[Document]:
    """Yield the strings of a text that is a JSON document, as one block; nothing if it is not one."""
    strings = function_of(_STRINGS)("".join(outer.text), function_of(_FIELD)(None, b""), takes_bytes=False)
    if strings.is_left:
        return

    def segment(index: int) -> Segment:
        return Segment(
            source=outer.source,
            text=(strings.string(index),),
            place=_inside(outer.place, Location(field=strings.path(index))),
            offsets=_through(outer, strings.source_map(index), strings.start(index)),
            legacy=outer.legacy,
            delimited=Delimited.VALUE,
        )

    yield outer.block(strings.whole, strings.begins, segment, delimited=outer.delimited)


def _unescaped(outer: Segment) -> Segment:
    """Return a text with its character references resolved."""
    text = "".join(outer.text)
    unescaper = Unescaper("html", keep=len(text))
    resolved = "".join(unescaper.pieces((text,)))
    offsets = _through(outer, unescaper.source_map, 0)
    return replace(outer, text=(resolved,), offsets=offsets, delimited=Delimited.TEXT)


def _through(outer: Segment, source_map: SourceMap | None, start: int) -> Callable[[], SourceMap | None]:
    """Return what returns the source map of a text that is in another one from an offset on."""
    return lambda: composed(outer.offsets(), source_map, start)


def _inside(outer: Location, inner: Location) -> Location:
    """Return the location of something in a text: the way in, and the row of the text."""
    if not inner.field:
        return outer
    return outer._replace(field=inner.field if not outer.field else f"{outer.field} / {inner.field}")


def _inside_html(outer: Location, inner: Location) -> Location:
    return outer if inner == outer else _inside(outer, inner)  # the text of the page has the location of the page
