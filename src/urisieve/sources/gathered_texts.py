"""Small texts that follow each other, such as files of an archive or parts of mail, as blocks searched at once.

A search of its own costs each of them as much as the search in kilobytes of text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import attrgetter

from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.kernel import kernel
from urisieve.lean import Final
from urisieve.sources.documents import Document, LinksOfPage, TextBlock, ValuesOfPage

# The most characters of a text that is gathered, and those of a block: it fits in the cache of a processor.
_LONGEST: Final = 65_536
_BLOCK: Final = 262_144
# The most texts that are joined: of empty ones there may be millions.
_MOST: Final = 4_096
# The most characters that the documents of a block keep in memory: HTML may hold little text.
_HELD: Final = 4 * _BLOCK
# A page with more links or texts of attributes is worth a search of its own.
_MANY: Final = 64


def gathered(
    documents: Iterable[Document], joins: Callable[[Document], object] = attrgetter("in_memory")
) -> Iterator[Document]:
    """Yield documents in their order, those that may be searched together as blocks.

    An exception of the iterator is raised after what came before it has been yielded. Memory is that of a block.

    Args:
        documents: what a reader yields.
        joins: returns whether a document may be searched together with others; its text, or that of its block, is then
            in memory, and its way back to bytes stays as it is.
    """
    some = _Gathering()
    stream = iter(documents)
    while True:
        try:
            document = next(stream, None)
        except Exception:
            yield from some.taken()
            raise
        block = None
        if document is not None and document.in_memory <= _LONGEST and joins(document):
            block = _block_of(document)
        if block is None or len(block.whole) > _LONGEST:
            yield from some.taken()
            if document is None:
                return
            yield document
        elif document is not None:
            if not some.has_room(document, block):
                yield from some.taken()
            some.add(document, block)


class _Gathering:
    """Documents that wait to be one block."""

    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._blocks: list[TextBlock] = []
        self._size = self._count = self._held = 0

    def has_room(self, document: Document, block: TextBlock) -> bool:
        """Report whether a document goes with those that wait."""
        return not self._documents or (
            self._size + len(block.whole) <= _BLOCK
            and self._count + block.size <= _MOST
            and self._held + document.in_memory <= _HELD
            and document.legacy is self._documents[0].legacy
        )

    def add(self, document: Document, block: TextBlock) -> None:
        """Let a document wait; `block` has its texts."""
        self._documents.append(document)
        self._blocks.append(block)
        self._size += len(block.whole)
        self._count += block.size
        self._held += document.in_memory

    def taken(self) -> Iterator[Document]:
        """Yield what waits as one document; a single one as it is."""
        ones, blocks = self._documents, self._blocks
        self._documents, self._blocks = [], []
        self._size = self._count = self._held = 0
        if len(ones) < 2:
            yield from ones
            return
        first = ones[0]
        block = TextBlock.joined(blocks)
        if any(one.source != first.source for one in ones):
            block = block._replace(has_sources=True)
        yield Document(
            source=first.source,
            text=(),
            legacy=first.legacy,
            delimited=max((_kind_of(one) for one in ones), key=lambda kind: kind is not Delimited.TEXT),
            block=block,
        )


def _kind_of(document: Document) -> Delimited:
    return document.delimited if document.links is None else Delimited.LINK


def _block_of(document: Document) -> TextBlock | None:
    """Return the texts of a document; None if they are to be searched alone."""
    block = _texts_of(document)
    if block is None or document.alternative is None:
        return block
    return block._replace(alternatives=[document.alternative] * block.size)


def _texts_of(document: Document) -> TextBlock | None:
    if document.block is not None:
        return document.block
    if document.links is not None:
        return _links(document, document.links)
    if document.values is not None and document.page is not None:
        begins = document.values.begins
        if len(begins) > _MANY:
            return None
        whole = document.page[0].text(document.page[1])
        ends = [*(begin - len(SEPARATOR) for begin in begins[1:]), len(whole)]
        texts = [whole[begin:end] for begin, end in zip(begins, ends, strict=True)]
        return TextBlock.of(texts, partial(_made, document.values, document))
    if document.page is not None:
        page, number = document.page
        text = page.text(number)
    elif isinstance(document.text, tuple) and len(document.text) == 1:
        (text,) = document.text
    else:
        return None
    has_own = document.reference is not None or bool(document.warnings) or document.shown is not None
    bounds = (len(SEPARATOR), len(text) + 2 * len(SEPARATOR))
    return TextBlock(f"{SEPARATOR}{text}", bounds, lambda _: document, own=frozenset([0] if has_own else ()))


def _links(document: Document, links: LinksOfPage) -> TextBlock | None:
    page = links.page
    if not isinstance(page, kernel.HtmlPage) or links.count > _MANY:
        return None
    if any(number < links.count for number in page.special()):  # they are read when they are reached
        return None
    numbers = range(links.count)
    block = TextBlock.of([page.link(number) for number in numbers], partial(_made, links, document))
    return block._replace(own=frozenset(filter(links.has_own, numbers)))


def _made(some: LinksOfPage | ValuesOfPage, document: Document, number: int) -> Document:
    (one,) = some.documents(number, document.place)
    return one
