"""Office Open XML (ECMA-376): texts, fields, notes, comments and relationships of docx, xlsx, pptx and their kin.

Sheets and slides are numbered in the order of the document; what belongs to one, such as comments and notes, follows
it, then come all other parts. What repeats a text (the fallback of an alternative, the picture of a diagram, a cached
cell) is not read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from urisieve.lean import Final, NamedTuple
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.office.markup import DocumentMarkup, MarkupReader, PackagePassages, noted_in
from urisieve.sources.office.passages import whole_words, with_fragment
from urisieve.sources.segments import Segments

_CELLS: Final = {"c": "r", "comment": "ref", "threadedComment": "ref", "hyperlink": "ref"}
_VALUES: Final = frozenset(
    ["v", "f", "formula1", "oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"]
)
OFFICE_MARKUP: Final = DocumentMarkup(
    # Paragraphs; shared and inline strings; comments; deleted text, which does not join with what replaced it.
    passages=frozenset(["p", "si", "is", "text", "del"]),
    signs={"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"},
    # The properties of a run, or of a shape, hold the link of it.
    spans={"hyperlink": 0, "hlinkClick": 2, "hlinkHover": 2, "hlinkMouseOver": 2},
    silent=frozenset(["Fallback", "HLinks", "rPh", "rt", "moveFrom", "strCache", "numCache", "binData"]),
    links=frozenset(["href", "url"]),
    texts=frozenset(
        ["descr", "title", "tooltip", "alt", "connection", "command", "prompt", "promptTitle", "error", "displayText"]
    ),
    noted=frozenset(["sheet", "sldId"]),
    watched=frozenset(["fldChar", "fldSimple", *_CELLS, *_VALUES]),
)
_NUMBERED: Final = {"sheet": "sheet", "sldId": "slide"}
_CELL: Final = re.compile("[A-Z]{1,3}[0-9]{1,7}(?::[A-Z]{1,3}[0-9]{1,7})?")
# A number that may be one of a library.
_LONG_NUMBER: Final = re.compile("[0-9]{6,16}")
# A shared string of so many characters may be the heading of a column.
_LONGEST_HEADING: Final = 64
# Pieces of text of a value; each has up to some ten thousand characters.
_MOST_PIECES: Final = 64
_MARKUP_NAMES: Final = (".xml", ".vml")
# Data of other programs, in markup of their own (ECMA-376 part 1, 15.2.5), without their properties.
_FOREIGN: Final = re.compile("customXml/(?!itemProps|_rels/)", re.I)
# Parts that draw a text which is in another one, too, or have no room for a link; the styles may be half of a document.
_UNREAD: Final = frozenset(["diagramDrawing", "printerSettings", "styles", "stylesWithEffects", "fontTable"])
# Parts that belong to no single sheet or slide.
_SHARED: Final = frozenset(
    ["slideLayout", "slideMaster", "notesMaster", "handoutMaster", "theme", "slide", "worksheet", "officeDocument"]
)
# Characters of shared strings that are kept, and of those that are reported again.
_MOST_SHARED: Final = 67_108_864
# Characters of one; a cell of Excel has up to 32,767.
_LONGEST_SHARED: Final = 4_194_304
# Characters of the target of a relationship; longer ones cost their length at each use.
_LONGEST_TARGET: Final = 65_536


class _Relationship(NamedTuple):
    kind: str
    target: str
    is_external: bool


class _SharedStrings(PackagePassages):
    """The shared strings of a workbook that may contain identifiers, by their numbers."""

    def __init__(self, out: Segments) -> None:
        super().__init__(out)
        self.is_silent = True
        self._texts: list[str] = []
        self._kept: dict[str, str] = {}
        self._taken: set[str] = set()
        self._number = self._length = 0
        self._left = self._repeated = _MOST_SHARED

    def text(self, text: str, name: str = "") -> None:
        """Take a piece of a string."""
        self._length += len(text)
        if self._length <= _LONGEST_SHARED:
            self._texts.append(text)

    def end(self) -> None:
        """End a string."""
        is_string = len(self.outer) == 1
        super().end()
        if is_string:
            is_cut, self._length = self._length > _LONGEST_SHARED, 0
            text, self._texts = (whole_words if is_cut else "".join)(self._texts), []
            if is_cut:
                self.out.skip("too-long", kind="shared string")
            if text and (self.out.may_hold(text) or (self.out.run.every_field and len(text) <= _LONGEST_HEADING)):
                self._left -= len(text)
                if self._left < 0:
                    self.out.skip("too-many", kind="shared string")
                else:
                    self._kept[str(self._number)] = text
            self._number += 1

    def take(self, number: str) -> str:
        """Return the string of a number; "" if it contains no identifiers, or was taken too often."""
        text = self._kept.get(number.strip(), "")
        if text and number in self._taken:
            self._repeated -= len(text)
            if self._repeated < 0:
                self.out.skip("too-often", kind="shared string")
                return ""
        self._taken.add(number)
        return text

    def untaken(self) -> list[str]:
        """Return the strings that no cell has taken."""
        return [text for number, text in self._kept.items() if number not in self._taken]


class _OfficePart(MarkupReader):
    """A part: its cells with their shared strings, its fields, and the sheets or slides that it lists."""

    def __init__(self, passages: PackagePassages, targets: Mapping[str, str], strings: _SharedStrings | None) -> None:
        super().__init__(OFFICE_MARKUP, passages, targets)
        self._strings = strings
        self._type = ""  # of the cell
        self._fragment = ""  # of the target of the link
        self._value: list[str] | None = None

    def start(self, field: str) -> None:
        """Begin a part."""
        self._label = field

    def opened(self, name: str, attributes: Mapping[str, str]) -> None:
        """Enter a cell or a value, begin or end a field, or take a sheet or a slide."""
        passages = self.passages
        if name in _VALUES:
            self._value = []
        elif name in _CELLS:
            cell = attributes.get(_CELLS[name], "")
            if _CELL.fullmatch(cell):
                sheet, mark, kind = self._label.partition(" / ")
                passages.field = f"{sheet}!{cell}{mark}{kind}"
            self._type = attributes.get("t", "n")
            self._fragment = attributes.get("anchor") or attributes.get("location") or ""
        elif name == "fldChar":
            match attributes.get("fldCharType"):
                case "begin":
                    passages.begin_field()
                case "separate":
                    passages.separate()
                case "end":
                    passages.end_field()
        elif name == "fldSimple":
            passages.begin_field()
            passages.put(attributes.get("instr", ""))
            passages.separate()

    def link(self, element: str, target: str) -> None:
        """Take a link; the programs keep the fragment of its target apart."""
        super().link(element, with_fragment(target, self._fragment) if element == "hyperlink" else target)

    def closed(self, name: str) -> None:
        """Leave a cell or a value, or end a field."""
        passages = self.passages
        if name in _VALUES:
            value, self._value = "".join(self._value or ()), None
            if name == "f":
                passages.text(value)
                passages.stated = value
            elif name == "formula1":  # of a cell that may hold certain values, which may be a list of them
                passages.text(value.replace(",", "\n") if value.startswith('"') else value)
            elif name != "v":
                passages.text(_header_text(value))
            elif self._type != "s":
                passages.text(value if self._type != "n" or _LONG_NUMBER.fullmatch(value) else "")
            elif self._strings is not None:
                passages.text(self._strings.take(value))
        elif name in _CELLS:
            if passages.field != self._label:
                passages.flush()
            passages.field, passages.stated = self._label, ""
        elif name == "fldSimple":
            passages.end_field()

    def put(self, text: str) -> None:
        """Take text, of a value apart."""
        if self._value is None:
            self.passages.put(text)
        elif len(self._value) < _MOST_PIECES:
            self._value.append(text)


def read(_source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the texts and links of a document, and what is in the files that it embeds.

    Yields:
        documents with `place.field`: the part (`word/document.xml`), a cell (`sheet 2!B7`), a slide (`slide 4`, and
        `slide 4 / notesSlide`), and of a link its element, too (`word/document.xml / hyperlink`).
    """
    yield from _Office(out).documents()


