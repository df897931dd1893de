"""The documents of a source: named texts, each with its location and a map to the bytes that it was read from.

Each kind of container (a mailbox, an archive, a table) has a reader: a function that yields the documents in it, one at
a time. Everything that it skips or finds broken is counted in the `Tally`.

Also defines:

- small texts that follow each other, such as files of an archive or parts of mail, as blocks searched at once. A search
  of its own costs each of them as much as the search in kilobytes of text.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, repeat
from operator import attrgetter

from urisieve.codes import Warn
from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, dataclass
from urisieve.records.base import NOWHERE, Context, Location, with_context
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.tally import Tally

if TYPE_CHECKING:
    from urisieve.records.batch import Batch


# Returns the map from the characters of a text to bytes, complete up to the last piece read; None if it has none.
WayBack: TypeAlias = Callable[[], SourceMap | None]
# Returns the line and column, both from 1, of a character of a document, in the text that it was made from.
Position: TypeAlias = Callable[[int], tuple[int, int]]


def no_way_back() -> SourceMap | None:
    """Return None: the text has no map to bytes."""
    return None


# Returns columns of rows that were found in a block, as far as they are wanted and need no documents. It gets
# the batch, the number of the text of each row, the start and the end of each there, and the names of the columns.
BlockColumns: TypeAlias = (
    "Callable[[Batch, Sequence[int], Sequence[int], Sequence[int], frozenset[str]], dict[str, Sequence[Any]]]"
)


OWN_COLUMNS: Final = frozenset(("raw", "warnings"))


class TextBlock(NamedTuple):
    """Many short texts of one carrier, such as cells, which are searched as one: no identifier joins across two.

    Attributes:
        whole: the texts, each behind a `SEPARATOR`.
        begins: the offset of each text in it, and behind them that of one more text.
        document: returns one of the texts by its index, with its location and its map to bytes; called only for
            texts in which something was found, and if somebody asks for that.
        has_sources: whether each text has a source of its own, such as the members of an archive.
        own: the indices of the texts that may have a `reference`, `shown` or `warnings` of their own.
        own_columns: the columns that these may change.
        alternatives: that of each text; empty if none has one.
        kinds: what the carrier says of each, if the kernel searches them one by one; see `kernel.Search.segments`.
        columns: the quicker way to columns of what is found; None without one.
    """

    whole: str
    begins: Sequence[int] | memoryview
    document: Callable[[int], Document]
    has_sources: bool = False
    own: frozenset[int] = frozenset()
    own_columns: frozenset[str] = OWN_COLUMNS
    alternatives: Sequence[Alternative | None] = ()
    kinds: bytes = b""
    columns: BlockColumns | None = None

    @classmethod
    def of(cls, texts: Sequence[str], document: Callable[[int], Document]) -> TextBlock:
        """Return a block of some texts."""
        return cls(*cls.joining(texts), document)

    @staticmethod
    def joining(texts: Sequence[str]) -> tuple[str, list[int]]:
        """Return `whole` and `begins` of some texts."""
        steps = map(len(SEPARATOR).__add__, map(len, texts))
        whole = "".join((SEPARATOR, SEPARATOR.join(texts))) if texts else ""
        return whole, list(accumulate(steps, initial=len(SEPARATOR)))

    @classmethod
    def unplaced(cls, whole: str, begins: Sequence[int] | memoryview) -> TextBlock:
        """Return a block without `document`, for what returns the documents to read the texts by.

        A block refers to what returns its documents. That must not refer to the block: such a cycle, and with it the
        texts, stays in memory until the collector runs.
        """
        return cls(whole, begins, _no_document)

    @classmethod
    def joined(cls, blocks: Sequence[TextBlock]) -> TextBlock:
        """Return the block of the texts of some blocks, one behind the other."""
        firsts = list(accumulate((block.size for block in blocks), initial=0))
        begins: list[int] = []
        before = 0
        for block in blocks:
            begins += [before + begin for begin in block.begins[:-1]]
            before += len(block.whole)

        def document(index: int) -> Document:
            number = bisect_right(firsts, index) - 1
            return blocks[number].document(index - firsts[number])

        own = [first + index for first, block in zip(firsts, blocks, strict=False) for index in block.own]
        alternatives: list[Alternative | None] = []
        if any(block.alternatives for block in blocks):
            for block in blocks:
                alternatives += block.alternatives or [None] * block.size
        has_kinds = all(block.kinds for block in blocks) and any(block.kinds.strip(_TEXTS) for block in blocks)
        has_columns = has_kinds and all(block.columns is not None for block in blocks)
        return cls(
            "".join([block.whole for block in blocks]),
            memoryview(array("q", [*begins, before + len(SEPARATOR)])),
            document,
            has_sources=any(block.has_sources for block in blocks),
            own=frozenset(own),
            own_columns=frozenset[str]().union(*(block.own_columns for block in blocks if block.own)),
            alternatives=alternatives,
            kinds=b"".join([block.kinds for block in blocks]) if has_kinds else b"",
            columns=partial(_joined_columns, blocks, firsts) if has_columns else None,
        )

    @property
    def size(self) -> int:
        """The number of texts."""
        return len(self.begins) - 1

    def text(self, index: int) -> str:
        """Return one of the texts."""
        return self.whole[self.begins[index] : self.begins[index + 1] - len(SEPARATOR)]

    def index_at(self, offset: int) -> int:
        """Return the index of the text in which an offset of `whole` lies."""
        return bisect_right(self.begins, offset) - 1

    def part(self, first: int, stop: int) -> TextBlock:
        """Return the block of the texts from an index on and before another one."""
        if not first and stop == self.size:
            return self
        start, end = self.begins[first] - len(SEPARATOR), self.begins[stop] - len(SEPARATOR)
        begins = [begin - start for begin in self.begins[first : stop + 1]]
        inner = partial(_document_from, self, first)
        return self._replace(
            whole=self.whole[start:end],
            begins=begins,
            document=inner,
            own=frozenset([index - first for index in self.own if index >= first]),
            alternatives=self.alternatives[first:stop],
            kinds=self.kinds[first:stop],
            columns=None if self.columns is None else partial(_columns_from, self.columns, first),
        )

    def where(self, wanted: Callable[[int], bool]) -> TextBlock:
        """Return the block of the texts for whose index a function returns true."""
        kept = list(filter(wanted, range(self.size)))
        if len(kept) == self.size:
            return self
        block = TextBlock.of([self.text(index) for index in kept], partial(_chosen_document, self, kept))
        own = frozenset([number for number, index in enumerate(kept) if index in self.own])
        return block._replace(own=own, has_sources=self.has_sources)

    def parts(self) -> Iterator[TextBlock]:
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


def _no_document(_: int) -> Document:
    raise AssertionError("the block has no way to its documents yet")


def _document_from(block: TextBlock, first: int, index: int) -> Document:
    return block.document(first + index)


def _chosen_document(block: TextBlock, kept: Sequence[int], index: int) -> Document:
    return block.document(kept[index])


def _joined_columns(
    blocks: Sequence[TextBlock],
    firsts: Sequence[int],
    batch: Batch,
    numbers: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    wanted: frozenset[str],
) -> dict[str, Sequence[Any]]:
    """Return the columns of rows in some blocks that follow each other, by those of each block."""
    parts: list[tuple[slice, dict[str, Sequence[Any]]]] = []
    row = 0
    while row < len(numbers):
        index = bisect_right(firsts, numbers[row]) - 1
        stop = bisect_left(numbers, firsts[index + 1], row)
        rows = slice(row, stop)
        inner = [number - firsts[index] for number in numbers[rows]]
        columns = blocks[index].columns
        assert columns is not None
        parts.append((rows, columns(batch[rows], inner, starts[rows], ends[rows], wanted)))
        row = stop
    names = {name for _, some in parts for name in some if name in wanted}
    changed = {name: list(batch.column(name)) for name in names}
    for rows, some in parts:
        for name in names.intersection(some):
            changed[name][rows] = some[name]
    return dict(changed)


def _columns_from(
    inner: BlockColumns,
    first: int,
    batch: Batch,
    numbers: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    columns: frozenset[str],
) -> dict[str, Sequence[Any]]:
    return inner(batch, [first + number for number in numbers], starts, ends, columns)


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
        in_memory: how many characters it keeps in memory, at least 1, if the text is in memory and its map to
            bytes stays as it is, so that it may be searched together with others; else 0.
        block: many short texts, instead of a text; `delimited` says whether the carrier delimits any of them.
        beside: returns the names and values of what is beside it: attributes, members, subfields.
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
    in_memory: int = 0
    block: TextBlock | None = None
    beside: Callable[[], Iterable[tuple[str, str]]] = tuple

    @property
    def has_own(self) -> bool:
        """Whether it changes columns of what is found in it."""
        return self.reference is not None or self.shown is not None or bool(self.warnings)


def in_context(documents: Iterable[Document], context: Context) -> Iterator[Document]:
    """Yield documents with the context of what holds them; what they say of their own stays."""
    return placed(documents, lambda place: with_context(place, context))


def placed(documents: Iterable[Document], place: Callable[[Location], Location]) -> Iterator[Document]:
    """Yield documents with what `place` makes of their locations, those of the texts of blocks among them."""
    for document in documents:
        document.place = place(document.place)
        if document.block is not None:
            inner = partial(_inner_placed, document.block.document, place)
            document.block = document.block._replace(document=inner, columns=None)
        yield document


def _inner_placed(inner: Callable[[int], Document], place: Callable[[Location], Location], index: int) -> Document:
    return next(placed((inner(index),), place))


def single_documents(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield documents; in place of one with many texts, one for each of these."""
    for document in documents:
        if document.block is None:
            yield document
        else:
            yield from map(document.block.document, range(document.block.size))


