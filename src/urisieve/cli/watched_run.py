"""One run of a command over files: its progress on standard error, its messages, and the closing line."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from urisieve.cli.closing_line import Closing
from urisieve.cli.reports import DONE, FAILED, NEGATIVE, Misuse, say
from urisieve.cli.settings.extract_arguments import ExtractSettings
from urisieve.cli.settings.output_arguments import Color, is_terminal, shows_output
from urisieve.errors import InputError
from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.records.masking import masked_name
from urisieve.runs.events import BytesRead, Event, FileFailed
from urisieve.runs.part_sieve import PartSettings
from urisieve.runs.run import Run, absorbed, found_files
from urisieve.runs.run_steps import RunStep, SharedSink
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.reading import STANDARD_INPUT, source_size
from urisieve.sources.tally import MESSAGES, MOST_MESSAGES, Tally, counted, left_out, rejections, so_far, unread
from urisieve.wording import printable

if TYPE_CHECKING:
    from tqdm import tqdm

    from urisieve.records.sink import Sink
    from urisieve.sinks.byte_output import Output
    from urisieve.sinks.safe_cells import SafeCells


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
    from urisieve.sinks.drawing import text_width

    if len(name) <= columns and text_width(name) <= columns:
        return name
    used = 3
    start = len(name)
    while start > 0 and used + text_width(name[start - 1]) <= columns:
        start -= 1
        used += text_width(name[start])
    while start < len(name) and not text_width(name[start]):  # what it belonged to is truncated
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


# The bytes of a run after which the closing line says how to get the kernel: seconds of work without it, and a fraction
# of one with it. Below that the wait is short.
_LARGE: Final = 67_108_864


def _is_file(path: str) -> bool:
    """Report whether a path exists and is not a folder."""
    return path == STANDARD_INPUT or ("\0" not in path and os.path.exists(path) and not os.path.isdir(path))


def listed_settings(settings: ExtractSettings) -> tuple[ExtractSettings, Tally]:
    """Return settings with all files to read: those named, those listed, and those of folders; and what was skipped.

    Raises:
        InputError: the list cannot be read.
        Misuse: files of folders are selected, and there is no folder.
        UsageError: a file is to be followed, and is of a kind that cannot be.
    """
    if settings.follow:
        from urisieve.runs.following import check_followed

        check_followed(settings.paths, settings.reading.input)
        return settings, Tally()
    paths = list(settings.paths)
    if settings.files_from is not None:
        from urisieve.sources.containers.folders import listed_paths

        try:
            paths += listed_paths(settings.files_from)
        except InputError as error:
            from urisieve.sources.bytes.reading import path_hint

            raise InputError(f"{settings.files_from}: {error}{path_hint(settings.files_from)}") from error
    if settings.reading.folders is not None and paths and all(map(_is_file, paths)):
        raise Misuse("--include and --read hidden are for folders, and no folder is named")
    tally = Tally()
    files = found_files(paths, settings.reading, tally)
    return settings._replace(paths=tuple(files), files_from=None), tally


class WatchedRun:
    """A run that shows its progress and its messages."""

    def __init__(self, settings: ExtractSettings) -> None:
        """Make a run, and read the lists of what is known.

        Raises:
            InputError: a list cannot be read.
        """
        self._meaningless = 0  # lines of lists
        if settings.lists is not None:
            wanted, warnings, self._meaningless = settings.lists.added_to(settings.wanted, settings.options)
            settings = settings._replace(wanted=wanted, lists=None)
            for text in () if settings.quiet else warnings:
                say(text)
        self.settings = settings
        """The settings, with the lists as conditions of the filter."""
        self._started = time.perf_counter()
        self._progress: Progress | None = None
        self._cells: list[SafeCells] = []
        parts = PartSettings(
            settings.options,
            settings.reading,
            settings.encoding,
            frozenset(),
            traces=settings.traceback,
            filters=settings.filters,
            kept=MESSAGES if settings.rejected is None else MOST_MESSAGES,
        )
        self.run = Run(settings.paths, parts, jobs=settings.jobs, on_event=self._show, spawned=False)

    def watch(self, stack: ExitStack, *, is_total_known: bool = True) -> None:
        """Show progress, if that is wanted, until `stack` ends."""
        settings = self.settings
        if not settings.quiet and not settings.follow:
            to_terminal = shows_output(settings.output)
            self._progress = watched(settings.paths, to_terminal=to_terminal, is_total_known=is_total_known)
        if self._progress is not None:
            stack.callback(self._progress.close)

    def into(self, stack: ExitStack, sink: Sink, *, skip: int = 0, in_parts: bool = False) -> None:
        """Sieve all files into a sink; see `Run.into`."""
        self.watch(stack)
        for _ in self.run.into(sink, skip=skip, in_parts=in_parts):
            pass

    def held_into(self, stack: ExitStack, sink: SharedSink, held: str, *, named: bool = False) -> None:
        """Pass what files contain to a sink, and count it like what is found in others.

        Args:
            stack: ends the progress.
            sink: takes it.
            held: `keys`, `records` in the format that the name of each file says, else its content, or the format of
                records; "" for files that are sieved.
            named: whether each key is to have its file and the number of its line.
        """
        if not held:
            self.into(stack, sink)
            return
        self.from_steps(stack, self._held(sink, held, named=named), sink)

    def from_steps(self, stack: ExitStack, steps: Iterable[RunStep], sink: SharedSink) -> None:
        """Pass steps from another source to a sink, and count them like those of files."""
        self.watch(stack)
        for _ in self.run.counted(absorbed(steps, sink.absorb, sink)):
            pass

    def follow(self, stack: ExitStack, sink: SharedSink) -> None:
        """Pass what files contain to a sink as they grow, until a signal ends it."""
        from urisieve.runs.following import FollowingSieve, Stop, followed_steps, stopped_by_signals

        stop, settings = Stop(), self.settings
        stack.enter_context(stopped_by_signals(stop))
        parts = PartSettings(
            settings.options, settings.reading, settings.encoding, frozenset(), filters=settings.filters
        ).into(sink)
        sieve = FollowingSieve(parts, sink.share(alone=True)())
        self.from_steps(stack, followed_steps(sieve, settings.paths, stop, Tally()), sink)

    def _held(self, sink: SharedSink, held: str, *, named: bool) -> Iterator[RunStep]:
        from urisieve.sinks.record_files import key_steps, record_steps

        settings = self.settings
        share = sink.share(alone=True)()
        paths, traces, filters = settings.paths, settings.traceback, (*settings.filters, *sink.filters)
        if held == "keys":
            return key_steps(paths, share, named=named, traces=traces, filters=filters)
        kind = "" if held == "records" else held
        return record_steps(paths, kind, settings.encoding, share, traces=traces, filters=filters)

    def shown(self, output: Output) -> Output:
        """Return an output as users see it: in colours, if they are wanted, and with cells that do no harm."""
        settings = self.settings
        if settings.color is Color.ALWAYS or is_terminal():
            from urisieve.cli.screen import shown_output

            output = shown_output(output, settings)
        return self.safe(output, of_kind(settings.format).delimiter)

    @contextmanager
    def counted_if_interrupted(self) -> Iterator[None]:
        """Add the counts so far to an interruption."""
        try:
            yield
        except KeyboardInterrupt as interruption:
            first, *rest = self._closing(None).clauses()
            for clause in (so_far(first), *rest):
                interruption.add_note(clause)
            raise

    def advance(self, size: int, found: int | None = None, path: str = "") -> None:
        """Show that so many more bytes were read; see `Progress.update`."""
        if self._progress is not None:
            self._progress.update(size, found, path)

    def hide(self) -> None:
        """Remove the progress from the screen, until more is read."""
        if self._progress is not None:
            self._progress.hide()

    def _show(self, event: Event) -> None:
        if isinstance(event, BytesRead):
            self.advance(event.size, self.run.found, self.run.path)
            return
        self.hide()
        if isinstance(event, FileFailed):
            from urisieve.sources.bytes.reading import path_hint

            say(f"{event.path}: {event.reason}{path_hint(event.path)}")
        elif event.is_error or not self.settings.quiet:
            say(event.text)

    def check(self, *, keeps: bool) -> None:
        """Check that something was read, if an output is to be left unchanged otherwise.

        Raises:
            InputError: nothing could be read.
        """
        if keeps and not self.run.files and self.run.failed:
            raise InputError("nothing could be read; the output is left as it was")

    def safe(self, output: Output, delimiter: str) -> Output:
        """Return an output whose cells do no harm if that is wanted; the closing line says how many were changed.

        `delimiter` is "" for an output without cells, which is returned as it is.
        """
        cells = self.settings.hiding.safe(output, delimiter) if delimiter else None
        if cells is None:
            return output
        self._cells.append(cells)
        return cells

    def sum_up(self, unique: str | None) -> None:
        """Say the closing line; `unique` says how many identifiers are unique. Quietly, it says what was not read.

        After it comes how to get the kernel, if much was read without it.
        """
        if self.settings.quiet:
            for clause in unread(self.run.tally):
                say(clause)
            return
        self._closing(unique).say(verbose=self.settings.verbose)
        if self.run.size >= _LARGE:
            from urisieve.kernel import advice

            hint = advice()
            if hint is not None:
                say(hint)

    def status(self, *, found: bool = False, failed: bool = False) -> int:
        """Return the exit status; the arguments say what was found, and failed, before a checkpoint."""
        if self.run.failed or failed:
            return FAILED
        return DONE if self.run.found or found else NEGATIVE

    def _closing(self, unique: str | None) -> Closing:
        """Return what the closing line is made of."""
        run = self.run
        done = [counted(run.files, "file"), counted(run.size, "byte"), f"{run.found:,} found", *left_out(run.tally)]
        if self._meaningless:
            done.append(f"{counted(self._meaningless, 'line')} of lists left out")
        if unique is not None:
            done.append(unique)
        if self._cells:
            done.append(f"{counted(sum(cells.changed for cells in self._cells), 'cell')} made safe")
        return Closing([*done, rejections(run.tally)], run.tally, time.perf_counter() - self._started)
