"""Parts of files: the unit of work of a worker, and the cutting of a large file into parts.

A file of plain text is cut where no candidate crosses (`text_cuts`); a part knows how much comes before it, so that
offsets and lines are those of the whole file. Any other file is one part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from stat import S_ISREG

from urisieve import shapes
from urisieve.errors import InputError
from urisieve.find.delimited import PIECE
from urisieve.finding_options import Options
from urisieve.kernel import either, kernel
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, late
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import Encoding, Family, find_encoding, known_marks, wide_encoding
from urisieve.sources.bytes.reading import STANDARD_INPUT, BlocksPath, WalkedPath, read_blocks, source_name, source_size
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind, said_kind
from urisieve.sources.kinds.sniffing import opened, peeked_kind
from urisieve.sources.reading_options import ASKED, DEFAULT_READING, ReadingOptions, is_plain
from urisieve.sources.tally import Tally

if TYPE_CHECKING:
    from urisieve.sources.bytes.decoding import TextTaker
    from urisieve.sources.containers.contents import PartStart
    from urisieve.sources.kinds.kind_table import ReaderRow
else:
    PartStart = late("urisieve.sources.containers.contents", "PartStart")


# The number of bytes below which more than one worker does not pay: a process costs up to a tenth of a second.
_WORTH_WHILE: Final = 16_000_000
# The approximate number of bytes of a part: so many that its own cost does not show, so few that all cores have work
# to the end.
PART_SIZE: Final = 4_194_304
_READ: Final = 1_048_576
# Bytes of a small file; the small files of one task at the most, and the tasks after which there is one more in each.
_SMALL: Final = 16_384
_BUNDLED: Final = 64
_WIDER: Final = 4
# Bytes before a segment that may delimit its first identifier, or state what it is: an opener, "URL:" and white space
# after it, a list of numbers (`BARE_CONTEXT` in `urisieve.find.search`).
_CONTEXT: Final = 2_560


class FileSegment(NamedTuple):
    """A part of a file.

    Attributes:
        start: the offset of its first byte.
        end: the offset after its last byte; None for the end of the file.
    """

    start: int
    end: int | None


class Part(NamedTuple):
    """A part of a file.

    Attributes:
        path: the file.
        segment: the range of its bytes.
        characters: the number of characters of the file before it.
        lines: the number of line feeds of the file before it.
        last: whether it is the last of its file.
        was: the device, the number and the size of the file when it was cut; None if it was not.
        cut: what stood before it in a file that is not plain text; None for any other part.
        is_small: whether it is a file that takes less time than to send it to a worker alone.
    """

    path: str
    segment: FileSegment = FileSegment(0, None)
    characters: int = 0
    lines: int = 0
    last: bool = True
    was: tuple[int, int, int] | None = None
    cut: PartStart | None = None
    is_small: bool = False


def cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def jobs_for(paths: Iterable[str], jobs: int | None) -> int:
    """Return how many workers to use: the number asked for, or one for each core if the files are large.

    Raises:
        UsageError: the number is less than one.
    """
    if jobs is not None:
        return shapes.whole_number("jobs", jobs)
    total = 0
    for path in paths:
        total += (source_size(path) or 0) if path != STANDARD_INPUT else 0
    return cores() if total >= _WORTH_WHILE else 1


def may_be_cut(path: str, encoding: str | None, reading: ReadingOptions = DEFAULT_READING) -> bool:
    """Report whether several workers can read a file, each from somewhere in its middle.

    It must be a regular file of plain text, in an encoding in which the byte 0A is always a line feed.

    Raises:
        UsageError: the encoding is not known.
    """
    chosen = find_encoding(encoding)
    try:
        if path == STANDARD_INPUT or not S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb", buffering=0) as file:
            reader = BlockReader(iter(partial(file.read, HEAD_SIZE), b""))
            kind = peeked_kind(reader, path)
            head = reader.peek(HEAD_SIZE)
    except (OSError, ValueError):
        return False
    if not is_plain(kind, reading, path):
        return False
    for mark, marked in known_marks(encoding):
        if head.startswith(mark):
            return marked.breaks_lines_like_ascii
    return chosen.breaks_lines_like_ascii and not (encoding is None and wide_encoding(head))


def segments(read: Callable[[int, int], bytes], size: int, length: int, longest: int) -> Iterator[FileSegment]:
    """Cut a file of plain text into segments; the last includes bytes that are appended later. See `text_cuts`."""
    from urisieve.sources.cutters import text_cuts

    start = 0
    for cut in text_cuts(read, size, length, longest):
        yield FileSegment(start, cut)
        start = cut
    yield FileSegment(start, None)


def parts(path: str, encoding: str | None, options: Options, *, size: int, offsets: bool) -> Iterator[Part]:
    """Yield the parts of a file that `may_be_cut`, in order.

    Args:
        path: the file.
        encoding: the name of its encoding.
        options: the options that it is sieved with.
        size: the approximate number of bytes of a part.
        offsets: whether to count the characters and lines before each part.

    A file that cannot be read is one part, so that the worker that reads it meets the error.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        yield Part(path)
        return

    def read(offset: int, length: int) -> bytes:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, length)

    characters = lines = start = 0
    was = None
    try:
        chosen = find_encoding(encoding)
        status = os.fstat(descriptor)
        was = (status.st_dev, status.st_ino, status.st_size)
        for segment in segments(read, status.st_size, size, options.max_length):
            yield Part(path, segment, characters, lines, segment.end is None, was)
            start = segment.end or start
            if offsets:  # nothing is counted in the last one, which has no end
                more_characters, more_lines = _counted(read, segment, chosen)
                characters += more_characters
                lines += more_lines
                if segment.start == 0 and any(read(0, len(mark)) == mark for mark, _ in known_marks(encoding)):
                    characters -= 1  # the byte order mark is not a character of the text
    except OSError:
        yield Part(path, FileSegment(start, None), characters, lines, was=was)
    finally:
        os.close(descriptor)


