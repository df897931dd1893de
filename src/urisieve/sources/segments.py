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
from urisieve.errors import InputError
from urisieve.find.delimited import NETWORK_PATH, SEPARATOR, Delimited
from urisieve.lean import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, cast, late, replace
from urisieve.records.base import NOWHERE, Context, Location
from urisieve.sources.bytes.block_reader import limited
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import find_encoding, known_marks, wide_encoding
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.containers.limits import Budget
from urisieve.sources.containers.unpacking import MEMBER
from urisieve.sources.contexts import Dating
from urisieve.sources.documents import (
    BlockColumns,
    BlockRows,
    CutBlocks,
    Document,
    MapOfText,
    Position,
    Segment,
    joined_texts,
    no_map,
)
from urisieve.sources.inner_texts import may_contain
from urisieve.sources.kinds.kind_table import Kind, function_of
from urisieve.sources.plain_text import text_document
from urisieve.sources.reading_options import Carrier, reads_binary
from urisieve.sources.reading_run import ReadingRun
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
# What most texts have of `base`, `reference`, `warnings`, `visible`, `position` and `beside`.
_NO_MORE: Final = (None, None, (), None, None, tuple)

# What is known of a text of a block: where it is, the name of its field, its row, when and from whom it is, and what is
# beside it.
About: TypeAlias = "tuple[int | MapOfText | None, str | None, int | None, Context | None, Beside]"

