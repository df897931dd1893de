"""Work spread over processes or threads: results come in the order of the tasks, and few of them wait in memory."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from time import monotonic

from urisieve.errors import ProcessError, UsageError
from urisieve.finding_options import Options
from urisieve.lean import TYPE_CHECKING, Any, Final, Generic, Self, TypeAlias, TypeVar, cast
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
# A result of a task, marked as one; or, marked as none, the end of the task, or an exception to be raised.
_Message: TypeAlias = tuple[bool, Any]

# Tasks sent to one worker at a time: one that it works on, one that it finds when that is done.
_AHEAD: Final = 2
# Results of all workers that wait for those of earlier tasks; a worker whose share of them is full waits, too.
_WAITING: Final = 32
_LEAST_WAITING: Final = 2
# Seconds that a process may take to end before it is killed, and a thread before it is left.
_PATIENCE: Final = 5.0
# `PR_SET_PDEATHSIG` of Linux (prctl(2)).
_END_WITH_PARENT: Final = 1
# The number of handles that the system calls of Windows wait for.
_MOST: Final = 60


class Pool(ABC, Generic[Task, Result]):
    """Workers that each hold a function made from the same settings; as a context manager it ends them on the way out.

    A task waits as what `_next` takes, from the time it is sent until its results have all been yielded.
    """

    def __init__(self) -> None:
        self._tasks: deque[Any] = deque()

    @abstractmethod
    def _is_free(self) -> bool:
        """Report whether one more task is to be sent."""

    @abstractmethod
    def _begin(self, task: Task) -> Any:
        """Send a task, and return what waits for its results."""

    @abstractmethod
    def _next(self, waiting: Any) -> _Message | None:
        """Wait for the next message about a task; return None as soon as there is one about another task."""

    @abstractmethod
    def end(self) -> None:
        """End the workers, whatever they are doing."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield the results of all tasks, in order; tasks are taken from the iterable as workers come free.

        Raises:
            ProcessError: a worker has ended without being asked to.
        """
        remaining = iter(tasks)
        more = True
        while True:
            while more and self._is_free():
                more = False
                for task in remaining:
                    self._tasks.append(self._begin(task))
                    more = True
                    break
            if not self._tasks:
                return
            message = self._next(self._tasks[0])
            if message is None:  # a worker may be free
                continue
            is_result, value = message
            if is_result:
                yield value
            elif value is None:
                self._tasks.popleft()
            else:
                raise value

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


class Workers(Pool[Task, Result]):
    """Processes that share tasks.

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
        super().__init__()
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
        self._busy = dict.fromkeys(self._connections, 0)  # the tasks that each worker has not finished
        self._received: dict[Connection[Any, Any], deque[_Message]] = {one: deque() for one in self._connections}

    def _is_free(self) -> bool:
        return min(self._busy.values()) < _AHEAD

    def _begin(self, task: Task) -> Connection[Any, Any]:
        free = min(self._busy, key=self._busy.__getitem__)
        try:
            free.send(task)
        except OSError:
            raise self._failure(free) from None
        self._busy[free] += 1
        return free

    def _next(self, waiting: Connection[Any, Any]) -> _Message | None:
        from multiprocessing.connection import wait

        received = self._received
        if not received[waiting]:
            awaited = [one for one in self._busy if self._busy[one] and len(received[one]) < self._waiting]
            for ready in wait(awaited):
                one = cast("Connection[Any, Any]", ready)
                message = self._receive(one)
                received[one].append(message)
                self._busy[one] -= not message[0]
        return received[waiting].popleft() if received[waiting] else None

    def _receive(self, connection: Connection[Any, Any]) -> _Message:
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
        """See `Pool.end`."""
        for connection in self._connections:
            connection.close()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(_PATIENCE)
            if process.exitcode is None:  # it does not heed the signal
                process.kill()
                process.join()


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


def _send(connection: Connection[Any, Any], message: _Message) -> None:
    """Send a message; an object that cannot be sent is reported in its place."""
    try:
        connection.send(message)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        connection.send((False, ProcessError(f"a worker process cannot send what it has found ({error})")))


def _messages(work: Work[Any, Any], task: object) -> Iterator[_Message]:
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


# Tasks handed to each thread ahead of the one whose results are awaited.
_AHEAD_OF_THREAD: Final = 2
# Results of one task that wait; a thread that is further ahead waits itself.
_WAITING_OF_TASK: Final = 16
# Seconds between two looks whether a thread has ended.
_TURN: Final = 0.01


class _Ended(Exception):  # noqa: N818 - it is not an error: the results are not wanted
    """The results are not wanted any more."""


class Threads(Pool[Task, Result]):
    """Threads that share tasks, for work that releases the interpreter.

    Args:
        count: the number of threads.
        make: returns the work; called once in each thread with `settings`.
        settings: what `make` is called with.

    Raises:
        ProcessError: a thread cannot be started.
    """

    def __init__(self, count: int, make: Callable[[Settings], Work[Task, Result]], settings: Settings) -> None:
        super().__init__()
        self._sent: Queue[tuple[Task, Queue[_Message]] | None] = Queue()
        self._is_ended = False
        self._threads = [
            Thread(target=self._serve, args=(make, settings), name=f"urisieve-{number}", daemon=True)
            for number in range(count)
        ]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:
            self.end()
            raise ProcessError(f"no thread can be started ({error}): use one job") from error

    def _is_free(self) -> bool:
        return len(self._tasks) < len(self._threads) * _AHEAD_OF_THREAD

    def _begin(self, task: Task) -> Queue[_Message]:
        results: Queue[_Message] = Queue(_WAITING_OF_TASK)
        self._sent.put((task, results))
        return results

    def _next(self, waiting: Queue[_Message]) -> _Message:
        return waiting.get()

    def _serve(self, make: Callable[[Settings], Work[Task, Result]], settings: Settings) -> None:
        try:
            work = make(settings)
        except BaseException as error:
            made: BaseException | None = error
        else:
            made = None
        while (next_task := self._sent.get()) is not None:
            task, results = next_task
            try:
                if self._is_ended:
                    return
                if made is not None:
                    raise made
                for result in work(task):
                    self._put(results, True, result)
                self._put(results, False, None)
            except _Ended:
                return
            except BaseException as error:  # the caller waits for the results: it is raised there
                with suppress(_Ended):
                    self._put(results, False, error)

    def _put(self, results: Queue[_Message], is_result: bool, value: Any) -> None:
        if self._is_ended:
            raise _Ended
        results.put((is_result, value))

    def end(self) -> None:
        """See `Pool.end`; one that reads from a slow disk ends with the process."""
        self._is_ended = True
        for _ in self._threads:
            self._sent.put(None)
        deadline = monotonic() + _PATIENCE
        for thread in self._threads:
            while thread.is_alive() and monotonic() < deadline:
                for results in self._tasks:  # a thread may wait for room
                    with suppress(Empty):
                        results.get_nowait()
                thread.join(_TURN)
