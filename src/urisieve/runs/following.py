"""Files that grow: appended text is sieved as it comes, until the run is stopped."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from select import select
from threading import Semaphore, Thread
from types import FrameType

from urisieve.find.searches import make_search
from urisieve.lean import TYPE_CHECKING, Final, replace
from urisieve.records.batch import BatchBuffer
from urisieve.runs.file_parts import Part, decoder_for
from urisieve.runs.part_sieve import Counted, Failures, PartSieve, watched_text
from urisieve.runs.run_steps import RunStep, sum_of_steps
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.reading import pause, source_name
from urisieve.sources.containers.follow import Change, Event, follow
from urisieve.sources.kinds.kind_table import Kind, kind_named
from urisieve.sources.kinds.sniffing import csv_delimiter
from urisieve.sources.reading_options import OF_LINES
from urisieve.sources.tally import Tally

if TYPE_CHECKING:
    from urisieve.sources.bytes.decoding import TextTaker


class Stop:
    """The signal to stop following; it can be set at any time, also in a signal handler."""

    def __init__(self) -> None:
        self._reading, self._writing = socket.socketpair()
        self._is_set = False

    def set(self) -> None:
        """End following."""
        if not self._is_set:
            self._is_set = True
            self._writing.send(b"x")

    def is_set(self) -> bool:
        """Report whether following is to end."""
        return self._is_set

    def wait(self, timeout: float) -> bool:
        """Wait until the signal is set, at most `timeout` seconds; return whether it is set."""
        select([self._reading], [], [], timeout)
        return self._is_set

    def close(self) -> None:
        """Close the pipe that wakes `wait`."""
        self._reading.close()
        self._writing.close()


@contextmanager
def stopped_by_signals(stop: Stop) -> Iterator[None]:
    """Let SIGINT and SIGTERM set `stop` instead of ending the process; a signal that is ignored stays ignored."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class TextSieve:
    """Sieves the bytes of one text as they come.

    Args:
        decoder: decodes them.
        search: takes the text.
        step: makes a step of the findings in a number of bytes.
    """

    def __init__(self, decoder: ByteDecoder, search: TextTaker, step: Callable[[int], RunStep]) -> None:
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


# The most bytes of a first line that are waited for.
_FIRST_LINE: Final = 4_096


def begun(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first line at least, and all blocks."""
    first = b""
    for block in blocks:
        first += block
        if b"\n" in first or len(first) >= _FIRST_LINE:
            break
    return first, chain((first,), blocks)


class PushedRows:
    """Sieves the bytes of one text of rows as they come; a row that is cut waits for its end.

    A reader asks for its blocks. So it runs in a thread, which goes on only while `feed` or `close` waits for it, up to
    the next block that it asks for.

    Args:
        read: makes steps of blocks.
        tally: what the reader counts in.
    """

    def __init__(self, read: Callable[[Iterator[bytes]], Iterator[RunStep]], tally: Tally) -> None:
        self._read = read
        self._tally = tally
        self._block: bytes | None = None  # that was pushed; None for the end
        self._steps: list[RunStep] = []
        self._error: BaseException | None = None
        self._has_ended = False
        self._pushed, self._wanted = Semaphore(0), Semaphore(0)
        self._thread = Thread(target=self._run, daemon=True)  # one that waits does not hold up the end of the process
        self._thread.start()

    def _run(self) -> None:
        self._pushed.acquire()
        try:
            for step in self._read(self._blocks()):
                self._steps.append(step)
        except BaseException as error:
            self._error = error
        self._has_ended = True
        self._wanted.release()

    def _blocks(self) -> Iterator[bytes]:
        while self._block is not None:
            yield self._block
            self._wanted.release()
            self._pushed.acquire()

    def feed(self, block: bytes | None) -> RunStep:
        """Take the next bytes, None for the end, and return their step.

        Raises:
            Exception: the reader has raised it.
        """
        if not self._has_ended:
            self._block = block
            self._pushed.release()
            self._wanted.acquire()
        error, self._error = self._error, None
        if error is not None:
            raise error
        steps, self._steps = self._steps, []
        step = sum_of_steps(steps) if steps else RunStep()
        return step if self._tally.is_empty else step._replace(tally=self._tally.taken())

    def close(self) -> RunStep:
        """End the text, and return the last step.

        Raises:
            Exception: the reader has raised it.
        """
        step = self.feed(None)
        self._thread.join()
        return step


class FollowingSieve(PartSieve):
    """Sieves several texts by one set of settings, each as its bytes come."""

    def text(self, path: str) -> TextSieve | PushedRows:
        """Return a sieve for the bytes of one text, that of a path, as they come: plain text, or the rows of a kind."""
        if self._settings.reading.input in OF_LINES:
            return self._pushed_rows(path)
        decoder = decoder_for(Part(path), self._settings.encoding, self._options, offsets=self._has_byte_offsets)
        buffer = BatchBuffer()
        search = make_search(self._options, buffer, columns=self._searched, source=source_name(path))
        lines = self._new_lines()

        def step(size: int) -> RunStep:
            return self._step_of(buffer.drained(), search, decoder, size, lines)

        return TextSieve(decoder, watched_text(search, lines), step)

    def _pushed_rows(self, path: str) -> PushedRows:
        reading, failures, source = self._settings.reading, Failures(self._settings), source_name(path)
        kind = kind_named(reading.input)
        failures.begin(Part(path))

        def steps(blocks: Iterator[bytes]) -> Iterator[RunStep]:
            chosen = reading
            if kind is Kind.CSV and not reading.delimiter:
                first, blocks = begun(blocks)
                chosen = replace(reading, delimiter=csv_delimiter(BlockReader((first,))))
            counted = Counted(blocks)
            documents = self._document_sieve(chosen, failures)
            for batch in documents.batches(source, counted, kind=kind, is_due=counted.is_due):
                yield self._step(batch, counted.taken())._replace(failures=failures.taken())
            yield RunStep(size=counted.taken(), failures=failures.taken())

        return PushedRows(steps, failures.tally)


def followed_steps(sieve: FollowingSieve, paths: Sequence[str], stop: Event, tally: Tally) -> Iterator[RunStep]:
    """Yield what is found in files as they grow, until `stop` is set.

    A candidate at the end of a file waits for what follows it, and a row of a kind of lines for its end.
    """
    texts: dict[str, TextSieve | PushedRows] = {}
    for path, change, data in follow(paths, stop=stop, tally=tally):
        if not tally.is_empty:
            yield RunStep(tally=tally.taken())
        if change is Change.CAUGHT_UP:
            pause()
            continue
        text = texts.get(path)
        if change is Change.RESTARTED and text is not None:
            yield text.close()
            text = None
        if text is None:
            text = texts[path] = sieve.text(path)
        if data:
            yield text.feed(data)
    for path, text in texts.items():
        yield text.close()._replace(part=Part(path))
    if not tally.is_empty:
        yield RunStep(tally=tally.taken())
