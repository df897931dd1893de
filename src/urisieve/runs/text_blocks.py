"""The search in a block of many short texts: one search, then the location of each row that was found.

The texts are joined by a separator that no candidate crosses. What is found in the whole is what would be found in each
text alone, with one exception: a text that its carrier delimits and that begins with a scheme is one candidate (RFC
3986 Appendix C), so each of them of which running text made something else is judged again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from urisieve.codes import Warn
from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.find.searches import AnySearch
from urisieve.lean import TYPE_CHECKING, Any, Final, lazy_compile
from urisieve.records.batch import TIME, Batch, BatchBuffer
from urisieve.records.layouts import placed_in_texts
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.sources.documents import Document, Repeats, TextBlock
from urisieve.syntax.components import SPACES

if TYPE_CHECKING:
    from urisieve.sources.hours import LineHours

# The columns by which rows are placed in their texts.
PLACING: Final = frozenset(("start", "end"))
_LINES: Final = frozenset(("line", "column"))
_BYTES: Final = frozenset(("byte_start", "byte_end"))
_LENGTH: Final = len(SEPARATOR)
# Where a text begins with a scheme, or with the slashes before a host, behind the white space that does not belong to
# the identifier (RFC 3986 3.1, 4.2).
_BEGINS: Final = lazy_compile(lambda: rf"\x1e\n[{re.escape(SPACES)}]*+((?:[A-Za-z][A-Za-z0-9+.\-]*+:)|//)")


class TextBlockSieve:
    """Searches the texts of one block, in bounded memory: that of the block.

    Args:
        block: the texts.
        begin: returns the search of these texts at the beginning of a text; it makes the columns of `PLACING`, too.
        buffer: the sink of the search.
        columns: the columns wanted, with `key` if some of its texts are forms of a content.
        repeats: detects what another form of the same content holds.
        lines: finds the times of lines, for those texts that have no context.
    """

    def __init__(
        self,
        block: TextBlock,
        begin: Callable[[], AnySearch],
        buffer: BatchBuffer,
        columns: frozenset[str],
        repeats: Repeats | None = None,
        lines: LineHours | None = None,
    ) -> None:
        self._block = block
        self._begin = begin
        self._buffer = buffer
        self._columns = columns
        self._repeats = Repeats() if repeats is None else repeats
        self._lines_of_whole = lines
        self._documents: dict[int, Document] = {}

    def batches(self, *, delimited: bool) -> list[Batch]:
        """Return what is found, each row with its offsets and its location in its own text.

        Args:
            delimited: whether the carrier delimits some of the texts.
        """
        self._begin().finish(self._block.whole)
        batches = self._buffer.drained()
        if self._lines_of_whole is not None:
            self._lines_of_whole.restart()
            self._lines_of_whole.feed(self._block.whole)
        if delimited:
            batches = self._with_delimited(batches)
        if self._block.alternatives:
            batches = self._unrepeated(batches)
        return list(map(self._placed, batches))

    # ------------------------------------------------------------ delimited texts

    def _with_delimited(self, batches: list[Batch]) -> list[Batch]:
        """Return batches with each text that is one candidate as a whole in place of what running text made of it."""
        changed: list[int] = []
        others: list[Batch] = []
        whole, begins = self._block.whole, self._block.begins
        at = lines = 0
        for index in self._undecided(batches):
            kind = self._document(index).delimited
            if kind is not Delimited.TEXT and self._begin().delimited(self._block.text(index), kind):
                changed.append(index)
                lines += whole.count("\n", at, begins[index])
                at = begins[index]
                others.append(_moved(self._buffer.taken(), at, lines))
        return [_merged([*(self._without(batch, changed) for batch in batches), *others])] if changed else batches

    def _undecided(self, batches: Sequence[Batch]) -> list[int]:
        """Return the indices of the texts that begin with a scheme, and of which no row takes all.

        A row with a warning does not count: some are about what stands around a candidate in running text.
        """
        ends: dict[int, int] = {}
        for batch in batches:
            if len(batch):
                starts = batch.column("start")
                ends.update(zip(starts, batch.column("end"), strict=True))
                for number in batch.warned():
                    del ends[starts[number]]
            ends.update((one.start, one.end) for one in batch.rejections)
        begins, whole = self._block.begins, self._block.whole
        # Where no text holds the middle of the separator, the separator ends each.
        is_plain = whole.count(SEPARATOR[1]) == self._block.size
        found: list[int] = []
        index = 0
        for match in _BEGINS.finditer(whole):
            if is_plain and whole.startswith(SEPARATOR, ends.get(match.start(1), 0) or len(whole)):
                continue
            begin = match.start() + 2
            index = bisect_left(begins, begin, index)
            if begins[index] == begin and ends.get(match.start(1)) != begins[index + 1] - _LENGTH:
                found.append(index)
        return found

    def _without(self, batch: Batch, left_out: Sequence[int]) -> Batch:
        """Return a batch without the rows and rejections in some texts."""
        gone = frozenset(left_out)

        def stays(start: int) -> bool:
            return self._block.index_at(start) not in gone

        kept = [index for index, start in enumerate(batch.column("start")) if stays(start)] if len(batch) else []
        pairs = [pair for pair in zip(batch.before, batch.rejections, strict=True) if stays(pair[1].start)]
        before = [bisect_left(kept, number) for number, _ in pairs]
        return batch.select(kept).with_rejections([one for _, one in pairs], before)

    # ------------------------------------------------------------ forms of one content

    def _unrepeated(self, batches: Sequence[Batch]) -> list[Batch]:
        """Return batches without what another form of the same content holds."""
        holds, index_at, alternatives = self._repeats.holds, self._block.index_at, self._block.alternatives
        found: list[Batch] = []
        for batch in batches:
            pairs = zip(batch.column("start"), batch.column("key"), strict=True) if len(batch) else ()
            kept = [row for row, (start, key) in enumerate(pairs) if not holds(alternatives[index_at(start)], key)]
            found.append(batch.filtered(kept))
        return found

    # ------------------------------------------------------------ locations

    def _document(self, index: int) -> Document:
        """Return one of the texts as a document."""
        document = self._documents.get(index)
        if document is None:
            document = self._documents[index] = self._block.document(index)
        return document

    def _placed(self, batch: Batch) -> Batch:
        """Return a batch with the offsets, the lines and the location of each row in its own text."""
        columns = self._columns
        rejections = batch.rejections
        changed: dict[str, Sequence[Any]] = {}
        if len(batch) and not columns.isdisjoint(_LOCATING | _OWN if self._block.own else _LOCATING):
            numbers, starts, ends = placed_in_texts(self._block.begins, 0, batch.column("start"), batch.column("end"))
            changed = {"start": starts, "end": ends}
            if self._lines_of_whole is not None:
                changed |= self._dated(self._lines_of_whole, numbers, batch.column("start"))
            if self._block.own:
                changed |= self._own(numbers, batch)
            if "location" in columns and "location" not in changed:
                changed["location"] = [self._document(number).place for number in numbers]
            if "source" in columns and self._block.has_sources:
                changed["source"] = [self._document(number).source for number in numbers]
            if not columns.isdisjoint(_LINES):
                lines, inner = batch.column("line"), batch.column("column")
                changed["line"], changed["column"] = self._lines(numbers, starts, lines, inner)
            if not columns.isdisjoint(_BYTES):
                spans = list(map(_span, map(self._document, numbers), starts, ends))
                changed["byte_start"] = [start for start, _ in spans]
                changed["byte_end"] = [end for _, end in spans]
        if changed:
            batch = batch.replaced(changed)
        return batch.with_rejections(self._rejections(rejections), batch.before) if rejections else batch

    def _dated(self, lines: LineHours, numbers: Sequence[int], offsets: Sequence[int]) -> dict[str, Sequence[Any]]:
        """Return the columns of times: those of the documents, else those of lines.

        Args:
            lines: the lines of the whole.
            numbers: the index of the text of each row.
            offsets: the offset of each row in the whole.
        """
        from urisieve.sources.contexts import hour_at
        from urisieve.sources.hours import location_in

        changed: dict[str, Sequence[Any]] = {}
        places = [self._document(number).place for number in numbers]
        if TIME in self._columns:
            pairs = zip(places, lines.hours(offsets), strict=True)
            changed[TIME] = [hour if at.context is None else hour_at(at) for at, hour in pairs]
        if "location" in self._columns:
            changed["location"] = list(map(location_in, places, lines.contexts(offsets)))
        return changed

    def _own(self, numbers: Sequence[int], batch: Batch) -> dict[str, Sequence[Any]]:
        """Return the columns of what rows have by the documents that they stand in.

        Args:
            numbers: the index of the text of each row.
            batch: the rows.
        """
        changed: dict[str, list[Any]] = {}
        own = self._block.own
        rows = [(row, self._document(number)) for row, number in enumerate(numbers) if number in own]
        if rows and "raw" in self._columns:
            changed["raw"] = list(batch.column("raw"))
            for row, one in rows:
                if one.reference is not None:
                    changed["raw"][row] = one.reference
        if "warnings" in self._columns and any(one.warnings or one.shown for _, one in rows):
            changed["warnings"] = list(batch.column("warnings"))
            uris = batch.column("uri")
            for row, one in rows:
                changed["warnings"][row] = warnings_in(one, uris[row], changed["warnings"][row])
        return dict(changed)

    def _lines(
        self, numbers: Sequence[int], starts: Sequence[int], lines: Sequence[int], columns: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """Return the line and the column of each row in its own text, or where the document says that it stands.

        Args:
            numbers: the indices of the texts, rising.
            starts: the offsets in the texts.
            lines: the lines in the whole.
            columns: the columns in the whole, which are those in the texts: each begins on a line of its own.
        """
        found: list[tuple[int, int]] = []
        begin, line = 0, 1
        for number, start, row, column in zip(numbers, starts, lines, columns, strict=True):
            position = self._document(number).position
            if position is not None:
                found.append(position(start))
                continue
            line += self._block.whole.count("\n", begin, self._block.begins[number])
            begin = self._block.begins[number]
            found.append((row - line + 1, column))
        return [row for row, _ in found], [column for _, column in found]

    def _rejections(self, rejections: Sequence[Rejection]) -> list[Rejection]:
        numbers, starts, ends = placed_in_texts(
            self._block.begins, 0, [one.start for one in rejections], [one.end for one in rejections]
        )
        lines = columns = [0] * len(numbers)
        if not self._columns.isdisjoint(_LINES):
            lines, columns = self._lines(
                numbers, starts, [one.line for one in rejections], [one.column for one in rejections]
            )
        made = []
        for one, number, start, end, line, column in zip(
            rejections, numbers, starts, ends, lines, columns, strict=True
        ):
            document = self._document(number)
            row = one._row._replace(
                start=start, end=end, line=line, column=column, source=document.source, location=document.place
            )
            if not self._columns.isdisjoint(_BYTES):
                byte_start, byte_end = _span(document, start, end)
                row = row._replace(byte_start=byte_start, byte_end=byte_end)
            made.append(make_rejection(row))
        return made


_OWN: Final = frozenset(("raw", "warnings"))
_LOCATING: Final = PLACING | _LINES | _BYTES | {"location", "source", TIME}


def warnings_in(document: Document, uri: str, codes: tuple[Warn, ...]) -> tuple[Warn, ...]:
    """Return the warnings of a row with those of its document; a link inside another is compared itself."""
    if not document.warnings and not document.shown:
        return codes
    more = document.warnings
    if Warn.UNWRAPPED in codes:
        from urisieve.sources.html.html_links import differs

        is_other = document.shown is not None and differs(document.shown, uri)
        more = (Warn.TEXT_DIFFERS_FROM_TARGET,) if is_other else ()
    return (*codes, *more)


def _span(document: Document, start: int, end: int) -> tuple[int | None, int | None]:
    """Return the byte offsets of a row of a text; None for each if there is no way back."""
    offsets = document.offsets()
    return (None, None) if offsets is None else offsets.span(start, end)


def _moved(batch: Batch, by: int, lines: int) -> Batch:
    """Return a batch with all offsets and lines moved."""
    moved: dict[str, Sequence[int]] = {}
    if len(batch):
        moved = {name: [offset + by for offset in batch.column(name)] for name in PLACING}
        if "line" in batch.columns:
            moved["line"] = [line + lines for line in batch.column("line")]
    rows = [
        one._row._replace(start=one.start + by, end=one.end + by, line=one.line + lines) for one in batch.rejections
    ]
    return batch.replaced(moved).rejecting(list(map(make_rejection, rows)))


def _merged(batches: Sequence[Batch]) -> Batch:
    """Return the rows and rejections of some batches in the order of their offsets."""
    whole = Batch.joined(batches)
    starts: Sequence[int] = whole.column("start") if len(whole) else ()
    order = sorted(range(len(whole)), key=starts.__getitem__)
    ordered = [starts[index] for index in order]
    rejections = sorted(whole.rejections, key=lambda one: one.start)
    return whole.select(order).with_rejections(rejections, [bisect_left(ordered, one.start) for one in rejections])
