"""Events of a run, for a program that watches it. The engine itself prints nothing.

Also defines the batches of a run for calls that raise: failures go to a callback or are raised, counts go to a tally.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator

from urisieve import shapes
from urisieve.errors import InputError
from urisieve.lean import NamedTuple, TypeAlias, TypeVar
from urisieve.records.batch import Batch, OnError
from urisieve.runs.run_steps import Failure, RunStep
from urisieve.sources.bytes.reading import call_hint
from urisieve.sources.tally import Tally
from urisieve.wording import printable


class BytesRead(NamedTuple):
    """An event: some of the input has been read, and the sink has taken what was found in it.

    >>> from urisieve import sieve_into
    >>> from urisieve.types import BytesRead
    >>> from urisieve.sinks import CountSink
    >>> sizes: list[int] = []
    >>> def watch(event):
    ...     if isinstance(event, BytesRead):
    ...         sizes.append(event.size)
    >>> _ = sieve_into(["samples/access.log"], CountSink(), on_event=watch)
    >>> sum(sizes) > 0
    True

    Attributes:
        size: the number of bytes read since the last such event.
    """

    size: int


class Message(NamedTuple):
    """An event: something in the input that has been read was skipped or is broken.

    >>> from urisieve.types import Message
    >>> Message("a.zip!b.txt: the data ends too early", is_error=True).is_error
    True

    Attributes:
        text: one line for users that begins with the name of the source.
        is_error: whether something could not be read; such a message is shown even where others are not wanted.
    """

    text: str
    is_error: bool = False


class FileFailed(NamedTuple):
    """An event: a file could not be read to its end; what came before is used, and the other files are read.

    >>> from urisieve import sieve_into
    >>> from urisieve.types import Event, FileFailed
    >>> from urisieve.sinks import CountSink
    >>> events: list[Event] = []
    >>> _ = sieve_into(["no-such-file.txt"], CountSink(), on_event=events.append)
    >>> [event.path for event in events if isinstance(event, FileFailed)]
    ['no-such-file.txt']

    Attributes:
        path: the path of the file, as it was passed or found.
        reason: the reason in one line, without the path.
    """

    path: str
    reason: str


Event: TypeAlias = BytesRead | Message | FileFailed
"""Any event of a run."""
OnEvent: TypeAlias = Callable[[Event], None]
"""Called with each event of a run, in the process of the caller."""


def ignore_events(_event: Event) -> None:
    """Ignore an event."""


_One = TypeVar("_One")


class Reporting:
    """Reports the failures and counts of one call, which has no filters.

    Args:
        on_error: called with the path and the error; None to raise it.
        tally: filled with the counts; None if they are not wanted.
    """

    def __init__(self, on_error: OnError | None, tally: Tally | None) -> None:
        shapes.check(on_error=on_error, tally=tally)
        self._on_error = on_error
        self._tally = tally
        self.counts = Tally() if tally is None else tally
        """The counts, whether they are wanted or not."""

    def batches(
        self, steps: Iterable[RunStep], fail: Callable[[Failure], None] | None = None
    ) -> Generator[Batch, None, None]:
        """Yield the batches of some steps; pass each failure to `fail` after those that come before it.

        Args:
            steps: the steps.
            fail: reports a failure; `failed` for None.

        Raises:
            InputError: something could not be read, and there is no `on_error`.
        """
        fail = self._file_failed if fail is None else fail
        reported: set[Failure] = set()  # each part of a file meets the same failure
        for step in steps:
            yield from step.products
            for failure in (*step.failures, *(() if step.failure is None else (step.failure,))):
                if failure not in reported:
                    reported.add(failure)
                    fail(failure)
            if step.tally is not None:
                self.counts.take(step.tally)
            if self._tally is not None:
                self._tally.rejected.update(step.reasons)
                self._tally.warnings.update(step.warnings)

    def _file_failed(self, failure: Failure) -> None:
        """Count the failure of a path, and pass it on or raise it; suggest what to give where there is no such file."""
        hint = call_hint(failure.path) if (failure.kind, failure.reason) == ("file", "unreadable") else ""
        self.failed(failure._replace(message=f"{failure.message}{hint}"))

    def failed(self, failure: Failure, cause: BaseException | None = None) -> None:
        """Count a failure, and pass it on or raise it."""
        path, message = failure.path, failure.message
        self.counts.broken[failure.kind, failure.reason] += 1
        if self._on_error is None:
            whole = printable(f"{path}{message}" if message.startswith("!") else f"{path}: {message}")
            raise failure._replace(message=whole).error from cause
        error = failure.error
        error.__cause__ = cause
        self._on_error(path, error)

    def text_failed(self, name: str, error: InputError) -> None:
        """Count the failure of a text, and pass it on."""
        self.counts.broken[error.kind, error.reason] += 1
        if self._on_error is not None:
            self._on_error(name, error)


def one_by_one(some: Iterable[Iterable[_One]], batches: Generator[Batch, None, None]) -> Iterator[_One]:
    """Yield what some batches contain; the generator of these is closed with this one, which ends its workers."""
    try:
        for one in some:
            yield from one
    finally:
        batches.close()
