"""Limits on the size of decompressed data, so that a decompression bomb costs little memory and little time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve import shapes
from urisieve.errors import BrokenInputError
from urisieve.lean import Final, dataclass, field_names

# The largest ratio of decompressed to compressed bytes. That of deflate is at most 1,032; logs of one repeated line
# have 200 to 400.
RATIO: Final = 1_000
# Decompressed bytes of a stream that are allowed whatever its size: half a second of work.
STREAM_ALLOWANCE: Final = 64 * 1_048_576
# The same of all streams in a file: sixteen times the allowance of one, some ten seconds of work.
TOTAL_ALLOWANCE: Final = 1_024 * 1_048_576
# Bytes that the beginning of a stream or a member counts for: it takes as long as some kilobytes of text, and one
# kilobyte may decompress to a million empty members.
_BEGINNING: Final = 4_096
# Layers of compression and archives: a compressed tar has two; backups of backups in mail have up to five.
NESTING: Final = 8
# Levels of containers of any kind: layers of compression, archives, messages, parts with parts. A forward of forwards
# has three for each message; twenty levels are more than occur. Each level takes some ten of Python's thousand frames.
DEPTH: Final = 32
# Bytes of a zip file that cannot be sought (from a pipe, or in an archive): up to this it is kept in a temporary file.
SPOOL: Final = 1_024 * 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on the decompression of one file and everything in it.

    A stream may decompress to `stream_allowance + ratio * (its compressed bytes)` bytes, all streams of a file together
    to `total_allowance + ratio * (the bytes of the file)`. Data beyond a limit is left and counted in the `Tally`.

    >>> from urisieve import ReadingOptions
    >>> from urisieve.options import Limits
    >>> limits = Limits(ratio=100, nesting=2)
    >>> reading = ReadingOptions(limits=limits)
    >>> limits.ratio, limits.stream_allowance
    (100, 67108864)

    Attributes:
        ratio: the decompressed bytes allowed for each compressed byte.
        stream_allowance: the bytes of one stream that are allowed whatever its size.
        total_allowance: the bytes of all streams in a file that are allowed whatever its size.
        nesting: the number of layers of compression and archives that are opened.
        depth: the number of containers of any kind, one in the other, that are opened: these layers, messages, and
            parts with parts.
        spool: the largest zip file, in bytes, that is copied to a temporary file if it cannot be sought.

    Raises:
        UsageError: one of them is not a number.
    """

    ratio: int = RATIO
    stream_allowance: int = STREAM_ALLOWANCE
    total_allowance: int = TOTAL_ALLOWANCE
    nesting: int = NESTING
    depth: int = DEPTH
    spool: int = SPOOL

    def __post_init__(self) -> None:
        for name in field_names(Limits):
            shapes.whole_number(name, getattr(self, name), least=0)


DEFAULT_LIMITS: Final = Limits()


class Budget:
    """The limits of one file and everything in it, and the bytes counted against them.

    The caller adds the bytes of the file itself to `taken` as they are read.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS, *, taken: int = 0, made: int = 0) -> None:
        self.limits = limits
        self.taken = taken
        self.spent = False
        """Whether the limit was reached: nothing more of the file is decompressed."""
        self.made = made
        """The bytes made of them, and what the beginnings of streams count for."""
        self.objects: int | None = None
        """How many objects and characters are left to the property lists in the one that is being read, if one is."""

    def counted(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the blocks of the file; count their bytes as taken."""
        for block in blocks:
            self.taken += len(block)
            yield block

    def make(self, size: int, kind: str, stream_in: int, stream_out: int) -> None:
        """Count decompressed bytes.

        Args:
            size: the number of new bytes.
            kind: the kind of compression.
            stream_in: the compressed bytes of the stream so far.
            stream_out: its decompressed bytes so far, with the new ones.

        Raises:
            BrokenInputError: the stream, or the file as a whole, exceeds its limit.
        """
        limits = self.limits
        self._make(size, kind)
        if stream_out > limits.stream_allowance + limits.ratio * stream_in:
            raise BrokenInputError(
                kind,
                "ratio-limit",
                f"{stream_in:,} bytes of {kind} became {stream_out:,}, more than {limits.ratio:,} times as many;"
                " the rest is not read",
            )

    def begin(self, kind: str) -> None:
        """Count the beginning of a stream or of a member.

        Raises:
            BrokenInputError: there are too many for the size of the file.
        """
        self._make(_BEGINNING, kind)

    def _make(self, size: int, kind: str) -> None:
        limits = self.limits
        self.made += size
        if self.made > limits.total_allowance + limits.ratio * self.taken:
            self.spent = True
            raise BrokenInputError(
                kind,
                "ratio-limit",
                f"{self.taken:,} bytes became {self.made:,} in all, more than {limits.ratio:,} times as many;"
                " the rest of the file is not read",
            )