def _counted(read: Callable[[int, int], bytes], segment: FileSegment, encoding: Encoding) -> tuple[int, int]:
    """Return the number of characters and of line feeds in a segment; none in one without an end."""
    found = _counted_at_once(read, segment) if encoding.family is Family.UTF8 else None
    if found is not None:
        return found
    decoder = encoding.decoder()
    characters = lines = 0
    offset, end = segment.start, segment.end or 0
    while offset < end and (data := read(offset, min(_READ, end - offset))):
        offset += len(data)
        lines += data.count(b"\n")
        characters += len(data) if data.isascii() and not decoder.getstate()[0] else len(decoder.decode(data))
    return characters, lines  # it ends after a line feed, which no character goes across


def _counted_by_kernel(read: Callable[[int, int], bytes], segment: FileSegment) -> tuple[int, int] | None:
    """Return `_counted` for UTF-8; None if some of it is not valid."""
    characters = lines = 0
    offset, end = segment.start, segment.end or 0
    while offset < end and (data := read(offset, min(_READ, end - offset))):
        counts = kernel.counts(data)
        if counts is None or not counts[2]:
            return None
        characters += counts[0]
        lines += counts[1]
        offset += counts[2]  # a character that the end of the data cuts is read again
    return characters, lines


def _uncounted(_read: Callable[[int, int], bytes], _segment: FileSegment) -> tuple[int, int] | None:
    return None


_counted_at_once: Final = either(_counted_by_kernel, _uncounted)


def tasks(
    paths: Iterable[str],
    encoding: str | None,
    options: Options,
    reading: ReadingOptions,
    *,
    size: int,
    offsets: bool,
    cuts: bool = False,
) -> Iterator[Part]:
    """Yield regular files in parts, as far as they may be cut.

    Args:
        paths: the files.
        encoding: see `parts`.
        options: see `parts`.
        reading: how files are read.
        size: see `parts`.
        offsets: see `parts`.
        cuts: whether files that are not plain text are cut, too.
    """
    for path in paths:
        length = source_size(path) or 0
        if length <= size:  # the worker looks at what it is
            yield Part(path, is_small=length <= _SMALL)
        elif may_be_cut(path, encoding, reading):
            yield from parts(path, encoding, options, size=size, offsets=offsets)
        elif cuts:
            yield from _cut_parts(path, encoding, reading, size)
        else:
            yield Part(path)


