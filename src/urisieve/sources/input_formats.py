"""The formats that are read: one row for each kind of content, with the function that reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import TYPE_CHECKING, Final, replace
from urisieve.sources.bytes.block_reader import BlockReader, limited
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.kinds import PACKAGES, Kind, reads_binary
from urisieve.sources.containers.sniffing import csv_delimiter
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.content_tools import ContentTools, CutBlocks
from urisieve.sources.documents import Document
from urisieve.wording import member_name

if TYPE_CHECKING:
    from urisieve.sources.office.passages import Passages

# Reads a content as one of a kind, which need not be the one that its first bytes show.
ReadsFormat = Callable[[ContentTools, Content, Kind], Iterator[Document]]


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

    return journal_fields(
        content, tally=tools.tally, field=tools.field, maybe=tools.sift(), context=tools.reading.context
    )


def _json(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    if kind is Kind.JSONL:
        from urisieve.sources.structured.jsonlines import json_lines as read
    else:
        from urisieve.sources.structured.json_documents import json_values as read
    found = read(
        content,
        tally=tools.tally,
        field=tools.field,
        maybe=tools.sift(),
        byte_arrays=True,
        encoding=tools.encoding,
        dating=tools.dating(),
    )
    return tools.opened(found)


def _table(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.structured.tables import table_cells

    delimiter = tools.reading.delimiter or "\t"
    if content.cut is not None:
        delimiter = content.cut.delimiter
    elif kind is Kind.CSV and not tools.reading.delimiter:
        reader = BlockReader(content.blocks)
        delimiter = csv_delimiter(reader)
        content = replace(content, blocks=reader.rest())
    content, encoding = tools.labelled(content)
    found = table_cells(
        content,
        tally=tools.tally,
        columns=tools.places,
        delimiter=delimiter,
        encoding=encoding,
        dating=tools.dating(),
    )
    return tools.opened(found)


def _xml(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.xml.xml_documents import xml_documents

    base = tools.base_of(content)
    if base is not None:
        content = replace(content, declared=(content.declared or Declared())._replace(base=base))
    content, encoding = tools.labelled(content)
    return xml_documents(content, tally=tools.tally, html=tools.single_html, maybe=tools.sift(), encoding=encoding)


def _content_lines(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.structured.content_lines import content_lines

    content, encoding = tools.labelled(content)
    return content_lines(
        content,
        tally=tools.tally,
        html=tools.single_html,
        is_ldif=kind is Kind.LDIF,
        maybe=tools.sift(),
        encoding=encoding,
        context=tools.reading.context,
    )


def _marc(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.structured.marc_records import marc_records

    return tools.opened(marc_records(content, tally=tools.tally))


def _warc(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.containers.warc import warc_payloads

    return tools.payloads(content, warc_payloads(content, tally=tools.tally))


def _sqlite(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    from urisieve.sources.stored.sqlite_databases import sqlite_cells

    every = reads_binary(tools.reading, named=content.named)
    spool = tools.limits.spool
    return tools.opened(sqlite_cells(content, tally=tools.tally, spool=spool, every_blob=every, maybe=tools.sift()))


def _property_list(tools: ContentTools, content: Content, _: Kind) -> Iterator[Document]:
    """Yield the documents of a property list, what is none as the text or XML that it is."""
    from urisieve.sources.stored.property_lists import LONGEST, property_list

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
        yield from whole.ended(tools.payloads(content, payloads))


def _passages(tools: ContentTools, content: Content, kind: Kind) -> Passages:
    """Return what makes documents of one of an office, of a book or of PDF.

    Raises:
        InputError: it is not what it is to be read as.
    """
    from urisieve.sources.office.passages import Passages

    if kind in PACKAGES and content.parts is None:
        raise InputError(f"is {content.kind} by its content, not a document in a zip archive")

    def inner(name: str, blocks: Iterable[bytes]) -> Iterator[Document]:
        source = member_name(content.source, name, MEMBER)
        if content.depth >= tools.limits.depth:
            tools.tally.fault(kind, "nesting-limit", f"{source}: more than {content.depth} levels; not opened")
            return iter(())
        return tools.documents(source, blocks, within=content)

    of_kind = replace(content, kind=kind)  # so faults are counted
    return Passages(of_kind, tools.tally, inner, base=tools.base_of(content), maybe=tools.sift())


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
    from urisieve.sources.office.epub import book_documents

    return book_documents(_passages(tools, content, kind), partial(html_content, tools, in_pages=False))


def _open_document(tools: ContentTools, content: Content, kind: Kind) -> Iterator[Document]:
    from urisieve.sources.office.opendocument import open_documents

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
    Kind.JSONL: _json,
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
