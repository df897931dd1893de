"""A progress bar on standard error, for long work at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from urisieve.lean.hints import TYPE_CHECKING, Any, Final
from urisieve.sources.bytes.reading import source_size

if TYPE_CHECKING:
    from tqdm import tqdm

__all__ = ["DELAY", "LEAST_LEFT", "Progress", "watched"]

# Seconds before a bar may appear, and the seconds of work that must be left then.
DELAY: Final = 1.0
LEAST_LEFT: Final = 1.0


class Progress:
    """Counts bytes, and shows a bar if the work takes long.

    Args:
        total: the bytes to read; None if their number is not known, as for a pipe.
        clock: returns the time in seconds.
    """

    def __init__(self, total: int | None, clock: Callable[[], float] = time.perf_counter) -> None:
        self._total = total
        self._clock = clock
        self._started = clock()
        self._done = 0
        self._bar: tqdm[Any] | None = None

    def update(self, size: int) -> None:
        """Count `size` more bytes as read."""
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
        """Remove the bar from the screen until the next `update`."""
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        """Remove the bar from the screen, finally."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
            self._started = float("inf")

    def _show(self) -> tqdm[Any]:
        from tqdm import tqdm

        tqdm.monitor_interval = 0  # no thread
        return tqdm(total=self._total, initial=self._done, unit="B", unit_scale=True, leave=False, file=sys.stderr)


def watched(paths: Sequence[str], *, to_terminal: bool) -> Progress | None:
    """Return the progress over some sources; None if no bar is to be drawn.

    That is so if standard error is not a terminal, or if the records are written to a terminal.
    """
    if sys.stderr is None or not sys.stderr.isatty() or to_terminal:
        return None
    sizes = [source_size(path) for path in paths]
    known = [size for size in sizes if size is not None]
    return Progress(sum(known) if len(known) == len(sizes) else None)
