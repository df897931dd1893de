"""The options and counts that the readers of all formats share, and the reading of text and of HTML in contents.

It also defines:

- blocks that end where reading fails, for the documents that are made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.errors import InputError
from urisieve.lean import TYPE_CHECKING, Final, TypeVar, dataclass, replace
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.decoding import DEFAULT_KEEP
from urisieve.sources.bytes.encodings import known_marks
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.limits import DEFAULT_LIMITS
from urisieve.sources.documents import Document, single_documents
from urisieve.sources.kinds.kind_table import function_of
from urisieve.sources.plain_text import text_document
from urisieve.sources.reading_options import Carrier, ReadingOptions, places_of
from urisieve.sources.tally import Tally

if TYPE_CHECKING:
    from urisieve.sources.contexts import Dating


T = TypeVar("T")
_HTML: Final = "urisieve.sources.html.html_documents:html_documents"
# Called with the name of a content and the error that stopped it.
Failure = Callable[[str, InputError], None]


@dataclass()
class ContentTools:
    """The options of a run, and what readers of formats do with contents.

    Attributes:
        reading: the options of reading.
        tally: counts what is read, skipped and broken.
        failed: called with an error that stopped a content; the rest of the file is read, unless it raises.
        encoding: the name of the encoding of text, tables and JSON lines; by default that of a mark, else UTF-8.
        keep: the number of characters back for which ways to bytes are kept.
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
    def field(self) -> str | None:
        """The only field that is read; None for all."""
        return next(iter(self.places), None)

    @property
    def may_hold(self) -> Callable[[str], object] | None:
        """Returns a false value for a text without identifiers; None if each is searched."""
        return None if self.new_may_hold is None else self.new_may_hold()

    def dating(self) -> Dating | None:
        """Return what says the time of a row by its fields; None if it is not asked for."""
        if not self.reading.context:
            return None
        from urisieve.sources.contexts import named_time

        return partial(named_time, name=self.reading.time_field)

    def is_too_deep(self, content: Content) -> bool:
        """Report whether something with parts is nested in too many others, which is counted."""
        if content.depth < self.limits.depth:
            return False
        self.tally.fault(content.kind, "nested-too-deep", f"{content.source}: more than {content.depth} levels deep")
        return True

    def base_of(self, content: Content) -> str | None:
        """Return the URI against which relative references are resolved before a document states another one."""
        stated = None if content.declared is None else content.declared.base
        return self.reading.base if stated is None else stated

    def text(self, content: Content, *, is_binary: bool = False, carriers: Iterable[Carrier] = ()) -> Document:
        """Return a content as plain text; `is_binary` says that it has strings of other texts.

        `carriers` are the notations in which it is escaped, if the options name none.
        """
        content, encoding = self.labelled(content)
        return text_document(
            content,
            encoding=encoding,
            carriers=self.reading.unescape or carriers,
            has_wide=is_binary,
            keep=self.keep,
            tally=None if is_binary else self.tally,
        )

    def labelled(self, content: Content) -> tuple[Content, str | None]:
        """Return a content that is not HTML, and the codec of the label beside it (RFC 9110 8.3.2), if that counts."""
        label = None if content.declared is None else content.declared.charset
        if label is None or self.encoding is not None:
            return content, self.encoding
        codec = self.web_codec(label, content.source, "text")
        if codec is None or codec == "utf-8":
            return content, None
        reader = BlockReader(content.blocks)
        is_marked = any(reader.peek(len(mark)) == mark for mark, _ in known_marks(None))
        return replace(content, blocks=reader.rest()), None if is_marked else codec

    def web_codec(self, label: str, source: str, kind: str) -> str | None:
        """Return the codec of the label of a character set; None for one that is not known, which is counted."""
        from urisieve.sources.bytes.charsets import web_codec

        codec = web_codec(label)
        if codec is None:
            message = f"{source}: {label!r} is not a character set of the web; read as UTF-8"
            self.tally.fault(kind, "unknown-charset", message)
        return codec

    def html(self, document: Document, tally: Tally) -> Iterator[Document]:
        """Return the documents of HTML; `tally` counts what is in it."""
        read: Callable[..., Iterator[Document]] = function_of(_HTML)  # loaded for the first page
        return read(document, tally, may_hold=self.may_hold if self.every_field else None)

    def single_html(self, document: Document, tally: Tally) -> Iterator[Document]:
        """Return the documents of HTML, each link as one of its own."""
        return single_documents(self.html(document, tally))


class CutBlocks:
    """Blocks that end where reading fails; the error is raised at the end of the last document made of them.

    A text in memory is held until the next one comes. One that is still to be read, and one that is complete, such as
    those of an archive that is attached, are passed on at once: the archive moves on when the next one is asked for.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self._error: InputError | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._blocks
        except InputError as error:
            self._error = error.with_traceback(None)

    def documents(self, documents: Iterable[Document], source: str) -> Iterator[Document]:
        """Yield the documents; the last one is cut where the blocks end early, unless it is a member with its own name.

        Args:
            documents: those that are read from the blocks.
            source: the name of the content.

        Raises:
            InputError: there is no document that could be cut.
        """
        last: Document | None = None
        for document in documents:
            if last is not None:
                yield last
            is_member = document.in_memory and document.source != source
            last = document if isinstance(document.text, tuple) and not is_member else None
            if last is None:
                yield document
        if last is not None:
            yield last if self._error is None else replace(last, text=self.ended(last.text), in_memory=0)
        elif self._error is not None:
            raise self._error

    def ended(self, items: Iterable[T]) -> Iterator[T]:
        """Yield what is made of the blocks, each complete; then raise the error that ended them, if one did, once."""
        yield from items
        if self._error is not None:
            error, self._error = self._error, None
            raise error
