"""The engine: files in, steps out, by one worker or by several, in the order of the files and of their text.

Also defines what checks the parts of files that are not plain text: whether what a worker found in a part counts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from itertools import chain, islice

from urisieve import shapes
from urisieve.lean import TYPE_CHECKING, Any, Final, TypeAlias, replace
from urisieve.records.layouts import COLUMNS
from urisieve.runs.events import BytesRead, FileFailed, Message, OnEvent, ignore_events
from urisieve.runs.file_parts import PART_SIZE, Part, bundled, grouped, jobs_for, may_be_cut, seekable, tasks
from urisieve.runs.part_sieve import PartSettings, PartSieve, part_work, thread_work
from urisieve.runs.process import Reserve
from urisieve.runs.run_steps import ResolvedBatches, RunStep, Share, SharedSink, in_turn
from urisieve.sources.bytes.reading import STANDARD_INPUT, at_pauses, source_name, source_size
from urisieve.sources.reading_options import OF_LINES, ReadingOptions
from urisieve.sources.tally import FaultMessage, Tally

if TYPE_CHECKING:
    from urisieve.records.sink import Sink
    from urisieve.runs.workers import Pool
    from urisieve.sources.containers.contents import PartEnd, PartStart

    _Pool: TypeAlias = Pool[tuple[Part, ...], Sequence[RunStep]]


# The mean size of files below which threads mostly wait for each other.
_SMALL: Final = 65_536


def found_files(paths: Iterable[str], reading: ReadingOptions, tally: Tally) -> list[str]:
    """Return the files that paths name, those in folders included; see `sources.containers.folders.find_files`."""
    paths = list(paths)
    if not any(path != STANDARD_INPUT and os.path.isdir(path) for path in paths):
        return paths
    from urisieve.sources.containers.folders import find_files

    return list(find_files(paths, tally=tally, choice=reading.folders))


class Run:
    """One run over files: sieves them, passes the findings to a sink, and adds up the counts of the input.

    Args:
        paths: the files; folders are not walked, see `found_files`.
        settings: what to find and how to read; its columns are those that the sink asks for.
        jobs: the number of workers that share it: threads where the kernel does nearly all of the work, else processes;
            None for all cores if the files are large.
        on_event: called with each event: bytes read, messages, files that failed.
        spawned: whether processes are always started anew; otherwise they are copied where that is safe, at a tenth of
            the cost.

    Attributes:
        tally: what was read, skipped, rejected and found broken.
        found: the number of identifiers found.
        files: the number of files read to their end.
        size: the number of bytes read.
        ended: the number of files whose steps have all come.
        on_fault: called with each message about a fault that was kept.
    """

    on_fault: Callable[[FaultMessage], None] | None = None

    def __init__(
        self,
        paths: Iterable[str],
        settings: PartSettings,
        *,
        jobs: int | None = 1,
        on_event: OnEvent = ignore_events,
        spawned: bool = True,
    ) -> None:
        self.paths = list(paths)
        self._settings = settings
        shapes.check(on_event=on_event)
        self.jobs = jobs_for(self.paths, jobs)
        self._on_event = on_event
        self._spawned = spawned
        self._unreadable: set[str] = set()
        self._last_message: str | None = None
        self.tally = Tally()
        self.found = self.files = self.size = self.ended = 0

    @property
    def failed(self) -> bool:
        """Whether a source, or something in it, could not be read."""
        return bool(self._unreadable) or self.tally.is_unread

    @property
    def path(self) -> str:
        """The file whose steps come now; "" after the last. Workers may be ahead of it."""
        return self.paths[self.ended] if self.ended < len(self.paths) else ""

    def into(self, sink: Sink, *, skip: int = 0, in_parts: bool = False) -> Iterator[RunStep]:
        """Sieve all files into a sink; yield each step after the sink has taken it and before it is counted.

        The sink is not closed.

        Args:
            sink: takes batches, or the products of its share.
            skip: the number of parts that have been done before.
            in_parts: whether files are cut even if one worker reads them.
        """
        shared = sink if isinstance(sink, SharedSink) else None
        settings = self._settings
        settings = settings._replace(columns=frozenset(COLUMNS)) if shared is None else settings.into(shared)
        alone = self.jobs == 1 and not in_parts
        cuts = self.jobs > 1 and not in_parts  # a part that is counted stays the same
        threads = shared is not None and self.jobs > 1 and shared.suits_threads and self._suits_threads(settings)
        make: Callable[[], Share] = ResolvedBatches
        if shared is not None:
            make = shared.thread_share() if threads else shared.share(alone=self.jobs == 1)
        absorb: Callable[[Any], None] = sink.take if shared is None else shared.absorb
        with ExitStack() as stack:
            if shared is not None:
                stack.enter_context(in_turn(shared))
            steps = self._steps(stack, settings, make, shared, skip=skip, alone=alone, threads=threads, cuts=cuts)
            yield from self.counted(absorbed(steps, absorb, shared))

    def steps(self, columns: frozenset[str]) -> Iterator[RunStep]:
        """Sieve all files; yield each step with its batches, before it is counted."""
        with ExitStack() as stack:
            settings = self._settings._replace(columns=columns)
            steps = self._steps(stack, settings, ResolvedBatches, None, skip=0, alone=self.jobs == 1)
            yield from self.counted(steps)

    def _steps(
        self,
        stack: ExitStack,
        settings: PartSettings,
        make: Callable[[], Share],
        sink: SharedSink | None,
        *,
        skip: int,
        alone: bool,
        threads: bool = False,
        cuts: bool = True,
    ) -> Iterator[RunStep]:
        sieve = PartSieve(settings, make())
        if alone:
            for path in self.paths:
                yield from sieve.steps(Part(path))
            return
        if self.jobs > 1 and not threads:
            from urisieve.runs.workers import check_can_travel

            check_can_travel(settings.options)
        size = PART_SIZE if sink is not None and sink.writes_little else PART_SIZE // 4
        cut = partial(
            tasks,
            encoding=settings.encoding,
            options=settings.options,
            reading=settings.reading,
            size=size,
            offsets=sink is None or sink.offsets,
            cuts=cuts,
        )
        workers: _Pool | None = None
        files = CutFiles(settings.reading, settings.kept)
        for is_shared, group in grouped(self.paths):
            paths = list(group)
            while paths:
                parts = cut(tuple(paths)) if is_shared else map(Part, tuple(paths))
                for part in islice(parts, skip):
                    skip -= 1
                    self.files += part.last
                    self.ended += part.last
                if self.jobs == 1 or not is_shared:
                    for part in parts:
                        yield from sieve.steps(part)
                    break
                if workers is None:
                    workers = self._workers(stack, settings, make, threads=threads)
                for step in files.checked(chain.from_iterable(workers.map(bundled(parts)))):
                    if step.part is not None and step.part.last:
                        del paths[0]
                    yield step
                if files.left is None:
                    break
                workers.end()  # they have begun what follows, and remember it
                workers = None
                yield from files.checked(sieve.steps(files.left))
                del paths[0]

    def _workers(self, stack: ExitStack, settings: PartSettings, make: Callable[[], Share], *, threads: bool) -> _Pool:
        if threads:
            from urisieve.runs.workers import Threads

            return stack.enter_context(Threads(self.jobs, thread_work, (settings, make)))
        from urisieve.runs.workers import Workers, start_method

        method = "spawn" if self._spawned else start_method()
        return stack.enter_context(Workers(self.jobs, part_work, (settings, make), method=method))

    def _suits_threads(self, settings: PartSettings) -> bool:
        """Report whether the kernel does nearly all of the work: it knows the options, and all files are plain text.

        What is not a regular file goes to no worker; see `grouped`. Small files are mostly work in Python.
        """
        from urisieve.find.searches import is_compiled

        if not is_compiled(settings.options):
            return False
        shared = [path for path in self.paths if seekable(path) is not None]
        if sum(source_size(path) or 0 for path in shared) < _SMALL * len(shared):
            return False
        return all(may_be_cut(path, settings.encoding, settings.reading) for path in shared)

    def counted(self, steps: Iterable[RunStep]) -> Iterator[RunStep]:
        """Yield steps; add up each, and report its messages, after it has been processed.

        Raises:
            MemoryError: memory runs out; enough is left to end the run.
        """
        with Reserve() as reserve:
            for step in steps:
                reserve.check(step.found, step.size)
                self._add(step)
                yield step
                self._on_event(BytesRead(step.size))
                if step.tally is not None:
                    self.note(step.tally, source_name(self.path if step.part is None else step.part.path))
                if step.part is not None:
                    self._finish(step.part, step)

    def _add(self, step: RunStep) -> None:
        self.found += step.found
        if step.reasons:
            self.tally.rejected.update(step.reasons)
        if step.warnings:
            self.tally.warnings.update(step.warnings)
        if step.left_out:
            self.tally.left_out.update(step.left_out)
        self.size += step.size

    def note(self, tally: Tally, name: str = "folders") -> None:
        """Add the counts of what was read, skipped and broken of a file, and report the messages in proportion."""
        is_error = tally.is_unread
        if self.on_fault is not None:
            for fault in tally.messages:
                if isinstance(fault, FaultMessage):
                    self.on_fault(fault)
        for message in tally.shown(name):
            if message != self._last_message:  # each part of a large file repeats it
                self._on_event(Message(message, is_error))
            self._last_message = message
        tally.messages.clear()
        self.tally.take(tally)

    def _finish(self, part: Part, step: RunStep) -> None:
        self.ended += part.last
        if step.failure is None:
            self.files += part.last and part.path not in self._unreadable
        elif part.path not in self._unreadable:
            self._unreadable.add(part.path)
            self._on_event(FileFailed(part.path, step.failure.message))


def absorbed(steps: Iterable[RunStep], absorb: Callable[[Any], None], sink: SharedSink | None) -> Iterator[RunStep]:
    """Yield steps after a sink has taken their products; it is told of each pause of the input."""
    with nullcontext() if sink is None else at_pauses(sink._pause):
        for step in steps:
            for product in step.products:
                absorb(product)
            if sink is not None:
                sink.end_step(step)
            yield step


_UNDECODABLE: Final = ("text", "undecodable-bytes")


def _is_undecodable(message: str) -> bool:
    return isinstance(message, FaultMessage) and (message.kind, message.reason) == _UNDECODABLE


class CutFiles:
    """Checks the parts of files that are not plain text, in the order of the files; passes on all other steps.

    A part counts if all parts before it do and the last of them has ended where it begins; the first one that does not
    is `left`, with all that follows in its file, for one worker that knows all that comes before it. The counts of a
    file come with its last part, as if it had not been cut.

    Args:
        reading: how the files are read.
        kept: how many messages about faults are kept of a file for each kind and reason.
    """

    def __init__(self, reading: ReadingOptions, kept: int) -> None:
        from urisieve.sources.containers.limits import DEFAULT_LIMITS

        self._most = kept
        self._limits = reading.limits or DEFAULT_LIMITS
        self._begin()
        self.left: Part | None = None
        """The part that is to be read again, to the end of its file."""

    def _begin(self) -> None:
        self._number = self._size = self._made = 0
        self._tally = Tally()
        self._messages: Counter[tuple[str, str]] = Counter()
        self._stray: list[str] = []
        self._is_stray = False  # a part of a plain text before this one has bytes that do not decode

    def checked(self, steps: Iterator[RunStep]) -> Iterator[RunStep]:
        """Yield steps, up to one that does not count."""
        self.left = None
        for step in steps:
            part = step.part
            if part is None or part.cut is None:
                yield step if part is None else step._replace(tally=self._of_text(step.tally, part))
                continue
            if not part.cut.is_exact and not self._counts(part.cut, step.ended):
                known = self._known(part.cut)
                self.left = part._replace(segment=part.segment._replace(end=None), last=True, cut=known)
                return
            step = step._replace(tally=self._merged(step.tally, part))
            if part.last:
                self._begin()
            yield step

    def _of_text(self, tally: Tally | None, part: Part) -> Tally | None:
        """Return the counts of a part of plain text, of which the file counts once if bytes do not decode."""
        if tally is not None and tally.broken[_UNDECODABLE]:
            if self._is_stray:
                del tally.broken[_UNDECODABLE]
                tally.messages[:] = [one for one in tally.messages if not _is_undecodable(one)]
            self._is_stray = True
        self._is_stray = self._is_stray and not part.last
        return tally

    def _known(self, cut: PartStart) -> PartStart:
        """Return all that comes before a part."""
        from urisieve.sources.containers.contents import PartEnd

        known = replace(cut, made=self._made, is_exact=True, end=PartEnd())
        return replace(known, number=self._number, position=self._size) if cut.is_gzip else known

    def _counts(self, cut: PartStart, end: PartEnd | None) -> bool:
        if end is None or not end.is_sure:
            return False
        if self._made + end.made > self._limits.total_allowance + self._limits.ratio * cut.start:
            return False  # it may be more than was left of the limit
        self._made += end.made
        self._number += end.number
        self._size += end.size
        return True

    def _merged(self, tally: Tally | None, part: Part) -> Tally | None:
        """Add the counts of a part; return those of the file with its last part."""
        whole = self._tally
        if tally is not None:
            assert part.cut is not None
            for message in self._kept(tally.messages, is_line=part.cut.kind in OF_LINES):
                whole.messages.append(message)
            tally.messages.clear()
            whole.take(tally)
            if self._stray:
                whole.broken[_UNDECODABLE] = 1
        if not part.last:
            return None
        whole.messages += self._stray
        return whole

    def _kept(self, messages: Sequence[str], *, is_line: bool) -> Iterator[str]:
        """Yield the messages that one reader of the whole file would have kept."""
        is_kept = True
        for message in messages:
            if isinstance(message, FaultMessage):
                fault = message.kind, message.reason
                if is_line and _is_undecodable(message):
                    self._stray = [message]
                    is_kept = False
                    continue
                self._messages[fault] += 1
                is_kept = self._messages[fault] <= self._most
            if is_kept:  # what follows a message belongs to it
                yield message
