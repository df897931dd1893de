"""Files: what is in them, by one process or by several, in the order of the files and of their text.

A large file is cut into parts at places that no candidate crosses (`urisieve.sources.segments`); a part knows what
comes before it, so that offsets and lines are those of the whole file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from stat import S_ISREG
from typing import Any, Final, NamedTuple, TypeVar

from urisieve.errors import InputError, UsageError
from urisieve.options import DEFAULT_OPTIONS, Options
from urisieve.processes import Work, Workers
from urisieve.record import Record, Rejection, make_record, make_rejection
from urisieve.scanner import Scanner
from urisieve.search import PIECE, Search
from urisieve.sources import (
    STANDARD_INPUT,
    ByteDecoder,
    Encoding,
    Segment,
    find_encoding,
    known_marks,
    read_blocks,
    segments,
    source_size,
)

__all__ = [
    "PART_SIZE",
    "Part",
    "cores",
    "decoder_for",
    "extract_files",
    "grouped",
    "jobs_for",
    "may_be_cut",
    "parts",
    "sieve_files",
    "sieve_part",
    "source_name",
]

T = TypeVar("T")

# Bytes below which more than one process does not pay: each costs a tenth of a second.
_WORTH_WHILE: Final = 16_000_000
# About how many bytes a part holds: enough that its own cost does not show, and so few that all cores have work to the
# end.
PART_SIZE: Final = 4_194_304
_LONGEST_MARK: Final = 4
_READ: Final = 1_048_576


class Part(NamedTuple):
    """A part of a file.

    Attributes:
        path: the file.
        segment: which of its bytes.
        characters: how many characters come before it.
        lines: how many lines come before it.
        last: whether it is the last of its file.
    """

    path: str
    segment: Segment = Segment(0, None)
    characters: int = 0
    lines: int = 0
    last: bool = True


def cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def jobs_for(paths: Iterable[str], jobs: int | None) -> int:
    """How many processes to use: as many as asked for, or all cores where the files are large.

    Raises:
        UsageError: fewer than one was asked for.
    """
    if jobs is not None:
        if not isinstance(jobs, int) or jobs < 1:
            raise UsageError(f"jobs={jobs!r} must be an integer of at least 1")
        return jobs
    total = 0
    for path in paths:
        total += (source_size(path) or 0) if path != STANDARD_INPUT else 0
    return cores() if total >= _WORTH_WHILE else 1


def source_name(path: str) -> str:
    """The name that the records of a file carry: a path may hold any bytes, a name is text."""
    return os.fsencode(path).decode("utf-8", "replace")


def may_be_cut(path: str, encoding: str | None) -> bool:
    """Whether other processes can read a file and enter it in its middle.

    It must be a regular one, in an encoding in which the byte 0A is a line feed wherever it stands.

    Raises:
        UsageError: the encoding is not known.
    """
    chosen = find_encoding(encoding)
    try:
        if path == STANDARD_INPUT or not S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb", buffering=0) as file:
            head = file.read(_LONGEST_MARK)
    except (OSError, ValueError):
        return False
    for mark, marked in known_marks(encoding):
        if head.startswith(mark):
            chosen = marked
            break
    return chosen.breaks_lines_like_ascii


def parts(path: str, encoding: str | None, options: Options, *, size: int, places: bool) -> Iterator[Part]:
    """The parts of a file that `may_be_cut`, in order.

    Args:
        path: the file.
        encoding: the name of its encoding.
        options: those that it is to be sieved with.
        size: about how many bytes a part holds.
        places: whether to count the characters and lines before each part.

    What cannot be read is one part, so that whoever reads it meets the error.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        yield Part(path)
        return

    def read(place: int, length: int) -> bytes:
        os.lseek(descriptor, place, os.SEEK_SET)
        return os.read(descriptor, length)

    characters = lines = start = 0
    try:
        chosen = find_encoding(encoding)
        length = os.fstat(descriptor).st_size
        for segment in segments(read, length, size, options.max_length):
            yield Part(path, segment, characters, lines, segment.end is None)
            start = segment.end or start
            if places and segment.end is not None:
                more_characters, more_lines = _counted(read, segment, chosen)
                characters += more_characters
                lines += more_lines
                if segment.start == 0 and any(read(0, len(mark)) == mark for mark, _ in known_marks(encoding)):
                    characters -= 1  # the byte order mark is none
    except OSError:
        yield Part(path, Segment(start, None), characters, lines)
    finally:
        os.close(descriptor)


def _counted(read: Callable[[int, int], bytes], segment: Segment, encoding: Encoding) -> tuple[int, int]:
    """The characters and line feeds of a segment that has an end."""
    decoder = encoding.decoder()
    characters = lines = 0
    place, end = segment.start, segment.end or 0
    while place < end and (data := read(place, min(_READ, end - place))):
        place += len(data)
        lines += data.count(b"\n")
        characters += len(data) if data.isascii() and not decoder.getstate()[0] else len(decoder.decode(data))
    return characters + len(decoder.decode(b"", True)), lines


