"""The bytes of a carrier, with identifiers replaced: each text is written back in the notation that it stands in.

Plain text is rewritten as it is decided. Rows and messages are rewritten some at a time, as soon as they are complete;
a page, a document or a lone message as a whole, which is kept in memory or on disk until then.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from tempfile import SpooledTemporaryFile

from urisieve.errors import InputError
from urisieve.find.searches import AnySearch, make_search
from urisieve.finding_options import Options, Positions
from urisieve.lean import TYPE_CHECKING, Final, TypeAlias, cast, dataclass, field, replace
from urisieve.records.batch import Batch, BatchBuffer
from urisieve.rewriting.replacements import Replacement
from urisieve.rewriting.written_texts import CHAINS, ByteChange, Write, WrittenTexts, fitting, in_order, spliced
from urisieve.runs.document_sieve import DocumentSieve
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import Encoding, Family
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.containers.contents import PartEnd, PartStart
from urisieve.sources.containers.limits import DEFAULT_LIMITS, Budget
from urisieve.sources.cutters import breaks_lines, kind_as_asked
from urisieve.sources.kinds.kind_table import COMPRESSED, HEAD_SIZE, Kind, Layout, ReaderRow, named_kind
from urisieve.sources.kinds.sniffing import layout_of, peeked_kind
from urisieve.sources.reading_options import ASKED, MailParts, ReadingOptions, is_plain
from urisieve.sources.tally import Tally

if TYPE_CHECKING:
    from urisieve.find.kernel_search import KernelSearch
    from urisieve.rewriting.mail_parts import EncodedPart

# Bytes of a page or document that are kept in memory; more are kept on disk.
_IN_MEMORY: Final = 67_108_864
# Bytes of messages that are rewritten at once.
_PIECE: Final = 262_144
_PLACES: Final = frozenset(("byte_start", "byte_end", "location", "source"))
_NEEDED: Final = _PLACES | {"raw", "uri", "key"}
# Where a text is that has a new one, in bytes if that is known; the text, the new one, and the field.
_NewText: TypeAlias = "tuple[int | None, int | None, str, str, str | None]"


class NotWrittenBackError(InputError):
    """A file is of a kind that is not written back."""

    reason = "not-written-back"


@dataclass(slots=True)
class RewriteCounts:
    """How many identifiers were replaced.

    Attributes:
        replaced: the number of those that have a new text.
        unwritten: the number of those whose new text cannot be written where they stand: they stay as they are.
        tally: the counts of reading.
    """

    replaced: int = 0
    unwritten: int = 0
    tally: Tally = field(default_factory=Tally)


class Carriers:
    """Rewrites the bytes of files, one after the other.

    Args:
        replacement: what is written.
        options: what to find.
        reading: how the files are read.
        encoding: the name of their encoding; None for what they show.
        counts: takes the counts.
        depth: how many files they are in.
    """

    def __init__(
        self,
        replacement: Replacement,
        options: Options,
        reading: ReadingOptions,
        *,
        encoding: str | None = None,
        counts: RewriteCounts,
        depth: int = 0,
    ) -> None:
        self._replacement = replacement
        self._written_texts = partial(WrittenTexts, is_link=replacement.is_link)
        self._encoding = encoding
        self._reading = replace(reading, mail_parts=MailParts.ALL, context=False)
        self._columns = replacement.columns | _NEEDED
        has_lines = not self._columns.isdisjoint(("line", "column"))
        self._options = options if has_lines else replace(options, positions=Positions.OFFSETS)
        self._counts = counts
        self._depth = depth
        self._sieve: DocumentSieve | None = None
        self._looks: tuple[DocumentSieve, Tally] | None = None  # a sieve without places, and its counts
        self._replaces = False  # whether anything was replaced in the last rows or messages

    def rewritten(self, name: str, blocks: Iterable[bytes], *, is_live: bool = False) -> Iterator[bytes]:
        """Return the bytes of a file, with the new texts, as soon as they are sure.

        Args:
            name: the name of the file.
            blocks: its bytes.
            is_live: whether they may come slowly.

        Raises:
            NotWrittenBackError: the file is of a kind that is not written back.
            InputError: from the iterator: reading fails.
        """
        reader = BlockReader(blocks)
        kind = peeked_kind(reader, name, is_live=is_live, is_asked=self._reading.input in ASKED)
        if kind in COMPRESSED:
            made = self._compressed(name, reader, kind)
        else:
            kind = self._kind(reader, kind)
            made = self._text(reader.rest()) if is_plain(kind, self._reading, name) else self._read(name, reader, kind)
        return _whole_read(reader, made)

    def _kind(self, reader: BlockReader, kind: ReaderRow) -> ReaderRow:
        """Return the kind that a file is read as.

        Raises:
            NotWrittenBackError: it is not written back.
        """
        kind = kind_as_asked(reader, kind, self._reading.input)
        if kind not in CHAINS:
            *known, last = map(str, CHAINS)
            raise NotWrittenBackError(
                f"is {kind.said}, which is not written back: {', '.join(known)} and {last} are, and these compressed"
            )
        return kind

    def _compressed(self, name: str, reader: BlockReader, kind: ReaderRow) -> Iterator[bytes]:
        """Yield the bytes of a compressed file, compressed in the same way."""
        from urisieve.rewriting.compressors import compressor, packed
        from urisieve.sources.containers.compressed import decompressed

        limits = self._reading.limits or DEFAULT_LIMITS
        plain = decompressed(reader, kind, source=name, tally=self._counts.tally, budget=Budget(limits))
        made = self.rewritten(name.rpartition(".")[0], self._to_the_end(plain, kind))
        return packed(compressor(kind), made)

    def _to_the_end(self, plain: Iterator[bytes], kind: ReaderRow) -> Iterator[bytes]:
        """Yield what was compressed.

        Raises:
            InputError: there are bytes behind it, which would be lost.
        """
        broken = self._counts.tally.broken
        before = broken[kind, "trailing-garbage"]
        yield from plain
        if broken[kind, "trailing-garbage"] > before:
            raise InputError("the bytes behind the compressed data cannot be written back")

    def _read(self, name: str, reader: BlockReader, kind: ReaderRow) -> Iterator[bytes]:
        if not breaks_lines(reader.peek_some(1, HEAD_SIZE), self._encoding):
            return self._whole(name, reader, kind)
        match kind.cut:
            case "lines" | "rows":
                return self._rows(name, reader, kind)
            case "messages":
                return self._messages(name, reader, kind)
        return self._whole(name, reader, kind)

    # ------------------------------------------------------------ plain text

    def _text(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the bytes of plain text, with the new texts, as far as they are decided.

        Raises:
            InputError: it is in an encoding of which the place of a character is not known.
        """
        buffer = BatchBuffer()
        search = make_search(self._options, buffer, columns=self._columns | {"start", "end"})
        decoder = ByteDecoder(self._encoding, keep=4 * (self._options.max_length + BLOCK_SIZE))
        held, offset = b"", 0  # the bytes that are not decided, and the offset of the first
        left: list[ByteChange] = []  # changes in them
        for block in chain(blocks, (None,)):
            if block is None:
                decoder.close_into(search)
            else:
                held += block
                decoder.feed_into(search, block)
            encoding = decoder.encoding
            if encoding.family is Family.STATEFUL:
                raise InputError(f"is in {encoding.name}, in which texts are not written back")
            for batch in buffer.drained():
                if not search.counts_bytes and decoder.offsets is not None:
                    batch = batch.with_spans(decoder.offsets).resolved()
                left += self._changes_of_text(batch, encoding, held, offset)
            decided = offset + len(held) if block is None else _decided(search, decoder)
            ready = [one for one in left if one.end <= decided]
            left = left[len(ready) :]
            end = (min(decided, left[0].start) if left else decided) - offset
            if end > 0:
                yield b"".join(spliced(held, ready, end=end, base=offset))
                held = held[end:]
                offset += end

    def _changes_of_text(self, batch: Batch, encoding: Encoding, held: bytes, base: int) -> Iterator[ByteChange]:
        """Yield what is to be changed in plain text, as it is written, for the new texts of a batch.

        Args:
            batch: the identifiers.
            encoding: the encoding of the text.
            held: the bytes of the text that are not written yet.
            base: the offset of the first of them.
        """
        found = list(self._new_texts(batch))
        if batch.rejections:
            found.sort(key=_place)
        codec, errors = encoding.name, encoding.errors
        last = replaced = 0
        is_link = self._replacement.is_link
        for start, end, raw, new, _ in found:
            if start is None or end is None or start < last:
                continue
            if is_link and (new := fitting(raw, new, held, end - base, codec)) == raw:
                continue
            try:
                data = new.encode(codec, errors)
            except UnicodeError:
                self._counts.unwritten += 1
                continue
            last = end
            replaced += 1
            yield ByteChange(start, end, data)
        self._counts.replaced += replaced

    # ------------------------------------------------------------ rows and messages

    def _rows(self, name: str, reader: BlockReader, kind: ReaderRow) -> Iterator[bytes]:
        """Yield the bytes of rows, with the new texts: those of each block that are complete."""
        from urisieve.rewriting.table_rows import complete_lines, complete_rows
        from urisieve.sources.structured.tables import table_head

        cut = PartStart(kind=kind, layout=self._layout(name, reader, kind))
        blocks = reader.rest()
        for data in (
            complete_lines(blocks) if cut.layout is None else complete_rows(blocks, cut.layout.delimiter.encode())
        ):
            yield from self._part(name, data, cut)
            if cut.layout is not None and cut.names is None:
                head = table_head((data,), cut.layout, self._encoding, tuple(self._reading.field))
                cut.names = None if head is None else head[0]
            start = cut.start + len(data)
            cut = replace(cut, start=start, position=start, number=cut.number + data.count(b"\n"), end=PartEnd())

    def _layout(self, name: str, reader: BlockReader, kind: ReaderRow) -> Layout | None:
        """Return the layout of a table; None for anything else."""
        if kind.cut != "rows":
            return None
        has_title = named_kind(name) is not None
        return layout_of(reader, kind, self._reading.delimiter, self._reading.skip_lines, has_title=has_title)

    def _messages(self, name: str, reader: BlockReader, kind: ReaderRow) -> Iterator[bytes]:
        """Yield the bytes of the messages of a mailbox, with the new texts."""
        from urisieve.sources.mail.mailboxes import message_ends

        held = bytearray()

        def kept() -> Iterator[bytes]:
            for block in blocks:
                held.extend(block)
                yield block

        blocks = reader.rest()
        cut = PartStart(kind=kind)
        for number, offset in message_ends(kept()):
            if offset - cut.start >= _PIECE:
                data = bytes(held[: offset - cut.start])
                del held[: len(data)]
                yield from self._part(name, data, cut)
                cut = PartStart(kind=kind, start=offset, position=offset, number=number)
        held.extend(b"".join(blocks))  # of a format that is not split there are more
        if held:
            yield from self._part(name, bytes(held), cut)

    def _part(self, name: str, data: bytes, cut: PartStart) -> Iterator[bytes]:
        """Yield the bytes of some rows or messages, with the new texts.

        To find where each text is takes most of the time: unless something was replaced in what came before, it is
        found out first whether anything is.
        """
        if not self._replaces and not self._is_replaced(name, data, replace(cut, end=PartEnd())):
            yield data
            return
        before = self._counts.replaced
        batches = self._documents.part(name, (data,), cut, named=True)
        found = [one for batch in batches for one in self._new_texts(batch, name, cut.start)]
        changes = self._changes_of(name, data, cut.kind, found, _delimiter(cut.layout))
        self._replaces = self._counts.replaced > before
        yield b"".join(spliced(data, changes))

    def _is_replaced(self, name: str, data: bytes, cut: PartStart) -> bool:
        """Report whether anything is replaced in some rows or messages; if not, they are counted."""
        if self._looks is None:
            tally = Tally()
            self._looks = self._new_sieve(tally, self._columns - _PLACES), tally
        looks, tally = self._looks
        make, of_rejection = self._replacement.texts, self._replacement.rejection
        for batch in looks.part(name, (data,), cut, named=True):
            rejected = () if of_rejection is None else batch.rejections
            if any(new not in (None, raw) for new, raw in zip(make(batch), batch.column("raw"), strict=True)) or any(
                of_rejection(one) not in (None, one.raw) for one in rejected if of_rejection is not None
            ):
                self._looks = None  # it has not read all
                return True
        self._counts.tally.take(tally.taken())
        return False

    # ------------------------------------------------------------ wholes

    def _whole(self, name: str, reader: BlockReader, kind: ReaderRow) -> Iterator[bytes]:
        """Yield the bytes of a page, a document or a message, with the new texts."""
        layout = self._layout(name, reader, kind)
        with SpooledTemporaryFile(_IN_MEMORY) as spool:
            for block in reader.rest():
                spool.write(block)
            size = spool.tell()
            spool.seek(0)
            data = spool.read() if size <= _IN_MEMORY else mmap.mmap(spool.fileno(), 0, access=mmap.ACCESS_READ)
            blocks = (data[start : start + BLOCK_SIZE] for start in range(0, size, BLOCK_SIZE))
            batches = self._documents.batches(name, blocks, kind=kind)
            found = [one for batch in batches for one in self._new_texts(batch, name)]
            yield from spliced(data, self._changes_of(name, data, kind, found, _delimiter(layout)))

    def _changes_of(
        self, name: str, data: bytes | mmap.mmap, kind: ReaderRow, found: Iterable[_NewText], delimiter: str
    ) -> list[ByteChange]:
        """Return what is to be changed in some bytes for the new texts that were found in them."""
        if kind in (Kind.MAIL, Kind.MBOX):
            return in_order(self._changes_of_mail(name, data[:], kind, found))
        write = self._written_texts(kind, data, encoding=self._encoding, delimiter=delimiter)
        return in_order(self._changes(found, write))

    @property
    def _documents(self) -> DocumentSieve:
        if self._sieve is None:
            self._sieve = self._new_sieve(self._counts.tally, self._columns)
        return self._sieve

    def _new_sieve(self, tally: Tally, columns: frozenset[str]) -> DocumentSieve:
        return DocumentSieve(
            self._options,
            self._reading,
            tally=tally,
            failed=tally.stopped,
            encoding=self._encoding,
            columns=columns,
        )

    def _changes_of_mail(
        self, name: str, data: bytes, kind: ReaderRow, found: Iterable[_NewText]
    ) -> Iterator[ByteChange]:
        """Yield what is to be changed in messages: where texts stand as they are, and in parts that are encoded."""
        from urisieve.rewriting.mail_parts import parts_of_messages

        parts = parts_of_messages(name, data, kind, self._reading)
        stored = [one for one in found if one[0] is not None]
        unknown = len(list(found)) - len(stored)
        yield from self._changes(stored, self._written_texts(kind, data, parts=parts.stored))
        for part in parts.encoded:
            header = part.header()
            whole = header + part.content
            batches = self._documents.batches(name, (whole,), kind=Kind.MAIL)
            texts = [
                one
                for batch in batches
                for one in self._new_texts(batch, name)
                if one[0] is None or one[0] >= len(header)
            ]
            unknown -= len(texts)
            before = self._counts.replaced
            written_kind = Kind.HTML if part.is_page else Kind.MAIL
            write = self._written_texts(written_kind, whole, parts=None, codec=part.codec if texts else None)
            changes = in_order(self._changes(texts, write))
            change = part.change([one.moved(-len(header)) for one in changes]) if changes else None
            if change is not None:
                yield change
            else:
                self._counts.unwritten += self._counts.replaced - before
                self._counts.replaced = before
        for part in parts.files if unknown > 0 and self._depth < DEFAULT_LIMITS.depth else ():
            counts = RewriteCounts()
            change = self._change_of_file(name, part, counts)
            unknown -= counts.replaced + counts.unwritten
            if change is None:
                self._counts.unwritten += counts.replaced + counts.unwritten
            else:
                self._counts.replaced += counts.replaced
                self._counts.unwritten += counts.unwritten
                yield change
        self._counts.unwritten += max(0, unknown)

    def _change_of_file(self, name: str, part: EncodedPart, counts: RewriteCounts) -> ByteChange | None:
        """Return a file in a message with its new texts; None if there are none, or it cannot be written."""
        inner = Carriers(
            self._replacement,
            self._options,
            replace(self._reading, input=str(part.kind)),
            encoding=part.stated_codec,
            counts=counts,
            depth=self._depth + 1,
        )
        try:
            content = b"".join(inner.rewritten(f"{name}!{part.name or ''}", (part.content,)))
        except InputError:
            return None
        return None if content == part.content else part.replaced(content)

    # ------------------------------------------------------------ new texts, and what is to be changed for them

    def _new_texts(self, batch: Batch, name: str | None = None, base: int = 0) -> Iterator[_NewText]:
        """Yield each text of a batch that has a new one.

        Args:
            batch: the batch.
            name: the name of the file, if others may be inside it: what is in those has no place in its bytes.
            base: the offset from which on bytes are counted.
        """
        make, of_rejection = self._replacement.texts, self._replacement.rejection
        columns = [batch.column(column) for column in ("byte_start", "byte_end", "raw", "location")]
        columns.append([None] * len(batch) if name is None else batch.column("source"))
        for start, end, raw, place, source, new in zip(*columns, make(batch) if len(batch) else (), strict=True):
            if new is not None and new != raw:
                field = None if place is None else place.field
                has_place = start is not None and source == name
                yield (start - base, end - base, raw, new, field) if has_place else (None, None, raw, new, field)
        for one in batch.rejections:
            new = None if of_rejection is None else of_rejection(one)
            if new is not None and new != one.raw:
                start, end = one.byte_start, one.byte_end
                if start is None or end is None or name not in (None, one.source):
                    yield None, None, one.raw, new, one.field
                else:
                    yield start - base, end - base, one.raw, new, one.field

    def _changes(self, found: Iterable[_NewText], write: Write) -> Iterator[ByteChange]:
        """Yield what is to be changed for new texts, and count them; of those that overlap, the first is written."""
        last = 0
        for start, end, raw, new, name in sorted(found, key=_place):
            if start is None or end is None:
                self._counts.unwritten += 1
                continue
            if start < last:
                continue
            changes = write(start, end, raw, new, name)
            if changes is None:
                self._counts.unwritten += 1
            else:
                self._counts.replaced += 1
                last = end
                yield from changes


def _whole_read(reader: BlockReader, made: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what was made of a file, and raise the error by which reading has failed."""
    yield from made
    if reader.unreported is not None:
        raise reader.unreported


def _delimiter(layout: Layout | None) -> str:
    return "," if layout is None else layout.delimiter


def _place(one: _NewText) -> tuple[int, int]:
    return (-1 if one[0] is None else one[0]), -(one[1] or 0)


def _decided(search: AnySearch, decoder: ByteDecoder) -> int:
    """Return the number of bytes in which nothing more will be found."""
    if search.counts_bytes:
        return cast("KernelSearch", search).decided_bytes
    return 0 if decoder.offsets is None else decoder.offsets.source(search.decided)
