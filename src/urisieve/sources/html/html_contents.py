"""Contents of HTML: their character set, their base, and what browsers note in pages that they have saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.lean import Final, lazy_compile
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.charsets import html_label
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import find_encoding, known_marks
from urisieve.sources.containers.contents import Content
from urisieve.sources.content_tools import ContentTools, CutBlocks
from urisieve.sources.documents import Document, TextBlock
from urisieve.sources.html.html_documents import HTML_REACH
from urisieve.sources.kinds.kind_table import HEAD_SIZE

# How browsers say where a page was that they have saved, and how they refer to what they saved beside it: in a folder
# that is named as the page.
_SAVED: Final = lazy_compile(rb"<!-- saved from url=\([0-9]{4}\)(https?://[!-~]{1,2000}) -->")
_BESIDE: Final = lazy_compile(r"(\./)?([^/?#]*)(?:_files|-Dateien|_fichiers|_archivos|_arquivos|_file)/")


def html_content(tools: ContentTools, content: Content) -> Iterator[Document]:
    """Return the documents of a page."""
    reader = BlockReader(content.blocks)
    head = reader.peek(HEAD_SIZE)
    name = tools.encoding or _page_codec(tools, content, head)
    is_fetched = content.declared is not None and content.declared.base is not None
    saved = None if is_fetched else _SAVED.search(head)
    decoder = ByteDecoder(name, keep=HTML_REACH + tools.keep)
    whole = CutBlocks(reader.rest())

    def text() -> Iterator[str]:
        yield from map(decoder.feed, whole)
        yield decoder.close()
        tools.tally.undecodable(content.source, decoder.stray)

    document = Document(
        source=content.source,
        text=text(),
        offsets=lambda: decoder.offsets,
        legacy=name is not None and not find_encoding(name).is_unicode,
        base=tools.base_of(content) if saved is None else saved[1].decode(),
    )
    documents = tools.html(document, tools.tally)
    if saved is not None:
        documents = _not_beside(tools, documents, content.source)
    return whole.documents(documents, content.source)


def _page_codec(tools: ContentTools, content: Content, head: bytes) -> str | None:
    """Return the codec of the label of a page, beside it or in it (HTML 13.2.3.2), or None if none is known."""
    if any(head.startswith(mark) for mark, _ in known_marks(None)):
        return None
    declared = None if content.declared is None else content.declared.charset
    labels = [label for label in (declared, html_label(head)) if label is not None]
    codecs = (tools.web_codec(label, content.source, "html") for label in labels)
    return next(filter(None, codecs), None)


def _not_beside(tools: ContentTools, documents: Iterable[Document], source: str) -> Iterator[Document]:
    """Return the documents of a saved page without references to files beside it, which never were in the web."""

    def is_kept(document: Document) -> bool:
        beside = None if document.reference is None else _BESIDE.match(document.reference)
        if beside is None or not (beside[1] or _is_named(source, beside[2])):
            return True
        tools.tally.skip("reference", "saved-beside")
        return False

    for document in documents:
        block = document.block
        if block is None:
            if is_kept(document):
                yield document
        else:
            document.block = block.where(partial(_is_kept, block, is_kept))
            yield document


def _is_kept(block: TextBlock, is_kept: Callable[[Document], bool], index: int) -> bool:
    return index not in block.own or is_kept(block.document(index))


def _is_named(source: str, reference: str) -> bool:
    """Report whether a file, which may be a member, has the name that a reference has, and an ending.

    >>> _is_named("a.zip!b/My page.html", "My%20page"), _is_named("My page.html", "page")
    (True, False)
    """
    from urllib.parse import unquote

    return re.search(rf"(?:^|[/\\!]){re.escape(unquote(reference))}\.[^/\\]*$", source) is not None
