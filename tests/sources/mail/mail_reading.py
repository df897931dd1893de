"""What the tests of mail share: documents to rows of records, as a caller makes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests.helpers.readers import refuse, segments_of
from urisieve import Options, Record
from urisieve.find.search import Search
from urisieve.records.batch import BatchBuffer
from urisieve.runs.repeats import Repeats
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document, Segment
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.mail import mail_contents
from urisieve.sources.mail.mailboxes import MailboxMessage
from urisieve.sources.mail.messages import read_message
from urisieve.sources.readers import Reader
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.segments import Segments
from urisieve.sources.tally import Tally


class Row(NamedTuple):
    document: Segment
    text: str
    record: Record

    @property
    def where(self) -> str:
        place = self.document.place
        where = place.part or ""
        if place.message is not None:
            where = f"{place.message}:{where}"
        return where if place.field is None else f"{where} {place.field}"


def rows(documents: Iterable[Document]) -> Iterator[Row]:
    """The records of documents, those of an earlier form of the same content left out."""
    repeats = Repeats()
    for document in segments_of(documents):
        text = "".join(document.text)
        buffer = BatchBuffer()
        search = Search(Options(charset="legacy" if document.legacy else "unicode"), buffer)
        if not search.delimited(text, document.delimited):
            search.finish(text)
        for record in buffer.taken():
            if not repeats.holds(document.alternative, record.key):
                yield Row(document, text, record)


def out_for(
    tally: Tally | None = None,
    name: str = "a.eml",
    reading: ReadingOptions | None = None,
    *,
    every_field: bool = False,
    in_mail: bool = False,
) -> Segments:
    """What a message or a mailbox is read with."""
    tally = Tally() if tally is None else tally
    run = Reader(reading or ReadingOptions(), tally, refuse, every_field=every_field, in_mail=in_mail)
    return Segments(run, Content(source=name, kind=Kind.MBOX, blocks=()))


def documents(data: bytes, tally: Tally | None = None) -> Iterator[Document]:
    """The documents of a message."""
    return message_documents(MailboxMessage(data=data), out_for(tally))


def message_documents(message: MailboxMessage, out: Segments) -> Iterator[Document]:
    """The same, as the frame yields them."""
    return out.documents(read_message(message, out))


def documents_of_box(blocks: Iterable[bytes], tally: Tally, *, by_kernel: bool = False) -> Iterator[Document]:
    """The documents of a mailbox."""
    way = mail_contents._documents_by_kernel if by_kernel else mail_contents._documents_in_python
    out = out_for(tally, "a.mbox")
    return out.documents(way(blocks, out))


def read(data: bytes, reading: ReadingOptions | None = None) -> tuple[list[Row], Tally]:
    """The records of a message, or of a mailbox if it begins with two envelope lines' worth of it."""
    tally = Tally()
    return list(rows(message_documents(MailboxMessage(data=data), out_for(tally, reading=reading)))), tally


def read_box(data: bytes, size: int = 65_536) -> tuple[list[Row], Tally]:
    """The records of a mailbox."""
    tally = Tally()
    blocks = (data[start : start + size] for start in range(0, len(data), size))
    return list(rows(documents_of_box(blocks, tally))), tally


def uris(found: Iterable[Row]) -> list[str]:
    return [row.record.uri for row in found]


def by_place(found: Iterable[Row]) -> dict[str, list[str]]:
    places: dict[str, list[str]] = {}
    for row in found:
        places.setdefault(row.where, []).append(row.record.uri)
    return places
