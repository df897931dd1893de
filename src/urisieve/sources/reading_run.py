"""`ReadingRun`, which all sources of a run share: its options, limits and counts, and how a file is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from urisieve.errors import InputError
from urisieve.lean import Final, dataclass
from urisieve.sources.bytes.decoding import DEFAULT_KEEP
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.limits import DEFAULT_LIMITS
from urisieve.sources.documents import Document, Segment
from urisieve.sources.inner_texts import InnerTexts
from urisieve.sources.kinds.kind_table import function_of
from urisieve.sources.reading_options import ReadingOptions, places_of
from urisieve.sources.tally import Tally

_HTML: Final = "urisieve.sources.html.html_documents:html_documents"
# Called with the name of a content and the error that stopped it.
Failure = Callable[[str, InputError], None]


@dataclass()
class ReadingRun:
    """The options, limits and counts of a run.

    Attributes:
        reading: the options of reading.
        tally: counts what is read, skipped and broken.
        failed: called with an error that stopped a content; the rest of the file is read, unless it raises.
        encoding: the name of the encoding of text, tables and JSON lines; by default that of a mark, else UTF-8.
        keep: the number of characters back for which source maps are kept.
        new_may_hold: makes `may_hold`, which returns a false value for text without identifiers; such text is left out
            of structured data.
        every_field: whether a header field or an attribute may hold an identifier although it has no colon before
            something that may follow it.
        in_mail: whether the texts of mail may do so although they have parts; then their locations are not wanted.
    """

    reading: ReadingOptions
    tally: Tally
    failed: Failure
    encoding: str | None = None
    keep: int = DEFAULT_KEEP
    new_may_hold: Callable[[], Callable[[str], object]] | None = None
    every_field: bool = False
    in_mail: bool = False

    def __post_init__(self) -> None:
        self.places = places_of(self.reading)
        """The fields or columns that are read alone; none for all."""
        self.limits = self.reading.limits or DEFAULT_LIMITS
        self.shared: dict[Callable[[], object], object] = {}
        """What all sources of the run share, by what has made it; see `Segments.shared`."""

    def documents(
        self,
        source: str,
        blocks: Iterable[bytes],
        *,
        within: Content,
        hint: str | None = None,
        declared: Declared | None = None,
    ) -> Iterator[Document]:
        """Yield the documents of a file in a content; `Reader.documents` does that."""
        raise NotImplementedError

    @property
    def may_hold(self) -> Callable[[str], object] | None:
        """Returns a false value for a text without identifiers; None if each is searched."""
        return None if self.new_may_hold is None else self.new_may_hold()

    def html(self, page: Segment, tally: Tally) -> Iterator[Document]:
        """Yield the texts and links of a page of HTML, and what is in its attributes; `tally` counts what is in it."""
        return self.inner_texts().opened(self._html(page, tally))

    def inner_texts(self, base: str | None = None) -> InnerTexts:
        """Return what opens the texts in strings; `base` is the base in those that state none."""
        return InnerTexts(self._html, self.tally, self.limits.depth, base)

    def _html(self, page: Segment, tally: Tally) -> Iterator[Document]:
        read: Callable[..., Iterator[Document]] = function_of(_HTML)  # loaded for the first page
        return read(page, tally, may_hold=self.may_hold if self.every_field else None)
