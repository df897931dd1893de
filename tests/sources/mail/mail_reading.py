"""What the tests of mail share: documents to rows of records, as a caller makes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from urisieve import Options, Record
from urisieve.find.search import Search
from urisieve.records.batch import BatchBuffer
from urisieve.sources.documents import Document, Repeats, single_documents
from urisieve.sources.mail.message_texts import DEFAULT_MAIL_OPTIONS, MailOptions
from urisieve.sources.mail.messages import read_mailbox, read_message
from urisieve.sources.tally import Tally


class Row(NamedTuple):
    document: Document
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
    for document in single_documents(documents):
        text = "".join(document.text)
        buffer = BatchBuffer()
        search = Search(Options(charset="legacy" if document.legacy else "unicode"), buffer)
        if not search.delimited(text, document.delimited):
            search.finish(text)
        for record in buffer.taken():
            if not repeats.holds(document.alternative, record.key):
                yield Row(document, text, record)


def read(data: bytes, options: MailOptions = DEFAULT_MAIL_OPTIONS) -> tuple[list[Row], Tally]:
    """The records of a message, or of a mailbox if it begins with two envelope lines' worth of it."""
    tally = Tally()
    return list(rows(read_message(data, "a.eml", tally, options))), tally


def read_box(data: bytes, size: int = 65_536) -> tuple[list[Row], Tally]:
    """The records of a mailbox."""
    tally = Tally()
    blocks = (data[start : start + size] for start in range(0, len(data), size))
    return list(rows(read_mailbox(blocks, "a.mbox", tally))), tally


def uris(found: Iterable[Row]) -> list[str]:
    return [row.record.uri for row in found]


def by_place(found: Iterable[Row]) -> dict[str, list[str]]:
    places: dict[str, list[str]] = {}
    for row in found:
        places.setdefault(row.where, []).append(row.record.uri)
    return places
