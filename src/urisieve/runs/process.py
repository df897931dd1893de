"""The process of a run: how a signal ends it, so that open files and stores are closed, and its memory.

A run makes many records that live shortly: when cycles are looked for, and what freed memory is kept for more.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from urisieve.lean import TYPE_CHECKING, Any, Final, NoReturn, Self, imported

if TYPE_CHECKING:
    from mmap import mmap

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP")  # some systems do not have the last
_IMPORTS: Final = "<frozen importlib._bootstrap"


@contextmanager
def unwound_on_termination() -> Iterator[None]:
    """Raise SystemExit for SIGTERM and SIGHUP, as Ctrl-C raises an exception, so that incomplete files are removed.

    What is raised in an import, Ctrl-C too, is raised after it: there it may be lost. A signal that is ignored
    (`nohup`) or has a handler stays so. Outside the main thread it does nothing.
    """
    signal = imported("_signal")  # `signal` wraps its numbers in enums; only commands that write need it

    begun = sys._getframe(2)  # after that of `contextlib`

    def leave(number: int, frame: FrameType | None) -> None:
        error = KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)
        importer = _importer(frame, begun)
        if importer is None or sys.gettrace() is not None:
            raise error
        _raise_in(importer, error)

    changed = {}
    try:
        for name in _NAMES:
            number = getattr(signal, name, None)
            before = None if number is None else signal.getsignal(number)
            if number is not None and before in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, leave)
                changed[number] = before
    except ValueError:  # not the main thread
        pass
    try:
        yield
    finally:
        for number, before in changed.items():
            signal.signal(number, before)


def _importer(frame: FrameType | None, begun: FrameType) -> FrameType | None:
    """Return the outermost frame of a run, which `begun` has begun, that is importing something, or None."""
    found = None
    while frame is not None and frame is not begun:
        if frame.f_code.co_filename.startswith(_IMPORTS):
            found = frame.f_back
        frame = frame.f_back
    return found


def _raise_in(importer: FrameType, error: BaseException) -> None:
    """Raise an exception in the next step of a frame that is importing something.

    Some of what is raised in an import is lost (in the callbacks of its locks), or becomes another exception (while a
    class is made).
    """

    def step(_frame: FrameType, _event: str, _argument: Any) -> NoReturn:
        sys.settrace(None)
        raise error

    importer.f_trace = step
    sys.settrace(_untraced)


def _untraced(_frame: FrameType, _event: str, _argument: Any) -> None:
    """Trace no frame that begins."""


# The number of objects after which the collector looks for cycles. Records form none, and each pass over them costs a
# tenth of the time in which they are made.
_SELDOM: Final = 200_000
# The C library of Linux gives free memory back, and asks for it anew with each block, until a piece as large as this
# was freed: on a mailbox that took a tenth of the time.
_KEPT: Final = 4_194_304


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let the collector run seldom inside the context; restore its settings at the end."""
    before = gc.get_threshold()
    gc.set_threshold(_SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


# What a run is ended with; between two steps it needs hardly more. No page of it is touched.
_RESERVE: Final = 4_194_304
# The identifiers, steps or KiB together after which memory is looked at: these take less than the reserve.
_OFTEN: Final = 1_024


class Reserve:
    """Memory that is kept for the end of a run.

    Where nothing is left at all the interpreter itself loops or crashes on its way out of a call, so that the run has
    to end before that. As a context manager it is there for what is inside, and for an exception that leaves it not.

    Raises:
        MemoryError: there is none.
    """

    def __init__(self) -> None:
        self._held = _mapped()
        self._done = _OFTEN

    def check(self, found: int, size: int) -> None:
        """Check that there is as much left, after so many identifiers and bytes more.

        Raises:
            MemoryError: there is not; the reserve is free from then on.
        """
        self._done += 1 + found + size // _OFTEN
        if self._done < _OFTEN:
            return
        self._done = 0
        try:
            _mapped().close()
        except MemoryError:
            self._held.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()


def _mapped() -> mmap:
    """Return memory of the system, which no allocator has."""
    from mmap import mmap

    try:
        return mmap(-1, _RESERVE)
    except OSError as error:
        raise MemoryError from error


def keep_freed_memory() -> None:
    """Let the process keep the memory that it frees for what it makes next; called once, where a process begins."""
    bytes(_KEPT)


def left_to_the_end() -> None:
    """Let the end of the process free all objects without a last look for cycles, which takes some milliseconds."""
    if "duckdb" not in sys.modules:  # it would list all its objects as leaks, on standard error
        gc.freeze()
