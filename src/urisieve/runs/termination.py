"""Termination by a signal, in such a way that open files and stores are closed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from urisieve.lean.hints import Final, NoReturn

__all__ = ["unwound_on_termination"]

_NAMES: Final = ("SIGTERM", "SIGHUP")  # some systems do not have the second


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


@contextmanager
def unwound_on_termination() -> Iterator[None]:
    """Raise SystemExit for SIGTERM and SIGHUP, as Ctrl-C raises an exception, so that incomplete files are removed.

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
