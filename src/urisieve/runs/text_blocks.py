"""The search in a block of many short texts: one search, then the location of each row that was found.

The texts are joined by a separator that no candidate crosses. What is found in the whole is what would be found in each
text alone, with one exception: a text that its carrier delimits and that begins with a scheme is one candidate (RFC
3986 Appendix C), so each of them of which running text made something else is judged again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter

from urisieve.codes import Warn
from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.find.searches import AnySearch
from urisieve.finding_options import Bare
from urisieve.lean import TYPE_CHECKING, Any, Final, lazy_compile
from urisieve.records.batch import TIME, Batch, BatchBuffer
from urisieve.records.layouts import placed_in_texts
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.sources.documents import Document, Repeats, TextBlock
from urisieve.syntax.components import SPACES

if TYPE_CHECKING:
    from urisieve.records.base import Location
    from urisieve.sources.hours import LineHours

# The columns by which rows are placed in their texts.
PLACING: Final = frozenset(("start", "end"))
_LINES: Final = frozenset(("line", "column"))
_BYTES: Final = frozenset(("byte_start", "byte_end"))
_LENGTH: Final = len(SEPARATOR)
_LINK: Final = 1  # in the kind of a text that is one candidate; see `kernel.Search.segments`
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
        bare: the kinds of numbers without a scheme, before which the name of the field of a text may say what they are.
    """

    def __init__(
        self,
        block: TextBlock,
        begin: Callable[[], AnySearch],
        buffer: BatchBuffer,
        columns: frozenset[str],
        repeats: Repeats | None = None,
        lines: LineHours | None = None,
        bare: tuple[Bare, ...] = (),
    ) -> None:
        self._bare = bare
        self._block = block
        self._begin = begin
        self._buffer = buffer
        self._columns = columns
        self._repeats = Repeats() if repeats is None else repeats
        self._lines_of_whole = lines
        self._documents: dict[int, Document] = {}
        self._found: list[Batch] = []  # in texts alone
        self._moving = (0, 0)  # the offset of the last of them, and the number of line feeds before it

    def batches(self, *, delimited: bool) -> list[Batch]:
        """Return what is found, each row with its offsets and its location in its own text.

        Args:
            delimited: whether the carrier delimits some of the texts.
        """
        search = self._begin()
        left: Sequence[int] | None = None
        if self._block.kinds and search.takes_segments:
            left = search.segments(self._block.whole, self._block.begins, self._block.kinds)
        else:
            search.finish(self._block.whole)
        batches = self._buffer.drained()
        if self._lines_of_whole is not None:
            self._lines_of_whole.restart()
            self._lines_of_whole.feed(self._block.whole)
        if left is not None:
            batches = self._with_others(batches, left)
        elif delimited or self._bare:
            batches = self._with_delimited(batches, delimited=delimited)
        if self._block.alternatives:
            batches = self._unrepeated(batches)
        return list(map(self._placed, batches))

    # ------------------------------------------------------------ delimited texts

    def _with_delimited(self, batches: list[Batch], *, delimited: bool) -> list[Batch]:
        """Return batches with what some texts hold by themselves in place of what running text made of them.

        These are texts that are one candidate as a whole, if the carrier delimits any, and those with a number that the
        name of their field explains.
        """
        changed: list[int] = []
        labelled = self._labelled() if self._bare else frozenset[int]()
        undecided = self._undecided(batches) if delimited else []
        for index in sorted(labelled.union(undecided)):
            if self._search_alone(index, is_whole=index not in labelled):
                changed.append(index)
                self._take_moved(index)
        others = self._others()
        return (
            [_merged([*(self._without(batch, changed) for batch in batches), *others], self._block)]
            if changed
            else batches
        )

    def _with_others(self, batches: list[Batch], left: Sequence[int]) -> list[Batch]:
        """Return batches with what is found in the texts that the kernel has left: running text at once."""
        block = self._block
        together = [index for index in left if not block.kinds[index] & _LINK and not self._label(index)]
        for index in sorted(frozenset(left).difference(together)):
            self._search_alone(index)
            self._take_moved(index)
        others = self._others()
        if together:
            part = block.where(frozenset(together).__contains__)
            self._begin().finish(part.whole)
            before = zip(_lines_before(part, range(part.size)), _lines_before(block, together), strict=True)
            moves = [
                (block.begins[index] - begin, lines - inner)
                for index, begin, (inner, lines) in zip(together, part.begins, before, strict=False)
            ]
            others += [_moved(batch, part, moves) for batch in self._buffer.drained() if batch]
        return [_merged([*batches, *others], block)] if others else batches

    def _labelled(self) -> frozenset[int]:
        """Return the indices of the texts with a number that the name of their field explains."""
        from urisieve.find.finder.bare_places import bare_pivot

        numbers = re.compile(bare_pivot(self._bare)).finditer(self._block.whole)
        indices = {self._block.index_at(number.start()) for number in numbers}
        return frozenset(index for index in indices if self._label(index))

    def _label(self, index: int) -> str:
        """Return the line that says what the field of a text holds; "" if its name says nothing."""
        field = self._document(index).place.field
        if not self._bare or field is None:
            return ""
        from urisieve.judge.bare_names import field_label

        return field_label(field, self._bare)

    def _search_alone(self, index: int, *, is_whole: bool = False) -> bool:
        """Search one of the texts; with `is_whole` only as one candidate, and report whether it is one."""
        text, kind = self._block.text(index), self._document(index).delimited
        if kind is not Delimited.TEXT and self._begin().delimited(text, kind):
            return True
        if is_whole:
            return False
        search = self._begin()
        label = self._label(index)
        if label:
            search.enter(label, 0, 0)
        search.finish(text)
        return True

    def _take_moved(self, index: int) -> None:
        """Take what was found in a text alone, as found in the whole; the indices rise."""
        at, lines = self._moving
        lines += self._block.whole.count("\n", at, self._block.begins[index])
        self._moving = at, lines = self._block.begins[index], lines
        self._found += [_moved(batch, None, [(at, lines)]) for batch in self._buffer.drained() if batch]

    def _others(self) -> list[Batch]:
        found, self._found, self._moving = self._found, [], (0, 0)
        return found

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
        if len(batch) and not columns.isdisjoint(_LOCATING | self._block.own_columns if self._block.own else _LOCATING):
            numbers, starts, ends = batch.layout.in_texts(self._block.begins, 0)
            changed = {"start": starts, "end": ends}
            if self._block.columns is not None and self._lines_of_whole is None:
                changed |= self._block.columns(batch, numbers, starts, ends, columns)
                if "line" in columns and "line" not in changed:
                    changed["line"] = self._lines_inside(numbers, batch.column("line"))
                columns = frozenset()
            elif self._lines_of_whole is not None:
                changed |= self._dated(self._lines_of_whole, numbers, batch.column("start"))
            if self._block.own and columns:
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
        elif TIME in self._columns:
            changed = {TIME: []}
        if changed:
            batch = batch.replaced(changed)
        return batch.with_rejections(self._rejections(rejections), batch.before) if rejections else batch

    def _places(self, numbers: Sequence[int], offsets: Sequence[int]) -> list[Location | None]:
        """Return the location of each of some texts, with the time of the line at an offset of the whole.

        Args:
            numbers: the indices of the texts.
            offsets: an offset in each, in the whole.
        """
        places = [self._document(number).place for number in numbers]
        if self._lines_of_whole is None or "location" not in self._columns:
            return list(places)
        from urisieve.sources.hours import location_in

        return list(map(location_in, places, self._lines_of_whole.contexts(offsets)))

    def _dated(self, lines: LineHours, numbers: Sequence[int], offsets: Sequence[int]) -> dict[str, Sequence[Any]]:
        """Return the columns of times: those of the documents, else those of lines.

        Args:
            lines: the lines of the whole.
            numbers: the index of the text of each row.
            offsets: the offset of each row in the whole.
        """
        from urisieve.sources.contexts import hour_at

        changed: dict[str, Sequence[Any]] = {}
        places = [self._document(number).place for number in numbers]
        if TIME in self._columns:
            pairs = zip(places, lines.hours(offsets), strict=True)
            changed[TIME] = [hour if at.context is None else hour_at(at) for at, hour in pairs]
        if "location" in self._columns:
            changed["location"] = self._places(numbers, offsets)
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
        inside = self._lines_inside(numbers, lines)
        for number, start, line, column in zip(numbers, starts, inside, columns, strict=True):
            position = self._document(number).position
            found.append((line, column) if position is None else position(start))
        return [line for line, _ in found], [column for _, column in found]

    def _lines_inside(self, numbers: Sequence[int], lines: Iterable[int]) -> list[int]:
        """Return the line of each row in its own text, by its line in the whole; the numbers rise."""
        before = _lines_before(self._block, numbers)
        return [line - feeds for feeds, line in zip(before, lines, strict=False)]

    def _rejections(self, rejections: Sequence[Rejection]) -> list[Rejection]:
        numbers, starts, ends = placed_in_texts(
            self._block.begins, 0, [one.start for one in rejections], [one.end for one in rejections]
        )
        # Where no column has lines, those of running text are not counted.
        counted = [] if self._columns.isdisjoint(_LINES) else numbers
        inside = self._lines_inside(counted, [one.line for one in rejections]) or [0] * len(numbers)
        places = self._places(numbers, [one.start for one in rejections])
        made = []
        for one, number, start, end, counted_line, place in zip(
            rejections, numbers, starts, ends, inside, places, strict=True
        ):
            document = self._document(number)
            line, column = (counted_line, one.column) if document.position is None else document.position(start)
            row = one._row._replace(
                start=start, end=end, line=line, column=column, source=document.source, location=place
            )
            if not self._columns.isdisjoint(_BYTES):
                byte_start, byte_end = _span(document, start, end)
                row = row._replace(byte_start=byte_start, byte_end=byte_end)
            made.append(make_rejection(row))
        return made


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


