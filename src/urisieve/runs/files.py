"""Files: what is in them, by one process or by several, in the order of the files and of their text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Union

from urisieve.errors import BrokenInputError, InputError, UnexpectedInputError, UsageError
from urisieve.find.scanner import Scanner
from urisieve.options import DEFAULT_OPTIONS, Options
from urisieve.printable import printable
from urisieve.records.record import Record, make_record
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.rules.table import RuleTable, rules_of
from urisieve.runs.file_parts import (
    PART_SIZE,
    Part,
    decoder_for,
    grouped,
    is_named,
    jobs_for,
    part_blocks,
    seekable,
    sieve_part,
    source_name,
    tasks,
    text_tally,
)
from urisieve.runs.workers import Work, Workers
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import DEFAULT_READING, ReadingOptions
from urisieve.sources.unexpected import guarded

if TYPE_CHECKING:
    from urisieve.sources.tally import Tally

__all__ = ["extract_files", "found_files", "sieve_files"]


class _Settings(NamedTuple):
    options: Options
    encoding: str | None
    reading: ReadingOptions


class _Failed(NamedTuple):
    """What could not be read, on its way to the process that gave it; `trace` where nobody expected that."""

    path: str
    message: str
    kind: str
    reason: str
    trace: str | None = None

    @property
    def error(self) -> InputError:
        """What is raised for it, or given to a callback."""
        error = InputError(self.message)
        if self.trace is not None:
            error.add_note(self.trace)
        return error


class _Sieve:
    """Sieves parts of files by one set of settings; gives records, failures, and what was counted."""

    def __init__(self, settings: _Settings) -> None:
        self._settings = settings
        self._failures: list[_Failed] = []
        self._path = ""

    def found(self, part: Part) -> Iterator[list[Record | Rejection] | _Failed | Tally]:
        """What is in a part."""
        try:
            yield from guarded(self._found(part), "file")
        except InputError as error:
            yield self._failure(part.path, str(error), error)

    def _found(self, part: Part) -> Iterator[list[Record | Rejection] | _Failed | Tally]:
        kind, blocks = part_blocks(part, self._settings.reading)
        yield from self._text(part, blocks) if kind is None else self._contents(part, blocks)

    def _text(self, part: Part, blocks: Iterable[bytes]) -> Iterator[list[Record | Rejection] | Tally]:
        options, encoding, _ = self._settings
        decoder = decoder_for(part, encoding, options, places=True)
        scanner = Scanner(options, source=source_name(part.path))
        for _, found in sieve_part(part, blocks, scanner, decoder):
            yield _with_bytes(found, decoder.offsets)
        tally = text_tally(part, decoder, self._settings.reading)
        if tally is not None:
            yield tally

    def _contents(self, part: Part, blocks: Iterable[bytes]) -> Iterator[list[Record | Rejection] | _Failed | Tally]:
        from urisieve.runs.document_sieve import DocumentSieve
        from urisieve.sources.tally import Tally

        self._path = part.path
        tally = Tally()
        documents = DocumentSieve(
            self._settings.options,
            self._settings.reading,
            tally=tally,
            failed=self._failed,
            encoding=self._settings.encoding,
        )
        named = is_named(part.path)
        for found, offsets in documents.records(source_name(part.path), blocks, seekable(part.path), named=named):
            yield _with_bytes(found, offsets)
            yield from self._taken()
        yield from self._taken()
        yield tally

    def _failed(self, source: str, error: InputError) -> None:
        name = source_name(self._path)
        message = str(error) if source == name else f"{source.removeprefix(name)}: {error}"
        self._failures.append(self._failure(self._path, message, error))

    @staticmethod
    def _failure(path: str, message: str, error: InputError) -> _Failed:
        kind, reason = ("file", "unreadable")
        if isinstance(error, BrokenInputError):
            kind, reason = error.kind, error.reason
        trace = "\n".join(error.trace) if isinstance(error, UnexpectedInputError) else None
        return _Failed(path, message, kind, reason, trace)

    def _taken(self) -> list[_Failed]:
        failures = self._failures
        self._failures = []
        return failures


def _with_bytes(found: list[Record | Rejection], offsets: OffsetMap | None) -> list[Record | Rejection]:
    if offsets is None:
        return found
    return [value.with_bytes(*offsets.span(value.start, value.end)) for value in found]


def _packed(settings: _Settings) -> Work[Part, list[tuple[Any, ...]] | _Failed | Tally]:
    """The work of a process: records and rejections as the tuples of their fields, which travel at half the cost."""
    sieve = _Sieve(settings)

    def work(part: Part) -> Iterator[list[tuple[Any, ...]] | _Failed | Tally]:
        for found in sieve.found(part):
            if not isinstance(found, list):
                yield found
            elif found:
                yield [value._fields for value in found]

    return work


def _unpacked(fields: tuple[Any, ...], rules: RuleTable) -> Record | Rejection:
    return make_record(fields, None, rules) if len(fields) == _RECORD_FIELDS else make_rejection(fields)


_RECORD_FIELDS: Final = 14


def found_files(paths: Iterable[str], reading: ReadingOptions, tally: Tally) -> list[str]:
    """The files that paths name, those of folders among them; see `urisieve.sources.containers.folders.find_files`."""
    paths = list(paths)
    if not any(path != STANDARD_INPUT and os.path.isdir(path) for path in paths):
        return paths
    from urisieve.sources.containers.folders import find_files

    return list(find_files(paths, tally=tally, choice=reading.folders))


def sieve_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    on_error: Callable[[str, InputError], None] | None = None,
    tally: Tally | None = None,
) -> Iterator[Record | Rejection]:
    """Find every identifier in files, and every candidate that is not valid, in the order of the files and their text.

    Compressed files, archives, mail and HTML are detected by their content and read as what they are; folders are
    walked.

    >>> from urisieve import Tally, sieve_files
    >>> tally = Tally()
    >>> found = list(sieve_files(["samples"], tally=tally))
    >>> sum(map(bool, found)) > 100, tally.rejected["bad-percent-encoding"] > 0
    (True, True)

    Args:
        paths: files and folders; `source` of what comes is the path, then `!` and the name of an archive's member.
            `byte_start` and `byte_end` are set where the text stands in the (decompressed) file as it is.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of an encoding; by default it is told by a byte order mark, else UTF-8.
        jobs: how many processes share the work; None for all cores where the files are large. The result is the same.
            It pays where links are sparse: a record takes about as long to hand over as to make. The processes are
            spawned, so that a script must keep what it does under `if __name__ == "__main__":`.
        on_error: called with the path and the error where a file, or something in it, cannot be read to its end; the
            rest is. Without it the error is raised.
        tally: takes the counts of what was read, skipped, rejected and found broken, and messages.

    Yields:
        a `Record` or a `Rejection`; a rejection is falsy.

    Raises:
        InputError: a file cannot be read, and there is no `on_error`.
        ProcessError: a process cannot be started, or has ended.
        UsageError: an argument cannot be taken.
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise UsageError(f"paths={paths!r} must be a sequence of paths: [{paths!r}]")
    from urisieve.sources.tally import Tally

    counts = Tally() if tally is None else tally
    settings = _Settings(
        DEFAULT_OPTIONS if options is None else options, encoding, DEFAULT_READING if reading is None else reading
    )
    find_encoding(encoding)
    names = found_files([os.fspath(path) for path in paths], settings.reading, counts)
    count = jobs_for(names, jobs)

    def failed(failure: _Failed) -> None:
        path, message = failure.path, failure.message
        counts.broken[failure.kind, failure.reason] += 1
        if on_error is None:
            whole = printable(f"{path}{message}" if message.startswith("!") else f"{path}: {message}")
            raise failure._replace(message=whole).error
        on_error(path, failure.error)

    def taken(results: Iterable[_Result]) -> Iterator[Record | Rejection]:
        told: set[_Failed] = set()  # each part of a file meets the same failure
        for result in results:
            if isinstance(result, _Failed):
                if result not in told:
                    told.add(result)
                    failed(result)
            elif isinstance(result, Tally):
                counts.take(result)
            else:
                if tally is not None:
                    _count(result, counts)
                yield from result

    return taken(_alone(names, settings) if count == 1 else _shared(names, settings, count))


