"""The steps of a run: the findings in some of the input, on the way from a worker to the caller."""

from __future__ import annotations

from _thread import LockType, allocate_lock
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from urisieve.errors import InputError, in_use
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, Self, late
from urisieve.records.batch import NO_CODES, Batch, counted_codes

if TYPE_CHECKING:
    from urisieve.records.filtering import Filter
    from urisieve.records.layouts import Columns
    from urisieve.runs.file_parts import Part
    from urisieve.sources.containers.contents import PartEnd
    from urisieve.sources.tally import Tally
else:
    PartEnd = late("urisieve.sources.containers.contents", "PartEnd")
    Filter = late("urisieve.records.filtering", "Filter")


# The number of bytes of products that are handed over at once.
_TOGETHER: Final = 524_288
# The number of bytes of a source after which a step is handed over however little was found, so that progress shows.
_READ: Final = 8_388_608
# The approximate number of bytes of a row of a batch between processes.
_ROW: Final = 256


class Share(Protocol):
    """A worker's share of the work of a sink: it processes batches before they are handed over."""

    def take(self, batch: Batch, /) -> Any:
        """Take the next batch; return the product to hand over, or None for nothing yet."""

    def flush(self) -> Any:
        """Return the product that is left at the end of a part of a file, or None."""

    def size(self, product: Any, /) -> int:
        """Return about how many bytes a product takes."""


class WholeBatches:
    """The share of a worker that passes batches on unchanged, within this process."""

    def take(self, batch: Batch, /) -> Batch:
        """Return the batch."""
        return batch

    def flush(self) -> None:
        """Return nothing: all was handed over."""

    def size(self, product: Batch, /) -> int:
        """Return about how many bytes a batch takes."""
        return batch_size(product)


class ResolvedBatches(WholeBatches):
    """The share of a worker that passes batches on to code that cannot look up byte offsets any more."""

    def take(self, batch: Batch, /) -> Batch:
        """Return the batch with its byte offsets."""
        return batch.resolved()


class DigestedBatches(WholeBatches):
    """The share of a thread that passes batches on with the digests of their keys, so that the sink need not make them.

    Args:
        digest: makes the digests for the set that will be asked which keys are new.
    """

    def __init__(self, digest: Callable[[Columns], None]) -> None:
        self._digest = digest

    def take(self, batch: Batch, /) -> Batch:
        """Return the batch."""
        self._digest(batch.layout)
        return batch


def batch_size(batch: Batch) -> int:
    """Return about how many bytes a batch takes between processes."""
    return _ROW * (len(batch) + len(batch.rejections))


class SharedSink(ABC):
    """A sink that leaves a share of its work to the workers of a run.

    The output does not depend on the number of workers.

    Attributes:
        columns: the columns that it needs.
        offsets: whether it uses offsets in a file, so that a part of a file must know how much comes before it.
        writes_little: whether its output for a text is hardly longer than the identifiers found in it.
        suits_threads: whether its share takes so little time in Python that threads can do it, where the search is
            that of the kernel, which releases the interpreter.
        filters: which identifiers it takes; what they leave out is counted.
    """

    columns: frozenset[str]
    offsets: bool
    writes_little: bool
    suits_threads: bool = False
    filters: tuple[Filter, ...] = ()
    _own: Share | None = None
    _turn: LockType

    def __new__(cls, *_: object, **__: object) -> Self:
        """Make a sink that is not in use; subclasses need not know of it."""
        made = super().__new__(cls)
        made._turn = allocate_lock()
        return made

    @abstractmethod
    def share(self, *, alone: bool) -> Callable[[], Share]:
        """Return a function without arguments that makes the share of a worker; it can be pickled unless `alone`.

        Args:
            alone: whether one worker does all the work, in this process.
        """

    def thread_share(self) -> Callable[[], Share]:
        """Return a function that makes the share of a thread, if the sink suits threads."""
        return self.share(alone=True)

    @abstractmethod
    def absorb(self, product: Any, /) -> None:
        """Take a product of a share, in the order of the sources."""

    def end_step(self, step: RunStep, /) -> None:  # noqa: B027 - most sinks have nothing to do here
        """Act on the end of a step, after all its products have been absorbed."""

    def _pause(self) -> None:  # noqa: B027 - in most sinks nothing waits
        """Write what is decided and waits for more, at a pause of the input."""

    def discard(self) -> None:  # noqa: B027 - most sinks have nothing to do here
        """Leave what will not be used; after `close` it does nothing."""

    def take(self, batch: Batch, /) -> None:
        """Take a batch outside of a run; see `Sink.take`.

        Raises:
            UsageError: the sink is in use by another call, or by a run.
        """
        with in_turn(self):
            if self._own is None:
                self._own = self.share(alone=True)()
            product = self._own.take(filtered(batch, self.filters)[0])
            if product is not None:
                self.absorb(product)

    def close(self) -> None:
        """See `Sink.close`.

        Raises:
            UsageError: the sink is in use by another call, or by a run.
        """
        with in_turn(self):
            product = None if self._own is None else self._own.flush()
            if product is not None:
                self.absorb(product)