def block_of(whole: Document, items: Sequence[tuple[str, Callable[[], Document]]]) -> Iterator[Document]:
    """Yield texts of a content as one document, a single one as it is.

    Args:
        whole: the content.
        items: each text, and what makes its document.
    """
    if len(items) < 2:
        for _, made in items:
            yield made()
        return
    block = TextBlock.of([text for text, _ in items], partial(_made, items))
    yield as_block(whole, block._replace(own=frozenset(range(block.size))))


def _made(items: Sequence[tuple[str, Callable[[], Document]]], index: int) -> Document:
    return items[index][1]()


def as_block(whole: Document, block: TextBlock, delimited: Delimited = Delimited.LINK) -> Document:
    """Return a block of texts of a content as a document; `delimited` as for `Document.delimited`."""
    if whole.alternative is not None:
        block = block._replace(alternatives=[whole.alternative] * block.size)
    return Document(
        source=whole.source,
        text=(),
        place=whole.place,
        legacy=whole.legacy,
        delimited=delimited,
        in_memory=whole.in_memory,
        block=block,
    )


# Reads HTML; see `urisieve.sources.html.html_documents.html_documents`.
HtmlDocuments = Callable[[Document, Tally], Iterator[Document]]


class Repeats:
    """Detects identifiers of a document that were already seen in another form of the same content.

    Keys come in the order in which a reader yields their documents. Only those of one group are held.

    >>> repeats, plain, html = Repeats(), Alternative("a message", 1), Alternative("a message", 2)
    >>> [repeats.holds(form, key) for form, key in ((plain, "a"), (plain, "a"), (html, "a"), (html, "b"), (html, "b"))]
    [False, False, True, False, False]
    """

    __slots__ = ("_branches", "_group")

    def __init__(self) -> None:
        self._group: object = None
        self._branches: dict[str, int] = {}

    def holds(self, alternative: Alternative | None, key: str) -> bool:
        """Report whether an earlier form of the content has a key, and add it to this form; None is no form."""
        if alternative is None:
            return False
        group, branch = alternative
        if group is not self._group:
            self._group, self._branches = group, {}
        return self._branches.setdefault(key, branch) < branch


