"""The search in documents: the identifiers of each, located in the source that the document was taken from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial

from urisieve.errors import InputError
from urisieve.find.delimited import PIECE, Delimited, keep_freed_blocks
from urisieve.find.searches import AnySearch, make_search
from urisieve.finding_options import Bare, Charset, Options, Positions, SchemePolicy, finds_unwritten
from urisieve.lean import TYPE_CHECKING, Any, Final, replace
from urisieve.records.base import NOWHERE
from urisieve.records.batch import TIME, Batch, BatchBuffer
from urisieve.runs.repeats import Repeats, unrepeated
from urisieve.runs.text_blocks import PLACING, TextBlockSieve, own_columns
from urisieve.sources.blocks import gathered
from urisieve.sources.documents import Document, Position, Segment, segment_columns
from urisieve.sources.readers import Reader
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.reading_run import Failure as Failed
from urisieve.sources.tally import PASSED, Tally, unexpected

if TYPE_CHECKING:
    from urisieve.records.rejection import Rejection
    from urisieve.sources.containers.contents import PartStart
    from urisieve.sources.hours import LineHours
    from urisieve.sources.kinds.kind_table import ReaderRow

_COUNTED: Final = frozenset(("line", "column"))


class DocumentSieve:
    """Sieves files that are not plain text, document by document.

    Args:
        options: what to find and how far to normalize; each document states whether its charset was Unicode.
        reading: how files are read.
        tally: counts what is read, skipped and broken.
        failed: called with the error that stopped a content; see `Reader`.
        encoding: the name of the encoding of text.
        columns: the columns to make.
    """

    def __init__(
        self,
        options: Options,
        reading: ReadingOptions,
        *,
        tally: Tally,
        failed: Failed,
        encoding: str | None = None,
        columns: frozenset[str],
    ) -> None:
        keep_freed_blocks()
        self._failed = failed
        self._uncounted = _COUNTED if options.positions == Positions.OFFSETS else frozenset[str]()
        self._unset = dict.fromkeys(columns & self._uncounted, 0)
        columns -= self._uncounted
        self._columns = columns | {"key"}  # tells forms of the same content apart
        self._extra = (PLACING if columns.isdisjoint(_COUNTED) else PLACING | _COUNTED) - columns  # for blocks
        self._has_byte_offsets = not columns.isdisjoint(("byte_start", "byte_end"))
        self._counts_lines = not columns.isdisjoint(_COUNTED)
        self._options = options
        self._lines: LineHours | None = None
        self._dating: frozenset[str] = frozenset()
        if TIME in columns or reading.context:
            from urisieve.sources.hours import dating_columns, line_times

            self._dating = dating_columns(columns, context=reading.context)
            self._lines = line_times(self._dating, options.max_length)
            reading = replace(reading, context=bool(self._dating))
        self._searches: dict[bool, AnySearch] = {}
        self._buffer = BatchBuffer()
        self._repeats = Repeats()
        self._bare: tuple[Bare, ...] = tuple(options.bare)  # type: ignore[arg-type] # `Options` holds members
        whole = finds_unwritten(options) or bool(options.bare) or options.schemes == SchemePolicy.ANY
        self._new_may_hold = cache(partial(_new_may_hold, options))
        self._reader = Reader(
            reading,
            tally=tally,
            failed=failed,
            encoding=encoding,
            keep=4 * (options.max_length + PIECE),
            new_may_hold=self._new_may_hold,
            every_field=whole,
            in_mail=columns.isdisjoint(("location", "line", "column", "byte_start", "byte_end")),
        )

    def batches(
        self,
        source: str,
        blocks: Iterable[bytes],
        path: str | None = None,
        *,
        named: bool = True,
        is_due: Callable[[], bool] = bool,
        kind: ReaderRow | None = None,
        known: ReaderRow | None = None,
        may_wait: bool = False,
    ) -> Iterator[Batch]:
        """Return the identifiers of a file as batches; look up their byte offsets before asking for the next one.

        Args:
            source: the name of the file.
            blocks: its bytes.
            path: a path that can be opened and sought, if there is one.
            named: whether the file was named itself, and not found in a folder.
            is_due: whether so much was read since the last batch that an empty one is wanted, as a sign of life.
            kind: the kind of rows that the blocks are, which are neither looked at nor unpacked; None for a file.
            known: the kind of the file, if that is known.
            may_wait: whether the next block may be long in coming, so that no text waits to be searched with others.
        """
        if kind is None:
            found = self._reader.documents(source, blocks, path=path, named=named, known=known)
            if not may_wait:
                found = gathered(found)
        else:
            found = self._reader.rows(source, blocks, kind)
        return map(self._completed, self._batches(found, is_due))

    def part(self, source: str, blocks: Iterable[bytes], cut: PartStart, *, named: bool) -> Iterator[Batch]:
        """Return the identifiers of a part of a file; the arguments are those of `Reader.part`."""
        found = gathered(self._reader.part(source, blocks, cut, named=named))
        return map(self._completed, self._batches(found, bool))

    def _completed(self, batch: Batch) -> Batch:
        """Return a batch with the columns that are asked for; lines and columns that are not counted are 0."""
        if not batch:
            return batch
        if self._extra:
            batch = batch.without(self._extra)
        if self._unset:
            batch.layout.constants = {**batch.layout.constants, **self._unset}
        if self._uncounted and batch.rejections:
            batch = batch.rejecting([_positioned(one, _uncounted) for one in batch.rejections])
        return batch

    def _batches(self, documents: Iterable[Document], is_due: Callable[[], bool]) -> Iterator[Batch]:
        for document in documents:
            for block in document.parts():
                yield from self._in_block(block)
            if document.last is not None:
                yield from self._alone(document.last, is_due)
            if is_due():
                yield self._buffer.taken()

    def _in_block(self, block: Document) -> Iterator[Batch]:
        """Yield what is in the texts of a block: in all at once, and in each alone if something goes wrong."""
        if block.size == 1:
            yield from self._alone(block.segment(0))
            return
        try:
            search = partial(self._search, block)
            sieve = TextBlockSieve(block, search, self._buffer, self._columns, self._repeats, self._lines, self._bare)
            batches = sieve.batches()
        except PASSED:
            raise
        except Exception:  # the texts are searched one by one, so that the error costs one of them
            self._buffer.drained()
        else:
            yield from batches
            return
        may_hold = self._new_may_hold()
        for index in range(block.size):
            if may_hold(block.text(index)):
                yield from self._alone(block.segment(index))

    def _alone(self, one: Segment, is_due: Callable[[], bool] = bool) -> Iterator[Batch]:
        """Yield what is in one text."""
        for batch in self._sieved(one, is_due):
            yield self._located_or_failed(one, batch) if batch else batch

    def _search(self, texts: Document | Segment, legacy: bool) -> AnySearch:
        search = self._searches.get(legacy)
        if search is None:
            options = replace(self._options, charset=Charset.LEGACY if legacy else Charset.UNICODE)
            columns = self._columns | self._extra
            if self._lines is not None:  # which need offsets
                columns = columns.difference((TIME,)).union(("start",))
            search = self._searches[legacy] = make_search(options, self._buffer, columns=columns)
        place = texts.place if isinstance(texts, Segment) else NOWHERE
        search.restart(texts.source, None if place is NOWHERE else place)
        return search

    def _sieved(self, one: Segment, is_due: Callable[[], bool] = bool) -> Iterator[Batch]:
        text: Iterable[str] = one.text
        buffer = self._buffer
        search = self._search(one, one.legacy)
        lines = self._lines
        if lines is not None:
            lines.restart()
        try:  # as `guarded` does, which costs a generator for each short text
            if isinstance(text, tuple) and len(text) == 1:
                (whole,) = text
                if lines is not None:
                    lines.feed(whole)
                    lines = None
                text = (whole[start : start + PIECE] for start in range(0, len(whole), PIECE))
                if one.delimited is not Delimited.TEXT and search.delimited(whole, one.delimited):
                    text = ()
                elif self._bare and one.place.field is not None:
                    from urisieve.judge.number_names import number_label

                    search.enter(number_label(one.place.field, one.beside, self._bare), 0, 0)
            for piece in text:
                if lines is not None:
                    lines.feed(piece)
                search.feed(piece)
                batch = buffer.taken()
                if batch or is_due():
                    yield batch
            search.close()
            batch = buffer.taken()
            if batch:
                yield batch
        except InputError as error:  # the undecided candidate is cut
            self._failed(one.source, error)
        except PASSED:
            raise
        except Exception as error:
            buffer.taken()  # nothing of it goes to the next text
            self._failed(one.source, unexpected(error, "text"))

    def _dated(self, one: Segment, batch: Batch) -> Batch:
        """Return a batch with the time of its segment, or of its lines."""
        if one.place.context is None and self._lines is not None:
            return self._lines.put_into(batch, self._dating, one.place)
        if TIME not in self._dating:
            return batch
        from urisieve.sources.contexts import hour_at

        return batch.dated([hour_at(one.place)] * len(batch))

    def _located_or_failed(self, one: Segment, batch: Batch) -> Batch:
        """Return a batch with its locations; an empty one, and a fault of the content, if its maps fail."""
        try:
            return self._located(one, batch)
        except PASSED:
            raise
        except Exception as error:
            self._failed(one.source, unexpected(error, "text"))
            return self._buffer.taken()

    def _located(self, one: Segment, batch: Batch) -> Batch:
        """Return a batch with the location that its segment states."""
        position = one.position
        if self._lines is not None:
            batch = self._dated(one, batch)
        if one.alternative is not None:
            batch = unrepeated(batch, self._repeats, lambda _: one.alternative)
        columns: dict[str, Sequence[Any]] = {}
        if one.reference is not None or one.shown is not None or one.warnings:
            columns = own_columns(batch, [0] * len(batch), one.document(), self._columns)
        if position is not None and self._counts_lines:
            columns |= segment_columns([one] * len(batch), batch.column("start"), (), _COUNTED)
        if columns:
            batch = batch.replaced(columns)
        if position is not None and batch.rejections:
            batch = batch.rejecting([_positioned(rejection, position) for rejection in batch.rejections])
        if not self._has_byte_offsets:
            return batch
        offsets = one.offsets()
        if offsets is None:
            return batch
        return batch.with_spans(offsets).resolved()


def _new_may_hold(options: Options) -> Callable[[str], object]:
    """Return a function that returns a false value for a text without identifiers."""
    from urisieve.find.pivots import pivots

    search = pivots(options).search
    if not options.bare:
        return search
    # An escape of JSON may stand for a hyphen or a blank in a number.
    return lambda text: "\\u20" in text or search(text)


def _uncounted(_offset: int) -> tuple[int, int]:
    return 0, 0


def _positioned(rejection: Rejection, position: Position) -> Rejection:
    from urisieve.records.rejection import make_rejection

    line, column = position(rejection.start)
    return make_rejection(rejection._row._replace(line=line, column=column))
