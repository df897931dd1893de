"""Files that grow: appended text is sieved as it comes, until the run is stopped."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from select import select
from types import FrameType

from urisieve.lean import TYPE_CHECKING
from urisieve.runs.file_parts import Part
from urisieve.runs.part_sieve import PartSieve, TextSieve
from urisieve.runs.run_steps import RunStep
from urisieve.sources.containers.follow import Change, Event, follow
from urisieve.sources.tally import Tally

if TYPE_CHECKING:
    from urisieve.runs.pushed_rows import PushedRows


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


def followed_steps(sieve: PartSieve, paths: Sequence[str], stop: Event, tally: Tally) -> Iterator[RunStep]:
    """Yield what is found in files as they grow, until `stop` is set.

    A candidate at the end of a file waits for what follows it, and a row of a kind of lines for its end.
    """
    texts: dict[str, TextSieve | PushedRows] = {}
    for path, change, data in follow(paths, stop=stop, tally=tally):
        if not tally.is_empty:
            yield RunStep(tally=tally.taken())
        if change is Change.CAUGHT_UP:
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
