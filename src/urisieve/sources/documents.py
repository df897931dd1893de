"""What a source is made of: named texts, each with its place and a way back to the bytes it came from.

A container (a mailbox, an archive, a table) is a reader: a function from a `Container` to the documents in it, one at a
time. What it skips or finds broken goes to the `Tally`, never silently past it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from urisieve.codes import Warn
from urisieve.find.delimited import Delimited
from urisieve.records.location import NOWHERE, Location
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.tally import MESSAGES, Tally

__all__ = [
    "MESSAGES",
    "Alternative",
    "Document",
    "HtmlDocuments",
    "Location",
    "Position",
    "Repeats",
    "Tally",
    "WayBack",
    "no_way_back",
]


class WayBack(Protocol):
    """Gives the map from characters to bytes once the text has been read so far; None where there is none."""

    def __call__(self) -> OffsetMap | None:
        """The map, complete up to the last piece taken."""


def no_way_back() -> OffsetMap | None:
    """The way back where there is none."""
    return None


class Position(Protocol):
    """Says where a character of a text stands in the text that it was taken from."""

    def __call__(self, offset: int, /) -> tuple[int, int]:
        """Line and column, both from 1."""


class Alternative(NamedTuple):
    """One of several forms of the same content (multipart/alternative, RFC 2046 5.1.4).

    Attributes:
        group: what the forms share, and no others; which object it is tells it.
        branch: which form it is, in rising order.
    """

    group: object
    branch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text: nothing joins across two of them.

    Attributes:
        source: the name that its records carry: a path, then `!` and the member for each archive on the way.
        text: its pieces, read once and in order; taking the next one may read from the file.
        place: where it stands in its container.
        offsets: the way back to the bytes of the decompressed file.
        legacy: whether it was decoded from an encoding that is not of Unicode (RFC 3987 3.1 step 1b).
        base: the URI that relative references in it are resolved against, None where there is none.
        position: line and column, in the decoded text that this one was taken from (the source of HTML, a part of a
            message); None where this text is that text.
        alternative: set where the same content comes in another form too; see `Repeats`.
        reference: the relative reference as it stood, where the text is what it resolves to.
        warnings: what every identifier in it is to be warned of.
        delimited: whether the carrier of this text gives the limits of what it holds.
    """

    source: str
    text: Iterable[str]
    place: Location = NOWHERE
    offsets: WayBack = no_way_back
    legacy: bool = False
    base: str | None = None
    position: Position | None = None
    alternative: Alternative | None = None
    reference: str | None = None
    warnings: tuple[Warn, ...] = ()
    delimited: Delimited = Delimited.TEXT


# Reads HTML; see `urisieve.sources.html.html_documents.html_documents`.
HtmlDocuments = Callable[[Document, Tally], Iterator[Document]]


class Repeats:
    """Knows which identifiers of a document were already seen in another form of the same content.

    Documents are entered in the order in which a reader gives them. Only the keys of one group are held.
    """

    __slots__ = ("_alternative", "_branches", "_group")

    def __init__(self) -> None:
        self._group: object = None
        self._alternative: Alternative | None = None
        self._branches: dict[str, int] = {}

    def enter(self, document: Document) -> None:
        """Go on to the next document."""
        alternative = self._alternative = document.alternative
        group = None if alternative is None else alternative.group
        if group is not self._group:
            self._group = group
            self._branches = {}

    def holds(self, key: str) -> bool:
        """Whether an earlier form of the content had this key; from now on this one has it."""
        if self._alternative is None:
            return False
        branch = self._alternative.branch
        return self._branches.setdefault(key, branch) < branch
