"""From a file to the documents in it, whatever it is: compression and archives first, then what each content is.

What cannot be read to its end gives what came before; the error goes to the caller, and the rest is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from urisieve.errors import InputError, UsageError
from urisieve.place import Place
from urisieve.printable import member_name
from urisieve.sources.choices import BinaryFiles, HtmlReader, InputKind, ReadingOptions
from urisieve.sources.contents import BlockReader, Content
from urisieve.sources.decoding import DEFAULT_KEEP, ByteDecoder
from urisieve.sources.detection import ARCHIVES, COMPRESSED, HEAD_SIZE, Kind, kind_of
from urisieve.sources.documents import Document, HtmlDocuments, Tally
from urisieve.sources.encodings import find_encoding
from urisieve.sources.limits import DEFAULT_LIMITS
from urisieve.sources.unexpected import guarded
from urisieve.sources.unpacking import MEMBER, unpack

if TYPE_CHECKING:
    from urisieve.sources.mail_options import Attachment

__all__ = ["Failure", "Reader"]

# Called with the name of a content and what stopped it.
Failure = Callable[[str, InputError], None]

_OPENED_ATTACHMENTS: Final = COMPRESSED | ARCHIVES | {Kind.MAIL, Kind.MBOX, Kind.OLE}


class Reader:
    """Reads files by one set of options.

    Args:
        reading: how they are read.
        tally: counts what is read, skipped and broken.
        failed: told of what stopped a content; the rest of the file is read, unless it raises.
        encoding: the name of the encoding of text, tables and JSON lines; by default told by a mark, else UTF-8.
        keep: how many characters back ways to bytes reach.
        maybe: whether a text can hold what is looked for; what cannot is passed over in structured data.
        every_field: whether a header field may hold something although it has no colon in it.
    """

    def __init__(
        self,
        reading: ReadingOptions,
        *,
        tally: Tally,
        failed: Failure,
        encoding: str | None = None,
        keep: int = DEFAULT_KEEP,
        maybe: Callable[[str], object] | None = None,
        every_field: bool = False,
    ) -> None:
        self._reading = reading
        self._limits = reading.limits or DEFAULT_LIMITS
        self._tally = tally
        self._failed = failed
        self._encoding = encoding
        self._keep = keep
        self._maybe = maybe
        self._every_field = every_field

    def documents(
        self, source: str, blocks: Iterable[bytes], *, path: str | None = None, within: Content | None = None
    ) -> Iterator[Document]:
        """The documents of a file, in its order.

        The text of each must be read, as far as it is wanted, before the next one is asked for, and its `offsets` be
        asked for before that, too. Iterating a text raises `InputError` where it is cut: what is undecided then is cut
        as well, and it is for the caller to go on.

        Args:
            source: the name of the file.
            blocks: its bytes.
            path: where it can be opened to be sought, None for a stream.
            within: the content that this was found in, as an attachment in mail.
        """
        unpacked = unpack(source, blocks, tally=self._tally, path=path, limits=self._limits, within=within)
        contents = guarded(unpacked, "file")
        while True:
            try:
                content = next(contents, None)
            except InputError as error:
                self._failed(source, error)
                return
            if content is None:
                return
            try:
                yield from guarded(self._content(content), content.kind)
            except InputError as error:
                self._failed(content.source, error)

    def _content(self, content: Content) -> Iterator[Document]:
        kind = content.kind
        match self._reading.input:
            case InputKind.AUTO:
                yield from self._by_kind(content, kind)
            case InputKind.MAIL:
                reader = BlockReader(content.blocks)
                is_box = reader.peek(5) == b"From "
                content = replace(content, blocks=reader.rest())
                yield from self._mail(content, Kind.MBOX if is_box else Kind.MAIL)
            case InputKind.HTML:
                yield from self._html(content)
            case InputKind.JOURNAL:
                yield from self._journal(content)
            case InputKind.JSONL:
                from urisieve.sources.jsonlines import json_lines

                yield from json_lines(
                    content,
                    tally=self._tally,
                    field=self._reading.field,
                    maybe=self._maybe,
                    byte_arrays=True,
                    encoding=self._encoding,
                )
            case InputKind.CSV | InputKind.TSV:
                from urisieve.sources.tables import table_cells

                yield from table_cells(
                    content,
                    tally=self._tally,
                    columns=tuple(self._reading.columns),
                    delimiter="," if self._reading.input is InputKind.CSV else "\t",
                    maybe=self._maybe,
                    encoding=self._encoding,
                )
            case _:
                yield self._text(content)

    def _by_kind(self, content: Content, kind: Kind) -> Iterator[Document]:
        if kind is Kind.MBOX or kind is Kind.MAIL:
            yield from self._mail(content, kind)
        elif kind is Kind.HTML:
            yield from self._html(content)
        elif kind is Kind.JOURNAL:
            yield from self._journal(content)
        elif kind is Kind.OLE:
            yield from self._outlook(content)
        elif kind is Kind.BINARY and self._reading.binary is BinaryFiles.SKIP and self._encoding is None:
            self._tally.skip("file", "binary")
        else:
            yield self._text(content)

    def _text(self, content: Content) -> Document:
        from urisieve.sources.texts import text_document

        return text_document(content, encoding=self._encoding, carrier=self._reading.unescape, keep=self._keep)

    def _journal(self, content: Content) -> Iterator[Document]:
        from urisieve.sources.journal import journal_fields

        return journal_fields(content, tally=self._tally, field=self._reading.field, maybe=self._maybe)

    def _mail(self, content: Content, kind: Kind) -> Iterator[Document]:
        from urisieve.sources.mail_options import EVERY_FIELD, FIELD_SIGN, MailOptions
        from urisieve.sources.messages import join_message, read_mailbox, read_message

        if self._is_too_deep(content):
            yield self._text(content)
            return
        options = MailOptions(
            alternatives=self._reading.alternatives,  # type: ignore[arg-type] # an enum once it is constructed
            field_sign=EVERY_FIELD if self._every_field else FIELD_SIGN,
            attachment=partial(self._attachment, content),
            html=self._html_reader(),
            failed=self._failed,
            depth=content.depth,
            deepest=self._limits.depth,
        )
        whole = _Whole(content.blocks)
        if kind is Kind.MBOX:
            found = read_mailbox(whole, content.source, self._tally, options)
        else:
            found = read_message(join_message(whole), content.source, self._tally, options)
        yield from whole.documents(found)

    def _attachment(self, content: Content, attachment: Attachment) -> Iterator[Document] | None:
        if kind_of(attachment.head()) not in _OPENED_ATTACHMENTS:
            return None
        name = _shown(attachment.name) or attachment.place.part or ""
        content = replace(content, depth=attachment.depth)
        documents = self.documents(member_name(attachment.source, name, MEMBER), [attachment.read()], within=content)
        return (replace(document, place=_inside(attachment.place, document.place)) for document in documents)

    def _is_too_deep(self, content: Content) -> bool:
        """Whether something with parts stands in too many others, which is counted."""
        if content.depth < self._limits.depth:
            return False
        self._tally.fault(content.kind, "nested-too-deep", f"{content.source}: below {content.depth} levels")
        return True

    def _html_reader(self) -> HtmlDocuments:
        if self._reading.html is HtmlReader.LEXBOR:
            from urisieve.sources.html_lexbor import lexbor_documents

            return lexbor_documents
        from urisieve.sources.html import html_documents

        return html_documents

    def _html(self, content: Content) -> Iterator[Document]:
        from urisieve.sources.charsets import codec_of, html_label
        from urisieve.sources.html import HTML_REACH

        reader = BlockReader(content.blocks)
        label = None if self._encoding is not None else html_label(reader.peek(HEAD_SIZE))
        name = self._encoding if label is None else codec_of(label)
        try:
            decoder = ByteDecoder(name, keep=HTML_REACH + self._keep)
        except UsageError:  # a codec that has no way back
            decoder = ByteDecoder(None, keep=HTML_REACH + self._keep)
        whole = _Whole(reader.rest())

        def text() -> Iterator[str]:
            yield from map(decoder.feed, whole)
            yield decoder.close()

        document = Document(
            source=content.source,
            text=text(),
            offsets=lambda: decoder.offsets,
            legacy=name is not None and not find_encoding(name).is_unicode,
        )
        yield from whole.documents(self._html_reader()(document, self._tally))

    def _outlook(self, content: Content) -> Iterator[Document]:
        from urisieve.sources.outlook import OutlookPart, outlook_parts

        if self._is_too_deep(content):
            return
        for part in outlook_parts(content, tally=self._tally):
            if not isinstance(part, OutlookPart):
                yield from self.documents(part.source, [part.data], within=content)
            elif part.kind is Kind.HTML:
                yield from self._html_reader()(part.document, self._tally)
            else:
                yield part.document


class _Whole:
    """Blocks that end where reading fails; the error comes at the end of the last document that is made of them.

    A text that stands in memory is held until the next one comes. One that is still to be read, as that of an archive
    that is attached, goes on at once: the archive moves on when the next one is asked for.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self._error: InputError | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._blocks
        except InputError as error:
            self._error = error

    def documents(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents; the last one is cut where the blocks are.

        Raises:
            InputError: there is no document that could be cut.
        """
        last: Document | None = None
        for document in documents:
            if last is not None:
                yield last
            last = document if isinstance(document.text, tuple) else None
            if last is None:
                yield document
        if last is not None:
            yield last if self._error is None else replace(last, text=self._cut(last.text))
        elif self._error is not None:
            raise self._error

    def _cut(self, text: Iterable[str]) -> Iterator[str]:
        yield from text
        if self._error is not None:
            raise self._error


def _inside(outer: Place, inner: Place) -> Place:
    """The place of a text in an attachment: the message it came with, unless it is mail itself."""
    if inner.message is not None or inner.part is not None:
        return inner if inner.message is not None else inner._replace(message=outer.message)
    return outer._replace(field=inner.field, row=inner.row)


def _shown(name: str | None) -> str | None:
    from urisieve.sources.contents import shown_name

    return None if name is None else shown_name(name.encode("utf-8", "replace"))
