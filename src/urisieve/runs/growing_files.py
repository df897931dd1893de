"""The bytes appended to files, as by `tail -F`: files are polled.

That is done with the standard library: the notifications of kernels differ, and they do not cover network file systems.
A file that is truncated and grows to its old size or beyond it between two polls is known by its first bytes and by
those before the offset that was reached, which are others then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from io import FileIO
from stat import S_ISREG

from urisieve.errors import InputError
from urisieve.lean import Final, NamedTuple, Protocol
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.tally import Tally
from urisieve.wording import printable

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
