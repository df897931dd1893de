"""The cutter of each kind of file that several workers can read, each from somewhere in its middle.

Cuts of plain text are behind a line feed that no candidate crosses. Only a candidate in angle brackets crosses one (RFC
3986 Appendix C), so that a line feed is safe if no "<" precedes it, or if a character between them ends such a
candidate.

Cuts at lines of JSON lines, and at rows of tables.

A row may go over a line feed that stands in quotation marks. Whether a quotation mark opens a cell depends on all that
is before it, so a cut of a table is a guess, by the number of quotation marks since the last one; the reader of the
part that ends there finds out (`PartEnd.is_sure`).

Cuts at messages of mailboxes, and at records and compressed records of archives of the web.

Mailboxes and archives that are not compressed are read as far as is needed to know where messages and records end, by
the code that reads them: of an archive the headers, and what is behind each record, as its length says. The members of
a compressed archive are looked for by their first bytes, so these cuts are guesses: the reader of the part that ends
there finds out (`PartEnd.is_sure`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from io import FileIO

from urisieve.errors import InputError
from urisieve.lean import Final, lazy_compile, replace
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.encodings import Family, find_encoding, marked_encoding, wide_encoding
from urisieve.sources.bytes.reading import read_blocks, source_name
from urisieve.sources.containers.contents import PartEnd, PartStart
from urisieve.sources.containers.limits import DEFAULT_LIMITS
from urisieve.sources.kinds.kind_table import HEAD_SIZE, LAYERS, Kind, ReaderRow, kind_named, named_kind
from urisieve.sources.kinds.sniffing import json_kind, kind_of, layout_of, peeked_kind
from urisieve.sources.reading_options import InputKind, ReadingOptions, takes
from urisieve.sources.tally import guarded

# Bytes read at once behind what was skipped.
_READ: Final = 16_384
# Bytes that are read at once in the search for a safe line feed.
_WINDOW: Final = 65_536
# The opener, "URL:" and the white space before a candidate, in characters.
_PREFIX: Final = 96
# Line feeds that are examined for one cut. Text in which so many in a row are not safe is left to one process.
_TRIES: Final = 1_000
# Bytes of the longest character of UTF-8.
_WIDEST: Final = 4
# Characters that no candidate in angle brackets crosses, whatever the options.
_END: Final = lazy_compile(rb'[>"\x00-\x08\x0e-\x1f\x7f]')

# Returns the bytes from an offset on, as many as asked for; fewer at the end of the file.
Read = Callable[[int, int], bytes]


def text_cuts(read: Read, size: int, length: int, longest: int) -> Iterator[int]:
    """Yield the cuts of a file of plain text; in its encoding the byte 0A must always be a line feed.

    Args:
        read: reads from the file.
        size: its size in bytes.
        length: the approximate number of bytes between two cuts; they are more if no cut is safe.
        longest: the longest candidate, in characters.
    """
    cut: int | None = 0
    while cut is not None and size - cut > length + length // 2:
        cut = _text_cut(read, cut + length, size, (longest + _PREFIX) * _WIDEST)
        if cut is not None:
            yield cut


def _text_cut(read: Read, offset: int, size: int, reach: int) -> int | None:
    """Return the first safe cut from an offset on; None if there is none before the end."""
    base = max(0, offset - reach)
    data = read(base, offset - base + _WINDOW)
    at = offset - base
    for _ in range(_TRIES):
        line_feed = data.find(b"\n", at)
        if line_feed >= 0:
            opener = data.rfind(b"<", max(0, line_feed - reach), line_feed)
            if opener < 0 or _END.search(data, opener + 1, line_feed):
                return base + line_feed + 1 if base + line_feed + 1 < size else None
            end = _END.search(data, line_feed)
            at = min(end.end(), opener + reach + 1) if end else opener + reach + 1
            if at < len(data):
                continue
        else:
            at = max(at, len(data))
        # Continue with the bytes that follow, and as many before them as an opener may reach.
        following = base + at
        if following >= size:
            return None
        base = max(base, following - reach)
        data = read(base, following - base + max(_WINDOW, reach))
        at = following - base
        if len(data) <= at:
            return None
    return None


def record_cuts(path: str, length: int) -> Iterator[PartStart]:
    """Yield the cuts of an archive of the web, a file, at least `length` bytes apart."""
    from urisieve.sources.containers.warc import record_starts

    with FileIO(path) as file:
        yield from _apart(Kind.WARC, record_starts(_Sought(file)), length)


def _apart(kind: ReaderRow, found: Iterable[tuple[int, int]], length: int) -> Iterator[PartStart]:
    last = 0
    for number, offset in found:
        if offset - last >= length:
            last = offset
            yield PartStart(kind=kind, start=offset, number=number, position=offset)


def member_cuts(blocks: Iterable[bytes], length: int) -> Iterator[PartStart]:
    """Yield the cuts of a file of gzip whose members begin records, at least `length` bytes apart."""
    from urisieve.sources.containers.compressed import finds_record

    reader = BlockReader(blocks)
    while reader.skip(length) == length and finds_record(reader):
        yield PartStart(kind=Kind.WARC, start=reader.position, is_gzip=True)


class _Sought(BlockReader):
    """Reads a file, and seeks past what is skipped.

    Args:
        file: the file.
    """

    def __init__(self, file: FileIO) -> None:
        super().__init__(iter(lambda: file.read(_READ), b""))
        self._file = file
        self._size = os.fstat(file.fileno()).st_size

    def skip(self, size: int) -> int:
        """See `BlockReader.skip`."""
        ahead = len(self._buffer) - self._index
        if size > ahead:
            size = max(ahead, min(size, self._size - self.position))
            self._file.seek(self.position + size)
            self._buffer, self._index = b"", -size  # nothing is ahead when that is done
        self._advance(size)
        return size

    def peek_behind(self, size: int, more: int) -> bytes:
        """See `BlockReader.peek_behind`."""
        if len(self._buffer) - self._index >= size + more:
            return super().peek_behind(size, more)
        end = self._file.tell()
        self._file.seek(self.position + size)
        behind = self._file.read(more)
        self._file.seek(end)
        return behind


# Bytes counted at once.
_STEP: Final = 1_048_576


def _cuts_at_lines(
    reader: BlockReader, length: int, cut: PartStart, header: int = 0, *, has_quotes: bool = False
) -> Iterator[PartStart]:
    """Yield the cuts of JSON lines, or of a table with quotation marks, none of them before its header ends.

    Args:
        reader: the file.
        length: the least number of bytes of a part.
        cut: the beginning of the file, with the columns of a table.
        header: the number of lines up to the end of the header.
        has_quotes: whether a row may go on in quotation marks.
    """
    lines = 0
    while True:
        taken = quotes = 0
        data = b""
        while taken < length or lines < header or quotes % 2 or not data.endswith(b"\n"):
            data = reader.some(min(length - taken, _STEP)) if taken < length else reader.line(_STEP)
            if not data:
                return
            taken += len(data)
            lines += data.count(b"\n")
            quotes += data.count(b'"') if has_quotes else 0
        if reader.peek(1):
            at = reader.position
            yield replace(cut, start=at, position=at, number=lines, end=PartEnd())


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
    is_table = reading.input is not InputKind.AUTO and takes(reading.input, "delimiter")
    if reading.unescape or (reading.field and not is_table) or not (limits.nesting and limits.depth):
        return None  # something is said once about the whole file
    reader = BlockReader(read_blocks(path))
    kind = peeked_kind(reader, source_name(path))
    is_gzip = kind is Kind.GZIP
    if is_gzip:
        from urisieve.sources.containers.compressed import member_head

        head = member_head(reader, HEAD_SIZE)
        kind = Kind.WARC if kind_of(head, source_name(path)) is Kind.WARC else Kind.GZIP
    if kind in LAYERS:
        return None
    kind = kind_as_asked(reader, kind, reading.input)
    if is_gzip and kind is not Kind.WARC:
        return None
    cut = PartStart(kind=kind, is_gzip=is_gzip)
    found = _cuts(cut, path, reader, encoding, reading, length)
    return None if found is None else _ended(cut, found)


def kind_as_asked(reader: BlockReader, kind: ReaderRow, asked: str) -> ReaderRow:
    """Return the kind that bytes are read as.

    Args:
        reader: the bytes, which stay to be read.
        kind: what they are by their first bytes.
        asked: what the options say that they are.
    """
    match asked:
        case InputKind.AUTO:
            return json_kind(reader) if kind is Kind.JSON else kind
        case InputKind.MAIL:
            from urisieve.sources.mail.mailboxes import is_mailbox

            return Kind.MBOX if is_mailbox(reader.peek(HEAD_SIZE)) else Kind.MAIL
    return kind_named(asked)


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
    match cut.kind.cut:
        case "messages":
            from urisieve.sources.mail.mailboxes import message_ends

            return _apart(cut.kind, message_ends(reader.rest()), length)
        case "records":
            return member_cuts(reader.rest(), length) if cut.is_gzip else record_cuts(path, length)
        case "lines" | "rows" if breaks_lines(reader.peek(HEAD_SIZE), encoding):
            if cut.kind.cut == "lines":
                return _cuts_at_lines(reader, length, cut)
            from urisieve.sources.structured.tables import table_head

            has_title = named_kind(path) is not None
            cut.layout = layout_of(reader, cut.kind, reading.delimiter, reading.skip_lines, has_title=has_title)
            if cut.layout.is_of_returns:  # it has no line feeds to be cut at
                return None
            head = table_head(read_blocks(path), cut.layout, encoding, tuple(reading.field))
            if head is None:
                return None
            return _cuts_at_lines(reader, length, replace(cut, names=head[0]), head[1], has_quotes=True)
    return None


def breaks_lines(head: bytes, encoding: str | None) -> bool:
    """Report whether the bytes of ASCII are always these characters in a text, wherever it is entered."""
    marked = marked_encoding(head)
    if marked:
        return encoding is None and marked[1].family is Family.UTF8
    return find_encoding(encoding).breaks_lines_like_ascii and not (encoding is None and wide_encoding(head))
