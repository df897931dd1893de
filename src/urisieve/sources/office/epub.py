"""Books (EPUB 3.3): the chapters in their reading order by the reader of HTML, then the parts that are no chapters."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from urisieve.lean import Final, replace
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.documents import Document
from urisieve.sources.office.markup import DocumentMarkup, MarkupReader, noted_in
from urisieve.sources.office.passages import Passages

_PACKAGE: Final = DocumentMarkup(noted=frozenset(["item", "itemref"]), texts=frozenset(["href", "content"]))
_PAGES: Final = frozenset(["application/xhtml+xml", "text/html", "text/x-oeb1-document"])


def book_documents(passages: Passages, page: Callable[[Content], Iterator[Document]]) -> Iterator[Document]:
    """Yield the texts and links of a book.

    Args:
        passages: makes the documents.
        page: reads a page of HTML.

    Yields:
        documents with `place.field`: the number of the chapter in the reading order (`chapter 3`) or the name of the
        part, and of an attribute the element, too (`chapter 3 / a@href`).
    """
    parts, tally = passages.parts, passages.tally

    def pages(name: str, field: str) -> Iterator[Document]:
        for document in page(replace(passages.content, kind=Kind.HTML, blocks=parts.pop(name), parts=None)):
            inside = document.place.field
            place = document.place._replace(field=f"{field} / {inside}" if inside else field)
            yield replace(document, place=place)

    for _, attributes in noted_in(passages, "META-INF/encryption.xml", "CipherReference"):
        if parts.pop(unquote(attributes.get("URI", "")), None) is not None:
            tally.skip("part of a book", "encrypted")
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
                tally.read["chapter"] += 1
                yield from pages(name, f"chapter {number}")
        for name, media_type in items.values():
            if name in parts and media_type in _PAGES:
                yield from pages(name, name)
    for name in list(parts):
        yield from passages.inner(name, parts.pop(name))


def _path(package: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(reference)))
