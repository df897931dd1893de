"""All portions of a run, from one process or several, and what they add up to."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import islice

from urisieve.cli.arguments import ExtractSettings
from urisieve.cli.hints import path_hint
from urisieve.cli.outputs import STANDARD_OUTPUT
from urisieve.cli.portion import Portion
from urisieve.cli.progress import Progress, watched
from urisieve.cli.sieving import Sieving, SievingSettings
from urisieve.cli.summary import counted, is_unread, rejections, summary
from urisieve.cli.talk import say
from urisieve.errors import InputError, UsageError
from urisieve.runs.file_parts import PART_SIZE, Part, grouped, jobs_for, tasks
from urisieve.runs.files import found_files
from urisieve.runs.workers import Work, Workers
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.tally import Tally

__all__ = ["Portions"]


def _is_file(path: str) -> bool:
    """Whether a path is there and is no folder."""
    return path == STANDARD_INPUT or ("\0" not in path and os.path.exists(path) and not os.path.isdir(path))


class Portions:
    """The sources of a run: gives their portions, and counts what they hold."""

    def __init__(self, settings: ExtractSettings) -> None:
        self._settings = settings
        self._started = time.perf_counter()
        self._progress: Progress | None = None
        self._unreadable: set[str] = set()
        self._bytes = 0
        self._tally = Tally()
        self._jobs: int | None = None
        self._last_message: str | None = None
        self.files = 0
        self.found = 0

    @property
    def failed(self) -> bool:
        """Whether a source, or something in it, could not be read."""
        return bool(self._unreadable) or is_unread(self._tally)

    @property
    def jobs(self) -> int:
        """How many processes share the work."""
        if self._jobs is None:
            self._jobs = jobs_for(self._settings.paths, self._settings.jobs)
        return self._jobs

    @property
    def reasons(self) -> Mapping[str, int]:
        """How many candidates were rejected, by reason."""
        return self._tally.rejected

    @property
    def warnings(self) -> Mapping[str, int]:
        """How many identifiers have a warning, by its code."""
        return self._tally.warnings

    def find(self) -> ExtractSettings:
        """Find the files to read: those named, those listed, and those of folders; gives settings that name them all.

        Raises:
            InputError: the list cannot be read.
            UsageError: what is in folders is filtered, and there is no folder.
        """
        settings = self._settings
        paths = list(settings.paths)
        if settings.files_from is not None:
            from urisieve.sources.containers.folders import listed_paths

            try:
                paths += listed_paths(settings.files_from, separator=settings.separator)
            except InputError as error:
                raise InputError(f"{settings.files_from}: {error}{path_hint(settings.files_from)}") from error
        if settings.reading.folders is not None and paths and all(map(_is_file, paths)):
            raise UsageError("--include, --exclude and --hidden are for folders, and no folder is named")
        tally = Tally()
        files = found_files(paths, settings.reading, tally)
        self.note(tally)
        self._settings = settings._replace(paths=tuple(files), files_from=None)
        return self._settings

    def text(
        self,
        stack: ExitStack,
        sieving: Sieving,
        work: Callable[[SievingSettings], Work[Part, Portion]],
        shared: SievingSettings,
        *,
        skip: int = 0,
        in_parts: bool = False,
    ) -> Iterator[Portion]:
        """The portions of sources in which identifiers are found.

        Args:
            stack: ends the processes.
            sieving: what this process does with a part.
            work: what other processes do.
            shared: what they have to know.
            skip: how many parts have been done before.
            in_parts: whether files are cut even where one process reads them.
        """
        settings = self._settings
        self._watch(stack)
        if self.jobs == 1 and not in_parts:
            for path in settings.paths:
                yield from self._noted(sieving.portions(Part(path)))
            return
        workers: Workers[Part, Portion] | None = None
        if self.jobs > 1:
            # Nothing here runs threads, so that a process may be copied where that is safe.
            from threading import active_count

            method = "fork" if sys.platform == "linux" and active_count() == 1 else "spawn"
            workers = stack.enter_context(Workers(self.jobs, work, shared, method=method))
        size = PART_SIZE if sieving.writes_little else PART_SIZE // 4
        for is_shared, paths in grouped(settings.paths):
            pieces: Iterator[Part]
            if is_shared:
                pieces = tasks(
                    paths, settings.encoding, settings.options, settings.reading, size=size, places=sieving.offsets
                )
            else:
                pieces = map(Part, paths)
            for part in islice(pieces, skip):
                skip -= 1
                self.files += part.last
            if workers is not None and is_shared:
                yield from self._noted(workers.map(pieces))
            else:
                for part in pieces:
                    yield from self._noted(sieving.portions(part))

    def others(self, stack: ExitStack, portions: Iterable[Portion]) -> Iterator[Portion]:
        """Portions that come from elsewhere, noted as those of text are."""
        self._watch(stack)
        return self._noted(portions)

    def _watch(self, stack: ExitStack) -> None:
        settings = self._settings
        if not settings.quiet and not settings.follow:
            to_terminal = settings.output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty()
            self._progress = watched(settings.paths, to_terminal=to_terminal)
        if self._progress is not None:
            stack.callback(self._progress.close)

    def _noted(self, portions: Iterable[Portion]) -> Iterator[Portion]:
        """Portions; what is to be said about one is said when it has been dealt with."""
        for portion in portions:
            self.found += portion.found
            if portion.reasons:
                self._tally.rejected.update(portion.reasons)
            if portion.warnings:
                self._tally.warnings.update(portion.warnings)
            self._bytes += portion.size
            yield portion
            if self._progress is not None:
                self._progress.update(portion.size)
            if portion.tally is not None:
                self.note(portion.tally)
            if portion.part is not None:
                self._finish(portion.part, portion.failure)

    def note(self, tally: Tally) -> None:
        """Count what was read, skipped and broken, and say what is to be said about it."""
        if tally.messages and self._progress is not None:
            self._progress.hide()
        if not self._settings.quiet or is_unread(tally):
            for message in tally.messages:
                if message != self._last_message:  # each part of a large file says it
                    say(message)
                self._last_message = message
        tally.messages.clear()
        self._tally.take(tally)

    def _finish(self, part: Part, failure: str | None) -> None:
        if failure is None:
            self.files += part.last and part.path not in self._unreadable
        elif part.path not in self._unreadable:
            self._unreadable.add(part.path)
            if self._progress is not None:
                self._progress.hide()
            say(f"{part.path}: {failure}{path_hint(part.path)}")

    def check(self, *, keeps: bool) -> None:
        """See that something was read, where an output is to be left as it was otherwise.

        Raises:
            InputError: nothing could be read.
        """
        if keeps and not self.files and self.failed:
            raise InputError("nothing could be read; the output is left as it was")

    def counts(self, unique: str | None) -> str:
        """What was done, in one line; `unique` says how much of it was unique."""
        done = [counted(self.files, "file"), counted(self._bytes, "byte"), f"{self.found:,} found"]
        if unique is not None:
            done.append(unique)
        done.append(self.rejections())
        done.append(f"{time.perf_counter() - self._started:.1f} s")
        return self.summed(", ".join(done))

    def rejections(self) -> str:
        """How many candidates were rejected, and for which reasons."""
        return rejections(self._tally)

    def summed(self, done: str) -> str:
        """What was done, and what was read, skipped and broken, in one line."""
        return "; ".join([done, *summary(self._tally)])
