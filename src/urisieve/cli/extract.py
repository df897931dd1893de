"""`urisieve extract`: sources, through the scanner, to a sink."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack

from urisieve.cli.arguments import ExtractSettings, parse_extract
from urisieve.cli.outputs import STANDARD_OUTPUT, Output, open_output
from urisieve.cli.passwords import password_token
from urisieve.cli.progress import Progress, watched
from urisieve.cli.signals import unwound_on_termination
from urisieve.cli.sinks import record_format, rejection_lines
from urisieve.cli.talk import say
from urisieve.errors import InputError
from urisieve.options import Options
from urisieve.record import Record, Rejection
from urisieve.scanner import Scanner
from urisieve.sources import BLOCK_SIZE, ByteDecoder, OffsetMap, read_blocks

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
        with unwound_on_termination(), ExitStack() as stack:
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
        self._token = None if settings.show_passwords else password_token()
        self._format = record_format(settings.format, settings.form, self._masked)
        self._seen: set[str] | None = set() if settings.unique else None
        self._output: Output | None = None
        self._rejects: Output | None = None
        self._files = 0
        self._bytes = 0
        self._rejected = 0
        self.found = 0
        self.failed = False

    def run(self, stack: ExitStack) -> None:
        """Sieve every source; what is opened is closed, or undone, by `stack`."""
        settings = self._settings
        self._output = stack.enter_context(open_output(settings.output))
        if settings.rejected is not None:
            self._rejects = stack.enter_context(open_output(settings.rejected))
        self._output.write(self._format.header)
        progress = None
        if not settings.quiet:
            progress = watched(settings.paths, to_terminal=_is_terminal(settings.output))
        if progress is not None:
            stack.callback(progress.close)
        for path in settings.paths:
            try:
                self._sieve(path, progress)
                self._files += 1
            except InputError as error:
                self.failed = True
                if progress is not None:
                    progress.hide()
                say(f"{path}: {error}")
        if not self._files and (settings.output != STANDARD_OUTPUT or settings.rejected is not None):
            raise InputError("nothing could be read; the output is left as it was")

    def _sieve(self, path: str, progress: Progress | None) -> None:
        """Sieve one source; where reading fails midway, what is undecided then is not given."""
        settings = self._settings
        places = self._format.places or self._rejects is not None
        decoder = ByteDecoder(settings.encoding, keep=_reach(settings.options) if places else None)
        # A file name may hold any bytes; what is written is UTF-8.
        scanner = Scanner(settings.options, source=os.fsencode(path).decode("utf-8", "replace"))
        for block in read_blocks(path):
            self._bytes += len(block)
            found = scanner.feed(decoder.feed(block))
            if found:
                self._take(found, decoder.offsets)
            if progress is not None:
                progress.update(len(block))
        found = scanner.feed(decoder.close())
        found += scanner.close()
        self._take(found, decoder.offsets)

    def _take(self, found: list[Record | Rejection], offsets: OffsetMap | None) -> None:
        assert self._output is not None
        records = [value for value in found if value.__class__ is Record]
        self.found += len(records)
        if len(records) != len(found):
            self._reject([value for value in found if isinstance(value, Rejection)], offsets)
        if self._seen is not None:
            records = _unseen(records, self._seen)
        if records:
            self._output.write(self._format(records, offsets))

    def _reject(self, rejections: list[Rejection], offsets: OffsetMap | None) -> None:
        self._rejected += len(rejections)
        if self._rejects is not None:
            if self._token is not None:
                rejections = [rejection.masked() for rejection in rejections]
            self._rejects.write(rejection_lines(rejections, offsets))

    def _masked(self, record: Record) -> Record:
        return record if self._token is None else record.masked(self._token)

    def counts(self) -> str:
        """What was done, in one line."""
        parts = [_count(self._files, "file"), _count(self._bytes, "byte"), f"{self.found:,} found"]
        if self._seen is not None:
            parts.append(f"{len(self._seen):,} unique")
        parts.append(f"{self._rejected:,} rejected")
        parts.append(f"{time.perf_counter() - self._started:.1f} s")
        return ", ".join(parts)


def _unseen(records: list[Record], seen: set[str]) -> list[Record]:
    """The records whose keys are not in `seen`, which then holds them."""
    new = []
    for record in records:
        key = record.key
        if key not in seen:
            seen.add(key)
            new.append(record)
    return new


def _reach(options: Options) -> int:
    """How many characters back a scanner with these options may still report: a few of the longest candidates."""
    return 4 * (options.max_length + BLOCK_SIZE)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _is_terminal(output: str) -> bool:
    return output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty()