def sieve_part(part: Part, search: Search[T], decoder: ByteDecoder) -> Iterator[tuple[int, list[T]]]:
    """Sieve one part; gives how many bytes were read, and what was decided by them.

    Raises:
        InputError: it cannot be read; what is undecided then is not given.
    """
    segment = part.segment
    if segment.start:
        before = b"".join(read_blocks(part.path, segment.context, segment.start))
        search.enter(before.decode(decoder.encoding.name, "replace"), part.characters, part.lines)
    for block in read_blocks(part.path, segment.start, segment.end):
        yield len(block), search.feed(decoder.feed(block))
    found = search.feed(decoder.close())
    found += search.close()
    yield 0, found


def decoder_for(part: Part, encoding: str | None, options: Options, *, places: bool) -> ByteDecoder:
    """The decoder for a part; `places` says whether byte offsets are wanted."""
    keep = 4 * (options.max_length + PIECE) if places else None  # a few of the longest candidates
    after = (part.characters, part.segment.start) if part.segment.start else None
    return ByteDecoder(encoding, keep=keep, after=after)


class _Settings(NamedTuple):
    options: Options
    encoding: str | None


class _Failed(NamedTuple):
    """A file that could not be read, on its way to the process that gave it."""

    path: str
    message: str


def _found(settings: _Settings, part: Part) -> Iterator[list[Record | Rejection]]:
    decoder = decoder_for(part, settings.encoding, settings.options, places=True)
    scanner = Scanner(settings.options, source=source_name(part.path))
    for _, found in sieve_part(part, scanner, decoder):
        offsets = decoder.offsets
        if offsets is None:
            yield found
        else:
            yield [value.with_bytes(*offsets.span(value.start, value.end)) for value in found]


def _packed(settings: _Settings) -> Work[Part, list[tuple[Any, ...]] | _Failed]:
    """The work of a process: records and rejections as the tuples of their fields, which travel at half the cost."""

    def work(part: Part) -> Iterator[list[tuple[Any, ...]] | _Failed]:
        try:
            for found in _found(settings, part):
                if found:
                    yield [value._fields for value in found]
        except InputError as error:
            yield _Failed(part.path, str(error))

    return work


def _unpacked(fields: tuple[Any, ...]) -> Record | Rejection:
    return make_record(fields, None) if len(fields) == _RECORD_FIELDS else make_rejection(fields)


_RECORD_FIELDS: Final = 13


def sieve_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    options: Options | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    on_error: Callable[[str, InputError], None] | None = None,
) -> Iterator[Record | Rejection]:
    """Every identifier in files and every candidate that is none, in the order of the files and of their text.

    Args:
        paths: the files; `source` of what comes is the path, and `byte_start` and `byte_end` are set.
        options: what to find and how far to normalize.
        encoding: the name of an encoding; by default it is told by a byte order mark, else UTF-8.
        jobs: how many processes share the work; None for all cores where the files are large. The result is the same.
            It pays where links are sparse: a record takes about as long to hand over as to make. The processes are
            spawned, so that a script must keep what it does under `if __name__ == "__main__":`.
        on_error: called with the path and the error where a file cannot be read; the others are. Without it the error
            is raised.

    Raises:
        InputError: a file cannot be read, and there is no `on_error`.
        ProcessError: a process cannot be started, or has ended.
        UsageError: an argument cannot be taken.
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise UsageError(f"paths={paths!r} must be a sequence of paths: [{paths!r}]")
    names = [os.fspath(path) for path in paths]
    settings = _Settings(DEFAULT_OPTIONS if options is None else options, encoding)
    find_encoding(encoding)
    count = jobs_for(names, jobs)

    def failed(path: str, error: InputError) -> None:
        if on_error is None:
            raise InputError(f"{path}: {error}") from error
        on_error(path, error)

    return _alone(names, settings, failed) if count == 1 else _shared(names, settings, count, failed)


def _alone(
    paths: Iterable[str], settings: _Settings, failed: Callable[[str, InputError], None]
) -> Iterator[Record | Rejection]:
    for path in paths:
        try:
            for found in _found(settings, Part(path)):
                yield from found
        except InputError as error:
            failed(path, error)


def _shared(
    paths: Sequence[str], settings: _Settings, count: int, failed: Callable[[str, InputError], None]
) -> Iterator[Record | Rejection]:
    unreadable: set[str] = set()
    with Workers(count, _packed, settings) as workers:
        for cut, group in grouped(paths, settings.encoding):
            if not cut:
                yield from _alone(group, settings, failed)
                continue
            tasks = (
                part
                for path in group
                for part in parts(path, settings.encoding, settings.options, size=PART_SIZE, places=True)
            )
            for result in workers.map(tasks):
                if isinstance(result, _Failed):
                    if result.path not in unreadable:
                        unreadable.add(result.path)
                        failed(result.path, InputError(result.message))
                else:
                    yield from map(_unpacked, result)


def grouped(paths: Iterable[str], encoding: str | None) -> Iterator[tuple[bool, Iterator[str]]]:
    """Neighbouring paths that `may_be_cut`, and neighbouring ones that may not."""
    from itertools import groupby

    return groupby(paths, key=lambda path: may_be_cut(path, encoding))


def extract_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    options: Options | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    on_error: Callable[[str, InputError], None] | None = None,
) -> Iterator[Record]:
    """Every identifier in files; arguments, order and errors are those of `sieve_files`."""
    found = sieve_files(paths, options=options, encoding=encoding, jobs=jobs, on_error=on_error)
    return (value for value in found if isinstance(value, Record))
