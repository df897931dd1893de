"""Ending in good order when asked to by a signal."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

__all__ = ["unwound_on_termination"]

_NAMES: Final = ("SIGTERM", "SIGHUP")  # the second is unknown to some systems


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


@contextmanager
def unwound_on_termination() -> Iterator[None]:
    """Let SIGTERM and SIGHUP leave by an exception, as Ctrl-C does, so that unfinished files are removed.

    A signal that is ignored (`nohup`) stays ignored. Outside the main thread it does nothing.
    """
    changed = []
    try:
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _leave)
                changed.append(number)
    except ValueError:  # not the main thread
        pass
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
