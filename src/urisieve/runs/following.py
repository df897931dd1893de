"""Files that grow: what is appended to them is sieved as it comes, until the run is stopped."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from stat import S_ISREG
from threading import Semaphore, Thread
from types import FrameType

from urisieve.errors import UsageError
from urisieve.find.searches import make_search
from urisieve.lean import Final
from urisieve.records.batch import BatchBuffer
from urisieve.runs.file_parts import Part, decoder_for, text_tally
from urisieve.runs.growing_files import Change, Event, follow
from urisieve.runs.part_sieve import Counted, Failures, PartSieve, watched_text
from urisieve.runs.run_steps import RunStep, sum_of_steps
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.reading import pause, source_name
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind, is_given_up, kind_named
from urisieve.sources.kinds.sniffing import csv_delimiter_of_text, kind_of, peeked_kind
from urisieve.sources.plain_text import CellEnds
from urisieve.sources.reading_options import OF_LINES, InputKind, promised_text
from urisieve.sources.tally import Tally


class Stop:
    """The signal to stop following; it can be set at any time, also in a signal handler."""

    def __init__(self) -> None:
        self._wakes: SimpleQueue[None] = SimpleQueue()  # unlike an `Event`, it can be used while it is in use
        self._is_set = False

    def set(self) -> None:
        """End following."""
        self._is_set = True
        self._wakes.put(None)

    def is_set(self) -> bool:
        """Report whether following is to end."""
        return self._is_set

    def wait(self, timeout: float) -> bool:
        """Wait until the signal is set, at most `timeout` seconds; return whether it is set."""
        if not self._is_set:
            with suppress(Empty):
                self._wakes.get(timeout=timeout)
        return self._is_set


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


class _PlainText:
    """Sieves the bytes of one plain text as they come."""

    def __init__(self, sieve: FollowingSieve, path: str) -> None:
        self._sieve = sieve
        self._path = path
        self._decoder = decoder_for(
            Part(path), sieve._settings.encoding, sieve._options, offsets=sieve._has_byte_offsets
        )
        self._buffer = BatchBuffer()
        self._search = make_search(sieve._options, self._buffer, columns=sieve._searched, source=source_name(path))
        self._lines = sieve._new_lines()
        self._text = watched_text(self._search, self._lines)
        # The kind that the name promises, if the text is of another one.
        self._given_up = promised_text(path, sieve._settings.reading)
        self._head: bytes | None = None if self._given_up is None else b""
        self._ends: CellEnds | None = None

    def feed(self, block: bytes | None) -> RunStep:
        """Take the next bytes, None for the end, and return their step."""
        sieve = self._sieve
        data = block or b""
        if self._head is not None:  # the first line decides what the name promises
            self._head += data
            if block is not None and b"\n" not in self._head and len(self._head) < HEAD_SIZE:
                return RunStep()
            data, self._head = self._head, None
            if self._given_up is Kind.CSV:
                self._ends = CellEnds(csv_delimiter_of_text(data[:HEAD_SIZE]))
            if not data or not is_given_up(self._given_up, kind_of(data[:HEAD_SIZE], self._path)):
                self._given_up = None
        if self._ends is None:
            self._decoder.feed_into(self._text, data)
            if block is None:
                self._decoder.close_into(self._text)
        else:
            self._text.feed(self._ends.feed(self._decoder.feed(data)))
            if block is None:
                self._text.feed(self._ends.feed(self._decoder.close()))
                self._text.close()
        sieve._is_noted = self._given_up is not None
        step = sieve._step_of(self._buffer.drained(), self._search, self._decoder, len(data), self._lines)
        if block is None:
            step = step._replace(tally=text_tally(Part(self._path), self._decoder, self._given_up))
        return step


class _PushedRows:
    """Sieves the bytes of one text of rows as they come; a row that is cut waits for its end.

    A reader asks for its blocks. So it runs in a thread, which goes on only while `feed` waits for it, up to
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


