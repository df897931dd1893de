"""The documents of a source: the texts that its reader yields, each with its location and its source map.

Each kind of container (a mailbox, an archive, a table) has a reader: a function that yields documents, one at a time. A
document is a block of segments, which are searched at once, as a search of its own costs a short text as much as the
search in kilobytes of text; or it is one segment that is read as it comes. Everything that a reader skips or finds
broken is counted in the `Tally`.

Also defines:

- documents that follow each other, such as files of an archive or parts of mail, as one.
- bytes that end where reading fails, for the documents that are made of them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, repeat

from urisieve.codes import Warn
from urisieve.errors import InputError
from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar, dataclass, field, replace
from urisieve.records.base import NOWHERE, Context, Location, with_context
from urisieve.sources.bytes.source_map import SourceMap, composed

if TYPE_CHECKING:
    from urisieve.judge.number_names import Beside
    from urisieve.records.batch import Batch

T = TypeVar("T")

# Returns the source map of a text, complete up to the last piece read; None if it has none.
MapOfText: TypeAlias = Callable[[], SourceMap | None]
# Returns the line and column, both from 1, of a character of a segment, in the text that it was made from.
Position: TypeAlias = Callable[[int], tuple[int, int]]


def no_map() -> SourceMap | None:
    """Return None: the text has no map to bytes."""
    return None


# The start and the end of something in bytes; None where they are not known.
Span: TypeAlias = "tuple[int | None, int | None]"
NO_SPAN: Final = (None, None)
# The columns of that.
BYTES: Final = frozenset(("byte_start", "byte_end"))


class BlockRows(NamedTuple):
    """Rows that were found in a block.

    Attributes:
        batch: the rows.
        numbers: the number of the text of each; they rise.
        starts: the start of each there.
        ends: the end of each there.
        wanted: the names of the columns that are wanted.
    """

    batch: Batch
    numbers: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    wanted: frozenset[str]

    def located(
        self, place: Callable[[int], Location], span: Callable[[int, int, int], Span]
    ) -> dict[str, Sequence[Any]]:
        """Return the columns that say where the rows are, as far as they are wanted.

        Args:
            place: returns the location of a text by its number.
            span: returns the bytes of characters of such a text, from a start and before an end.
        """
        found: dict[str, Sequence[Any]] = {}
        if "location" in self.wanted:
            found["location"] = list(map(place, self.numbers))
        if not self.wanted.isdisjoint(BYTES):
            spans = list(map(span, self.numbers, self.starts, self.ends))
            found["byte_start"], found["byte_end"] = [start for start, _ in spans], [end for _, end in spans]
        return found

    def moved(self, by: int) -> BlockRows:
        """Return the rows with the number of each text higher by another one."""
        return self.numbered(by.__add__)

    def numbered(self, number: Callable[[int], int]) -> BlockRows:
        """Return the rows with what a function makes of the number of each text."""
        return self._replace(numbers=list(map(number, self.numbers)))

    def part(self, rows: slice) -> BlockRows:
        """Return some of the rows."""
        return BlockRows(self.batch[rows], self.numbers[rows], self.starts[rows], self.ends[rows], self.wanted)


# The most characters of a text that is gathered, and those of a part of a block: it fits in the cache of a processor.
LONGEST: Final = 65_536
_BLOCK: Final = 262_144
# What the kernel is told of texts; see `kernel.Search.segments`.
TEXTS: Final = b"\0"
_KINDS: Final = {Delimited.TEXT: TEXTS, Delimited.LINK: b"\1"}
# The most characters of a block that the kernel searches text by text: it takes little memory.
_LARGEST: Final = 1_048_576
# The attributes of a document that have something of a few of its texts, by their indices.
_SPARSE: Final = ("alternatives", "shown", "warnings")

# Returns columns of rows that were found in a block, as far as they are wanted and need no segments.
BlockColumns: TypeAlias = Callable[[BlockRows], dict[str, Sequence[Any]]]
# Returns the fields of texts of a block by their indices.
BlockFields: TypeAlias = Callable[[Sequence[int]], Sequence[str | None]]


class Alternative(NamedTuple):
    """One of several forms of the same content (multipart/alternative, RFC 2046 5.1.4).

    Attributes:
        group: an object that all forms of the content share; groups are compared by identity.
        branch: the number of the form, in rising order.
    """

    group: object
    branch: int


@dataclass(slots=True, kw_only=True)  # frozen, it would take three times as long to make
class Segment:
    """One text: no identifier joins across two of them. It is not changed once it is made.

    Attributes:
        source: the name that its records have: a path, then `!` and the name of the member for each archive around it.
        text: its pieces, read once and in order; iterating may read from the file.
        place: its location in its container.
        offsets: returns the map to the bytes of the decompressed file.
        legacy: whether it was decoded from an encoding that is not of Unicode (RFC 3987 3.1 step 1b).
        base: the URI that relative references are resolved against if it is read as a page, None if there is none.
        position: returns the line and column in the decoded text that this one was made from (the source of HTML, a
            part of a message); None if this text is that text.
        alternative: set if the same content exists in another form, too; see `Repeats`.
        reference: the relative reference as written, if the text is the URI that it resolves to.
        warnings: warnings that every identifier in it gets.
        delimited: whether the carrier of this text delimits the identifiers in it.
        shown: the visible text of the link that this text is, if it may be a link itself.
        in_memory: see `Document`.
        beside: see `Beside`.
    """

    source: str
    text: Iterable[str]
    place: Location = NOWHERE
    offsets: MapOfText = no_map
    legacy: bool = False
    base: str | None = None
    position: Position | None = None
    alternative: Alternative | None = None
    reference: str | None = None
    warnings: tuple[Warn, ...] = ()
    delimited: Delimited = Delimited.TEXT
    shown: str | None = None
    in_memory: int = 0
    beside: Beside = tuple

    def document(self) -> Document:
        """Return it as a document of its own: as a block, so that it may be searched together with others, if short."""
        text = self.text
        if not isinstance(text, tuple) or len(text) != 1 or len(text[0]) > LONGEST:
            return Document(
                source=self.source, legacy=self.legacy, in_memory=self.in_memory, last=self, warnings=self._warnings
            )
        return self.block(
            f"{SEPARATOR}{text[0]}",
            (len(SEPARATOR), len(text[0]) + 2 * len(SEPARATOR)),
            lambda _: self,
            delimited=self.delimited,
            references=None if self.reference is None else lambda _: self.reference,
            shown={} if self.shown is None else {0: self.shown},
            warnings=self._warnings,
            kinds=_KINDS.get(self.delimited, b""),
            columns=None if self.position is None else self._columns,
        )

    @property
    def _warnings(self) -> dict[int, tuple[Warn, ...]]:
        return {0: self.warnings} if self.warnings else {}

    def inner(self, text: str, back: SourceMap | None, place: Location, **more: Any) -> Segment:
        """Return a text that was made of this one.

        Args:
            text: the text.
            back: its map to the characters of this one; None if it is not to be found there.
            place: its location.
            more: other attributes; the name, the base, the form and the kind of charset are those of this one.
        """
        given = {"base": self.base, "legacy": self.legacy, **more}
        outer = self.position
        return Segment(
            source=self.source,
            text=(text,),
            place=place,
            offsets=no_map if back is None else lambda: composed(self.offsets(), back),
            position=None if outer is None or back is None else lambda offset: outer(back.source(offset)),
            alternative=self.alternative,
            in_memory=self.in_memory,
            **given,
        )

    def _columns(self, rows: BlockRows) -> dict[str, Sequence[Any]]:
        return segment_columns([self] * len(rows.numbers), rows.starts, rows.ends, rows.wanted)

    def block(
        self, whole: str, begins: Sequence[int] | memoryview, segment: Callable[[int], Segment], **more: Any
    ) -> Document:
        """Return texts that are in this one, such as the links of a page, as a document; see its attributes."""
        return Document(
            source=self.source,
            whole=whole,
            begins=begins,
            segment=segment,
            legacy=self.legacy,
            in_memory=self.in_memory,
            alternatives={} if self.alternative is None else dict.fromkeys(range(len(begins) - 1), self.alternative),
            **more,
        )


def joined_texts(texts: Sequence[str]) -> tuple[str, list[int]]:
    """Return `whole` and `begins` of a document of some texts."""
    steps = map(len(SEPARATOR).__add__, map(len, texts))
    whole = "".join((SEPARATOR, SEPARATOR.join(texts))) if texts else ""
    return whole, list(accumulate(steps, initial=len(SEPARATOR)))


def _no_segment(_: int) -> Segment:
    raise IndexError("the document has no block")


@dataclass(slots=True, kw_only=True)
class Document:
    """Texts of one carrier, such as cells, which are searched as one: no identifier joins across two.

    A document refers to what returns its segments. That must not refer to the document: such a cycle, and with it the
    texts, stays in memory until the collector runs.

    Attributes:
        source: the name of the source.
        whole: the texts of the block, each after a `SEPARATOR`.
        begins: the offset of each text in it, and after them that of one more text.
        segment: returns one of the texts by its index, with its location and its source map; called only for
            texts in which something was found, and if that is asked for.
        last: the segment after those of the block, if that is read as it comes, or ends where reading fails.
        legacy: as for `Segment`.
        delimited: whether the carrier delimits any of the texts.
        in_memory: how many characters it keeps in memory, at least 1, if all of it is there and its source maps stay
            as they are, so that it may be searched together with others; else 0.
        references: returns the `reference` of a text by its index; None if none has one.
        shown: see `Segment.shown`; that of the texts that have one, by their indices.
        warnings: those of texts, likewise.
        alternatives: that of texts, likewise.
        kinds: what the carrier states of each, if the kernel searches them one by one; see `kernel.Search.segments`.
        columns: the quicker way to columns of what is found; None without one.
        fields: returns the fields of texts by their indices, if what is beside a text says something of it only where
            the name of its field does not (`VALUES` in `judge/number_names.py`); None if that has to be asked.
    """

    source: str
    whole: str = ""
    begins: Sequence[int] | memoryview = (len(SEPARATOR),)
    segment: Callable[[int], Segment] = _no_segment
    last: Segment | None = None
    legacy: bool = False
    delimited: Delimited = Delimited.TEXT
    in_memory: int = 0
    references: Callable[[int], str | None] | None = None
    shown: dict[int, str] = field(default_factory=dict)
    warnings: dict[int, tuple[Warn, ...]] = field(default_factory=dict)
    alternatives: dict[int, Alternative] = field(default_factory=dict)
    kinds: bytes = b""
    columns: BlockColumns | None = None
    fields: BlockFields | None = None

    @property
    def size(self) -> int:
        """The number of texts of the block."""
        return len(self.begins) - 1

    def segments(self) -> Iterator[Segment]:
        """Yield each of the texts."""
        yield from map(self.segment, range(self.size))
        if self.last is not None:
            yield self.last

    def text(self, index: int) -> str:
        """Return one of the texts of the block."""
        return self.whole[self.begins[index] : self.begins[index + 1] - len(SEPARATOR)]

    def index_at(self, offset: int) -> int:
        """Return the index of the text in which an offset of `whole` lies."""
        return bisect_right(self.begins, offset) - 1

    def part(self, first: int, stop: int) -> Document:
        """Return the texts from an index on and before another one; what follows the block goes with the last one."""
        some = self.of(range(first, stop))
        return some if stop == self.size else replace(some, last=None)

    def of(self, kept: Sequence[int]) -> Document:
        """Return some of the texts, by their rising indices, as one block, with what follows the block."""
        if len(kept) == self.size:
            return self
        text, offsets, end = self.whole, self.begins, len(SEPARATOR)
        if isinstance(kept, range) and kept.step == 1:  # they are next to each other
            first = offsets[kept.start] - end
            whole = text[first : offsets[kept.stop] - end]
            begins = [offset - first for offset in offsets[kept.start : kept.stop + 1]]
        else:
            whole, begins = joined_texts([text[offsets[index] : offsets[index + 1] - end] for index in kept])
        inner, columns, references, kinds = self.segment, self.columns, self.references, self.kinds
        fields = self.fields
        sparse: dict[str, Any] = {
            name: {number: has[index] for number, index in enumerate(kept) if index in has} if has else has
            for name, has in ((name, getattr(self, name)) for name in _SPARSE)
        }
        return replace(
            self,
            whole=whole,
            begins=memoryview(array("q", begins)),
            segment=lambda index: inner(kept[index]),
            references=None if references is None else lambda index: references(kept[index]),
            kinds=bytes([kinds[index] for index in kept]) if kinds else kinds,
            columns=None if columns is None else lambda rows: columns(rows.numbered(kept.__getitem__)),
            fields=None if fields is None else lambda some: fields([kept[index] for index in some]),
            **sparse,
        )

    def parts(self) -> Iterator[Document]:
        """Yield the blocks of some of the texts each, in their order, that are small enough to be searched at once.

        What a search finds is in memory until it ends, at up to ten times the size of the texts.
        """
        if self.kinds and len(self.whole) <= _LARGEST:
            yield self
            return
        first = 0
        while first < self.size:
            stop = max(first + 1, bisect_right(self.begins, self.begins[first] + _BLOCK) - 1)
            yield self.part(first, stop)
            first = stop

    def ended(self, pieces: Callable[[Iterable[str]], Iterable[str]]) -> Document:
        """Return the document with what a function makes of the pieces of its last text, which is searched alone."""
        last, rest = self.last, self
        if last is None and self.size:
            last, rest = self.segment(self.size - 1), self.part(0, self.size - 1)
        last = last or Segment(source=self.source, text=(), legacy=self.legacy)
        return replace(rest, last=replace(last, text=pieces(last.text)), in_memory=0)

    def placed(self, place: Callable[[Location], Location]) -> Document:
        """Return the document with what a function makes of the location of each text."""
        return self._changed(lambda one: replace(one, place=place(one.place)), columns=None)

    def warned(self, code: Warn) -> Document:
        """Return the document with a warning that every identifier in it gets."""
        warnings = {index: (*self.warnings.get(index, ()), code) for index in range(self.size)}
        return self._changed(lambda one: replace(one, warnings=(*one.warnings, code)), warnings=warnings)

    def _changed(self, change: Callable[[Segment], Segment], **more: Any) -> Document:
        last, inner = self.last, self.segment
        last = None if last is None else change(last)
        return replace(self, segment=lambda index: change(inner(index)), last=last, **more)


def of_texts(ones: Iterable[tuple[int, Document]]) -> dict[str, Any]:
    """Return the attributes of some texts that few have, from documents and how far the numbers of these are moved."""
    found: dict[str, dict[int, Any]] = {name: {} for name in _SPARSE}
    for by, one in ones:
        for name, of in found.items():
            of.update((by + index, value) for index, value in getattr(one, name).items())
    return found


def in_context(documents: Iterable[Document], context: Context) -> Iterator[Document]:
    """Yield documents with the context of what holds them; what they state of their own stays."""
    return (document.placed(lambda place: with_context(place, context)) for document in documents)


# Opens the texts in strings; see `urisieve.sources.inner_texts.InnerTexts.opened`.
Opened: TypeAlias = Callable[[Iterable[Document]], Iterator[Document]]


# What has no line and column of its own.
_NO_LINES: Final = repeat((0, 0))


def segment_columns(
    segments: Sequence[Segment],
    starts: Sequence[int],
    ends: Sequence[int],
    wanted: frozenset[str],
    places: Iterable[tuple[int, int]] = _NO_LINES,
) -> dict[str, Sequence[Any]]:
    """Return the columns that say where rows are, as far as they are wanted.

    Args:
        segments: that of each row.
        starts: the offset of each in the text.
        ends: the end of each there.
        wanted: the names of the columns.
        places: the line and the column of each in its text, for segments without a `position`.
    """
    found: dict[str, Sequence[Any]] = {}
    if "location" in wanted:
        found["location"] = [one.place for one in segments]
    if "source" in wanted:
        found["source"] = [one.source for one in segments]
    if not wanted.isdisjoint(("line", "column")):
        rows = zip(segments, starts, places, strict=False)
        pairs = [inside if one.position is None else one.position(start) for one, start, inside in rows]
        found["line"] = [line for line, _ in pairs]
        found["column"] = [column for _, column in pairs]
    if not wanted.isdisjoint(BYTES):
        spans: list[Span] = []
        last, offsets = None, None
        for one, start, end in zip(segments, starts, ends, strict=True):
            if one is not last:
                last, offsets = one, one.offsets()
            spans.append(NO_SPAN if offsets is None else offsets.span(start, end))
        found["byte_start"], found["byte_end"] = [start for start, _ in spans], [end for _, end in spans]
    return found


class CutBlocks:
    """Blocks that end where reading fails; the error is raised at the end of the last document made of them.

    A text in memory that was made at the end of the blocks is held until the next one comes. One that was made before,
    as the source may keep its reader waiting, one that is still to be read, and one that is complete, such as those of
    an archive that is attached, are passed on at once: the archive moves on when the next one is asked for.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self._error: InputError | None = None
        self._have_ended = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._blocks
        except InputError as error:
            self._error = error.with_traceback(None)
        self._have_ended = True

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
            is_stream = document.last is not None and not isinstance(document.last.text, tuple)
            is_member = document.in_memory and document.source != source
            last = document if self._have_ended and not is_stream and not is_member else None
            if last is None:
                yield document
        if last is not None:
            yield last if self._error is None else last.ended(self.ended)
        elif self._error is not None:
            raise self._error

    def ended(self, items: Iterable[T]) -> Iterator[T]:
        """Yield what is made of the blocks, each complete; then raise the error that ended them, if one did, once."""
        yield from items
        if self._error is not None:
            error, self._error = self._error, None
            raise error
