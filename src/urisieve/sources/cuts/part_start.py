"""A part of a file that is not plain text: what stood before it, and what its reader says at its end."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.lean.values import dataclass, field
from urisieve.sources.containers.kinds import Kind

__all__ = ["PartEnd", "PartStart"]

_OF_MEMBERS: Final = (Kind.GZIP, "warc record")


@dataclass(slots=True)
class PartEnd:
    """The report of the reader of a part at its end.

    Attributes:
        is_sure: whether the part ended where a row or record ends, and nothing in it depends on what is not known of
            the parts before it.
        number: the number of records of the part, where that is not known beforehand.
        size: its decompressed bytes, likewise.
        made: the bytes that were decompressed for it, and what streams count for; see `Budget`.
    """

    is_sure: bool = True
    number: int = 0
    size: int = 0
    made: int = 0


@dataclass(slots=True, kw_only=True)
class PartStart:
    """All that stood before a part of a file.

    Attributes:
        kind: the kind that the file is read as.
        start: the offset of the part in the file, in bytes.
        number: the number of lines, messages or records before it.
        position: the offset of the part in the decompressed file, in bytes.
        made: the bytes that were decompressed for what stood before it; see `Budget`.
        names: the columns of a table whose header is before the part; None if it is not.
        delimiter: the character between the cells of a table.
        is_gzip: whether the file is one of members of gzip.
        is_exact: whether all of this is known; if not, `end` says whether it would have made a difference.
        end: filled by the reader.
    """

    kind: Kind
    start: int = 0
    number: int = 0
    position: int = 0
    made: int = 0
    names: tuple[str, ...] | None = None
    delimiter: str = ""
    is_gzip: bool = False
    is_exact: bool = False
    end: PartEnd = field(default_factory=PartEnd)

    def met(self, kind: str, reason: str) -> None:
        """Take note of a fault: one of a member of gzip may be that of a wrong cut, and a limit may come earlier."""
        if reason == "ratio-limit" or (self.is_gzip and kind in _OF_MEMBERS):
            self.end.is_sure = False
