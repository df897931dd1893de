"""The cutter of each kind of file that several workers can read, each from somewhere in its middle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.errors import InputError
from urisieve.lean.values import replace
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.encodings import BYTE_ORDER_MARKS, Family, find_encoding
from urisieve.sources.bytes.reading import read_blocks, source_name
from urisieve.sources.bytes.wide_text import wide_encoding
from urisieve.sources.containers.kinds import HEAD_SIZE, Kind
from urisieve.sources.containers.limits import DEFAULT_LIMITS
from urisieve.sources.containers.sniffing import csv_delimiter, json_kind, kind_of, peeked_kind
from urisieve.sources.cuts.part_start import PartStart
from urisieve.sources.plain_files import LAYERS
from urisieve.sources.reading_options import InputKind, ReadingOptions, places_of
from urisieve.sources.unexpected import guarded

__all__ = ["cuts_of"]


def cuts_of(path: str, encoding: str | None, reading: ReadingOptions, length: int) -> Iterator[PartStart] | None:
    """Return where a file that is not plain text may be cut; the first cut is its beginning.

    Args:
        path: a file that can be opened more than once.
        encoding: the name of the encoding of text.
        reading: how it is read.
        length: the least number of bytes between two cuts.

    Returns:
        the cuts, which raise no `InputError`; None for a file that one worker reads.

    Raises:
        InputError: it cannot be read.
    """
    limits = reading.limits or DEFAULT_LIMITS
    is_watched = reading.field is not None or (reading.input is InputKind.AUTO and places_of(reading))
    if reading.unescape or is_watched or not (limits.nesting and limits.depth):
        return None  # something is said once about the whole file
    reader = BlockReader(read_blocks(path))
    kind = peeked_kind(reader, source_name(path))
    is_gzip = kind is Kind.GZIP
    if is_gzip:
        from urisieve.sources.containers.gzip_members import member_head

        head = member_head(reader, HEAD_SIZE)
        kind = Kind.WARC if kind_of(head, source_name(path)) is Kind.WARC else Kind.GZIP
    if kind in LAYERS:
        return None
    match reading.input:
        case InputKind.AUTO:
            kind = json_kind(reader) if kind is Kind.JSON and not is_gzip else kind
        case InputKind.MAIL:
            from urisieve.sources.mail.mailboxes import is_mailbox

            kind = Kind.MBOX if is_mailbox(reader.peek(HEAD_SIZE)) else Kind.MAIL
        case other:
            kind = Kind(other)
    if is_gzip and kind is not Kind.WARC:
        return None
    cut = PartStart(kind=kind, is_gzip=is_gzip)
    found = _cuts(cut, path, reader, encoding, reading, length)
    return None if found is None else _ended(cut, found)


def _ended(first: PartStart, cuts: Iterable[PartStart]) -> Iterator[PartStart]:
    yield first
    try:
        yield from guarded(cuts, "file")
    except InputError:  # the worker that comes there reports it, if it meets it, too
        return


def _cuts(
    cut: PartStart, path: str, reader: BlockReader, encoding: str | None, reading: ReadingOptions, length: int
) -> Iterator[PartStart] | None:
    """Return the cuts behind the beginning of a file; None for a kind that has none."""
    match cut.kind:
        case Kind.MBOX:
            from urisieve.sources.cuts.record_cuts import message_cuts

            return message_cuts(reader.rest(), length)
        case Kind.WARC:
            from urisieve.sources.cuts.record_cuts import member_cuts, record_cuts

            return member_cuts(reader.rest(), length) if cut.is_gzip else record_cuts(path, length)
        case Kind.JSONL | Kind.CSV | Kind.TSV if _breaks_lines(reader.peek(HEAD_SIZE), encoding):
            from urisieve.sources.cuts.line_cuts import line_cuts, row_cuts

            if cut.kind is Kind.JSONL:
                return line_cuts(reader.rest(), length, cut)
            from urisieve.sources.tables.tables import table_head

            cut.delimiter = reading.delimiter or ("\t" if cut.kind is Kind.TSV else csv_delimiter(reader))
            head = table_head(read_blocks(path), cut.delimiter, encoding, tuple(reading.columns))
            if head is None:
                return None
            return row_cuts(reader.rest(), length, replace(cut, names=head[0]), head[1])
    return None


def _breaks_lines(head: bytes, encoding: str | None) -> bool:
    """Report whether the bytes of ASCII are always these characters in a text, wherever it is entered."""
    marked = [found for mark, found in BYTE_ORDER_MARKS if head.startswith(mark)]
    if marked:
        return encoding is None and marked[0].family is Family.UTF8
    return find_encoding(encoding).breaks_lines_like_ascii and not (encoding is None and wide_encoding(head))
