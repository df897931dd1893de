"""One worker: parts of files in, batches out, or the products that the share of a sink makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from urisieve.codes import Warn
from urisieve.errors import InputError, UnexpectedInputError
from urisieve.find.searches import AnySearch, make_search
from urisieve.finding_options import Options, Positions
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, replace
from urisieve.records.batch import TIME, Batch, BatchBuffer
from urisieve.runs.file_parts import Part, decoder_for, is_named, part_blocks, seekable, sieve_part, text_tally
from urisieve.runs.process import Reserve, keep_freed_memory, seldom_collected
from urisieve.runs.run_steps import (
    Failure,
    RunStep,
    Share,
    SharedSink,
    grouped_steps,
    step_of,
    sum_of_steps,
)
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.reading import read_blocks, source_name, source_size
from urisieve.sources.kinds.kind_table import COMPRESSED, Kind, ReaderRow
from urisieve.sources.reading_options import ReadingOptions, promised_text
from urisieve.sources.tally import MESSAGES, drop_frames, guarded

if TYPE_CHECKING:
    from urisieve.records.filtering import Filter
    from urisieve.runs.document_sieve import DocumentSieve
    from urisieve.runs.workers import Work
    from urisieve.sources.bytes.decoding import TextTaker
    from urisieve.sources.containers.contents import PartStart
    from urisieve.sources.hours import LineHours
    from urisieve.sources.tally import Tally


# The number of bytes of a source after which a step is made though nothing is found, so that progress shows.
_MANY: Final = 1_048_576
# Kinds of files whose texts are searched many at once where they need not be waited for.
_GATHERED: Final = COMPRESSED | {Kind.TAR, Kind.WARC, Kind.MBOX}
# The bytes of products that are held until a part of a file that is not plain text has been read; a part with more is
# left to be read again, step by step.
_HELD: Final = 67_108_864


class PartSettings(NamedTuple):
    """The settings of a worker.

    Attributes:
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of the encoding of text.
        columns: the columns to make.
        raises: whether an error that stops a content is handed over as a `Failure`, to be raised, and not as a message.
        traces: whether messages about unexpected exceptions include the traceback.
        filters: which identifiers are wanted; the others are only counted.
        kept: how many messages about faults are kept of a file for each kind and reason.
    """

    options: Options
    reading: ReadingOptions
    encoding: str | None
    columns: frozenset[str]
    raises: bool = False
    traces: bool = False
    filters: tuple[Filter, ...] = ()
    kept: int = MESSAGES

    def into(self, sink: SharedSink) -> PartSettings:
        """Return the settings with the columns and the filters of a sink."""
        return self._replace(columns=sink.columns, filters=(*self.filters, *sink.filters))


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
        columns = settings.columns
        if settings.filters:
            columns = columns.union(*(wanted.columns for wanted in settings.filters))
            settings = settings._replace(columns=columns)
        self._settings = settings
        self._share = share
        self._has_byte_offsets = not columns.isdisjoint(("byte_start", "byte_end"))
        counts_lines = not columns.isdisjoint(("line", "column"))
        options = settings.options
        self._options = options if counts_lines else replace(options, positions=Positions.OFFSETS)
        self._buffer = BatchBuffer()
        self._search: AnySearch | None = None  # its memory serves all parts
        self._dating: frozenset[str] = frozenset()
        if TIME in columns or settings.reading.context:
            from urisieve.sources.hours import dating_columns

            self._dating = dating_columns(columns, context=settings.reading.context)
        self._lines = self._new_lines()
        self._is_noted = False  # whether the text that is searched is in a file that is not what its name promises
        self._documents: tuple[DocumentSieve, Failures] | None = None

    def _new_lines(self) -> LineHours | None:
        """Return what finds the times of the lines of a text; None if they are not asked for."""
        if not self._dating:
            return None
        from urisieve.sources.hours import line_times

        return line_times(self._dating, self._options.max_length)

    def steps(self, part: Part) -> Iterator[RunStep]:
        """Yield the findings of a part as it is read; the last step has `part`.

        If reading fails midway, the steps contain what was decided until then; likewise if a reader raises an
        unexpected exception.
        """
        try:
            yield from guarded(self._steps(part), "file")
        except UnexpectedInputError as error:
            failure = failure_of(part.path, error)
            yield self._last(part, failure=failure) if self._settings.raises else self._reported(part, error)

    def _steps(self, part: Part) -> Iterator[RunStep]:
        settings = self._settings
        try:
            if part.cut is not None:
                blocks = read_blocks(part.path, part.segment.start, part.segment.end, part.was)
                steps = self._contents(part, part.cut.kind, blocks)
                yield from steps if part.cut.is_exact else (self._held(part, part.cut, steps),)
                return
            kind, blocks = part_blocks(part, settings.reading)
            if kind is not None:
                yield from self._contents(part, kind, blocks)
                return
            self._is_noted = promised_text(part.path, settings.reading) is not None
            decoder = decoder_for(part, settings.encoding, self._options, offsets=self._has_byte_offsets)
            buffer = self._buffer
            search = self._restarted(part.path)
            context = 0 if self._lines is None else self._lines.context
            for size in sieve_part(part, blocks, watched_text(search, self._lines), decoder, context):
                yield self._step_of(buffer.drained(), search, decoder, size, self._lines)
        except InputError as error:
            yield self._last(part, failure=failure_of(part.path, error))
        else:
            yield self._last(part, tally=text_tally(part, decoder, promised_text(part.path, settings.reading)))

    def _last(
        self, part: Part, *, failure: Failure | None = None, tally: Tally | None = None, size: int = 0
    ) -> RunStep:
        product = self._share.flush()
        return RunStep(
            products=() if product is None else (product,), size=size, part=part, failure=failure, tally=tally
        )

    @property
    def _searched(self) -> frozenset[str]:
        """The columns that a search makes; times need offsets, those of bytes where bytes are searched."""
        columns = self._settings.columns
        return columns.difference((TIME,)).union(("start", "byte_start")) if self._dating else columns

    def _restarted(self, path: str) -> AnySearch:
        """Return the search of all parts, at the beginning of a text."""
        if self._search is None:
            self._search = make_search(self._options, self._buffer, columns=self._searched)
        self._buffer.drained()  # what an error has left
        self._search.restart(source_name(path))
        return self._search

    def _located(self, batch: Batch, search: AnySearch, decoder: ByteDecoder, lines: LineHours | None) -> Batch:
        if lines is not None and batch:
            batch = lines.put_into(batch, self._dating, by="byte_start" if search.counts_bytes else "start")
        if self._is_noted and batch and "warnings" in batch.columns:
            codes = batch.column("warnings")
            batch = batch.replaced({"warnings": [(*some, Warn.NOT_AS_NAMED) for some in codes]})
        if not self._has_byte_offsets or not batch or search.counts_bytes or decoder.offsets is None:
            return batch
        return batch.with_spans(decoder.offsets)

    def _step_of(
        self,
        batches: Sequence[Batch],
        search: AnySearch,
        decoder: ByteDecoder,
        size: int,
        lines: LineHours | None,
    ) -> RunStep:
        """Make one step of some batches of one text; joining them would cost more than it saves."""
        if len(batches) < 2:
            return (
                self._step(self._located(batches[0], search, decoder, lines), size) if batches else RunStep(size=size)
            )
        steps = [self._step(self._located(batch, search, decoder, lines), 0) for batch in batches]
        return sum_of_steps(steps)._replace(size=size)

    def _step(self, batch: Batch, size: int) -> RunStep:
        return step_of(batch, size, self._share, self._settings.filters)

    def _contents(self, part: Part, kind: ReaderRow, blocks: Iterable[bytes]) -> Iterator[RunStep]:
        """Yield the findings of a file that is not plain text, or of a part of one, whose last step has `cut.end`.

        An error that stops a content is reported, and the others are read.
        """
        documents, failures = self._sieve_of(part)
        counted = Counted(blocks)
        source, named, cut = source_name(part.path), is_named(part.path), part.cut
        path = seekable(part.path) if cut is None else None
        if cut is None:
            may_wait = path is None and kind in _GATHERED
            known = kind if path is not None else None  # what may come slowly is looked at as it comes
            batches = documents.batches(
                source, counted, path, named=named, is_due=counted.is_due, known=known, may_wait=may_wait
            )
        else:
            batches = documents.part(source, counted, cut, named=named)
        for batch in batches:
            yield self._step(batch, counted.taken())._replace(failures=failures.taken())
        rest = counted.taken()
        if path is not None and not counted.has_ended:  # some of a zip file is skipped
            rest = max(rest, (source_size(path) or 0) - counted.total + rest)
        last = self._last(part, tally=failures.tally.taken(), size=rest)
        yield last._replace(failures=failures.taken(), ended=None if cut is None else cut.end)

    def _sieve_of(self, part: Part) -> tuple[DocumentSieve, Failures]:
        """Return the sieve of documents, for those of a part, and what counts and takes the failures in it."""
        if self._documents is None:
            failures = Failures(self._settings)
            self._documents = self._document_sieve(self._settings.reading, failures), failures
        self._documents[1].begin(part)
        return self._documents

    def _document_sieve(self, reading: ReadingOptions, failures: Failures) -> DocumentSieve:
        from urisieve.runs.document_sieve import DocumentSieve

        return DocumentSieve(
            self._options,
            reading,
            tally=failures.tally,
            failed=failures.add,
            encoding=self._settings.encoding,
            columns=self._settings.columns,
        )

    def _held(self, part: Part, cut: PartStart, found: Iterable[RunStep]) -> RunStep:
        """Return all findings of a part of a file that is not plain text if they are sure; otherwise none."""
        steps: list[RunStep] = []
        length = 0
        for step in found:
            steps.append(step)
            length += sum(map(self._share.size, step.products))
            if length > _HELD:
                cut.end.is_sure = False
                break
        return sum_of_steps(steps) if cut.end.is_sure else RunStep(part=part, ended=cut.end)

    def _reported(self, part: Part, error: UnexpectedInputError) -> RunStep:
        from urisieve.sources.tally import Tally

        tally = Tally()
        tally.stopped(source_name(part.path), error, traces=self._settings.traces)
        return self._last(part, tally=tally)


class Failures:
    """The errors that stop contents of the part that is read, and its counts.

    The sieve of documents refers to it, and it does not refer to the sieve: in a cycle, each run would stay in memory
    until the collector looks for it.
    """

    def __init__(self, settings: PartSettings) -> None:
        from urisieve.sources.tally import Tally

        self.tally: Tally = Tally(kept=settings.kept)
        self._settings = settings
        self._failures: list[Failure] = []
        self._path = ""
        self._cut: PartStart | None = None

    def begin(self, part: Part) -> None:
        """Begin a part."""
        self._path = part.path
        self._cut = part.cut

    def add(self, source: str, error: InputError) -> None:
        """Take note of an error; in a part of a file, one that has stopped its reader stops that of the whole file."""
        name = source_name(self._path)
        if self._cut is not None:
            self._cut.met(error.kind, error.reason)
            if source == name:
                self._cut.end.is_sure = False
        if self._settings.raises:
            message = str(error) if source == name else f"{source.removeprefix(name)}: {error}"
            self._failures.append(failure_of(self._path, error, message))
            drop_frames(error)
        else:
            self.tally.stopped(source, error, traces=self._settings.traces)

    def taken(self) -> list[Failure]:
        """Return the failures since the last call."""
        failures = self._failures
        self._failures = []
        return failures


def watched_text(search: AnySearch, lines: LineHours | None) -> TextTaker:
    """Return what takes a text for a search, and for the times of its lines if they are asked for."""
    if lines is None:
        return search
    from urisieve.sources.hours import WatchedText

    lines.restart()
    return WatchedText(search, lines)


class Counted:
    """Blocks, with a count of the bytes taken."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self._reported = 0
        self.total = 0
        self.has_ended = False

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            self.total += len(block)
            yield block
        self.has_ended = True

    def is_due(self) -> bool:
        """Report whether many bytes came since the last call of `taken`."""
        return self.total - self._reported >= _MANY

    def taken(self) -> int:
        """Return the number of bytes since the last call."""
        size = self.total - self._reported
        self._reported = self.total
        return size


def thread_work(settings: tuple[PartSettings, Callable[[], Share]]) -> Work[tuple[Part, ...], Sequence[RunStep]]:
    """Return the work of a thread that shares a run: from parts to steps, whose batches stay in this process."""
    part_settings, make = settings
    sieve = PartSieve(part_settings, make())
    return lambda parts: ((step,) for part in parts for step in sieve.steps(part))


def part_work(settings: tuple[PartSettings, Callable[[], Share]]) -> Work[tuple[Part, ...], Sequence[RunStep]]:
    """Return the work of a process that shares a run: from parts to steps, small ones grouped or together."""
    part_settings, make = settings
    share = make()
    sieve = PartSieve(part_settings, share)
    keep_freed_memory()

    def work(parts: Sequence[Part]) -> Iterator[Sequence[RunStep]]:
        with seldom_collected(), Reserve() as reserve:
            for some in grouped_steps((step for part in parts for step in sieve.steps(part)), share):
                reserve.check(sum(step.found for step in some), sum(step.size for step in some))
                yield some

    return work
