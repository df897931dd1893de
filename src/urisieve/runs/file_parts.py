"""Parts of files: what a process is given to read, and how a large file is cut into such parts.

A file of plain text is cut at places that no candidate crosses (`urisieve.sources.bytes.segments`); a part knows what
comes before it, so that offsets and lines are those of the whole file. Any other file is one part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from stat import S_ISREG
from typing import Final, NamedTuple, TypeVar

from urisieve.errors import UsageError
from urisieve.find.search import PIECE, Search
from urisieve.options import Options
from urisieve.sources.bytes.decoding import ByteDecoder, count_stray
from urisieve.sources.bytes.encodings import Encoding, find_encoding, known_marks
from urisieve.sources.bytes.reading import STANDARD_INPUT, WalkedPath, read_blocks, source_size
from urisieve.sources.bytes.segments import Segment, segments
from urisieve.sources.containers.detection import HEAD_SIZE, Kind, kind_of
from urisieve.sources.containers.opening import is_plain, opened, text_kind
from urisieve.sources.reading_options import DEFAULT_READING, ReadingOptions
from urisieve.sources.tally import Tally

__all__ = [
    "PART_SIZE",
    "Part",
    "cores",
    "decoder_for",
    "grouped",
    "is_named",
    "jobs_for",
    "may_be_cut",
    "part_blocks",
    "parts",
    "seekable",
    "sieve_part",
    "source_name",
    "tasks",
    "text_tally",
]

T = TypeVar("T")

# Bytes below which more than one process does not pay: each costs a tenth of a second.
_WORTH_WHILE: Final = 16_000_000
# About how many bytes a part holds: enough that its own cost does not show, and so few that all cores have work to the
# end.
PART_SIZE: Final = 4_194_304
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
    """The name that the records of a file carry: `os.fsencode` gives the bytes of its path back.

    Bytes that are not UTF-8 are halves of surrogate pairs (PEP 383), as in any path that Python gives.
    """
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def may_be_cut(path: str, encoding: str | None, reading: ReadingOptions = DEFAULT_READING) -> bool:
    """Whether other processes can read a file and enter it in its middle.

    It must be a regular one, of plain text, in an encoding in which the byte 0A is a line feed wherever it stands.

    Raises:
        UsageError: the encoding is not known.
    """
    chosen = find_encoding(encoding)
    try:
        if path == STANDARD_INPUT or not S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb", buffering=0) as file:
            head = file.read(HEAD_SIZE)
    except (OSError, ValueError):
        return False
    if not is_plain(kind_of(head, path), reading):
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


def tasks(
    paths: Iterable[str], encoding: str | None, options: Options, reading: ReadingOptions, *, size: int, places: bool
) -> Iterator[Part]:
    """Regular files in parts, as far as they may be cut; arguments are those of `parts`."""
    for path in paths:
        if may_be_cut(path, encoding, reading):
            yield from parts(path, encoding, options, size=size, places=places)
        else:
            yield Part(path)


def part_blocks(part: Part, reading: ReadingOptions) -> tuple[Kind | None, Iterator[bytes]]:
    """The bytes of a part, and what its file is where it is not to be read as plain text.

    Raises:
        InputError: it cannot be read.
    """
    segment = part.segment
    blocks = read_blocks(part.path, segment.start, segment.end)
    if segment.start or segment.end is not None:
        return None, blocks
    kind, blocks = opened(blocks, part.path)
    return (None if is_plain(kind, reading) else kind), blocks


def is_named(path: str) -> bool:
    """Whether a path was named itself, and not found in a folder."""
    return not isinstance(path, WalkedPath)


def text_tally(part: Part, decoder: ByteDecoder, reading: ReadingOptions) -> Tally | None:
    """What there is to count of a part of plain text that has been read, if anything."""
    if not part.last and not decoder.stray:
        return None
    tally = Tally()
    tally.kinds[text_kind(part.path, reading)] += part.last
    count_stray(tally, source_name(part.path), decoder)
    return tally


def sieve_part(
    part: Part, blocks: Iterable[bytes], search: Search[T], decoder: ByteDecoder
) -> Iterator[tuple[int, list[T]]]:
    """Sieve one part of plain text; gives how many bytes were read, and what was decided by them.

    Raises:
        InputError: it cannot be read; what is undecided then is not given.
    """
    segment = part.segment
    if segment.start:
        before = b"".join(read_blocks(part.path, segment.context, segment.start))
        search.enter(before.decode(decoder.encoding.name, "replace"), part.characters, part.lines)
    for block in blocks:
        yield len(block), search.feed(decoder.feed(block))
    found = search.feed(decoder.close())
    found += search.close()
    yield 0, found


def decoder_for(part: Part, encoding: str | None, options: Options, *, places: bool) -> ByteDecoder:
    """The decoder for a part; `places` says whether byte offsets are wanted."""
    keep = 4 * (options.max_length + PIECE) if places else None  # a few of the longest candidates
    after = (part.characters, part.segment.start) if part.segment.start else None
    return ByteDecoder(encoding, keep=keep, after=after)


def seekable(path: str) -> str | None:
    """A path where the file can be opened again and sought, None where it cannot."""
    try:
        return path if path != STANDARD_INPUT and S_ISREG(os.stat(path).st_mode) else None
    except (OSError, ValueError):
        return None


def grouped(paths: Iterable[str]) -> Iterator[tuple[bool, Iterator[str]]]:
    """Neighbouring paths of regular files, which other processes can read, and neighbouring ones of anything else."""
    return groupby(paths, key=lambda path: seekable(path) is not None)
