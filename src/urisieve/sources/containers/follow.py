"""Files that grow: what is appended to them, as `tail -F` gives it.

Polling with the standard library: what kernels tell of changes differs, and of network file systems they tell nothing.
A file that is truncated and grows beyond its old size between two looks is taken for one that grew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from io import FileIO
from stat import S_ISREG
from typing import Final, NamedTuple, Protocol

from urisieve.errors import InputError, UsageError
from urisieve.printable import printable
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.documents import Tally

__all__ = ["INTERVAL", "Change", "Event", "FollowFrom", "Followed", "follow"]

# Seconds between looks at files that do not grow; `tail -f` has one second.
INTERVAL: Final = 0.5
# Blocks of one file before the others have their turn.
_TURN: Final = 16


class Event(Protocol):
    """What stops following, as `threading.Event` does."""

    def is_set(self) -> bool:
        """Whether to stop."""

    def wait(self, timeout: float) -> bool:
        """Wait until it is set, at most so many seconds; gives whether it is."""


class FollowFrom(Enum):
    """Where reading begins in files that are there at the start."""

    START = auto()
    END = auto()


class Change(Enum):
    """What `Followed` tells."""

    GREW = auto()
    """Bytes were appended."""
    RESTARTED = auto()
    """What follows is another text: the file was replaced or truncated, or appeared anew. Nothing joins across it."""
    CAUGHT_UP = auto()
    """All that there is of all files has been given: time to flush."""


class Followed(NamedTuple):
    """One thing that happened: the path ("" where it is of all), what, and the bytes where it grew."""

    path: str
    change: Change
    data: bytes = b""


def follow(
    paths: Sequence[str],
    *,
    stop: Event,
    tally: Tally,
    start: FollowFrom = FollowFrom.START,
    interval: float = INTERVAL,
) -> Iterator[Followed]:
    """What is appended to files, until it is told to stop.

    A file that is renamed is read to its end before the one that takes its name is begun; one that shrinks is read from
    its start; one that is missing is waited for. Blocks are cut anywhere: in a line, in a character.

    Args:
        paths: the files.
        stop: ends it; what is there already is given before that.
        tally: where files, and what happens to them, are counted; messages are as `tail` has them.
        start: where reading begins in files that are there at the start; those that appear later are read whole.
        interval: seconds between looks.

    Raises:
        UsageError: there is nothing to follow.
    """
    if not paths or interval <= 0:
        raise UsageError("follow needs paths, and an interval above 0")
    return _follow([_File(path, tally) for path in dict.fromkeys(paths)], stop, start, interval)


def _follow(files: list[_File], stop: Event, start: FollowFrom, interval: float) -> Iterator[Followed]:
    try:
        for file in files:
            file.begin(start)
        quiet = False
        while True:
            stopping = stop.is_set()
            busy = False
            for file in files:
                for event in file.look():
                    busy = True
                    yield event
            if busy:
                quiet = False
                if not stopping:
                    continue
            if not quiet:
                quiet = True
                yield Followed("", Change.CAUGHT_UP)
            if stopping:
                return
            stop.wait(interval)
    finally:
        for file in files:
            file.close()


class _File:
    """One file by its path, whichever that is at the time."""

    def __init__(self, path: str, tally: Tally) -> None:
        self._path = path
        self._tally = tally
        self._file: FileIO | None = None
        self._identity: tuple[int, int] | None = None
        self._place = 0
        self._complained = False

    def begin(self, start: FollowFrom) -> None:
        """Open it, if it is there."""
        if self._open() and start is FollowFrom.END and self._file is not None:
            self._place = self._file.seek(0, os.SEEK_END)

    def look(self) -> Iterator[Followed]:
        """What has happened since the last look; at most a turn's worth of bytes."""
        if self._file is None:
            if not self._open():
                return
            if self._place == 0:
                yield Followed(self._path, Change.RESTARTED)
        yield from self._grown()
        if self._file is None or not self._at_end():
            return
        status = self._status()
        if status is None:
            return
        size, identity = status
        if identity != self._identity:
            # Whoever had it open under its old name may have written since we read.
            place = -1
            while self._file is not None and place < self._place:
                place = self._place
                yield from self._grown()
            self.close()
            if self._open():
                self._tally.read["replacement of a followed file"] += 1
                yield Followed(self._path, Change.RESTARTED)
                yield from self._grown()
        elif size < self._place:
            self._tally.read["truncation of a followed file"] += 1
            self._place = 0
            yield Followed(self._path, Change.RESTARTED)
            yield from self._grown()

    def close(self) -> None:
        """Close what is open."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def _open(self) -> bool:
        try:
            if not S_ISREG(os.stat(self._path).st_mode):  # opening a FIFO would wait for a writer
                raise InputError("is no file that can be followed")
            file = open(self._path, "rb", buffering=0)  # noqa: SIM115 - it stays open between looks
            status = os.fstat(file.fileno())
        except (OSError, ValueError, InputError) as error:
            self._complain(error)
            return False
        identity = (status.st_dev, status.st_ino)
        if identity != self._identity or status.st_size < self._place:
            self._place = 0
        if self._identity is None:
            self._tally.read["followed file"] += 1
        self._file = file
        self._identity = identity
        self._complained = False
        return True

    def _complain(self, error: OSError | ValueError | InputError) -> None:
        """Say once that there is nothing to read, and wait."""
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
            self._file.seek(self._place)
            data = self._file.read(BLOCK_SIZE)
        except OSError as error:
            self._complain(error)
            self.close()
            return b""
        self._place += len(data)
        return data

    def _at_end(self) -> bool:
        if self._file is None:
            return True
        try:
            return os.fstat(self._file.fileno()).st_size <= self._place
        except OSError:
            return True

    def _status(self) -> tuple[int, tuple[int, int]] | None:
        """The size and identity of what has the path now; None where nothing has."""
        try:
            status = os.stat(self._path)
        except OSError as error:
            self._complain(error)
            return None
        return status.st_size, (status.st_dev, status.st_ino)
