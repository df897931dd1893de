"""Blocks of texts, and texts that may be searched together with others.

It defines:

- what is known of each text of a block, and its segment and its columns made of that.
- documents that follow each other, such as files of an archive or parts of mail, as one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate

from urisieve.codes import Warn
from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.lean import TYPE_CHECKING, Any, Final, TypeAlias, late
from urisieve.records.base import NOWHERE, Context, Location
from urisieve.records.layouts import RowLocations, SharedValues
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.documents import (
    BYTES,
    LONGEST,
    NO_SPAN,
    TEXTS,
    Alternative,
    BlockRows,
    Document,
    MapOfText,
    Position,
    Segment,
    no_map,
    of_texts,
)

if TYPE_CHECKING:
    from urisieve.judge.number_names import Beside
else:
    Beside = late("urisieve.judge.number_names", "Beside")

# What most texts have of `base`, `reference`, `warnings`, `visible`, `position`, `beside`, `place` and `alternative`.
NO_MORE: Final = (None, None, (), None, None, tuple, None, None)

# Where a text is; see `Segments.add`.
At: TypeAlias = int | SourceMap | MapOfText | None
# What is known of a text of a block: where it is, the name of its field, its row, when and from whom it is, and what is
# beside it.
About: TypeAlias = "tuple[At, str | None, int | None, Context | None, Beside]"

More: TypeAlias = (
    "tuple[str | None, str | None, tuple[Warn, ...], str | None, Position | None, Beside, Location | None, "
    "Alternative | None]"
)
Row = tuple["At", "str | None", "int | None", "Context | None", Delimited, "More"]


def segment_of(
    within: Segment, legacy: bool, texts: tuple[Iterable[str]] | list[str], rows: list[Row], index: int
) -> Segment:
    """Return one of some texts."""
    text = texts[index]
    at, field, row, context, delimited, more = rows[index]
    base, reference, warnings, visible, position, beside, place, alternative = more
    place = place or _place(field, row, context)
    if isinstance(text, str) and isinstance(at, SourceMap):
        own = {"reference": reference, "warnings": warnings, "shown": visible, "beside": beside}
        return within.inner(text, at, place, delimited=delimited, base=base or within.base, legacy=legacy, **own)
    return Segment(
        source=within.source,
        text=(text,) if isinstance(text, str) else text,
        place=place,
        offsets=_source_map(text, at),
        legacy=legacy,
        base=base,
        position=position,
        alternative=alternative or within.alternative,
        reference=reference,
        warnings=warnings,
        delimited=delimited,
        shown=visible,
        beside=beside,
    )


def value_of(
    within: Segment, legacy: bool, whole: str, begins: Sequence[int], about: Callable[[int], About], index: int
) -> Segment:
    """Return one of the values of a block."""
    text = whole[begins[index] : begins[index + 1] - len(SEPARATOR)]
    at, field, row, context, beside = about(index)
    more = (None, None, (), None, None, beside, None, None)
    return segment_of(within, legacy, [text], [(at, field, row, context, Delimited.VALUE, more)], 0)


def columns_of_values(
    whole: str, begins: Sequence[int], about: Callable[[int], About], rows: BlockRows
) -> dict[str, Sequence[Any]]:
    """Return the columns of rows in values of a block, as their segments have them; see `Document.columns`."""
    known = cache(about)

    @cache
    def offsets(index: int) -> SourceMap | None:
        at = known(index)[0]
        text = whole[begins[index] : begins[index + 1] - len(SEPARATOR)] if isinstance(at, int) else ""
        return _source_map(text, at)()

    return rows.located(
        lambda index: _place(*known(index)[1:4]),
        lambda index, start, end: NO_SPAN if (back := offsets(index)) is None else back.span(start, end),
    )


def value_columns(
    found: BlockRows,
    fields: Sequence[str | None],
    rows: array[int],
    starts: Sequence[int],
    ends: Sequence[int],
    offsets: SourceMap,
    other: Callable[[int], SourceMap | None] | None,
    context: Callable[[int], Context | None] | None = None,
) -> dict[str, Sequence[Any]]:
    """Return what `columns_of_values` returns for many values of structured data, made at once.

    Args:
        found: the rows.
        fields: the field of the value of each.
        rows: the number of its row in the source.
        starts: the start of each row there, in characters, if the value is there as it is.
        ends: its end, likewise.
        offsets: the source map of the source.
        other: returns the map to the bytes of the source for the number of a value that is not written there as it is,
            and None for any other; None if all are. It is called once for all rows of a value.
        context: returns when and from whom a value is, by its number; None if that is not wanted.
    """
    made: dict[str, Sequence[Any]] = {}
    if "location" in found.wanted and context is not None:
        made["location"] = list(map(_place, fields, rows, map(context, found.numbers)))
    elif "location" in found.wanted:
        if not isinstance(fields, SharedValues):
            order = {field: index for index, field in enumerate(dict.fromkeys(fields))}
            fields = SharedValues([*order], list(map(order.__getitem__, fields)))
        made["location"] = RowLocations(fields, rows)
    if not found.wanted.isdisjoint(BYTES):
        starts, ends = offsets.spans(starts, ends)
        if other is not None:
            last, back = -1, None
            for index, number in enumerate(found.numbers):
                if number != last:
                    last, back = number, other(number)
                if back is not None:
                    starts[index], ends[index] = back.span(found.starts[index], found.ends[index])
        made["byte_start"], made["byte_end"] = starts, ends
    return made


def _place(field: str | None, row: int | None, context: Context | None) -> Location:
    is_nowhere = field is None and row is None and context is None
    return NOWHERE if is_nowhere else Location(None, None, None, field, row, context)


def _source_map(text: str | Iterable[str], at: At) -> MapOfText:
    """Return what returns the source map; that of a text in memory is made once, however many rows ask for it."""
    if at is None or isinstance(at, SourceMap):
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


# Characters of a block: it fits in the cache of a processor.
_BLOCK: Final = 262_144
# The most texts that are joined: of empty ones there may be millions.
_MOST: Final = 4_096
# The most characters that the documents of a block keep in memory: HTML may hold little text.
_HELD: Final = 4 * _BLOCK


def gathered(documents: Iterable[Document], *, always: bool = False) -> Iterator[Document]:
    """Yield documents in their order, those that may be searched together as one.

    An exception of the iterator is raised after what came before it has been yielded. Memory is that of a block.

    Args:
        documents: what a reader yields.
        always: whether those that are not `in_memory` may be, too, as no other one is read meanwhile.
    """
    waiting: list[Document] = []
    size = count = held = 0
    stream = iter(documents)
    while True:
        try:
            document = next(stream, None)
        except Exception:
            yield from _joined(waiting)
            raise
        is_joined = (
            document is not None
            and document.last is None
            and (document.in_memory or always)
            and max(document.in_memory, len(document.whole)) <= LONGEST
        )
        has_room = (
            document is not None
            and is_joined
            and size + len(document.whole) <= _BLOCK
            and count + document.size <= _MOST
            and held + document.in_memory <= _HELD
            and (not waiting or document.legacy is waiting[0].legacy)
        )
        if not has_room:
            yield from _joined(waiting)
            waiting = []
            size = count = held = 0
        if document is None:
            return
        if is_joined:
            waiting.append(document)
            size += len(document.whole)
            count += document.size
            held += document.in_memory
        else:
            yield document


def _joined(ones: Sequence[Document]) -> Sequence[Document]:
    """Return some documents, if any, as one; a single one as it is."""
    if len(ones) < 2:
        return ones
    firsts = list(accumulate((one.size for one in ones), initial=0))
    befores = accumulate((len(one.whole) for one in ones), initial=0)
    begins = array("q")
    for one, before in zip(ones, befores, strict=False):
        begins.extend([before + begin for begin in one.begins[:-1]])
    begins.append(sum(len(one.whole) for one in ones) + len(SEPARATOR))

    def segment(index: int) -> Segment:
        number = bisect_right(firsts, index) - 1
        return ones[number].segment(index - firsts[number])

    has_kinds = all(one.kinds for one in ones) and any(one.kinds.strip(TEXTS) for one in ones)
    has_columns = all(one.columns is not None for one in ones)
    has_references = any(one.references is not None for one in ones)

    def reference(index: int) -> str | None:
        number = bisect_right(firsts, index) - 1
        references = ones[number].references
        return None if references is None else references(index - firsts[number])

    document = Document(
        source=ones[0].source,
        whole="".join([one.whole for one in ones]),
        begins=memoryview(begins),
        segment=segment,
        legacy=ones[0].legacy,
        delimited=max((one.delimited for one in ones), key=lambda kind: kind is not Delimited.TEXT),
        references=reference if has_references else None,
        kinds=b"".join([one.kinds for one in ones]) if has_kinds else b"",
        columns=partial(_joined_columns, ones, firsts) if has_columns else None,
        **of_texts(zip(firsts, ones, strict=False)),
    )
    return (document,)


def _joined_columns(ones: Sequence[Document], firsts: Sequence[int], rows: BlockRows) -> dict[str, Sequence[Any]]:
    """Return the columns of rows in some documents that follow each other, by those of each."""
    parts: list[tuple[slice, dict[str, Sequence[Any]]]] = []
    row = 0
    while row < len(rows.numbers):
        index = bisect_right(firsts, rows.numbers[row]) - 1
        some = slice(row, bisect_left(rows.numbers, firsts[index + 1], row))
        columns = ones[index].columns
        assert columns is not None
        parts.append((some, columns(rows.part(some).moved(-firsts[index]))))
        row = some.stop
    names = {name for _, values in parts for name in values if name in rows.wanted}
    changed: dict[str, list[Any]] = {}
    for name in names:
        is_whole = all(name in values for _, values in parts)
        changed[name] = [None] * len(rows.numbers) if is_whole else list(rows.batch.column(name))
    for some, values in parts:
        for name in names.intersection(values):
            changed[name][some] = values[name]
    return {**changed}
