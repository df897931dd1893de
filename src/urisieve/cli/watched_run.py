"""One run of a command over files: finds them, shows progress and messages, and sums up in the closing line."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

from urisieve.cli.settings.extract_arguments import ExtractSettings
from urisieve.cli.settings.output_arguments import is_for_people
from urisieve.cli.terminal.progress import Progress, watched
from urisieve.cli.terminal.reports import DONE, FAILED, NEGATIVE, Misuse, say
from urisieve.errors import InputError
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.runs.events import BytesRead, Event, FileFailed
from urisieve.runs.part_sieve import PartSettings
from urisieve.runs.run import Run, absorbed, found_files
from urisieve.runs.run_steps import RunStep, SharedSink
from urisieve.sinks.outputs import STANDARD_OUTPUT
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.tally import MESSAGES, MOST_MESSAGES, Tally, counted, left_out, rejections, so_far, summary

if TYPE_CHECKING:
    from urisieve.records.sink import Sink
    from urisieve.sinks.outputs import Output


# The bytes of a run after which the closing line says how to get the kernel: seconds of work without it, and a fraction
# of one with it. Below that nobody waits.
_LARGE: Final = 67_108_864


def _is_file(path: str) -> bool:
    """Report whether a path exists and is not a folder."""
    return path == STANDARD_INPUT or ("\0" not in path and os.path.exists(path) and not os.path.isdir(path))


def listed_settings(settings: ExtractSettings) -> tuple[ExtractSettings, Tally]:
    """Return settings with all files to read: those named, those listed, and those of folders; and what was skipped.

    Raises:
        InputError: the list cannot be read.
        Misuse: files of folders are selected, and there is no folder.
    """
    paths = list(settings.paths)
    if settings.files_from is not None:
        from urisieve.sources.containers.folders import listed_paths

        try:
            paths += listed_paths(settings.files_from, separator=settings.separator)
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
        self._changed: Callable[[], int] | None = None
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
            to_terminal = settings.output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty()
            self._progress = watched(settings.paths, to_terminal=to_terminal, is_total_known=is_total_known)
        if self._progress is not None:
            stack.callback(self._progress.close)

    def into(self, stack: ExitStack, sink: Sink, *, skip: int = 0, in_parts: bool = False) -> None:
        """Sieve all files into a sink; see `Run.into`."""
        self.watch(stack)
        for _ in self.run.into(sink, skip=skip, in_parts=in_parts):
            pass

    def held_into(self, stack: ExitStack, sink: SharedSink, held: str, *, named: bool = False) -> None:
        """Pass what files hold to a sink, and count it like what is found in others.

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
        """Return an output as people see it: in colours, if they are wanted, and with cells that do no harm."""
        settings = self.settings
        if is_for_people(settings.color):
            from urisieve.cli.terminal.screen import shown_output

            output = shown_output(output, settings)
        return self.safe(output, of_kind(settings.format).delimiter)

    @contextmanager
    def counted_if_interrupted(self) -> Iterator[None]:
        """Add the counts so far to an interruption."""
        try:
            yield
        except KeyboardInterrupt as interruption:
            first, *rest = self._counts(None)
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
        """Return an output whose cells do no harm if that is wanted; the closing line says how many were changed."""
        cells = self.settings.hiding.safe(output, delimiter)
        if cells is None:
            return output
        self._changed = lambda: cells.changed
        return cells

    def sum_up(self, unique: str | None) -> None:
        """Say the closing line, unless messages are not wanted; `unique` says how many identifiers are unique.

        Behind it stands how to get the kernel, if much was read without it.
        """
        if self.settings.quiet:
            return
        say(*self._counts(unique))
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

    def _counts(self, unique: str | None) -> tuple[str, ...]:
        """Return the clauses of the closing line: what was done, then what was read, skipped and broken."""
        run = self.run
        done = [counted(run.files, "file"), counted(run.size, "byte"), f"{run.found:,} found", *left_out(run.tally)]
        if self._meaningless:
            done.append(f"{counted(self._meaningless, 'line')} of lists left out")
        if unique is not None:
            done.append(unique)
        if self._changed is not None:
            done.append(f"{counted(self._changed(), 'cell')} made safe")
        done += [rejections(run.tally), f"{time.perf_counter() - self._started:.1f} s"]
        return ", ".join(done), *summary(run.tally)
