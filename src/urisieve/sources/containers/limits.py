"""Limits on what compressed data may become, so that a bomb costs time but neither memory nor the day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from urisieve.errors import BrokenInputError

__all__ = [
    "DEFAULT_LIMITS",
    "DEPTH",
    "NESTING",
    "RATIO",
    "SPOOL",
    "STREAM_ALLOWANCE",
    "TOTAL_ALLOWANCE",
    "Budget",
    "Limits",
]

# Deflate cannot do better than 1,032 to 1, and logs of one repeated line compress by 200 to 400.
RATIO: Final = 1_000
# What a stream may become whatever its size: half a second of work.
STREAM_ALLOWANCE: Final = 64 * 1_048_576
# What all that is in one file may become whatever its size: sixteen streams of the allowance, some ten seconds of work.
TOTAL_ALLOWANCE: Final = 1_024 * 1_048_576
# What the beginning of a stream or a member counts for: it takes as long as some kilobytes of text do, and a kilobyte
# may become a million empty ones.
_BEGINNING: Final = 4_096
# Layers of compression and archives: a compressed tar has two; backups of backups in mail have been seen with five.
NESTING: Final = 8
# Whatever one thing stands in: layers of compression, archives, messages, parts with parts. A forward of forwards has
# three for each message, and a score of levels is more than is seen. Each costs some ten frames of Python's thousand.
DEPTH: Final = 32
# A zip file that cannot be sought (from a pipe, or in an archive) is kept in a temporary file up to this size.
SPOOL: Final = 1_024 * 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on one file and everything in it.

    Attributes:
        ratio: the most bytes that a byte may become.
        stream_allowance: the bytes of one stream for which the ratio is not looked at.
        total_allowance: the bytes of all streams in a file for which it is not.
        nesting: the layers of compression and archives that are opened.
        depth: the things of all kinds, one in the other, that are opened: these layers, messages, and parts with parts.
        spool: the largest zip file that is kept aside where it cannot be sought, in bytes.
    """

    ratio: int = RATIO
    stream_allowance: int = STREAM_ALLOWANCE
    total_allowance: int = TOTAL_ALLOWANCE
    nesting: int = NESTING
    depth: int = DEPTH
    spool: int = SPOOL


DEFAULT_LIMITS: Final = Limits()


class Budget:
    """What one file and everything in it may still become.

    `taken` is for the caller to add the bytes of the file itself to, as they are read.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.taken = 0
        self.spent = False
        """Whether the limit was met: nothing more of the file is decompressed."""
        self._made = 0

    def make(self, size: int, kind: str, stream_in: int, stream_out: int) -> None:
        """Account for decompressed bytes.

        Args:
            size: how many there are now.
            kind: what decompresses them.
            stream_in: the compressed bytes of the stream so far.
            stream_out: its decompressed bytes so far, with these.

        Raises:
            BrokenInputError: the stream, or the file as a whole, has become too large for what it was.
        """
        limits = self.limits
        self._make(size, kind)
        if stream_out > limits.stream_allowance + limits.ratio * stream_in:
            raise BrokenInputError(
                kind,
                "ratio-limit",
                f"{stream_in:,} bytes of {kind} became {stream_out:,}, more than {limits.ratio:,} times as many;"
                " the rest is left",
            )

    def begin(self, kind: str) -> None:
        """Account for the beginning of a stream or of a member.

        Raises:
            BrokenInputError: there are too many of them for what the file was.
        """
        self._make(_BEGINNING, kind)

    def _make(self, size: int, kind: str) -> None:
        limits = self.limits
        self._made += size
        if self._made > limits.total_allowance + limits.ratio * self.taken:
            self.spent = True
            raise BrokenInputError(
                kind,
                "ratio-limit",
                f"{self.taken:,} bytes became {self._made:,} in all, more than {limits.ratio:,} times as many;"
                " the rest of the file is left",
            )
