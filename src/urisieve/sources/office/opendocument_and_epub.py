"""OpenDocument (ISO/IEC 26300): the texts and links of odt, ods, odp and their kin; and EPUB 3.3, which packs alike.

Sheets, cells and slides are numbered in the order of the document. A cell that means many is reported once.
The chapters of a book are read in their order by the reader of HTML, then the parts that are no chapters.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from urisieve.lean import Final
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.html.html_links import has_scheme
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.office.markup import DocumentMarkup, MarkupReader, PackagePassages, noted_in
from urisieve.sources.segments import Segments

_MARKUP: Final = DocumentMarkup(
    # Notes and comments are in the middle of a paragraph.
    passages=frozenset(["p", "h", "note", "annotation", "title", "desc"]),
    signs={"tab": "\t", "line-break": "\n", "s": " "},
    spans={"a": 0},
    silent=frozenset(["binary-data", "ruby-text"]),
    texts=frozenset(["formula", "title"]),
    watched=frozenset(["table", "table-row", "table-cell", "covered-table-cell", "page", "notes"]),
)
_FIRST: Final = ("content.xml", "styles.xml", "meta.xml")
# What is for programs alone: settings, signatures, the list of parts.
_UNREAD: Final = ("META-INF/", "Configurations2/", "settings.xml", "manifest.rdf")
# The most digits of a number of cells that is read.
_MOST_DIGITS: Final = 7
_CELLS: Final = ("table-cell", "covered-table-cell")


class _OpenPart(MarkupReader):
    """A part, with the numbers of its sheets, cells and slides."""

    def start(self, field: str) -> None:
        """Begin a part."""
        self._label = field
        self._kind = self.passages.out.kind
        self._tables = self._number = self._row = self._column = 0
        self._repeats = [0, 0]  # how many rows, and how many cells, the open one means, without itself

    def opened(self, name: str, attributes: Mapping[str, str]) -> None:
        """Enter a sheet, a row, a cell or a slide."""
        passages = self.passages
        if name == "page":
            if self._kind is Kind.ODP:
                self._number += 1
                passages.out.count("slide")
                passages.field = f"slide {self._number}"
        elif name == "notes":
            passages.field = f"{passages.field} / notes"
        elif self._kind is not Kind.ODS:
            return
        elif name == "table":
            self._tables += 1
            if self._tables == 1:
                self._number += 1
                passages.out.count("sheet")
                self._row = 0
                passages.field = f"sheet {self._number}"
        elif self._tables != 1:
            return
        elif name == "table-row":
            self._row += 1
            self._column = 0
            self._repeats[0] = _number(attributes.get("number-rows-repeated"))
        else:
            self._column += 1
            self._repeats[1] = _number(attributes.get("number-columns-repeated"))
            passages.field = f"sheet {self._number}!{_column_letters(self._column)}{self._row}"
            passages.text(attributes.get("formula", ""))
            passages.stated = attributes.get("formula", "")

    def closed(self, name: str) -> None:
        """Leave a sheet, a row, a cell or a slide."""
        passages = self.passages
        if name == "notes":
            passages.field = passages.field.removesuffix(" / notes")
        elif name == "page" or (name == "table" and self._tables == 1):
            passages.field = self._label
        if name == "table":
            self._tables = max(0, self._tables - 1)
        elif self._tables == 1 and name == "table-row":
            self._row += self._repeats[0]
        elif self._tables == 1 and name in _CELLS:
            self._column += self._repeats[1]
            passages.field, passages.stated = f"sheet {self._number}", ""

    def link(self, element: str, target: str) -> None:
        """Take a link, unless it is the name of a part."""
        if has_scheme(target) or target.startswith(("..", "/", "#")):
            super().link(element, target)


def _number(repeated: str | None) -> int:
    return int(repeated) - 1 if repeated and repeated.isdigit() and len(repeated) <= _MOST_DIGITS else 0


def _column_letters(column: int) -> str:
    """Return the letters of a column of a sheet, counted from 1.

    >>> _column_letters(2), _column_letters(28)
    ('B', 'AB')
    """
    letters = ""
    while column > 0:
        column, digit = divmod(column - 1, 26)
        letters = chr(65 + digit) + letters
    return letters


def read(_source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the texts and links of a document, and what is in the files that it embeds.

    Yields:
        documents with `place.field`: the part (`content.xml`), a cell (`sheet 2!B7`), a slide (`slide 4`, and
        `slide 4 / notes`), and of a link its element, too (`content.xml / a`).
    """
    passages = PackagePassages(out, out.base)
    parts = passages.parts
    encrypted = set()
    path = ""
    for element, attributes in noted_in(passages, "META-INF/manifest.xml", "file-entry", "encryption-data"):
        path = attributes.get("full-path", path)
        if element == "encryption-data":
            encrypted.add(path)
    if encrypted:
        out.skip("encrypted")
    for name in (*_FIRST, *parts):
        if name in encrypted or name.startswith(_UNREAD):
            continue
        if name.endswith(".xml"):
            yield from _OpenPart(_MARKUP, passages).documents(name)
        elif name in parts:
            yield from out.open(name, parts.pop(name))


_PACKAGE: Final = DocumentMarkup(noted=frozenset(["item", "itemref"]), texts=frozenset(["href", "content"]))
_PAGES: Final = frozenset(["application/xhtml+xml", "text/html", "text/x-oeb1-document"])


def read_book(_source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the texts and links of a book.

    Yields:
        documents with `place.field`: the number of the chapter in the reading order (`chapter 3`) or the name of the
        part, and of an attribute the element, too (`chapter 3 / a@href`).
    """
    passages = PackagePassages(out, out.base)
    parts = passages.parts
    for _, attributes in noted_in(passages, "META-INF/encryption.xml", "CipherReference"):
        if parts.pop(unquote(attributes.get("URI", "")), None) is not None:
            out.skip("encrypted", kind="part of a book")
    number = 0
    for _, attributes in noted_in(passages, "META-INF/container.xml", "rootfile"):
        package = attributes.get("full-path", "")
        reader = MarkupReader(_PACKAGE, passages)
        yield from reader.documents(package)
        items = {
            one.get("id"): (_path(package, one.get("href", "")), one.get("media-type"))
            for element, one in reader.noted
            if element == "item"
        }
        for name, media_type in [items.get(one.get("idref"), ("", "")) for _, one in reader.noted if "idref" in one]:
            number += 1
            if name in parts and media_type in _PAGES:
                out.count("chapter")
                yield from out.page(parts.pop(name), f"chapter {number}")
        for name, media_type in items.values():
            if name in parts and media_type in _PAGES:
                yield from out.page(parts.pop(name), name)
    for name in list(parts):
        yield from out.open(name, parts.pop(name))


def _path(package: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(reference)))
