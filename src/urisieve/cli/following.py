"""`urisieve extract --follow`: what is appended to files, sieved as it comes."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from select import select
from types import FrameType
from typing import Any

from urisieve.cli.arguments import ExtractSettings
from urisieve.cli.portion import Portion
from urisieve.cli.sieving import Sieving, TextSieve
from urisieve.runs.file_parts import Part
from urisieve.sources.containers.follow import Change, follow
from urisieve.sources.tally import Tally

__all__ = ["Stop", "followed_portions", "stopped_by_signals"]


class Stop:
    """What stops following; it can be set in a handler of a signal, at any time."""

    def __init__(self) -> None:
        self._reading, self._writing = socket.socketpair()
        self._is_set = False

    def set(self) -> None:
        """Let following come to its end."""
        if not self._is_set:
            self._is_set = True
            self._writing.send(b"x")

    def is_set(self) -> bool:
        """Whether to stop."""
        return self._is_set

    def wait(self, timeout: float) -> bool:
        """Wait until it is set, at most so many seconds; gives whether it is."""
        select([self._reading], [], [], timeout)
        return self._is_set

    def close(self) -> None:
        """Let go of what wakes it."""
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


def followed_portions(sieving: Sieving, settings: ExtractSettings, stop: Stop, tally: Tally) -> Iterator[Portion]:
    """What is found in files as they grow, until it is stopped; a candidate at the end waits for what follows it."""
    texts: dict[str, TextSieve[Any]] = {}
    for path, change, data in follow(settings.paths, stop=stop, tally=tally):
        if not tally.is_empty:
            yield Portion(tally=tally.taken())
        if change is Change.CAUGHT_UP:
            continue
        text = texts.get(path)
        if change is Change.RESTARTED and text is not None:
            yield text.close()
            text = None
        if text is None:
            text = texts[path] = sieving.text(path)
        if data:
            yield text.feed(data)
    for path, text in texts.items():
        yield text.close()._replace(part=Part(path))
    if not tally.is_empty:
        yield Portion(tally=tally.taken())
