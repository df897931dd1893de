"""Work spread over threads, for what releases the interpreter: results come in the order of the tasks."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, Queue
from time import monotonic

from urisieve.errors import ProcessError
from urisieve.lean import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from urisieve.runs.workers import Work


Settings = TypeVar("Settings")
Task = TypeVar("Task")
Result = TypeVar("Result")

# Tasks handed to each thread ahead of the one whose results are awaited.
_AHEAD: Final = 2
# Results of one task that wait; a thread that is further ahead waits itself.
_WAITING: Final = 16
# The seconds in which a thread ends that is asked to; one that reads from a slow disk is left to end with the process.
_PATIENCE: Final = 5.0
_TURN: Final = 0.01


class _Ended(Exception):  # noqa: N818 - it is not an error: the results are not wanted
    """The results are not wanted any more."""


# The results of one task, in order, each marked as one; then, marked as none, the end, or an exception to be raised.
_Results: TypeAlias = "Queue[tuple[bool, Any]]"


class Threads(Generic[Task, Result]):
    """Threads that each hold a function made from the same settings; `urisieve.runs.workers.Workers` for threads.

    As a context manager it ends them on the way out.

    Args:
        count: the number of threads.
        make: returns the work; called once in each thread with `settings`.
        settings: what `make` is called with.

    Raises:
        ProcessError: a thread cannot be started.
    """

    def __init__(self, count: int, make: Callable[[Settings], Work[Task, Result]], settings: Settings) -> None:
        self._tasks: Queue[tuple[Task, _Results] | None] = Queue()
        self._results: deque[_Results] = deque()  # of the tasks whose results have not all been yielded
        self._is_ended = False
        self._threads = [
            threading.Thread(target=self._serve, args=(make, settings), name=f"urisieve-{number}", daemon=True)
            for number in range(count)
        ]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:
            self.end()
            raise ProcessError(f"no thread can be started ({error}): use one job") from error

    def map(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield the results of all tasks, in order; tasks are taken from the iterable as threads come free."""
        waiting = self._results
        remaining = iter(tasks)
        most = len(self._threads) * _AHEAD
        while True:
            while len(waiting) < most:
                try:
                    task = next(remaining)
                except StopIteration:
                    most = 0
                    break
                results: _Results = Queue(_WAITING)
                waiting.append(results)
                self._tasks.put((task, results))
            if not waiting:
                return
            is_result, value = waiting[0].get()
            if is_result:
                yield value
            elif value is None:
                waiting.popleft()
            else:
                raise value

    def _serve(self, make: Callable[[Settings], Work[Task, Result]], settings: Settings) -> None:
        try:
            work = make(settings)
        except BaseException as error:
            made: BaseException | None = error
        else:
            made = None
        while (next_task := self._tasks.get()) is not None:
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

    def _put(self, results: _Results, is_result: bool, value: Any) -> None:
        if self._is_ended:
            raise _Ended
        results.put((is_result, value))

    def end(self) -> None:
        """End the threads, whatever they are doing."""
        self._is_ended = True
        for _ in self._threads:
            self._tasks.put(None)
        deadline = monotonic() + _PATIENCE
        for thread in self._threads:
            while thread.is_alive() and monotonic() < deadline:
                for results in self._results:  # a thread may wait for room
                    with suppress(Empty):
                        results.get_nowait()
                thread.join(_TURN)

    def __enter__(self) -> Threads[Task, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
