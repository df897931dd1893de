"""The documents in a file of any kind: compression and archives are opened first, then each content by its kind.

A content that cannot be read to its end yields the documents before the fault; the error goes to the caller, and the
other contents are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import TYPE_CHECKING, Any, Final, TypeVar, lazy_compile, replace
from urisieve.records.base import Location
from urisieve.sources.bytes.block_reader import BlockReader, limited
from urisieve.sources.bytes.decoding import DEFAULT_KEEP, ByteDecoder, count_stray
from urisieve.sources.bytes.encodings import find_encoding, known_marks
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.kinds import (
    ARCHIVES,
    COMPRESSED,
    CONTENT_LINES,
    HEAD_SIZE,
    OFFICE,
    OLD_DOCUMENTS,
    PACKAGES,
    Kind,
    reads_binary,
    text_kind,
)
from urisieve.sources.containers.limits import DEFAULT_LIMITS, Budget
from urisieve.sources.containers.sniffing import csv_delimiter, json_kind, kind_of, rows_kind
from urisieve.sources.containers.unpacking import MEMBER, unpack
from urisieve.sources.documents import Document, HtmlDocuments, in_context, placed
from urisieve.sources.reading_options import Alternatives, InputKind, ReadingOptions, places_of
from urisieve.sources.structured.plain_text import text_document
from urisieve.sources.tally import MESSAGES, PASSED, Tally, guarded, unexpected
from urisieve.wording import member_name

if TYPE_CHECKING:
    from urisieve.sources.containers.contents import PartStart
    from urisieve.sources.containers.warc import Payload
    from urisieve.sources.contexts import Dating
    from urisieve.sources.mail.mail_options import Attachment, MailOptions
    from urisieve.sources.office.pdf import PdfReader


T = TypeVar("T")
# Called with the name of a content and the error that stopped it.
Failure = Callable[[str, InputError], None]

# The names, in counts, of kinds that people do not tell apart.
_SAID: Final = {Kind.MBOX: "mail", Kind.OLE: "outlook", Kind.BINARY: "binary"}
_PAGES: Final = frozenset(["application/xhtml+xml", "text/html"])
# What is not searched as if it were of another kind.
_NEVER_TEXT: Final = PACKAGES | {Kind.PDF}
# How browsers say where a page was that they have saved, and how they refer to what they saved beside it: in a folder
# that is named as the page.
_SAVED: Final = lazy_compile(rb"<!-- saved from url=\([0-9]{4}\)(https?://[!-~]{1,2000}) -->")
_BESIDE: Final = lazy_compile(r"(\./)?([^/?#]*)(?:_files|-Dateien|_fichiers|_archivos|_arquivos|_file)/")
# What an archive of the web has that is a property list in XML.
_MAIN_RESOURCE: Final = b"<key>WebMainResource</key>"
_LIST: Final = lazy_compile(
    rb"(?:\xef\xbb\xbf)?(?>\s++|<\?[^>]*+>|<!--(?s:.*?)-->|<![^>\[]*+(?:\[[^\]]*+\]\s*+)?>)*+<plist\b"
)
# What a page may seem to be that begins without a tag.
_MAY_BE_PAGES: Final = frozenset([Kind.TEXT, Kind.CSV, Kind.TSV, Kind.MAIL, Kind.MBOX])
_OPENED_ATTACHMENTS: Final = (
    COMPRESSED
    | ARCHIVES
    | CONTENT_LINES
    | {Kind.MAIL, Kind.MBOX, Kind.OLE, Kind.JSON, Kind.JSONL, Kind.XML, Kind.CSV, Kind.TSV, Kind.WARC, Kind.MARC}
    | {Kind.SQLITE, Kind.PLIST, Kind.OFFICE, Kind.PDF, Kind.RTF}
)


class Reader:
    """Reads files by one set of options.

    Args:
        reading: the options of reading.
        tally: counts what is read, skipped and broken.
        failed: called with an error that stopped a content; the rest of the file is read, unless it raises.
        encoding: the name of the encoding of text, tables and JSON lines; by default that of a mark, else UTF-8.
        keep: the number of characters back for which ways to bytes are kept.
        sifter: returns a function that returns a false value for text without identifiers; such text is left out of
            structured data.
        every_field: whether a header field or an attribute may hold an identifier although it has no colon before
            something that may follow it.
        in_pages: whether the links of HTML may come many in one document; see `Document.links`.
        in_mail: whether the texts of mail may do so although they have parts; then nobody asks where they stand.
    """

    def __init__(
        self,
        reading: ReadingOptions,
        *,
        tally: Tally,
        failed: Failure,
        encoding: str | None = None,
        keep: int = DEFAULT_KEEP,
        sifter: Callable[[], Callable[[str], object]] | None = None,
        every_field: bool = False,
        in_pages: bool = False,
        in_mail: bool = False,
    ) -> None:
        self._reading = reading
        self._places = places_of(reading)
        self._limits = reading.limits or DEFAULT_LIMITS
        self._tally = tally
        self._failed = failed
        self._encoding = encoding
        self._keep = keep
        self._sifter = sifter
        self._every_field = every_field
        self._in_pages = in_pages
        self._in_mail = in_mail
        self._mail_html: HtmlDocuments | None = None
        self._pdf_reader: PdfReader | None = None

    def documents(
        self,
        source: str,
        blocks: Iterable[bytes],
        *,
        path: str | None = None,
        within: Content | None = None,
        named: bool = True,
        hint: str | None = None,
        declared: Declared | None = None,
    ) -> Iterator[Document]:
        """Yield the documents of a file, in its order.

        The text of each must be read, as far as it is wanted, before the next one is asked for; its `offsets` must be
        asked for before that, too. Iterating a text raises `InputError` if it is cut: an undecided candidate is cut
        then, too, and the caller goes on with the next document.

        Args:
            source: the name of the file.
            blocks: its bytes.
            path: a path that can be opened and sought, None for a stream.
            within: the content that holds this one, for an attachment in mail.
            named: whether the file was named itself, and not found in a folder.
            hint: a name whose ending decides the kind of the file if its content does not; None for `source`.
            declared: the metadata of the file.
        """
        unpacked = unpack(
            source,
            blocks,
            tally=self._tally,
            path=path,
            limits=self._limits,
            within=within,
            named=named,
            hint=hint,
            declared=declared,
        )
        contents = guarded(unpacked, "file")
        kind = self._reading.input
        if within is not None:
            kind = InputKind.AUTO  # the mail or the archive of the web is read as that, not what is in it
        while True:
            try:
                content = next(contents, None)
            except InputError as error:
                self._failed(source, error)
                return
            if content is None:
                return
            try:
                content = self._looked_at(content, kind)
                unread = self._unread(content, kind)
                if unread is not None:
                    self._tally.skip(*unread)
                    continue
                if within is None:
                    self._count_kind(content)
                yield from self._content(content, kind)
            except InputError as error:
                self._failed(content.source, error)
            except PASSED:
                raise
            except Exception as error:  # as `guarded` does, which costs a generator for each content
                self._failed(content.source, unexpected(error, content.kind))

    def rows(self, source: str, blocks: Iterable[bytes], kind: Kind) -> Iterator[Document]:
        """Yield the documents of rows as their blocks come, which are neither looked at nor unpacked."""
        content = Content(source=source, kind=kind, blocks=blocks)
        try:
            yield from guarded(self._read_as(content, kind), kind)
        except InputError as error:
            self._failed(source, error)

    def part(self, source: str, blocks: Iterable[bytes], cut: PartStart, *, named: bool) -> Iterator[Document]:
        """Yield the documents of a part of a file, and fill `cut.end`.

        Args:
            source: the name of the file.
            blocks: the bytes of the part.
            cut: what stood before it.
            named: see `documents`.
        """
        budget = Budget(self._limits, taken=cut.start, made=cut.made)
        reader = BlockReader(budget.counted(blocks))
        reader.position = cut.start
        reader.peek(1)  # as the kind of a whole file is looked at before a limit counts
        if cut.is_gzip:
            from urisieve.sources.containers.gzip_members import MemberReader

            self._tally.read[Kind.GZIP] += not cut.start
            reader = MemberReader(reader, source=source, tally=self._tally, budget=budget, position=cut.position)
        content = Content(
            source=source,
            kind=cut.kind,
            blocks=reader.rest(),
            depth=int(cut.is_gzip),
            layers=int(cut.is_gzip),
            budget=budget,
            named=named,
            reader=reader,
            cut=cut,
        )
        if not cut.start:
            self._count_kind(content)
        read = self._mail if cut.kind is Kind.MBOX else self._read_as
        try:
            yield from guarded(read(content, cut.kind), cut.kind)
        except InputError as error:
            self._failed(source, error)
        left = reader.unreported
        if left is not None:  # the reader of the content did not report it
            self._tally.fault(getattr(left, "kind", "file"), getattr(left, "reason", "unreadable"), f"{source}: {left}")
        cut.end.made = budget.made - cut.made
        for fault in self._tally.broken:
            cut.met(*fault)

    def _looked_at(self, content: Content, kind: InputKind | str) -> Content:
        """Return a content with its kind, if that takes more than its first bytes."""
        if content.kind is Kind.OLE and not self._places and kind in (InputKind.AUTO, *OLD_DOCUMENTS):
            from urisieve.sources.office.compound import compound_content

            whole = _Whole(content.blocks)
            content = compound_content(replace(content, blocks=whole))
            return replace(content, blocks=whole.ended(content.blocks))
        if kind is not InputKind.AUTO or (content.kind is not Kind.JSON and not self._places):
            return content
        reader = BlockReader(content.blocks)
        found = self._kind_with_places(content, reader) if self._places else json_kind(reader)
        return replace(content, kind=found, blocks=reader.rest())

    def _kind_with_places(self, content: Content, reader: BlockReader) -> Kind:
        """Return the kind of a content of which some fields or columns are read.

        Raises:
            InputError: it has none.
        """
        kind = content.kind if content.kind is Kind.JOURNAL else rows_kind(reader, content.kind)
        if kind is None and content.kind is Kind.TEXT and self._reading.delimiter:
            kind = Kind.CSV
        if kind is None:
            said = _SAID.get(content.kind, str(content.kind))
            raise InputError(
                f"is {said} by its content, which has no fields: --field (field=, columns=) names what is read of csv, "
                "tsv, json, jsonl or journal; --fields names what is written"
            )
        if kind not in (Kind.CSV, Kind.TSV) and len(self._places) > 1:
            raise InputError(f"is {kind} by its content, of which one field alone can be read, not several")
        return kind

    def _count_kind(self, content: Content) -> None:
        """Count the kind that a file is read as."""
        kind = self._reading.input
        if kind is not InputKind.AUTO:
            self._tally.kinds[str(kind)] += 1
        elif content.kind is Kind.TEXT:
            self._tally.kinds[text_kind(content.source, self._reading)] += 1
        else:
            self._tally.kinds[_SAID.get(content.kind, str(content.kind))] += 1

    def _unread(self, content: Content, kind: InputKind | str) -> tuple[str, str] | None:
        """Return the kind of a content that is not read and the reason, None for one that is."""
        if kind is not InputKind.AUTO and kind != content.kind and content.kind in _NEVER_TEXT:
            return content.kind, "another-kind"
        if content.kind is Kind.PDF or kind is InputKind.PDF:
            from urisieve.sources.office.pdf import is_installed

            return None if is_installed() else (Kind.PDF, "needs-the-extra-pdf")
        if kind is InputKind.AUTO and content.kind is Kind.OFFICE:
            return content.kind, "encrypted"
        if kind is not InputKind.AUTO or content.kind is not Kind.BINARY or self._encoding is not None:
            return None
        return None if reads_binary(self._reading, named=content.named) else ("file", "binary")

    def _content(self, content: Content, kind: InputKind | str) -> Iterator[Document]:
        match kind:
            case InputKind.AUTO:
                return self._by_kind(content)
            case InputKind.MAIL:
                reader = BlockReader(content.blocks)
                from urisieve.sources.mail.mailboxes import is_mailbox

                is_box = is_mailbox(reader.peek(HEAD_SIZE))
                content = replace(content, blocks=reader.rest())
                return self._mail(content, Kind.MBOX if is_box else Kind.MAIL)
            case InputKind.TEXT:
                return iter((self._text(content),))
            case _:
                return self._read_as(content, Kind(kind))

    def _by_kind(self, content: Content) -> Iterator[Document]:
        kind = content.kind
        media_type = "" if content.declared is None else content.declared.media_type
        if kind in _MAY_BE_PAGES and media_type in _PAGES:
            return self._html(content)
        if kind is Kind.TEXT and media_type == "message/rfc822":
            kind = Kind.MAIL
        if kind is Kind.MBOX or kind is Kind.MAIL:
            return self._mail(content, kind)
        if kind is Kind.OLE:
            return self._outlook(content)
        if kind is Kind.BINARY or kind is Kind.TEXT:
            return iter((self._text(content, is_binary=kind is Kind.BINARY),))
        if kind is Kind.XML:
            reader = BlockReader(content.blocks)
            head = reader.peek(HEAD_SIZE)
            content = replace(content, blocks=reader.rest())
            if _MAIN_RESOURCE in head and _LIST.match(head):
                kind = Kind.PLIST
        if self._reading.unescape:
            self._tally.skip("unescaping", "not-text")
            if self._tally.skipped["unescaping", "not-text"] <= MESSAGES:
                self._tally.messages.append(f"{content.source}: read as {kind}; escapes are undone in plain text only")
        return self._read_as(content, kind)

    def _sift(self) -> Callable[[str], object] | None:
        """Return what returns a false value for a text without identifiers; None if each is searched."""
        return None if self._sifter is None else self._sifter()

    def _dating(self) -> Dating | None:
        """Return what says the time of a row by its fields; None if it is not asked for."""
        if not self._reading.context:
            return None
        from urisieve.sources.contexts import named_time

        return partial(named_time, name=self._reading.time_field)

    def _read_as(self, content: Content, kind: Kind) -> Iterator[Document]:
        """Return the documents of a content that is neither text nor mail."""
        if kind is Kind.HTML:
            return self._html(content)
        field, encoding, tally = next(iter(self._places), None), self._encoding, self._tally
        is_once = self._reading.alternatives is Alternatives.ONCE
        match kind:
            case Kind.JOURNAL:
                from urisieve.sources.structured.journal import journal_fields

                return journal_fields(
                    content, tally=tally, field=field, maybe=self._sift(), context=self._reading.context
                )
            case Kind.JSON:
                from urisieve.sources.structured.json_documents import json_values

                return self._opened(
                    json_values(
                        content,
                        tally=tally,
                        field=field,
                        maybe=self._sift(),
                        byte_arrays=True,
                        encoding=encoding,
                        dating=self._dating(),
                        is_once=is_once,
                    )
                )
            case Kind.JSONL:
                from urisieve.sources.structured.jsonlines import json_lines

                return self._opened(
                    json_lines(
                        content,
                        tally=tally,
                        field=field,
                        maybe=self._sift(),
                        byte_arrays=True,
                        encoding=encoding,
                        dating=self._dating(),
                        is_once=is_once,
                    )
                )
            case Kind.XML:
                from urisieve.sources.xml.xml_documents import xml_documents

                html = self._html_reader(in_pages=False)
                content, encoding = self._labelled(self._with_base(content))
                return xml_documents(content, tally=tally, html=html, maybe=self._sift(), encoding=encoding)
            case Kind.CALENDAR | Kind.VCARD | Kind.LDIF:
                from urisieve.sources.structured.content_lines import content_lines

                html, is_ldif = self._html_reader(in_pages=False), kind is Kind.LDIF
                content, encoding = self._labelled(content)
                return content_lines(
                    content,
                    tally=tally,
                    html=html,
                    is_ldif=is_ldif,
                    maybe=self._sift(),
                    encoding=encoding,
                    context=self._reading.context,
                )
            case Kind.WARC:
                from urisieve.sources.containers.warc import warc_payloads

                return self._payloads(content, warc_payloads(content, tally=tally))
            case Kind.PLIST:
                return self._property_list(content)
            case Kind.MARC:
                from urisieve.sources.structured.marc_records import marc_records

                return self._opened(marc_records(content, tally=tally))
            case _ if kind in OFFICE:
                return self._office(content, kind)
            case Kind.SQLITE:
                from urisieve.sources.stored.sqlite_databases import sqlite_cells

                every = reads_binary(self._reading, named=content.named)
                return self._opened(
                    sqlite_cells(
                        content,
                        tally=tally,
                        spool=self._limits.spool,
                        every_blob=every,
                        maybe=self._sift(),
                        dating=self._dating(),
                    )
                )
            case _:
                return self._opened(self._table(content, kind))

    def _office(self, content: Content, kind: Kind) -> Iterator[Document]:
        """Return the documents of one of an office, a book or PDF.

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
            if content.depth >= self._limits.depth:
                self._tally.fault(kind, "nesting-limit", f"{source}: more than {content.depth} levels; not opened")
                return iter(())
            return self.documents(source, blocks, within=content)

        whole = _Whole(content.blocks)
        if kind is Kind.PDF or kind in OLD_DOCUMENTS:  # the others say themselves where they are cut
            content = replace(content, blocks=whole)
        content = replace(content, kind=kind)  # so faults are counted
        passages = Passages(content, self._tally, inner, base=self._base_of(content), maybe=self._sift())
        match kind:
            case Kind.PDF:
                from urisieve.sources.office.pdf import PdfReader

                self._pdf_reader = self._pdf_reader or PdfReader()
                return whole.ended(self._pdf_reader.documents(passages, self._limits.spool))
            case Kind.RTF:
                from urisieve.sources.office.rtf import rtf_documents

                return rtf_documents(passages)
            case Kind.DOC | Kind.XLS | Kind.PPT:
                from urisieve.sources.office.old_documents import old_documents

                return whole.ended(old_documents(passages))
            case Kind.EPUB:
                from urisieve.sources.office.epub import book_documents

                return book_documents(passages, partial(self._html, in_pages=False))
            case Kind.ODT | Kind.ODS | Kind.ODP | Kind.ODF:
                from urisieve.sources.office.opendocument import open_documents

                return open_documents(passages)
            case _:
                from urisieve.sources.office.ooxml import office_documents

                return office_documents(passages)

    def _opened(self, documents: Iterator[Document]) -> Iterator[Document]:
        """Return documents with what is in those texts of them that are HTML or JSON."""
        from urisieve.sources.inner_texts import InnerTexts

        return InnerTexts(self._html_reader(in_pages=False), self._tally, self._limits.depth).opened(documents)

    def _table(self, content: Content, kind: Kind) -> Iterator[Document]:
        from urisieve.sources.structured.tables import table_cells

        delimiter = self._reading.delimiter or "\t"
        if content.cut is not None:
            delimiter = content.cut.delimiter
        elif kind is Kind.CSV and not self._reading.delimiter:
            reader = BlockReader(content.blocks)
            delimiter = csv_delimiter(reader)
            content = replace(content, blocks=reader.rest())
        content, encoding = self._labelled(content)
        return table_cells(
            content,
            tally=self._tally,
            columns=self._places,
            delimiter=delimiter,
            encoding=encoding,
            dating=self._dating(),
        )

    def _property_list(self, content: Content) -> Iterator[Document]:
        """Return the documents of a property list, what is none as the text or XML that it is."""
        from urisieve.sources.stored.property_lists import LONGEST, property_list

        whole = _Whole(content.blocks)
        data = b"".join(limited(whole, LONGEST, "a property list"))
        content = replace(content, blocks=(data,))
        try:
            payloads = property_list(content, tally=self._tally)
        except BrokenInputError as error:
            self._tally.fault(error.kind, error.reason, f"{content.source}: {error}")
            content = replace(content, blocks=whole.ended((data,)))
            is_xml = content.kind is Kind.XML
            yield from self._read_as(content, Kind.XML) if is_xml else (self._text(content, is_binary=True),)
        else:
            yield from whole.ended(self._payloads(content, payloads))

    def _payloads(self, content: Content, payloads: Iterable[Payload | Document]) -> Iterator[Document]:
        """Return what is in the resources of an archive of the web, and the texts beside them."""
        if self._is_too_deep(content):
            yield self._text(content, is_binary=content.kind is Kind.PLIST)
            return
        for payload in payloads:
            if isinstance(payload, Document):
                yield from self._opened(iter((payload,)))
                continue
            source = member_name(content.source, payload.name, MEMBER) if payload.name else content.source
            if payload.is_text:
                text = Content(source=source, kind=Kind.TEXT, blocks=payload.blocks, declared=payload.declared)
                found: Iterator[Document] = iter((self._text(text),))
            else:
                found = self.documents(
                    source,
                    payload.blocks,
                    within=content,
                    hint=payload.hint,
                    declared=payload.declared,
                )
            if self._reading.context and payload.date:
                from urisieve.sources.contexts import context_of
                from urisieve.syntax.times import time_of_value

                found = in_context(found, context_of(time_of_value(payload.date), payload.date))
            yield from found

    def _text(self, content: Content, *, is_binary: bool = False) -> Document:
        content, encoding = self._labelled(content)
        return text_document(
            content,
            encoding=encoding,
            carriers=self._reading.unescape or (),
            has_wide=is_binary,
            keep=self._keep,
            tally=None if is_binary else self._tally,
        )

    def _labelled(self, content: Content) -> tuple[Content, str | None]:
        """Return a content that is not HTML, and the codec of the label beside it (RFC 9110 8.3.2), if that counts."""
        label = None if content.declared is None else content.declared.charset
        if label is None or self._encoding is not None:
            return content, self._encoding
        from urisieve.sources.bytes.charsets import web_codec

        codec = web_codec(label)
        if codec is None:
            message = f"{content.source}: {label!r} is not a character set of the web; read as UTF-8"
            self._tally.fault("text", "unknown-charset", message)
        if codec is None or codec == "utf-8":
            return content, None
        reader = BlockReader(content.blocks)
        is_marked = any(reader.peek(len(mark)) == mark for mark, _ in known_marks(None))
        return replace(content, blocks=reader.rest()), None if is_marked else codec

    def _mail(self, content: Content, kind: Kind) -> Iterator[Document]:
        if self._is_too_deep(content):
            yield self._text(content)
            return
        whole = _Whole(content.blocks)
        if kind is Kind.MBOX and self._in_pages and not self._every_field:
            from urisieve.sources.mail.skimmed_mailboxes import MOST_NESTED, skim_mailbox

            chosen = partial(self._mail_options, content)
            has_room = content.depth + MOST_NESTED <= self._limits.depth
            parts = self._in_mail and has_room and not self._reading.base
            is_once = self._reading.alternatives is Alternatives.ONCE
            skimmed = skim_mailbox(
                whole,
                content.source,
                self._tally,
                chosen,
                content.after,
                parts=parts,
                is_once=is_once,
                context=self._reading.context,
            )
            yield from whole.documents(skimmed, content.source)
            return
        from urisieve.sources.mail.messages import join_message, read_mailbox, read_message

        if kind is Kind.MBOX:
            options = self._mail_options(content)
            found = read_mailbox(whole, content.source, self._tally, options, content.after)
        else:
            message = join_message(whole, skip_blanks=content.kind is Kind.MAIL)
            found = read_message(message, content.source, self._tally, self._mail_options(content))
        yield from whole.documents(found, content.source)

    def _mail_options(self, content: Content) -> MailOptions:
        from urisieve.sources.mail.mail_options import EVERY_FIELD, FIELD_SIGN, MailOptions

        return MailOptions(
            alternatives=self._reading.alternatives,  # type: ignore[arg-type] # an enum once it is constructed
            field_sign=EVERY_FIELD if self._every_field else FIELD_SIGN,
            attachment=partial(self._attachment, content),
            html=self._html_in_mail,
            failed=self._failed,
            depth=content.depth,
            deepest=self._limits.depth,
            base=self._reading.base,
            context=self._reading.context,
        )

    def _attachment(self, content: Content, attachment: Attachment) -> Iterator[Document] | None:
        if kind_of(attachment.head(), attachment.name or "") not in _OPENED_ATTACHMENTS:
            return None
        name = _shown(attachment.name) or attachment.place.part or ""
        content = replace(content, depth=attachment.depth)
        documents = self.documents(member_name(attachment.source, name, MEMBER), [attachment.read()], within=content)
        return placed(documents, partial(_inside, attachment.place))

    def _is_too_deep(self, content: Content) -> bool:
        """Report whether something with parts is nested in too many others, which is counted."""
        if content.depth < self._limits.depth:
            return False
        self._tally.fault(content.kind, "nested-too-deep", f"{content.source}: more than {content.depth} levels deep")
        return True

    def _html_in_mail(self, document: Document, tally: Tally) -> Iterator[Document]:
        if self._mail_html is None:
            self._mail_html = self._html_reader()
        return self._mail_html(document, tally)

    def _base_of(self, content: Content) -> str | None:
        """Return the URI against which relative references are resolved before a document states another one."""
        stated = None if content.declared is None else content.declared.base
        return self._reading.base if stated is None else stated

    def _with_base(self, content: Content) -> Content:
        base = self._base_of(content)
        return (
            content if base is None else replace(content, declared=(content.declared or Declared())._replace(base=base))
        )

    def _html_reader(self, *, in_pages: bool = True) -> HtmlDocuments:
        options: dict[str, Any] = {"in_pages": in_pages and self._in_pages}
        if self._every_field and self._sifter is not None:
            options["maybe"] = self._sifter()

        def read(document: Document, tally: Tally) -> Iterator[Document]:  # most tables hold no page
            from urisieve.sources.html.html_documents import html_documents

            return html_documents(document, tally, **options)

        return read

    def _html(self, content: Content, *, in_pages: bool = True) -> Iterator[Document]:
        from urisieve.sources.html.html_documents import HTML_REACH

        reader = BlockReader(content.blocks)
        head = reader.peek(HEAD_SIZE)
        name = self._encoding or self._page_codec(content, head)
        is_fetched = content.declared is not None and content.declared.base is not None
        saved = None if is_fetched else _SAVED.search(head)
        decoder = ByteDecoder(name, keep=HTML_REACH + self._keep)
        whole = _Whole(reader.rest())

        def text() -> Iterator[str]:
            yield from map(decoder.feed, whole)
            yield decoder.close()
            count_stray(self._tally, content.source, decoder)

        document = Document(
            source=content.source,
            text=text(),
            offsets=lambda: decoder.offsets,
            legacy=name is not None and not find_encoding(name).is_unicode,
            base=self._base_of(content) if saved is None else saved[1].decode(),
        )
        documents = self._html_reader(in_pages=in_pages and saved is None)(document, self._tally)
        yield from whole.documents(
            documents if saved is None else self._not_beside(documents, content.source), content.source
        )

    def _not_beside(self, documents: Iterable[Document], source: str) -> Iterator[Document]:
        """Return the documents of a saved page without references to files beside it, which never were in the web."""
        for document in documents:
            beside = None if document.reference is None else _BESIDE.match(document.reference)
            if beside is not None and (beside[1] or _is_named(source, beside[2])):
                self._tally.skip("reference", "saved-beside")
            else:
                yield document

    def _page_codec(self, content: Content, head: bytes) -> str | None:
        """Return the codec of the label of a page, beside it or in it (HTML 13.2.3.2), or None if none is known."""
        from urisieve.sources.bytes.charsets import html_label, web_codec

        if any(head.startswith(mark) for mark, _ in known_marks(None)):
            return None
        declared = None if content.declared is None else content.declared.charset
        for label in (declared, html_label(head)):
            if label is None:
                continue
            codec = web_codec(label)
            if codec is not None:
                return codec
            message = f"{content.source}: {label!r} is not a character set of the web; read as UTF-8"
            self._tally.fault("html", "unknown-charset", message)
        return None

    def _outlook(self, content: Content) -> Iterator[Document]:
        from urisieve.sources.mail.outlook import OutlookPart, outlook_parts

        if self._is_too_deep(content):
            return
        whole = _Whole(content.blocks)
        parts = outlook_parts(replace(content, blocks=whole), tally=self._tally, context=self._reading.context)
        for part in whole.ended(parts):
            if not isinstance(part, OutlookPart):
                found = self.documents(part.source, [part.data], within=content)
                yield from found if part.context is None else in_context(found, part.context)
            elif part.kind is Kind.HTML:
                yield from self._html_reader()(replace(part.document, base=self._base_of(content)), self._tally)
            else:
                yield part.document


