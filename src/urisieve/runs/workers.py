"""Work spread over processes: results come in the order of the tasks, and few of them wait in memory."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from urisieve.errors import ProcessError, UsageError
from urisieve.finding_options import Options
from urisieve.lean import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast
from urisieve.rules import plugins
from urisieve.rules.scheme_table import plugged as plugged_schemes
from urisieve.rules.table import plugged as plugged_namespaces
from urisieve.sources.bytes.reading import forget_pauses

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess


Settings = TypeVar("Settings")
Task = TypeVar("Task")
Result = TypeVar("Result")

# From a task to its results, one after the other.
Work = Callable[[Task], Iterable[Result]]

# Tasks sent to one worker at a time: one that it works on, one that it finds when that is done.
_AHEAD: Final = 2
# Results of all workers that wait for those of earlier tasks; a worker whose share of them is full waits, too.
_WAITING: Final = 32
_LEAST_WAITING: Final = 2
# Seconds that a process may take to end before it is killed.
_PATIENCE: Final = 5.0
# `PR_SET_PDEATHSIG` of Linux (prctl(2)).
_END_WITH_PARENT: Final = 1
# The number of handles that the system calls of Windows wait for.
_MOST: Final = 60


class Workers(Generic[Task, Result]):
    """Processes that each hold a function made from the same settings.

    As a context manager it ends them on the way out, whatever they are doing.

    Args:
        count: the number of processes.
        make: returns the work; called once in each process with `settings`. Like the settings, the tasks and the
            results it can be pickled.
        settings: what `make` is called with.
        method: how the processes start, by the names of `multiprocessing`: `spawn` anywhere; `fork`, at a tenth of the
            cost, in a process without threads.

    Raises:
        ProcessError: a process cannot be started.
    """

    def __init__(
        self,
        count: int,
        make: Callable[[Settings], Work[Task, Result]],
        settings: Settings,
        *,
        method: str = "spawn",
    ) -> None:
        from multiprocessing import get_context

        # A fault of a plug-in is reported once, here.
        plugged_schemes()
        plugged_namespaces()
        context: Any = get_context(method)  # each kind of context has its own kind of process
        count = min(count, _MOST)
        self._waiting = max(_LEAST_WAITING, _WAITING // count)
        self._processes: list[BaseProcess] = []
        self._connections: list[Connection[Any, Any]] = []
        try:
            for _ in range(count):
                ours, theirs = context.Pipe()
                self._connections.append(ours)
                inherited = list(self._connections) if method == "fork" else []
                parent = os.getpid() if method == "fork" else None
                process = context.Process(target=_serve, args=(theirs, inherited, parent, make, settings), daemon=True)
                try:
                    process.start()
                finally:
                    theirs.close()
                self._processes.append(process)
        except (OSError, AssertionError) as error:  # the second in a process that may not have children
            self.end()
            raise ProcessError(f"no process can be started ({error}): use one job") from error

    def map(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield the results of all tasks, in order; tasks are taken from the iterable as workers come free.

        Raises:
            ProcessError: a worker has ended without being asked to.
        """
        from multiprocessing.connection import wait

        waiting = iter(tasks)
        more = True
        owners: deque[Connection[Any, Any]] = deque()  # of the tasks whose results have not all been yielded
        busy = dict.fromkeys(self._connections, 0)  # tasks that a worker has not finished
        received: dict[Connection[Any, Any], deque[tuple[bool, Any]]] = {one: deque() for one in self._connections}
        while True:
            while more and min(busy.values()) < _AHEAD:
                try:
                    task = next(waiting)
                except StopIteration:
                    more = False
                    break
                free = min(busy, key=busy.__getitem__)
                self._send(free, task)
                busy[free] += 1
                owners.append(free)
            if not owners:
                return
            owner = owners[0]
            if received[owner]:
                is_result, value = received[owner].popleft()
                if is_result:
                    yield value
                else:
                    owners.popleft()
                continue
            awaited = [one for one in busy if busy[one] and len(received[one]) < self._waiting]
            for ready in wait(awaited):
                one = cast("Connection[Any, Any]", ready)
                message = self._receive(one)
                received[one].append(message)
                if not message[0]:
                    busy[one] -= 1

    def _send(self, connection: Connection[Any, Any], task: Task) -> None:
        try:
            connection.send(task)
        except OSError:
            raise self._failure(connection) from None

    def _receive(self, connection: Connection[Any, Any]) -> tuple[bool, Any]:
        try:
            is_result, value = connection.recv()
        except (EOFError, OSError):
            raise self._failure(connection) from None
        if not is_result and value is not None:
            raise value
        return is_result, value

    def _failure(self, connection: Connection[Any, Any]) -> ProcessError:
        process = self._processes[self._connections.index(connection)]
        process.join(1)
        return ProcessError(
            f"a worker process has ended (exit code {process.exitcode}): if memory ran out, use fewer jobs; "
            "in a script, the call must be under `if __name__ == '__main__':`; one job needs no worker processes"
        )

    def end(self) -> None:
        """End the processes."""
        for connection in self._connections:
            connection.close()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(_PATIENCE)
            if process.exitcode is None:  # it does not heed the signal
                process.kill()
                process.join()

    def __enter__(self) -> Workers[Task, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _ignored(_message: str) -> None:
    """Ignore a message: the process that sends the tasks has reported it already."""


def _serve(
    connection: Connection[Any, Any],
    inherited: list[Connection[Any, Any]],
    parent: int | None,
    make: Callable[[Any], Work[Any, Any]],
    settings: object,
) -> None:
    """Work until the connection is closed; Ctrl-C is handled by the process that sends the tasks.

    Args:
        connection: the way to that process.
        inherited: the other ends of connections that were copied from it.
        parent: its number if it made this one by a copy of itself, and has one thread.
        make: see `Workers`.
        settings: see `Workers`.
    """
    import signal

    if parent is not None:
        _end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    forget_pauses()
    for other in inherited:  # while a copy of the other end is open here, closing it has no effect
        other.close()
    plugins.tell_to(_ignored)
    work = make(settings)
    try:
        while True:
            for message in _messages(work, connection.recv()):
                _send(connection, message)
    except (EOFError, OSError):  # no process waits for results
        return
    except MemoryError:  # the process that sends the tasks reports it
        raise SystemExit(1) from None


def _end_with(parent: int) -> None:
    """Let the system kill this process when its parent ends, which one that is stopped cannot notice itself.

    The parent must have one thread: the system takes the end of the thread that made this process for its end.
    """
    from ctypes import CDLL
    from signal import SIGKILL

    with suppress(AttributeError):  # a system that cannot
        CDLL(None).prctl(_END_WITH_PARENT, SIGKILL)
    if os.getppid() != parent:  # it has ended already
        os._exit(1)


def _send(connection: Connection[Any, Any], message: tuple[bool, Any]) -> None:
    """Send a message; an object that cannot be sent is reported in its place."""
    try:
        connection.send(message)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        connection.send((False, ProcessError(f"a worker process cannot send what it has found ({error})")))


def _messages(work: Work[Any, Any], task: object) -> Iterator[tuple[bool, Any]]:
    """Yield the results of a task, each marked as one, then an exception, or the mark of its end."""
    try:
        for result in work(task):
            yield True, result
    except Exception as error:
        from traceback import format_exc

        error.add_note(f"In a worker process:\n{format_exc()}")
        yield False, error
    yield False, None


def check_can_travel(options: Options) -> None:
    """Check that the rules of some options can be sent to other processes.

    Raises:
        UsageError: they cannot.
    """
    import pickle

    try:
        pickle.dumps(options.rules)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"rules: other processes cannot be given these rows ({error}); their functions must be those of a module, "
            "not lambdas or functions inside others; or use jobs=1"
        ) from error


def start_method() -> str:
    """Return the quickest method to start processes that is safe in this one; see `Workers`."""
    return "fork" if sys.platform == "linux" and _is_only_thread() else "spawn"


def _is_only_thread() -> bool:
    """Report whether this process has one thread, so that a copy of it finds no lock that another thread holds.

    The threads of compiled libraries count: Python knows nothing of those of pyarrow or Polars.
    """
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False
