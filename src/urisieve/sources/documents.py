"""The documents of a source: named texts, each with its location and a map to the bytes that it was read from.

Each kind of container (a mailbox, an archive, a table) has a reader: a function that yields the documents in it, one at
a time. Everything that it skips or finds broken is counted in the `Tally`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from urisieve.codes import Warn
from urisieve.find.delimited import Delimited
from urisieve.lean.hints import TYPE_CHECKING, Protocol
from urisieve.lean.values import NamedTuple, dataclass
from urisieve.records.location import NOWHERE, Location
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.tally import MESSAGES, Tally

if TYPE_CHECKING:
    from urisieve.kernel import kernel
    from urisieve.records.batch import Batch

__all__ = [
    "MESSAGES",
    "Alternative",
    "Document",
    "HtmlDocuments",
    "LinksOfPage",
    "Location",
    "Position",
    "Repeats",
    "Tally",
    "WayBack",
    "no_way_back",
]


class WayBack(Protocol):
    """Returns the map from the characters of a text to bytes, as far as it has been read; None if it has none."""

    def __call__(self) -> OffsetMap | None:
        """Return the map, complete up to the last piece read."""


def no_way_back() -> OffsetMap | None:
    """Return None: the text has no map to bytes."""
    return None


class Position(Protocol):
    """Returns the line and column of a character in the text from which the document was made."""

    def __call__(self, offset: int, /) -> tuple[int, int]:
        """Return the line and column, both from 1, of the character at an offset of the document."""


class LinksOfPage(Protocol):
    """The links of a page, or the texts of mail, most of which the compiled kernel searches without a document each."""

    @property
    def page(self) -> kernel.HtmlPage | kernel.MailTexts:
        """The links or the texts, as the kernel has read them."""

    @property
    def count(self) -> int:
        """Their number."""

    def documents(self, number: int, location: Location) -> Iterator[Document]:
        """Return the documents of one of them, in a page at some location."""

    def located(self, batch: Batch, first: int, document: Document, columns: frozenset[str]) -> Batch:
        """Return the batch of the links from a number on with the locations that they have in the source.

        Args:
            batch: the identifiers and the rejections; for a page one of either for each link.
            first: the number of the first link.
            document: the document of all of them.
            columns: the columns wanted.
        """


class Alternative(NamedTuple):
    """One of several forms of the same content (multipart/alternative, RFC 2046 5.1.4).

    Attributes:
        group: an object that all forms of the content share; groups are compared by identity.
        branch: the number of the form, in rising order.
    """

    group: object
    branch: int


@dataclass(slots=True, kw_only=True)  # frozen, it would take three times as long to make
class Document:
    """One text: no identifier joins across two of them. It is not changed once it is made.

    Attributes:
        source: the name that its records have: a path, then `!` and the name of the member for each archive around it.
        text: its pieces, read once and in order; iterating may read from the file.
        place: its location in its container.
        offsets: returns the map to the bytes of the decompressed file.
        legacy: whether it was decoded from an encoding that is not of Unicode (RFC 3987 3.1 step 1b).
        base: the URI that relative references in it are resolved against, None if there is none.
        position: returns the line and column in the decoded text that this one was made from (the source of HTML, a
            part of a message); None if this text is that text.
        alternative: set if the same content exists in another form, too; see `Repeats`.
        reference: the relative reference as written, if the text is the URI that it resolves to.
        warnings: warnings that every identifier in it gets.
        delimited: whether the carrier of this text delimits the identifiers in it.
        shown: the visible text of the link that this text is, if it may be a link itself.
        date: when it was written, as its container states it: the value of a field Date or an envelope line of mail, or
            `@` and microseconds since 1970; None where that is not stated.
        page: the page that holds the text, instead of `text`, and whether it is that of its comments. Only for those
            who ask for it.
        links: the links of a page or the texts of mail, instead of a text: each is a text of its own. Only for those
            who ask for it.
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
    shown: str | None = None
    date: bytes | None = None
    page: tuple[kernel.HtmlPage, bool] | None = None
    links: LinksOfPage | None = None


# Reads HTML; see `urisieve.sources.html.html_documents.html_documents`.
HtmlDocuments = Callable[[Document, Tally], Iterator[Document]]


class Repeats:
    """Detects identifiers of a document that were already seen in another form of the same content.

    Documents are entered in the order in which a reader yields them. Only the keys of one group are held.
    """

    __slots__ = ("_branch", "_branches", "_group")

    def __init__(self) -> None:
        self._group: object = None
        self._branch = 0
        self._branches: dict[str, int] = {}

    def enter(self, document: Document) -> None:
        """Continue with the next document."""
        group = None
        if document.alternative is not None:
            group, self._branch = document.alternative
        if group is not self._group:
            self._group = group
            self._branches = {}

    def holds(self, key: str) -> bool:
        """Report whether an earlier form of the content has this key, and add it to this form; it has to be one."""
        return self._branches.setdefault(key, self._branch) < self._branch
