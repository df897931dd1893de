"""Books (EPUB 3.3): the chapters in their reading order by the reader of HTML, then the parts that are no chapters."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from urllib.parse import unquote

from urisieve.lean import Final, replace
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.documents import Document
from urisieve.sources.office.markup import DocumentMarkup, MarkupReader
from urisieve.sources.office.passages import Passages
from urisieve.sources.tally import Tally

_MARKUP: Final = DocumentMarkup(
    frozenset(), {}, {}, frozenset(), watched=frozenset(["rootfile", "item", "itemref", "CipherReference"])
)
_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
# What repeats the titles, for readers of old.
_NAVIGATION: Final = "application/x-dtbncx+xml"
_PAGES: Final = frozenset(["application/xhtml+xml", "text/html", "text/x-oeb1-document"])


class _BookReader(MarkupReader):
    """A part that names others: the packages of the book, the chapters of a package, what is encrypted."""

    def __init__(self, passages: Passages) -> None:
        super().__init__(_MARKUP, passages)
        self.named: list[str] = []
        """The packages, or the parts that are encrypted."""
        self.items: dict[str, tuple[str, str]] = {}
        """The parts of the book by their identifiers: each its name and its type."""
        self.spine: list[str] = []
        """The identifiers of the chapters in their order."""

    def opened(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take a name."""
        match name:
            case "rootfile":
                self.named.append(attributes.get("full-path", ""))
            case "CipherReference":
                self.named.append(unquote(attributes.get("URI", "")))
            case "item":
                self.items[attributes.get("id", "")] = (attributes.get("href", ""), attributes.get("media-type", ""))
            case "itemref":
                self.spine.append(attributes.get("idref", ""))


def book_documents(
    content: Content,
    *,
    tally: Tally,
    page: Callable[[Content], Iterator[Document]],
    inner: Callable[[str, Iterable[bytes]], Iterator[Document]],
    base: str | None = None,
    maybe: Callable[[str], object] | None = None,
) -> Iterator[Document]:
    """Yield the texts and links of a book.

    Args:
        content: the book, with its parts.
        tally: counts chapters, and everything skipped or broken.
        page: reads a page of HTML.
        inner: reads any other part, by its name and bytes.
        base: the URI against which relative links are resolved.
        maybe: returns a false value for text without identifiers.

    Yields:
        documents with `place.field`: the number of the chapter in the reading order (`chapter 3`) or the name of the
        part, and of an attribute the element, too (`chapter 3 / a@href`).
    """
    parts = content.parts or {}
    passages = Passages(content.source, tally, base=base, maybe=maybe)

    def read(name: str) -> Iterator[Document]:
        passages.field = name
        return reader.documents(parts.pop(name, ()), Kind.EPUB, f"{content.source}: {name}", tally)

    def pages(name: str, field: str) -> Iterator[Document]:
        for document in page(replace(content, kind=Kind.HTML, blocks=parts.pop(name), parts=None)):
            inside = document.place.field
            place = document.place._replace(field=f"{field} / {inside}" if inside else field)
            yield replace(document, place=place)

    reader = _BookReader(passages)
    if _ENCRYPTION in parts:
        yield from read(_ENCRYPTION)
        locked = [name for name in reader.named if parts.pop(name, None) is not None]
        tally.skipped["epub part", "encrypted"] += len(locked)
    reader = _BookReader(passages)
    yield from read(_CONTAINER)
    number = 0
    for package in dict.fromkeys(reader.named):
        if package not in parts:
            continue
        reader = _BookReader(passages)
        yield from read(package)
        folder = posixpath.dirname(package)
        names = {
            key: (posixpath.normpath(posixpath.join(folder, unquote(href))), media_type)
            for key, (href, media_type) in reader.items.items()
        }
        for key in reader.spine:
            number += 1
            name, media_type = names.get(key, ("", ""))
            if name in parts and media_type in _PAGES:
                tally.read["chapter"] += 1
                yield from pages(name, f"chapter {number}")
        for name, media_type in names.values():
            if media_type == _NAVIGATION:
                parts.pop(name, None)
            elif name in parts and media_type in _PAGES:
                yield from pages(name, name)
    for name in list(parts):
        yield from inner(name, parts.pop(name))