_Row = tuple[
    "int | MapOfText | None",
    "str | None",
    "int | None",
    "Context | None",
    Delimited,
    tuple["str | None", "str | None", tuple[Warn, ...], "str | None", "Position | None", "Beside"],
]


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
    """

    def __init__(self, run: ReadingRun, source: Content, kind: str | None = None, *, opens: bool = False) -> None:
        super().__init__(run.tally, source.source, source.kind if kind is None else kind)
        self.run = run
        self.reading = run.reading
        """The options of reading."""
        self.source = source
        may_hold = run.may_hold or _always
        self.may_hold = partial(_may_hold_inside, may_hold) if opens else may_hold
        """Returns a false value for a text that cannot contain an identifier."""
        self._inner = run.inner_texts(self.base) if opens else None
        self._readable = CutBlocks(source.blocks)
        self._ready: list[Document] = []
        self._texts: list[str] = []
        self._rows: list[_Row] = []
        self._size = 0
        self._own: list[int] = []  # the indices of texts with a reference, visible text or warnings
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

    def encoding(self) -> str | None:
        """Return the codec that is asked for, or that a label beside the source names (RFC 9110 8.3.2); None without.

        A byte order mark counts more than the label.
        """
        label = None if self.source.declared is None else self.source.declared.charset
        if label is None or self.run.encoding is not None:
            return self.run.encoding
        codec = self.codec_of(label, "text")
        if codec is None or codec == "utf-8":
            return None
        return None if self.source.peek(4).startswith(tuple(mark for mark, _ in known_marks(None))) else codec

    def codec_of(self, label: str, kind: str) -> str | None:
        """Return the codec of the label of a character set; None for one that is not known, which is counted."""
        from urisieve.sources.bytes.charsets import web_codec

        codec = web_codec(label)
        if codec is None:
            message = f"{label!r} is not a character set of the web; read as UTF-8"
            self.fault("unknown-charset", message, kind=kind)
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
        at: int | MapOfText | None = None,
        *,
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
        always: bool = False,
        beside: Beside = tuple,
    ) -> Document | None:
        """Add a text that joins with no other one; return what the reader is to yield.

        Args:
            text: the text, or its pieces, which are read before the next text is added.
            at: the offset of its first byte in the source, if it is there as it is in UTF-8; or a function that returns
                the map from its characters to bytes; None if it is not to be found there.
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
            always: whether it is searched whatever it is, as identifiers in it may be escaped.
            beside: see `Beside`.
        """
        own = reference is not None or visible is not None or bool(warnings)
        has_more = own or base or position or beside is not tuple
        more = (base, reference, warnings, visible, position, beside) if has_more else _NO_MORE
        if not isinstance(text, str):
            return _segment(self.name, legacy, (text,), [(at, field, row, context, delimited, more)], 0).document()
        if not text or (not always and delimited is not Delimited.LINK and not self.may_hold(text)):
            return None
        if legacy is not self._legacy or self._size > _BLOCK or len(self._texts) == _MOST:
            self._end_block()
            self._legacy = legacy
        if own:
            self._own.append(len(self._texts))
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
    ) -> Document:
        """Return values that follow each other as one document.

        Args:
            whole: the values, each after a separator; see `Document`.
            begins: the offset of each in it, and after them that of one more.
            about: returns what is known of a value by its index, as for `add`; only of those that are asked for.
            legacy: see `add`.
            columns: returns the columns that follow from `about`, where that is quicker for many values at once.
        """
        return Document(
            source=self.name,
            whole=whole,
            begins=begins,
            segment=partial(_value, self.name, legacy, whole, begins, about),
            legacy=legacy,
            delimited=Delimited.VALUE,
            columns=columns or partial(columns_of_values, whole, begins, about),
        )

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
        for document in read(source, Segments(self.run, source)):
            yield document.placed(partial(_inside, field))

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
            segment=partial(_segment, self.name, self._legacy, texts, rows),
            legacy=self._legacy,
            delimited=next((row[4] for row in rows if row[4] is not Delimited.TEXT), Delimited.TEXT),
            in_memory=self._size if joins and self._is_stable else 0,
            own=frozenset(self._own),
        )
        self._ready.append(found)
        self._texts, self._rows, self._own, self._size, self._is_stable = [], [], [], 0, True

    def _taken(self) -> Iterator[Document]:
        """Yield the blocks that have ended."""
        while self._ready:
            found = self._ready.pop(0)
            if self._inner is None:
                yield found
            else:
                yield from self._inner.opened((found,))

    def documents(self, found: Iterable[Document | None]) -> Iterator[Document]:
        """Yield the documents of the source, in their order, from what its reader yields.

        Raises:
            InputError: the reader raises it, or reading has failed.
        """
        try:
            for document in found:
                if document is not None:
                    self._end_block()
                if self._ready:
                    yield from self._taken()
                if document is not None:
                    yield from (document,) if self._inner is None else self._inner.opened((document,))
        except Exception:
            self._end_block()
            yield from self._taken()
            raise
        self._end_block()
        yield from self._taken()
        yield from self._readable.ended(())


class CheckedSegments(Segments):
    """The same for the reader of a plug-in: what it adds is checked, for which our own readers have no time."""

    def add(self, text: str | Iterable[str], at: int | MapOfText | None = None, **more: Any) -> Document | None:
        """See `Segments.add`.

        Raises:
            TypeError: an argument is of another type.
            ValueError: an offset or a row is negative.
        """
        given: object = text
        if isinstance(given, (bytes, bytearray)) or not isinstance(given, Iterable):
            raise TypeError(f"`text` is a string or its pieces, not {text!r:.80}")
        if not isinstance(at, int) and at is not None and not callable(at):
            raise TypeError(f"`at` is an offset, a function or None, not {at!r:.80}")
        for name, value in more.items():
            kind, description = _ARGUMENTS.get(name, (object, ""))
            if value is not None and not (callable(value) if name == "position" else isinstance(value, kind)):
                raise TypeError(f"`{name}` is {description}, not {value!r:.80}")
        if not all(isinstance(code, Warn) for code in more.get("warnings", ())):
            raise TypeError(f"`warnings` is a tuple of members of Warn, not {more['warnings']!r:.80}")
        for name, value in (("at", at), ("row", more.get("row"))):
            if isinstance(value, int) and value < 0:
                raise ValueError(f"`{name}` is not negative, as {value} is")
        return super().add(text, at, **more)


_ARGUMENTS: Final[dict[str, tuple[type, str]]] = {
    **dict.fromkeys(("field", "reference", "visible", "base"), (str, "a string or None")),
    "row": (int, "a number or None"),
    "delimited": (Delimited, "a member of Delimited"),
    "warnings": (tuple, "a tuple of members of Warn"),
    "context": (Context, "a Context or None"),
    "position": (object, "a function or None"),
}


def _always(_: str) -> bool:
    return True


def _may_hold_inside(may_hold: Callable[[str], object], text: str) -> object:
    return may_hold(text) or may_contain(text)


def _inside(field: str, inner: Location) -> Location:
    """Return the location of something inside a field of the source."""
    return inner._replace(field=f"{field} / {inner.field}" if inner.field else field)


def _segment(
    source: str, legacy: bool, texts: tuple[Iterable[str]] | list[str], rows: list[_Row], index: int
) -> Segment:
    """Return one of some texts."""
    text = texts[index]
    at, field, row, context, delimited, more = rows[index]
    base, reference, warnings, visible, position, beside = more
    return Segment(
        source=source,
        text=(text,) if isinstance(text, str) else text,
        place=_place(field, row, context),
        offsets=_source_map(text, at),
        legacy=legacy,
        base=base,
        position=position,
        reference=reference,
        warnings=warnings,
        delimited=delimited,
        shown=visible,
        beside=beside,
    )


def _value(
    source: str, legacy: bool, whole: str, begins: Sequence[int], about: Callable[[int], About], index: int
) -> Segment:
    """Return one of the values of a block."""
    text = whole[begins[index] : begins[index + 1] - len(SEPARATOR)]
    at, field, row, context, beside = about(index)
    more = (None, None, (), None, None, beside)
    return _segment(source, legacy, [text], [(at, field, row, context, Delimited.VALUE, more)], 0)


def columns_of_values(
    whole: str, begins: Sequence[int], about: Callable[[int], About], rows: BlockRows
) -> dict[str, Sequence[Any]]:
    """Return the columns of rows in values of a block, as their segments have them; see `Document.columns`."""
    places: list[Location] = []
    spans: list[tuple[int | None, int | None]] = []
    wants_bytes = not rows.wanted.isdisjoint(BYTES)
    last, place, offsets = -1, NOWHERE, None
    for number, start, end in zip(rows.numbers, rows.starts, rows.ends, strict=True):
        if number != last:
            last = number
            at, field, row, context, _ = about(number)
            place = _place(field, row, context)
            if wants_bytes:
                text = whole[begins[number] : begins[number + 1] - len(SEPARATOR)] if isinstance(at, int) else ""
                offsets = _source_map(text, at)()
        places.append(place)
        if wants_bytes:
            spans.append((None, None) if offsets is None else offsets.span(start, end))
    found: dict[str, Sequence[Any]] = {"location": places} if "location" in rows.wanted else {}
    if wants_bytes:
        found["byte_start"], found["byte_end"] = [start for start, _ in spans], [end for _, end in spans]
    return found


BYTES: Final = frozenset(("byte_start", "byte_end"))


def _place(field: str | None, row: int | None, context: Context | None) -> Location:
    is_nowhere = field is None and row is None and context is None
    return NOWHERE if is_nowhere else Location(None, None, None, field, row, context)


def _source_map(text: str | Iterable[str], at: int | MapOfText | None) -> MapOfText:
    """Return what returns the source map; that of a text in memory is made once, however many rows ask for it."""
    if at is None:
        return no_map
    if not isinstance(text, str):
        return no_map if isinstance(at, int) else at
    return _Once(partial(_utf8_offsets, text, at) if isinstance(at, int) else at)


def _utf8_offsets(text: str, at: int) -> SourceMap | None:
    """Return the map of a text from an offset on; None for one that no bytes of UTF-8 are decoded to."""
    offsets = SourceMap(at)
    try:
        offsets.add_decoded(text, text.encode("utf-8", "surrogateescape"), find_encoding("utf-8"))
    except UnicodeEncodeError:
        return None
    return offsets


class _Once:
    """Returns what a function has returned at its first call."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: MapOfText) -> None:
        self._make: MapOfText | None = make
        self._made: SourceMap | None = None

    def __call__(self) -> SourceMap | None:
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made
