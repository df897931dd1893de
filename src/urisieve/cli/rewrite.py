"""`urisieve rewrite`: files, with what stands for their identifiers, to an output or in their own place."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from stat import S_ISREG

from urisieve.cli.closing_line import Closing
from urisieve.cli.reports import DONE, FAILED, say
from urisieve.cli.settings.rewrite_arguments import RewriteSettings, parse_rewrite
from urisieve.errors import InputError
from urisieve.records.masking import masked_name
from urisieve.rewriting.carriers import Carriers, NotWrittenBackError, RewriteCounts
from urisieve.rewriting.replacements import (
    Replacement,
    canonical,
    defanged,
    hidden,
    inert,
    merged,
    refanged,
    replacement_of,
)
from urisieve.runs.file_parts import seekable
from urisieve.runs.process import unwound_on_termination
from urisieve.sinks.outputs import STANDARD_OUTPUT, Output, check_uses, gathering, open_output
from urisieve.sources.bytes.reading import path_hint, read_blocks, source_name
from urisieve.sources.tally import counted


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status.

    Raises:
        OutputError: the output cannot be written.
        InputError: a file cannot be written back, or a list cannot be read; nothing was written.
    """
    settings = parse_rewrite(argv)
    rewriting = _Rewriting(settings)
    try:
        with unwound_on_termination():
            rewriting.run()
    except BrokenPipeError:
        return DONE
    if not settings.quiet:
        rewriting.closing().say(verbose=settings.verbose)
    return FAILED if rewriting.has_failed else DONE


def _replacement(settings: RewriteSettings) -> Replacement:
    """Return what is written.

    Raises:
        InputError: the list of what is known cannot be read.
    """
    if settings.template is not None:
        return replacement_of(settings.template)
    if settings.only_known:
        from urisieve.dedupe.known import Known

        known = Known.read(settings.only_known, subdomains=settings.subdomains, options=settings.options)
        if known.rejected and not settings.quiet:
            say(f"--only-known: {known.first_rejected}; {counted(known.rejected, 'line')} left out")
        return inert(known, settings.inert)
    ways = {"secrets": hidden, "defang": defanged, "refang": refanged, "canonical": canonical, "merge": merged}
    return ways[settings.way]()


class _Rewriting:
    """One run of the command.

    Attributes:
        has_failed: whether a file could not be read to its end.
    """

    def __init__(self, settings: RewriteSettings) -> None:
        self._settings = settings
        self._started = time.perf_counter()
        self._counts = RewriteCounts()
        self._files = self._size = self._copied = 0
        self.has_failed = False
        replacement = _replacement(settings)
        self._carriers = Carriers(
            replacement if settings.rejected else replacement._replace(rejection=None),
            settings.options,
            settings.reading,
            encoding=settings.encoding,
            counts=self._counts,
        )

    def run(self) -> None:
        """Rewrite all files; what cannot be written back is refused before anything is written.

        Raises:
            InputError: a file cannot be read, or written back.
        """
        settings = self._settings
        replaced = "" if settings.output == STANDARD_OUTPUT else "--output"
        check_uses([("--output", [settings.output])], settings.paths, replaced=replaced)
        if len(settings.paths) > 1 or settings.in_place:
            for path in settings.paths:
                if seekable(path) is not None:
                    self._begun(path)
                elif settings.in_place:
                    _check_replaceable(path)
            self._size = self._copied = 0
        if settings.in_place:
            for path in settings.paths:
                self._in_place(path)
            return
        first = self._begun(settings.paths[0])  # a file that is refused leaves the output as it was
        with ExitStack() as stack:
            output = stack.enter_context(gathering(open_output(settings.output)))
            self._write(output, settings.paths[0], first)
            for path in settings.paths[1:]:
                self._write(output, path, self._begun(path))
            output._flush()

    def _begun(self, path: str) -> Iterator[bytes]:
        """Return the bytes of a file, rewritten.

        Raises:
            InputError: it cannot be read, or written back.
        """
        try:
            return self._carriers.rewritten(source_name(path), self._blocks(path), is_live=seekable(path) is None)
        except InputError as error:
            if self._settings.copy_others and isinstance(error, NotWrittenBackError):
                self._copied += 1
                return read_blocks(path)
            raise InputError(f"{_shown(path)}: {error}{path_hint(path)}") from error

    def _blocks(self, path: str) -> Iterator[bytes]:
        for block in read_blocks(path):
            self._size += len(block)
            yield block

    def _write(self, output: Output, path: str, pieces: Iterator[bytes]) -> None:
        """Write the bytes of a file; if it cannot be read to its end, all that was read, and this is reported."""
        try:
            for piece in pieces:
                output.write(piece)
        except InputError as error:
            self._fail(path, error)
        self._files += 1
        self._report()

    def _in_place(self, path: str) -> None:
        """Replace a file, if anything in it changes; one that cannot be read to its end stays."""
        before = self._counts.replaced
        pieces = self._begun(path)
        output = open_output(path)
        try:
            with output:
                for piece in pieces:
                    output.write(piece)
                if self._counts.replaced == before:
                    raise _UnchangedError
        except _UnchangedError:
            pass
        except InputError as error:
            self._fail(path, error)
        self._files += 1
        self._report()

    def _fail(self, path: str, error: InputError) -> None:
        self.has_failed = True
        say(f"{_shown(path)}: {error}")

    def _report(self) -> None:
        """Say what was broken in a file."""
        tally = self._counts.tally
        if not self._settings.quiet:
            for message in tally.messages:
                say(message)
        tally.messages.clear()

    def closing(self) -> Closing:
        """Return what the closing line is made of."""
        counts = self._counts
        done = [counted(self._files, "file"), counted(self._size, "byte"), f"{counts.replaced:,} replaced"]
        if counts.unwritten:
            were = "it was, which cannot" if counts.unwritten == 1 else "they were, which cannot"
            done.append(f"{counts.unwritten:,} left as {were} be written there")
        if self._copied:
            done.append(f"{counted(self._copied, 'file')} copied as {'it is' if self._copied == 1 else 'they are'}")
        return Closing(done, counts.tally, time.perf_counter() - self._started)


class _UnchangedError(Exception):
    """Nothing in a file changes: its output is given up."""


def _check_replaceable(path: str) -> None:
    """Check that a path is that of a file, and not of a folder, a pipe or a device.

    Raises:
        InputError: it is one of these, or there is nothing.
    """
    try:
        is_file = S_ISREG(os.stat(path).st_mode)
    except OSError as error:
        raise InputError(f"{_shown(path)}: {error.strerror}{path_hint(path)}") from error
    if not is_file:
        raise InputError(f"{_shown(path)}: is not a file; --in-place replaces only files")


def _shown(path: str) -> str:
    return masked_name(os.fspath(path)) if path != "-" else "standard input"
