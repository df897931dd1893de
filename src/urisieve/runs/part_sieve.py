"""One worker: parts of files in, batches out, or the products that the share of a sink makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from urisieve.errors import InputError, UnexpectedInputError
from urisieve.find.searches import AnySearch, make_search
from urisieve.lean.hints import TYPE_CHECKING
from urisieve.lean.values import NamedTuple, replace
from urisieve.options import Options, Positions
from urisieve.records.batch import TIME, Batch, BatchBuffer
from urisieve.records.counting import counted_codes
from urisieve.runs.collector import seldom_collected
from urisieve.runs.file_parts import Part, decoder_for, is_named, part_blocks, seekable, sieve_part, text_tally
from urisieve.runs.run_steps import Failure, RunStep, Share, grouped_steps, sum_of_steps
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.reading import source_name, source_size
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.unexpected import guarded

if TYPE_CHECKING:
    from urisieve.runs.document_sieve import DocumentSieve
    from urisieve.runs.workers import Work
    from urisieve.sources.bytes.decoding import TextTaker
    from urisieve.sources.tally import Tally
    from urisieve.sources.times.line_hours import LineHours

__all__ = ["PartSettings", "PartSieve", "TextSieve", "failure_of", "part_work", "thread_work"]


class PartSettings(NamedTuple):
    """The settings of a worker.

    Attributes:
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of the encoding of text.
        columns: the columns to make.
        raises: whether an error that stops a content is handed over as a `Failure`, to be raised, and not as a message.
        traces: whether messages about unexpected exceptions include the traceback.
    """

    options: Options
    reading: ReadingOptions
    encoding: str | None
    columns: frozenset[str]
    raises: bool = False
    traces: bool = False


def failure_of(path: str, error: InputError, message: str | None = None) -> Failure:
    """Return the failure of a file, or with a `message` of something in it."""
    trace = "\n".join(error.trace) if isinstance(error, UnexpectedInputError) else None
    return Failure(path, str(error) if message is None else message, error.kind, error.reason, trace)


class PartSieve:
    """Sieves parts of files by one set of settings, one part after the other.

    Args:
        settings: what to find, how to read, which columns to make.
        share: processes the batches.
    """

    def __init__(self, settings: PartSettings, share: Share) -> None:
        self._settings = settings
        self._share = share
        columns = settings.columns
        self._has_byte_offsets = not columns.isdisjoint(("byte_start", "byte_end"))
        counts_lines = not columns.isdisjoint(("line", "column"))
        options = settings.options
        self._options = options if counts_lines else replace(options, positions=Positions.OFFSETS)
        self._buffer = BatchBuffer()
        self._search: AnySearch | None = None  # its memory serves all parts
        self._lines: LineHours | None = None
        if TIME in columns:
            from urisieve.sources.times.line_hours import LineHours

            self._lines = LineHours(options.max_length)
        self._documents: tuple[DocumentSieve, Tally] | None = None
        self._failures: list[Failure] = []
        self._path = ""

    def steps(self, part: Part) -> Iterator[RunStep]:
        """Yield the findings of a part as it is read; the last step has `part`.

        If reading fails midway, the steps hold what was decided until then; likewise if a reader raises an unexpected
        exception.
        """
        try:
            yield from guarded(self._steps(part), "file")
        except UnexpectedInputError as error:
            failure = failure_of(part.path, error)
            yield self._last(part, failure=failure) if self._settings.raises else self._reported(part, error)

    def _steps(self, part: Part) -> Iterator[RunStep]:
        settings = self._settings
        try:
            kind, blocks = part_blocks(part, settings.reading)
            if kind is not None:
                yield from self._contents(part, blocks)
                return
            decoder = decoder_for(part, settings.encoding, self._options, offsets=self._has_byte_offsets)
            buffer = self._buffer
            search = self._restarted(part.path)
            taker: TextTaker = search
            if self._lines is not None:
                from urisieve.sources.times.line_hours import WatchedText

                self._lines.restart()
                taker = WatchedText(search, self._lines)
            for size in sieve_part(part, blocks, taker, decoder):
                yield self._step_of(buffer.drained(), search, decoder, size)
        except InputError as error:
            yield self._last(part, failure=failure_of(part.path, error))
        else:
            yield self._last(part, tally=text_tally(part, decoder, settings.reading))

    def _last(
        self, part: Part, *, failure: Failure | None = None, tally: Tally | None = None, size: int = 0
    ) -> RunStep:
        product = self._share.flush()
        return RunStep(
            products=() if product is None else (product,), size=size, part=part, failure=failure, tally=tally
        )

    def _restarted(self, path: str) -> AnySearch:
        """Return the search of all parts, at the beginning of a text."""
        if self._search is None:
            columns = self._settings.columns
            if self._lines is not None:  # which need offsets, those of bytes where bytes are searched
                columns = columns.difference((TIME,)).union(("start", "byte_start"))
            self._search = make_search(self._options, self._buffer, columns=columns)
        self._buffer.drained()  # what an error has left
        self._search.restart(source_name(path))
        return self._search

    def _located(self, batch: Batch, search: AnySearch, decoder: ByteDecoder) -> Batch:
        if self._lines is not None and batch:
            offsets = batch.column("byte_start" if search.counts_bytes else "start")
            batch = batch.dated(self._lines.hours(offsets))
        if not self._has_byte_offsets or not batch or search.counts_bytes or decoder.offsets is None:
            return batch
        return batch.with_spans(decoder.offsets)

    def text(self, path: str) -> TextSieve:
        """Return a sieve for the bytes of one plain text, that of a path, as they come."""
        decoder = decoder_for(Part(path), self._settings.encoding, self._options, offsets=self._has_byte_offsets)
        buffer = BatchBuffer()
        search = make_search(self._options, buffer, columns=self._settings.columns, source=source_name(path))

        def step(size: int) -> RunStep:
            return self._step_of(buffer.drained(), search, decoder, size)

        return TextSieve(decoder, search, step)

    def _step_of(self, batches: Sequence[Batch], search: AnySearch, decoder: ByteDecoder, size: int) -> RunStep:
        """Make one step of some batches of one text; joining them would cost more than it saves."""
        if len(batches) < 2:
            return self._step(self._located(batches[0], search, decoder), size) if batches else RunStep(size=size)
        return sum_of_steps([self._step(self._located(batch, search, decoder), 0) for batch in batches])._replace(
            size=size
        )

    def _step(self, batch: Batch, size: int) -> RunStep:
        if not batch:
            return RunStep(size=size)
        reasons, warnings = counted_codes(batch)
        product = self._share.take(batch)
        products = () if product is None else (product,)
        return RunStep(products=products, found=len(batch), size=size, reasons=reasons, warnings=warnings)

    def _contents(self, part: Part, blocks: Iterable[bytes]) -> Iterator[RunStep]:
        """Yield the findings of a file that is not plain text; report an error that stops a content, and go on."""
        if self._documents is None:
            self._documents = self._document_sieve()
        documents, tally = self._documents
        self._path = part.path
        counted = _Counted(blocks)
        path = seekable(part.path)
        batches = documents.batches(source_name(part.path), counted, path, named=is_named(part.path))
        for batch in batches:
            yield self._step(batch, counted.taken())._replace(failures=self._taken())
        rest = counted.taken()
        if path is not None:  # some of a zip file is skipped
            rest = max(rest, (source_size(path) or 0) - counted.total + rest)
        yield self._last(part, tally=tally.taken(), size=rest)._replace(failures=self._taken())

    def _document_sieve(self) -> tuple[DocumentSieve, Tally]:
        from urisieve.runs.document_sieve import DocumentSieve
        from urisieve.sources.tally import Tally

        settings = self._settings
        tally = Tally()

        def reported(source: str, error: InputError) -> None:
            tally.stopped(source, error, traces=settings.traces)

        sieve = DocumentSieve(
            self._options,
            settings.reading,
            tally=tally,
            failed=self._failed if settings.raises else reported,
            encoding=settings.encoding,
            columns=settings.columns,
        )
        return sieve, tally

    def _failed(self, source: str, error: InputError) -> None:
        name = source_name(self._path)
        message = str(error) if source == name else f"{source.removeprefix(name)}: {error}"
        self._failures.append(failure_of(self._path, error, message))

    def _taken(self) -> list[Failure]:
        failures = self._failures
        self._failures = []
        return failures

    def _reported(self, part: Part, error: UnexpectedInputError) -> RunStep:
        from urisieve.sources.tally import Tally

        tally = Tally()
        tally.stopped(source_name(part.path), error, traces=self._settings.traces)
        return self._last(part, tally=tally)


class TextSieve:
    """Sieves the bytes of one text as they come.

    Args:
        decoder: decodes them.
        search: searches the text.
        step: makes a step of the findings in a number of bytes.
    """

    def __init__(self, decoder: ByteDecoder, search: AnySearch, step: Callable[[int], RunStep]) -> None:
        self._decoder = decoder
        self._search = search
        self._step = step

    def feed(self, data: bytes) -> RunStep:
        """Take the next bytes, and return their step."""
        self._decoder.feed_into(self._search, data)
        return self._step(len(data))

    def close(self) -> RunStep:
        """End the text, and return the last step."""
        self._decoder.close_into(self._search)
        return self._step(0)


class _Counted:
    """Blocks, with a count of the bytes taken."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self._reported = 0
        self.total = 0

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            self.total += len(block)
            yield block

    def taken(self) -> int:
        """Return the number of bytes since the last call."""
        size = self.total - self._reported
        self._reported = self.total
        return size


def thread_work(settings: tuple[PartSettings, Callable[[], Share]]) -> Work[Part, RunStep]:
    """Return the work of a thread that shares a run: from parts to steps, whose batches stay in this process."""
    part_settings, make = settings
    return PartSieve(part_settings, make()).steps


def part_work(settings: tuple[PartSettings, Callable[[], Share]]) -> Work[Part, RunStep]:
    """Return the work of a process that shares a run: from parts to steps, small ones grouped."""
    part_settings, make = settings
    share = make()
    sieve = PartSieve(part_settings, share)

    def work(part: Part) -> Iterator[RunStep]:
        with seldom_collected():
            yield from grouped_steps(sieve.steps(part), share)

    return work