class _Whole:
    """Blocks that end where reading fails; the error is raised at the end of the last document made of them.

    A text in memory is held until the next one comes. One that is still to be read, and one that is complete, such as
    those of an archive that is attached, are passed on at once: the archive moves on when the next one is asked for.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self._error: InputError | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._blocks
        except InputError as error:
            self._error = error

    def documents(self, documents: Iterable[Document], source: str) -> Iterator[Document]:
        """Yield the documents; the last one is cut where the blocks end early, unless it is a member with its own name.

        Args:
            documents: those that are read from the blocks.
            source: the name of the content.

        Raises:
            InputError: there is no document that could be cut.
        """
        last: Document | None = None
        for document in documents:
            if last is not None:
                yield last
            is_member = document.in_memory and document.source != source
            last = document if isinstance(document.text, tuple) and not is_member else None
            if last is None:
                yield document
        if last is not None:
            yield last if self._error is None else replace(last, text=self._cut(last.text), in_memory=0)
        elif self._error is not None:
            raise self._error

    def ended(self, items: Iterable[T]) -> Iterator[T]:
        """Yield what is made of the blocks, each complete; then raise the error that ended them, if one did."""
        yield from items
        if self._error is not None:
            raise self._error

    def _cut(self, text: Iterable[str]) -> Iterator[str]:
        yield from text
        if self._error is not None:
            raise self._error


def _is_named(source: str, reference: str) -> bool:
    """Report whether a file, which may be a member, has the name that a reference has, and an ending.

    >>> _is_named("a.zip!b/My page.html", "My%20page"), _is_named("My page.html", "page")
    (True, False)
    """
    import re
    from urllib.parse import unquote

    return re.search(rf"(?:^|[/\\!]){re.escape(unquote(reference))}\.[^/\\]*$", source) is not None


def _inside(outer: Location, inner: Location) -> Location:
    """Return the location of a text in an attachment: the message it came with, unless it is mail itself."""
    if inner.message is not None or inner.part is not None:
        return inner if inner.message is not None else inner._replace(message=outer.message)
    return outer._replace(field=inner.field, row=inner.row, context=inner.context or outer.context)


def _shown(name: str | None) -> str | None:
    from urisieve.sources.containers.contents import shown_name

    return None if name is None else shown_name(name.encode("utf-8", "replace"))
