"""The reading of a content by the row of its kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import InputError
from urisieve.lean import TypeVar, replace
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.documents import Document, in_context
from urisieve.sources.kinds.kind_table import Kind, ReaderRow, function_of
from urisieve.sources.reading_options import Carrier
from urisieve.sources.reading_run import ReadingRun
from urisieve.sources.segments import CheckedSegments, Segments
from urisieve.sources.tally import unexpected
from urisieve.wording import member_name

T = TypeVar("T")


def documents_as(run: ReadingRun, content: Content, kind: ReaderRow) -> Iterator[Document]:
    """Return the documents of a content that is read as one of a kind, which its first bytes need not show."""
    is_ours = isinstance(kind, Kind)
    out = (Segments if is_ours else CheckedSegments)(run, content, kind, opens=kind.opens)
    found = function_of(kind.read)(content, out)
    return out.documents(found if is_ours else _of_plugin(kind, found))


def _of_plugin(kind: ReaderRow, found: Iterable[object]) -> Iterator[Document | None]:
    """Yield what the reader of a plug-in does.

    Raises:
        UnexpectedInputError: it raises an exception, except those of a content that cannot be read, or yields
            anything else.
    """
    for document in _failing_as(kind, found):
        if isinstance(document, Document):
            last = document.last
            yield document if last is None else replace(document, last=replace(last, text=_strings(kind, last.text)))
        elif document is None:
            yield None
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


def read_text(source: Content, out: Segments) -> Iterator[Document]:
    """Yield a content as text, of kind `BINARY` as strings of other texts."""
    yield out.text(source.blocks, is_binary=out.kind == Kind.BINARY)


def read_latex(source: Content, out: Segments) -> Iterator[Document]:
    """Yield a content as text with the escapes of LaTeX, or of the notations that the options name."""
    yield out.text(source.blocks, is_binary=False, carriers=(Carrier.LATEX,))


def read_warc(source: Content, out: Segments) -> Iterator[Document]:
    """Yield what is in the resources of an archive of the web."""
    from urisieve.sources.containers.warc import warc_payloads

    payloads = warc_payloads(source, tally=out.tally)
    if out.is_too_deep():
        yield out.text(source.blocks, is_binary=False)
        return
    for payload in payloads:
        name = member_name(out.name, payload.name, MEMBER) if payload.name else out.name
        if payload.is_text:
            text = Content(source=name, kind=Kind.TEXT, blocks=payload.blocks, declared=payload.declared)
            found: Iterator[Document] = iter((Segments(out.run, text).text(text.blocks, is_binary=False),))
        else:
            found = out.run.documents(name, payload.blocks, within=source, hint="", declared=payload.declared)
        context = out.time_of(payload.date) if payload.date else None
        yield from found if context is None else in_context(found, context)
