"""Termination by a signal, in such a way that open files and stores are closed."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from urisieve.lean.hints import Any, Final, NoReturn

__all__ = ["unwound_on_termination"]

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP")  # some systems do not have the last
_IMPORTS: Final = "<frozen importlib._bootstrap"
# The frames in which the runs that are going on have begun.
_begun: Final[list[FrameType]] = []


def _leave(number: int, frame: FrameType | None) -> None:
    """Raise the exception of a signal; in an import, raise it behind that.

    Some of what is raised in an import is lost (in the callbacks of its locks), or becomes another exception (while a
    class is made). So the importer is traced: its next step raises.
    """
    error = KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)
    importer = _importer(frame)
    if importer is None or sys.gettrace() is not None:
        raise error

    def step(_frame: FrameType, _event: str, _argument: Any) -> NoReturn:
        sys.settrace(None)
        raise error

    importer.f_trace = step
    sys.settrace(_untraced)


def _untraced(_frame: FrameType, _event: str, _argument: Any) -> None:
    """Trace no frame that begins."""


def _importer(frame: FrameType | None) -> FrameType | None:
    """Return the outermost frame of the run that is importing something, or None."""
    found = None
    while frame is not None and frame not in _begun:
        if frame.f_code.co_filename.startswith(_IMPORTS):
            found = frame.f_back
        frame = frame.f_back
    return found


@contextmanager
def unwound_on_termination() -> Iterator[None]:
    """Raise SystemExit for SIGTERM and SIGHUP, as Ctrl-C raises an exception, so that incomplete files are removed.

    A signal that is ignored (`nohup`) or has a handler stays so. Outside the main thread it does nothing.
    """
    changed = {}
    try:
        for name in _NAMES:
            number = getattr(signal, name, None)
            before = None if number is None else signal.getsignal(number)
            if number is not None and before in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _leave)
                changed[number] = before
    except ValueError:  # not the main thread
        pass
    _begun.append(sys._getframe(2))  # behind that of `contextlib`
    try:
        yield
    finally:
        _begun.pop()
        for number, before in changed.items():
            signal.signal(number, before)
