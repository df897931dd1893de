"""Contents: bytes with names, from files, decompressors and archives.

Also defines:

- what readers of plug-ins know of a content.
- a part of a file that is not plain text: what stood before it, and what its reader says at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, Protocol, dataclass, field
from urisieve.sources.containers.limits import Budget
from urisieve.sources.kinds.kind_table import Kind, Layout, ReaderRow
from urisieve.wording import printable, shortened

if TYPE_CHECKING:
    from urisieve.sources.bytes.block_reader import BlockReader


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
        layout: the layout of a table; None for what its first rows show.
        is_gzip: whether the file is one of members of gzip.
        is_exact: whether all of this is known; if not, `end` says whether it would have made a difference.
        end: filled by the reader.
    """

    kind: ReaderRow
    start: int = 0
    number: int = 0
    position: int = 0
    made: int = 0
    names: tuple[str, ...] | None = None
    layout: Layout | None = None
    is_gzip: bool = False
    is_exact: bool = False
    end: PartEnd = field(default_factory=PartEnd)

    def met(self, kind: str, reason: str) -> None:
        """Take note of a fault: one of a member of gzip may be that of a wrong cut, and a limit may come earlier."""
        if reason == "ratio-limit" or (self.is_gzip and kind in _OF_MEMBERS):
            self.end.is_sure = False


class Declared(NamedTuple):
    """The metadata of a content, stated outside of it.

    Attributes:
        media_type: its type in lower case, "" without one (RFC 9110 8.3).
        charset: the label of its character set.
        base: the URI that it was retrieved from, to resolve relative references in it (RFC 3986 5.1.3).
        codec: the codec of its characters, if it is known better than by a label.
    """

    media_type: str = ""
    charset: str | None = None
    base: str | None = None
    codec: str | None = None


@dataclass(slots=True, kw_only=True)  # frozen, it would take three times as long to make
class Content:
    """The bytes of one file or archive member, read once and in order.

    Attributes:
        source: the name that its records have: a path, then `!` and the member for each archive on the way.
        kind: its kind by its first bytes.
        promised: the kind that its name or its media type promises; None if they promise none.
        blocks: its bytes; taking the next block may read from the file. A tuple of one for text that is in memory.
            Raises `InputError` if reading fails, `BrokenInputError` if the text is cut.
        depth: the number of things around it: layers of compression, archives, messages and their parts.
        layers: the number of these that are layers of compression and archives.
        budget: the limit of the file around it, for everything that is unpacked from it in turn.
        named: whether it is a file that was named itself, and not found in a folder, an archive or mail.
        declared: the metadata in the archive of the web that holds it.
        reader: the reader that `blocks` are taken from, for those who go on after a fault in it.
        path: a path that can be opened and sought, None for a stream.
        cut: what stood before it, if it is a part of a file.
        parts: the bytes of each part by its name, if it is a document in a zip archive; they are read once.
        delimiter: the characters that end a candidate in text that was to be a table.
    """

    source: str
    kind: ReaderRow
    blocks: Iterable[bytes]
    promised: ReaderRow | None = None
    depth: int = 0
    layers: int = 0
    budget: Budget | None = None
    named: bool = True
    declared: Declared | None = None
    reader: BlockReader | None = None
    path: str | None = None
    cut: PartStart | None = None
    parts: dict[str, Iterable[bytes]] | None = None
    delimiter: str = ""

    def peek(self, size: int) -> bytes:
        """Return the first bytes, as many as there are up to a size, which stay to be read."""
        from urisieve.sources.bytes.block_reader import BlockReader

        reader = BlockReader(self.blocks)
        head = reader.peek(size)
        self.blocks = reader.rest()
        return head

    def rest(self) -> Iterable[bytes]:
        """Return the bytes, in blocks; see `blocks`."""
        return self.blocks

    def lines(self) -> Iterator[tuple[int, int, str]]:
        """Yield the lines in UTF-8: the number of each from 1, the offset of its first byte, its text without its end.

        A line of more than `LINE_LIMIT` bytes comes in pieces, and bytes that are not UTF-8 as lone surrogates.
        """
        from urisieve.sources.bytes.block_reader import BlockReader
        from urisieve.sources.bytes.lines import LINE_LIMIT

        reader = BlockReader(self.blocks)
        number = 1
        start = reader.position
        while line := reader.line(LINE_LIMIT):
            yield number, start, line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
            number += line.endswith(b"\n")
            start = reader.position
        if reader.unreported is not None:
            raise reader.unreported

    @property
    def after(self) -> tuple[int, int]:
        """The numbers of lines, messages or records, and of bytes, before it."""
        return (0, 0) if self.cut is None else (self.cut.number, self.cut.position)


class Source(Protocol):
    """Bytes that know where they are, read once and in order: what a reader is given.

    >>> from urisieve.types import Source
    >>> def has_header(source: Source) -> bool:
    ...     return source.peek(7) == b"#header"

    Attributes:
        source: the name that its records have.
    """

    source: str

    def peek(self, size: int) -> bytes:
        """Return the first bytes, as many as there are up to a size, which stay to be read."""

    def rest(self) -> Iterable[bytes]:
        """Return the bytes, in blocks.

        Raises:
            InputError: while they are iterated, reading fails, or the content is cut.
        """

    def lines(self) -> Iterator[tuple[int, int, str]]:
        """Yield the lines in UTF-8: the number of each from 1, the offset of its first byte, its text without its end.

        A line of more than a MiB comes in pieces; bytes that are not UTF-8 are lone surrogates.
        """


class Member(NamedTuple):
    """A file in an archive: its name and its bytes, to be read before the next member is asked for.

    They are a tuple of one if the member is small, in memory, and not broken.
    """

    name: str
    blocks: Iterable[bytes]


def shown_name(name: bytes, encoding: str = "utf-8") -> str:
    """Return the name of an archive member as text (`printable`, `shortened`); undecodable bytes become U+FFFD."""
    return shortened(printable(name.decode(encoding, "replace")))
