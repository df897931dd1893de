"""A progress bar on standard error, for long work that somebody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from urisieve.sources.bytes.reading import source_size

if TYPE_CHECKING:
    from tqdm import tqdm

__all__ = ["DELAY", "LEAST_LEFT", "Progress", "watched"]

# Seconds before a bar may come up, and what must be left then for it to be worth while.
DELAY: Final = 1.0
LEAST_LEFT: Final = 1.0


class Progress:
    """Counts bytes, and shows a bar once the work turns out to be long.

    Args:
        total: the bytes to come, None where they cannot be known, as from a pipe.
        clock: gives seconds.
    """

    def __init__(self, total: int | None, clock: Callable[[], float] = time.perf_counter) -> None:
        self._total = total
        self._clock = clock
        self._started = clock()
        self._done = 0
        self._bar: tqdm[Any] | None = None

    def update(self, size: int) -> None:
        """Count `size` more bytes as done."""
        self._done += size
        if self._bar is not None:
            self._bar.update(size)
            return
        elapsed = self._clock() - self._started
        if elapsed >= DELAY and (
            self._total is None or elapsed * (self._total - self._done) >= LEAST_LEFT * self._done
        ):
            self._bar = self._show()

    def hide(self) -> None:
        """Take the bar off the screen; it comes back with the next `update`."""
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        """Take the bar off the screen for good."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
            self._started = float("inf")

    def _show(self) -> tqdm[Any]:
        from tqdm import tqdm

        tqdm.monitor_interval = 0  # no thread
        return tqdm(total=self._total, initial=self._done, unit="B", unit_scale=True, leave=False, file=sys.stderr)


def watched(paths: Sequence[str], *, to_terminal: bool) -> Progress | None:
    """Progress over the sources, or None where a bar would be in the way or could not be drawn.

    That is: standard error is no terminal, or the records themselves go to a terminal.
    """
    if sys.stderr is None or not sys.stderr.isatty() or to_terminal:
        return None
    sizes = [source_size(path) for path in paths]
    known = [size for size in sizes if size is not None]
    return Progress(sum(known) if len(known) == len(sizes) else None)
