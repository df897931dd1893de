"""The reading of a content by the row of its kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import InputError
from urisieve.lean import TYPE_CHECKING, TypeVar, replace
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.content_tools import ContentTools
from urisieve.sources.documents import Document, in_context
from urisieve.sources.kinds.kind_table import AS_KIND, SOURCE, Kind, ReaderRow, function_of
from urisieve.sources.reading_options import Carrier
from urisieve.sources.tally import unexpected
from urisieve.wording import member_name

if TYPE_CHECKING:
    from urisieve.sources.containers.warc import Payload

T = TypeVar("T")


def documents_as(tools: ContentTools, content: Content, kind: ReaderRow) -> Iterator[Document]:
    """Return the documents of a content that is read as one of a kind, which its first bytes need not show."""
    read = function_of(kind.read)
    if kind.given == SOURCE:
        from urisieve.sources.segments import CheckedSegments, Segments

        if isinstance(kind, Kind):
            out = Segments(tools, content, kind, opens=kind.opens)
            return out.documents(read(content, out))
        out = CheckedSegments(tools, content, kind, opens=kind.opens)
        return out.documents(_of_plugin(kind, read(content, out)))
    documents = read(tools, content, kind) if kind.given == AS_KIND else read(tools, content)
    return _opened(tools, documents) if kind.opens else documents


def _opened(tools: ContentTools, documents: Iterator[Document]) -> Iterator[Document]:
    """Return documents with what is in those texts of them that are HTML or JSON."""
    from urisieve.sources.inner_texts import InnerTexts

    return InnerTexts(tools.single_html, tools.tally, tools.limits.depth).opened(documents)


def _of_plugin(kind: ReaderRow, found: Iterable[object]) -> Iterator[Document | None]:
    """Yield what the reader of a plug-in does.

    Raises:
        UnexpectedInputError: it raises an exception, except those of a content that cannot be read, or yields
            anything else.
    """
    for document in _failing_as(kind, found):
        if document is None:
            yield None
        elif isinstance(document, Document) and callable(document.offsets):
            yield replace(document, text=_strings(kind, document.text))
        else:
            error = TypeError(f"it yields {document!r:.80}, which no method of Segments has returned for texts")
            raise unexpected(error, kind)


def _failing_as(kind: ReaderRow, items: Iterable[T]) -> Iterator[T]:
    """Yield what the code of a plug-in does; whatever it raises is a fault of the content, but for Ctrl-C.

    Raises:
        InputError: the content cannot be read, or the plug-in raises an exception, which is its cause.
        MemoryError: memory has run out.
    """
    try:
        yield from items
    except (InputError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise unexpected(error, kind) from error


def _strings(kind: ReaderRow, pieces: Iterable[str]) -> Iterable[str]:
    """Return a text in memory, or its pieces as they come, whose exceptions are those of the reader, too."""
    if isinstance(pieces, tuple) and all(isinstance(piece, str) for piece in pieces):
        return pieces
    return _failing_as(kind, map(str.__str__, pieces))


def plain_text(tools: ContentTools, content: Content, kind: ReaderRow) -> Iterator[Document]:
    """Return a content as text, of kind `BINARY` as strings of other texts."""
    return iter((tools.text(content, is_binary=kind is Kind.BINARY),))


def latex_text(tools: ContentTools, content: Content) -> Iterator[Document]:
    """Return a content as text with the escapes of LaTeX, or of the notations that the options name."""
    return iter((tools.text(content, carriers=(Carrier.LATEX,)),))


def warc(tools: ContentTools, content: Content) -> Iterator[Document]:
    """Return what is in the resources of an archive of the web."""
    from urisieve.sources.containers.warc import warc_payloads

    return _payloads(tools, content, warc_payloads(content, tally=tools.tally))


def _payloads(tools: ContentTools, content: Content, payloads: Iterable[Payload]) -> Iterator[Document]:
    if tools.is_too_deep(content):
        yield tools.text(content)
        return
    for payload in payloads:
        source = member_name(content.source, payload.name, MEMBER) if payload.name else content.source
        if payload.is_text:
            text = Content(source=source, kind=Kind.TEXT, blocks=payload.blocks, declared=payload.declared)
            found: Iterator[Document] = iter((tools.text(text),))
        else:
            found = tools.documents(
                source, payload.blocks, within=content, hint=payload.hint, declared=payload.declared
            )
        if tools.reading.context and payload.date:
            from urisieve.sources.contexts import context_of
            from urisieve.syntax.times import time_of_value

            found = in_context(found, context_of(time_of_value(payload.date), payload.date))
        yield from found
