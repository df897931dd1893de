"""The formats that are read: one row for each kind of content, with the function that reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import TYPE_CHECKING, Final, replace
from urisieve.sources.bytes.block_reader import limited
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.kinds import OLD_DOCUMENTS, PACKAGES, Kind, reads_binary
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.content_tools import ContentTools, CutBlocks
from urisieve.sources.documents import Document, in_context
from urisieve.wording import member_name

if TYPE_CHECKING:
    from urisieve.sources.containers.warc import Payload
    from urisieve.sources.office.passages import Passages

# Reads a content as one of a kind, which need not be the one that its first bytes show.
ReadsFormat = Callable[[ContentTools, Content, Kind], Iterator[Document]]


def _opened(tools: ContentTools, documents: Iterator[Document]) -> Iterator[Document]:
    """Return documents with what is in those texts of them that are HTML or JSON."""
    from urisieve.sources.inner_texts import InnerTexts

    return InnerTexts(tools.single_html, tools.tally, tools.limits.depth).opened(documents)


def _payloads(tools: ContentTools, content: Content, payloads: Iterable[Payload | Document]) -> Iterator[Document]:
    """Return what is in the resources of an archive of the web, and the texts beside them."""
    if tools.is_too_deep(content):
        yield tools.text(content, is_binary=content.kind is Kind.PLIST)
        return
    for payload in payloads:
        if isinstance(payload, Document):
            yield from _opened(tools, iter((payload,)))
            continue
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


def _text(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    return iter((tools.text(content, is_binary=kind is Kind.BINARY),))


def _html(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.html.html_contents import html_content

    return html_content(tools, content)


def _mail(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.mail.mail_contents import mail_content

    return mail_content(tools, content, kind)


def _outlook(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.mail.mail_contents import outlook_content

    return outlook_content(tools, content, kind)


def _journal(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.structured.journal import journal_fields

    return journal_fields(tools, content)


def _json(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.structured.json_documents import json_values

    return _opened(tools, json_values(tools, content))


def _json_lines(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.structured.jsonlines import json_lines

    return _opened(tools, json_lines(tools, content))


def _table(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.structured.tables import table_cells

    return _opened(tools, table_cells(tools, content, kind))


def _xml(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.xml.xml_documents import xml_documents

    return xml_documents(tools, content)


def _content_lines(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.structured.content_lines import content_lines

    return content_lines(tools, content, kind)


def _marc(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.structured.marc_records import marc_records

    return _opened(tools, marc_records(content, tally=tools.tally))


def _warc(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.containers.warc import warc_payloads

    return _payloads(tools, content, warc_payloads(content, tally=tools.tally))


def _sqlite(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.sqlite_databases import sqlite_cells

    every = reads_binary(tools.reading, named=content.named)
    spool = tools.limits.spool
    cells = sqlite_cells(
        content, tally=tools.tally, spool=spool, every_blob=every, may_hold=tools.may_hold, dating=tools.dating()
    )
    return _opened(tools, cells)


def _property_list(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    """Yield the documents of a property list, what is none as the text or XML that it is."""
    from urisieve.sources.property_lists import LONGEST, property_list

    whole = CutBlocks(content.blocks)
    data = b"".join(limited(whole, LONGEST, "a property list"))
    content = replace(content, blocks=(data,))
    try:
        payloads = property_list(content, tally=tools.tally)
    except BrokenInputError as error:
        tools.tally.stopped(content.source, error)
        content = replace(content, blocks=whole.ended((data,)))
        yield from (_xml if content.kind is Kind.XML else _text)(tools, content, Kind.BINARY)
    else:
        yield from whole.ended(_payloads(tools, content, payloads))


def _passages(tools: ContentTools, content: Content, kind: Kind) -> Passages:
    """Return what makes documents of one of an office, of a book or of PDF.

    Raises:
        InputError: it is not what it is to be read as.
    """
    from urisieve.sources.office.passages import Passages

    if kind in PACKAGES and content.parts is None:
        raise InputError(f"is {content.kind} by its content, not a document in a zip archive")
    if kind in OLD_DOCUMENTS and content.kind is not kind:
        raise InputError(f"is {content.kind} by its content, not {kind}")

    def inner(name: str, blocks: Iterable[bytes]) -> Iterator[Document]:
        source = member_name(content.source, name, MEMBER)
        if content.depth >= tools.limits.depth:
            tools.tally.fault(kind, "nesting-limit", f"{source}: more than {content.depth} levels; not opened")
            return iter(())
        return tools.documents(source, blocks, within=content)

    of_kind = replace(content, kind=kind)  # so faults are counted
    return Passages(of_kind, tools.tally, inner, base=tools.base_of(content), may_hold=tools.may_hold)


def _pdf(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.office.pdf import PdfReader

    whole = CutBlocks(content.blocks)
    tools.pdf_reader = tools.pdf_reader or PdfReader()
    passages = _passages(tools, replace(content, blocks=whole), kind)
    return whole.ended(tools.pdf_reader.documents(passages, tools.limits.spool))


def _old_document(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.office.old_documents import old_documents

    whole = CutBlocks(content.blocks)
    return whole.ended(old_documents(_passages(tools, replace(content, blocks=whole), kind)))


def _rtf(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.office.rtf import rtf_documents

    return rtf_documents(_passages(tools, content, kind))


def _book(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.html.html_contents import html_content
    from urisieve.sources.office.opendocument_and_epub import book_documents

    return book_documents(_passages(tools, content, kind), partial(html_content, tools, in_pages=False))


def _open_document(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.office.opendocument_and_epub import open_documents

    return open_documents(_passages(tools, content, kind))


def _office_open_xml(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.office.ooxml import office_documents

    return office_documents(_passages(tools, content, kind))


# Every kind that is neither compressed nor an archive.
FORMATS: Final[Mapping[Kind, ReadsFormat]] = {
    Kind.TEXT: _text,
    Kind.BINARY: _text,
    Kind.HTML: _html,
    Kind.XML: _xml,
    Kind.MAIL: _mail,
    Kind.MBOX: _mail,
    Kind.OLE: _outlook,
    Kind.WARC: _warc,
    Kind.JSON: _json,
    Kind.JSONL: _json_lines,
    Kind.CSV: _table,
    Kind.TSV: _table,
    Kind.JOURNAL: _journal,
    Kind.CALENDAR: _content_lines,
    Kind.VCARD: _content_lines,
    Kind.LDIF: _content_lines,
    Kind.MARC: _marc,
    Kind.PLIST: _property_list,
    Kind.SQLITE: _sqlite,
    Kind.OFFICE: _office_open_xml,
    Kind.DOCX: _office_open_xml,
    Kind.XLSX: _office_open_xml,
    Kind.PPTX: _office_open_xml,
    Kind.ODT: _open_document,
    Kind.ODS: _open_document,
    Kind.ODP: _open_document,
    Kind.ODF: _open_document,
    Kind.EPUB: _book,
    Kind.RTF: _rtf,
    Kind.PDF: _pdf,
    Kind.DOC: _old_document,
    Kind.XLS: _old_document,
    Kind.PPT: _old_document,
}
