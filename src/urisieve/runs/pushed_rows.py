"""A reader of blocks whose blocks are pushed to it: it runs in a thread of its own, and never at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from threading import Semaphore, Thread

from urisieve.lean import Final
from urisieve.runs.run_steps import RunStep, sum_of_steps
from urisieve.sources.tally import Tally

# The most bytes of a first line that are waited for.
_FIRST_LINE: Final = 4_096


def begun(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first line at least, and all blocks."""
    first = b""
    for block in blocks:
        first += block
        if b"\n" in first or len(first) >= _FIRST_LINE:
            break
    return first, chain((first,), blocks)


class PushedRows:
    """Sieves the bytes of one text of rows as they come; a row that is cut waits for its end.

    A reader asks for its blocks. So it runs in a thread, which goes on only while `feed` or `close` waits for it, up to
    the next block that it asks for.

    Args:
        read: makes steps of blocks.
        tally: what the reader counts in.
    """

    def __init__(self, read: Callable[[Iterator[bytes]], Iterator[RunStep]], tally: Tally) -> None:
        self._read = read
        self._tally = tally
        self._block: bytes | None = None  # that was pushed; None for the end
        self._steps: list[RunStep] = []
        self._error: BaseException | None = None
        self._has_ended = False
        self._pushed, self._wanted = Semaphore(0), Semaphore(0)
        self._thread = Thread(target=self._run, daemon=True)  # one that waits does not hold up the end of the process
        self._thread.start()

    def _run(self) -> None:
        self._pushed.acquire()
        try:
            for step in self._read(self._blocks()):
                self._steps.append(step)
        except BaseException as error:
            self._error = error
        self._has_ended = True
        self._wanted.release()

    def _blocks(self) -> Iterator[bytes]:
        while self._block is not None:
            yield self._block
            self._wanted.release()
            self._pushed.acquire()

    def feed(self, data: bytes) -> RunStep:
        """Take the next bytes, and return their step.

        Raises:
            Exception: the reader has raised it.
        """
        return self._push(data)

    def close(self) -> RunStep:
        """End the text, and return the last step.

        Raises:
            Exception: the reader has raised it.
        """
        step = self._push(None)
        self._thread.join()
        return step

    def _push(self, block: bytes | None) -> RunStep:
        if not self._has_ended:
            self._block = block
            self._pushed.release()
            self._wanted.acquire()
        error, self._error = self._error, None
        if error is not None:
            raise error
        steps, self._steps = self._steps, []
        step = sum_of_steps(steps) if steps else RunStep()
        return step if self._tally.is_empty else step._replace(tally=self._tally.taken())