class FollowingSieve(PartSieve):
    """Sieves several texts by one set of settings, each as its bytes come."""

    def text(self, path: str) -> _PlainText | _PushedRows:
        """Return a sieve for the bytes of one text, that of a path, as they come: plain text, or the rows of a kind."""
        return self._pushed_rows(path) if self._settings.reading.input in OF_LINES else _PlainText(self, path)

    def _pushed_rows(self, path: str) -> _PushedRows:
        reading, failures, source = self._settings.reading, Failures(self._settings), source_name(path)
        kind = kind_named(reading.input)
        failures.begin(Part(path))

        def steps(blocks: Iterator[bytes]) -> Iterator[RunStep]:
            counted = Counted(blocks)
            documents = self._document_sieve(reading, failures)
            for batch in documents.batches(source, counted, kind=kind, is_due=counted.is_due):
                yield self._step(batch, counted.taken())._replace(failures=failures.taken())
            yield RunStep(size=counted.taken(), failures=failures.taken())

        return _PushedRows(steps, failures.tally)


# The kinds that are text line by line, as far as a file has grown: what follows a line does not change it.
_FOLLOWED: Final = OF_LINES | {Kind.TEXT, Kind.JSON}


def check_followed(paths: Iterable[str], kind: str) -> None:
    """Check that files are of kinds that can be followed, as far as they are there.

    Args:
        paths: the files.
        kind: the kind of input that is asked for; `auto` to look at what a file is. Whatever it is, what is packed
            cannot be followed.

    Raises:
        UsageError: a file is of another kind.
    """
    for path in paths:
        refusal = ""
        with suppress(OSError, ValueError):  # what cannot be read is reported, and waited for
            if S_ISREG(os.stat(path).st_mode):
                with open(path, "rb", buffering=0) as file:
                    refusal = _refusal(path, iter(partial(file.read, HEAD_SIZE), b""), kind)
        if refusal:
            raise UsageError(f"{path} {refusal}")


def _refusal(path: str, blocks: Iterator[bytes], kind: str) -> str:
    """Return why a file that begins with these blocks cannot be followed; "" if it can be. See `check_followed`."""
    found = peeked_kind(BlockReader(blocks), path)
    is_packed = found.form != Kind.TEXT.form
    if not is_packed and (found in _FOLLOWED or kind != InputKind.AUTO):
        return ""
    hint = "" if is_packed else "; --input text follows it as text"
    return (
        f"is {found.said} by its content, which cannot be followed: --follow reads plain text, and jsonl, csv and tsv "
        f"as they grow{hint}"
    )


def followed_steps(sieve: FollowingSieve, paths: Sequence[str], stop: Event, tally: Tally) -> Iterator[RunStep]:
    """Yield what is found in files as they grow, until `stop` is set.

    A candidate at the end of a file waits for what follows it, and a row of a kind of lines for its end. A file that
    was not there, or empty, and then begins as one of a kind that cannot be followed is not read.
    """
    texts: dict[str, _PlainText | _PushedRows] = {}
    refused: set[str] = set()
    for path, change, data in follow(paths, stop=stop, tally=tally):
        if not tally.is_empty:
            yield RunStep(tally=tally.taken())
        if change is Change.CAUGHT_UP:
            pause()
            continue
        text = texts.get(path)
        if change is Change.RESTARTED and text is not None:
            yield text.feed(None)
            del texts[path]
            text = None
        if change is Change.RESTARTED:
            refused.discard(path)
        if not data or path in refused:
            continue
        if text is None:
            refusal = _refusal(path, iter((data[:HEAD_SIZE],)), sieve._settings.reading.input)
            if refusal:
                refused.add(path)
                tally.fault("followed file", "another-kind", f"{path} {refusal}; it is not read")
                continue
            text = texts[path] = sieve.text(path)
        yield text.feed(data)
    for path, text in texts.items():
        yield text.feed(None)._replace(part=Part(path))
    if not tally.is_empty:
        yield RunStep(tally=tally.taken())