def _lines_before(block: TextBlock, indices: Iterable[int]) -> Iterator[int]:
    """Yield the number of line feeds before each of some texts, by their rising indices."""
    at = lines = 0
    for index in indices:
        lines += block.whole.count("\n", at, block.begins[index])
        at = block.begins[index]
        yield lines


def _moved(batch: Batch, block: TextBlock | None, moves: Sequence[tuple[int, int]]) -> Batch:
    """Return a batch with all offsets and lines moved.

    Args:
        batch: the batch.
        block: the texts in which its rows were found; None for a text alone.
        moves: by how much those of each text are moved.
    """

    def moves_of(starts: Sequence[int]) -> list[tuple[int, int]]:
        return [moves[0 if block is None else block.index_at(start)] for start in starts]

    moved: dict[str, Sequence[int]] = {}
    if len(batch):
        by = moves_of(batch.column("start"))
        for name in PLACING:
            moved[name] = [offset + move for offset, (move, _) in zip(batch.column(name), by, strict=True)]
        if "line" in batch.columns:
            moved["line"] = [line + lines for line, (_, lines) in zip(batch.column("line"), by, strict=True)]
    by = moves_of([one.start for one in batch.rejections])
    rows = [
        one._row._replace(start=one.start + move, end=one.end + move, line=one.line + lines)
        for one, (move, lines) in zip(batch.rejections, by, strict=True)
    ]
    return batch.replaced(moved).rejecting(list(map(make_rejection, rows)))


def _merged(batches: Sequence[Batch], block: TextBlock) -> Batch:
    """Return the rows and rejections of some batches in the order of the texts; those of one text stay in theirs."""
    whole = Batch.joined(batches)
    starts: Sequence[int] = whole.column("start") if len(whole) else ()
    found: list[tuple[int, int, int]] = []  # the row, its text, the rejection; -1 for what it is not
    row = 0
    for index, (stop, one) in enumerate(zip((*whole.before, len(whole)), (*whole.rejections, None), strict=True)):
        found += [(row, block.index_at(starts[row]), -1) for row in range(row, stop)]
        row = stop
        if one is not None:
            found.append((-1, block.index_at(one.start), index))
    found.sort(key=itemgetter(1))
    order: list[int] = []
    rejections: list[Rejection] = []
    before: list[int] = []
    for row, _, index in found:
        if index < 0:
            order.append(row)
        else:
            rejections.append(whole.rejections[index])
            before.append(len(order))
    return whole.select(order).with_rejections(rejections, before)
