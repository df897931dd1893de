"""The documents of one part of XML: its texts as one block, each located when that is asked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from itertools import islice

from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.lean import Final, NamedTuple, TypeVar, lazy_compile, replace
from urisieve.records.base import Context, Location
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.source_map import ComposedMap, SourceLines, SourceMap, composed
from urisieve.sources.contexts import TIME_ELEMENTS
from urisieve.sources.documents import Document, Segment, joined_texts
from urisieve.sources.html.html_links import resolved
from urisieve.sources.segments import Segments
from urisieve.sources.xml.xml_scan import LINK_ELEMENTS, NAME, TAG, Scan, TextPart, attributes_of, in_run, in_value

# In place of `&` where that does not begin a reference that is resolved: a noncharacter, which no identifier contains.
HIDDEN: Final = "\ufdd0"
_TEXTS: Final = frozenset(["xsi:schemaLocation"])
_LONGEST_NAME: Final = 256
# The attributes of an element that are looked at for what they say of its text.
_MOST_ATTRIBUTES: Final = 64
# The elements around it that are looked at for it, and the bytes of their texts.
_NEAR: Final = 16
_LONGEST_TEXT: Final = 64
# An element of at most so many bytes is in one part with all that is beside its texts.
_SHORT_ELEMENT: Final = 4_096
_RELATIVE: Final = re.compile(rb"[fB]")
_BASES: Final = re.compile(rb"[bB]")
_LINKS: Final = "lbfB"
# What becomes a blank in the value of an attribute (XML 1.0, 3.3.3).
_SPACES: Final = str.maketrans("\t\r\n", "   ")
_MARC: Final = {b"datafield": b"tag", b"controlfield": b"tag", b"subfield": b"code"}
# That of PICA has four characters.
_MARC_TAG: Final = re.compile("[0-9A-Z@]{3,4}")
_OUTER: Final = {row.name.encode(): row.outer for row in TIME_ELEMENTS}
_TIME_ELEMENT: Final = lazy_compile(rb"<(?:[^\s<>/:!?]{1,64}:)?(%b)\s" % b"|".join(_OUTER))
T = TypeVar("T")


class Element(NamedTuple):
    """An element that is open: its name, by which texts in it are located, its base, its time, and its attributes."""

    name: str
    base: str | None
    context: Context | None
    attributes: list[tuple[str, str]]


class XmlWindow:
    """A part of XML that was scanned.

    Args:
        out: takes its texts.
        decoder: has decoded the characters of the source.
        data: the part, with `HIDDEN` in it, up to where the scan ended.
        found: its texts.
        outer: the elements that are open before it, from the outermost one.
        base: the base outside of all elements.
        place: the offset of its first character in the source, and the line and column of that.
    """

    def __init__(
        self,
        out: Segments,
        decoder: ByteDecoder,
        data: bytes,
        found: Scan,
        outer: list[Element],
        base: str | None,
        place: tuple[int, int, int],
    ) -> None:
        self._out = out
        self._decoder = decoder
        self._is_legacy = not decoder.encoding.is_unicode
        self.data = data
        self.found = found
        self._place = place
        self._count = len(outer)
        self._names = {number: element.name for number, element in enumerate(outer)}
        self._bases = {number: element.base for number, element in enumerate(outer)}
        self._contexts = {number: element.context for number, element in enumerate(outer)}
        self._outer_attributes = [element.attributes for element in outer]
        self._names[-1] = ""
        self._bases[-1] = base
        self._contexts[-1] = None
        self._is_ascii = data.isascii()
        self._byte = self._character = 0  # a byte, and the number of characters before it
        self._lines: SourceLines | None = None
        self._links: dict[int, tuple[str, str]] = {}  # see `_resolved`
        self._whole = found.whole if self._is_ascii else found.whole.replace(HIDDEN, "&")
        self._begins = found.begins or [0]
        for match in _BASES.finditer(found.kinds):
            number = found.rows[4 * match.start()]
            given = self._value(*self._span(match.start())).translate(_SPACES)
            self._bases[number] = resolved(given, self._base(self._outer(number)))
        dating = out.dating
        for number, entry in self._entries() if dating else ():
            context = dating and dating((name[1:], value) for name, value in self._attributes(number))
            if context is not None:
                self._contexts[entry] = context

    def documents(self) -> Iterator[Document]:
        """Yield the texts, as one block."""
        links = self._links = self._resolved()
        whole, begins = self._whole, self._begins
        if links:
            texts = [links[index][0] if index in links else self._text(index) for index in range(len(begins) - 1)]
            whole, begins = joined_texts(texts)
        if len(begins) > 1:
            yield Document(
                source=self._out.name,
                whole=whole,
                begins=begins,
                segment=self._segment,
                legacy=self._is_legacy,
                delimited=Delimited.LINK,
                references=(lambda index: links[index][1] if index in links else None) if links else None,
            )

    def undivided(self) -> int:
        """Return the offset of the outermost element that is open and begins shortly before the end; -1 without one."""
        inner = (number for number in self.found.open if number >= self._count)
        offsets = (self.found.elements[2 * (number - self._count) + 1] for number in inner)
        return next((offset for offset in offsets if self.found.stop - offset <= _SHORT_ELEMENT), -1)

    def open(self) -> list[Element]:
        """Return the elements that are open after the part, from the outermost one."""
        return [
            Element(self._name(one), self._base(one), self._context(one), self._attributes(one))
            for one in self.found.open
        ]

    def end(self) -> tuple[int, int, int]:
        """Return the offset after the part in characters, and the line and column there."""
        data = self.data
        start, line, column = self._place
        breaks = data.count(b"\n")
        last = data[data.rfind(b"\n") + 1 :].decode()
        return start + self._characters(len(data)), line + breaks, len(last) + (1 if breaks else column)

    def _characters(self, byte: int) -> int:
        """Return the number of characters before a byte; fast in rising order."""
        if self._is_ascii:
            return byte
        if byte < self._byte:
            self._byte = self._character = 0
        self._character += len(self.data[self._byte : byte].decode())
        self._byte = byte
        return self._character

    # ------------------------------------------------------------ references

    def _text(self, index: int) -> str:
        return self._whole[self._begins[index] : self._begins[index + 1] - len(SEPARATOR)]

    def _resolved(self) -> dict[int, tuple[str, str]]:
        """Return what relative references resolve to, with each, by the indices of their texts."""
        found: dict[int, tuple[str, str]] = {}
        for match in _RELATIVE.finditer(self.found.kinds):
            index = match.start()
            number = self.found.rows[4 * index]
            base = self._base(self._outer(number) if match[0] == b"B" else number)
            reference = self._value(*self._span(index)).translate(_SPACES).strip().replace(HIDDEN, "&")
            target = self._out.target(reference, base)
            if target is not None:
                found[index] = target[0], reference
        return found

    # ------------------------------------------------------------ texts of the block

    def _span(self, index: int) -> tuple[int, int]:
        """Return the start and end of a text in the data."""
        return self.found.rows[4 * index + 1], self.found.rows[4 * index + 2]

    def _value(self, start: int, end: int) -> str:
        raw = self.data[start:end].decode()
        return "".join([raw[first:last] if new is None else new for first, last, new in in_value(raw)])

    def _segment(self, index: int) -> Segment:
        """Return one of the texts."""
        start, end = self._span(index)
        raw = self.data[start:end].decode()
        at = self._place[0] + self._characters(start)
        kind, field, number = chr(self.found.kinds[index]), self._field(index), self.found.rows[4 * index]
        if kind in _LINKS:
            at += len(raw) - len(raw.lstrip())
            raw = raw.lstrip()
        selection = SourceMap()
        if index in self._links:
            target, reference = self._links[index]
            selection.replace(at, at + len(raw), len(target))
            made = self._made(target, selection, field, Delimited.LINK, None, number)
            return replace(made, reference=reference)
        parts: Iterator[TextPart]
        if kind in "ci":
            parts = iter([(0, len(raw), None)])
        elif kind in "rhv":
            parts = in_run(raw, in_section=bool(self.found.rows[4 * index + 3]))
        else:
            raw = raw.rstrip() if kind in _LINKS else raw
            parts = in_value(raw)
        pieces = []
        for first, last, new in parts:
            if new is None or len(new) == last - first:
                selection.add(at + first, at + last)
            else:
                selection.replace(at + first, at + last, len(new))
            pieces.append(raw[first:last] if new is None else new)
        text = "".join(pieces).replace(HIDDEN, "&")
        if kind == "v":
            stripped = text.strip()
            before = len(text) - len(text.lstrip())
            text, selection = stripped, ComposedMap(selection, first=before)
        return self._made(text, selection, field, self._delimited(kind, field, text), self._base(number), number)

    def _delimited(self, kind: str, field: str, text: str) -> Delimited:
        """Return whether the extent of an identifier in a text is stated."""
        if kind in "lb":
            return Delimited.LINK
        if kind in "rhci" or not self._out.may_hold(text):
            return Delimited.TEXT
        if kind == "v":
            return Delimited.LINK if field in LINK_ELEMENTS else Delimited.VALUE
        return Delimited.TEXT if field.rpartition("@")[2] in _TEXTS else Delimited.VALUE

    def _made(
        self, text: str, selection: SourceMap, field: str, delimited: Delimited, base: str | None, element: int
    ) -> Segment:
        return Segment(
            source=self._out.name,
            text=(text,),
            place=Location(field=field[:_LONGEST_NAME] or None, context=self._context(element)),
            offsets=lambda: composed(self._decoder.offsets, selection),
            legacy=self._is_legacy,
            base=base,
            position=lambda offset: self._position(selection.source(offset)),
            delimited=delimited,
            beside=partial(self._beside, element, in_tag="@" in field),
        )

    def _position(self, offset: int) -> tuple[int, int]:
        if self._lines is None:
            self._lines = SourceLines(self.data.decode(), *self._place)
        return self._lines.place(offset)

    # ------------------------------------------------------------ elements

    def _field(self, index: int) -> str:
        number, start, _, name = self.found.rows[4 * index : 4 * index + 4]
        kind = self.found.kinds[index]
        if kind in b"rhv":
            return self._name(number)
        if kind == ord("c"):
            return "#comment"
        if kind == ord("i"):
            return f"?{self.data[name:start].decode()}"
        return f"{self._tag_name(number).decode()}@{self._name_at(name).partition(b'=')[0].decode()}"

    def _name_at(self, at: int) -> bytes:
        found = NAME.match(self.data, at)
        return b"" if found is None else found[0]

    def _outer(self, number: int) -> int:
        return self.found.elements[2 * (number - self._count)] if number >= self._count else number - 1

    def _tag_name(self, number: int) -> bytes:
        return self._name_at(self.found.elements[2 * (number - self._count) + 1] + 1)

    def _name(self, number: int) -> str:
        """Return the name of an element, or of a field of MARCXML."""
        name = self._names.get(number)
        if name is None:
            tag = self._tag_name(number)
            name = self._names[number] = self._marc_name(number, tag) or tag.decode()
        return name

    def _attributes(self, number: int) -> list[tuple[str, str]]:
        """Return the attributes of an element, each with an `@` before its name."""
        if number < self._count:
            return self._outer_attributes[number] if number >= 0 else []
        start = self.found.elements[2 * (number - self._count) + 1] + 1
        matches = attributes_of(self.data, start + len(self._name_at(start)), len(self.data))
        return [
            (f"@{match[1].decode()}", self._value(*match.span(2 if match[2] is not None else 3)))
            for match in islice(matches, _MOST_ATTRIBUTES)
        ]

    def _beside(self, number: int, *, in_tag: bool) -> Iterator[tuple[str, str]]:
        """Yield the attributes of an element and, for a text that is not in its tag, the elements beside it."""
        yield from self._attributes(number)
        if in_tag or number < self._count:
            return
        outer, last = self._outer(number), self._count + len(self.found.elements) // 2
        for near in range(max(self._count, number - _NEAR), min(number + _NEAR, last)):
            if self._outer(near) == outer:
                tag = TAG.match(self.data, self.found.elements[2 * (near - self._count) + 1])
                start = len(self.data) if tag is None else tag.end()
                end = self.data.find(b"<", start, start + _LONGEST_TEXT)
                if end > start:
                    yield self._name(near), self._value(start, end)

    def _marc_name(self, number: int, tag: bytes) -> str | None:
        """Return the name of a field of MARCXML, as `020$a`, by its tag and the code of a subfield; None for others."""
        local = tag.rpartition(b":")[2]
        wanted = _MARC.get(local)
        if wanted is None:
            return None
        start = self.found.elements[2 * (number - self._count) + 1] + 1 + len(tag)
        for match in attributes_of(self.data, start, len(self.data)):
            if match[1] == wanted:
                value = self._value(*match.span(2 if match[2] is not None else 3)).translate(_SPACES)
                break
        else:
            return None
        if wanted == b"tag":
            return value if _MARC_TAG.fullmatch(value) else None
        if len(value) != 1:
            return None
        outer = self._outer(number)
        if outer not in self._names and self._tag_name(outer).rpartition(b":")[2] == b"subfield":
            return None  # whose name is no tag, however many of them are around each other
        parent = self._name(outer)
        return f"{parent}${value}" if _MARC_TAG.fullmatch(parent) else None

    def _base(self, number: int) -> str | None:
        """Return the base in an element."""
        return self._inherited(self._bases, number)

    def _context(self, number: int) -> Context | None:
        """Return the time of the entry that an element is in."""
        return self._inherited(self._contexts, number)

    def _inherited(self, known: dict[int, T], number: int) -> T:
        """Return what is known of an element or the innermost one around it, and keep it."""
        passed = []
        while number not in known:
            passed.append(number)
            number = self._outer(number)
        value = known[number]
        known.update(dict.fromkeys(passed, value))
        return value

    def _entries(self) -> Iterator[tuple[int, int]]:
        """Yield the elements that state a time, each with that of the entry."""
        tags = self.found.elements[1::2]
        for match in _TIME_ELEMENT.finditer(self.data):
            index = bisect_left(tags, match.start())
            if index < len(tags) and tags[index] == match.start():  # else it is in a comment or a section
                number = entry = self._count + index
                for _ in range(_OUTER[match[1]]):
                    entry = self._outer(entry) if entry >= 0 else entry
                if entry >= 0:
                    yield number, entry
