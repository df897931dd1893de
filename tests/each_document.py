"""The documents of a reader, one for each link or text that was taken together with others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.sources.documents import Document

__all__ = ["each_document"]


def each_document(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents; in place of one with many links or texts, one for each of these."""
    for document in documents:
        if document.block is not None:
            yield from map(document.block.document, range(document.block.size))
        elif document.values is not None:
            for number in range(len(document.values.begins)):
                yield from document.values.documents(number, document.place)
        elif document.links is None:
            yield document
        else:
            for number in range(document.links.count):
                yield from document.links.documents(number, document.place)
