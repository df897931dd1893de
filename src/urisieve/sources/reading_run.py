"""`ReadingRun`, which all sources of a run share: its options, limits and counts, and how a file is read.

It also defines what one source is read with, and how what a reader finds of it is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from urisieve.errors import InputError
from urisieve.lean import Final, Protocol, TypeVar, cast, dataclass
from urisieve.records.base import Context
from urisieve.sources.bytes.block_reader import limited
from urisieve.sources.bytes.decoding import DEFAULT_KEEP, ByteDecoder
from urisieve.sources.bytes.encodings import known_marks
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.limits import DEFAULT_LIMITS, Budget
from urisieve.sources.contexts import Dating
from urisieve.sources.documents import CutBlocks, Document, Opened, Segment
from urisieve.sources.inner_texts import InnerTexts
from urisieve.sources.kinds.kind_table import HEAD_SIZE, function_of
from urisieve.sources.reading_options import ReadingOptions, reads_binary
from urisieve.sources.tally import Tally

T = TypeVar("T")

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
        self.places = tuple(self.reading.field)
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

    def html(self, page: Segment, tally: Tally, opened: Opened | None = None) -> Iterator[Document]:
        """Yield the texts and links of a page of HTML.

        Args:
            page: the page.
            tally: counts what is in it.
            opened: opens what is in its attributes; None for `inner_texts`.
        """
        read: Callable[..., Iterator[Document]] = function_of(_HTML)  # loaded for the first page
        return read(self, page, tally, opened or self.inner_texts().opened)

    def inner_texts(self, base: str | None = None) -> InnerTexts:
        """Return what opens the texts in strings; `base` is the base in those that state none."""
        return InnerTexts(self.html, self.tally, self.limits.depth, base)


class Watch(Protocol):
    """A watch for a field of a source."""

    def report(self, source: str, tally: Tally) -> None:
        """Count and report a source without it."""


def _check_texts(**named: object) -> None:
    """Raise `TypeError` if something that counts are named by is no string: they are printed at the end of the run."""
    for name, value in named.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"`{name}` is a string, not {value!r:.80}")


class SourceCounts:
    """Counts and reports what a reader finds of a source.

    Args:
        tally: takes the counts.
        name: the name of the source.
        kind: the kind that it is read as.
    """

    def __init__(self, tally: Tally, name: str, kind: str) -> None:
        self.tally = tally
        self.name = name
        self.kind = kind

    def fault(self, reason: str, message: str, *, kind: str | None = None, name: str | None = None) -> None:
        """Count something that is broken, and report it: `message` follows the name of the source.

        Args:
            reason: the reason, as lower-case words with hyphens.
            message: what is wrong, and what became of it.
            kind: the kind of thing that is broken; None for the kind of the source.
            name: the name of what is broken; None for that of the source.
        """
        _check_texts(reason=reason, kind=kind, name=name)
        self.tally.fault(kind or self.kind, reason, f"{name or self.name}: {message}")

    def stopped(self, error: InputError, part: str | None = None) -> None:
        """Count and report an error that ended the source, or a part of it."""
        self.tally.stopped(self.name if part is None else f"{self.name}: {part}", error)

    def skip(self, reason: str, *, kind: str | None = None) -> None:
        """Count something that is not read, by the reason; `kind` is None for the kind of the source."""
        _check_texts(reason=reason, kind=kind)
        self.tally.skip(kind or self.kind, reason)

    def count(self, kind: str, number: int = 1) -> None:
        """Count things that are read, such as rows."""
        self.tally.read[kind] += number

    def stray(self, number: int, message: str) -> None:
        """Count bytes of a text that did not decode, and report them once: `message` follows the name of the source."""
        self.fault("undecodable-bytes", message, kind="text")
        self.tally.broken["byte", "undecodable"] += number

    def decoded(self, decoder: ByteDecoder) -> None:
        """Count the bytes that a decoder could not decode, at the end of its text."""
        self.tally.undecodable(self.name, decoder.stray)

    def report(self, watch: Watch) -> None:
        """Count and report a source that has fields, but not the wanted one."""
        watch.report(self.name, self.tally)


class SourceReading(SourceCounts):
    """The options and limits that a source is read with, and its bytes.

    Args:
        run: the options, limits and counts of the run.
        source: the source that is read.
        kind: the kind that it is read as; None for that of the source.
    """

    def __init__(self, run: ReadingRun, source: Content, kind: str | None = None) -> None:
        super().__init__(run.tally, source.source, source.kind if kind is None else kind)
        self.run = run
        self.reading = run.reading
        """The options of reading."""
        self.source = source
        self._readable = CutBlocks(source.blocks)

    @property
    def base(self) -> str | None:
        """The URI that relative references are resolved against before a document states another one."""
        stated = None if self.source.declared is None else self.source.declared.base
        return self.reading.base if stated is None else stated

    @property
    def field(self) -> str | None:
        """The only field that is wanted; None for all."""
        return next(iter(self.run.places), None)

    @property
    def wants_context(self) -> bool:
        """Whether it is wanted when and from whom a text is."""
        return self.reading.context

    @property
    def dating(self) -> Dating | None:
        """Returns the time that the fields of a row state; None if it is not wanted."""
        if not self.wants_context:
            return None
        from urisieve.sources.contexts import named_time

        return partial(named_time, name=self.reading.time_field)

    @property
    def spool(self) -> int:
        """The largest source in a stream, in bytes, that is copied to a temporary file."""
        return self.run.limits.spool

    @property
    def reads_binary(self) -> bool:
        """Whether bytes that are not text are searched, too."""
        return reads_binary(self.reading, named=self.source.named)

    @property
    def budget(self) -> Budget:
        """The limits of the file around the source."""
        return self.source.budget or Budget()

    def encoding(self, *, by_label: bool = True) -> str | None:
        """Return the codec that is asked for, or that is stated beside the source; None without, or for UTF-8.

        A byte order mark counts more. A label (RFC 9110 8.3.2) counts if it may, unlike a codec that is known.
        """
        declared = self.source.declared
        if declared is None or self.run.encoding is not None:
            return self.run.encoding
        codec, label = declared.codec, declared.charset
        if codec is None and label is not None and by_label:
            codec = self.codec_of(label, "text")
        if codec is None or codec == "utf-8":
            return None
        return None if self.source.peek(4).startswith(tuple(mark for mark, _ in known_marks(None))) else codec

    def codec_of(self, label: str, kind: str) -> str | None:
        """Return the codec of the label of a character set; None for one that is not known, or wrong: it is counted."""
        from urisieve.sources.bytes.charsets import denies, web_codec

        codec = web_codec(label)
        if codec is None:
            message = f"{label!r} is not a character set of the web; read as UTF-8"
            self.fault("unknown-charset", message, kind=kind)
        elif denies(self.source.peek(HEAD_SIZE), codec):
            self.fault("wrong-charset", f"it is not in {label!r}; read as UTF-8", kind=kind)
            return None
        return codec

    def readable(self) -> Iterable[bytes]:
        """Return the bytes up to where reading fails; the failure is reported when the reader has ended."""
        return self._readable

    def whole(self, most: int, what: str) -> bytes:
        """Return the bytes up to where reading fails, all in memory.

        Raises:
            InputError: they are more than `most`; the error names the source as `what`.
        """
        return b"".join(limited(self._readable, most, what))

    def again(self, data: bytes) -> Iterator[bytes]:
        """Return what `whole` has returned, to be read in another way: the failure of reading is at its end."""
        return self._readable.ended((data,))

    def shared(self, make: Callable[[], T]) -> T:
        """Return what a function has made at its first call: all sources of the run share it."""
        if make not in self.run.shared:
            self.run.shared[make] = make()
        return cast("T", self.run.shared[make])

    def time_of(self, written: str) -> Context | None:
        """Return the context of a time as it is written; None if contexts are not wanted."""
        if not self.wants_context:
            return None
        from urisieve.sources.contexts import context_of
        from urisieve.syntax.times import time_of_value

        return context_of(time_of_value(written), written)
