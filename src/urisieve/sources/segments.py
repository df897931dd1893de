"""`Segments`, to which a reader writes the texts of the source (`Content`) that it reads.

A reader is one function, `read(source, out)`, that yields what `out` returns:

    def read(source: Content, out: Segments) -> Iterator[Document | None]:
        for number, start, text in source.lines():
            yield out.add(text, at=start, row=number)

It knows its format and nothing else. Detection, nesting, limits, bases, counts and the search are decided around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from urisieve.codes import Warn
from urisieve.find.delimited import NETWORK_PATH, Delimited
from urisieve.lean import TYPE_CHECKING, Final, TypeVar, cast, late, replace
from urisieve.records.base import Context, Location
from urisieve.sources.blocks import NO_MORE, About, At, More, Row, columns_of_values, segment_of, value_of
from urisieve.sources.bytes.block_reader import limited
from urisieve.sources.bytes.encodings import known_marks, wide_encoding
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.limits import Budget
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.contexts import Dating
from urisieve.sources.documents import (
    Alternative,
    BlockColumns,
    CutBlocks,
    Document,
    Opened,
    Position,
    Segment,
    joined_texts,
)
from urisieve.sources.inner_texts import may_contain
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind, function_of
from urisieve.sources.plain_text import text_document
from urisieve.sources.reading_options import Carrier, reads_binary
from urisieve.sources.reading_run import ReadingRun, SourceCounts
from urisieve.sources.tally import Tally
from urisieve.wording import member_name

if TYPE_CHECKING:
    from urisieve.judge.number_names import Beside
else:
    Beside = late("urisieve.judge.number_names", "Beside")

T = TypeVar("T")

# Characters of texts that are gathered into a block, but for its last text.
_BLOCK: Final = 65_536
# The most texts of a block: of short ones there may be millions.
_MOST: Final = 4_096


class Segments(SourceCounts):
    """Takes the texts of one source from its reader.

    Texts are gathered into blocks that are searched at once. A text that cannot contain an identifier is left out. The
    reader yields after it has added some, so that memory is that of a few texts.

    >>> from urisieve.types import Segments, Source
    >>> def read(source: Source, out: Segments):
    ...     for number, start, line in source.lines():
    ...         yield out.add(line, at=start, row=number)

    Args:
        run: the options, limits and counts of the run.
        source: the source that is read.
        kind: the kind that it is read as, under which faults are counted; None for that of the source.
        opens: whether texts that are HTML or JSON themselves are read as that.
        within: the text that those that are added are made of, such as a page: they have its location, its form and
            all else that is known of it; None for those of a source.
        opened: opens the texts in strings; None for what `opens` asks for.
    """

    def __init__(
        self,
        run: ReadingRun,
        source: Content,
        kind: str | None = None,
        *,
        opens: bool = False,
        within: Segment | None = None,
        opened: Opened | None = None,
    ) -> None:
        super().__init__(run.tally, source.source, source.kind if kind is None else kind)
        self.run = run
        self.reading = run.reading
        """The options of reading."""
        self.source = source
        may_hold = run.may_hold or _always
        self.may_hold = partial(_may_hold_inside, may_hold) if opens else may_hold
        """Returns a false value for a text that cannot contain an identifier."""
        self.within = within or Segment(source=source.source, text=())
        """The text that those that are added are made of, or what all of them have."""
        self.opened = run.inner_texts(self.base).opened if opens else opened
        self._readable = CutBlocks(source.blocks)
        self._ready: list[Iterable[Document]] = []
        self._texts: list[str] = []
        self._rows: list[Row] = []
        self._size = 0
        self._own: dict[int, More] = {}  # of texts with a reference, visible text or warnings
        self._legacy = False
        self._is_stable = True  # whether all source maps of the block stay as they are

    # ------------------------------------------------------------ what the source is read with

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

    # ------------------------------------------------------------ texts

    def add(
        self,
        text: str | Iterable[str],
        at: At = None,
        *,
        place: Location | None = None,
        field: str | None = None,
        row: int | None = None,
        delimited: Delimited = Delimited.TEXT,
        reference: str | None = None,
        visible: str | None = None,
        warnings: tuple[Warn, ...] = (),
        context: Context | None = None,
        legacy: bool = False,
        base: str | None = None,
        position: Position | None = None,
        alternative: Alternative | None = None,
        always: bool = False,
        beside: Beside = tuple,
    ) -> Document | None:
        """Add a text that joins with no other one; return what the reader is to yield.

        Args:
            text: the text, or its pieces, which are read before the next text is added.
            at: the offset of its first byte in the source, if it is there as it is in UTF-8; or a function that returns
                the map from its characters to bytes; or that to the characters of the text that it is made of; None if
                it is not to be found there.
            place: its location, in place of the field, the row and the context.
            field: the name of the field that contains it, such as the path of a key or the name of a column.
            row: the number of the line or record that contains it, from 1.
            delimited: whether its format says that it is an identifier (`LINK`), or may be one as a whole (`VALUE`).
            reference: the relative reference as written, if the text is what it was resolved to.
            visible: the visible text of the link that the text is the target of, if that looks like a link.
            warnings: warnings that each identifier in it gets.
            context: when and from whom it is.
            legacy: whether it was decoded from a character set that is not of Unicode (RFC 3987 3.1 step 1b).
            base: the URI that relative references in it are resolved against.
            position: returns the line and column in the source of a character of it; None if those in it count.
            alternative: the form of a content that it is, if there are several.
            always: whether it is searched whatever it is, as identifiers in it may be escaped.
            beside: see `Beside`.
        """
        has_own = reference is not None or visible is not None or warnings or alternative is not None
        has_more = has_own or base or position or place or beside is not tuple
        more = (base, reference, warnings, visible, position, beside, place, alternative) if has_more else NO_MORE
        if not isinstance(text, str):
            return segment_of(self.within, legacy, (text,), [(at, field, row, context, delimited, more)], 0).document()
        if not text or (not always and delimited is not Delimited.LINK and not self.may_hold(text)):
            return None
        if legacy is not self._legacy or self._size > _BLOCK or len(self._texts) == _MOST:
            self._end_block()
            self._legacy = legacy
        if has_own:
            self._own[len(self._texts)] = more
        self._texts.append(text)
        self._rows.append((at, field, row, context, delimited, more))
        self._size += len(text)
        if at.__class__ is not int and at is not None:
            self._is_stable = False
        return None

    def cell(
        self,
        value: object,
        *,
        field: str | None = None,
        row: int | None = None,
        context: Context | None = None,
        is_binary: bool = False,
        always: bool = False,
    ) -> Document | None:
        """Add a value if it is a string, or bytes that are text in UTF-8 or UTF-16; other bytes are counted.

        Args:
            value: the value.
            field: see `add`.
            row: see `add`.
            context: see `add`.
            is_binary: whether bytes that are not text are searched, too, as a binary file is.
            always: see `add`.
        """
        if isinstance(value, bytes):
            wide = wide_encoding(value)
            data = value
            try:
                value = data.decode() if wide is None else data.decode(wide.name, "replace")
            except UnicodeDecodeError:
                if not is_binary:
                    self.skip("binary", kind="blob")
                    return None
                value = data.decode("utf-8", "surrogateescape")
        if not isinstance(value, str):
            return None
        return self.add(value, field=field, row=row, context=context, delimited=Delimited.VALUE, always=always)

    def target(self, reference: str, base: str | None) -> tuple[str, str | None] | None:
        """Return what a link leads to, and the reference as written if that is relative; None, counted, for nothing.

        Args:
            reference: the link as written, without white space around it.
            base: the URI that it is resolved against.
        """
        from urisieve.sources.html.html_links import has_scheme, is_same_document, resolved, unresolved_reason

        if is_same_document(reference):
            self.skip("same-document", kind="reference")
            return None
        if has_scheme(reference):
            return reference, None
        absolute = resolved(reference, base)
        if absolute is not None:
            return absolute, reference
        if base is None and NETWORK_PATH.match(reference) is not None:
            return reference, None
        self.skip(unresolved_reason(base), kind="reference")
        return None

    def block_of(
        self,
        whole: str,
        begins: Sequence[int],
        about: Callable[[int], About],
        *,
        legacy: bool = False,
        columns: BlockColumns | None = None,
    ) -> Document | None:
        """Add values that follow each other; return what the reader is to yield.

        Args:
            whole: the values, each after a separator; see `Document`.
            begins: the offset of each in it, and after them that of one more.
            about: returns what is known of a value by its index, as for `add`; only of those that are asked for.
            legacy: see `add`.
            columns: returns the columns that follow from `about`, where that is quicker for many values at once.
        """
        found = Document(
            source=self.name,
            whole=whole,
            begins=begins,
            segment=partial(value_of, self.within, legacy, whole, begins, about),
            legacy=legacy,
            delimited=Delimited.VALUE,
            columns=columns or partial(columns_of_values, whole, begins, about),
        )
        return self.block(found)

    def text(self, blocks: Iterable[bytes], *, is_binary: bool = True, carriers: Iterable[Carrier] = ()) -> Document:
        """Return bytes as plain text.

        Args:
            blocks: the bytes.
            is_binary: whether strings of UTF-16 in them count.
            carriers: the notations in which it is escaped, if the options name none.
        """
        self.source.blocks = blocks
        return text_document(
            self.source,
            encoding=self.encoding(),
            carriers=self.reading.unescape or carriers,
            has_wide=is_binary,
            keep=self.run.keep,
            tally=None if is_binary else self.tally,
        )

    def page(self, blocks: Iterable[bytes], field: str) -> Iterator[Document]:
        """Read bytes that are a page of HTML: a part of the source with a location."""
        source = replace(self.source, kind=Kind.HTML, blocks=blocks, parts=None)
        read: Callable[..., Iterator[Document]] = function_of(Kind.HTML.read)
        return read(source, Segments(self.run, source, within=replace(self.within, place=Location(field=field))))

    def is_too_deep(self) -> bool:
        """Report whether the source is too deep for what is in it to be opened, which is counted."""
        if self.source.depth < self.run.limits.depth:
            return False
        self.fault("nested-too-deep", f"more than {self.source.depth} levels deep", kind=self.source.kind)
        return True

    def open(
        self,
        name: str,
        blocks: Iterable[bytes],
        *,
        hint: str | None = None,
        declared: Declared | None = None,
        kind: str | None = None,
    ) -> Iterator[Document]:
        """Read a file inside the source, whatever it is; what is nested too deeply is counted and not opened.

        Args:
            name: its name, which follows that of the source after a `!`; "" for that of the source.
            blocks: its bytes, read before the next text is added.
            hint: a name whose ending helps to decide its kind; None for `name`.
            declared: its media type, character set and base.
            kind: the kind under which a fault is counted; None for that of the source.
        """
        self._end_block()
        yield from self._taken()
        source = member_name(self.name, name, MEMBER) if name else self.name
        if self.source.depth >= self.run.limits.depth:
            self.fault("nesting-limit", f"more than {self.source.depth} levels; not opened", kind=kind, name=source)
            return
        yield from self.run.documents(source, blocks, within=self.source, hint=hint, declared=declared)

    # ------------------------------------------------------------ the frame

    def pause(self) -> None:
        """Let what was added so far be searched when the reader yields, as the source may keep it waiting."""
        if self._texts:
            self._end_block(joins=False)

    def _end_block(self, *, joins: bool = True) -> None:
        """End a block; `joins` is whether it may wait, to be searched with what follows."""
        if not self._texts:
            return
        texts, rows = self._texts, self._rows
        whole, begins = joined_texts(texts)
        found = Document(
            source=self.name,
            whole=whole,
            begins=begins,
            segment=partial(segment_of, self.within, self._legacy, texts, rows),
            legacy=self._legacy,
            delimited=next((row[4] for row in rows if row[4] is not Delimited.TEXT), Delimited.TEXT),
            in_memory=self.within.in_memory or (self._size if joins and self._is_stable else 0),
        )
        if self.within.alternative is not None:
            found.alternatives = dict.fromkeys(range(len(texts)), self.within.alternative)
        if self._own:
            references = {index: reference for index, (_, reference, *_) in self._own.items() if reference is not None}
            found.references = references.get if references else None
            found.warnings = {index: warnings for index, (_, _, warnings, *_) in self._own.items() if warnings}
            found.shown = {index: more[3] for index, more in self._own.items() if more[3] is not None}
            found.alternatives |= {index: more[7] for index, more in self._own.items() if more[7] is not None}
        self._put(found)
        self._texts, self._rows, self._own, self._size, self._is_stable = [], [], {}, 0, True

    def block(self, found: Document) -> Document | None:
        """Add a block, as the kernel makes it; return what the reader is to yield."""
        self._end_block()
        self._put(found)
        return None

    def _put(self, found: Document) -> None:
        """Let the next step of the reader yield a block, and what is in its texts."""
        self._ready.append((found,) if self.opened is None else self.opened((found,)))

    def _taken(self) -> Iterator[Document]:
        """Yield the blocks that have ended."""
        ready, self._ready = self._ready, []
        for found in ready:
            yield from found

    def documents(self, found: Iterable[Document | None]) -> Iterator[Document]:
        """Yield the documents of the source, in their order, from what its reader yields.

        Raises:
            InputError: the reader raises it, or reading has failed.
        """
        try:
            for document in found:
                if self._texts and document is not None:
                    self._end_block()
                if self._ready:
                    yield from self._taken()
                if document is not None:
                    yield document
        except Exception:
            self._end_block()
            yield from self._taken()
            raise
        if self._texts:
            self._end_block()
        if self._ready:
            yield from self._taken()
        yield from self._readable.ended(())


def held(out: Segments) -> Segments:
    """Return the same for texts that are in memory and whose source maps stay, though functions make them."""
    return Segments(out.run, out.source, out.kind, within=Segment(source=out.name, text=(), in_memory=1))


def uncounted(out: Segments) -> Segments:
    """Return the same for what is read again: its counts are of its own."""
    one = held(out)
    one.tally = Tally()
    return one


def _always(_: str) -> bool:
    return True


def _may_hold_inside(may_hold: Callable[[str], object], text: str) -> object:
    return may_hold(text) or may_contain(text)