@contextmanager
def in_turn(sink: SharedSink) -> Iterator[None]:
    """Have a sink to oneself, for a run or a call.

    Raises:
        UsageError: another run or call has it.
    """
    if not sink._turn.acquire(False):
        raise in_use("the sink")
    try:
        yield
    finally:
        sink._turn.release()


def filtered(batch: Batch, filters: Iterable[Filter]) -> tuple[Batch, Mapping[str, int]]:
    """Return the rows of a batch that pass all filters, and the number of others by `Filter.counted_as`."""
    left_out: Mapping[str, int] = NO_CODES
    for wanted in filters:
        count = len(batch)
        batch = batch.where(wanted)
        if len(batch) < count:
            left_out = {**left_out, wanted.counted_as: left_out.get(wanted.counted_as, 0) + count - len(batch)}
    return batch, left_out


class Failure(NamedTuple):
    """The reason why something could not be read, on its way to the process that asked for it.

    Attributes:
        path: the file.
        message: the fault, without the path; for something inside the file its name comes first.
        kind: the kind of thing that is broken, as in `Tally.broken`.
        reason: the reason, as in `Tally.broken`.
        trace: the traceback of an unexpected exception.
    """

    path: str
    message: str
    kind: str
    reason: str
    trace: str | None = None

    @property
    def error(self) -> InputError:
        """The exception to raise for it, or to pass to a callback."""
        error = InputError(self.message)
        error.kind, error.reason = self.kind, self.reason
        if self.trace is not None:
            error.add_note(self.trace)
        return error


class RunStep(NamedTuple):
    """The findings in some of the input.

    Attributes:
        products: batches, or the products of the share of a sink.
        found: the number of identifiers found.
        size: the number of bytes read.
        part: the part of a file, if all of it has been read.
        failure: the reason why no more of the part could be read.
        failures: the reasons why something in it could not be read, if they are to be raised.
        tally: the counts of a file that has been read.
        reasons: the number of rejected candidates, by reason.
        warnings: the number of identifiers with a warning, by its code.
        left_out: the number of identifiers that filters left out, by `Filter.counted_as`; they count nowhere else.
        ended: what the reader of a part of a file that is not plain text reported at its end.
    """

    products: Sequence[Any] = ()
    found: int = 0
    size: int = 0
    part: Part | None = None
    failure: Failure | None = None
    failures: Sequence[Failure] = ()
    tally: Tally | None = None
    reasons: Mapping[str, int] = NO_CODES
    warnings: Mapping[str, int] = NO_CODES
    left_out: Mapping[str, int] = NO_CODES
    ended: PartEnd | None = None


def step_of(batch: Batch, size: int, share: Share, filters: Sequence[Filter]) -> RunStep:
    """Return the step of a batch: what the share makes of the rows that pass the filters, and all counts."""
    batch, left_out = filtered(batch, filters)
    if not batch:
        return RunStep(size=size, left_out=left_out)
    reasons, warnings = counted_codes(batch)
    product = share.take(batch)
    products = () if product is None else (product,)
    return RunStep(products, len(batch), size, reasons=reasons, warnings=warnings, left_out=left_out)


def grouped_steps(steps: Iterable[RunStep], share: Share) -> Iterator[Sequence[RunStep]]:
    """Group steps until they contain enough to be handed to another process.

    Those of one part become one step; those of small parts wait for each other.
    """
    whole: list[RunStep] = []
    waiting: list[RunStep] = []  # of one part
    length = read = 0
    for step in steps:
        waiting.append(step)
        length += sum(map(share.size, step.products))
        read += step.size
        is_enough = length >= _TOGETHER or read >= _READ
        if is_enough or step.part is not None:
            whole.append(sum_of_steps(waiting))
            waiting = []
            if is_enough or step.part is None or not step.part.is_small:
                yield whole
                whole = []
                length = read = 0
    if waiting:
        whole.append(sum_of_steps(waiting))
    if whole:
        yield whole


def sum_of_steps(steps: Sequence[RunStep]) -> RunStep:
    """Join steps into one, which ends as the last of them."""
    if len(steps) == 1:
        return steps[0]
    last = steps[-1]
    return RunStep(
        products=[product for step in steps for product in step.products],
        found=sum(step.found for step in steps),
        size=sum(step.size for step in steps),
        part=last.part,
        failure=last.failure,
        failures=[failure for step in steps for failure in step.failures],
        tally=last.tally,
        reasons=_summed([step.reasons for step in steps]),
        warnings=_summed([step.warnings for step in steps]),
        left_out=_summed([step.left_out for step in steps]),
        ended=last.ended,
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    counts = list(filter(None, counts))
    if len(counts) < 2:
        return counts[0] if counts else NO_CODES
    summed: Counter[str] = Counter()
    for one in counts:
        summed.update(one)
    return summed