def _cut_parts(path: str, encoding: str | None, reading: ReadingOptions, size: int) -> Iterator[Part]:
    """Yield the parts of a file that is not plain text; all of it as one if its kind has no cuts."""
    from urisieve.sources.cutters import cuts_of

    try:
        status = os.stat(path)
        found = cuts_of(path, encoding, reading, size)
    except (OSError, InputError):  # the worker that reads it meets the error
        found = None
    if found is None:
        yield Part(path)
        return
    was = (status.st_dev, status.st_ino, status.st_size)
    last = next(found)
    for cut in found:
        yield Part(path, FileSegment(last.start, cut.start), last=False, was=was, cut=last)
        last = cut
    yield Part(path, FileSegment(last.start, None), was=was, cut=last)


def bundled(tasks: Iterable[Part]) -> Iterator[tuple[Part, ...]]:
    """Put small files together, a few at first, so that each worker has some, and then many."""
    bundle: list[Part] = []
    number = 0
    for part in tasks:
        bundle.append(part)
        if not part.is_small or len(bundle) > min(number // _WIDER, _BUNDLED):
            yield tuple(bundle)
            number += 1
            bundle = []
    if bundle:
        yield tuple(bundle)


def part_blocks(part: Part, reading: ReadingOptions) -> tuple[ReaderRow | None, Iterator[bytes]]:
    """Return the bytes of a part, and the kind of its file unless it is to be read as plain text.

    Raises:
        InputError: the file cannot be read.
    """
    segment = part.segment
    blocks = read_blocks(part.path, segment.start, segment.end, part.was)
    if segment.start or segment.end is not None:
        return None, blocks
    kind, blocks = opened(blocks, part.path, is_live=seekable(part.path) is None, is_asked=reading.input in ASKED)
    return (None if is_plain(kind, reading, part.path) else kind), blocks


def is_named(path: str) -> bool:
    """Report whether a path was named itself, and not found in a folder."""
    return not isinstance(path, WalkedPath)


def text_tally(part: Part, decoder: ByteDecoder, promised: ReaderRow | None) -> Tally | None:
    """Return the counts of a part of plain text that has been read, or None if there is nothing to count.

    Args:
        part: the part.
        decoder: its decoder.
        promised: the kind that its name promises, and that is given up.
    """
    if not part.last and not decoder.stray:
        return None
    tally = Tally()
    tally.kinds[said_kind(promised, Kind.TEXT)] += part.last
    tally.undecodable(source_name(part.path), decoder.stray)
    return tally


def sieve_part(
    part: Part, blocks: Iterable[bytes], search: TextTaker, decoder: ByteDecoder, context: int = 0
) -> Iterator[int]:
    """Sieve one part of plain text; yield the number of bytes read whenever the search has taken them.

    Args:
        part: the part.
        blocks: its bytes.
        search: the search.
        decoder: the decoder of the part.
        context: the number of bytes before it that the search has to know, if it is large.

    Raises:
        InputError: the file cannot be read; a candidate that is undecided then is not reported.
    """
    segment = part.segment
    if segment.start:
        start = max(0, segment.start - max(context, _CONTEXT))
        before = b"".join(read_blocks(part.path, start, segment.start))
        search.enter(before.decode(decoder.encoding.name, "replace"), part.characters, part.lines, segment.start)
    for block in blocks:
        decoder.feed_into(search, block)
        yield len(block)
    decoder.close_into(search)
    yield 0


def decoder_for(part: Part, encoding: str | None, options: Options, *, offsets: bool) -> ByteDecoder:
    """Return the decoder of a part; `offsets` states whether byte offsets are wanted."""
    keep = 4 * (options.max_length + PIECE) if offsets else None  # a few of the longest candidates
    after = (part.characters, part.segment.start) if part.segment.start else None
    return ByteDecoder(encoding, keep=keep, after=after)


def seekable(path: str) -> str | None:
    """Return a path where the file can be opened again and sought, or None."""
    if isinstance(path, (BlocksPath, WalkedPath)):  # what is found in a folder is a regular file
        return path if isinstance(path, WalkedPath) else None
    try:
        return path if path != STANDARD_INPUT and S_ISREG(os.stat(path).st_mode) else None
    except (OSError, ValueError):
        return None


def grouped(paths: Iterable[str]) -> Iterator[tuple[bool, Iterator[str]]]:
    """Group neighbouring paths: regular files, which any worker can read, and anything else."""
    return groupby(paths, key=lambda path: seekable(path) is not None)
