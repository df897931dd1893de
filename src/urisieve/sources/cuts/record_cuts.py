"""Cuts at messages of mailboxes, and at records and compressed records of archives of the web.

Mailboxes and archives that are not compressed are read as far as is needed to know where messages and records end, by
the code that reads them. The members of a compressed archive are looked for by their first bytes, so these cuts are
guesses: the reader of the part that ends there finds out (`PartEnd.is_sure`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.cuts.part_start import PartStart

__all__ = ["member_cuts", "message_cuts", "record_cuts"]


def message_cuts(blocks: Iterable[bytes], length: int) -> Iterator[PartStart]:
    """Yield the cuts of a mailbox, at least `length` bytes apart."""
    from urisieve.sources.mail.mailboxes import message_ends

    return _apart(Kind.MBOX, message_ends(blocks), length)


def record_cuts(blocks: Iterable[bytes], length: int) -> Iterator[PartStart]:
    """Yield the cuts of an archive of the web, at least `length` bytes apart."""
    from urisieve.sources.web.warc import record_starts

    return _apart(Kind.WARC, record_starts(blocks), length)


def _apart(kind: Kind, found: Iterable[tuple[int, int]], length: int) -> Iterator[PartStart]:
    last = 0
    for number, offset in found:
        if offset - last >= length:
            last = offset
            yield PartStart(kind=kind, start=offset, number=number, position=offset)


def member_cuts(blocks: Iterable[bytes], length: int) -> Iterator[PartStart]:
    """Yield the cuts of a file of gzip whose members begin records, at least `length` bytes apart."""
    from urisieve.sources.containers.gzip_members import finds_record

    reader = BlockReader(blocks)
    while reader.skip(length) == length and finds_record(reader):
        yield PartStart(kind=Kind.WARC, start=reader.position, is_gzip=True)