# The most characters of a text that is gathered, and those of a block: it fits in the cache of a processor.
_LONGEST: Final = 65_536
_BLOCK: Final = 262_144
# The most texts that are joined: of empty ones there may be millions.
_MOST: Final = 4_096
# The most characters that the documents of a block keep in memory: HTML may hold little text.
_HELD: Final = 4 * _BLOCK
# What the kernel is told of texts; see `kernel.Search.segments`.
_TEXTS: Final = b"\0"
_KINDS: Final = {Delimited.TEXT: _TEXTS, Delimited.LINK: b"\1"}
# The most characters of a block that the kernel searches text by text: it takes little memory.
_LARGEST: Final = 1_048_576


def gathered(
    documents: Iterable[Document], joins: Callable[[Document], object] = attrgetter("in_memory")
) -> Iterator[Document]:
    """Yield documents in their order, those that may be searched together as blocks.

    An exception of the iterator is raised after what came before it has been yielded. Memory is that of a block.

    Args:
        documents: what a reader yields.
        joins: returns whether a document may be searched together with others; its text, or that of its block, is then
            in memory, and its map to bytes stays as it is.
    """
    some = _Gathering()
    stream = iter(documents)
    while True:
        try:
            document = next(stream, None)
        except Exception:
            yield from some.taken()
            raise
        block = None
        if document is not None and document.in_memory <= _LONGEST and joins(document):
            block = _block_of(document)
        if block is None or len(block.whole) > _LONGEST:
            yield from some.taken()
            if document is None:
                return
            yield document
        elif document is not None:
            if not some.has_room(document, block):
                yield from some.taken()
            some.add(document, block)


