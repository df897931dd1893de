"""Contents: bytes with names, from files, decompressors and archives."""

from __future__ import annotations

from collections.abc import Iterable

from urisieve.lean.hints import TYPE_CHECKING
from urisieve.lean.values import NamedTuple, dataclass
from urisieve.printable import printable, shortened
from urisieve.sources.containers.kinds import Kind
from urisieve.sources.containers.limits import Budget
from urisieve.sources.cuts.part_start import PartStart

if TYPE_CHECKING:
    from urisieve.sources.bytes.block_reader import BlockReader

__all__ = ["Content", "Declared", "shown_name"]


class Declared(NamedTuple):
    """The metadata of a content, stated outside of it.

    Attributes:
        media_type: its type in lower case, "" without one (RFC 9110 8.3).
        charset: the label of its character set.
        base: the URI that it was retrieved from, to resolve relative references in it (RFC 3986 5.1.3).
    """

    media_type: str = ""
    charset: str | None = None
    base: str | None = None


@dataclass(slots=True, kw_only=True)  # frozen, it would take three times as long to make
class Content:
    """The bytes of one file or archive member, read once and in order. It is not changed once it is made.

    Attributes:
        source: the name that its records have: a path, then `!` and the member for each archive on the way.
        kind: its kind by its first bytes.
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
    """

    source: str
    kind: Kind
    blocks: Iterable[bytes]
    depth: int = 0
    layers: int = 0
    budget: Budget | None = None
    named: bool = True
    declared: Declared | None = None
    reader: BlockReader | None = None
    path: str | None = None
    cut: PartStart | None = None

    @property
    def after(self) -> tuple[int, int]:
        """The numbers of lines, messages or records, and of bytes, before it."""
        return (0, 0) if self.cut is None else (self.cut.number, self.cut.position)


def shown_name(name: bytes, encoding: str = "utf-8") -> str:
    """Return the name of an archive member as text (`printable`, `shortened`); undecodable bytes become U+FFFD."""
    return shortened(printable(name.decode(encoding, "replace")))
