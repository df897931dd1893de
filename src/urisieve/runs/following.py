"""Files that grow: the bytes appended to them, as by `tail -F`, are sieved as they come, until the run is stopped.

Files are polled with the standard library: the notifications of kernels differ, and they do not cover network file
systems. A file that is truncated and grows to its old size or beyond it between two polls is known by its first bytes
and by those before the offset that was reached, which are others then.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, auto
from functools import partial
from io import FileIO
from queue import Empty, SimpleQueue
from stat import S_ISREG
from threading import Semaphore, Thread
from types import FrameType

from urisieve.errors import InputError, UsageError
from urisieve.find.searches import make_search
from urisieve.lean import Final, NamedTuple, Protocol
from urisieve.records.batch import BatchBuffer
from urisieve.runs.file_parts import Part, decoder_for, text_tally
from urisieve.runs.part_sieve import Counted, Failures, PartSieve, watched_text
from urisieve.runs.run_steps import RunStep, sum_of_steps
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.reading import BLOCK_SIZE, pause, source_name
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind, is_given_up, kind_named
from urisieve.sources.kinds.sniffing import csv_delimiter_of_text, kind_of, peeked_kind
from urisieve.sources.plain_text import CellEnds
from urisieve.sources.reading_options import OF_LINES, InputKind, promised_text
from urisieve.sources.tally import Tally
from urisieve.wording import printable


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


# Seconds between polls of files that do not grow; `tail -f` waits one second.
_INTERVAL: Final = 0.5
# Blocks that are read of one file before the others are polled.
_TURN: Final = 16
# The bytes that are kept of the start of a file, and as many of the last ones read: some lines, which hold a time.
_SAMPLE: Final = 1_024


class Event(Protocol):
    """A signal to stop following, such as `threading.Event`."""

    def is_set(self) -> bool:
        """Report whether to stop."""

    def wait(self, timeout: float) -> bool:
        """Wait until it is set, at most `timeout` seconds; return whether it is set."""


class Change(Enum):
    """The kinds of change that `Followed` reports."""

    GREW = auto()
    """Bytes were appended."""
    RESTARTED = auto()
    """Another text begins: the file was replaced or truncated, or appeared. No identifier joins across it."""
    CAUGHT_UP = auto()
    """All bytes of all files have been read, at each look: output may be flushed, and messages may be shown."""


class Followed(NamedTuple):
    """One change: the path ("" if it concerns all files), its kind, and the bytes appended if the file grew."""

    path: str
    change: Change
    data: bytes = b""


def follow(paths: Sequence[str], *, stop: Event, tally: Tally) -> Iterator[Followed]:
    """Yield the bytes appended to files, until `stop` is set.

    A file that is renamed is read to its end before the file that takes its name; a file that shrinks, or no longer
    begins with what was read, is read again from its start; a missing file is waited for. Blocks may end within a line
    or a character.

    Args:
        paths: the files.
        stop: ends following; bytes that are already in the files are yielded before.
        tally: counts files and changes; its messages are like those of `tail`.
    """
    files = [_File(path, tally) for path in dict.fromkeys(paths)]
    try:
        for file in files:
            file.open()
        while True:
            stopping = stop.is_set()
            busy = False
            for file in files:
                for event in file.look():
                    busy = True
                    yield event
            if busy and not stopping:
                continue
            yield Followed("", Change.CAUGHT_UP)
            if stopping:
                return
            stop.wait(_INTERVAL)
    finally:
        for file in files:
            file.close()


class _File:
    """One path, and the file that it names at the time."""

    def __init__(self, path: str, tally: Tally) -> None:
        self._path = path
        self._tally = tally
        self._file: FileIO | None = None
        self._identity: tuple[int, int] | None = None
        self._offset = 0
        self._first = self._last = b""  # samples of what stands before the offset: the first bytes, and the last
        self._complained = False
        self._is_unreadable = False  # though it can be opened
        self._is_announced = False  # that a text begins, of which nothing has been read yet

    def look(self) -> Iterator[Followed]:
        """Yield the changes since the last poll; at most `_TURN` blocks at a time."""
        if self._file is None:
            if not self.open():
                return
            if self._offset == 0 and not self._is_announced:
                self._is_announced = True
                yield Followed(self._path, Change.RESTARTED)
        if self._is_rewritten():
            self._tally.messages.append(f"{printable(self._path)}: was cut and written anew; it is read from its start")
            yield self._truncated()
        yield from self._grown()
        if self._file is None or self._size() > self._offset:
            return
        status = self._status()
        if status is None:
            return
        size, identity = status
        if identity != self._identity:
            # The writer that had it open under its old name may have written since it was read.
            offset = -1
            while self._file is not None and offset < self._offset:
                offset = self._offset
                yield from self._grown()
            self.close()
            if self.open():
                self._tally.read["replacement of a followed file"] += 1
                yield Followed(self._path, Change.RESTARTED)
                yield from self._grown()
        elif size < self._offset:
            yield self._truncated()
            yield from self._grown()

    def _truncated(self) -> Followed:
        """Begin again at the start of the file."""
        self._tally.read["truncation of a followed file"] += 1
        self._begin()
        return Followed(self._path, Change.RESTARTED)

    def _begin(self) -> None:
        self._offset = 0
        self._first = self._last = b""

    def close(self) -> None:
        """Close the file, if it is open."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def open(self) -> bool:
        """Open the file; return whether that is possible."""
        try:
            if not S_ISREG(os.stat(self._path).st_mode):  # opening a FIFO would wait for a writer
                raise InputError("is not a file that can be followed")
            file = open(self._path, "rb", buffering=0)  # noqa: SIM115 - it stays open between polls
            status = os.fstat(file.fileno())
        except (OSError, ValueError, InputError) as error:
            self._complain(error)
            return False
        identity = (status.st_dev, status.st_ino)
        if identity != self._identity or status.st_size < self._offset:
            self._begin()
        if self._identity is None:
            self._tally.read["followed file"] += 1
        self._file = file
        self._identity = identity
        self._complained = self._is_unreadable
        return True

    def _complain(self, error: OSError | ValueError | InputError) -> None:
        """Report once that the file cannot be read, and wait for it."""
        if self._complained:
            return
        self._complained = True
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, FileNotFoundError):
            self._tally.skip("followed file", "missing")
            self._tally.messages.append(f"{printable(self._path)}: {reason}; waiting for it")
        else:
            self._tally.fault("followed file", "unreadable", f"{self._path}: {reason}; waiting for it")

    def _grown(self) -> Iterator[Followed]:
        for _ in range(_TURN):
            data = self._read()
            if not data:
                return
            yield Followed(self._path, Change.GREW, data)

    def _read(self) -> bytes:
        assert self._file is not None
        try:
            self._file.seek(self._offset)
            data = self._file.read(BLOCK_SIZE)
        except OSError as error:
            self._complain(error)
            self._is_unreadable = True
            self.close()
            return b""
        self._is_unreadable = False
        self._offset += len(data)
        self._first += data[: _SAMPLE - len(self._first)]
        self._last = (self._last + data[-_SAMPLE:])[-_SAMPLE:]
        self._is_announced = self._is_announced and not data
        return data

    def _sample(self, first: int, last: int) -> tuple[bytes, bytes]:
        """Return so many of the first bytes of the file, and so many of the last ones before the offset."""
        assert self._file is not None
        last = min(last, self._offset)
        self._file.seek(0)
        begun = self._file.read(min(first, self._offset))
        self._file.seek(self._offset - last)
        return begun, self._file.read(last)

    def _is_rewritten(self) -> bool:
        """Report whether other bytes than those that were read stand before the offset."""
        if not self._last or self._size() < self._offset:  # what has become shorter is known by its size
            return False
        try:
            return self._sample(len(self._first), len(self._last)) != (self._first, self._last)
        except OSError:
            return False  # said when it is read

    def _size(self) -> int:
        """Return the size of the file, 0 if it cannot be had."""
        try:
            return 0 if self._file is None else os.fstat(self._file.fileno()).st_size
        except OSError:
            return 0

    def _status(self) -> tuple[int, tuple[int, int]] | None:
        """Return the size and identity of the file at the path now; None if there is none."""
        try:
            status = os.stat(self._path)
        except OSError as error:
            self._complain(error)
            return None
        return status.st_size, (status.st_dev, status.st_ino)
