"""`urisieve extract`: sources, through the scanner, to a sink."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack

from urisieve.cli.arguments import ExtractSettings, parse_extract
from urisieve.cli.collector import seldom_collected
from urisieve.cli.outputs import STANDARD_OUTPUT, Output, open_output
from urisieve.cli.passwords import new_secret
from urisieve.cli.progress import Progress, watched
from urisieve.cli.sieving import Portion, Seen, Sieving, SievingSettings, new_output, sieving_work
from urisieve.cli.signals import unwound_on_termination
from urisieve.cli.summary import counted, is_unread, summary
from urisieve.cli.talk import say
from urisieve.errors import InputError
from urisieve.files import found_files
from urisieve.parts import PART_SIZE, Part, grouped, jobs_for, tasks
from urisieve.processes import Workers
from urisieve.sources.tally import Tally

__all__ = ["run"]

_FOUND = 0
_NOTHING_FOUND = 1
_FAILED = 2


def run(argv: Sequence[str]) -> int:
    """Run the command and give its exit status.

    Raises:
        OutputError: the output cannot be written; files are as they were.
        InputError: no source could be read, and files are as they were.
    """
    settings = parse_extract(argv)
    extraction = _Extraction(settings)
    try:
        with unwound_on_termination(), seldom_collected(), ExitStack() as stack:
            extraction.run(stack)
    except BrokenPipeError:
        return _FAILED if extraction.failed else _FOUND
    if not settings.quiet:
        say(extraction.counts())
    if extraction.failed:
        return _FAILED
    return _FOUND if extraction.found else _NOTHING_FOUND


class _Extraction:
    """One run over all sources: what it writes to, and what it has counted."""

    def __init__(self, settings: ExtractSettings) -> None:
        self._settings = settings
        self._started = time.perf_counter()
        self._sieving_settings = SievingSettings(settings, new_secret())
        self._sieving = Sieving(self._sieving_settings)
        self._seen = self._sieving.seen
        self._output: Output | None = None
        self._rejects: Output | None = None
        self._progress: Progress | None = None
        self._files = 0
        self._bytes = 0
        self._rejected = 0
        self._unreadable: set[str] = set()
        self._tally = Tally()
        self.found = 0

    @property
    def failed(self) -> bool:
        """Whether a source, or something in it, could not be read."""
        return bool(self._unreadable) or is_unread(self._tally)

    def _paths(self) -> list[str]:
        """The files to read."""
        settings = self._settings
        paths = list(settings.paths)
        if settings.files_from is not None:
            from urisieve.sources.folders import listed_paths

            try:
                paths += listed_paths(settings.files_from, separator=settings.separator)
            except InputError as error:
                raise InputError(f"{settings.files_from}: {error}") from error
        tally = Tally()
        files = found_files(paths, settings.reading, tally)
        self._count(tally)
        return files

    def run(self, stack: ExitStack) -> None:
        """Sieve every source; what is opened is closed, or undone, by `stack`."""
        settings = self._settings
        paths = [] if settings.follow else self._paths()
        jobs = 1 if settings.follow else jobs_for(paths, settings.jobs)
        self._output = stack.enter_context(open_output(settings.output))
        if settings.rejected is not None:
            self._rejects = stack.enter_context(open_output(settings.rejected))
        self._output.write(self._sieving.header)
        if not settings.quiet and not settings.follow:
            self._progress = watched(paths, to_terminal=_is_terminal(settings.output))
        if self._progress is not None:
            stack.callback(self._progress.close)
        if settings.follow:
            self._follow(stack)
        elif jobs == 1:
            for path in paths:
                self._take(self._sieving.portions(Part(path)))
        else:
            self._share(paths, jobs)
        if not self._files and self.failed and (settings.output != STANDARD_OUTPUT or settings.rejected is not None):
            raise InputError("nothing could be read; the output is left as it was")

    def _follow(self, stack: ExitStack) -> None:
        """Sieve files as they grow, until a signal says that it is enough."""
        from urisieve.cli.following import Stop, followed_portions, stopped_by_signals

        stop = Stop()
        stack.callback(stop.close)
        stack.enter_context(stopped_by_signals(stop))
        self._take(followed_portions(self._sieving, self._settings, stop, Tally()))

    def _share(self, paths: Sequence[str], jobs: int) -> None:
        """Sieve regular files by several processes, what cannot be opened by them by this one."""
        settings = self._settings
        shared = self._sieving_settings._replace(shared=True)
        # Nothing here runs threads, so that a process may be copied where that is safe.
        from threading import active_count

        method = "fork" if sys.platform == "linux" and active_count() == 1 else "spawn"
        places = self._sieving.places
        size = PART_SIZE if self._sieving.writes_little else PART_SIZE // 4
        self._sieving = Sieving(shared)
        self._seen = Seen() if settings.unique else None
        with Workers(jobs, sieving_work, shared, method=method) as workers:
            for is_shared, group in grouped(paths):
                if is_shared:
                    self._take(
                        workers.map(
                            tasks(
                                group, settings.encoding, settings.options, settings.reading, size=size, places=places
                            )
                        )
                    )
                else:
                    for path in group:
                        self._take(self._sieving.portions(Part(path)))

    def _take(self, portions: Iterable[Portion]) -> None:
        assert self._output is not None
        for portion in portions:
            self.found += portion.found
            self._rejected += portion.rejected
            self._bytes += portion.size
            output = new_output(portion, self._seen)
            if output:
                self._output.write(output)
            if portion.rejects and self._rejects is not None:
                self._rejects.write(portion.rejects)
            if self._progress is not None:
                self._progress.update(portion.size)
            if portion.tally is not None:
                self._count(portion.tally)
            if portion.part is not None:
                self._finish(portion.part, portion.failure)

    def _count(self, tally: Tally) -> None:
        if tally.messages and self._progress is not None:
            self._progress.hide()
        if not self._settings.quiet or is_unread(tally):
            for message in tally.messages:
                say(message)
        tally.messages.clear()
        self._tally.take(tally)

    def _finish(self, part: Part, failure: str | None) -> None:
        if failure is None:
            self._files += part.last and part.path not in self._unreadable
        elif part.path not in self._unreadable:
            self._unreadable.add(part.path)
            if self._progress is not None:
                self._progress.hide()
            say(f"{part.path}: {failure}")

    def counts(self) -> str:
        """What was done, in one line."""
        done = [counted(self._files, "file"), counted(self._bytes, "byte"), f"{self.found:,} found"]
        if self._seen is not None:
            done.append(f"{len(self._seen):,} unique")
        done.append(f"{self._rejected:,} rejected")
        done.append(f"{time.perf_counter() - self._started:.1f} s")
        return "; ".join([", ".join(done), *summary(self._tally)])


def _is_terminal(output: str) -> bool:
    return output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty()
