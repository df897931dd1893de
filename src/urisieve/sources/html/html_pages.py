"""Parts of HTML read by the compiled kernel: their texts, and the links of a part as one block.

What the kernel reads is what the `TokenReader` reads. A tag with more than plain links, and a style sheet, are left to
the `Gatherer`; a part that the kernel does not decide is left to the `TokenReader`.

Also defines:

- the reader of HTML of the kernel: the elements and attributes that it is given.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from urisieve.find.delimited import Delimited
from urisieve.kernel import kernel
from urisieve.lean import Any, Final
from urisieve.records.base import Location
from urisieve.records.layouts import SharedValues, as_numbers
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.documents import BlockRows, Document, Segment
from urisieve.sources.html.html_gather import Gatherer, HtmlWindow
from urisieve.sources.html.html_links import (
    BREAKING,
    LISTS,
    RAW_ELEMENTS,
    RESOLVED_ELEMENTS,
    SETS,
    TELLING,
    URL_ATTRIBUTES,
    can_resolve,
    may_be_visible,
    resolved,
)
from urisieve.sources.html.html_tokens import (
    Replaced,
    attributes,
    content_start,
    holds_sign,
    link_in,
    resolved_reference,
)

# Flags of elements and kinds of attributes; tools/generate_kernel_tables.py gives them to the kernel.
_BREAKS, _RAW, _RESOLVED, _ANCHOR, _BASE, _STYLE, _META, _SCRIPT, _FIRST_OWN = 1, 2, 4, 8, 16, 32, 64, 128, 256
_URL, _HREF, _LISTED, _SET, _STYLES, _CONTENT, _EQUIVALENT, _SRCDOC = range(8)
_KINDS: Final = {
    **dict.fromkeys(URL_ATTRIBUTES, _URL),
    **dict.fromkeys(LISTS, _LISTED),
    **dict.fromkeys(SETS, _SET),
    "href": _HREF,
    "style": _STYLES,
    "content": _CONTENT,
    "http-equiv": _EQUIVALENT,
    "srcdoc": _SRCDOC,
}
# The elements on which an attribute has this meaning; on others it is text.
_ELEMENTS: Final = {**URL_ATTRIBUTES, "srcdoc": frozenset(["iframe"])}
# Readers that no thread uses now.
_readers: list[kernel.HtmlReader] = []


def new_reader() -> kernel.HtmlReader:
    """Return a reader of its own."""
    flags = Counter(dict.fromkeys(BREAKING, _BREAKS))
    flags.update(dict.fromkeys(RAW_ELEMENTS, _RAW))
    flags.update(dict.fromkeys(RESOLVED_ELEMENTS, _RESOLVED))
    flags.update({"a": _ANCHOR, "base": _BASE, "style": _STYLE, "meta": _META, "script": _SCRIPT})
    own = _FIRST_OWN
    attributes = []
    for attribute in sorted(TELLING):
        needed = 0
        elements = _ELEMENTS.get(attribute)
        if elements is not None:
            needed = own
            own *= 2
            flags.update(dict.fromkeys(elements, needed))
        attributes.append((attribute, _KINDS[attribute] | needed))
    return kernel.HtmlReader(list(flags.items()), attributes, _reference)


def _reference(written: str, in_attribute: int) -> str:
    return resolved_reference(written, bool(in_attribute))


def read_page(window: HtmlWindow, limit: int) -> HtmlPage | None:
    """Read a part of a page by the kernel; None if that leaves it. The arguments are those of the `TokenReader`."""
    reader = _readers.pop() if _readers else new_reader()
    every_value = window.may_hold is not holds_sign

    def read(base: str | None, is_declared: bool) -> kernel.HtmlPage | None:
        plain = base if base is None or can_resolve(base) else ""
        return reader.read(window.source, window.final, limit, plain, is_declared, every_value)

    base, given = window.base, window.page.base
    page = read(base or given, base is not None)
    if page is not None and page.base is not None:
        base = resolved(page.base, given)
        page = None if base is None else read(base, True)
    _readers.append(reader)
    return None if page is None else HtmlPage(page, window._replace(base=base))


# Kinds of items, as in html.h.
_LINK, _TAG, _CONTENT_ITEM, _VALUE = range(4)
# Kinds of segments; see `kernel.Search.segments`.
_TEXTS: Final = b"\0"
_LINKS: Final = b"\1"
_VALUES: Final = 2  # the number of the text of attributes among those of a page


class HtmlPage:
    """A part of a page that the kernel has read; see `TokenReader`.

    Args:
        page: the part as the kernel has read it.
        window: the part, with the base that an element up to its end has declared.
    """

    def __init__(self, page: kernel.HtmlPage, window: HtmlWindow) -> None:
        self._page = page
        self._window = window
        self._of = window.page
        self.base = window.base
        self.stop = page.stop
        line, column = window.lines.place(window.start)
        feeds, rest = page.lines()
        self.end = line + feeds, (1 if feeds else column) + rest
        self.is_done = page.is_done
        self._gatherer = Gatherer(window)
        self._has_base = self.base is not None or window.page.base is not None
        visible = ((number, text.strip()) for number, text in page.shown())
        self._begins: Sequence[int] | memoryview = ()  # of the values of attributes, in their text
        self._visible = {number: text for number, text in visible if may_be_visible(text)}

    def documents(self) -> Iterator[Document | None]:
        """Yield the documents: the running text, that of comments, of attributes, and the links, most as one block."""
        page, may_hold, out = self._page, self._window.may_hold, self._window.out
        for number in (0, 1):
            if page.has_text(number):
                back = _TextMap(page, self._window.start, number)
                yield self._of.inner(page.text(number), back, self._of.place).document()
        if page.value_count and (may_hold is holds_sign or may_hold(page.text(_VALUES))):
            self._add(page.count, page.count + page.value_count)
        for reason, count in zip(("same-document", "no-base"), page.skipped(), strict=True):
            if count:
                out.tally.skipped["reference", reason] += count
        first = 0
        for special in (*page.special(), page.count):
            if special > first:
                self._add(first, special)
            if special < page.count:
                yield from self._special(special)
            first = special + 1

    def _add(self, first: int, stop: int) -> None:
        """Add the links, none of them special, or the values from a number on and before another one."""
        whole, places = self._page.links(first, stop)
        begins = memoryview(places).cast("q")
        is_value = first == self._page.count
        if is_value:
            self._begins = begins
        reference = self._page.reference
        found = self._of.block(
            whole,
            begins,
            partial(self._text, first),
            delimited=Delimited.TEXT if is_value else Delimited.LINK,
            references=(lambda index: reference(first + index)) if self._has_base and not is_value else None,
            shown={number - first: text for number, text in self._visible.items() if first <= number < stop},
            kinds=(_TEXTS if is_value else _LINKS) * (stop - first),
            columns=partial(self._columns, first),
        )
        self._window.out.block(found)

    def _special(self, number: int) -> Iterator[Document | None]:
        """Yield the documents of a tag, or of the content of an element, that the kernel has left."""
        gatherer = Gatherer(self._window)
        kind, name, _, first, last, *_ = self._page.item(number)
        token, at = self._window.source[first + 1 : last], self._window.start + first + 1
        if kind == _CONTENT_ITEM:
            begin = content_start(token)
            gatherer.add_content(name.lower(), token[begin:], at + begin)
        else:
            anchor = gatherer.add_attributes(name, token, at)
            if anchor is not None and number in self._visible:
                gatherer.compare(anchor, self._visible[number])
        return gatherer.links()

    # ------------------------------------------------------------ texts of the blocks: links, then values of attributes

    def _text(self, first: int, index: int) -> Segment:
        """Return a text in the block from a number on."""
        number, page = first + index, self._page
        kind = page.item(number)[0]
        text, back, place = page.link(number), self._map(number), self._location(number)
        base = self.base or self._of.base
        if kind == _VALUE:
            return self._of.inner(text, back, place, base=base)
        own = {"reference": page.reference(number), "shown": self._visible.get(number)}
        return self._of.inner(text, back, place, base=base, delimited=Delimited.LINK, **own)

    def _map(self, number: int) -> SourceMap:
        """Return the source map of a text."""
        kind, element, name, first, last, begin, size = self._page.item(number)
        if kind == _VALUE:
            return _TextMap(self._page, self._window.start, _VALUES, self._begins[number - self._page.count])
        if begin < 0:  # the link is not there as it is
            values = attributes(self._window.source[first + 1 : last], len(element), self._window.start + first + 1)
            value, back = next((value, back) for attribute, value, back in values if attribute == name.lower())
            text, inner = link_in(value, back, 0, len(value))
            return Replaced(inner.source(0), inner.source_end(len(text))) if size else inner
        begin += self._window.start
        return Replaced(begin, begin + size) if size else SourceMap(begin)

    def _columns(self, first: int, rows: BlockRows) -> dict[str, Sequence[Any]]:
        """Return the columns of rows in the block of the texts from a number on; see `BlockColumns`."""
        batch, numbers, starts, ends, wanted = rows.moved(first)
        changed: dict[str, Sequence[Any]] = {}
        if "source" in wanted and not (batch.is_constant("source") and batch.constant("source") == self._of.source):
            changed["source"] = [self._of.source] * len(batch)
        has_lines = not wanted.isdisjoint(("line", "column"))
        offsets = None if wanted.isdisjoint(("byte_start", "byte_end")) else self._of.offsets()
        if not has_lines and offsets is None and "location" not in wanted:
            return changed
        texts = as_numbers(numbers)
        names, indices, *spans, left = self._page.places(
            texts, as_numbers(starts), as_numbers(ends), self._window.start
        )
        if "location" in wanted:
            places = [self._gatherer.location(element.lower(), name.lower()) for element, name in names]
            changed["location"] = SharedValues(places, memoryview(indices).cast("I"))
        if has_lines or offsets is not None:
            begins, stops = (array("q", some) for some in spans)
            for row in left:  # their source maps know
                begins[row], stops[row] = self._map(texts[row]).span(starts[row], ends[row])
            if has_lines:
                changed["line"], changed["column"] = self._places(begins)
            if offsets is not None:
                changed["byte_start"], changed["byte_end"] = offsets.spans(begins, stops)
        return changed

    def _places(self, offsets: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """Return the lines and columns of characters of the page."""
        lines, place = self._window.lines, self._of.position
        if place is None or place == lines.place:
            return lines.places(offsets)
        places = [place(offset) for offset in offsets]
        return [line for line, _ in places], [column for _, column in places]

    def _location(self, number: int) -> Location:
        _, element, attribute, *_ = self._page.item(number)
        return self._gatherer.location(element.lower(), attribute.lower())


class _TextMap(SourceMap):
    """The source map of a text of a page; the kernel has its runs.

    Args:
        page: the page.
        start: the offset of the page in the HTML.
        number: the number of the text.
        before: the offset in it from which on the map counts.
    """

    __slots__ = ("_before", "_number", "_page", "_start")

    def __init__(self, page: kernel.HtmlPage, start: int, number: int, before: int = 0) -> None:
        self._page = page
        self._start = start
        self._number = number
        self._before = before

    def source(self, offset: int) -> int:
        """See `SourceMap.source`."""
        return self._start + self._page.source(self._before + offset, self._number, False)

    def source_end(self, offset: int) -> int:
        """See `SourceMap.source_end`."""
        return self._start + self._page.source(self._before + offset, self._number, True)

    def spans(self, starts: Sequence[int], ends: Sequence[int]) -> tuple[list[int], list[int]]:
        """See `SourceMap.spans`."""
        return list(map(self.source, starts)), list(map(self.source_end, ends))