class _Gathering:
    """Documents that wait to be one block."""

    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._blocks: list[TextBlock] = []
        self._size = self._count = self._held = 0

    def has_room(self, document: Document, block: TextBlock) -> bool:
        """Report whether a document goes with those that wait."""
        return not self._documents or (
            self._size + len(block.whole) <= _BLOCK
            and self._count + block.size <= _MOST
            and self._held + document.in_memory <= _HELD
            and document.legacy is self._documents[0].legacy
        )

    def add(self, document: Document, block: TextBlock) -> None:
        """Let a document wait; `block` has its texts."""
        self._documents.append(document)
        self._blocks.append(block)
        self._size += len(block.whole)
        self._count += block.size
        self._held += document.in_memory

    def taken(self) -> Iterator[Document]:
        """Yield what waits as one document; a single one as it is."""
        ones, blocks = self._documents, self._blocks
        self._documents, self._blocks = [], []
        self._size = self._count = self._held = 0
        if len(ones) < 2:
            yield from ones
            return
        first = ones[0]
        block = TextBlock.joined(blocks)
        if any(one.source != first.source for one in ones):
            block = block._replace(has_sources=True)
        yield Document(
            source=first.source,
            text=(),
            legacy=first.legacy,
            delimited=max((one.delimited for one in ones), key=lambda kind: kind is not Delimited.TEXT),
            block=block,
        )


def _block_of(document: Document) -> TextBlock | None:
    """Return the texts of a document; None if they are to be searched alone."""
    if document.block is not None:
        return document.block
    if not isinstance(document.text, tuple) or len(document.text) != 1:
        return None
    (text,) = document.text
    bounds = (len(SEPARATOR), len(text) + 2 * len(SEPARATOR))
    return TextBlock(
        f"{SEPARATOR}{text}",
        bounds,
        lambda _: document,
        own=frozenset([0] if document.has_own else ()),
        alternatives=() if document.alternative is None else [document.alternative],
        kinds=_KINDS.get(document.delimited, b""),
        columns=None if document.has_own or document.position is None else partial(_columns_alone, document),
    )


def _columns_alone(
    document: Document,
    _batch: Batch,
    numbers: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    wanted: frozenset[str],
) -> dict[str, Sequence[Any]]:
    return document_columns([document] * len(numbers), starts, ends, wanted)


# What has no line and column of its own.
_NO_LINES: Final = repeat((0, 0))


def document_columns(
    documents: Sequence[Document],
    starts: Sequence[int],
    ends: Sequence[int],
    wanted: frozenset[str],
    places: Iterable[tuple[int, int]] = _NO_LINES,
) -> dict[str, Sequence[Any]]:
    """Return the columns that say where rows are, as far as they are wanted.

    Args:
        documents: that of each row.
        starts: the offset of each in the text.
        ends: the end of each there.
        wanted: the names of the columns.
        places: the line and the column of each in its text, for documents without a `position`.
    """
    found: dict[str, Sequence[Any]] = {}
    if "location" in wanted:
        found["location"] = [one.place for one in documents]
    if "source" in wanted:
        found["source"] = [one.source for one in documents]
    if not wanted.isdisjoint(("line", "column")):
        rows = zip(documents, starts, places, strict=False)
        pairs = [inside if one.position is None else one.position(start) for one, start, inside in rows]
        found["line"] = [line for line, _ in pairs]
        found["column"] = [column for _, column in pairs]
    if not wanted.isdisjoint(("byte_start", "byte_end")):
        spans: list[tuple[int | None, int | None]] = []
        last, offsets = None, None
        for one, start, end in zip(documents, starts, ends, strict=True):
            if one is not last:
                last, offsets = one, one.offsets()
            spans.append((None, None) if offsets is None else offsets.span(start, end))
        found["byte_start"] = [start for start, _ in spans]
        found["byte_end"] = [end for _, end in spans]
    return found
