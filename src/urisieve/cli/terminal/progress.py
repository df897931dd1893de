"""A line of progress on standard error, for long work at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.records.masking import masked_name
from urisieve.sources.bytes.reading import STANDARD_INPUT, source_size
from urisieve.wording import printable

if TYPE_CHECKING:
    from tqdm import tqdm


# Seconds before a line may appear, and the seconds of work that must be left then.
DELAY: Final = 1.0
LEAST_LEFT: Final = 1.0
# The columns of a terminal whose width is not known, and the fewest that the name of a file is worth.
_USUAL_WIDTH: Final = 80
_SHORTEST_NAME: Final = 8
_GAP: Final = "  "


class Progress:
    """Counts bytes, and shows a line if the work takes long.

    Args:
        total: the bytes to read; None if their number is not known, as for a pipe.
        clock: returns the time in seconds.
    """

    def __init__(self, total: int | None, clock: Callable[[], float] = time.perf_counter) -> None:
        self._total = total
        self._clock = clock
        self._started = clock()
        self._done = 0
        self._found: int | None = None
        self._path = ""
        self._bar: tqdm[Any] | None = None

    def update(self, size: int, found: int | None = None, path: str = "") -> None:
        """Count `size` more bytes as read.

        Args:
            size: the number of bytes since the last call.
            found: the number of identifiers found so far; None if it is not known.
            path: the file that is read now; "" if it is not known.
        """
        self._done += size
        self._found = found
        self._path = path
        if self._bar is not None:
            self._bar.update(size)
            return
        elapsed = self._clock() - self._started
        if elapsed >= DELAY and (
            self._total is None or elapsed * (self._total - self._done) >= LEAST_LEFT * self._done
        ):
            self._bar = self._show()

    def hide(self) -> None:
        """Remove the line from the screen until the next `update`."""
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        """Remove the line from the screen, finally."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
            self._started = float("inf")

    def _show(self) -> tqdm[Any]:
        from tqdm import tqdm

        progress = self

        class ProgressLine(tqdm):  # type: ignore[type-arg] # it is no generic class at run time
            """Writes the line when `tqdm` finds that it is time, and removes it again."""

            def __str__(self) -> str:
                state = self.format_dict
                return progress._line(state["ncols"] or _USUAL_WIDTH, state["rate"])

        ProgressLine.monitor_interval = 0  # no thread
        return ProgressLine(total=self._total, initial=self._done, leave=False, dynamic_ncols=True, file=sys.stderr)

    def _line(self, columns: int, rate: float | None) -> str:
        elapsed = self._clock() - self._started
        return progress_line(
            columns - 1, self._done, self._total, rate or self._done / max(elapsed, 1e-9), elapsed, self._found,
            self._path,
        )  # fmt: skip


def progress_line(
    width: int, done: int, total: int | None, rate: float, elapsed: float, found: int | None, path: str
) -> str:
    """Return a line of progress that fits; where it is narrow, it says less.

    Args:
        width: the columns that it may take.
        done: the number of bytes read.
        total: the number of bytes to read; None if it is not known.
        rate: the bytes a second.
        elapsed: the seconds since the beginning.
        found: the number of identifiers found; None if it is not known.
        path: the file that is read now.
    """
    from tqdm import tqdm

    share = left = ""
    size = f"{tqdm.format_sizeof(done)}B"
    if total:
        done = min(done, total)  # a file that grows
        share = f"{100 * done // total:3d}%"
        size = f"{tqdm.format_sizeof(done)}/{tqdm.format_sizeof(total)}B"
        left = f"{tqdm.format_interval((total - done) / rate)} left" if rate > 0 else "? left"
    links = "" if found is None else f"{found:,} link{'' if found == 1 else 's'}"
    speed = f"{tqdm.format_sizeof(rate)}B/s"
    time_spent = "" if left else tqdm.format_interval(elapsed)
    # In the order of the line, and as many as fit in that of their worth.
    parts = [share, size, speed, left or time_spent, links]
    kept: set[int] = set()
    for index in (0, 3, 4, 2, 1):
        if parts[index] and len(_joined(parts, kept | {index})) <= width:
            kept.add(index)
    line = _joined(parts, kept)
    room = width - len(line) - len(_GAP)
    name = "standard input" if path == STANDARD_INPUT else printable(masked_name(path))
    return f"{line}{_GAP}{_end_of(name, room)}" if name and room >= _SHORTEST_NAME else line


def _joined(parts: Sequence[str], kept: set[int]) -> str:
    return _GAP.join(parts[index] for index in sorted(kept))


def _end_of(name: str, columns: int) -> str:
    """Return the end of a name that fits in so many columns."""
    from unicodedata import combining, east_asian_width

    def width(character: str) -> int:
        return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1

    if len(name) <= columns and sum(map(width, name)) <= columns:
        return name
    used = 3
    start = len(name)
    while start > 0 and used + width(name[start - 1]) <= columns:
        start -= 1
        used += width(name[start])
    while start < len(name) and combining(name[start]):  # what it belonged to is cut
        start += 1
    return f"...{name[start:]}"


def watched(paths: Sequence[str], *, to_terminal: bool, is_total_known: bool = True) -> Progress | None:
    """Return the progress over some sources; None if no line is to be drawn.

    That is so if standard error is not a terminal, or if the records are written to a terminal.
    """
    if sys.stderr is None or not sys.stderr.isatty() or to_terminal:
        return None
    sizes = [source_size(path) for path in paths]
    known = [size for size in sizes if size is not None]
    return Progress(sum(known) if is_total_known and len(known) == len(sizes) else None)
