"""Texts inside strings: a string that is a page or a JSON document itself is read as that, whatever carries it.

Mastodon, Matrix and WordPress send HTML in JSON, feeds in XML, calendars in properties, notebooks and archives of
browsers JSON in JSON. Only what the text itself proves is opened: a tag with an attribute, or one of those that feeds
are made of, a whole JSON document, or a link in angle brackets with `&amp;` in it, as chat services escape it. The
location says the way in, as in `body / a@href`. References are resolved against the base where the string is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial

from urisieve.find.delimited import Delimited
from urisieve.lean import Any, Final, replace
from urisieve.records.base import Location
from urisieve.sources.blocks import gathered
from urisieve.sources.bytes.carrier_notations import Unescaper
from urisieve.sources.bytes.source_map import ComposedMap, SourceMap
from urisieve.sources.documents import BlockRows, Document, Opened, Segment, segment_columns
from urisieve.sources.kinds.kind_table import function_of
from urisieve.sources.tally import Tally

_STRINGS: Final = "urisieve.sources.structured.json_strings:strings_of_window"
# The field of a script: its strings with white space are text, as it is itself: words may follow a link in them.
_SCRIPT: Final = "script"
_SPACE: Final = re.compile(r"\s")
_FIELD: Final = "urisieve.sources.structured.json_paths:JsonField"
# What proves HTML, inside of one text of a block: a tag with an attribute; one of feeds; then, in its group, a link as
# chat services write it.
_MARKED: Final = re.compile(
    r"""<(?:(?=[^<>\x1e]*+>)/?[A-Za-z][A-Za-z0-9]*+(?:\s[^<>\x1e]*?)?\s[A-Za-z][A-Za-z0-9_:.-]*+\s*+=[^<>\x1e]*+>"""
    r"""|/?(?i:a|p|br|div|img|span|ul|ol|li|table|b|i|em|strong|blockquote|h[1-6])\s*+/?>"""
    r"""|([A-Za-z][A-Za-z0-9+.-]*+:[^<>\s&\x1e]*+&amp;))"""
)
# What may be a JSON document: a text that begins with a bracket and a quotation mark, a bracket or its twin.
_JSON: Final = re.compile(r"""\x1e\n[ \t\r\n]*+[\[{][ \t\r\n]*+["\[{]""")
_JSON_ENDS: Final = ("}", "]")
# The characters of a usual escape, in the source of a string, for one character in it (`&quot;`, `\u0022`).
_ESCAPED: Final = 6
# A text without an identifier that is seen may have one inside: in a tag with an attribute, whose references may stand
# for its colon or be relative, and behind escapes of JSON.
_MAY_CONTAIN: Final = re.compile(r"<[A-Za-z][^<>]*=|\\u00")


def may_contain(text: str) -> bool:
    """Report whether there may be an identifier inside a text although none is seen in it."""
    return ("<" in text or "\\" in text) and _MAY_CONTAIN.search(text) is not None


def may_be_opened(whole: str) -> bool:
    """Report whether there may be HTML or JSON among the texts of a block; see `Document.whole`."""
    return _MARKED.search(whole) is not None or _JSON.search(whole) is not None


class InnerTexts:
    """Opens the texts in strings: in the texts of blocks, and in a string that is a document of its own.

    Args:
        html: reads HTML.
        tally: counts what is skipped, and texts that are nested too deeply.
        deepest: how many texts are opened, one in the other.
        base: the base in a string whose document states none.
    """

    def __init__(
        self,
        html: Callable[[Segment, Tally, Opened], Iterator[Document]],
        tally: Tally,
        deepest: int,
        base: str | None = None,
    ) -> None:
        self._html = html
        self._tally = tally
        self._deepest = deepest
        self._base = base

    def opened(self, documents: Iterable[Document], depth: int = 0) -> Iterator[Document]:
        """Yield documents, in place of each text of a block that is HTML or JSON what is in it.

        Args:
            documents: those of one content.
            depth: how many texts are around them.
        """
        for document in documents:
            found = _inner_texts(document)
            if found:
                parts = self._taken_apart(document, found, depth)
                # All are of one text that is in memory: nothing is read meanwhile that their source maps depend on.
                yield from gathered(parts, always=True) if depth == 0 else parts
            else:
                yield document

    def _taken_apart(self, document: Document, found: list[tuple[int, str]], depth: int) -> Iterator[Document]:
        first = 0
        for index, kind in found:
            outer = document.segment(index)
            if outer.delimited is Delimited.LINK:  # it is an identifier, whatever it contains
                continue
            inner = self._inner(outer if outer.base else replace(outer, base=self._base), kind, depth)
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
            yield from self._in_html(replace(outer, delimited=Delimited.TEXT), depth + 1)
        else:
            yield _unescaped(outer).document()

    def _in_html(self, outer: Segment, depth: int) -> Iterator[Document]:
        """Yield what is in a text that is HTML, which is not counted as a page."""
        counts = Tally()
        for document in self._html(outer, counts, partial(self.opened, depth=depth)):
            document.in_memory *= _ESCAPED  # its source map goes through its source, of which a part is known
            document.columns = None  # strings around it have their lines by the whole block
            yield document
        counts.read.clear()
        self._tally.take(counts)


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
    is_script = outer.place.field == _SCRIPT

    def segment(index: int) -> Segment:
        text = strings.string(index)
        delimited = Delimited.TEXT if is_script and _SPACE.search(text) is not None else Delimited.VALUE
        back = ComposedMap(SourceMap(), strings.source_map(index), strings.start(index))
        place = _inside(outer.place, Location(field=strings.path(index)))
        return outer.inner(text, back, place, delimited=delimited)

    def columns(rows: BlockRows) -> dict[str, Sequence[Any]]:
        return segment_columns(list(map(cache(segment), rows.numbers)), rows.starts, rows.ends, rows.wanted)

    how = None if outer.position is None else columns
    yield outer.block(strings.whole, strings.begins, segment, delimited=Delimited.VALUE, columns=how)


def _unescaped(outer: Segment) -> Segment:
    """Return a text with its character references resolved."""
    text = "".join(outer.text)
    unescaper = Unescaper("html", keep=len(text))
    resolved = "".join(unescaper.pieces((text,)))
    return outer.inner(resolved, ComposedMap(SourceMap(), unescaper.source_map), outer.place)


def _inside(outer: Location, inner: Location) -> Location:
    """Return the location of something in a text: the way in, and the row of the text."""
    if not inner.field:
        return outer
    return outer._replace(field=inner.field if not outer.field else f"{outer.field} / {inner.field}")