def _count(found: list[Record | Rejection], tally: Tally) -> None:
    """Count rejections by reason, and the warnings of records."""
    for value in found:
        if isinstance(value, Rejection):
            tally.rejected[value.reason] += 1
        elif value.warnings:
            tally.warnings.update(value.warnings)


_Result = Union[list[Record | Rejection], _Failed, "Tally"]


def _alone(paths: Iterable[str], settings: _Settings) -> Iterator[_Result]:
    sieve = _Sieve(settings)
    for path in paths:
        yield from sieve.found(Part(path))


def _check_can_travel(options: Options) -> None:
    """Make sure that other processes can be given the rules of some options.

    Raises:
        UsageError: they cannot.
    """
    import pickle

    try:
        pickle.dumps(options.rules)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"rules: other processes cannot be given these rows ({error}); their functions must be those of a module, "
            "not lambdas or functions inside others; or use jobs=1"
        ) from error


def _shared(paths: Sequence[str], settings: _Settings, count: int) -> Iterator[_Result]:
    options, encoding, reading = settings
    _check_can_travel(options)
    rules = rules_of(options.rules)
    with Workers(count, _packed, settings) as workers:
        for shared, group in grouped(paths):
            if not shared:
                yield from _alone(group, settings)
                continue
            for result in workers.map(tasks(group, encoding, options, reading, size=PART_SIZE, places=True)):
                yield [_unpacked(fields, rules) for fields in result] if isinstance(result, list) else result


def extract_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    on_error: Callable[[str, InputError], None] | None = None,
    tally: Tally | None = None,
) -> Iterator[Record]:
    """Find every identifier in files, in the order of the files and of their text.

    Compressed files, archives, mail and HTML are detected by their content and read as what they are; folders are
    walked.

    >>> from urisieve import extract_files
    >>> for record in extract_files(["samples/mail.mbox"]):
    ...     print(record.source, record.message, record.byte_start, record.uri)
    ...     break
    samples/mail.mbox 1 195 https://lists.example/archive/

    Args:
        paths: files and folders; `source` of what comes is the path, then `!` and the name of an archive's member.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of an encoding; by default it is detected by a byte order mark, else UTF-8.
        jobs: how many processes share the work; None for all cores where the files are large. The result is the same,
            but a script must keep what it does under `if __name__ == "__main__":`; see `sieve_files`.
        on_error: called with the path and the error where a file, or something in it, cannot be read to its end; the
            rest is. Without it the error is raised.
        tally: takes the counts of what was read, skipped, rejected and found broken, and messages.

    Yields:
        a `Record`; candidates that are not valid are left out, and counted in `tally`.

    Raises:
        InputError: a file cannot be read, and there is no `on_error`.
        ProcessError: a process cannot be started, or has ended.
        UsageError: an argument cannot be taken.
    """
    found = sieve_files(
        paths, options=options, reading=reading, encoding=encoding, jobs=jobs, on_error=on_error, tally=tally
    )
    return (value for value in found if isinstance(value, Record))