class _Office:
    """One pass over a document, whose parts are read once each."""

    def __init__(self, out: Segments) -> None:
        self._out = out
        self._passages = PackagePassages(out, out.base)
        self._parts = self._passages.parts
        self._strings: _SharedStrings | None = None
        self._numbers = dict.fromkeys(_NUMBERED.values(), 0)

    def documents(self) -> Iterator[Document | None]:
        passages = self._passages
        found = self._relationships("")
        yield from self._links("_rels/.rels", found, set())
        mains = [_path("", one.target) for one in found.values() if one.kind == "officeDocument"]
        for name in (*mains, *self._parts):
            yield from self._part(name)
        passages.field = "xl/sharedStrings.xml"
        for text in () if self._strings is None else self._strings.untaken():
            passages.text(text)
        yield None
        for name in list(self._parts):
            folder, base = posixpath.split(name)
            if name.endswith(".rels"):  # of a part that is not markup
                owner = posixpath.join(posixpath.dirname(folder), base.removesuffix(".rels"))
                yield from self._links(name, self._relationships(owner), set())
            else:
                yield from self._out.open(name, self._parts.pop(name))

    def _part(self, name: str) -> Iterator[Document | None]:
        """Yield what is in a part, and then in those that belong to it."""
        waiting = [(name, "")]
        while waiting:
            name, label = waiting.pop()
            if name not in self._parts or _FOREIGN.match(name) or not name.lower().endswith(_MARKUP_NAMES):
                continue
            found = self._relationships(name)
            strings = next((_path(name, one.target) for one in found.values() if one.kind == "sharedStrings"), "")
            if strings in self._parts:
                self._strings = _SharedStrings(self._out)
                for _ in MarkupReader(OFFICE_MARKUP, self._strings).documents(strings):
                    pass
            targets = {key: one.target for key, one in found.items() if one.is_external}
            reader = _OfficePart(self._passages, targets, self._strings)
            yield from reader.documents(name, label or name)
            yield from self._links(label or name, found, reader.used)
            following = []
            for element, attributes in reader.noted:
                one = found.pop(attributes.get("id", ""), None)
                if one is not None:
                    kind = _NUMBERED[element]
                    self._numbers[kind] += 1
                    self._out.count(kind)
                    following.append((_path(name, one.target), f"{kind} {self._numbers[kind]}"))
            for one in found.values():
                if one.kind in _UNREAD:
                    self._parts.pop(_path(name, one.target), None)
                elif not one.is_external and one.kind not in _SHARED:
                    following.append((_path(name, one.target), f"{label} / {one.kind}" if label else ""))
            waiting += reversed(following)

    def _relationships(self, name: str) -> dict[str, _Relationship]:
        """Return the relationships of a part by their names (ECMA-376 part 2, 6.5)."""
        folder, base = posixpath.split(name)
        noted = noted_in(self._passages, posixpath.join(folder, "_rels", f"{base}.rels"), "Relationship")
        found = {}
        for _, one in noted:
            target = one.get("Target", "")
            if len(target) > _LONGEST_TARGET:
                self._out.skip("too-long", kind="link")
                continue
            kind = one.get("Type", "").rpartition("/")[2]
            found[one.get("Id", "")] = _Relationship(kind, target, one.get("TargetMode") == "External")
        return found

    def _links(self, field: str, found: Mapping[str, _Relationship], used: set[str]) -> Iterator[None]:
        """Yield the relationships that lead out of the package, and that no element has used."""
        self._passages.field, self._passages.stated = field, ""
        for key, one in found.items():
            if one.is_external and key not in used:
                self._passages.link(one.target, one.kind)
        yield None


def _path(name: str, target: str) -> str:
    """Return the name of the part that a target names in the relationships of another one."""
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(name), unquote(target))).lstrip("/")


# A code in the header of a sheet (ECMA-376 part 1, 18.3.1.46).
_CODE: Final = re.compile(r'&(?:"[^"]*+"|K[0-9A-F]{6}|[0-9]++|.)', re.DOTALL)


def _header_text(header: str) -> str:
    r"""Return the text of a header or footer of a sheet, its codes resolved; its three areas do not join.

    >>> _header_text("&Lhttp://a.example/?x&&y&CPage &P")
    '\nhttp://a.example/?x&y\nPage \n'
    """
    return _CODE.sub(lambda code: "&" if code[0] == "&&" else "\n", header)
